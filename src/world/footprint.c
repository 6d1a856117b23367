/// Footprints: rings that are checked, cut into triangles and extruded.
#include "geom/geometry.h"
#include "world/world_parts.h"
#include <string.h>

static lf_vec2 *points_of(const lf__footprint *footprint) {
    return footprint->points.items;
}

static int64_t ring_count(const lf__footprint *footprint) {
    return footprint->ends.count;
}

static int64_t ring_end(const lf__footprint *footprint, int64_t ring) {
    return ring < 0 ? 0 : ((const int64_t *)footprint->ends.items)[ring];
}

void lf__footprint_reset(lf__footprint *footprint) {
    footprint->points.count = footprint->ends.count = 0;
}

void lf__footprint_free(lf__footprint *footprint, const lf_allocator *allocator) {
    lf__array_free(&footprint->ends, allocator, sizeof(int64_t));
    lf__array_free(&footprint->points, allocator, sizeof(lf_vec2));
}

lf_status lf__footprint_point(lf__footprint *footprint, const lf_allocator *allocator, lf_vec2 point) {
    int64_t start = ring_end(footprint, ring_count(footprint) - 1), count = footprint->points.count;
    if (count > start && lf__vec2_same(points_of(footprint)[count - 1], point))
        return LF_OK;
    if (count >= LF__FOOTPRINT_CORNERS)
        return LF_TOO_LARGE;
    lf_status status = lf__array_reserve(&footprint->points, allocator, 1, sizeof point);
    if (status == LF_OK)
        points_of(footprint)[footprint->points.count++] = point;
    return status;
}

/// Twice the area, positive counter-clockwise: about the first point, so that far coordinates do not matter.
static double ring_area(const lf_vec2 *points, int64_t count) {
    double area = 0;
    for (int64_t i = 1; i + 1 < count; i++)
        area += (points[i].x - points[0].x) * (points[i + 1].y - points[0].y) -
                (points[i + 1].x - points[0].x) * (points[i].y - points[0].y);
    return area;
}

lf_status lf__footprint_close(lf__footprint *footprint, const lf_allocator *allocator) {
    int64_t rings = ring_count(footprint), start = ring_end(footprint, rings - 1);
    lf_status status = lf__array_reserve(&footprint->ends, allocator, 1, sizeof(int64_t));
    if (status != LF_OK)
        return status;
    lf_vec2 *points = points_of(footprint) + start;
    int64_t count = footprint->points.count - start;
    while (count > 1 && lf__vec2_same(points[0], points[count - 1]))
        count--;
    footprint->points.count = start + count;
    if (ring_area(points, count) * (rings == 0 ? 1 : -1) < 0)
        for (int64_t i = 0; i < count / 2; i++) {
            lf_vec2 swap = points[i];
            points[i] = points[count - 1 - i];
            points[count - 1 - i] = swap;
        }
    ((int64_t *)footprint->ends.items)[footprint->ends.count++] = start + count;
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Faults
// ---------------------------------------------------------------------------------------------------

static bool spans_part(double a, double b, double c, double d) {
    double low = a < b ? a : b, high = a < b ? b : a;
    return (c < low && d < low) || (c > high && d > high);
}

/// Do two closed segments have a point in common?
static bool segments_meet(lf_vec2 a, lf_vec2 b, lf_vec2 c, lf_vec2 d) {
    if (spans_part(a.x, b.x, c.x, d.x) || spans_part(a.y, b.y, c.y, d.y))
        return false;
    return lf_orient2d(a, b, c) * lf_orient2d(a, b, d) <= 0 &&
           lf_orient2d(c, d, a) * lf_orient2d(c, d, b) <= 0;
}

/// The number of the point behind one, around its ring.
static int64_t point_after(const lf__footprint *footprint, int64_t ring, int64_t i) {
    return i + 1 < ring_end(footprint, ring) ? i + 1 : ring_end(footprint, ring - 1);
}

/// Does the edge from point i meet an edge of the rings from point j on? The next edge may share its start.
static bool edge_meets(const lf__footprint *footprint, int64_t ring, int64_t i, lf_vec2 *at) {
    const lf_vec2 *p = points_of(footprint);
    int64_t next = point_after(footprint, ring, i);
    lf_vec2 a = p[i], b = p[next];
    for (int64_t other = ring; other < ring_count(footprint); other++)
        for (int64_t j = other == ring ? i + 1 : ring_end(footprint, other - 1);
             j < ring_end(footprint, other); j++) {
            int64_t after = point_after(footprint, other, j);
            bool meets = segments_meet(a, b, p[j], p[after]);
            // Neighbours share a corner, and must not run back over each other.
            if (meets && j == next)
                meets =
                    lf_orient2d(a, b, p[after]) == 0 && (lf__vec2_rises(a, b) != lf__vec2_rises(b, p[after]));
            if (meets && after == i && j != next)
                meets = lf_orient2d(p[j], a, b) == 0 && (lf__vec2_rises(p[j], a) != lf__vec2_rises(a, b));
            if (meets) {
                *at = p[j];
                return true;
            }
        }
    return false;
}

/// Is a point, which is not on a ring, within it?
static bool ring_holds(const lf__footprint *footprint, int64_t ring, lf_vec2 q) {
    const lf_vec2 *p = points_of(footprint);
    bool inside = false;
    for (int64_t i = ring_end(footprint, ring - 1); i < ring_end(footprint, ring); i++) {
        lf_vec2 a = p[i], b = p[point_after(footprint, ring, i)];
        if ((a.y > q.y) != (b.y > q.y))
            inside ^= (lf_orient2d(a, b, q) > 0) == (b.y > a.y);
    }
    return inside;
}

const char *lf__footprint_fault(const lf__footprint *footprint, lf_vec2 *at) {
    int64_t rings = ring_count(footprint);
    *at = (lf_vec2){0, 0};
    if (rings == 0)
        return "has no outline";
    for (int64_t ring = 0; ring < rings; ring++) {
        int64_t start = ring_end(footprint, ring - 1);
        if (ring_end(footprint, ring) > start)
            *at = points_of(footprint)[start];
        if (ring_end(footprint, ring) - start < 3)
            return "a ring has fewer than 3 corners";
    }
    for (int64_t ring = 0; ring < rings; ring++)
        for (int64_t i = ring_end(footprint, ring - 1); i < ring_end(footprint, ring); i++)
            if (edge_meets(footprint, ring, i, at))
                return "its edges cross or touch";
    for (int64_t ring = 1; ring < rings; ring++) {
        *at = points_of(footprint)[ring_end(footprint, ring - 1)];
        if (!ring_holds(footprint, 0, *at))
            return "a hole is outside its outline";
        for (int64_t other = 1; other < rings; other++)
            if (other != ring && ring_holds(footprint, other, *at))
                return "a hole is within another hole";
    }
    return NULL;
}

// ---------------------------------------------------------------------------------------------------
// One outline: each hole is connected to it by a bridge of two coincident edges
// ---------------------------------------------------------------------------------------------------

/// An outline being made of the rings.
typedef struct outline {
    const lf__footprint *footprint;
    int64_t *numbers; ///< of points, around the outline
    int64_t count;
    bool *joined; ///< per ring
} outline;

static lf_vec2 outline_point(const outline *outline, int64_t place) {
    int64_t n = outline->count;
    return points_of(outline->footprint)[outline->numbers[place < 0    ? place + n
                                                          : place >= n ? place - n
                                                                       : place]];
}

/// Does a point lie in the angle of the interior at a place of the outline?
static bool in_angle(const outline *outline, int64_t place, lf_vec2 q) {
    lf_vec2 a = outline_point(outline, place - 1), b = outline_point(outline, place),
            c = outline_point(outline, place + 1);
    bool first = lf_orient2d(a, b, q) > 0, second = lf_orient2d(b, c, q) > 0;
    return lf_orient2d(a, b, c) > 0 ? first && second : first || second;
}

/// Is the segment between two points clear of all edges but those at its ends?
static bool bridge_clear(const lf__footprint *footprint, lf_vec2 a, lf_vec2 b) {
    const lf_vec2 *p = points_of(footprint);
    for (int64_t ring = 0; ring < ring_count(footprint); ring++)
        for (int64_t i = ring_end(footprint, ring - 1); i < ring_end(footprint, ring); i++) {
            lf_vec2 c = p[i], d = p[point_after(footprint, ring, i)];
            bool ends =
                lf__vec2_same(a, c) || lf__vec2_same(a, d) || lf__vec2_same(b, c) || lf__vec2_same(b, d);
            if (!ends && segments_meet(a, b, c, d))
                return false;
        }
    return true;
}

static double square_distance(lf_vec2 a, lf_vec2 b) {
    return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

/// Does a bridge cross one that was made before? Those are edges of the outline between different rings.
static bool bridge_crosses(const outline *outline, lf_vec2 a, lf_vec2 b) {
    for (int64_t i = 0; i < outline->count; i++) {
        lf_vec2 c = outline_point(outline, i), d = outline_point(outline, i + 1);
        bool ends = lf__vec2_same(a, c) || lf__vec2_same(a, d) || lf__vec2_same(b, c) || lf__vec2_same(b, d);
        if (!ends && segments_meet(a, b, c, d))
            return true;
    }
    return false;
}

/// The place of the outline that a point of a hole can be connected to: the nearest; -1: none.
static int64_t find_bridge(const outline *outline, lf_vec2 from) {
    int64_t found = -1;
    double nearest = 0;
    for (int64_t i = 0; i < outline->count; i++) {
        lf_vec2 to = outline_point(outline, i);
        double distance = square_distance(from, to);
        if ((found < 0 || distance < nearest) && in_angle(outline, i, from) &&
            bridge_clear(outline->footprint, from, to) && !bridge_crosses(outline, from, to)) {
            found = i;
            nearest = distance;
        }
    }
    return found;
}

/// Insert a ring behind a place of the outline, from its point `first` around to that point, and back to the place.
static void join_ring(outline *outline, int64_t place, int64_t ring, int64_t first) {
    int64_t start = ring_end(outline->footprint, ring - 1), size = ring_end(outline->footprint, ring) - start;
    int64_t *at = outline->numbers + place;
    memmove(at + size + 2, at, (size_t)(outline->count - place) * sizeof *at);
    for (int64_t k = 0; k <= size; k++)
        at[1 + k] = start + (first - start + k) % size;
    outline->count += size + 2;
    outline->joined[ring] = true;
}

/// The hole that is not joined yet and reaches farthest to the right, and that point of it.
static int64_t rightmost_hole(const outline *outline, int64_t *first) {
    const lf_vec2 *p = points_of(outline->footprint);
    int64_t found = -1;
    for (int64_t ring = 1; ring < ring_count(outline->footprint); ring++)
        for (int64_t i = ring_end(outline->footprint, ring - 1);
             !outline->joined[ring] && i < ring_end(outline->footprint, ring); i++)
            if (found < 0 || p[i].x > p[*first].x) {
                found = ring;
                *first = i;
            }
    return found;
}

static bool join_all(outline *outline) {
    for (;;) {
        int64_t first = 0, ring = rightmost_hole(outline, &first);
        if (ring < 0)
            return true;
        int64_t place = find_bridge(outline, points_of(outline->footprint)[first]);
        if (place < 0)
            return false;
        join_ring(outline, place, ring, first);
    }
}

/// Triangulate an outline with the space that it needs: corners, and three numbers for each triangle.
static lf_status cut_outline(const outline *outline, const lf_allocator *allocator, lf__array *corners) {
    int64_t n = outline->count, most = 3 * (n - 2);
    lf_vec3 *flat = NULL;
    lf_status status = lf__allocate_array(allocator, n, sizeof *flat, (void **)&flat);
    if (status == LF_OK)
        status = lf__array_reserve(corners, allocator, most, sizeof(int64_t));
    if (status == LF_OK) {
        int64_t *out = (int64_t *)corners->items + corners->count;
        for (int64_t i = 0; i < n; i++) {
            lf_vec2 p = outline_point(outline, i);
            flat[i] = (lf_vec3){p.x, p.y, 0};
        }
        int64_t triangles = lf_polygon_triangulate(flat, n, out);
        status = triangles > 0 ? LF_OK : LF_BAD_GEOMETRY;
        for (int64_t i = 0; i < 3 * triangles; i++)
            out[i] = outline->numbers[out[i]];
        corners->count += triangles > 0 ? 3 * triangles : 0;
    }
    lf__free_array(allocator, flat, n, sizeof *flat);
    return status;
}

lf_status lf__footprint_cut(const lf__footprint *footprint, const lf_allocator *allocator,
                            lf__array *corners) {
    int64_t rings = ring_count(footprint), space = footprint->points.count + 2 * rings;
    outline outline = {.footprint = footprint, .count = ring_end(footprint, 0)};
    lf_status status = lf__allocate_array(allocator, space, sizeof(int64_t), (void **)&outline.numbers);
    if (status == LF_OK)
        status = lf__allocate_array(allocator, rings, sizeof(bool), (void **)&outline.joined);
    if (status == LF_OK) {
        memset(outline.joined, 0, (size_t)rings * sizeof(bool));
        for (int64_t i = 0; i < outline.count; i++)
            outline.numbers[i] = i;
        status = join_all(&outline) ? cut_outline(&outline, allocator, corners) : LF_BAD_GEOMETRY;
    }
    lf__free_array(allocator, outline.joined, rings, sizeof(bool));
    lf__free_array(allocator, outline.numbers, space, sizeof(int64_t));
    return status;
}

// ---------------------------------------------------------------------------------------------------
// Bodies
// ---------------------------------------------------------------------------------------------------

void lf__bodies_free(lf__bodies *bodies, const lf_allocator *allocator) {
    lf__array_free(&bodies->users, allocator, sizeof(uint64_t));
    lf__array_free(&bodies->corners, allocator, sizeof(int64_t));
    lf__array_free(&bodies->vertices, allocator, sizeof(lf_vec3));
}

static void add_triangle(lf__bodies *bodies, int64_t a, int64_t b, int64_t c, uint64_t user) {
    int64_t *corners = (int64_t *)bodies->corners.items + bodies->corners.count;
    corners[0] = a;
    corners[1] = b;
    corners[2] = c;
    bodies->corners.count += 3;
    ((uint64_t *)bodies->users.items)[bodies->users.count++] = user;
}

/// Reserve space for a body of `points` corners and `roof` numbers of corners of triangles.
static lf_status reserve_body(lf__bodies *bodies, const lf_allocator *allocator, int64_t points,
                              int64_t roof) {
    int64_t triangles = 2 * (roof / 3) + 2 * points;
    lf_status status = lf__array_reserve(&bodies->vertices, allocator, 2 * points, sizeof(lf_vec3));
    if (status == LF_OK)
        status = lf__array_reserve(&bodies->corners, allocator, 3 * triangles, sizeof(int64_t));
    if (status == LF_OK)
        status = lf__array_reserve(&bodies->users, allocator, triangles, sizeof(uint64_t));
    return status;
}

lf_status lf__bodies_extrude(lf__bodies *bodies, const lf_allocator *allocator,
                             const lf__footprint *footprint, double low, double high, uint64_t user) {
    lf__array roof = {0};
    int64_t n = footprint->points.count, base = bodies->vertices.count;
    lf_status status = lf__footprint_cut(footprint, allocator, &roof);
    if (status == LF_OK)
        status = reserve_body(bodies, allocator, n, roof.count);
    if (status == LF_OK) {
        lf_vec3 *vertices = (lf_vec3 *)bodies->vertices.items + base;
        for (int64_t i = 0; i < n; i++) {
            lf_vec2 p = points_of(footprint)[i];
            vertices[i] = (lf_vec3){p.x, p.y, low};
            vertices[n + i] = (lf_vec3){p.x, p.y, high};
        }
        bodies->vertices.count += 2 * n;
        const int64_t *cut = roof.items;
        for (int64_t i = 0; i + 2 < roof.count; i += 3) {
            add_triangle(bodies, base + n + cut[i], base + n + cut[i + 1], base + n + cut[i + 2], user);
            add_triangle(bodies, base + cut[i + 2], base + cut[i + 1], base + cut[i], user);
        }
        for (int64_t ring = 0; ring < ring_count(footprint); ring++)
            for (int64_t i = ring_end(footprint, ring - 1); i < ring_end(footprint, ring); i++) {
                int64_t a = base + i, b = base + point_after(footprint, ring, i);
                add_triangle(bodies, a, b, b + n, user);
                add_triangle(bodies, a, b + n, a + n, user);
            }
    }
    lf__array_free(&roof, allocator, sizeof(int64_t));
    return status;
}
