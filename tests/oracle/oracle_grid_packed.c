// Compressed grids against grids of the heights that they decode to: every answer is the same, bit for bit.
#include "brute.h"
#include "grid_oracle.h"
#include "packed_ask.h"
#include "packed_pair.h"
#include "sweeps.h"
#include <landfall/ground.h>
#include <stdlib.h>
#include <string.h>

static void same(const lf_hit *a, const lf_hit *b) {
    assert_true(oracle_same_hit(a, b));
}

static void ask_motion(const packed_pair *p, lf_vec3 from, lf_vec3 to) {
    lf_walker anything = {LF_INFINITY, LF_INFINITY, 0};
    lf_walk walk_a, walk_b;
    lf_hit a, b;
    lf_vec3 motion = lf_vec3_sub(to, from);
    lf_status status = lf_ground_walk(p->packed_ground, &anything, from, to, &walk_a, NULL, p->cursor);
    assert_int_equal(status, lf_ground_walk(p->plain_ground, &anything, from, to, &walk_b, NULL, NULL));
    if (status == LF_OK) {
        assert_int_equal(walk_a.end, walk_b.end);
        same(&walk_a.ground, &walk_b.ground);
    }
    lf_grid_info info = lf_grid_describe(p->plain);
    double near =
        0.01 + (info.low < info.high ? 0.05 * (info.high - info.low) : 0); // steep patches take many cuts
    status = sweep_sphere(lf_grid_ground(p->packed), from, 0.25, motion, near, &a, p->cursor);
    assert_int_equal(status, sweep_sphere(lf_grid_ground(p->plain), from, 0.25, motion, near, &b, NULL));
    if (status == LF_OK)
        assert_true(a.kind == b.kind && a.t == b.t && a.element == b.element &&
                    memcmp(&a.point, &b.point, sizeof a.point) == 0 &&
                    memcmp(&a.normal, &b.normal, sizeof a.normal) == 0);
}

static void every_question(void **state) {
    (void)state;
    test_random random = test_random_start(6301);
    for (int64_t round = 0; round < test_rounds(70); round++) {
        packed_pair p;
        packed_pair_make(&p, round, &random);
        packed_twins twins = {p.packed_ground, p.plain_ground, p.cursor};
        for (int k = 0; k < 3 * NASTY_LINES; k++) {
            lf_ray ray = nasty_grid_ray((nasty_line)(k % NASTY_LINES), &p.nasty, &random);
            packed_ask_ray(&twins, &ray);
        }
        for (int k = 0; k < 40; k++)
            packed_ask_height(&twins, nasty_grid_point(&p.nasty, &random));
        for (int k = 0; k < 10; k++)
            packed_ask_sight(&twins, nasty_grid_point(&p.nasty, &random),
                             nasty_grid_point(&p.nasty, &random));
        for (int k = 0; k < 4; k++)
            ask_motion(&p, nasty_grid_point(&p.nasty, &random), nasty_grid_point(&p.nasty, &random));
        packed_pair_free(&p);
    }
}

/// Edit both alike; afterwards both say the same, and the same as a fresh grid.
static void edits(void **state) {
    (void)state;
    test_random random = test_random_start(6302);
    for (int64_t round = 0; round < test_rounds(60); round++) {
        enum { COLUMNS = 45, ROWS = 37 };
        int16_t heights[COLUMNS * ROWS], patch[20 * 20];
        double read[2][COLUMNS * ROWS];
        lf_grid_def def = lf_grid_def_default();
        lf_grid *grids[2];
        const lf_ground *grounds[2];
        lf_cursor *cursor;
        for (int k = 0; k < COLUMNS * ROWS; k++)
            heights[k] = (int16_t)(test_random_below(&random, 30) + 3 * (k % COLUMNS));
        def.samples = (lf_samples){LF_SAMPLE_INT16, heights, COLUMNS, ROWS, 0, 0, 1, 0, 5, NULL, 0};
        def.samples.scale = round % 2 ? 0.25 : 1;
        def.surface = (lf_surface)(round % 5);
        def.extend = round % 3 == 0;
        assert_int_equal(lf_grid_create(&def, &grids[0], NULL), LF_OK);
        def.codec = (lf_codec)(1 + round % 4);
        assert_int_equal(lf_grid_create(&def, &grids[1], NULL), LF_OK);
        assert_int_equal(lf_cursor_create(NULL, &cursor), LF_OK);
        for (int g = 0; g < 2; g++)
            grounds[g] = lf_grid_ground(grids[g]);
        for (int edit = 0; edit < 6; edit++) {
            int64_t w = 1 + test_random_below(&random, 20), h = 1 + test_random_below(&random, 20);
            for (int k = 0; k < w * h; k++)
                patch[k] = (int16_t)(test_random_below(&random, 200) - 100);
            lf_samples samples = {LF_SAMPLE_INT16, patch, w, h, 0, 0, def.samples.scale, 0, 5, NULL, 0};
            int64_t column = test_random_below(&random, COLUMNS - w + 1),
                    row = test_random_below(&random, ROWS - h + 1);
            for (int g = 0; g < 2; g++)
                assert_int_equal(lf_grid_edit(grids[g], column, row, &samples, NULL, NULL), LF_OK);
            for (int g = 0; g < 2; g++)
                assert_int_equal(lf_grid_read(grids[g], 0, 0, COLUMNS, ROWS, read[g]), LF_OK);
            for (int k = 0; k < COLUMNS * ROWS; k++)
                assert_true(read[0][k] == read[1][k] || (isnan(read[0][k]) && isnan(read[1][k])));
            lf_grid_info of[2] = {lf_grid_describe(grids[0]), lf_grid_describe(grids[1])};
            assert_true(of[0].low == of[1].low && of[0].high == of[1].high &&
                        of[0].hole_count == of[1].hole_count);
            for (int k = 0; k < 60; k++) {
                lf_vec3 from = {test_random_between(&random, -3, COLUMNS + 3),
                                test_random_between(&random, -3, ROWS + 3),
                                test_random_between(&random, -50, 150)};
                lf_vec3 to = {test_random_between(&random, -3, COLUMNS + 3),
                              test_random_between(&random, -3, ROWS + 3),
                              test_random_between(&random, -50, 150)};
                lf_ray ray = lf_ray_between(from, to);
                lf_hit a, b;
                assert_int_equal(lf_ground_ray_first(grounds[0], &ray, &a, NULL), LF_OK);
                assert_int_equal(lf_ground_ray_first(grounds[1], &ray, &b, cursor), LF_OK);
                same(&a, &b);
            }
        }
        lf_cursor_destroy(cursor);
        for (int g = 0; g < 2; g++) {
            lf_grid_destroy(grids[g]);
        }
    }
}

/// A ray between places over, on and under the ground, now and then along a line of samples or through samples.
static lf_ray some_ray(const double *heights, int64_t columns, int64_t rows, test_random *random) {
    lf_vec3 ends[2];
    int64_t kind = test_random_below(random, 6);
    for (int e = 0; e < 2; e++) {
        int64_t i = test_random_below(random, columns), j = test_random_below(random, rows);
        double h = isnan(heights[j * columns + i]) ? 10 : heights[j * columns + i];
        ends[e] = (lf_vec3){(double)i, (double)j, h + (kind == 0 ? 0 : test_random_between(random, -3, 25))};
        if (kind > 1) {
            ends[e].x += test_random_between(random, -3, 3);
            ends[e].y += test_random_between(random, -3, 3);
        }
    }
    if (kind == 2)
        ends[1].y = ends[0].y = floor(ends[0].y);
    if (kind == 3)
        ends[1].x = ends[0].x;
    if (lf_vec3_dot(lf_vec3_sub(ends[1], ends[0]), lf_vec3_sub(ends[1], ends[0])) == 0)
        ends[1].z += 1;
    return lf_ray_between(ends[0], ends[1]);
}

/// Grids of many blocks of blocks, which rays leave out by their bounds, with holes and without, of 16-bit samples as
/// they are and with a scale.
static void rays_over_many_blocks(void **state) {
    (void)state;
    enum { COLUMNS = 290, ROWS = 210 };
    test_random random = test_random_start(6304);
    int16_t *samples = test_space(COLUMNS * ROWS, sizeof *samples);
    double *heights = test_space(COLUMNS * ROWS, sizeof *heights);
    for (int64_t round = 0; round < test_rounds(10); round++) {
        lf_grid_def def = lf_grid_def_default();
        lf_grid *grids[2];
        const lf_ground *grounds[2];
        lf_cursor *cursor;
        double phase = test_random_between(&random, 0, 6);
        for (int k = 0; k < COLUMNS * ROWS; k++)
            samples[k] =
                round % 2 && test_random_below(&random, 900) == 0
                    ? INT16_MIN
                    : (int16_t)(900 * sin(0.05 * (k % COLUMNS) + phase) * cos(0.03 * (double)(k / COLUMNS)) +
                                (double)test_random_below(&random, 60));
        def.samples =
            (lf_samples){LF_SAMPLE_INT16, samples, COLUMNS, ROWS, 0, 0, 0.03, 5, INT16_MIN, NULL, 0};
        def.samples.scale = round % 3 ? 0.03 : 1;
        def.surface = (lf_surface)(round / 2 % 5);
        def.extend = def.surface != LF_SURFACE_POINT && test_random_below(&random, 2) == 0;
        assert_int_equal(lf_grid_create(&def, &grids[1], NULL), LF_OK);
        def.codec = (lf_codec)(round % 5 == 4   ? LF_CODEC_D4
                               : round % 4 == 1 ? LF_CODEC_MAXPLUS
                                                : LF_CODEC_PACK);
        assert_int_equal(lf_grid_create(&def, &grids[0], NULL), LF_OK);
        for (int g = 0; g < 2; g++)
            grounds[g] = lf_grid_ground(grids[g]);
        assert_int_equal(lf_cursor_create(NULL, &cursor), LF_OK);
        assert_int_equal(lf_grid_read(grids[1], 0, 0, COLUMNS, ROWS, heights), LF_OK);
        packed_twins twins = {grounds[0], grounds[1], cursor};
        for (int k = 0; k < (def.codec == LF_CODEC_D4 ? 40 : 400); k++) {
            lf_ray ray = some_ray(heights, COLUMNS, ROWS, &random);
            packed_ask_ray(&twins, &ray);
        }
        lf_cursor_destroy(cursor);
        for (int g = 0; g < 2; g++) {
            lf_grid_destroy(grids[g]);
        }
    }
    free(heights);
    free(samples);
}

/// Points that are inside of cells, on their lines, beyond the grid; above and below the surface.
static void scatter(lf_vec3 *points, int64_t count, int64_t side, test_random *random) {
    for (int64_t k = 0; k < count; k++) {
        double x = test_random_between(random, -2, (double)side + 1),
               y = test_random_between(random, -2, (double)side + 1);
        points[k] = (lf_vec3){k % 9 ? x : floor(x), k % 7 ? y : floor(y),
                              k % 5 ? 100 : test_random_between(random, -25, 25)};
    }
}

/// The batch of a grid made for plain instructions, or for all, against its single answers.
static void compare_many(const lf_grid_def *def, bool plain, lf_vec3 *points, int64_t count, double *found) {
    lf_grid *grid;
    const lf_ground *ground;
    int64_t step = def->codec == LF_CODEC_HAAR ? 97 : 2; // each of its answers takes a tile of its own
    grid_bench_plain(plain);
    assert_int_equal(lf_grid_create(def, &grid, NULL), LF_OK);
    grid_bench_plain(false);
    ground = lf_grid_ground(grid);
    for (int look = 0; look < 2; look++) {
        points[count / 2].z = look == LF_VERTICAL_DOWN ? LF_INFINITY : 0;
        assert_int_equal(lf_ground_heights_many(ground, points, 0, count, (lf_vertical)look, found, 0, NULL),
                         LF_OK);
        for (int64_t k = look; k < count; k += step) {
            lf_hit hit;
            assert_int_equal(lf_ground_height(ground, points[k], (lf_vertical)look, &hit, NULL), LF_OK);
            assert_true(hit.kind == LF_HIT_NONE ? isnan(found[k]) : found[k] == hit.point.z);
        }
    }
    lf_grid_destroy(grid);
}

/// So many points that they are brought into the order of tiles, once in several parts: the same heights as one by one.
static void very_many_heights(void **state) {
    (void)state;
    enum { SIDE = 150, FEW = 66000, MANY = 270000 };
    test_random random = test_random_start(6303);
    float *heights = test_space(SIDE * SIDE, sizeof *heights);
    lf_vec3 *points = test_space(MANY, sizeof *points);
    double *found = test_space(MANY, sizeof *found);
    for (int64_t round = 0; round < test_rounds(5); round++) {
        lf_grid_def def = lf_grid_def_default();
        for (int k = 0; k < SIDE * SIDE; k++)
            heights[k] = round % 2 && test_random_below(&random, 300) == 0
                             ? NAN
                             : (float)(20 * sin(0.1 * (k % SIDE)) + test_random_between(&random, 0, 3));
        def.samples.values = heights;
        def.samples.columns = def.samples.rows = SIDE;
        def.surface = (lf_surface)(round % 5);
        def.extend = def.surface != LF_SURFACE_POINT && test_random_below(&random, 2) == 0;
        def.codec = (lf_codec)(round % 5 == 3 ? LF_CODEC_HAAR : round % 3 ? LF_CODEC_PACK : LF_CODEC_MAXPLUS);
        def.max_error = 0.01;
        int64_t count = round % 5 == 1 ? MANY : FEW;
        scatter(points, count, SIDE, &random);
        compare_many(&def, true, points, FEW, found);
        compare_many(&def, false, points, count, found);
    }
    free(found);
    free(points);
    free(heights);
}

/// More tiles than half of the points that are usually sorted together: then more of them are.
static void many_tiles(void **state) {
    (void)state;
    enum { COLUMNS = 70000, ROWS = 130, POINTS = 300000 };
    test_random random = test_random_start(6304);
    int16_t *heights = test_space((size_t)COLUMNS * ROWS, sizeof *heights);
    lf_vec3 *points = test_space(POINTS, sizeof *points);
    double *found = test_space(POINTS, sizeof *found);
    for (int64_t k = 0; k < (int64_t)COLUMNS * ROWS; k++)
        heights[k] = (int16_t)(k * 7 % 101 + k / COLUMNS);
    lf_grid_def def = lf_grid_def_default();
    def.samples.type = LF_SAMPLE_INT16;
    def.samples.values = heights;
    def.samples.columns = COLUMNS;
    def.samples.rows = ROWS;
    def.codec = LF_CODEC_PACK;
    scatter(points, POINTS, ROWS, &random);
    for (int64_t k = 0; k < POINTS; k++)
        points[k].x *= (double)COLUMNS / ROWS;
    compare_many(&def, false, points, POINTS, found);
    free(found);
    free(points);
    free(heights);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_question), cmocka_unit_test(edits),
                                       cmocka_unit_test(rays_over_many_blocks),
                                       cmocka_unit_test(very_many_heights), cmocka_unit_test(many_tiles)};
    return cmocka_run_group_tests_name("oracle: compressed grids", tests, NULL, NULL);
}
