#include "things.h"
#include "model.h"
#include "points.h"
#include <math.h>
#include <string.h>

#define DEGREE 0.017453292519943295
#define COLOURS 4
#define MOST_STEPS 100000000

static const lf_paint colours[COLOURS] = {
    {0.78F, 0.33F, 0.25F, 1}, {0.90F, 0.72F, 0.30F, 1}, {0.35F, 0.47F, 0.66F, 1}, {0.86F, 0.85F, 0.81F, 1}};

/// Where one model is put, in the ground's own units.
typedef struct spot {
    lf_vec3 at;
    bool stands;  ///< at.z is the ground's
    double turn;  ///< radians about up
    double scale; ///< above 0
    bool y_up;    ///< the model's y points up, not its z
} spot;

// ---------------------------------------------------------------------------------------------------
// Where
// ---------------------------------------------------------------------------------------------------

static lf_vec3 to_picture(const things *things, lf_vec3 point) {
    lf_vec3 way = lf_vec3_sub(point, things->origin);
    return (lf_vec3){way.x * things->metres.x, way.y * things->metres.y, way.z * things->metres.z};
}

/// The number of the option that belongs to a model, or what it is when that is not given.
static bool read_number(const options *given, const char *name, int index, double *value) {
    const char *text = options_nth(given, name, index);
    row read;
    if (!text)
        return true;
    if (!row_from_option(name, text, (row_shape){1, 1, "a number"}, &read))
        return false;
    *value = read.numbers[0];
    return true;
}

static bool read_spot(const options *given, int index, spot *spot) {
    const char *at = options_nth(given, "at", index);
    double heading = 90;
    row read;
    spot->scale = 1;
    if (at) {
        if (!row_from_option("at", at, (row_shape){2, 3, "X,Y[,Z]"}, &read))
            return false;
        spot->stands = read.count == 2;
        spot->at = (lf_vec3){read.numbers[0], read.numbers[1], spot->stands ? 0 : read.numbers[2]};
    }
    if (!read_number(given, "heading", index, &heading) || !read_number(given, "scale", index, &spot->scale))
        return false;
    spot->turn = (90 - heading) * DEGREE;
    if (!(spot->scale > 0)) {
        message_error("--scale %s: a number above 0 is wanted", options_nth(given, "scale", index));
        return false;
    }
    const char *up = options_nth(given, "up", index);
    spot->y_up = up && strcmp(up, "y") == 0;
    if (!up || spot->y_up || strcmp(up, "z") == 0)
        return true;
    message_error("--up %s: y or z is wanted", up);
    return false;
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

// ---------------------------------------------------------------------------------------------------
// Models
// ---------------------------------------------------------------------------------------------------

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
    if (status != LF_OK)
        message_status(status, &error);
    return status == LF_OK;
}

/// On a globe --at is LON,LAT[,HEIGHT]; the ground is the finest there is.
static bool put_on_globe(const loaded *ground, spot *spot, lf_box box, const char *text) {
    lf_globe_info info = lf_globe_describe(ground->globe);
    lf_geodetic place = {spot->at.x, spot->at.y, spot->at.z};
    lf_globe_elevation found;
    if (fabs(place.lat_deg) > 90) {
        message_error("--at %s: the latitude is beyond 90 degrees", text);
        return false;
    }
    if (spot->stands) {
        if (lf_globe_height_finest(ground->globe, place.lon_deg, place.lat_deg, &found) != LF_OK ||
            found.reason != LF_REASON_ANSWERED) {
            message_error("--at %s: there is no ground to stand on", text);
            return false;
        }
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
    if (lf_ground_frame(ground->ground).kind != LF_FRAME_GRAVITY) {
        message_error("--at %s: where down is not -z, X,Y,Z are wanted", text);
        return false;
    }
    if (!ground_under(ground->ground, things, spot, box, &z)) {
        message_error("--at %s: there is no ground to stand on", text);
        return false;
    }
    spot->at.z = z - spot->scale * box.low.z / things->metres.z;
    return true;
}

static bool load_model(cli *run, const loaded *ground, things *things, int index) {
    lf_field_def none = lf_model_def_default().field;
    const char *path = options_nth(&run->given, "model", index);
    lf_model *model;
    spot spot = {.stands = false};
    const char *at = options_nth(&run->given, "at", index);
    if (!read_spot(&run->given, index, &spot) || !model_load(run, path, &none, &model))
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
    if (models > THINGS_MOST) {
        message_usage("%d times --model: at most %d are drawn", models, THINGS_MOST);
        return false;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (options_count(given, names[i]) > models) {
            message_usage("--%s is given more often than --model", names[i]);
            return false;
        }
    return true;
}

static bool load_models(cli *run, const loaded *ground, things *things, int count) {
    lf_scene_def def = lf_scene_def_default();
    lf_error error = {0};
    lf_vec3 metres = things->metres;
    if (metres.x != 1 || metres.y != 1) { // in degrees: near their middle, for the sake of digits
        lf_box box = lf_ground_box(ground->ground);
        things->origin = (lf_vec3){0.5 * (box.low.x + box.high.x), 0.5 * (box.low.y + box.high.y), 0};
    }
    def.host = run->host;
    lf_status status = lf_scene_create(&def, &things->scene, &error);
    if (status != LF_OK) {
        message_status(status, &error);
        return false;
    }
    for (int i = 0; i < count; i++)
        if (!load_model(run, ground, things, i))
            return false;
    status = lf_scene_update(things->scene);
    if (status != LF_OK)
        message_status(status, NULL);
    return status == LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// The world of a script
// ---------------------------------------------------------------------------------------------------

static bool load_world(cli *run, const loaded *ground, things *things, const char *path) {
    int64_t steps = 0;
    double dt = 0.05;
    lf_error error = {0};
    lf_status status = LF_OK;
    if (!options_integer(&run->given, "steps", 0, MOST_STEPS, &steps) ||
        !options_number(&run->given, "dt", &dt))
        return false;
    if (ground_in_degrees(ground)) {
        message_error("--scene %s: x and y of the ground are degrees, but a scene is in metres", path);
        return false;
    }
    if (!world_open(run, path, ground->ground, &things->world))
        return false;
    for (int64_t i = 0; i < steps && status == LF_OK; i++) {
        if (!progress_report(&run->bar, "scene", i, steps))
            return false;
        status = lf_script_step(things->world.script, dt, &error);
    }
    progress_clear();
    if (status == LF_OK)
        status = lf_scene_update(lf_script_scene(things->world.script));
    if (status != LF_OK)
        message_status(status, &error);
    return status == LF_OK;
}

bool things_load(cli *run, const loaded *ground, lf_vec3 metres, things *things) {
    const char *scene = options_value(&run->given, "scene");
    int models = options_count(&run->given, "model");
    memset(things, 0, sizeof *things);
    things->metres = metres;
    if (!check_counts(&run->given, models))
        return false;
    if (!scene && (options_has(&run->given, "steps") || options_has(&run->given, "dt") ||
                   options_has(&run->given, "set"))) {
        message_usage("--steps, --dt and --set belong to --scene");
        return false;
    }
    return (!scene || load_world(run, ground, things, scene)) &&
           (models == 0 || load_models(run, ground, things, models));
}

void things_free(things *things) {
    world_close(&things->world);
    lf_scene_destroy(things->scene);
    while (things->model_count > 0)
        lf_model_destroy(things->models[--things->model_count]);
}

// ---------------------------------------------------------------------------------------------------
// Rays
// ---------------------------------------------------------------------------------------------------

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
