/// Globes in pictures: places as LON,LAT,HEIGHT, and tiles as fine as the picture shows them.
#ifndef CLI_RENDER_GLOBE_H
#define CLI_RENDER_GLOBE_H

#include "ground.h"
#include <landfall/picture.h>

/// LON,LAT,HEIGHT as a position of the globe's. Says what is wrong, with the option's name and text, and returns false.
bool render_globe_position(const loaded *ground, const char *name, const char *text, lf_vec3 *point);

/// A position of the globe's as LON,LAT,HEIGHT.
lf_vec3 render_globe_place(const loaded *ground, lf_vec3 position);

/// A view of a globe: what eye and look are where they are NaN, straight down if need be, and what heights are measured from.
lf_status render_globe_settle(const loaded *ground, double aspect, lf_render_def *def, lf_error *error);

/// Load the tiles that a settled view wants, and make ground of what is loaded then: the caller's.
/// width  of the picture, in pixels
lf_status render_globe_load(cli *run, const loaded *ground, const lf_render_def *view, int64_t width,
                            lf_ground **made);

#endif
