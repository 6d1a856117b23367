/// Rays through the tree: from the caller's ray to the kernels and back to hits.
#include "bvh/bvh.h"

bool lf__tree_meet(lf__tree_ray *walk, const lf__tree_leaf *leaf, unsigned lane, lf__side sure, double *t) {
    const lf_vec3 *vertices = walk->tree->vertices;
    const uint32_t *corner = leaf->vertex[lane];
    lf_vec3 points[3] = {vertices[corner[0]], vertices[corner[1]], vertices[corner[2]]};
    lf__meeting meeting;
    bool met = sure != LF__SIDE_EDGE_ON
                   ? lf__meet_inside(walk->line, points, sure, &meeting, &walk->cost.exact)
                   : lf__meet(walk->line, points, &meeting, &walk->cost.exact);
    if (!met || (walk->filter && !walk->filter->accepts(walk->filter->user, leaf->item[lane], meeting.side)))
        return false;
    *t = meeting.t;
    return true;
}

static void corners_of(const lf_tree *tree, const uint32_t *vertex, lf_vec3 corners[3]) {
    for (int k = 0; k < 3; k++)
        corners[k] = tree->vertices[vertex[k]];
}

bool lf__tree_before(lf__tree_ray *walk, const lf__tree_leaf *leaf, unsigned lane,
                     const lf__tree_meeting *best) {
    lf_vec3 fresh[3], known[3];
    walk->cost.exact++;
    corners_of(walk->tree, leaf->vertex[lane], fresh);
    corners_of(walk->tree, best->vertex, known);
    int order = lf__meet_order(walk->line, fresh, walk->line, known);
    return order < 0 || (order == 0 && leaf->item[lane] < best->triangle);
}

int lf__tree_order(const lf_tree *tree, const lf_ray *ray, uint32_t a, uint32_t b) {
    lf_vec3 first[3], second[3];
    corners_of(tree, tree->corners + 3 * (size_t)a, first);
    corners_of(tree, tree->corners + 3 * (size_t)b, second);
    return lf__meet_order(ray, first, ray, second);
}

bool lf__tree_first(const lf_tree *tree, const lf_ray *ray, const lf__tree_filter *filter,
                    lf__tree_meeting *best, lf_cursor *cursor) {
    lf__tree_ray walk;
    lf__tree_ray_set(&walk, tree, ray, filter);
    bool found = tree->kernels->first(&walk, best);
    if (found)
        best->t = lf__tree_caller_t(&walk, best->t);
    lf__cursor_count(cursor, &walk.cost);
    return found;
}

/// Do two rays set out from about the same place in about the same direction (within 2 degrees)?
static bool are_close(const lf_tree *tree, const lf_ray *a, const lf_ray *b) {
    lf_vec3 apart = lf_vec3_sub(a->origin, b->origin), extent = lf_vec3_sub(tree->box.high, tree->box.low);
    double dot = lf_vec3_dot(a->direction, b->direction);
    double lengths = lf_vec3_dot(a->direction, a->direction) * lf_vec3_dot(b->direction, b->direction);
    return lf_vec3_dot(apart, apart) <= 1e-4 * lf_vec3_dot(extent, extent) && dot > 0 &&
           dot * dot > 0.9988 * lengths;
}

/// Rays that follow each other closely, such as those of a picture, find in the caches what the one before them needed:
/// nothing is to be gained by turns, and the processor foresees less well what each one does. A few pairs tell.
static bool follow_closely(const lf__tree_batch *batch) {
    enum { PAIRS = 8 };
    int close = 0;
    if (batch->count < 2 * PAIRS)
        return false;
    for (int64_t i = 0; i < PAIRS; i++) {
        int64_t first = i * (batch->count / PAIRS);
        close +=
            are_close(batch->tree, lf__tree_batch_ray(batch, first), lf__tree_batch_ray(batch, first + 1));
    }
    return close > PAIRS / 2;
}

void lf__tree_first_many(const lf__tree_batch *batch) {
    if (!follow_closely(batch)) {
        batch->tree->kernels->first_many(batch);
        return;
    }
    for (int64_t i = 0; i < batch->count; i++) {
        lf__tree_meeting best;
        bool met = lf__tree_first(batch->tree, lf__tree_batch_ray(batch, i), batch->filter, &best, NULL);
        batch->found(batch->user, i, met ? &best : NULL);
    }
}

bool lf__tree_any(const lf_tree *tree, const lf_ray *ray, const lf__tree_filter *filter, lf_cursor *cursor) {
    lf__tree_ray walk;
    lf__tree_ray_set(&walk, tree, ray, filter);
    bool found = tree->kernels->any(&walk);
    lf__cursor_count(cursor, &walk.cost);
    return found;
}

typedef struct scaled_collector {
    const lf__tree_collector *outer;
    const lf__tree_ray *walk;
} scaled_collector;

static void found_scaled(void *user, lf__tree_meeting meeting) {
    const scaled_collector *scaled = user;
    meeting.t = lf__tree_caller_t(scaled->walk, meeting.t);
    scaled->outer->found(scaled->outer->user, meeting);
}

void lf__tree_all(const lf_tree *tree, const lf_ray *ray, const lf__tree_filter *filter,
                  const lf__tree_collector *collector, lf_cursor *cursor) {
    lf__tree_ray walk;
    scaled_collector scaled = {collector, &walk};
    lf__tree_collector inner = {found_scaled, &scaled};
    lf__tree_ray_set(&walk, tree, ray, filter);
    tree->kernels->all(&walk, &inner);
    lf__cursor_count(cursor, &walk.cost);
}

lf_status lf_tree_ray_first(const lf_tree *tree, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor) {
    if (!tree || !hit || !tree->corners || !lf__ray_valid(ray))
        return lf__hit_refused(hit);
    lf__tree_meeting best;
    if (lf__tree_first(tree, ray, NULL, &best, cursor))
        lf__tree_hit(tree, ray, &best, hit);
    else
        *hit = lf__hit_none(ray->t_max, LF_REASON_NONE);
    return LF_OK;
}

lf_status lf_tree_ray_any(const lf_tree *tree, const lf_ray *ray, bool *blocked, lf_cursor *cursor) {
    if (blocked)
        *blocked = false;
    if (!tree || !blocked || !tree->corners || !lf__ray_valid(ray))
        return LF_BAD_ARGUMENT;
    *blocked = lf__tree_any(tree, ray, NULL, cursor);
    return LF_OK;
}
