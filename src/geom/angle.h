/// Angles in degrees without losing the round ones: the sine of 180 degrees is 0, the cosine of 60 is near
/// 1/2 to the last bit.
#ifndef LF_GEOM_ANGLE_H
#define LF_GEOM_ANGLE_H

#include <math.h>

#define LF__PI 3.14159265358979323846
#define LF__DEGREE (LF__PI / 180)

/// Sine and cosine, usually (but not always) of one angle.
typedef struct lf__sincos {
    double sin, cos;
} lf__sincos;

/// Sine and cosine of an angle in degrees: reduced exactly to [-45, 45] first.
static inline lf__sincos lf__sincos_deg(double degrees) {
    int quarter;
    double rest = remquo(degrees, 90, &quarter) * LF__DEGREE; // exact up to the multiplication
    double s = sin(rest), c = cos(rest);
    switch (quarter & 3) {
    case 0:
        return (lf__sincos){s, c};
    case 1:
        return (lf__sincos){c, 0 - s};
    case 2:
        return (lf__sincos){0 - s, 0 - c};
    default:
        return (lf__sincos){0 - c, s};
    }
}

/// The angle of (x, y) in degrees, in [-180, 180]. Quarter turns are added in degrees, where they are exact.
static inline double lf__atan2_deg(double y, double x) {
    int quarter = 0;
    if (fabs(y) > fabs(x)) {
        quarter = y > 0 ? 1 : -1;
        double swap = y;
        y = quarter > 0 ? 0 - x : x;
        x = quarter > 0 ? swap : 0 - swap;
    } else if (x < 0) {
        quarter = y < 0 ? -2 : 2;
        x = 0 - x;
        y = 0 - y;
    }
    return quarter * 90 + atan2(y, x) / LF__DEGREE;
}

#endif
