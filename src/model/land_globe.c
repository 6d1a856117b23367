/// A model on a globe.
#include "globe/globe.h"
#include "model/land.h"

/// Triangles are cut until their edges are shorter than this share of a cell, and into no more than so many levels of four: what pokes through a
/// triangle without meeting an edge is smaller than that.
#define SHARE 0.25
#define DEEPEST 6

static bool edge_meets(const lf_globe *globe, lf_vec3 a, lf_vec3 b, lf_cursor *cursor) {
    lf_ray ray = lf_ray_between(a, b);
    lf_hit hit;
    if (lf_vec3_length(ray.direction) == 0)
        return false;
    return lf_globe_ray_first(globe, &ray, 0, LF_GLOBE_SURFACE, &hit, cursor) == LF_OK &&
           hit.kind != LF_HIT_NONE;
}

static bool triangle_meets(const lf_globe *globe, const lf_vec3 c[3], double finest, int depth,
                           lf_cursor *cursor) {
    double longest = 0;
    for (int k = 0; k < 3; k++) {
        if (edge_meets(globe, c[k], c[(k + 1) % 3], cursor))
            return true;
        longest = fmax(longest, lf_vec3_length(lf_vec3_sub(c[k], c[(k + 1) % 3])));
    }
    if (longest <= SHARE * finest || depth >= DEEPEST)
        return false;
    lf_vec3 m[3];
    for (int k = 0; k < 3; k++)
        m[k] = lf_vec3_scale(lf_vec3_add(c[k], c[(k + 1) % 3]), 0.5);
    const lf_vec3 parts[4][3] = {
        {c[0], m[0], m[2]}, {m[0], c[1], m[1]}, {m[2], m[1], c[2]}, {m[0], m[1], m[2]}};
    for (int k = 0; k < 4; k++)
        if (triangle_meets(globe, parts[k], finest, depth + 1, cursor))
            return true;
    return false;
}

bool lf__land_touches_globe(const lf_globe *globe, const lf_model *model, const lf_pose *pose,
                            lf_cursor *cursor) {
    lf_place place = lf_ellipsoid_to_place(&globe->ellipsoid, lf_pose_to_world(pose, model->centre));
    lf_globe_ground ground;
    lf_globe_height(globe, place.lon_deg, place.lat_deg, &ground, NULL);
    double finest = ground.resolution > 0 ? ground.resolution : LF_INFINITY;
    if (!(lf__cursor_layers(cursor) & 1u))
        return false;
    for (int64_t i = 0; i < model->triangle_count; i++) {
        lf_vec3 corners[3];
        lf__model_corners(model, i, corners);
        for (int k = 0; k < 3; k++)
            corners[k] = lf_pose_to_world(pose, corners[k]);
        if (triangle_meets(globe, corners, finest, 0, cursor))
            return true;
    }
    return false;
}
