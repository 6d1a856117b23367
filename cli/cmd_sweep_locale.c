/// `landfall sweep` and `landfall locale`: the first contact of a sphere or box that moves, and which named volumes hold a point.
#include "commands.h"
#include "ground.h"
#include "questions.h"
#include "reach.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

bool pose_at(const cli *run, lf_vec3 position, lf_pose *pose) {
    const options *given = &run->given;
    // At the north pole and this longitude, east and north are x and y, to the last bit.
    lf_geodetic place = {-90, 90, 0};
    lf_ellipsoid ellipsoid = run->coordinates.ellipsoid;
    if (run->coordinates.centred)
        place = lf_ellipsoid_to_geodetic(&ellipsoid, position);
    else
        ellipsoid = lf_ellipsoid_wgs84();
    lf_status status =
        lf_ellipsoid_pose(&ellipsoid, place, options_number(given, "heading", 0),
                          options_number(given, "pitch", 0), options_number(given, "roll", 0), pose);
    pose->translation = position;
    return status == LF_OK;
}

// ---- Sweeps -------------------------------------------------------------------------------------

enum { HIT = 1, MISS = 2, CELL = 4, POLYGON = 8, WORLD = 16, NORMAL = 32 };

typedef struct sweep_answer {
    unsigned has;
    number_span from, to;
    bool hit;
    lf_vec3 position; ///< of the body's centre at the contact
    lf_hit met;
    byte_span rest;
} sweep_answer;

#define SWEEP(name, type, member, unit, forms, when) \
    { name, type, offsetof(sweep_answer, member), unit, forms, when }

const field sweep_fields[] = {SWEEP("from", FIELD_NUMBERS, from, "m", IN_JSON, 0),
                              SWEEP("to", FIELD_NUMBERS, to, "m", IN_JSON, 0),
                              SWEEP("hit", FIELD_TRUTH, hit, NULL, IN_JSON, 0),
                              SWEEP("miss", FIELD_NAME, hit, NULL, IN_TEXT, MISS),
                              SWEEP("hit", FIELD_NAME, hit, NULL, IN_TEXT, HIT),
                              SWEEP("t", FIELD_NUMBER, met.t, NULL, 0, HIT),
                              SWEEP("position", FIELD_VECTOR, position, "m", 0, HIT),
                              SWEEP("point", FIELD_VECTOR, met.point, "m", LABELLED, HIT),
                              SWEEP("normal", FIELD_VECTOR, met.normal, NULL, IN_JSON, HIT),
                              SWEEP("normal", FIELD_VECTOR, met.normal, NULL, IN_TEXT, HIT | NORMAL),
                              SWEEP("cell", FIELD_INTEGER, met.element, NULL, IN_JSON, CELL),
                              SWEEP("polygon", FIELD_INTEGER, met.element, NULL, IN_JSON, POLYGON),
                              SWEEP("part", FIELD_INTEGER, met.part, NULL, IN_JSON, HIT | WORLD),
                              SWEEP("user", FIELD_INTEGER, met.user, NULL, IN_JSON, HIT | WORLD),
                              SWEEP("rest", FIELD_BYTES, rest, NULL, 0, 0),
                              {NULL}};

typedef struct sweep_run {
    cli *run;
    lf_vec3 half;
    double radius, tolerance;
    bool missed;
} sweep_run;

/// The sweep of a row; the reason where it has no place.
static const char *sweep_of(const sweep_run *sweep, const row *asked, lf_sweep *made) {
    const double *n = asked->numbers;
    lf_vec3 ends[2] = {{n[0], n[1], n[2]}, {n[3], n[4], n[5]}};
    const coordinates *c = &sweep->run->coordinates;
    coordinates_in(c, ends, 2, 2);
    if (isnan(ends[0].x) || isnan(ends[1].x))
        return c->centred ? "a latitude is beyond 90 degrees" : "outside the CRS of the ground";
    *made = lf_sweep_sphere(ends[0], sweep->radius, lf_vec3_sub(ends[1], ends[0]));
    made->tolerance = sweep->tolerance;
    made->half = sweep->half;
    if (!pose_at(sweep->run, ends[0], &made->pose))
        return "has no place on the ground";
    return lf_vec3_finite(made->motion) ? NULL : "the ends are too far apart";
}

static void write_sweep(sweep_run *sweep, const row *asked, const lf_sweep *swept, const lf_hit *met) {
    const cli *run = sweep->run;
    bool hit = met->kind != LF_HIT_NONE;
    sweep_answer answer = {.has = (hit ? HIT : MISS) | (ground_is_world(&run->ground) ? WORLD : 0) |
                                  (options_has(&run->given, "normal") ? NORMAL : 0),
                           .from = {asked->numbers, 3},
                           .to = {asked->numbers + 3, 3},
                           .hit = hit,
                           .met = *met,
                           .rest = {asked->rest, asked->rest_length}};
    sweep->missed |= !hit;
    if (hit) {
        const coordinates *c = &run->coordinates;
        lf_vec3 position = lf_vec3_along(swept->pose.translation, met->t, swept->motion);
        answer.has |= met->kind == LF_HIT_CELL ? CELL : POLYGON;
        answer.position = coordinates_out(c, position, asked->numbers[0]);
        answer.met.normal = coordinates_normal(c, met->point, met->normal);
        answer.met.point = coordinates_out(c, met->point, asked->numbers[0]);
    }
    answer_write(sweep->run, sweep_fields, &answer);
}

static bool answer_sweeps(void *user, row_reader *reader) {
    sweep_run *sweep = user;
    lf_status status = LF_OK;
    for (int64_t i = 0; i < reader->count && status == LF_OK; i++) {
        lf_sweep made;
        lf_hit met;
        const char *fault = sweep_of(sweep, &reader->rows[i], &made);
        if (fault) {
            row_reader_refuse(reader, &reader->rows[i], fault);
            return true;
        }
        status = lf_ground_sweep(sweep->run->ground.ground, &made, &met, NULL);
        if (status == LF_OK)
            write_sweep(sweep, &reader->rows[i], &made, &met);
    }
    return succeeded(status, NULL);
}

/// What is below the way of the body.
static void reach_sweep(reach *reach, void *user) {
    const sweep_run *sweep = user;
    row asked = questions_ends(&reach->run->given, "to");
    lf_sweep made;
    if (sweep_of(sweep, &asked, &made)) // refused later
        return;
    lf_vec3 ends[2] = {made.pose.translation, lf_vec3_add(made.pose.translation, made.motion)};
    reach_points(reach, ends, 2, lf_vec3_length(sweep->half) + sweep->radius + sweep->tolerance);
}

int command_sweep(cli *run) {
    const options *given = &run->given;
    lf_vec3 size = options_vector(given, "box", (lf_vec3){0, 0, 0});
    sweep_run sweep = {.run = run,
                       .half = lf_vec3_scale(size, 0.5),
                       .radius = options_number(given, "sphere", 0),
                       .tolerance = options_number(given, "tolerance", 1e-6)};
    if (options_has(given, "from")) {
        run->reach = reach_sweep;
        run->reach_user = &sweep;
    }
    if (!ground_open(run, 0))
        return CLI_ERROR;
    if (!options_has(given, "from"))
        return questions_from_input(run, (row_shape){6, 6, "X,Y,Z,X,Y,Z"}, answer_sweeps, &sweep);
    row asked = questions_ends(given, "to");
    row_reader reader = {.rows = &asked, .count = 1};
    bool fine = answer_sweeps(&sweep, &reader);
    lf_sweep made;
    if (reader.failed)
        return message_error("--from %s --to %s: %s", options_value(given, "from"),
                             options_value(given, "to"), sweep_of(&sweep, &asked, &made));
    return !fine ? CLI_ERROR : sweep.missed ? CLI_NO : CLI_YES;
}

// ---- Locales ------------------------------------------------------------------------------------

typedef struct locale_answer {
    unsigned has;
    number_span at;
    field_span names;
    byte_span rest;
} locale_answer;

static const field locale_name_fields[] = {{"name", FIELD_TEXT, 0}, {NULL}};

const field locale_fields[] = {
    {"at", FIELD_NUMBERS, offsetof(locale_answer, at), "m"},
    {"-", FIELD_NAME, 0, NULL, IN_TEXT, MISS},
    {"locales", FIELD_LIST, offsetof(locale_answer, names), NULL, IN_JSON, .items = FIELD_TEXT},
    {"locales", FIELD_LIST, offsetof(locale_answer, names), NULL, IN_TEXT, HIT, .fields = locale_name_fields,
     .size = sizeof(const char *)},
    {"rest", FIELD_BYTES, offsetof(locale_answer, rest)},
    {NULL}};

typedef struct crossing_line {
    const char *what;
    bool entering;
    double t;
    lf_vec3 point;
    const char *name;
} crossing_line;

static const field crossing_line_fields[] = {
    {"what", FIELD_TEXT, offsetof(crossing_line, what), NULL, IN_TEXT},
    {"entering", FIELD_TRUTH, offsetof(crossing_line, entering), NULL, IN_JSON},
    {"t", FIELD_NUMBER, offsetof(crossing_line, t)},
    {"point", FIELD_VECTOR, offsetof(crossing_line, point), "m"},
    {"locale", FIELD_TEXT, offsetof(crossing_line, name)},
    {NULL}};

typedef struct crossing_answer {
    number_span from, to;
    field_span crossings;
} crossing_answer;

const field crossing_fields[] = {{"from", FIELD_NUMBERS, offsetof(crossing_answer, from), "m"},
                                 {"to", FIELD_NUMBERS, offsetof(crossing_answer, to), "m"},
                                 {"crossings", FIELD_LIST, offsetof(crossing_answer, crossings),
                                  .fields = crossing_line_fields, .size = sizeof(crossing_line)},
                                 {NULL}};

typedef struct locale_run {
    cli *run;
    loaded *grounds; ///< those after the first, and ceilings; ended by one without ground
    int64_t ground_count;
    lf_locale *list;
    lf_locales *locales;
    int64_t *inside;    ///< numbers of locales
    const char **names; ///< of those
    bool missed;
} locale_run;

/// The name of a locale: that of its file, up to the first dot.
static char *locale_name(const char *path) {
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    size_t start = length;
    while (start > 0 && path[start - 1] != '/')
        start--;
    size_t end = start;
    while (end < length && (path[end] != '.' || end == start))
        end++;
    char *name = allocate(end - start + 1, 1);
    memcpy(name, path + start, end - start);
    return name;
}

/// Load another ground; all are on the same globe, or none.
static const lf_ground *load_another(locale_run *locale, const char *path) {
    cli *run = locale->run;
    loaded *made = &locale->grounds[locale->ground_count];
    if (!ground_load(run, path, run->command->ground, made)) {
        ground_free(made);
        return NULL;
    }
    locale->ground_count++;
    bool globe = run->ground.globe != NULL, degrees = ground_in_degrees(&run->ground);
    if ((made->globe != NULL) == globe && ground_in_degrees(made) == degrees)
        return made->ground;
    message_error("%s: expected ground with coordinates as those of %s: %s", path, run->given.arguments[0],
                  globe     ? "on a globe"
                  : degrees ? "degrees"
                            : "metres of a map");
    return NULL;
}

bool check_ceiling(const char *value, lf_error *why) {
    size_t length = strcspn(value, "=");
    snprintf(why->text, sizeof why->text, "expected NAME=FILE");
    return length > 0 && value[length] == '=' && value[length + 1];
}

static bool load_ceilings(locale_run *locale, int count) {
    const options *given = &locale->run->given;
    for (int i = 0; i < options_count(given, "ceiling"); i++) {
        const char *text = options_nth(given, "ceiling", i), *file = strchr(text, '=') + 1;
        int k = 0;
        while (k < count && (strlen(locale->list[k].name) != (size_t)(file - 1 - text) ||
                             strncmp(locale->list[k].name, text, (size_t)(file - 1 - text)) != 0))
            k++;
        if (k == count)
            return refused("--ceiling %s: no GROUND has that name: names are file names up to the first dot",
                           text);
        if (locale->list[k].ceiling)
            return refused("--ceiling %s: given twice for that name", text);
        if (!(locale->list[k].ceiling = load_another(locale, file)))
            return false;
    }
    return true;
}

static bool load_locales(locale_run *locale) {
    cli *run = locale->run;
    const options *given = &run->given;
    int count = given->argument_count;
    lf_error error = {0};
    locale->grounds = allocate((size_t)(count + options_count(given, "ceiling")), sizeof(loaded));
    locale->list = allocate((size_t)count, sizeof(lf_locale));
    locale->inside = allocate((size_t)count, sizeof(int64_t));
    locale->names = allocate((size_t)count, sizeof(const char *));
    for (int i = 0; i < count; i++) {
        locale->list[i].name = locale_name(given->arguments[i]);
        for (int k = 0; k < i; k++)
            if (strcmp(locale->list[k].name, locale->list[i].name) == 0)
                return refused("%s: has the name %s, as %s has: expected files of different names",
                               given->arguments[i], locale->list[i].name, given->arguments[k]);
    }
    if (!ground_open(run, 0))
        return false;
    locale->list[0].floor = run->ground.ground;
    for (int i = 1; i < count; i++)
        if (!(locale->list[i].floor = load_another(locale, given->arguments[i])))
            return false;
    return load_ceilings(locale, count) &&
           succeeded(lf_locales_create(locale->list, count, &run->host, &locale->locales, &error), &error);
}

static bool answer_locales(void *user, row_reader *reader) {
    locale_run *locale = user;
    cli *run = locale->run;
    for (int64_t i = 0; i < reader->count; i++) {
        const row *asked = &reader->rows[i];
        int64_t count = 0;
        lf_vec3 point = coordinates_point(run, asked->numbers, 3);
        if (isnan(point.x)) {
            row_reader_refuse(reader, asked, "has no place on the ground");
            return true;
        }
        if (!succeeded(lf_locales_at(locale->locales, point, locale->inside, run->given.argument_count,
                                     &count, NULL),
                       NULL))
            return false;
        for (int64_t k = 0; k < count; k++)
            locale->names[k] = lf_locales_name(locale->locales, locale->inside[k]);
        locale->missed |= count == 0;
        locale_answer answer = {.has = count > 0 ? HIT : MISS,
                                .at = {asked->numbers, asked->count},
                                .names = {locale->names, count},
                                .rest = {asked->rest, asked->rest_length}};
        answer_write(run, locale_fields, &answer);
    }
    return true;
}

/// The borders that a move crosses.
static int answer_move(const locale_run *locale) {
    cli *run = locale->run;
    double from[ROW_NUMBERS], to[ROW_NUMBERS];
    options_numbers(&run->given, "from", 0, from);
    options_numbers(&run->given, "to", 0, to);
    lf_vec3 ends[2] = {{from[0], from[1], from[2]}, {to[0], to[1], to[2]}};
    lf_crossing *found = NULL;
    int64_t count = 0, capacity = 0;
    lf_status status = LF_PARTIAL;
    coordinates_in(&run->coordinates, ends, 2, 2);
    while (status == LF_PARTIAL) {
        found = reserve(found, &capacity, count > 64 ? count : 64, sizeof *found);
        status = lf_locales_cross(locale->locales, ends[0], ends[1], found, capacity, &count, NULL);
    }
    if (status == LF_BAD_ARGUMENT)
        return message_error(
            "--from %s --to %s: a point has no place on the ground, or the way passes the centre",
            options_value(&run->given, "from"), options_value(&run->given, "to"));
    if (!succeeded(status, NULL))
        return CLI_ERROR;
    crossing_line *lines = allocate((size_t)count + 1, sizeof *lines);
    for (int64_t i = 0; i < count; i++) {
        lines[i] = (crossing_line){found[i].entering ? "enter" : "leave", found[i].entering, found[i].t,
                                   coordinates_out(&run->coordinates, found[i].point, from[0]),
                                   lf_locales_name(locale->locales, found[i].locale)};
        if (!run->json)
            answer_line(&run->out, crossing_line_fields, &lines[i]);
    }
    crossing_answer answer = {{from, 3}, {to, 3}, {lines, count}};
    if (run->json)
        answer_json(&run->out, crossing_fields, &answer, false);
    return count > 0 ? CLI_YES : CLI_NO;
}

int command_locale(cli *run) {
    locale_run locale = {.run = run};
    int status = CLI_ERROR;
    if (load_locales(&locale))
        status = options_has(&run->given, "from") ? answer_move(&locale)
                                                  : questions_answer(run, "at", answer_locales, &locale);
    lf_locales_destroy(locale.locales);
    while (locale.ground_count > 0)
        ground_free(&locale.grounds[--locale.ground_count]);
    return status == CLI_YES && locale.missed && options_has(&run->given, "at") ? CLI_NO : status;
}
