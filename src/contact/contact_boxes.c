/// Contact times of spheres and of boxes along the axes, in closed form; batches.
#include "base/base.h"
#include "contact/contact.h"
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// Spheres
// ---------------------------------------------------------------------------------------------------

// |p + w t| = r is a quadratic equation: p is the vector from a to b, w its derivative, r the sum of the
// radii. With A = w.w, B = p.w, C = p.p - r^2 the spheres touch where A t^2 + 2 B t + C <= 0. Whether that
// happens in [0, ahead] depends on signs alone: of C, of B, of B^2 - A C, of the polynomial at `ahead`, and
// of A ahead + B. Where rounding could change one, it is computed exactly.

/// A sign is certain when the value is larger than this share of the sum of its terms' magnitudes.
#define SPHERE_DOUBT 0x1p-48

typedef struct sphere_quadratic {
    double a, b, c; ///< rounded
    double c_doubt; ///< sum of magnitudes
    double b_doubt;
    lf_vec3 p, w;
    const lf_moving_sphere *first, *second;
} sphere_quadratic;

static sphere_quadratic quadratic_of(const lf_moving_sphere *a, const lf_moving_sphere *b) {
    sphere_quadratic q = {.first = a, .second = b};
    q.p = lf_vec3_sub(b->centre, a->centre);
    q.w = lf_vec3_sub(b->velocity, a->velocity);
    double r = a->radius + b->radius, pp = lf_vec3_dot(q.p, q.p);
    q.a = lf_vec3_dot(q.w, q.w);
    q.b = lf_vec3_dot(q.p, q.w);
    q.c = pp - r * r;
    q.c_doubt = SPHERE_DOUBT * (pp + r * r);
    q.b_doubt = SPHERE_DOUBT * (fabs(q.p.x * q.w.x) + fabs(q.p.y * q.w.y) + fabs(q.p.z * q.w.z));
    return q;
}

/// The coefficients without rounding.
typedef struct exact_quadratic {
    lf__exact a, b, c;
} exact_quadratic;

static void make_exact(const sphere_quadratic *q, exact_quadratic *exact) {
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

static int sphere_sign_of(double value) {
    return (value > 0) - (value < 0);
}

static int sign_c(const sphere_quadratic *q) {
    if (fabs(q->c) > q->c_doubt)
        return sphere_sign_of(q->c);
    exact_quadratic exact;
    make_exact(q, &exact);
    return lf__exact_sign(&exact.c);
}

static int sign_b(const sphere_quadratic *q) {
    if (fabs(q->b) > q->b_doubt)
        return sphere_sign_of(q->b);
    exact_quadratic exact;
    make_exact(q, &exact);
    return lf__exact_sign(&exact.b);
}

/// Of B^2 - A C.
static int sign_discriminant(const sphere_quadratic *q) {
    double square = q->b * q->b, product = q->a * q->c, value = square - product;
    double doubt = 2 * fabs(q->b) * q->b_doubt + q->a * q->c_doubt + SPHERE_DOUBT * (square + fabs(product));
    if (fabs(value) > doubt)
        return sphere_sign_of(value);
    exact_quadratic exact;
    lf__exact left, right;
    make_exact(q, &exact);
    lf__exact_product(&exact.b, &exact.b, &left);
    lf__exact_product(&exact.a, &exact.c, &right);
    lf__exact_minus(&left, &right, &left);
    return lf__exact_sign(&left);
}

/// Of A t + B, and of (A t + 2 B) t + C.
static void signs_at(const sphere_quadratic *q, double t, int *slope, int *value) {
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
static double sphere_first_root(const sphere_quadratic *q) {
    double d = q->b * q->b - q->a * q->c;
    return q->c / (sqrt(d > 0 ? d : 0) - q->b);
}

/// Is the first root at or before `ahead`? C > 0, B < 0, D >= 0.
static bool sphere_comes_before(const sphere_quadratic *q, double root, double ahead) {
    if (!isfinite(ahead) || fabs(root - ahead) > 1e-6 * (root + ahead))
        return root <= ahead;
    int slope, value;
    signs_at(q, ahead, &slope, &value);
    return slope >= 0 || value <= 0;
}

static bool sphere_is_usable(const lf_moving_sphere *sphere) {
    return sphere && lf__contact_usable(sphere->centre) && lf__contact_usable(sphere->velocity) &&
           sphere->radius >= 0 && sphere->radius <= LF__CONTACT_LIMIT;
}

/// The point of a's sphere that faces b, and its direction.
static void fill_place(const lf_moving_sphere *a, const lf_moving_sphere *b, bool now,
                       lf_contact_result *meeting) {
    lf_vec3 from = lf_vec3_along(a->centre, meeting->time, a->velocity);
    lf_vec3 to = lf_vec3_along(b->centre, meeting->time, b->velocity);
    lf_vec3 way = lf_vec3_unit(lf_vec3_sub(to, from));
    double reach = fmin(a->radius, lf_vec3_length(lf_vec3_sub(to, from)));
    meeting->point = lf_vec3_along(from, reach, way);
    if (!now)
        meeting->normal = way;
}

void lf__spheres_meet(const lf_moving_sphere *a, const lf_moving_sphere *b, double ahead,
                      lf_contact_result *meeting) {
    sphere_quadratic q = quadratic_of(a, b);
    bool now = sign_c(&q) <= 0;
    *meeting = lf__no_meeting(ahead);
    if (now) {
        meeting->time = 0;
    } else {
        if (sign_b(&q) >= 0 || sign_discriminant(&q) < 0)
            return;
        double root = sphere_first_root(&q);
        if (!sphere_comes_before(&q, root, ahead))
            return;
        meeting->time = root < ahead ? root : ahead;
    }
    meeting->meets = true;
    fill_place(a, b, now, meeting);
}

lf_status lf_contact_spheres(const lf_moving_sphere *a, const lf_moving_sphere *b, double ahead,
                             lf_contact_result *meeting) {
    if (!meeting || !sphere_is_usable(a) || !sphere_is_usable(b) || !(ahead >= 0))
        return LF_BAD_ARGUMENT;
    lf__spheres_meet(a, b, ahead, meeting);
    return LF_OK;
}

bool lf__spheres_stretch(const lf_moving_sphere *a, const lf_moving_sphere *b, double *from, double *to) {
    sphere_quadratic q = quadratic_of(a, b);
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

// ---------------------------------------------------------------------------------------------------
// Boxes along the axes
// ---------------------------------------------------------------------------------------------------

// Along each axis two boxes overlap from the time when one's front reaches the other's back until its back
// leaves the other's front. They touch while they overlap along all three. Each of these times is a
// difference divided by a difference; where rounding could change their order, the fractions are compared
// exactly.

/// A time: (far - near) / (speed - other), rounded, and its terms.
typedef struct contact_moment {
    double time;
    double far, near, speed, other;
} contact_moment;

/// n/d of two moments, compared exactly: -1, 0 or 1. Divisors are not 0.
static int compare_exactly(const contact_moment *a, const contact_moment *b) {
    lf__exact above_a, below_a, above_b, below_b, left, right;
    lf__exact_difference(a->far, a->near, &above_a);
    lf__exact_difference(a->speed, a->other, &below_a);
    lf__exact_difference(b->far, b->near, &above_b);
    lf__exact_difference(b->speed, b->other, &below_b);
    lf__exact_product(&above_a, &below_b, &left);
    lf__exact_product(&above_b, &below_a, &right);
    lf__exact_minus(&left, &right, &left);
    return lf__exact_sign(&left) * lf__exact_sign(&below_a) * lf__exact_sign(&below_b);
}

static int compare_moments(const contact_moment *a, const contact_moment *b) {
    double difference = a->time - b->time;
    if (fabs(difference) > LF__CONTACT_DOUBT * (fabs(a->time) + fabs(b->time)))
        return difference < 0 ? -1 : 1;
    if (!isfinite(a->time) || !isfinite(b->time)) // never, or an overflow, which counts as never
        return (a->time > b->time) - (a->time < b->time);
    return compare_exactly(a, b);
}

static const contact_moment contact_time_zero = {0, 0, 0, 1, 0};

static contact_moment moment_of(double far, double near, double speed, double other) {
    return (contact_moment){(far - near) / (speed - other), far, near, speed, other};
}

/// When two boxes begin and cease to overlap along one axis. speed differs from other.
static void overlap_times(const double a[2], const double b[2], double speed, double other,
                          contact_moment *from, contact_moment *to) {
    contact_moment front = moment_of(b[0], a[1], speed, other), back = moment_of(b[1], a[0], speed, other);
    *from = speed > other ? front : back;
    *to = speed > other ? back : front;
}

static inline double contact_least(double a, double b) {
    return a < b ? a : b;
}

static inline double contact_most(double a, double b) {
    return a > b ? a : b;
}

/// The middle of the intersection of two boxes, each moved by its velocity.
static lf_vec3 shared_point(const lf_moving_box *a, const lf_moving_box *b, double time) {
    lf_vec3 low_a = lf_vec3_along(a->box.low, time, a->velocity),
            high_a = lf_vec3_along(a->box.high, time, a->velocity);
    lf_vec3 low_b = lf_vec3_along(b->box.low, time, b->velocity),
            high_b = lf_vec3_along(b->box.high, time, b->velocity);
    lf_box shared = {
        {contact_most(low_a.x, low_b.x), contact_most(low_a.y, low_b.y), contact_most(low_a.z, low_b.z)},
        {contact_least(high_a.x, high_b.x), contact_least(high_a.y, high_b.y),
         contact_least(high_a.z, high_b.z)}};
    return lf_box_centre(shared);
}

/// What the filter in doubles finds about the interval of time in which two boxes overlap.
typedef enum contact_guess { NEVER, SURELY, UNSURE } contact_guess;

/// When two boxes begin and cease to overlap along one axis. Without branches: their directions cannot be
/// predicted.
static inline void guess_axis(double low_a, double high_a, double low_b, double high_b, double speed,
                              double *begin, double *end) {
    double front = (low_b - high_a) / speed, back = (high_b - low_a) / speed;
    *begin = contact_least(front, back);
    *end = contact_most(front, back);
}

static inline contact_guess guess_stretch(const lf_moving_box *a, const lf_moving_box *b, double ahead,
                                          double *time) {
    lf_vec3 speed = lf_vec3_sub(a->velocity, b->velocity), begin, end;
    if (speed.x == 0 || speed.y == 0 || speed.z == 0)
        return UNSURE;
    guess_axis(a->box.low.x, a->box.high.x, b->box.low.x, b->box.high.x, speed.x, &begin.x, &end.x);
    guess_axis(a->box.low.y, a->box.high.y, b->box.low.y, b->box.high.y, speed.y, &begin.y, &end.y);
    guess_axis(a->box.low.z, a->box.high.z, b->box.low.z, b->box.high.z, speed.z, &begin.z, &end.z);
    double from = contact_most(contact_most(0, begin.x), contact_most(begin.y, begin.z));
    double to = contact_least(contact_least(ahead, end.x), contact_least(end.y, end.z));
    *time = from;
    if (!(from < LF_INFINITY))
        return UNSURE;
    double doubt = LF__CONTACT_DOUBT * (from + fabs(to)), left = to - from;
    return left < -doubt ? NEVER : left > doubt || to == LF_INFINITY ? SURELY : UNSURE;
}

/// The axis along which they meet at a time above 0: the last to begin overlapping. -1 when they touch from
/// the start.
static int contact_axis_of(const lf_moving_box *a, const lf_moving_box *b, double time) {
    lf_vec3 speed = lf_vec3_sub(a->velocity, b->velocity), begin, end;
    guess_axis(a->box.low.x, a->box.high.x, b->box.low.x, b->box.high.x, speed.x, &begin.x, &end.x);
    guess_axis(a->box.low.y, a->box.high.y, b->box.low.y, b->box.high.y, speed.y, &begin.y, &end.y);
    return !(time > 0) ? -1 : begin.x >= time ? 0 : begin.y >= time ? 1 : 2;
}

static void fill_meeting(const lf_moving_box *a, const lf_moving_box *b, double time, int axis,
                         lf_contact_result *meeting) {
    meeting->meets = true;
    meeting->time = time;
    meeting->point = shared_point(a, b, time);
    if (axis < 0)
        return;
    double faster = axis == 0   ? a->velocity.x - b->velocity.x
                    : axis == 1 ? a->velocity.y - b->velocity.y
                                : a->velocity.z - b->velocity.z;
    double side = faster > 0 ? 1 : -1;
    meeting->normal = (lf_vec3){axis == 0 ? side : 0, axis == 1 ? side : 0, axis == 2 ? side : 0};
}

/// The exact fallback.
static void contact_meet_exactly(const lf_moving_box *a, const lf_moving_box *b, double ahead,
                                 lf_contact_result *meeting) {
    const double sides_a[3][2] = {
        {a->box.low.x, a->box.high.x}, {a->box.low.y, a->box.high.y}, {a->box.low.z, a->box.high.z}};
    const double sides_b[3][2] = {
        {b->box.low.x, b->box.high.x}, {b->box.low.y, b->box.high.y}, {b->box.low.z, b->box.high.z}};
    const double speed_a[3] = {a->velocity.x, a->velocity.y, a->velocity.z};
    const double speed_b[3] = {b->velocity.x, b->velocity.y, b->velocity.z};
    contact_moment from = contact_time_zero, to = {ahead, ahead, 0, 1, 0};
    int axis = -1;
    for (int k = 0; k < 3; k++) {
        if (speed_a[k] == speed_b[k]) {
            if (!(sides_a[k][0] <= sides_b[k][1] && sides_b[k][0] <= sides_a[k][1]))
                return;
            continue;
        }
        contact_moment begin, end;
        overlap_times(sides_a[k], sides_b[k], speed_a[k], speed_b[k], &begin, &end);
        if (compare_moments(&begin, &from) > 0) {
            from = begin;
            axis = k;
        }
        if (compare_moments(&end, &to) < 0)
            to = end;
        if (compare_moments(&from, &to) > 0)
            return;
    }
    fill_meeting(a, b, from.time < ahead ? from.time : ahead, axis, meeting);
}

void lf__contact_surely(const lf_moving_box *a, const lf_moving_box *b, double time,
                        lf_contact_result *meeting) {
    *meeting = lf__no_meeting(time);
    fill_meeting(a, b, time, contact_axis_of(a, b, time), meeting);
}

static void contact_aligned(const lf_moving_box *a, const lf_moving_box *b, double ahead,
                            lf_contact_result *meeting) {
    double time;
    *meeting = lf__no_meeting(ahead);
    contact_guess guess = guess_stretch(a, b, ahead, &time);
    if (guess == SURELY)
        lf__contact_surely(a, b, time, meeting);
    else if (guess == UNSURE)
        contact_meet_exactly(a, b, ahead, meeting);
}

// ---------------------------------------------------------------------------------------------------
// Checks
// ---------------------------------------------------------------------------------------------------

static bool is_usable_exactly(const lf_moving_box *box) {
    return lf__contact_usable(box->box.low) && lf__contact_usable(box->box.high) &&
           lf__contact_usable(box->velocity) && lf__contact_usable(box->spin) &&
           (lf__is_zero(box->spin) || lf__contact_usable(box->pivot)) && !lf_box_is_empty(box->box);
}

static inline double contact_size_of(lf_vec3 a) {
    return fabs(a.x) + fabs(a.y) + fabs(a.z);
}

/// A sum that is neither too large nor NaN proves the same of all its terms.
static inline bool contact_is_usable(const lf_moving_box *box) {
    if (!box)
        return false;
    double all = (contact_size_of(box->box.low) + contact_size_of(box->box.high)) +
                 (contact_size_of(box->velocity) + contact_size_of(box->spin));
    if (all <= LF__CONTACT_LIMIT && lf__is_zero(box->spin))
        return box->box.low.x <= box->box.high.x && box->box.low.y <= box->box.high.y &&
               box->box.low.z <= box->box.high.z;
    return is_usable_exactly(box);
}

bool lf__contact_pair_usable(const lf_moving_box *a, const lf_moving_box *b) {
    return contact_is_usable(a) && contact_is_usable(b);
}

void lf__contact_pair(const lf_moving_box *a, const lf_moving_box *b, double ahead,
                      lf_contact_result *meeting) {
    if (lf__is_zero(a->spin) && lf__is_zero(b->spin))
        contact_aligned(a, b, ahead, meeting);
    else
        lf__contact_turning(a, b, ahead, meeting);
}

lf_status lf_contact_boxes(const lf_moving_box *a, const lf_moving_box *b, double ahead,
                           lf_contact_result *meeting) {
    if (!a || !b || !meeting || !(ahead >= 0))
        return LF_BAD_ARGUMENT;
    return lf__contact_kernels_best()->one(a, b, ahead, meeting) ? LF_OK : LF_BAD_ARGUMENT;
}

// ---------------------------------------------------------------------------------------------------
// Batches
// ---------------------------------------------------------------------------------------------------

/// A batch and its kernels.
typedef struct work {
    const lf_contact_batch *batch;
    const lf__contact_kernels *kernels;
} work;

static void meet_share(void *job, int64_t first, int64_t last, int worker) {
    const work *w = job;
    (void)worker;
    w->kernels->many(w->batch, first, last);
}

/// The number of pairs before the first one that is invalid.
static int64_t count_usable(const lf_contact_batch *batch) {
    int64_t good = 0;
    while (good < batch->count && lf__contact_pair_usable(lf__moving_at(batch->a, batch->a_stride, good),
                                                          lf__moving_at(batch->b, batch->b_stride, good)))
        good++;
    return good;
}

lf_status lf_contact_boxes_many(const lf_contact_batch *given, int64_t *wrong) {
    if (wrong)
        *wrong = -1;
    if (!given || given->count < 0 || !(given->ahead >= 0) ||
        (given->count > 0 && (!given->a || !given->b || !given->meetings)))
        return LF_BAD_ARGUMENT;
    lf_contact_batch resolved = *given, *batch = &resolved;
    batch->a_stride = lf__stride(given->a_stride, sizeof *given->a);
    batch->b_stride = lf__stride(given->b_stride, sizeof *given->b);
    work w = {batch, lf__contact_kernels_for(lf_isa_best())};
    int64_t good;
    if (batch->tasks) { // no worker writes beyond the first invalid pair
        good = count_usable(batch);
        lf__run(batch->tasks, good, 256, meet_share, &w);
    } else {
        good = w.kernels->many(batch, 0, batch->count);
    }
    if (good == batch->count)
        return LF_OK;
    if (wrong)
        *wrong = good;
    return LF_BAD_ARGUMENT;
}
