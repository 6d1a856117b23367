/// Making an edited mesh anew.
#include "base/base.h"
#include "mesh/mesh_index.h"

/// The polygons that there are, as a caller would give them.
typedef struct living {
    lf_polygons polygons;
    lf_vec3 *vertices;
    int64_t *starts, *corners, *numbers; ///< new numbers of vertices, or -1
    uint64_t *users;
    uint32_t *layers;
    uint8_t *sides;
    int64_t polygon_count, corner_count;
} living;

static lf_status take(const lf_mesh *mesh, living *l) {
    int64_t polygons = mesh->polygon_count - mesh->gone_count;
    int64_t corners = mesh->triangle_count - mesh->gone_triangles + 2 * polygons;
    const lf_allocator *a = &mesh->allocator;
    l->polygon_count = polygons;
    l->corner_count = corners;
    lf_status status = lf__take_array(a, mesh->vertex_count, sizeof *l->vertices, (void **)&l->vertices);
    if (status == LF_OK)
        status = lf__take_array(a, mesh->vertex_count, sizeof *l->numbers, (void **)&l->numbers);
    if (status == LF_OK)
        status = lf__take_array(a, polygons + 1, sizeof *l->starts, (void **)&l->starts);
    if (status == LF_OK)
        status = lf__take_array(a, corners, sizeof *l->corners, (void **)&l->corners);
    if (status == LF_OK && mesh->users)
        status = lf__take_array(a, polygons, sizeof *l->users, (void **)&l->users);
    if (status == LF_OK && mesh->layers)
        status = lf__take_array(a, polygons, sizeof *l->layers, (void **)&l->layers);
    if (status == LF_OK && mesh->sides)
        status = lf__take_array(a, polygons, sizeof *l->sides, (void **)&l->sides);
    return status;
}

static void give(const lf_mesh *mesh, int64_t vertex_count, const living *l) {
    const lf_allocator *a = &mesh->allocator;
    lf__give_array(a, l->sides, l->polygon_count, sizeof *l->sides);
    lf__give_array(a, l->layers, l->polygon_count, sizeof *l->layers);
    lf__give_array(a, l->users, l->polygon_count, sizeof *l->users);
    lf__give_array(a, l->corners, l->corner_count, sizeof *l->corners);
    lf__give_array(a, l->starts, l->polygon_count + 1, sizeof *l->starts);
    lf__give_array(a, l->numbers, vertex_count, sizeof *l->numbers);
    lf__give_array(a, l->vertices, vertex_count, sizeof *l->vertices);
}

/// The number of corner k of a polygon among the mesh's vertices.
static uint32_t corner_number(const lf_mesh *mesh, int64_t polygon, int64_t k) {
    int64_t fan = k < 2 ? 0 : k - 2;
    return mesh->corners[3 * (lf__mesh_first(mesh, polygon) + fan) + (k - fan)];
}

static void number_vertices(const lf_mesh *mesh, living *l) {
    for (int64_t i = 0; i < mesh->vertex_count; i++)
        l->numbers[i] = -1;
    for (int64_t i = 0; i < mesh->triangle_count; i++)
        for (int k = 0; k < 3 && !lf__mesh_gone(mesh, i); k++)
            l->numbers[mesh->corners[3 * i + k]] = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < mesh->vertex_count; i++)
        if (l->numbers[i] == 0) {
            l->vertices[count] = mesh->vertices[i];
            l->numbers[i] = count++;
        }
    l->polygons.vertex_count = count;
}

static void fill(const lf_mesh *mesh, living *l) {
    number_vertices(mesh, l);
    int64_t polygons = 0, corners = 0;
    for (int64_t i = 0; i < mesh->polygon_count; i++) {
        if (lf__mesh_gone(mesh, lf__mesh_first(mesh, i)))
            continue;
        l->starts[polygons] = corners;
        for (int64_t k = 0; k < lf__mesh_corner_count(mesh, i); k++)
            l->corners[corners++] = l->numbers[corner_number(mesh, i, k)];
        if (l->users)
            l->users[polygons] = mesh->users[i];
        if (l->layers)
            l->layers[polygons] = mesh->layers[i];
        if (l->sides)
            l->sides[polygons] = mesh->sides[i];
        polygons++;
    }
    l->starts[polygons] = corners;
    l->polygons.vertices = l->vertices;
    l->polygons.starts = l->starts;
    l->polygons.corners = l->corners;
    l->polygons.polygon_count = polygons;
    l->polygons.users = l->users;
    l->polygons.layers = l->layers;
    l->polygons.sides = l->sides;
}

static void write_map(const lf_mesh *mesh, int64_t *map) {
    int64_t number = 0;
    for (int64_t i = 0; i < mesh->polygon_count; i++)
        map[i] = lf__mesh_gone(mesh, lf__mesh_first(mesh, i)) ? -1 : number++;
}

/// Put a fresh mesh in the place of an old one, which callers know by its address.
static void move_in(lf_mesh *mesh, lf_mesh *fresh) {
    lf_mesh old = *mesh;
    *mesh = *fresh;
    lf__mesh_init_ground(mesh);
    *fresh = old;
    if (mesh->nest.mesh)
        mesh->nest.mesh = mesh;
    if (fresh->nest.mesh)
        fresh->nest.mesh = fresh;
    lf_mesh_destroy(fresh);
}

lf_status lf_mesh_compact(lf_mesh *mesh, int64_t *map, int64_t map_count, lf_error *error) {
    if (!mesh)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "mesh is NULL");
    if (map && map_count < mesh->polygon_count)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "the map has room for %lld of %lld polygons",
                        (long long)map_count, (long long)mesh->polygon_count);
    int64_t vertex_count = mesh->vertex_count;
    living l = {.vertices = NULL};
    lf_mesh *fresh;
    lf_status status = take(mesh, &l);
    if (status == LF_OK) {
        fill(mesh, &l);
        lf_mesh_def def = lf_mesh_def_default();
        def.host.allocator = &mesh->allocator;
        def.polygons = l.polygons;
        def.frame = mesh->frame;
        def.tolerance = mesh->tolerance;
        def.index = mesh->index;
        def.index_def = mesh->index ? mesh->index->def(mesh) : NULL;
        status = lf_mesh_create(&def, &fresh, error);
    } else {
        lf__fail_plain(error, status);
    }
    if (status == LF_OK) {
        if (map)
            write_map(mesh, map);
        move_in(mesh, fresh);
    }
    give(mesh, vertex_count, &l);
    return status;
}
