/// What an index must provide to take the place of a mesh's nested grid.
///
/// Only gravity lines use it; rays use the box tree. The functions get the mesh and find their own data in
/// mesh->index_data.
#ifndef LF_MESH_INDEX_H
#define LF_MESH_INDEX_H

#include "mesh/edit.h"
#include "mesh/mesh_question.h"

struct lf_mesh_index {
    /// Make mesh->index_data of the mesh's polygons and fill in mesh->index_record. `def` is what the caller gave, or NULL.
    lf_status (*create)(lf_mesh *mesh, const void *def, const lf_host *host, lf_error *error);
    void (*destroy)(lf_mesh *mesh); ///< mesh->index_data may be NULL

    const void *(*def)(const lf_mesh *mesh); ///< the parameters that it was made with
    size_t (*bytes)(const lf_mesh *mesh);
    lf_mesh_work (*work)(const lf_mesh *mesh); ///< of making it

    /// The nearest ground along gravity, where that has one direction; false, with nothing written, when the point is too far
    /// away for this index.
    bool (*height)(const lf_mesh *mesh, lf_vec3 point, bool down, lf_hit *hit, lf_cursor *cursor);

    /// A gravity line in any frame, which is the question's ray: as lf__tree_first, lf__tree_any and lf__mesh_all.
    bool (*first)(const lf__mesh_question *question, lf__tree_meeting *best, lf_cursor *cursor);
    bool (*any)(const lf__mesh_question *question, lf_cursor *cursor);
    int64_t (*all)(lf__mesh_question *question, lf_hit *hits, int64_t capacity, lf_cursor *cursor);

    /// An edit, as edit.h describes it. `edit` is the index's own; NULL until it has prepared. The last two arguments of
    /// commit say whether the mesh's hull shrank or grew anywhere.
    lf_status (*prepare)(lf__mesh_change *change, void **edit);
    void (*commit)(void *edit, bool shrank, bool grew);
    void (*abandon)(void *edit);
    void (*renew)(lf__mesh_change *change); ///< as lf__nest_renew
};

#endif
