/// What the rooms share about planes beyond the public header.
#ifndef LF_GEOM_PLANE_H
#define LF_GEOM_PLANE_H

#include <landfall/geom.h>

/// normal . p - offset: the sign is exact, the value off by little (a few roundings of the largest product,
/// and by half a unit in the last place where that could matter for the sign). A distance when the normal
/// is unit.
double lf__plane_height(const lf_plane *plane, lf_vec3 p);

#endif
