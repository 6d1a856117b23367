/// The profile of a line: ground, the curved line, the first Fresnel zone around it, and where it is blocked.
#include "base/base.h"
#include "figures.h"
#include <math.h>
#include <stdio.h>

#define SAMPLES 257      // of the line, which is a parabola
#define LONG_LINE 5000.0 // metres from which kilometres are easier to read

/// Numbers of a curve.
typedef struct profile_curve {
    double x[SAMPLES], y[SAMPLES];
} profile_curve;

typedef struct profile_figure {
    const lf_figure_profile_def *def;
    double unit; ///< metres that one of the x axis has
    double *ground_x, *ground_y;
    profile_curve line, low, high;
} profile_figure;

static double line_height(const lf_figure_profile_def *def, double t) {
    const lf_curvature *bend = &def->rules->curvature;
    double length = def->sight->length;
    double sag = bend->coefficient * length * length / (2 * bend->radius);
    return def->from + t * (def->to - def->from) - sag * t * (1 - t);
}

static void fill_curves(profile_figure *figure) {
    const lf_figure_profile_def *def = figure->def;
    double length = def->sight->length;
    for (int i = 0; i < SAMPLES; i++) {
        double t = (double)i / (SAMPLES - 1), x = t * length / figure->unit;
        double zone = lf_fresnel_radius(def->rules->frequency_mhz, t * length, (1 - t) * length);
        figure->line.x[i] = figure->low.x[i] = figure->high.x[i] = x;
        figure->line.y[i] = line_height(def, t);
        figure->low.y[i] = figure->line.y[i] - zone;
        figure->high.y[i] = figure->line.y[i] + zone;
    }
    for (int64_t i = 0; i < def->count; i++) {
        figure->ground_x[i] = def->samples[i].distance / figure->unit;
        figure->ground_y[i] = def->samples[i].ground;
    }
}

static lf_series curve_series(const char *name, const profile_curve *curve, uint32_t colour, double dash) {
    return (lf_series){
        name, curve->x, curve->y, SAMPLES, LF_SERIES_LINE, LF_MARKER_NONE, lf_colour_of(colour), 0, dash};
}

static lf_series marker_series(const char *name, const double *x, const double *y, int64_t count,
                               lf_marker marker, uint32_t colour) {
    return (lf_series){name, x, y, count, LF_SERIES_POINTS, marker, lf_colour_of(colour), 0, 0};
}

static void title_of(const profile_figure *figure, char *title, size_t size, char *subtitle, size_t more) {
    const lf_sight *sight = figure->def->sight;
    char number[3][LF_NUMBER_SIZE];
    bool clear = sight->verdict == LF_VERDICT_CLEAR;
    lf_number_text(clear ? sight->clearance : sight->t * sight->length / figure->unit, 2, number[0],
                   sizeof number[0]);
    lf_number_write(figure->def->rules->curvature.coefficient, number[1]);
    lf_number_text(sight->fresnel, 2, number[2], sizeof number[2]);
    const char *unit = figure->unit > 1 ? "km" : "m";
    if (clear && isfinite(sight->clearance))
        snprintf(title, size, "clear by %s m", number[0]);
    else if (clear)
        snprintf(title, size, "clear");
    else
        snprintf(title, size, "%s after %s %s", lf_verdict_name(sight->verdict), number[0], unit);
    if (figure->def->rules->frequency_mhz > 0)
        snprintf(subtitle, more, "cc %s; least clearance: %s of the first Fresnel zone", number[1],
                 number[2]);
    else
        snprintf(subtitle, more, "cc %s", number[1]);
}

static lf_status draw_profile(lf_canvas *canvas, const void *content, lf_error *error) {
    const profile_figure *figure = content;
    const lf_figure_profile_def *def = figure->def;
    const lf_sight *sight = def->sight;
    char title[120], subtitle[160];
    double end_x[2] = {0, sight->length / figure->unit}, end_y[2] = {def->from, def->to};
    double break_x = sight->t * sight->length / figure->unit, break_y = line_height(def, sight->t);
    lf_series series[6] = {{"ground", figure->ground_x, figure->ground_y, def->count, LF_SERIES_AREA,
                            LF_MARKER_NONE, lf_colour_of(0x8A7B5C), 0, 0}};
    int count = 1;
    if (def->rules->frequency_mhz > 0) {
        series[count++] = curve_series("first Fresnel zone", &figure->low, 0x7FA8D1, 6);
        series[count++] = curve_series(NULL, &figure->high, 0x7FA8D1, 6);
    }
    series[count++] = curve_series("line", &figure->line, 0x2E6FB5, 0);
    series[count++] = marker_series(NULL, end_x, end_y, 2, LF_MARKER_DISC, 0x2E6FB5);
    if (sight->verdict != LF_VERDICT_CLEAR) {
        series[count] =
            marker_series(lf_verdict_name(sight->verdict), &break_x, &break_y, 1, LF_MARKER_CROSS, 0xC8452F);
        series[count++].width = 4;
    }
    title_of(figure, title, sizeof title, subtitle, sizeof subtitle);
    lf_plot_def plot = lf_plot_def_default();
    plot.title = title;
    plot.subtitle = subtitle;
    plot.x.label = figure->unit > 1 ? "distance, km" : "distance, m";
    plot.x.low = 0;
    plot.x.high = sight->length > 0 ? sight->length / figure->unit : 1;
    plot.y.label = "height, m";
    plot.series = series;
    plot.series_count = count;
    return lf_canvas_plot(canvas, &plot, NULL, error);
}

lf_status lf_figure_profile(const lf_figure_page *page, const lf_figure_profile_def *def, lf_error *error) {
    profile_figure figure = {.def = def, .unit = def->sight->length > LONG_LINE ? 1000 : 1};
    lf_allocator allocator = lf__allocator_of(&page->host);
    int64_t count = 2 * def->count + 1;
    lf_status status = lf__allocate_array(&allocator, count, sizeof(double), (void **)&figure.ground_x);
    if (status != LF_OK)
        return status;
    figure.ground_y = figure.ground_x + def->count;
    fill_curves(&figure);
    status = lf_figure_write(page, draw_profile, &figure, error);
    lf__free_array(&allocator, figure.ground_x, count, sizeof(double));
    return status;
}
