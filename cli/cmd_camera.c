/// `landfall camera`: fly a path over any ground without going under ground or into anything.
#include "camera.h"
#include "commands.h"
#include "ground.h"
#include "plots.h"
#include "questions.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PATIENCE 20  // a flight takes so many times as many frames as its path, at most
#define FARTHEST 1e9 // metres from the origin

// ---- The path -----------------------------------------------------------------------------------

/// Why a line cannot be a stop; NULL: it can.
static const char *fault_of(const camera_run *c, const row *read) {
    bool centred = c->centred;
    const camera_path *path = &c->path;
    const lf_ellipsoid *ellipsoid = &c->ellipsoid;
    const double *n = read->numbers;
    double since =
        path->given.stop_count > 0 ? n[0] - path->stops[path->given.stop_count - 1].time : LF_INFINITY;
    if (!(since > 0))
        return "times must ascend";
    if (!(since >= LF_CAMERA_SHORTEST))
        return "times must ascend by at least a microsecond";
    if (!(fabs(n[0]) <= LF_CAMERA_LATEST))
        return "the time is not within a million million seconds";
    if (!c->globe)
        return fabs(n[1]) <= FARTHEST && fabs(n[2]) <= FARTHEST && fabs(n[3]) <= FARTHEST
                   ? NULL
                   : "the position is not within a million kilometres";
    if (!centred && !(fabs(n[1]) <= 3600))
        return "the longitude is not within -3600 to 3600";
    if (!centred && !(fabs(n[2]) <= 90))
        return "the latitude is not within -90 to 90";
    double low = ellipsoid->radius * (1 - ellipsoid->flattening), high = 100 * ellipsoid->radius;
    double from = centred ? lf_vec3_length((lf_vec3){n[1], n[2], n[3]}) : low + n[3];
    if (!(from >= 0.75 * low && from <= high))
        return centred ? "the position is not near the globe" : "the height is not near the globe";
    return NULL;
}

static bool take_rows(void *user, row_reader *reader) {
    camera_run *c = user;
    camera_path *path = &c->path;
    for (int64_t i = 0; i < reader->count; i++) {
        const row *read = &reader->rows[i];
        const double *n = read->numbers;
        const char *fault = fault_of(c, read);
        if (fault) {
            row_reader_refuse(reader, read, fault);
            return true;
        }
        int64_t count = path->given.stop_count + 1;
        path->stops = reserve(path->stops, &path->stop_capacity, count, sizeof *path->stops);
        path->places = reserve(path->places, &path->place_capacity, count, sizeof *path->places);
        lf_camera_stop stop = {n[0], {n[1], n[2], n[3]}};
        lf_geodetic place = {n[1], n[2], n[3]};
        if (c->globe && c->centred)
            place = lf_ellipsoid_to_geodetic(&c->ellipsoid, stop.position);
        else if (c->globe)
            stop.position = lf_ellipsoid_to_centred(&c->ellipsoid, place);
        path->places[path->given.stop_count] = place;
        path->stops[path->given.stop_count++] = stop;
    }
    path->given.stops = path->stops;
    return true;
}

bool camera_path_read(camera_run *c, const char *name) {
    row_shape shape = {4, 4, c->centred || !c->globe ? "TIME,X,Y,Z" : "TIME,LON,LAT,HEIGHT"};
    if (!rows_read(name, shape, take_rows, c))
        return false;
    if (c->path.given.stop_count < 2)
        message_error("%s: %s: expected at least two", name,
                      c->path.given.stop_count == 1 ? "one line" : "no lines");
    return c->path.given.stop_count >= 2;
}

// ---- The flight ---------------------------------------------------------------------------------

/// The place of a position; of a stop of the path as it was given, not as it comes back.
static lf_geodetic place_of(const camera_run *c, double path_time, lf_vec3 position) {
    int64_t stop;
    if (!c->globe)
        return (lf_geodetic){position.x, position.y, position.z};
    lf_camera_path_at(&c->path.given, c->ground, path_time, &stop);
    for (int64_t i = stop; i <= stop + 1; i++)
        if (memcmp(&c->path.stops[i].position, &position, sizeof position) == 0)
            return c->path.places[i];
    return lf_ellipsoid_to_geodetic(&c->ellipsoid, position);
}

/// The height of the ground below a camera; NAN: there is none.
static double ground_below(const camera_run *c, lf_geodetic place) {
    lf_globe_elevation globe;
    lf_hit hit;
    if (!c->globe) {
        lf_status status = lf_ground_height(c->ground, c->camera.position, LF_VERTICAL_DOWN, &hit, NULL);
        return status == LF_OK && hit.kind != LF_HIT_NONE ? hit.point.z : LF_NAN;
    }
    if (ground_is_world(&c->run->ground))
        return ground_plumb(c->run, place, false, LF_VERTICAL_DOWN, &hit) == LF_OK && hit.kind != LF_HIT_NONE
                   ? lf_ellipsoid_to_geodetic(&c->ellipsoid, hit.point).height
                   : LF_NAN;
    return lf_globe_height(c->globe, place.lon_deg, place.lat_deg, &globe, NULL) == LF_OK &&
                   globe.reason == LF_REASON_ANSWERED
               ? globe.height
               : LF_NAN;
}

/// Record where the camera has come to.
static void note_frame(camera_run *c, const lf_camera_frame *flown) {
    camera_path *path = &c->path;
    path->frames = reserve(path->frames, &path->frame_capacity, path->frame_count + 1, sizeof *path->frames);
    path_frame *frame = &path->frames[path->frame_count++];
    lf_geodetic place = place_of(c, flown->path_time, c->camera.position);
    *frame = (path_frame){.path_time = flown->path_time,
                          .place = place,
                          .heights = {.time = flown->time,
                                      .ground = ground_below(c, place),
                                      .given = place_of(c, flown->path_time, flown->goal).height,
                                      .flown = place.height,
                                      .held = (flown->result.did & LF_CAMERA_HELD) != 0},
                          .result = flown->result};
}

/// Fly all of it. *arrived: false when it takes too long.
static bool fly(camera_run *c, bool *arrived) {
    const lf_camera_path *path = &c->path.given;
    double first = path->stops[0].time, last = path->stops[path->stop_count - 1].time;
    lf_camera_frame frame;
    if (!succeeded(lf_camera_path_begin(&c->camera, c->ground, path, &frame), NULL))
        return false;
    note_frame(c, &frame);
    while (!frame.arrived && c->path.frame_count <= PATIENCE * path->stop_count) {
        int64_t done = (int64_t)(1000 * (frame.path_time - first) / (last - first));
        if (!progress_report(&c->run->bar, "fly", done, 1000))
            return false;
        if (!succeeded(lf_camera_path_step(&c->camera, c->ground, path, &frame), NULL))
            return false;
        note_frame(c, &frame);
    }
    *arrived = frame.arrived;
    return true;
}

// ---- The answer ---------------------------------------------------------------------------------

enum { CONTACT = 1, TILE = 2, THING = 4 };

#define FRAME(name, type, member, unit, forms) \
    { name, type, offsetof(path_frame, member), unit, forms }
#define FRAME_IF(name, type, member, has) \
    { name, type, offsetof(path_frame, member), NULL, 0, has }

static const field contact_fields[] = {FRAME("time", FIELD_NUMBER, result.contact.time, "s", 0),
                                       FRAME("depth", FIELD_NUMBER, result.contact.depth, "m", 0),
                                       FRAME_IF("level", FIELD_INT, result.contact.ground.tile.level, TILE),
                                       FRAME_IF("column", FIELD_INT, result.contact.ground.tile.column, TILE),
                                       FRAME_IF("row", FIELD_INT, result.contact.ground.tile.row, TILE),
                                       FRAME_IF("part", FIELD_INTEGER, result.contact.hit.part, THING),
                                       FRAME_IF("element", FIELD_INTEGER, result.contact.hit.element, THING),
                                       FRAME("normal", FIELD_VECTOR, result.contact.normal, NULL, 0),
                                       {NULL}};

#define FRAME_FIELDS                                                                                      \
    FRAME("path_time", FIELD_NUMBER, path_time, "s", 0),                                                  \
        FRAME("path_height", FIELD_NUMBER, heights.given, "m", 0),                                        \
        FRAME("ground", FIELD_NUMBER, heights.ground, "m", 0),                                            \
        FRAME("raised", FIELD_NUMBER, result.raised, "m", 0),                                             \
        FRAME("share", FIELD_NUMBER, result.share, NULL, 0), FRAME("did", FIELD_TEXT, did, NULL, IN_CSV), \
        {"did", FIELD_LIST, offsetof(path_frame, acts), NULL, IN_JSON, .items = FIELD_TEXT},              \
        {"contact", FIELD_GROUP, 0, NULL, IN_JSON, CONTACT, .fields = contact_fields}, {                  \
        NULL                                                                                              \
    }

const field camera_fields[] = {FRAME("time", FIELD_NUMBER, heights.time, "s", 0),
                               FRAME("lon", FIELD_NUMBER, place.lon_deg, "degrees", 0),
                               FRAME("lat", FIELD_NUMBER, place.lat_deg, "degrees", 0),
                               FRAME("height", FIELD_NUMBER, heights.flown, "m", 0), FRAME_FIELDS};

const field camera_plane_fields[] = {FRAME("time", FIELD_NUMBER, heights.time, "s", 0),
                                     FRAME("x", FIELD_NUMBER, place.lon_deg, "m", 0),
                                     FRAME("y", FIELD_NUMBER, place.lat_deg, "m", 0),
                                     FRAME("z", FIELD_NUMBER, heights.flown, "m", 0), FRAME_FIELDS};

/// The names of what was done, as a list and joined.
static void name_acts(path_frame *frame) {
    const char **names = allocate(32, sizeof *names);
    char *joined = allocate(256, 1);
    int64_t count = 0;
    for (uint32_t bit = 1; bit <= LF_CAMERA_UNPROVEN; bit <<= 1)
        if (frame->result.did & bit) {
            names[count] = lf_camera_act_name((lf_camera_act)bit);
            size_t used = strlen(joined);
            snprintf(joined + used, 256 - used, "%s%s", count > 0 ? "+" : "", names[count]);
            count++;
        }
    frame->did = count > 0 ? joined : "free";
    frame->acts = (field_span){names, count};
    bool thing = frame->result.contact.hit.kind != LF_HIT_NONE;
    frame->has = frame->result.contact.met ? CONTACT | (thing ? THING : TILE) : 0;
}

static void write_frames(const camera_run *c, output *out) {
    const camera_path *path = &c->path;
    const field *fields = c->globe ? camera_fields : camera_plane_fields;
    for (int64_t i = 0; i < path->frame_count; i++) {
        name_acts(&path->frames[i]);
        if (c->run->json)
            answer_json(out, fields, &path->frames[i], false);
    }
    if (!c->run->json)
        answer_csv(out, fields, path->frames, path->frame_count, sizeof *path->frames);
}

/// How often each thing was done.
static void write_summary(output *out, const camera_path *path) {
    field fields[34] = {{"frames", FIELD_INTEGER, 0}};
    int64_t counts[34] = {path->frame_count};
    int used = 1;
    for (uint32_t bit = 1; bit <= LF_CAMERA_UNPROVEN; bit <<= 1) {
        for (int64_t i = 0; i < path->frame_count; i++)
            counts[used] += (path->frames[i].result.did & bit) != 0;
        if (counts[used] > 0) {
            fields[used] =
                (field){lf_camera_act_name((lf_camera_act)bit), FIELD_INTEGER, (size_t)used * sizeof *counts};
            used++;
        }
    }
    answer_facts(out, fields, counts, 12);
}

static bool write_path(const camera_run *c) {
    const char *name = options_value(&c->run->given, "output");
    output file;
    if (!name) {
        write_frames(c, &c->run->out);
        return true;
    }
    if (!output_create(&file, name, c->run->out.digits))
        return false;
    write_frames(c, &file);
    if (!output_close(&file))
        return false;
    write_summary(&c->run->out, &c->path);
    return true;
}

// ---- The command --------------------------------------------------------------------------------

/// The plot: heights over time.
static bool write_plot(const camera_run *c, const char *name) {
    const camera_path *path = &c->path;
    lf_figure_page page = figure_page(c->run, name, PLOT_WIDTH);
    lf_error error = {0};
    return succeeded(
        lf_figure_flight(&page, &path->frames[0].heights, path->frame_count, sizeof *path->frames, &error),
        &error);
}

int command_camera(cli *run) {
    const options *given = &run->given;
    const char *plot = options_value(given, "plot"), *limit = options_value(given, "limit");
    camera_run c = {.run = run, .camera = lf_camera_default(), .centred = options_has(given, "centred")};
    bool arrived = false;
    c.path.given.tiles = options_integer(given, "tiles", 0);
    c.camera.clearance = options_number(given, "clearance", c.camera.clearance);
    c.camera.look_ahead = options_number(given, "ahead", c.camera.look_ahead);
    c.camera.raise_limit = limit && strcmp(limit, "inf") == 0
                               ? LF_INFINITY
                               : options_number(given, "limit", c.camera.raise_limit);
    if (!ground_open(run, 0))
        return CLI_ERROR;
    c.globe = run->ground.globe;
    c.path.given.globe = c.globe;
    c.ground = c.globe && !ground_is_world(&run->ground) ? lf_globe_ground(c.globe) : run->ground.ground;
    if (c.globe)
        c.ellipsoid = lf_globe_describe(c.globe).ellipsoid;
    if (c.centred && !c.globe)
        return message_error("--centred: %s has no globe", given->arguments[0]), CLI_ERROR;
    if (!camera_path_read(&c, given->arguments[1]) || !fly(&c, &arrived))
        return CLI_ERROR;
    progress_clear();
    if ((plot && !write_plot(&c, plot)) || !write_path(&c))
        return CLI_ERROR;
    return arrived ? CLI_YES : CLI_NO;
}
