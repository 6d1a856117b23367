#include "results.h"
#include "file_output.h"
#include "numbers.h"
#include "run_files.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// Facts
// ---------------------------------------------------------------------------------------------------

void facts_text(facts *facts, const char *name, const char *text) {
    if (facts->count == FACTS_MOST)
        return;
    snprintf(facts->texts[facts->count], FACT_ROOM, "LANDFALL_%s=%s", name, text);
    facts->list[facts->count] = facts->texts[facts->count];
    facts->count++;
}

void facts_number(facts *facts, const char *name, double value) {
    char text[NUMBER_ROOM + 1] = "inf";
    if (isfinite(value))
        text[number_write(text, value)] = '\0';
    facts_text(facts, name, text);
}

void facts_start(facts *facts, const cli *run, const lf_sight_rules *rules) {
    static const char *const words[] = {"unknown", "pass", "stop"};
    facts->count = 0;
    facts_text(facts, "VERSION", lf_version());
    facts_text(facts, "COMMAND", run->command->name);
    facts_number(facts, "CC", rules->curvature.coefficient);
    facts_number(facts, "RADIUS", rules->curvature.radius);
    facts_text(facts, "HOLES", words[rules->voids]);
}

// ---------------------------------------------------------------------------------------------------
// Before the work
// ---------------------------------------------------------------------------------------------------

static bool is_picture(const cli *run, const char *path) {
    return path_ends(path, ".png") && !options_has(&run->given, "format");
}

bool result_options_valid(const options *given, const char *spelling) {
    for (int i = 0; i < options_count(given, "co"); i++) {
        const char *text = options_nth(given, "co", i), *equals = strchr(text, '=');
        if (!equals || equals == text) {
            message_usage("%s %s: expected NAME=VALUE", spelling, text);
            return false;
        }
    }
    return true;
}

bool result_wanted(const cli *run) {
    const options *given = &run->given;
    const char *path = options_value(given, "output");
    int64_t width;
    if (!path) {
        message_usage("-o FILE is missing");
        return false;
    }
    if (is_picture(run, path) && options_has(given, "co")) {
        message_usage("--co is for rasters, and -o %s is a picture", path);
        return false;
    }
    if (!is_picture(run, path) && options_has(given, "width")) {
        message_usage("--width is for pictures (.png)");
        return false;
    }
    return result_options_valid(given, "--co") && options_integer(given, "width", 200, 20000, &width);
}

void result_remark(const cli *run, lf_window window, size_t bytes) {
    char text[160], megabytes[40];
    if (run->quiet)
        return;
    lf_number_text((double)bytes / 1e6,
                   bytes < 1000000     ? 3
                   : bytes < 100000000 ? 1
                                       : 0,
                   megabytes, sizeof megabytes);
    snprintf(text, sizeof text, "%lld x %lld posts, %s MB of memory besides the raster",
             (long long)window.columns, (long long)window.rows, megabytes);
    message_remark(text);
}

// ---------------------------------------------------------------------------------------------------
// Maps
// ---------------------------------------------------------------------------------------------------

typedef struct painter {
    const lf_result_def *def;
    const result_look *look;
    map_layer layer;
} painter;

/// The number of a post in the first band; NaN beside the window, and for nodata.
static double number_at(const lf_result_def *def, int64_t column, int64_t row) {
    const lf_window *window = &def->window;
    int64_t i = column - window->column, j = row - window->row;
    if (i < 0 || j < 0 || i >= window->columns || j >= window->rows)
        return LF_NAN;
    int64_t at = j * window->columns + i;
    double value = def->type == LF_RESULT_BYTE     ? ((const uint8_t *)def->values)[at]
                   : def->type == LF_RESULT_UINT32 ? ((const uint32_t *)def->values)[at]
                   : def->type == LF_RESULT_FLOAT  ? (double)((const float *)def->values)[at]
                                                   : ((const double *)def->values)[at];
    return def->nodata_given && value == def->nodata ? LF_NAN : value;
}

static lf_colour paint(void *user, int64_t column, int64_t row) {
    const painter *painter = user;
    double value = number_at(painter->def, column, row);
    lf_colour none = {0, 0, 0, 0};
    if (isnan(value))
        return none;
    if (painter->look->words)
        return value < painter->look->word_count ? painter->look->words[(int)value].colour : none;
    double range = painter->layer.high - painter->layer.low;
    return lf_colour_fade(lf_ramp_colour(painter->layer.ramp, (value - painter->layer.low) / range), 0.8);
}

/// The ramp goes from the least number to the greatest.
static void find_range(const lf_result_def *def, map_layer *layer) {
    layer->low = LF_INFINITY;
    layer->high = -LF_INFINITY;
    for (int64_t j = 0; j < def->window.rows; j++)
        for (int64_t i = 0; i < def->window.columns; i++) {
            double value = number_at(def, def->window.column + i, def->window.row + j);
            layer->low = fmin(layer->low, value);
            layer->high = fmax(layer->high, value);
        }
    if (!(layer->low <= layer->high))
        layer->low = layer->high = 0;
    if (!(layer->high > layer->low))
        layer->high = layer->low + 1;
}

/// The window's part of the world.
static lf_box box_of(const loaded *ground, const lf_window *window) {
    lf_grid_info grid = lf_grid_describe(ground->grid);
    lf_box box = lf_box_empty();
    for (int k = 0; k < 4; k++) {
        double i = (double)(window->column + (k % 2 ? window->columns - 1 : 0));
        double j = (double)(window->row + (k / 2 ? window->rows - 1 : 0));
        lf_vec2 at = lf_placing_at(&grid.geotransform, i, j);
        lf_vec3 corner = {at.x, at.y, 0};
        box = lf_box_with(box, corner);
    }
    bool thin = window->columns < 2 || window->rows < 2;
    return thin ? grid.box : box;
}

static lf_status draw(cli *run, const loaded *ground, const lf_result_def *def, const result_look *look,
                      const char *path, lf_error *error) {
    painter painter = {.def = def, .look = look};
    map_word words[8];
    int count = 0;
    int64_t width = 960;
    lf_grid_info grid = lf_grid_describe(ground->grid);
    if (grid.low > grid.high) {
        snprintf(error->text, sizeof error->text, "-o %s: there are only holes, and nothing to draw", path);
        return LF_BAD_GEOMETRY;
    }
    for (int i = 0; look->words && i < look->word_count && count < 8; i++)
        if (look->words[i].text)
            words[count++] = look->words[i];
    painter.layer = (map_layer){.tint = paint,
                                .user = &painter,
                                .words = look->words ? words : NULL,
                                .word_count = count,
                                .ramp = LF_RAMP_EVEN,
                                .unit = look->unit,
                                .marks = look->marks,
                                .mark_count = look->mark_count};
    if (!look->words)
        find_range(def, &painter.layer);
    options_integer(&run->given, "width", 200, 20000, &width);
    map_def map = {
        .box = box_of(ground, &def->window), .layer = &painter.layer, .width = width, .path = path};
    return map_draw(run, ground, &map, error);
}

// ---------------------------------------------------------------------------------------------------
// Writing
// ---------------------------------------------------------------------------------------------------

bool result_may_replace(void *user, const char *path) {
    const char *input;
    return !run_files_reads(user, path, &input);
}

lf_status result_write_raster(const loaded *ground, const char *path, const lf_result_def *def,
                              lf_error *error) {
    if (ground->raster)
        return lf_result_write(path, ground->raster, def, error);
    lf_raster *source = NULL; // of a .lf file: what its grid was built from
    lf_status status = lf_raster_from_store(ground->store, &def->host, &source, error);
    if (status == LF_OK)
        status = lf_result_write(path, source, def, error);
    lf_raster_close(source);
    return status;
}

static lf_status write_raster(cli *run, const loaded *ground, lf_result_def *def, const facts *facts,
                              const char *path, lf_error *error) {
    const options *given = &run->given;
    int count = options_count(given, "co");
    const char **list = calloc((size_t)count + 1, sizeof(char *));
    if (!list)
        return LF_NO_MEMORY;
    for (int i = 0; i < count; i++)
        list[i] = options_nth(given, "co", i);
    def->host = run->host;
    def->format = options_value(given, "format");
    def->options = count > 0 ? list : NULL;
    def->option_count = count;
    def->metadata = (const char *const *)facts->list;
    def->metadata_count = facts->count;
    def->may_replace = result_may_replace;
    def->may_replace_user = run;
    lf_status status = result_write_raster(ground, path, def, error);
    free(list);
    return status;
}

int result_write(cli *run, const loaded *ground, lf_result_def *def, const facts *facts,
                 const result_look *look) {
    const char *path = options_value(&run->given, "output");
    lf_error error = {0};
    lf_status status = is_picture(run, path) ? draw(run, ground, def, look, path, &error)
                                             : write_raster(run, ground, def, facts, path, &error);
    progress_clear();
    return status == LF_OK ? CLI_YES : message_status(status, &error);
}
