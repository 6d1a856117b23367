/// A model on a grid: which pieces of the surface its triangles share a point with, and how deep they reach below.
#include "geom/touch.h"
#include "grid/grid_question.h"
#include "model/land.h"
#include <math.h>

/// What doubles can lose on the way of a corner from columns and rows to the world, as a share of the numbers involved.
#define BLUR 1e-13

static lf_box box_around(const lf_vec3 *corners, int count) {
    lf_box box = lf_box_empty();
    for (int i = 0; i < count; i++)
        box = lf_box_with(box, corners[i]);
    double reach = fmax(fmax(fabs(box.low.x), fabs(box.high.x)), fmax(fabs(box.low.y), fabs(box.high.y)));
    reach = BLUR * fmax(reach, fmax(fabs(box.low.z), fabs(box.high.z)));
    box.low = lf_vec3_sub(box.low, (lf_vec3){reach, reach, reach});
    box.high = lf_vec3_add(box.high, (lf_vec3){reach, reach, reach});
    return box;
}

// ---------------------------------------------------------------------------------------------------
// Touching
// ---------------------------------------------------------------------------------------------------

typedef struct contact {
    const lf_grid *grid;
    const lf_model *model;
    const lf_pose *pose;
    lf_cursor *cursor;
    lf_vec3 corners[3]; ///< of the triangle at hand, in the grid's frame
    lf_box box;         ///< of what is looked for
    bool touches;
    uint64_t exact;
} contact;

static bool meets_piece_flat(const contact *c, const lf_vec3 *outline, int count) {
    const lf_vec3 second[3] = {outline[0], outline[2], outline[count - 1]};
    return lf__triangles_touch(c->corners, outline) ||
           (count == 4 && lf__triangles_touch(c->corners, second));
}

/// Plane and patch meet in curves that have no end: where they meet within the triangle and the patch, one of the triangle's edges
/// meets the patch, or one of the patch's edges, which are straight, the triangle.
static bool meets_patch(contact *c, const lf__piece *piece, const lf_vec3 outline[4]) {
    for (int k = 0; k < 4; k++) {
        const lf_vec3 edge[3] = {outline[k], outline[(k + 1) % 4], outline[k]};
        if (lf__triangles_touch(c->corners, edge))
            return true;
    }
    for (int k = 0; k < 3; k++) {
        lf_vec3 a = c->corners[k], b = c->corners[(k + 1) % 3];
        lf_vec2 at = lf__grid_place(c->grid, a.x, a.y), to = lf__grid_place(c->grid, b.x, b.y);
        lf_vec3 from = {at.x, at.y, a.z};
        lf_ray line = lf_ray_between(from, (lf_vec3){to.x, to.y, b.z});
        lf__grid_meeting meetings[2];
        bool somewhere = line.direction.x != 0 || line.direction.y != 0 || line.direction.z != 0;
        if (somewhere && lf__piece_meet(piece, &line, meetings, &c->exact) > 0)
            return true;
    }
    return false;
}

static bool block_near(void *user, const lf_box *box) {
    const contact *c = user;
    return !c->touches && lf_box_overlap(*box, c->box);
}

static void meet_piece(void *user, const lf__piece *piece) {
    contact *c = user;
    lf_vec3 outline[4];
    if (c->touches)
        return;
    int count = lf__piece_outline(c->grid, piece, outline);
    c->touches =
        piece->kind == LF__PIECE_PATCH ? meets_patch(c, piece, outline) : meets_piece_flat(c, outline, count);
}

/// Is there ground in a box? Blocks that are no larger than the box need not be looked into.
typedef struct glance {
    lf_box box;
    double size;
    bool found;
} glance;

static bool block_seen(void *user, const lf_box *box) {
    glance *g = user;
    if (g->found || !lf_box_overlap(*box, g->box))
        return false;
    g->found = fmax(box->high.x - box->low.x, box->high.y - box->low.y) <= g->size;
    return !g->found;
}

static void piece_seen(void *user, const lf__piece *piece) {
    glance *g = user;
    (void)piece;
    g->found = true;
}

static bool node_near(void *user, const lf_box *box) {
    contact *c = user;
    lf_vec3 corners[8];
    if (c->touches || lf__cursor_stops(c->cursor))
        return false;
    for (int i = 0; i < 8; i++)
        corners[i] = lf_pose_to_world(c->pose, (lf_vec3){i & 1 ? box->high.x : box->low.x,
                                                         i & 2 ? box->high.y : box->low.y,
                                                         i & 4 ? box->high.z : box->low.z});
    glance g = {.box = box_around(corners, 8)};
    g.size = fmax(g.box.high.x - g.box.low.x, g.box.high.y - g.box.low.y);
    lf__grid_visitor visitor = {block_seen, piece_seen, &g};
    lf__grid_visit(c->grid, &visitor, c->cursor);
    return g.found;
}

static void meet_triangle(void *user, uint32_t triangle) {
    contact *c = user;
    if (c->touches || lf__cursor_stops(c->cursor))
        return;
    lf__model_corners(c->model, triangle, c->corners);
    for (int i = 0; i < 3; i++)
        c->corners[i] = lf_pose_to_world(c->pose, c->corners[i]);
    c->box = box_around(c->corners, 3);
    lf__grid_visitor visitor = {block_near, meet_piece, c};
    lf__grid_visit(c->grid, &visitor, c->cursor);
}

bool lf__land_touches_grid(const lf_grid *grid, const lf_model *model, const lf_pose *pose,
                           lf_cursor *cursor) {
    if ((lf__cursor_layers(cursor) & 1u) == 0)
        return false;
    contact c = {.grid = grid, .model = model, .pose = pose, .cursor = cursor};
    lf__tree_visitor visitor = {node_near, meet_triangle, &c};
    lf__tree_visit(model->tree, &visitor, cursor);
    return c.touches;
}

// ---------------------------------------------------------------------------------------------------
// Depth
// ---------------------------------------------------------------------------------------------------

/// A triangle cut by a piece has at most so many corners, seen from above.
#define MOST_CORNERS 8

typedef struct search {
    const lf_grid *grid;
    const lf_vec3 *corners;
    lf_box box;
    const lf__piece *piece; ///< at hand
    lf__land_depth best;
} search;

static double cross_2d(lf_vec3 a, lf_vec3 b, lf_vec3 p) {
    return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

/// What is left of a polygon to the left of the line a b, seen from above; heights go along.
static int keep_left(const lf_vec3 *polygon, int count, lf_vec3 a, lf_vec3 b, lf_vec3 *kept) {
    int left = 0;
    for (int i = 0; i < count; i++) {
        lf_vec3 p = polygon[i], q = polygon[(i + 1) % count];
        double at_p = cross_2d(a, b, p), at_q = cross_2d(a, b, q);
        if (at_p >= 0)
            kept[left++] = p;
        if ((at_p < 0) != (at_q < 0) && at_p != 0 && at_q != 0) {
            double t = at_p / (at_p - at_q);
            kept[left++] = lf_vec3_add(p, lf_vec3_scale(lf_vec3_sub(q, p), t));
        }
    }
    return left;
}

/// The height of a level or sloping piece at a place, which may be just beside it by rounding.
static double height_of(const search *s, lf_vec3 point) {
    const lf__piece *p = s->piece;
    lf_vec2 place = lf__grid_place(s->grid, point.x, point.y);
    double u = place.x - p->at.x, v = place.y - p->at.y;
    if (p->kind == LF__PIECE_PLANE)
        return p->h[0] + (p->h[2] - p->h[1]) * u + (p->h[4] - p->h[3]) * v;
    const lf__grid_corners h = {p->h[0], p->h[1], p->h[2], p->h[3]};
    return lf__patch_height(&h, u, v);
}

static void try_point(search *s, lf_vec3 point) {
    double height = height_of(s, point), depth = height - point.z;
    if (depth > s->best.depth)
        s->best = (lf__land_depth){depth, point, {point.x, point.y, height}};
}

/// Over a patch the depth along an edge is a parabola: its top may be the deepest.
static void try_edge(search *s, lf_vec3 p, lf_vec3 q) {
    lf_vec3 middle = lf_vec3_scale(lf_vec3_add(p, q), 0.5);
    double d0 = height_of(s, p) - p.z, d1 = height_of(s, middle) - middle.z, d2 = height_of(s, q) - q.z;
    double bend = d0 - 2 * d1 + d2;
    if (!(bend < 0))
        return;
    double t = 0.5 + (d0 - d2) / (4 * bend);
    if (t > 0 && t < 1)
        try_point(s, lf_vec3_add(p, lf_vec3_scale(lf_vec3_sub(q, p), t)));
}

/// Triangle and piece, seen from above, overlap in a convex polygon. Over it their distance is linear, or over a patch bent so that it
/// is greatest on the border: the corners, and for patches the edges, tell all.
static void look_below(void *user, const lf__piece *piece) {
    search *s = user;
    lf_vec3 outline[4], first[MOST_CORNERS], second[MOST_CORNERS];
    if (piece->kind == LF__PIECE_ACROSS_COLUMNS || piece->kind == LF__PIECE_ACROSS_ROWS)
        return;
    int sides = lf__piece_outline(s->grid, piece, outline), count = 3;
    s->piece = piece;
    for (int i = 0; i < 3; i++)
        first[i] = s->corners[i];
    for (int k = 0; k < sides && count > 0; k++) {
        count = keep_left(first, count, outline[k], outline[(k + 1) % sides], second);
        for (int i = 0; i < count; i++)
            first[i] = second[i];
    }
    for (int i = 0; i < count; i++) {
        try_point(s, first[i]);
        if (piece->kind == LF__PIECE_PATCH)
            try_edge(s, first[i], first[(i + 1) % count]);
    }
}

/// Over the triangle, and higher than its lowest point and the deepest so far?
static bool block_above(void *user, const lf_box *box) {
    const search *s = user;
    return box->low.x <= s->box.high.x && box->high.x >= s->box.low.x && box->low.y <= s->box.high.y &&
           box->high.y >= s->box.low.y && box->high.z - s->box.low.z > s->best.depth;
}

lf__land_depth lf__land_depth_in_grid(const lf_grid *grid, const lf_vec3 corners[3], lf_cursor *cursor) {
    search s = {.grid = grid, .corners = corners, .box = box_around(corners, 3)};
    if ((lf__cursor_layers(cursor) & 1u) == 0)
        return s.best;
    lf__grid_visitor visitor = {block_above, look_below, &s};
    lf__grid_visit(grid, &visitor, cursor);
    return s.best;
}
