/// Heights of globes cut from rasters, against the bilinear surface of the raster itself: every way rasters close around the globe.
#include "globe/globe.h"
#include "planet.h"
#include <landfall/io.h>
#include <landfall/published.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/// A raster in memory.
typedef struct sheet {
    lf_globe_raster raster;
    float *heights;
    bool around; ///< it goes all around
} sheet;

static lf_status read_sheet(void *user, lf_window w, float *heights, lf_error *error) {
    const sheet *s = user;
    (void)error;
    assert_true(w.column >= 0 && w.row >= 0 && w.column + w.columns <= s->raster.columns &&
                w.row + w.rows <= s->raster.rows);
    for (int64_t j = 0; j < w.rows; j++)
        for (int64_t i = 0; i < w.columns; i++)
            heights[j * w.columns + i] = s->heights[(w.row + j) * s->raster.columns + w.column + i];
    return LF_OK;
}

/// Samples or pixels, seam anywhere, the first column repeated or not.
static void make_sheet(test_random *random, sheet *s) {
    static const double seams[] = {-180, 0, 20, -180.5, 33.25};
    int64_t around = 4 + test_random_below(random, 400), up = 2 + test_random_below(random, 200);
    bool on_poles = test_random_below(random, 2), again = test_random_below(random, 2);
    s->raster = (lf_globe_raster){.per_column = 360.0 / (double)around, .user = s, .read = read_sheet};
    s->raster.per_row = 180.0 / (double)up;
    s->raster.rows = on_poles ? up + 1 : up;
    s->raster.south = on_poles ? -90 : -90 + s->raster.per_row / 2;
    s->raster.columns = around + again;
    s->raster.west = seams[test_random_below(random, 5)];
    s->heights = test_space(s->raster.columns * s->raster.rows, sizeof(float));
    for (int64_t j = 0; j < s->raster.rows; j++)
        for (int64_t i = 0; i < s->raster.columns; i++) {
            bool pole = on_poles && (j == 0 || j == s->raster.rows - 1);
            float *h = &s->heights[j * s->raster.columns + i];
            *h = (float)test_random_between(random, -9000, 9000);
            if (test_random_below(random, 2))
                *h = roundf(*h);
            if (i >= around || (pole && i > 0))
                *h = s->heights[j * s->raster.columns];
        }
    s->around = true;
}

/// The height of a sample all around; beyond the last row the mean of it.
static double sample(const sheet *s, int64_t i, int64_t j) {
    int64_t around = (int64_t)llround(360 / s->raster.per_column);
    i = ((i % around) + around) % around;
    if (j >= 0 && j < s->raster.rows)
        return (double)s->heights[j * s->raster.columns + i];
    double sum = 0;
    for (int64_t k = 0; k < around; k++)
        sum += (double)s->heights[(j < 0 ? 0 : s->raster.rows - 1) * s->raster.columns + k];
    return (double)(float)(sum / (double)around);
}

static double bilinear(const sheet *s, double lon, double lat) {
    const lf_globe_raster *r = &s->raster;
    double u = (lon - r->west) / r->per_column, v = (lat - r->south) / r->per_row;
    int64_t i = (int64_t)floor(u), j = (int64_t)floor(v);
    if (j > r->rows - 2 && fabs(r->south + (double)(r->rows - 1) * r->per_row - 90) < 1e-9)
        j = r->rows - 2;
    double low = fmax(r->south + (double)j * r->per_row, -90),
           high = fmin(r->south + (double)(j + 1) * r->per_row, 90);
    double x = u - (double)i, y = (lat - low) / (high - low);
    return (1 - y) * ((1 - x) * sample(s, i, j) + x * sample(s, i + 1, j)) +
           y * ((1 - x) * sample(s, i, j + 1) + x * sample(s, i + 1, j + 1));
}

/// Steps between samples are up to 18000 m in a cell, and places are rounded to 1e-13 degrees: so many metres.
static double allowed(const sheet *s) {
    return 1e-7 + 18000 * 2e-13 * (1 / s->raster.per_column + 1 / s->raster.per_row);
}

static lf_globe *make_globe(lf_tiler **cutter, sheet *s, int cells) {
    lf_tiler_def def = lf_tiler_def_default();
    lf_globe_def globe_def = lf_globe_def_default();
    lf_globe *globe;
    lf_error error = {0};
    def.rasters = &s->raster;
    def.raster_count = 1;
    def.cells = cells;
    if (lf_tiler_create(&def, cutter, &error) != LF_OK)
        fail_msg("no cutter: %s", error.text);
    globe_def.provider = lf_tiler_provider(*cutter, &globe_def.level_count);
    if (lf_globe_create(&globe_def, &globe, &error) != LF_OK)
        fail_msg("no globe: %s", error.text);
    return globe;
}

static void rasters_of_every_kind(void **state) {
    (void)state;
    test_random random = test_random_start(910);
    for (int64_t n = 0; n < test_rounds(30); n++) {
        sheet s = {0};
        lf_tiler *cutter;
        make_sheet(&random, &s);
        lf_globe *globe = make_globe(&cutter, &s, 4 + (int)test_random_below(&random, 60));
        for (int k = 0; k < 60; k++) {
            double lon = test_random_between(&random, -180, 180), lat = test_random_between(&random, -90, 90);
            if (k % 3 == 0) { // a sample
                int64_t i = test_random_below(&random, s.raster.columns),
                        j = test_random_below(&random, s.raster.rows);
                lon = s.raster.west + (double)i * s.raster.per_column;
                lat = fmin(fmax(s.raster.south + (double)j * s.raster.per_row, -90), 90);
            }
            if (k % 7 == 0)
                lon = k % 2 ? 180 : -180;
            if (k % 11 == 0)
                lat = k % 2 ? 90 : -90;
            lf_globe_elevation ground;
            assert_int_equal(lf_globe_height_finest(globe, lon, lat, &ground), LF_OK);
            assert_int_equal(ground.reason, LF_REASON_ANSWERED);
            assert_false(ground.coarser);
            assert_true(ground.probes <= lf_globe_describe(globe).level_count + 1);
            double want = bilinear(&s, fabs(lat) == 90 ? 0 : lon, lat);
            if (!(fabs(ground.height - want) <= allowed(&s)))
                fail_msg("%.17g, %.17g: %.12g, where the raster has %.12g", lon, lat, ground.height, want);
            assert_true(lf_luo_height(globe, &ground) >= ground.height && ground.ceiling == ground.height);
        }
        lf_globe_destroy(globe);
        lf_tiler_destroy(cutter);
        free(s.heights);
    }
}

// ---------------------------------------------------------------------------------------------------
// Cell sizes with few digits
// ---------------------------------------------------------------------------------------------------

/// Round a cell size to as few digits as leave it within 0.45 cells over `count` of them, and at least one digit wrong if that can be.
static double rounded(double size, double count) {
    for (int digits = 2; digits < 12; digits++) {
        double scale = pow(10, digits - ceil(log10(size))), few = round(size * scale) / scale;
        if (fabs(few - size) * count < 0.45 * size)
            return few;
    }
    return size;
}

/// The same raster as a file with few digits has it: placed by its north-western corner.
static void lose_digits(const sheet *exact, sheet *s) {
    const lf_globe_raster *e = &exact->raster;
    *s = *exact;
    double north = e->south + (double)(e->rows - 1) * e->per_row;
    s->raster.per_column = rounded(e->per_column, 360 / e->per_column);
    s->raster.per_row = rounded(e->per_row, 180 / e->per_row);
    s->raster.south = north - (double)(e->rows - 1) * s->raster.per_row;
    s->raster.user = s;
}

/// Any layout, one with its first row on one pole and its last a row from the other among them.
static void make_layout(test_random *random, sheet *s) {
    make_sheet(random, s);
    if (s->raster.south > -90 && s->raster.rows > 3) {
        int kind = (int)test_random_below(random, 3);
        s->raster.south = kind == 0 ? -90 : kind == 1 ? -90 + s->raster.per_row : s->raster.south;
        for (int64_t i = 0; kind < 2 && i < s->raster.columns; i++) // one height on a pole
            s->heights[(kind == 0 ? 0 : s->raster.rows - 1) * s->raster.columns + i] = 100;
    }
}

/// A globe of the rounded raster has the heights of the exact one everywhere, the seam and the poles included, and rays end on it.
static void cell_sizes_with_few_digits(void **state) {
    (void)state;
    test_random random = test_random_start(912);
    lf_ellipsoid ellipsoid = lf_globe_def_default().ellipsoid;
    for (int64_t n = 0; n < test_rounds(60); n++) {
        sheet exact = {0}, s;
        lf_tiler *cutter;
        make_layout(&random, &exact);
        lose_digits(&exact, &s);
        lf_globe *globe = make_globe(&cutter, &s, 4 + (int)test_random_below(&random, 60));
        for (int k = 0; k < 60; k++) {
            double lon = test_random_between(&random, -180, 180), lat = test_random_between(&random, -90, 90);
            if (k % 2 == 0) // around the seam
                lon = s.raster.west + s.raster.per_column * test_random_between(&random, -1.5, 1.5);
            if (k % 5 == 0) // around the poles
                lat = copysign(90 - s.raster.per_row * test_random_between(&random, 0, 1.5), lat);
            lf_globe_elevation ground;
            assert_int_equal(lf_globe_height_finest(globe, lon, lat, &ground), LF_OK);
            double want = bilinear(&exact, lon, lat);
            if (ground.reason != LF_REASON_ANSWERED || !(fabs(ground.height - want) <= allowed(&exact)))
                fail_msg("%lld columns of %.17g: %.17g, %.17g: %.12g, where the raster has %.12g",
                         (long long)s.raster.columns, s.raster.per_column, lon, lat, ground.height, want);
            lf_ray ray = lf_ray_between(lf_ellipsoid_to_centred(&ellipsoid, (lf_geodetic){lon, lat, 20000}),
                                        lf_ellipsoid_to_centred(&ellipsoid, (lf_geodetic){lon, lat, -20000}));
            lf_hit hit;
            assert_int_equal(lf__globe_ray_finest(globe, &ray, 0, &hit, NULL), LF_OK);
            assert_int_not_equal(hit.kind, LF_HIT_NONE);
        }
        lf_globe_destroy(globe);
        lf_tiler_destroy(cutter);
        free(exact.heights);
    }
}

// ---------------------------------------------------------------------------------------------------
// Files
// ---------------------------------------------------------------------------------------------------

static void load_sheet(const char *path, sheet *s) {
    lf_raster_def def = lf_raster_def_default();
    lf_raster *raster;
    lf_grid *grid;
    lf_error error = {0};
    if (lf_raster_read(path, &def, &raster, &error) != LF_OK)
        fail_msg("%s", error.text);
    lf_grid_def grid_def = lf_raster_grid_def(raster);
    assert_int_equal(lf_grid_create(&grid_def, &grid, &error), LF_OK);
    lf_grid_info info = lf_grid_describe(grid);
    s->raster = (lf_globe_raster){info.geotransform.origin.x,
                                  info.geotransform.origin.y,
                                  info.geotransform.per_column.x,
                                  info.geotransform.per_row.y,
                                  info.columns,
                                  info.rows,
                                  s,
                                  read_sheet,
                                  NULL};
    s->heights = test_space(info.columns * info.rows, sizeof(float));
    for (int64_t j = 0; j < info.rows; j++)
        for (int64_t i = 0; i < info.columns; i++)
            s->heights[j * info.columns + i] = (float)lf_grid_sample(grid, i, j);
    lf_grid_destroy(grid);
    lf_raster_close(raster);
}

/// Whole in memory, and window by window; from the rasters, and from a file of tiles.
static void check_file(const char *path, size_t memory, test_random *random) {
    static const char stored[] = "oracle_globe_heights.lf";
    sheet s = {0};
    lf_globe_rasters *rasters;
    lf_globe *globe;
    lf_store *store;
    lf_error error = {0};
    lf_raster_def def = lf_raster_def_default();
    load_sheet(path, &s);
    def.memory = memory;
    if (lf_globe_rasters_open(&path, 1, &def, 64, &rasters, &error) != LF_OK)
        fail_msg("%s", error.text);
    lf_globe_def globe_def = lf_globe_rasters_def(rasters);
    assert_int_equal(lf_globe_create(&globe_def, &globe, &error), LF_OK);
    lf_store_def store_def = lf_store_def_default();
    store_def.globe = globe;
    if (lf_store_write(stored, &store_def, &error) != LF_OK)
        fail_msg("%s", error.text);
    assert_int_equal(lf_store_open(stored, NULL, true, &store, &error), LF_OK);
    assert_int_equal(lf_store_describe(store).kind, LF_STORE_GLOBE);
    for (int64_t k = 0; k < 400; k++) {
        double lon = test_random_between(random, -180, 180), lat = test_random_between(random, -90, 90);
        lon = k % 5 == 0
                  ? s.raster.west + (double)test_random_below(random, s.raster.columns) * s.raster.per_column
                  : lon;
        lat = k % 10 == 0
                  ? s.raster.south + (double)test_random_below(random, s.raster.rows) * s.raster.per_row
                  : lat;
        lat = k % 17 == 0 ? 90 : k % 19 == 0 ? -90 : fmin(fmax(lat, -90), 90);
        lf_globe_elevation from_rasters, from_file, from_roots;
        if (k % 40 == 0) // nothing but roots: what they say of all beneath them holds
            lf_globe_unload(lf_store_globe(store));
        assert_int_equal(lf_globe_height(lf_store_globe(store), lon, lat, &from_roots, NULL), LF_OK);
        assert_int_equal(lf_globe_height_finest(globe, lon, lat, &from_rasters), LF_OK);
        assert_int_equal(lf_globe_height_finest(lf_store_globe(store), lon, lat, &from_file), LF_OK);
        assert_true(from_rasters.height == from_file.height);
        assert_true(from_roots.ceiling >= from_file.height);
        assert_int_equal(from_rasters.tile.level, from_file.tile.level);
        double want = bilinear(&s, fabs(lat) == 90 ? 0 : lon, lat);
        if (!(fabs(from_file.height - want) <= allowed(&s)) && fabs(lat) != 90)
            fail_msg("%s at %.17g, %.17g: %.12g, not %.12g", path, lon, lat, from_file.height, want);
    }
    lf_globe_info info = lf_globe_describe(lf_store_globe(store));
    assert_true(info.bounded && info.low > -12000 && info.high < 9000);
    lf_store_close(store);
    remove(stored);
    lf_globe_destroy(globe);
    lf_globe_rasters_close(rasters);
    free(s.heights);
}

static void real_rasters(void **state) {
    (void)state;
    static const char *const names[] = {"globe/ETOPO1_Ice_g_geotiff.resampled-1deg.tif", "globe/etopo60.cdf",
                                        "globe/etopo120.cdf"};
    test_random random = test_random_start(911);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = test_data(names[i]);
        if (!path)
            skip();
        char copy[1000];
        snprintf(copy, sizeof copy, "%s", path);
        check_file(copy, i == 1 ? 1 : 0, &random); // one of them window by window
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rasters_of_every_kind),
        cmocka_unit_test(cell_sizes_with_few_digits),
        cmocka_unit_test(real_rasters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
