/// Frames, poses and vectors.
#include "base/arithmetic.h"
#include <landfall/geom.h>
#include <math.h>
#include <stdlib.h>

// ---------------------------------------------------------------------------------------------------
// Frames
// ---------------------------------------------------------------------------------------------------

static const lf_vec3 frame_zero = {0, 0, 0};

/// The rotation that makes a unit vector the third row, as near to the identity as that can be (or, in the
/// lower half, to the half turn about x). The denominator is at least 1, so that nothing cancels.
static void turn_up(lf_frame *frame, lf_vec3 up) {
    lf_vec3 *rows = frame->rows;
    double side = up.z < 0 ? -1 : 1;
    double factor = -1 / (side + up.z);
    double mixed = up.x * up.y * factor;
    rows[0] = (lf_vec3){1 + side * up.x * up.x * factor, side * mixed, -side * up.x};
    rows[1] = (lf_vec3){mixed, side + up.y * up.y * factor, -up.y};
    rows[2] = up;
}

lf_status lf_frame_gravity(lf_vec3 gravity, lf_frame *frame) {
    lf_vec3 down = lf_vec3_unit(gravity);
    if (!frame || !lf_vec3_finite(gravity) || lf_vec3_length(down) == 0)
        return LF_BAD_ARGUMENT;
    *frame = lf_frame_default();
    frame->down = gravity;
    if (gravity.x != 0 || gravity.y != 0 || gravity.z > 0) // else the identity, without a rounding
        turn_up(frame, (lf_vec3){-down.x, -down.y, -down.z});
    return LF_OK;
}

lf_status lf_frame_centre(lf_vec3 centre, lf_frame *frame) {
    if (!frame || !lf_vec3_finite(centre))
        return LF_BAD_ARGUMENT;
    *frame = lf_frame_default();
    frame->kind = LF_FRAME_CENTRE;
    frame->origin = centre;
    frame->down = frame_zero;
    return LF_OK;
}

/// A direction whose square neither overflows nor vanishes: scaled by a power of two where it must be, so
/// that it is exact.
static lf_vec3 moderate(lf_vec3 direction) {
    int exponent;
    double largest = fmax(fabs(direction.x), fmax(fabs(direction.y), fabs(direction.z)));
    frexp(largest, &exponent);
    if (abs(exponent) <= 400)
        return direction;
    return (lf_vec3){ldexp(direction.x, -exponent), ldexp(direction.y, -exponent),
                     ldexp(direction.z, -exponent)};
}

lf_status lf_frame_axis(lf_vec3 point, lf_vec3 direction, bool inwards, lf_frame *frame) {
    lf_vec3 along = lf_vec3_unit(direction);
    if (!frame || !lf_vec3_finite(point) || !lf_vec3_finite(direction) || lf_vec3_length(along) == 0)
        return LF_BAD_ARGUMENT;
    *frame = lf_frame_default();
    frame->kind = inwards ? LF_FRAME_AXIS_IN : LF_FRAME_AXIS_OUT;
    frame->origin = point;
    frame->down = moderate(direction);
    if (direction.x != 0 || direction.y != 0 || direction.z < 0)
        turn_up(frame, along);
    return LF_OK;
}

static lf_vec3 turn_to_local(const lf_frame *frame, lf_vec3 a) {
    return (lf_vec3){lf_vec3_dot(frame->rows[0], a), lf_vec3_dot(frame->rows[1], a),
                     lf_vec3_dot(frame->rows[2], a)};
}

static lf_vec3 turn_to_world(const lf_frame *frame, lf_vec3 a) {
    lf_vec3 sum = lf_vec3_scale(frame->rows[0], a.x);
    sum = lf_vec3_along(sum, a.y, frame->rows[1]);
    return lf_vec3_along(sum, a.z, frame->rows[2]);
}

/// From the axis to a point, at right angles to the axis; zero as far as rounding can tell them apart.
static lf_vec3 away_from_axis(const lf_frame *frame, lf_vec3 p) {
    lf_vec3 from_origin = lf_vec3_sub(p, frame->origin);
    lf_vec3 local = turn_to_local(frame, from_origin);
    if (hypot(local.x, local.y) <= 4 * 0x1p-53 * lf_vec3_length(from_origin))
        return frame_zero;
    local.z = 0;
    return turn_to_world(frame, local);
}

lf_vec3 lf_frame_down(const lf_frame *frame, lf_vec3 p) {
    switch (frame->kind) {
    case LF_FRAME_CENTRE:
        return lf_vec3_unit(lf_vec3_sub(frame->origin, p));
    case LF_FRAME_AXIS_IN:
        return lf_vec3_unit(lf_vec3_scale(away_from_axis(frame, p), -1));
    case LF_FRAME_AXIS_OUT:
        return lf_vec3_unit(away_from_axis(frame, p));
    case LF_FRAME_GRAVITY:
        break;
    }
    return lf_vec3_unit(frame->down);
}

static lf_vec3 level_part(lf_vec3 a, lf_vec3 up) {
    return lf_vec3_along(a, -lf_vec3_dot(a, up), up);
}

lf_vec3 lf_frame_north(const lf_frame *frame, lf_vec3 p) {
    if (frame->kind == LF_FRAME_GRAVITY)
        return frame->rows[1];
    if (frame->kind != LF_FRAME_CENTRE)
        return frame->rows[2];
    lf_vec3 up = lf_vec3_unit(lf_vec3_sub(p, frame->origin));
    lf_vec3 north = level_part(frame->rows[2], up);
    // Over a pole: the meridian of 0, as in local coordinates.
    if (lf_vec3_length(north) < 0x1p-50)
        north = level_part(lf_vec3_scale(frame->rows[0], lf_vec3_dot(frame->rows[2], up) > 0 ? -1 : 1), up);
    return lf_vec3_unit(north);
}

/// The angle of (x, y), 0 where there is none.
static double frame_angle_of(double x, double y) {
    return x == 0 && y == 0 ? 0 : atan2(y, x);
}

lf_vec3 lf_frame_to_local(const lf_frame *frame, lf_vec3 world) {
    lf_vec3 q = turn_to_local(frame, lf_vec3_sub(world, frame->origin));
    double across = hypot(q.x, q.y);
    switch (frame->kind) {
    case LF_FRAME_CENTRE:
        return (lf_vec3){frame_angle_of(q.x, q.y), frame_angle_of(across, q.z), hypot(across, q.z)};
    case LF_FRAME_AXIS_IN:
        return (lf_vec3){frame_angle_of(q.x, q.y), q.z, across};
    case LF_FRAME_AXIS_OUT:
        return (lf_vec3){frame_angle_of(q.x, q.y), q.z, -across};
    case LF_FRAME_GRAVITY:
        break;
    }
    return q;
}

lf_vec3 lf_frame_to_world(const lf_frame *frame, lf_vec3 local) {
    lf_vec3 q = local;
    double across = frame->kind == LF_FRAME_AXIS_OUT ? -local.z : local.z;
    switch (frame->kind) {
    case LF_FRAME_CENTRE:
        q.x = local.z * cos(local.y) * cos(local.x);
        q.y = local.z * cos(local.y) * sin(local.x);
        q.z = local.z * sin(local.y);
        break;
    case LF_FRAME_AXIS_IN:
    case LF_FRAME_AXIS_OUT:
        q.x = across * cos(local.x);
        q.y = across * sin(local.x);
        q.z = local.y;
        break;
    case LF_FRAME_GRAVITY:
        break;
    }
    return lf_vec3_add(turn_to_world(frame, q), frame->origin);
}

// ---------------------------------------------------------------------------------------------------
// Poses
// ---------------------------------------------------------------------------------------------------

lf_status lf_pose_turn(lf_vec3 point, lf_vec3 axis, double angle, lf_pose *pose) {
    lf_vec3 k = lf_vec3_unit(axis);
    if (!pose || !lf_vec3_finite(point) || !lf_vec3_finite(axis) || !isfinite(angle) ||
        lf_vec3_length(k) == 0)
        return LF_BAD_ARGUMENT;
    double c = cos(angle), s = sin(angle), v = 1 - c;
    // Off the diagonal a product with a zero component is zero, so turning about an axis of the
    // coordinates leaves that axis exactly where it is; on it, 1 = c + v only up to rounding, hence the other
    // form.
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

// ---------------------------------------------------------------------------------------------------
// Vectors
// ---------------------------------------------------------------------------------------------------

lf_vec3 lf_vec3_unit(lf_vec3 a) {
    double sum = fabs(a.x) + fabs(a.y) + fabs(a.z);
    if (sum > 0x1p-200 && sum < 0x1p200) { // squares need no scale, which would change no bit
        double length = lf_vec3_length(a);
        return (lf_vec3){a.x / length, a.y / length, a.z / length};
    }
    double largest = fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
    if (!(largest > 0) || !isfinite(largest))
        return a;
    int exponent;
    frexp(largest, &exponent); // a power of two scales without rounding
    lf_vec3 scaled = {ldexp(a.x, -exponent), ldexp(a.y, -exponent), ldexp(a.z, -exponent)};
    double length = lf_vec3_length(scaled);
    return (lf_vec3){scaled.x / length, scaled.y / length, scaled.z / length};
}
