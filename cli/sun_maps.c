/// Sun over a whole raster: `landfall shadow RASTER --sun AZIMUTH,ALTITUDE -o FILE` and `landfall sunhours`.
#include "commands.h"
#include "ground.h"
#include "north.h"
#include "option_tables.h"
#include "results.h"
#include <landfall/sight.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- Light and shadow ---------------------------------------------------------------------------

typedef struct shade_run {
    cli *run;
    lf_horizon_def def;
    north north;
    lf_sun_moment moment; ///< of --time
    lf_sun sun;           ///< that was given, or over the middle
    uint8_t *lit;
    double cc, radius;
    int64_t counts[4];
} shade_run;

#define COUNT(name, seen) \
    { name, FIELD_INTEGER, offsetof(shade_run, counts) + (seen) * sizeof(int64_t), "samples" }

const field shade_fields[] = {{"azimuth", FIELD_NUMBER, offsetof(shade_run, sun.azimuth_deg), "degrees"},
                              {"altitude", FIELD_NUMBER, offsetof(shade_run, sun.altitude_deg), "degrees"},
                              COUNT("lit", LF_VISIBILITY_VISIBLE),
                              COUNT("shadow", LF_VISIBILITY_HIDDEN),
                              COUNT("unknown", LF_VISIBILITY_UNKNOWN),
                              COUNT("hole", LF_VISIBILITY_VOID),
                              {"cc", FIELD_NUMBER, offsetof(shade_run, cc)},
                              {"radius", FIELD_NUMBER, offsetof(shade_run, radius), "m", IN_JSON},
                              {NULL}};

/// Part by part: each has its own direction to the light.
static lf_status shade_parts(shade_run *shade, lf_window window, const north_part *parts, int64_t count,
                             lf_error *error) {
    bool time = options_has(&shade->run->given, "time");
    lf_status status = LF_OK;
    north_progress progress;
    shade->def.host = north_host(&shade->run->host, count, &progress);
    for (int64_t k = 0; k < count && status == LF_OK; k++) {
        lf_window w = parts[k].window;
        lf_sun sun = shade->sun; // outside the map as in its middle
        uint8_t *lit = shade->lit + (w.row - window.row) * window.columns + w.column - window.column;
        north_sun(&shade->north, parts[k].middle, &shade->moment, time ? NULL : &shade->sun, &sun);
        progress.part = k;
        status = lf_sun_shade(shade->run->ground.grid, &shade->def, sun, w, lit, window.columns, error);
    }
    shade->def.host = shade->run->host;
    return status;
}

static bool compute_shade(shade_run *shade, lf_window window) {
    lf_error error = {0};
    int64_t samples = window.columns * window.rows, count;
    result_note(shade->run, window, (size_t)samples + 32 * (size_t)(window.columns + window.rows));
    shade->lit = allocate((size_t)samples, 1);
    bool time = options_has(&shade->run->given, "time");
    north_part *parts = north_parts(&shade->north, window, SUN_WITHIN_DEG, time, &count);
    if (!succeeded(shade_parts(shade, window, parts, count, &error), &error))
        return false;
    for (int64_t i = 0; i < samples; i++) {
        shade->counts[shade->lit[i] & 3]++;
        if (shade->lit[i] == LF_VISIBILITY_VOID)
            shade->lit[i] = 255;
    }
    return true;
}

static int write_shade(shade_run *shade, lf_window window) {
    static const lf_figure_name names[] = {
        {{24, 30, 58, 150}, "shadow"}, {{255, 214, 90, 110}, "lit"}, {{140, 70, 160, 170}, "unknown"}};
    static facts facts;
    lf_result_def def = lf_result_def_default();
    const char *time = options_value(&shade->run->given, "time");
    lf_figure_layer look = {.names = names, .name_count = 3};
    facts_start(&facts, shade->run, &shade->def.rules);
    facts_text(&facts, "NORTH", time ? "true" : north_name(shade->run, &shade->north));
    facts_number(&facts, "SUN_AZIMUTH", shade->sun.azimuth_deg);
    facts_number(&facts, "SUN_ALTITUDE", shade->sun.altitude_deg);
    facts_number(&facts, "RANGE_MAX", shade->def.range);
    if (time)
        facts_text(&facts, "TIME", time);
    def.values = shade->lit;
    def.window = window;
    def.nodata_given = true;
    def.nodata = 255;
    return result_write(shade->run, &def, &facts, &look);
}

int shadow_map(cli *run) {
    shade_run shade = {.run = run, .def = lf_horizon_def_default()};
    const char *time = options_value(&run->given, "time");
    int status = CLI_ERROR;
    shade.def.range = options_number(&run->given, "range", shade.def.range);
    sun_moment_read(run, &shade.moment);
    if (sun_read(run, &shade.sun) && ground_open(run, NEEDS_RASTER) &&
        north_start(run, time != NULL, &shade.north) &&
        (!time || sun_over_middle(run, &shade.north, &shade.moment, &shade.sun))) {
        lf_window window = lf_grid_window(run->ground.grid);
        shade.def.host = run->host;
        shade.def.rules = sight_rules_of(run);
        shade.cc = shade.def.rules.curvature.coefficient;
        shade.radius = shade.def.rules.curvature.radius;
        status = compute_shade(&shade, window) ? write_shade(&shade, window) : CLI_ERROR;
        if (status == CLI_YES)
            answer_write_facts(run, shade_fields, &shade);
    }
    north_end(&shade.north);
    return status;
}

// ---- Hours of sun -------------------------------------------------------------------------------

#define SECONDS_PER_HOUR 3600.0

/// State of one run of `landfall sunhours`.
typedef struct hours_run {
    cli *run;
    lf_horizon_def def;
    lf_sun_day_def day;
    north north;
    lf_sun_moment *moments; ///< of each step
    double *lengths;        ///< hours that each counts for
    int64_t steps;
    lf_sun *suns; ///< of one part of the raster
    int64_t count;
    int64_t computed; ///< suns over the middle
    double between;   ///< hours of them
    double cc, radius;
    float *hours;
} hours_run;

const field sunhours_fields[] = {{"suns", FIELD_INTEGER, offsetof(hours_run, computed)},
                                 {"hours", FIELD_NUMBER, offsetof(hours_run, between), "h"},
                                 {"cc", FIELD_NUMBER, offsetof(hours_run, cc)},
                                 {"radius", FIELD_NUMBER, offsetof(hours_run, radius), "m", IN_JSON},
                                 {NULL}};

bool check_date(const char *value, lf_error *why) {
    double start;
    lf_error error = {0};
    if (strlen(value) == 10 && lf_time_read(value, &start, &error) == LF_OK)
        return true;
    snprintf(why->text, sizeof why->text, "expected a day such as 2026-06-21");
    return false;
}

/// The sun at the middle of each step, before it is known where from.
static bool find_moments(hours_run *hours) {
    double end = 24 * 60, step = hours->day.step_minutes;
    hours->steps = (int64_t)ceil(end / step);
    hours->moments = allocate((size_t)hours->steps, sizeof *hours->moments);
    hours->lengths = allocate((size_t)hours->steps, sizeof *hours->lengths);
    hours->suns = allocate((size_t)hours->steps, sizeof *hours->suns);
    for (int64_t i = 0; i < hours->steps; i++) {
        double from = (double)i * step, to = fmin(from + step, end);
        hours->lengths[i] = (to - from) / 60;
        if (lf_sun_moment_at(hours->day.start + 30 * (from + to), &hours->moments[i]) != LF_OK)
            return failed("--date %s: the position of the sun is not known then",
                          options_value(&hours->run->given, "date"));
    }
    return true;
}

/// The suns over a place that may light something, as the map has them.
static bool find_suns(hours_run *hours, lf_vec2 at, const lf_compass *compass) {
    lf_vec2 lon_lat;
    if (!north_place(&hours->north, at, &lon_lat))
        return false;
    hours->count = 0;
    for (int64_t i = 0; i < hours->steps; i++) {
        lf_sun sun;
        if (lf_sun_over(&hours->moments[i], lon_lat.x, lon_lat.y, true, &sun) != LF_OK ||
            sun.altitude_deg < hours->day.lowest_deg)
            continue;
        if (compass)
            sun.azimuth_deg = lf_compass_to_map(compass, sun.azimuth_deg);
        sun.hours = hours->lengths[i];
        hours->suns[hours->count++] = sun;
    }
    return true;
}

/// The suns over the middle, whose number is printed.
static bool find_middle(hours_run *hours) {
    lf_vec2 middle = sun_middle(&hours->run->ground), lon_lat;
    hours->day.lowest_deg =
        fmin(hours->day.lowest_deg, sun_lowest(&hours->run->ground, &hours->def.rules.curvature));
    if (!find_suns(hours, middle, NULL) || !north_place(&hours->north, middle, &lon_lat))
        return failed("%s: its middle has no longitude and latitude on Earth",
                      hours->run->given.arguments[0]);
    hours->day.lon_deg = lon_lat.x;
    hours->day.lat_deg = lon_lat.y;
    for (int64_t i = 0; i < hours->count; i++)
        hours->between += hours->suns[i].hours;
    hours->computed = hours->count;
    return true;
}

static lf_status add_parts(hours_run *hours, lf_window window, const north_part *parts, int64_t count,
                           lf_error *error) {
    lf_status status = LF_OK;
    north_progress progress;
    hours->def.host = north_host(&hours->run->host, count, &progress);
    for (int64_t k = 0; k < count && status == LF_OK; k++) {
        lf_window w = parts[k].window;
        lf_compass compass;
        float *values = hours->hours + (w.row - window.row) * window.columns + w.column - window.column;
        bool turned = north_turns(&hours->north, parts[k].middle, &compass);
        find_suns(hours, parts[k].middle, turned ? &compass : NULL); // outside the map: those before
        progress.part = k;
        status = lf_sun_hours(hours->run->ground.grid, &hours->def, hours->suns, hours->count, w, values,
                              window.columns * (ptrdiff_t)sizeof(float), error);
    }
    hours->def.host = hours->run->host;
    return status;
}

static bool compute_hours(hours_run *hours, lf_window window) {
    lf_error error = {0};
    size_t samples = (size_t)window.columns * (size_t)window.rows;
    int64_t count;
    result_note(hours->run, window, samples * sizeof(float) + 32 * (size_t)(window.columns + window.rows));
    hours->hours = allocate(samples, sizeof(float));
    north_part *parts = north_parts(&hours->north, window, SUN_WITHIN_DEG, true, &count);
    return succeeded(add_parts(hours, window, parts, count, &error), &error);
}

static int write_hours(hours_run *hours, lf_window window) {
    static facts facts;
    lf_result_def def = lf_result_def_default();
    lf_figure_layer look = {.unit = "h"};
    facts_start(&facts, hours->run, &hours->def.rules);
    facts_text(&facts, "DATE", options_value(&hours->run->given, "date"));
    facts_number(&facts, "START", hours->day.start);
    facts_number(&facts, "STEP_MINUTES", hours->day.step_minutes);
    facts_number(&facts, "LONGITUDE", hours->day.lon_deg);
    facts_number(&facts, "LATITUDE", hours->day.lat_deg);
    facts_number(&facts, "RANGE_MAX", hours->def.range);
    def.type = LF_RESULT_FLOAT;
    def.values = hours->hours;
    def.window = window;
    def.nodata_given = true;
    def.nodata = LF_NAN;
    def.unit = "h";
    return result_write(hours->run, &def, &facts, &look);
}

int command_sunhours(cli *run) {
    const options *given = &run->given;
    hours_run hours = {.run = run, .def = lf_horizon_def_default(), .day = lf_sun_day_def_default()};
    lf_error error = {0};
    int status = CLI_ERROR;
    lf_time_read(options_value(given, "date"), &hours.day.start, &error);
    hours.day.start -= options_number(given, "zone", 0) * SECONDS_PER_HOUR;
    hours.day.step_minutes = options_number(given, "step", hours.day.step_minutes);
    hours.def.range = options_number(given, "range", hours.def.range);
    if (ground_open(run, 0)) {
        lf_window window = lf_grid_window(run->ground.grid);
        hours.def.host = run->host;
        hours.def.rules = sight_rules_of(run);
        hours.cc = hours.def.rules.curvature.coefficient;
        hours.radius = hours.def.rules.curvature.radius;
        if (north_start(run, true, &hours.north) && find_moments(&hours) && find_middle(&hours) &&
            compute_hours(&hours, window))
            status = write_hours(&hours, window);
    }
    if (status == CLI_YES)
        answer_write_facts(run, sunhours_fields, &hours);
    north_end(&hours.north);
    return status;
}
