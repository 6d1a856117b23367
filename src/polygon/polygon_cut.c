#include "polygon/polygon_cut.h"
#include <string.h>

/// Fans are compared from at most so many corners.
#define APEXES 64

/// Are three corners on a line? Exact.
static bool on_a_line(lf_vec3 a, lf_vec3 b, lf_vec3 c) {
    const lf_vec3 triangle[3] = {a, b, c};
    return lf_polygon_check(triangle, 3, 0, NULL) == LF_POLYGON_DEGENERATE;
}

/// Does a corner bound nothing: repeated, or the tip of a spike? Asked in space: in a projection corners fall together that are apart.
static bool is_idle(lf_vec3 a, lf_vec3 b, lf_vec3 c) {
    return lf_vec3_dot(lf_vec3_sub(b, a), lf_vec3_sub(c, b)) <= 0 && on_a_line(a, b, c);
}

/// Leave out corners that bound nothing; those before one may bound nothing either once it is gone. Ends with 0 .. 2 corners where
/// the whole polygon bounds nothing.
static int64_t make_ring(const lf_vec3 *corners, int64_t count, int64_t *ring) {
    int64_t kept = 0;
    for (int64_t i = 0; i < count; i++) {
        ring[kept++] = i;
        while (kept >= 3 &&
               is_idle(corners[ring[kept - 3]], corners[ring[kept - 2]], corners[ring[kept - 1]])) {
            ring[kept - 2] = ring[kept - 1];
            kept--;
        }
    }
    // The same where the end meets the start: each look takes a corner away, or is the last.
    for (bool again = true; again && kept >= 3;) {
        lf_vec3 first = corners[ring[0]], last = corners[ring[kept - 1]];
        again = is_idle(corners[ring[kept - 2]], last, first);
        if (again) {
            kept--;
        } else if (is_idle(last, first, corners[ring[1]])) {
            again = true;
            kept--;
            memmove(ring, ring + 1, (size_t)kept * sizeof *ring);
        }
    }
    return kept;
}

/// Is every corner that has no triangle on the straight way between its neighbours? Ears are looked for in a projection, where more
/// corners than these seem to bound nothing.
static bool is_complete(const lf_vec3 *points, int64_t count, const int64_t *triangles,
                        int64_t triangle_count) {
    for (int64_t i = 0; i < count && triangle_count < count - 2; i++) {
        bool used = false;
        for (int64_t k = 0; k < 3 * triangle_count && !used; k++)
            used = triangles[k] == i;
        if (!used && !on_a_line(points[(i + count - 1) % count], points[i], points[(i + 1) % count]))
            return false;
    }
    return triangle_count > 0;
}

static double fan_area(const lf_vec3 *points, int64_t count, int64_t apex) {
    double area = 0;
    lf_vec3 last = lf_vec3_sub(points[(apex + 1) % count], points[apex]);
    for (int64_t i = 2; i < count; i++) {
        lf_vec3 next = lf_vec3_sub(points[(apex + i) % count], points[apex]);
        area += lf_vec3_length(lf_vec3_cross(last, next));
        last = next;
    }
    return area;
}

/// The fan with the least area; of a quad that is the better diagonal.
static int64_t make_fan(const lf_vec3 *points, int64_t count, int64_t *triangles) {
    int64_t best = 0, step = (count + APEXES - 1) / APEXES;
    double least = fan_area(points, count, 0);
    for (int64_t apex = step; apex < count; apex += step) {
        double area = fan_area(points, count, apex);
        if (area < least) {
            least = area;
            best = apex;
        }
    }
    for (int64_t i = 0; i < count - 2; i++) {
        triangles[3 * i] = best;
        triangles[3 * i + 1] = (best + i + 1) % count;
        triangles[3 * i + 2] = (best + i + 2) % count;
    }
    return count - 2;
}

static lf_status take_room(lf__cut *cut, const lf_allocator *allocator, int64_t count) {
    cut->ring.count = cut->points.count = cut->triangles.count = 0;
    lf_status status = lf__array_reserve(&cut->ring, allocator, count, sizeof(int64_t));
    if (status == LF_OK)
        status = lf__array_reserve(&cut->points, allocator, count, sizeof(lf_vec3));
    if (status == LF_OK)
        status = lf__array_reserve(&cut->triangles, allocator, 3 * (count - 2), sizeof(int64_t));
    return status;
}

lf_status lf__cut_polygon(lf__cut *cut, const lf_allocator *allocator, const lf_vec3 *corners, int64_t count,
                          bool *crossed) {
    *crossed = false;
    lf_status status = take_room(cut, allocator, count);
    if (status != LF_OK)
        return status;
    int64_t *ring = cut->ring.items, *triangles = cut->triangles.items;
    lf_vec3 *points = cut->points.items;
    int64_t kept = make_ring(corners, count, ring);
    if (kept < 3)
        return LF_OK;
    for (int64_t i = 0; i < kept; i++)
        points[i] = corners[ring[i]];
    int64_t made = lf_polygon_triangulate(points, kept, triangles);
    *crossed = !is_complete(points, kept, triangles, made);
    if (*crossed)
        made = make_fan(points, kept, triangles);
    for (int64_t k = 0; k < 3 * made; k++)
        triangles[k] = ring[triangles[k]];
    cut->triangles.count = 3 * made;
    return LF_OK;
}

void lf__cut_free(lf__cut *cut, const lf_allocator *allocator) {
    lf__array_free(&cut->triangles, allocator, sizeof(int64_t));
    lf__array_free(&cut->points, allocator, sizeof(lf_vec3));
    lf__array_free(&cut->ring, allocator, sizeof(int64_t));
}
