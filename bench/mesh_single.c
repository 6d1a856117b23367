/// One question at a time: the same points to every contestant, in turns, and the answers compared.
#include "mesh.h"

#include <stdlib.h>
#include <string.h>

/// One contestant and where its answers go.
typedef struct mesh_asker {
    const lf_ground *ground; ///< or
    bench_embree *embree;    ///< one of the two
    const mesh_points *points;
    const bench_embree_rays *singles;
    bench_answer *answers; ///< landfall's items: polygon << 20 | triangle of it
} mesh_asker;

static void ask_landfall(void *user) {
    const mesh_asker *asker = user;
    lf_hit hit;
    for (int64_t i = 0; i < asker->points->count; i++) {
        lf_ground_height(asker->ground, asker->points->points[i], LF_VERTICAL_DOWN, &hit, NULL);
        asker->answers[i].t = hit.t;
        asker->answers[i].item = hit.kind == LF_HIT_NONE ? -1 : hit.element << 20 | hit.triangle;
    }
}

static void ask_embree(void *user) {
    const mesh_asker *asker = user;
    bench_embree_first(asker->embree, asker->singles, asker->answers);
}

bench_answer mesh_answer(const mesh_rivals *rivals, const lf_hit *hit) {
    bench_answer answer = {hit->t, -1};
    if (hit->kind != LF_HIT_NONE)
        answer.item = rivals->firsts[hit->element] + hit->triangle;
    return answer;
}

static void number_triangles(const mesh_rivals *rivals, const mesh_asker *asker) {
    for (int64_t i = 0; i < asker->points->count; i++) {
        int64_t item = asker->answers[i].item;
        if (item >= 0)
            asker->answers[i].item = rivals->firsts[item >> 20] + (item & 0xfffff);
    }
}

void mesh_answers_start(mesh_tables *tables, const char *terrain) {
    static const char *const heads[] = {"against", "same",    "tie",       "rounded",     "peer missed",
                                        "phantom", "l wrong", "undecided", "t differs m", NULL};
    char title[160];
    snprintf(title, sizeof title, "%s: answers, disagreements decided by exact arithmetic", terrain);
    bench_table_start(&tables->answers, title, heads);
}

void mesh_oracle(const mesh_rivals *rivals, const mesh_points *points, const char *question,
                 const bench_answer *ours, const bench_answer *peer, mesh_tables *tables) {
    bench_verdict v = {0};
    for (int64_t i = 0; i < points->count; i++)
        bench_oracle(&v, &rivals->terrain, &points->rays.rays[i], ours[i], peer[i]);
    bench_table *table = &tables->answers;
    bench_table_row(table);
    bench_table_cell(table, "%s", question);
    const int64_t counts[] = {v.same,         v.tie,        v.rounded,  v.peer_missed,
                              v.peer_phantom, v.ours_wrong, v.undecided};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        bench_table_cell(table, "%lld", (long long)counts[i]);
    bench_table_cell(table, "%.2g", v.t_error);
    tables->checked += v.rays;
    tables->wrong += v.ours_wrong;
}

/// A few points by asking every triangle: nanoseconds for each, and the wrong answers counted.
static double ask_brute(const mesh_rivals *rivals, const mesh_asker *asker, mesh_tables *tables) {
    int64_t count = asker->points->count, asked = count < 16 ? count : 16;
    double start = bench_clock();
    for (int64_t i = 0; i < asked; i++) {
        int64_t which = i * (count / asked);
        bench_answer truth = bench_brute_first(&rivals->terrain, &asker->points->rays.rays[which]);
        bench_answer ours = asker->answers[which];
        bool same =
            truth.item == ours.item || (truth.item >= 0 && ours.item >= 0 && fabs(truth.t - ours.t) <= 1e-9);
        tables->wrong += !same;
    }
    tables->checked += asked;
    return 1e9 * (bench_clock() - start) / (double)asked;
}

/// Both structures of landfall say the same, to the bit.
static void compare_structures(const mesh_asker askers[], mesh_tables *tables) {
    const bench_answer *a = askers[NEST].answers, *b = askers[QUADTREE].answers;
    for (int64_t i = 0; i < askers[NEST].points->count; i++)
        tables->wrong += a[i].item != b[i].item || fabs(a[i].t - b[i].t) > 1e-9;
    tables->checked += askers[NEST].points->count;
}

static void add_times(bench_table *table, const char *name, const bench_times *times, int64_t count,
                      double brute) {
    double spread = 0.0;
    bench_table_row(table);
    bench_table_cell(table, "%s", name);
    for (int i = 0; i < MESHES + SCENES; i++) {
        bench_table_cell(table, "%.1f", 1e9 * times->seconds[i] / (double)count);
        spread = times->spread[i] > spread ? times->spread[i] : spread;
    }
    bench_table_cell(table, "%.0f", brute);
    bench_table_cell(table, "%.2f", times->ratio[MESHES + HIGH]);
    bench_table_cell(table, "%.2f", times->ratio[MESHES + ROBUST]);
    bench_table_cell(table, "%.2f", times->ratio[QUADTREE]);
    bench_table_cell(table, "%.0f %%", 100.0 * spread);
}

typedef struct mesh_question {
    const char *name;
    mesh_place place;
    double wanted; ///< times as fast as Embree
} mesh_question;

static void race(mesh_rivals *rivals, const mesh_question *question, bench_report *report,
                 mesh_tables *tables) {
    mesh_points points;
    mesh_points_make(&points, rivals, question->place, report->quick ? 4096 : 256 * 1024);
    bench_embree_rays *singles = bench_embree_rays_make(&points.rays);
    mesh_asker askers[MESHES + SCENES];
    bench_contestant contestants[MESHES + SCENES];
    for (int i = 0; i < MESHES + SCENES; i++) {
        bool ours = i < MESHES;
        askers[i] = (mesh_asker){ours ? rivals->ground[i] : NULL, ours ? NULL : rivals->embree[i - MESHES],
                                 &points, singles, bench_take((size_t)points.count, sizeof(bench_answer))};
        contestants[i] =
            (bench_contestant){question->name, NULL, ours ? ask_landfall : ask_embree, &askers[i]};
    }
    bench_times times;
    bench_race(contestants, MESHES + SCENES, report->rounds, true, &times);
    for (int i = 0; i < MESHES; i++)
        number_triangles(rivals, &askers[i]);
    add_times(&tables->times, question->name, &times, points.count, ask_brute(rivals, askers, tables));
    compare_structures(askers, tables);
    mesh_oracle(rivals, &points, question->name, askers[NEST].answers, askers[MESHES + HIGH].answers, tables);
    mesh_speed_bar(rivals, report, question->name, times.ratio[MESHES + HIGH], question->wanted);
    char robust[64];
    snprintf(robust, sizeof robust, "%s-robust", question->name);
    mesh_speed_bar(rivals, report, robust, times.ratio[MESHES + ROBUST], question->wanted);
    if (question->place == MESH_AREA)
        mesh_speed_bar(rivals, report, "quadtree", times.ratio[QUADTREE], 4.0);
    for (int i = 0; i < MESHES + SCENES; i++) {
        if (question->place != MESH_CAR)
            tables->seconds[question->place == MESH_NOTHING][i] = times.seconds[i] / (double)points.count;
        free(askers[i].answers);
    }
    bench_embree_rays_close(singles);
    mesh_points_close(&points);
}

void mesh_single(mesh_rivals *rivals, bench_report *report, mesh_tables *tables) {
    static const mesh_question questions[] = {
        {"random", MESH_AREA, 2.2}, {"no-ground", MESH_NOTHING, 3.5}, {"car", MESH_CAR, 4.5}};
    static const char *const heads[] = {"ns per point", "landfall",    "quadtree",   "Embree",
                                        "robust",       "brute force", "Embree / l", "robust / l",
                                        "quadtree / l", "+-",          NULL};
    char title[160];
    snprintf(title, sizeof title, "%s: one point at a time (above 1: landfall, l, is faster)",
             rivals->terrain.name);
    bench_table_start(&tables->times, title, heads);
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        race(rivals, &questions[i], report, tables);
    bench_table_end(&tables->times, report);
}
