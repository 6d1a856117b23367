/// One square against a ray: quickly where that will do, with care where it will not. Kernels compile it for themselves.
#ifndef LF_GRID_SQUARE_H
#define LF_GRID_SQUARE_H

#include "grid/grid_question.h"
#include "grid/grid_quick.h"

/// Tell of a meeting.
static inline bool lf__trace_tell(lf__trace *trace, const lf__piece *piece, const lf__grid_meeting *meeting) {
    if (trace->gravity ? meeting->edge_on : lf__grid_doubled(trace->grid, piece->i, piece->triangle))
        return false;
    double wanted = trace->found(trace->user, trace, piece, meeting);
    if (isfinite(wanted))
        wanted += 16 * LF__QUICK_UNIT * fabs(wanted); // t is rounded
    trace->end = wanted < trace->end ? wanted : trace->end;
    return true;
}

/// Triangles by doubles alone: false where they cannot tell.
LF__QUICK_INLINE bool lf__square_quickly(lf__trace *trace, int64_t i, int64_t j, bool *any) {
    const lf_grid *grid = trace->grid;
    lf__grid_corners h = lf__grid_corners_of(grid, i, j);
    bool falls = lf__grid_falls(grid, i, j);
    double t[2];
    lf__quick verdict[2];
    if (!lf__quick_meet(&h, &trace->line, i, j, falls, verdict, t))
        return false;
    *any = false;
    trace->cost.triangles += 2;
    for (int k = 0; k < 2; k++)
        if (verdict[k] == LF__QUICK_HIT) {
            lf__piece piece;
            lf__piece_name(&piece, i, j, k);
            *any |= lf__trace_tell(trace, &piece, &(lf__grid_meeting){t[k], LF__SPOT_ROOT, 0, false});
        }
    return true;
}

LF__QUICK_INLINE bool lf__square_meet(lf__trace *trace, int64_t i, int64_t j) {
    const lf_grid *grid = trace->grid;
    bool flat = grid->surface != LF_SURFACE_POINT && grid->surface != LF_SURFACE_BILINEAR, any;
    if (flat && lf__grid_is_real(grid, i, j) && !lf__grid_gap(grid, i, j) &&
        lf__square_quickly(trace, i, j, &any))
        return any;
    return lf__trace_square_with_care(trace, i, j);
}

#endif
