#include "globe_ask.h"
#include "answers.h"
#include "globe.h"
#include <stdlib.h>
#include <string.h>

/// An open globe, and what was asked so far.
typedef struct asking {
    cli *run;
    globe_loaded source;
    lf_globe *globe;
    lf_ellipsoid ellipsoid;
    bool missed;
} asking;

static bool start(asking *a) {
    if (!globe_load(a->run, &a->source))
        return false;
    a->globe = a->source.globe;
    a->ellipsoid = lf_globe_describe(a->globe).ellipsoid;
    return true;
}

static bool place_valid(const double *numbers) {
    return isfinite(numbers[0]) && fabs(numbers[1]) <= 90;
}

static lf_vec3 position(const asking *a, const double *n) {
    return lf_ellipsoid_to_centred(&a->ellipsoid, (lf_place){n[0], n[1], n[2]});
}

static void write_place(output *out, lf_place place) {
    output_vector(out, (lf_vec3){place.lon_deg, place.lat_deg, place.height}, ' ');
}

// ---------------------------------------------------------------------------------------------------
// Heights
// ---------------------------------------------------------------------------------------------------

static void write_ground(asking *a, const row *asked, const lf_globe_ground *ground) {
    output *out = &a->run->out;
    bool found = ground->reason == LF_REASON_ANSWERED;
    a->missed |= !found;
    if (a->run->json) {
        json document = json_start(out, false);
        json_put_object(&document, NULL);
        json_put_numbers(&document, "at", asked->numbers, 2);
        json_put_text(&document, "reason", lf_reason_word(ground->reason));
        if (found) {
            json_put_number(&document, "height", ground->height);
            json_put_number(&document, "highest_post", ground->highest);
            json_put_integer(&document, "level", ground->tile.level);
            json_put_integer(&document, "column", ground->tile.column);
            json_put_integer(&document, "row", ground->tile.row);
            json_put_number(&document, "resolution", ground->resolution);
        }
        answer_json_rest(&document, asked);
        json_close(&document);
        json_end(&document);
        return;
    }
    output_number(out, asked->numbers[0]);
    output_char(out, ' ');
    output_number(out, asked->numbers[1]);
    output_char(out, ' ');
    if (found) {
        output_number(out, ground->height);
    } else {
        output_text(out, "- ");
        output_text(out, lf_reason_word(ground->reason));
    }
    answer_tail(out, &(lf_hit){0}, (columns){0}, asked);
}

static bool answer_heights(void *user, const row *rows, int64_t count) {
    asking *a = user;
    for (int64_t i = 0; i < count; i++) {
        lf_globe_ground ground;
        if (!place_valid(rows[i].numbers)) {
            message_error("a latitude is beyond 90 degrees");
            return false;
        }
        lf_status status = lf_globe_height_finest(a->globe, rows[i].numbers[0], rows[i].numbers[1], &ground);
        if (status != LF_OK) {
            message_status(status, NULL);
            return false;
        }
        write_ground(a, &rows[i], &ground);
    }
    return true;
}

int globe_height(cli *run) {
    static const row_shape shape = {2, 2, "LON,LAT"};
    asking a = {.run = run};
    bool from_input;
    int status = CLI_ERROR;
    if (!answer_source(run, "at", &from_input) || !answer_digits(run))
        return CLI_ERROR;
    row *rows = answer_rows(run, "at", shape);
    if (rows && start(&a)) {
        if (from_input)
            status = answer_standard_input(run, shape, answer_heights, &a);
        else if (answer_heights(&a, rows, options_count(&run->given, "at")))
            status = a.missed ? CLI_NO : CLI_YES;
    }
    globe_free(&a.source);
    free(rows);
    return status;
}

// ---------------------------------------------------------------------------------------------------
// Rays and sight
// ---------------------------------------------------------------------------------------------------

static bool answer_rays(void *user, const row *rows, int64_t count) {
    asking *a = user;
    output *out = &a->run->out;
    for (int64_t i = 0; i < count; i++) {
        const double *n = rows[i].numbers;
        lf_ray ray = lf_ray_between(position(a, n), position(a, n + 3));
        lf_hit hit;
        lf_status status = place_valid(n) && place_valid(n + 3)
                               ? lf_globe_ray_finest(a->globe, &ray, 0, &hit, NULL)
                               : LF_BAD_ARGUMENT;
        if (status != LF_OK) {
            message_error("no ray: both ends are LON,LAT,HEIGHT, and not the same");
            return false;
        }
        a->missed |= hit.kind == LF_HIT_NONE;
        if (hit.kind == LF_HIT_NONE) {
            output_text(out, "miss");
        } else {
            output_text(out, "hit ");
            output_number(out, hit.t);
            output_char(out, ' ');
            write_place(out, lf_ellipsoid_to_place(&a->ellipsoid, hit.point));
        }
        answer_tail(out, &hit, (columns){0}, &rows[i]);
    }
    return true;
}

/// Two ends from options as one row.
static bool ends_of(const cli *run, row_shape shape, row *asked) {
    row second;
    const char *to = options_value(&run->given, "to");
    if (!to) {
        message_usage("--from needs --to: on a globe a line has two ends");
        return false;
    }
    if (!row_from_option("from", options_value(&run->given, "from"), shape, asked) ||
        !row_from_option("to", to, shape, &second))
        return false;
    for (int k = 0; k < 3; k++) {
        asked->numbers[k] = k < asked->count ? asked->numbers[k] : LF_NAN;
        asked->numbers[3 + k] = k < second.count ? second.numbers[k] : LF_NAN;
    }
    asked->count = 6;
    return true;
}

int globe_ray(cli *run) {
    static const row_shape end = {3, 3, "LON,LAT,HEIGHT"};
    static const row_shape both = {6, 6, "LON,LAT,HEIGHT,LON,LAT,HEIGHT"};
    asking a = {.run = run};
    row asked = {.rest_length = 0};
    bool from_input;
    int status = CLI_ERROR;
    if (!answer_digits(run) || !answer_source(run, "from", &from_input) ||
        (!from_input && !ends_of(run, end, &asked)) || !start(&a))
        return CLI_ERROR;
    if (from_input)
        status = answer_standard_input(run, both, answer_rays, &a);
    else if (answer_rays(&a, &asked, 1))
        status = a.missed ? CLI_NO : CLI_YES;
    globe_free(&a.source);
    return status;
}

/// An end of a sight line: so much above the ground there. false: there is none.
static bool stand(asking *a, const double *n, double usual, lf_vec3 *end) {
    lf_globe_ground ground;
    if (lf_globe_height_finest(a->globe, n[0], n[1], &ground) != LF_OK || ground.reason != LF_REASON_ANSWERED)
        return false;
    double above = isnan(n[2]) ? usual : n[2];
    *end = lf_ellipsoid_to_centred(&a->ellipsoid, (lf_place){n[0], n[1], ground.height + above});
    return true;
}

int globe_sight(cli *run) {
    static const row_shape end = {2, 3, "LON,LAT[,H]"};
    asking a = {.run = run};
    row asked = {.rest_length = 0};
    double eye = 2, target = 0, refraction = 0;
    lf_vec3 from, to;
    lf_globe_sight found;
    if (!options_has(&run->given, "from"))
        return message_usage("on a globe --from and --to are needed");
    if (!answer_digits(run) || !options_number(&run->given, "eye", &eye) ||
        !options_number(&run->given, "target", &target) || !ends_of(run, end, &asked) || !start(&a))
        return CLI_ERROR;
    double cc = 1;
    int status = CLI_ERROR;
    if (!options_number(&run->given, "cc", &cc) || !(fabs(1 - cc) <= 1)) {
        message_error("--cc: on a globe 0 .. 2, and 1 (no air) by default");
    } else if (!place_valid(asked.numbers) || !place_valid(asked.numbers + 3)) {
        message_error("a latitude is beyond 90 degrees");
    } else if (!stand(&a, asked.numbers, eye, &from) || !stand(&a, asked.numbers + 3, target, &to)) {
        message_error("there is no ground to stand on");
        status = CLI_NO;
    } else {
        refraction = 1 - cc;
        if (lf_globe_sight_finest(a.globe, from, to, refraction, &found, NULL) == LF_OK) {
            output_text(&run->out, found.clear ? "clear " : "blocked ");
            output_number(&run->out, found.length);
            if (!found.clear) {
                output_char(&run->out, ' ');
                write_place(&run->out, lf_ellipsoid_to_place(&a.ellipsoid, found.point));
            }
            output_char(&run->out, '\n');
            status = found.clear ? CLI_YES : CLI_NO;
        }
    }
    globe_free(&a.source);
    return status;
}
