#include "random_world.h"
#include <stdlib.h>

double random_world_any(test_random *random, double low, double high) {
    return test_random_between(random, low, high);
}

// ---------------------------------------------------------------------------------------------------
// Polygons as they stand
// ---------------------------------------------------------------------------------------------------

static random_world_point carry(const lf_pose *pose, random_world_point p) {
    const lf_vec3 *r = pose->rows;
    return (random_world_point){(long double)r[0].x * p.x + (long double)r[0].y * p.y +
                                    (long double)r[0].z * p.z + pose->translation.x,
                                (long double)r[1].x * p.x + (long double)r[1].y * p.y +
                                    (long double)r[1].z * p.z + pose->translation.y,
                                (long double)r[2].x * p.x + (long double)r[2].y * p.y +
                                    (long double)r[2].z * p.z + pose->translation.z};
}

static void add_facet(random_world *w, const lf_pose *const poses[2], const lf_vec3 c[3], uint32_t layers) {
    assert_true(w->count < RANDOM_WORLD_FACETS);
    random_world_facet *f = &w->facets[w->count++];
    f->layers = layers;
    for (int k = 0; k < 3; k++) {
        f->c[k] = (random_world_point){c[k].x, c[k].y, c[k].z};
        for (int i = 0; i < 2 && poses[i]; i++)
            f->c[k] = carry(poses[i], f->c[k]);
    }
}

static void add_box(random_world *w, const lf_pose *const poses[2], lf_box b, uint32_t layers) {
    static const int faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    lf_vec3 v[8];
    for (int i = 0; i < 8; i++)
        v[i] = (lf_vec3){i & 1 ? b.high.x : b.low.x, i & 2 ? b.high.y : b.low.y, i & 4 ? b.high.z : b.low.z};
    for (int f = 0; f < 6; f++)
        for (int k = 0; k < 2; k++) {
            const lf_vec3 c[3] = {v[faces[f][0]], v[faces[f][1 + k]], v[faces[f][2 + k]]};
            add_facet(w, poses, c, layers);
        }
}

static void add_shape(random_world *w, const lf_pose *const poses[2], const nasty_mesh *m, uint32_t layers) {
    for (int64_t i = 0; i < m->triangle_count; i++) {
        lf_vec3 c[3];
        nasty_mesh_triangle(m, i, c);
        add_facet(w, poses, c, layers);
    }
}

static void add_part(random_world *w, const lf_group_part *part, const lf_pose *outer) {
    const lf_pose *const poses[2] = {&part->pose, outer};
    uint32_t layers = part->layers ? part->layers : 1;
    if (!part->ground)
        add_box(w, poses, part->box, layers);
    else if (part->ground == lf_mesh_ground(w->mesh))
        add_shape(w, poses, &w->shape, layers);
    else if (part->ground == lf_model_ground(w->model))
        add_shape(w, poses, &w->thing, layers);
}

/// Cells are cut from their upper left to their lower right; a triangle with a void is not there.
static void add_grid(random_world *w) {
    const lf_pose *const poses[2] = {NULL, NULL};
    for (int j = 0; j + 1 < RANDOM_WORLD_SIDE; j++)
        for (int i = 0; i + 1 < RANDOM_WORLD_SIDE; i++) {
            lf_vec3 c[4];
            for (int k = 0; k < 4; k++) {
                int x = i + (k & 1), y = j + (k >> 1);
                c[k] = (lf_vec3){2.0 * x, 2.0 * y, (double)w->heights[y * RANDOM_WORLD_SIDE + x]};
            }
            if (!isnan(c[0].z + c[1].z + c[2].z))
                add_facet(w, poses, (lf_vec3[3]){c[0], c[1], c[2]}, 1);
            if (!isnan(c[1].z + c[3].z + c[2].z))
                add_facet(w, poses, (lf_vec3[3]){c[1], c[3], c[2]}, 1);
        }
}

static void list_facets(random_world *w) {
    w->count = 0;
    if (w->grid)
        add_grid(w);
    for (int64_t i = 0; i < RANDOM_WORLD_PARTS; i++)
        add_part(w, &w->parts[i], NULL);
    for (int64_t n = RANDOM_WORLD_PARTS - 2; n < RANDOM_WORLD_PARTS; n++)
        for (int k = 0; k < 2; k++)
            add_part(w, &w->inner_parts[k], &w->parts[n].pose);
}

// ---------------------------------------------------------------------------------------------------
// Worlds
// ---------------------------------------------------------------------------------------------------

lf_group *random_world_group(const lf_group_part *parts, int64_t count) {
    lf_group_def def = lf_group_def_default();
    lf_group *group;
    def.parts = parts;
    def.part_count = count;
    assert_int_equal(lf_group_create(&def, &group, NULL), LF_OK);
    return group;
}

static void make_grid(random_world *w, bool voids, test_random *random) {
    lf_grid_def def = lf_grid_def_default();
    for (int i = 0; i < RANDOM_WORLD_SIDE * RANDOM_WORLD_SIDE; i++)
        w->heights[i] = voids && test_random_below(random, 40) == 0
                            ? NAN
                            : (float)(random_world_any(random, -0.6, 0.6) + 0.15 * (i % RANDOM_WORLD_SIDE));
    def.samples.values = w->heights;
    def.samples.columns = def.samples.rows = RANDOM_WORLD_SIDE;
    def.geotransform.per_column = (lf_vec2){2, 0};
    def.geotransform.per_row = (lf_vec2){0, 2};
    assert_int_equal(lf_grid_create(&def, &w->grid, NULL), LF_OK);
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
    lf_vec3 half = {random_world_any(random, 0.2, 2), random_world_any(random, 0.2, 2),
                    random_world_any(random, 0.2, 3)};
    return (lf_box){lf_vec3_scale(half, -1), half};
}

static void make_shapes(random_world *w, test_random *random) {
    nasty_mesh_make(&w->shape, NASTY_FLOORS, 20, false, random);
    lf_mesh_def mesh = lf_mesh_def_default();
    mesh.polygons = nasty_mesh_polygons(&w->shape);
    mesh.polygons.layers = NULL, mesh.polygons.users = NULL, mesh.polygons.sides = NULL;
    assert_int_equal(lf_mesh_create(&mesh, &w->mesh, NULL), LF_OK);
    nasty_mesh_make(&w->thing, NASTY_BOXES, 6, false, random);
    lf_model_def model = lf_model_def_default();
    model.polygons = nasty_mesh_polygons(&w->thing);
    model.polygons.layers = NULL, model.polygons.users = NULL, model.polygons.sides = NULL;
    assert_int_equal(lf_model_create(&model, &w->model, NULL), LF_OK);
}

/// Part 0 is the terrain, a grid or what is given; the last two are groups, one of them in its place.
void random_world_open(random_world *w, const lf_ground *globe, const lf_pose *outer, bool voids,
                       test_random *random) {
    *w = (random_world){.facets = malloc(RANDOM_WORLD_FACETS * sizeof(random_world_facet))};
    assert_non_null(w->facets);
    make_shapes(w, random);
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
        }
    }
    for (int k = 0; k < 2; k++) {
        lf_pose pose = any_pose(random);
        w->inner_parts[k] =
            (lf_group_part){.pose = outer ? lf_pose_then(&pose, outer) : pose, .box = any_box(random)};
    }
    w->inner_parts[1].ground = lf_model_ground(w->model);
    w->inner = random_world_group(w->inner_parts, 2);
    for (int64_t n = RANDOM_WORLD_PARTS - 2; n < RANDOM_WORLD_PARTS; n++)
        w->parts[n].ground = lf_group_ground(w->inner);
    w->parts[RANDOM_WORLD_PARTS - 2].pose = lf_pose_identity();
    if (outer) // where the first one is, but for a step
        w->parts[RANDOM_WORLD_PARTS - 1].pose = lf_pose_identity(),
                                      w->parts[RANDOM_WORLD_PARTS - 1].pose.translation.x = 3;
    w->group = random_world_group(w->parts, RANDOM_WORLD_PARTS);
    w->ground = lf_group_ground(w->group);
    list_facets(w);
}

void random_world_close(random_world *w) {
    lf_group_destroy(w->group);
    lf_group_destroy(w->inner);
    lf_model_destroy(w->model);
    lf_mesh_destroy(w->mesh);
    nasty_mesh_free(&w->thing);
    nasty_mesh_free(&w->shape);
    lf_grid_destroy(w->grid);
    free(w->facets);
}

/// Boxes move, and a part of the group in the group.
void random_world_stir(random_world *w, test_random *random) {
    for (int64_t i = 1; i <= RANDOM_WORLD_BOXES; i++) {
        if (test_random_below(random, 3) == 0)
            continue;
        w->parts[i].pose = any_pose(random);
        assert_int_equal(lf_group_set_pose(w->group, i, &w->parts[i].pose), LF_OK);
    }
    w->inner_parts[0].pose = any_pose(random);
    assert_int_equal(lf_group_set_pose(w->inner, 0, &w->inner_parts[0].pose), LF_OK);
    assert_int_equal(lf_group_update(w->group), LF_OK);
    list_facets(w);
}

// ---------------------------------------------------------------------------------------------------
// Brute force
// ---------------------------------------------------------------------------------------------------

static random_world_point less(random_world_point a, random_world_point b) {
    return (random_world_point){a.x - b.x, a.y - b.y, a.z - b.z};
}

static random_world_point cross(random_world_point a, random_world_point b) {
    return (random_world_point){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static long double dot(random_world_point a, random_world_point b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

random_world_point random_world_vec(lf_vec3 v) {
    return (random_world_point){v.x, v.y, v.z};
}

/// 1: a random_world_facet strictly between the ends, 0: none, -1: too close to say.
int random_world_blocked(const random_world *w, random_world_point a, random_world_point b, uint32_t layers) {
    int answer = 0;
    random_world_point d = less(b, a);
    long double size = sqrtl(dot(d, d)), near = 1e-9L * (1 + size);
    for (int64_t i = 0; i < w->count; i++) {
        const random_world_facet *f = &w->facets[i];
        if (!(f->layers & layers))
            continue;
        random_world_point e = less(f->c[1], f->c[0]), g = less(f->c[2], f->c[0]), n = cross(e, g),
                           s = less(a, f->c[0]);
        long double area = sqrtl(dot(n, n));
        if (area == 0)
            continue;
        long double from = dot(s, n) / area, to = dot(less(b, f->c[0]), n) / area;
        if ((from > near && to > near) || (from < -near && to < -near))
            continue;
        bool ends = fabsl(from) <= near || fabsl(to) <= near;
        if (ends &&
            (n.z < 0 ? fminl(-from, -to) : fminl(from, to)) > -near) // from above: touching does not block
            continue;
        random_world_point q = cross(d, s);
        long double det = -dot(d, n), u = -dot(g, q), v = dot(e, q);
        if (det < 0)
            det = -det, u = -u, v = -v;
        long double slack = near * size * (sqrtl(dot(e, e)) + sqrtl(dot(g, g))) + near * area;
        if (u < -slack || v < -slack || u + v > det + slack)
            continue;
        bool sure = !ends && u > slack && v > slack && u + v < det - slack;
        if (sure)
            return 1;
        answer = -1;
    }
    return answer;
}

/// The height at which a target has to be to be seen over every random_world_facet: where the upright half-plane cuts it. Flat lines.
long double random_world_least(const random_world *w, random_world_point a, random_world_point b) {
    long double x = b.x - a.x, y = b.y - a.y, far = sqrtl(x * x + y * y), most = -INFINITY;
    x /= far, y /= far;
    for (int64_t i = 0; i < w->count; i++) {
        const random_world_point *c = w->facets[i].c;
        long double d[2] = {INFINITY, -INFINITY}, up[2] = {0, 0};
        for (int k = 0; k < 3; k++) {
            random_world_point p = less(c[k], a), q = less(c[(k + 1) % 3], a);
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
