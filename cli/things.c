/// The world of a script, and models that stand on the ground of a picture.
#include "things.h"
#include "ground.h"
#include "option_tables.h"
#include <landfall/published.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define DEGREE 0.017453292519943295
#define COLOURS 4

// ---- Models that scripts ask for ----------------------------------------------------------------

/// An error with a text that names the file as the script does.
static lf_status refuse(lf_error *error, lf_status status, const char *name, const char *why) {
    *error = (lf_error){status, -1, ""};
    snprintf(error->text, sizeof error->text, "%s: %s", name, why);
    return status;
}

/// The path of a file beside a script. `start` is where the name begins.
static char *path_beside(const char *script, const char *name, size_t *start) {
    size_t all = strlen(name) + 1;
    *start = (size_t)(path_name(script) - script);
    char *path = allocate(*start + all, 1);
    memcpy(path, script, *start);
    memcpy(path + *start, name, all);
    return path;
}

/// Check each step of the name: a link could lead anywhere.
static lf_status check_steps(char *path, size_t start, const char *name, lf_error *error) {
    struct stat about = {0};
    for (char *end = path + start; *end;) {
        end += strcspn(end, "/");
        char kept = *end;
        *end = '\0';
        int failed = lstat(path, &about);
        *end = kept;
        if (failed)
            return refuse(error, LF_IO_FAILED, name, "there is no such file");
        if (S_ISLNK(about.st_mode))
            return refuse(error, LF_BAD_ARGUMENT, name, "scripts do not follow links");
        end += kept != '\0';
    }
    return S_ISREG(about.st_mode) ? LF_OK : refuse(error, LF_IO_FAILED, name, "expected a plain file");
}

/// Read a model for a script: a file in the folder of the script or below it.
static lf_status read_model(const cli *run, const char *script, const char *name, const lf_host *host,
                            lf_model **model, lf_error *error) {
    const lf_field_def field = lf_model_def_default().field;
    const char *option;
    size_t start;
    // Formats that are one file: others may name further files anywhere.
    if (!path_ends(name, ".ply") && !path_ends(name, ".obj") && !path_ends(name, ".lf"))
        return refuse(error, LF_BAD_ARGUMENT, name, "expected a .ply, .obj or .lf file");
    char *path = path_beside(script, name, &start);
    lf_status status = check_steps(path, start, name, error);
    if (status == LF_OK && run_files_writes(run, path, &option))
        status = refuse(error, LF_BAD_ARGUMENT, name, "this run would replace it (-o)");
    if (status == LF_OK)
        status = model_read(path, host, &field, model, error);
    return status;
}

// ---- Worlds -------------------------------------------------------------------------------------

/// A model that the script asks for.
static lf_status load(void *user, const char *name, const lf_host *host, lf_model **model, lf_error *error) {
    const world *world = user;
    return read_model(world->run, world->path, name, host, model, error);
}

static void say(void *user, const char *text) {
    const world *world = user;
    if (world->say)
        world->say(world->say_user, text);
}

bool world_open(cli *run, const char *path, const lf_ground *land, world *world) {
    lf_script_def def = lf_script_def_default();
    lf_map map = {NULL, 0};
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
    lf_status status = lf_map_open(path, &map, &error);
    if (status == LF_OK) {
        def.name = path_name(path);
        def.text = map.data ? map.data : "";
        def.length = map.size;
        def.say = say;
        def.user = world;
        def.load = load;
        def.settings = world->settings;
        def.setting_count = settings;
        def.land = land;
        for (int kind = 0; kind < WORLD_METHODS; kind++)
            world->methods[kind] = lf_gottstein_contact((lf_gottstein_contact_kind)kind);
        def.methods = world->methods;
        status = lf_script_create(&def, &world->script, &error);
        lf_map_close(&map);
    }
    return succeeded(status, &error);
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

static const lf_paint colours[COLOURS] = {
    {0.78F, 0.33F, 0.25F, 1}, {0.90F, 0.72F, 0.30F, 1}, {0.35F, 0.47F, 0.66F, 1}, {0.86F, 0.85F, 0.81F, 1}};

/// The position of one model, in the ground's own units.
typedef struct spot {
    lf_vec3 at;
    bool stands;  ///< at.z is the ground's
    double turn;  ///< radians about up
    double scale; ///< above 0
    bool y_up;    ///< the model's y points up, not its z
} spot;

// ---- Positions ----------------------------------------------------------------------------------

static lf_vec3 to_picture(const things *things, lf_vec3 point) {
    lf_vec3 way = lf_vec3_sub(point, things->origin);
    return (lf_vec3){way.x * things->metres.x, way.y * things->metres.y, way.z * things->metres.z};
}

/// The number of the option that belongs to a model, or the fallback.
static double number_of(const options *given, const char *name, int index, double fallback) {
    double n[ROW_NUMBERS];
    return options_numbers(given, name, index, n) > 0 ? n[0] : fallback;
}

static spot read_spot(const options *given, int index) {
    const char *up = options_nth(given, "up", index);
    double n[ROW_NUMBERS] = {0};
    int count = options_numbers(given, "at", index, n);
    return (spot){.at = {n[0], n[1], count == 3 ? n[2] : 0},
                  .stands = count == 2,
                  .turn = (90 - number_of(given, "heading", index, 90)) * DEGREE,
                  .scale = number_of(given, "scale", index, 1),
                  .y_up = up && strcmp(up, "y") == 0};
}

/// The lowest ground under the corners and the middle of a model's box; false where there is none.
static bool ground_under(const lf_ground *ground, const things *things, const spot *spot, lf_box box,
                         double *z) {
    double c = cos(spot->turn) * spot->scale, s = sin(spot->turn) * spot->scale;
    *z = LF_INFINITY;
    for (int k = 0; k < 5; k++) {
        double x = k == 4 ? 0.5 * (box.low.x + box.high.x) : k & 1 ? box.high.x : box.low.x;
        double y = k == 4 ? 0.5 * (box.low.y + box.high.y) : k & 2 ? box.high.y : box.low.y;
        lf_vec3 at = {spot->at.x + (c * x - s * y) / things->metres.x,
                      spot->at.y + (s * x + c * y) / things->metres.y, LF_INFINITY};
        lf_hit hit;
        if (lf_ground_height(ground, at, LF_VERTICAL_DOWN, &hit, NULL) == LF_OK && hit.kind != LF_HIT_NONE)
            *z = fmin(*z, hit.point.z);
    }
    return isfinite(*z);
}

/// East, north and up as the axes of what stands there, turned.
static lf_pose pose_at(const lf_ground *ground, const things *things, const spot *spot, lf_vec3 at) {
    lf_frame frame = lf_ground_frame(ground);
    lf_vec3 up = lf_vec3_scale(lf_frame_down(&frame, at), -1), north = lf_frame_north(&frame, at);
    lf_vec3 east = lf_vec3_cross(north, up);
    double c = cos(spot->turn), s = sin(spot->turn);
    lf_vec3 x = lf_vec3_add(lf_vec3_scale(east, c), lf_vec3_scale(north, s));
    lf_vec3 y = lf_vec3_sub(lf_vec3_scale(north, c), lf_vec3_scale(east, s));
    lf_pose pose = {{{x.x, y.x, up.x}, {x.y, y.y, up.y}, {x.z, y.z, up.z}}, to_picture(things, at)};
    return pose;
}

// ---- Models -------------------------------------------------------------------------------------

static bool put(things *things, const lf_model *model, const spot *spot, const lf_pose *pose, int index) {
    lf_object_def object_def = lf_object_def_default();
    lf_part_def part_def = lf_part_def_default();
    lf_instance_def def = lf_instance_def_default();
    lf_transform upright = lf_turning(LF_TRANSFORM_ABOUT_WHOLE, 1, 0, 0, 90 * DEGREE);
    lf_instance instance;
    lf_part top;
    lf_error error = {0};
    part_def.shape.kind = LF_SHAPE_MODEL;
    part_def.shape.model = model;
    part_def.transforms = &upright;
    part_def.transform_count = spot->y_up ? 1 : 0;
    def.pose = *pose;
    def.scale = (lf_vec3){spot->scale, spot->scale, spot->scale};
    def.colour = colours[index % COLOURS];
    lf_status status = lf_object_create(things->scene, &object_def, &def.object, &top, &error);
    if (status == LF_OK)
        status = lf_part_add(things->scene, top, &part_def, NULL, &error);
    if (status == LF_OK)
        status = lf_instance_create(things->scene, &def, &instance, &error);
    return succeeded(status, &error);
}

/// On a globe --at is LON,LAT[,HEIGHT]; the ground is the finest there is.
static bool put_on_globe(const loaded *ground, spot *spot, lf_box box, const char *text) {
    lf_globe_info info = lf_globe_describe(ground->globe);
    lf_geodetic place = {spot->at.x, spot->at.y, spot->at.z};
    lf_globe_elevation found;
    if (fabs(place.lat_deg) > 90)
        return failed("--at %s: the latitude is beyond 90 degrees", text);
    if (spot->stands) {
        if (lf_globe_height_finest(ground->globe, place.lon_deg, place.lat_deg, &found) != LF_OK ||
            found.reason != LF_REASON_ANSWERED)
            return failed("--at %s: no ground to stand on", text);
        place.height = found.height - spot->scale * box.low.z;
    }
    spot->at = lf_ellipsoid_to_centred(&info.ellipsoid, place);
    return true;
}

static bool put_on_plane(const loaded *ground, const things *things, spot *spot, lf_box box,
                         const char *text) {
    double z;
    if (!spot->stands)
        return true;
    if (lf_ground_frame(ground->ground).kind != LF_FRAME_GRAVITY)
        return failed("--at %s: expected X,Y,Z where down is not -z", text);
    if (!ground_under(ground->ground, things, spot, box, &z))
        return failed("--at %s: no ground to stand on", text);
    spot->at.z = z - spot->scale * box.low.z / things->metres.z;
    return true;
}

static bool load_model(cli *run, const loaded *ground, things *things, int index) {
    lf_field_def none = lf_model_def_default().field;
    const char *path = options_nth(&run->given, "model", index);
    lf_model *model = NULL;
    spot spot = read_spot(&run->given, index);
    const char *at = options_nth(&run->given, "at", index);
    if (!model_load(run, path, &none, &model))
        return false;
    things->models[things->model_count++] = model;
    lf_box box = lf_model_describe(model).box;
    if (spot.y_up)
        box = (lf_box){{box.low.x, -box.high.z, box.low.y}, {box.high.x, -box.low.z, box.high.y}};
    if (ground->globe && at ? !put_on_globe(ground, &spot, box, at)
                            : !put_on_plane(ground, things, &spot, box, at))
        return false;
    lf_pose pose = pose_at(ground->ground, things, &spot, spot.at);
    return put(things, model, &spot, &pose, index);
}

static bool check_counts(const options *given, int models) {
    static const char *const names[] = {"at", "heading", "scale", "up"};
    if (models > THINGS_MOST)
        return refused("--model: given %d times: expected at most %d", models, THINGS_MOST);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (options_count(given, names[i]) > models)
            return refused("--%s: given more often than --model", names[i]);
    return true;
}

static bool load_models(cli *run, const loaded *ground, things *things, int count) {
    lf_scene_def def = lf_scene_def_default();
    lf_error error = {0};
    lf_vec3 metres = things->metres;
    if (metres.x != 1 || metres.y != 1) { // in degrees: near their middle, for accuracy
        lf_box box = lf_ground_box(ground->ground);
        things->origin = (lf_vec3){0.5 * (box.low.x + box.high.x), 0.5 * (box.low.y + box.high.y), 0};
    }
    def.host = run->host;
    lf_status status = lf_scene_create(&def, &things->scene, &error);
    if (!succeeded(status, &error))
        return false;
    for (int i = 0; i < count; i++)
        if (!load_model(run, ground, things, i))
            return false;
    return succeeded(lf_scene_update(things->scene), NULL);
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
    int models = options_count(&run->given, "model");
    memset(things, 0, sizeof *things);
    things->metres = metres;
    if (!check_counts(&run->given, models))
        return false;
    return (!scene || load_world(run, ground, things, scene)) &&
           (models == 0 || load_models(run, ground, things, models));
}

void things_free(things *things) {
    world_close(&things->world);
    lf_scene_destroy(things->scene);
    while (things->model_count > 0)
        lf_model_destroy(things->models[--things->model_count]);
}

// ---- Rays ---------------------------------------------------------------------------------------

bool things_there(const things *things) {
    return things->scene || things->world.script;
}

static bool models_met(const things *things, const lf_ray *ray, lf_render_object *thing) {
    lf_vec3 m = things->metres, d = ray->direction;
    lf_ray local = {
        to_picture(things, ray->origin), {d.x * m.x, d.y * m.y, d.z * m.z}, ray->t_min, ray->t_max};
    if (!things->scene || !lf_render_scene(things->scene, &local, thing))
        return false;
    lf_vec3 n = thing->normal; // normals scale the other way round
    thing->normal = lf_vec3_unit((lf_vec3){n.x * m.x, n.y * m.y, n.z * m.z});
    return true;
}

bool things_met(void *user, const lf_ray *ray, lf_render_object *thing) {
    const things *things = user;
    lf_render_object other;
    lf_ray rest = *ray;
    bool met = models_met(things, ray, thing);
    if (met)
        rest.t_max = thing->t;
    if (!things->world.script || !lf_render_scene(lf_script_scene(things->world.script), &rest, &other))
        return met;
    *thing = other;
    return true;
}
