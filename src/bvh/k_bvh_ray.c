/// Node and leaf tests of the tree, scalar and with AVX2, and the traversals compiled for both.
#include "bvh/bvh.h"

/// Boxes' t is in floats: this much of it may be rounding.
#define WIDER (1 + 0x1p-21f)
#define NARROWER (1 - 0x1p-21f)

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

/// A ray's numbers by axis; whole registers.
typedef struct ray_axes {
    double origin[4], direction[4], inverse[4];
} ray_axes;

/// What leaves need of a ray. No coordinate of the ray or the tree is larger than `scale`.
static inline void shear_ray(lf__bvh_ray *walk, const ray_axes *ray, int largest, double scale) {
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

/// Whether an interval that was clipped to the tree's box is not empty, beyond all rounding.
static inline bool is_interval(double near, double far) {
    return near - LF__BVH_CLIP_PAD * fabs(near) <= far + LF__BVH_CLIP_PAD * fabs(far);
}

/// A child that waits on a traversal's stack, and where the ray enters it.
typedef struct bvh_ray_entry {
    float near;
    uint32_t child;
} bvh_ray_entry;

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

/// Ask for a child's memory, or that of an item, before it is needed.
static inline void prefetch_child(const lf__bvh *tree, const lf__item_search *search, uint32_t child) {
    uint32_t index = child & ~LF__BVH_LEAF;
    const char *at = !(child & LF__BVH_LEAF) ? (const char *)&tree->nodes[child]
                     : search                ? search->parts + (size_t)index * search->stride
                                             : (const char *)&tree->leaves[index];
    __builtin_prefetch(at);
    for (int line = 1; line < 4 && !(search && (child & LF__BVH_LEAF)); line++)
        __builtin_prefetch(at + line * LF__CACHE_LINE);
}

static inline void wait_for(const lf__bvh *tree, uint32_t child, bool within, bvh_ray_waiting *place) {
    prefetch_child(tree, NULL, child);
    *place = (bvh_ray_waiting){child, within};
}

// ---------------------------------------------------------------------------------------------------
// Plain C: the reference
// ---------------------------------------------------------------------------------------------------

typedef struct bvh_ray_ray_lanes_scalar {
    float inverse[3];
    float near_at[3], far_at[3];
    int near_plane[3], far_plane[3];
} bvh_ray_ray_lanes_scalar;

static inline double bvh_ray_larger(double a, double b) {
    return a > b ? a : b;
}

static ray_axes axes_of(const lf_ray *line) {
    ray_axes ray = {{line->origin.x, line->origin.y, line->origin.z, 0},
                    {line->direction.x, line->direction.y, line->direction.z, 0},
                    {0, 0, 0, 0}};
    const double *d = ray.direction;
    double least =
        LF__BVH_LEAST_DIRECTION * bvh_ray_larger(fabs(d[0]), bvh_ray_larger(fabs(d[1]), fabs(d[2])));
    for (int k = 0; k < 3; k++)
        ray.inverse[k] = 1 / (fabs(d[k]) < least ? copysign(least, d[k]) : d[k]);
    return ray;
}

/// Where the line enters the tree's box, a little before rather than after. false: it misses the box.
static bool enter_box(lf__bvh_ray *walk, const ray_axes *ray, double scale) {
    const lf_box *box = &walk->tree->box;
    const double low[3] = {box->low.x, box->low.y, box->low.z};
    const double high[3] = {box->high.x, box->high.y, box->high.z};
    double near = walk->line->t_min, far = walk->line->t_max, pad = LF__BVH_CLIP_PAD * scale;
    for (int k = 0; k < 3; k++) {
        double to_low = (low[k] - pad - ray->origin[k]) * ray->inverse[k];
        double to_high = (high[k] + pad - ray->origin[k]) * ray->inverse[k];
        near = bvh_ray_larger(near, to_low < to_high ? to_low : to_high);
        double last = to_low < to_high ? to_high : to_low;
        far = last < far ? last : far;
    }
    walk->start = near;
    return is_interval(near, far);
}

/// Make a ray ready for nodes and leaves; false when it misses the tree's box.
static bool bvh_ray_start_scalar(lf__bvh_ray *walk, bvh_ray_ray_lanes_scalar *lanes) {
    const lf__bvh *tree = walk->tree;
    const double centre[3] = {tree->origin.x, tree->origin.y, tree->origin.z};
    ray_axes ray = axes_of(walk->line);
    double x = fabs(ray.direction[0]), y = fabs(ray.direction[1]), z = fabs(ray.direction[2]);
    int largest = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    double scale = tree->scale;
    for (int k = 0; k < 3; k++)
        scale = bvh_ray_larger(scale, fabs(ray.origin[k]));
    if (!enter_box(walk, &ray, scale))
        return false;
    double start_pad = LF__BVH_START_PAD * (scale + fabs(walk->start * ray.direction[largest]));
    for (int k = 0; k < 3; k++) {
        double at = ray.origin[k] - centre[k] + walk->start * ray.direction[k];
        double pad = start_pad + LF__BVH_FLOAT_PAD * fabs(at) + LF__BVH_TINY_PAD;
        bool forward = ray.inverse[k] > 0;
        lanes->inverse[k] = (float)ray.inverse[k];
        lanes->near_at[k] = (float)(forward ? at + pad : at - pad);
        lanes->far_at[k] = (float)(forward ? at - pad : at + pad);
        lanes->near_plane[k] = forward ? k : 3 + k;
        lanes->far_plane[k] = forward ? 3 + k : k;
    }
    shear_ray(walk, &ray, largest, scale);
    return true;
}

static unsigned bvh_ray_node_mask_scalar(const lf__bvh_node *node, const bvh_ray_ray_lanes_scalar *lanes,
                                         float far, float *near) {
    unsigned mask = 0;
    for (int lane = 0; lane < LF__BVH_WIDTH; lane++) {
        float enter = 0, leave = far;
        for (int k = 0; k < 3; k++) {
            float a = (node->plane[lanes->near_plane[k]][lane] - lanes->near_at[k]) * lanes->inverse[k];
            float b = (node->plane[lanes->far_plane[k]][lane] - lanes->far_at[k]) * lanes->inverse[k];
            enter = a > enter ? a : enter;
            leave = b < leave ? b : leave;
        }
        near[lane] = enter * NARROWER;
        if (near[lane] <= leave * WIDER)
            mask |= 1u << lane;
    }
    return mask & node->lanes;
}

/// node_mask, and which of the children lie between the start of the walk and `before`.
static unsigned bvh_ray_node_within_scalar(const lf__bvh_node *node, const bvh_ray_ray_lanes_scalar *lanes,
                                           float far, float before, unsigned *within) {
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
        mask |= (unsigned)(enter * NARROWER <= leave * WIDER) << lane;
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
#define LANES bvh_ray_ray_lanes_scalar
#define TARGET
#include "bvh/k_bvh_ray_walk.h"

// ---------------------------------------------------------------------------------------------------
// AVX2: all eight lanes at once
// ---------------------------------------------------------------------------------------------------

#if LF__X86
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,fma")))

typedef struct bvh_ray_ray_lanes_avx2 {
    __m256 inverse[3];
    __m256 near_at[3], far_at[3];
    int near_plane[3], far_plane[3];
} bvh_ray_ray_lanes_avx2;

/// x, y, z; the fourth lane is unused.
TARGET static inline __m256d load_vector(const lf_vec3 *v) {
    return _mm256_maskload_pd(&v->x, _mm256_setr_epi64x(-1, -1, -1, 0));
}

TARGET static inline double most_of_three(__m256d v) {
    __m128d xy = _mm256_castpd256_pd128(v), z = _mm256_extractf128_pd(v, 1);
    return _mm_cvtsd_f64(_mm_max_sd(_mm_max_sd(xy, _mm_unpackhi_pd(xy, xy)), z));
}

TARGET static inline double least_of_three(__m256d v) {
    __m128d xy = _mm256_castpd256_pd128(v), z = _mm256_extractf128_pd(v, 1);
    return _mm_cvtsd_f64(_mm_min_sd(_mm_min_sd(xy, _mm_unpackhi_pd(xy, xy)), z));
}

TARGET static inline __m256d bvh_ray_size_of(__m256d v) {
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), v);
}

/// enter_box, three axes at once.
TARGET static inline bool bvh_ray_enter_box_avx2(lf__bvh_ray *walk, __m256d origin, __m256d inverse,
                                                 double scale) {
    __m256d pad = _mm256_set1_pd(LF__BVH_CLIP_PAD * scale);
    __m256d low = _mm256_sub_pd(load_vector(&walk->tree->box.low), pad);
    __m256d high = _mm256_add_pd(load_vector(&walk->tree->box.high), pad);
    __m256d to_low = _mm256_mul_pd(_mm256_sub_pd(low, origin), inverse);
    __m256d to_high = _mm256_mul_pd(_mm256_sub_pd(high, origin), inverse);
    double near = most_of_three(_mm256_min_pd(to_low, to_high));
    double far = least_of_three(_mm256_max_pd(to_low, to_high));
    near = near > walk->line->t_min ? near : walk->line->t_min;
    far = far < walk->line->t_max ? far : walk->line->t_max;
    walk->start = near;
    return is_interval(near, far);
}

/// Spread the place `at`, uncertain by `pad`, over the lanes of node tests.
TARGET static inline void spread_ray(bvh_ray_ray_lanes_avx2 *lanes, __m256d inverse, __m256d at,
                                     __m256d pad) {
    __m128 slope = _mm256_cvtpd_ps(inverse);
    __m128 low = _mm256_cvtpd_ps(_mm256_sub_pd(at, pad)), high = _mm256_cvtpd_ps(_mm256_add_pd(at, pad));
    __m128 near_at = _mm_blendv_ps(high, low, slope), far_at = _mm_blendv_ps(low, high, slope);
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

/// bvh_ray_start_scalar, three axes at once. Numbers stay in registers from the caller's ray to the lanes:
/// what is stored in parts and read back as a whole, or the other way round, waits a dozen cycles each time.
TARGET static inline bool bvh_ray_start_avx2(lf__bvh_ray *walk, bvh_ray_ray_lanes_avx2 *lanes) {
    const lf__bvh *tree = walk->tree;
    __m256d origin = load_vector(&walk->line->origin), direction = load_vector(&walk->line->direction);
    __m256d size = bvh_ray_size_of(direction);
    double longest = most_of_three(size), reach = most_of_three(bvh_ray_size_of(origin));
    double scale = reach > tree->scale ? reach : tree->scale;
    __m256d divisor = _mm256_max_pd(size, _mm256_set1_pd(LF__BVH_LEAST_DIRECTION * longest));
    divisor = _mm256_or_pd(divisor, _mm256_and_pd(_mm256_set1_pd(-0.0), direction));
    __m256d inverse = _mm256_div_pd(_mm256_set1_pd(1), divisor);
    if (!bvh_ray_enter_box_avx2(walk, origin, inverse, scale))
        return false;
    __m256d at = _mm256_add_pd(_mm256_sub_pd(origin, load_vector(&tree->origin)),
                               _mm256_mul_pd(_mm256_set1_pd(walk->start), direction));
    double start_pad = LF__BVH_START_PAD * (scale + fabs(walk->start) * longest) + LF__BVH_TINY_PAD;
    __m256d pad = _mm256_add_pd(_mm256_set1_pd(start_pad),
                                _mm256_mul_pd(_mm256_set1_pd(LF__BVH_FLOAT_PAD), bvh_ray_size_of(at)));
    spread_ray(lanes, inverse, at, pad);
    __m256d is_longest = _mm256_cmp_pd(size, _mm256_set1_pd(longest), _CMP_EQ_OQ);
    ray_axes ray;
    _mm256_storeu_pd(ray.origin, origin);
    _mm256_storeu_pd(ray.direction, direction);
    _mm256_storeu_pd(ray.inverse, inverse);
    shear_ray(walk, &ray, __builtin_ctz((unsigned)_mm256_movemask_pd(is_longest)), scale);
    return true;
}

TARGET static inline unsigned bvh_ray_node_mask_avx2(const lf__bvh_node *node,
                                                     const bvh_ray_ray_lanes_avx2 *lanes, float far,
                                                     float *near) {
    __m256 enter = _mm256_setzero_ps(), leave = _mm256_set1_ps(far);
    for (int k = 0; k < 3; k++) {
        __m256 to_near = _mm256_sub_ps(_mm256_loadu_ps(node->plane[lanes->near_plane[k]]), lanes->near_at[k]);
        __m256 to_far = _mm256_sub_ps(_mm256_loadu_ps(node->plane[lanes->far_plane[k]]), lanes->far_at[k]);
        // The second operand wins when the first is NaN (inf times zero).
        enter = _mm256_max_ps(_mm256_mul_ps(to_near, lanes->inverse[k]), enter);
        leave = _mm256_min_ps(_mm256_mul_ps(to_far, lanes->inverse[k]), leave);
    }
    enter = _mm256_mul_ps(enter, _mm256_set1_ps(NARROWER));
    leave = _mm256_mul_ps(leave, _mm256_set1_ps(WIDER));
    _mm256_storeu_ps(near, enter);
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(enter, leave, _CMP_LE_OQ)) & node->lanes;
}

TARGET static inline unsigned bvh_ray_node_within_avx2(const lf__bvh_node *node,
                                                       const bvh_ray_ray_lanes_avx2 *lanes, float far,
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
    enter = _mm256_mul_ps(_mm256_max_ps(enter, zero), _mm256_set1_ps(NARROWER));
    leave = _mm256_mul_ps(_mm256_min_ps(leave, _mm256_set1_ps(far)), _mm256_set1_ps(WIDER));
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
#define LANES bvh_ray_ray_lanes_avx2
#include "bvh/k_bvh_ray_walk.h"
#endif

const lf__bvh_kernels *lf__bvh_kernels_for(lf_isa isa) {
#if LF__X86
    if (isa >= LF_ISA_AVX2)
        return &bvh_ray_kernels_avx2;
#endif
    (void)isa;
    return &bvh_ray_kernels_scalar;
}

#undef LANES
#undef TARGET
