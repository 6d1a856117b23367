/// Meshes of files: their built structures as blocks of memory, which a mesh borrows, and the checks that keep
/// damaged bytes out of answers.
#ifndef LF_MESH_MESH_STORED_H
#define LF_MESH_MESH_STORED_H

#include "base/base.h"
#include "mesh/mesh.h"

/// Raised whenever the structures or the numbers below change their meaning: files of other revisions are
/// rebuilt from their polygons.
#define LF__STORED_REVISION 3

/// Blocks of so many bytes have a checksum each.
#define LF__STORED_BLOCK 16384

/// The arrays of a mesh in a file: identifier, name of the section, bytes per item.
#define LF__STORED_LIST(X)                                 \
    X(LF__STORED_VERTICES, "vertices", sizeof(lf_vec3))    \
    X(LF__STORED_FANS, "fans", 3 * sizeof(uint32_t))       \
    X(LF__STORED_OWNERS, "owners", sizeof(uint32_t))       \
    X(LF__STORED_FIRSTS, "firsts", sizeof(uint32_t))       \
    X(LF__STORED_USERS, "users", sizeof(uint64_t))         \
    X(LF__STORED_LAYERS, "layers", sizeof(uint32_t))       \
    X(LF__STORED_SIDES, "sides", sizeof(uint8_t))          \
    X(LF__STORED_TOP, "top", sizeof(uint32_t))             \
    X(LF__STORED_LINES, "lines", sizeof(uint32_t))         \
    X(LF__STORED_WORDS, "words", sizeof(uint32_t))         \
    X(LF__STORED_SLOPES, "slopes", sizeof(lf__nest_plane)) \
    X(LF__STORED_NODES, "nodes", sizeof(lf__bvh_node))     \
    X(LF__STORED_LEAVES, "leaves", sizeof(lf__bvh_leaf))

enum {
#define LF__STORED_ENUM(identifier, name, item) identifier,
    LF__STORED_LIST(LF__STORED_ENUM)
#undef LF__STORED_ENUM
        LF__STORED_ARRAYS
};

/// The numbers of a built mesh, as the section `built` has them.
typedef struct lf__mesh_built {
    int64_t revision;
    int64_t triangle_count, plain, wall_count, flat_count;
    int64_t work[5]; ///< of building
    double low[3], high[3];
    int64_t columns, rows, word_count, leaf_count, reference_count, depth,
        doubted; ///< of the nested grid; 0 without
    double origin[2], middle[2], per_metre, blur, tolerance, span, far;
    int64_t tree_root, tree_depth, tree_nodes, tree_leaves, tree_moved;
    double tree_low[3], tree_high[3], tree_origin[3], tree_scale;
    int64_t hull_count;
    int64_t reserved[16];
} lf__mesh_built;

_Static_assert(sizeof(lf__mesh_built) == 512, "as documented");

/// A mesh of a file.
typedef struct lf__mesh_stored {
    lf__mesh_built built;
    lf__bytes arrays[LF__STORED_ARRAYS];
    lf__bytes hull; ///< its corners
    lf__bytes sums; ///< XXH64 of each block of each array, in order
    size_t behind;  ///< readable bytes after the array of words
    int64_t vertex_count, polygon_count;
    lf_frame frame;
    double tolerance;
    bool compact;
} lf__mesh_stored;

/// Name of the section and bytes of an item of an array.
const char *lf__stored_name(int array);
size_t lf__stored_item(int array);

/// The structures of a mesh that was not edited and has no index of the caller's. Their memory is not copied.
void lf__mesh_store(const lf_mesh *mesh, lf__mesh_stored *stored);

/// The number of checksums, and the checksums, of stored arrays.
int64_t lf__stored_blocks(const lf__mesh_stored *stored);
void lf__stored_sum(const lf__mesh_stored *stored, uint64_t *sums);

/// Create a mesh from stored memory, which it borrows: nothing is built, and no array is read. Each query checks what it is
/// going to read (checksums, and that numbers are in range) until everything has been checked; after a mismatch every
/// query fails with LF_BAD_FORMAT. Errors: LF_BAD_FORMAT, LF_NO_MEMORY.
lf_status lf__mesh_from_stored(const lf__mesh_stored *stored, const lf_host *host, lf_mesh **mesh,
                               lf_error *error);

/// Check everything that is not yet checked: LF_OK, or LF_BAD_FORMAT. LF_OK for a mesh that is not of a file.
lf_status lf__mesh_secure(const lf_mesh *mesh);

/// Is everything checked, or something damaged?
bool lf__mesh_checked(const lf_mesh *mesh);
bool lf__mesh_damaged(const lf_mesh *mesh);

/// May a query start that reads anything, a height at a point, or a ray? False where there is damage.
bool lf__mesh_pass_all(const lf_mesh *mesh);
bool lf__mesh_pass_point(const lf_mesh *mesh, const lf_vec3 *point);
bool lf__mesh_pass_ray(const lf_mesh *mesh, const lf_ray *ray);

/// For mesh_stored.c: make a mesh of a file a ground whose queries check first.
void lf__mesh_init_stored(lf_mesh *mesh);
lf_status lf__mesh_guard_start(lf_mesh *mesh, const lf__mesh_stored *stored);
void lf__mesh_guard_free(lf_mesh *mesh);

#endif
