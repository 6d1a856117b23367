/// Skylines from the inside: what maps share with single questions.
#ifndef LF_SIGHT_HORIZON_H
#define LF_SIGHT_HORIZON_H

#include "sight/bearing.h"
#include <landfall/sight.h>

/// The steepest look up that ground stops.
typedef struct lf__skyline {
    double slope; ///< -INFINITY where there is no ground, INFINITY from below it
    double t; ///< metres to the nearest place that makes it, but for rounding (1e-12); 0: as near as you like
    double height; ///< of the ground there
} lf__skyline;

/// The skyline along a line with z1 = 0, whose z2 is the bend. `hint` is where, in metres, it may well be, or 0: it changes
/// how long the answer takes, not the answer.
lf__skyline lf__skyline_find(const lf_grid *grid, const lf__sight_line *line, double hint, lf_counters *cost);

/// The same over all copies of a grid with a turn that the line comes over.
lf__skyline lf__skyline_along(const lf_grid *grid, const lf__sight_line *line, double hint,
                              lf_counters *cost);

/// A def that is fit for maps: read over the defaults, and checked with its window.
lf_status lf__horizon_def_read(const lf_grid *grid, const lf_horizon_def *given, lf_window window,
                               lf_horizon_def *def, lf_error *error);

/// Rows of a window, or other shares of the work: done on all cores, `grain` of them at once, with reports between. The whole is part
/// `part` of `parts` as far as these go. LF_CANCELLED when the caller wants to stop.
typedef struct lf__horizon_rows {
    const lf_host *host;
    const char *stage;
    int64_t rows, grain;
    int64_t part, parts;
} lf__horizon_rows;

lf_status lf__horizon_run(const lf__horizon_rows *rows, lf_task *task, void *job);

#endif
