/// Asking: the same rays to everybody who stands on a field, in turns, and the answers compared.
#include "grid.h"

#include <stdlib.h>
#include <string.h>

enum {
    SINGLE,
    BATCH,
    BATCH_FULL,
    SCALAR_SINGLE,
    SCALAR_BATCH,
    TRIANGLES_1,
    TRIANGLES_8,
    TRIANGLES_16,
    PATCHES_1,
    BULLET,
    ASKERS
};

/// A batch is given out in pieces, so that the hits of one piece are still near when they are read.
enum { PIECE = 4096 };

/// One contestant and where its answers go.
typedef struct grid_asker {
    const lf_ground *ground;
    bench_embree *embree;
    int width; ///< of Embree's packets
    bench_bullet *bullet;
    const bench_rays *rays;
    const bench_embree_rays *singles;
    const bench_bullet_rays *spans;
    bench_answer *answers;
    lf_hit *hits; ///< of one piece
    bool present;
} grid_asker;

static void ask_single(void *user) {
    const grid_asker *asker = user;
    lf_hit hit;
    for (int64_t i = 0; i < asker->rays->count; i++) {
        lf_ground_ray_first(asker->ground, &asker->rays->rays[i], &hit, NULL);
        asker->answers[i].t = hit.t;
        asker->answers[i].item = grid_item(&hit);
    }
}

static void ask_batch(void *user) {
    const grid_asker *asker = user;
    for (int64_t first = 0; first < asker->rays->count; first += PIECE) {
        int64_t count = asker->rays->count - first < PIECE ? asker->rays->count - first : PIECE;
        lf_ground_ray_first_many(asker->ground, asker->rays->rays + first, 0, count, asker->hits, 0, NULL);
        for (int64_t i = 0; i < count; i++) {
            asker->answers[first + i].t = asker->hits[i].t;
            asker->answers[first + i].item = grid_item(&asker->hits[i]);
        }
    }
}

static void ask_embree(void *user) {
    const grid_asker *asker = user;
    bench_embree_first_packets(asker->embree, asker->singles, asker->width, asker->answers);
}

static void ask_bullet(void *user) {
    const grid_asker *asker = user;
    bench_bullet_first(asker->bullet, asker->spans, asker->answers);
}

/// A way to ask, and how many rays; what is required of it is in note_bars.
typedef struct grid_question {
    const char *name;
    bench_approach approach;
    int64_t rays;
} grid_question;

static const grid_question questions[] = {{"random", BENCH_RANDOM, 1 << 16},
                                          {"camera", BENCH_PICTURE, 1 << 18},
                                          {"diagonal", BENCH_DIAGONAL, 1 << 14}};
enum { QUESTIONS = sizeof questions / sizeof *questions };

/// What one question found: nanoseconds per ray, 0 for those who were not asked.
typedef struct grid_result {
    double nanoseconds[ASKERS];
    double spread;
    double hits;
} grid_result;

static void open_askers(grid_asker askers[ASKERS], const grid_rivals *rivals, const bench_rays *rays) {
    bench_embree_rays *singles = bench_embree_rays_make(rays);
    bench_bullet_rays *spans = bench_bullet_rays_make(rivals->bullet, rays);
    lf_hit *hits = bench_take(PIECE, sizeof *hits);
    for (int i = 0; i < ASKERS; i++) {
        grid_asker asker = {
            .rays = rays, .singles = singles, .spans = spans, .hits = hits, .width = 1, .present = true};
        asker.answers = bench_take((size_t)rays->count, sizeof *asker.answers);
        askers[i] = asker;
    }
    askers[SINGLE].ground = askers[BATCH].ground = rivals->ground[LEAN];
    askers[BATCH_FULL].ground = rivals->ground[FULL];
    askers[SCALAR_SINGLE].ground = askers[SCALAR_BATCH].ground = rivals->ground[SCALAR];
    for (int i = TRIANGLES_1; i <= TRIANGLES_16; i++) {
        askers[i].embree = rivals->triangles;
        askers[i].present = rivals->triangles != NULL;
    }
    askers[TRIANGLES_8].width = 8;
    askers[TRIANGLES_16].width = 16;
    askers[PATCHES_1].embree = rivals->patches;
    askers[BULLET].bullet = rivals->bullet;
}

static void close_askers(grid_asker askers[ASKERS]) {
    for (int i = 0; i < ASKERS; i++)
        free(askers[i].answers);
    free(askers[0].hits);
    bench_bullet_rays_close((bench_bullet_rays *)askers[0].spans);
    bench_embree_rays_close((bench_embree_rays *)askers[0].singles);
}

/// All in turns, but Bullet once: it is too slow to be asked again and again.
static void race(grid_asker askers[ASKERS], const bench_report *report, grid_result *result) {
    static void (*const runs[ASKERS])(void *user) = {
        [SINGLE] = ask_single,        [BATCH] = ask_batch,         [BATCH_FULL] = ask_batch,
        [SCALAR_SINGLE] = ask_single, [SCALAR_BATCH] = ask_batch,  [TRIANGLES_1] = ask_embree,
        [TRIANGLES_8] = ask_embree,   [TRIANGLES_16] = ask_embree, [PATCHES_1] = ask_embree,
        [BULLET] = ask_bullet};
    bench_contestant contestants[ASKERS];
    int who[ASKERS], count = 0;
    for (int i = 0; i < BULLET; i++)
        if (askers[i].present) {
            bench_contestant contestant = {"", NULL, runs[i], &askers[i]};
            who[count] = i;
            contestants[count++] = contestant;
        }
    bench_times times, once;
    bench_race(contestants, count, report->rounds, true, &times);
    double rays = (double)askers[SINGLE].rays->count;
    memset(result, 0, sizeof *result);
    for (int i = 0; i < count; i++) {
        result->nanoseconds[who[i]] = 1e9 * times.seconds[0] * times.ratio[i] / rays;
        result->spread = times.spread[i] > result->spread ? times.spread[i] : result->spread;
    }
    bench_contestant slow = {"", NULL, ask_bullet, &askers[BULLET]};
    bench_race(&slow, 1, 1, false, &once);
    result->nanoseconds[BULLET] = 1e9 * once.seconds[0] / rays;
    for (int64_t i = 0; i < askers[SINGLE].rays->count; i++)
        result->hits += askers[SINGLE].answers[i].item >= 0;
}

static void add_times(bench_table *table, const char *name, const grid_result *result, double rays) {
    bench_table_row(table);
    bench_table_cell(table, "%s", name);
    bench_table_cell(table, "%.0f %%", 100.0 * result->hits / rays);
    for (int i = 0; i < ASKERS; i++)
        bench_table_cell(table, result->nanoseconds[i] > 0.0 ? "%.0f" : "-", result->nanoseconds[i]);
    bench_table_cell(table, "%.0f %%", 100.0 * result->spread);
}

/// Embree's better packets: 8 or 16 rays.
static double packets_of(const grid_result *result) {
    double eight = result->nanoseconds[TRIANGLES_8], sixteen = result->nanoseconds[TRIANGLES_16];
    return eight < sixteen ? eight : sixteen;
}

static void add_ratios(bench_table *table, const char *name, const grid_result *result) {
    const double *ns = result->nanoseconds;
    double reference = ns[TRIANGLES_1] > 0.0 ? ns[TRIANGLES_1] : ns[PATCHES_1];
    bench_table_row(table);
    bench_table_cell(table, "%s", name);
    for (int i = SINGLE; i <= SCALAR_BATCH; i++)
        bench_table_cell(table, "%.2f", reference / ns[i]);
    bench_table_cell(table, "%.2f", packets_of(result) / ns[BATCH]);
    bench_table_cell(table, "%.2f", packets_of(result) / ns[BATCH_FULL]);
    bench_table_cell(table, "%.2f", ns[PATCHES_1] / ns[SINGLE]);
    bench_table_cell(table, "%.2f", ns[BULLET] / ns[SINGLE]);
}

static void note_bars(const grid_rivals *rivals, bench_report *report, bench_approach approach,
                      const grid_result *result) {
    const double *ns = result->nanoseconds;
    double single = ns[TRIANGLES_1] / ns[SINGLE], batch = ns[TRIANGLES_1] / ns[BATCH];
    if (!rivals->triangles)
        return;
    if (approach == BENCH_RANDOM) {
        grid_speed_bar(rivals, report, "random-single", single, 2.5);
        grid_speed_bar(rivals, report, "random-batch", batch, 6.0);
    } else if (approach == BENCH_PICTURE) {
        grid_speed_bar(rivals, report, "camera-single", single, 1.0);
        grid_speed_bar(rivals, report, "camera-batch", packets_of(result) / ns[BATCH], 1.0);
        grid_speed_bar(rivals, report, "camera-batch-full", packets_of(result) / ns[BATCH_FULL], 1.0);
    } else if (rivals->field->slope.x != 0.0) {
        grid_speed_bar(rivals, report, "diagonal-single", single, 20.0);
        grid_speed_bar(rivals, report, "diagonal-batch", batch, 20.0);
    } else {
        grid_speed_bar(rivals, report, "diagonal-single", single, 1.3);
        grid_speed_bar(rivals, report, "diagonal-batch", batch, 2.2);
    }
}

/// Batches, other leaves and scalar code must say the very same.
static int64_t count_unequal(const grid_asker askers[ASKERS]) {
    int64_t unequal = 0;
    for (int who = BATCH; who <= SCALAR_BATCH; who++)
        for (int64_t i = 0; i < askers[SINGLE].rays->count; i++)
            unequal += memcmp(&askers[SINGLE].answers[i], &askers[who].answers[i], sizeof(bench_answer)) != 0;
    return unequal;
}

static void add_answers(bench_table *table, const char *name, const grid_rivals *rivals,
                        const grid_asker askers[ASKERS], grid_totals *totals) {
    const bench_rays *rays = askers[SINGLE].rays;
    const bench_answer *ours = askers[SINGLE].answers;
    int64_t unequal = count_unequal(askers);
    totals->compared += (SCALAR_BATCH - SINGLE) * rays->count;
    totals->unequal += unequal;
    bench_verdict v = {0};
    if (rivals->triangles)
        grid_oracle(rivals->field, rays, ours, askers[TRIANGLES_1].answers, &v);
    totals->checked += v.rays;
    totals->wrong += v.ours_wrong;
    const int64_t counts[] = {unequal,       v.same,         v.tie,        v.rounded,
                              v.peer_missed, v.peer_phantom, v.ours_wrong, v.undecided};
    bench_table_row(table);
    bench_table_cell(table, "%s", name);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        bench_table_cell(table, "%lld", (long long)counts[i]);
    bench_table_cell(table, "%.2g", v.t_error);
    for (int i = TRIANGLES_8; i <= BULLET; i++)
        bench_table_cell(table, askers[i].present ? "%lld" : "-",
                         askers[i].present ? (long long)grid_count_far(rays, ours, askers[i].answers, 1.0)
                                           : 0LL);
}

/// One more pass with a cursor that counts, outside the clock.
static void add_work(bench_table *table, const char *name, const grid_asker *asker) {
    lf_cursor *cursor;
    lf_hit hit;
    if (lf_cursor_create(NULL, &cursor) != LF_OK)
        bench_stop("no memory for a cursor");
    double rays = (double)asker->rays->count;
    for (int64_t i = 0; i < asker->rays->count; i++)
        lf_ground_ray_first(asker->ground, &asker->rays->rays[i], &hit, cursor);
    lf_counters counters = lf_cursor_counters(cursor);
    lf_cursor_destroy(cursor);
    bench_table_row(table);
    bench_table_cell(table, "%s", name);
    bench_table_cell(table, "%.2f", (double)counters.nodes / rays);
    bench_table_cell(table, "%.2f", (double)counters.cells / rays);
    bench_table_cell(table, "%.2f", (double)counters.triangles / rays);
    bench_table_cell(table, "%.4f", (double)counters.exact / rays);
}

/// The tables of one field.
typedef struct grid_tables {
    bench_table times, ratios, answers, work;
} grid_tables;

static void start_tables(grid_tables *tables, const grid_rivals *rivals) {
    static const char *const times[] = {
        "ns per ray",    "hits",         "l single", "l batch",  "l batch leaf 1",
        "scalar single", "scalar batch", "Embree 1", "Embree 8", "Embree 16",
        "E grid 1",      "Bullet",       "+-",       NULL};
    static const char *const ratios[] = {"Embree 1 /",
                                         "l single",
                                         "l batch",
                                         "l batch leaf 1",
                                         "scalar single",
                                         "scalar batch",
                                         "packets / l batch",
                                         "packets / l batch leaf 1",
                                         "E grid 1 / l single",
                                         "Bullet / l single",
                                         NULL};
    static const char *const answers[] = {
        "answers",     "unequal l",    "same",       "tie",        "rounded",
        "peer missed", "peer phantom", "l wrong",    "undecided",  "t differs m",
        "E 8 off",     "E 16 off",     "E grid off", "Bullet off", NULL};
    static const char *const work[] = {"work per ray", "nodes", "cells", "triangles", "exact", NULL};
    const char *name = rivals->field->name, *isa = rivals->isa ? rivals->isa : "best instruction set";
    char title[160];
    snprintf(title, sizeof title, "%s: time, %s (l: landfall)", name, isa);
    bench_table_start(&tables->times, title, times);
    snprintf(title, sizeof title, "%s: ratios (above 1: landfall is faster)", name);
    bench_table_start(&tables->ratios, title, ratios);
    snprintf(
        title, sizeof title,
        "%s: answers; disagreements with Embree's triangles decided by exact arithmetic; off: more than 1 m",
        name);
    bench_table_start(&tables->answers, title, answers);
    snprintf(title, sizeof title, "%s: what landfall looked at", name);
    bench_table_start(&tables->work, title, work);
}

static void ask(const grid_rivals *rivals, const grid_question *question, bench_report *report,
                grid_tables *tables, grid_totals *totals) {
    bool worst = question->approach == BENCH_DIAGONAL && rivals->field->slope.x != 0.0;
    bench_rays rays;
    bench_field_rays(rivals->field, question->approach, report->quick || worst ? 128 : question->rays, &rays);
    grid_asker askers[ASKERS];
    open_askers(askers, rivals, &rays);
    grid_result result;
    race(askers, report, &result);
    add_times(&tables->times, question->name, &result, (double)rays.count);
    add_ratios(&tables->ratios, question->name, &result);
    add_answers(&tables->answers, question->name, rivals, askers, totals);
    add_work(&tables->work, question->name, &askers[SINGLE]);
    note_bars(rivals, report, question->approach, &result);
    close_askers(askers);
    bench_rays_close(&rays);
}

void grid_ask_rays(const grid_rivals *rivals, bench_report *report, grid_totals *totals) {
    grid_tables *tables = bench_take(1, sizeof *tables);
    start_tables(tables, rivals);
    for (int i = 0; i < QUESTIONS; i++) {
        char name[160];
        snprintf(name, sizeof name, "%s %s", rivals->field->name, questions[i].name);
        if (bench_wanted(report, name))
            ask(rivals, &questions[i], report, tables, totals);
    }
    bench_table_end(&tables->times, report);
    bench_table_end(&tables->ratios, report);
    bench_table_end(&tables->answers, report);
    bench_table_end(&tables->work, report);
    free(tables);
}
