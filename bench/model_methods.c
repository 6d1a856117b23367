/// landfall's own methods beside each other, in the modes of the paper, and how they grow.
#include "model.h"

#include <landfall/picture.h>
#include <stdlib.h>
#include <string.h>

/// What is asked, and of what.
typedef struct method {
    const char *name;
    lf_model_method method;
    lf_model_report report;
    bool pairs; ///< or only yes or no
} method;

static const method methods[] = {
    {"tree all", LF_MODEL_TREE, LF_MODEL_REPORT_ALL, true},
    {"field all", LF_MODEL_FIELD, LF_MODEL_REPORT_ALL, true},
    {"field layer", LF_MODEL_FIELD, LF_MODEL_REPORT_LAYER, true},
    {"field sector", LF_MODEL_FIELD, LF_MODEL_REPORT_SECTOR, true},
    {"tree one", LF_MODEL_TREE, LF_MODEL_REPORT_ALL, false},
    {"field one", LF_MODEL_FIELD, LF_MODEL_REPORT_ALL, false},
    {"shells", LF_MODEL_SHELLS, LF_MODEL_REPORT_ALL, false},
};
enum { METHODS = sizeof methods / sizeof *methods, SECTORS = 16, STEP = 50 };

lf_model *model_make(const model_shape *shape, int sectors) {
    lf_model_def def = lf_model_def_default();
    lf_model *model;
    lf_error error = {LF_OK, -1, ""};
    def.polygons.vertices = shape->vertices;
    def.polygons.vertex_count = shape->vertex_count;
    def.polygons.corners = shape->corners;
    def.polygons.polygon_count = shape->triangle_count;
    def.field.sectors = sectors;
    def.field.functions = lf_funfzig_field();
    if (lf_model_create(&def, &model, &error) != LF_OK)
        bench_stop("%s: %s", shape->name, error.text);
    return model;
}

/// Is there a pair?
static bool ask(const lf_model_query *question, const method *method) {
    int64_t count;
    bool touching;
    lf_status status = method->pairs ? lf_model_pairs(question, NULL, 0, &count, NULL)
                                     : lf_model_touch(question, &touching, NULL);
    if (status < 0)
        bench_stop("%s: %s", method->name, lf_status_text(status));
    return method->pairs ? count > 0 : touching;
}

/// Shorter than this, in seconds, a turn is timed several times over: the clock is not that fine.
#define SHORT_TURN 2e-3

/// Microseconds per frame of a full turn, every step-th frame.
static double time_turn(const lf_model *model, const method *method, double distance, int step,
                        int64_t *touching) {
    static lf_pose poses[FRAMES];
    lf_model_query question = lf_model_query_default();
    int turns = 0;
    double start, seconds;
    question.a = question.b = model;
    question.method = method->method;
    question.report = method->report;
    model_poses(distance, poses);
    start = bench_clock();
    do {
        *touching = 0;
        for (int frame = 0; frame < FRAMES; frame += step) {
            question.pose_b = poses[frame];
            *touching += ask(&question, method);
        }
        seconds = bench_clock() - start;
    } while (++turns < 1000 && seconds < SHORT_TURN);
    return 1e6 * seconds * step / ((double)FRAMES * turns);
}

/// Lines of one picture.
typedef struct figure {
    const char *word; ///< in the file's name and the title
    turn_mode mode;   ///< of the peers' lines
    int first, count; ///< of landfall's methods
} figure;

/// In the first, as in the paper's figure, its modes beside trees of oriented boxes and of 18-DOPs.
static const figure figures[] = {{"all pairs", MODE_ALL, 0, 4}, {"yes or no", MODE_TOUCH, 4, 3}};

void model_draw_plot(const lf_plot_def *plot, const char *path) {
    lf_canvas_def def = lf_canvas_def_default();
    lf_canvas *canvas;
    lf_error error = {LF_OK, -1, ""};
    def.width = 1000;
    def.height = 640;
    lf_status status = lf_canvas_create(&def, &canvas, &error);
    if (status == LF_OK) {
        status = lf_canvas_plot(canvas, plot, NULL, &error);
        if (status == LF_OK)
            status = lf_canvas_write(canvas, path, &error);
        lf_canvas_destroy(canvas);
    }
    if (status != LF_OK)
        bench_stop("%s: %s", path, error.text);
    printf("%s: drawn\n", path);
}

/// Times over distances, to a picture beside the CSV file.
static void draw(const model_rivals *rivals, double times[METHODS][DISTANCES], const figure *figure,
                 const bench_report *report) {
    double x[DISTANCES];
    lf_series series[METHODS + PEERS];
    char path[4200], title[120];
    int count = 0;
    memset(series, 0, sizeof series);
    for (int i = 0; i < DISTANCES; i++)
        x[i] = model_distance(i);
    for (int i = 0; i < figure->count; i++, count++) {
        series[count].name = methods[figure->first + i].name;
        series[count].y = times[figure->first + i];
    }
    for (int i = 0; i < PEERS; i++, count++) {
        series[count].name = rivals->kind[i]->name;
        series[count].y = rivals->micros[figure->mode][i + 1];
    }
    for (int i = 0; i < count; i++)
        series[i].x = x, series[i].count = DISTANCES;
    lf_plot_def plot = lf_plot_def_default();
    snprintf(title, sizeof title, "%s, %s: microseconds per frame", rivals->shape->name, figure->word);
    snprintf(path, sizeof path, "%s.%s.%s.png", report->csv_path, rivals->shape->name,
             figure->mode == MODE_ALL ? "pairs" : "touch");
    plot.title = title;
    plot.x.label = "distance";
    plot.y.label = "microseconds";
    plot.y.logarithmic = true;
    plot.series = series;
    plot.series_count = count;
    model_draw_plot(&plot, path);
}

void model_methods(model_rivals *rivals, bench_report *report) {
    static const char *const heads[] = {"distance",       "tree all", "field all", "field layer",
                                        "field sector",   "tree one", "field one", "shells",
                                        "shells wrong %", NULL};
    double times[METHODS][DISTANCES];
    bench_table table;
    char title[160];
    int step = report->quick ? 10 * STEP : STEP;
    rivals->field = model_make(rivals->shape, SECTORS);
    snprintf(title, sizeof title,
             "%s: landfall's methods, field of 6 x %d x %d sectors, microseconds per frame",
             rivals->shape->name, SECTORS, SECTORS);
    bench_table_start(&table, title, heads);
    for (int i = 0; i < DISTANCES; i++) {
        int64_t touching[METHODS];
        bench_table_row(&table);
        bench_table_cell(&table, "%.2f", model_distance(i));
        for (int m = 0; m < METHODS; m++) {
            times[m][i] = time_turn(rivals->field, &methods[m], model_distance(i), step, &touching[m]);
            bench_table_cell(&table, "%.1f", times[m][i]);
        }
        for (int m = 1; m < METHODS - 1; m++)
            if (touching[m] != touching[0])
                bench_stop("%s and %s disagree at distance %g", methods[m].name, methods[0].name,
                           model_distance(i));
        if (touching[METHODS - 1] < touching[0])
            bench_stop("shells missed at distance %g", model_distance(i));
        bench_table_cell(&table, "%.0f",
                         100.0 * (double)(touching[METHODS - 1] - touching[0]) * step / FRAMES);
    }
    bench_table_end(&table, report);
    for (size_t i = 0; report->csv_path && i < sizeof figures / sizeof *figures; i++)
        draw(rivals, times, &figures[i], report);
    lf_model_destroy(rivals->field);
}

/// Of `methods`, those whose time the paper calls independent of the number of triangles, and the tree.
static const int grown[] = {6, 2, 3, 5, 4};
enum { GROWN = sizeof grown / sizeof *grown, SIZES = 4 };

void model_growth(bench_report *report) {
    static const int64_t sizes[SIZES] = {4000, 16000, 64000, 256000};
    static const char *const heads[] = {"triangles", "shells",   "field layer", "field sector",
                                        "field one", "tree one", NULL};
    double times[SIZES][GROWN] = {{0}};
    bench_table table;
    int step = report->quick ? 250 : 50;
    bench_table_start(&table, "knot, refined 1 to 64 times: microseconds per frame, mean over the distances",
                      heads);
    for (int i = 0; i < SIZES; i++) {
        model_shape shape;
        int64_t touching;
        model_shape_knot(&shape, sizes[i]);
        lf_model *model = model_make(&shape, SECTORS);
        bench_table_row(&table);
        bench_table_cell(&table, "%lld", (long long)shape.triangle_count);
        for (int m = 0; m < GROWN; m++) {
            for (int d = 0; d < DISTANCES; d++)
                times[i][m] +=
                    time_turn(model, &methods[grown[m]], model_distance(d), step, &touching) / DISTANCES;
            bench_table_cell(&table, "%.1f", times[i][m]);
        }
        lf_model_destroy(model);
        model_shape_close(&shape);
    }
    bench_table_row(&table);
    bench_table_cell(&table, "64 times");
    for (int m = 0; m < GROWN; m++)
        bench_table_cell(&table, "%.2f", times[SIZES - 1][m] / times[0][m]);
    bench_table_end(&table, report);
    bench_bar(report, "model-shells-growth-below-1.3", 1.3 / (times[SIZES - 1][0] / times[0][0]), 1);
    bench_bar(report, "model-field-layer-growth-below-3", 3 / (times[SIZES - 1][1] / times[0][1]), 1);
    bench_bar(report, "model-field-sector-growth-below-3", 3 / (times[SIZES - 1][2] / times[0][2]), 1);
    bench_bar(report, "model-field-one-growth-below-3", 3 / (times[SIZES - 1][3] / times[0][3]), 1);
}
