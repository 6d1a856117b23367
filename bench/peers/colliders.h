/// Other libraries that find touching triangles: FCL, ODE and Bullet. They are written in C++; this is their face in C.
#ifndef LF_BENCH_COLLIDERS_H
#define LF_BENCH_COLLIDERS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Triangles as peers take them.
typedef struct collider_shape {
    const double *vertices; ///< x, y, z
    const float *singles;   ///< the same
    int64_t vertex_count;
    const uint32_t *corners; ///< three per triangle
    int64_t triangle_count;
} collider_shape;

/// Rows of a rotation, then a translation.
typedef struct collider_pose {
    double turn[3][3];
    double shift[3];
} collider_pose;

/// One peer: every shape is made by `make` and released by `drop`.
typedef struct collider_kind {
    const char *name;
    void *(*make)(const collider_shape *shape);
    void (*drop)(void *model);
    /// How many pairs of triangles (or contacts, where the peer counts those) two models have; all false: stop at the
    /// first. pose_a NULL: a is where it was made, and nothing need be done about that.
    int64_t (*pairs)(void *a, const collider_pose *pose_a, void *b, const collider_pose *pose_b, bool all);
} collider_kind;

const collider_kind *collider_fcl_obbrss(void);
/// FCL carries boxes and DOPs of the second model into the first one's frame for every pose, all of them.
const collider_kind *collider_fcl_kdop(void);
const collider_kind *collider_ode(void);
const collider_kind *collider_gimpact(void);

#ifdef __cplusplus
}
#endif
#endif
