/// --overlay: a raster of results painted on ground.
#ifndef CLI_OVERLAY_H
#define CLI_OVERLAY_H

#include "ground.h"
#include <landfall/picture.h>

/// A raster that is laid over another: 0 and holes are left bare, one other number is a mask in one colour, several
/// are coloured by a ramp.
typedef struct overlay {
    loaded raster;
    int64_t columns, rows;
    double low, high; ///< of the numbers that are not 0
    bool mask;
} overlay;

/// Load what --overlay names, if it was given; `ground` is what it will lie on. Says what is wrong and returns false.
bool overlay_load(cli *run, const loaded *ground, overlay *overlay);
void overlay_free(overlay *overlay);

/// Was one given?
bool overlay_there(const overlay *overlay);

/// The paint at a place.
lf_colour overlay_at(const overlay *overlay, lf_vec2 at);

#endif
