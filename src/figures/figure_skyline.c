/// The skyline of a point as a polar plot: north at the top, the zenith in the middle, level or below at the rim.
#include "base/base.h"
#include "figures.h"
#include <math.h>
#include <stdio.h>

#define RIM (5.0 / 12) // of the page: from the middle to the lowest elevation
#define DEGREE 0.017453292519943295
#define RING_SIDES 180

/// A plot that is being drawn: elevations from the rim to the middle.
typedef struct dial {
    const lf_figure_skyline_def *def;
    lf_canvas *canvas;
    lf_vec2 middle;
    double rim; ///< pixels
    double low, high;
    lf_vec2 *points;
} dial;

static lf_vec2 dial_point(const dial *dial, double azimuth, double elevation) {
    double share = (dial->high - elevation) / (dial->high - dial->low);
    double radius = dial->rim * fmin(fmax(share, 0), 1), angle = azimuth * DEGREE;
    return (lf_vec2){dial->middle.x + radius * sin(angle), dial->middle.y - radius * cos(angle)};
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
        lf_vec2 middle = dial->middle, rim = dial_point(dial, 45.0 * i, dial->low);
        lf_vec2 name = {middle.x + (rim.x - middle.x) * 1.08, middle.y + (rim.y - middle.y) * 1.08};
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
static void draw_ground(const dial *dial) {
    const lf_figure_skyline_def *def = dial->def;
    int64_t count = def->count;
    lf_vec2 *points = dial->points;
    lf_stroke edge = lf_stroke_solid(lf_colour_of(0x5E7350), 2);
    for (int64_t i = 0; i < count; i++) {
        const lf_horizon *horizon = &def->horizons[i];
        double elevation = horizon->reason == LF_REASON_ANSWERED ? horizon->elevation_deg : dial->low;
        points[i] = dial_point(dial, def->azimuths[i], elevation);
        points[2 * count + 1 - i] = dial_point(dial, def->azimuths[i], dial->low);
    }
    // Once around and back along the rim.
    points[count] = points[0];
    points[count + 1] = points[2 * count + 1];
    lf_canvas_fill_polygon(dial->canvas, points, 2 * count + 2, lf_colour_fade(lf_colour_of(0x7F9468), 0.45));
    lf_canvas_polyline(dial->canvas, points, count + 1, &edge);
}

static void find_range(dial *dial) {
    const lf_figure_skyline_def *def = dial->def;
    dial->low = 0;
    dial->high = 10;
    for (int64_t i = 0; i < def->count; i++)
        if (def->horizons[i].reason == LF_REASON_ANSWERED) {
            dial->low = fmin(dial->low, floor(def->horizons[i].elevation_deg));
            dial->high = fmax(dial->high, 10 * ceil(def->horizons[i].elevation_deg / 10 + 0.3));
        }
    dial->high = fmin(dial->high, 90);
}

static void draw_title(const dial *dial) {
    char numbers[3][40], text[160];
    lf_text_style style = lf_text_style_default();
    lf_number_text(dial->def->from.x, 3, numbers[0], sizeof numbers[0]);
    lf_number_text(dial->def->from.y, 3, numbers[1], sizeof numbers[1]);
    lf_number_write(dial->def->rules->curvature.coefficient, numbers[2]);
    snprintf(text, sizeof text, "horizon of %s, %s\ncc %s", numbers[0], numbers[1], numbers[2]);
    lf_canvas_text(dial->canvas, (lf_vec2){16, 28}, text, &style);
}

static lf_status draw_skyline(lf_canvas *canvas, const void *content, lf_error *error) {
    dial dial = *(const struct dial *)content;
    (void)error;
    dial.canvas = canvas;
    draw_ground(&dial);
    draw_frame(&dial);
    draw_title(&dial);
    return LF_OK;
}

lf_status lf_figure_skyline(const lf_figure_page *page, const lf_figure_skyline_def *def, lf_error *error) {
    double side = (double)page->width;
    dial dial = {.def = def, .middle = {side / 2, side / 2}, .rim = floor(RIM * side)};
    lf_allocator allocator = lf__allocator_of(&page->host);
    int64_t count = 2 * def->count + 2;
    lf_status status = lf__allocate_array(&allocator, count, sizeof(lf_vec2), (void **)&dial.points);
    if (status != LF_OK)
        return status;
    find_range(&dial);
    status = lf_figure_write(page, draw_skyline, &dial, error);
    lf__free_array(&allocator, dial.points, count, sizeof(lf_vec2));
    return status;
}
