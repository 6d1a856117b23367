/// Lines of sight, shared by the files of this module.
///
/// A line runs straight over columns and rows, and bends in height: at t it is at `at + t * way`, z0 + z1 * t + z2 * t * t
/// high, for 0 < t < end. These numbers are taken as they are: everything that is said about a line over a grid is exact
/// for them. They are made so that both ends are exactly what they were set on: no difference is rounded.
#ifndef LF_SIGHT_SIGHT_H
#define LF_SIGHT_SIGHT_H

#include "grid/piece.h"
#include "ground/group.h"
#include <landfall/mesh.h>
#include <landfall/sight.h>

// ---------------------------------------------------------------------------------------------------
// Lines over a grid
// ---------------------------------------------------------------------------------------------------

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

// ---------------------------------------------------------------------------------------------------
// Filters in doubles
// ---------------------------------------------------------------------------------------------------

/// Where the line comes over a square, crosses its diagonal and leaves, all behind its start. Between two of these, or between the start
/// on a post and the first, the ground is no higher than the straight line between their heights, within `slack`; the first
/// `solid` are ground themselves.
typedef struct lf__square_heights {
    int count, solid;
    double t[4], height[4];
    double slack;
} lf__square_heights;

/// No two posts of a grid that has heights differ by more. (What kernels know of neighbours is not there for every grid.)
static inline double lf__sight_steepest(const lf_grid *grid) {
    return grid->highest - grid->lowest;
}

/// Does a line begin on a post, or above it?
bool lf__sight_from_sample(const lf_grid *grid, const lf__sight_line *line);

/// false: no glance is possible, because the line begins there, not on a post, or ends there, or the square is not plain or has a gap.
bool lf__square_heights_at(const lf_grid *grid, const lf__sight_line *line, const lf__sight_block *square,
                           bool from_sample, lf__square_heights *heights);

/// Where the line is over a square, to rounding; false when it is not, or begins there.
bool lf__sight_within_square(const lf_grid *grid, const lf__sight_line *line, lf__sight_block *square);

/// Does a line come over this square at its start at the most? Exact.
static inline bool lf__sight_starts_behind(const lf_grid *grid, const lf__sight_line *line,
                                           const lf__sight_block *square) {
    double x = (double)(grid->first + square->bx) + grid->shift,
           y = (double)(grid->first + square->by) + grid->shift;
    return (line->way.x > 0 && x + 1 <= line->at.x) || (line->way.x < 0 && x >= line->at.x) ||
           (line->way.y > 0 && y + 1 <= line->at.y) || (line->way.y < 0 && y >= line->at.y);
}

// ---------------------------------------------------------------------------------------------------
// Clearance
// ---------------------------------------------------------------------------------------------------

/// The least of some numbers, and where along the line that is.
typedef struct lf__least {
    double value, t;
} lf__least;

static inline void lf__least_take(lf__least *least, double value, double t) {
    if (value < least->value)
        *least = (lf__least){value, t};
}

/// All of it counted from the end that asks: s is 0 there.
typedef struct lf__sight_detail {
    bool turned;         ///< that is the line's end, not its start: s = end - t
    bool only_lower;     ///< nothing else is wanted
    double zone;         ///< the square of the first zone's radius is zone * s * (1 - s); 0: not asked for
    lf__least clearance; ///< of the height above ground
    lf__least lower;     ///< of that divided by s: by how much the other end could be lower
    lf__least fresnel;   ///< of that divided by the radius
} lf__sight_detail;

/// What `zone` is for a line of a length.
double lf__fresnel_zone(double frequency_mhz, double length);

/// Nothing known yet.
lf__sight_detail lf__sight_detail_start(bool turned, double zone);

/// A stretch of the way from s = at[0] to s = at[1], over which the height above ground is a quadratic.
typedef struct lf__stretch {
    double at[2];
    double above[2]; ///< there
    double bend;     ///< the factor of s * s
    double slope;    ///< how fast it grows at s = 0, where it begins there
    int signs[2];    ///< what `above` exactly is where these are the ends of the line, 0 and 1
} lf__stretch;

void lf__sight_detail_add(lf__sight_detail *detail, const lf__stretch *stretch);

/// What is known in the end.
void lf__sight_detail_tell(const lf__sight_detail *detail, lf_sight *sight);

/// A line all over a grid.
void lf__sight_detail_grid(const lf_grid *grid, const lf__sight_line *line, lf__sight_detail *detail,
                           lf_counters *cost);

// ---------------------------------------------------------------------------------------------------
// A line between two points
// ---------------------------------------------------------------------------------------------------

typedef struct lf__sight_pair {
    const lf_sight_rules *rules; ///< checked
    lf_vec3 a, b;                ///< the lesser end first: by x, then y, then z
    bool turned;                 ///< the caller's a is our b
    double length;               ///< metres on the map
    double sag;                  ///< the line lies lower than straight by sag * t * (1 - t)
    lf_vec3 down;                ///< unit; where gravity is one direction
} lf__sight_pair;

/// Which of two ends is the lesser.
static inline bool lf__sight_comes_first(lf_vec3 a, lf_vec3 b) {
    return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
}

/// The caller's rules, checked, over the defaults.
lf_status lf__sight_rules_read(const lf_sight_rules *given, lf_sight_rules *rules);

/// May these rules be asked of a ground?
bool lf__sight_rules_fit(const lf_sight_rules *rules, const lf_ground *ground);

/// May this be an end? Without branches: batches ask it of every end.
static inline bool lf__sight_end_valid(const lf_sight_rules *rules, lf_vec3 end) {
    bool near = (fabs(end.x) <= LF__FARTHEST) & (fabs(end.y) <= LF__FARTHEST) & (fabs(end.z) <= LF__FARTHEST);
    return near & ((rules->units == LF_MAP_METRES) | (fabs(end.y) <= 90));
}

/// Put two valid ends in order. `measure`: the length is wanted even where nothing bends.
void lf__sight_pair_make(const lf_ground *ground, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b,
                         bool measure, lf__sight_pair *pair);

/// The line of a pair over a grid. It begins at the pair's b, `turned`, where that alone is near the grid.
lf__sight_line lf__sight_pair_line(const lf__sight_pair *pair, const lf_grid *grid, bool *turned);

/// What is wanted of a pair.
typedef enum lf__sight_want {
    LF__SIGHT_FIRST, ///< where the line breaks first, seen from the caller's a
    LF__SIGHT_ANY,   ///< whether it does; search from a
    LF__SIGHT_ANY_B  ///< whether it does; search from b
} lf__sight_want;

/// The verdict on a pair; t counts from the caller's a, and is anywhere on the line where any place will do.
void lf__sight_pair_ask(const lf_ground *ground, const lf__sight_pair *pair, lf__sight_want want,
                        lf__sight_answer *answer, lf_cursor *cursor);

/// By how much the line clears the ground.
void lf__sight_pair_detail(const lf_ground *ground, const lf__sight_pair *pair, lf__sight_detail *detail,
                           lf_cursor *cursor);

/// A point of the line, t from the pair's a; and from the caller's a.
lf_vec3 lf__sight_pair_at(const lf__sight_pair *pair, double t);
lf_vec3 lf__sight_pair_point(const lf__sight_pair *pair, double t);

#endif
