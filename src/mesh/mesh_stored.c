/// Meshes to and from the sections of a file.
#include "mesh/mesh_stored.h"
#include "mesh/mesh_edit.h"
#include <string.h>

const char *lf__stored_name(int array) {
    static const char *const names[] = {
#define STORED_NAME(identifier, name, item) name,
        LF__STORED_LIST(STORED_NAME)
#undef STORED_NAME
    };
    return names[array];
}

size_t lf__stored_item(int array) {
    static const size_t items[] = {
#define STORED_ITEM(identifier, name, item) item,
        LF__STORED_LIST(STORED_ITEM)
#undef STORED_ITEM
    };
    return items[array];
}

// ---------------------------------------------------------------------------------------------------
// To a file
// ---------------------------------------------------------------------------------------------------

static void stored_put(double numbers[3], lf_vec3 v) {
    numbers[0] = v.x;
    numbers[1] = v.y;
    numbers[2] = v.z;
}

static lf_vec3 stored_get(const double numbers[3]) {
    return (lf_vec3){numbers[0], numbers[1], numbers[2]};
}

static void store_nest(const lf__nest *nest, lf__mesh_built *b) {
    b->columns = nest->columns;
    b->rows = nest->rows;
    b->word_count = nest->word_count;
    b->leaf_count = nest->leaf_count;
    b->reference_count = nest->reference_count;
    b->depth = nest->depth;
    b->doubted = nest->doubted;
    b->origin[0] = nest->origin_x;
    b->origin[1] = nest->origin_y;
    b->middle[0] = nest->middle_x;
    b->middle[1] = nest->middle_y;
    b->per_metre = nest->per_metre;
    b->blur = nest->blur;
    b->tolerance = nest->tolerance;
    b->span = nest->span;
    b->far = nest->far;
}

static void store_tree(const lf__bvh *tree, lf__mesh_built *b) {
    b->tree_root = tree->root;
    b->tree_depth = tree->depth;
    b->tree_nodes = tree->node_count;
    b->tree_leaves = tree->leaf_count;
    b->tree_moved = tree->moved;
    stored_put(b->tree_low, tree->box.low);
    stored_put(b->tree_high, tree->box.high);
    stored_put(b->tree_origin, tree->origin);
    b->tree_scale = tree->scale;
}

/// How many items each array of a mesh with these numbers has.
static void stored_counts(const lf__mesh_stored *s, bool slopes, int64_t counts[LF__STORED_ARRAYS]) {
    const lf__mesh_built *b = &s->built;
    int64_t beyond = b->plain != LF__MESH_PLAIN ? b->plain : -1, cells = b->columns * b->rows;
    const int64_t all[LF__STORED_ARRAYS] = {
        [LF__STORED_VERTICES] = s->vertex_count,
        [LF__STORED_FANS] = b->triangle_count,
        [LF__STORED_OWNERS] = beyond >= 0 ? b->triangle_count - beyond : 0,
        [LF__STORED_FIRSTS] = beyond >= 0 ? s->polygon_count - beyond + 1 : 0,
        [LF__STORED_USERS] = s->polygon_count,
        [LF__STORED_LAYERS] = s->polygon_count,
        [LF__STORED_SIDES] = s->polygon_count,
        [LF__STORED_TOP] = cells,
        [LF__STORED_LINES] = LF__NEST_LINES(cells),
        [LF__STORED_WORDS] = b->word_count,
        [LF__STORED_SLOPES] = slopes ? b->triangle_count : 0,
        [LF__STORED_NODES] = b->tree_nodes,
        [LF__STORED_LEAVES] = b->tree_leaves,
    };
    memcpy(counts, all, sizeof all);
}

void lf__mesh_store(const lf_mesh *mesh, lf__mesh_stored *s) {
    const lf_mesh_work *w = &mesh->built;
    const void *data[LF__STORED_ARRAYS] = {
        mesh->vertices,    mesh->corners,     mesh->owners,      mesh->firsts,     mesh->users,
        mesh->layers,      mesh->sides,       mesh->nest.top,    mesh->nest.lines, mesh->nest.words,
        mesh->nest.planes, mesh->tree->nodes, mesh->tree->leaves};
    *s = (lf__mesh_stored){.vertex_count = mesh->vertex_count, .polygon_count = mesh->polygon_count};
    lf__mesh_built *b = &s->built;
    *b = (lf__mesh_built){.revision = LF__STORED_REVISION,
                          .triangle_count = mesh->triangle_count,
                          .plain = mesh->plain,
                          .wall_count = mesh->wall_count,
                          .flat_count = mesh->flat_count,
                          .work = {w->vertices, w->triangles, w->cells, w->references, w->nodes},
                          .hull_count = mesh->hull.count};
    stored_put(b->low, mesh->box.low);
    stored_put(b->high, mesh->box.high);
    store_tree(mesh->tree, b);
    if (mesh->nest.mesh)
        store_nest(&mesh->nest, b);
    int64_t counts[LF__STORED_ARRAYS];
    stored_counts(s, mesh->nest.planes != NULL, counts);
    for (int a = 0; a < LF__STORED_ARRAYS; a++)
        s->arrays[a] = (lf__bytes){data[a], data[a] ? (size_t)counts[a] * lf__stored_item(a) : 0};
    s->hull = (lf__bytes){mesh->hull.corners, (size_t)mesh->hull.count * sizeof *mesh->hull.corners};
}

int64_t lf__stored_blocks(const lf__mesh_stored *stored) {
    size_t count = 0;
    for (int a = 0; a < LF__STORED_ARRAYS; a++)
        count += (stored->arrays[a].size + LF__STORED_BLOCK - 1) / LF__STORED_BLOCK;
    return (int64_t)count;
}

void lf__stored_sum(const lf__mesh_stored *stored, uint64_t *sums) {
    for (int a = 0; a < LF__STORED_ARRAYS; a++) {
        size_t size = stored->arrays[a].size;
        for (size_t at = 0; at < size; at += LF__STORED_BLOCK)
            *sums++ = lf__xxh64((const char *)stored->arrays[a].data + at,
                                size - at < LF__STORED_BLOCK ? size - at : LF__STORED_BLOCK, 0);
    }
}

// ---------------------------------------------------------------------------------------------------
// From a file
// ---------------------------------------------------------------------------------------------------

/// Are counts such that sizes can be computed from them?
static bool counts_fit(const lf__mesh_stored *s) {
    const lf__mesh_built *b = &s->built;
    const int64_t counts[] = {s->vertex_count, s->polygon_count, b->triangle_count, b->word_count,
                              b->tree_nodes,   b->tree_leaves,   b->columns,        b->rows,
                              b->hull_count,   b->leaf_count,    b->reference_count};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        if (counts[k] < 0 || counts[k] > INT32_MAX)
            return false;
    bool nest = s->frame.kind == LF_FRAME_GRAVITY;
    return b->triangle_count > 0 && b->plain >= 0 && b->plain <= UINT32_MAX &&
           (b->plain == LF__MESH_PLAIN ? s->polygon_count == b->triangle_count
                                       : b->plain < b->triangle_count && b->plain < s->polygon_count) &&
           (b->columns > 0) == nest && (b->rows > 0) == nest && b->columns * b->rows <= INT32_MAX &&
           (!nest || b->word_count >= LF__NEST_FIRST);
}

static bool numbers_fit(const lf__mesh_built *b) {
    const double numbers[] = {
        b->low[0],       b->low[1],         b->low[2],         b->high[0],        b->high[1],
        b->high[2],      b->origin[0],      b->origin[1],      b->middle[0],      b->middle[1],
        b->per_metre,    b->blur,           b->tolerance,      b->span,           b->far,
        b->tree_low[0],  b->tree_low[1],    b->tree_low[2],    b->tree_high[0],   b->tree_high[1],
        b->tree_high[2], b->tree_origin[0], b->tree_origin[1], b->tree_origin[2], b->tree_scale};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (!isfinite(numbers[k]))
            return false;
    int64_t root = b->tree_root & ~(int64_t)LF__BVH_LEAF;
    bool leaf = (b->tree_root & LF__BVH_LEAF) != 0;
    return b->per_metre >= 0 && b->tree_depth >= 0 && b->tree_depth <= LF__BVH_DEPTH && b->tree_root >= 0 &&
           b->tree_root <= UINT32_MAX && root < (leaf ? b->tree_leaves : b->tree_nodes) && b->depth >= 0 &&
           b->depth <= LF__NEST_DEEPEST;
}

static bool arrays_fit(const lf__mesh_stored *s) {
    int64_t counts[LF__STORED_ARRAYS];
    bool nest = s->built.columns > 0;
    stored_counts(s, nest && !s->compact, counts);
    for (int a = 0; a < LF__STORED_ARRAYS; a++) {
        bool optional = a == LF__STORED_USERS || a == LF__STORED_LAYERS || a == LF__STORED_SIDES;
        size_t size;
        if (!lf__size_array(counts[a], lf__stored_item(a), &size) ||
            (s->arrays[a].size != size && !(optional && s->arrays[a].size == 0)))
            return false;
    }
    const lf_vec3 *hull = s->hull.data;
    bool fine = s->hull.size == (size_t)s->built.hull_count * sizeof *hull &&
                (!nest || s->behind >= LF__NEST_SPARE * sizeof(uint32_t));
    for (int64_t k = 0; fine && k < s->built.hull_count; k++)
        fine = lf_vec3_finite(hull[k]);
    return fine && s->sums.size == (size_t)lf__stored_blocks(s) * sizeof(uint64_t);
}

static void load_nest(lf_mesh *mesh, const lf__mesh_stored *s) {
    const lf__mesh_built *b = &s->built;
    lf__nest *nest = &mesh->nest;
    *nest = (lf__nest){.mesh = mesh,
                       .origin_x = b->origin[0],
                       .origin_y = b->origin[1],
                       .per_metre = b->per_metre,
                       .columns = b->columns,
                       .rows = b->rows,
                       .width = (double)b->columns,
                       .height = (double)b->rows,
                       .blur = b->blur,
                       .tolerance = b->tolerance,
                       .word_count = b->word_count,
                       .word_capacity = b->word_count + LF__NEST_SPARE,
                       .leaf_count = b->leaf_count,
                       .reference_count = b->reference_count,
                       .built_references = b->reference_count,
                       .depth = (int)b->depth,
                       .doubted = (uint32_t)b->doubted | LF__NEST_DOUBTED,
                       .middle_x = b->middle[0],
                       .middle_y = b->middle[1],
                       .span = b->span,
                       .far = b->far};
    lf__nest_set_entrance(nest);
    nest->blocks.built = b->word_count;
    nest->top = (uint32_t *)s->arrays[LF__STORED_TOP].data;
    nest->lines = (uint32_t *)s->arrays[LF__STORED_LINES].data;
    nest->words = (uint32_t *)s->arrays[LF__STORED_WORDS].data;
    nest->planes = (lf__nest_plane *)s->arrays[LF__STORED_SLOPES].data;
    nest->plane_capacity = nest->planes ? b->triangle_count : 0;
}

static lf_status load_tree(lf_mesh *mesh, const lf__mesh_stored *s) {
    const lf__mesh_built *b = &s->built;
    mesh->tree = lf__allocate(&mesh->allocator, sizeof *mesh->tree, _Alignof(lf__bvh));
    if (!mesh->tree)
        return LF_NO_MEMORY;
    *mesh->tree = (lf__bvh){.allocator = mesh->allocator,
                            .kernels = lf__bvh_kernels_for(lf_isa_best()),
                            .vertices = mesh->vertices,
                            .corners = mesh->corners,
                            .item_count = b->triangle_count,
                            .box = {stored_get(b->tree_low), stored_get(b->tree_high)},
                            .origin = stored_get(b->tree_origin),
                            .scale = b->tree_scale,
                            .root = (uint32_t)b->tree_root,
                            .depth = (int)b->tree_depth,
                            .nodes = (lf__bvh_node *)s->arrays[LF__STORED_NODES].data,
                            .node_count = b->tree_nodes,
                            .leaves = (lf__bvh_leaf *)s->arrays[LF__STORED_LEAVES].data,
                            .leaf_count = b->tree_leaves,
                            .node_space = b->tree_nodes,
                            .leaf_space = b->tree_leaves,
                            .free_node = LF__BVH_NOWHERE,
                            .free_leaf = LF__BVH_NOWHERE,
                            .moved = b->tree_moved};
    return LF_OK;
}

static void load_arrays(lf_mesh *mesh, const lf__mesh_stored *s) {
    const lf__mesh_built *b = &s->built;
    static const int arrays[LF__MESH_ARRAYS] = {
        [LF__MESH_VERTICES] = LF__STORED_VERTICES, [LF__MESH_CORNERS] = LF__STORED_FANS,
        [LF__MESH_OWNERS] = LF__STORED_OWNERS,     [LF__MESH_FIRSTS] = LF__STORED_FIRSTS,
        [LF__MESH_USERS] = LF__STORED_USERS,       [LF__MESH_LAYERS] = LF__STORED_LAYERS,
        [LF__MESH_SIDES] = LF__STORED_SIDES};
    for (int k = 0; k < LF__MESH_ARRAYS; k++) {
        size_t item = k == LF__MESH_CORNERS ? sizeof(uint32_t) : lf__stored_item(arrays[k]);
        mesh->capacity[k] = (int64_t)(s->arrays[arrays[k]].size / item);
    }
    mesh->vertices = (lf_vec3 *)s->arrays[LF__STORED_VERTICES].data;
    mesh->corners = (uint32_t *)s->arrays[LF__STORED_FANS].data;
    mesh->owners = (uint32_t *)s->arrays[LF__STORED_OWNERS].data;
    mesh->firsts = (uint32_t *)s->arrays[LF__STORED_FIRSTS].data;
    mesh->users = (uint64_t *)s->arrays[LF__STORED_USERS].data;
    mesh->layers = (uint32_t *)s->arrays[LF__STORED_LAYERS].data;
    mesh->sides = (uint8_t *)s->arrays[LF__STORED_SIDES].data;
    mesh->vertex_count = s->vertex_count;
    mesh->polygon_count = s->polygon_count;
    mesh->triangle_count = b->triangle_count;
    mesh->plain = (uint32_t)b->plain;
    mesh->wall_count = b->wall_count;
    mesh->flat_count = b->flat_count;
    mesh->box = (lf_box){stored_get(b->low), stored_get(b->high)};
    mesh->built = (lf_mesh_work){b->work[0], b->work[1], b->work[2], b->work[3], b->work[4]};
    mesh->hull = (lf__hull){s->frame.down, (lf_vec3 *)s->hull.data, b->hull_count};
}

lf_status lf__mesh_from_stored(const lf__mesh_stored *stored, const lf_host *host, lf_mesh **mesh,
                               lf_error *error) {
    if (!counts_fit(stored) || !numbers_fit(&stored->built) || !arrays_fit(stored))
        return lf__fail(error, LF_BAD_FORMAT, -1, "the structures of the mesh do not fit their counts");
    lf_allocator allocator = lf__allocator_of(host);
    lf_mesh *fresh = lf__allocate(&allocator, sizeof *fresh, _Alignof(lf_mesh));
    if (!fresh)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *fresh = (lf_mesh){.allocator = allocator,
                       .frame = stored->frame,
                       .tolerance = stored->tolerance,
                       .compact = stored->compact,
                       .nest_kernels = lf__nest_kernels_for(lf_isa_best()),
                       .borrowed = true};
    fresh->straight = lf__mesh_is_straight(&stored->frame);
    load_arrays(fresh, stored);
    if (stored->built.columns > 0)
        load_nest(fresh, stored);
    lf_status status = load_tree(fresh, stored);
    if (status == LF_OK)
        status = lf__mesh_guard_start(fresh, stored);
    if (status != LF_OK) {
        lf_mesh_destroy(fresh);
        return lf__fail_plain(error, status);
    }
    lf__mesh_choose_path(fresh);
    lf__mesh_init_stored(fresh);
    *mesh = fresh;
    return LF_OK;
}
