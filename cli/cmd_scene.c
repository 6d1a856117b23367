#include "answers.h"
#include "frame.h"
#include "json.h"
#include "scene_model.h"
#include <errno.h>
#include <landfall/script.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define GROUNDS 16 ///< that are drawn
#define MOST_STEPS 100000000
#define FOLDER_ROOM 4000
#define DIGITS 6    ///< of times
#define SETTINGS 64 ///< at most, in one run

/// What one run of `landfall scene run` knows.
typedef struct scene_run {
    cli *run;
    lf_script *script;
    int64_t steps, every, done, events;
    double dt;
    const char *frames; ///< folder, or NULL
    bool fine;          ///< frames by rays
    frame_work work;
    lf_script_setting settings[SETTINGS];
    char names[SETTINGS][64]; ///< of the settings
    int64_t setting_count;
} scene_run;

// ---------------------------------------------------------------------------------------------------
// What is told
// ---------------------------------------------------------------------------------------------------

/// What the script says: a line between the events.
static void say(void *user, const char *text) {
    scene_run *scene = user;
    if (!scene->run->json) {
        output_text(&scene->run->out, text);
        output_char(&scene->run->out, '\n');
        return;
    }
    json document = json_start(&scene->run->out, false);
    json_put_object(&document, NULL);
    json_put_text(&document, "say", text);
    json_close(&document);
    json_end(&document);
}

/// "car#3", "car#3/wheel", "ground" or "nothing". What is gone has its number alone.
static void name_thing(lf_scene *scene, const lf_thing *thing, const lf_event *event, char *name,
                       size_t room) {
    lf_instance_info info;
    lf_part_info part;
    if (lf_instance_is_none(thing->instance)) {
        snprintf(name, room, "%s", event->ground.kind != LF_HIT_NONE ? "ground" : "nothing");
        return;
    }
    bool known = lf_instance_describe(scene, thing->instance, &info) == LF_OK && info.name[0];
    bool labelled =
        !lf_part_is_none(thing->part) && lf_part_describe(scene, thing->part, &part) == LF_OK && part.label;
    snprintf(name, room, "%s#%u%s%s", known ? info.name : "thing", (unsigned)thing->instance.index,
             labelled ? "/" : "", labelled ? part.label : "");
}

static void tell_json(scene_run *scene, const lf_event *event, const char *a, const char *b) {
    json document = json_start(&scene->run->out, false);
    json_put_object(&document, NULL);
    json_put_number(&document, "time", event->time);
    json_put_text(&document, "event", lf_event_word(event->kind));
    json_put_text(&document, "a", a);
    json_put_text(&document, "b", b);
    json_put_number(&document, "wait", event->wait);
    if (event->coarse)
        json_put_truth(&document, "coarse", true);
    json_close(&document);
    json_end(&document);
}

static void tell(scene_run *scene, const lf_event *event) {
    lf_scene *world = lf_script_scene(scene->script);
    output *out = &scene->run->out;
    char a[160], b[160];
    name_thing(world, &event->a, event, a, sizeof a);
    name_thing(world, &event->b, event, b, sizeof b);
    scene->events++;
    if (scene->run->json) {
        tell_json(scene, event, a, b);
        return;
    }
    output_number(out, event->time);
    output_char(out, ' ');
    output_text(out, lf_event_word(event->kind));
    output_char(out, ' ');
    output_text(out, a);
    output_char(out, ' ');
    output_text(out, b);
    if (event->kind == LF_EVENT_PREDICTED) {
        output_text(out, " in ");
        output_number(out, event->wait);
    }
    output_char(out, '\n');
}

/// One figure of the statistics.
static void tell_figure(const scene_run *scene, json *document, const char *name, int64_t value) {
    if (scene->run->json) {
        json_put_integer(document, name, value);
        return;
    }
    output_text(&scene->run->out, name);
    output_char(&scene->run->out, ' ');
    output_integer(&scene->run->out, value);
    output_char(&scene->run->out, '\n');
}

static void tell_time(const scene_run *scene, json *document, double seconds) {
    if (scene->run->json) {
        json_put_number(document, "time", seconds);
        return;
    }
    output_text(&scene->run->out, "time ");
    output_number(&scene->run->out, seconds);
    output_char(&scene->run->out, '\n');
}

static void tell_statistics(scene_run *scene) {
    lf_scene_stats stats = lf_scene_describe(lf_script_scene(scene->script));
    lf_script_stats script = lf_script_describe(scene->script);
    json document = json_start(&scene->run->out, false);
    if (scene->run->json) {
        json_put_object(&document, NULL);
        json_put_object(&document, "statistics");
    }
    tell_figure(scene, &document, "steps", scene->done);
    tell_time(scene, &document, stats.time);
    tell_figure(scene, &document, "instances", stats.instance_count);
    tell_figure(scene, &document, "parts", stats.part_count);
    tell_figure(scene, &document, "watches", stats.watch_count);
    tell_figure(scene, &document, "events", scene->events);
    tell_figure(scene, &document, "reactions", script.reactions);
    if (scene->frames) {
        tell_figure(scene, &document, "frames", scene->work.frames);
        tell_figure(scene, &document, "drawn", scene->work.drawn);
        tell_figure(scene, &document, "culled", scene->work.culled);
    }
    if (scene->run->json) {
        json_close(&document);
        json_close(&document);
        json_end(&document);
    }
}

// ---------------------------------------------------------------------------------------------------
// The run
// ---------------------------------------------------------------------------------------------------

/// Only a script that could be read gets a folder for its pictures.
static bool make_folder(const char *path) {
    struct stat about;
    int fault = mkdir(path, 0777) == 0 ? 0 : errno;
    if (fault == EEXIST && stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        fault = strlen(path) > FOLDER_ROOM ? ENAMETOOLONG : 0;
    if (fault)
        message_error("--frames %s: %s", path, strerror(fault));
    return fault == 0;
}

static bool draw_frame(scene_run *scene) {
    const lf_ground *grounds[GROUNDS];
    char path[FOLDER_ROOM + 64];
    lf_error error = {0};
    frame_view view = {lf_script_scene(scene->script), grounds, 0, lf_eye_default()};
    int64_t count = lf_script_grounds(scene->script, grounds, GROUNDS);
    view.ground_count = count < GROUNDS ? count : GROUNDS;
    if (!lf_script_eye(scene->script, &view.eye))
        view.eye = frame_whole_scene(view.scene);
    snprintf(path, sizeof path, "%s/frame-%05lld.png", scene->frames, (long long)scene->done);
    lf_status status = scene->fine ? frame_render(&view, &scene->run->host, path, &scene->work, &error)
                                   : frame_write(&view, path, &scene->work, &error);
    if (status != LF_OK)
        message_status(status, &error);
    return status == LF_OK;
}

static bool make_step(scene_run *scene) {
    lf_error error = {0};
    const lf_event *events;
    int64_t count;
    lf_status status = lf_script_step(scene->script, scene->dt, &error);
    if (status != LF_OK) {
        message_status(status, &error);
        return false;
    }
    scene->done++;
    if (lf_scene_events(lf_script_scene(scene->script), &events, &count) == LF_OK)
        for (int64_t i = 0; i < count; i++)
            tell(scene, &events[i]);
    return !scene->frames || scene->done % scene->every != 0 || draw_frame(scene);
}

static int run_scene(scene_run *scene) {
    if (scene->frames && !(make_folder(scene->frames) && draw_frame(scene)))
        return CLI_ERROR;
    while (scene->done < scene->steps && !lf_script_describe(scene->script).stopped) {
        if (!progress_report(&scene->run->bar, "scene", scene->done, scene->steps))
            return CLI_ERROR;
        if (!make_step(scene))
            return CLI_ERROR;
    }
    progress_clear();
    tell_statistics(scene);
    return CLI_YES;
}

static bool read_question(scene_run *scene) {
    const options *given = &scene->run->given;
    if (strcmp(given->arguments[0], "run") != 0) {
        message_usage("scene run FILE.lua is wanted, not scene %s", given->arguments[0]);
        return false;
    }
    if (!options_integer(given, "steps", 0, MOST_STEPS, &scene->steps) ||
        !options_number(given, "dt", &scene->dt) ||
        !options_integer(given, "every", 1, MOST_STEPS, &scene->every))
        return false;
    if (!(scene->dt > 0)) {
        message_error("--dt %s: more than 0 seconds are wanted", options_value(given, "dt"));
        return false;
    }
    scene->frames = options_value(given, "frames");
    scene->fine = options_has(given, "fine");
    return true;
}

/// --set NAME=VALUE, each once.
static bool read_settings(scene_run *scene) {
    const options *given = &scene->run->given;
    int count = options_count(given, "set");
    if (count > SETTINGS) {
        message_usage("--set is given %d times; %d are the most", count, SETTINGS);
        return false;
    }
    for (int i = 0; i < count; i++) {
        const char *text = options_nth(given, "set", i);
        size_t length = strcspn(text, "=");
        if (text[length] != '=' || length == 0 || length >= sizeof scene->names[i]) {
            message_usage("--set %s: NAME=VALUE is wanted", text);
            return false;
        }
        memcpy(scene->names[i], text, length);
        scene->names[i][length] = '\0';
        scene->settings[i] = (lf_script_setting){scene->names[i], text + length + 1};
    }
    scene->setting_count = count;
    return true;
}

/// What the script wants to have read for it.
static lf_status load(void *user, const char *name, const lf_host *host, lf_model **model, lf_error *error) {
    const scene_run *scene = user;
    return scene_model_read(scene->run->given.arguments[1], name, host, model, error);
}

/// The last part of a path: what messages call the script.
static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int command_scene(cli *run) {
    scene_run scene = {.run = run, .steps = 100, .every = 1, .dt = 0.05};
    lf_script_def def = lf_script_def_default();
    lf_map map = {NULL, 0};
    lf_error error = {0};
    if (!read_question(&scene) || !read_settings(&scene) || !answer_digits(run))
        return CLI_ERROR;
    if (!options_has(&run->given, "digits"))
        run->out.digits = DIGITS;
    lf_status status = lf_map_open(run->given.arguments[1], &map, &error);
    if (status != LF_OK)
        return message_status(status, &error);
    def.name = file_name(run->given.arguments[1]);
    def.text = map.data ? map.data : "";
    def.length = map.size;
    def.say = say;
    def.user = &scene;
    def.load = load;
    def.settings = scene.settings;
    def.setting_count = scene.setting_count;
    status = lf_script_create(&def, &scene.script, &error);
    lf_map_close(&map);
    int exit_status = status == LF_OK ? run_scene(&scene) : message_status(status, &error);
    progress_clear();
    lf_script_destroy(scene.script);
    return exit_status;
}
