/// Searches along rays through trees of items: node tests, scalar, with AVX2 and with AVX-512, and the walks compiled for each.
#include "bvh/k_bvh_start.h"

/// Children that wait, and where the ray enters them. Kernels write whole registers.
typedef struct item_stack {
    int count;
    float near[LF__ITEM_STACK + LF__ITEM_WIDTH];
    uint32_t child[LF__ITEM_STACK + LF__ITEM_WIDTH];
} item_stack;

/// The top of the stack that begins before `far`; LF__BVH_NOWHERE: none does.
static inline uint32_t item_next(item_stack *stack, float far) {
    while (stack->count > 0) {
        int top = --stack->count;
        if (!(stack->near[top] > far))
            return stack->child[top];
    }
    return LF__BVH_NOWHERE;
}

/// Sort what was added to the stack from `base` on: nearest on top. It is a few, and mostly one.
static inline void item_sort(item_stack *stack, int base) {
    for (int i = base + 1; i < stack->count; i++) {
        float near = stack->near[i];
        uint32_t child = stack->child[i];
        int place = i;
        for (; place > base && stack->near[place - 1] < near; place--) {
            stack->near[place] = stack->near[place - 1];
            stack->child[place] = stack->child[place - 1];
        }
        stack->near[place] = near;
        stack->child[place] = child;
    }
}

/// Ask for a child's memory, or that of an item, before it is needed.
static inline void item_prefetch(const lf__item_node *nodes, const char *parts, size_t stride,
                                 uint32_t child) {
    bool leaf = child & LF__BVH_LEAF;
    const char *at = leaf ? parts + (size_t)(child & ~LF__BVH_LEAF) * stride : (const char *)&nodes[child];
    __builtin_prefetch(at);
    for (int line = 1; line < 7 && !leaf; line++)
        __builtin_prefetch(at + line * LF__CACHE_LINE);
}

/// Widen all boxes, by moving the ray's place against each side of them.
static inline void item_widen(bvh_ray_lanes *lanes, const float wide[3]) {
    for (int k = 0; k < 3; k++) {
        float by = lanes->near_plane[k] < lanes->far_plane[k] ? wide[k] : -wide[k];
        lanes->near_at[k] += by;
        lanes->far_at[k] -= by;
    }
}

// ---------------------------------------------------------------------------------------------------
// Plain C: the reference
// ---------------------------------------------------------------------------------------------------

static bool items_start_scalar(lf__bvh_ray *walk, bvh_ray_lanes *lanes) {
    bvh_ray_axes ray;
    double scale;
    int largest;
    return bvh_start_scalar(walk, lanes, &ray, &scale, &largest);
}

/// The children that the ray enters before `far`, and where.
static unsigned items_node_mask_scalar(const lf__item_node *node, const bvh_ray_lanes *lanes, float far,
                                       float *near) {
    unsigned mask = 0;
    for (int lane = 0; lane < LF__ITEM_WIDTH; lane++) {
        if (bvh_enters_lane(&node->plane[0][lane], LF__ITEM_WIDTH, lanes, far, &near[lane]) &&
            node->child[lane] != LF__BVH_NOWHERE)
            mask |= 1u << lane;
    }
    return mask;
}

/// The nearest child of a node that the ray enters before `far`; the others go on the stack, nearest on top. LF__BVH_NOWHERE
/// when there is none.
static inline __attribute__((always_inline)) uint32_t
item_nearest_of(const lf__item_node *node, unsigned mask, const float *near, item_stack *stack) {
    if (mask == 0)
        return LF__BVH_NOWHERE;
    unsigned best = (unsigned)__builtin_ctz(mask);
    int base = stack->count;
    for (mask &= mask - 1; mask; mask &= mask - 1) {
        unsigned other = (unsigned)__builtin_ctz(mask);
        bool nearer = near[other] < near[best];
        unsigned farther = nearer ? best : other;
        best = nearer ? other : best;
        stack->near[stack->count] = near[farther];
        stack->child[stack->count++] = node->child[farther];
    }
    if (stack->count > base + 1)
        item_sort(stack, base);
    return node->child[best];
}

static uint32_t items_nearest_scalar(const lf__item_node *node, const bvh_ray_lanes *lanes, float far,
                                     item_stack *stack) {
    float near[LF__ITEM_WIDTH];
    return item_nearest_of(node, items_node_mask_scalar(node, lanes, far, near), near, stack);
}

#define NAME(f) items_##f##_scalar
#define IN_TURN items_nearest_scalar
#define TARGET
#include "bvh/k_bvh_items_walk.h"

#if LF__SIMD

/// A ray for the tests of boxes. It is stored whole and read in parts, which does not wait.
BVH_AVX2 static inline bool items_start_avx2(lf__bvh_ray *walk, bvh_ray_lanes *lanes) {
    bvh_start start;
    if (!bvh_start_avx2(walk, &start))
        return false;
    unsigned backward = (unsigned)_mm_movemask_ps(start.slope);
    _mm_storeu_ps(lanes->inverse, start.slope);
    _mm_storeu_ps(lanes->near_at, start.near_at);
    _mm_storeu_ps(lanes->far_at, start.far_at);
    for (int k = 0; k < 3; k++) {
        bool back = backward >> k & 1;
        lanes->near_plane[k] = back ? 3 + k : k;
        lanes->far_plane[k] = back ? k : 3 + k;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------
// AVX2: eight lanes at once
// ---------------------------------------------------------------------------------------------------

BVH_AVX2 static inline unsigned items_node_half_avx2(const lf__item_node *node, const bvh_ray_lanes *lanes,
                                                     float far, float *near, int half) {
    __m256 enter = _mm256_setzero_ps(), leave = _mm256_set1_ps(far);
    for (int k = 0; k < 3; k++) {
        __m256 inverse = _mm256_set1_ps(lanes->inverse[k]);
        __m256 to_near = _mm256_sub_ps(_mm256_loadu_ps(node->plane[lanes->near_plane[k]] + half),
                                       _mm256_set1_ps(lanes->near_at[k]));
        __m256 to_far = _mm256_sub_ps(_mm256_loadu_ps(node->plane[lanes->far_plane[k]] + half),
                                      _mm256_set1_ps(lanes->far_at[k]));
        // The second operand wins when the first is NaN (inf times zero).
        enter = _mm256_max_ps(_mm256_mul_ps(to_near, inverse), enter);
        leave = _mm256_min_ps(_mm256_mul_ps(to_far, inverse), leave);
    }
    enter = _mm256_mul_ps(enter, _mm256_set1_ps(BVH_NARROWER));
    leave = _mm256_mul_ps(leave, _mm256_set1_ps(BVH_WIDER));
    _mm256_storeu_ps(near + half, enter);
    __m256i child = _mm256_loadu_si256((const __m256i *)(const void *)(node->child + half));
    __m256i absent = _mm256_cmpeq_epi32(child, _mm256_set1_epi32(-1));
    __m256 meets = _mm256_andnot_ps(_mm256_castsi256_ps(absent), _mm256_cmp_ps(enter, leave, _CMP_LE_OQ));
    return (unsigned)_mm256_movemask_ps(meets) << half;
}

BVH_AVX2 static inline unsigned items_node_mask_avx2(const lf__item_node *node, const bvh_ray_lanes *lanes,
                                                     float far, float *near) {
    return items_node_half_avx2(node, lanes, far, near, 0) | items_node_half_avx2(node, lanes, far, near, 8);
}

BVH_AVX2 static inline __attribute__((always_inline)) uint32_t
items_nearest_avx2(const lf__item_node *node, const bvh_ray_lanes *lanes, float far, item_stack *stack) {
    float near[LF__ITEM_WIDTH];
    return item_nearest_of(node, items_node_mask_avx2(node, lanes, far, near), near, stack);
}

#define NAME(f) items_##f##_avx2
#define IN_TURN items_nearest_avx2
#define TARGET BVH_AVX2
#include "bvh/k_bvh_items_walk.h"
#endif

// ---------------------------------------------------------------------------------------------------
// AVX-512: all lanes at once
// ---------------------------------------------------------------------------------------------------

#if LF__X86
#define BVH_AVX512 __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")))

BVH_AVX512 static inline bool items_start_avx512(lf__bvh_ray *walk, bvh_ray_lanes *lanes) {
    return items_start_avx2(walk, lanes);
}

/// The children that the ray enters before `far`, and where.
BVH_AVX512 static inline __mmask16 item_enters_avx512(const lf__item_node *node, const bvh_ray_lanes *lanes,
                                                      float far, __m512 *near) {
    __m512 enter = _mm512_setzero_ps(), leave = _mm512_set1_ps(far);
    for (int k = 0; k < 3; k++) {
        __m512 inverse = _mm512_set1_ps(lanes->inverse[k]);
        __m512 to_near = _mm512_sub_ps(_mm512_loadu_ps(node->plane[lanes->near_plane[k]]),
                                       _mm512_set1_ps(lanes->near_at[k]));
        __m512 to_far = _mm512_sub_ps(_mm512_loadu_ps(node->plane[lanes->far_plane[k]]),
                                      _mm512_set1_ps(lanes->far_at[k]));
        enter = _mm512_max_ps(_mm512_mul_ps(to_near, inverse), enter);
        leave = _mm512_min_ps(_mm512_mul_ps(to_far, inverse), leave);
    }
    *near = _mm512_mul_ps(enter, _mm512_set1_ps(BVH_NARROWER));
    leave = _mm512_mul_ps(leave, _mm512_set1_ps(BVH_WIDER));
    __mmask16 there = _mm512_cmpneq_epi32_mask(_mm512_loadu_si512(node->child), _mm512_set1_epi32(-1));
    return _mm512_mask_cmp_ps_mask(there, *near, leave, _CMP_LE_OQ);
}

BVH_AVX512 static inline __attribute__((always_inline)) uint32_t
items_nearest_avx512(const lf__item_node *node, const bvh_ray_lanes *lanes, float far, item_stack *stack) {
    float near[LF__ITEM_WIDTH];
    __m512 enter;
    unsigned mask = item_enters_avx512(node, lanes, far, &enter);
    _mm512_storeu_ps(near, enter);
    return item_nearest_of(node, mask, near, stack);
}

/// Without a loop: which children a ray enters cannot be predicted. That takes longer from one node to the next, but
/// with other rays in between nobody waits for it. The last bits of where a child is entered are replaced by its lane.
BVH_AVX512 static inline __attribute__((always_inline)) uint32_t
items_nearest_in_turn_avx512(const lf__item_node *node, const bvh_ray_lanes *lanes, float far,
                             item_stack *stack) {
    __m512 enter;
    __mmask16 mask = item_enters_avx512(node, lanes, far, &enter);
    if (mask == 0)
        return LF__BVH_NOWHERE;
    __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512i key = _mm512_ternarylogic_epi32(_mm512_castps_si512(enter), _mm512_set1_epi32(-16), lane, 0xea);
    unsigned best = (unsigned)_mm512_mask_reduce_min_epu32(mask, key) & 15;
    __mmask16 rest = (__mmask16)(mask & ~(1u << best));
    int base = stack->count;
    _mm512_storeu_ps(stack->near + base, _mm512_maskz_compress_ps(rest, enter));
    _mm512_storeu_si512(stack->child + base,
                        _mm512_maskz_compress_epi32(rest, _mm512_loadu_si512(node->child)));
    stack->count = base + __builtin_popcount(rest);
    if (stack->count > base + 1)
        item_sort(stack, base);
    return node->child[best];
}

#define NAME(f) items_##f##_avx512
#define IN_TURN items_nearest_in_turn_avx512
#define TARGET BVH_AVX512
#include "bvh/k_bvh_items_walk.h"
#undef BVH_AVX512
#endif

const lf__item_kernels *lf__item_kernels_for(lf_isa isa) {
#if LF__X86
    if (isa >= LF_ISA_AVX512)
        return &items_kernels_avx512;
#endif
#if LF__SIMD
    if (LF__SIMD_BY(isa))
        return &items_kernels_avx2;
#endif
    (void)isa;
    return &items_kernels_scalar;
}
