#include "file_output.h"
#include "json.h"
#include "lines.h"
#include "overlay.h"
#include "points.h"
#include "render_globe.h"
#include "sun_place.h"
#include "things.h"
#include <math.h>
#include <string.h>

#define FARTHEST 1e30 // from the origin

/// What one run of `landfall render` knows.
typedef struct render_run {
    cli *run;
    loaded ground;
    overlay overlay;
    things things;
    const lf_ground *tiles; ///< of a globe, as the view wants them
    lf_render_def def;
    double azimuth; ///< of the sun, as it was asked for
    int64_t width, height;
    double exaggerate;
} render_run;

// ---------------------------------------------------------------------------------------------------
// The question
// ---------------------------------------------------------------------------------------------------

static bool read_point(const render_run *render, const char *name, lf_vec3 *point) {
    const char *text = options_value(&render->run->given, name);
    row read;
    if (!text)
        return true;
    if (render->ground.globe)
        return render_globe_position(&render->ground, name, text, point);
    if (!row_from_option(name, text, (row_shape){3, 3, "X,Y,Z"}, &read))
        return false;
    *point = (lf_vec3){read.numbers[0], read.numbers[1], read.numbers[2]};
    for (int i = 0; i < 3; i++)
        if (!(fabs(read.numbers[i]) <= FARTHEST)) {
            message_error("--%s %s: numbers within 1e30 are wanted", name, text);
            return false;
        }
    return true;
}

static bool read_size(render_run *render) {
    const char *text = options_value(&render->run->given, "size");
    row read;
    render->width = 1280, render->height = 720;
    if (!text)
        return true;
    if (!row_from_option("size", text, (row_shape){2, 2, "WIDTH,HEIGHT"}, &read))
        return false;
    for (int i = 0; i < 2; i++)
        if (!(read.numbers[i] >= 16 && read.numbers[i] <= 20000 &&
              read.numbers[i] == floor(read.numbers[i]))) {
            message_error("--size %s: whole numbers from 16 to 20000 are wanted", text);
            return false;
        }
    render->width = (int64_t)read.numbers[0], render->height = (int64_t)read.numbers[1];
    return true;
}

static bool within(const options *given, const char *name, double value, double low, double high) {
    if (value >= low && value <= high)
        return true;
    message_error("--%s %s: a number from %g to %g is wanted", name, options_value(given, name), low, high);
    return false;
}

static bool read_light(render_run *render) {
    const options *given = &render->run->given;
    const char *sun = options_value(given, "sun");
    lf_sun place;
    if (sun && options_has(given, "time")) {
        message_usage("--sun or --time, not both");
        return false;
    }
    if (!sun)
        return true;
    if (!sun_read(sun, &place))
        return false;
    render->azimuth = render->def.sun_azimuth_deg = place.azimuth_deg;
    render->def.sun_height_deg = place.altitude_deg;
    if (place.altitude_deg > 0)
        return true;
    message_error("--sun %s: the sun has to stand above the horizon", sun);
    return false;
}

static bool read_question(render_run *render) {
    const options *given = &render->run->given;
    const char *path = options_value(given, "output");
    int64_t samples = 2;
    render->def = lf_render_def_default();
    render->azimuth = render->def.sun_azimuth_deg;
    render->exaggerate = 1;
    if (!path) {
        message_usage("-o FILE is missing");
        return false;
    }
    if (!path_ends(path, ".png")) {
        message_error("-o %s: the ending has to be .png", path);
        return false;
    }
    if (!read_size(render) || !read_light(render) || !north_check(render->run) ||
        !options_number(given, "fov", &render->def.fov_deg) ||
        !options_number(given, "haze", &render->def.haze) ||
        !options_number(given, "exaggerate", &render->exaggerate) ||
        !options_integer(given, "samples", 1, 8, &samples))
        return false;
    render->def.samples = (int)samples;
    if (options_has(given, "no-shadows"))
        render->def.shadows = 0;
    return within(given, "fov", render->def.fov_deg, 1, 170) &&
           within(given, "haze", render->def.haze, 0, 1) &&
           within(given, "exaggerate", render->exaggerate, 0.01, 1000);
}

/// Where from and what at, in the ground's own way.
static bool read_view(render_run *render) {
    if (render->ground.globe && render->exaggerate != 1) {
        message_error("--exaggerate %s: planets are drawn as they are",
                      options_value(&render->run->given, "exaggerate"));
        return false;
    }
    if (!read_point(render, "eye", &render->def.eye) || !read_point(render, "look", &render->def.target))
        return false;
    if (memcmp(&render->def.eye, &render->def.target, sizeof(lf_vec3)) != 0 || isnan(render->def.eye.x))
        return true;
    message_error("--look %s: the eye is there too", options_value(&render->run->given, "look"));
    return false;
}

// ---------------------------------------------------------------------------------------------------
// The picture
// ---------------------------------------------------------------------------------------------------

static lf_colour paint(void *user, lf_vec3 point) {
    const render_run *render = user;
    if (render->ground.globe)
        point = render_globe_place(&render->ground, point);
    return overlay_at(&render->overlay, (lf_vec2){point.x, point.y});
}

/// Degrees are as long as they are in the middle of the ground.
static void set_units(render_run *render) {
    lf_render_def *def = &render->def;
    lf_vec2 metres = ground_metres(&render->ground, lf_ground_box(render->ground.ground));
    def->metres = (lf_vec3){metres.x, metres.y, render->exaggerate};
}

static bool set_time(render_run *render) {
    const char *time = options_value(&render->run->given, "time");
    lf_sun sun;
    if (!render->ground.grid && time) {
        message_error("--time %s: only rasters have one place on Earth; --sun gives a direction", time);
        return false;
    }
    if (!render->ground.grid || (!time && !options_has(&render->run->given, "sun")))
        return true;
    north north;
    lf_sun_moment moment;
    if ((time && !sun_moment_read(time, &moment)) ||
        !north_start(render->run, &render->ground, time != NULL, &north))
        return false;
    sun = (lf_sun){render->azimuth, render->def.sun_height_deg, 0};
    bool fine = !time || sun_over_middle(render->run, &north, &moment, &sun);
    render->azimuth = sun.azimuth_deg;
    if (fine)
        north_sun(&north, sun_middle(&render->ground), &moment,
                  time ? NULL : &(lf_sun){sun.azimuth_deg, sun.altitude_deg, 0}, &sun);
    render->def.sun_azimuth_deg = sun.azimuth_deg;
    render->def.sun_height_deg = sun.altitude_deg;
    north_end(&north);
    if (!fine || !time)
        return fine;
    if (sun.altitude_deg > 0)
        return true;
    message_error("--time %s: the sun is below the horizon, by %.1f degrees", time, -sun.altitude_deg);
    return false;
}

/// What was shown, so that the next picture can start from it.
static void write_view(const render_run *render) {
    const lf_render_def *view = &render->def;
    output *out = &render->run->out;
    lf_vec3 eye = view->eye, look = view->target;
    if (render->ground.globe) {
        eye = render_globe_place(&render->ground, eye);
        look = render_globe_place(&render->ground, look);
    }
    if (!render->run->json) {
        line_vector(out, "eye", eye);
        line_vector(out, "look", look);
        line_number(out, "fov", view->fov_deg);
        line_number(out, "azimuth", render->azimuth);
        line_number(out, "altitude", view->sun_height_deg);
        return;
    }
    json document = json_start(out, true);
    json_put_object(&document, NULL);
    json_put_vector(&document, "eye", eye);
    json_put_vector(&document, "look", look);
    json_put_number(&document, "fov", view->fov_deg);
    json_put_number(&document, "azimuth", render->azimuth);
    json_put_number(&document, "altitude", view->sun_height_deg);
    json_close(&document);
    json_end(&document);
}

/// What is left to be chosen: where one looks from, and at what.
static lf_status settle(render_run *render, lf_error *error) {
    double aspect = (double)render->width / (double)render->height;
    return render->ground.globe
               ? render_globe_settle(&render->ground, aspect, &render->def, error)
               : lf_render_resolve(render->ground.ground, &render->def, aspect, &render->def, error);
}

static int draw(render_run *render) {
    lf_canvas_def def = lf_canvas_def_default();
    const lf_ground *ground = render->ground.ground;
    lf_canvas *canvas = NULL;
    lf_error error = {0};
    def.host = render->run->host;
    def.width = render->width;
    def.height = render->height;
    if (overlay_there(&render->overlay)) {
        render->def.paint = paint;
        render->def.paint_user = render;
    }
    if (things_there(&render->things)) {
        render->def.objects = things_met;
        render->def.objects_user = &render->things;
    }
    lf_status status = settle(render, &error);
    if (status == LF_OK && render->ground.globe) {
        status = render_globe_load(render->run, &render->ground, &render->def, render->width, &render->tiles);
        ground = render->tiles;
    }
    if (status == LF_OK)
        status = lf_canvas_create(&def, &canvas, &error);
    if (status == LF_OK)
        status = lf_canvas_render(canvas, lf_canvas_area(canvas), ground, &render->def, &error);
    progress_clear();
    if (status == LF_OK)
        status = lf_canvas_write(canvas, options_value(&render->run->given, "output"), &error);
    lf_canvas_destroy(canvas);
    if (status != LF_OK)
        return message_status(status, &error);
    write_view(render);
    return CLI_YES;
}

int command_render(cli *run) {
    render_run render = {.run = run};
    int status = CLI_ERROR;
    if (read_question(&render) && ground_load(run, &render.ground) && read_view(&render) &&
        set_time(&render) && overlay_load(run, &render.ground, &render.overlay)) {
        set_units(&render);
        if (things_load(run, &render.ground, render.def.metres, &render.things))
            status = draw(&render);
    }
    things_free(&render.things);
    overlay_free(&render.overlay);
    ground_free(&render.ground);
    return status;
}
