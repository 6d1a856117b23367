// Grids that are edited again and again answer as grids made of the new heights.
#include "brute.h"
#include "grid_oracle.h"
#include <stdlib.h>
#include <string.h>

typedef struct counts {
    int64_t accepted, refused;
} counts;

typedef struct rectangle {
    int64_t column, row, columns, rows;
} rectangle;

static rectangle any_rectangle(const exact_grid *grid, test_random *random) {
    int64_t column = test_random_below(random, grid->columns), row = test_random_below(random, grid->rows);
    int64_t most = test_random_below(random, 4) == 0 ? 100 : 3;
    int64_t columns = 1 + test_random_below(random, most), rows = 1 + test_random_below(random, most);
    if (columns > grid->columns - column)
        columns = grid->columns - column;
    if (rows > grid->rows - row)
        rows = grid->rows - row;
    return (rectangle){column, row, columns, rows};
}

static bool same_number(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

static void check_samples(const grid_bench *bench, const lf_grid *grid) {
    for (int64_t i = 0; i < bench->exact.columns * bench->exact.rows; i++)
        assert_true(same_number(lf_grid_sample(grid, i % bench->exact.columns, i / bench->exact.columns),
                                bench->exact.heights[i]));
}

/// Work is that of the rectangle, of the leaves it touches, and of their ancestors.
static void check_cost(const grid_bench *bench, const rectangle *r, const lf_grid_edit_cost *cost) {
    int64_t leaf = lf_grid_describe(bench->best.grid).leaf, nodes = 0;
    int64_t block = leaf > 8 ? leaf : 8; // bottoms are kept of no smaller blocks
    int64_t leaves = ((r->columns + 2) / leaf + 2) * ((r->rows + 2) / leaf + 2);
    int64_t blocks = ((r->columns + 2) / block + 2) * ((r->rows + 2) / block + 2);
    int64_t extremes = ((r->columns + 2) / 64 + 2) * ((r->rows + 2) / 64 + 2);
    int levels = lf_grid_pyramid_size(bench->exact.columns + 2, bench->exact.rows + 2, (int)leaf).levels;
    for (int level = 0; level < levels + 1; level++)
        nodes += (((r->columns + 2) / leaf >> level) + 2) * (((r->rows + 2) / leaf >> level) + 2);
    nodes += 2 * extremes;
    assert_true(cost->nodes <= nodes);
    assert_true(cost->samples >= r->columns * r->rows);
    assert_true(cost->samples <= 3 * (r->columns + 2) * (r->rows + 2) + leaves * (leaf + 1) * (leaf + 1) +
                                     blocks * (block + 1) * (block + 1) + extremes * 64 * 64);
}

/// What a grid can certainly hold: doubles anything; its own kind of sample what is not one of its own holes.
static bool must_take(const nasty_grid *nasty, const lf_samples *samples, const double *heights,
                      int64_t count) {
    const lf_samples *own = &nasty->def.samples;
    bool same = samples->type == own->type && samples->scale == own->scale && samples->offset == own->offset;
    bool plain = own->type == LF_SAMPLE_DOUBLE && own->scale == 1 && own->offset == 0;
    for (int64_t i = 0; i < count; i++)
        if (isnan(heights[i]) || heights[i] == own->nodata * own->scale + own->offset)
            return false;
    return !nasty->def.borrow && (same || plain);
}

/// Edit both grids of the bench, and the heights that the oracle knows; or be refused, and change nothing.
static void edit(grid_bench *bench, counts *counts, test_random *random) {
    rectangle r = any_rectangle(&bench->exact, random);
    int64_t count = r.columns * r.rows, columns = bench->exact.columns;
    double *heights = test_space(count, sizeof *heights);
    for (int64_t i = 0; i < count; i++) {
        double other = bench->exact.heights[test_random_below(random, columns * bench->exact.rows)];
        heights[i] = isnan(other) || i % 2 ? (double)test_random_below(random, 5) : other;
    }
    const lf_samples *like = test_random_below(random, 3) ? &bench->nasty.def.samples : NULL;
    nasty_samples made = nasty_samples_make(like, heights, r.columns, r.rows, random);
    nasty_grid_decode(&made.samples, heights);
    lf_grid_edit_cost cost = {-1, -1};
    lf_error error = {0};
    lf_status status = lf_grid_edit(bench->best.grid, r.column, r.row, &made.samples, &cost, &error);
    lf_status again = lf_grid_edit(bench->plain.grid, r.column, r.row, &made.samples, NULL, NULL);
    assert_int_equal(status, again);
    if (status == LF_OK) {
        assert_false(bench->nasty.def.borrow);
        for (int64_t i = 0; i < count; i++)
            bench->nasty.heights[(r.row + i / r.columns) * columns + r.column + i % r.columns] = heights[i];
        check_cost(bench, &r, &cost);
        counts->accepted++;
    } else {
        assert_int_equal(status, LF_BAD_ARGUMENT);
        assert_true(error.text[0] != 0);
        if (must_take(&bench->nasty, &made.samples, heights, count))
            fail_msg("an edit was refused: %s", error.text);
        counts->refused++;
    }
    check_samples(bench, bench->best.grid);
    nasty_samples_free(&made);
    free(heights);
}

/// A grid made afresh of the heights as they are now.
static void make_fresh(const grid_bench *bench, grid_place *fresh) {
    lf_grid_def def = bench->nasty.def;
    def.samples = lf_grid_def_default().samples;
    def.samples.type = LF_SAMPLE_DOUBLE;
    def.samples.values = bench->exact.heights;
    def.samples.columns = bench->exact.columns;
    def.samples.rows = bench->exact.rows;
    def.borrow = false;
    assert_int_equal(lf_grid_create(&def, &fresh->grid, NULL), LF_OK);
    fresh->ground = lf_grid_ground(fresh->grid);
}

static void check_description(const lf_grid *edited, const lf_grid *fresh) {
    lf_grid_info a = lf_grid_describe(edited), b = lf_grid_describe(fresh);
    assert_int_equal(a.hole_count, b.hole_count);
    assert_true(a.low == b.low && a.high == b.high);
    assert_true(a.box.low.x == b.box.low.x && a.box.low.y == b.box.low.y && a.box.low.z == b.box.low.z);
    assert_true(a.box.high.x == b.box.high.x && a.box.high.y == b.box.high.y && a.box.high.z == b.box.high.z);
    assert_int_equal(a.leaf, b.leaf);
}

/// Exact, and bit for bit those of the fresh grid.
static void oracle_answers(grid_oracle *oracle, grid_bench *bench, int64_t count, test_random *random) {
    grid_place fresh;
    make_fresh(bench, &fresh);
    check_description(bench->best.grid, fresh.grid);
    for (int64_t i = 0; i < count; i++) {
        lf_ray ray =
            nasty_grid_ray((nasty_line)test_random_below(random, NASTY_LINES), &bench->nasty, random);
        lf_vec3 point = nasty_grid_point(&bench->nasty, random);
        lf_hit hit = grid_oracle_ray(oracle, bench, &ray), other, heights[2];
        assert_int_equal(lf_ground_ray_first(fresh.ground, &ray, &other, NULL), LF_OK);
        if (!oracle_same_hit(&hit, &other))
            grid_oracle_wrong(oracle, bench, &ray, "another ray than on a fresh grid", &hit);
        grid_oracle_height(oracle, bench, point, heights);
        assert_int_equal(lf_ground_height(fresh.ground, point, LF_VERTICAL_DOWN, &other, NULL), LF_OK);
        if (!oracle_same_hit(&heights[0], &other))
            grid_oracle_wrong(oracle, bench, &(lf_ray){point, {0, 0, -1}, 0, LF_INFINITY},
                              "another height than on a fresh grid", &heights[0]);
    }
    lf_grid_destroy(fresh.grid);
}

static void edits_equal_fresh_grids(void **state) {
    (void)state;
    test_random random = test_random_start(4400);
    grid_oracle oracle = {.name = "grid edits"};
    counts counts = {0, 0};
    for (int64_t round = 0; round < test_rounds(3) * NASTY_RELIEFS; round++) {
        nasty_grid nasty;
        grid_bench bench;
        nasty_grid_make(&nasty, (nasty_relief)(round % NASTY_RELIEFS), (lf_surface)(round % 5),
                        round % 3 == 2 ? 20 : 0, &random);
        grid_bench_open(&bench, &nasty);
        for (int64_t i = 0; i < 40; i++) {
            edit(&bench, &counts, &random);
            oracle_answers(&oracle, &bench, 5, &random);
        }
        grid_bench_close(&bench);
    }
    assert_true(counts.accepted > 500);
    grid_oracle_close(&oracle, 10000);
}

/// Rectangles that do not fit are refused.
static void edits_outside_are_refused(void **state) {
    (void)state;
    static const int64_t places[6][2] = {{-1, 0}, {0, -1}, {3, 0}, {0, 3}, {INT64_MAX, 0}, {0, INT64_MIN}};
    const double heights[9] = {0}, one[4] = {1, 1, 1, 1};
    lf_grid_def def = lf_grid_def_default();
    def.samples.type = LF_SAMPLE_DOUBLE;
    def.samples.values = heights;
    def.samples.columns = def.samples.rows = 3;
    lf_samples samples = def.samples;
    samples.values = one;
    samples.columns = samples.rows = 2;
    lf_grid *grid;
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    for (int i = 0; i < 6; i++)
        assert_int_equal(lf_grid_edit(grid, places[i][0], places[i][1], &samples, NULL, NULL),
                         LF_BAD_ARGUMENT);
    assert_int_equal(lf_grid_edit(grid, 2, 1, &samples, NULL, NULL), LF_BAD_ARGUMENT);
    assert_true(lf_grid_describe(grid).high == 0);
    assert_int_equal(lf_grid_edit(grid, 1, 1, &samples, NULL, NULL), LF_OK);
    assert_true(lf_grid_sample(grid, 2, 2) == 1 && lf_grid_sample(grid, 0, 2) == 0);
    lf_grid_destroy(grid);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edits_equal_fresh_grids),
        cmocka_unit_test(edits_outside_are_refused),
    };
    return cmocka_run_group_tests_name("oracle: grid edits", tests, NULL, NULL);
}
