#include "base/containers.h"
#include "support.h"
#include <landfall/omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void sizes_do_not_wrap(void **state) {
    (void)state;
    size_t bytes;
    assert_true(lf__size_mul(3, 4, &bytes));
    assert_int_equal(bytes, 12);
    assert_false(lf__size_mul(SIZE_MAX / 2, 3, &bytes));
    assert_false(lf__size_mul((size_t)PTRDIFF_MAX, 2, &bytes));
    assert_false(lf__size_add(SIZE_MAX, 1, &bytes));
    assert_false(lf__size_array(-1, 8, &bytes));
    assert_false(lf__size_array(INT64_MAX, 8, &bytes));
    assert_true(lf__size_array(0, 8, &bytes));
    assert_int_equal(bytes, 0);
}

static void arrays_say_size_or_memory(void **state) {
    (void)state;
    lf_allocator plain = lf__allocator_of(NULL);
    void *array = NULL;
    assert_int_equal(lf__allocate_array(&plain, -1, 8, &array), LF_TOO_LARGE);
    assert_int_equal(lf__allocate_array(&plain, INT64_MAX, 8, &array), LF_TOO_LARGE);
    assert_int_equal(lf__allocate_array(&plain, 0, 8, &array), LF_OK);
    assert_int_equal((uintptr_t)array % LF__CACHE_LINE, 0);
    lf__free_array(&plain, array, 0, 8);
    test_memory memory;
    test_memory_start(&memory, 0);
    assert_int_equal(lf__allocate_array(&memory.allocator, 5, 8, &array), LF_NO_MEMORY);
}

/// Keys that collide, repeat and are removed: what is found is what a plain list holds.
static void tables_find_what_was_added(void **state) {
    (void)state;
    enum { KEYS = 3000 };
    lf_allocator plain = lf__allocator_of(NULL);
    lf__table table = {NULL, 0, 0};
    static int64_t held[KEYS]; // entries of each key
    assert_null(lf__table_find(&table, 7));
    for (uint64_t round = 0, random = 1; round < 20000; round++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint64_t key = (random >> 33) % KEYS;
        lf__table_entry *entry = lf__table_find(&table, key);
        assert_true((entry != NULL) == (held[key] > 0));
        if (entry && random >> 63) {
            lf__table_remove(&table, entry);
            held[key]--;
        } else {
            assert_int_equal(lf__table_reserve(&table, &plain, 1), LF_OK);
            lf__table_add(&table, key, ~key);
            held[key]++;
        }
    }
    for (uint64_t key = 0; key < KEYS; key++) {
        int64_t count = 0;
        for (lf__table_entry *e = lf__table_find(&table, key); e; e = lf__table_next(&table, e)) {
            assert_true(e->value == ~key);
            count++;
        }
        assert_int_equal(count, held[key]);
    }
    lf__table_free(&table, &plain);
}

static void plain_memory_moves_and_aligns(void **state) {
    (void)state;
    lf_allocator plain = lf__allocator_of(NULL);
    for (size_t alignment = 8; alignment <= 4096; alignment *= 8) {
        char *block = plain.resize(plain.user, NULL, 0, 100, alignment);
        memset(block, 7, 100);
        block = plain.resize(plain.user, block, 100, 100000, alignment);
        assert_int_equal((uintptr_t)block % alignment, 0);
        assert_int_equal(block[99], 7);
        block = plain.resize(plain.user, block, 100000, 10, alignment);
        assert_int_equal(block[9], 7);
        assert_null(plain.resize(plain.user, block, 10, 0, alignment));
    }
}

/// Sizes on both sides of where blocks become large: what was in a block stays in it wherever it moves.
static void large_blocks_keep_their_content(void **state) {
    (void)state;
    const size_t sizes[] = {100,
                            LF__LARGE_SIZE - 1,
                            LF__LARGE_SIZE,
                            LF__LARGE_SIZE + 1,
                            3 * LF__LARGE_SIZE + 77,
                            9 * LF__LARGE_SIZE,
                            2 * LF__LARGE_SIZE,
                            LF__LARGE_SIZE,
                            LF__LARGE_SIZE - 1,
                            4000,
                            5 * LF__LARGE_SIZE,
                            1};
    enum { SIZES = sizeof sizes / sizeof sizes[0] };
    lf_allocator plain = lf__allocator_of(NULL);
    for (size_t alignment = 8; alignment <= 2 * LF__LARGE_ALIGNMENT; alignment *= 8) {
        char *block = NULL;
        size_t old = 0;
        for (int i = 0; i < SIZES; i++) {
            block = plain.resize(plain.user, block, old, sizes[i], alignment);
            assert_non_null(block);
            assert_int_equal((uintptr_t)block % alignment, 0);
            size_t kept = old < sizes[i] ? old : sizes[i];
            for (size_t k = 0; k < kept; k += 997)
                assert_int_equal(block[k], (char)(k / 997));
            for (size_t k = 0; k < sizes[i]; k += 997)
                block[k] = (char)(k / 997);
            block[sizes[i] - 1] = (char)((sizes[i] - 1) % 997 == 0 ? (sizes[i] - 1) / 997 : 1);
            old = sizes[i];
        }
        assert_null(plain.resize(plain.user, block, old, 0, alignment));
    }
}

static void too_large_a_block_is_no_memory(void **state) {
    (void)state;
    if (!lf__is_large(LF__LARGE_SIZE, 64))
        skip(); // malloc's own business, and sanitizers stop at such a wish
    lf_allocator plain = lf__allocator_of(NULL);
    char *block = plain.resize(plain.user, NULL, 0, LF__LARGE_SIZE, 64);
    assert_non_null(block);
    block[0] = 5;
    assert_null(plain.resize(plain.user, block, LF__LARGE_SIZE, (size_t)1 << 60, 64));
    assert_int_equal(block[0], 5);
    plain.resize(plain.user, block, LF__LARGE_SIZE, 0, 64);
}

static void arrays_grow(void **state) {
    (void)state;
    test_memory memory;
    test_memory_start(&memory, -1);
    lf__array array = {0};
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(lf__array_reserve(&array, &memory.allocator, 1, sizeof(int)), LF_OK);
        ((int *)array.items)[array.count++] = i;
    }
    assert_int_equal(((int *)array.items)[999], 999);
    assert_int_equal(lf__array_reserve(&array, &memory.allocator, INT64_MAX, sizeof(int)), LF_TOO_LARGE);
    assert_int_equal(lf__array_reserve(&array, &memory.allocator, INT64_MAX / 4, 8), LF_TOO_LARGE);
    lf__array_free(&array, &memory.allocator, sizeof(int));
    assert_int_equal(memory.blocks_out, 0);
}

static void count_up(void *job, int64_t first, int64_t last, int worker) {
    assert_in_range(worker, 0, 15);
    for (int64_t i = first; i < last; i++)
        ((unsigned char *)job)[i]++;
}

static void every_index_is_done_once(void **state) {
    (void)state;
    lf_tasks kinds[] = {test_tasks(1), test_tasks(3), lf_tasks_openmp(2), lf_tasks_openmp(0)};
    for (size_t k = 0; k <= sizeof kinds / sizeof kinds[0]; k++) {
        const lf_tasks *tasks = k == 0 ? NULL : &kinds[k - 1];
        for (int64_t grain = 0; grain < 300; grain += 37) {
            unsigned char seen[1000] = {0};
            lf__run(tasks, 1000, grain, count_up, seen);
            for (int i = 0; i < 1000; i++)
                assert_int_equal(seen[i], 1);
        }
        lf__run(tasks, 0, 10, count_up, NULL);
    }
}

static bool stop_at_half(void *user, const char *stage, int64_t done, int64_t total) {
    assert_string_equal(stage, "walk");
    ++*(int *)user;
    return done * 2 < total;
}

static void progress_can_stop(void **state) {
    (void)state;
    int calls = 0;
    lf_progress progress = {&calls, stop_at_half};
    lf_host host = {.progress = &progress};
    assert_true(lf__report(NULL, "walk", 0, 10));
    assert_true(lf__report(&host, "walk", 1, 10));
    assert_false(lf__report(&host, "walk", 5, 10));
    assert_int_equal(calls, 2);
}

static void keep_text(void *user, lf_log_level level, const char *text) {
    assert_int_equal(level, LF_LOG_WARNING);
    strncpy(user, text, 63);
}

static void the_log_gets_remarks(void **state) {
    (void)state;
    char text[64] = "";
    lf_log log = {text, keep_text};
    lf_host host = {.log = &log};
    lf__log(NULL, LF_LOG_WARNING, "nobody listens");
    lf__log(&host, LF_LOG_WARNING, "%d mm lost", 3);
    assert_string_equal(text, "3 mm lost");
}

static void files_are_mapped(void **state) {
    (void)state;
    char path[] = "/tmp/landfall-map-XXXXXX";
    int file = mkstemp(path);
    lf_map map;
    lf_error error;
    assert_int_equal(lf_map_open(path, &map, &error), LF_OK);
    assert_null(map.data);
    assert_int_equal(map.size, 0);
    assert_int_equal(write(file, "ground", 6), 6);
    assert_int_equal(lf_map_open(path, &map, &error), LF_OK);
    assert_int_equal(map.size, 6);
    assert_memory_equal(map.data, "ground", 6);
    lf_map_close(&map);
    assert_null(map.data);
    lf_map_close(&map);
    lf_map_close(NULL);
    close(file);
    unlink(path);
    assert_int_equal(lf_map_open(path, &map, &error), LF_IO_FAILED);
    assert_non_null(strstr(error.text, path));
    assert_int_equal(lf_map_open("/", &map, &error), LF_IO_FAILED);
    assert_int_equal(lf_map_open(NULL, &map, &error), LF_BAD_ARGUMENT);
}

/// Under a limit on address space the message names the file, its size and what ran out.
static void no_address_space_to_map(void **state) {
    (void)state;
    char path[] = "/tmp/landfall-map-XXXXXX";
    int file = mkstemp(path);
    const off_t size = (off_t)1 << 40; // a sparse file: takes no disk
    struct rlimit before, tight;
    lf_map map;
    lf_error error = {0};
#ifdef __SANITIZE_THREAD__
    const bool sanitizer = true; // which needs more address space than the limit, at any time
#else
    const bool sanitizer = false;
#endif
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    bool sparse = !sanitizer && ftruncate(file, size) == 0;
    tight = before;
    tight.rlim_cur = (rlim_t)1 << 38;
    bool limited = sparse && setrlimit(RLIMIT_AS, &tight) == 0;
    lf_status status = limited ? lf_map_open(path, &map, &error) : LF_NO_MEMORY;
    setrlimit(RLIMIT_AS, &before);
    close(file);
    unlink(path);
    assert_int_equal(status, LF_NO_MEMORY);
    if (!limited) {
        printf("skipped: no sparse files, or no limit on address space here, or a thread sanitizer\n");
        return;
    }
    assert_non_null(strstr(error.text, path));
    assert_non_null(strstr(error.text, "no address space to map its 1099511627776 bytes"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_address_space_to_map),        cmocka_unit_test(sizes_do_not_wrap),
        cmocka_unit_test(arrays_say_size_or_memory),      cmocka_unit_test(tables_find_what_was_added),
        cmocka_unit_test(plain_memory_moves_and_aligns),  cmocka_unit_test(large_blocks_keep_their_content),
        cmocka_unit_test(too_large_a_block_is_no_memory), cmocka_unit_test(arrays_grow),
        cmocka_unit_test(every_index_is_done_once),       cmocka_unit_test(progress_can_stop),
        cmocka_unit_test(the_log_gets_remarks),           cmocka_unit_test(files_are_mapped),
    };
    return cmocka_run_group_tests_name("base: host", tests, NULL, NULL);
}
