/// Node and leaf tests of the tree, plain and with AVX2, and the traversals compiled for both.
#include "tree/tree.h"

/// Boxes' t is in floats: this much of it may be rounding.
#define WIDER (1 + 0x1p-21f)
#define NARROWER (1 - 0x1p-21f)

/// Coordinates in a leaf reach this far.
#define REACH 0x1p15f

/// How far the edge functions of a leaf can be off, in units. Sheared corners are within 2 REACH of the leaf's origin, and so
/// must the ray be to meet anything: differences are then up to 4 REACH. Each is off by 1 for the rounding of two
/// coordinates to whole units (the shear is at most 1) and by less than 2^-5 for floats; an edge function, the
/// difference of two products of two differences, by less than 4 * 4 REACH * 1.1 = 2^19.2.
#define LEAF_DOUBT 0x1p20f

/// The ray relative to a leaf, sheared so that it runs along the third axis, in units; and how far off that can be.
typedef struct leaf_ray {
    float at[2];
    float slack;
} leaf_ray;

static inline leaf_ray ray_in_leaf(const lf__tree_leaf *leaf, const lf__tree_ray *walk) {
    const double origin[3] = {walk->line.origin.x, walk->line.origin.y, walk->line.origin.z};
    leaf_ray ray;
    double along = origin[walk->axis[2]] - leaf->origin[walk->axis[2]];
    for (int k = 0; k < 2; k++) {
        double across = origin[walk->axis[k]] - leaf->origin[walk->axis[k]];
        ray.at[k] = (float)((across - walk->shear[k] * along) * leaf->scale);
    }
    ray.slack = (float)(4 * walk->blur * leaf->scale);
    return ray;
}

/// What the place of the ray alone says about a leaf.
typedef enum leaf_verdict { LEAF_MISSED, LEAF_UNSURE, LEAF_TEST } leaf_verdict;

/// A ray beyond the corners meets nothing. One from so far away that its place is uncertain by as much as the leaf is
/// large must be tested exactly. In between, differences are up to 5 REACH, so that slack moves edge functions by no more than
/// 4 * 5 REACH * slack < 2^20 slack.
static inline leaf_verdict judge_leaf(const leaf_ray *ray) {
    if (!(ray->slack < REACH))
        return LEAF_UNSURE;
    float limit = 2 * REACH + ray->slack;
    return fabsf(ray->at[0]) <= limit && fabsf(ray->at[1]) <= limit ? LEAF_TEST : LEAF_MISSED;
}

/// Which lanes the line surely passes on the inside, by the side it comes from. `left` are those with positive edge
/// functions: seen from the end of the third axis they run counter-clockwise.
static inline void sort_sides(const lf__tree_ray *walk, unsigned left, unsigned right, unsigned *front,
                              unsigned *back) {
    bool forward = walk->near_plane[walk->axis[2]] < 3;
    *front = forward ? right : left;
    *back = forward ? left : right;
}

/// A child that waits on a traversal's stack, and where the ray enters it.
typedef struct entry {
    float near;
    uint32_t child;
} entry;

/// Ask for a child's memory before it is needed.
static inline void prefetch_child(const lf_tree *tree, uint32_t child) {
    const char *at = child & LF__TREE_LEAF ? (const char *)&tree->leaves[child & ~LF__TREE_LEAF]
                                           : (const char *)&tree->nodes[child];
    for (int line = 0; line < 4; line++)
        __builtin_prefetch(at + line * LF__CACHE_LINE);
}

// ---------------------------------------------------------------------------------------------------
// Plain C: the reference
// ---------------------------------------------------------------------------------------------------

typedef struct ray_lanes_scalar {
    const lf__tree_ray *walk;
} ray_lanes_scalar;

static inline void spread_ray_scalar(const lf__tree_ray *walk, ray_lanes_scalar *lanes) {
    lanes->walk = walk;
}

static unsigned node_mask_scalar(const lf__tree_node *node, const ray_lanes_scalar *lanes, float far,
                                 float *near) {
    const lf__tree_ray *walk = lanes->walk;
    unsigned mask = 0;
    for (int lane = 0; lane < LF__TREE_WIDTH; lane++) {
        float enter = 0, leave = far;
        for (int k = 0; k < 3; k++) {
            bool forward = walk->near_plane[k] < 3;
            float to_near = node->plane[forward ? k : 3 + k][lane] - (forward ? walk->high[k] : walk->low[k]);
            float to_far = node->plane[forward ? 3 + k : k][lane] - (forward ? walk->low[k] : walk->high[k]);
            float a = to_near * walk->inverse[k], b = to_far * walk->inverse[k];
            enter = a > enter ? a : enter;
            leave = b < leave ? b : leave;
        }
        near[lane] = enter * NARROWER;
        if (near[lane] <= leave * WIDER)
            mask |= 1u << lane;
    }
    return mask & node->lanes;
}

static unsigned leaf_mask_scalar(const lf__tree_leaf *leaf, const lf__tree_ray *walk, unsigned *front,
                                 unsigned *back) {
    float shear[2] = {(float)walk->shear[0], (float)walk->shear[1]};
    unsigned mask = 0, left = 0, right = 0;
    leaf_ray ray = ray_in_leaf(leaf, walk);
    leaf_verdict verdict = judge_leaf(&ray);
    *front = *back = 0;
    if (verdict != LEAF_TEST)
        return verdict == LEAF_MISSED ? 0 : leaf->lanes;
    float doubt = LEAF_DOUBT * (1 + ray.slack);
    for (unsigned lane = 0; lane < LF__TREE_WIDTH; lane++) {
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

static int overlapping_scalar(const lf__tree_node *node, const float low[3], const float high[3]) {
    int mask = 0;
    for (int lane = 0; lane < LF__TREE_WIDTH; lane++) {
        bool apart = false;
        for (int k = 0; k < 3; k++)
            apart |= node->plane[k][lane] > high[k] || node->plane[3 + k][lane] < low[k];
        mask |= !apart << lane;
    }
    return mask;
}

#define NAME(f) f##_scalar
#define LANES ray_lanes_scalar
#define TARGET
#include "tree/k_ray_walk.h"

// ---------------------------------------------------------------------------------------------------
// AVX2: all eight lanes at once
// ---------------------------------------------------------------------------------------------------

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,fma")))

typedef struct ray_lanes_avx2 {
    __m256 inverse[3];
    __m256 near_at[3], far_at[3];
    int near_plane[3], far_plane[3];
} ray_lanes_avx2;

TARGET static inline void spread_ray_avx2(const lf__tree_ray *walk, ray_lanes_avx2 *lanes) {
    for (int k = 0; k < 3; k++) {
        bool forward = walk->near_plane[k] < 3;
        lanes->inverse[k] = _mm256_set1_ps(walk->inverse[k]);
        lanes->near_at[k] = _mm256_set1_ps(forward ? walk->high[k] : walk->low[k]);
        lanes->far_at[k] = _mm256_set1_ps(forward ? walk->low[k] : walk->high[k]);
        lanes->near_plane[k] = forward ? k : 3 + k;
        lanes->far_plane[k] = forward ? 3 + k : k;
    }
}

TARGET static inline unsigned node_mask_avx2(const lf__tree_node *node, const ray_lanes_avx2 *lanes,
                                             float far, float *near) {
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

TARGET static inline __m256 load_units(const int16_t *units) {
    return _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(const void *)units)));
}

TARGET static inline unsigned leaf_mask_avx2(const lf__tree_leaf *leaf, const lf__tree_ray *walk,
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

TARGET static int overlapping_avx2(const lf__tree_node *node, const float low[3], const float high[3]) {
    __m256 both = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
    for (int k = 0; k < 3; k++) {
        __m256 begins = _mm256_cmp_ps(_mm256_loadu_ps(node->plane[k]), _mm256_set1_ps(high[k]), _CMP_LE_OQ);
        __m256 ends = _mm256_cmp_ps(_mm256_loadu_ps(node->plane[3 + k]), _mm256_set1_ps(low[k]), _CMP_GE_OQ);
        both = _mm256_and_ps(both, _mm256_and_ps(begins, ends));
    }
    return _mm256_movemask_ps(both);
}

#define NAME(f) f##_avx2
#define LANES ray_lanes_avx2
#include "tree/k_ray_walk.h"
#endif

const lf__tree_kernels *lf__tree_kernels_for(lf_isa isa) {
#if defined(__x86_64__)
    if (isa >= LF_ISA_AVX2)
        return &kernels_avx2;
#endif
    (void)isa;
    return &kernels_scalar;
}
