#include "answers.h"
#include "camera_path.h"
#include "file_output.h"
#include "globe.h"
#include "lines.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_UPDATES 64 // of the globe before a frame, until everything that is wanted has come
#define PATIENCE 20     // a flight takes so many times as long as its path, at most, and as many frames

/// What one run of `landfall camera` knows.
typedef struct camera_run {
    cli *run;
    loaded source;
    lf_ellipsoid ellipsoid;
    camera_path path;
    lf_camera camera;
    int64_t tiles; ///< that may come before a frame; 0: all that are wanted
    double raised; ///< metres above the path, that have to be given back
} camera_run;

// ---------------------------------------------------------------------------------------------------
// The question
// ---------------------------------------------------------------------------------------------------

#define MOST 10000000 // metres, seconds, metres per second

static bool not_negative(const options *given, const char *name, double value, bool zero) {
    if (value <= MOST && (value > 0 || (zero && value == 0)))
        return true;
    if (value > MOST)
        message_error("--%s %s: at most %d is wanted", name, options_value(given, name), MOST);
    else
        message_error("--%s %s: %s is wanted", name, options_value(given, name),
                      zero ? "0 or more" : "more than 0");
    return false;
}

/// A number, or "inf": as fast as it takes.
static bool read_limit(const options *given, double *limit) {
    const char *text = options_value(given, "limit");
    if (!text || strcmp(text, "inf") != 0)
        return options_number(given, "limit", limit) && not_negative(given, "limit", *limit, false);
    *limit = LF_INFINITY;
    return true;
}

static bool read_question(camera_run *c) {
    const options *given = &c->run->given;
    const char *plot = options_value(given, "plot");
    c->camera = lf_camera_default();
    if (!answer_digits(c->run) || !options_number(given, "clearance", &c->camera.clearance) ||
        !read_limit(given, &c->camera.raise_limit) ||
        !options_number(given, "ahead", &c->camera.look_ahead) ||
        !options_integer(given, "tiles", 1, 1000000, &c->tiles))
        return false;
    if (plot && !path_ends(plot, ".png") && !path_ends(plot, ".svg") && !path_ends(plot, ".pdf")) {
        message_error("--plot %s: the ending must be .png, .svg or .pdf", plot);
        return false;
    }
    c->path.clearance = c->camera.clearance;
    return not_negative(given, "clearance", c->camera.clearance, true) &&
           not_negative(given, "ahead", c->camera.look_ahead, true);
}

// ---------------------------------------------------------------------------------------------------
// The flight
// ---------------------------------------------------------------------------------------------------

/// Let tiles come: some, or all that are wanted where the camera is and where it is heading.
static bool load_tiles(camera_run *c) {
    lf_globe_view view = lf_globe_view_default();
    lf_globe_change change;
    view.position = c->camera.position;
    view.velocity = lf_vec3_add(c->camera.velocity, lf_vec3_cross(c->camera.turn, c->camera.position));
    view.ahead = fmax(c->camera.look_ahead, 2);
    if (c->tiles > 0)
        view.most = c->tiles;
    for (int i = 0; i < MOST_UPDATES; i++) {
        lf_status status = lf_globe_update(c->source.globe, &view, &change);
        if (status != LF_OK) {
            message_status(status, NULL);
            return false;
        }
        if (c->tiles > 0 || change.fetched == 0)
            return true;
    }
    return true;
}

/// The place of a position; of a stop of the path as it was given, not as it comes back.
static lf_geodetic place_of(const camera_run *c, double path_time, lf_vec3 position) {
    int64_t stop;
    camera_path_at(&c->path, &c->ellipsoid, path_time, &stop);
    for (int64_t i = stop; i <= stop + 1; i++)
        if (memcmp(&c->path.stops[i].position, &position, sizeof position) == 0)
            return c->path.stops[i].place;
    return lf_ellipsoid_to_geodetic(&c->ellipsoid, position);
}

/// Note where the camera has come to.
static bool note_frame(camera_run *c, double time, double path_time, lf_vec3 wanted,
                       const lf_camera_result *result) {
    path_frame *frame = camera_path_frame(&c->path);
    lf_globe_elevation ground;
    if (!frame)
        return false;
    frame->time = time;
    frame->path_time = path_time;
    frame->place = place_of(c, path_time, c->camera.position);
    frame->wanted = place_of(c, path_time, wanted);
    frame->result = *result;
    bool known =
        lf_globe_height(c->source.globe, frame->place.lon_deg, frame->place.lat_deg, &ground, NULL) == LF_OK;
    frame->ground = known && ground.reason == LF_REASON_ANSWERED ? ground.height : LF_NAN;
    return true;
}

/// Put the camera at the beginning of the path, or above it where that is below ground: there is no frame before it in which it could have been raised.
static bool begin(camera_run *c) {
    lf_camera_contact contact;
    lf_camera_result result = {.share = 1, .from = c->path.stops[0].position};
    lf_vec3 wanted = c->path.stops[0].position;
    c->camera.position = wanted;
    if (!load_tiles(c) || lf_camera_check(&c->camera, c->source.globe, wanted, &contact) != LF_OK)
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
    return note_frame(c, c->path.stops[0].time, c->path.stops[0].time, wanted, &result);
}

/// How high above the path to aim. Down again only where it was not raised just before, or it would be raised and let down at once.
static double height_left(const camera_run *c, double dt) {
    if (c->path.frames[c->path.frame_count - 1].result.raise_rate > 0)
        return c->raised;
    double left = c->raised * fmax(0, 1 - dt / fmax(c->camera.look_ahead, dt));
    return fmax(left < 0.01 ? 0 : left, c->raised - c->camera.raise_limit * dt);
}

/// One frame: on along the path, and down again to it by no more than the camera may be raised by.
static bool fly_frame(camera_run *c, double *time, double *path_time) {
    const path_stop *stops = c->path.stops;
    double last = stops[c->path.stop_count - 1].time;
    int64_t stop;
    camera_path_at(&c->path, &c->ellipsoid, *path_time, &stop);
    // Frames are as long as the path's own steps, also where the camera is behind; but they end where those
    // end.
    double dt = stops[stop + 1].time - stops[stop].time;
    bool on_stop = *path_time == stops[stop].time;
    double end = on_stop ? stops[stop + 1].time : fmin(*path_time + dt, last);
    lf_vec3 wanted = camera_path_at(&c->path, &c->ellipsoid, end, &stop);
    lf_geodetic goal = lf_ellipsoid_to_geodetic(&c->ellipsoid, wanted);
    double left = height_left(c, dt);
    goal.height += left;
    double step = end - *path_time;
    lf_vec3 to = c->raised > 0 ? lf_ellipsoid_to_centred(&c->ellipsoid, goal) : wanted;
    lf_camera_result result;
    lf_camera_aim(&c->camera, to, step);
    if (!load_tiles(c))
        return false;
    lf_status status = lf_camera_step(&c->camera, c->source.globe, step, &result);
    if (status != LF_OK) {
        message_status(status, NULL);
        return false;
    }
    *time += step;
    *path_time = result.share < 1 ? *path_time + result.share * step : end;
    if (result.did == 0 && left == 0)
        c->camera.position = wanted; // what was asked for, to the last bit
    lf_vec3 on_path = camera_path_at(&c->path, &c->ellipsoid, *path_time, &stop);
    c->raised = result.did == 0 && left == 0
                    ? 0
                    : fmax(0, lf_ellipsoid_to_geodetic(&c->ellipsoid, c->camera.position).height -
                                  lf_ellipsoid_to_geodetic(&c->ellipsoid, on_path).height);
    return note_frame(c, *time, *path_time, on_path, &result);
}

/// Fly all of it. *arrived: false when it was given up.
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

// ---------------------------------------------------------------------------------------------------
// The answer
// ---------------------------------------------------------------------------------------------------

static void put_words(output *out, uint32_t did) {
    if (did == 0)
        output_text(out, "free");
    for (uint32_t bit = 1, more = 0; bit <= LF_CAMERA_UNPROVEN; bit <<= 1)
        if (did & bit) {
            if (more++)
                output_char(out, '+');
            output_text(out, lf_camera_act_name((lf_camera_act)bit));
        }
}

static void put_comma(output *out, double value) {
    if (isfinite(value))
        output_number(out, value);
    output_char(out, ',');
}

static void write_csv(output *out, const camera_path *path) {
    output_text(out, "time,lon,lat,height,path_time,path_height,ground,raised,share,did\n");
    for (int64_t i = 0; i < path->frame_count; i++) {
        const path_frame *f = &path->frames[i];
        const double numbers[] = {f->time,         f->place.lon_deg, f->place.lat_deg,
                                  f->place.height, f->path_time,     f->wanted.height,
                                  f->ground,       f->result.raised, f->result.share};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            put_comma(out, numbers[k]);
        put_words(out, f->result.did);
        output_char(out, '\n');
    }
}

static void put_contact(json *document, const lf_camera_contact *contact) {
    json_put_object(document, "contact");
    json_put_number(document, "time", contact->time);
    json_put_number(document, "depth", contact->depth);
    json_put_integer(document, "level", contact->ground.tile.level);
    json_put_integer(document, "column", contact->ground.tile.column);
    json_put_integer(document, "row", contact->ground.tile.row);
    json_put_vector(document, "normal", contact->normal);
    json_close(document);
}

static void write_json(output *out, const camera_path *path) {
    for (int64_t i = 0; i < path->frame_count; i++) {
        const path_frame *f = &path->frames[i];
        json document = json_start(out, false);
        json_put_object(&document, NULL);
        json_put_number(&document, "time", f->time);
        json_put_number(&document, "lon", f->place.lon_deg);
        json_put_number(&document, "lat", f->place.lat_deg);
        json_put_number(&document, "height", f->place.height);
        json_put_number(&document, "path_time", f->path_time);
        json_put_number(&document, "path_height", f->wanted.height);
        if (isfinite(f->ground))
            json_put_number(&document, "ground", f->ground);
        else
            json_put_null(&document, "ground");
        json_put_number(&document, "raised", f->result.raised);
        json_put_number(&document, "share", f->result.share);
        json_put_array(&document, "did");
        for (uint32_t bit = 1; bit <= LF_CAMERA_UNPROVEN; bit <<= 1)
            if (f->result.did & bit)
                json_put_text(&document, NULL, lf_camera_act_name((lf_camera_act)bit));
        json_close(&document);
        if (f->result.contact.met)
            put_contact(&document, &f->result.contact);
        json_close(&document);
        json_end(&document);
    }
}

/// How often each thing was done, and why.
static void write_summary(output *out, const camera_path *path) {
    line_count(out, "frames", path->frame_count);
    for (uint32_t bit = 1; bit <= LF_CAMERA_UNPROVEN; bit <<= 1) {
        int64_t count = 0;
        for (int64_t i = 0; i < path->frame_count; i++)
            count += (path->frames[i].result.did & bit) != 0;
        if (count > 0)
            line_count(out, lf_camera_act_name((lf_camera_act)bit), count);
    }
}

static bool write_path(camera_run *c) {
    const char *name = options_value(&c->run->given, "output");
    file_output file;
    if (!name) {
        (c->run->json ? write_json : write_csv)(&c->run->out, &c->path);
        return true;
    }
    if (!file_output_open(&file, name))
        return false;
    file.out.digits = c->run->out.digits;
    (c->run->json ? write_json : write_csv)(&file.out, &c->path);
    if (!file_output_close(&file, true))
        return false;
    write_summary(&c->run->out, &c->path);
    return true;
}

int command_camera(cli *run) {
    camera_run c = {.run = run};
    int status = CLI_ERROR;
    bool arrived = false;
    if (read_question(&c) && globe_load(run, &c.source)) {
        const char *plot = options_value(&run->given, "plot");
        c.ellipsoid = lf_globe_describe(c.source.globe).ellipsoid;
        if (camera_path_read(&c.path, run->given.arguments[1], options_has(&run->given, "centred"),
                             &c.ellipsoid) &&
            fly(&c, &arrived)) {
            progress_clear();
            if ((!plot || camera_path_plot(run, &c.path, plot)) && write_path(&c))
                status = arrived ? CLI_YES : CLI_NO;
        }
    }
    ground_free(&c.source);
    camera_path_free(&c.path);
    return status;
}
