/// Comparing boxes with the boxes of their lists: plain, and with AVX2. Without branches that depend on the answer: it is random.
#include "pairs/pairs.h"
#include <string.h>

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

static bool move_scalar(lf__body *body, const lf_box *room, const lf_box *box) {
    bool within = room->low.x <= box->low.x && room->low.y <= box->low.y && room->low.z <= box->low.z &&
                  room->high.x >= box->high.x && room->high.y >= box->high.y && room->high.z >= box->high.z &&
                  box->low.x <= box->high.x && box->low.y <= box->high.y && box->low.z <= box->high.z;
    if (!within)
        return false;
    memcpy(body->low, &box->low, sizeof body->low);
    memcpy(body->high, &box->high, sizeof body->high);
    return true;
}

static const lf__pairs_kernels kernels_scalar = {move_scalar, sift_scalar, sift_each_scalar};

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

/// The low corner in three lanes, the fourth is anything; the high corner likewise, without reading behind the box.
TARGET static inline __m256d low_of(const lf_box *box) {
    return _mm256_loadu_pd(&box->low.x);
}

TARGET static inline __m256d high_of(const lf_box *box) {
    return _mm256_permute4x64_pd(_mm256_loadu_pd(&box->low.z), 0x39);
}

/// Each half of a body is written at once, with the number that it has beside its corner: the sift that follows reads it so, and a
/// processor that had to put it together from several stores would wait for them.
TARGET static bool move_avx2(lf__body *body, const lf_box *room, const lf_box *box) {
    __m256d low = low_of(box), high = high_of(box);
    __m256d within = _mm256_and_pd(_mm256_cmp_pd(low_of(room), low, _CMP_LE_OQ),
                                   _mm256_cmp_pd(high, high_of(room), _CMP_LE_OQ));
    within = _mm256_and_pd(within, _mm256_cmp_pd(low, high, _CMP_LE_OQ));
    if ((_mm256_movemask_pd(within) & 7) != 7)
        return false;
    _mm256_store_pd(body->low, _mm256_blend_pd(low, _mm256_load_pd(body->low), 8));
    _mm256_store_pd(body->high, _mm256_blend_pd(high, _mm256_load_pd(body->high), 8));
    return true;
}

static const lf__pairs_kernels kernels_avx2 = {move_avx2, sift_avx2, sift_each_avx2};
#endif

const lf__pairs_kernels *lf__pairs_kernels_for(lf_isa isa) {
#if defined(__x86_64__)
    if (isa >= LF_ISA_AVX2)
        return &kernels_avx2;
#endif
    (void)isa;
    return &kernels_scalar;
}
