/// Asking: the same rays to every contestant, in turns, and the answers compared.
#include "tree.h"

#include <stdlib.h>
#include <string.h>

/// One contestant and where its answers go.
typedef struct tree_asker {
    const lf_ground *ground; ///< or
    bench_embree *embree;    ///< one of the two
    const bench_rays *rays;
    const bench_embree_rays *singles;
    bench_answer *answers; ///< of first hits
    bool *blocked;         ///< of any hits
} tree_asker;

static void tree_first(void *user) {
    const tree_asker *asker = user;
    lf_hit hit;
    for (int64_t i = 0; i < asker->rays->count; i++) {
        lf_ground_ray_first(asker->ground, &asker->rays->rays[i], &hit, NULL);
        asker->answers[i].t = hit.t;
        asker->answers[i].item = hit.kind == LF_HIT_NONE ? -1 : hit.element;
    }
}

static void tree_any(void *user) {
    const tree_asker *asker = user;
    for (int64_t i = 0; i < asker->rays->count; i++)
        lf_ground_ray_any(asker->ground, &asker->rays->rays[i], &asker->blocked[i], NULL);
}

static void embree_first(void *user) {
    const tree_asker *asker = user;
    bench_embree_first(asker->embree, asker->singles, asker->answers);
}

static void embree_any(void *user) {
    const tree_asker *asker = user;
    bench_embree_any(asker->embree, asker->singles, asker->blocked);
}

void tree_tables_start(tree_tables *tables, const char *terrain) {
    static const char *const times[] = {"ns per ray",      "hits",   "landfall",   "huge pages",
                                        "Embree",          "robust", "Embree / l", "Embree / l huge",
                                        "robust / l huge", "+-",     NULL};
    static const char *const work[] = {"work per ray", "nodes", "leaves", "triangles", "exact", NULL};
    static const char *const answers[] = {"against",     "same",         "tie",     "rounded",
                                          "peer missed", "peer phantom", "l wrong", "undecided",
                                          "t differs m", "brute force",  NULL};
    char title[160];
    memset(tables, 0, sizeof *tables);
    snprintf(title, sizeof title, "%s: time, and ratios (above 1: landfall, l, is faster)", terrain);
    bench_table_start(&tables->times, title, times);
    snprintf(title, sizeof title, "%s: what landfall looked at", terrain);
    bench_table_start(&tables->work, title, work);
    snprintf(title, sizeof title, "%s: answers, disagreements decided by exact arithmetic", terrain);
    bench_table_start(&tables->answers, title, answers);
}

void tree_tables_end(const tree_tables *tables, bench_report *report) {
    bench_table_end(&tables->times, report);
    bench_table_end(&tables->work, report);
    bench_table_end(&tables->answers, report);
}

/// At least as fast as Embree, in its usual and in its robust mode.
static void note_bars(const tree_rivals *rivals, const tree_question *question, const bench_times *times,
                      bench_report *report) {
    static const char *const modes[SCENES] = {[HIGH] = "", [ROBUST] = "-robust"};
    for (int mode = 0; mode < SCENES; mode++) {
        char name[160];
        snprintf(name, sizeof name, "tree-%s-%s%s", rivals->terrain->name, question->name, modes[mode]);
        for (char *at = name; *at; at++)
            *at = *at == ' ' ? '-' : *at;
        bench_bar(report, name, times->ratio[MESHES + mode] / times->ratio[HUGE_PAGES], 1);
    }
}

static void add_times(tree_tables *tables, const char *name, const bench_times *times, double hits,
                      int64_t rays) {
    bench_table *table = &tables->times;
    double spread = 0.0;
    bench_table_row(table);
    bench_table_cell(table, "%s", name);
    bench_table_cell(table, "%.1f %%", 100.0 * hits / (double)rays);
    for (int i = 0; i < CONTESTANTS; i++) {
        bench_table_cell(table, "%.1f", 1e9 * times->seconds[i] / (double)rays);
        spread = times->spread[i] > spread ? times->spread[i] : spread;
    }
    bench_table_cell(table, "%.2f", times->ratio[MESHES + HIGH]);
    bench_table_cell(table, "%.2f", times->ratio[MESHES + HIGH] / times->ratio[HUGE_PAGES]);
    bench_table_cell(table, "%.2f", times->ratio[MESHES + ROBUST] / times->ratio[HUGE_PAGES]);
    bench_table_cell(table, "%.0f %%", 100.0 * spread);
}

/// One more pass with a cursor that counts, outside the clock.
static void add_work(tree_tables *tables, const tree_question *question, const tree_asker *asker) {
    lf_cursor *cursor;
    if (lf_cursor_create(NULL, &cursor) != LF_OK)
        bench_stop("no memory for a cursor");
    int64_t count = asker->rays->count;
    for (int64_t i = 0; i < count; i++) {
        lf_hit hit;
        bool blocked;
        if (question->any)
            lf_ground_ray_any(asker->ground, &asker->rays->rays[i], &blocked, cursor);
        else
            lf_ground_ray_first(asker->ground, &asker->rays->rays[i], &hit, cursor);
    }
    lf_counters counters = lf_cursor_counters(cursor);
    lf_cursor_destroy(cursor);
    bench_table *table = &tables->work;
    bench_table_row(table);
    bench_table_cell(table, "%s", question->name);
    bench_table_cell(table, "%.2f", (double)counters.nodes / (double)count);
    bench_table_cell(table, "%.2f", (double)counters.cells / (double)count);
    bench_table_cell(table, "%.2f", (double)counters.triangles / (double)count);
    bench_table_cell(table, "%.4f", (double)counters.exact / (double)count);
}

static void add_verdict(tree_tables *tables, const char *question, const char *peer, const bench_verdict *v) {
    bench_table *table = &tables->answers;
    bench_table_row(table);
    bench_table_cell(table, "%s, %s", question, peer);
    const int64_t counts[] = {v->same,         v->tie,        v->rounded,  v->peer_missed,
                              v->peer_phantom, v->ours_wrong, v->undecided};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        bench_table_cell(table, "%lld", (long long)counts[i]);
    bench_table_cell(table, "%.2g", v->t_error);
    tables->checked += v->rays;
    tables->wrong += v->ours_wrong;
}

/// A few rays once more, by asking every triangle.
static int64_t count_brute_wrong(const bench_terrain *terrain, const tree_question *question,
                                 const tree_asker *asker, int64_t asked) {
    int64_t wrong = 0;
    for (int64_t i = 0; i < asked; i++) {
        int64_t which = i * (asker->rays->count / asked);
        bench_answer truth = bench_brute_first(terrain, &asker->rays->rays[which]);
        bench_answer ours = asker->answers[which];
        if (question->any)
            wrong += asker->blocked[which] != (truth.item >= 0);
        else if (truth.item != ours.item)
            wrong +=
                truth.item < 0 || ours.item < 0 || fabs(truth.t - ours.t) > 1e-13 * (1.0 + fabs(truth.t));
    }
    return wrong;
}

/// Any hits say only yes or no; where they differ, first hits name the triangles for the oracle.
static void name_witnesses(const tree_rivals *rivals, const tree_question *question,
                           const bench_embree_rays *singles, const tree_asker askers[CONTESTANTS]) {
    if (!question->any)
        return;
    for (int who = PLAIN; who < CONTESTANTS; who++) {
        if (who == HUGE_PAGES)
            continue;
        tree_asker witness = askers[who];
        if (who == PLAIN)
            tree_first(&witness);
        else
            bench_embree_first(rivals->embree[who - MESHES], singles, witness.answers);
    }
}

static void oracle(const tree_rivals *rivals, const tree_question *question,
                   const tree_asker askers[CONTESTANTS], tree_tables *tables) {
    static const char *const peers[SCENES] = {"Embree", "robust"};
    const bench_rays *rays = askers[PLAIN].rays;
    name_witnesses(rivals, question, askers[MESHES].singles, askers);
    int64_t asked = rays->count < 16 ? rays->count : 16;
    int64_t wrong = count_brute_wrong(rivals->terrain, question, &askers[PLAIN], asked);
    tables->checked += asked;
    tables->wrong += wrong;
    for (int scene = 0; scene < SCENES; scene++) {
        bench_verdict verdict = {0};
        const tree_asker *ours = &askers[PLAIN], *peer = &askers[MESHES + scene];
        for (int64_t i = 0; i < rays->count; i++) {
            bench_answer a = ours->answers[i], b = peer->answers[i];
            if (question->any && ours->blocked[i] == peer->blocked[i]) {
                verdict.rays++;
                verdict.same++;
                continue;
            }
            if (question->any && !ours->blocked[i])
                a.item = -1;
            if (question->any && !peer->blocked[i])
                b.item = -1;
            bench_oracle(&verdict, rivals->terrain, &rays->rays[i], a, b);
        }
        add_verdict(tables, question->name, peers[scene], &verdict);
        bench_table_cell(&tables->answers, "%lld of %lld", (long long)(asked - wrong), (long long)asked);
    }
}

static double count_hits(const tree_question *question, const tree_asker *asker) {
    int64_t hits = 0;
    for (int64_t i = 0; i < asker->rays->count; i++)
        hits += question->any ? asker->blocked[i] : asker->answers[i].item >= 0;
    return (double)hits;
}

/// The meshes on ordinary and on huge pages are the same: their answers must be the same bits.
static void check_same_bits(const tree_question *question, const tree_asker askers[CONTESTANTS]) {
    const tree_asker *a = &askers[PLAIN], *b = &askers[HUGE_PAGES];
    size_t count = (size_t)a->rays->count;
    if (question->any ? memcmp(a->blocked, b->blocked, count * sizeof *a->blocked)
                      : memcmp(a->answers, b->answers, count * sizeof *a->answers))
        bench_stop("%s: two builds of the same mesh answer differently", question->name);
}

void tree_ask(tree_rivals *rivals, const tree_question *question, bench_report *report, tree_tables *tables) {
    int64_t wanted = question->kind == BENCH_CAMERA ? 1024 * 1024 : 128 * 1024;
    bench_rays rays;
    bench_rays_make(&rays, question->kind, rivals->terrain, report->quick ? 4096 : wanted, 7);
    bench_embree_rays *singles = bench_embree_rays_make(&rays);
    tree_asker askers[CONTESTANTS];
    bench_contestant contestants[CONTESTANTS];
    for (int i = 0; i < CONTESTANTS; i++) {
        bool ours = i < MESHES;
        tree_asker asker = {ours ? lf_mesh_ground(rivals->mesh[i]) : NULL,
                            ours ? NULL : rivals->embree[i - MESHES],
                            &rays,
                            singles,
                            bench_take((size_t)rays.count, sizeof(bench_answer)),
                            bench_take((size_t)rays.count, sizeof(bool))};
        askers[i] = asker;
        contestants[i].name = question->name;
        contestants[i].prepare = NULL;
        contestants[i].user = &askers[i];
        contestants[i].run =
            ours ? (question->any ? tree_any : tree_first) : (question->any ? embree_any : embree_first);
    }
    bench_times times;
    bench_race(contestants, CONTESTANTS, report->rounds, true, &times);
    check_same_bits(question, askers);
    add_times(tables, question->name, &times, count_hits(question, &askers[PLAIN]), rays.count);
    note_bars(rivals, question, &times, report);
    add_work(tables, question, &askers[PLAIN]);
    oracle(rivals, question, askers, tables);
    for (int i = 0; i < CONTESTANTS; i++) {
        free(askers[i].blocked);
        free(askers[i].answers);
    }
    bench_embree_rays_close(singles);
    bench_rays_close(&rays);
}
