/// Adding polygons to a mesh and removing them.
#include "mesh/mesh_edit.h"
#include "base/base.h"
#include <string.h>

/// The tree is rebuilt after edits of so many triangles, and a share of all. So it is when that many are added at once.
#define MANY_EDITS 4096
#define MANY_SHARE 2

/// What a mesh was before an edit, as far as a failure has to bring it back.
typedef struct mesh_state {
    int64_t vertex_count, triangle_count, polygon_count;
    int64_t wall_count, flat_count, gone_count, gone_triangles;
    uint32_t plain;
    lf_box box;
    lf__hull hull;
} mesh_state;

typedef struct mesh_editing {
    lf_mesh *mesh;
    const lf_mesh_edit_def *def;
    lf__mesh_change change;
    mesh_state was;
    int64_t marked; ///< polygons to remove that are marked as gone so far
    bool hull_changed, shrank, grew;
    lf__nest_edit nest;
    void *index;         ///< the edit of the mesh's own index, or NULL
    lf__bvh *fresh_tree; ///< or NULL
    lf_error *error;
} mesh_editing;

static mesh_state state_of(const lf_mesh *mesh) {
    return (mesh_state){.vertex_count = mesh->vertex_count,
                        .triangle_count = mesh->triangle_count,
                        .polygon_count = mesh->polygon_count,
                        .wall_count = mesh->wall_count,
                        .flat_count = mesh->flat_count,
                        .gone_count = mesh->gone_count,
                        .gone_triangles = mesh->gone_triangles,
                        .plain = mesh->plain,
                        .box = mesh->box,
                        .hull = mesh->hull};
}

static void restore_state(lf_mesh *mesh, const mesh_state *was) {
    mesh->vertex_count = was->vertex_count;
    mesh->triangle_count = was->triangle_count;
    mesh->polygon_count = was->polygon_count;
    mesh->wall_count = was->wall_count;
    mesh->flat_count = was->flat_count;
    mesh->gone_count = was->gone_count;
    mesh->gone_triangles = was->gone_triangles;
    mesh->plain = was->plain;
    mesh->box = was->box;
    mesh->hull = was->hull;
}

static int64_t living_triangles(const lf_mesh *mesh) {
    return mesh->triangle_count - mesh->gone_triangles;
}

// ---------------------------------------------------------------------------------------------------
// Polygons that go
// ---------------------------------------------------------------------------------------------------

/// Mark a polygon as gone, or take that back.
static void mark_gone(lf_mesh *mesh, int64_t polygon, bool gone) {
    int64_t last = lf__mesh_first(mesh, polygon + 1);
    for (int64_t k = lf__mesh_first(mesh, polygon); k < last; k++)
        mesh->corners[3 * k] = (mesh->corners[3 * k] & ~LF__MESH_GONE) | (gone ? LF__MESH_GONE : 0);
}

static lf_status mark_removed(mesh_editing *e) {
    lf_mesh *mesh = e->mesh;
    for (int64_t i = 0; i < e->def->remove_count; i++) {
        int64_t polygon = e->def->remove[i];
        if (polygon < 0 || polygon >= e->was.polygon_count)
            return lf__fail(e->error, LF_BAD_ARGUMENT, i, "remove: polygon %lld: expected 0 to %lld",
                            (long long)polygon, (long long)e->was.polygon_count - 1);
        if (lf__mesh_gone(mesh, lf__mesh_first(mesh, polygon)))
            return lf__fail(e->error, LF_BAD_ARGUMENT, i, "polygon %lld has been removed already",
                            (long long)polygon);
        mark_gone(mesh, polygon, true);
        e->marked = i + 1;
    }
    if (e->was.polygon_count - e->was.gone_count - e->def->remove_count + e->def->add.polygon_count < 1)
        return lf__fail(e->error, LF_BAD_GEOMETRY, -1, "no polygon would be left");
    return LF_OK;
}

/// Walls and polygons without area among those that go.
static lf_status count_removed(mesh_editing *e) {
    lf_mesh *mesh = e->mesh;
    int64_t most = 3;
    for (int64_t i = 0; i < e->def->remove_count; i++) {
        int64_t polygon = e->def->remove[i], size = lf__mesh_corner_count(mesh, polygon);
        mesh->gone_triangles += size - 2;
        e->change.work.triangles += size - 2;
        most = size > most ? size : most;
    }
    mesh->gone_count += e->def->remove_count;
    lf_vec3 *ring = NULL;
    lf_status status = lf__allocate_array(&mesh->allocator, most, sizeof *ring, (void **)&ring);
    for (int64_t i = 0; status == LF_OK && i < e->def->remove_count; i++) {
        bool wall, flat;
        lf__mesh_classify(mesh, e->def->remove[i], ring, &wall, &flat);
        mesh->wall_count -= wall;
        mesh->flat_count -= flat;
    }
    lf__free_array(&mesh->allocator, ring, most, sizeof *ring);
    return status;
}

// ---------------------------------------------------------------------------------------------------
// The tree
// ---------------------------------------------------------------------------------------------------

/// A tree of everything that there is.
static lf_status tree_of_living(const lf_mesh *mesh, lf__bvh **tree) {
    int64_t living = living_triangles(mesh), count = 0;
    uint32_t *items = NULL;
    lf_status status = lf__allocate_array(&mesh->allocator, living, sizeof *items, (void **)&items);
    for (int64_t i = 0; status == LF_OK && i < mesh->triangle_count; i++)
        if (!lf__mesh_gone(mesh, i))
            items[count++] = (uint32_t)i;
    if (status == LF_OK)
        status = lf__bvh_make_of(&mesh->allocator, mesh->vertices, mesh->corners, items, count, tree);
    lf__free_array(&mesh->allocator, items, living, sizeof *items);
    return status;
}

static lf_status prepare_tree(mesh_editing *e) {
    int64_t added = e->mesh->triangle_count - e->was.triangle_count;
    if (added > MANY_EDITS + living_triangles(e->mesh) / MANY_SHARE)
        return tree_of_living(e->mesh, &e->fresh_tree);
    lf_status status = lf__bvh_reserve(e->mesh->tree, added);
    return status == LF_TOO_LARGE ? tree_of_living(e->mesh, &e->fresh_tree) : status;
}

static void replace_tree(mesh_editing *e, lf__bvh *fresh) {
    lf__bvh_destroy(e->mesh->tree);
    e->mesh->tree = fresh;
    lf__bvh_info info = lf__bvh_describe(fresh);
    e->change.work.nodes += info.node_count + info.leaf_count;
    e->change.work.triangles += info.item_count + fresh->moved;
    e->change.rebuilt = true;
}

static void commit_tree(mesh_editing *e) {
    lf_mesh *mesh = e->mesh;
    if (e->fresh_tree) {
        replace_tree(e, e->fresh_tree);
        return;
    }
    lf__bvh_work work = {0, 0};
    for (int64_t i = 0; i < e->def->remove_count; i++) {
        int64_t last = lf__mesh_first(mesh, e->def->remove[i] + 1);
        for (int64_t k = lf__mesh_first(mesh, e->def->remove[i]); k < last; k++) {
            lf_vec3 points[3];
            lf__mesh_triangle(mesh, k, points);
            lf__bvh_take_out(mesh->tree, (uint32_t)k, points, &work);
        }
    }
    for (int64_t i = e->was.triangle_count; i < mesh->triangle_count; i++)
        lf__bvh_put_in(mesh->tree, (uint32_t)i, &work);
    lf__bvh_settle(mesh->tree, mesh->box, living_triangles(mesh));
    e->change.work.nodes += work.nodes;
    e->change.work.triangles += work.triangles;
}

/// After many edits a tree that is rebuilt is better than one that has grown. Without memory for it the old one stays.
static void renew_tree(mesh_editing *e) {
    lf__bvh *fresh;
    if (e->mesh->tree->edits > MANY_EDITS + living_triangles(e->mesh) / MANY_SHARE &&
        tree_of_living(e->mesh, &fresh) == LF_OK)
        replace_tree(e, fresh);
}

// ---------------------------------------------------------------------------------------------------
// All together
// ---------------------------------------------------------------------------------------------------

static lf_status change_border(mesh_editing *e) {
    lf_mesh *mesh = e->mesh;
    lf_box box = lf__mesh_new_box(&e->change);
    lf__hull hull = {.count = 0};
    if (mesh->frame.kind == LF_FRAME_GRAVITY) {
        lf_status status = lf__mesh_new_hull(&e->change, &hull, &e->shrank, &e->grew);
        if (status != LF_OK)
            return status;
    }
    e->hull_changed = e->shrank || e->grew;
    if (e->hull_changed)
        mesh->hull = hull;
    mesh->box = box;
    return LF_OK;
}

static lf_status change_arrays(mesh_editing *e) {
    lf_mesh *mesh = e->mesh;
    lf__mesh_addition addition = {.plain = mesh->plain};
    lf_status status = LF_OK;
    if (e->def->add.polygon_count > 0) {
        lf_host host = {.allocator = &mesh->allocator};
        status = lf__mesh_append(mesh, &e->def->add, &host, &addition, e->error);
        lf__bvh_rebase(mesh->tree, mesh->vertices, mesh->corners);
    }
    if (status != LF_OK)
        return status;
    lf__mesh_accept(mesh, &addition);
    e->change.work.vertices += addition.vertices;
    e->change.work.triangles += addition.triangles;
    return LF_OK;
}

static lf_status prepare_edit(mesh_editing *e) {
    lf_status status = mark_removed(e);
    if (status == LF_OK)
        status = change_arrays(e);
    if (status != LF_OK)
        return status; // these two have said why
    status = count_removed(e);
    if (status == LF_OK)
        status = change_border(e);
    if (status == LF_OK && e->mesh->index)
        status = e->mesh->index->prepare(&e->change, &e->index);
    else if (status == LF_OK && e->mesh->nest.mesh)
        status = lf__nest_prepare(&e->nest, &e->change);
    if (status == LF_OK)
        status = prepare_tree(e);
    return status == LF_OK ? LF_OK : lf__fail_plain(e->error, status);
}

static void abandon_edit(mesh_editing *e) {
    lf_mesh *mesh = e->mesh;
    lf__nest_abandon(&e->nest);
    if (e->index)
        mesh->index->abandon(e->index);
    if (e->hull_changed)
        lf__hull_free(&mesh->hull, &mesh->allocator);
    restore_state(mesh, &e->was);
    for (int64_t i = 0; i < e->marked; i++)
        mark_gone(mesh, e->def->remove[i], false);
}

static void commit_edit(mesh_editing *e) {
    lf_mesh *mesh = e->mesh;
    if (mesh->index) {
        mesh->index->commit(e->index, e->shrank, e->grew);
    } else if (mesh->nest.mesh) {
        mesh->nest.doubted |=
            (e->shrank ? 1u << LF__NEST_INSIDE : 0) | (e->grew ? 1u << LF__NEST_OUTSIDE : 0);
        lf__nest_commit(&e->nest);
    }
    commit_tree(e);
    if (e->hull_changed)
        lf__hull_free(&e->was.hull, &mesh->allocator);
    renew_tree(e);
    if (mesh->index)
        mesh->index->renew(&e->change);
    else if (mesh->nest.mesh)
        lf__nest_renew(&e->change);
    lf__mesh_choose_path(mesh);
    lf__work_add(&mesh->edited, &e->change.work);
}

static lf_status check_mesh_edit(const lf_mesh *mesh, const lf_mesh_edit_def *def, lf_error *error) {
    if (!mesh)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "mesh is NULL");
    if (def->add.polygon_count < 0 || def->remove_count < 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "%lld polygons to add and %lld to remove: must be 0 or more",
                        (long long)def->add.polygon_count, (long long)def->remove_count);
    if (def->remove_count > 0 && !def->remove)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "remove is NULL");
    return LF_OK;
}

lf_status lf_mesh_edit(lf_mesh *mesh, const lf_mesh_edit_def *given, lf_mesh_edit_result *edited,
                       lf_error *error) {
    lf_mesh_edit_def def = lf_mesh_edit_def_default();
    lf_status status = lf__def_read(&def, sizeof def, given, error);
    if (status == LF_OK)
        status = check_mesh_edit(mesh, &def, error);
    if (status != LF_OK)
        return status;
    mesh_editing e = {.mesh = mesh, .def = &def, .was = state_of(mesh), .error = error};
    e.change = (lf__mesh_change){.mesh = mesh,
                                 .removed = def.remove,
                                 .removed_count = def.remove_count,
                                 .first_polygon = mesh->polygon_count,
                                 .first_triangle = mesh->triangle_count,
                                 .first_vertex = mesh->vertex_count};
    if (def.add.polygon_count > 0 || def.remove_count > 0) {
        status = prepare_edit(&e);
        if (status != LF_OK) {
            abandon_edit(&e);
            return status;
        }
        commit_edit(&e);
    }
    if (edited)
        *edited = (lf_mesh_edit_result){e.change.first_polygon, e.change.work, e.change.rebuilt};
    return LF_OK;
}
