/// Viewsheds against lines: every sample of small grids of all kinds, with all kinds of observers.
#include "bare.h"
#include "sight/viewshed.h"
#include "support.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SIDE 48

typedef struct scene {
    float heights[SIDE * SIDE];
    lf_grid *grid;
    const lf_ground *ground;
    lf_viewshed_def def;
    lf_observer observer;
    lf_window window;
} scene;

static double pick(test_random *random, const double *list, int count) {
    return list[test_random_below(random, count)];
}

/// Ground of many kinds: noise, slopes, whole numbers that make ties, plains with walls.
static void make_heights(scene *s, test_random *random, int64_t columns, int64_t rows) {
    int64_t kind = test_random_below(random, 5);
    double rough = pick(random, (double[]){0.1, 1, 10, 100}, 4), tilt = test_random_between(random, -3, 3);
    for (int64_t k = 0; k < columns * rows; k++) {
        double x = (double)(k % columns), y = (double)(k / columns),
               noise = test_random_between(random, -1, 1);
        double wave = sin(x * 0.3) * cos(y * 0.4) * 10;
        double h = kind == 0   ? rough * noise
                   : kind == 1 ? tilt * x - 0.5 * tilt * y + 0.1 * rough * noise
                   : kind == 2 ? floor(3 * noise)
                   : kind == 3 ? (noise > 0.9 ? rough : 0)
                               : wave + 0.02 * rough * noise;
        s->heights[k] = (float)h;
    }
}

static void place_grid(lf_grid_def *def, test_random *random) {
    int64_t kind = test_random_below(random, 4);
    if (kind == 1)
        def->geotransform = (lf_geotransform){{-1000, 77}, {30, 0}, {0, 30}};
    if (kind == 2)
        def->geotransform = (lf_geotransform){{500000.5, 4e6}, {10, 2.5}, {-7, 22}};
    if (kind == 3)
        def->geotransform = (lf_geotransform){{7.25, 46.5}, {1.0 / 1200, 0}, {0, 1.0 / 1200}};
}

static void make_grid(scene *s, test_random *random) {
    int64_t columns = 2 + test_random_below(random, SIDE - 1), rows = 2 + test_random_below(random, SIDE - 1);
    make_heights(s, random, columns, rows);
    if (test_random_below(random, 3) == 0)
        for (int64_t k = 0, many = 1 + test_random_below(random, 6); k < many; k++)
            s->heights[test_random_below(random, columns * rows)] = NAN;
    lf_grid_def def = lf_grid_def_default();
    def.samples.values = s->heights;
    def.samples.columns = columns;
    def.samples.rows = rows;
    def.surface = (lf_surface)test_random_below(random, 5);
    def.extend = test_random_below(random, 8) == 0;
    place_grid(&def, random);
    assert_int_equal(lf_grid_create(&def, &s->grid, NULL), LF_OK);
    s->ground = lf_grid_ground(s->grid);
}

static lf_vec2 world_of(const lf_grid *grid, double column, double row) {
    lf_geotransform p = lf_grid_describe(grid).geotransform;
    return (lf_vec2){p.origin.x + column * p.per_column.x + row * p.per_row.x,
                     p.origin.y + column * p.per_column.y + row * p.per_row.y};
}

static void make_rules(scene *s, test_random *random) {
    lf_grid_info info = lf_grid_describe(s->grid);
    s->def = lf_viewshed_def_default();
    s->def.target = pick(random, (double[]){0, 0, 1, 2, 25, -0.5}, 6);
    s->def.rules.voids = (lf_void_policy)test_random_below(random, 3);
    s->def.rules.curvature.coefficient = pick(random, (double[]){0, 0, 0.85714, 0.75, -0.3}, 5);
    if (test_random_below(random, 3) == 0)
        s->def.rules.curvature.radius = 20000; // so that bends matter on small grids
    if (info.geotransform.per_column.x < 0.01)
        s->def.rules.units = LF_MAP_DEGREES;
    s->window = lf_grid_window(s->grid);
    if (test_random_below(random, 4) == 0) {
        s->window.column = test_random_below(random, info.columns);
        s->window.row = test_random_below(random, info.rows);
        s->window.columns = 1 + test_random_below(random, info.columns - s->window.column);
        s->window.rows = 1 + test_random_below(random, info.rows - s->window.row);
    }
}

/// On samples, on lines, between, beyond, high and low.
static void make_observer(scene *s, test_random *random) {
    lf_grid_info info = lf_grid_describe(s->grid);
    double column = test_random_between(random, 0, (double)(info.columns - 1));
    double row = test_random_between(random, 0, (double)(info.rows - 1));
    int64_t kind = test_random_below(random, 6);
    column = kind < 3 ? floor(column) : kind == 3 ? floor(column) + 0.5 : column;
    row = kind < 2 || kind == 3 ? floor(row) : kind == 2 ? floor(row) + 0.25 : row;
    if (kind == 5 && test_random_below(random, 2) == 0) {
        column = test_random_between(random, -30, (double)info.columns + 30);
        row = test_random_between(random, -30, (double)info.rows + 30);
    }
    s->observer = (lf_observer){world_of(s->grid, column, row), 0, false};
    lf_vec3 stand;
    lf_reason reason;
    assert_int_equal(lf_sight_observer(s->ground, s->observer.at, 0, &stand, &reason), LF_OK);
    s->observer.datum = reason != LF_REASON_ANSWERED || test_random_below(random, 4) == 0;
    s->observer.height = s->observer.datum ? test_random_between(random, info.low - 3, info.high + 5)
                                           : pick(random, (double[]){0, 0.01, 2, 2, 10, 300}, 6);
}

static void make_scene(scene *s, test_random *random) {
    make_grid(s, random);
    make_rules(s, random);
    make_observer(s, random);
}

static void close_scene(scene *s) {
    lf_grid_destroy(s->grid);
}

static lf_visibility by_verdict(lf_verdict verdict) {
    return verdict == LF_VERDICT_CLEAR     ? LF_VISIBILITY_VISIBLE
           : verdict == LF_VERDICT_BLOCKED ? LF_VISIBILITY_HIDDEN
                                           : LF_VISIBILITY_UNKNOWN;
}

/// By the definition: a line for each sample. It begins at the sample, so that rounding does not move its end off it. Where both ends
/// are over samples, and the target is not just on the ground, lf_sight_between has to say the same.
static lf_visibility by_line(const scene *s, const lf__viewshed *view, int64_t column, int64_t row) {
    double height = lf_grid_sample(s->grid, column, row);
    if (sample_is_bare(s->grid, column, row))
        return LF_VISIBILITY_VOID;
    lf_visibility seen = lf__viewshed_resolve(view, column, row);
    bool over_sample = view->eye.x == floor(view->eye.x) && view->eye.y == floor(view->eye.y);
    if (over_sample && s->def.target > 0 && s->observer.height != 0) {
        lf_vec2 to = world_of(s->grid, (double)column, (double)row);
        lf_vec3 a = {view->at.x, view->at.y, view->z}, b = {to.x, to.y, height + s->def.target};
        lf_sight sight;
        assert_int_equal(lf_sight_between(s->ground, &s->def.rules, a, b, &sight, NULL), LF_OK);
        bool same_place = view->eye.x == (double)column && view->eye.y == (double)row;
        assert_int_equal(seen, same_place ? LF_VISIBILITY_VISIBLE : by_verdict(sight.verdict));
    }
    return seen;
}

static void compare(const scene *s, const uint8_t *seen) {
    lf__viewshed view = {.grid = s->grid, .window = s->window};
    assert_int_equal(lf__viewshed_check(s->grid, &s->def, s->window, &view.def, NULL), LF_OK);
    assert_int_equal(lf__viewshed_start(&view, &s->observer, -1, NULL), LF_OK);
    for (int64_t row = 0; row < s->window.rows; row++)
        for (int64_t column = 0; column < s->window.columns; column++) {
            lf_visibility wanted = by_line(s, &view, s->window.column + column, s->window.row + row);
            lf_visibility found = (lf_visibility)seen[row * s->window.columns + column];
            if (wanted != found) {
                lf_grid_info info = lf_grid_describe(s->grid);
                lf_vec2 eye = lf_grid_locate(s->grid, s->observer.at);
                print_error("%s grid %d x %d, eye %.17g %.17g, sample %d %d: %s, not %s\n",
                            lf_surface_name(info.surface), (int)info.columns, (int)info.rows, eye.x, eye.y,
                            (int)(s->window.column + column), (int)(s->window.row + row),
                            lf_visibility_name(found), lf_visibility_name(wanted));
                print_error("target %g, height %g (%d), bend %g, radius %g, span %d, holes %d (%d), heights "
                            "%g to %g\n",
                            s->def.target, s->observer.height, s->observer.datum,
                            s->def.rules.curvature.coefficient, s->def.rules.curvature.radius,
                            (int)s->def.rules.units, (int)s->def.rules.voids, (int)info.hole_count, info.low,
                            info.high);
            }
            assert_int_equal(found, wanted);
        }
}

static void equals_lines(void **state) {
    (void)state;
    test_random random = test_random_start(1);
    static scene s;
    static uint8_t seen[SIDE * SIDE];
    int64_t walked = 0, samples = 0;
    for (int k = 0, count = test_long() ? 20000 : 150; k < count; k++) {
        make_scene(&s, &random);
        lf_viewshed_stats stats;
        lf_error error;
        lf_status status = lf_viewshed_visible(lf_grid_ground(s.grid), &s.def, &s.observer, s.window, seen, 0,
                                               &stats, &error);
        if (status != LF_OK)
            print_error("%s\n", error.text);
        assert_int_equal(status, LF_OK);
        compare(&s, seen);
        walked += stats.walked;
        samples += s.window.columns * s.window.rows;
        assert_int_equal(stats.counts[0] + stats.counts[1] + stats.counts[2] + stats.counts[3] +
                             stats.counts[4],
                         s.window.columns * s.window.rows);
        close_scene(&s);
    }
    print_message("%lld of %lld samples got lines of their own\n", (long long)walked, (long long)samples);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
