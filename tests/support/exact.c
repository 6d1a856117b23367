// Integers do the work: positions are multiplied by one power of two and the direction by another, so that
// all coordinates become whole. Signs do not change by that, and t changes by a known power of two.
#include "exact.h"
#include <gmp.h>
#include <limits.h>

typedef struct whole_vec {
    mpz_t x, y, z;
} whole_vec;

/// One line and one triangle in whole numbers. Corners are relative to the line's origin.
static struct {
    whole_vec direction, a, b, c;
    whole_vec ab, ac, normal, product;
    mpz_t facing, weight[3], distance;
    mpz_t spare, other;
    mpq_t t, low, high, limit;
    int t_shift; ///< t = (t in whole numbers) * 2^t_shift
    bool ready;
} work;

static void vec_init(whole_vec *v) {
    mpz_inits(v->x, v->y, v->z, NULL);
}

static void get_ready(void) {
    if (work.ready)
        return;
    whole_vec *vectors[] = {&work.direction, &work.a,  &work.b,      &work.c,
                            &work.ab,        &work.ac, &work.normal, &work.product};
    for (int i = 0; i < 8; i++)
        vec_init(vectors[i]);
    mpz_inits(work.facing, work.weight[0], work.weight[1], work.weight[2], work.distance, work.spare,
              work.other, NULL);
    mpq_inits(work.t, work.low, work.high, work.limit, NULL);
    work.ready = true;
}

/// A power of two below which the double has no bits.
static int lowest_bit(double value) {
    int exponent;
    if (value == 0)
        return INT_MAX;
    frexp(value, &exponent);
    return exponent - 53;
}

static int lowest_bit_of(lf_vec3 v, int lowest) {
    double parts[3] = {v.x, v.y, v.z};
    for (int i = 0; i < 3; i++)
        if (lowest_bit(parts[i]) < lowest)
            lowest = lowest_bit(parts[i]);
    return lowest;
}

/// value / 2^lowest, which is whole.
static void set_whole(mpz_t whole, double value, int lowest) {
    int exponent;
    double fraction = frexp(value, &exponent);
    mpz_set_d(whole, ldexp(fraction, 53));
    if (value != 0)
        mpz_mul_2exp(whole, whole, (mp_bitcnt_t)(exponent - 53 - lowest));
}

static void set_vec(whole_vec *v, lf_vec3 value, int lowest) {
    set_whole(v->x, value.x, lowest);
    set_whole(v->y, value.y, lowest);
    set_whole(v->z, value.z, lowest);
}

static void vec_sub(whole_vec *out, const whole_vec *a, const whole_vec *b) {
    mpz_sub(out->x, a->x, b->x);
    mpz_sub(out->y, a->y, b->y);
    mpz_sub(out->z, a->z, b->z);
}

/// out = a * b - c * d
static void cross_part(mpz_t out, const mpz_t a, const mpz_t b, const mpz_t c, const mpz_t d) {
    mpz_mul(out, a, b);
    mpz_submul(out, c, d);
}

/// out must be none of the others.
static void vec_cross(whole_vec *out, const whole_vec *a, const whole_vec *b) {
    cross_part(out->x, a->y, b->z, a->z, b->y);
    cross_part(out->y, a->z, b->x, a->x, b->z);
    cross_part(out->z, a->x, b->y, a->y, b->x);
}

static void vec_dot(mpz_t out, const whole_vec *a, const whole_vec *b) {
    mpz_mul(out, a->x, b->x);
    mpz_addmul(out, a->y, b->y);
    mpz_addmul(out, a->z, b->z);
}

/// Bring a line and a triangle into whole numbers, and find the normal and which way it faces.
static void load(lf_vec3 origin, lf_vec3 direction, const lf_vec3 corners[3]) {
    get_ready();
    int lowest = lowest_bit_of(origin, 0);
    for (int i = 0; i < 3; i++)
        lowest = lowest_bit_of(corners[i], lowest);
    int lowest_direction = lowest_bit_of(direction, INT_MAX);
    set_vec(&work.product, origin, lowest);
    set_vec(&work.a, corners[0], lowest);
    set_vec(&work.b, corners[1], lowest);
    set_vec(&work.c, corners[2], lowest);
    vec_sub(&work.a, &work.a, &work.product);
    vec_sub(&work.b, &work.b, &work.product);
    vec_sub(&work.c, &work.c, &work.product);
    set_vec(&work.direction, direction, lowest_direction);
    work.t_shift = lowest - lowest_direction;
    vec_sub(&work.ab, &work.b, &work.a);
    vec_sub(&work.ac, &work.c, &work.a);
    vec_cross(&work.normal, &work.ab, &work.ac);
    vec_dot(work.facing, &work.direction, &work.normal);
}

static bool loaded_has_area(void) {
    return mpz_sgn(work.normal.x) != 0 || mpz_sgn(work.normal.y) != 0 || mpz_sgn(work.normal.z) != 0;
}

/// t = numerator / denominator in the line's own lengths.
static void set_t(mpq_t t, const mpz_t numerator, const mpz_t denominator) {
    mpz_set(mpq_numref(t), numerator);
    mpz_set(mpq_denref(t), denominator);
    if (work.t_shift >= 0)
        mpz_mul_2exp(mpq_numref(t), mpq_numref(t), (mp_bitcnt_t)work.t_shift);
    else
        mpz_mul_2exp(mpq_denref(t), mpq_denref(t), (mp_bitcnt_t)-work.t_shift);
    mpq_canonicalize(t);
}

/// numerator / denominator as a double, rounded once (towards zero).
static double quotient(const mpz_t numerator, const mpz_t denominator) {
    mpz_set(mpq_numref(work.limit), numerator);
    mpz_set(mpq_denref(work.limit), denominator);
    mpq_canonicalize(work.limit);
    return mpq_get_d(work.limit);
}

/// weight[i] = direction . (the two other corners crossed): the corners' shares of the meeting, times facing.
static void load_weights(void) {
    const whole_vec *corner[5] = {&work.a, &work.b, &work.c, &work.a, &work.b};
    for (int i = 0; i < 3; i++) {
        vec_cross(&work.product, corner[i + 1], corner[i + 2]);
        vec_dot(work.weight[i], &work.direction, &work.product);
    }
}

static bool raise_low(double t_min) {
    if (t_min == -LF_INFINITY)
        return false;
    mpq_set_d(work.limit, t_min);
    if (mpq_cmp(work.low, work.limit) >= 0)
        return false;
    mpq_set(work.low, work.limit);
    return true;
}

static void drop_high(double t_max) {
    if (t_max == LF_INFINITY)
        return;
    mpq_set_d(work.limit, t_max);
    if (mpq_cmp(work.high, work.limit) > 0)
        mpq_set(work.high, work.limit);
}

/// The line crosses the triangle's plane in one point.
static exact_meeting meet_across(const lf_ray *ray) {
    exact_meeting meeting = {false, mpz_sgn(work.facing), 0, 0, 0};
    load_weights();
    for (int i = 0; i < 3; i++)
        if (mpz_sgn(work.weight[i]) * meeting.facing < 0)
            return meeting;
    vec_dot(work.distance, &work.a, &work.normal);
    set_t(work.low, work.distance, work.facing);
    mpq_set(work.high, work.low);
    meeting.t = mpq_get_d(work.low);
    bool early = raise_low(ray->t_min);
    drop_high(ray->t_max);
    meeting.met = !early && mpq_cmp(work.low, work.high) <= 0;
    meeting.u = quotient(work.weight[1], work.facing);
    meeting.v = quotient(work.weight[2], work.facing);
    return meeting;
}

static const mpz_t *part(const whole_vec *v, int axis) {
    return axis % 3 == 0 ? &v->x : axis % 3 == 1 ? &v->y : &v->z;
}

/// out = a x b on the plane that the axis is dropped from.
static void cross_flat(mpz_t out, const whole_vec *a, const whole_vec *b, int axis) {
    cross_part(out, *part(a, axis + 1), *part(b, axis + 2), *part(a, axis + 2), *part(b, axis + 1));
}

/// Clip [low, high] to the inner side of the edge from p to q: turn * (rate * t - start) >= 0.
static bool clip_by_edge(const whole_vec *p, const whole_vec *q, int axis, int turn) {
    vec_sub(&work.product, q, p);
    cross_flat(work.spare, &work.product, &work.direction, axis);
    cross_flat(work.other, &work.product, p, axis);
    int rising = mpz_sgn(work.spare) * turn;
    if (rising == 0)
        return mpz_sgn(work.other) * turn <= 0;
    set_t(work.t, work.other, work.spare);
    if (rising > 0 && mpq_cmp(work.low, work.t) < 0)
        mpq_set(work.low, work.t);
    if (rising < 0 && mpq_cmp(work.high, work.t) > 0)
        mpq_set(work.high, work.t);
    return true;
}

/// A t beyond anything on the triangle: |t| * |direction| cannot exceed the corners' coordinates by far.
static void set_endless(void) {
    mpq_set_ui(work.high, 1, 1);
    mpq_mul_2exp(work.high, work.high, 8192);
    mpq_neg(work.low, work.high);
}

/// The line lies in the triangle's plane.
static exact_meeting meet_along(const lf_ray *ray) {
    exact_meeting meeting = {false, 0, 0, NAN, NAN};
    vec_dot(work.distance, &work.a, &work.normal);
    if (mpz_sgn(work.distance) != 0)
        return meeting;
    int axis = mpz_sgn(work.normal.x) != 0 ? 0 : mpz_sgn(work.normal.y) != 0 ? 1 : 2;
    int turn = mpz_sgn(*part(&work.normal, axis));
    set_endless();
    if (!clip_by_edge(&work.a, &work.b, axis, turn) || !clip_by_edge(&work.b, &work.c, axis, turn) ||
        !clip_by_edge(&work.c, &work.a, axis, turn))
        return meeting;
    raise_low(ray->t_min);
    drop_high(ray->t_max);
    meeting.met = mpq_cmp(work.low, work.high) <= 0;
    meeting.t = mpq_get_d(work.low);
    return meeting;
}

exact_meeting exact_ray_triangle(const lf_ray *ray, const lf_vec3 corners[3]) {
    load(ray->origin, ray->direction, corners);
    exact_meeting none = {false, 0, 0, NAN, NAN};
    if (!loaded_has_area())
        return none;
    return mpz_sgn(work.facing) != 0 ? meet_across(ray) : meet_along(ray);
}

int exact_order(const lf_ray *ray_a, const lf_vec3 a[3], const lf_ray *ray_b, const lf_vec3 b[3]) {
    mpq_t first;
    mpq_init(first);
    exact_ray_triangle(ray_a, a);
    mpq_set(first, work.low);
    exact_ray_triangle(ray_b, b);
    int order = mpq_cmp(first, work.low);
    mpq_clear(first);
    return (order > 0) - (order < 0);
}

bool exact_clear_of_edges(const lf_ray *ray, const lf_vec3 corners[3], double share) {
    load(ray->origin, ray->direction, corners);
    if (!loaded_has_area())
        return true;
    if (mpz_sgn(work.facing) == 0)
        return false;
    load_weights();
    bool inside = true, outside = false;
    for (int i = 0; i < 3; i++) {
        double weight = quotient(work.weight[i], work.facing);
        inside = inside && weight > share;
        outside = outside || weight < -share;
    }
    return inside || outside;
}

/// direction . (p x q) with a bound on its error: seven roundings at most lie between the inputs and the sum, each
/// within 2^-53 of the sum of absolute values; twice that is granted. Below 1e-200 underflow may spoil the bound.
static int certain_side(lf_vec3 direction, lf_vec3 p, lf_vec3 q) {
    double yz = p.y * q.z, zy = p.z * q.y, zx = p.z * q.x, xz = p.x * q.z, xy = p.x * q.y, yx = p.y * q.x;
    double sum = direction.x * (yz - zy) + direction.y * (zx - xz) + direction.z * (xy - yx);
    double most = fabs(direction.x) * (fabs(yz) + fabs(zy)) + fabs(direction.y) * (fabs(zx) + fabs(xz)) +
                  fabs(direction.z) * (fabs(xy) + fabs(yx));
    double bound = most * 2e-15;
    if (!(most > 1e-200))
        return 0;
    return sum > bound ? 1 : sum < -bound ? -1 : 0;
}

bool exact_may_meet(const lf_ray *ray, const lf_vec3 corners[3]) {
    lf_vec3 o = ray->origin;
    lf_vec3 a = {corners[0].x - o.x, corners[0].y - o.y, corners[0].z - o.z};
    lf_vec3 b = {corners[1].x - o.x, corners[1].y - o.y, corners[1].z - o.z};
    int side_ab = certain_side(ray->direction, a, b);
    lf_vec3 c = {corners[2].x - o.x, corners[2].y - o.y, corners[2].z - o.z};
    int side_bc = certain_side(ray->direction, b, c);
    if (side_ab * side_bc < 0)
        return false;
    int side_ca = certain_side(ray->direction, c, a);
    return side_ab * side_ca >= 0 && side_bc * side_ca >= 0;
}

bool exact_has_area(const lf_vec3 corners[3]) {
    load(corners[0], (lf_vec3){1, 0, 0}, corners);
    return loaded_has_area();
}

int exact_facing(lf_vec3 direction, const lf_vec3 corners[3]) {
    load(corners[0], direction, corners);
    return mpz_sgn(work.facing);
}

lf_vec3 exact_normal(const lf_vec3 corners[3]) {
    load(corners[0], (lf_vec3){1, 0, 0}, corners);
    lf_vec3 unit = {0, 0, 0};
    if (!loaded_has_area())
        return unit;
    long exponents[3];
    double parts[3] = {mpz_get_d_2exp(&exponents[0], work.normal.x),
                       mpz_get_d_2exp(&exponents[1], work.normal.y),
                       mpz_get_d_2exp(&exponents[2], work.normal.z)};
    long top = LONG_MIN;
    for (int i = 0; i < 3; i++)
        if (parts[i] != 0 && exponents[i] > top)
            top = exponents[i];
    for (int i = 0; i < 3; i++)
        parts[i] = exponents[i] - top < -2000 ? 0 : ldexp(parts[i], (int)(exponents[i] - top));
    double length = sqrt(parts[0] * parts[0] + parts[1] * parts[1] + parts[2] * parts[2]);
    unit = (lf_vec3){parts[0] / length, parts[1] / length, parts[2] / length};
    return unit;
}

bool exact_boxes_touch(lf_box a, lf_box b) {
    bool x = !(a.high.x < b.low.x || b.high.x < a.low.x);
    bool y = !(a.high.y < b.low.y || b.high.y < a.low.y);
    bool z = !(a.high.z < b.low.z || b.high.z < a.low.z);
    return x && y && z;
}

lf_box exact_box(const lf_vec3 *points, int64_t count) {
    lf_box box = {points[0], points[0]};
    for (int64_t i = 1; i < count; i++) {
        box.low = (lf_vec3){fmin(box.low.x, points[i].x), fmin(box.low.y, points[i].y),
                            fmin(box.low.z, points[i].z)};
        box.high = (lf_vec3){fmax(box.high.x, points[i].x), fmax(box.high.y, points[i].y),
                             fmax(box.high.z, points[i].z)};
    }
    return box;
}
