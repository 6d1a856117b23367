/// The ellipsoid: geodetic and earth-centred coordinates, and geodesics.
#include "geom/expansion.h"
#include "geom/geometry.h"
#include <landfall/geom.h>

// ---------------------------------------------------------------------------------------------------
// Geodetic and earth-centred coordinates
// ---------------------------------------------------------------------------------------------------

/// sqrt(x^2 + y^2): several times as fast as hypot where the squares neither overflow nor underflow.
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

/// a turned towards b.
static lf_vec3 turned_towards(lf_vec3 a, lf_vec3 b, lf__sincos angle) {
    return lf_vec3_along(lf_vec3_scale(a, angle.cos), angle.sin, b);
}

lf_status lf_ellipsoid_pose(const lf_ellipsoid *ellipsoid, lf_geodetic place, double heading_deg,
                            double pitch_deg, double roll_deg, lf_pose *pose) {
    if (!ellipsoid || !pose || !isfinite(place.lon_deg) || !(fabs(place.lat_deg) <= 90) ||
        !isfinite(place.height) || !isfinite(heading_deg) || !isfinite(pitch_deg) || !isfinite(roll_deg))
        return LF_BAD_ARGUMENT;
    lf__sincos lon = lf__sincos_deg(place.lon_deg), lat = lf__sincos_deg(place.lat_deg);
    lf__sincos heading = lf__sincos_deg(heading_deg), pitch = lf__sincos_deg(pitch_deg),
               roll = lf__sincos_deg(roll_deg);
    lf_vec3 east = {0 - lon.sin, lon.cos, 0}, north = {0 - lat.sin * lon.cos, 0 - lat.sin * lon.sin, lat.cos};
    lf_vec3 up = {lat.cos * lon.cos, lat.cos * lon.sin, lat.sin};
    lf_vec3 level = turned_towards(north, east, heading);
    lf_vec3 right = turned_towards(east, lf_vec3_scale(north, -1), heading);
    lf_vec3 ahead = turned_towards(level, up, pitch),
            top = turned_towards(up, lf_vec3_scale(level, -1), pitch);
    lf_vec3 x = turned_towards(right, lf_vec3_scale(top, -1), roll), z = turned_towards(top, right, roll);
    *pose = (lf_pose){{{x.x, ahead.x, z.x}, {x.y, ahead.y, z.y}, {x.z, ahead.z, z.z}},
                      lf_ellipsoid_to_centred(ellipsoid, place)};
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Integrals along a geodesic, by Gauss-Legendre quadrature
// ---------------------------------------------------------------------------------------------------

// A geodesic of the ellipsoid is a great circle of the sphere of reduced latitudes (tan beta = (1 - f) tan
// phi) on which length and longitude are stretched. With sigma the arc from the northward crossing of the
// equator, alpha0 the azimuth there, k^2 = e'^2 cos^2 alpha0 and w = sqrt(1 + k^2 sin^2 sigma):
//     length     s      = b * integral of w
//     longitude  lambda = omega - f sin alpha0 * integral of (2 - f) / (1 + (1 - f) w)
// Both integrals differ little from the arc itself, and only that difference is integrated numerically.

/// One geodesic line.
typedef struct great_arc {
    double f;
    lf__sincos alpha0;
    double k2;    ///< k^2
    double panel; ///< longest arc that one set of nodes integrates to rounding
} great_arc;

/// Integrals over a part of the arc.
typedef struct arc_integrals {
    double length;    ///< of w - 1
    double longitude; ///< of (2 - f) / (1 + (1 - f) w)
    double reduced;   ///< of w - 1 / w, for the reduced length
} arc_integrals;

/// Nodes and weights of the 6 and 16 point rules on [-1, 1], the positive halves.
static const double short_rule[3][2] = {{0.23861918608319690863, 0.46791393457269104738},
                                        {0.66120938646626451366, 0.36076157304813860756},
                                        {0.93246951420315202781, 0.17132449237917034504}};
static const double long_rule[8][2] = {
    {0.09501250983763744018, 0.18945061045506849628}, {0.28160355077925891323, 0.18260341504492358886},
    {0.45801677765722738634, 0.16915651939500253818}, {0.61787624440264374844, 0.14959598881657673208},
    {0.75540440835500303389, 0.12462897125553387205}, {0.86563120238783174388, 0.09515851168249278480},
    {0.94457502307323257607, 0.06225352393864789286}, {0.98940093499164993259, 0.02715245941175409485},
};

/// (y, x) scaled to length 1; (0, 1) for (0, 0).
static lf__sincos direction_of(double y, double x) {
    double length = hypot(y, x);
    if (!(length > 0))
        return (lf__sincos){0, 1};
    return (lf__sincos){y / length, x / length};
}

/// Sine and cosine of the reduced latitude. The cosine is kept above 0, so that azimuths are defined at the poles.
static lf__sincos reduced_latitude(double f, double lat_deg) {
    lf__sincos lat = lf__sincos_deg(lat_deg);
    lf__sincos reduced = direction_of((1 - f) * lat.sin, lat.cos);
    reduced.cos = fmax(reduced.cos, 1e-150);
    return reduced;
}

static great_arc great_arc_of(double f, lf__sincos alpha0) {
    double stretch2 = f * (2 - f) / ((1 - f) * (1 - f)); // e'^2
    great_arc arc = {f, alpha0, stretch2 * alpha0.cos * alpha0.cos, 0};
    // w has its nearest branch point at i asinh(1 / k). On a panel of 5/4 of that, sixteen nodes leave less
    // than 1e-17.
    double nearest = arc.k2 > 0 ? asinh(1 / sqrt(arc.k2)) : 4;
    arc.panel = fmax(1.25 * fmin(nearest, 4), LF__PI / 256);
    return arc;
}

static double arc_stretch(const great_arc *arc, double sin_sigma) {
    return sqrt(1 + arc->k2 * sin_sigma * sin_sigma);
}

/// Add one node's share.
static void add_node(const great_arc *arc, double sigma, double weight, arc_integrals *sum) {
    double sine = sin(sigma), kk = arc->k2 * sine * sine;
    double w = sqrt(1 + kk);
    sum->length += weight * kk / (1 + w);
    sum->longitude += weight * (2 - arc->f) / (1 + (1 - arc->f) * w);
    sum->reduced += weight * kk / w;
}

static arc_integrals arc_integrate(const great_arc *arc, double sigma, double sigma12) {
    arc_integrals sum = {0, 0, 0};
    double wanted = ceil(fabs(sigma12) / arc->panel);
    int panels = wanted >= 1 && wanted <= 512 ? (int)wanted : 1;
    double half = 0.5 * sigma12 / panels;
    bool is_short = fabs(sigma12) < 0.08 * arc->panel;
    const double(*rule)[2] = is_short ? short_rule : long_rule;
    for (int i = 0; i < panels; i++) {
        double middle = sigma + (2 * i + 1) * half;
        for (int j = 0; j < (is_short ? 3 : 8); j++) {
            double step = half * rule[j][0], weight = half * rule[j][1];
            add_node(arc, middle - step, weight, &sum);
            add_node(arc, middle + step, weight, &sum);
        }
    }
    return sum;
}

// ---------------------------------------------------------------------------------------------------
// Geodesics
// ---------------------------------------------------------------------------------------------------

/// Turn a direction by an angle given as sine and cosine.
static lf__sincos turned(lf__sincos a, lf__sincos by) {
    return (lf__sincos){a.sin * by.cos + a.cos * by.sin, a.cos * by.cos - a.sin * by.sin};
}

/// The angle from a to b as sine and cosine.
static lf__sincos geodesic_between(lf__sincos a, lf__sincos b) {
    return (lf__sincos){a.cos * b.sin - a.sin * b.cos, a.cos * b.cos + a.sin * b.sin};
}

/// Longitude into [-180, 180].
static double wrap_lon(double lon_deg) {
    return remainder(lon_deg, 360);
}

// ---------------------------------------------------------------------------------------------------
// Direct
// ---------------------------------------------------------------------------------------------------

/// The arc whose length over b is tau, |tau| less than that of half a turn: Newton, which starts next to
/// the root.
static double arc_of_length(const great_arc *arc, double sigma1, double tau, double half_turn) {
    double sigma12 = tau * (LF__PI / half_turn);
    double excess = 0;
    for (int round = 0; round < 20; round++) {
        excess = arc_integrate(arc, sigma1, sigma12).length;
        double step = (sigma12 + excess - tau) / arc_stretch(arc, sin(sigma1 + sigma12));
        sigma12 -= step;
        if (!(fabs(step) > 1e-9)) // the next step would be below 1e-18
            break;
    }
    return sigma12;
}

lf_geodetic lf_geodesic_from(const lf_ellipsoid *ellipsoid, lf_geodetic from, double azimuth_deg,
                             double distance, double *azimuth2_deg) {
    double f = ellipsoid->flattening;
    lf__sincos beta1 = reduced_latitude(f, from.lat_deg);
    lf__sincos alpha1 = lf__sincos_deg(azimuth_deg + (distance < 0 ? 180 : 0));
    lf__sincos alpha0 = {alpha1.sin * beta1.cos, hypot(alpha1.cos, alpha1.sin * beta1.sin)};
    lf__sincos sigma1 = direction_of(beta1.sin, alpha1.cos * beta1.cos);
    lf__sincos omega1 = direction_of(alpha0.sin * beta1.sin, alpha1.cos * beta1.cos);
    double start = atan2(sigma1.sin, sigma1.cos);
    great_arc arc = great_arc_of(f, alpha0);

    // Whole half turns first: there the integrals repeat.
    arc_integrals half = arc_integrate(&arc, 0, LF__PI);
    double half_turn = LF__PI + half.length;
    double tau = fabs(distance) / (ellipsoid->radius * (1 - f));
    double turns = floor(tau / half_turn);
    double sigma12 = arc_of_length(&arc, start, tau - turns * half_turn, half_turn);
    arc_integrals part = arc_integrate(&arc, start, sigma12);

    lf__sincos sigma2 = turned(sigma1, (lf__sincos){sin(sigma12), cos(sigma12)});
    lf__sincos omega12 = geodesic_between(omega1, direction_of(alpha0.sin * sigma2.sin, sigma2.cos));
    double stretched = f * alpha0.sin * (part.longitude + turns * half.longitude) / LF__DEGREE;
    double lon12 = lf__atan2_deg(omega12.sin, omega12.cos) - stretched;
    if (fmod(turns, 2) != 0) {
        lon12 += 180;
        sigma2 = (lf__sincos){-sigma2.sin, -sigma2.cos};
    }
    double along = alpha0.cos * sigma2.cos;
    lf_geodetic place = {wrap_lon(wrap_lon(from.lon_deg) + wrap_lon(lon12)),
                         lf__atan2_deg(alpha0.cos * sigma2.sin, (1 - f) * hypot(alpha0.sin, along)), 0};
    double side = distance < 0 ? -1 : 1;
    if (azimuth2_deg)
        *azimuth2_deg = lf__atan2_deg(side * alpha0.sin, side * along);
    return place;
}

// ---------------------------------------------------------------------------------------------------
// Inverse
// ---------------------------------------------------------------------------------------------------

/// The task in normal form: the start is south of the equator and at least as far from it as the end, and the
/// end is east of the start.
typedef struct task {
    double f;
    lf__sincos beta1, beta2, lambda12;
    double lambda; ///< the angle of lambda12
} task;

/// What starting in an azimuth leads to at the end's latitude.
typedef struct trial {
    lf__sincos alpha1, alpha2;
    great_arc arc;
    arc_integrals integrals;
    double sigma12;
    double miss;  ///< longitude reached minus target longitude
    double slope; ///< of miss by azimuth; not positive where it is not known
} trial;

/// The azimuth at the end's latitude, going north (the end is nearer to the equator, or north of it).
static lf__sincos end_azimuth(const task *task, lf__sincos alpha1, double sin_alpha0) {
    lf__sincos b1 = task->beta1, b2 = task->beta2;
    if (b2.cos == b1.cos && fabs(b2.sin) == -b1.sin)
        return (lf__sincos){alpha1.sin, fabs(alpha1.cos)};
    // cos^2 beta2 - cos^2 beta1, from whichever of sine and cosine is smaller
    double gain =
        b1.cos < -b1.sin ? (b2.cos - b1.cos) * (b2.cos + b1.cos) : (b1.sin - b2.sin) * (b1.sin + b2.sin);
    double along = alpha1.cos * b1.cos;
    return (lf__sincos){sin_alpha0 / b2.cos, sqrt(along * along + gain) / b2.cos};
}

/// The arc between two directions, 0 to pi.
static lf__sincos arc_between(lf__sincos a, lf__sincos b) {
    lf__sincos angle = geodesic_between(a, b);
    angle.sin = fmax(angle.sin, 0);
    return angle;
}

/// Go from the start in an azimuth until the end's latitude.
static trial try_azimuth(const task *task, lf__sincos alpha1) {
    trial t = {.alpha1 = alpha1};
    lf__sincos b1 = task->beta1, b2 = task->beta2;
    lf__sincos alpha0 = {alpha1.sin * b1.cos, hypot(alpha1.cos, alpha1.sin * b1.sin)};
    t.arc = great_arc_of(task->f, alpha0);
    t.alpha2 = end_azimuth(task, alpha1, alpha0.sin);
    lf__sincos sigma1 = direction_of(b1.sin, alpha1.cos * b1.cos);
    lf__sincos sigma2 = direction_of(b2.sin, t.alpha2.cos * b2.cos);
    lf__sincos omega1 = direction_of(alpha0.sin * b1.sin, alpha1.cos * b1.cos);
    lf__sincos omega2 = direction_of(alpha0.sin * b2.sin, t.alpha2.cos * b2.cos);
    lf__sincos sigma12 = arc_between(sigma1, sigma2);
    t.sigma12 = atan2(sigma12.sin, sigma12.cos);
    t.integrals = arc_integrate(&t.arc, atan2(sigma1.sin, sigma1.cos), t.sigma12);

    // The longitude reached minus the target longitude, as one small angle.
    lf__sincos off = geodesic_between(task->lambda12, arc_between(omega1, omega2));
    t.miss = atan2(off.sin, off.cos) - task->f * alpha0.sin * t.integrals.longitude;

    double w1 = arc_stretch(&t.arc, sigma1.sin), w2 = arc_stretch(&t.arc, sigma2.sin);
    double reduced = w2 * sigma1.cos * sigma2.sin - w1 * sigma1.sin * sigma2.cos -
                     sigma1.cos * sigma2.cos * t.integrals.reduced;
    t.slope = (1 - task->f) * reduced / (t.alpha2.cos * b2.cos);
    return t;
}

/// Is azimuth a smaller than b? Both from 0 to 180 degrees.
static bool azimuth_less(lf__sincos a, lf__sincos b) {
    return a.cos * b.sin > b.cos * a.sin;
}

/// The azimuth that leads to the end: Newton's method, held between azimuths that pass east and west of it.
static trial find_azimuth(const task *task) {
    lf__sincos low = {1e-150, 1}, high = {1e-150, -1};
    // On a sphere this would be it.
    lf__sincos b1 = task->beta1, b2 = task->beta2;
    lf__sincos alpha =
        direction_of(b2.cos * task->lambda12.sin, b2.sin * b1.cos - b2.cos * b1.sin * task->lambda12.cos);
    trial best = {.miss = INFINITY};
    for (int round = 0; round < 100; round++) {
        if (!azimuth_less(low, alpha) || !azimuth_less(alpha, high))
            alpha = direction_of(low.sin + high.sin, low.cos + high.cos);
        trial t = try_azimuth(task, alpha);
        // Down to the noise of rounding: stop at a step that does not help any more.
        bool helped = !(fabs(t.miss) > 0.5 * fabs(best.miss)), close = fabs(best.miss) < 1e-12;
        if (!(fabs(t.miss) >= fabs(best.miss)))
            best = t;
        if (!(fabs(t.miss) > 0x1p-52) || (close && !helped))
            break;
        if (t.miss > 0)
            high = alpha;
        else
            low = alpha;
        double step = -t.miss / t.slope;
        if (t.slope > 0 && fabs(step) < 1)
            alpha = direction_of(alpha.sin * cos(step) + alpha.cos * sin(step),
                                 alpha.cos * cos(step) - alpha.sin * sin(step));
        else
            alpha = direction_of(low.sin + high.sin, low.cos + high.cos);
    }
    return best;
}

/// Along a meridian (over the pole when lambda is pi), or from a pole.
static trial along_meridian(const task *task) {
    trial t = {.alpha1 = task->lambda12, .alpha2 = {0, 1}};
    t.arc = great_arc_of(task->f, (lf__sincos){0, 1});
    lf__sincos sigma1 = direction_of(task->beta1.sin, t.alpha1.cos * task->beta1.cos);
    lf__sincos sigma12 = arc_between(sigma1, task->beta2);
    t.sigma12 = atan2(sigma12.sin, sigma12.cos);
    t.integrals = arc_integrate(&t.arc, atan2(sigma1.sin, sigma1.cos), t.sigma12);
    return t;
}

/// Solve the task in normal form. The distance is in units of the equator's radius.
static double solve(const task *task, lf__sincos *alpha1, lf__sincos *alpha2) {
    *alpha1 = *alpha2 = (lf__sincos){1, 0};
    if (task->beta1.sin == 0 && task->lambda <= (1 - task->f) * LF__PI && task->lambda12.sin != 0)
        return task->lambda; // along the equator
    struct task plain = *task;
    if (plain.beta1.sin == 0)
        plain.beta1.sin = -1e-150; // the start of a path through the south
    bool meridian = plain.lambda12.sin == 0 || plain.beta1.cos <= 1e-150;
    trial t = meridian ? along_meridian(&plain) : find_azimuth(&plain);
    *alpha1 = t.alpha1;
    *alpha2 = t.alpha2;
    // A path that ends slightly too far east is too long by that angle times Clairaut's constant.
    return (1 - plain.f) * (t.sigma12 + t.integrals.length) - t.arc.alpha0.sin * t.miss;
}

/// Longitude difference as (degrees from 0 to 180, side), with what rounding leaves out taken along near 180.
static double lon_difference(double lon1, double lon2, lf__sincos *lambda12, double *side) {
    double rest, degrees = lf__two_sum(wrap_lon(lon2), -wrap_lon(lon1), &rest);
    double wrapped = wrap_lon(degrees); // exact
    *side = wrapped < 0 || (wrapped == 0 && rest < 0) ? -1 : 1;
    wrapped *= *side;
    rest *= *side;
    double short_of_180 = (180 - wrapped) - rest;
    if (wrapped > 90) {
        *lambda12 = lf__sincos_deg(fabs(short_of_180));
        lambda12->cos = -lambda12->cos;
    } else {
        *lambda12 = lf__sincos_deg(wrapped + rest);
    }
    return wrapped + rest;
}

lf_geodesic lf_geodesic_between(const lf_ellipsoid *ellipsoid, lf_geodetic from, lf_geodetic to) {
    double east, south = 1, lat1 = from.lat_deg, lat2 = to.lat_deg;
    task task = {.f = ellipsoid->flattening};
    task.lambda = lon_difference(from.lon_deg, to.lon_deg, &task.lambda12, &east) * LF__DEGREE;
    bool swapped = fabs(lat1) < fabs(lat2);
    if (swapped) {
        lat1 = to.lat_deg;
        lat2 = from.lat_deg;
    }
    if (lat1 >= 0) { // from the equator, the path over the north wins a tie
        south = -1;
        lat1 = -lat1;
        lat2 = -lat2;
    }
    task.beta1 = reduced_latitude(task.f, lat1);
    task.beta2 = reduced_latitude(task.f, lat2);
    lf__sincos alpha1, alpha2;
    double distance = solve(&task, &alpha1, &alpha2) * ellipsoid->radius;
    if (lat1 == lat2 && task.lambda12.sin == 0 && task.lambda12.cos > 0) {
        distance = 0;
        alpha1 = alpha2 = (lf__sincos){0, 1};
        south = east = 1;
        swapped = false;
    }
    // Back from the normal form: a reversed path has the opposite azimuths, a mirrored one the mirrored ones.
    double north = swapped ? -south : south;
    lf_geodesic way = {fmax(distance, 0), lf__atan2_deg(east * alpha1.sin, north * alpha1.cos),
                       lf__atan2_deg(east * alpha2.sin, north * alpha2.cos)};
    if (swapped) {
        double first = way.azimuth1_deg;
        way.azimuth1_deg = way.azimuth2_deg;
        way.azimuth2_deg = first;
    }
    return way;
}
