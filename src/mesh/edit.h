/// An edit on its way through the structures of a mesh.
///
/// At first the mesh's own arrays are brought up to date, in a way that can be undone. Then each structure prepares: it takes all the
/// memory that it needs and writes where nobody looks yet, and may fail. When all have prepared, all commit, which
/// cannot fail; else all abandon what they have prepared.
#ifndef LF_MESH_EDIT_H
#define LF_MESH_EDIT_H

#include "mesh/mesh.h"
#include "mesh/nest_build.h"

/// What is going to change. The mesh's arrays say so already: what is removed is marked as gone, what is added counts.
typedef struct lf__mesh_change {
    lf_mesh *mesh;
    const int64_t *removed; ///< polygons
    int64_t removed_count;
    int64_t first_polygon, first_triangle, first_vertex; ///< of those that are added
    lf_mesh_work work;
    bool rebuilt;
} lf__mesh_change;

/// A block of words.
typedef struct lf__nest_block {
    uint32_t place;
    int64_t words;
} lf__nest_block;

typedef struct lf__nest_edit {
    lf__mesh_change *change;
    lf__nest_builder build;
    lf__array taken, retired; ///< blocks that are new, and blocks that will not be needed any more
    lf__array changes;        ///< words to write
    lf__array list;           ///< triangles of the cell at hand
    int64_t leaf_count, reference_count;
    lf__nest fresh; ///< the nest is made anew when fresh.mesh is not NULL
} lf__nest_edit;

lf_status lf__nest_prepare(lf__nest_edit *edit, lf__mesh_change *change);
void lf__nest_commit(lf__nest_edit *edit);
void lf__nest_abandon(lf__nest_edit *edit);

/// Make the nest anew when so much has changed that this pays; without memory for it the old one stays, which is slower but
/// right.
void lf__nest_renew(lf__mesh_change *change);

/// Sort a list of numbers (uint32_t, tagged or not) and leave each in it once.
void lf__list_unique(lf__array *list);

/// The box and the hull of a mesh after a change, by walks through its old tree. What is found goes into the arguments; the mesh
/// keeps its own.
lf_box lf__mesh_new_box(lf__mesh_change *change);
lf_status lf__mesh_new_hull(lf__mesh_change *change, lf__hull *hull, bool *shrank, bool *grew);

#endif
