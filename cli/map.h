/// Ground as a map: shaded relief, and what lies over it; --overlay, a raster of results painted on ground.
#ifndef CLI_MAP_H
#define CLI_MAP_H

#include "plots.h"

/// Draw a map of the ground to a file. The rest of the def is filled in by the ground: grid or polygons, and metres.
/// Prints what is wrong and returns false.
bool map_draw(const cli *run, const char *path, lf_figure_map_def *def);

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
