// Edits: after each the grid answers as one that is made of the new heights; what they cost; that they are
// all or nothing.
#include "brute.h"
#include "support.h"
#include <landfall/ground.h>
#include <stdlib.h>
#include <string.h>

typedef struct field {
    lf_grid_def def;
    lf_grid *grid;
    double heights[40 * 40]; ///< as they should be; NAN: hole
} field;

static void field_make(field *f, lf_surface surface, bool extend, test_random *random) {
    f->def = lf_grid_def_default();
    f->def.samples.type = LF_SAMPLE_DOUBLE;
    f->def.samples.values = f->heights;
    f->def.samples.columns = 2 + test_random_below(random, 39);
    f->def.samples.rows = 2 + test_random_below(random, 39);
    f->def.surface = surface;
    f->def.extend = extend;
    f->def.leaf = 1 << test_random_below(random, 4);
    bool holes = test_random_below(random, 2) == 0;
    for (int k = 0; k < 40 * 40; k++)
        f->heights[k] =
            holes && test_random_below(random, 9) == 0 ? LF_NAN : (double)test_random_below(random, 9);
    assert_int_equal(lf_grid_create(&f->def, &f->grid, NULL), LF_OK);
}

/// Edit a rectangle; a few holes among the heights, sometimes all of it, sometimes none.
static void edit_any(field *f, test_random *random) {
    double fresh[40 * 40];
    int64_t columns = f->def.samples.columns, rows = f->def.samples.rows;
    lf_samples samples = lf_grid_def_default().samples;
    int64_t column = test_random_below(random, columns), row = test_random_below(random, rows);
    int64_t holes = test_random_below(random, 4) == 0 ? 1 : 6 + 1000 * test_random_below(random, 2);
    samples.type = LF_SAMPLE_DOUBLE;
    samples.values = fresh;
    samples.columns = 1 + test_random_below(random, columns - column);
    samples.rows = 1 + test_random_below(random, rows - row);
    for (int64_t k = 0; k < samples.columns * samples.rows; k++) {
        bool hole = test_random_below(random, holes) == 0;
        fresh[k] = hole ? LF_NAN : test_random_between(random, -20, 20);
        f->heights[(row + k / samples.columns) * columns + column + k % samples.columns] = fresh[k];
    }
    assert_int_equal(lf_grid_edit(f->grid, column, row, &samples, NULL, NULL), LF_OK);
}

static void same_description(const lf_grid *edited, const lf_grid *fresh) {
    lf_grid_info a = lf_grid_describe(edited), b = lf_grid_describe(fresh);
    assert_int_equal(a.hole_count, b.hole_count);
    assert_true(a.low == b.low && a.high == b.high);
    assert_memory_equal(&a.box, &b.box, sizeof a.box);
}

static lf_vec3 any_point(const field *f, test_random *random) {
    lf_vec3 p = {test_random_between(random, -1, (double)f->def.samples.columns),
                 test_random_between(random, -1, (double)f->def.samples.rows), 0};
    bool whole = test_random_below(random, 3) == 0;
    p.z = test_random_between(random, -25, 25);
    return whole ? (lf_vec3){floor(p.x), floor(2 * p.y) / 2, p.z} : p;
}

static void same_answers(const field *f, test_random *random) {
    lf_grid *fresh;
    const lf_ground *grounds[2];
    assert_int_equal(lf_grid_create(&f->def, &fresh, NULL), LF_OK);
    grounds[0] = lf_grid_ground(f->grid);
    grounds[1] = lf_grid_ground(fresh);
    same_description(f->grid, fresh);
    for (int k = 0; k < 20; k++) {
        lf_vec3 from = any_point(f, random), to = any_point(f, random);
        lf_ray ray = lf_ray_between(from, to);
        lf_hit hits[2][4];
        int64_t counts[2];
        memset(hits, 0, sizeof hits);
        for (int g = 0; g < 2; g++) {
            assert_int_equal(lf_ground_height(grounds[g], from, LF_VERTICAL_DOWN, &hits[g][0], NULL), LF_OK);
            assert_int_equal(lf_ground_ray_first(grounds[g], &ray, &hits[g][1], NULL), LF_OK);
            assert_true(lf_ground_ray_all(grounds[g], &ray, &hits[g][2], 2, &counts[g], NULL) >= LF_OK);
        }
        assert_int_equal(counts[0], counts[1]);
        for (int i = 0; i < 4; i++)
            assert_true(oracle_same_hit(&hits[0][i], &hits[1][i]));
    }
    lf_grid_destroy(fresh);
}

/// 2000 edits, holes coming and going.
static void equal_fresh_grids(void **state) {
    (void)state;
    test_random random = test_random_start(4200);
    for (int round = 0; round < 40; round++) {
        field f;
        field_make(&f, (lf_surface)(round % 5), round % 2 == 0, &random);
        for (int k = 0; k < 50; k++) {
            edit_any(&f, &random);
            same_answers(&f, &random);
        }
        lf_grid_destroy(f.grid);
    }
}

static lf_samples one_sample(const double *height) {
    lf_samples samples = lf_grid_def_default().samples;
    samples.type = LF_SAMPLE_DOUBLE;
    samples.values = height;
    samples.columns = samples.rows = 1;
    return samples;
}

/// One sample of a million: a block of extremes, the smallest bounded blocks, and the ancestors. On level ground, where bounds
/// tell nothing, and when the only peak goes away.
static void cost_of_the_rectangle(void **state) {
    (void)state;
    int64_t side = 1025;
    float *heights = calloc((size_t)(side * side), sizeof *heights);
    assert_non_null(heights);
    lf_grid_def def = lf_grid_def_default();
    def.samples.values = heights;
    def.samples.columns = def.samples.rows = side;
    lf_grid *grid;
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    for (int k = 0; k < 4; k++) {
        double height = k % 2 ? 0 : 500;
        lf_samples samples = one_sample(&height);
        lf_grid_edit_cost cost = {0, 0};
        assert_int_equal(lf_grid_edit(grid, 300 + k / 2, 511, &samples, &cost, NULL), LF_OK);
        assert_true(cost.samples >= 1 && cost.samples <= 64 * 64 + 4 * 81 + 4 * 9 + 3);
        assert_true(cost.nodes >= 10 && cost.nodes <= 4 * 11 + 6);
        assert_true(lf_grid_describe(grid).high == height && lf_grid_describe(grid).low == 0);
    }
    lf_grid_destroy(grid);
    free(heights);
}

// ---------------------------------------------------------------------------------------------------
// All or nothing
// ---------------------------------------------------------------------------------------------------

static lf_grid *whole_numbers(const int16_t *values, const lf_host *host) {
    lf_grid_def def = lf_grid_def_default();
    if (host)
        def.host = *host;
    def.samples.type = LF_SAMPLE_INT16;
    def.samples.values = values;
    def.samples.columns = def.samples.rows = 3;
    def.samples.scale = 0.1;
    def.samples.offset = 100;
    lf_grid *grid = NULL;
    lf_grid_create(&def, &grid, NULL);
    return grid;
}

static void heights_that_do_not_fit(void **state) {
    (void)state;
    const int16_t values[9] = {0};
    lf_grid *grid = whole_numbers(values, NULL);
    double heights[2] = {-7 * 0.1 + 100, 3 * 0.1 + 100};
    lf_samples samples = one_sample(heights);
    lf_error error;
    samples.columns = 2;
    assert_int_equal(lf_grid_edit(grid, 1, 1, &samples, NULL, NULL), LF_OK);
    assert_true(lf_grid_sample(grid, 1, 1) == heights[0] && lf_grid_sample(grid, 2, 1) == heights[1]);
    static const double bad[3] = {100.05, 1e31, 32768 * 0.1 + 100};
    for (int k = 0; k < 3; k++) {
        double more[2] = {100, bad[k]};
        samples.values = more;
        assert_int_equal(lf_grid_edit(grid, 1, 1, &samples, NULL, &error), LF_BAD_ARGUMENT);
        assert_int_equal(error.where, 1);
        assert_true(lf_grid_sample(grid, 1, 1) == heights[0]);
    }
    lf_grid_destroy(grid);
}

static void rectangles_that_do_not_fit(void **state) {
    (void)state;
    static const int64_t places[7][2] = {{-1, 0},        {0, -1},        {2, 0}, {0, 2},
                                         {INT64_MAX, 0}, {0, INT64_MIN}, {3, 3}};
    const double heights[9] = {0}, ones[4] = {1, 1, 1, 1};
    lf_samples samples = one_sample(ones);
    samples.columns = samples.rows = 2;
    lf_grid_def def = lf_grid_def_default();
    def.samples = one_sample(heights);
    def.samples.columns = def.samples.rows = 3;
    lf_grid *grid;
    for (int borrow = 1; borrow >= 0; borrow--) {
        def.borrow = borrow;
        assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
        for (int k = 0; k < 7; k++)
            assert_int_equal(lf_grid_edit(grid, places[k][0], places[k][1], &samples, NULL, NULL),
                             LF_BAD_ARGUMENT);
        assert_int_equal(lf_grid_edit(grid, 0, 0, NULL, NULL, NULL), LF_BAD_ARGUMENT);
        assert_int_equal(lf_grid_edit(NULL, 0, 0, &samples, NULL, NULL), LF_BAD_ARGUMENT);
        assert_int_equal(lf_grid_edit(grid, 1, 1, &samples, NULL, NULL), borrow ? LF_BAD_ARGUMENT : LF_OK);
        assert_true(lf_grid_sample(grid, 2, 2) == (borrow ? 0 : 1));
        lf_grid_destroy(grid);
    }
}

/// Make a grid without holes and put one in.
static lf_status attempt(const lf_host *host, void *user) {
    const int16_t values[9] = {0};
    const double hole = LF_NAN;
    lf_samples samples = one_sample(&hole);
    (void)user;
    lf_grid *grid = whole_numbers(values, host);
    if (!grid)
        return LF_NO_MEMORY;
    lf_status status = lf_grid_edit(grid, 1, 1, &samples, NULL, NULL);
    assert_int_equal(lf_grid_describe(grid).hole_count, status == LF_OK);
    assert_int_equal(isnan(lf_grid_sample(grid, 1, 1)), status == LF_OK);
    lf_grid_destroy(grid);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    test_out_of_memory(attempt, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_fresh_grids),       cmocka_unit_test(cost_of_the_rectangle),
        cmocka_unit_test(heights_that_do_not_fit), cmocka_unit_test(rectangles_that_do_not_fit),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests_name("grid: edits", tests, NULL, NULL);
}
