/// The parallel loop of lf_tasks: as many threads as OpenMP would use, which wait without using a processor.
///
/// Threads of libgomp that wait spin for milliseconds: on a machine whose processors are busy they take the time of those
/// that work, and two threads were slower than one. So the threads are landfall's own. They sleep soon after a loop, take
/// ranges as they become free, and a loop waits only for those that have joined it: a thread that the system has not
/// scheduled yet delays nobody.
#define _POSIX_C_SOURCE 200809L // clock_gettime
#include <landfall/omp.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/// Nanoseconds of processor time of loops that a process works on without further threads: a short program starts none.
#define ALONE 2000000

/// Nanoseconds for which a thread that has nothing to do looks for work before it sleeps: the loops of a question follow each
/// other, and a processor that has gone to sleep takes as long to wake.
#define WATCH 50000

#define MOST_THREADS 1024

/// Parts of a loop, at most.
#define PARTS 16

/// Shares in a row, of which a thread takes those that are left. On a cache line of its own.
typedef struct part {
    _Alignas(64) _Atomic int64_t next;
    int64_t end;
} part;

/// A loop being run. Its fields are read by those who have joined it.
typedef struct loop {
    lf_task *task;
    void *job;
    int64_t first, count, step, shares;
    part parts[PARTS];
    int part_count;
    int workers;           ///< most that may join, the caller included
    int joined;            ///< the caller included
    _Atomic unsigned busy; ///< joined, and not yet finished, without the caller
} loop;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    loop *loop;            ///< NULL: none
    int threads;           ///< that exist
    int asleep;            ///< of these
    int owners_asleep;     ///< threads that have started a loop and wait for its end
    _Atomic unsigned news; ///< grows with each loop
} pool = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};

static _Atomic int64_t spent;

static void work_on_part(loop *loop, part *part, int worker) {
    int64_t share;
    while (atomic_load_explicit(&part->next, memory_order_relaxed) < part->end &&
           (share = atomic_fetch_add_explicit(&part->next, 1, memory_order_relaxed)) < part->end) {
        int64_t first = loop->first + share * loop->step;
        loop->task(loop->job, first, first + loop->step < loop->count ? first + loop->step : loop->count,
                   worker);
    }
}

/// Each thread begins with a part of its own, the same in each loop: what it has written or read in one loop is in its caches in
/// the next. Then it helps with the others.
static void work_on(loop *loop, int worker, int thread) {
    for (int k = 0; k < loop->part_count; k++)
        work_on_part(loop, &loop->parts[(thread + k) % loop->part_count], worker);
}

/// Cut a loop into as many parts as there are workers, at most PARTS.
static void cut_into_parts(loop *loop) {
    loop->part_count = loop->workers < PARTS ? loop->workers : PARTS;
    int64_t begin = 0;
    for (int k = 0; k < loop->part_count; k++) {
        int64_t end = begin + (loop->shares - begin) / (loop->part_count - k);
        atomic_init(&loop->parts[k].next, begin);
        loop->parts[k].end = begin = end;
    }
}

/// Nanoseconds of a clock.
static int64_t now(clockid_t clock) {
    struct timespec time = {0};
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/// Look at a number for a while, until it is a value or (`until` is false) another one; who else needs the processor gets it.
static bool watch(_Atomic unsigned *number, unsigned value, bool until) {
    int64_t end = now(CLOCK_MONOTONIC) + WATCH;
    while ((atomic_load_explicit(number, memory_order_acquire) == value) != until) {
        if (now(CLOCK_MONOTONIC) > end)
            return false;
        sched_yield();
    }
    return true;
}

/// A thread of the pool: joins loops, and sleeps while there is none. After a loop it first looks whether there is another soon.
static void *pool_thread(void *number) {
    bool watched = true;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        loop *here = pool.loop;
        if (!here || here->joined == here->workers) {
            unsigned old = atomic_load_explicit(&pool.news, memory_order_relaxed);
            if (!watched) {
                pthread_mutex_unlock(&pool.lock);
                watched = !watch(&pool.news, old, false);
                pthread_mutex_lock(&pool.lock);
            } else {
                pool.asleep++;
                pthread_cond_wait(&pool.work, &pool.lock);
                pool.asleep--;
            }
            continue;
        }
        int worker = here->joined++;
        atomic_fetch_add_explicit(&here->busy, 1, memory_order_relaxed);
        pthread_mutex_unlock(&pool.lock);
        work_on(here, worker, (int)(intptr_t)number);
        pthread_mutex_lock(&pool.lock);
        if (atomic_fetch_sub_explicit(&here->busy, 1, memory_order_release) == 1 && pool.owners_asleep > 0)
            pthread_cond_broadcast(&pool.done);
        watched = false;
    }
    return NULL;
}

/// A process that was forked has none of the threads.
static void forget_threads(void) {
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.work, NULL);
    pthread_cond_init(&pool.done, NULL);
    pool.loop = NULL;
    pool.threads = pool.asleep = pool.owners_asleep = 0;
}

static void watch_forks(void) {
    pthread_atfork(NULL, NULL, forget_threads);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

/// Start threads that are missing; fewer will do. The pool is locked.
static void start_threads(int wanted) {
    pthread_attr_t detached;
    pthread_t thread;
    if (pool.threads >= wanted || pthread_attr_init(&detached) != 0)
        return;
    pthread_once(&once, watch_forks);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    while (pool.threads < wanted &&
           pthread_create(&thread, &detached, pool_thread, (void *)(intptr_t)(pool.threads + 1)) == 0)
        pool.threads++;
    pthread_attr_destroy(&detached);
}

/// Wait for those who have joined a loop.
static void sleep_until_done(loop *loop) {
    pthread_mutex_lock(&pool.lock);
    pool.owners_asleep++;
    while (atomic_load_explicit(&loop->busy, memory_order_acquire) > 0)
        pthread_cond_wait(&pool.done, &pool.lock);
    pool.owners_asleep--;
    pthread_mutex_unlock(&pool.lock);
}

/// Run a loop with the pool. Where another loop has it, also one that this is part of, the calling thread is alone.
static void run_together(loop *loop) {
    pthread_mutex_lock(&pool.lock);
    bool mine = !pool.loop && loop->workers > 1 && loop->shares > 1;
    if (mine) {
        start_threads(loop->workers - 1);
        pool.loop = loop;
        atomic_fetch_add_explicit(&pool.news, 1, memory_order_release);
        if (pool.asleep > 0)
            pthread_cond_broadcast(&pool.work);
    }
    pthread_mutex_unlock(&pool.lock);
    work_on(loop, 0, 0);
    if (!mine)
        return;
    pthread_mutex_lock(&pool.lock);
    pool.loop = NULL; // nobody else joins
    pthread_mutex_unlock(&pool.lock);
    if (!watch(&loop->busy, 0, true))
        sleep_until_done(loop);
}

/// Run shares on the calling thread as long as that lasts; returns the first index that is left.
static int64_t run_alone(int64_t count, int64_t step, lf_task *task, void *job) {
    int64_t done = 0, left = ALONE - atomic_load_explicit(&spent, memory_order_relaxed);
    if (left <= 0)
        return 0;
    int64_t start = now(CLOCK_THREAD_CPUTIME_ID), took = 0;
    while (done < count && took < left) {
        int64_t last = done + step < count ? done + step : count;
        task(job, done, last, 0);
        done = last;
        took = now(CLOCK_THREAD_CPUTIME_ID) - start;
    }
    atomic_fetch_add_explicit(&spent, took, memory_order_relaxed);
    return done;
}

static void run(void *user, int64_t count, int64_t grain, lf_task *task, void *job) {
    int64_t step = grain > 0 ? grain : 1, done = run_alone(count, step, task, job);
    int64_t shares = (count - done + step - 1) / step;
    if (shares < 1)
        return;
    int threads = (int)(intptr_t)user;
    loop loop = {.task = task,
                 .job = job,
                 .first = done,
                 .count = count,
                 .step = step,
                 .shares = shares,
                 .workers = shares < threads ? (int)shares : threads,
                 .joined = 1};
    cut_into_parts(&loop);
    run_together(&loop);
}

// ---------------------------------------------------------------------------------------------------
// How many threads
// ---------------------------------------------------------------------------------------------------

/// A number in a file of a control group; 0: the file is not there, or begins with another word ("max").
static long long group_number(const char *folder, const char *path, const char *file_name, int which) {
    char name[4200];
    long long numbers[2] = {0, 0};
    if (snprintf(name, sizeof name, "/sys/fs/cgroup%s%s/%s", folder, path, file_name) >= (int)sizeof name)
        return 0;
    FILE *file = fopen(name, "r");
    int read = file ? fscanf(file, "%lld %lld", &numbers[0], &numbers[1]) : 0;
    if (file)
        fclose(file);
    return read > which ? numbers[which] : 0;
}

/// Processors that a control group allows, rounded up; 0: no limit. `path` is that of its folder.
static int group_limit(const char *folder, const char *path) {
    bool first = folder[0];
    long long quota = first ? group_number(folder, path, "cpu.cfs_quota_us", 0)
                            : group_number(folder, path, "cpu.max", 0),
              period = first ? group_number(folder, path, "cpu.cfs_period_us", 0)
                             : group_number(folder, path, "cpu.max", 1);
    return quota > 0 && period > 0 ? (int)((quota + period - 1) / period) : 0;
}

/// The least of the limits of a group and those above it. Takes `path` apart.
static int groups_above(const char *folder, char *path) {
    int least = 0;
    for (;;) {
        int limit = group_limit(folder, path);
        least = limit > 0 && (least == 0 || limit < least) ? limit : least;
        char *slash = strrchr(path, '/');
        if (!slash || !*path)
            return least;
        *slash = '\0';
    }
}

/// The least of the limits of this process's groups. In version 1 of control groups the list has lines "4:cpu,cpuacct:/PATH",
/// and a folder for each set of controllers; in version 2 one line "0::/PATH".
static int groups_limit(void) {
    char line[4096], folder[256];
    int least = 0;
    FILE *file = fopen("/proc/self/cgroup", "r");
    while (file && fgets(line, sizeof line, file)) {
        char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = '\0';
        path[strcspn(path, "\n")] = '\0';
        snprintf(folder, sizeof folder, "%s%s", names[1] ? "/" : "", names + 1);
        int limit = groups_above(folder, path);
        least = limit > 0 && (least == 0 || limit < least) ? limit : least;
    }
    if (file)
        fclose(file);
    return least;
}

/// OpenMP knows OMP_NUM_THREADS, and the processors that the process may run on.
static int usual_threads(void) {
    int most = omp_get_max_threads(), limit = getenv("OMP_NUM_THREADS") ? 0 : groups_limit();
    return limit > 0 && limit < most ? limit : most;
}

lf_tasks lf_tasks_openmp(int threads) {
    int workers = threads > 0 ? threads : usual_threads();
    workers = workers < MOST_THREADS ? workers : MOST_THREADS;
    lf_tasks tasks = {(void *)(intptr_t)workers, workers, run};
    return tasks;
}
