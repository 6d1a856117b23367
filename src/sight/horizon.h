/// Horizons and shade: lines that leave a point in a direction.
#ifndef LF_SIGHT_HORIZON_H
#define LF_SIGHT_HORIZON_H

#include "geom/angle.h"
#include "grid/packed.h"
#include "sight/sight.h"
#include <landfall/base.h>
#include <landfall/sight.h>

// ---------------------------------------------------------------------------------------------------
// Directions
// ---------------------------------------------------------------------------------------------------

/// One step of a metre.
typedef struct lf__bearing {
    lf_vec2 world; ///< in units of the world
    lf_vec2 way;   ///< in columns and rows
    double
        bend; ///< how much a line rises over the map in a metre, beside its slope: coefficient / (2 * radius)
} lf__bearing;

/// Sine and cosine of an angle in degrees; the same at odd multiples of 45, so that these are diagonals.
lf__sincos lf__bearing_turn(double degrees);

/// The bearing of an azimuth, at a place of the world. On degrees a metre is counted by the lengths of degrees of longitude and
/// latitude there; one of longitude counts for a millimetre at least, at the poles too.
lf__bearing lf__bearing_of(const lf_grid *grid, const lf_sight_rules *rules, lf_vec2 world,
                           double azimuth_deg);

/// The line from a place in columns and rows and of a height on, which rises so much per metre; its t are metres. It ends at the range,
/// or at last beyond the grid; on one that wraps after half a turn.
lf__sight_line lf__bearing_line(const lf_grid *grid, const lf__bearing *bearing, lf_vec3 from, double slope,
                                double range);

/// The world's place of a post.
static inline lf_vec2 lf__post_place(const lf_grid *grid, int64_t i, int64_t j) {
    const lf_geotransform *p = &grid->geotransform;
    return (lf_vec2){p->origin.x + (double)i * p->per_column.x + (double)j * p->per_row.x,
                     p->origin.y + (double)i * p->per_column.y + (double)j * p->per_row.y};
}

// ---------------------------------------------------------------------------------------------------
// Skylines
// ---------------------------------------------------------------------------------------------------

/// The steepest look up that ground stops.
typedef struct lf__skyline {
    double slope; ///< -INFINITY where there is no ground, INFINITY from below it
    double t; ///< metres to the nearest place that makes it, but for rounding (1e-12); 0: as near as you like
    double height; ///< of the ground there
} lf__skyline;

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

// ---------------------------------------------------------------------------------------------------
// Shade
// ---------------------------------------------------------------------------------------------------

/// One sun over a window.
typedef struct lf__shade {
    const lf_grid *grid;
    lf__views views; ///< of the grid, for the workers
    const lf_horizon_def *def;
    lf_window window;
    lf_sun sun;
    double slope;        ///< tan(altitude)
    lf__bearing bearing; ///< towards the sun, where it is the same for all posts
    bool parallel;       ///< it is
    double
        dark; ///< from below this height the planet itself hides the sun: the line to it comes below all ground
} lf__shade;

/// One sun as one of the workers is to have it.
static inline lf__shade lf__shade_of(const lf__shade *shade, int worker) {
    lf__shade own = *shade;
    own.grid = lf__views_of(&shade->views, worker);
    return own;
}

/// Fill in what follows from the sun; names what is wrong with it. Grid, def and window are there already.
lf_status lf__shade_start(lf__shade *shade, lf_sun sun, lf_error *error);

/// What the sun makes of an existing post that is no hole, by a line of its own.
lf_visibility lf__shade_post(const lf__shade *shade, int64_t i, int64_t j, lf_counters *cost);

/// May the posts be swept all together?
bool lf__shade_can_sweep(const lf__shade *shade);

/// All posts of the window, bit for bit as lf__shade_post and holes; part `part` of `parts` as far as progress goes. LF_CANCELLED
/// when the caller wants to stop.
lf_status lf__shade_sweep(const lf__shade *shade, uint8_t *lit, ptrdiff_t row_step, int64_t part,
                          int64_t parts);

// ---------------------------------------------------------------------------------------------------
// Kernels of the sweep over strips
// ---------------------------------------------------------------------------------------------------

#define LF__SHADE_GROUP 128                  ///< strips that are taken along at once
#define LF__SHADE_WIDE (LF__SHADE_GROUP + 4) ///< and their sides, rounded up

/// One phase of strips: what is known of their sides, of posts within, and what they keep. None of them overlap but for reading.
typedef struct lf__shade_strips {
    const double *left, *right, *inner;             ///< no ground is higher
    const double *left_low, *right_low, *inner_low; ///< ground is this high
    double *high, *low, *away;
    double fall, fall_low, longer, step; ///< low falls by fall_low and `longer` for each metre away
} lf__shade_strips;

typedef struct lf__shade_loops {
    /// out = a * (1 - v) + b * v, WIDE of them.
    void (*mix)(double *out, const double *a, const double *b, double v);
    /// high is raised to a * (1 - v) + b * v - rise, WIDE of them.
    void (*raise)(double *high, const double *a, const double *b, double v, double rise);
    /// Strips go on to a line, GROUP of them.
    void (*strips)(const lf__shade_strips *strips);
} lf__shade_loops;

const lf__shade_loops *lf__shade_loops_for(lf_isa isa);

#endif
