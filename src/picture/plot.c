/// Plots: choose the axes, lay out the frame, draw the grid, the series and the legend.
#include "picture/picture.h"
#include <string.h>

static const lf_colour ink = {38, 43, 51, 255}, soft_ink = {98, 106, 117, 255},
                       grid_ink = {228, 231, 235, 255}, faint_ink = {241, 243, 245, 255},
                       axis_ink = {140, 147, 157, 255};

/// An axis with its final range: low and high are logarithms (base ten) on a logarithmic axis.
typedef struct plot_axis {
    double low, high;
    bool logarithmic;
    lf_ticks ticks;
} plot_axis;

/// A plot that is being drawn.
typedef struct plot {
    lf_canvas *canvas;
    const lf_plot_def *def;
    plot_axis x, y;
    lf_map_axes view;
    lf_vec2 *points; ///< for the longest series as a staircase, and two more
} plot;

/// A value on an axis: itself, or its logarithm; NaN where that does not exist.
static double axis_value(const plot_axis *axis, double value) {
    if (!axis->logarithmic)
        return value;
    return value > 0 ? log10(value) : (double)NAN;
}

/// The pixel of a point; NaN where there is none.
static lf_vec2 plot_point(const plot *plot, double x, double y) {
    return lf_map_axes_to_pixel(&plot->view, axis_value(&plot->x, x), axis_value(&plot->y, y));
}

// ---------------------------------------------------------------------------------------------------
// Axes and frame
// ---------------------------------------------------------------------------------------------------

/// The range of a series on one axis is added to low .. high.
static void add_range(const lf_series *series, bool is_y, bool logarithmic, double *low, double *high) {
    plot_axis axis = {.logarithmic = logarithmic};
    const double *values = is_y ? series->y : series->x;
    for (int64_t i = 0; i < series->count; i++) {
        double value = axis_value(&axis, values[i]);
        if (!isfinite(value) || !isfinite(series->x[i]) || !isfinite(series->y[i]))
            continue;
        *low = fmin(*low, value);
        *high = fmax(*high, value);
    }
    if (is_y && series->kind == LF_SERIES_BARS && !logarithmic) {
        *low = fmin(*low, 0);
        *high = fmax(*high, 0);
    }
}

/// Widen low .. high to whole steps where the def has NaN.
static void round_out(const lf_axis *asked, plot_axis *axis, int about) {
    lf_ticks ticks = lf_ticks_of(axis->low, axis->high, about);
    if (ticks.count == 0 || axis->logarithmic)
        return;
    if (isnan(asked->low))
        axis->low = floor(axis->low / ticks.step + 1e-9) * ticks.step;
    if (isnan(asked->high))
        axis->high = ceil(axis->high / ticks.step - 1e-9) * ticks.step;
}

static lf_status choose_axis(const lf_plot_def *def, bool is_y, int about, plot_axis *axis, lf_error *error) {
    const lf_axis *asked = is_y ? &def->y : &def->x;
    const char *name = is_y ? "y" : "x";
    *axis = (plot_axis){.low = LF_INFINITY, .high = -LF_INFINITY, .logarithmic = asked->logarithmic};
    for (int64_t i = 0; i < def->series_count; i++)
        add_range(&def->series[i], is_y, asked->logarithmic, &axis->low, &axis->high);
    if (axis->low > axis->high) {
        if (asked->logarithmic && (isnan(asked->low) || isnan(asked->high)))
            return lf__fail(error, LF_BAD_ARGUMENT, -1, "no value above 0 on the logarithmic %s axis", name);
        axis->low = 0;
        axis->high = 1;
    }
    if (!(axis->high - axis->low > 1e-9 * fmax(fabs(axis->low), fabs(axis->high)))) {
        double margin = fmax(0.5, 0.05 * fabs(axis->low));
        axis->low -= margin;
        axis->high += margin;
    }
    if (!isnan(asked->low))
        axis->low = axis_value(axis, asked->low);
    if (!isnan(asked->high))
        axis->high = axis_value(axis, asked->high);
    if (!isfinite(axis->low) || !isfinite(axis->high) || !(axis->low < axis->high))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%s axis: low must be below high, both finite", name);
    round_out(asked, axis, about);
    axis->ticks = lf_ticks_of(axis->low, axis->high, about);
    if (axis->logarithmic && axis->ticks.step < 1)
        axis->ticks = (lf_ticks){ceil(axis->low - 1e-9), 1,
                                 (int)(floor(axis->high + 1e-9) - ceil(axis->low - 1e-9)) + 1, 0};
    return LF_OK;
}

/// The text of a tick; powers of ten are written out while they are short.
static void tick_text(const plot_axis *axis, int i, char *text, size_t capacity) {
    double at = axis->ticks.first + i * axis->ticks.step;
    int power = (int)floor(at + 0.5);
    if (!axis->logarithmic) {
        lf_number_text(at, axis->ticks.decimals, text, capacity);
    } else if (power >= -4 && power <= 5) {
        double value = 1;
        for (int k = 0; k < (power < 0 ? -power : power); k++)
            value *= 10;
        lf_number_text(power < 0 ? 1 / value : value, power < 0 ? -power : 0, text, capacity);
    } else {
        char number[8];
        lf_number_text(power, 0, number, sizeof number);
        size_t length = strlen(number);
        if (capacity > length + 2) {
            memcpy(text, "1e", 2);
            memcpy(text + 2, number, length + 1);
        }
    }
}

static double widest_tick(const plot_axis *axis, double height) {
    double widest = 0;
    char text[40];
    for (int i = 0; i < axis->ticks.count; i++) {
        tick_text(axis, i, text, sizeof text);
        widest = fmax(widest, lf__text_width(text, height));
    }
    return widest;
}

/// The frame that is left for the data beside title, labels and numbers.
static lf_rect frame_of(const lf_plot_def *def, lf_rect area, double tick_width) {
    double line = def->text_height, left = 14 + tick_width + (def->y.label ? 1.5 * line : 0);
    double top = 0.8 * line + (def->title ? 1.7 * line : 0) + (def->subtitle ? 1.2 * line : 0);
    double bottom = 1.9 * line + (def->x.label ? 1.4 * line : 0);
    lf_rect frame = {floor(area.x + left + 0.6 * line), floor(area.y + top), 0, 0};
    frame.width = floor(area.x + area.width - 1.6 * line - frame.x);
    frame.height = floor(area.y + area.height - bottom - frame.y);
    return frame;
}

/// Grow the shorter axis so that both have the same scale.
static void same_scale(plot *plot, lf_rect area) {
    double x_unit = area.width / (plot->x.high - plot->x.low);
    double y_unit = area.height / (plot->y.high - plot->y.low);
    plot_axis *loose = x_unit > y_unit ? &plot->x : &plot->y;
    double grow = 0.5 * (loose->high - loose->low) * (fmax(x_unit, y_unit) / fmin(x_unit, y_unit) - 1);
    loose->low -= grow;
    loose->high += grow;
    loose->ticks = lf_ticks_of(loose->low, loose->high, loose->ticks.count > 2 ? loose->ticks.count : 3);
}

static void grid_line(const plot *plot, bool is_y, double at, lf_colour colour) {
    const lf_rect *area = &plot->view.area;
    lf_vec2 point =
        lf_map_axes_to_pixel(&plot->view, is_y ? plot->view.x_low : at, is_y ? at : plot->view.y_low);
    lf_rect line = {is_y ? area->x : floor(point.x), is_y ? floor(point.y) : area->y, is_y ? area->width : 1,
                    is_y ? 1 : area->height};
    lf_canvas_fill_rect(plot->canvas, line, colour);
}

/// Fine lines at 2, 3 ... 9 times each power of ten, unless there are too many powers.
static void minor_lines(const plot *plot, bool is_y) {
    const plot_axis *axis = is_y ? &plot->y : &plot->x;
    if (!axis->logarithmic || axis->high - axis->low > 8)
        return;
    for (int power = (int)floor(axis->low); power <= (int)ceil(axis->high); power++)
        for (int digit = 2; digit < 10; digit++) {
            double at = power + log10(digit);
            if (at > axis->low && at < axis->high)
                grid_line(plot, is_y, at, faint_ink);
        }
}

static void draw_axis(const plot *plot, bool is_y) {
    const plot_axis *axis = is_y ? &plot->y : &plot->x;
    const lf_rect *area = &plot->view.area;
    lf_text_style style = lf_text_style_default();
    style.height = 0.88 * plot->def->text_height;
    style.colour = soft_ink;
    style.horizontal = is_y ? LF_ALIGN_END : LF_ALIGN_MIDDLE;
    style.vertical = is_y ? LF_ALIGN_MIDDLE : LF_ALIGN_START;
    for (int i = 0; i < axis->ticks.count; i++) {
        char text[40];
        double at = axis->ticks.first + i * axis->ticks.step;
        lf_vec2 point =
            lf_map_axes_to_pixel(&plot->view, is_y ? plot->view.x_low : at, is_y ? at : plot->view.y_low);
        grid_line(plot, is_y, at, grid_ink);
        tick_text(axis, i, text, sizeof text);
        lf_vec2 place = {is_y ? area->x - 10 : point.x, is_y ? point.y + 1 : area->y + area->height + 9};
        lf_canvas_text(plot->canvas, place, text, &style);
    }
}

static void draw_labels(const plot *plot, lf_rect whole) {
    const lf_plot_def *def = plot->def;
    const lf_rect *area = &plot->view.area;
    lf_text_style style = lf_text_style_default();
    style.height = def->text_height;
    style.horizontal = LF_ALIGN_MIDDLE;
    style.colour = ink;
    lf_vec2 below = {area->x + area->width / 2, whole.y + whole.height - 0.75 * style.height};
    lf_canvas_text(plot->canvas, below, def->x.label, &style);
    style.quarter_turns = 1;
    style.vertical = LF_ALIGN_START;
    lf_vec2 beside = {whole.x + 12, area->y + area->height / 2};
    lf_canvas_text(plot->canvas, beside, def->y.label, &style);
    style.quarter_turns = 0;
    style.horizontal = LF_ALIGN_START;
    lf_vec2 title = {area->x, whole.y + 0.75 * style.height};
    style.height = 1.25 * def->text_height;
    style.bold = true;
    lf_canvas_text(plot->canvas, title, def->title, &style);
    style.height = 0.95 * def->text_height;
    style.bold = false;
    style.colour = soft_ink;
    title.y += def->title ? 1.5 * def->text_height : 0;
    lf_canvas_text(plot->canvas, title, def->subtitle, &style);
}

// ---------------------------------------------------------------------------------------------------
// Series
// ---------------------------------------------------------------------------------------------------

static lf_colour series_colour(const lf_plot_def *def, int64_t i) {
    return def->series[i].colour.alpha > 0 ? def->series[i].colour : lf__colour_series(i);
}

static double width_of(const lf_series *series) {
    return series->width > 0 ? series->width : 2.0;
}

static lf_stroke stroke_of(const lf_series *series, lf_colour colour) {
    lf_stroke stroke = {colour, width_of(series), series->dash, series->dash > 0 ? series->dash * 0.9 : 0};
    return stroke;
}

/// A line, or a staircase with a corner before each further point.
static void draw_line(const plot *plot, const lf_series *series, lf_colour colour) {
    lf_stroke stroke = stroke_of(series, colour);
    int64_t count = 0;
    for (int64_t i = 0; i < series->count; i++) {
        lf_vec2 point = plot_point(plot, series->x[i], series->y[i]);
        if (series->kind == LF_SERIES_STEPS && i > 0) {
            plot->points[count] = (lf_vec2){point.x, plot->points[count - 1].y};
            count++;
        }
        plot->points[count++] = point;
    }
    lf_canvas_polyline(plot->canvas, plot->points, count, &stroke);
}

/// The y pixel where areas and bars start: zero where the axis shows it, else the nearer end.
static double base_of(const plot *plot) {
    double at = plot->y.logarithmic ? plot->y.low : fmin(fmax(0, plot->y.low), plot->y.high);
    return lf_map_axes_to_pixel(&plot->view, 0, at).y;
}

/// Tint the area under a line, in runs that end where the line is interrupted.
static void fill_under(const plot *plot, const lf_series *series, lf_colour colour) {
    double base = base_of(plot);
    int64_t count = 0;
    for (int64_t i = 0; i <= series->count; i++) {
        lf_vec2 point = {(double)NAN, 0};
        if (i < series->count)
            point = plot_point(plot, series->x[i], series->y[i]);
        if (lf__drawable(point)) {
            plot->points[count++] = point;
        } else if (count > 0) {
            plot->points[count] = (lf_vec2){plot->points[count - 1].x, base};
            plot->points[count + 1] = (lf_vec2){plot->points[0].x, base};
            lf_canvas_fill_polygon(plot->canvas, plot->points, count + 2, lf_colour_fade(colour, 0.16));
            count = 0;
        }
    }
}

/// Bars take 0.7 of the least distance between neighbours.
static double bar_width(const plot *plot, const lf_series *series) {
    double least = plot->view.area.width / 8;
    for (int64_t i = 1; i < series->count; i++) {
        double a = plot_point(plot, series->x[i - 1], series->y[i - 1]).x;
        double b = plot_point(plot, series->x[i], series->y[i]).x;
        if (fabs(b - a) > 0 && fabs(b - a) < least)
            least = fabs(b - a);
    }
    return fmax(1, 0.7 * least);
}

static void draw_bars(const plot *plot, const lf_series *series, lf_colour colour) {
    double width = bar_width(plot, series), base = base_of(plot);
    for (int64_t i = 0; i < series->count; i++) {
        lf_vec2 top = plot_point(plot, series->x[i], series->y[i]);
        lf_rect bar = {top.x - width / 2, fmin(top.y, base), width, fabs(base - top.y)};
        if (isfinite(top.x) && isfinite(top.y))
            lf_canvas_fill_rect(plot->canvas, bar, lf_colour_fade(colour, 0.85));
    }
}

static void draw_markers(const plot *plot, const lf_series *series, lf_colour colour) {
    lf_marker marker = series->marker;
    if (marker == LF_MARKER_NONE && series->kind == LF_SERIES_POINTS)
        marker = LF_MARKER_DISC;
    double size =
        series->kind == LF_SERIES_POINTS ? fmax(5, 2.5 * width_of(series)) : 3.2 * width_of(series) + 1;
    const lf_rect *area = &plot->view.area;
    for (int64_t i = 0; i < series->count && marker != LF_MARKER_NONE; i++) {
        lf_vec2 at = plot_point(plot, series->x[i], series->y[i]);
        if (at.x > area->x - 1 && at.x < area->x + area->width + 1 && at.y > area->y - 1 &&
            at.y < area->y + area->height + 1)
            lf_canvas_marker(plot->canvas, at, marker, size, colour);
    }
}

/// Lines and areas end at the frame; a marker on its edge is shown whole.
static void draw_series(const plot *plot) {
    lf_rect frame = plot->view.area;
    frame.x -= 1, frame.y -= 4, frame.width += 5, frame.height += 5;
    for (int64_t i = 0; i < plot->def->series_count; i++) {
        const lf_series *series = &plot->def->series[i];
        lf_colour colour = series_colour(plot->def, i);
        lf__canvas_clip(plot->canvas, frame);
        if (series->kind == LF_SERIES_AREA)
            fill_under(plot, series, colour);
        if (series->kind == LF_SERIES_BARS)
            draw_bars(plot, series, colour);
        else if (series->kind != LF_SERIES_POINTS)
            draw_line(plot, series, colour);
        lf__canvas_unclip(plot->canvas);
        draw_markers(plot, series, colour);
    }
}

// ---------------------------------------------------------------------------------------------------
// Legend
// ---------------------------------------------------------------------------------------------------

/// How many points of all series a legend in a rectangle would hide.
static int64_t points_hidden(const plot *plot, lf_rect rect) {
    int64_t hidden = 0;
    for (int64_t i = 0; i < plot->def->series_count; i++) {
        const lf_series *series = &plot->def->series[i];
        // Points along each segment count, too: long lines have few points.
        for (int64_t k = 0; k < series->count; k++) {
            lf_vec2 a = plot_point(plot, series->x[k], series->y[k]);
            lf_vec2 b = k > 0 && series->kind != LF_SERIES_POINTS
                            ? plot_point(plot, series->x[k - 1], series->y[k - 1])
                            : a;
            for (int part = 0; part < 4; part++) {
                double x = a.x + (b.x - a.x) * part / 4, y = a.y + (b.y - a.y) * part / 4;
                hidden += x > rect.x && x < rect.x + rect.width && y > rect.y && y < rect.y + rect.height;
            }
        }
    }
    return hidden;
}

static lf_rect best_corner(const plot *plot, double width, double height) {
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

static void legend_sample(const plot *plot, int64_t i, lf_vec2 at, double length) {
    const lf_series *series = &plot->def->series[i];
    lf_colour colour = series_colour(plot->def, i);
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

static void draw_legend(const plot *plot) {
    const lf_plot_def *def = plot->def;
    lf_text_style style = lf_text_style_default();
    style.height = 0.92 * def->text_height;
    style.vertical = LF_ALIGN_MIDDLE;
    double widest = 0, sample = 1.6 * style.height, line = 1.25 * style.height;
    int64_t named = 0;
    for (int64_t i = 0; i < def->series_count; i++)
        if (def->series[i].name) {
            widest = fmax(widest, lf__text_width(def->series[i].name, style.height));
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

// ---------------------------------------------------------------------------------------------------
// The plot
// ---------------------------------------------------------------------------------------------------

static lf_status check_def(const lf_plot_def *def, lf_error *error) {
    if (def->series_count < 0 || (def->series_count > 0 && !def->series))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "series is NULL, or series_count %lld is negative",
                        (long long)def->series_count);
    for (int64_t i = 0; i < def->series_count; i++)
        if (def->series[i].count < 0 ||
            (def->series[i].count > 0 && (!def->series[i].x || !def->series[i].y)))
            return lf__fail(error, LF_BAD_ARGUMENT, i, "series %lld: x or y is NULL, or count is negative",
                            (long long)i);
    if (!(def->text_height >= 6) || !(def->text_height <= 200))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "text_height must be from 6 to 200 pixels");
    return LF_OK;
}

static void draw(plot *plot, lf_rect whole) {
    const lf_rect *area = &plot->view.area;
    minor_lines(plot, false);
    minor_lines(plot, true);
    draw_axis(plot, false);
    draw_axis(plot, true);
    lf_rect base = {area->x, area->y + area->height, area->width + 1, 1};
    draw_series(plot);
    lf_canvas_fill_rect(plot->canvas, base, axis_ink);
    draw_labels(plot, whole);
    draw_legend(plot);
}

/// Choose the axes and the frame.
static lf_status lay_out(plot *plot, lf_rect whole, lf_error *error) {
    const lf_plot_def *def = plot->def;
    int x_ticks = (int)fmin(fmax(whole.width / (5 * def->text_height), 3), 16);
    int y_ticks = (int)fmin(fmax(whole.height / (3.6 * def->text_height), 3), 12);
    lf_status status = choose_axis(def, false, x_ticks, &plot->x, error);
    if (status == LF_OK)
        status = choose_axis(def, true, y_ticks, &plot->y, error);
    if (status != LF_OK)
        return status;
    lf_rect area = frame_of(def, whole, widest_tick(&plot->y, 0.88 * def->text_height));
    if (!(area.width >= 20) || !(area.height >= 20))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "an area of %.0f x %.0f pixels is too small for a plot",
                        whole.width, whole.height);
    if (def->one_scale)
        same_scale(plot, area);
    plot->view = (lf_map_axes){area, plot->x.low, plot->x.high, plot->y.low, plot->y.high};
    return LF_OK;
}

lf_status lf_canvas_plot(lf_canvas *canvas, const lf_plot_def *given, lf_map_axes *axes, lf_error *error) {
    lf_plot_def def = lf_plot_def_default();
    if (!canvas)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "canvas is NULL");
    lf_status status = lf__def_read(&def, sizeof def, given, error);
    if (status == LF_OK)
        status = check_def(&def, error);
    if (status != LF_OK)
        return status;
    lf_rect whole = def.area.width > 0 ? def.area : lf_canvas_area(canvas);
    plot plot = {.canvas = canvas, .def = &def};
    status = lay_out(&plot, whole, error);
    if (status != LF_OK)
        return status;
    int64_t longest = 0;
    for (int64_t i = 0; i < def.series_count; i++)
        longest = def.series[i].count > longest ? def.series[i].count : longest;
    status = lf__allocate_array(&canvas->allocator, 2 * longest + 2, sizeof(lf_vec2), (void **)&plot.points);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    draw(&plot, whole);
    lf__free_array(&canvas->allocator, plot.points, 2 * longest + 2, sizeof(lf_vec2));
    if (axes)
        *axes = plot.view;
    return LF_OK;
}
