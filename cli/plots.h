/// Plots, and answers as files: a plot (.svg, .png) or numbers (.csv, .json), by the ending.
#ifndef CLI_PLOTS_H
#define CLI_PLOTS_H

#include "answer.h"
#include <figures.h>
#include <landfall/camera.h>

/// The file that a figure becomes, as figures.h takes it.
lf_figure_page figure_page(const cli *run, const char *path, int64_t width);

/// An answer that becomes a file of numbers.
typedef struct sheet {
    const field *columns; ///< of the table for CSV
    const void *rows;
    int64_t count;
    size_t size;
    const field *fields; ///< of the JSON document
    const void *document;
} sheet;

/// Is the file numbers, by its ending, and not a figure?
bool is_sheet(const char *path);

/// Write it. Prints what is wrong and returns false.
bool sheet_write(cli *run, const sheet *sheet, const char *path);

/// The ground under a line.
typedef struct profile {
    const lf_profile_point *samples;
    int64_t count;
    lf_vec3 a, b; ///< the ends; of a measured path x is metres from a
    bool placed;  ///< x and y of the ends are positions
    const lf_sight *sight;
    const lf_sight_rules *rules;
    const lf_vec2 *places; ///< of each sample; NULL: on the straight line between the ends
} profile;

/// Write a profile to a file.
bool profile_write(cli *run, const profile *profile, const char *path);

/// `landfall sight --path FILE`; returns the exit status.
int sight_path(cli *run);

#define SKYLINE_SIZE 720
#define PLOT_WIDTH 1100
#define PLOT_HEIGHT 480

#endif
