/// A viewshed from the inside.
///
/// Where posts stand in the result is the map of what is still to be done: a byte per post, lf_visibility, or LF__SEEN_ASK where only a line
/// of its own can tell. The sweep (viewshed_sweep.c) writes all bytes; whoever comes after it decides the posts to be asked.
#ifndef LF_SIGHT_VIEWSHED_H
#define LF_SIGHT_VIEWSHED_H

#include "grid/packed.h"
#include "sight/line.h"
#include "sight/lowering.h"
#include <landfall/sight.h>

/// Not decided yet.
#define LF__SEEN_ASK 255

/// Not hidden by ground, but a void may be in the way.
#define LF__SEEN_VEIL 254

/// Bytes per post, so many from row to row.
typedef struct lf__plane {
    uint8_t *bytes;
    ptrdiff_t row_step;
} lf__plane;

/// An observer who looks at a window of a grid.
typedef struct lf__view {
    const lf_grid *grid;
    const lf__views *views; ///< of the grid, for the workers
    lf_viewshed_def def;    ///< complete
    lf_window window;
    lf_vec2 at;                ///< in the world
    lf_vec2 eye;               ///< in columns and rows
    double z;                  ///< above datum
    double degree_x, degree_y; ///< metres per unit of x and y where the observer is
    lf_vec2 to_east,
        to_north; ///< metres to the true east and north of the observer: products with a step in x and y
    bool limited; ///< some posts may be beyond azimuth, pitch or range
    lf__square_series squares; ///< of distances in the world; where there is a range
    double squares_off;        ///< share by which they may be off, within the window; more than 1: no series
} lf__view;

/// The view as one of the workers is to have it.
static inline lf__view lf__view_of(const lf__view *view, int worker) {
    lf__view own = *view;
    own.grid = lf__views_of(view->views, worker);
    return own;
}

/// Where a post stands in the world.
static inline lf_vec2 lf__view_post(const lf_grid *grid, int64_t i, int64_t j) {
    const lf_geotransform *p = &grid->geotransform;
    return (lf_vec2){p->origin.x + (double)i * p->per_column.x + (double)j * p->per_row.x,
                     p->origin.y + (double)i * p->per_column.y + (double)j * p->per_row.y};
}

/// How far the samples of the window are from the observer, in units of x and y: no farther than this.
static inline lf_vec2 lf__view_reach(const lf__view *view) {
    lf_window w = view->window;
    lf_vec2 far = {0, 0};
    for (int k = 0; k < 4; k++) {
        lf_vec2 corner = lf__view_post(view->grid, w.column + (k & 1 ? w.columns + 3 : -4),
                                       w.row + (k & 2 ? w.rows + 3 : -4));
        far.x = fmax(far.x, fabs(corner.x - view->at.x));
        far.y = fmax(far.y, fabs(corner.y - view->at.y));
    }
    return far;
}

/// Measure anew how far the window reaches, after it has become another one.
void lf__view_measure(lf__view *view);

/// Metres on the map to a place of the world.
double lf__view_distance(const lf__view *view, lf_vec2 to);

/// Degrees above level under which a place appears that is so far away and so high above datum.
double lf__view_pitch(const lf__view *view, double distance, double height);

/// The line from a place above a post to the observer.
lf__sight_line lf__view_line(const lf__view *view, int64_t i, int64_t j, double height);

/// How far the exact line to a target of the window may be from the ideal one, which runs between the unrounded heights and is lowered by the
/// unrounded distance: metres, at any place of the line.
double lf__view_line_off(const lf__view *view);

/// Is a post within the limits? Of range, azimuth, and pitch for a target so high above datum.
bool lf__view_within(const lf__view *view, int64_t i, int64_t j, double height);

/// What is seen of a post within the limits that is no hole, by a line of its own.
lf_visibility lf__view_ask(const lf__view *view, int64_t i, int64_t j);

/// Decide all posts of some rows of the window that are still to be asked; how many these were.
int64_t lf__view_ask_rows(const lf__view *view, lf__plane seen, int64_t first_row, int64_t last_row);

/// Least height above ground, at least `raise`, at which a target over this post is visible; NAN where that is unknown.
double lf__view_least(const lf__view *view, int64_t i, int64_t j, double raise);

/// How far above a post something appears at the lowest pitch: negative where the post is higher, -INFINITY without that limit and at the
/// observer, NAN for a pitch of 90 degrees or more.
double lf__view_raise(const lf__view *view, int64_t i, int64_t j, double pitch_low_deg);

#endif
