#include "json.h"
#include "lines.h"
#include "results.h"
#include "sun_place.h"
#include <stdlib.h>
#include <string.h>

#define SECONDS_PER_HOUR 3600.0

/// What one run of `landfall sunhours` knows.
typedef struct hours_run {
    cli *run;
    loaded ground;
    lf_horizon_def def;
    lf_sun_day_def day;
    lf_sun *suns;
    int64_t count;
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

static bool find_suns(hours_run *hours) {
    lf_vec2 at;
    lf_error error = {0};
    int64_t room = (int64_t)(24 * 60 / hours->day.step_minutes) + 2;
    if (!sun_place(hours->run, &hours->ground, &at))
        return false;
    hours->day.lon_deg = at.x;
    hours->day.lat_deg = at.y;
    hours->suns = calloc((size_t)room, sizeof(lf_sun));
    lf_status status =
        hours->suns ? lf_sun_day(&hours->day, hours->suns, room, &hours->count, &error) : LF_NO_MEMORY;
    if (status != LF_OK)
        message_status(status, &error);
    return status == LF_OK;
}

static bool compute(hours_run *hours, lf_window window) {
    lf_error error = {0};
    size_t posts = (size_t)window.columns * (size_t)window.rows;
    result_remark(hours->run, window, posts * sizeof(float) + 32 * (size_t)(window.columns + window.rows));
    hours->hours = calloc(posts, sizeof(float));
    if (!hours->hours) {
        message_error("out of memory");
        return false;
    }
    lf_status status = lf_sun_hours(hours->ground.grid, &hours->def, hours->suns, hours->count, window,
                                    hours->hours, 0, &error);
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
    double most = 0;
    for (int64_t i = 0; i < hours->count; i++)
        most += hours->suns[i].hours;
    output *out = &hours->run->out;
    if (!hours->run->json) {
        line_count(out, "suns", hours->count);
        line_number(out, "hours", most);
        line_number(out, "cc", hours->def.rules.bend.coefficient);
        return;
    }
    json document = json_start(out, true);
    json_put_object(&document, NULL);
    json_put_integer(&document, "suns", hours->count);
    json_put_number(&document, "hours", most);
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
    if (!find_suns(hours) || !compute(hours, window))
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
    ground_free(&hours.ground);
    return status;
}
