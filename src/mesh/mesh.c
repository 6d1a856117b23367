/// Creating, describing, compacting and destroying meshes.
#include "mesh/mesh.h"
#include "base/base.h"
#include "base/containers.h"
#include "mesh/mesh_edit.h"
#include "mesh/mesh_stored.h"
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// Arrays
// ---------------------------------------------------------------------------------------------------

/// One of a mesh's arrays.
typedef struct mesh_array {
    void **items;
    size_t item;
} mesh_array;

static mesh_array mesh_array_of(lf_mesh *mesh, int array) {
    const mesh_array places[LF__MESH_ARRAYS] = {
        [LF__MESH_VERTICES] = {(void **)&mesh->vertices, sizeof *mesh->vertices},
        [LF__MESH_CORNERS] = {(void **)&mesh->corners, sizeof *mesh->corners},
        [LF__MESH_OWNERS] = {(void **)&mesh->owners, sizeof *mesh->owners},
        [LF__MESH_FIRSTS] = {(void **)&mesh->firsts, sizeof *mesh->firsts},
        [LF__MESH_USERS] = {(void **)&mesh->users, sizeof *mesh->users},
        [LF__MESH_LAYERS] = {(void **)&mesh->layers, sizeof *mesh->layers},
        [LF__MESH_SIDES] = {(void **)&mesh->sides, sizeof *mesh->sides},
    };
    return places[array];
}

lf_status lf__mesh_reserve(lf_mesh *mesh, int array, int64_t count) {
    mesh_array at = mesh_array_of(mesh, array);
    return lf__grow(&mesh->allocator, at.items, &mesh->capacity[array], count, at.item);
}

void lf__mesh_free_arrays(lf_mesh *mesh) {
    for (int array = LF__MESH_ARRAYS - 1; array >= 0; array--) {
        mesh_array at = mesh_array_of(mesh, array);
        lf__free(&mesh->allocator, *at.items, (size_t)mesh->capacity[array] * at.item, LF__CACHE_LINE);
    }
}

size_t lf__mesh_array_bytes(const lf_mesh *mesh) {
    const size_t items[LF__MESH_ARRAYS] = {
        [LF__MESH_VERTICES] = sizeof *mesh->vertices, [LF__MESH_CORNERS] = sizeof *mesh->corners,
        [LF__MESH_OWNERS] = sizeof *mesh->owners,     [LF__MESH_FIRSTS] = sizeof *mesh->firsts,
        [LF__MESH_USERS] = sizeof *mesh->users,       [LF__MESH_LAYERS] = sizeof *mesh->layers,
        [LF__MESH_SIDES] = sizeof *mesh->sides,
    };
    size_t bytes = 0;
    for (int array = 0; array < LF__MESH_ARRAYS; array++)
        bytes += (size_t)mesh->capacity[array] * items[array];
    return bytes;
}

// ---------------------------------------------------------------------------------------------------
// Creating and describing
// ---------------------------------------------------------------------------------------------------

lf_status lf__mesh_make_hull(const lf_mesh *mesh, lf__hull *hull) {
    const lf_allocator *allocator = &mesh->allocator;
    uint8_t *used = NULL;
    lf_vec3 *points = NULL;
    lf_status status = lf__allocate_array(allocator, mesh->vertex_count, sizeof *used, (void **)&used);
    if (status == LF_OK)
        status = lf__allocate_array(allocator, mesh->vertex_count, sizeof *points, (void **)&points);
    if (status == LF_OK) {
        memset(used, 0, (size_t)mesh->vertex_count);
        for (int64_t i = 0; i < mesh->triangle_count; i++)
            for (int k = 0; k < 3 && !lf__mesh_gone(mesh, i); k++)
                used[mesh->corners[3 * i + k]] = 1;
        int64_t count = 0;
        for (int64_t i = 0; i < mesh->vertex_count; i++)
            if (used[i])
                points[count++] = mesh->vertices[i];
        status = lf__hull_make(hull, allocator, points, count, mesh->frame.down);
    }
    lf__free_array(allocator, points, mesh->vertex_count, sizeof *points);
    lf__free_array(allocator, used, mesh->vertex_count, sizeof *used);
    return status;
}

static lf_status mesh_make_tree(lf_mesh *mesh, const lf_host *host, lf_error *error) {
    lf__bvh_def def = lf__bvh_def_default();
    def.host = *host;
    def.vertices = mesh->vertices;
    def.corners = mesh->corners;
    def.triangle_count = mesh->triangle_count;
    return lf__bvh_create(&def, &mesh->tree, error);
}

/// What making the mesh took.
static void count_build_work(lf_mesh *mesh) {
    lf__bvh_info tree = lf__bvh_describe(mesh->tree);
    mesh->built = mesh->nest.work;
    if (mesh->index) {
        lf_mesh_work work = mesh->index->work(mesh);
        lf__work_add(&mesh->built, &work);
    }
    mesh->built.vertices += mesh->vertex_count;
    mesh->built.triangles += mesh->triangle_count + tree.item_count + mesh->tree->moved;
    mesh->built.nodes += tree.node_count + tree.leaf_count;
}

static bool mesh_frame_valid(const lf_frame *frame) {
    bool kind = frame->kind == LF_FRAME_GRAVITY || frame->kind == LF_FRAME_CENTRE ||
                frame->kind == LF_FRAME_AXIS_IN || frame->kind == LF_FRAME_AXIS_OUT;
    bool direction = frame->down.x != 0 || frame->down.y != 0 || frame->down.z != 0;
    return kind && lf_vec3_finite(frame->origin) && lf_vec3_finite(frame->down) &&
           (direction || frame->kind == LF_FRAME_CENTRE);
}

bool lf__mesh_is_straight(const lf_frame *frame) {
    return frame->kind == LF_FRAME_GRAVITY && frame->down.x == 0 && frame->down.y == 0 && frame->down.z < 0;
}

static lf_status first_polygons(lf_mesh *mesh, const lf_mesh_def *def, lf_error *error) {
    lf__mesh_addition addition;
    if (!(def->tolerance >= 0))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "tolerance is %g, not 0 or more", def->tolerance);
    lf_status status = lf__mesh_append(mesh, &def->polygons, &def->host, &addition, error);
    if (status != LF_OK)
        return status;
    lf__mesh_accept(mesh, &addition);
    mesh->box = addition.box;
    return LF_OK;
}

lf_status lf_mesh_create(const lf_mesh_def *given, lf_mesh **mesh, lf_error *error) {
    lf_mesh_def def = lf_mesh_def_default();
    lf_status status = lf__def_read(&def, sizeof def, given, error);
    if (status != LF_OK)
        return status;
    if (!mesh)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "mesh is NULL");
    if (!mesh_frame_valid(&def.frame))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "the frame has no direction of gravity");
    lf_allocator allocator = lf__allocator_of(&def.host);
    lf_mesh *fresh = lf__allocate(&allocator, sizeof *fresh, _Alignof(lf_mesh));
    if (!fresh)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *fresh = (lf_mesh){
        .allocator = allocator, .frame = def.frame, .nest_kernels = lf__nest_kernels_for(lf_isa_best())};
    fresh->straight = lf__mesh_is_straight(&def.frame);
    fresh->tolerance = def.tolerance;
    fresh->compact = def.compact;
    status = first_polygons(fresh, &def, error);
    if (status == LF_OK && def.frame.kind == LF_FRAME_GRAVITY) {
        status = lf__mesh_make_hull(fresh, &fresh->hull);
        if (status != LF_OK)
            lf__fail_plain(error, status);
    }
    if (status == LF_OK && def.index) {
        fresh->index = def.index;
        status = def.index->create(fresh, def.index_def, &def.host, error);
    } else if (status == LF_OK && def.frame.kind == LF_FRAME_GRAVITY) {
        status = lf__nest_build(&fresh->nest, fresh, &def.host, 0);
        if (status != LF_OK)
            lf__fail_plain(error, status);
    }
    if (status == LF_OK)
        status = mesh_make_tree(fresh, &def.host, error);
    if (status != LF_OK) {
        lf_mesh_destroy(fresh);
        return status;
    }
    count_build_work(fresh);
    lf__mesh_init_ground(fresh);
    *mesh = fresh;
    return LF_OK;
}

void lf_mesh_destroy(lf_mesh *mesh) {
    if (!mesh)
        return;
    lf_allocator allocator = mesh->allocator;
    lf__mesh_guard_free(mesh);
    if (mesh->borrowed) {
        lf__free(&allocator, mesh->tree, sizeof *mesh->tree, _Alignof(lf__bvh));
        lf__free(&allocator, mesh, sizeof *mesh, _Alignof(lf_mesh));
        return;
    }
    lf__bvh_destroy(mesh->tree);
    if (mesh->index)
        mesh->index->destroy(mesh);
    lf__nest_free(&mesh->nest, &allocator);
    lf__hull_free(&mesh->hull, &allocator);
    lf__mesh_free_arrays(mesh);
    lf__free(&allocator, mesh, sizeof *mesh, _Alignof(lf_mesh));
}

lf_mesh_info lf_mesh_describe(const lf_mesh *mesh) {
    lf_mesh_info info = {.vertex_count = mesh->vertex_count,
                         .polygon_count = mesh->polygon_count - mesh->gone_count,
                         .id_count = mesh->polygon_count,
                         .triangle_count = mesh->triangle_count - mesh->gone_triangles,
                         .wall_count = mesh->wall_count,
                         .flat_count = mesh->flat_count,
                         .box = mesh->box,
                         .frame = mesh->frame,
                         .tree_bytes = lf__bvh_describe(mesh->tree).bytes,
                         .height_bytes = mesh->index ? mesh->index->bytes(mesh) : lf__nest_bytes(&mesh->nest),
                         .built = mesh->built,
                         .edited = mesh->edited};
    info.bytes = sizeof *mesh + info.tree_bytes + info.height_bytes + lf__mesh_array_bytes(mesh) +
                 (size_t)mesh->hull.count * sizeof *mesh->hull.corners;
    return info;
}

// ---------------------------------------------------------------------------------------------------
// Rebuilding an edited mesh
// ---------------------------------------------------------------------------------------------------

/// The polygons that there are, as a caller would give them.
typedef struct living_polygons {
    lf_polygons polygons;
    lf_vec3 *vertices;
    int64_t *starts, *corners, *numbers; ///< new numbers of vertices, or -1
    uint64_t *users;
    uint32_t *layers;
    uint8_t *sides;
    int64_t polygon_count, corner_count;
} living_polygons;

static lf_status living_allocate(const lf_mesh *mesh, living_polygons *l) {
    int64_t polygons = mesh->polygon_count - mesh->gone_count;
    int64_t corners = mesh->triangle_count - mesh->gone_triangles + 2 * polygons;
    const lf_allocator *a = &mesh->allocator;
    l->polygon_count = polygons;
    l->corner_count = corners;
    lf_status status = lf__allocate_array(a, mesh->vertex_count, sizeof *l->vertices, (void **)&l->vertices);
    if (status == LF_OK)
        status = lf__allocate_array(a, mesh->vertex_count, sizeof *l->numbers, (void **)&l->numbers);
    if (status == LF_OK)
        status = lf__allocate_array(a, polygons + 1, sizeof *l->starts, (void **)&l->starts);
    if (status == LF_OK)
        status = lf__allocate_array(a, corners, sizeof *l->corners, (void **)&l->corners);
    if (status == LF_OK && mesh->users)
        status = lf__allocate_array(a, polygons, sizeof *l->users, (void **)&l->users);
    if (status == LF_OK && mesh->layers)
        status = lf__allocate_array(a, polygons, sizeof *l->layers, (void **)&l->layers);
    if (status == LF_OK && mesh->sides)
        status = lf__allocate_array(a, polygons, sizeof *l->sides, (void **)&l->sides);
    return status;
}

static void living_free(const lf_mesh *mesh, int64_t vertex_count, const living_polygons *l) {
    const lf_allocator *a = &mesh->allocator;
    lf__free_array(a, l->sides, l->polygon_count, sizeof *l->sides);
    lf__free_array(a, l->layers, l->polygon_count, sizeof *l->layers);
    lf__free_array(a, l->users, l->polygon_count, sizeof *l->users);
    lf__free_array(a, l->corners, l->corner_count, sizeof *l->corners);
    lf__free_array(a, l->starts, l->polygon_count + 1, sizeof *l->starts);
    lf__free_array(a, l->numbers, vertex_count, sizeof *l->numbers);
    lf__free_array(a, l->vertices, vertex_count, sizeof *l->vertices);
}

/// The number of corner k of a polygon among the mesh's vertices.
static uint32_t corner_number(const lf_mesh *mesh, int64_t polygon, int64_t k) {
    int64_t fan = k < 2 ? 0 : k - 2;
    return mesh->corners[3 * (lf__mesh_first(mesh, polygon) + fan) + (k - fan)];
}

static void number_vertices(const lf_mesh *mesh, living_polygons *l) {
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

static void living_fill(const lf_mesh *mesh, living_polygons *l) {
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
static void replace_content(lf_mesh *mesh, lf_mesh *fresh) {
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
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "map_count %lld: expected at least %lld, the id_count of the mesh",
                        (long long)map_count, (long long)mesh->polygon_count);
    int64_t vertex_count = mesh->vertex_count;
    living_polygons l = {.vertices = NULL};
    lf_mesh *fresh;
    lf_status status = living_allocate(mesh, &l);
    if (status == LF_OK) {
        living_fill(mesh, &l);
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
        replace_content(mesh, fresh);
    }
    living_free(mesh, vertex_count, &l);
    return status;
}
