#include "results.h"
#include "ground.h"
#include <math.h>
#include <stdio.h>

// ---- Facts --------------------------------------------------------------------------------------

void facts_text(facts *facts, const char *name, const char *text) {
    if (facts->count == FACTS_MOST)
        return;
    snprintf(facts->texts[facts->count], FACT_SIZE, "LANDFALL_%s=%s", name, text);
    facts->list[facts->count] = facts->texts[facts->count];
    facts->count++;
}

void facts_number(facts *facts, const char *name, double value) {
    char text[NUMBER_SIZE + 1] = "inf";
    if (isfinite(value))
        text[number_write(text, value)] = '\0';
    facts_text(facts, name, text);
}

void facts_start(facts *facts, const cli *run, const lf_sight_rules *rules) {
    static const char *const policies[] = {"unknown", "pass", "stop"};
    facts->count = 0;
    facts_text(facts, "VERSION", lf_version());
    facts_text(facts, "COMMAND", run->command->name);
    facts_number(facts, "CC", rules->curvature.coefficient);
    facts_number(facts, "RADIUS", rules->curvature.radius);
    facts_text(facts, "HOLES", policies[rules->voids]);
}

// ---- Before the computation ---------------------------------------------------------------------

void result_note(const cli *run, lf_window window, size_t bytes) {
    char text[160], megabytes[40];
    if (run->quiet)
        return;
    lf_number_text((double)bytes / 1e6,
                   bytes < 1000000     ? 3
                   : bytes < 100000000 ? 1
                                       : 0,
                   megabytes, sizeof megabytes);
    snprintf(text, sizeof text, "%lld x %lld samples, %s MB of memory besides the raster",
             (long long)window.columns, (long long)window.rows, megabytes);
    message_note(text);
}

// ---- Maps ---------------------------------------------------------------------------------------

typedef struct painter {
    const lf_result_def *def;
    const result_look *look;
    lf_figure_layer layer;
} painter;

/// The number of a sample in the first band; NaN outside the window, and for nodata.
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
    if (painter->look->names)
        return value < painter->look->name_count ? painter->look->names[(int)value].colour : none;
    double range = painter->layer.high - painter->layer.low;
    return lf_colour_fade(lf_ramp_colour(painter->layer.ramp, (value - painter->layer.low) / range), 0.8);
}

/// The ramp goes from the least number to the greatest.
static void find_range(const lf_result_def *def, lf_figure_layer *layer) {
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
    if (window->columns < 2 || window->rows < 2)
        return grid.box;
    for (int k = 0; k < 4; k++) {
        double i = (double)(window->column + (k % 2 ? window->columns - 1 : 0));
        double j = (double)(window->row + (k / 2 ? window->rows - 1 : 0));
        lf_vec2 at = lf_placing_at(&grid.geotransform, i, j);
        box = lf_box_with(box, (lf_vec3){at.x, at.y, grid.box.low.z});
    }
    box.high.z = grid.box.high.z;
    return box;
}

static bool draw(const cli *run, const lf_result_def *def, const result_look *look, const char *path) {
    painter painter = {.def = def, .look = look};
    painter.layer = (lf_figure_layer){.tint = paint,
                                      .user = &painter,
                                      .names = look->names,
                                      .name_count = look->name_count,
                                      .ramp = LF_RAMP_EVEN,
                                      .unit = look->unit,
                                      .marks = look->marks,
                                      .mark_count = look->mark_count};
    if (!look->names)
        find_range(def, &painter.layer);
    lf_figure_map_def map = {.box = box_of(&run->ground, &def->window), .layer = &painter.layer};
    return map_draw(run, path, &map);
}

// ---- Writing ------------------------------------------------------------------------------------

bool result_may_replace(void *user, const char *path) {
    const char *input;
    return !run_files_reads(user, path, &input);
}

int result_write(cli *run, lf_result_def *def, const facts *facts, const result_look *look) {
    const options *given = &run->given;
    const char *path = options_value(given, "output");
    lf_error error = {0};
    def->host = run->host;
    def->format = options_value(given, "format");
    def->option_count = options_count(given, "co");
    def->options = def->option_count > 0 ? options_list(given, "co") : NULL;
    def->metadata = (const char *const *)facts->list;
    def->metadata_count = facts->count;
    def->may_replace = result_may_replace;
    def->may_replace_user = run;
    bool picture = path_ends(path, ".png") && !def->format;
    if (picture)
        return draw(run, def, look, path) ? CLI_YES : CLI_ERROR;
    lf_status status = ground_write_result(&run->ground, path, def, &error);
    return succeeded(status, &error) ? CLI_YES : CLI_ERROR;
}
