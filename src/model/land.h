/// A model on the ground, from the inside.
#ifndef LF_MODEL_LAND_H
#define LF_MODEL_LAND_H

#include "globe/face.h"
#include "model/model.h"

/// Does a model, carried into the grid's frame by a pose, share a point with the grid's surface? For the vertices so carried, and for
/// the corners of the surface in that frame, the answer is exact; for bilinear patches up to the rounding of the direction of the
/// model's edges.
bool lf__land_touches_grid(const lf_grid *grid, const lf_model *model, const lf_pose *pose,
                           lf_cursor *cursor);

/// The same for a globe: its edges are rays, and its triangles are cut until they are small against the cells there.
bool lf__land_touches_globe(const lf__globe_face *face, const lf_model *model, const lf_pose *pose,
                            lf_cursor *cursor);

/// Into how many parts the sides of a triangle have to be cut so that they are short against the cells of a globe there: 1 or more, and not too many.
int lf__land_parts_on_globe(const lf__globe_face *face, const lf_vec3 corners[3]);

/// The deepest point of a triangle below the ground.
typedef struct lf__land_depth {
    double depth;    ///< metres; 0 or less: nothing is below
    lf_vec3 point;   ///< of the triangle
    lf_vec3 surface; ///< above it
} lf__land_depth;

/// corners  in the grid's frame
lf__land_depth lf__land_depth_in_grid(const lf_grid *grid, const lf_vec3 corners[3], lf_cursor *cursor);

// ---------------------------------------------------------------------------------------------------
// Polygons and groups
// ---------------------------------------------------------------------------------------------------

/// Coordinates about a place in the world; z is up, against gravity.
typedef struct lf__land_view {
    const lf_ground *ground;
    lf_vec3 origin;
    lf_vec3 rows[3]; ///< view = rows * (world - origin)
    double blur;     ///< metres that rounding may move a corner by
    lf_cursor *cursor;
} lf__land_view;

static inline lf_vec3 lf__land_to_view(const lf__land_view *view, lf_vec3 world) {
    lf_vec3 d = lf_vec3_sub(world, view->origin);
    return (lf_vec3){lf_vec3_dot(view->rows[0], d), lf_vec3_dot(view->rows[1], d),
                     lf_vec3_dot(view->rows[2], d)};
}

static inline lf_vec3 lf__land_to_world(const lf__land_view *view, lf_vec3 p) {
    lf_vec3 d = lf_vec3_scale(view->rows[0], p.x);
    d = lf_vec3_along(lf_vec3_along(d, p.y, view->rows[1]), p.z, view->rows[2]);
    return lf_vec3_add(view->origin, d);
}

/// A linear function of a place: negative is outside.
typedef struct lf__land_limit {
    double x, y, z, k;
} lf__land_limit;

static inline double lf__land_at(const lf__land_limit *limit, lf_vec3 p) {
    return limit->x * p.x + limit->y * p.y + limit->z * p.z + limit->k;
}

/// A flat piece of ground that is not a wall, in a view.
typedef struct lf__land_face {
    lf__land_limit edges[4]; ///< metres within each, seen from above
    int edge_count;
    lf__land_limit above; ///< metres from a place up to its plane
    double doubt;         ///< of these metres
    bool front_up;        ///< who meets it from below is under the ground
    int64_t part;         ///< of two in the same place the lower part, then the lower triangle, is met first
    uint32_t triangle;
} lf__land_face;

/// Told of faces; false: no more are wanted.
typedef struct lf__land_finder {
    bool (*found)(void *user, const lf__land_face *face);
    void *user;
} lf__land_finder;

/// All faces of a ground in a box of a view that a look upwards could meet, and maybe some beside it. Bilinear patches are cut into 16
/// x 16 squares of two triangles; of a globe there are none.
void lf__land_faces(const lf__land_view *view, const lf_box *box, const lf__land_finder *finder);

/// What is deeper than this is wanted; and any depth at all.
typedef struct lf__land_wish {
    double reach;  ///< ground farther above than this does not count
    double deeper; ///< once something is found, only what is deeper than this too is looked for
} lf__land_wish;

/// The deepest point of a triangle below faces; `best` is what is known already. The nearest face above a point counts, and only where it is met
/// from behind. Exact up to the view's blur, where the nearest face ends the depth on its side.
/// corners  in the world
void lf__land_depth_in_faces(const lf__land_view *view, const lf_vec3 corners[3], const lf__land_wish *wish,
                             lf__land_depth *best);

#endif
