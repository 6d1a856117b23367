/// Lines that leave a point in a direction: those of horizons and of light.
#ifndef LF_SIGHT_BEARING_H
#define LF_SIGHT_BEARING_H

#include "geom/angle.h"
#include "sight/line.h"

/// One step of a metre.
typedef struct lf__bearing {
    lf_vec2 world; ///< in units of the world
    lf_vec2 way;   ///< in columns and rows
    double
        bend; ///< how much a line rises over the map in a metre, beside its slope: coefficient / (2 * radius)
} lf__bearing;

/// Sine and cosine of an angle in degrees; the same at odd multiples of 45, so that these are diagonals.
lf__sincos lf__bearing_turn(double degrees);

/// The bearing of an azimuth, at a place of the world. On degrees a metre is counted by the lengths of degrees of longitude and
/// latitude there; one of longitude counts for a millimetre at least, at the poles too.
lf__bearing lf__bearing_of(const lf_grid *grid, const lf_sight_rules *rules, lf_vec2 world,
                           double azimuth_deg);

/// The line from a place in columns and rows and of a height on, which rises so much per metre; its t are metres. It ends at the range,
/// or at last beyond the grid; on one that wraps after half a turn.
lf__sight_line lf__bearing_line(const lf_grid *grid, const lf__bearing *bearing, lf_vec3 from, double slope,
                                double range);

/// The world's place of a post.
static inline lf_vec2 lf__post_place(const lf_grid *grid, int64_t i, int64_t j) {
    const lf_geotransform *p = &grid->geotransform;
    return (lf_vec2){p->origin.x + (double)i * p->per_column.x + (double)j * p->per_row.x,
                     p->origin.y + (double)i * p->per_column.y + (double)j * p->per_row.y};
}

/// Bend, span and ellipsoid as they have to be; names what is not.
lf_status lf__bearing_check(const lf_sight_rules *rules, double range, lf_error *error);

#endif
