/// The data of a plot, and the legend.
#include "io/plot.h"

lf_colour lf__series_colour(const lf_plot_def *def, int64_t i) {
    return def->series[i].colour.alpha > 0 ? def->series[i].colour : lf_colour_series(i);
}

static double width_of(const lf_series *series) {
    return series->width > 0 ? series->width : 2.0;
}

static lf_stroke stroke_of(const lf_series *series, lf_colour colour) {
    lf_stroke stroke = {colour, width_of(series), series->dash, series->dash > 0 ? series->dash * 0.9 : 0};
    return stroke;
}

enum { CHUNK = 256 };

/// The pixels of points first .. first + CHUNK - 1; a staircase gets a corner before each further point.
static int64_t chunk_points(const lf__plot *plot, const lf_series *series, int64_t first, lf_vec2 *points) {
    int64_t count = 0, last = first + CHUNK < series->count ? first + CHUNK : series->count;
    for (int64_t i = first; i < last; i++) {
        lf_vec2 point = lf__plot_point(plot, series->x[i], series->y[i]);
        if (series->kind == LF_SERIES_STEPS && i > first) {
            points[count] = (lf_vec2){point.x, points[count - 1].y};
            count++;
        }
        points[count++] = point;
    }
    return count;
}

/// A line is drawn in chunks that share their end points, so that no memory is needed. Dashes start anew there.
static void draw_line(const lf__plot *plot, const lf_series *series, lf_colour colour) {
    lf_vec2 points[2 * CHUNK];
    lf_stroke stroke = stroke_of(series, colour);
    for (int64_t first = 0; first < series->count; first += CHUNK - 1) {
        int64_t count = chunk_points(plot, series, first, points);
        lf_canvas_polyline(plot->canvas, points, count, &stroke);
    }
}

/// The height of the tint's foot: zero where the axis shows it, else the nearer end.
static double foot_of(const lf__plot *plot) {
    double at = plot->y.logarithmic ? plot->y.low : fmin(fmax(0, plot->y.low), plot->y.high);
    return lf_view_to_pixel(&plot->view, 0, at).y;
}

static void fill_run(const lf__plot *plot, lf_vec2 *points, int64_t count, lf_colour tint) {
    double foot = foot_of(plot);
    if (count < 2)
        return;
    points[count] = (lf_vec2){points[count - 1].x, foot};
    points[count + 1] = (lf_vec2){points[0].x, foot};
    lf_canvas_fill_polygon(plot->canvas, points, count + 2, tint);
}

/// Tint under a line, in runs that end where the line breaks or the buffer is full.
static void fill_under(const lf__plot *plot, const lf_series *series, lf_colour colour) {
    lf_vec2 points[CHUNK + 2];
    lf_colour tint = lf_colour_fade(colour, 0.16);
    int64_t count = 0;
    for (int64_t i = 0; i < series->count; i++) {
        lf_vec2 point = lf__plot_point(plot, series->x[i], series->y[i]);
        bool fine = lf__sensible(point.x) && lf__sensible(point.y);
        if (fine)
            points[count++] = point;
        if (!fine || count == CHUNK) {
            fill_run(plot, points, count, tint);
            points[0] = point;
            count = fine ? 1 : 0;
        }
    }
    fill_run(plot, points, count, tint);
}

/// Bars take 0.7 of the least distance between neighbours.
static double bar_width(const lf__plot *plot, const lf_series *series) {
    double least = plot->view.area.width / 8;
    for (int64_t i = 1; i < series->count; i++) {
        double a = lf__plot_point(plot, series->x[i - 1], series->y[i - 1]).x;
        double b = lf__plot_point(plot, series->x[i], series->y[i]).x;
        if (fabs(b - a) > 0 && fabs(b - a) < least)
            least = fabs(b - a);
    }
    return fmax(1, 0.7 * least);
}

static void draw_bars(const lf__plot *plot, const lf_series *series, lf_colour colour) {
    double width = bar_width(plot, series), foot = foot_of(plot);
    for (int64_t i = 0; i < series->count; i++) {
        lf_vec2 top = lf__plot_point(plot, series->x[i], series->y[i]);
        lf_rect bar = {top.x - width / 2, fmin(top.y, foot), width, fabs(foot - top.y)};
        if (isfinite(top.x) && isfinite(top.y))
            lf_canvas_fill_rect(plot->canvas, bar, lf_colour_fade(colour, 0.85));
    }
}

static void draw_markers(const lf__plot *plot, const lf_series *series, lf_colour colour) {
    lf_marker marker = series->marker;
    if (marker == LF_MARKER_NONE && series->kind == LF_SERIES_POINTS)
        marker = LF_MARKER_DISC;
    double size =
        series->kind == LF_SERIES_POINTS ? fmax(5, 2.5 * width_of(series)) : 3.2 * width_of(series) + 1;
    for (int64_t i = 0; i < series->count && marker != LF_MARKER_NONE; i++)
        lf_canvas_marker(plot->canvas, lf__plot_point(plot, series->x[i], series->y[i]), marker, size,
                         colour);
}

void lf__plot_series(const lf__plot *plot) {
    for (int64_t i = 0; i < plot->def->series_count; i++) {
        const lf_series *series = &plot->def->series[i];
        lf_colour colour = lf__series_colour(plot->def, i);
        if (series->kind == LF_SERIES_AREA)
            fill_under(plot, series, colour);
        if (series->kind == LF_SERIES_BARS)
            draw_bars(plot, series, colour);
        else if (series->kind != LF_SERIES_POINTS)
            draw_line(plot, series, colour);
        draw_markers(plot, series, colour);
    }
}

/// How many points of all series lie in a rectangle: what a legend there would hide.
static int64_t points_hidden(const lf__plot *plot, lf_rect rect) {
    int64_t hidden = 0;
    for (int64_t i = 0; i < plot->def->series_count; i++) {
        const lf_series *series = &plot->def->series[i];
        // A sample along each segment, too: long lines have few points.
        for (int64_t k = 0; k < series->count; k++) {
            lf_vec2 a = lf__plot_point(plot, series->x[k], series->y[k]);
            lf_vec2 b = k > 0 && series->kind != LF_SERIES_POINTS
                            ? lf__plot_point(plot, series->x[k - 1], series->y[k - 1])
                            : a;
            for (int part = 0; part < 4; part++) {
                double x = a.x + (b.x - a.x) * part / 4, y = a.y + (b.y - a.y) * part / 4;
                hidden += x > rect.x && x < rect.x + rect.width && y > rect.y && y < rect.y + rect.height;
            }
        }
    }
    return hidden;
}

static lf_rect best_corner(const lf__plot *plot, double width, double height) {
    const lf_rect *area = &plot->view.area;
    lf_rect best = {0, 0, 0, 0};
    int64_t least = INT64_MAX;
    for (int corner = 0; corner < 4; corner++) {
        bool left = corner == 1 || corner == 3, low = corner >= 2;
        lf_rect rect = {left ? area->x + 12 : area->x + area->width - width - 8,
                        low ? area->y + area->height - height - 12 : area->y + 6, width, height};
        int64_t hidden = points_hidden(plot, rect);
        if (hidden < least) {
            least = hidden;
            best = rect;
        }
    }
    return best;
}

static void legend_sample(const lf__plot *plot, int64_t i, lf_vec2 at, double length) {
    const lf_series *series = &plot->def->series[i];
    lf_colour colour = lf__series_colour(plot->def, i);
    lf_stroke stroke = stroke_of(series, colour);
    lf_vec2 middle = {at.x + length / 2, at.y};
    if (series->kind == LF_SERIES_BARS || series->kind == LF_SERIES_AREA) {
        lf_rect patch = {at.x, at.y - 5, length, 10};
        lf_canvas_fill_rect(plot->canvas, patch,
                            lf_colour_fade(colour, series->kind == LF_SERIES_AREA ? 0.2 : 0.85));
    }
    if (series->kind == LF_SERIES_LINE || series->kind == LF_SERIES_STEPS)
        lf_canvas_line(plot->canvas, at, (lf_vec2){at.x + length, at.y}, &stroke);
    lf_marker marker = series->marker;
    if (marker == LF_MARKER_NONE && series->kind == LF_SERIES_POINTS)
        marker = LF_MARKER_DISC;
    lf_canvas_marker(plot->canvas, middle, marker, 7, colour);
}

void lf__plot_legend(const lf__plot *plot) {
    const lf_plot_def *def = plot->def;
    lf_text_style style = lf_text_style_default();
    style.height = 0.92 * def->text_height;
    style.vertical = LF_ALIGN_MIDDLE;
    double widest = 0, sample = 1.6 * style.height, line = 1.25 * style.height;
    int64_t named = 0;
    for (int64_t i = 0; i < def->series_count; i++)
        if (def->series[i].name) {
            widest = fmax(widest, lf_text_width(def->series[i].name, style.height));
            named++;
        }
    if (named == 0)
        return;
    lf_rect box = best_corner(plot, widest + sample + 30, (double)named * line + 10);
    lf_canvas_fill_rect(plot->canvas, box, (lf_colour){255, 255, 255, 215});
    double y = box.y + 5 + line / 2;
    for (int64_t i = 0; i < def->series_count; i++) {
        if (!def->series[i].name)
            continue;
        legend_sample(plot, i, (lf_vec2){box.x + 10, floor(y) + 0.5}, sample);
        lf_canvas_text(plot->canvas, (lf_vec2){box.x + 20 + sample, y}, def->series[i].name, &style);
        y += line;
    }
}
