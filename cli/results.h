/// Results for the samples of a raster, into a raster or a map: -o, --format, --co, --width.
#ifndef CLI_RESULTS_H
#define CLI_RESULTS_H

#include "map.h"
#include "sight_rules.h"
#include <landfall/io.h>

#define FACTS_MOST 32
#define FACT_SIZE 192

/// The options, as a file's metadata: "LANDFALL_EYE=2".
typedef struct facts {
    int count;
    char texts[FACTS_MOST][FACT_SIZE];
    const char *list[FACTS_MOST];
} facts;

void facts_text(facts *facts, const char *name, const char *text);
void facts_number(facts *facts, const char *name, double value);

/// The command, the version and the curvature.
void facts_start(facts *facts, const cli *run, const lf_sight_rules *rules);

/// Write a result where -o says. `look`: names, unit and marks of a map. The def's host, format, options and metadata are filled in here.
/// Returns the exit status.
int result_write(cli *run, lf_result_def *def, const facts *facts, const lf_figure_layer *look);

/// For lf_result_def: a file that the run reads may not be replaced. `user` is the cli.
bool result_may_replace(void *user, const char *path);

/// Print how much memory will be used, unless --quiet.
void result_note(const cli *run, lf_window window, size_t bytes);

#endif
