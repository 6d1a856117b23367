/// The canvas: an image drawn by cairo, the list of its shapes, and the files made of them.
#include "base/beside.h"
#include "picture/picture.h"
#include "picture/pixel.h"
#include "raster/raster.h"
#include <string.h>

/// A pixel is 1/96 inch and a point 1/72, as in CSS.
#define POINTS_PER_PIXEL 0.75

lf_status lf__cairo_status(cairo_status_t status) {
    switch (status) {
    case CAIRO_STATUS_SUCCESS:
        return LF_OK;
    case CAIRO_STATUS_NO_MEMORY:
        return LF_NO_MEMORY;
    case CAIRO_STATUS_INVALID_SIZE:
        return LF_TOO_LARGE;
    case CAIRO_STATUS_WRITE_ERROR:
        return LF_IO_FAILED;
    default:
        return LF_BAD_ARGUMENT;
    }
}

/// A pen on a surface, with the same settings for every canvas. The hints are off so that letters have the same
/// shape and distance in every kind of file.
static cairo_t *pen_on(cairo_surface_t *surface, lf_colour background) {
    cairo_t *pen = cairo_create(surface);
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_set_font_options(pen, options);
    cairo_font_options_destroy(options);
    cairo_set_fill_rule(pen, CAIRO_FILL_RULE_EVEN_ODD);
    cairo_set_line_cap(pen, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_join(pen, CAIRO_LINE_JOIN_ROUND);
    cairo_set_source_rgba(pen, background.red / 255.0, background.green / 255.0, background.blue / 255.0,
                          background.alpha / 255.0);
    if (background.alpha > 0)
        cairo_paint(pen);
    return pen;
}

lf_status lf_canvas_create(const lf_canvas_def *given, lf_canvas **canvas, lf_error *error) {
    lf_canvas_def def = lf_canvas_def_default();
    if (!canvas)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "canvas is NULL");
    lf_status status = lf__def_read(&def, sizeof def, given, error);
    if (status != LF_OK)
        return status;
    if (def.width < 1 || def.width > LF__CANVAS_LIMIT || def.height < 1 || def.height > LF__CANVAS_LIMIT)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "a canvas of %lld x %lld pixels: each must be from 1 to %d", (long long)def.width,
                        (long long)def.height, LF__CANVAS_LIMIT);
    if (lf__cairo_missing()[0])
        return lf__fail(error, LF_UNSUPPORTED, -1, "%s", lf__cairo_missing());
    lf_allocator allocator = lf__allocator_of(&def.host);
    lf_canvas *fresh = lf__allocate(&allocator, sizeof *fresh, _Alignof(lf_canvas));
    if (!fresh)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *fresh = (lf_canvas){.host = def.host, .allocator = allocator, .width = def.width, .height = def.height};
    fresh->background = def.background;
    cairo_format_t format = def.background.alpha == 255 ? CAIRO_FORMAT_RGB24 : CAIRO_FORMAT_ARGB32;
    fresh->image = cairo_image_surface_create(format, (int)def.width, (int)def.height);
    fresh->pen = pen_on(fresh->image, def.background);
    status = lf__cairo_status(cairo_status(fresh->pen));
    if (status != LF_OK) {
        lf_canvas_destroy(fresh);
        return lf__fail_plain(error, status);
    }
    *canvas = fresh;
    return LF_OK;
}

static void free_shape(const lf_allocator *allocator, lf__shape *shape) {
    if (shape->path)
        cairo_path_destroy(shape->path);
    if (shape->image)
        cairo_surface_destroy(shape->image);
    if (shape->text)
        lf__free(allocator, shape->text, strlen(shape->text) + 1, 1);
}

void lf_canvas_destroy(lf_canvas *canvas) {
    if (!canvas)
        return;
    lf_allocator allocator = canvas->allocator;
    for (int64_t i = 0; i < canvas->shapes.count; i++)
        free_shape(&allocator, (lf__shape *)canvas->shapes.items + i);
    lf__array_free(&canvas->shapes, &allocator, sizeof(lf__shape));
    cairo_destroy(canvas->pen);
    cairo_surface_destroy(canvas->image);
    lf__free(&allocator, canvas, sizeof *canvas, _Alignof(lf_canvas));
}

void lf__canvas_add(lf_canvas *canvas, lf__shape shape) {
    lf__shape_draw(canvas->pen, &shape, true);
    if (lf__array_reserve(&canvas->shapes, &canvas->allocator, 1, sizeof shape) == LF_OK) {
        ((lf__shape *)canvas->shapes.items)[canvas->shapes.count++] = shape;
    } else {
        canvas->failed = true;
        free_shape(&canvas->allocator, &shape);
    }
}

lf_rect lf_canvas_area(const lf_canvas *canvas) {
    lf_rect area = {0, 0, (double)canvas->width, (double)canvas->height};
    return area;
}

// ---------------------------------------------------------------------------------------------------
// Pixels
// ---------------------------------------------------------------------------------------------------

/// Cairo's pixels are 32 bits, alpha uppermost, colours multiplied by alpha.
static uint32_t to_premultiplied(lf_colour c) {
    uint32_t a = c.alpha, red = (c.red * a + 127) / 255, green = (c.green * a + 127) / 255,
             blue = (c.blue * a + 127) / 255;
    return a << 24 | red << 16 | green << 8 | blue;
}

static uint8_t divided(uint32_t value, uint32_t alpha) {
    uint32_t full = (value * 255 + alpha / 2) / alpha;
    return (uint8_t)(full < 255 ? full : 255);
}

lf_colour lf__canvas_pixel(const lf_canvas *canvas, int64_t x, int64_t y) {
    lf_colour none = {0, 0, 0, 0};
    if (x < 0 || y < 0 || x >= canvas->width || y >= canvas->height)
        return none;
    cairo_surface_t *image = canvas->image;
    cairo_surface_flush(image);
    const uint8_t *row = cairo_image_surface_get_data(image) + y * cairo_image_surface_get_stride(image);
    uint32_t pixel, alpha = 255;
    memcpy(&pixel, row + 4 * x, sizeof pixel);
    if (cairo_image_surface_get_format(image) == CAIRO_FORMAT_ARGB32)
        alpha = pixel >> 24;
    if (alpha == 0)
        return none;
    lf_colour colour = {divided(pixel >> 16 & 255, alpha), divided(pixel >> 8 & 255, alpha),
                        divided(pixel & 255, alpha), (uint8_t)alpha};
    return colour;
}

static int64_t held(double value, int64_t high) {
    return value >= (double)high ? high : value > 0 ? (int64_t)value : 0;
}

bool lf__canvas_reach(const lf_canvas *canvas, lf_rect area, lf__pixels *reach) {
    lf_vec2 low = {area.x, area.y}, high = {area.x + area.width, area.y + area.height};
    if (!lf__drawable(low) || !lf__drawable(high))
        return false;
    reach->x0 = held(floor(low.x + 0.5), canvas->width);
    reach->y0 = held(floor(low.y + 0.5), canvas->height);
    reach->x1 = held(floor(high.x + 0.5), canvas->width);
    reach->y1 = held(floor(high.y + 0.5), canvas->height);
    return reach->x0 < reach->x1 && reach->y0 < reach->y1;
}

void lf__canvas_clip(lf_canvas *canvas, lf_rect area) {
    lf__pixels reach = {0, 0, 0, 0};
    if (!lf__canvas_reach(canvas, area, &reach))
        reach = (lf__pixels){0, 0, 0, 0};
    lf_rect clip = {(double)reach.x0, (double)reach.y0, (double)(reach.x1 - reach.x0),
                    (double)(reach.y1 - reach.y0)};
    lf__canvas_add(canvas, (lf__shape){.kind = LF__SHAPE_CLIP, .area = clip});
}

void lf__canvas_unclip(lf_canvas *canvas) {
    lf__canvas_add(canvas, (lf__shape){.kind = LF__SHAPE_UNCLIP});
}

lf_status lf__layer_begin(lf__layer *layer, lf__pixels place) {
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)(place.x1 - place.x0),
                                                          (int)(place.y1 - place.y0));
    lf_status status = lf__cairo_status(cairo_surface_status(surface));
    if (status != LF_OK) {
        cairo_surface_destroy(surface);
        return status;
    }
    void *data = cairo_image_surface_get_data(surface); // aligned by cairo
    *layer = (lf__layer){place, surface, data, cairo_image_surface_get_stride(surface) / 4};
    return LF_OK;
}

void lf__layer_set(lf__layer *layer, int64_t x, int64_t y, lf_colour colour) {
    layer->pixels[y * layer->stride + x] = to_premultiplied(colour);
}

void lf__layer_end(lf__layer *layer, lf_canvas *canvas) {
    const lf__pixels *place = &layer->place;
    lf_rect area = {(double)place->x0, (double)place->y0, (double)(place->x1 - place->x0),
                    (double)(place->y1 - place->y0)};
    cairo_surface_mark_dirty(layer->surface);
    lf__canvas_add(canvas, (lf__shape){.kind = LF__SHAPE_IMAGE, .image = layer->surface, .area = area});
    *layer = (lf__layer){0};
}

// ---------------------------------------------------------------------------------------------------
// Files
// ---------------------------------------------------------------------------------------------------

static cairo_status_t write_bytes(void *user, const unsigned char *bytes, unsigned int count) {
    return lf__beside_write(user, bytes, count) ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

/// Draw the shapes again on a surface of vectors, and finish that.
static cairo_status_t redraw(const lf_canvas *canvas, cairo_surface_t *target, double scale) {
    cairo_t *pen = pen_on(target, canvas->background);
    cairo_scale(pen, scale, scale);
    for (int64_t i = 0; i < canvas->shapes.count; i++)
        lf__shape_draw(pen, (const lf__shape *)canvas->shapes.items + i, false);
    cairo_status_t status = cairo_status(pen);
    cairo_destroy(pen);
    cairo_surface_finish(target);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(target);
    cairo_surface_destroy(target);
    return status;
}

static cairo_status_t write_png(const lf_canvas *canvas, lf__beside *file) {
    return cairo_surface_write_to_png_stream(canvas->image, write_bytes, file);
}

static cairo_status_t write_svg(const lf_canvas *canvas, lf__beside *file) {
    cairo_surface_t *svg =
        cairo_svg_surface_create_for_stream(write_bytes, file, (double)canvas->width, (double)canvas->height);
    cairo_svg_surface_set_document_unit(svg, CAIRO_SVG_UNIT_PX);
    return redraw(canvas, svg, 1);
}

/// The date of creation is fixed, so that the same picture is the same file.
static cairo_status_t write_pdf(const lf_canvas *canvas, lf__beside *file) {
    cairo_surface_t *pdf =
        cairo_pdf_surface_create_for_stream(write_bytes, file, POINTS_PER_PIXEL * (double)canvas->width,
                                            POINTS_PER_PIXEL * (double)canvas->height);
    cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
    return redraw(canvas, pdf, POINTS_PER_PIXEL);
}

typedef cairo_status_t picture_writer(const lf_canvas *canvas, lf__beside *file);

static picture_writer *writer_of(const char *path) {
    static const struct {
        const char *ending;
        picture_writer *write;
    } kinds[] = {{".png", write_png}, {".svg", write_svg}, {".pdf", write_pdf}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (lf__path_ends(path, kinds[i].ending))
            return kinds[i].write;
    return NULL;
}

lf_status lf_canvas_write(const lf_canvas *canvas, const char *path, lf_error *error) {
    if (!canvas || !path)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "canvas or path is NULL");
    picture_writer *write = writer_of(path);
    if (!write)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%s: the ending must be .png, .svg or .pdf", path);
    lf_status drawn_before = canvas->failed ? LF_NO_MEMORY : lf__cairo_status(cairo_status(canvas->pen));
    if (drawn_before != LF_OK)
        return lf__fail_plain(error, drawn_before);
    lf__beside file = {0};
    lf_status status = lf__beside_open(&file, path, &canvas->host, error);
    if (status == LF_OK) {
        cairo_status_t drawn = write(canvas, &file);
        if (drawn == CAIRO_STATUS_SUCCESS || file.failure)
            status = lf__beside_commit(&file, error); // names the system's reason when a write has failed
        else
            status = lf__fail(error, lf__cairo_status(drawn), -1, "%s: cairo: %s", path,
                              cairo_status_to_string(drawn));
    }
    lf__beside_abort(&file);
    return status;
}
