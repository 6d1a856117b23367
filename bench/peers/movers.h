/// Other libraries that find pairs of moving boxes and times of contact: Bullet and FCL. This is their face in C.
#ifndef LF_BENCH_MOVERS_H
#define LF_BENCH_MOVERS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Boxes as six doubles: low x, y, z, high x, y, z. All are floats in doubles.
/// The first `movers` boxes move, the others do not; a key is the smaller number << 32 | the larger one.
typedef struct movers_kind {
    const char *name;
    void *(*make)(const double *boxes, int64_t movers, int64_t stills);
    void (*drop)(void *world);
    /// Move all movers, then list the pairs of which at least one moves. Returns how many there are; keys has space for `capacity`.
    int64_t (*step)(void *world, const double *boxes, uint64_t *keys, int64_t capacity);
} movers_kind;

/// btDbvtBroadphase with its hashed pair cache. Boxes that do not move are in the static group, so that they make no pairs. The cache
/// holds pairs of widened boxes: they are compared once more when they are read.
const movers_kind *movers_bullet(void);
/// DynamicAABBTreeCollisionManager, one for the movers and one for the others.
const movers_kind *movers_fcl(void);

/// A box in motion: axes as rows of a rotation, and where its centre is at the start and at the end.
typedef struct cast_box {
    double turn[3][3]; ///< world = turn * local
    double half[3];
    double from[3], to[3];
} cast_box;

/// A way to find the first time of contact, as a share of the motion; negative: none.
typedef struct cast_kind {
    const char *name;
    void *(*make)(const cast_box *a, const cast_box *b, int64_t count);
    void (*drop)(void *world);
    void (*cast)(void *world, double *times);
} cast_kind;

const cast_kind *cast_bullet_subsimplex(void);
const cast_kind *cast_bullet_continuous(void);
const cast_kind *cast_fcl_default(void);
const cast_kind *cast_fcl_advancement(void);

#ifdef __cplusplus
}
#endif
#endif
