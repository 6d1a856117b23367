/// landfall/horizon.h: the skyline of a point, and what the sun reaches, on grids.
///
/// Directions are azimuths: degrees, clockwise from north (+y). On a projected map true north is elsewhere, and turns from place to place: suns of
/// lf_sun_at and azimuths by compass have to be converted by lf_compass_to_map (landfall/raster.h) for the place, or for parts of a window that are
/// small enough. On a map in metres a direction is the straight line that leaves
/// the point so; on degrees (rules.span) it is the straight line on the map whose first step has that azimuth on the ellipsoid, and
/// distances along it are counted by the metres that a degree has at the point.
#ifndef LANDFALL_HORIZON_H
#define LANDFALL_HORIZON_H

#include <landfall/grid.h>
#include <landfall/viewshed.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Where the skyline is in one direction.
typedef struct lf_horizon {
    lf_reason
        reason; ///< LF_REASON_ANSWERED, or LF_REASON_NONE: no ground that way; elevation is then -90, distance 0
    double elevation_deg; ///< above level at the point, as it appears (bent); may be negative
    double distance;      ///< metres on the map to the nearest place that makes it
    lf_vec3 point;        ///< that place, on the ground
    bool hole;            ///< a hole lies that way, within range: what is there might be higher
} lf_horizon;

/// The skyline of a point in a direction: the least upper bound, over the ground beyond the point and within range, of the angle
/// under which it appears; exact for the asked direction, not for the nearest cell. Ground at the distance d and the height g appears
/// under the slope (g - from.z) / d - coefficient * d / (2 * radius). What lies at the point itself counts only as the limit of what
/// is near it: from below ground everything is hidden, and the elevation is 90. Of several places under the same slope, but for rounding (1e-12
/// of it and of the heights' share in it), the nearest is reported.
/// rules        bend, span and ellipsoid are used; NULL: the default
/// from         finite, z above datum. Columns and rows that are whole but for rounding are taken as whole, as in lf_sight_between
/// azimuth_deg  finite
/// range        metres, > 0; INFINITY: to the border, or half a turn on a grid that wraps
/// horizon      written only on success; slopes to 1e-12 of themselves or of the heights' share in them
/// cursor       counters, or NULL
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_horizon_at(const lf_grid *grid, const lf_sight_rules *rules, lf_vec3 from,
                               double azimuth_deg, double range, lf_horizon *horizon, lf_cursor *cursor);

/// Many directions of one point: bit for bit what lf_horizon_at gives for each.
/// azimuths_deg, horizons  count of each
/// tasks                   parallel loop, or NULL for one thread
/// Errors: LF_BAD_ARGUMENT; nothing is written then. Allocates nothing.
LF_API lf_status lf_horizon_around(const lf_grid *grid, const lf_sight_rules *rules, lf_vec3 from,
                                   const double *azimuths_deg, int64_t count, double range,
                                   lf_horizon *horizons, const lf_tasks *tasks);

/// How to make maps; start from lf_horizon_def_default().
typedef struct lf_horizon_def {
    size_t size;          ///< stamped by the default function
    lf_host host;         ///< tasks for all cores, progress
    lf_sight_rules rules; ///< bend, span, ellipsoid and holes are used
    double height;        ///< of the points above the ground of their posts; finite, 0 by default
    double range;         ///< metres, > 0; INFINITY by default
} lf_horizon_def;

static inline lf_horizon_def lf_horizon_def_default(void) {
    lf_horizon_def def = {
        sizeof(lf_horizon_def), {NULL, NULL, NULL, NULL}, lf_sight_rules_default(), 0, LF_INFINITY};
    return def;
}

/// The same for languages that cannot inline: writes at most `size` bytes of the default to def.
LF_API void lf_horizon_def_init(lf_horizon_def *def, size_t size);

/// The horizon's elevation in one direction for every post of a window: what lf_horizon_at says for the post's place and the
/// height of its ground + def.height, rounded to float. -90 where no ground is that way; NAN for holes.
/// azimuth_deg  finite
/// window       within the grid, 1 x 1 or more
/// degrees      window.columns x window.rows, `row_step` bytes from row to row (0: packed; may be negative)
/// error        optional
/// Errors: LF_BAD_ARGUMENT (named), LF_CANCELLED; what has been written then is some of the posts.
/// Allocates nothing. Same bits for any number of threads.
LF_API lf_status lf_horizon_map(const lf_grid *grid, const lf_horizon_def *def, double azimuth_deg,
                                lf_window window, float *degrees, ptrdiff_t row_step, lf_error *error);

/// The share of the sky that each post of a window sees: the mean, over so many azimuths (0, 360 / directions, ...), of cos^2 of the
/// horizon's elevation, horizons below level counted as level; NAN for holes.
/// directions  1 .. 720
/// share       0 .. 1 each; window, row_step, errors and memory as in lf_horizon_map
LF_API lf_status lf_sky_view(const lf_grid *grid, const lf_horizon_def *def, int directions, lf_window window,
                             float *share, ptrdiff_t row_step, lf_error *error);

/// A direction to the sun, or to any far light, and how long it counts.
typedef struct lf_sun {
    double azimuth_deg;  ///< finite
    double altitude_deg; ///< -90 < altitude <= 90, above level at each post, as it appears
    double hours;        ///< finite, >= 0; for lf_sun_hours only
} lf_sun;

/// What the sun reaches: an lf_seen for each post of a window. LF_SEEN_VISIBLE: lit, no ground within range is strictly above the
/// line to the sun; LF_SEEN_HIDDEN: in shade; LF_SEEN_UNKNOWN: nothing known is above it, but it passes over a hole lower than the grid's
/// highest height (with the rules' LF_HOLES_UNKNOWN; LF_HOLES_STOP makes that shade, LF_HOLES_PASS light); LF_SEEN_HOLE: no ground.
/// At the distance d the line is d * tan(altitude) + coefficient * d^2 / (2 * radius) above its post, exact for the doubles that the
/// direction is converted to. A sun below level still lights summits where the rules bend, but no post from which the line to it comes, at any
/// distance, below both datum and the grid's lowest height: there the planet is in the way, although no ground is known. On a flat one nothing is lit from below level.
/// window  within the grid, 1 x 1 or more
/// lit     window.columns x window.rows bytes, `row_step` bytes from row to row (0: packed; may be negative)
/// error   optional
/// Errors: LF_BAD_ARGUMENT (named), LF_CANCELLED; what has been written then is some of the posts.
/// Allocates nothing. Same bits for any number of threads.
LF_API lf_status lf_sun_shade(const lf_grid *grid, const lf_horizon_def *def, lf_sun sun, lf_window window,
                              uint8_t *lit, ptrdiff_t row_step, lf_error *error);

/// Hours of sun of each post of a window: the sum, in their order, of the hours of those suns by which lf_sun_shade finds it lit;
/// NAN for holes.
/// suns   count of them; 0: none shines
/// hours  written only on success; window and row_step as in lf_horizon_map
/// error  optional; `where` is the index of the offending sun
/// Errors: LF_BAD_ARGUMENT (named), LF_NO_MEMORY, LF_TOO_LARGE, LF_CANCELLED.
/// Allocates 9 bytes per post of the window with the host's allocator. Same bits for any number of threads.
LF_API lf_status lf_sun_hours(const lf_grid *grid, const lf_horizon_def *def, const lf_sun *suns,
                              int64_t count, lf_window window, float *hours, ptrdiff_t row_step,
                              lf_error *error);

#ifdef __cplusplus
}
#endif
#endif
