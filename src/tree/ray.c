/// Rays through the tree: from the caller's ray to the kernels and back to hits.
#include "tree/tree.h"

static double component(lf_vec3 v, int k) {
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

static double scale_of(lf_vec3 v) {
    return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
}

/// A direction component this small is told from zero only by the pad around the start.
#define LEAST_DIRECTION 1e-30

/// The part of the line inside a box, a little widened. false: it misses the box beyond all rounding.
static bool clip_to_box(const lf__line *line, lf_box box, double *start, double *end) {
    double near = line->t_min, far = line->t_max;
    for (int k = 0; k < 3; k++) {
        double d = component(line->direction, k), o = component(line->origin, k);
        double low = component(box.low, k), high = component(box.high, k);
        double pad = 0x1p-48 * (fabs(o) + fabs(low) + fabs(high));
        if (fabs(d) < LEAST_DIRECTION) {
            if (o < low - pad || o > high + pad)
                return false;
            continue;
        }
        double a = (low - pad - o) / d, b = (high + pad - o) / d;
        double first = a < b ? a : b, last = a < b ? b : a;
        near = first > near ? first : near;
        far = last < far ? last : far;
    }
    *start = near;
    *end = far;
    return near - 0x1p-48 * fabs(near) <= far + 0x1p-48 * fabs(far);
}

bool lf__tree_ray_start(lf__tree_ray *walk, const lf_tree *tree, const lf_ray *ray,
                        const lf__tree_filter *filter) {
    double end;
    walk->tree = tree;
    walk->filter = filter;
    walk->cost = (lf_counters){.questions = 1};
    walk->line = lf__line_of(ray);
    if (!clip_to_box(&walk->line, tree->box, &walk->start, &end))
        return false;
    lf_vec3 d = walk->line.direction;
    lf_vec3 at = lf_vec3_along(lf_vec3_sub(walk->line.origin, tree->origin), walk->start, d);
    int largest = fabs(d.x) >= fabs(d.y) && fabs(d.x) >= fabs(d.z) ? 0 : fabs(d.y) >= fabs(d.z) ? 1 : 2;
    double scale = scale_of(walk->line.origin) + scale_of(tree->box.low) + scale_of(tree->box.high) +
                   2 * fabs(walk->start);
    for (int k = 0; k < 3; k++) {
        double dk = component(d, k);
        // Covers every rounding on the way here, in the nodes' boxes, and in the conversion to float; and,
        // times the largest inverse, every t within the box.
        double pad = 0x1p-47 * scale + 0x1p-23 * fabs(component(at, k)) + 1e-37;
        walk->low[k] = (float)(component(at, k) - pad);
        walk->high[k] = (float)(component(at, k) + pad);
        double divisor = fabs(dk) < LEAST_DIRECTION ? copysign(LEAST_DIRECTION, dk) : dk;
        walk->inverse[k] = (float)(1 / divisor);
        walk->near_plane[k] = dk < 0 || (dk == 0 && signbit(dk)) ? 3 + k : k;
    }
    walk->axis[2] = largest;
    walk->axis[0] = (largest + 1) % 3;
    walk->axis[1] = (largest + 2) % 3;
    for (int k = 0; k < 2; k++)
        walk->shear[k] = component(d, walk->axis[k]) / component(d, largest);
    return true;
}

bool lf__tree_meet(lf__tree_ray *walk, uint32_t triangle, double *t) {
    const lf_tree *tree = walk->tree;
    const uint32_t *corner = tree->corners + 3 * (size_t)triangle;
    lf_vec3 points[3] = {tree->vertices[corner[0]], tree->vertices[corner[1]], tree->vertices[corner[2]]};
    lf__meeting meeting;
    if (!lf__meet(&walk->line, points, &meeting, &walk->cost.exact))
        return false;
    if (walk->filter && !walk->filter->accepts(walk->filter->user, triangle, meeting.side))
        return false;
    *t = meeting.t;
    return true;
}

/// t in lengths of the caller's direction.
static double caller_t(const lf__tree_ray *walk, double t) {
    return walk->line.exponent == 0 ? t : ldexp(t, -walk->line.exponent);
}

bool lf__tree_first(const lf_tree *tree, const lf_ray *ray, const lf__tree_filter *filter,
                    lf__tree_meeting *best, lf_cursor *cursor) {
    lf__tree_ray walk;
    bool found = lf__tree_ray_start(&walk, tree, ray, filter) && tree->kernels->first(&walk, best);
    if (found)
        best->t = caller_t(&walk, best->t);
    lf__cursor_count(cursor, &walk.cost);
    return found;
}

bool lf__tree_any(const lf_tree *tree, const lf_ray *ray, const lf__tree_filter *filter, lf_cursor *cursor) {
    lf__tree_ray walk;
    bool found = lf__tree_ray_start(&walk, tree, ray, filter) && tree->kernels->any(&walk);
    lf__cursor_count(cursor, &walk.cost);
    return found;
}

typedef struct scaled_collector {
    const lf__tree_collector *outer;
    const lf__tree_ray *walk;
} scaled_collector;

static void found_scaled(void *user, lf__tree_meeting meeting) {
    const scaled_collector *scaled = user;
    meeting.t = caller_t(scaled->walk, meeting.t);
    scaled->outer->found(scaled->outer->user, meeting);
}

void lf__tree_all(const lf_tree *tree, const lf_ray *ray, const lf__tree_filter *filter,
                  const lf__tree_collector *collector, lf_cursor *cursor) {
    lf__tree_ray walk;
    scaled_collector scaled = {collector, &walk};
    lf__tree_collector inner = {found_scaled, &scaled};
    if (lf__tree_ray_start(&walk, tree, ray, filter))
        tree->kernels->all(&walk, &inner);
    lf__cursor_count(cursor, &walk.cost);
}

lf_status lf_tree_ray_first(const lf_tree *tree, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor) {
    if (!tree || !hit || !tree->corners || !lf__ray_valid(ray))
        return LF_BAD_ARGUMENT;
    lf__tree_meeting best;
    if (lf__tree_first(tree, ray, NULL, &best, cursor))
        *hit = lf__tree_hit(tree, ray, &best);
    else
        *hit = lf__hit_none(ray->t_max, LF_REASON_NONE);
    return LF_OK;
}

lf_status lf_tree_ray_any(const lf_tree *tree, const lf_ray *ray, bool *blocked, lf_cursor *cursor) {
    if (!tree || !blocked || !tree->corners || !lf__ray_valid(ray))
        return LF_BAD_ARGUMENT;
    *blocked = lf__tree_any(tree, ray, NULL, cursor);
    return LF_OK;
}
