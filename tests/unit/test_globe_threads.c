/// Globes that several threads cut: the same file as of one, the same errors, and nothing is left when it is cancelled.
#include "files.h"
#include "support.h"
#include <landfall/store.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A raster in memory, of more blocks than the tiler keeps.
typedef struct raster {
    lf_globe_raster given;
    uint32_t seed;
    int64_t fail_column; ///< blocks from this column on cannot be read; -1: all can
} raster;

static float height_of(const raster *r, int64_t column, int64_t row) {
    uint32_t mixed = ((uint32_t)column * 2654435761u ^ (uint32_t)row * 40503u ^ r->seed) * 2246822519u;
    if (mixed % 97 == 0)
        return NAN;
    // Whole metres in places, so that both encodings occur.
    return (column / 300 + row / 300) % 2 ? (float)(mixed >> 20) : (float)(mixed >> 8) * 1e-3f;
}

static lf_status read_window(void *user, lf_window w, float *heights, lf_error *error) {
    const raster *r = user;
    if (r->fail_column >= 0 && w.column >= r->fail_column) {
        *error = (lf_error){.status = LF_IO_FAILED, .where = -1};
        snprintf(error->text, sizeof error->text, "column %lld is gone", (long long)w.column);
        return LF_IO_FAILED;
    }
    for (int64_t j = 0; j < w.rows; j++)
        for (int64_t i = 0; i < w.columns; i++)
            heights[j * w.columns + i] = height_of(r, w.column + i, w.row + j);
    return LF_OK;
}

static raster raster_over(lf_geodetic_box area, double step, uint32_t seed) {
    return (raster){.given = {.west = area.west,
                              .south = area.south,
                              .per_column = step,
                              .per_row = step,
                              .columns = 1 + (int64_t)round((area.east - area.west) / step),
                              .rows = 1 + (int64_t)round((area.north - area.south) / step),
                              .read = read_window},
                    .seed = seed,
                    .fail_column = -1};
}

/// Stops a job after a number of reports; -1: never.
typedef struct patience {
    int64_t left, reports;
    double share; ///< the last one
    bool back;    ///< it has gone back
} patience;

static bool report(void *user, const char *stage, int64_t done, int64_t total) {
    patience *p = user;
    if (strcmp(stage, "tiles") == 0) {
        double share = (double)done / (double)total;
        p->back |= share < p->share || share > 1;
        p->share = share;
        p->reports++;
    }
    return p->left < 0 || p->left-- > 0;
}

/// Write a globe of two rasters by so many threads; 0: without tasks.
static lf_status write_globe(const char *path, int threads, raster *rasters, patience *patience,
                             lf_error *error) {
    lf_tasks tasks = test_tasks(threads > 0 ? threads : 1);
    lf_progress progress = {patience, report};
    lf_globe_raster given[2] = {rasters[0].given, rasters[1].given};
    lf_tiler_def cut = lf_tiler_def_default();
    lf_globe_def def = lf_globe_def_default();
    lf_store_def store = lf_store_def_default();
    lf_tiler *tiler = NULL;
    lf_globe *globe = NULL;
    given[0].user = &rasters[0];
    given[1].user = &rasters[1];
    cut.rasters = given;
    cut.raster_count = 2;
    cut.cells = 16;
    cut.memory = 1; // as few blocks as possible
    cut.threads = threads > 0 ? threads : 1;
    lf_status status = lf_tiler_create(&cut, &tiler, error);
    def.provider = status == LF_OK ? lf_tiler_provider(tiler, &def.level_count) : def.provider;
    def.fetchers = cut.threads;
    if (status == LF_OK)
        status = lf_globe_create(&def, &globe, error);
    store.globe = globe;
    store.host.tasks = threads > 0 ? &tasks : NULL;
    store.host.progress = patience ? &progress : NULL;
    if (status == LF_OK)
        status = lf_store_write(path, &store, error);
    lf_globe_destroy(globe);
    lf_tiler_destroy(tiler);
    return status;
}

static void any_number_of_threads_writes_the_same_file(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed < 3; seed++) {
        raster rasters[] = {raster_over((lf_geodetic_box){-180, -90, 179.5, 90}, 0.5, seed),
                            raster_over((lf_geodetic_box){5, 40, 30, 60}, 0.0625, seed + 7)};
        lf_error error = {LF_OK, -1, ""};
        patience calm = {.left = -1};
        size_t bytes, other_bytes;
        assert_int_equal(write_globe(test_path("one.lf"), 0, rasters, &calm, &error), LF_OK);
        assert_true(calm.reports > 100 && !calm.back);
        char *one = test_file_content(test_path("one.lf"), &bytes);
        static const int threads[] = {1, 2, 4, 7};
        for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
            patience watched = {.left = -1};
            assert_int_equal(write_globe(test_path("many.lf"), threads[k], rasters, &watched, &error), LF_OK);
            assert_true(watched.reports > 100 && !watched.back);
            char *many = test_file_content(test_path("many.lf"), &other_bytes);
            assert_int_equal(bytes, other_bytes);
            assert_memory_equal(one, many, bytes);
            free(many);
        }
        free(one);
    }
}

/// The tile that is first in the file is named, whichever failed first.
static void what_cannot_be_read_is_named(void **state) {
    (void)state;
    raster rasters[] = {raster_over((lf_geodetic_box){-180, -90, 179.5, 90}, 0.5, 3),
                        raster_over((lf_geodetic_box){5, 40, 30, 60}, 0.03125, 4)};
    lf_error one = {LF_OK, -1, ""}, many = {LF_OK, -1, ""};
    rasters[1].fail_column = 512;
    assert_int_equal(write_globe(test_path("no.lf"), 0, rasters, NULL, &one), LF_IO_FAILED);
    assert_non_null(strstr(one.text, "column 512 is gone"));
    for (int k = 0; k < 5; k++) {
        assert_int_equal(write_globe(test_path("no.lf"), 4, rasters, NULL, &many), LF_IO_FAILED);
        assert_string_equal(one.text, many.text);
    }
    assert_false(test_file_exists("no.lf"));
}

static void it_can_be_cancelled_at_any_time(void **state) {
    (void)state;
    raster rasters[] = {raster_over((lf_geodetic_box){-180, -90, 179, 90}, 1, 5),
                        raster_over((lf_geodetic_box){5, 40, 30, 60}, 0.25, 6)};
    patience calm = {.left = -1};
    assert_int_equal(write_globe(test_path("whole.lf"), 3, rasters, &calm, NULL), LF_OK);
    for (int64_t after = 0; after < calm.reports; after += 2 + after / 2) {
        patience short_of = {.left = after};
        assert_int_equal(write_globe(test_path("no.lf"), 3, rasters, &short_of, NULL), LF_CANCELLED);
        assert_false(test_file_exists("no.lf"));
    }
}

static void bad_numbers_of_threads_are_refused(void **state) {
    (void)state;
    raster r = raster_over((lf_geodetic_box){-180, -90, 170, 90}, 10, 1);
    lf_tiler_def cut = lf_tiler_def_default();
    lf_globe_def def = lf_globe_def_default();
    lf_tiler *tiler = NULL;
    lf_globe *globe = NULL;
    lf_error error;
    r.given.user = &r;
    cut.rasters = &r.given;
    cut.raster_count = 1;
    cut.threads = 0;
    assert_int_equal(lf_tiler_create(&cut, &tiler, &error), LF_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "threads is 0"));
    cut.threads = 1;
    assert_int_equal(lf_tiler_create(&cut, &tiler, &error), LF_OK);
    def.provider = lf_tiler_provider(tiler, &def.level_count);
    def.fetchers = 0;
    assert_int_equal(lf_globe_create(&def, &globe, &error), LF_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "fetchers is 0"));
    lf_tiler_destroy(tiler);
}

static lf_status attempt(const lf_host *host, void *user) {
    raster *r = user;
    lf_tiler_def cut = lf_tiler_def_default();
    lf_globe_def def = lf_globe_def_default();
    lf_store_def store = lf_store_def_default();
    lf_tiler *tiler = NULL;
    lf_globe *globe = NULL;
    cut.host = def.host = store.host = *host;
    cut.rasters = &r->given;
    cut.raster_count = 1;
    cut.cells = 4;
    cut.memory = 1;
    lf_status status = lf_tiler_create(&cut, &tiler, NULL);
    def.provider = status == LF_OK ? lf_tiler_provider(tiler, &def.level_count) : def.provider;
    if (status == LF_OK)
        status = lf_globe_create(&def, &globe, NULL);
    store.globe = globe;
    if (status == LF_OK)
        status = lf_store_write(test_path("small.lf"), &store, NULL);
    lf_globe_destroy(globe);
    lf_tiler_destroy(tiler);
    return status;
}

static void memory_may_run_out(void **state) {
    (void)state;
    raster r = raster_over((lf_geodetic_box){-180, -90, 150, 90}, 30, 1);
    r.given.user = &r;
    test_out_of_memory(attempt, &r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads_writes_the_same_file),
        cmocka_unit_test(what_cannot_be_read_is_named),
        cmocka_unit_test(it_can_be_cancelled_at_any_time),
        cmocka_unit_test(bad_numbers_of_threads_are_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests_name("globe: threads", tests, test_folder_make, test_folder_remove);
}
