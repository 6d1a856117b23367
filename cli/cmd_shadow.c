#include "answers.h"
#include "ground.h"
#include "sight_rules.h"
#include "sun_place.h"
#include <landfall/ground.h>
#include <math.h>
#include <stdlib.h>

#define DEGREE 0.017453292519943295
#define PLANET (-2) ///< instead of an element: the sun is down

/// What one run of `landfall shadow` knows.
typedef struct shadow_run {
    cli *run;
    loaded ground;
    lf_shadow *shadow;
    lf_light light;
    lf_sight_rules rules; ///< only how the planet is bent
    north north;
    lf_sun_moment moment; ///< of --time
    lf_sun sun;           ///< of --sun
    bool sunlit;          ///< one of these is the light
    double skin;
    row_shape shape;
    lf_vec3 *points;
    bool *lit;
    hits grounds, by;
    bool dark; ///< some point was not lit
} shadow_run;

// ---------------------------------------------------------------------------------------------------
// Writing
// ---------------------------------------------------------------------------------------------------

static void write_line(const shadow_run *shadow, const row *asked, lf_vec3 point, const lf_hit *by) {
    output *out = &shadow->run->out;
    output_vector(out, point, ' ');
    if (by->kind == LF_HIT_NONE) {
        output_text(out, by->element == PLANET ? " shadow -" : " lit");
    } else {
        output_text(out, " shadow ");
        output_integer(out, by->element);
    }
    answer_tail(out, NULL, (columns){0}, asked);
}

/// No ground to ask about.
static void write_reason(const shadow_run *shadow, const row *asked, lf_reason reason) {
    output *out = &shadow->run->out;
    output_number(out, asked->numbers[0]);
    output_char(out, ' ');
    output_number(out, asked->numbers[1]);
    output_text(out, " - ");
    output_text(out, lf_reason_name(reason));
    answer_tail(out, NULL, (columns){0}, asked);
}

static void write_json(const shadow_run *shadow, const row *asked, const lf_hit *ground, const lf_hit *by) {
    json document = json_start(&shadow->run->out, false);
    json_put_object(&document, NULL);
    json_put_numbers(&document, "at", asked->numbers, asked->count);
    if (ground->kind == LF_HIT_NONE) {
        json_put_text(&document, "reason", lf_reason_name(ground->reason));
    } else {
        json_put_vector(&document, "point", ground->point);
        json_put_truth(&document, "lit", by->kind == LF_HIT_NONE && by->element != PLANET);
        if (by->kind != LF_HIT_NONE) {
            json_put_integer(&document, by->kind == LF_HIT_CELL ? "cell" : "polygon", by->element);
            json_put_number(&document, "t", by->t);
        }
    }
    answer_json_rest(&document, asked);
    json_close(&document);
    json_end(&document);
}

static void write_answer(const shadow_run *shadow, const row *asked, const lf_hit *ground, const lf_hit *by) {
    if (shadow->run->json)
        write_json(shadow, asked, ground, by);
    else if (ground->kind != LF_HIT_NONE)
        write_line(shadow, asked, ground->point, by);
    else
        write_reason(shadow, asked, ground->reason);
}

// ---------------------------------------------------------------------------------------------------
// Asking
// ---------------------------------------------------------------------------------------------------

static bool reserve(shadow_run *shadow, int64_t count) {
    if (!hits_reserve(&shadow->grounds, count + 1) || !hits_reserve(&shadow->by, count + 1))
        return false;
    lf_vec3 *points = realloc(shadow->points, (size_t)(count + 1) * sizeof(lf_vec3));
    if (points)
        shadow->points = points;
    bool *lit = realloc(shadow->lit, (size_t)(count + 1) * sizeof(bool));
    if (lit)
        shadow->lit = lit;
    return points && lit;
}

/// Where the points are: those without Z are dropped onto the topmost ground.
static lf_status find_points(shadow_run *shadow, const row *rows, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        shadow->points[i] = (lf_vec3){rows[i].numbers[0], rows[i].numbers[1], LF_INFINITY};
    lf_hit *grounds = shadow->grounds.list;
    lf_status status = lf_ground_height_many(shadow->ground.ground, shadow->points, 0, count, LF_VERTICAL_DOWN,
                                             grounds, 0, &shadow->run->tasks);
    for (int64_t i = 0; i < count && status == LF_OK; i++) {
        if (rows[i].count > 2)
            grounds[i] = (lf_hit){.kind = LF_HIT_TRIANGLE,
                                  .point = {rows[i].numbers[0], rows[i].numbers[1], rows[i].numbers[2]}};
        shadow->points[i] = grounds[i].point; // zero where there is none, and then not looked at
    }
    return status;
}

/// The ray from a point to the light, from where the skin ends to just before the lamp.
static lf_ray ray_to_light(const shadow_run *shadow, lf_vec3 point) {
    bool lamp = shadow->light.kind == LF_LIGHT_POINT;
    lf_vec3 along = lamp ? lf_vec3_sub(shadow->light.vector, point) : lf_vec3_scale(shadow->light.vector, -1);
    lf_vec3 unit = lf_vec3_unit(along);
    lf_ray ray = lf_ray_towards(point, unit);
    ray.t_min = shadow->skin;
    if (lamp)
        ray.t_max = nextafter(lf_vec3_length(along), 0);
    return ray;
}

/// Light from a sun shines against the direction to it.
static void set_sun(shadow_run *shadow, const lf_sun *sun) {
    double azimuth = sun->azimuth_deg * DEGREE, altitude = sun->altitude_deg * DEGREE;
    lf_vec3 shining = {-sin(azimuth) * cos(altitude), -cos(azimuth) * cos(altitude), -sin(altitude)};
    shadow->light = lf_light_along(shining);
}

/// The sun as it stands over a point of a raster; false: it is down there.
static bool turn_to_sun(shadow_run *shadow, lf_vec3 point) {
    lf_sun sun = shadow->sun;
    bool time = options_has(&shadow->run->given, "time");
    if (!north_sun(&shadow->north, (lf_vec2){point.x, point.y}, &shadow->moment, time ? NULL : &shadow->sun,
                   &sun))
        return true; // beyond the map: as over its middle
    set_sun(shadow, &sun);
    return !sun_is_down(&shadow->ground, &shadow->rules.curvature, sun.altitude_deg, point.z);
}

/// On a raster shadows are asked for by rays.
static lf_status ask_rays(shadow_run *shadow, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        bool down = shadow->sunlit && shadow->ground.grid && !turn_to_sun(shadow, shadow->points[i]);
        shadow->by.list[i] = (lf_hit){.kind = LF_HIT_NONE, .element = down ? PLANET : 0};
        shadow->lit[i] = !down;
        if (down)
            continue;
        lf_ray ray = ray_to_light(shadow, shadow->points[i]);
        lf_vec3 d = ray.direction;
        if (ray.t_min <= ray.t_max && (d.x != 0 || d.y != 0 || d.z != 0)) {
            lf_status status = lf_ground_ray_first(shadow->ground.ground, &ray, &shadow->by.list[i], NULL);
            if (status != LF_OK)
                return status;
        }
        shadow->lit[i] = shadow->by.list[i].kind == LF_HIT_NONE;
    }
    return LF_OK;
}

static lf_status ask(shadow_run *shadow, int64_t count) {
    if (shadow->ground.polygons.polygon_count == 0)
        return ask_rays(shadow, count);
    return lf_shadow_many(shadow->shadow, shadow->points, 0, count, shadow->lit, shadow->by.list,
                          &shadow->run->tasks);
}

static bool answer(void *user, const row *rows, int64_t count) {
    shadow_run *shadow = user;
    lf_status status = reserve(shadow, count) ? find_points(shadow, rows, count) : LF_NO_MEMORY;
    if (status == LF_OK)
        status = ask(shadow, count);
    for (int64_t i = 0; i < count && status == LF_OK; i++) {
        const lf_hit *ground = &shadow->grounds.list[i];
        shadow->dark |= ground->kind == LF_HIT_NONE || !shadow->lit[i];
        write_answer(shadow, &rows[i], ground, &shadow->by.list[i]);
    }
    if (status != LF_OK)
        message_status(status, NULL);
    return status == LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// The question
// ---------------------------------------------------------------------------------------------------

/// --sun instead of --light; --time waits for the raster.
static bool read_sun(shadow_run *shadow) {
    const options *given = &shadow->run->given;
    const char *text = options_value(given, "sun"), *time = options_value(given, "time");
    shadow->sun = (lf_sun){0, 90, 0};
    shadow->sunlit = true;
    if (options_has(given, "light") || options_has(given, "point") || (text && time)) {
        message_usage("only one of --light, --sun and --time, and --point goes with --light");
        return false;
    }
    if (!options_number(given, "skin", &shadow->skin) || (text && !sun_read(text, &shadow->sun)) ||
        (time && !sun_moment_read(time, &shadow->moment)) || !sight_rules_read(shadow->run, &shadow->rules) ||
        !north_check(shadow->run))
        return false;
    set_sun(shadow, &shadow->sun);
    return true;
}

/// Check everything that needs no mesh, before the mesh is loaded.
static bool read_question(shadow_run *shadow, bool *from_input) {
    const options *given = &shadow->run->given;
    const char *light = options_value(given, "light");
    row read;
    shadow->shape = (row_shape){2, 3, "X,Y[,Z]"};
    shadow->skin = lf_shadow_def_default().skin;
    if (options_has(given, "sun") || options_has(given, "time"))
        return read_sun(shadow) && answer_source(shadow->run, "at", from_input) && answer_digits(shadow->run);
    if (!light) {
        message_usage("--light is wanted");
        return false;
    }
    if (!row_from_option("light", light, (row_shape){3, 3, "X,Y,Z"}, &read) ||
        !options_number(given, "skin", &shadow->skin))
        return false;
    lf_vec3 vector = {read.numbers[0], read.numbers[1], read.numbers[2]};
    bool lamp = options_has(given, "point");
    shadow->light = lamp ? lf_light_at(vector) : lf_light_along(vector);
    if (!lamp && vector.x == 0 && vector.y == 0 && vector.z == 0) {
        message_error("--light %s: the direction is zero", light);
        return false;
    }
    if (shadow->skin < 0) {
        message_error("--skin %s: 0 or more is wanted", options_value(given, "skin"));
        return false;
    }
    return answer_source(shadow->run, "at", from_input) && answer_digits(shadow->run);
}

static bool build(shadow_run *shadow) {
    const char *time = options_value(&shadow->run->given, "time");
    if (time && !shadow->ground.grid) {
        message_error("--time %s: a mesh has no place on Earth; --sun gives a direction", time);
        return false;
    }
    if (shadow->sunlit && shadow->ground.grid) {
        sight_rules_settle(&shadow->ground, &shadow->rules);
        if (!north_start(shadow->run, &shadow->ground, time != NULL, &shadow->north) ||
            (time && !sun_over_middle(shadow->run, &shadow->north, &shadow->moment, &shadow->sun)))
            return false;
        set_sun(shadow, &shadow->sun);
    }
    if (shadow->ground.polygons.polygon_count == 0)
        return ground_needs_metres(shadow->run, &shadow->ground, "light");
    lf_shadow_def def = lf_shadow_def_default();
    lf_error error = {0};
    def.host = shadow->run->host;
    def.polygons = shadow->ground.polygons;
    def.light = shadow->light;
    def.skin = shadow->skin;
    lf_status status = lf_shadow_create(&def, &shadow->shadow, &error);
    progress_clear();
    if (status != LF_OK)
        message_status(status, &error);
    return status == LF_OK;
}

int command_shadow(cli *run) {
    if (options_has(&run->given, "output"))
        return shadow_map(run);
    shadow_run shadow = {.run = run};
    bool from_input;
    if (!read_question(&shadow, &from_input))
        return CLI_ERROR;
    row *rows = answer_rows(run, "at", shadow.shape);
    int status = CLI_ERROR;
    if (rows && ground_load(run, &shadow.ground) && build(&shadow)) {
        if (from_input)
            status = answer_standard_input(run, shadow.shape, answer, &shadow);
        else if (answer(&shadow, rows, options_count(&run->given, "at")))
            status = shadow.dark ? CLI_NO : CLI_YES;
    }
    hits_free(&shadow.by);
    hits_free(&shadow.grounds);
    free(shadow.lit);
    free(shadow.points);
    lf_shadow_destroy(shadow.shadow);
    north_end(&shadow.north);
    ground_free(&shadow.ground);
    free(rows);
    return status;
}
