/// Ground as a map: shaded relief, and what lies over it; --overlay, a raster of results painted on ground.
#ifndef CLI_MAP_H
#define CLI_MAP_H

#include "cli.h"
#include <landfall/picture.h>

/// A name in the key, and its colour.
typedef struct map_name {
    lf_colour colour;
    const char *text;
} map_name;

/// What lies over the relief.
typedef struct map_layer {
    lf_tint *tint;
    void *user;
    const map_name *names; ///< the key; or NULL: the ramp is
    int name_count;
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

/// A raster that is laid over another: 0 and holes are left bare, one other number is a mask in one colour, several
/// are coloured by a ramp.
typedef struct overlay {
    loaded raster;
    int64_t columns, rows;
    double low, high; ///< of the numbers that are not 0
    bool mask;
} overlay;

/// Load what --overlay names, if it was given; `ground` is what it will lie on. Prints what is wrong and returns false. Free its
/// raster with ground_free.
bool overlay_load(cli *run, const loaded *ground, overlay *overlay);

/// The paint at a place.
lf_colour overlay_at(const overlay *overlay, lf_vec2 at);

#endif
