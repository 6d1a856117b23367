/// The parallel loop of lf_tasks on OpenMP.
#include <landfall/omp.h>
#include <omp.h>

static void run(void *user, int64_t count, int64_t grain, lf_task *task, void *job) {
    int threads = (int)(intptr_t)user;
    int64_t shares = grain > 0 ? (count + grain - 1) / grain : count;
    int64_t step = grain > 0 ? grain : 1;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int64_t share = 0; share < shares; share++) {
        int64_t first = share * step;
        int64_t last = first + step < count ? first + step : count;
        task(job, first, last, omp_get_thread_num());
    }
}

lf_tasks lf_tasks_openmp(int threads) {
    int workers = threads > 0 ? threads : omp_get_max_threads();
    lf_tasks tasks = {(void *)(intptr_t)workers, workers, run};
    return tasks;
}
