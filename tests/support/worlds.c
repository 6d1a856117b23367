#include "worlds.h"
#include <stdlib.h>

// ---------------------------------------------------------------------------------------------------
// Polygons as they stand
// ---------------------------------------------------------------------------------------------------

void facets_open(facets *all, int64_t capacity) {
    *all = (facets){test_space(capacity, sizeof(facet)), 0, capacity};
}

void facets_close(facets *all) {
    free(all->list);
    *all = (facets){NULL, 0, 0};
}

static world_point carry(const lf_pose *pose, world_point p) {
    const lf_vec3 *r = pose->rows;
    return (world_point){(long double)r[0].x * p.x + (long double)r[0].y * p.y + (long double)r[0].z * p.z +
                             pose->translation.x,
                         (long double)r[1].x * p.x + (long double)r[1].y * p.y + (long double)r[1].z * p.z +
                             pose->translation.y,
                         (long double)r[2].x * p.x + (long double)r[2].y * p.y + (long double)r[2].z * p.z +
                             pose->translation.z};
}

void facets_add(facets *all, const lf_pose *const *poses, const lf_vec3 c[3], facet name) {
    assert_true(all->count < all->capacity);
    for (int k = 0; k < 3; k++) {
        name.c[k] = world_point_of(c[k]);
        for (int i = 0; poses[i]; i++)
            name.c[k] = carry(poses[i], name.c[k]);
    }
    all->list[all->count++] = name;
}

const int world_box_faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                   {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

void world_box_corners(lf_box b, lf_vec3 corners[8]) {
    for (int i = 0; i < 8; i++)
        corners[i] =
            (lf_vec3){i & 1 ? b.high.x : b.low.x, i & 2 ? b.high.y : b.low.y, i & 4 ? b.high.z : b.low.z};
}

void facets_add_box(facets *all, const lf_pose *const *poses, lf_box box, facet name) {
    lf_vec3 v[8];
    world_box_corners(box, v);
    for (int f = 0; f < 6; f++)
        for (int k = 0; k < 2; k++) {
            const int *face = world_box_faces[f];
            const lf_vec3 c[3] = {v[face[0]], v[face[1 + k]], v[face[2 + k]]};
            name.element = f;
            facets_add(all, poses, c, name);
        }
}

void facets_add_shape(facets *all, const lf_pose *const *poses, const nasty_mesh *shape, facet name) {
    for (int64_t i = 0; i < shape->triangle_count; i++) {
        lf_vec3 c[3];
        nasty_mesh_triangle(shape, i, c);
        name.element = shape->owners[i];
        facets_add(all, poses, c, name);
    }
}

void facets_add_grid(facets *all, const lf_pose *const *poses, const facets_grid *grid, facet name) {
    int side = grid->side;
    for (int j = 0; j + 1 < side; j++)
        for (int i = 0; i + 1 < side; i++) {
            lf_vec3 c[4];
            for (int k = 0; k < 4; k++) {
                int x = i + (k & 1), y = j + (k >> 1);
                c[k] = (lf_vec3){grid->origin + grid->step * x, grid->origin + grid->step * y,
                                 (double)grid->heights[y * side + x]};
            }
            name.element = j * (side - 1) + i;
            if (!isnan(c[0].z + c[1].z + c[2].z))
                facets_add(all, poses, (lf_vec3[3]){c[0], c[1], c[2]}, name);
            if (!isnan(c[1].z + c[3].z + c[2].z))
                facets_add(all, poses, (lf_vec3[3]){c[1], c[3], c[2]}, name);
        }
}

typedef struct instance_facets {
    facets *all;
    const lf_pose *const *poses;
    lf_scene *scene;
    facet name;
} instance_facets;

static bool show_triangle(void *user, const lf_scene_triangle *t) {
    instance_facets *shown = user;
    lf_part_info info;
    assert_int_equal(lf_part_describe(shown->scene, t->part, &info), LF_OK);
    shown->name.layers = info.layers;
    facets_add(shown->all, shown->poses, t->corners, shown->name);
    return true;
}

void facets_add_instance(facets *all, const lf_pose *const *poses, lf_scene *scene, lf_instance instance,
                         facet name) {
    instance_facets shown = {all, poses, scene, name};
    lf_instance_info info;
    assert_int_equal(lf_instance_describe(scene, instance, &info), LF_OK);
    assert_int_equal(lf_part_triangles(scene, info.top, 8, show_triangle, &shown), LF_OK);
}

static long double from_side(world_point p, world_point a, world_point b) {
    world_point d = world_less(b, a), s = world_less(p, a);
    long double dd = world_dot(d, d), t = dd > 0 ? fminl(fmaxl(world_dot(s, d) / dd, 0), 1) : 0;
    world_point off = {s.x - t * d.x, s.y - t * d.y, s.z - t * d.z};
    return sqrtl(world_dot(off, off));
}

long double facet_distance(const facet *f, world_point p) {
    const world_point *c = f->c;
    world_point n = world_cross(world_less(c[1], c[0]), world_less(c[2], c[0]));
    long double nn = world_dot(n, n), best = LF_INFINITY;
    bool over = nn > 0;
    for (int k = 0; k < 3; k++) {
        world_point side = world_less(c[(k + 1) % 3], c[k]);
        best = fminl(best, from_side(p, c[k], c[(k + 1) % 3]));
        over = over && world_dot(world_cross(side, world_less(p, c[k])), n) >= 0;
    }
    return over ? fminl(best, fabsl(world_dot(world_less(p, c[0]), n)) / sqrtl(nn)) : best;
}

// ---------------------------------------------------------------------------------------------------
// Grounds
// ---------------------------------------------------------------------------------------------------

lf_box world_any_box(test_random *random, lf_vec3 most) {
    lf_vec3 half = {test_random_between(random, 0.1, most.x), test_random_between(random, 0.1, most.y), 0};
    half.z = test_random_between(random, 0.1, most.z);
    return (lf_box){lf_vec3_scale(half, -1), half};
}

lf_grid *world_grid(const facets_grid *grid) {
    lf_grid_def def = lf_grid_def_default();
    lf_grid *made;
    def.samples.values = grid->heights;
    def.samples.columns = def.samples.rows = grid->side;
    def.geotransform = (lf_geotransform){{grid->origin, grid->origin}, {grid->step, 0}, {0, grid->step}};
    assert_int_equal(lf_grid_create(&def, &made, NULL), LF_OK);
    return made;
}

lf_group *world_group(const lf_group_part *parts, int64_t count) {
    lf_group_def def = lf_group_def_default();
    lf_group *group;
    lf_error error = {0};
    def.parts = parts;
    def.part_count = count;
    if (lf_group_create(&def, &group, &error) != LF_OK)
        fail_msg("%s", error.text);
    return group;
}

static lf_polygons plain_polygons(const nasty_mesh *shape) {
    lf_polygons polygons = nasty_mesh_polygons(shape);
    polygons.layers = NULL, polygons.users = NULL, polygons.sides = NULL;
    return polygons;
}

lf_mesh *world_mesh(const nasty_mesh *shape) {
    lf_mesh_def def = lf_mesh_def_default();
    lf_mesh *mesh;
    def.polygons = plain_polygons(shape);
    assert_int_equal(lf_mesh_create(&def, &mesh, NULL), LF_OK);
    return mesh;
}

lf_model *world_model(const nasty_mesh *shape) {
    lf_model_def def = lf_model_def_default();
    lf_model *model;
    def.polygons = plain_polygons(shape);
    assert_int_equal(lf_model_create(&def, &model, NULL), LF_OK);
    return model;
}
