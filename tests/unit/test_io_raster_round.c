// Rasters around the globe from files: both ways to put pixels, all conventions of longitude, spacings with
// few digits, rolled by any number of columns.
#include "rasters.h"
#include <landfall/sight.h>

#define COLUMNS 36
#define ROWS 9

static double value_at(int column, int row) {
    return (column * 37 + row * row * 11) % 23;
}

/// The world in columns of 10 degrees, the first of them `roll` columns to the east of 175 W: pixels are areas, or points of which the last column
/// repeats the first.
static lf_grid *world(int roll, bool point, double spacing, lf_raster **raster, heard *heard) {
    double values[(COLUMNS + 1) * ROWS];
    int columns = COLUMNS + point;
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < columns; column++)
            values[row * columns + column] = value_at((column + roll) % COLUMNS, row);
    raster_plan plan = raster_plan_of(columns, ROWS);
    plan.crs = "EPSG:4326";
    double place[6] = {-180 + 10.0 * roll, spacing, 0, 45, 0, -10};
    memcpy(plan.place, place, sizeof place);
    lf_raster_def def = lf_raster_def_default();
    heard_start(heard);
    def.host.log = &heard->log;
    *raster = raster_read(raster_file("world.tif", &plan, values), &def);
    lf_grid_def grid_def = lf_raster_grid_def(*raster);
    lf_grid *grid = NULL;
    lf_error error = {0};
    if (lf_grid_create(&grid_def, &grid, &error) != LF_OK)
        fail_msg("%s", error.text);
    assert_int_equal(lf_grid_round(grid), COLUMNS);
    assert_int_equal(lf_grid_describe(grid).columns, columns);
    return grid;
}

static void same_heights(const lf_ground *a, const lf_ground *b, double digits) {
    for (double x = -540; x <= 540; x += 2.5)
        for (double y = -40; y <= 40; y += 2.5) {
            lf_hit first, second;
            lf_ground_height(a, (lf_vec3){x, y, LF_INFINITY}, LF_VERTICAL_DOWN, &first, NULL);
            lf_ground_height(b, (lf_vec3){x, y, LF_INFINITY}, LF_VERTICAL_DOWN, &second, NULL);
            if (first.kind == LF_HIT_NONE || second.kind == LF_HIT_NONE ||
                fabs(first.point.z - second.point.z) > digits)
                fail_msg("heights at %g, %g: %.17g and %.17g", x, y, first.point.z, second.point.z);
        }
}

static void same_lines(const lf_ground *a, const lf_ground *b) {
    lf_sight_rules rules = lf_sight_rules_default();
    rules.units = LF_MAP_DEGREES;
    for (int k = 0; k < 2000; k++) {
        double x = -180 + k * 7 % 360, far = x + k % 160 - 80;
        lf_vec3 from = {x, k % 80 - 40, 30}, to = {far, k * 3 % 80 - 40, k % 25};
        lf_sight first, second;
        assert_int_equal(lf_sight_between(a, &rules, from, to, &first, NULL), LF_OK);
        assert_int_equal(lf_sight_between(b, &rules, from, to, &second, NULL), LF_OK);
        if (first.verdict != second.verdict || first.length != second.length ||
            fabs(first.t - second.t) > 1e-9)
            fail_msg("line %d from %g to %g: %d and %d", k, from.x, to.x, first.verdict, second.verdict);
    }
}

/// What can be seen from a place, by longitude: column and row of the map that starts at 175 W.
static void look(const lf_grid *grid, int roll, uint8_t seen[ROWS][COLUMNS]) {
    lf_viewshed_def def = lf_viewshed_def_default();
    lf_observer observer = {{-175, 5}, 12, false};
    lf_window window = lf_grid_window(grid);
    uint8_t own[ROWS][COLUMNS + 1];
    def.rules.units = LF_MAP_DEGREES;
    assert_int_equal(
        lf_viewshed_visible(lf_grid_ground(grid), &def, &observer, window, own[0], sizeof own[0], NULL, NULL),
        LF_OK);
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            seen[row][column] = own[row][(column - roll % COLUMNS + COLUMNS) % COLUMNS];
}

/// Wherever the seam is, and however longitudes are counted, the answers are the same.
static void any_seam(void **state) {
    (void)state;
    heard heard;
    lf_raster *first, *second;
    lf_grid *reference = world(0, false, 10, &first, &heard);
    const lf_ground *a, *b;
    uint8_t expected[ROWS][COLUMNS], seen[ROWS][COLUMNS];
    a = lf_grid_ground(reference);
    look(reference, 0, expected);
    static const int rolls[] = {0, 1, 18, 20, 35, 36, 40, 54}; // 0 .. 360 is 18, 20 .. 380 is 20
    for (size_t k = 0; k < 2 * sizeof rolls / sizeof *rolls; k++) {
        int roll = rolls[k / 2];
        lf_grid *grid = world(roll, k % 2, 10, &second, &heard);
        assert_int_equal(heard.count, 0);
        b = lf_grid_ground(grid);
        same_heights(a, b, 1e-12 * 23);
        same_lines(a, b);
        look(grid, roll, seen);
        assert_memory_equal(seen, expected, sizeof seen);
        lf_grid_destroy(grid);
        lf_raster_close(second);
    }
    lf_grid_destroy(reference);
    lf_raster_close(first);
}

/// 9.9999 instead of 10 is nearly the whole turn: it is set on it, and that is said.
static void spacings_with_few_digits(void **state) {
    (void)state;
    static const double spacings[] = {9.9999, 10.0001, 9.95, 10 + 1e-13};
    for (size_t k = 0; k < 8; k++) {
        heard heard;
        lf_raster *raster;
        lf_grid *grid = world(18, k % 2, spacings[k / 2], &raster, &heard);
        assert_int_equal(heard.count, k / 2 < 3);
        if (k / 2 < 3 && !strstr(heard.text, "36 columns are 360 degrees"))
            fail_msg("%s", heard.text);
        lf_grid_def def = lf_raster_grid_def(raster);
        assert_true(fabs(def.geotransform.per_column.x - 10) < 1e-11);
        lf_grid_destroy(grid);
        lf_raster_close(raster);
    }
}

/// Results go back into the pixels of the file, as many as it has.
static void results_have_the_columns_of_the_file(void **state) {
    (void)state;
    heard heard;
    lf_raster *raster;
    lf_grid *grid = world(18, false, 10, &raster, &heard);
    uint8_t numbers[ROWS][COLUMNS];
    for (int k = 0; k < ROWS * COLUMNS; k++)
        numbers[k / COLUMNS][k % COLUMNS] = (uint8_t)(k % 251);
    lf_result_def def = lf_result_def_default();
    lf_raster_def plain = lf_raster_def_default();
    def.values = numbers;
    const char *path = test_path("result.tif");
    assert_int_equal(lf_result_write(path, raster, &def, NULL), LF_OK);
    assert_int_equal(lf_grid_write(test_path("heights.tif"), grid, NULL, 1, NULL, NULL), LF_OK);
    lf_raster *back = raster_read(path, &plain), *heights = raster_read(test_path("heights.tif"), &plain);
    lf_samples samples = lf_raster_grid_def(back).samples;
    assert_int_equal(samples.columns, COLUMNS);
    assert_int_equal(lf_raster_grid_def(heights).samples.columns, COLUMNS);
    assert_true(lf_raster_grid_def(back).geotransform.origin.x == 5);
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++)
            assert_int_equal(*(const uint16_t *)(const void *)((const char *)samples.values +
                                                               j * samples.row_step +
                                                               i * (int)sizeof(uint16_t)),
                             numbers[j][i]);
    lf_raster_close(heights);
    lf_raster_close(back);
    lf_grid_destroy(grid);
    lf_raster_close(raster);
}

/// Not the whole world, not degrees, or turned: nothing wraps.
static void others_do_not_wrap(void **state) {
    (void)state;
    double values[COLUMNS * ROWS] = {0};
    lf_raster_def plain = lf_raster_def_default();
    static const double places[4][6] = {{-180, 9.7, 0, 45, 0, -10},
                                        {-180, 10.6, 0, 45, 0, -10}, // 381.6 degrees
                                        {-180, 10, 0.1, 45, 0, -10},
                                        {-180, 10, 0, 45, 0, -10}};
    for (int k = 0; k < 4; k++) {
        raster_plan plan = raster_plan_of(COLUMNS, ROWS);
        plan.crs = k == 3 ? "EPSG:3006" : "EPSG:4326";
        memcpy(plan.place, places[k], sizeof plan.place);
        lf_raster *raster = raster_read(raster_file("part.tif", &plan, values), &plain);
        lf_grid_def def = lf_raster_grid_def(raster);
        assert_true(def.turn == (k == 0 ? 360 : 0) && !def.repeated); // one is too wide
        assert_true(def.geotransform.per_column.x == places[k][1]);
        lf_raster_close(raster);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_seam), cmocka_unit_test(spacings_with_few_digits),
                                       cmocka_unit_test(results_have_the_columns_of_the_file),
                                       cmocka_unit_test(others_do_not_wrap)};
    return cmocka_run_group_tests(tests, raster_folder, test_folder_remove);
}
