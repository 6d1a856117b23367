/// Sight over a profile that somebody measured: doubles, and no more than that.
#include "base/base.h"
#include "ground/ground.h"
#include "sight/pair.h"

#define DEGREES (180 / 3.14159265358979323846)

typedef struct path {
    const double *distances, *heights;
    int64_t count;
    bool between;
    double length, a, b; ///< heights of the ends
    double sag;
    double curve; ///< how much lower than level the earth is at a distance, over its square
} path;

static lf_status check(const path *p, lf_error *error) {
    for (int64_t i = 0; i < p->count; i++) {
        if (!(fabs(p->distances[i]) <= LF__FARTHEST) || !(fabs(p->heights[i]) <= LF__FARTHEST))
            return lf__fail(error, LF_BAD_ARGUMENT, i, "post %lld at %g is %g high", (long long)i,
                            p->distances[i], p->heights[i]);
        if (i == 0 ? p->distances[0] != 0 : !(p->distances[i] > p->distances[i - 1]))
            return lf__fail(error, LF_BAD_ARGUMENT, i,
                            "post %lld is at %g: distances begin with 0 and ascend", (long long)i,
                            p->distances[i]);
    }
    return LF_OK;
}

/// The height of the line over straight ground from post i to post j, as a quadratic in t.
static void over_ground(const path *p, int64_t i, int64_t j, double f[3]) {
    double from = p->distances[i] / p->length, to = p->distances[j] / p->length;
    double rise = i == j ? 0 : (p->heights[j] - p->heights[i]) / (to - from);
    f[0] = p->a - (p->heights[i] - rise * from);
    f[1] = (p->b - p->a) - p->sag - rise;
    f[2] = p->sag;
}

/// Where a quadratic that is not below 0 at `first` first goes below, up to `last`; false: nowhere.
static bool breaks(const double f[3], double first, double last, double *t) {
    double at_first = f[0] + (f[1] + f[2] * first) * first, at_last = f[0] + (f[1] + f[2] * last) * last;
    double turn = f[2] > 0 ? -0.5 * f[1] / f[2] : first, square = f[1] * f[1] - 4 * f[0] * f[2];
    *t = first;
    if (at_first < 0)
        return true;
    if (!(at_last < 0) && !(turn > first && turn < last && square > 0))
        return false;
    double root = sqrt(fmax(square, 0)), sum = -0.5 * (f[1] < 0 ? f[1] - root : f[1] + root);
    double one = f[2] != 0 ? sum / f[2] : -f[0] / f[1], other = f[2] != 0 && sum != 0 ? f[0] / sum : one;
    double wanted = f[2] > 0 ? fmin(one, other) : f[2] < 0 ? fmax(one, other) : one;
    *t = fmin(fmax(wanted, first), last);
    return true;
}

/// d: from a, and from b.
static void look_along(const path *p, lf__sight_detail d[2], lf_sight *sight) {
    for (int64_t i = p->between ? 0 : 1; i + 1 < p->count; i++) {
        int64_t j = p->between ? i + 1 : i;
        double f[3], t, first = p->distances[i] / p->length, last = p->distances[j] / p->length;
        over_ground(p, i, j, f);
        double above[2] = {f[0] + (f[1] + f[2] * first) * first, f[0] + (f[1] + f[2] * last) * last};
        int signs[2] = {(above[0] > 0) - (above[0] < 0), (above[1] > 0) - (above[1] < 0)};
        lf__stretch q = {{first, last}, {above[0], above[1]}, f[2], f[1], {signs[0], signs[1]}};
        lf__stretch r = {
            {1 - last, 1 - first}, {above[1], above[0]}, f[2], -(f[1] + 2 * f[2]), {signs[1], signs[0]}};
        lf__sight_detail_add(&d[0], &q);
        lf__sight_detail_add(&d[1], &r);
        if (sight->verdict == LF_VERDICT_CLEAR && breaks(f, first, last, &t)) {
            sight->verdict = LF_VERDICT_BLOCKED;
            sight->t = t;
        }
    }
}

/// What appears highest from an end: so much higher than the other end appears as that one would have to be raised.
static lf_profile_horizon horizon(const path *p, const lf__sight_detail *d, double rise, bool seen) {
    double raise = seen ? 0 : -d->lower.value, slope = (rise - p->sag + raise) / p->length;
    return (lf_profile_horizon){atan(slope) * DEGREES, seen ? p->length : d->lower.t * p->length};
}

lf_status lf_sight_over_profile(const double *distances, const double *heights, int64_t count, double a_height,
                        double b_height, bool between, const lf_sight_rules *given, lf_profile_sight *view,
                        lf_error *error) {
    lf_sight_rules rules;
    if (!distances || !heights || !view || count < 2)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "a path of %lld posts", (long long)count);
    if (lf__sight_rules_read(given, &rules) != LF_OK || !(fabs(a_height) <= LF__FARTHEST) ||
        !(fabs(b_height) <= LF__FARTHEST))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "rules, or ends %g and %g above ground, are no numbers",
                        a_height, b_height);
    path p = {distances, heights, count, between, .curve = rules.curvature.coefficient / (2 * rules.curvature.radius)};
    lf_status status = check(&p, error);
    if (status != LF_OK)
        return status;
    p.length = distances[count - 1];
    p.a = heights[0] + a_height;
    p.b = heights[count - 1] + b_height;
    p.sag = p.curve * p.length * p.length;
    double zone = rules.frequency_mhz > 0 ? lf__fresnel_zone(rules.frequency_mhz, p.length) : 0;
    lf__sight_detail d[2] = {lf__sight_detail_start(false, zone), lf__sight_detail_start(false, 0)};
    lf_sight sight = {.verdict = LF_VERDICT_CLEAR, .t = 1, .length = p.length};
    look_along(&p, d, &sight);
    lf__sight_detail_tell(&d[0], &sight);
    sight.point =
        (lf_vec3){sight.t * p.length, 0, p.a + sight.t * (p.b - p.a) - p.sag * sight.t * (1 - sight.t)};
    bool seen = sight.verdict == LF_VERDICT_CLEAR;
    *view = (lf_profile_sight){sight, horizon(&p, &d[0], p.b - p.a, seen), horizon(&p, &d[1], p.a - p.b, seen)};
    return LF_OK;
}
