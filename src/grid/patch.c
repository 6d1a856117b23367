/// Lines against bilinear patches, and what bent lines share with them.
///
/// Along a line that is parallel to neither axis the equation is quadratic. Its roots are irrational, but all that must be decided
/// is how many of them lie in the part of the line over the patch, whose ends are quotients: signs at these ends,
/// slopes there, and the discriminant tell.
#include "grid/piece.h"

/// Half a unit in the last place.
#define UNIT 0x1p-53

int lf__along_sign_at(lf__along *along, int spot) {
    const lf__rough *e = along->e;
    lf__rough t = lf__spot_rough(along, spot);
    double t1 = fabs(t.value), linear = t.value * e[1].value, square = t.value * t.value * e[2].value;
    double far = t1 + t.error;
    lf__rough at = {e[0].value + linear + square,
                    5 * UNIT * (fabs(e[0].value) + fabs(linear) + fabs(square)) + e[0].error +
                        far * e[1].error + far * far * e[2].error +
                        t.error * (fabs(e[1].value) + 2 * far * fabs(e[2].value)) + 0x1p-1000};
    int sign = lf__rough_sign(at);
    if (sign != 2)
        return sign;
    ++*along->count;
    const lf__exact *exact = lf__along_exact(along);
    lf__ratio r;
    lf__exact sum, term;
    lf__spot_ratio(along, spot, &r);
    // (e2 * n + e1 * d) * n + e0 * d * d
    lf__exact_product(&exact[2], &r.numerator, &sum);
    lf__exact_product(&exact[1], &r.denominator, &term);
    lf__exact_sum(&sum, &term, &sum);
    lf__exact_product(&sum, &r.numerator, &sum);
    lf__exact_product(&exact[0], &r.denominator, &term);
    lf__exact_product(&term, &r.denominator, &term);
    lf__exact_sum(&sum, &term, &sum);
    return lf__exact_sign(&sum);
}

int lf__along_slope_at(lf__along *along, int spot) {
    const lf__rough *e = along->e;
    lf__rough t = lf__spot_rough(along, spot);
    double twice = 2 * e[2].value * t.value, far = fabs(t.value) + t.error;
    lf__rough at = {e[1].value + twice, 3 * UNIT * (fabs(e[1].value) + fabs(twice)) + e[1].error +
                                            2 * far * e[2].error + 2 * t.error * fabs(e[2].value) +
                                            0x1p-1000};
    int sign = lf__rough_sign(at);
    if (sign != 2)
        return sign;
    ++*along->count;
    const lf__exact *exact = lf__along_exact(along);
    lf__ratio r;
    lf__exact sum, term;
    lf__spot_ratio(along, spot, &r);
    lf__exact_product(&exact[2], &r.numerator, &sum);
    lf__exact_scaled(&sum, 2, &sum);
    lf__exact_product(&exact[1], &r.denominator, &term);
    lf__exact_sum(&sum, &term, &sum);
    return lf__exact_sign(&sum) * lf__exact_sign(&r.denominator);
}

/// e1 * e1 - 4 * e0 * e2
static void discriminant(lf__along *along, lf__exact *d) {
    const lf__exact *e = lf__along_exact(along);
    lf__exact product;
    lf__exact_product(&e[1], &e[1], d);
    lf__exact_product(&e[0], &e[2], &product);
    lf__exact_scaled(&product, 4, &product);
    lf__exact_minus(d, &product, d);
}

int lf__along_discriminant(lf__along *along) {
    const lf__rough *e = along->e;
    double left = e[1].value * e[1].value, right = 4 * e[0].value * e[2].value;
    double size0 = fabs(e[0].value) + e[0].error, size1 = fabs(e[1].value) + e[1].error;
    lf__rough rough = {left - right, 4 * UNIT * (left + fabs(right)) + 3 * size1 * e[1].error +
                                         4 * size0 * e[2].error + 4 * fabs(e[2].value) * e[0].error +
                                         0x1p-1000};
    int sign = lf__rough_sign(rough);
    if (sign != 2)
        return sign;
    ++*along->count;
    lf__exact exact;
    discriminant(along, &exact);
    return lf__exact_sign(&exact);
}

// ---------------------------------------------------------------------------------------------------
// The value of a root
// ---------------------------------------------------------------------------------------------------

/// Coefficients and square root of the discriminant, each within a unit in the last place.
typedef struct quadratic {
    double e0, e1, e2, root;
} quadratic;

static bool solve_twofold(const lf__along *along, quadratic *q) {
    lf__twofold e[3];
    double error[3];
    lf__along_twofold(along, e, error);
    for (int k = 0; k < 3; k++)
        if (!(error[k] <= 0.25 * UNIT * fabs(e[k].high)))
            return false;
    lf__twofold four = lf__twofold_product(lf__twofold_of(4), lf__twofold_product(e[0], e[2]));
    lf__twofold d = lf__twofold_minus(lf__twofold_product(e[1], e[1]), four);
    double size = e[1].high * e[1].high + fabs(four.high);
    double off = 0x1p-98 * size + 3 * fabs(e[1].high) * error[1] +
                 5 * (fabs(e[0].high) * error[2] + fabs(e[2].high) * error[0]);
    if (!(off <= 0.25 * UNIT * d.high))
        return false;
    *q = (quadratic){e[0].high, e[1].high, e[2].high, sqrt(d.high)};
    return true;
}

static void solve_exactly(lf__along *along, quadratic *q) {
    lf__exact d;
    const lf__exact *e = lf__along_exact(along);
    ++*along->count;
    discriminant(along, &d);
    double value = lf__exact_estimate(&d);
    *q = (quadratic){lf__exact_estimate(&e[0]), lf__exact_estimate(&e[1]), lf__exact_estimate(&e[2]),
                     value > 0 ? sqrt(value) : 0};
}

/// Without cancellation.
double lf__along_quadratic_root(lf__along *along, bool high) {
    quadratic q;
    if (!solve_twofold(along, &q))
        solve_exactly(along, &q);
    double sum = -0.5 * (q.e1 < 0 ? q.e1 - q.root : q.e1 + q.root);
    double one = sum / q.e2, other = sum != 0 ? q.e0 / sum : one;
    double t = high == (one > other) ? one : other;
    const lf_ray *line = along->line;
    return (t < line->t_min ? line->t_min : t > line->t_max ? line->t_max : t) + 0.0;
}

// ---------------------------------------------------------------------------------------------------
// Which roots are over the patch
// ---------------------------------------------------------------------------------------------------

static void add_spot(lf__along *along, lf__grid_meeting *meetings, int *count, int spot) {
    bool irrational = spot == LF__SPOT_LOW_ROOT || spot == LF__SPOT_HIGH_ROOT;
    double t = irrational                    ? lf__along_quadratic_root(along, spot == LF__SPOT_HIGH_ROOT)
               : spot == LF__SPOT_TWICE_ROOT ? lf__along_quadratic_root(along, true)
                                             : lf__spot_value(along, spot);
    meetings[*count] = (lf__grid_meeting){t, spot, *count, false};
    ++*count;
}

/// The surface is on the same side of the line at both ends: there are two roots between them or none.
static void add_between(lf__along *along, const int ends[2], int side, lf__grid_meeting *meetings,
                        int *count) {
    if (lf__along_sign(along, 2) != side || lf__along_slope_at(along, ends[0]) * side >= 0 ||
        lf__along_slope_at(along, ends[1]) * side <= 0)
        return;
    int roots = lf__along_discriminant(along);
    if (roots == 0)
        add_spot(along, meetings, count, LF__SPOT_TWICE_ROOT);
    if (roots > 0) {
        add_spot(along, meetings, count, LF__SPOT_LOW_ROOT);
        add_spot(along, meetings, count, LF__SPOT_HIGH_ROOT);
    }
}

int lf__patch_meet(lf__along *along, lf__grid_meeting meetings[2]) {
    int ends[2], count = 0;
    if (!lf__along_part(along, &ends[0], &ends[1]))
        return 0;
    bool one_spot = lf__spot_order(along, ends[0], ends[1]) == 0;
    int first = lf__along_sign_at(along, ends[0]),
        last = one_spot ? first : lf__along_sign_at(along, ends[1]);
    if (first == 0)
        add_spot(along, meetings, &count, ends[0]);
    if (one_spot)
        return count;
    if (first == 0 && last != 0) {
        // Off to one side, and through to the other?
        if (lf__along_slope_at(along, ends[0]) * last < 0)
            add_spot(along, meetings, &count, LF__SPOT_HIGH_ROOT);
    } else if (first != 0 && last == 0) {
        if (lf__along_slope_at(along, ends[1]) * first > 0)
            add_spot(along, meetings, &count, LF__SPOT_LOW_ROOT);
    } else if (first * last < 0) {
        add_spot(along, meetings, &count,
                 first == lf__along_sign(along, 2) ? LF__SPOT_LOW_ROOT : LF__SPOT_HIGH_ROOT);
    } else if (first * last > 0) {
        add_between(along, ends, first, meetings, &count);
    }
    if (last == 0)
        add_spot(along, meetings, &count, ends[1]);
    return count;
}

int lf__patch_order(lf__along *a, lf__along *b) {
    // A root between the ends of its patch: the line passes one patch after the other.
    int ends_a[2], ends_b[2];
    if (!lf__along_part(a, &ends_a[0], &ends_a[1]) || !lf__along_part(b, &ends_b[0], &ends_b[1]))
        return 0;
    for (int k = 0; k < 2; k++) {
        lf__ratio first, second;
        lf__spot_ratio(a, ends_a[k], &first);
        lf__spot_ratio(b, ends_b[k], &second);
        int order = lf__ratio_order(&first, &second);
        if (order != 0)
            return order;
    }
    return 0;
}
