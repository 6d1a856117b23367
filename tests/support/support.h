/// What all tests share: cmocka, seeds that are printed, random numbers, a failing allocator,
/// a small task pool for the thread sanitizer, the way to the real data.
#ifndef LF_TESTS_SUPPORT_H
#define LF_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <landfall/landfall.h>

/// The seed of this run: LANDFALL_SEED when set, else 1. Printed once, so that a failure can be repeated.
uint64_t test_seed(void);

/// True when the long tests were asked for (LANDFALL_LONG=1).
bool test_long(void);

/// As many rounds as usual, or twenty times as many in the long tests.
int64_t test_rounds(int64_t usual);

/// Zeroed space for so many things, and one more, so that none is space too; asserts that there is memory. Release it with free.
void *test_space(int64_t count, size_t each);

/// A small random generator (splitmix64): same numbers everywhere.
typedef struct test_random {
    uint64_t state;
} test_random;

/// A generator for one test: the run's seed mixed with the test's own number.
test_random test_random_start(uint64_t salt);
uint64_t test_random_bits(test_random *random);
/// Uniform in [low, high).
double test_random_between(test_random *random, double low, double high);
/// Uniform in 0 .. count - 1.
int64_t test_random_below(test_random *random, int64_t count);

/// An allocator that counts what is out, checks the sizes it is told, and fails at the allocation number `fail_at`
/// (from 0; -1: never).
typedef struct test_memory {
    lf_allocator allocator;
    int64_t calls;
    int64_t fail_at;
    int64_t blocks_out;
    int64_t bytes_out;
} test_memory;

void test_memory_start(test_memory *memory, int64_t fail_at);

/// A parallel loop on plain pthreads (libgomp is not instrumented).
lf_tasks test_tasks(int threads);

/// A mesh, and the ground that it is.
typedef struct test_place {
    lf_mesh *mesh;
    const lf_ground *ground;
} test_place;

/// Make one, or fail with the mesh's own words.
test_place test_place_make(const lf_mesh_def *def);
void test_place_drop(test_place place);

/// A path in the real test data, in a static buffer; NULL (and a line on stderr that says what is skipped) without it.
const char *test_data(const char *relative);

/// Run `attempt` with the allocator failing at the first, second, ... allocation until it succeeds; asserts that
/// each failure is LF_NO_MEMORY and that nothing leaks. attempt gets a host with the failing allocator.
void test_out_of_memory(lf_status (*attempt)(const lf_host *host, void *user), void *user);

#endif
