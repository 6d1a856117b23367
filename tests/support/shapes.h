/// Shapes and poses for tests of models: many kinds, from whole-number boxes whose faces coincide to real scans.
#ifndef LF_TESTS_SHAPES_H
#define LF_TESTS_SHAPES_H

#include "support.h"
#include <landfall/mesh.h>

#define SHAPE_LIST(X)                                             \
    X(SHAPE_SOUP, "soup")                                         \
    X(SHAPE_TREE, "tree")                                         \
    X(SHAPE_KNOT, "knot")                                         \
    X(SHAPE_BALL, "ball")                                         \
    X(SHAPE_BOXES, "boxes that share faces")                      \
    X(SHAPE_NESTED, "boxes inside boxes")                         \
    X(SHAPE_SHEETS, "coplanar sheets")                            \
    X(SHAPE_DOUBLED, "a soup of whole numbers, everything twice") \
    X(SHAPE_FLAT, "triangles without area")                       \
    X(SHAPE_NEEDLES, "needles")                                   \
    X(SHAPE_MIXED, "sizes of 1e-5 and 10 together")               \
    X(SHAPE_FAR, "a soup at 1e8")                                 \
    X(SHAPE_ONE, "one triangle")

typedef enum shape_kind {
#define SHAPE_ENUM(name, text) name,
    SHAPE_LIST(SHAPE_ENUM)
#undef SHAPE_ENUM
        SHAPE_KINDS
} shape_kind;

/// A shape of triangles.
typedef struct shape {
    const char *name;
    lf_vec3 *vertices;
    int64_t vertex_count, vertex_space;
    int64_t *corners; ///< three per triangle
    int64_t triangle_count, triangle_space;
} shape;

/// A shape of about so many triangles, about 2 across (a soup at 1e8 is 200 across).
void shape_make(shape *shape, shape_kind kind, int64_t triangles, test_random *random);

/// A file of the real data; false without it.
bool shape_read(shape *shape, const char *relative);

void shape_free(shape *shape);
lf_polygons shape_polygons(const shape *shape);

/// The middle of a shape's box, and half its longest side.
lf_vec3 shape_middle(const shape *shape, double *reach);

#define SHAPE_POSE_LIST(X)                                              \
    X(POSE_RANDOM, "random, overlapping")                               \
    X(POSE_NEAR, "random, about touching")                              \
    X(POSE_WHOLE, "quarter turns and whole steps: everything exact")    \
    X(POSE_SAME, "in the same place")                                   \
    X(POSE_NUDGED, "next to the same place, by one bit or a millionth") \
    X(POSE_SLIGHT, "turned by a very small angle")

typedef enum shape_pose_kind {
#define SHAPE_ENUM(name, text) name,
    SHAPE_POSE_LIST(SHAPE_ENUM)
#undef SHAPE_ENUM
        SHAPE_POSES
} shape_pose_kind;

const char *shape_pose_name(shape_pose_kind kind);

/// A pose for b, where a is in `a_pose`.
lf_pose shape_pose(shape_pose_kind kind, const shape *a, const lf_pose *a_pose, const shape *b,
                   test_random *random);

/// A random rotation about the origin, then a translation with parts within `reach`.
lf_pose shape_random_pose(double reach, test_random *random);

#endif
