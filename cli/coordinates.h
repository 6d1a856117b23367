/// Points as they are given, and as the ground has them: --crs, longitudes that go round, and what degrees are in metres.
#ifndef CLI_COORDINATES_H
#define CLI_COORDINATES_H

#include "ground.h"

typedef struct coordinates {
    lf_crs_transform *way; ///< from the points' system to the ground's, or NULL
    bool degrees;    ///< of the ground
    bool centred;    ///< the ground is a globe: its points are earth-centred, those given are LON,LAT,HEIGHT
    double middle;   ///< longitude of the ground's middle
    lf_ellipsoid ellipsoid;
} coordinates;

/// Find out what --crs asks for. Says what is wrong and returns false; nothing is held then.
bool coordinates_start(cli *run, const loaded *ground, coordinates *coordinates);
void coordinates_end(coordinates *coordinates);

/// Are points as given not those of the ground?
bool coordinates_differ(const coordinates *coordinates);

/// Points as given into the ground's, in place. Longitudes are brought to where they are nearest to the ground's middle, by whole turns; of `together` of them
/// that follow one another those after the first go to where the way from that is shorter. Those that have no place there become NaN.
void coordinates_in(const coordinates *coordinates, lf_vec3 *points, int64_t count, int together);

/// Bring the end of a way over longitudes to where the way is the shorter one round the globe. Both are points of the ground.
void coordinates_shorten(const coordinates *coordinates, lf_vec3 from, lf_vec3 *to);

/// A point that stands for X,Y (count 2: above all ground there) or X,Y,Z. NaN where it has no place.
lf_vec3 coordinates_point(const coordinates *coordinates, const loaded *ground, const double *numbers,
                          int count);

/// One point of the ground back into the system of the points; `first` is the first of those it belongs to, as given.
lf_vec3 coordinates_out(const coordinates *coordinates, lf_vec3 point, double first);

/// A unit normal at a point of the ground in metres east, north and up.
lf_vec3 coordinates_normal(const coordinates *coordinates, lf_vec3 point, lf_vec3 normal);

/// Metres from one point of the ground to another: straight, or along the ground (geodesic) where x and y of a raster are degrees.
double coordinates_distance(const coordinates *coordinates, lf_vec3 from, lf_vec3 to);

#endif
