/// Fair timing: contestants in turns, processor time, medians.
#include "support.h"

#include <stdlib.h>
#include <time.h>

double bench_clock(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0)
        bench_stop("this system has no processor clock");
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// Time as people feel it.
static double wall_clock(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        bench_stop("this system has no clock");
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double time_pass(const bench_contestant *contestant, double *real) {
    if (contestant->prepare)
        contestant->prepare(contestant->user);
    double wall = wall_clock(), start = bench_clock();
    contestant->run(contestant->user);
    double used = bench_clock() - start;
    *real = wall_clock() - wall;
    return used;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// The value at a share (0 to 1) of a sorted list, between neighbours where it falls between them.
static double quantile(const double *sorted, int count, double share) {
    double place = share * (count - 1);
    int below = (int)place;
    int above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}

/// Medians of one contestant's passes, and of the ratios taken round by round: a slow moment of the machine
/// falls on both sides of a ratio.
static void summarize(const double *passes, const double *first, int rounds, bench_times *times, int who) {
    double sorted[BENCH_ROUNDS_MAX];
    for (int round = 0; round < rounds; round++)
        sorted[round] = passes[round] / first[round];
    qsort(sorted, (size_t)rounds, sizeof *sorted, ascending);
    times->ratio[who] = quantile(sorted, rounds, 0.5);
    for (int round = 0; round < rounds; round++)
        sorted[round] = passes[round];
    qsort(sorted, (size_t)rounds, sizeof *sorted, ascending);
    times->seconds[who] = quantile(sorted, rounds, 0.5);
    times->spread[who] =
        0.5 * (quantile(sorted, rounds, 0.75) - quantile(sorted, rounds, 0.25)) / times->seconds[who];
}

void bench_race(const bench_contestant *contestants, int count, int rounds, bool warm, bench_times *times) {
    static double passes[BENCH_CONTESTANTS_MAX][BENCH_ROUNDS_MAX],
        real[BENCH_CONTESTANTS_MAX][BENCH_ROUNDS_MAX];
    if (count > BENCH_CONTESTANTS_MAX || rounds > BENCH_ROUNDS_MAX)
        bench_stop("a race of %d contestants and %d rounds is too large", count, rounds);
    for (int who = 0; warm && who < count; who++)
        time_pass(&contestants[who], &real[who][0]);
    for (int round = 0; round < rounds; round++)
        for (int turn = 0; turn < count; turn++) {
            int who = (turn + round) % count;
            passes[who][round] = time_pass(&contestants[who], &real[who][round]);
        }
    for (int who = 0; who < count; who++) {
        summarize(passes[who], passes[0], rounds, times, who);
        qsort(real[who], (size_t)rounds, sizeof *real[who], ascending);
        times->real[who] = quantile(real[who], rounds, 0.5);
    }
}
