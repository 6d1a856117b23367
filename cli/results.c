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

// ---- Writing ------------------------------------------------------------------------------------

bool result_may_replace(void *user, const char *path) {
    const char *input;
    return !run_files_reads(user, path, &input);
}

int result_write(cli *run, lf_result_def *def, const facts *facts, const lf_figure_layer *look) {
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
    lf_figure_page page = figure_page(run, path, options_integer(given, "width", 960));
    lf_grid_info grid = lf_grid_describe(run->ground.grid);
    if (picture && grid.low > grid.high)
        return message_error("-o %s: the raster is void: there is nothing to draw", path);
    lf_figure_map_def map = {
        .grid = run->ground.grid, .degrees = ground_map_in_degrees(&run->ground), .layer = look};
    lf_status status = picture ? lf_figure_result(&page, &map, def, &error)
                               : ground_write_result(&run->ground, path, def, &error);
    return succeeded(status, &error) ? CLI_YES : CLI_ERROR;
}
