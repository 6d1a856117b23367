// Total viewsheds, against one line after the other in long double, and against exact viewsheds.
#include "grid/grid.h"
#include "published/tabik.h"
#include "support.h"
#include <landfall/landfall.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 45, SAMPLES = SIDE * SIDE, LARGE = 230 };

#define DEGREE 0.017453292519943295L

typedef struct terrain {
    int side; ///< 0: SIDE
    float heights[LARGE * LARGE];
    bool bare[LARGE * LARGE];
    lf_grid *grid;
    lf_geotransform geotransform;
} terrain;

static void open_terrain(terrain *t, lf_geotransform geotransform) {
    lf_grid_def def = lf_grid_def_default();
    t->side = t->side ? t->side : SIDE;
    t->geotransform = geotransform;
    def.samples.values = t->heights;
    def.samples.columns = def.samples.rows = t->side;
    def.geotransform = geotransform;
    assert_int_equal(lf_grid_create(&def, &t->grid, NULL), LF_OK);
    for (int k = 0; k < t->side * t->side;
         k++) // as the grid has it: a sample without any ground around it is a void, too
        t->bare[k] = lf__grid_bare(t->grid, k % t->side, k / t->side);
}

static long double height_of(const terrain *t, int64_t column, int64_t row) {
    int64_t at = row * t->side + column;
    return t->bare[at] ? (long double)NAN : (long double)t->heights[at];
}

static void random_heights(terrain *t, bool voids, test_random *random) {
    double rough = test_random_between(random, 1, 40);
    for (int k = 0; k < SAMPLES; k++) {
        double x = k % SIDE, y = (double)(k / SIDE);
        t->heights[k] = (float)(100 * sin(x / 7) * cos(y / 9) + test_random_between(random, 0, rough));
        if (voids && test_random_below(random, 60) == 0)
            t->heights[k] = NAN;
    }
}

/// Bounds of a sum of which some terms are too close to say.
typedef struct between {
    long double low, high;
} between;

/// The ground where an azimuth crosses a line of samples, so many columns and rows away; NAN where there is none.
static long double ground_at(const terrain *t, int column, int row, const long double away[2]) {
    long double x = (long double)column + away[0], y = (long double)row + away[1], z = 0;
    int64_t i = (int64_t)floorl(x), j = (int64_t)floorl(y);
    long double f[2] = {x - (long double)i, y - (long double)j};
    for (int n = 0; n < 4; n++) {
        long double share = (n & 1 ? f[0] : 1 - f[0]) * (n & 2 ? f[1] : 1 - f[1]);
        int64_t at[2] = {i + (n & 1), j + (n >> 1)};
        if (share == 0)
            continue;
        if (at[0] < 0 || at[1] < 0 || at[0] >= t->side || at[1] >= t->side)
            return (long double)NAN;
        z += share * height_of(t, at[0], at[1]);
    }
    return z;
}

/// What is seen along one azimuth, by the definition: the ground is met at each column, or row, that the azimuth crosses; each of these
/// places stands for the part of its sector from half a step before it to half a step behind it. Where it crosses a line of the other kind
/// the ground can hide what is behind.
static between look(const terrain *t, const lf_total_def *def, int column, int row, const long double way[2],
                    long double whole) {
    bool swap = fabsl(way[1]) > fabsl(way[0]);
    long double along = way[swap], side = way[!swap] / fabsl(along), step = 1 / fabsl(along);
    long double eye = height_of(t, column, row) + def->observer_height, most = -INFINITY;
    long double sector = 3.14159265358979323846264L / def->azimuths,
                lowering = def->rules.curvature.coefficient / (2 * def->rules.curvature.radius);
    int64_t count = (int64_t)floorl(def->range / step * (1 + 1e-12L));
    long double before = fminl(0.5L * step, def->range), last = 0;
    between area = {sector * before * before, sector * before * before};
    for (int64_t k = 1; k <= count; k++) {
        long double beside = (long double)k * side, near = roundl(beside), metres = (long double)k * step;
        beside = fabsl(beside - near) < 1e-9L ? near : beside;
        long double cross = truncl(beside), main = along < 0 ? -1 : 1;
        if (fabsl(cross) < fabsl(beside) && fabsl(cross) > fabsl(last)) {
            long double steps = cross / side, away[2];
            away[swap] = main * steps, away[!swap] = cross;
            long double rise = ground_at(t, column, row, away) - eye, far = steps * step;
            most = isnan(rise) ? most : fmaxl(most, rise / far - lowering * far);
        }
        last = beside;
        long double away[2], radius = fminl(((long double)k + 0.5L) * step, def->range),
                             after = k < count ? sector * radius * radius : whole;
        long double own =
            after - (k == 1 ? sector * before * before : sector * powl(((long double)k - 0.5L) * step, 2));
        away[swap] = main * (long double)k, away[!swap] = beside;
        long double z = ground_at(t, column, row, away);
        if (isnan(z))
            continue;
        long double slope = (z - eye) / metres - lowering * metres,
                    target = (z + def->target_height - eye) / metres - lowering * metres;
        long double close = 1e-5L * (1 + fabsl(slope));
        area.low += target - most > close ? own : 0;
        area.high += target - most > -close ? own : 0;
        most = fmaxl(most, slope);
    }
    return area;
}

static void check_sample(const terrain *t, const lf_total_def *def, int column, int row, float found) {
    between area = {0, 0};
    long double whole = 3.14159265358979323846264L / def->azimuths * def->range * def->range;
    const lf_geotransform *g = &t->geotransform;
    if (t->bare[row * t->side + column]) {
        assert_true(isnan(found));
        return;
    }
    for (int k = 0; k < def->azimuths; k++) {
        long double turn = 360.0L * k / def->azimuths * DEGREE, x = sinl(turn), y = cosl(turn);
        if (k * 4 % def->azimuths == 0) // along the axes exactly
            x = roundl(x), y = roundl(y);
        long double det =
            (long double)g->per_column.x * g->per_row.y - (long double)g->per_column.y * g->per_row.x;
        long double way[2] = {(x * g->per_row.y - y * g->per_row.x) / det,
                              (y * g->per_column.x - x * g->per_column.y) / det};
        between one = look(t, def, column, row, way, whole);
        area.low += one.low, area.high += one.high;
    }
    if ((long double)found < area.low * (1 - 1e-5L) || (long double)found > area.high * (1 + 1e-5L))
        fail_msg("sample %d, %d: %.9g, expected %.9Lg .. %.9Lg", column, row, (double)found, area.low,
                 area.high);
}

static void by_definition(void **state) {
    (void)state;
    test_random random = test_random_start(2301);
    static float area[SAMPLES], again[SAMPLES];
    for (int64_t round = 0; round < test_rounds(12); round++) {
        terrain t = {.side = 0};
        random_heights(&t, round % 3 == 1, &random);
        lf_geotransform g = {{100, 200}, {10, 0}, {0, round % 2 ? 10 : 25}};
        if (round % 4 == 3)
            g.per_column.y = 4, g.per_row.x = -3;
        open_terrain(&t, g);
        lf_total_def def = lf_total_def_default();
        def.azimuths = (int)(4 + test_random_below(&random, 60));
        def.range = test_random_between(&random, 20, 600);
        def.observer_height = test_random_between(&random, 0, 30);
        def.target_height = round % 2 ? test_random_between(&random, -2, 5) : 0;
        def.rules.curvature.coefficient = round % 5 == 2 ? 0.85714 : 0;
        lf_tasks tasks = test_tasks(3);
        lf_window window = {0, 0, SIDE, SIDE};
        lf_total_maps maps = {.area = area};
        assert_int_equal(lf_total_viewshed(lf_grid_ground(t.grid), &def, window, &maps, NULL), LF_OK);
        for (int k = (int)test_random_below(&random, 4); k < SAMPLES; k += 4)
            check_sample(&t, &def, k % SIDE, k / SIDE, area[k]);
        // The same bits by threads, and window by window.
        def.host.tasks = &tasks;
        lf_window part = {test_random_below(&random, SIDE), test_random_below(&random, SIDE), 0, 0};
        part.columns = 1 + test_random_below(&random, SIDE - part.column);
        part.rows = 1 + test_random_below(&random, SIDE - part.row);
        maps = (lf_total_maps){.area = again + part.row * SIDE + part.column, .stride = SIDE};
        assert_int_equal(lf_total_viewshed(lf_grid_ground(t.grid), &def, part, &maps, NULL), LF_OK);
        for (int64_t j = part.row; j < part.row + part.rows; j++)
            assert_memory_equal(&area[j * SIDE + part.column], &again[j * SIDE + part.column],
                                (size_t)part.columns * sizeof *area);
        lf_grid_destroy(t.grid);
    }
}

/// Ridges that hide long stretches of most lines, with spikes between them that rise above the ridges here and there.
static void ridges(terrain *t, test_random *random) {
    double turn = test_random_between(random, 0, 7), apart = test_random_between(random, 9, 50);
    for (int k = 0; k < t->side * t->side; k++) {
        double x = k % t->side, y = (double)(k / t->side),
               wave = sin((x * cos(turn) + y * sin(turn)) / apart);
        t->heights[k] = (float)(300 * wave * wave * wave + test_random_between(random, 0, 2));
        if (test_random_below(random, 400) == 0)
            t->heights[k] += (float)test_random_between(random, 0, 900);
        if (test_random_below(random, 3000) == 0)
            t->heights[k] = NAN;
    }
}

/// Lines of hundreds of places, of which most are skipped by bounds. A place that is skipped although it is seen would also differ
/// between windows, whose blocks and bounds begin elsewhere.
static void far_places(void **state) {
    (void)state;
    test_random random = test_random_start(2305);
    terrain *t = test_space(1, sizeof *t);
    float *area = test_space(LARGE * LARGE, sizeof *area), *again = test_space(LARGE * LARGE, sizeof *again);
    for (int64_t round = 0; round < test_rounds(6); round++) {
        t->side = LARGE;
        ridges(t, &random);
        open_terrain(t, (lf_geotransform){{100, 200}, {10, 0}, {0, round % 2 ? 10 : 14}});
        lf_total_def def = lf_total_def_default();
        def.azimuths = (int)(5 + test_random_below(&random, 20));
        def.range = test_random_between(&random, 900, 4000);
        def.observer_height = test_random_between(&random, 0, 60);
        def.target_height = round % 3 == 2 ? test_random_between(&random, -9, 20) : 0;
        def.rules.curvature.coefficient = round % 2 ? LF_CURVATURE_LIGHT : 0;
        lf_total_maps maps = {.area = area};
        const lf_ground *ground = lf_grid_ground(t->grid);
        assert_int_equal(lf_total_viewshed(ground, &def, (lf_window){0, 0, LARGE, LARGE}, &maps, NULL),
                         LF_OK);
        for (int k = 0; k < 200; k++) {
            int at = (int)test_random_below(&random, LARGE * LARGE);
            check_sample(t, &def, at % LARGE, at / LARGE, area[at]);
        }
        lf_window part = {1 + test_random_below(&random, LARGE / 2),
                          1 + test_random_below(&random, LARGE / 2), LARGE / 3, LARGE / 3};
        maps.area = again;
        assert_int_equal(lf_total_viewshed(ground, &def, part, &maps, NULL), LF_OK);
        for (int64_t j = 0; j < part.rows; j++)
            assert_memory_equal(&area[(part.row + j) * LARGE + part.column], &again[j * part.columns],
                                (size_t)part.columns * sizeof *area);
        lf_grid_destroy(t->grid);
    }
    free(t);
    free(area);
    free(again);
}

/// On degrees each row has its own directions: windows of one row against the whole, and against the same rows as a raster in metres.
static void on_degrees(void **state) {
    (void)state;
    test_random random = test_random_start(2306);
    static float area[SAMPLES], again[SAMPLES];
    for (int64_t round = 0; round < test_rounds(6); round++) {
        terrain t = {.side = 0};
        random_heights(&t, round % 3 == 1, &random);
        double step = 1 / 3600.0, latitude = test_random_between(&random, -70, 70);
        open_terrain(&t, (lf_geotransform){{7, latitude}, {step, 0}, {0, step}});
        lf_total_def def = lf_total_def_default();
        def.azimuths = (int)(4 + test_random_below(&random, 40));
        def.range = test_random_between(&random, 100, 1500);
        def.rules.units = LF_MAP_DEGREES;
        def.rules.ellipsoid = (lf_ellipsoid){6371008.8, 0};
        lf_total_maps maps = {.area = area};
        assert_int_equal(
            lf_total_viewshed(lf_grid_ground(t.grid), &def, (lf_window){0, 0, SIDE, SIDE}, &maps, NULL),
            LF_OK);
        for (int64_t row = test_random_below(&random, 9); row < SIDE; row += 9) {
            lf_window part = {test_random_below(&random, SIDE), row, 0, 1};
            part.columns = SIDE - part.column;
            maps.area = again;
            assert_int_equal(lf_total_viewshed(lf_grid_ground(t.grid), &def, part, &maps, NULL), LF_OK);
            assert_memory_equal(&area[row * SIDE + part.column], again, (size_t)part.columns * sizeof *area);
            // In metres of this row: the directions are the same.
            double metres = 6371008.8 * (double)DEGREE * step;
            terrain flat = t;
            open_terrain(
                &flat, (lf_geotransform){{0, 0},
                                         {metres * cos((latitude + step * (double)row) * (double)DEGREE), 0},
                                         {0, metres}});
            lf_total_def plain = def;
            plain.rules.units = LF_MAP_METRES;
            for (int column = 0; column < SIDE; column += 5)
                check_sample(&flat, &plain, column, (int)row, area[row * SIDE + column]);
            lf_grid_destroy(flat.grid);
        }
        lf_grid_destroy(t.grid);
    }
}

/// The end of the longest line is seen, and nothing of the area is farther than the range.
static void longest_lines(void **state) {
    (void)state;
    test_random random = test_random_start(2302);
    static float longest[SAMPLES], mean[SAMPLES];
    static double x[SAMPLES], y[SAMPLES];
    int64_t confirmed = 0;
    for (int64_t round = 0; round < test_rounds(4); round++) {
        terrain t = {.side = 0};
        random_heights(&t, round == 1, &random);
        open_terrain(&t, (lf_geotransform){{0, 0}, {10, 0}, {0, 10}});
        lf_total_def def = lf_total_def_default();
        lf_window window = {0, 0, SIDE, SIDE};
        def.azimuths = 24;
        def.range = 250;
        lf_total_maps maps = {.mean = mean, .longest = longest, .end_x = x, .end_y = y};
        assert_int_equal(lf_total_viewshed(lf_grid_ground(t.grid), &def, window, &maps, NULL), LF_OK);
        for (int k = 0; k < SAMPLES; k++) {
            lf_vec2 at = {10.0 * (k % SIDE), 10.0 * (double)(k / SIDE)};
            if (isnan(longest[k]) || longest[k] == 0)
                continue;
            lf_vec3 from, to;
            lf_reason reason;
            lf_verdict verdict;
            lf_sight_rules rules = lf_sight_rules_default();
            rules.voids = LF_VOIDS_PASS;
            assert_true(fabs(hypot(x[k] - at.x, y[k] - at.y) - (double)longest[k]) < 1e-3);
            assert_true((double)longest[k] <= 250.001 && mean[k] <= 250);
            lf_sight_observer(lf_grid_ground(t.grid), at, def.observer_height, &from, &reason);
            lf_sight_observer(lf_grid_ground(t.grid), (lf_vec2){x[k], y[k]}, 0, &to, &reason);
            lf_sight_verdict(lf_grid_ground(t.grid), &rules, from, to, &verdict, NULL);
            assert_int_equal(verdict, LF_VERDICT_CLEAR);
            confirmed++;
        }
        lf_grid_destroy(t.grid);
    }
    assert_true(confirmed > SAMPLES);
}

/// A plane is all seen; a wall across it hides one half.
static void known_shapes(void **state) {
    (void)state;
    static float area[SAMPLES], open[SAMPLES], inside[SAMPLES];
    terrain t = {.side = 0};
    lf_total_def def = lf_total_def_default();
    lf_window window = {0, 0, SIDE, SIDE};
    lf_total_maps maps = {.area = area, .open = open, .inside = inside};
    def.range = 200;
    open_terrain(&t, (lf_geotransform){{0, 0}, {10, 0}, {0, 10}});
    assert_int_equal(lf_total_viewshed(lf_grid_ground(t.grid), &def, window, &maps, NULL), LF_OK);
    for (int k = 0; k < SAMPLES; k++) {
        double circle = 3.14159265358979 * 200 * 200;
        assert_true(fabs((double)area[k] - circle * (double)inside[k]) < 1e-4 * circle);
        assert_true(inside[k] == 1 ? open[k] == 1 : inside[k] < 1);
    }
    assert_true(inside[22 * SIDE + 22] == 1 && inside[0] < 0.3f && inside[0] > 0.25f);
    lf_grid_destroy(t.grid);
    for (int j = 0; j < SIDE; j++)
        t.heights[j * SIDE + 24] = 50;
    open_terrain(&t, (lf_geotransform){{0, 0}, {10, 0}, {0, 10}});
    assert_int_equal(lf_total_viewshed(lf_grid_ground(t.grid), &def, window, &maps, NULL), LF_OK);
    double seen = (double)area[22 * SIDE + 22] /
                  (3.14159265358979 * 200 * 200); // 20 m from the wall, which is 10 m wide at its foot
    assert_true(seen > 0.55 && seen < 0.65);
    lf_grid_destroy(t.grid);
    // From the tip of a cone all of it is seen. From its side, 70 m from the tip and 21 m below it, only what
    // lies between two straight lines from the tip, acos(1 - 1.75 / 21) to both sides: 0.286 of the circle.
    def.range = 140;
    for (int k = 0; k < SAMPLES; k++)
        t.heights[k] = (float)(-3 * hypot(k % SIDE - 22, k / SIDE - 22));
    open_terrain(&t, (lf_geotransform){{0, 0}, {10, 0}, {0, 10}});
    assert_int_equal(lf_total_viewshed(lf_grid_ground(t.grid), &def, window, &maps, NULL), LF_OK);
    seen = (double)area[22 * SIDE + 22] / (3.14159265358979 * 140 * 140);
    assert_true(seen > 0.999 && seen < 1.001 && open[22 * SIDE + 22] == 1);
    seen = (double)area[22 * SIDE + 29] / (3.14159265358979 * 140 * 140);
    assert_true(seen > 0.27 && seen < 0.30 && open[22 * SIDE + 29] < 0.5f);
    lf_grid_destroy(t.grid);
}

/// Against exact viewsheds; more azimuths are nearer.
static void against_viewsheds(void **state) {
    (void)state;
    test_random random = test_random_start(2303);
    static float area[SAMPLES];
    terrain t = {.side = 0};
    lf_window window = {0, 0, SIDE, SIDE};
    double mean[2];
    for (int k = 0; k < SAMPLES; k++)
        t.heights[k] = (float)(60 * sin(k % SIDE / 5.0) * cos((double)(k / SIDE) / 6.0) +
                               test_random_between(&random, 0, 3));
    open_terrain(&t, (lf_geotransform){{0, 0}, {10, 0}, {0, 10}});
    for (int n = 0; n < 2; n++) {
        lf_total_def def = lf_total_def_default();
        lf_total_maps maps = {.area = area};
        lf_total_errors errors;
        def.azimuths = n ? 720 : 12;
        def.range = 300;
        assert_int_equal(lf_total_viewshed(lf_grid_ground(t.grid), &def, window, &maps, NULL), LF_OK);
        assert_int_equal(lf_total_check(lf_grid_ground(t.grid), &def, window, area, 0, 60, 5, &errors, NULL),
                         LF_OK);
        assert_int_equal(errors.samples, 60);
        assert_true(errors.mean <= errors.most95 && errors.most95 <= errors.worst);
        mean[n] = errors.mean;
    }
    print_message("mean error %g with 12 azimuths, %g with 720\n", mean[0], mean[1]);
    assert_true(mean[1] < 0.1 && mean[1] < mean[0]); // cells of 10 m within 300 m are few
    lf_grid_destroy(t.grid);
}

// ---- Bands of sight -----------------------------------------------------------------------------

typedef struct in_band {
    double along, height;
} in_band;

static int compare_along(const void *a, const void *b) {
    double x = ((const in_band *)a)->along, y = ((const in_band *)b)->along;
    return (x > y) - (x < y);
}

/// What an observer sees one way: all samples of the band, sorted; rings of those that are above all before them, by more than the baseline's floats
/// may err (sign 1) or by less (-1).
static double band_area(const lf__tabik_def *def, int observer, double azimuth, int sign) {
    static in_band band[SAMPLES];
    double dx = sin(azimuth), dy = -cos(azimuth), area = 0, most = -INFINITY, reach = 0;
    double half = 0.5 * fmax(fabs(dx), fabs(dy)) + 1e-9,
           eye = (double)def->heights[observer] + def->observer_height;
    int count = 0;
    for (int k = 0; k < SAMPLES; k++) {
        double x = k % SIDE - observer % SIDE, y = k / SIDE - observer / SIDE;
        double along = (x * dx + y * dy) * def->spacing;
        if (along > 1e-9 && fabs(x * dy - y * dx) <= half)
            band[count++] = (in_band){along, (double)def->heights[k]};
    }
    if (count == 0)
        return 0;
    qsort(band, (size_t)count, sizeof *band, compare_along);
    bool seen = true;
    for (int k = 0; k <= count; k++) {
        double next = k < count                            ? fmin(band[k].along, def->range)
                      : band[count - 1].along > def->range ? def->range
                                                           : reach;
        area += seen && next > reach ? next * next - reach * reach : 0;
        reach = next;
        if (k == count || band[k].along > def->range)
            break;
        double slope = (band[k].height - eye) / band[k].along;
        double off = (1e-6 * (fabs(band[k].height) + fabs(eye)) + 1e-6 * SIDE * def->spacing * fabs(slope)) /
                     band[k].along;
        seen = slope >= most + sign * off;
        most = fmax(most, slope);
    }
    return area * 3.14159265358979323846 / def->azimuths;
}

/// The baseline of the benchmark keeps its bands sorted; and it finds about what exact viewsheds find.
static void bands_of_sight(void **state) {
    (void)state;
    test_random random = test_random_start(2304);
    static double area[SAMPLES];
    static float found[SAMPLES];
    terrain t = {.side = 0};
    for (int k = 0; k < SAMPLES; k++)
        t.heights[k] = (float)(60 * sin(k % SIDE / 5.0) * cos((double)(k / SIDE) / 6.0) +
                               test_random_between(&random, 0, 3));
    open_terrain(&t, (lf_geotransform){{0, 0}, {10, 0}, {0, 10}});
    lf__tabik_def def = {t.heights, SIDE, SIDE, 10, 1.75, 150, {0, 6371000}, 26, 1, {0, 0, SIDE, SIDE}};
    int ties = 0;
    assert_int_equal(lf__tabik_total(&def, area), LF_OK);
    for (int k = 0; k < SAMPLES; k += 7) {
        double least = 0, most = 0;
        for (int n = 0; n < def.azimuths; n++) {
            double azimuth = 2 * 3.14159265358979323846 * n / def.azimuths;
            least += band_area(&def, k, azimuth, 1);
            most += band_area(&def, k, azimuth, -1);
        }
        ties += most > least;
        if (area[k] < least * (1 - 1e-4) || area[k] > most * (1 + 1e-4))
            fail_msg("sample %d: %.9g, expected %.9g to %.9g", k, area[k], least, most);
    }
    assert_true(ties <= SAMPLES / 7 / 50);
    lf_total_errors errors;
    lf_total_def total = lf_total_def_default();
    total.range = 150;
    def.azimuths = 180;
    assert_int_equal(lf__tabik_total(&def, area), LF_OK);
    for (int k = 0; k < SAMPLES; k++)
        found[k] = (float)area[k];
    assert_int_equal(
        lf_total_check(lf_grid_ground(t.grid), &total, def.window, found, 0, 60, 5, &errors, NULL), LF_OK);
    print_message("bands of sight: mean error %g\n", errors.mean);
    assert_true(errors.mean < 0.3); // a band has one sample where the ground has two
    lf_grid_destroy(t.grid);
}

static void refused(void **state) {
    (void)state;
    static float area[SAMPLES];
    terrain t = {.side = 0};
    open_terrain(&t, (lf_geotransform){{0, 0}, {10, 0}, {0, 10}});
    const lf_ground *ground = lf_grid_ground(t.grid);
    lf_window window = {0, 0, SIDE, SIDE}, outside = {1, 0, SIDE, SIDE};
    lf_total_def good = lf_total_def_default(), bad;
    lf_total_maps maps = {.area = area}, none = {0},
                  half = {.longest = area, .end_x = (double *)(void *)area};
    lf_total_errors errors;
    lf_error error;
    assert_int_equal(lf_total_viewshed(NULL, &good, window, &maps, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_total_viewshed(ground, &good, outside, &maps, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_total_viewshed(ground, &good, window, &none, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_total_viewshed(ground, &good, window, &half, &error), LF_BAD_ARGUMENT);
    bad = good, bad.range = INFINITY;
    assert_int_equal(lf_total_viewshed(ground, &bad, window, &maps, &error), LF_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "range is inf"));
    bad = good, bad.azimuths = 3;
    assert_int_equal(lf_total_viewshed(ground, &bad, window, &maps, &error), LF_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "azimuths is 3"));
    assert_int_equal(lf_total_check(ground, &good, window, area, 0, 0, 1, &errors, &error), LF_BAD_ARGUMENT);
    lf_grid_destroy(t.grid);
}

/// Every instruction set finds the same bits.
static void kernels_agree(void **state) {
    (void)state;
    static const char *const names[] = {"scalar", "avx2", "avx512"};
    enum { MAPS = 5 };
    test_random random = test_random_start(23);
    float *found[3];
    for (int k = 0; k < 3; k++)
        found[k] = test_space(MAPS * SAMPLES, sizeof(float));
    for (int round = 0; round < 20; round++) {
        terrain t = {.side = 0};
        lf_total_def def = lf_total_def_default();
        random_heights(&t, round % 2, &random);
        open_terrain(&t, (lf_geotransform){{0, 0}, {30, 0}, {0, round % 3 ? 30 : 20}});
        def.range = test_random_between(&random, 100, 1500);
        def.azimuths = 4 + (int)test_random_below(&random, 60);
        def.target_height = test_random_between(&random, -5, 20);
        def.rules.curvature.coefficient = round % 4 ? LF_CURVATURE_LIGHT : 0;
        for (int k = 0; k < 3; k++) {
            float *m = found[k];
            lf_total_maps maps = {.area = m,
                                  .open = m + SAMPLES,
                                  .mean = m + 2 * SAMPLES,
                                  .longest = m + 3 * SAMPLES,
                                  .inside = m + 4 * SAMPLES};
            setenv("LANDFALL_ISA", names[k], 1);
            assert_int_equal(
                lf_total_viewshed(lf_grid_ground(t.grid), &def, (lf_window){0, 0, SIDE, SIDE}, &maps, NULL),
                LF_OK);
        }
        unsetenv("LANDFALL_ISA");
        for (int k = 1; k < 3; k++)
            assert_memory_equal(found[0], found[k], MAPS * SAMPLES * sizeof(float));
        lf_grid_destroy(t.grid);
    }
    for (int k = 0; k < 3; k++)
        free(found[k]);
}

/// The same bits far away, wherever blocks, chunks and cells begin: windows of all residues against the whole, by every instruction set.
static void blocks_anywhere(void **state) {
    (void)state;
    static const char *const names[] = {"scalar", "avx2", "avx512"};
    enum { ROWS = 9, COLUMNS = 21, MAPS = 3 };
    test_random random = test_random_start(2307);
    terrain *t = test_space(1, sizeof *t);
    float *whole = test_space(MAPS * LARGE * LARGE, sizeof *whole);
    float *part = test_space(MAPS * ROWS * COLUMNS, sizeof *part);
    for (int64_t round = 0; round < test_rounds(3); round++) {
        t->side = LARGE;
        ridges(t, &random);
        open_terrain(t, (lf_geotransform){{0, 0}, {10, 0}, {0, 10}});
        const lf_ground *ground = lf_grid_ground(t->grid);
        lf_total_def def = lf_total_def_default();
        def.azimuths = 7 + (int)test_random_below(&random, 10);
        def.range = test_random_between(&random, 700, 2000);
        def.observer_height = test_random_between(&random, 0, 30);
        def.target_height = round == 1 ? test_random_between(&random, -5, 20) : 0;
        lf_total_maps maps = {
            .area = whole, .mean = whole + LARGE * LARGE, .open = whole + 2 * LARGE * LARGE};
        lf_window all = {0, 0, LARGE, LARGE};
        assert_int_equal(lf_total_viewshed(ground, &def, all, &maps, NULL), LF_OK);
        for (int k = 0; k < 18; k++) {
            lf_window w = {90 + k, 90 + k, COLUMNS, ROWS};
            const lf_total_maps parts[] = {
                {.area = part},
                {.area = part, .mean = part + ROWS * COLUMNS, .open = part + 2 * ROWS * COLUMNS}};
            for (int n = 0; n < 2; n++) { // with areas alone the loop is another one
                setenv("LANDFALL_ISA", names[k % 3], 1);
                assert_int_equal(lf_total_viewshed(ground, &def, w, &parts[n], NULL), LF_OK);
                for (int at = 0; at < (n ? MAPS : 1) * ROWS * COLUMNS; at++) {
                    int map = at / (ROWS * COLUMNS), row = at / COLUMNS % ROWS, column = at % COLUMNS;
                    int64_t in_all = (w.row + row) * LARGE + w.column + column;
                    assert_memory_equal(&part[at], &whole[(int64_t)map * LARGE * LARGE + in_all],
                                        sizeof *part);
                }
            }
        }
        unsetenv("LANDFALL_ISA");
        lf_grid_destroy(t->grid);
    }
    free(t);
    free(whole);
    free(part);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_agree),  cmocka_unit_test(blocks_anywhere),
                                       cmocka_unit_test(by_definition),  cmocka_unit_test(far_places),
                                       cmocka_unit_test(on_degrees),     cmocka_unit_test(longest_lines),
                                       cmocka_unit_test(known_shapes),   cmocka_unit_test(against_viewsheds),
                                       cmocka_unit_test(bands_of_sight), cmocka_unit_test(refused)};
    return cmocka_run_group_tests_name("total", tests, NULL, NULL);
}
