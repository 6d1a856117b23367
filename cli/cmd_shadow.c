/// `landfall shadow`: whether points are lit, by a direction, a lamp or the sun.
#include "commands.h"
#include "ground.h"
#include "north.h"
#include "questions.h"
#include "reach.h"
#include "sight_rules.h"
#include <landfall/ground.h>
#include <math.h>

#define DEGREE 0.017453292519943295
#define PLANET (-2) ///< instead of an element: the sun is below the horizon

/// State of one run of `landfall shadow`.
typedef struct shadow_run {
    cli *run;
    lf_shadow *shadow;
    lf_light light;
    lf_sight_rules rules; ///< only the curvature of the planet
    lf_north north;
    lf_sun_moment moment; ///< of --time
    lf_sun sun;           ///< of --sun
    bool sunlit;          ///< one of these is the light
    bool mapped;          ///< there is a raster, which may say where north is
    bool globe;           ///< points are LON,LAT[,HEIGHT], directions are east, north and up there
    double skin;
    lf_vec3 *points;
    bool *lit;
    hits grounds, by;
    bool dark; ///< some point was not lit
} shadow_run;

// ---- The answer ---------------------------------------------------------------------------------

enum { GROUND = 1, NO_GROUND = 2, LIT = 4, SHADED = 8, DOWN = 16, CELL = 32, POLYGON = 64 };

typedef struct shadow_answer {
    unsigned has;
    number_span at;
    lf_vec2 xy;
    const char *reason;
    lf_vec3 point;
    bool lit;
    int64_t element;
    double t;
    byte_span rest;
} shadow_answer;

#define ANSWER(name, type, member, unit, forms, when) \
    { name, type, offsetof(shadow_answer, member), unit, forms, when }

const field shadow_fields[] = {ANSWER("at", FIELD_NUMBERS, at, "m", IN_JSON, 0),
                               ANSWER("xy", FIELD_PAIR, xy, "m", IN_TEXT, NO_GROUND),
                               ANSWER("-", FIELD_NAME, xy, NULL, IN_TEXT, NO_GROUND),
                               ANSWER("reason", FIELD_TEXT, reason, NULL, 0, NO_GROUND),
                               ANSWER("point", FIELD_VECTOR, point, "m", 0, GROUND),
                               ANSWER("lit", FIELD_TRUTH, lit, NULL, 0, GROUND),
                               ANSWER("shadow -", FIELD_NAME, lit, NULL, IN_TEXT, DOWN),
                               ANSWER("shadow", FIELD_INTEGER, element, NULL, IN_TEXT | LABELLED, SHADED),
                               ANSWER("cell", FIELD_INTEGER, element, NULL, IN_JSON, CELL),
                               ANSWER("polygon", FIELD_INTEGER, element, NULL, IN_JSON, POLYGON),
                               ANSWER("t", FIELD_NUMBER, t, "m", IN_JSON, SHADED),
                               ANSWER("rest", FIELD_BYTES, rest, NULL, 0, 0),
                               {NULL}};

static void write_answer(shadow_run *shadow, const row *asked, int64_t i) {
    const lf_hit *ground = &shadow->grounds.list[i], *by = &shadow->by.list[i];
    bool shaded = by->kind != LF_HIT_NONE, down = !shaded && by->element == PLANET;
    shadow_answer answer = {.has = NO_GROUND,
                            .at = {asked->numbers, asked->count},
                            .xy = {asked->numbers[0], asked->numbers[1]},
                            .reason = lf_reason_name(ground->reason),
                            .point = ground->point,
                            .lit = !shaded && !down,
                            .element = by->element,
                            .t = by->t,
                            .rest = {asked->rest, asked->rest_length}};
    if (shadow->globe && ground->kind != LF_HIT_NONE) {
        lf_geodetic place = lf_ellipsoid_to_geodetic(&shadow->run->ground.about.ellipsoid, ground->point);
        answer.point = (lf_vec3){asked->numbers[0], asked->numbers[1],
                                 asked->count > 2 ? asked->numbers[2] : place.height};
    }
    if (ground->kind != LF_HIT_NONE)
        answer.has = GROUND | (shaded ? SHADED | (by->kind == LF_HIT_CELL ? CELL : POLYGON)
                               : down ? DOWN
                                      : LIT);
    shadow->dark |= ground->kind == LF_HIT_NONE || !shadow->lit[i];
    answer_write(shadow->run, shadow_fields, &answer);
}

// ---- Asking -------------------------------------------------------------------------------------

/// The same on a globe, along the plumb line. A latitude beyond 90 degrees is outside.
static lf_status find_places(shadow_run *shadow, const row *rows, int64_t count) {
    const lf_ellipsoid *ellipsoid = &shadow->run->ground.about.ellipsoid;
    for (int64_t i = 0; i < count; i++) {
        const double *n = rows[i].numbers;
        lf_geodetic place = {n[0], n[1], rows[i].count > 2 ? n[2] : 0};
        lf_hit *hit = &shadow->grounds.list[i];
        lf_status status = LF_OK;
        *hit = (lf_hit){.kind = LF_HIT_NONE, .reason = LF_REASON_OUTSIDE};
        if (fabs(n[1]) <= 90 && rows[i].count > 2)
            *hit = (lf_hit){.kind = LF_HIT_TRIANGLE, .point = lf_ellipsoid_to_centred(ellipsoid, place)};
        else if (fabs(n[1]) <= 90)
            status = ground_plumb(shadow->run, place, true, LF_VERTICAL_DOWN, hit);
        if (status != LF_OK)
            return status;
        shadow->points[i] = hit->point;
    }
    return LF_OK;
}

/// The points: those without Z are dropped onto the topmost ground.
static lf_status find_points(shadow_run *shadow, const row *rows, int64_t count) {
    lf_hit *grounds = shadow->grounds.list;
    for (int64_t i = 0; i < count; i++)
        shadow->points[i] = (lf_vec3){rows[i].numbers[0], rows[i].numbers[1], LF_INFINITY};
    lf_status status = lf_ground_height_many(shadow->run->ground.ground, shadow->points, 0, count,
                                             LF_VERTICAL_DOWN, grounds, 0, &shadow->run->tasks);
    for (int64_t i = 0; i < count && status == LF_OK; i++) {
        if (rows[i].count > 2)
            grounds[i] = (lf_hit){.kind = LF_HIT_TRIANGLE,
                                  .point = {rows[i].numbers[0], rows[i].numbers[1], rows[i].numbers[2]}};
        shadow->points[i] = grounds[i].point; // zero where there is none, and then not used
    }
    return status;
}

/// The ray from a point to the light, from where the skin ends to just before the lamp.
static lf_ray ray_to_light(const shadow_run *shadow, const lf_light *light, lf_vec3 point) {
    bool lamp = light->kind == LF_LIGHT_POINT;
    lf_vec3 along = lamp ? lf_vec3_sub(light->vector, point) : lf_vec3_scale(light->vector, -1);
    lf_ray ray = lf_ray_towards(point, lf_vec3_unit(along));
    ray.t_min = shadow->skin;
    if (lamp)
        ray.t_max = nextafter(lf_vec3_length(along), 0);
    return ray;
}

/// Light from a sun shines against the direction to it.
static lf_vec3 shining_from(const lf_sun *sun) {
    double azimuth = sun->azimuth_deg * DEGREE, altitude = sun->altitude_deg * DEGREE;
    return (lf_vec3){-sin(azimuth) * cos(altitude), -cos(azimuth) * cos(altitude), -sin(altitude)};
}

static void set_sun(shadow_run *shadow, const lf_sun *sun) {
    shadow->light = lf_light_along(shining_from(sun));
}

/// The sun at a point of a raster; false: it is below the horizon there.
static bool turn_to_sun(shadow_run *shadow, lf_vec3 point) {
    lf_sun sun = shadow->sun;
    bool time = options_has(&shadow->run->given, "time");
    if (!lf_north_sun(&shadow->north, (lf_vec2){point.x, point.y}, &shadow->moment,
                      time ? NULL : &shadow->sun, &sun))
        return true; // outside the map: as over its middle
    set_sun(shadow, &sun);
    return !lf_north_sun_is_down(&shadow->north, &shadow->rules.curvature, sun.altitude_deg, point.z);
}

/// The light of a point on a globe: directions are given there.
static lf_light light_over(const shadow_run *shadow, const row *asked) {
    const lf_ellipsoid *ellipsoid = &shadow->run->ground.about.ellipsoid;
    lf_geodetic place = {asked->numbers[0], asked->numbers[1], 0}; // directions are the same at all heights
    lf_vec3 v = shadow->light.vector;
    lf_pose local;
    if (shadow->light.kind == LF_LIGHT_POINT)
        return lf_light_at(lf_ellipsoid_to_centred(ellipsoid, (lf_geodetic){v.x, v.y, v.z}));
    lf_sun sun = shadow->sun;
    if (options_has(&shadow->run->given, "time") &&
        lf_sun_over(&shadow->moment, place.lon_deg, place.lat_deg, true, &sun) == LF_OK)
        v = shining_from(&sun);
    if (lf_ellipsoid_pose(ellipsoid, place, 0, 0, 0, &local) != LF_OK)
        return shadow->light;
    return lf_light_along(lf_pose_turn_to_world(&local, v));
}

/// On a raster shadows are found by rays.
static lf_status ask_rays(shadow_run *shadow, const row *rows, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        shadow->by.list[i] = (lf_hit){.kind = LF_HIT_NONE};
        shadow->lit[i] = false;
        if (shadow->grounds.list[i].kind == LF_HIT_NONE)
            continue;
        bool down = shadow->sunlit && shadow->mapped && !turn_to_sun(shadow, shadow->points[i]);
        shadow->by.list[i] = (lf_hit){.kind = LF_HIT_NONE, .element = down ? PLANET : 0};
        shadow->lit[i] = !down;
        if (down)
            continue;
        lf_light light = shadow->globe ? light_over(shadow, &rows[i]) : shadow->light;
        lf_ray ray = ray_to_light(shadow, &light, shadow->points[i]);
        lf_vec3 d = ray.direction;
        if (ray.t_min <= ray.t_max && (d.x != 0 || d.y != 0 || d.z != 0)) {
            lf_status status =
                lf_ground_ray_first(shadow->run->ground.ground, &ray, &shadow->by.list[i], NULL);
            if (status != LF_OK)
                return status;
        }
        shadow->lit[i] = shadow->by.list[i].kind == LF_HIT_NONE;
    }
    return LF_OK;
}

static bool answer(void *user, row_reader *reader) {
    shadow_run *shadow = user;
    int64_t count = reader->count;
    if (count + 1 > shadow->by.capacity) {
        shadow->points = allocate_more(shadow->points, (size_t)count + 1, sizeof(lf_vec3));
        shadow->lit = allocate_more(shadow->lit, (size_t)count + 1, sizeof(bool));
        hits_reserve(&shadow->grounds, count + 1);
        hits_reserve(&shadow->by, count + 1);
    }
    lf_status status =
        shadow->globe ? find_places(shadow, reader->rows, count) : find_points(shadow, reader->rows, count);
    if (status == LF_OK)
        status = shadow->shadow ? lf_shadow_many(shadow->shadow, shadow->points, 0, count, shadow->lit,
                                                 shadow->by.list, &shadow->run->tasks)
                                : ask_rays(shadow, reader->rows, count);
    for (int64_t i = 0; i < count && status == LF_OK; i++)
        write_answer(shadow, &reader->rows[i], i);
    return succeeded(status, NULL);
}

// ---- The light ----------------------------------------------------------------------------------

static bool read_light(shadow_run *shadow) {
    const options *given = &shadow->run->given;
    lf_vec3 zero = {0, 0, 0}, vector = options_vector(given, "light", zero);
    bool lamp = options_has(given, "point");
    shadow->skin = options_number(given, "skin", lf_shadow_def_default().skin);
    shadow->sunlit = options_has(given, "sun") || options_has(given, "time");
    shadow->sun = (lf_sun){0, 90, 0};
    shadow->light = lamp ? lf_light_at(vector) : lf_light_along(vector);
    if (!shadow->sunlit && !lamp && vector.x == 0 && vector.y == 0 && vector.z == 0)
        return refused("--light %s: the direction is zero", options_value(given, "light"));
    if (!sun_read(shadow->run, &shadow->sun))
        return false;
    sun_moment_read(shadow->run, &shadow->moment);
    if (shadow->sunlit)
        set_sun(shadow, &shadow->sun);
    return true;
}

static bool build(shadow_run *shadow) {
    cli *run = shadow->run;
    const char *time = options_value(&run->given, "time");
    lf_shadow_def def = lf_shadow_def_default();
    lf_error error = {0};
    shadow->globe = run->ground.globe != NULL;
    shadow->mapped = !shadow->globe && ground_terrain(&run->ground) != NULL;
    if (time && !shadow->mapped && !shadow->globe)
        return failed("--time %s: a mesh has no position on Earth; --sun gives a direction", time);
    if (shadow->sunlit && shadow->mapped) {
        shadow->rules = sight_rules_of(run);
        if (!north_start(run, time != NULL, &shadow->north) ||
            (time && !sun_over_middle(run, &shadow->north, &shadow->moment, &shadow->sun)))
            return false;
        set_sun(shadow, &shadow->sun);
    }
    if (run->ground.polygons.polygon_count == 0)
        return true;
    def.host = run->host;
    def.polygons = run->ground.polygons;
    def.light = shadow->light;
    def.skin = shadow->skin;
    return succeeded(lf_shadow_create(&def, &shadow->shadow, &error), &error);
}

/// The points of --at, and what is below their rays to the light.
static void reach_lights(reach *reach, void *user) {
    shadow_run shadow = *(const shadow_run *)user;
    int count = options_count(&reach->run->given, "at");
    reach->failed = !build(&shadow);
    reach->pieces /= count;
    for (int i = 0; i < count && !reach->failed; i++) {
        row asked = questions_row(reach->run, "at", i);
        lf_vec3 point = {asked.numbers[0], asked.numbers[1], 0};
        reach_point(reach, point);
        if (shadow.sunlit)
            turn_to_sun(&shadow, point); // whether it is down depends on the height, which is not known yet
        lf_vec3 light = {shadow.light.vector.x, shadow.light.vector.y, 0};
        lf_ray ray = shadow.light.kind == LF_LIGHT_POINT ? lf_ray_between(point, light)
                                                         : lf_ray_towards(point, lf_vec3_scale(light, -1));
        reach_ray(reach, &ray);
    }
    lf_north_close(&shadow.north);
}

int command_shadow(cli *run) {
    if (options_has(&run->given, "output"))
        return shadow_map(run);
    shadow_run shadow = {.run = run};
    int status = CLI_ERROR;
    if (options_has(&run->given, "at")) {
        run->reach = reach_lights;
        run->reach_user = &shadow;
    }
    if (read_light(&shadow) && ground_open(run, NEEDS_METRES | TAKES_GLOBES) && build(&shadow))
        status = questions_answer(run, "at", answer, &shadow);
    if (status == CLI_YES && shadow.dark && options_has(&run->given, "at"))
        status = CLI_NO;
    lf_shadow_destroy(shadow.shadow);
    lf_north_close(&shadow.north);
    return status;
}
