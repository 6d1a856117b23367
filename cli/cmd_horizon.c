#include "answers.h"
#include "horizon_file.h"
#include "north.h"
#include "observers.h"
#include "results.h"
#include "sheet.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_DIRECTIONS 1000000
#define MOST_BANDS 360
#define MAP_WITHIN_DEG 0.01 ///< a part of a map has the direction of its middle, to so many degrees

typedef enum horizon_kind { KIND_POINT, KIND_MAP, KIND_SKY } horizon_kind;

/// What one run of `landfall horizon` knows.
typedef struct horizon_run {
    cli *run;
    loaded ground;
    coordinates coordinates;
    north north;
    horizon_kind kind;
    lf_sight_rules rules;
    double eye, range;
    bool datum;
    double *azimuths;
    int64_t count;
    int64_t directions; ///< of the sky
} horizon_run;

// ---------------------------------------------------------------------------------------------------
// The question
// ---------------------------------------------------------------------------------------------------

static bool reserve(horizon_run *horizon, int64_t count) {
    horizon->azimuths = calloc((size_t)count, sizeof(double));
    if (!horizon->azimuths)
        message_error("out of memory");
    return horizon->azimuths != NULL;
}

/// --azimuth as often as it is given, or all around.
static bool read_directions(horizon_run *horizon) {
    const options *given = &horizon->run->given;
    int count = options_count(given, "azimuth");
    double step = 1;
    if (count > 0 && options_has(given, "step")) {
        message_usage("--azimuth or --step, not both");
        return false;
    }
    if (!options_number(given, "step", &step))
        return false;
    if (!(step > 0 && step <= 360 && 360 / step <= MOST_DIRECTIONS)) {
        message_error(
            "--step %s: more than 0 and at most 360 degrees are wanted, and no more than a million steps",
            options_value(given, "step"));
        return false;
    }
    int64_t around = (int64_t)ceil(360 / step - 1e-9);
    if (!reserve(horizon, count > 0 ? count : around))
        return false;
    for (int64_t i = 0; count == 0 && i < around; i++)
        horizon->azimuths[i] = (double)i * step;
    for (int i = 0; i < count; i++) {
        row read;
        if (!row_from_option("azimuth", options_nth(given, "azimuth", i), (row_shape){1, 1, "DEGREES"},
                             &read))
            return false;
        horizon->azimuths[i] = read.numbers[0];
    }
    horizon->count = count > 0 ? count : around;
    return true;
}

/// "90" or "0,90,180": as many numbers as there are commas, and one.
static bool read_bands(horizon_run *horizon, const char *text) {
    int64_t room = 1;
    for (const char *p = text; *p; p++)
        room += *p == ',';
    if (room > MOST_BANDS) {
        message_error("--map: %lld directions, and %d are the most", (long long)room, MOST_BANDS);
        return false;
    }
    if (!reserve(horizon, room))
        return false;
    for (const char *p = text; horizon->count < room;) {
        size_t length = strcspn(p, ",");
        char word[64];
        row read;
        if (length >= sizeof word) {
            message_error("--map %s: a number of %zu characters", text, length);
            return false;
        }
        memcpy(word, p, length);
        word[length] = '\0';
        if (!row_from_option("map", word, (row_shape){1, 1, "AZIMUTH"}, &read))
            return false;
        horizon->azimuths[horizon->count++] = read.numbers[0];
        p += length + (p[length] == ',');
    }
    return true;
}

static bool read_kind(horizon_run *horizon) {
    const options *given = &horizon->run->given;
    const char *map = options_value(given, "map"), *output = options_value(given, "output");
    bool sky = options_has(given, "sky"), at = options_has(given, "at");
    if ((map != NULL) + sky + at != 1) {
        message_usage("one of --at, --map and --sky is wanted");
        return false;
    }
    horizon->kind = map ? KIND_MAP : sky ? KIND_SKY : KIND_POINT;
    horizon->eye = horizon->kind == KIND_POINT ? 2 : 0;
    if (horizon->kind == KIND_POINT)
        return read_directions(horizon) && (!output || sheet_can_write("-o", output));
    if (options_has(given, "azimuth") || options_has(given, "step") || options_has(given, "datum")) {
        message_usage("--azimuth, --step and --datum are for --at");
        return false;
    }
    return (!map || read_bands(horizon, map)) &&
           options_integer(given, "sky", 1, 3600, &horizon->directions) && result_wanted(horizon->run);
}

static bool read_question(horizon_run *horizon) {
    const options *given = &horizon->run->given;
    horizon->range = LF_INFINITY;
    horizon->datum = options_has(given, "datum");
    if (!read_kind(horizon) || !answer_digits(horizon->run) || !north_check(horizon->run) ||
        !sight_rules_read(horizon->run, &horizon->rules) || !options_number(given, "eye", &horizon->eye) ||
        !options_number(given, "range", &horizon->range))
        return false;
    if (!(horizon->range > 0)) {
        message_error("--range %s: more than 0 is wanted", options_value(given, "range"));
        return false;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------
// Of a point
// ---------------------------------------------------------------------------------------------------

static void write_line(const horizon_run *horizon, const skyline *skyline, int64_t i) {
    output *out = &horizon->run->out;
    const lf_horizon *found = &skyline->horizons[i];
    output_number(out, skyline->azimuths[i]);
    if (found->reason != LF_REASON_ANSWERED) {
        output_text(out, " - ");
        output_text(out, lf_reason_name(found->reason));
    } else {
        output_char(out, ' ');
        output_number(out, found->elevation_deg);
        output_char(out, ' ');
        output_number(out, found->distance);
        output_char(out, ' ');
        output_vector(out, found->point, ' ');
    }
    if (found->hole)
        output_text(out, " hole");
    sight_rules_put(out, skyline->rules);
    output_char(out, '\n');
}

static void write_object(const horizon_run *horizon, const skyline *skyline, int64_t i) {
    json document = json_start(&horizon->run->out, false);
    json_put_object(&document, NULL);
    skyline_put_json(&document, skyline, i);
    json_put_number(&document, "cc", skyline->rules->curvature.coefficient);
    json_close(&document);
    json_end(&document);
}

static int write_skyline(const horizon_run *horizon, const skyline *skyline) {
    const char *path = options_value(&horizon->run->given, "output");
    if (path)
        return skyline_write(horizon->run, skyline, path) ? CLI_YES : CLI_ERROR;
    for (int64_t i = 0; i < skyline->count; i++) {
        if (horizon->run->json)
            write_object(horizon, skyline, i);
        else
            write_line(horizon, skyline, i);
    }
    return CLI_YES;
}

/// Where one stands, in the ground's system.
static bool find_eye(const horizon_run *horizon, lf_vec3 *from) {
    observers places = {0};
    lf_reason reason = LF_REASON_ANSWERED;
    bool fine =
        observers_from_options(horizon->run, &horizon->coordinates, horizon->eye, horizon->datum, &places);
    if (fine) {
        *from = (lf_vec3){places.at[0].x, places.at[0].y, places.heights[0]};
        if (!horizon->datum &&
            lf_sight_observer(horizon->ground.ground, places.at[0], places.heights[0], from, &reason) != LF_OK)
            reason = LF_REASON_OUTSIDE;
        fine = reason == LF_REASON_ANSWERED;
        if (!fine)
            message_error("--at %s: no ground to stand on: %s", options_value(&horizon->run->given, "at"),
                          lf_reason_name(reason));
    }
    observers_free(&places);
    return fine;
}

static int ask_point(horizon_run *horizon) {
    lf_vec3 from;
    if (!find_eye(horizon, &from))
        return CLI_ERROR;
    lf_horizon *horizons = calloc((size_t)horizon->count, sizeof *horizons);
    double *azimuths = calloc((size_t)horizon->count, sizeof *azimuths); // on the map
    lf_status status = horizons && azimuths ? LF_OK : LF_NO_MEMORY;
    lf_compass compass;
    bool turned = north_compass(&horizon->north, (lf_vec2){from.x, from.y}, &compass);
    for (int64_t i = 0; i < horizon->count && status == LF_OK; i++)
        azimuths[i] = turned ? lf_compass_to_map(&compass, horizon->azimuths[i]) : horizon->azimuths[i];
    if (status == LF_OK)
        status = lf_horizon_around(horizon->ground.grid, &horizon->rules, from, azimuths, horizon->count,
                                   horizon->range, horizons, &horizon->run->tasks);
    for (int64_t i = 0; i < horizon->count && status == LF_OK; i++)
        horizons[i].point = coordinates_out(&horizon->coordinates, horizons[i].point, from.x);
    skyline skyline = {coordinates_out(&horizon->coordinates, from, from.x), horizon->azimuths, horizons,
                       horizon->count, &horizon->rules};
    int exit_status = status == LF_OK ? write_skyline(horizon, &skyline) : message_status(status, NULL);
    free(azimuths);
    free(horizons);
    return exit_status;
}

// ---------------------------------------------------------------------------------------------------
// Of every post
// ---------------------------------------------------------------------------------------------------

/// The elevations in one direction, part by part.
static lf_status make_band(horizon_run *horizon, const lf_horizon_def *def, double azimuth, lf_window window,
                           float *values, lf_error *error) {
    int64_t count;
    lf_status status = LF_OK;
    lf_horizon_def own = *def;
    north_progress progress;
    north_part *parts = north_parts(&horizon->north, window, MAP_WITHIN_DEG, false, &count);
    if (!parts)
        return LF_NO_MEMORY;
    own.host = north_host(&def->host, count, &progress);
    for (int64_t k = 0; k < count && status == LF_OK; k++) {
        lf_window w = parts[k].window;
        progress.part = k;
        status = lf_horizon_map(horizon->ground.grid, &own,
                                north_azimuth(&horizon->north, parts[k].middle, azimuth), w,
                                values + (w.row - window.row) * window.columns + w.column - window.column,
                                window.columns * (ptrdiff_t)sizeof(float), error);
    }
    free(parts);
    return status;
}

static lf_status make_map(horizon_run *horizon, lf_window window, float *values, lf_error *error) {
    lf_horizon_def def = lf_horizon_def_default();
    int64_t posts = window.columns * window.rows;
    def.host = horizon->run->host;
    def.rules = horizon->rules;
    def.height = horizon->eye;
    def.range = horizon->range;
    if (horizon->kind == KIND_SKY)
        return lf_sky_view(horizon->ground.grid, &def, (int)horizon->directions, window, values, 0, error);
    lf_status status = LF_OK;
    for (int64_t i = 0; i < horizon->count && status == LF_OK; i++)
        status = make_band(horizon, &def, horizon->azimuths[i], window, values + i * posts, error);
    return status;
}

static int write_map(const horizon_run *horizon, lf_window window, const float *values) {
    static facts facts;
    lf_result_def def = lf_result_def_default();
    bool sky = horizon->kind == KIND_SKY;
    const char *names[MOST_BANDS];
    facts_start(&facts, horizon->run, &horizon->rules);
    facts_number(&facts, "EYE", horizon->eye);
    facts_number(&facts, "RANGE_MAX", horizon->range);
    if (sky)
        facts_number(&facts, "DIRECTIONS", (double)horizon->directions);
    else
        facts_text(&facts, "AZIMUTHS", options_value(&horizon->run->given, "map"));
    if (!sky)
        facts_text(&facts, "NORTH", north_word(horizon->run, &horizon->north));
    char(*texts)[48] = calloc((size_t)horizon->count + 1, sizeof *texts);
    if (!texts)
        return message_error("out of memory");
    for (int64_t i = 0; i < horizon->count; i++) {
        memcpy(texts[i], "azimuth ", 8);
        lf_number_text(horizon->azimuths[i], 6, texts[i] + 8, sizeof texts[i] - 8);
        names[i] = texts[i];
    }
    def.type = LF_RESULT_FLOAT;
    def.values = values;
    def.window = window;
    def.band_count = sky ? 1 : (int)horizon->count;
    def.band_names = sky ? NULL : names;
    def.nodata_given = true;
    def.nodata = LF_NAN;
    def.unit = sky ? NULL : "degree";
    result_look look = {.unit = sky ? "" : "\xc2\xb0"};
    int status = result_write(horizon->run, &horizon->ground, &def, &facts, &look);
    free(texts);
    return status;
}

static int ask_map(horizon_run *horizon) {
    lf_window window = lf_grid_window(horizon->ground.grid);
    size_t bands = horizon->kind == KIND_SKY ? 1 : (size_t)horizon->count;
    size_t posts = (size_t)window.columns * (size_t)window.rows;
    lf_error error = {0};
    result_remark(horizon->run, window, posts * bands * sizeof(float));
    float *values = calloc(posts * bands, sizeof(float));
    if (!values)
        return message_error("out of memory");
    lf_status status = make_map(horizon, window, values, &error);
    progress_clear();
    int exit_status = status == LF_OK ? write_map(horizon, window, values) : message_status(status, &error);
    free(values);
    return exit_status;
}

int command_horizon(cli *run) {
    horizon_run horizon = {.run = run};
    int status = CLI_ERROR;
    if (read_question(&horizon) && ground_load(run, &horizon.ground)) {
        if (ground_needs_raster(run, &horizon.ground) &&
            coordinates_start(run, &horizon.ground, &horizon.coordinates) &&
            north_start(run, &horizon.ground, false, &horizon.north)) {
            sight_rules_settle(&horizon.ground, &horizon.rules);
            status = horizon.kind == KIND_POINT ? ask_point(&horizon) : ask_map(&horizon);
        }
    }
    north_end(&horizon.north);
    coordinates_end(&horizon.coordinates);
    ground_free(&horizon.ground);
    free(horizon.azimuths);
    return status;
}
