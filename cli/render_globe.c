#include "render_globe.h"
#include "points.h"
#include <math.h>

#define DEGREE 0.017453292519943295
#define BUDGET ((size_t)512 << 20) // bytes of tiles
#define MOST_ROUNDS 10000

bool render_globe_position(const loaded *ground, const char *name, const char *text, lf_vec3 *point) {
    lf_globe_info info = lf_globe_describe(ground->globe);
    row read;
    if (!row_from_option(name, text, (row_shape){3, 3, "LON,LAT,HEIGHT"}, &read))
        return false;
    lf_geodetic place = {read.numbers[0], read.numbers[1], read.numbers[2]};
    if (fabs(place.lat_deg) > 90) {
        message_error("--%s %s: the latitude is beyond 90 degrees", name, text);
        return false;
    }
    *point = lf_ellipsoid_to_centred(&info.ellipsoid, place);
    return true;
}

/// Nanodegrees and millimetres: beyond those there is only rounding.
static double shorten(double value, double steps) {
    return floor(value * steps + 0.5) / steps;
}

lf_vec3 render_globe_place(const loaded *ground, lf_vec3 position) {
    lf_globe_info info = lf_globe_describe(ground->globe);
    lf_geodetic place = lf_ellipsoid_to_geodetic(&info.ellipsoid, position);
    return (lf_vec3){shorten(place.lon_deg, 1e9), shorten(place.lat_deg, 1e9), shorten(place.height, 1e3)};
}

lf_status render_globe_settle(const loaded *ground, double aspect, lf_render_def *def, lf_error *error) {
    lf_globe_info info = lf_globe_describe(ground->globe);
    bool looks = isfinite(def->target.x);
    def->ellipsoid = info.ellipsoid;
    lf_status status = lf_render_resolve(ground->ground, def, aspect, def, error);
    if (status == LF_OK && !looks) {
        lf_geodetic below = lf_ellipsoid_to_geodetic(&info.ellipsoid, def->eye);
        below.height = 0;
        def->target = lf_ellipsoid_to_centred(&info.ellipsoid, below);
    }
    return status;
}

lf_status render_globe_load(cli *run, const loaded *ground, const lf_render_def *view, int64_t width,
                            const lf_ground **made) {
    lf_globe_view wanted = lf_globe_view_default();
    lf_globe_change change = {.waiting = 1};
    lf_status status = LF_OK;
    wanted.position = view->eye;
    wanted.detail = 2 * tan(0.5 * view->fov_deg * DEGREE) / (double)width; // a post to a pixel
    lf_globe_set_budget(ground->globe, BUDGET);
    for (int64_t round = 0; round < MOST_ROUNDS && change.waiting > 0 && status == LF_OK; round++) {
        status = lf_globe_update(ground->globe, &wanted, &change);
        if (!progress_report(&run->bar, "tiles", change.wanted - change.waiting, change.wanted))
            status = LF_CANCELLED;
        if (change.fetched == 0)
            break;
    }
    progress_clear();
    *made = lf_globe_ground(ground->globe);
    return status;
}
