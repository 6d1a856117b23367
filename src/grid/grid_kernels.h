/// What ray kernels share: the course of a ray, the filter of a cell's triangles, one square, the table of
/// kernels.
///
/// A course is a ray in a frame in which it runs towards increasing a, and at most as fast towards increasing
/// b: 0 <= slope_b <= 1. Axes are swapped and mirrored for that, and coordinates are relative to the first
/// square. They are mirrored about a power of two, so that blocks remain blocks: x becomes mirror - x, square
/// s becomes mirror - 1 - s. Courses are only used by filters.
///
/// Courses are computed in doubles, with an error of less than LF__GRID_COURSE_SLACK squares and `slack` in
/// height. Rays for which this does not hold are refused and use the scalar path.
#ifndef LF_GRID_KERNELS_H
#define LF_GRID_KERNELS_H

#include "grid/grid_query.h"

/// In squares; much more than the rounding error of coordinates below LF__GRID_COURSE_REACH.
#define LF__GRID_COURSE_SLACK 1e-6
#define LF__GRID_COURSE_REACH 0x1p26

/// Greatest slope of a course, in quanta per square. Steeper rays cross few squares.
#define LF__GRID_COURSE_STEEP 1e9

typedef struct lf__grid_course {
    bool swap, mirror_a, mirror_b; ///< swap: a counts rows
    int64_t mirror;                ///< that of the grid
    double a, b, z;                ///< of the ray's origin
    double along;                  ///< of a per t, > 0
    double slope_b, slope_z;       ///< per a
    double start, end;             ///< range of a over the grid and its heights
    double slack;                  ///< of z
    int64_t low_a, high_a;         ///< squares: low_a <= s < high_a
    int64_t low_b, high_b;
} lf__grid_course;

typedef enum lf__grid_course_verdict {
    LF__GRID_COURSE_MISSES, ///< the ray meets nothing
    LF__GRID_COURSE_RUNS,
    LF__GRID_COURSE_REFUSED ///< the scalar path
} lf__grid_course_verdict;

static inline double lf__grid_course_b(const lf__grid_course *c, double a) {
    return c->b + (a - c->a) * c->slope_b;
}

static inline double lf__grid_course_z(const lf__grid_course *c, double a) {
    return c->z + (a - c->a) * c->slope_z;
}

/// The square of the grid for a square of the frame.
static inline void lf__grid_course_square(const lf__grid_course *c, const lf_grid *grid, int64_t a, int64_t b,
                                          int64_t *i, int64_t *j) {
    int64_t real_a = grid->first + (c->mirror_a ? c->mirror - 1 - a : a);
    int64_t real_b = grid->first + (c->mirror_b ? c->mirror - 1 - b : b);
    *i = c->swap ? real_b : real_a;
    *j = c->swap ? real_a : real_b;
}

/// Shorten [start, end] to where x + a / inverse is within [low, high].
static inline void lf__grid_course_clip(lf__grid_course *c, double x, double inverse, double low,
                                        double high) {
    double p = c->a + (low - x) * inverse, q = c->a + (high - x) * inverse;
    double first = p < q ? p : q, last = p < q ? q : p;
    c->start = first > c->start ? first : c->start;
    c->end = last < c->end ? last : c->end;
}

/// Convert a coordinate to the frame, and find the range of squares of its axis.
static inline double lf__grid_course_axis(const lf__grid_course *c, double at, bool mirrored, int64_t squares,
                                          int64_t *low, int64_t *high) {
    *low = mirrored ? c->mirror - squares : 0;
    *high = *low + squares;
    return mirrored ? (double)c->mirror - at : at;
}

static inline lf__grid_course_verdict lf__grid_course_start(lf__grid_course *c, const lf_grid *grid,
                                                            const lf_ray *line) {
    const double x[2] = {line->origin.x - (double)grid->first, line->origin.y - (double)grid->first};
    const double d[2] = {line->direction.x, line->direction.y};
    const int64_t squares[2] = {grid->square_columns, grid->square_rows};
    int major = fabs(d[1]) > fabs(d[0]);
    double inverse = 1 / fabs(d[major]);
    c->swap = major;
    c->mirror = grid->mirror;
    c->mirror_a = d[major] < 0;
    c->mirror_b = d[!major] < 0;
    c->a = lf__grid_course_axis(c, x[major], c->mirror_a, squares[major], &c->low_a, &c->high_a);
    c->b = lf__grid_course_axis(c, x[!major], c->mirror_b, squares[!major], &c->low_b, &c->high_b);
    c->z = line->origin.z;
    c->along = fabs(d[major]);
    c->slope_b = fabs(d[!major]) * inverse;
    c->slope_z = line->direction.z * inverse;
    if (!(fabs(c->slope_z) <= LF__GRID_COURSE_STEEP * grid->quantum) ||
        !(fabs(c->a) <= LF__GRID_COURSE_REACH) || !(fabs(c->b) <= LF__GRID_COURSE_REACH))
        return LF__GRID_COURSE_REFUSED;
    double pad = 0.25 * LF__GRID_COURSE_SLACK;
    double first = c->a + line->t_min * c->along - pad, last = c->a + line->t_max * c->along + pad;
    c->start = first > (double)c->low_a ? first : (double)c->low_a;
    c->end = last < (double)c->high_a ? last : (double)c->high_a;
    // Inverses of slopes do not wait for the slopes.
    if (c->slope_b > 1e-9)
        lf__grid_course_clip(c, c->b, c->along / fabs(d[!major]), (double)c->low_b - pad,
                             (double)c->high_b + pad);
    else if (c->b < (double)c->low_b - 1 || c->b > (double)c->high_b + 1)
        return LF__GRID_COURSE_MISSES;
    c->slack = 0x1p-48 * (fabs(c->z) + fabs(grid->highest) + fabs(grid->lowest) +
                          fabs(c->slope_z) * (fabs(c->a) + (double)c->mirror));
    double low = grid->lowest - c->slack, high = grid->highest + c->slack;
    if (fabs(c->slope_z) > 1e-9 * grid->quantum)
        lf__grid_course_clip(c, c->z, c->along / line->direction.z, low, high);
    else if (c->z < low - grid->quantum || c->z > high + grid->quantum)
        return LF__GRID_COURSE_MISSES;
    c->start -= pad;
    c->end += pad;
    c->start = c->start < (double)c->low_a ? (double)c->low_a : c->start;
    c->end = c->end > (double)c->high_a ? (double)c->high_a : c->end;
    return c->start <= c->end ? LF__GRID_COURSE_RUNS : LF__GRID_COURSE_MISSES;
}

// ---------------------------------------------------------------------------------------------------
// A line against the two triangles of a cell
// ---------------------------------------------------------------------------------------------------

// The filter decides in doubles where rounding cannot matter, which is the case for almost all cells; the
// exact fallback is lf__piece_meet. Relative to the corner of its right angle, along its two sides x and y,
// every triangle of a grid is x >= 0, y >= 0, x + y <= 1, and its plane is z = corner + rise_x * x + rise_y *
// y. The two triangles are the two lanes of a vector. The root is computed to twice the precision of a double
// and then rounded. Results do not depend on the instruction set.

/// Always inlined, to be compiled for the instruction set of the caller.
#define LF__GRID_INLINE __attribute__((always_inline)) static inline

typedef enum lf__filter_verdict_of {
    LF__FILTER_MISS,
    LF__FILTER_HIT,
    LF__FILTER_DOUBT
} lf__filter_verdict_of;

typedef double lf__double2 __attribute__((vector_size(16)));
typedef int64_t lf__double2_bits __attribute__((vector_size(16)));

/// A line relative to the corners of the two triangles of a cell, and their heights.
typedef struct lf__filter_case {
    lf__double2 x, y, x_rest, y_rest; ///< rounded, and the rounding errors
    lf__double2 dx, dy;
    double z, dz;
    lf__double2 corner, side_x, side_y; ///< heights of the corners and of the other ends of their two sides
} lf__filter_case;

LF__GRID_INLINE lf__double2 lf__double2_of(double x) {
    return (lf__double2){x, x};
}

LF__GRID_INLINE lf__double2 lf__double2_size(lf__double2 x) {
    return (lf__double2)((lf__double2_bits)x & INT64_MAX);
}

LF__GRID_INLINE lf__double2 lf__double2_sum(lf__double2 a, lf__double2 b, lf__double2 *rest) {
    lf__double2 sum = a + b, b_part = sum - a, a_part = sum - b_part;
    *rest = (a - a_part) + (b - b_part);
    return sum;
}

LF__GRID_INLINE lf__double2 lf__double2_product(lf__double2 a, lf__double2 b, lf__double2 *rest) {
    const double splitter = 134217729.0; // 2^27 + 1
    lf__double2 product = a * b, a_big = splitter * a, b_big = splitter * b;
    lf__double2 a_high = a_big - (a_big - a), b_high = b_big - (b_big - b), a_low = a - a_high,
                b_low = b - b_high;
    *rest = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
    return product;
}

/// Falling cells have their right-angled corners at (0, 0) and (1, 1), rising ones at (1, 0) and (0, 1).
LF__GRID_INLINE void lf__filter_start(lf__filter_case *c, const lf__grid_corners *h, const lf_ray *line,
                                      int64_t i, int64_t j, bool falls) {
    double left = (double)i, low = (double)j, right = left + 1, high = low + 1;
    lf__double2 at_x = falls ? (lf__double2){left, right} : (lf__double2){right, left}, at_y = {low, high};
    lf__double2 turn_x = falls ? (lf__double2){1, -1} : (lf__double2){-1, 1}, turn_y = {1, -1};
    c->x = turn_x * lf__double2_sum(lf__double2_of(line->origin.x), -at_x, &c->x_rest);
    c->y = turn_y * lf__double2_sum(lf__double2_of(line->origin.y), -at_y, &c->y_rest);
    c->x_rest *= turn_x;
    c->y_rest *= turn_y;
    c->dx = turn_x * line->direction.x;
    c->dy = turn_y * line->direction.y;
    c->z = line->origin.z;
    c->dz = line->direction.z;
    c->corner = falls ? (lf__double2){h->h00, h->h11} : (lf__double2){h->h10, h->h01};
    c->side_x = falls ? (lf__double2){h->h10, h->h01} : (lf__double2){h->h00, h->h11};
    c->side_y = falls ? (lf__double2){h->h01, h->h10} : (lf__double2){h->h11, h->h00};
}
/// A verdict from "certainly not" and "certainly".
LF__GRID_INLINE lf__filter_verdict_of lf__filter_verdict(bool surely_not, bool surely) {
    return surely_not ? LF__FILTER_MISS : surely ? LF__FILTER_HIT : LF__FILTER_DOUBT;
}

/// Does the line meet the triangles: certainly (inside), certainly not (outside)? All bits of a lane are set or none. `sizes`
/// receives sums of magnitudes; the rounding errors of the coefficients e0 and e1 are small multiples of them.
LF__GRID_INLINE void lf__filter_sides(const lf__filter_case *c, double t_min, double t_max,
                                      lf__double2_bits sides[2], lf__double2 sizes[2]) {
    lf__double2 rise_x = c->side_x - c->corner, rise_y = c->side_y - c->corner;
    lf__double2 x = rise_x * c->x, y = rise_y * c->y, dx = rise_x * c->dx, dy = rise_y * c->dy;
    // The height of the line over the plane is e0 + e1 * t.
    lf__double2 e0 = c->z - c->corner - x - y, e1 = c->dz - dx - dy;
    sizes[0] = fabs(c->z) + lf__double2_size(c->corner) + lf__double2_size(x) + lf__double2_size(y);
    sizes[1] = fabs(c->dz) + lf__double2_size(dx) + lf__double2_size(dy);
    lf__double2 error0 = 8 * LF__HALF_ULP * sizes[0] + LF__UNDERFLOW;
    lf__double2 error1 = 6 * LF__HALF_ULP * sizes[1] + LF__UNDERFLOW;
    lf__double2_bits sign = (lf__double2_bits)e1 & INT64_MIN; // from here on e1 is positive
    e0 = (lf__double2)((lf__double2_bits)e0 ^ sign);
    e1 = lf__double2_size(e1);
    // Limits at the root, times e1: each is a difference of two products.
    lf__double2 in_x = c->x * e1 - c->dx * e0, in_y = c->y * e1 - c->dy * e0;
    lf__double2 rest = ((1 - c->x) - c->y) * e1 + (c->dx + c->dy) * e0;
    lf__double2 far = 8 * LF__HALF_ULP * lf__double2_size(e0) + error0,
                steep = 8 * LF__HALF_ULP * e1 + error1;
    lf__double2 doubt = (1 + lf__double2_size(c->x) + lf__double2_size(c->y)) * steep +
                        (lf__double2_size(c->dx) + lf__double2_size(c->dy)) * far;
    lf__double2 begin = e0 + e1 * t_min, begin_doubt = far + steep * fabs(t_min);
    lf__double2 end = e0 + e1 * t_max, end_doubt = far + steep * fabs(t_max);
    lf__double2_bits outside = (in_x < -doubt) | (in_y < -doubt) | (rest < -doubt);
    lf__double2_bits inside = (in_x > doubt) & (in_y > doubt) & (rest > doubt) & (e1 > error1);
    if (t_min != -LF_INFINITY) {
        outside |= begin > begin_doubt;
        inside &= begin < -begin_doubt;
    }
    if (t_max != LF_INFINITY) {
        outside |= end < -end_doubt;
        inside &= end > end_doubt;
    }
    sides[0] = inside;
    sides[1] = outside & (e1 > error1);
}

/// The same as verdicts.
LF__GRID_INLINE void lf__filter_decide(const lf__filter_case *c, double t_min, double t_max,
                                       lf__filter_verdict_of verdict[2], lf__double2 sizes[2]) {
    lf__double2_bits sides[2];
    lf__filter_sides(c, t_min, t_max, sides, sizes);
    verdict[0] = lf__filter_verdict(sides[1][0] != 0, sides[0][0] != 0);
    verdict[1] = lf__filter_verdict(sides[1][1] != 0, sides[0][1] != 0);
}

/// The root for triangle k, within 4 ulp; false where that needs more digits. Here the lanes are e0 and e1:
/// sums of products whose rounding errors are summed too, which leaves about 2^-100 of the magnitudes.
LF__GRID_INLINE bool lf__filter_root(const lf__filter_case *c, int k, const lf__double2 sizes[2], double *t) {
    double corner = c->corner[k], side_x = c->side_x[k], side_y = c->side_y[k], rests[2];
    double rise_x = lf__two_sum(side_x, -corner, &rests[0]), rise_y = lf__two_sum(side_y, -corner, &rests[1]);
    lf__double2 x = {c->x[k], c->dx[k]}, y = {c->y[k], c->dy[k]}, rest[5];
    lf__double2 over = lf__double2_sum((lf__double2){c->z, c->dz}, (lf__double2){-corner, 0}, &rest[0]);
    lf__double2 along_x = lf__double2_product(lf__double2_of(rise_x), x, &rest[1]);
    lf__double2 along_y = lf__double2_product(lf__double2_of(rise_y), y, &rest[2]);
    over = lf__double2_sum(over, -along_x, &rest[3]);
    over = lf__double2_sum(over, -along_y, &rest[4]);
    lf__double2 x_rest = {c->x_rest[k], 0}, y_rest = {c->y_rest[k], 0};
    lf__double2 lost = rise_x * x_rest + rests[0] * x + rise_y * y_rest + rests[1] * y;
    over += ((rest[0] + rest[3]) + rest[4]) - ((rest[1] + rest[2]) + lost);
    *t = -over[0] / over[1];
    return sizes[0][k] * 0x1p-97 + LF__UNDERFLOW <= 0x1p-55 * fabs(over[0]) &&
           sizes[1][k] * 0x1p-97 + LF__UNDERFLOW <= 0x1p-55 * fabs(over[1]);
}

/// Verdicts and roots for both triangles of a cell; false where one of them is in doubt.
LF__GRID_INLINE bool lf__filter_cell(const lf__grid_corners *h, const lf_ray *line, int64_t i, int64_t j,
                                     bool falls, lf__filter_verdict_of verdict[2], double t[2]) {
    lf__filter_case c;
    lf__double2 sizes[2];
    lf__filter_start(&c, h, line, i, j, falls);
    lf__filter_decide(&c, line->t_min, line->t_max, verdict, sizes);
    for (int k = 0; k < 2; k++) {
        if (verdict[k] == LF__FILTER_MISS)
            continue;
        if (verdict[k] == LF__FILTER_DOUBT || !lf__filter_root(&c, k, sizes, &t[k]))
            return false;
        t[k] = t[k] < line->t_min ? line->t_min : t[k] > line->t_max ? line->t_max : t[k];
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------
// A square
// ---------------------------------------------------------------------------------------------------

// A ray and one square: the filter first, then the exact fallback. Kernels compile it for their instruction
// set.

/// Report a meeting; false where it does not count.
static inline bool lf__trace_report(lf__trace *trace, const lf__piece *piece,
                                    const lf__grid_meeting *meeting) {
    if (trace->gravity ? meeting->edge_on : lf__grid_doubled(trace->grid, piece->i, piece->triangle))
        return false;
    double end = trace->found(trace->user, trace, piece, meeting);
    if (isfinite(end))
        end += 16 * LF__HALF_ULP * fabs(end); // t is rounded
    trace->end = end < trace->end ? end : trace->end;
    return true;
}

/// Meet the triangles of a cell by the filter; false where it cannot decide.
LF__GRID_INLINE bool lf__square_filter(lf__trace *trace, int64_t i, int64_t j, bool *any) {
    const lf_grid *grid = trace->grid;
    lf__grid_corners h = lf__grid_corners_of(grid, i, j);
    bool falls = lf__grid_falls(grid, i, j);
    double t[2];
    lf__filter_verdict_of verdict[2];
    if (!lf__filter_cell(&h, &trace->line, i, j, falls, verdict, t))
        return false;
    *any = false;
    trace->cost.triangles += 2;
    for (int k = 0; k < 2; k++)
        if (verdict[k] == LF__FILTER_HIT) {
            lf__piece piece;
            lf__piece_name(&piece, i, j, k);
            *any |= lf__trace_report(trace, &piece, &(lf__grid_meeting){t[k], LF__SPOT_ROOT, 0, false});
        }
    return true;
}

LF__GRID_INLINE bool lf__square_meet(lf__trace *trace, int64_t i, int64_t j) {
    const lf_grid *grid = trace->grid;
    bool flat = grid->surface != LF_SURFACE_POINT && grid->surface != LF_SURFACE_BILINEAR, any;
    if (flat && lf__grid_is_real(grid, i, j) && !lf__grid_gap(grid, i, j) &&
        lf__square_filter(trace, i, j, &any))
        return any;
    return lf__trace_square_exactly(trace, i, j);
}

// ---------------------------------------------------------------------------------------------------
// Kernels
// ---------------------------------------------------------------------------------------------------

typedef enum lf__single_verdict {
    LF__SINGLE_MISS, ///< the hit is not written
    LF__SINGLE_HIT,
    LF__SINGLE_REFUSED ///< another path has to answer
} lf__single_verdict;

/// Shortest and longest course of a level ray in squares, and its most change of height as a part of the range of heights.
#define LF__GRID_LEVEL_SHORTEST 64.0
#define LF__GRID_LEVEL_LONGEST 65536.0
#define LF__GRID_LEVEL_CHANGE 0.0625

/// Largest grid for which the numbers of blocks of a level fit into 32 bits.
#define LF__GRID_LEVEL_LARGEST ((int64_t)1 << 15)

/// Is a ray long and level?
static inline bool lf__grid_is_level(const lf_grid *grid, const lf__grid_course *c) {
    double length = c->end - c->start;
    return length >= LF__GRID_LEVEL_SHORTEST && length <= LF__GRID_LEVEL_LONGEST &&
           grid->mirror <= LF__GRID_LEVEL_LARGEST &&
           fabs(c->slope_z) * length <= LF__GRID_LEVEL_CHANGE * (grid->highest - grid->lowest);
}

/// Functions of an instruction set; strides in bytes. first_many and heights_many may be NULL: the scalar path is used.
struct lf__grid_kernels {
    /// Process, in order, the squares that a ray on this course may meet, up to and including the first ones
    /// where it meets something.
    void (*run)(lf__trace *trace, const lf__grid_course *course);
    /// The first hit of a valid ray on a grid of which lf__grid_single_serves; may be NULL. The cost is added.
    lf__single_verdict (*first)(const lf_grid *grid, const lf_ray *ray, lf_hit *hit, lf_counters *cost);
    void (*first_many)(const lf_grid *grid, const lf_ray *rays, size_t ray_stride, int64_t count,
                       lf_hit *hits, size_t hit_stride);
    /// NAN where there is no ground on that side.
    void (*heights_many)(const lf_grid *grid, const lf__heights_batch *batch);
};

/// The kernels of an instruction set; NULL: only the scalar path.
const lf__grid_kernels *lf__grid_kernels_for(lf_isa isa);

/// The kernels for views of compressed grids with bounds on the levels that kernels read.
const lf__grid_kernels *lf__grid_kernels_decoded(lf_isa isa);

// Kernels for building, of blocks of 64 x 64 squares whose samples are floats and heights, none of them void.

#define LF__BOUNDS_SIDE 64
#define LF__BOUNDS_GROUP 8 ///< rows of squares of which bottoms are made

/// Lanes that ranges are kept in: sample i of a block is in lane i % LF__BOUNDS_LANES.
#define LF__BOUNDS_LANES 16

/// The range of a block so far, and in `zero` a NaN from the first value on that is not finite or is nodata.
typedef struct lf__bounds_lanes {
    float low[LF__BOUNDS_LANES], high[LF__BOUNDS_LANES], zero[LF__BOUNDS_LANES];
} lf__bounds_lanes;

lf__bounds_lanes lf__bounds_lanes_start(void);

/// The least and greatest; false where a value was not finite or nodata.
bool lf__bounds_lanes_range(const lf__bounds_lanes *lanes, float range[2]);

/// Rows of a block; each can be read over 65 samples.
typedef struct lf__bounds_rows {
    const float *at[LF__BOUNDS_SIDE + 1];
    int count; ///< of rows; one more than of rows of squares. For codes at[] is valid up to a multiple of LF__BOUNDS_GROUP
} lf__bounds_rows;

typedef struct lf__bounds_scale {
    double base, quantum, per_quantum; ///< of codes
} lf__bounds_scale;

/// Codes of a group of rows of squares: (8 >> level) rows of (64 >> level) tops, and bottoms.
typedef struct lf__bounds_codes {
    uint16_t top[LF__BOUNDS_GROUP][LF__BOUNDS_SIDE];
    uint16_t bottom[LF__BOUNDS_SIDE >> LF__GRID_BOTTOM];
} lf__bounds_codes;

/// Functions of an instruction set; all of them give the same bits.
typedef struct lf__bounds_kernels {
    /// Add 64 samples of a row to the range of each of some blocks beside each other. nodata NAN: no value is.
    void (*ranges)(const float *row, int64_t blocks, float nodata, lf__bounds_lanes *lanes);
    /// Codes on levels 0 to 3, an array of a group each; the steepest step is raised to the block's.
    void (*codes)(const lf__bounds_rows *rows, int level, const lf__bounds_scale *scale, float *steepest,
                  lf__bounds_codes *codes);
    /// A tilted plane over 65 x 65 samples. size is at least the greatest absolute height of the grid.
    void (*plane)(const lf__bounds_rows *rows, double size, lf__grid_plane *plane);
} lf__bounds_kernels;

const lf__bounds_kernels *lf__bounds_kernels_for(lf_isa isa);

/// Are bounds computed block by block, by the two calls below?
bool lf__grid_has_blocks(const lf_grid *grid);

/// Compute the finest tops and bottoms of a part, and what kernels need. Errors: LF_NO_MEMORY, LF_CANCELLED.
lf_status lf__grid_fill_blocks(lf_grid *grid, const lf_window *part, const lf_host *host);

/// The finest tops and bottoms of a block of 64 x 64 squares by its squares, whatever its samples are.
void lf__grid_fill_block(lf_grid *grid, int64_t bx, int64_t by);

/// Can rays over a grid be answered by `first` of kernels?
static inline bool lf__grid_single_serves(const lf_grid *grid) {
    return grid->single && grid->kernels && !grid->gaps && grid->copies == 0;
}

/// Choose kernels for a grid, and allocate what they need. Errors: LF_NO_MEMORY.
lf_status lf__grid_prepare(lf_grid *grid);

/// Compute what kernels need from the samples of a part.
void lf__grid_prepare_part(lf_grid *grid, const lf_window *part, const lf_host *host);

/// The plane of a block of 64 x 64 squares. Returns its steepest step, which is not noted.
double lf__grid_prepare_block(lf_grid *grid, int64_t bx, int64_t by);

/// Note a step of the surface.
void lf__grid_prepare_steepest(lf_grid *grid, double step);

/// The same for a stored grid, whose steepest step is known; the scalar path where it is below 0.
void lf__grid_prepare_known(lf_grid *grid, double steepest);

/// Update after squares have changed; reads only their samples.
void lf__grid_prepare_again(lf_grid *grid, const int64_t low[2], const int64_t high[2]);

/// Raise the tilted bounds of some squares, which may then be higher than necessary.
void lf__grid_planes_raise(lf_grid *grid, const int64_t first[2], const int64_t last[2]);

void lf__grid_heights_scalar(const lf_grid *grid, const lf__heights_batch *batch);

#if LF__SIMD
void lf__grid_heights_avx2(const lf_grid *grid, const lf__heights_batch *batch);
void lf__grid_batch_avx2(const lf_grid *grid, const lf_ray *rays, size_t ray_stride, int64_t count,
                         lf_hit *hits, size_t hit_stride);
#endif
#if LF__X86
lf__single_verdict lf__grid_single_avx2(const lf_grid *grid, const lf_ray *ray, lf_hit *hit,
                                        lf_counters *cost);

/// The kernel `run`, for a ray that has met nothing in so many groups of columns before the start of the course.
void lf__grid_run_avx2(lf__trace *trace, const lf__grid_course *course, int failed);
void lf__grid_batch_avx512(const lf_grid *grid, const lf_ray *rays, size_t ray_stride, int64_t count,
                           lf_hit *hits, size_t hit_stride);
#endif

#endif
