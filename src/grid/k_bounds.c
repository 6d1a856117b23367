/// Bounds from blocks of contiguous floats: ranges, codes of tops and bottoms, the steepest step, tilted planes.
///
/// The loops over samples have a scalar version, one for vectors, and some one for AVX-512; what follows from them is one function of C that
/// is compiled for each. All operations round alike everywhere, so that all give the same bits.
#include "base/k_simd.h"
#include "grid/grid_kernels.h"
#include <string.h>
#if LF__X86
#define BOUNDS_512 __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")))
#endif

#define BOUNDS_SIDE LF__BOUNDS_SIDE

#define BOUNDS_INLINE static inline __attribute__((always_inline))

// ---------------------------------------------------------------------------------------------------
// Ranges
// ---------------------------------------------------------------------------------------------------

/// Rows are read from end to end, because a processor foresees that: in blocks it takes twice the time.
static void bounds_ranges_scalar(const float *row, int64_t blocks, float nodata, lf__bounds_lanes *lanes) {
    for (int64_t b = 0; b < blocks; b++, lanes++)
        for (int i = 0; i < BOUNDS_SIDE; i++) {
            float value = row[b * BOUNDS_SIDE + i];
            int k = i % LF__BOUNDS_LANES;
            lanes->low[k] = value < lanes->low[k] ? value : lanes->low[k];
            lanes->high[k] = value > lanes->high[k] ? value : lanes->high[k];
            lanes->zero[k] += value == nodata ? NAN : value * 0;
        }
}

#if LF__SIMD
LF__SIMD_TARGET static void bounds_ranges_avx2(const float *row, int64_t blocks, float nodata,
                                               lf__bounds_lanes *lanes) {
    const __m256 zero = _mm256_setzero_ps(), none = _mm256_set1_ps(nodata);
    for (int64_t b = 0; b < blocks; b++, row += BOUNDS_SIDE)
        for (int k = 0; k < LF__BOUNDS_LANES; k += 8) {
            __m256 low = _mm256_loadu_ps(lanes[b].low + k), high = _mm256_loadu_ps(lanes[b].high + k),
                   sum = _mm256_loadu_ps(lanes[b].zero + k);
            for (int i = k; i < BOUNDS_SIDE; i += LF__BOUNDS_LANES) {
                __m256 a = _mm256_loadu_ps(row + i);
                if (k == 0)
                    __builtin_prefetch(
                        (const void *)((uintptr_t)row + (uintptr_t)(4 * BOUNDS_SIDE + i) * sizeof *row), 0,
                        2);
                low = _mm256_min_ps(a, low);
                high = _mm256_max_ps(a, high);
                // All bits are set, a NaN, where a value is nodata.
                sum = _mm256_or_ps(_mm256_fmadd_ps(a, zero, sum), _mm256_cmp_ps(a, none, _CMP_EQ_OQ));
            }
            _mm256_storeu_ps(lanes[b].low + k, low);
            _mm256_storeu_ps(lanes[b].high + k, high);
            _mm256_storeu_ps(lanes[b].zero + k, sum);
        }
}
#endif

lf__bounds_lanes lf__bounds_lanes_start(void) {
    lf__bounds_lanes lanes;
    for (int k = 0; k < LF__BOUNDS_LANES; k++) {
        lanes.low[k] = LF_INFINITY;
        lanes.high[k] = -LF_INFINITY;
        lanes.zero[k] = 0;
    }
    return lanes;
}

bool lf__bounds_lanes_range(const lf__bounds_lanes *lanes, float range[2]) {
    bool fine = true;
    range[0] = LF_INFINITY;
    range[1] = -LF_INFINITY;
    for (int k = 0; k < LF__BOUNDS_LANES; k++) {
        range[0] = lanes->low[k] < range[0] ? lanes->low[k] : range[0];
        range[1] = lanes->high[k] > range[1] ? lanes->high[k] : range[1];
        fine &= lanes->zero[k] == 0;
    }
    return fine;
}

// ---------------------------------------------------------------------------------------------------
// Codes
// ---------------------------------------------------------------------------------------------------

/// A code is computed with an error of less than 2^-12, because the quantum is at least 2^-40 of heights: so the code for this
/// much less is the one for the height, or the one before.
#define BOUNDS_DOUBT 0x1p-8

/// lf__grid_top_code of heights within the range of the grid.
BOUNDS_INLINE void bounds_top_codes(const lf__bounds_scale *s, const float *heights, int count,
                                    uint16_t *codes) {
    for (int i = 0; i < count; i++) {
        double height = (double)heights[i];
        int32_t code = (int32_t)((height - s->base) * s->per_quantum + (1 - BOUNDS_DOUBT));
        code += s->base + (double)code * s->quantum < height;
        codes[i] = (uint16_t)code;
    }
}

/// lf__grid_bottom_code of such heights.
BOUNDS_INLINE void bounds_bottom_codes(const lf__bounds_scale *s, const float *heights, int count,
                                       uint16_t *codes) {
    for (int i = 0; i < count; i++) {
        double height = (double)heights[i];
        int32_t code = (int32_t)((height - s->base) * s->per_quantum + BOUNDS_DOUBT);
        code -= s->base + (double)code * s->quantum > height;
        codes[i] = (uint16_t)code;
    }
}

/// Join neighbours until there is one value for every 2^level; count is of the values.
BOUNDS_INLINE void bounds_join_high(float *values, int count, int level) {
    for (int l = 0; l < level; l++) {
        count /= 2;
        float joined[BOUNDS_SIDE / 2];
        for (int i = 0; i < count; i++)
            joined[i] = values[2 * i] > values[2 * i + 1] ? values[2 * i] : values[2 * i + 1];
        memcpy(values, joined, (size_t)count * sizeof *values);
    }
}

BOUNDS_INLINE void bounds_join_low(float *values, int count, int level) {
    for (int l = 0; l < level; l++) {
        count /= 2;
        float joined[BOUNDS_SIDE / 2];
        for (int i = 0; i < count; i++)
            joined[i] = values[2 * i] < values[2 * i + 1] ? values[2 * i] : values[2 * i + 1];
        memcpy(values, joined, (size_t)count * sizeof *values);
    }
}

/// What follows from nine rows of 65 samples: the highest of every two rows of blocks and their next neighbours, the lowest of
/// all, the largest steps to the right and down, but for those of the last column.
typedef struct bounds_fold {
    float high[LF__BOUNDS_GROUP][BOUNDS_SIDE], low[BOUNDS_SIDE], steep[BOUNDS_SIDE];
} bounds_fold;

static void bounds_fold_scalar(const float *const *rows, int level, bounds_fold *f) {
    for (int i = 0; i < BOUNDS_SIDE; i++) {
        float high = -LF_INFINITY, low = LF_INFINITY, steep = 0;
        for (int j = 0; j <= LF__BOUNDS_GROUP; j++) {
            float a = rows[j][i], b = rows[j][i + 1], more = a > b ? a : b, less = a < b ? a : b;
            float along = more - less, across = j > 0 ? fabsf(a - rows[j - 1][i]) : 0;
            low = less < low ? less : low;
            high = more > high ? more : high;
            steep = along > steep ? along : steep;
            steep = across > steep ? across : steep;
            if (j > 0 && (j & ((1 << level) - 1)) == 0) {
                f->high[(j >> level) - 1][i] = high;
                high = more;
            }
        }
        f->low[i] = low;
        f->steep[i] = steep;
    }
}

#if LF__SIMD
/// Rows of a block are far apart, which no processor foresees: the same columns of the next block are requested.
LF__SIMD_TARGET BOUNDS_INLINE void bounds_fold_avx2(const float *const *rows, int level, bounds_fold *f) {
    const __m256 sign = _mm256_set1_ps(-0.0f);
    for (int i = 0; i < BOUNDS_SIDE; i += 8) {
        __m256 above = _mm256_loadu_ps(rows[0] + i), beside = _mm256_loadu_ps(rows[0] + i + 1);
        __m256 high = _mm256_max_ps(above, beside), low = _mm256_min_ps(above, beside);
        __m256 steep = _mm256_sub_ps(high, low);
        for (int j = 1; j <= LF__BOUNDS_GROUP; j++) {
            __m256 a = _mm256_loadu_ps(rows[j] + i), b = _mm256_loadu_ps(rows[j] + i + 1);
            __m256 more = _mm256_max_ps(a, b), less = _mm256_min_ps(a, b);
            __m256 across = _mm256_andnot_ps(sign, _mm256_sub_ps(a, above));
            if (i % 16 == 0)
                __builtin_prefetch(
                    (const void *)((uintptr_t)rows[j] + (uintptr_t)(BOUNDS_SIDE + i) * sizeof(float)), 0, 2);
            steep = _mm256_max_ps(steep, _mm256_max_ps(_mm256_sub_ps(more, less), across));
            low = _mm256_min_ps(low, less);
            high = _mm256_max_ps(high, more);
            above = a;
            if ((j & ((1 << level) - 1)) == 0) {
                _mm256_storeu_ps(f->high[(j >> level) - 1] + i, high);
                high = more;
            }
        }
        _mm256_storeu_ps(f->low + i, low);
        _mm256_storeu_ps(f->steep + i, steep);
    }
}
#endif

#if LF__X86
BOUNDS_512 BOUNDS_INLINE void bounds_fold_avx512(const float *const *rows, int level, bounds_fold *f) {
    for (int i = 0; i < BOUNDS_SIDE; i += 16) {
        __m512 above = _mm512_loadu_ps(rows[0] + i), beside = _mm512_loadu_ps(rows[0] + i + 1);
        __m512 high = _mm512_max_ps(above, beside), low = _mm512_min_ps(above, beside);
        __m512 steep = _mm512_sub_ps(high, low);
        for (int j = 1; j <= LF__BOUNDS_GROUP; j++) {
            __m512 a = _mm512_loadu_ps(rows[j] + i), b = _mm512_loadu_ps(rows[j] + i + 1);
            __m512 more = _mm512_max_ps(a, b), less = _mm512_min_ps(a, b);
            __m512 across = _mm512_abs_ps(_mm512_sub_ps(a, above));
            __builtin_prefetch(
                (const void *)((uintptr_t)rows[j] + (uintptr_t)(BOUNDS_SIDE + i) * sizeof(float)), 0, 2);
            steep = _mm512_max_ps(steep, _mm512_max_ps(_mm512_sub_ps(more, less), across));
            low = _mm512_min_ps(low, less);
            high = _mm512_max_ps(high, more);
            above = a;
            if ((j & ((1 << level) - 1)) == 0) {
                _mm512_storeu_ps(f->high[(j >> level) - 1] + i, high);
                high = more;
            }
        }
        _mm512_storeu_ps(f->low + i, low);
        _mm512_storeu_ps(f->steep + i, steep);
    }
}
#endif

/// Eight rows of squares: rows[0] .. rows[8].
BOUNDS_INLINE void bounds_group(const float *const *rows, int level, const lf__bounds_scale *scale,
                                bounds_fold *f, float *steepest, lf__bounds_codes *codes) {
    for (int j = 0; j < LF__BOUNDS_GROUP >> level; j++) {
        bounds_join_high(f->high[j], BOUNDS_SIDE, level);
        bounds_top_codes(scale, f->high[j], BOUNDS_SIDE >> level, codes->top[j]);
    }
    float most[8] = {*steepest};
    for (int j = 1; j <= LF__BOUNDS_GROUP; j++) {
        float across = fabsf(rows[j][BOUNDS_SIDE] - rows[j - 1][BOUNDS_SIDE]);
        most[0] = across > most[0] ? across : most[0];
    }
    for (int i = 0; i < BOUNDS_SIDE; i += 8)
        for (int k = 0; k < 8; k++)
            most[k] = f->steep[i + k] > most[k] ? f->steep[i + k] : most[k];
    for (int k = 0; k < 8; k++)
        *steepest = most[k] > *steepest ? most[k] : *steepest;
    bounds_join_low(f->low, BOUNDS_SIDE, LF__GRID_BOTTOM);
    bounds_bottom_codes(scale, f->low, BOUNDS_SIDE >> LF__GRID_BOTTOM, codes->bottom);
}

// ---------------------------------------------------------------------------------------------------
// Planes
// ---------------------------------------------------------------------------------------------------

/// The tilt is computed from every second row, and without the last column.
#define BOUNDS_EVERY 2

/// Moments of heights less `off`: sums of columns, and in lanes the sums of rows times their distance from the middle.
typedef struct bounds_moments {
    float columns[BOUNDS_SIDE], rows[8];
} bounds_moments;

static void bounds_moments_scalar(const lf__bounds_rows *rows, float off, bounds_moments *m) {
    for (int i = 0; i < BOUNDS_SIDE; i++)
        m->columns[i] = 0;
    for (int k = 0; k < 8; k++)
        m->rows[k] = 0;
    for (int j = 0; j <= BOUNDS_SIDE; j += BOUNDS_EVERY) {
        float sum[8] = {0};
        for (int i = 0; i < BOUNDS_SIDE; i++) {
            float height = rows->at[j][i] - off;
            m->columns[i] += height;
            sum[i % 8] += height;
        }
        for (int k = 0; k < 8; k++)
            m->rows[k] += sum[k] * (float)(j - BOUNDS_SIDE / 2);
    }
}

#if LF__SIMD
LF__SIMD_TARGET static void bounds_moments_avx2(const lf__bounds_rows *rows, float off, bounds_moments *m) {
    __m256 columns[BOUNDS_SIDE / 8], all = _mm256_setzero_ps(), less = _mm256_set1_ps(off);
    for (int k = 0; k < BOUNDS_SIDE / 8; k++)
        columns[k] = _mm256_setzero_ps();
    for (int j = 0; j <= BOUNDS_SIDE; j += BOUNDS_EVERY) {
        __m256 sum = _mm256_setzero_ps();
        for (int k = 0; k < BOUNDS_SIDE / 8; k++) {
            __m256 height = _mm256_sub_ps(_mm256_loadu_ps(rows->at[j] + 8 * k), less);
            columns[k] = _mm256_add_ps(columns[k], height);
            sum = _mm256_add_ps(sum, height);
        }
        all = _mm256_add_ps(all, _mm256_mul_ps(sum, _mm256_set1_ps((float)(j - BOUNDS_SIDE / 2))));
    }
    for (int k = 0; k < BOUNDS_SIDE / 8; k++)
        _mm256_storeu_ps(m->columns + 8 * k, columns[k]);
    _mm256_storeu_ps(m->rows, all);
}
#endif

/// The slopes of a least-squares plane.
BOUNDS_INLINE void bounds_tilt(const bounds_moments *m, lf__grid_plane *plane) {
    const double middle = 0.5 * (BOUNDS_SIDE - 1), half = BOUNDS_SIDE / 2;
    double x = 0, y = 0, xx = 0, yy = 0;
    for (int i = 0; i < BOUNDS_SIDE; i++) {
        x += (i - middle) * (double)m->columns[i];
        xx += (i - middle) * (i - middle);
    }
    for (int k = 0; k < 8; k++)
        y += (double)m->rows[k];
    for (int j = 0; j <= BOUNDS_SIDE; j += BOUNDS_EVERY)
        yy += (j - half) * (j - half);
    plane->rise_x = (float)(x / (xx * (BOUNDS_SIDE / BOUNDS_EVERY + 1)));
    plane->rise_y = (float)(y / (yy * BOUNDS_SIDE));
}

/// The greatest height of each column above `level` of its row.
static void bounds_over_scalar(const lf__bounds_rows *rows, const float *level, float *most) {
    for (int i = 0; i < BOUNDS_SIDE; i++)
        most[i] = rows->at[0][i] - level[0];
    for (int j = 1; j <= BOUNDS_SIDE; j++)
        for (int i = 0; i < BOUNDS_SIDE; i++) {
            float over = rows->at[j][i] - level[j];
            most[i] = over > most[i] ? over : most[i];
        }
}

#if LF__SIMD
LF__SIMD_TARGET static void bounds_over_avx2(const lf__bounds_rows *rows, const float *level, float *most) {
    for (int i = 0; i < BOUNDS_SIDE; i += 32) {
        __m256 first = _mm256_set1_ps(level[0]), over[4];
        for (int k = 0; k < 4; k++)
            over[k] = _mm256_sub_ps(_mm256_loadu_ps(rows->at[0] + i + 8 * k), first);
        for (int j = 1; j <= BOUNDS_SIDE; j++) {
            __m256 here = _mm256_set1_ps(level[j]);
            for (int k = 0; k < 4; k++)
                over[k] =
                    _mm256_max_ps(_mm256_sub_ps(_mm256_loadu_ps(rows->at[j] + i + 8 * k), here), over[k]);
        }
        for (int k = 0; k < 4; k++)
            _mm256_storeu_ps(most + i + 8 * k, over[k]);
    }
}
#endif

#if LF__X86
BOUNDS_512 BOUNDS_INLINE void bounds_over_avx512(const lf__bounds_rows *rows, const float *level,
                                                 float *most) {
    __m512 first = _mm512_set1_ps(level[0]), over[BOUNDS_SIDE / 16];
    for (int k = 0; k < BOUNDS_SIDE / 16; k++)
        over[k] = _mm512_sub_ps(_mm512_loadu_ps(rows->at[0] + 16 * k), first);
    for (int j = 1; j <= BOUNDS_SIDE; j++) {
        __m512 here = _mm512_set1_ps(level[j]);
        for (int k = 0; k < BOUNDS_SIDE / 16; k++)
            over[k] = _mm512_max_ps(_mm512_sub_ps(_mm512_loadu_ps(rows->at[j] + 16 * k), here), over[k]);
    }
    for (int k = 0; k < BOUNDS_SIDE / 16; k++)
        _mm512_storeu_ps(most + 16 * k, over[k]);
}

#define bounds_moments_avx512 bounds_moments_avx2 // sums in eight lanes
#endif

/// The levels of rows along the tilt.
BOUNDS_INLINE void bounds_levels(float off, const lf__grid_plane *plane, float level[BOUNDS_SIDE + 1]) {
    for (int j = 0; j <= BOUNDS_SIDE; j++)
        level[j] = (float)((double)off + (double)plane->rise_y * (j - BOUNDS_SIDE / 2));
}

/// The top, from heights above the levels of their rows. Four roundings are each at most 2^-24 of a level, twice of a height
/// above one, and of the rise to a column; heights far below the top do not matter. The margin is twice that, and for
/// where the plane is used.
BOUNDS_INLINE void bounds_raise(const lf__bounds_rows *rows, const float *level, const float *most, float off,
                                double size, lf__grid_plane *plane) {
    const int half = BOUNDS_SIDE / 2;
    float top = -LF_INFINITY, rise = plane->rise_x;
    for (int j = 0; j <= BOUNDS_SIDE; j++) {
        float over = rows->at[j][BOUNDS_SIDE] - level[j];
        top = over > top ? over : top;
    }
    top -= rise * (float)half;
    for (int i = 0; i < BOUNDS_SIDE; i++) {
        float over = most[i] - rise * (float)(i - half);
        top = over > top ? over : top;
    }
    double rise_x = fabs((double)rise), rise_y = fabs((double)plane->rise_y);
    double margin = fabs((double)off) + half * rise_y + 2 * fabs((double)top) + 2 * half * rise_x;
    plane->top =
        (double)off + (double)top + 0x1p-23 * margin + 0x1p-45 * (size + 2 * BOUNDS_SIDE * (rise_x + rise_y));
}

// ---------------------------------------------------------------------------------------------------
// The tables
// ---------------------------------------------------------------------------------------------------

#define BOUNDS_GROUPS(isa, level)                                          \
    for (int g = 0; g < rows->count - 1; g += LF__BOUNDS_GROUP, codes++) { \
        bounds_fold_##isa(rows->at + g, level, &fold);                     \
        bounds_group(rows->at + g, level, scale, &fold, steepest, codes);  \
    }

#define BOUNDS_KERNELS(isa, attribute)                                                                     \
    attribute static void bounds_codes_##isa(const lf__bounds_rows *rows, int level,                       \
                                             const lf__bounds_scale *scale, float *steepest,               \
                                             lf__bounds_codes *codes) {                                    \
        bounds_fold fold;                                                                                  \
        if (level == 0)                                                                                    \
            BOUNDS_GROUPS(isa, 0)                                                                          \
        else if (level == 1)                                                                               \
            BOUNDS_GROUPS(isa, 1)                                                                          \
        else if (level == 2)                                                                               \
            BOUNDS_GROUPS(isa, 2)                                                                          \
        else                                                                                               \
            BOUNDS_GROUPS(isa, 3)                                                                          \
    }                                                                                                      \
    attribute static void bounds_plane_##isa(const lf__bounds_rows *rows, double size,                     \
                                             lf__grid_plane *plane) {                                      \
        float level[BOUNDS_SIDE + 1], most[BOUNDS_SIDE], off = rows->at[BOUNDS_SIDE / 2][BOUNDS_SIDE / 2]; \
        bounds_moments moments;                                                                            \
        bounds_moments_##isa(rows, off, &moments);                                                         \
        bounds_tilt(&moments, plane);                                                                      \
        bounds_levels(off, plane, level);                                                                  \
        bounds_over_##isa(rows, level, most);                                                              \
        bounds_raise(rows, level, most, off, size, plane);                                                 \
    }

#define BOUNDS_NO_ATTRIBUTE
BOUNDS_KERNELS(scalar, BOUNDS_NO_ATTRIBUTE)
#if LF__SIMD
BOUNDS_KERNELS(avx2, LF__SIMD_TARGET)
#endif
#if LF__X86
BOUNDS_KERNELS(avx512, BOUNDS_512)
#undef bounds_moments_avx512
#endif

const lf__bounds_kernels *lf__bounds_kernels_for(lf_isa isa) {
    static const lf__bounds_kernels scalar = {bounds_ranges_scalar, bounds_codes_scalar, bounds_plane_scalar};
#if LF__SIMD
    static const lf__bounds_kernels avx2 = {bounds_ranges_avx2, bounds_codes_avx2, bounds_plane_avx2};
#if LF__X86
    static const lf__bounds_kernels avx512 = {bounds_ranges_avx2, bounds_codes_avx512, bounds_plane_avx512};
    if (isa >= LF_ISA_AVX512)
        return &avx512;
#endif
    if (isa >= LF_ISA_AVX2)
        return &avx2;
#endif
    (void)isa;
    return &scalar;
}
