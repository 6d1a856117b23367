/// Poses of rigid things.
#include <landfall/geom.h>

lf_pose lf_pose_identity(void) {
    return (lf_pose){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
}

lf_vec3 lf_pose_turn_to_world(const lf_pose *pose, lf_vec3 a) {
    return (lf_vec3){lf_vec3_dot(pose->rows[0], a), lf_vec3_dot(pose->rows[1], a),
                     lf_vec3_dot(pose->rows[2], a)};
}

lf_vec3 lf_pose_turn_to_local(const lf_pose *pose, lf_vec3 a) {
    lf_vec3 sum = lf_vec3_scale(pose->rows[0], a.x);
    sum = lf_vec3_along(sum, a.y, pose->rows[1]);
    return lf_vec3_along(sum, a.z, pose->rows[2]);
}

lf_vec3 lf_pose_to_world(const lf_pose *pose, lf_vec3 local) {
    return lf_vec3_add(lf_pose_turn_to_world(pose, local), pose->translation);
}

lf_vec3 lf_pose_to_local(const lf_pose *pose, lf_vec3 world) {
    return lf_pose_turn_to_local(pose, lf_vec3_sub(world, pose->translation));
}

lf_status lf_pose_turn(lf_vec3 point, lf_vec3 axis, double angle, lf_pose *pose) {
    lf_vec3 k = lf_vec3_unit(axis);
    if (!pose || !lf_vec3_finite(point) || !lf_vec3_finite(axis) || !isfinite(angle) ||
        lf_vec3_length(k) == 0)
        return LF_BAD_ARGUMENT;
    double c = cos(angle), s = sin(angle), v = 1 - c;
    // Off the diagonal a product with a zero component is zero, so turning about an axis of the coordinates
    // leaves that axis exactly where it is; on it, 1 = c + v only up to rounding, hence the other form.
    *pose = (lf_pose){{{1 - v * (k.y * k.y + k.z * k.z), v * k.x * k.y - s * k.z, v * k.x * k.z + s * k.y},
                       {v * k.x * k.y + s * k.z, 1 - v * (k.x * k.x + k.z * k.z), v * k.y * k.z - s * k.x},
                       {v * k.x * k.z - s * k.y, v * k.y * k.z + s * k.x, 1 - v * (k.x * k.x + k.y * k.y)}},
                      {0, 0, 0}};
    pose->translation = lf_vec3_sub(point, lf_pose_turn_to_world(pose, point));
    return LF_OK;
}

lf_pose lf_pose_then(const lf_pose *first, const lf_pose *second) {
    lf_pose both;
    for (int i = 0; i < 3; i++)
        both.rows[i] = lf_pose_turn_to_local(first, second->rows[i]);
    both.translation = lf_pose_to_world(second, first->translation);
    return both;
}

static bool nearly(double a, double b) {
    return fabs(a - b) <= 1e-9;
}

bool lf_pose_rigid(const lf_pose *pose) {
    const lf_vec3 *r = pose->rows;
    if (!lf_vec3_finite(pose->translation))
        return false;
    for (int i = 0; i < 3; i++)
        for (int k = i; k < 3; k++)
            if (!nearly(lf_vec3_dot(r[i], r[k]), i == k))
                return false;
    return lf_vec3_dot(lf_vec3_cross(r[0], r[1]), r[2]) > 0;
}
