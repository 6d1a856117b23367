#include "json.h"
#include "numbers.h"
#include "observers.h"
#include "sight_rules.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// What one run of `landfall intervisible` knows.
typedef struct matrix_run {
    cli *run;
    loaded ground;
    coordinates coordinates;
    lf_sight_rules rules;
    double eye;
    bool datum;
    observers places;
    lf_vec3 *points;
    uint8_t *verdicts; ///< count x count
} matrix_run;

static bool read_question(matrix_run *matrix) {
    const options *given = &matrix->run->given;
    matrix->eye = 2;
    matrix->datum = options_has(given, "datum");
    if (options_has(given, "csv") && matrix->run->json) {
        message_usage("--csv or --json, not both");
        return false;
    }
    return sight_rules_read(matrix->run, &matrix->rules) && options_number(given, "eye", &matrix->eye);
}

/// Points stand on the ground, or above datum.
static bool find_points(matrix_run *matrix) {
    const char *path = matrix->run->given.arguments[1];
    observers *places = &matrix->places;
    if (!observers_from_file(matrix->run, path, &matrix->ground, &matrix->coordinates, matrix->eye,
                             matrix->datum, places))
        return false;
    matrix->points = calloc((size_t)places->count, sizeof(lf_vec3));
    for (int64_t i = 0; matrix->points && i < places->count; i++) {
        lf_vec3 *point = &matrix->points[i];
        lf_reason reason = LF_REASON_ANSWERED;
        *point = (lf_vec3){places->at[i].x, places->at[i].y, places->heights[i]};
        if (!matrix->datum &&
            lf_sight_observer(matrix->ground.ground, places->at[i], places->heights[i], point, &reason) != LF_OK)
            reason = LF_REASON_OUTSIDE;
        if (reason != LF_REASON_ANSWERED) {
            message_error("%s: point number %lld has no ground to stand on: %s", path, (long long)i + 1,
                          lf_reason_name(reason));
            return false;
        }
    }
    if (!matrix->points)
        message_error("out of memory");
    return matrix->points != NULL;
}

static bool ask(matrix_run *matrix) {
    size_t count = (size_t)matrix->places.count;
    if (count > 3037000499u / sizeof(uint8_t) || !(matrix->verdicts = malloc(count * count))) {
        message_error("%lld points: there is no memory for so many pairs", (long long)count);
        return false;
    }
    lf_status status = lf_sight_matrix(matrix->ground.ground, &matrix->rules, matrix->points,
                                       matrix->places.count, matrix->verdicts, &matrix->run->tasks);
    if (status != LF_OK)
        message_status(status, NULL);
    return status == LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Writing
// ---------------------------------------------------------------------------------------------------

/// Its own name, or its number from 1.
static const char *name_of(const matrix_run *matrix, int64_t i, char *text, size_t room) {
    if (matrix->places.names[i])
        return matrix->places.names[i];
    snprintf(text, room, "%lld", (long long)i + 1);
    return text;
}

static void write_text(const matrix_run *matrix) {
    static const char signs[] = "+-?";
    output *out = &matrix->run->out;
    int64_t count = matrix->places.count;
    char number[24];
    for (int64_t i = 0; i < count; i++) {
        for (int64_t j = 0; j < count; j++)
            output_char(out, i == j ? '.' : signs[matrix->verdicts[i * count + j]]);
        output_char(out, ' ');
        output_text(out, name_of(matrix, i, number, sizeof number));
        output_char(out, '\n');
    }
    output_text(out, "cc ");
    output_number(out, matrix->rules.curvature.coefficient);
    output_char(out, '\n');
}

static void write_csv(const matrix_run *matrix) {
    static const char signs[] = "10?";
    output *out = &matrix->run->out;
    int64_t count = matrix->places.count;
    char number[24];
    output_text(out, "from");
    for (int64_t j = 0; j < count; j++) {
        output_char(out, ',');
        output_cell(out, name_of(matrix, j, number, sizeof number));
    }
    output_text(out, ",cc\n");
    for (int64_t i = 0; i < count; i++) {
        output_cell(out, name_of(matrix, i, number, sizeof number));
        for (int64_t j = 0; j < count; j++) {
            output_char(out, ',');
            output_char(out, signs[matrix->verdicts[i * count + j]]);
        }
        output_char(out, ',');
        output_number(out, matrix->rules.curvature.coefficient);
        output_char(out, '\n');
    }
}

static void write_json(const matrix_run *matrix) {
    json document = json_start(&matrix->run->out, true);
    int64_t count = matrix->places.count;
    char number[24];
    json_put_object(&document, NULL);
    sight_rules_put_json(&document, &matrix->rules);
    json_put_array(&document, "points");
    for (int64_t i = 0; i < count; i++) {
        json_put_object(&document, NULL);
        json_put_text(&document, "name", name_of(matrix, i, number, sizeof number));
        json_put_vector(&document, "point", matrix->points[i]);
        json_put_array(&document, "sees");
        for (int64_t j = 0; j < count; j++)
            json_put_text(&document, NULL, lf_verdict_name((lf_verdict)matrix->verdicts[i * count + j]));
        json_close(&document);
        json_close(&document);
    }
    json_close(&document);
    json_close(&document);
    json_end(&document);
}

static int answer(const matrix_run *matrix) {
    int64_t pairs = matrix->places.count * matrix->places.count;
    int status = CLI_YES;
    if (matrix->run->json)
        write_json(matrix);
    else if (options_has(&matrix->run->given, "csv"))
        write_csv(matrix);
    else
        write_text(matrix);
    for (int64_t i = 0; i < pairs; i++)
        if (matrix->verdicts[i] != LF_VERDICT_CLEAR)
            status = CLI_NO;
    return status;
}

int command_intervisible(cli *run) {
    matrix_run matrix = {.run = run};
    int status = CLI_ERROR;
    if (!read_question(&matrix) || !ground_load(run, &matrix.ground))
        return CLI_ERROR;
    if (coordinates_start(run, &matrix.ground, &matrix.coordinates)) {
        sight_rules_settle(&matrix.ground, &matrix.rules);
        if (find_points(&matrix) && ask(&matrix))
            status = answer(&matrix);
    }
    free(matrix.verdicts);
    free(matrix.points);
    observers_free(&matrix.places);
    coordinates_end(&matrix.coordinates);
    ground_free(&matrix.ground);
    return status;
}
