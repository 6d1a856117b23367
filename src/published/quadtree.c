/// Creating, describing, walking and destroying quadtrees.
#include "published/quadtree.h"
#include "base/base.h"
#include "base/containers.h"

/// A turn that saves less of the area is not made; and hulls with more edges are tried at every so many-th.
#define WORTH_TURNING 0.99
#define MOST_EDGES 1000

/// The quadtree in the records of files.
#define RECORD_KIND 1

static lf_status check(const lf_quadtree_def *def, lf_error *error) {
    if (def->max_polygons < 1)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "quadtree: max_polygons is %lld, not 1 or more",
                        (long long)def->max_polygons);
    if (def->max_depth < 0 || def->max_depth > LF__QUADTREE_DEEPEST)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "quadtree: max_depth is %d, not from 0 to %d",
                        def->max_depth, LF__QUADTREE_DEEPEST);
    if (lf_quadtree_cut_name(def->cut)[0] == '?')
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "quadtree: there is no cut %d", (int)def->cut);
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Making
// ---------------------------------------------------------------------------------------------------

/// The area of the box around the hull when x runs along a direction of unit length.
static double box_area(const lf__quadtree *tree, const lf__hull *hull, lf_vec2 x) {
    lf__rectangle box = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (int64_t i = 0; i < hull->count; i++) {
        lf_vec3 p = lf__quadtree_local(tree, hull->corners[i]);
        double along = x.x * p.x + x.y * p.y, across = x.x * p.y - x.y * p.x;
        box = (lf__rectangle){fmin(box.low_x, along), fmin(box.low_y, across), fmax(box.high_x, along),
                              fmax(box.high_y, across)};
    }
    return (box.high_x - box.low_x) * (box.high_y - box.low_y);
}

/// Turn by less than an eighth of a full turn to the smallest box around the hull, one side of which runs along an edge.
static void turn_to_sides(lf__quadtree *tree, const lf_mesh *mesh) {
    const lf__hull *hull = &mesh->hull;
    lf_vec2 best = {1, 0};
    double least = WORTH_TURNING * box_area(tree, hull, best);
    int64_t stride = 1 + hull->count / MOST_EDGES;
    for (int64_t i = 0; i < hull->count; i += stride) {
        lf_vec3 a = lf__quadtree_local(tree, hull->corners[i]);
        lf_vec3 b = lf__quadtree_local(tree, hull->corners[i + 1 < hull->count ? i + 1 : 0]);
        double x = b.x - a.x, y = b.y - a.y, length = sqrt(x * x + y * y);
        if (!(length > 0))
            continue;
        // Quarter turns change nothing: the one nearest to no turn at all.
        lf_vec2 along = fabs(x) >= fabs(y) ? (lf_vec2){fabs(x) / length, (x < 0 ? -y : y) / length}
                                           : (lf_vec2){fabs(y) / length, (y < 0 ? x : -x) / length};
        double area = box_area(tree, hull, along);
        if (area < least) {
            least = area;
            best = along;
        }
    }
    if (best.y == 0)
        return;
    lf_vec3 *rows = tree->frame.rows, first = rows[0], second = rows[1];
    rows[0] = lf_vec3_along(lf_vec3_scale(first, best.x), best.y, second);
    rows[1] = lf_vec3_along(lf_vec3_scale(second, best.x), -best.y, first);
    tree->turn = atan2(best.y, best.x);
    tree->straight = false;
}

/// The middle of a box that may be as large as coordinates are allowed to be.
static void make_frame(lf__quadtree *tree, const lf_mesh *mesh, double margin) {
    const lf_frame *given = &mesh->frame;
    lf_vec3 middle = lf_box_centre(mesh->box);
    // Recomputed, so that its rows are as exact as its direction, whatever the caller's rows are.
    tree->frame = *given;
    if (given->kind == LF_FRAME_GRAVITY) {
        lf_frame_gravity(given->down, &tree->frame);
        tree->straight = given->down.x == 0 && given->down.y == 0 && given->down.z < 0;
        tree->frame.origin = middle;
        tree->length = lf_vec3_length(given->down);
    } else if (given->kind == LF_FRAME_CENTRE) {
        lf_frame_centre(given->origin, &tree->frame);
    } else {
        lf_frame_axis(given->origin, given->down, given->kind == LF_FRAME_AXIS_IN, &tree->frame);
    }
    lf_vec3 half = lf_vec3_scale(lf_vec3_sub(mesh->box.high, mesh->box.low), 0.5);
    tree->reach = lf_vec3_length(half);
    if (given->kind == LF_FRAME_GRAVITY && tree->def.turn)
        turn_to_sides(tree, mesh);
    if (given->kind != LF_FRAME_GRAVITY)
        tree->reach += lf_vec3_length(lf_vec3_sub(middle, given->origin));
    tree->reach *= 1 + 2 * margin + 0x1p-40;
    if (given->kind == LF_FRAME_GRAVITY && !tree->straight)
        tree->blur = 0x1p-46 * tree->reach;
    tree->slack = 8 * tree->blur;
    if (tree->straight)
        tree->middle = (lf_vec2){middle.x, middle.y};
}

lf_status lf__quadtree_create(const lf_mesh *mesh, const lf_quadtree_def *def, const lf_host *host,
                              double margin, lf__quadtree **tree) {
    lf__quadtree *fresh = lf__allocate(&mesh->allocator, sizeof *fresh, _Alignof(lf__quadtree));
    if (!fresh)
        return LF_NO_MEMORY;
    *fresh = (lf__quadtree){.def = *def, .doubted = 1u << LF__HULL_BORDER};
    make_frame(fresh, mesh, margin);
    lf_status status = lf__quadtree_measure(fresh, mesh, host);
    if (status == LF_OK)
        status = lf__quadtree_build(fresh, mesh, host, margin);
    if (status != LF_OK) {
        lf__quadtree_destroy(fresh, &mesh->allocator);
        return status;
    }
    fresh->work = (lf_mesh_work){.triangles = mesh->triangle_count,
                                 .cells = fresh->node_count - (fresh->node_count - 1) / 4,
                                 .references = fresh->work.references + fresh->reference_count,
                                 .nodes = (fresh->node_count - 1) / 4};
    *tree = fresh;
    return LF_OK;
}

void lf__quadtree_destroy(lf__quadtree *tree, const lf_allocator *allocator) {
    if (!tree)
        return;
    lf__free(allocator, tree->references, (size_t)tree->reference_capacity * sizeof *tree->references,
             LF__CACHE_LINE);
    lf__free(allocator, tree->nodes, (size_t)tree->node_capacity * sizeof *tree->nodes, LF__CACHE_LINE);
    lf__free(allocator, tree->lines, (size_t)tree->line_capacity * sizeof *tree->lines, LF__CACHE_LINE);
    lf__free(allocator, tree->polygons, (size_t)tree->polygon_capacity * sizeof *tree->polygons,
             LF__CACHE_LINE);
    lf__free(allocator, tree, sizeof *tree, _Alignof(lf__quadtree));
}

// ---------------------------------------------------------------------------------------------------
// The table of functions
// ---------------------------------------------------------------------------------------------------

static lf_status index_create(lf_mesh *mesh, const void *def, const lf_host *host, lf_error *error) {
    lf_quadtree_def given = def ? *(const lf_quadtree_def *)def : lf_quadtree_def_default();
    lf__quadtree *tree;
    lf_status status = check(&given, error);
    if (status != LF_OK)
        return status;
    status = lf__quadtree_create(mesh, &given, host, 0, &tree);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    mesh->index_data = tree;
    mesh->index_record = (lf__mesh_index_record){
        RECORD_KIND, {(uint32_t)given.max_depth, (uint32_t)given.cut, given.turn}, given.max_polygons};
    return LF_OK;
}

static void index_destroy(lf_mesh *mesh) {
    lf__quadtree_destroy(lf__quadtree_of(mesh), &mesh->allocator);
}

static const void *index_def(const lf_mesh *mesh) {
    return &lf__quadtree_of(mesh)->def;
}

static size_t index_bytes(const lf_mesh *mesh) {
    const lf__quadtree *tree = lf__quadtree_of(mesh);
    return sizeof *tree + (size_t)tree->reference_capacity * sizeof *tree->references +
           (size_t)tree->node_capacity * sizeof *tree->nodes +
           (size_t)tree->line_capacity * sizeof *tree->lines +
           (size_t)tree->polygon_capacity * sizeof *tree->polygons;
}

static lf_mesh_work index_work(const lf_mesh *mesh) {
    return lf__quadtree_of(mesh)->work;
}

static const lf_mesh_index quadtree_index = {
    .create = index_create,
    .destroy = index_destroy,
    .def = index_def,
    .bytes = index_bytes,
    .work = index_work,
    .height = lf__quadtree_height,
    .first = lf__quadtree_first,
    .any = lf__quadtree_any,
    .all = lf__quadtree_all,
    .prepare = lf__quadtree_prepare,
    .commit = lf__quadtree_commit,
    .abandon = lf__quadtree_abandon,
    .renew = lf__quadtree_renew,
};

const lf_mesh_index *lf_quadtree_index(void) {
    return &quadtree_index;
}

lf_status lf_quadtree_from_store(const lf_store *store, const lf_host *host, lf_mesh **mesh,
                                 lf_error *error) {
    const lf_mesh *stored = store ? lf_store_mesh(store) : NULL;
    if (!stored || stored->index_record.kind != RECORD_KIND)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "store: expected a file of a mesh with a quadtree");
    const lf__mesh_index_record *record = &stored->index_record;
    lf_quadtree_def quadtree = {record->number, (int)(record->words[0] & 0xff),
                                (lf_quadtree_cut)(record->words[1] & 0xff), record->words[2] != 0};
    lf_mesh_def def = lf_mesh_def_default();
    if (host)
        def.host = *host;
    def.polygons = lf_store_polygons(store);
    def.frame = stored->frame;
    def.tolerance = stored->tolerance;
    def.index = &quadtree_index;
    def.index_def = &quadtree;
    def.compact = stored->compact;
    return lf_mesh_create(&def, mesh, error);
}

// ---------------------------------------------------------------------------------------------------
// Walking
// ---------------------------------------------------------------------------------------------------

/// A leaf as a walk finds it; false stops the walk.
typedef bool see_leaf(void *user, const lf__quadtree_node *leaf, const lf__rectangle *box, int depth);

/// No deeper than LF__QUADTREE_DEEPEST.
static bool walk(const lf__quadtree *tree, uint32_t node, lf__rectangle box, int depth, see_leaf *see,
                 void *user) {
    const lf__quadtree_node *n = &tree->nodes[node];
    if (n->children == 0)
        return see(user, n, &box, depth);
    for (int child = 0; child < 4; child++)
        if (!walk(tree, n->children + (uint32_t)child, lf__quadtree_part(box, (lf_vec2){n->x, n->y}, child),
                  depth + 1, see, user))
            return false;
    return true;
}

typedef struct tally {
    lf_quadtree_stats *stats;
    double area, tests, few;
} tally;

static bool add_leaf(void *user, const lf__quadtree_node *leaf, const lf__rectangle *box, int depth) {
    tally *t = user;
    double area = (box->high_x - box->low_x) * (box->high_y - box->low_y);
    lf_quadtree_stats *stats = t->stats;
    stats->leaf_count++;
    if (leaf->count > stats->most_polygons)
        stats->most_polygons = leaf->count;
    if (depth > stats->depth)
        stats->depth = depth;
    t->area += area;
    t->tests += area * leaf->count;
    t->few += leaf->count <= 1 ? area : 0;
    return true;
}

lf_status lf_quadtree_describe(const lf_mesh *mesh, lf_quadtree_stats *stats) {
    if (!mesh || !stats || mesh->index != &quadtree_index)
        return LF_BAD_ARGUMENT;
    const lf__quadtree *tree = lf__quadtree_of(mesh);
    *stats = (lf_quadtree_stats){.node_count = tree->node_count,
                                 .reference_count = tree->reference_count,
                                 .bytes = index_bytes(mesh),
                                 .turn = tree->turn};
    tally t = {.stats = stats};
    walk(tree, 0, tree->box, 0, add_leaf, &t);
    stats->tests = t.area > 0 ? t.tests / t.area : (double)stats->most_polygons;
    stats->few_area = t.area > 0 ? t.few / t.area : 0;
    return LF_OK;
}

typedef struct visitor {
    const lf__quadtree *tree;
    double height; ///< where squares are shown, in local coordinates
    lf_quadtree_visit *visit;
    void *user;
} visitor;

static bool show_leaf(void *user, const lf__quadtree_node *leaf, const lf__rectangle *box, int depth) {
    const visitor *v = user;
    lf_quadtree_leaf shown = {.low = {box->low_x, box->low_y},
                              .high = {box->high_x, box->high_y},
                              .polygon_count = leaf->count,
                              .depth = depth};
    for (int k = 0; k < 4; k++) {
        lf_vec3 local = {k == 1 || k == 2 ? box->high_x : box->low_x, k < 2 ? box->low_y : box->high_y,
                         v->height};
        shown.corners[k] = v->tree->straight ? local : lf_frame_to_world(&v->tree->frame, local);
    }
    return v->visit(v->user, &shown);
}

static double mean_height(const lf__quadtree *tree, const lf_mesh *mesh) {
    double mean = 0, count = 3 * (double)(mesh->triangle_count - mesh->gone_triangles);
    for (int64_t i = 0; i < mesh->triangle_count; i++)
        for (int k = 0; k < 3 && !lf__mesh_gone(mesh, i); k++)
            mean += lf_frame_to_local(&tree->frame, mesh->vertices[mesh->corners[3 * i + k]]).z / count;
    return mean;
}

lf_status lf_quadtree_walk(const lf_mesh *mesh, lf_quadtree_visit *visit, void *user) {
    if (!mesh || !visit || mesh->index != &quadtree_index)
        return LF_BAD_ARGUMENT;
    const lf__quadtree *tree = lf__quadtree_of(mesh);
    visitor v = {tree, 0, visit, user}; // the turned frame is around the middle of the mesh
    if (tree->straight)
        v.height = lf_box_centre(mesh->box).z;
    else if (tree->frame.kind != LF_FRAME_GRAVITY)
        v.height = mean_height(tree, mesh);
    return walk(tree, 0, tree->box, 0, show_leaf, &v) ? LF_OK : LF_CANCELLED;
}
