/// Figure 7 of the paper with its own pair of models: a tree against a car, each against itself too, at fixed distances in random
/// orientations. The paper's three reports of the field beside trees of boxes, landfall's and the peers'.
#include "model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 6, LINE_FCL = 4, LINE_ODE = 5, SECTORS = 16, MOST_FRAMES = 40 };

/// As in the paper: all pairs, one per layer, one per sector; then trees, which report all pairs.
static const char *const names[LINES] = {"Transform",     "TransformSingleLayer", "TransformSingle",
                                         "landfall tree", "FCL OBBRSS",           "ODE"};
static const lf_model_report reports[LINES] = {LF_MODEL_REPORT_ALL, LF_MODEL_REPORT_LAYER,
                                               LF_MODEL_REPORT_SECTOR, LF_MODEL_REPORT_ALL};

/// A random rotation: the axis on a sphere, the angle within a turn.
static lf_pose random_pose(bench_random *random, double distance) {
    lf_pose pose;
    double z = bench_random_between(random, -1, 1),
           around = bench_random_between(random, 0, 6.283185307179586);
    double flat = sqrt(1 - z * z);
    lf_pose_turn((lf_vec3){0, 0, 0}, (lf_vec3){flat * cos(around), flat * sin(around), z},
                 bench_random_between(random, 0, 6.283185307179586), &pose);
    pose.translation = (lf_vec3){distance, 0, 0};
    return pose;
}

/// Two models in the form of one method; the peers' as numbered in `kind`.
typedef struct figure_pair {
    const model_rivals *a, *b;
    lf_pose poses[MOST_FRAMES];
    collider_pose peer_poses[MOST_FRAMES];
    int frames;
} figure_pair;

static void turn(figure_pair *pair, bench_random *random, double distance) {
    for (int k = 0; k < pair->frames; k++) {
        pair->poses[k] = random_pose(random, distance);
        memcpy(pair->peer_poses[k].turn, pair->poses[k].rows, sizeof pair->peer_poses[k].turn);
        memcpy(pair->peer_poses[k].shift, &pair->poses[k].translation, sizeof pair->peer_poses[k].shift);
    }
}

/// Microseconds per frame of one method. touching: frames with a pair.
static double time_line(const figure_pair *pair, int line, int64_t *touching) {
    int peer = line == LINE_FCL ? 0 : 2;
    lf_model_query query = lf_model_query_default();
    query.a = pair->a->field;
    query.b = pair->b->field;
    query.method = line < 3 ? LF_MODEL_FIELD : LF_MODEL_TREE;
    query.report = reports[line];
    *touching = 0;
    double start = bench_clock();
    for (int k = 0; k < pair->frames; k++) {
        int64_t count = 0;
        query.pose_b = pair->poses[k];
        if (line >= LINE_FCL)
            count = pair->a->kind[peer]->pairs(pair->a->peer[peer], NULL, pair->b->peer[peer],
                                               &pair->peer_poses[k], true);
        else if (lf_model_pairs(&query, NULL, 0, &count, NULL) < 0)
            bench_stop("%s failed", names[line]);
        *touching += count > 0;
    }
    return 1e6 * (bench_clock() - start) / pair->frames;
}

static void draw_figure(const figure_pair *pair, const char *title, double times[LINES][DISTANCES],
                        const bench_report *report) {
    double x[DISTANCES];
    lf_series series[LINES];
    char path[4200];
    memset(series, 0, sizeof series);
    for (int d = 0; d < DISTANCES; d++)
        x[d] = model_distance(d);
    for (int i = 0; i < LINES; i++)
        series[i].name = names[i], series[i].x = x, series[i].y = times[i], series[i].count = DISTANCES;
    lf_plot_def plot = lf_plot_def_default();
    plot.title = title;
    plot.x.label = "distance";
    plot.y.label = "microseconds";
    plot.y.logarithmic = true;
    plot.series = series;
    plot.series_count = LINES;
    snprintf(path, sizeof path, "%s.figure-7-%s-%s.png", report->csv_path, pair->a->shape->name,
             pair->b->shape->name);
    model_draw_plot(&plot, path);
}

static void race_pair(const model_rivals *a, const model_rivals *b, bench_report *report) {
    static const char *const heads[] = {
        "distance",   "touch %", "Transform", "TransformSingleLayer", "TransformSingle", "landfall tree",
        "FCL OBBRSS", "ODE",     NULL};
    double times[LINES][DISTANCES];
    figure_pair pair = {.a = a, .b = b, .frames = report->quick ? 4 : MOST_FRAMES};
    bench_random random = {19};
    bench_table table;
    char title[80], whole[160];
    snprintf(title, sizeof title, "Figure 7, %s and %s", a->shape->name, b->shape->name);
    snprintf(whole, sizeof whole, "%s: random orientations, microseconds per frame", title);
    bench_table_start(&table, whole, heads);
    for (int d = 0; d < DISTANCES; d++) {
        int64_t touching[LINES];
        turn(&pair, &random, model_distance(d));
        for (int i = 0; i < LINES; i++) {
            if (d == 0) // what is made at the first question is not timed
                time_line(&pair, i, &touching[i]);
            times[i][d] = time_line(&pair, i, &touching[i]);
            if (i < LINE_FCL && touching[i] != touching[0])
                bench_stop("%s and %s disagree at distance %g", names[i], names[0], model_distance(d));
        }
        bench_table_row(&table);
        bench_table_cell(&table, "%.2f", model_distance(d));
        bench_table_cell(&table, "%.0f", 100.0 * (double)touching[0] / pair.frames);
        for (int i = 0; i < LINES; i++)
            bench_table_cell(&table, "%.1f", times[i][d]);
    }
    bench_table_end(&table, report);
    if (report->csv_path)
        draw_figure(&pair, title, times, report);
}

void model_figure(bench_report *report) {
    model_shape shapes[2];
    model_rivals rivals[2];
    model_shape_tree(&shapes[0], 4316);
    if (!model_shape_file(&shapes[1], "car", "models/beetle.obj", 57243))
        model_shape_knot(&shapes[1], 57243);
    for (int i = 0; i < 2; i++) {
        model_rivals_open(&rivals[i], &shapes[i], NULL);
        rivals[i].field = model_make(&shapes[i], SECTORS);
    }
    race_pair(&rivals[0], &rivals[1], report);
    race_pair(&rivals[0], &rivals[0], report);
    race_pair(&rivals[1], &rivals[1], report);
    for (int i = 0; i < 2; i++) {
        lf_model_destroy(rivals[i].field);
        model_rivals_close(&rivals[i]);
        model_shape_close(&shapes[i]);
    }
}
