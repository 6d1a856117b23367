/// The ray that a gravity line is, and distances along it.
#include "query/query.h"

bool lf__gravity_ray(const lf_frame *frame, lf_vec3 point, bool down, lf_ray *ray, double *length) {
    lf_vec3 d = frame->down;
    bool ends = false;
    if (frame->kind == LF_FRAME_CENTRE) {
        d = lf_vec3_sub(frame->origin, point);
        ends = down;
    } else if (frame->kind != LF_FRAME_GRAVITY) {
        lf_vec3 from = lf_vec3_sub(point, frame->origin);
        double along = lf_vec3_dot(from, frame->down) / lf_vec3_dot(frame->down, frame->down);
        lf_vec3 inward = lf_vec3_sub(lf_vec3_scale(frame->down, along), from);
        bool inwards = frame->kind == LF_FRAME_AXIS_IN;
        d = inwards ? inward : lf_vec3_scale(inward, -1);
        ends = inwards == down;
    }
    *length = lf_vec3_length(d);
    *ray = lf_ray_towards(point, down ? d : lf_vec3_scale(d, -1));
    if (ends)
        ray->t_max = 1;
    return lf_vec3_finite(d) && (d.x != 0 || d.y != 0 || d.z != 0);
}

double lf__line_distance(const lf_ray *line, double length, const lf_hit *hit) {
    double distance = lf_vec3_dot(lf_vec3_sub(hit->point, line->origin), line->direction) / length;
    // What is at the start itself, or nearer than rounding, is where the exact test says.
    bool agree = isfinite(distance) && distance * hit->t > 0;
    return agree ? distance : hit->t * length;
}
