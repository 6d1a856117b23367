// The latitude by Bowring's formula, which is a step of Newton's method from a good start, and one more such
// step. What is left after it is known: the step itself says how far off the start was, and the next error is
// about its square. Where that is too much (very flat ellipsoids, deep inside, next to the axis) the slow way
// is taken.
//
// The two angles are found by a table of arc tangents and a short series, without the cases that a library
// has to deal with.
#include "globe/place.h"
#include "geom/angle.h"

#define STEPS 64

/// Arc tangents of 0, 1/64 .. 1 in degrees.
static const double table[STEPS + 1] = {
    0.0,
    0.8951737102110744,
    1.7899106082460694,
    2.6837751594689845,
    3.576334374997351,
    4.467159061389273,
    5.35582504285519,
    6.241914347415048,
    7.125016348901798,
    8.004728857292855,
    8.880659150520245,
    9.752424941653784,
    10.619655276155134,
    11.481991354748095,
    12.339087278326195,
    13.19061071220685,
    14.036243467926479,
    14.875682001638797,
    15.708637829015744,
    16.534837857345156,
    17.35402463626132,
    18.165956529225532,
    18.970407808486545,
    19.767168676791652,
    20.556045219583467,
    21.336859291805652,
    22.109448343751673,
    22.873665190626713,
    23.629377730656817,
    24.37646861667477,
    25.114834886144564,
    25.844387554560335,
    26.56505117707799,
    27.276763383113682,
    27.979474388480146,
    28.673146489434995,
    29.357753542791276,
    30.033280435995138,
    30.699722550814414,
    31.35708522400993,
    32.005383208083494,
    32.64464013491648,
    33.274887984834926,
    33.89616656336391,
    34.5085229876684,
    35.1120111844222,
    35.706691400602885,
    36.2926297284796,
    36.86989764584402,
    37.43857157233304,
    37.99873244250467,
    38.550465296157725,
    39.0938588862295,
    39.62900530446429,
    40.155999624919325,
    40.674939565261546,
    41.18592516570965,
    41.68905848538856,
    42.18444331578877,
    42.67218491095885,
    43.15238973400541,
    43.6251652194306,
    44.09061955080086,
    44.54886145321272,
    45.0,
};

/// The angle of (x, y), 0 <= y <= x, x > 0, in degrees.
static double angle_in_octant(double y, double x) {
    int step = (int)(STEPS * (y / x) + 0.5);
    double t = (double)step * (1.0 / STEPS);
    double r = (y - t * x) / (x + t * y), s = r * r; // |r| <= 1/128
    double series = r * (1 + s * (-1.0 / 3 + s * (1.0 / 5 + s * (-1.0 / 7))));
    return table[step] + series * (1 / LF__DEGREE);
}

/// The angle of (x, y) in degrees; not both 0.
static double angle_of(double y, double x) {
    double across = fabs(x), up = fabs(y);
    double angle = up <= across ? angle_in_octant(up, across) : 90 - angle_in_octant(across, up);
    angle = x < 0 ? 180 - angle : angle;
    return y < 0 ? -angle : angle;
}

lf_geodetic lf__place_of(const lf_ellipsoid *ellipsoid, lf_vec3 position) {
    double a = ellipsoid->radius, flat = ellipsoid->flattening, b = a * (1 - flat), e2 = flat * (2 - flat);
    double x = position.x, y = position.y, z = position.z;
    double p = sqrt(x * x + y * y);
    // The reduced latitude, as if the position were on the surface.
    double u = b * p, w = a * z, scale = 1 / sqrt(u * u + w * w), c = u * scale, s = w * scale;
    // From the centre of curvature of the meridian there.
    double up = z + e2 / (1 - flat) * a * s * s * s, across = p - e2 * a * c * c * c;
    double near = 1 / sqrt(up * up + across * across);
    s = up * near;
    c = across * near;
    double squeeze = 1 - e2 * s * s, normal = a / sqrt(squeeze);
    double height = p * c + z * s - normal * squeeze; // right but for the square of what the latitude is off
    double off = (p * s - z * c - e2 * normal * s * c) * near;
    // Not a number, too: then there is nothing quick about it.
    if (!(off * off < 1e-16) || !(p > 1e-3 * a) || !(height > -0.5 * b) || flat > 0.02)
        return lf_ellipsoid_to_geodetic(ellipsoid, position);
    return (lf_geodetic){angle_of(y, x), angle_of(s - off * c, c + off * s), height};
}
