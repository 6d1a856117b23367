#include "sun_place.h"
#include "points.h"
#include <math.h>

#define DEGREE 0.017453292519943295

bool sun_read(const char *text, lf_sun *sun) {
    row read;
    if (!row_from_option("sun", text, (row_shape){2, 2, "AZIMUTH,ALTITUDE"}, &read))
        return false;
    *sun = (lf_sun){read.numbers[0], read.numbers[1], 0};
    if (sun->altitude_deg > -90 && sun->altitude_deg <= 90)
        return true;
    message_error("--sun %s: an altitude above -90 and up to 90 is wanted", text);
    return false;
}

bool sun_moment_read(const char *text, lf_sun_moment *moment) {
    lf_error error = {0};
    double seconds;
    lf_status status = lf_time_read(text, &seconds, &error);
    if (status != LF_OK) {
        message_error("--time %s: %s", text, error.text[0] ? error.text : lf_status_text(status));
        return false;
    }
    status = lf_sun_moment_at(seconds, moment);
    if (status != LF_OK)
        message_error("--time %s: there is no sun to be computed then", text);
    return status == LF_OK;
}

lf_vec2 sun_middle(const loaded *ground) {
    lf_vec3 middle = lf_box_centre(lf_grid_describe(ground->grid).box);
    return (lf_vec2){middle.x, middle.y};
}

bool sun_over_middle(const cli *run, north *north, const lf_sun_moment *moment, lf_sun *sun) {
    lf_vec2 at;
    if (north_place(north, sun_middle(north->ground), &at) &&
        lf_sun_over(moment, at.x, at.y, true, sun) == LF_OK)
        return true;
    message_error("%s: its middle has no longitude and latitude on Earth", run->given.arguments[0]);
    return false;
}

/// The height below which nothing is taken to be.
static double floor_of(const loaded *ground) {
    return fmin(0, lf_grid_describe(ground->grid).low);
}

bool sun_is_down(const loaded *ground, const lf_curvature *bend, double altitude_deg, double height) {
    double slope = tan(altitude_deg * DEGREE);
    if (!(altitude_deg < 0))
        return false;
    return !(bend->coefficient > 0) ||
           height - slope * slope * bend->radius / (2 * bend->coefficient) < floor_of(ground);
}

double sun_lowest(const loaded *ground, const lf_curvature *bend) {
    double rise = lf_grid_describe(ground->grid).high - floor_of(ground);
    return bend->coefficient > 0 && rise > 0
               ? -atan(sqrt(2 * bend->coefficient * rise / bend->radius)) / DEGREE
               : 0;
}
