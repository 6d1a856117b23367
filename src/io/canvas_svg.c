/// Shapes kept as they are drawn, and written as SVG. A canvas that keeps none pays a test of a pointer.
#include "base/beside.h"
#include "base/size.h"
#include "io/canvas.h"
#include <string.h>

#define FIRST_ROOM ((size_t)1 << 14)
#define TEXT_SIZE 0.83 // of the height of a line: capitals of usual fonts are then as high as ours

// ---------------------------------------------------------------------------------------------------
// Text that grows
// ---------------------------------------------------------------------------------------------------

static bool make_room(lf_canvas *canvas, size_t more) {
    lf__sketch *sketch = &canvas->sketch;
    size_t wanted, room = sketch->room ? sketch->room : FIRST_ROOM;
    if (sketch->failed || !lf__size_add(sketch->used, more, &wanted))
        return false;
    while (room < wanted && lf__size_mul(room, 2, &room))
        continue;
    if (room > sketch->room) {
        char *larger = lf__take(&canvas->allocator, room, 1);
        if (!larger) {
            sketch->failed = true;
            return false;
        }
        if (sketch->used > 0)
            memcpy(larger, sketch->text, sketch->used);
        lf__give(&canvas->allocator, sketch->text, sketch->room, 1);
        sketch->text = larger;
        sketch->room = room;
    }
    return true;
}

static void put_bytes(lf_canvas *canvas, const char *bytes, size_t length) {
    if (!make_room(canvas, length))
        return;
    memcpy(canvas->sketch.text + canvas->sketch.used, bytes, length);
    canvas->sketch.used += length;
}

static void put(lf_canvas *canvas, const char *text) {
    put_bytes(canvas, text, strlen(text));
}

/// A number with at most two digits behind the point: a hundredth of a pixel.
static void put_number(lf_canvas *canvas, double value) {
    char text[40];
    lf_number_text(value, 2, text, sizeof text);
    size_t length = strlen(text);
    if (strchr(text, '.')) {
        while (text[length - 1] == '0')
            length--;
        length -= text[length - 1] == '.';
    }
    put_bytes(canvas, text, length);
}

static void put_attribute(lf_canvas *canvas, const char *name, double value) {
    put(canvas, " ");
    put(canvas, name);
    put(canvas, "=\"");
    put_number(canvas, value);
    put(canvas, "\"");
}

static void put_colour(lf_canvas *canvas, const char *name, lf_colour colour) {
    static const char hex[] = "0123456789abcdef";
    const uint8_t parts[3] = {colour.red, colour.green, colour.blue};
    put(canvas, " ");
    put(canvas, name);
    put(canvas, "=\"#");
    for (int i = 0; i < 3; i++) {
        char digits[2] = {hex[parts[i] >> 4], hex[parts[i] & 15]};
        put_bytes(canvas, digits, 2);
    }
    put(canvas, "\"");
    if (colour.alpha < 255) {
        put(canvas, " ");
        put(canvas, name);
        put(canvas, "-opacity=\"");
        put_number(canvas, colour.alpha / 255.0);
        put(canvas, "\"");
    }
}

static void put_points(lf_canvas *canvas, const lf_vec2 *points, int64_t count) {
    bool down = false;
    for (int64_t i = 0; i < count; i++) {
        bool here = lf__sensible(points[i].x) && lf__sensible(points[i].y);
        if (here) {
            put(canvas, down ? "L" : "M");
            put_number(canvas, points[i].x);
            put(canvas, " ");
            put_number(canvas, points[i].y);
        }
        down = here;
    }
}

/// What stands for itself in text, and what does not.
static void put_escaped(lf_canvas *canvas, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        const char *name = text[i] == '<'   ? "&lt;"
                           : text[i] == '>' ? "&gt;"
                           : text[i] == '&' ? "&amp;"
                                            : NULL;
        if (name)
            put(canvas, name);
        else if ((unsigned char)text[i] >= ' ')
            put_bytes(canvas, text + i, 1);
    }
}

// ---------------------------------------------------------------------------------------------------
// Shapes
// ---------------------------------------------------------------------------------------------------

/// Name the part of the canvas that is drawn to, when it is another than last time.
static void settle_clip(lf_canvas *canvas) {
    lf__sketch *sketch = &canvas->sketch;
    const lf__pixels *clip = &canvas->clip;
    if (memcmp(clip, &sketch->clip, sizeof *clip) == 0)
        return;
    sketch->clip = *clip;
    sketch->clip_number++;
    put(canvas, "<clipPath id=\"part");
    put_number(canvas, sketch->clip_number);
    put(canvas, "\"><rect");
    put_attribute(canvas, "x", (double)clip->x0);
    put_attribute(canvas, "y", (double)clip->y0);
    put_attribute(canvas, "width", (double)(clip->x1 - clip->x0));
    put_attribute(canvas, "height", (double)(clip->y1 - clip->y0));
    put(canvas, "/></clipPath>\n");
}

static void start_shape(lf_canvas *canvas, const char *name) {
    settle_clip(canvas);
    put(canvas, "<");
    put(canvas, name);
    const lf__pixels *clip = &canvas->clip;
    if (clip->x0 > 0 || clip->y0 > 0 || clip->x1 < canvas->width || clip->y1 < canvas->height) {
        put(canvas, " clip-path=\"url(#part");
        put_number(canvas, canvas->sketch.clip_number);
        put(canvas, ")\"");
    }
}

void lf__sketch_rect(lf_canvas *canvas, lf_rect rect, lf_colour colour) {
    if (!lf__sketch_wanted(canvas) || !(rect.width > 0) || !(rect.height > 0))
        return;
    start_shape(canvas, "rect");
    put_attribute(canvas, "x", rect.x);
    put_attribute(canvas, "y", rect.y);
    put_attribute(canvas, "width", rect.width);
    put_attribute(canvas, "height", rect.height);
    put_colour(canvas, "fill", colour);
    put(canvas, "/>\n");
}

void lf__sketch_circle(lf_canvas *canvas, lf_vec2 centre, double radius, lf_colour colour) {
    if (!lf__sketch_wanted(canvas) || !(radius > 0) || !lf__sensible(centre.x) || !lf__sensible(centre.y))
        return;
    start_shape(canvas, "circle");
    put_attribute(canvas, "cx", centre.x);
    put_attribute(canvas, "cy", centre.y);
    put_attribute(canvas, "r", radius);
    put_colour(canvas, "fill", colour);
    put(canvas, "/>\n");
}

void lf__sketch_polygon(lf_canvas *canvas, const lf_vec2 *corners, int64_t count, lf_colour colour) {
    if (!lf__sketch_wanted(canvas) || count < 3)
        return;
    start_shape(canvas, "path");
    put(canvas, " fill-rule=\"evenodd\" d=\"");
    put_points(canvas, corners, count);
    put(canvas, "Z\"");
    put_colour(canvas, "fill", colour);
    put(canvas, "/>\n");
}

void lf__sketch_stroke(lf_canvas *canvas, const lf_vec2 *points, int64_t count, const lf_stroke *stroke) {
    if (!lf__sketch_wanted(canvas) || count < 1 || !(stroke->width > 0))
        return;
    start_shape(canvas, "path");
    put(canvas, " fill=\"none\" stroke-linejoin=\"round\" stroke-linecap=\"round\" d=\"");
    put_points(canvas, points, count);
    put(canvas, "\"");
    put_colour(canvas, "stroke", stroke->colour);
    put_attribute(canvas, "stroke-width", stroke->width);
    if (stroke->dash > 0 && stroke->gap > 0) {
        put(canvas, " stroke-dasharray=\"");
        put_number(canvas, stroke->dash);
        put(canvas, " ");
        put_number(canvas, stroke->gap);
        put(canvas, "\"");
    }
    put(canvas, "/>\n");
}

void lf__sketch_text(lf_canvas *canvas, lf_vec2 at, const char *text, size_t length,
                     const lf_text_style *style) {
    static const char *const anchors[] = {"start", "middle", "end"};
    int turns = ((style->quarter_turns % 4) + 4) % 4;
    if (!lf__sketch_wanted(canvas))
        return;
    start_shape(canvas, "text");
    put(canvas, " transform=\"translate(");
    put_number(canvas, at.x);
    put(canvas, " ");
    put_number(canvas, at.y);
    put(canvas, ") rotate(");
    put_number(canvas, -90.0 * turns);
    put(canvas, ")\" text-anchor=\"");
    put(canvas, anchors[style->horizontal]);
    put(canvas, "\"");
    put_attribute(canvas, "font-size", TEXT_SIZE * style->height);
    put_colour(canvas, "fill", style->colour);
    if (style->weight > 1.2)
        put(canvas, " font-weight=\"bold\"");
    if (style->halo.alpha > 0) {
        put(canvas, " paint-order=\"stroke\"");
        put_colour(canvas, "stroke", style->halo);
        put_attribute(canvas, "stroke-width", fmax(3, 0.24 * style->height));
    }
    put(canvas, ">");
    put_escaped(canvas, text, length);
    put(canvas, "</text>\n");
}

void lf__sketch_free(lf_canvas *canvas) {
    lf__give(&canvas->allocator, canvas->sketch.text, canvas->sketch.room, 1);
    canvas->sketch = (lf__sketch){0};
}

// ---------------------------------------------------------------------------------------------------
// The file
// ---------------------------------------------------------------------------------------------------

lf_status lf_canvas_write_svg(const lf_canvas *canvas, const char *path, lf_error *error) {
    lf__beside beside = {0};
    const lf__sketch *sketch = &canvas->sketch;
    lf_colour paper = sketch->background;
    if (!sketch->kept)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "the canvas was not made to keep its shapes");
    if (sketch->failed)
        return lf__fail_plain(error, LF_NO_MEMORY);
    lf_status status = lf__beside_open(&beside, path, &canvas->host, error);
    if (status != LF_OK)
        return status;
    lf__beside_print(&beside,
                     "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%lld\" height=\"%lld\" "
                     "viewBox=\"0 0 %lld %lld\" font-family=\"sans-serif\">\n",
                     (long long)canvas->width, (long long)canvas->height, (long long)canvas->width,
                     (long long)canvas->height);
    if (paper.alpha > 0)
        lf__beside_print(&beside, "<rect width=\"100%%\" height=\"100%%\" fill=\"#%02x%02x%02x\"/>\n",
                         paper.red, paper.green, paper.blue);
    lf__beside_write(&beside, sketch->text, sketch->used);
    lf__beside_print(&beside, "</svg>\n");
    status = lf__beside_commit(&beside, error);
    lf__beside_abort(&beside);
    return status;
}
