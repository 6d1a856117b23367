#include "file_output.h"
#include "json.h"
#include "lines.h"
#include "north.h"
#include "points.h"
#include "results.h"
#include "seen_table.h"
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

static const char *const mode_words[MODES] = {"visible",  "ground", "dem", "angle",
                                              "distance", "count",  "who"};
static const char *const mode_units[MODES] = {NULL, "m", "m", "degree", "m", NULL, NULL};

/// What one run of `landfall viewshed` knows.
typedef struct view_run {
    cli *run;
    loaded ground;
    coordinates coordinates;
    view_mode mode;
    lf_viewshed_def def;
    double eye;
    bool datum;
    observers places;
    lf_observer *observers;
    north north;
    lf_compass *compasses; ///< of the observers, where azimuths are limited and true north is not +y
    lf_window window;
    void *values;
    int band_count;
    lf_viewshed_stats stats;
} view_run;

// ---------------------------------------------------------------------------------------------------
// The question
// ---------------------------------------------------------------------------------------------------

static bool read_mode(view_run *view) {
    const char *word = options_value(&view->run->given, "mode");
    for (int i = 0; word && i < MODES; i++)
        if (strcmp(word, mode_words[i]) == 0) {
            view->mode = (view_mode)i;
            return true;
        }
    if (word)
        message_usage("--mode %s: visible, ground, dem, angle, distance, count or who is wanted", word);
    return !word;
}

/// Two numbers, the first optional where `least` is 1. Says what is wrong and returns false.
static bool read_pair(const cli *run, const char *name, int least, const char *spelling, double *first,
                      double *second) {
    const char *text = options_value(&run->given, name);
    row read;
    if (!text)
        return true;
    if (!row_from_option(name, text, (row_shape){least, 2, spelling}, &read))
        return false;
    if (read.count == 2)
        *first = read.numbers[0];
    *second = read.numbers[read.count - 1];
    return true;
}

static bool read_limits(view_run *view) {
    lf_viewshed_def *def = &view->def;
    const cli *run = view->run;
    if (!read_pair(run, "range", 1, "[MIN,]MAX", &def->range_min, &def->range_max) ||
        !read_pair(run, "azimuth", 2, "FROM,TO", &def->azimuth_from_deg, &def->azimuth_to_deg) ||
        !read_pair(run, "pitch", 2, "LOW,HIGH", &def->pitch_low_deg, &def->pitch_high_deg))
        return false;
    if (!(def->range_min >= 0 && def->range_min <= def->range_max)) {
        message_error("--range %s: 0 <= MIN <= MAX is wanted", options_value(&run->given, "range"));
        return false;
    }
    if (!(def->pitch_low_deg >= -90 && def->pitch_high_deg <= 90)) {
        message_error("--pitch %s: LOW and HIGH must be -90 to 90", options_value(&run->given, "pitch"));
        return false;
    }
    if (!(def->pitch_low_deg <= def->pitch_high_deg)) {
        message_error("--pitch %s: LOW <= HIGH is wanted", options_value(&run->given, "pitch"));
        return false;
    }
    return true;
}

/// Is a text wanted instead of a raster?
static bool is_table(const view_run *view) {
    const options *given = &view->run->given;
    return path_ends(options_value(given, "output"), ".csv") && !options_has(given, "format");
}

/// Check everything that needs no raster, before it is loaded.
static bool read_question(view_run *view) {
    const options *given = &view->run->given;
    view->def = lf_viewshed_def_default();
    view->eye = 2;
    view->datum = options_has(given, "datum");
    if (!read_mode(view) || !sight_rules_read(view->run, &view->def.rules) || !read_limits(view) ||
        !north_check(view->run) || !options_number(given, "eye", &view->eye) ||
        !options_number(given, "target", &view->def.target) || !result_wanted(view->run))
        return false;
    bool many = view->mode == MODE_COUNT || view->mode == MODE_WHO;
    int count = options_count(given, "at");
    if (count == 0 && !options_has(given, "observers")) {
        message_usage("--at X,Y is missing");
        return false;
    }
    if (!many && count > 1) {
        message_usage("several observers need --mode count or who");
        return false;
    }
    if (is_table(view) && !many) {
        message_usage("-o %s: a table is for --mode count or who", options_value(given, "output"));
        return false;
    }
    if (is_table(view) && (options_has(given, "co") || options_has(given, "width"))) {
        message_usage("--co and --width are for rasters and pictures, and -o %s is a table",
                      options_value(given, "output"));
        return false;
    }
    if (options_has(given, "crop") && !isfinite(view->def.range_max)) {
        message_usage("--crop needs --range");
        return false;
    }
    return true;
}

static bool find_observers(view_run *view) {
    const char *path = options_value(&view->run->given, "observers");
    observers *places = &view->places;
    if (!observers_from_options(view->run, &view->coordinates, view->eye, view->datum, places) ||
        (path && !observers_from_file(view->run, path, &view->ground, &view->coordinates, view->eye,
                                      view->datum, places)))
        return false;
    bool many = view->mode == MODE_COUNT || view->mode == MODE_WHO;
    if (!many && places->count != 1) {
        message_usage("--mode %s: %lld observers, expected 1; --mode count and who take several",
                      mode_words[view->mode], (long long)places->count);
        return false;
    }
    view->observers = calloc((size_t)places->count, sizeof(lf_observer));
    for (int64_t i = 0; view->observers && i < places->count; i++)
        view->observers[i] = (lf_observer){places->at[i], places->heights[i], view->datum};
    if (!view->observers)
        message_error("out of memory");
    return view->observers != NULL;
}

/// --azimuth counts from the true north of each observer.
static bool find_compasses(view_run *view) {
    int64_t count = view->places.count;
    if (!view->north.turned || !options_has(&view->run->given, "azimuth"))
        return true;
    view->compasses = calloc((size_t)count, sizeof *view->compasses);
    if (!view->compasses) {
        message_error("out of memory");
        return false;
    }
    for (int64_t i = 0; i < count; i++)
        if (!north_compass(&view->north, view->places.at[i], &view->compasses[i])) {
            message_error(
                "--azimuth: no north at %.10g, %.10g, which is beyond the CRS; --north grid does without",
                view->places.at[i].x, view->places.at[i].y);
            return false;
        }
    view->def.compasses = view->compasses;
    return true;
}

/// All posts, or with --crop those in range of any observer.
static bool find_window(view_run *view) {
    lf_window whole = lf_grid_window(view->ground.grid), near = {0, 0, 0, 0};
    view->window = whole;
    if (!options_has(&view->run->given, "crop"))
        return true;
    for (int64_t i = 0; i < view->places.count; i++) {
        lf_window one = lf_viewshed_window(view->ground.grid, &view->def, view->places.at[i]);
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
    view->window = near;
    if (near.columns == 0)
        message_error("--crop: nothing of the raster is within --range %s",
                      options_value(&view->run->given, "range"));
    return near.columns > 0;
}

// ---------------------------------------------------------------------------------------------------
// The work
// ---------------------------------------------------------------------------------------------------

static lf_status compute(view_run *view, lf_error *error) {
    static const lf_viewshed_mode kinds[] = {[MODE_GROUND] = LF_VIEWSHED_GROUND,
                                             [MODE_DEM] = LF_VIEWSHED_DEM,
                                             [MODE_ANGLE] = LF_VIEWSHED_ANGLE,
                                             [MODE_DISTANCE] = LF_VIEWSHED_DISTANCE};
    const lf_grid *grid = view->ground.grid;
    const lf_observer *who = view->observers;
    int64_t count = view->places.count;
    switch (view->mode) {
    case MODE_VISIBLE:
        return lf_viewshed_visible(grid, &view->def, who, view->window, view->values, 0, &view->stats, error);
    case MODE_COUNT:
        return lf_viewshed_count(grid, &view->def, who, count, view->window, view->values, 0, &view->stats,
                                 error);
    case MODE_WHO:
        return lf_viewshed_who(grid, &view->def, who, count, view->window, view->values, &view->stats, error);
    default:
        return lf_viewshed_values(grid, &view->def, who, kinds[view->mode], view->window, view->values, 0,
                                  &view->stats, error);
    }
}

/// Bytes of a post in the result.
static size_t post_bytes(const view_run *view) {
    return view->mode == MODE_VISIBLE ? 1 : view->mode == MODE_WHO ? (size_t)view->band_count : 4;
}

/// Holes and what is beyond become one value, nodata.
static void settle_bytes(view_run *view) {
    uint8_t *seen = view->values;
    int64_t count = view->window.columns * view->window.rows;
    for (int64_t i = 0; i < count; i++)
        if (seen[i] > LF_VISIBILITY_UNKNOWN)
            seen[i] = 255;
}

static bool run_viewshed(view_run *view) {
    lf_error error = {0};
    view->band_count = view->mode == MODE_WHO ? (int)((view->places.count + 7) / 8) : 1;
    size_t posts = (size_t)view->window.columns * (size_t)view->window.rows;
    if (view->places.count > 8 * 65535 && view->mode == MODE_WHO) {
        message_error("%lld observers: --mode who takes up to 524280", (long long)view->places.count);
        return false;
    }
    result_remark(view->run, view->window,
                  posts * post_bytes(view) + lf_viewshed_bytes(view->ground.grid, &view->def, view->window));
    view->values = calloc(posts, post_bytes(view));
    if (!view->values) {
        message_error("out of memory");
        return false;
    }
    lf_status status = compute(view, &error);
    progress_clear();
    if (status != LF_OK)
        message_status(status, &error);
    else if (view->mode == MODE_VISIBLE)
        settle_bytes(view);
    return status == LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Writing
// ---------------------------------------------------------------------------------------------------

static void gather_facts(const view_run *view, facts *facts) {
    const lf_viewshed_def *def = &view->def;
    facts_start(facts, view->run, &def->rules);
    facts_text(facts, "MODE", mode_words[view->mode]);
    facts_number(facts, "OBSERVERS", (double)view->places.count);
    if (view->places.count == 1) {
        facts_number(facts, "X", view->places.at[0].x);
        facts_number(facts, "Y", view->places.at[0].y);
        facts_number(facts, view->datum ? "Z" : "EYE", view->places.heights[0]);
    }
    facts_number(facts, "TARGET", def->target);
    facts_number(facts, "RANGE_MIN", def->range_min);
    facts_number(facts, "RANGE_MAX", def->range_max);
    facts_text(facts, "NORTH", north_word(view->run, &view->north));
    facts_number(facts, "AZIMUTH_FROM", def->azimuth_from_deg);
    facts_number(facts, "AZIMUTH_TO", def->azimuth_to_deg);
    facts_number(facts, "PITCH_LOW", def->pitch_low_deg);
    facts_number(facts, "PITCH_HIGH", def->pitch_high_deg);
}

#define BAND_ROOM 256 // bytes of a band's name

/// Its name, or its number from 0.
static const char *observer_name(const view_run *view, int64_t k, char number[24]) {
    if (view->places.names[k])
        return view->places.names[k];
    snprintf(number, 24, "%lld", (long long)k);
    return number;
}

/// The bands of --mode who say whose bits they hold, from the lowest bit on.
static char **name_bands(const view_run *view) {
    char **names = calloc((size_t)view->band_count, sizeof(char *) + BAND_ROOM);
    char *texts = (char *)(names + view->band_count), number[24];
    for (int i = 0; names && i < view->band_count; i++) {
        names[i] = texts + (ptrdiff_t)BAND_ROOM * i;
        snprintf(names[i], BAND_ROOM, "observers");
        for (int64_t k = (int64_t)i * 8; k < (int64_t)i * 8 + 8 && k < view->places.count; k++) {
            size_t used = strlen(names[i]);
            snprintf(names[i] + used, BAND_ROOM - used, "%s%s", k % 8 ? ", " : " ",
                     observer_name(view, k, number));
        }
    }
    return names;
}

static seen_table table_of(const view_run *view) {
    bool who = view->mode == MODE_WHO;
    return (seen_table){lf_grid_describe(view->ground.grid).geotransform, view->window, &view->places,
                        who ? view->values : NULL, who ? NULL : view->values};
}

static int write_table(view_run *view) {
    seen_table table = table_of(view);
    return seen_table_write(view->run, &table, options_value(&view->run->given, "output")) ? CLI_YES
                                                                                           : CLI_ERROR;
}

static int write_result(view_run *view) {
    static const map_word words[] = {
        {{20, 32, 60, 80}, "hidden"}, {{247, 176, 38, 175}, "visible"}, {{140, 70, 160, 170}, "unknown"}};
    static facts facts;
    lf_result_def def = lf_result_def_default();
    result_look look = {.unit = mode_units[view->mode] ? mode_units[view->mode] : "",
                        .marks = view->places.at,
                        .mark_count = view->places.count};
    char **names = view->mode == MODE_WHO ? name_bands(view) : NULL;
    def.values = view->values;
    def.window = view->window;
    def.band_count = view->band_count;
    def.unit = mode_units[view->mode];
    def.band_names = (const char *const *)names;
    def.nodata_given = view->mode != MODE_WHO;
    def.type = view->mode == MODE_VISIBLE || view->mode == MODE_WHO ? LF_RESULT_BYTE
               : view->mode == MODE_COUNT                           ? LF_RESULT_UINT32
                                                                    : LF_RESULT_FLOAT;
    def.nodata = view->mode == MODE_VISIBLE ? 255 : view->mode == MODE_COUNT ? (double)UINT32_MAX : LF_NAN;
    if (view->mode == MODE_VISIBLE) {
        look.words = words;
        look.word_count = 3;
    }
    gather_facts(view, &facts);
    int status = result_write(view->run, &view->ground, &def, &facts, &look);
    free(names);
    return status;
}

/// How much each observer sees, by its name.
static void write_each(const view_run *view, json *document) {
    seen_table table = table_of(view);
    output *out = &view->run->out;
    char number[24];
    if (document)
        json_put_array(document, "sees");
    for (int64_t k = 0; k < view->places.count; k++) {
        const char *name = observer_name(view, k, number);
        int64_t count = seen_table_count(&table, k);
        if (document) {
            json_put_object(document, NULL);
            json_put_text(document, "observer", name);
            json_put_integer(document, "count", count);
            json_close(document);
        } else {
            line_start(out, "sees");
            output_integer(out, count);
            output_char(out, ' ');
            output_text(out, name);
            output_char(out, '\n');
        }
    }
    if (document)
        json_close(document);
}

static void write_stats(const view_run *view) {
    output *out = &view->run->out;
    const int order[] = {LF_VISIBILITY_VISIBLE, LF_VISIBILITY_HIDDEN, LF_VISIBILITY_UNKNOWN, LF_VISIBILITY_VOID, LF_VISIBILITY_BEYOND};
    if (view->run->json) {
        json document = json_start(out, true);
        json_put_object(&document, NULL);
        json_put_integer(&document, "observers", view->places.count);
        for (int i = 0; i < 5; i++)
            json_put_integer(&document, lf_visibility_name((lf_visibility)order[i]), view->stats.counts[order[i]]);
        if (view->mode == MODE_WHO && is_table(view))
            write_each(view, &document);
        sight_rules_put_json(&document, &view->def.rules);
        json_close(&document);
        json_end(&document);
        return;
    }
    for (int i = 0; i < 5; i++)
        line_count(out, lf_visibility_name((lf_visibility)order[i]), view->stats.counts[order[i]]);
    if (view->mode == MODE_WHO && is_table(view))
        write_each(view, NULL);
    line_number(out, "cc", view->def.rules.curvature.coefficient);
}

static bool load(view_run *view) {
    cli *run = view->run;
    if (!ground_load(run, &view->ground) || !ground_needs_raster(run, &view->ground))
        return false;
    view->def.host = run->host;
    sight_rules_settle(&view->ground, &view->def.rules);
    return coordinates_start(run, &view->ground, &view->coordinates) &&
           north_start(run, &view->ground, false, &view->north);
}

int command_viewshed(cli *run) {
    view_run view = {.run = run};
    int status = CLI_ERROR;
    if (!read_question(&view))
        return CLI_ERROR;
    if (load(&view) && find_observers(&view) && find_compasses(&view) && find_window(&view) &&
        run_viewshed(&view)) {
        status = is_table(&view) ? write_table(&view) : write_result(&view);
        if (status == CLI_YES)
            write_stats(&view);
    }
    free(view.values);
    free(view.observers);
    free(view.compasses);
    north_end(&view.north);
    observers_free(&view.places);
    coordinates_end(&view.coordinates);
    ground_free(&view.ground);
    return status;
}
