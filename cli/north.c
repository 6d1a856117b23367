#include "north.h"
#include "ground.h"
#include "option_tables.h"
#include <stdio.h>

enum { NORTH_TRUE, NORTH_GRID }; // values of --north

bool north_start(const cli *run, bool on_earth, lf_north *north) {
    const char *path = run->given.arguments[0];
    int word = options_choice(&run->given, "north", -1);
    const lf_grid *grid = ground_terrain(&run->ground);
    if (!grid)
        return true;
    lf_north_open(grid, &run->ground.about, &run->host, north);
    if (run->ground.lattice || ground_is_world(&run->ground))
        north->ground = run->ground.ground;
    north->places = run->ground.lattice_places;
    north->turned = north->turned && word != NORTH_GRID;
    if (on_earth && !north->earth)
        return failed(
            "%s: names no place on Earth, which the position of the sun needs; --ground-crs gives it one",
            path);
    if (!north->turned && !north->degrees && word == NORTH_TRUE)
        return failed("--north true: %s names no CRS that says where north is; --ground-crs gives it one",
                      path);
    return true;
}

const char *north_name(const cli *run, const lf_north *north) {
    bool degrees = north->degrees && options_choice(&run->given, "north", -1) != NORTH_GRID;
    return north->turned || degrees ? "true" : "grid";
}

bool north_middle(const cli *run, lf_north *north, lf_vec2 *lon_lat) {
    if (lf_north_place(north, lf_north_middle(north), lon_lat))
        return true;
    return failed("%s: its middle has no longitude and latitude on Earth", run->given.arguments[0]);
}

// ---- The sun ------------------------------------------------------------------------------------

bool sun_read(const cli *run, lf_sun *sun) {
    double n[ROW_NUMBERS];
    if (options_numbers(&run->given, "sun", 0, n) == 0)
        return true;
    *sun = (lf_sun){n[0], n[1], 0};
    if (sun->altitude_deg > -90 && sun->altitude_deg <= 90)
        return true;
    return refused("--sun %s: expected an altitude above -90 and at most 90",
                   options_value(&run->given, "sun"));
}

static bool read_moment(const char *text, lf_sun_moment *moment, lf_error *why) {
    double seconds;
    lf_status status = lf_time_read(text, &seconds, why);
    if (status == LF_OK && lf_sun_moment_at(seconds, moment) == LF_OK)
        return true;
    if (status == LF_OK || !why->text[0])
        snprintf(why->text, sizeof why->text, "%s",
                 status == LF_OK ? "the position of the sun is not known then" : lf_status_text(status));
    return false;
}

bool check_time(const char *value, lf_error *why) {
    lf_sun_moment moment;
    return read_moment(value, &moment, why);
}

void sun_moment_read(const cli *run, lf_sun_moment *moment) {
    const char *text = options_value(&run->given, "time");
    lf_error error = {0};
    if (text)
        read_moment(text, moment, &error);
}

bool sun_over_middle(const cli *run, lf_north *north, const lf_sun_moment *moment, lf_sun *sun) {
    lf_vec2 at;
    return north_middle(run, north, &at) && succeeded(lf_sun_over(moment, at.x, at.y, true, sun), NULL);
}
