// Compressed grids whose creation is ended and continued: the same bytes, whatever was kept.
#include "files.h"
#include "support.h"
#include <landfall/store.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 900, ROWS = 700, RECORDS = 64 };

/// Records as they were saved.
typedef struct kept {
    void *records[RECORDS];
    size_t bytes[RECORDS];
    int count, at, stop; ///< saved; loaded; how many may be saved
} kept;

static const void *load(void *user, size_t *bytes) {
    kept *k = user;
    if (k->at >= k->count)
        return NULL;
    *bytes = k->bytes[k->at];
    return k->records[k->at++];
}

static bool save(void *user, const void *record, size_t bytes) {
    kept *k = user;
    if (k->count >= k->stop || k->count >= RECORDS)
        return false;
    k->records[k->count] = malloc(bytes);
    assert_non_null(k->records[k->count]);
    memcpy(k->records[k->count], record, bytes);
    k->bytes[k->count++] = bytes;
    k->at = k->count;
    return true;
}

static char *written(const lf_grid *grid, size_t *size) {
    lf_store_def def = lf_store_def_default();
    def.grid = grid;
    assert_int_equal(lf_store_write(test_path("keep.lf"), &def, NULL), LF_OK);
    return test_file_content(test_path("keep.lf"), size);
}

static void continued(void **state) {
    (void)state;
    static float heights[ROWS * COLUMNS];
    test_random random = test_random_start(2311);
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++)
            heights[j * COLUMNS + i] = test_random_below(&random, 500) == 0
                                           ? NAN
                                           : (float)(90 * sin(i / 50.0) + test_random_between(&random, 0, 3));
    for (int codec = LF_CODEC_PACK; codec <= LF_CODEC_D4; codec++) {
        lf_grid_def def = lf_grid_def_default();
        lf_tasks tasks = test_tasks(3);
        lf_grid *grid;
        size_t size, again_size;
        def.samples.values = heights;
        def.samples.columns = COLUMNS;
        def.samples.rows = ROWS;
        def.codec = (lf_codec)codec;
        def.max_error = 0.05;
        assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
        char *whole = written(grid, &size);
        lf_grid_destroy(grid);
        kept k = {.count = 0};
        lf_grid_keep keep = {&k, load, save};
        def.keep = &keep;
        lf_status status = LF_IO_FAILED;
        for (int round = 0; round < 100 && status == LF_IO_FAILED; round++) {
            def.host.tasks = round % 2 ? &tasks : NULL;
            k.at = 0;
            k.stop = k.count + 1 + (int)test_random_below(&random, 4);
            status = lf_grid_create(&def, &grid, NULL);
            if (k.count > 0 && round == 2) // a torn record does not count, nor does what follows
                k.bytes[--k.count] /= 2, free(k.records[k.count]);
        }
        assert_int_equal(status, LF_OK);
        char *again = written(grid, &again_size);
        assert_int_equal(size, again_size);
        assert_memory_equal(whole, again, size);
        lf_grid_destroy(grid);
        free(again);
        free(whole);
        for (int i = 0; i < k.count; i++)
            free(k.records[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(continued)};
    return cmocka_run_group_tests(tests, test_folder_make, test_folder_remove);
}
