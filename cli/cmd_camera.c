/// `landfall camera`: fly a path over a globe without going under ground.
#include "camera.h"
#include "commands.h"
#include "ground.h"
#include "plots.h"
#include "questions.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_UPDATES 64    // of the globe before a frame, until all needed tiles have come
#define PATIENCE 20        // a flight takes so many times as many frames as its path, at most
#define SHORTEST_STEP 1e-6 // seconds
#define LONGEST_TIME 1e12

// ---- The path -----------------------------------------------------------------------------------

/// Why a line cannot be a stop; NULL: it can.
static const char *fault_of(const camera_run *c, const row *read) {
    bool centred = c->centred;
    const camera_path *path = &c->path;
    const lf_ellipsoid *ellipsoid = &c->ellipsoid;
    const double *n = read->numbers;
    if (path->stop_count > 0 && !(n[0] > path->stops[path->stop_count - 1].time))
        return "times must ascend";
    if (path->stop_count > 0 && !(n[0] - path->stops[path->stop_count - 1].time >= SHORTEST_STEP))
        return "times must ascend by at least a microsecond";
    if (!(fabs(n[0]) <= LONGEST_TIME))
        return "the time is not within a million million seconds";
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
        if (path->stop_count == path->stop_capacity) {
            path->stop_capacity = path->stop_capacity > 0 ? 2 * path->stop_capacity : 256;
            path->stops = allocate_more(path->stops, (size_t)path->stop_capacity, sizeof *path->stops);
        }
        path_stop stop = {n[0], {n[1], n[2], n[3]}, {n[1], n[2], n[3]}};
        if (c->centred)
            stop.place = lf_ellipsoid_to_geodetic(&c->ellipsoid, stop.position);
        else
            stop.position = lf_ellipsoid_to_centred(&c->ellipsoid, stop.place);
        path->stops[path->stop_count++] = stop;
    }
    return true;
}

bool camera_path_read(camera_run *c, const char *name) {
    row_shape shape = {4, 4, c->centred ? "TIME,X,Y,Z" : "TIME,LON,LAT,HEIGHT"};
    if (!rows_read(name, shape, take_rows, c))
        return false;
    if (c->path.stop_count < 2)
        message_error("%s: %s: expected at least two", name,
                      c->path.stop_count == 1 ? "one line" : "no lines");
    return c->path.stop_count >= 2;
}

lf_vec3 camera_path_at(const camera_run *c, double time, int64_t *stop) {
    const camera_path *path = &c->path;
    int64_t low = 0, high = path->stop_count - 1;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (path->stops[middle].time <= time)
            low = middle;
        else
            high = middle;
    }
    const path_stop *a = &path->stops[low], *b = &path->stops[high];
    *stop = low;
    if (time <= a->time)
        return a->position;
    if (time >= b->time)
        return b->position;
    // On the way that a camera takes which aims there.
    lf_camera camera = lf_camera_default();
    camera.position = a->position;
    lf_camera_aim(&camera, b->position, b->time - a->time);
    lf_camera_result way = {.share = 1, .from = a->position, .duration = b->time - a->time, .piece_count = 1};
    way.pieces[0] = (lf_camera_piece){0, a->position, camera.velocity, camera.turn};
    return lf_camera_at(&way, &c->ellipsoid, time - a->time);
}

// ---- The flight ---------------------------------------------------------------------------------

/// Load tiles: some, or all that are needed where the camera is and where it is heading.
static bool load_tiles(camera_run *c) {
    lf_globe_view view = lf_globe_view_default();
    lf_globe_change change;
    view.position = c->camera.position;
    view.velocity = lf_vec3_add(c->camera.velocity, lf_vec3_cross(c->camera.turn, c->camera.position));
    view.ahead = fmax(c->camera.look_ahead, 2);
    if (c->tiles > 0)
        view.most = c->tiles;
    for (int i = 0; i < MOST_UPDATES; i++) {
        lf_status status = lf_globe_update(c->globe, &view, &change);
        if (!succeeded(status, NULL))
            return false;
        if (c->tiles > 0 || change.fetched == 0)
            return true;
    }
    return true;
}

/// The place of a position; of a stop of the path as it was given, not as it comes back.
static lf_geodetic place_of(const camera_run *c, double path_time, lf_vec3 position) {
    int64_t stop;
    camera_path_at(c, path_time, &stop);
    for (int64_t i = stop; i <= stop + 1; i++)
        if (memcmp(&c->path.stops[i].position, &position, sizeof position) == 0)
            return c->path.stops[i].place;
    return lf_ellipsoid_to_geodetic(&c->ellipsoid, position);
}

/// Record where the camera has come to.
static void note_frame(camera_run *c, double time, double path_time, lf_vec3 goal,
                       const lf_camera_result *result) {
    camera_path *path = &c->path;
    lf_globe_elevation ground;
    if (path->frame_count == path->frame_capacity) {
        path->frame_capacity = path->frame_capacity > 0 ? 2 * path->frame_capacity : 256;
        path->frames = allocate_more(path->frames, (size_t)path->frame_capacity, sizeof *path->frames);
    }
    path_frame *frame = &path->frames[path->frame_count++];
    *frame = (path_frame){.time = time,
                          .path_time = path_time,
                          .place = place_of(c, path_time, c->camera.position),
                          .goal = place_of(c, path_time, goal),
                          .ground = LF_NAN,
                          .result = *result};
    if (lf_globe_height(c->globe, frame->place.lon_deg, frame->place.lat_deg, &ground, NULL) == LF_OK &&
        ground.reason == LF_REASON_ANSWERED)
        frame->ground = ground.height;
}

/// Put the camera at the beginning of the path, or above it where that is below ground: no frame before it could have raised it.
static bool begin(camera_run *c) {
    lf_camera_contact contact;
    lf_camera_result result = {.share = 1, .from = c->path.stops[0].position};
    lf_vec3 goal = c->path.stops[0].position;
    c->camera.position = goal;
    if (!load_tiles(c) || lf_camera_check(&c->camera, c->globe, goal, &contact) != LF_OK)
        return false;
    if (contact.met) {
        lf_geodetic place = contact.place;
        c->raised = contact.depth + 0.01;
        place.height += c->raised;
        c->camera.position = lf_ellipsoid_to_centred(&c->ellipsoid, place);
        result.did = LF_CAMERA_RECOVERING;
        result.raised = c->raised;
        result.contact = contact;
    }
    note_frame(c, c->path.stops[0].time, c->path.stops[0].time, goal, &result);
    return true;
}

/// How high above the path to aim. Down again only where it was not raised just before, or it would rise and sink in turn.
static double height_left(const camera_run *c, double dt) {
    if (c->path.frames[c->path.frame_count - 1].result.raise_rate > 0)
        return c->raised;
    double left = c->raised * fmax(0, 1 - dt / fmax(c->camera.look_ahead, dt));
    return fmax(left < 0.01 ? 0 : left, c->raised - c->camera.raise_limit * dt);
}

/// One frame: on along the path, and down again to it by at most as much as the camera may be raised.
static bool fly_frame(camera_run *c, double *time, double *path_time) {
    const path_stop *stops = c->path.stops;
    double last = stops[c->path.stop_count - 1].time;
    int64_t stop;
    camera_path_at(c, *path_time, &stop);
    // Frames are as long as the path's own steps, also where the camera is behind; but they end where those
    // end.
    double dt = stops[stop + 1].time - stops[stop].time;
    bool on_stop = *path_time == stops[stop].time;
    double end = on_stop ? stops[stop + 1].time : fmin(*path_time + dt, last);
    lf_vec3 next = camera_path_at(c, end, &stop);
    lf_geodetic goal = lf_ellipsoid_to_geodetic(&c->ellipsoid, next);
    double left = height_left(c, dt);
    goal.height += left;
    double step = end - *path_time;
    lf_vec3 to = c->raised > 0 ? lf_ellipsoid_to_centred(&c->ellipsoid, goal) : next;
    lf_camera_result result;
    lf_camera_aim(&c->camera, to, step);
    if (!load_tiles(c))
        return false;
    lf_status status = lf_camera_step(&c->camera, c->globe, step, &result);
    if (!succeeded(status, NULL))
        return false;
    *time += step;
    *path_time = result.share < 1 ? *path_time + result.share * step : end;
    if (result.did == 0 && left == 0)
        c->camera.position = next; // as given, to the last bit
    lf_vec3 on_path = camera_path_at(c, *path_time, &stop);
    c->raised = result.did == 0 && left == 0
                    ? 0
                    : fmax(0, lf_ellipsoid_to_geodetic(&c->ellipsoid, c->camera.position).height -
                                  lf_ellipsoid_to_geodetic(&c->ellipsoid, on_path).height);
    note_frame(c, *time, *path_time, on_path, &result);
    return true;
}

/// Fly all of it. *arrived: false when it takes too long.
static bool fly(camera_run *c, bool *arrived) {
    double first = c->path.stops[0].time, last = c->path.stops[c->path.stop_count - 1].time;
    double time = first, path_time = first;
    if (!begin(c))
        return false;
    while (path_time < last) {
        if (!progress_report(&c->run->bar, "fly", (int64_t)(1000 * (path_time - first) / (last - first)),
                             1000))
            return false;
        if (!fly_frame(c, &time, &path_time))
            return false;
        if (c->path.frame_count > PATIENCE * c->path.stop_count)
            break;
    }
    *arrived = path_time >= last;
    return true;
}

// ---- The answer ---------------------------------------------------------------------------------

enum { CONTACT = 1 };

#define FRAME(name, type, member, unit, forms) \
    { name, type, offsetof(path_frame, member), unit, forms }

static const field contact_fields[] = {FRAME("time", FIELD_NUMBER, result.contact.time, "s", 0),
                                       FRAME("depth", FIELD_NUMBER, result.contact.depth, "m", 0),
                                       FRAME("level", FIELD_INT, result.contact.ground.tile.level, NULL, 0),
                                       FRAME("column", FIELD_INT, result.contact.ground.tile.column, NULL, 0),
                                       FRAME("row", FIELD_INT, result.contact.ground.tile.row, NULL, 0),
                                       FRAME("normal", FIELD_VECTOR, result.contact.normal, NULL, 0),
                                       {NULL}};

const field camera_fields[] = {
    FRAME("time", FIELD_NUMBER, time, "s", 0),
    FRAME("lon", FIELD_NUMBER, place.lon_deg, "degrees", 0),
    FRAME("lat", FIELD_NUMBER, place.lat_deg, "degrees", 0),
    FRAME("height", FIELD_NUMBER, place.height, "m", 0),
    FRAME("path_time", FIELD_NUMBER, path_time, "s", 0),
    FRAME("path_height", FIELD_NUMBER, goal.height, "m", 0),
    FRAME("ground", FIELD_NUMBER, ground, "m", 0),
    FRAME("raised", FIELD_NUMBER, result.raised, "m", 0),
    FRAME("share", FIELD_NUMBER, result.share, NULL, 0),
    FRAME("did", FIELD_TEXT, did, NULL, IN_CSV),
    {"did", FIELD_LIST, offsetof(path_frame, acts), NULL, IN_JSON, .items = FIELD_TEXT},
    {"contact", FIELD_GROUP, 0, NULL, IN_JSON, CONTACT, .fields = contact_fields},
    {NULL}};

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
    frame->has = frame->result.contact.met ? CONTACT : 0;
}

static void write_frames(const camera_run *c, output *out) {
    const camera_path *path = &c->path;
    for (int64_t i = 0; i < path->frame_count; i++) {
        name_acts(&path->frames[i]);
        if (c->run->json)
            answer_json(out, camera_fields, &path->frames[i], false);
    }
    if (!c->run->json)
        answer_csv(out, camera_fields, path->frames, path->frame_count, sizeof *path->frames);
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
    file_output file;
    if (!name) {
        write_frames(c, &c->run->out);
        return true;
    }
    if (!file_output_open(&file, name))
        return false;
    file.out.digits = c->run->out.digits;
    write_frames(c, &file.out);
    if (!file_output_close(&file))
        return false;
    write_summary(&c->run->out, &c->path);
    return true;
}

// ---- The plot: the ground below the camera, the path as given, and as flown ---------------------

typedef struct curves {
    double *time, *ground, *given, *flown, *held_time, *held;
    int64_t held_count;
} curves;

static void fill(const camera_path *path, double *capacity, curves *c) {
    int64_t n = path->frame_count;
    *c = (curves){
        capacity, capacity + n, capacity + 2 * n, capacity + 3 * n, capacity + 4 * n, capacity + 5 * n, 0};
    for (int64_t i = 0; i < n; i++) {
        const path_frame *frame = &path->frames[i];
        c->time[i] = frame->time;
        c->ground[i] = frame->ground;
        c->given[i] = frame->goal.height;
        c->flown[i] = frame->place.height;
        if (frame->result.did & LF_CAMERA_HELD) {
            c->held_time[c->held_count] = frame->time;
            c->held[c->held_count++] = frame->place.height;
        }
    }
}

static lf_status draw(const camera_path *path, const curves *c, lf_canvas *canvas, lf_error *error) {
    lf_colour earth = lf_colour_of(0x8A7B5C), sky = lf_colour_of(0x2E6FB5), pale = lf_colour_of(0xC8452F);
    int64_t n = path->frame_count;
    lf_series series[4] = {
        {"ground below", c->time, c->ground, n, LF_SERIES_AREA, LF_MARKER_NONE, earth, 0, 0},
        {"without response", c->time, c->given, n, LF_SERIES_LINE, LF_MARKER_NONE, pale, 0, 6},
        {"with response", c->time, c->flown, n, LF_SERIES_LINE, LF_MARKER_NONE, sky, 0, 0},
        {"held back", c->held_time, c->held, c->held_count, LF_SERIES_POINTS, LF_MARKER_DISC, sky, 0, 0},
    };
    lf_plot_def def = lf_plot_def_default();
    def.title = "a camera over the globe";
    def.x.label = "time, s";
    def.x.low = c->time[0];
    def.x.high = c->time[n - 1];
    def.y.label = "height above the ellipsoid, m";
    def.series = series;
    def.series_count = c->held_count > 0 ? 4 : 3;
    return lf_canvas_plot(canvas, &def, NULL, error);
}

static lf_status plot_flight(lf_canvas *canvas, const void *content, lf_error *error) {
    const camera_path *path = content;
    curves curves;
    fill(path, allocate((size_t)path->frame_count * 6 + 1, sizeof(double)), &curves);
    return draw(path, &curves, canvas, error);
}

int command_camera(cli *run) {
    const options *given = &run->given;
    const char *plot = options_value(given, "plot"), *limit = options_value(given, "limit");
    camera_run c = {.run = run,
                    .camera = lf_camera_default(),
                    .centred = options_has(given, "centred"),
                    .tiles = options_integer(given, "tiles", 0)};
    bool arrived = false;
    c.camera.clearance = options_number(given, "clearance", c.camera.clearance);
    c.camera.look_ahead = options_number(given, "ahead", c.camera.look_ahead);
    c.camera.raise_limit = limit && strcmp(limit, "inf") == 0
                               ? LF_INFINITY
                               : options_number(given, "limit", c.camera.raise_limit);
    if (!globe_open(run))
        return CLI_ERROR;
    c.globe = run->ground.globe;
    c.ellipsoid = lf_globe_describe(c.globe).ellipsoid;
    if (!camera_path_read(&c, given->arguments[1]) || !fly(&c, &arrived))
        return CLI_ERROR;
    progress_clear();
    if ((plot && !plot_write(run, plot, PLOT_WIDTH, PLOT_HEIGHT, plot_flight, &c.path)) || !write_path(&c))
        return CLI_ERROR;
    return arrived ? CLI_YES : CLI_NO;
}
