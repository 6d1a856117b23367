#include "support.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

uint64_t test_seed(void) {
    static uint64_t seed;
    static bool known;
    if (!known) {
        const char *given = getenv("LANDFALL_SEED");
        seed = given && *given ? strtoull(given, NULL, 10) : 1;
        known = true;
        fprintf(stderr, "seed: LANDFALL_SEED=%llu\n", (unsigned long long)seed);
    }
    return seed;
}

bool test_long(void) {
    const char *wish = getenv("LANDFALL_LONG");
    return wish && strcmp(wish, "1") == 0;
}

test_random test_random_start(uint64_t salt) {
    // Mixed, so that the streams of neighbouring seeds are not the same stream begun a step later.
    uint64_t mixed = test_seed() * 0xd1342543de82ef95u + salt * 0x2545f4914f6cdd1du + 1;
    mixed = (mixed ^ (mixed >> 32)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 29)) * 0x94d049bb133111ebu;
    return (test_random){mixed ^ (mixed >> 32)};
}

uint64_t test_random_bits(test_random *random) {
    uint64_t z = (random->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double test_random_between(test_random *random, double low, double high) {
    return low + (high - low) * (double)(test_random_bits(random) >> 11) * 0x1p-53;
}

int64_t test_random_below(test_random *random, int64_t count) {
    return (int64_t)(test_random_bits(random) % (uint64_t)count);
}

/// Every block carries its size in front, so that a wrong old size is caught.
static void *counting_resize(void *user, void *old, size_t old_size, size_t new_size, size_t alignment) {
    test_memory *memory = user;
    size_t head = alignment > 64 ? alignment : 64;
    if (new_size > 0 && memory->calls++ == memory->fail_at)
        return NULL;
    if (old)
        assert_int_equal(*(size_t *)((char *)old - head), old_size);
    void *fresh = NULL;
    if (new_size > 0) {
        char *block = aligned_alloc(head, (head + new_size + head - 1) / head * head);
        assert_non_null(block);
        *(size_t *)block = new_size;
        fresh = block + head;
        memset(fresh, 0xa5, new_size);
        memory->blocks_out++;
        memory->bytes_out += (int64_t)new_size;
        if (old)
            memcpy(fresh, old, old_size < new_size ? old_size : new_size);
    }
    if (old) {
        free((char *)old - head);
        memory->blocks_out--;
        memory->bytes_out -= (int64_t)old_size;
    }
    return fresh;
}

void test_memory_start(test_memory *memory, int64_t fail_at) {
    *memory = (test_memory){.fail_at = fail_at};
    memory->allocator = (lf_allocator){memory, counting_resize};
}

void test_out_of_memory(lf_status (*attempt)(const lf_host *host, void *user), void *user) {
    for (int64_t fail_at = 0; fail_at < 100000; fail_at++) {
        test_memory memory;
        test_memory_start(&memory, fail_at);
        lf_host host = {.allocator = &memory.allocator};
        lf_status status = attempt(&host, user);
        assert_int_equal(memory.blocks_out, 0);
        if (status == LF_OK) {
            assert_true(fail_at > 0);
            return;
        }
        assert_int_equal(status, LF_NO_MEMORY);
    }
    fail_msg("no end of allocations");
}

typedef struct pool_job {
    lf_task *task;
    void *job;
    int64_t count, grain;
    atomic_int_fast64_t next;
} pool_job;

typedef struct pool_worker {
    pool_job *shared;
    int number;
} pool_worker;

// A module of WebAssembly may be compiled without threads: then the calling thread does all the work.
#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)
enum { THREADS_EXIST = 0 };
#else
enum { THREADS_EXIST = 1 };
#endif

static void *pool_thread(void *pointer) {
    pool_worker *worker = pointer;
    pool_job *shared = worker->shared;
    for (;;) {
        int64_t first = atomic_fetch_add(&shared->next, shared->grain);
        if (first >= shared->count)
            return NULL;
        int64_t last = first + shared->grain < shared->count ? first + shared->grain : shared->count;
        shared->task(shared->job, first, last, worker->number);
    }
}

static void pool_run(void *user, int64_t count, int64_t grain, lf_task *task, void *job) {
    int threads = (int)(intptr_t)user;
    pool_job shared = {.task = task, .job = job, .count = count, .grain = grain > 0 ? grain : 1};
    pthread_t handles[16];
    pool_worker workers[16];
    bool begun[16];
    for (int i = 0; i < threads; i++) {
        workers[i] = (pool_worker){&shared, i};
        begun[i] = pthread_create(&handles[i], NULL, pool_thread, &workers[i]) == 0;
        if (!begun[i] && THREADS_EXIST)
            fail_msg("no thread");
        if (!begun[i])
            pool_thread(&workers[i]);
    }
    for (int i = 0; i < threads; i++) {
        if (begun[i])
            pthread_join(handles[i], NULL);
    }
}

lf_tasks test_tasks(int threads) {
    int workers = threads < 1 ? 1 : threads > 16 ? 16 : threads;
    lf_tasks tasks = {(void *)(intptr_t)workers, workers, pool_run};
    return tasks;
}

const char *test_data(const char *relative) {
    static char path[4096];
    const char *folder = getenv("LANDFALL_DATA");
    if (folder && *folder) {
        snprintf(path, sizeof path, "%s/%s", folder, relative);
        if (access(path, R_OK) == 0)
            return path;
    }
    fprintf(stderr, "skipped: no real data at %s (LANDFALL_DATA)\n", relative);
    return NULL;
}

int64_t test_rounds(int64_t usual) {
    return test_long() ? 20 * usual : usual;
}

void *test_space(int64_t count, size_t each) {
    void *memory = calloc((size_t)(count + 1), each);
    assert_non_null(memory);
    return memory;
}

test_place test_place_make(const lf_mesh_def *def) {
    test_place place;
    lf_error error = {.text = ""};
    if (lf_mesh_create(def, &place.mesh, &error) != LF_OK)
        fail_msg("%s", error.text);
    place.ground = lf_mesh_ground(place.mesh);
    return place;
}

void test_place_drop(test_place place) {
    lf_mesh_destroy(place.mesh);
}
