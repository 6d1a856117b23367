#include "sun_place.h"
#include "points.h"
#include <math.h>

bool sun_place(const cli *run, const loaded *ground, lf_vec2 *lon_lat) {
    lf_grid_info grid = lf_grid_describe(ground->grid);
    lf_vec3 middle = lf_box_centre(grid.box);
    lf_crs_way *way = NULL;
    lf_error error = {0};
    bool fine = true;
    if (!ground_in_degrees(ground)) {
        fine = ground->about.crs && ground->about.kind == LF_CRS_PROJECTED &&
               lf_crs_way_create(ground->about.crs, "OGC:CRS84", &run->host, &way, &error) == LF_OK &&
               lf_crs_way_go(way, &middle, 0, 1, false) == 0;
        lf_crs_way_destroy(way);
    }
    *lon_lat = (lf_vec2){middle.x, middle.y};
    if (!fine)
        message_error(
            "%s: names no place on Earth, where the sun could be looked up; --ground-crs gives it one",
            run->given.arguments[0]);
    return fine;
}

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

bool sun_at_time(const cli *run, const loaded *ground, const char *text, lf_sun *sun) {
    lf_error error = {0};
    lf_vec2 at;
    double seconds;
    lf_status status = lf_time_read(text, &seconds, &error);
    if (status != LF_OK) {
        message_error("--time %s: %s", text, error.text[0] ? error.text : lf_status_text(status));
        return false;
    }
    if (!sun_place(run, ground, &at))
        return false;
    status = lf_sun_at(at.x, at.y, seconds, true, sun);
    if (status != LF_OK)
        message_error("--time %s: there is no sun to be computed then", text);
    return status == LF_OK;
}
