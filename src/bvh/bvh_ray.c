/// Rays through the tree: from the caller's ray to the kernels, and from what they find to hits.
#include "base/containers.h"
#include "bvh/bvh.h"
#include "geom/expansion.h"

bool lf__bvh_meet(lf__bvh_ray *walk, const lf__bvh_leaf *leaf, unsigned lane, lf__side sure, double *t) {
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

static void corners_of(const lf__bvh *tree, const uint32_t *vertex, lf_vec3 corners[3]) {
    for (int k = 0; k < 3; k++)
        corners[k] = tree->vertices[vertex[k]];
}

bool lf__bvh_before(lf__bvh_ray *walk, const lf__bvh_leaf *leaf, unsigned lane, const lf__bvh_meeting *best) {
    lf_vec3 fresh[3], known[3];
    walk->cost.exact++;
    corners_of(walk->tree, leaf->vertex[lane], fresh);
    corners_of(walk->tree, best->vertex, known);
    int order = lf__meet_order(walk->line, fresh, walk->line, known);
    return order < 0 || (order == 0 && leaf->item[lane] < best->triangle);
}

int lf__bvh_order(const lf__bvh *tree, const lf_ray *ray, uint32_t a, uint32_t b) {
    lf_vec3 first[3], second[3];
    corners_of(tree, tree->corners + 3 * (size_t)a, first);
    corners_of(tree, tree->corners + 3 * (size_t)b, second);
    return lf__meet_order(ray, first, ray, second);
}

bool lf__bvh_first(const lf__bvh *tree, const lf_ray *ray, const lf__bvh_filter *filter,
                   lf__bvh_meeting *best, lf_cursor *cursor) {
    lf__bvh_ray walk;
    lf__bvh_ray_set(&walk, tree, ray, filter);
    bool found = tree->kernels->first(&walk, best);
    if (found)
        best->t = lf__bvh_caller_t(&walk, best->t);
    lf__cursor_count(cursor, &walk.cost);
    return found;
}

/// Do two rays start near each other, in directions within 2 degrees?
static bool are_close(const lf__bvh *tree, const lf_ray *a, const lf_ray *b) {
    lf_vec3 apart = lf_vec3_sub(a->origin, b->origin), extent = lf_vec3_sub(tree->box.high, tree->box.low);
    double dot = lf_vec3_dot(a->direction, b->direction);
    double lengths = lf_vec3_dot(a->direction, a->direction) * lf_vec3_dot(b->direction, b->direction);
    return lf_vec3_dot(apart, apart) <= 1e-4 * lf_vec3_dot(extent, extent) && dot > 0 &&
           dot * dot > 0.9988 * lengths;
}

/// Rays that follow each other closely, such as those of a picture, find in the caches what the one before
/// them needed: tracing them in turns gains nothing and costs branch mispredictions. A few pairs are tested.
static bool follow_closely(const lf__bvh_batch *batch) {
    enum { PAIRS = 8 };
    int close = 0;
    if (batch->count < 2 * PAIRS)
        return false;
    for (int64_t i = 0; i < PAIRS; i++) {
        int64_t first = i * (batch->count / PAIRS);
        close += are_close(batch->tree, lf__bvh_batch_ray(batch, first), lf__bvh_batch_ray(batch, first + 1));
    }
    return close > PAIRS / 2;
}

void lf__bvh_first_many(const lf__bvh_batch *batch) {
    if (!follow_closely(batch)) {
        batch->tree->kernels->first_many(batch);
        return;
    }
    for (int64_t i = 0; i < batch->count; i++) {
        lf__bvh_meeting best;
        bool met = lf__bvh_first(batch->tree, lf__bvh_batch_ray(batch, i), batch->filter, &best, NULL);
        batch->found(batch->user, i, met ? &best : NULL);
    }
}

bool lf__bvh_any(const lf__bvh *tree, const lf_ray *ray, const lf__bvh_filter *filter, lf_cursor *cursor) {
    lf__bvh_ray walk;
    lf__bvh_ray_set(&walk, tree, ray, filter);
    bool found = tree->kernels->any(&walk);
    lf__cursor_count(cursor, &walk.cost);
    return found;
}

typedef struct scaled_collector {
    const lf__bvh_collector *outer;
    const lf__bvh_ray *walk;
} scaled_collector;

static void found_scaled(void *user, lf__bvh_meeting meeting) {
    const scaled_collector *scaled = user;
    meeting.t = lf__bvh_caller_t(scaled->walk, meeting.t);
    scaled->outer->found(scaled->outer->user, meeting);
}

void lf__bvh_all(const lf__bvh *tree, const lf_ray *ray, const lf__bvh_filter *filter,
                 const lf__bvh_collector *collector, lf_cursor *cursor) {
    lf__bvh_ray walk;
    scaled_collector scaled = {collector, &walk};
    lf__bvh_collector inner = {found_scaled, &scaled};
    lf__bvh_ray_set(&walk, tree, ray, filter);
    tree->kernels->all(&walk, &inner);
    lf__cursor_count(cursor, &walk.cost);
}

lf_status lf__bvh_ray_first(const lf__bvh *tree, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor) {
    if (!tree || !hit || !tree->corners || !lf__ray_valid(ray))
        return lf__hit_refused(hit);
    lf__bvh_meeting best;
    if (lf__bvh_first(tree, ray, NULL, &best, cursor))
        lf__bvh_hit(tree, ray, &best, hit);
    else
        *hit = lf__hit_none(ray->t_max, LF_REASON_NONE);
    return LF_OK;
}

lf_status lf__bvh_ray_any(const lf__bvh *tree, const lf_ray *ray, bool *blocked, lf_cursor *cursor) {
    if (blocked)
        *blocked = false;
    if (!tree || !blocked || !tree->corners || !lf__ray_valid(ray))
        return LF_BAD_ARGUMENT;
    *blocked = lf__bvh_any(tree, ray, NULL, cursor);
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// From an intersection to a hit: point, normal, barycentric coordinates
// ---------------------------------------------------------------------------------------------------

/// A triangle narrower than this share of its length has lost too many digits in doubles.
#define NEEDLE 1e-3

static double bvh_hit_component(lf_vec3 v, int k) {
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

/// The unit normal; exact arithmetic for needles, whose normal in doubles may even be reversed.
static lf_vec3 bvh_hit_normal_of(const lf_vec3 t[3], bool *needle) {
    lf_vec3 e = lf_vec3_sub(t[1], t[0]), f = lf_vec3_sub(t[2], t[0]);
    lf_vec3 n = lf_vec3_cross(e, f);
    double area = lf_vec3_dot(n, n), ee = lf_vec3_dot(e, e), ff = lf_vec3_dot(f, f), edge = ee > ff ? ee : ff;
    *needle = !(area > NEEDLE * NEEDLE * edge * edge && area > 1e-200 && area < 1e200);
    if (!*needle)
        return lf_vec3_scale(n, 1 / sqrt(area));
    lf__exact3 ab, ac, exact;
    lf__exact3_difference(t[1], t[0], &ab);
    lf__exact3_difference(t[2], t[0], &ac);
    lf__exact3_cross(&ab, &ac, &exact);
    lf_vec3 rounded = {lf__exact_estimate(&exact.x), lf__exact_estimate(&exact.y),
                       lf__exact_estimate(&exact.z)};
    return lf_vec3_unit(rounded);
}

/// Move a point along a direction onto a plane it is close to: far from the origin, origin + t * direction has
/// lost digits that the triangle still has. Unchanged where the direction runs along the plane.
static lf_vec3 on_plane(lf_vec3 p, lf_vec3 direction, lf_vec3 on, lf_vec3 normal) {
    double across = lf_vec3_dot(normal, direction);
    if (!(across * across > 1e-4 * lf_vec3_dot(direction, direction)))
        return p;
    return lf_vec3_along(p, lf_vec3_dot(normal, lf_vec3_sub(on, p)) / across, direction);
}

/// Barycentric coordinates of a point in the triangle's plane, projected along the normal's largest component.
static void weights_of_point(const lf_vec3 t[3], lf_vec3 normal, lf_vec3 p, double *u, double *v) {
    int axis = fabs(normal.x) >= fabs(normal.y) && fabs(normal.x) >= fabs(normal.z) ? 0
               : fabs(normal.y) >= fabs(normal.z)                                   ? 1
                                                                                    : 2;
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    lf_vec3 e = lf_vec3_sub(t[1], t[0]), f = lf_vec3_sub(t[2], t[0]), q = lf_vec3_sub(p, t[0]);
    double area =
        bvh_hit_component(e, i) * bvh_hit_component(f, j) - bvh_hit_component(e, j) * bvh_hit_component(f, i);
    double inverse = area != 0 ? 1 / area : 0;
    *u = (bvh_hit_component(q, i) * bvh_hit_component(f, j) -
          bvh_hit_component(q, j) * bvh_hit_component(f, i)) *
         inverse;
    *v = (bvh_hit_component(e, i) * bvh_hit_component(q, j) -
          bvh_hit_component(e, j) * bvh_hit_component(q, i)) *
         inverse;
}

/// Barycentric coordinates of a line's crossing from its three sides, exactly. false for a line within the plane.
static bool weights_of_line(const lf_vec3 t[3], const lf_ray *ray, double *u, double *v) {
    lf__exact3 corner[3];
    double side[3];
    for (int k = 0; k < 3; k++)
        lf__exact3_difference(t[k], ray->origin, &corner[k]);
    for (int k = 0; k < 3; k++) {
        lf__exact3 across;
        lf__exact volume;
        lf__exact3_cross(&corner[(k + 1) % 3], &corner[(k + 2) % 3], &across);
        lf__exact3_dot_vec(&across, ray->direction, &volume);
        side[k] = lf__exact_estimate(&volume);
    }
    double sum = side[0] + side[1] + side[2];
    if (sum == 0)
        return false;
    *u = side[1] / sum;
    *v = side[2] / sum;
    return true;
}

/// Barycentric coordinates of a point in a needle: first the distance from its longest edge, then the
/// position along it. Rounding of the first is at most the needle's width.
static void weights_in_needle(const lf_vec3 t[3], lf_vec3 normal, lf_vec3 p, double *u, double *v) {
    int from = 0;
    double longest = -1, weight[3];
    for (int k = 0; k < 3; k++) {
        lf_vec3 edge = lf_vec3_sub(t[(k + 1) % 3], t[k]);
        if (lf_vec3_dot(edge, edge) > longest)
            longest = lf_vec3_dot(edge, edge), from = k;
    }
    int to = (from + 1) % 3, third = (from + 2) % 3;
    lf_vec3 edge = lf_vec3_sub(t[to], t[from]), tip = lf_vec3_sub(t[third], t[from]),
            q = lf_vec3_sub(p, t[from]);
    lf_vec3 across = lf_vec3_cross(normal, edge);
    double along = lf_vec3_dot(q, edge) / longest, tip_along = lf_vec3_dot(tip, edge) / longest;
    // Seen from the edge, the triangle rises to its tip and falls again.
    double most = along < tip_along ? along / tip_along : (1 - along) / (1 - tip_along);
    double share = lf_vec3_dot(q, across) / lf_vec3_dot(tip, across);
    share = share < most ? share : most;
    weight[third] = share > 0 ? share : 0; // 0 also for NaN
    share = along - weight[third] * tip_along;
    weight[to] = share > 0 ? share : 0;
    weight[from] = 1 - weight[to] - weight[third];
    *u = weight[1];
    *v = weight[2];
}

/// Clamp weights to the triangle: rounding may have moved them out.
static void clamp_weights(double *u, double *v) {
    double a = *u > 0 ? *u : 0, b = *v > 0 ? *v : 0, sum = a + b;
    *u = sum > 1 ? a / sum : a;
    *v = sum > 1 ? b / sum : b;
}

void lf__bvh_weights(const lf__bvh *tree, uint32_t triangle, lf_vec3 p, double *u, double *v) {
    const uint32_t *corner = tree->corners + 3 * (size_t)triangle;
    lf_vec3 t[3] = {tree->vertices[corner[0]], tree->vertices[corner[1]], tree->vertices[corner[2]]};
    bool needle;
    lf_vec3 normal = bvh_hit_normal_of(t, &needle);
    (needle ? weights_in_needle : weights_of_point)(t, normal, p, u, v);
    clamp_weights(u, v);
}

/// Filled in place: a hit is large, and copying what has just been written stalls.
void lf__bvh_hit(const lf__bvh *tree, const lf_ray *ray, const lf__bvh_meeting *meeting, lf_hit *hit) {
    const uint32_t *corner =
        meeting->vertex ? meeting->vertex : tree->corners + 3 * (size_t)meeting->triangle;
    lf_vec3 t[3] = {tree->vertices[corner[0]], tree->vertices[corner[1]], tree->vertices[corner[2]]};
    lf_vec3 far = lf_vec3_along(ray->origin, meeting->t, ray->direction);
    bool needle;
    lf_vec3 normal = bvh_hit_normal_of(t, &needle), point = on_plane(far, ray->direction, t[0], normal);
    hit->kind = LF_HIT_TRIANGLE;
    hit->reason = LF_REASON_ANSWERED;
    hit->t = meeting->t;
    hit->point = point;
    hit->normal = normal;
    hit->part = 0;
    hit->element = meeting->triangle;
    hit->triangle = hit->level = 0;
    hit->resolution = 0;
    hit->user = 0;
    hit->layers = 1;
    hit->inner = 0;
    if (!needle)
        weights_of_point(t, normal, point, &hit->u, &hit->v);
    else if (!weights_of_line(t, ray, &hit->u, &hit->v))
        weights_in_needle(t, normal, point, &hit->u, &hit->v);
    clamp_weights(&hit->u, &hit->v);
}

// ---------------------------------------------------------------------------------------------------
// All hits: the nearest ones are kept in a heap
// ---------------------------------------------------------------------------------------------------

/// Is an intersection before another, by the exact t, then by triangle?
static bool bvh_hit_is_before(const lf__nearest *n, const lf_hit *a, const lf_hit *b) {
    int order = lf__meet_order_roughly(a->t, b->t);
    if (order == 2)
        order = lf__bvh_order(n->tree, n->ray, (uint32_t)a->element, (uint32_t)b->element);
    return order < 0 || (order == 0 && a->element < b->element);
}

static bool hit_before(const void *items, int64_t i, int64_t j) {
    const lf__nearest *n = items;
    return bvh_hit_is_before(n, &n->hits[i], &n->hits[j]);
}

static void hit_swap(void *items, int64_t i, int64_t j) {
    lf_hit *hits = ((lf__nearest *)items)->hits, kept = hits[i];
    hits[i] = hits[j];
    hits[j] = kept;
}

void lf__nearest_offer(void *user, lf__bvh_meeting meeting) {
    lf__nearest *nearest = user;
    lf__heap h = {nearest, hit_before, hit_swap};
    lf_hit fresh = {.t = meeting.t, .element = meeting.triangle};
    nearest->offered++;
    if (nearest->kept < nearest->capacity) {
        nearest->hits[nearest->kept] = fresh;
        lf__heap_up(&h, nearest->kept++);
        return;
    }
    if (nearest->capacity == 0)
        return;
    if (bvh_hit_is_before(nearest, &fresh, &nearest->hits[0])) {
        nearest->hits[0] = fresh;
        lf__heap_down(&h, nearest->kept);
    }
}

void lf__nearest_sort(lf__nearest *nearest) {
    lf__heap h = {nearest, hit_before, hit_swap};
    lf__heap_sort(&h, nearest->kept);
    for (int64_t i = 1; i < nearest->kept; i++)
        nearest->hits[i].t = fmax(nearest->hits[i].t, nearest->hits[i - 1].t);
}

lf_status lf__bvh_ray_all(const lf__bvh *tree, const lf_ray *ray, lf_hit *hits, int64_t capacity,
                          int64_t *count, lf_cursor *cursor) {
    if (count)
        *count = 0;
    if (!tree || !count || capacity < 0 || (capacity > 0 && !hits) || !tree->corners || !lf__ray_valid(ray))
        return LF_BAD_ARGUMENT;
    lf__nearest nearest = {tree, ray, hits, capacity, 0, 0};
    lf__bvh_collector collector = {lf__nearest_offer, &nearest};
    lf__bvh_all(tree, ray, NULL, &collector, cursor);
    lf__nearest_sort(&nearest);
    for (int64_t i = 0; i < nearest.kept; i++) {
        lf__bvh_meeting meeting = {hits[i].t, (uint32_t)hits[i].element, NULL};
        lf__bvh_hit(tree, ray, &meeting, &hits[i]);
    }
    *count = nearest.offered;
    return nearest.offered > nearest.kept ? LF_PARTIAL : LF_OK;
}
