/// Sun over a whole raster: `landfall shadow RASTER --sun AZIMUTH,ALTITUDE -o FILE` and `landfall sunhours`.
#include "commands.h"
#include "ground.h"
#include "north.h"
#include "option_tables.h"
#include "tiles.h"
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

static bool compute_shade(tile_job *job, lf_window window, void *values, tile_sums *sums) {
    shade_run *shade = job->user;
    lf_error error = {0};
    int64_t samples = window.columns * window.rows;
    uint8_t *lit = values;
    bool time = options_has(&shade->run->given, "time");
    shade->north.window = window;
    if (!succeeded(lf_north_shade(&shade->north, &shade->def, time ? &shade->moment : NULL, &shade->sun, lit,
                                  &error),
                   &error))
        return false;
    for (int64_t i = 0; i < samples; i++) {
        sums->counts[lit[i] & 3]++;
        if (lit[i] == LF_VISIBILITY_VOID)
            lit[i] = 255;
    }
    return true;
}

static int write_shade(shade_run *shade, tile_job *job) {
    static const lf_figure_name names[] = {
        {{24, 30, 58, 150}, "shadow"}, {{255, 214, 90, 110}, "lit"}, {{140, 70, 160, 170}, "unknown"}};
    static facts facts;
    const char *time = options_value(&shade->run->given, "time");
    lf_figure_layer look = {.names = names, .name_count = 3};
    facts_start(&facts, shade->run, &shade->def.rules);
    facts_text(&facts, "NORTH", time ? "true" : north_name(shade->run, &shade->north));
    facts_number(&facts, "SUN_AZIMUTH", shade->sun.azimuth_deg);
    facts_number(&facts, "SUN_ALTITUDE", shade->sun.altitude_deg);
    facts_number(&facts, "RANGE_MAX", shade->def.range);
    if (time)
        facts_text(&facts, "TIME", time);
    return tiles_write(job, &facts, &look);
}

/// Rules and samples of a map over the ground.
static bool settle_rules(cli *run, lf_horizon_def *def) {
    def->host = run->host;
    def->rules = sight_rules_of(run);
    def->target_on = options_choice(&run->given, "target-on", 1) == 0 ? LF_TARGET_GROUND : LF_TARGET_TOP;
    bool there = ground_lattice(run);
    def->lattice = ground_lattice_of(&run->ground);
    def->places = run->ground.lattice_places;
    return there;
}

/// The suns over the middle of a raster do not depend on its heights.
static bool start_shade(tile_job *job) {
    shade_run *shade = job->user;
    cli *run = job->run;
    bool time = options_has(&run->given, "time");
    if (!settle_rules(run, &shade->def) || !north_start(run, time, &shade->north) ||
        (time && !sun_over_middle(run, &shade->north, &shade->moment, &shade->sun)))
        return false;
    shade->cc = shade->def.rules.curvature.coefficient;
    shade->radius = shade->def.rules.curvature.radius;
    job->window = lf_grid_window(run->ground.grid);
    job->scratch = 32 * (size_t)(job->window.columns + job->window.rows);
    job->result.nodata_given = true;
    job->result.nodata = 255;
    return true;
}

static void end_shade(tile_job *job) {
    shade_run *shade = job->user;
    lf_north_close(&shade->north);
}

int shadow_map(cli *run) {
    shade_run shade = {.run = run, .def = lf_horizon_def_default()};
    int status = CLI_ERROR;
    shade.def.range = options_number(&run->given, "range", shade.def.range);
    sun_moment_read(run, &shade.moment);
    tile_job job = {.run = run,
                    .user = &shade,
                    .needs = TAKES_GLOBES,
                    .range = shade.def.range,
                    .start = start_shade,
                    .end = end_shade,
                    .compute = compute_shade,
                    .sample_bytes = 1,
                    .result = lf_result_def_default()};
    if (sun_read(run, &shade.sun) && tiles_compute(&job)) {
        for (int k = 0; k < 4; k++)
            shade.counts[k] = job.sums.counts[k];
        status = write_shade(&shade, &job);
        if (status == CLI_YES && !tiles_silent())
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

static bool compute_hours(tile_job *job, lf_window window, void *values, tile_sums *sums) {
    hours_run *hours = job->user;
    lf_error error = {0};
    (void)sums;
    hours->north.window = window;
    lf_status status =
        lf_north_hours(&hours->north, &hours->def, &hours->day, values, &hours->over_middle, &error);
    if (status == LF_UNSUPPORTED)
        return failed("--date %s: the position of the sun is not known then",
                      options_value(&hours->run->given, "date"));
    return succeeded(status, &error);
}

static bool start_hours(tile_job *job) {
    hours_run *hours = job->user;
    cli *run = job->run;
    lf_vec2 middle;
    if (!settle_rules(run, &hours->def) || !north_start(run, true, &hours->north) ||
        !north_middle(run, &hours->north, &middle))
        return false;
    hours->day.lon_deg = middle.x;
    hours->day.lat_deg = middle.y;
    hours->cc = hours->def.rules.curvature.coefficient;
    hours->radius = hours->def.rules.curvature.radius;
    job->window = lf_grid_window(run->ground.grid);
    job->scratch = 32 * (size_t)(job->window.columns + job->window.rows);
    job->result.type = LF_RESULT_FLOAT;
    job->result.nodata_given = true;
    job->result.nodata = LF_NAN;
    job->result.unit = "h";
    return true;
}

static void end_hours(tile_job *job) {
    hours_run *hours = job->user;
    lf_north_close(&hours->north);
}

static int write_hours(hours_run *hours, tile_job *job) {
    static facts facts;
    lf_figure_layer look = {.unit = "h"};
    facts_start(&facts, hours->run, &hours->def.rules);
    facts_text(&facts, "DATE", options_value(&hours->run->given, "date"));
    facts_number(&facts, "START", hours->day.start);
    facts_number(&facts, "STEP_MINUTES", hours->day.step_minutes);
    facts_number(&facts, "LONGITUDE", hours->day.lon_deg);
    facts_number(&facts, "LATITUDE", hours->day.lat_deg);
    facts_number(&facts, "RANGE_MAX", hours->def.range);
    return tiles_write(job, &facts, &look);
}

/// The suns over the middle; a run that found all tiles done has computed none.
static bool suns_known(hours_run *hours, const tile_job *job) {
    float value;
    lf_window one = {job->window.column, job->window.row, 1, 1};
    tile_sums none = {0};
    tile_job ask = *job;
    return hours->over_middle.suns > 0 || compute_hours(&ask, one, &value, &none);
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
    tile_job job = {.run = run,
                    .user = &hours,
                    .range = hours.def.range,
                    .start = start_hours,
                    .end = end_hours,
                    .compute = compute_hours,
                    .sample_bytes = 9,
                    .result = lf_result_def_default()};
    if (tiles_compute(&job) && suns_known(&hours, &job))
        status = write_hours(&hours, &job);
    if (status == CLI_YES && !tiles_silent())
        answer_write_facts(run, sunhours_fields, &hours);
    lf_north_close(&hours.north);
    return status;
}
