/// Polygons made fit for ground: each of them convex, flat and with area.
#include "polygon/polygon.h"
#include <inttypes.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// One polygon into triangles
// ---------------------------------------------------------------------------------------------------

/// Scratch, grown as needed and free between polygons.
typedef struct polygon_cut {
    lf__array ring;      ///< int64_t: corners that bound something
    lf__array points;    ///< lf_vec3: their places
    lf__array triangles; ///< int64_t: the result, three numbers of corners each
} polygon_cut;

/// Fans are compared from at most so many corners.
#define FAN_APEXES 64

/// Whether three corners are on a line, exactly.
static bool on_a_line(lf_vec3 a, lf_vec3 b, lf_vec3 c) {
    const lf_vec3 triangle[3] = {a, b, c};
    return lf_polygon_check(triangle, 3, 0, NULL) == LF_POLYGON_DEGENERATE;
}

/// Whether a corner bounds nothing: repeated, or the tip of a spike. Decided in space: in a projection
/// distinct corners can coincide.
static bool is_idle(lf_vec3 a, lf_vec3 b, lf_vec3 c) {
    return lf_vec3_dot(lf_vec3_sub(b, a), lf_vec3_sub(c, b)) <= 0 && on_a_line(a, b, c);
}

/// Leave out corners that bound nothing; without one, those before it may bound nothing either. 0 .. 2
/// corners are left when the whole polygon bounds nothing.
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
    // The same where the end meets the start: each pass removes a corner, or is the last.
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

/// Whether every corner without a triangle is on the straight line between its neighbours. Ears are found in
/// a projection, in which more corners than these seem to bound nothing.
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
    int64_t best = 0, step = (count + FAN_APEXES - 1) / FAN_APEXES;
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

static lf_status reserve_cut(polygon_cut *cut, const lf_allocator *allocator, int64_t count) {
    cut->ring.count = cut->points.count = cut->triangles.count = 0;
    lf_status status = lf__array_reserve(&cut->ring, allocator, count, sizeof(int64_t));
    if (status == LF_OK)
        status = lf__array_reserve(&cut->points, allocator, count, sizeof(lf_vec3));
    if (status == LF_OK)
        status = lf__array_reserve(&cut->triangles, allocator, 3 * (count - 2), sizeof(int64_t));
    return status;
}

/// Cut a polygon of 3 or more finite corners. The outline of the triangles is that of the polygon, apart from
/// corners on a straight edge and from spikes, so that a closed body stays closed: ears are cut off where the
/// projection of the outline allows it; an outline that crosses itself there becomes the fan with the least
/// area. The result may contain triangles without area.
/// crossed  set when it became a fan
/// Errors: LF_NO_MEMORY, LF_TOO_LARGE.
static lf_status cut_to_triangles(polygon_cut *cut, const lf_allocator *allocator, const lf_vec3 *corners,
                                  int64_t count, bool *crossed) {
    *crossed = false;
    lf_status status = reserve_cut(cut, allocator, count);
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

static void free_cut(polygon_cut *cut, const lf_allocator *allocator) {
    lf__array_free(&cut->triangles, allocator, sizeof(int64_t));
    lf__array_free(&cut->points, allocator, sizeof(lf_vec3));
    lf__array_free(&cut->ring, allocator, sizeof(int64_t));
}

// ---------------------------------------------------------------------------------------------------
// All polygons
// ---------------------------------------------------------------------------------------------------

/// The time of cutting grows with the square of the corners: the most of one polygon.
#define CUT_CORNERS 10000
#define CLEAN_REPORT ((int64_t)1 << 16)

/// What is to be done with a polygon.
typedef enum cut_plan { PLAN_KEEP, PLAN_CUT, PLAN_DROP } cut_plan;

/// The old arrays being read, the new ones being written, and scratch for one polygon.
typedef struct cleaner {
    lf__soup *soup;
    lf_error *error;
    double tolerance;
    uint8_t *plans;
    int64_t polygons, corners; // at most so many afterwards
    lf__array points;          // lf_vec3
    polygon_cut cut;
    lf__soup fresh; // only corners, starts and users
} cleaner;

static const int64_t *cleaner_starts(const cleaner *job) {
    return job->soup->starts.items;
}

/// The corners of a polygon as points; NULL when memory runs out.
static const lf_vec3 *polygon_points(cleaner *job, int64_t polygon, int64_t *count) {
    const int64_t *corners = (const int64_t *)job->soup->corners.items + cleaner_starts(job)[polygon];
    const lf_vec3 *vertices = job->soup->vertices.items;
    *count = cleaner_starts(job)[polygon + 1] - cleaner_starts(job)[polygon];
    if (lf__array_reserve(&job->points, &job->soup->allocator, *count, sizeof(lf_vec3)) != LF_OK)
        return NULL;
    lf_vec3 *points = job->points.items;
    for (int64_t i = 0; i < *count; i++)
        points[i] = vertices[corners[i]];
    return points;
}

/// Whether a triangle certainly has area: a component of its normal exceeds all rounding.
static bool has_certain_area(const lf_vec3 *points, int64_t count) {
    if (count != 3)
        return false;
    lf_vec3 a = lf_vec3_sub(points[1], points[0]), b = lf_vec3_sub(points[2], points[0]);
    double products[6] = {a.y * b.z, a.z * b.y, a.z * b.x, a.x * b.z, a.x * b.y, a.y * b.x};
    for (int i = 0; i < 6; i += 2) {
        double rounding = 1e-15 * (fabs(products[i]) + fabs(products[i + 1])) + 1e-290;
        double component = fabs(products[i] - products[i + 1]);
        if (component > rounding && component < 1e290)
            return true;
    }
    return false;
}

static cut_plan plan_for(lf_polygon_fault fault) {
    if (fault == LF_POLYGON_CONCAVE || fault == LF_POLYGON_BENT)
        return PLAN_CUT;
    return fault == LF_POLYGON_FINE ? PLAN_KEEP : PLAN_DROP;
}

static lf_status plan_polygon(cleaner *job, int64_t polygon) {
    int64_t count;
    const lf_vec3 *points = polygon_points(job, polygon, &count);
    if (!points)
        return lf__fail_plain(job->error, LF_NO_MEMORY);
    cut_plan chosen = PLAN_KEEP;
    if (!has_certain_area(points, count))
        chosen = plan_for(lf_polygon_check(points, count, job->tolerance, NULL));
    job->plans[polygon] = (uint8_t)chosen;
    if (chosen == PLAN_CUT && count > CUT_CORNERS)
        return lf__fail(job->error, LF_TOO_LARGE, polygon,
                        "polygon %" PRId64 " is not flat and convex and has %" PRId64
                        " corners; at most %d can be cut up",
                        polygon, count, CUT_CORNERS);
    job->polygons += chosen == PLAN_KEEP ? 1 : chosen == PLAN_CUT ? count - 2 : 0;
    job->corners += chosen == PLAN_KEEP ? count : chosen == PLAN_CUT ? 3 * (count - 2) : 0;
    return LF_OK;
}

/// Examine every polygon; `fine` is set when nothing is to be done.
static lf_status plan_all(cleaner *job, bool *fine) {
    int64_t count = lf__soup_polygon_count(job->soup);
    *fine = true;
    for (int64_t i = 0; i < count; i++) {
        lf_status status = plan_polygon(job, i);
        if (status != LF_OK)
            return status;
        *fine &= job->plans[i] == PLAN_KEEP;
        if (i % CLEAN_REPORT == 0 && !lf__report(job->soup->host, "check", i, count))
            return lf__fail_plain(job->error, LF_CANCELLED);
    }
    return LF_OK;
}

static lf_status keep_polygon(cleaner *job, int64_t polygon, uint64_t user) {
    const int64_t *corners = job->soup->corners.items;
    lf_status status = LF_OK;
    for (int64_t i = cleaner_starts(job)[polygon]; i < cleaner_starts(job)[polygon + 1] && status == LF_OK;
         i++)
        status = lf__soup_corner(&job->fresh, corners[i]);
    return status == LF_OK ? lf__soup_close(&job->fresh, user, true) : status;
}

/// Add a triangle of a cut polygon unless its corners are on one line: cutting at a corner in the middle of a
/// straight edge makes such ones.
static lf_status keep_triangle(cleaner *job, const int64_t *corners, const int64_t *numbers, uint64_t user) {
    const lf_vec3 *points = job->points.items;
    lf_vec3 triangle[3] = {points[numbers[0]], points[numbers[1]], points[numbers[2]]};
    if (lf_polygon_check(triangle, 3, job->tolerance, NULL) != LF_POLYGON_FINE)
        return LF_OK;
    lf_status status = LF_OK;
    for (int i = 0; i < 3 && status == LF_OK; i++)
        status = lf__soup_corner(&job->fresh, corners[numbers[i]]);
    return status == LF_OK ? lf__soup_close(&job->fresh, user, true) : status;
}

static lf_status cut_polygon(cleaner *job, int64_t polygon, uint64_t user) {
    int64_t count, before = lf__soup_polygon_count(&job->fresh);
    const lf_vec3 *points = polygon_points(job, polygon, &count);
    if (!points)
        return LF_NO_MEMORY;
    bool crossed;
    lf_status status = cut_to_triangles(&job->cut, &job->soup->allocator, points, count, &crossed);
    const int64_t *corners = (const int64_t *)job->soup->corners.items + cleaner_starts(job)[polygon];
    const int64_t *triangles = job->cut.triangles.items;
    for (int64_t i = 0; i < job->cut.triangles.count && status == LF_OK; i += 3)
        status = keep_triangle(job, corners, triangles + i, user);
    bool gone = lf__soup_polygon_count(&job->fresh) == before;
    job->soup->cut_count += !gone;
    job->soup->crossed_count += crossed && !gone;
    job->soup->dropped_count += gone;
    return status;
}

static lf_status rebuild_polygons(cleaner *job) {
    int64_t count = lf__soup_polygon_count(job->soup);
    const uint64_t *users = job->soup->users.items;
    lf_status status = lf__soup_reserve(&job->fresh, 0, job->polygons, job->corners, job->error);
    for (int64_t i = 0; i < count && status == LF_OK; i++) {
        if (job->plans[i] == PLAN_KEEP)
            status = keep_polygon(job, i, users[i]);
        else if (job->plans[i] == PLAN_CUT)
            status = cut_polygon(job, i, users[i]);
        else
            job->soup->dropped_count++;
        if (i % CLEAN_REPORT == 0 && !lf__report(job->soup->host, "cut", i, count))
            status = LF_CANCELLED;
    }
    return status == LF_OK ? LF_OK : lf__fail_plain(job->error, status);
}

/// Replace the old arrays by the new ones.
static void swap_arrays(lf__soup *soup, lf__soup *fresh) {
    lf__array *ours[] = {&soup->corners, &soup->starts, &soup->users};
    lf__array *theirs[] = {&fresh->corners, &fresh->starts, &fresh->users};
    for (int i = 0; i < 3; i++) {
        lf__array old = *ours[i];
        *ours[i] = *theirs[i];
        *theirs[i] = old;
    }
}

static lf_status refuse_no_polygons(const lf__soup *soup, lf_error *error) {
    if (soup->dropped_count > 0)
        return lf__fail(error, LF_BAD_GEOMETRY, -1, "no polygon left: all %" PRId64 " have no area",
                        soup->dropped_count);
    return lf__fail(error, LF_BAD_GEOMETRY, -1,
                    soup->only ? "none of the requested names has polygons" : "no polygons");
}

lf_status lf__soup_clean(lf__soup *soup, double tolerance, lf_error *error) {
    cleaner job = {.soup = soup, .error = error, .tolerance = tolerance};
    int64_t count = lf__soup_polygon_count(soup);
    if (count == 0)
        return refuse_no_polygons(soup, error);
    bool fine;
    void *plans;
    lf_status status = lf__allocate_array(&soup->allocator, count, sizeof *job.plans, &plans);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    job.plans = plans;
    status = lf__soup_start(&job.fresh, soup->host, NULL, 0, error);
    if (status == LF_OK)
        status = plan_all(&job, &fine);
    if (status == LF_OK && !fine) {
        status = rebuild_polygons(&job);
        if (status == LF_OK)
            swap_arrays(soup, &job.fresh);
    }
    free_cut(&job.cut, &soup->allocator);
    lf__array_free(&job.points, &soup->allocator, sizeof(lf_vec3));
    lf__soup_free(&job.fresh);
    lf__free_array(&soup->allocator, plans, count, sizeof *job.plans);
    if (status == LF_OK && lf__soup_polygon_count(soup) == 0)
        return refuse_no_polygons(soup, error);
    return status;
}
