/// Meshes of files: every query checks what it is going to read, until everything has been checked.
///
/// Heights and rays walk the structure once, carefully, before the kernels do: blocks that they reach are compared with
/// their checksums, numbers with the sizes of the arrays that they refer to. Each of these walks also checks a little of
/// everything in turn, so that after a few thousand queries nothing is left and queries cost what they cost in a mesh
/// that was built. All other queries check everything first.
#include "mesh/mesh_edit.h"
#include "mesh/mesh_stored.h"
#include <stdatomic.h>
#include <string.h>

/// Bytes that a query checks for those that come after it.
#define SHARE 65536

struct lf__mesh_guard {
    const uint64_t *sums;
    lf__bytes arrays[LF__STORED_ARRAYS];
    int64_t starts[LF__STORED_ARRAYS + 1]; ///< number of the first block of each array
    _Atomic uint8_t *marks;                ///< per block: 1 when its checksum was right
    uint8_t *depths;                       ///< per node of the tree, below its parent; 0: not yet seen
    uint8_t *parents;                      ///< per leaf of the tree: does a node refer to it?
    int array;                             ///< how far everything has been checked,
    int64_t item;                          ///< and the item in that array
    int64_t visited;                       ///< words of the nested grid that cells refer to
    atomic_flag busy;
    _Atomic bool damaged, done;
};

lf_status lf__mesh_guard_start(lf_mesh *mesh, const lf__mesh_stored *stored) {
    const lf_allocator *allocator = &mesh->allocator;
    int64_t blocks = lf__stored_blocks(stored), nodes = stored->built.tree_nodes + 1,
            leaves = stored->built.tree_leaves + 1;
    lf__mesh_guard *g = lf__allocate(allocator, sizeof *g, _Alignof(lf__mesh_guard));
    if (!g)
        return LF_NO_MEMORY;
    *g = (lf__mesh_guard){.sums = stored->sums.data, .busy = ATOMIC_FLAG_INIT};
    mesh->guard = g;
    for (int a = 0; a < LF__STORED_ARRAYS; a++) {
        g->arrays[a] = stored->arrays[a];
        g->starts[a + 1] =
            g->starts[a] + (int64_t)((stored->arrays[a].size + LF__STORED_BLOCK - 1) / LF__STORED_BLOCK);
    }
    lf_status status = lf__allocate_array(allocator, blocks + 1, 1, (void **)&g->marks);
    if (status == LF_OK)
        status = lf__allocate_array(allocator, nodes, 1, (void **)&g->depths);
    if (status == LF_OK)
        status = lf__allocate_array(allocator, leaves, 1, (void **)&g->parents);
    if (status != LF_OK)
        return status;
    memset((void *)g->marks, 0, (size_t)blocks + 1);
    memset(g->depths, 0, (size_t)nodes);
    memset(g->parents, 0, (size_t)leaves);
    return LF_OK;
}

void lf__mesh_guard_free(lf_mesh *mesh) {
    lf__mesh_guard *g = mesh->guard;
    if (!g)
        return;
    const lf_allocator *allocator = &mesh->allocator;
    lf__free_array(allocator, g->parents, mesh->tree->leaf_count + 1, 1);
    lf__free_array(allocator, g->depths, mesh->tree->node_count + 1, 1);
    lf__free_array(allocator, (void *)g->marks, g->starts[LF__STORED_ARRAYS] + 1, 1);
    lf__free(allocator, g, sizeof *g, _Alignof(lf__mesh_guard));
    mesh->guard = NULL;
}

static bool guard_damage(lf__mesh_guard *g) {
    atomic_store_explicit(&g->damaged, true, memory_order_relaxed);
    return false;
}

// ---------------------------------------------------------------------------------------------------
// Checksums
// ---------------------------------------------------------------------------------------------------

/// Items of an array: are they in it, and undamaged?
static bool guard_fine(lf__mesh_guard *g, int array, int64_t item, int64_t count) {
    size_t size = lf__stored_item(array), all = g->arrays[array].size / size;
    if (item < 0 || count < 0 || (size_t)item > all || (size_t)count > all - (size_t)item)
        return guard_damage(g);
    if (count == 0)
        return true;
    int64_t first = (int64_t)((size_t)item * size / LF__STORED_BLOCK),
            last = (int64_t)(((size_t)(item + count) * size - 1) / LF__STORED_BLOCK);
    for (int64_t k = first; k <= last; k++) {
        int64_t block = g->starts[array] + k;
        if (atomic_load_explicit(&g->marks[block], memory_order_acquire))
            continue;
        size_t at = (size_t)k * LF__STORED_BLOCK, rest = g->arrays[array].size - at;
        const char *data = (const char *)g->arrays[array].data + at;
        if (lf__xxh64(data, rest < LF__STORED_BLOCK ? rest : LF__STORED_BLOCK, 0) != g->sums[block])
            return guard_damage(g);
        atomic_store_explicit(&g->marks[block], 1, memory_order_release);
    }
    return true;
}

/// A polygon's own values.
static bool polygon_fine(const lf_mesh *mesh, int64_t polygon) {
    lf__mesh_guard *g = mesh->guard;
    if (polygon < 0 || polygon >= mesh->polygon_count)
        return guard_damage(g);
    return (!mesh->users || guard_fine(g, LF__STORED_USERS, polygon, 1)) &&
           (!mesh->layers || guard_fine(g, LF__STORED_LAYERS, polygon, 1)) &&
           (!mesh->sides || guard_fine(g, LF__STORED_SIDES, polygon, 1));
}

static bool vertex_fine(const lf_mesh *mesh, int64_t number) {
    if (!guard_fine(mesh->guard, LF__STORED_VERTICES, number, 1))
        return false;
    const lf_vec3 *v = &mesh->vertices[number];
    bool good = fabs(v->x) <= LF__MESH_LIMIT && fabs(v->y) <= LF__MESH_LIMIT && fabs(v->z) <= LF__MESH_LIMIT;
    return good || guard_damage(mesh->guard);
}

/// A triangle, the plane of it, its corners and its polygon.
static bool triangle_fine(const lf_mesh *mesh, int64_t triangle) {
    lf__mesh_guard *g = mesh->guard;
    if (!guard_fine(g, LF__STORED_FANS, triangle, 1) ||
        (mesh->nest.planes && !guard_fine(g, LF__STORED_SLOPES, triangle, 1)))
        return false;
    for (int c = 0; c < 3; c++)
        if (!vertex_fine(mesh, mesh->corners[3 * triangle + c]))
            return false;
    if (triangle < mesh->plain)
        return polygon_fine(mesh, triangle);
    if (!guard_fine(g, LF__STORED_OWNERS, triangle - mesh->plain, 1))
        return false;
    int64_t polygon = mesh->owners[triangle - mesh->plain], row = polygon - mesh->plain;
    if (!polygon_fine(mesh, polygon) || !guard_fine(g, LF__STORED_FIRSTS, row, 2))
        return false;
    return (mesh->firsts[row] <= triangle && triangle < mesh->firsts[row + 1]) || guard_damage(g);
}

// ---------------------------------------------------------------------------------------------------
// The nested grid
// ---------------------------------------------------------------------------------------------------

/// The number of words of a leaf, or of a grid, at a place; 0: damaged.
static int64_t guard_words(const lf_mesh *mesh, uint32_t cell) {
    lf__mesh_guard *g = mesh->guard;
    int64_t place = cell & ~(LF__NEST_GRID | LF__NEST_LONG);
    bool grid = (cell & LF__NEST_GRID) != 0;
    place = grid ? (int64_t)(cell & ~LF__NEST_GRID) : place;
    if (place < LF__NEST_FIRST || !guard_fine(g, LF__STORED_WORDS, place, LF__NEST_HEAD))
        return guard_damage(g);
    const uint32_t *at = mesh->nest.words + place;
    int64_t side = at[0], words = grid ? 1 + side * side
                                       : LF__NEST_HEAD + LF__NEST_WORDS * (int64_t)(at[1] & LF__NEST_COUNT);
    if (grid && (side < 1 || side > 32767))
        return guard_damage(g);
    return words <= mesh->nest.word_count - place ? words : guard_damage(g);
}

/// All of a leaf. Each: also its triangles.
static bool leaf_fine(const lf_mesh *mesh, uint32_t cell, bool each) {
    lf__mesh_guard *g = mesh->guard;
    int64_t place = cell & ~LF__NEST_LONG, words = guard_words(mesh, (uint32_t)place);
    if (words == 0 || !guard_fine(g, LF__STORED_WORDS, place, words))
        return false;
    int64_t count = (words - LF__NEST_HEAD) / LF__NEST_WORDS;
    const uint32_t *triangles = mesh->nest.words + place + LF__NEST_HEAD + 3 * count;
    for (int64_t k = 0; k < count; k++) {
        int64_t triangle = triangles[k] & LF__NEST_NUMBER;
        if (triangle >= mesh->triangle_count)
            return guard_damage(g);
        if (each && !triangle_fine(mesh, triangle))
            return false;
    }
    return true;
}

/// The triangle that covers a cell. Each: all that a query reads of it.
static bool covered_fine(const lf_mesh *mesh, uint32_t cell, bool each) {
    int64_t triangle = lf__nest_covering(cell);
    if (triangle >= mesh->triangle_count)
        return guard_damage(mesh->guard);
    return !each || triangle_fine(mesh, triangle);
}

/// Everything that a height over a local point reads.
static bool column_fine(const lf_mesh *mesh, double x, double y) {
    const lf__nest *nest = &mesh->nest;
    lf__mesh_guard *g = mesh->guard;
    double tx = (x - nest->origin_x) * nest->per_metre, ty = (y - nest->origin_y) * nest->per_metre;
    if (!(tx >= 0 && ty >= 0 && tx < nest->width && ty < nest->height))
        return true;
    int64_t i = (int64_t)tx, j = (int64_t)ty, top = j * nest->columns + i;
    if (!guard_fine(g, LF__STORED_TOP, top, 1) ||
        !guard_fine(g, LF__STORED_LINES, top >> LF__NEST_LINE_SHIFT, 1))
        return false;
    uint32_t cell = nest->top[top];
    tx -= (double)i;
    ty -= (double)j;
    for (int depth = 0; lf__nest_is_grid(cell); depth++) {
        if (depth > LF__NEST_DEEPEST || guard_words(mesh, cell) == 0)
            return guard_damage(g);
        int64_t place = cell & ~LF__NEST_GRID, side = nest->words[place];
        tx *= (double)side;
        ty *= (double)side;
        i = (int64_t)tx;
        j = (int64_t)ty;
        if (!guard_fine(g, LF__STORED_WORDS, place + 1 + j * side + i, 1))
            return false;
        cell = nest->words[place + 1 + j * side + i];
        tx -= (double)i;
        ty -= (double)j;
    }
    if (lf__nest_is_covered(cell))
        return covered_fine(mesh, cell, true);
    return cell < LF__NEST_FIRST || leaf_fine(mesh, cell, true);
}

/// A cell with all that it refers to. In an undamaged file no two cells share words.
static bool cell_fine(const lf_mesh *mesh, uint32_t cell, int depth) {
    lf__mesh_guard *g = mesh->guard;
    if (cell < LF__NEST_FIRST)
        return true;
    if (lf__nest_is_covered(cell))
        return covered_fine(mesh, cell, false);
    int64_t words = guard_words(mesh, cell);
    g->visited += words;
    if (words == 0 || g->visited > mesh->nest.word_count)
        return guard_damage(g);
    if (!(cell & LF__NEST_GRID))
        return leaf_fine(mesh, cell, false);
    int64_t place = cell & ~LF__NEST_GRID;
    if (depth > LF__NEST_DEEPEST || !guard_fine(g, LF__STORED_WORDS, place, words))
        return guard_damage(g);
    for (int64_t k = 1; k < words; k++)
        if (!cell_fine(mesh, mesh->nest.words[place + k], depth + 1))
            return false;
    return true;
}

// ---------------------------------------------------------------------------------------------------
// The tree
// ---------------------------------------------------------------------------------------------------

/// A node: children come after it and are in the tree.
static bool node_fine(const lf_mesh *mesh, int64_t number) {
    lf__mesh_guard *g = mesh->guard;
    if (!guard_fine(g, LF__STORED_NODES, number, 1))
        return false;
    const lf__bvh_node *node = &mesh->tree->nodes[number];
    for (unsigned lane = 0; lane < LF__BVH_WIDTH; lane++) {
        uint32_t child = node->child[lane];
        if (!(node->lanes >> lane & 1) && node->plane[0][lane] == INFINITY &&
            node->plane[3][lane] == -INFINITY)
            continue; // met by nothing
        bool good = child & LF__BVH_LEAF ? (child & ~LF__BVH_LEAF) < mesh->tree->leaf_count
                                         : child > number && child < mesh->tree->node_count;
        if (!good)
            return guard_damage(g);
    }
    return node->lanes < 1u << LF__BVH_WIDTH || guard_damage(g);
}

/// A leaf of the tree. Each: also its triangles.
static bool tree_leaf_fine(const lf_mesh *mesh, int64_t number, bool each) {
    lf__mesh_guard *g = mesh->guard;
    if (!guard_fine(g, LF__STORED_LEAVES, number, 1))
        return false;
    const lf__bvh_leaf *leaf = &mesh->tree->leaves[number];
    if (leaf->lanes >= 1u << LF__BVH_WIDTH)
        return guard_damage(g);
    for (unsigned lanes = leaf->lanes; lanes; lanes &= lanes - 1) {
        int lane = __builtin_ctz(lanes);
        int64_t triangle = leaf->item[lane];
        if (triangle >= mesh->triangle_count)
            return guard_damage(g);
        for (int c = 0; c < 3; c++)
            if (leaf->vertex[lane][c] >= mesh->vertex_count)
                return guard_damage(g);
        if (each && !triangle_fine(mesh, triangle))
            return false;
    }
    return true;
}

/// Does a ray come near a child of a node? Wider than kernels ask, whatever rounding does.
static bool ray_near(const lf__bvh *tree, const lf__bvh_node *node, int lane, const lf_ray *ray,
                     double wide) {
    const double from[3] = {ray->origin.x - tree->origin.x, ray->origin.y - tree->origin.y,
                            ray->origin.z - tree->origin.z},
                 along[3] = {ray->direction.x, ray->direction.y, ray->direction.z};
    double near = -INFINITY, far = INFINITY;
    for (int k = 0; k < 3; k++) {
        double low = (double)node->plane[k][lane] - wide, high = (double)node->plane[k + 3][lane] + wide;
        if (fabs(along[k]) < 1e-300) {
            if (from[k] < low || from[k] > high)
                return false;
            continue;
        }
        double a = (low - from[k]) / along[k], b = (high - from[k]) / along[k];
        near = fmax(near, fmin(a, b));
        far = fmin(far, fmax(a, b));
    }
    return !(near > far) && !(far < ray->t_min) && !(near > ray->t_max);
}

/// Everything that a ray may read: all nodes and leaves that it comes near. False also where it comes near very much: then
/// `much` is set.
static bool ray_fine(const lf_mesh *mesh, const lf_ray *ray, bool *much) {
    const lf__bvh *tree = mesh->tree;
    lf_vec3 span = lf_vec3_sub(tree->box.high, tree->box.low), away = lf_vec3_sub(ray->origin, tree->origin);
    double wide = 0x1p-12 * (lf_vec3_length(span) + tree->scale) + 0x1p-30 * lf_vec3_length(away);
    uint32_t stack[LF__BVH_STACK];
    int count = 1, steps = 0;
    stack[0] = tree->root;
    while (count > 0) {
        uint32_t child = stack[--count];
        if (++steps > 20000) {
            *much = true;
            return false;
        }
        if (child & LF__BVH_LEAF) {
            if (!tree_leaf_fine(mesh, child & ~LF__BVH_LEAF, true))
                return false;
            continue;
        }
        if (!node_fine(mesh, child))
            return false;
        const lf__bvh_node *node = &tree->nodes[child];
        for (int lane = 0; lane < LF__BVH_WIDTH; lane++)
            if ((node->lanes >> lane & 1) && ray_near(tree, node, lane, ray, wide)) {
                if (count == LF__BVH_STACK)
                    return guard_damage(mesh->guard);
                stack[count++] = node->child[lane];
            }
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------
// Everything, a little at a time
// ---------------------------------------------------------------------------------------------------

/// A node in its turn: each is the child of one node, and none is too deep.
static bool node_in_turn(const lf_mesh *mesh, int64_t number) {
    lf__mesh_guard *g = mesh->guard;
    if (!node_fine(mesh, number))
        return false;
    int depth = number == (int64_t)mesh->tree->root ? 1 : g->depths[number];
    if (depth == 0 || depth > LF__BVH_DEPTH)
        return guard_damage(g);
    const lf__bvh_node *node = &mesh->tree->nodes[number];
    for (unsigned lanes = node->lanes; lanes; lanes &= lanes - 1) {
        uint32_t child = node->child[__builtin_ctz(lanes)];
        bool leaf = (child & LF__BVH_LEAF) != 0;
        uint8_t *seen = leaf ? &g->parents[child & ~LF__BVH_LEAF] : &g->depths[child];
        if (*seen != 0)
            return guard_damage(g);
        *seen = leaf ? 1 : (uint8_t)(depth + 1);
    }
    return true;
}

static bool item_in_turn(const lf_mesh *mesh, int array, int64_t item) {
    lf__mesh_guard *g = mesh->guard;
    switch (array) {
    case LF__STORED_VERTICES:
        return vertex_fine(mesh, item);
    case LF__STORED_FANS:
        return triangle_fine(mesh, item);
    case LF__STORED_SIDES:
        return guard_fine(g, array, item, 1) &&
               (mesh->sides[item] == 1 || mesh->sides[item] == 2 || guard_damage(g));
    case LF__STORED_TOP:
        return guard_fine(g, array, item, 1) && cell_fine(mesh, mesh->nest.top[item], 0);
    case LF__STORED_NODES:
        return node_in_turn(mesh, item);
    case LF__STORED_LEAVES:
        return tree_leaf_fine(mesh, item, false);
    default:
        return guard_fine(g, array, item, 1);
    }
}

/// Check on from where the last query stopped, so many bytes. The caller has set `busy`.
static void guard_check_on(const lf_mesh *mesh, size_t bytes) {
    lf__mesh_guard *g = mesh->guard;
    while (g->array < LF__STORED_ARRAYS && bytes > 0) {
        size_t size = lf__stored_item(g->array), left = g->arrays[g->array].size / size - (size_t)g->item,
               share = bytes / size + 1;
        size_t count = left < share ? left : share;
        for (size_t k = 0; k < count; k++)
            if (!item_in_turn(mesh, g->array, g->item + (int64_t)k))
                return;
        g->item += (int64_t)count;
        bytes = count * size < bytes ? bytes - count * size : 0;
        if (count == left)
            g->array++, g->item = 0;
    }
    if (g->array == LF__STORED_ARRAYS)
        atomic_store_explicit(&g->done, true, memory_order_release);
}

lf_status lf__mesh_secure(const lf_mesh *mesh) {
    lf__mesh_guard *g = mesh->guard;
    if (!g)
        return LF_OK;
    while (!atomic_load_explicit(&g->done, memory_order_acquire) &&
           !atomic_load_explicit(&g->damaged, memory_order_relaxed))
        if (!atomic_flag_test_and_set_explicit(&g->busy, memory_order_acquire)) {
            guard_check_on(mesh, SIZE_MAX / 2);
            atomic_flag_clear_explicit(&g->busy, memory_order_release);
        }
    return atomic_load_explicit(&g->damaged, memory_order_relaxed) ? LF_BAD_FORMAT : LF_OK;
}

/// May a query start? `known`: what it is going to read was found undamaged.
static bool guard_pass(const lf_mesh *mesh, bool known) {
    lf__mesh_guard *g = mesh->guard;
    if (known && !atomic_flag_test_and_set_explicit(&g->busy, memory_order_acquire)) {
        if (!atomic_load_explicit(&g->done, memory_order_relaxed))
            guard_check_on(mesh, SHARE);
        atomic_flag_clear_explicit(&g->busy, memory_order_release);
    }
    return known && !atomic_load_explicit(&g->damaged, memory_order_relaxed);
}

bool lf__mesh_damaged(const lf_mesh *mesh) {
    return atomic_load_explicit(&mesh->guard->damaged, memory_order_relaxed);
}

bool lf__mesh_checked(const lf_mesh *mesh) {
    return __builtin_expect(atomic_load_explicit(&mesh->guard->done, memory_order_acquire), 1);
}

bool lf__mesh_pass_all(const lf_mesh *mesh) {
    return lf__mesh_checked(mesh) || lf__mesh_secure(mesh) == LF_OK;
}

bool lf__mesh_pass_point(const lf_mesh *mesh, const lf_vec3 *point) {
    if (lf__mesh_checked(mesh))
        return true;
    if (!mesh->nest.mesh)
        return lf__mesh_pass_all(mesh);
    lf_vec3 local =
        lf__mesh_local(mesh, isinf(point->z) ? (lf_vec3){point->x, point->y, mesh->box.high.z} : *point);
    return guard_pass(mesh, column_fine(mesh, local.x, local.y));
}

bool lf__mesh_pass_ray(const lf_mesh *mesh, const lf_ray *ray) {
    bool much = false;
    if (lf__mesh_checked(mesh))
        return true;
    bool known = ray_fine(mesh, ray, &much);
    return much ? lf__mesh_pass_all(mesh) : guard_pass(mesh, known);
}

#undef SHARE
