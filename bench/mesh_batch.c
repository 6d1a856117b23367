/// A million points in one call: in no order, and sorted.
///
/// Embree writes its answer into its rays, 80 bytes for each. landfall stands here twice: with whole hits (160 bytes) and with bare
/// heights (8 bytes).
#include "mesh.h"

#include <stdlib.h>
#include <string.h>

enum { HITS, HEIGHTS, ONES, PACKETS, ROBUST_PACKETS, BATCHES };

typedef struct mesh_batch_asker {
    const lf_ground *ground;
    bench_embree *embree;
    bench_embree_batch *batch;
    const mesh_points *points;
    lf_hit *hits;
    double *heights;
    bool coherent;
} mesh_batch_asker;

static void ask_hits(void *user) {
    const mesh_batch_asker *asker = user;
    lf_ground_height_many(asker->ground, asker->points->points, 0, asker->points->count, LF_VERTICAL_DOWN,
                          asker->hits, 0, NULL);
}

static void ask_heights(void *user) {
    const mesh_batch_asker *asker = user;
    lf_ground_heights_many(asker->ground, asker->points->points, 0, asker->points->count, LF_VERTICAL_DOWN,
                           asker->heights, 0, NULL);
}

static void reset_embree(void *user) {
    const mesh_batch_asker *asker = user;
    bench_embree_batch_reset(asker->batch);
}

static void ask_embree(void *user) {
    const mesh_batch_asker *asker = user;
    bench_embree_batch_ask(asker->embree, asker->batch, asker->coherent);
}

/// Both forms give the bits of single calls.
static int64_t count_different(const mesh_batch_asker *asker) {
    int64_t different = 0;
    for (int64_t i = 0; i < asker->points->count; i++) {
        lf_hit one;
        const lf_hit *many = &asker->hits[i];
        lf_ground_height(asker->ground, asker->points->points[i], LF_VERTICAL_DOWN, &one, NULL);
        bool met = one.kind != LF_HIT_NONE;
        different +=
            one.kind != many->kind || one.element != many->element || one.reason != many->reason ||
            memcmp(&one.t, &many->t, sizeof one.t) != 0 ||
            memcmp(&one.point, &many->point, sizeof one.point) != 0 ||
            memcmp(&one.normal, &many->normal, sizeof one.normal) != 0 ||
            (met ? memcmp(&one.point.z, &asker->heights[i], sizeof(double)) != 0 : !isnan(asker->heights[i]));
    }
    return different;
}

static void oracle(const mesh_rivals *rivals, const char *name, const mesh_batch_asker askers[],
                   mesh_tables *tables) {
    const mesh_points *points = askers[HITS].points;
    bench_answer *ours = bench_take((size_t)points->count, sizeof *ours);
    bench_answer *peer = bench_take((size_t)points->count, sizeof *peer);
    for (int64_t i = 0; i < points->count; i++)
        ours[i] = mesh_answer(rivals, &askers[HITS].hits[i]);
    bench_embree_batch_answers(askers[PACKETS].batch, peer);
    mesh_oracle(rivals, points, name, ours, peer, tables);
    tables->checked += points->count;
    tables->wrong += count_different(&askers[HITS]);
    free(peer);
    free(ours);
}

static void add_times(bench_table *table, const char *name, const bench_times *times, int64_t count,
                      double best) {
    double spread = 0.0;
    bench_table_row(table);
    bench_table_cell(table, "%s", name);
    for (int i = 0; i < BATCHES; i++) {
        bench_table_cell(table, "%.1f", 1e9 * times->seconds[i] / (double)count);
        spread = times->spread[i] > spread ? times->spread[i] : spread;
    }
    bench_table_cell(table, "%.2f", best);
    bench_table_cell(table, "%.2f", best / times->ratio[HEIGHTS]);
    bench_table_cell(table, "%.0f %%", 100.0 * spread);
}

static void open_askers(mesh_rivals *rivals, const mesh_points *points, bool sorted,
                        mesh_batch_asker askers[BATCHES]) {
    lf_hit *hits = bench_take((size_t)points->count, sizeof *hits);
    double *heights = bench_take((size_t)points->count, sizeof *heights);
    for (int i = 0; i < BATCHES; i++) {
        askers[i] = (mesh_batch_asker){
            .ground = rivals->ground[NEST], .points = points, .hits = hits, .heights = heights};
        if (i < ONES)
            continue;
        askers[i].embree = rivals->embree[i == ROBUST_PACKETS ? ROBUST : HIGH];
        askers[i].coherent = sorted;
        askers[i].batch = bench_embree_batch_make(&points->rays, i == ONES ? 1 : bench_embree_width());
    }
}

static void close_askers(mesh_batch_asker askers[BATCHES]) {
    for (int i = ONES; i < BATCHES; i++)
        bench_embree_batch_close(askers[i].batch);
    free(askers[HITS].heights);
    free(askers[HITS].hits);
}

/// One race; `wanted` times as fast as the better of Embree's two ways.
static void race(mesh_rivals *rivals, const mesh_points *points, bool sorted, bench_report *report,
                 mesh_tables *tables) {
    const char *name = sorted ? "sorted" : "unsorted";
    mesh_batch_asker askers[BATCHES];
    open_askers(rivals, points, sorted, askers);
    bench_contestant contestants[BATCHES];
    for (int i = 0; i < BATCHES; i++)
        contestants[i] = (bench_contestant){name, i < ONES ? NULL : reset_embree,
                                            i == HITS      ? ask_hits
                                            : i == HEIGHTS ? ask_heights
                                                           : ask_embree,
                                            &askers[i]};
    bench_times times;
    bench_race(contestants, BATCHES, report->rounds, true, &times);
    double best = fmin(times.ratio[ONES], times.ratio[PACKETS]), wanted = sorted ? 1.3 : 2.5;
    add_times(&tables->times, name, &times, points->count, best);
    oracle(rivals, name, askers, tables);
    char bar[64];
    snprintf(bar, sizeof bar, "%s-hits", name);
    mesh_speed_bar(rivals, report, bar, best, wanted);
    snprintf(bar, sizeof bar, "%s-heights", name);
    mesh_speed_bar(rivals, report, bar, best / times.ratio[HEIGHTS], wanted);
    close_askers(askers);
}

void mesh_batch(mesh_rivals *rivals, bench_report *report, mesh_tables *tables) {
    static const char *const heads[] = {
        "ns per point",  "landfall hits",      "l heights", "Embree 1", "Embree packet",
        "robust packet", "best Embree / hits", "/ heights", "+-",       NULL};
    char title[160];
    snprintf(title, sizeof title, "%s: a million points at once, packets of %d", rivals->terrain.name,
             bench_embree_width());
    bench_table_start(&tables->times, title, heads);
    mesh_points points;
    mesh_points_make(&points, rivals, MESH_AREA, report->quick ? 8192 : 1000000);
    race(rivals, &points, false, report, tables);
    mesh_points_sort(&points, rivals);
    race(rivals, &points, true, report, tables);
    bench_table_end(&tables->times, report);
    mesh_points_close(&points);
}
