/// The world of a script, and models that stand on the ground of a picture.
#include "things.h"
#include "ground.h"
#include "option_tables.h"
#include <landfall/published.h>
#include <stdio.h>
#include <string.h>

#define PATH_SIZE 8192

// ---- Worlds -------------------------------------------------------------------------------------

/// A model that the script asks for.
static lf_status load(void *user, const char *name, const lf_host *host, lf_model **model, lf_error *error) {
    const world *world = user;
    const lf_field_def field = lf_model_def_default().field;
    const char *option;
    char path[PATH_SIZE];
    lf_status status = lf_model_file_beside(world->path, name, path, sizeof path, error);
    if (status == LF_OK && run_files_writes(world->run, path, &option)) {
        *error = (lf_error){status = LF_BAD_ARGUMENT, -1, ""};
        snprintf(error->text, sizeof error->text, "%s: this run would replace it (-o)", name);
    }
    return status == LF_OK ? lf_model_file_read(path, host, &field, model, error) : status;
}

static void say(void *user, const char *text) {
    const world *world = user;
    if (world->say)
        world->say(world->say_user, text);
}

/// Run a script as the def says, with its text, its models and the published methods.
static lf_status read_script(world *world, const char *path, lf_script_def *def, lf_error *error) {
    lf_map map = {NULL, 0};
    lf_status status = lf_map_open(path, &map, error);
    if (status != LF_OK)
        return status;
    def->name = path_name(path);
    def->text = map.data ? map.data : "";
    def->length = map.size;
    def->say = say;
    def->user = world;
    def->load = load;
    for (int kind = 0; kind < WORLD_METHODS; kind++)
        world->methods[kind] = lf_gottstein_contact((lf_gottstein_contact_kind)kind);
    def->methods = world->methods;
    status = lf_script_create(def, &world->script, error);
    lf_map_close(&map);
    return status;
}

bool world_open(cli *run, const char *path, const lf_ground *land, world *world) {
    lf_script_def def = lf_script_def_default();
    lf_error error = {0};
    int settings = options_count(&run->given, "set");
    world->settings = allocate((size_t)settings + 1, sizeof *world->settings);
    for (int i = 0; i < settings; i++) {
        const char *text = options_nth(&run->given, "set", i);
        size_t length = strcspn(text, "=");
        char *name = allocate(length + 1, 1);
        memcpy(name, text, length);
        world->settings[i] = (lf_script_setting){name, text + length + 1};
    }
    def.time_limit = options_number(&run->given, "time-limit", def.time_limit);
    world->run = run;
    world->path = path;
    def.settings = world->settings;
    def.setting_count = settings;
    def.land = land;
    def.ellipsoid = world->ellipsoid;
    if (world->ellipsoid)
        def.place = world->place;
    return succeeded(read_script(world, path, &def, &error), &error);
}

static lf_status part_open(void *user, const char *path, const lf_ground *land, const lf_ground **ground,
                           void **scene, lf_error *error) {
    world *made = allocate(1, sizeof *made);
    lf_script_def def = lf_script_def_default();
    def.land = land;
    made->run = user;
    made->path = path; // while it is read: models are beside it
    lf_status status = read_script(made, path, &def, error);
    made->path = NULL;
    if (status != LF_OK)
        return status;
    *scene = made;
    *ground = lf_scene_ground(lf_script_scene(made->script));
    return *ground ? LF_OK : LF_NO_MEMORY;
}

static void part_close(void *user, void *scene) {
    (void)user;
    world_close(scene);
}

void world_scenes_start(cli *run) {
    run->scenes = (lf_world_scenes){part_open, part_close, run};
}

void world_close(world *world) {
    lf_script_destroy(world->script);
    world->script = NULL;
}

bool check_setting(const char *value, lf_error *why) {
    size_t length = strcspn(value, "=");
    snprintf(why->text, sizeof why->text, "expected NAME=VALUE");
    return value[length] == '=' && length > 0;
}

// ---- Models on the ground -----------------------------------------------------------------------

/// The number of the option that belongs to a model, or the fallback.
static double number_of(const options *given, const char *name, int index, double fallback) {
    double n[ROW_NUMBERS];
    return options_numbers(given, name, index, n) > 0 ? n[0] : fallback;
}

static bool load_model(cli *run, things *things, int index) {
    const options *given = &run->given;
    lf_field_def none = lf_model_def_default().field;
    const char *at = options_nth(given, "at", index), *up = options_nth(given, "up", index);
    double n[ROW_NUMBERS] = {0};
    int count = options_numbers(given, "at", index, n);
    lf_model *model = NULL;
    lf_error error = {0};
    if (!model_load(run, options_nth(given, "model", index), &none, &model))
        return false;
    things->loaded[things->model_count++] = model;
    lf_figure_model stands = {.model = model,
                              .at = {n[0], n[1], count == 3 ? n[2] : 0},
                              .stands = count == 2,
                              .heading_deg = number_of(given, "heading", index, 90),
                              .scale = number_of(given, "scale", index, 1),
                              .y_up = up && strcmp(up, "y") == 0};
    if (at && lf_figure_models_stand(things->models, &stands, &error) != LF_OK)
        return failed("--at %s: %s", at, error.text);
    return succeeded(lf_figure_models_add(things->models, &stands, &error), &error);
}

static bool load_models(cli *run, const loaded *ground, lf_vec3 metres, things *things, int count) {
    static const char *const names[] = {"at", "heading", "scale", "up"};
    lf_error error = {0};
    if (count > THINGS_MOST)
        return refused("--model: given %d times: expected at most %d", count, THINGS_MOST);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (options_count(&run->given, names[i]) > count)
            return refused("--%s: given more often than --model", names[i]);
    if (count == 0)
        return true;
    lf_status status =
        lf_figure_models_create(&run->host, ground->ground, ground->globe, metres, &things->models, &error);
    bool fine = succeeded(status, &error);
    for (int i = 0; i < count && fine; i++)
        fine = load_model(run, things, i);
    return fine;
}

// ---- The world of a script ----------------------------------------------------------------------

static bool load_world(cli *run, const loaded *ground, things *things, const char *path) {
    int64_t steps = options_integer(&run->given, "steps", 0);
    double dt = options_number(&run->given, "dt", 0.05);
    lf_error error = {0};
    lf_status status = LF_OK;
    if (ground_in_degrees(ground))
        return failed("--scene %s: x and y of the ground are degrees, but a scene is in metres", path);
    if (!world_open(run, path, ground->ground, &things->world))
        return false;
    for (int64_t i = 0; i < steps && status == LF_OK; i++) {
        if (!progress_report(&run->bar, "scene", i, steps))
            return false;
        status = lf_script_step(things->world.script, dt, &error);
    }
    if (status == LF_OK)
        status = lf_scene_update(lf_script_scene(things->world.script));
    return succeeded(status, &error);
}

bool things_load(cli *run, const loaded *ground, lf_vec3 metres, things *things) {
    const char *scene = options_value(&run->given, "scene");
    memset(things, 0, sizeof *things);
    return load_models(run, ground, metres, things, options_count(&run->given, "model")) &&
           (!scene || load_world(run, ground, things, scene));
}

void things_free(things *things) {
    world_close(&things->world);
    lf_figure_models_destroy(things->models);
    while (things->model_count > 0)
        lf_model_destroy(things->loaded[--things->model_count]);
}

// ---- Rays ---------------------------------------------------------------------------------------

bool things_there(const things *things) {
    return things->models || things->world.script;
}

bool things_met(void *user, const lf_ray *ray, lf_render_object *thing) {
    const things *things = user;
    lf_render_object other;
    lf_ray rest = *ray;
    bool met = things->models && lf_figure_models_ray(things->models, ray, thing);
    if (met)
        rest.t_max = thing->t;
    if (!things->world.script || !lf_render_scene(lf_script_scene(things->world.script), &rest, &other))
        return met;
    *thing = other;
    return true;
}
