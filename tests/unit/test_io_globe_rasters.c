/// Globes from raster files: what is read window by window makes the same tiles, bit for bit, as what is read at once.
#include "rasters.h"
#include <landfall/io.h>
#include <math.h>

#define LITTLE 1 ///< byte of memory: everything is read window by window
#define ENOUGH ((size_t)1 << 30)

static lf_globe_rasters *open_rasters(const char *const *paths, int64_t count, size_t memory, int cells) {
    lf_raster_def def = lf_raster_def_default();
    lf_globe_rasters *rasters = NULL;
    lf_error error = {LF_OK, -1, ""};
    def.memory = memory;
    if (lf_globe_rasters_open(paths, count, &def, cells, &rasters, &error) != LF_OK)
        fail_msg("%s", error.text);
    return rasters;
}

/// One writing of a globe: its file's bytes.
static char *globe_bytes(const char *const *paths, int64_t count, size_t memory, int cells, size_t *size) {
    char path[1200];
    lf_globe_rasters *rasters = open_rasters(paths, count, memory, cells);
    lf_globe_def globe_def = lf_globe_rasters_def(rasters);
    lf_store_def def = lf_store_def_default();
    lf_globe *globe;
    lf_error error = {LF_OK, -1, ""};
    snprintf(path, sizeof path, "%s", test_path("globe.lf"));
    assert_int_equal(lf_globe_create(&globe_def, &globe, &error), LF_OK);
    def.globe = globe;
    if (lf_store_write(path, &def, &error) != LF_OK)
        fail_msg("%s", error.text);
    lf_globe_destroy(globe);
    lf_globe_rasters_close(rasters);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = test_space((int64_t)*size, 1);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    remove(path);
    return bytes;
}

static void same_either_way(const char *const *paths, int64_t count, int cells) {
    size_t sizes[2];
    char *at_once = globe_bytes(paths, count, ENOUGH, cells, &sizes[0]);
    char *by_windows = globe_bytes(paths, count, LITTLE, cells, &sizes[1]);
    assert_int_equal(sizes[0], sizes[1]);
    if (memcmp(at_once, by_windows, sizes[0]) != 0)
        fail_msg("%s and %d more: other tiles when read window by window", paths[0], (int)count - 1);
    free(at_once);
    free(by_windows);
}

// ---------------------------------------------------------------------------------------------------
// Made rasters
// ---------------------------------------------------------------------------------------------------

/// Sizes with a last block of a single column or row, of two, and without.
static const int sizes[] = {2, 31, 256, 257, 258, 300};

/// Any way a file may lie: from the north, from the south, from the east, its rows along meridians.
static void lay(test_random *random, raster_plan *plan, double west, double south, double step) {
    bool transposed = test_random_below(random, 4) == 0;
    int across = transposed ? plan->rows : plan->columns, up = transposed ? plan->columns : plan->rows;
    bool from_east = test_random_below(random, 4) == 0, from_north = test_random_below(random, 2);
    double x = from_east ? -step : step, y = from_north ? -step : step;
    double first_x = west + (from_east ? (across - 0.5) * step : -0.5 * step);
    double first_y = south + (from_north ? (up - 0.5) * step : -0.5 * step);
    double place[6] = {first_x, transposed ? 0 : x, transposed ? x : 0,
                       first_y, transposed ? y : 0, transposed ? 0 : y};
    memcpy(plan->place, place, sizeof place);
}

static void make_regional(test_random *random, const char *name, double step, char *path, size_t space) {
    static const GDALDataType types[] = {GDT_Int16, GDT_Float32, GDT_Float64, GDT_Int32};
    raster_plan plan =
        raster_plan_of(sizes[test_random_below(random, 6)], sizes[test_random_below(random, 6)]);
    plan.type = types[test_random_below(random, 4)];
    plan.crs = "EPSG:4326";
    // Across the seam, next to it, or anywhere.
    static const double wests[] = {179, -180, 170.5, 7};
    lay(random, &plan, wests[test_random_below(random, 4)], test_random_between(random, -80, 70), step);
    double *values = test_space((int64_t)plan.columns * plan.rows, sizeof *values);
    for (int64_t i = 0; i < (int64_t)plan.columns * plan.rows; i++)
        values[i] =
            test_random_below(random, 50) == 0 ? -9999 : floor(test_random_between(random, -400, 8000));
    GDALDatasetH data = raster_new(test_path(name), &plan);
    assert_int_equal(GDALSetRasterNoDataValue(GDALGetRasterBand(data, 1), -9999), CE_None);
    raster_fill(data, 1, values);
    GDALClose(data);
    free(values);
    snprintf(path, space, "%s", test_path(name));
}

static void regional_rasters(void **state) {
    (void)state;
    test_random random = test_random_start(940);
    for (int64_t n = 0; n < test_rounds(8); n++) {
        char path[1200];
        make_regional(&random, "one.tif", 0.01, path, sizeof path);
        const char *paths[1] = {path};
        same_either_way(paths, 1, 8 + (int)test_random_below(&random, 100));
        remove(path);
    }
}

/// A coarse one all around, and two finer ones with holes on it; in any order.
static void several_rasters(void **state) {
    (void)state;
    test_random random = test_random_start(941);
    for (int64_t n = 0; n < test_rounds(3); n++) {
        char names[3][1200];
        raster_plan plan = raster_plan_of(72, 36);
        double values[72 * 36];
        plan.crs = "EPSG:4326";
        memcpy(plan.place, (double[6]){-180, 5, 0, 90, 0, -5}, sizeof plan.place);
        for (int i = 0; i < 72 * 36; i++)
            values[i] = test_random_between(&random, -4000, 4000);
        snprintf(names[0], sizeof names[0], "%s", raster_file("all.tif", &plan, values));
        make_regional(&random, "fine.tif", 0.02, names[1], sizeof names[1]);
        make_regional(&random, "finer.tif", 0.005, names[2], sizeof names[2]);
        int64_t first = test_random_below(&random, 3);
        const char *paths[3] = {names[first], names[(first + 1) % 3], names[(first + 2) % 3]};
        same_either_way(paths, 3, 48);
        for (int i = 0; i < 3; i++)
            remove(names[i]);
    }
}

/// Where a fine raster has nothing, what is coarser shows; and holes stay holes where nothing else is there.
static void finer_rasters_count_first(void **state) {
    (void)state;
    char names[2][1200];
    double coarse[36 * 18], fine[16 * 16];
    raster_plan plan = raster_plan_of(36, 18);
    plan.crs = "EPSG:4326";
    memcpy(plan.place, (double[6]){-180, 10, 0, 90, 0, -10}, sizeof plan.place);
    for (int i = 0; i < 36 * 18; i++)
        coarse[i] = 100;
    snprintf(names[0], sizeof names[0], "%s", raster_file("coarse.tif", &plan, coarse));
    plan.columns = plan.rows = 16;
    memcpy(plan.place, (double[6]){9.95, 0.1, 0, 51.55, 0, -0.1}, sizeof plan.place);
    for (int i = 0; i < 16 * 16; i++)
        fine[i] = i == 8 * 16 + 8 ? NAN : 500;
    snprintf(names[1], sizeof names[1], "%s", raster_file("fine.tif", &plan, fine));
    for (int way = 0; way < 2; way++) {
        const char *paths[2] = {names[0], names[1]};
        lf_globe_rasters *rasters = open_rasters(paths, 2, way ? LITTLE : ENOUGH, 16);
        lf_globe_def def = lf_globe_rasters_def(rasters);
        lf_globe *globe;
        lf_globe_elevation ground;
        assert_int_equal(lf_globe_create(&def, &globe, NULL), LF_OK);
        assert_int_equal(lf_globe_height_finest(globe, 10.3, 50.3, &ground), LF_OK);
        assert_true(ground.height == 500 && !ground.coarser);
        assert_int_equal(lf_globe_height_finest(globe, 10.8, 50.7, &ground), LF_OK); // the hole
        assert_true(fabs(ground.height - 100) < 1e-4);
        assert_int_equal(lf_globe_height_finest(globe, -10, 50, &ground), LF_OK);
        assert_true(fabs(ground.height - 100) < 1e-4);
        lf_globe_destroy(globe);
        lf_globe_rasters_close(rasters);
    }
    remove(names[0]);
    remove(names[1]);
}

/// The ellipsoid is that of the finest file, whichever comes first.
static void the_finest_file_has_the_ellipsoid(void **state) {
    (void)state;
    char names[2][1200];
    double values[72 * 36] = {0};
    raster_plan plan = raster_plan_of(36, 18);
    plan.crs = "EPSG:4326";
    memcpy(plan.place, (double[6]){-180, 10, 0, 90, 0, -10}, sizeof plan.place);
    snprintf(names[0], sizeof names[0], "%s", raster_file("earth.tif", &plan, values));
    plan.columns = 72;
    plan.rows = 36;
    plan.crs = "IAU_2015:30100";
    memcpy(plan.place, (double[6]){-180, 5, 0, 90, 0, -5}, sizeof plan.place);
    snprintf(names[1], sizeof names[1], "%s", raster_file("moon.tif", &plan, values));
    for (int way = 0; way < 4; way++) {
        const char *paths[2] = {names[way & 1], names[!(way & 1)]};
        lf_globe_rasters *rasters = open_rasters(paths, 2, way & 2 ? LITTLE : ENOUGH, 16);
        assert_true(lf_globe_rasters_def(rasters).ellipsoid.radius == 1737400);
        lf_globe_rasters_close(rasters);
    }
    remove(names[0]);
    remove(names[1]);
}

// ---------------------------------------------------------------------------------------------------
// Seams
// ---------------------------------------------------------------------------------------------------

/// A raster of one height everywhere, opened; what is logged on the way goes to `heard`.
static lf_globe_rasters *open_level(const raster_plan *plan, size_t memory, heard *heard) {
    double *values = test_space((int64_t)plan->columns * plan->rows, sizeof *values);
    for (int64_t i = 0; i < (int64_t)plan->columns * plan->rows; i++)
        values[i] = 700;
    char path[1200];
    snprintf(path, sizeof path, "%s", raster_file("level.tif", plan, values));
    free(values);
    const char *paths[1] = {path};
    lf_raster_def def = lf_raster_def_default();
    lf_globe_rasters *rasters = NULL;
    lf_error error = {LF_OK, -1, ""};
    heard_start(heard);
    def.host.log = &heard->log;
    def.memory = memory;
    if (lf_globe_rasters_open(paths, 1, &def, 64, &rasters, &error) != LF_OK)
        fail_msg("%s", error.text);
    return rasters;
}

/// How many of the places around the seam and the poles have no height.
static int holes_around(lf_globe_rasters *rasters, double seam) {
    lf_globe_def def = lf_globe_rasters_def(rasters);
    lf_globe *globe;
    int holes = 0;
    assert_int_equal(lf_globe_create(&def, &globe, NULL), LF_OK);
    for (int j = -90; j <= 90; j++)
        for (int i = -30; i <= 30; i++) {
            lf_globe_elevation ground;
            assert_int_equal(lf_globe_height_finest(globe, seam + 0.05 * i, j, &ground), LF_OK);
            holes += ground.reason != LF_REASON_ANSWERED;
            assert_true(isnan(ground.height) || fabs(ground.height - 700) < 1e-9);
        }
    lf_globe_destroy(globe);
    return holes;
}

typedef struct seam_case {
    int columns, rows;
    double place[6];
    const char *says; ///< part of what is logged; NULL: nothing is
    bool gap;
} seam_case;

/// World rasters whose cell size has few digits close at the seam and at the poles, and this is logged; those that leave a gap all the same are warned of.
static void seams_close_or_are_reported(void **state) {
    (void)state;
    static const seam_case cases[] = {
        // The geotransform of NOAA's ETOPO5: 360/4320 degrees, the first row on the north pole.
        {4320, 2160, {-0.04166705, 0.0833341, 0, 90.04166705, 0, -0.0833341}, "0.0833333333333", false},
        {864, 432, {-0.2083, 0.4166, 0, 90.2083, 0, -0.4166}, "0.416666666667", false},
        {540, 270, {-180, 0.66667, 0, 90, 0, -0.66667}, "0.666666666667", false},
        {541, 271, {-180.333335, 0.66667, 0, 90.333335, 0, -0.66667}, "540 columns are 360 degrees", false},
        {360, 180, {-180, 1, 0, 90, 0, -1}, NULL, false},
        {1080, 540, {20, 0.333333333, 0, 90, 0, -0.333333333}, NULL, false},
        {359, 180, {-180, 1, 0, 90, 0, -1}, "from longitude 178.5 to -179.5", true},
        {535, 270, {-180, 0.66667, 0, 90, 0, -0.66667}, "leave a gap", true},
        {360, 170, {-180, 1, 0, 85, 0, -1}, "south of latitude -84.5", true},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        for (int way = 0; way < (cases[n].columns < 2000 ? 2 : 1); way++) {
            const seam_case *c = &cases[n];
            raster_plan plan = raster_plan_of(c->columns, c->rows);
            heard heard;
            plan.crs = "EPSG:4326";
            memcpy(plan.place, c->place, sizeof c->place);
            lf_globe_rasters *rasters = open_level(&plan, way ? LITTLE : ENOUGH, &heard);
            if (c->says ? !strstr(heard.text, c->says) || !strstr(heard.text, "level.tif: ")
                        : heard.count != 0)
                fail_msg("case %zu: %s", n, heard.text);
            int holes = holes_around(rasters, c->place[0]);
            if (c->gap != (holes > 0))
                fail_msg("case %zu: %d holes", n, holes);
            lf_globe_rasters_close(rasters);
            remove(test_path("level.tif"));
        }
}

/// A coarser raster that fills the gap of a finer one: nothing is left to warn of.
static void filled_gaps_are_not_reported(void **state) {
    (void)state;
    double *values = test_space(359 * 170, sizeof *values);
    char names[2][1200];
    raster_plan plan = raster_plan_of(359, 170);
    plan.crs = "EPSG:4326";
    memcpy(plan.place, (double[6]){-180, 1, 0, 85, 0, -1}, sizeof plan.place);
    snprintf(names[0], sizeof names[0], "%s", raster_file("gap.tif", &plan, values));
    plan.columns = 36;
    plan.rows = 18;
    memcpy(plan.place, (double[6]){-180, 10, 0, 90, 0, -10}, sizeof plan.place);
    snprintf(names[1], sizeof names[1], "%s", raster_file("whole.tif", &plan, values));
    free(values);
    for (int count = 1; count <= 2; count++) {
        const char *paths[2] = {names[0], names[1]};
        lf_raster_def def = lf_raster_def_default();
        lf_globe_rasters *rasters = NULL;
        heard heard;
        heard_start(&heard);
        def.host.log = &heard.log;
        assert_int_equal(lf_globe_rasters_open(paths, count, &def, 16, &rasters, NULL), LF_OK);
        assert_int_equal(heard.count, count == 1 ? 1 : 0);
        lf_globe_rasters_close(rasters);
    }
    remove(names[0]);
    remove(names[1]);
}

// ---------------------------------------------------------------------------------------------------
// Real rasters, refusals
// ---------------------------------------------------------------------------------------------------

/// Samples on the seam, repeated or not, and pixels beside it; from -180, 0 and 20 degrees on.
static void real_rasters(void **state) {
    (void)state;
    static const char *const names[] = {"globe/ETOPO1_Ice_g_geotiff.resampled-1deg.tif", "globe/etopo60.cdf",
                                        "globe/etopo120.cdf", "globe/etopo20.cdf"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = test_data(names[i]);
        if (!path)
            skip();
        char copy[1000];
        snprintf(copy, sizeof copy, "%s", path);
        const char *paths[1] = {copy};
        same_either_way(paths, 1, 64);
    }
}

static void refused(const char *path, size_t memory, lf_status wanted, const char *word) {
    lf_raster_def def = lf_raster_def_default();
    lf_globe_rasters *rasters = NULL;
    lf_error error = {LF_OK, -1, ""};
    def.memory = memory;
    assert_int_equal(lf_globe_rasters_open(&path, 1, &def, 64, &rasters, &error), wanted);
    if (!strstr(error.text, word))
        fail_msg("\"%s\" says nothing of \"%s\"", error.text, word);
    assert_null(rasters);
}

static void what_is_no_globe_is_refused(void **state) {
    (void)state;
    double values[300 * 4] = {0};
    raster_plan plan = raster_plan_of(300, 4);
    char path[1200];
    for (int way = 0; way < 2; way++) {
        size_t memory = way ? LITTLE : ENOUGH;
        plan.crs = "EPSG:3006";
        snprintf(path, sizeof path, "%s", raster_file("metres.tif", &plan, values));
        refused(path, memory, LF_BAD_FORMAT, "longitude and latitude");
        plan.crs = "EPSG:4326";
        memcpy(plan.place, (double[6]){7, 0.01, 0.002, 50, 0.002, -0.01}, sizeof plan.place);
        snprintf(path, sizeof path, "%s", raster_file("metres.tif", &plan, values));
        refused(path, memory, LF_BAD_FORMAT, "north up");
        remove(path);
        refused(path, memory, LF_IO_FAILED, "metres.tif");
    }
    lf_raster_def def = lf_raster_def_default();
    lf_globe_rasters *rasters = NULL;
    const char *none = "x.tif";
    assert_int_equal(lf_globe_rasters_open(&none, 0, &def, 64, &rasters, NULL), LF_BAD_ARGUMENT);
    def.window = (lf_window){0, 0, 2, 2};
    assert_int_equal(lf_globe_rasters_open(&none, 1, &def, 64, &rasters, NULL), LF_BAD_ARGUMENT);
}

typedef struct attempt_at {
    const char *path;
    size_t memory;
} attempt_at;

static lf_status open_and_fetch(const lf_host *host, void *user) {
    const attempt_at *a = user;
    lf_raster_def def = lf_raster_def_default();
    lf_globe_rasters *rasters;
    lf_globe *globe;
    def.host = *host;
    def.memory = a->memory;
    lf_status status = lf_globe_rasters_open(&a->path, 1, &def, 16, &rasters, NULL);
    if (status != LF_OK)
        return status;
    lf_globe_def globe_def = lf_globe_rasters_def(rasters);
    status = lf_globe_create(&globe_def, &globe, NULL);
    if (status == LF_OK)
        lf_globe_destroy(globe);
    lf_globe_rasters_close(rasters);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    double values[36 * 18] = {0};
    raster_plan plan = raster_plan_of(36, 18);
    plan.crs = "EPSG:4326";
    memcpy(plan.place, (double[6]){-180, 10, 0, 90, 0, -10}, sizeof plan.place);
    char path[1200];
    snprintf(path, sizeof path, "%s", raster_file("all.tif", &plan, values));
    for (int way = 0; way < 2; way++)
        test_out_of_memory(open_and_fetch, &(attempt_at){path, way ? LITTLE : ENOUGH});
    remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regional_rasters),
        cmocka_unit_test(several_rasters),
        cmocka_unit_test(finer_rasters_count_first),
        cmocka_unit_test(the_finest_file_has_the_ellipsoid),
        cmocka_unit_test(seams_close_or_are_reported),
        cmocka_unit_test(filled_gaps_are_not_reported),
        cmocka_unit_test(real_rasters),
        cmocka_unit_test(what_is_no_globe_is_refused),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, raster_folder, test_folder_remove);
}
