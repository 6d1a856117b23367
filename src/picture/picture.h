/// What the files of the picture module share.
#ifndef LF_PICTURE_PICTURE_H
#define LF_PICTURE_PICTURE_H

#include "base/base.h"
#include "base/containers.h"
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <landfall/picture.h>
// Generated from cairo_calls.txt: lf__cairo_calls, a table of pointers to cairo's calls, and for each call a
// macro of its name that takes it from lf__cairo_loaded(). A new call is added to that list.
#include <cairo_calls.h>

/// The calls, with cairo loaded by the first of them. Threads: any.
const lf__cairo_calls *lf__cairo_loaded(void);

/// Why cairo cannot be loaded; empty where it can. There is no canvas then, and text has no width.
const char *lf__cairo_missing(void);

/// Cairo's limit for images.
#define LF__CANVAS_LIMIT 32767

/// Half-open ranges of pixels.
typedef struct lf__pixels {
    int64_t x0, y0, x1, y1;
} lf__pixels;

typedef enum lf__shape_kind {
    LF__SHAPE_FILL,
    LF__SHAPE_STROKE,
    LF__SHAPE_IMAGE,
    LF__SHAPE_TEXT,
    LF__SHAPE_CLIP,
    LF__SHAPE_UNCLIP
} lf__shape_kind;

/// A shape as it is drawn on the image of a canvas, and again on a file of vectors.
typedef struct lf__shape {
    lf__shape_kind kind;
    cairo_path_t *path;     ///< of fills and strokes
    lf_stroke stroke;       ///< of strokes; the colour of fills
    cairo_surface_t *image; ///< of images
    lf_rect area;           ///< of images and clips
    char *text;             ///< of text
    lf_vec2 at;
    lf_text_style style;
} lf__shape;

/// Every shape is drawn on an image, for PNG and lf__canvas_pixel, and kept in a list, for SVG and PDF.
struct lf_canvas {
    lf_host host;
    lf_allocator allocator;
    int64_t width, height;
    lf_colour background;
    cairo_surface_t *image;
    cairo_t *pen;     ///< on the image
    lf__array shapes; ///< of lf__shape
    bool failed;      ///< there was no memory for a shape
};

/// Draw a shape and keep it; its path, image and text belong to the canvas then. Text is allocated with strlen + 1 bytes.
void lf__canvas_add(lf_canvas *canvas, lf__shape shape);

/// The width in pixels of the widest line of a text (not bold) at a line height. Threads: any.
double lf__text_width(const char *text, double height);

/// Draw a shape with a pen (canvas_shapes.c).
/// outlines  draw the outlines of letters: cairo moves letters of an image to whole pixels
void lf__shape_draw(cairo_t *pen, const lf__shape *shape, bool outlines);

/// Map a cairo status to one of landfall's.
lf_status lf__cairo_status(cairo_status_t status);

/// Restrict drawing to a rectangle until lf__canvas_unclip; its edges are rounded to whole pixels.
void lf__canvas_clip(lf_canvas *canvas, lf_rect area);
void lf__canvas_unclip(lf_canvas *canvas);

/// The pixels of the canvas that a rectangle covers, its edges rounded to whole pixels; false when there are none, or
/// when a coordinate is not finite or beyond 1e9.
bool lf__canvas_reach(const lf_canvas *canvas, lf_rect area, lf__pixels *reach);

static inline bool lf__drawable(lf_vec2 point) {
    return fabs(point.x) <= 1e9 && fabs(point.y) <= 1e9;
}

/// Transparent pixels that are filled in one by one, then laid over the canvas.
typedef struct lf__layer {
    lf__pixels place; ///< on the canvas
    cairo_surface_t *surface;
    uint32_t *pixels;
    int64_t stride; ///< pixels from row to row
} lf__layer;

/// Errors: LF_NO_MEMORY. End it after success only.
lf_status lf__layer_begin(lf__layer *layer, lf__pixels place);
void lf__layer_end(lf__layer *layer, lf_canvas *canvas);

/// Set a pixel of a layer; x and y count from the layer's upper left corner. Threads: any, on different pixels.
void lf__layer_set(lf__layer *layer, int64_t x, int64_t y, lf_colour colour);

/// Lay a colour over another; cover is 0 .. 1 and multiplies its alpha.
void lf__colour_over(lf_colour *under, lf_colour colour, float cover);

/// One of the eight colours for series: index modulo 8.
lf_colour lf__colour_series(int64_t index);

/// From pixels to the world.
lf_vec2 lf__map_axes_to_world(const lf_map_axes *axes, lf_vec2 pixel);

// ---------------------------------------------------------------------------------------------------
// Light on maps (relief.c)
// ---------------------------------------------------------------------------------------------------

/// The visible ground, one height per pixel of the view (NaN where there is none), rows from the top.
typedef struct lf__relief {
    const lf_relief_def *def;
    lf__pixels place; ///< on the canvas
    int64_t width, height;
    float *z;
    lf__layer layer;
    double pixel;     ///< metres per pixel
    double low, high; ///< heights at the ends of the ramp
    float top;        ///< the greatest height
    lf_vec3 sun;      ///< unit vector towards it
    lf_vec3 fill[2];  ///< weaker lights from both sides of the sun, so that no slope is flat
} lf__relief;

/// Read and check the def, and allocate the heights (NaN) and the layer. After success, end it; a width of 0 means that
/// nothing is on the canvas, and that there is nothing to end.
lf_status lf__relief_begin(lf__relief *relief, lf_canvas *canvas, const lf_map_axes *axes, lf_relief_def *def,
                           const lf_relief_def *given, lf_error *error);

/// Lay the layer over the canvas and free the heights.
void lf__relief_end(lf__relief *relief, lf_canvas *canvas);

/// Once the heights are filled in: find the range of the colours.
void lf__relief_range(lf__relief *relief);

/// The share of sunlight, 0 .. 1, that other ground leaves to a point at height z in the pixel (x, y).
double lf__relief_sunlit(const lf__relief *relief, int64_t x, int64_t y, double z);

/// The light on a surface: 1 is level ground in the open.
double lf__relief_light(const lf__relief *relief, lf_vec3 normal, double sunlit);

/// The colour of a height by the ramp.
lf_colour lf__relief_tint(const lf__relief *relief, double z);

/// A colour in that light: shadows turn cool, bright slopes warm.
lf_colour lf__relief_lit(const lf__relief *relief, lf_colour colour, double light);

// ---------------------------------------------------------------------------------------------------
// Perspective (render_view.c)
// ---------------------------------------------------------------------------------------------------

/// The directions of the camera, in metres: unit vectors; `right` and `up` span the picture.
typedef struct lf__lens {
    lf_vec3 forward, right, up;
    double across; ///< half the picture's width at a distance of 1
    double width, height;
} lf__lens;

/// The frame of the ground; down is -z where there is no ground.
lf_frame lf__render_frame(const lf_ground *ground);

/// The lens of a complete def. False when the eye is at its target.
bool lf__lens_of(const lf_ground *ground, const lf_render_def *def, double width, double height,
                 lf__lens *lens);

/// The direction through a point of the picture, unit length, in metres.
lf_vec3 lf__lens_through(const lf__lens *lens, double x, double y);

/// Convert points and directions between metres and units of the ground, and normals to metres.
lf_vec3 lf__render_units(const lf_render_def *def, lf_vec3 metres);
lf_vec3 lf__render_metres(const lf_render_def *def, lf_vec3 units);
lf_vec3 lf__render_normal(const lf_render_def *def, lf_vec3 normal);

/// The height that decides the colour of a point of the ground.
double lf__render_height(const lf_render_def *def, const lf_frame *frame, lf_vec3 point);

#endif
