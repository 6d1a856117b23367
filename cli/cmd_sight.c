/// `landfall sight` and `landfall intervisible`: whether one point sees another, and which of many see one another.
#include "commands.h"
#include "ground.h"
#include "network.h"
#include "plots.h"
#include "questions.h"
#include "reach.h"
#include "sight_rules.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MESH_STEPS 1000 // of a profile where nothing tells where the surface breaks

/// A pair: its ends, or the reason why one of them has no ground.
typedef struct pair {
    lf_reason reason;
    lf_vec2 nowhere; ///< of the end without ground, as it was given
} pair;

/// State of one run of `landfall sight`.
typedef struct sight_run {
    cli *run;
    lf_sight_rules rules;
    double heights[2]; ///< of ends that have none of their own
    bool datum;
    lf_vec3 *a, *b;
    pair *pairs;
    lf_sight *sights;
    int64_t capacity;
    bool hidden; ///< some pair is not clear
} sight_run;

// ---- The answer ---------------------------------------------------------------------------------

enum {
    FOUND = 1,
    CLEAR = 2,
    BLOCKED = 4,
    UNKNOWN = 8,
    BROKEN = 16,
    REASON = 32,
    DETAIL = 64,
    ZONE = 128,
    NOWHERE = 256
};

typedef struct sight_answer {
    unsigned has;
    number_span from, to;
    const char *verdict, *reason;
    lf_vec3 point;
    lf_vec2 xy;
    lf_sight found;
    double distance, clearance_at, raise_at, fresnel_at, cc, radius;
    byte_span rest;
} sight_answer;

#define ANSWER(name, type, member, unit, forms, when) \
    { name, type, offsetof(sight_answer, member), unit, forms, when }
#define DECIDED(member, unit, bits)                                                           \
    ANSWER(#member, FIELD_NUMBER, found.member, unit, IN_JSON, bits | FOUND),                 \
        ANSWER(#member "_at", FIELD_NUMBER, member##_at, "m", IN_JSON, bits | FOUND),         \
        ANSWER(#member, FIELD_NUMBER, found.member, unit, IN_TEXT | LABELLED, bits | DETAIL), \
        ANSWER(#member "_at", FIELD_NUMBER, member##_at, "m", IN_TEXT, bits | DETAIL)

const field sight_fields[] = {ANSWER("from", FIELD_NUMBERS, from, "m", IN_JSON, 0),
                              ANSWER("to", FIELD_NUMBERS, to, "m", IN_JSON, 0),
                              ANSWER("verdict", FIELD_TEXT, verdict, NULL, 0, 0),
                              ANSWER("reason", FIELD_TEXT, reason, NULL, 0, REASON),
                              ANSWER("clearance", FIELD_NUMBER, found.clearance, "m", IN_TEXT, CLEAR),
                              ANSWER("point", FIELD_VECTOR, point, "m", IN_JSON, BROKEN),
                              ANSWER("point", FIELD_VECTOR, point, "m", IN_TEXT, BLOCKED),
                              ANSWER("xy", FIELD_PAIR, xy, "m", IN_TEXT, UNKNOWN),
                              ANSWER("distance", FIELD_NUMBER, distance, "m", IN_JSON, BROKEN),
                              ANSWER("length", FIELD_NUMBER, found.length, "m", IN_JSON, FOUND),
                              ANSWER("cc", FIELD_NUMBER, cc, NULL, IN_TEXT | LABELLED, 0),
                              DECIDED(clearance, "m", 0),
                              DECIDED(raise, "m", 0),
                              DECIDED(fresnel, NULL, ZONE),
                              ANSWER("cc", FIELD_NUMBER, cc, NULL, IN_JSON, 0),
                              ANSWER("radius", FIELD_NUMBER, radius, "m", IN_JSON, 0),
                              ANSWER("rest", FIELD_BYTES, rest, NULL, 0, 0),
                              {NULL}};

static double decided_at(double value, double t, double length) {
    return isfinite(value) ? t * length : LF_NAN;
}

static void write_answer(sight_run *sight, const row *asked, int64_t i) {
    const lf_sight *found = &sight->sights[i];
    const pair *pair = &sight->pairs[i];
    cli *run = sight->run;
    int half = asked->count / 2;
    sight_answer answer = {.has = UNKNOWN | REASON,
                           .from = {asked->numbers, half},
                           .to = {asked->numbers + half, half},
                           .verdict = "unknown",
                           .reason = lf_reason_name(pair->reason),
                           .xy = pair->nowhere,
                           .cc = sight->rules.curvature.coefficient,
                           .radius = sight->rules.curvature.radius,
                           .rest = {asked->rest, asked->rest_length}};
    sight->hidden |= pair->reason != LF_REASON_ANSWERED || found->verdict != LF_VERDICT_CLEAR;
    if (pair->reason == LF_REASON_ANSWERED) {
        static const unsigned bits[] = {CLEAR, BLOCKED | BROKEN, UNKNOWN | BROKEN | REASON};
        answer.has = FOUND | bits[found->verdict] | (sight->rules.frequency_mhz > 0 ? ZONE : 0) |
                     (options_has(&run->given, "detail") ? DETAIL : 0);
        answer.verdict = lf_verdict_name(found->verdict);
        answer.reason = "hole";
        if (found->verdict != LF_VERDICT_CLEAR)
            answer.point = coordinates_out(&run->coordinates, found->point, asked->numbers[0]);
        answer.xy = (lf_vec2){answer.point.x, answer.point.y};
        answer.distance = found->t * found->length;
        answer.found = *found;
        answer.clearance_at = decided_at(found->clearance, found->clearance_t, found->length);
        answer.raise_at = decided_at(found->raise, found->raise_t, found->length);
        answer.fresnel_at = decided_at(found->fresnel, found->fresnel_t, found->length);
    }
    answer_write(run, sight_fields, &answer);
}

// ---- Asking -------------------------------------------------------------------------------------

static void make_space(sight_run *sight, int64_t count) {
    if (count <= sight->capacity)
        return;
    sight->a = allocate_more(sight->a, (size_t)count, sizeof(lf_vec3));
    sight->b = allocate_more(sight->b, (size_t)count, sizeof(lf_vec3));
    sight->pairs = allocate_more(sight->pairs, (size_t)count, sizeof(pair));
    sight->sights = allocate_more(sight->sights, (size_t)count, sizeof(lf_sight));
    sight->capacity = count;
}

/// The position of an end: on the ground and so much higher, or above datum.
static lf_status stand(const sight_run *sight, lf_vec3 *end, double height, lf_reason *reason) {
    const cli *run = sight->run;
    *reason = LF_REASON_OUTSIDE;
    if (isnan(end->x) || isnan(end->y))
        return LF_OK;
    if (!run->ground.globe) {
        lf_vec2 at = {end->x, end->y};
        *reason = LF_REASON_ANSWERED;
        end->z = height;
        return sight->datum ? LF_OK : lf_sight_observer(run->ground.ground, at, height, end, reason);
    }
    lf_globe_elevation ground = {.reason = LF_REASON_ANSWERED, .height = 0};
    const lf_ellipsoid *ellipsoid = &run->coordinates.ellipsoid;
    lf_geodetic place = lf_ellipsoid_to_geodetic(ellipsoid, *end);
    lf_status status = LF_OK;
    if (!sight->datum && ground_is_world(&run->ground)) {
        lf_hit hit = {0};
        status = ground_plumb(run, place, true, LF_VERTICAL_DOWN, &hit);
        ground.reason = hit.reason;
        ground.height = lf_ellipsoid_to_geodetic(ellipsoid, hit.point).height;
    } else if (!sight->datum) {
        status = lf_globe_height_finest(run->ground.globe, place.lon_deg, place.lat_deg, &ground);
    }
    *reason = ground.reason;
    if (status == LF_OK && ground.reason == LF_REASON_ANSWERED)
        *end = lf_ellipsoid_to_centred(ellipsoid,
                                       (lf_geodetic){place.lon_deg, place.lat_deg, ground.height + height});
    return status;
}

static lf_status find_ends(sight_run *sight, const row *asked, int64_t i) {
    int half = asked->count / 2;
    const double *n = asked->numbers;
    lf_vec3 ends[2] = {{n[0], n[1], 0}, {n[half], n[half + 1], 0}}, zero = {0, 0, 0};
    pair *pair = &sight->pairs[i];
    lf_status status = LF_OK;
    coordinates_in(&sight->run->coordinates, ends, 2, 2);
    pair->reason = LF_REASON_ANSWERED;
    for (int k = 0; k < 2 && status == LF_OK && pair->reason == LF_REASON_ANSWERED; k++) {
        double height = half > 2 ? n[k * half + 2] : sight->heights[k];
        pair->nowhere = (lf_vec2){n[k * half], n[k * half + 1]};
        status = stand(sight, &ends[k], height, &pair->reason);
    }
    // Without ground the line is a point, and its answer is not used.
    sight->a[i] = pair->reason == LF_REASON_ANSWERED ? ends[0] : zero;
    sight->b[i] = pair->reason == LF_REASON_ANSWERED ? ends[1] : zero;
    return status;
}

/// On a globe a line is straight in space, but for refraction.
static lf_status ask_globe(const sight_run *sight, int64_t i) {
    if (ground_is_world(&sight->run->ground)) // with all that stands on it
        return lf_sight_between(sight->run->ground.ground, &sight->rules, sight->a[i], sight->b[i],
                                &sight->sights[i], NULL);
    lf_globe_sight found = {.clear = true};
    lf_status status = sight->pairs[i].reason != LF_REASON_ANSWERED
                           ? LF_OK
                           : lf_globe_sight_finest(sight->run->ground.globe, sight->a[i], sight->b[i],
                                                   1 - sight->rules.curvature.coefficient, &found, NULL);
    lf_sight *answer = &sight->sights[i];
    *answer = (lf_sight){.clearance = LF_NAN, .raise = LF_NAN, .fresnel = LF_NAN};
    if (sight->rules.detail && status == LF_OK && sight->pairs[i].reason == LF_REASON_ANSWERED)
        status = lf_sight_between(sight->run->ground.ground, &sight->rules, sight->a[i], sight->b[i], answer,
                                  NULL);
    answer->verdict = found.clear ? LF_VERDICT_CLEAR : LF_VERDICT_BLOCKED;
    answer->t = found.t;
    answer->point = found.point;
    answer->length = found.length;
    return status;
}

static bool ask(sight_run *sight, const row *rows, int64_t count) {
    const cli *run = sight->run;
    lf_status status = LF_OK;
    make_space(sight, count);
    for (int64_t i = 0; i < count && status == LF_OK; i++)
        status = find_ends(sight, &rows[i], i);
    if (status == LF_OK && !run->ground.globe)
        status = lf_sight_many(run->ground.ground, &sight->rules, sight->a, 0, sight->b, 0, count,
                               sight->sights, 0, &run->tasks);
    for (int64_t i = 0; i < count && status == LF_OK && run->ground.globe; i++)
        status = ask_globe(sight, i);
    return succeeded(status, NULL);
}

/// Above datum an end without a height of its own needs --eye or --target.
static bool needs_height(const sight_run *sight, int end) {
    return sight->datum && !options_has(&sight->run->given, end == 0 ? "eye" : "target");
}

/// Three numbers for one point and two for the other cannot be told apart.
static bool answer(void *user, row_reader *reader) {
    sight_run *sight = user;
    for (int64_t i = 0; i < reader->count; i++) {
        int count = reader->rows[i].count;
        if (count == 5)
            row_reader_refuse(reader, &reader->rows[i], "5 numbers: expected X,Y,X,Y or X,Y,H,X,Y,H");
        else if (count == 4 && (needs_height(sight, 0) || needs_height(sight, 1)))
            row_reader_refuse(reader, &reader->rows[i],
                              "with --datum: expected X,Y,H,X,Y,H, or --eye and --target");
    }
    if (reader->count > 0 && !ask(sight, reader->rows, reader->count))
        return false;
    for (int64_t i = 0; i < reader->count; i++)
        write_answer(sight, &reader->rows[i], i);
    return true;
}

/// On a globe: heights above the ellipsoid, of the line and of the topmost ground on the plumb line through each of its points.
static bool write_globe_profile(const sight_run *sight, const row *asked, int64_t steps, const char *path) {
    cli *run = sight->run;
    const lf_ellipsoid *ellipsoid = &run->coordinates.ellipsoid;
    const lf_curvature *curvature = &sight->rules.curvature;
    double length = sight->sights[0].length,
           lift = (1 - curvature->coefficient) * length * length / (2 * curvature->radius);
    lf_profile_point *samples = allocate((size_t)steps + 1, sizeof *samples);
    lf_vec2 *places = allocate((size_t)steps + 1, sizeof *places);
    lf_vec3 ends[2] = {sight->a[0], sight->b[0]};
    for (int64_t k = 0; k <= steps; k++) {
        double t = (double)k / (double)steps;
        lf_vec3 point = lf_vec3_along(ends[0], t, lf_vec3_sub(ends[1], ends[0]));
        lf_geodetic place = lf_ellipsoid_to_geodetic(ellipsoid, point);
        lf_hit hit = {0};
        lf_status status = ground_plumb(run, place, true, LF_VERTICAL_DOWN, &hit);
        if (status != LF_OK)
            return succeeded(status, NULL);
        lf_vec3 shown = coordinates_out(&run->coordinates, point, asked->numbers[0]);
        places[k] = (lf_vec2){shown.x, shown.y};
        samples[k] = (lf_profile_point){
            t, t * length,
            hit.kind == LF_HIT_NONE ? LF_NAN : lf_ellipsoid_to_geodetic(ellipsoid, hit.point).height,
            place.height + lift * t * (1 - t)};
    }
    for (int k = 0; k < 2; k++)
        ends[k].z = lf_ellipsoid_to_geodetic(ellipsoid, ends[k]).height;
    profile profile = {samples, steps + 1, ends[0], ends[1], true, &sight->sights[0], &sight->rules, places};
    return profile_write(run, &profile, path);
}

static bool write_profile(const sight_run *sight, const row *asked, const char *path) {
    cli *run = sight->run;
    int64_t steps = options_integer(&run->given, "steps", run->ground.grid ? 0 : MESH_STEPS), count = 0;
    lf_profile_point *samples = NULL;
    lf_status status = LF_PARTIAL;
    if (sight->pairs[0].reason != LF_REASON_ANSWERED)
        return failed("--profile %s: one of the points has no ground", path);
    if (run->ground.globe)
        return write_globe_profile(sight, asked, steps, path);
    // The first round only counts.
    for (int round = 0; round < 2 && status == LF_PARTIAL; round++) {
        int64_t capacity = count + 1;
        samples = allocate((size_t)capacity, sizeof *samples);
        status = lf_sight_profile(run->ground.ground, &sight->rules, sight->a[0], sight->b[0], steps, samples,
                                  capacity, &count);
    }
    profile profile = {samples,           count,         sight->a[0], sight->b[0], true,
                       &sight->sights[0], &sight->rules, NULL};
    return succeeded(status, NULL) && profile_write(run, &profile, path);
}

/// --from and --to as one row of six numbers.
static row given_line(const sight_run *sight) {
    static const char *const names[] = {"from", "to"};
    const options *given = &sight->run->given;
    row asked = {.count = 6};
    for (int k = 0; k < 2; k++) {
        double *n = asked.numbers + 3 * k, read[ROW_NUMBERS];
        int count = options_numbers(given, names[k], 0, read);
        memcpy(n, read, 2 * sizeof *n);
        n[2] = count > 2 ? read[2] : sight->heights[k];
    }
    return asked;
}

static void reach_line(reach *reach, void *user) {
    row asked = given_line(user);
    lf_vec3 ends[2] = {{asked.numbers[0], asked.numbers[1], 0}, {asked.numbers[3], asked.numbers[4], 0}};
    coordinates_in(&reach->run->coordinates, ends, 2, 2);
    lf_ray ray = lf_ray_between(ends[0], ends[1]);
    reach_point(reach, ends[0]);
    reach_point(reach, ends[1]);
    reach_ray(reach, &ray);
}

static int answer_options(sight_run *sight) {
    const char *path = options_value(&sight->run->given, "profile");
    row asked = given_line(sight);
    if (!ask(sight, &asked, 1) || (path && !write_profile(sight, &asked, path)))
        return CLI_ERROR;
    write_answer(sight, &asked, 0);
    return sight->hidden ? CLI_NO : CLI_YES;
}

/// Load the ground, and settle the curvature that it has.
static bool open_ground(cli *run, lf_sight_rules *rules) {
    double c = rules->curvature.coefficient;
    if (!ground_open(run, 0))
        return false;
    if (run->ground.globe && !isnan(c) && !(c >= 0 && c <= 2))
        return refused("--cc %g: expected a number from 0 to 2 on a globe", c);
    sight_rules_settle(&run->ground, rules);
    return true;
}

int command_sight(cli *run) {
    const options *given = &run->given;
    if (options_has(given, "path"))
        return sight_path(run);
    sight_run sight = {.run = run,
                       .rules = sight_rules_read(run),
                       .heights = {options_number(given, "eye", 2), options_number(given, "target", 0)},
                       .datum = options_has(given, "datum")};
    if (options_has(given, "from")) {
        run->reach = reach_line;
        run->reach_user = &sight;
        run->reach_sight = true;
    }
    if (!open_ground(run, &sight.rules))
        return CLI_ERROR;
    // On a globe all that is below the line has to be looked at: only where it is asked for.
    sight.rules.detail = !run->ground.globe || ground_is_world(&run->ground) ||
                         options_has(given, "detail") || options_has(given, "freq") ||
                         options_has(given, "profile");
    if (options_has(given, "from"))
        return answer_options(&sight);
    bool flat = options_has(given, "xy");
    return questions_from_input(
        run, flat ? (row_shape){4, 4, "X,Y,X,Y"} : (row_shape){4, 6, "X,Y[,H],X,Y[,H]"}, answer, &sight);
}

// ---- Many points --------------------------------------------------------------------------------

typedef struct matrix_point {
    const char *name;
    lf_vec3 point;
    const char *signs; ///< of what it sees, one character each
    field_span sees;   ///< the names of the verdicts
} matrix_point;

static const field matrix_point_fields[] = {
    {"signs", FIELD_TEXT, offsetof(matrix_point, signs), NULL, IN_TEXT},
    {"name", FIELD_TEXT, offsetof(matrix_point, name)},
    {"point", FIELD_VECTOR, offsetof(matrix_point, point), "m", IN_JSON},
    {"sees", FIELD_LIST, offsetof(matrix_point, sees), NULL, IN_JSON, .items = FIELD_TEXT},
    {NULL}};

typedef struct matrix {
    double cc, radius;
    field_span points;
    matrix_point *list;
    uint8_t *verdicts; ///< count x count
} matrix;

const field intervisible_fields[] = {{"cc", FIELD_NUMBER, offsetof(matrix, cc)},
                                     {"radius", FIELD_NUMBER, offsetof(matrix, radius), "m", IN_JSON},
                                     {"points", FIELD_LIST, offsetof(matrix, points), NULL, IN_JSON,
                                      .fields = matrix_point_fields, .size = sizeof(matrix_point)},
                                     {NULL}};

/// Points stand on the ground, or above datum.
static bool find_matrix_points(const sight_run *sight, observers *places, matrix *matrix) {
    cli *run = sight->run;
    const char *path = run->given.arguments[1];
    if (!observers_from_file(run, path, sight->heights[0], places))
        return false;
    matrix->list = allocate((size_t)places->count, sizeof *matrix->list);
    matrix->points = (field_span){matrix->list, places->count};
    for (int64_t i = 0; i < places->count; i++) {
        char *number = allocate(24, 1);
        lf_reason reason;
        lf_vec3 at = {places->at[i].x, places->at[i].y, 0};
        snprintf(number, 24, "%lld", (long long)i + 1);
        matrix->list[i].name = places->names[i] ? places->names[i] : number;
        if (run->ground.globe)
            at = lf_ellipsoid_to_centred(&run->coordinates.ellipsoid, (lf_geodetic){at.x, at.y, 0});
        if (!succeeded(stand(sight, &at, places->heights[i], &reason), NULL))
            return false;
        if (reason != LF_REASON_ANSWERED)
            return failed("%s: point %lld has no ground to stand on: %s", path, (long long)i + 1,
                          lf_reason_name(reason));
        matrix->list[i].point = at;
    }
    return true;
}

/// On a globe pair by pair: the verdict is the same both ways.
static lf_status fill_on_globe(sight_run *sight, const lf_vec3 *points, int64_t count, uint8_t *verdicts) {
    lf_status status = LF_OK;
    make_space(sight, 1);
    sight->pairs[0].reason = LF_REASON_ANSWERED;
    for (int64_t k = 0; k < count * count && status == LF_OK; k++) {
        int64_t i = k / count, j = k % count;
        sight->a[0] = points[i];
        sight->b[0] = points[j];
        if (i < j)
            status = ask_globe(sight, 0);
        verdicts[k] = i < j   ? (uint8_t)sight->sights[0].verdict
                      : i > j ? verdicts[j * count + i]
                              : LF_VERDICT_CLEAR;
    }
    return status;
}

static bool fill_matrix(sight_run *sight, matrix *matrix) {
    const cli *run = sight->run;
    size_t count = (size_t)matrix->points.count;
    lf_vec3 *points = allocate(count, sizeof *points);
    if (count > 3037000499u)
        return failed("%s: %lld points: too many pairs for memory", run->given.arguments[1],
                      (long long)count);
    for (size_t i = 0; i < count; i++) {
        points[i] = matrix->list[i].point;
        if (run->ground.globe)
            matrix->list[i].point = coordinates_out(&run->coordinates, points[i], 0);
    }
    matrix->verdicts = allocate(count * count, 1);
    if (run->ground.globe)
        return succeeded(fill_on_globe(sight, points, (int64_t)count, matrix->verdicts), NULL);
    return succeeded(lf_sight_matrix(run->ground.ground, &sight->rules, points, (int64_t)count,
                                     matrix->verdicts, &run->tasks),
                     NULL);
}

/// What one point sees: a sign and one of three words for each.
static void fill_row(const matrix *matrix, int64_t i, const char *const words[3], const char **sees,
                     char *signs) {
    int64_t count = matrix->points.count;
    for (int64_t j = 0; j < count; j++) {
        uint8_t verdict = matrix->verdicts[i * count + j];
        signs[j] = i == j ? '.' : "+-?"[verdict];
        sees[j] = words[verdict];
    }
}

/// A CSV table with a column for each point; every cell is text.
static field *csv_columns(const matrix *matrix) {
    int64_t count = matrix->points.count;
    field *columns = allocate((size_t)count + 3, sizeof *columns);
    for (int64_t j = 0; j < count + 2; j++)
        columns[j] = (field){j == 0           ? "from"
                             : j == count + 1 ? "cc"
                                              : matrix->list[j - 1].name,
                             FIELD_TEXT, (size_t)j * sizeof(char *)};
    return columns;
}

static void write_rows(cli *run, const matrix *matrix) {
    static const char *const digits[] = {"1", "0", "?"};
    int64_t count = matrix->points.count;
    bool csv = options_has(&run->given, "csv");
    const field *columns = csv ? csv_columns(matrix) : NULL;
    const char **cells = allocate((size_t)count + 2, sizeof *cells);
    char *signs = allocate((size_t)count + 1, 1), cc[NUMBER_SIZE];
    number_write(cc, matrix->cc);
    cells[count + 1] = cc;
    if (csv)
        answer_csv_names(&run->out, columns, cells);
    for (int64_t i = 0; i < count; i++) {
        fill_row(matrix, i, digits, cells + 1, signs);
        cells[0] = matrix->list[i].name;
        matrix->list[i].signs = signs;
        if (csv)
            answer_csv_row(&run->out, columns, cells, cells);
        else
            answer_line(&run->out, matrix_point_fields, &matrix->list[i]);
    }
    if (!csv)
        answer_facts(&run->out, intervisible_fields, matrix, 3);
}

static void write_document(cli *run, const matrix *matrix) {
    int64_t count = matrix->points.count;
    const char *words[3];
    char *signs = allocate((size_t)count + 1, 1);
    for (int i = 0; i < 3; i++)
        words[i] = lf_verdict_name((lf_verdict)i);
    for (int64_t i = 0; i < count; i++) {
        const char **sees = allocate((size_t)count, sizeof *sees);
        fill_row(matrix, i, words, sees, signs);
        matrix->list[i].sees = (field_span){sees, count};
    }
    answer_json(&run->out, intervisible_fields, matrix, true);
}

// ---- Networks -----------------------------------------------------------------------------------

typedef struct network_answer {
    int64_t points, pairs, visible, unknown;
    double cc, radius;
} network_answer;

const field network_fields[] = {{"points", FIELD_INTEGER, offsetof(network_answer, points)},
                                {"pairs", FIELD_INTEGER, offsetof(network_answer, pairs)},
                                {"visible", FIELD_INTEGER, offsetof(network_answer, visible)},
                                {"unknown", FIELD_INTEGER, offsetof(network_answer, unknown)},
                                {"cc", FIELD_NUMBER, offsetof(network_answer, cc)},
                                {"radius", FIELD_NUMBER, offsetof(network_answer, radius), "m", IN_JSON},
                                {NULL}};

static lf_status ask_pair(void *user, lf_vec3 a, lf_vec3 b, uint8_t *verdict) {
    sight_run *sight = user;
    make_space(sight, 1);
    sight->pairs[0].reason = LF_REASON_ANSWERED;
    sight->a[0] = a;
    sight->b[0] = b;
    lf_status status = ask_globe(sight, 0);
    *verdict = (uint8_t)sight->sights[0].verdict;
    return status;
}

/// Edges into the file of -o.
static int write_network(sight_run *sight, const observers *places, const matrix *matrix) {
    cli *run = sight->run;
    lf_vec3 *points = allocate((size_t)places->count, sizeof *points);
    for (int64_t i = 0; i < places->count; i++)
        points[i] = matrix->list[i].point;
    network network = {.run = run,
                       .places = places,
                       .points = points,
                       .rules = sight->rules,
                       .range = options_number(&run->given, "range", LF_INFINITY),
                       .ask = run->ground.globe ? ask_pair : NULL,
                       .user = sight};
    if (run->ground.globe)
        network.rules.ellipsoid = run->coordinates.ellipsoid;
    if (!network_write(&network, options_value(&run->given, "output")))
        return CLI_ERROR;
    network_answer answer = {places->count,   network.pairs, network.visible,
                             network.unknown, matrix->cc,    matrix->radius};
    answer_write_facts(run, network_fields, &answer);
    return CLI_YES;
}

/// All lines are within the box of the points.
static void reach_matrix(reach *reach, void *user) {
    reach_file(reach, reach->run->given.arguments[1], ((const sight_run *)user)->heights[0]);
}

int command_intervisible(cli *run) {
    observers places = {0};
    matrix matrix = {0};
    sight_run sight = {.run = run,
                       .rules = sight_rules_read(run),
                       .heights = {options_number(&run->given, "eye", 2), 0},
                       .datum = options_has(&run->given, "datum")};
    run->reach = reach_matrix;
    run->reach_user = &sight;
    run->reach_sight = true;
    if (!open_ground(run, &sight.rules))
        return CLI_ERROR;
    matrix.cc = sight.rules.curvature.coefficient;
    matrix.radius = sight.rules.curvature.radius;
    int status = CLI_ERROR;
    bool found = find_matrix_points(&sight, &places, &matrix);
    if (found && options_has(&run->given, "output")) {
        status = write_network(&sight, &places, &matrix);
    } else if (found && fill_matrix(&sight, &matrix)) {
        status = CLI_YES;
        for (int64_t i = 0; i < matrix.points.count * matrix.points.count; i++)
            status = matrix.verdicts[i] == LF_VERDICT_CLEAR ? status : CLI_NO;
        (run->json ? write_document : write_rows)(run, &matrix);
    }
    observers_free(&places);
    return status;
}
