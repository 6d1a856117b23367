/// The distance of convex bodies by Gilbert, Johnson and Keerthi: the nearest point to the origin of all differences of points, found by
/// ever nearer simplices whose corners are extreme points.
///
/// The answer that counts does not depend on how well this converges: for each direction tried, the extreme points themselves say how
/// far apart the bodies are at least.
#include "contact/convex.h"

/// Rounds until the nearest point is found; each brings it nearer.
#define ROUNDS 100

void lf__pose_body(const lf_body *body, double time, lf__posed *posed) {
    static const lf_vec3 units[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    posed->body = body;
    for (int k = 0; k < 3; k++) // rows of a rotation are the units turned back
        posed->turn[k] = lf__turned(units[k], body->spin, -time);
    lf_vec3 moved = lf_vec3_scale(body->velocity, time);
    if (!lf__is_zero(body->spin))
        moved = lf_vec3_add(moved, lf_vec3_sub(body->pivot, lf__turned(body->pivot, body->spin, time)));
    posed->shift = moved;
}

static lf_vec3 rows_times(const lf_vec3 rows[3], lf_vec3 a) {
    return (lf_vec3){lf_vec3_dot(rows[0], a), lf_vec3_dot(rows[1], a), lf_vec3_dot(rows[2], a)};
}

static lf_vec3 columns_times(const lf_vec3 rows[3], lf_vec3 a) {
    return lf_vec3_along(lf_vec3_along(lf_vec3_scale(rows[0], a.x), a.y, rows[1]), a.z, rows[2]);
}

/// The extreme point of the shape itself.
static lf_vec3 extreme(const lf_body *body, lf_vec3 direction) {
    if (body->kind == LF_BODY_SPHERE)
        return lf_vec3_scale(lf_vec3_unit(direction), body->radius);
    if (body->kind == LF_BODY_CYLINDER) {
        lf_vec3 round = lf_vec3_scale(lf_vec3_unit((lf_vec3){direction.x, direction.y, 0}), body->radius);
        return (lf_vec3){round.x, round.y, direction.z < 0 ? -body->half : body->half};
    }
    int64_t best = 0;
    double most = -LF_INFINITY;
    for (int64_t i = 0; i < body->count; i++) {
        double along = lf_vec3_dot(body->points[i], direction);
        if (along > most) {
            most = along;
            best = i;
        }
    }
    return body->points[best];
}

lf_vec3 lf__support(const lf__posed *posed, lf_vec3 direction) {
    const lf_body *body = posed->body;
    lf_vec3 local = columns_times(body->rows, columns_times(posed->turn, direction));
    lf_vec3 at = lf_vec3_add(rows_times(body->rows, extreme(body, local)), body->translation);
    return lf_vec3_add(rows_times(posed->turn, at), posed->shift);
}

double lf__body_size(const lf__posed *posed) {
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        lf_vec3 axis = {k == 0, k == 1, k == 2};
        lf_vec3 high = lf__support(posed, axis), low = lf__support(posed, lf_vec3_scale(axis, -1));
        double extent = lf_vec3_dot(axis, lf_vec3_sub(high, low));
        sum += extent * extent;
    }
    return sqrt(sum);
}

// ---------------------------------------------------------------------------------------------------
// Simplices
// ---------------------------------------------------------------------------------------------------

/// Up to four differences, the points they are of, and the weights of the one nearest to the origin.
typedef struct simplex {
    lf_vec3 at[4], a[4], b[4];
    double weight[4];
    int count;
} simplex;

static void keep(simplex *s, const int *which, const double *weight, int count) {
    simplex old = *s;
    for (int i = 0; i < count; i++) {
        s->at[i] = old.at[which[i]];
        s->a[i] = old.a[which[i]];
        s->b[i] = old.b[which[i]];
        s->weight[i] = weight[i];
    }
    s->count = count;
}

static lf_vec3 blend(const lf_vec3 *points, const double *weight, int count) {
    lf_vec3 sum = {0, 0, 0};
    for (int i = 0; i < count; i++)
        sum = lf_vec3_along(sum, weight[i], points[i]);
    return sum;
}

/// What is nearest to the origin on some corners of a simplex.
typedef struct nearest {
    int which[4];
    double weight[4];
    int count;
    double square; ///< of the distance
} nearest;

static void finish(const simplex *s, nearest *n) {
    lf_vec3 p = {0, 0, 0};
    for (int i = 0; i < n->count; i++)
        p = lf_vec3_along(p, n->weight[i], s->at[n->which[i]]);
    n->square = lf_vec3_dot(p, p);
}

static nearest on_corner(const simplex *s, int i) {
    nearest n = {{i}, {1}, 1, 0};
    finish(s, &n);
    return n;
}

static nearest on_edge(const simplex *s, int i, int j) {
    lf_vec3 way = lf_vec3_sub(s->at[j], s->at[i]);
    double length = lf_vec3_dot(way, way), along = -lf_vec3_dot(s->at[i], way);
    if (!(along > 0))
        return on_corner(s, i);
    if (along >= length)
        return on_corner(s, j);
    double t = along / length;
    nearest n = {{i, j}, {1 - t, t}, 2, 0};
    finish(s, &n);
    return n;
}

static nearest nearer(nearest a, nearest b) {
    return b.square < a.square ? b : a;
}

/// On a triangle: within it, where all three weights are positive, or on one of its edges.
static nearest on_face(const simplex *s, int i, int j, int k) {
    lf_vec3 a = s->at[i], b = s->at[j], c = s->at[k];
    lf_vec3 normal = lf_vec3_cross(lf_vec3_sub(b, a), lf_vec3_sub(c, a));
    double area = lf_vec3_dot(normal, normal);
    double wa = lf_vec3_dot(normal, lf_vec3_cross(b, c)), wb = lf_vec3_dot(normal, lf_vec3_cross(c, a));
    double wc = lf_vec3_dot(normal, lf_vec3_cross(a, b));
    nearest best = nearer(nearer(on_edge(s, i, j), on_edge(s, j, k)), on_edge(s, k, i));
    if (area > 0 && wa > 0 && wb > 0 && wc > 0) {
        double sum = wa + wb + wc;
        nearest n = {{i, j, k}, {wa / sum, wb / sum, wc / sum}, 3, 0};
        finish(s, &n);
        best = nearer(best, n);
    }
    return best;
}

/// Is the origin on the inner side of the face i, j, k of a tetrahedron?
static bool is_behind(const simplex *s, int i, int j, int k, int other) {
    lf_vec3 normal = lf_vec3_cross(lf_vec3_sub(s->at[j], s->at[i]), lf_vec3_sub(s->at[k], s->at[i]));
    double origin = -lf_vec3_dot(normal, s->at[i]);
    double inside = lf_vec3_dot(normal, lf_vec3_sub(s->at[other], s->at[i]));
    return inside > 0 ? origin >= 0 : inside < 0 ? origin <= 0 : false;
}

/// Reduce the simplex to what holds its point nearest to the origin; true: the origin is within.
static bool reduce(simplex *s) {
    nearest best;
    if (s->count == 1) {
        best = on_corner(s, 0);
    } else if (s->count == 2) {
        best = on_edge(s, 0, 1);
    } else if (s->count == 3) {
        best = on_face(s, 0, 1, 2);
    } else {
        if (is_behind(s, 0, 1, 2, 3) && is_behind(s, 0, 1, 3, 2) && is_behind(s, 0, 2, 3, 1) &&
            is_behind(s, 1, 2, 3, 0))
            return true;
        best = nearer(nearer(on_face(s, 0, 1, 2), on_face(s, 0, 1, 3)),
                      nearer(on_face(s, 0, 2, 3), on_face(s, 1, 2, 3)));
    }
    keep(s, best.which, best.weight, best.count);
    return false;
}

static bool holds(const simplex *s, lf_vec3 at) {
    for (int i = 0; i < s->count; i++)
        if (s->at[i].x == at.x && s->at[i].y == at.y && s->at[i].z == at.z)
            return true;
    return false;
}

/// The extreme difference along a direction, as the last corner of the simplex.
static lf_vec3 add_extreme(simplex *s, const lf__posed *a, const lf__posed *b, lf_vec3 direction) {
    lf_vec3 on_a = lf__support(a, direction), on_b = lf__support(b, lf_vec3_scale(direction, -1));
    s->a[s->count] = on_a;
    s->b[s->count] = on_b;
    s->at[s->count] = lf_vec3_sub(on_a, on_b);
    s->weight[s->count] = 1;
    return s->at[s->count];
}

lf__gap lf__find_gap(const lf__posed *a, const lf__posed *b, double near) {
    simplex s = {.count = 0};
    lf__gap gap = {-LF_INFINITY, LF_INFINITY, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    lf_vec3 v = add_extreme(&s, a, b, (lf_vec3){1, 0, 0});
    s.count = 1;
    for (int round = 0; round < ROUNDS; round++) {
        double length = lf_vec3_length(v);
        gap.distance = length;
        gap.point_a = blend(s.a, s.weight, s.count);
        gap.point_b = blend(s.b, s.weight, s.count);
        if (!(length > near))
            break;
        lf_vec3 normal = lf_vec3_scale(v, 1 / length);
        lf_vec3 extreme = add_extreme(&s, a, b, lf_vec3_scale(normal, -1));
        double least = lf_vec3_dot(normal, extreme);
        if (least > gap.least) {
            gap.least = least;
            gap.normal = normal;
        }
        if (length - least <= 1e-12 * length || holds(&s, extreme))
            break;
        s.count++;
        if (reduce(&s)) {
            gap.distance = 0;
            break;
        }
        v = blend(s.at, s.weight, s.count);
    }
    return gap;
}
