/// Meetings of lines and pieces: limits, spots, linear equations, order.
#include "grid/grid_query.h"

// ---------------------------------------------------------------------------------------------------
// Limits
// ---------------------------------------------------------------------------------------------------

/// x * a.x + y * a.y + z * a.z + k, where at most two of the first three terms are not 0.
static lf__rough limit_combine(const lf__piece_limit *limit, lf_vec3 a, double k) {
    double rest, sum = limit->z != 0 ? limit->z * a.z : lf__two_sum(limit->x * a.x, limit->y * a.y, &rest);
    if (limit->z != 0)
        rest = 0;
    double value = sum + k, all = value + rest;
    return (lf__rough){all, LF__HALF_ULP * (fabs(value) + (rest != 0 ? fabs(all) : 0))};
}

/// The coefficients of a limit along the line: c[0] + c[1] * t.
static void limit_roughly(const lf__along *along, int k, lf__rough c[2]) {
    const lf__piece_limit *limit = &along->piece->limits[k];
    c[0] = limit_combine(limit, along->line->origin, limit->k);
    c[1] = limit_combine(limit, along->line->direction, 0);
}

static void limit_exactly(const lf__along *along, int k, lf__exact c[2]) {
    const lf__piece_limit *limit = &along->piece->limits[k];
    lf_vec3 o = along->line->origin, d = along->line->direction;
    lf__exact more;
    lf__exact_difference(limit->x * o.x, -limit->y * o.y, &c[0]);
    lf__exact_difference(limit->z * o.z, -limit->k, &more);
    lf__exact_sum(&c[0], &more, &c[0]);
    lf__exact_difference(limit->x * d.x, -limit->y * d.y, &c[1]);
    lf__exact_of(limit->z * d.z, &more);
    lf__exact_sum(&c[1], &more, &c[1]);
}

/// The sign of the limit at the root of a linear equation, times that of e1.
static int limit_at_root(lf__along *along, int k) {
    lf__rough c[2], e0 = along->e[0], e1 = along->e[1];
    limit_roughly(along, k, c);
    double left = c[0].value * e1.value, right = c[1].value * e0.value;
    lf__rough at = {left - right, 4 * LF__HALF_ULP * (fabs(left) + fabs(right)) +
                                      fabs(c[0].value) * e1.error + c[0].error * (fabs(e1.value) + e1.error) +
                                      fabs(c[1].value) * e0.error + c[1].error * (fabs(e0.value) + e0.error)};
    int sign = lf__rough_sign(at);
    if (sign != 2)
        return sign;
    ++*along->count;
    lf__exact exact[2];
    const lf__exact *e = lf__along_exact(along);
    limit_exactly(along, k, exact);
    lf__exact_product(&exact[0], &e[1], &exact[0]);
    lf__exact_product(&exact[1], &e[0], &exact[1]);
    lf__exact_minus(&exact[0], &exact[1], &exact[0]);
    return lf__exact_sign(&exact[0]);
}

/// The sign of e0 + e1 * t.
static int equation_sign_at(lf__along *along, double t) {
    lf__rough e0 = along->e[0], e1 = along->e[1];
    double moved = e1.value * t;
    lf__rough at = {e0.value + moved, 2 * LF__HALF_ULP * (fabs(e0.value) + fabs(moved)) + e0.error +
                                          e1.error * fabs(t) + 0x1p-1000};
    if (t == 0)
        at = e0;
    int sign = lf__rough_sign(at);
    if (sign != 2)
        return sign;
    ++*along->count;
    lf__exact sum;
    const lf__exact *e = lf__along_exact(along);
    lf__exact_scaled(&e[1], t, &sum);
    lf__exact_sum(&sum, &e[0], &sum);
    return lf__exact_sign(&sum);
}

// ---------------------------------------------------------------------------------------------------
// Spots
// ---------------------------------------------------------------------------------------------------

lf__rough lf__spot_rough(const lf__along *along, int spot) {
    if (spot == LF__SPOT_START)
        return (lf__rough){along->line->t_min, 0};
    if (spot == LF__SPOT_END)
        return (lf__rough){along->line->t_max, 0};
    lf__rough c[2];
    limit_roughly(along, spot - LF__SPOT_LIMIT, c);
    double t = -c[0].value / c[1].value;
    return (lf__rough){t, 2 * (c[0].error + c[1].error * fabs(t)) / fabs(c[1].value) +
                              2 * LF__HALF_ULP * fabs(t)};
}

void lf__spot_ratio(lf__along *along, int spot, lf__ratio *r) {
    lf__exact c[2], zero = {.count = 0};
    if (spot == LF__SPOT_START || spot == LF__SPOT_END) {
        lf__exact_of(spot == LF__SPOT_START ? along->line->t_min : along->line->t_max, &r->numerator);
        lf__exact_of(1, &r->denominator);
        return;
    }
    if (spot >= LF__SPOT_LIMIT) {
        limit_exactly(along, spot - LF__SPOT_LIMIT, c);
        lf__exact_minus(&zero, &c[0], &r->numerator);
        r->denominator = c[1];
        return;
    }
    const lf__exact *e = lf__along_exact(along);
    lf__exact_minus(&zero, &e[0], &r->numerator);
    r->denominator = e[1];
    if (spot == LF__SPOT_TWICE_ROOT) // -e1 / (2 * e2)
        lf__exact_minus(&zero, &e[1], &r->numerator), lf__exact_scaled(&e[2], 2, &r->denominator);
}

/// The sign of a - b where rounding cannot matter, else 2.
static int rough_order(lf__rough a, lf__rough b) {
    if (isinf(a.value) || isinf(b.value))
        return (a.value > b.value) - (a.value < b.value);
    double difference = a.value - b.value, error = a.error + b.error + LF__HALF_ULP * fabs(difference);
    return difference > error ? 1 : difference < -error ? -1 : 2;
}

int lf__spot_order(lf__along *along, int a, int b) {
    if (a == b)
        return 0;
    int order = rough_order(lf__spot_rough(along, a), lf__spot_rough(along, b));
    if (order != 2)
        return order;
    ++*along->count;
    lf__ratio first, second;
    lf__spot_ratio(along, a, &first);
    lf__spot_ratio(along, b, &second);
    return lf__ratio_order(&first, &second);
}

bool lf__along_part(lf__along *along, int *entry, int *exit) {
    *entry = LF__SPOT_START;
    *exit = LF__SPOT_END;
    for (int k = 0; k < along->piece->limit_count; k++) {
        lf__rough c[2];
        limit_roughly(along, k, c);
        int slope = lf__rough_sign(c[1]), level = lf__rough_sign(c[0]);
        if (slope == 2 || (slope == 0 && level == 2)) {
            lf__exact exact[2];
            ++*along->count;
            limit_exactly(along, k, exact);
            slope = lf__exact_sign(&exact[1]);
            level = lf__exact_sign(&exact[0]);
        }
        if (slope == 0 && level < 0)
            return false;
        if (slope > 0 && lf__spot_order(along, LF__SPOT_LIMIT + k, *entry) > 0)
            *entry = LF__SPOT_LIMIT + k;
        if (slope < 0 && lf__spot_order(along, LF__SPOT_LIMIT + k, *exit) < 0)
            *exit = LF__SPOT_LIMIT + k;
    }
    return lf__spot_order(along, *entry, *exit) <= 0;
}

// ---------------------------------------------------------------------------------------------------
// Meetings
// ---------------------------------------------------------------------------------------------------

static double grid_meet_clamp(const lf_ray *line, double t) {
    t = t < line->t_min ? line->t_min : t > line->t_max ? line->t_max : t;
    return t + 0.0; // never -0
}

/// -e0 / e1, within a few units in the last place.
static double linear_root(lf__along *along) {
    lf__rough e0 = along->e[0], e1 = along->e[1];
    if (e0.error <= 2 * LF__HALF_ULP * fabs(e0.value) && e1.error <= 2 * LF__HALF_ULP * fabs(e1.value))
        return -e0.value / e1.value;
    lf__twofold e[3];
    double error[3];
    lf__along_twofold(along, e, error);
    if (error[0] <= 0.25 * LF__HALF_ULP * fabs(e[0].high) &&
        error[1] <= 0.25 * LF__HALF_ULP * fabs(e[1].high))
        return -e[0].high / e[1].high;
    lf__ratio root;
    ++*along->count;
    lf__spot_ratio(along, LF__SPOT_ROOT, &root);
    return lf__ratio_value(&root);
}

/// t of a spot that is not a root, within a few units in the last place.
static double spot_value(lf__along *along, int spot) {
    lf__rough t = lf__spot_rough(along, spot);
    if (t.error <= 4 * LF__HALF_ULP * fabs(t.value))
        return t.value;
    lf__ratio r;
    lf__spot_ratio(along, spot, &r);
    return lf__ratio_value(&r);
}

double lf__spot_value(lf__along *along, int spot) {
    return grid_meet_clamp(along->line, spot == LF__SPOT_ROOT ? linear_root(along) : spot_value(along, spot));
}

/// The line is parallel to the piece: within it, or beside it.
static int meet_edge_on(lf__along *along, lf__grid_meeting *meeting) {
    int entry, exit;
    if (lf__along_sign(along, 0) != 0 || !lf__along_part(along, &entry, &exit))
        return 0;
    *meeting = (lf__grid_meeting){lf__spot_value(along, entry), entry, 0, true};
    return 1;
}

static int meet_linear(lf__along *along, lf__grid_meeting *meeting) {
    int slope = lf__along_sign(along, 1);
    if (slope == 0)
        return meet_edge_on(along, meeting);
    for (int k = 0; k < along->piece->limit_count; k++)
        if (limit_at_root(along, k) * slope < 0)
            return 0;
    const lf_ray *line = along->line;
    if ((isfinite(line->t_min) && equation_sign_at(along, line->t_min) * slope > 0) ||
        (isfinite(line->t_max) && equation_sign_at(along, line->t_max) * slope < 0))
        return 0;
    *meeting = (lf__grid_meeting){lf__spot_value(along, LF__SPOT_ROOT), LF__SPOT_ROOT, 0, false};
    return 1;
}

int lf__piece_meet(const lf__piece *piece, const lf_ray *line, lf__grid_meeting meetings[2],
                   uint64_t *exact) {
    lf__along along;
    lf__along_start(&along, piece, line, exact);
    if (lf__along_sign(&along, 2) != 0)
        return lf__patch_meet(&along, meetings);
    return meet_linear(&along, meetings);
}

static bool is_quotient(int spot) {
    return spot != LF__SPOT_LOW_ROOT && spot != LF__SPOT_HIGH_ROOT;
}

int lf__piece_order(const lf_ray *line, const lf__piece *a, const lf__grid_meeting *at_a, const lf__piece *b,
                    const lf__grid_meeting *at_b) {
    // Each t is within 4 ulp of the exact one.
    double difference = at_a->t - at_b->t, doubt = 16 * LF__HALF_ULP * (fabs(at_a->t) + fabs(at_b->t));
    if (difference > doubt || difference < -doubt)
        return difference > 0 ? 1 : -1;
    uint64_t count = 0;
    lf__along along_a, along_b;
    lf__along_start(&along_a, a, line, &count);
    lf__along_start(&along_b, b, line, &count);
    if (is_quotient(at_a->spot) && is_quotient(at_b->spot)) {
        lf__ratio first, second;
        lf__spot_ratio(&along_a, at_a->spot, &first);
        lf__spot_ratio(&along_b, at_b->spot, &second);
        return lf__ratio_order(&first, &second);
    }
    if (a->i == b->i && a->j == b->j)
        return at_a->number - at_b->number;
    return lf__patch_order(&along_a, &along_b);
}
