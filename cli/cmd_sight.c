#include "answers.h"
#include "coordinates.h"
#include "globe.h"
#include "profile.h"
#include "sheet.h"
#include "sight_path.h"
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define MESH_STEPS 1000 // of a profile where nothing says where the surface breaks

/// A pair as it is asked: its ends, or why one of them is nowhere.
typedef struct pair {
    lf_reason reason;
    lf_vec2 nowhere; ///< of the end without ground, as it was given
} pair;

/// What one run of `landfall sight` knows.
typedef struct sight_run {
    cli *run;
    loaded ground;
    coordinates coordinates;
    lf_sight_rules rules;
    double heights[2]; ///< of ends that have none of their own
    bool datum, detail, flat_rows;
    lf_vec3 *a, *b;
    pair *pairs;
    lf_sight *sights;
    int64_t room;
    bool hidden; ///< some pair is not clear
} sight_run;

// ---------------------------------------------------------------------------------------------------
// Writing
// ---------------------------------------------------------------------------------------------------

static void put_decided(output *out, const char *word, double value, double at) {
    output_char(out, ' ');
    output_text(out, word);
    output_char(out, ' ');
    put_maybe(out, value);
    output_char(out, ' ');
    put_maybe(out, isfinite(value) ? at : LF_NAN);
}

static void put_place(const sight_run *sight, const row *asked, const lf_sight *found, bool with_z) {
    output *out = &sight->run->out;
    lf_vec3 point = coordinates_out(&sight->coordinates, found->point, asked->numbers[0]);
    output_number(out, point.x);
    output_char(out, ' ');
    output_number(out, point.y);
    if (with_z) {
        output_char(out, ' ');
        output_number(out, point.z);
    }
}

static void put_verdict(const sight_run *sight, const row *asked, const lf_sight *found) {
    output *out = &sight->run->out;
    output_text(out, lf_verdict_name(found->verdict));
    output_text(out, found->verdict == LF_VERDICT_UNKNOWN ? " hole " : " ");
    if (found->verdict == LF_VERDICT_CLEAR)
        put_maybe(out, found->clearance);
    else
        put_place(sight, asked, found, found->verdict == LF_VERDICT_BLOCKED);
    sight_rules_put(out, &sight->rules);
    if (!sight->detail)
        return;
    put_decided(out, "clearance", found->clearance, found->clearance_t * found->length);
    put_decided(out, "raise", found->raise, found->raise_t * found->length);
    if (sight->rules.frequency_mhz > 0)
        put_decided(out, "fresnel", found->fresnel, found->fresnel_t * found->length);
}

static void write_line(const sight_run *sight, const row *asked, int64_t i) {
    output *out = &sight->run->out;
    const pair *pair = &sight->pairs[i];
    if (pair->reason == LF_REASON_ANSWERED) {
        put_verdict(sight, asked, &sight->sights[i]);
    } else {
        output_text(out, "unknown ");
        output_text(out, lf_reason_name(pair->reason));
        output_char(out, ' ');
        output_number(out, pair->nowhere.x);
        output_char(out, ' ');
        output_number(out, pair->nowhere.y);
        sight_rules_put(out, &sight->rules);
    }
    answer_tail(out, NULL, (columns){0}, asked);
}

static void put_detail(json *document, const lf_sight *found, bool zone) {
    json_put_number(document, "length", found->length);
    json_put_maybe(document, "clearance", found->clearance);
    json_put_maybe(document, "clearance_at", found->clearance_t * found->length);
    json_put_maybe(document, "raise", found->raise);
    json_put_maybe(document, "raise_at", found->raise_t * found->length);
    if (zone) {
        json_put_maybe(document, "fresnel", found->fresnel);
        json_put_maybe(document, "fresnel_at", found->fresnel_t * found->length);
    }
}

static void write_json(const sight_run *sight, const row *asked, int64_t i) {
    const lf_sight *found = &sight->sights[i];
    const pair *pair = &sight->pairs[i];
    json document = json_start(&sight->run->out, false);
    int half = asked->count / 2;
    json_put_object(&document, NULL);
    json_put_numbers(&document, "from", asked->numbers, half);
    json_put_numbers(&document, "to", asked->numbers + half, half);
    if (pair->reason != LF_REASON_ANSWERED) {
        json_put_text(&document, "verdict", "unknown");
        json_put_text(&document, "reason", lf_reason_name(pair->reason));
    } else {
        json_put_text(&document, "verdict", lf_verdict_name(found->verdict));
        if (found->verdict == LF_VERDICT_UNKNOWN)
            json_put_text(&document, "reason", "hole");
        if (found->verdict != LF_VERDICT_CLEAR) {
            json_put_vector(&document, "point",
                            coordinates_out(&sight->coordinates, found->point, asked->numbers[0]));
            json_put_number(&document, "distance", found->t * found->length);
        }
        put_detail(&document, found, sight->rules.frequency_mhz > 0);
    }
    sight_rules_put_json(&document, &sight->rules);
    answer_json_rest(&document, asked);
    json_close(&document);
    json_end(&document);
}

// ---------------------------------------------------------------------------------------------------
// Asking
// ---------------------------------------------------------------------------------------------------

static bool reserve(sight_run *sight, int64_t count) {
    if (count <= sight->room)
        return true;
    size_t room = (size_t)count;
    free(sight->a);
    free(sight->b);
    free(sight->pairs);
    free(sight->sights);
    sight->a = malloc(room * sizeof(lf_vec3));
    sight->b = malloc(room * sizeof(lf_vec3));
    sight->pairs = malloc(room * sizeof(pair));
    sight->sights = malloc(room * sizeof(lf_sight));
    sight->room = sight->a && sight->b && sight->pairs && sight->sights ? count : 0;
    return sight->room > 0;
}

/// The same on a globe; at is longitude and latitude.
static lf_status stand_on_globe(const sight_run *sight, lf_vec2 at, double height, lf_vec3 *end,
                                lf_reason *reason) {
    lf_globe_elevation ground = {.reason = LF_REASON_ANSWERED, .height = 0};
    lf_status status =
        sight->datum ? LF_OK : lf_globe_height_finest(sight->ground.globe, at.x, at.y, &ground);
    *reason = ground.reason;
    if (status == LF_OK && ground.reason == LF_REASON_ANSWERED)
        *end = lf_ellipsoid_to_centred(&sight->coordinates.ellipsoid,
                                       (lf_geodetic){at.x, at.y, ground.height + height});
    return status;
}

/// Where an end is: on the ground and so much higher, or above datum.
static lf_status stand(const sight_run *sight, lf_vec3 *end, double height, lf_reason *reason) {
    lf_vec2 at = {end->x, end->y};
    *reason = LF_REASON_OUTSIDE;
    if (isnan(at.x) || isnan(at.y))
        return LF_OK;
    if (sight->ground.globe) {
        lf_geodetic place = lf_ellipsoid_to_geodetic(&sight->coordinates.ellipsoid, *end);
        at = (lf_vec2){place.lon_deg, place.lat_deg};
        return stand_on_globe(sight, at, height, end, reason);
    }
    *reason = LF_REASON_ANSWERED;
    end->z = height;
    return sight->datum ? LF_OK : lf_sight_observer(sight->ground.ground, at, height, end, reason);
}

static lf_status find_ends(sight_run *sight, const row *asked, int64_t i) {
    int half = asked->count / 2;
    const double *n = asked->numbers;
    lf_vec3 ends[2] = {{n[0], n[1], 0}, {n[half], n[half + 1], 0}};
    pair *pair = &sight->pairs[i];
    lf_status status = LF_OK;
    coordinates_in(&sight->coordinates, ends, 2, 2);
    pair->reason = LF_REASON_ANSWERED;
    for (int k = 0; k < 2 && status == LF_OK && pair->reason == LF_REASON_ANSWERED; k++) {
        double height = half > 2 ? n[k * half + 2] : sight->heights[k];
        pair->nowhere = (lf_vec2){n[k * half], n[k * half + 1]};
        status = stand(sight, &ends[k], height, &pair->reason);
    }
    lf_vec3 zero = {0, 0, 0}; // an answer that nobody looks at
    sight->a[i] = pair->reason == LF_REASON_ANSWERED ? ends[0] : zero;
    sight->b[i] = pair->reason == LF_REASON_ANSWERED ? ends[1] : zero;
    return status;
}

/// On a globe a line is straight in space, but for what the air bends.
static lf_status ask_globe(const sight_run *sight, int64_t i) {
    lf_globe_sight found = {.clear = true};
    lf_status status = sight->pairs[i].reason != LF_REASON_ANSWERED
                           ? LF_OK
                           : lf_globe_sight_finest(sight->ground.globe, sight->a[i], sight->b[i],
                                                   1 - sight->rules.curvature.coefficient, &found, NULL);
    sight->sights[i] = (lf_sight){.verdict = found.clear ? LF_VERDICT_CLEAR : LF_VERDICT_BLOCKED,
                                  .t = found.t,
                                  .point = found.point,
                                  .length = found.length,
                                  .clearance = LF_NAN,
                                  .clearance_t = LF_NAN,
                                  .raise = LF_NAN,
                                  .raise_t = LF_NAN,
                                  .fresnel = LF_NAN};
    return status;
}

static lf_status ask_all(const sight_run *sight, int64_t count) {
    lf_status status = LF_OK;
    if (!sight->ground.globe)
        return lf_sight_many(sight->ground.ground, &sight->rules, sight->a, 0, sight->b, 0, count,
                             sight->sights, 0, &sight->run->tasks);
    for (int64_t i = 0; i < count && status == LF_OK; i++)
        status = ask_globe(sight, i);
    return status;
}

static bool ask(sight_run *sight, const row *rows, int64_t count) {
    lf_status status = reserve(sight, count) ? LF_OK : LF_NO_MEMORY;
    for (int64_t i = 0; i < count && status == LF_OK; i++)
        status = find_ends(sight, &rows[i], i);
    if (status == LF_OK)
        status = ask_all(sight, count);
    if (status != LF_OK)
        message_status(status, NULL);
    return status == LF_OK;
}

static void write_answers(sight_run *sight, const row *rows, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        sight->hidden |=
            sight->pairs[i].reason != LF_REASON_ANSWERED || sight->sights[i].verdict != LF_VERDICT_CLEAR;
        if (sight->run->json)
            write_json(sight, &rows[i], i);
        else
            write_line(sight, &rows[i], i);
    }
}

static bool answer(sight_run *sight, const row *rows, int64_t count) {
    bool fine = ask(sight, rows, count);
    if (fine)
        write_answers(sight, rows, count);
    return fine;
}

/// Above datum an end without a height of its own needs --eye or --target.
static bool needs_height(const sight_run *sight, int end) {
    return sight->datum && !options_has(&sight->run->given, end == 0 ? "eye" : "target");
}

/// Three numbers for one point and two for the other are none that can be told apart.
static void refuse_odd_rows(const sight_run *sight, row_reader *reader) {
    for (int64_t i = 0; i < reader->count; i++) {
        int count = reader->rows[i].count;
        if (count == 5)
            row_reader_refuse(reader, &reader->rows[i], "5 numbers: X,Y,X,Y or X,Y,H,X,Y,H is wanted");
        else if (count == 4 && (needs_height(sight, 0) || needs_height(sight, 1)))
            row_reader_refuse(reader, &reader->rows[i],
                              "with --datum: expected X,Y,H,X,Y,H, or --eye and --target");
    }
}

static int answer_input(sight_run *sight) {
    row_shape shape = sight->flat_rows ? (row_shape){4, 4, "X,Y,X,Y"} : (row_shape){4, 6, "X,Y[,H],X,Y[,H]"};
    row_reader reader;
    bool fine = row_reader_open(&reader, STDIN_FILENO, shape);
    if (!fine)
        message_error("out of memory");
    while (fine && row_reader_next(&reader)) {
        refuse_odd_rows(sight, &reader);
        fine = (reader.count == 0 || answer(sight, reader.rows, reader.count)) &&
               output_flush(&sight->run->out) && answer_progress(sight->run, &reader);
    }
    fine = fine && row_reader_complain(&reader);
    row_reader_close(&reader);
    return fine ? CLI_YES : CLI_ERROR;
}

// ---------------------------------------------------------------------------------------------------
// The profile
// ---------------------------------------------------------------------------------------------------

static lf_status ask_profile(const sight_run *sight, int64_t steps, lf_profile_point **posts, int64_t *count) {
    int64_t room = 0;
    *posts = NULL;
    lf_status status = LF_PARTIAL;
    // The first round only counts.
    for (int round = 0; round < 2 && status == LF_PARTIAL; round++) {
        free(*posts);
        *posts = calloc((size_t)room + 1, sizeof(lf_profile_point));
        if (!*posts)
            return LF_NO_MEMORY;
        status = lf_sight_profile(sight->ground.ground, &sight->rules, sight->a[0], sight->b[0], steps,
                                  *posts, room + 1, count);
        room = *count;
    }
    return status;
}

static bool write_profile(const sight_run *sight, const char *path) {
    int64_t steps = sight->ground.grid ? 0 : MESH_STEPS;
    lf_profile_point *posts = NULL;
    profile profile = {.a = sight->a[0],
                       .b = sight->b[0],
                       .placed = true,
                       .sight = &sight->sights[0],
                       .rules = &sight->rules};
    if (!options_integer(&sight->run->given, "steps", 1, 100000000, &steps))
        return false;
    if (sight->pairs[0].reason != LF_REASON_ANSWERED) {
        message_error("--profile %s: one of the points has no ground", path);
        return false;
    }
    lf_status status = ask_profile(sight, steps, &posts, &profile.count);
    profile.posts = posts;
    bool fine = status == LF_OK && profile_write(sight->run, &profile, path);
    if (status != LF_OK)
        message_status(status, NULL);
    free(posts);
    return fine;
}

// ---------------------------------------------------------------------------------------------------
// The question
// ---------------------------------------------------------------------------------------------------

/// --from and --to as one row of four or six numbers.
static bool row_of_options(const sight_run *sight, row *asked) {
    const options *given = &sight->run->given;
    static const char *const names[] = {"from", "to"};
    *asked = (row){.count = 6};
    for (int k = 0; k < 2; k++) {
        const char *text = options_value(given, names[k]);
        bool needed = needs_height(sight, k);
        row_shape shape = {needed ? 3 : 2, 3, needed ? "X,Y,H" : "X,Y[,H]"};
        row read;
        if (!text) {
            message_usage("--%s needs --%s", names[1 - k], names[k]);
            return false;
        }
        if (!row_from_option(names[k], text, shape, &read))
            return false;
        asked->numbers[3 * k] = read.numbers[0];
        asked->numbers[3 * k + 1] = read.numbers[1];
        asked->numbers[3 * k + 2] = read.count > 2 ? read.numbers[2] : sight->heights[k];
    }
    return true;
}

/// Check everything that needs no ground, before the ground is loaded.
static bool read_question(sight_run *sight, bool *from_input, row *asked) {
    cli *run = sight->run;
    const options *given = &run->given;
    const char *path = options_value(given, "profile");
    sight->heights[0] = 2;
    sight->datum = options_has(given, "datum");
    sight->detail = options_has(given, "detail");
    sight->flat_rows = options_has(given, "xy");
    if (!answer_digits(run) || !sight_rules_read(run, &sight->rules) ||
        !options_number(given, "eye", &sight->heights[0]) ||
        !options_number(given, "target", &sight->heights[1]) || (path && !sheet_can_write("--profile", path)))
        return false;
    sight->rules.detail = true;
    if (options_has(given, "posts") || options_has(given, "km")) {
        message_usage("--%s is for --path", options_has(given, "posts") ? "posts" : "km");
        return false;
    }
    if (sight->flat_rows && (needs_height(sight, 0) || needs_height(sight, 1))) {
        message_usage("--xy leaves no heights, and --datum needs them, or --eye and --target");
        return false;
    }
    bool one = options_has(given, "to");
    if (!answer_source(run, one ? "to" : "from", from_input))
        return false;
    if (*from_input && path) {
        message_usage("--profile needs --from and --to");
        return false;
    }
    return *from_input || row_of_options(sight, asked);
}

static int answer_options(sight_run *sight, const row *asked) {
    const char *path = options_value(&sight->run->given, "profile");
    if (!ask(sight, asked, 1) || (path && !write_profile(sight, path)))
        return CLI_ERROR;
    write_answers(sight, asked, 1);
    return sight->hidden ? CLI_NO : CLI_YES;
}

/// Of a line over a globe only whether it is clear is known, and where it breaks; holes are air.
static bool can_ask(const sight_run *sight) {
    static const char *const none[] = {"detail", "profile", "steps", "freq", "radius", "holes"};
    static const char *const why[] = {"only whether a line is clear is known, and where it is not",
                                      "landfall height tells the ground under a line, place by place",
                                      "they are those of a profile",
                                      "only whether a line is clear is known",
                                      "it has an ellipsoid of its own",
                                      "a hole there is air"};
    for (size_t k = 0; k < sizeof none / sizeof *none; k++)
        if (globe_refuses(sight->run, &sight->ground, none[k], why[k]))
            return false;
    double c = sight->rules.curvature.coefficient;
    if (sight->ground.globe && !isnan(c) && !(c >= 0 && c <= 2)) {
        message_error("--cc: on a globe 0 to 2 it has to be, and %g is not", c);
        return false;
    }
    return true;
}

static int ask_ground(cli *run) {
    sight_run sight = {.run = run};
    row asked;
    bool from_input;
    int status = CLI_ERROR;
    if (!read_question(&sight, &from_input, &asked) || !ground_load(run, &sight.ground))
        return CLI_ERROR;
    if (can_ask(&sight) && coordinates_start(run, &sight.ground, &sight.coordinates)) {
        sight_rules_settle(&sight.ground, &sight.rules);
        status = from_input ? answer_input(&sight) : answer_options(&sight, &asked);
    }
    free(sight.sights);
    free(sight.pairs);
    free(sight.b);
    free(sight.a);
    coordinates_end(&sight.coordinates);
    ground_free(&sight.ground);
    return status;
}

int command_sight(cli *run) {
    if (options_has(&run->given, "path"))
        return sight_path(run);
    if (run->given.argument_count == 0)
        return message_usage("GROUND is missing");
    return ask_ground(run);
}
