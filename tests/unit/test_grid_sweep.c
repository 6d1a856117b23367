// Moving spheres and boxes: never later than any point of the ground is met, never before the ground is
// within the tolerance.
#include "support.h"
#include "sweeps.h"
#include <landfall/ground.h>
#include <stdlib.h>

#define SIDE 4
#define FINE 24

typedef struct field {
    lf_grid *grid;
    const lf_ground *ground;
    lf_vec3 *points; ///< of the surface, densely
    int64_t count;
} field;

static void sample_surface(field *f) {
    int64_t across = (SIDE + 1) * FINE + 1;
    f->points = malloc((size_t)(across * across) * sizeof *f->points);
    f->count = 0;
    assert_non_null(f->points);
    for (int64_t k = 0; k < across * across; k++) {
        double i = (double)(k % across) / FINE - 1, j = (double)(k / across) / FINE - 1;
        lf_vec3 p = {2 * i + 0.25 * j, 1.5 * j, LF_INFINITY};
        lf_hit hit;
        assert_int_equal(lf_ground_height(f->ground, p, LF_VERTICAL_DOWN, &hit, NULL), LF_OK);
        if (hit.kind != LF_HIT_NONE)
            f->points[f->count++] = hit.point;
    }
}

static void field_make(field *f, lf_surface surface, test_random *random) {
    double heights[SIDE * SIDE];
    lf_grid_def def = lf_grid_def_default();
    for (int k = 0; k < SIDE * SIDE; k++)
        heights[k] = test_random_below(random, 12) == 0 ? LF_NAN : test_random_between(random, 0, 3);
    def.samples.type = LF_SAMPLE_DOUBLE;
    def.samples.values = heights;
    def.samples.columns = def.samples.rows = SIDE;
    def.surface = surface;
    def.extend = test_random_below(random, 2) == 0;
    def.geotransform.per_column = (lf_vec2){2, 0};
    def.geotransform.per_row = (lf_vec2){0.25, 1.5};
    assert_int_equal(lf_grid_create(&def, &f->grid, NULL), LF_OK);
    f->ground = lf_grid_ground(f->grid);
    sample_surface(f);
}

static void field_free(field *f) {
    free(f->points);
    lf_grid_destroy(f->grid);
}

static lf_vec3 any_vec(double low, double high, test_random *random) {
    lf_vec3 v = {test_random_between(random, low, high), test_random_between(random, low, high), 0};
    v.z = test_random_between(random, low, high);
    return v;
}

/// The point that is touched is on the ground; a wall has it between two heights.
static void on_the_ground(const field *f, const lf_hit *c, double tolerance) {
    lf_grid_info info = lf_grid_describe(f->grid);
    assert_true(c->element >= 0 && fabs(lf_vec3_length(c->normal) - 1) < 1e-12);
    assert_true(c->point.z >= info.low - tolerance && c->point.z <= info.high + tolerance);
    if (info.surface == LF_SURFACE_POINT)
        return;
    lf_vec3 at = {c->point.x, c->point.y, LF_INFINITY};
    lf_hit hit;
    assert_int_equal(lf_ground_height(f->ground, at, LF_VERTICAL_DOWN, &hit, NULL), LF_OK);
    if (hit.kind != LF_HIT_NONE) // a border point may be rounded off
        assert_true(fabs(hit.point.z - c->point.z) <= tolerance);
}

// ---------------------------------------------------------------------------------------------------
// Spheres
// ---------------------------------------------------------------------------------------------------

static double to_segment(lf_vec3 p, lf_vec3 a, lf_vec3 way) {
    double length = lf_vec3_dot(way, way),
           s = lf_vec3_dot(lf_vec3_sub(p, a), way) / (length > 0 ? length : 1);
    return lf_vec3_length(lf_vec3_sub(p, lf_vec3_along(a, s < 0 ? 0 : s > 1 ? 1 : s, way)));
}

static bool one_sphere(const field *f, double tolerance, test_random *random) {
    lf_vec3 centre = any_vec(-2, 8, random), motion = any_vec(-8, 8, random);
    double radius = test_random_below(random, 4) ? test_random_between(random, 0, 1) : 0;
    lf_hit c;
    assert_int_equal(sweep_sphere(lf_grid_ground(f->grid), centre, radius, motion, tolerance, &c, NULL),
                     LF_OK);
    assert_true(c.t >= 0 && c.t <= 1 && (c.kind != LF_HIT_NONE || c.t == 1));
    lf_vec3 way = lf_vec3_scale(motion, c.t);
    for (int64_t k = 0; k < f->count && (c.t > 0 || c.kind == LF_HIT_NONE); k++)
        assert_true(to_segment(f->points[k], centre, way) > radius - 1e-9);
    if (c.kind != LF_HIT_NONE) {
        lf_vec3 there = lf_vec3_along(centre, c.t, motion);
        assert_true(lf_vec3_length(lf_vec3_sub(there, c.point)) <= radius + tolerance + 1e-9);
        on_the_ground(f, &c, tolerance);
    }
    return c.kind != LF_HIT_NONE && c.t > 0;
}

// ---------------------------------------------------------------------------------------------------
// Boxes
// ---------------------------------------------------------------------------------------------------

/// Is a point inside of a box, smaller by a hair, at any time up to t?
static bool box_meets(const lf_pose *pose, lf_vec3 half, lf_vec3 motion, double t, lf_vec3 p) {
    lf_vec3 from = lf_pose_to_local(pose, p), step = lf_pose_turn_to_local(pose, lf_vec3_scale(motion, -t));
    const double o[3] = {from.x, from.y, from.z}, d[3] = {step.x, step.y, step.z};
    const double h[3] = {half.x - 1e-9, half.y - 1e-9, half.z - 1e-9};
    double first = 0, last = 1;
    for (int k = 0; k < 3; k++) {
        if (d[k] == 0) {
            if (fabs(o[k]) > h[k])
                return false;
            continue;
        }
        double a = (-h[k] - o[k]) / d[k], b = (h[k] - o[k]) / d[k];
        first = fmax(first, fmin(a, b));
        last = fmin(last, fmax(a, b));
    }
    return first <= last;
}

static double beyond(double x, double half) {
    return fmax(fabs(x) - half, 0);
}

static bool one_box(const field *f, double tolerance, test_random *random) {
    lf_pose pose;
    lf_vec3 half = any_vec(0.05, 1, random), motion = any_vec(-8, 8, random), axis = any_vec(0.1, 1, random);
    lf_hit c;
    assert_int_equal(lf_pose_turn((lf_vec3){0, 0, 0}, axis, test_random_between(random, 0, 6), &pose), LF_OK);
    pose.translation = any_vec(-2, 8, random);
    assert_int_equal(sweep_box(lf_grid_ground(f->grid), &pose, half, motion, tolerance, &c, NULL), LF_OK);
    assert_true(c.t >= 0 && c.t <= 1 && (c.kind != LF_HIT_NONE || c.t == 1));
    for (int64_t k = 0; k < f->count && (c.t > 0 || c.kind == LF_HIT_NONE); k++)
        assert_false(box_meets(&pose, half, motion, c.t, f->points[k]));
    if (c.kind != LF_HIT_NONE) {
        lf_vec3 there = lf_pose_to_local(&pose, lf_vec3_along(c.point, -c.t, motion));
        lf_vec3 off = {beyond(there.x, half.x), beyond(there.y, half.y), beyond(there.z, half.z)};
        assert_true(lf_vec3_length(off) <= tolerance + 1e-9);
        on_the_ground(f, &c, tolerance);
    }
    return c.kind != LF_HIT_NONE && c.t > 0;
}

static void first_contacts(void **state) {
    (void)state;
    test_random random = test_random_start(4400);
    int64_t spheres = 0, boxes = 0;
    for (int round = 0; round < 25; round++) {
        field f;
        field_make(&f, (lf_surface)(round % 5), &random);
        double tolerance = round % 2 ? 0.02 : 1e-4;
        for (int k = 0; k < 25; k++) {
            spheres += one_sphere(&f, tolerance, &random);
            boxes += one_box(&f, tolerance, &random);
        }
        field_free(&f);
    }
    assert_true(spheres > 20 && boxes > 20);
}

static void by_hand(void **state) {
    (void)state;
    const float level[4] = {0};
    lf_grid_def def = lf_grid_def_default();
    def.samples.values = level;
    def.samples.columns = def.samples.rows = 2;
    lf_grid *grid;
    lf_hit c;
    lf_cursor *cursor;
    lf_vec3 down = {0, 0, -10}, centre = {0.5, 0.5, 5};
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    assert_int_equal(lf_cursor_create(NULL, &cursor), LF_OK);
    assert_int_equal(sweep_sphere(lf_grid_ground(grid), centre, 1, down, 1e-6, &c, cursor), LF_OK);
    assert_true(c.kind != LF_HIT_NONE && c.t <= 0.4 && c.t >= 0.4 - 1.1e-7 && c.normal.z == 1 &&
                c.point.z == 0);
    assert_int_equal(lf_cursor_counters(cursor).questions, 1);
    lf_pose pose = lf_pose_identity();
    pose.translation = centre;
    assert_int_equal(sweep_box(lf_grid_ground(grid), &pose, (lf_vec3){1, 1, 2}, down, 1e-6, &c, NULL), LF_OK);
    assert_true(c.kind != LF_HIT_NONE && c.t <= 0.3 && c.t >= 0.3 - 1.1e-7 && c.normal.z == 1);
    assert_int_equal(sweep_sphere(lf_grid_ground(grid), centre, 6, down, 1e-6, &c, NULL), LF_OK);
    assert_true(c.kind != LF_HIT_NONE && c.t == 0);
    // Below it is free, and beside it.
    assert_int_equal(sweep_sphere(lf_grid_ground(grid), (lf_vec3){0.5, 0.5, -2}, 1, down, 1e-6, &c, NULL),
                     LF_OK);
    assert_true(c.kind == LF_HIT_NONE && c.t == 1 && c.element == -1);
    assert_int_equal(sweep_sphere(lf_grid_ground(grid), (lf_vec3){3, 3, 2}, 1, down, 1e-6, &c, NULL), LF_OK);
    assert_true(c.kind == LF_HIT_NONE);
    assert_int_equal(sweep_sphere(lf_grid_ground(grid), centre, -1, down, 1e-6, &c, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(sweep_sphere(lf_grid_ground(grid), centre, 1, down, 0, &c, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(sweep_sphere(lf_grid_ground(NULL), centre, 1, down, 1, &c, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(sweep_box(lf_grid_ground(grid), &pose, (lf_vec3){1, 0, 1}, down, 1, &c, NULL),
                     LF_BAD_ARGUMENT);
    assert_int_equal(sweep_box(lf_grid_ground(grid), &pose, (lf_vec3){1, LF_INFINITY, 1}, down, 1, &c, NULL),
                     LF_BAD_ARGUMENT);
    lf_cursor_destroy(cursor);
    lf_grid_destroy(grid);
}

/// One bilinear cell with z = high * x * y: halfway up a wall, where x * y is a half.
static lf_grid *make_cliff(double high) {
    const double heights[4] = {0, 0, 0, high};
    lf_grid_def def = lf_grid_def_default();
    lf_grid *grid;
    def.samples.type = LF_SAMPLE_DOUBLE;
    def.samples.values = heights;
    def.samples.columns = def.samples.rows = 2;
    def.surface = LF_SURFACE_BILINEAR;
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    return grid;
}

/// When a sphere that moves by 1 along x comes to the wall, by trying many places of it.
static double reaches_wall(lf_vec3 centre, double radius) {
    double first = 1;
    for (int k = 0; k <= 200000; k++) {
        double y = 0.5 + 0.5 * k / 200000, off = fabs(y - centre.y);
        if (off <= radius)
            first = fmin(first, 0.5 / y - sqrt(radius * radius - off * off) - centre.x);
    }
    return first;
}

/// However high a cell is, the work is bounded; and the contact is right, or early by a thousandth of the cell.
static void cliffs_end(void **state) {
    (void)state;
    static const double highs[] = {1e3, 1e6, 1e30}, tolerances[] = {1e-3, 1e-6};
    const lf_vec3 along = {1, 0, 0};
    for (int h = 0; h < 3; h++)
        for (int k = 0; k < 2; k++) {
            lf_grid *grid = make_cliff(highs[h]);
            lf_cursor *cursor;
            lf_hit c;
            assert_int_equal(lf_cursor_create(NULL, &cursor), LF_OK);
            lf_vec3 centre = {0.1, 0.8, 0.5 * highs[h]};
            assert_int_equal(
                sweep_sphere(lf_grid_ground(grid), centre, 0.2, along, tolerances[k], &c, cursor), LF_OK);
            double expected = reaches_wall(centre, 0.2);
            assert_true(c.kind != LF_HIT_NONE && c.t <= expected + 1e-5 &&
                        c.t >= expected - tolerances[k] - 1e-3);
            lf_pose pose = lf_pose_identity();
            pose.translation = centre;
            assert_int_equal(sweep_box(lf_grid_ground(grid), &pose, (lf_vec3){0.2, 0.1, 0.2}, along,
                                       tolerances[k], &c, cursor),
                             LF_OK);
            assert_true(c.kind != LF_HIT_NONE && fabs(c.t - (0.5 / 0.9 - 0.3)) <= tolerances[k] + 1e-3);
            lf_counters cost = lf_cursor_counters(cursor);
            assert_true(cost.triangles > 10 && cost.triangles < 2000000);
            lf_cursor_destroy(cursor);
            lf_grid_destroy(grid);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(first_contacts), cmocka_unit_test(by_hand),
                                       cmocka_unit_test(cliffs_end)};
    return cmocka_run_group_tests_name("grid: sweeps", tests, NULL, NULL);
}
