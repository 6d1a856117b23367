/// Figures beside the tables.
#include "support.h"

#include <landfall/picture.h>
#include <string.h>

void bench_figure_draw(const bench_figure *figure, const bench_report *report) {
    lf_series series[BENCH_SERIES_MAX];
    lf_plot_def plot = lf_plot_def_default();
    lf_canvas_def def = lf_canvas_def_default();
    lf_error error = {LF_OK, -1, ""};
    lf_canvas *canvas;
    char path[4200];
    if (!report->csv_path)
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
                                .marker = figure->bars && i == 0 ? LF_MARKER_NONE : LF_MARKER_DISC};
    if (figure->bars) { // half a bar beyond the outermost ones
        plot.x.low = figure->at[0] - 0.6;
        plot.x.high = figure->at[figure->count - 1] + 0.6;
    }
    plot.title = figure->title;
    plot.x.label = figure->x;
    plot.y.label = figure->y;
    plot.y.low = 0;
    plot.series = series;
    plot.series_count = figure->series_count;
    def.width = 800;
    def.height = 520;
    snprintf(path, sizeof path, "%s.%s.png", report->csv_path, figure->name);
    lf_status status = lf_canvas_create(&def, &canvas, &error);
    if (status == LF_OK) {
        status = lf_canvas_plot(canvas, &plot, NULL, &error);
        if (status == LF_OK)
            status = lf_canvas_write(canvas, path, &error);
        lf_canvas_destroy(canvas);
    }
    if (status != LF_OK)
        bench_stop("%s: %s", path, error.text);
    printf("\n%s: drawn\n", path);
}
