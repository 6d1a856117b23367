/// What the files of the canvas share.
#ifndef LF_IO_CANVAS_H
#define LF_IO_CANVAS_H

#include "base/base.h"
#include <landfall/picture.h>

#define LF__CANVAS_LIMIT 65500

/// Half-open ranges of pixels.
typedef struct lf__pixels {
    int64_t x0, y0, x1, y1;
} lf__pixels;

/// Shapes as SVG, kept while they are drawn.
typedef struct lf__sketch {
    bool kept;
    int inside; ///< shapes that are drawn as part of one that has been kept already: not 0
    char *text;
    size_t used, room;
    bool failed; ///< there was no memory; said when the file is written
    lf_colour background;
    lf__pixels clip; ///< the last that was named
    int clip_number;
} lf__sketch;

/// Pixels row after row from the top, and two rows of scratch: shapes are drawn a row at a time by collecting
/// what share of each pixel they cover, so drawing needs no memory of its own.
struct lf_canvas {
    lf_host host;
    lf_allocator allocator;
    int64_t width, height;
    lf__pixels clip;
    lf_colour *pixels;
    float *cover;    ///< share of each pixel covered by the shape in hand; zero between shapes
    uint16_t *marks; ///< edge crossings of a sub-row, one bit per sixteenth of a pixel; zero between shapes
    lf__sketch sketch;
};

static inline bool lf__sketch_wanted(const lf_canvas *canvas) {
    return canvas->sketch.kept && canvas->sketch.inside == 0;
}

/// Keep a shape, if the canvas keeps any.
void lf__sketch_rect(lf_canvas *canvas, lf_rect rect, lf_colour colour);
void lf__sketch_circle(lf_canvas *canvas, lf_vec2 centre, double radius, lf_colour colour);
void lf__sketch_polygon(lf_canvas *canvas, const lf_vec2 *corners, int64_t count, lf_colour colour);
void lf__sketch_stroke(lf_canvas *canvas, const lf_vec2 *points, int64_t count, const lf_stroke *stroke);

/// One line of text; at: where its baseline has the point of its alignment.
void lf__sketch_text(lf_canvas *canvas, lf_vec2 at, const char *text, size_t length,
                     const lf_text_style *style);
void lf__sketch_free(lf_canvas *canvas);

/// Mix a colour into a pixel that is known to be on the canvas; cover 0 .. 1.
void lf__canvas_mix(lf_colour *pixel, lf_colour colour, float cover);

/// Mix a colour into the pixels x0 <= x < x1 of a row by their cover, and set that to zero again.
void lf__canvas_paint_row(lf_canvas *canvas, int64_t y, int64_t x0, int64_t x1, lf_colour colour);

/// The clipped pixels that a shape between two corners can touch; false when there are none, or when a coordinate
/// is not finite or beyond reason.
bool lf__canvas_reach(const lf_canvas *canvas, lf_vec2 low, lf_vec2 high, lf__pixels *reach);

/// Draw chains of points, broken by NaN, as one shape with round ends and bends.
void lf__canvas_stroke(lf_canvas *canvas, const lf_vec2 *points, int64_t count, double width,
                       lf_colour colour);

/// The least and greatest coordinates of the points that are finite; false when there are none.
bool lf__points_bounds(const lf_vec2 *points, int64_t count, lf_vec2 *low, lf_vec2 *high);

/// A glyph of the stroke font: units of 28 per height of a capital, baseline at 0, y up.
typedef struct lf__glyph {
    uint32_t code;
    int advance;
    const char *path; ///< see canvas_font.c
} lf__glyph;

/// The glyph of a character; the box when there is none.
const lf__glyph *lf__font_glyph(uint32_t code);

#define LF__GLYPH_POINTS 192

/// The points of a glyph's strokes, chains broken by NaN. Returns how many.
int64_t lf__font_points(const lf__glyph *glyph, lf_vec2 points[LF__GLYPH_POINTS]);

static inline bool lf__sensible(double value) {
    return value >= -1e9 && value <= 1e9;
}

#endif
