/// Results of a raster's posts, into a raster or a map: -o, --format, --co, --width.
#ifndef CLI_RESULTS_H
#define CLI_RESULTS_H

#include "map.h"
#include "sight_rules.h"
#include <landfall/io.h>

#define FACTS_MOST 32
#define FACT_ROOM 192

/// What was asked for, as a file's metadata: "LANDFALL_EYE=2".
typedef struct facts {
    int count;
    char texts[FACTS_MOST][FACT_ROOM];
    const char *list[FACTS_MOST];
} facts;

void facts_text(facts *facts, const char *name, const char *text);
void facts_number(facts *facts, const char *name, double value);

/// The command, the version and how lines bend.
void facts_start(facts *facts, const cli *run, const lf_sight_rules *rules);

/// How numbers are shown on a map: by words of a few values, or by a ramp from the least to the greatest.
typedef struct result_look {
    const map_word *words; ///< by value, of bytes; those without a text are not in the key. NULL: a ramp
    int word_count;
    const char *unit;
    const lf_vec2 *marks;
    int64_t mark_count;
} result_look;

/// Is there an -o that can be written, as far as can be told before the work? Says what is wrong and returns false.
bool result_wanted(const cli *run);

/// Is every --co, spelled so, a NAME=VALUE? Prints what is wrong and returns false.
bool result_options_valid(const options *given, const char *spelling);

/// Write a result where -o says. The def's host, format, options and metadata are filled in here.
/// Returns the exit status.
int result_write(cli *run, const loaded *ground, lf_result_def *def, const facts *facts,
                 const result_look *look);

/// Write a def that is complete onto the pixels of a ground that has a grid: those of its file, or those that a .lf file was built from.
lf_status result_write_raster(const loaded *ground, const char *path, const lf_result_def *def,
                              lf_error *error);

/// For lf_result_def: a file that the run reads may not be replaced. `user` is the cli.
bool result_may_replace(void *user, const char *path);

/// Say how much memory will be taken, unless --quiet.
void result_remark(const cli *run, lf_window window, size_t bytes);

#endif
