/// Sun over a whole raster: `landfall shadow RASTER --sun AZIMUTH,ALTITUDE -o FILE` and `landfall sunhours`.
#include "commands.h"
#include "ground.h"
#include "north.h"
#include "option_tables.h"
#include "results.h"
#include <landfall/sight.h>
#include <stdio.h>
#include <string.h>

// ---- Light and shadow ---------------------------------------------------------------------------

typedef struct shade_run {
    cli *run;
    lf_horizon_def def;
    lf_north north;
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

static bool compute_shade(shade_run *shade, lf_window window) {
    lf_error error = {0};
    int64_t samples = window.columns * window.rows;
    bool time = options_has(&shade->run->given, "time");
    result_note(shade->run, window, (size_t)samples + 32 * (size_t)(window.columns + window.rows));
    shade->lit = allocate((size_t)samples, 1);
    if (!succeeded(lf_north_shade(&shade->north, &shade->def, time ? &shade->moment : NULL, &shade->sun,
                                  shade->lit, &error),
                   &error))
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

/// Rules and samples of a map over the ground.
static bool settle_rules(cli *run, lf_horizon_def *def) {
    def->host = run->host;
    def->rules = sight_rules_of(run);
    def->target_on = options_choice(&run->given, "target-on", 1) == 0 ? LF_TARGET_GROUND : LF_TARGET_TOP;
    bool there = ground_lattice(run);
    def->lattice = ground_lattice_of(&run->ground);
    return there;
}

int shadow_map(cli *run) {
    shade_run shade = {.run = run, .def = lf_horizon_def_default()};
    const char *time = options_value(&run->given, "time");
    int status = CLI_ERROR;
    shade.def.range = options_number(&run->given, "range", shade.def.range);
    sun_moment_read(run, &shade.moment);
    if (sun_read(run, &shade.sun) && ground_open(run, TAKES_GLOBES) && settle_rules(run, &shade.def) &&
        north_start(run, time != NULL, &shade.north) &&
        (!time || sun_over_middle(run, &shade.north, &shade.moment, &shade.sun))) {
        lf_window window = lf_grid_window(run->ground.grid);
        shade.cc = shade.def.rules.curvature.coefficient;
        shade.radius = shade.def.rules.curvature.radius;
        status = compute_shade(&shade, window) ? write_shade(&shade, window) : CLI_ERROR;
        if (status == CLI_YES)
            answer_write_facts(run, shade_fields, &shade);
    }
    lf_north_close(&shade.north);
    return status;
}

// ---- Hours of sun -------------------------------------------------------------------------------

#define SECONDS_PER_HOUR 3600.0

/// State of one run of `landfall sunhours`.
typedef struct hours_run {
    cli *run;
    lf_horizon_def def;
    lf_sun_day_def day;
    lf_north north;
    lf_north_day over_middle;
    double cc, radius;
    float *hours;
} hours_run;

const field sunhours_fields[] = {{"suns", FIELD_INTEGER, offsetof(hours_run, over_middle.suns)},
                                 {"hours", FIELD_NUMBER, offsetof(hours_run, over_middle.hours), "h"},
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

static bool compute_hours(hours_run *hours, lf_window window) {
    lf_vec2 middle;
    lf_error error = {0};
    size_t samples = (size_t)window.columns * (size_t)window.rows;
    if (!north_middle(hours->run, &hours->north, &middle))
        return false;
    hours->day.lon_deg = middle.x;
    hours->day.lat_deg = middle.y;
    result_note(hours->run, window, samples * sizeof(float) + 32 * (size_t)(window.columns + window.rows));
    hours->hours = allocate(samples, sizeof(float));
    lf_status status =
        lf_north_hours(&hours->north, &hours->def, &hours->day, hours->hours, &hours->over_middle, &error);
    if (status == LF_UNSUPPORTED)
        return failed("--date %s: the position of the sun is not known then",
                      options_value(&hours->run->given, "date"));
    return succeeded(status, &error);
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
    if (ground_open(run, 0) && settle_rules(run, &hours.def)) {
        lf_window window = lf_grid_window(run->ground.grid);
        hours.cc = hours.def.rules.curvature.coefficient;
        hours.radius = hours.def.rules.curvature.radius;
        if (north_start(run, true, &hours.north) && compute_hours(&hours, window))
            status = write_hours(&hours, window);
    }
    if (status == CLI_YES)
        answer_write_facts(run, sunhours_fields, &hours);
    lf_north_close(&hours.north);
    return status;
}
