#include "commands.h"
#include "ground.h"
#include "map.h"
#include "north.h"
#include "things.h"
#include <math.h>
#include <string.h>

/// State of one run of `landfall render`, and what it prints: the view, so that the next picture can start from it.
typedef struct render_run {
    cli *run;
    overlay overlay;
    things things;
    lf_render_def def;
    int64_t width, height;
    lf_vec3 eye, look;
    double azimuth, altitude; ///< of the sun, as they were given
} render_run;

#define VIEW(name, type, member, unit) \
    { name, type, offsetof(render_run, member), unit }

const field render_fields[] = {VIEW("eye", FIELD_VECTOR, eye, "m"),
                               VIEW("look", FIELD_VECTOR, look, "m"),
                               VIEW("fov", FIELD_NUMBER, def.fov_deg, "degrees"),
                               VIEW("azimuth", FIELD_NUMBER, azimuth, "degrees"),
                               VIEW("altitude", FIELD_NUMBER, altitude, "degrees"),
                               {NULL}};

// ---- Globes -------------------------------------------------------------------------------------

/// LON,LAT,HEIGHT as a position of the globe's.
static bool globe_position(const cli *run, const char *name, lf_vec3 *point) {
    lf_globe_info info = lf_globe_describe(run->ground.globe);
    lf_geodetic place = {point->x, point->y, point->z};
    *point = lf_ellipsoid_to_centred(&info.ellipsoid, place);
    if (fabs(place.lat_deg) <= 90)
        return true;
    return failed("--%s %s: the latitude is beyond 90 degrees", name, options_value(&run->given, name));
}

/// Rounded to nanodegrees and millimetres: what is left is rounding.
static double shorten(double value, double steps) {
    return floor(value * steps + 0.5) / steps;
}

/// A position of the globe's as LON,LAT,HEIGHT.
static lf_vec3 globe_place(const loaded *ground, lf_vec3 position) {
    lf_globe_info info = lf_globe_describe(ground->globe);
    lf_geodetic place = lf_ellipsoid_to_geodetic(&info.ellipsoid, position);
    return (lf_vec3){shorten(place.lon_deg, 1e9), shorten(place.lat_deg, 1e9), shorten(place.height, 1e3)};
}

// ---- The question -------------------------------------------------------------------------------

static bool read_point(const render_run *render, const char *name, lf_vec3 *point) {
    const cli *run = render->run;
    if (!options_has(&run->given, name))
        return true;
    *point = options_vector(&run->given, name, *point);
    return !run->ground.globe || globe_position(run, name, point);
}

static bool read_question(render_run *render) {
    const options *given = &render->run->given;
    lf_render_def *def = &render->def;
    double size[ROW_NUMBERS] = {1280, 720};
    *def = lf_render_def_default();
    lf_sun sun = {def->sun_azimuth_deg, def->sun_height_deg, 0};
    options_numbers(given, "size", 0, size);
    render->width = (int64_t)size[0];
    render->height = (int64_t)size[1];
    def->fov_deg = options_number(given, "fov", def->fov_deg);
    def->haze = options_number(given, "haze", def->haze);
    def->samples = (int)options_integer(given, "samples", 2);
    if (options_has(given, "no-shadows"))
        def->shadows = 0;
    if (!sun_read(render->run, &sun))
        return false;
    render->azimuth = def->sun_azimuth_deg = sun.azimuth_deg;
    render->altitude = def->sun_height_deg = sun.altitude_deg;
    if (sun.altitude_deg > 0)
        return true;
    return refused("--sun %s: expected an altitude above 0", options_value(given, "sun"));
}

/// Eye and look, in the ground's own units.
static bool read_view(render_run *render) {
    if (!read_point(render, "eye", &render->def.eye) || !read_point(render, "look", &render->def.target))
        return false;
    if (memcmp(&render->def.eye, &render->def.target, sizeof(lf_vec3)) != 0 || isnan(render->def.eye.x))
        return true;
    return failed("--look %s: the same point as --eye", options_value(&render->run->given, "look"));
}

// ---- The picture --------------------------------------------------------------------------------

static lf_colour paint(void *user, lf_vec3 point) {
    const render_run *render = user;
    if (render->run->ground.globe)
        point = globe_place(&render->run->ground, point);
    return lf_figure_overlay_at(&render->overlay.values, (lf_vec2){point.x, point.y});
}

static bool set_time(render_run *render) {
    const char *time = options_value(&render->run->given, "time");
    lf_sun sun;
    if (!render->run->ground.grid && time)
        return failed("--time %s: only rasters have one position on Earth; --sun gives a direction", time);
    if (!render->run->ground.grid || (!time && !options_has(&render->run->given, "sun")))
        return true;
    lf_north north = {0};
    lf_sun_moment moment;
    sun_moment_read(render->run, &moment);
    sun = (lf_sun){render->azimuth, render->def.sun_height_deg, 0};
    bool fine = north_start(render->run, time != NULL, &north) &&
                (!time || sun_over_middle(render->run, &north, &moment, &sun));
    render->azimuth = sun.azimuth_deg;
    if (fine)
        lf_north_sun(&north, lf_north_middle(&north), &moment,
                     time ? NULL : &(lf_sun){sun.azimuth_deg, sun.altitude_deg, 0}, &sun);
    render->def.sun_azimuth_deg = sun.azimuth_deg;
    render->altitude = render->def.sun_height_deg = sun.altitude_deg;
    lf_north_close(&north);
    if (!fine || !time)
        return fine;
    if (sun.altitude_deg > 0)
        return true;
    return failed("--time %s: the sun is below the horizon, by %.1f degrees", time, -sun.altitude_deg);
}

static int draw(render_run *render) {
    cli *run = render->run;
    lf_figure_page page = figure_page(run, options_value(&run->given, "output"), render->width);
    lf_error error = {0};
    page.height = render->height;
    if (render->overlay.raster.grid) {
        render->def.paint = paint;
        render->def.paint_user = render;
    }
    if (things_there(&render->things)) {
        render->def.objects = things_met;
        render->def.objects_user = &render->things;
    }
    if (!succeeded(lf_figure_view(&page, run->ground.ground, run->ground.globe, &render->def, &error),
                   &error))
        return CLI_ERROR;
    render->eye = run->ground.globe ? globe_place(&run->ground, render->def.eye) : render->def.eye;
    render->look = run->ground.globe ? globe_place(&run->ground, render->def.target) : render->def.target;
    answer_write_facts(run, render_fields, render);
    return CLI_YES;
}

int command_render(cli *run) {
    render_run render = {.run = run};
    int status = CLI_ERROR;
    if (read_question(&render) && ground_open(run, 0) && read_view(&render) && set_time(&render) &&
        overlay_load(run, &run->ground, &render.overlay)) {
        // Degrees are as long as they are in the middle of the ground.
        lf_vec2 metres = ground_metres(&run->ground, lf_ground_box(run->ground.ground));
        render.def.metres = (lf_vec3){metres.x, metres.y, options_number(&run->given, "exaggerate", 1)};
        if (things_load(run, &run->ground, render.def.metres, &render.things))
            status = draw(&render);
    }
    things_free(&render.things);
    ground_free(&render.overlay.raster);
    return status;
}
