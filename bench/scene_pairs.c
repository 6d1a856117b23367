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
            scene_tracker_step(tracker, scene_world_frame(tracker->world, tracker->step++));
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
        scene_world_room(&world, movers);
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

/// The mean time of a hundred steps, as the median of ten lots of ten: what else the machine does falls out.
static double time_steps(scene_tracker *tracker, scene_world *world, int64_t each) {
    double lots[10];
    for (int lot = 0; lot < 10; lot++) {
        lots[lot] = 0;
        for (int64_t i = 0; i < each; i++) {
            scene_world_step(world);
            double start = bench_clock();
            scene_tracker_step(tracker, world->boxes);
            lots[lot] += (bench_clock() - start) / (double)each;
        }
    }
    qsort(lots, 10, sizeof *lots, by_value);
    return 0.5 * (lots[4] + lots[5]);
}

static void decay(scene_world *world, bench_table *table, bench_report *report) {
    scene_tracker tracker;
    char bar[64];
    int64_t steps = report->quick ? 500 : 10000;
    scene_tracker_open(&tracker, world, NULL, 1);
    for (int i = 0; i < 10; i++) { // the first questions take memory
        scene_world_step(world);
        scene_tracker_step(&tracker, world->boxes);
    }
    double first = time_steps(&tracker, world, 10);
    for (int64_t i = 0; i < steps - 200; i++) {
        scene_world_step(world);
        scene_tracker_step(&tracker, world->boxes);
    }
    double last = time_steps(&tracker, world, 10);
    bench_table_row(table);
    bench_table_cell(table, "%s", world->name);
    bench_table_cell(table, "%.2f", 1e6 * first);
    bench_table_cell(table, "%.2f", 1e6 * last);
    bench_table_cell(table, "%.2f", last / first);
    snprintf(bar, sizeof bar, "scene-no-decay-%s", world->name);
    bench_bar(report, bar, first / last, 1 / 1.2);
    scene_tracker_close(&tracker);
    scene_world_close(world);
}

void scene_decay(bench_report *report) {
    static const char *const heads[] = {"movers", "first 100, us", "last 100, us", "last / first", NULL};
    bench_table table;
    scene_world world;
    bench_table_start(&table, "time per step at the start and after 10,000 steps", heads);
    scene_world_room(&world, 40);
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
