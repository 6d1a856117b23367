/// What direct and inverse geodesics share: the great ellipse of a geodesic on the auxiliary sphere and its
/// integrals.
///
/// A geodesic of the ellipsoid is a great circle of the sphere of reduced latitudes (tan beta = (1 - f) tan
/// phi) on which length and longitude are stretched. With sigma the arc from the northward crossing of the
/// equator, alpha0 the azimuth there, k^2 = e'^2 cos^2 alpha0 and w = sqrt(1 + k^2 sin^2 sigma):
///     length     s      = b * integral of w
///     longitude  lambda = omega - f sin alpha0 * integral of (2 - f) / (1 + (1 - f) w)
/// Both integrals differ little from the arc itself, and only that difference is integrated numerically.
#ifndef LF_GEOM_GEODESIC_H
#define LF_GEOM_GEODESIC_H

#include "geom/angle.h"
#include <landfall/geom.h>

/// One geodesic line.
typedef struct lf__great_arc {
    double f;
    lf__sincos alpha0;
    double k2;    ///< k^2
    double panel; ///< longest arc that one set of nodes integrates to rounding
} lf__great_arc;

/// Integrals over a part of the arc.
typedef struct lf__arc_integrals {
    double length;    ///< of w - 1
    double longitude; ///< of (2 - f) / (1 + (1 - f) w)
    double reduced;   ///< of w - 1 / w, for the reduced length
} lf__arc_integrals;

lf__great_arc lf__great_arc_of(double f, lf__sincos alpha0);
lf__arc_integrals lf__arc_integrate(const lf__great_arc *arc, double sigma, double sigma12);
double lf__arc_stretch(const lf__great_arc *arc, double sin_sigma);

/// (y, x) scaled to length 1; (0, 1) for (0, 0).
lf__sincos lf__direction(double y, double x);

/// Sine and cosine of the reduced latitude; the cosine is kept above 0, so that azimuths mean something at
/// the poles.
lf__sincos lf__reduced_latitude(double f, double lat_deg);

#endif
