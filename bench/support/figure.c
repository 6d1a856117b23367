/// Figures beside the tables.
#include "support.h"

#include <string.h>

lf_canvas *bench_page_open(const bench_report *report, int64_t width, int64_t height) {
    lf_canvas_def def = lf_canvas_def_default();
    lf_error error = {LF_OK, -1, ""};
    lf_canvas *canvas;
    if (!report->csv_path)
        return NULL;
    def.width = width;
    def.height = height;
    if (lf_canvas_create(&def, &canvas, &error) != LF_OK)
        bench_stop("a picture of %lld x %lld pixels: %s", (long long)width, (long long)height, error.text);
    return canvas;
}

void bench_page_close(lf_canvas *canvas, const bench_report *report, const char *name) {
    lf_error error = {LF_OK, -1, ""};
    char path[4200];
    snprintf(path, sizeof path, "%s.%s.png", report->csv_path, name);
    if (lf_canvas_write(canvas, path, &error) != LF_OK)
        bench_stop("%s: %s", path, error.text);
    lf_canvas_destroy(canvas);
    printf("\n%s: drawn\n", path);
}

void bench_figure_draw(const bench_figure *figure, const bench_report *report) {
    lf_series series[BENCH_SERIES_MAX];
    lf_plot_def plot = lf_plot_def_default();
    lf_error error = {LF_OK, -1, ""};
    lf_canvas *canvas = bench_page_open(report, 800, 520);
    if (!canvas)
        return;
    memset(series, 0, sizeof series);
    for (int i = 0; i < figure->series_count; i++)
        series[i] = (lf_series){.name = figure->series[i],
                                .x = figure->at,
                                .y = figure->values[i],
                                .count = figure->count,
                                .kind = !figure->bars ? LF_SERIES_LINE
                                        : i == 0      ? LF_SERIES_BARS
                                                      : LF_SERIES_POINTS,
                                .marker = (figure->bars && i == 0) || figure->count > 64 ? LF_MARKER_NONE
                                                                                         : LF_MARKER_DISC};
    if (figure->bars) { // half a bar beyond the outermost ones
        plot.x.low = figure->at[0] - 0.6;
        plot.x.high = figure->at[figure->count - 1] + 0.6;
    }
    plot.title = figure->title;
    plot.x.label = figure->x;
    plot.y.label = figure->y;
    if (!figure->free && !figure->log_y)
        plot.y.low = 0;
    plot.x.logarithmic = figure->log_x;
    plot.y.logarithmic = figure->log_y;
    plot.series = series;
    plot.series_count = figure->series_count;
    if (lf_canvas_plot(canvas, &plot, NULL, &error) != LF_OK)
        bench_stop("%s: %s", figure->name, error.text);
    bench_page_close(canvas, report, figure->name);
}
