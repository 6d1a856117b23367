/// Plots, and answers as files: a plot (.svg, .png) or numbers (.csv, .json), by the ending.
#ifndef CLI_PLOTS_H
#define CLI_PLOTS_H

#include "answer.h"
#include <landfall/camera.h>
#include <landfall/picture.h>
#include <landfall/sight.h>

/// Draw something on a canvas.
typedef lf_status plot(lf_canvas *canvas, const void *content, lf_error *error);

/// Write a plot to a .svg or .png file. Prints what is wrong and returns false.
bool plot_write(cli *run, const char *path, int64_t width, int64_t height, plot *draw, const void *content);

/// An answer that becomes a file.
typedef struct sheet {
    const field *columns; ///< of the table for CSV
    const void *rows;
    int64_t count;
    size_t size;
    const field *fields; ///< of the JSON document
    const void *document;
    plot *draw;
    const void *content;
    int64_t width, height; ///< of the plot, in pixels
} sheet;

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
} profile;

/// Write a profile to a file.
bool profile_write(cli *run, const profile *profile, const char *path);

/// `landfall sight --path FILE`; returns the exit status.
int sight_path(cli *run);

/// The skyline of a point.
typedef struct skyline {
    lf_vec3 from;
    const double *azimuths;
    const lf_horizon *horizons;
    int64_t count;
    const lf_sight_rules *rules;
} skyline;

lf_status plot_profile(lf_canvas *canvas, const void *profile, lf_error *error);
lf_status plot_skyline(lf_canvas *canvas, const void *skyline, lf_error *error);

#define SKYLINE_SIZE 720
#define PLOT_WIDTH 1100
#define PLOT_HEIGHT 480

#endif
