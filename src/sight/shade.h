/// Light from far away over a grid: what a single line and a sweep share.
#ifndef LF_SIGHT_SHADE_H
#define LF_SIGHT_SHADE_H

#include "grid/packed.h"
#include "sight/horizon.h"

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

#endif
