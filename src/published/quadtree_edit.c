/// Editing the quadtree: polygons go down to the leaves that they enter; those are rebuilt beside the old ones, split when
/// they have too many polygons, and four leaves with few are joined.
#include "base/base.h"
#include "published/quadtree.h"
#include <string.h>

/// The tree is rebuilt when its references have become so many times more or fewer than when it was made.
#define GROWN 4
#define GROWN_FROM 4096

/// Margin around the terrain when it has outgrown the tree, as a share of its extent.
#define MARGIN 0.125

#define PI 3.14159265358979323846

/// Four nodes, or a block of references.
typedef struct block {
    bool quad;
    uint32_t place;
    int64_t count;
} block;

/// A node to write.
typedef struct node_change {
    uint32_t node;
    lf__quadtree_node value;
} node_change;

typedef struct editing {
    lf__mesh_change *change;
    lf__quadtree_builder build;
    lf_host host;
    lf__array taken, retired, changes;
    lf__array touched; ///< polygons of the descent, node after node
    uint32_t scratch;  ///< a node to build with
    int64_t node_count, reference_count, polygon_count, line_count;
    lf_mesh_work work;
    lf__quadtree *fresh; ///< the tree is rebuilt when this is not NULL
} editing;

static lf_status append(editing *e, lf__array *array, const void *item, size_t size) {
    lf_status status = lf__array_reserve(array, e->build.allocator, 1, size);
    if (status == LF_OK)
        memcpy((char *)array->items + (size_t)array->count++ * size, item, size);
    return status;
}

static const lf__quadtree_node *node_at(const editing *e, uint32_t node) {
    return (const lf__quadtree_node *)e->build.nodes.items + node;
}

// ---------------------------------------------------------------------------------------------------
// Blocks
// ---------------------------------------------------------------------------------------------------

lf_status lf__quadtree_allocate_quad(lf__quadtree_builder *build, uint32_t *first) {
    lf__quadtree *tree = build->tree;
    lf_status status = lf__array_reserve(build->taken, build->allocator, 1, sizeof(block));
    if (status != LF_OK)
        return status;
    if (tree->free_quad != 0) {
        *first = tree->free_quad;
        tree->free_quad = ((lf__quadtree_node *)build->nodes.items)[*first].first;
    } else {
        if (build->nodes.count > UINT32_MAX - 4)
            return LF_TOO_LARGE;
        status = lf__grow(build->allocator, &build->nodes.items, &build->nodes.capacity,
                          build->nodes.count + 4, sizeof(lf__quadtree_node));
        if (status != LF_OK)
            return status;
        *first = (uint32_t)build->nodes.count;
        build->nodes.count += 4;
    }
    ((block *)build->taken->items)[build->taken->count++] = (block){true, *first, 4};
    return LF_OK;
}

lf_status lf__quadtree_allocate_references(lf__quadtree_builder *build, int64_t count, uint32_t *first) {
    if (count == 0)
        return LF_OK;
    lf_status status = lf__array_reserve(build->taken, build->allocator, 1, sizeof(block));
    if (status == LF_OK)
        status =
            lf__block_allocate(&build->tree->blocks, &build->references, build->allocator, count, 0, first);
    if (status == LF_OK)
        ((block *)build->taken->items)[build->taken->count++] = (block){false, *first, count};
    return status;
}

static void give_blocks(editing *e, const lf__array *blocks) {
    const block *list = blocks->items;
    lf__quadtree *tree = e->build.tree;
    for (int64_t i = 0; i < blocks->count; i++) {
        if (list[i].quad) {
            ((lf__quadtree_node *)e->build.nodes.items)[list[i].place].first = tree->free_quad;
            tree->free_quad = list[i].place;
        } else if (list[i].place > 0) { // the very first block has no place in a list
            lf__block_free(&tree->blocks, e->build.references.items, list[i].place, list[i].count);
        }
    }
}

static lf_status retire_leaf(editing *e, const lf__quadtree_node *leaf) {
    block old = {false, leaf->first, leaf->count};
    e->build.tree->reference_count -= leaf->count;
    return leaf->count > 0 ? append(e, &e->retired, &old, sizeof old) : LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Leaves and nodes
// ---------------------------------------------------------------------------------------------------

/// A node that is touched: its polygons are touched[first .. first + count).
typedef struct spot {
    uint32_t node;
    lf__rectangle box;
    int64_t first, count;
    int depth;
} spot;

/// The polygons of a leaf that are not gone, behind the builder's work.
static lf_status list_leaf(editing *e, const lf__quadtree_node *leaf) {
    lf__array *work = &e->build.work;
    lf_status status = lf__array_reserve(work, e->build.allocator, leaf->count, sizeof(uint32_t));
    const uint32_t *references = (const uint32_t *)e->build.references.items + leaf->first;
    for (uint32_t i = 0; status == LF_OK && i < leaf->count; i++)
        if (!lf__mesh_gone(e->build.mesh, lf__mesh_first(e->build.mesh, references[i])))
            ((uint32_t *)work->items)[work->count++] = references[i];
    e->work.references += leaf->count;
    return status;
}

/// Make a node of the polygons in the builder's work.
static lf_status make_of_work(editing *e, const spot *at, uint32_t hull, lf__quadtree_node *made) {
    int64_t nodes = e->build.tree->node_count;
    int64_t references = e->build.tree->reference_count + e->build.tests;
    lf__quadtree_place here = {e->scratch, at->box, 0, e->build.work.count, at->depth, hull};
    lf_status status = lf__quadtree_make_node(&e->build, here);
    *made = *node_at(e, e->scratch);
    e->work.nodes += e->build.tree->node_count - nodes + 1;
    e->work.references += e->build.tree->reference_count + e->build.tests - references;
    return status;
}

static lf_status update_leaf(editing *e, const spot *at, lf__quadtree_node *made) {
    lf__quadtree_node leaf = *node_at(e, at->node);
    e->build.work.count = 0;
    e->work.cells++;
    lf_status status = list_leaf(e, &leaf);
    for (int64_t i = 0; status == LF_OK && i < at->count; i++) {
        uint32_t polygon = ((const uint32_t *)e->touched.items)[at->first + i];
        if (!lf__mesh_gone(e->build.mesh, lf__mesh_first(e->build.mesh, polygon)))
            status = append(e, &e->build.work, &polygon, sizeof polygon);
    }
    if (status == LF_OK)
        status = retire_leaf(e, &leaf);
    return status == LF_OK ? make_of_work(e, at, leaf.hull, made) : status;
}

/// Do four leaves have so few polygons together that one would do? Half of what a leaf may have, so that the next edit does not cut
/// it again. Their polygons are then in the builder's work.
static lf_status may_join(editing *e, const lf__quadtree_node parts[4], bool *join) {
    int64_t few = (e->build.tree->def.max_polygons + 1) / 2, sum = 0;
    *join = true;
    for (int k = 0; k < 4; k++) {
        *join = *join && parts[k].children == 0;
        sum += parts[k].count;
    }
    *join = *join && sum / 4 <= few;
    e->build.work.count = 0;
    lf_status status = LF_OK;
    for (int k = 0; k < 4 && *join && status == LF_OK; k++)
        status = list_leaf(e, &parts[k]);
    lf__list_unique(&e->build.work);
    *join = *join && e->build.work.count <= few;
    return status;
}

static uint32_t joint_hull(const lf__quadtree_node parts[4]) {
    for (int k = 1; k < 4; k++)
        if (parts[k].hull != parts[0].hull)
            return LF__HULL_BORDER;
    return parts[0].hull;
}

static lf_status join_leaves(editing *e, const spot *at, const lf__quadtree_node parts[4],
                             lf__quadtree_node *made) {
    block quad = {true, node_at(e, at->node)->children, 4};
    lf_status status = append(e, &e->retired, &quad, sizeof quad);
    for (int k = 0; k < 4 && status == LF_OK; k++)
        status = retire_leaf(e, &parts[k]);
    e->build.tree->node_count -= 4;
    return status == LF_OK ? make_of_work(e, at, joint_hull(parts), made) : status;
}

/// Those of a node's polygons that enter one of its children.
static lf_status touch_child(editing *e, const spot *at, lf_vec2 cut, int child, spot *next) {
    lf_status status = lf__array_reserve(&e->touched, e->build.allocator, at->count, sizeof(uint32_t));
    lf__quadtree_piece piece = {.tree = e->build.tree, .mesh = e->build.mesh, .box = at->box};
    *next = (spot){node_at(e, at->node)->children + (uint32_t)child, lf__quadtree_part(at->box, cut, child),
                   e->touched.count, 0, at->depth + 1};
    uint32_t *touched = e->touched.items;
    for (int64_t i = 0; status == LF_OK && i < at->count; i++)
        if (lf__quadtree_enters(&piece, touched[at->first + i], cut, child))
            touched[e->touched.count++] = touched[at->first + i];
    next->count = e->touched.count - next->first;
    e->work.references += at->count;
    return status;
}

/// What a touched node becomes; the caller writes that. No deeper than LF__QUADTREE_DEEPEST.
static lf_status update(editing *e, const spot *at, lf__quadtree_node *made) {
    lf__quadtree_node node = *node_at(e, at->node), parts[4];
    bool changed[4] = {false, false, false, false}, join;
    lf_vec2 cut = {node.x, node.y};
    if (node.children == 0)
        return update_leaf(e, at, made);
    lf_status status = LF_OK;
    for (int k = 0; k < 4 && status == LF_OK; k++) {
        spot next;
        parts[k] = *node_at(e, node.children + (uint32_t)k);
        status = touch_child(e, at, cut, k, &next);
        changed[k] = next.count > 0;
        if (status == LF_OK && changed[k])
            status = update(e, &next, &parts[k]);
        e->touched.count = next.first;
    }
    e->work.nodes++;
    *made = node;
    if (status == LF_OK)
        status = may_join(e, parts, &join);
    if (status == LF_OK && join)
        return join_leaves(e, at, parts, made);
    for (uint32_t k = 0; k < 4 && status == LF_OK; k++) {
        node_change change = {node.children + k, parts[k]};
        if (changed[k])
            status = append(e, &e->changes, &change, sizeof change);
    }
    return status;
}

// ---------------------------------------------------------------------------------------------------
// The whole edit
// ---------------------------------------------------------------------------------------------------

/// Is a new polygon, of which the tree has its copy, within the tree's borders?
static bool fits(const editing *e, int64_t polygon) {
    const lf__quadtree *tree = e->build.tree;
    const lf__quadtree_polygon *p = &tree->polygons[polygon];
    const lf__rectangle *box = &tree->box;
    if (p->flags & LF__QUADTREE_ABSENT)
        return true;
    for (int64_t k = 0; k < lf__mesh_corner_count(e->build.mesh, polygon) && !tree->straight; k++) {
        lf_vec3 corner = lf__mesh_corner(e->build.mesh, polygon, k);
        if (!(lf_vec3_length(lf_vec3_sub(corner, tree->frame.origin)) * (1 + 0x1p-40) <= tree->reach))
            return false;
    }
    // Around a centre or an axis a tree that goes all around has no borders in x.
    bool round = tree->frame.kind != LF_FRAME_GRAVITY && box->low_x <= -PI && box->high_x >= PI;
    return (round || (p->box.low_x >= box->low_x && p->box.high_x <= box->high_x)) &&
           p->box.low_y >= box->low_y && p->box.high_y <= box->high_y;
}

/// All polygons that come or go, and whether they fit.
static lf_status touch_polygons(editing *e, bool *fitting) {
    const lf__mesh_change *change = e->change;
    const lf__quadtree *tree = e->build.tree;
    lf_status status = LF_OK;
    *fitting = true;
    for (int64_t i = change->first_polygon; i < change->mesh->polygon_count && *fitting; i++)
        *fitting = fits(e, i);
    for (int64_t i = -change->removed_count;
         i < change->mesh->polygon_count - change->first_polygon && status == LF_OK && *fitting; i++) {
        int64_t polygon = i < 0 ? change->removed[-1 - i] : change->first_polygon + i;
        uint32_t number = (uint32_t)polygon;
        e->work.triangles += lf__mesh_corner_count(change->mesh, polygon) - 2;
        if (!(tree->polygons[polygon].flags & LF__QUADTREE_ABSENT))
            status = append(e, &e->touched, &number, sizeof number);
    }
    return status;
}

static lf_status prepare(editing *e) {
    lf__quadtree *tree = e->build.tree;
    bool fitting;
    lf_status status = lf__quadtree_measure(tree, e->build.mesh, &e->host);
    if (status == LF_OK)
        status = touch_polygons(e, &fitting);
    if (status == LF_OK && !fitting)
        return lf__quadtree_create(e->build.mesh, &tree->def, &e->host, MARGIN, &e->fresh);
    if (status == LF_OK)
        status = lf__quadtree_allocate_quad(&e->build, &e->scratch);
    if (status != LF_OK)
        return status;
    node_change root = {.node = 0};
    spot all = {0, tree->box, 0, e->touched.count, 0};
    if (all.count == 0)
        return LF_OK;
    status = update(e, &all, &root.value);
    return status == LF_OK ? append(e, &e->changes, &root, sizeof root) : status;
}

lf_status lf__quadtree_prepare(lf__mesh_change *change, void **edit) {
    lf_mesh *mesh = change->mesh;
    lf__quadtree *tree = lf__quadtree_of(mesh);
    editing *e = lf__allocate(&mesh->allocator, sizeof *e, _Alignof(editing));
    if (!e)
        return LF_NO_MEMORY;
    *e = (editing){.change = change,
                   .host = {.allocator = &mesh->allocator},
                   .node_count = tree->node_count,
                   .reference_count = tree->reference_count,
                   .polygon_count = tree->polygon_count,
                   .line_count = tree->line_count};
    e->build = (lf__quadtree_builder){
        .tree = tree,
        .mesh = mesh,
        .host = &e->host,
        .allocator = &mesh->allocator,
        .nodes = {tree->nodes, tree->node_end, tree->node_capacity},
        .references = {tree->references, tree->reference_end, tree->reference_capacity},
        .taken = &e->taken};
    *edit = e;
    return prepare(e);
}

/// Whatever becomes of the edit, nodes and references may have moved.
static void finish(editing *e) {
    const lf_allocator *allocator = e->build.allocator;
    lf__quadtree *tree = e->build.tree;
    if (e->scratch != 0) {
        ((lf__quadtree_node *)e->build.nodes.items)[e->scratch].first = tree->free_quad;
        tree->free_quad = e->scratch;
    }
    tree->nodes = e->build.nodes.items;
    tree->node_end = e->build.nodes.count;
    tree->node_capacity = e->build.nodes.capacity;
    tree->references = e->build.references.items;
    tree->reference_end = e->build.references.count;
    tree->reference_capacity = e->build.references.capacity;
    lf__array_free(&e->build.scratch, allocator, sizeof(double));
    lf__array_free(&e->build.work, allocator, sizeof(uint32_t));
    lf__array_free(&e->touched, allocator, sizeof(uint32_t));
    lf__array_free(&e->changes, allocator, sizeof(node_change));
    lf__array_free(&e->retired, allocator, sizeof(block));
    lf__array_free(&e->taken, allocator, sizeof(block));
    lf__free(allocator, e, sizeof *e, _Alignof(editing));
}

static void replace(lf__mesh_change *change, lf__quadtree *fresh) {
    lf_mesh *mesh = change->mesh;
    lf__quadtree_destroy(lf__quadtree_of(mesh), &mesh->allocator);
    mesh->index_data = fresh;
    lf__work_add(&change->work, &fresh->work);
    change->rebuilt = true;
}

void lf__quadtree_commit(void *edit, bool shrank, bool grew) {
    editing *e = edit;
    lf__mesh_change *change = e->change;
    lf__quadtree *fresh = e->fresh;
    const node_change *changes = e->changes.items;
    e->build.tree->doubted |= (shrank ? 1u << LF__HULL_INSIDE : 0) | (grew ? 1u << LF__HULL_OUTSIDE : 0);
    for (int64_t i = 0; i < e->changes.count; i++)
        ((lf__quadtree_node *)e->build.nodes.items)[changes[i].node] = changes[i].value;
    for (int64_t i = 0; i < change->removed_count; i++)
        e->build.tree->polygons[change->removed[i]].flags = LF__QUADTREE_ABSENT;
    give_blocks(e, &e->retired);
    lf__work_add(&change->work, &e->work);
    finish(e);
    if (fresh)
        replace(change, fresh);
}

void lf__quadtree_abandon(void *edit) {
    editing *e = edit;
    lf__quadtree *tree = e->build.tree;
    lf__quadtree_destroy(e->fresh, e->build.allocator);
    e->scratch = 0; // one of those that were taken
    give_blocks(e, &e->taken);
    tree->node_count = e->node_count;
    tree->reference_count = e->reference_count;
    tree->polygon_count = e->polygon_count;
    tree->line_count = e->line_count;
    finish(e);
}

void lf__quadtree_renew(lf__mesh_change *change) {
    lf_mesh *mesh = change->mesh;
    const lf__quadtree *tree = lf__quadtree_of(mesh);
    int64_t now = tree->reference_count, made = tree->built_references;
    bool pays = now > GROWN * (made + GROWN_FROM) || GROWN * (now + GROWN_FROM) < made ||
                tree->reference_end > GROWN * (tree->blocks.built + GROWN_FROM);
    lf_host host = {.allocator = &mesh->allocator};
    lf__quadtree *fresh;
    if (pays && lf__quadtree_create(mesh, &tree->def, &host, 0, &fresh) == LF_OK)
        replace(change, fresh);
}
