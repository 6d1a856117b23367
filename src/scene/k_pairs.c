/// Comparing boxes with the boxes of their lists: plain, and with AVX2. Without branches that depend on the answer: it is random.
#include "scene/pairs.h"

static inline uint64_t key_of(uint32_t a, uint32_t b) {
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

// ---------------------------------------------------------------------------------------------------
// Plain
// ---------------------------------------------------------------------------------------------------

static inline bool touch_scalar(const lf__body *a, const lf__body *b) {
    return (a->low[0] <= b->high[0]) & (b->low[0] <= a->high[0]) & (a->low[1] <= b->high[1]) &
           (b->low[1] <= a->high[1]) & (a->low[2] <= b->high[2]) & (b->low[2] <= a->high[2]);
}

static inline int64_t list_scalar(const lf__body *bodies, uint32_t owner, const uint32_t *entries,
                                  uint32_t count, uint64_t stamp, uint64_t *keys) {
    int64_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        const lf__body *other = &bodies[entries[i]];
        __builtin_prefetch(&bodies[entries[i + LF__PAIRS_FETCH]]);
        keys[found] = key_of(owner, entries[i]);
        found += touch_scalar(&bodies[owner], other) & (other->stamp <= stamp);
    }
    return found;
}

static int64_t sift_scalar(const lf__body *bodies, const lf__owner *owners, int64_t owner_count,
                           const uint32_t *entries, uint64_t stamp, uint64_t *keys) {
    int64_t found = 0;
    for (int64_t i = 0; i < owner_count; i++)
        if (bodies[owners[i].body].stamp <= stamp)
            found += list_scalar(bodies, owners[i].body, entries + owners[i].first, owners[i].count, stamp,
                                 keys + found);
    return found;
}

static int64_t sift_each_scalar(const lf__body *bodies, const lf__owner *owners, int64_t owner_count,
                                const uint32_t *entries, uint64_t *keys) {
    int64_t found = 0;
    for (int64_t i = 0; i < owner_count; i++) {
        uint64_t stamp = bodies[owners[i].body].stamp;
        if (stamp != LF__GONE)
            found += list_scalar(bodies, owners[i].body, entries + owners[i].first, owners[i].count, stamp,
                                 keys + found);
    }
    return found;
}

static const lf__pairs_kernels kernels_scalar = {sift_scalar, sift_each_scalar};

// ---------------------------------------------------------------------------------------------------
// AVX2
// ---------------------------------------------------------------------------------------------------

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,fma,bmi")))

TARGET static inline int64_t list_avx2(const lf__body *bodies, uint32_t owner, const uint32_t *entries,
                                       uint32_t count, uint64_t stamp, uint64_t *keys) {
    int64_t found = 0;
    __m256d low = _mm256_load_pd(bodies[owner].low), high = _mm256_load_pd(bodies[owner].high);
    for (uint32_t i = 0; i < count; i++) {
        const lf__body *other = &bodies[entries[i]];
        __builtin_prefetch(&bodies[entries[i + LF__PAIRS_FETCH]]);
        __m256d before = _mm256_cmp_pd(low, _mm256_load_pd(other->high), _CMP_LE_OQ);
        __m256d behind = _mm256_cmp_pd(_mm256_load_pd(other->low), high, _CMP_LE_OQ);
        int lanes = _mm256_movemask_pd(_mm256_and_pd(before, behind)) & 7;
        keys[found] = key_of(owner, entries[i]);
        found += (lanes == 7) & (other->stamp <= stamp);
    }
    return found;
}

TARGET static int64_t sift_avx2(const lf__body *bodies, const lf__owner *owners, int64_t owner_count,
                                const uint32_t *entries, uint64_t stamp, uint64_t *keys) {
    int64_t found = 0;
    for (int64_t i = 0; i < owner_count; i++)
        if (bodies[owners[i].body].stamp <= stamp)
            found += list_avx2(bodies, owners[i].body, entries + owners[i].first, owners[i].count, stamp,
                               keys + found);
    return found;
}

TARGET static int64_t sift_each_avx2(const lf__body *bodies, const lf__owner *owners, int64_t owner_count,
                                     const uint32_t *entries, uint64_t *keys) {
    int64_t found = 0;
    for (int64_t i = 0; i < owner_count; i++) {
        uint64_t stamp = bodies[owners[i].body].stamp;
        if (stamp != LF__GONE)
            found += list_avx2(bodies, owners[i].body, entries + owners[i].first, owners[i].count, stamp,
                               keys + found);
    }
    return found;
}

static const lf__pairs_kernels kernels_avx2 = {sift_avx2, sift_each_avx2};
#endif

const lf__pairs_kernels *lf__pairs_kernels_for(lf_isa isa) {
#if defined(__x86_64__)
    if (isa >= LF_ISA_AVX2)
        return &kernels_avx2;
#endif
    (void)isa;
    return &kernels_scalar;
}
