/// Planes, and area, flatness, convexity and clipping of polygons in space.
#include "geom/expansion.h"
#include "geom/geometry.h"
#include <math.h>

// ---------------------------------------------------------------------------------------------------
// Planes
// ---------------------------------------------------------------------------------------------------

static double height_exact(const lf_plane *plane, lf_vec3 p) {
    lf__exact3 point;
    lf__exact along, offset;
    lf__exact3_of(p, &point);
    lf__exact3_dot_vec(&point, plane->normal, &along);
    lf__exact_of(plane->offset, &offset);
    lf__exact_minus(&along, &offset, &along);
    return lf__exact_estimate(&along);
}

double lf__plane_height(const lf_plane *plane, lf_vec3 p) {
    double x = plane->normal.x * p.x, y = plane->normal.y * p.y, z = plane->normal.z * p.z;
    double height = x + y + z - plane->offset;
    // A product and three additions: four roundings (see orient.c for the bound).
    double bound = 5 * 0x1p-53 * (fabs(x) + fabs(y) + fabs(z) + fabs(plane->offset));
    return fabs(height) > bound ? height : height_exact(plane, p);
}

int lf__plane_side(const lf_plane *plane, lf_vec3 p) {
    double height = lf__plane_height(plane, p);
    return (height > 0) - (height < 0);
}

// ---------------------------------------------------------------------------------------------------
// Area
// ---------------------------------------------------------------------------------------------------

/// Twice the area vector without rounding, for polygons so thin that rounding would turn it.
static lf_vec3 area_exact(const lf_vec3 *corners, int64_t count) {
    lf__exact3 sum, last, next, product;
    lf__exact3_of((lf_vec3){0, 0, 0}, &sum);
    lf__exact3_difference(corners[1], corners[0], &next);
    for (int64_t i = 2; i < count; i++) {
        last = next;
        lf__exact3_difference(corners[i], corners[0], &next);
        lf__exact3_cross(&last, &next, &product);
        lf__exact_sum(&sum.x, &product.x, &sum.x);
        lf__exact_sum(&sum.y, &product.y, &sum.y);
        lf__exact_sum(&sum.z, &product.z, &sum.z);
    }
    return (lf_vec3){lf__exact_estimate(&sum.x), lf__exact_estimate(&sum.y), lf__exact_estimate(&sum.z)};
}

/// The area vector, and the sum of the magnitudes of the triangles' area components.
static lf_vec3 area_and_bulk(const lf_vec3 *corners, int64_t count, lf_vec3 *bulk) {
    lf_vec3 sum = {0, 0, 0};
    double reach = 0;
    *bulk = sum;
    if (count < 3)
        return sum;
    lf_vec3 next = lf_vec3_sub(corners[1], corners[0]);
    for (int64_t i = 2; i < count; i++) {
        lf_vec3 last = next;
        next = lf_vec3_sub(corners[i], corners[0]);
        lf_vec3 product = lf_vec3_cross(last, next);
        lf_vec3 size = {fabs(product.x), fabs(product.y), fabs(product.z)};
        sum = lf_vec3_add(sum, product);
        *bulk = lf_vec3_add(*bulk, size);
        reach += lf_vec3_length(last) * lf_vec3_length(next);
    }
    // Rounding errors are a few units of `reach`, whatever the area: a thousandth of it is still safe.
    if (!(lf_vec3_length(sum) > 1e-3 * reach))
        sum = area_exact(corners, count);
    return lf_vec3_scale(sum, 0.5);
}

lf_vec3 lf_polygon_area(const lf_vec3 *corners, int64_t count) {
    lf_vec3 bulk;
    return area_and_bulk(corners, count, &bulk);
}

static int largest_axis(lf_vec3 a) {
    double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
    if (z >= x && z >= y) // level ground first: ties fall to z
        return 2;
    return x >= y ? 0 : 1;
}

lf__projection lf__polygon_projection(const lf_vec3 *corners, int64_t count) {
    lf_vec3 bulk, area = area_and_bulk(corners, count, &bulk);
    bool flat = area.x == 0 && area.y == 0 && area.z == 0;
    lf__projection projection = {largest_axis(flat ? bulk : area), 0};
    double along = projection.axis == 0 ? area.x : projection.axis == 1 ? area.y : area.z;
    projection.turn = (along > 0) - (along < 0);
    return projection;
}

// ---------------------------------------------------------------------------------------------------
// Check
// ---------------------------------------------------------------------------------------------------

static int64_t first_not_finite(const lf_vec3 *corners, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (!lf_vec3_finite(corners[i]))
            return i;
    return -1;
}

/// State of a walk around the projected outline.
typedef struct outline_walk {
    int wanted;    ///< the turn of convex corners; 0 until the first turn
    int changes;   ///< how often the outline changes between rising and falling: twice for one turn
    bool turned;   ///< has there been any turn?
    int64_t fault; ///< the first corner that turns wrongly, or -1
} outline_walk;

/// Check the corner b, number `at`, between a and c.
static void look_at_corner(outline_walk *walk, lf_vec2 a, lf_vec2 b, lf_vec2 c, int64_t at) {
    int turn = lf_orient2d(a, b, c);
    bool changed = lf__vec2_rises(a, b) != lf__vec2_rises(b, c);
    bool straight_back = turn == 0 && changed;
    walk->changes += changed;
    walk->turned |= turn != 0;
    if (walk->wanted == 0)
        walk->wanted = turn;
    bool wrong = turn != 0 && turn != walk->wanted;
    if (walk->fault < 0 && (wrong || straight_back || walk->changes > 2))
        walk->fault = at;
}

/// Walk around once and check every corner that differs from the one before it.
static outline_walk walk_outline(const lf_vec3 *corners, int64_t count, lf__projection projection) {
    outline_walk walk = {.wanted = projection.turn, .fault = -1};
    int axis = projection.axis;
    lf_vec2 a = lf__project(corners[0], axis);
    int64_t first = 1;
    while (first < count && lf__vec2_same(a, lf__project(corners[first], axis)))
        first++;
    if (first == count)
        return walk;
    lf_vec2 b = lf__project(corners[first], axis);
    int64_t at = first;
    for (int64_t i = first + 1; i <= first + count; i++) {
        int64_t number = i < count ? i : i - count;
        lf_vec2 c = lf__project(corners[number], axis);
        if (lf__vec2_same(b, c))
            continue;
        look_at_corner(&walk, a, b, c, at);
        a = b;
        b = c;
        at = number;
    }
    return walk;
}

/// The corner farthest from the plane through the middle of the corners, when farther than the tolerance;
/// else -1.
static int64_t bent_corner(const lf_vec3 *corners, int64_t count, double tolerance) {
    lf_vec3 normal = lf_vec3_unit(lf_polygon_area(corners, count));
    double low = 0, high = 0, reach = 0, sum = 0;
    int64_t lowest = 0, highest = 0;
    for (int64_t i = 0; i < count; i++) {
        lf_vec3 from_first = lf_vec3_sub(corners[i], corners[0]);
        double height = lf_vec3_dot(normal, from_first);
        reach = fmax(reach, lf_vec3_length(from_first));
        sum += height;
        if (height < low) {
            low = height;
            lowest = i;
        }
        if (height > high) {
            high = height;
            highest = i;
        }
    }
    double middle = sum / (double)count;
    double slack = tolerance + 16 * 0x1p-53 * reach; // the heights themselves are rounded
    if (high - middle > slack && high - middle >= middle - low)
        return highest;
    return middle - low > slack ? lowest : -1;
}

lf_polygon_fault lf_polygon_check(const lf_vec3 *corners, int64_t count, double tolerance, int64_t *at) {
    int64_t nowhere, *where = at ? at : &nowhere;
    *where = -1;
    if (count < 3)
        return LF_POLYGON_TOO_FEW;
    *where = first_not_finite(corners, count);
    if (*where >= 0)
        return LF_POLYGON_NOT_FINITE;
    outline_walk walk = walk_outline(corners, count, lf__polygon_projection(corners, count));
    if (!walk.turned)
        return LF_POLYGON_DEGENERATE;
    *where = walk.fault;
    if (walk.fault >= 0)
        return LF_POLYGON_CONCAVE;
    *where = count == 3 ? -1 : bent_corner(corners, count, tolerance); // three corners are always flat
    return *where >= 0 ? LF_POLYGON_BENT : LF_POLYGON_FINE;
}

// ---------------------------------------------------------------------------------------------------
// Clip
// ---------------------------------------------------------------------------------------------------

/// Where the edge from a corner behind the plane to one in front of it meets the plane. Always computed
/// from behind, so that two polygons that share the edge get the same point.
static lf_vec3 edge_crossing(lf_vec3 behind, double behind_height, lf_vec3 front, double front_height) {
    double t = behind_height / (behind_height - front_height);
    return lf_vec3_along(behind, t, lf_vec3_sub(front, behind));
}

int64_t lf_polygon_clip(const lf_vec3 *corners, int64_t count, const lf_plane *plane, lf_vec3 *clipped) {
    if (count < 1)
        return 0;
    int64_t kept = 0;
    int crossings = 0; // a convex outline crosses twice; any other must not overflow the caller's array
    double last_height = lf__plane_height(plane, corners[count - 1]);
    for (int64_t i = 0; i < count; i++) {
        lf_vec3 last = corners[i > 0 ? i - 1 : count - 1];
        double height = lf__plane_height(plane, corners[i]);
        if (last_height < 0 && height > 0 && crossings++ < 2)
            clipped[kept++] = edge_crossing(last, last_height, corners[i], height);
        if (last_height > 0 && height < 0 && crossings++ < 2)
            clipped[kept++] = edge_crossing(corners[i], height, last, last_height);
        if (height <= 0)
            clipped[kept++] = corners[i];
        last_height = height;
    }
    return kept;
}
