/// Capped cones against each other.
///
/// Two convex shapes are apart when there is a direction in which all of one lies before all of the other. How far a capped cone reaches
/// in a direction is a closed form, so any guess of such a direction can be checked for certain; the guesses come from
/// the nearest points of the two axes, in the two cases of the paper: axes that are parallel (within an angle) and axes that
/// are not. First comes quick rejection and acceptance: by the cylinders around, and by spheres within. A guess that fails is
/// improved a few times towards where the shapes come nearest; after that they count as meeting, which may be wrong but
/// only costs time.
#include "model/field.h"

/// Below this sine squared, axes are parallel.
#define PARALLEL 1e-4

/// How often a direction is improved.
#define IMPROVEMENTS 3

/// How far a cone reaches in a direction of unit length, measured from its apex.
static double reach(const lf__capped_cone *cone, lf_vec3 direction) {
    double along = lf_vec3_dot(direction, cone->axis);
    if (along >= cone->cosine)
        return cone->high;
    double across = sqrt(fmax(0, 1 - along * along));
    double best = along * cone->cosine + across * cone->sine;
    return best * (best > 0 ? cone->high : cone->low);
}

/// The point of a cone that is farthest in a direction of unit length, from its apex.
static lf_vec3 farthest(const lf__capped_cone *cone, lf_vec3 direction) {
    double along = lf_vec3_dot(direction, cone->axis);
    if (along >= cone->cosine)
        return lf_vec3_scale(direction, cone->high);
    lf_vec3 side = lf_vec3_along(direction, -along, cone->axis);
    double across = lf_vec3_length(side);
    double best = along * cone->cosine + across * cone->sine;
    lf_vec3 border = lf_vec3_scale(cone->axis, cone->cosine);
    if (across > 0)
        border = lf_vec3_along(border, cone->sine / across, side);
    return lf_vec3_scale(border, best > 0 ? cone->high : cone->low);
}

static double clamp(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}

/// A pair on its way: w leads from a's apex to b's.
typedef struct pair {
    const lf__capped_cone *a, *b;
    lf_vec3 w;
    double turn; ///< cosine between the axes
} pair;

/// Where the axes of the cylinders around the cones come nearest: distances from the apexes. false: the axes are parallel,
/// and the points are only near.
static bool nearest_on_axes(const pair *p, double *s, double *t) {
    double low_a = p->a->low * p->a->cosine, low_b = p->b->low * p->b->cosine;
    double along_a = lf_vec3_dot(p->w, p->a->axis), along_b = lf_vec3_dot(p->w, p->b->axis);
    double slope = 1 - p->turn * p->turn;
    bool parallel = slope < PARALLEL;
    if (parallel) { // the middle of the common interval, or the two ends that face each other
        double sign = p->turn > 0 ? 1 : -1;
        double start = along_a + sign * low_b, end = along_a + sign * p->b->high;
        double low = fmax(fmin(start, end), low_a), high = fmin(fmax(start, end), p->a->high);
        *s = clamp(0.5 * (low + high), low_a, p->a->high);
    } else {
        *s = clamp((along_a - p->turn * along_b) / slope, low_a, p->a->high);
    }
    *t = clamp(p->turn * *s - along_b, low_b, p->b->high);
    *s = clamp(p->turn * *t + along_a, low_a, p->a->high);
    return !parallel;
}

/// The gap between the two in a direction of unit length from a to b; above 0 they are apart.
static double gap(const pair *p, lf_vec3 direction) {
    return lf_vec3_dot(direction, p->w) - reach(p->a, direction) - reach(p->b, lf_vec3_scale(direction, -1));
}

/// A sphere within a capped cone: in the middle between the caps.
static double inner_sphere(const lf__capped_cone *cone, lf_vec3 *centre) {
    double middle = 0.5 * (cone->low + cone->high);
    *centre = lf_vec3_scale(cone->axis, middle);
    return fmin(0.5 * (cone->high - cone->low), middle * cone->sine);
}

static bool surely_meet(const pair *p) {
    lf_vec3 a, b;
    double within = inner_sphere(p->a, &a) + inner_sphere(p->b, &b);
    lf_vec3 d = lf_vec3_sub(lf_vec3_add(p->w, b), a);
    return lf_vec3_dot(d, d) <= within * within;
}

/// The point nearest to the origin on the segment from x to y.
static lf_vec3 nearest_to_origin(lf_vec3 x, lf_vec3 y) {
    lf_vec3 d = lf_vec3_sub(y, x);
    double square = lf_vec3_dot(d, d);
    return square > 0 ? lf_vec3_along(x, clamp(-lf_vec3_dot(x, d) / square, 0, 1), d) : x;
}

bool lf__cones_meet(const lf__capped_cone *a, const lf__capped_cone *b, double slack) {
    pair p = {a, b, lf_vec3_sub(b->apex, a->apex), lf_vec3_dot(a->axis, b->axis)};
    double s, t;
    bool exact = nearest_on_axes(&p, &s, &t) && a->cosine > 0 && b->cosine > 0;
    lf_vec3 between = lf_vec3_along(lf_vec3_along(p.w, t, b->axis), -s, a->axis);
    double distance = lf_vec3_length(between);
    if (exact && distance > a->high * a->sine + b->high * b->sine + slack)
        return false; // not even the cylinders meet
    if (surely_meet(&p))
        return true;
    for (int i = 0; i <= IMPROVEMENTS && distance > slack; i++) {
        lf_vec3 direction = lf_vec3_scale(between, 1 / distance);
        if (gap(&p, direction) > slack)
            return false;
        lf_vec3 support =
            lf_vec3_sub(lf_vec3_add(p.w, farthest(b, lf_vec3_scale(direction, -1))), farthest(a, direction));
        between = nearest_to_origin(between, support);
        distance = lf_vec3_length(between);
    }
    return true;
}
