/// Two trees against each other: eight lanes as a scalar array and with AVX2, and the traversal compiled for both.
#include "bvh/bvh.h"
#include <string.h>

/// Eight boxes along the axes of the other tree.
typedef struct pair_boxes {
    float low[3][LF__BVH_WIDTH], high[3][LF__BVH_WIDTH];
} pair_boxes;

/// A pair of nodes that waits, and how deep they are in each other.
typedef struct bvh_node_pair {
    uint32_t a, b;
    float depth;
} bvh_node_pair;

/// Ask for a child's memory before it is needed: all of a node, what is read first of a leaf.
static inline void prefetch(const lf__bvh *tree, uint32_t child) {
    const char *at = child & LF__BVH_LEAF ? (const char *)&tree->leaves[child & ~LF__BVH_LEAF]
                                          : (const char *)&tree->nodes[child];
    for (int line = 0; line < 4; line++)
        __builtin_prefetch(at + line * LF__CACHE_LINE);
}

/// Sort by depth, the deepest last, so that it is visited first. At most 64, and rarely more than ten.
static void sort_pairs(bvh_node_pair *pairs, int count) {
    for (int i = 1; i < count; i++) {
        bvh_node_pair pair = pairs[i];
        int k = i;
        for (; k > 0 && pairs[k - 1].depth > pair.depth; k--)
            pairs[k] = pairs[k - 1];
        pairs[k] = pair;
    }
}

/// A leaf of one tree that has met a node of the other: its box is one lane of these, in its own tree's axes
/// and in the other's.
typedef struct lone_leaf {
    uint32_t leaf;
    bool is_a;
    int lane;
    const float *const *low, *const *high, *const *there_low, *const *there_high;
} lone_leaf;

/// From b's leaf, in its units, into a's.
typedef struct leaf_frame {
    float turn[3][3];
    float shift[3];
    float blur; ///< error of a difference of two corners along an axis, in a's units
} leaf_frame;

/// Bits of the triangles of b that touch any of a or may; and for each of these, bits of those of a that
/// surely touch it, and of those that do or may.
typedef struct leaf_answers {
    unsigned sure[LF__BVH_WIDTH], any[LF__BVH_WIDTH];
    unsigned found;
} leaf_answers;

/// Leaves of sizes further apart than this are left to the exact test.
#define LEAST_RATIO 1e-6
#define MOST_RATIO 1e6

/// false: floats will not do.
static inline bool place_leaf(const lf__pair_walk *walk, const lf__bvh_leaf *a, const lf__bvh_leaf *b,
                              leaf_frame *frame) {
    double ratio =
        a->scale / b->scale; // a's units in one of b's; 0 / 0, x / 0 or 0 / x for leaves without size
    if (!(ratio > LEAST_RATIO && ratio < MOST_RATIO))
        return false;
    double widest = 0.5, farthest = 0;
    for (int k = 0; k < 3; k++) {
        const double *row = walk->turn[k];
        double sum = row[0] * b->origin[0] + row[1] * b->origin[1] + row[2] * b->origin[2];
        double shift = (sum + walk->shift[k] - a->origin[k]) * a->scale;
        double spread = 0.5 * ratio * (fabs(row[0]) + fabs(row[1]) + fabs(row[2]));
        frame->shift[k] = (float)shift;
        for (int i = 0; i < 3; i++)
            frame->turn[k][i] = (float)(row[i] * ratio);
        widest = spread > widest ? spread : widest;
        farthest = fabs(shift) > farthest ? fabs(shift) : farthest;
    }
    // Corners of b reach sqrt(3) times as far as units do, turned; each is rounded five times.
    farthest += 2 * LF__BVH_UNITS * ratio;
    double blur = 2 * (1.001 * widest + 0x1p-21 * farthest + walk->blur * a->scale);
    frame->blur = (float)blur;
    return blur < 0x1p14;
}

/// The node above a root: its only child is the root.
static lf__bvh_node root_node(const lf__bvh *tree) {
    lf__bvh_node node = {.lanes = 1};
    const double low[3] = {tree->box.low.x - tree->origin.x, tree->box.low.y - tree->origin.y,
                           tree->box.low.z - tree->origin.z};
    const double high[3] = {tree->box.high.x - tree->origin.x, tree->box.high.y - tree->origin.y,
                            tree->box.high.z - tree->origin.z};
    for (int k = 0; k < 3; k++) {
        for (int lane = 0; lane < LF__BVH_WIDTH; lane++)
            node.plane[k][lane] = INFINITY, node.plane[3 + k][lane] = -INFINITY;
        node.plane[k][0] = lf__float_below(low[k]);
        node.plane[3 + k][0] = lf__float_above(high[k]);
    }
    node.child[0] = tree->root;
    return node;
}

// ---------------------------------------------------------------------------------------------------
// Plain C: the reference
// ---------------------------------------------------------------------------------------------------

typedef struct bvh_eight {
    float of[LF__BVH_WIDTH];
} bvh_eight;

// These are not marked inline: compilers that optimise do it anyway, and those that check every access would
// take minutes over it.
#define EACH(expression)                             \
    bvh_eight r;                                     \
    for (int lane = 0; lane < LF__BVH_WIDTH; lane++) \
        r.of[lane] = (expression);                   \
    return r

static bvh_eight bvh_pairs_set_scalar(float x) {
    EACH(x);
}
static bvh_eight bvh_pairs_load_scalar(const float *from) {
    EACH(from[lane]);
}
static bvh_eight bvh_pairs_units_scalar(const int16_t *from) {
    EACH((float)from[lane]);
}
static bvh_eight bvh_pairs_pick_scalar(const bvh_eight *from, unsigned which) {
    EACH(from->of[which]);
}
static float bvh_pairs_lowest_scalar(bvh_eight a) {
    float low = a.of[0];
    for (int lane = 1; lane < LF__BVH_WIDTH; lane++)
        low = a.of[lane] < low ? a.of[lane] : low;
    return low;
}
static float bvh_pairs_highest_scalar(bvh_eight a) {
    float high = a.of[0];
    for (int lane = 1; lane < LF__BVH_WIDTH; lane++)
        high = a.of[lane] > high ? a.of[lane] : high;
    return high;
}
static bvh_eight bvh_pairs_add_scalar(bvh_eight a, bvh_eight b) {
    EACH(a.of[lane] + b.of[lane]);
}
static bvh_eight bvh_pairs_sub_scalar(bvh_eight a, bvh_eight b) {
    EACH(a.of[lane] - b.of[lane]);
}
static bvh_eight bvh_pairs_mul_scalar(bvh_eight a, bvh_eight b) {
    EACH(a.of[lane] * b.of[lane]);
}
static bvh_eight bvh_pairs_madd_scalar(bvh_eight a, bvh_eight b, bvh_eight c) {
    EACH(a.of[lane] * b.of[lane] + c.of[lane]);
}
static bvh_eight bvh_pairs_least_scalar(bvh_eight a, bvh_eight b) {
    EACH(a.of[lane] < b.of[lane] ? a.of[lane] : b.of[lane]);
}
static bvh_eight bvh_pairs_most_scalar(bvh_eight a, bvh_eight b) {
    EACH(a.of[lane] > b.of[lane] ? a.of[lane] : b.of[lane]);
}
static void bvh_pairs_store_scalar(float *to, bvh_eight a) {
    memcpy(to, a.of, sizeof a.of);
}
static unsigned bvh_pairs_le_scalar(bvh_eight a, bvh_eight b) {
    unsigned mask = 0;
    for (int lane = 0; lane < LF__BVH_WIDTH; lane++)
        mask |= (unsigned)(a.of[lane] <= b.of[lane]) << lane;
    return mask;
}
static unsigned bvh_pairs_both_scalar(unsigned a, unsigned b) {
    return a & b;
}
static unsigned bvh_pairs_bits_scalar(unsigned a) {
    return a;
}

#define NAME(f) bvh_pairs_##f##_scalar
#define V bvh_eight
#define MASK unsigned
#define TARGET
#include "bvh/k_bvh_pairs_walk.h"

// ---------------------------------------------------------------------------------------------------
// AVX2
// ---------------------------------------------------------------------------------------------------

#if LF__SIMD
#include "base/k_simd.h"

#define TARGET LF__SIMD_TARGET

TARGET static inline __m256 bvh_pairs_set_avx2(float x) {
    return _mm256_set1_ps(x);
}
TARGET static inline __m256 bvh_pairs_load_avx2(const float *from) {
    return _mm256_loadu_ps(from);
}
TARGET static inline __m256 bvh_pairs_units_avx2(const int16_t *from) {
    return _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(const void *)from)));
}
TARGET static inline __m256 bvh_pairs_pick_avx2(const __m256 *from, unsigned which) {
    return _mm256_broadcast_ss((const float *)(const void *)from + which);
}
TARGET static inline float bvh_pairs_lowest_avx2(__m256 a) {
    __m128 four = _mm_min_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    __m128 two = _mm_min_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_min_ss(two, _mm_movehdup_ps(two)));
}
TARGET static inline float bvh_pairs_highest_avx2(__m256 a) {
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}
TARGET static inline __m256 bvh_pairs_add_avx2(__m256 a, __m256 b) {
    return _mm256_add_ps(a, b);
}
TARGET static inline __m256 bvh_pairs_sub_avx2(__m256 a, __m256 b) {
    return _mm256_sub_ps(a, b);
}
TARGET static inline __m256 bvh_pairs_mul_avx2(__m256 a, __m256 b) {
    return _mm256_mul_ps(a, b);
}
TARGET static inline __m256 bvh_pairs_madd_avx2(__m256 a, __m256 b, __m256 c) {
    return _mm256_fmadd_ps(a, b, c);
}
TARGET static inline __m256 bvh_pairs_least_avx2(__m256 a, __m256 b) {
    return _mm256_min_ps(a, b);
}
TARGET static inline __m256 bvh_pairs_most_avx2(__m256 a, __m256 b) {
    return _mm256_max_ps(a, b);
}
TARGET static inline void bvh_pairs_store_avx2(float *to, __m256 a) {
    _mm256_storeu_ps(to, a);
}
TARGET static inline __m256 bvh_pairs_le_avx2(__m256 a, __m256 b) {
    return _mm256_cmp_ps(a, b, _CMP_LE_OQ);
}
TARGET static inline __m256 bvh_pairs_both_avx2(__m256 a, __m256 b) {
    return _mm256_and_ps(a, b);
}
TARGET static inline unsigned bvh_pairs_bits_avx2(__m256 a) {
    return (unsigned)_mm256_movemask_ps(a);
}

#define NAME(f) bvh_pairs_##f##_avx2
#define V __m256
#define MASK __m256
#include "bvh/k_bvh_pairs_walk.h"
#endif

lf__pair_kernel *lf__pair_kernel_for(lf_isa isa) {
#if LF__SIMD
    if (LF__SIMD_BY(isa))
        return bvh_pairs_walk_avx2;
#endif
    (void)isa;
    return bvh_pairs_walk_scalar;
}

#undef EACH
#undef TARGET
