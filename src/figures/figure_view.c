/// Perspective views of ground, of globes with the tiles that the view needs, and frames of scenes.
#include "base/base.h"
#include "figures.h"
#include <math.h>

#define BUDGET ((size_t)512 << 20) // bytes of tiles
#define MOST_ROUNDS 10000
#define GROUNDS 16 // that are drawn
#define DEGREE 0.017453292519943295

/// A view that is being drawn.
typedef struct view {
    const lf_ground *ground;
    const lf_render_def *def;
} view;

static lf_status draw_view(lf_canvas *canvas, const void *content, lf_error *error) {
    const view *view = content;
    return lf_canvas_render(canvas, lf_canvas_area(canvas), view->ground, view->def, error);
}

// ---------------------------------------------------------------------------------------------------
// Globes
// ---------------------------------------------------------------------------------------------------

/// Load the tiles that a view needs; what is loaded then is the globe's ground.
static lf_status load_tiles(const lf_figure_page *page, lf_globe *globe, const lf_render_def *def) {
    lf_globe_update_rules needs = lf_globe_update_rules_default();
    lf_globe_change change = {.waiting = 1};
    lf_status status = LF_OK;
    needs.position = def->eye;
    needs.detail = 2 * tan(0.5 * def->fov_deg * DEGREE) / (double)page->width; // a sample to a pixel
    lf_globe_set_budget(globe, BUDGET);
    for (int64_t round = 0; round < MOST_ROUNDS && change.waiting > 0 && status == LF_OK; round++) {
        status = lf_globe_update(globe, &needs, &change);
        if (!lf__report(&page->host, "tiles", change.wanted - change.waiting, change.wanted))
            status = LF_CANCELLED;
        if (change.fetched == 0)
            break;
    }
    return status;
}

lf_status lf_figure_view(const lf_figure_page *page, const lf_ground *ground, lf_globe *globe,
                         lf_render_def *def, lf_error *error) {
    lf_ellipsoid ellipsoid = globe ? lf_globe_describe(globe).ellipsoid : def->ellipsoid;
    bool looks = isfinite(def->target.x);
    def->ellipsoid = ellipsoid;
    lf_status status = lf_render_resolve(ground, def, (double)page->width / (double)page->height, def, error);
    if (status != LF_OK)
        return status;
    if (globe && !looks) {
        lf_geodetic below = lf_ellipsoid_to_geodetic(&ellipsoid, def->eye);
        below.height = 0;
        def->target = lf_ellipsoid_to_centred(&ellipsoid, below);
    }
    // A globe alone is drawn with the tiles that the view needs; a world on it as it is, with what stands
    // there.
    bool alone = globe && ground == lf_globe_ground_finest(globe);
    if (alone)
        status = load_tiles(page, globe, def);
    view view = {alone ? lf_globe_ground(globe) : ground, def};
    return status == LF_OK ? lf_figure_write(page, draw_view, &view, error) : status;
}

// ---------------------------------------------------------------------------------------------------
// Scenes
// ---------------------------------------------------------------------------------------------------

/// A box around all instances; empty when there are none.
static lf_status find_box(const lf_figure_page *page, lf_scene *scene, lf_box *box) {
    lf_allocator allocator = lf__allocator_of(&page->host);
    int64_t capacity = 0, count = 0;
    lf_instance *instances = NULL;
    *box = lf_box_empty();
    lf_scene_instances(scene, NULL, 0, &capacity);
    lf_status status = lf__allocate_array(&allocator, capacity + 1, sizeof *instances, (void **)&instances);
    if (status != LF_OK)
        return status;
    if (lf_scene_instances(scene, instances, capacity, &count) < LF_OK)
        count = 0;
    for (int64_t i = 0; i < count; i++) {
        lf_instance_info info;
        lf_box one;
        if (lf_instance_describe(scene, instances[i], &info) == LF_OK &&
            lf_part_box(scene, info.top, &one) == LF_OK)
            *box = lf_box_union(*box, one);
    }
    lf__free_array(&allocator, instances, capacity + 1, sizeof *instances);
    return LF_OK;
}

/// An eye from which all of a scene is visible.
static lf_view eye_for(lf_box box) {
    lf_view eye = lf_view_default();
    if (lf_box_is_empty(box))
        return eye;
    double radius = 0.5 * lf_vec3_length(lf_vec3_sub(box.high, box.low)) + 1;
    lf_vec3 from = {-0.9 * radius, -1.5 * radius, 1.0 * radius};
    eye.at = lf_vec3_add(lf_box_centre(box), from);
    eye.forward = lf_vec3_scale(from, -1);
    return eye;
}

/// Several grounds as one group.
static lf_status join_grounds(const lf_figure_scene_def *def, lf_group **group, lf_error *error) {
    lf_group_part parts[GROUNDS];
    lf_group_def group_def = lf_group_def_default();
    group_def.part_count = def->ground_count < GROUNDS ? def->ground_count : GROUNDS;
    group_def.parts = parts;
    for (int64_t i = 0; i < group_def.part_count; i++)
        parts[i] = (lf_group_part){.ground = def->grounds[i], .pose = lf_pose_identity()};
    return lf_group_create(&group_def, group, error);
}

/// How many instances are within the picture: by planes, exactly, and by what the ground hides.
static lf_status count_drawn(lf_scene *scene, const lf_view *eye, const lf_ground *ground, int64_t *drawn,
                             int64_t *culled, lf_error *error) {
    lf_cull_rules rules = lf_cull_rules_default();
    lf_scene_cull_result seen = {.parts = NULL, .capacity = 0};
    rules.methods = LF_CULL_PLANES | LF_CULL_VOLUME | (ground ? LF_CULL_GROUND : 0);
    rules.ground = ground;
    lf_status status = lf_scene_cull(scene, eye, &rules, &seen, error);
    *drawn += seen.instances.tested - seen.instances.culled;
    *culled += seen.instances.culled;
    return status < LF_OK ? status : LF_OK;
}

/// The view of an eye. The target is as far away as the things are: haze is measured by it.
static lf_render_def render_def_of(const lf_figure_scene_def *scene, const lf_view *eye, lf_box box) {
    lf_render_def def = lf_render_def_default();
    double far = 1;
    if (!lf_box_is_empty(box)) {
        far = lf_vec3_length(lf_vec3_sub(lf_box_centre(box), eye->at));
        far = fmax(far, lf_vec3_length(lf_vec3_sub(box.high, box.low)));
    }
    def.eye = eye->at;
    def.target = lf_vec3_add(def.eye, lf_vec3_scale(lf_vec3_unit(eye->forward), far));
    def.fov_deg = fmin(fmax(eye->across / DEGREE, 1), 170);
    def.haze = scene->fine && scene->ground_count > 0 ? 0.2 : 0;
    def.shadows = scene->fine ? def.shadows : 0;
    def.objects = lf_render_scene;
    def.objects_user = scene->scene;
    return def;
}

lf_status lf_figure_scene(const lf_figure_page *page, const lf_figure_scene_def *def, int64_t *drawn,
                          int64_t *culled, lf_error *error) {
    lf_figure_page own = *page;
    lf_group *group = NULL;
    lf_box box;
    lf_view eye;
    const lf_ground *ground = def->ground_count > 0 ? def->grounds[0] : NULL;
    lf_status status = lf_scene_update(def->scene);
    if (status == LF_OK)
        status = find_box(page, def->scene, &box);
    if (status != LF_OK)
        return status;
    eye = def->eye ? *def->eye : eye_for(box);
    if (def->ground_count > 1) {
        status = join_grounds(def, &group, error);
        ground = status == LF_OK ? lf_group_ground(group) : NULL;
    }
    if (status == LF_OK)
        status = count_drawn(def->scene, &eye, ground, drawn, culled, error);
    if (status == LF_OK) {
        lf_render_def render = render_def_of(def, &eye, box);
        view view = {ground, &render};
        // Both angles of the eye have the same scale.
        double width = (double)page->width;
        double height = width * tan(0.5 * eye.upright) / tan(0.5 * eye.across) + 0.5;
        own.height = (int64_t)fmin(fmax(height, 0.1 * width), 2 * width);
        status = lf_figure_write(&own, draw_view, &view, error);
    }
    lf_group_destroy(group);
    return status;
}
