/// Lowering of ground as polynomials: the series of the square of a geodesic, and bounds of polynomials.
#include "geom/geometry.h"
#include "sight/viewshed.h"
#include <string.h>

#define LOWERING_TERMS LF__SERIES

// ---------------------------------------------------------------------------------------------------
// The square of a geodesic
// ---------------------------------------------------------------------------------------------------

/// A power series of one variable.
typedef struct lowering_series {
    double at[LOWERING_TERMS + 1];
} lowering_series;

static lowering_series lowering_product(const lowering_series *x, const lowering_series *y) {
    lowering_series z = {{0}};
    for (int i = 0; i <= LOWERING_TERMS; i++)
        for (int j = 0; i + j <= LOWERING_TERMS; j++)
            z.at[i + j] += x->at[i] * y->at[j];
    return z;
}

static lowering_series lowering_quotient(const lowering_series *x, const lowering_series *y) {
    lowering_series z;
    for (int k = 0; k <= LOWERING_TERMS; k++) {
        double rest = x->at[k];
        for (int i = 0; i < k; i++)
            rest -= z.at[i] * y->at[k - i];
        z.at[k] = rest / y->at[0];
    }
    return z;
}

/// Reciprocals of the squares of the lengths of a radian of longitude and latitude, by latitude, on an
/// ellipsoid of radius 1.
static void inverse_metric(const lf_ellipsoid *e, double lat_deg, lowering_series *x, lowering_series *y) {
    lf__sincos lat = lf__sincos_deg(lat_deg);
    double square = e->flattening * (2 - e->flattening), factorial = 1;
    const double turn[4] = {lat.sin, lat.cos, -lat.sin, -lat.cos};
    lowering_series sine, cosine;
    for (int k = 0; k <= LOWERING_TERMS; k++) {
        factorial *= k > 0 ? k : 1;
        sine.at[k] = turn[k & 3] / factorial;
        cosine.at[k] = turn[(k + 1) & 3] / factorial;
    }
    lowering_series w = lowering_product(&sine, &sine), c = lowering_product(&cosine, &cosine);
    for (int k = 0; k <= LOWERING_TERMS; k++)
        w.at[k] = (k == 0) - square * w.at[k];
    *x = lowering_quotient(&w, &c);
    lowering_series w2 = lowering_product(&w, &w);
    *y = lowering_product(&w2, &w);
    for (int k = 0; k <= LOWERING_TERMS; k++)
        y->at[k] /= (1 - square) * (1 - square);
}

/// The contribution of products of two terms of W, each by its derivative, to x^p y^q; terms of degree p + q
/// itself are still 0.
static double lowering_squares_of(double w[LOWERING_TERMS + 1][LOWERING_TERMS + 1],
                                  const lowering_series *inverse, int p, int q, bool by_x) {
    double sum = 0;
    for (int k = 0; k <= q; k++) {
        double part = 0;
        int rows = by_x ? p + 2 : p, columns = by_x ? q - k : q - k + 2;
        for (int i = 0; i <= rows && rows <= LOWERING_TERMS && columns <= LOWERING_TERMS; i += 2)
            for (int j = 0; j <= columns; j++)
                part += (by_x ? (double)(i * (rows - i)) : (double)(j * (columns - j))) * w[i][j] *
                        w[rows - i][columns - j];
        sum += inverse->at[k] * part;
    }
    return sum;
}

/// The square W of the distance solves W_x^2 / E + W_y^2 / G = 4 W, where E and G are the squares of the
/// lengths of a radian. For degree n this is 4 n W_n + (contribution of lower degrees) = 4 W_n: one degree
/// after the other.
void lf__square_series_degrees(const lf_ellipsoid *ellipsoid, double lat_deg, lf__square_series *out) {
    lowering_series x, y;
    double(*w)[LOWERING_TERMS + 1] = out->at;
    inverse_metric(ellipsoid, lat_deg, &x, &y);
    memset(out, 0, sizeof *out);
    w[2][0] = 1 / x.at[0];
    w[0][2] = 1 / y.at[0];
    for (int n = 3; n <= LOWERING_TERMS; n++) {
        double next[LOWERING_TERMS + 1] = {0};
        for (int p = 0; p <= n; p += 2)
            next[p] =
                -(lowering_squares_of(w, &x, p, n - p, true) + lowering_squares_of(w, &y, p, n - p, false)) /
                (4 * (n - 1));
        for (int p = 0; p <= n; p += 2)
            w[p][n - p] = next[p];
    }
    double scale = ellipsoid->radius * ellipsoid->radius;
    for (int n = 1; n <= LOWERING_TERMS; n++) {
        scale *= LF__DEGREE;
        for (int p = 0; p <= n; p++)
            w[p][n - p] *= scale;
    }
}

/// All terms of a degree, relative to the terms of degree 2.
static double lowering_share_of(const lf__square_series *s, int n, double x, double y) {
    double powers_x[LOWERING_TERMS + 1] = {1}, powers_y[LOWERING_TERMS + 1] = {1};
    for (int k = 1; k <= LOWERING_TERMS; k++) {
        powers_x[k] = powers_x[k - 1] * x;
        powers_y[k] = powers_y[k - 1] * y;
    }
    double sum = fabs(s->at[0][n]) * powers_y[n - 2] / s->at[0][2];
    for (int p = 2; p <= n; p++)
        sum += fabs(s->at[p][n - p]) * powers_x[p - 2] * powers_y[n - p] / s->at[2][0];
    return sum;
}

double lf__square_series_off(const lf__square_series *series, double x, double y) {
    double last = lowering_share_of(series, LOWERING_TERMS - 2, x, y),
           next = lowering_share_of(series, LOWERING_TERMS - 1, x, y),
           after = lowering_share_of(series, LOWERING_TERMS, x, y);
    // Where the terms do not decrease quickly, nothing is known of those that were not computed.
    if (!(next + after <= 0.5 * last + 1e-9) || !(after < 0.1))
        return 2;
    return 2 * next + 4 * after + 1e-13;
}

// ---------------------------------------------------------------------------------------------------
// In a sector
// ---------------------------------------------------------------------------------------------------

/// Multiply a form of a and b of degree n by (from * a + to * b): by[j] is the factor of a^(n - j) b^j.
static void lowering_multiply(double *by, int n, double from, double to) {
    by[n + 1] = by[n] * to;
    for (int j = n; j > 0; j--)
        by[j] = by[j] * from + by[j - 1] * to;
    by[0] *= from;
}

void lf__lowering_start(lf__lowering *l, const lf__square_series *series, const double x[2],
                        const double y[2], double factor) {
    memset(l, 0, sizeof *l);
    l->degree = 2;
    for (int p = 0; p <= LF__SERIES_USED; p++)
        for (int q = 0; p + q <= LF__SERIES_USED; q++) {
            if (series->at[p][q] == 0)
                continue;
            double by[LF__SERIES_USED + 2] = {factor * series->at[p][q]};
            for (int k = 0; k < p + q; k++)
                lowering_multiply(by, k, k < p ? x[0] : y[0], k < p ? x[1] : y[1]);
            for (int j = 0; j <= p + q; j++)
                l->at[p + q - j][j] += by[j];
            l->degree = p + q > l->degree ? p + q : l->degree;
        }
}

void lf__lowering_turn(lf__lowering *to, const lf__lowering *from) {
    *to = *from;
    for (int i = 0; i <= LF__SERIES_USED; i++)
        for (int j = i % 2 == 0; j <= LF__SERIES_USED; j += 2)
            to->at[i][j] = -from->at[i][j];
}

/// The sum of at[i][j] * factor * a^(i + j - less) * v^j, with a factor for the derivative by a.
static double value_at(const lf__lowering *l, double v, double a, bool change) {
    double sum = 0;
    for (int n = l->degree; n >= 2; n--) {
        double form = 0;
        for (int j = n; j >= 0; j--)
            form = form * v + l->at[n - j][j];
        if (change && n == 2)
            return sum;
        sum = change ? sum * a + (n - 2) * form : sum * a + form;
    }
    return sum;
}

/// Bounds from the four corners, and from how far a function can be off the bilinear surface through them: an
/// eighth of its second derivatives times the squares of the sides.
static lf__limits limits_of(const lf__lowering *l, const lf__fan *fan, bool change) {
    lf__limits limits = {INFINITY, -INFINITY};
    for (int k = 0; k < 4; k++) {
        double value = value_at(l, fan->v[k & 1], fan->a[k >> 1], change);
        limits.least = fmin(limits.least, value);
        limits.most = fmax(limits.most, value);
    }
    double by_v = 0, by_a = 0, dv = fan->v[1] - fan->v[0], da = fan->a[1] - fan->a[0];
    double far = fan->a[1], powers[LF__SERIES_USED + 1] = {1};
    for (int k = 1; k <= LF__SERIES_USED; k++)
        powers[k] = powers[k - 1] * far;
    for (int n = change ? 3 : 2; n <= l->degree; n++) {
        int power = change ? n - 3 : n - 2;
        double scale = change ? n - 2 : 1,
               curvature = power > 1 ? power * (power - 1) * powers[power - 2] : 0;
        for (int j = 0; j <= n; j++) {
            by_v += scale * fabs(l->at[n - j][j]) * j * (j - 1) * powers[power];
            by_a += scale * fabs(l->at[n - j][j]) * curvature;
        }
    }
    double off = 0.125 * (by_v * dv * dv + by_a * da * da);
    return (lf__limits){limits.least - off, limits.most + off};
}

lf__limits lf__lowering_limits(const lf__lowering *l, const lf__fan *fan) {
    return limits_of(l, fan, false);
}

lf__limits lf__lowering_changes(const lf__lowering *l, const lf__fan *fan) {
    return l->degree == 2 ? (lf__limits){0, 0} : limits_of(l, fan, true);
}
