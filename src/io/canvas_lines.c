/// Lines, arrows and markers: everything is the set of points within half a width of a chain of segments.
#include "io/canvas.h"

/// Cover of one segment on one row of pixels: 1 within `radius` of it, falling to 0 over one pixel.
static void cover_segment(lf_canvas *canvas, const lf__pixels *reach, int64_t row, const lf_vec2 ends[2],
                          double radius) {
    lf_vec2 a = ends[0], b = ends[1];
    double y = (double)row + 0.5, margin = radius + 1;
    double dx = b.x - a.x, dy = b.y - a.y;
    if ((a.y < b.y ? a.y : b.y) - margin > y || (a.y > b.y ? a.y : b.y) + margin < y)
        return;
    // Only the part of the segment that is near this row can reach it.
    double t0 = 0, t1 = 1;
    if (fabs(dy) > 1e-9) {
        double ta = (y - margin - a.y) / dy, tb = (y + margin - a.y) / dy;
        t0 = fmax(t0, fmin(ta, tb));
        t1 = fmin(t1, fmax(ta, tb));
    }
    double xa = a.x + dx * t0, xb = a.x + dx * t1;
    double from = floor(fmin(xa, xb) - margin), to = ceil(fmax(xa, xb) + margin);
    int64_t x0 = from > (double)reach->x0 ? (int64_t)fmin(from, (double)reach->x1) : reach->x0;
    int64_t x1 = to < (double)reach->x1 ? (int64_t)fmax(to, (double)reach->x0) : reach->x1;
    double square = dx * dx + dy * dy, inverse = square > 0 ? 1.0 / square : 0;
    for (int64_t x = x0; x < x1; x++) {
        double px = (double)x + 0.5 - a.x, py = y - a.y;
        double t = (px * dx + py * dy) * inverse;
        t = t < 0 ? 0 : t > 1 ? 1 : t;
        double ex = px - t * dx, ey = py - t * dy;
        float share = (float)(radius + 0.5 - sqrt(ex * ex + ey * ey));
        if (share > canvas->cover[x])
            canvas->cover[x] = share;
    }
}

static bool drawable(lf_vec2 point) {
    return lf__sensible(point.x) && lf__sensible(point.y);
}

/// Lines thinner than a pixel are a pixel wide and paler.
static lf_colour thinned(lf_colour colour, double width) {
    if (width < 1)
        colour.alpha = (uint8_t)((double)colour.alpha * width + 0.5);
    return colour;
}

void lf__canvas_stroke(lf_canvas *canvas, const lf_vec2 *points, int64_t count, double width,
                       lf_colour colour) {
    lf_vec2 low, high;
    lf__pixels reach;
    lf_stroke solid = lf_stroke_solid(colour, width);
    lf__sketch_stroke(canvas, points, count, &solid);
    if (!(width > 0) || !(width < 1e6) || !lf__points_bounds(points, count, &low, &high))
        return;
    double radius = (width > 1 ? width : 1) / 2, margin = radius + 1;
    low.x = fmax(low.x, -1e9) - margin, low.y = fmax(low.y, -1e9) - margin;
    high.x = fmin(high.x, 1e9) + margin, high.y = fmin(high.y, 1e9) + margin;
    low.x = fmax(low.x, -1e9), low.y = fmax(low.y, -1e9);
    high.x = fmin(high.x, 1e9), high.y = fmin(high.y, 1e9);
    if (!lf__canvas_reach(canvas, low, high, &reach))
        return;
    for (int64_t row = reach.y0; row < reach.y1; row++) {
        for (int64_t i = 0; i < count; i++) {
            if (!drawable(points[i]))
                continue;
            bool joined = i + 1 < count && drawable(points[i + 1]);
            bool alone = !joined && (i == 0 || !drawable(points[i - 1]));
            lf_vec2 ends[2] = {points[i], points[joined ? i + 1 : i]};
            if (joined || alone)
                cover_segment(canvas, &reach, row, ends, radius);
        }
        lf__canvas_paint_row(canvas, row, reach.x0, reach.x1, thinned(colour, width));
    }
}

/// Draw the dashes of one segment, the pattern having been entered at `phase`; returns the phase at its end.
static double dash_segment(lf_canvas *canvas, lf_vec2 a, lf_vec2 b, const lf_stroke *stroke, double phase) {
    double length = sqrt((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y));
    double period = stroke->dash + stroke->gap;
    if (!(length > 0))
        return phase;
    double count = ceil((length + phase) / period);
    if (!(count < 1e6)) // more dashes than pixels: a grey line would look no different
        return phase;
    for (int64_t k = 0; k < (int64_t)count; k++) {
        double from = fmax((double)k * period - phase, 0);
        double to = fmin((double)k * period - phase + stroke->dash, length);
        if (to <= from)
            continue;
        lf_vec2 ends[2] = {{a.x + (b.x - a.x) * (from / length), a.y + (b.y - a.y) * (from / length)},
                           {a.x + (b.x - a.x) * (to / length), a.y + (b.y - a.y) * (to / length)}};
        lf__canvas_stroke(canvas, ends, 2, stroke->width, stroke->colour);
    }
    return fmod(phase + length, period);
}

void lf_canvas_polyline(lf_canvas *canvas, const lf_vec2 *points, int64_t count, const lf_stroke *stroke) {
    bool dashed = stroke->dash > 0 && stroke->gap > 0;
    if (!dashed) {
        lf__canvas_stroke(canvas, points, count, stroke->width, stroke->colour);
        return;
    }
    double phase = 0;
    lf__sketch_stroke(canvas, points, count, stroke);
    canvas->sketch.inside++;
    for (int64_t i = 0; i + 1 < count; i++) {
        if (drawable(points[i]) && drawable(points[i + 1]))
            phase = dash_segment(canvas, points[i], points[i + 1], stroke, phase);
        else
            phase = 0;
    }
    canvas->sketch.inside--;
}

void lf_canvas_line(lf_canvas *canvas, lf_vec2 a, lf_vec2 b, const lf_stroke *stroke) {
    lf_vec2 ends[2] = {a, b};
    if (drawable(a) && drawable(b))
        lf_canvas_polyline(canvas, ends, 2, stroke);
}

void lf_canvas_outline(lf_canvas *canvas, const lf_vec2 *corners, int64_t count, const lf_stroke *stroke) {
    if (count < 1)
        return;
    // The chain and its closing side are two strokes; only a translucent outline shows where they meet.
    lf_canvas_polyline(canvas, corners, count, stroke);
    if (count > 2)
        lf_canvas_line(canvas, corners[count - 1], corners[0], stroke);
}

void lf_canvas_arrow(lf_canvas *canvas, lf_vec2 a, lf_vec2 b, const lf_stroke *stroke) {
    double dx = b.x - a.x, dy = b.y - a.y, length = sqrt(dx * dx + dy * dy);
    if (!drawable(a) || !drawable(b) || !(length > 0))
        return;
    double head = fmin(4 + 3 * stroke->width, length), half = 0.42 * head;
    double ux = dx / length, uy = dy / length;
    lf_vec2 neck = {b.x - 0.8 * head * ux, b.y - 0.8 * head * uy};
    lf_vec2 back = {b.x - head * ux, b.y - head * uy};
    lf_vec2 wings[4] = {
        b, {back.x - half * uy, back.y + half * ux}, neck, {back.x + half * uy, back.y - half * ux}};
    lf_canvas_line(canvas, a, neck, stroke);
    lf_canvas_fill_polygon(canvas, wings, 4, stroke->colour);
}

static void marker_polygon(lf_canvas *canvas, lf_vec2 centre, const lf_vec2 *shape, int count, double radius,
                           lf_colour colour) {
    lf_vec2 corners[4];
    for (int i = 0; i < count; i++)
        corners[i] = (lf_vec2){centre.x + radius * shape[i].x, centre.y + radius * shape[i].y};
    lf_canvas_fill_polygon(canvas, corners, count, colour);
}

static void marker_cross(lf_canvas *canvas, lf_vec2 centre, double dx, double dy, double width,
                         lf_colour colour) {
    lf_vec2 gap = {(double)NAN, (double)NAN};
    lf_vec2 points[5] = {{centre.x - dx, centre.y - dy},
                         {centre.x + dx, centre.y + dy},
                         gap,
                         {centre.x - dy, centre.y + dx},
                         {centre.x + dy, centre.y - dx}};
    lf__canvas_stroke(canvas, points, 5, width, colour);
}

static void marker_ring(lf_canvas *canvas, lf_vec2 centre, double radius, double width, lf_colour colour) {
    enum { SIDES = 48 };
    lf_vec2 points[SIDES + 1];
    for (int i = 0; i <= SIDES; i++) {
        double angle = i * (6.283185307179586 / SIDES);
        points[i] = (lf_vec2){centre.x + radius * cos(angle), centre.y + radius * sin(angle)};
    }
    lf__canvas_stroke(canvas, points, SIDES + 1, width, colour);
}

void lf_canvas_marker(lf_canvas *canvas, lf_vec2 centre, lf_marker marker, double size, lf_colour colour) {
    static const lf_vec2 square[4] = {{-0.88, -0.88}, {0.88, -0.88}, {0.88, 0.88}, {-0.88, 0.88}};
    static const lf_vec2 diamond[4] = {{0, -1.2}, {1.2, 0}, {0, 1.2}, {-1.2, 0}};
    static const lf_vec2 triangle[3] = {{0, -1.2}, {1.1, 0.8}, {-1.1, 0.8}};
    double radius = size / 2, width = fmax(1.2, size / 5);
    if (!drawable(centre) || !(size > 0) || !(size < 1e6))
        return;
    switch (marker) {
    case LF_MARKER_NONE:
        return;
    case LF_MARKER_DISC:
        lf_canvas_fill_circle(canvas, centre, radius, colour);
        return;
    case LF_MARKER_RING:
        marker_ring(canvas, centre, radius - width / 4, width, colour);
        return;
    case LF_MARKER_SQUARE:
        marker_polygon(canvas, centre, square, 4, radius, colour);
        return;
    case LF_MARKER_DIAMOND:
        marker_polygon(canvas, centre, diamond, 4, radius, colour);
        return;
    case LF_MARKER_TRIANGLE:
        marker_polygon(canvas, centre, triangle, 3, radius, colour);
        return;
    case LF_MARKER_CROSS:
        marker_cross(canvas, centre, 0.75 * radius, 0.75 * radius, width, colour);
        return;
    case LF_MARKER_PLUS:
        marker_cross(canvas, centre, radius, 0, width, colour);
        return;
    }
}
