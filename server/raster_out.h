/// Numbers on the samples of a grid, written as PNG, GeoTIFF or polygons.
#ifndef SERVER_RASTER_OUT_H
#define SERVER_RASTER_OUT_H

#include "api.h"

/// Write a PNG of 8 bits. pixels: rows from the top, `channels` bytes each; with a palette (count entries of red, green, blue,
/// alpha) one byte each. False without memory.
typedef struct picture {
    const uint8_t *pixels;
    int64_t width, height;
    int channels;                ///< 1, 3 or 4
    const uint8_t (*palette)[4]; ///< or NULL
    int colours;
    int level; ///< of zlib, 1 .. 9
} picture;
bool picture_write(text *out, const picture *image);

/// Bytes or floats of a window of a grid, from its southern row on.
typedef struct window_values {
    const dataset *dataset;
    lf_window window;
    const uint8_t *bytes; ///< or NULL
    const float *floats;  ///< instead
    const char *unit;     ///< or NULL
} window_values;

/// West, south, east and north edge of the pixels of a window, on the map.
void window_edges(const window_values *values, double edges[4]);

/// Headers that tell where a picture is: X-Landfall-Bounds, and X-Landfall-CRS where that is not longitude and latitude.
void window_headers(const window_values *values, reply *reply);

bool geotiff_write(const window_values *values, reply *reply);

/// The samples whose byte is 1, as polygons: a GeoJSON feature with longitudes and latitudes.
bool polygons_write(const window_values *values, const site *site, reply *reply);

/// A palette picture of the bytes, or a ramp of the floats from low to high, north on top.
bool window_png(const window_values *values, const uint8_t (*palette)[4], int colours, reply *reply);
bool ramp_png(const window_values *values, double low, double high, reply *reply);

/// A profile as a picture; count is 1 or more.
void profile_svg(const lf_profile_point *points, int64_t count, reply *reply);
void profile_png(const lf_profile_point *points, int64_t count, reply *reply);

#endif
