/// `landfall scene run`: events of a world that a script defines, statistics, and pictures by rays.
#include "commands.h"
#include "ground.h"
#include "plots.h"
#include "things.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define GROUNDS 16 ///< that are drawn
#define FOLDER_SIZE 4000

enum { PREDICTED = 1, COARSE = 2, FRAMES = 4 };

/// The statistics at the end.
typedef struct scene_statistics {
    unsigned has;
    int64_t steps;
    double time;
    int64_t instances, parts, watches, events, reactions, frames, drawn, culled;
} scene_statistics;

#define FIGURE(member, when) \
    { #member, FIELD_INTEGER, offsetof(scene_statistics, member), NULL, 0, when }

static const field statistics_fields[] = {FIGURE(steps, 0),
                                          {"time", FIELD_NUMBER, offsetof(scene_statistics, time), "s"},
                                          FIGURE(instances, 0),
                                          FIGURE(parts, 0),
                                          FIGURE(watches, 0),
                                          FIGURE(events, 0),
                                          FIGURE(reactions, 0),
                                          FIGURE(frames, FRAMES),
                                          FIGURE(drawn, FRAMES),
                                          FIGURE(culled, FRAMES),
                                          {NULL}};

const field scene_fields[] = {{"statistics", FIELD_GROUP, .fields = statistics_fields}, {NULL}};

/// State of one run of `landfall scene run`.
typedef struct scene_run {
    cli *run;
    loaded ground;   ///< that --ground gives the script
    lf_group *local; ///< a globe in the coordinates of --origin; or NULL
    world world;
    int64_t steps, every;
    double dt;
    const char *frames; ///< folder, or NULL
    scene_statistics statistics;
} scene_run;

// ---- Events -------------------------------------------------------------------------------------

typedef struct scene_event {
    unsigned has;
    double time;
    const char *event, *a, *b;
    double wait;
    bool coarse;
} scene_event;

#define EVENT(name, type, member, unit, forms, when) \
    { name, type, offsetof(scene_event, member), unit, forms, when }

const field event_fields[] = {EVENT("time", FIELD_NUMBER, time, "s", 0, 0),
                              EVENT("event", FIELD_TEXT, event, NULL, 0, 0),
                              EVENT("a", FIELD_TEXT, a, NULL, 0, 0),
                              EVENT("b", FIELD_TEXT, b, NULL, 0, 0),
                              EVENT("in", FIELD_NUMBER, wait, "s", IN_TEXT | LABELLED, PREDICTED),
                              EVENT("wait", FIELD_NUMBER, wait, "s", IN_JSON, 0),
                              EVENT("coarse", FIELD_TRUTH, coarse, NULL, IN_JSON, COARSE),
                              {NULL}};

static const field say_fields[] = {{"say", FIELD_TEXT, 0}, {NULL}};

/// What the script prints: a line between the events.
static void say(void *user, const char *text) {
    scene_run *scene = user;
    answer_write(scene->run, say_fields, &text);
}

/// "car#3", "car#3/wheel", "ground" or "nothing". What has been removed has only a number.
static void name_thing(lf_scene *scene, const lf_thing *thing, const lf_event *event, char *name,
                       size_t size) {
    lf_instance_info info;
    lf_part_info part;
    if (lf_instance_is_none(thing->instance)) {
        snprintf(name, size, "%s", event->ground.kind != LF_HIT_NONE ? "ground" : "nothing");
        return;
    }
    bool known = lf_instance_describe(scene, thing->instance, &info) == LF_OK && info.name[0];
    bool labelled =
        !lf_part_is_none(thing->part) && lf_part_describe(scene, thing->part, &part) == LF_OK && part.label;
    snprintf(name, size, "%s#%u%s%s", known ? info.name : "thing", (unsigned)thing->instance.index,
             labelled ? "/" : "", labelled ? part.label : "");
}

static void write_event(scene_run *scene, const lf_event *event) {
    lf_scene *world = lf_script_scene(scene->world.script);
    char a[160], b[160];
    scene_event answer = {(event->kind == LF_EVENT_PREDICTED ? PREDICTED : 0) | (event->coarse ? COARSE : 0),
                          event->time,
                          lf_event_name(event->kind),
                          a,
                          b,
                          event->wait,
                          event->coarse};
    name_thing(world, &event->a, event, a, sizeof a);
    name_thing(world, &event->b, event, b, sizeof b);
    scene->statistics.events++;
    answer_write(scene->run, event_fields, &answer);
}

static void write_statistics(scene_run *scene) {
    lf_scene_stats stats = lf_scene_describe(lf_script_scene(scene->world.script));
    scene_statistics *all = &scene->statistics;
    all->has = scene->frames ? FRAMES : 0;
    all->time = stats.time;
    all->instances = stats.instance_count;
    all->parts = stats.part_count;
    all->watches = stats.watch_count;
    all->reactions = lf_script_describe(scene->world.script).reactions;
    if (scene->run->json)
        answer_json(&scene->run->out, scene_fields, all, false);
    else
        answer_facts(&scene->run->out, statistics_fields, all, 0);
}

// ---- Pictures -----------------------------------------------------------------------------------

static bool draw_frame(scene_run *scene) {
    char path[FOLDER_SIZE + 64];
    const char *input;
    const lf_ground *grounds[GROUNDS];
    lf_script *script = scene->world.script;
    lf_script_stats stats = lf_script_describe(script);
    lf_error error = {0};
    snprintf(path, sizeof path, "%s/frame-%05lld.png", scene->frames, (long long)scene->statistics.steps);
    if (run_files_reads(scene->run, path, &input))
        return failed(
            "--frames %s: %s would replace a file that this run reads (%s): expected another folder",
            scene->frames, path, input);
    int64_t count = lf_script_grounds(script, grounds, GROUNDS);
    lf_figure_scene_def def = {.scene = lf_script_scene(script),
                               .grounds = grounds,
                               .ground_count = count < GROUNDS ? count : GROUNDS,
                               .eye = stats.view_set ? &stats.view : NULL,
                               .fine = options_has(&scene->run->given, "fine")};
    lf_figure_page page = figure_page(scene->run, path, def.fine ? 960 : 640);
    page.host.progress = NULL; // a frame is one step of many
    scene->statistics.frames++;
    return succeeded(
        lf_figure_scene(&page, &def, &scene->statistics.drawn, &scene->statistics.culled, &error), &error);
}

// ---- The run ------------------------------------------------------------------------------------

/// Only a script that could be read gets a folder for its pictures.
static bool make_folder(const char *path) {
    struct stat about;
    int fault = mkdir(path, 0777) == 0 ? 0 : errno;
    if (fault == EEXIST && stat(path, &about) == 0)
        fault = S_ISDIR(about.st_mode) ? 0 : ENOTDIR;
    if (fault == 0 && strlen(path) > FOLDER_SIZE)
        fault = ENAMETOOLONG;
    if (fault)
        message_error("--frames %s: %s", path, strerror(fault));
    return fault == 0;
}

static bool make_step(scene_run *scene) {
    lf_error error = {0};
    const lf_event *events;
    int64_t count;
    lf_status status = lf_script_step(scene->world.script, scene->dt, &error);
    if (status != LF_OK)
        return succeeded(status, &error);
    scene->statistics.steps++;
    if (lf_scene_events(lf_script_scene(scene->world.script), &events, &count) == LF_OK)
        for (int64_t i = 0; i < count; i++)
            write_event(scene, &events[i]);
    return !scene->frames || scene->statistics.steps % scene->every != 0 || draw_frame(scene);
}

static int run_scene(scene_run *scene) {
    if (scene->frames && !(make_folder(scene->frames) && draw_frame(scene)))
        return CLI_ERROR;
    while (scene->statistics.steps < scene->steps && !lf_script_describe(scene->world.script).stopped)
        if (!progress_report(&scene->run->bar, "scene", scene->statistics.steps, scene->steps) ||
            !make_step(scene))
            return CLI_ERROR;
    progress_clear();
    write_statistics(scene);
    return CLI_YES;
}

/// The globe that --ground gives, in coordinates about --origin.
static bool scene_on_globe(cli *run, scene_run *scene, lf_ellipsoid *ellipsoid, const lf_ground **land) {
    const char *ground = options_value(&run->given, "ground");
    double n[ROW_NUMBERS] = {0};
    int count = options_has(&run->given, "origin") ? options_numbers(&run->given, "origin", 0, n) : 0;
    *land = scene->ground.ground;
    if (!scene->ground.globe)
        return count == 0 ||
               failed("--origin %s: %s is no globe", options_value(&run->given, "origin"), ground);
    if (count == 0)
        return failed("--ground %s: is a globe: expected --origin LON,LAT[,HEIGHT]", ground);
    lf_geodetic place = {n[0], n[1], n[2]};
    lf_globe_elevation below;
    *ellipsoid = lf_globe_describe(scene->ground.globe).ellipsoid;
    if (!(fabs(place.lat_deg) <= 90))
        return failed("--origin %g,%g: the latitude is not within -90 to 90", n[0], n[1]);
    if (count == 2 && succeeded(lf_globe_height_finest(scene->ground.globe, n[0], n[1], &below), NULL) &&
        below.reason == LF_REASON_ANSWERED)
        place.height = below.height;
    world *world = &scene->world;
    lf_error error = {0};
    if (!succeeded(lf_ellipsoid_pose(ellipsoid, place, 0, 0, 0, &world->place), NULL))
        return false;
    lf_group_part part = {.ground = scene->ground.ground, .pose = lf_pose_identity()};
    lf_group_def def = lf_group_def_default();
    for (int i = 0; i < 3; i++) { // the inverse: rows are columns, the origin goes back to the globe's centre
        const lf_vec3 *r = world->place.rows;
        part.pose.rows[i] = (lf_vec3){i == 0   ? r[0].x
                                      : i == 1 ? r[0].y
                                               : r[0].z,
                                      i == 0   ? r[1].x
                                      : i == 1 ? r[1].y
                                               : r[1].z,
                                      i == 0   ? r[2].x
                                      : i == 1 ? r[2].y
                                               : r[2].z};
    }
    part.pose.translation = lf_pose_to_local(&world->place, (lf_vec3){0, 0, 0});
    def.parts = &part;
    def.part_count = 1;
    world->ellipsoid = ellipsoid;
    if (!succeeded(lf_group_create(&def, &scene->local, &error), &error))
        return false;
    *land = lf_group_ground(scene->local);
    return true;
}

int command_scene(cli *run) {
    const options *given = &run->given;
    const char *ground = options_value(given, "ground");
    scene_run scene = {.run = run,
                       .world = {.say = say, .say_user = &scene},
                       .steps = options_integer(given, "steps", 100),
                       .every = options_integer(given, "every", 1),
                       .dt = options_number(given, "dt", 0.05),
                       .frames = options_value(given, "frames")};
    int status = CLI_ERROR;
    lf_ellipsoid ellipsoid;
    const lf_ground *land = NULL;
    if ((!ground || (ground_load(run, ground, NEEDS_METRES | TAKES_GLOBES, &scene.ground) &&
                     scene_on_globe(run, &scene, &ellipsoid, &land))) &&
        world_open(run, given->arguments[1], land, &scene.world))
        status = run_scene(&scene);
    progress_clear();
    world_close(&scene.world);
    lf_group_destroy(scene.local);
    ground_free(&scene.ground);
    return status;
}
