/// Models of any shape that move and turn: they cannot touch before they have gone the distance between them.
#include "query/query.h"
#include "model/near.h"
#include "contact/contact.h"

/// Steps ahead; then the models are taken to touch.
#define ROUNDS 4096

/// Distances need not be exact on the way: so far as this share of the one found they can go.
#define SHARE 0.7

static lf_pose pose_at(const lf_moving_model *it, double time) {
    lf_pose pose = it->pose, turned = pose;
    const lf_vec3 columns[3] = {{pose.rows[0].x, pose.rows[1].x, pose.rows[2].x},
                                {pose.rows[0].y, pose.rows[1].y, pose.rows[2].y},
                                {pose.rows[0].z, pose.rows[1].z, pose.rows[2].z}};
    lf_vec3 x = lf__turned(columns[0], it->spin, time), y = lf__turned(columns[1], it->spin, time);
    lf_vec3 z = lf__turned(columns[2], it->spin, time);
    turned.rows[0] = (lf_vec3){x.x, y.x, z.x};
    turned.rows[1] = (lf_vec3){x.y, y.y, z.y};
    turned.rows[2] = (lf_vec3){x.z, y.z, z.z};
    lf_vec3 from = lf_vec3_sub(pose.translation, it->pivot);
    lf_vec3 moved = lf_vec3_along(it->pivot, time, it->velocity);
    turned.translation = lf__is_zero(it->spin) ? lf_vec3_along(pose.translation, time, it->velocity)
                                               : lf_vec3_add(moved, lf__turned(from, it->spin, time));
    return turned;
}

static bool is_usable(const lf_moving_model *it) {
    return it && it->model && lf_pose_rigid(&it->pose) && lf__contact_usable(it->velocity) &&
           lf__contact_usable(it->spin) && lf__contact_usable(it->pivot);
}

/// How fast any point of a model can turn.
static double turn_speed(const lf_moving_model *it) {
    lf_vec3 pivot = lf_pose_to_local(&it->pose, it->pivot);
    double spin = lf_vec3_length(it->spin);
    return spin > 0 ? spin * lf__farthest_corner(lf_model_describe(it->model).box, pivot) : 0;
}

lf_status lf_contact_models(const lf_moving_model *a, const lf_moving_model *b, double ahead,
                            lf_contact_result *meeting, lf_cursor *cursor) {
    if (!meeting || !is_usable(a) || !is_usable(b) || !(ahead >= 0) || !isfinite(ahead))
        return LF_BAD_ARGUMENT;
    double near =
        LF__CONTACT_NEAR * (lf_model_describe(a->model).radius + lf_model_describe(b->model).radius);
    double speed = lf_vec3_length(lf_vec3_sub(a->velocity, b->velocity)) + turn_speed(a) + turn_speed(b);
    lf_contact_result found = lf__no_meeting(ahead);
    double time = 0;
    for (int round = 0;; round++) {
        lf_model_query question = lf_model_query_default();
        lf_model_distance nearest;
        question.a = a->model;
        question.b = b->model;
        question.pose_a = pose_at(a, time);
        question.pose_b = pose_at(b, time);
        lf_status status = lf__model_nearest_about(&question, SHARE, &nearest, cursor);
        if (status == LF_OK && lf__cursor_stops(cursor))
            status = LF_CANCELLED;
        if (status != LF_OK)
            return status;
        if (nearest.distance <= near || round == ROUNDS) {
            found.meets = true;
            found.time = time;
            found.point = lf_vec3_scale(lf_vec3_add(nearest.point_a, nearest.point_b), 0.5);
            if (time > 0)
                found.normal = lf_vec3_unit(lf_vec3_sub(nearest.point_b, nearest.point_a));
            break;
        }
        // the distance is right to 1e-13 of the coordinates, far less than `near`
        double more = (SHARE * nearest.distance - 0.5 * near) / speed;
        if (!(time + more <= ahead))
            break;
        time += more;
    }
    *meeting = found;
    return LF_OK;
}
