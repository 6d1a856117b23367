/// Kernels of lf_pairs, scalar and AVX2: comparing boxes with those of their lists, and queries on packed
/// trees.
#include "pairs/pairs.h"
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// Lists
// ---------------------------------------------------------------------------------------------------

// No branch depends on whether boxes touch: that cannot be predicted.

static inline uint64_t k_pairs_key_of(uint32_t a, uint32_t b) {
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

// ---------------------------------------------------------------------------------------------------
// Scalar
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
        keys[found] = k_pairs_key_of(owner, entries[i]);
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
        if (stamp != LF__BODY_REMOVED)
            found += list_scalar(bodies, owners[i].body, entries + owners[i].first, owners[i].count, stamp,
                                 keys + found);
    }
    return found;
}

static bool move_scalar(lf__body *body, const lf_box *fat, const lf_box *box) {
    bool within = fat->low.x <= box->low.x && fat->low.y <= box->low.y && fat->low.z <= box->low.z &&
                  fat->high.x >= box->high.x && fat->high.y >= box->high.y && fat->high.z >= box->high.z &&
                  box->low.x <= box->high.x && box->low.y <= box->high.y && box->low.z <= box->high.z;
    if (!within)
        return false;
    memcpy(body->low, &box->low, sizeof body->low);
    memcpy(body->high, &box->high, sizeof body->high);
    return true;
}

static const lf__pairs_kernels k_pairs_kernels_scalar = {move_scalar, sift_scalar, sift_each_scalar};

// ---------------------------------------------------------------------------------------------------
// AVX2
// ---------------------------------------------------------------------------------------------------

#if LF__SIMD
#include "base/k_simd.h"

#define K_PAIRS_TARGET LF__SIMD_TARGET_BITS

K_PAIRS_TARGET static inline int64_t list_avx2(const lf__body *bodies, uint32_t owner,
                                               const uint32_t *entries, uint32_t count, uint64_t stamp,
                                               uint64_t *keys) {
    int64_t found = 0;
    __m256d low = _mm256_load_pd(bodies[owner].low), high = _mm256_load_pd(bodies[owner].high);
    for (uint32_t i = 0; i < count; i++) {
        const lf__body *other = &bodies[entries[i]];
        __builtin_prefetch(&bodies[entries[i + LF__PAIRS_FETCH]]);
        __m256d before = _mm256_cmp_pd(low, _mm256_load_pd(other->high), _CMP_LE_OQ);
        __m256d behind = _mm256_cmp_pd(_mm256_load_pd(other->low), high, _CMP_LE_OQ);
        int lanes = _mm256_movemask_pd(_mm256_and_pd(before, behind)) & 7;
        keys[found] = k_pairs_key_of(owner, entries[i]);
        found += (lanes == 7) & (other->stamp <= stamp);
    }
    return found;
}

K_PAIRS_TARGET static int64_t sift_avx2(const lf__body *bodies, const lf__owner *owners, int64_t owner_count,
                                        const uint32_t *entries, uint64_t stamp, uint64_t *keys) {
    int64_t found = 0;
    for (int64_t i = 0; i < owner_count; i++)
        if (bodies[owners[i].body].stamp <= stamp)
            found += list_avx2(bodies, owners[i].body, entries + owners[i].first, owners[i].count, stamp,
                               keys + found);
    return found;
}

K_PAIRS_TARGET static int64_t sift_each_avx2(const lf__body *bodies, const lf__owner *owners,
                                             int64_t owner_count, const uint32_t *entries, uint64_t *keys) {
    int64_t found = 0;
    for (int64_t i = 0; i < owner_count; i++) {
        uint64_t stamp = bodies[owners[i].body].stamp;
        if (stamp != LF__BODY_REMOVED)
            found += list_avx2(bodies, owners[i].body, entries + owners[i].first, owners[i].count, stamp,
                               keys + found);
    }
    return found;
}

/// The low corner in three lanes, the fourth is undefined; the high corner likewise, without reading beyond
/// the box.
K_PAIRS_TARGET static inline __m256d low_of(const lf_box *box) {
    return _mm256_loadu_pd(&box->low.x);
}

K_PAIRS_TARGET static inline __m256d k_pairs_high_of(const lf_box *box) {
    return _mm256_permute4x64_pd(_mm256_loadu_pd(&box->low.z), 0x39);
}

/// Each half of a body is written by one store, together with the number beside its corner: the comparisons
/// that follow load it as a whole, and a load that spans several stores would stall.
K_PAIRS_TARGET static bool move_avx2(lf__body *body, const lf_box *fat, const lf_box *box) {
    __m256d low = low_of(box), high = k_pairs_high_of(box);
    __m256d within = _mm256_and_pd(_mm256_cmp_pd(low_of(fat), low, _CMP_LE_OQ),
                                   _mm256_cmp_pd(high, k_pairs_high_of(fat), _CMP_LE_OQ));
    within = _mm256_and_pd(within, _mm256_cmp_pd(low, high, _CMP_LE_OQ));
    if ((_mm256_movemask_pd(within) & 7) != 7)
        return false;
    _mm256_store_pd(body->low, _mm256_blend_pd(low, _mm256_load_pd(body->low), 8));
    _mm256_store_pd(body->high, _mm256_blend_pd(high, _mm256_load_pd(body->high), 8));
    return true;
}

static const lf__pairs_kernels k_pairs_kernels_avx2 = {move_avx2, sift_avx2, sift_each_avx2};
#endif

const lf__pairs_kernels *lf__pairs_kernels_for(lf_isa isa) {
#if LF__SIMD
    if (LF__SIMD_BY(isa))
        return &k_pairs_kernels_avx2;
#endif
    (void)isa;
    return &k_pairs_kernels_scalar;
}

// ---------------------------------------------------------------------------------------------------
// Trees: scalar
// ---------------------------------------------------------------------------------------------------

static inline unsigned k_flat_lanes_scalar(const lf__flat_node *node, const lf__flat_box *box) {
    unsigned lanes = 0;
    for (unsigned i = 0; i < LF__FLAT_WIDTH; i++) {
        bool overlap = node->low[0][i] <= box->high[0] && box->low[0] <= node->high[0][i] &&
                       node->low[1][i] <= box->high[1] && box->low[1] <= node->high[1][i] &&
                       node->low[2][i] <= box->high[2] && box->low[2] <= node->high[2][i];
        lanes |= (unsigned)overlap << i;
    }
    return lanes;
}

#define NAMED(name) k_flat_##name##_scalar
#define LANES k_flat_lanes_scalar
#define TARGET
#include "pairs/k_pairs_walk.h"
#undef NAMED
#undef LANES
#undef TARGET

static const lf__flat_kernels k_flat_kernels_scalar = {k_flat_query_scalar, k_flat_join_scalar,
                                                       k_flat_scan_scalar};

// ---------------------------------------------------------------------------------------------------
// AVX2
// ---------------------------------------------------------------------------------------------------

#if LF__SIMD
#define TARGET LF__SIMD_TARGET_BITS

TARGET static inline unsigned k_flat_lanes_avx2(const lf__flat_node *node, const lf__flat_box *box) {
    __m256 in = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
    for (int k = 0; k < 3; k++) {
        __m256 low = _mm256_load_ps(node->low[k]), high = _mm256_load_ps(node->high[k]);
        in = _mm256_and_ps(in, _mm256_cmp_ps(low, _mm256_set1_ps(box->high[k]), _CMP_LE_OQ));
        in = _mm256_and_ps(in, _mm256_cmp_ps(_mm256_set1_ps(box->low[k]), high, _CMP_LE_OQ));
    }
    return (unsigned)_mm256_movemask_ps(in);
}

#define NAMED(name) k_flat_##name##_avx2
#define LANES k_flat_lanes_avx2
#include "pairs/k_pairs_walk.h"
#undef NAMED
#undef LANES
#undef TARGET

static const lf__flat_kernels k_flat_kernels_avx2 = {k_flat_query_avx2, k_flat_join_avx2, k_flat_scan_avx2};
#endif

const lf__flat_kernels *lf__flat_kernels_for(lf_isa isa) {
#if LF__SIMD
    if (LF__SIMD_BY(isa))
        return &k_flat_kernels_avx2;
#endif
    (void)isa;
    return &k_flat_kernels_scalar;
}
