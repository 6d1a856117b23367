/// Viewsheds over the seam of a grid that wraps.
#ifndef LF_SIGHT_VIEWSHED_ROUND_H
#define LF_SIGHT_VIEWSHED_ROUND_H

#include "sight/viewshed.h"

/// How far the range of a viewshed reaches from a place, in columns and rows, or more; INFINITY without a limit.
lf_vec2 lf__view_range_reach(const lf_grid *grid, const lf_viewshed_def *def, lf_vec2 at);

/// Does what a started view looks at lie beyond the seam, seen the shorter way round?
bool lf__view_crosses(const lf__view *view);

/// lf__view_run for a view that crosses the seam: on a grid of the columns around the observer, half a turn to each side at most. stats are added to.
lf_status lf__view_run_round(const lf__view *view, lf__plane seen, lf_viewshed_stats *stats);

/// The numbers of such a view. To `walked` is added how many posts got a line of their own.
lf_status lf__view_values_round(const lf__view *view, lf_viewshed_mode which, float *values,
                                ptrdiff_t row_step, int64_t *walked);

/// The most memory that these take, for any observer; 0 for a grid that does not wrap.
size_t lf__view_round_bytes(const lf_grid *grid, const lf_viewshed_def *def);

#endif
