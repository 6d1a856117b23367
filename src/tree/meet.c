/// Ray against triangle, exactly.
///
/// A line meets a triangle when it passes all three edges on the same side. Each side is the sign of a
/// determinant, computed in doubles with a bound of the rounding error, and where that bound leaves doubt, by
/// exact arithmetic. Neighbours compute the same determinant for the edge they share, so nothing slips through.
#include "tree/meet.h"
#include "geom/expansion.h"

/// Half a unit in the last place.
#define UNIT 0x1p-53
/// Doubles are good enough for t up to this relative error; beyond, t is computed exactly and rounded.
#define T_ERROR 0x1p-45

void lf__line_scaled(const lf_ray *ray, lf_ray *scaled, int *exponent) {
    lf_vec3 d = ray->direction;
    double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
    double largest = x > y ? x : y;
    frexp(z > largest ? z : largest, exponent);
    *scaled = *ray;
    scaled->direction = (lf_vec3){ldexp(d.x, -*exponent), ldexp(d.y, -*exponent), ldexp(d.z, -*exponent)};
    scaled->t_min = ldexp(ray->t_min, *exponent);
    scaled->t_max = ldexp(ray->t_max, *exponent);
}

/// A quotient of exact numbers; the denominator is not zero.
typedef struct ratio {
    lf__exact numerator, denominator;
} ratio;

static double ratio_value(const ratio *r) {
    return lf__exact_estimate(&r->numerator) / lf__exact_estimate(&r->denominator);
}

/// The sign of r - t.
static int ratio_against(const ratio *r, double t) {
    if (isinf(t))
        return t > 0 ? -1 : 1;
    lf__exact difference;
    lf__exact_scaled(&r->denominator, t, &difference);
    lf__exact_minus(&r->numerator, &difference, &difference);
    return lf__exact_sign(&difference) * lf__exact_sign(&r->denominator);
}

static double clamp(double t, const lf_ray *line) {
    return t < line->t_min ? line->t_min : t > line->t_max ? line->t_max : t;
}

static void exact_normal(const lf_vec3 triangle[3], lf__exact3 *normal) {
    lf__exact3 ab, ac;
    lf__exact3_difference(triangle[1], triangle[0], &ab);
    lf__exact3_difference(triangle[2], triangle[0], &ac);
    lf__exact3_cross(&ab, &ac, normal);
}

/// t where the line crosses the triangle's plane, exactly; the line is not parallel to it.
static bool crossing_exact(const lf_ray *line, const lf_vec3 triangle[3], double *t) {
    lf__exact3 normal, to_plane;
    ratio r;
    exact_normal(triangle, &normal);
    lf__exact3_difference(triangle[0], line->origin, &to_plane);
    lf__exact3_dot(&normal, &to_plane, &r.numerator);
    lf__exact3_dot_vec(&normal, line->direction, &r.denominator);
    if (ratio_against(&r, line->t_min) < 0 || ratio_against(&r, line->t_max) > 0)
        return false;
    *t = clamp(ratio_value(&r), line);
    return true;
}

/// t where the line crosses the triangle's plane, in doubles when they are good enough and no end of the
/// interval is near.
static bool crossing(const lf_ray *line, const lf_vec3 triangle[3], double *t, uint64_t *exact) {
    lf_vec3 e = lf_vec3_sub(triangle[1], triangle[0]), f = lf_vec3_sub(triangle[2], triangle[0]);
    lf_vec3 o = lf_vec3_sub(triangle[0], line->origin), d = line->direction;
    double yz = e.y * f.z, zy = e.z * f.y, zx = e.z * f.x, xz = e.x * f.z, xy = e.x * f.y, yx = e.y * f.x;
    lf_vec3 n = {yz - zy, zx - xz, xy - yx};
    lf_vec3 size = {fabs(yz) + fabs(zy), fabs(zx) + fabs(xz), fabs(xy) + fabs(yx)};
    double numerator = lf_vec3_dot(n, o), denominator = lf_vec3_dot(n, d);
    // Each product passes through at most seven roundings on its way into the sum.
    double numerator_error = 8 * UNIT * (size.x * fabs(o.x) + size.y * fabs(o.y) + size.z * fabs(o.z));
    double denominator_error = 8 * UNIT * (size.x * fabs(d.x) + size.y * fabs(d.y) + size.z * fabs(d.z));
    double quotient = numerator / denominator;
    // (numerator error) / |numerator| + (denominator error) / |denominator| <= T_ERROR, without dividing
    double allowed = T_ERROR * fabs(numerator) * fabs(denominator);
    if (numerator_error * fabs(denominator) + denominator_error * fabs(numerator) < allowed) {
        double slack = 2 * T_ERROR * fabs(quotient);
        if (quotient - slack > line->t_min && quotient + slack < line->t_max) {
            *t = quotient;
            return true;
        }
        if (quotient + slack < line->t_min || quotient - slack > line->t_max)
            return false;
    }
    ++*exact;
    return crossing_exact(line, triangle, t);
}

typedef struct exact2 {
    lf__exact x, y;
} exact2;

static void cross2(const exact2 *a, const exact2 *b, lf__exact *product) {
    lf__exact left, right;
    lf__exact_product(&a->x, &b->y, &left);
    lf__exact_product(&a->y, &b->x, &right);
    lf__exact_minus(&left, &right, product);
}

/// Component k of a vector.
static double component(lf_vec3 v, int k) {
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

/// The axis along which the triangle is seen best; -1 for a triangle without area.
static int best_axis(const lf_vec3 triangle[3]) {
    lf__exact3 normal;
    exact_normal(triangle, &normal);
    double size[3] = {fabs(lf__exact_estimate(&normal.x)), fabs(lf__exact_estimate(&normal.y)),
                      fabs(lf__exact_estimate(&normal.z))};
    int axis = size[0] >= size[1] && size[0] >= size[2] ? 0 : size[1] >= size[2] ? 1 : 2;
    return size[axis] > 0 ? axis : -1;
}

/// A line within the triangle's plane: it meets the triangle from where it enters it to where it leaves it. Both
/// places are on edges or corners, so it is enough to look at where the line crosses the three edges.
static bool within_plane(const lf_ray *line, const lf_vec3 triangle[3], double *t) {
    int axis = best_axis(triangle);
    if (axis < 0)
        return false;
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    exact2 direction, corner[3];
    lf__exact side[3];
    lf__exact_of(component(line->direction, i), &direction.x);
    lf__exact_of(component(line->direction, j), &direction.y);
    for (int k = 0; k < 3; k++) {
        lf__exact_difference(component(triangle[k], i), component(line->origin, i), &corner[k].x);
        lf__exact_difference(component(triangle[k], j), component(line->origin, j), &corner[k].y);
        cross2(&direction, &corner[k], &side[k]);
    }
    bool starts = false, ends = false;
    double entry = INFINITY;
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3;
        if (lf__exact_sign(&side[k]) * lf__exact_sign(&side[next]) > 0)
            continue;
        // Where side vanishes between the two corners; an edge along the line counts by its corners, which
        // its neighbours bring in.
        ratio r;
        lf__exact_minus(&side[next], &side[k], &r.denominator);
        if (lf__exact_sign(&r.denominator) == 0)
            continue;
        cross2(&corner[k], &corner[next], &r.numerator);
        starts |= ratio_against(&r, line->t_max) <= 0;
        ends |= ratio_against(&r, line->t_min) >= 0;
        entry = fmin(entry, ratio_value(&r));
    }
    if (!starts || !ends)
        return false;
    *t = clamp(entry, line) + 0.0; // never -0
    return true;
}

/// The sign of d . (a x b): in doubles, or -2 for "in doubt".
static int side_in_doubles(lf_vec3 d, lf_vec3 a, lf_vec3 b) {
    double yz = a.y * b.z, zy = a.z * b.y, zx = a.z * b.x, xz = a.x * b.z, xy = a.x * b.y, yx = a.y * b.x;
    double value = d.x * (yz - zy) + d.y * (zx - xz) + d.z * (xy - yx);
    double bound = 9 * UNIT *
                   (fabs(d.x) * (fabs(yz) + fabs(zy)) + fabs(d.y) * (fabs(zx) + fabs(xz)) +
                    fabs(d.z) * (fabs(xy) + fabs(yx)));
    return value > bound ? 1 : value < -bound ? -1 : -2;
}

bool lf__meet_inside(const lf_ray *line, const lf_vec3 triangle[3], lf__side side, lf__meeting *meeting,
                     uint64_t *exact) {
    if (!crossing(line, triangle, &meeting->t, exact))
        return false;
    meeting->t += 0.0; // never -0
    meeting->side = side;
    return true;
}

bool lf__meet(const lf_ray *line, const lf_vec3 triangle[3], lf__meeting *meeting, uint64_t *exact) {
    lf_vec3 corner[3];
    int sides[3];
    bool left = false, right = false;
    for (int k = 0; k < 3; k++)
        corner[k] = lf_vec3_sub(triangle[k], line->origin);
    for (int k = 0; k < 3; k++) {
        sides[k] = side_in_doubles(line->direction, corner[k], corner[(k + 1) % 3]);
        left |= sides[k] == 1;
        right |= sides[k] == -1;
    }
    if (left && right)
        return false;
    for (int k = 0; k < 3; k++) {
        if (sides[k] != -2)
            continue;
        ++*exact;
        sides[k] = lf_orient_line(line->origin, line->direction, triangle[k], triangle[(k + 1) % 3]);
        left |= sides[k] == 1;
        right |= sides[k] == -1;
    }
    if (left && right)
        return false;
    meeting->side = left ? LF__SIDE_BACK : right ? LF__SIDE_FRONT : LF__SIDE_EDGE_ON;
    if (meeting->side != LF__SIDE_EDGE_ON)
        return lf__meet_inside(line, triangle, meeting->side, meeting, exact);
    return within_plane(line, triangle, &meeting->t);
}
