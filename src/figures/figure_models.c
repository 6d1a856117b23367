/// Models that stand on the ground of a picture, in a scene in metres of the picture.
#include "base/base.h"
#include "figures.h"
#include <math.h>

#define DEGREE 0.017453292519943295
#define COLOURS 4

struct lf_figure_models {
    lf_allocator allocator;
    lf_scene *scene; ///< in metres about `origin`
    const lf_ground *ground;
    lf_globe *globe;
    lf_vec3 origin; ///< in the ground's own units
    lf_vec3 metres; ///< that one of these units has in the picture
    int count;
};

lf_status lf_figure_models_create(const lf_host *host, const lf_ground *ground, lf_globe *globe,
                                  lf_vec3 metres, lf_figure_models **made, lf_error *error) {
    lf_allocator allocator = lf__allocator_of(host);
    lf_figure_models *models = lf__allocate(&allocator, sizeof *models, _Alignof(lf_figure_models));
    lf_scene_def def = lf_scene_def_default();
    if (!models)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *models = (lf_figure_models){
        .allocator = allocator, .ground = ground, .globe = globe, .origin = {0, 0, 0}, .metres = metres};
    if (metres.x != 1 || metres.y != 1) { // in degrees: near their middle, for accuracy
        lf_box box = lf_ground_box(ground);
        models->origin = (lf_vec3){0.5 * (box.low.x + box.high.x), 0.5 * (box.low.y + box.high.y), 0};
    }
    def.host = *host;
    lf_status status = lf_scene_create(&def, &models->scene, error);
    if (status == LF_OK)
        *made = models;
    else
        lf_figure_models_destroy(models);
    return status;
}

void lf_figure_models_destroy(lf_figure_models *models) {
    if (!models)
        return;
    lf_allocator allocator = models->allocator;
    lf_scene_destroy(models->scene);
    lf__free(&allocator, models, sizeof *models, _Alignof(lf_figure_models));
}

// ---------------------------------------------------------------------------------------------------
// Positions
// ---------------------------------------------------------------------------------------------------

static lf_vec3 to_picture(const lf_figure_models *models, lf_vec3 point) {
    lf_vec3 way = lf_vec3_sub(point, models->origin), m = models->metres;
    return (lf_vec3){way.x * m.x, way.y * m.y, way.z * m.z};
}

/// From east towards north, in radians.
static double turn_of(const lf_figure_model *model) {
    return (90 - model->heading_deg) * DEGREE;
}

/// The lowest ground under the corners and the middle of a model's box; false where there is none.
static bool ground_under(const lf_figure_models *models, const lf_figure_model *model, lf_box box,
                         double *z) {
    double turn = turn_of(model), c = cos(turn) * model->scale, s = sin(turn) * model->scale;
    *z = LF_INFINITY;
    for (int k = 0; k < 5; k++) {
        double x = k == 4 ? 0.5 * (box.low.x + box.high.x) : k & 1 ? box.high.x : box.low.x;
        double y = k == 4 ? 0.5 * (box.low.y + box.high.y) : k & 2 ? box.high.y : box.low.y;
        lf_vec3 at = {model->at.x + (c * x - s * y) / models->metres.x,
                      model->at.y + (s * x + c * y) / models->metres.y, LF_INFINITY};
        lf_hit hit;
        if (lf_ground_height(models->ground, at, LF_VERTICAL_DOWN, &hit, NULL) == LF_OK &&
            hit.kind != LF_HIT_NONE)
            *z = fmin(*z, hit.point.z);
    }
    return isfinite(*z);
}

/// The ground of a globe is the finest there is.
static lf_status stand_on_globe(const lf_figure_models *models, lf_figure_model *model, lf_box box,
                                lf_error *error) {
    lf_ellipsoid ellipsoid = lf_globe_describe(models->globe).ellipsoid;
    lf_geodetic place = {model->at.x, model->at.y, model->at.z};
    lf_globe_elevation found;
    if (fabs(place.lat_deg) > 90)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "the latitude is beyond 90 degrees");
    if (model->stands) {
        if (lf_globe_height_finest(models->globe, place.lon_deg, place.lat_deg, &found) != LF_OK ||
            found.reason != LF_REASON_ANSWERED)
            return lf__fail(error, LF_BAD_ARGUMENT, -1, "no ground to stand on");
        place.height = found.height - model->scale * box.low.z;
    }
    model->at = lf_ellipsoid_to_centred(&ellipsoid, place);
    return LF_OK;
}

lf_status lf_figure_models_stand(const lf_figure_models *models, lf_figure_model *model, lf_error *error) {
    lf_box box = lf_model_describe(model->model).box;
    double z;
    if (model->y_up)
        box = (lf_box){{box.low.x, -box.high.z, box.low.y}, {box.high.x, -box.low.z, box.high.y}};
    if (models->globe)
        return stand_on_globe(models, model, box, error);
    if (!model->stands)
        return LF_OK;
    if (lf_ground_frame(models->ground).kind != LF_FRAME_GRAVITY)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "expected X,Y,Z where down is not -z");
    if (!ground_under(models, model, box, &z))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "no ground to stand on");
    model->at.z = z - model->scale * box.low.z / models->metres.z;
    return LF_OK;
}

/// East, north and up as the axes of what stands there, turned.
static lf_pose pose_of(const lf_figure_models *models, const lf_figure_model *model) {
    lf_frame frame = lf_ground_frame(models->ground);
    lf_vec3 up = lf_vec3_scale(lf_frame_down(&frame, model->at), -1);
    lf_vec3 north = lf_frame_north(&frame, model->at), east = lf_vec3_cross(north, up);
    double c = cos(turn_of(model)), s = sin(turn_of(model));
    lf_vec3 x = lf_vec3_add(lf_vec3_scale(east, c), lf_vec3_scale(north, s));
    lf_vec3 y = lf_vec3_sub(lf_vec3_scale(north, c), lf_vec3_scale(east, s));
    lf_pose pose = {{{x.x, y.x, up.x}, {x.y, y.y, up.y}, {x.z, y.z, up.z}}, to_picture(models, model->at)};
    return pose;
}

// ---------------------------------------------------------------------------------------------------
// The scene
// ---------------------------------------------------------------------------------------------------

lf_status lf_figure_models_add(lf_figure_models *models, const lf_figure_model *model, lf_error *error) {
    static const lf_paint colours[COLOURS] = {{0.78F, 0.33F, 0.25F, 1},
                                              {0.90F, 0.72F, 0.30F, 1},
                                              {0.35F, 0.47F, 0.66F, 1},
                                              {0.86F, 0.85F, 0.81F, 1}};
    lf_object_def object_def = lf_object_def_default();
    lf_part_def part_def = lf_part_def_default();
    lf_instance_def def = lf_instance_def_default();
    lf_transform upright = lf_turning(LF_TRANSFORM_ABOUT_WHOLE, 1, 0, 0, 90 * DEGREE);
    lf_instance instance;
    lf_part top;
    part_def.shape.kind = LF_SHAPE_MODEL;
    part_def.shape.model = model->model;
    part_def.transforms = &upright;
    part_def.transform_count = model->y_up ? 1 : 0;
    def.pose = pose_of(models, model);
    def.scale = (lf_vec3){model->scale, model->scale, model->scale};
    def.colour = colours[models->count++ % COLOURS];
    lf_status status = lf_object_create(models->scene, &object_def, &def.object, &top, error);
    if (status == LF_OK)
        status = lf_part_add(models->scene, top, &part_def, NULL, error);
    if (status == LF_OK)
        status = lf_instance_create(models->scene, &def, &instance, error);
    return status == LF_OK ? lf_scene_update(models->scene) : status;
}

bool lf_figure_models_ray(void *user, const lf_ray *ray, lf_render_object *object) {
    const lf_figure_models *models = user;
    lf_vec3 m = models->metres, d = ray->direction;
    lf_ray local = {
        to_picture(models, ray->origin), {d.x * m.x, d.y * m.y, d.z * m.z}, ray->t_min, ray->t_max};
    if (!lf_render_scene(models->scene, &local, object))
        return false;
    lf_vec3 n = object->normal; // normals scale the other way round
    object->normal = lf_vec3_unit((lf_vec3){n.x * m.x, n.y * m.y, n.z * m.z});
    return true;
}
