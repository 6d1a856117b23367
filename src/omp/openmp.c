/// The parallel loop of lf_tasks on OpenMP.
#define _POSIX_C_SOURCE 200809L // clock_gettime
#include <landfall/omp.h>
#include <omp.h>
#include <stdatomic.h>
#include <time.h>

/// Nanoseconds of processor time of loops that a process works on without further threads. Threads of libgomp that wait spin for
/// milliseconds: those of a command that loads a small ground and answers one question took two thirds of its time.
#define ALONE 20000000

static _Atomic int64_t spent;

/// Processor time of the calling thread in nanoseconds.
static int64_t now(void) {
    struct timespec time = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/// Run shares on the calling thread as long as that lasts; returns the first index that is left.
static int64_t run_alone(int64_t count, int64_t step, lf_task *task, void *job) {
    int64_t done = 0, left = ALONE - atomic_load_explicit(&spent, memory_order_relaxed);
    if (left <= 0)
        return 0;
    int64_t start = now(), took = 0;
    while (done < count && took < left) {
        int64_t last = done + step < count ? done + step : count;
        task(job, done, last, 0);
        done = last;
        took = now() - start;
    }
    atomic_fetch_add_explicit(&spent, took, memory_order_relaxed);
    return done;
}

static void run(void *user, int64_t count, int64_t grain, lf_task *task, void *job) {
    int threads = (int)(intptr_t)user;
    int64_t step = grain > 0 ? grain : 1, done = run_alone(count, step, task, job);
    int64_t shares = (count - done + step - 1) / step;
    if (shares < 1)
        return;
    if (shares < threads)
        threads = (int)shares;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int64_t share = 0; share < shares; share++) {
        int64_t first = done + share * step;
        int64_t last = first + step < count ? first + step : count;
        task(job, first, last, omp_get_thread_num());
    }
}

lf_tasks lf_tasks_openmp(int threads) {
    int workers = threads > 0 ? threads : omp_get_max_threads();
    lf_tasks tasks = {(void *)(intptr_t)workers, workers, run};
    return tasks;
}
