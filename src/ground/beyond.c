/// Ground strictly beyond a point.
#include "ground/ground.h"

typedef struct nearest {
    lf_hit *hit;
    bool any;
} nearest;

static bool comes_before(const lf_hit *a, const lf_hit *b) {
    if (a->t != b->t)
        return a->t < b->t;
    return a->part != b->part ? a->part < b->part : a->element < b->element;
}

static void keep_nearest(void *user, const lf_hit *hit) {
    nearest *n = user;
    if (hit->t > 0 && (!n->any || comes_before(hit, n->hit))) {
        *n->hit = *hit;
        n->any = true;
    }
}

bool lf__ground_beyond(const lf_ground *ground, lf_vec3 point, bool down, lf_hit *hit, lf_cursor *cursor) {
    lf_frame frame = lf_ground_frame(ground);
    lf_ray ray;
    double length;
    *hit = lf__hit_none(LF_INFINITY, LF_REASON_NONE);
    if (!lf__gravity_ray(&frame, point, down, &ray, &length))
        return false;
    nearest n = {hit, false};
    lf__finder finder = {keep_nearest, &n};
    ground->kind->each(ground->thing, &ray, LF__EACH_LINE, &finder, cursor);
    if (n.any)
        hit->t *= length;
    return n.any;
}
