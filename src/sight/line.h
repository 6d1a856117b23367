/// Lines over a grid: what sight, viewsheds, horizons and shade walk along.
///
/// A line runs straight over columns and rows, and bends in height: at t it is at `at + t * way`, z0 + z1 * t + z2 * t * t
/// high, for 0 < t < end. These numbers are taken as they are: everything that is said about a line over a grid is exact
/// for them. They are made so that both ends are exactly what they were set on: no difference is rounded.
#ifndef LF_SIGHT_LINE_H
#define LF_SIGHT_LINE_H

#include "grid/piece.h"
#include <landfall/sight.h>

typedef struct lf__sight_line {
    lf_vec2 at, way; ///< columns and rows
    double z0, z1, z2;
    double end;  ///< finite
    bool closed; ///< t = end belongs to it, and what is only touched there counts
} lf__sight_line;

/// Where a place of the world is on a grid, set on posts and on steps: a column or row that is off a whole number by no more than the
/// rounding of the world's numbers explains is that number; others are set on the nearest of steps so coarse that the difference of any
/// two places on the grid is a double, and so fine that nobody could tell.
lf_vec2 lf__sight_place(const lf_grid *grid, lf_vec2 world);

/// The column half a turn from another one, to the side that lines between the two go: the one on which x does not pass 0, or a multiple of the
/// turn. So the line is the same both ways, and does not depend on where the grid begins.
double lf__sight_opposite(const lf_grid *grid, double column);

/// lf__sight_place on the copy of the grid that is nearest to column x; of two that are equally near the one at lf__sight_opposite.
lf_vec2 lf__sight_place_near(const lf_grid *grid, lf_vec2 world, double x);

/// A line over all copies of a grid with a turn that it comes over, one after the other; without a turn, over the grid.
typedef struct lf__sight_copies {
    const lf_grid *grid;
    lf__sight_line line;
    int64_t next, last;
} lf__sight_copies;

lf__sight_copies lf__sight_copies_of(const lf_grid *grid, const lf__sight_line *line);

/// The line as the next copy has it: in the grid's own columns. false: there is none left.
bool lf__sight_copies_next(lf__sight_copies *copies, lf__sight_line *line);

/// Half a unit in the last place.
#define LF__SIGHT_UNIT 0x1p-53

/// Twice the grid's size or more: a power of two. Places no farther than this are set on steps of 2^-52 of it.
static inline double lf__sight_reach(const lf_grid *grid) {
    int64_t size = (grid->columns > grid->rows ? grid->columns : grid->rows) + 2;
    return (double)((uint64_t)1 << (64 - __builtin_clzll((uint64_t)(2 * size - 1))));
}

/// Is a place on the grid or near it, so that it is set on steps?
bool lf__sight_is_near(const lf_grid *grid, lf_vec2 place);

/// By how much a line of a length lies lower than straight, times 1 / (t * (1 - t)).
double lf__sight_sag(const lf_curvature *bend, double length);

/// The line between two places, which lies lower than straight by sag * t * (1 - t). Heights are set up, to steps of about 2^-50 of the
/// largest of these numbers: a target on the ground is never put below it, and the line comes to its exact height.
/// from  near the grid, if one of them is
lf__sight_line lf__sight_line_between(lf_vec2 from, double z_from, lf_vec2 to, double z_to, double sag);

/// The height of a line at t, rounded.
static inline double lf__sight_height(const lf__sight_line *line, double t) {
    return line->z0 + (line->z1 + line->z2 * t) * t;
}

/// No higher than the line is anywhere from t = first to t = last.
double lf__sight_low(const lf__sight_line *line, double first, double last);

/// No lower likewise.
double lf__sight_high(const lf__sight_line *line, double first, double last);

// ---------------------------------------------------------------------------------------------------
// One piece
// ---------------------------------------------------------------------------------------------------

/// A line over a piece of surface, a plane or a patch: the height of the one over the other is the equation of `along`.
typedef struct lf__over {
    lf_ray ray;
    lf__along along;
    int first, last; ///< lf__spot where it comes over the piece and leaves it
    bool touches;    ///< these are the same
} lf__over;

/// false: the line does not come over the piece at any 0 < t < end. `exact` counts decisions by exact arithmetic. The piece must stay.
bool lf__over_start(lf__over *over, const lf__sight_line *line, const lf__piece *piece, uint64_t *exact);

/// Is the line below the piece somewhere strictly between its ends? Exact. t is where first, or where last, to rounding.
bool lf__over_breaks(lf__over *over, bool last, double *t);

/// The same for what is void of a square with a gap: that is taken to be as high as the highest height. Its sides belong to
/// ground that lies beside it.
bool lf__over_hole(const lf_grid *grid, const lf__sight_line *line, const int64_t square[2], bool last,
                   double *t, uint64_t *exact);

/// A square with a surface: is the line below it? As lf__over_breaks, for all of its pieces.
bool lf__sight_square_breaks(const lf_grid *grid, const lf__sight_line *line, const int64_t square[2],
                             bool last, double *t, lf_counters *cost);

// ---------------------------------------------------------------------------------------------------
// The way
// ---------------------------------------------------------------------------------------------------

/// A block that a line comes over, from t = first to t = last or less.
typedef struct lf__sight_block {
    int level; ///< 0: a square
    int64_t bx, by;
    double first, last;
} lf__sight_block;

/// A way over all blocks and squares under a line, in its order or against it. Rounded: a block beside the line may be among them,
/// none under it is left out.
typedef struct lf__sight_way {
    const lf_grid *grid;
    const lf__sight_line *line;
    double first, last; ///< the part that matters; may become shorter on the way
    bool backward;
    /// May there be something of interest in a block? For squares too.
    bool (*enters)(struct lf__sight_way *way, const lf__sight_block *block);
    void (*square)(struct lf__sight_way *way, const lf__sight_block *block);
    void *user;
    lf_counters cost;
} lf__sight_way;

/// first = 0 and last = line->end to begin with.
void lf__sight_go(lf__sight_way *way);

// ---------------------------------------------------------------------------------------------------
// Verdicts
// ---------------------------------------------------------------------------------------------------

/// What is asked about a line over a grid.
typedef struct lf__sight_ask {
    lf_void_policy voids;
    bool last; ///< where does it break last, not first?
    bool any;  ///< where does not matter
} lf__sight_ask;

typedef struct lf__sight_answer {
    lf_verdict verdict;
    bool ground; ///< blocked by ground, not by a hole
    double t;    ///< where, unless clear
} lf__sight_answer;

void lf__sight_grid(const lf_grid *grid, const lf__sight_line *line, const lf__sight_ask *ask,
                    lf__sight_answer *answer, lf_counters *cost);

#endif
