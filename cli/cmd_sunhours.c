#include "json.h"
#include "lines.h"
#include "results.h"
#include "sun_place.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS_PER_HOUR 3600.0

/// What one run of `landfall sunhours` knows.
typedef struct hours_run {
    cli *run;
    loaded ground;
    lf_horizon_def def;
    lf_sun_day_def day;
    north north;
    lf_sun_moment *moments; ///< of each step
    double *lengths;        ///< hours that each counts for
    int64_t steps;
    lf_sun *suns; ///< of one part of the raster
    int64_t count;
    int64_t looked_at; ///< suns over the middle
    double between;    ///< hours of them
    float *hours;
} hours_run;

static bool read_date(hours_run *hours) {
    const options *given = &hours->run->given;
    const char *text = options_value(given, "date");
    lf_error error = {0};
    double zone = 0;
    if (!text) {
        message_usage("--date is missing");
        return false;
    }
    if (strlen(text) != 10 || lf_time_read(text, &hours->day.start, &error) != LF_OK) {
        message_error("--date %s: a day is wanted, such as 2026-06-21", text);
        return false;
    }
    if (!options_number(given, "zone", &zone))
        return false;
    if (!(zone >= -14 && zone <= 14)) {
        message_error("--zone %s: -14 to 14 hours are wanted", options_value(given, "zone"));
        return false;
    }
    hours->day.start -= zone * SECONDS_PER_HOUR;
    return true;
}

static bool read_question(hours_run *hours) {
    const options *given = &hours->run->given;
    hours->def = lf_horizon_def_default();
    hours->day = lf_sun_day_def_default();
    if (!read_date(hours) || !options_number(given, "step", &hours->day.step_minutes) ||
        !options_number(given, "range", &hours->def.range) ||
        !sight_rules_read(hours->run, &hours->def.rules) || !result_wanted(hours->run))
        return false;
    if (!(hours->day.step_minutes >= 0.1 && hours->day.step_minutes <= 1440)) {
        message_error("--step %s: 0.1 to 1440 minutes are wanted", options_value(given, "step"));
        return false;
    }
    if (!(hours->def.range > 0)) {
        message_error("--range %s: more than 0 is wanted", options_value(given, "range"));
        return false;
    }
    return true;
}

/// The sun at the middle of each step, before it is known where from.
static bool find_moments(hours_run *hours) {
    double end = 24 * 60, step = hours->day.step_minutes;
    hours->steps = (int64_t)ceil(end / step);
    hours->moments = calloc((size_t)hours->steps, sizeof *hours->moments);
    hours->lengths = calloc((size_t)hours->steps, sizeof *hours->lengths);
    hours->suns = calloc((size_t)hours->steps, sizeof *hours->suns);
    if (!hours->moments || !hours->lengths || !hours->suns) {
        message_error("out of memory");
        return false;
    }
    for (int64_t i = 0; i < hours->steps; i++) {
        double from = (double)i * step, to = fmin(from + step, end);
        hours->lengths[i] = (to - from) / 60;
        if (lf_sun_moment_at(hours->day.start + 30 * (from + to), &hours->moments[i]) != LF_OK) {
            message_error("--date %s: there is no sun to be computed then",
                          options_value(&hours->run->given, "date"));
            return false;
        }
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
    lf_vec2 middle = sun_middle(&hours->ground), lon_lat;
    hours->day.lowest_deg = fmin(hours->day.lowest_deg, sun_lowest(&hours->ground, &hours->def.rules.curvature));
    if (!find_suns(hours, middle, NULL) || !north_place(&hours->north, middle, &lon_lat)) {
        message_error("%s: its middle has no longitude and latitude on Earth",
                      hours->run->given.arguments[0]);
        return false;
    }
    hours->day.lon_deg = lon_lat.x;
    hours->day.lat_deg = lon_lat.y;
    for (int64_t i = 0; i < hours->count; i++)
        hours->between += hours->suns[i].hours;
    hours->looked_at = hours->count;
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
        find_suns(hours, parts[k].middle, turned ? &compass : NULL); // beyond the map: those before
        progress.part = k;
        status = lf_sun_hours(hours->ground.grid, &hours->def, hours->suns, hours->count, w, values,
                              window.columns * (ptrdiff_t)sizeof(float), error);
    }
    hours->def.host = hours->run->host;
    return status;
}

static bool compute(hours_run *hours, lf_window window) {
    lf_error error = {0};
    size_t posts = (size_t)window.columns * (size_t)window.rows;
    int64_t count;
    result_remark(hours->run, window, posts * sizeof(float) + 32 * (size_t)(window.columns + window.rows));
    hours->hours = calloc(posts, sizeof(float));
    if (!hours->hours) {
        message_error("out of memory");
        return false;
    }
    north_part *parts = north_parts(&hours->north, window, SUN_WITHIN_DEG, true, &count);
    if (!parts)
        return false;
    lf_status status = add_parts(hours, window, parts, count, &error);
    free(parts);
    progress_clear();
    if (status != LF_OK)
        message_status(status, &error);
    return status == LF_OK;
}

static int write_map(hours_run *hours, lf_window window) {
    static facts facts;
    lf_result_def def = lf_result_def_default();
    result_look look = {.unit = "h"};
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
    return result_write(hours->run, &hours->ground, &def, &facts, &look);
}

static void write_stats(const hours_run *hours) {
    output *out = &hours->run->out;
    if (!hours->run->json) {
        line_count(out, "suns", hours->looked_at);
        line_number(out, "hours", hours->between);
        line_number(out, "cc", hours->def.rules.curvature.coefficient);
        return;
    }
    json document = json_start(out, true);
    json_put_object(&document, NULL);
    json_put_integer(&document, "suns", hours->looked_at);
    json_put_number(&document, "hours", hours->between);
    sight_rules_put_json(&document, &hours->def.rules);
    json_close(&document);
    json_end(&document);
}

static int work(hours_run *hours) {
    cli *run = hours->run;
    if (!ground_needs_raster(run, &hours->ground))
        return CLI_ERROR;
    hours->def.host = run->host;
    sight_rules_settle(&hours->ground, &hours->def.rules);
    lf_window window = lf_grid_window(hours->ground.grid);
    if (!north_start(run, &hours->ground, true, &hours->north) || !find_moments(hours) ||
        !find_middle(hours) || !compute(hours, window))
        return CLI_ERROR;
    int status = write_map(hours, window);
    if (status == CLI_YES)
        write_stats(hours);
    return status;
}

int command_sunhours(cli *run) {
    hours_run hours = {.run = run};
    int status = CLI_ERROR;
    if (read_question(&hours) && ground_load(run, &hours.ground))
        status = work(&hours);
    free(hours.hours);
    free(hours.suns);
    free(hours.lengths);
    free(hours.moments);
    north_end(&hours.north);
    ground_free(&hours.ground);
    return status;
}
