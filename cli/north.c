#include "north.h"
#include "option_tables.h"
#include "sight_rules.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEGREE 0.017453292519943295
#define LEAST_CELLS 4
#define MOST_PARTS 4000000

enum { NORTH_TRUE, NORTH_GRID }; // values of --north

/// The way to longitudes and latitudes: of WGS 84 on Earth, else of the CRS itself.
static bool find_way(const cli *run, north *north) {
    const lf_raster_info *about = &run->ground.about;
    const char *crs = about->crs ? about->crs : "OGC:CRS84"; // degrees without a system: those of WGS 84
    if (!(about->crs && about->kind == LF_CRS_PROJECTED) && about->kind != LF_CRS_DEGREES)
        return false;
    if (sight_on_earth(&about->ellipsoid) &&
        lf_crs_transform_create(crs, "OGC:CRS84", &run->host, &north->way, NULL) == LF_OK) {
        north->earth = true;
        return true;
    }
    return lf_crs_transform_create(crs, NULL, &run->host, &north->way, NULL) == LF_OK;
}

bool north_start(const cli *run, bool on_earth, north *north) {
    const loaded *ground = &run->ground;
    const char *path = run->given.arguments[0];
    int word = options_choice(&run->given, "north", -1);
    *north = (struct north){.ground = ground};
    if (!ground->grid)
        return true;
    bool degrees = ground_in_degrees(ground), found = find_way(run, north);
    north->turned = found && !degrees && word != NORTH_GRID;
    if (on_earth && !north->earth) {
        message_error(
            "%s: names no place on Earth, which the position of the sun needs; --ground-crs gives it one",
            path);
    } else if (!north->turned && !degrees && word == NORTH_TRUE) {
        message_error("--north true: %s names no CRS that says where north is; --ground-crs gives it one",
                      path);
    } else {
        return true;
    }
    north_end(north);
    return false;
}

void north_end(north *north) {
    lf_crs_transform_destroy(north->way);
    north->way = NULL;
}

const char *north_name(const cli *run, const north *north) {
    bool degrees = ground_in_degrees(north->ground) && options_choice(&run->given, "north", -1) != NORTH_GRID;
    return north->turned || degrees ? "true" : "grid";
}

bool north_turns(north *north, lf_vec2 at, lf_compass *compass) {
    return north->way && !ground_in_degrees(north->ground) &&
           lf_crs_transform_compass(north->way, &at, 1, compass, NULL) == 0;
}

bool north_compass(north *north, lf_vec2 at, lf_compass *compass) {
    return north->turned && north_turns(north, at, compass);
}

double north_azimuth(north *north, lf_vec2 at, double azimuth_deg) {
    lf_compass compass;
    return north_compass(north, at, &compass) ? lf_compass_to_map(&compass, azimuth_deg) : azimuth_deg;
}

bool north_place(north *north, lf_vec2 at, lf_vec2 *lon_lat) {
    lf_vec3 point = {at.x, at.y, 0};
    if (north->way && lf_crs_transform_points(north->way, &point, 0, 1, false) != 0)
        return false;
    *lon_lat = (lf_vec2){point.x, point.y};
    return north->earth && fabs(point.y) <= 90;
}

bool north_sun(north *north, lf_vec2 at, const lf_sun_moment *moment, const lf_sun *asked, lf_sun *sun) {
    lf_vec2 lon_lat;
    lf_compass compass;
    if (asked)
        *sun = *asked;
    else if (!north_place(north, at, &lon_lat) ||
             lf_sun_over(moment, lon_lat.x, lon_lat.y, true, sun) != LF_OK)
        return false;
    // --north grid only concerns azimuths that were given, not the sun of a time.
    if (asked ? north_compass(north, at, &compass) : north_turns(north, at, &compass))
        sun->azimuth_deg = lf_compass_to_map(&compass, sun->azimuth_deg);
    return true;
}

// ---- Parts --------------------------------------------------------------------------------------

/// The x and y of the map and up, in space.
typedef struct axes {
    lf_vec3 x, y, up;
} axes;

/// A place of a part: its compass, and its axes.
typedef struct spot {
    lf_compass compass;
    axes axes;
} spot;

static lf_vec2 place_of(const north *north, double column, double row) {
    lf_geotransform p = lf_grid_describe(north->ground->grid).geotransform;
    return (lf_vec2){p.origin.x + column * p.per_column.x + row * p.per_row.x,
                     p.origin.y + column * p.per_column.y + row * p.per_row.y};
}

static lf_vec3 towards(lf_vec3 east, lf_vec3 north, double azimuth_deg) {
    return lf_vec3_along(lf_vec3_scale(east, sin(azimuth_deg * DEGREE)), cos(azimuth_deg * DEGREE), north);
}

static axes axes_of(const lf_compass *compass, lf_vec2 lon_lat) {
    double lon = lon_lat.x * DEGREE, lat = lon_lat.y * DEGREE;
    lf_vec3 up = {cos(lat) * cos(lon), cos(lat) * sin(lon), sin(lat)}, east = {-sin(lon), cos(lon), 0};
    lf_vec3 north = lf_vec3_cross(up, east);
    return (axes){towards(east, north, lf_compass_to_true(compass, 90)),
                  towards(east, north, lf_compass_to_true(compass, 0)), up};
}

/// The middle of a window and its corners; returns how many of the five are beyond the map.
static int find_spots(north *north, lf_window w, spot spots[5]) {
    double left = (double)w.column, right = left + (double)(w.columns - 1), low = (double)w.row,
           high = low + (double)(w.rows - 1);
    lf_vec2 places[5] = {place_of(north, 0.5 * (left + right), 0.5 * (low + high)),
                         place_of(north, left, low), place_of(north, right, low), place_of(north, left, high),
                         place_of(north, right, high)};
    lf_compass compasses[5];
    lf_vec2 lon_lat[5];
    int64_t lost = lf_crs_transform_compass(north->way, places, 5, compasses, lon_lat);
    for (int k = 0; k < 5 && lost == 0; k++)
        spots[k] = (spot){compasses[k], axes_of(&compasses[k], lon_lat[k])};
    return lost < 0 ? 5 : (int)lost;
}

static double angle_between(lf_vec3 a, lf_vec3 b) {
    return 2 * asin(fmin(1, 0.5 * lf_vec3_length(lf_vec3_sub(a, b)))) / DEGREE;
}

/// How far directions at one place are from those at another.
static double differ(const spot *a, const spot *b, bool sun) {
    if (sun)
        return fmax(angle_between(a->axes.x, b->axes.x),
                    fmax(angle_between(a->axes.y, b->axes.y), angle_between(a->axes.up, b->axes.up)));
    double most = 0;
    for (int azimuth = 0; azimuth < 360; azimuth += 45) {
        double turn = lf_compass_to_map(&a->compass, azimuth) - lf_compass_to_map(&b->compass, azimuth);
        most = fmax(most, fabs(remainder(turn, 360)));
    }
    return most;
}

static bool is_even(north *north, lf_window w, double within, bool sun) {
    spot spots[5];
    if (w.columns <= LEAST_CELLS && w.rows <= LEAST_CELLS)
        return true;
    int lost = find_spots(north, w, spots);
    if (lost > 0)
        return lost == 5; // on the edge of the map smaller parts will do
    for (int k = 1; k < 5; k++)
        if (differ(&spots[0], &spots[k], sun) > within)
            return false;
    return true;
}

static lf_window half_of(lf_window w, bool second) {
    lf_window half = w;
    if (w.columns >= w.rows) {
        half.columns = second ? w.columns - w.columns / 2 : w.columns / 2;
        half.column += second ? w.columns / 2 : 0;
    } else {
        half.rows = second ? w.rows - w.rows / 2 : w.rows / 2;
        half.row += second ? w.rows / 2 : 0;
    }
    return half;
}

/// Are there directions that differ from place to place?
static bool has_spots(const north *north, bool sun) {
    return north->way && (sun ? north->earth : north->turned);
}

north_part *north_parts(north *north, lf_window window, double within_deg, bool sun, int64_t *count) {
    int64_t capacity = 16;
    north_part *parts = allocate((size_t)capacity, sizeof *parts);
    parts[0].window = window;
    *count = 1;
    for (int64_t i = 0; i < *count;) {
        lf_window w = parts[i].window;
        if (*count >= MOST_PARTS || !has_spots(north, sun) || is_even(north, w, within_deg, sun)) {
            parts[i++].middle = place_of(north, (double)w.column + 0.5 * (double)(w.columns - 1),
                                         (double)w.row + 0.5 * (double)(w.rows - 1));
            continue;
        }
        if (*count == capacity) {
            capacity *= 2;
            parts = allocate_more(parts, (size_t)capacity, sizeof *parts);
        }
        parts[i].window = half_of(w, false);
        parts[(*count)++].window = half_of(w, true);
    }
    return parts;
}

// ---- Progress -----------------------------------------------------------------------------------

static bool report(void *user, const char *stage, int64_t done, int64_t total) {
    const north_progress *p = user;
    const int64_t steps = 1000;
    int64_t here = total > 0 ? (int64_t)((double)steps * (double)done / (double)total) : 0;
    return p->whole->report(p->whole->user, stage, p->part * steps + here, p->count * steps);
}

lf_host north_host(const lf_host *host, int64_t count, north_progress *progress) {
    lf_host own = *host;
    *progress = (north_progress){.hook = {progress, report}, .whole = host->progress, .count = count};
    if (host->progress && host->progress->report)
        own.progress = &progress->hook;
    return own;
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

lf_vec2 sun_middle(const loaded *ground) {
    lf_vec3 middle = lf_box_centre(lf_grid_describe(ground->grid).box);
    return (lf_vec2){middle.x, middle.y};
}

bool sun_over_middle(const cli *run, north *north, const lf_sun_moment *moment, lf_sun *sun) {
    lf_vec2 at;
    if (north_place(north, sun_middle(north->ground), &at) &&
        lf_sun_over(moment, at.x, at.y, true, sun) == LF_OK)
        return true;
    return failed("%s: its middle has no longitude and latitude on Earth", run->given.arguments[0]);
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
