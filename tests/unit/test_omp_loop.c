// The parallel loop of landfall-omp: every index once, workers of their own, loops in loops and from several
// threads, after a fork.
#include "support.h"
#include <landfall/omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define INDICES 20000
#define WORKERS 4

typedef struct counted {
    _Atomic int times[INDICES];
    _Atomic int inside[WORKERS]; ///< ranges that run with this worker number
    _Atomic int faults;
    const lf_tasks *inner; ///< for a loop in each range, or NULL
    _Atomic int64_t sum;
} counted;

static void add_range(void *job, int64_t first, int64_t last, int worker) {
    counted *counted = job;
    (void)worker;
    atomic_fetch_add(&counted->sum, last - first);
}

static void count_range(void *job, int64_t first, int64_t last, int worker) {
    counted *counted = job;
    if (worker < 0 || worker >= WORKERS || atomic_fetch_add(&counted->inside[worker], 1) != 0)
        atomic_fetch_add(&counted->faults, 1);
    for (int64_t i = first; i < last; i++) {
        atomic_fetch_add(&counted->times[i], 1);
        for (volatile int k = 0; k < 200; k++)
            ; // long enough that threads meet
    }
    if (counted->inner)
        counted->inner->run(counted->inner->user, 10, 3, add_range, counted);
    if (worker >= 0 && worker < WORKERS)
        atomic_fetch_sub(&counted->inside[worker], 1);
}

/// Faults of a loop over INDICES in ranges of `grain`.
static int run_counted(int64_t grain, bool nested) {
    counted *counted = test_space(1, sizeof *counted);
    lf_tasks tasks = lf_tasks_openmp(WORKERS);
    counted->inner = nested ? &tasks : NULL;
    tasks.run(tasks.user, INDICES, grain, count_range, counted);
    int faults = counted->faults;
    for (int i = 0; i < INDICES; i++)
        faults += counted->times[i] != 1;
    if (nested)
        faults += counted->sum != 10 * ((INDICES + grain - 1) / grain);
    free(counted);
    return faults;
}

static void every_index_once(void **state) {
    (void)state;
    for (int round = 0; round < 40; round++)
        assert_int_equal(run_counted(1 + round * 37 % 500, false), 0);
}

static void loops_in_loops(void **state) {
    (void)state;
    for (int round = 0; round < 20; round++)
        assert_int_equal(run_counted(50, true), 0);
}

/// With pauses after which threads still look for work, or are about to sleep, or sleep; with more workers than parts.
static void loops_with_pauses(void **state) {
    (void)state;
    static const int pauses[] = {0, 20, 50, 60, 1000}; // microseconds
    static const int workers[] = {2, 3, 16, 17, 40};
    counted *counted = test_space(1, sizeof *counted);
    int64_t expected = 0;
    for (int round = 0; round < 500; round++) {
        lf_tasks tasks = lf_tasks_openmp(workers[round % 5]);
        int64_t count = 1 + round % 97;
        tasks.run(tasks.user, count, 1 + round % 3, add_range, counted);
        expected += count;
        assert_int_equal(counted->sum, expected);
        nanosleep(&(struct timespec){.tv_nsec = pauses[round / 5 % 5] * 1000}, NULL);
    }
    free(counted);
}

static void *run_some(void *faults) {
    for (int round = 0; round < 20; round++)
        *(int *)faults += run_counted(64, round % 2 == 0);
    return NULL;
}

static void loops_of_several_threads(void **state) {
    (void)state;
    pthread_t threads[3];
    int faults[3] = {0};
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_some, &faults[i]), 0);
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(faults[i], 0);
    }
}

static void loops_after_a_fork(void **state) {
    (void)state;
    int status = -1;
#if defined(__SANITIZE_THREAD__)
    print_message("skipped: threads after a fork, which the thread sanitizer does not support\n");
    return;
#endif
    assert_int_equal(run_counted(50, false), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(run_counted(50, false) == 0 ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void number_of_threads(void **state) {
    (void)state;
    assert_int_equal(lf_tasks_openmp(3).workers, 3);
    assert_true(lf_tasks_openmp(0).workers >= 1);
    assert_true(lf_tasks_openmp(1 << 20).workers <= 1024);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_index_once),   cmocka_unit_test(loops_in_loops),
        cmocka_unit_test(loops_with_pauses),  cmocka_unit_test(loops_of_several_threads),
        cmocka_unit_test(loops_after_a_fork), cmocka_unit_test(number_of_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
