/// Windows and groups of columns of one ray, with AVX2: which of eight blocks, or of eight columns, it may meet.
///
/// A window is eight consecutive blocks of one level along the course of the ray, which are filtered by their tops; a group is eight
/// columns of squares, which are filtered by their samples. Filters use floats relative to the start of a window, which is computed
/// in doubles. This is for grids of which lf__grid_single_serves: triangles of floats without voids.
#ifndef LF_GRID_K_WINDOWS_H
#define LF_GRID_K_WINDOWS_H

#include "grid/grid_kernels.h"
#include "grid/k_lanes.h"

#if LF__X86

#define LF__WINDOWS_INLINE LF__LANES_TARGET __attribute__((always_inline)) static inline

/// Levels of windows: the coarse ones are as high as the fine ones are wide.
#define LF__WINDOWS_FINE 3
#define LF__WINDOWS_COARSE LF__GRID_PLANE

/// Groups without a hit after which a ray continues in k_ray.c, which tests bottoms and planes too.
#define LF__WINDOWS_PATIENCE 4

/// Bound of the rounding error of coordinates within a window, in blocks.
#define LF__WINDOWS_BLUR 4e-6f

/// Tops of a level in the frame of the course: that of block (0, 0), and the steps from there.
typedef struct lf__windows_tops {
    const uint16_t *top;
    int32_t step_a, step_b;
} lf__windows_tops;

/// What rays of an octant share: the frame of their courses.
typedef struct lf__windows_octant {
    int64_t low_a, high_a, low_b, high_b;
    lf__windows_tops fine, coarse;
    const char *samples;
    int32_t step_a, step_b; ///< bytes
    bool along, against;    ///< which diagonals exist; alternating: both
    double base, by_quantum;
    double rise;  ///< of the surface in twice the blur, for blocks of one square
    double error; ///< of heights over columns
} lf__windows_octant;

/// A ray: its course, and inverses of its slope along b as lf__inverse_b and so on.
typedef struct lf__windows_ray {
    const lf__windows_octant *octant;
    double a, b, z, slope_b, slope_z, start, end, slack;
    double row, height; ///< where a is 0
    double code, climb; ///< the same height and slope_z in codes
    float eps;          ///< error of heights over columns
    float slope, by_b, by_flat, by_sum;
} lf__windows_ray;

LF__WINDOWS_INLINE lf__windows_tops lf__windows_tops_of(const lf__grid_course *c, const lf_grid *grid,
                                                        int level) {
    const lf__grid_level *l = &grid->levels[level];
    int64_t a = c->swap ? l->stride : 1, b = c->swap ? 1 : l->stride, last = (c->mirror >> level) - 1;
    int64_t start = (c->mirror_a ? last * a : 0) + (c->mirror_b ? last * b : 0);
    return (lf__windows_tops){l->top + start, (int32_t)(c->mirror_a ? -a : a),
                              (int32_t)(c->mirror_b ? -b : b)};
}

/// The octant of a course, of which only that is read.
LF__WINDOWS_INLINE void lf__windows_frame(lf__windows_octant *o, const lf_grid *grid,
                                          const lf__grid_course *c) {
    bool mirrored = c->mirror_a != c->mirror_b, falls = grid->surface == LF_SURFACE_FALLING,
         both = grid->surface == LF_SURFACE_ALTERNATING;
    ptrdiff_t a = c->swap ? grid->row_step : grid->column_step,
              b = c->swap ? grid->column_step : grid->row_step;
    o->low_a = c->low_a;
    o->high_a = c->high_a;
    o->low_b = c->low_b;
    o->high_b = c->high_b;
    o->fine = lf__windows_tops_of(c, grid, LF__WINDOWS_FINE);
    o->coarse = lf__windows_tops_of(c, grid, LF__WINDOWS_COARSE);
    o->samples = grid->values + grid->first * (a + b) + (c->mirror_a ? c->mirror * a : 0) +
                 (c->mirror_b ? c->mirror * b : 0);
    o->step_a = (int32_t)(c->mirror_a ? -a : a);
    o->step_b = (int32_t)(c->mirror_b ? -b : b);
    o->along = both || falls == mirrored;
    o->against = both || falls != mirrored;
    o->base = grid->base;
    o->by_quantum = 1 / grid->quantum;
    o->rise = 4 * (double)LF__WINDOWS_BLUR * grid->steepest;
    o->error = 2e-5 * grid->steepest;
}

/// The rest of a ray whose course and octant are set.
LF__WINDOWS_INLINE void lf__windows_start(lf__windows_ray *w) {
    w->row = w->b - w->a * w->slope_b;
    w->height = w->z - w->a * w->slope_z;
    w->code = (w->height - w->octant->base) * w->octant->by_quantum;
    w->climb = w->slope_z * w->octant->by_quantum;
    w->eps = (float)(w->octant->error + 2 * w->slack + 3e-5 * fabs(w->slope_z));
    w->slope = (float)w->slope_b;
    __m128 slope = _mm_set_ps(1, 1 + w->slope, (float)(1 - w->slope_b), w->slope);
    slope = _mm_div_ps(_mm_set1_ps(1), _mm_max_ps(slope, _mm_setr_ps(1e-12f, 1e-6f, 1, 1)));
    w->by_b = _mm_cvtss_f32(slope);
    w->by_flat = _mm_cvtss_f32(_mm_movehdup_ps(slope));
    w->by_sum = _mm_cvtss_f32(_mm_movehl_ps(slope, slope));
}

/// Is the ray above the coarse block that it starts in, all over it? Then it is unlikely to meet anything
/// nearby.
LF__WINDOWS_INLINE bool lf__windows_starts_high(const lf__windows_ray *w) {
    const lf__windows_octant *o = w->octant;
    int64_t a = (int64_t)w->start >> LF__WINDOWS_COARSE,
            b = (int64_t)(w->b + (w->start - w->a) * w->slope_b) >> LF__WINDOWS_COARSE;
    int64_t low = o->low_b >> LF__WINDOWS_COARSE, high = (o->high_b - 1) >> LF__WINDOWS_COARSE,
            end = (o->high_a - 1) >> LF__WINDOWS_COARSE;
    a = a > end ? end : a;
    b = b < low ? low : b > high ? high : b;
    double fall = w->slope_z < 0 ? w->slope_z * (1 << LF__WINDOWS_COARSE) : 0;
    double code = (w->z + (w->start - w->a) * w->slope_z + fall - o->base) * o->by_quantum;
    return code > (double)o->coarse.top[a * o->coarse.step_a + b * o->coarse.step_b];
}

// ---------------------------------------------------------------------------------------------------
// Windows
// ---------------------------------------------------------------------------------------------------

/// Codes of eight blocks, as 16 bits. A ray waits for these: indices that go through memory take longer.
LF__WINDOWS_INLINE __m128i lf__windows_codes(const uint16_t *base, __m256i index) {
    __m128i first = _mm256_castsi256_si128(index), second = _mm256_extracti128_si256(index, 1);
    uint64_t at0 = (uint64_t)_mm_cvtsi128_si64(first), at2 = (uint64_t)_mm_extract_epi64(first, 1),
             at4 = (uint64_t)_mm_cvtsi128_si64(second), at6 = (uint64_t)_mm_extract_epi64(second, 1);
    __m128i low = _mm_cvtsi32_si128(base[(int32_t)at0]), high = _mm_cvtsi32_si128(base[(int32_t)at4]);
    low = _mm_insert_epi16(low, base[(int64_t)at0 >> 32], 1);
    high = _mm_insert_epi16(high, base[(int64_t)at4 >> 32], 1);
    low = _mm_insert_epi16(low, base[(int32_t)at2], 2);
    high = _mm_insert_epi16(high, base[(int32_t)at6], 2);
    low = _mm_insert_epi16(low, base[(int64_t)at2 >> 32], 3);
    high = _mm_insert_epi16(high, base[(int64_t)at6 >> 32], 3);
    return _mm_unpacklo_epi64(low, high);
}

/// The mask of the eight blocks from `a`, as a double `block`, on that the ray may meet; it is not before the first block of the grid. Indices are floats:
/// grids are small enough for that. As in k_ray.c, bounds are raised by what the surface can rise within the blur, so that no row is
/// entered for rounding alone; then no block of a window has more than two rows.
LF__WINDOWS_INLINE unsigned lf__windows_search(const lf__windows_ray *w, const lf__windows_tops *tops,
                                               int level, int64_t a, double block) {
    const lf__windows_octant *o = w->octant;
    const double side = (double)(1 << level), inverse = 1 / side;
    double b = fma(block, w->slope_b, w->row * inverse), floor_b = floor(b);
    float code = (float)fma(block, w->climb * side, w->code), climb = (float)(w->climb * side);
    int64_t row = (int64_t)floor_b, last = ((o->high_a - 1) >> level) - a;
    last = last < 7 ? last : 7;
    if (last < 0) // beyond the grid
        return 0;
    __m256 near = _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7), far = _mm256_setr_ps(1, 2, 3, 4, 5, 6, 7, 8);
    __m256 in = _mm256_max_ps(near, _mm256_set1_ps((float)(w->start * inverse - block) - LF__WINDOWS_BLUR));
    __m256 out = _mm256_min_ps(far, _mm256_set1_ps((float)(w->end * inverse - block) + LF__WINDOWS_BLUR));
    __m256 slope = _mm256_set1_ps(w->slope), share = _mm256_set1_ps((float)(b - floor_b)),
           blur = _mm256_set1_ps(LF__WINDOWS_BLUR);
    __m256 first_row = _mm256_floor_ps(_mm256_add_ps(share, _mm256_fmadd_ps(in, slope, blur)));
    __m256 last_row = _mm256_floor_ps(_mm256_add_ps(share, _mm256_fmsub_ps(out, slope, blur)));
    __m256 least = _mm256_set1_ps((float)((o->low_b >> level) - row)),
           most = _mm256_set1_ps((float)(((o->high_b - 1) >> level) - row));
    first_row = _mm256_max_ps(_mm256_min_ps(first_row, most), least);
    last_row = _mm256_max_ps(_mm256_min_ps(last_row, most), least);
    __m256 lane = _mm256_mul_ps(_mm256_min_ps(near, _mm256_set1_ps((float)last)),
                                _mm256_set1_ps((float)tops->step_a)),
           step = _mm256_set1_ps((float)tops->step_b);
    const uint16_t *top = tops->top + a * tops->step_a + row * tops->step_b;
    __m128i codes =
        _mm_max_epu16(lf__windows_codes(top, _mm256_cvttps_epi32(_mm256_fmadd_ps(first_row, step, lane))),
                      lf__windows_codes(top, _mm256_cvttps_epi32(_mm256_fmadd_ps(last_row, step, lane))));
    double rise = w->slack + o->rise * side;
    float eps = 2e-6f * (fabsf(code) + 10 * fabsf(climb)) + (float)(rise * o->by_quantum) + 1e-3f;
    __m256 codes_of = _mm256_set1_ps(code), climbs = _mm256_set1_ps(climb);
    __m256 begins = _mm256_fmadd_ps(in, climbs, codes_of), ends = _mm256_fmadd_ps(out, climbs, codes_of);
    __m256 low = _mm256_sub_ps(_mm256_min_ps(begins, ends), _mm256_set1_ps(eps));
    // Codes are 1 .. 65534 except for the two that mean no surface and any height. The ray meets those that
    // are not below it: what does not wait for the codes is rounded up to one.
    low = _mm256_min_ps(_mm256_max_ps(low, _mm256_set1_ps(0.5f)), _mm256_set1_ps(65534.5f));
    __m256i whole = _mm256_cvttps_epi32(_mm256_ceil_ps(low));
    __m128i least_code = _mm_packus_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1));
    unsigned valid = (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(in, out, _CMP_LE_OQ)) & ((2u << last) - 1);
    __m128i meets = _mm_cmpeq_epi16(_mm_max_epu16(codes, least_code), codes);
    return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(meets, _mm_setzero_si128())) & valid;
}

// ---------------------------------------------------------------------------------------------------
// Columns
// ---------------------------------------------------------------------------------------------------

/// Samples of eight columns: of rows B, B + 1 and B + 2 at their near sides and at their far sides.
typedef struct lf__windows_samples {
    __m256 at[2][3];
} lf__windows_samples;

/// The samples next to a border of the grid. Those outside are replaced by the nearest ones.
LF__LANES_TARGET __attribute__((noinline, unused)) static void
lf__windows_load_at_border(const lf__windows_octant *o, int64_t a, int64_t row, __m256 rows,
                           lf__windows_samples *s) {
    float relative[8], heights[8];
    _mm256_storeu_ps(relative, rows);
    for (int n = 0; n < 6; n++) {
        for (int k = 0; k < 8; k++) {
            int64_t at_a = a + k + n / 3, at_b = row + (int64_t)relative[k] + n % 3;
            at_a = at_a < o->low_a ? o->low_a : at_a > o->high_a ? o->high_a : at_a;
            at_b = at_b < o->low_b ? o->low_b : at_b > o->high_b ? o->high_b : at_b;
            heights[k] = *(const float *)(const void *)(o->samples + at_a * o->step_a + at_b * o->step_b);
        }
        s->at[n / 3][n % 3] = _mm256_loadu_ps(heights);
    }
}

/// Offsets of eight samples, in registers.
typedef struct lf__windows_offsets {
    int64_t at[8];
} lf__windows_offsets;

LF__WINDOWS_INLINE lf__windows_offsets lf__windows_offsets_of(__m256i index) {
    __m128i first = _mm256_castsi256_si128(index), second = _mm256_extracti128_si256(index, 1);
    int64_t at0 = _mm_cvtsi128_si64(first), at2 = _mm_extract_epi64(first, 1),
            at4 = _mm_cvtsi128_si64(second), at6 = _mm_extract_epi64(second, 1);
    return (lf__windows_offsets){
        {(int32_t)at0, at0 >> 32, (int32_t)at2, at2 >> 32, (int32_t)at4, at4 >> 32, (int32_t)at6, at6 >> 32}};
}

/// The near and far samples of a row, where these are neighbours in memory.
LF__WINDOWS_INLINE void lf__windows_load_pairs(const char *base, const lf__windows_offsets *o, int row,
                                               lf__windows_samples *s) {
#define WINDOWS_PAIR(k) ((const double *)(const void *)(base + o->at[k]))
#define WINDOWS_PAIRS(k) _mm_castpd_ps(_mm_loadh_pd(_mm_load_sd(WINDOWS_PAIR(k)), WINDOWS_PAIR(k + 1)))
    __m256 even = _mm256_insertf128_ps(_mm256_castps128_ps256(WINDOWS_PAIRS(0)), WINDOWS_PAIRS(4), 1);
    __m256 odd = _mm256_insertf128_ps(_mm256_castps128_ps256(WINDOWS_PAIRS(2)), WINDOWS_PAIRS(6), 1);
    s->at[0][row] = _mm256_shuffle_ps(even, odd, 0x88);
    s->at[1][row] = _mm256_shuffle_ps(even, odd, 0xdd);
#undef WINDOWS_PAIRS
#undef WINDOWS_PAIR
}

/// The rows of one side, where these are neighbours in memory; a fourth sample is not used.
LF__WINDOWS_INLINE void lf__windows_load_runs(const char *base, const lf__windows_offsets *o, bool backward,
                                              __m256 at[3]) {
#define WINDOWS_RUN(k) _mm_loadu_ps((const float *)(const void *)(base + o->at[k]))
#define WINDOWS_RUNS(k) _mm256_insertf128_ps(_mm256_castps128_ps256(WINDOWS_RUN(k)), WINDOWS_RUN(k + 4), 1)
    __m256 r0 = WINDOWS_RUNS(0), r1 = WINDOWS_RUNS(1), r2 = WINDOWS_RUNS(2), r3 = WINDOWS_RUNS(3);
    __m256 low01 = _mm256_unpacklo_ps(r0, r1), low23 = _mm256_unpacklo_ps(r2, r3);
    __m256 high01 = _mm256_unpackhi_ps(r0, r1), high23 = _mm256_unpackhi_ps(r2, r3);
    at[backward ? 2 : 0] = _mm256_shuffle_ps(low01, low23, 0x44);
    at[1] = _mm256_shuffle_ps(low01, low23, 0xee);
    at[backward ? 0 : 2] = _mm256_shuffle_ps(high01, high23, 0x44);
#undef WINDOWS_RUNS
#undef WINDOWS_RUN
}

/// Load the samples of eight columns; near_rows are relative to `row`.
LF__WINDOWS_INLINE void lf__windows_load(const lf__windows_octant *o, int64_t a, int64_t row,
                                         __m256 near_rows, lf__windows_samples *s) {
    if (a < o->low_a || a + 8 > o->high_a || row <= o->low_b || row + 12 > o->high_b) {
        lf__windows_load_at_border(o, a, row, near_rows, s);
        return;
    }
    __m256 along = _mm256_mul_ps(_mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_ps((float)o->step_a));
    __m256 index = _mm256_fmadd_ps(near_rows, _mm256_set1_ps((float)o->step_b), along);
    lf__windows_offsets offsets = lf__windows_offsets_of(_mm256_cvttps_epi32(index));
    const char *base = o->samples + a * o->step_a + row * o->step_b;
    const int32_t size = sizeof(float);
    if (o->step_b == size) {
        lf__windows_load_runs(base, &offsets, false, s->at[0]);
        lf__windows_load_runs(base + o->step_a, &offsets, false, s->at[1]);
    } else if (o->step_b == -size) {
        lf__windows_load_runs(base - 2 * size, &offsets, true, s->at[0]);
        lf__windows_load_runs(base - 2 * size + o->step_a, &offsets, true, s->at[1]);
    } else {
        bool backward = o->step_a < 0;
        for (int k = 0; k < 3; k++)
            lf__windows_load_pairs(base + k * (ptrdiff_t)o->step_b - (backward ? size : 0), &offsets, k, s);
        if (backward)
            for (int k = 0; k < 3; k++) {
                __m256 far = s->at[0][k];
                s->at[0][k] = s->at[1][k];
                s->at[1][k] = far;
            }
    }
}

/// The mask of the eight columns from `a` on in which the ray may meet something.
LF__WINDOWS_INLINE unsigned lf__windows_search_columns(const lf__windows_ray *w, int64_t a) {
    const lf__windows_octant *o = w->octant;
    lf__lanes_column column;
    double at = (double)a, b = fma(at, w->slope_b, w->row), floor_b = floor(b),
           z = fma(at, w->slope_z, w->height);
    __m256 lane = _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7), next = _mm256_setr_ps(1, 2, 3, 4, 5, 6, 7, 8);
    __m256 share = _mm256_set1_ps((float)(b - floor_b));
    column.slope_b = _mm256_set1_ps(w->slope);
    column.slope_z = _mm256_set1_ps((float)w->slope_z);
    column.by_b = _mm256_set1_ps(w->by_b);
    column.by_flat = _mm256_set1_ps(w->by_flat);
    column.by_sum = _mm256_set1_ps(w->by_sum);
    __m256 near = _mm256_fmadd_ps(lane, column.slope_b, share),
           far = _mm256_fmadd_ps(next, column.slope_b, share);
    lf__windows_samples s;
    lf__windows_load(o, a, (int64_t)floor_b, lf__lanes_place(&column, near, far), &s);
    // The base is subtracted from the samples first, which is exact where they are close to it.
    float base = (float)z;
    __m256 over = _mm256_fmadd_ps(lane, column.slope_z, _mm256_set1_ps((float)(z - (double)base))),
           bases = _mm256_set1_ps(base);
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < 3; k++)
            column.p[side][k] = _mm256_sub_ps(_mm256_sub_ps(s.at[side][k], bases), over);
    lf__lanes_range range = lf__lanes_sides(&column);
    __m256 all = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
    if (o->along)
        lf__lanes_along(&column, all, &range);
    if (o->against)
        lf__lanes_against(&column, all, &range);
    __m256 meets = lf__lanes_meets(&column, &range, _mm256_set1_ps(w->eps));
    __m256 begins = _mm256_cmp_ps(lane, _mm256_set1_ps((float)(w->end - at) + LF__WINDOWS_BLUR), _CMP_LE_OQ);
    __m256 ends =
        _mm256_cmp_ps(lane, _mm256_set1_ps((float)(w->start - at) - 1 - LF__WINDOWS_BLUR), _CMP_GE_OQ);
    return (unsigned)_mm256_movemask_ps(_mm256_and_ps(meets, _mm256_and_ps(begins, ends)));
}

#endif
#endif
