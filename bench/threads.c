/// Two threads against one: viewsheds and batches, on a machine that is idle and on one whose cores are all busy.
///
/// By the clock on the wall, which is what a person waits for; one and two threads take turns. Idle: the best of some rounds each.
/// Busy: medians; as many other processes as there are cores compute all the time. Two threads must not be slower than one then.
#include "field.h"
#include "support.h"

#include <landfall/landfall.h>
#include <landfall/omp.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SAMPLES 4097
#define MOST_CORES 64
#define LIMIT_SECONDS 100 // after which what keeps the cores busy ends by itself

typedef struct thread_bench {
    bench_field field;
    lf_grid *grid;
    lf_vec2 low, middle; ///< the lowest sample of the middle, and the middle
    bench_rays rays;
    lf_hit *hits[2];
    lf_vec3 *a, *b; ///< ends of lines
    int64_t line_count;
    uint8_t *verdicts[2];
    double *heights[2];
    uint8_t *seen[2];
    const lf_tasks *tasks;
    int answer; ///< 0: of one thread, 1: of two
} thread_bench;

static double clock_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void must(lf_status status) {
    if (status != LF_OK)
        bench_stop("a question failed: %s", lf_status_text(status));
}

// ---------------------------------------------------------------------------------------------------
// Questions
// ---------------------------------------------------------------------------------------------------

static void see(thread_bench *t, lf_vec2 at, double height) {
    lf_viewshed_def def = lf_viewshed_def_default();
    lf_observer observer = {at, height, false};
    def.host.tasks = t->tasks;
    must(lf_viewshed_visible(lf_grid_ground(t->grid), &def, &observer, lf_grid_window(t->grid),
                             t->seen[t->answer], 0, NULL, NULL));
}

static void see_from_valley(thread_bench *t) {
    see(t, t->low, 2);
}

static void see_from_above(thread_bench *t) {
    see(t, t->middle, 3000);
}

static void ask_rays(thread_bench *t) {
    must(lf_ground_ray_first_many(lf_grid_ground(t->grid), t->rays.rays, 0, t->rays.count, t->hits[t->answer],
                                  0, t->tasks));
}

static void ask_lines(thread_bench *t) {
    lf_sight_rules rules = lf_sight_rules_default();
    must(lf_sight_verdicts(lf_grid_ground(t->grid), &rules, t->a, 0, t->b, 0, t->line_count,
                           t->verdicts[t->answer], t->tasks));
}

static void ask_heights(thread_bench *t) {
    must(lf_ground_heights_many(lf_grid_ground(t->grid), t->a, 0, t->line_count, LF_VERTICAL_DOWN,
                                t->heights[t->answer], 0, t->tasks));
}

typedef struct thread_question {
    const char *name;
    void (*ask)(thread_bench *t);
    int repeat; ///< in one measurement
} thread_question;

static const thread_question questions[] = {{"viewshed from a valley", see_from_valley, 8},
                                            {"viewshed from 3000 m up", see_from_above, 1},
                                            {"rays", ask_rays, 1},
                                            {"lines of sight", ask_lines, 1},
                                            {"heights", ask_heights, 4}};
#define QUESTIONS ((int)(sizeof questions / sizeof *questions))

static void open_questions(thread_bench *t, bool quick) {
    int64_t samples = quick ? 1025 : SAMPLES, lowest = -1;
    bench_random random = {11};
    bench_field_landscape(&t->field, LF_LANDSCAPE_MOUNTAINS, samples);
    t->grid = bench_field_grid(&t->field);
    for (int64_t j = samples / 4; j < 3 * samples / 4; j++)
        for (int64_t i = samples / 4; i < 3 * samples / 4; i++)
            if (lowest < 0 || t->field.heights[j * samples + i] < t->field.heights[lowest])
                lowest = j * samples + i;
    t->low =
        (lf_vec2){BENCH_SPACING * (double)(lowest % samples), BENCH_SPACING * (double)(lowest / samples)};
    t->middle = (lf_vec2){BENCH_SPACING * (double)(samples / 2), BENCH_SPACING * (double)(samples / 2)};
    bench_field_rays(&t->field, BENCH_RANDOM, quick ? 20000 : 200000, &t->rays);
    t->line_count = quick ? 20000 : 400000;
    t->a = bench_take((size_t)t->line_count, sizeof *t->a);
    t->b = bench_take((size_t)t->line_count, sizeof *t->b);
    double extent = bench_field_extent(&t->field);
    for (int64_t k = 0; k < t->line_count; k++) {
        for (int end = 0; end < 2; end++) {
            double x = bench_random_between(&random, 0, extent), y = bench_random_between(&random, 0, extent);
            int64_t at = (int64_t)(y / BENCH_SPACING) * samples + (int64_t)(x / BENCH_SPACING);
            *(end ? &t->b[k] : &t->a[k]) = (lf_vec3){x, y, (double)t->field.heights[at] + 100};
        }
    }
    for (int k = 0; k < 2; k++) {
        t->hits[k] = bench_take((size_t)t->rays.count, sizeof **t->hits);
        t->verdicts[k] = bench_take((size_t)t->line_count, 1);
        t->heights[k] = bench_take((size_t)t->line_count, sizeof **t->heights);
        t->seen[k] = bench_take((size_t)(samples * samples), 1);
    }
}

static void close_questions(thread_bench *t) {
    for (int k = 0; k < 2; k++) {
        free(t->seen[k]);
        free(t->heights[k]);
        free(t->verdicts[k]);
        free(t->hits[k]);
    }
    free(t->b);
    free(t->a);
    bench_rays_close(&t->rays);
    lf_grid_destroy(t->grid);
    bench_field_close(&t->field);
}

// ---------------------------------------------------------------------------------------------------
// Measuring
// ---------------------------------------------------------------------------------------------------

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// How many times faster two threads are; seconds of one.
static double gain(thread_bench *t, const thread_question *q, int rounds, bool busy, double *one) {
    lf_tasks two = lf_tasks_openmp(2);
    double times[2][BENCH_ROUNDS_MAX];
    for (int k = -2; k < 2 * rounds; k++) {
        int threads = k & 1;
        t->answer = threads;
        t->tasks = threads ? &two : NULL;
        double start = clock_now();
        for (int n = 0; n < q->repeat; n++)
            q->ask(t);
        if (k == -1)
            usleep(20000); // at real-time priority a new thread waits until this one sleeps
        if (k >= 0)
            times[threads][k / 2] = (clock_now() - start) / q->repeat;
    }
    for (int k = 0; k < 2; k++)
        qsort(times[k], (size_t)rounds, sizeof(double), ascending);
    int which = busy ? rounds / 2 : 0;
    *one = times[0][which];
    return times[0][which] / times[1][which];
}

static bool same_answers(const thread_bench *t) {
    size_t samples = (size_t)(t->field.samples * t->field.samples);
    return memcmp(t->seen[0], t->seen[1], samples) == 0 &&
           memcmp(t->verdicts[0], t->verdicts[1], (size_t)t->line_count) == 0 &&
           memcmp(t->heights[0], t->heights[1], (size_t)t->line_count * sizeof **t->heights) == 0 &&
           memcmp(t->hits[0], t->hits[1], (size_t)t->rays.count * sizeof **t->hits) == 0;
}

/// A process that computes until it is ended, or for LIMIT_SECONDS.
static pid_t keep_busy(void) {
    pid_t child = fork();
    if (child == 0) {
        alarm(LIMIT_SECONDS);
        for (volatile uint64_t k = 0;;)
            k++;
    }
    if (child < 0)
        bench_stop("no process to keep a core busy");
    return child;
}

typedef struct thread_gains {
    double one[QUESTIONS], ratio[QUESTIONS];
    bool same;
} thread_gains;

/// In a process of its own, at ordinary priority: the threads of a pool keep the one that they began with.
static void measure_busy(thread_bench *t, int rounds, thread_gains *gains) {
    int ends[2], cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    pid_t busy[MOST_CORES];
    if (pipe(ends) != 0)
        bench_stop("no pipe");
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0});
        for (int k = 0; k < cores && k < MOST_CORES; k++)
            busy[k] = keep_busy();
        for (int k = 0; k < QUESTIONS; k++)
            gains->ratio[k] = gain(t, &questions[k], rounds, true, &gains->one[k]);
        for (int k = 0; k < cores && k < MOST_CORES; k++)
            kill(busy[k], SIGKILL);
        gains->same = same_answers(t);
        _exit(write(ends[1], gains, sizeof *gains) == (ssize_t)sizeof *gains ? 0 : 1);
    }
    close(ends[1]);
    bool fine = child > 0 && read(ends[0], gains, sizeof *gains) == (ssize_t)sizeof *gains;
    close(ends[0]);
    if (child < 0 || waitpid(child, NULL, 0) != child || !fine)
        bench_stop("the busy part got lost");
}

int main(int argc, char **argv) {
    static const char *const heads[] = {"question",     "one thread ms", "two, idle",
                                        "one, busy ms", "two, busy",     NULL};
    static bench_report report; // large
    static bench_table table;
    static thread_bench t;
    thread_gains busy = {.same = true}, idle = {.same = true};
    bench_report_start(&report, argc, argv, "Two threads against one, on idle and on busy cores.");
    printf("landfall %s (%s)\n%s\ntwo threads: times as fast as one, elapsed\n", lf_version(),
           lf_isa_name(lf_isa_best()), bench_machine());
    open_questions(&t, report.quick);
    measure_busy(&t, report.rounds, &busy);
    for (int k = 0; k < QUESTIONS; k++)
        idle.ratio[k] = gain(&t, &questions[k], report.rounds, false, &idle.one[k]);
    bench_table_start(&table, "two threads", heads);
    double least[2] = {INFINITY, INFINITY};
    for (int k = 0; k < QUESTIONS; k++) {
        bench_table_row(&table);
        bench_table_cell(&table, "%s", questions[k].name);
        bench_table_cell(&table, "%.1f", 1e3 * idle.one[k]);
        bench_table_cell(&table, "%.2f", idle.ratio[k]);
        bench_table_cell(&table, "%.1f", 1e3 * busy.one[k]);
        bench_table_cell(&table, "%.2f", busy.ratio[k]);
        least[0] = fmin(least[0], idle.ratio[k]);
        least[1] = fmin(least[1], busy.ratio[k]);
    }
    bench_table_end(&table, &report);
    for (int k = 0; k < QUESTIONS; k++) {
        char name[80];
        snprintf(name, sizeof name, "threads idle %s", questions[k].name);
        bench_bar(&report, name, idle.ratio[k], 1.8);
        snprintf(name, sizeof name, "threads busy %s", questions[k].name);
        bench_bar(&report, name, busy.ratio[k], 0.95);
    }
    bench_bar(&report, "threads idle", least[0], 1.8);
    bench_bar(&report, "threads busy", least[1], 0.95);
    bench_bar(&report, "threads same answers", busy.same && same_answers(&t), 1);
    close_questions(&t);
    return bench_report_end(&report);
}
