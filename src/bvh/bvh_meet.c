/// Ray against triangle, exactly.
///
/// A line meets a triangle when it passes all three edges on the same side. Each side is the sign of a
/// determinant, computed in doubles with a bound of the rounding error, and where that bound leaves doubt, by
/// exact arithmetic. Neighbours compute the same determinant for the edge they share, so no ray passes
/// between them.
#include "bvh/bvh_meet.h"
#include "geom/expansion.h"

/// Half a unit in the last place.
#define UNIT 0x1p-53
/// Doubles are good enough for t up to this relative error; beyond, t is computed exactly and rounded.
#define T_ERROR LF__MEET_ERROR

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

static double meet_clamp(double t, const lf_ray *line) {
    return t < line->t_min ? line->t_min : t > line->t_max ? line->t_max : t;
}

static void exact_normal(const lf_vec3 triangle[3], lf__exact3 *normal) {
    lf__exact3 ab, ac;
    lf__exact3_difference(triangle[1], triangle[0], &ab);
    lf__exact3_difference(triangle[2], triangle[0], &ac);
    lf__exact3_cross(&ab, &ac, normal);
}

/// t where the line crosses the triangle's plane; false when the line is parallel to it.
static bool plane_crossing(const lf_ray *line, const lf_vec3 triangle[3], lf__ratio *t) {
    lf__exact3 normal, to_plane;
    exact_normal(triangle, &normal);
    lf__exact3_dot_vec(&normal, line->direction, &t->denominator);
    if (lf__exact_sign(&t->denominator) == 0)
        return false;
    lf__exact3_difference(triangle[0], line->origin, &to_plane);
    lf__exact3_dot(&normal, &to_plane, &t->numerator);
    return true;
}

/// t where the line crosses the triangle's plane, exactly; the line is not parallel to it.
static bool crossing_exact(const lf_ray *line, const lf_vec3 triangle[3], double *t) {
    lf__ratio r;
    if (!plane_crossing(line, triangle, &r) || lf__ratio_against(&r, line->t_min) < 0 ||
        lf__ratio_against(&r, line->t_max) > 0)
        return false;
    *t = meet_clamp(lf__ratio_value(&r), line);
    return true;
}

/// t where the line crosses the triangle's plane, in doubles when they are good enough and no end of the
/// interval is near.
static bool meet_crossing(const lf_ray *line, const lf_vec3 triangle[3], double *t, uint64_t *exact) {
    lf_vec3 e = lf_vec3_sub(triangle[1], triangle[0]), f = lf_vec3_sub(triangle[2], triangle[0]);
    lf_vec3 o = lf_vec3_sub(triangle[0], line->origin), d = line->direction;
    double yz = e.y * f.z, zy = e.z * f.y, zx = e.z * f.x, xz = e.x * f.z, xy = e.x * f.y, yx = e.y * f.x;
    lf_vec3 n = {yz - zy, zx - xz, xy - yx};
    lf_vec3 size = {fabs(yz) + fabs(zy), fabs(zx) + fabs(xz), fabs(xy) + fabs(yx)};
    double numerator = lf_vec3_dot(n, o), denominator = lf_vec3_dot(n, d);
    // Each product is rounded at most seven times before and in the sum.
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
    // Beyond an end by more than the error, though t itself is not known well: a line that starts just off
    // the plane.
    double least = fabs(denominator) - denominator_error;
    if (least > 0) {
        double slack = 2 * (numerator_error + denominator_error * fabs(quotient)) / least;
        slack += 2 * T_ERROR * fabs(quotient);
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
static double meet_component(lf_vec3 v, int k) {
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

/// A line within the triangle's plane: it meets the triangle from where it enters it to where it leaves it.
/// Both places are on edges or corners, so it is enough to find where the line crosses the three edges.
/// `entry` is the first of these, even before t_min.
static bool entry_in_plane(const lf_ray *line, const lf_vec3 triangle[3], lf__ratio *entry) {
    int axis = best_axis(triangle);
    if (axis < 0)
        return false;
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    exact2 direction, corner[3];
    lf__exact side[3];
    lf__exact_of(meet_component(line->direction, i), &direction.x);
    lf__exact_of(meet_component(line->direction, j), &direction.y);
    for (int k = 0; k < 3; k++) {
        lf__exact_difference(meet_component(triangle[k], i), meet_component(line->origin, i), &corner[k].x);
        lf__exact_difference(meet_component(triangle[k], j), meet_component(line->origin, j), &corner[k].y);
        cross2(&direction, &corner[k], &side[k]);
    }
    bool starts = false, ends = false, any = false;
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3;
        if (lf__exact_sign(&side[k]) * lf__exact_sign(&side[next]) > 0)
            continue;
        // Where side vanishes between the two corners; an edge along the line counts by its corners, which
        // its neighbours bring in.
        lf__ratio r;
        lf__exact_minus(&side[next], &side[k], &r.denominator);
        if (lf__exact_sign(&r.denominator) == 0)
            continue;
        cross2(&corner[k], &corner[next], &r.numerator);
        starts |= lf__ratio_against(&r, line->t_max) <= 0;
        ends |= lf__ratio_against(&r, line->t_min) >= 0;
        if (!any || lf__ratio_order(&r, entry) < 0)
            *entry = r;
        any = true;
    }
    return starts && ends;
}

static bool within_plane(const lf_ray *line, const lf_vec3 triangle[3], double *t) {
    lf__ratio entry;
    if (!entry_in_plane(line, triangle, &entry))
        return false;
    *t = meet_clamp(lf__ratio_value(&entry), line) + 0.0; // never -0
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

/// t where a ray meets a triangle that it is known to meet, exactly, in lengths of the ray's direction.
static void exact_moment(const lf_ray *ray, const lf_vec3 triangle[3], lf__ratio *t) {
    lf_ray scaled;
    int exponent;
    const lf_ray *line = lf__line_of(ray, &scaled, &exponent);
    if (!plane_crossing(line, triangle, t) &&
        (!entry_in_plane(line, triangle, t) || lf__ratio_against(t, line->t_min) < 0)) {
        lf__exact_of(line->t_min, &t->numerator);
        lf__exact_of(1, &t->denominator);
    }
    if (exponent != 0)
        lf__exact_scaled(&t->numerator, ldexp(1, -exponent), &t->numerator);
}

/// Does a line surely cross the plane of a triangle, and not run within it?
static bool surely_crosses(const lf_ray *line, const lf_vec3 triangle[3]) {
    lf_vec3 e = lf_vec3_sub(triangle[1], triangle[0]), f = lf_vec3_sub(triangle[2], triangle[0]);
    return side_in_doubles(line->direction, e, f) != -2;
}

/// Is a point on a line? The sign of the cross product of direction and offset, component by component.
static bool is_on_line(const lf_ray *line, lf_vec3 point) {
    lf__exact3 way;
    lf__exact3_difference(point, line->origin, &way);
    const lf__exact *part[3] = {&way.x, &way.y, &way.z};
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        lf__exact left, right;
        lf__exact_scaled(part[i], meet_component(line->direction, j), &left);
        lf__exact_scaled(part[j], meet_component(line->direction, i), &right);
        lf__exact_minus(&left, &right, &left);
        if (lf__exact_sign(&left) != 0)
            return false;
    }
    return true;
}

/// Does a line meet two triangles in an edge or a corner that they share? The usual reason for a tie, and
/// cheaper to see than two equal t. May say no where it does.
static bool meets_shared_part(const lf_ray *line, const lf_vec3 a[3], const lf_vec3 b[3]) {
    lf_vec3 shared[3];
    int count = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            if (a[i].x == b[k].x && a[i].y == b[k].y && a[i].z == b[k].z) {
                shared[count++] = a[i];
                break;
            }
    if (count < 1 || count > 2 || !surely_crosses(line, a) || !surely_crosses(line, b))
        return false;
    if (count == 2)
        return lf_orient_line(line->origin, line->direction, shared[0], shared[1]) == 0;
    return is_on_line(line, shared[0]);
}

int lf__meet_order(const lf_ray *ray_a, const lf_vec3 a[3], const lf_ray *ray_b, const lf_vec3 b[3]) {
    lf_ray scaled;
    int exponent;
    if (ray_a == ray_b && meets_shared_part(lf__line_of(ray_a, &scaled, &exponent), a, b))
        return 0;
    lf__ratio first, second;
    exact_moment(ray_a, a, &first);
    exact_moment(ray_b, b, &second);
    return lf__ratio_order(&first, &second);
}

int lf__meet_against(const lf_ray *ray, const lf_vec3 triangle[3], double t) {
    lf__ratio moment;
    exact_moment(ray, triangle, &moment);
    return lf__ratio_against(&moment, t);
}

bool lf__meet_inside(const lf_ray *line, const lf_vec3 triangle[3], lf__side side, lf__meeting *meeting,
                     uint64_t *exact) {
    if (!meet_crossing(line, triangle, &meeting->t, exact))
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

#undef T_ERROR
#undef UNIT
