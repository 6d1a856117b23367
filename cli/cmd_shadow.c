#include "answers.h"
#include "ground.h"
#include <landfall/shadow.h>
#include <stdlib.h>

/// What one run of `landfall shadow` knows.
typedef struct shadow_run {
    cli *run;
    loaded ground;
    lf_shadow *shadow;
    lf_light light;
    double skin;
    row_shape shape;
    bool dark; ///< some point was not lit
} shadow_run;

static void write_line(const shadow_run *shadow, const row *asked, lf_vec3 point, const lf_hit *by) {
    output *out = &shadow->run->out;
    output_vector(out, point, ' ');
    if (by->kind == LF_HIT_NONE) {
        output_text(out, " lit");
    } else {
        output_text(out, " shadow ");
        output_integer(out, by->element);
    }
    answer_tail(out, NULL, (columns){false, false}, asked);
}

/// No ground to ask about.
static void write_reason(const shadow_run *shadow, const row *asked, lf_reason reason) {
    output *out = &shadow->run->out;
    output_number(out, asked->numbers[0]);
    output_char(out, ' ');
    output_number(out, asked->numbers[1]);
    output_text(out, " - ");
    output_text(out, lf_reason_word(reason));
    answer_tail(out, NULL, (columns){false, false}, asked);
}

static void write_json(const shadow_run *shadow, const row *asked, const lf_hit *ground, const lf_hit *by) {
    json document = json_start(&shadow->run->out, false);
    json_put_object(&document, NULL);
    json_put_numbers(&document, "at", asked->numbers, asked->count);
    if (ground->kind == LF_HIT_NONE) {
        json_put_text(&document, "reason", lf_reason_word(ground->reason));
    } else {
        json_put_vector(&document, "point", ground->point);
        json_put_truth(&document, "lit", by->kind == LF_HIT_NONE);
        if (by->kind != LF_HIT_NONE) {
            json_put_integer(&document, "polygon", by->element);
            json_put_number(&document, "t", by->t);
        }
    }
    answer_json_rest(&document, asked);
    json_close(&document);
    json_end(&document);
}

/// The point that a row asks about; without Z it is dropped onto the topmost ground.
static lf_status find_point(const shadow_run *shadow, const row *asked, lf_hit *ground) {
    lf_vec3 point = {asked->numbers[0], asked->numbers[1], LF_INFINITY};
    if (asked->count < 3)
        return lf_ground_height(shadow->ground.ground, point, LF_LOOK_DOWN, ground, NULL);
    point.z = asked->numbers[2];
    *ground = (lf_hit){.kind = LF_HIT_TRIANGLE, .point = point};
    return LF_OK;
}

static bool answer(void *user, const row *rows, int64_t count) {
    shadow_run *shadow = user;
    for (int64_t i = 0; i < count; i++) {
        lf_hit ground, by = {.kind = LF_HIT_NONE};
        bool lit = false;
        lf_status status = find_point(shadow, &rows[i], &ground);
        bool known = ground.kind != LF_HIT_NONE;
        if (status == LF_OK && known)
            status = lf_shadow_at(shadow->shadow, ground.point, &lit, &by, NULL);
        if (status != LF_OK) {
            message_status(status, NULL);
            return false;
        }
        shadow->dark |= !lit;
        if (shadow->run->json)
            write_json(shadow, &rows[i], &ground, &by);
        else if (known)
            write_line(shadow, &rows[i], ground.point, &by);
        else
            write_reason(shadow, &rows[i], ground.reason);
    }
    return true;
}

/// Check everything that needs no mesh, before the mesh is loaded.
static bool read_question(shadow_run *shadow, bool *from_input) {
    const options *given = &shadow->run->given;
    const char *light = options_value(given, "light");
    row read;
    shadow->shape = (row_shape){2, 3, "X,Y[,Z]"};
    shadow->skin = lf_shadow_def_default().skin;
    if (!light) {
        message_usage("--light is wanted");
        return false;
    }
    if (!row_from_option("light", light, (row_shape){3, 3, "X,Y,Z"}, &read) ||
        !options_number(given, "skin", &shadow->skin))
        return false;
    lf_vec3 vector = {read.numbers[0], read.numbers[1], read.numbers[2]};
    bool lamp = options_has(given, "point");
    shadow->light = lamp ? lf_light_at(vector) : lf_light_along(vector);
    if (!lamp && vector.x == 0 && vector.y == 0 && vector.z == 0) {
        message_error("--light %s: the direction is zero", light);
        return false;
    }
    if (shadow->skin < 0) {
        message_error("--skin %s: 0 or more is wanted", options_value(given, "skin"));
        return false;
    }
    return answer_source(shadow->run, "at", from_input) && answer_digits(shadow->run);
}

static bool build(shadow_run *shadow) {
    lf_shadow_def def = lf_shadow_def_default();
    lf_error error = {0};
    def.host = shadow->run->host;
    def.polygons = lf_polygon_file_polygons(shadow->ground.file);
    def.light = shadow->light;
    def.skin = shadow->skin;
    lf_status status = lf_shadow_create(&def, &shadow->shadow, &error);
    progress_clear();
    if (status != LF_OK)
        message_status(status, &error);
    return status == LF_OK;
}

int command_shadow(cli *run) {
    shadow_run shadow = {.run = run};
    bool from_input;
    if (!read_question(&shadow, &from_input))
        return CLI_ERROR;
    row *rows = answer_rows(run, "at", shadow.shape);
    int status = CLI_ERROR;
    if (rows && ground_load(run, &shadow.ground) && build(&shadow)) {
        if (from_input)
            status = answer_standard_input(run, shadow.shape, answer, &shadow);
        else if (answer(&shadow, rows, options_count(&run->given, "at")))
            status = shadow.dark ? CLI_NO : CLI_YES;
    }
    lf_shadow_destroy(shadow.shadow);
    ground_free(&shadow.ground);
    free(rows);
    return status;
}
