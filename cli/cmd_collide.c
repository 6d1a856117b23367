#include "answers.h"
#include "model.h"
#include "numbers.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Poses reach no farther.
#define FARTHEST 1e30

/// What one run of `landfall collide` knows.
typedef struct collide_run {
    cli *run;
    lf_model *a, *b;
    lf_model_query question;
    bool pairs, one, distance;
    double margin; ///< below 0: not asked
    lf_model_pair *list;
    int64_t count;
    bool touching, near;
    lf_model_distance nearest;
} collide_run;

// ---------------------------------------------------------------------------------------------------
// The question
// ---------------------------------------------------------------------------------------------------

/// "x,90" and the like.
static bool read_turn(const char *text, lf_pose *pose) {
    static const lf_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const char *letter = text[0] ? strchr("xyz", text[0]) : NULL;
    if (!letter || text[1] != ',') {
        message_error("--turn-b %s: AXIS,DEGREES is wanted, such as z,90", text);
        return false;
    }
    double degrees;
    if (number_read_all(text + 2, &degrees) != NUMBER_FINE) {
        message_error("--turn-b %s: \"%s\" is not a number of degrees", text, text + 2);
        return false;
    }
    double angle = degrees * (3.14159265358979323846 / 180);
    return lf_pose_turn((lf_vec3){0, 0, 0}, axes[letter - "xyz"], angle, pose) == LF_OK;
}

static bool read_place(const char *text, lf_pose *pose) {
    row read;
    if (!row_from_option("at-b", text, (row_shape){3, 3, "X,Y,Z"}, &read))
        return false;
    for (int i = 0; i < 3; i++)
        if (fabs(read.numbers[i]) > FARTHEST) {
            message_error("--at-b %s: nothing is farther away than 1e30", text);
            return false;
        }
    pose->translation = (lf_vec3){read.numbers[0], read.numbers[1], read.numbers[2]};
    return true;
}

static bool read_method(const char *word, lf_model_method *method) {
#define METHOD(name, value, spelled, text)     \
    if (!word || strcmp(word, spelled) == 0) { \
        *method = name;                        \
        return true;                           \
    }
    LF_MODEL_METHOD_LIST(METHOD)
#undef METHOD
    message_usage("unknown method \"%s\"", word);
    return false;
}

static bool read_question(collide_run *collide) {
    const options *given = &collide->run->given;
    const char *at = options_value(given, "at-b"), *turn = options_value(given, "turn-b");
    collide->question = lf_model_query_default();
    collide->pairs = options_has(given, "pairs");
    collide->one = options_has(given, "one");
    collide->distance = options_has(given, "distance");
    collide->margin = -1;
    if (!answer_digits(collide->run) || !options_number(given, "margin", &collide->margin) ||
        !read_method(options_value(given, "method"), &collide->question.method))
        return false;
    if (options_has(given, "margin") && collide->margin < 0) {
        message_usage("--margin %s: 0 or more is wanted", options_value(given, "margin"));
        return false;
    }
    if (collide->pairs && collide->one) {
        message_usage("--pairs or --one, not both");
        return false;
    }
    if (collide->question.method == LF_MODEL_SHELLS && (collide->pairs || collide->one)) {
        message_usage("shells know no triangles: --pairs and --one need another method");
        return false;
    }
    if (turn && !read_turn(turn, &collide->question.pose_b))
        return false;
    return !at || read_place(at, &collide->question.pose_b);
}

// ---------------------------------------------------------------------------------------------------
// Asking
// ---------------------------------------------------------------------------------------------------

static lf_status ask_pairs(collide_run *collide) {
    lf_status status = lf_model_pairs(&collide->question, NULL, 0, &collide->count, NULL);
    if (status != LF_PARTIAL)
        return status;
    collide->touching = true;
    if (!collide->pairs && !collide->one)
        return LF_OK;
    collide->list = malloc((size_t)collide->count * sizeof *collide->list);
    if (!collide->list)
        return LF_NO_MEMORY;
    return lf_model_pairs(&collide->question, collide->list, collide->count, &collide->count, NULL);
}

static lf_status ask(collide_run *collide) {
    lf_status status = LF_OK;
    collide->question.a = collide->a;
    collide->question.b = collide->b;
    collide->question.limit = collide->one ? 1 : 0;
    if (collide->question.method == LF_MODEL_SHELLS)
        status = lf_model_touch(&collide->question, &collide->touching, NULL);
    else
        status = ask_pairs(collide);
    if (status == LF_OK && collide->margin >= 0)
        status = lf_model_within(&collide->question, collide->margin, &collide->near, NULL);
    if (status == LF_OK && collide->distance)
        status = lf_model_nearest(&collide->question, &collide->nearest, NULL);
    return status;
}

// ---------------------------------------------------------------------------------------------------
// Writing
// ---------------------------------------------------------------------------------------------------

static const char *answer_word(const collide_run *collide) {
    return collide->touching ? "touch" : collide->near ? "near" : "apart";
}

static void write_lines(const collide_run *collide) {
    output *out = &collide->run->out;
    output_text(out, answer_word(collide));
    if (collide->touching && collide->question.method != LF_MODEL_SHELLS && !collide->one) {
        output_char(out, ' ');
        output_integer(out, collide->count);
    }
    output_char(out, '\n');
    for (int64_t i = 0; collide->list && i < collide->count; i++) {
        output_integer(out, collide->list[i].a);
        output_char(out, ' ');
        output_integer(out, collide->list[i].b);
        output_char(out, '\n');
    }
    if (collide->distance) {
        output_text(out, "distance ");
        output_number(out, collide->nearest.distance);
        output_text(out, " from ");
        output_vector(out, collide->nearest.point_a, ' ');
        output_text(out, " to ");
        output_vector(out, collide->nearest.point_b, ' ');
        output_char(out, '\n');
    }
}

static void write_json(const collide_run *collide) {
    json document = json_start(&collide->run->out, false);
    json_put_object(&document, NULL);
    json_put_truth(&document, "touch", collide->touching);
    if (collide->question.method != LF_MODEL_SHELLS && !collide->one)
        json_put_integer(&document, "count", collide->count);
    if (collide->margin >= 0)
        json_put_truth(&document, "near", collide->near);
    if (collide->list) {
        json_put_array(&document, "pairs");
        for (int64_t i = 0; i < collide->count; i++) {
            const double pair[2] = {(double)collide->list[i].a, (double)collide->list[i].b};
            json_put_numbers(&document, NULL, pair, 2);
        }
        json_close(&document);
    }
    if (collide->distance) {
        json_put_number(&document, "distance", collide->nearest.distance);
        json_put_vector(&document, "from", collide->nearest.point_a);
        json_put_vector(&document, "to", collide->nearest.point_b);
    }
    json_close(&document);
    json_end(&document);
}

int command_collide(cli *run) {
    collide_run collide = {.run = run};
    lf_field_def field;
    int status = CLI_ERROR;
    if (!read_question(&collide) || !model_field_options(&run->given, &field))
        return CLI_ERROR;
    if (collide.question.method != LF_MODEL_FIELD && collide.question.method != LF_MODEL_SHELLS)
        field.sectors = 0;
    if (model_load(run, run->given.arguments[0], &field, &collide.a) &&
        model_load(run, run->given.arguments[1], &field, &collide.b)) {
        lf_status asked = ask(&collide);
        if (asked != LF_OK)
            message_status(asked, NULL);
        else if (run->json)
            write_json(&collide);
        else
            write_lines(&collide);
        if (asked == LF_OK)
            status = collide.touching || collide.near ? CLI_YES : CLI_NO;
    }
    free(collide.list);
    lf_model_destroy(collide.b);
    lf_model_destroy(collide.a);
    return status;
}
