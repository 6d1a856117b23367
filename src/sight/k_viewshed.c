/// Viewsheds with AVX2 and AVX-512: bounds of bins, slopes of samples, and targets between their bounds.
#include "base/k_simd.h"
#include "sight/viewshed_sweep.h"

#if LF__SIMD
#include <math.h>
#include <string.h>

#define SIMD_TARGET LF__SIMD_TARGET

/// For functions whose flags are constants at the call.
#define SIMD_EACH SIMD_TARGET __attribute__((always_inline)) static inline

SIMD_TARGET static inline float greatest_of(__m256 x) {
    __m128 half = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    half = _mm_max_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_max_ss(half, _mm_shuffle_ps(half, half, 1)));
}

#define BINS_LANES 8
#define BINS_TARGET SIMD_TARGET
#include "sight/k_viewshed_bins.h"

void lf__chunk_avx2(lf__chunk *chunk) {
    chunk_8(chunk);
}

bool lf__flat_block_avx2(lf__chunk *chunk, int m) {
    return flat_8(chunk, m);
}

#if LF__X86
#define BINS_LANES 16
#define BINS_TARGET __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")))
#include "sight/k_viewshed_bins.h"

void lf__chunk_avx512(lf__chunk *chunk) {
    chunk_16(chunk);
}

bool lf__flat_block_avx512(lf__chunk *chunk, int m) {
    return flat_16(chunk, m);
}
#endif

// ---------------------------------------------------------------------------------------------------
// Slopes
// ---------------------------------------------------------------------------------------------------

/// Four consecutive samples.
SIMD_TARGET static inline __m256d four_samples(const lf__slope_row *row, const char *at) {
    ptrdiff_t step = row->step;
    if (row->type == LF_SAMPLE_FLOAT) {
        const float *p0 = (const void *)at, *p1 = (const void *)(at + step);
        const float *p2 = (const void *)(at + 2 * step), *p3 = (const void *)(at + 3 * step);
        return _mm256_cvtps_pd(step == (ptrdiff_t)sizeof(float) ? _mm_loadu_ps(p0)
                                                                : _mm_setr_ps(*p0, *p1, *p2, *p3));
    }
    if (row->type == LF_SAMPLE_INT16) {
        const int16_t *p0 = (const void *)at, *p1 = (const void *)(at + step);
        const int16_t *p2 = (const void *)(at + 2 * step), *p3 = (const void *)(at + 3 * step);
        if (step == (ptrdiff_t)sizeof(int16_t))
            return _mm256_cvtepi32_pd(_mm_cvtepi16_epi32(_mm_loadl_epi64((const __m128i *)(const void *)at)));
        return _mm256_cvtepi32_pd(_mm_setr_epi32(*p0, *p1, *p2, *p3));
    }
    return _mm256_setr_pd(lf__sample_read(row->type, at), lf__sample_read(row->type, at + step),
                          lf__sample_read(row->type, at + 2 * step),
                          lf__sample_read(row->type, at + 3 * step));
}

/// In doubles, for all types. `degree` is a constant at the call.
SIMD_EACH int slopes_of_degree(const lf__slope_row *row, float *slope, int degree) {
    const char *at = row->at;
    __m256d z = _mm256_set1_pd(row->z), per_a = _mm256_set1_pd(row->per_a), four = _mm256_set1_pd(4);
    __m256d b = _mm256_add_pd(_mm256_set1_pd(row->first), _mm256_setr_pd(0, 1, 2, 3));
    __m256d scale = _mm256_set1_pd(row->scale), offset = _mm256_set1_pd(row->offset);
    int k = 0;
    for (; k + 4 <= row->count || (k < row->count && k >= 4); k += 4, at += 4 * row->step) {
        if (k + 4 > row->count) { // the last four, some of them twice
            int back = k + 4 - row->count;
            k -= back;
            at -= back * row->step;
            b = _mm256_sub_pd(b, _mm256_set1_pd(back));
        }
        __m256d height = four_samples(row, at), less = _mm256_set1_pd(row->c[degree]);
        if (!row->plain)
            height = _mm256_add_pd(_mm256_mul_pd(height, scale), offset);
        for (int j = degree - 1; j >= 0; j--)
            less = _mm256_fmadd_pd(less, b, _mm256_set1_pd(row->c[j]));
        __m256d up = _mm256_fmsub_pd(_mm256_sub_pd(height, z), per_a, less);
        _mm_storeu_ps(&slope[k], _mm256_cvtpd_ps(up));
        b = _mm256_add_pd(b, four);
    }
    return k;
}

/// Eight consecutive samples, upwards or downwards in memory. The flags are constants at the call.
SIMD_EACH __m256 eight_samples(const char *at, bool integers, bool down) {
    if (integers) {
        __m128i eight = _mm_loadu_si128((const __m128i *)(const void *)(down ? at - 14 : at));
        if (down)
            eight =
                _mm_shuffle_epi8(eight, _mm_setr_epi8(14, 15, 12, 13, 10, 11, 8, 9, 6, 7, 4, 5, 2, 3, 0, 1));
        return _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(eight));
    }
    __m256 eight = _mm256_loadu_ps((const float *)(const void *)(down ? at - 28 : at));
    return down ? _mm256_permutevar8x32_ps(eight, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0)) : eight;
}

/// In floats: float_off (viewshed_fill.c) bounds the error.
SIMD_EACH void slopes_of_eight(const lf__slope_row *row, float *slope, int degree, bool integers, bool down) {
    __m256 z = _mm256_set1_ps(row->base.height), per_a = _mm256_set1_ps((float)row->per_a);
    __m256 lane = _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7),
           begin = _mm256_set1_ps((float)(row->first - (double)row->past)), c[LF__SERIES_USED + 1];
    for (int j = 0; j <= degree; j++)
        c[j] = _mm256_set1_ps(j == 0 ? row->base.less : (float)row->c[j]);
    for (int k = 0; k < row->count; k += 8) {
        k = k + 8 > row->count ? row->count - 8 : k; // the last eight, some of them twice
        __m256 here = _mm256_add_ps(_mm256_set1_ps((float)k + row->past), lane),
               b = _mm256_add_ps(here, begin), less = c[degree];
        for (int j = degree - 1; j >= 2; j--)
            less = _mm256_fmadd_ps(less, b, c[j]);
        less = _mm256_fmadd_ps(_mm256_mul_ps(less, b), b, _mm256_fmadd_ps(c[1], here, c[0]));
        __m256 height = _mm256_sub_ps(eight_samples(row->at + k * row->step, integers, down), z);
        _mm256_storeu_ps(&slope[k], _mm256_fmsub_ps(height, per_a, less));
    }
}

SIMD_EACH void slopes_in_floats(const lf__slope_row *row, float *slope, bool integers, bool down) {
    if (row->degree == 2)
        slopes_of_eight(row, slope, 2, integers, down);
    else
        slopes_of_eight(row, slope, LF__SERIES_USED, integers, down);
}

SIMD_TARGET void lf__slopes_avx2(const lf__slope_row *row, float *slope) {
    bool integers = row->type == LF_SAMPLE_INT16;
    ptrdiff_t size = integers ? (ptrdiff_t)sizeof(int16_t) : (ptrdiff_t)sizeof(float);
    if (row->in_floats && row->count >= 8 && (row->step == size || row->step == -size)) {
        if (integers && row->step > 0)
            slopes_in_floats(row, slope, true, false);
        else if (integers)
            slopes_in_floats(row, slope, true, true);
        else if (row->step > 0)
            slopes_in_floats(row, slope, false, false);
        else
            slopes_in_floats(row, slope, false, true);
        return;
    }
    int k =
        row->degree == 2 ? slopes_of_degree(row, slope, 2) : slopes_of_degree(row, slope, LF__SERIES_USED);
    lf__slope_row rest = *row;
    rest.at += k * row->step;
    rest.count -= k;
    rest.first += k;
    lf__slopes_scalar(&rest, slope + k);
}

#define BINS_LANES 8
#define BINS_TARGET SIMD_TARGET
#include "sight/k_viewshed_slopes.h"

void lf__slopes_of_ring_avx2(const lf__slope_row *row, float *slope, float range[2]) {
    slopes_8(row, slope, range);
}

#if LF__X86
#define BINS_LANES 16
#define BINS_TARGET __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")))
#include "sight/k_viewshed_slopes.h"

void lf__slopes_of_ring_avx512(const lf__slope_row *row, float *slope, float range[2]) {
    slopes_16(row, slope, range);
}
#endif

SIMD_TARGET bool lf__all_same_avx2(const char *at, int count, size_t size, const char *as) {
    int32_t pattern;
    memcpy(&pattern, as, sizeof pattern / 2);
    memcpy((char *)&pattern + sizeof pattern / 2, size == sizeof pattern ? as + sizeof pattern / 2 : as,
           sizeof pattern / 2);
    __m256i one = _mm256_set1_epi32(pattern);
    int bytes = count * (int)size;
    __m256i differ = _mm256_setzero_si256();
    for (int k = 0; k < bytes; k += 32) {
        k = k + 32 > bytes ? bytes - 32 : k; // the last ones, some of them twice
        differ = _mm256_or_si256(
            differ, _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)(const void *)(at + k)), one));
    }
    __m256i same = _mm256_cmpeq_epi32(differ, _mm256_setzero_si256());
    return _mm256_movemask_ps(_mm256_castsi256_ps(same)) == 255;
}

// ---------------------------------------------------------------------------------------------------
// Rows of the grid to rings of a tile
// ---------------------------------------------------------------------------------------------------

/// Swap rows and columns of eight by eight integers.
SIMD_TARGET static inline void spread_integers(const lf__spread *s, int ring) {
    __m128i x[8], y[8];
    for (int k = 0; k < 8; k++)
        x[k] = _mm_loadu_si128(
            (const __m128i *)(const void *)(s->from + k * s->step + (s->down ? -2 * (ring + 7) : 2 * ring)));
    for (int k = 0; k < 4; k++) {
        y[2 * k] = _mm_unpacklo_epi16(x[k], x[k + 4]);
        y[2 * k + 1] = _mm_unpackhi_epi16(x[k], x[k + 4]);
    }
    for (int k = 0; k < 4; k++) {
        x[2 * k] = _mm_unpacklo_epi16(y[k], y[k + 4]);
        x[2 * k + 1] = _mm_unpackhi_epi16(y[k], y[k + 4]);
    }
    for (int k = 0; k < 4; k++) {
        y[2 * k] = _mm_unpacklo_epi16(x[k], x[k + 4]);
        y[2 * k + 1] = _mm_unpackhi_epi16(x[k], x[k + 4]);
    }
    for (int k = 0; k < 8; k++)
        _mm_storeu_si128((__m128i *)(void *)(s->to + (ring + (s->down ? 7 - k : k)) * LF__RAW_ROW), y[k]);
}

/// Swap rows and columns of four by four floats.
SIMD_TARGET static inline void spread_floats(const lf__spread *s, int ring, int row) {
    __m128 x[4];
    for (int k = 0; k < 4; k++)
        x[k] = _mm_loadu_ps((const float *)(const void *)(s->from + (row + k) * s->step +
                                                          (s->down ? -4 * (ring + 3) : 4 * ring)));
    _MM_TRANSPOSE4_PS(x[0], x[1], x[2], x[3]);
    for (int k = 0; k < 4; k++)
        _mm_storeu_ps((float *)(void *)(s->to + (ring + (s->down ? 3 - k : k)) * LF__RAW_ROW + 4 * row),
                      x[k]);
}

SIMD_TARGET void lf__spread_avx2(const lf__spread *s) {
    // The next chunk reads as much behind that.
    ptrdiff_t ahead = s->down ? -(ptrdiff_t)(31 * s->size) : (ptrdiff_t)(32 * s->size) - 1;
    for (int k = 0; k < 8; k++)
        __builtin_prefetch(s->from + k * s->step + ahead);
    for (int ring = 0; ring < 16 && s->size == sizeof(int16_t); ring += 8)
        spread_integers(s, ring);
    for (int ring = 0; ring < 16 && s->size == sizeof(float); ring += 4) {
        spread_floats(s, ring, 0);
        spread_floats(s, ring, 4);
    }
}

#if LF__X86
/// Write eight bytes, unless they are 0.
SIMD_TARGET static inline void turn_store(uint8_t *to, __m128i row) {
    int64_t eight = _mm_cvtsi128_si64(row);
    if (eight)
        memcpy(to, &eight, sizeof eight);
}

SIMD_TARGET int64_t lf__turn_avx2(const uint8_t *out, int64_t rows, uint8_t *to, ptrdiff_t along,
                                  ptrdiff_t across) {
    int64_t row = 0;
    for (; row + 16 <= rows; row += 16) {
        __m128i x[8], y[8];
        for (int k = 0; k < 8; k++) // downwards in the plane: the last ring first
            x[k] = _mm_loadu_si128(
                (const __m128i *)(const void *)(out +
                                                (along < 0 ? 7 - k : k) * (LF__TILE_ROWS + LF__TILE_PAD) +
                                                row));
        for (int k = 0; k < 4; k++) { // rings k and k + 4 in turns
            y[2 * k] = _mm_unpacklo_epi8(x[k], x[k + 4]);
            y[2 * k + 1] = _mm_unpackhi_epi8(x[k], x[k + 4]);
        }
        for (int k = 0; k < 2; k++) // k, k + 2, k + 4 and k + 6
            for (int half = 0; half < 2; half++) {
                x[4 * k + 2 * half] = _mm_unpacklo_epi8(y[2 * k + half], y[2 * k + 4 + half]);
                x[4 * k + 2 * half + 1] = _mm_unpackhi_epi8(y[2 * k + half], y[2 * k + 4 + half]);
            }
        for (int four = 0; four < 4; four++) { // rows 4 * four .. 4 * four + 3
            uint8_t *at = to + (row + 4 * four) * across - (along < 0 ? 7 : 0);
            __m128i low = _mm_unpacklo_epi8(x[four], x[four + 4]),
                    high = _mm_unpackhi_epi8(x[four], x[four + 4]);
            turn_store(at, low);
            turn_store(at + across, _mm_unpackhi_epi64(low, low));
            turn_store(at + 2 * across, high);
            turn_store(at + 3 * across, _mm_unpackhi_epi64(high, high));
        }
    }
    return row;
}
#endif

// ---------------------------------------------------------------------------------------------------
// Sizes
// ---------------------------------------------------------------------------------------------------

SIMD_TARGET void lf__slope_range_avx2(const float *slope, int count, float range[2]) {
    __m256 size = _mm256_setzero_ps(), step = size, sign = _mm256_set1_ps(-0.0f);
    __m256 limit = _mm256_set1_ps(LF__VOID_LIMIT);
    if (count < 9) {
        lf__slope_range_scalar(slope, count, range);
        return;
    }
    for (int k = 0; k < count - 1; k += 8) { // NAN is skipped: max then returns its second operand
        k = k + 9 > count ? count - 9 : k;   // the last eight, some of them twice
        __m256 x = _mm256_loadu_ps(&slope[k]), next = _mm256_loadu_ps(&slope[k + 1]);
        __m256 is = _mm256_cmp_ps(x, limit, _CMP_GT_OQ), both = _mm256_cmp_ps(next, limit, _CMP_GT_OQ);
        __m256 d = _mm256_andnot_ps(sign, _mm256_sub_ps(next, x));
        size = _mm256_max_ps(_mm256_and_ps(_mm256_andnot_ps(sign, x), is), size);
        step = _mm256_max_ps(_mm256_and_ps(d, _mm256_and_ps(is, both)), step);
    }
    lf__slope_range_scalar(slope + count - 1, 1, range);
    range[0] = fmaxf(range[0], greatest_of(size));
    range[1] = fmaxf(range[1], greatest_of(step));
}

SIMD_TARGET float lf__greatest_size_avx2(const float *bounds, int count) {
    __m256 most = _mm256_setzero_ps(), limit = _mm256_set1_ps(0.5f * LF__FAR_SLOPE),
           sign = _mm256_set1_ps(-0.0f);
    for (int k = 0; k < count; k += 8) {
        k = k + 8 > count ? count - 8 : k; // the last eight, some of them twice
        __m256 size = _mm256_andnot_ps(sign, _mm256_loadu_ps(&bounds[k]));
        most = _mm256_max_ps(_mm256_and_ps(size, _mm256_cmp_ps(size, limit, _CMP_LT_OQ)), most);
    }
    return greatest_of(most);
}

SIMD_TARGET float lf__least_of_avx2(const float *bounds, int count) {
    __m256 least = _mm256_loadu_ps(bounds);
    for (int k = 8; k < count; k += 8) {
        k = k + 8 > count ? count - 8 : k; // the last eight, some of them twice
        least = _mm256_min_ps(least, _mm256_loadu_ps(&bounds[k]));
    }
    return -greatest_of(_mm256_sub_ps(_mm256_setzero_ps(), least));
}

// ---------------------------------------------------------------------------------------------------
// A target between its bounds: four rings at a time, in doubles
// ---------------------------------------------------------------------------------------------------

// Computes what lf__meet_scalar computes where squares are cut along one diagonal and samples are in memory;
// only rounding differs, within the target's own margin.

/// Rings of a chunk, the one before them, and space for writing four at once.
#define FOUR_SPACE (LF__CHUNK_RINGS + 8)

/// Where the direction crosses the rings.
typedef struct four_crossings {
    double a[FOUR_SPACE], whole[FOUR_SPACE], share[FOUR_SPACE];
    double low[FOUR_SPACE], high[FOUR_SPACE]; ///< heights above the observer of the samples before and after
} four_crossings;

/// What is the same for all rings.
typedef struct four_constants {
    const lf_grid *grid;
    const lf__sector *sector;
    __m256d v, z, oa, ob;
} four_constants;

SIMD_TARGET static inline __m128i four_clamp(__m128i x, int64_t count) {
    return _mm_min_epi32(_mm_max_epi32(x, _mm_setzero_si128()), _mm_set1_epi32((int)count - 1));
}

/// Samples at four places, given as byte offsets.
SIMD_TARGET static inline __m256d four_at(const lf_grid *grid, __m128i at) {
    const char *values = grid->values;
    if (grid->type == LF_SAMPLE_FLOAT)
        return _mm256_cvtps_pd(_mm_i32gather_ps((const float *)(const void *)values, at, 1));
    if (grid->type == LF_SAMPLE_DOUBLE)
        return _mm256_i32gather_pd((const double *)(const void *)values, at, 1);
    int32_t offset[4];
    _mm_storeu_si128((__m128i *)(void *)offset, at);
    if (grid->type == LF_SAMPLE_INT16) {
        const int16_t *p0 = (const void *)(values + offset[0]), *p1 = (const void *)(values + offset[1]);
        const int16_t *p2 = (const void *)(values + offset[2]), *p3 = (const void *)(values + offset[3]);
        return _mm256_cvtepi32_pd(_mm_setr_epi32(*p0, *p1, *p2, *p3));
    }
    const uint16_t *p0 = (const void *)(values + offset[0]), *p1 = (const void *)(values + offset[1]);
    const uint16_t *p2 = (const void *)(values + offset[2]), *p3 = (const void *)(values + offset[3]);
    return _mm256_cvtepi32_pd(_mm_setr_epi32(*p0, *p1, *p2, *p3));
}

/// Heights of four samples above the observer, one of each ring.
SIMD_TARGET static inline __m256d four_heights(const four_constants *c, __m128i ring, __m128i b) {
    const lf__sector *s = c->sector;
    const lf_grid *grid = c->grid;
    __m128i i = _mm_add_epi32(_mm_mullo_epi32(ring, _mm_set1_epi32(s->along.i)),
                              _mm_mullo_epi32(b, _mm_set1_epi32(s->across.i)));
    __m128i j = _mm_add_epi32(_mm_mullo_epi32(ring, _mm_set1_epi32(s->along.j)),
                              _mm_mullo_epi32(b, _mm_set1_epi32(s->across.j)));
    i = four_clamp(i, grid->columns); // beyond the border: never in the way
    j = four_clamp(j, grid->rows);
    __m128i at = _mm_add_epi32(_mm_mullo_epi32(i, _mm_set1_epi32((int)grid->column_step)),
                               _mm_mullo_epi32(j, _mm_set1_epi32((int)grid->row_step)));
    __m256d height = four_at(grid, at);
    if (!grid->plain)
        height =
            _mm256_add_pd(_mm256_mul_pd(height, _mm256_set1_pd(grid->scale)), _mm256_set1_pd(grid->offset));
    return _mm256_sub_pd(height, c->z);
}

SIMD_TARGET static inline void cross_four(const four_constants *c, int64_t first, int k, four_crossings *x) {
    __m128i ring = _mm_add_epi32(_mm_set1_epi32((int)first + k), _mm_setr_epi32(0, 1, 2, 3));
    __m256d a = _mm256_sub_pd(_mm256_cvtepi32_pd(ring), c->oa);
    __m256d place = _mm256_fmadd_pd(a, c->v, c->ob), whole = _mm256_floor_pd(place);
    __m128i b = _mm256_cvtpd_epi32(whole);
    _mm256_storeu_pd(&x->a[k], a);
    _mm256_storeu_pd(&x->whole[k], whole);
    _mm256_storeu_pd(&x->share[k], _mm256_sub_pd(place, whole));
    _mm256_storeu_pd(&x->low[k], four_heights(c, ring, b));
    _mm256_storeu_pd(&x->high[k], four_heights(c, ring, _mm_add_epi32(b, _mm_set1_epi32(1))));
}

/// Heights of ground and their distances.
typedef struct four_places {
    __m256d height, x;
} four_places;

/// The edges between four rings and those after them.
SIMD_TARGET static inline four_places passed_four(const four_crossings *x, int k) {
    __m256d one = _mm256_set1_pd(1), f0 = _mm256_loadu_pd(&x->share[k]),
            f1 = _mm256_loadu_pd(&x->share[k + 1]);
    __m256d step =
        _mm256_cmp_pd(_mm256_loadu_pd(&x->whole[k]), _mm256_loadu_pd(&x->whole[k + 1]), _CMP_NEQ_OQ);
    __m256d from = _mm256_blendv_pd(_mm256_loadu_pd(&x->low[k]), _mm256_loadu_pd(&x->high[k]), step);
    __m256d to = _mm256_blendv_pd(_mm256_loadu_pd(&x->high[k + 1]), _mm256_loadu_pd(&x->low[k + 1]), step);
    __m256d from_off = _mm256_blendv_pd(f0, _mm256_sub_pd(one, f0), step);
    __m256d to_off = _mm256_blendv_pd(_mm256_sub_pd(one, f1), f1, step);
    __m256d sum = _mm256_add_pd(from_off, to_off);
    __m256d wide = _mm256_cmp_pd(sum, _mm256_set1_pd(1e-9), _CMP_GT_OQ);
    __m256d share = _mm256_blendv_pd(_mm256_set1_pd(0.5), _mm256_div_pd(from_off, sum), wide);
    __m256d height = _mm256_fmadd_pd(_mm256_sub_pd(to, from), share, from);
    height = _mm256_blendv_pd(_mm256_max_pd(from, to), height, wide);
    return (four_places){height, _mm256_add_pd(_mm256_loadu_pd(&x->a[k]), share)};
}

/// Test ground at four places, of which some count.
SIMD_TARGET static inline void meet_four(lf__target *t, four_places p, int count) {
    __m256d rest = _mm256_sub_pd(_mm256_set1_pd(t->a), p.x);
    __m256d slope = _mm256_fnmadd_pd(_mm256_set1_pd(t->metric), rest, _mm256_set1_pd(t->slope));
    __m256d above = _mm256_fnmadd_pd(p.x, slope, p.height);
    int lanes = count >= 4 ? 15 : (1 << count) - 1;
    __m256d open = _mm256_set1_pd(-t->off - t->bulge), blocked = _mm256_set1_pd(t->off);
    t->open |= (_mm256_movemask_pd(_mm256_cmp_pd(above, open, _CMP_GE_OQ)) & lanes) != 0;
    t->blocked |= (_mm256_movemask_pd(_mm256_cmp_pd(above, blocked, _CMP_GT_OQ)) & lanes) != 0;
}

SIMD_TARGET void lf__meet_avx2(lf__target *t, int64_t first, int64_t last) {
    if (first == t->sector->first_ring || last - first >= LF__CHUNK_RINGS) {
        lf__meet_scalar(t, first, last);
        return;
    }
    const lf__sector *s = t->sector;
    four_constants c = {t->sweep->view->grid,  s,
                        _mm256_set1_pd(t->v),  _mm256_set1_pd(t->sweep->view->z),
                        _mm256_set1_pd(s->oa), _mm256_set1_pd(s->ob)};
    four_crossings x;
    int strips = (int)(last - first) + 1;
    for (int k = 0; k <= strips; k += 4)
        cross_four(&c, first - 1, k, &x);
    int beyond = strips / 4 * 4 + 4; // loaded, though it does not count
    x.a[beyond] = x.whole[beyond] = x.share[beyond] = x.low[beyond] = x.high[beyond] = 0;
    for (int k = 0; k < strips && !t->blocked; k += 4) {
        __m256d low = _mm256_loadu_pd(&x.low[k + 1]), high = _mm256_loadu_pd(&x.high[k + 1]);
        __m256d level = _mm256_fmadd_pd(_mm256_loadu_pd(&x.share[k + 1]), _mm256_sub_pd(high, low), low);
        meet_four(t, passed_four(&x, k), strips - k);
        meet_four(t, (four_places){level, _mm256_loadu_pd(&x.a[k + 1])}, strips - k);
    }
}

#if LF__X86
// ---------------------------------------------------------------------------------------------------
// The same, eight rings at a time in registers
// ---------------------------------------------------------------------------------------------------

#define EIGHT_EACH \
    __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma"), always_inline)) static inline

/// Strips between eight rings.
#define EIGHT_STRIPS 7

/// Samples at eight places, given as byte offsets.
EIGHT_EACH __m512d eight_at(const lf_grid *grid, __m256i at) {
    const char *values = grid->values;
    if (grid->type == LF_SAMPLE_FLOAT)
        return _mm512_cvtps_pd(_mm256_i32gather_ps((const float *)(const void *)values, at, 1));
    if (grid->type == LF_SAMPLE_DOUBLE)
        return _mm512_i32gather_pd(at, (const double *)(const void *)values, 1);
    int32_t offset[8];
    uint16_t sample[8];
    _mm256_storeu_si256((__m256i *)(void *)offset, at);
    for (int k = 0; k < 8; k++)
        memcpy(&sample[k], values + offset[k], sizeof sample[k]);
    __m128i all = _mm_loadu_si128((const __m128i *)(const void *)sample);
    return _mm512_cvtepi32_pd(grid->type == LF_SAMPLE_INT16 ? _mm256_cvtepi16_epi32(all)
                                                            : _mm256_cvtepu16_epi32(all));
}

EIGHT_EACH __m256i eight_clamp(__m256i x, int64_t count) {
    return _mm256_min_epi32(_mm256_max_epi32(x, _mm256_setzero_si256()), _mm256_set1_epi32((int)count - 1));
}

/// Heights of eight samples above the observer, one of each ring.
EIGHT_EACH __m512d eight_heights(const lf__target *t, __m256i ring, __m256i b) {
    const lf__sector *s = t->sector;
    const lf_grid *grid = t->sweep->view->grid;
    __m256i i = _mm256_add_epi32(_mm256_mullo_epi32(ring, _mm256_set1_epi32(s->along.i)),
                                 _mm256_mullo_epi32(b, _mm256_set1_epi32(s->across.i)));
    __m256i j = _mm256_add_epi32(_mm256_mullo_epi32(ring, _mm256_set1_epi32(s->along.j)),
                                 _mm256_mullo_epi32(b, _mm256_set1_epi32(s->across.j)));
    i = eight_clamp(i, grid->columns); // beyond the border: never in the way
    j = eight_clamp(j, grid->rows);
    __m512d height =
        eight_at(grid, _mm256_add_epi32(_mm256_mullo_epi32(i, _mm256_set1_epi32((int)grid->column_step)),
                                        _mm256_mullo_epi32(j, _mm256_set1_epi32((int)grid->row_step))));
    if (!grid->plain)
        height =
            _mm512_add_pd(_mm512_mul_pd(height, _mm512_set1_pd(grid->scale)), _mm512_set1_pd(grid->offset));
    return _mm512_sub_pd(height, _mm512_set1_pd(t->sweep->view->z));
}

/// The same of the ring after each.
EIGHT_EACH __m512d eight_next(__m512d x) {
    return _mm512_castsi512_pd(_mm512_alignr_epi64(_mm512_castpd_si512(x), _mm512_castpd_si512(x), 1));
}

/// Test ground at eight places, of which some count.
EIGHT_EACH void meet_eight(lf__target *t, __m512d height, __m512d x, __mmask8 lanes) {
    __m512d rest = _mm512_sub_pd(_mm512_set1_pd(t->a), x);
    __m512d slope = _mm512_fnmadd_pd(_mm512_set1_pd(t->metric), rest, _mm512_set1_pd(t->slope));
    __m512d above = _mm512_fnmadd_pd(x, slope, height);
    t->open |= _mm512_mask_cmp_pd_mask(lanes, above, _mm512_set1_pd(-t->off - t->bulge), _CMP_GE_OQ) != 0;
    t->blocked |= _mm512_mask_cmp_pd_mask(lanes, above, _mm512_set1_pd(t->off), _CMP_GT_OQ) != 0;
}

/// Up to EIGHT_STRIPS strips, the first of them behind a ring.
EIGHT_EACH void meet_strips(lf__target *t, int64_t before, int strips) {
    const __m512d one = _mm512_set1_pd(1);
    __m256i ring =
        _mm256_add_epi32(_mm256_set1_epi32((int)before), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    __m512d a = _mm512_sub_pd(_mm512_cvtepi32_pd(ring), _mm512_set1_pd(t->sector->oa));
    __m512d place = _mm512_fmadd_pd(a, _mm512_set1_pd(t->v), _mm512_set1_pd(t->sector->ob));
    __m512d whole = _mm512_roundscale_pd(place, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    __m512d f0 = _mm512_sub_pd(place, whole), f1 = eight_next(f0);
    __m256i b = _mm512_cvtpd_epi32(whole);
    __m512d low = eight_heights(t, ring, b),
            high = eight_heights(t, ring, _mm256_add_epi32(b, _mm256_set1_epi32(1)));
    __mmask8 step = _mm512_cmp_pd_mask(whole, eight_next(whole), _CMP_NEQ_OQ);
    __m512d from = _mm512_mask_blend_pd(step, low, high),
            to = _mm512_mask_blend_pd(step, eight_next(high), eight_next(low));
    __m512d from_off = _mm512_mask_blend_pd(step, f0, _mm512_sub_pd(one, f0)),
            to_off = _mm512_mask_blend_pd(step, _mm512_sub_pd(one, f1), f1);
    __m512d sum = _mm512_add_pd(from_off, to_off);
    __mmask8 wide = _mm512_cmp_pd_mask(sum, _mm512_set1_pd(1e-9), _CMP_GT_OQ);
    __m512d share = _mm512_mask_div_pd(_mm512_set1_pd(0.5), wide, from_off, sum);
    __m512d height = _mm512_mask_mov_pd(_mm512_max_pd(from, to), wide,
                                        _mm512_fmadd_pd(_mm512_sub_pd(to, from), share, from));
    __mmask8 lanes = (__mmask8)((1 << strips) - 1);
    meet_eight(t, height, _mm512_add_pd(a, share), lanes);
    meet_eight(t, _mm512_fmadd_pd(f0, _mm512_sub_pd(high, low), low), a, (__mmask8)(lanes << 1));
}

__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma"))) void
lf__meet_avx512(lf__target *t, int64_t first, int64_t last) {
    if (first == t->sector->first_ring) {
        lf__meet_scalar(t, first, last);
        return;
    }
    for (int64_t left; (left = last - first + 1) > 0 && !t->blocked; first += EIGHT_STRIPS)
        meet_strips(t, first - 1, left < EIGHT_STRIPS ? (int)left : EIGHT_STRIPS);
}
#endif

#endif
