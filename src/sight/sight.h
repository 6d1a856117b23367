/// Lines of sight: types and functions that the files of this module share.
///
/// A line is straight over columns and rows and curved in height: at t it is at `at + t * way`, with the
/// height z0 + z1 * t + z2 * t * t, for 0 < t < end. All results over a grid are exact for these numbers.
/// They are chosen so that both ends are exactly where they were placed: no difference is rounded.
#ifndef LF_SIGHT_SIGHT_H
#define LF_SIGHT_SIGHT_H

#include "grid/grid_query.h"
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
    bool closed; ///< t = end belongs to it, and touching there counts
} lf__sight_line;

/// The place of a world point on a grid, snapped: a column or row that differs from an integer by no more
/// than the rounding of world coordinates is that integer; others are rounded to steps coarse enough that the
/// difference of any two places on the grid is a double, and too fine to matter.
lf_vec2 lf__sight_place(const lf_grid *grid, lf_vec2 world);

/// The column half a turn from another one, on the side on which lines between the two go: where x does not
/// pass a multiple of the turn. So a line is the same in both directions, and does not depend on where the
/// grid begins.
double lf__sight_opposite(const lf_grid *grid, double column);

/// lf__sight_place on the copy of the grid nearest to column x; of two equally near, the one at
/// lf__sight_opposite.
lf_vec2 lf__sight_place_near(const lf_grid *grid, lf_vec2 world, double x);

/// Iterates over the copies of a grid with a turn that a line passes over; without a turn, over the grid
/// itself.
typedef struct lf__sight_copies {
    const lf_grid *grid;
    lf__sight_line line;
    int64_t next, last;
} lf__sight_copies;

lf__sight_copies lf__sight_copies_of(const lf_grid *grid, const lf__sight_line *line);

/// The line in the columns of the next copy. false: no copies are left.
bool lf__sight_copies_next(lf__sight_copies *copies, lf__sight_line *line);

/// Half a unit in the last place.
#define LF__SIGHT_UNIT 0x1p-53

/// A power of two, at least twice the size of the grid. Places within this are rounded to steps of 2^-52 of
/// it.
static inline double lf__sight_reach(const lf_grid *grid) {
    int64_t size = (grid->columns > grid->rows ? grid->columns : grid->rows) + 2;
    return (double)((uint64_t)1 << (64 - __builtin_clzll((uint64_t)(2 * size - 1))));
}

/// Is a place on the grid or near it, so that it is snapped?
bool lf__sight_is_near(const lf_grid *grid, lf_vec2 place);

/// How far a line of this length lies below a straight one, times 1 / (t * (1 - t)).
double lf__sight_sag(const lf_curvature *curvature, double length);

/// The line between two places, which lies lower than straight by sag * t * (1 - t). Heights are rounded up,
/// to steps of about 2^-50 of the largest of these numbers: a target on the ground is never put below it, and
/// the line reaches its exact height.
/// from  near the grid, if one of them is
lf__sight_line lf__sight_line_between(lf_vec2 from, double z_from, lf_vec2 to, double z_to, double sag);

/// The place of a sample in the world.
static inline lf_vec2 lf__sample_place(const lf_grid *grid, int64_t i, int64_t j) {
    const lf_geotransform *p = &grid->geotransform;
    return (lf_vec2){p->origin.x + (double)i * p->per_column.x + (double)j * p->per_row.x,
                     p->origin.y + (double)i * p->per_column.y + (double)j * p->per_row.y};
}

/// The height of a line at t, rounded.
static inline double lf__sight_height(const lf__sight_line *line, double t) {
    return line->z0 + (line->z1 + line->z2 * t) * t;
}

/// Lower bound of the height of the line from t = first to t = last.
double lf__sight_low(const lf__sight_line *line, double first, double last);

// ---------------------------------------------------------------------------------------------------
// One piece
// ---------------------------------------------------------------------------------------------------

/// A line over a piece of surface, a plane or a patch: its height above the piece is the equation of `along`.
typedef struct lf__over {
    lf_ray ray;
    lf__along along;
    int first, last; ///< lf__spot where it enters the piece and leaves it
    bool touches;    ///< both are the same
} lf__over;

/// false: the line does not pass over the piece at any 0 < t < end. `exact` counts decisions by exact
/// arithmetic. The piece must outlive `over`.
bool lf__over_start(lf__over *over, const lf__sight_line *line, const lf__piece *piece, uint64_t *exact);

/// Is the line below the piece somewhere strictly between its ends? Exact. t: the first or the last such
/// place, rounded.
bool lf__over_blocks(lf__over *over, bool last, double *t);

/// The same for the void part of a square with a gap, which is assumed to be as high as the highest sample.
/// Its sides belong to ground beside it.
bool lf__over_void(const lf_grid *grid, const lf__sight_line *line, const int64_t square[2], bool last,
                   double *t, uint64_t *exact);

/// Is the line below a square with a surface? As lf__over_blocks, for all pieces of the square.
bool lf__sight_square_blocks(const lf_grid *grid, const lf__sight_line *line, const int64_t square[2],
                             bool last, double *t, lf_counters *cost);

// ---------------------------------------------------------------------------------------------------
// Blocks under a line
// ---------------------------------------------------------------------------------------------------

/// A block under a line, from t = first to t = last at most.
typedef struct lf__sight_block {
    int level; ///< 0: a square
    int64_t bx, by;
    double first, last;
} lf__sight_block;

/// Visits all blocks and squares under a line, in its direction or against it. Rounded: blocks beside the
/// line may be visited too, but none under it is skipped.
typedef struct lf__sight_walk {
    const lf_grid *grid;
    const lf__sight_line *line;
    double first, last; ///< the part that matters; may be shortened during the walk
    bool backward;
    /// Should a block be entered? For squares too.
    bool (*enters)(struct lf__sight_walk *way, const lf__sight_block *block);
    void (*square)(struct lf__sight_walk *way, const lf__sight_block *block);
    void *user;
    lf_counters cost;
} lf__sight_walk;

/// Start with first = 0 and last = line->end.
void lf__sight_walk_run(lf__sight_walk *way);

// ---------------------------------------------------------------------------------------------------
// Verdicts
// ---------------------------------------------------------------------------------------------------

/// A query of a line over a grid.
typedef struct lf__sight_search_rules {
    lf_void_policy voids;
    bool last; ///< find the last blocked place, not the first
    bool any;  ///< any blocked place will do
} lf__sight_search_rules;

typedef struct lf__sight_result {
    lf_verdict verdict;
    bool ground; ///< blocked by ground, not by a void
    double t;    ///< where, unless clear
} lf__sight_result;

void lf__sight_grid(const lf_grid *grid, const lf__sight_line *line, const lf__sight_search_rules *rules,
                    lf__sight_result *answer, lf_counters *cost);

// ---------------------------------------------------------------------------------------------------
// Filters in doubles
// ---------------------------------------------------------------------------------------------------

/// Where the line enters a square, crosses its diagonal and leaves, all after its start. Between two of these
/// places, or between a start on a sample and the first, the ground is no higher than the chord between their
/// heights, within `slack`; the first `solid` places are ground themselves.
typedef struct lf__square_heights {
    int count, solid;
    double t[4], height[4];
    double slack;
} lf__square_heights;

/// Upper bound of the difference of two samples of a grid that has heights. (The tables of the kernels are
/// not built for every grid.)
static inline double lf__sight_steepest(const lf_grid *grid) {
    return grid->highest - grid->lowest;
}

/// Does a line begin on a sample, or above it?
bool lf__sight_from_sample(const lf_grid *grid, const lf__sight_line *line);

/// false: not possible, because the line begins in the square but not on a sample, or ends there, or the
/// square is not plain or has a gap.
bool lf__square_heights_at(const lf_grid *grid, const lf__sight_line *line, const lf__sight_block *square,
                           bool from_sample, lf__square_heights *heights);

/// The part of the line over a square, rounded; false: it does not pass over it, or begins there.
bool lf__sight_within_square(const lf_grid *grid, const lf__sight_line *line, lf__sight_block *square);

/// Does a line touch this square at most at its start? Exact.
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

/// The least of some numbers, and its place along the line.
typedef struct lf__least {
    double value, t;
} lf__least;

static inline void lf__least_add(lf__least *least, double value, double t) {
    if (value < least->value)
        *least = (lf__least){value, t};
}

/// Counted from the end that is queried: s is 0 there.
typedef struct lf__sight_detail {
    bool turned;         ///< that is the line's end, not its start: s = end - t
    bool only_lower;     ///< skip the others
    double zone;         ///< the square of the first zone's radius is zone * s * (1 - s); 0: not requested
    double known;        ///< ground that does not make `lower` less than this may be skipped
    lf__least clearance; ///< of the height above ground
    lf__least lower;     ///< of that divided by s: how much lower the other end could be
    lf__least fresnel;   ///< of that divided by the radius
} lf__sight_detail;

/// `zone` for a line of a length.
double lf__fresnel_zone(double frequency_mhz, double length);

/// No ground seen yet.
lf__sight_detail lf__sight_detail_start(bool turned, double zone);

/// A stretch of the line from s = at[0] to s = at[1], over which the height above ground is a quadratic.
typedef struct lf__stretch {
    double at[2];
    double above[2];  ///< there
    double curvature; ///< the factor of s * s
    double slope;     ///< the derivative at s = 0, if it begins there
    int signs[2];     ///< exact sign of `above` where at[] is an end of the line, 0 or 1
} lf__stretch;

void lf__sight_detail_add(lf__sight_detail *detail, const lf__stretch *stretch);

/// Write the result.
void lf__sight_detail_report(const lf__sight_detail *detail, lf_sight *sight);

/// Add a whole line over a grid.
void lf__sight_detail_grid(const lf_grid *grid, const lf__sight_line *line, lf__sight_detail *detail,
                           lf_counters *cost);

// ---------------------------------------------------------------------------------------------------
// A line between two points
// ---------------------------------------------------------------------------------------------------

typedef struct lf__sight_pair {
    const lf_sight_rules *rules; ///< checked
    lf_vec3 a, b;                ///< the lesser end first: by x, then y, then z
    bool turned;                 ///< the caller's a is the pair's b
    double length;               ///< metres on the map
    double sag;                  ///< the line lies lower than straight by sag * t * (1 - t)
    lf_vec3 down;                ///< unit vector, if gravity has one direction
    lf_vec3 centre;              ///< else, if it is `radial`: of the globe
    bool radial;
} lf__sight_pair;

/// A line over a grid without voids, by kernels, directly from the ends; false: not possible.
bool lf__sight_at_once(const lf_grid *grid, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b,
                       lf_verdict *verdict, lf_cursor *cursor);

/// The order of ends.
static inline bool lf__sight_comes_first(lf_vec3 a, lf_vec3 b) {
    return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
}

/// The caller's rules, checked, over the defaults.
lf_status lf__sight_rules_read(const lf_sight_rules *given, lf_sight_rules *rules);

/// Do these rules apply to a ground?
bool lf__sight_rules_fit(const lf_sight_rules *rules, const lf_ground *ground);

/// Is this a valid end? Without branches, because batches test every end.
static inline bool lf__sight_end_valid(const lf_sight_rules *rules, lf_vec3 end) {
    bool near = (fabs(end.x) <= LF__FARTHEST) & (fabs(end.y) <= LF__FARTHEST) & (fabs(end.z) <= LF__FARTHEST);
    return near & ((rules->units == LF_MAP_METRES) | (fabs(end.y) <= 90));
}

/// Put two valid ends in order. `measure`: the length is needed even without curvature.
void lf__sight_pair_make(const lf_ground *ground, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b,
                         bool measure, lf__sight_pair *pair);

/// The line of a pair over a grid. It begins at the pair's b (`turned`) if only that end is near the grid.
lf__sight_line lf__sight_pair_line(const lf__sight_pair *pair, const lf_grid *grid, bool *turned);

/// What is requested of a pair.
typedef enum lf__sight_request {
    LF__SIGHT_FIRST, ///< the first blocked place from the caller's a
    LF__SIGHT_ANY,   ///< whether it is blocked; search from a
    LF__SIGHT_ANY_B  ///< whether it is blocked; search from b
} lf__sight_request;

/// The verdict on a pair. t counts from the caller's a; any blocked place if any will do.
void lf__sight_pair_verdict(const lf_ground *ground, const lf__sight_pair *pair, lf__sight_request request,
                            lf__sight_result *answer, lf_cursor *cursor);

/// Verdicts of at most LF__SIGHT_TOGETHER lines over a group: its parts by turns, then its grids. `pairs` have the same rules.
#define LF__SIGHT_TOGETHER 64
void lf__sight_group_verdicts(const lf_group *group, const lf__sight_pair *pairs, int64_t count,
                              lf__sight_request request, lf__sight_result *answers, lf_cursor *cursor);

/// The verdict on a line with valid ends over a ground itself, with rules that have been checked.
lf_verdict lf__sight_verdict(const lf_ground *ground, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b,
                             lf_cursor *cursor);

/// What one part of a group says of a line. layers: the filter in the group.
lf_verdict lf__sight_part_verdict(const lf_group *group, int64_t part, const lf__sight_pair *pair,
                                  uint32_t layers, lf_cursor *cursor);

/// Does a part that has no grid block a line?
/// last  the part that blocked the line before, which is tried first, or -1; any will do
bool lf__sight_parts_block(const lf_group *group, const lf__sight_pair *pair, int64_t *last,
                           lf_cursor *cursor);

/// The topmost ground of a group, of polygons or of objects at a place, rounded up. Down is -z.
lf_reason lf__sight_top(const lf_ground *ground, lf_vec2 at, lf_hit *hit, double *height);

/// The clearance of the line.
void lf__sight_pair_detail(const lf_ground *ground, const lf__sight_pair *pair, lf__sight_detail *detail,
                           lf_cursor *cursor);

/// A point of the line, t from the pair's a; and from the caller's a.
lf_vec3 lf__sight_pair_at(const lf__sight_pair *pair, double t);
lf_vec3 lf__sight_pair_point(const lf__sight_pair *pair, double t);

#endif
