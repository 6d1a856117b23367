/// The sun over a raster: --sun, --time, and the place of its middle on Earth.
#ifndef CLI_SUN_PLACE_H
#define CLI_SUN_PLACE_H

#include "ground.h"
#include <landfall/sun.h>

/// Longitude and latitude of the middle of a raster. Says what is wrong (no CRS on Earth) and returns false.
bool sun_place(const cli *run, const loaded *ground, lf_vec2 *lon_lat);

/// --sun AZIMUTH,ALTITUDE. Says what is wrong and returns false.
bool sun_read(const char *text, lf_sun *sun);

/// --time over the middle of a raster.
bool sun_at_time(const cli *run, const loaded *ground, const char *text, lf_sun *sun);

/// What of a raster is lit by --sun or --time, into -o; returns the exit status.
int shadow_map(cli *run);

#endif
