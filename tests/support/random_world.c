#include "random_world.h"
#include "scenes.h"

double random_world_any(test_random *random, double low, double high) {
    return test_random_between(random, low, high);
}

// ---------------------------------------------------------------------------------------------------
// Polygons as they stand
// ---------------------------------------------------------------------------------------------------

static void add_part(random_world *w, const lf_group_part *part, const lf_pose *outer) {
    const lf_pose *const poses[] = {&part->pose, outer, NULL};
    facet name = {.layers = part->layers ? part->layers : 1};
    if (!part->ground)
        facets_add_box(&w->facets, poses, part->box, name);
    else if (part->ground == lf_mesh_ground(w->mesh))
        facets_add_shape(&w->facets, poses, &w->shape, name);
    else if (part->ground == lf_model_ground(w->model))
        facets_add_shape(&w->facets, poses, &w->thing, name);
    for (int k = 0; k < RANDOM_WORLD_INSTANCES && part->ground == lf_scene_ground(w->scene); k++)
        facets_add_instance(&w->facets, poses, w->scene, w->instances[k], name);
}

static facets_grid grid_of(const random_world *w) {
    return (facets_grid){w->heights, RANDOM_WORLD_SIDE, 0, 2};
}

static void list_facets(random_world *w) {
    const lf_pose *const here[] = {NULL};
    facets_grid grid = grid_of(w);
    w->facets.count = 0;
    if (w->grid)
        facets_add_grid(&w->facets, here, &grid, (facet){.layers = 1});
    for (int64_t i = 0; i < RANDOM_WORLD_PARTS; i++)
        add_part(w, &w->parts[i], NULL);
    for (int64_t n = RANDOM_WORLD_PARTS - 2; n < RANDOM_WORLD_PARTS; n++)
        for (int k = 0; k < 2; k++)
            add_part(w, &w->inner_parts[k], &w->parts[n].pose);
}

// ---------------------------------------------------------------------------------------------------
// Worlds
// ---------------------------------------------------------------------------------------------------

static void make_grid(random_world *w, bool voids, test_random *random) {
    for (int i = 0; i < RANDOM_WORLD_SIDE * RANDOM_WORLD_SIDE; i++)
        w->heights[i] = voids && test_random_below(random, 40) == 0
                            ? NAN
                            : (float)(random_world_any(random, -0.6, 0.6) + 0.15 * (i % RANDOM_WORLD_SIDE));
    facets_grid grid = grid_of(w);
    w->grid = world_grid(&grid);
}

/// Turned about an upright axis as a rule, somewhere over the terrain.
static lf_pose any_pose(test_random *random) {
    lf_pose pose = lf_pose_identity();
    lf_vec3 axis = {0, 0, 1};
    if (test_random_below(random, 4) == 0)
        axis = (lf_vec3){random_world_any(random, -1, 1), random_world_any(random, -1, 1),
                         random_world_any(random, -1, 1)};
    if (test_random_below(random, 4) != 0)
        assert_int_equal(lf_pose_turn((lf_vec3){0, 0, 0}, axis, random_world_any(random, -3, 3), &pose),
                         LF_OK);
    pose.translation = (lf_vec3){random_world_any(random, -3, 49), random_world_any(random, -3, 49),
                                 random_world_any(random, -1, 5)};
    return pose;
}

static lf_box any_box(test_random *random) {
    return world_any_box(random, (lf_vec3){2, 2, 3});
}

static void make_shapes(random_world *w, test_random *random) {
    nasty_mesh_make(&w->shape, NASTY_FLOORS, 20, false, random);
    w->mesh = world_mesh(&w->shape);
    nasty_mesh_make(&w->thing, NASTY_BOXES, 6, false, random);
    w->model = world_model(&w->thing);
}

/// Boxes and models, turned as a rule, some of them in another layer, most of them moving.
static void make_scene(random_world *w, test_random *random) {
    w->scene = test_scene();
    for (int k = 0; k < RANDOM_WORLD_INSTANCES; k++) {
        lf_pose pose = any_pose(random);
        lf_vec3 size = {random_world_any(random, 0.4, 4), random_world_any(random, 0.4, 4),
                        random_world_any(random, 0.4, 6)};
        lf_vec3 velocity = {random_world_any(random, -3, 3), random_world_any(random, -3, 3), 0};
        lf_part_info info;
        w->instances[k] = test_box(w->scene, size, (lf_vec3){0, 0, 0}, velocity);
        assert_int_equal(lf_instance_set_pose(w->scene, w->instances[k], &pose, true), LF_OK);
        assert_int_equal(lf_part_describe(w->scene, test_top(w->scene, w->instances[k]), &info), LF_OK);
        if (k % 3 == 2) {
            lf_shape shape = lf_part_def_default().shape;
            shape.kind = LF_SHAPE_MODEL;
            shape.model = w->model;
            assert_int_equal(lf_part_set_shape(w->scene, info.first, &shape, NULL), LF_OK);
        }
        if (test_random_below(random, 3) == 0)
            assert_int_equal(lf_part_set_layers(w->scene, info.first, 2), LF_OK);
    }
    assert_int_equal(lf_scene_update(w->scene), LF_OK);
}

/// Part 0 is the terrain, a grid or what is given; the last two are groups, one of them in its place.
void random_world_open(random_world *w, const lf_ground *globe, const lf_pose *outer, bool voids,
                       test_random *random) {
    *w = (random_world){.grid = NULL};
    facets_open(&w->facets, RANDOM_WORLD_FACETS);
    make_shapes(w, random);
    make_scene(w, random);
    if (!globe)
        make_grid(w, voids, random);
    for (int64_t i = 0; i < RANDOM_WORLD_PARTS; i++) {
        lf_group_part *part = &w->parts[i];
        lf_pose pose = any_pose(random);
        *part = (lf_group_part){.pose = outer ? lf_pose_then(&pose, outer) : pose};
        if (i == 0) {
            part->ground = globe ? globe : lf_grid_ground(w->grid);
            part->pose = lf_pose_identity();
        } else if (i <= RANDOM_WORLD_BOXES) {
            part->box = any_box(random);
            part->layers = test_random_below(random, 4) == 0 ? 2 : 0;
        } else if (i <= RANDOM_WORLD_BOXES + 2) {
            part->ground = lf_mesh_ground(w->mesh);
        } else if (i <= RANDOM_WORLD_BOXES + 2 + RANDOM_WORLD_MODELS) {
            part->ground = lf_model_ground(w->model);
        } else if (i == RANDOM_WORLD_SCENE) { // in its place, or a step beside it
            part->ground = lf_scene_ground(w->scene);
            part->pose = outer ? *outer : lf_pose_identity();
            part->pose.translation.x += (double)test_random_below(random, 2);
        }
    }
    for (int k = 0; k < 2; k++) {
        lf_pose pose = any_pose(random);
        w->inner_parts[k] =
            (lf_group_part){.pose = outer ? lf_pose_then(&pose, outer) : pose, .box = any_box(random)};
    }
    w->inner_parts[1].ground = lf_model_ground(w->model);
    w->inner = world_group(w->inner_parts, 2);
    for (int64_t n = RANDOM_WORLD_PARTS - 2; n < RANDOM_WORLD_PARTS; n++)
        w->parts[n].ground = lf_group_ground(w->inner);
    w->parts[RANDOM_WORLD_PARTS - 2].pose = lf_pose_identity();
    if (outer) // where the first one is, but for a step
        w->parts[RANDOM_WORLD_PARTS - 1].pose = lf_pose_identity(),
                                      w->parts[RANDOM_WORLD_PARTS - 1].pose.translation.x = 3;
    w->group = world_group(w->parts, RANDOM_WORLD_PARTS);
    w->ground = lf_group_ground(w->group);
    list_facets(w);
}

void random_world_close(random_world *w) {
    lf_group_destroy(w->group);
    lf_group_destroy(w->inner);
    lf_scene_destroy(w->scene);
    lf_model_destroy(w->model);
    lf_mesh_destroy(w->mesh);
    nasty_mesh_free(&w->thing);
    nasty_mesh_free(&w->shape);
    lf_grid_destroy(w->grid);
    facets_close(&w->facets);
}

void random_world_stir(random_world *w, test_random *random) {
    for (int64_t i = 1; i <= RANDOM_WORLD_BOXES; i++) {
        if (test_random_below(random, 3) == 0)
            continue;
        w->parts[i].pose = any_pose(random);
        assert_int_equal(lf_group_set_pose(w->group, i, &w->parts[i].pose), LF_OK);
    }
    w->inner_parts[0].pose = any_pose(random);
    assert_int_equal(lf_group_set_pose(w->inner, 0, &w->inner_parts[0].pose), LF_OK);
    assert_int_equal(lf_scene_step(w->scene, random_world_any(random, 0.1, 2), NULL), LF_OK);
    assert_int_equal(lf_group_update(w->group), LF_OK);
    list_facets(w);
}

// ---------------------------------------------------------------------------------------------------
// Brute force
// ---------------------------------------------------------------------------------------------------

/// 1: a facet strictly between the ends, 0: none, -1: too close to say.
int random_world_blocked(const random_world *w, world_point a, world_point b, uint32_t layers) {
    int answer = 0;
    world_point d = world_less(b, a);
    long double size = sqrtl(world_dot(d, d)), near = 1e-9L * (1 + size);
    for (int64_t i = 0; i < w->facets.count; i++) {
        const facet *f = &w->facets.list[i];
        if (!(f->layers & layers))
            continue;
        world_point e = world_less(f->c[1], f->c[0]), g = world_less(f->c[2], f->c[0]), n = world_cross(e, g),
                    s = world_less(a, f->c[0]);
        long double area = sqrtl(world_dot(n, n));
        if (area == 0)
            continue;
        long double from = world_dot(s, n) / area, to = world_dot(world_less(b, f->c[0]), n) / area;
        if ((from > near && to > near) || (from < -near && to < -near))
            continue;
        bool ends = fabsl(from) <= near || fabsl(to) <= near;
        if (ends &&
            (n.z < 0 ? fminl(-from, -to) : fminl(from, to)) > -near) // from above: touching does not block
            continue;
        world_point q = world_cross(d, s);
        long double det = -world_dot(d, n), u = -world_dot(g, q), v = world_dot(e, q);
        if (det < 0)
            det = -det, u = -u, v = -v;
        long double slack = near * size * (sqrtl(world_dot(e, e)) + sqrtl(world_dot(g, g))) + near * area;
        if (u < -slack || v < -slack || u + v > det + slack)
            continue;
        bool sure = !ends && u > slack && v > slack && u + v < det - slack;
        if (sure)
            return 1;
        answer = -1;
    }
    return answer;
}

/// The height at which a target has to be to be seen over every facet: where the upright half-plane cuts it. Flat lines.
long double random_world_least(const random_world *w, world_point a, world_point b) {
    long double x = b.x - a.x, y = b.y - a.y, far = sqrtl(x * x + y * y), most = -INFINITY;
    x /= far, y /= far;
    for (int64_t i = 0; i < w->facets.count; i++) {
        const world_point *c = w->facets.list[i].c;
        long double d[2] = {INFINITY, -INFINITY}, up[2] = {0, 0};
        for (int k = 0; k < 3; k++) {
            world_point p = world_less(c[k], a), q = world_less(c[(k + 1) % 3], a);
            long double off_p = p.y * x - p.x * y, off_q = q.y * x - q.x * y;
            if ((off_p > 0 && off_q > 0) || (off_p < 0 && off_q < 0))
                continue;
            for (int n = 0; n < 2; n++) { // an edge along the half-plane has two ends in it
                long double t = off_p == off_q ? n : off_p / (off_p - off_q);
                long double at = (p.x + t * (q.x - p.x)) * x + (p.y + t * (q.y - p.y)) * y,
                            z = p.z + t * (q.z - p.z);
                if (at < d[0] || (at == d[0] && z > up[0]))
                    d[0] = at, up[0] = z;
                if (at > d[1] || (at == d[1] && z > up[1]))
                    d[1] = at, up[1] = z;
            }
        }
        if (d[0] > d[1])
            continue;
        for (int k = 0; k < 2; k++) { // the part of the cut between observer and target
            long double at = fminl(fmaxl(d[k], 1e-9L), far), length = d[1 - k] - d[k];
            if (fmaxl(d[0], d[1]) <= 1e-9L || fminl(d[0], d[1]) >= far)
                continue;
            long double z = length == 0 ? up[k] : up[k] + (at - d[k]) / length * (up[1 - k] - up[k]);
            most = fmaxl(most, a.z + z * far / at);
        }
    }
    return most;
}

bool random_world_below(const random_world *w, lf_vec3 from, lf_vec3 to) {
    for (int k = 1; w->grid && k < 4000; k++) {
        lf_vec3 p = lf_vec3_along(from, k / 4000.0, lf_vec3_sub(to, from));
        int i = (int)floor(p.x / 2), j = (int)floor(p.y / 2);
        if (i < 0 || j < 0 || i + 1 >= RANDOM_WORLD_SIDE || j + 1 >= RANDOM_WORLD_SIDE)
            continue;
        const float *z = &w->heights[j * RANDOM_WORLD_SIDE + i];
        double u = p.x / 2 - i, v = p.y / 2 - j,
               height =
                   u + v < 1
                       ? (double)z[0] + u * ((double)z[1] - (double)z[0]) +
                             v * ((double)z[RANDOM_WORLD_SIDE] - (double)z[0])
                       : (double)z[RANDOM_WORLD_SIDE + 1] +
                             (1 - u) * ((double)z[RANDOM_WORLD_SIDE] - (double)z[RANDOM_WORLD_SIDE + 1]) +
                             (1 - v) * ((double)z[1] - (double)z[RANDOM_WORLD_SIDE + 1]);
        if (p.z < height - 1e-9)
            return true;
    }
    return false;
}
