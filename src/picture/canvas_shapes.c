/// Shapes, images and text: the calls that add them to a canvas, and the function that draws them with cairo.
#include "picture/picture.h"
#include <string.h>

/// Text and markers that are farther away are not drawn.
#define FAR 1e6

/// Shorter dashes and gaps look like a solid line, and cost time.
#define SHORTEST_DASHES 0.1

/// The font, its size for a line height of 1, and the height of its capitals.
#define FONT "DejaVu Sans"
#define FONT_SIZE 0.823
#define CAPITALS 0.6

/// Bytes of a line of text that are drawn.
#define LINE_BYTES 1024

static void set_colour(cairo_t *pen, lf_colour colour) {
    cairo_set_source_rgba(pen, colour.red / 255.0, colour.green / 255.0, colour.blue / 255.0,
                          colour.alpha / 255.0);
}

static void stroke_path(cairo_t *pen, const lf_stroke *stroke) {
    double dashes[2] = {stroke->dash, stroke->gap};
    bool dashed = stroke->dash > 0 && stroke->gap > 0 && stroke->dash + stroke->gap > SHORTEST_DASHES;
    cairo_set_dash(pen, dashes, dashed ? 2 : 0, 0);
    cairo_set_line_width(pen, stroke->width);
    set_colour(pen, stroke->colour);
    cairo_stroke(pen);
}

/// Add the path of the pen as a shape.
static void add_path(lf_canvas *canvas, lf__shape_kind kind, const lf_stroke *stroke) {
    lf__shape shape = {.kind = kind, .path = cairo_copy_path(canvas->pen), .stroke = *stroke};
    cairo_new_path(canvas->pen);
    lf__canvas_add(canvas, shape);
}

static void add_fill(lf_canvas *canvas, lf_colour colour) {
    lf_stroke stroke = {.colour = colour};
    add_path(canvas, LF__SHAPE_FILL, &stroke);
}

/// The rectangle that paths are held in, a margin larger than the canvas: cairo draws coordinates beyond 32767 wrongly.
typedef struct bounds {
    lf_vec2 low, high;
} bounds;

static bounds bounds_of(const lf_canvas *canvas, double margin) {
    bounds bounds = {{-margin, -margin}, {(double)canvas->width + margin, (double)canvas->height + margin}};
    return bounds;
}

static double clamp(double value, double low, double high) {
    return value < low ? low : value > high ? high : value;
}

static void line_to(cairo_t *pen, const bounds *bounds, lf_vec2 point) {
    cairo_line_to(pen, clamp(point.x, bounds->low.x, bounds->high.x),
                  clamp(point.y, bounds->low.y, bounds->high.y));
}

/// Add a segment to the path. Its parts outside the bounds are moved to their edge, outside the picture: the inside stays
/// filled or empty as it was, and chains stay connected.
static void segment_to(cairo_t *pen, const bounds *bounds, lf_vec2 a, lf_vec2 b) {
    double dx = b.x - a.x, dy = b.y - a.y, cuts[4] = {1, 1, 1, 1};
    if (dx != 0) {
        cuts[0] = (bounds->low.x - a.x) / dx;
        cuts[1] = (bounds->high.x - a.x) / dx;
    }
    if (dy != 0) {
        cuts[2] = (bounds->low.y - a.y) / dy;
        cuts[3] = (bounds->high.y - a.y) / dy;
    }
    for (double after = 0;;) { // the cuts in order
        double next = 1;
        for (int i = 0; i < 4; i++)
            if (cuts[i] > after && cuts[i] < next)
                next = cuts[i];
        if (next >= 1)
            break;
        line_to(pen, bounds, (lf_vec2){a.x + next * dx, a.y + next * dy});
        after = next;
    }
    line_to(pen, bounds, b);
}

// ---------------------------------------------------------------------------------------------------
// Filled shapes and images
// ---------------------------------------------------------------------------------------------------

void lf_canvas_fill_rect(lf_canvas *canvas, lf_rect rect, lf_colour colour) {
    bounds bounds = bounds_of(canvas, 2);
    lf_vec2 low = {rect.x, rect.y}, high = {rect.x + rect.width, rect.y + rect.height};
    if (!(rect.width > 0) || !(rect.height > 0) || !lf__drawable(low) || !lf__drawable(high))
        return;
    double x0 = fmax(low.x, bounds.low.x), y0 = fmax(low.y, bounds.low.y);
    double x1 = fmin(high.x, bounds.high.x), y1 = fmin(high.y, bounds.high.y);
    if (x0 < x1 && y0 < y1) {
        cairo_rectangle(canvas->pen, x0, y0, x1 - x0, y1 - y0);
        add_fill(canvas, colour);
    }
}

void lf_canvas_fill_polygon(lf_canvas *canvas, const lf_vec2 *corners, int64_t count, lf_colour colour) {
    bounds bounds = bounds_of(canvas, 2);
    for (int64_t i = 0; i < count; i++)
        if (!lf__drawable(corners[i]))
            return;
    if (count < 3)
        return;
    line_to(canvas->pen, &bounds, corners[0]);
    for (int64_t k = 0; k < count; k++)
        segment_to(canvas->pen, &bounds, corners[k], corners[k + 1 < count ? k + 1 : 0]);
    cairo_close_path(canvas->pen);
    add_fill(canvas, colour);
}

/// A surface with a copy of an image; NULL when there is no memory.
static cairo_surface_t *image_copy(const uint8_t *pixels, int width, int height, int channels) {
    lf__layer layer;
    if (lf__layer_begin(&layer, (lf__pixels){0, 0, width, height}) != LF_OK)
        return NULL;
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++, pixels += channels)
            lf__layer_set(&layer, x, y,
                          (lf_colour){pixels[0], pixels[1], pixels[2], channels == 4 ? pixels[3] : 255});
    cairo_surface_mark_dirty(layer.surface);
    return layer.surface;
}

lf_status lf_canvas_image(lf_canvas *canvas, lf_rect area, const uint8_t *pixels, int64_t width,
                          int64_t height, int channels) {
    double x = floor(area.x + 0.5), y = floor(area.y + 0.5);
    double wide = floor(area.x + area.width + 0.5) - x, high = floor(area.y + area.height + 0.5) - y;
    lf_vec2 end = {x + wide, y + high};
    if (!canvas || !pixels || width < 1 || height < 1 || width > LF__CANVAS_LIMIT ||
        height > LF__CANVAS_LIMIT || (channels != 3 && channels != 4) || !(wide > 0) || !(high > 0) ||
        !lf__drawable((lf_vec2){x, y}) || !lf__drawable(end))
        return LF_BAD_ARGUMENT;
    cairo_surface_t *image = image_copy(pixels, (int)width, (int)height, channels);
    if (!image)
        return LF_NO_MEMORY;
    lf__canvas_add(canvas, (lf__shape){.kind = LF__SHAPE_IMAGE, .image = image, .area = {x, y, wide, high}});
    return LF_OK;
}

static void draw_image(cairo_t *pen, cairo_surface_t *image, lf_rect area) {
    double width = cairo_image_surface_get_width(image), height = cairo_image_surface_get_height(image);
    bool reduced = area.width < width || area.height < height;
    cairo_save(pen);
    cairo_rectangle(pen, area.x, area.y, area.width, area.height);
    cairo_clip(pen);
    cairo_translate(pen, area.x, area.y);
    cairo_scale(pen, area.width / width, area.height / height);
    cairo_set_source_surface(pen, image, 0, 0);
    cairo_pattern_set_extend(cairo_get_source(pen), CAIRO_EXTEND_PAD);
    cairo_pattern_set_filter(cairo_get_source(pen), reduced ? CAIRO_FILTER_GOOD : CAIRO_FILTER_NEAREST);
    cairo_paint(pen);
    cairo_restore(pen);
}

// ---------------------------------------------------------------------------------------------------
// Lines and markers
// ---------------------------------------------------------------------------------------------------

/// Draw a chain of segments, broken at points that cannot be drawn, and closed where that is possible. A single point becomes a dot.
static void draw_chain(lf_canvas *canvas, const lf_vec2 *points, int64_t count, bool closed,
                       const lf_stroke *stroke) {
    if (!(stroke->width > 0) || !(stroke->width <= 1e4) || stroke->colour.alpha == 0)
        return;
    bounds bounds = bounds_of(canvas, stroke->width + 2);
    cairo_t *pen = canvas->pen;
    bool whole = closed;
    for (int64_t k = 0; k < count; k++) {
        bool joined = k > 0 && lf__drawable(points[k - 1]);
        if (!lf__drawable(points[k])) {
            whole = false;
            continue;
        }
        if (!joined)
            cairo_new_sub_path(pen);
        segment_to(pen, &bounds, joined ? points[k - 1] : points[k], points[k]);
        if (!joined) // for the dot
            line_to(pen, &bounds, points[k]);
    }
    if (closed && lf__drawable(points[0]) && lf__drawable(points[count - 1]))
        segment_to(pen, &bounds, points[count - 1], points[0]);
    if (whole)
        cairo_close_path(pen);
    add_path(canvas, LF__SHAPE_STROKE, stroke);
}

void lf_canvas_polyline(lf_canvas *canvas, const lf_vec2 *points, int64_t count, const lf_stroke *stroke) {
    draw_chain(canvas, points, count, false, stroke);
}

void lf_canvas_outline(lf_canvas *canvas, const lf_vec2 *corners, int64_t count, const lf_stroke *stroke) {
    draw_chain(canvas, corners, count, count > 2, stroke);
}

static void marker_polygon(lf_canvas *canvas, lf_vec2 centre, const lf_vec2 *shape, int count, double radius,
                           lf_colour colour) {
    lf_vec2 corners[4];
    for (int i = 0; i < count; i++)
        corners[i] = (lf_vec2){centre.x + radius * shape[i].x, centre.y + radius * shape[i].y};
    lf_canvas_fill_polygon(canvas, corners, count, colour);
}

/// A disc, or a ring where there is a width.
static void marker_round(lf_canvas *canvas, lf_vec2 centre, double radius, double width, lf_colour colour) {
    lf_stroke stroke = lf_stroke_solid(colour, width);
    cairo_new_sub_path(canvas->pen);
    cairo_arc(canvas->pen, centre.x, centre.y, radius, 0, 6.283185307179586);
    cairo_close_path(canvas->pen);
    add_path(canvas, width > 0 ? LF__SHAPE_STROKE : LF__SHAPE_FILL, &stroke);
}

static void marker_cross(lf_canvas *canvas, lf_vec2 centre, lf_vec2 arm, const lf_stroke *stroke) {
    lf_vec2 gap = {(double)NAN, (double)NAN};
    lf_vec2 points[5] = {{centre.x - arm.x, centre.y - arm.y},
                         {centre.x + arm.x, centre.y + arm.y},
                         gap,
                         {centre.x - arm.y, centre.y + arm.x},
                         {centre.x + arm.y, centre.y - arm.x}};
    lf_canvas_polyline(canvas, points, 5, stroke);
}

void lf_canvas_marker(lf_canvas *canvas, lf_vec2 centre, lf_marker marker, double size, lf_colour colour) {
    static const lf_vec2 square[4] = {{-0.88, -0.88}, {0.88, -0.88}, {0.88, 0.88}, {-0.88, 0.88}};
    static const lf_vec2 diamond[4] = {{0, -1.2}, {1.2, 0}, {0, 1.2}, {-1.2, 0}};
    static const lf_vec2 triangle[3] = {{0, -1.2}, {1.1, 0.8}, {-1.1, 0.8}};
    double radius = size / 2;
    lf_stroke stroke = lf_stroke_solid(colour, fmax(1.2, size / 5));
    if (!(fabs(centre.x) <= FAR) || !(fabs(centre.y) <= FAR) || !(size > 0) || !(size < FAR))
        return;
    switch (marker) {
    case LF_MARKER_NONE:
        return;
    case LF_MARKER_DISC:
        marker_round(canvas, centre, radius, 0, colour);
        return;
    case LF_MARKER_RING:
        marker_round(canvas, centre, fmax(radius - stroke.width / 4, 0), stroke.width, colour);
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
        marker_cross(canvas, centre, (lf_vec2){0.75 * radius, 0.75 * radius}, &stroke);
        return;
    case LF_MARKER_PLUS:
        marker_cross(canvas, centre, (lf_vec2){radius, 0}, &stroke);
        return;
    }
}

// ---------------------------------------------------------------------------------------------------
// Text
// ---------------------------------------------------------------------------------------------------

/// Bytes of the character that UTF-8 text starts with; 0 when it is no valid UTF-8, which cairo would refuse for good.
static size_t character_length(const char *text) {
    const unsigned char *b = (const unsigned char *)text;
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = b[0] < 0x80                    ? 1
                    : b[0] >= 0xc2 && b[0] < 0xe0  ? 2
                    : (b[0] & 0xf0) == 0xe0        ? 3
                    : b[0] >= 0xf0 && b[0] <= 0xf4 ? 4
                                                   : 0;
    if (length < 2)
        return length;
    uint32_t code = b[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((b[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (b[i] & 0x3fu);
    }
    bool valid = code >= least[length] && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000) &&
                 !(code >= 0xfdd0 && code < 0xfdf0) && (code & 0xfffe) != 0xfffe;
    return valid ? length : 0;
}

/// Copy the first line of a text, with a replacement character for bytes that are not UTF-8. Returns what follows the
/// newline, or NULL after the last line.
static const char *take_line(const char *text, char line[LINE_BYTES]) {
    size_t used = 0;
    while (*text && *text != '\n') {
        size_t length = character_length(text);
        const char *from = length > 0 ? text : "\xef\xbf\xbd";
        size_t size = length > 0 ? length : 3;
        text += length > 0 ? length : 1;
        if (used + size < LINE_BYTES) {
            memcpy(line + used, from, size);
            used += size;
        }
    }
    line[used] = 0;
    return *text ? text + 1 : NULL;
}

/// The font at a line height, without a canvas.
static cairo_scaled_font_t *font_of(double height) {
    cairo_font_face_t *face =
        cairo_toy_font_face_create(FONT, CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_matrix_t size, identity;
    cairo_matrix_init_scale(&size, FONT_SIZE * height, FONT_SIZE * height);
    cairo_matrix_init_identity(&identity);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_scaled_font_t *font = cairo_scaled_font_create(face, &size, &identity, options);
    cairo_font_options_destroy(options);
    cairo_font_face_destroy(face);
    return font;
}

double lf__text_width(const char *text, double height) {
    double widest = 0;
    if (!text || !(height > 0) || !(height <= 1000))
        return 0;
    cairo_scaled_font_t *font = font_of(height);
    while (text) {
        char line[LINE_BYTES];
        cairo_text_extents_t extents = {0};
        text = take_line(text, line);
        cairo_scaled_font_text_extents(font, line, &extents);
        widest = fmax(widest, extents.x_advance);
    }
    cairo_scaled_font_destroy(font);
    return widest;
}

/// Draw a line of text from the origin of the pen.
static void draw_line(cairo_t *pen, const char *line, const lf_text_style *style, bool outlines) {
    if (style->halo.alpha > 0) {
        lf_stroke rim = lf_stroke_solid(style->halo, fmax(3, 0.24 * style->height));
        cairo_move_to(pen, 0, 0);
        cairo_text_path(pen, line);
        stroke_path(pen, &rim);
    }
    cairo_move_to(pen, 0, 0);
    set_colour(pen, style->colour);
    if (outlines) {
        cairo_text_path(pen, line);
        cairo_set_fill_rule(pen, CAIRO_FILL_RULE_WINDING);
        cairo_fill(pen);
    } else {
        cairo_show_text(pen, line);
        cairo_new_path(pen);
    }
}

/// A share of a length by which text is moved back for its alignment.
static double share_before(lf_align align) {
    return align == LF_ALIGN_START ? 0 : align == LF_ALIGN_MIDDLE ? 0.5 : 1;
}

static void draw_text(cairo_t *pen, lf_vec2 at, const char *text, const lf_text_style *style, bool outlines) {
    cairo_save(pen);
    cairo_select_font_face(pen, FONT, CAIRO_FONT_SLANT_NORMAL,
                           style->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(pen, FONT_SIZE * style->height);
    double down = (1 - share_before(style->vertical)) * CAPITALS * style->height;
    while (text) {
        char line[LINE_BYTES];
        cairo_text_extents_t extents = {0};
        text = take_line(text, line);
        cairo_text_extents(pen, line, &extents);
        double back = share_before(style->horizontal) * extents.x_advance;
        cairo_matrix_t turned;
        static const double along[4][2] = {{1, 0}, {0, -1}, {-1, 0}, {0, 1}};
        const double *a = along[(style->quarter_turns % 4 + 4) % 4];
        double x = at.x - back * a[0] - down * a[1], y = at.y - back * a[1] + down * a[0];
        // A baseline on an edge between pixels keeps small print crisp.
        if (a[0] != 0)
            y = floor(y + 0.5);
        else
            x = floor(x + 0.5);
        cairo_matrix_init(&turned, a[0], a[1], -a[1], a[0], x, y);
        cairo_save(pen);
        cairo_transform(pen, &turned);
        draw_line(pen, line, style, outlines);
        cairo_restore(pen);
        down += style->height;
    }
    cairo_restore(pen);
}

void lf_canvas_text(lf_canvas *canvas, lf_vec2 at, const char *text, const lf_text_style *style) {
    if (!text || !(style->height >= 4) || !(style->height <= 1000) || !(fabs(at.x) <= FAR) ||
        !(fabs(at.y) <= FAR))
        return;
    size_t size = strlen(text) + 1;
    lf__shape shape = {.kind = LF__SHAPE_TEXT, .at = at, .style = *style};
    shape.text = lf__allocate(&canvas->allocator, size, 1);
    if (!shape.text) {
        canvas->failed = true;
        return;
    }
    memcpy(shape.text, text, size);
    lf__canvas_add(canvas, shape);
}

void lf__shape_draw(cairo_t *pen, const lf__shape *shape, bool outlines) {
    const lf_rect *area = &shape->area;
    switch (shape->kind) {
    case LF__SHAPE_FILL:
        cairo_append_path(pen, shape->path);
        set_colour(pen, shape->stroke.colour);
        cairo_fill(pen);
        return;
    case LF__SHAPE_STROKE:
        cairo_append_path(pen, shape->path);
        stroke_path(pen, &shape->stroke);
        return;
    case LF__SHAPE_IMAGE:
        draw_image(pen, shape->image, *area);
        return;
    case LF__SHAPE_TEXT:
        draw_text(pen, shape->at, shape->text, &shape->style, outlines);
        return;
    case LF__SHAPE_CLIP:
        cairo_save(pen);
        cairo_rectangle(pen, area->x, area->y, area->width, area->height);
        cairo_clip(pen);
        return;
    case LF__SHAPE_UNCLIP:
        cairo_restore(pen);
        return;
    }
}
