// Ground that is larger than memory allows: built through a disk, opened, looked at.
#include "files.h"
#include "support.h"
#include <fcntl.h>
#include <landfall/io.h>
#include <landfall/sight.h>
#include <landfall/store.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// ---------------------------------------------------------------------------------------------------
// The allocator
// ---------------------------------------------------------------------------------------------------

static void fill(unsigned char *block, size_t from, size_t to) {
    for (size_t k = from; k < to; k++)
        block[k] = (unsigned char)(k * 31 + k / 251);
}

static void holds(const unsigned char *block, size_t size) {
    for (size_t k = 0; k < size; k++)
        assert_int_equal(block[k], (unsigned char)(k * 31 + k / 251));
}

/// Blocks grow and shrink, over the border and back, and keep what is in them.
static void blocks_keep_their_content(void **state) {
    static const size_t sizes[] = {10, 4095, 4096, 5000, 300000, 299999, 4096, 100, 70000, 1 << 20};
    lf_disk *disk;
    lf_error error = {0};
    (void)state;
    assert_int_equal(lf_disk_open(test_path(""), 4096, &disk, &error), LF_OK);
    const lf_allocator *a = lf_disk_allocator(disk);
    unsigned char *block = NULL, *other = a->resize(a->user, NULL, 0, 9000, 64);
    size_t size = 0;
    assert_non_null(other);
    fill(other, 0, 9000);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        block = a->resize(a->user, block, size, sizes[k], 64);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % 64, 0);
        if (sizes[k] > size)
            fill(block, size, sizes[k]);
        size = sizes[k];
        holds(block, size);
    }
    holds(other, 9000);
    assert_null(a->resize(a->user, NULL, 0, (size_t)PTRDIFF_MAX, 64)); // no disk has that
    assert_null(a->resize(a->user, block, size, 0, 64));
    assert_null(a->resize(a->user, other, 9000, 0, 64));
    lf_disk_close(disk);
    lf_disk_close(NULL);
}

static void bad_places(void **state) {
    lf_disk *disk = NULL;
    lf_error error = {0};
    (void)state;
    assert_int_equal(lf_disk_open(test_path("nowhere"), 4096, &disk, &error), LF_IO_FAILED);
    assert_non_null(strstr(error.text, "nowhere"));
    assert_int_equal(lf_disk_open(test_path(""), 0, &disk, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_disk_open("", 4096, &disk, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_disk_open(NULL, 4096, &disk, NULL), LF_BAD_ARGUMENT);
    assert_null(disk);
}

// ---------------------------------------------------------------------------------------------------
// Larger than memory
// ---------------------------------------------------------------------------------------------------

/// A raster of floats, row by row, and the word that tells GDAL what it is.
static void write_raster(const char *path, const char *header, int side) {
    FILE *file = fopen(path, "wb"), *about = fopen(header, "w");
    float *row = test_space(side, sizeof *row);
    assert_true(file && about);
    for (int j = 0; j < side; j++) {
        for (int i = 0; i < side; i++)
            row[i] = (float)(300 * sin(0.011 * i) * cos(0.013 * j) + 3 * sin(0.7 * i + 0.3 * j));
        assert_int_equal(fwrite(row, sizeof *row, (size_t)side, file), side);
    }
    fprintf(
        about,
        "ENVI\nsamples = %d\nlines = %d\nbands = 1\nheader offset = 0\ndata type = 4\ninterleave = bsq\nbyte "
        "order = 0\nmap info = {UTM, 1, 1, 500000, 5000000, 10, 10, 33, North, WGS-84}\n",
        side, side);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(fclose(about), 0);
    free(row);
}

/// GDAL and PROJ take some megabytes once, whatever is read.
static void wake_gdal(void) {
    lf_raster *raster;
    char tiny[256], header[256];
    snprintf(tiny, sizeof tiny, "%s", test_path("tiny.bil"));
    snprintf(header, sizeof header, "%s", test_path("tiny.hdr"));
    write_raster(tiny, header, 300);
    setenv("GDAL_CACHEMAX", "1", 1); // megabytes
    lf_raster_def def = lf_raster_def_default();
    lf_error error = {0};
    if (lf_raster_read(tiny, &def, &raster, &error) != LF_OK)
        fail_msg("%s", error.text);
    lf_raster_close(raster);
}

/// Bytes of memory that is this process's own, by a line of its status.
static size_t own_bytes(const char *name) {
    FILE *file = fopen("/proc/self/status", "r");
    char line[160];
    unsigned long long kilobytes = 0;
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0)
            sscanf(line + strlen(name), "%llu", &kilobytes);
    if (file)
        fclose(file);
    return (size_t)kilobytes << 10;
}

/// No more memory than there is now and so much.
static void limit_memory(size_t more) {
    struct rlimit limit = {own_bytes("VmData:") + more, own_bytes("VmData:") + more};
    if (setrlimit(RLIMIT_DATA, &limit) != 0)
        _exit(40);
}

typedef struct work {
    const char *raster, *stored, *seen;
    int side;
    bool disk;   ///< or plain memory
    size_t more; ///< bytes
    lf_codec codec;
} work;

static lf_status build(const work *w, const lf_host *host) {
    lf_raster_def file = lf_raster_def_default();
    lf_raster *raster = NULL;
    lf_grid *grid = NULL;
    file.host = *host;
    file.memory = PTRDIFF_MAX / 2;
    lf_status status = lf_raster_read(w->raster, &file, &raster, NULL);
    if (status == LF_OK) {
        lf_grid_def def = lf_raster_grid_def(raster);
        def.codec = w->codec;
        def.max_error = w->codec == LF_CODEC_RAW ? 0 : 0.1;
        status = lf_grid_create(&def, &grid, NULL);
    }
    if (status == LF_OK) {
        lf_store_def def = lf_store_def_default();
        def.host = *host;
        def.grid = grid;
        status = lf_store_write(w->stored, &def, NULL);
    }
    lf_grid_destroy(grid);
    lf_raster_close(raster);
    return status;
}

/// The viewshed of the file as it lies, into another file.
static lf_status look(const work *w) {
    size_t bytes = (size_t)w->side * (size_t)w->side;
    int file = open(w->seen, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || ftruncate(file, (off_t)bytes) != 0)
        return LF_IO_FAILED;
    void *seen = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    lf_store *store = NULL;
    lf_status status =
        seen == MAP_FAILED ? LF_IO_FAILED : lf_store_open(w->stored, NULL, false, &store, NULL);
    if (status == LF_OK) {
        const lf_grid *grid = lf_store_grid(store);
        lf_viewshed_def def = lf_viewshed_def_default();
        lf_observer observer = {{500000 + 5.0 * w->side, 5000000 - 5.0 * w->side}, 25, false};
        lf_viewshed_stats stats = {0};
        status = lf_viewshed_visible(lf_grid_ground(grid), &def, &observer, lf_grid_window(grid), seen, 0,
                                     &stats, NULL);
        if (status == LF_OK &&
            (stats.counts[LF_VISIBILITY_VISIBLE] == 0 || stats.counts[LF_VISIBILITY_HIDDEN] == 0))
            status = LF_BAD_FORMAT;
    }
    lf_store_close(store);
    if (seen != MAP_FAILED)
        munmap(seen, bytes);
    close(file);
    return status;
}

/// In a process of its own, with little memory. What it comes to, as an exit status: -status, or 41 when it has taken more.
static int run_limited(const work *w) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        lf_disk *disk = NULL;
        lf_host host = {.tasks = NULL};
        limit_memory(w->more);
        size_t most = own_bytes("RssAnon:") + w->more;
        if (w->disk && lf_disk_open(test_path(""), (size_t)128 << 10, &disk, NULL) != LF_OK)
            _exit(42);
        host.allocator = disk ? lf_disk_allocator(disk) : NULL;
        lf_status made = build(w, &host);
        if (made == LF_OK)
            made = look(w);
        lf_disk_close(disk);
        _exit(own_bytes("RssAnon:") > most ? 41 : -(int)made);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/// The same without limits; both see the same.
static void same_as_with_memory(const work *w) {
    work plain = *w;
    lf_host host = {.tasks = NULL};
    size_t sizes[2];
    char seen[300];
    snprintf(seen, sizeof seen, "%s.all", w->seen);
    plain.seen = seen;
    char *first = test_file_content(w->stored, &sizes[0]);
    assert_int_equal(build(&plain, &host), LF_OK);
    char *second = test_file_content(w->stored, &sizes[1]);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(first, second, sizes[0]);
    free(first);
    free(second);
    assert_int_equal(look(&plain), LF_OK);
    first = test_file_content(w->seen, &sizes[0]);
    second = test_file_content(plain.seen, &sizes[1]);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(first, second, sizes[0]);
    free(first);
    free(second);
}

#if !defined(__has_feature) // gcc
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || __has_feature(address_sanitizer)
#define WATCHED true // sanitizers take more than any limit
#else
#define WATCHED false
#endif

static void larger_than_memory(void **state) {
    (void)state;
    // 4 bytes a sample: several times what may be taken. Below a few megabytes GDAL itself does not work.
    int side = test_long() ? 12000 : 1700;
    size_t more = (size_t)(test_long() ? 32 : 4) << 20;
    char raster[256], header[256], stored[256], seen[256];
    snprintf(raster, sizeof raster, "%s", test_path("large.bil"));
    snprintf(header, sizeof header, "%s", test_path("large.hdr"));
    snprintf(stored, sizeof stored, "%s", test_path("large.lf"));
    snprintf(seen, sizeof seen, "%s", test_path("large.seen"));
    if (WATCHED)
        skip();
    wake_gdal();
    write_raster(raster, header, side);
    for (int codec = 0; codec < 2; codec++) {
        work w = {raster, stored, seen, side, true, more, codec ? LF_CODEC_PACK : LF_CODEC_RAW};
        assert_int_equal(run_limited(&w), 0);
        if (codec && !test_long())
            same_as_with_memory(&w);
        w.disk = false; // the limit is one
        if (codec)
            assert_int_equal(run_limited(&w), -LF_NO_MEMORY);
    }
}

// ---------------------------------------------------------------------------------------------------
// A disk that is full
// ---------------------------------------------------------------------------------------------------

/// Write a grid of waves where files end at so many bytes, as on a disk that is full.
static lf_status write_limited(const char *path, double waves, rlim_t most) {
    enum { SIDE = 200 };
    static float heights[SIDE * SIDE];
    lf_grid_def def = lf_grid_def_default();
    lf_store_def file = lf_store_def_default();
    lf_grid *grid;
    struct rlimit limit = {most, most};
    for (int k = 0; k < SIDE * SIDE; k++)
        heights[k] = (float)(waves * sin(0.1 * (k % SIDE)) * sin(0.07 * (double)(k / SIDE)));
    def.samples.values = heights;
    def.samples.columns = def.samples.rows = SIDE;
    if (lf_grid_create(&def, &grid, NULL) != LF_OK || setrlimit(RLIMIT_FSIZE, &limit) != 0)
        return LF_BAD_ARGUMENT;
    file.grid = grid;
    lf_error error = {0};
    lf_status status = lf_store_write(path, &file, &error);
    lf_grid_destroy(grid);
    return status == LF_IO_FAILED && !strstr(error.text, path) ? LF_BAD_FORMAT : status;
}

/// Wherever the disk ends: the old file stays, nothing lies beside it, and the error says so. Only with space for all of it is it replaced.
static void full_disk(void **state) {
    (void)state;
    static const rlim_t limits[] = {0, 100, 4096, 65536, 100000, 200000, RLIM_INFINITY};
    char path[256];
    size_t sizes[2];
    snprintf(path, sizeof path, "%s", test_path("full.lf"));
    assert_int_equal(write_limited(path, 1, RLIM_INFINITY), LF_OK);
    char *before = test_file_content(path, &sizes[0]);
    for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
        int status = 0;
        bool enough = limits[k] == RLIM_INFINITY;
        pid_t child = fork();
        if (child == 0) {
            signal(SIGXFSZ, SIG_IGN); // a failing write instead
            _exit(-(int)write_limited(path, 2, limits[k]));
        }
        assert_true(child > 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), enough ? 0 : -(int)LF_IO_FAILED);
        char *after = test_file_content(path, &sizes[1]);
        assert_int_equal(sizes[0], sizes[1]);
        assert_true((memcmp(before, after, sizes[0]) == 0) == !enough);
        assert_false(test_file_exists("full.lf.part"));
        free(after);
    }
    free(before);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_keep_their_content),
                                       cmocka_unit_test(bad_places), cmocka_unit_test(larger_than_memory),
                                       cmocka_unit_test(full_disk)};
    return cmocka_run_group_tests_name("store: on disk", tests, test_folder_make, test_folder_remove);
}
