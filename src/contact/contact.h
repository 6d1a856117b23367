/// Internals of contact times: what the methods share.
#ifndef LF_CONTACT_CONTACT_H
#define LF_CONTACT_CONTACT_H

#include "geom/expansion.h"
#include <landfall/collide.h>

/// Coordinates and speeds are at most this.
#define LF__CONTACT_LIMIT 1e100

/// Rotating shapes touch when their distance is at most this share of their size.
#define LF__CONTACT_NEAR 1e-6

/// Times of aligned boxes surely differ when they differ by this share of themselves: each has three
/// roundings.
#define LF__CONTACT_DOUBT 0x1p-49

static inline bool lf__contact_usable(lf_vec3 a) {
    return fabs(a.x) <= LF__CONTACT_LIMIT && fabs(a.y) <= LF__CONTACT_LIMIT && fabs(a.z) <= LF__CONTACT_LIMIT;
}

static inline lf_contact_result lf__no_meeting(double ahead) {
    return (lf_contact_result){false, ahead, {0, 0, 0}, {0, 0, 0}};
}

static inline bool lf__is_zero(lf_vec3 a) {
    return a.x == 0 && a.y == 0 && a.z == 0;
}

/// A vector turned about an axis through the origin by spin * time.
lf_vec3 lf__turned(lf_vec3 a, lf_vec3 spin, double time);

/// How far the farthest corner of a box is from a point.
double lf__farthest_corner(lf_box box, lf_vec3 from);

/// Two valid boxes; in closed form, or, where one rotates, by conservative advancement.
bool lf__contact_pair_usable(const lf_moving_box *a, const lf_moving_box *b);
void lf__contact_pair(const lf_moving_box *a, const lf_moving_box *b, double ahead,
                      lf_contact_result *meeting);
/// Aligned boxes that are known to meet at a time.
void lf__contact_surely(const lf_moving_box *a, const lf_moving_box *b, double time,
                        lf_contact_result *meeting);

typedef struct lf__contact_kernels {
    /// One pair, checked and answered; false when it is invalid.
    bool (*one)(const lf_moving_box *a, const lf_moving_box *b, double ahead, lf_contact_result *meeting);
    /// Pairs from `first` to before `last`; returns the first that is invalid, or last.
    int64_t (*many)(const lf_contact_batch *batch, int64_t first, int64_t last);
} lf__contact_kernels;

const lf__contact_kernels *lf__contact_kernels_for(lf_isa isa);

/// The kernels for this machine. Chosen at the first call, since CPUID takes longer than a pair of boxes
/// does.
const lf__contact_kernels *lf__contact_kernels_best(void);

static inline const lf_moving_box *lf__moving_at(const lf_moving_box *boxes, size_t stride, int64_t index) {
    return (const lf_moving_box *)(const void *)((const char *)boxes + (size_t)index * stride);
}

void lf__contact_turning(const lf_moving_box *a, const lf_moving_box *b, double ahead,
                         lf_contact_result *meeting);

/// Do two blocks share a point where they are? (For landfall-published, as the next two.)
bool lf__blocks_touch(const lf_moving_block *a, const lf_moving_block *b);

/// When two valid spheres touch.
void lf__spheres_meet(const lf_moving_sphere *a, const lf_moving_sphere *b, double ahead,
                      lf_contact_result *meeting);

/// The interval of time in which two spheres touch, not clipped to [0, ahead]; false: never.
bool lf__spheres_stretch(const lf_moving_sphere *a, const lf_moving_sphere *b, double *from, double *to);

// ---------------------------------------------------------------------------------------------------
// Convex bodies at one moment
// ---------------------------------------------------------------------------------------------------

/// A body at some time.
typedef struct lf__posed {
    const lf_body *body;
    lf_vec3 turn[3]; ///< rows of the rotation since time 0
    lf_vec3 shift;   ///< world = turn * (rows * shape + translation) + shift
} lf__posed;

void lf__pose_body(const lf_body *body, double time, lf__posed *posed);

/// The separation of two bodies.
typedef struct lf__gap {
    double
        least; ///< a lower bound of the distance along `normal` of any two points; 0 or less: they may touch
    double distance; ///< of the nearest points found; an upper bound up to rounding
    lf_vec3 normal;  ///< unit, from b to a; zero when nothing separates them
    lf_vec3 point_a, point_b;
} lf__gap;

/// near  a gap of this length may be reported as touching
lf__gap lf__find_gap(const lf__posed *a, const lf__posed *b, double near);

#endif
