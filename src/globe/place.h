/// Places of positions, quickly: what a camera asks for in every frame, many times.
#ifndef LF_GLOBE_PLACE_H
#define LF_GLOBE_PLACE_H

#include <landfall/geom.h>

/// As lf_ellipsoid_to_geodetic, off by no more than LF__PLACE_ANGLE degrees and LF__PLACE_HEIGHT metres for each 6,400 km of distance from the centre.
lf_geodetic lf__place_of(const lf_ellipsoid *ellipsoid, lf_vec3 position);

#define LF__PLACE_ANGLE 2e-11
#define LF__PLACE_HEIGHT 1e-6

#endif
