// Viewsheds over worlds: against one line of sight per target, bit for bit, and against all polygons of all parts, one by
// one, in long doubles. Where rounding could decide, a target is passed over, and counted.
#include "nasty.h"
#include "small_planet.h"
#include <landfall/model.h>
#include <landfall/sight.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 24, BOXES = 40, MODELS = 6, PARTS = 1 + BOXES + 2 + MODELS + 2, FACETS = 20000 };

typedef struct vec {
    long double x, y, z;
} vec;

typedef struct facet {
    vec c[3];
    uint32_t layers;
} facet;

typedef struct world {
    float heights[SIDE * SIDE];
    lf_grid *grid;
    nasty_mesh shape, thing;
    lf_mesh *mesh;
    lf_model *model;
    lf_group *inner, *group;
    lf_group_part parts[PARTS], inner_parts[2];
    const lf_ground *ground;
    facet *facets;
    int64_t count;
} world;

static double any(test_random *random, double low, double high) {
    return test_random_between(random, low, high);
}

// ---------------------------------------------------------------------------------------------------
// Polygons as they stand
// ---------------------------------------------------------------------------------------------------

static vec carry(const lf_pose *pose, vec p) {
    const lf_vec3 *r = pose->rows;
    return (vec){(long double)r[0].x * p.x + (long double)r[0].y * p.y + (long double)r[0].z * p.z +
                     pose->translation.x,
                 (long double)r[1].x * p.x + (long double)r[1].y * p.y + (long double)r[1].z * p.z +
                     pose->translation.y,
                 (long double)r[2].x * p.x + (long double)r[2].y * p.y + (long double)r[2].z * p.z +
                     pose->translation.z};
}

static void add_facet(world *w, const lf_pose *const poses[2], const lf_vec3 c[3], uint32_t layers) {
    assert_true(w->count < FACETS);
    facet *f = &w->facets[w->count++];
    f->layers = layers;
    for (int k = 0; k < 3; k++) {
        f->c[k] = (vec){c[k].x, c[k].y, c[k].z};
        for (int i = 0; i < 2 && poses[i]; i++)
            f->c[k] = carry(poses[i], f->c[k]);
    }
}

static void add_box(world *w, const lf_pose *const poses[2], lf_box b, uint32_t layers) {
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

static void add_shape(world *w, const lf_pose *const poses[2], const nasty_mesh *m, uint32_t layers) {
    for (int64_t i = 0; i < m->triangle_count; i++) {
        lf_vec3 c[3];
        nasty_mesh_triangle(m, i, c);
        add_facet(w, poses, c, layers);
    }
}

static void add_part(world *w, const lf_group_part *part, const lf_pose *outer) {
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
static void add_grid(world *w) {
    const lf_pose *const poses[2] = {NULL, NULL};
    for (int j = 0; j + 1 < SIDE; j++)
        for (int i = 0; i + 1 < SIDE; i++) {
            lf_vec3 c[4];
            for (int k = 0; k < 4; k++) {
                int x = i + (k & 1), y = j + (k >> 1);
                c[k] = (lf_vec3){2.0 * x, 2.0 * y, (double)w->heights[y * SIDE + x]};
            }
            if (!isnan(c[0].z + c[1].z + c[2].z))
                add_facet(w, poses, (lf_vec3[3]){c[0], c[1], c[2]}, 1);
            if (!isnan(c[1].z + c[3].z + c[2].z))
                add_facet(w, poses, (lf_vec3[3]){c[1], c[3], c[2]}, 1);
        }
}

static void list_facets(world *w) {
    w->count = 0;
    if (w->grid)
        add_grid(w);
    for (int64_t i = 0; i < PARTS; i++)
        add_part(w, &w->parts[i], NULL);
    for (int64_t n = PARTS - 2; n < PARTS; n++)
        for (int k = 0; k < 2; k++)
            add_part(w, &w->inner_parts[k], &w->parts[n].pose);
}

// ---------------------------------------------------------------------------------------------------
// Worlds
// ---------------------------------------------------------------------------------------------------

static lf_group *make_group(const lf_group_part *parts, int64_t count) {
    lf_group_def def = lf_group_def_default();
    lf_group *group;
    def.parts = parts;
    def.part_count = count;
    assert_int_equal(lf_group_create(&def, &group, NULL), LF_OK);
    return group;
}

static void make_grid(world *w, bool voids, test_random *random) {
    lf_grid_def def = lf_grid_def_default();
    for (int i = 0; i < SIDE * SIDE; i++)
        w->heights[i] = voids && test_random_below(random, 40) == 0
                            ? NAN
                            : (float)(any(random, -0.6, 0.6) + 0.15 * (i % SIDE));
    def.samples.values = w->heights;
    def.samples.columns = def.samples.rows = SIDE;
    def.geotransform.per_column = (lf_vec2){2, 0};
    def.geotransform.per_row = (lf_vec2){0, 2};
    assert_int_equal(lf_grid_create(&def, &w->grid, NULL), LF_OK);
}

/// Turned about an upright axis as a rule, somewhere over the terrain.
static lf_pose any_pose(test_random *random) {
    lf_pose pose = lf_pose_identity();
    lf_vec3 axis = {0, 0, 1};
    if (test_random_below(random, 4) == 0)
        axis = (lf_vec3){any(random, -1, 1), any(random, -1, 1), any(random, -1, 1)};
    if (test_random_below(random, 4) != 0)
        assert_int_equal(lf_pose_turn((lf_vec3){0, 0, 0}, axis, any(random, -3, 3), &pose), LF_OK);
    pose.translation = (lf_vec3){any(random, -3, 49), any(random, -3, 49), any(random, -1, 5)};
    return pose;
}

static lf_box any_box(test_random *random) {
    lf_vec3 half = {any(random, 0.2, 2), any(random, 0.2, 2), any(random, 0.2, 3)};
    return (lf_box){lf_vec3_scale(half, -1), half};
}

static void make_shapes(world *w, test_random *random) {
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
static void open_world(world *w, const lf_ground *globe, const lf_pose *outer, bool voids,
                       test_random *random) {
    *w = (world){.facets = malloc(FACETS * sizeof(facet))};
    assert_non_null(w->facets);
    make_shapes(w, random);
    if (!globe)
        make_grid(w, voids, random);
    for (int64_t i = 0; i < PARTS; i++) {
        lf_group_part *part = &w->parts[i];
        lf_pose pose = any_pose(random);
        *part = (lf_group_part){.pose = outer ? lf_pose_then(&pose, outer) : pose};
        if (i == 0) {
            part->ground = globe ? globe : lf_grid_ground(w->grid);
            part->pose = lf_pose_identity();
        } else if (i <= BOXES) {
            part->box = any_box(random);
            part->layers = test_random_below(random, 4) == 0 ? 2 : 0;
        } else if (i <= BOXES + 2) {
            part->ground = lf_mesh_ground(w->mesh);
        } else if (i <= BOXES + 2 + MODELS) {
            part->ground = lf_model_ground(w->model);
        }
    }
    for (int k = 0; k < 2; k++) {
        lf_pose pose = any_pose(random);
        w->inner_parts[k] =
            (lf_group_part){.pose = outer ? lf_pose_then(&pose, outer) : pose, .box = any_box(random)};
    }
    w->inner_parts[1].ground = lf_model_ground(w->model);
    w->inner = make_group(w->inner_parts, 2);
    for (int64_t n = PARTS - 2; n < PARTS; n++)
        w->parts[n].ground = lf_group_ground(w->inner);
    w->parts[PARTS - 2].pose = lf_pose_identity();
    if (outer) // where the first one is, but for a step
        w->parts[PARTS - 1].pose = lf_pose_identity(), w->parts[PARTS - 1].pose.translation.x = 3;
    w->group = make_group(w->parts, PARTS);
    w->ground = lf_group_ground(w->group);
    list_facets(w);
}

static void close_world(world *w) {
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
static void stir(world *w, test_random *random) {
    for (int64_t i = 1; i <= BOXES; i++) {
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

static vec sub(vec a, vec b) {
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static vec cross(vec a, vec b) {
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static long double dot(vec a, vec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static vec of(lf_vec3 v) {
    return (vec){v.x, v.y, v.z};
}

/// 1: a facet strictly between the ends, 0: none, -1: too close to say.
static int brute_blocked(const world *w, vec a, vec b, uint32_t layers) {
    int answer = 0;
    vec d = sub(b, a);
    long double size = sqrtl(dot(d, d)), near = 1e-9L * (1 + size);
    for (int64_t i = 0; i < w->count; i++) {
        const facet *f = &w->facets[i];
        if (!(f->layers & layers))
            continue;
        vec e = sub(f->c[1], f->c[0]), g = sub(f->c[2], f->c[0]), n = cross(e, g), s = sub(a, f->c[0]);
        long double area = sqrtl(dot(n, n));
        if (area == 0)
            continue;
        long double from = dot(s, n) / area, to = dot(sub(b, f->c[0]), n) / area;
        if ((from > near && to > near) || (from < -near && to < -near))
            continue;
        bool ends = fabsl(from) <= near || fabsl(to) <= near;
        if (ends && (n.z < 0 ? fminl(-from, -to) : fminl(from, to)) > -near) // from above: touching does not block
            continue;
        vec q = cross(d, s);
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

/// The height at which a target has to be to be seen over every facet: where the upright half-plane cuts it. Flat lines.
static long double brute_least(const world *w, vec a, vec b) {
    long double x = b.x - a.x, y = b.y - a.y, far = sqrtl(x * x + y * y), most = -INFINITY;
    x /= far, y /= far;
    for (int64_t i = 0; i < w->count; i++) {
        const vec *c = w->facets[i].c;
        long double d[2], up[2];
        int ends = 0;
        for (int k = 0; k < 3 && ends < 2; k++) {
            vec p = sub(c[k], a), q = sub(c[(k + 1) % 3], a);
            long double off_p = p.y * x - p.x * y, off_q = q.y * x - q.x * y;
            if ((off_p > 0) == (off_q > 0))
                continue;
            long double t = off_p / (off_p - off_q);
            d[ends] = (p.x + t * (q.x - p.x)) * x + (p.y + t * (q.y - p.y)) * y;
            up[ends++] = p.z + t * (q.z - p.z);
        }
        if (ends < 2)
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

// ---------------------------------------------------------------------------------------------------
// Viewsheds
// ---------------------------------------------------------------------------------------------------

typedef struct tally {
    int64_t targets, hidden, visible, doubtful, least;
} tally;

/// Where a target is, from the definition, by public calls only; false: nowhere.
static bool target_of(const world *w, const lf_viewshed_def *def, lf_vec2 at, int64_t sample, double *ground) {
    lf_hit hit;
    lf_vec3 point;
    lf_reason reason;
    lf_ground_height(w->ground, (lf_vec3){at.x, at.y, INFINITY}, LF_VERTICAL_DOWN, &hit, NULL);
    lf_hit alone;
    lf_ground_height(lf_grid_ground(w->grid), (lf_vec3){at.x, at.y, INFINITY}, LF_VERTICAL_DOWN, &alone, NULL);
    if (def->target_on == LF_TARGET_GROUND || hit.kind == LF_HIT_NONE || hit.part == 0) {
        *ground = (double)w->heights[sample];
        return alone.kind != LF_HIT_NONE;
    }
    assert_int_equal(lf_sight_observer(w->ground, at, 0, &point, &reason), LF_OK);
    *ground = point.z;
    return reason == LF_REASON_ANSWERED;
}

static lf_viewshed_def any_def(test_random *random, bool voids) {
    lf_viewshed_def def = lf_viewshed_def_default();
    def.target = test_random_below(random, 2) ? 0 : any(random, 0, 3);
    def.target_on = test_random_below(random, 2) ? LF_TARGET_TOP : LF_TARGET_GROUND;
    if (test_random_below(random, 3) == 0) {
        def.rules.curvature.coefficient = any(random, 0.2, 1);
        def.rules.curvature.radius = any(random, 300, 3000); // a small planet
    }
    if (voids)
        def.rules.voids = (lf_void_policy)test_random_below(random, 3);
    if (test_random_below(random, 3) == 0)
        def.rules.layers = test_random_below(random, 2) ? ~2u : 2u;
    if (test_random_below(random, 4) == 0) {
        def.range_min = any(random, 0, 8);
        def.range_max = any(random, 10, 40);
        def.azimuth_from_deg = any(random, 0, 300);
        def.azimuth_to_deg = def.azimuth_from_deg + any(random, 30, 300);
    }
    return def;
}

static void check_values(const world *w, const lf_viewshed_def *given, const lf_observer *observer, lf_vec3 eye,
                         const uint8_t *seen, tally *tally) {
    static float values[4][SIDE * SIDE];
    lf_window window = {0, 0, SIDE, SIDE};
    for (int mode = 0; mode < 4; mode++)
        assert_int_equal(lf_viewshed_values(w->ground, given, observer, (lf_viewshed_mode)mode, window,
                                            values[mode], 0, NULL, NULL),
                         LF_OK);
    for (int64_t k = 0; k < SIDE * SIDE; k++) {
        lf_vec2 at = {2.0 * (double)(k % SIDE), 2.0 * (double)(k / SIDE)};
        double ground, dx = at.x - eye.x, dy = at.y - eye.y, far = sqrt(dx * dx + dy * dy);
        bool there = target_of(w, given, at, k, &ground);
        assert_true(isnan(values[LF_VIEWSHED_DISTANCE][k]) == (seen[k] != LF_VISIBILITY_VISIBLE));
        assert_true(isnan(values[LF_VIEWSHED_ANGLE][k]) == (seen[k] != LF_VISIBILITY_VISIBLE));
        if (seen[k] == LF_VISIBILITY_VISIBLE && far > 0) {
            const lf_curvature *c = &given->rules.curvature;
            double slope = (ground + given->target - eye.z) / far - c->coefficient * far / (2 * c->radius);
            assert_true(fabs((double)values[LF_VIEWSHED_DISTANCE][k] - far) < 1e-4);
            assert_true(fabs((double)values[LF_VIEWSHED_ANGLE][k] - atan(slope) * 57.295779513082321) < 1e-4);
        }
        double above = (double)values[LF_VIEWSHED_GROUND][k], datum = (double)values[LF_VIEWSHED_DEM][k];
        if (isnan(above) || !there) {
            assert_true(isnan(datum));
            continue;
        }
        assert_true(above >= 0 && (isinf(above) || fabs(datum - above - ground) < 1e-4));
        bool flat = given->rules.curvature.coefficient == 0 && given->rules.layers == UINT32_MAX &&
                    given->target == 0 && given->rules.voids == LF_VOIDS_PASS;
        if (!flat || far == 0 || isinf(above))
            continue;
        vec a = of(eye), b = {at.x, at.y, (long double)ground};
        long double least = fmaxl(brute_least(w, a, b) - b.z, 0);
        tally->least++;
        // Visible under a bridge: its height does not matter.
        if (seen[k] != LF_VISIBILITY_VISIBLE && fabsl((long double)above - least) > 1e-4L * (1 + least))
            fail_msg("sample %lld, from %.9g, %.9g, %.9g to %.9g, %.9g, %.9g (%s): least height %.9g, expected %.9Lg",
                     (long long)k, eye.x, eye.y, eye.z, at.x, at.y, ground,
                     lf_visibility_name((lf_visibility)seen[k]), above, least);
    }
}

static void check_view(const world *w, const lf_viewshed_def *def, const lf_observer *observer, bool values,
                       tally *tally) {
    static uint8_t seen[SIDE * SIDE];
    lf_window window = {0, 0, SIDE, SIDE};
    lf_viewshed_stats stats;
    lf_error error = {0};
    int64_t counts[5] = {0};
    lf_vec3 eye = {observer->at.x, observer->at.y, observer->height};
    lf_reason reason;
    if (!observer->datum)
        assert_int_equal(lf_sight_observer(w->ground, observer->at, observer->height, &eye, &reason), LF_OK);
    if (lf_viewshed_visible(w->ground, def, observer, window, seen, 0, &stats, &error) != LF_OK)
        fail_msg("%s", error.text);
    assert_true(stats.bytes <= lf_viewshed_bytes(w->ground, def, window));
    for (int64_t k = 0; k < SIDE * SIDE; k++) {
        lf_vec2 at = {2.0 * (double)(k % SIDE), 2.0 * (double)(k / SIDE)};
        double ground;
        counts[seen[k]]++;
        if (!target_of(w, def, at, k, &ground)) {
            assert_int_equal(seen[k], LF_VISIBILITY_VOID);
            continue;
        }
        assert_int_not_equal(seen[k], LF_VISIBILITY_VOID);
        if (seen[k] == LF_VISIBILITY_BEYOND)
            continue;
        lf_vec3 target = {at.x, at.y, ground + def->target};
        lf_verdict verdict;
        assert_int_equal(lf_sight_verdict(w->ground, &def->rules, eye, target, &verdict, NULL), LF_OK);
        static const lf_visibility expected[] = {LF_VISIBILITY_VISIBLE, LF_VISIBILITY_HIDDEN,
                                                 LF_VISIBILITY_UNKNOWN};
        if (seen[k] != (uint8_t)expected[verdict])
            fail_msg("sample %lld (%g, %g): %s, the line is %s", (long long)k, target.x, target.y,
                     lf_visibility_name((lf_visibility)seen[k]), lf_verdict_name(verdict));
        tally->targets++;
        tally->hidden += verdict == LF_VERDICT_BLOCKED;
        tally->visible += verdict == LF_VERDICT_CLEAR;
        if (def->rules.curvature.coefficient != 0 || verdict == LF_VERDICT_UNKNOWN ||
            (def->rules.voids == LF_VOIDS_STOP && verdict == LF_VERDICT_BLOCKED))
            continue;
        int blocked = brute_blocked(w, of(eye), of(target), def->rules.layers);
        tally->doubtful += blocked < 0;
        if (blocked >= 0 && blocked != (verdict == LF_VERDICT_BLOCKED))
            fail_msg("sample %lld, from %.9g, %.9g, %.9g to %.9g, %.9g, %.9g, layers %x: %s, of all polygons %d",
                     (long long)k, eye.x, eye.y, eye.z, target.x, target.y, target.z, def->rules.layers,
                     lf_verdict_name(verdict), blocked);
    }
    for (int k = 0; k < 5; k++)
        assert_int_equal(counts[k], stats.counts[k]);
    if (values && def->target == 0)
        check_values(w, def, observer, eye, seen, tally);
}

/// Above the ground that is there, whatever it is; or anywhere above all of the terrain.
static lf_observer any_observer(const world *w, test_random *random) {
    for (;;) {
        lf_observer observer = {{any(random, 0, 46), any(random, 0, 46)}, any(random, 0.1, 4), false};
        if (test_random_below(random, 3) == 0) // on a sample
            observer.at = (lf_vec2){2.0 * (double)test_random_below(random, SIDE),
                                    2.0 * (double)test_random_below(random, SIDE)};
        if (test_random_below(random, 4) == 0)
            return (lf_observer){{any(random, -10, 56), any(random, -10, 56)}, any(random, 5, 12), true};
        lf_hit hit;
        lf_ground_height(lf_grid_ground(w->grid), (lf_vec3){observer.at.x, observer.at.y, INFINITY},
                         LF_VERTICAL_DOWN, &hit, NULL);
        if (hit.kind != LF_HIT_NONE)
            return observer;
    }
}

static void a_grid_with_obstacles(void **state) {
    (void)state;
    test_random random = test_random_start(9201);
    tally tally = {0};
    for (int64_t round = 0; round < test_rounds(9); round++) {
        world w;
        bool voids = round % 3 == 2;
        open_world(&w, NULL, NULL, voids, &random);
        for (int k = 0; k < 4; k++) {
            lf_viewshed_def def = any_def(&random, voids);
            lf_observer observer = any_observer(&w, &random);
            if (k == 2)
                stir(&w, &random);
            if (k == 3) {
                def = lf_viewshed_def_default();
                def.rules.voids = LF_VOIDS_PASS;
            }
            check_view(&w, &def, &observer, k > 1, &tally);
        }
        close_world(&w);
    }
    printf("%lld targets, %lld visible, %lld hidden, %lld doubtful, %lld least heights\n",
           (long long)tally.targets, (long long)tally.visible, (long long)tally.hidden,
           (long long)tally.doubtful, (long long)tally.least);
    assert_true(tally.visible * 20 > tally.targets && tally.hidden * 20 > tally.targets &&
                tally.doubtful * 5 < tally.targets && tally.least > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_grid_with_obstacles)};
    return cmocka_run_group_tests_name("world_viewshed", tests, NULL, NULL);
}
