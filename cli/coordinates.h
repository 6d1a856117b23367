/// Points as they are given, and as the ground has them: --crs, longitudes that go round, and what degrees are in metres.
#ifndef CLI_COORDINATES_H
#define CLI_COORDINATES_H

#include "ground.h"

/// Start those of the run's ground with --crs. Prints what is wrong and returns false.
bool coordinates_start(cli *run);
void coordinates_end(coordinates *coordinates);

/// Are points as given not those of the ground?
bool coordinates_differ(const coordinates *coordinates);

/// Points as given into the ground's, in place. Longitudes are moved by whole turns to where they are nearest to the ground's middle; of `together` of
/// them that follow one another those after the first go to where the way from that is shorter. Those that have no position there become NaN.
void coordinates_in(const coordinates *coordinates, lf_vec3 *points, int64_t count, int together);

/// Move the end of a way over longitudes to where the way is the shorter one around the globe. Both are points of the ground.
void coordinates_shorten(const coordinates *coordinates, lf_vec3 from, lf_vec3 *to);

/// A point that stands for X,Y (count 2: above all ground there) or X,Y,Z. NaN where it has no position.
lf_vec3 coordinates_point(const cli *run, const double *numbers, int count);

/// One point of the ground back into the system of the points; `first` is the first of those it belongs to, as given.
lf_vec3 coordinates_out(const coordinates *coordinates, lf_vec3 point, double first);

/// A unit normal at a point of the ground in metres east, north and up.
lf_vec3 coordinates_normal(const coordinates *coordinates, lf_vec3 point, lf_vec3 normal);

/// Metres from one point of the ground to another: straight, or along the ground (geodesic) where x and y of a raster are degrees.
double coordinates_distance(const coordinates *coordinates, lf_vec3 from, lf_vec3 to);

#endif
