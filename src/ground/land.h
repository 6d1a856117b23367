/// Bodies of triangles on a ground: what the kinds of ground and the queries about models share.
#ifndef LF_GROUND_LAND_H
#define LF_GROUND_LAND_H

#include "bvh/bvh.h"
#include "ground/group.h"

/// Where a surface has no flat faces, triangles are cut until their edges are shorter than this share of the
/// spacing of its samples, and halved at most so often. What passes through a triangle without meeting an
/// edge is smaller than that.
#define LF__LAND_SHARE 0.25
#define LF__LAND_HALVINGS 6

/// The triangles of a model.
struct lf__land_body {
    const lf__bvh *tree;
    const lf_vec3 *vertices;
    const uint32_t *corners; ///< three per triangle
    int64_t triangle_count;
    lf_vec3 centre; ///< of a sphere around all
    double radius;
};

static inline void lf__land_corners(const lf__land_body *body, int64_t triangle, const lf_pose *pose,
                                    lf_vec3 corners[3]) {
    for (int c = 0; c < 3; c++)
        corners[c] = lf_pose_to_world(pose, body->vertices[body->corners[3 * triangle + c]]);
}

/// The deepest point of a triangle below the ground.
struct lf__land_depth {
    double depth;    ///< metres; 0 or less: nothing is below
    lf_vec3 point;   ///< of the triangle
    lf_vec3 surface; ///< above it
};

/// The surface has samples, but no flat faces: there is nothing but ground below it, and it is sampled point
/// by point.
static inline bool lf__ground_is_smooth(const lf_ground *ground) {
    return ground->kind->spacing && !ground->kind->faces;
}

// ---------------------------------------------------------------------------------------------------
// Flat faces of a ground
// ---------------------------------------------------------------------------------------------------

/// Coordinates about a point of the world; z is up, against gravity.
typedef struct lf__face_view {
    const lf_ground *ground;
    lf_vec3 origin;
    lf_vec3 rows[3]; ///< view = rows * (world - origin)
    double blur;     ///< metres that rounding may move a corner by
    lf_cursor *cursor;
} lf__face_view;

static inline lf_vec3 lf__face_to_view(const lf__face_view *view, lf_vec3 world) {
    lf_vec3 d = lf_vec3_sub(world, view->origin);
    return (lf_vec3){lf_vec3_dot(view->rows[0], d), lf_vec3_dot(view->rows[1], d),
                     lf_vec3_dot(view->rows[2], d)};
}

static inline lf_vec3 lf__face_to_world(const lf__face_view *view, lf_vec3 p) {
    lf_vec3 d = lf_vec3_scale(view->rows[0], p.x);
    d = lf_vec3_along(lf_vec3_along(d, p.y, view->rows[1]), p.z, view->rows[2]);
    return lf_vec3_add(view->origin, d);
}

/// A linear function of a point: negative is outside.
typedef struct lf__face_limit {
    double x, y, z, k;
} lf__face_limit;

static inline double lf__face_limit_at(const lf__face_limit *limit, lf_vec3 p) {
    return limit->x * p.x + limit->y * p.y + limit->z * p.z + limit->k;
}

/// A flat piece of ground that is not a wall, in a view.
typedef struct lf__face {
    lf__face_limit edges[4]; ///< metres within each, seen from above
    int edge_count;
    lf__face_limit above; ///< metres from a point up to the plane
    double doubt;         ///< rounding error of these metres
    bool front_up;        ///< a point directly below it is under the ground
    int64_t part; ///< of two faces at the same place the lower part, then the lower triangle, is met first
    uint32_t triangle;
} lf__face;

/// Receives faces; returns false to stop.
typedef struct lf__face_finder {
    bool (*found)(void *user, const lf__face *face);
    void *user;
} lf__face_finder;

/// A search for faces, as the kinds of ground run it over one part.
struct lf__face_search {
    const lf__face_view *view;
    const lf__face_finder *finder;
    const void *object;  ///< the part's object,
    const lf_pose *pose; ///< its pose
    int64_t part;        ///< and its number
    uint32_t layers;
    lf_box box;  ///< in the part's coordinates
    lf_box wide; ///< in the view
    bool done;
};

/// For visitors: does a box of the part overlap the box that is searched?
bool lf__face_search_enters(void *user, const lf_box *box);

/// The box of the view in the part's coordinates.
lf_box lf__face_box_in_part(const lf__face_search *search);

/// Are these corners, in the view, outside the box that is searched?
bool lf__face_search_beside(const lf__face_search *search, const lf_vec3 *corners, int count);

/// The face with three or four corners in the view; false for walls, and for faces narrower than rounding can
/// resolve.
bool lf__face_make(const lf__face_view *view, const lf_vec3 *corners, int count, lf__face *face);

/// All faces of a ground in a box of a view that a ray upwards could meet, and maybe some beside it.
void lf__faces_in(const lf__face_view *view, const lf_box *box, const lf__face_finder *finder);

#endif
