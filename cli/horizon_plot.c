/// The skyline as a polar plot: north on top, the zenith in the middle, level or below at the rim.
#include "horizon_file.h"
#include "numbers.h"
#include <landfall/picture.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SIZE 720
#define MIDDLE (SIZE / 2.0)
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

lf_status skyline_plot(cli *run, const void *content, const char *path, lf_error *error) {
    const skyline *skyline = content;
    lf_canvas_def def = lf_canvas_def_default();
    dial dial = {NULL, 0, 0};
    lf_vec2 *points = calloc(2 * (size_t)skyline->count + 2, sizeof *points);
    lf_status status = points ? LF_OK : LF_NO_MEMORY;
    def.host = run->host;
    def.width = def.height = SIZE;
    if (status == LF_OK)
        status = lf_canvas_create(&def, &dial.canvas, error);
    if (status == LF_OK) {
        find_range(skyline, &dial);
        draw_ground(&dial, skyline, points);
        draw_frame(&dial);
        draw_title(&dial, skyline);
        status = lf_canvas_write(dial.canvas, path, error);
    }
    lf_canvas_destroy(dial.canvas);
    free(points);
    return status;
}
