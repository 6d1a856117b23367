#include "sight_rules.h"
#include "ground.h"
#include <directions.h>
#include <math.h>

lf_sight_rules sight_rules_read(const cli *run) {
    const options *given = &run->given;
    lf_sight_rules rules = lf_sight_rules_default();
    double factor = options_number(given, "k", options_number(given, "earth-multiplier", LF_NAN));
    rules.curvature.coefficient = options_number(given, "cc", 1 / factor);
    rules.curvature.radius = options_number(given, "radius", LF_NAN);
    rules.voids = (lf_void_policy)options_choice(given, "holes", LF_VOIDS_UNKNOWN);
    rules.frequency_mhz = options_number(given, "freq", rules.frequency_mhz);
    return rules;
}

void sight_rules_settle(const loaded *ground, lf_sight_rules *rules) {
    lf_curvature usual = lf_sight_rules_default().curvature;
    bool mapped = ground && (ground->grid || ground_is_world(ground)) &&
                  (ground->about.kind == LF_CRS_DEGREES || ground->about.kind == LF_CRS_PROJECTED);
    if (ground && ground->globe)
        usual.coefficient = 1; // round, and without air
    if (mapped || (ground && ground->globe)) {
        const lf_ellipsoid *ellipsoid = &ground->about.ellipsoid;
        rules->ellipsoid = *ellipsoid;
        if (lf_north_on_earth(ellipsoid))
            usual.coefficient = LF_CURVATURE_LIGHT;
        else
            usual.radius = ellipsoid->radius * (1 - ellipsoid->flattening / 3);
    }
    rules->units = ground && ground_in_degrees(ground) ? LF_MAP_DEGREES : LF_MAP_METRES;
    if (isnan(rules->curvature.coefficient))
        rules->curvature.coefficient = usual.coefficient;
    if (isnan(rules->curvature.radius))
        rules->curvature.radius = usual.radius;
}

lf_sight_rules sight_rules_of(const cli *run) {
    lf_sight_rules rules = sight_rules_read(run);
    sight_rules_settle(&run->ground, &rules);
    return rules;
}

// ---- Observers ----------------------------------------------------------------------------------

static void make_space(observers *list, int64_t more) {
    size_t count = (size_t)(list->count + more);
    list->at = allocate_more(list->at, count, sizeof *list->at);
    list->heights = allocate_more(list->heights, count, sizeof *list->heights);
    list->names = allocate_more((void *)list->names, count, sizeof *list->names);
}

/// Keep a point as given; false when the ground's system has no position for it.
static bool take(observers *list, const coordinates *coordinates, lf_vec2 at, double height,
                 const char *name) {
    lf_vec3 point = {at.x, at.y, 0};
    coordinates_in(coordinates, &point, 1, 1);
    if (coordinates->centred && !isnan(point.x)) { // on a globe: longitude and latitude
        lf_geodetic place = lf_ellipsoid_to_geodetic(&coordinates->ellipsoid, point);
        point = (lf_vec3){place.lon_deg, place.lat_deg, 0};
    }
    list->at[list->count] = (lf_vec2){point.x, point.y};
    list->heights[list->count] = height;
    list->names[list->count++] = name;
    return !isnan(point.x) && !isnan(point.y);
}

bool observers_from_options(const cli *run, double eye, observers *observers) {
    int count = options_count(&run->given, "at");
    make_space(observers, count);
    for (int i = 0; i < count; i++) {
        double n[ROW_NUMBERS];
        int numbers = options_numbers(&run->given, "at", i, n);
        if (!take(observers, &run->coordinates, (lf_vec2){n[0], n[1]}, numbers > 2 ? n[2] : eye, NULL))
            return failed("--at %s: outside the CRS of the ground", options_nth(&run->given, "at", i));
    }
    return true;
}

/// Text has no system of its own.
static bool is_text(const char *path) {
    return path_ends(path, ".csv") || path_ends(path, ".tsv") || path_ends(path, ".txt");
}

bool observers_from_file(cli *run, const char *path, double eye, observers *observers) {
    lf_points_def def = lf_points_def_default();
    lf_error error = {0};
    coordinates own = run->coordinates;
    bool needed = options_has(&run->given, "datum") && !options_has(&run->given, "eye");
    def.host = run->host;
    def.crs = run->ground.about.crs;
    if (!is_text(path))
        own.way = NULL;
    if (!succeeded(lf_points_read(path, &def, &observers->marks, &error), &error))
        return false;
    int64_t count = lf_points_count(observers->marks);
    make_space(observers, count);
    for (int64_t i = 0; i < count; i++) {
        lf_point mark = lf_points_get(observers->marks, i);
        if (needed && isnan(mark.height))
            return failed("%s: point %lld has no height: --datum needs one, or --eye", path,
                          (long long)i + 1);
        if (!take(observers, &own, mark.at, isnan(mark.height) ? eye : mark.height, mark.name))
            return failed("%s: point %lld is outside the CRS of the ground", path, (long long)i + 1);
    }
    return true;
}

void observers_free(observers *observers) {
    lf_points_close(observers->marks);
    observers->marks = NULL;
}

bool observer_stand(const cli *run, lf_vec2 at, double height, lf_vec3 *point, lf_reason *reason) {
    *point = (lf_vec3){at.x, at.y, height};
    *reason = LF_REASON_ANSWERED;
    if (!options_has(&run->given, "datum") &&
        run->ground.globe) { // LON, LAT and the height above the ellipsoid
        lf_hit hit;
        lf_geodetic place = {at.x, at.y, 0};
        if (!(fabs(at.y) <= 90) || ground_plumb(run, place, true, LF_VERTICAL_DOWN, &hit) != LF_OK)
            hit = (lf_hit){.kind = LF_HIT_NONE, .reason = LF_REASON_OUTSIDE};
        *reason = hit.kind == LF_HIT_NONE ? hit.reason : LF_REASON_ANSWERED;
        if (hit.kind != LF_HIT_NONE)
            point->z = lf_ellipsoid_to_geodetic(&run->ground.about.ellipsoid, hit.point).height + height;
        return *reason == LF_REASON_ANSWERED;
    }
    if (!options_has(&run->given, "datum") &&
        lf_sight_observer(run->ground.ground, at, height, point, reason) != LF_OK)
        *reason = LF_REASON_OUTSIDE;
    return *reason == LF_REASON_ANSWERED;
}
