/// How much ground is lowered for the curvature of the earth, as polynomials.
///
/// A line of sight of length D to a target lies lower than straight by c * D^2 * t * (1 - t). Seen from the observer that is the same as
/// ground that is lowered by c * D^2 * t^2 under a straight line. On a plane D^2 is a quadratic form of the columns and rows between the two
/// ends. On degrees it is the square of a geodesic, which a power series around the observer gives (lf__square_series). What the series
/// leaves out is bounded, as a share of D^2, and added to the bounds of whoever uses it.
#ifndef LF_SIGHT_LOWERING_H
#define LF_SIGHT_LOWERING_H

#include <landfall/geom.h>
#include <math.h>
#include <stdbool.h>

/// The degree to which series are used, and the degree to which they are computed, to know what is left out.
#define LF__SERIES_USED 6
#define LF__SERIES 8

/// Coefficients by the powers of x and y, in units of the world: square metres are the sum of at[p][q] * x^p * y^q.
typedef struct lf__square_series {
    double at[LF__SERIES + 1][LF__SERIES + 1];
} lf__square_series;

/// Squares of geodesic distances from a latitude to places so many degrees of longitude (x) and latitude (y) away.
void lf__square_series_degrees(const lf_ellipsoid *ellipsoid, double lat_deg, lf__square_series *series);

/// The share of a square by which the terms used may be off, for places no farther than this. More than 1: nothing is known.
double lf__square_series_off(const lf__square_series *series, double x, double y);

/// The square of the distance to a place, by the terms that are used.
static inline double lf__square_series_at(const lf__square_series *s, double x, double y) {
    double sum = 0, square = x * x;
    for (int p = LF__SERIES_USED; p >= 0; p -= 2) {
        double part = 0;
        for (int q = LF__SERIES_USED - p; q >= 0; q--)
            part = part * y + s->at[p][q];
        sum = sum * square + part;
    }
    return sum;
}

/// Lowering in a sector: the sum of at[i][j] * a^i * b^j, where a and b are counted from the observer.
typedef struct lf__lowering {
    int degree;
    double at[LF__SERIES_USED + 1][LF__SERIES_USED + 1];
} lf__lowering;

/// Steps of the world for a and b, and the factor c.
void lf__lowering_start(lf__lowering *l, const lf__square_series *series, const double x[2],
                        const double y[2], double factor);

/// Lowering / a on a ring, as a polynomial of b.
static inline void lf__lowering_ring(const lf__lowering *l, double a, double c[LF__SERIES_USED + 1]) {
    for (int j = 0; j <= l->degree; j++) {
        double sum = 0;
        for (int i = l->degree - j; i > 0; i--)
            sum = sum * a + l->at[i][j];
        c[j] = j == 0 ? sum : sum + l->at[0][j] / a;
    }
}

/// Lowering at a place.
static inline double lf__lowering_at(const lf__lowering *l, double a, double b) {
    double sum = 0;
    for (int j = l->degree; j >= 0; j--) {
        double part = 0;
        for (int i = l->degree - j; i >= 0; i--)
            part = part * a + l->at[i][j];
        sum = sum * b + part;
    }
    return sum;
}

/// From `least` to `most`.
typedef struct lf__limits {
    double least, most;
} lf__limits;

/// Directions v = b / a and distances a.
typedef struct lf__fan {
    double v[2], a[2];
} lf__fan;

/// What lowering / a^2 is anywhere in a fan, and how much it changes with a.
lf__limits lf__lowering_limits(const lf__lowering *l, const lf__fan *fan);
lf__limits lf__lowering_changes(const lf__lowering *l, const lf__fan *fan);

#endif
