/// Culling a world in which a part of the boxes moves in each frame, against Bullet's tree; and a camera that moves a little, which need
/// not change what is kept.
#include "cull.h"
#include "dbvt.h"

#include <math.h>
#include <stdlib.h>

enum { FRAMES = 32 };

/// Boxes, and where some of them are in each frame. All numbers are floats.
typedef struct moving {
    int64_t count, moved; ///< boxes, and those that move in each frame
    lf_box *boxes;        ///< at first
    int64_t *items;       ///< frame after frame: which move,
    lf_box *film;         ///< and where to
    lf_view views[FRAMES];
    lf_polyhedron volumes[FRAMES];
    lf_cull *cull;
    bench_dbvt *dbvt;
    int64_t *kept;
    int64_t counts[2][FRAMES];
    double slack; ///< metres, for the second table
    int64_t made; ///< frustums
} moving;

static lf_box box_at(const float at[3], const float half[3]) {
    return (lf_box){
        {(double)at[0] - (double)half[0], (double)at[1] - (double)half[1], (double)at[2] - (double)half[2]},
        {(double)at[0] + (double)half[0], (double)at[1] + (double)half[1], (double)at[2] + (double)half[2]}};
}

/// Numbers of 1/64: their sums are floats too.
static float fine(double x) {
    return (float)(rint(64 * x) / 64);
}

static void make_moving(moving *m, double share) {
    bench_random random = {3};
    double side = 10 * cbrt((double)m->count);
    m->moved = (int64_t)(share * (double)m->count);
    m->boxes = bench_take((size_t)m->count, sizeof *m->boxes);
    m->kept = bench_take((size_t)m->count, sizeof *m->kept);
    m->items = bench_take((size_t)(FRAMES * m->moved), sizeof *m->items);
    m->film = bench_take((size_t)(FRAMES * m->moved), sizeof *m->film);
    float(*at)[3] = bench_take((size_t)m->count, sizeof *at),
    (*half)[3] = bench_take((size_t)m->count, sizeof *half);
    for (int64_t i = 0; i < m->count; i++) {
        for (int k = 0; k < 3; k++) {
            at[i][k] = fine(bench_random_between(&random, 0, side));
            half[i][k] = fine(bench_random_between(&random, 0.1, 1));
        }
        m->boxes[i] = box_at(at[i], half[i]);
    }
    for (int f = 0; f < FRAMES; f++)
        for (int64_t n = 0; n < m->moved; n++) {
            int64_t i = m->moved == m->count ? n : bench_random_below(&random, m->count);
            for (int k = 0; k < 3; k++) {
                float to = at[i][k] + fine(bench_random_between(&random, -1, 1));
                at[i][k] = to < 0 || (double)to > side ? at[i][k] : to;
            }
            m->items[f * m->moved + n] = i;
            m->film[f * m->moved + n] = box_at(at[i], half[i]);
        }
    for (int f = 0; f < FRAMES; f++) {
        lf_view *view = &m->views[f];
        *view = lf_view_default();
        view->at = (lf_vec3){0.5 * side, 0.5 * side, 0.5 * side};
        view->forward = (lf_vec3){cos(0.2 * f), sin(0.2 * f), 0.1};
        view->nearest = 0.1;
        view->farthest = 2 * side;
        if (lf_view_volume(view, &m->volumes[f], NULL) != LF_OK)
            bench_stop("a view is wrong");
    }
    free(at);
    free(half);
}

/// Both start each pass from where the boxes are at first.
static void reset_ours(void *user) {
    moving *m = user;
    lf_cull_def def = lf_cull_def_default();
    lf_cull_destroy(m->cull);
    def.boxes = m->boxes;
    def.count = m->count;
    if (lf_cull_create(&def, &m->cull, NULL) != LF_OK)
        bench_stop("no memory for %lld boxes", (long long)m->count);
}

static void reset_theirs(void *user) {
    moving *m = user;
    if (m->dbvt)
        bench_dbvt_close(m->dbvt);
    m->dbvt = bench_dbvt_open(m->boxes, m->count);
}

static void frames_ours(void *user) {
    moving *m = user;
    for (int f = 0; f < FRAMES; f++) {
        lf_cull_result seen = {.items = m->kept, .capacity = m->count};
        for (int64_t n = f * m->moved; n < (f + 1) * m->moved; n++)
            lf_cull_move(m->cull, m->items[n], m->film[n]);
        if (lf_cull_query(m->cull, &m->views[f], NULL, &seen, NULL) != LF_OK)
            bench_stop("a look failed");
        m->counts[0][f] = seen.count;
    }
}

static void frames_theirs(void *user) {
    moving *m = user;
    for (int f = 0; f < FRAMES; f++) {
        for (int64_t n = f * m->moved; n < (f + 1) * m->moved; n++)
            bench_dbvt_move(m->dbvt, m->items[n], &m->film[n]);
        bench_dbvt_settle(m->dbvt);
        m->counts[1][f] = bench_dbvt_cull(m->dbvt, m->volumes[f].planes, m->volumes[f].plane_count, m->kept);
    }
}

static void close_moving(moving *m) {
    if (m->dbvt)
        bench_dbvt_close(m->dbvt);
    lf_cull_destroy(m->cull);
    free(m->film);
    free(m->items);
    free(m->kept);
    free(m->boxes);
}

static void bench_share(bench_report *report, int64_t count, double share, bench_table *table) {
    moving m = {.count = count};
    bench_times times;
    char name[64];
    make_moving(&m, share);
    const bench_contestant rivals[] = {{"landfall", reset_ours, frames_ours, &m},
                                       {"dbvt", reset_theirs, frames_theirs, &m}};
    bench_race(rivals, 2, report->rounds, true, &times);
    int64_t differ = 0, kept = 0;
    for (int f = 0; f < FRAMES; f++) { // single precision decides about boxes on a plane otherwise
        differ += llabs((long long)(m.counts[0][f] - m.counts[1][f]));
        kept += m.counts[0][f];
    }
    bench_table_row(table);
    bench_table_cell(table, "%lld", (long long)count);
    bench_table_cell(table, "%g %%", 100 * share);
    bench_table_cell(table, "%.1f", 1e6 * times.seconds[0] / FRAMES);
    bench_table_cell(table, "%.1f", 1e6 * times.seconds[1] / FRAMES);
    bench_table_cell(table, "%.1f", times.ratio[1]);
    bench_table_cell(table, "%lld", (long long)(kept / FRAMES));
    bench_table_cell(table, "%lld", (long long)differ);
    snprintf(name, sizeof name, "cull-moving-%lldk-%g%%", (long long)(count / 1000), 100 * share);
    bench_bar(report, name, times.ratio[1], 2);
    if ((double)differ > 1e-4 * (double)kept + 2)
        bench_stop("%lld of %lld boxes are kept by one alone", (long long)differ, (long long)kept);
    close_moving(&m);
}

// ---------------------------------------------------------------------------------------------------
// Changes of the view that are not significant
// ---------------------------------------------------------------------------------------------------

/// A walk: each frame 10 cm further and 0.2 degrees around.
static void walk(void *user) {
    moving *m = user;
    lf_cull_rules rules = lf_cull_rules_default();
    lf_view view = m->views[0];
    rules.slack_distance = m->slack;
    rules.slack_angle = 0.035 * m->slack;
    m->made = m->counts[0][0] = 0;
    for (int f = 0; f < 600; f++) {
        lf_cull_result seen = {.items = m->kept, .capacity = m->count};
        view.at.x += 0.1;
        view.forward = (lf_vec3){cos(0.0035 * f), sin(0.0035 * f), 0.1};
        if (lf_cull_query(m->cull, &view, &rules, &seen, NULL) != LF_OK)
            bench_stop("a look failed");
        m->made += seen.volume_made;
        m->counts[0][0] += seen.count;
    }
}

static void bench_slack(bench_report *report, int64_t count) {
    static const char *const heads[] = {"slack", "microseconds per frame", "frustums of 600", "kept", NULL};
    static const double slacks[] = {0, 0.5, 1, 2, 4};
    static bench_table table;
    double first = 0, best = 0;
    moving m = {.count = count};
    make_moving(&m, 0);
    reset_ours(&m);
    bench_table_start(
        &table, "a camera that walks 10 cm and turns 0.2 degrees per frame: what is a significant change?",
        heads);
    for (int k = 0; k < 5; k++) {
        bench_times times;
        const bench_contestant alone = {"walk", NULL, walk, &m};
        m.slack = slacks[k];
        bench_race(&alone, 1, report->rounds, true, &times);
        bench_table_row(&table);
        bench_table_cell(&table, "%g m, %.0f degrees", m.slack, 2 * m.slack);
        bench_table_cell(&table, "%.1f", 1e6 * times.seconds[0] / 600);
        bench_table_cell(&table, "%lld", (long long)m.made);
        bench_table_cell(&table, "%lld", (long long)(m.counts[0][0] / 600));
        first = k == 0 ? times.seconds[0] : first;
        best = k == 0 ? first : fmin(best, times.seconds[0]);
    }
    bench_table_end(&table, report);
    bench_bar(report, "cull-slack", first / best, 2);
    close_moving(&m);
}

void cull_moving_tables(bench_report *report) {
    static const char *const heads[] = {
        "boxes", "moving", "landfall us/frame", "dbvt us/frame", "ratio", "kept", "differ", NULL};
    static const double shares[] = {0.01, 0.1, 1};
    static bench_table table;
    bench_table_start(&table, "a part of the boxes moves in each frame", heads);
    for (int64_t count = 10000; count <= (report->quick ? 10000 : 100000); count *= 10)
        for (int k = 0; k < 3; k++)
            bench_share(report, count, shares[k], &table);
    bench_table_end(&table, report);
    bench_slack(report, report->quick ? 10000 : 100000);
}
