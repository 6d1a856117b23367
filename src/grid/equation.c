/// The coefficients of pieces and limits along a line: roughly, to twice a double's digits, and exactly.
#include "grid/piece.h"

/// Half a unit in the last place.
#define UNIT 0x1p-53

/// Covers what products lose below the smallest doubles.
#define TINY 0x1p-1000

/// A twofold sum of products is off by less than this share of the sum of their magnitudes.
#define TWOFOLD 0x1p-97

// ---------------------------------------------------------------------------------------------------
// Roughly
// ---------------------------------------------------------------------------------------------------

/// A difference of two doubles is off by half a unit in its own last place, and right when it is 0.
static lf__rough rough_difference(double a, double b) {
    double value = a - b;
    return (lf__rough){value, UNIT * fabs(value)};
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
    // Each product passes through at most six roundings on its way into the sum.
    e[0] =
        (lf__rough){o.z - p->h[0] - x - y, 7 * UNIT * (fabs(o.z) + fabs(p->h[0]) + fabs(x) + fabs(y)) + TINY};
    e[1] = (lf__rough){d.z - dx - dy, 5 * UNIT * (fabs(d.z) + fabs(dx) + fabs(dy)) + TINY};
}

static void patch_roughly(const lf__piece *p, const lf_ray *line, lf__rough e[3]) {
    lf_vec3 o = line->origin, d = line->direction;
    const double *h = p->h;
    double rest[3], low_edge = lf__two_sum(h[0], -h[1], &rest[0]),
                    high_edge = lf__two_sum(h[3], -h[2], &rest[1]);
    double a = h[1] - h[0], b = h[2] - h[0], c = lf__two_sum(low_edge, high_edge, &rest[2]);
    bool sure = rest[0] == 0 && rest[1] == 0 && rest[2] == 0;
    double c_size = fabs(low_edge) + fabs(high_edge); // c may be much smaller than what it is made of
    double u = o.x - p->at.x, v = o.y - p->at.y;
    double size0 = fabs(o.z) + fabs(h[0]) + fabs(a * u) + fabs(b * v) + c_size * fabs(u * v);
    double size1 = fabs(d.z) + fabs(a * d.x) + fabs(b * d.y) + c_size * (fabs(u * d.y) + fabs(v * d.x));
    e[0] = (lf__rough){o.z - h[0] - a * u - b * v - c * (u * v), 12 * UNIT * size0 + TINY};
    e[1] = (lf__rough){d.z - a * d.x - b * d.y - c * (u * d.y + v * d.x), 12 * UNIT * size1 + TINY};
    bool none = (c == 0 && sure) || d.x == 0 || d.y == 0;
    e[2] = (lf__rough){none ? 0 : -c * (d.x * d.y),
                       none ? 0 : 6 * UNIT * (sure ? fabs(c) : c_size) * fabs(d.x * d.y) + TINY};
}

void lf__along_start(lf__along *along, const lf__piece *piece, const lf_ray *line, uint64_t *count) {
    along->piece = piece;
    along->line = line;
    along->bend = 0;
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
    return (lf__rough){sum, a.error + (a.value == 0 ? 0 : UNIT * fabs(sum))};
}

void lf__along_bend(lf__along *along, double bend) {
    along->bend = bend;
    along->e[2] = rough_plus(along->e[2], bend);
}

// ---------------------------------------------------------------------------------------------------
// Exactly
// ---------------------------------------------------------------------------------------------------

/// sum -= a * b
static void take_away(lf__exact *sum, const lf__exact *a, const lf__exact *b) {
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
    take_away(&e[0], &gx, &u);
    take_away(&e[0], &gy, &v);
    lf__exact_of(line->direction.z, &e[1]);
    lf__exact_of(line->direction.x, &d);
    take_away(&e[1], &gx, &d);
    lf__exact_of(line->direction.y, &d);
    take_away(&e[1], &gy, &d);
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
    take_away(&e[0], &a, &u);
    take_away(&e[0], &b, &v);
    lf__exact_product(&u, &v, &product);
    take_away(&e[0], &c, &product);
    lf__exact_of(line->direction.z, &e[1]);
    take_away(&e[1], &a, &dx);
    take_away(&e[1], &b, &dy);
    lf__exact_product(&u, &dy, &product);
    lf__exact_product(&v, &dx, &more);
    lf__exact_sum(&product, &more, &product);
    take_away(&e[1], &c, &product);
    e[2].count = 0;
    lf__exact_product(&dx, &dy, &product);
    take_away(&e[2], &c, &product);
}

static void add_to(lf__exact *sum, double more) {
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
    add_to(&e[2], along->bend);
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
// To twice a double's digits
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
    error[0] = TWOFOLD * (fabs(o.z) + fabs(p->h[0]) + fabs(x.high) + fabs(y.high)) + TINY;
    error[1] = TWOFOLD * (fabs(d.z) + fabs(dx.high) + fabs(dy.high)) + TINY;
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
        TWOFOLD * (fabs(o.z) + fabs(h[0]) + fabs(au.high) + fabs(bv.high) + c_size * fabs(uv.high)) + TINY;
    error[1] =
        TWOFOLD * (fabs(d.z) + fabs(adx.high) + fabs(bdy.high) + c_size * (fabs(udy.high) + fabs(vdx.high))) +
        TINY;
    error[2] = TWOFOLD * c_size * fabs(d.x * d.y) + TINY;
}

void lf__along_twofold(const lf__along *along, lf__twofold e[3], double error[3]) {
    if (along->piece->kind == LF__PIECE_PATCH)
        patch_twofold(along->piece, along->line, e, error);
    else
        plane_twofold(along->piece, along->line, e, error);
    e[2] = lf__twofold_sum(e[2], lf__twofold_of(along->bend));
    error[2] += error[2] == 0 ? 0 : TWOFOLD * fabs(along->bend);
}
