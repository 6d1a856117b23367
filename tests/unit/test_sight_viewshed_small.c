/// Viewsheds of small rasters by lines side by side (viewshed_small.h), with each instruction set: against the sweep, and against exact lines.
#include "bare.h"
#include "sight/viewshed.h"
#include "sight/viewshed_small.h"
#include "support.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 200 // columns and rows

typedef struct scene {
    union {
        double of_double[MOST * MOST];
        float of_float[MOST * MOST];
        int16_t of_int16[MOST * MOST];
    } values;
    int64_t columns, rows;
    lf_grid *grid;
    lf_viewshed_def def;
    lf_observer observer;
    lf_window window;
    bool usual; ///< ground as in a DEM: floats must decide nearly all targets
} scene;

static double pick(test_random *random, const double *list, int count) {
    return list[test_random_below(random, count)];
}

static bool one_in(test_random *random, int64_t count) {
    return test_random_below(random, count) == 0;
}

/// Hills, steps in whole metres with ties, noise, a tilted plane, water with islands.
static double height_at(int kind, double i, double j, const double phase[4], test_random *random) {
    double hills = sin(0.07 * i + phase[0]) * cos(0.09 * j + phase[1]) + 0.3 * sin(0.31 * (i + j) + phase[2]);
    switch (kind) {
    case 0:
        return 400 + 60 * hills;
    case 1:
        return floor(5 * hills);
    case 2:
        return (double)test_random_below(random, 4);
    case 3:
        return 100 + 3 * i - 2 * j + test_random_between(random, 0, phase[3]);
    default:
        return hills > 0.7 ? rint(50 * (hills - 0.7)) : 0;
    }
}

static void make_values(scene *s, test_random *random, lf_sample_type type) {
    int kind = (int)test_random_below(random, 5);
    double phase[4];
    for (int k = 0; k < 4; k++)
        phase[k] = test_random_between(random, 0, 6.28);
    int64_t voids = test_random_below(random, 5), rare = voids == 1 ? 3 : 60;
    double slant = test_random_between(random, -2, 2), band = test_random_between(random, 2, 20);
    double ring = test_random_between(random, 0.2, 0.5) * (double)(s->columns + s->rows);
    s->usual = kind == 0 && s->columns > 60 && s->rows > 60;
    for (int64_t k = 0; k < s->columns * s->rows; k++) {
        double i = (double)(k % s->columns), j = (double)(k / s->columns);
        double height = height_at(kind, i, j, phase, random);
        double across = i - 0.5 * (double)s->columns, down = j - 0.5 * (double)s->rows;
        bool is_void = voids == 3   ? fabs(across) + fabs(down) > ring
                       : voids == 4 ? fabs(across - slant * down) > band // with heights in a slanting band
                                    : voids != 0 && one_in(random, rare);
        if (type == LF_SAMPLE_DOUBLE)
            s->values.of_double[k] = is_void ? NAN : height;
        else if (type == LF_SAMPLE_FLOAT)
            s->values.of_float[k] = is_void ? NAN : (float)height;
        else
            s->values.of_int16[k] = is_void ? -32768 : (int16_t)lrint(height);
    }
}

static int64_t side_of(test_random *random) {
    return one_in(random, 4) ? 2 + test_random_below(random, MOST - 1) : 2 + test_random_below(random, 30);
}

/// In metres, or in degrees: also near the poles and the date line.
static void set_rules(scene *s, test_random *random, lf_grid_def *def) {
    s->def = lf_viewshed_def_default();
    s->def.target = pick(random, (double[]){0, 0, 0.1, 2}, 4);
    s->def.rules.voids = (lf_void_policy)test_random_below(random, 3);
    s->def.rules.curvature.coefficient = pick(random, (double[]){0, 0.85714, 0.85714, 1}, 4);
    if (one_in(random, 6))
        s->def.rules.curvature.radius = pick(random, (double[]){1e3, 1e5}, 2);
    double cell = pick(random, (double[]){1, 10, 30, 1000}, 4);
    def->geotransform.per_column.x = cell;
    def->geotransform.per_row.y = cell;
    if (one_in(random, 2))
        return;
    s->def.rules.units = LF_MAP_DEGREES;
    cell = pick(random, (double[]){1.0 / 3600, 1.0 / 1200, 1.0 / 120}, 3);
    def->geotransform.per_column.x = cell;
    def->geotransform.per_row.y = cell;
    def->geotransform.origin.x = pick(random, (double[]){0, 11, 180 - cell * (double)s->columns}, 3);
    def->geotransform.origin.y = pick(random, (double[]){47, -0.5, 89.9 - cell * (double)s->rows, -89.9}, 4);
}

/// On samples, on edges, between them; false: there is no ground.
static bool set_observer(scene *s, test_random *random, const lf_grid_def *def) {
    double column = test_random_between(random, 0, (double)(s->columns - 1)),
           row = test_random_between(random, 0, (double)(s->rows - 1));
    int64_t kind = test_random_below(random, 4);
    column = kind < 2 ? floor(column) : column;
    row = kind < 1 || kind == 2 ? floor(row) : row;
    const lf_geotransform *p = &def->geotransform;
    s->observer = (lf_observer){{p->origin.x + column * p->per_column.x + row * p->per_row.x,
                                 p->origin.y + column * p->per_column.y + row * p->per_row.y},
                                pick(random, (double[]){0.1, 2, 30, 300}, 4),
                                false};
    s->window = lf_grid_window(s->grid);
    if (one_in(random, 3)) {
        int64_t i = test_random_below(random, s->columns), j = test_random_below(random, s->rows);
        s->window = (lf_window){i, j, 1 + test_random_below(random, s->columns - i),
                                1 + test_random_below(random, s->rows - j)};
    }
    lf_reason reason;
    lf_vec3 point;
    return lf_sight_observer(lf_grid_ground(s->grid), s->observer.at, s->observer.height, &point, &reason) ==
               LF_OK &&
           reason == LF_REASON_ANSWERED;
}

static bool make_scene(scene *s, test_random *random) {
    s->columns = side_of(random);
    s->rows = side_of(random);
    lf_grid_def def = lf_grid_def_default();
    def.samples.type =
        (lf_sample_type[]){LF_SAMPLE_FLOAT, LF_SAMPLE_INT16, LF_SAMPLE_DOUBLE}[test_random_below(random, 3)];
    make_values(s, random, def.samples.type);
    def.samples.values = &s->values;
    def.samples.columns = s->columns;
    def.samples.rows = s->rows;
    if (def.samples.type == LF_SAMPLE_INT16)
        def.samples.nodata = -32768;
    def.surface = one_in(random, 2) ? LF_SURFACE_FALLING : LF_SURFACE_RISING;
    set_rules(s, random, &def);
    lf_error error = {0};
    if (lf_grid_create(&def, &s->grid, &error) != LF_OK)
        fail_msg("no grid: %s", error.text);
    return set_observer(s, random, &def);
}

static void use_isa(const char *isa) {
    setenv("LANDFALL_ISA", isa, 1);
}

static lf__viewshed open_view(const scene *s) {
    lf__viewshed view = {.grid = s->grid, .window = s->window};
    assert_int_equal(lf__viewshed_check(s->grid, &s->def, view.window, &view.def, NULL), LF_OK);
    assert_int_equal(lf__viewshed_start(&view, &s->observer, -1, NULL), LF_OK);
    return view;
}

/// What is found of some rows.
typedef struct found {
    int64_t scenes, samples, decided, open, usual, usual_open;
} found;

/// Lines side by side, whatever path the viewshed would choose. All that they decide must be as expected.
static void check_small(const scene *s, const char *isa, const uint8_t *expected, found *f) {
    static uint8_t seen[MOST * MOST];
    use_isa(isa);
    lf__viewshed view = open_view(s);
    lf__views views;
    assert_int_equal(lf__views_open(&views, s->grid, &view.def.host), LF_OK);
    view.views = &views;
    lf__sweep sweep;
    int64_t samples = s->window.columns * s->window.rows;
    memset(seen, LF_VISIBILITY_HIDDEN, (size_t)samples);
    if (!lf__sweep_start(&sweep, &view, (lf__byte_plane){seen, (ptrdiff_t)s->window.columns}, 1, 28) ||
        !lf__small_possible(&sweep)) {
        lf__views_close(&views);
        return;
    }
    f->scenes++;
    assert_int_equal(lf__small_run(&sweep), LF_OK);
    lf__views_close(&views);
    for (int64_t k = 0; k < samples; k++) {
        int64_t i = s->window.column + k % s->window.columns, j = s->window.row + k / s->window.columns;
        bool own = view.eye.x == (double)i && view.eye.y == (double)j;
        if (expected[k] == LF_VISIBILITY_VOID || own)
            continue;
        f->samples++;
        f->open += seen[k] == LF__SEEN_OPEN;
        bool usual = s->usual && s->observer.height >= 2; // from lower eyes the ground beside them decides
        f->usual += usual;
        f->usual_open += usual && seen[k] == LF__SEEN_OPEN;
        if (seen[k] == LF__SEEN_OPEN || seen[k] == expected[k])
            continue;
        fail_msg("%s: %lld x %lld, window %lld %lld %lld %lld, observer %a %a %a, target %g, voids %d, units "
                 "%d, curvature %g %g, "
                 "sample %lld %lld: %d, expected %d",
                 isa, (long long)s->columns, (long long)s->rows, (long long)s->window.column,
                 (long long)s->window.row, (long long)s->window.columns, (long long)s->window.rows,
                 view.eye.x, view.eye.y, view.z, s->def.target, (int)s->def.rules.voids,
                 (int)s->def.rules.units, s->def.rules.curvature.coefficient, s->def.rules.curvature.radius,
                 (long long)i, (long long)j, seen[k], expected[k]);
    }
}

/// The sweep, by scalar code; some samples, or all of a few, are compared with their lines.
static void check_scene(const scene *s, test_random *random, found *f) {
    static uint8_t expected[MOST * MOST], seen[MOST * MOST];
    int64_t samples = s->window.columns * s->window.rows;
    use_isa("scalar");
    assert_int_equal(lf_viewshed_visible(lf_grid_ground(s->grid), &s->def, &s->observer, s->window, expected,
                                         0, NULL, NULL),
                     LF_OK);
    lf__viewshed view = open_view(s);
    for (int64_t n = 0; n < samples && n < 100; n++) {
        int64_t k = samples <= 100 ? n : test_random_below(random, samples);
        int64_t i = s->window.column + k % s->window.columns, j = s->window.row + k / s->window.columns;
        lf_visibility line =
            sample_is_bare(s->grid, i, j) ? LF_VISIBILITY_VOID : lf__viewshed_resolve(&view, i, j);
        assert_int_equal(expected[k], line);
    }
    static const char *const isas[] = {"avx2", "avx512"};
    for (int k = 0; k < 2; k++) {
        check_small(s, isas[k], expected, f);
        assert_int_equal(lf_viewshed_visible(lf_grid_ground(s->grid), &s->def, &s->observer, s->window, seen,
                                             0, NULL, NULL),
                         LF_OK);
        assert_memory_equal(seen, expected, (size_t)samples);
    }
}

static void small_rasters(void **state) {
    (void)state;
    static scene s;
    found f = {0};
    char outside[32];
    const char *isa = getenv("LANDFALL_ISA");
    snprintf(outside, sizeof outside, "%s", isa ? isa : "");
    test_random random = test_random_start(2100);
    for (int k = 0, count = test_long() ? 60000 : 1500; k < count; k++) {
        if (make_scene(&s, &random))
            check_scene(&s, &random, &f);
        lf_grid_destroy(s.grid);
    }
    use_isa(outside);
    print_message("%lld viewsheds, %lld targets, %lld of them open; of %lld on hills %lld\n",
                  (long long)f.scenes, (long long)f.samples, (long long)f.open, (long long)f.usual,
                  (long long)f.usual_open);
    if (f.scenes == 0) {
        print_message("skipped: no vectors on this machine\n");
        return;
    }
    assert_true(f.usual == 0 || f.usual_open * 250 < f.usual);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_rasters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
