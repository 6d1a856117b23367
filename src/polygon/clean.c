// Making polygons fit to be ground: every one of them convex, flat and with area.
#include "polygon/polygon_cut.h"
#include "polygon/soup.h"
#include <inttypes.h>
#include <string.h>

/// Cutting up takes time with the square of the corners, so one polygon must not have more than this.
#define CUT_CORNERS 10000
#define REPORT_EVERY ((int64_t)1 << 16)

/// What is to be done with a polygon.
typedef enum plan { KEEP, CUT, DROP } plan;

/// The old arrays being read, the new ones being written, and scratch for one polygon.
typedef struct cleaner {
    lf__soup *soup;
    lf_error *error;
    double tolerance;
    uint8_t *plans;
    int64_t polygons, corners; // at most so many afterwards
    lf__array points;          // lf_vec3
    lf__cut cut;
    lf__soup fresh; // only corners, starts and users
} cleaner;

static const int64_t *starts_of(const cleaner *job) {
    return job->soup->starts.items;
}

/// The corners of a polygon as points; NULL when memory runs out.
static const lf_vec3 *points_of(cleaner *job, int64_t polygon, int64_t *count) {
    const int64_t *corners = (const int64_t *)job->soup->corners.items + starts_of(job)[polygon];
    const lf_vec3 *vertices = job->soup->vertices.items;
    *count = starts_of(job)[polygon + 1] - starts_of(job)[polygon];
    if (lf__array_reserve(&job->points, &job->soup->allocator, *count, sizeof(lf_vec3)) != LF_OK)
        return NULL;
    lf_vec3 *points = job->points.items;
    for (int64_t i = 0; i < *count; i++)
        points[i] = vertices[corners[i]];
    return points;
}

/// Has a triangle area for sure? A component of the normal counts when it is beyond all rounding.
static bool is_plain_triangle(const lf_vec3 *points, int64_t count) {
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

static plan plan_for(lf_polygon_fault fault) {
    if (fault == LF_POLYGON_CONCAVE || fault == LF_POLYGON_BENT)
        return CUT;
    return fault == LF_POLYGON_FINE ? KEEP : DROP;
}

static lf_status plan_polygon(cleaner *job, int64_t polygon) {
    int64_t count;
    const lf_vec3 *points = points_of(job, polygon, &count);
    if (!points)
        return lf__fail_plain(job->error, LF_NO_MEMORY);
    plan chosen = KEEP;
    if (!is_plain_triangle(points, count))
        chosen = plan_for(lf_polygon_check(points, count, job->tolerance, NULL));
    job->plans[polygon] = (uint8_t)chosen;
    if (chosen == CUT && count > CUT_CORNERS)
        return lf__fail(job->error, LF_TOO_LARGE, polygon,
                        "polygon %" PRId64 " is not flat and convex and has %" PRId64
                        " corners; at most %d can be cut up",
                        polygon, count, CUT_CORNERS);
    job->polygons += chosen == KEEP ? 1 : chosen == CUT ? count - 2 : 0;
    job->corners += chosen == KEEP ? count : chosen == CUT ? 3 * (count - 2) : 0;
    return LF_OK;
}

/// Look at every polygon; `fine` tells that nothing has to be done.
static lf_status plan_all(cleaner *job, bool *fine) {
    int64_t count = lf__soup_polygon_count(job->soup);
    *fine = true;
    for (int64_t i = 0; i < count; i++) {
        lf_status status = plan_polygon(job, i);
        if (status != LF_OK)
            return status;
        *fine &= job->plans[i] == KEEP;
        if (i % REPORT_EVERY == 0 && !lf__report(job->soup->host, "check", i, count))
            return lf__fail_plain(job->error, LF_CANCELLED);
    }
    return LF_OK;
}

static lf_status keep_polygon(cleaner *job, int64_t polygon, uint64_t user) {
    const int64_t *corners = job->soup->corners.items;
    lf_status status = LF_OK;
    for (int64_t i = starts_of(job)[polygon]; i < starts_of(job)[polygon + 1] && status == LF_OK; i++)
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
    const lf_vec3 *points = points_of(job, polygon, &count);
    if (!points)
        return LF_NO_MEMORY;
    bool crossed;
    lf_status status = lf__cut_polygon(&job->cut, &job->soup->allocator, points, count, &crossed);
    const int64_t *corners = (const int64_t *)job->soup->corners.items + starts_of(job)[polygon];
    const int64_t *triangles = job->cut.triangles.items;
    for (int64_t i = 0; i < job->cut.triangles.count && status == LF_OK; i += 3)
        status = keep_triangle(job, corners, triangles + i, user);
    bool gone = lf__soup_polygon_count(&job->fresh) == before;
    job->soup->cut_count += !gone;
    job->soup->crossed_count += crossed && !gone;
    job->soup->dropped_count += gone;
    return status;
}

static lf_status rebuild(cleaner *job) {
    int64_t count = lf__soup_polygon_count(job->soup);
    const uint64_t *users = job->soup->users.items;
    lf_status status = lf__soup_reserve(&job->fresh, 0, job->polygons, job->corners, job->error);
    for (int64_t i = 0; i < count && status == LF_OK; i++) {
        if (job->plans[i] == KEEP)
            status = keep_polygon(job, i, users[i]);
        else if (job->plans[i] == CUT)
            status = cut_polygon(job, i, users[i]);
        else
            job->soup->dropped_count++;
        if (i % REPORT_EVERY == 0 && !lf__report(job->soup->host, "cut", i, count))
            status = LF_CANCELLED;
    }
    return status == LF_OK ? LF_OK : lf__fail_plain(job->error, status);
}

/// The new arrays take the place of the old ones.
static void swap_arrays(lf__soup *soup, lf__soup *fresh) {
    lf__array *ours[] = {&soup->corners, &soup->starts, &soup->users};
    lf__array *theirs[] = {&fresh->corners, &fresh->starts, &fresh->users};
    for (int i = 0; i < 3; i++) {
        lf__array old = *ours[i];
        *ours[i] = *theirs[i];
        *theirs[i] = old;
    }
}

static lf_status refuse_nothing(const lf__soup *soup, lf_error *error) {
    if (soup->dropped_count > 0)
        return lf__fail(error, LF_BAD_GEOMETRY, -1, "no polygon left: all %" PRId64 " have no area",
                        soup->dropped_count);
    return lf__fail(error, LF_BAD_GEOMETRY, -1,
                    soup->only ? "nothing that is wanted has polygons" : "no polygons");
}

lf_status lf__soup_clean(lf__soup *soup, double tolerance, lf_error *error) {
    cleaner job = {.soup = soup, .error = error, .tolerance = tolerance};
    int64_t count = lf__soup_polygon_count(soup);
    if (count == 0)
        return refuse_nothing(soup, error);
    bool fine;
    void *plans;
    lf_status status = lf__take_array(&soup->allocator, count, sizeof *job.plans, &plans);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    job.plans = plans;
    status = lf__soup_start(&job.fresh, soup->host, NULL, 0, error);
    if (status == LF_OK)
        status = plan_all(&job, &fine);
    if (status == LF_OK && !fine) {
        status = rebuild(&job);
        if (status == LF_OK)
            swap_arrays(soup, &job.fresh);
    }
    lf__cut_free(&job.cut, &soup->allocator);
    lf__array_free(&job.points, &soup->allocator, sizeof(lf_vec3));
    lf__soup_free(&job.fresh);
    lf__give_array(&soup->allocator, plans, count, sizeof *job.plans);
    if (status == LF_OK && lf__soup_polygon_count(soup) == 0)
        return refuse_nothing(soup, error);
    return status;
}
