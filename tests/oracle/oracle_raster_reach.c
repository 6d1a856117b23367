// Rasters of which only the samples that a query needs are read, against the whole raster: every answer must
// have the same bits. Samples that are not read are far below the others.
#include "rasters.h"
#include <landfall/sight.h>
#include <math.h>
#include <stdlib.h>

#define MOST_HITS 4000

/// A file, how it is read, and the whole of it as a grid.
typedef struct reached {
    const char *path;
    lf_raster_def def;
    lf_surface surface;
    lf_raster *raster;
    lf_grid *grid;
    lf_grid_info info;
    double turn; ///< in columns; 0: none
    double spacing;
} reached;

/// The places that a query needs, as windows with the copies of a grid that has a turn.
typedef struct needed {
    const reached *of;
    lf_vec2 low, high; ///< columns and rows
    int asked;
} needed;

static int64_t windows_of(void *user, const lf_raster *raster, lf_window *windows) {
    needed *needed = user;
    int64_t count = 0;
    assert_int_equal(lf_raster_grid_def(raster).samples.columns, needed->of->info.columns);
    assert_true(lf_raster_grid_def(raster).partial);
    needed->asked++;
    for (int k = -1; k <= 1; k++) {
        double shift = k * needed->of->turn;
        if (k != 0 && shift == 0)
            continue;
        int64_t left = (int64_t)floor(needed->low.x + shift), right = (int64_t)ceil(needed->high.x + shift);
        int64_t bottom = (int64_t)floor(needed->low.y), top = (int64_t)ceil(needed->high.y);
        windows[count++] = (lf_window){left, bottom, right - left + 1, top - bottom + 1};
    }
    return count;
}

/// The raster read again, only what is needed; NULL where that is most of it, or where it has voids and sight is the question.
static lf_grid *read_again(const reached *of, needed *needed, bool sight, lf_raster **raster) {
    lf_raster_def def = of->def;
    lf_grid *grid = NULL;
    lf_error error = {0};
    needed->of = of;
    needed->asked = 0;
    def.reach = windows_of;
    def.reach_user = needed;
    def.reach_solid = sight;
    if (lf_raster_read(of->path, &def, raster, &error) != LF_OK)
        fail_msg("%s", error.text);
    assert_int_equal(needed->asked, 1);
    lf_grid_def grid_def = lf_raster_grid_def(*raster);
    grid_def.surface = of->surface;
    if (grid_def.partial) {
        if (lf_grid_create(&grid_def, &grid, &error) != LF_OK)
            fail_msg("%s", error.text);
    } else {
        lf_raster_close(*raster);
    }
    return grid;
}

// ---------------------------------------------------------------------------------------------------
// Files
// ---------------------------------------------------------------------------------------------------

static double random_height(test_random *random, int64_t column, int64_t row, bool rough) {
    double hills = 900 + 300 * sin(0.05 * (double)column) * cos(0.07 * (double)row);
    return floor(hills + (rough ? test_random_between(random, 0, 60) : 0));
}

static void make_file(test_random *random, reached *of) {
    static const char *const crs[] = {NULL, "EPSG:32633", "EPSG:4326"};
    int kind = (int)test_random_below(random, 4); // the last: around the globe
    int columns = (int)(130 + test_random_below(random, 400)),
        rows = (int)(130 + test_random_below(random, 400));
    bool rough = test_random_below(random, 2) == 0, voids = test_random_below(random, 2) == 0;
    columns += kind == 3 ? columns % 2 : 0; // an alternating surface wraps on even columns
    double *values = test_space((int64_t)columns * rows, sizeof *values);
    for (int i = 0; i < columns * rows; i++)
        values[i] = voids && test_random_below(random, 90) == 0
                        ? -9999
                        : random_height(random, i % columns, i / columns, rough);
    raster_plan plan = raster_plan_of(columns, rows);
    static const GDALDataType types[] = {GDT_Int16, GDT_Float32, GDT_Int32};
    plan.type = types[test_random_below(random, 3)];
    if (plan.type == GDT_Int32 && test_random_below(random, 2)) // no float: what has it is read as doubles
        values[test_random_below(random, (int64_t)columns * rows)] = 16777217;
    plan.crs = crs[kind == 3 ? 2 : kind % 3];
    of->spacing = kind == 3 ? 360.0 / columns : kind == 2 ? 0.001 : 30;
    double s = of->spacing, west = kind == 3 ? -180 : kind == 2 ? 14 : 400000, north = kind >= 2 ? 48 : 5e6;
    int turned = kind == 1 ? (int)test_random_below(random, 4) : 0; // north up, south up, transposed, rotated
    double places[4][6] = {{west, s, 0, north, 0, kind == 3 ? -90.0 / rows : -s},
                           {west, s, 0, north, 0, s},
                           {west, 0, s, north, -s, 0},
                           {west, s, 0.3 * s, north, 0.3 * s, -s}};
    for (int i = 0; i < 6; i++)
        plan.place[i] = places[turned][i];
    of->path = raster_file("reach.tif", &plan, values);
    free(values);
}

static void open_whole(test_random *random, reached *of) {
    lf_error error = {0};
    make_file(random, of);
    of->def = lf_raster_def_default();
    of->def.nodata_given = true;
    of->def.nodata = -9999;
    of->surface = (lf_surface)test_random_below(random, 4);
    of->raster = raster_read(of->path, &of->def);
    lf_grid_def def = lf_raster_grid_def(of->raster);
    assert_false(def.partial);
    def.surface = of->surface;
    if (lf_grid_create(&def, &of->grid, &error) != LF_OK)
        fail_msg("%s", error.text);
    of->info = lf_grid_describe(of->grid);
    of->turn = def.turn > 0 ? def.turn / def.geotransform.per_column.x : 0;
}

// ---------------------------------------------------------------------------------------------------
// Queries
// ---------------------------------------------------------------------------------------------------

static lf_vec2 random_place(test_random *random, const reached *of) {
    lf_vec2 place = {test_random_between(random, -3, (double)of->info.columns + 3),
                     test_random_between(random, -3, (double)of->info.rows + 3)};
    if (test_random_below(random, 3) == 0) // on lines and samples
        place = (lf_vec2){floor(2 * place.x) / 2, floor(2 * place.y) / 2};
    return place;
}

static lf_vec3 point_at(const reached *of, lf_vec2 place, double z) {
    lf_vec2 at = lf_geotransform_at(&of->info.geotransform, place.x, place.y);
    return (lf_vec3){at.x, at.y, z};
}

static void same_hits(const char *what, const lf_hit *a, const lf_hit *b, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (memcmp(&a[i], &b[i], sizeof *a) != 0)
            fail_msg(
                "%s, hit %lld: kind %d and %d, reason %d and %d, element %lld and %lld, t %.17g and %.17g",
                what, (long long)i, (int)a[i].kind, (int)b[i].kind, (int)a[i].reason, (int)b[i].reason,
                (long long)a[i].element, (long long)b[i].element, a[i].t, b[i].t);
}

static void same_rays(const lf_ground *a, const lf_ground *b, lf_vec3 from, lf_vec3 to) {
    static lf_hit first[MOST_HITS], second[MOST_HITS];
    lf_ray ray = lf_ray_between(from, to);
    int64_t counts[2];
    bool any[2];
    memset(first, 0, sizeof first);
    memset(second, 0, sizeof second);
    assert_int_equal(lf_ground_ray_first(a, &ray, first, NULL), LF_OK);
    assert_int_equal(lf_ground_ray_first(b, &ray, second, NULL), LF_OK);
    same_hits("first", first, second, 1);
    assert_int_equal(lf_ground_ray_any(a, &ray, &any[0], NULL), LF_OK);
    assert_int_equal(lf_ground_ray_any(b, &ray, &any[1], NULL), LF_OK);
    assert_int_equal(any[0], any[1]);
    assert_int_equal(lf_ground_ray_all(a, &ray, first, MOST_HITS, &counts[0], NULL), LF_OK);
    assert_int_equal(lf_ground_ray_all(b, &ray, second, MOST_HITS, &counts[1], NULL), LF_OK);
    assert_int_equal(counts[0], counts[1]);
    same_hits("all", first, second, counts[0]);
}

static void same_sight(const reached *of, const lf_ground *a, const lf_ground *b, lf_vec3 from, lf_vec3 to) {
    lf_sight_rules rules = lf_sight_rules_default();
    lf_sight first, second;
    memset(&first, 0, sizeof first);
    memset(&second, 0, sizeof second);
    rules.units = of->turn > 0 ? LF_MAP_DEGREES : LF_MAP_METRES;
    rules.curvature.coefficient = LF_CURVATURE_LIGHT;
    rules.detail = true;
    assert_int_equal(lf_sight_between(a, &rules, from, to, &first, NULL), LF_OK);
    assert_int_equal(lf_sight_between(b, &rules, from, to, &second, NULL), LF_OK);
    if (memcmp(&first, &second, sizeof first) != 0)
        fail_msg("sight: verdict %d and %d, clearance %.17g and %.17g", (int)first.verdict,
                 (int)second.verdict, first.clearance, second.clearance);
}

/// Of these the range says what is needed.
static void same_horizons(const lf_viewshed_def *view, const lf_ground *a, const lf_ground *b, lf_vec3 from) {
    double azimuths[16];
    lf_horizon first[16], second[16];
    memset(first, 0, sizeof first);
    memset(second, 0, sizeof second);
    for (int k = 0; k < 16; k++)
        azimuths[k] = k * 22.5 + 1e-3 * k;
    assert_int_equal(lf_horizon_around(a, &view->rules, from, azimuths, 16, view->range_max, first, NULL),
                     LF_OK);
    assert_int_equal(lf_horizon_around(b, &view->rules, from, azimuths, 16, view->range_max, second, NULL),
                     LF_OK);
    for (int k = 0; k < 16; k++)
        if (memcmp(&first[k], &second[k], sizeof first[k]) != 0)
            fail_msg("horizon at %g: reason %d and %d, elevation %.17g and %.17g, hole %d and %d",
                     azimuths[k], (int)first[k].reason, (int)second[k].reason, first[k].elevation_deg,
                     second[k].elevation_deg, first[k].hole, second[k].hole);
}

/// What moves over the ground from one place to another, or stands there.
static void same_moves(const lf_ground *a, const lf_ground *b, lf_vec3 from, lf_vec3 to, double radius) {
    lf_walker walker = {.step = radius, .drop = radius, .crack = radius};
    lf_walk walks[2];
    lf_sweep sweep = lf_sweep_sphere(from, radius, lf_vec3_sub(to, from));
    lf_footprint footprint = lf_footprint_wheels(radius, radius);
    lf_stance stances[2];
    lf_hit hits[2];
    lf_cursor *cursor = NULL;
    uint64_t nodes[2];
    assert_int_equal(lf_cursor_create(NULL, &cursor), LF_OK);
    memset(walks, 0, sizeof walks);
    memset(stances, 0, sizeof stances);
    memset(hits, 0, sizeof hits);
    for (int k = 0; k < 2; k++) {
        const lf_ground *ground = k ? b : a;
        assert_int_equal(lf_ground_sweep(ground, &sweep, &hits[k], NULL), LF_OK);
        assert_int_equal(lf_ground_stand(ground, &footprint, (lf_vec3){from.x, from.y, LF_INFINITY},
                                         (lf_vec3){1, 2, 0}, &stances[k], NULL),
                         LF_OK);
        assert_int_equal(lf_ground_walk(ground, &walker, (lf_vec3){from.x, from.y, LF_INFINITY},
                                        (lf_vec3){to.x, to.y, LF_INFINITY}, &walks[k], NULL, cursor),
                         LF_OK);
        nodes[k] = lf_cursor_counters(cursor).nodes;
        lf_cursor_reset(cursor);
    }
    lf_cursor_destroy(cursor);
    if (nodes[1] > 3 * nodes[0] + 100) // unread ground is left out as other ground is
        fail_msg("a walk visited %lld nodes, in a part %lld", (long long)nodes[0], (long long)nodes[1]);
    same_hits("sweep", &hits[0], &hits[1], 1);
    assert_memory_equal(&stances[0], &stances[1], sizeof *stances);
    assert_memory_equal(&walks[0], &walks[1], sizeof *walks);
}

static void check_line(test_random *random, const reached *of) {
    double reach = test_random_between(random, 1, 60);
    lf_vec2 a = random_place(random, of), b = {a.x + test_random_between(random, -reach, reach),
                                               a.y + test_random_between(random, -reach, reach)};
    if (test_random_below(random, 5) == 0)
        b.x = a.x; // along a column
    lf_vec3 from = point_at(of, a, test_random_between(random, 600, 1300)),
            to = point_at(of, b, test_random_between(random, 600, 1300));
    needed needed = {.low = {fmin(a.x, b.x) - 1, fmin(a.y, b.y) - 1},
                     .high = {fmax(a.x, b.x) + 1, fmax(a.y, b.y) + 1}};
    lf_raster *raster = NULL;
    bool sight = test_random_below(random, 2) == 0;
    lf_grid *grid = read_again(of, &needed, sight, &raster);
    if (!grid)
        return;
    const lf_ground *whole = lf_grid_ground(of->grid), *part = lf_grid_ground(grid);
    for (int k = 0; k < 3; k++) {
        lf_vec2 p = {a.x + 0.5 * k * (b.x - a.x), a.y + 0.5 * k * (b.y - a.y)};
        lf_hit hits[2];
        memset(hits, 0, sizeof hits);
        lf_vec3 above = point_at(of, p, LF_INFINITY);
        assert_int_equal(lf_ground_height(whole, above, LF_VERTICAL_DOWN, &hits[0], NULL), LF_OK);
        assert_int_equal(lf_ground_height(part, above, LF_VERTICAL_DOWN, &hits[1], NULL), LF_OK);
        same_hits("height", &hits[0], &hits[1], 1);
    }
    same_rays(whole, part, from, to);
    same_rays(whole, part, to, from);
    if (sight)
        same_sight(of, whole, part, from, to);
    if (of->turn == 0) // moves need metres
        same_moves(whole, part, from, to, test_random_between(random, 0.1, 0.7) * of->spacing);
    lf_grid_destroy(grid);
    lf_raster_close(raster);
}

static void check_view(test_random *random, const reached *of) {
    lf_viewshed_def def = lf_viewshed_def_default();
    lf_vec2 place = random_place(random, of);
    lf_vec3 at = point_at(of, place, 0);
    lf_observer observer = {{at.x, at.y}, test_random_between(random, 1, 200), false};
    bool degrees = of->turn > 0;
    def.rules.units = degrees ? LF_MAP_DEGREES : LF_MAP_METRES;
    def.rules.curvature.coefficient = test_random_below(random, 2) ? LF_CURVATURE_LIGHT : 0;
    def.range_max = test_random_between(random, 1, 40) * of->spacing * (degrees ? 80000 : 1);
    lf_window window = lf_viewshed_window(lf_grid_ground(of->grid), &def, observer.at);
    if (window.columns == 0)
        return;
    place = lf_grid_locate(of->grid, observer.at);
    needed needed = {.low = {fmin((double)window.column, place.x) - 1, fmin((double)window.row, place.y) - 1},
                     .high = {fmax((double)(window.column + window.columns), place.x) + 1,
                              fmax((double)(window.row + window.rows), place.y) + 1}};
    lf_raster *raster = NULL;
    lf_grid *grid = read_again(of, &needed, true, &raster);
    if (!grid)
        return;
    lf_window same = lf_viewshed_window(lf_grid_ground(grid), &def, observer.at);
    assert_memory_equal(&window, &same, sizeof window);
    uint8_t *seen = test_space(2 * window.columns * window.rows, 1),
            *again = seen + window.columns * window.rows;
    lf_viewshed_stats stats = {0}, repeated = {0};
    lf_status status =
        lf_viewshed_visible(lf_grid_ground(of->grid), &def, &observer, window, seen, 0, &stats, NULL);
    // An observer without ground is refused.
    assert_int_equal(
        lf_viewshed_visible(lf_grid_ground(grid), &def, &observer, window, again, 0, &repeated, NULL),
        status);
    assert_memory_equal(seen, again, (size_t)(window.columns * window.rows));
    for (int k = 0; k < 5; k++)
        assert_int_equal(stats.counts[k], repeated.counts[k]);
    lf_vec3 from;
    lf_reason reason;
    if (status == LF_OK &&
        lf_sight_observer(lf_grid_ground(of->grid), observer.at, observer.height, &from, &reason) == LF_OK)
        same_horizons(&def, lf_grid_ground(of->grid), lf_grid_ground(grid), from);
    free(seen);
    lf_grid_destroy(grid);
    lf_raster_close(raster);
}

static void same_answers(void **state) {
    (void)state;
    test_random random = test_random_start(190001);
    for (int64_t file = 0; file < test_rounds(12); file++) {
        reached of = {0};
        open_whole(&random, &of);
        for (int k = 0; k < 20; k++)
            check_line(&random, &of);
        for (int k = 0; k < 6; k++)
            check_view(&random, &of);
        lf_grid_destroy(of.grid);
        lf_raster_close(of.raster);
    }
}

// ---------------------------------------------------------------------------------------------------
// What is read, and what is refused
// ---------------------------------------------------------------------------------------------------

static void little_memory(void **state) {
    (void)state;
    lf_raster_def def = lf_raster_def_default();
    lf_raster *raster = NULL;
    lf_error error = {0};
    raster_plan plan = raster_plan_of(2000, 2000);
    double *values = test_space((int64_t)plan.columns * plan.rows, sizeof *values);
    for (int i = 0; i < plan.columns * plan.rows; i++)
        values[i] = i % 1000;
    plan.type = GDT_Float32;
    reached of = {.path = raster_file("large.tif", &plan, values), .info = {.columns = 2000, .rows = 2000}};
    free(values);
    def.memory = 4 << 20; // the whole needs 16 MB
    assert_int_equal(lf_raster_read(of.path, &def, &raster, &error), LF_TOO_LARGE);
    needed needed = {.of = &of, .low = {1000, 1500}, .high = {1001, 1501}};
    def.reach = windows_of;
    def.reach_user = &needed;
    assert_int_equal(lf_raster_read(of.path, &def, &raster, &error), LF_OK);
    lf_grid_def grid_def = lf_raster_grid_def(raster);
    assert_true(grid_def.partial);
    assert_int_equal(grid_def.part_count, 1);
    assert_true(grid_def.parts[0].columns * grid_def.parts[0].rows <= 129 * 129);
    lf_grid *grid = NULL;
    assert_int_equal(lf_grid_create(&grid_def, &grid, &error), LF_OK);
    int64_t pixel = (1999 - 1500) * 2000 + 1000; // rows of the file run south
    assert_true(lf_grid_sample(grid, 1000, 1500) == (double)(pixel % 1000));
    lf_grid_destroy(grid);
    lf_window crooked = {1, 0, 64, 65};
    grid_def.parts = &crooked;
    assert_int_equal(lf_grid_create(&grid_def, &grid, &error), LF_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "part 0 of 64 x 65 samples from column 1"));
    grid_def.part_count = -1;
    assert_int_equal(lf_grid_create(&grid_def, &grid, &error), LF_BAD_ARGUMENT);
    grid_def.part_count = 0;
    grid_def.borrow = false;
    assert_int_equal(lf_grid_create(&grid_def, &grid, &error), LF_BAD_ARGUMENT);
    lf_raster_close(raster);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_answers), cmocka_unit_test(little_memory)};
    return cmocka_run_group_tests(tests, raster_folder, test_folder_remove);
}
