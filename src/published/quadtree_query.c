/// Queries of the quadtree: find the leaf, reject polygons by box and edges, compare heights.
///
/// The operations are those of the paper, in doubles. What is within rounding of an edge, of the point or of another
/// height is decided by exact arithmetic on the original corners. Each operation goes through a little function that
/// can count it; for questions that do not count, the compiler leaves nothing of that.
#include "published/quadtree.h"
#include <assert.h>

// ---------------------------------------------------------------------------------------------------
// Gravity lines in every frame, and points on the border of a leaf
// ---------------------------------------------------------------------------------------------------

#define PI 3.14159265358979323846

/// Points beyond these times the reach are left to the box tree.
#define FAR_ALONG_GRAVITY 2
#define FAR_FROM_CENTRE 16
/// And those that are closer to a centre or an axis than this share of the reach.
#define CLOSE 0x1p-16

bool lf__quadtree_within_reach(const lf__quadtree *tree, lf_vec3 point, lf_vec3 *local) {
    *local = lf__quadtree_local(tree, point);
    if (tree->straight)
        return true;
    lf_vec3 from = lf_vec3_sub(point, tree->frame.origin);
    double far = fmax(fabs(from.x), fmax(fabs(from.y), fabs(from.z)));
    if (tree->frame.kind == LF_FRAME_GRAVITY)
        return far <= FAR_ALONG_GRAVITY * tree->reach;
    return far <= FAR_FROM_CENTRE * tree->reach && fabs(local->z) >= CLOSE * tree->reach;
}

void lf__quadtree_gather(const lf__quadtree *tree, double x, double y, lf__quadtree_leaves *leaves) {
    uint32_t stack[3 * LF__QUADTREE_DEEPEST + 4];
    int waiting = 1;
    stack[0] = 0;
    leaves->count = 0;
    while (waiting > 0) {
        const lf__quadtree_node *node = &tree->nodes[stack[--waiting]];
        if (node->children == 0) {
            assert(leaves->count < LF__QUADTREE_LEAVES);
            leaves->nodes[leaves->count++] = stack[waiting];
            continue;
        }
        bool low_x = x <= node->x + tree->slack, high_x = x >= node->x - tree->slack;
        bool low_y = y <= node->y + tree->slack, high_y = y >= node->y - tree->slack;
        for (int child = 3; child >= 0; child--)
            if ((child & 1 ? high_x : low_x) && (child & 2 ? high_y : low_y))
                stack[waiting++] = node->children + (uint32_t)child;
    }
}

/// Is the point within the box of a polygon? Angles come again after a full turn.
static bool box_holds_turned(const lf__quadtree *tree, const lf__rectangle *box, lf_vec3 p) {
    bool turned = tree->frame.kind != LF_FRAME_GRAVITY && p.x < box->low_x;
    double x = turned ? p.x + 2 * PI : p.x;
    return x >= box->low_x && x <= box->high_x && p.y >= box->low_y && p.y <= box->high_y;
}

/// Is a polygon in one of the leaves before this one?
static bool seen_before(const lf__quadtree *tree, const lf__quadtree_leaves *leaves, int leaf,
                        uint32_t polygon) {
    for (int i = 0; i < leaf; i++) {
        const lf__quadtree_node *node = &tree->nodes[leaves->nodes[i]];
        for (uint32_t k = 0; k < node->count; k++)
            if (tree->references[node->first + k] == polygon)
                return true;
    }
    return false;
}

/// Called for each polygon that is met; false to stop.
typedef bool take_meeting(void *user, lf__bvh_meeting meeting);

/// Every polygon that the query's line meets, each once. false, with nothing taken, when the point is not for this tree.
static bool each_meeting(const lf__mesh_query *query, take_meeting *take, void *user, lf_cursor *cursor) {
    const lf__quadtree *tree = lf__quadtree_of(query->mesh);
    lf_vec3 local;
    lf__quadtree_leaves leaves = {.count = 0};
    if (!lf__quadtree_within_reach(tree, query->ray->origin, &local))
        return false;
    const lf__rectangle *all = &tree->box;
    if (local.x >= all->low_x && local.x <= all->high_x && local.y >= all->low_y && local.y <= all->high_y)
        lf__quadtree_gather(tree, local.x, local.y, &leaves);
    lf_counters cost = {.questions = 1, .cells = (uint64_t)leaves.count};
    bool going = true;
    for (int i = 0; i < leaves.count && going; i++) {
        const lf__quadtree_node *node = &tree->nodes[leaves.nodes[i]];
        cost.triangles += node->count;
        for (uint32_t k = 0; k < node->count && going; k++) {
            uint32_t polygon = tree->references[node->first + k];
            lf__bvh_meeting meeting;
            if (box_holds_turned(tree, &tree->polygons[polygon].box, local) &&
                !seen_before(tree, &leaves, i, polygon) &&
                lf__mesh_meet_polygon(query, polygon, &meeting, &cost.exact))
                going = take(user, meeting);
        }
    }
    lf__cursor_count(cursor, &cost);
    return true;
}

typedef struct first_of_all {
    const lf__mesh_query *query;
    lf__bvh_meeting best;
    bool met;
} first_of_all;

static bool take_first(void *user, lf__bvh_meeting meeting) {
    first_of_all *first = user;
    uint64_t exact = 0;
    if (!first->met || lf__mesh_before(first->query, &meeting, &first->best, &exact))
        first->best = meeting;
    first->met = true;
    return true;
}

static bool take_any(void *user, lf__bvh_meeting meeting) {
    (void)meeting;
    *(bool *)user = true;
    return false;
}

static bool take_all(void *user, lf__bvh_meeting meeting) {
    lf__nearest_offer(user, meeting);
    return true;
}

bool lf__quadtree_first(const lf__mesh_query *query, lf__bvh_meeting *best, lf_cursor *cursor) {
    first_of_all first = {.query = query, .met = false};
    lf__bvh_filter filter = {lf__mesh_accepts, query};
    if (!each_meeting(query, take_first, &first, cursor))
        return lf__bvh_first(query->mesh->tree, query->ray, &filter, best, cursor);
    *best = first.best;
    return first.met;
}

bool lf__quadtree_any(const lf__mesh_query *query, lf_cursor *cursor) {
    bool found = false;
    lf__bvh_filter filter = {lf__mesh_accepts, query};
    if (!each_meeting(query, take_any, &found, cursor))
        return lf__bvh_any(query->mesh->tree, query->ray, &filter, cursor);
    return found;
}

int64_t lf__quadtree_all(lf__mesh_query *query, lf_hit *hits, int64_t capacity, lf_cursor *cursor) {
    query->nearest = (lf__nearest){query->mesh->tree, query->ray, hits, capacity, 0, 0};
    if (!each_meeting(query, take_all, &query->nearest, cursor))
        return lf__mesh_all(query, hits, capacity, cursor);
    lf__nearest_sort(&query->nearest);
    for (int64_t i = 0; i < query->nearest.kept; i++) {
        lf__bvh_meeting meeting = {hits[i].t, (uint32_t)hits[i].element, NULL};
        lf__mesh_hit(query, &meeting, &hits[i]);
    }
    return query->nearest.offered;
}

// ---------------------------------------------------------------------------------------------------
// Heights where gravity has one direction
// ---------------------------------------------------------------------------------------------------

#define INLINE static inline __attribute__((always_inline))

/// More than the relative error of an exact t in doubles.
#define T_ERROR 0x1p-44

// ---------------------------------------------------------------------------------------------------
// Operations
// ---------------------------------------------------------------------------------------------------

INLINE bool less(double a, double b, lf__operations *count) {
    if (count)
        count->compares++;
    return a < b;
}

INLINE double sum(double a, double b, lf__operations *count) {
    if (count)
        count->adds++;
    return a + b;
}

INLINE double product(double a, double b, lf__operations *count) {
    if (count)
        count->multiplies++;
    return a * b;
}

INLINE void once(lf__operations *count) {
    if (count)
        count->times++;
}

INLINE bool box_holds(const lf__rectangle *box, double x, double y, lf__operations *count) {
    once(count);
    return !less(x, box->low_x, count) && !less(box->high_x, x, count) && !less(y, box->low_y, count) &&
           !less(box->high_y, y, count);
}

/// On which side of a line: below the given number?
INLINE bool line_below(const lf__quadtree_line *line, double x, double y, double number,
                       lf__operations *count) {
    once(count);
    return less(sum(product(line->a, x, count), product(line->b, y, count), count), number, count);
}

INLINE double plane_height(const lf__quadtree_polygon *p, double x, double y, lf__operations *count) {
    once(count);
    return sum(sum(product(p->gx, x, count), product(p->gy, y, count), count), p->c, count);
}

// ---------------------------------------------------------------------------------------------------
// One polygon
// ---------------------------------------------------------------------------------------------------

/// A gravity line.
typedef struct column {
    const lf_mesh *mesh;
    const lf__quadtree *tree;
    lf_vec3 point, local;
    lf_vec2 from_middle; ///< local x and y, for planes
    bool down;
    uint32_t layers;
    lf_ray ray; ///< for exact answers
    double length;
    lf_counters cost;
} column;

/// What is nearest so far.
typedef struct nearest {
    int64_t polygon;        ///< -1: nothing
    double distance, error; ///< metres from the point, along the query
    double z;               ///< of the plane
    bool exact;             ///< t and triangle are known
    double t;               ///< along the ray
    int64_t triangle;
    bool behind; ///< there is something on the other side
} nearest;

/// An edge that the point is too close to for doubles: is the point on its inner side, or on it?
static bool exactly_inside(column *c, const lf__quadtree_polygon *p, int64_t polygon, uint32_t edge) {
    lf_vec3 a = lf__mesh_corner(c->mesh, polygon, edge);
    lf_vec3 b = lf__mesh_corner(c->mesh, polygon, edge + 1 < p->line_count ? edge + 1 : 0);
    int side = lf_orient_line(c->point, c->mesh->frame.down, a, b);
    c->cost.exact++;
    return p->flags & LF__QUADTREE_UNDER ? side >= 0 : side <= 0;
}

/// Within all edges? First those that surely have the point outside; what is left is nearly always inside.
INLINE bool edges_hold(column *c, const lf__quadtree_polygon *p, int64_t polygon, lf__operations *count) {
    const lf__quadtree_line *lines = c->tree->lines + p->first_line;
    for (uint32_t k = 0; k < p->line_count; k++)
        if (line_below(&lines[k], c->local.x, c->local.y, lines[k].below, count))
            return false;
    for (uint32_t k = 0; k < p->line_count; k++)
        if (line_below(&lines[k], c->local.x, c->local.y, lines[k].above, count) &&
            !exactly_inside(c, p, polygon, k))
            return false;
    return true;
}

/// May a polygon be seen by a query up or down?
static bool accepts(const column *c, int64_t polygon, uint32_t flags, bool down) {
    const lf_mesh *mesh = c->mesh;
    bool from_behind = ((flags & LF__QUADTREE_UNDER) != 0) == down;
    if (mesh->sides && mesh->sides[polygon] == 1 && from_behind)
        return false;
    return (c->layers & (mesh->layers ? mesh->layers[polygon] : 1u)) != 0;
}

/// The line as a query about all polygons, from both sides.
static lf__mesh_query line_of(const column *c) {
    return (lf__mesh_query){
        .mesh = c->mesh, .ray = &c->ray, .layers = UINT32_MAX, .gravity = true, .both_sides = true};
}

/// Where the line meets a polygon, by the exact test on the triangles of its fan; INFINITY when not ahead.
static double meet_exactly(column *c, int64_t polygon, int64_t *triangle) {
    lf__mesh_query query = line_of(c);
    lf__bvh_meeting best;
    if (!lf__mesh_meet_polygon(&query, polygon, &best, &c->cost.exact))
        return INFINITY;
    *triangle = best.triangle;
    return best.t;
}

static void settle(column *c, nearest *n) {
    if (n->exact || n->polygon < 0)
        return;
    n->t = meet_exactly(c, n->polygon, &n->triangle);
    n->distance = n->t * c->length;
    n->error = T_ERROR * n->distance;
    n->exact = true;
}

/// Is `other` before what is nearest so far? Where distances leave a doubt, both are computed exactly.
static bool is_nearer(column *c, nearest *n, nearest *other) {
    if (n->polygon == other->polygon)
        return false;
    if (n->polygon < 0 || other->distance + other->error < n->distance - n->error)
        return true;
    if (other->distance - other->error > n->distance + n->error)
        return false;
    settle(c, other);
    settle(c, n);
    lf__mesh_query query = line_of(c);
    lf__bvh_meeting fresh = {other->t, (uint32_t)other->triangle, NULL},
                    known = {n->t, (uint32_t)n->triangle, NULL};
    return lf__mesh_before(&query, &fresh, &known, &c->cost.exact);
}

/// A polygon that holds the point, with its height.
static void consider(column *c, nearest *n, int64_t polygon, double z) {
    const lf__quadtree_polygon *p = &c->tree->polygons[polygon];
    double distance = c->down ? c->local.z - z : z - c->local.z;
    // The subtraction rounds too, and not the same for two heights that are close to each other.
    double error = (double)p->error + 0x1p-51 * fabs(distance);
    nearest other = {.polygon = polygon, .distance = distance, .error = error, .z = z};
    bool ahead = other.distance > 0, behind = !ahead;
    if (!(fabs(other.distance) > other.error)) {
        settle(c, &other);
        ahead = !isinf(other.t);
        behind = !ahead || other.t == 0; // ground at the point itself is on both sides
    }
    if (behind && accepts(c, polygon, p->flags, !c->down))
        n->behind = true;
    if (ahead && accepts(c, polygon, p->flags, c->down) && is_nearer(c, n, &other)) {
        other.behind = n->behind;
        *n = other;
    }
}

/// A polygon without lines: its triangles one by one, ahead and behind.
static void consider_triangles(column *c, nearest *n, int64_t polygon) {
    lf_ray back = c->ray;
    back.direction = lf_vec3_scale(back.direction, -1);
    const lf_ray *rays[2] = {&c->ray, &back};
    for (int side = 0; side < 2; side++) {
        lf__mesh_query query = {.mesh = c->mesh, .ray = rays[side], .layers = c->layers, .gravity = true};
        lf__bvh_meeting meeting;
        if (!lf__mesh_meet_polygon(&query, polygon, &meeting, &c->cost.exact))
            continue;
        nearest other = {.polygon = polygon,
                         .distance = meeting.t * c->length,
                         .exact = true,
                         .t = meeting.t,
                         .triangle = meeting.triangle};
        other.error = T_ERROR * other.distance;
        other.behind = n->behind;
        if (side == 1)
            n->behind = true;
        else if (is_nearer(c, n, &other))
            *n = other;
    }
}

// ---------------------------------------------------------------------------------------------------
// Leaves
// ---------------------------------------------------------------------------------------------------

INLINE void search_leaf(column *c, const lf__quadtree_node *leaf, nearest *n, lf__quadtree_count *count) {
    c->cost.cells++;
    c->cost.triangles += leaf->count;
    if (leaf->count == 0) // there may be no references at all
        return;
    const uint32_t *references = c->tree->references + leaf->first;
    for (uint32_t i = 0; i < leaf->count; i++) {
        uint32_t polygon = references[i];
        const lf__quadtree_polygon *p = &c->tree->polygons[polygon];
        if (!box_holds(&p->box, c->local.x, c->local.y, count ? &count->box : NULL))
            continue;
        if (p->flags & LF__QUADTREE_EXACT)
            consider_triangles(c, n, polygon);
        else if (edges_hold(c, p, polygon, count ? &count->line : NULL))
            consider(c, n, polygon,
                     plane_height(p, c->from_middle.x, c->from_middle.y, count ? &count->plane : NULL));
    }
}

/// The leaf that holds the point, and whether the point is so close to its border that others may hold it too.
INLINE const lf__quadtree_node *find_leaf(column *c, bool *on_border, lf__quadtree_count *count) {
    const lf__quadtree *tree = c->tree;
    const lf__quadtree_node *node = tree->nodes;
    lf__rectangle box = tree->box;
    double x = c->local.x, y = c->local.y;
    while (node->children) {
        lf__operations *operations = count ? &count->child : NULL;
        once(operations);
        bool left = less(x, node->x, operations), lower = less(y, node->y, operations);
        box.high_x = left ? node->x : box.high_x;
        box.low_x = left ? box.low_x : node->x;
        box.high_y = lower ? node->y : box.high_y;
        box.low_y = lower ? box.low_y : node->y;
        node = tree->nodes + node->children + (left ? 0 : 1) + (lower ? 0 : 2);
        c->cost.nodes++;
    }
    lf__operations *operations = count ? &count->border : NULL;
    once(operations);
    *on_border =
        !less(box.low_x + tree->slack, x, operations) || !less(x, box.high_x - tree->slack, operations) ||
        !less(box.low_y + tree->slack, y, operations) || !less(y, box.high_y - tree->slack, operations);
    return node;
}

static lf_reason why_not(const column *c, uint32_t hull, bool behind) {
    if (behind)
        return LF_REASON_NONE;
    if (c->tree->doubted >> hull & 1)
        return lf__hull_contains(&c->mesh->hull, c->point) ? LF_REASON_HOLE : LF_REASON_OUTSIDE;
    return hull == LF__HULL_INSIDE ? LF_REASON_HOLE : LF_REASON_OUTSIDE;
}

/// Which triangle of a polygon's fan is under the point: on a diagonal the lower one, unless it has no area.
static int32_t triangle_under(const column *c, const lf__quadtree_polygon *p, int64_t polygon) {
    const lf_mesh *mesh = c->mesh;
    lf_vec3 first = lf__mesh_corner(mesh, polygon, 0);
    int inner = p->flags & LF__QUADTREE_UNDER ? -1 : 1;
    for (int32_t k = 0; k + 3 < (int32_t)p->line_count; k++) {
        lf_vec3 third = lf__mesh_corner(mesh, polygon, k + 2);
        int side = inner * lf_orient_line(c->point, mesh->frame.down, first, third);
        if (side > 0 || (side == 0 && lf_orient_line(first, mesh->frame.down,
                                                     lf__mesh_corner(mesh, polygon, k + 1), third) != 0))
            return k;
    }
    return (int32_t)p->line_count - 3;
}

/// The hit by the plane.
static void fill_by_plane(column *c, const nearest *n, lf_hit *hit) {
    const lf__quadtree_polygon *p = &c->tree->polygons[n->polygon];
    const lf_mesh *mesh = c->mesh;
    double up = (p->flags & LF__QUADTREE_UNDER ? -1 : 1) / sqrt(1 + p->gx * p->gx + p->gy * p->gy);
    double rise = c->down ? -n->distance : n->distance;
    const lf_vec3 *rows = c->tree->frame.rows;
    *hit = (lf_hit){.kind = LF_HIT_TRIANGLE,
                    .reason = LF_REASON_ANSWERED,
                    .t = n->distance,
                    .point = {c->point.x, c->point.y, c->point.z + rise},
                    .normal = {-p->gx * up, -p->gy * up, up},
                    .element = n->polygon,
                    .triangle = p->line_count > 3 ? triangle_under(c, p, n->polygon) : 0,
                    .user = mesh->users ? mesh->users[n->polygon] : 0,
                    .layers = mesh->layers ? mesh->layers[n->polygon] : 1};
    if (c->tree->straight) {
        hit->point.z = n->z;
        return;
    }
    lf_vec3 normal = lf_vec3_scale(rows[0], hit->normal.x);
    normal = lf_vec3_along(normal, hit->normal.y, rows[1]);
    hit->normal = lf_vec3_along(normal, hit->normal.z, rows[2]);
    hit->point = lf_vec3_along(c->point, rise, rows[2]);
}

static void fill(column *c, nearest *n, lf_hit *hit) {
    if (!n->exact && (c->tree->polygons[n->polygon].flags & LF__QUADTREE_FINE)) {
        fill_by_plane(c, n, hit);
        return;
    }
    settle(c, n);
    lf__mesh_query query = {.mesh = c->mesh, .ray = &c->ray};
    lf__bvh_meeting meeting = {n->t, (uint32_t)n->triangle, NULL};
    lf__mesh_hit_on_line(&query, &meeting, c->length, hit);
}

/// Several leaves share the point; a polygon that is in two of them is found twice, and is no nearer for that.
static void search_around(column *c, nearest *n, lf__quadtree_count *count) {
    lf__quadtree_leaves leaves;
    lf__quadtree_gather(c->tree, c->local.x, c->local.y, &leaves);
    for (int i = 0; i < leaves.count; i++)
        search_leaf(c, &c->tree->nodes[leaves.nodes[i]], n, count);
}

INLINE bool ask(const lf_mesh *mesh, lf_vec3 point, bool down, lf_hit *hit, lf_cursor *cursor,
                lf__quadtree_count *count) {
    const lf__quadtree *tree = lf__quadtree_of(mesh);
    lf_vec3 along = mesh->frame.down;
    column c = {
        .mesh = mesh, .tree = tree, .point = point, .down = down, .layers = lf__cursor_layers(cursor)};
    if (!lf__quadtree_within_reach(tree, point, &c.local))
        return false;
    c.from_middle = (lf_vec2){c.local.x - tree->middle.x, c.local.y - tree->middle.y};
    c.ray = lf_ray_towards(point, down ? along : lf_vec3_scale(along, -1));
    c.length = tree->length;
    c.cost.questions = 1;
    nearest n = {.polygon = -1, .distance = INFINITY};
    uint32_t hull = LF__HULL_OUTSIDE;
    if (box_holds(&tree->box, c.local.x, c.local.y, NULL)) {
        bool on_border;
        const lf__quadtree_node *leaf = find_leaf(&c, &on_border, count);
        hull = on_border ? LF__HULL_BORDER : leaf->hull;
        if (on_border)
            search_around(&c, &n, count);
        else
            search_leaf(&c, leaf, &n, count);
    }
    if (n.polygon >= 0)
        fill(&c, &n, hit);
    else
        lf__hit_nothing(hit, why_not(&c, hull, n.behind));
    lf__cursor_count(cursor, &c.cost);
    return true;
}

bool lf__quadtree_height(const lf_mesh *mesh, lf_vec3 point, bool down, lf_hit *hit, lf_cursor *cursor) {
    return ask(mesh, point, down, hit, cursor, NULL);
}

bool lf__quadtree_height_counted(const lf_mesh *mesh, lf_vec3 point, bool down, lf_hit *hit,
                                 lf__quadtree_count *count) {
    return ask(mesh, point, down, hit, NULL, count);
}
