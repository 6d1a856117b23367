/// Node and leaf tests of the tree, scalar and with AVX2, and the traversals compiled for both.
#include "bvh/k_bvh_start.h"

/// Bound of the coordinates in a leaf.
#define REACH 0x1p15f

/// Error of the edge functions of a leaf, in units. Sheared corners are within 2 REACH of the leaf's origin, and so
/// must the ray be to meet anything: differences are then up to 4 REACH. Each is off by 1 for the rounding of two
/// coordinates to whole units (the shear is at most 1) and by less than 2^-5 for floats; an edge function, the
/// difference of two products of two differences, by less than 4 * 4 REACH * 1.1 = 2^19.2.
#define LEAF_DOUBT 0x1p20f

/// The ray relative to a leaf, sheared so that it runs along the third axis, in units; and the error of that.
typedef struct leaf_ray {
    float at[2];
    float slack;
} leaf_ray;

static inline leaf_ray ray_in_leaf(const lf__bvh_leaf *leaf, const lf__bvh_ray *walk) {
    leaf_ray ray;
    double along = walk->from[2] - leaf->origin[walk->axis[2]];
    for (int k = 0; k < 2; k++) {
        double across = walk->from[k] - leaf->origin[walk->axis[k]];
        ray.at[k] = (float)((across - walk->shear[k] * along) * leaf->scale);
    }
    ray.slack = (float)(4 * walk->blur * leaf->scale);
    return ray;
}

/// What the place of the ray alone says about a leaf.
typedef enum leaf_verdict { LEAF_MISSED, LEAF_UNSURE, LEAF_TEST } leaf_verdict;

/// A ray beyond the corners misses. One from so far away that its position is uncertain by as much as the
/// leaf is large must be tested exactly. In between, differences are up to 5 REACH, so that slack moves edge
/// functions by no more than 4 * 5 REACH * slack < 2^20 slack.
static inline leaf_verdict judge_leaf(const leaf_ray *ray) {
    if (!(ray->slack < REACH))
        return LEAF_UNSURE;
    float limit = 2 * REACH + ray->slack;
    return fabsf(ray->at[0]) <= limit && fabsf(ray->at[1]) <= limit ? LEAF_TEST : LEAF_MISSED;
}

/// Which lanes the line surely passes on the inside, by the side it comes from. `left` are those with positive edge
/// functions: seen from the end of the third axis they run counter-clockwise.
static inline void sort_sides(const lf__bvh_ray *walk, unsigned left, unsigned right, unsigned *front,
                              unsigned *back) {
    *front = walk->forward ? right : left;
    *back = walk->forward ? left : right;
}

/// The side from which the line surely passes a lane's inside, if it surely does.
static inline lf__side bvh_ray_side_of(unsigned lane, unsigned front, unsigned back) {
    return front >> lane & 1 ? LF__SIDE_FRONT : back >> lane & 1 ? LF__SIDE_BACK : LF__SIDE_EDGE_ON;
}

static inline bool accepted(const lf__bvh_ray *walk, uint32_t triangle, lf__side side) {
    return !walk->filter || walk->filter->accepts(walk->filter->user, triangle, side);
}

/// Is a meeting before the best so far: at a lower t, or at the same and with a lower number?
static inline bool bvh_ray_is_before(lf__bvh_ray *walk, double t, const lf__bvh_leaf *leaf, unsigned lane,
                                     const lf__bvh_meeting *best) {
    int order = lf__meet_order_roughly(t, best->t);
    return order == 2 ? lf__bvh_before(walk, leaf, lane, best) : order < 0;
}

/// What leaves need of a ray. No coordinate of the ray or the tree is larger than `scale`.
static inline void shear_ray(lf__bvh_ray *walk, const bvh_ray_axes *ray, int largest, double scale) {
    walk->axis[0] = largest == 2 ? 0 : largest + 1;
    walk->axis[1] = largest == 0 ? 2 : largest - 1;
    walk->axis[2] = largest;
    walk->forward = ray->direction[largest] > 0;
    for (int k = 0; k < 3; k++)
        walk->from[k] = ray->origin[walk->axis[k]];
    for (int k = 0; k < 2; k++)
        walk->shear[k] = ray->direction[walk->axis[k]] * ray->inverse[largest];
    walk->blur = LF__BVH_BLUR * scale;
}

/// A child that waits in a search for any hit; whether its box lies within the ray's interval as a whole.
typedef struct bvh_ray_waiting {
    uint32_t child;
    uint32_t within;
} bvh_ray_waiting;

/// Boxes that end before this, counted from the start of the walk, do not reach beyond the ray's interval. It is narrowed by
/// the error of the start, which may be far from the ray's own, and by what boxes are widened. 0 where it is so small that
/// rounding is no longer relative.
static inline float surely_before(const lf__bvh_ray *walk) {
    double t = walk->line->t_max, before = t - walk->start - 2 * LF__MEET_ERROR * fabs(t);
    if (isinf(t))
        return INFINITY;
    return !(before > 1e-30) ? 0 : before < 3e38 ? (float)before * (1 - 0x1p-19f) : INFINITY;
}

/// Ask for a child's memory before it is needed.
static inline void prefetch_child(const lf__bvh *tree, uint32_t child) {
    const char *at = child & LF__BVH_LEAF ? (const char *)&tree->leaves[child & ~LF__BVH_LEAF]
                                          : (const char *)&tree->nodes[child];
    for (int line = 0; line < 4; line++)
        __builtin_prefetch(at + line * LF__CACHE_LINE);
}

static inline void wait_for(const lf__bvh *tree, uint32_t child, bool within, bvh_ray_waiting *place) {
    prefetch_child(tree, child);
    *place = (bvh_ray_waiting){child, within};
}

// ---------------------------------------------------------------------------------------------------
// Plain C: the reference
// ---------------------------------------------------------------------------------------------------

/// Make a ray ready for nodes and leaves; false when it misses the tree's box.
static bool bvh_ray_start_scalar(lf__bvh_ray *walk, bvh_ray_lanes *lanes) {
    bvh_ray_axes ray;
    double scale;
    int largest;
    if (!bvh_start_scalar(walk, lanes, &ray, &scale, &largest))
        return false;
    shear_ray(walk, &ray, largest, scale);
    return true;
}

static unsigned bvh_ray_node_mask_scalar(const lf__bvh_node *node, const bvh_ray_lanes *lanes, float far,
                                         float *near) {
    unsigned mask = 0;
    for (int lane = 0; lane < LF__BVH_WIDTH; lane++) {
        if (bvh_enters_lane(&node->plane[0][lane], LF__BVH_WIDTH, lanes, far, &near[lane]))
            mask |= 1u << lane;
    }
    return mask & node->lanes;
}

/// node_mask, and which of the children lie between the start of the walk and `before`.
static unsigned bvh_ray_node_within_scalar(const lf__bvh_node *node, const bvh_ray_lanes *lanes, float far,
                                           float before, unsigned *within) {
    unsigned mask = 0;
    *within = 0;
    for (int lane = 0; lane < LF__BVH_WIDTH; lane++) {
        float enter = -INFINITY, leave = INFINITY;
        for (int k = 0; k < 3; k++) {
            float a = (node->plane[lanes->near_plane[k]][lane] - lanes->near_at[k]) * lanes->inverse[k];
            float b = (node->plane[lanes->far_plane[k]][lane] - lanes->far_at[k]) * lanes->inverse[k];
            enter = a > enter ? a : enter;
            leave = b < leave ? b : leave;
        }
        *within |= (unsigned)(enter > 0 && leave < before) << lane;
        enter = enter > 0 ? enter : 0;
        leave = leave < far ? leave : far;
        mask |= (unsigned)(enter * BVH_NARROWER <= leave * BVH_WIDER) << lane;
    }
    return mask & node->lanes;
}

static unsigned bvh_ray_leaf_mask_scalar(const lf__bvh_leaf *leaf, const lf__bvh_ray *walk, unsigned *front,
                                         unsigned *back) {
    float shear[2] = {(float)walk->shear[0], (float)walk->shear[1]};
    unsigned mask = 0, left = 0, right = 0;
    leaf_ray ray = ray_in_leaf(leaf, walk);
    leaf_verdict verdict = judge_leaf(&ray);
    *front = *back = 0;
    if (verdict != LEAF_TEST)
        return verdict == LEAF_MISSED ? 0 : leaf->lanes;
    float doubt = LEAF_DOUBT * (1 + ray.slack);
    for (unsigned lane = 0; lane < LF__BVH_WIDTH; lane++) {
        float x[3], y[3], least = INFINITY, most = -INFINITY;
        for (int c = 0; c < 3; c++) {
            float z = leaf->corner[c][walk->axis[2]][lane];
            x[c] = leaf->corner[c][walk->axis[0]][lane] - shear[0] * z - ray.at[0];
            y[c] = leaf->corner[c][walk->axis[1]][lane] - shear[1] * z - ray.at[1];
        }
        for (int c = 0; c < 3; c++) {
            int n = (c + 1) % 3;
            float edge = x[c] * y[n] - y[c] * x[n];
            least = least < edge ? least : edge;
            most = most > edge ? most : edge;
        }
        mask |= (unsigned)(least >= -doubt || most <= doubt) << lane;
        left |= (unsigned)(least > doubt) << lane;
        right |= (unsigned)(most < -doubt) << lane;
    }
    sort_sides(walk, left, right, front, back);
    return mask & leaf->lanes;
}

static int bvh_ray_overlapping_scalar(const lf__bvh_node *node, const float low[3], const float high[3]) {
    int mask = 0;
    for (int lane = 0; lane < LF__BVH_WIDTH; lane++) {
        bool apart = false;
        for (int k = 0; k < 3; k++)
            apart |= node->plane[k][lane] > high[k] || node->plane[3 + k][lane] < low[k];
        mask |= !apart << lane;
    }
    return mask;
}

#define NAME(f) bvh_ray_##f##_scalar
#define LANES bvh_ray_lanes
#define TARGET
#include "bvh/k_bvh_ray_walk.h"

// ---------------------------------------------------------------------------------------------------
// AVX2: all eight lanes at once
// ---------------------------------------------------------------------------------------------------

#if LF__SIMD
#define TARGET BVH_AVX2

typedef struct bvh_ray_lanes_avx2 {
    __m256 inverse[3];
    __m256 near_at[3], far_at[3];
    int near_plane[3], far_plane[3];
} bvh_ray_lanes_avx2;

/// Spread a ray over the lanes of node tests.
TARGET static inline void spread_ray(bvh_ray_lanes_avx2 *lanes, const bvh_start *start) {
    __m128 slope = start->slope, near_at = start->near_at, far_at = start->far_at;
    unsigned backward = (unsigned)_mm_movemask_ps(slope);
    lanes->inverse[0] = _mm256_broadcastss_ps(slope);
    lanes->inverse[1] = _mm256_broadcastss_ps(_mm_movehdup_ps(slope));
    lanes->inverse[2] = _mm256_broadcastss_ps(_mm_movehl_ps(slope, slope));
    lanes->near_at[0] = _mm256_broadcastss_ps(near_at);
    lanes->near_at[1] = _mm256_broadcastss_ps(_mm_movehdup_ps(near_at));
    lanes->near_at[2] = _mm256_broadcastss_ps(_mm_movehl_ps(near_at, near_at));
    lanes->far_at[0] = _mm256_broadcastss_ps(far_at);
    lanes->far_at[1] = _mm256_broadcastss_ps(_mm_movehdup_ps(far_at));
    lanes->far_at[2] = _mm256_broadcastss_ps(_mm_movehl_ps(far_at, far_at));
    for (int k = 0; k < 3; k++) {
        bool back = backward >> k & 1;
        lanes->near_plane[k] = back ? 3 + k : k;
        lanes->far_plane[k] = back ? k : 3 + k;
    }
}

/// bvh_ray_start_scalar, three axes at once.
TARGET static inline bool bvh_ray_start_avx2(lf__bvh_ray *walk, bvh_ray_lanes_avx2 *lanes) {
    bvh_start start;
    if (!bvh_start_avx2(walk, &start))
        return false;
    spread_ray(lanes, &start);
    __m256d is_longest = _mm256_cmp_pd(start.size, _mm256_set1_pd(start.longest), _CMP_EQ_OQ);
    bvh_ray_axes ray;
    _mm256_storeu_pd(ray.origin, start.origin);
    _mm256_storeu_pd(ray.direction, start.direction);
    _mm256_storeu_pd(ray.inverse, start.inverse);
    shear_ray(walk, &ray, __builtin_ctz((unsigned)_mm256_movemask_pd(is_longest)), start.scale);
    return true;
}

TARGET static inline unsigned
bvh_ray_node_mask_avx2(const lf__bvh_node *node, const bvh_ray_lanes_avx2 *lanes, float far, float *near) {
    __m256 enter = _mm256_setzero_ps(), leave = _mm256_set1_ps(far);
    for (int k = 0; k < 3; k++) {
        __m256 to_near = _mm256_sub_ps(_mm256_loadu_ps(node->plane[lanes->near_plane[k]]), lanes->near_at[k]);
        __m256 to_far = _mm256_sub_ps(_mm256_loadu_ps(node->plane[lanes->far_plane[k]]), lanes->far_at[k]);
        // The second operand wins when the first is NaN (inf times zero).
        enter = _mm256_max_ps(_mm256_mul_ps(to_near, lanes->inverse[k]), enter);
        leave = _mm256_min_ps(_mm256_mul_ps(to_far, lanes->inverse[k]), leave);
    }
    enter = _mm256_mul_ps(enter, _mm256_set1_ps(BVH_NARROWER));
    leave = _mm256_mul_ps(leave, _mm256_set1_ps(BVH_WIDER));
    _mm256_storeu_ps(near, enter);
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(enter, leave, _CMP_LE_OQ)) & node->lanes;
}

TARGET static inline unsigned bvh_ray_node_within_avx2(const lf__bvh_node *node,
                                                       const bvh_ray_lanes_avx2 *lanes, float far,
                                                       float before, unsigned *within) {
    __m256 enter = _mm256_set1_ps(-INFINITY), leave = _mm256_set1_ps(INFINITY), zero = _mm256_setzero_ps();
    for (int k = 0; k < 3; k++) {
        __m256 to_near = _mm256_sub_ps(_mm256_loadu_ps(node->plane[lanes->near_plane[k]]), lanes->near_at[k]);
        __m256 to_far = _mm256_sub_ps(_mm256_loadu_ps(node->plane[lanes->far_plane[k]]), lanes->far_at[k]);
        enter = _mm256_max_ps(_mm256_mul_ps(to_near, lanes->inverse[k]), enter);
        leave = _mm256_min_ps(_mm256_mul_ps(to_far, lanes->inverse[k]), leave);
    }
    __m256 begins = _mm256_cmp_ps(enter, zero, _CMP_GT_OQ);
    __m256 ends = _mm256_cmp_ps(leave, _mm256_set1_ps(before), _CMP_LT_OQ);
    *within = (unsigned)_mm256_movemask_ps(_mm256_and_ps(begins, ends));
    enter = _mm256_mul_ps(_mm256_max_ps(enter, zero), _mm256_set1_ps(BVH_NARROWER));
    leave = _mm256_mul_ps(_mm256_min_ps(leave, _mm256_set1_ps(far)), _mm256_set1_ps(BVH_WIDER));
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(enter, leave, _CMP_LE_OQ)) & node->lanes;
}

TARGET static inline __m256 load_units(const int16_t *units) {
    return _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(const void *)units)));
}

TARGET static inline unsigned bvh_ray_leaf_mask_avx2(const lf__bvh_leaf *leaf, const lf__bvh_ray *walk,
                                                     unsigned *front, unsigned *back) {
    leaf_ray ray = ray_in_leaf(leaf, walk);
    leaf_verdict verdict = judge_leaf(&ray);
    *front = *back = 0;
    if (verdict != LEAF_TEST)
        return verdict == LEAF_MISSED ? 0 : leaf->lanes;
    __m256 shear_x = _mm256_set1_ps((float)walk->shear[0]), shear_y = _mm256_set1_ps((float)walk->shear[1]);
    __m256 at_x = _mm256_set1_ps(ray.at[0]), at_y = _mm256_set1_ps(ray.at[1]);
    __m256 x[3], y[3];
    for (int c = 0; c < 3; c++) {
        __m256 z = load_units(leaf->corner[c][walk->axis[2]]);
        x[c] = _mm256_sub_ps(_mm256_fnmadd_ps(shear_x, z, load_units(leaf->corner[c][walk->axis[0]])), at_x);
        y[c] = _mm256_sub_ps(_mm256_fnmadd_ps(shear_y, z, load_units(leaf->corner[c][walk->axis[1]])), at_y);
    }
    __m256 edge[3];
    for (int c = 0; c < 3; c++) {
        int n = c == 2 ? 0 : c + 1;
        edge[c] = _mm256_fmsub_ps(x[c], y[n], _mm256_mul_ps(y[c], x[n]));
    }
    __m256 least = _mm256_min_ps(edge[0], _mm256_min_ps(edge[1], edge[2]));
    __m256 most = _mm256_max_ps(edge[0], _mm256_max_ps(edge[1], edge[2]));
    __m256 doubt = _mm256_set1_ps(LEAF_DOUBT * (1 + ray.slack)),
           minus = _mm256_sub_ps(_mm256_setzero_ps(), doubt);
    __m256 maybe =
        _mm256_or_ps(_mm256_cmp_ps(least, minus, _CMP_GE_OQ), _mm256_cmp_ps(most, doubt, _CMP_LE_OQ));
    unsigned left = (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(least, doubt, _CMP_GT_OQ));
    unsigned right = (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(most, minus, _CMP_LT_OQ));
    sort_sides(walk, left, right, front, back);
    return (unsigned)_mm256_movemask_ps(maybe) & leaf->lanes;
}

TARGET static int bvh_ray_overlapping_avx2(const lf__bvh_node *node, const float low[3],
                                           const float high[3]) {
    __m256 both = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
    for (int k = 0; k < 3; k++) {
        __m256 begins = _mm256_cmp_ps(_mm256_loadu_ps(node->plane[k]), _mm256_set1_ps(high[k]), _CMP_LE_OQ);
        __m256 ends = _mm256_cmp_ps(_mm256_loadu_ps(node->plane[3 + k]), _mm256_set1_ps(low[k]), _CMP_GE_OQ);
        both = _mm256_and_ps(both, _mm256_and_ps(begins, ends));
    }
    return _mm256_movemask_ps(both);
}

#define NAME(f) bvh_ray_##f##_avx2
#define LANES bvh_ray_lanes_avx2
#include "bvh/k_bvh_ray_walk.h"
#endif

const lf__bvh_kernels *lf__bvh_kernels_for(lf_isa isa) {
#if LF__SIMD
    if (LF__SIMD_BY(isa))
        return &bvh_ray_kernels_avx2;
#endif
    (void)isa;
    return &bvh_ray_kernels_scalar;
}

#undef LANES
#undef TARGET
