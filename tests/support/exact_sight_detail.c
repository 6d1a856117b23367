// How much: clearance, raise and Fresnel's zone over the parts of a line. The exact numbers are rational but
// for the raise's stationary points, which are roots; the ranges are what they become when every height is
// off by the part's slack.
#include "exact_sight.h"
#include <math.h>

static struct {
    mpq_t value, spare, vertex, shift;
    exact_number root;
    bool ready;
} work;

static void get_ready(void) {
    if (work.ready)
        return;
    mpq_inits(work.value, work.spare, work.vertex, work.shift, NULL);
    exact_number_init(&work.root);
    work.ready = true;
}

/// work.value = the part at t, raised by the shift.
static void load_value(const exact_part *part, const mpq_t t) {
    mpq_mul(work.value, part->a, t);
    mpq_add(work.value, work.value, part->b);
    mpq_mul(work.value, work.value, t);
    mpq_add(work.value, work.value, part->c);
    mpq_add(work.value, work.value, work.shift);
}

static void offer_least(exact_range *least, const exact_part *part, double value, double t) {
    if (value < least->exact) {
        least->exact = value;
        least->t = t;
    }
    least->low = fmin(least->low, value - part->slack);
    least->high = fmin(least->high, value + part->slack);
}

exact_range exact_clearance(const exact_part *parts, int64_t count) {
    exact_range least = {LF_INFINITY, LF_INFINITY, LF_INFINITY, 1};
    get_ready();
    mpq_set_ui(work.shift, 0, 1);
    for (int64_t i = 0; i < count; i++) {
        const exact_part *part = &parts[i];
        load_value(part, part->low);
        offer_least(&least, part, mpq_get_d(work.value), mpq_get_d(part->low));
        load_value(part, part->high);
        offer_least(&least, part, mpq_get_d(work.value), mpq_get_d(part->high));
        if (mpq_sgn(part->a) <= 0)
            continue;
        mpq_div(work.vertex, part->b, part->a);
        mpq_div_2exp(work.vertex, work.vertex, 1);
        mpq_neg(work.vertex, work.vertex);
        if (mpq_cmp(work.vertex, part->low) <= 0 || mpq_cmp(work.vertex, part->high) >= 0)
            continue;
        load_value(part, work.vertex);
        offer_least(&least, part, mpq_get_d(work.value), mpq_get_d(work.vertex));
    }
    return least;
}

// ---------------------------------------------------------------------------------------------------
// Raise: the largest -(a t + b + c / t)
// ---------------------------------------------------------------------------------------------------

typedef struct most {
    double value, t;
} most;

static void offer_most(most *best, double value, double t) {
    if (value > best->value || (value == best->value && t < best->t))
        *best = (most){value, t};
}

static void raise_at(most *best, const exact_part *part, const mpq_t t) {
    if (mpq_sgn(t) > 0) {
        load_value(part, t);
        mpq_div(work.value, work.value, t);
        offer_most(best, -mpq_get_d(work.value), mpq_get_d(t));
        return;
    }
    mpq_add(work.value, part->c, work.shift);
    if (mpq_sgn(work.value) < 0)
        offer_most(best, LF_INFINITY, 0);
    else if (mpq_sgn(work.value) == 0)
        offer_most(best, -mpq_get_d(part->b), 0);
}

/// Where a t = c / t: the value there is -b - 2 sqrt(a c), the largest when both are positive.
static void raise_between(most *best, const exact_part *part) {
    mpq_add(work.value, part->c, work.shift);
    if (mpq_sgn(part->a) <= 0 || mpq_sgn(work.value) <= 0)
        return;
    mpq_div(work.vertex, work.value, part->a);
    mpq_mul(work.spare, part->low, part->low);
    if (mpq_cmp(work.vertex, work.spare) <= 0)
        return;
    mpq_mul(work.spare, part->high, part->high);
    if (mpq_cmp(work.vertex, work.spare) >= 0)
        return;
    mpq_neg(work.root.base, part->b);
    mpq_mul(work.root.square, part->a, work.value);
    mpq_mul_2exp(work.root.square, work.root.square, 2);
    work.root.sign = -1;
    offer_most(best, exact_number_get(&work.root), sqrt(mpq_get_d(work.vertex)));
}

static void raise_over(most *best, const exact_part *part) {
    raise_at(best, part, part->low);
    raise_at(best, part, part->high);
    raise_between(best, part);
}

/// With the ground up by the slack. An end that is not below the ground stays so: that is decided exactly.
static void raise_over_higher(most *best, const exact_part *part) {
    mpq_set_d(work.shift, -part->slack);
    raise_at(best, part, part->high);
    mpq_add(work.spare, part->c, work.shift);
    if (mpq_sgn(part->low) == 0 && mpq_sgn(part->c) >= 0 && mpq_sgn(work.spare) < 0)
        mpq_neg(work.shift, part->c);
    raise_over(best, part);
}

exact_range exact_raise(const exact_part *parts, int64_t count) {
    most exact = {-LF_INFINITY, 1}, low = exact, high = exact;
    get_ready();
    for (int64_t i = 0; i < count; i++) {
        mpq_set_ui(work.shift, 0, 1);
        raise_over(&exact, &parts[i]);
        mpq_set_d(work.shift, parts[i].slack);
        raise_over(&low, &parts[i]);
        raise_over_higher(&high, &parts[i]);
    }
    return (exact_range){exact.value, low.value, high.value, exact.t};
}

// ---------------------------------------------------------------------------------------------------
// Zone: the least f(t) / sqrt(t (1 - t))
// ---------------------------------------------------------------------------------------------------

/// A part from its low end: value + slope s + bend s^2 at t = low + s, and how far t is from 1 there.
typedef struct local_part {
    long double value, slope, bend, low, length, to_end;
    long double last, last_width; ///< value and t (1 - t) at the high end, where sums would round
} local_part;

static long double long_of(const mpq_t value) {
    double first = mpq_get_d(value);
    mpq_set_d(work.spare, first);
    mpq_sub(work.spare, value, work.spare);
    return (long double)first + (long double)mpq_get_d(work.spare);
}

static local_part localise(const exact_part *part) {
    local_part local;
    load_value(part, part->low);
    local.value = long_of(work.value);
    mpq_mul(work.value, part->a, part->low);
    mpq_add(work.value, work.value, work.value);
    mpq_add(work.value, work.value, part->b);
    local.slope = long_of(work.value);
    local.bend = long_of(part->a);
    local.low = long_of(part->low);
    mpq_sub(work.value, part->high, part->low);
    local.length = long_of(work.value);
    mpq_set_ui(work.value, 1, 1);
    mpq_sub(work.value, work.value, part->low);
    local.to_end = long_of(work.value);
    load_value(part, part->high);
    local.last = long_of(work.value);
    mpq_set_ui(work.value, 1, 1);
    mpq_sub(work.value, work.value, part->high);
    mpq_mul(work.value, work.value, part->high);
    local.last_width = long_of(work.value);
    return local;
}

static long double height_of(const local_part *part, long double s) {
    return part->value + s * (part->slope + s * part->bend);
}

static long double share_of(const local_part *part, long double s) {
    long double height = height_of(part, s), width = (part->low + s) * (part->to_end - s);
    if (s >= part->length) {
        height = part->last;
        width = part->last_width;
    }
    if (width <= 0)
        return height > 0 ? LF_INFINITY : height < 0 ? -LF_INFINITY : 0;
    return height / sqrtl(width);
}

/// The sign of the share's slope: 2 f' t (1 - t) - f (1 - 2 t).
static long double share_slope(const local_part *part, long double s) {
    long double t = part->low + s, left = part->to_end - s;
    return 2 * (part->slope + 2 * s * part->bend) * t * left - height_of(part, s) * (left - t);
}

/// The share's slope changes its sign at most once between two neighbours of `from` and `to`: halve.
static long double level_between(const local_part *part, long double from, long double to) {
    bool rises = share_slope(part, from) > 0;
    for (int i = 0; i < 400; i++) {
        long double middle = (from + to) / 2;
        if (middle == from || middle == to)
            break;
        if ((share_slope(part, middle) > 0) == rises)
            from = middle;
        else
            to = middle;
    }
    return to;
}

/// share_slope is a cubic of t whose own slope is -6 a t^2 + 6 a t + b + 2 c: it turns at 1/2 -+ sqrt(1/4 + (b + 2 c) / 6 a).
static most least_share(const exact_part *part) {
    local_part local = localise(part);
    long double stops[4] = {0, local.length, local.length, local.length};
    int count = 2;
    mpq_add(work.value, part->c, work.shift);
    mpq_add(work.value, work.value, work.value);
    mpq_add(work.value, work.value, part->b);
    if (mpq_sgn(part->a) != 0) {
        mpq_div(work.value, work.value, part->a);
        long double square = 0.25L + long_of(work.value) / 6;
        for (int side = -1; side <= 1 && square > 0; side += 2) {
            long double s = 0.5L + (long double)side * sqrtl(square) - local.low;
            if (s > 0 && s < local.length)
                stops[count - 1] = s, stops[count++] = local.length;
        }
    }
    most best = {LF_INFINITY, 1};
    for (int i = 0; i < count; i++) {
        long double s = i == 0 ? 0 : level_between(&local, stops[i - 1], stops[i]);
        long double tries[2] = {s, stops[i]};
        for (int k = 0; k < 2; k++) {
            double share = (double)share_of(&local, tries[k]);
            if (share < best.value)
                best = (most){share, (double)(local.low + tries[k])};
        }
    }
    return best;
}

/// With the ground up by the slack; ends that are not below the ground stay so.
static double least_share_higher(const exact_part *part) {
    mpq_set_d(work.shift, -part->slack);
    double least = least_share(part).value;
    if (!isinf(least))
        return least;
    mpq_set_ui(work.shift, 0, 1);
    most plain = least_share(part);
    double width = plain.t * (1 - plain.t);
    if (isinf(plain.value) && plain.value < 0)
        return plain.value;
    return fmin(plain.value - (width > 0 ? part->slack / sqrt(width) : 0), 0);
}

exact_range exact_zone(const exact_part *parts, int64_t count) {
    exact_range least = {LF_INFINITY, LF_INFINITY, LF_INFINITY, 1};
    get_ready();
    for (int64_t i = 0; i < count; i++) {
        mpq_set_ui(work.shift, 0, 1);
        most exact = least_share(&parts[i]);
        if (exact.value < least.exact) {
            least.exact = exact.value;
            least.t = exact.t;
        }
        mpq_set_d(work.shift, parts[i].slack);
        least.high = fmin(least.high, least_share(&parts[i]).value);
        least.low = fmin(least.low, least_share_higher(&parts[i]));
    }
    return least;
}

int exact_stand(const exact_grid *grid, double column, double row, double z, double above, double *off) {
    exact_line upright = {.x = column, .y = row, .z = z, .turn = 1, .end = 1};
    const exact_part *parts;
    int64_t count = exact_sight_parts(grid, &upright, &parts);
    int sign = 0;
    get_ready();
    *off = LF_NAN;
    for (int64_t i = 0; i < count; i++) {
        mpq_set_d(work.value, above);
        mpq_sub(work.value, parts[i].c, work.value);
        double distance = mpq_get_d(work.value);
        if (isnan(*off) || distance < *off) {
            *off = distance;
            sign = mpq_sgn(work.value);
        }
    }
    return sign;
}
