/// Bare heights, four places at a time.
///
/// The same operations in the same order as lf__grid_at, so the same bits. Places on the lines between squares, in the ring or beside
/// holes, and heights that could be above or below the point by rounding alone, are asked one by one.
#include "grid/kernels.h"
#include "grid/packed.h"
#include <string.h>

/// The plain way: every height is a question.
static inline double height_at(const lf_grid *grid, const lf_vec3 *point, bool down) {
    lf_hit hit;
    lf__grid_ask_height(grid, point, down, &hit, NULL);
    return hit.kind == LF_HIT_NONE ? (double)NAN : hit.point.z;
}

void lf__grid_heights_plain(const lf_grid *grid, const lf_vec3 *points, size_t point_stride, int64_t count,
                            bool down, double *heights, size_t height_stride) {
    for (int64_t k = 0; k < count; k++) {
        const void *point = (const char *)points + (size_t)k * point_stride;
        *(double *)(void *)((char *)heights + (size_t)k * height_stride) = height_at(grid, point, down);
    }
}

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,fma")))

#define UNIT 0x1p-53

/// Squares of four points, and where in them.
typedef struct spots {
    __m256d z;
    __m256d u, v;      ///< in the square
    __m256d sure;      ///< inside of a square that has a surface; else all refers to square (0, 0)
    __m256d falls;     ///< only where the surface alternates
    int64_t offset[4]; ///< bytes to the first corners
} spots;

/// Heights of the corners of four cells.
typedef struct corners {
    __m256d h00, h10, h01, h11;
} corners;

TARGET static inline void load_points(const char *at, size_t stride, __m256d *x, __m256d *y, __m256d *z) {
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

/// lf__grid_place.
TARGET static inline void place_points(const lf_grid *grid, __m256d *x, __m256d *y) {
    __m256d east = _mm256_sub_pd(*x, _mm256_set1_pd(grid->geotransform.origin.x));
    __m256d north = _mm256_sub_pd(*y, _mm256_set1_pd(grid->geotransform.origin.y));
    *x = _mm256_mul_pd(_mm256_set1_pd(grid->a), east);
    *y = _mm256_mul_pd(_mm256_set1_pd(grid->d), north);
    if (grid->b != 0)
        *x = _mm256_add_pd(*x, _mm256_mul_pd(_mm256_set1_pd(grid->b), north));
    if (grid->c != 0)
        *y = _mm256_add_pd(_mm256_mul_pd(_mm256_set1_pd(grid->c), east), *y);
}

/// One axis: the square that a place is strictly inside of.
TARGET static inline __m128i square_of(__m256d at, int64_t squares, __m256d *share, __m256d *sure) {
    __m256d whole = _mm256_floor_pd(at), zero = _mm256_setzero_pd();
    *share = _mm256_sub_pd(at, whole);
    __m256d inside = _mm256_and_pd(_mm256_cmp_pd(whole, zero, _CMP_GE_OQ),
                                   _mm256_cmp_pd(whole, _mm256_set1_pd((double)squares), _CMP_LT_OQ));
    *sure = _mm256_and_pd(inside, _mm256_cmp_pd(*share, zero, _CMP_GT_OQ));
    return _mm256_cvttpd_epi32(_mm256_and_pd(whole, *sure));
}

/// Leaves out the squares that have a gap.
TARGET static inline void leave_gaps(const lf_grid *grid, __m128i columns, __m128i rows, spots *s) {
    int32_t i[4], j[4];
    int64_t solid[4];
    _mm_storeu_si128((__m128i *)(void *)i, columns);
    _mm_storeu_si128((__m128i *)(void *)j, rows);
    for (int k = 0; k < 4; k++)
        solid[k] = lf__grid_gap(grid, i[k], j[k]) ? 0 : -1;
    __m256i mask = _mm256_loadu_si256((const __m256i *)(const void *)solid);
    s->sure = _mm256_and_pd(s->sure, _mm256_castsi256_pd(mask));
}

TARGET static inline void find_squares(const lf_grid *grid, __m256d x, __m256d y, spots *s) {
    __m256d sure_x, sure_y;
    __m128i i = square_of(x, grid->cell_columns, &s->u, &sure_x);
    __m128i j = square_of(y, grid->cell_rows, &s->v, &sure_y);
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
        leave_gaps(grid, i, j, s);
}

/// Two floats that lie next to each other, of each of four places: the first ones and the second ones.
TARGET static inline void float_pairs(const char *base, const int64_t at[4], __m256d *first,
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
TARGET static inline void short_pairs(const char *base, const int64_t at[4], bool with_sign, __m256d *first,
                                      __m256d *second) {
    int32_t bits[4];
    for (int k = 0; k < 4; k++)
        memcpy(&bits[k], base + at[k], sizeof bits[k]);
    __m128i pairs = _mm_setr_epi32(bits[0], bits[1], bits[2], bits[3]), low = _mm_slli_epi32(pairs, 16);
    *first = _mm256_cvtepi32_pd(with_sign ? _mm_srai_epi32(low, 16) : _mm_srli_epi32(low, 16));
    *second = _mm256_cvtepi32_pd(with_sign ? _mm_srai_epi32(pairs, 16) : _mm_srli_epi32(pairs, 16));
}

TARGET static inline __m256d scaled(const lf_grid *grid, __m256d sample) {
    __m256d product = _mm256_mul_pd(sample, _mm256_set1_pd(grid->scale));
    return _mm256_add_pd(product, _mm256_set1_pd(grid->offset));
}

/// Corners of samples that lie side by side.
TARGET static inline corners load_packed(const lf_grid *grid, const int64_t at[4]) {
    const char *low = grid->values, *high = low + grid->row_step;
    corners c;
    if (grid->type == LF_SAMPLE_FLOAT) {
        float_pairs(low, at, &c.h00, &c.h10);
        float_pairs(high, at, &c.h01, &c.h11);
    } else {
        short_pairs(low, at, grid->type == LF_SAMPLE_INT16, &c.h00, &c.h10);
        short_pairs(high, at, grid->type == LF_SAMPLE_INT16, &c.h01, &c.h11);
    }
    if (!grid->plain)
        c = (corners){scaled(grid, c.h00), scaled(grid, c.h10), scaled(grid, c.h01), scaled(grid, c.h11)};
    return c;
}

TARGET static inline __m256d pick(__m256d otherwise, __m256d if_true, __m256d mask) {
    return _mm256_blendv_pd(otherwise, if_true, mask);
}

/// lf__grid_triangle_at and lf__triangle_height. u and v have no rounding, so that what decides is u against v in rising cells, and
/// in falling ones u + v against 1, of which only a rounded sum of 1 itself is not clear.
TARGET static inline __m256d falling_heights(const corners *c, const spots *s, __m256d *sure) {
    __m256d one = _mm256_set1_pd(1), sum = _mm256_add_pd(s->u, s->v);
    __m256d second = _mm256_cmp_pd(sum, one, _CMP_GT_OQ);
    *sure = _mm256_and_pd(*sure, _mm256_cmp_pd(sum, one, _CMP_NEQ_OQ));
    __m256d p = pick(c->h00, c->h11, second);
    __m256d a = pick(s->u, _mm256_sub_pd(one, s->v), second),
            b = pick(s->v, _mm256_sub_pd(one, s->u), second);
    __m256d start = _mm256_add_pd(p, _mm256_mul_pd(a, _mm256_sub_pd(c->h10, p)));
    return _mm256_add_pd(start, _mm256_mul_pd(b, _mm256_sub_pd(c->h01, p)));
}

TARGET static inline __m256d rising_heights(const corners *c, const spots *s) {
    __m256d one = _mm256_set1_pd(1), second = _mm256_cmp_pd(s->u, s->v, _CMP_LT_OQ);
    __m256d p = pick(c->h10, c->h01, second);
    __m256d a = _mm256_sub_pd(one, pick(s->u, s->v, second)), b = pick(s->v, s->u, second);
    __m256d start = _mm256_add_pd(p, _mm256_mul_pd(a, _mm256_sub_pd(c->h00, p)));
    return _mm256_add_pd(start, _mm256_mul_pd(b, _mm256_sub_pd(c->h11, p)));
}

/// lf__patch_height.
TARGET static inline __m256d patch_heights(const corners *c, const spots *s) {
    __m256d low = _mm256_add_pd(c->h00, _mm256_mul_pd(s->u, _mm256_sub_pd(c->h10, c->h00)));
    __m256d high = _mm256_add_pd(c->h01, _mm256_mul_pd(s->u, _mm256_sub_pd(c->h11, c->h01)));
    return _mm256_add_pd(low, _mm256_mul_pd(s->v, _mm256_sub_pd(high, low)));
}

/// The surface at four places, whatever it is.
TARGET static inline __m256d surface_heights(const lf_grid *grid, const corners *c, const spots *s,
                                             __m256d *sure) {
    if (grid->surface == LF_SURFACE_BILINEAR)
        return patch_heights(c, s);
    if (grid->surface == LF_SURFACE_RISING)
        return rising_heights(c, s);
    __m256d falling = falling_heights(c, s, sure);
    return grid->surface == LF_SURFACE_FALLING ? falling : pick(rising_heights(c, s), falling, s->falls);
}

/// NAN where the ground is on the other side; `sure` loses those of which rounding makes it unclear.
TARGET static inline __m256d on_this_side(const lf_grid *grid, __m256d z, bool down, __m256d height,
                                          __m256d *sure) {
    double size = 4 * fmax(fabs(grid->lowest), fabs(grid->highest));
    __m256d sign = _mm256_set1_pd(-0.0), difference = _mm256_sub_pd(z, height), zero = _mm256_setzero_pd();
    __m256d far = _mm256_min_pd(_mm256_andnot_pd(sign, z), _mm256_set1_pd(1e300)); // z may be infinite
    __m256d doubt = _mm256_mul_pd(_mm256_add_pd(far, _mm256_set1_pd(size)), _mm256_set1_pd(16 * UNIT));
    *sure = _mm256_and_pd(*sure, _mm256_cmp_pd(_mm256_andnot_pd(sign, difference), doubt, _CMP_GT_OQ));
    __m256d there =
        down ? _mm256_cmp_pd(difference, zero, _CMP_GT_OQ) : _mm256_cmp_pd(difference, zero, _CMP_LT_OQ);
    return pick(_mm256_set1_pd((double)NAN), height, there);
}

/// Places are computed for so many points before any post is read: by then the first ones are on their way.
#define AHEAD 8

/// Points first .. first + 4 * groups - 1.
TARGET static inline void look_ahead(const lf_grid *grid, const char *points, size_t stride, int groups,
                                     spots ahead[AHEAD]) {
    for (int g = 0; g < groups; g++) {
        spots *s = &ahead[g];
        __m256d x, y;
        load_points(points + (size_t)(4 * g) * stride, stride, &x, &y, &s->z);
        place_points(grid, &x, &y);
        find_squares(grid, x, y, s);
        for (int k = 0; k < 4; k++) {
            const char *at = grid->values + s->offset[k];
            __builtin_prefetch(at);
            __builtin_prefetch(at + grid->row_step);
        }
    }
}

/// Answers of four points by their corners; those in doubt are asked one by one.
TARGET static inline void answer_on(const lf_grid *grid, const spots *s, const corners *c, bool down,
                                    const char *points, size_t point_stride, double results[4]) {
    __m256d sure = s->sure, height = surface_heights(grid, c, s, &sure);
    __m256d found = on_this_side(grid, s->z, down, height, &sure);
    unsigned doubts = ~(unsigned)_mm256_movemask_pd(sure) & 0xf;
    _mm256_storeu_pd(results, found);
    for (; doubts; doubts &= doubts - 1) {
        int k = __builtin_ctz(doubts);
        results[k] = height_at(grid, (const void *)(points + (size_t)k * point_stride), down);
    }
}

static inline void store_four(char *heights, size_t stride, const double results[4]) {
    if (stride == sizeof(double)) {
        memcpy(heights, results, 4 * sizeof(double));
        return;
    }
    for (int k = 0; k < 4; k++)
        memcpy(heights + (size_t)k * stride, &results[k], sizeof(double));
}

TARGET static inline void answer(const lf_grid *grid, const spots *s, bool down, const char *points,
                                 size_t point_stride, char *heights, size_t height_stride) {
    corners c = load_packed(grid, s->offset);
    double results[4];
    answer_on(grid, s, &c, down, points, point_stride, results);
    store_four(heights, height_stride, results);
}

/// Cells that can be counted by 32 bits.
static bool small(const lf_grid *grid) {
    return grid->cell_columns < INT32_MAX / 4 && grid->cell_rows < INT32_MAX / 4;
}

/// Samples that lie side by side.
static bool packed(const lf_grid *grid) {
    bool pairs = (grid->type == LF_SAMPLE_FLOAT && grid->column_step == (ptrdiff_t)sizeof(float)) ||
                 ((grid->type == LF_SAMPLE_INT16 || grid->type == LF_SAMPLE_UINT16) &&
                  grid->column_step == (ptrdiff_t)sizeof(int16_t));
    return pairs && grid->surface != LF_SURFACE_POINT && small(grid);
}

TARGET void lf__grid_heights_avx2(const lf_grid *grid, const lf_vec3 *points, size_t point_stride,
                                  int64_t count, bool down, double *heights, size_t height_stride) {
    const char *from = (const char *)points;
    char *to = (char *)heights;
    spots ahead[AHEAD];
    while (count >= 4 && packed(grid)) {
        int groups = count / 4 < AHEAD ? (int)(count / 4) : AHEAD;
        look_ahead(grid, from, point_stride, groups, ahead);
        for (int g = 0; g < groups; g++) {
            answer(grid, &ahead[g], down, from, point_stride, to, height_stride);
            from += 4 * point_stride;
            to += 4 * height_stride;
        }
        count -= (int64_t)4 * groups;
    }
    lf__grid_heights_plain(grid, (const void *)from, point_stride, count, down, (void *)to, height_stride);
}

/// Corners of four cells that lie one behind the other, as steps.
TARGET static inline corners load_steps(const lf_grid *grid, const int32_t *steps) {
    __m256d of[4];
    for (int k = 0; k < 4; k++)
        of[k] = _mm256_cvtepi32_pd(_mm_loadu_si128((const __m128i *)(const void *)(steps + 4 * k)));
    __m256d low = _mm256_unpacklo_pd(of[0], of[1]), high = _mm256_unpackhi_pd(of[0], of[1]);
    __m256d low_next = _mm256_unpacklo_pd(of[2], of[3]), high_next = _mm256_unpackhi_pd(of[2], of[3]);
    corners c = {_mm256_permute2f128_pd(low, low_next, 0x20), _mm256_permute2f128_pd(high, high_next, 0x20),
                 _mm256_permute2f128_pd(low, low_next, 0x31), _mm256_permute2f128_pd(high, high_next, 0x31)};
    if (!grid->plain)
        c = (corners){scaled(grid, c.h00), scaled(grid, c.h10), scaled(grid, c.h01), scaled(grid, c.h11)};
    return c;
}

TARGET void lf__packed_heights_on_avx2(const lf_grid *view, const lf__heights_batch *batch,
                                       const int32_t *steps) {
    lf__heights_batch rest = *batch;
    const char *from = (const char *)batch->points;
    char *to = (char *)batch->heights;
    for (; rest.count >= 4 && small(view); rest.count -= 4, steps += 16) {
        spots s = {.falls = _mm256_setzero_pd()};
        __m256d x, y;
        double results[4];
        load_points(from, batch->point_stride, &x, &y, &s.z);
        place_points(view, &x, &y);
        find_squares(view, x, y, &s);
        corners c = load_steps(view, steps);
        answer_on(view, &s, &c, batch->down, from, batch->point_stride, results);
        store_four(to, batch->height_stride, results);
        from += 4 * batch->point_stride;
        to += 4 * batch->height_stride;
    }
    rest.points = (const lf_vec3 *)(const void *)from;
    rest.heights = (double *)(void *)to;
    lf__packed_heights_on_plain(view, &rest, steps);
}
#endif
