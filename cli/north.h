/// Where north is on the map of a raster (--north), and the sun (--sun and --time).
#ifndef CLI_NORTH_H
#define CLI_NORTH_H

#include "ground.h"
#include <directions.h>

/// Find north on the raster of a run. Prints what is wrong and returns false. lf_north_close always.
/// on_earth  places on Earth are needed, for the sun
bool north_start(const cli *run, bool on_earth, lf_north *north);

/// The same where no azimuth was given: only the name of north is needed.
void north_name_only(const cli *run, lf_north *north);

/// "true" or "grid".
const char *north_name(const cli *run, const lf_north *north);

/// Longitude and latitude of the middle of a raster. Prints what is wrong and returns false.
bool north_middle(const cli *run, lf_north *north, lf_vec2 *lon_lat);

/// --sun AZIMUTH,ALTITUDE, where it is given. Prints what is wrong and returns false.
bool sun_read(const cli *run, lf_sun *sun);

/// --time, where it is given.
void sun_moment_read(const cli *run, lf_sun_moment *moment);

/// The sun of a moment over the middle of a raster, its azimuth from true north. Prints what is wrong and returns false.
bool sun_over_middle(const cli *run, lf_north *north, const lf_sun_moment *moment, lf_sun *sun);

/// `landfall shadow -o`: what of a raster is lit by --sun or --time; returns the exit status.
int shadow_map(cli *run);

#endif
