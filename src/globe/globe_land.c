/// Bodies of triangles on a globe: their edges are rays, and triangles are cut until they are small against
/// the samples.
#include "globe/globe.h"
#include "ground/land.h"

static bool globe_edge_meets(const lf__globe_face *face, lf_vec3 a, lf_vec3 b, lf_cursor *cursor) {
    lf_ray ray = lf_ray_between(a, b);
    lf_hit hit;
    if (lf_vec3_length(ray.direction) == 0)
        return false;
    return lf__globe_face_first(face, &ray, &hit, cursor);
}

static bool globe_triangle_meets(const lf__globe_face *face, const lf_vec3 c[3], double finest, int depth,
                                 lf_cursor *cursor) {
    double longest = 0;
    for (int k = 0; k < 3; k++) {
        if (globe_edge_meets(face, c[k], c[(k + 1) % 3], cursor))
            return true;
        longest = fmax(longest, lf_vec3_length(lf_vec3_sub(c[k], c[(k + 1) % 3])));
    }
    if (longest <= LF__LAND_SHARE * finest || depth >= LF__LAND_HALVINGS)
        return false;
    lf_vec3 m[3];
    for (int k = 0; k < 3; k++)
        m[k] = lf_vec3_scale(lf_vec3_add(c[k], c[(k + 1) % 3]), 0.5);
    const lf_vec3 parts[4][3] = {
        {c[0], m[0], m[2]}, {m[0], c[1], m[1]}, {m[2], m[1], c[2]}, {m[0], m[1], m[2]}};
    for (int k = 0; k < 4; k++)
        if (globe_triangle_meets(face, parts[k], finest, depth + 1, cursor))
            return true;
    return false;
}

double lf__globe_spacing(const void *object, lf_vec3 point) {
    lf_globe_elevation ground;
    lf__globe_face_ground(object, point, &ground);
    return ground.resolution;
}

bool lf__globe_touches(const void *object, const lf__land_body *body, const lf_pose *pose,
                       lf_cursor *cursor) {
    if (!(lf__cursor_layers(cursor) & 1u))
        return false;
    double spacing = lf__globe_spacing(object, lf_pose_to_world(pose, body->centre));
    double finest = spacing > 0 ? spacing : body->radius / 16;
    for (int64_t i = 0; i < body->triangle_count; i++) {
        lf_vec3 corners[3];
        lf__land_corners(body, i, pose, corners);
        if (globe_triangle_meets(object, corners, finest, 0, cursor))
            return true;
    }
    return false;
}
