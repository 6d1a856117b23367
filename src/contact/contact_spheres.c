/// Spheres: |p + w t| = r is a quadratic equation.
///
/// p is the way from a to b and w how it changes, r the sum of the radii. With A = w.w, B = p.w, C = p.p - r^2 the spheres touch
/// where A t^2 + 2 B t + C <= 0. Whether that happens in [0, ahead] depends on signs alone: of C, of B, of B^2 - A C, of the
/// polynomial at `ahead`, and of A ahead + B. Where rounding could change one, it is computed exactly.
#include "contact/contact.h"

/// A sign is sure when the value is larger than so much of the sum of its terms' magnitudes.
#define DOUBT 0x1p-48

typedef struct quadratic {
    double a, b, c; ///< rounded
    double c_doubt; ///< sum of magnitudes
    double b_doubt;
    lf_vec3 p, w;
    const lf_moving_sphere *first, *second;
} quadratic;

static quadratic quadratic_of(const lf_moving_sphere *a, const lf_moving_sphere *b) {
    quadratic q = {.first = a, .second = b};
    q.p = lf_vec3_sub(b->centre, a->centre);
    q.w = lf_vec3_sub(b->velocity, a->velocity);
    double r = a->radius + b->radius, pp = lf_vec3_dot(q.p, q.p);
    q.a = lf_vec3_dot(q.w, q.w);
    q.b = lf_vec3_dot(q.p, q.w);
    q.c = pp - r * r;
    q.c_doubt = DOUBT * (pp + r * r);
    q.b_doubt = DOUBT * (fabs(q.p.x * q.w.x) + fabs(q.p.y * q.w.y) + fabs(q.p.z * q.w.z));
    return q;
}

/// The coefficients without rounding.
typedef struct exact_quadratic {
    lf__exact a, b, c;
} exact_quadratic;

static void make_exact(const quadratic *q, exact_quadratic *exact) {
    lf__exact3 p, w;
    lf__exact r, other, square;
    lf__exact3_difference(q->second->centre, q->first->centre, &p);
    lf__exact3_difference(q->second->velocity, q->first->velocity, &w);
    lf__exact_of(q->first->radius, &r);
    lf__exact_of(q->second->radius, &other);
    lf__exact_sum(&r, &other, &r);
    lf__exact3_dot(&w, &w, &exact->a);
    lf__exact3_dot(&p, &w, &exact->b);
    lf__exact3_dot(&p, &p, &exact->c);
    lf__exact_product(&r, &r, &square);
    lf__exact_minus(&exact->c, &square, &exact->c);
}

static int sign_of(double value) {
    return (value > 0) - (value < 0);
}

static int sign_c(const quadratic *q) {
    if (fabs(q->c) > q->c_doubt)
        return sign_of(q->c);
    exact_quadratic exact;
    make_exact(q, &exact);
    return lf__exact_sign(&exact.c);
}

static int sign_b(const quadratic *q) {
    if (fabs(q->b) > q->b_doubt)
        return sign_of(q->b);
    exact_quadratic exact;
    make_exact(q, &exact);
    return lf__exact_sign(&exact.b);
}

/// Of B^2 - A C.
static int sign_discriminant(const quadratic *q) {
    double square = q->b * q->b, product = q->a * q->c, value = square - product;
    double doubt = 2 * fabs(q->b) * q->b_doubt + q->a * q->c_doubt + DOUBT * (square + fabs(product));
    if (fabs(value) > doubt)
        return sign_of(value);
    exact_quadratic exact;
    lf__exact left, right;
    make_exact(q, &exact);
    lf__exact_product(&exact.b, &exact.b, &left);
    lf__exact_product(&exact.a, &exact.c, &right);
    lf__exact_minus(&left, &right, &left);
    return lf__exact_sign(&left);
}

/// Of A t + B, and of (A t + 2 B) t + C.
static void signs_at(const quadratic *q, double t, int *slope, int *value) {
    exact_quadratic exact;
    lf__exact sum;
    make_exact(q, &exact);
    lf__exact_scaled(&exact.a, t, &sum);
    lf__exact_sum(&sum, &exact.b, &sum);
    *slope = lf__exact_sign(&sum);
    lf__exact_sum(&sum, &exact.b, &sum);
    lf__exact_scaled(&sum, t, &sum);
    lf__exact_sum(&sum, &exact.c, &sum);
    *value = lf__exact_sign(&sum);
}

/// The smaller root, for C > 0 and B < 0: C / (-B + sqrt(D)) loses no digits.
static double first_root(const quadratic *q) {
    double d = q->b * q->b - q->a * q->c;
    return q->c / (sqrt(d > 0 ? d : 0) - q->b);
}

/// Is the first root at or before `ahead`? C > 0, B < 0, D >= 0.
static bool comes_before(const quadratic *q, double root, double ahead) {
    if (!isfinite(ahead) || fabs(root - ahead) > 1e-6 * (root + ahead))
        return root <= ahead;
    int slope, value;
    signs_at(q, ahead, &slope, &value);
    return slope >= 0 || value <= 0;
}

static bool is_usable(const lf_moving_sphere *sphere) {
    return sphere && lf__contact_usable(sphere->centre) && lf__contact_usable(sphere->velocity) &&
           sphere->radius >= 0 && sphere->radius <= LF__CONTACT_LIMIT;
}

/// The point of a's sphere that faces b, and the way there.
static void fill_place(const lf_moving_sphere *a, const lf_moving_sphere *b, bool now, lf_contact_result *meeting) {
    lf_vec3 from = lf_vec3_along(a->centre, meeting->time, a->velocity);
    lf_vec3 to = lf_vec3_along(b->centre, meeting->time, b->velocity);
    lf_vec3 way = lf_vec3_unit(lf_vec3_sub(to, from));
    double reach = fmin(a->radius, lf_vec3_length(lf_vec3_sub(to, from)));
    meeting->point = lf_vec3_along(from, reach, way);
    if (!now)
        meeting->normal = way;
}

static void meet(const lf_moving_sphere *a, const lf_moving_sphere *b, double ahead, lf_contact_result *meeting) {
    quadratic q = quadratic_of(a, b);
    bool now = sign_c(&q) <= 0;
    *meeting = lf__no_meeting(ahead);
    if (now) {
        meeting->time = 0;
    } else {
        if (sign_b(&q) >= 0 || sign_discriminant(&q) < 0)
            return;
        double root = first_root(&q);
        if (!comes_before(&q, root, ahead))
            return;
        meeting->time = root < ahead ? root : ahead;
    }
    meeting->meets = true;
    fill_place(a, b, now, meeting);
}

lf_status lf_contact_spheres(const lf_moving_sphere *a, const lf_moving_sphere *b, double ahead,
                             lf_contact_result *meeting) {
    if (!meeting || !is_usable(a) || !is_usable(b) || !(ahead >= 0))
        return LF_BAD_ARGUMENT;
    meet(a, b, ahead, meeting);
    return LF_OK;
}

bool lf__spheres_stretch(const lf_moving_sphere *a, const lf_moving_sphere *b, double *from, double *to) {
    quadratic q = quadratic_of(a, b);
    if (q.a == 0) {
        *from = -LF_INFINITY;
        *to = LF_INFINITY;
        return sign_c(&q) <= 0;
    }
    if (sign_discriminant(&q) < 0)
        return false;
    double d = q.b * q.b - q.a * q.c, root = sqrt(d > 0 ? d : 0);
    double slack = 1e-12 * (root + fabs(q.b)) / q.a;
    *from = (-q.b - root) / q.a - slack;
    *to = (-q.b + root) / q.a + slack;
    return true;
}

lf_moving_sphere lf__sphere_around(const lf_moving_box *box) {
    lf_vec3 centre = lf__is_zero(box->spin) ? lf_box_centre(box->box) : box->pivot;
    return (lf_moving_sphere){centre, lf__farthest_corner(box->box, centre) * (1 + 1e-15), box->velocity};
}

void lf__contact_box_spheres(const lf_moving_box *a, const lf_moving_box *b, double ahead,
                             lf_contact_result *meeting) {
    lf_moving_sphere around_a = lf__sphere_around(a), around_b = lf__sphere_around(b);
    meet(&around_a, &around_b, ahead, meeting);
    meeting->normal = (lf_vec3){0, 0, 0};
}
