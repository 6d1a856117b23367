/// Between places (longitude, latitude, height) and earth-centred positions.
#include "geom/angle.h"
#include <landfall/geom.h>

/// sqrt(x^2 + y^2), where neither is so large or so small that its square is none: several times as fast as hypot.
static inline double length(double x, double y) {
    double square = x * x + y * y;
    return square > 0x1p-900 && square < 0x1p1000 ? sqrt(square) : hypot(x, y);
}

lf_vec3 lf_ellipsoid_to_centred(const lf_ellipsoid *ellipsoid, lf_geodetic place) {
    double f = ellipsoid->flattening;
    double squeeze = (1 - f) * (1 - f); // (b / a)^2
    lf__sincos lat = lf__sincos_deg(place.lat_deg), lon = lf__sincos_deg(place.lon_deg);
    // From the surface along the normal to the axis: a^2 over the support function.
    double normal = ellipsoid->radius / sqrt(lat.cos * lat.cos + squeeze * lat.sin * lat.sin);
    double across = (normal + place.height) * lat.cos;
    return (lf_vec3){across * lon.cos, across * lon.sin, (squeeze * normal + place.height) * lat.sin};
}

/// The foot of the perpendicular from a point of the meridian plane to the ellipse, as a number s > 0, in
/// units in which the large half axis is 1. With the foot at (x, z), the point is at (x (s + k) , z s /
/// b^2) where k = 1 - b^2, so
///     g(s) = (across / (s + k))^2 + (along / s)^2 = 1,    across = x-coordinate, along = b * |z-coordinate|.
/// g falls and is convex: there is one root, and none of the terms cancels, however deep inside the point is.
static double foot_number(double across, double along, double k) {
    double size = length(across, along);
    double low = fmax(along, across - k), high = size; // one term alone is 1; both with k = 0
    double s = size > 0 ? size - k * (across / size) * (across / size) : 0;
    for (int round = 0; round < 100; round++) {
        if (!(s > low && s < high))
            s = 0.5 * low + 0.5 * high;
        double u = across / (s + k), v = along / s;
        double excess = u * u + v * v - 1;
        if (excess > 0)
            low = s;
        else
            high = s;
        double step = excess / (2 * (u * u / (s + k) + v * v / s));
        double better = s + step;
        if (!(fabs(step) > 0x1p-52 * s) || !(low < high))
            return better >= low && better <= high ? better : s;
        s = better;
    }
    return s;
}

/// Latitude as (sine, cosine) of a point off the axis with z >= 0, in units of the large half axis.
static lf__sincos latitude(double across, double z, double b) {
    double k = (1 - b) * (1 + b);
    double along = b * z;
    double s = along > 0 || across > k ? foot_number(across, along, k) : 0;
    double x = across * s, y = z * (s + k);
    if (s == 0) { // in the plane of the equator and within the evolute: the foot with z >= 0 is as near as
                  // the other
        double foot_x = fmin(across / k, 1);
        x = foot_x * b;
        y = sqrt((1 - foot_x) * (1 + foot_x));
    }
    double scale = 1 / length(x, y);
    return (lf__sincos){y * scale, x * scale};
}

lf_geodetic lf_ellipsoid_to_geodetic(const lf_ellipsoid *ellipsoid, lf_vec3 centred) {
    double a = ellipsoid->radius, b = 1 - ellipsoid->flattening;
    double across = length(centred.x, centred.y), z = fabs(centred.z);
    lf__sincos lat = {1, 0};
    if (across > 0)
        lat = latitude(across / a, z / a, b);
    // The height is stationary in the latitude: this formula forgives what is left of its error.
    double support = a * length(lat.cos, b * lat.sin);
    lf_geodetic place = {0, lf__atan2_deg(lat.sin, lat.cos), across * lat.cos + z * lat.sin - support};
    if (centred.z < 0)
        place.lat_deg = -place.lat_deg;
    if (across > 0)
        place.lon_deg = lf__atan2_deg(centred.y, centred.x);
    return place;
}
