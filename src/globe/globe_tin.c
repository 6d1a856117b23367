/// TIN tiles: triangles that are flat in space, listed by squares of longitude and latitude.
#include "globe/globe.h"
#include <string.h>

#define MOST_BUCKETS 256 ///< along a side
#define MOST_TRIANGLES (1 << 24)
#define MOST_LISTED (1 << 26) ///< triangles in all squares: only hostile tiles have more

/// Triangles are closed and extended by this part of themselves, so that rounding leaves no gap between two
/// of them.
#define CLOSED 1e-9

// ---------------------------------------------------------------------------------------------------
// Making
// ---------------------------------------------------------------------------------------------------

static lf_status tin_check(const lf_globe *globe, const lf_tile *given, lf_error *error) {
    if (given->triangle_count < 0 || given->triangle_count > MOST_TRIANGLES || given->vertex_count < 3 ||
        given->vertex_count > UINT32_MAX || !given->vertices || !given->corners)
        return lf__fail(error, LF_BAD_FORMAT, -1,
                        "tile of %lld triangles and %lld vertices: too many, or an array is NULL",
                        (long long)given->triangle_count, (long long)given->vertex_count);
    double most = 0.25 * globe->least_radius;
    for (int64_t i = 0; i < given->vertex_count; i++) {
        lf_geodetic v = given->vertices[i];
        if (!(fabs(v.lon_deg) <= 540) || !(fabs(v.lat_deg) <= 90) || !(fabs(v.height) <= most))
            return lf__fail(error, LF_BAD_FORMAT, i,
                            "vertex at %g, %g, %g m: beyond 540 degrees of longitude, 90 of latitude or a "
                            "quarter of the radius",
                            v.lon_deg, v.lat_deg, v.height);
    }
    for (int64_t i = 0; i < 3 * given->triangle_count; i++)
        if (given->corners[i] < 0 || given->corners[i] >= given->vertex_count)
            return lf__fail(error, LF_BAD_FORMAT, i / 3,
                            "corner %lld: expected the number of one of %lld vertices",
                            (long long)given->corners[i], (long long)given->vertex_count);
    return LF_OK;
}

/// The least area that holds a triangle. Its edges are straight in space, so on the map they curve towards
/// the poles.
static lf_geodetic_box extent(const lf_tile *given, int64_t triangle) {
    lf_geodetic_box area = {LF_INFINITY, LF_INFINITY, -LF_INFINITY, -LF_INFINITY};
    for (int k = 0; k < 3; k++) {
        lf_geodetic v = given->vertices[given->corners[3 * triangle + k]];
        area.west = fmin(area.west, v.lon_deg);
        area.east = fmax(area.east, v.lon_deg);
        area.south = fmin(area.south, v.lat_deg);
        area.north = fmax(area.north, v.lat_deg);
    }
    double wide = (area.east - area.west) * LF__DEGREE,
           bulge = wide < 1 ? wide * wide / (8 * LF__DEGREE) : 180;
    area.south = fmax(area.south - bulge, -90);
    area.north = fmin(area.north + bulge, 90);
    // Rounding must not push a triangle out of the square that its edge is in.
    double slack = 1e-9 * (area.east - area.west + area.north - area.south) + 1e-12;
    return (lf_geodetic_box){area.west - slack, area.south - slack, area.east + slack, area.north + slack};
}

static lf__cells buckets_of(const lf__tile *tile, lf_geodetic_box area) {
    return lf__tile_cells(tile, area.west, area.south, area.east, area.north);
}

/// Bound of the sag of a flat triangle below the heights of its corners.
static double sink_of(const lf_globe *globe, const lf__tile *tile, int64_t triangle) {
    const uint32_t *c = tile->tin.corners + 3 * triangle;
    double longest = 0;
    for (int k = 0; k < 3; k++)
        longest = fmax(longest,
                       lf_vec3_length(lf_vec3_sub(tile->tin.points[c[k]], tile->tin.points[c[(k + 1) % 3]])));
    return longest * longest / (4 * 0.75 * globe->least_radius);
}

static void bound_triangle(const lf_globe *globe, lf__tile *tile, int64_t triangle, lf__cells b) {
    const uint32_t *c = tile->tin.corners + 3 * triangle;
    const double *h = tile->tin.heights;
    double low = fmin(h[c[0]], fmin(h[c[1]], h[c[2]])) - sink_of(globe, tile, triangle);
    double high = fmax(h[c[0]], fmax(h[c[1]], h[c[2]]));
    for (int32_t r = b.r0; r <= b.r1; r++)
        for (int32_t i = b.c0; i <= b.c1; i++) {
            lf__tile_bound *bound = &tile->bounds[(int64_t)r * lf__tile_across(tile) + i];
            bound->low = fminf(bound->low, nextafterf((float)low, -INFINITY));
            bound->high = fmaxf(bound->high, nextafterf((float)high, INFINITY));
        }
}

/// Count, then list: `starts` is where each bucket begins once all are listed.
static lf_status tin_list_triangles(const lf_globe *globe, const lf_tile *given, lf__tile *tile) {
    lf__tin *tin = &tile->tin;
    int32_t side = lf__tile_across(tile);
    int64_t buckets = (int64_t)side * side, total = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t t = 0; t < tin->triangle_count; t++) {
            lf__cells b = buckets_of(tile, extent(given, t));
            if (pass == 0)
                bound_triangle(globe, tile, t, b);
            for (int32_t r = b.r0; r <= b.r1; r++)
                for (int32_t c = b.c0; c <= b.c1; c++) {
                    uint32_t *start = &tin->starts[(int64_t)r * side + c + 1];
                    if (pass == 0)
                        total++, ++*start;
                    else
                        tin->listed[(*start)++] = (uint32_t)t;
                }
            if (total > MOST_LISTED)
                return LF_TOO_LARGE;
        }
        if (pass == 1)
            break;
        // Counts to beginnings, kept one place further on: listing moves them to the ends, which are the next
        // beginnings.
        uint32_t sum = 0;
        for (int64_t k = 0; k < buckets; k++) {
            uint32_t count = tin->starts[k + 1];
            tin->starts[k + 1] = sum;
            sum += count;
        }
        lf_status status =
            lf__allocate_array(&globe->allocator, total, sizeof(uint32_t), (void **)&tin->listed);
        if (status != LF_OK)
            return status;
    }
    tile->bytes += (size_t)total * sizeof(uint32_t);
    return LF_OK;
}

static void copy_vertices(const lf_globe *globe, const lf_tile *given, lf__tile *tile) {
    lf__tin *tin = &tile->tin;
    lf_geodetic_box a = tile->area;
    tin->centre = lf_ellipsoid_to_centred(
        &globe->ellipsoid, (lf_geodetic){0.5 * (a.west + a.east), 0.5 * (a.south + a.north), 0});
    for (int64_t i = 0; i < given->vertex_count; i++) {
        lf_geodetic v = given->vertices[i];
        lf__sincos lat = lf__sincos_deg(v.lat_deg), lon = lf__sincos_deg(v.lon_deg);
        tin->points[i] = lf_vec3_sub(lf_ellipsoid_to_centred(&globe->ellipsoid, v), tin->centre);
        tin->ups[i] = (lf_vec3){lat.cos * lon.cos, lat.cos * lon.sin, lat.sin};
        tin->heights[i] = v.height;
    }
    for (int64_t i = 0; i < 3 * given->triangle_count; i++)
        tin->corners[i] = (uint32_t)given->corners[i];
}

static lf_status tin_take_all(const lf_globe *globe, lf__tile *tile, int32_t side) {
    const lf_allocator *a = &globe->allocator;
    lf__tin *tin = &tile->tin;
    int64_t buckets = (int64_t)side * side;
    lf_status status = lf__allocate_array(a, tin->vertex_count, sizeof(lf_vec3), (void **)&tin->points);
    if (status == LF_OK)
        status = lf__allocate_array(a, tin->vertex_count, sizeof(lf_vec3), (void **)&tin->ups);
    if (status == LF_OK)
        status = lf__allocate_array(a, tin->vertex_count, sizeof(double), (void **)&tin->heights);
    if (status == LF_OK)
        status = lf__allocate_array(a, 3 * tin->triangle_count, sizeof(uint32_t), (void **)&tin->corners);
    if (status == LF_OK)
        status = lf__allocate_array(a, buckets + 1, sizeof(uint32_t), (void **)&tin->starts);
    if (status == LF_OK)
        status = lf__allocate_array(a, lf__bound_blocks(side, side, 0), sizeof(lf__tile_bound),
                                    (void **)&tile->bounds);
    if (status != LF_OK)
        return status;
    memset(tin->starts, 0, (size_t)(buckets + 1) * sizeof(uint32_t));
    for (int64_t i = 0; i < buckets; i++)
        tile->bounds[i] = (lf__tile_bound){INFINITY, -INFINITY};
    tile->bytes += (size_t)tin->vertex_count * (2 * sizeof(lf_vec3) + sizeof(double)) +
                   3 * (size_t)tin->triangle_count * sizeof(uint32_t) +
                   (size_t)buckets * (sizeof(uint32_t) + 2 * sizeof(lf__tile_bound));
    return LF_OK;
}

lf_status lf__tin_make(const lf_globe *globe, const lf_tile *given, lf__tile *tile, lf_error *error) {
    lf_status status = tin_check(globe, given, error);
    if (status != LF_OK)
        return status;
    double wanted = ceil(sqrt((double)given->triangle_count / 2));
    int32_t side = wanted > MOST_BUCKETS ? MOST_BUCKETS : wanted < 1 ? 1 : (int32_t)wanted;
    tile->columns = tile->rows = side + 1;
    tile->west = tile->area.west;
    tile->south = tile->area.south;
    tile->per_column = (tile->area.east - tile->area.west) / side;
    tile->per_row = (tile->area.north - tile->area.south) / side;
    tile->columns_per_degree = 1 / tile->per_column;
    tile->rows_per_degree = 1 / tile->per_row;
    tile->tin.vertex_count = given->vertex_count;
    tile->tin.triangle_count = given->triangle_count;
    status = tin_take_all(globe, tile, side);
    if (status == LF_OK) {
        copy_vertices(globe, given, tile);
        status = tin_list_triangles(globe, given, tile);
    }
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    lf__bound_fill(tile);
    double metres = LF__DEGREE * globe->ellipsoid.radius, lat = 0.5 * (tile->area.south + tile->area.north);
    double area = (tile->area.east - tile->area.west) * cos(lat * LF__DEGREE) *
                  (tile->area.north - tile->area.south) * metres * metres;
    tile->resolution = sqrt(2 * area / (double)given->triangle_count);
    return LF_OK;
}

void lf__tin_free(const lf_globe *globe, lf__tile *tile) {
    const lf_allocator *a = &globe->allocator;
    lf__tin *tin = &tile->tin;
    int32_t side = lf__tile_across(tile);
    int64_t buckets = (int64_t)side * side;
    if (tin->listed)
        lf__free_array(a, tin->listed, tin->starts[buckets], sizeof(uint32_t));
    lf__free_array(a, tile->bounds, lf__bound_blocks(side, side, 0), sizeof(lf__tile_bound));
    lf__free_array(a, tin->starts, buckets + 1, sizeof(uint32_t));
    lf__free_array(a, tin->corners, 3 * tin->triangle_count, sizeof(uint32_t));
    lf__free_array(a, tin->heights, tin->vertex_count, sizeof(double));
    lf__free_array(a, tin->ups, tin->vertex_count, sizeof(lf_vec3));
    lf__free_array(a, tin->points, tin->vertex_count, sizeof(lf_vec3));
}

// ---------------------------------------------------------------------------------------------------
// Queries
// ---------------------------------------------------------------------------------------------------

/// The extension of a triangle beyond each edge, as a part of itself. Edges along the southern and northern
/// border of a tile are straight in space, while the border curves with the parallel: the area between
/// belongs to the triangle.
static void tin_reach_of(const lf__tile *tile, const uint32_t *c, double reach[3]) {
    const lf__tin *tin = &tile->tin;
    double sine[2] = {sin(tile->area.south * LF__DEGREE), sin(tile->area.north * LF__DEGREE)};
    for (int k = 0; k < 3; k++) {
        lf_vec3 p = tin->ups[c[(k + 1) % 3]], q = tin->ups[c[(k + 2) % 3]], r = tin->ups[c[k]];
        reach[k] = CLOSED;
        for (int side = 0; side < 2; side++)
            if (fabs(p.z - sine[side]) < 1e-9 && fabs(q.z - sine[side]) < 1e-9) {
                lf_vec3 edge = lf_vec3_sub(p, q);
                double away = lf_vec3_length(lf_vec3_sub(r, lf_vec3_scale(lf_vec3_add(p, q), 0.5)));
                reach[k] = fmin(CLOSED + lf_vec3_dot(edge, edge) / (4 * away), LF__TIN_REACH);
            }
    }
}

/// Where a line (relative to the tile's centre) meets a closed triangle. false: nowhere, or edge-on.
static bool tin_meet(const lf__tile *tile, const uint32_t *number, const lf_vec3 c[3], lf_vec3 origin,
                     lf_vec3 direction, double *t) {
    lf_vec3 e1 = lf_vec3_sub(c[1], c[0]), e2 = lf_vec3_sub(c[2], c[0]);
    lf_vec3 normal = lf_vec3_cross(e1, e2), from = lf_vec3_sub(c[0], origin);
    double across = lf_vec3_dot(normal, direction);
    if (across == 0)
        return false;
    lf_vec3 turned = lf_vec3_cross(direction, from);
    double u = -lf_vec3_dot(turned, e2) / across, v = lf_vec3_dot(turned, e1) / across, w = 1 - u - v;
    if (!(u >= -LF__TIN_REACH && v >= -LF__TIN_REACH && w >= -LF__TIN_REACH))
        return false;
    if (!(u >= -CLOSED && v >= -CLOSED && w >= -CLOSED)) {
        double reach[3];
        tin_reach_of(tile, number, reach);
        if (w < -reach[0] || u < -reach[1] || v < -reach[2])
            return false;
    }
    *t = lf_vec3_dot(normal, from) / across;
    return true;
}

lf_vec3 lf__tin_normal(const lf__tile *tile, int64_t triangle) {
    const uint32_t *c = tile->tin.corners + 3 * triangle;
    const lf_vec3 *p = tile->tin.points;
    lf_vec3 normal =
        lf_vec3_unit(lf_vec3_cross(lf_vec3_sub(p[c[1]], p[c[0]]), lf_vec3_sub(p[c[2]], p[c[0]])));
    return lf_vec3_dot(normal, tile->tin.ups[c[0]]) < 0 ? lf_vec3_scale(normal, -1) : normal;
}

int64_t lf__tin_height(const lf_globe *globe, const lf__tile *tile, double lon, double lat, double *height,
                       lf_vec3 *normal) {
    const lf__tin *tin = &tile->tin;
    lf__sincos s_lat = lf__sincos_deg(lat), s_lon = lf__sincos_deg(lon);
    lf_vec3 up = {s_lat.cos * s_lon.cos, s_lat.cos * s_lon.sin, s_lat.sin};
    lf_vec3 origin =
        lf_vec3_sub(lf_ellipsoid_to_centred(&globe->ellipsoid, (lf_geodetic){lon, lat, 0}), tin->centre);
    lf__cells b = lf__tile_cells(tile, lon, lat, lon, lat);
    int64_t bucket = (int64_t)b.r0 * lf__tile_across(tile) + b.c0, best = -1;
    for (uint32_t k = tin->starts[bucket]; k < tin->starts[bucket + 1]; k++) {
        const uint32_t *c = tin->corners + 3 * (int64_t)tin->listed[k];
        lf_vec3 corners[3] = {tin->points[c[0]], tin->points[c[1]], tin->points[c[2]]};
        double t;
        if (tin_meet(tile, c, corners, origin, up, &t) && fabs(t) <= 0.5 * globe->least_radius &&
            (best < 0 || t > *height)) {
            *height = t;
            best = tin->listed[k];
        }
    }
    if (best >= 0)
        *normal = lf__tin_normal(tile, best);
    return best;
}

int64_t lf__tin_meet(const lf__tile *tile, lf__cells buckets, const lf_ray *ray, double *t) {
    const lf__tin *tin = &tile->tin;
    lf_vec3 origin = lf_vec3_sub(ray->origin, tin->centre);
    int64_t best = -1;
    for (int32_t r = buckets.r0; r <= buckets.r1; r++)
        for (int32_t i = buckets.c0; i <= buckets.c1; i++) {
            int64_t bucket = (int64_t)r * lf__tile_across(tile) + i;
            for (uint32_t k = tin->starts[bucket]; k < tin->starts[bucket + 1]; k++) {
                const uint32_t *c = tin->corners + 3 * (int64_t)tin->listed[k];
                lf_vec3 corners[3] = {tin->points[c[0]], tin->points[c[1]], tin->points[c[2]]};
                double at;
                if (tin_meet(tile, c, corners, origin, ray->direction, &at) && at >= ray->t_min &&
                    at <= ray->t_max && (best < 0 || at < *t)) {
                    *t = at;
                    best = tin->listed[k];
                }
            }
        }
    return best;
}
