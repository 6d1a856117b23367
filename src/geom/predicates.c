/// Exact arithmetic on floating-point expansions, and orientation predicates whose signs are exact.
#include "geom/expansion.h"
#include <math.h>

// ---------------------------------------------------------------------------------------------------
// Expansions
// ---------------------------------------------------------------------------------------------------

/// Space for the terms of a sum, or of one row of a product, before they are packed.
#define LOOSE_TERMS (3 * LF__EXACT_TERMS)

/// Pack loose terms (growing magnitude, no two overlapping bits, zeros anywhere) into few: from the largest
/// down, each term absorbs what fits into its 53 bits. The rest is at most half a unit in the last place
/// of that term, and what comes next (below the rest's last bit) can at most double it when it was a tie;
/// hence exponents fall by 52 and LF__EXACT_TERMS are enough. Ties round to even, so that a doubled rest
/// still shares no bit with the term above. Only overflow (infinities make NaN rests without end) could need
/// more terms; those are dropped.
static void pack(const double *loose, int count, lf__exact *packed) {
    double falling[LF__EXACT_TERMS];
    int kept = 0;
    double top = count > 0 ? loose[count - 1] : 0;
    for (int i = count - 2; i >= 0; i--) {
        double rest, sum = lf__two_sum_ordered(top, loose[i], &rest);
        top = sum;
        if (rest != 0 && kept < LF__EXACT_TERMS - 1) {
            falling[kept++] = sum;
            top = rest;
        }
    }
    if (top != 0)
        falling[kept++] = top;
    packed->count = kept;
    for (int i = 0; i < kept; i++)
        packed->term[i] = falling[kept - 1 - i];
}

/// Both lists as one, by growing magnitude.
static void predicate_merge(const double *a, int a_count, const double *b, int b_count, double *merged) {
    int i = 0, j = 0, k = 0;
    while (i < a_count && j < b_count)
        merged[k++] = fabs(a[i]) <= fabs(b[j]) ? a[i++] : b[j++];
    while (i < a_count)
        merged[k++] = a[i++];
    while (j < b_count)
        merged[k++] = b[j++];
}

/// The sum of two lists without overlapping bits, as a third one (Shewchuk's linear expansion sum, which requires
/// no more than that of its input). a_count + b_count terms at most LOOSE_TERMS.
static int sum_loose(const double *a, int a_count, const double *b, int b_count, double *sum) {
    double merged[LOOSE_TERMS];
    int count = a_count + b_count;
    predicate_merge(a, a_count, b, b_count, merged);
    if (count < 2) {
        if (count == 1)
            sum[0] = merged[0];
        return count;
    }
    double low, high = lf__two_sum_ordered(merged[1], merged[0], &low);
    for (int i = 2; i < count; i++) {
        double middle = lf__two_sum_ordered(merged[i], low, &sum[i - 2]);
        high = lf__two_sum(high, middle, &low);
    }
    sum[count - 2] = low;
    sum[count - 1] = high;
    return count;
}

/// The terms times a factor: 2 * count terms without overlapping bits.
static int scale_loose(const lf__exact *x, double factor, double *scaled) {
    if (x->count == 0 || factor == 0)
        return 0;
    double carry = lf__two_product(x->term[0], factor, &scaled[0]);
    for (int i = 1; i < x->count; i++) {
        double low, high = lf__two_product(x->term[i], factor, &low);
        double middle = lf__two_sum(carry, low, &scaled[2 * i - 1]);
        carry = lf__two_sum_ordered(high, middle, &scaled[2 * i]);
    }
    scaled[2 * x->count - 1] = carry;
    return 2 * x->count;
}

/// Remove zeros: the sum needs terms ordered by magnitude, and zeros in between would break that order.
static int without_zeros(double *terms, int count) {
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (terms[i] != 0)
            terms[kept++] = terms[i];
    return kept;
}

void lf__exact_sum(const lf__exact *x, const lf__exact *y, lf__exact *sum) {
    double loose[LOOSE_TERMS];
    int count = sum_loose(x->term, x->count, y->term, y->count, loose);
    pack(loose, count, sum);
}

void lf__exact_minus(const lf__exact *x, const lf__exact *y, lf__exact *difference) {
    double negated[LF__EXACT_TERMS], loose[LOOSE_TERMS];
    for (int i = 0; i < y->count; i++)
        negated[i] = -y->term[i];
    int count = sum_loose(x->term, x->count, negated, y->count, loose);
    pack(loose, count, difference);
}

void lf__exact_scaled(const lf__exact *x, double factor, lf__exact *scaled) {
    double loose[LOOSE_TERMS];
    int count = scale_loose(x, factor, loose);
    pack(loose, count, scaled);
}

void lf__exact_product(const lf__exact *x, const lf__exact *y, lf__exact *product) {
    const lf__exact *wide = x->count >= y->count ? x : y, *narrow = wide == x ? y : x;
    double line[2 * LF__EXACT_TERMS], loose[LOOSE_TERMS];
    lf__exact total; // not the product itself: that may be one of the factors
    total.count = 0;
    for (int i = 0; i < narrow->count; i++) {
        int line_count = without_zeros(line, scale_loose(wide, narrow->term[i], line));
        int count = sum_loose(total.term, total.count, line, line_count, loose);
        pack(loose, count, &total);
    }
    product->count = total.count;
    for (int i = 0; i < total.count; i++)
        product->term[i] = total.term[i];
}

double lf__ratio_value(const lf__ratio *r) {
    return lf__exact_estimate(&r->numerator) / lf__exact_estimate(&r->denominator);
}

/// The exponent of a number that is not 0.
static int exponent_of(const lf__exact *x) {
    int exponent;
    frexp(x->term[x->count - 1], &exponent);
    return exponent;
}

/// x * 2^exponent, with no intermediate overflow.
static void scale_by(const lf__exact *x, int exponent, lf__exact *scaled) {
    scaled->count = x->count;
    for (int i = 0; i < x->count; i++)
        scaled->term[i] = ldexp(x->term[i], exponent);
}

/// Factors are scaled to about 2^500, so that a product of two neither overflows nor loses its last bits. The
/// scales cancel out.
int lf__ratio_order(const lf__ratio *a, const lf__ratio *b) {
    int sign_a = lf__exact_sign(&a->numerator) * lf__exact_sign(&a->denominator);
    int sign_b = lf__exact_sign(&b->numerator) * lf__exact_sign(&b->denominator);
    if (sign_a != sign_b || sign_a == 0)
        return (sign_a > sign_b) - (sign_a < sign_b);
    int up_a = 500 - exponent_of(&a->numerator), down_b = 500 - exponent_of(&b->denominator);
    int up_b = 500 - exponent_of(&b->numerator), down_a = 500 - exponent_of(&a->denominator);
    int larger = up_b + down_a - up_a - down_b; // a is about 2^larger times b
    if (larger > 3 || larger < -3)
        return larger > 0 ? sign_a : -sign_a;
    down_a -= larger;
    lf__exact left, right, factor;
    scale_by(&a->numerator, up_a, &left);
    scale_by(&b->denominator, down_b, &factor);
    lf__exact_product(&left, &factor, &left);
    scale_by(&b->numerator, up_b, &right);
    scale_by(&a->denominator, down_a, &factor);
    lf__exact_product(&right, &factor, &right);
    lf__exact_minus(&left, &right, &left);
    return lf__exact_sign(&left) * lf__exact_sign(&a->denominator) * lf__exact_sign(&b->denominator);
}

int lf__ratio_against(const lf__ratio *r, double t) {
    if (isinf(t))
        return t > 0 ? -1 : 1;
    lf__exact difference;
    lf__exact_scaled(&r->denominator, t, &difference);
    lf__exact_minus(&r->numerator, &difference, &difference);
    return lf__exact_sign(&difference) * lf__exact_sign(&r->denominator);
}

void lf__exact3_of(lf_vec3 a, lf__exact3 *exact) {
    lf__exact_of(a.x, &exact->x);
    lf__exact_of(a.y, &exact->y);
    lf__exact_of(a.z, &exact->z);
}

void lf__exact3_difference(lf_vec3 a, lf_vec3 b, lf__exact3 *difference) {
    lf__exact_difference(a.x, b.x, &difference->x);
    lf__exact_difference(a.y, b.y, &difference->y);
    lf__exact_difference(a.z, b.z, &difference->z);
}

/// a * d - b * c
static void minor(const lf__exact *a, const lf__exact *b, const lf__exact *c, const lf__exact *d,
                  lf__exact *result) {
    lf__exact falling, rising;
    lf__exact_product(a, d, &falling);
    lf__exact_product(b, c, &rising);
    lf__exact_minus(&falling, &rising, result);
}

void lf__exact3_cross(const lf__exact3 *a, const lf__exact3 *b, lf__exact3 *product) {
    minor(&a->y, &a->z, &b->y, &b->z, &product->x);
    minor(&a->z, &a->x, &b->z, &b->x, &product->y);
    minor(&a->x, &a->y, &b->x, &b->y, &product->z);
}

void lf__exact3_dot(const lf__exact3 *a, const lf__exact3 *b, lf__exact *product) {
    lf__exact x, y, z;
    lf__exact_product(&a->x, &b->x, &x);
    lf__exact_product(&a->y, &b->y, &y);
    lf__exact_product(&a->z, &b->z, &z);
    lf__exact_sum(&x, &y, product);
    lf__exact_sum(product, &z, product);
}

void lf__exact3_dot_vec(const lf__exact3 *a, lf_vec3 b, lf__exact *product) {
    lf__exact x, y, z;
    lf__exact_scaled(&a->x, b.x, &x);
    lf__exact_scaled(&a->y, b.y, &y);
    lf__exact_scaled(&a->z, b.z, &z);
    lf__exact_sum(&x, &y, product);
    lf__exact_sum(product, &z, product);
}

// ---------------------------------------------------------------------------------------------------
// Orientation predicates
// ---------------------------------------------------------------------------------------------------

// The bounds. Let u = 2^-53. Each product of the determinant passes through k roundings at most (its
// differences, its multiplications, the additions after it), so the computed value is off by no more than
// ((1 + u)^k - 1) times the sum P of the products' magnitudes. P itself is computed with no more roundings
// than the value, so (k + 1) u times the computed P covers the error, second order terms included, for
// every k here.

#define UNIT 0x1p-53

static int predicate_sign_of(double value) {
    return (value > 0) - (value < 0);
}

static int orient2d_exact(lf_vec2 a, lf_vec2 b, lf_vec2 c) {
    lf__exact acx, acy, bcx, bcy, left, right, area;
    lf__exact_difference(a.x, c.x, &acx);
    lf__exact_difference(a.y, c.y, &acy);
    lf__exact_difference(b.x, c.x, &bcx);
    lf__exact_difference(b.y, c.y, &bcy);
    lf__exact_product(&acx, &bcy, &left);
    lf__exact_product(&acy, &bcx, &right);
    lf__exact_minus(&left, &right, &area);
    return lf__exact_sign(&area);
}

int lf_orient2d(lf_vec2 a, lf_vec2 b, lf_vec2 c) {
    double left = (a.x - c.x) * (b.y - c.y);
    double right = (a.y - c.y) * (b.x - c.x);
    double area = left - right;
    double bound = 5 * UNIT * (fabs(left) + fabs(right)); // 2 differences, product, subtraction
    if (fabs(area) > bound)
        return predicate_sign_of(area);
    return orient2d_exact(a, b, c);
}

/// w . (u x v) and the bound of its error, when the entries themselves are off by one rounding at most:
/// 3 entries, 2 products, 1 subtraction, 2 additions.
static double triple_product(lf_vec3 u, lf_vec3 v, lf_vec3 w, double *bound) {
    double yz = u.y * v.z, zy = u.z * v.y;
    double zx = u.z * v.x, xz = u.x * v.z;
    double xy = u.x * v.y, yx = u.y * v.x;
    *bound = 9 * UNIT *
             ((fabs(yz) + fabs(zy)) * fabs(w.x) + (fabs(zx) + fabs(xz)) * fabs(w.y) +
              (fabs(xy) + fabs(yx)) * fabs(w.z));
    return (yz - zy) * w.x + (zx - xz) * w.y + (xy - yx) * w.z;
}

static int orient3d_exact(lf_vec3 a, lf_vec3 b, lf_vec3 c, lf_vec3 d) {
    lf__exact3 ab, ac, ad, normal;
    lf__exact volume;
    lf__exact3_difference(b, a, &ab);
    lf__exact3_difference(c, a, &ac);
    lf__exact3_difference(d, a, &ad);
    lf__exact3_cross(&ab, &ac, &normal);
    lf__exact3_dot(&normal, &ad, &volume);
    return lf__exact_sign(&volume);
}

int lf_orient3d(lf_vec3 a, lf_vec3 b, lf_vec3 c, lf_vec3 d) {
    double bound;
    double volume = triple_product(lf_vec3_sub(b, a), lf_vec3_sub(c, a), lf_vec3_sub(d, a), &bound);
    if (fabs(volume) > bound)
        return predicate_sign_of(volume);
    return orient3d_exact(a, b, c, d);
}

static int orient_line_exact(lf_vec3 origin, lf_vec3 direction, lf_vec3 a, lf_vec3 b) {
    lf__exact3 oa, ob, normal;
    lf__exact side;
    lf__exact3_difference(a, origin, &oa);
    lf__exact3_difference(b, origin, &ob);
    lf__exact3_cross(&oa, &ob, &normal);
    lf__exact3_dot_vec(&normal, direction, &side);
    return lf__exact_sign(&side);
}

int lf_orient_line(lf_vec3 origin, lf_vec3 direction, lf_vec3 a, lf_vec3 b) {
    double bound;
    double side = triple_product(lf_vec3_sub(a, origin), lf_vec3_sub(b, origin), direction, &bound);
    if (fabs(side) > bound)
        return predicate_sign_of(side);
    return orient_line_exact(origin, direction, a, b);
}

#undef UNIT
