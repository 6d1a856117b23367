/// Building the quadtree: as long as a leaf has more polygons than allowed and may still be cut, it is cut into four, and
/// each polygon goes to every child that it enters.
#include "base/base.h"
#include "base/containers.h"
#include "published/quadtree.h"
#include <string.h>

#define PI 3.14159265358979323846

/// A child is wider than this many slacks, and than this share of its coordinates.
#define LEAST_SLACKS 64
#define LEAST_SHARE 0x1p-46

/// How often a build says how far it is.
#define REPORTS 1000

typedef lf__quadtree_builder builder;
typedef lf__quadtree_place place;

/// Does this line have a whole rectangle on its outside? Products and sums round monotonically, so that what is said of the
/// best corner holds for every point in it, and for the very doubles that a query computes.
static bool line_keeps_out(const lf__quadtree_line *line, const lf__rectangle *box) {
    double x = line->a > 0 ? box->high_x : box->low_x, y = line->b > 0 ? box->high_y : box->low_y;
    return line->a * x + line->b * y < line->below;
}

/// On which sides of a cut something from low to high is; bit 0 the low one, bit 1 the high one. What reaches less than the
/// slack across is not there: queries that close to a cut search both sides.
static int sides_of(double low, double high, double cut, double slack) {
    bool beyond_low = low<cut - slack, beyond_high = high> cut + slack;
    return beyond_low && beyond_high ? 3 : beyond_low ? 1 : beyond_high ? 2 : 3;
}

static bool spans_touch(double low, double high, double other_low, double other_high) {
    return low <= other_high && high >= other_low;
}

/// Angles come again after a full turn.
static bool angles_touch(const lf__rectangle *box, double low, double high) {
    return spans_touch(box->low_x, box->high_x, low, high) ||
           spans_touch(box->low_x - 2 * PI, box->high_x - 2 * PI, low, high);
}

bool lf__quadtree_enters(const lf__quadtree_piece *piece, uint32_t polygon, lf_vec2 cut, int child) {
    const lf__quadtree *tree = piece->tree;
    const lf__quadtree_polygon *p = &tree->polygons[polygon];
    lf__rectangle part = lf__quadtree_part(piece->box, cut, child);
    if (tree->frame.kind != LF_FRAME_GRAVITY)
        return angles_touch(&p->box, part.low_x, part.high_x) &&
               spans_touch(p->box.low_y, p->box.high_y, part.low_y, part.high_y);
    if (!(sides_of(p->box.low_x, p->box.high_x, cut.x, tree->slack) & (child & 1 ? 2 : 1)) ||
        !(sides_of(p->box.low_y, p->box.high_y, cut.y, tree->slack) & (child & 2 ? 2 : 1)))
        return false;
    // Questions up to the slack beyond the part search here too.
    lf__rectangle wide = {part.low_x - tree->slack, part.low_y - tree->slack, part.high_x + tree->slack,
                          part.high_y + tree->slack};
    for (uint32_t k = 0; k < p->line_count; k++)
        if (line_keeps_out(&tree->lines[p->first_line + k], &wide))
            return false;
    return true;
}

/// No line has any corner of the piece surely outside, so none can keep out a part of it.
bool lf__quadtree_covers(const lf__quadtree_piece *piece, uint32_t polygon) {
    const lf__quadtree_polygon *p = &piece->tree->polygons[polygon];
    const lf__rectangle *box = &piece->box;
    double slack = piece->tree->slack;
    if (p->box.low_x > box->low_x + slack || p->box.high_x < box->high_x - slack ||
        p->box.low_y > box->low_y + slack || p->box.high_y < box->high_y - slack)
        return false;
    for (uint32_t k = 0; k < p->line_count; k++) {
        const lf__quadtree_line *line = &piece->tree->lines[p->first_line + k];
        double x = line->a > 0 ? box->low_x : box->high_x, y = line->b > 0 ? box->low_y : box->high_y;
        if (line->a * x + line->b * y < line->below)
            return false;
    }
    return true;
}

/// More polygons than allowed, and some of them could be left behind. Where so many cover the whole square that the limit
/// cannot be met, it is applied to the others.
static bool wants_cut(const builder *build, const lf__quadtree_piece *piece, int depth) {
    const lf_quadtree_def *def = &build->tree->def;
    if (piece->count <= def->max_polygons || depth >= def->max_depth)
        return false;
    int64_t covering = 0;
    for (int64_t i = 0; i < piece->count; i++)
        covering += lf__quadtree_covers(piece, piece->polygons[i]);
    int64_t others = piece->count - covering;
    return others > 0 && (covering < def->max_polygons || others > def->max_polygons);
}

/// Is a cut well within its span, so that both sides are wider than rounding?
static bool cut_fits(const lf__quadtree *tree, double low, double high, double cut) {
    double least = LEAST_SLACKS * tree->slack + LEAST_SHARE * fmax(fabs(low), fabs(high));
    return cut - low > least && high - cut > least;
}

static lf_status choose_cut(const builder *build, const lf__quadtree_piece *piece, lf_vec2 *cut, bool *fits) {
    const lf__quadtree *tree = build->tree;
    const lf__rectangle *box = &piece->box;
    lf_vec2 middle = {box->low_x + (box->high_x - box->low_x) / 2,
                      box->low_y + (box->high_y - box->low_y) / 2};
    *cut = middle;
    *fits = cut_fits(tree, box->low_x, box->high_x, middle.x) &&
            cut_fits(tree, box->low_y, box->high_y, middle.y);
    if (!*fits || tree->def.cut == LF_QUADTREE_CUT_MIDDLE)
        return LF_OK;
    lf_status status = lf__quadtree_choose(piece, cut);
    if (!cut_fits(tree, box->low_x, box->high_x, cut->x))
        cut->x = middle.x;
    if (!cut_fits(tree, box->low_y, box->high_y, cut->y))
        cut->y = middle.y;
    return status;
}

// ---------------------------------------------------------------------------------------------------
// The hull
// ---------------------------------------------------------------------------------------------------

/// How a square lies to the hull, with a margin beyond rounding, so that inside and outside are sure. Where it crosses the
/// border, the hull itself decides.
static uint32_t hull_code(const builder *build, const lf__rectangle *box) {
    const lf__hull *hull = &build->hull;
    const lf__quadtree *tree = build->tree;
    if (tree->frame.kind != LF_FRAME_GRAVITY)
        return LF__HULL_INSIDE;
    if (hull->count < 3)
        return LF__HULL_BORDER;
    uint32_t code = LF__HULL_INSIDE;
    for (int64_t k = 0; k < hull->count; k++) {
        lf_vec3 v = hull->corners[k], w = hull->corners[k + 1 < hull->count ? k + 1 : 0];
        double a = v.y - w.y, b = w.x - v.x;
        double doubt =
            (fabs(a) + fabs(b)) * (16 * tree->blur + 0x1p-44 * tree->reach) + 8 * tree->blur * tree->reach;
        double left = a * (box->low_x - v.x), right = a * (box->high_x - v.x);
        double lower = b * (box->low_y - v.y), upper = b * (box->high_y - v.y);
        if (fmax(left, right) + fmax(lower, upper) < -doubt)
            return LF__HULL_OUTSIDE;
        if (!(fmin(left, right) + fmin(lower, upper) > doubt))
            code = LF__HULL_BORDER;
    }
    return code;
}

static lf_status make_hull(builder *build) {
    const lf__hull *from = &build->mesh->hull;
    lf_status status = lf__allocate_array(build->allocator, from->count, sizeof *build->hull.corners,
                                          (void **)&build->hull.corners);
    build->hull.count = from->count;
    for (int64_t i = 0; status == LF_OK && i < from->count; i++)
        build->hull.corners[i] = lf__quadtree_local(build->tree, from->corners[i]);
    return status;
}

// ---------------------------------------------------------------------------------------------------
// Nodes
// ---------------------------------------------------------------------------------------------------

/// Space for four children: behind the last node, or where an edit has left some.
static lf_status take_quad(builder *build, uint32_t *first) {
    if (build->taken)
        return lf__quadtree_allocate_quad(build, first);
    lf_status status = lf__array_reserve(&build->nodes, build->allocator, 4, sizeof(lf__quadtree_node));
    if (status != LF_OK)
        return status;
    if (build->nodes.count > UINT32_MAX - 4)
        return LF_TOO_LARGE;
    *first = (uint32_t)build->nodes.count;
    build->nodes.count += 4;
    return LF_OK;
}

static lf_status take_references(builder *build, int64_t count, uint32_t *first) {
    *first = 0;
    if (build->taken)
        return lf__quadtree_allocate_references(build, count, first);
    lf_status status = lf__array_reserve(&build->references, build->allocator, count, sizeof(uint32_t));
    if (status != LF_OK)
        return status;
    if (build->references.count + count > INT32_MAX)
        return LF_TOO_LARGE;
    *first = (uint32_t)build->references.count;
    build->references.count += count;
    return LF_OK;
}

static lf_status add_children(builder *build, uint32_t node, lf_vec2 cut, uint32_t *children) {
    lf_status status = take_quad(build, children);
    if (status != LF_OK)
        return status;
    lf__quadtree_node *nodes = build->nodes.items;
    nodes[node] = (lf__quadtree_node){.x = cut.x, .y = cut.y, .children = *children};
    for (int k = 0; k < 4; k++) // until they are made
        nodes[*children + (uint32_t)k] = (lf__quadtree_node){.children = 0};
    build->tree->node_count += 4;
    return LF_OK;
}

static lf__quadtree_piece piece_of(builder *build, const place *here) {
    return (lf__quadtree_piece){build->tree, build->mesh,
                                here->box,   (uint32_t *)build->work.items + here->first,
                                here->count, &build->scratch};
}

/// Now and then, say how much of the area is done.
static lf_status report(builder *build, const lf__rectangle *box) {
    const lf__rectangle *all = &build->tree->box;
    double area = (all->high_x - all->low_x) * (all->high_y - all->low_y);
    build->done += (box->high_x - box->low_x) * (box->high_y - box->low_y);
    int64_t share = area > 0 ? (int64_t)(REPORTS * build->done / area) : 0;
    if (share <= build->reported)
        return LF_OK;
    build->reported = share;
    return lf__report(build->host, "quadtree", share < REPORTS ? share : REPORTS, REPORTS) ? LF_OK
                                                                                           : LF_CANCELLED;
}

static lf_status make_leaf(builder *build, const place *here) {
    uint32_t first;
    lf_status status = take_references(build, here->count, &first);
    if (status != LF_OK)
        return status;
    if (here->count > 0)
        memcpy((uint32_t *)build->references.items + first, (uint32_t *)build->work.items + here->first,
               (size_t)here->count * sizeof(uint32_t));
    lf__quadtree_node leaf = {.first = first, .count = (uint32_t)here->count, .hull = here->hull};
    ((lf__quadtree_node *)build->nodes.items)[here->node] = leaf;
    build->tree->reference_count += here->count;
    return report(build, &here->box);
}

/// Copy the polygons that enter one part of a node behind the work done so far.
static lf_status gather(builder *build, const place *here, lf_vec2 cut, int child) {
    lf_status status = lf__array_reserve(&build->work, build->allocator, here->count, sizeof(uint32_t));
    if (status != LF_OK)
        return status;
    lf__quadtree_piece piece = piece_of(build, here);
    uint32_t *to = build->work.items;
    build->tests += piece.count;
    for (int64_t i = 0; i < piece.count; i++)
        if (lf__quadtree_enters(&piece, piece.polygons[i], cut, child))
            to[build->work.count++] = piece.polygons[i];
    return LF_OK;
}

static lf_status make_children(builder *build, const place *here, lf_vec2 cut) {
    uint32_t children = 0;
    lf_status status = add_children(build, here->node, cut, &children);
    for (int child = 0; status == LF_OK && child < 4; child++) {
        place next = {children + (uint32_t)child,
                      lf__quadtree_part(here->box, cut, child),
                      build->work.count,
                      0,
                      here->depth + 1,
                      here->hull};
        status = gather(build, here, cut, child);
        next.count = build->work.count - next.first;
        if (status == LF_OK)
            status = lf__quadtree_make_node(build, next);
        build->work.count = next.first;
    }
    return status;
}

lf_status lf__quadtree_make_node(builder *build, place here) {
    lf__quadtree_piece piece = piece_of(build, &here);
    lf_vec2 cut = {0, 0};
    bool fits = false;
    lf_status status = LF_OK;
    if (here.hull == LF__HULL_BORDER)
        here.hull = hull_code(build, &here.box);
    if (wants_cut(build, &piece, here.depth))
        status = choose_cut(build, &piece, &cut, &fits);
    if (status != LF_OK)
        return status;
    return fits ? make_children(build, &here, cut) : make_leaf(build, &here);
}

/// Everything that a query can find: the hull, or the boxes of the polygons.
static lf__rectangle root_box(const builder *build) {
    const lf__quadtree *tree = build->tree;
    lf__rectangle box = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (int64_t i = 0; i < build->hull.count; i++) {
        lf_vec3 p = build->hull.corners[i];
        box = (lf__rectangle){fmin(box.low_x, p.x), fmin(box.low_y, p.y), fmax(box.high_x, p.x),
                              fmax(box.high_y, p.y)};
    }
    if (tree->frame.kind == LF_FRAME_GRAVITY) {
        double pad = 4 * tree->blur;
        return (lf__rectangle){box.low_x - pad, box.low_y - pad, box.high_x + pad, box.high_y + pad};
    }
    for (int64_t i = 0; i < tree->polygon_count; i++) {
        const lf__quadtree_polygon *p = &tree->polygons[i];
        if (p->flags & LF__QUADTREE_ABSENT)
            continue;
        box.low_x = p->box.high_x > PI ? -PI : fmin(box.low_x, p->box.low_x);
        box.high_x = fmin(PI, fmax(box.high_x, p->box.high_x));
        box.low_y = fmin(box.low_y, p->box.low_y);
        box.high_y = fmax(box.high_y, p->box.high_y);
    }
    if (!(box.low_x <= box.high_x)) // nothing but walls
        box = (lf__rectangle){0, 0, 0, 0};
    return box;
}

static lf_status make_root(builder *build) {
    lf__quadtree *tree = build->tree;
    lf_status status = lf__array_reserve(&build->nodes, build->allocator, 1, sizeof(lf__quadtree_node));
    if (status == LF_OK)
        status = lf__array_reserve(&build->work, build->allocator, tree->polygon_count, sizeof(uint32_t));
    if (status != LF_OK)
        return status;
    for (int64_t i = 0; i < tree->polygon_count; i++)
        if (!(tree->polygons[i].flags & LF__QUADTREE_ABSENT))
            ((uint32_t *)build->work.items)[build->work.count++] = (uint32_t)i;
    build->nodes.count = tree->node_count = 1;
    place root = {0, tree->box, 0, build->work.count, 0, LF__HULL_BORDER};
    return lf__quadtree_make_node(build, root);
}

/// Free what an array does not use.
static lf_status trim(lf__array *array, const lf_allocator *allocator, size_t item) {
    if (array->count == 0 || array->count == array->capacity)
        return LF_OK;
    void *items = allocator->resize(allocator->user, array->items, (size_t)array->capacity * item,
                                    (size_t)array->count * item, LF__CACHE_LINE);
    if (!items)
        return LF_NO_MEMORY;
    array->items = items;
    array->capacity = array->count;
    return LF_OK;
}

/// More space around everything, for a terrain that grows.
static lf__rectangle widen(const lf__quadtree *tree, lf__rectangle box, double margin) {
    double x = margin * (box.high_x - box.low_x), y = margin * (box.high_y - box.low_y);
    lf__rectangle wide = {box.low_x - x, box.low_y - y, box.high_x + x, box.high_y + y};
    if (tree->frame.kind == LF_FRAME_GRAVITY || margin == 0)
        return wide;
    wide.low_x = fmax(wide.low_x, -PI);
    wide.high_x = fmin(wide.high_x, PI);
    return wide;
}

lf_status lf__quadtree_build(lf__quadtree *tree, const lf_mesh *mesh, const lf_host *host, double margin) {
    builder build = {.tree = tree, .mesh = mesh, .host = host, .allocator = &mesh->allocator};
    lf_status status = make_hull(&build);
    if (status == LF_OK) {
        tree->box = widen(tree, root_box(&build), margin);
        status = make_root(&build);
    }
    if (status == LF_OK)
        status = trim(&build.nodes, build.allocator, sizeof(lf__quadtree_node));
    if (status == LF_OK)
        status = trim(&build.references, build.allocator, sizeof(uint32_t));
    tree->nodes = build.nodes.items;
    tree->work.references = build.tests;
    tree->node_end = build.nodes.count;
    tree->node_capacity = build.nodes.capacity;
    tree->references = build.references.items;
    tree->reference_end = tree->blocks.built = build.references.count;
    tree->built_references = tree->reference_count;
    tree->reference_capacity = build.references.capacity;
    lf__array_free(&build.scratch, build.allocator, sizeof(double));
    lf__array_free(&build.work, build.allocator, sizeof(uint32_t));
    lf__free_array(build.allocator, build.hull.corners, build.hull.count, sizeof *build.hull.corners);
    return status;
}
