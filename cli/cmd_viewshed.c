#include "commands.h"
#include "ground.h"
#include "north.h"
#include "reach.h"
#include "sight_rules.h"
#include "tiles.h"
#include <landfall/sight.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum view_mode {
    MODE_VISIBLE,
    MODE_GROUND,
    MODE_DEM,
    MODE_ANGLE,
    MODE_DISTANCE,
    MODE_COUNT,
    MODE_WHO,
    MODES
} view_mode;

#define CROP_NOTE 1e7 // samples of a result from which on --crop is suggested

static const char *const mode_units[MODES] = {NULL, "m", "m", "degree", "m", NULL, NULL};

/// State of one run of `landfall viewshed`.
typedef struct view_run {
    cli *run;
    view_mode mode;
    lf_viewshed_def def;
    observers places;
    lf_observer *observers;
    lf_north north;
    lf_window *near; ///< samples within range of each observer, when there are tiles
    lf_window window;
    const void *values; ///< for a table
    int band_count;
    int64_t counts[5];
} view_run;

// ---- The question -------------------------------------------------------------------------------

static bool takes_many(const view_run *view) {
    return view->mode == MODE_COUNT || view->mode == MODE_WHO;
}

/// Two numbers, the first optional.
static void read_pair(const view_run *view, const char *name, double *first, double *second) {
    double n[ROW_NUMBERS];
    int count = options_numbers(&view->run->given, name, 0, n);
    if (count == 2)
        *first = n[0];
    if (count > 0)
        *second = n[count - 1];
}

static void read_question(view_run *view) {
    const options *given = &view->run->given;
    lf_viewshed_def *def = &view->def;
    *def = lf_viewshed_def_default();
    view->mode = (view_mode)options_choice(given, "mode", MODE_VISIBLE);
    def->target = options_number(given, "target", def->target);
    def->target_on = options_choice(given, "target-on", 1) == 0 ? LF_TARGET_GROUND : LF_TARGET_TOP;
    read_pair(view, "range", &def->range_min, &def->range_max);
    read_pair(view, "azimuth", &def->azimuth_from_deg, &def->azimuth_to_deg);
    read_pair(view, "pitch", &def->pitch_low_deg, &def->pitch_high_deg);
}

/// Is the output a text instead of a raster?
static bool is_table(const view_run *view) {
    const options *given = &view->run->given;
    return path_ends(options_value(given, "output"), ".csv") && !options_has(given, "format");
}

static bool find_observers(view_run *view) {
    cli *run = view->run;
    const char *path = options_value(&run->given, "observers");
    double eye = options_number(&run->given, "eye", 2);
    observers *places = &view->places;
    bool datum = options_has(&run->given, "datum");
    if (!observers_from_options(run, eye, places) || (path && !observers_from_file(run, path, eye, places)))
        return false;
    if (!takes_many(view) && places->count != 1)
        return refused("--observers %s: %lld observers: expected 1, or --mode count or who", path ? path : "",
                       (long long)places->count);
    view->observers = allocate((size_t)places->count, sizeof(lf_observer));
    for (int64_t i = 0; i < places->count; i++)
        view->observers[i] = (lf_observer){places->at[i], places->heights[i], datum};
    return true;
}

/// --azimuth counts from the true north of each observer.
static bool find_compasses(view_run *view) {
    int64_t count = view->places.count;
    if (!view->north.turned || !options_has(&view->run->given, "azimuth"))
        return true;
    lf_compass *compasses = allocate((size_t)count, sizeof *compasses);
    for (int64_t i = 0; i < count; i++)
        if (!lf_north_compass(&view->north, view->places.at[i], &compasses[i]))
            return failed(
                "--azimuth: no north at %.10g, %.10g, which is outside the CRS; --north grid needs none",
                view->places.at[i].x, view->places.at[i].y);
    view->def.compasses = compasses;
    return true;
}

/// The samples in range of any observer.
static lf_window window_in_range(const view_run *view) {
    lf_window near = {0, 0, 0, 0};
    for (int64_t i = 0; i < view->places.count; i++) {
        lf_window one = lf_viewshed_window(view->run->ground.ground, &view->def, view->places.at[i]);
        if (one.columns == 0)
            continue;
        if (near.columns == 0) {
            near = one;
            continue;
        }
        int64_t right = near.column + near.columns, top = near.row + near.rows;
        int64_t one_right = one.column + one.columns, one_top = one.row + one.rows;
        near.column = one.column < near.column ? one.column : near.column;
        near.row = one.row < near.row ? one.row : near.row;
        near.columns = (one_right > right ? one_right : right) - near.column;
        near.rows = (one_top > top ? one_top : top) - near.row;
    }
    return near;
}

static double samples_of(lf_window window) {
    return (double)window.columns * (double)window.rows;
}

/// All samples, or with --crop those in range of any observer.
static bool find_window(view_run *view) {
    lf_window whole = lf_grid_window(view->run->ground.grid);
    bool crop = options_has(&view->run->given, "crop");
    view->window = whole;
    if (!crop && (view->run->quiet || samples_of(whole) <= CROP_NOTE))
        return true;
    lf_window near = window_in_range(view);
    if (!crop && near.columns > 0 && samples_of(near) < samples_of(whole) / 10) {
        char text[120];
        snprintf(text, sizeof text, "--crop would write the %lld x %lld samples within --range only",
                 (long long)near.columns, (long long)near.rows);
        message_note(text);
    }
    if (!crop)
        return true;
    view->window = near;
    if (near.columns == 0)
        message_error("--crop: no part of the raster is within --range %s",
                      options_value(&view->run->given, "range"));
    return near.columns > 0;
}

// ---- The computation ----------------------------------------------------------------------------

static lf_status compute_all(view_run *view, lf_window window, void *values, lf_viewshed_stats *stats,
                             lf_error *error) {
    static const lf_viewshed_mode kinds[] = {[MODE_GROUND] = LF_VIEWSHED_GROUND,
                                             [MODE_DEM] = LF_VIEWSHED_DEM,
                                             [MODE_ANGLE] = LF_VIEWSHED_ANGLE,
                                             [MODE_DISTANCE] = LF_VIEWSHED_DISTANCE};
    const lf_ground *ground = view->run->ground.ground;
    const lf_observer *who = view->observers;
    int64_t count = view->places.count;
    switch (view->mode) {
    case MODE_VISIBLE:
        return lf_viewshed_visible(ground, &view->def, who, window, values, 0, stats, error);
    case MODE_COUNT:
        return lf_viewshed_count(ground, &view->def, who, count, window, values, 0, stats, error);
    case MODE_WHO:
        return lf_viewshed_who(ground, &view->def, who, count, window, values, stats, error);
    default:
        return lf_viewshed_values(ground, &view->def, who, kinds[view->mode], window, values, 0, stats,
                                  error);
    }
}

static lf_window common_window(lf_window a, lf_window b) {
    int64_t left = a.column > b.column ? a.column : b.column, low = a.row > b.row ? a.row : b.row;
    int64_t right = a.column + a.columns, high = a.row + a.rows;
    right = right < b.column + b.columns ? right : b.column + b.columns;
    high = high < b.row + b.rows ? high : b.row + b.rows;
    return right > left && high > low ? (lf_window){left, low, right - left, high - low}
                                      : (lf_window){0, 0, 0, 0};
}

static bool compute(tile_job *job, lf_window window, void *values, tile_sums *sums) {
    view_run *view = job->user;
    uint8_t *seen = values;
    lf_viewshed_stats stats = {0};
    lf_error error = {0};
    if (!succeeded(compute_all(view, window, values, &stats, &error), &error))
        return false;
    for (int c = 0; c < 5; c++)
        sums->counts[c] += stats.counts[c];
    // Voids and what is out of range become one value, nodata.
    bool nodata = stats.counts[LF_VISIBILITY_VOID] + stats.counts[LF_VISIBILITY_BEYOND] > 0;
    int64_t samples = view->mode == MODE_VISIBLE && nodata ? window.columns * window.rows : 0;
    for (int64_t i = 0; i < samples; i++)
        seen[i] = seen[i] > LF_VISIBILITY_UNKNOWN ? 255 : seen[i];
    return true;
}

// ---- Tables -------------------------------------------------------------------------------------

static bool sees(const view_run *view, int64_t observer, int64_t sample) {
    const uint8_t *planes = view->values;
    int64_t samples = view->window.columns * view->window.rows;
    return (planes[observer / 8 * samples + sample] >> (observer % 8) & 1) != 0;
}

/// Its name, or its number from 0.
static const char *observer_name(const view_run *view, int64_t k, char number[24]) {
    if (view->places.names[k])
        return view->places.names[k];
    snprintf(number, 24, "%lld", (long long)k);
    return number;
}

enum { WHO = 1 };

/// A sample that any observer sees.
typedef struct seen_sample {
    unsigned has;
    lf_vec2 at;
    int64_t count;
    const char *observers; ///< their names with ; between; a ; within a name is \;
} seen_sample;

static const field seen_fields[] = {
    {"at", FIELD_PAIR, offsetof(seen_sample, at), "m"},
    {"count", FIELD_INTEGER, offsetof(seen_sample, count)},
    {"observers", FIELD_TEXT, offsetof(seen_sample, observers), NULL, OPTIONAL, WHO},
    {NULL}};

/// How many observers see a sample, and with --mode who their names, into a text that has space for all.
static int64_t find_seen(const view_run *view, int64_t sample, char *names) {
    const uint32_t *counts = view->values;
    int64_t count = 0;
    char number[24];
    if (view->mode == MODE_COUNT)
        return counts[sample] == UINT32_MAX ? 0 : counts[sample];
    for (int64_t k = 0; k < view->places.count; k++) {
        if (!sees(view, k, sample))
            continue;
        if (count++ > 0)
            *names++ = ';';
        for (const char *c = observer_name(view, k, number); *c; c++) {
            if (*c == ';')
                *names++ = '\\';
            *names++ = *c;
        }
    }
    *names = '\0';
    return count;
}

static int write_table(view_run *view) {
    lf_geotransform geotransform = lf_grid_describe(view->run->ground.grid).geotransform;
    output file;
    size_t longest = 1;
    for (int64_t k = 0; k < view->places.count; k++)
        longest += 24 + (view->places.names[k] ? 2 * strlen(view->places.names[k]) : 0);
    char *names = allocate(longest, 1);
    seen_sample seen = {.has = view->mode == MODE_WHO ? WHO : 0, .observers = names};
    if (!output_create(&file, options_value(&view->run->given, "output"), view->run->out.digits))
        return CLI_ERROR;
    answer_csv_names(&file, seen_fields, &seen);
    for (int64_t i = 0; i < view->window.columns * view->window.rows; i++) {
        seen.at = lf_geotransform_at(&geotransform, (double)(view->window.column + i % view->window.columns),
                                     (double)(view->window.row + i / view->window.columns));
        seen.count = find_seen(view, i, names);
        if (seen.count > 0)
            answer_csv_row(&file, seen_fields, &seen, &seen);
    }
    return output_close(&file) ? CLI_YES : CLI_ERROR;
}

// ---- Writing ------------------------------------------------------------------------------------

static void gather_facts(const view_run *view, facts *facts) {
    const lf_viewshed_def *def = &view->def;
    facts_start(facts, view->run, &def->rules);
    facts_text(facts, "MODE",
               options_has(&view->run->given, "mode") ? options_value(&view->run->given, "mode") : "visible");
    facts_number(facts, "OBSERVERS", (double)view->places.count);
    if (view->places.count == 1) {
        facts_number(facts, "X", view->places.at[0].x);
        facts_number(facts, "Y", view->places.at[0].y);
        facts_number(facts, options_has(&view->run->given, "datum") ? "Z" : "EYE", view->places.heights[0]);
    }
    facts_number(facts, "TARGET", def->target);
    facts_number(facts, "RANGE_MIN", def->range_min);
    facts_number(facts, "RANGE_MAX", def->range_max);
    facts_text(facts, "NORTH", north_name(view->run, &view->north));
    facts_number(facts, "AZIMUTH_FROM", def->azimuth_from_deg);
    facts_number(facts, "AZIMUTH_TO", def->azimuth_to_deg);
    facts_number(facts, "PITCH_LOW", def->pitch_low_deg);
    facts_number(facts, "PITCH_HIGH", def->pitch_high_deg);
}

#define BAND_SIZE 256 // bytes of a band's name

/// The names of the bands of --mode who: the observers of their bits, from the lowest bit on.
static char **name_bands(const view_run *view) {
    char **names = allocate((size_t)view->band_count, sizeof(char *) + BAND_SIZE);
    char *texts = (char *)(names + view->band_count), number[24];
    for (int i = 0; i < view->band_count; i++) {
        names[i] = texts + (ptrdiff_t)BAND_SIZE * i;
        snprintf(names[i], BAND_SIZE, "observers");
        for (int64_t k = (int64_t)i * 8; k < (int64_t)i * 8 + 8 && k < view->places.count; k++) {
            size_t used = strlen(names[i]);
            snprintf(names[i] + used, BAND_SIZE - used, "%s%s", k % 8 ? ", " : " ",
                     observer_name(view, k, number));
        }
    }
    return names;
}

static int write_result(view_run *view, tile_job *job) {
    static const lf_figure_name names_of[] = {
        {{20, 32, 60, 80}, "hidden"}, {{247, 176, 38, 175}, "visible"}, {{140, 70, 160, 170}, "unknown"}};
    static facts facts;
    lf_figure_layer look = {.unit = mode_units[view->mode] ? mode_units[view->mode] : "",
                            .marks = ground_marks(&view->run->ground, view->places.at, view->places.count),
                            .mark_count = view->places.count};
    if (view->mode == MODE_VISIBLE) {
        look.names = names_of;
        look.name_count = 3;
    }
    gather_facts(view, &facts);
    return tiles_write(job, &facts, &look);
}

// ---- The answer ---------------------------------------------------------------------------------

enum { EACH = 1 };

typedef struct observer_count {
    const char *observer;
    int64_t count;
} observer_count;

static const field observer_fields[] = {
    {"count", FIELD_INTEGER, offsetof(observer_count, count), NULL, IN_TEXT},
    {"observer", FIELD_TEXT, offsetof(observer_count, observer)},
    {"count", FIELD_INTEGER, offsetof(observer_count, count), NULL, IN_JSON},
    {NULL}};

typedef struct view_answer {
    unsigned has;
    int64_t observers, counts[5];
    field_span sees;
    double cc, radius;
} view_answer;

#define COUNT(name, seen) \
    { name, FIELD_INTEGER, offsetof(view_answer, counts) + (seen) * sizeof(int64_t), "samples" }

const field viewshed_fields[] = {
    {"observers", FIELD_INTEGER, offsetof(view_answer, observers), NULL, IN_JSON},
    COUNT("visible", LF_VISIBILITY_VISIBLE),
    COUNT("hidden", LF_VISIBILITY_HIDDEN),
    COUNT("unknown", LF_VISIBILITY_UNKNOWN),
    COUNT("hole", LF_VISIBILITY_VOID),
    COUNT("beyond", LF_VISIBILITY_BEYOND),
    {"sees", FIELD_LIST, offsetof(view_answer, sees), "samples", .when = EACH, .fields = observer_fields,
     .size = sizeof(observer_count)},
    {"cc", FIELD_NUMBER, offsetof(view_answer, cc)},
    {"radius", FIELD_NUMBER, offsetof(view_answer, radius), "m", IN_JSON},
    {NULL}};

static void write_answer(const view_run *view) {
    int64_t count = view->places.count;
    view_answer answer = {.observers = count,
                          .cc = view->def.rules.curvature.coefficient,
                          .radius = view->def.rules.curvature.radius};
    for (int i = 0; i < 5; i++)
        answer.counts[i] = view->counts[i];
    if (view->mode == MODE_WHO && is_table(view)) { // how much each observer sees
        observer_count *each = allocate((size_t)count, sizeof *each);
        for (int64_t k = 0; k < count; k++) {
            each[k].observer = observer_name(view, k, allocate(24, 1));
            for (int64_t i = 0; i < view->window.columns * view->window.rows; i++)
                each[k].count += sees(view, k, i);
        }
        answer.has = EACH;
        answer.sees = (field_span){each, count};
    }
    answer_write_facts(view->run, viewshed_fields, &answer);
}

/// With --range: the samples in range of the observers, and with them all between.
static void reach_view(reach *reach, void *user) {
    view_run view = *(const view_run *)user;
    reach->failed = !find_observers(&view);
    for (int64_t i = 0; i < view.places.count && !reach->failed; i++)
        reach_range(reach, view.places.at[i], view.def.range_max);
    observers_free(&view.places);
}

/// What is known of the result before it is computed.
static bool describe_result(view_run *view, tile_job *job) {
    lf_result_def *def = &job->result;
    view->band_count = view->mode == MODE_WHO ? (int)((view->places.count + 7) / 8) : 1;
    if (view->places.count > 8 * 65535 && view->mode == MODE_WHO)
        return failed("--mode who: %lld observers: expected at most 524280", (long long)view->places.count);
    def->band_count = view->band_count;
    def->unit = mode_units[view->mode];
    if (view->mode == MODE_WHO && !def->band_names)
        def->band_names = (const char *const *)name_bands(view);
    def->nodata_given = view->mode != MODE_WHO;
    def->type = view->mode == MODE_VISIBLE || view->mode == MODE_WHO ? LF_RESULT_BYTE
                : view->mode == MODE_COUNT                           ? LF_RESULT_UINT32
                                                                     : LF_RESULT_FLOAT;
    def->nodata = view->mode == MODE_VISIBLE ? 255 : view->mode == MODE_COUNT ? (double)UINT32_MAX : LF_NAN;
    job->window = view->window;
    return true;
}

static bool start(tile_job *job) {
    view_run *view = job->user;
    cli *run = job->run;
    view->def.host = run->host;
    view->def.rules = sight_rules_of(run); // ranges are metres, also where x and y are degrees
    bool there = ground_lattice(run);
    view->def.lattice = ground_lattice_of(&run->ground);
    view->def.places = run->ground.lattice_places;
    if (!there)
        return false;
    if (!options_has(&run->given, "azimuth") && !options_has(&run->given, "north"))
        north_name_only(run, &view->north);
    else if (!north_start(run, false, &view->north))
        return false;
    if (view->observers) // another tile
        return true;
    if (!find_observers(view) || !find_compasses(view) || !find_window(view) || !describe_result(view, job))
        return false;
    job->scratch = lf_viewshed_bytes(run->ground.ground, &view->def, view->window);
    job->sample_bytes = takes_many(view) ? 6 : 1;
    view->near = job->tiles ? allocate((size_t)view->places.count, sizeof *view->near) : NULL;
    for (int64_t k = 0; k < view->places.count && view->near; k++)
        view->near[k] = lf_viewshed_window(run->ground.ground, &view->def, view->places.at[k]);
    return true;
}

static void end(tile_job *job) {
    view_run *view = job->user;
    lf_north_close(&view->north);
}

/// The only observer of a map stands where no tile may be.
static void reach_observer(tile_job *job, reach *reach) {
    view_run *view = job->user;
    for (int64_t k = 0; k < view->places.count && !takes_many(view); k++)
        reach_point(reach, (lf_vec3){view->places.at[k].x, view->places.at[k].y, 0});
}

/// Tiles that more observers reach take longer.
static double tile_cost(tile_job *job, lf_window window) {
    const view_run *view = job->user;
    double cost = samples_of(window);
    for (int64_t k = 0; k < view->places.count; k++)
        cost += 20 * samples_of(common_window(window, view->near[k]));
    return cost;
}

int command_viewshed(cli *run) {
    view_run view = {.run = run};
    int status = CLI_ERROR;
    read_question(&view);
    if (isfinite(view.def.range_max)) {
        run->reach = reach_view;
        run->reach_user = &view;
        run->reach_sight = true;
    }
    // An observer below ground, and targets there, get a line for each sample.
    run->sweeps = !takes_many(&view) && !options_has(&run->given, "datum") && view.def.target >= 0;
    tile_job job = {.run = run,
                    .user = &view,
                    .range = view.def.range_max,
                    .start = start,
                    .end = end,
                    .compute = compute,
                    .reach = reach_observer,
                    .cost = tile_cost,
                    .result = lf_result_def_default()};
    if (tiles_compute(&job)) {
        view.values = job.values;
        for (int c = 0; c < 5; c++)
            view.counts[c] = job.sums.counts[c];
        status = is_table(&view) ? write_table(&view) : write_result(&view, &job);
    }
    if (status == CLI_YES && !tiles_silent())
        write_answer(&view);
    lf_north_close(&view.north);
    observers_free(&view.places);
    return status;
}
