/// `landfall collide`: two models, or a model and the ground.
#include "commands.h"
#include "ground.h"
#include "option_tables.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COUNTED = 1, PAIRS = 2, MARGIN = 4, DISTANCE = 8, ONE_LINE = 16 };

/// State of one run of `landfall collide`, and what it answers.
typedef struct collide_run {
    unsigned has;
    const char *answer;
    bool touch, near;
    int64_t count;
    field_span pairs;
    double distance;
    lf_vec3 from, to;
} collide_run;

#define ANSWER(name, type, member, unit, forms, when) \
    { name, type, offsetof(collide_run, member), unit, forms, when }

/// The distance, on a line of its own.
static const field distance_fields[] = {ANSWER("distance", FIELD_NUMBER, distance, "m", LABELLED, 0),
                                        ANSWER("from", FIELD_VECTOR, from, "m", LABELLED, 0),
                                        ANSWER("to", FIELD_VECTOR, to, "m", LABELLED, 0),
                                        {NULL}};

const field collide_fields[] = {
    ANSWER("answer", FIELD_TEXT, answer, NULL, IN_TEXT, 0),
    ANSWER("touch", FIELD_TRUTH, touch, NULL, IN_JSON, 0),
    ANSWER("count", FIELD_INTEGER, count, NULL, IN_TEXT, COUNTED | ONE_LINE),
    ANSWER("count", FIELD_INTEGER, count, NULL, IN_JSON, COUNTED),
    ANSWER("near", FIELD_TRUTH, near, NULL, IN_JSON, MARGIN),
    {"pairs", FIELD_LIST, offsetof(collide_run, pairs), .when = PAIRS, .items = FIELD_INTEGERS},
    ANSWER("distance", FIELD_NUMBER, distance, "m", IN_JSON, DISTANCE),
    ANSWER("from", FIELD_VECTOR, from, "m", IN_JSON, DISTANCE),
    ANSWER("to", FIELD_VECTOR, to, "m", IN_JSON, DISTANCE),
    {NULL}};

/// "x,90" and the like.
static bool read_turn(const char *text, lf_pose *pose) {
    static const lf_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const char *letter = text[0] ? strchr("xyz", text[0]) : NULL;
    double degrees;
    if (!letter || text[1] != ',' || number_read_all(text + 2, &degrees) != NUMBER_FINE)
        return false;
    double angle = degrees * (3.14159265358979323846 / 180);
    return lf_pose_turn((lf_vec3){0, 0, 0}, axes[letter - "xyz"], angle, pose) == LF_OK;
}

bool check_turn(const char *value, lf_error *why) {
    lf_pose pose;
    snprintf(why->text, sizeof why->text, "expected AXIS,DEGREES, such as z,90");
    return read_turn(value, &pose);
}

/// In the order of the names of --report; the first three are those of lf_model_report.
enum { REPORT_PAIR = 3 };

static bool only_one(const options *given) {
    return options_has(given, "one") || options_choice(given, "report", 0) == REPORT_PAIR;
}

/// All pairs are counted, and with --pairs or --one listed.
static lf_status ask_pairs(collide_run *collide, const lf_model_query *question, bool listed) {
    lf_status status = lf_model_pairs(question, NULL, 0, &collide->count, NULL);
    if (status != LF_PARTIAL)
        return status;
    collide->touch = true;
    if (!listed)
        return LF_OK;
    lf_model_pair *list = allocate((size_t)collide->count, sizeof *list);
    status = lf_model_pairs(question, list, collide->count, &collide->count, NULL);
    collide->has |= PAIRS;
    collide->pairs = (field_span){list, collide->count};
    return status;
}

static lf_status ask(collide_run *collide, const options *given, const lf_model_query *question) {
    bool shells = question->method == LF_MODEL_SHELLS, one = only_one(given);
    lf_model_distance nearest;
    lf_status status = shells ? lf_model_touch(question, &collide->touch, NULL)
                              : ask_pairs(collide, question, one || options_has(given, "pairs"));
    if (status == LF_OK && options_has(given, "margin")) {
        collide->has |= MARGIN;
        status = lf_model_within(question, options_number(given, "margin", 0), &collide->near, NULL);
    }
    if (status == LF_OK && options_has(given, "distance")) {
        status = lf_model_nearest(question, &nearest, NULL);
        collide->has |= DISTANCE;
        collide->distance = nearest.distance;
        collide->from = nearest.point_a;
        collide->to = nearest.point_b;
    }
    collide->has |= (shells || one ? 0 : COUNTED) | (collide->touch ? ONE_LINE : 0);
    collide->answer = collide->touch ? "touch" : collide->near ? "near" : "apart";
    return status;
}

// ---- A model and the ground ---------------------------------------------------------------------

enum { UNDER = 32, LISTED = 64 };

typedef struct landing_answer {
    unsigned has;
    const char *answer;
    lf_vec3 at;
    lf_model_landing found;
    field_span under;
} landing_answer;

#define LANDING(name, type, member, unit, forms, when) \
    { name, type, offsetof(landing_answer, member), unit, forms, when }

const field landing_fields[] = {
    LANDING("answer", FIELD_TEXT, answer, NULL, IN_TEXT, 0),
    LANDING("at", FIELD_VECTOR, at, "m", IN_JSON, 0),
    LANDING("touch", FIELD_TRUTH, found.touching, NULL, IN_JSON, 0),
    LANDING("under", FIELD_INTEGER, found.under_count, NULL, IN_JSON, 0),
    LANDING("under", FIELD_INTEGER, found.under_count, NULL, IN_TEXT, UNDER),
    LANDING("depth", FIELD_NUMBER, found.depth, "m", LABELLED, UNDER),
    LANDING("from", FIELD_VECTOR, found.deepest, "m", LABELLED, UNDER),
    LANDING("to", FIELD_VECTOR, found.surface, "m", LABELLED, UNDER),
    LANDING("triangle", FIELD_INTEGER, found.triangle, NULL, IN_JSON, UNDER),
    {"triangles", FIELD_LIST, offsetof(landing_answer, under), .when = LISTED, .items = FIELD_INTEGER},
    {NULL}};

static void write_landing(cli *run, double first, const lf_model_stand *stand,
                          const lf_model_landing *found) {
    const coordinates *c = &run->coordinates;
    bool listed = options_has(&run->given, "under");
    landing_answer answer = {.has = (found->under_count > 0 ? UNDER : 0) | (listed ? LISTED : 0),
                             .answer = !found->under_count ? (found->touching ? "touch" : "apart")
                                       : found->touching   ? "touch under"
                                                           : "under",
                             .at = coordinates_out(c, stand->pose.translation, first),
                             .found = *found,
                             .under = {stand->under, found->under_count}};
    answer.found.deepest = coordinates_out(c, found->deepest, first);
    answer.found.surface = coordinates_out(c, found->surface, first);
    answer_write(run, landing_fields, &answer);
}

/// --at as a position of the ground; without Z on the topmost.
static bool read_position(cli *run, lf_vec3 *position, double *first) {
    double n[ROW_NUMBERS];
    int count = options_numbers(&run->given, "at", 0, n);
    const char *text = options_value(&run->given, "at");
    lf_hit hit = {.kind = LF_HIT_NONE};
    *first = n[0];
    if (run->ground.globe && !(fabs(n[1]) <= 90))
        return failed("--at %s: the latitude is beyond 90 degrees", text);
    *position = coordinates_point(run, n, count);
    if (count > 2)
        return true;
    lf_status status = run->ground.globe
                           ? ground_plumb(run, (lf_geodetic){n[0], n[1], 0}, true, LF_VERTICAL_DOWN, &hit)
                           : lf_ground_height(run->ground.ground, *position, LF_VERTICAL_DOWN, &hit, NULL);
    if (!succeeded(status, NULL))
        return false;
    if (hit.kind == LF_HIT_NONE)
        return failed("--at %s: there is no ground there: expected X,Y,Z", text);
    *position = hit.point;
    return true;
}

static int collide_ground(cli *run) {
    const lf_field_def none = lf_model_def_default().field;
    lf_model *model = NULL;
    lf_model_stand stand = {0};
    lf_model_landing found;
    lf_vec3 position;
    double first;
    int status = CLI_ERROR;
    if (model_load(run, run->given.arguments[0], &none, &model) &&
        ground_load(run, run->given.arguments[1], TAKES_GLOBES | NEEDS_METRES, &run->ground) &&
        coordinates_start(run) && read_position(run, &position, &first) &&
        pose_at(run, position, &stand.pose)) {
        stand.model = model;
        stand.ground = run->ground.ground;
        stand.under_capacity = lf_model_describe(model).triangle_count;
        stand.under = allocate((size_t)stand.under_capacity, sizeof(int64_t));
        if (succeeded(lf_model_land(&stand, &found, NULL), NULL)) {
            write_landing(run, first, &stand, &found);
            status = found.touching || found.under_count > 0 ? CLI_YES : CLI_NO;
        }
    }
    lf_model_destroy(model);
    return status;
}

int command_collide(cli *run) {
    const options *given = &run->given;
    if (options_has(given, "at"))
        return collide_ground(run);
    if (path_kind(given->arguments[1]) & (GROUND_RASTER | GROUND_TERRAIN | GROUND_WORLD))
        return message_usage("--at X,Y[,Z]: missing option: %s is no mesh, but ground that A may be on",
                             given->arguments[1]);
    collide_run collide = {0};
    lf_model_query question = lf_model_query_default();
    lf_field_def field = model_field(given);
    lf_model *a = NULL, *b = NULL;
    int status = CLI_ERROR;
    question.method = (lf_model_method)options_choice(given, "method", LF_MODEL_AUTO);
    question.limit = only_one(given) ? 1 : 0;
    int report = options_choice(given, "report", LF_MODEL_REPORT_ALL);
    if (report == LF_MODEL_REPORT_LAYER || report == LF_MODEL_REPORT_SECTOR) {
        question.report = (lf_model_report)report;
        question.method = LF_MODEL_FIELD; // only fields have layers and sectors
    }
    if (options_has(given, "turn-b"))
        read_turn(options_value(given, "turn-b"), &question.pose_b);
    question.pose_b.translation = options_vector(given, "at-b", question.pose_b.translation);
    if (question.method != LF_MODEL_FIELD && question.method != LF_MODEL_SHELLS)
        field.sectors = 0;
    if (model_load(run, given->arguments[0], &field, &a) &&
        model_load(run, given->arguments[1], &field, &b)) {
        question.a = a;
        question.b = b;
        if (succeeded(ask(&collide, given, &question), NULL)) {
            answer_write(run, collide_fields, &collide);
            if (collide.has & DISTANCE && !run->json)
                answer_line(&run->out, distance_fields, &collide);
            status = collide.touch || collide.near ? CLI_YES : CLI_NO;
        }
    }
    lf_model_destroy(b);
    lf_model_destroy(a);
    return status;
}
