/// Ground as a map: shaded relief, and what lies over it.
#ifndef CLI_MAP_H
#define CLI_MAP_H

#include "ground.h"
#include <landfall/picture.h>

/// A word of the key, and its colour.
typedef struct map_word {
    lf_colour colour;
    const char *text;
} map_word;

/// What lies over the relief.
typedef struct map_layer {
    lf_tint *tint;
    void *user;
    const map_word *words; ///< the key; or NULL: the ramp is
    int word_count;
    lf_ramp ramp; ///< from low to high
    double low, high;
    const char *unit;
    const lf_vec2 *marks; ///< observers
    int64_t mark_count;
} map_layer;

/// A map, and where it goes.
typedef struct map_def {
    lf_box box;             ///< the part of the world, x and y
    const map_layer *layer; ///< or NULL: heights alone
    double contours;        ///< metres between contour lines; 0: none
    int64_t width;
    const char *path;
} map_def;

/// Draw ground from above: a raster, or polygons (these without contours).
lf_status map_draw(cli *run, const loaded *ground, const map_def *def, lf_error *error);

#endif
