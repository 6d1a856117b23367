/// Where to cut a node: the methods that the paper hopes for, beside its own cut through the middle.
///
/// All of them use the vertices within the node. Shared vertices count once for each polygon, which is as it should be:
/// that many polygons meet there.
#include "base/containers.h"
#include "published/quadtree.h"
#include <stdlib.h>

/// No more vertices of one node are used; of more, every so many-th.
#define MOST_VERTICES 4096

/// Lines tried in each direction: so many at even shares of the vertices, and so many at even distances, which find what
/// is empty.
#define VERTEX_LINES 11
#define EVEN_LINES 15
#define LINES (VERTEX_LINES + EVEN_LINES)

/// No line is closer to the border than this share of the node.
#define BORDER_SHARE 0.03125

/// The slow cut tries all pairs of this many lines; of fewer in nodes with more than so many times the allowed polygons.
#define BEST_LINES 8
#define FEW_LINES 3
#define MANY_POLYGONS 64

/// The vertices of a node. Pairs are strictly within it; single coordinates may be those of vertices on its border.
typedef struct vertices {
    double *x, *y;
    int64_t x_count, y_count;
} vertices;

static lf_vec2 middle_of(const lf__rectangle *box) {
    return (lf_vec2){box->low_x + (box->high_x - box->low_x) / 2,
                     box->low_y + (box->high_y - box->low_y) / 2};
}

static void add_vertex(const lf__rectangle *box, lf_vec3 p, bool pairs, vertices *found) {
    if (!(p.x >= box->low_x && p.x <= box->high_x && p.y >= box->low_y && p.y <= box->high_y))
        return;
    bool within_x = p.x > box->low_x && p.x < box->high_x;
    bool within_y = p.y > box->low_y && p.y < box->high_y;
    if (pairs && !(within_x && within_y))
        return;
    if (within_x)
        found->x[found->x_count++] = p.x;
    if (within_y)
        found->y[found->y_count++] = p.y;
}

static lf_status collect(const lf__quadtree_piece *piece, bool pairs, vertices *found) {
    const lf_mesh *mesh = piece->mesh;
    int64_t all = 0, seen = 0;
    for (int64_t i = 0; i < piece->count; i++)
        all += lf__mesh_corner_count(mesh, piece->polygons[i]);
    int64_t stride = 1 + all / MOST_VERTICES, capacity = all / stride + 1;
    *found = (vertices){NULL, NULL, 0, 0};
    lf_status status = lf__array_reserve(piece->scratch, &mesh->allocator, 2 * capacity, sizeof(double));
    if (status != LF_OK)
        return status;
    found->x = piece->scratch->items;
    found->y = found->x + capacity;
    for (int64_t i = 0; i < piece->count; i++) {
        int64_t size = lf__mesh_corner_count(mesh, piece->polygons[i]);
        for (int64_t k = 0; k < size; k++)
            if (seen++ % stride == 0)
                add_vertex(&piece->box,
                           lf__quadtree_local(piece->tree, lf__mesh_corner(mesh, piece->polygons[i], k)),
                           pairs, found);
    }
    return LF_OK;
}

static int by_value(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/// The vertex nearest to the middle, in sides of the node.
static lf_vec2 nearest_vertex(const lf__quadtree_piece *piece, const vertices *v) {
    const lf__rectangle *box = &piece->box;
    lf_vec2 middle = middle_of(box), best = middle;
    double least = INFINITY;
    for (int64_t i = 0; i < v->x_count; i++) {
        double dx = (v->x[i] - middle.x) / (box->high_x - box->low_x);
        double dy = (v->y[i] - middle.y) / (box->high_y - box->low_y);
        double distance = dx * dx + dy * dy;
        if (distance < least) {
            least = distance;
            best = (lf_vec2){v->x[i], v->y[i]};
        }
    }
    return best;
}

/// A line that could be a cut, and what it would cost if it were the only one.
typedef struct line {
    double at, cost;
} line;

static int by_cost(const void *left, const void *right) {
    const line *a = left, *b = right;
    if (a->cost != b->cost)
        return a->cost < b->cost ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

/// The polygons on both sides of a line, each by the share of the node that has them: the tests to be expected if it were
/// the only cut.
static double line_cost(const lf__quadtree_piece *piece, double at, bool upright) {
    const lf__rectangle *box = &piece->box;
    double low = upright ? box->low_x : box->low_y, high = upright ? box->high_x : box->high_y;
    int64_t below = 0, above = 0;
    for (int64_t i = 0; i < piece->count; i++) {
        const lf__rectangle *p = &piece->tree->polygons[piece->polygons[i]].box;
        below += (upright ? p->low_x : p->low_y) < at;
        above += (upright ? p->high_x : p->high_y) > at;
    }
    return ((double)below * (at - low) + (double)above * (high - at)) / (high - low);
}

/// Lines through vertices and at even distances, from the cheapest on. `sorted` are the vertices' x or y.
static void make_lines(const lf__quadtree_piece *piece, const double *sorted, int64_t count, bool upright,
                       line lines[LINES]) {
    const lf__rectangle *box = &piece->box;
    double low = upright ? box->low_x : box->low_y, high = upright ? box->high_x : box->high_y;
    double border = BORDER_SHARE * (high - low), last = NAN;
    int made = 0;
    for (int k = 1; k <= EVEN_LINES; k++)
        lines[made++].at = low + (high - low) * k / (EVEN_LINES + 1);
    for (int k = 1; k <= VERTEX_LINES && count > 0; k++) {
        double at = sorted[count * k / (VERTEX_LINES + 1)];
        if (at > low + border && at < high - border && at != last)
            lines[made++].at = last = at;
    }
    for (int k = 0; k < made; k++)
        lines[k].cost = line_cost(piece, lines[k].at, upright);
    qsort(lines, (size_t)made, sizeof *lines, by_cost);
}

/// What a cut would make of a node.
typedef struct outcome {
    double few;   ///< area of parts with no or one polygon
    double tests; ///< polygons in a part, times its area
} outcome;

static outcome try_cut(const lf__quadtree_piece *piece, lf_vec2 cut) {
    outcome made = {0, 0};
    for (int child = 0; child < 4; child++) {
        lf__rectangle part = lf__quadtree_part(piece->box, cut, child);
        double area = (part.high_x - part.low_x) * (part.high_y - part.low_y);
        int64_t count = 0;
        for (int64_t i = 0; i < piece->count; i++)
            count += lf__quadtree_enters(piece, piece->polygons[i], cut, child);
        made.few += count <= 1 ? area : 0;
        made.tests += area * (double)count;
    }
    return made;
}

/// The cheapest lines, unless the middle is cheaper after all.
static lf_vec2 cheapest(const lf__quadtree_piece *piece, const line *x, const line *y) {
    lf_vec2 cut = {x[0].at, y[0].at}, middle = middle_of(&piece->box);
    return try_cut(piece, cut).tests < try_cut(piece, middle).tests ? cut : middle;
}

/// The pair of lines that leaves the largest area to parts with no or one polygon; of equals, the cheapest.
static lf_vec2 emptiest(const lf__quadtree_piece *piece, const line *x, const line *y, int count) {
    lf_vec2 best = middle_of(&piece->box);
    outcome most = try_cut(piece, best);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            lf_vec2 cut = {x[i].at, y[j].at};
            outcome made = try_cut(piece, cut);
            if (made.few > most.few || (made.few == most.few && made.tests < most.tests)) {
                most = made;
                best = cut;
            }
        }
    return best;
}

lf_status lf__quadtree_choose(const lf__quadtree_piece *piece, lf_vec2 *cut) {
    lf_quadtree_cut kind = piece->tree->def.cut;
    vertices v;
    lf_status status = collect(piece, kind == LF_QUADTREE_CUT_VERTEX, &v);
    *cut = middle_of(&piece->box);
    if (status != LF_OK)
        return status;
    if (kind == LF_QUADTREE_CUT_VERTEX) {
        *cut = nearest_vertex(piece, &v);
        return LF_OK;
    }
    qsort(v.x, (size_t)v.x_count, sizeof *v.x, by_value);
    qsort(v.y, (size_t)v.y_count, sizeof *v.y, by_value);
    if (kind == LF_QUADTREE_CUT_BALANCED) {
        cut->x = v.x_count > 0 ? v.x[v.x_count / 2] : cut->x;
        cut->y = v.y_count > 0 ? v.y[v.y_count / 2] : cut->y;
        return LF_OK;
    }
    line x[LINES], y[LINES];
    make_lines(piece, v.x, v.x_count, true, x);
    make_lines(piece, v.y, v.y_count, false, y);
    bool many = piece->count / MANY_POLYGONS > piece->tree->def.max_polygons;
    *cut = kind == LF_QUADTREE_CUT_AREA ? emptiest(piece, x, y, many ? FEW_LINES : BEST_LINES)
                                        : cheapest(piece, x, y);
    return LF_OK;
}
