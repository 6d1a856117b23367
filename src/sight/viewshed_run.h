/// How a viewshed runs: what its calls share.
#ifndef LF_SIGHT_VIEWSHED_RUN_H
#define LF_SIGHT_VIEWSHED_RUN_H

#include "geom/angle.h"
#include "sight/viewshed.h"

/// Check grid, def and window; def is then complete.
lf_status lf__view_check(const lf_grid *grid, const lf_viewshed_def *given, lf_window window,
                         lf_viewshed_def *def, lf_error *error);

/// Put observer number `index` into a view whose grid, def and window are there.
lf_status lf__view_start(lf__view *view, const lf_observer *observer, int64_t index, lf_error *error);

/// Fill in a row step of 0; may rows of so many items be so far apart?
bool lf__rows_fit(ptrdiff_t *row_step, int64_t columns, size_t item);

/// Scratch memory of one run, whatever the window.
size_t lf__view_scratch(const lf_grid *grid, const lf_viewshed_def *def);

/// A parallel loop over `count` rows or other pieces that tells its progress in between. Errors: LF_CANCELLED.
lf_status lf__view_rows(const lf__view *view, const char *stage, int64_t count, lf_task *task, void *job);

/// A part of such a loop.
typedef struct lf__view_slice {
    lf_task *task;
    void *job;
    int64_t first;
} lf__view_slice;

void lf__view_slice_task(void *job, int64_t first, int64_t last, int worker);

/// Decide every post of the window. stats are added to.
lf_status lf__view_run(const lf__view *view, lf__plane seen, lf_viewshed_stats *stats);

#endif
