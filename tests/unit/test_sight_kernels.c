/// Kernels and the plain way give the same verdicts and the same breaks, to the bit.
#include "grid/grid.h"
#include "sight/k_line.h"
#include "sight/sight.h"
#include "sight/total.h"
#include "support.h"

#define MOST 420

typedef struct twins {
    lf_grid *grid[2]; ///< with kernels and without
    const lf_ground *ground[2];
    int64_t columns, rows;
} twins;

/// Hills, noise, steps and planes, so that lines graze, hit and miss.
static double height_at(int kind, int64_t i, int64_t j, test_random *random) {
    double x = (double)i, y = (double)j;
    switch (kind) {
    case 0:
        return 40 * sin(x / 17) + 30 * cos(y / 23) + 3 * sin(x * y / 50);
    case 1:
        return test_random_between(random, 0, 2) + 0.25 * x;
    case 2:
        return floor(test_random_between(random, 0, 3));
    default:
        return 0.5 * x - 0.25 * y;
    }
}

static void make(twins *t, int kind, lf_surface surface, bool extend, test_random *random) {
    static double heights[MOST * MOST];
    t->columns = 20 + test_random_below(random, MOST - 20);
    t->rows = 20 + test_random_below(random, MOST - 20);
    for (int64_t k = 0; k < t->columns * t->rows; k++)
        heights[k] = height_at(kind, k % t->columns, k / t->columns, random);
    lf_grid_def def = lf_grid_def_default();
    def.samples.type = LF_SAMPLE_DOUBLE;
    def.samples.values = heights;
    def.samples.columns = t->columns;
    def.samples.rows = t->rows;
    def.surface = surface;
    def.extend = extend && surface != LF_SURFACE_POINT;
    for (int k = 0; k < 2; k++) {
        assert_int_equal(lf_grid_create(&def, &t->grid[k], NULL), LF_OK);
        t->ground[k] = lf_grid_ground(t->grid[k]);
    }
    t->grid[1]->kernels = NULL;
    t->grid[1]->line_level = 0;
}

static void drop(twins *t) {
    for (int k = 0; k < 2; k++) {
        lf_grid_destroy(t->grid[k]);
    }
}

/// An end on a sample, on a side, on a diagonal, at the border or anywhere, on the ground, near it or high up.
static lf_vec3 random_end(const twins *t, test_random *random) {
    double x = test_random_between(random, -2, (double)t->columns + 1),
           y = test_random_between(random, -2, (double)t->rows + 1);
    int64_t kind = test_random_below(random, 9);
    x = kind == 8                ? floor(x) + 0.5
        : kind == 0 || kind == 1 ? floor(x)
        : kind == 4              ? 0
        : kind == 5              ? (double)(t->columns - 1)
                                 : x;
    y = kind == 0 || kind == 2 ? floor(y)
        : kind == 3            ? floor(y) + (x - floor(x))
        : kind == 6            ? (double)(t->rows - 1)
        : kind == 8            ? floor(y) + 0.5 * (double)test_random_below(random, 2)
                               : y;
    lf_vec3 p = {x, y, test_random_between(random, -50, 150)};
    lf_reason reason;
    const double above[] = {0, 1e-9, 0.1, 2, 10};
    if (test_random_below(random, 4) != 0)
        assert_int_equal(lf_sight_observer(t->ground[1], (lf_vec2){x, y}, above[test_random_below(random, 5)],
                                           &p, &reason),
                         LF_OK);
    return p;
}

static void compare(const twins *t, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b) {
    lf_sight sight[2];
    lf_verdict verdict[2];
    for (int k = 0; k < 2; k++) {
        assert_int_equal(lf_sight_between(t->ground[k], rules, a, b, &sight[k], NULL), LF_OK);
        assert_int_equal(lf_sight_verdict(t->ground[k], rules, a, b, &verdict[k], NULL), LF_OK);
        assert_int_equal(sight[k].verdict, verdict[k]);
    }
    assert_int_equal(sight[0].verdict, sight[1].verdict);
    assert_memory_equal(&sight[0].t, &sight[1].t, sizeof(double));
    assert_memory_equal(&sight[0].point, &sight[1].point, sizeof(lf_vec3));
}

static void test_same_verdicts(void **state) {
    (void)state;
    test_random random = test_random_start(530);
    for (int round = 0; round < 20; round++) {
        twins t;
        enum { COUNT = 150 };
        static lf_vec3 a[COUNT], b[COUNT];
        static uint8_t verdicts[2][COUNT];
        make(&t, round / 5, (lf_surface)(round % 5), test_random_below(&random, 2) != 0, &random);
        lf_sight_rules rules = lf_sight_rules_default();
        rules.curvature.coefficient = round & 1 ? 0.75 : 0;
        rules.curvature.radius = test_random_below(&random, 2) ? 2000 : 6371008.8;
        rules.search = (lf_search)test_random_below(&random, 3);
        for (int k = 0; k < COUNT; k++) {
            a[k] = random_end(&t, &random);
            b[k] = random_end(&t, &random);
            if (test_random_below(&random, 6) == 0) // along a column, a row or a diagonal
                b[k].x = a[k].x;
            else if (test_random_below(&random, 6) == 0)
                b[k].y = a[k].y;
            else if (test_random_below(&random, 6) == 0)
                b[k].y = a[k].y + (b[k].x - a[k].x) * (test_random_below(&random, 2) ? 1 : -1);
            compare(&t, &rules, a[k], b[k]);
        }
        for (int k = 0; k < 2; k++)
            assert_int_equal(lf_sight_verdicts(t.ground[k], &rules, a, 0, b, 0, COUNT, verdicts[k], NULL),
                             LF_OK);
        assert_memory_equal(verdicts[0], verdicts[1], COUNT);
        drop(&t);
    }
}

/// A line that a probe reports is blocked, and most blocked lines over hills are reported.
static void test_probes(void **state) {
    (void)state;
    test_random random = test_random_start(533);
    int64_t blocked = 0, reported = 0;
    for (int round = 0; round < 16; round++) {
        twins t;
        make(&t, round / 4, (lf_surface)(round % 4), test_random_below(&random, 2) != 0, &random);
        lf_sight_rules rules = lf_sight_rules_default();
        for (int k = 0; k < 500 && lf__sight_has_kernel(t.grid[0]); k++) {
            lf_vec3 a = random_end(&t, &random), b = random_end(&t, &random);
            double sag = test_random_below(&random, 2) ? 0 : test_random_between(&random, -50, 50), at = -1;
            bool below = lf__sight_probe(t.grid[0], a, b, sag, &at);
            lf__sight_pair pair = {.rules = &rules, .a = a, .b = b, .sag = sag};
            lf__sight_result wanted;
            lf__sight_pair_verdict(t.ground[1], &pair, LF__SIGHT_ANY, &wanted, NULL);
            if (below)
                assert_true(wanted.verdict == LF_VERDICT_BLOCKED && at > 0 && at < 1);
            if (round < 4) {
                blocked += wanted.verdict == LF_VERDICT_BLOCKED;
                reported += below;
            }
        }
        drop(&t);
    }
    assert_true(2 * reported >= blocked);
}

/// A geotransform: plain, in metres far from the origin, or turned.
static lf_geotransform random_placing(test_random *random) {
    lf_geotransform geotransform = {{0, 0}, {1, 0}, {0, 1}};
    int64_t kind = test_random_below(random, 3);
    double step = test_random_between(random, 0.1, 50);
    if (kind > 0) {
        geotransform.origin =
            (lf_vec2){test_random_between(random, -1e6, 1e6), test_random_between(random, 0, 6e6)};
        geotransform.per_column.x = geotransform.per_row.y = step;
    }
    if (kind == 2) {
        geotransform.per_column.y = test_random_between(random, -1, 1);
        geotransform.per_row.x = -geotransform.per_column.y;
    }
    return geotransform;
}

/// An end on a sample, anywhere on the grid, near it, or so far off that it is not set on steps.
static lf_vec3 place_end(const lf_geotransform *geotransform, double size, test_random *random) {
    static const double reach[4] = {1, 1, 3, 1e7};
    int64_t kind = test_random_below(random, 4);
    double i = test_random_between(random, -0.2, reach[kind]) * size,
           j = test_random_between(random, -0.2, reach[kind]) * size;
    if (kind == 0)
        i = floor(i), j = floor(j);
    return (lf_vec3){geotransform->origin.x + i * geotransform->per_column.x + j * geotransform->per_row.x,
                     geotransform->origin.y + i * geotransform->per_column.y + j * geotransform->per_row.y,
                     test_random_between(random, -10, 3000)};
}

/// Both ends at once make the line that one after the other makes.
static void test_same_lines(void **state) {
    (void)state;
    test_random random = test_random_start(532);
    static const float heights[40 * 40];
    int64_t made = 0, refused = 0;
    for (int round = 0; round < 60; round++) {
        lf_grid_def def = lf_grid_def_default();
        lf_grid *grid;
        const lf_ground *ground;
        def.samples.values = heights;
        def.samples.columns = 2 + test_random_below(&random, 39);
        def.samples.rows = 2 + test_random_below(&random, 39);
        def.geotransform = random_placing(&random);
        assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
        ground = lf_grid_ground(grid);
        lf_sight_rules rules = lf_sight_rules_default();
        rules.curvature.coefficient = round & 1 ? 0.75 : 0;
        for (int k = 0; k < 100 && lf__sight_has_kernel(grid); k++) {
            lf__sight_pair pair;
            lf__sight_line line;
            bool turned;
            lf__sight_pair_make(ground, &rules, place_end(&def.geotransform, 40, &random),
                                place_end(&def.geotransform, 40, &random), false, &pair);
            lf__sight_line wanted = lf__sight_pair_line(&pair, grid, &turned);
            if (!lf__sight_line_of_ends(grid, pair.a, pair.b, pair.sag, &line)) {
                lf_vec2 from = lf__sight_place(grid, (lf_vec2){pair.a.x, pair.a.y}),
                        to = lf__sight_place(grid, (lf_vec2){pair.b.x, pair.b.y});
                assert_false(lf__sight_is_near(grid, from) && lf__sight_is_near(grid, to));
                refused++;
                continue;
            }
            made++;
            assert_false(turned);
            assert_memory_equal(&line.at, &wanted.at, sizeof line.at);
            assert_memory_equal(&line.way, &wanted.way, sizeof line.way);
            const double got[4] = {line.z0, line.z1, line.z2, line.end},
                         right[4] = {wanted.z0, wanted.z1, wanted.z2, wanted.end};
            assert_memory_equal(got, right, sizeof got);
        }
        lf_grid_destroy(grid);
    }
    assert_true(made + refused == 0 || (made > 0 && refused > 0)); // none without kernels
}

/// Lines near the ground of a large grid touch few of its heights.
static void test_few_heights(void **state) {
    (void)state;
    test_random random = test_random_start(531);
    twins t;
    make(&t, 0, LF_SURFACE_FALLING, false, &random);
    lf_sight_rules rules = lf_sight_rules_default();
    lf_cursor *cursor;
    assert_int_equal(lf_cursor_create(NULL, &cursor), LF_OK);
    for (int k = 0; k < 100; k++) {
        lf_verdict verdict;
        lf_vec3 a = {0, test_random_between(&random, 0, (double)(t.rows - 1)), 80};
        lf_vec3 b = {(double)(t.columns - 1), test_random_between(&random, 0, (double)(t.rows - 1)), 80};
        assert_int_equal(lf_sight_verdict(t.ground[0], &rules, a, b, &verdict, cursor), LF_OK);
        assert_int_equal(verdict, LF_VERDICT_CLEAR); // above everything
    }
    assert_int_equal(lf_cursor_counters(cursor).triangles, 0);
    lf_cursor_destroy(cursor);
    drop(&t);
}

/// Sums of total viewsheds: every instruction set adds the same, and nothing behind the last one.
static void test_same_sums(void **state) {
    (void)state;
    test_random random = test_random_start(61);
    for (int isa = 0; isa <= (int)lf_isa_best(); isa++)
        for (int64_t count = 0; count <= LF__TOTAL_LANES; count++) {
            float seen[LF__TOTAL_LANES];
            double sums[LF__TOTAL_LANES + 1], expected[LF__TOTAL_LANES + 1];
            double more = test_random_between(&random, 0, 1e3);
            for (int k = 0; k <= LF__TOTAL_LANES; k++)
                sums[k] = expected[k] = test_random_between(&random, 0, 1e6);
            for (int64_t k = 0; k < LF__TOTAL_LANES; k++) {
                seen[k] = (float)test_random_between(&random, 0, 1e5);
                if (k < count)
                    expected[k] += (double)seen[k] + more;
            }
            lf__total_adder_for((lf_isa)isa)(seen, more, sums, count);
            assert_memory_equal(sums, expected, sizeof sums);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_sums),   cmocka_unit_test(test_same_verdicts),
        cmocka_unit_test(test_probes),      cmocka_unit_test(test_same_lines),
        cmocka_unit_test(test_few_heights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
