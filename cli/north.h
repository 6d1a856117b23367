/// Where north is on the map of a raster: --north, parts of a raster with one direction each, and the sun: --sun and --time.
#ifndef CLI_NORTH_H
#define CLI_NORTH_H

#include "ground.h"
#include <landfall/io.h>

/// What azimuths are counted from.
typedef struct north {
    const loaded *ground;
    lf_crs_transform *way; ///< from the map to longitudes and latitudes; NULL: there are none
    bool turned;           ///< true north turns from place to place: azimuths have to be converted
    bool earth;            ///< longitudes and latitudes are known, on Earth
} north;

/// Find north on the raster of a run. Prints what is wrong and returns false; nothing is held then.
/// on_earth  places on Earth are needed, for the sun
bool north_start(const cli *run, bool on_earth, north *north);
void north_end(north *north);

/// "true" or "grid".
const char *north_name(const cli *run, const north *north);

/// The azimuth on the map of an azimuth as given, at a position on the map. On a raster in degrees both are the same.
double north_azimuth(north *north, lf_vec2 at, double azimuth_deg);

/// Longitude and latitude of a place of the map; false: it has none.
bool north_place(north *north, lf_vec2 at, lf_vec2 *lon_lat);

/// The sun over a position, with its azimuth on the map: the sun of a moment, or a given direction. False: the position is not on Earth.
bool north_sun(north *north, lf_vec2 at, const lf_sun_moment *moment, const lf_sun *asked, lf_sun *sun);

/// True east and north of a place on the map, whatever --north says; false: those of x and y (degrees), or not known.
bool north_turns(north *north, lf_vec2 at, lf_compass *compass);

/// The same for azimuths as given; false: they need no conversion.
bool north_compass(north *north, lf_vec2 at, lf_compass *compass);

/// A part of a window of samples over which one direction will do, and its middle.
typedef struct north_part {
    lf_window window;
    lf_vec2 middle;
} north_part;

/// Cut a window into parts over which directions differ from that in the middle by no more than so many degrees, or that are down to 4 x 4 cells.
/// sun  directions are those to the sun of any moment, which depend on the position too; else given azimuths
north_part *north_parts(north *north, lf_window window, double within_deg, bool sun, int64_t *count);

/// Progress over parts that are worked on one after the other.
typedef struct north_progress {
    lf_progress hook;
    const lf_progress *whole;
    int64_t part, count;
} north_progress;

/// A host that reports the progress of one of `count` parts; set `part` before each.
lf_host north_host(const lf_host *host, int64_t count, north_progress *progress);

/// Directions to light over a part of a raster are those of its middle, to this many degrees: the sun moves so far in 12 seconds.
#define SUN_WITHIN_DEG 0.05

/// --sun AZIMUTH,ALTITUDE, where it is given. Prints what is wrong and returns false.
bool sun_read(const cli *run, lf_sun *sun);

/// --time, where it is given.
void sun_moment_read(const cli *run, lf_sun_moment *moment);

/// The sun of a moment over the middle of a raster, its azimuth from true north. Prints what is wrong and returns false.
bool sun_over_middle(const cli *run, north *north, const lf_sun_moment *moment, lf_sun *sun);

/// The middle of a raster, on its map.
lf_vec2 sun_middle(const loaded *ground);

/// Does the planet hide a sun below level from a height? As in lf_sun_shade.
bool sun_is_down(const loaded *ground, const lf_curvature *bend, double altitude_deg, double height);

/// The lowest altitude at which the sun may light something of a raster; degrees.
double sun_lowest(const loaded *ground, const lf_curvature *bend);

/// `landfall shadow -o`: what of a raster is lit by --sun or --time; returns the exit status.
int shadow_map(cli *run);

#endif
