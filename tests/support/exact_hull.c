// The convex hull of projected points in rational numbers. The projection is not the orthogonal one but one
// with the same kernel and no division: membership in a hull does not depend on which of them is taken.
#include "exact.h"
#include <assert.h>
#include <gmp.h>
#include <stdlib.h>

typedef struct flat_point {
    mpq_t x, y;
} flat_point;

struct exact_hull {
    flat_point *corners; ///< counter-clockwise, no three on a line; one or two when everything is on a line
    int64_t count;
    lf_vec3 along;
};

static double part(lf_vec3 v, int axis) {
    return axis % 3 == 0 ? v.x : axis % 3 == 1 ? v.y : v.z;
}

/// out = p[axis + turn] * along[axis] - p[axis] * along[axis + turn]
static void project_part(mpq_t out, lf_vec3 p, lf_vec3 along, int axis, int turn) {
    mpq_t factor, product;
    mpq_inits(factor, product, NULL);
    mpq_set_d(out, part(p, axis + turn));
    mpq_set_d(factor, part(along, axis));
    mpq_mul(out, out, factor);
    mpq_set_d(product, part(p, axis));
    mpq_set_d(factor, part(along, axis + turn));
    mpq_mul(product, product, factor);
    mpq_sub(out, out, product);
    mpq_clears(factor, product, NULL);
}

static void project(flat_point *out, lf_vec3 p, lf_vec3 along) {
    int axis = along.z != 0 ? 2 : along.y != 0 ? 1 : 0;
    mpq_inits(out->x, out->y, NULL);
    project_part(out->x, p, along, axis, 1);
    project_part(out->y, p, along, axis, 2);
}

static int compare_points(const void *left, const void *right) {
    const flat_point *a = left, *b = right;
    int order = mpq_cmp(a->x, b->x);
    return order != 0 ? order : mpq_cmp(a->y, b->y);
}

/// The sign of (b - a) x (c - a).
static int turn_of(const flat_point *a, const flat_point *b, const flat_point *c) {
    mpq_t ux, uy, vx, vy;
    mpq_inits(ux, uy, vx, vy, NULL);
    mpq_sub(ux, b->x, a->x);
    mpq_sub(uy, b->y, a->y);
    mpq_sub(vx, c->x, a->x);
    mpq_sub(vy, c->y, a->y);
    mpq_mul(ux, ux, vy);
    mpq_mul(uy, uy, vx);
    int turn = mpq_cmp(ux, uy);
    mpq_clears(ux, uy, vx, vy, NULL);
    return turn > 0 ? 1 : turn < 0 ? -1 : 0;
}

static void push(exact_hull *hull, int64_t base, const flat_point *point) {
    while (hull->count >= base + 2 &&
           turn_of(&hull->corners[hull->count - 2], &hull->corners[hull->count - 1], point) <= 0)
        hull->count--;
    hull->corners[hull->count++] = *point;
}

static bool same(const flat_point *a, const flat_point *b) {
    return mpq_equal(a->x, b->x) && mpq_equal(a->y, b->y);
}

/// Lower chain, then upper chain, over sorted points without repetitions. The corners share the points' numbers.
static void wrap(exact_hull *hull, const flat_point *points, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        push(hull, 0, &points[i]);
    int64_t base = hull->count - 1;
    for (int64_t i = count - 2; i >= 0; i--)
        push(hull, base, &points[i]);
    if (hull->count > 1)
        hull->count--;
}

exact_hull *exact_hull_make(const lf_vec3 *points, int64_t count, lf_vec3 along) {
    assert(count > 0);
    exact_hull *hull = malloc(sizeof *hull);
    flat_point *flat = malloc((size_t)count * sizeof *flat);
    assert(hull && flat);
    *hull = (exact_hull){malloc(((size_t)count + 1) * 2 * sizeof(flat_point)), 0, along};
    assert(hull->corners);
    for (int64_t i = 0; i < count; i++)
        project(&flat[i], points[i], along);
    qsort(flat, (size_t)count, sizeof *flat, compare_points);
    flat_point *distinct = malloc((size_t)count * sizeof *distinct);
    assert(distinct);
    int64_t kept = 0;
    for (int64_t i = 0; i < count; i++)
        if (i == 0 || !same(&flat[i], &flat[i - 1]))
            distinct[kept++] = flat[i];
    wrap(hull, distinct, kept);
    for (int64_t i = 0; i < hull->count; i++) {
        flat_point shared = hull->corners[i];
        mpq_inits(hull->corners[i].x, hull->corners[i].y, NULL);
        mpq_set(hull->corners[i].x, shared.x);
        mpq_set(hull->corners[i].y, shared.y);
    }
    for (int64_t i = 0; i < count; i++)
        mpq_clears(flat[i].x, flat[i].y, NULL);
    free(distinct);
    free(flat);
    return hull;
}

/// Between the two ends (in order) of a segment that it is known to be in line with.
static bool between(const flat_point *a, const flat_point *b, const flat_point *p) {
    return compare_points(a, p) <= 0 && compare_points(p, b) <= 0;
}

static bool contains(const exact_hull *hull, const flat_point *p) {
    if (hull->count == 1)
        return same(&hull->corners[0], p);
    if (hull->count == 2)
        return turn_of(&hull->corners[0], &hull->corners[1], p) == 0 &&
               between(&hull->corners[0], &hull->corners[1], p);
    for (int64_t i = 0; i < hull->count; i++)
        if (turn_of(&hull->corners[i], &hull->corners[(i + 1) % hull->count], p) < 0)
            return false;
    return true;
}

bool exact_hull_contains(const exact_hull *hull, lf_vec3 point) {
    flat_point flat;
    project(&flat, point, hull->along);
    bool inside = contains(hull, &flat);
    mpq_clears(flat.x, flat.y, NULL);
    return inside;
}

void exact_hull_free(exact_hull *hull) {
    if (!hull)
        return;
    for (int64_t i = 0; i < hull->count; i++)
        mpq_clears(hull->corners[i].x, hull->corners[i].y, NULL);
    free(hull->corners);
    free(hull);
}
