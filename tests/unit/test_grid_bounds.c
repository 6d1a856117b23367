/// Bounds that are computed by blocks: every level against the definition, kernels against the scalar ones, planes above all samples.
#define _DEFAULT_SOURCE
#include "grid/grid_kernels.h"
#include "support.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Mountains, steps, noise far from 0, very small and very large heights.
static double height_of(int kind, int64_t i, int64_t j, test_random *random) {
    double x = (double)i, y = (double)j, noise = test_random_between(random, -1, 1);
    switch (kind) {
    case 0:
        return floor(200 * sin(x / 23) * cos(y / 17) + 40 * sin(x / 5 + y / 7) + 3 * noise);
    case 1:
        return (double)test_random_below(random, 4);
    case 2:
        return 20000 + noise;
    case 3:
        return 1e-30 * noise;
    default:
        return 1e11 * noise;
    }
}

typedef struct field {
    lf_grid_def def;
    void *samples;
} field;

static void field_make(field *f, test_random *random) {
    static const int leaves[] = {0, 1, 2, 4, 8, 16};
    static const lf_surface surfaces[] = {LF_SURFACE_FALLING, LF_SURFACE_BILINEAR, LF_SURFACE_POINT};
    lf_grid_def *def = &f->def;
    *def = lf_grid_def_default();
    lf_samples *s = &def->samples;
    s->type = test_random_below(random, 2) ? LF_SAMPLE_FLOAT : (lf_sample_type)test_random_below(random, 4);
    s->columns = 2 + test_random_below(random, test_random_below(random, 2) ? 300 : 20);
    s->rows = 2 + test_random_below(random, test_random_below(random, 2) ? 300 : 20);
    if (test_random_below(random, 4) == 0) // whole blocks
        s->columns = s->rows = 129;
    def->leaf = leaves[test_random_below(random, 6)];
    def->surface = test_random_below(random, 2) ? LF_SURFACE_FALLING : surfaces[test_random_below(random, 3)];
    def->borrow = test_random_below(random, 2) == 0;
    def->extend = !def->borrow && test_random_below(random, 3) == 0;
    s->nodata = -7;
    bool whole = s->type == LF_SAMPLE_INT16 || s->type == LF_SAMPLE_UINT16;
    int kind = (int)test_random_below(random, whole ? 3 : 5);
    int64_t voids = test_random_below(random, 2) ? 1 + test_random_below(random, 20) : 0;
    f->samples = malloc((size_t)(s->columns * s->rows) * sizeof(double));
    assert_non_null(f->samples);
    s->values = f->samples;
    for (int64_t k = 0; k < s->columns * s->rows; k++) {
        double height = height_of(kind, k % s->columns, k / s->columns, random);
        if (s->type == LF_SAMPLE_UINT16)
            ((uint16_t *)f->samples)[k] = (uint16_t)fabs(height);
        else if (s->type == LF_SAMPLE_INT16)
            ((int16_t *)f->samples)[k] = (int16_t)height;
        else if (s->type == LF_SAMPLE_DOUBLE)
            ((double *)f->samples)[k] = height;
        else
            ((float *)f->samples)[k] = (float)height;
    }
    for (int64_t n = 0; n < voids; n++) {
        int64_t k = test_random_below(random, s->columns * s->rows);
        if (s->type == LF_SAMPLE_INT16)
            ((int16_t *)f->samples)[k] = -7;
        else if (s->type == LF_SAMPLE_FLOAT)
            ((float *)f->samples)[k] = n % 2 ? NAN : -7;
    }
}

static lf_grid *grid_of(const field *f, const char *isa) {
    lf_grid *grid = NULL;
    lf_error error;
    if (isa)
        setenv("LANDFALL_ISA", isa, 1);
    else
        unsetenv("LANDFALL_ISA");
    assert_int_equal(lf_grid_create(&f->def, &grid, &error), LF_OK);
    unsetenv("LANDFALL_ISA");
    return grid;
}

/// The heights of a block of squares, by their definition; `ring` counts the squares around it.
static lf__grid_range range_of(const lf_grid *grid, int level, int64_t bx, int64_t by, int64_t ring) {
    lf__grid_range range = lf__grid_range_empty();
    int64_t first = grid->first, side = (int64_t)1 << level;
    for (int64_t j = first + by * side - ring; j < first + (by + 1) * side + ring; j++)
        for (int64_t i = first + bx * side - ring; i < first + (bx + 1) * side + ring; i++) {
            if (i < first || j < first || i >= first + grid->square_columns || j >= first + grid->square_rows)
                continue;
            lf__grid_range here = lf__grid_range_empty();
            if (grid->surface == LF_SURFACE_POINT && !lf__grid_gap(grid, i, j)) {
                here = lf__grid_level_range(grid, i, j);
            } else if (!lf__grid_gap(grid, i, j)) {
                for (int k = 0; k < 4; k++)
                    lf__grid_range_add(&here, lf__grid_height(grid, i + (k & 1), j + (k >> 1)));
            } else if (lf__grid_parts(grid, i, j)) {
                here = lf__grid_gap_range(grid, i, j);
            }
            lf__grid_range_join(&range, &here);
        }
    return range;
}

static bool has_gap(const lf_grid *grid, int level, int64_t bx, int64_t by) {
    for (int64_t j = by << level; j < (by + 1) << level && j < grid->square_rows; j++)
        for (int64_t i = bx << level; i < (bx + 1) << level && i < grid->square_columns; i++)
            if (lf__grid_gap(grid, grid->first + i, grid->first + j))
                return true;
    return false;
}

static void check_finest(const lf_grid *grid) {
    const lf__grid_level *tops = &grid->levels[grid->first_top], *bottoms = &grid->levels[grid->first_bottom];
    for (int64_t by = 0; by < tops->rows; by++)
        for (int64_t bx = 0; bx < tops->columns; bx++) {
            bool wide = grid->surface != LF_SURFACE_POINT && has_gap(grid, grid->first_top, bx, by);
            double high = range_of(grid, grid->first_top, bx, by, wide).high;
            uint16_t code = high > -LF_INFINITY ? lf__grid_top_code(grid, high) : LF__GRID_TOP_NOTHING;
            assert_int_equal(tops->top[by * tops->stride + bx], code);
        }
    for (int64_t by = 0; by < bottoms->rows; by++)
        for (int64_t bx = 0; bx < bottoms->columns; bx++) {
            double low = range_of(grid, grid->first_bottom, bx, by, 0).low;
            uint16_t code = low < LF_INFINITY ? lf__grid_bottom_code(grid, low) : LF__GRID_BOTTOM_NOTHING;
            assert_int_equal(bottoms->bottom[by * bottoms->stride + bx], code);
        }
}

/// No step is steeper than the steepest, and no sample of a cell is above its plane.
static void check_prepared(const lf_grid *grid) {
    if (grid->line_level == 0)
        return;
    double most = 0;
    for (int64_t j = 0; j < grid->rows; j++)
        for (int64_t i = 0; i < grid->columns; i++) {
            if (lf__grid_is_void(grid, i, j))
                continue;
            double here = lf__grid_height(grid, i, j);
            if (i + 1 < grid->columns && !lf__grid_is_void(grid, i + 1, j))
                most = fmax(most, fabs(lf__grid_height(grid, i + 1, j) - here));
            if (j + 1 < grid->rows && !lf__grid_is_void(grid, i, j + 1))
                most = fmax(most, fabs(lf__grid_height(grid, i, j + 1) - here));
            int64_t x = i - grid->first, y = j - grid->first;
            for (int k = 0; k < 4 && grid->planes; k++) { // samples between blocks belong to both
                int64_t bx = (x - (k & 1)) >> LF__GRID_PLANE, by = (y - (k >> 1)) >> LF__GRID_PLANE;
                const lf__grid_level *level = &grid->levels[LF__GRID_PLANE];
                if (bx < 0 || by < 0 || bx >= level->columns || by >= level->rows)
                    continue;
                const lf__grid_plane *plane = &grid->planes[by * level->columns + bx];
                double top = plane->top + (double)plane->rise_x * (double)(x - bx * 64 - 32) +
                             (double)plane->rise_y * (double)(y - by * 64 - 32);
                assert_true(here <= top);
            }
        }
    assert_true(most <= grid->steepest && grid->steepest <= most * 1.00001);
}

static void definition(void **state) {
    (void)state;
    test_random random = test_random_start(931);
    for (int n = 0; n < (test_long() ? 600 : 60); n++) {
        field f;
        field_make(&f, &random);
        lf_grid *grid = grid_of(&f, NULL), *scalar = grid_of(&f, "scalar");
        check_finest(grid);
        check_prepared(grid);
        assert_int_equal(grid->bound_count, scalar->bound_count);
        assert_memory_equal(grid->bounds, scalar->bounds, (size_t)grid->bound_count * sizeof *grid->bounds);
        lf_grid_destroy(grid);
        lf_grid_destroy(scalar);
        free(f.samples);
    }
}

#define STRIDE 72

static bool lanes_range(const lf__bounds_kernels *kernels, const lf__bounds_rows *rows, float nodata,
                        float range[2]) {
    lf__bounds_lanes lanes = lf__bounds_lanes_start();
    for (int j = 0; j < rows->count; j++)
        kernels->ranges(rows->at[j], 1, nodata, &lanes);
    return lf__bounds_lanes_range(&lanes, range);
}

/// Random blocks to the kernels of every instruction set.
static void kernels(void **state) {
    (void)state;
    test_random random = test_random_start(932);
    static float heights[LF__BOUNDS_SIDE + 1][STRIDE];
    const lf__bounds_kernels *scalar = lf__bounds_kernels_for(LF_ISA_SCALAR),
                             *best = lf__bounds_kernels_for(lf_isa_best());
    for (int n = 0; n < 400; n++) {
        int kind = n % 5;
        lf__bounds_rows rows = {.count = 1 + (int)test_random_below(&random, LF__BOUNDS_SIDE + 1)};
        for (int j = 0; j <= LF__BOUNDS_SIDE; j++) {
            rows.at[j] = heights[j] + n % 8;
            for (int i = 0; i < STRIDE; i++)
                heights[j][i] = (float)height_of(kind, i, j, &random);
        }
        float a[2], b[2];
        assert_true(lanes_range(scalar, &rows, NAN, a) && lanes_range(best, &rows, NAN, b));
        assert_memory_equal(a, b, sizeof a);
        int64_t x = test_random_below(&random, LF__BOUNDS_SIDE), y = test_random_below(&random, rows.count);
        float nodata = rows.at[y][x], odd = n % 2 ? NAN : INFINITY;
        assert_false(lanes_range(scalar, &rows, nodata, a) || lanes_range(best, &rows, nodata, b));
        lf__bounds_scale scale = {.quantum = fmax(1e-30, (double)(a[1] - a[0]) / 60000)};
        scale.base = (double)a[0] - 3 * scale.quantum;
        scale.per_quantum = 1 / scale.quantum;
        if (rows.count > 1 && kind < 2) { // others leave the range beyond the rows that count
            for (int level = 0; level <= LF__GRID_BOTTOM; level++) {
                static lf__bounds_codes first[8], second[8];
                float steep[2] = {0, 0};
                for (int j = rows.count; j <= LF__BOUNDS_SIDE; j++)
                    rows.at[j] = rows.at[rows.count - 1];
                memset(first, 0, sizeof first);
                memset(second, 0, sizeof second);
                scalar->codes(&rows, level, &scale, &steep[0], first);
                best->codes(&rows, level, &scale, &steep[1], second);
                assert_memory_equal(first, second, sizeof first);
                assert_true(steep[0] == steep[1]);
            }
        }
        lf__grid_plane planes[2];
        memset(planes, 0, sizeof planes);
        scalar->plane(&rows, 1e12, &planes[0]);
        best->plane(&rows, 1e12, &planes[1]);
        assert_memory_equal(&planes[0], &planes[1], sizeof planes[0]);
        heights[y][x + n % 8] = odd;
        assert_false(lanes_range(scalar, &rows, NAN, a) || lanes_range(best, &rows, NAN, b));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(definition), cmocka_unit_test(kernels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
