/// From the caller's polygons to a mesh: everything is checked here, and only here.
#include "base/base.h"
#include "geom/expansion.h"
#include "mesh/mesh.h"
#include <string.h>

typedef struct mesh_copier {
    lf_mesh *mesh;
    const lf_polygons *from;
    const lf_host *host;
    lf_error *error;
    lf__mesh_addition *addition;
    lf_vec3 *ring; ///< corners of the polygon at hand
    int64_t ring_capacity;
} mesh_copier;

static int64_t polygon_start(const lf_polygons *from, int64_t polygon) {
    return from->starts ? from->starts[polygon] : 3 * polygon;
}

static lf_status check_polygon_arrays(const lf_mesh *mesh, const lf_polygons *from, lf_error *error) {
    if (from->polygon_count < 1)
        return lf__fail(error, LF_BAD_GEOMETRY, -1, "no polygon: %lld given", (long long)from->polygon_count);
    if (!from->vertices || !from->corners || from->vertex_count < 1)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "vertices or corners are missing");
    if (from->vertex_count > INT32_MAX - mesh->vertex_count ||
        from->polygon_count > INT32_MAX - mesh->polygon_count)
        return lf__fail(error, LF_TOO_LARGE, -1, "%lld vertices and %lld polygons are too many for one mesh",
                        (long long)from->vertex_count, (long long)from->polygon_count);
    if (from->starts && from->starts[0] != 0)
        return lf__fail(error, LF_BAD_ARGUMENT, 0, "the first polygon starts at corner %lld, not 0",
                        (long long)from->starts[0]);
    return LF_OK;
}

/// Polygon sizes and the longest of them; corners themselves are checked later.
static lf_status measure_polygons(mesh_copier *copy) {
    const lf_polygons *from = copy->from;
    int64_t triangles = 0;
    copy->ring_capacity = 3;
    for (int64_t i = 0; i < from->polygon_count; i++) {
        int64_t size;
        if (__builtin_sub_overflow(polygon_start(from, i + 1), polygon_start(from, i), &size) || size < 3)
            return lf__fail(copy->error, LF_BAD_GEOMETRY, i, "polygon %lld has fewer than 3 corners",
                            (long long)i);
        if (size > copy->ring_capacity)
            copy->ring_capacity = size;
        if (__builtin_add_overflow(triangles, size - 2, &triangles) ||
            triangles > LF__NEST_NUMBER - copy->mesh->triangle_count)
            return lf__fail(copy->error, LF_TOO_LARGE, i,
                            "polygons: more than %u triangles: too many for one mesh", LF__NEST_NUMBER);
    }
    copy->addition->triangles = triangles;
    return LF_OK;
}

/// Values of polygons that have had none so far, or that come without.
static void default_values(lf_mesh *mesh, int64_t first, int64_t last) {
    for (int64_t i = first; mesh->users && i < last; i++)
        mesh->users[i] = 0;
    for (int64_t i = first; mesh->layers && i < last; i++)
        mesh->layers[i] = 1;
    for (int64_t i = first; mesh->sides && i < last; i++)
        mesh->sides[i] = 2;
}

static lf_status reserve_arrays(mesh_copier *copy) {
    lf_mesh *mesh = copy->mesh;
    const lf_polygons *from = copy->from;
    int64_t polygons = mesh->polygon_count + from->polygon_count;
    int64_t triangles = mesh->triangle_count + copy->addition->triangles;
    uint32_t plain = mesh->triangle_count == 0 ? LF__MESH_PLAIN : mesh->plain;
    if (plain == LF__MESH_PLAIN && copy->addition->triangles != from->polygon_count)
        plain = (uint32_t)mesh->triangle_count;
    copy->addition->plain = plain;
    bool fans = plain != LF__MESH_PLAIN;
    const bool had[] = {mesh->users != NULL, mesh->layers != NULL, mesh->sides != NULL};
    const int64_t wishes[LF__MESH_ARRAYS] = {
        [LF__MESH_VERTICES] = mesh->vertex_count + from->vertex_count,
        [LF__MESH_CORNERS] = 3 * triangles,
        [LF__MESH_OWNERS] = fans ? triangles - plain : 0,
        [LF__MESH_FIRSTS] = fans ? polygons + 1 - plain : 0,
        [LF__MESH_USERS] = from->users || had[0] ? polygons : 0,
        [LF__MESH_LAYERS] = from->layers || had[1] ? polygons : 0,
        [LF__MESH_SIDES] = from->sides || had[2] ? polygons : 0,
    };
    lf_status status =
        lf__allocate_array(&mesh->allocator, copy->ring_capacity, sizeof *copy->ring, (void **)&copy->ring);
    for (int array = 0; status == LF_OK && array < LF__MESH_ARRAYS; array++) {
        status = lf__mesh_reserve(mesh, array, wishes[array]);
        bool fresh = array >= LF__MESH_USERS && wishes[array] > 0 && !had[array - LF__MESH_USERS];
        if (status == LF_OK && fresh)
            default_values(mesh, 0, mesh->polygon_count);
    }
    return status == LF_OK ? LF_OK : lf__fail_plain(copy->error, status);
}

static bool vertex_usable(lf_vec3 v) {
    return fabs(v.x) <= LF__MESH_LIMIT && fabs(v.y) <= LF__MESH_LIMIT && fabs(v.z) <= LF__MESH_LIMIT;
}

/// How many corners ahead vertices are prefetched: they may lie anywhere in memory.
#define MESH_COPY_SOON 48

/// The vertices, as they have been copied: in larger pages than most callers have them in.
static const lf_vec3 *copied_vertices(const mesh_copier *copy) {
    return copy->mesh->vertices + copy->mesh->vertex_count;
}

/// Prefetch some of the corners after the first of a polygon. They have not been checked. (Inline: gcc removes calls of functions
/// that only prefetch.)
static inline __attribute__((always_inline)) void fetch_soon(const mesh_copier *copy, int64_t polygon,
                                                             int64_t size) {
    const lf_polygons *from = copy->from;
    const lf_vec3 *vertices = copied_vertices(copy);
    int64_t first = polygon_start(from, polygon) + MESH_COPY_SOON,
            all = polygon_start(from, from->polygon_count);
    for (int64_t k = first; k < first + size && k < all; k++)
        if (from->corners[k] >= 0 && from->corners[k] < from->vertex_count) {
            __builtin_prefetch(&vertices[from->corners[k]].x);
            __builtin_prefetch(&vertices[from->corners[k]].z);
        }
}

/// Fetch a polygon's corners into the ring.
static lf_status fetch_ring(mesh_copier *copy, int64_t polygon, int64_t size) {
    const int64_t *corners = copy->from->corners + polygon_start(copy->from, polygon);
    for (int64_t k = 0; k < size; k++) {
        if (corners[k] < 0 || corners[k] >= copy->from->vertex_count)
            return lf__fail(copy->error, LF_BAD_ARGUMENT, polygon,
                            "polygon %lld: corner %lld of %lld vertices", (long long)polygon,
                            (long long)corners[k], (long long)copy->from->vertex_count);
        copy->ring[k] = copied_vertices(copy)[corners[k]];
        if (!vertex_usable(copy->ring[k]))
            return lf__fail(copy->error, LF_BAD_GEOMETRY, polygon,
                            "polygon %lld: vertex %lld is (%g, %g, %g), not within 1e30", (long long)polygon,
                            (long long)corners[k], copy->ring[k].x, copy->ring[k].y, copy->ring[k].z);
    }
    return LF_OK;
}

static bool triangle_without_area(const lf_vec3 t[3]) {
    lf_vec3 n = lf_vec3_cross(lf_vec3_sub(t[1], t[0]), lf_vec3_sub(t[2], t[0]));
    lf_vec3 e = lf_vec3_sub(t[1], t[0]), f = lf_vec3_sub(t[2], t[0]);
    if (lf_vec3_dot(n, n) > 1e-20 * lf_vec3_dot(e, e) * lf_vec3_dot(f, f))
        return false;
    return lf_orient2d((lf_vec2){t[0].x, t[0].y}, (lf_vec2){t[1].x, t[1].y}, (lf_vec2){t[2].x, t[2].y}) ==
               0 &&
           lf_orient2d((lf_vec2){t[0].y, t[0].z}, (lf_vec2){t[1].y, t[1].z}, (lf_vec2){t[2].y, t[2].z}) ==
               0 &&
           lf_orient2d((lf_vec2){t[0].z, t[0].x}, (lf_vec2){t[1].z, t[1].x}, (lf_vec2){t[2].z, t[2].x}) == 0;
}

/// Flat and convex, or a message; `no_area` for polygons that are kept but never met.
static lf_status check_shape(mesh_copier *copy, int64_t polygon, int64_t size, bool *no_area) {
    *no_area = false;
    if (size == 3) {
        *no_area = triangle_without_area(copy->ring);
        return LF_OK;
    }
    int64_t at;
    double tolerance = copy->mesh->tolerance;
    switch (lf_polygon_check(copy->ring, size, tolerance, &at)) {
    case LF_POLYGON_FINE:
        return LF_OK;
    case LF_POLYGON_DEGENERATE:
        *no_area = true;
        return LF_OK;
    case LF_POLYGON_CONCAVE:
        return lf__fail(copy->error, LF_BAD_GEOMETRY, polygon,
                        "polygon %lld is not convex at its corner %lld", (long long)polygon, (long long)at);
    case LF_POLYGON_BENT:
        return lf__fail(copy->error, LF_BAD_GEOMETRY, polygon,
                        "polygon %lld is bent: its corner %lld is more than %g off the plane",
                        (long long)polygon, (long long)at, tolerance);
    case LF_POLYGON_TOO_FEW:
    case LF_POLYGON_NOT_FINITE:
        break;
    }
    return lf__fail(copy->error, LF_BAD_GEOMETRY, polygon, "polygon %lld is no polygon", (long long)polygon);
}

/// The sign of direction . (a - b)
static int exact_along(lf_vec3 direction, lf_vec3 a, lf_vec3 b) {
    lf__exact3 difference;
    lf__exact sum;
    lf__exact3_difference(a, b, &difference);
    lf__exact3_dot_vec(&difference, direction, &sum);
    return lf__exact_sign(&sum);
}

bool lf__mesh_edge_on(const lf_frame *frame, const lf_vec3 t[3]) {
    switch (frame->kind) {
    case LF_FRAME_GRAVITY:
        return lf_orient_line(t[0], frame->down, t[1], t[2]) == 0;
    case LF_FRAME_CENTRE:
        return lf_orient3d(t[0], t[1], t[2], frame->origin) == 0;
    case LF_FRAME_AXIS_IN:
    case LF_FRAME_AXIS_OUT:
        break;
    }
    bool holds_axis = lf_orient_line(t[0], frame->down, t[1], t[2]) == 0 &&
                      lf_orient3d(t[0], t[1], t[2], frame->origin) == 0;
    bool across_axis = exact_along(frame->down, t[1], t[0]) == 0 && exact_along(frame->down, t[2], t[0]) == 0;
    return holds_axis || across_axis;
}

/// One polygon behind those that are there already; its triangles come next behind the last ones.
static lf_status append_polygon(mesh_copier *copy, int64_t polygon, int64_t *triangle) {
    lf_mesh *mesh = copy->mesh;
    lf__mesh_addition *addition = copy->addition;
    int64_t start = polygon_start(copy->from, polygon), size = polygon_start(copy->from, polygon + 1) - start;
    int64_t number = mesh->polygon_count + polygon;
    uint32_t vertex = (uint32_t)mesh->vertex_count;
    bool no_area;
    fetch_soon(copy, polygon, size);
    lf_status status = fetch_ring(copy, polygon, size);
    if (status == LF_OK)
        status = check_shape(copy, polygon, size, &no_area);
    if (status != LF_OK)
        return status;
    bool wall = !no_area, fans = addition->plain != LF__MESH_PLAIN;
    if (fans)
        mesh->firsts[number - addition->plain] = (uint32_t)*triangle;
    for (int64_t k = 1; k + 1 < size; k++, ++*triangle) {
        lf_vec3 fan[3] = {copy->ring[0], copy->ring[k], copy->ring[k + 1]};
        wall = wall && lf__mesh_edge_on(&mesh->frame, fan);
        uint32_t *corner = mesh->corners + 3 * *triangle;
        corner[0] = vertex + (uint32_t)copy->from->corners[start];
        corner[1] = vertex + (uint32_t)copy->from->corners[start + k];
        corner[2] = vertex + (uint32_t)copy->from->corners[start + k + 1];
        if (fans)
            mesh->owners[*triangle - addition->plain] = (uint32_t)number;
    }
    for (int64_t k = 0; k < size; k++)
        addition->box = lf_box_with(addition->box, copy->ring[k]);
    addition->walls += wall;
    addition->flats += no_area;
    const uint8_t *sides = copy->from->sides;
    if (sides && (sides[polygon] < 1 || sides[polygon] > 2))
        return lf__fail(copy->error, LF_BAD_ARGUMENT, polygon, "polygon %lld: sides is %d, not 1 or 2",
                        (long long)polygon, sides[polygon]);
    return LF_OK;
}

static void append_values(const mesh_copier *copy) {
    lf_mesh *mesh = copy->mesh;
    const lf_polygons *from = copy->from;
    int64_t first = mesh->polygon_count;
    size_t count = (size_t)from->polygon_count;
    memcpy(mesh->vertices + mesh->vertex_count, from->vertices,
           (size_t)from->vertex_count * sizeof *mesh->vertices);
    default_values(mesh, first, first + from->polygon_count);
    if (from->users)
        memcpy(mesh->users + first, from->users, count * sizeof *mesh->users);
    if (from->layers)
        memcpy(mesh->layers + first, from->layers, count * sizeof *mesh->layers);
    if (from->sides)
        memcpy(mesh->sides + first, from->sides, count * sizeof *mesh->sides);
}

lf_status lf__mesh_append(lf_mesh *mesh, const lf_polygons *from, const lf_host *host,
                          lf__mesh_addition *addition, lf_error *error) {
    *addition = (lf__mesh_addition){
        .vertices = from->vertex_count, .polygons = from->polygon_count, .box = lf_box_empty()};
    mesh_copier copy = {.mesh = mesh, .from = from, .host = host, .error = error, .addition = addition};
    lf_status status = check_polygon_arrays(mesh, from, error);
    if (status == LF_OK)
        status = measure_polygons(&copy);
    if (status == LF_OK)
        status = reserve_arrays(&copy);
    if (status == LF_OK)
        append_values(&copy);
    int64_t triangle = mesh->triangle_count;
    for (int64_t i = 0; status == LF_OK && i < from->polygon_count; i++) {
        status = append_polygon(&copy, i, &triangle);
        if (status == LF_OK && i % 65536 == 0 && !lf__report(host, "check", i, from->polygon_count))
            status = lf__fail_plain(error, LF_CANCELLED);
    }
    if (status == LF_OK && addition->plain != LF__MESH_PLAIN)
        mesh->firsts[mesh->polygon_count + from->polygon_count - addition->plain] = (uint32_t)triangle;
    lf__free_array(&mesh->allocator, copy.ring, copy.ring_capacity, sizeof *copy.ring);
    return status;
}

void lf__mesh_accept(lf_mesh *mesh, const lf__mesh_addition *addition) {
    mesh->vertex_count += addition->vertices;
    mesh->triangle_count += addition->triangles;
    mesh->polygon_count += addition->polygons;
    mesh->plain = addition->plain;
    mesh->wall_count += addition->walls;
    mesh->flat_count += addition->flats;
}

void lf__mesh_classify(const lf_mesh *mesh, int64_t polygon, lf_vec3 *ring, bool *wall, bool *flat) {
    int64_t size = lf__mesh_corner_count(mesh, polygon), at;
    for (int64_t k = 0; k < size; k++)
        ring[k] = lf__mesh_corner(mesh, polygon, k);
    *flat = size == 3 ? triangle_without_area(ring)
                      : lf_polygon_check(ring, size, mesh->tolerance, &at) == LF_POLYGON_DEGENERATE;
    *wall = !*flat;
    for (int64_t k = 1; k + 1 < size && *wall; k++) {
        lf_vec3 fan[3] = {ring[0], ring[k], ring[k + 1]};
        *wall = lf__mesh_edge_on(&mesh->frame, fan);
    }
}

#undef MESH_COPY_SOON
