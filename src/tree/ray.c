/// Rays through the tree: from the caller's ray to the kernels and back to hits.
#include "tree/tree.h"

/// A direction component this small is told from zero only by the pad around the start.
#define LEAST_DIRECTION 1e-30

/// A ray's numbers by axis.
typedef struct axes {
    double origin[3], direction[3], inverse[3];
    double low[3], high[3]; ///< of the tree's box
    double scale;           ///< no number here is larger
} axes;

static double larger(double a, double b) {
    return a > b ? a : b;
}

static axes axes_of(const lf__line *line, const lf_tree *tree) {
    axes a = {{line->origin.x, line->origin.y, line->origin.z},
              {line->direction.x, line->direction.y, line->direction.z},
              {0, 0, 0},
              {tree->box.low.x, tree->box.low.y, tree->box.low.z},
              {tree->box.high.x, tree->box.high.y, tree->box.high.z},
              0};
    double largest = larger(fabs(a.direction[0]), larger(fabs(a.direction[1]), fabs(a.direction[2])));
    double least = LEAST_DIRECTION * largest;
    for (int k = 0; k < 3; k++) {
        double d = a.direction[k];
        a.inverse[k] = 1 / (fabs(d) < least ? copysign(least, d) : d);
        a.scale = larger(a.scale, larger(fabs(a.origin[k]), larger(fabs(a.low[k]), fabs(a.high[k]))));
    }
    return a;
}

/// Where the line enters the tree's box, a little before rather than after. false: it misses the box beyond all
/// rounding.
static bool enter_box(const lf__line *line, const axes *a, double *start) {
    double near = line->t_min, far = line->t_max, pad = 0x1p-48 * a->scale;
    for (int k = 0; k < 3; k++) {
        double to_low = (a->low[k] - pad - a->origin[k]) * a->inverse[k];
        double to_high = (a->high[k] + pad - a->origin[k]) * a->inverse[k];
        near = larger(near, to_low < to_high ? to_low : to_high);
        double last = to_low < to_high ? to_high : to_low;
        far = last < far ? last : far;
    }
    *start = near;
    return near - 0x1p-48 * fabs(near) <= far + 0x1p-48 * fabs(far);
}

bool lf__tree_ray_start(lf__tree_ray *walk, const lf_tree *tree, const lf_ray *ray,
                        const lf__tree_filter *filter) {
    walk->tree = tree;
    walk->filter = filter;
    walk->cost = (lf_counters){.questions = 1};
    walk->line = lf__line_of(ray);
    axes a = axes_of(&walk->line, tree);
    if (!enter_box(&walk->line, &a, &walk->start))
        return false;
    const double centre[3] = {tree->origin.x, tree->origin.y, tree->origin.z};
    double x = fabs(a.direction[0]), y = fabs(a.direction[1]), z = fabs(a.direction[2]);
    int largest = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    double scale = a.scale + fabs(walk->start * a.direction[largest]);
    for (int k = 0; k < 3; k++) {
        double at = a.origin[k] - centre[k] + walk->start * a.direction[k];
        // Covers every rounding on the way here, in the nodes' boxes, and in the conversion to float; and,
        // times the largest inverse, every t within the box.
        double pad = 0x1p-46 * scale + 0x1p-23 * fabs(at) + 1e-37;
        walk->low[k] = (float)(at - pad);
        walk->high[k] = (float)(at + pad);
        walk->inverse[k] = (float)a.inverse[k];
        walk->near_plane[k] = a.inverse[k] < 0 ? 3 + k : k;
    }
    walk->axis[2] = largest;
    walk->axis[0] = largest == 2 ? 0 : largest + 1;
    walk->axis[1] = largest == 0 ? 2 : largest - 1;
    walk->shear[0] = a.direction[walk->axis[0]] * a.inverse[largest];
    walk->shear[1] = a.direction[walk->axis[1]] * a.inverse[largest];
    walk->blur = 0x1p-49 * a.scale;
    return true;
}

bool lf__tree_meet(lf__tree_ray *walk, const lf__tree_leaf *leaf, unsigned lane, lf__side sure, double *t) {
    const lf_vec3 *vertices = walk->tree->vertices;
    const uint32_t *corner = leaf->vertex[lane];
    lf_vec3 points[3] = {vertices[corner[0]], vertices[corner[1]], vertices[corner[2]]};
    lf__meeting meeting;
    bool met = sure != LF__SIDE_EDGE_ON
                   ? lf__meet_inside(&walk->line, points, sure, &meeting, &walk->cost.exact)
                   : lf__meet(&walk->line, points, &meeting, &walk->cost.exact);
    if (!met || (walk->filter && !walk->filter->accepts(walk->filter->user, leaf->item[lane], meeting.side)))
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
