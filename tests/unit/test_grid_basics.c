// Making grids: every sample type, strides, holes, what is refused, memory, the pyramid itself.
#include "grid/grid.h"
#include "support.h"
#include <stdlib.h>
#include <string.h>

static lf_grid *make(const lf_grid_def *def) {
    lf_grid *grid = NULL;
    lf_error error = {0};
    if (lf_grid_create(def, &grid, &error) != LF_OK)
        fail_msg("%s", error.text);
    return grid;
}

static lf_grid_def def_of(const float *values, int64_t columns, int64_t rows) {
    lf_grid_def def = lf_grid_def_default();
    def.samples.values = values;
    def.samples.columns = columns;
    def.samples.rows = rows;
    return def;
}

static void every_type(void **state) {
    (void)state;
    const float floats[6] = {1, 2, 3, 4, 5, 6};
    const double doubles[6] = {1, 2, 3, 4, 5, 6};
    const int16_t shorts[6] = {1, 2, 3, 4, 5, 6};
    const uint16_t words[6] = {1, 2, 3, 4, 5, 6};
    const void *all[4] = {floats, doubles, shorts, words};
    const lf_sample_type types[4] = {LF_SAMPLE_FLOAT, LF_SAMPLE_DOUBLE, LF_SAMPLE_INT16, LF_SAMPLE_UINT16};
    for (int k = 0; k < 8; k++) {
        lf_grid_def def = def_of(all[k / 2], 3, 2);
        def.samples.type = types[k / 2];
        def.samples.scale = 0.1;
        def.samples.offset = -7;
        def.samples.nodata = 5;
        def.borrow = k & 1;
        lf_grid *grid = make(&def);
        assert_true(lf_grid_sample(grid, 0, 0) == 1 * 0.1 + -7);
        assert_true(lf_grid_sample(grid, 2, 1) == 6 * 0.1 + -7);
        assert_true(isnan(lf_grid_sample(grid, 1, 1)) && isnan(lf_grid_sample(grid, 3, 0)) &&
                    isnan(lf_grid_sample(grid, 0, -1)));
        lf_grid_info info = lf_grid_describe(grid);
        assert_true(info.columns == 3 && info.rows == 2 && info.hole_count == 1);
        assert_true(info.low == 1 * 0.1 + -7 && info.high == 6 * 0.1 + -7);
        assert_true(info.box.high.x == 2 && info.box.high.y == 1 && info.box.high.z == info.high);
        lf_grid_destroy(grid);
    }
}

static void strides_and_masks(void **state) {
    (void)state;
    // Upside down, every second sample of a row, rows of seven.
    const float values[21] = {0, 9, 1, 9, 2, 9, 9, 10, 9, 11, 9, 12, 9, 9, 20, 9, 21, 9, 22, 9, 9};
    const uint8_t mask[16] = {1, 1, 1, 7, 7, 1, 0, 1, 7, 7, 1, 1, 1, 7, 7, 7};
    for (int borrow = 0; borrow < 2; borrow++) {
        lf_grid_def def = def_of(values + 14, 3, 3);
        def.samples.column_step = 8;
        def.samples.row_step = -28;
        def.samples.mask = mask;
        def.samples.mask_row_step = 5;
        def.borrow = borrow;
        lf_grid *grid = make(&def);
        assert_true(lf_grid_sample(grid, 0, 0) == 20 && lf_grid_sample(grid, 2, 0) == 22 &&
                    lf_grid_sample(grid, 2, 2) == 2);
        assert_true(isnan(lf_grid_sample(grid, 1, 1)));
        assert_int_equal(lf_grid_describe(grid).hole_count, 1);
        lf_grid_destroy(grid);
    }
}

static void geotransforms(void **state) {
    (void)state;
    const float values[4] = {1, 2, 3, 4};
    lf_grid_def def = def_of(values, 2, 2);
    def.geotransform = (lf_geotransform){{100, 200}, {3, 4}, {-8, 6}};
    lf_grid *grid = make(&def);
    lf_vec2 place = lf_grid_locate(grid, (lf_vec2){100 + 3 - 8, 200 + 4 + 6});
    assert_true(fabs(place.x - 1) < 1e-15 && fabs(place.y - 1) < 1e-15);
    lf_grid_info info = lf_grid_describe(grid);
    assert_true(info.box.low.x == 92 && info.box.high.x == 103 && info.box.low.y == 200 &&
                info.box.high.y == 210);
    lf_grid_destroy(grid);
    def.geotransform = (lf_geotransform){{0, 0}, {30, 0}, {0, 20}};
    grid = make(&def);
    place = lf_grid_locate(grid, (lf_vec2){10, 1e30});
    assert_true(place.x == 1.0 / 30 * 10 && place.y == 1.0 / 20 * 1e30);
    lf_grid_destroy(grid);
}

static void refuse(lf_grid_def def, lf_status status, const char *says) {
    lf_grid *grid = NULL;
    lf_error error = {0};
    assert_int_equal(lf_grid_create(&def, &grid, &error), status);
    assert_null(grid);
    if (!strstr(error.text, says))
        fail_msg("\"%s\" does not say \"%s\"", error.text, says);
}

static void what_is_refused(void **state) {
    (void)state;
    const float values[6] = {1, 2, 3, 4, 2e30f, 6};
    lf_grid_def good = def_of(values, 2, 2), bad = good;
    lf_grid_destroy(make(&good));
    bad.samples.columns = 1;
    refuse(bad, LF_BAD_ARGUMENT, "1 x 2");
    bad = good, bad.samples.rows = -5;
    refuse(bad, LF_BAD_ARGUMENT, "2 x -5");
    bad = good, bad.samples.columns = INT64_MAX / 2, bad.samples.rows = 3;
    refuse(bad, LF_TOO_LARGE, "");
    bad = good, bad.samples.columns = (int64_t)1 << 41, bad.samples.rows = (int64_t)1 << 20;
    refuse(bad, LF_TOO_LARGE, "");
    bad = good, bad.samples.values = NULL;
    refuse(bad, LF_BAD_ARGUMENT, "values is");
    bad = good, bad.samples.type = (lf_sample_type)9;
    refuse(bad, LF_BAD_ARGUMENT, "sample type is 9");
    bad = good, bad.samples.scale = 0;
    refuse(bad, LF_BAD_ARGUMENT, "scale is 0");
    bad = good, bad.samples.offset = LF_NAN;
    refuse(bad, LF_BAD_ARGUMENT, "offset");
    bad = good, bad.samples.column_step = 6;
    refuse(bad, LF_BAD_ARGUMENT, "column_step is 6");
    bad = good, bad.samples.row_step = -7;
    refuse(bad, LF_BAD_ARGUMENT, "row_step is -7");
    bad = good, bad.surface = (lf_surface)5;
    refuse(bad, LF_BAD_ARGUMENT, "surface is 5");
    bad = good, bad.leaf = 3;
    refuse(bad, LF_BAD_ARGUMENT, "leaf is 3");
    bad = good, bad.leaf = 128;
    refuse(bad, LF_BAD_ARGUMENT, "leaf is 128");
    bad = good, bad.extend = bad.borrow = true;
    refuse(bad, LF_BAD_ARGUMENT, "with borrow");
    bad = good, bad.geotransform.per_row = (lf_vec2){2, 0};
    refuse(bad, LF_BAD_ARGUMENT, "geotransform");
    bad = good, bad.geotransform.per_row = (lf_vec2){0, -1};
    refuse(bad, LF_BAD_ARGUMENT, "geotransform");
    bad = good, bad.geotransform.origin.x = LF_INFINITY;
    refuse(bad, LF_BAD_ARGUMENT, "geotransform");
    bad = good, bad.samples.rows = 3;
    refuse(bad, LF_BAD_ARGUMENT, "column 0, row 2");
    lf_error error;
    lf_grid *grid;
    assert_int_equal(lf_grid_create(&bad, &grid, &error), LF_BAD_ARGUMENT);
    assert_int_equal(error.where, 4);
    assert_int_equal(lf_grid_create(&good, NULL, &error), LF_BAD_ARGUMENT);
    lf_grid_destroy(NULL);
    bad = good, bad.samples.nodata = (double)2e30f, bad.samples.rows = 3; // as a hole it is fine
    lf_grid_destroy(make(&bad));
}

static void words_and_defaults(void **state) {
    (void)state;
    assert_string_equal(lf_surface_name(LF_SURFACE_ALTERNATING), "alternating");
    assert_string_equal(lf_surface_name((lf_surface)77), "?");
    lf_grid_def def;
    def = lf_grid_def_default();
    assert_true(def.size == sizeof def && def.samples.scale == 1 && isnan(def.samples.nodata));
    lf_pyramid_size size = lf_grid_pyramid_size(8193, 8193, 8);
    assert_true(size.levels == 11 && size.nodes == 1398101);
    size = lf_grid_pyramid_size(8193, 8193, 1);
    assert_true(size.levels == 14 && size.nodes == 89478485);
    assert_true(lf_grid_pyramid_size(1, 5, 8).nodes == 0 && lf_grid_pyramid_size(5, 5, 5).nodes == 0);
    assert_true(lf_grid_pyramid_size(INT64_MAX, INT64_MAX, 1).nodes == 0);
}

// ---------------------------------------------------------------------------------------------------
// The pyramid
// ---------------------------------------------------------------------------------------------------

typedef struct range {
    double low, high;
} range;

static void add_height(range *r, const lf_grid *grid, int64_t i, int64_t j) {
    if (i < grid->first || j < grid->first || i >= grid->columns - grid->first ||
        j >= grid->rows - grid->first || lf__grid_is_void(grid, i, j))
        return;
    double h = lf__grid_height(grid, i, j);
    r->low = fmin(r->low, h);
    r->high = fmax(r->high, h);
}

/// What a square's surface reaches, looked up the plain way.
static range square_range(const lf_grid *grid, int64_t i, int64_t j) {
    range r = {LF_INFINITY, -LF_INFINITY};
    if (grid->surface == LF_SURFACE_POINT) {
        if (lf__grid_is_void(grid, i, j))
            return r;
        add_height(&r, grid, i - 1, j);
        add_height(&r, grid, i + 1, j);
        add_height(&r, grid, i, j - 1);
        add_height(&r, grid, i, j + 1);
        r.high = lf__grid_height(grid, i, j);
        r.low = fmin(r.low, r.high);
        return r;
    }
    bool falls =
        grid->surface == LF_SURFACE_FALLING || (grid->surface == LF_SURFACE_ALTERNATING && (i + j) % 2 == 0);
    bool patch = grid->surface == LF_SURFACE_BILINEAR;
    for (int left_out = falls ? 0 : 1, k = 0; k < 2;
         k++, left_out = 3 - left_out) { // a triangle has three of the corners
        bool exists = true;
        for (int c = 0; c < 4; c++)
            exists &= (c == left_out && !patch) || !lf__grid_is_void(grid, i + c % 2, j + c / 2);
        for (int c = 0; c < 4 && exists; c++)
            if (c != left_out || patch)
                add_height(&r, grid, i + c % 2, j + c / 2);
    }
    return r;
}

/// Is one of a square's samples a void?
static bool has_void(const lf_grid *grid, int64_t i, int64_t j) {
    bool samples = grid->surface == LF_SURFACE_POINT;
    return lf__grid_is_void(grid, i, j) ||
           (!samples && (lf__grid_is_void(grid, i + 1, j) || lf__grid_is_void(grid, i, j + 1) ||
                         lf__grid_is_void(grid, i + 1, j + 1)));
}

/// How high the squares of a finest block reach, together with those around it where one of its own is a gap.
static double finest_high(const lf_grid *grid, int64_t bx, int64_t by) {
    int64_t side = grid->leaf;
    bool gap = false;
    for (int64_t j = by * side; j < (by + 1) * side && j < grid->square_rows; j++)
        for (int64_t i = bx * side; i < (bx + 1) * side && i < grid->square_columns; i++)
            gap |= lf__grid_gap(grid, grid->first + i, grid->first + j);
    int64_t ring = gap && grid->surface != LF_SURFACE_POINT;
    double high = -LF_INFINITY;
    for (int64_t j = by * side - ring; j < (by + 1) * side + ring; j++)
        for (int64_t i = bx * side - ring; i < (bx + 1) * side + ring; i++)
            if (i >= 0 && j >= 0 && i < grid->square_columns && j < grid->square_rows)
                high = fmax(high, square_range(grid, grid->first + i, grid->first + j).high);
    return high;
}

static void check_top(const lf_grid *grid, int l, int64_t bx, int64_t by) {
    const lf__grid_level *level = &grid->levels[l], *finest = &grid->levels[grid->first_top];
    int64_t side = (int64_t)1 << (l - grid->first_top);
    double high = -LF_INFINITY, top = lf__grid_top(grid, level->top[by * level->stride + bx]);
    for (int64_t y = by * side; y < (by + 1) * side && y < finest->rows; y++)
        for (int64_t x = bx * side; x < (bx + 1) * side && x < finest->columns; x++)
            high = fmax(high, finest_high(grid, x, y));
    assert_true(high > -LF_INFINITY ? top >= high && top - high <= 1.001 * grid->quantum
                                    : top == -LF_INFINITY);
}

static void check_block(const lf_grid *grid, int l, int64_t bx, int64_t by) {
    const lf__grid_level *level = &grid->levels[l];
    range r = {LF_INFINITY, -LF_INFINITY};
    for (int64_t j = by << l; j < (by + 1) << l && j < grid->square_rows; j++)
        for (int64_t i = bx << l; i < (bx + 1) << l && i < grid->square_columns; i++) {
            range one = square_range(grid, grid->first + i, grid->first + j);
            int64_t x = grid->first + i, y = grid->first + j;
            assert_int_equal(lf__grid_gap(grid, x, y), has_void(grid, x, y));
            assert_int_equal(lf__grid_parts(grid, x, y) != 0, one.low <= one.high);
            r.low = fmin(r.low, one.low);
            r.high = fmax(r.high, one.high);
        }
    int64_t at = by * level->stride + bx;
    bool any = r.low <= r.high;
    if (level->top)
        check_top(grid, l, bx, by);
    if (level->bottom) {
        double bottom = lf__grid_bottom(grid, level->bottom[at]);
        assert_true(any ? bottom <= r.low && r.low - bottom <= 1.001 * grid->quantum : bottom == LF_INFINITY);
    }
}

static void check_pyramid(const lf_grid *grid) {
    for (int l = 0; l < grid->level_count; l++) {
        const lf__grid_level *level = &grid->levels[l];
        assert_int_equal(level->top != NULL, l >= grid->first_top);
        assert_int_equal(level->bottom != NULL, l >= grid->first_bottom);
        for (int64_t by = 0; by < level->rows; by++)
            for (int64_t bx = 0; bx < level->columns; bx++)
                check_block(grid, l, bx, by);
        for (int64_t bx = -1; bx <= level->columns && level->top; bx++) {
            assert_int_equal(level->top[-level->stride + bx], LF__GRID_TOP_NOTHING);
            assert_int_equal(level->top[level->rows * level->stride + bx], LF__GRID_TOP_NOTHING);
            if (level->bottom)
                assert_int_equal(level->bottom[-level->stride + bx], LF__GRID_BOTTOM_NOTHING);
        }
    }
}

static void bounds_bound(void **state) {
    (void)state;
    test_random random = test_random_start(4201);
    lf_tasks tasks = test_tasks(3);
    for (int round = 0; round < 60; round++) {
        int64_t columns = 2 + test_random_below(&random, 70), rows = 2 + test_random_below(&random, 40);
        float *values = malloc((size_t)(columns * rows) * sizeof *values);
        assert_non_null(values);
        bool holes = test_random_below(&random, 2);
        double size = round % 3 == 0 ? 1e-20 : round % 3 == 1 ? 1000 : 1e29;
        for (int64_t k = 0; k < columns * rows; k++)
            values[k] = holes && test_random_below(&random, 9) == 0
                            ? NAN
                            : (float)test_random_between(&random, -size, size);
        lf_grid_def def = def_of(values, columns, rows);
        def.surface = (lf_surface)test_random_below(&random, 5);
        def.leaf = 1 << test_random_below(&random, 7);
        def.extend = test_random_below(&random, 2);
        def.borrow = !def.extend && test_random_below(&random, 2);
        if (test_random_below(&random, 2))
            def.host.tasks = &tasks;
        lf_grid *grid = make(&def);
        check_pyramid(grid);
        lf_grid_destroy(grid);
        free(values);
    }
}

static void memory_beyond_the_heights(void **state) {
    (void)state;
    int64_t side = 1025;
    float *values = calloc((size_t)(side * side), sizeof *values);
    assert_non_null(values);
    values[77] = NAN; // with holes noted
    lf_grid_def def = def_of(values, side, side);
    def.borrow = true;
    lf_grid *grid = make(&def);
    assert_true(lf_grid_describe(grid).bytes <= (size_t)(side * side));
    assert_int_equal(lf_grid_describe(grid).pyramid_bytes, lf_grid_pyramid_size(side, side, 2).bytes);
    lf_grid_destroy(grid);
    def.leaf = 1;
    grid = make(&def);
    assert_true(lf_grid_describe(grid).bytes <= (size_t)(3 * side * side));
    lf_grid_destroy(grid);
    free(values);
}

static lf_status attempt(const lf_host *host, void *user) {
    lf_grid_def def = *(const lf_grid_def *)user;
    def.host = *host;
    lf_grid *grid = NULL;
    lf_status status = lf_grid_create(&def, &grid, NULL);
    if (status == LF_OK)
        lf_grid_destroy(grid);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    const float values[6] = {1, NAN, 3, 4, 5, 6};
    lf_grid_def def = def_of(values, 3, 2);
    test_out_of_memory(attempt, &def);
}

static bool stop_at(void *user, const char *stage, int64_t done, int64_t total) {
    (void)stage;
    assert_true(done >= 0 && done <= total);
    return --*(int *)user >= 0;
}

static void can_be_cancelled(void **state) {
    (void)state;
    const float values[6] = {1, NAN, 3, 4, 5, 6};
    for (int after = 0;; after++) {
        int left = after;
        test_memory memory;
        test_memory_start(&memory, -1);
        lf_progress progress = {&left, stop_at};
        lf_grid_def def = def_of(values, 3, 2);
        def.host.progress = &progress;
        def.host.allocator = &memory.allocator;
        lf_grid *grid = NULL;
        lf_status status = lf_grid_create(&def, &grid, NULL);
        lf_grid_destroy(grid);
        assert_int_equal(memory.blocks_out, 0);
        if (status == LF_OK) {
            assert_true(after > 3);
            break;
        }
        assert_int_equal(status, LF_CANCELLED);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type),
        cmocka_unit_test(strides_and_masks),
        cmocka_unit_test(geotransforms),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(words_and_defaults),
        cmocka_unit_test(bounds_bound),
        cmocka_unit_test(memory_beyond_the_heights),
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(can_be_cancelled),
    };
    return cmocka_run_group_tests_name("grid: basics", tests, NULL, NULL);
}
