/// From the caller's polygons to a mesh: everything is checked here, and only here.
#include "base/base.h"
#include "geom/expansion.h"
#include "mesh/mesh.h"
#include <string.h>

typedef struct copier {
    lf_mesh *mesh;
    const lf_polygons *from;
    double tolerance;
    lf_error *error;
    lf_vec3 *ring; ///< corners of the polygon at hand
    int64_t ring_capacity;
} copier;

static int64_t start_of(const lf_polygons *from, int64_t polygon) {
    return from->starts ? from->starts[polygon] : 3 * polygon;
}

static lf_status check_arrays(const lf_polygons *from, lf_error *error) {
    if (from->polygon_count < 1)
        return lf__fail(error, LF_BAD_GEOMETRY, -1, "no polygon: %lld given", (long long)from->polygon_count);
    if (!from->vertices || !from->corners || from->vertex_count < 1)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "vertices or corners are missing");
    if (from->vertex_count > UINT32_MAX || from->polygon_count > INT32_MAX)
        return lf__fail(error, LF_TOO_LARGE, -1, "%lld vertices and %lld polygons are too many for one mesh",
                        (long long)from->vertex_count, (long long)from->polygon_count);
    if (from->starts && from->starts[0] != 0)
        return lf__fail(error, LF_BAD_ARGUMENT, 0, "the first polygon starts at corner %lld, not 0",
                        (long long)from->starts[0]);
    return LF_OK;
}

/// Polygon sizes and the longest of them; corners themselves are looked at later.
static lf_status measure(copier *copy) {
    const lf_polygons *from = copy->from;
    int64_t triangles = 0;
    copy->ring_capacity = 3;
    for (int64_t i = 0; i < from->polygon_count; i++) {
        int64_t size;
        if (__builtin_sub_overflow(start_of(from, i + 1), start_of(from, i), &size) || size < 3)
            return lf__fail(copy->error, LF_BAD_GEOMETRY, i, "polygon %lld has fewer than 3 corners",
                            (long long)i);
        if (size > copy->ring_capacity)
            copy->ring_capacity = size;
        if (__builtin_add_overflow(triangles, size - 2, &triangles) || triangles > LF__NEST_NUMBER)
            return lf__fail(copy->error, LF_TOO_LARGE, i, "more than %u triangles in one mesh",
                            LF__NEST_NUMBER);
    }
    copy->mesh->triangle_count = triangles;
    return LF_OK;
}

static lf_status take_arrays(copier *copy) {
    lf_mesh *mesh = copy->mesh;
    const lf_polygons *from = copy->from;
    const lf_allocator *allocator = &mesh->allocator;
    bool all_triangles = mesh->triangle_count == from->polygon_count;
    mesh->vertex_count = from->vertex_count;
    mesh->polygon_count = from->polygon_count;
    struct {
        bool wanted;
        int64_t count;
        size_t item;
        void **array;
    } wishes[] = {
        {true, copy->ring_capacity, sizeof *copy->ring, (void **)&copy->ring},
        {true, mesh->vertex_count, sizeof *mesh->vertices, (void **)&mesh->vertices},
        {true, 3 * mesh->triangle_count, sizeof *mesh->corners, (void **)&mesh->corners},
        {!all_triangles, mesh->triangle_count, sizeof *mesh->owners, (void **)&mesh->owners},
        {!all_triangles, mesh->polygon_count + 1, sizeof *mesh->firsts, (void **)&mesh->firsts},
        {from->users != NULL, mesh->polygon_count, sizeof *mesh->users, (void **)&mesh->users},
        {from->layers != NULL, mesh->polygon_count, sizeof *mesh->layers, (void **)&mesh->layers},
        {from->sides != NULL, mesh->polygon_count, sizeof *mesh->sides, (void **)&mesh->sides},
    };
    for (size_t i = 0; i < sizeof wishes / sizeof wishes[0]; i++) {
        if (!wishes[i].wanted)
            continue;
        lf_status status = lf__take_array(allocator, wishes[i].count, wishes[i].item, wishes[i].array);
        if (status != LF_OK)
            return lf__fail_plain(copy->error, status);
    }
    return LF_OK;
}

static bool usable(lf_vec3 v) {
    return fabs(v.x) <= LF__MESH_LIMIT && fabs(v.y) <= LF__MESH_LIMIT && fabs(v.z) <= LF__MESH_LIMIT;
}

/// Fetch a polygon's corners into the ring.
static lf_status fetch(copier *copy, int64_t polygon, int64_t size) {
    const int64_t *corners = copy->from->corners + start_of(copy->from, polygon);
    for (int64_t k = 0; k < size; k++) {
        if (corners[k] < 0 || corners[k] >= copy->from->vertex_count)
            return lf__fail(copy->error, LF_BAD_ARGUMENT, polygon,
                            "polygon %lld: corner %lld of %lld vertices", (long long)polygon,
                            (long long)corners[k], (long long)copy->from->vertex_count);
        copy->ring[k] = copy->from->vertices[corners[k]];
        if (!usable(copy->ring[k]))
            return lf__fail(copy->error, LF_BAD_GEOMETRY, polygon,
                            "polygon %lld: vertex %lld is (%g, %g, %g), not within 1e30", (long long)polygon,
                            (long long)corners[k], copy->ring[k].x, copy->ring[k].y, copy->ring[k].z);
    }
    return LF_OK;
}

static bool without_area(const lf_vec3 t[3]) {
    lf_vec3 n = lf_vec3_cross(lf_vec3_sub(t[1], t[0]), lf_vec3_sub(t[2], t[0]));
    lf_vec3 e = lf_vec3_sub(t[1], t[0]), f = lf_vec3_sub(t[2], t[0]);
    if (lf_vec3_length(n) > 1e-10 * lf_vec3_length(e) * lf_vec3_length(f))
        return false;
    return lf_orient2d((lf_vec2){t[0].x, t[0].y}, (lf_vec2){t[1].x, t[1].y}, (lf_vec2){t[2].x, t[2].y}) ==
               0 &&
           lf_orient2d((lf_vec2){t[0].y, t[0].z}, (lf_vec2){t[1].y, t[1].z}, (lf_vec2){t[2].y, t[2].z}) ==
               0 &&
           lf_orient2d((lf_vec2){t[0].z, t[0].x}, (lf_vec2){t[1].z, t[1].x}, (lf_vec2){t[2].z, t[2].x}) == 0;
}

/// Flat and convex, or a message; `no_area` for polygons that are kept but never met.
static lf_status check_shape(copier *copy, int64_t polygon, int64_t size, bool *no_area) {
    *no_area = false;
    if (size == 3) {
        *no_area = without_area(copy->ring);
        return LF_OK;
    }
    int64_t at;
    switch (lf_polygon_check(copy->ring, size, copy->tolerance, &at)) {
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
                        (long long)polygon, (long long)at, copy->tolerance);
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

static lf_status copy_polygon(copier *copy, int64_t polygon, int64_t *triangle) {
    lf_mesh *mesh = copy->mesh;
    int64_t start = start_of(copy->from, polygon), size = start_of(copy->from, polygon + 1) - start;
    bool no_area;
    lf_status status = fetch(copy, polygon, size);
    if (status == LF_OK)
        status = check_shape(copy, polygon, size, &no_area);
    if (status != LF_OK)
        return status;
    bool wall = !no_area;
    if (mesh->firsts)
        mesh->firsts[polygon] = (uint32_t)*triangle;
    for (int64_t k = 1; k + 1 < size; k++, ++*triangle) {
        lf_vec3 fan[3] = {copy->ring[0], copy->ring[k], copy->ring[k + 1]};
        wall = wall && lf__mesh_edge_on(&mesh->frame, fan);
        uint32_t *corner = mesh->corners + 3 * *triangle;
        corner[0] = (uint32_t)copy->from->corners[start];
        corner[1] = (uint32_t)copy->from->corners[start + k];
        corner[2] = (uint32_t)copy->from->corners[start + k + 1];
        if (mesh->owners)
            mesh->owners[*triangle] = (uint32_t)polygon;
    }
    for (int64_t k = 0; k < size; k++)
        mesh->box = lf_box_with(mesh->box, copy->ring[k]);
    mesh->wall_count += wall;
    mesh->flat_count += no_area;
    if (mesh->sides && (mesh->sides[polygon] < 1 || mesh->sides[polygon] > 2))
        return lf__fail(copy->error, LF_BAD_ARGUMENT, polygon, "polygon %lld: sides is %d, not 1 or 2",
                        (long long)polygon, mesh->sides[polygon]);
    return LF_OK;
}

lf_status lf__mesh_copy(lf_mesh *mesh, const lf_mesh_def *def, lf_error *error) {
    const lf_polygons *from = &def->polygons;
    copier copy = {.mesh = mesh, .from = from, .tolerance = def->tolerance, .error = error};
    if (!(def->tolerance >= 0))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "tolerance is %g, not 0 or more", def->tolerance);
    lf_status status = check_arrays(from, error);
    if (status == LF_OK)
        status = measure(&copy);
    if (status == LF_OK)
        status = take_arrays(&copy);
    if (status == LF_OK) {
        memcpy(mesh->vertices, from->vertices, (size_t)from->vertex_count * sizeof *mesh->vertices);
        if (mesh->users)
            memcpy(mesh->users, from->users, (size_t)from->polygon_count * sizeof *mesh->users);
        if (mesh->layers)
            memcpy(mesh->layers, from->layers, (size_t)from->polygon_count * sizeof *mesh->layers);
        if (mesh->sides)
            memcpy(mesh->sides, from->sides, (size_t)from->polygon_count * sizeof *mesh->sides);
    }
    int64_t triangle = 0;
    mesh->box = lf_box_empty();
    for (int64_t i = 0; status == LF_OK && i < from->polygon_count; i++) {
        status = copy_polygon(&copy, i, &triangle);
        if (status == LF_OK && i % 65536 == 0 && !lf__report(&def->host, "check", i, from->polygon_count))
            status = lf__fail_plain(error, LF_CANCELLED);
    }
    if (status == LF_OK && mesh->firsts)
        mesh->firsts[mesh->polygon_count] = (uint32_t)triangle;
    lf__give_array(&mesh->allocator, copy.ring, copy.ring_capacity, sizeof *copy.ring);
    return status;
}
