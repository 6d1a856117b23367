/// Groups of boxes against planes, plain and with AVX2: the same operations in the same order, the same answers.
#include "scene/cull.h"
#include <math.h>

/// The side of the boxes that lies deepest behind a plane, and the one that lies farthest in front.
typedef struct sides {
    const float *deep[3], *far[3];
} sides;

static inline sides sides_of(const lf__cull_group *group, const float normal[3]) {
    sides s;
    for (int k = 0; k < 3; k++) {
        s.deep[k] = normal[k] > 0 ? group->low[k] : group->high[k];
        s.far[k] = normal[k] > 0 ? group->high[k] : group->low[k];
    }
    return s;
}

static inline float most(float a, float b) {
    return a > b ? a : b;
}

/// Too small: the diagonal is below a part of the distance of the nearest point.
static bool too_small(const lf__cull_planes *p, const lf__cull_group *group, int i) {
    float sum = 0;
    for (int k = 0; k < 3; k++) {
        float gap = most(most(group->low[k][i] - p->eye[k], p->eye[k] - group->high[k][i]), 0);
        sum = sum + gap * gap;
    }
    float distance = sqrtf(sum) - (group->slack[i] + p->eye_slack);
    return group->diagonal[i] < distance * p->smallest;
}

static void test_plain(const lf__cull_planes *p, unsigned mask, const lf__cull_group *group, bool inner,
                       lf__cull_found *found) {
    uint64_t kept = group->alive;
    for (int i = 0; i < LF__GROUP && inner; i++)
        found->planes[i] = 0;
    for (int k = 0; k < p->count; k++) {
        if (!(mask >> k & 1))
            continue;
        const float *n = p->normal[k];
        sides s = sides_of(group, n);
        for (int i = 0; i < LF__GROUP; i++) {
            float deep = n[0] * s.deep[0][i] + n[1] * s.deep[1][i] + n[2] * s.deep[2][i];
            if (deep - group->slack[i] > p->outside[k])
                kept &= ~((uint64_t)1 << i);
            if (!inner)
                continue;
            float far = n[0] * s.far[0][i] + n[1] * s.far[1][i] + n[2] * s.far[2][i];
            if (far + group->slack[i] > p->inside[k])
                found->planes[i] |= (uint8_t)(1 << k);
        }
    }
    for (int i = 0; i < LF__GROUP && p->smallest > 0; i++)
        if (too_small(p, group, i))
            kept &= ~((uint64_t)1 << i);
    found->kept = kept;
}

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

AVX2 static inline __m256 along_normal(const float *n, const float *const side[3], int i) {
    __m256 x = _mm256_mul_ps(_mm256_set1_ps(n[0]), _mm256_load_ps(side[0] + i));
    __m256 y = _mm256_mul_ps(_mm256_set1_ps(n[1]), _mm256_load_ps(side[1] + i));
    __m256 z = _mm256_mul_ps(_mm256_set1_ps(n[2]), _mm256_load_ps(side[2] + i));
    return _mm256_add_ps(_mm256_add_ps(x, y), z);
}

AVX2 static inline __m256 gap_of(const lf__cull_planes *p, const lf__cull_group *group, int k, int i) {
    __m256 eye = _mm256_set1_ps(p->eye[k]);
    __m256 before = _mm256_sub_ps(_mm256_load_ps(group->low[k] + i), eye);
    __m256 behind = _mm256_sub_ps(eye, _mm256_load_ps(group->high[k] + i));
    return _mm256_max_ps(_mm256_max_ps(before, behind), _mm256_setzero_ps());
}

AVX2 static inline __m256 small_ones(const lf__cull_planes *p, const lf__cull_group *group, int i) {
    __m256 sum = _mm256_setzero_ps();
    for (int k = 0; k < 3; k++) {
        __m256 gap = gap_of(p, group, k, i);
        sum = _mm256_add_ps(sum, _mm256_mul_ps(gap, gap));
    }
    __m256 slack = _mm256_add_ps(_mm256_load_ps(group->slack + i), _mm256_set1_ps(p->eye_slack));
    __m256 distance = _mm256_sub_ps(_mm256_sqrt_ps(sum), slack);
    distance = _mm256_mul_ps(distance, _mm256_set1_ps(p->smallest));
    return _mm256_cmp_ps(_mm256_load_ps(group->diagonal + i), distance, _CMP_LT_OQ);
}

/// Bits of 8 lanes as 8 bytes.
AVX2 static inline void store_bytes(uint8_t *bytes, __m256i lanes) {
    __m128i halves = _mm_packus_epi32(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
    _mm_storel_epi64((__m128i *)(void *)bytes, _mm_packus_epi16(halves, halves));
}

/// Eight boxes of a group of groups: outside lanes, and the planes that each one crosses.
AVX2 static inline __m256 test_inner(const lf__cull_planes *p, unsigned mask, const lf__cull_group *group,
                                     int i, uint8_t *crossed) {
    __m256 outside = _mm256_setzero_ps(), slack = _mm256_load_ps(group->slack + i);
    __m256i planes = _mm256_setzero_si256();
    for (unsigned rest = mask; rest; rest &= rest - 1) {
        int k = __builtin_ctz(rest);
        sides s = sides_of(group, p->normal[k]);
        __m256 deep = _mm256_sub_ps(along_normal(p->normal[k], s.deep, i), slack);
        __m256 far = _mm256_add_ps(along_normal(p->normal[k], s.far, i), slack);
        outside = _mm256_or_ps(outside, _mm256_cmp_ps(deep, _mm256_set1_ps(p->outside[k]), _CMP_GT_OQ));
        __m256 crosses = _mm256_cmp_ps(far, _mm256_set1_ps(p->inside[k]), _CMP_GT_OQ);
        planes = _mm256_or_si256(planes,
                                 _mm256_and_si256(_mm256_castps_si256(crosses), _mm256_set1_epi32(1 << k)));
    }
    store_bytes(crossed, planes);
    return outside;
}

AVX2 static inline __m256 test_outer(const lf__cull_planes *p, unsigned mask, const lf__cull_group *group,
                                     int i) {
    __m256 outside = _mm256_setzero_ps(), slack = _mm256_load_ps(group->slack + i);
    for (unsigned rest = mask; rest; rest &= rest - 1) {
        int k = __builtin_ctz(rest);
        sides s = sides_of(group, p->normal[k]);
        __m256 deep = _mm256_sub_ps(along_normal(p->normal[k], s.deep, i), slack);
        outside = _mm256_or_ps(outside, _mm256_cmp_ps(deep, _mm256_set1_ps(p->outside[k]), _CMP_GT_OQ));
    }
    return outside;
}

AVX2 static void test_avx2(const lf__cull_planes *p, unsigned mask, const lf__cull_group *group, bool inner,
                           lf__cull_found *found) {
    uint64_t out = 0;
    for (int i = 0; i < LF__GROUP; i += 8) {
        __m256 outside =
            inner ? test_inner(p, mask, group, i, found->planes + i) : test_outer(p, mask, group, i);
        if (p->smallest > 0)
            outside = _mm256_or_ps(outside, small_ones(p, group, i));
        out |= (uint64_t)(unsigned)_mm256_movemask_ps(outside) << i;
    }
    found->kept = group->alive & ~out;
}
#endif

lf__cull_kernel *lf__cull_kernel_for(lf_isa isa) {
#if defined(__x86_64__)
    if (isa >= LF_ISA_AVX2)
        return test_avx2;
#endif
    (void)isa;
    return test_plain;
}
