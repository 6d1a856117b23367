/// Voids beside the observer of a viewshed: in which directions they may be in the way (lf__sweep_near_void).
#include "grid/grid_query.h"
#include "sight/viewshed_sweep.h"
#include "support.h"
#include <math.h>
#include <string.h>

#define SIDE 9

typedef struct scene {
    float values[SIDE * SIDE];
    lf_grid *grid;
    lf__viewshed view;
    uint8_t seen[SIDE * SIDE];
    lf__sweep sweep;
} scene;

/// A sweep around a place; false: there is no ground.
static bool start(scene *s, lf_surface surface, double x, double y) {
    lf_grid_def def = lf_grid_def_default();
    def.samples.type = LF_SAMPLE_FLOAT;
    def.samples.values = s->values;
    def.samples.columns = def.samples.rows = SIDE;
    def.surface = surface;
    assert_int_equal(lf_grid_create(&def, &s->grid, NULL), LF_OK);
    lf_viewshed_def given = lf_viewshed_def_default();
    lf_observer observer = {{x, y}, 100, true};
    s->view = (lf__viewshed){.grid = s->grid, .window = lf_grid_window(s->grid)};
    assert_int_equal(lf__viewshed_check(s->grid, &given, s->view.window, &s->view.def, NULL), LF_OK);
    assert_int_equal(lf__viewshed_start(&s->view, &observer, -1, NULL), LF_OK);
    return lf__sweep_start(&s->sweep, &s->view, (lf__byte_plane){s->seen, SIDE}, 1, 28);
}

/// Is a place in a square with a gap?
static bool in_gap(const scene *s, double x, double y) {
    int64_t i = (int64_t)floor(x), j = (int64_t)floor(y);
    return i >= 0 && j >= 0 && i < SIDE - 1 && j < SIDE - 1 && lf__grid_gap(s->grid, i, j);
}

/// Is any of many places before the first ring in such a square?
static bool any_in_gap(const scene *s, const lf__sector *sector, double v0, double v1) {
    double far = (double)sector->first_ring - sector->oa;
    for (int m = 1; m < 40; m++)
        for (int n = 1; n < 40; n++) {
            double a = sector->oa + far * m / 40, b = sector->ob + far * m / 40 * (v0 + (v1 - v0) * n / 40);
            if (in_gap(s, a * sector->along.i + b * sector->across.i,
                       a * sector->along.j + b * sector->across.j))
                return true;
        }
    return false;
}

/// Nothing that is in the way is missed.
static void voids_in_the_way_are_found(void **state) {
    (void)state;
    static scene s;
    int64_t found = 0, free_of = 0;
    test_random random = test_random_start(5);
    for (int round = 0; round < 400; round++) {
        for (int k = 0; k < SIDE * SIDE; k++)
            s.values[k] = test_random_below(&random, 6) == 0 ? NAN : 1;
        double x = test_random_between(&random, 2, SIDE - 3), y = test_random_between(&random, 2, SIDE - 3);
        x = round % 4 < 2 ? floor(x) : x;
        y = round % 2 == 0 ? floor(y) : y;
        bool is = start(&s, round % 3 == 0 ? LF_SURFACE_RISING : LF_SURFACE_FALLING, x, y);
        for (int k = 0; is && s.sweep.voids && k < s.sweep.sector_count; k++)
            for (int bin = 0; bin < 8; bin++) {
                const lf__sector *sector = &s.sweep.sectors[k];
                double v0 = bin / 8.0, v1 = (bin + 1) / 8.0;
                bool may = lf__sweep_near_void(&s.sweep, sector, v0, v1);
                found += may;
                free_of += !may;
                assert_true(may || !any_in_gap(&s, sector, v0, v1));
            }
        lf_grid_destroy(s.grid);
    }
    assert_true(found > 1000 && free_of > 1000);
}

/// A void behind an observer is not in the way of what is before it.
static void voids_behind_are_not_in_the_way(void **state) {
    (void)state;
    static scene s;
    for (int round = 0; round < 4; round++) {
        for (int k = 0; k < SIDE * SIDE; k++)
            s.values[k] = k == 4 * SIDE + 2 ? NAN : 1;
        assert_true(start(&s, round & 1 ? LF_SURFACE_RISING : LF_SURFACE_FALLING, round & 2 ? 4 : 3.5, 4));
        int ahead = 0;
        for (int k = 0; k < s.sweep.sector_count; k++) {
            const lf__sector *sector = &s.sweep.sectors[k];
            int first = sector->along.i, last = first + sector->across.i;
            if (first < 0 || last < 0)
                continue;
            ahead++;
            assert_false(lf__sweep_near_void(&s.sweep, sector, 0, 1));
        }
        assert_true(ahead >= 2);
        lf_grid_destroy(s.grid);
    }
}

/// Bounds of voids only become wider, and none is left that would make the rounding of ground large.
static void steep_voids_are_limited(void **state) {
    (void)state;
    static lf__chunk chunk;
    const float values[] = {-LF__FAR_SLOPE, -50, -3, 0, 2.5f, 4, 1e6f, LF__FAR_SLOPE}, limit = 4;
    const float highs[] = {-LF__FAR_SLOPE, -4, -3, 0, 2.5f, 4, LF__FAR_SLOPE, LF__FAR_SLOPE};
    const float lows[] = {-LF__FAR_SLOPE, -LF__FAR_SLOPE, -3, 0, 2.5f, 4, 4, 4};
    chunk.bins = 8;
    memcpy(chunk.void_high, values, sizeof values);
    memcpy(chunk.void_low, values, sizeof values);
    assert_true(lf__limit_voids(&chunk, limit) == limit);
    assert_memory_equal(chunk.void_high, highs, sizeof highs);
    assert_memory_equal(chunk.void_low, lows, sizeof lows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steep_voids_are_limited),
        cmocka_unit_test(voids_in_the_way_are_found),
        cmocka_unit_test(voids_behind_are_not_in_the_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
