#include "answers.h"
#include "frame.h"
#include "ground.h"
#include "json.h"
#include "run_files.h"
#include "world.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define GROUNDS 16 ///< that are drawn
#define MOST_STEPS 100000000
#define LONGEST_STEP 1e6 ///< in seconds
#define FOLDER_ROOM 4000

/// What one run of `landfall scene run` knows.
typedef struct scene_run {
    cli *run;
    loaded ground; ///< that --ground gives the script
    world world;
    int64_t steps, every, done, events;
    double dt;
    const char *frames; ///< folder, or NULL
    bool fine;          ///< frames by rays
    frame_work work;
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
    json_put_text(&document, "event", lf_event_name(event->kind));
    json_put_text(&document, "a", a);
    json_put_text(&document, "b", b);
    json_put_number(&document, "wait", event->wait);
    if (event->coarse)
        json_put_truth(&document, "coarse", true);
    json_close(&document);
    json_end(&document);
}

static void tell(scene_run *scene, const lf_event *event) {
    lf_scene *world = lf_script_scene(scene->world.script);
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
    output_text(out, lf_event_name(event->kind));
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
    lf_scene_stats stats = lf_scene_describe(lf_script_scene(scene->world.script));
    lf_script_stats script = lf_script_describe(scene->world.script);
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
    if (fault == EEXIST && stat(path, &about) == 0)
        fault = S_ISDIR(about.st_mode) ? 0 : ENOTDIR;
    if (fault == 0 && strlen(path) > FOLDER_ROOM)
        fault = ENAMETOOLONG;
    if (fault)
        message_error("--frames %s: %s", path, strerror(fault));
    return fault == 0;
}

static bool draw_frame(scene_run *scene) {
    const lf_ground *grounds[GROUNDS];
    char path[FOLDER_ROOM + 64];
    const char *input;
    lf_error error = {0};
    frame_view view = {lf_script_scene(scene->world.script), grounds, 0, lf_eye_default()};
    int64_t count = lf_script_grounds(scene->world.script, grounds, GROUNDS);
    view.ground_count = count < GROUNDS ? count : GROUNDS;
    if (!lf_script_eye(scene->world.script, &view.eye))
        view.eye = frame_whole_scene(view.scene);
    snprintf(path, sizeof path, "%s/frame-%05lld.png", scene->frames, (long long)scene->done);
    if (run_files_reads(scene->run, path, &input)) {
        message_error(
            "--frames %s: %s would replace a file that this run reads (%s): expected another folder",
            scene->frames, path, input);
        return false;
    }
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
    lf_status status = lf_script_step(scene->world.script, scene->dt, &error);
    if (status != LF_OK) {
        message_status(status, &error);
        return false;
    }
    scene->done++;
    if (lf_scene_events(lf_script_scene(scene->world.script), &events, &count) == LF_OK)
        for (int64_t i = 0; i < count; i++)
            tell(scene, &events[i]);
    return !scene->frames || scene->done % scene->every != 0 || draw_frame(scene);
}

static int run_scene(scene_run *scene) {
    if (scene->frames && !(make_folder(scene->frames) && draw_frame(scene)))
        return CLI_ERROR;
    while (scene->done < scene->steps && !lf_script_describe(scene->world.script).stopped) {
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
    double limit = 0;
    if (!world_time_limit(given, &limit) || !options_integer(given, "steps", 0, MOST_STEPS, &scene->steps) ||
        !options_number(given, "dt", &scene->dt) ||
        !options_integer(given, "every", 1, MOST_STEPS, &scene->every))
        return false;
    if (!(scene->dt > 0 && scene->dt <= LONGEST_STEP)) {
        message_error("--dt %s: more than 0 and at most 1000000 seconds are wanted",
                      options_value(given, "dt"));
        return false;
    }
    scene->frames = options_value(given, "frames");
    scene->fine = options_has(given, "fine");
    return true;
}

static bool load_ground(scene_run *scene, const char *path) {
    if (!ground_load_file(scene->run, path, &scene->ground))
        return false;
    if (!ground_in_degrees(&scene->ground))
        return true;
    message_error(
        "--ground %s: x and y are degrees, but a scene is in metres: warp it to a projected CRS first", path);
    return false;
}

int command_scene(cli *run) {
    scene_run scene = {.run = run, .steps = 100, .every = 1, .dt = 0.05};
    const char *ground = options_value(&run->given, "ground");
    int status = CLI_ERROR;
    scene.world.say = say;
    scene.world.say_user = &scene;
    if (!read_question(&scene) || !answer_digits(run))
        return CLI_ERROR;
    if ((!ground || load_ground(&scene, ground)) &&
        world_open(run, run->given.arguments[1], scene.ground.ground, &scene.world))
        status = run_scene(&scene);
    progress_clear();
    world_close(&scene.world);
    ground_free(&scene.ground);
    return status;
}
