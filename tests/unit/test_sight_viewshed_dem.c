/// Viewsheds of DEMs as people have them, sample by sample against lines: degrees, whole metres, flat water, curvature, voids, ranges.
#include "bare.h"
#include "sight/viewshed.h"
#include "support.h"
#include <math.h>
#include <stdlib.h>

#define SIDE 260

typedef struct scene {
    int16_t *samples;
    int64_t columns, rows;
    lf_grid *grid;
    lf_viewshed_def def;
    lf_observer observer;
    lf_window window;
} scene;

/// Smooth noise, -1 .. 1.
static double wave(double x, double y, const double phase[8]) {
    double sum = 0, size = 0.5, step = 0.02;
    for (int k = 0; k < 4; k++, size *= 0.5, step *= 2.1)
        sum += size * (sin(x * step + phase[k]) * cos(y * step * 1.3 + phase[k + 4]) +
                       0.5 * sin((x + y) * step * 0.7 + phase[7 - k]));
    return sum;
}

/// Coasts with islands, mountains with lakes, plains with dikes, terraces; all in whole metres.
static void make_samples(scene *s, test_random *random) {
    int64_t kind = test_random_below(random, 4);
    double phase[8], noise = test_random_below(random, 3) == 0 ? 2 : 0;
    for (int k = 0; k < 8; k++)
        phase[k] = test_random_between(random, 0, 6.28);
    for (int64_t j = 0; j < s->rows; j++)
        for (int64_t i = 0; i < s->columns; i++) {
            double w = wave((double)i, (double)j, phase), h = 0;
            if (kind == 0)
                h = w > 0 ? 80 * w : 0;
            else if (kind == 1)
                h = fmax(1500 + 1200 * w, 1100);
            else if (kind == 2)
                h = 3 + (fabs(w) < 0.02 ? 2 : 0) + 0.002 * (double)i;
            else
                h = 20 * floor(10 * w);
            h += noise * test_random_between(random, -1, 1) * (h != 0);
            s->samples[j * s->columns + i] = (int16_t)lrint(h);
        }
}

/// Some voids: patches and single samples.
static void add_voids(scene *s, test_random *random) {
    for (int64_t k = 0, many = test_random_below(random, 12); k < many; k++) {
        int64_t x = test_random_below(random, s->columns), y = test_random_below(random, s->rows);
        int64_t w = 1 + test_random_below(random, 9), h = 1 + test_random_below(random, 9);
        for (int64_t j = y; j < y + h && j < s->rows; j++)
            for (int64_t i = x; i < x + w && i < s->columns; i++)
                s->samples[j * s->columns + i] = -32768;
    }
}

static void make_scene(scene *s, test_random *random, int64_t side) {
    static const double cells[] = {1.0 / 3600, 1.0 / 1200, 1.0 / 1200, 1.0 / 120, 1.0 / 12};
    static const double eyes[] = {2, 2, 30, 300, 1.5, 0.25};
    s->columns = side / 2 + test_random_below(random, side / 2);
    s->rows = side / 2 + test_random_below(random, side / 2);
    s->samples = malloc((size_t)(s->columns * s->rows) * sizeof *s->samples);
    make_samples(s, random);
    bool voids = test_random_below(random, 3) == 0;
    if (voids)
        add_voids(s, random);
    lf_grid_def def = lf_grid_def_default();
    def.samples.values = s->samples;
    def.samples.type = LF_SAMPLE_INT16;
    def.samples.columns = s->columns;
    def.samples.rows = s->rows;
    def.samples.nodata = -32768;
    def.borrow = test_random_below(random, 2) == 0;
    if (test_random_below(random, 6) == 0)
        def.surface = (lf_surface)test_random_below(random, 4);
    double cell = cells[test_random_below(random, 5)], lat = test_random_between(random, -72, 68);
    bool degrees = test_random_below(random, 5) > 0;
    def.geotransform = (lf_geotransform){{10, lat}, {cell, 0}, {0, cell}};
    if (test_random_below(random, 8) == 0)
        def.geotransform.per_row.x = 0.2 * cell, def.geotransform.per_column.y = -0.1 * cell;
    if (!degrees)
        def.geotransform = (lf_geotransform){{500000, 4e6}, {30, 0}, {0, 30}};
    assert_int_equal(lf_grid_create(&def, &s->grid, NULL), LF_OK);
    s->def = lf_viewshed_def_default();
    s->def.rules.units = degrees ? LF_MAP_DEGREES : LF_MAP_METRES;
    s->def.rules.curvature.coefficient = test_random_below(random, 4) == 0 ? 0 : 0.85714;
    s->def.rules.voids = (lf_void_policy)test_random_below(random, 3);
    s->def.target = test_random_below(random, 3) == 0 ? 2 : 0;
    if (test_random_below(random, 4) == 0)
        s->def.range_max =
            test_random_between(random, 0.05, 0.6) * (degrees ? 1e5 * cell : 30) * (double)side;
    s->window = lf_grid_window(s->grid);
    if (test_random_below(random, 5) == 0)
        s->window.column = s->columns / 3, s->window.columns /= 2, s->window.rows /= 2;
    for (int tries = 0; tries < 100; tries++) {
        double column = test_random_between(random, 0, (double)(s->columns - 1)),
               row = test_random_between(random, 0, (double)(s->rows - 1));
        if (test_random_below(random, 3) > 0)
            column = floor(column), row = floor(row);
        const lf_geotransform *p = &def.geotransform;
        s->observer = (lf_observer){{p->origin.x + column * p->per_column.x + row * p->per_row.x,
                                     p->origin.y + column * p->per_column.y + row * p->per_row.y},
                                    eyes[test_random_below(random, 6)],
                                    false};
        lf__viewshed view = {.grid = s->grid, .window = s->window};
        assert_int_equal(lf__viewshed_check(s->grid, &s->def, s->window, &view.def, NULL), LF_OK);
        if (lf__viewshed_start(&view, &s->observer, -1, NULL) == LF_OK)
            return;
    }
    s->observer = (lf_observer){def.geotransform.origin, 5000, true};
}

static int64_t compare(const scene *s, const uint8_t *seen) {
    lf__viewshed view = {.grid = s->grid, .window = s->window};
    assert_int_equal(lf__viewshed_check(s->grid, &s->def, s->window, &view.def, NULL), LF_OK);
    assert_int_equal(lf__viewshed_start(&view, &s->observer, -1, NULL), LF_OK);
    int64_t wrong = 0;
    for (int64_t row = 0; row < s->window.rows; row++)
        for (int64_t column = 0; column < s->window.columns; column++) {
            int64_t i = s->window.column + column, j = s->window.row + row;
            double height = lf_grid_sample(s->grid, i, j);
            lf_visibility expected =
                sample_is_bare(s->grid, i, j) ? LF_VISIBILITY_VOID
                : view.limited && !lf__viewshed_within(&view, i, j, height + s->def.target)
                    ? LF_VISIBILITY_BEYOND
                    : lf__viewshed_resolve(&view, i, j);
            lf_visibility found = (lf_visibility)seen[row * s->window.columns + column];
            if (found == expected)
                continue;
            if (wrong++ < 3)
                print_error(
                    "eye %.17g %.17g + %g, target %g, sample %lld %lld of %lld x %lld: %s, expected %s\n",
                    view.eye.x, view.eye.y, s->observer.height, s->def.target, (long long)i, (long long)j,
                    (long long)s->columns, (long long)s->rows, lf_visibility_name(found),
                    lf_visibility_name(expected));
        }
    return wrong;
}

static void every_sample_is_as_its_line(void **state) {
    (void)state;
    test_random random = test_random_start(1);
    int64_t lines = 0, samples = 0;
    for (int k = 0, count = test_long() ? 600 : 24; k < count; k++) {
        scene s = {0};
        make_scene(&s, &random, test_long() ? SIDE : SIDE / 2);
        uint8_t *seen = malloc((size_t)(s.window.columns * s.window.rows));
        lf_viewshed_stats stats;
        assert_int_equal(
            lf_viewshed_visible(lf_grid_ground(s.grid), &s.def, &s.observer, s.window, seen, 0, &stats, NULL),
            LF_OK);
        int64_t wrong = compare(&s, seen);
        if (wrong > 0)
            fail_msg("viewshed %d: %lld of %lld samples are wrong (cell %g, latitude %g, span %d, bend %g)",
                     k, (long long)wrong, (long long)(s.window.columns * s.window.rows),
                     lf_grid_describe(s.grid).geotransform.per_column.x,
                     lf_grid_describe(s.grid).geotransform.origin.y, (int)s.def.rules.units,
                     s.def.rules.curvature.coefficient);
        lines += stats.walked;
        samples += s.window.columns * s.window.rows;
        free(seen);
        free(s.samples);
        lf_grid_destroy(s.grid);
    }
    print_message("%lld of %lld samples got lines of their own\n", (long long)lines, (long long)samples);
}

/// A grid of the samples, its cells so many metres wide, and the rules of light over it.
static void make_curved(scene *s, double cell) {
    lf_grid_def def = lf_grid_def_default();
    def.samples.values = s->samples;
    def.samples.type = LF_SAMPLE_INT16;
    def.samples.columns = s->columns;
    def.samples.rows = s->rows;
    def.samples.nodata = -32768;
    def.geotransform = (lf_geotransform){{500000, 4e6}, {cell, 0}, {0, cell}};
    assert_int_equal(lf_grid_create(&def, &s->grid, NULL), LF_OK);
    s->def = lf_viewshed_def_default();
    s->def.rules.curvature.coefficient = 0.85714;
    s->window = lf_grid_window(s->grid);
}

/// A plateau with a few levels below it and many single voids, seen from a little above, on ground so curved that a line sags below the
/// plateau within one cell: there a void before the target's own ring counts although the line is above it at both of its ends.
static void make_plateau(scene *s, test_random *random, int64_t side) {
    static const double cells[] = {3000, 9000, 30000};
    int64_t lower = test_random_below(random, 4), voids = 3 + test_random_below(random, 12);
    s->columns = s->rows = side;
    s->samples = malloc((size_t)(side * side) * sizeof *s->samples);
    for (int64_t k = 0; k < side * side; k++) {
        int64_t below = test_random_below(random, 4) == 0 ? test_random_below(random, lower + 1) : 0;
        s->samples[k] = (int16_t)(500 - 3 * below * below);
        if (test_random_below(random, voids) == 0)
            s->samples[k] = -32768;
    }
    double cell = cells[test_random_below(random, 3)];
    make_curved(s, cell);
    s->def.rules.voids = test_random_below(random, 2) ? LF_VOIDS_STOP : LF_VOIDS_UNKNOWN;
    double column = test_random_between(random, 0, (double)(side - 1)),
           row = test_random_between(random, 0, (double)(side - 1));
    if (test_random_below(random, 2))
        column = floor(column), row = floor(row);
    double sag = 0.85714 * cell * cell / (2 * 6.371e6), rings = test_random_between(random, 1, 12);
    s->observer = (lf_observer){{500000 + column * cell, 4e6 + row * cell}, 500 + sag * rings * rings, true};
}

static void voids_before_the_own_ring(void **state) {
    (void)state;
    enum { PLATEAU = 28 };
    test_random random = test_random_start(1524);
    for (int k = 0, count = test_long() ? 4000 : 200; k < count; k++) {
        scene s = {0};
        uint8_t seen[PLATEAU * PLATEAU];
        make_plateau(&s, &random, PLATEAU);
        assert_int_equal(
            lf_viewshed_visible(lf_grid_ground(s.grid), &s.def, &s.observer, s.window, seen, 0, NULL, NULL),
            LF_OK);
        int64_t wrong = compare(&s, seen);
        if (wrong > 0)
            fail_msg("plateau %d: %lld samples are wrong", k, (long long)wrong);
        free(s.samples);
        lf_grid_destroy(s.grid);
    }
}

/// Two samples of the ring beside the observer have heights, but no triangle beside their edge is there: that edge hides nothing.
static void no_edge_beside_the_observer(void **state) {
    (void)state;
    enum { PLAIN = 10 };
    int16_t samples[PLAIN * PLAIN];
    uint8_t seen[PLAIN * PLAIN];
    for (int turned = 0; turned < 4; turned++) {
        scene s = {.samples = samples, .columns = PLAIN, .rows = PLAIN};
        for (int k = 0; k < PLAIN * PLAIN; k++)
            samples[k] = 500;
        int step = turned & 1 ? 1 : -1, across = turned & 2 ? PLAIN : 1, along = turned & 2 ? 1 : PLAIN;
        int eye = 4 * PLAIN + 5;
        samples[eye] = samples[eye + step * (2 * across - along)] = -32768;
        make_curved(&s, 9000);
        s.observer = (lf_observer){{500000 + 5 * 9000.0, 4e6 + 4 * 9000.0}, 517.391, true};
        assert_int_equal(
            lf_viewshed_visible(lf_grid_ground(s.grid), &s.def, &s.observer, s.window, seen, 0, NULL, NULL),
            LF_OK);
        assert_int_equal(compare(&s, seen), 0);
        lf_grid_destroy(s.grid);
    }
}

/// The least height by the line of a sample: whatever is guessed, the same.
static double least_of_line(const lf__viewshed *view, int64_t i, int64_t j) {
    double least = lf__viewshed_least(view, i, j, -LF_INFINITY, -LF_INFINITY);
    for (int k = -1; k <= 1; k++) {
        double guess = least + k * (1e-9 + 0.01 * fabs(least) * (double)((i + j) % 2)),
               guessed = lf__viewshed_least(view, i, j, -LF_INFINITY, guess);
        if (!(guessed == least || (isnan(guessed) && isnan(least))))
            fail_msg("least height of sample %lld %lld: %.17g, if guessed as %.17g: %.17g", (long long)i,
                     (long long)j, least, guess, guessed);
    }
    return least;
}

/// The least height of every sample is that of its own line, but for the rounding of a float.
static int64_t compare_least(const scene *s, lf_viewshed_mode mode, const float *values) {
    scene copy = *s;
    copy.def.target = 0;
    lf__viewshed view = {.grid = s->grid, .window = s->window};
    assert_int_equal(lf__viewshed_check(s->grid, &copy.def, s->window, &view.def, NULL), LF_OK);
    assert_int_equal(lf__viewshed_start(&view, &s->observer, -1, NULL), LF_OK);
    int64_t wrong = 0;
    for (int64_t k = 0; k < s->window.columns * s->window.rows; k++) {
        int64_t i = s->window.column + k % s->window.columns, j = s->window.row + k / s->window.columns;
        double height = lf_grid_sample(s->grid, i, j), expected = LF_NAN;
        if (!sample_is_bare(s->grid, i, j) && lf__viewshed_within(&view, i, j, height))
            expected =
                (lf__viewshed_resolve(&view, i, j) == LF_VISIBILITY_VISIBLE ? 0
                                                                            : least_of_line(&view, i, j)) +
                (mode == LF_VIEWSHED_DEM ? height : 0);
        double found = (double)values[k];
        if (isnan(expected) ? isnan(found)
                            : found == expected || fabs(found - expected) <= 0x1p-23 * fabs(expected))
            continue;
        if (wrong++ < 3)
            print_error("eye %.17g %.17g + %g, sample %lld %lld of %lld x %lld: %.9g, expected %.9g\n",
                        view.eye.x, view.eye.y, s->observer.height, (long long)i, (long long)j,
                        (long long)s->columns, (long long)s->rows, found, expected);
    }
    return wrong;
}

static void least_heights_are_those_of_lines(void **state) {
    (void)state;
    test_random random = test_random_start(3);
    int64_t lines = 0, samples = 0;
    for (int k = 0, count = test_long() ? 600 : 16; k < count; k++) {
        scene s = {0};
        make_scene(&s, &random, test_long() ? SIDE / 2 : SIDE / 4);
        lf_viewshed_mode mode = test_random_below(&random, 2) ? LF_VIEWSHED_GROUND : LF_VIEWSHED_DEM;
        float *values = malloc((size_t)(s.window.columns * s.window.rows) * sizeof *values);
        lf_viewshed_stats stats;
        assert_int_equal(lf_viewshed_values(lf_grid_ground(s.grid), &s.def, &s.observer, mode, s.window,
                                            values, 0, &stats, NULL),
                         LF_OK);
        int64_t wrong = compare_least(&s, mode, values);
        if (wrong > 0)
            fail_msg("viewshed %d: %lld of %lld least heights are wrong", k, (long long)wrong,
                     (long long)(s.window.columns * s.window.rows));
        lines += stats.walked;
        samples += s.window.columns * s.window.rows;
        free(values);
        free(s.samples);
        lf_grid_destroy(s.grid);
    }
    print_message("%lld of %lld least heights got lines of their own\n", (long long)lines,
                  (long long)samples);
}

/// A plateau without voids, some samples of which are lower or higher: ground curves away from the line to a target, which comes nearest to it
/// within a triangle; or flat ground of which every ring is as high as the next within the rounding of floats.
static void make_horizon(scene *s, test_random *random) {
    int64_t side = s->columns, steps = 1 + test_random_below(random, 40), unit = test_random_below(random, 4);
    for (int64_t k = 0; k < side * side; k++)
        s->samples[k] =
            (int16_t)(500 +
                      (test_random_below(random, steps) == 0 ? unit * test_random_below(random, 9) - 4 : 0));
    double cell = test_random_below(random, 2) ? 900 : 3000;
    make_curved(s, cell);
    double column = test_random_between(random, 0, (double)(side - 1)),
           row = test_random_between(random, 0, (double)(side - 1));
    if (test_random_below(random, 2))
        column = floor(column), row = floor(row);
    double sag = 0.85714 * cell * cell / (2 * 6.371e6), rings = test_random_between(random, 1, 30);
    s->observer =
        (lf_observer){{500000 + column * cell, 4e6 + row * cell}, 500 + sag * rings * rings + 0.01, true};
}

static void least_heights_behind_the_horizon(void **state) {
    (void)state;
    test_random random = test_random_start(88);
    for (int k = 0, count = test_long() ? 1000 : 24; k < count; k++) {
        scene s = {.columns = 40 + test_random_below(&random, 60)};
        s.rows = s.columns;
        s.samples = malloc((size_t)(s.columns * s.rows) * sizeof *s.samples);
        float *values = malloc((size_t)(s.columns * s.rows) * sizeof *values);
        make_horizon(&s, &random);
        lf_status status = lf_viewshed_values(lf_grid_ground(s.grid), &s.def, &s.observer, LF_VIEWSHED_GROUND,
                                              s.window, values, 0, NULL, NULL);
        int64_t wrong =
            status == LF_OK ? compare_least(&s, LF_VIEWSHED_GROUND, values) : 0; // else: below a sample
        if (wrong > 0)
            fail_msg("horizon %d: %lld least heights are wrong", k, (long long)wrong);
        free(values);
        free(s.samples);
        lf_grid_destroy(s.grid);
    }
}

/// So curved that the line to a target may come nearest to the ground within the triangle below the observer.
static void least_heights_beside_the_observer(void **state) {
    (void)state;
    test_random random = test_random_start(89);
    for (int k = 0, count = test_long() ? 20000 : 2000; k < count; k++) {
        scene s = {.columns = 2 + test_random_below(&random, 7), .rows = 2 + test_random_below(&random, 7)};
        s.samples = malloc((size_t)(s.columns * s.rows) * sizeof *s.samples);
        float *values = malloc((size_t)(s.columns * s.rows) * sizeof *values);
        for (int64_t n = 0; n < s.columns * s.rows; n++)
            s.samples[n] = (int16_t)test_random_below(&random, 3);
        make_curved(&s, 1);
        s.def.rules.curvature.radius = test_random_between(&random, 0.01, 0.5);
        s.observer = (lf_observer){{500000 + test_random_between(&random, 0, (double)(s.columns - 1)),
                                    4e6 + test_random_between(&random, 0, (double)(s.rows - 1))},
                                   test_random_between(&random, 0.1, 3),
                                   false};
        assert_int_equal(lf_viewshed_values(lf_grid_ground(s.grid), &s.def, &s.observer, LF_VIEWSHED_GROUND,
                                            s.window, values, 0, NULL, NULL),
                         LF_OK);
        int64_t wrong = compare_least(&s, LF_VIEWSHED_GROUND, values);
        if (wrong > 0)
            fail_msg("observer %d: %lld least heights are wrong", k, (long long)wrong);
        free(values);
        free(s.samples);
        lf_grid_destroy(s.grid);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(least_heights_behind_the_horizon),
                                       cmocka_unit_test(every_sample_is_as_its_line),
                                       cmocka_unit_test(least_heights_are_those_of_lines),
                                       cmocka_unit_test(voids_before_the_own_ring),
                                       cmocka_unit_test(no_edge_beside_the_observer),
                                       cmocka_unit_test(least_heights_beside_the_observer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
