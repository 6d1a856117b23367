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

/// How numbers are shown on a map: by names of a few values, or by a ramp from the least to the greatest.
typedef struct result_look {
    const lf_figure_name *names; ///< by value, of bytes. NULL: a ramp
    int name_count;
    const char *unit;
    const lf_vec2 *marks;
    int64_t mark_count;
} result_look;

/// Write a result where -o says. The def's host, format, options and metadata are filled in here.
/// Returns the exit status.
int result_write(cli *run, lf_result_def *def, const facts *facts, const result_look *look);

/// For lf_result_def: a file that the run reads may not be replaced. `user` is the cli.
bool result_may_replace(void *user, const char *path);

/// Print how much memory will be used, unless --quiet.
void result_note(const cli *run, lf_window window, size_t bytes);

#endif
