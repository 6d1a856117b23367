/// Groups of boxes against planes, scalar, AVX2 and AVX-512: the same operations in the same order, and so the same
/// results.
#include "scene/cull.h"
#include <math.h>
#include <stddef.h>

void lf__cull_choose_sides(lf__cull_planes *p) {
    const int low = (int)(offsetof(lf__cull_group, low) / sizeof(float)),
              high = (int)(offsetof(lf__cull_group, high) / sizeof(float));
    for (int k = 0; k < p->count; k++)
        for (int axis = 0; axis < 3; axis++) {
            bool up = p->normal[k][axis] > 0;
            p->deep[k][axis] = (up ? low : high) + axis * LF__GROUP;
            p->far[k][axis] = (up ? high : low) + axis * LF__GROUP;
        }
}

/// All floats of a group, from its first on.
static inline const float *floats_of(const lf__cull_group *group) {
    return (const float *)(const void *)group;
}

static inline float k_cull_most(float a, float b) {
    return a > b ? a : b;
}

/// Too small: the diagonal is below a share of the distance of the nearest point.
static bool too_small(const lf__cull_planes *p, const lf__cull_group *group, int i) {
    float sum = 0;
    for (int k = 0; k < 3; k++) {
        float gap = k_cull_most(k_cull_most(group->low[k][i] - p->eye[k], p->eye[k] - group->high[k][i]), 0);
        sum = sum + gap * gap;
    }
    float distance = sqrtf(sum) - p->eye_slack;
    return group->diagonal[i] < distance * p->smallest;
}

static void cull_test_scalar(const lf__cull_planes *p, unsigned mask, const lf__cull_group *group, bool inner,
                             lf__cull_found *found) {
    uint64_t kept = group->alive;
    for (int k = 0; k < p->count; k++) {
        found->crossing[k] = 0;
        if (!(mask >> k & 1))
            continue;
        const float *n = p->normal[k], *all = floats_of(group);
        const int *d = p->deep[k], *f = p->far[k];
        for (int i = 0; i < LF__GROUP; i++) {
            float deep = lf__fmaf(n[2], all[d[2] + i], lf__fmaf(n[1], all[d[1] + i], n[0] * all[d[0] + i]));
            if (deep > p->outside[k])
                kept &= ~((uint64_t)1 << i);
            if (!inner)
                continue;
            float far = lf__fmaf(n[2], all[f[2] + i], lf__fmaf(n[1], all[f[1] + i], n[0] * all[f[0] + i]));
            if (far > p->inside[k])
                found->crossing[k] |= (uint64_t)1 << i;
        }
    }
    for (int i = 0; i < LF__GROUP && p->smallest > 0; i++)
        if (too_small(p, group, i))
            kept &= ~((uint64_t)1 << i);
    found->kept = kept;
}

static int64_t cull_note_scalar(const lf__cull_order *order, const uint32_t *things, uint64_t lanes,
                                uint32_t *found) {
    uint32_t *at = found;
    (void)order;
    for (; lanes; lanes &= lanes - 1)
        *at++ = things[__builtin_ctzll(lanes)];
    return at - found;
}

static void cull_widen_scalar(const uint32_t *found, int64_t count, int64_t *items) {
    for (int64_t i = 0; i < count; i++)
        items[i] = found[i];
}

#if LF__SIMD
#include "base/k_simd.h"

#define K_CULL_AVX2 LF__SIMD_TARGET

K_CULL_AVX2 static inline __m256 along_normal(const float *n, const float *all, const int side[3], int i) {
    __m256 sum = _mm256_mul_ps(_mm256_set1_ps(n[0]), _mm256_load_ps(all + side[0] + i));
    sum = _mm256_fmadd_ps(_mm256_set1_ps(n[1]), _mm256_load_ps(all + side[1] + i), sum);
    return _mm256_fmadd_ps(_mm256_set1_ps(n[2]), _mm256_load_ps(all + side[2] + i), sum);
}

K_CULL_AVX2 static inline __m256 gap_of(const lf__cull_planes *p, const lf__cull_group *group, int k, int i) {
    __m256 eye = _mm256_set1_ps(p->eye[k]);
    __m256 before = _mm256_sub_ps(_mm256_load_ps(group->low[k] + i), eye);
    __m256 behind = _mm256_sub_ps(eye, _mm256_load_ps(group->high[k] + i));
    return _mm256_max_ps(_mm256_max_ps(before, behind), _mm256_setzero_ps());
}

K_CULL_AVX2 static inline __m256 small_ones(const lf__cull_planes *p, const lf__cull_group *group, int i) {
    __m256 sum = _mm256_setzero_ps();
    for (int k = 0; k < 3; k++) {
        __m256 gap = gap_of(p, group, k, i);
        sum = _mm256_add_ps(sum, _mm256_mul_ps(gap, gap));
    }
    __m256 distance = _mm256_sub_ps(_mm256_sqrt_ps(sum), _mm256_set1_ps(p->eye_slack));
    distance = _mm256_mul_ps(distance, _mm256_set1_ps(p->smallest));
    return _mm256_cmp_ps(_mm256_load_ps(group->diagonal + i), distance, _CMP_LT_OQ);
}

#define OCTETS (LF__GROUP / 8)

/// Lanes in front of any of the planes in a mask. All 64 stay in registers over all planes.
K_CULL_AVX2 static uint64_t outside_of(const lf__cull_planes *p, unsigned mask, const lf__cull_group *group) {
    __m256 outside[OCTETS];
    for (int i = 0; i < OCTETS; i++)
        outside[i] = _mm256_setzero_ps();
    for (unsigned rest = mask; rest; rest &= rest - 1) {
        int k = __builtin_ctz(rest);
        __m256 limit = _mm256_set1_ps(p->outside[k]);
#pragma GCC unroll 8
        for (int i = 0; i < OCTETS; i++) {
            __m256 deep = along_normal(p->normal[k], floats_of(group), p->deep[k], 8 * i);
            outside[i] = _mm256_or_ps(outside[i], _mm256_cmp_ps(deep, limit, _CMP_GT_OQ));
        }
    }
    uint64_t out = 0;
    for (int i = 0; i < OCTETS; i++)
        out |= (uint64_t)(unsigned)_mm256_movemask_ps(outside[i]) << (8 * i);
    return out;
}

/// Lanes that are not surely behind one plane.
K_CULL_AVX2 static uint64_t k_cull_crossing(const lf__cull_planes *p, int k, const lf__cull_group *group) {
    __m256 limit = _mm256_set1_ps(p->inside[k]);
    uint64_t crosses = 0;
    for (int i = 0; i < OCTETS; i++) {
        __m256 far = along_normal(p->normal[k], floats_of(group), p->far[k], 8 * i);
        unsigned lanes = (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(far, limit, _CMP_GT_OQ));
        crosses |= (uint64_t)lanes << (8 * i);
    }
    return crosses;
}

K_CULL_AVX2 static void k_cull_test_avx2(const lf__cull_planes *p, unsigned mask, const lf__cull_group *group,
                                         bool inner, lf__cull_found *found) {
    uint64_t out = outside_of(p, mask, group);
    for (int i = 0; i < OCTETS && p->smallest > 0; i++)
        out |= (uint64_t)(unsigned)_mm256_movemask_ps(small_ones(p, group, 8 * i)) << (8 * i);
    found->kept = group->alive & ~out;
    for (int k = 0; k < p->count && inner; k++)
        found->crossing[k] = mask >> k & 1 ? k_cull_crossing(p, k, group) : 0;
}

/// Eight lanes at a time: those kept move to the front, all eight are stored, and the next eight overwrite
/// the surplus. No branch depends on their number, which cannot be predicted.
K_CULL_AVX2 static int64_t note_avx2(const lf__cull_order *order, const uint32_t *things, uint64_t lanes,
                                     uint32_t *found) {
    uint32_t *at = found;
#pragma GCC unroll 8
    for (int i = 0; i < OCTETS; i++, lanes >>= 8) {
        const lf__cull_step *step = &order->steps[lanes & 255];
        __m256i eight = _mm256_loadu_si256((const __m256i *)(const void *)(things + 8 * i));
        __m256i places = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)step->lanes));
        _mm256_storeu_si256((__m256i *)(void *)at, _mm256_permutevar8x32_epi32(eight, places));
        at += step->count;
    }
    return at - found;
}

K_CULL_AVX2 static void widen_avx2(const uint32_t *found, int64_t count, int64_t *items) {
    int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
        __m128i four = _mm_loadu_si128((const __m128i *)(const void *)(found + i));
        _mm256_storeu_si256((__m256i *)(void *)(items + i), _mm256_cvtepu32_epi64(four));
    }
    cull_widen_scalar(found + i, count - i, items + i);
}

#endif

#if LF__X86
// AVX-512: 16 lanes at a time, and comparisons give masks, so that nothing is gathered at the end.
#define K_CULL_AVX512 __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")))
#define QUARTERS (LF__GROUP / 16)

K_CULL_AVX512 static inline __m512 along_normal_wide(const float *n, const float *all, const int side[3],
                                                     int i) {
    __m512 sum = _mm512_mul_ps(_mm512_set1_ps(n[0]), _mm512_loadu_ps(all + side[0] + i));
    sum = _mm512_fmadd_ps(_mm512_set1_ps(n[1]), _mm512_loadu_ps(all + side[1] + i), sum);
    return _mm512_fmadd_ps(_mm512_set1_ps(n[2]), _mm512_loadu_ps(all + side[2] + i), sum);
}

/// Lanes whose sides are beyond a limit along the normal of a plane.
K_CULL_AVX512 static inline uint64_t lanes_beyond(const float *n, const lf__cull_group *group,
                                                  const int side[3], float limit) {
    uint64_t beyond = 0;
#pragma GCC unroll 4
    for (int i = 0; i < QUARTERS; i++) {
        __m512 along = along_normal_wide(n, floats_of(group), side, 16 * i);
        beyond |= (uint64_t)_mm512_cmp_ps_mask(along, _mm512_set1_ps(limit), _CMP_GT_OQ) << (16 * i);
    }
    return beyond;
}

K_CULL_AVX512 static uint64_t small_ones_wide(const lf__cull_planes *p, const lf__cull_group *group) {
    uint64_t small = 0;
    for (int i = 0; i < LF__GROUP; i += 16) {
        __m512 sum = _mm512_setzero_ps();
        for (int k = 0; k < 3; k++) {
            __m512 eye = _mm512_set1_ps(p->eye[k]);
            __m512 before = _mm512_sub_ps(_mm512_loadu_ps(group->low[k] + i), eye);
            __m512 behind = _mm512_sub_ps(eye, _mm512_loadu_ps(group->high[k] + i));
            __m512 gap = _mm512_max_ps(_mm512_max_ps(before, behind), _mm512_setzero_ps());
            sum = _mm512_add_ps(sum, _mm512_mul_ps(gap, gap));
        }
        __m512 distance = _mm512_sub_ps(_mm512_sqrt_ps(sum), _mm512_set1_ps(p->eye_slack));
        distance = _mm512_mul_ps(distance, _mm512_set1_ps(p->smallest));
        small |= (uint64_t)_mm512_cmp_ps_mask(_mm512_loadu_ps(group->diagonal + i), distance, _CMP_LT_OQ)
                 << i;
    }
    return small;
}

K_CULL_AVX512 static void k_cull_test_avx512(const lf__cull_planes *p, unsigned mask,
                                             const lf__cull_group *group, bool inner, lf__cull_found *found) {
    uint64_t out = p->smallest > 0 ? small_ones_wide(p, group) : 0;
    for (unsigned rest = mask; rest; rest &= rest - 1) {
        int k = __builtin_ctz(rest);
        out |= lanes_beyond(p->normal[k], group, p->deep[k], p->outside[k]);
    }
    found->kept = group->alive & ~out;
    for (int k = 0; k < p->count && inner; k++)
        found->crossing[k] = mask >> k & 1 ? lanes_beyond(p->normal[k], group, p->far[k], p->inside[k]) : 0;
}

/// As note_avx2, without a table.
K_CULL_AVX512 static int64_t note_avx512(const lf__cull_order *order, const uint32_t *things, uint64_t lanes,
                                         uint32_t *found) {
    uint32_t *at = found;
    (void)order;
#pragma GCC unroll 4
    for (int i = 0; i < QUARTERS; i++, lanes >>= 16) {
        __mmask16 these = (__mmask16)(lanes & 0xffff);
        __m512i sixteen = _mm512_loadu_si512(things + 16 * i);
        _mm512_storeu_si512(at, _mm512_maskz_compress_epi32(these, sixteen));
        at += __builtin_popcount(these);
    }
    return at - found;
}

K_CULL_AVX512 static void widen_avx512(const uint32_t *found, int64_t count, int64_t *items) {
    int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        __m256i eight = _mm256_loadu_si256((const __m256i *)(const void *)(found + i));
        _mm512_storeu_si512(items + i, _mm512_cvtepu32_epi64(eight));
    }
    cull_widen_scalar(found + i, count - i, items + i);
}
#endif

void lf__cull_order_make(lf__cull_order *order) {
    for (unsigned mask = 0; mask < 256; mask++) {
        lf__cull_step *step = &order->steps[mask];
        *step = (lf__cull_step){{0}, 0};
        for (unsigned lane = 0; lane < 8; lane++)
            if (mask >> lane & 1)
                step->lanes[step->count++] = (uint8_t)lane;
    }
}

lf__cull_kernels lf__cull_kernels_for(lf_isa isa) {
#if LF__X86
    if (isa >= LF_ISA_AVX512)
        return (lf__cull_kernels){k_cull_test_avx512, note_avx512, widen_avx512};
#endif
#if LF__SIMD
    if (LF__SIMD_BY(isa))
        return (lf__cull_kernels){k_cull_test_avx2, note_avx2, widen_avx2};
#endif
    (void)isa;
    return (lf__cull_kernels){cull_test_scalar, cull_note_scalar, cull_widen_scalar};
}
