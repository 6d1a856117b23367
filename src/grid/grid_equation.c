/// The equations of pieces along lines: coefficients in doubles, to twice the precision of doubles, and
/// exact; roots of quadratic ones.
#include "grid/grid_query.h"

/// The error of a twofold sum of products is less than this part of the sum of their magnitudes.
#define EQUATION_TWOFOLD 0x1p-97

// ---------------------------------------------------------------------------------------------------
// In doubles
// ---------------------------------------------------------------------------------------------------

/// The error of a difference of two doubles is half a unit in its last place, and 0 where it is 0.
static lf__rough rough_difference(double a, double b) {
    double value = a - b;
    return (lf__rough){value, LF__HALF_ULP * fabs(value)};
}

static void plane_roughly(const lf__piece *p, const lf_ray *line, lf__rough e[3]) {
    lf_vec3 o = line->origin, d = line->direction;
    double gx = p->h[2] - p->h[1], gy = p->h[4] - p->h[3];
    if (gx == 0 && gy == 0) {
        e[0] = rough_difference(o.z, p->h[0]);
        e[1] = (lf__rough){d.z, 0};
        return;
    }
    double x = gx * (o.x - p->at.x), y = gy * (o.y - p->at.y), dx = gx * d.x, dy = gy * d.y;
    // Each product is rounded at most six times before the sum.
    e[0] = (lf__rough){o.z - p->h[0] - x - y,
                       7 * LF__HALF_ULP * (fabs(o.z) + fabs(p->h[0]) + fabs(x) + fabs(y)) + LF__UNDERFLOW};
    e[1] = (lf__rough){d.z - dx - dy, 5 * LF__HALF_ULP * (fabs(d.z) + fabs(dx) + fabs(dy)) + LF__UNDERFLOW};
}

static void patch_roughly(const lf__piece *p, const lf_ray *line, lf__rough e[3]) {
    lf_vec3 o = line->origin, d = line->direction;
    const double *h = p->h;
    double rest[3], low_edge = lf__two_sum(h[0], -h[1], &rest[0]),
                    high_edge = lf__two_sum(h[3], -h[2], &rest[1]);
    double a = h[1] - h[0], b = h[2] - h[0], c = lf__two_sum(low_edge, high_edge, &rest[2]);
    bool sure = rest[0] == 0 && rest[1] == 0 && rest[2] == 0;
    double c_size = fabs(low_edge) + fabs(high_edge); // c may be much smaller than its terms
    double u = o.x - p->at.x, v = o.y - p->at.y;
    double size0 = fabs(o.z) + fabs(h[0]) + fabs(a * u) + fabs(b * v) + c_size * fabs(u * v);
    double size1 = fabs(d.z) + fabs(a * d.x) + fabs(b * d.y) + c_size * (fabs(u * d.y) + fabs(v * d.x));
    e[0] = (lf__rough){o.z - h[0] - a * u - b * v - c * (u * v), 12 * LF__HALF_ULP * size0 + LF__UNDERFLOW};
    e[1] = (lf__rough){d.z - a * d.x - b * d.y - c * (u * d.y + v * d.x),
                       12 * LF__HALF_ULP * size1 + LF__UNDERFLOW};
    bool none = (c == 0 && sure) || d.x == 0 || d.y == 0;
    e[2] = (lf__rough){none ? 0 : -c * (d.x * d.y),
                       none ? 0
                            : 6 * LF__HALF_ULP * (sure ? fabs(c) : c_size) * fabs(d.x * d.y) + LF__UNDERFLOW};
}

void lf__along_start(lf__along *along, const lf__piece *piece, const lf_ray *line, uint64_t *count) {
    along->piece = piece;
    along->line = line;
    along->curvature = 0;
    along->has_exact = false;
    along->count = count;
    along->e[2] = (lf__rough){0, 0};
    switch (piece->kind) {
    case LF__PIECE_PLANE:
        plane_roughly(piece, line, along->e);
        break;
    case LF__PIECE_PATCH:
        patch_roughly(piece, line, along->e);
        break;
    case LF__PIECE_ACROSS_COLUMNS:
        along->e[0] = rough_difference(line->origin.x, piece->at.x);
        along->e[1] = (lf__rough){line->direction.x, 0};
        break;
    case LF__PIECE_ACROSS_ROWS:
        along->e[0] = rough_difference(line->origin.y, piece->at.y);
        along->e[1] = (lf__rough){line->direction.y, 0};
        break;
    }
}

static lf__rough rough_plus(lf__rough a, double b) {
    if (b == 0)
        return a;
    double sum = a.value + b;
    return (lf__rough){sum, a.error + (a.value == 0 ? 0 : LF__HALF_ULP * fabs(sum))};
}

void lf__along_set_curvature(lf__along *along, double curvature) {
    along->curvature = curvature;
    along->e[2] = rough_plus(along->e[2], curvature);
}

// ---------------------------------------------------------------------------------------------------
// Exact
// ---------------------------------------------------------------------------------------------------

/// sum -= a * b
static void exact_subtract_product(lf__exact *sum, const lf__exact *a, const lf__exact *b) {
    lf__exact product;
    lf__exact_product(a, b, &product);
    lf__exact_minus(sum, &product, sum);
}

static void plane_exactly(const lf__piece *p, const lf_ray *line, lf__exact e[3]) {
    lf__exact gx, gy, u, v, d;
    lf__exact_difference(p->h[2], p->h[1], &gx);
    lf__exact_difference(p->h[4], p->h[3], &gy);
    lf__exact_difference(line->origin.x, p->at.x, &u);
    lf__exact_difference(line->origin.y, p->at.y, &v);
    lf__exact_difference(line->origin.z, p->h[0], &e[0]);
    exact_subtract_product(&e[0], &gx, &u);
    exact_subtract_product(&e[0], &gy, &v);
    lf__exact_of(line->direction.z, &e[1]);
    lf__exact_of(line->direction.x, &d);
    exact_subtract_product(&e[1], &gx, &d);
    lf__exact_of(line->direction.y, &d);
    exact_subtract_product(&e[1], &gy, &d);
    e[2].count = 0;
}

static void patch_exactly(const lf__piece *p, const lf_ray *line, lf__exact e[3]) {
    lf__exact a, b, c, more, u, v, dx, dy, product;
    lf__exact_difference(p->h[1], p->h[0], &a);
    lf__exact_difference(p->h[2], p->h[0], &b);
    lf__exact_difference(p->h[0], p->h[1], &c);
    lf__exact_difference(p->h[3], p->h[2], &more);
    lf__exact_sum(&c, &more, &c);
    lf__exact_difference(line->origin.x, p->at.x, &u);
    lf__exact_difference(line->origin.y, p->at.y, &v);
    lf__exact_of(line->direction.x, &dx);
    lf__exact_of(line->direction.y, &dy);
    lf__exact_difference(line->origin.z, p->h[0], &e[0]);
    exact_subtract_product(&e[0], &a, &u);
    exact_subtract_product(&e[0], &b, &v);
    lf__exact_product(&u, &v, &product);
    exact_subtract_product(&e[0], &c, &product);
    lf__exact_of(line->direction.z, &e[1]);
    exact_subtract_product(&e[1], &a, &dx);
    exact_subtract_product(&e[1], &b, &dy);
    lf__exact_product(&u, &dy, &product);
    lf__exact_product(&v, &dx, &more);
    lf__exact_sum(&product, &more, &product);
    exact_subtract_product(&e[1], &c, &product);
    e[2].count = 0;
    lf__exact_product(&dx, &dy, &product);
    exact_subtract_product(&e[2], &c, &product);
}

static void exact_add(lf__exact *sum, double more) {
    lf__exact exact;
    if (more == 0)
        return;
    lf__exact_of(more, &exact);
    lf__exact_sum(sum, &exact, sum);
}

const lf__exact *lf__along_exact(lf__along *along) {
    const lf__piece *p = along->piece;
    const lf_ray *line = along->line;
    lf__exact *e = along->exact;
    if (along->has_exact)
        return e;
    along->has_exact = true;
    e[2].count = 0;
    switch (p->kind) {
    case LF__PIECE_PLANE:
        plane_exactly(p, line, e);
        break;
    case LF__PIECE_PATCH:
        patch_exactly(p, line, e);
        break;
    case LF__PIECE_ACROSS_COLUMNS:
        lf__exact_difference(line->origin.x, p->at.x, &e[0]);
        lf__exact_of(line->direction.x, &e[1]);
        break;
    case LF__PIECE_ACROSS_ROWS:
        lf__exact_difference(line->origin.y, p->at.y, &e[0]);
        lf__exact_of(line->direction.y, &e[1]);
        break;
    }
    exact_add(&e[2], along->curvature);
    return e;
}

int lf__along_sign(lf__along *along, int k) {
    int sign = lf__rough_sign(along->e[k]);
    if (sign != 2)
        return sign;
    ++*along->count;
    return lf__exact_sign(&lf__along_exact(along)[k]);
}

int lf__piece_side(const lf__piece *piece, lf_vec3 p) {
    uint64_t count = 0;
    lf_ray line = {p, {0, 0, 1}, 0, 0};
    lf__along along;
    lf__along_start(&along, piece, &line, &count);
    return lf__along_sign(&along, 0);
}

// ---------------------------------------------------------------------------------------------------
// To twice the precision of a double
// ---------------------------------------------------------------------------------------------------

static void plane_twofold(const lf__piece *p, const lf_ray *line, lf__twofold e[3], double error[3]) {
    lf_vec3 o = line->origin, d = line->direction;
    lf__twofold gx = lf__twofold_difference(p->h[2], p->h[1]), gy = lf__twofold_difference(p->h[4], p->h[3]);
    lf__twofold x = lf__twofold_product(gx, lf__twofold_difference(o.x, p->at.x));
    lf__twofold y = lf__twofold_product(gy, lf__twofold_difference(o.y, p->at.y));
    lf__twofold dx = lf__twofold_product(gx, lf__twofold_of(d.x)),
                dy = lf__twofold_product(gy, lf__twofold_of(d.y));
    e[0] = lf__twofold_minus(lf__twofold_minus(lf__twofold_difference(o.z, p->h[0]), x), y);
    e[1] = lf__twofold_minus(lf__twofold_minus(lf__twofold_of(d.z), dx), dy);
    e[2] = lf__twofold_of(0);
    error[0] = EQUATION_TWOFOLD * (fabs(o.z) + fabs(p->h[0]) + fabs(x.high) + fabs(y.high)) + LF__UNDERFLOW;
    error[1] = EQUATION_TWOFOLD * (fabs(d.z) + fabs(dx.high) + fabs(dy.high)) + LF__UNDERFLOW;
    error[2] = 0;
}

static void patch_twofold(const lf__piece *p, const lf_ray *line, lf__twofold e[3], double error[3]) {
    lf_vec3 o = line->origin, d = line->direction;
    const double *h = p->h;
    lf__twofold a = lf__twofold_difference(h[1], h[0]), b = lf__twofold_difference(h[2], h[0]);
    lf__twofold c = lf__twofold_sum(lf__twofold_difference(h[0], h[1]), lf__twofold_difference(h[3], h[2]));
    lf__twofold u = lf__twofold_difference(o.x, p->at.x), v = lf__twofold_difference(o.y, p->at.y);
    lf__twofold dx = lf__twofold_of(d.x), dy = lf__twofold_of(d.y);
    lf__twofold au = lf__twofold_product(a, u), bv = lf__twofold_product(b, v);
    lf__twofold uv = lf__twofold_product(u, v), cuv = lf__twofold_product(c, uv);
    lf__twofold adx = lf__twofold_product(a, dx), bdy = lf__twofold_product(b, dy);
    lf__twofold udy = lf__twofold_product(u, dy), vdx = lf__twofold_product(v, dx);
    e[0] = lf__twofold_difference(o.z, h[0]);
    e[0] = lf__twofold_minus(lf__twofold_minus(lf__twofold_minus(e[0], au), bv), cuv);
    e[1] = lf__twofold_minus(lf__twofold_minus(lf__twofold_of(d.z), adx), bdy);
    e[1] = lf__twofold_minus(e[1], lf__twofold_product(c, lf__twofold_sum(udy, vdx)));
    e[2] = lf__twofold_product((lf__twofold){-c.high, -c.low}, lf__twofold_product(dx, dy));
    double c_size = fabs(h[0]) + fabs(h[1]) + fabs(h[2]) + fabs(h[3]);
    error[0] =
        EQUATION_TWOFOLD * (fabs(o.z) + fabs(h[0]) + fabs(au.high) + fabs(bv.high) + c_size * fabs(uv.high)) +
        LF__UNDERFLOW;
    error[1] = EQUATION_TWOFOLD * (fabs(d.z) + fabs(adx.high) + fabs(bdy.high) +
                                   c_size * (fabs(udy.high) + fabs(vdx.high))) +
               LF__UNDERFLOW;
    error[2] = EQUATION_TWOFOLD * c_size * fabs(d.x * d.y) + LF__UNDERFLOW;
}

void lf__along_twofold(const lf__along *along, lf__twofold e[3], double error[3]) {
    if (along->piece->kind == LF__PIECE_PATCH)
        patch_twofold(along->piece, along->line, e, error);
    else
        plane_twofold(along->piece, along->line, e, error);
    e[2] = lf__twofold_sum(e[2], lf__twofold_of(along->curvature));
    error[2] += error[2] == 0 ? 0 : EQUATION_TWOFOLD * fabs(along->curvature);
}

// ---------------------------------------------------------------------------------------------------
// Quadratic equations
// ---------------------------------------------------------------------------------------------------

// The equation of a bilinear patch along a line that is parallel to neither axis is quadratic, and so are
// those of curved lines. Its roots are irrational, but it is enough to decide how many of them lie in the
// part of the line over the patch, whose ends are quotients. Signs and slopes at these ends and the
// discriminant decide that.

int lf__along_sign_at(lf__along *along, int spot) {
    const lf__rough *e = along->e;
    lf__rough t = lf__spot_rough(along, spot);
    double t1 = fabs(t.value), linear = t.value * e[1].value, square = t.value * t.value * e[2].value;
    double far = t1 + t.error;
    lf__rough at = {e[0].value + linear + square,
                    5 * LF__HALF_ULP * (fabs(e[0].value) + fabs(linear) + fabs(square)) + e[0].error +
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
    lf__rough at = {e[1].value + twice, 3 * LF__HALF_ULP * (fabs(e[1].value) + fabs(twice)) + e[1].error +
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
static void patch_discriminant(lf__along *along, lf__exact *d) {
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
    lf__rough rough = {left - right, 4 * LF__HALF_ULP * (left + fabs(right)) + 3 * size1 * e[1].error +
                                         4 * size0 * e[2].error + 4 * fabs(e[2].value) * e[0].error +
                                         0x1p-1000};
    int sign = lf__rough_sign(rough);
    if (sign != 2)
        return sign;
    ++*along->count;
    lf__exact exact;
    patch_discriminant(along, &exact);
    return lf__exact_sign(&exact);
}

// ---------------------------------------------------------------------------------------------------
// The value of a root
// ---------------------------------------------------------------------------------------------------

/// Coefficients and square root of the discriminant, each within a unit in the last place.
typedef struct patch_quadratic {
    double e0, e1, e2, root;
} patch_quadratic;

static bool patch_solve_twofold(const lf__along *along, patch_quadratic *q) {
    lf__twofold e[3];
    double error[3];
    lf__along_twofold(along, e, error);
    for (int k = 0; k < 3; k++)
        if (!(error[k] <= 0.25 * LF__HALF_ULP * fabs(e[k].high)))
            return false;
    lf__twofold four = lf__twofold_product(lf__twofold_of(4), lf__twofold_product(e[0], e[2]));
    lf__twofold d = lf__twofold_minus(lf__twofold_product(e[1], e[1]), four);
    double size = e[1].high * e[1].high + fabs(four.high);
    double off = 0x1p-98 * size + 3 * fabs(e[1].high) * error[1] +
                 5 * (fabs(e[0].high) * error[2] + fabs(e[2].high) * error[0]);
    if (!(off <= 0.25 * LF__HALF_ULP * d.high))
        return false;
    *q = (patch_quadratic){e[0].high, e[1].high, e[2].high, sqrt(d.high)};
    return true;
}

static void patch_solve_exactly(lf__along *along, patch_quadratic *q) {
    lf__exact d;
    const lf__exact *e = lf__along_exact(along);
    ++*along->count;
    patch_discriminant(along, &d);
    double value = lf__exact_estimate(&d);
    *q = (patch_quadratic){lf__exact_estimate(&e[0]), lf__exact_estimate(&e[1]), lf__exact_estimate(&e[2]),
                           value > 0 ? sqrt(value) : 0};
}

/// Uses the formula without cancellation.
double lf__along_quadratic_root(lf__along *along, bool high) {
    patch_quadratic q;
    if (!patch_solve_twofold(along, &q))
        patch_solve_exactly(along, &q);
    double sum = -0.5 * (q.e1 < 0 ? q.e1 - q.root : q.e1 + q.root);
    double one = sum / q.e2, other = sum != 0 ? q.e0 / sum : one;
    double t = high == (one > other) ? one : other;
    const lf_ray *line = along->line;
    return (t < line->t_min ? line->t_min : t > line->t_max ? line->t_max : t) + 0.0;
}

// ---------------------------------------------------------------------------------------------------
// Which roots are over the patch
// ---------------------------------------------------------------------------------------------------

static void patch_add_spot(lf__along *along, lf__grid_meeting *meetings, int *count, int spot) {
    bool irrational = spot == LF__SPOT_LOW_ROOT || spot == LF__SPOT_HIGH_ROOT;
    double t = irrational                    ? lf__along_quadratic_root(along, spot == LF__SPOT_HIGH_ROOT)
               : spot == LF__SPOT_TWICE_ROOT ? lf__along_quadratic_root(along, true)
                                             : lf__spot_value(along, spot);
    meetings[*count] = (lf__grid_meeting){t, spot, *count, false};
    ++*count;
}

/// Where the surface is on the same side of the line at both ends there are two roots between them or none.
static void patch_add_between(lf__along *along, const int ends[2], int side, lf__grid_meeting *meetings,
                              int *count) {
    if (lf__along_sign(along, 2) != side || lf__along_slope_at(along, ends[0]) * side >= 0 ||
        lf__along_slope_at(along, ends[1]) * side <= 0)
        return;
    int roots = lf__along_discriminant(along);
    if (roots == 0)
        patch_add_spot(along, meetings, count, LF__SPOT_TWICE_ROOT);
    if (roots > 0) {
        patch_add_spot(along, meetings, count, LF__SPOT_LOW_ROOT);
        patch_add_spot(along, meetings, count, LF__SPOT_HIGH_ROOT);
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
        patch_add_spot(along, meetings, &count, ends[0]);
    if (one_spot)
        return count;
    if (first == 0 && last != 0) {
        // The equation leaves 0 to one side: is it on the other side at the end?
        if (lf__along_slope_at(along, ends[0]) * last < 0)
            patch_add_spot(along, meetings, &count, LF__SPOT_HIGH_ROOT);
    } else if (first != 0 && last == 0) {
        if (lf__along_slope_at(along, ends[1]) * first > 0)
            patch_add_spot(along, meetings, &count, LF__SPOT_LOW_ROOT);
    } else if (first * last < 0) {
        patch_add_spot(along, meetings, &count,
                       first == lf__along_sign(along, 2) ? LF__SPOT_LOW_ROOT : LF__SPOT_HIGH_ROOT);
    } else if (first * last > 0) {
        patch_add_between(along, ends, first, meetings, &count);
    }
    if (last == 0)
        patch_add_spot(along, meetings, &count, ends[1]);
    return count;
}

int lf__patch_order(lf__along *a, lf__along *b) {
    // Roots lie between the ends of their patches, and the line passes one patch after the other.
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
