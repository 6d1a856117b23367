/// The one copy of each polygon: box, edge lines, plane, and how far they can be trusted.
///
/// Where down is -z the numbers are those of the world, and only the arithmetic here rounds. Elsewhere the corners
/// themselves have been turned and are off by up to `blur`.
#include "base/base.h"
#include "published/quadtree.h"
#include <float.h>

// ---------------------------------------------------------------------------------------------------
// Boxes in angles
// ---------------------------------------------------------------------------------------------------

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

/// The angle from one direction to another, by the shorter side.
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

// ---------------------------------------------------------------------------------------------------
// Polygons where gravity has one direction
// ---------------------------------------------------------------------------------------------------

/// Eight roundings, more than any sum of products below goes through.
#define ROUNDING 0x1p-50

/// Normals of polygons that are slightly non-planar are as good as this.
#define NORMAL_TOLERANCE 0x1p-32

/// A polygon that is added to the tree.
typedef struct measured {
    const lf_mesh *mesh;
    lf__quadtree *tree;
    int64_t polygon, size;
    int facing; ///< +1 when the front faces up
} measured;

static lf_vec3 corner(const measured *m, int64_t k) {
    return lf__mesh_corner(m->mesh, m->polygon, k < m->size ? k : k - m->size);
}

static lf_vec3 local_corner(const measured *m, int64_t k) {
    return lf__quadtree_local(m->tree, corner(m, k));
}

/// The turn a, b, c as seen from above, exactly.
static int turn(const measured *m, int64_t a, int64_t b, int64_t c) {
    return -lf_orient_line(corner(m, a), m->mesh->frame.down, corner(m, b), corner(m, c));
}

/// The side to which the polygon faces, when all triangles of its fan and all its corners agree, so that what is within all edges is
/// what the fan covers; 0 when they do not. A flat polygon always agrees; one non-planar within the tolerance and seen almost
/// edge-on need not.
static int agreed_facing(const measured *m) {
    int facing = 0;
    for (int64_t k = 1; k + 1 < m->size && facing == 0; k++)
        facing = turn(m, 0, k, k + 1);
    for (int64_t k = 1; k + 1 < m->size && m->size > 3; k++) {
        // All corners lie on one side of the first edge, so that the fan goes round less than once.
        if (facing * turn(m, 0, k, k + 1) < 0 || facing * turn(m, 0, 1, k + 1) < 0 ||
            facing * turn(m, k - 1, k, k + 1) < 0)
            return 0;
    }
    if (facing * turn(m, m->size - 2, m->size - 1, m->size) < 0 ||
        facing * turn(m, m->size - 1, m->size, m->size + 1) < 0)
        return 0;
    return facing;
}

static bool is_absent(const measured *m) {
    int64_t first = lf__mesh_first(m->mesh, m->polygon);
    if (lf__mesh_gone(m->mesh, first))
        return true;
    for (int64_t k = 0; k < m->size - 2; k++) {
        lf_vec3 points[3];
        lf__mesh_triangle(m->mesh, first + k, points);
        if (!lf__mesh_edge_on(&m->mesh->frame, points))
            return false;
    }
    return true;
}

static lf__rectangle box_of(const measured *m) {
    lf__rectangle box = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (int64_t k = 0; k < m->size; k++) {
        lf_vec3 p = local_corner(m, k);
        box.low_x = fmin(box.low_x, p.x);
        box.low_y = fmin(box.low_y, p.y);
        box.high_x = fmax(box.high_x, p.x);
        box.high_y = fmax(box.high_y, p.y);
    }
    double pad = 2 * m->tree->blur;
    return (lf__rectangle){box.low_x - pad, box.low_y - pad, box.high_x + pad, box.high_y + pad};
}

/// The farthest x and y that points of a box have.
static lf_vec2 farthest(const lf__rectangle *box) {
    return (lf_vec2){larger(fabs(box->low_x), fabs(box->high_x)),
                     larger(fabs(box->low_y), fabs(box->high_y))};
}

/// The line of the edge behind corner k. Query points are within the polygon's box by then: the corners' blur
/// turns the line by no more than blur times the size of the box.
static lf__quadtree_line line_of(const measured *m, const lf__rectangle *box, int64_t k) {
    lf_vec3 v = local_corner(m, k), w = local_corner(m, k + 1);
    lf_vec2 far = farthest(box);
    lf__quadtree_line line = {m->facing * (v.y - w.y), m->facing * (w.x - v.x), 0, 0};
    double offset = line.a * v.x + line.b * v.y;
    double wide = box->high_x - box->low_x + (box->high_y - box->low_y);
    double bound =
        ROUNDING * (fabs(line.a) * far.x + fabs(line.b) * far.y) + 16 * m->tree->blur * wide + DBL_MIN;
    line.below = offset - bound;
    line.above = offset + bound;
    if (m->tree->straight && line.a == 0 && line.b == 0) // a corner twice: nothing is outside of that
        line.below = line.above = -1;
    return line;
}

static float upwards(double error) {
    if (!(error < FLT_MAX))
        return INFINITY;
    float rounded = (float)error;
    return (double)rounded < error ? nextafterf(rounded, INFINITY) : rounded;
}

/// How far the polygon's corners are from its plane; the error anywhere within it is a mean of these.
static void measure_plane(const measured *m, lf__quadtree_polygon *p, double area) {
    lf_vec2 middle = m->tree->middle;
    double residue = 0, far_x = 0, far_y = 0;
    for (int64_t k = 0; k < m->size; k++) {
        lf_vec3 v = local_corner(m, k);
        double x = v.x - middle.x, y = v.y - middle.y;
        residue = larger(residue, fabs(p->gx * x + p->gy * y + p->c - v.z));
        far_x = larger(far_x, fabs(x));
        far_y = larger(far_y, fabs(y));
    }
    double slope_x = fabs(p->gx), slope_y = fabs(p->gy);
    double error = residue + ROUNDING * (slope_x * far_x + slope_y * far_y + fabs(p->c)) +
                   2 * m->tree->blur * (1 + slope_x + slope_y);
    double wide = larger(p->box.high_x - p->box.low_x, p->box.high_y - p->box.low_y);
    p->error = upwards(error);
    if (error <= LF__QUADTREE_TOLERANCE && (m->size == 3 || residue * wide <= NORMAL_TOLERANCE * area))
        p->flags |= LF__QUADTREE_FINE;
}

/// The normal is that of the corners in the world, and only then turned: it is as good as the corners are.
static void make_plane(const measured *m, lf__quadtree_polygon *p) {
    lf_vec3 ring[3] = {corner(m, 0)}, normal = {0, 0, 0};
    for (int64_t k = 1; k + 1 < m->size; k++) {
        ring[1] = corner(m, k);
        ring[2] = corner(m, k + 1);
        normal = lf_vec3_add(normal, lf_polygon_area(ring, 3));
    }
    const lf_vec3 *rows = m->tree->frame.rows;
    lf_vec3 n = {lf_vec3_dot(rows[0], normal), lf_vec3_dot(rows[1], normal), lf_vec3_dot(rows[2], normal)};
    lf_vec3 first = local_corner(m, 0);
    p->gx = -n.x / n.z;
    p->gy = -n.y / n.z;
    p->c = first.z - p->gx * (first.x - m->tree->middle.x) - p->gy * (first.y - m->tree->middle.y);
    measure_plane(m, p, fabs(n.z));
}

static void measure_polygon(measured *m, lf__quadtree_polygon *p) {
    lf__quadtree *tree = m->tree;
    *p = (lf__quadtree_polygon){.first_line = (uint32_t)tree->line_count};
    if (is_absent(m)) {
        p->flags = LF__QUADTREE_ABSENT;
        return;
    }
    p->flags = LF__QUADTREE_EXACT;
    if (tree->frame.kind != LF_FRAME_GRAVITY) {
        p->box = lf__quadtree_angles(tree, m->mesh, m->polygon);
        return;
    }
    p->box = box_of(m);
    m->facing = agreed_facing(m);
    if (m->facing == 0)
        return;
    p->flags = m->facing < 0 ? LF__QUADTREE_UNDER : 0;
    p->line_count = (uint32_t)m->size;
    for (int64_t k = 0; k < m->size; k++)
        tree->lines[tree->line_count++] = line_of(m, &p->box, k);
    make_plane(m, p);
}

lf_status lf__quadtree_measure(lf__quadtree *tree, const lf_mesh *mesh, const lf_host *host) {
    int64_t first = tree->polygon_count, count = mesh->polygon_count - first;
    int64_t triangles = mesh->triangle_count - lf__mesh_first(mesh, first);
    int64_t lines = tree->line_count + (tree->frame.kind == LF_FRAME_GRAVITY ? triangles + 2 * count : 0);
    if (lines > UINT32_MAX)
        return LF_TOO_LARGE;
    void *polygon_items = tree->polygons, *line_items = tree->lines;
    lf_status status = lf__grow(&mesh->allocator, &polygon_items, &tree->polygon_capacity,
                                mesh->polygon_count, sizeof *tree->polygons);
    tree->polygons = polygon_items;
    if (status == LF_OK)
        status = lf__grow(&mesh->allocator, &line_items, &tree->line_capacity, lines, sizeof *tree->lines);
    tree->lines = line_items;
    for (int64_t i = first; status == LF_OK && i < mesh->polygon_count; i++) {
        measured m = {mesh, tree, i, lf__mesh_corner_count(mesh, i), 0};
        measure_polygon(&m, &tree->polygons[i]);
        if (i % 65536 == 0 && !lf__report(host, "polygons", i, mesh->polygon_count))
            status = LF_CANCELLED;
    }
    if (status == LF_OK)
        tree->polygon_count = mesh->polygon_count;
    return status;
}
