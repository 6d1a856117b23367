/// Filters of the line kernels: the line along its longer axis, and the columns of heights under it.
///
/// As for rays (grid/grid_course.h), axes are swapped, and mirrored about a power of two so that blocks stay
/// blocks, until the line runs towards growing a, and no faster towards growing b. Here its height is a
/// quadratic in a, and it may be followed from either end.
#ifndef LF_SIGHT_K_COLUMNS_H
#define LF_SIGHT_K_COLUMNS_H

#include "grid/k_lanes.h"
#include "grid/packed.h"
#include "sight/sight.h"

/// Squares: much more than the rounding of places within reach.
#define LF__SIGHT_SLACK 1e-6
#define LF__SIGHT_REACH 0x1p22

typedef struct lf__sight_course {
    bool swap, mirror_a, mirror_b; ///< swap: a counts rows
    int64_t mirror;
    double a, b, z;                     ///< where it begins
    double slope_b, slope_z, curvature; ///< z + (slope_z + curvature * (a' - a)) * (a' - a) at a'
    double per_a;                       ///< of t, > 0
    double start, end;                  ///< the part of a over the grid, not padded
    double slack;                       ///< of z
    int64_t low_a, high_a;              ///< squares: low_a <= s < high_a
    int64_t low_b, high_b;
} lf__sight_course;

static inline double lf__sight_course_b(const lf__sight_course *c, double a) {
    return c->b + (a - c->a) * c->slope_b;
}

static inline double lf__sight_course_z(const lf__sight_course *c, double a) {
    return c->z + (c->slope_z + c->curvature * (a - c->a)) * (a - c->a);
}

/// The index of a square in the grid, from its index in the frame.
static inline void lf__sight_course_square(const lf__sight_course *c, const lf_grid *grid, int64_t a,
                                           int64_t b, int64_t square[2]) {
    int64_t real_a = grid->first + (c->mirror_a ? c->mirror - 1 - a : a);
    int64_t real_b = grid->first + (c->mirror_b ? c->mirror - 1 - b : b);
    square[0] = c->swap ? real_b : real_a;
    square[1] = c->swap ? real_a : real_b;
}

/// Shorten the part to where the line is within the grid's rows, or columns, of b.
static inline void lf__sight_course_clip(lf__sight_course *c) {
    if (c->slope_b < 1e-9) {
        if (c->b < (double)c->low_b - 1e-3 || c->b > (double)c->high_b + 1e-3)
            c->end = c->start - 1;
        return;
    }
    double inverse = 1 / c->slope_b;
    double first = c->a + ((double)c->low_b - c->b) * inverse,
           last = c->a + ((double)c->high_b - c->b) * inverse;
    c->start = first > c->start ? first : c->start;
    c->end = last < c->end ? last : c->end;
}

/// from_end: follow the line from its end. false: not possible for this line.
static inline bool lf__sight_course_start(lf__sight_course *c, const lf_grid *grid,
                                          const lf__sight_line *line, bool from_end) {
    double sign = from_end ? -1 : 1, t = from_end ? line->end : 0, first = (double)grid->first + grid->shift;
    const double x[2] = {line->at.x + t * line->way.x - first, line->at.y + t * line->way.y - first};
    const double d[2] = {sign * line->way.x, sign * line->way.y};
    const int64_t squares[2] = {grid->square_columns, grid->square_rows};
    int major = fabs(d[1]) > fabs(d[0]);
    if (!(fabs(d[major]) >= 1e-3) || !(fabs(x[0]) + fabs(x[1]) + fabs(d[0]) + fabs(d[1]) <= LF__SIGHT_REACH))
        return false;
    c->swap = major;
    c->mirror = grid->mirror;
    c->mirror_a = d[major] < 0;
    c->mirror_b = d[!major] < 0;
    c->low_a = c->mirror_a ? c->mirror - squares[major] : 0;
    c->low_b = c->mirror_b ? c->mirror - squares[!major] : 0;
    c->high_a = c->low_a + squares[major];
    c->high_b = c->low_b + squares[!major];
    c->a = c->mirror_a ? (double)c->mirror - x[major] : x[major];
    c->b = c->mirror_b ? (double)c->mirror - x[!major] : x[!major];
    c->per_a = 1 / fabs(d[major]);
    c->slope_b = fabs(d[!major]) * c->per_a;
    c->z = lf__sight_height(line, t);
    c->slope_z = sign * (line->z1 + 2 * line->z2 * t) * c->per_a;
    c->curvature = line->z2 * c->per_a * c->per_a;
    double length = line->end * fabs(d[major]);
    c->slack = 0x1p-46 * (fabs(c->z) + fabs(grid->highest) + fabs(grid->lowest) +
                          (fabs(c->slope_z) + fabs(c->curvature) * length) *
                              (length + fabs(c->a) + (double)c->mirror)) +
               LF__SIGHT_SLACK * 0.01 * (fabs(c->slope_z) + 2 * fabs(c->curvature) * length);
    c->start = c->a > (double)c->low_a ? c->a : (double)c->low_a;
    c->end = c->a + length < (double)c->high_a ? c->a + length : (double)c->high_a;
    lf__sight_course_clip(c);
    return fabs(c->slope_z) + 2 * fabs(c->curvature) * length <= 1e9 * grid->quantum;
}

// ---------------------------------------------------------------------------------------------------
// Columns of heights
// ---------------------------------------------------------------------------------------------------

// As grid/k_lanes.h for rays. "Above" and "below" are certain: they include all rounding, and the rest is
// left to others. "Below" is decided at sides only, which are part of the surface whatever lies between them.

#if LF__SIMD

/// What is constant along a line.
typedef struct lf__columns {
    const lf_grid *grid;
    const char *samples;
    int64_t step_a, step_b; ///< bytes
    __m256 along, against;  ///< which diagonals exist; alternating: both
    bool bilinear;
    bool points;  ///< squares are level: lf__columns_level
    bool crosses; ///< samples beyond the two nearest rows are needed
    float slope_b, by_b, by_flat, by_sum;
    float eps;      ///< of heights
    float inner[4]; ///< sides of whole squares: least and greatest a, and b
} lf__columns;

/// Bits of columns that must be tested, and of sides at which the line is below ground.
typedef struct lf__columns_found {
    unsigned doubt, below;
} lf__columns_found;

LF__LANES_TARGET static inline void lf__columns_start(lf__columns *w, const lf_grid *grid,
                                                      const lf__sight_course *c) {
    bool mirrored = c->mirror_a != c->mirror_b, falls = grid->surface == LF_SURFACE_FALLING,
         both = grid->surface == LF_SURFACE_ALTERNATING;
    ptrdiff_t a = c->swap ? grid->row_step : grid->column_step,
              b = c->swap ? grid->column_step : grid->row_step;
    w->grid = grid;
    w->bilinear = grid->surface == LF_SURFACE_BILINEAR;
    w->points = grid->surface == LF_SURFACE_POINT;
    w->samples = NULL;
    int64_t last =
        c->mirror - w->points; // mirrored, side s is sample mirror - s, and square s sample mirror - 1 - s
    if (!grid->packed)
        w->samples = grid->values + grid->first * (a + b) + (c->mirror_a ? last * a : 0) +
                     (c->mirror_b ? last * b : 0);
    w->step_a = c->mirror_a ? -a : a;
    w->step_b = c->mirror_b ? -b : b;
    if (grid->packed) // samples, not bytes
        w->step_a = w->step_b = 1;
    w->slope_b = (float)c->slope_b;
    w->by_b = lf__inverse_b(c->slope_b);
    w->by_flat = lf__inverse_flat(c->slope_b);
    w->by_sum = (float)(1 / (1 + c->slope_b));
    w->along = _mm256_castsi256_ps(_mm256_set1_epi32(both || (!w->bilinear && falls == mirrored) ? -1 : 0));
    w->against = _mm256_castsi256_ps(_mm256_set1_epi32(both || (!w->bilinear && falls != mirrored) ? -1 : 0));
    w->crosses = w->bilinear || both || falls != mirrored;
    double steep = fabs(c->slope_z) + 2 * fabs(c->curvature) * (c->end - c->a);
    w->eps = (float)((w->points ? 0 : 2e-5 * grid->steepest) + grid->sample_error + 2 * c->slack +
                     3e-5 * steep + 0.26 * fabs(c->curvature));
    double ring = (double)-grid->first + 1e-3;
    w->inner[0] =
        (float)((c->start > (double)c->low_a + ring ? c->start + 1e-3 : (double)c->low_a + ring) - c->start);
    w->inner[1] =
        (float)((c->end < (double)c->high_a - ring ? c->end - 1e-3 : (double)c->high_a - ring) - c->start);
}

/// Samples at the near sides of the columns, a number of rows from the place of the line there, and behind
/// the last one; minus the base.
typedef struct lf__columns_row {
    __m256 near;
    float last;
} lf__columns_row;

typedef struct lf__columns_place {
    const char *samples; ///< of the first side and row
    __m256i along;       ///< bytes to the other sides
    int32_t last_along;
    __m256i rows; ///< of the line at each side, from `row` on
    int32_t last_row;
    int64_t a, row;
    float base;
} lf__columns_place;

/// Samples of a compressed grid, one by one: sides `along` from the place, and rows from the place.
LF__LANES_TARGET static inline lf__columns_row lf__columns_decoded(const lf__columns *w,
                                                                   const lf__sight_course *c,
                                                                   const lf__columns_place *at, __m256i rows,
                                                                   int32_t last_row) {
    const lf_grid *grid = w->grid;
    _Alignas(32) int32_t side[9], row[9];
    _Alignas(32) float heights[9];
    _mm256_store_si256((__m256i *)(void *)side, at->along);
    _mm256_store_si256((__m256i *)(void *)row, rows);
    side[8] = at->last_along;
    row[8] = last_row;
    for (int k = 0; k < 9; k++) {
        int64_t a = at->a + side[k], b = at->row + row[k];
        a = grid->first + (c->mirror_a ? c->mirror - a : a);
        b = grid->first + (c->mirror_b ? c->mirror - b : b);
        heights[k] = (float)lf__packed_step(grid, c->swap ? b : a, c->swap ? a : b);
    }
    __m256 near = _mm256_load_ps(heights);
    if (!grid->plain) {
        near = _mm256_fmadd_ps(near, _mm256_set1_ps((float)grid->scale), _mm256_set1_ps((float)grid->offset));
        heights[8] = heights[8] * (float)grid->scale + (float)grid->offset;
    }
    return (lf__columns_row){_mm256_sub_ps(near, _mm256_set1_ps(at->base)), heights[8] - at->base};
}

LF__LANES_TARGET static inline lf__columns_row
lf__columns_samples(const lf__columns *w, const lf__sight_course *c, const lf__columns_place *at, int rows) {
    int low = (int)(c->low_b - at->row), high = (int)(c->high_b - at->row), last = at->last_row + rows;
    __m256i row = lf__lanes_clamp(_mm256_add_epi32(at->rows, _mm256_set1_epi32(rows)), _mm256_set1_epi32(low),
                                  _mm256_set1_epi32(high));
    last = last < low ? low : last > high ? high : last;
    if (w->grid->packed)
        return lf__columns_decoded(w, c, at, row, last);
    __m256i offset = _mm256_add_epi32(at->along, _mm256_mullo_epi32(row, _mm256_set1_epi32((int)w->step_b)));
    return (lf__columns_row){
        _mm256_sub_ps(lf__lanes_heights(w->grid, at->samples, offset), _mm256_set1_ps(at->base)),
        lf__lanes_height(w->grid, at->samples + at->last_along + last * w->step_b) - at->base};
}

/// The same for the far sides.
LF__LANES_TARGET static inline __m256 lf__columns_far(lf__columns_row row) {
    __m256 moved = _mm256_permutevar8x32_ps(row.near, _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0));
    return _mm256_blend_ps(moved, _mm256_set1_ps(row.last), 0x80);
}

LF__LANES_TARGET static inline void lf__columns_place_at(const lf__columns *w, const lf__sight_course *c,
                                                         int64_t a, lf__columns_place *at,
                                                         lf__lanes_column *column) {
    double b = lf__sight_course_b(c, (double)a), whole = floor(b), z = lf__sight_course_z(c, (double)a);
    __m256 lane = _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7), next = _mm256_setr_ps(1, 2, 3, 4, 5, 6, 7, 8);
    __m256 share = _mm256_set1_ps((float)(b - whole));
    column->slope_b = _mm256_set1_ps(w->slope_b);
    column->by_b = _mm256_set1_ps(w->by_b);
    column->by_flat = _mm256_set1_ps(w->by_flat);
    column->by_sum = _mm256_set1_ps(w->by_sum);
    __m256 far = _mm256_fmadd_ps(next, column->slope_b, share);
    __m256 rows = lf__lanes_place(column, _mm256_fmadd_ps(lane, column->slope_b, share), far);
    at->a = a;
    at->row = (int64_t)whole;
    at->rows = _mm256_cvttps_epi32(rows);
    at->last_row = (int32_t)floorf((float)(b - whole) + 8 * w->slope_b);
    at->base = (float)z;
    int low = (int)(c->low_a - a), high = (int)(c->high_a - a);
    __m256i side = lf__lanes_clamp(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(low),
                                   _mm256_set1_epi32(high));
    at->samples = w->samples ? w->samples + a * w->step_a + at->row * w->step_b : NULL;
    at->along = _mm256_mullo_epi32(side, _mm256_set1_epi32((int)w->step_a));
    at->last_along = (high < 8 ? high : 8) * (int32_t)w->step_a;
}

/// The columns a .. a + 7.
LF__LANES_TARGET static inline lf__columns_found lf__columns_search(const lf__columns *w,
                                                                    const lf__sight_course *c, int64_t a) {
    lf__columns_place at;
    lf__lanes_column column;
    lf__columns_place_at(w, c, a, &at, &column);
    lf__columns_row lower = lf__columns_samples(w, c, &at, 0), upper = lf__columns_samples(w, c, &at, 1);
    bool more = w->crosses && _mm256_movemask_ps(column.step) != 0;
    lf__columns_row under = more ? lf__columns_samples(w, c, &at, -1) : lower,
                    beyond = more ? lf__columns_samples(w, c, &at, 2) : upper;
    // The line over the base at the near sides, and its change from there.
    double run = (double)a - c->a, z = lf__sight_course_z(c, (double)a),
           slope = c->slope_z + 2 * c->curvature * run;
    __m256 lane = _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7), curvature = _mm256_set1_ps((float)c->curvature);
    __m256 over = _mm256_fmadd_ps(_mm256_fmadd_ps(lane, curvature, _mm256_set1_ps((float)slope)), lane,
                                  _mm256_set1_ps((float)(z - (double)at.base)));
    __m256 odd = _mm256_fmadd_ps(lane, _mm256_set1_ps(2), _mm256_set1_ps(1));
    column.slope_z = _mm256_fmadd_ps(odd, curvature, _mm256_set1_ps((float)slope));
    __m256 far_lower = lf__columns_far(lower), far_upper = lf__columns_far(upper);
    __m256 p[2][3] = {{lower.near, upper.near, beyond.near},
                      {_mm256_blendv_ps(far_lower, lf__columns_far(under), column.step),
                       _mm256_blendv_ps(far_upper, far_lower, column.step), far_upper}};
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < 3; k++)
            column.p[side][k] = _mm256_sub_ps(p[side][k], over);
    __m256 near = lf__lanes_lerp(column.p[0][0], column.p[0][1], column.near_share);
    lf__lanes_range range = lf__lanes_sides(&column);
    if (w->bilinear) {
        lf__lanes_twist(&column, &range);
    } else {
        lf__lanes_along(&column, w->along, &range);
        if (w->crosses)
            lf__lanes_against(&column, w->against, &range);
    }
    __m256 eps = _mm256_set1_ps(w->eps), from = _mm256_set1_ps((float)((double)a - c->start));
    __m256 clear = _mm256_cmp_ps(range.high, _mm256_sub_ps(_mm256_setzero_ps(), eps), _CMP_LT_OQ);
    clear = _mm256_andnot_ps(column.wide, clear);
    // Sides well within the line, and rows well within the grid.
    __m256 place = _mm256_add_ps(lane, from);
    __m256 inside = _mm256_and_ps(_mm256_cmp_ps(place, _mm256_set1_ps(w->inner[0]), _CMP_GT_OQ),
                                  _mm256_cmp_ps(place, _mm256_set1_ps(w->inner[1]), _CMP_LT_OQ));
    int ring = (int)-w->grid->first, low = (int)(c->low_b - at.row) + ring,
        high = (int)(c->high_b - at.row) - ring;
    __m256i rows = _mm256_andnot_si256(_mm256_cmpgt_epi32(_mm256_set1_epi32(low + 1), at.rows),
                                       _mm256_cmpgt_epi32(_mm256_set1_epi32(high - 1), at.rows));
    inside = _mm256_and_ps(inside, _mm256_castsi256_ps(rows));
    __m256 below = _mm256_and_ps(_mm256_cmp_ps(near, eps, _CMP_GT_OQ), inside);
    return (lf__columns_found){~(unsigned)_mm256_movemask_ps(clear) & 0xffu,
                               (unsigned)_mm256_movemask_ps(below)};
}

// ---------------------------------------------------------------------------------------------------
// Columns of level squares
// ---------------------------------------------------------------------------------------------------

/// Rounding error of rows within eight columns.
#define LF__LEVEL_BLUR 4e-6f

/// A line over at most two level squares of each column: where it enters, passes from one to the other, and leaves.
typedef struct lf__level_part {
    __m256 in, out;  ///< columns from the first one on
    __m256i rows[2]; ///< of the squares, from the row of the line at the first side on
    __m256 cross[2]; ///< the first square ends here at the latest, the second begins here at the earliest
    __m256 sure[2];  ///< the line is certainly over the first square at `in`, over the second at `out`
    __m256 wide;     ///< over more squares
} lf__level_part;

LF__LANES_TARGET static inline void lf__level_place(const lf__columns *w, const lf__sight_course *c,
                                                    int64_t a, float share, lf__level_part *p) {
    __m256 lane = _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7), next = _mm256_setr_ps(1, 2, 3, 4, 5, 6, 7, 8);
    __m256 slope = _mm256_set1_ps(w->slope_b), blur = _mm256_set1_ps(LF__LEVEL_BLUR),
           b = _mm256_set1_ps(share);
    p->in = _mm256_max_ps(lane, _mm256_set1_ps((float)(c->start - (double)a)));
    p->out = _mm256_min_ps(next, _mm256_set1_ps((float)(c->end - (double)a)));
    __m256 from = _mm256_fmadd_ps(p->in, slope, b), to = _mm256_fmadd_ps(p->out, slope, b);
    __m256 first = _mm256_floor_ps(_mm256_sub_ps(from, blur)),
           last = _mm256_floor_ps(_mm256_add_ps(to, blur));
    __m256 border = _mm256_sub_ps(last, b), by_b = _mm256_set1_ps(w->by_b);
    for (int k = 0; k < 2; k++) {
        __m256 at = k ? _mm256_sub_ps(border, blur) : _mm256_add_ps(border, blur);
        at = _mm256_min_ps(_mm256_max_ps(_mm256_mul_ps(at, by_b), p->in), p->out);
        // Without a second square the first one goes on to the end.
        p->cross[k] = _mm256_blendv_ps(at, p->out, _mm256_cmp_ps(first, last, _CMP_EQ_OQ));
    }
    __m256 some = _mm256_cmp_ps(_mm256_sub_ps(p->out, p->in), _mm256_set1_ps(1e-3f), _CMP_GT_OQ);
    __m256 enters = _mm256_floor_ps(_mm256_add_ps(from, blur)),
           leaves = _mm256_floor_ps(_mm256_sub_ps(to, blur));
    p->sure[0] = _mm256_and_ps(some, _mm256_cmp_ps(enters, first, _CMP_EQ_OQ));
    p->sure[1] = _mm256_and_ps(some, _mm256_cmp_ps(leaves, last, _CMP_EQ_OQ));
    p->wide = _mm256_cmp_ps(_mm256_sub_ps(last, first), _mm256_set1_ps(1.5f), _CMP_GT_OQ);
    p->rows[0] = _mm256_cvttps_epi32(first);
    p->rows[1] = _mm256_cvttps_epi32(last);
}

/// The heights of squares of the columns, less the base.
LF__LANES_TARGET static inline __m256 lf__level_heights(const lf__columns *w, const lf__sight_course *c,
                                                        const lf__columns_place *at, __m256i rows) {
    if (!w->grid->packed)
        return _mm256_sub_ps(
            lf__lanes_heights(
                w->grid, at->samples,
                _mm256_add_epi32(at->along, _mm256_mullo_epi32(rows, _mm256_set1_epi32((int)w->step_b)))),
            _mm256_set1_ps(at->base));
    _Alignas(32) int32_t column[8], row[8];
    _Alignas(32) float heights[8];
    _mm256_store_si256((__m256i *)(void *)column, at->along);
    _mm256_store_si256((__m256i *)(void *)row, rows);
    for (int k = 0; k < 8; k++) {
        int64_t square[2];
        lf__sight_course_square(c, w->grid, at->a + column[k], at->row + row[k], square);
        heights[k] = (float)lf__grid_height(w->grid, square[0], square[1]) - at->base;
    }
    return _mm256_load_ps(heights);
}

/// The columns a .. a + 7 of level squares.
LF__LANES_TARGET static inline lf__columns_found lf__columns_level(const lf__columns *w,
                                                                   const lf__sight_course *c, int64_t a) {
    double b = lf__sight_course_b(c, (double)a), whole = floor(b), z = lf__sight_course_z(c, (double)a);
    lf__columns_place at = {.a = a, .row = (int64_t)whole, .base = (float)z};
    lf__level_part p;
    lf__level_place(w, c, a, (float)(b - whole), &p);
    int first = c->low_a > a ? (int)(c->low_a - a) : 0,
        last = c->high_a - 1 < a + 7 ? (int)(c->high_a - 1 - a) : 7;
    __m256i side = lf__lanes_clamp(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(first),
                                   _mm256_set1_epi32(last));
    at.samples = w->samples ? w->samples + a * w->step_a + at.row * w->step_b : NULL;
    at.along = _mm256_mullo_epi32(side, _mm256_set1_epi32((int)w->step_a));
    __m256i low = _mm256_set1_epi32((int)(c->low_b - at.row)),
            high = _mm256_set1_epi32((int)(c->high_b - 1 - at.row));
    __m256 slope = _mm256_set1_ps((float)(c->slope_z + 2 * c->curvature * ((double)a - c->a))),
           curvature = _mm256_set1_ps((float)c->curvature),
           start = _mm256_set1_ps((float)(z - (double)at.base)), eps = _mm256_set1_ps(w->eps);
    __m256 near = p.wide, below = _mm256_setzero_ps();
    for (int k = 0; k < 2; k++) {
        __m256i row = lf__lanes_clamp(p.rows[k], low, high);
        __m256 h = lf__level_heights(w, c, &at, row), end = k ? p.out : p.in;
        __m256 z_end = _mm256_fmadd_ps(_mm256_fmadd_ps(end, curvature, slope), end, start);
        __m256 z_cross = _mm256_fmadd_ps(_mm256_fmadd_ps(p.cross[k], curvature, slope), p.cross[k], start);
        __m256 over = _mm256_sub_ps(_mm256_min_ps(z_end, z_cross), h);
        near = _mm256_or_ps(near, _mm256_cmp_ps(over, eps, _CMP_LE_OQ));
        __m256 exists = _mm256_castsi256_ps(_mm256_cmpeq_epi32(row, p.rows[k]));
        __m256 under = _mm256_cmp_ps(_mm256_add_ps(z_end, eps), h, _CMP_LT_OQ);
        below = _mm256_or_ps(below, _mm256_and_ps(_mm256_and_ps(under, exists), p.sure[k]));
    }
    unsigned there = (0xffu << first) & (0xffu >> (7 - last));
    return (lf__columns_found){(unsigned)_mm256_movemask_ps(near) & 0xffu,
                               (unsigned)_mm256_movemask_ps(below) & there};
}

#endif

#endif
