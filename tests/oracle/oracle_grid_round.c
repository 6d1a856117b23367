// Heights, rays and walks on grids that wrap, against an ordinary grid of three turns.
#include "round_grid.h"
#include <landfall/ground.h>
#include <math.h>
#include <stdlib.h>

#define MOST_HITS 1500

static bool near(double a, double b) {
    return fabs(a - b) <= 1e-12 * (1 + fabs(a) + fabs(b));
}

/// How far a number of columns is from the seam, or from the line on which squares of `samples` meet there.
static bool at_seam(const round_grid *g, double x) {
    double columns = (x - g->west) / g->spacing, beyond = remainder(columns, (double)g->round);
    return fabs(beyond) < 1e-9 || (g->surface == LF_SURFACE_POINT && fabs(fabs(beyond) - 0.5) < 1e-9);
}

static void fail_at(const round_grid *g, const char *what, lf_vec3 from, lf_vec3 to) {
    fail_msg(
        "%s: round %lld, rows %lld, spacing %g, west %g, point %d, %s, extend %d, from %.17g %.17g %.17g to "
        "%.17g %.17g %.17g",
        what, (long long)g->round, (long long)g->rows, g->spacing, g->west, g->point,
        lf_surface_name(g->surface), g->extend, from.x, from.y, from.z, to.x, to.y, to.z);
}

// ---------------------------------------------------------------------------------------------------
// Heights
// ---------------------------------------------------------------------------------------------------

static void check_height(const round_grid *g, test_random *random) {
    lf_vec3 p = {round_grid_x(g, random), round_grid_y(g, random), LF_INFINITY}, q = p;
    if (test_random_below(random, 3) == 0)
        p.z = q.z = floor(test_random_between(random, 0, 40));
    lf_vertical look = isinf(p.z) || test_random_below(random, 2) ? LF_VERTICAL_DOWN : LF_VERTICAL_UP;
    lf_hit expected, hit, again;
    q.x = round_grid_turned(g, random, p.x);
    lf_ground_height(g->reference_ground, p, look, &expected, NULL);
    assert_int_equal(lf_ground_height(g->ground, q, look, &hit, NULL), LF_OK);
    // On the seam two cells have the height, to rounding.
    double columns = 4 * (p.x - g->west) / g->spacing, rows = 4 * (p.y - g->south) / g->spacing;
    bool exact = columns == floor(columns) && (!at_seam(g, p.x) || rows == floor(rows));
    if (hit.kind != expected.kind || hit.reason != expected.reason ||
        (hit.kind != LF_HIT_NONE &&
         (exact ? hit.point.z != expected.point.z : fabs(hit.point.z - expected.point.z) > 1e-9)))
        fail_at(g, "height", p, q);
    if (hit.kind == LF_HIT_NONE)
        return;
    if (hit.point.x != q.x || (!at_seam(g, p.x) && exact &&
                               (hit.element != round_grid_element(g, expected.element) ||
                                hit.normal.x != expected.normal.x || hit.normal.z != expected.normal.z)))
        fail_at(g, "what a height is on", p, q);
    again = hit;
    assert_int_equal(lf_ground_weights(g->ground, &again), LF_OK);
    lf_ground_weights(g->reference_ground, &expected);
    if (!at_seam(g, p.x) && exact && (!near(again.u, expected.u) || !near(again.v, expected.v)))
        fail_at(g, "weights", p, q);
    lf_hit all[2];
    int64_t count;
    assert_int_equal(lf_ground_height_all(g->ground, q, all, 2, &count, NULL), LF_OK);
    assert_int_equal(count, 1);
}

static void check_many_heights(const round_grid *g, test_random *random) {
    enum { COUNT = 64 };
    lf_vec3 points[COUNT];
    double heights[COUNT];
    for (int k = 0; k < COUNT; k++) {
        points[k] = (lf_vec3){round_grid_x(g, random), round_grid_y(g, random), LF_INFINITY};
        points[k].x = round_grid_turned(g, random, points[k].x);
    }
    assert_int_equal(lf_ground_heights_many(g->ground, points, 0, COUNT, LF_VERTICAL_DOWN, heights, 0, NULL),
                     LF_OK);
    for (int k = 0; k < COUNT; k++) {
        lf_hit hit;
        lf_ground_height(g->ground, points[k], LF_VERTICAL_DOWN, &hit, NULL);
        if (hit.kind == LF_HIT_NONE ? !isnan(heights[k]) : heights[k] != hit.point.z)
            fail_at(g, "many heights", points[k], points[k]);
    }
}

// ---------------------------------------------------------------------------------------------------
// Rays
// ---------------------------------------------------------------------------------------------------

/// A ray over the middle turn of the reference that stays within it: less than a turn to either side. On its
/// border the reference has no cells of the next turn, so no ray ends there.
static lf_ray any_ray(const round_grid *g, test_random *random) {
    lf_vec3 from = {round_grid_x(g, random), round_grid_y(g, random), test_random_between(random, -5, 60)};
    double quarters =
        0.25 * g->spacing * (double)(test_random_below(random, 8 * g->round - 1) - 4 * g->round + 1);
    lf_vec3 to = {from.x + quarters, round_grid_y(g, random), test_random_between(random, -5, 60)};
    if (test_random_below(random, 10) == 0)
        to = (lf_vec3){from.x, from.y, -10};
    if (test_random_below(random, 4) == 0)
        from.z = floor(from.z);
    if (test_random_below(random, 4) == 0)
        to.z = floor(to.z);
    lf_vec3 d = lf_vec3_sub(to, from);
    if (d.x == 0 && d.y == 0 && d.z == 0)
        d.z = -1;
    return (lf_ray){from, d, 0, 1};
}

static void check_ray(const round_grid *g, test_random *random) {
    lf_ray ray = any_ray(g, random), moved = ray;
    moved.origin.x = round_grid_turned(g, random, ray.origin.x);
    lf_hit expected, hit, many;
    bool any, seam;
    lf_ground_ray_first(g->reference_ground, &ray, &expected, NULL);
    assert_int_equal(lf_ground_ray_first(g->ground, &moved, &hit, NULL), LF_OK);
    seam = expected.kind != LF_HIT_NONE && at_seam(g, expected.point.x);
    if (hit.kind != expected.kind || !near(hit.t, expected.t))
        fail_at(g, "first hit", ray.origin, lf_vec3_add(ray.origin, ray.direction));
    if (hit.kind != LF_HIT_NONE && !seam && hit.element != round_grid_element(g, expected.element))
        fail_at(g, "element of the first hit", ray.origin, lf_vec3_add(ray.origin, ray.direction));
    assert_int_equal(lf_ground_ray_any(g->ground, &moved, &any, NULL), LF_OK);
    if (any != (expected.kind != LF_HIT_NONE))
        fail_at(g, "any hit", ray.origin, lf_vec3_add(ray.origin, ray.direction));
    assert_int_equal(lf_ground_ray_first_many(g->ground, &moved, 0, 1, &many, 0, NULL), LF_OK);
    if (many.kind != hit.kind || many.t != hit.t || many.element != hit.element || many.u != hit.u ||
        many.point.x != hit.point.x)
        fail_at(g, "batch of one", ray.origin, lf_vec3_add(ray.origin, ray.direction));
}

/// All hits, the same number of them at the same places. A hit on the seam itself belongs to elements on both sides.
static void check_all(const round_grid *g, test_random *random) {
    lf_ray ray = any_ray(g, random), moved = ray;
    moved.origin.x = round_grid_turned(g, random, ray.origin.x);
    lf_hit expected[MOST_HITS], hits[MOST_HITS];
    int64_t expected_count, count;
    lf_ground_ray_all(g->reference_ground, &ray, expected, MOST_HITS, &expected_count, NULL);
    assert_int_equal(lf_ground_ray_all(g->ground, &moved, hits, MOST_HITS, &count, NULL), LF_OK);
    if (count != expected_count)
        fail_at(g, "number of hits", ray.origin, lf_vec3_add(ray.origin, ray.direction));
    for (int64_t k = 0; k < count && k < MOST_HITS; k++)
        if (!near(hits[k].t, expected[k].t) || (k > 0 && hits[k].t < hits[k - 1].t))
            fail_at(g, "one of all hits", ray.origin, lf_vec3_add(ray.origin, ray.direction));
}

/// A ray that goes round more than once, and one without an end.
static void check_long_ray(const round_grid *g, test_random *random) {
    lf_hit hit, expected;
    lf_vec3 from = {round_grid_x(g, random), round_grid_y(g, random), 100};
    double turns = 3 + (double)test_random_below(random, 20);
    lf_ray ray = {from, {test_random_below(random, 2) ? turns * g->turn : -turns * g->turn, 0, -101}, 0, 1};
    lf_ray endless = {ray.origin, ray.direction, 0, LF_INFINITY};
    // The first place where it is below the ground is found turn by turn.
    bool any = false;
    double t = LF_INFINITY;
    for (int64_t k = 0; k <= (int64_t)turns + 1 && !any; k++) {
        lf_ray part = ray;
        part.origin.x += ray.direction.x > 0 ? -g->turn * (double)k : g->turn * (double)k;
        part.t_min = ((double)k - 0.5) / turns < 0 ? 0 : ((double)k - 0.5) / turns;
        part.t_max = ((double)k + 0.5) / turns > 1 ? 1 : ((double)k + 0.5) / turns;
        if (part.t_min > part.t_max)
            break;
        lf_ground_ray_first(g->reference_ground, &part, &expected, NULL);
        any = expected.kind != LF_HIT_NONE;
        t = expected.t;
    }
    lf_ground_ray_first(g->ground, &ray, &hit, NULL);
    if ((hit.kind != LF_HIT_NONE) != any || (any && !near(hit.t, t)))
        fail_at(g, "long ray", ray.origin, lf_vec3_add(ray.origin, ray.direction));
    lf_ground_ray_first(g->ground, &endless, &hit, NULL); // comes back
    if (any && !near(hit.t, t))
        fail_at(g, "endless ray", ray.origin, lf_vec3_add(ray.origin, ray.direction));
    lf_ray level = {from, {1, 0, 0}, 0, LF_INFINITY};
    lf_ground_ray_first(g->ground, &level, &hit, NULL);
    assert_int_equal(hit.kind, LF_HIT_NONE);
}

// ---------------------------------------------------------------------------------------------------
// Walks
// ---------------------------------------------------------------------------------------------------

static void check_walk(const round_grid *g, test_random *random) {
    lf_vec3 from = {round_grid_x(g, random), round_grid_y(g, random), 100};
    double way = test_random_between(random, -0.9, 0.9) * g->turn;
    lf_vec3 to = {from.x + way, round_grid_y(g, random), 100};
    double step = round_grid_turned(g, random, 0);
    lf_vec3 moved_from = {from.x + step, from.y, from.z}, moved_to = {to.x + step, to.y, to.z};
    lf_walker walker = lf_walker_default(10);
    walker.drop = 30;
    lf_walk expected, walk;
    assert_int_equal(lf_ground_walk(g->reference_ground, &walker, from, to, &expected, NULL, NULL), LF_OK);
    assert_int_equal(lf_ground_walk(g->ground, &walker, moved_from, moved_to, &walk, NULL, NULL), LF_OK);
    if (walk.end != expected.end || fabs(walk.t - expected.t) > 1e-9 ||
        fabs(walk.position.z - expected.position.z) > 1e-6)
        fail_at(g, "walk", from, to);
}

static void run(lf_codec codec, double spacing, uint64_t salt) {
    test_random random = test_random_start(salt);
    for (int64_t round = 0; round < test_rounds(60); round++) {
        round_grid g = round_grid_make(&random, spacing, codec);
        for (int k = 0; k < 60; k++)
            check_height(&g, &random);
        check_many_heights(&g, &random);
        for (int k = 0; k < 80; k++)
            check_ray(&g, &random);
        for (int k = 0; k < 30; k++)
            check_all(&g, &random);
        for (int k = 0; k < 4; k++)
            check_long_ray(&g, &random);
        for (int k = 0; k < 10; k++)
            check_walk(&g, &random);
        round_grid_drop(&g);
    }
}

static void raw_grids(void **state) {
    (void)state;
    run(LF_CODEC_RAW, 0, 7100);
}

static void grids_of_degrees(void **state) {
    (void)state;
    run(LF_CODEC_RAW, 2, 7101);
}

static void compressed_grids(void **state) {
    (void)state;
    run(LF_CODEC_PACK, 0, 7102);
    run(LF_CODEC_MAXPLUS, 0, 7103);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(raw_grids), cmocka_unit_test(grids_of_degrees),
                                       cmocka_unit_test(compressed_grids)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
