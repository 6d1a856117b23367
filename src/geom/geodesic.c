/// Geodesics: the place reached (direct) and the shortest way (inverse).
#include "geom/geodesic.h"
#include "geom/expansion.h"

/// Turn a direction by an angle given as sine and cosine.
static lf__sincos turned(lf__sincos a, lf__sincos by) {
    return (lf__sincos){a.sin * by.cos + a.cos * by.sin, a.cos * by.cos - a.sin * by.sin};
}

/// The angle from a to b as sine and cosine.
static lf__sincos between(lf__sincos a, lf__sincos b) {
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
static double arc_of_length(const lf__great_arc *arc, double sigma1, double tau, double half_turn) {
    double sigma12 = tau * (LF__PI / half_turn);
    double excess = 0;
    for (int round = 0; round < 20; round++) {
        excess = lf__arc_integrate(arc, sigma1, sigma12).length;
        double step = (sigma12 + excess - tau) / lf__arc_stretch(arc, sin(sigma1 + sigma12));
        sigma12 -= step;
        if (!(fabs(step) > 1e-9)) // the next step would be below 1e-18
            break;
    }
    return sigma12;
}

lf_geodetic lf_geodesic_from(const lf_ellipsoid *ellipsoid, lf_geodetic from, double azimuth_deg, double distance,
                          double *azimuth2_deg) {
    double f = ellipsoid->flattening;
    lf__sincos beta1 = lf__reduced_latitude(f, from.lat_deg);
    lf__sincos alpha1 = lf__sincos_deg(azimuth_deg + (distance < 0 ? 180 : 0));
    lf__sincos alpha0 = {alpha1.sin * beta1.cos, hypot(alpha1.cos, alpha1.sin * beta1.sin)};
    lf__sincos sigma1 = lf__direction(beta1.sin, alpha1.cos * beta1.cos);
    lf__sincos omega1 = lf__direction(alpha0.sin * beta1.sin, alpha1.cos * beta1.cos);
    double start = atan2(sigma1.sin, sigma1.cos);
    lf__great_arc arc = lf__great_arc_of(f, alpha0);

    // Whole half turns first: there the integrals repeat.
    lf__arc_integrals half = lf__arc_integrate(&arc, 0, LF__PI);
    double half_turn = LF__PI + half.length;
    double tau = fabs(distance) / (ellipsoid->radius * (1 - f));
    double turns = floor(tau / half_turn);
    double sigma12 = arc_of_length(&arc, start, tau - turns * half_turn, half_turn);
    lf__arc_integrals part = lf__arc_integrate(&arc, start, sigma12);

    lf__sincos sigma2 = turned(sigma1, (lf__sincos){sin(sigma12), cos(sigma12)});
    lf__sincos omega12 = between(omega1, lf__direction(alpha0.sin * sigma2.sin, sigma2.cos));
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

/// The task in its plain form: the start in the south and at least as far from the equator as the end, the
/// end in the east.
typedef struct task {
    double f;
    lf__sincos beta1, beta2, lambda12;
    double lambda; ///< the angle of lambda12
} task;

/// What starting in an azimuth leads to at the end's latitude.
typedef struct trial {
    lf__sincos alpha1, alpha2;
    lf__great_arc arc;
    lf__arc_integrals integrals;
    double sigma12;
    double miss;  ///< longitude reached less longitude wanted
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
    lf__sincos angle = between(a, b);
    angle.sin = fmax(angle.sin, 0);
    return angle;
}

/// Go from the start in an azimuth until the end's latitude.
static trial try_azimuth(const task *task, lf__sincos alpha1) {
    trial t = {.alpha1 = alpha1};
    lf__sincos b1 = task->beta1, b2 = task->beta2;
    lf__sincos alpha0 = {alpha1.sin * b1.cos, hypot(alpha1.cos, alpha1.sin * b1.sin)};
    t.arc = lf__great_arc_of(task->f, alpha0);
    t.alpha2 = end_azimuth(task, alpha1, alpha0.sin);
    lf__sincos sigma1 = lf__direction(b1.sin, alpha1.cos * b1.cos);
    lf__sincos sigma2 = lf__direction(b2.sin, t.alpha2.cos * b2.cos);
    lf__sincos omega1 = lf__direction(alpha0.sin * b1.sin, alpha1.cos * b1.cos);
    lf__sincos omega2 = lf__direction(alpha0.sin * b2.sin, t.alpha2.cos * b2.cos);
    lf__sincos sigma12 = arc_between(sigma1, sigma2);
    t.sigma12 = atan2(sigma12.sin, sigma12.cos);
    t.integrals = lf__arc_integrate(&t.arc, atan2(sigma1.sin, sigma1.cos), t.sigma12);

    // The longitude reached less the one wanted, as one small angle.
    lf__sincos off = between(task->lambda12, arc_between(omega1, omega2));
    t.miss = atan2(off.sin, off.cos) - task->f * alpha0.sin * t.integrals.longitude;

    double w1 = lf__arc_stretch(&t.arc, sigma1.sin), w2 = lf__arc_stretch(&t.arc, sigma2.sin);
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
        lf__direction(b2.cos * task->lambda12.sin, b2.sin * b1.cos - b2.cos * b1.sin * task->lambda12.cos);
    trial best = {.miss = INFINITY};
    for (int round = 0; round < 100; round++) {
        if (!azimuth_less(low, alpha) || !azimuth_less(alpha, high))
            alpha = lf__direction(low.sin + high.sin, low.cos + high.cos);
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
            alpha = lf__direction(alpha.sin * cos(step) + alpha.cos * sin(step),
                                  alpha.cos * cos(step) - alpha.sin * sin(step));
        else
            alpha = lf__direction(low.sin + high.sin, low.cos + high.cos);
    }
    return best;
}

/// Along a meridian (over the pole when lambda is pi), or from a pole.
static trial along_meridian(const task *task) {
    trial t = {.alpha1 = task->lambda12, .alpha2 = {0, 1}};
    t.arc = lf__great_arc_of(task->f, (lf__sincos){0, 1});
    lf__sincos sigma1 = lf__direction(task->beta1.sin, t.alpha1.cos * task->beta1.cos);
    lf__sincos sigma12 = arc_between(sigma1, task->beta2);
    t.sigma12 = atan2(sigma12.sin, sigma12.cos);
    t.integrals = lf__arc_integrate(&t.arc, atan2(sigma1.sin, sigma1.cos), t.sigma12);
    return t;
}

/// Solve the plain task. The distance is in units of the equator's radius.
static double solve(const task *task, lf__sincos *alpha1, lf__sincos *alpha2) {
    *alpha1 = *alpha2 = (lf__sincos){1, 0};
    if (task->beta1.sin == 0 && task->lambda <= (1 - task->f) * LF__PI && task->lambda12.sin != 0)
        return task->lambda; // along the equator
    struct task plain = *task;
    if (plain.beta1.sin == 0)
        plain.beta1.sin = -1e-150; // the start of a way through the south
    bool meridian = plain.lambda12.sin == 0 || plain.beta1.cos <= 1e-150;
    trial t = meridian ? along_meridian(&plain) : find_azimuth(&plain);
    *alpha1 = t.alpha1;
    *alpha2 = t.alpha2;
    // A way that ends a little too far east is too long by that much of Clairaut's constant.
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
    if (lat1 >= 0) { // from the equator, the way over the north wins a tie
        south = -1;
        lat1 = -lat1;
        lat2 = -lat2;
    }
    task.beta1 = lf__reduced_latitude(task.f, lat1);
    task.beta2 = lf__reduced_latitude(task.f, lat2);
    lf__sincos alpha1, alpha2;
    double distance = solve(&task, &alpha1, &alpha2) * ellipsoid->radius;
    if (lat1 == lat2 && task.lambda12.sin == 0 && task.lambda12.cos > 0) {
        distance = 0;
        alpha1 = alpha2 = (lf__sincos){0, 1};
        south = east = 1;
        swapped = false;
    }
    // Back from the plain form: a way walked backwards has the opposite azimuths, a mirrored one the
    // mirrored.
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
