/// The sun over a raster: --sun and --time.
#ifndef CLI_SUN_PLACE_H
#define CLI_SUN_PLACE_H

#include "north.h"

/// Directions to light over a part of a raster are those of its middle, to this many degrees: the sun goes so far in 12 seconds.
#define SUN_WITHIN_DEG 0.05

/// --sun AZIMUTH,ALTITUDE. Says what is wrong and returns false.
bool sun_read(const char *text, lf_sun *sun);

/// --time. Says what is wrong and returns false.
bool sun_moment_read(const char *text, lf_sun_moment *moment);

/// The sun of a moment over the middle of a raster, its azimuth from true north. Says what is wrong and returns false.
bool sun_over_middle(const cli *run, north *north, const lf_sun_moment *moment, lf_sun *sun);

/// The middle of a raster, as its map has it.
lf_vec2 sun_middle(const loaded *ground);

/// Does the planet hide a sun below level from a height? As lf_sun_shade has it.
bool sun_is_down(const loaded *ground, const lf_curvature *bend, double altitude_deg, double height);

/// The lowest altitude at which the sun may light something of a raster; degrees.
double sun_lowest(const loaded *ground, const lf_curvature *bend);

/// What of a raster is lit by --sun or --time, into -o; returns the exit status.
int shadow_map(cli *run);

#endif
