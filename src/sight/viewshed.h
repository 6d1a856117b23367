/// Viewsheds: types and functions that their files share.
///
/// A line of sight of length D to a target lies lower than straight by c * D^2 * t * (1 - t). From the
/// observer, this is equivalent to ground that is lowered by c * D^2 * t^2 under a straight line. On a plane
/// D^2 is a quadratic form of the columns and rows between the two ends. On degrees it is the square of a
/// geodesic, which is approximated by a power series around the observer (lf__square_series). The truncation
/// error is bounded as a fraction of D^2, and callers add it to their bounds.
#ifndef LF_SIGHT_VIEWSHED_H
#define LF_SIGHT_VIEWSHED_H

#include "geom/geometry.h"
#include "grid/packed.h"
#include "sight/sight.h"
#include <landfall/geom.h>
#include <landfall/sight.h>
#include <math.h>
#include <stdbool.h>

// ---------------------------------------------------------------------------------------------------
// Lowering of the ground
// ---------------------------------------------------------------------------------------------------

/// The degree of the terms used, and the degree computed, which bounds the truncation error.
#define LF__SERIES_USED 6
#define LF__SERIES 8

/// Coefficients by powers of x and y in world units: square metres are the sum of at[p][q] * x^p * y^q.
typedef struct lf__square_series {
    double at[LF__SERIES + 1][LF__SERIES + 1];
} lf__square_series;

/// Squares of geodesic distances from a latitude to places x degrees of longitude and y degrees of latitude
/// away.
void lf__square_series_degrees(const lf_ellipsoid *ellipsoid, double lat_deg, lf__square_series *series);

/// Relative error of the terms used, for places at most x and y away. More than 1: unknown.
double lf__square_series_off(const lf__square_series *series, double x, double y);

/// The square of the distance to a place, by the terms used.
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

/// World steps of a and b, and the factor c.
void lf__lowering_start(lf__lowering *l, const lf__square_series *series, const double x[2],
                        const double y[2], double factor);

/// The same with all steps turned around.
void lf__lowering_turn(lf__lowering *to, const lf__lowering *from);

/// As below. `degree` is a constant at the call; terms beyond that of the lowering are 0.
static inline void lf__lowering_ring_of(const lf__lowering *l, double a, double *c, int degree) {
    for (int j = 0; j <= degree; j++)
        c[j] = l->at[degree][j];
    for (int i = degree - 1; i > 0; i--)
        for (int j = 0; j <= degree; j++) // side by side in memory
            c[j] = c[j] * a + l->at[i][j];
    double per_a = 1 / a;
    for (int j = 1; j <= degree; j++)
        c[j] += l->at[0][j] * per_a;
}

/// Lowering / a on a ring, as a polynomial of b.
static inline void lf__lowering_ring(const lf__lowering *l, double a, double c[LF__SERIES_USED + 1]) {
    if (l->degree == 2)
        lf__lowering_ring_of(l, a, c, 2);
    else
        lf__lowering_ring_of(l, a, c, LF__SERIES_USED);
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

/// Range of lowering / a^2 within a fan, and of its change with a.
lf__limits lf__lowering_limits(const lf__lowering *l, const lf__fan *fan);
lf__limits lf__lowering_changes(const lf__lowering *l, const lf__fan *fan);

// ---------------------------------------------------------------------------------------------------
// A view
// ---------------------------------------------------------------------------------------------------

// The result plane also records what is still to be decided: each byte is an lf_visibility, or LF__SEEN_OPEN
// where only an exact line can decide. The sweep (viewshed_sweep.c) writes all bytes; the caller then
// resolves the open samples.

/// Not decided yet.
#define LF__SEEN_OPEN 255

/// Not hidden by ground, but a void may be in the way.
#define LF__SEEN_MAYBE_VOID 254

/// One byte per sample, with row_step bytes between rows.
typedef struct lf__byte_plane {
    uint8_t *bytes;
    ptrdiff_t row_step;
} lf__byte_plane;

/// A ground that is no grid (viewshed_world.h).
typedef struct lf__targets lf__targets;

/// Where the sweep writes least heights, above ground or datum; what it cannot compute it leaves as it is.
typedef struct lf__least_plane {
    float *values;
    ptrdiff_t row_step;  ///< bytes
    int64_t *walked;     ///< number of exact lines, to which all workers add
    int64_t column, row; ///< of the first
    bool datum;
} lf__least_plane;

/// Stands for a value that the sweep has not written: a NAN that no computation returns.
#define LF__NOT_WRITTEN 0x7fd5a5a5u

static inline bool lf__is_written(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits != LF__NOT_WRITTEN;
}

/// An observer and a window of a grid.
typedef struct lf__viewshed {
    const lf_grid *grid;      ///< of a world without a grid that is swept: only the lattice of its targets
    const lf__targets *world; ///< NULL: the grid is the ground
    const lf__views *views;   ///< per worker
    lf_viewshed_def def;      ///< defaults filled in
    lf_window window;
    lf_vec2 at;                ///< observer, in the world
    lf_vec2 eye;               ///< observer, in columns and rows
    double z;                  ///< observer, above datum
    double degree_x, degree_y; ///< metres per unit of x and y at the observer
    lf_vec2 to_east,
        to_north;  ///< true east and north of the observer in metres: products with a step in x and y
    bool limited;  ///< some samples may be beyond azimuth, pitch or range
    lf_vec3 point; ///< of a world: the observer
    lf_pose stand; ///< on a globe: east, north and up there
    lf__square_series squares;    ///< of distances in the world, if there is a range
    double squares_off;           ///< relative error within the window; more than 1: no series
    const lf__least_plane *least; ///< or NULL
} lf__viewshed;

/// A copy of the view for one worker.
static inline lf__viewshed lf__viewshed_of(const lf__viewshed *view, int worker) {
    lf__viewshed own = *view;
    own.grid = lf__views_of(view->views, worker);
    return own;
}

/// A sample on the map.
static inline lf_vec2 lf__viewshed_place(const lf__viewshed *view, int64_t i, int64_t j) {
    const lf_viewshed_def *def = &view->def;
    return def->places ? def->places[j * def->lattice.columns + i] : lf__sample_place(view->grid, i, j);
}

/// Upper bound of the distance of the window's samples from the observer, in units of x and y.
static inline lf_vec2 lf__viewshed_reach(const lf__viewshed *view) {
    lf_window w = view->window;
    lf_vec2 far = {0, 0};
    for (int64_t k = 0; view->def.places && k < w.columns * w.rows; k++) {
        lf_vec2 place = lf__viewshed_place(view, w.column + k % w.columns, w.row + k / w.columns);
        far.x = fmax(far.x, fabs(place.x - view->at.x)); // of those without a position: as it was
        far.y = fmax(far.y, fabs(place.y - view->at.y));
    }
    if (view->def.places)
        return far;
    for (int k = 0; k < 4; k++) {
        lf_vec2 corner = lf__sample_place(view->grid, w.column + (k & 1 ? w.columns + 3 : -4),
                                          w.row + (k & 2 ? w.rows + 3 : -4));
        far.x = fmax(far.x, fabs(corner.x - view->at.x));
        far.y = fmax(far.y, fabs(corner.y - view->at.y));
    }
    return far;
}

/// Update the measures of the window after it has been replaced.
void lf__viewshed_measure(lf__viewshed *view);

/// Map distance to a place of the world, in metres.
double lf__viewshed_distance(const lf__viewshed *view, lf_vec2 to);

/// Degrees above level at which a place at this distance and height above datum appears.
double lf__viewshed_pitch(const lf__viewshed *view, double distance, double height);

/// How far the line to a sample lies below a straight one, times 1 / (t * (1 - t)).
double lf__viewshed_sag(const lf__viewshed *view, int64_t i, int64_t j);

/// Upper bound, in metres, of the difference between the exact line to a target of the window and the ideal
/// one, which runs between unrounded heights and is lowered by the unrounded distance.
double lf__viewshed_line_off(const lf__viewshed *view);

/// Is a sample within the limits of range, azimuth and, for a target at this height above datum, pitch?
bool lf__viewshed_within(const lf__viewshed *view, int64_t i, int64_t j, double height);

/// Visibility by an exact line, of a sample within the limits that is not a void.
lf_visibility lf__viewshed_resolve(const lf__viewshed *view, int64_t i, int64_t j);

/// Resolve all open samples of some rows of the window; returns their number.
int64_t lf__viewshed_resolve_rows(const lf__viewshed *view, lf__byte_plane seen, int64_t first_row,
                                  int64_t last_row);

/// Least height above ground, at least `raise`, at which a target over this sample is visible; NAN: unknown. It is
/// found sooner if it is known to be no less than `guess`, and is the same if that is wrong.
double lf__viewshed_least(const lf__viewshed *view, int64_t i, int64_t j, double raise, double guess);

/// Height above a sample of something that appears at the lowest pitch: negative where the sample is higher,
/// -INFINITY without that limit and at the observer, NAN for a pitch of 90 degrees or more.
double lf__viewshed_raise(const lf__viewshed *view, int64_t i, int64_t j, double pitch_low_deg);

/// Samples along a ring.
typedef struct lf__sample_span {
    int64_t low, high; ///< inclusive; low > high: empty
} lf__sample_span;

/// Limit the span to b with 0 <= fixed + b * factor < count.
static inline void lf__sample_span_clip(lf__sample_span *s, int64_t fixed, int factor, int64_t count) {
    int64_t low = factor > 0 ? -fixed : fixed - count + 1, high = factor > 0 ? count - 1 - fixed : fixed;
    if (factor == 0 && (fixed < 0 || fixed >= count))
        high = s->low - 1, low = s->low;
    if (factor == 0 && fixed >= 0 && fixed < count)
        return;
    s->low = low > s->low ? low : s->low;
    s->high = high < s->high ? high : s->high;
}

// ---------------------------------------------------------------------------------------------------
// Running a viewshed
// ---------------------------------------------------------------------------------------------------

/// Check def and window, and fill in the defaults of def.
lf_status lf__viewshed_check(const lf_grid *grid, const lf_viewshed_def *given, lf_window window,
                             lf_viewshed_def *def, lf_error *error);

/// Upper bound of lf_viewshed_window, for a grid and a def that has been read.
lf_window lf__viewshed_near(const lf_grid *grid, const lf_viewshed_def *def, lf_vec2 at);

/// What two windows have in common; 0 x 0, at the beginning of the first: nothing.
lf_window lf__viewshed_common(lf_window a, lf_window b);

/// Samples of a window that are void.
int64_t lf__viewshed_voids(const lf_grid *grid, lf_window window);

/// Bytes of each value.
void lf__viewshed_count_row(const uint8_t *bytes, int64_t columns, int64_t counts[5]);

#if LF__X86
/// The same for the first of these bytes: returns how many.
int64_t lf__viewshed_count_avx2(const uint8_t *bytes, int64_t count, int64_t counts[5]);
#endif

/// The visibility that a verdict means.
static inline lf_visibility lf__seen_by(lf_verdict verdict) {
    return verdict == LF_VERDICT_CLEAR     ? LF_VISIBILITY_VISIBLE
           : verdict == LF_VERDICT_BLOCKED ? LF_VISIBILITY_HIDDEN
                                           : LF_VISIBILITY_UNKNOWN;
}

/// Set observer number `index` of a view whose grid, def and window are set.
lf_status lf__viewshed_start(lf__viewshed *view, const lf_observer *observer, int64_t index, lf_error *error);

/// Scratch memory of one run, for any window.
size_t lf__viewshed_scratch(const lf_grid *grid, const lf_viewshed_def *def);

/// A parallel loop over `count` rows or other pieces, with progress reports. Errors: LF_CANCELLED.
lf_status lf__viewshed_rows(const lf__viewshed *view, const char *stage, int64_t count, lf_task *task,
                            void *job);

/// Decide every sample of the window. Adds to stats.
lf_status lf__viewshed_run(const lf__viewshed *view, lf__byte_plane seen, lf_viewshed_stats *stats);

// ---------------------------------------------------------------------------------------------------
// What the public calls share
// ---------------------------------------------------------------------------------------------------

/// A ground, a def and the view's window, checked: sets the view's grid, or world.
lf_status lf__viewshed_open(lf__viewshed *view, lf__targets *world, const lf_ground *ground,
                            const lf_viewshed_def *given, lf_error *error);

/// Replace a row step of 0 by its default; false: rows of this many items do not fit.
bool lf__viewshed_rows_fit(ptrdiff_t *row_step, int64_t columns, size_t item);

/// Buffers for decoded tiles, if the grid is compressed; of a world its targets.
lf_status lf__viewshed_begin(lf__viewshed *view, lf__targets *world, lf__views *views, lf_error *error);
void lf__viewshed_end(const lf__viewshed *view, lf__targets *world, lf__views *views);

/// Scratch: one byte per sample of the window.
lf_status lf__viewshed_plane(const lf__viewshed *view, lf_allocator *allocator, lf__byte_plane *plane,
                             lf_error *error);
void lf__viewshed_plane_free(const lf__viewshed *view, const lf_allocator *allocator,
                             const lf__byte_plane *plane);

/// The memory that `stats` reports.
void lf__viewshed_note(lf_viewshed_stats *stats, const lf__viewshed *view, bool plane);

/// The status, with its text in `error`.
lf_status lf__viewshed_status(lf_status status, lf_error *error);

/// The part of a window that the range of an observer reaches; all of it on ground that is no grid.
lf_window lf__viewshed_reached(const lf__viewshed *view, lf_window whole, const lf_observer *observer);

/// What happens with the viewsheds of many observers.
typedef struct lf__viewshed_visitor {
    void *user;
    void (*begin)(void *user); ///< all observers are valid, and there is memory for them
    /// Called for each observer whose range reaches the window, with the part of the window that it reaches: the view's. `many`: by
    /// several threads at once.
    void (*take)(void *user, const lf__viewshed *view, lf__byte_plane seen, int64_t observer, bool many);
} lf__viewshed_visitor;

/// Viewsheds of many observers on the window of a view that is open and has begun. Those that do not reach it are not examined, and
/// need no ground. All others are checked before the first is computed. Adds to stats.
lf_status lf__viewshed_each(const lf__viewshed *view, const lf_observer *observers, int64_t count,
                            const lf__viewshed_visitor *visitor, lf_viewshed_stats *stats, lf_error *error);

// ---------------------------------------------------------------------------------------------------
// Grids that wrap
// ---------------------------------------------------------------------------------------------------

/// Upper bound of the range of a viewshed from a place, in columns and rows; INFINITY without a limit.
lf_vec2 lf__viewshed_range_reach(const lf_grid *grid, const lf_viewshed_def *def, lf_vec2 at);

/// Does the view, by the shorter direction around, reach across the seam of the grid?
bool lf__viewshed_crosses(const lf__viewshed *view);

/// lf__viewshed_run for a view that crosses the seam, on a copy of the columns around the observer, at most
/// half a turn to each side. Adds to stats.
lf_status lf__viewshed_run_wrapped(const lf__viewshed *view, lf__byte_plane seen, lf_viewshed_stats *stats);

/// The values of a view across the seam. Adds the number of exact lines to `walked`.
lf_status lf__viewshed_values_wrapped(const lf__viewshed *view, lf_viewshed_mode which, float *values,
                                      ptrdiff_t row_step, int64_t *walked);

/// Upper bound of the memory for views across the seam, for any observer; 0 for a grid that does not wrap.
size_t lf__viewshed_wrapped_bytes(const lf_grid *grid, const lf_viewshed_def *def);

#endif
