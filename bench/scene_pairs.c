/// Which boxes touch, step by step: landfall, Bullet and FCL on the same films.
#include "scene.h"

#include <stdlib.h>
#include <string.h>

enum { TRACKERS = 3 };

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/// Steps in which a peer's pairs are not landfall's.
static int64_t differences(scene_tracker trackers[TRACKERS], int64_t steps) {
    int64_t different = 0;
    for (int64_t step = 0; step < steps; step++) {
        for (int i = 0; i < TRACKERS; i++) {
            scene_tracker *tracker = &trackers[i];
            scene_tracker_step(tracker, scene_tracker_frame(tracker));
            qsort(tracker->keys, (size_t)tracker->count, sizeof *tracker->keys, ascending);
        }
        for (int i = 1; i < TRACKERS; i++)
            different +=
                trackers[i].count != trackers[0].count ||
                memcmp(trackers[i].keys, trackers[0].keys, (size_t)trackers[0].count * sizeof(uint64_t)) != 0;
    }
    return different;
}

/// A race on one world; the bar is the ratio to the better peer.
static void race(scene_world *world, double wanted, int64_t steps, bench_table *table, bench_report *report) {
    if (!bench_wanted(report, world->name)) {
        scene_world_close(world);
        return;
    }
    const movers_kind *kinds[TRACKERS] = {NULL, movers_bullet(), movers_fcl()};
    scene_tracker trackers[TRACKERS];
    bench_contestant contestants[TRACKERS];
    bench_times times;
    char bar[64];
    if (report->quick)
        steps = steps / 10 + 2;
    for (int i = 0; i < TRACKERS; i++) {
        scene_tracker_open(&trackers[i], world, kinds[i], steps);
        contestants[i] =
            (bench_contestant){i == 0 ? "landfall" : kinds[i]->name, NULL, scene_tracker_run, &trackers[i]};
    }
    int64_t wrong = differences(trackers, steps < 50 ? steps : 50);
    bench_race(contestants, TRACKERS, report->rounds, true, &times);
    bench_table_row(table);
    bench_table_cell(table, "%s", world->name);
    bench_table_cell(table, "%.1f", (double)trackers[0].sum / (double)steps / (report->rounds + 1));
    for (int i = 0; i < TRACKERS; i++)
        bench_table_cell(table, "%.0f", 1e9 * times.seconds[i] / (double)steps);
    bench_table_cell(table, "%.1f", 1e9 * times.seconds[0] / (double)steps / (double)world->movers);
    double ratio = times.ratio[1] < times.ratio[2] ? times.ratio[1] : times.ratio[2];
    bench_table_cell(table, "%.1f", ratio);
    bench_table_cell(table, "%lld", (long long)wrong);
    snprintf(bar, sizeof bar, "scene-pairs-%s", world->name);
    bench_bar(report, bar, ratio, wanted);
    snprintf(bar, sizeof bar, "scene-same-pairs-%s", world->name);
    bench_bar(report, bar, wrong == 0, 1);
    for (int i = 0; i < TRACKERS; i++)
        scene_tracker_close(&trackers[i]);
    scene_world_close(world);
}

void scene_pairs(bench_report *report) {
    static const char *const heads[] = {"movers",   "pairs", "landfall ns",       "Bullet dbvt", "FCL tree",
                                        "ns/mover", "ratio", "steps that differ", NULL};
    bench_table table;
    scene_world world;
    bench_table_start(&table, "boxes that move: nanoseconds per step, moving all and listing all pairs",
                      heads);
    for (int64_t movers = 10; movers <= 40; movers += 10) {
        scene_world_space(&world, movers);
        race(&world, 5, 2000, &table, report);
    }
    static const int64_t walkers[3] = {1, 5, 10};
    for (int i = 0; i < 3; i++) {
        scene_world_maze(&world, walkers[i]);
        race(&world, walkers[i] < 10 ? 3 : 5, 4000, &table, report);
    }
    scene_world_crowd(&world, 1000);
    race(&world, 5, 100, &table, report);
    scene_world_crowd(&world, 10000);
    race(&world, 5, 30, &table, report);
    if (!report->quick) {
        scene_world_crowd(&world, 100000);
        race(&world, 3, 12, &table, report);
    }
    bench_table_end(&table, report);
}

// ---------------------------------------------------------------------------------------------------
// Does it slow down?
// ---------------------------------------------------------------------------------------------------

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { WINDOWS = 9 };

/// An old set and a fresh one on the same boxes, a hundred steps by turns; the fresh one has had ten steps to take its memory.
static void compare_ages(scene_tracker *old, scene_world *world, double *seconds_old, double *seconds_fresh) {
    scene_tracker fresh;
    scene_tracker_open(&fresh, world, NULL, 1);
    *seconds_old = *seconds_fresh = 0;
    for (int i = 0; i < 110; i++) {
        scene_world_step(world);
        for (int turn = 0; turn < 2; turn++) {
            bool is_old = (turn + i) % 2;
            double start = bench_clock();
            scene_tracker_step(is_old ? old : &fresh, world->boxes);
            double taken = bench_clock() - start;
            if (i >= 10)
                *(is_old ? seconds_old : seconds_fresh) += taken / 100;
        }
    }
    if (old->count != fresh.count)
        bench_stop("an old set finds %lld pairs and a fresh one %lld", (long long)old->count,
                   (long long)fresh.count);
    scene_tracker_close(&fresh);
}

static void decay(scene_world *world, bench_table *table, bench_report *report) {
    scene_tracker tracker;
    char bar[64];
    double old[WINDOWS], fresh[WINDOWS], ratio[WINDOWS];
    int64_t steps = report->quick ? 500 : 10000;
    scene_tracker_open(&tracker, world, NULL, 1);
    for (int64_t i = 0; i < steps; i++) {
        scene_world_step(world);
        scene_tracker_step(&tracker, world->boxes);
    }
    for (int i = 0; i < WINDOWS; i++) {
        compare_ages(&tracker, world, &old[i], &fresh[i]);
        ratio[i] = fresh[i] / old[i];
    }
    qsort(old, WINDOWS, sizeof *old, by_value);
    qsort(fresh, WINDOWS, sizeof *fresh, by_value);
    qsort(ratio, WINDOWS, sizeof *ratio, by_value);
    bench_table_row(table);
    bench_table_cell(table, "%s", world->name);
    bench_table_cell(table, "%.2f", 1e6 * fresh[WINDOWS / 2]);
    bench_table_cell(table, "%.2f", 1e6 * old[WINDOWS / 2]);
    bench_table_cell(table, "%.2f", 1 / ratio[WINDOWS / 2]);
    snprintf(bar, sizeof bar, "scene-no-decay-%s", world->name);
    bench_bar(report, bar, ratio[WINDOWS / 2], 1 / 1.2);
    scene_tracker_close(&tracker);
    scene_world_close(world);
}

void scene_decay(bench_report *report) {
    static const char *const heads[] = {"movers", "first 100, us", "after 10,000, us", "ratio", NULL};
    bench_table table;
    scene_world world;
    bench_table_start(&table, "time per step, of the first 100 and after 10,000, on the same boxes", heads);
    scene_world_space(&world, 40);
    decay(&world, &table, report);
    scene_world_maze(&world, 10);
    decay(&world, &table, report);
    scene_world_crowd(&world, 1000);
    decay(&world, &table, report);
    if (!report->quick) {
        scene_world_crowd(&world, 10000);
        decay(&world, &table, report);
    }
    bench_table_end(&table, report);
}
