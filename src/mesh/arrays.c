/// The arrays that a mesh is made of: room for more, and giving back.
#include "base/array.h"
#include "mesh/mesh.h"

/// One of a mesh's arrays.
typedef struct place {
    void **items;
    size_t item;
} place;

static place place_of(lf_mesh *mesh, int array) {
    const place places[LF__MESH_ARRAYS] = {
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
    place at = place_of(mesh, array);
    return lf__grow(&mesh->allocator, at.items, &mesh->room[array], count, at.item);
}

void lf__mesh_free_arrays(lf_mesh *mesh) {
    for (int array = LF__MESH_ARRAYS - 1; array >= 0; array--) {
        place at = place_of(mesh, array);
        lf__give(&mesh->allocator, *at.items, (size_t)mesh->room[array] * at.item, LF__CACHE_LINE);
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
        bytes += (size_t)mesh->room[array] * items[array];
    return bytes;
}
