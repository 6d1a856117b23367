// Grids whose x goes round: what makes one wrap, what is refused, samples, edits, files, memory.
#include "files.h"
#include "round_grid.h"
#include <landfall/sight.h>
#include <landfall/store.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 8
#define ROWS 4

/// 8 columns of 45 degrees, 0 .. 315, and space for a repeated one.
static float samples[ROWS][COLUMNS + 1];

static lf_grid_def world(void) {
    lf_grid_def def = lf_grid_def_default();
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i <= COLUMNS; i++)
            samples[j][i] = (float)(10 * j + i % COLUMNS);
    def.samples.values = samples;
    def.samples.columns = COLUMNS;
    def.samples.rows = ROWS;
    def.samples.row_step = sizeof samples[0];
    def.geotransform.per_column = (lf_vec2){45, 0};
    def.geotransform.per_row = (lf_vec2){0, 10};
    def.turn = 360;
    return def;
}

static lf_grid *made(const lf_grid_def *def) {
    lf_grid *grid = NULL;
    lf_error error = {0};
    if (lf_grid_create(def, &grid, &error) != LF_OK)
        fail_msg("%s", error.text);
    return grid;
}

static double height(const lf_grid *grid, double x, double y) {
    const lf_ground *ground;
    lf_hit hit;
    ground = lf_grid_ground(grid);
    assert_int_equal(lf_ground_height(ground, (lf_vec3){x, y, LF_INFINITY}, LF_VERTICAL_DOWN, &hit, NULL),
                     LF_OK);
    return hit.kind == LF_HIT_NONE ? LF_NAN : hit.point.z;
}

/// Columns once or with the first again, borrowed, copied or compressed: all wrap, and have the caller's columns.
static void columns_that_span_the_turn_wrap(void **state) {
    (void)state;
    for (int k = 0; k < 16; k++) {
        lf_grid_def def = world();
        def.repeated = k & 1;
        def.borrow = k & 2;
        def.codec = k & 4 ? LF_CODEC_PACK : LF_CODEC_RAW;
        bool point = k & 8;
        if (point) {
            def.samples.columns = COLUMNS + 1;
            def.repeated = false;
        }
        if (def.borrow && !def.repeated && !point && def.codec == LF_CODEC_RAW)
            continue; // refused, see below
        lf_grid *grid = made(&def);
        lf_grid_info info = lf_grid_describe(grid);
        assert_int_equal(lf_grid_round(grid), COLUMNS);
        assert_int_equal(info.columns, COLUMNS + point);
        assert_int_equal(lf_grid_window(grid).columns, COLUMNS + point);
        assert_true(isnan(lf_grid_sample(grid, COLUMNS + point, 0)));
        double row[COLUMNS + 1];
        assert_int_equal(lf_grid_read(grid, 0, 1, info.columns, 1, row), LF_OK);
        assert_true(row[0] == 10 && row[COLUMNS - 1] == 17);
        assert_int_equal(lf_grid_read(grid, 0, 1, info.columns + 1, 1, row), LF_BAD_ARGUMENT);
        assert_true(info.box.high.x == 360);
        assert_true(height(grid, 337.5, 10) == 13.5); // between the last column and the first
        assert_true(height(grid, -22.5, 10) == 13.5 && height(grid, 697.5, 10) == 13.5);
        assert_true(height(grid, 360, 10) == 10 && height(grid, 0, 10) == 10 && height(grid, -360, 10) == 10);
        lf_vec2 place = lf_grid_locate(grid, (lf_vec2){-90, 20});
        assert_true(place.x == 6 && place.y == 2);
        lf_grid_destroy(grid);
    }
}

/// A part of the world does not wrap, but is found by longitudes of any convention.
static void a_part_of_the_turn_is_found_too(void **state) {
    (void)state;
    lf_grid_def def = world();
    def.samples.columns = 3;
    def.geotransform.origin.x = -135; // -135 .. -45
    lf_grid *grid = made(&def);
    assert_int_equal(lf_grid_round(grid), 0);
    assert_true(height(grid, -112.5, 0) == 0.5 && height(grid, 247.5, 0) == 0.5 &&
                height(grid, 607.5, 0) == 0.5);
    assert_true(isnan(height(grid, 0, 0)) && isnan(height(grid, 180, 0)) && isnan(height(grid, 1e25, 0)));
    const lf_ground *ground;
    lf_sight_rules rules = lf_sight_rules_default();
    lf_sight sight;
    rules.units = LF_MAP_DEGREES;
    ground = lf_grid_ground(grid);
    // 241.5 and -118.5 are one place: ends of mixed conventions are next to each other.
    lf_sight_between(ground, &rules, (lf_vec3){241.5, 1, 50}, (lf_vec3){-118, 1, 50}, &sight, NULL);
    assert_int_equal(sight.verdict, LF_VERDICT_CLEAR);
    assert_true(fabs(sight.length - 55652) < 100 && sight.point.x == 242);
    lf_sight_between(ground, &rules, (lf_vec3){241.5, 1, -5}, (lf_vec3){-118, 1, -5}, &sight, NULL);
    assert_int_equal(sight.verdict, LF_VERDICT_BLOCKED);
    // The short way from 60 W to 150 E leads away from the grid, and comes over nothing.
    lf_sight_between(ground, &rules, (lf_vec3){-30, 1, -5}, (lf_vec3){100, 1, -5}, &sight, NULL);
    assert_int_equal(sight.verdict, LF_VERDICT_CLEAR);
    lf_ray ray = {{300, 1, 1.5}, {-70, 0, 0}, 0, 1}; // 300 is -60
    lf_hit hit;
    assert_int_equal(lf_ground_ray_first(ground, &ray, &hit, NULL), LF_OK);
    assert_true(hit.kind != LF_HIT_NONE && hit.point.x < 300);
    lf_grid_destroy(grid);
}

/// The line over the seam is the short one, and so is what its length and its curve go by.
static void lines_take_the_short_way(void **state) {
    (void)state;
    lf_grid_def def = world();
    def.repeated = true;
    samples[1][4] = 5000; // far from the seam
    lf_grid *grid = made(&def);
    const lf_ground *ground;
    lf_sight_rules rules = lf_sight_rules_default();
    lf_sight sight;
    lf_verdict verdict;
    rules.units = LF_MAP_DEGREES;
    rules.curvature.coefficient = LF_CURVATURE_LIGHT;
    ground = lf_grid_ground(grid);
    lf_vec3 a = {359.75, 10, 100}, b = {0.25, 10, 100};
    lf_sight_between(ground, &rules, a, b, &sight, NULL);
    assert_int_equal(sight.verdict, LF_VERDICT_CLEAR);
    assert_true(sight.point.x == 360.25 && fabs(sight.length - 54807) < 100);
    lf_sight_verdict(ground, &rules, b, a, &verdict, NULL);
    assert_int_equal(verdict, LF_VERDICT_CLEAR);
    lf_profile_point samples[16];
    int64_t count;
    assert_int_equal(lf_sight_profile(ground, &rules, a, b, 0, samples, 16, &count), LF_OK);
    for (int64_t k = 0; k < count; k++)
        assert_true(samples[k].ground >= 10 && samples[k].ground <= 17);
    lf_grid_destroy(grid);
}

static void refuse(lf_grid_def def, const char *words) {
    lf_grid *grid = NULL;
    lf_error error = {0};
    assert_int_equal(lf_grid_create(&def, &grid, &error), LF_BAD_ARGUMENT);
    if (!strstr(error.text, words))
        fail_msg("\"%s\" does not say \"%s\"", error.text, words);
}

static void turns_that_cannot_be(void **state) {
    (void)state;
    lf_grid_def def = world();
    def.turn = -360;
    refuse(def, "turn is -360");
    def.turn = LF_NAN;
    refuse(def, "turn is");
    def = world();
    def.geotransform.per_row.x = 1;
    refuse(def, "must be along x and y");
    def = world();
    def.turn = 300;
    refuse(def, "must not overlap");
    def = world();
    def.borrow = true;
    refuse(def, "must repeat the first column");
    def = world();
    samples[2][3] = 2e30f;
    lf_grid *grid;
    lf_error error;
    assert_int_equal(lf_grid_create(&def, &grid, &error), LF_BAD_ARGUMENT);
    assert_int_equal(error.where, 2 * COLUMNS + 3);
}

/// An alternating surface of an odd number of columns does not fit itself.
static void odd_alternating_surfaces_do_not_wrap(void **state) {
    (void)state;
    lf_grid_def def = world();
    def.turn = 7 * 45;
    def.samples.columns = 7;
    def.surface = LF_SURFACE_ALTERNATING;
    lf_grid *grid = made(&def);
    assert_int_equal(lf_grid_round(grid), 0);
    assert_true(isnan(height(grid, 6.5 * 45, 0)) && height(grid, 8 * 45, 0) == 1);
    lf_grid_destroy(grid);
    def.surface = LF_SURFACE_RISING;
    grid = made(&def);
    assert_int_equal(lf_grid_round(grid), 7);
    lf_grid_destroy(grid);
}

static lf_samples one(const float *value) {
    lf_samples sample = lf_grid_def_default().samples;
    sample.values = value;
    sample.columns = sample.rows = 1;
    return sample;
}

/// The first column is at both ends of the grid: an edit changes both.
static void edits_change_both_sides_of_the_seam(void **state) {
    (void)state;
    lf_grid_def def = world();
    lf_grid *grid = made(&def);
    float high = 100;
    lf_samples sample = one(&high);
    lf_grid_edit_cost cost;
    assert_int_equal(lf_grid_edit(grid, 0, 1, &sample, &cost, NULL), LF_OK);
    assert_true(cost.samples >= 2 && height(grid, 0, 10) == 100 &&
                height(grid, 337.5, 10) == 0.5 * (17 + 100));
    assert_true(lf_grid_describe(grid).high == 100);
    high = NAN;
    assert_int_equal(lf_grid_edit(grid, 0, 1, &sample, NULL, NULL), LF_OK);
    assert_int_equal(lf_grid_describe(grid).hole_count, 1);
    assert_true(isnan(height(grid, 337.5, 10)) && isnan(height(grid, 10, 10)));
    assert_int_equal(lf_grid_edit(grid, COLUMNS, 1, &sample, NULL, NULL), LF_BAD_ARGUMENT);
    lf_grid_destroy(grid);
    def.extend = true;
    grid = made(&def);
    assert_int_equal(lf_grid_edit(grid, 3, 1, &sample, NULL, NULL), LF_BAD_ARGUMENT);
    lf_grid_destroy(grid);
    def.extend = false;
    def.codec = LF_CODEC_PACK;
    grid = made(&def);
    high = 12;
    assert_int_equal(lf_grid_edit(grid, 0, 1, &sample, NULL, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_grid_edit(grid, 3, 1, &sample, NULL, NULL), LF_OK);
    assert_true(height(grid, 135, 10) == 12);
    lf_grid_destroy(grid);
}

/// A file keeps the turn: the same answers, to the bit, with every codec.
static void files_keep_the_turn(void **state) {
    (void)state;
    test_random random = test_random_start(7300);
    for (int k = 0; k < 12; k++) {
        static const lf_codec codecs[] = {LF_CODEC_RAW, LF_CODEC_PACK, LF_CODEC_MAXPLUS};
        round_grid g = round_grid_make(&random, 0, codecs[k % 3]);
        const char *path = test_path("round.lf");
        lf_store_def def = lf_store_def_default();
        lf_store *store = NULL;
        lf_error error = {0};
        def.grid = g.grid;
        assert_int_equal(lf_store_write(path, &def, NULL), LF_OK);
        if (lf_store_open(path, NULL, true, &store, &error) != LF_OK)
            fail_msg("%s", error.text);
        const lf_grid *grid = lf_store_grid(store);
        assert_int_equal(lf_grid_round(grid), g.round);
        assert_int_equal(lf_grid_describe(grid).columns, g.round + g.point);
        for (int n = 0; n < 50; n++) {
            double x = round_grid_turned(&g, &random, round_grid_x(&g, &random)),
                   y = round_grid_y(&g, &random);
            double a = height(grid, x, y), b = height(g.grid, x, y);
            assert_true(a == b || (isnan(a) && isnan(b)));
        }
        lf_store_close(store);
        round_grid_drop(&g);
    }
}

static lf_status look_around(const lf_host *host, void *user) {
    lf_grid_def def = world();
    lf_viewshed_def view = lf_viewshed_def_default();
    lf_observer observer = {{355, 12}, 2, false};
    uint8_t seen[COLUMNS * ROWS];
    lf_grid *grid = NULL;
    (void)user;
    def.host = view.host = *host;
    lf_status status = lf_grid_create(&def, &grid, NULL);
    if (status == LF_OK)
        status = lf_viewshed_visible(lf_grid_ground(grid), &view, &observer, lf_grid_window(grid), seen, 0,
                                     NULL, NULL);
    lf_grid_destroy(grid);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    test_out_of_memory(look_around, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(columns_that_span_the_turn_wrap),
                                       cmocka_unit_test(a_part_of_the_turn_is_found_too),
                                       cmocka_unit_test(lines_take_the_short_way),
                                       cmocka_unit_test(turns_that_cannot_be),
                                       cmocka_unit_test(odd_alternating_surfaces_do_not_wrap),
                                       cmocka_unit_test(edits_change_both_sides_of_the_seam),
                                       cmocka_unit_test(files_keep_the_turn),
                                       cmocka_unit_test(out_of_memory)};
    return cmocka_run_group_tests(tests, test_folder_make, test_folder_remove);
}
