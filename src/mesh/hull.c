/// Andrew's monotone chain, with every comparison exact. The points are never projected, for that would round:
/// the turn from a to b to c, seen along a direction d, is the sign of d . ((b - a) x (c - a)).
#include "geom/expansion.h"
#include "mesh/nest.h"

/// The turn a, b, c as seen against d (from above when d is down): +1 counter-clockwise.
static int hull_turn(lf_vec3 d, lf_vec3 a, lf_vec3 b, lf_vec3 c) {
    return -lf_orient_line(a, d, b, c);
}

/// The same for a hull's corners and a point, which mostly are far from being in line. Seen straight down, x and y are as given.
static int hull_side(lf_vec3 d, lf_vec3 a, lf_vec3 b, lf_vec3 c) {
    if (d.x == 0 && d.y == 0 && d.z < 0) {
        double left = (b.x - a.x) * (c.y - a.y), right = (b.y - a.y) * (c.x - a.x);
        double turn = left - right, bound = 0x1p-50 * (fabs(left) + fabs(right)) + 0x1p-1000;
        if (fabs(turn) > bound)
            return turn > 0 ? 1 : -1;
    }
    return hull_turn(d, a, b, c);
}

/// A vector across d whose components are components of d, so that it is exact.
static lf_vec3 hull_across(lf_vec3 d) {
    if (fabs(d.z) >= fabs(d.x) && fabs(d.z) >= fabs(d.y))
        return (lf_vec3){-d.z, 0, d.x};
    return fabs(d.x) >= fabs(d.y) ? (lf_vec3){d.y, -d.x, 0} : (lf_vec3){0, d.z, -d.y};
}

/// The sign of v . (a - b).
static int hull_farther(lf_vec3 v, lf_vec3 a, lf_vec3 b) {
    lf_vec3 c = lf_vec3_sub(a, b);
    double value = lf_vec3_dot(v, c);
    double bound = 0x1p-50 * (fabs(v.x * c.x) + fabs(v.y * c.y) + fabs(v.z * c.z));
    if (value > bound || value < -bound)
        return value > 0 ? 1 : -1;
    lf__exact3 difference;
    lf__exact sum;
    lf__exact3_difference(a, b, &difference);
    lf__exact3_dot_vec(&difference, v, &sum);
    return lf__exact_sign(&sum);
}

/// Two directions across d that span the view: the first exact, the second only through determinants.
typedef struct hull_view {
    lf_vec3 d, x;
} hull_view;

/// The sign of (d x x) . (a - b): the order along the second direction.
static int farther_sideways(const hull_view *v, lf_vec3 a, lf_vec3 b) {
    lf__exact3 d, x, y, difference;
    lf__exact sum;
    lf__exact3_of(v->d, &d);
    lf__exact3_of(v->x, &x);
    lf__exact3_cross(&d, &x, &y);
    lf__exact3_difference(a, b, &difference);
    lf__exact3_dot(&y, &difference, &sum);
    return lf__exact_sign(&sum);
}

static int hull_compare(const hull_view *v, lf_vec3 a, lf_vec3 b) {
    int order = hull_farther(v->x, a, b);
    return order != 0 ? order : farther_sideways(v, a, b);
}

typedef struct hull_order {
    const hull_view *view;
    lf_vec3 *points;
} hull_order;

static bool hull_before(const void *items, int64_t i, int64_t j) {
    const hull_order *order = items;
    return hull_compare(order->view, order->points[i], order->points[j]) < 0;
}

static void hull_swap(void *items, int64_t i, int64_t j) {
    lf_vec3 *points = ((hull_order *)items)->points, kept = points[i];
    points[i] = points[j];
    points[j] = kept;
}

/// Heap sort: no recursion, no worst case, and C's qsort takes no context.
static void hull_sort_points(const hull_view *v, lf_vec3 *points, int64_t count) {
    hull_order order = {v, points};
    lf__heap heap = {&order, hull_before, hull_swap};
    for (int64_t i = 1; i < count; i++)
        lf__heap_up(&heap, i);
    lf__heap_sort(&heap, count);
}

/// Directions in which extreme points are searched, a sixteenth of a turn apart, beginning with x.
#define HULL_DIRECTIONS 16

/// A polygon of extreme points, as seen; and how far beyond an edge something must be, at least, to be beyond it.
typedef struct hull_outline {
    lf_vec3 x, y; ///< of the view, of unit length but for rounding
    double corner[HULL_DIRECTIONS][2];
    double margin;
} hull_outline;

static void hull_see(const hull_outline *o, lf_vec3 p, double seen[2]) {
    seen[0] = lf_vec3_dot(o->x, p);
    seen[1] = lf_vec3_dot(o->y, p);
}

static hull_outline make_outline(const hull_view *v, const lf_vec3 *points, int64_t count) {
    hull_outline o = {.x = lf_vec3_unit(v->x), .y = lf_vec3_unit(lf_vec3_cross(v->d, v->x))};
    double most[HULL_DIRECTIONS], way[HULL_DIRECTIONS][2], largest = 0;
    for (int k = 0; k < HULL_DIRECTIONS; k++) {
        way[k][0] = cos(k * (6.283185307179586 / HULL_DIRECTIONS));
        way[k][1] = sin(k * (6.283185307179586 / HULL_DIRECTIONS));
        most[k] = -INFINITY;
    }
    for (int64_t i = 0; i < count; i++) {
        double p[2];
        hull_see(&o, points[i], p);
        for (int k = 0; k < HULL_DIRECTIONS; k++) {
            double far = way[k][0] * p[0] + way[k][1] * p[1];
            if (far > most[k])
                most[k] = far, o.corner[k][0] = p[0], o.corner[k][1] = p[1];
        }
        largest = fmax(largest, fmax(fabs(points[i].x), fmax(fabs(points[i].y), fabs(points[i].z))));
    }
    // What is seen is off by a few roundings of the largest coordinate; this is a thousand times more.
    o.margin = 0x1p-40 * largest;
    return o;
}

/// Surely within the outline, away from its edges? A point that has all edges of a closed outline on its left is wound round by
/// it, so this holds for any points.
static bool surely_inside(const hull_outline *o, lf_vec3 point) {
    double p[2];
    int edges = 0;
    hull_see(o, point, p);
    for (int k = 0; k < HULL_DIRECTIONS; k++) {
        const double *a = o->corner[k], *b = o->corner[(k + 1) % HULL_DIRECTIONS];
        double x = b[0] - a[0], y = b[1] - a[1];
        bool edge = x != 0 || y != 0;
        if (edge && !(x * (p[1] - a[1]) - y * (p[0] - a[0]) > o->margin * (fabs(x) + fabs(y))))
            return false;
        edges += edge;
    }
    return edges > 0;
}

/// Points that are surely within the outline of some extreme points cannot be corners; most of a terrain is.
static int64_t keep_outer(const hull_view *v, const lf_vec3 *points, int64_t count, lf_vec3 *kept) {
    hull_outline o = make_outline(v, points, count);
    int64_t left = 0;
    for (int64_t i = 0; i < count; i++)
        if (!surely_inside(&o, points[i]))
            kept[left++] = points[i];
    return left;
}

/// One half of the chain over sorted points; `step` is 1 forwards and -1 backwards.
static int64_t half_chain(lf_vec3 d, const lf_vec3 *points, int64_t count, int step, lf_vec3 *chain) {
    int64_t length = 0;
    for (int64_t k = 0; k < count; k++) {
        lf_vec3 p = points[step > 0 ? k : count - 1 - k];
        while (length >= 2 && hull_turn(d, chain[length - 2], chain[length - 1], p) <= 0)
            length--;
        chain[length++] = p;
    }
    return length;
}

lf_status lf__hull_make(lf__hull *hull, const lf_allocator *allocator, const lf_vec3 *points, int64_t count,
                        lf_vec3 direction) {
    hull_view v = {direction, hull_across(direction)};
    lf_vec3 *sorted = NULL, *chain = NULL;
    lf_status status = lf__allocate_array(allocator, count, sizeof *sorted, (void **)&sorted);
    if (status != LF_OK)
        return status;
    int64_t left = keep_outer(&v, points, count, sorted);
    hull_sort_points(&v, sorted, left);
    status = lf__allocate_array(allocator, 2 * left + 2, sizeof *chain, (void **)&chain);
    if (status != LF_OK)
        goto done;
    int64_t lower = half_chain(direction, sorted, left, 1, chain) - 1;
    int64_t upper = half_chain(direction, sorted, left, -1, chain + lower) - 1;
    hull->count = lower + upper > 0 ? lower + upper : 1;
    if (hull->count == 2 && hull_compare(&v, chain[0], chain[1]) == 0) // one place, given more than once
        hull->count = 1;
    hull->direction = direction;
    status = lf__allocate_array(allocator, hull->count, sizeof *hull->corners, (void **)&hull->corners);
    if (status != LF_OK)
        goto done;
    for (int64_t i = 0; i < hull->count; i++)
        hull->corners[i] = chain[i];
done:
    lf__free_array(allocator, chain, 2 * left + 2, sizeof *chain);
    lf__free_array(allocator, sorted, count, sizeof *sorted);
    return status;
}

void lf__hull_free(lf__hull *hull, const lf_allocator *allocator) {
    lf__free_array(allocator, hull->corners, hull->count, sizeof *hull->corners);
    hull->corners = NULL;
    hull->count = 0;
}

/// A hull that is only a line or a point: between its ends?
static bool thin_contains(const lf__hull *hull, lf_vec3 p) {
    hull_view v = {hull->direction, hull_across(hull->direction)};
    lf_vec3 a = hull->corners[0], b = hull->corners[hull->count - 1];
    return hull_turn(hull->direction, a, b, p) == 0 && hull_compare(&v, a, p) <= 0 &&
           hull_compare(&v, p, b) <= 0;
}

/// The wedge from corner 0 that holds p: between corners `low` and low + 1. There are at least three corners.
static int64_t find_wedge(const lf__hull *hull, lf_vec3 p) {
    const lf_vec3 *c = hull->corners;
    int64_t low = 1, high = hull->count - 1;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (hull_side(hull->direction, c[0], c[middle], p) >= 0)
            low = middle;
        else
            high = middle;
    }
    return low;
}

int64_t lf__hull_find(const lf__hull *hull, lf_vec3 p) {
    int64_t low = hull->count < 3 ? 0 : find_wedge(hull, p);
    const int64_t places[3] = {0, low, low + 1};
    for (int i = 0; i < 3; i++) {
        lf_vec3 c = places[i] < hull->count ? hull->corners[places[i]] : (lf_vec3){NAN, NAN, NAN};
        if (c.x == p.x && c.y == p.y && c.z == p.z)
            return places[i];
    }
    return -1;
}

bool lf__hull_contains(const lf__hull *hull, lf_vec3 p) {
    const lf_vec3 *c = hull->corners;
    int64_t n = hull->count;
    lf_vec3 d = hull->direction;
    if (n < 3)
        return thin_contains(hull, p);
    if (hull_side(d, c[0], c[1], p) < 0 || hull_side(d, c[0], c[n - 1], p) > 0)
        return false;
    int64_t low = find_wedge(hull, p);
    return hull_side(d, c[low], c[low + 1], p) >= 0;
}
