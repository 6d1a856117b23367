// Many rasters as one, read in two runs; and .lf files through GDAL's virtual file systems.
#include "files.h"
#include "support.h"
#include <landfall/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 40 };

static void write_tile(const char *name, double x, double y, float base) {
    float values[SIDE * SIDE];
    for (int k = 0; k < SIDE * SIDE; k++)
        values[k] = base + (float)k;
    lf_heights heights = {.values = values, .columns = SIDE, .rows = SIDE, .stride = SIDE};
    heights.x_low = x;
    heights.y_low = y;
    heights.spacing = 10;
    assert_int_equal(lf_heights_write(test_path(name), &heights, NULL, NULL), LF_OK);
}

/// Samples of an earlier run, of which the blocks are counted.
typedef struct memory {
    void *block;
    size_t bytes;
    int64_t read, asked, limit;
} memory;

static void *take(void *user, int which, size_t bytes) {
    memory *m = user;
    assert_int_equal(which, 0);
    if (!m->block)
        m->block = aligned_alloc(64, (bytes + 63) / 64 * 64);
    m->bytes = bytes;
    return m->block;
}

static bool has(void *user, const lf_window *pixels) {
    memory *m = user;
    assert_true(pixels->columns > 0 && pixels->rows > 0);
    return m->asked++ < m->read;
}

static bool done(void *user, const lf_window *pixels) {
    memory *m = user;
    (void)pixels;
    m->read++;
    return m->read < m->limit;
}

static void tiles_beside_one_another(void **state) {
    (void)state;
    char paths[3][512];
    const char *list[3];
    lf_raster_def def = lf_raster_def_default();
    lf_error error = {0};
    lf_raster *raster;
    write_tile("a.tif", 0, 0, 0);
    write_tile("b.tif", 10 * SIDE, 0, 10000);
    write_tile("c.tif", 10 * SIDE - 100, 10 * SIDE, 20000);
    for (int k = 0; k < 3; k++) {
        snprintf(paths[k], sizeof paths[k], "%s", test_path(k == 0 ? "a.tif" : k == 1 ? "b.tif" : "c.tif"));
        list[k] = paths[k];
    }
    assert_int_equal(lf_mosaic_write(list, 3, test_path("all.vrt"), &def, &error), LF_OK);
    memory m = {.limit = 1};
    lf_raster_keep keep = {&m, take, has, done, NULL};
    def.keep = &keep;
    // The first run ends after a block; the second reads what is left, which may be nothing.
    assert_int_equal(lf_raster_read(test_path("all.vrt"), &def, &raster, &error), LF_IO_FAILED);
    m.limit = 1000;
    m.asked = 0;
    assert_int_equal(lf_raster_read(test_path("all.vrt"), &def, &raster, &error), LF_OK);
    lf_grid_def grid_def = lf_raster_grid_def(raster);
    lf_grid *grid;
    assert_int_equal(lf_grid_create(&grid_def, &grid, NULL), LF_OK);
    double height;
    static const struct {
        int64_t column, row;
        double height;
    } expected[] = {{0, 0, 0},       {39, 1, 79},     {40, 0, 10000},
                    {79, 39, 11599}, {30, 40, 20000}, {69, 79, 21599}};
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        assert_int_equal(lf_grid_read(grid, expected[k].column, expected[k].row, 1, 1, &height), LF_OK);
        assert_true(height == expected[k].height);
    }
    assert_int_equal(lf_grid_read(grid, 0, 79, 1, 1, &height), LF_OK);
    assert_true(isnan(height)); // a gap
    lf_grid_destroy(grid);
    lf_raster_close(raster);
    free(m.block);
    write_tile("c.tif", 10 * SIDE - 97, 10 * SIDE, 20000);
    def.keep = NULL;
    assert_int_equal(lf_mosaic_write(list, 3, test_path("all.vrt"), &def, &error), LF_BAD_FORMAT);
    assert_non_null(strstr(error.text, "c.tif"));
    assert_int_equal(lf_mosaic_write(NULL, 3, test_path("all.vrt"), &def, &error), LF_BAD_ARGUMENT);
}

enum {
    PART = 700,
    PARTS = 3,
    LOWER = 20
}; // pixels of a file; files beside each other, in two rows; what those above lack, which come first in the
   // file

static float height_of_mosaic(int64_t column, int64_t row) {
    return (float)(column * 7 % 1009) + 0.25f * (float)(row * 13 % 4001);
}

static void write_part(const char *name, int64_t column, int64_t row, int64_t rows) {
    float *values = malloc(sizeof *values * PART * (size_t)rows);
    for (int64_t k = 0; k < PART * rows; k++)
        values[k] = height_of_mosaic(column + k % PART, row + k / PART);
    lf_heights heights = {.values = values, .columns = PART, .rows = rows, .stride = PART};
    heights.x_low = 10 * (double)column;
    heights.y_low = 10 * (double)row;
    heights.spacing = 10;
    assert_int_equal(lf_heights_write(test_path(name), &heights, NULL, NULL), LF_OK);
    free(values);
}

/// Blocks that are read at once from a mosaic.
typedef struct pieces {
    memory memory;
    int64_t pixels, across; ///< in all; how many blocks lie on both sides of a border between files
} pieces;

static void *pieces_take(void *user, int which, size_t bytes) {
    return take(&((pieces *)user)->memory, which, bytes);
}

static bool pieces_has(void *user, const lf_window *pixels) {
    (void)user;
    return pixels->columns < 1;
}

static bool pieces_done(void *user, const lf_window *pixels) {
    pieces *p = user;
    p->pixels += pixels->columns * pixels->rows;
    p->across += pixels->column / PART != (pixels->column + pixels->columns - 1) / PART ||
                 (pixels->row < PART - LOWER && pixels->row + pixels->rows > PART - LOWER);
    return true;
}

static void pieces_drop(void *user) {
    (void)user;
}

static void expect_mosaic(const lf_raster_def *def, lf_window window) {
    lf_raster *raster;
    lf_error error = {0};
    assert_int_equal(lf_raster_read(test_path("parts.vrt"), def, &raster, &error), LF_OK);
    lf_samples samples = lf_raster_grid_def(raster).samples;
    assert_int_equal(samples.type, LF_SAMPLE_FLOAT);
    assert_int_equal(samples.columns, window.columns);
    assert_int_equal(samples.rows, window.rows);
    for (int64_t row = 0; row < samples.rows; row++)
        for (int64_t column = 0; column < samples.columns; column++) {
            float z = ((const float *)samples.values)[row * samples.columns + column];
            if (z != height_of_mosaic(window.column + column, window.row + row))
                fail_msg("sample %lld %lld is %g", (long long)column, (long long)row, (double)z);
        }
    lf_raster_close(raster);
}

/// What is read at once ends where files end, so that their blocks are decoded once.
static void blocks_of_the_files_of_a_mosaic(void **state) {
    (void)state;
    char paths[2 * PARTS][512];
    const char *list[2 * PARTS];
    lf_raster_def def = lf_raster_def_default();
    for (int k = 0; k < 2 * PARTS; k++) {
        char name[16];
        snprintf(name, sizeof name, "part%d.tif", k);
        write_part(name, PART * (k % PARTS), PART * (k / PARTS), k < PARTS ? PART : PART - LOWER);
        snprintf(paths[k], sizeof paths[k], "%s", test_path(name));
        list[k] = paths[k];
    }
    assert_int_equal(lf_mosaic_write(list, 2 * PARTS, test_path("parts.vrt"), &def, NULL), LF_OK);
    lf_window whole = {0, 0, PARTS * PART, 2 * PART - LOWER};
    expect_mosaic(&def, whole);
    pieces p = {.memory = {.limit = 1}};
    lf_raster_keep keep = {&p, pieces_take, pieces_has, pieces_done, pieces_drop};
    def.keep = &keep;
    expect_mosaic(&def, whole);
    assert_int_equal(p.pixels, whole.columns * whole.rows);
    assert_int_equal(p.across, 0);
    free(p.memory.block);
}

static void stores_in_files_of_gdal(void **state) {
    (void)state;
    float values[SIDE * SIDE];
    for (int k = 0; k < SIDE * SIDE; k++)
        values[k] = (float)(k % 17);
    lf_grid_def def = lf_grid_def_default();
    lf_store_def store_def = lf_store_def_default();
    lf_grid *grid;
    lf_store *store, *other;
    lf_error error = {0};
    char path[600];
    def.samples.values = values;
    def.samples.columns = def.samples.rows = SIDE;
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    store_def.grid = grid;
    assert_int_equal(lf_store_write(test_path("vsi.lf"), &store_def, NULL), LF_OK);
    lf_grid_destroy(grid);
    assert_int_equal(lf_store_open_vsi(test_path("vsi.lf"), NULL, false, &store, NULL), LF_OK);
    snprintf(path, sizeof path, "/vsisubfile/0_%llu,%s", (unsigned long long)lf_store_describe(store).bytes,
             test_path("vsi.lf"));
    assert_int_equal(lf_store_open_vsi(path, NULL, false, &other, &error), LF_OK);
    for (int k = 0; k < 20; k++) {
        double a, b;
        assert_int_equal(lf_grid_read(lf_store_grid(store), k, 2 * k, 1, 1, &a), LF_OK);
        assert_int_equal(lf_grid_read(lf_store_grid(other), k, 2 * k, 1, 1, &b), LF_OK);
        assert_true(a == b);
    }
    lf_store_close(other);
    lf_store_close(store);
    snprintf(path, sizeof path, "/vsisubfile/0_1000,%s", test_path("vsi.lf"));
    assert_int_equal(lf_store_open_vsi(path, NULL, false, &other, &error), LF_BAD_FORMAT);
    assert_non_null(strstr(error.text, "/vsisubfile"));
    assert_int_equal(lf_store_open_vsi("/vsimem/none.lf", NULL, false, &other, &error), LF_IO_FAILED);
    lf_source source = {0};
    assert_int_equal(lf_source_open_vsi("/vsimem/none.lf", NULL, &source, &error), LF_IO_FAILED);
    assert_int_equal(lf_source_open_vsi(test_path("vsi.lf"), NULL, &source, &error), LF_BAD_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(tiles_beside_one_another),
                                       cmocka_unit_test(blocks_of_the_files_of_a_mosaic),
                                       cmocka_unit_test(stores_in_files_of_gdal)};
    return cmocka_run_group_tests(tests, test_folder_make, test_folder_remove);
}
