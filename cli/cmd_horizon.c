#include "commands.h"
#include "ground.h"
#include "north.h"
#include "option_tables.h"
#include "plots.h"
#include "reach.h"
#include "tiles.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_BANDS 360

/// State of one run of `landfall horizon`.
typedef struct horizon_run {
    cli *run;
    lf_north north;
    lf_sight_rules rules;
    double eye, range;
    double azimuths_of_map[MOST_BANDS];
    double *azimuths;
    int64_t count;
    lf_target_on target_on;
    int64_t directions; ///< of the sky; 0: a point or a map
} horizon_run;

// ---- The question -------------------------------------------------------------------------------

/// --azimuth as often as it is given, or all around.
static void read_directions(horizon_run *horizon) {
    const options *given = &horizon->run->given;
    int count = options_count(given, "azimuth");
    double step = options_number(given, "step", 1), n[ROW_NUMBERS];
    horizon->count = count > 0 ? count : (int64_t)ceil(360 / step - 1e-9);
    horizon->azimuths = allocate((size_t)horizon->count, sizeof(double));
    for (int64_t i = 0; i < horizon->count; i++) {
        horizon->azimuths[i] = (double)i * step;
        if (count > 0 && options_numbers(given, "azimuth", (int)i, n) > 0)
            horizon->azimuths[i] = n[0];
    }
}

/// "90" or "0,90,180". Returns how many; 0 where one of them is not a number or there are too many.
static int64_t read_bands(const char *text, double azimuths[MOST_BANDS]) {
    int64_t count = 0;
    for (const char *p = text, *end = text + strlen(text);; p++) {
        if (count == MOST_BANDS || number_read(p, end, &azimuths[count++], &p) != NUMBER_FINE ||
            (*p && *p != ','))
            return 0;
        if (!*p)
            return count;
    }
}

bool check_directions(const char *value, lf_error *why) {
    double azimuths[MOST_BANDS];
    snprintf(why->text, sizeof why->text, "expected 1 to %d numbers with commas between", MOST_BANDS);
    return read_bands(value, azimuths) > 0;
}

// ---- Of a point ---------------------------------------------------------------------------------

enum { GROUND = 1, NO_GROUND = 2 };

typedef struct horizon_answer {
    unsigned has;
    double azimuth, cc;
    lf_horizon found;
    const char *reason;
} horizon_answer;

#define ANSWER(name, type, member, unit, forms, when) \
    { name, type, offsetof(horizon_answer, member), unit, forms, when }
#define HORIZON_FIELDS                                                                \
    ANSWER("azimuth", FIELD_NUMBER, azimuth, "degrees", 0, 0),                        \
        ANSWER("-", FIELD_NAME, reason, NULL, IN_TEXT, NO_GROUND),                    \
        ANSWER("reason", FIELD_TEXT, reason, NULL, IN_TEXT | IN_JSON, NO_GROUND),     \
        ANSWER("elevation", FIELD_NUMBER, found.elevation_deg, "degrees", 0, GROUND), \
        ANSWER("distance", FIELD_NUMBER, found.distance, "m", 0, GROUND),             \
        ANSWER("point", FIELD_VECTOR, found.point, "m", 0, GROUND),                   \
        ANSWER("hole", FIELD_TRUTH, found.hole, NULL, 0, 0)

const field horizon_fields[] = {HORIZON_FIELDS, ANSWER("cc", FIELD_NUMBER, cc, NULL, LABELLED, 0), {NULL}};
static const field direction_fields[] = {HORIZON_FIELDS, {NULL}}; ///< in a document, which has cc once

typedef struct skyline_answer {
    lf_vec3 from;
    double cc, radius;
    field_span horizon;
} skyline_answer;

static const field skyline_fields[] = {{"from", FIELD_VECTOR, offsetof(skyline_answer, from), "m"},
                                       {"cc", FIELD_NUMBER, offsetof(skyline_answer, cc)},
                                       {"radius", FIELD_NUMBER, offsetof(skyline_answer, radius), "m"},
                                       {"horizon", FIELD_LIST, offsetof(skyline_answer, horizon),
                                        .fields = direction_fields, .size = sizeof(horizon_answer)},
                                       {NULL}};

static int write_skyline(horizon_run *horizon, const lf_figure_skyline_def *skyline) {
    const char *path = options_value(&horizon->run->given, "output");
    if (path && !is_sheet(path)) {
        lf_figure_page page = figure_page(horizon->run, path, SKYLINE_SIZE);
        lf_error error = {0};
        page.height = SKYLINE_SIZE;
        return succeeded(lf_figure_skyline(&page, skyline, &error), &error) ? CLI_YES : CLI_ERROR;
    }
    horizon_answer *answers = allocate((size_t)skyline->count, sizeof *answers);
    for (int64_t i = 0; i < skyline->count; i++) {
        const lf_horizon *found = &skyline->horizons[i];
        answers[i] =
            (horizon_answer){found->reason == LF_REASON_ANSWERED ? GROUND : NO_GROUND, skyline->azimuths[i],
                             skyline->rules->curvature.coefficient, *found, lf_reason_name(found->reason)};
        if (!path)
            answer_write(horizon->run, horizon_fields, &answers[i]);
    }
    skyline_answer document = {skyline->from,
                               skyline->rules->curvature.coefficient,
                               skyline->rules->curvature.radius,
                               {answers, skyline->count}};
    sheet sheet = {.columns = horizon_fields,
                   .rows = answers,
                   .count = skyline->count,
                   .size = sizeof *answers,
                   .fields = skyline_fields,
                   .document = &document};
    return !path || sheet_write(horizon->run, &sheet, path) ? CLI_YES : CLI_ERROR;
}

static int ask_point(horizon_run *horizon) {
    cli *run = horizon->run;
    observers places = {0};
    lf_reason reason;
    lf_vec3 from;
    lf_compass compass;
    if (!observers_from_options(run, horizon->eye, &places))
        return CLI_ERROR;
    if (!observer_stand(run, places.at[0], places.heights[0], &from, &reason))
        return message_error("--at %s: no ground to stand on: %s", options_value(&run->given, "at"),
                             lf_reason_name(reason));
    lf_horizon *horizons = allocate((size_t)horizon->count, sizeof *horizons);
    double *azimuths = allocate((size_t)horizon->count, sizeof *azimuths); // on the map
    bool turned = lf_north_compass(&horizon->north, (lf_vec2){from.x, from.y}, &compass);
    for (int64_t i = 0; i < horizon->count; i++)
        azimuths[i] = turned ? lf_compass_to_map(&compass, horizon->azimuths[i]) : horizon->azimuths[i];
    if (!succeeded(lf_horizon_around(run->ground.ground, &horizon->rules, from, azimuths, horizon->count,
                                     horizon->range, horizons, &run->tasks),
                   NULL))
        return CLI_ERROR;
    coordinates flat = run->coordinates;
    flat.centred = false; // on a globe these are longitudes and latitudes already
    for (int64_t i = 0; i < horizon->count; i++)
        horizons[i].point = coordinates_out(&flat, horizons[i].point, from.x);
    lf_figure_skyline_def skyline = {coordinates_out(&flat, from, from.x), horizon->azimuths, horizons,
                                     horizon->count, &horizon->rules};
    return write_skyline(horizon, &skyline);
}

/// With --range.
static void reach_skyline(reach *reach, void *user) {
    const horizon_run *horizon = user;
    observers places = {0};
    reach->failed = !observers_from_options(reach->run, horizon->eye, &places);
    for (int64_t i = 0; i < places.count && !reach->failed; i++)
        reach_range(reach, places.at[i], horizon->range);
    observers_free(&places);
}

// ---- Of every sample ----------------------------------------------------------------------------

static bool compute_map(tile_job *job, lf_window window, void *values, tile_sums *sums) {
    horizon_run *horizon = job->user;
    lf_horizon_def def = lf_horizon_def_default();
    size_t samples = (size_t)window.columns * (size_t)window.rows;
    lf_error error = {0};
    (void)sums;
    def.host = horizon->run->host;
    def.rules = horizon->rules;
    def.height = horizon->eye;
    def.range = horizon->range;
    def.lattice = ground_lattice_of(&horizon->run->ground);
    def.places = horizon->run->ground.lattice_places;
    def.target_on = horizon->target_on;
    if (horizon->directions > 0)
        return succeeded(lf_sky_view(horizon->run->ground.ground, &def, (int)horizon->directions, window,
                                     values, 0, &error),
                         &error);
    lf_status status = LF_OK;
    horizon->north.window = window;
    for (int64_t i = 0; i < horizon->count && status == LF_OK; i++)
        status = lf_north_horizon(&horizon->north, &def, horizon->azimuths[i],
                                  (float *)values + (size_t)i * samples, &error);
    return succeeded(status, &error);
}

static void end_map(tile_job *job) {
    horizon_run *horizon = job->user;
    lf_north_close(&horizon->north);
}

static bool start_map(tile_job *job) {
    horizon_run *horizon = job->user;
    cli *run = job->run;
    bool sky = horizon->directions > 0;
    horizon->rules = sight_rules_of(run);
    if (!ground_lattice(run) || !north_start(run, false, &horizon->north))
        return false;
    job->window = lf_grid_window(run->ground.grid);
    job->result.type = LF_RESULT_FLOAT;
    job->result.band_count = sky ? 1 : (int)horizon->count;
    job->result.nodata_given = true;
    job->result.nodata = LF_NAN;
    job->result.unit = sky ? NULL : "degree";
    if (sky || job->result.band_names)
        return true;
    const char **names = allocate((size_t)horizon->count, sizeof *names);
    char(*texts)[48] = allocate((size_t)horizon->count + 1, sizeof *texts);
    for (int64_t i = 0; i < horizon->count; i++) {
        memcpy(texts[i], "azimuth ", 8);
        lf_number_text(horizon->azimuths[i], 6, texts[i] + 8, sizeof texts[i] - 8);
        names[i] = texts[i];
    }
    job->result.band_names = names;
    return true;
}

static int ask_map(horizon_run *horizon) {
    static facts facts;
    bool sky = horizon->directions > 0;
    tile_job job = {.run = horizon->run,
                    .user = horizon,
                    .range = horizon->range,
                    .start = start_map,
                    .end = end_map,
                    .compute = compute_map,
                    .result = lf_result_def_default()};
    if (!tiles_compute(&job))
        return CLI_ERROR;
    facts_start(&facts, horizon->run, &horizon->rules);
    facts_number(&facts, "EYE", horizon->eye);
    facts_number(&facts, "RANGE_MAX", horizon->range);
    if (sky) {
        facts_number(&facts, "DIRECTIONS", (double)horizon->directions);
    } else {
        facts_text(&facts, "AZIMUTHS", options_value(&horizon->run->given, "map"));
        facts_text(&facts, "NORTH", north_name(horizon->run, &horizon->north));
    }
    lf_figure_layer look = {.unit = sky ? "" : "\xc2\xb0"};
    return tiles_write(&job, &facts, &look);
}

int command_horizon(cli *run) {
    const options *given = &run->given;
    bool point = options_has(given, "at");
    horizon_run horizon = {.run = run,
                           .eye = options_number(given, "eye", point ? 2 : 0),
                           .range = options_number(given, "range", LF_INFINITY),
                           .directions = options_integer(given, "sky", 0)};
    int status = CLI_ERROR;
    if (point) {
        read_directions(&horizon);
        if (isfinite(horizon.range)) {
            run->reach = reach_skyline;
            run->reach_user = &horizon;
            run->reach_sight = true;
        }
    } else if (options_has(given, "map")) {
        horizon.azimuths = horizon.azimuths_of_map;
        horizon.count = read_bands(options_value(given, "map"), horizon.azimuths);
    }
    horizon.target_on = options_choice(given, "target-on", 1) == 0 ? LF_TARGET_GROUND : LF_TARGET_TOP;
    if (!point) {
        status = ask_map(&horizon);
    } else if (ground_open(run, 0)) {
        horizon.rules = sight_rules_of(run);
        if (north_start(run, false, &horizon.north))
            status = ask_point(&horizon);
    }
    lf_north_close(&horizon.north);
    return status;
}
