/// From azimuths to lines over a grid.
#include "sight/bearing.h"

/// The sine and the cosine of 45 degrees.
#define DIAGONAL 0.70710678118654752

lf__sincos lf__bearing_turn(double degrees) {
    lf__sincos turn = lf__sincos_deg(degrees);
    if (fabs(remainder(degrees, 90)) == 45) {
        turn.sin = copysign(DIAGONAL, turn.sin);
        turn.cos = copysign(DIAGONAL, turn.cos);
    }
    return turn;
}

/// Metres of a degree of longitude and of latitude.
static lf_vec2 degree_lengths(lf_ellipsoid ellipsoid, double lat_deg) {
    lf__sincos lat = lf__sincos_deg(lat_deg);
    double oblate = ellipsoid.flattening * (2 - ellipsoid.flattening);
    double w = 1 - oblate * lat.sin * lat.sin;
    double across = ellipsoid.radius / sqrt(w);
    lf_vec2 lengths = {across * fabs(lat.cos) * LF__DEGREE, across * (1 - oblate) / w * LF__DEGREE};
    lengths.x = lengths.x > 0.001 ? lengths.x : 0.001;
    return lengths;
}

lf__bearing lf__bearing_of(const lf_grid *grid, const lf_sight_rules *rules, lf_vec2 world,
                           double azimuth_deg) {
    lf__sincos turn = lf__bearing_turn(azimuth_deg);
    lf__bearing bearing = {.world = {turn.sin, turn.cos},
                           .bend = rules->curvature.coefficient / (2 * rules->curvature.radius)};
    if (rules->units == LF_MAP_DEGREES) {
        lf_vec2 lengths = degree_lengths(rules->ellipsoid, world.y);
        bearing.world.x /= lengths.x;
        bearing.world.y /= lengths.y;
    }
    bearing.way = lf__grid_turn(grid, bearing.world.x, bearing.world.y);
    return bearing;
}

lf__sight_line lf__bearing_line(const lf_grid *grid, const lf__bearing *bearing, lf_vec3 from, double slope,
                                double range) {
    lf_vec2 way = bearing->way;
    bool by_columns = fabs(way.x) >= fabs(way.y);
    double at = by_columns ? from.x : from.y, low = by_columns ? grid->low.x : grid->low.y,
           high = by_columns ? grid->high.x : grid->high.y;
    double beyond = 2 * (fabs(at) + fabs(low) + fabs(high) + 1) / fabs(by_columns ? way.x : way.y);
    if (grid->round && fabs(way.x) * beyond > 0.5 * grid->copies) // half a turn, and no farther
        beyond = 0.5 * grid->copies / fabs(way.x);
    lf__sight_line line = {.at = {from.x, from.y},
                           .way = way,
                           .z0 = from.z,
                           .z1 = slope,
                           .z2 = bearing->bend,
                           .end = range < beyond ? range : beyond};
    return line;
}

lf_status lf__bearing_check(const lf_sight_rules *rules, double range, lf_error *error) {
    lf_curvature curvature = rules->curvature;
    if (!isfinite(curvature.coefficient) || !(curvature.radius > 0 && isfinite(curvature.radius)))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "curvature: coefficient %g, radius %g", curvature.coefficient,
                        curvature.radius);
    if (rules->units != LF_MAP_METRES && rules->units != LF_MAP_DEGREES)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "units is %d: expected LF_MAP_METRES or LF_MAP_DEGREES", (int)rules->units);
    lf_ellipsoid e = rules->ellipsoid;
    if (rules->units == LF_MAP_DEGREES &&
        !(e.radius > 0 && isfinite(e.radius) && e.flattening >= 0 && e.flattening < 1))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "ellipsoid: radius %g, flattening %g", e.radius,
                        e.flattening);
    if (rules->voids != LF_VOIDS_UNKNOWN && rules->voids != LF_VOIDS_PASS && rules->voids != LF_VOIDS_STOP)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "voids is %d: expected LF_VOIDS_UNKNOWN, PASS or STOP",
                        (int)rules->voids);
    if (!(range > 0))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "range is %g: must be above 0", range);
    return LF_OK;
}
