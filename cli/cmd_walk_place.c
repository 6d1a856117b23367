/// `landfall walk` and `landfall place`: whether one can walk from here to there, and how a vehicle stands on the ground.
#include "commands.h"
#include "ground.h"
#include "questions.h"
#include "reach.h"
#include <landfall/ground.h>
#include <math.h>

#define DEGREE (3.14159265358979323846 / 180)

static lf_vec3 point_as_asked(const cli *run, lf_vec3 point, const double *asked) {
    return coordinates_out(&run->coordinates, point, asked[0]);
}

// ---- Walks --------------------------------------------------------------------------------------

enum { GROUND = 1, NO_GROUND = 2, STOPPED = 4, STEP = 8, CELL = 16, POLYGON = 32, PATH = 64 };

typedef struct walk_answer {
    unsigned has;
    number_span from, to;
    bool arrived;
    const char *end;
    double t;
    lf_vec3 point, normal;
    lf_vec2 xy;
    int64_t element;
    const char *reason;
    double step;
    field_span path;
} walk_answer;

#define WALK(name, type, member, unit, forms, when) \
    { name, type, offsetof(walk_answer, member), unit, forms, when }

const field walk_fields[] = {
    {"path", FIELD_LIST, offsetof(walk_answer, path), "m", IN_TEXT, PATH, .items = FIELD_VECTOR},
    WALK("from", FIELD_NUMBERS, from, "m", IN_JSON, 0),
    WALK("to", FIELD_NUMBERS, to, "m", IN_JSON, 0),
    WALK("arrived", FIELD_TRUTH, arrived, NULL, IN_JSON, 0),
    WALK("end", FIELD_TEXT, end, NULL, IN_TEXT, 0),
    WALK("t", FIELD_NUMBER, t, NULL, IN_JSON, 0),
    WALK("point", FIELD_VECTOR, point, "m", 0, GROUND),
    WALK("xy", FIELD_PAIR, xy, NULL, IN_TEXT, NO_GROUND),
    WALK("-", FIELD_NAME, xy, NULL, IN_TEXT, NO_GROUND),
    WALK("normal", FIELD_VECTOR, normal, NULL, IN_JSON, GROUND),
    WALK("cell", FIELD_INTEGER, element, NULL, IN_JSON, CELL),
    WALK("polygon", FIELD_INTEGER, element, NULL, IN_JSON, POLYGON),
    WALK("reason", FIELD_TEXT, reason, NULL, 0, STOPPED),
    WALK("step", FIELD_NUMBER, step, "m", 0, STEP),
    {"path", FIELD_LIST, offsetof(walk_answer, path), "m", IN_JSON, PATH, .items = FIELD_VECTOR},
    {NULL}};

/// One run of `landfall walk`: the ends as they were given.
typedef struct walk_run {
    cli *run;
    double from[ROW_NUMBERS], to[ROW_NUMBERS];
    int from_count, to_count;
    lf_path path;
} walk_run;

static void write_walk(walk_run *walk, const lf_walk *found) {
    cli *run = walk->run;
    bool ground = found->ground.kind != LF_HIT_NONE, arrived = found->end == LF_WALK_ARRIVED;
    bool step = found->end == LF_WALK_STEP_UP || found->end == LF_WALK_STEP_DOWN;
    lf_vec3 point = point_as_asked(run, found->position, walk->from);
    for (int64_t i = 0; i < walk->path.count; i++)
        walk->path.points[i] = point_as_asked(run, walk->path.points[i], walk->from);
    walk_answer answer = {.has = (ground ? GROUND : NO_GROUND) | (arrived ? 0 : STOPPED) | (step ? STEP : 0) |
                                 (options_has(&run->given, "path") ? PATH : 0),
                          .from = {walk->from, walk->from_count},
                          .to = {walk->to, walk->to_count},
                          .arrived = arrived,
                          .end = arrived ? "arrived" : "stopped",
                          .t = found->t,
                          .point = point,
                          .normal =
                              coordinates_normal(&run->coordinates, found->position, found->ground.normal),
                          .xy = {point.x, point.y},
                          .element = found->ground.element,
                          .reason = found->end == LF_WALK_NO_GROUND ? lf_reason_name(found->reason) : "step",
                          .step = found->step,
                          .path = {walk->path.points, walk->path.count}};
    if (ground)
        answer.has |= found->ground.kind == LF_HIT_CELL ? CELL : POLYGON;
    answer_write(run, walk_fields, &answer);
}

/// What is below the way.
static void reach_walk(reach *reach, void *user) {
    const walk_run *walk = user;
    lf_vec3 from = coordinates_point(reach->run, walk->from, walk->from_count),
            to = coordinates_point(reach->run, walk->to, walk->to_count);
    from.z = to.z = 0;
    lf_ray ray = lf_ray_between(from, to);
    reach_point(reach, from);
    reach_point(reach, to);
    reach_ray(reach, &ray);
}

int command_walk(cli *run) {
    const options *given = &run->given;
    walk_run walk = {.run = run};
    bool with_path = options_has(given, "path");
    lf_walker walker = {.step = options_number(given, "step", 0)};
    walker.drop = options_number(given, "drop", walker.step);
    walker.crack = options_number(given, "crack", 0);
    walk.from_count = options_numbers(given, "from", 0, walk.from);
    walk.to_count = options_numbers(given, "to", 0, walk.to);
    run->reach = reach_walk;
    run->reach_user = &walk;
    if (!ground_open(run, 0))
        return CLI_ERROR;
    lf_walk found = {.end = LF_WALK_ARRIVED};
    lf_vec3 from = coordinates_point(run, walk.from, walk.from_count),
            to = coordinates_point(run, walk.to, walk.to_count);
    lf_status status = LF_PARTIAL;
    // A path that is longer than the space for it is walked again.
    for (int64_t capacity = 256; status == LF_PARTIAL; capacity = walk.path.count) {
        walk.path =
            (lf_path){allocate_more(walk.path.points, (size_t)capacity, sizeof(lf_vec3)), capacity, 0};
        status = lf_ground_walk(run->ground.ground, &walker, from, to, &found, with_path ? &walk.path : NULL,
                                NULL);
    }
    if (status == LF_BAD_ARGUMENT)
        return message_error("--to %s: the way passes the centre or the axis, where there is no down",
                             options_value(given, "to"));
    if (!succeeded(status, NULL))
        return CLI_ERROR;
    write_walk(&walk, &found);
    return found.end == LF_WALK_ARRIVED ? CLI_YES : CLI_NO;
}

// ---- Placement ----------------------------------------------------------------------------------

enum { STANDS = 1, FALLS = 2, TOUCHES = 4, IN_AIR = 8 };

typedef struct place_contact {
    unsigned has;
    const char *name; ///< ground, or the reason
    bool ground;
    const char *reason;
    lf_vec3 point;
    int64_t polygon;
    double gap;
} place_contact;

#define CONTACT(name, type, member, unit, forms, when) \
    { name, type, offsetof(place_contact, member), unit, forms, when }

const field place_contact_fields[] = {CONTACT("name", FIELD_TEXT, name, NULL, IN_TEXT, 0),
                                      CONTACT("ground", FIELD_TRUTH, ground, NULL, IN_JSON, 0),
                                      CONTACT("reason", FIELD_TEXT, reason, NULL, IN_JSON, IN_AIR),
                                      CONTACT("point", FIELD_VECTOR, point, "m", IN_JSON, TOUCHES),
                                      CONTACT("polygon", FIELD_INTEGER, polygon, NULL, IN_JSON, TOUCHES),
                                      CONTACT("gap", FIELD_NUMBER, gap, "m", IN_JSON, TOUCHES | STANDS),
                                      {NULL}};

typedef struct place_answer {
    unsigned has;
    number_span at;
    bool stands;
    lf_vec3 position, normal, forward;
    lf_vec2 xy;
    double pitch, roll;
    field_span contacts;
    byte_span rest;
} place_answer;

#define PLACE(name, type, member, unit, forms, when) \
    { name, type, offsetof(place_answer, member), unit, forms, when }

const field place_fields[] = {PLACE("at", FIELD_NUMBERS, at, "m", IN_JSON, 0),
                              PLACE("stands", FIELD_TRUTH, stands, NULL, IN_JSON, 0),
                              PLACE("position", FIELD_VECTOR, position, "m", 0, STANDS),
                              PLACE("normal", FIELD_VECTOR, normal, NULL, IN_JSON, STANDS),
                              PLACE("forward", FIELD_VECTOR, forward, NULL, IN_JSON, STANDS),
                              PLACE("pitch", FIELD_NUMBER, pitch, "degrees", 0, STANDS),
                              PLACE("roll", FIELD_NUMBER, roll, "degrees", 0, STANDS),
                              PLACE("xy", FIELD_PAIR, xy, NULL, IN_TEXT, FALLS),
                              PLACE("- - -", FIELD_NAME, xy, NULL, IN_TEXT, FALLS),
                              {"contacts", FIELD_LIST, offsetof(place_answer, contacts),
                               .fields = place_contact_fields, .size = sizeof(place_contact)},
                              PLACE("rest", FIELD_BYTES, rest, NULL, 0, 0),
                              {NULL}};

/// State of one run of `landfall place`.
typedef struct place_run {
    cli *run;
    lf_footprint footprint;
    double heading; ///< degrees
    bool missed;    ///< some contact had no ground
} place_run;

static void write_stance(const place_run *place, const row *asked, const lf_stance *stance) {
    cli *run = place->run;
    place_contact contacts[4];
    for (int i = 0; i < place->footprint.count; i++) {
        const lf_hit *hit = &stance->contacts[i];
        bool ground = hit->kind != LF_HIT_NONE;
        const char *reason = lf_reason_name(hit->reason);
        contacts[i] = (place_contact){(ground ? TOUCHES : IN_AIR) | (stance->stands ? STANDS : 0),
                                      ground ? "ground" : reason,
                                      ground,
                                      reason,
                                      ground ? point_as_asked(run, hit->point, asked->numbers) : hit->point,
                                      hit->element,
                                      stance->gaps[i]};
    }
    place_answer answer = {.has = stance->stands ? STANDS : FALLS,
                           .at = {asked->numbers, asked->count},
                           .stands = stance->stands,
                           .xy = {asked->numbers[0], asked->numbers[1]},
                           .contacts = {contacts, place->footprint.count},
                           .rest = {asked->rest, asked->rest_length}};
    if (stance->stands) {
        const coordinates *c = &run->coordinates;
        answer.position = point_as_asked(run, stance->position, asked->numbers);
        answer.normal = coordinates_normal(c, stance->position, stance->normal);
        answer.forward = coordinates_normal(c, stance->position, stance->forward);
        answer.pitch = stance->pitch / DEGREE;
        answer.roll = stance->roll / DEGREE;
    }
    answer_write(run, place_fields, &answer);
}

/// The direction of a heading in degrees at a point, clockwise from north seen from above.
static lf_vec3 direction_of(const lf_frame *frame, lf_vec3 point, double heading) {
    if (isinf(point.z))
        point.z = 0;
    lf_vec3 north = lf_frame_north(frame, point);
    lf_vec3 east = lf_vec3_cross(lf_frame_down(frame, point), north);
    // A quarter turn is exact only when it does not depend on the cosine of a rounded number.
    double turn = remainder(heading, 360);
    double s = fabs(turn) == 180 ? 0 : sin(turn * DEGREE), c = fabs(turn) == 90 ? 0 : cos(turn * DEGREE);
    return lf_vec3_along(lf_vec3_scale(north, c), s, east);
}

static bool answer(void *user, row_reader *reader) {
    place_run *place = user;
    const lf_ground *ground = place->run->ground.ground;
    lf_frame frame = lf_ground_frame(ground);
    for (int64_t i = 0; i < reader->count; i++) {
        const row *asked = &reader->rows[i];
        lf_vec3 point = coordinates_point(place->run, asked->numbers, asked->count);
        lf_stance stance;
        if (lf_ground_stand(ground, &place->footprint, point, direction_of(&frame, point, place->heading),
                            &stance, NULL) != LF_OK)
            return failed("%g,%g,%g: there is no down there", asked->numbers[0], asked->numbers[1],
                          asked->count > 2 ? asked->numbers[2] : LF_INFINITY);
        place->missed |= stance.grounded < place->footprint.count;
        write_stance(place, asked, &stance);
    }
    return true;
}

static bool read_contacts(place_run *place) {
    int count = options_count(&place->run->given, "contact");
    lf_vec2 *c = place->footprint.contacts;
    place->footprint.count = count;
    for (int i = 0; i < count; i++) {
        double n[ROW_NUMBERS];
        options_numbers(&place->run->given, "contact", i, n);
        c[i] = (lf_vec2){n[0], n[1]};
    }
    for (int i = 2; i < count; i++)
        for (int k = 1; k < i; k++)
            for (int j = 0; j < k; j++)
                if (lf_orient2d(c[j], c[k], c[i]) == 0)
                    return refused("--contact: contacts %d, %d and %d are on one line", j + 1, k + 1, i + 1);
    return true;
}

/// Contacts are no farther away than they are on level ground.
static void reach_places(reach *reach, void *user) {
    const place_run *place = user;
    double far = 0;
    for (int i = 0; i < place->footprint.count; i++)
        far = fmax(far, hypot(place->footprint.contacts[i].x, place->footprint.contacts[i].y));
    for (int i = 0; i < options_count(&reach->run->given, "at"); i++) {
        row asked = questions_row(reach->run, "at", i);
        lf_vec3 point = coordinates_point(reach->run, asked.numbers, asked.count);
        reach_points(reach, &point, 1, far);
    }
}

int command_place(cli *run) {
    const options *given = &run->given;
    double wheels[ROW_NUMBERS] = {1, 1};
    bool wheeled = options_numbers(given, "wheels", 0, wheels) > 0;
    place_run place = {.run = run,
                       .footprint = lf_footprint_wheels(wheels[0], wheels[1]),
                       .heading = options_number(given, "heading", 0)};
    place.footprint.reach = options_number(given, "reach", place.footprint.reach);
    place.footprint.passes = (int)options_integer(given, "passes", 1);
    place.footprint.rule = options_has(given, "rest") ? LF_STAND_REST : LF_STAND_FIT;
    if (options_has(given, "at")) {
        run->reach = reach_places;
        run->reach_user = &place;
    }
    if ((!wheeled && !read_contacts(&place)) || !ground_open(run, 0))
        return CLI_ERROR;
    int status = questions_answer(run, "at", answer, &place);
    return status == CLI_YES && place.missed && options_has(given, "at") ? CLI_NO : status;
}
