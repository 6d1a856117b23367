/// Signs that are right: first in doubles with a bound of the rounding error, and where that leaves a doubt,
/// once more by exact arithmetic.
///
/// The bounds. Let u = 2^-53. Each product of the determinant passes through k roundings at most (its
/// differences, its multiplications, the additions after it), so the computed value is off by no more than
/// ((1 + u)^k - 1) times the sum P of the products' magnitudes. P itself is computed with no more roundings
/// than the value, so (k + 1) u times the computed P covers the error, second order terms included, for
/// every k here.
#include "geom/expansion.h"
#include <math.h>

#define UNIT 0x1p-53

static int sign_of(double value) {
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
        return sign_of(area);
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
        return sign_of(volume);
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
        return sign_of(side);
    return orient_line_exact(origin, direction, a, b);
}
