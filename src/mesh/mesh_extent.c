/// Box and hull of a mesh after an edit.
///
/// What is added can only push borders outwards, and is examined itself. Where something is removed that held a border,
/// the next one is found by a walk through the box tree: only into boxes that reach beyond what has been found already. So
/// a border costs a few ways down the tree, however large the mesh.
#include "base/base.h"
#include "geom/expansion.h"
#include "mesh/mesh_edit.h"

/// The target of a search: the living vertex with the largest across . (p - from).
typedef struct vertex_search {
    lf__mesh_change *change;
    lf_vec3 from, across;
    double doubt;  ///< of that, per metre (in the sum of coordinates) from `from`
    bool beyond;   ///< only what is beyond the line from `from` to `to`, as seen along gravity; exactly
    lf_vec3 to;    ///< for that
    double ease;   ///< something may be this much farther, it does not matter
    double enough; ///< the search ends when it has found this much
    double most;   ///< found
    lf_vec3 point;
    bool found;
} vertex_search;

static double sum_of(lf_vec3 v) {
    return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

/// The turn a, b, p as seen from above: negative when p is beyond an edge a, b of the hull.
static int edge_turn(const lf_mesh *mesh, lf_vec3 a, lf_vec3 b, lf_vec3 p) {
    return -lf_orient_line(a, mesh->frame.down, b, p);
}

/// No vertex under a child is farther.
static double bound_of(const vertex_search *s, const lf__bvh_node *node, int lane) {
    const lf__bvh *tree = s->change->mesh->tree;
    lf_vec3 o = lf_vec3_sub(tree->origin, s->from), a = s->across;
    lf_vec3 low = {o.x + node->plane[0][lane], o.y + node->plane[1][lane], o.z + node->plane[2][lane]};
    lf_vec3 high = {o.x + node->plane[3][lane], o.y + node->plane[4][lane], o.z + node->plane[5][lane]};
    double most =
        fmax(a.x * low.x, a.x * high.x) + fmax(a.y * low.y, a.y * high.y) + fmax(a.z * low.z, a.z * high.z);
    double far = fmax(sum_of(low), sum_of(high)) + sum_of(low) + sum_of(high);
    // Boxes count from the tree's origin, which rounds at its own scale.
    return most + s->doubt * far + 0x1p-48 * sum_of(a) * (tree->scale + sum_of(s->from));
}

static void examine_vertex(vertex_search *s, lf_vec3 p) {
    lf_vec3 way = lf_vec3_sub(p, s->from);
    double far = lf_vec3_dot(s->across, way);
    s->change->work.vertices++;
    if (s->found && !(far > s->most))
        return;
    if (s->beyond && !(far >= -s->doubt * sum_of(way)))
        return;
    if (s->beyond && edge_turn(s->change->mesh, s->from, s->to, p) >= 0)
        return;
    s->found = true;
    s->most = far;
    s->point = p;
}

static void examine_leaf(vertex_search *s, const lf__bvh_leaf *leaf) {
    const lf_mesh *mesh = s->change->mesh;
    for (int i = 0; i < __builtin_popcount(leaf->lanes); i++)
        for (int c = 0; c < 3 && !lf__mesh_gone(mesh, leaf->item[i]); c++)
            examine_vertex(s, mesh->vertices[leaf->vertex[i][c]]);
}

/// Children worth looking into, the best on top of the stack.
typedef struct waiting_child {
    uint32_t child;
    double bound;
} waiting_child;

static int stack_children(const vertex_search *s, const lf__bvh_node *node, waiting_child *stack, int count) {
    int base = count;
    for (int i = 0; i < __builtin_popcount(node->lanes); i++) {
        waiting_child next = {node->child[i], bound_of(s, node, i)};
        if (s->beyond && !(next.bound > 0))
            continue;
        int place = count++;
        for (; place > base && stack[place - 1].bound > next.bound; place--)
            stack[place] = stack[place - 1];
        stack[place] = next;
    }
    return count;
}

static void run_vertex_search(vertex_search *s) {
    const lf__bvh *tree = s->change->mesh->tree;
    waiting_child stack[LF__BVH_STACK];
    int count = 1;
    stack[0] = (waiting_child){tree->root, INFINITY};
    while (count > 0 && !(s->found && s->most >= s->enough)) {
        waiting_child next = stack[--count];
        if (s->found && !(next.bound > s->most + s->ease))
            continue;
        s->change->work.nodes++;
        if (next.child & LF__BVH_LEAF)
            examine_leaf(s, &tree->leaves[next.child & ~LF__BVH_LEAF]);
        else
            count = stack_children(s, &tree->nodes[next.child], stack, count);
    }
}

// ---------------------------------------------------------------------------------------------------
// The box
// ---------------------------------------------------------------------------------------------------

static double *axis_part(lf_vec3 *v, int axis) {
    return axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z;
}

/// The box of what is added and of what is removed.
static void boxes_of_change(const lf__mesh_change *change, lf_box *added, lf_box *removed) {
    const lf_mesh *mesh = change->mesh;
    lf_vec3 points[3];
    *added = *removed = lf_box_empty();
    for (int64_t i = change->first_triangle; i < mesh->triangle_count; i++) {
        lf__mesh_triangle(mesh, i, points);
        for (int c = 0; c < 3; c++)
            *added = lf_box_with(*added, points[c]);
    }
    for (int64_t i = 0; i < change->removed_count; i++) {
        int64_t last = lf__mesh_first(mesh, change->removed[i] + 1);
        for (int64_t k = lf__mesh_first(mesh, change->removed[i]); k < last; k++) {
            lf__mesh_triangle(mesh, k, points);
            for (int c = 0; c < 3; c++)
                *removed = lf_box_with(*removed, points[c]);
        }
    }
}

/// How far the living reach along an axis, up (sign 1) or down (sign -1); no farther than `before`.
static double reach_along(lf__mesh_change *change, int axis, int way, double before) {
    vertex_search s = {.change = change, .enough = way * before};
    *axis_part(&s.across, axis) = way;
    run_vertex_search(&s);
    return s.found ? way * s.most : -way * (double)INFINITY;
}

lf_box lf__mesh_new_box(lf__mesh_change *change) {
    lf_box added, removed, box = change->mesh->box;
    boxes_of_change(change, &added, &removed);
    for (int axis = 0; axis < 3; axis++) {
        double *low = axis_part(&box.low, axis), *high = axis_part(&box.high, axis);
        if (*axis_part(&removed.low, axis) <= *low)
            *low = reach_along(change, axis, -1, *low);
        if (*axis_part(&removed.high, axis) >= *high)
            *high = reach_along(change, axis, 1, *high);
    }
    return lf_box_union(box, added);
}

// ---------------------------------------------------------------------------------------------------
// The hull
// ---------------------------------------------------------------------------------------------------

/// A hull during its update: points among which its corners are.
typedef struct hulling {
    lf__mesh_change *change;
    const lf__hull *old;
    lf__array points; ///< lf_vec3
    lf__array lost;   ///< bool per old corner
    lf__array closed; ///< edges with nothing beyond them: two lf_vec3 each
    lf_status status;
} hulling;

static bool same_vertex(lf_vec3 a, lf_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static void hulling_add(hulling *h, lf__array *to, lf_vec3 p) {
    if (h->status == LF_OK)
        h->status = lf__array_reserve(to, &h->change->mesh->allocator, 1, sizeof p);
    if (h->status == LF_OK)
        ((lf_vec3 *)to->items)[to->count++] = p;
}

static bool *lost_of(const hulling *h) {
    return h->lost.items;
}

static bool leaf_uses(const lf__mesh_change *change, const lf__bvh_leaf *leaf, lf_vec3 p) {
    const lf_mesh *mesh = change->mesh;
    for (int i = 0; i < __builtin_popcount(leaf->lanes); i++)
        for (int c = 0; c < 3 && !lf__mesh_gone(mesh, leaf->item[i]); c++)
            if (same_vertex(mesh->vertices[leaf->vertex[i][c]], p))
                return true;
    return false;
}

static bool lane_holds(const lf__bvh_node *node, int lane, const float low[3], const float high[3]) {
    for (int k = 0; k < 3; k++)
        if (node->plane[k][lane] > high[k] || node->plane[3 + k][lane] < low[k])
            return false;
    return true;
}

/// Does a polygon that was there before and still is have a corner just here?
static bool still_used(lf__mesh_change *change, lf_vec3 p) {
    const lf__bvh *tree = change->mesh->tree;
    lf_vec3 at = lf_vec3_sub(p, tree->origin);
    const float low[3] = {lf__float_below(at.x), lf__float_below(at.y), lf__float_below(at.z)};
    const float high[3] = {lf__float_above(at.x), lf__float_above(at.y), lf__float_above(at.z)};
    uint32_t stack[LF__BVH_STACK];
    int count = 1;
    stack[0] = tree->root;
    while (count > 0) {
        uint32_t child = stack[--count];
        change->work.nodes++;
        if (child & LF__BVH_LEAF) {
            if (leaf_uses(change, &tree->leaves[child & ~LF__BVH_LEAF], p))
                return true;
            continue;
        }
        const lf__bvh_node *node = &tree->nodes[child];
        for (int i = 0; i < __builtin_popcount(node->lanes); i++)
            if (lane_holds(node, i, low, high))
                stack[count++] = node->child[i];
    }
    return false;
}

/// A corner of a polygon that goes: was it one of the hull, and is it none any more?
static void lose_corner(hulling *h, lf_vec3 p) {
    int64_t k = lf__hull_find(h->old, p);
    h->change->work.vertices++;
    if (k >= 0 && !lost_of(h)[k])
        lost_of(h)[k] = !still_used(h->change, p);
}

static bool lose_corners(hulling *h) {
    const lf_mesh *mesh = h->change->mesh;
    bool any = false;
    h->status = lf__array_reserve(&h->lost, &mesh->allocator, h->old->count, sizeof(bool));
    for (int64_t k = 0; k < h->old->count && h->status == LF_OK; k++)
        lost_of(h)[k] = false;
    for (int64_t i = 0; i < h->change->removed_count && h->status == LF_OK; i++) {
        int64_t last = lf__mesh_first(mesh, h->change->removed[i] + 1);
        for (int64_t k = lf__mesh_first(mesh, h->change->removed[i]); k < last; k++) {
            lf_vec3 points[3];
            lf__mesh_triangle(mesh, k, points);
            for (int c = 0; c < 3; c++)
                lose_corner(h, points[c]);
        }
    }
    for (int64_t k = 0; k < h->old->count && h->status == LF_OK; k++)
        any |= lost_of(h)[k];
    return any;
}

/// The points that are known: corners that are left, those that are new; and some far ones when there are few.
static void hull_gather(hulling *h, bool shrank, bool *grew) {
    const lf_mesh *mesh = h->change->mesh;
    *grew = false;
    for (int64_t i = h->change->first_triangle; i < mesh->triangle_count; i++) {
        lf_vec3 points[3];
        lf__mesh_triangle(mesh, i, points);
        for (int c = 0; c < 3; c++) {
            bool outside = !lf__hull_contains(h->old, points[c]);
            *grew |= outside;
            h->change->work.vertices++;
            if (outside || shrank)
                hulling_add(h, &h->points, points[c]);
        }
    }
    for (int64_t k = 0; k < h->old->count; k++)
        if (!lost_of(h)[k])
            hulling_add(h, &h->points, h->old->corners[k]);
    bool few = shrank && h->points.count < 3;
    lf_vec3 d = lf_vec3_unit(mesh->frame.down), x = fabs(d.x) < 0.6 ? (lf_vec3){1, 0, 0} : (lf_vec3){0, 1, 0};
    lf_vec3 y = lf_vec3_unit(lf_vec3_cross(d, x));
    x = lf_vec3_cross(y, d);
    for (int k = 0; k < 4 && few; k++) {
        vertex_search s = {.change = h->change, .ease = 1e-3 * mesh->tree->scale, .enough = INFINITY};
        s.across = lf_vec3_scale(k & 1 ? x : y, k & 2 ? 1 : -1);
        run_vertex_search(&s);
        if (s.found)
            hulling_add(h, &h->points, s.point);
    }
}

/// Does an edge lie on one of the old hull and run in the same direction, so that nothing old is beyond it? With new points beyond
/// the old hull an edge can run in the opposite direction, and then everything old is beyond it.
static bool on_old_edge(const hulling *h, lf_vec3 a, lf_vec3 b) {
    const lf_vec3 *c = h->old->corners;
    int64_t n = h->old->count;
    for (int64_t k = 0; n > 2 && k < n; k++) {
        int64_t next = k + 1 < n ? k + 1 : 0;
        if (same_vertex(a, c[k]) && same_vertex(b, c[next]))
            return true;
        bool touched = lost_of(h)[k] || lost_of(h)[next];
        if (touched && edge_turn(h->change->mesh, c[k], c[next], a) == 0 &&
            edge_turn(h->change->mesh, c[k], c[next], b) == 0)
            return edge_turn(h->change->mesh, a, b, c[next + 1 < n ? next + 1 : 0]) > 0;
    }
    return false;
}

static bool is_closed(hulling *h, lf_vec3 a, lf_vec3 b) {
    const lf_vec3 *edges = h->closed.items;
    for (int64_t i = 0; i + 1 < h->closed.count; i += 2)
        if (same_vertex(edges[i], a) && same_vertex(edges[i + 1], b))
            return true;
    if (!on_old_edge(h, a, b))
        return false;
    hulling_add(h, &h->closed, a);
    hulling_add(h, &h->closed, b);
    return true;
}

/// Look beyond every edge of a hull that is open yet. true when nothing was there.
static bool close_edges(hulling *h, const lf__hull *hull) {
    bool all = true;
    for (int64_t k = 0; k < hull->count && h->status == LF_OK; k++) {
        lf_vec3 a = hull->corners[k], b = hull->corners[k + 1 < hull->count ? k + 1 : 0];
        if (is_closed(h, a, b))
            continue;
        lf_vec3 d = h->change->mesh->frame.down, way = lf_vec3_sub(b, a);
        vertex_search s = {.change = h->change, .from = a, .to = b, .beyond = true, .enough = INFINITY};
        s.across = lf_vec3_cross(d, way);
        s.doubt = 0x1p-46 * sum_of(d) * sum_of(way);
        run_vertex_search(&s);
        hulling_add(h, s.found ? &h->points : &h->closed, s.found ? s.point : a);
        if (!s.found)
            hulling_add(h, &h->closed, b);
        all &= !s.found;
    }
    return all;
}

/// The hull of the points that are known, then of those beyond its edges too, and so on. Every round that is not the last
/// finds a vertex that was not known.
static lf_status hull_of_points(hulling *h, bool shrank, lf__hull *hull) {
    const lf_mesh *mesh = h->change->mesh;
    for (;;) {
        if (h->status == LF_OK && h->points.count > 0)
            h->status =
                lf__hull_make(hull, &mesh->allocator, h->points.items, h->points.count, mesh->frame.down);
        h->change->work.vertices += h->points.count;
        if (h->status == LF_OK && shrank && hull->count < 3) { // no width to speak of
            lf__hull_free(hull, &mesh->allocator);
            h->change->work.vertices += mesh->vertex_count;
            return lf__mesh_make_hull(mesh, hull);
        }
        if (h->status != LF_OK || !shrank || close_edges(h, hull))
            break;
        lf__hull_free(hull, &mesh->allocator);
    }
    return h->status;
}

lf_status lf__mesh_new_hull(lf__mesh_change *change, lf__hull *hull, bool *shrank, bool *grew) {
    const lf_allocator *allocator = &change->mesh->allocator;
    hulling h = {.change = change, .old = &change->mesh->hull};
    *hull = (lf__hull){.count = 0};
    *shrank = lose_corners(&h);
    *grew = false;
    if (h.status == LF_OK)
        hull_gather(&h, *shrank, grew);
    if (h.status == LF_OK && (*shrank || *grew))
        h.status = hull_of_points(&h, *shrank, hull);
    if (h.status != LF_OK)
        lf__hull_free(hull, allocator);
    lf__array_free(&h.closed, allocator, sizeof(lf_vec3));
    lf__array_free(&h.lost, allocator, sizeof(bool));
    lf__array_free(&h.points, allocator, sizeof(lf_vec3));
    return h.status;
}
