/// Plots: settle the axes, lay out the frame, draw what lies under the data.
#include "io/plot.h"
#include <string.h>

static const lf_colour ink = {38, 43, 51, 255}, soft_ink = {98, 106, 117, 255},
                       grid_ink = {228, 231, 235, 255}, faint_ink = {241, 243, 245, 255},
                       axis_ink = {140, 147, 157, 255};

/// The range of a series on one axis is added to low .. high.
static void add_range(const lf_series *series, bool is_y, bool logarithmic, double *low, double *high) {
    lf__plot_axis axis = {.logarithmic = logarithmic};
    const double *values = is_y ? series->y : series->x;
    for (int64_t i = 0; i < series->count; i++) {
        double value = lf__plot_value(&axis, values[i]);
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

/// Widen low .. high to whole steps where the caller left it to us.
static void round_out(const lf_axis *wish, lf__plot_axis *axis, int wanted) {
    lf_ticks ticks = lf_ticks_of(axis->low, axis->high, wanted);
    if (ticks.count == 0 || axis->logarithmic)
        return;
    if (isnan(wish->low))
        axis->low = floor(axis->low / ticks.step + 1e-9) * ticks.step;
    if (isnan(wish->high))
        axis->high = ceil(axis->high / ticks.step - 1e-9) * ticks.step;
}

static lf_status settle_axis(const lf_plot_def *def, bool is_y, int wanted, lf__plot_axis *axis,
                             lf_error *error) {
    const lf_axis *wish = is_y ? &def->y : &def->x;
    const char *name = is_y ? "y" : "x";
    *axis = (lf__plot_axis){.low = LF_INFINITY, .high = -LF_INFINITY, .logarithmic = wish->logarithmic};
    for (int64_t i = 0; i < def->series_count; i++)
        add_range(&def->series[i], is_y, wish->logarithmic, &axis->low, &axis->high);
    if (axis->low > axis->high) {
        if (wish->logarithmic && (isnan(wish->low) || isnan(wish->high)))
            return lf__fail(error, LF_BAD_ARGUMENT, -1, "nothing above 0 on the logarithmic %s axis", name);
        axis->low = 0;
        axis->high = 1;
    }
    if (!(axis->high - axis->low > 1e-9 * fmax(fabs(axis->low), fabs(axis->high)))) {
        double room = fmax(0.5, 0.05 * fabs(axis->low));
        axis->low -= room;
        axis->high += room;
    }
    if (!isnan(wish->low))
        axis->low = lf__plot_value(axis, wish->low);
    if (!isnan(wish->high))
        axis->high = lf__plot_value(axis, wish->high);
    if (!isfinite(axis->low) || !isfinite(axis->high) || !(axis->low < axis->high))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "the %s axis does not go from a low to a high number",
                        name);
    round_out(wish, axis, wanted);
    axis->ticks = lf_ticks_of(axis->low, axis->high, wanted);
    if (axis->logarithmic && axis->ticks.step < 1)
        axis->ticks = (lf_ticks){ceil(axis->low - 1e-9), 1,
                                 (int)(floor(axis->high + 1e-9) - ceil(axis->low - 1e-9)) + 1, 0};
    return LF_OK;
}

/// The text of a tick; powers of ten are written out while they are short.
static void tick_text(const lf__plot_axis *axis, int i, char *text, size_t capacity) {
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

static double widest_tick(const lf__plot_axis *axis, double height) {
    double widest = 0;
    char text[40];
    for (int i = 0; i < axis->ticks.count; i++) {
        tick_text(axis, i, text, sizeof text);
        widest = fmax(widest, lf_text_width(text, height));
    }
    return widest;
}

/// The frame that is left for the data once everything round it has its room.
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
static void same_scale(lf__plot *plot) {
    double x_unit = plot->view.area.width / (plot->x.high - plot->x.low);
    double y_unit = plot->view.area.height / (plot->y.high - plot->y.low);
    lf__plot_axis *loose = x_unit > y_unit ? &plot->x : &plot->y;
    double grow = 0.5 * (loose->high - loose->low) * (fmax(x_unit, y_unit) / fmin(x_unit, y_unit) - 1);
    loose->low -= grow;
    loose->high += grow;
    loose->ticks = lf_ticks_of(loose->low, loose->high, loose->ticks.count > 2 ? loose->ticks.count : 3);
}

static void grid_line(const lf__plot *plot, bool is_y, double at, lf_colour colour) {
    const lf_rect *area = &plot->view.area;
    lf_vec2 point = lf_view_to_pixel(&plot->view, is_y ? plot->view.x_low : at, is_y ? at : plot->view.y_low);
    lf_rect line = {is_y ? area->x : floor(point.x), is_y ? floor(point.y) : area->y, is_y ? area->width : 1,
                    is_y ? 1 : area->height};
    lf_canvas_fill_rect(plot->canvas, line, colour);
}

/// Fine lines at 2, 3 ... 9 times each power of ten, while there are not too many powers.
static void minor_lines(const lf__plot *plot, bool is_y) {
    const lf__plot_axis *axis = is_y ? &plot->y : &plot->x;
    if (!axis->logarithmic || axis->high - axis->low > 8)
        return;
    for (int power = (int)floor(axis->low); power <= (int)ceil(axis->high); power++)
        for (int digit = 2; digit < 10; digit++) {
            double at = power + log10(digit);
            if (at > axis->low && at < axis->high)
                grid_line(plot, is_y, at, faint_ink);
        }
}

static void draw_axis(const lf__plot *plot, bool is_y) {
    const lf__plot_axis *axis = is_y ? &plot->y : &plot->x;
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
            lf_view_to_pixel(&plot->view, is_y ? plot->view.x_low : at, is_y ? at : plot->view.y_low);
        grid_line(plot, is_y, at, grid_ink);
        tick_text(axis, i, text, sizeof text);
        lf_vec2 place = {is_y ? area->x - 10 : point.x, is_y ? point.y + 1 : area->y + area->height + 9};
        lf_canvas_text(plot->canvas, place, text, &style);
    }
}

static void draw_labels(const lf__plot *plot, lf_rect whole) {
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
    style.weight = 1.45;
    lf_canvas_text(plot->canvas, title, def->title, &style);
    style.height = 0.95 * def->text_height;
    style.weight = 1;
    style.colour = soft_ink;
    title.y += def->title ? 1.5 * def->text_height : 0;
    lf_canvas_text(plot->canvas, title, def->subtitle, &style);
}

static lf_status check_def(const lf_plot_def *def, lf_error *error) {
    if (def->series_count < 0 || (def->series_count > 0 && !def->series))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%lld series", (long long)def->series_count);
    for (int64_t i = 0; i < def->series_count; i++)
        if (def->series[i].count < 0 ||
            (def->series[i].count > 0 && (!def->series[i].x || !def->series[i].y)))
            return lf__fail(error, LF_BAD_ARGUMENT, i, "series %lld has no points to read", (long long)i);
    if (!(def->text_height >= 6) || !(def->text_height <= 200))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "the text height is not within 6 to 200 pixels");
    return LF_OK;
}

static void draw(lf__plot *plot, lf_rect whole) {
    lf__pixels clip = plot->canvas->clip;
    lf_rect inside = plot->view.area, *area = &plot->view.area;
    minor_lines(plot, false);
    minor_lines(plot, true);
    draw_axis(plot, false);
    draw_axis(plot, true);
    lf_rect base = {area->x, area->y + area->height, area->width + 1, 1};
    inside.x -= 1, inside.y -= 4, inside.width += 5, inside.height += 5;
    lf_canvas_clip(plot->canvas, inside);
    lf__plot_series(plot);
    plot->canvas->clip = clip;
    lf_canvas_fill_rect(plot->canvas, base, axis_ink);
    draw_labels(plot, whole);
    lf__plot_legend(plot);
}

lf_status lf_canvas_plot(lf_canvas *canvas, const lf_plot_def *given, lf_view *view, lf_error *error) {
    lf_plot_def def = lf_plot_def_default();
    if (!canvas)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "canvas is NULL");
    lf_status status = lf__def_read(&def, sizeof def, given, error);
    if (status == LF_OK)
        status = check_def(&def, error);
    if (status != LF_OK)
        return status;
    lf_rect whole = def.area.width > 0 ? def.area : lf_canvas_area(canvas);
    int x_wanted = (int)fmin(fmax(whole.width / (5 * def.text_height), 3), 16);
    int y_wanted = (int)fmin(fmax(whole.height / (3.6 * def.text_height), 3), 12);
    lf__plot plot = {.canvas = canvas, .def = &def};
    status = settle_axis(&def, false, x_wanted, &plot.x, error);
    if (status == LF_OK)
        status = settle_axis(&def, true, y_wanted, &plot.y, error);
    if (status != LF_OK)
        return status;
    plot.view.area = frame_of(&def, whole, widest_tick(&plot.y, 0.88 * def.text_height));
    if (!(plot.view.area.width >= 20) || !(plot.view.area.height >= 20))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%.0f x %.0f pixels are too small for a plot",
                        whole.width, whole.height);
    if (def.one_scale)
        same_scale(&plot);
    plot.view = (lf_view){plot.view.area, plot.x.low, plot.x.high, plot.y.low, plot.y.high};
    draw(&plot, whole);
    if (view)
        *view = plot.view;
    return LF_OK;
}
