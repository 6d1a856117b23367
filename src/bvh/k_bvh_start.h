/// What the traversals of triangles and of items share: where a ray enters the tree's box, in numbers for the tests of boxes, and the stack of
/// children that wait.
#ifndef LF_BVH_K_BVH_START_H
#define LF_BVH_K_BVH_START_H

#include "bvh/bvh.h"

/// Boxes' t is in floats: this much of it may be rounding.
#define BVH_WIDER (1 + 0x1p-21f)
#define BVH_NARROWER (1 - 0x1p-21f)

/// A child that waits on a traversal's stack, and where the ray enters it.
typedef struct bvh_ray_entry {
    float near;
    uint32_t child;
} bvh_ray_entry;

/// The top of the stack that begins before `far`; LF__BVH_NOWHERE: none does.
static inline uint32_t bvh_next_child(const bvh_ray_entry *stack, int *count, float far) {
    while (*count > 0) {
        const bvh_ray_entry *top = &stack[--*count];
        if (!(top->near > far))
            return top->child;
    }
    return LF__BVH_NOWHERE;
}

/// The largest float t, counted from the start of the walk, that may still matter: t is rounded, and all
/// triangles with the same exact t must be found.
static inline float bvh_far_of(const lf__bvh_ray *walk, double t) {
    double far = t - walk->start + 2 * LF__MEET_ERROR * fabs(t);
    return far < 0 ? 0 : far < 3e38 ? (float)far * BVH_WIDER : INFINITY;
}

/// Whether an interval that was clipped to the tree's box is not empty, beyond all rounding.
static inline bool bvh_is_interval(double near, double far) {
    return near - LF__BVH_CLIP_PAD * fabs(near) <= far + LF__BVH_CLIP_PAD * fabs(far);
}

// ---------------------------------------------------------------------------------------------------
// Plain C: the reference
// ---------------------------------------------------------------------------------------------------

/// A ray's numbers by axis; whole registers.
typedef struct bvh_ray_axes {
    double origin[4], direction[4], inverse[4];
} bvh_ray_axes;

/// A ray for the tests of boxes, from where it enters the tree's box.
typedef struct bvh_ray_lanes {
    float inverse[4];
    float near_at[4], far_at[4];
    int near_plane[3], far_plane[3];
} bvh_ray_lanes;

/// Does a ray enter the box of a child before it leaves it, and before `far`? plane: the low x of its box; its other planes follow, each `width` floats on.
static inline bool bvh_enters_lane(const float *plane, int width, const bvh_ray_lanes *lanes, float far,
                                   float *near) {
    float enter = 0, leave = far;
    for (int k = 0; k < 3; k++) {
        float a = (plane[lanes->near_plane[k] * width] - lanes->near_at[k]) * lanes->inverse[k];
        float b = (plane[lanes->far_plane[k] * width] - lanes->far_at[k]) * lanes->inverse[k];
        enter = a > enter ? a : enter;
        leave = b < leave ? b : leave;
    }
    *near = enter * BVH_NARROWER;
    return *near <= leave * BVH_WIDER;
}

static inline double bvh_ray_larger(double a, double b) {
    return a > b ? a : b;
}

static inline bvh_ray_axes bvh_axes_of(const lf_ray *line) {
    bvh_ray_axes ray = {{line->origin.x, line->origin.y, line->origin.z, 0},
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
static inline bool bvh_enter_box(lf__bvh_ray *walk, const bvh_ray_axes *ray, double scale) {
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
    return bvh_is_interval(near, far);
}

/// Make a ray ready for the tests of boxes; false when it misses the tree's box.
/// scale    no coordinate of the ray or the tree is larger
/// largest  the axis along which the direction is
static inline bool bvh_start_scalar(lf__bvh_ray *walk, bvh_ray_lanes *lanes, bvh_ray_axes *ray, double *scale,
                                    int *largest) {
    const lf__bvh *tree = walk->tree;
    const double centre[3] = {tree->origin.x, tree->origin.y, tree->origin.z};
    *ray = bvh_axes_of(walk->line);
    double x = fabs(ray->direction[0]), y = fabs(ray->direction[1]), z = fabs(ray->direction[2]);
    *largest = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    *scale = tree->scale;
    for (int k = 0; k < 3; k++)
        *scale = bvh_ray_larger(*scale, fabs(ray->origin[k]));
    if (!bvh_enter_box(walk, ray, *scale))
        return false;
    double start_pad = LF__BVH_START_PAD * (*scale + fabs(walk->start * ray->direction[*largest]));
    for (int k = 0; k < 3; k++) {
        double at = ray->origin[k] - centre[k] + walk->start * ray->direction[k];
        double pad = start_pad + LF__BVH_FLOAT_PAD * fabs(at) + LF__BVH_TINY_PAD;
        bool forward = ray->inverse[k] > 0;
        lanes->inverse[k] = (float)ray->inverse[k];
        lanes->near_at[k] = (float)(forward ? at + pad : at - pad);
        lanes->far_at[k] = (float)(forward ? at - pad : at + pad);
        lanes->near_plane[k] = forward ? k : 3 + k;
        lanes->far_plane[k] = forward ? 3 + k : k;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------
// AVX2: three axes at once
// ---------------------------------------------------------------------------------------------------

#if LF__SIMD
#include "base/k_simd.h"

#define BVH_AVX2 LF__SIMD_TARGET

/// The same in registers, from the caller's ray to the lanes: what is stored in parts and read back as a whole, or the
/// other way round, waits a dozen cycles each time.
typedef struct bvh_start {
    __m256d origin, direction, size, inverse;
    double longest, scale; ///< component of the direction; coordinate of the ray and the tree
    __m128 slope, near_at, far_at;
} bvh_start;

/// x, y, z; the fourth lane is unused.
BVH_AVX2 static inline __m256d bvh_load_vector(const lf_vec3 *v) {
    return _mm256_maskload_pd(&v->x, _mm256_setr_epi64x(-1, -1, -1, 0));
}

BVH_AVX2 static inline double bvh_most_of_three(__m256d v) {
    __m128d xy = _mm256_castpd256_pd128(v), z = _mm256_extractf128_pd(v, 1);
    return _mm_cvtsd_f64(_mm_max_sd(_mm_max_sd(xy, _mm_unpackhi_pd(xy, xy)), z));
}

BVH_AVX2 static inline double bvh_least_of_three(__m256d v) {
    __m128d xy = _mm256_castpd256_pd128(v), z = _mm256_extractf128_pd(v, 1);
    return _mm_cvtsd_f64(_mm_min_sd(_mm_min_sd(xy, _mm_unpackhi_pd(xy, xy)), z));
}

BVH_AVX2 static inline __m256d bvh_size_of(__m256d v) {
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), v);
}

/// bvh_enter_box, three axes at once.
BVH_AVX2 static inline bool bvh_enter_box_avx2(lf__bvh_ray *walk, const bvh_start *s) {
    __m256d pad = _mm256_set1_pd(LF__BVH_CLIP_PAD * s->scale);
    __m256d low = _mm256_sub_pd(bvh_load_vector(&walk->tree->box.low), pad);
    __m256d high = _mm256_add_pd(bvh_load_vector(&walk->tree->box.high), pad);
    __m256d to_low = _mm256_mul_pd(_mm256_sub_pd(low, s->origin), s->inverse);
    __m256d to_high = _mm256_mul_pd(_mm256_sub_pd(high, s->origin), s->inverse);
    double near = bvh_most_of_three(_mm256_min_pd(to_low, to_high));
    double far = bvh_least_of_three(_mm256_max_pd(to_low, to_high));
    near = near > walk->line->t_min ? near : walk->line->t_min;
    far = far < walk->line->t_max ? far : walk->line->t_max;
    walk->start = near;
    return bvh_is_interval(near, far);
}

/// bvh_start_scalar, three axes at once.
BVH_AVX2 static inline bool bvh_start_avx2(lf__bvh_ray *walk, bvh_start *s) {
    const lf__bvh *tree = walk->tree;
    s->origin = bvh_load_vector(&walk->line->origin);
    s->direction = bvh_load_vector(&walk->line->direction);
    s->size = bvh_size_of(s->direction);
    s->longest = bvh_most_of_three(s->size);
    double reach = bvh_most_of_three(bvh_size_of(s->origin));
    s->scale = reach > tree->scale ? reach : tree->scale;
    __m256d divisor = _mm256_max_pd(s->size, _mm256_set1_pd(LF__BVH_LEAST_DIRECTION * s->longest));
    divisor = _mm256_or_pd(divisor, _mm256_and_pd(_mm256_set1_pd(-0.0), s->direction));
    s->inverse = _mm256_div_pd(_mm256_set1_pd(1), divisor);
    if (!bvh_enter_box_avx2(walk, s))
        return false;
    __m256d at = _mm256_add_pd(_mm256_sub_pd(s->origin, bvh_load_vector(&tree->origin)),
                               _mm256_mul_pd(_mm256_set1_pd(walk->start), s->direction));
    double start_pad = LF__BVH_START_PAD * (s->scale + fabs(walk->start) * s->longest) + LF__BVH_TINY_PAD;
    __m256d pad = _mm256_add_pd(_mm256_set1_pd(start_pad),
                                _mm256_mul_pd(_mm256_set1_pd(LF__BVH_FLOAT_PAD), bvh_size_of(at)));
    s->slope = _mm256_cvtpd_ps(s->inverse);
    __m128 low = _mm256_cvtpd_ps(_mm256_sub_pd(at, pad)), high = _mm256_cvtpd_ps(_mm256_add_pd(at, pad));
    s->near_at = _mm_blendv_ps(high, low, s->slope);
    s->far_at = _mm_blendv_ps(low, high, s->slope);
    return true;
}

#endif
#endif
