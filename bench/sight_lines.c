/// Lines of sight: the same ones to landfall and to Embree, in turns, and the answers compared.
#include "sight.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SINGLE, BATCH, FIRST, BENT, EMBREE, PACKETS, ASKERS };

/// Which lines.
typedef enum sight_kind { PAIRS, NEAR_PAIRS, STATIONS } sight_kind;

typedef struct sight_question {
    const char *name;
    sight_kind kind;
    int64_t count;
    double single, batch; ///< what is required, as shares of Embree's time; 0: nothing
} sight_question;

static const sight_question questions[] = {{"random pairs", PAIRS, 1 << 16, 4, 8},
                                           {"within 10 km", NEAR_PAIRS, 1 << 16, 0, 0},
                                           {"samples to two stations", STATIONS, 1 << 17, 0, 4}};

/// Lines with ends whose differences are exact in floats, so that everybody sees the same ones.
typedef struct sight_lines {
    lf_vec3 *a, *b;
    bench_rays rays;
    int64_t count;
} sight_lines;

static double height_at(const bench_field *field, double x, double y) {
    int64_t last = field->samples - 2;
    int64_t i = (int64_t)(x / BENCH_SPACING), j = (int64_t)(y / BENCH_SPACING);
    i = i > last ? last : i;
    j = j > last ? last : j;
    double u = x / BENCH_SPACING - (double)i, v = y / BENCH_SPACING - (double)j;
    const float *low = field->heights + j * field->samples + i, *high = low + field->samples;
    return u + v <= 1 ? low[0] + u * (low[1] - low[0]) + v * (high[0] - low[0])
                      : high[1] + (1 - u) * (high[0] - high[1]) + (1 - v) * (low[1] - high[1]);
}

/// A place on eighths of a metre, so many metres above ground on 64ths.
static lf_vec3 above(const bench_field *field, double x, double y, double height) {
    double extent = bench_field_extent(field);
    x = fmin(fmax(floor(8 * x) / 8, 0), extent);
    y = fmin(fmax(floor(8 * y) / 8, 0), extent);
    return (lf_vec3){x, y, ceil(64 * (height_at(field, x, y) + height)) / 64};
}

static lf_vec3 anywhere(const bench_field *field, bench_random *random) {
    double extent = bench_field_extent(field);
    double x = bench_random_between(random, 0, extent), y = bench_random_between(random, 0, extent);
    return above(field, x, y, 2);
}

static void make_pair(const bench_field *field, const sight_question *question, int64_t k,
                      bench_random *random, lf_vec3 ends[2]) {
    ends[0] = anywhere(field, random);
    if (question->kind == PAIRS) {
        ends[1] = anywhere(field, random);
    } else if (question->kind == NEAR_PAIRS) {
        double angle = bench_random_between(random, 0, 6.283185307),
               far = 1e4 * sqrt(bench_random_between(random, 0, 1));
        ends[1] = above(field, ends[0].x + far * cos(angle), ends[0].y + far * sin(angle), 2);
    } else { // every so many samples, one row after the other, to one station and then to the other
        double extent = bench_field_extent(field), side = floor(sqrt((double)question->count / 2));
        double place = (double)(k / 2), x = fmod(place, side), y = floor(place / side);
        ends[0] = above(field, BENCH_SPACING * floor(x * (double)field->samples / side),
                        BENCH_SPACING * floor(y * (double)field->samples / side), 2);
        ends[1] = above(field, (k & 1 ? 0.3 : 0.7) * extent, (k & 1 ? 0.6 : 0.2) * extent, 30);
    }
}

static void make_lines(const bench_field *field, const sight_question *question, int64_t count,
                       sight_lines *lines) {
    bench_random random = {77 + (uint64_t)question->kind};
    sight_question asked = *question;
    asked.count = count;
    lines->count = lines->rays.count = count;
    lines->a = bench_take((size_t)count, sizeof *lines->a);
    lines->b = bench_take((size_t)count, sizeof *lines->b);
    lines->rays.rays = bench_take((size_t)count, sizeof *lines->rays.rays);
    for (int64_t k = 0; k < count; k++) {
        lf_vec3 ends[2];
        make_pair(field, &asked, k, &random, ends);
        lines->a[k] = ends[0];
        lines->b[k] = ends[1];
        lines->rays.rays[k] = lf_ray_between(ends[0], ends[1]);
    }
}

static void close_lines(sight_lines *lines) {
    free(lines->a);
    free(lines->b);
    bench_rays_close(&lines->rays);
}

// ---------------------------------------------------------------------------------------------------
// Asking
// ---------------------------------------------------------------------------------------------------

typedef struct sight_asker {
    const sight_rivals *rivals;
    const sight_lines *lines;
    const bench_embree_rays *rays;
    lf_sight_rules rules;
    uint8_t *verdicts;
    bool *blocked;
} sight_asker;

static void ask_single(void *user) {
    const sight_asker *asker = user;
    for (int64_t k = 0; k < asker->lines->count; k++) {
        lf_verdict verdict;
        lf_sight_verdict(asker->rivals->ground, &asker->rules, asker->lines->a[k], asker->lines->b[k],
                         &verdict, NULL);
        asker->verdicts[k] = (uint8_t)verdict;
    }
}

static void ask_batch(void *user) {
    const sight_asker *asker = user;
    lf_sight_verdicts(asker->rivals->ground, &asker->rules, asker->lines->a, 0, asker->lines->b, 0,
                      asker->lines->count, asker->verdicts, NULL);
}

static void ask_first(void *user) {
    const sight_asker *asker = user;
    for (int64_t k = 0; k < asker->lines->count; k++) {
        lf_sight sight;
        lf_sight_between(asker->rivals->ground, &asker->rules, asker->lines->a[k], asker->lines->b[k], &sight,
                         NULL);
        asker->verdicts[k] = (uint8_t)sight.verdict;
    }
}

static void ask_embree(void *user) {
    const sight_asker *asker = user;
    bench_embree_any(asker->rivals->triangles, asker->rays, asker->blocked);
    for (int64_t k = 0; k < asker->lines->count; k++)
        asker->verdicts[k] = asker->blocked[k];
}

static void ask_packets(void *user) {
    const sight_asker *asker = user;
    bench_embree_any_packets(asker->rivals->triangles, asker->rays, asker->blocked);
    for (int64_t k = 0; k < asker->lines->count; k++)
        asker->verdicts[k] = asker->blocked[k];
}

/// Embree at its best.
static double best_of_embree(const bench_times *times) {
    return fmin(times->ratio[EMBREE], times->ratio[PACKETS]);
}

/// What differs from Embree by more than its rounding: where the line clears the ground, or does not, by a centimetre.
static int64_t count_wrong(const sight_asker askers[ASKERS]) {
    const sight_asker *ours = &askers[SINGLE];
    int64_t wrong = 0;
    lf_sight_rules rules = ours->rules;
    rules.detail = true;
    for (int64_t k = 0; k < ours->lines->count; k++) {
        lf_sight sight;
        if (ours->verdicts[k] == askers[EMBREE].verdicts[k])
            continue;
        lf_sight_between(ours->rivals->ground, &rules, ours->lines->a[k], ours->lines->b[k], &sight, NULL);
        wrong += fabs(sight.clearance) > 0.01;
    }
    return wrong;
}

static void add_row(bench_table *table, const char *name, const sight_asker askers[ASKERS],
                    const bench_times *times, const int64_t counts[3]) {
    double lines = (double)askers[0].lines->count;
    bench_table_row(table);
    bench_table_cell(table, "%s", name);
    bench_table_cell(table, "%.0f %%", 100.0 * (double)counts[0] / lines);
    for (int i = 0; i < ASKERS; i++)
        bench_table_cell(table, "%.0f", 1e9 * times->seconds[0] * times->ratio[i] / lines);
    bench_table_cell(table, "%.2f", times->ratio[EMBREE] / times->ratio[SINGLE]);
    bench_table_cell(table, "%.2f", best_of_embree(times) / times->ratio[BATCH]);
    bench_table_cell(table, "%.2f", best_of_embree(times) / times->ratio[BENT]);
    bench_table_cell(table, "%lld", (long long)counts[1]);
    bench_table_cell(table, "%lld", (long long)counts[2]);
}

/// One more pass with a cursor that counts, outside the clock.
static void add_work(bench_table *table, const char *name, const sight_asker *asker) {
    lf_cursor *cursor;
    if (lf_cursor_create(NULL, &cursor) != LF_OK)
        bench_stop("no memory for a cursor");
    double lines = (double)asker->lines->count;
    for (int64_t k = 0; k < asker->lines->count; k++) {
        lf_verdict verdict;
        lf_sight_verdict(asker->rivals->ground, &asker->rules, asker->lines->a[k], asker->lines->b[k],
                         &verdict, cursor);
    }
    lf_counters counters = lf_cursor_counters(cursor);
    lf_cursor_destroy(cursor);
    bench_table_row(table);
    bench_table_cell(table, "%s", name);
    bench_table_cell(table, "%.2f", (double)counters.nodes / lines);
    bench_table_cell(table, "%.2f", (double)counters.cells / lines);
    bench_table_cell(table, "%.2f", (double)counters.triangles / lines);
    bench_table_cell(table, "%.4f", (double)counters.exact / lines);
}

static void note_bars(const sight_rivals *rivals, bench_report *report, const sight_question *question,
                      const bench_times *times) {
    char name[128], kind[64];
    bool rough = rivals->field->slope.x != 0.0;
    double single = rough && question->kind == PAIRS ? 20 : rough ? 0 : question->single;
    double batch = rough && question->kind == PAIRS ? 20 : rough ? 0 : question->batch;
    snprintf(kind, sizeof kind, "%s", rivals->field->name);
    for (char *c = kind; *c; c++)
        *c = *c == ' ' ? '-' : *c;
    const char *what = question->kind == PAIRS ? "pairs" : "stations";
    snprintf(name, sizeof name, "sight-%s-%s-single", kind, what);
    if (single > 0)
        bench_bar_relaxed(report, name, times->ratio[EMBREE] / times->ratio[SINGLE], single, rivals->share);
    snprintf(name, sizeof name, "sight-%s-%s-batch", kind, what);
    if (batch > 0)
        bench_bar_relaxed(report, name, best_of_embree(times) / times->ratio[BATCH], batch, rivals->share);
}

static void ask(const sight_rivals *rivals, const sight_question *question, bench_report *report,
                bench_table tables[2], sight_totals *totals) {
    static void (*const runs[ASKERS])(void *user) = {ask_single, ask_batch,  ask_first,
                                                     ask_batch,  ask_embree, ask_packets};
    sight_lines lines;
    bool rough = rivals->field->slope.x != 0.0;
    make_lines(rivals->field, question,
               report->quick ? 2048
               : rough       ? question->count / 64
                             : question->count,
               &lines);
    bench_embree_rays *rays = bench_embree_rays_make(&lines.rays);
    sight_asker askers[ASKERS];
    bench_contestant contestants[ASKERS];
    for (int i = 0; i < ASKERS; i++) {
        askers[i] = (sight_asker){rivals, &lines, rays, lf_sight_rules_default(), NULL, NULL};
        askers[i].rules.curvature.coefficient = i == BENT ? LF_CURVATURE_LIGHT : 0;
        askers[i].verdicts = bench_take((size_t)lines.count, 1);
        askers[i].blocked = bench_take((size_t)lines.count, sizeof(bool));
        contestants[i] = (bench_contestant){"", NULL, runs[i], &askers[i]};
    }
    bench_times times;
    bench_race(contestants, ASKERS, report->rounds, true, &times);
    int64_t counts[3] = {0, 0, count_wrong(askers)};
    for (int64_t k = 0; k < lines.count; k++) {
        counts[0] += askers[SINGLE].verdicts[k] == LF_VERDICT_BLOCKED;
        counts[1] += askers[SINGLE].verdicts[k] != askers[BATCH].verdicts[k] ||
                     askers[SINGLE].verdicts[k] != askers[FIRST].verdicts[k];
    }
    totals->asked += lines.count;
    totals->unequal += counts[1];
    totals->checked += lines.count;
    totals->wrong += counts[2];
    add_row(&tables[0], question->name, askers, &times, counts);
    add_work(&tables[1], question->name, &askers[SINGLE]);
    note_bars(rivals, report, question, &times);
    for (int i = 0; i < ASKERS; i++) {
        free(askers[i].verdicts);
        free(askers[i].blocked);
    }
    bench_embree_rays_close(rays);
    close_lines(&lines);
}

void sight_ask_lines(const sight_rivals *rivals, bench_report *report, sight_totals *totals) {
    static const char *const heads[] = {
        "ns per line", "blocked",    "l single",  "l batch",  "l first break", "l batch, bent", "Embree 1",
        "packets",     "E / single", "E / batch", "E / bent", "unequal l",     "l wrong",       NULL};
    static const char *const work[] = {"work per line", "windows", "blocks", "triangles", "exact", NULL};
    bench_table *tables = bench_take(2, sizeof *tables);
    char title[160];
    snprintf(title, sizeof title,
             "%s: lines 2 m above ground (stations 30 m), Embree one by one and in packets (l: landfall)",
             rivals->field->name);
    bench_table_start(&tables[0], title, heads);
    snprintf(title, sizeof title, "%s: what landfall looked at", rivals->field->name);
    bench_table_start(&tables[1], title, work);
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        ask(rivals, &questions[i], report, tables, totals);
    bench_table_end(&tables[0], report);
    bench_table_end(&tables[1], report);
    free(tables);
}
