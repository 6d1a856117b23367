/// Viewsheds over water: ground of one height, with islands and other lakes, which the sweep decides by blocks of bins without reading it. Samples
/// against their lines, up to the horizon and behind it; then all samples are put between the bounds.
#include "sight/viewshed.h"
#include "sight/viewshed_sweep.h"
#include "support.h"
#include <math.h>
#include <string.h>

#define COLUMNS 340
#define ROWS 260
#define SAMPLES (COLUMNS * ROWS)

typedef struct flat_scene {
    int16_t integers[SAMPLES];
    float floats[SAMPLES];
    uint8_t seen[SAMPLES];
    lf_viewshed_def def;
    lf_observer observer;
    lf_grid *grid;
    int64_t first, step; ///< samples that are compared
} flat_scene;

/// A rectangle of one height, or of rough ground.
static void put_island(flat_scene *s, test_random *random, bool rough) {
    int64_t columns = 1 + test_random_below(random, COLUMNS / 3),
            rows = 1 + test_random_below(random, ROWS / 3),
            column = test_random_below(random, COLUMNS - columns),
            row = test_random_below(random, ROWS - rows);
    int height = (int)test_random_below(random, 40) - 10, most = 1 + (int)test_random_below(random, 60);
    for (int64_t j = row; j < row + rows; j++)
        for (int64_t i = column; i < column + columns; i++)
            s->integers[j * COLUMNS + i] =
                (int16_t)(height + (rough ? (int)test_random_below(random, most) : 0));
}

static void make_water(flat_scene *s, test_random *random) {
    memset(s->integers, 0, sizeof s->integers);
    for (int64_t k = test_random_below(random, 5); k > 0; k--)
        put_island(s, random, test_random_below(random, 2));
    bool integers = test_random_below(random, 2), degrees = test_random_below(random, 2);
    for (int64_t k = 0; k < SAMPLES; k++)
        s->floats[k] = 0.25f * (float)s->integers[k] + 0.1f;
    double step = degrees ? 1.0 / 1200 : test_random_between(random, 5, 150);
    lf_grid_def def = lf_grid_def_default();
    def.samples.values = integers ? (const void *)s->integers : s->floats;
    def.samples.type = integers ? LF_SAMPLE_INT16 : LF_SAMPLE_FLOAT;
    def.samples.columns = COLUMNS;
    def.samples.rows = ROWS;
    def.borrow = true;
    def.surface = test_random_below(random, 2) ? LF_SURFACE_FALLING : LF_SURFACE_RISING;
    def.geotransform.origin = (lf_vec2){0, degrees ? test_random_between(random, -70, 70) : 0};
    def.geotransform.per_column.x = step;
    def.geotransform.per_row.y = step;
    assert_int_equal(lf_grid_create(&def, &s->grid, NULL), LF_OK);
    s->def = lf_viewshed_def_default();
    s->def.target = test_random_below(random, 2) ? 0 : test_random_between(random, 0, 3);
    s->def.rules.units = degrees ? LF_MAP_DEGREES : LF_MAP_METRES;
    s->def.rules.curvature.coefficient = test_random_below(random, 4) ? 0.85714 : 0;
    double column = test_random_between(random, 1, COLUMNS - 2),
           row = test_random_between(random, 1, ROWS - 2);
    if (test_random_below(random, 2))
        column = floor(column), row = floor(row);
    s->observer.at = (lf_vec2){column * step, def.geotransform.origin.y + row * step};
    s->observer.height = exp(test_random_between(random, log(0.5), log(400)));
}

static lf__viewshed open_flat_view(const flat_scene *s) {
    lf__viewshed view = {.grid = s->grid, .window = lf_grid_window(s->grid)};
    assert_int_equal(lf__viewshed_check(s->grid, &s->def, view.window, &view.def, NULL), LF_OK);
    assert_int_equal(lf__viewshed_start(&view, &s->observer, -1, NULL), LF_OK);
    return view;
}

/// Samples that are not what a line says; those that are left to a line do not count.
static int64_t count_flat_wrong(const flat_scene *s, const lf__viewshed *view) {
    int64_t wrong = 0;
    for (int64_t k = s->first; k < SAMPLES; k += s->step)
        wrong += s->seen[k] != LF__SEEN_OPEN &&
                 lf__viewshed_resolve(view, k % COLUMNS, k / COLUMNS) != (lf_visibility)s->seen[k];
    return wrong;
}

static void (*flat_chunks)(lf__chunk *chunk);
static int64_t flat_blocks;

/// The bounds are as they are, but nobody believes them.
static void ask_flat(lf__chunk *chunk) {
    for (int m = 0; m < chunk->bins; m += chunk->sweep->block)
        flat_blocks += chunk->flat.done[m / chunk->sweep->block];
    flat_chunks(chunk);
    for (int k = 1; k <= chunk->rings; k++)
        memset(chunk->out[k], LF__SEEN_OPEN, sizeof chunk->out[k]);
    chunk->any = true;
}

/// Passed chunks alone decide.
static void decide_flat(flat_scene *s, const lf__viewshed *view, double bins_per_sample) {
    lf__sweep sweep;
    static lf__chunk chunk;
    memset(s->seen, LF__SEEN_OPEN, sizeof s->seen);
    if (!lf__sweep_start(&sweep, view, (lf__byte_plane){s->seen, COLUMNS}, bins_per_sample, 64))
        return;
    flat_chunks = sweep.chunk;
    sweep.chunk = ask_flat;
    memset(s->seen, LF_VISIBILITY_HIDDEN, sizeof s->seen);
    for (int k = 0; k < sweep.sector_count; k++)
        for (int group = 0; group < sweep.sectors[k].groups; group++)
            assert_true(lf__sweep_group(&sweep, &sweep.sectors[k], group, &chunk));
    double column = view->eye.x, row = view->eye.y;
    if (column == floor(column) && row == floor(row))
        s->seen[(int64_t)row * COLUMNS + (int64_t)column] = LF__SEEN_OPEN;
}

static void water_and_islands(void **state) {
    (void)state;
    test_random random = test_random_start(1);
    static flat_scene s;
    for (int k = 0; k < (test_long() ? 500 : 12); k++) {
        make_water(&s, &random);
        s.step = test_long() ? 1 : 5;
        s.first = test_random_below(&random, s.step);
        lf__viewshed view = open_flat_view(&s);
        assert_int_equal(lf_viewshed_visible(lf_grid_ground(s.grid), &s.def, &s.observer, view.window, s.seen,
                                             0, NULL, NULL),
                         LF_OK);
        assert_int_equal(count_flat_wrong(&s, &view), 0);
        decide_flat(&s, &view, 1.02);
        assert_int_equal(count_flat_wrong(&s, &view), 0);
        decide_flat(&s, &view, 2.5); // by the last chunks in floats, too
        assert_int_equal(count_flat_wrong(&s, &view), 0);
        lf_grid_destroy(s.grid);
    }
    assert_true(flat_blocks > 0 || lf_isa_best() == LF_ISA_SCALAR);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water_and_islands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
