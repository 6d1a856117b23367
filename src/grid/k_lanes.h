/// Eight lanes with AVX2: samples of a grid, and the range of the height of a ray over the surface in a
/// column of squares.
///
/// A column contains the squares between a and a + 1 of a course (grid_kernels.h). The ray enters it in row
/// B, leaves it in row B or B + 1 ("step"), and is over at most two squares there. The height over the
/// surface is linear between the places where the ray crosses sides and diagonals of squares, so its range in
/// the column is the range of its values at these places.
#ifndef LF_GRID_K_LANES_H
#define LF_GRID_K_LANES_H

#include "base/k_simd.h"
#include "grid/grid_kernels.h"

#if LF__SIMD

#define LF__LANES_TARGET LF__SIMD_TARGET

LF__LANES_TARGET static inline __m256 lf__lanes_lerp(__m256 a, __m256 b, __m256 t) {
    return _mm256_fmadd_ps(t, _mm256_sub_ps(b, a), a);
}

LF__LANES_TARGET static inline __m256i lf__lanes_clamp(__m256i x, __m256i low, __m256i high) {
    return _mm256_max_epi32(_mm256_min_epi32(x, high), low);
}

/// Makes compilers load indices from memory: else they take them out of the register one by one, which takes
/// twice as many operations.
#if LF__X86
#define LF__LANES_IN_MEMORY(array) __asm__("" : "+m"(array))
#else
#define LF__LANES_IN_MEMORY(array) ((void)0)
#endif

/// Process all squares of a column that the ray may be in; true where it met something.
LF__LANES_TARGET static inline bool lf__lanes_meet_column(const lf__grid_course *c, lf__trace *trace,
                                                          int64_t column) {
    if (column < c->low_a || column >= c->high_a)
        return false;
    double from = (double)column > c->start ? (double)column : c->start;
    double to = (double)(column + 1) < c->end ? (double)(column + 1) : c->end;
    int64_t first = (int64_t)floor(lf__grid_course_b(c, from) - LF__GRID_COURSE_SLACK);
    int64_t last = (int64_t)floor(lf__grid_course_b(c, to) + LF__GRID_COURSE_SLACK);
    first = first < c->low_b ? c->low_b : first;
    last = last >= c->high_b ? c->high_b - 1 : last;
    bool met = false;
    for (int64_t row = first; row <= last; row++) {
        int64_t i, j;
        // A meeting before the ray enters a row precedes everything there.
        if (met &&
            lf__grid_course_b(c, c->a + trace->end * c->along) < (double)row - 4 * LF__GRID_COURSE_SLACK)
            break;
        lf__grid_course_square(c, trace->grid, column, row, &i, &j);
        if (lf__grid_parts(trace->grid, i, j))
            met |= lf__square_meet(trace, i, j);
    }
    return met;
}

/// The same for a column that a filter let through. A meeting at its far side may also be one in the next
/// column, with a lower element.
LF__LANES_TARGET static inline bool lf__lanes_try_column(const lf__grid_course *c, lf__trace *trace,
                                                         int64_t column) {
    if (!lf__lanes_meet_column(c, trace, column))
        return false;
    if (c->a + trace->end * c->along > (double)(column + 1) - 4 * LF__GRID_COURSE_SLACK)
        lf__lanes_meet_column(c, trace, column + 1);
    return true;
}

/// Samples of other types, one by one, because nothing after the last one may be read.
LF__LANES_TARGET static inline __m256 lf__lanes_samples(const lf_grid *grid, const char *base,
                                                        __m256i offsets) {
    int32_t offset[8];
    float sample[8];
    _mm256_storeu_si256((__m256i *)(void *)offset, offsets);
    for (int k = 0; k < 8; k++) {
        sample[k] = (float)lf__sample_read(grid->type, base + offset[k]);
    }
    return _mm256_loadu_ps(sample);
}

/// Floats at `offsets` bytes from base, loaded one by one: on many processors that is twice as fast as a
/// gather.
LF__LANES_TARGET static inline __m256 lf__lanes_floats(const char *base, __m256i offsets) {
    _Alignas(32) int32_t offset[8];
    _mm256_store_si256((__m256i *)(void *)offset, offsets);
    LF__LANES_IN_MEMORY(offset);
#define LF__LANES_LOAD(k) _mm_load_ss((const float *)(const void *)(base + offset[k]))
    __m128 low = LF__LANES_LOAD(0), high = LF__LANES_LOAD(4);
    low = _mm_insert_ps(low, LF__LANES_LOAD(1), 0x10);
    high = _mm_insert_ps(high, LF__LANES_LOAD(5), 0x10);
    low = _mm_insert_ps(low, LF__LANES_LOAD(2), 0x20);
    high = _mm_insert_ps(high, LF__LANES_LOAD(6), 0x20);
    low = _mm_insert_ps(low, LF__LANES_LOAD(3), 0x30);
    high = _mm_insert_ps(high, LF__LANES_LOAD(7), 0x30);
#undef LF__LANES_LOAD
    return _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
}

/// Codes of eight blocks.
LF__LANES_TARGET static inline __m256i lf__lanes_codes_at(const uint16_t *base, const int32_t at[8]) {
    __m128i low = _mm_cvtsi32_si128(base[at[0]]), high = _mm_cvtsi32_si128(base[at[4]]);
    low = _mm_insert_epi16(low, base[at[1]], 1);
    high = _mm_insert_epi16(high, base[at[5]], 1);
    low = _mm_insert_epi16(low, base[at[2]], 2);
    high = _mm_insert_epi16(high, base[at[6]], 2);
    low = _mm_insert_epi16(low, base[at[3]], 3);
    high = _mm_insert_epi16(high, base[at[7]], 3);
    return _mm256_cvtepu16_epi32(_mm_unpacklo_epi64(low, high));
}

LF__LANES_TARGET static inline __m256i lf__lanes_codes(const uint16_t *base, __m256i index) {
    _Alignas(32) int32_t at[8];
    _mm256_store_si256((__m256i *)(void *)at, index);
    LF__LANES_IN_MEMORY(at);
    return lf__lanes_codes_at(base, at);
}

/// Heights of samples at `offsets` bytes from base, with an error of at most grid->sample_error.
LF__LANES_TARGET static inline __m256 lf__lanes_heights(const lf_grid *grid, const char *base,
                                                        __m256i offsets) {
    __m256 sample = grid->type == LF_SAMPLE_FLOAT ? lf__lanes_floats(base, offsets)
                                                  : lf__lanes_samples(grid, base, offsets);
    if (grid->plain)
        return sample;
    return _mm256_fmadd_ps(sample, _mm256_set1_ps((float)grid->scale), _mm256_set1_ps((float)grid->offset));
}

/// The height of one sample.
static inline float lf__lanes_height(const lf_grid *grid, const char *at) {
    float sample = (float)lf__sample_read(grid->type, at);
    return grid->plain ? sample : sample * (float)grid->scale + (float)grid->offset;
}

/// Inverses of slopes along b, limited for floats.
static inline float lf__inverse_b(double slope) {
    return (float)(1 / (slope > 1e-12 ? slope : 1e-12));
}

static inline float lf__inverse_flat(double slope) {
    return (float)(1 / (1 - slope > 1e-6 ? 1 - slope : 1e-6));
}

/// Samples of a column, less the height of the ray at its near side; p[0] along the near side, rows B, B + 1,
/// B + 2; p[1] along the far one. The last row of both is only used where the ray steps.
typedef struct lf__lanes_column {
    __m256 p[2][3];
    __m256 near_share, far_share; ///< fraction of the row at the two sides
    __m256 step;
    __m256 wide; ///< two rows up, next to a corner, by rounding: undecided
    __m256 slope_b, slope_z;
    __m256 by_b, by_flat, by_sum; ///< 1 / slope_b, 1 / (1 - slope_b), 1 / (1 + slope_b), limited
} lf__lanes_column;

/// Set the fractions from the rows of the ray at the two sides. Returns the integer row at the near one.
LF__LANES_TARGET static inline __m256 lf__lanes_place(lf__lanes_column *c, __m256 near, __m256 far) {
    __m256 near_row = _mm256_floor_ps(near), far_row = _mm256_floor_ps(far);
    c->near_share = _mm256_sub_ps(near, near_row);
    c->far_share = _mm256_sub_ps(far, far_row);
    c->step = _mm256_cmp_ps(near_row, far_row, _CMP_NEQ_OQ);
    c->wide = _mm256_cmp_ps(_mm256_sub_ps(far_row, near_row), _mm256_set1_ps(1.5f), _CMP_GT_OQ);
    return near_row;
}

/// The least and the greatest height of the surface above the ray.
typedef struct lf__lanes_range {
    __m256 low, high;
} lf__lanes_range;

/// NaN (next to voids) is ignored here; lf__lanes_nan finds it.
LF__LANES_TARGET static inline void lf__lanes_add(lf__lanes_range *range, __m256 value) {
    range->low = _mm256_min_ps(value, range->low);
    range->high = _mm256_max_ps(value, range->high);
}

/// The height of the surface above the ray where it crosses the line from sample a to sample b, at the
/// fraction t of the column.
LF__LANES_TARGET static inline __m256 lf__lanes_cross(const lf__lanes_column *c, __m256 a, __m256 b,
                                                      __m256 t) {
    return _mm256_fnmadd_ps(t, c->slope_z, lf__lanes_lerp(a, b, t));
}

/// Add the diagonals towards increasing a and b, which are only crossed where the ray does not step.
LF__LANES_TARGET static inline void lf__lanes_along(const lf__lanes_column *c, __m256 which,
                                                    lf__lanes_range *range) {
    __m256 t = _mm256_min_ps(_mm256_mul_ps(c->near_share, c->by_flat), _mm256_set1_ps(1));
    __m256 value = lf__lanes_cross(c, c->p[0][0], c->p[1][1], t);
    __m256 counts = _mm256_andnot_ps(c->step, which);
    lf__lanes_add(range, _mm256_blendv_ps(range->low, value, counts));
}

/// Add the other diagonals, one in each of the squares.
LF__LANES_TARGET static inline void lf__lanes_against(const lf__lanes_column *c, __m256 which,
                                                      lf__lanes_range *range) {
    __m256 one = _mm256_set1_ps(1), t = _mm256_mul_ps(_mm256_sub_ps(one, c->near_share), c->by_sum);
    __m256 value = lf__lanes_cross(c, c->p[0][1], c->p[1][0], t);
    lf__lanes_add(range, _mm256_blendv_ps(range->low, value, which));
    t = _mm256_min_ps(_mm256_mul_ps(_mm256_sub_ps(_mm256_set1_ps(2), c->near_share), c->by_sum), one);
    value = lf__lanes_cross(c, c->p[0][2], c->p[1][1], t);
    lf__lanes_add(range, _mm256_blendv_ps(range->low, value, _mm256_and_ps(which, c->step)));
}

/// The range at both sides of the column, and at the row between the two squares.
LF__LANES_TARGET static inline lf__lanes_range lf__lanes_sides(const lf__lanes_column *c) {
    lf__lanes_range range = {_mm256_set1_ps(INFINITY), _mm256_set1_ps(-INFINITY)};
    __m256 below = _mm256_blendv_ps(c->p[1][0], c->p[1][1], c->step);
    __m256 above = _mm256_blendv_ps(c->p[1][1], c->p[1][2], c->step);
    lf__lanes_add(&range, lf__lanes_lerp(c->p[0][0], c->p[0][1], c->near_share));
    lf__lanes_add(&range, _mm256_sub_ps(lf__lanes_lerp(below, above, c->far_share), c->slope_z));
    __m256 one = _mm256_set1_ps(1);
    __m256 t = _mm256_min_ps(_mm256_mul_ps(_mm256_sub_ps(one, c->near_share), c->by_b), one);
    __m256 value = lf__lanes_cross(c, c->p[0][1], c->p[1][1], t);
    lf__lanes_add(&range, _mm256_blendv_ps(range.low, value, c->step));
    return range;
}

/// Bilinear squares are curved: along a ray they deviate from the straight line between two sides by at most
/// a quarter of their twist, times the distance along a, 1, times the distance along b.
LF__LANES_TARGET static inline void lf__lanes_twist(const lf__lanes_column *c, lf__lanes_range *range) {
    __m256 sign = _mm256_set1_ps(-0.0f), quarter = _mm256_mul_ps(_mm256_set1_ps(0.2501f), c->slope_b);
    __m256 lower =
        _mm256_sub_ps(_mm256_sub_ps(c->p[0][0], c->p[0][1]), _mm256_sub_ps(c->p[1][0], c->p[1][1]));
    __m256 upper =
        _mm256_sub_ps(_mm256_sub_ps(c->p[0][1], c->p[0][2]), _mm256_sub_ps(c->p[1][1], c->p[1][2]));
    __m256 twist = _mm256_max_ps(_mm256_andnot_ps(sign, upper), _mm256_setzero_ps());
    twist = _mm256_and_ps(twist, c->step);
    twist = _mm256_max_ps(_mm256_andnot_ps(sign, lower), twist); // next to a void: that of the other square
    range->low = _mm256_fnmadd_ps(twist, quarter, range->low);
    range->high = _mm256_fmadd_ps(twist, quarter, range->high);
}

/// Lanes with a void among their samples, for grids whose voids are NAN. There a ray may meet the edge of the
/// surface, and the heights of the square that rounding selects decide nothing.
LF__LANES_TARGET static inline __m256 lf__lanes_nan(const lf__lanes_column *c) {
    __m256 a = _mm256_cmp_ps(c->p[0][0], c->p[1][0], _CMP_UNORD_Q);
    __m256 b = _mm256_cmp_ps(c->p[0][1], c->p[1][1], _CMP_UNORD_Q);
    return _mm256_or_ps(_mm256_or_ps(a, b), _mm256_cmp_ps(c->p[0][2], c->p[1][2], _CMP_UNORD_Q));
}

/// Are the samples of voids NAN?
static inline bool lf__lanes_nan_voids(const lf_grid *grid) {
    return grid->own && (grid->type == LF_SAMPLE_FLOAT || grid->type == LF_SAMPLE_DOUBLE);
}

/// The same of one column, for all other grids: does one of its squares have a gap, from `row` on, two of
/// them where the ray steps?
static inline bool lf__lanes_gap(const lf__grid_course *c, const lf_grid *grid, int64_t column, int64_t row,
                                 bool step) {
    bool gap = false;
    for (int64_t b = row; b <= row + step && column >= c->low_a && column < c->high_a; b++) {
        int64_t i, j, inside = b < c->low_b ? c->low_b : b >= c->high_b ? c->high_b - 1 : b;
        lf__grid_course_square(c, grid, column, inside, &i, &j);
        gap |= lf__grid_gap(grid, i, j);
    }
    return gap;
}

/// May the ray meet something in these columns? The range has an error of at most eps.
LF__LANES_TARGET static inline __m256 lf__lanes_meets(const lf__lanes_column *c, const lf__lanes_range *range,
                                                      __m256 eps) {
    __m256 reaches = _mm256_cmp_ps(range->high, _mm256_sub_ps(_mm256_setzero_ps(), eps), _CMP_GE_OQ);
    __m256 meets = _mm256_and_ps(reaches, _mm256_cmp_ps(range->low, eps, _CMP_LE_OQ));
    return _mm256_or_ps(meets, c->wide);
}

#endif
#endif
