/// Pixels of a canvas, for tests.
#ifndef LF_PICTURE_PIXEL_H
#define LF_PICTURE_PIXEL_H

#include <landfall/picture.h>

/// The pixel in column x and row y; all zero outside.
lf_colour lf__canvas_pixel(const lf_canvas *canvas, int64_t x, int64_t y);

#endif
