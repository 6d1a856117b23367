/// Exact answers, slowly: rays, gravity lines, hulls and orientations in rational arithmetic (GMP).
///
/// Written from the definitions alone and sharing no line with the library, so that it can oracle the library.
/// Every double is taken as the rational number that it is. One thread only: the numbers live in static storage.
#ifndef LF_TESTS_EXACT_H
#define LF_TESTS_EXACT_H

#include <landfall/ground.h>

/// How a line meets a closed triangle within [t_min, t_max].
typedef struct exact_meeting {
    bool met;
    int facing;  ///< sign of direction . normal: -1 comes from the front, +1 from behind, 0 in the plane
    double t;    ///< the exact t, rounded once; where the line enters when it lies in the plane
    double u, v; ///< exact weights of the second and third corner, rounded once; NaN when facing is 0
} exact_meeting;

/// Meet the line origin + t * direction with a triangle. t_min may be -INFINITY here, which no lf_ray allows.
/// A triangle without area is never met.
exact_meeting exact_ray_triangle(const lf_ray *ray, const lf_vec3 corners[3]);

/// The sign of the exact t at which one ray meets a triangle minus that at which another meets another; each is met.
int exact_order(const lf_ray *ray_a, const lf_vec3 a[3], const lf_ray *ray_b, const lf_vec3 b[3]);

/// The same line meets the triangle's plane off the triangle by more than a share of the triangle's size, or within
/// it by more than that: true. Near an edge or edge-on: false. For frames whose direction is rounded.
bool exact_clear_of_edges(const lf_ray *ray, const lf_vec3 corners[3], double share);

/// False only when the line of the ray certainly misses the triangle: a filter in plain doubles with a proven bound.
bool exact_may_meet(const lf_ray *ray, const lf_vec3 corners[3]);

/// Has the triangle area?
bool exact_has_area(const lf_vec3 corners[3]);

/// The unit normal on the counter-clockwise side, rounded a few times; zero without area.
lf_vec3 exact_normal(const lf_vec3 corners[3]);

/// The sign of direction . normal.
int exact_facing(lf_vec3 direction, const lf_vec3 corners[3]);

/// Is a point (its distance along the line aside) in the closed convex hull of points projected along a direction?
typedef struct exact_hull exact_hull;
exact_hull *exact_hull_make(const lf_vec3 *points, int64_t count, lf_vec3 along);
bool exact_hull_contains(const exact_hull *hull, lf_vec3 point);
void exact_hull_free(exact_hull *hull);

/// Do two closed boxes share a point? The box of a triangle is that of its corners.
bool exact_boxes_touch(lf_box a, lf_box b);
lf_box exact_box(const lf_vec3 *points, int64_t count);

#endif
