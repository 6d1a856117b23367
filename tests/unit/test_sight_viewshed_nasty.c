/// Viewsheds that the sweep must not decide by itself: heights that differ by their last bits, voids around the observer, ground right beside it. Every sample
/// against the exact line to it.
#include "bare.h"
#include "sight/viewshed.h"
#include "support.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 48 // columns and rows

typedef struct scene {
    union {
        double of_double[MOST * MOST];
        float of_float[MOST * MOST];
        int16_t of_int16[MOST * MOST];
        uint16_t of_uint16[MOST * MOST];
    } values;
    lf_grid_def grid_def;
    lf_grid *grid;
    lf_viewshed_def def;
    lf_observer observer;
    uint8_t seen[MOST * MOST];
} scene;

static double pick(test_random *random, const double *list, int count) {
    return list[test_random_below(random, count)];
}

static bool one_in(test_random *random, int64_t count) {
    return test_random_below(random, count) == 0;
}

/// Samples that are not what their line says.
static int64_t count_wrong(const scene *s) {
    lf_window window = lf_grid_window(s->grid);
    lf__viewshed view = {.grid = s->grid, .window = window};
    assert_int_equal(lf__viewshed_check(s->grid, &s->def, window, &view.def, NULL), LF_OK);
    assert_int_equal(lf__viewshed_start(&view, &s->observer, -1, NULL), LF_OK);
    int64_t wrong = 0;
    for (int64_t k = 0; k < window.columns * window.rows; k++) {
        int64_t column = k % window.columns, row = k / window.columns;
        lf_visibility expected = sample_is_bare(s->grid, column, row)
                                     ? LF_VISIBILITY_VOID
                                     : lf__viewshed_resolve(&view, column, row);
        if ((lf_visibility)s->seen[k] == expected)
            continue;
        if (wrong++ == 0)
            print_error("%lld x %lld, surface %d, type %d, scale %a, offset %a, observer %a %a %a (%d), "
                        "target %a, coefficient %g, radius %g, span %d, voids %d: sample %lld %lld: %s, "
                        "expected %s\n",
                        (long long)window.columns, (long long)window.rows, (int)s->grid_def.surface,
                        (int)s->grid_def.samples.type, s->grid_def.samples.scale, s->grid_def.samples.offset,
                        view.eye.x, view.eye.y, view.z, s->observer.datum, s->def.target,
                        s->def.rules.curvature.coefficient, s->def.rules.curvature.radius,
                        (int)s->def.rules.units, (int)s->def.rules.voids, (long long)column, (long long)row,
                        lf_visibility_name((lf_visibility)s->seen[k]), lf_visibility_name(expected));
    }
    return wrong;
}

/// Look from the scene's observer; false where it has no ground to stand on.
static bool look(scene *s) {
    lf_error error = {0};
    if (lf_grid_create(&s->grid_def, &s->grid, &error) != LF_OK)
        fail_msg("no grid: %s", error.text);
    lf_status status = lf_viewshed_visible(lf_grid_ground(s->grid), &s->def, &s->observer,
                                           lf_grid_window(s->grid), s->seen, 0, NULL, NULL);
    assert_true(status == LF_OK || (status == LF_BAD_ARGUMENT && !s->observer.datum));
    return status == LF_OK;
}

static void start_scene(scene *s, int64_t columns, int64_t rows, lf_surface surface) {
    s->grid_def = lf_grid_def_default();
    s->grid_def.samples.values = &s->values;
    s->grid_def.samples.columns = columns;
    s->grid_def.samples.rows = rows;
    s->grid_def.surface = surface;
    s->def = lf_viewshed_def_default();
    s->observer = (lf_observer){{0, 0}, 0, false};
}

static void place_observer(scene *s, double column, double row) {
    const lf_geotransform *p = &s->grid_def.geotransform;
    s->observer.at = (lf_vec2){p->origin.x + column * p->per_column.x + row * p->per_row.x,
                               p->origin.y + column * p->per_column.y + row * p->per_row.y};
}

// ---------------------------------------------------------------------------------------------------
// Last bits
// ---------------------------------------------------------------------------------------------------

/// Whole numbers of units on a base, as samples of a type: all heights are exact.
static void set_samples(scene *s, lf_sample_type type, double base, double unit, const int *units) {
    lf_samples *samples = &s->grid_def.samples;
    samples->type = type;
    if (type != LF_SAMPLE_DOUBLE) {
        samples->scale = unit;
        samples->offset = base;
    }
    for (int64_t k = 0; k < samples->columns * samples->rows; k++) {
        if (type == LF_SAMPLE_DOUBLE)
            s->values.of_double[k] = base + units[k] * unit;
        else if (type == LF_SAMPLE_FLOAT)
            s->values.of_float[k] = (float)units[k];
        else if (type == LF_SAMPLE_INT16)
            s->values.of_int16[k] = (int16_t)units[k];
        else
            s->values.of_uint16[k] = (uint16_t)units[k];
    }
}

/// Noise, or a slope of few units.
static void make_units(int *units, int64_t columns, int64_t rows, test_random *random) {
    int64_t most = 1 + test_random_below(random, 8), slope = test_random_below(random, 3);
    for (int64_t k = 0; k < columns * rows; k++)
        units[k] = (int)(test_random_below(random, most + 1) + slope * (k % columns));
}

static void make_fine(scene *s, test_random *random) {
    static int units[MOST * MOST];
    int64_t columns = 2 + test_random_below(random, MOST - 1), rows = 2 + test_random_below(random, 12);
    start_scene(s, columns, rows, (lf_surface)test_random_below(random, 4));
    double base = floor(test_random_between(random, 1, 10) * pick(random, (double[]){1, 100, 1e6, 1e9}, 4));
    double bit = ldexp(1, ilogb(base) - 52);
    make_units(units, columns, rows, random);
    lf_sample_type types[] = {LF_SAMPLE_DOUBLE, LF_SAMPLE_FLOAT, LF_SAMPLE_INT16, LF_SAMPLE_UINT16};
    set_samples(s, types[test_random_below(random, 4)], base,
                bit * (double)((int64_t)1 << test_random_below(random, 8)), units);
    if (one_in(random, 3))
        s->grid_def.geotransform = (lf_geotransform){{0, 0}, {0.5, 2}, {-4, 0.25}};
    if (one_in(random, 3))
        s->grid_def.geotransform = (lf_geotransform){{500000.5, 4e6}, {10, 0}, {0, 10}};
    if (one_in(random, 3)) {
        s->def.rules.curvature.coefficient = pick(random, (double[]){0.85714, 1, -0.3}, 3);
        // Sags of about a few bits, so that they neither vanish nor are all that counts.
        double size = (double)columns *
                      hypot(s->grid_def.geotransform.per_column.x, s->grid_def.geotransform.per_column.y);
        s->def.rules.curvature.radius = size * size / (bit * (double)(1 + test_random_below(random, 64)));
    }
    double few = bit * test_random_between(random, 0, 16);
    s->def.target = pick(random, (double[]){0, 0, 1, few}, 4);
    s->observer.height = pick(random, (double[]){few, 4 * few, 64 * bit}, 3);
    double column = test_random_between(random, 0, (double)(columns - 1)),
           row = test_random_between(random, 0, (double)(rows - 1));
    double steps = pick(random, (double[]){1, 2, 1024, 0x1p40}, 4);
    place_observer(s, floor(column * steps) / steps, floor(row * steps) / steps);
}

static void heights_that_differ_by_bits(void **state) {
    (void)state;
    test_random random = test_random_start(1);
    static scene s;
    int64_t visible = 0, hidden = 0, wrong = 0, scenes = 0;
    for (int k = 0, count = test_long() ? 100000 : 1500; k < count; k++) {
        make_fine(&s, &random);
        int64_t samples = s.grid_def.samples.columns * s.grid_def.samples.rows;
        if (look(&s)) {
            int64_t here = count_wrong(&s);
            wrong += here;
            scenes += here > 0;
        }
        for (int64_t n = 0; n < samples; n++) {
            visible += s.seen[n] == LF_VISIBILITY_VISIBLE;
            hidden += s.seen[n] == LF_VISIBILITY_HIDDEN;
        }
        lf_grid_destroy(s.grid);
    }
    print_message("%lld samples visible, %lld hidden; %lld wrong in %lld scenes\n", (long long)visible,
                  (long long)hidden, (long long)wrong, (long long)scenes);
    assert_true(visible > 10000 && hidden > 10000);
    assert_int_equal(wrong, 0);
}

/// Flat ground whose height is 1 bit above a step of heights of lines, so that both ends of all lines are rounded up by 3 bits. By
/// that they pass over the curved earth for 4 m; the heights as they are would not allow any.
static void rounded_ends_see_over_the_horizon(void **state) {
    (void)state;
    static scene s;
    static const int units[36] = {0};
    start_scene(&s, 12, 3, LF_SURFACE_RISING);
    set_samples(&s, LF_SAMPLE_DOUBLE, 1e9 + 0x1p-23, 0, units);
    s.def.rules.curvature = (lf_curvature){1, 6371008.8};
    place_observer(&s, 2, 1);
    assert_true(look(&s));
    assert_int_equal(s.seen[12 + 5], LF_VISIBILITY_VISIBLE);
    assert_int_equal(s.seen[12 + 11], LF_VISIBILITY_HIDDEN);
    assert_int_equal(count_wrong(&s), 0);
    lf_grid_destroy(s.grid);
}

// ---------------------------------------------------------------------------------------------------
// Voids around the observer
// ---------------------------------------------------------------------------------------------------

/// The observer is over a void, below the ground beside it. The edge from (0, 4) to (1, 4), on the first ring towards the rows before, has
/// a void on either side: it is no ground, and hides nothing.
static void no_ground_beside_the_observer(void **state) {
    (void)state;
    static scene s;
    start_scene(&s, 5, 6, LF_SURFACE_RISING);
    for (int k = 0; k < 30; k++)
        s.values.of_float[k] = 32;
    s.values.of_float[5] = s.values.of_float[15] = s.values.of_float[26] = NAN;
    s.def.target = 0.25;
    s.def.rules.curvature = (lf_curvature){-1, 9.5};
    s.def.rules.voids = LF_VOIDS_UNKNOWN;
    s.observer = (lf_observer){{0.225, 4.75}, 25, true};
    assert_true(look(&s));
    assert_int_equal(s.seen[10], LF_VISIBILITY_UNKNOWN);
    assert_int_equal(count_wrong(&s), 0);
    lf_grid_destroy(s.grid);
}

static void make_holed(scene *s, test_random *random) {
    int64_t columns = 2 + test_random_below(random, 8), rows = 2 + test_random_below(random, 8);
    start_scene(s, columns, rows, (lf_surface)test_random_below(random, 4));
    double relief = pick(random, (double[]){0, 1, 10}, 3);
    int64_t rare = 2 + test_random_below(random, 8);
    for (int64_t k = 0; k < columns * rows; k++)
        s->values.of_float[k] =
            one_in(random, rare) ? NAN : (float)(32 + test_random_between(random, 0, relief));
    s->def.target = pick(random, (double[]){0, 0.25, 10}, 3);
    s->def.rules.voids = (lf_void_policy)test_random_below(random, 3);
    if (!one_in(random, 3))
        s->def.rules.curvature =
            (lf_curvature){pick(random, (double[]){1, -1}, 2), pick(random, (double[]){5, 10, 50, 1000}, 4)};
    s->observer.datum = true;
    s->observer.height = 32 + pick(random, (double[]){-10, -1, 0, 1, 10}, 5);
    double column = test_random_between(random, 0, (double)(columns - 1)),
           row = test_random_between(random, 0, (double)(rows - 1));
    double steps = pick(random, (double[]){1, 2, 0x1p40}, 3);
    place_observer(s, floor(column * steps) / steps, floor(row * steps) / steps);
}

static void voids_around_the_observer(void **state) {
    (void)state;
    test_random random = test_random_start(2);
    static scene s;
    int64_t wrong = 0, unknown = 0;
    for (int k = 0, count = test_long() ? 300000 : 10000; k < count; k++) {
        make_holed(&s, &random);
        assert_true(look(&s));
        wrong += count_wrong(&s);
        for (int64_t n = 0; n < s.grid_def.samples.columns * s.grid_def.samples.rows; n++)
            unknown += s.seen[n] == LF_VISIBILITY_UNKNOWN;
        lf_grid_destroy(s.grid);
    }
    print_message("%lld samples unknown; %lld wrong\n", (long long)unknown, (long long)wrong);
    assert_true(unknown > 1000);
    assert_int_equal(wrong, 0);
}

// ---------------------------------------------------------------------------------------------------
// Least heights
// ---------------------------------------------------------------------------------------------------

/// Ground begins 2^-38 rows beside the observer: the least height over a sample is by how much the distance to it is more than that.
static void ground_next_to_the_observer(void **state) {
    (void)state;
    static scene s;
    double beside = 0x1p-38;
    float least[36];
    start_scene(&s, 3, 12, LF_SURFACE_POINT);
    for (int k = 0; k < 36; k++)
        s.values.of_float[k] = k / 3 == 7 ? 1 : 0;
    place_observer(&s, 1, 7.5 + beside);
    s.observer.height = 0.5;
    assert_int_equal(lf_grid_create(&s.grid_def, &s.grid, NULL), LF_OK);
    assert_int_equal(lf_viewshed_values(lf_grid_ground(s.grid), &s.def, &s.observer, LF_VIEWSHED_GROUND,
                                        lf_grid_window(s.grid), least, 0, NULL, NULL),
                     LF_OK);
    for (int row = 0; row < 7; row++) {
        double expected = 0.5 + 0.5 * ((7.5 + beside - row) / beside);
        assert_true(fabs((double)least[3 * row + 1] - expected) <= 0x1p-23 * expected);
    }
    assert_true(least[3 * 9 + 1] == 0);
    lf_grid_destroy(s.grid);
}

/// Wrong samples of a scene with the kernels of this machine, or without vectors, and the sweep instead of lines side by side.
static int64_t count_wrong_with(scene *s, const char *isa) {
    const char *before = getenv("LANDFALL_ISA");
    char kept[32];
    snprintf(kept, sizeof kept, "%s", before ? before : "");
    if (isa)
        setenv("LANDFALL_ISA", isa, 1);
    assert_true(look(s));
    int64_t wrong = count_wrong(s);
    lf_grid_destroy(s->grid);
    if (before)
        setenv("LANDFALL_ISA", kept, 1);
    else
        unsetenv("LANDFALL_ISA");
    return wrong;
}

/// On a slope, the edge from the observer's square to sample (9, 18) is the highest ground in its direction, and ends between two borders of bins. It
/// hides a sample that is decided in doubles.
static void edge_that_ends_within_a_bin(void **state) {
    (void)state;
    static scene s;
    static const float around[4][8] = {
        {89.2718201F, 92.1977005F, 95.7263794F, 98.1102524F, 101.27005F, 104.700729F, 107.038414F,
         110.099159F},
        {87.2570953F, 90.3959503F, 93.5147247F, 96.1689835F, 99.0074158F, 102.363365F, 105.59642F, 108},
        {85.0081558F, 88.6429443F, 91.0744781F, 94.0625534F, 97.3231964F, 100.602097F, 103.643463F,
         106.427231F},
        {83.6884766F, 86.177475F, 89.6114273F, 92.2209244F, 95.4046631F, 98.0834732F, 101.486969F,
         104.695236F}};
    start_scene(&s, 30, 23, LF_SURFACE_FALLING);
    for (int k = 0; k < 30 * 23; k++) {
        int i = k % 30, j = k / 30;
        bool inside = i >= 7 && i < 15 && j >= 16 && j < 20;
        s.values.of_float[k] =
            inside ? around[j - 16][i - 7] : (float)(90.39 + 3.1 * (i - 8) - 2.4 * (j - 17));
    }
    s.grid_def.geotransform.per_column.x = s.grid_def.geotransform.per_row.y = 10;
    s.def.rules.curvature.coefficient = 0.85714;
    s.observer = (lf_observer){{83.781797293527092, 170.10930863581308}, 91.656245711964743, true};
    assert_int_equal(count_wrong_with(&s, "scalar"), 0);
    assert_int_equal(count_wrong_with(&s, NULL), 0);
}

/// On a curved plain a line that ends on the ground dips below its last edge. Here its direction runs exactly through the sample there, beside which is
/// a void.
static void last_sample_beside_a_void(void **state) {
    (void)state;
    static scene s;
    static const int voids[][2] = {{19, 18}, {18, 17}, {31, 19}, {31, 21}};
    for (int n = 0; n < 8; n++) {
        start_scene(&s, 40, 40, n % 2 ? LF_SURFACE_RISING : LF_SURFACE_FALLING);
        memset(&s.values, 0, sizeof s.values);
        s.values.of_float[voids[n / 2][1] * 40 + voids[n / 2][0]] = NAN;
        s.grid_def.geotransform.per_column.x = s.grid_def.geotransform.per_row.y = 1000;
        s.def.rules.curvature.coefficient = 0.85714;
        s.def.rules.voids = LF_VOIDS_PASS;
        s.observer = (lf_observer){{33000, 3000}, 30, true};
        assert_int_equal(count_wrong_with(&s, "scalar"), 0);
        assert_int_equal(count_wrong_with(&s, "avx2"), 0);
        assert_int_equal(count_wrong_with(&s, NULL), 0);
    }
}

/// On flat ground and a small earth that lowers it by the square of its distance, a line touches the ground at the square root of
/// the observer's height, often just beyond the first edge, and is higher than the ground by the square of the distance from there.
static void flat_ground_on_a_small_earth(void **state) {
    (void)state;
    enum { SIDE = 9 };
    static scene s;
    float least[SIDE * SIDE];
    test_random random = test_random_start(1961);
    for (int trial = 0; trial < 400; trial++) {
        start_scene(&s, SIDE, SIDE, trial % 2 ? LF_SURFACE_RISING : LF_SURFACE_FALLING);
        memset(&s.values, 0, sizeof s.values);
        double x = test_random_between(&random, 3, 5),
               y = floor(x) + 5 - x + test_random_between(&random, -0.1, 0.1);
        place_observer(&s, x, y);
        s.def.rules.curvature = (lf_curvature){2, 1};
        s.observer.height = pow(test_random_between(&random, 0.01, 1), 2);
        assert_int_equal(lf_grid_create(&s.grid_def, &s.grid, NULL), LF_OK);
        assert_int_equal(lf_viewshed_values(lf_grid_ground(s.grid), &s.def, &s.observer, LF_VIEWSHED_GROUND,
                                            lf_grid_window(s.grid), least, 0, NULL, NULL),
                         LF_OK);
        for (int k = 0; k < SIDE * SIDE; k++) {
            double far = hypot((double)(k % SIDE) - x, (double)(k / SIDE) - y),
                   touch = sqrt(s.observer.height);
            double expected = touch < far ? (far - touch) * (far - touch) : 0;
            assert_true(fabs((double)least[k] - expected) <= 1e-6 * (1 + far * far));
        }
        lf_grid_destroy(s.grid);
    }
}

/// Rows are counted by bits, and stretches that are all hidden at once.
static void values_are_counted(void **state) {
    (void)state;
    static uint8_t row[9000];
    test_random random = test_random_start(5);
    for (int round = 0; round < 300; round++) {
        int64_t columns = 1 + test_random_below(&random, (int64_t)sizeof row - 8), start = round % 8,
                counts[5] = {0}, right[5] = {0};
        memset(row, 0, sizeof row);
        for (int64_t stretches = test_random_below(&random, 6); stretches > 0; stretches--) {
            int64_t first = test_random_below(&random, columns),
                    many = 1 + test_random_below(&random, columns - first);
            for (int64_t k = first; k < first + (one_in(&random, 2) ? 1 : many); k++)
                row[start + k] = (uint8_t)test_random_below(&random, 5);
        }
        for (int64_t k = 0; k < columns; k++)
            right[row[start + k]]++;
        lf__viewshed_count_row(row + start, columns, counts);
        assert_memory_equal(counts, right, sizeof right);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heights_that_differ_by_bits),
        cmocka_unit_test(rounded_ends_see_over_the_horizon),
        cmocka_unit_test(no_ground_beside_the_observer),
        cmocka_unit_test(voids_around_the_observer),
        cmocka_unit_test(ground_next_to_the_observer),
        cmocka_unit_test(edge_that_ends_within_a_bin),
        cmocka_unit_test(last_sample_beside_a_void),
        cmocka_unit_test(flat_ground_on_a_small_earth),
        cmocka_unit_test(values_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
