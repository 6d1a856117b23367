/// The plot of a profile: ground, the bent line, Fresnel's zone about it, and where it breaks.
#include "numbers.h"
#include "profile.h"
#include <landfall/picture.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH 1100
#define HEIGHT 480
#define SAMPLES 257      // of the line, which is a parabola
#define LONG_LINE 5000.0 // metres from which kilometres are easier to read

/// Numbers of a curve.
typedef struct curve {
    double x[SAMPLES], y[SAMPLES];
} curve;

typedef struct figure {
    const profile *profile;
    double unit; ///< metres that one of the x axis has
    double *ground_x, *ground_y;
    curve line, low, high;
} figure;

static double line_height(const profile *profile, double t) {
    const lf_curvature *bend = &profile->rules->curvature;
    double length = profile->sight->length;
    double sag = bend->coefficient * length * length / (2 * bend->radius);
    return profile->a.z + t * (profile->b.z - profile->a.z) - sag * t * (1 - t);
}

static void fill_curves(figure *figure) {
    const profile *profile = figure->profile;
    double length = profile->sight->length;
    for (int i = 0; i < SAMPLES; i++) {
        double t = (double)i / (SAMPLES - 1), x = t * length / figure->unit;
        double zone = lf_fresnel_radius(profile->rules->frequency_mhz, t * length, (1 - t) * length);
        figure->line.x[i] = figure->low.x[i] = figure->high.x[i] = x;
        figure->line.y[i] = line_height(profile, t);
        figure->low.y[i] = figure->line.y[i] - zone;
        figure->high.y[i] = figure->line.y[i] + zone;
    }
    for (int64_t i = 0; i < profile->count; i++) {
        figure->ground_x[i] = profile->posts[i].distance / figure->unit;
        figure->ground_y[i] = profile->posts[i].ground;
    }
}

static lf_series curve_series(const char *name, const curve *curve, lf_colour colour, double dash) {
    lf_series series = {name, curve->x, curve->y, SAMPLES, LF_SERIES_LINE, LF_MARKER_NONE, colour, 0, dash};
    return series;
}

static void title_of(const figure *figure, char *title, size_t room, char *subtitle, size_t more) {
    const lf_sight *sight = figure->profile->sight;
    char number[3][40];
    bool clear = sight->verdict == LF_VERDICT_CLEAR;
    lf_number_text(clear ? sight->clearance : sight->t * sight->length / figure->unit, 2, number[0],
                   sizeof number[0]);
    number[1][number_write(number[1], figure->profile->rules->curvature.coefficient)] = '\0';
    lf_number_text(sight->fresnel, 2, number[2], sizeof number[2]);
    const char *unit = figure->unit > 1 ? "km" : "m";
    if (clear && isfinite(sight->clearance))
        snprintf(title, room, "clear by %s m", number[0]);
    else if (clear)
        snprintf(title, room, "clear");
    else
        snprintf(title, room, "%s after %s %s", lf_verdict_name(sight->verdict), number[0], unit);
    if (figure->profile->rules->frequency_mhz > 0)
        snprintf(subtitle, more, "cc %s; least clearance: %s of the first Fresnel zone", number[1],
                 number[2]);
    else
        snprintf(subtitle, more, "cc %s", number[1]);
}

static lf_status draw(figure *figure, lf_canvas *canvas, lf_error *error) {
    const profile *profile = figure->profile;
    const lf_sight *sight = profile->sight;
    lf_colour earth = lf_colour_of(0x8A7B5C), sky = lf_colour_of(0x2E6FB5), pale = lf_colour_of(0x7FA8D1),
              alarm = lf_colour_of(0xC8452F);
    char title[120], subtitle[160];
    double end_x[2] = {0, sight->length / figure->unit}, end_y[2] = {profile->a.z, profile->b.z};
    double break_x = sight->t * sight->length / figure->unit, break_y = line_height(profile, sight->t);
    lf_series series[6] = {{"ground", figure->ground_x, figure->ground_y, profile->count, LF_SERIES_AREA,
                            LF_MARKER_NONE, earth, 0, 0}};
    int count = 1;
    if (profile->rules->frequency_mhz > 0) {
        series[count++] = curve_series("first Fresnel zone", &figure->low, pale, 6);
        series[count++] = curve_series(NULL, &figure->high, pale, 6);
    }
    series[count++] = curve_series("line", &figure->line, sky, 0);
    series[count++] = (lf_series){NULL, end_x, end_y, 2, LF_SERIES_POINTS, LF_MARKER_DISC, sky, 0, 0};
    if (sight->verdict != LF_VERDICT_CLEAR)
        series[count++] = (lf_series){lf_verdict_name(sight->verdict),
                                      &break_x,
                                      &break_y,
                                      1,
                                      LF_SERIES_POINTS,
                                      LF_MARKER_CROSS,
                                      alarm,
                                      4,
                                      0};
    title_of(figure, title, sizeof title, subtitle, sizeof subtitle);
    lf_plot_def def = lf_plot_def_default();
    def.title = title;
    def.subtitle = subtitle;
    def.x.label = figure->unit > 1 ? "distance, km" : "distance, m";
    def.x.low = 0;
    def.x.high = sight->length > 0 ? sight->length / figure->unit : 1;
    def.y.label = "height, m";
    def.series = series;
    def.series_count = count;
    return lf_canvas_plot(canvas, &def, NULL, error);
}

lf_status profile_plot(cli *run, const void *content, const char *path, lf_error *error) {
    const profile *profile = content;
    lf_canvas_def def = lf_canvas_def_default();
    lf_canvas *canvas = NULL;
    figure *figure = calloc(1, sizeof *figure);
    double *numbers = calloc((size_t)profile->count * 2 + 1, sizeof(double));
    lf_status status = figure && numbers ? LF_OK : LF_NO_MEMORY;
    def.host = run->host;
    def.width = WIDTH;
    def.height = HEIGHT;
    if (status == LF_OK)
        status = lf_canvas_create(&def, &canvas, error);
    if (status == LF_OK) {
        figure->profile = profile;
        figure->unit = profile->sight->length > LONG_LINE ? 1000 : 1;
        figure->ground_x = numbers;
        figure->ground_y = numbers + profile->count;
        fill_curves(figure);
        status = draw(figure, canvas, error);
    }
    if (status == LF_OK)
        status = lf_canvas_write(canvas, path, error);
    lf_canvas_destroy(canvas);
    free(numbers);
    free(figure);
    return status;
}
