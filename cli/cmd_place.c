#include "answers.h"
#include "coordinates.h"
#include <landfall/ground.h>
#include <math.h>
#include <stdlib.h>

#define DEGREE (3.14159265358979323846 / 180)

/// What one run of `landfall place` knows.
typedef struct place_run {
    cli *run;
    loaded ground;
    coordinates coordinates;
    lf_footprint footprint;
    double heading; ///< degrees
    row_shape shape;
    bool missed; ///< some contact had no ground
} place_run;

// ---------------------------------------------------------------------------------------------------
// Writing
// ---------------------------------------------------------------------------------------------------

static lf_vec3 point_as_asked(const place_run *place, const row *asked, lf_vec3 point) {
    return coordinates_out(&place->coordinates, point, asked->numbers[0]);
}

static void write_line(const place_run *place, const row *asked, const lf_stance *stance) {
    output *out = &place->run->out;
    if (stance->stands) {
        output_vector(out, point_as_asked(place, asked, stance->position), ' ');
        output_char(out, ' ');
        output_number(out, stance->pitch / DEGREE);
        output_char(out, ' ');
        output_number(out, stance->roll / DEGREE);
    } else {
        output_number(out, asked->numbers[0]);
        output_char(out, ' ');
        output_number(out, asked->numbers[1]);
        output_text(out, " - - -");
    }
    for (int i = 0; i < place->footprint.count; i++) {
        bool ground = stance->contacts[i].kind != LF_HIT_NONE;
        output_char(out, ' ');
        output_text(out, ground ? "ground" : lf_reason_name(stance->contacts[i].reason));
    }
    answer_tail(out, NULL, (columns){0}, asked);
}

static void write_contact(const place_run *place, const row *asked, json *document, const lf_stance *stance,
                          int contact) {
    const lf_hit *hit = &stance->contacts[contact];
    json_put_object(document, NULL);
    json_put_truth(document, "ground", hit->kind != LF_HIT_NONE);
    if (hit->kind == LF_HIT_NONE) {
        json_put_text(document, "reason", lf_reason_name(hit->reason));
    } else {
        json_put_vector(document, "point", point_as_asked(place, asked, hit->point));
        json_put_integer(document, "polygon", hit->element);
        if (stance->stands)
            json_put_number(document, "gap", stance->gaps[contact]);
    }
    json_close(document);
}

static void write_json(const place_run *place, const row *asked, const lf_stance *stance) {
    json document = json_start(&place->run->out, false);
    json_put_object(&document, NULL);
    json_put_numbers(&document, "at", asked->numbers, asked->count);
    json_put_truth(&document, "stands", stance->stands);
    if (stance->stands) {
        const coordinates *c = &place->coordinates;
        json_put_vector(&document, "position", point_as_asked(place, asked, stance->position));
        json_put_vector(&document, "normal", coordinates_normal(c, stance->position, stance->normal));
        json_put_vector(&document, "forward", coordinates_normal(c, stance->position, stance->forward));
        json_put_number(&document, "pitch", stance->pitch / DEGREE);
        json_put_number(&document, "roll", stance->roll / DEGREE);
    }
    json_put_array(&document, "contacts");
    for (int i = 0; i < place->footprint.count; i++)
        write_contact(place, asked, &document, stance, i);
    json_close(&document);
    answer_json_rest(&document, asked);
    json_close(&document);
    json_end(&document);
}

// ---------------------------------------------------------------------------------------------------
// Asking
// ---------------------------------------------------------------------------------------------------

/// Where a heading in degrees points at a place, clockwise from north seen from above.
static lf_vec3 direction_of(const lf_frame *frame, lf_vec3 point, double heading) {
    if (isinf(point.z))
        point.z = 0;
    lf_vec3 north = lf_frame_north(frame, point);
    lf_vec3 east = lf_vec3_cross(lf_frame_down(frame, point), north);
    // A quarter turn is exact only when it is not left to the cosine of a rounded number.
    double turn = remainder(heading, 360);
    double s = fabs(turn) == 180 ? 0 : sin(turn * DEGREE), c = fabs(turn) == 90 ? 0 : cos(turn * DEGREE);
    return lf_vec3_along(lf_vec3_scale(north, c), s, east);
}

static bool answer(void *user, const row *rows, int64_t count) {
    place_run *place = user;
    lf_frame frame = lf_ground_frame(place->ground.ground);
    for (int64_t i = 0; i < count; i++) {
        lf_vec3 point =
            coordinates_point(&place->coordinates, &place->ground, rows[i].numbers, rows[i].count);
        lf_stance stance;
        lf_status status = lf_ground_stand(place->ground.ground, &place->footprint, point,
                                           direction_of(&frame, point, place->heading), &stance, NULL);
        if (status != LF_OK) {
            message_error("there is no down at %g,%g,%g", rows[i].numbers[0], rows[i].numbers[1],
                          rows[i].count > 2 ? rows[i].numbers[2] : LF_INFINITY);
            return false;
        }
        place->missed |= stance.grounded < place->footprint.count;
        if (place->run->json)
            write_json(place, &rows[i], &stance);
        else
            write_line(place, &rows[i], &stance);
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------
// The question
// ---------------------------------------------------------------------------------------------------

static bool read_wheels(place_run *place, const char *text) {
    row read;
    if (!row_from_option("wheels", text, (row_shape){2, 2, "BASE,TRACK"}, &read))
        return false;
    if (!(read.numbers[0] > 0 && read.numbers[1] > 0)) {
        message_error("--wheels %s: both have to be more than 0", text);
        return false;
    }
    place->footprint = lf_footprint_wheels(read.numbers[0], read.numbers[1]);
    return true;
}

static bool read_contacts(place_run *place) {
    int count = options_count(&place->run->given, "contact");
    if (count != 3 && count != 4) {
        message_usage("--wheels BASE,TRACK is wanted, or --contact three or four times");
        return false;
    }
    row *rows = answer_rows(place->run, "contact", (row_shape){2, 2, "FORWARD,LEFT"});
    if (!rows)
        return false;
    place->footprint = lf_footprint_wheels(1, 1);
    place->footprint.count = count;
    lf_vec2 *c = place->footprint.contacts;
    for (int i = 0; i < count; i++)
        c[i] = (lf_vec2){rows[i].numbers[0], rows[i].numbers[1]};
    free(rows);
    for (int i = 2; i < count; i++)
        for (int k = 1; k < i; k++)
            for (int j = 0; j < k; j++)
                if (lf_orient2d(c[j], c[k], c[i]) == 0) {
                    message_error("contacts %d, %d and %d are on one line", j + 1, k + 1, i + 1);
                    return false;
                }
    return true;
}

/// Check everything that needs no ground, before the ground is loaded.
static bool read_question(place_run *place, bool *from_input) {
    const options *given = &place->run->given;
    const char *wheels = options_value(given, "wheels");
    bool framed = ground_framed(given);
    place->shape = framed ? (row_shape){3, 3, "X,Y,Z"} : (row_shape){2, 3, "X,Y[,Z]"};
    if (wheels && options_has(given, "contact")) {
        message_usage("--wheels or --contact, not both");
        return false;
    }
    if (!answer_source(place->run, "at", from_input) || !answer_digits(place->run) ||
        !(wheels ? read_wheels(place, wheels) : read_contacts(place)))
        return false;
    int64_t passes = 1;
    if (!options_number(given, "heading", &place->heading) ||
        !options_number(given, "reach", &place->footprint.reach) ||
        !options_integer(given, "passes", 1, 16, &passes))
        return false;
    if (place->footprint.reach < 0) {
        message_error("--reach %s: 0 or more is wanted", options_value(given, "reach"));
        return false;
    }
    place->footprint.passes = (int)passes;
    place->footprint.rule = options_has(given, "rest") ? LF_STAND_REST : LF_STAND_FIT;
    return true;
}

int command_place(cli *run) {
    place_run place = {.run = run};
    bool from_input;
    if (!read_question(&place, &from_input))
        return CLI_ERROR;
    row *rows = answer_rows(run, "at", place.shape);
    int status = CLI_ERROR;
    if (rows && ground_load(run, &place.ground) &&
        ground_needs_metres(run, &place.ground, "standing on wheels") &&
        coordinates_start(run, &place.ground, &place.coordinates)) {
        if (from_input)
            status = answer_standard_input(run, place.shape, answer, &place);
        else if (answer(&place, rows, options_count(&run->given, "at")))
            status = place.missed ? CLI_NO : CLI_YES;
    }
    coordinates_end(&place.coordinates);
    ground_free(&place.ground);
    free(rows);
    return status;
}
