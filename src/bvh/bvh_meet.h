/// Does a ray meet a triangle? Yes or no is exact; t is within 3e-14 of the exact value, relative.
#ifndef LF_BVH_MEET_H
#define LF_BVH_MEET_H

#include "base/arithmetic.h"
#include <landfall/ground.h>

/// The side from which a line comes.
typedef enum lf__side {
    LF__SIDE_FRONT,  ///< against the normal
    LF__SIDE_BACK,   ///< along it
    LF__SIDE_EDGE_ON ///< in the triangle's plane
} lf__side;

/// Directions within these bounds need no scaling.
#define LF__DIRECTION_SMALL 0x1p-60
#define LF__DIRECTION_LARGE 0x1p60

/// The same ray with its direction scaled by a power of two, which is exact, so that its largest component is
/// about one.
void lf__line_scaled(const lf_ray *ray, lf_ray *scaled, int *exponent);

/// The ray with a direction that is neither tiny nor huge: nearly always the caller's own, which saves a copy, else
/// `scaled`. t of the caller = ldexp(t there, -exponent).
static inline const lf_ray *lf__line_of(const lf_ray *ray, lf_ray *scaled, int *exponent) {
    double x = fabs(ray->direction.x), y = fabs(ray->direction.y), z = fabs(ray->direction.z);
    double largest = x > y ? x : y;
    largest = z > largest ? z : largest;
    *exponent = 0;
    if (largest >= LF__DIRECTION_SMALL && largest <= LF__DIRECTION_LARGE)
        return ray;
    lf__line_scaled(ray, scaled, exponent);
    return scaled;
}

typedef struct lf__meeting {
    double t; ///< in lengths of the line's direction
    lf__side side;
} lf__meeting;

/// Does the line meet the closed triangle within its closed interval? Triangles without area are never met.
/// exact  counts the decisions that needed exact arithmetic
bool lf__meet(const lf_ray *line, const lf_vec3 triangle[3], lf__meeting *meeting, uint64_t *exact);

/// The relative error of t. Two t that differ by less than four times that do not decide which comes first.
#define LF__MEET_ERROR 0x1p-45
#define LF__MEET_TINY 0x1p-1000 ///< covers the loss of the smallest numbers in scaling a direction back

/// The sign of t - other where rounding cannot change it, else 2: then lf__meet_order decides. `other` may be
/// INFINITY.
static inline int lf__meet_order_roughly(double t, double other) {
    double later = t - other, doubt = 4 * LF__MEET_ERROR * fabs(t) + LF__MEET_TINY;
    return later > doubt ? 1 : later < -doubt ? -1 : 2;
}

/// The sign of the exact t of one meeting minus that of another, which may be on another ray; both are met.
int lf__meet_order(const lf_ray *ray_a, const lf_vec3 a[3], const lf_ray *ray_b, const lf_vec3 b[3]);

/// The sign of the exact t of a meeting minus a number.
int lf__meet_against(const lf_ray *ray, const lf_vec3 triangle[3], double t);

/// The rest of lf__meet for a line that is known to pass the triangle's inside, from `side`.
bool lf__meet_inside(const lf_ray *line, const lf_vec3 triangle[3], lf__side side, lf__meeting *meeting,
                     uint64_t *exact);

#endif
