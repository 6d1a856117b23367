/// Boxes of polygons in angles: longitude and latitude around a centre, angle and length around an axis.
///
/// A triangle's image in angles has curved edges. Longitudes run one way along an edge, so their extremes are at the corners
/// unless a pole is within. Latitudes bulge over an edge, by less than a bound that follows from how fast a great
/// circle can bend. Everything is widened by far more than rounding can move a gravity line; what comes too close to the
/// centre, the axis or a pole takes all angles. The exact test in space decides in the end: too wide is slow, not wrong.
#include "published/quadtree.h"

#define PI 3.14159265358979323846

/// Points of polygons and questions have been turned and rounded: angles are off by less than this ...
#define ANGLE_BLUR 0x1p-26
/// ... and lengths by less than this share of the reach.
#define LENGTH_BLUR 0x1p-40
/// Polygons closer to the centre or the axis than this share of the reach are seen everywhere.
#define CLOSE 0x1p-16
/// Edges that turn by more than half a turn less this may pass a pole on either side.
#define DOUBT 0.01
/// A pole is in every longitude, and so is what is this close to it.
#define POLE 1e-4

typedef struct span {
    double low, high;
} span;

static const lf__rectangle everywhere = {-PI, -PI / 2, PI, PI / 2};

static double larger(double a, double b) {
    return a > b ? a : b;
}

static double smaller(double a, double b) {
    return a < b ? a : b;
}

/// The way from one angle to another, the short way round.
static double way(double from, double to) {
    double d = to - from;
    return d > PI ? d - 2 * PI : d < -PI ? d + 2 * PI : d;
}

/// Longitudes of a triangle, counted on from its first corner; false when it may hold the pole or the axis.
static bool longitudes(const double angle[3], span *found) {
    double first = way(angle[0], angle[1]), second = way(angle[1], angle[2]), third = way(angle[2], angle[0]);
    if (fabs(first) > PI - DOUBT || fabs(second) > PI - DOUBT || fabs(third) > PI - DOUBT ||
        fabs(first + second + third) > 1)
        return false;
    double b = angle[0] + first, c = b + second;
    found->low = smaller(angle[0], smaller(b, c));
    found->high = larger(angle[0], larger(b, c));
    return true;
}

/// How close a triangle comes to the origin, at least.
static double least_distance(const lf_vec3 p[3], double reach) {
    lf_vec3 e = lf_vec3_sub(p[1], p[0]), f = lf_vec3_sub(p[2], p[0]), g = lf_vec3_sub(p[2], p[1]);
    lf_vec3 normal = lf_vec3_cross(e, f);
    double longest = larger(lf_vec3_length(e), larger(lf_vec3_length(f), lf_vec3_length(g)));
    double nearest = smaller(lf_vec3_length(p[0]), smaller(lf_vec3_length(p[1]), lf_vec3_length(p[2])));
    // The plane of a needle is lost in rounding; the distance to its corners is not.
    bool needle = !(lf_vec3_length(normal) > 1e-6 * lf_vec3_length(e) * lf_vec3_length(f));
    double from_plane = needle ? 0 : fabs(lf_vec3_dot(lf_vec3_unit(normal), p[0])) - 0x1p-30 * reach;
    return larger(from_plane, nearest - longest) - 0x1p-44 * reach;
}

/// Latitudes of a triangle that does not hold a pole. Along a great circle the latitude's second derivative is less than
/// its tangent, so over an edge of length s it rises above both ends by less than s * s / 8 * tan, and by s / 2 at most.
static span latitudes(const lf_vec3 p[3], const double angle[3]) {
    span found = {INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++) {
        int next = k == 2 ? 0 : k + 1;
        lf_vec3 a = lf_vec3_unit(p[k]), b = lf_vec3_unit(p[next]);
        double length = atan2(lf_vec3_length(lf_vec3_cross(a, b)), lf_vec3_dot(a, b));
        double high = larger(angle[k], angle[next]), low = smaller(angle[k], angle[next]);
        double steepest = larger(fabs(high), fabs(low)) + length / 2;
        double bulge = steepest < 1.5 ? length * length / 8 * tan(steepest) : length;
        bulge = smaller(bulge, length / 2);
        found.low = smaller(found.low, low - bulge);
        found.high = larger(found.high, high + bulge);
    }
    return found;
}

/// A triangle seen from a centre. false: from everywhere.
static bool seen_from_centre(const lf__quadtree *tree, const lf_vec3 world[3], lf__rectangle *box) {
    lf_vec3 p[3];
    double lon[3], lat[3];
    for (int k = 0; k < 3; k++) {
        lf_vec3 local = lf_frame_to_local(&tree->frame, world[k]);
        p[k] = lf_vec3_sub(world[k], tree->frame.origin);
        lon[k] = local.x;
        lat[k] = local.y;
    }
    double nearest = least_distance(p, tree->reach);
    if (!(nearest > CLOSE * tree->reach))
        return false;
    double blur = ANGLE_BLUR + LENGTH_BLUR * tree->reach / nearest;
    span x, y = latitudes(p, lat);
    bool pole = !longitudes(lon, &x);
    if (pole) {
        y.high = y.high > 0 ? PI / 2 : y.high;
        y.low = y.low < 0 ? -PI / 2 : y.low;
    }
    y.low -= blur;
    y.high += blur;
    double most = larger(fabs(y.low), fabs(y.high));
    if (pole || most > PI / 2 - POLE)
        x = (span){-PI, PI};
    else
        blur /= cos(most);
    *box = (lf__rectangle){x.low - blur, y.low, x.high + blur, y.high};
    return true;
}

static double distance_to_edge(lf_vec3 a, lf_vec3 b) {
    double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    double t = square > 0 ? -(a.x * dx + a.y * dy) / square : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return hypot(a.x + t * dx, a.y + t * dy);
}

/// A triangle seen from an axis: flat in the plane across it, and lengths are lengths. false: at every angle; the lengths
/// are right all the same.
static bool seen_from_axis(const lf__quadtree *tree, const lf_vec3 world[3], lf__rectangle *box) {
    lf_vec3 p[3];
    double angle[3], blur = LENGTH_BLUR * tree->reach;
    span x;
    for (int k = 0; k < 3; k++) {
        lf_vec3 local = lf_frame_to_local(&tree->frame, world[k]),
                from = lf_vec3_sub(world[k], tree->frame.origin);
        p[k] = (lf_vec3){lf_vec3_dot(tree->frame.rows[0], from), lf_vec3_dot(tree->frame.rows[1], from),
                         local.y};
        angle[k] = local.x;
    }
    box->low_y = smaller(p[0].z, smaller(p[1].z, p[2].z)) - blur;
    box->high_y = larger(p[0].z, larger(p[1].z, p[2].z)) + blur;
    double nearest = smaller(distance_to_edge(p[0], p[1]),
                             smaller(distance_to_edge(p[1], p[2]), distance_to_edge(p[2], p[0])));
    if (!(nearest > CLOSE * tree->reach) || !longitudes(angle, &x))
        return false;
    blur = ANGLE_BLUR + blur / nearest;
    box->low_x = x.low - blur;
    box->high_x = x.high + blur;
    return true;
}

static lf__rectangle both(lf__rectangle a, lf__rectangle b) {
    return (lf__rectangle){smaller(a.low_x, b.low_x), smaller(a.low_y, b.low_y), larger(a.high_x, b.high_x),
                           larger(a.high_y, b.high_y)};
}

lf__rectangle lf__quadtree_angles(const lf__quadtree *tree, const lf_mesh *mesh, int64_t polygon) {
    lf__rectangle box = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    bool centre = tree->frame.kind == LF_FRAME_CENTRE;
    int64_t last = lf__mesh_first(mesh, polygon + 1);
    // All triangles of a fan count their longitudes from its first corner, so that they can be put together.
    for (int64_t t = lf__mesh_first(mesh, polygon); t < last; t++) {
        lf_vec3 points[3];
        lf__rectangle one = everywhere;
        lf__mesh_triangle(mesh, t, points);
        if (lf__mesh_edge_on(&mesh->frame, points))
            continue;
        if (centre ? !seen_from_centre(tree, points, &one) : !seen_from_axis(tree, points, &one)) {
            one.low_x = -2 * PI;
            one.high_x = 2 * PI;
        }
        box = both(box, one);
    }
    if (!(box.high_x - box.low_x < 2 * PI)) {
        box.low_x = -PI;
        box.high_x = PI;
    }
    double shift = box.low_x < -PI ? 2 * PI : box.low_x >= PI ? -2 * PI : 0;
    box.low_x += shift;
    box.high_x += shift;
    return box;
}
