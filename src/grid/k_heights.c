/// Heights of many points with AVX2, four at a time.
///
/// The same operations in the same order as lf__grid_at give the same bits. Points on the lines between
/// squares, in the ring or next to voids, and points that rounding could put on the other side of the
/// surface, are queried one by one.
#include "base/k_simd.h"
#include "grid/grid_kernels.h"
#include "grid/packed.h"
#include <string.h>

/// The scalar path: one query per height.
void lf__grid_heights_scalar(const lf_grid *grid, const lf__heights_batch *batch) {
    for (int64_t k = 0; k < batch->count; k++)
        *lf__heights_result(batch, k) = lf__heights_query(grid, lf__heights_point(batch, k), batch->down);
}

#if LF__SIMD

#define TARGET LF__SIMD_TARGET

/// The squares of four points, and their places in them.
typedef struct heights_spots {
    __m256d z;
    __m256d u, v;      ///< in the square
    __m256d sure;      ///< strictly inside of a square without a gap; otherwise square (0, 0) is used
    __m256d falls;     ///< only where the surface alternates
    int64_t offset[4]; ///< bytes to the first corners
} heights_spots;

/// Heights of the corners of four cells.
typedef struct heights_corners {
    __m256d h00, h10, h01, h11;
} heights_corners;

TARGET static inline void heights_load_points(const char *at, size_t stride, __m256d *x, __m256d *y,
                                              __m256d *z) {
    if (stride == sizeof(lf_vec3)) {
        __m256d p = _mm256_loadu_pd((const double *)(const void *)at);
        __m256d q = _mm256_loadu_pd((const double *)(const void *)at + 4);
        __m256d r = _mm256_loadu_pd((const double *)(const void *)at + 8);
        __m256d xy = _mm256_permute2f128_pd(p, q, 0x30), zx = _mm256_permute2f128_pd(p, r, 0x21);
        __m256d yz = _mm256_permute2f128_pd(q, r, 0x30);
        *x = _mm256_shuffle_pd(xy, zx, 0xa);
        *y = _mm256_shuffle_pd(xy, yz, 0x5);
        *z = _mm256_shuffle_pd(zx, yz, 0xa);
        return;
    }
    const lf_vec3 *p[4];
    for (int k = 0; k < 4; k++)
        p[k] = (const lf_vec3 *)(const void *)(at + (size_t)k * stride);
    *x = _mm256_setr_pd(p[0]->x, p[1]->x, p[2]->x, p[3]->x);
    *y = _mm256_setr_pd(p[0]->y, p[1]->y, p[2]->y, p[3]->y);
    *z = _mm256_setr_pd(p[0]->z, p[1]->z, p[2]->z, p[3]->z);
}

/// lf__grid_place for four points.
TARGET static inline void heights_place(const lf_grid *grid, __m256d *x, __m256d *y) {
    __m256d east = _mm256_sub_pd(*x, _mm256_set1_pd(grid->geotransform.origin.x));
    __m256d north = _mm256_sub_pd(*y, _mm256_set1_pd(grid->geotransform.origin.y));
    *x = _mm256_mul_pd(_mm256_set1_pd(grid->a), east);
    *y = _mm256_mul_pd(_mm256_set1_pd(grid->d), north);
    if (grid->b != 0)
        *x = _mm256_add_pd(*x, _mm256_mul_pd(_mm256_set1_pd(grid->b), north));
    if (grid->c != 0)
        *y = _mm256_add_pd(_mm256_mul_pd(_mm256_set1_pd(grid->c), east), *y);
}

/// The square of one axis that a place is strictly inside of.
TARGET static inline __m128i heights_square(__m256d at, int64_t squares, __m256d *share, __m256d *sure) {
    __m256d whole = _mm256_floor_pd(at), zero = _mm256_setzero_pd();
    *share = _mm256_sub_pd(at, whole);
    __m256d inside = _mm256_and_pd(_mm256_cmp_pd(whole, zero, _CMP_GE_OQ),
                                   _mm256_cmp_pd(whole, _mm256_set1_pd((double)squares), _CMP_LT_OQ));
    *sure = _mm256_and_pd(inside, _mm256_cmp_pd(*share, zero, _CMP_GT_OQ));
    return _mm256_cvttpd_epi32(_mm256_and_pd(whole, *sure));
}

/// Exclude the squares that have a gap.
TARGET static inline void heights_exclude_gaps(const lf_grid *grid, __m128i columns, __m128i rows,
                                               heights_spots *s) {
    int32_t i[4], j[4];
    int64_t solid[4];
    _mm_storeu_si128((__m128i *)(void *)i, columns);
    _mm_storeu_si128((__m128i *)(void *)j, rows);
    for (int k = 0; k < 4; k++)
        solid[k] = lf__grid_gap(grid, i[k], j[k]) ? 0 : -1;
    __m256i mask = _mm256_loadu_si256((const __m256i *)(const void *)solid);
    s->sure = _mm256_and_pd(s->sure, _mm256_castsi256_pd(mask));
}

TARGET static inline void heights_squares(const lf_grid *grid, __m256d x, __m256d y, heights_spots *s) {
    __m256d sure_x, sure_y;
    __m128i i = heights_square(x, grid->cell_columns, &s->u, &sure_x);
    __m128i j = heights_square(y, grid->cell_rows, &s->v, &sure_y);
    s->sure = _mm256_and_pd(sure_x, sure_y);
    __m256i rows = _mm256_mul_epi32(_mm256_cvtepi32_epi64(j), _mm256_set1_epi64x(grid->row_step));
    __m256i columns = _mm256_mul_epi32(_mm256_cvtepi32_epi64(i), _mm256_set1_epi64x(grid->column_step));
    _mm256_storeu_si256((__m256i *)(void *)s->offset, _mm256_add_epi64(rows, columns));
    if (grid->surface == LF_SURFACE_ALTERNATING) {
        __m128i odd = _mm_and_si128(_mm_add_epi32(i, j), _mm_set1_epi32(1));
        __m128i falls = _mm_cmpeq_epi32(odd, _mm_setzero_si128());
        s->falls = _mm256_castsi256_pd(_mm256_cvtepi32_epi64(falls));
    }
    if (grid->gaps)
        heights_exclude_gaps(grid, i, j, s);
}

/// Find the squares of four points.
TARGET static inline void heights_find(const lf_grid *grid, const lf_vec3 *points, size_t stride,
                                       heights_spots *s) {
    __m256d x, y;
    heights_load_points((const char *)points, stride, &x, &y, &s->z);
    heights_place(grid, &x, &y);
    heights_squares(grid, x, y, s);
}

/// Load two adjacent floats at each of four places: the first ones and the second ones.
TARGET static inline void heights_float_pairs(const char *base, const int64_t at[4], __m256d *first,
                                              __m256d *second) {
    double bits[4];
    for (int k = 0; k < 4; k++)
        memcpy(&bits[k], base + at[k], sizeof bits[k]);
    __m256d even = _mm256_cvtps_pd(_mm_castpd_ps(_mm_setr_pd(bits[0], bits[2])));
    __m256d odd = _mm256_cvtps_pd(_mm_castpd_ps(_mm_setr_pd(bits[1], bits[3])));
    *first = _mm256_unpacklo_pd(even, odd);
    *second = _mm256_unpackhi_pd(even, odd);
}

/// The same for 16-bit integers.
TARGET static inline void heights_short_pairs(const char *base, const int64_t at[4], bool with_sign,
                                              __m256d *first, __m256d *second) {
    int32_t bits[4];
    for (int k = 0; k < 4; k++)
        memcpy(&bits[k], base + at[k], sizeof bits[k]);
    __m128i pairs = _mm_setr_epi32(bits[0], bits[1], bits[2], bits[3]), low = _mm_slli_epi32(pairs, 16);
    *first = _mm256_cvtepi32_pd(with_sign ? _mm_srai_epi32(low, 16) : _mm_srli_epi32(low, 16));
    *second = _mm256_cvtepi32_pd(with_sign ? _mm_srai_epi32(pairs, 16) : _mm_srli_epi32(pairs, 16));
}

TARGET static inline __m256d heights_scaled(const lf_grid *grid, __m256d sample) {
    __m256d product = _mm256_mul_pd(sample, _mm256_set1_pd(grid->scale));
    return _mm256_add_pd(product, _mm256_set1_pd(grid->offset));
}

/// Corners of cells from adjacent samples.
TARGET static inline heights_corners heights_load_adjacent(const lf_grid *grid, const int64_t at[4]) {
    const char *low = grid->values, *high = low + grid->row_step;
    heights_corners c;
    if (grid->type == LF_SAMPLE_FLOAT) {
        heights_float_pairs(low, at, &c.h00, &c.h10);
        heights_float_pairs(high, at, &c.h01, &c.h11);
    } else {
        heights_short_pairs(low, at, grid->type == LF_SAMPLE_INT16, &c.h00, &c.h10);
        heights_short_pairs(high, at, grid->type == LF_SAMPLE_INT16, &c.h01, &c.h11);
    }
    if (!grid->plain)
        c = (heights_corners){heights_scaled(grid, c.h00), heights_scaled(grid, c.h10),
                              heights_scaled(grid, c.h01), heights_scaled(grid, c.h11)};
    return c;
}

TARGET static inline __m256d heights_pick(__m256d otherwise, __m256d if_true, __m256d mask) {
    return _mm256_blendv_pd(otherwise, if_true, mask);
}

/// lf__grid_triangle_at and lf__triangle_height. u and v are exact, so rising cells compare u with v, and
/// falling ones u + v with 1, where only a rounded sum of exactly 1 is in doubt.
TARGET static inline __m256d heights_falling(const heights_corners *c, const heights_spots *s,
                                             __m256d *sure) {
    __m256d one = _mm256_set1_pd(1), sum = _mm256_add_pd(s->u, s->v);
    __m256d second = _mm256_cmp_pd(sum, one, _CMP_GT_OQ);
    *sure = _mm256_and_pd(*sure, _mm256_cmp_pd(sum, one, _CMP_NEQ_OQ));
    __m256d p = heights_pick(c->h00, c->h11, second);
    __m256d a = heights_pick(s->u, _mm256_sub_pd(one, s->v), second),
            b = heights_pick(s->v, _mm256_sub_pd(one, s->u), second);
    __m256d start = _mm256_add_pd(p, _mm256_mul_pd(a, _mm256_sub_pd(c->h10, p)));
    return _mm256_add_pd(start, _mm256_mul_pd(b, _mm256_sub_pd(c->h01, p)));
}

TARGET static inline __m256d heights_rising(const heights_corners *c, const heights_spots *s) {
    __m256d one = _mm256_set1_pd(1), second = _mm256_cmp_pd(s->u, s->v, _CMP_LT_OQ);
    __m256d p = heights_pick(c->h10, c->h01, second);
    __m256d a = _mm256_sub_pd(one, heights_pick(s->u, s->v, second)), b = heights_pick(s->v, s->u, second);
    __m256d start = _mm256_add_pd(p, _mm256_mul_pd(a, _mm256_sub_pd(c->h00, p)));
    return _mm256_add_pd(start, _mm256_mul_pd(b, _mm256_sub_pd(c->h11, p)));
}

/// The height of bilinear patches.
TARGET static inline __m256d heights_bilinear(const heights_corners *c, const heights_spots *s) {
    __m256d low = _mm256_add_pd(c->h00, _mm256_mul_pd(s->u, _mm256_sub_pd(c->h10, c->h00)));
    __m256d high = _mm256_add_pd(c->h01, _mm256_mul_pd(s->u, _mm256_sub_pd(c->h11, c->h01)));
    return _mm256_add_pd(low, _mm256_mul_pd(s->v, _mm256_sub_pd(high, low)));
}

/// The heights of the surface at four places.
TARGET static inline __m256d heights_surface(const lf_grid *grid, const heights_corners *c,
                                             const heights_spots *s, __m256d *sure) {
    if (grid->surface == LF_SURFACE_BILINEAR)
        return heights_bilinear(c, s);
    if (grid->surface == LF_SURFACE_RISING)
        return heights_rising(c, s);
    __m256d falling = heights_falling(c, s, sure);
    return grid->surface == LF_SURFACE_FALLING ? falling
                                               : heights_pick(heights_rising(c, s), falling, s->falls);
}

/// NAN where the ground is on the other side; clears `sure` where rounding could decide.
TARGET static inline __m256d heights_on_side(const lf_grid *grid, __m256d z, bool down, __m256d height,
                                             __m256d *sure) {
    double size = 4 * fmax(fabs(grid->lowest), fabs(grid->highest));
    __m256d sign = _mm256_set1_pd(-0.0), difference = _mm256_sub_pd(z, height), zero = _mm256_setzero_pd();
    __m256d far = _mm256_min_pd(_mm256_andnot_pd(sign, z), _mm256_set1_pd(1e300)); // z may be infinite
    __m256d doubt =
        _mm256_mul_pd(_mm256_add_pd(far, _mm256_set1_pd(size)), _mm256_set1_pd(16 * LF__HALF_ULP));
    *sure = _mm256_and_pd(*sure, _mm256_cmp_pd(_mm256_andnot_pd(sign, difference), doubt, _CMP_GT_OQ));
    __m256d there =
        down ? _mm256_cmp_pd(difference, zero, _CMP_GT_OQ) : _mm256_cmp_pd(difference, zero, _CMP_LT_OQ);
    return heights_pick(_mm256_set1_pd((double)NAN), height, there);
}

/// Groups of four points whose samples are prefetched before any is read.
#define HEIGHTS_AHEAD 8

/// Find the squares of the first 4 * groups points, and prefetch their samples.
TARGET static inline void heights_prefetch(const lf_grid *grid, const lf__heights_batch *batch, int groups,
                                           heights_spots ahead[HEIGHTS_AHEAD]) {
    for (int g = 0; g < groups; g++) {
        heights_spots *s = &ahead[g];
        heights_find(grid, lf__heights_point(batch, 4 * g), batch->point_stride, s);
        for (int k = 0; k < 4; k++) {
            const char *at = grid->values + s->offset[k];
            __builtin_prefetch(at);
            __builtin_prefetch(at + grid->row_step);
        }
    }
}

/// Answer the first four points from their corners, those in doubt one by one, and remove them from the batch.
TARGET static inline void heights_answer(const lf_grid *grid, const heights_spots *s,
                                         const heights_corners *c, lf__heights_batch *batch) {
    __m256d sure = s->sure, height = heights_surface(grid, c, s, &sure);
    double results[4];
    _mm256_storeu_pd(results, heights_on_side(grid, s->z, batch->down, height, &sure));
    for (unsigned doubts = ~(unsigned)_mm256_movemask_pd(sure) & 0xf; doubts; doubts &= doubts - 1) {
        int k = __builtin_ctz(doubts);
        results[k] = lf__heights_query(grid, lf__heights_point(batch, k), batch->down);
    }
    if (batch->height_stride == sizeof(double))
        memcpy(batch->heights, results, sizeof results);
    else
        for (int k = 0; k < 4; k++)
            *lf__heights_result(batch, k) = results[k];
    batch->points = lf__heights_point(batch, 4);
    batch->heights = lf__heights_result(batch, 4);
    batch->count -= 4;
}

/// Do numbers of cells fit into 32 bits?
static bool heights_small(const lf_grid *grid) {
    return grid->cell_columns < INT32_MAX / 4 && grid->cell_rows < INT32_MAX / 4;
}

/// Are the samples of a row adjacent, and of a type with a kernel?
static bool heights_adjacent(const lf_grid *grid) {
    bool pairs = (grid->type == LF_SAMPLE_FLOAT && grid->column_step == (ptrdiff_t)sizeof(float)) ||
                 ((grid->type == LF_SAMPLE_INT16 || grid->type == LF_SAMPLE_UINT16) &&
                  grid->column_step == (ptrdiff_t)sizeof(int16_t));
    return pairs && grid->surface != LF_SURFACE_POINT && heights_small(grid);
}

TARGET void lf__grid_heights_avx2(const lf_grid *grid, const lf__heights_batch *batch) {
    lf__heights_batch rest = *batch;
    heights_spots ahead[HEIGHTS_AHEAD];
    while (rest.count >= 4 && heights_adjacent(grid)) {
        int groups = rest.count / 4 < HEIGHTS_AHEAD ? (int)(rest.count / 4) : HEIGHTS_AHEAD;
        heights_prefetch(grid, &rest, groups, ahead);
        for (int g = 0; g < groups; g++) {
            heights_corners c = heights_load_adjacent(grid, ahead[g].offset);
            heights_answer(grid, &ahead[g], &c, &rest);
        }
    }
    lf__grid_heights_scalar(grid, &rest);
}

/// Corners of four consecutive cells, stored as steps.
TARGET static inline heights_corners heights_load_steps(const lf_grid *grid, const int32_t *steps) {
    __m256d of[4];
    for (int k = 0; k < 4; k++)
        of[k] = _mm256_cvtepi32_pd(_mm_loadu_si128((const __m128i *)(const void *)(steps + 4 * k)));
    __m256d low = _mm256_unpacklo_pd(of[0], of[1]), high = _mm256_unpackhi_pd(of[0], of[1]);
    __m256d low_next = _mm256_unpacklo_pd(of[2], of[3]), high_next = _mm256_unpackhi_pd(of[2], of[3]);
    heights_corners c = {
        _mm256_permute2f128_pd(low, low_next, 0x20), _mm256_permute2f128_pd(high, high_next, 0x20),
        _mm256_permute2f128_pd(low, low_next, 0x31), _mm256_permute2f128_pd(high, high_next, 0x31)};
    if (!grid->plain)
        c = (heights_corners){heights_scaled(grid, c.h00), heights_scaled(grid, c.h10),
                              heights_scaled(grid, c.h01), heights_scaled(grid, c.h11)};
    return c;
}

TARGET void lf__packed_heights_on_avx2(const lf_grid *view, const lf__heights_batch *batch,
                                       const int32_t *steps) {
    lf__heights_batch rest = *batch;
    for (; rest.count >= 4 && heights_small(view); steps += 16) {
        heights_spots s = {.falls = _mm256_setzero_pd()};
        heights_find(view, rest.points, rest.point_stride, &s);
        heights_corners c = heights_load_steps(view, steps);
        heights_answer(view, &s, &c, &rest);
    }
    lf__packed_heights_on_scalar(view, &rest, steps);
}
#undef TARGET
#endif
