/// A model on a globe.
#include "model/land.h"

/// Triangles are cut until their edges are shorter than this share of a cell, and into no more than so many levels of four: what pokes through a
/// triangle without meeting an edge is smaller than that.
#define SHARE 0.25
#define DEEPEST 6
#define MOST_PARTS (1 << DEEPEST) ///< of a side

static bool edge_meets(const lf__globe_face *face, lf_vec3 a, lf_vec3 b, lf_cursor *cursor) {
    lf_ray ray = lf_ray_between(a, b);
    lf_hit hit;
    if (lf_vec3_length(ray.direction) == 0)
        return false;
    return lf__globe_face_first(face, &ray, &hit, cursor);
}

static bool triangle_meets(const lf__globe_face *face, const lf_vec3 c[3], double finest, int depth,
                           lf_cursor *cursor) {
    double longest = 0;
    for (int k = 0; k < 3; k++) {
        if (edge_meets(face, c[k], c[(k + 1) % 3], cursor))
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
        if (triangle_meets(face, parts[k], finest, depth + 1, cursor))
            return true;
    return false;
}

bool lf__land_touches_globe(const lf__globe_face *face, const lf_model *model, const lf_pose *pose,
                            lf_cursor *cursor) {
    lf_globe_elevation ground;
    if (!(lf__cursor_layers(cursor) & 1u))
        return false;
    lf__globe_face_ground(face, lf_pose_to_world(pose, model->centre), &ground);
    double finest = ground.resolution > 0 ? ground.resolution : model->radius / 16;
    for (int64_t i = 0; i < model->triangle_count; i++) {
        lf_vec3 corners[3];
        lf__model_corners(model, i, corners);
        for (int k = 0; k < 3; k++)
            corners[k] = lf_pose_to_world(pose, corners[k]);
        if (triangle_meets(face, corners, finest, 0, cursor))
            return true;
    }
    return false;
}

int lf__land_parts_on_globe(const lf__globe_face *face, const lf_vec3 corners[3]) {
    lf_globe_elevation ground;
    double longest = 0;
    for (int k = 0; k < 3; k++)
        longest = fmax(longest, lf_vec3_length(lf_vec3_sub(corners[k], corners[(k + 1) % 3])));
    lf_vec3 sum = lf_vec3_add(corners[0], lf_vec3_add(corners[1], corners[2]));
    lf__globe_face_ground(face, lf_vec3_scale(sum, 1.0 / 3), &ground);
    double parts = ground.resolution > 0 ? ceil(longest / (SHARE * ground.resolution)) : 1;
    return parts < 1 ? 1 : parts > MOST_PARTS ? MOST_PARTS : (int)parts;
}
