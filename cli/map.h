/// Ground as a map: shaded relief, and what lies over it; --overlay, a raster of results painted on ground.
#ifndef CLI_MAP_H
#define CLI_MAP_H

#include "plots.h"

/// Draw a map of the ground to a file. The rest of the def is filled in by the ground: grid or polygons, and metres. A ground that has
/// neither, or a layer over polygons, is drawn by the topmost heights at a lattice.
/// Prints what is wrong and returns false.
bool map_draw(const cli *run, const char *path, lf_figure_map_def *def);

/// A raster that is laid over another.
typedef struct overlay {
    loaded raster;
    lf_figure_overlay values;
} overlay;

/// Load what --overlay names, if it was given; `ground` is what it will lie on. Prints what is wrong and returns false. Free its
/// raster with ground_free.
bool overlay_load(cli *run, const loaded *ground, overlay *overlay);

#endif
