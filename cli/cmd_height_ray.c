/// `landfall height` and `landfall ray`: heights at points, and hits of rays.
#include "commands.h"
#include "ground.h"
#include "questions.h"
#include "reach.h"
#include <landfall/published.h>
#include <math.h>
#include <string.h>

typedef enum ray_question { RAY_FIRST, RAY_ANY, RAY_ALL } ray_question;

/// State of one run.
typedef struct hit_run {
    cli *run;
    lf_vertical look;      ///< height
    ray_question question; ///< ray
    bool directions;       ///< ray: the second three numbers are a direction, not a point
    bool all, normal, distance;
    lf_vec3 *points;  ///< height
    lf_ray *rays;     ///< ray
    int64_t capacity; ///< of points or rays
    hits hits;
    bool missed;    ///< some point had no ground, or some ray no hit
    double highest; ///< height on a globe: of the samples around the point
} hit_run;

// ---- Answers ------------------------------------------------------------------------------------

enum {
    ONE = 1,  ///< a single hit
    LIST = 2, ///< of --all
    MISS = 4,
    MEASURED = 8, ///< t is along a ray, or the distance from Z
    RAY = 16,
    CELL = 32,
    POLYGON = 64,
    GLOBE = 128,
    NUMBERED = 256, ///< --all
    NORMAL = 512,   ///< --normal
    DISTANCE = 1024,
    HIGHEST = 2048,
    BY_DIRECTION = 4096,
    BY_END = 8192,
    ANY = 16384,  ///< --any
    WORLD = 32768 ///< the ground is a world file, or a .lf file that holds a world
};

/// A hit, as it is shown.
typedef struct shown_hit {
    unsigned has;
    lf_hit hit;
    lf_tile_key tile;
    double highest, distance;
    byte_span rest;
} shown_hit;

/// The answer to one point or ray. Of a single hit the fields of the hit are its own.
typedef struct hit_answer {
    unsigned has;
    shown_hit hit;
    number_span at, from, to;
    lf_vec2 xy;
    bool ground, met;
    const char *reason;
    field_span hits;
    byte_span rest;
} hit_answer;

#define HIT(name, type, member, unit, forms, base, bits) \
    { name, type, (base) + offsetof(shown_hit, member), unit, forms, bits }
#define HIT_FIELDS(base, bits)                                                             \
    HIT("hit", FIELD_NAME, has, NULL, IN_TEXT, base, bits | RAY),                          \
        HIT("t", FIELD_NUMBER, hit.t, NULL, IN_JSON, base, bits | MEASURED),               \
        HIT("t", FIELD_NUMBER, hit.t, NULL, IN_TEXT, base, bits | RAY),                    \
        HIT("point", FIELD_VECTOR, hit.point, "m", 0, base, bits),                         \
        HIT("normal", FIELD_VECTOR, hit.normal, NULL, IN_JSON, base, bits),                \
        HIT("cell", FIELD_INTEGER, hit.element, NULL, IN_JSON, base, bits | CELL),         \
        HIT("polygon", FIELD_INTEGER, hit.element, NULL, IN_JSON, base, bits | POLYGON),   \
        HIT("element", FIELD_INTEGER, hit.element, NULL, IN_TEXT, base, bits | NUMBERED),  \
        HIT("normal", FIELD_VECTOR, hit.normal, NULL, IN_TEXT, base, bits | NORMAL),       \
        HIT("level", FIELD_INT, tile.level, NULL, IN_JSON, base, bits | GLOBE),            \
        HIT("column", FIELD_INT, tile.column, NULL, IN_JSON, base, bits | GLOBE),          \
        HIT("row", FIELD_INT, tile.row, NULL, IN_JSON, base, bits | GLOBE),                \
        HIT("resolution", FIELD_NUMBER, hit.resolution, "m", IN_JSON, base, bits | GLOBE), \
        HIT("highest_sample", FIELD_NUMBER, highest, "m", IN_JSON, base, bits | HIGHEST),  \
        HIT("part", FIELD_INTEGER, hit.part, NULL, IN_JSON, base, bits | WORLD),           \
        HIT("user", FIELD_INTEGER, hit.user, NULL, IN_JSON, base, bits | WORLD),           \
        HIT("distance", FIELD_NUMBER, distance, "m", 0, base, bits | DISTANCE)

const field height_hit_fields[] = {
    HIT_FIELDS(0, 0), {"rest", FIELD_BYTES, offsetof(shown_hit, rest), NULL, IN_TEXT}, {NULL}};

#define ANSWER(name, type, member, unit, forms, bits) \
    { name, type, offsetof(hit_answer, member), unit, forms, bits }
#define ANSWER_HITS                                                                    \
    HIT_FIELDS(offsetof(hit_answer, hit), ONE),                                        \
        {"hits",  FIELD_LIST, offsetof(hit_answer, hits),  NULL,                       \
         IN_JSON, LIST,       .fields = height_hit_fields, .size = sizeof(shown_hit)}, \
        {"rest", FIELD_BYTES, offsetof(hit_answer, rest)}, {                           \
        NULL                                                                           \
    }

const field height_fields[] = {ANSWER("at", FIELD_NUMBERS, at, "m", IN_JSON, 0),
                               ANSWER("ground", FIELD_TRUTH, ground, NULL, IN_JSON, 0),
                               ANSWER("xy", FIELD_PAIR, xy, NULL, IN_TEXT, MISS),
                               ANSWER("-", FIELD_NAME, xy, NULL, IN_TEXT, MISS),
                               ANSWER("reason", FIELD_TEXT, reason, NULL, 0, MISS),
                               ANSWER_HITS};

const field ray_fields[] = {ANSWER("from", FIELD_NUMBERS, from, "m", IN_JSON, 0),
                            ANSWER("dir", FIELD_NUMBERS, to, "m", IN_JSON, BY_DIRECTION),
                            ANSWER("to", FIELD_NUMBERS, to, "m", IN_JSON, BY_END),
                            ANSWER("hit", FIELD_TRUTH, met, NULL, IN_JSON, 0),
                            ANSWER("miss", FIELD_NAME, met, NULL, IN_TEXT, MISS),
                            ANSWER("hit", FIELD_NAME, met, NULL, IN_TEXT, ANY),
                            ANSWER_HITS};

static shown_hit show(const hit_run *run, const row *asked, const lf_hit *hit, double distance) {
    const loaded *ground = &run->run->ground;
    bool world = ground_is_world(ground), globe = ground->globe && !world;
    bool ray = run->rays != NULL;
    unsigned has = (hit->kind == LF_HIT_CELL ? CELL : POLYGON) | (ray ? RAY | MEASURED : 0) |
                   (asked->count > 2 ? MEASURED : 0) | (globe ? GLOBE : 0) | (globe && !ray ? HIGHEST : 0) |
                   (run->all ? NUMBERED : 0) | (run->normal ? NORMAL : 0) | (run->distance ? DISTANCE : 0) |
                   (world ? WORLD : 0);
    return (shown_hit){has,          *hit,     lf_tile_unpack(hit->user),
                       run->highest, distance, {asked->rest, asked->rest_length}};
}

/// In the system of the question, with a normal in metres; of a ray how far from its start.
static double convert(const hit_run *run, const row *asked, const lf_ray *ray, lf_hit *hit) {
    const coordinates *c = &run->run->coordinates;
    double distance = run->distance ? coordinates_distance(c, ray->origin, hit->point) : 0;
    if (!coordinates_differ(c) || hit->kind == LF_HIT_NONE || (run->run->ground.globe && !ray))
        return distance;
    hit->normal = coordinates_normal(c, hit->point, hit->normal);
    hit->point = ray ? coordinates_out(c, hit->point, asked->numbers[0])
                     : (lf_vec3){asked->numbers[0], asked->numbers[1], hit->point.z};
    return distance;
}

/// With --all the hits are an array in JSON, and lines of text.
static void write_answer(hit_run *run, const row *asked, const lf_ray *ray, lf_hit *list, int64_t count) {
    const field *fields = ray ? ray_fields : height_fields;
    bool hit = list[0].kind != LF_HIT_NONE;
    hit_answer answer = {.has = ray ? (run->directions ? BY_DIRECTION : BY_END) : 0,
                         .at = {asked->numbers, asked->count},
                         .from = {asked->numbers, 3},
                         .to = {asked->numbers + 3, 3},
                         .xy = {asked->numbers[0], asked->numbers[1]},
                         .ground = hit,
                         .met = hit,
                         .reason = lf_reason_name(list[0].reason),
                         .rest = {asked->rest, asked->rest_length}};
    static shown_hit *shown;
    static int64_t capacity;
    run->missed |= !hit;
    shown = reserve(shown, &capacity, count, sizeof *shown);
    for (int64_t i = 0; i < count && hit; i++) {
        double distance = convert(run, asked, ray, &list[i]);
        shown[i] = show(run, asked, &list[i], distance);
    }
    if (hit && run->all) {
        answer.has |= LIST;
        answer.hits = (field_span){shown, count};
        if (run->run->json)
            answer_json(&run->run->out, fields, &answer, false);
        for (int64_t i = 0; i < count && !run->run->json; i++)
            answer_line(&run->run->out, height_hit_fields, &shown[i]);
        return;
    }
    bool any = ray && run->question == RAY_ANY;
    if (hit && !any) {
        answer.hit = shown[0];
        answer.has |= shown[0].has | ONE;
    }
    answer.has |= !hit ? MISS : any ? ANY : 0;
    answer_write(run->run, fields, &answer);
}

// ---- Heights ------------------------------------------------------------------------------------

#define NOWHERE 1e30 // outside every ground

/// The points of rows. Without Z: from above everything, or, looking up, from below everything.
static void find_points(const hit_run *run, const row *rows, int64_t count, lf_vec3 *points) {
    double low = lf_ground_box(run->run->ground.ground).low.z;
    double z = run->look == LF_VERTICAL_DOWN ? LF_INFINITY : nextafter(low, -LF_INFINITY);
    for (int64_t i = 0; i < count; i++)
        points[i] =
            (lf_vec3){rows[i].numbers[0], rows[i].numbers[1], rows[i].count > 2 ? rows[i].numbers[2] : z};
    coordinates_in(&run->run->coordinates, points, count, 1);
    for (int64_t i = 0; i < count; i++)
        if (isnan(points[i].x))
            points[i].x = points[i].y = NOWHERE;
}

/// Every hit over one point; where there is none, the reason.
static lf_status ask_all_heights(hit_run *run, lf_vec3 point, int64_t *count) {
    const lf_ground *ground = run->run->ground.ground;
    lf_status status = lf_ground_height_all(ground, point, run->hits.list, run->hits.capacity, count, NULL);
    if (status == LF_PARTIAL) {
        hits_reserve(&run->hits, *count);
        status = lf_ground_height_all(ground, point, run->hits.list, run->hits.capacity, count, NULL);
    }
    if (status == LF_OK && *count == 0) {
        status = lf_ground_height(ground, point, LF_VERTICAL_DOWN, &run->hits.list[0], NULL);
        *count = 1;
    }
    return status;
}

/// The same in a world on a globe, where buildings stand.
static lf_status ask_world(const hit_run *run, const row *asked, lf_geodetic place, lf_hit *hit) {
    const coordinates *c = &run->run->coordinates;
    lf_status status = ground_plumb(run->run, place, asked->count < 3, run->look, hit);
    if (status != LF_OK || hit->kind == LF_HIT_NONE)
        return status;
    double height = lf_ellipsoid_to_geodetic(&c->ellipsoid, hit->point).height;
    hit->normal = coordinates_normal(c, hit->point, hit->normal);
    hit->point = (lf_vec3){asked->numbers[0], asked->numbers[1], height};
    return LF_OK;
}

/// The ground of a globe at a row's position, along the plumb line. It has no caves: there is one ground, at or below Z or not.
static lf_status ask_globe(hit_run *run, const row *asked, lf_hit *hit) {
    const coordinates *c = &run->run->coordinates;
    lf_globe_elevation ground;
    lf_vec3 point = {asked->numbers[0], asked->numbers[1], asked->count > 2 ? asked->numbers[2] : 0};
    lf_geodetic place = {point.x, point.y, point.z};
    *hit = (lf_hit){.kind = LF_HIT_NONE, .reason = LF_REASON_OUTSIDE};
    if (c->way) {
        coordinates_in(c, &point, 1, 1);
        if (isnan(point.x))
            return LF_OK;
        place = lf_ellipsoid_to_geodetic(&c->ellipsoid, point);
    }
    if (!(fabs(place.lat_deg) <= 90))
        return LF_OK;
    if (ground_is_world(&run->run->ground))
        return ask_world(run, asked, place, hit);
    lf_status status = lf_globe_height_finest(run->run->ground.globe, place.lon_deg, place.lat_deg, &ground);
    if (status != LF_OK)
        return status;
    hit->reason = ground.reason;
    if (ground.reason != LF_REASON_ANSWERED)
        return LF_OK;
    double above = asked->count > 2 && !run->all ? place.height - ground.height : 0;
    if (run->look == LF_VERTICAL_UP ? above > 0 : above < 0) {
        hit->reason = LF_REASON_NONE;
        return LF_OK;
    }
    place.height = ground.height;
    *hit = (lf_hit){.kind = ground.sample_count == 3 ? LF_HIT_TRIANGLE : LF_HIT_CELL,
                    .t = fabs(above),
                    .element = ground.element,
                    .level = ground.tile.level,
                    .resolution = ground.resolution,
                    .user = lf_tile_pack(ground.tile)};
    status = lf_globe_normal(run->run->ground.globe, place.lon_deg, place.lat_deg, &hit->normal);
    hit->normal = coordinates_normal(c, lf_ellipsoid_to_centred(&c->ellipsoid, place), hit->normal);
    hit->point = (lf_vec3){asked->numbers[0], asked->numbers[1], ground.height};
    run->highest = lf_luo_height(run->run->ground.globe, &ground);
    return status;
}

/// Point by point: on a globe, or with --all.
static lf_status answer_singly(hit_run *run, const row *rows, int64_t count) {
    lf_status status = LF_OK;
    hits_reserve(&run->hits, 64);
    for (int64_t i = 0; i < count && status == LF_OK; i++) {
        int64_t found = 1;
        lf_vec3 point;
        if (run->run->ground.globe) {
            status = ask_globe(run, &rows[i], &run->hits.list[0]);
        } else {
            find_points(run, &rows[i], 1, &point);
            status = ask_all_heights(run, point, &found);
        }
        if (status == LF_OK)
            write_answer(run, &rows[i], NULL, run->hits.list, found);
    }
    return status;
}

static bool answer_heights(void *user, row_reader *reader) {
    hit_run *run = user;
    int64_t count = reader->count;
    if (run->run->ground.globe || run->all)
        return succeeded(answer_singly(run, reader->rows, count), NULL);
    run->points = reserve(run->points, &run->capacity, count, sizeof(lf_vec3));
    hits_reserve(&run->hits, count);
    find_points(run, reader->rows, count, run->points);
    lf_status status = lf_ground_height_many(run->run->ground.ground, run->points, 0, count, run->look,
                                             run->hits.list, 0, &run->run->tasks);
    for (int64_t i = 0; i < count && status == LF_OK; i++)
        write_answer(run, &reader->rows[i], NULL, &run->hits.list[i], 1);
    return succeeded(status, NULL);
}

/// The places of --at.
static void reach_heights(reach *reach, void *user) {
    const hit_run *run = user;
    for (int i = 0; i < options_count(&reach->run->given, "at"); i++) {
        row asked = questions_row(reach->run, "at", i);
        lf_vec3 point;
        find_points(run, &asked, 1, &point);
        reach_point(reach, point);
    }
}

int command_height(cli *run) {
    const options *given = &run->given;
    hit_run height = {.run = run,
                      .look = options_has(given, "up") ? LF_VERTICAL_UP : LF_VERTICAL_DOWN,
                      .all = options_has(given, "all"),
                      .normal = options_has(given, "normal")};
    if (options_has(given, "at")) {
        run->reach = reach_heights;
        run->reach_user = &height;
    }
    if (!ground_open(run, 0))
        return CLI_ERROR;
    int status = questions_answer(run, "at", answer_heights, &height);
    return status == CLI_YES && height.missed && options_has(given, "at") ? CLI_NO : status;
}

// ---- Rays ---------------------------------------------------------------------------------------

/// The ray of a row; the reason where it is not one.
static const char *ray_of(const hit_run *run, const row *asked, lf_ray *ray) {
    const double *n = asked->numbers;
    lf_vec3 ends[2] = {{n[0], n[1], n[2]}, {n[3], n[4], n[5]}};
    coordinates_in(&run->run->coordinates, ends, run->directions ? 1 : 2, run->directions ? 1 : 2);
    if (isnan(ends[0].x) || isnan(ends[1].x))
        return run->run->ground.globe ? "a latitude is beyond 90 degrees" : "outside the CRS of the ground";
    *ray = run->directions ? lf_ray_towards(ends[0], ends[1]) : lf_ray_between(ends[0], ends[1]);
    lf_vec3 d = ray->direction;
    if (d.x == 0 && d.y == 0 && d.z == 0)
        return run->directions ? "the direction is zero" : "both ends are the same point";
    return lf_vec3_finite(d) ? NULL : "the ends are too far apart";
}

/// Any or every hit of one ray; at least one is written, of kind none when there are no others.
static lf_status ask_ray(hit_run *run, const lf_ray *ray, int64_t *count) {
    const lf_ground *ground = run->run->ground.ground;
    *count = 1;
    if (run->question == RAY_ANY) {
        bool blocked = false;
        lf_status any = lf_ground_ray_any(ground, ray, &blocked, NULL);
        run->hits.list[0] = (lf_hit){.kind = blocked ? LF_HIT_TRIANGLE : LF_HIT_NONE};
        return any;
    }
    lf_status status = lf_ground_ray_all(ground, ray, run->hits.list, run->hits.capacity, count, NULL);
    if (status == LF_PARTIAL) {
        hits_reserve(&run->hits, *count);
        status = lf_ground_ray_all(ground, ray, run->hits.list, run->hits.capacity, count, NULL);
    }
    if (status == LF_OK && *count == 0) {
        run->hits.list[0] = (lf_hit){.kind = LF_HIT_NONE};
        *count = 1;
    }
    return status;
}

/// Answer rows; those from the first that is no ray on are refused.
static bool answer_rays(void *user, row_reader *reader) {
    hit_run *run = user;
    run->rays = reserve(run->rays, &run->capacity, reader->count, sizeof(lf_ray));
    for (int64_t i = 0; i < reader->count; i++) {
        const char *fault = ray_of(run, &reader->rows[i], &run->rays[i]);
        if (fault)
            row_reader_refuse(reader, &reader->rows[i], fault);
    }
    if (reader->count == 0)
        return true;
    hits_reserve(&run->hits, reader->count > 64 ? reader->count : 64);
    bool first = run->question == RAY_FIRST;
    lf_status status = first ? lf_ground_ray_first_many(run->run->ground.ground, run->rays, 0, reader->count,
                                                        run->hits.list, 0, &run->run->tasks)
                             : LF_OK;
    for (int64_t i = 0; i < reader->count && status == LF_OK; i++) {
        int64_t found = 1;
        lf_hit *hit = first ? &run->hits.list[i] : run->hits.list;
        if (!first) {
            status = ask_ray(run, &run->rays[i], &found);
            hit = run->hits.list;
        }
        if (status == LF_OK)
            write_answer(run, &reader->rows[i], &run->rays[i], hit, found);
    }
    return succeeded(status, NULL);
}

/// A direction of degrees and metres has no length.
static bool can_aim(const hit_run *run) {
    const cli *c = run->run;
    if (!run->directions)
        return true;
    if (ground_in_degrees(&c->ground) || c->ground.globe)
        message_error(
            "%s: x and y are degrees and heights metres, which make no direction: give both ends of a ray "
            "(--from and --to, or six numbers for two points)",
            c->given.arguments[0]);
    else if (options_has(&c->given, "crs"))
        message_error("--crs: a direction has no position to convert: give both ends of a ray");
    else
        return true;
    return false;
}

static void reach_given_ray(reach *reach, void *user) {
    const hit_run *run = user;
    row asked = questions_ends(&reach->run->given, run->directions ? "dir" : "to");
    lf_ray ray;
    if (!ray_of(run, &asked, &ray)) // what is not a ray is refused later
        reach_ray(reach, &ray);
}

int command_ray(cli *run) {
    const options *given = &run->given;
    hit_run ray = {.run = run,
                   .question = options_has(given, "any")   ? RAY_ANY
                               : options_has(given, "all") ? RAY_ALL
                                                           : RAY_FIRST,
                   .directions = options_has(given, "directions") || options_has(given, "dir"),
                   .all = options_has(given, "all"),
                   .normal = options_has(given, "normal"),
                   .distance = options_has(given, "distance")};
    const char *name = ray.directions ? "dir" : "to";
    row asked;
    if (options_has(given, "from")) {
        run->reach = reach_given_ray;
        run->reach_user = &ray;
    }
    if (!ground_open(run, 0) || !can_aim(&ray))
        return CLI_ERROR;
    if (!options_has(given, "from"))
        return questions_from_input(run, (row_shape){6, 6, ray.directions ? "X,Y,Z,DX,DY,DZ" : "X,Y,Z,X,Y,Z"},
                                    answer_rays, &ray);
    asked = questions_ends(given, name);
    row_reader reader = {.rows = &asked, .count = 1};
    bool fine = answer_rays(&ray, &reader);
    if (reader.failed)
        return message_error("--from %s --%s %s: %s", options_value(given, "from"), name,
                             options_value(given, name), ray_of(&ray, &asked, &ray.rays[0]));
    return !fine ? CLI_ERROR : ray.missed ? CLI_NO : CLI_YES;
}
