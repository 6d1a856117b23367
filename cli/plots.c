#include "plots.h"
#include <math.h>
#include <stdio.h>

bool plot_write(cli *run, const char *path, int64_t width, int64_t height, plot *draw, const void *content) {
    lf_canvas_def def = lf_canvas_def_default();
    lf_canvas *canvas = NULL;
    lf_error error = {0};
    def.host = run->host;
    def.width = width;
    def.height = height;
    lf_status status = lf_canvas_create(&def, &canvas, &error);
    if (status == LF_OK)
        status = draw(canvas, content, &error);
    if (status == LF_OK)
        status = lf_canvas_write(canvas, path, &error);
    lf_canvas_destroy(canvas);
    return succeeded(status, &error);
}

bool sheet_write(cli *run, const sheet *sheet, const char *path) {
    file_output file;
    if (!path_ends(path, ".csv") && !path_ends(path, ".json"))
        return plot_write(run, path, sheet->width, sheet->height, sheet->draw, sheet->content);
    if (!file_output_open(&file, path))
        return false;
    file.out.digits = run->out.digits;
    if (path_ends(path, ".csv"))
        answer_csv(&file.out, sheet->columns, sheet->rows, sheet->count, sheet->size);
    else
        answer_json(&file.out, sheet->fields, sheet->document, true);
    return file_output_close(&file);
}

// ---- The profile of a line: ground, the curved line, the first Fresnel zone around it, and where it is
// blocked ----

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
        figure->ground_x[i] = profile->samples[i].distance / figure->unit;
        figure->ground_y[i] = profile->samples[i].ground;
    }
}

static lf_series curve_series(const char *name, const curve *curve, lf_colour colour, double dash) {
    lf_series series = {name, curve->x, curve->y, SAMPLES, LF_SERIES_LINE, LF_MARKER_NONE, colour, 0, dash};
    return series;
}

static void title_of(const figure *figure, char *title, size_t size, char *subtitle, size_t more) {
    const lf_sight *sight = figure->profile->sight;
    char number[3][40];
    bool clear = sight->verdict == LF_VERDICT_CLEAR;
    lf_number_text(clear ? sight->clearance : sight->t * sight->length / figure->unit, 2, number[0],
                   sizeof number[0]);
    number[1][number_write(number[1], figure->profile->rules->curvature.coefficient)] = '\0';
    lf_number_text(sight->fresnel, 2, number[2], sizeof number[2]);
    const char *unit = figure->unit > 1 ? "km" : "m";
    if (clear && isfinite(sight->clearance))
        snprintf(title, size, "clear by %s m", number[0]);
    else if (clear)
        snprintf(title, size, "clear");
    else
        snprintf(title, size, "%s after %s %s", lf_verdict_name(sight->verdict), number[0], unit);
    if (figure->profile->rules->frequency_mhz > 0)
        snprintf(subtitle, more, "cc %s; least clearance: %s of the first Fresnel zone", number[1],
                 number[2]);
    else
        snprintf(subtitle, more, "cc %s", number[1]);
}

static lf_status draw_profile(const figure *figure, lf_canvas *canvas, lf_error *error) {
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

lf_status plot_profile(lf_canvas *canvas, const void *content, lf_error *error) {
    const profile *profile = content;
    double *numbers = allocate((size_t)profile->count * 2 + 1, sizeof(double));
    figure *figure = allocate(1, sizeof *figure);
    figure->profile = profile;
    figure->unit = profile->sight->length > LONG_LINE ? 1000 : 1;
    figure->ground_x = numbers;
    figure->ground_y = numbers + profile->count;
    fill_curves(figure);
    return draw_profile(figure, canvas, error);
}

// ---- The skyline as a polar plot: north at the top, the zenith in the middle, level or below at the rim
// ----

#define MIDDLE (SKYLINE_SIZE / 2.0)
#define RIM 300.0 // pixels from the middle to the lowest elevation
#define DEGREE 0.017453292519943295
#define RING_SIDES 180

/// Elevations from the rim to the middle.
typedef struct dial {
    lf_canvas *canvas;
    double low, high;
} dial;

static lf_vec2 dial_point(const dial *dial, double azimuth, double elevation) {
    double share = (dial->high - elevation) / (dial->high - dial->low);
    double radius = RIM * fmin(fmax(share, 0), 1), angle = azimuth * DEGREE;
    lf_vec2 point = {MIDDLE + radius * sin(angle), MIDDLE - radius * cos(angle)};
    return point;
}

static void draw_ring(const dial *dial, double elevation, const lf_stroke *stroke) {
    lf_vec2 points[RING_SIDES + 1];
    for (int i = 0; i <= RING_SIDES; i++)
        points[i] = dial_point(dial, 360.0 * i / RING_SIDES, elevation);
    lf_canvas_polyline(dial->canvas, points, RING_SIDES + 1, stroke);
}

static void draw_frame(const dial *dial) {
    static const char *const names[] = {"N", "NE", "E", "SE", "S", "SW", "W", "NW"};
    lf_stroke faint = lf_stroke_solid(lf_colour_of(0xDDE1E6), 1),
              strong = lf_stroke_solid(lf_colour_of(0x8C939D), 1.5);
    lf_text_style style = lf_text_style_default();
    lf_ticks ticks = lf_ticks_of(dial->low, dial->high, 5);
    style.horizontal = LF_ALIGN_MIDDLE;
    style.vertical = LF_ALIGN_MIDDLE;
    for (int i = 0; i < 8; i++) {
        lf_vec2 middle = {MIDDLE, MIDDLE}, rim = dial_point(dial, 45.0 * i, dial->low);
        lf_vec2 name = {MIDDLE + (rim.x - MIDDLE) * 1.08, MIDDLE + (rim.y - MIDDLE) * 1.08};
        lf_canvas_line(dial->canvas, middle, rim, &faint);
        lf_canvas_text(dial->canvas, name, names[i], &style);
    }
    style.height = 14;
    style.colour = lf_colour_of(0x626A75);
    style.halo = lf_colour_of(0xFFFFFF);
    for (int i = 0; i < ticks.count; i++) {
        char number[40], text[44];
        double elevation = ticks.first + i * ticks.step;
        draw_ring(dial, elevation, elevation == 0 ? &strong : &faint);
        lf_number_text(elevation, ticks.decimals, number, sizeof number);
        snprintf(text, sizeof text, "%s\xc2\xb0", number);
        lf_canvas_text(dial->canvas, dial_point(dial, 22.5, elevation), text, &style);
    }
    draw_ring(dial, dial->low, &strong);
}

/// The ground is what lies between the skyline and the rim.
static void draw_ground(const dial *dial, const skyline *skyline, lf_vec2 *points) {
    int64_t count = skyline->count;
    lf_stroke edge = lf_stroke_solid(lf_colour_of(0x5E7350), 2);
    for (int64_t i = 0; i < count; i++) {
        const lf_horizon *horizon = &skyline->horizons[i];
        double elevation = horizon->reason == LF_REASON_ANSWERED ? horizon->elevation_deg : dial->low;
        points[i] = dial_point(dial, skyline->azimuths[i], elevation);
        points[2 * count + 1 - i] = dial_point(dial, skyline->azimuths[i], dial->low);
    }
    // Once around and back along the rim.
    points[count] = points[0];
    points[count + 1] = points[2 * count + 1];
    lf_canvas_fill_polygon(dial->canvas, points, 2 * count + 2, lf_colour_fade(lf_colour_of(0x7F9468), 0.45));
    lf_canvas_polyline(dial->canvas, points, count + 1, &edge);
}

static void find_range(const skyline *skyline, dial *dial) {
    dial->low = 0;
    dial->high = 10;
    for (int64_t i = 0; i < skyline->count; i++)
        if (skyline->horizons[i].reason == LF_REASON_ANSWERED) {
            dial->low = fmin(dial->low, floor(skyline->horizons[i].elevation_deg));
            dial->high = fmax(dial->high, 10 * ceil(skyline->horizons[i].elevation_deg / 10 + 0.3));
        }
    dial->high = fmin(dial->high, 90);
}

static void draw_title(const dial *dial, const skyline *skyline) {
    char numbers[3][40], text[160];
    lf_text_style style = lf_text_style_default();
    lf_vec2 at = {16, 28};
    lf_number_text(skyline->from.x, 3, numbers[0], sizeof numbers[0]);
    lf_number_text(skyline->from.y, 3, numbers[1], sizeof numbers[1]);
    numbers[2][number_write(numbers[2], skyline->rules->curvature.coefficient)] = '\0';
    snprintf(text, sizeof text, "horizon of %s, %s\ncc %s", numbers[0], numbers[1], numbers[2]);
    lf_canvas_text(dial->canvas, at, text, &style);
}

lf_status plot_skyline(lf_canvas *canvas, const void *content, lf_error *error) {
    const skyline *skyline = content;
    dial dial = {canvas, 0, 0};
    (void)error;
    find_range(skyline, &dial);
    draw_ground(&dial, skyline, allocate(2 * (size_t)skyline->count + 2, sizeof(lf_vec2)));
    draw_frame(&dial);
    draw_title(&dial, skyline);
    return LF_OK;
}
