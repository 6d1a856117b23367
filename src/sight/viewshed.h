/// Viewsheds, shared by their files.
///
/// A line of sight of length D to a target lies lower than straight by c * D^2 * t * (1 - t). Seen from the observer that is the same as
/// ground that is lowered by c * D^2 * t^2 under a straight line. On a plane D^2 is a quadratic form of the columns and rows between the two
/// ends. On degrees it is the square of a geodesic, which a power series around the observer gives (lf__square_series). What the series
/// leaves out is bounded, as a share of D^2, and added to the bounds of whoever uses it.
#ifndef LF_SIGHT_VIEWSHED_H
#define LF_SIGHT_VIEWSHED_H

#include "geom/angle.h"
#include "grid/packed.h"
#include "sight/sight.h"
#include <landfall/geom.h>
#include <landfall/sight.h>
#include <math.h>
#include <stdbool.h>

// ---------------------------------------------------------------------------------------------------
// Lowering of the ground
// ---------------------------------------------------------------------------------------------------

/// The degree to which series are used, and the degree to which they are computed, to know what is left out.
#define LF__SERIES_USED 6
#define LF__SERIES 8

/// Coefficients by the powers of x and y, in units of the world: square metres are the sum of at[p][q] * x^p * y^q.
typedef struct lf__square_series {
    double at[LF__SERIES + 1][LF__SERIES + 1];
} lf__square_series;

/// Squares of geodesic distances from a latitude to places so many degrees of longitude (x) and latitude (y) away.
void lf__square_series_degrees(const lf_ellipsoid *ellipsoid, double lat_deg, lf__square_series *series);

/// The share of a square by which the terms used may be off, for places no farther than this. More than 1: nothing is known.
double lf__square_series_off(const lf__square_series *series, double x, double y);

/// The square of the distance to a place, by the terms that are used.
static inline double lf__square_series_at(const lf__square_series *s, double x, double y) {
    double sum = 0, square = x * x;
    for (int p = LF__SERIES_USED; p >= 0; p -= 2) {
        double part = 0;
        for (int q = LF__SERIES_USED - p; q >= 0; q--)
            part = part * y + s->at[p][q];
        sum = sum * square + part;
    }
    return sum;
}

/// Lowering in a sector: the sum of at[i][j] * a^i * b^j, where a and b are counted from the observer.
typedef struct lf__lowering {
    int degree;
    double at[LF__SERIES_USED + 1][LF__SERIES_USED + 1];
} lf__lowering;

/// Steps of the world for a and b, and the factor c.
void lf__lowering_start(lf__lowering *l, const lf__square_series *series, const double x[2],
                        const double y[2], double factor);

/// Lowering / a on a ring, as a polynomial of b.
static inline void lf__lowering_ring(const lf__lowering *l, double a, double c[LF__SERIES_USED + 1]) {
    for (int j = 0; j <= l->degree; j++) {
        double sum = 0;
        for (int i = l->degree - j; i > 0; i--)
            sum = sum * a + l->at[i][j];
        c[j] = j == 0 ? sum : sum + l->at[0][j] / a;
    }
}

/// Lowering at a place.
static inline double lf__lowering_at(const lf__lowering *l, double a, double b) {
    double sum = 0;
    for (int j = l->degree; j >= 0; j--) {
        double part = 0;
        for (int i = l->degree - j; i >= 0; i--)
            part = part * a + l->at[i][j];
        sum = sum * b + part;
    }
    return sum;
}

/// From `least` to `most`.
typedef struct lf__limits {
    double least, most;
} lf__limits;

/// Directions v = b / a and distances a.
typedef struct lf__fan {
    double v[2], a[2];
} lf__fan;

/// What lowering / a^2 is anywhere in a fan, and how much it changes with a.
lf__limits lf__lowering_limits(const lf__lowering *l, const lf__fan *fan);
lf__limits lf__lowering_changes(const lf__lowering *l, const lf__fan *fan);

// ---------------------------------------------------------------------------------------------------
// A view
// ---------------------------------------------------------------------------------------------------

// Where posts stand in the result is the map of what is still to be done: a byte per post, lf_visibility, or
// LF__SEEN_ASK where only a line of its own can tell. The sweep (viewshed_sweep.c) writes all bytes; whoever
// comes after it decides the posts to be asked.

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

// ---------------------------------------------------------------------------------------------------
// Running a viewshed
// ---------------------------------------------------------------------------------------------------

/// Check grid, def and window; def is then complete.
lf_status lf__view_check(const lf_grid *grid, const lf_viewshed_def *given, lf_window window,
                         lf_viewshed_def *def, lf_error *error);

/// Put observer number `index` into a view whose grid, def and window are there.
lf_status lf__view_start(lf__view *view, const lf_observer *observer, int64_t index, lf_error *error);

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

/// Decide every post of the window. stats are added to.
lf_status lf__view_run(const lf__view *view, lf__plane seen, lf_viewshed_stats *stats);

// ---------------------------------------------------------------------------------------------------
// Grids that wrap
// ---------------------------------------------------------------------------------------------------

/// How far the range of a viewshed reaches from a place, in columns and rows, or more; INFINITY without a limit.
lf_vec2 lf__view_range_reach(const lf_grid *grid, const lf_viewshed_def *def, lf_vec2 at);

/// Does what a started view looks at lie beyond the seam, seen the shorter way round?
bool lf__view_crosses(const lf__view *view);

/// The numbers of such a view. To `walked` is added how many posts got a line of their own.
lf_status lf__view_values_round(const lf__view *view, lf_viewshed_mode which, float *values,
                                ptrdiff_t row_step, int64_t *walked);

/// The most memory that these take, for any observer; 0 for a grid that does not wrap.
size_t lf__view_round_bytes(const lf_grid *grid, const lf_viewshed_def *def);

#endif
