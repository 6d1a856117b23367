// Heights on a grid: against rational arithmetic, at samples, on ties, with every reason.
#include "brute.h"
#include "ground/ground.h"
#include "twin.h"
#include <stdlib.h>

static lf_hit ask(const lf_ground *ground, double x, double y, double z, lf_vertical look) {
    lf_hit hit;
    assert_int_equal(lf_ground_height(ground, (lf_vec3){x, y, z}, look, &hit, NULL), LF_OK);
    return hit;
}

/// A place to ask at: anywhere, on lines, on diagonals, at samples, on the border and beyond.
static double coordinate(int64_t samples, test_random *random) {
    double any = test_random_between(random, -1, (double)samples), whole = floor(any);
    switch (test_random_below(random, 4)) {
    case 0:
        return any;
    case 1:
        return whole;
    case 2:
        return whole + 0.5;
    default:
        return whole + 0.25 * (double)test_random_below(random, 4);
    }
}

static double largest_height(const twin *twin) {
    double most = 0;
    for (int64_t k = 0; k < twin->shape.columns * twin->shape.rows; k++)
        most = isnan(twin->heights[k]) ? most : fmax(most, fabs(twin->heights[k]));
    return most;
}

/// The polygons that the line over a place meets, exactly; walls do not count.
static void brute_line(const twin *twin, lf_vec3 from, brute_answer *answer) {
    lf_ray down = {from, {0, 0, -1}, -LF_INFINITY, LF_INFINITY};
    brute_question question = {&twin->mesh, down, ~0u, false, true, true};
    brute_ask(&question, answer);
}

/// The polygon that speaks: for samples the highest, else the first.
static const brute_hit *speaker(const twin *twin, const brute_answer *answer) {
    const brute_hit *best = NULL;
    for (int64_t k = 0; k < answer->count; k++)
        if (!best || (twin->shape.surface == LF_SURFACE_POINT && answer->hits[k].t < best->t))
            best = &answer->hits[k];
    return best;
}

static void oracle_point(const twin *twin, lf_vec3 p, brute_hit *space) {
    brute_answer expected = {.hits = space};
    brute_line(twin, p, &expected);
    const brute_hit *best = speaker(twin, &expected);
    lf_hit down = ask(twin->ground, p.x, p.y, p.z, LF_VERTICAL_DOWN),
           up = ask(twin->ground, p.x, p.y, p.z, LF_VERTICAL_UP);
    if (!best) {
        bool samples = twin->shape.surface == LF_SURFACE_POINT;
        double beyond = samples ? 0.5 : 0;
        bool outside = p.x < -beyond || p.y < -beyond || p.x > (double)(twin->shape.columns - 1) + beyond ||
                       p.y > (double)(twin->shape.rows - 1) + beyond;
        assert_int_equal(down.kind, LF_HIT_NONE);
        assert_int_equal(down.reason, outside ? LF_REASON_OUTSIDE : LF_REASON_HOLE);
        assert_int_equal(up.reason, down.reason);
        return;
    }
    double slack = 4 * 0x1p-52 * fmax(largest_height(twin), fabs(p.z));
    const lf_hit *hit = best->t >= 0 ? &down : &up, *other = best->t >= 0 ? &up : &down;
    assert_int_equal(hit->kind, LF_HIT_CELL);
    assert_int_equal(twin_polygon_of(twin, hit), best->element);
    assert_true(fabs(hit->t - fabs(best->t)) <= slack);
    assert_true(fabs(hit->point.z - (p.z - best->t)) <= slack);
    assert_true(hit->point.x == p.x && hit->point.y == p.y);
    if (best->t == 0) {
        assert_true(hit->t == 0 && other->t == 0 && hit->point.z == p.z);
        assert_int_equal(other->kind, LF_HIT_CELL);
    } else {
        assert_int_equal(other->kind, LF_HIT_NONE);
        assert_int_equal(other->reason, LF_REASON_NONE);
    }
    brute_question question = {&twin->mesh, {p, {0, 0, -1}, -LF_INFINITY, LF_INFINITY}, ~0u, false, true,
                               true};
    lf_hit as_polygon = *hit;
    assert_int_equal(lf_ground_weights(twin->ground, &as_polygon), LF_OK);
    if (twin->shape.surface != LF_SURFACE_POINT) {
        as_polygon.kind = LF_HIT_TRIANGLE;
        as_polygon.element = best->element;
        as_polygon.triangle = 0;
        as_polygon.t = best->t;
        as_polygon.resolution = 0;
        const char *wrong = oracle_hit(&question, &as_polygon, 1);
        if (wrong)
            fail_msg("%s", wrong);
    }
}

static void oracle_surface(lf_surface surface, uint64_t salt) {
    test_random random = test_random_start(salt);
    for (int round = 0; round < (test_long() ? 200 : 20); round++) {
        twin twin;
        twin_shape shape = twin_any_shape(surface, &random);
        twin_make(&twin, &shape, &random);
        brute_hit *space = malloc((size_t)(twin.mesh.polygon_count + 1) * sizeof *space);
        assert_non_null(space);
        for (int k = 0; k < 200; k++) {
            lf_vec3 p = {coordinate(shape.columns, &random), coordinate(shape.rows, &random), 0};
            p.z = test_random_below(&random, 2) ? test_random_between(&random, -1, 4)
                                                : (double)test_random_below(&random, 5);
            lf_hit top = ask(twin.ground, p.x, p.y, LF_INFINITY, LF_VERTICAL_DOWN);
            if (top.kind != LF_HIT_NONE && test_random_below(&random, 3) == 0)
                p.z = test_random_below(&random, 2) ? top.point.z : nextafter(top.point.z, p.z);
            oracle_point(&twin, p, space);
        }
        free(space);
        twin_free(&twin);
    }
}

static void triangles(void **state) {
    (void)state;
    oracle_surface(LF_SURFACE_FALLING, 4101);
    oracle_surface(LF_SURFACE_RISING, 4102);
    oracle_surface(LF_SURFACE_ALTERNATING, 4103);
}

static void samples(void **state) {
    (void)state;
    oracle_surface(LF_SURFACE_POINT, 4104);
}

static lf_grid *grid_of(const double *heights, int64_t columns, int64_t rows, lf_surface surface,
                        bool extend) {
    lf_grid_def def = lf_grid_def_default();
    def.samples.type = LF_SAMPLE_DOUBLE;
    def.samples.values = heights;
    def.samples.columns = columns;
    def.samples.rows = rows;
    def.surface = surface;
    def.extend = extend;
    lf_grid *grid;
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    return grid;
}

static void bilinear_by_hand(void **state) {
    (void)state;
    const double heights[4] = {0, 4, 8, 32};
    lf_grid *grid = grid_of(heights, 2, 2, LF_SURFACE_BILINEAR, false);
    const lf_ground *ground;
    ground = lf_grid_ground(grid);
    lf_hit hit = ask(ground, 0.5, 0.5, 100, LF_VERTICAL_DOWN);
    assert_true(hit.point.z == 11 && hit.t == 89 && hit.element == 0 && hit.triangle == 0);
    // h = 4 u + 8 v + 20 u v
    lf_vec3 normal = lf_vec3_unit((lf_vec3){-14, -18, 1});
    assert_true(lf_vec3_length(lf_vec3_sub(hit.normal, normal)) < 1e-15);
    assert_int_equal(lf_ground_weights(ground, &hit), LF_OK);
    assert_true(hit.u == 0.5 && hit.v == 0.5);
    assert_true(ask(ground, 1, 1, 0, LF_VERTICAL_UP).point.z == 32);
    assert_int_equal(ask(ground, 0.5, 0.5, 11, LF_VERTICAL_UP).kind, LF_HIT_CELL);
    assert_int_equal(ask(ground, 0.5, 0.5, nextafter(11, 12), LF_VERTICAL_UP).reason, LF_REASON_NONE);
    lf_grid_destroy(grid);
}

static void extended_half_a_cell(void **state) {
    (void)state;
    const double heights[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    for (int surface = 0; surface <= LF_SURFACE_BILINEAR; surface++) {
        lf_grid *grid = grid_of(heights, 3, 3, (lf_surface)surface, true);
        const lf_ground *ground;
        ground = lf_grid_ground(grid);
        assert_true(ask(ground, -0.5, -0.5, 9, LF_VERTICAL_DOWN).point.z == 1);
        assert_true(ask(ground, -0.5, 0.25, 9, LF_VERTICAL_DOWN).point.z == 1.75);
        assert_true(ask(ground, 2.5, 2.25, 99, LF_VERTICAL_DOWN).point.z == 9);
        lf_hit hit = ask(ground, 1.5, 2.25, 99, LF_VERTICAL_DOWN);
        assert_true(hit.point.z == 8.5 && hit.element == 3);
        assert_int_equal(ask(ground, nextafter(-0.5, -1), 0, 9, LF_VERTICAL_DOWN).reason, LF_REASON_OUTSIDE);
        assert_int_equal(ask(ground, 0, nextafter(2.5, 3), 9, LF_VERTICAL_DOWN).reason, LF_REASON_OUTSIDE);
        // A ray finds the same border.
        lf_ray ray = lf_ray_between((lf_vec3){-0.5, 0.25, 9}, (lf_vec3){-0.5, 0.25, 0});
        assert_int_equal(lf_ground_ray_first(ground, &ray, &hit, NULL), LF_OK);
        assert_true(hit.kind == LF_HIT_CELL && fabs(hit.point.z - 1.75) < 1e-14);
        ray = lf_ray_towards((lf_vec3){-1, 0.25, 1.5}, (lf_vec3){1, 0, 0.5});
        assert_int_equal(lf_ground_ray_first(ground, &ray, &hit, NULL), LF_OK);
        assert_true(hit.kind == LF_HIT_CELL && hit.t == 0.5 && hit.element == 0);
        ray.origin.z = nextafter(ray.origin.z, 2);
        ray.t_max = 1;
        assert_int_equal(lf_ground_ray_first(ground, &ray, &hit, NULL), LF_OK);
        assert_int_equal(hit.kind, LF_HIT_NONE);
        lf_grid_destroy(grid);
    }
}

static const lf_ground *ground_of(const lf_grid *grid) {
    const lf_ground *ground;
    ground = lf_grid_ground(grid);
    return ground;
}

/// The surface of one cell by numbers that are longer than doubles.
static long double longer(const double h[4], lf_surface surface, double x, double y) {
    long double u = x, v = y, h00 = h[0], h10 = h[1], h01 = h[2], h11 = h[3];
    if (surface == LF_SURFACE_BILINEAR)
        return (1 - u) * (1 - v) * h00 + u * (1 - v) * h10 + (1 - u) * v * h01 + u * v * h11;
    if (surface == LF_SURFACE_FALLING)
        return u + v <= 1 ? h00 + u * (h10 - h00) + v * (h01 - h00)
                          : h11 + (1 - u) * (h01 - h11) + (1 - v) * (h10 - h11);
    return u >= v ? h00 + u * (h10 - h00) + v * (h11 - h10) : h00 + v * (h01 - h00) + u * (h11 - h01);
}

static void as_accurate_as_promised(void **state) {
    (void)state;
    test_random random = test_random_start(4105);
    for (int round = 0; round < 600; round++) {
        lf_surface surface = round % 3 == 2 ? LF_SURFACE_BILINEAR : (lf_surface)(round % 3);
        double h[4], most = 0, size = ldexp(1, (int)test_random_below(&random, 40) - 20);
        for (int k = 0; k < 4; k++) {
            h[k] = size * test_random_between(&random, round % 2 ? -1 : 0.99, 1);
            most = fmax(most, fabs(h[k]));
        }
        lf_grid *grid = grid_of(h, 2, 2, surface, false);
        const lf_ground *ground = ground_of(grid);
        double promise = (surface == LF_SURFACE_BILINEAR ? 10 : 8) * 0x1p-53 * most;
        for (int k = 0; k < 100; k++) {
            double x = test_random_between(&random, 0, 1), y = test_random_between(&random, 0, 1);
            double z = ask(ground, x, y, LF_INFINITY, LF_VERTICAL_DOWN).point.z;
            assert_true(fabsl((long double)z - longer(h, surface, x, y)) <= (long double)promise * 1.01L);
        }
        lf_grid_destroy(grid);
    }
}

/// Where pieces of the ring touch those of cells, heights and rays name the same one.
static void one_order_on_the_border(void **state) {
    (void)state;
    const double heights[4] = {0, 1, 2, 5};
    for (int surface = 0; surface <= LF_SURFACE_BILINEAR; surface++) {
        lf_grid *grid = grid_of(heights, 2, 2, (lf_surface)surface, true);
        const lf_ground *ground = ground_of(grid);
        for (int k = 0; k < 81; k++) {
            lf_vec3 from = {-0.5 + (k % 9) / 4.0, -0.5 + (k / 9) / 4.0, 9};
            lf_hit height = ask(ground, from.x, from.y, 9, LF_VERTICAL_DOWN), first, all[9], few[9];
            lf_ray ray = lf_ray_towards(from, (lf_vec3){0, 0, -1});
            int64_t count, part;
            assert_int_equal(height.kind, LF_HIT_CELL);
            assert_int_equal(lf_ground_ray_first(ground, &ray, &first, NULL), LF_OK);
            assert_int_equal(lf_ground_ray_all(ground, &ray, all, 9, &count, NULL), LF_OK);
            assert_true(first.element == height.element && first.triangle == height.triangle);
            assert_true(lf_vec3_length(lf_vec3_sub(first.normal, height.normal)) == 0);
            assert_memory_equal(&first, &all[0], sizeof first);
            for (int64_t space = 0; space < count; space++) {
                assert_int_equal(lf_ground_ray_all(ground, &ray, few, space, &part, NULL), LF_PARTIAL);
                assert_memory_equal(few, all, (size_t)space * sizeof *few);
            }
            assert_int_equal(lf_ground_weights(ground, &height), LF_OK);
            assert_true(height.u == first.u && height.v == first.v);
        }
        lf_grid_destroy(grid);
    }
}

static void weights_beside_a_hole(void **state) {
    (void)state;
    const double heights[4] = {0, 1, 0, LF_NAN};
    lf_grid *grid = grid_of(heights, 2, 2, LF_SURFACE_RISING, true);
    const lf_ground *ground = ground_of(grid);
    lf_hit hit = ask(ground, 0, 0.75, 9, LF_VERTICAL_DOWN); // on the ring alone, the cell is a hole
    assert_true(hit.kind == LF_HIT_CELL && hit.element == 0 && hit.point.z == 0);
    assert_int_equal(lf_ground_weights(ground, &hit), LF_OK);
    assert_true(hit.triangle == 0 && hit.u == 0.25 && hit.v == 0.75);
    lf_grid_destroy(grid);
}

static void all_heights_are_one(void **state) {
    (void)state;
    const double heights[4] = {0, 4, 8, 12};
    lf_grid *grid = grid_of(heights, 2, 2, LF_SURFACE_FALLING, false);
    const lf_ground *ground;
    lf_cursor *cursor;
    int64_t count;
    lf_hit hit;
    ground = lf_grid_ground(grid);
    assert_int_equal(lf_cursor_create(NULL, &cursor), LF_OK);
    assert_non_null(lf__ground_grid(ground));
    assert_int_equal(lf_ground_height_all(ground, (lf_vec3){0.5, 0.5, 7}, &hit, 1, &count, cursor), LF_OK);
    assert_true(count == 1 && hit.t == 1 && hit.point.z == 6);
    assert_int_equal(lf_ground_height_all(ground, (lf_vec3){0.5, 0.5, 4}, &hit, 1, &count, cursor), LF_OK);
    assert_true(count == 1 && hit.t == -2);
    assert_int_equal(lf_ground_height_all(ground, (lf_vec3){0.5, 0.5, LF_INFINITY}, &hit, 0, &count, cursor),
                     LF_PARTIAL);
    assert_int_equal(lf_cursor_counters(cursor).questions, 3);
    lf_cursor_set_layers(cursor, 2);
    assert_int_equal(lf_ground_height(ground, (lf_vec3){0.5, 0.5, 7}, LF_VERTICAL_DOWN, &hit, cursor), LF_OK);
    assert_int_equal(hit.kind, LF_HIT_NONE);
    hit = (lf_hit){.kind = LF_HIT_CELL, .element = 1};
    assert_int_equal(lf_ground_weights(ground, &hit), LF_BAD_ARGUMENT);
    lf_cursor_destroy(cursor);
    lf_grid_destroy(grid);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles),
        cmocka_unit_test(samples),
        cmocka_unit_test(bilinear_by_hand),
        cmocka_unit_test(extended_half_a_cell),
        cmocka_unit_test(all_heights_are_one),
        cmocka_unit_test(as_accurate_as_promised),
        cmocka_unit_test(one_order_on_the_border),
        cmocka_unit_test(weights_beside_a_hole),
    };
    return cmocka_run_group_tests_name("grid: heights", tests, NULL, NULL);
}
