#include "commands.h"
#include "ground.h"
#include "option_tables.h"
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
    bool shells = question->method == LF_MODEL_SHELLS, one = options_has(given, "one");
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

int command_collide(cli *run) {
    const options *given = &run->given;
    collide_run collide = {0};
    lf_model_query question = lf_model_query_default();
    lf_field_def field = model_field(given);
    lf_model *a = NULL, *b = NULL;
    int status = CLI_ERROR;
    question.method = (lf_model_method)options_choice(given, "method", LF_MODEL_AUTO);
    question.limit = options_has(given, "one") ? 1 : 0;
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
