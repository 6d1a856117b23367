/// Aligned boxes in closed form, and the choice of the method.
///
/// Along each axis two boxes overlap from the time when one's front reaches the other's back until its back leaves the other's
/// front. They touch while they overlap along all three. Each of these times is a difference divided by a difference; where rounding could
/// change which comes first, the fractions are compared exactly.
#include "base/base.h"
#include "contact/contact.h"
#include <string.h>

const char *lf_contact_method_name(lf_contact_method method) {
    switch (method) {
#define METHOD_WORD(name, value, word, text) \
    case name:                               \
        return word;
        LF_CONTACT_METHOD_LIST(METHOD_WORD)
#undef METHOD_WORD
    }
    return "?";
}

/// A time: (far - near) / (speed - other), rounded, and what it is made of.
typedef struct moment {
    double time;
    double far, near, speed, other;
} moment;

/// n/d of two moments, compared exactly: -1, 0 or 1. Divisors are not 0.
static int compare_exactly(const moment *a, const moment *b) {
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

static int compare_moments(const moment *a, const moment *b) {
    double difference = a->time - b->time;
    if (fabs(difference) > LF__CONTACT_DOUBT * (fabs(a->time) + fabs(b->time)))
        return difference < 0 ? -1 : 1;
    if (!isfinite(a->time) || !isfinite(b->time)) // never, or overflowed: as good as never
        return (a->time > b->time) - (a->time < b->time);
    return compare_exactly(a, b);
}

static const moment start = {0, 0, 0, 1, 0};

static moment moment_of(double far, double near, double speed, double other) {
    return (moment){(far - near) / (speed - other), far, near, speed, other};
}

/// One axis: when they begin and when they cease to overlap along it; false: never. speed differs from other.
static void overlap_times(const double a[2], const double b[2], double speed, double other, moment *from,
                          moment *to) {
    moment front = moment_of(b[0], a[1], speed, other), back = moment_of(b[1], a[0], speed, other);
    *from = speed > other ? front : back;
    *to = speed > other ? back : front;
}

static inline double least(double a, double b) {
    return a < b ? a : b;
}

static inline double most(double a, double b) {
    return a > b ? a : b;
}

/// The middle of what two boxes share, each carried on by its velocity.
static lf_vec3 shared_point(const lf_moving_box *a, const lf_moving_box *b, double time) {
    lf_vec3 low_a = lf_vec3_along(a->box.low, time, a->velocity),
            high_a = lf_vec3_along(a->box.high, time, a->velocity);
    lf_vec3 low_b = lf_vec3_along(b->box.low, time, b->velocity),
            high_b = lf_vec3_along(b->box.high, time, b->velocity);
    lf_box shared = {{most(low_a.x, low_b.x), most(low_a.y, low_b.y), most(low_a.z, low_b.z)},
                     {least(high_a.x, high_b.x), least(high_a.y, high_b.y), least(high_a.z, high_b.z)}};
    return lf_box_centre(shared);
}

/// What doubles say about the stretch of time in which two boxes overlap.
typedef enum guess { NEVER, SURELY, UNSURE } guess;

/// One axis: when they begin and when they cease to overlap. Without branches: which way they go is random.
static inline void guess_axis(double low_a, double high_a, double low_b, double high_b, double speed,
                              double *begin, double *end) {
    double front = (low_b - high_a) / speed, back = (high_b - low_a) / speed;
    *begin = least(front, back);
    *end = most(front, back);
}

static inline guess guess_stretch(const lf_moving_box *a, const lf_moving_box *b, double ahead,
                                  double *time) {
    lf_vec3 speed = lf_vec3_sub(a->velocity, b->velocity), begin, end;
    if (speed.x == 0 || speed.y == 0 || speed.z == 0)
        return UNSURE;
    guess_axis(a->box.low.x, a->box.high.x, b->box.low.x, b->box.high.x, speed.x, &begin.x, &end.x);
    guess_axis(a->box.low.y, a->box.high.y, b->box.low.y, b->box.high.y, speed.y, &begin.y, &end.y);
    guess_axis(a->box.low.z, a->box.high.z, b->box.low.z, b->box.high.z, speed.z, &begin.z, &end.z);
    double from = most(most(0, begin.x), most(begin.y, begin.z));
    double to = least(least(ahead, end.x), least(end.y, end.z));
    *time = from;
    if (!(from < LF_INFINITY))
        return UNSURE;
    double doubt = LF__CONTACT_DOUBT * (from + fabs(to)), left = to - from;
    return left < -doubt ? NEVER : left > doubt || to == LF_INFINITY ? SURELY : UNSURE;
}

/// Along which axis they meet at a time above 0: the last to begin. -1 when they touch from the start.
static int axis_of(const lf_moving_box *a, const lf_moving_box *b, double time) {
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

/// Where doubles are not sure.
static void meet_exactly(const lf_moving_box *a, const lf_moving_box *b, double ahead, lf_contact_result *meeting) {
    const double sides_a[3][2] = {
        {a->box.low.x, a->box.high.x}, {a->box.low.y, a->box.high.y}, {a->box.low.z, a->box.high.z}};
    const double sides_b[3][2] = {
        {b->box.low.x, b->box.high.x}, {b->box.low.y, b->box.high.y}, {b->box.low.z, b->box.high.z}};
    const double speed_a[3] = {a->velocity.x, a->velocity.y, a->velocity.z};
    const double speed_b[3] = {b->velocity.x, b->velocity.y, b->velocity.z};
    moment from = start, to = {ahead, ahead, 0, 1, 0};
    int axis = -1;
    for (int k = 0; k < 3; k++) {
        if (speed_a[k] == speed_b[k]) {
            if (!(sides_a[k][0] <= sides_b[k][1] && sides_b[k][0] <= sides_a[k][1]))
                return;
            continue;
        }
        moment begin, end;
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

void lf__contact_surely(const lf_moving_box *a, const lf_moving_box *b, double time, lf_contact_result *meeting) {
    *meeting = lf__no_meeting(time);
    fill_meeting(a, b, time, axis_of(a, b, time), meeting);
}

void lf__contact_aligned(const lf_moving_box *a, const lf_moving_box *b, double ahead, lf_contact_result *meeting) {
    double time;
    *meeting = lf__no_meeting(ahead);
    guess guess = guess_stretch(a, b, ahead, &time);
    if (guess == SURELY)
        lf__contact_surely(a, b, time, meeting);
    else if (guess == UNSURE)
        meet_exactly(a, b, ahead, meeting);
}

// ---------------------------------------------------------------------------------------------------
// Checks and choice
// ---------------------------------------------------------------------------------------------------

static bool is_usable_closely(const lf_moving_box *box) {
    return lf__contact_usable(box->box.low) && lf__contact_usable(box->box.high) &&
           lf__contact_usable(box->velocity) && lf__contact_usable(box->spin) &&
           (lf__is_zero(box->spin) || lf__contact_usable(box->pivot)) && !lf_box_is_empty(box->box);
}

static inline double size_of(lf_vec3 a) {
    return fabs(a.x) + fabs(a.y) + fabs(a.z);
}

/// A sum that is not too large, nor NaN, says the same of all its terms.
static inline bool is_usable(const lf_moving_box *box) {
    if (!box)
        return false;
    double all =
        (size_of(box->box.low) + size_of(box->box.high)) + (size_of(box->velocity) + size_of(box->spin));
    if (all <= LF__CONTACT_LIMIT && lf__is_zero(box->spin))
        return box->box.low.x <= box->box.high.x && box->box.low.y <= box->box.high.y &&
               box->box.low.z <= box->box.high.z;
    return is_usable_closely(box);
}

bool lf__contact_pair_usable(const lf_moving_box *a, const lf_moving_box *b) {
    return is_usable(a) && is_usable(b);
}

void lf__contact_pair(const lf_moving_box *a, const lf_moving_box *b, double ahead, lf_contact_result *meeting) {
    if (lf__is_zero(a->spin) && lf__is_zero(b->spin))
        lf__contact_aligned(a, b, ahead, meeting);
    else
        lf__contact_turning(a, b, ahead, meeting);
}

lf_status lf_contact_boxes(const lf_moving_box *a, const lf_moving_box *b, double ahead,
                           lf_contact_result *meeting) {
    if (!a || !b || !meeting || !(ahead >= 0))
        return LF_BAD_ARGUMENT;
    return lf__contact_kernels_here()->one(a, b, ahead, meeting) ? LF_OK : LF_BAD_ARGUMENT;
}

lf_status lf_contact_boxes_by(const lf_moving_box *a, const lf_moving_box *b, const lf_contact_rules *given,
                              lf_contact_result *meeting) {
    lf_contact_rules rules = lf_contact_rules_default();
    if (!given || lf__def_read(&rules, sizeof rules, given, NULL) != LF_OK || !meeting || !is_usable(a) ||
        !is_usable(b) || !(rules.ahead >= 0))
        return LF_BAD_ARGUMENT;
    bool ticks = rules.method != LF_CONTACT_EXACT && rules.method != LF_CONTACT_SPHERES;
    if (ticks && (!(rules.tick > 0) || !isfinite(rules.ahead)))
        return LF_BAD_ARGUMENT;
    if (rules.tick < rules.ahead / LF__CONTACT_TICKS)
        rules.tick = rules.ahead / LF__CONTACT_TICKS;
    switch (rules.method) {
    case LF_CONTACT_EXACT:
        lf__contact_pair(a, b, rules.ahead, meeting);
        return LF_OK;
    case LF_CONTACT_STEPS:
        lf__contact_steps(a, b, &rules, meeting);
        return LF_OK;
    case LF_CONTACT_SPHERES:
        lf__contact_box_spheres(a, b, rules.ahead, meeting);
        return LF_OK;
    case LF_CONTACT_BISECTION:
        lf__contact_bisection(a, b, 0, rules.ahead, &rules, meeting);
        return LF_OK;
    case LF_CONTACT_SPHERES_BISECTION:
        lf__contact_spheres_bisection(a, b, &rules, meeting);
        return LF_OK;
    }
    return LF_BAD_ARGUMENT;
}
