/// Horizons and shade: lines that leave a point in a direction.
#ifndef LF_SIGHT_HORIZON_H
#define LF_SIGHT_HORIZON_H

#include "geom/geometry.h"
#include "grid/packed.h"
#include "sight/sight.h"
#include "sight/viewshed_world.h"
#include <landfall/base.h>
#include <landfall/sight.h>

// ---------------------------------------------------------------------------------------------------
// Directions
// ---------------------------------------------------------------------------------------------------

/// A step of one metre in a direction.
typedef struct lf__bearing {
    lf_vec2 world; ///< in units of the world
    lf_vec2 way;   ///< in columns and rows
    double
        curvature; ///< rise of a line over the map per square metre, besides its slope: coefficient / (2 * radius)
} lf__bearing;

/// Sine and cosine of an angle in degrees; equal at odd multiples of 45, so that these are diagonals.
lf__sincos lf__bearing_turn(double degrees);

/// Metres of a degree to the east and to the north.
lf_vec2 lf__bearing_degree_lengths(lf_ellipsoid ellipsoid, double lat_deg);

/// The bearing of an azimuth at a place of the world. On degrees, metres are converted by the lengths of a
/// degree of longitude and latitude there; a degree of longitude is at least a millimetre, at the poles too.
lf__bearing lf__bearing_of(const lf_grid *grid, const lf_sight_rules *rules, lf_vec2 world,
                           double azimuth_deg);

/// The line from a place in columns and rows with a height, which rises by `slope` per metre; t counts
/// metres. It ends at the range, or beyond the grid; on a grid that wraps after half a turn.
lf__sight_line lf__bearing_line(const lf_grid *grid, const lf__bearing *bearing, lf_vec3 from, double slope,
                                double range);

// ---------------------------------------------------------------------------------------------------
// Skylines
// ---------------------------------------------------------------------------------------------------

/// The greatest slope at which ground is seen.
typedef struct lf__skyline {
    double slope;  ///< -INFINITY: no ground; INFINITY: from below it
    double t;      ///< metres to the nearest place with this slope, to rounding (1e-12); 0: arbitrarily near
    double height; ///< of the ground there
} lf__skyline;

/// The skyline over all copies of a grid with a turn that the line passes over.
lf__skyline lf__skyline_along(const lf_grid *grid, const lf__sight_line *line, double hint,
                              lf_counters *cost);

/// Read a def for maps over the defaults, and check it with its window.
/// grid: the ground itself, or the lattice of a world (lf__horizon_world).
typedef struct lf__horizon_world lf__horizon_world;
lf_status lf__horizon_def_read(const lf_ground *ground, const lf_horizon_def *given, lf_window window,
                               lf_horizon_def *def, lf__horizon_world *world, const lf_grid **grid,
                               bool *is_world, lf_error *error);

/// Is a window within a grid, 1 x 1 samples or more? The error names both.
lf_status lf__horizon_window_check(const lf_grid *grid, lf_window w, lf_error *error);

/// Rows of a window, or other shares of the work, run on all cores, `grain` at once, with progress reports.
/// In these the whole is part `part` of `parts`. LF_CANCELLED: the caller stopped it.
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
    lf__views views; ///< per worker
    const lf_horizon_def *def;
    lf_window window;
    lf_sun sun;
    double slope;        ///< tan(altitude)
    lf__bearing bearing; ///< towards the sun, if it is the same for all samples
    bool parallel;       ///< it is the same
    double
        dark; ///< below this height the planet itself hides the sun: the line to it passes below all ground
} lf__shade;

/// A copy for one worker.
static inline lf__shade lf__shade_of(const lf__shade *shade, int worker) {
    lf__shade own = *shade;
    own.grid = lf__views_of(&shade->views, worker);
    return own;
}

/// Set what follows from the sun; the error says what is wrong with it. Grid, def and window are set already.
lf_status lf__shade_start(lf__shade *shade, lf_sun sun, lf_error *error);

/// The result for a point, by an exact line. world: its x and y, from: its column, row and height.
lf_visibility lf__shade_place(const lf__shade *shade, lf_vec2 world, lf_vec3 from, lf_counters *cost);

/// The result for an existing sample that is not a void.
lf_visibility lf__shade_sample(const lf__shade *shade, int64_t i, int64_t j, lf_counters *cost);

/// Can the samples be swept together?
bool lf__shade_can_sweep(const lf__shade *shade);

/// All samples of the window, bit for bit as lf__shade_sample, and voids; part `part` of `parts` in progress
/// reports. LF_CANCELLED: the caller stopped it.
lf_status lf__shade_sweep(const lf__shade *shade, uint8_t *lit, ptrdiff_t row_step, int64_t part,
                          int64_t parts);

/// The same row by row, where the samples of a row have one direction: on degrees, and for small windows.
bool lf__shade_can_follow(const lf__shade *shade);
lf_status lf__shade_follow(const lf__shade *shade, uint8_t *lit, ptrdiff_t row_step, int64_t part,
                           int64_t parts);

// ---------------------------------------------------------------------------------------------------
// Kernels of shade
// ---------------------------------------------------------------------------------------------------

#define LF__SHADE_GROUP 128                  ///< strips that are processed at once
#define LF__SHADE_WIDE (LF__SHADE_GROUP + 4) ///< and their sides, rounded up

/// One phase of strips: bounds on their sides and of samples within them, and their state. Only inputs may
/// overlap.
typedef struct lf__shade_strips {
    const double *left, *right, *inner;             ///< upper bounds of the ground
    const double *left_low, *right_low, *inner_low; ///< lower bounds of the ground
    double *high, *low, *away;
    double fall, fall_low, longer, step; ///< low falls by fall_low, and by `longer` per metre of distance
} lf__shade_strips;

#define LF__SHADE_LANES 32 ///< samples of a row that are followed at once

/// A place on an edge between two samples, for the first of some samples side by side: (1 - v) of one and v of
/// the other, minus the rise of the light up to there.
typedef struct lf__shade_tap {
    int32_t a, b; ///< in the tile
    float rest, v, rise;
} lf__shade_tap;

typedef struct lf__shade_loops {
    /// out = a * (1 - v) + b * v, for LF__SHADE_WIDE items.
    void (*mix)(double *out, const double *a, const double *b, double v);
    /// Raise high to a * (1 - v) + b * v - rise, for LF__SHADE_WIDE items.
    void (*raise)(double *high, const double *a, const double *b, double v, double rise);
    /// Advance LF__SHADE_GROUP strips to the next line.
    void (*strips)(const lf__shade_strips *strips);
    /// Raise high to the ground at some places, for `lanes` samples, a multiple of 8. bad: set to all ones where
    /// the ground of any place is NAN; such places do not count.
    void (*follow)(const float *tile, const lf__shade_tap *taps, int count, int lanes, float *high,
                   uint32_t *bad);
} lf__shade_loops;

const lf__shade_loops *lf__shade_loops_for(lf_isa isa);

// ---------------------------------------------------------------------------------------------------
// Horizons and sun on grounds that are no grid
// ---------------------------------------------------------------------------------------------------

struct lf__horizon_world {
    lf__targets targets;
    const lf_sight_rules *rules; ///< checked
    const lf_ground *skip;       ///< the grid in its place, or the globe: searched by itself; or NULL
    const lf_grid *grid;         ///< the grid of it; or NULL
    bool grid_blocks;            ///< it is in a layer that blocks
};

/// A direction at a point.
typedef struct lf__horizon_way {
    lf_vec3 from, ahead, up; ///< of the world; steps of one metre
    double range;
    double lowering; ///< slopes appear lower by this per metre
} lf__horizon_way;

/// As lf__targets_find. given: NULL for single points.
lf_status lf__horizon_world_find(lf__horizon_world *world, const lf_ground *ground,
                                 const lf_sight_rules *rules, const lf__lattice_given *given,
                                 const lf_grid **grid, bool *is_world, lf_error *error);

/// from: on a globe longitude, latitude and height above the ellipsoid.
lf__horizon_way lf__horizon_world_way(const lf__horizon_world *world, lf_vec3 from, double azimuth_deg,
                                      double range);
lf__skyline lf__horizon_world_skyline(const lf__horizon_world *world, const lf__horizon_way *way,
                                      double azimuth_deg, lf_counters *cost);
lf_horizon lf__horizon_world_at(const lf__horizon_world *world, lf_vec3 from, double azimuth_deg,
                                double range, lf_counters *cost);
lf_visibility lf__horizon_world_lit(const lf__horizon_world *world, lf_vec3 from, lf_sun sun, double range,
                                    lf_cursor *cursor);

/// A map over a window.
typedef struct lf__horizon_world_map {
    lf__horizon_world *world;
    const lf_grid *lattice;
    const lf_horizon_def *def;
    lf_window window;
    char *values;
    ptrdiff_t row_step;
    double azimuth_deg;
    int directions;        ///< 0: the elevation at the azimuth
    const lf_sun *suns;    ///< instead: whether this one lights samples
    const double *heights; ///< of the ground under the window's samples; NAN: none
    double *own;           ///< the same if they are the map's
} lf__horizon_world_map;

lf_status lf__horizon_world_open(lf__horizon_world_map *map, lf_error *error);
void lf__horizon_world_close(lf__horizon_world_map *map);

/// Part `part` of `parts` in progress reports.
lf_status lf__horizon_world_run(lf__horizon_world_map *map, int64_t part, int64_t parts);

#endif
