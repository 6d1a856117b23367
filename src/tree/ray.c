/// Rays through the tree: from the caller's ray to the kernels and back to hits.
#include "tree/tree.h"

/// The kernels do the rest of the preparing: see start in k_ray.c.
static void set_ray(lf__tree_ray *walk, const lf_tree *tree, const lf_ray *ray,
                    const lf__tree_filter *filter) {
    walk->tree = tree;
    walk->filter = filter;
    walk->line = lf__line_of(ray, &walk->scaled, &walk->exponent);
    walk->cost = (lf_counters){.questions = 1};
}

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

/// t in lengths of the caller's direction.
static double caller_t(const lf__tree_ray *walk, double t) {
    return walk->exponent == 0 ? t : ldexp(t, -walk->exponent);
}

bool lf__tree_first(const lf_tree *tree, const lf_ray *ray, const lf__tree_filter *filter,
                    lf__tree_meeting *best, lf_cursor *cursor) {
    lf__tree_ray walk;
    set_ray(&walk, tree, ray, filter);
    bool found = tree->kernels->first(&walk, best);
    if (found)
        best->t = caller_t(&walk, best->t);
    lf__cursor_count(cursor, &walk.cost);
    return found;
}

bool lf__tree_any(const lf_tree *tree, const lf_ray *ray, const lf__tree_filter *filter, lf_cursor *cursor) {
    lf__tree_ray walk;
    set_ray(&walk, tree, ray, filter);
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
    meeting.t = caller_t(scaled->walk, meeting.t);
    scaled->outer->found(scaled->outer->user, meeting);
}

void lf__tree_all(const lf_tree *tree, const lf_ray *ray, const lf__tree_filter *filter,
                  const lf__tree_collector *collector, lf_cursor *cursor) {
    lf__tree_ray walk;
    scaled_collector scaled = {collector, &walk};
    lf__tree_collector inner = {found_scaled, &scaled};
    set_ray(&walk, tree, ray, filter);
    tree->kernels->all(&walk, &inner);
    lf__cursor_count(cursor, &walk.cost);
}

lf_status lf_tree_ray_first(const lf_tree *tree, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor) {
    if (!tree || !hit || !tree->corners || !lf__ray_valid(ray))
        return LF_BAD_ARGUMENT;
    lf__tree_meeting best;
    if (lf__tree_first(tree, ray, NULL, &best, cursor))
        lf__tree_hit(tree, ray, &best, hit);
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
