/// Where north and the sun are on the map of a raster, and maps of it part by part: each part has the directions of its
/// middle.
#include "directions.h"
#include "base/base.h"
#include "base/containers.h"
#include <math.h>
#include <string.h>

#define DEGREE 0.017453292519943295
#define LEAST_EARTH 6.3e6 // an ellipsoid between these is Earth's
#define LARGEST_EARTH 6.45e6
#define LEAST_CELLS 4 // along the sides of the smallest parts
#define MOST_PARTS 4000000
#define MAP_WITHIN_DEG 0.01 // of a horizon
#define SUN_WITHIN_DEG 0.05 // the sun moves so far in 12 seconds

// ---------------------------------------------------------------------------------------------------
// North
// ---------------------------------------------------------------------------------------------------

bool lf_north_on_earth(const lf_ellipsoid *ellipsoid) {
    return ellipsoid->radius >= LEAST_EARTH && ellipsoid->radius <= LARGEST_EARTH;
}

/// The way to longitudes and latitudes: of WGS 84 on Earth, else of the CRS itself.
/// What maps ask: the grid, or the ground that it is only the lattice of.
static const lf_ground *north_ground(const lf_north *north) {
    return north->ground ? north->ground : lf_grid_ground(north->grid);
}

/// Whether x and y are longitude and latitude of WGS 84 as they are, so that PROJ, which takes longer to load than most queries, is not
/// needed.
static bool is_wgs84(const char *crs) {
    static const char begin[] = "GEOGCRS[\"WGS 84\",", end[] = ",ID[\"EPSG\",4326]]";
    size_t length = strlen(crs), tail = sizeof end - 1;
    return strcmp(crs, "OGC:CRS84") == 0 || strcmp(crs, "EPSG:4326") == 0 ||
           (strncmp(crs, begin, sizeof begin - 1) == 0 && length > tail &&
            strcmp(crs + length - tail, end) == 0);
}

void lf_north_open(const lf_grid *grid, const lf_raster_info *about, const lf_host *host, lf_north *north) {
    const char *crs = about->crs ? about->crs : "OGC:CRS84"; // degrees without a system: those of WGS 84
    *north = (lf_north){.grid = grid, .degrees = about->kind == LF_CRS_DEGREES};
    if (!north->degrees && !(about->crs && about->kind == LF_CRS_PROJECTED))
        return;
    if (north->degrees && is_wgs84(crs) && lf_north_on_earth(&about->ellipsoid)) {
        north->earth = north->wgs84 = true;
        return;
    }
    north->earth = lf_north_on_earth(&about->ellipsoid) &&
                   lf_crs_transform_create(crs, "OGC:CRS84", host, &north->way, NULL) == LF_OK;
    if (!north->earth && lf_crs_transform_create(crs, NULL, host, &north->way, NULL) != LF_OK)
        north->way = NULL;
    north->turned = north->way && !north->degrees;
}

void lf_north_close(lf_north *north) {
    lf_crs_transform_destroy(north->way);
    north->way = NULL;
}

/// True east and north of a place on the map, whatever azimuths are counted from; false: those of x and y, or not known.
static bool true_compass(lf_north *north, lf_vec2 at, lf_compass *compass) {
    return north->way && !north->degrees && lf_crs_transform_compass(north->way, &at, 1, compass, NULL) == 0;
}

bool lf_north_compass(lf_north *north, lf_vec2 at, lf_compass *compass) {
    return north->turned && true_compass(north, at, compass);
}

bool lf_north_place(lf_north *north, lf_vec2 at, lf_vec2 *lon_lat) {
    lf_vec3 point = {at.x, at.y, 0};
    if (north->way && lf_crs_transform_points(north->way, &point, 0, 1, false) != 0)
        return false;
    *lon_lat = (lf_vec2){point.x, point.y};
    return north->earth && fabs(point.y) <= 90;
}

/// A place of the grid, by column and row; of a lattice of another map that of the nearest sample.
static lf_vec2 place_of(const lf_north *north, double column, double row) {
    lf_grid_info info = lf_grid_describe(north->grid);
    return north->places ? north->places[(int64_t)row * info.columns + (int64_t)column]
                         : lf_geotransform_at(&info.geotransform, column, row);
}

lf_vec2 lf_north_middle(const lf_north *north) {
    lf_window all = lf_grid_window(north->grid);
    if (north->places)
        return place_of(north, 0.5 * (double)(all.columns - 1), 0.5 * (double)(all.rows - 1));
    lf_vec3 middle = lf_box_centre(lf_grid_describe(north->grid).box);
    return (lf_vec2){middle.x, middle.y};
}

bool lf_north_sun(lf_north *north, lf_vec2 at, const lf_sun_moment *moment, const lf_sun *given,
                  lf_sun *sun) {
    lf_vec2 lon_lat;
    lf_compass compass;
    if (given)
        *sun = *given;
    else if (!lf_north_place(north, at, &lon_lat) ||
             lf_sun_over(moment, lon_lat.x, lon_lat.y, true, sun) != LF_OK)
        return false;
    // What azimuths are counted from does not concern the sun of a time.
    if (given ? lf_north_compass(north, at, &compass) : true_compass(north, at, &compass))
        sun->azimuth_deg = lf_compass_to_map(&compass, sun->azimuth_deg);
    return true;
}

/// The height below which nothing is taken to be.
static double floor_of(const lf_grid *grid) {
    return fmin(0, lf_grid_describe(grid).low);
}

bool lf_north_sun_is_down(const lf_north *north, const lf_curvature *curvature, double altitude_deg,
                          double height) {
    double slope = tan(altitude_deg * DEGREE);
    if (!(altitude_deg < 0))
        return false;
    return !(curvature->coefficient > 0) ||
           height - slope * slope * curvature->radius / (2 * curvature->coefficient) < floor_of(north->grid);
}

/// The lowest altitude at which the sun may light something of a raster; degrees.
static double lowest_sun(const lf_grid *grid, const lf_curvature *curvature) {
    double rise = lf_grid_describe(grid).high - floor_of(grid);
    return curvature->coefficient > 0 && rise > 0
               ? -atan(sqrt(2 * curvature->coefficient * rise / curvature->radius)) / DEGREE
               : 0;
}

// ---------------------------------------------------------------------------------------------------
// Parts
// ---------------------------------------------------------------------------------------------------

/// A place of a part: its compass, and the x and y of the map and up, in space.
typedef struct spot {
    lf_compass compass;
    lf_vec3 x, y, up;
} spot;

static lf_vec3 towards(lf_vec3 east, lf_vec3 north, double azimuth_deg) {
    return lf_vec3_along(lf_vec3_scale(east, sin(azimuth_deg * DEGREE)), cos(azimuth_deg * DEGREE), north);
}

static spot spot_of(const lf_compass *compass, lf_vec2 lon_lat) {
    double lon = lon_lat.x * DEGREE, lat = lon_lat.y * DEGREE;
    lf_vec3 up = {cos(lat) * cos(lon), cos(lat) * sin(lon), sin(lat)}, east = {-sin(lon), cos(lon), 0};
    lf_vec3 north = lf_vec3_cross(up, east);
    return (spot){*compass, towards(east, north, lf_compass_to_true(compass, 90)),
                  towards(east, north, lf_compass_to_true(compass, 0)), up};
}

/// The middle of a window and its corners; returns how many of the five are beyond the map.
static int find_spots(lf_north *north, lf_window w, spot spots[5]) {
    double left = (double)w.column, right = left + (double)(w.columns - 1), low = (double)w.row,
           high = low + (double)(w.rows - 1);
    lf_vec2 places[5] = {place_of(north, 0.5 * (left + right), 0.5 * (low + high)),
                         place_of(north, left, low), place_of(north, right, low), place_of(north, left, high),
                         place_of(north, right, high)};
    lf_compass compasses[5];
    lf_vec2 lon_lat[5];
    int64_t lost = lf_crs_transform_compass(north->way, places, 5, compasses, lon_lat);
    for (int k = 0; k < 5 && lost == 0; k++)
        spots[k] = spot_of(&compasses[k], lon_lat[k]);
    return lost < 0 ? 5 : (int)lost;
}

static double angle_between(lf_vec3 a, lf_vec3 b) {
    return 2 * asin(fmin(1, 0.5 * lf_vec3_length(lf_vec3_sub(a, b)))) / DEGREE;
}

/// How far directions at one place are from those at another: to any sun, or by azimuth.
static double differ(const spot *a, const spot *b, bool sun) {
    if (sun)
        return fmax(angle_between(a->x, b->x), fmax(angle_between(a->y, b->y), angle_between(a->up, b->up)));
    double most = 0;
    for (int azimuth = 0; azimuth < 360; azimuth += 45) {
        double turn = lf_compass_to_map(&a->compass, azimuth) - lf_compass_to_map(&b->compass, azimuth);
        most = fmax(most, fabs(remainder(turn, 360)));
    }
    return most;
}

static bool is_even(lf_north *north, lf_window w, double within, bool sun) {
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

/// Whether longitudes and latitudes of many places are known; those of WGS 84 have needed no transform until now.
static bool has_way(lf_north *north) {
    if (!north->way && north->wgs84 &&
        lf_crs_transform_create("EPSG:4326", "OGC:CRS84", NULL, &north->way, NULL) != LF_OK)
        north->way = NULL;
    return north->way != NULL;
}

/// Cut a raster into parts over which directions differ from that in the middle by no more than so many degrees, or that
/// are down to 4 x 4 cells.
static lf_status cut(lf_north *north, bool sun, const lf_allocator *allocator, lf__array *parts) {
    bool differs = (sun ? north->earth : north->turned) && has_way(north);
    double within = sun ? SUN_WITHIN_DEG : MAP_WITHIN_DEG;
    lf_status status = lf__array_reserve(parts, allocator, 1, sizeof(lf_window));
    if (status != LF_OK)
        return status;
    ((lf_window *)parts->items)[parts->count++] = lf_grid_window(north->grid);
    for (int64_t i = 0; i < parts->count && status == LF_OK;) {
        lf_window w = ((lf_window *)parts->items)[i];
        if (parts->count >= MOST_PARTS || !differs || is_even(north, w, within, sun)) {
            i++;
            continue;
        }
        status = lf__array_reserve(parts, allocator, 1, sizeof w);
        if (status == LF_OK) {
            ((lf_window *)parts->items)[i] = half_of(w, false);
            ((lf_window *)parts->items)[parts->count++] = half_of(w, true);
        }
    }
    return status;
}

/// Progress over parts that are worked on one after the other.
typedef struct parts_progress {
    const lf_host *host;
    int64_t part, count;
} parts_progress;

static bool report(void *user, const char *stage, int64_t done, int64_t total) {
    const parts_progress *p = user;
    const int64_t steps = 1000;
    int64_t here = total > 0 ? (int64_t)((double)steps * (double)done / (double)total) : 0;
    return lf__report(p->host, stage, p->part * steps + here, p->count * steps);
}

/// What is computed part by part.
typedef struct part_work {
    lf_north *north;
    lf_horizon_def def; ///< with the progress of a part
    lf_window window;   ///< the part
    lf_vec2 middle;     ///< of it, on the map
    int64_t first;      ///< index of its first sample in the map
    int64_t columns;    ///< of the map
    void *user;
} part_work;

typedef lf_status part_function(part_work *work, lf_error *error);

/// What of a part is in a window; nothing: 0 x 0.
static lf_window within(lf_window part, lf_window window) {
    int64_t left = part.column > window.column ? part.column : window.column,
            low = part.row > window.row ? part.row : window.row;
    int64_t right = part.column + part.columns, high = part.row + part.rows;
    right = right < window.column + window.columns ? right : window.column + window.columns;
    high = high < window.row + window.rows ? high : window.row + window.rows;
    return right > left && high > low ? (lf_window){left, low, right - left, high - low}
                                      : (lf_window){0, 0, 0, 0};
}

static lf_status for_parts(lf_north *north, const lf_horizon_def *def, bool sun, part_function *function,
                           void *user, lf_error *error) {
    lf_allocator allocator = lf__allocator_of(&def->host);
    lf__array parts = {0};
    parts_progress progress = {&def->host, 0, 0};
    lf_progress hook = {&progress, report};
    lf_window map = north->window.columns > 0 ? north->window : lf_grid_window(north->grid);
    part_work work = {north, *def, {0}, {0, 0}, 0, map.columns, user};
    lf_status status = cut(north, sun, &allocator, &parts);
    if (status != LF_OK)
        lf__fail_plain(error, status);
    progress.count = parts.count;
    work.def.host.progress = &hook;
    for (int64_t k = 0; k < parts.count && status == LF_OK; k++) {
        lf_window w = ((lf_window *)parts.items)[k];
        progress.part = k;
        work.window = within(w, map);
        if (work.window.columns == 0)
            continue;
        work.first = (work.window.row - map.row) * work.columns + work.window.column - map.column;
        work.middle = place_of(north, (double)w.column + 0.5 * (double)(w.columns - 1),
                               (double)w.row + 0.5 * (double)(w.rows - 1));
        status = function(&work, error);
    }
    lf__array_free(&parts, &allocator, sizeof(lf_window));
    return status;
}

// ---------------------------------------------------------------------------------------------------
// Maps
// ---------------------------------------------------------------------------------------------------

typedef struct horizon_work {
    double azimuth;
    float *values;
} horizon_work;

static lf_status horizon_part(part_work *work, lf_error *error) {
    const horizon_work *map = work->user;
    lf_compass compass;
    bool turned = lf_north_compass(work->north, work->middle, &compass);
    return lf_horizon_map(north_ground(work->north), &work->def,
                          turned ? lf_compass_to_map(&compass, map->azimuth) : map->azimuth, work->window,
                          map->values + work->first, work->columns * (ptrdiff_t)sizeof(float), error);
}

lf_status lf_north_horizon(lf_north *north, const lf_horizon_def *def, double azimuth_deg, float *values,
                           lf_error *error) {
    horizon_work map = {azimuth_deg, values};
    return for_parts(north, def, false, horizon_part, &map, error);
}

typedef struct shade_work {
    const lf_sun_moment *moment;
    const lf_sun *sun;
    uint8_t *lit;
} shade_work;

static lf_status shade_part(part_work *work, lf_error *error) {
    const shade_work *map = work->user;
    lf_sun sun = *map->sun; // outside the map as in its middle
    lf_north_sun(work->north, work->middle, map->moment, map->moment ? NULL : map->sun, &sun);
    return lf_sun_shade(north_ground(work->north), &work->def, sun, work->window, map->lit + work->first,
                        work->columns, error);
}

lf_status lf_north_shade(lf_north *north, const lf_horizon_def *def, const lf_sun_moment *moment,
                         const lf_sun *sun, uint8_t *lit, lf_error *error) {
    shade_work map = {moment, sun, lit};
    return for_parts(north, def, moment != NULL, shade_part, &map, error);
}

/// A step of a day.
typedef struct step {
    lf_sun_moment moment;
    double hours;
} step;

typedef struct hours_work {
    double lowest; ///< degrees
    step *steps;
    lf_sun *suns; ///< of one part
    int64_t step_count, count;
    float *hours;
} hours_work;

/// The suns over a place that may light something, as the map has them. False: the place is outside the map.
static bool find_suns(lf_north *north, hours_work *day, lf_vec2 at) {
    lf_vec2 lon_lat;
    lf_compass compass;
    if (!lf_north_place(north, at, &lon_lat))
        return false;
    bool turned = true_compass(north, at, &compass);
    day->count = 0;
    for (int64_t i = 0; i < day->step_count; i++) {
        lf_sun sun;
        if (lf_sun_over(&day->steps[i].moment, lon_lat.x, lon_lat.y, true, &sun) != LF_OK ||
            sun.altitude_deg < day->lowest)
            continue;
        if (turned)
            sun.azimuth_deg = lf_compass_to_map(&compass, sun.azimuth_deg);
        sun.hours = day->steps[i].hours;
        day->suns[day->count++] = sun;
    }
    return true;
}

static lf_status hours_part(part_work *work, lf_error *error) {
    hours_work *day = work->user;
    if (!find_suns(work->north, day, work->middle))
        find_suns(work->north, day, lf_north_middle(work->north));
    return lf_sun_hours(north_ground(work->north), &work->def, day->suns, day->count, work->window,
                        day->hours + work->first, work->columns * (ptrdiff_t)sizeof(float), error);
}

/// The sun at the middle of each step of a day, before it is known where from.
static lf_status find_steps(const lf_sun_day_def *def, hours_work *day) {
    double end = 24 * 60;
    for (int64_t i = 0; i < day->step_count; i++) {
        double from = (double)i * def->step_minutes, to = fmin(from + def->step_minutes, end);
        day->steps[i].hours = (to - from) / 60;
        if (lf_sun_moment_at(def->start + 30 * (from + to), &day->steps[i].moment) != LF_OK)
            return LF_UNSUPPORTED;
    }
    return LF_OK;
}

lf_status lf_north_hours(lf_north *north, const lf_horizon_def *def, const lf_sun_day_def *day_def,
                         float *hours, lf_north_day *stats, lf_error *error) {
    lf_allocator allocator = lf__allocator_of(&def->host);
    hours_work day = {.lowest = fmin(day_def->lowest_deg, lowest_sun(north->grid, &def->rules.curvature)),
                      .step_count = (int64_t)ceil(24 * 60 / day_def->step_minutes),
                      .hours = hours};
    *stats = (lf_north_day){0, 0};
    lf_status status = lf__allocate_array(&allocator, day.step_count, sizeof(step), (void **)&day.steps);
    if (status == LF_OK)
        status = lf__allocate_array(&allocator, day.step_count, sizeof(lf_sun), (void **)&day.suns);
    if (status == LF_OK)
        status = find_steps(day_def, &day);
    if (status != LF_OK)
        lf__fail_plain(error, status);
    if (status == LF_OK) {
        find_suns(north, &day, lf_north_middle(north));
        for (int64_t i = 0; i < day.count; i++)
            stats->hours += day.suns[i].hours;
        stats->suns = day.count;
        status = for_parts(north, def, true, hours_part, &day, error);
    }
    lf__free_array(&allocator, day.suns, day.step_count, sizeof(lf_sun));
    lf__free_array(&allocator, day.steps, day.step_count, sizeof(step));
    return status;
}
