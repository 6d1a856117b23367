/// Bodies of triangles on a grid: which pieces of the surface they share a point with, how deep they reach
/// below, and the surface as flat faces.
#include "geom/geometry.h"
#include "grid/grid_query.h"
#include "grid/guard.h"
#include <math.h>

/// Rounding error of a corner carried from columns and rows to the world, as a share of the numbers involved.
#define GRID_LAND_BLUR 1e-13

static lf_box grid_box_around(const lf_vec3 *corners, int count) {
    lf_box box = lf_box_empty();
    for (int i = 0; i < count; i++)
        box = lf_box_with(box, corners[i]);
    double reach = fmax(fmax(fabs(box.low.x), fabs(box.high.x)), fmax(fabs(box.low.y), fabs(box.high.y)));
    reach = GRID_LAND_BLUR * fmax(reach, fmax(fabs(box.low.z), fabs(box.high.z)));
    box.low = lf_vec3_sub(box.low, (lf_vec3){reach, reach, reach});
    box.high = lf_vec3_add(box.high, (lf_vec3){reach, reach, reach});
    return box;
}

// ---------------------------------------------------------------------------------------------------
// Touching
// ---------------------------------------------------------------------------------------------------

typedef struct grid_contact {
    const lf_grid *grid;
    const lf__land_body *body;
    const lf_pose *pose;
    lf_cursor *cursor;
    lf_vec3 corners[3]; ///< of the triangle at hand, in the grid's frame
    lf_box box;         ///< that is searched
    bool touches;
    uint64_t exact;
} grid_contact;

static bool grid_meets_flat(const grid_contact *c, const lf_vec3 *outline, int count) {
    const lf_vec3 second[3] = {outline[0], outline[2], outline[count - 1]};
    return lf__triangles_touch(c->corners, outline) ||
           (count == 4 && lf__triangles_touch(c->corners, second));
}

/// Plane and patch meet in curves that have no end: where they meet within the triangle and the patch, one of
/// the triangle's edges meets the patch, or one of the patch's edges, which are straight, the triangle.
static bool grid_meets_patch(grid_contact *c, const lf__piece *piece, const lf_vec3 outline[4]) {
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

static bool grid_block_near(void *user, const lf_box *box) {
    const grid_contact *c = user;
    return !c->touches && lf_box_overlap(*box, c->box);
}

static void grid_meet_piece(void *user, const lf__piece *piece) {
    grid_contact *c = user;
    lf_vec3 outline[4];
    if (c->touches)
        return;
    int count = lf__piece_outline(c->grid, piece, outline);
    c->touches = piece->kind == LF__PIECE_PATCH ? grid_meets_patch(c, piece, outline)
                                                : grid_meets_flat(c, outline, count);
}

/// Is there ground in a box? Blocks that are no larger than the box need not be opened.
typedef struct grid_glance {
    lf_box box;
    double size;
    bool found;
} grid_glance;

static bool grid_block_seen(void *user, const lf_box *box) {
    grid_glance *g = user;
    if (g->found || !lf_box_overlap(*box, g->box))
        return false;
    g->found = fmax(box->high.x - box->low.x, box->high.y - box->low.y) <= g->size;
    return !g->found;
}

static void grid_piece_seen(void *user, const lf__piece *piece) {
    grid_glance *g = user;
    (void)piece;
    g->found = true;
}

static bool grid_node_near(void *user, const lf_box *box) {
    grid_contact *c = user;
    lf_vec3 corners[8];
    if (c->touches || lf__cursor_stops(c->cursor))
        return false;
    for (int i = 0; i < 8; i++)
        corners[i] = lf_pose_to_world(c->pose, (lf_vec3){i & 1 ? box->high.x : box->low.x,
                                                         i & 2 ? box->high.y : box->low.y,
                                                         i & 4 ? box->high.z : box->low.z});
    grid_glance g = {.box = grid_box_around(corners, 8)};
    g.size = fmax(g.box.high.x - g.box.low.x, g.box.high.y - g.box.low.y);
    lf__grid_visitor visitor = {grid_block_seen, grid_piece_seen, &g};
    lf__grid_visit(c->grid, &visitor, c->cursor);
    return g.found;
}

static void grid_meet_triangle(void *user, uint32_t triangle) {
    grid_contact *c = user;
    if (c->touches || lf__cursor_stops(c->cursor))
        return;
    lf__land_corners(c->body, triangle, c->pose, c->corners);
    c->box = grid_box_around(c->corners, 3);
    lf__grid_visitor visitor = {grid_block_near, grid_meet_piece, c};
    lf__grid_visit(c->grid, &visitor, c->cursor);
}

bool lf__grid_touches(const void *object, const lf__land_body *body, const lf_pose *pose, lf_cursor *cursor) {
    if ((lf__cursor_layers(cursor) & 1u) == 0)
        return false;
    grid_contact c = {.grid = object, .body = body, .pose = pose, .cursor = cursor};
    lf__bvh_visitor visitor = {grid_node_near, grid_meet_triangle, &c};
    lf__bvh_visit(body->tree, &visitor, cursor);
    return c.touches;
}

// ---------------------------------------------------------------------------------------------------
// Depth
// ---------------------------------------------------------------------------------------------------

/// A triangle cut by a piece has at most so many corners, seen from above.
#define GRID_CUT_CORNERS 8

typedef struct grid_depth_search {
    const lf_grid *grid;
    const lf_vec3 *corners;
    lf_box box;
    const lf__piece *piece; ///< at hand
    lf__land_depth best;
} grid_depth_search;

static double grid_cross_2d(lf_vec3 a, lf_vec3 b, lf_vec3 p) {
    return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

/// What is left of a polygon to the left of the line a b, seen from above; heights go along.
static int grid_keep_left(const lf_vec3 *polygon, int count, lf_vec3 a, lf_vec3 b, lf_vec3 *kept) {
    int left = 0;
    for (int i = 0; i < count; i++) {
        lf_vec3 p = polygon[i], q = polygon[(i + 1) % count];
        double at_p = grid_cross_2d(a, b, p), at_q = grid_cross_2d(a, b, q);
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
static double grid_depth_height(const grid_depth_search *s, lf_vec3 point) {
    const lf__piece *p = s->piece;
    lf_vec2 place = lf__grid_place(s->grid, point.x, point.y);
    double u = place.x - p->at.x, v = place.y - p->at.y;
    if (p->kind == LF__PIECE_PLANE)
        return p->h[0] + (p->h[2] - p->h[1]) * u + (p->h[4] - p->h[3]) * v;
    const lf__grid_corners h = {p->h[0], p->h[1], p->h[2], p->h[3]};
    return lf__patch_height(&h, u, v);
}

static void grid_depth_try(grid_depth_search *s, lf_vec3 point) {
    double height = grid_depth_height(s, point), depth = height - point.z;
    if (depth > s->best.depth)
        s->best = (lf__land_depth){depth, point, {point.x, point.y, height}};
}

/// Over a patch the depth along an edge is a parabola: its top may be the deepest.
static void grid_depth_try_edge(grid_depth_search *s, lf_vec3 p, lf_vec3 q) {
    lf_vec3 middle = lf_vec3_scale(lf_vec3_add(p, q), 0.5);
    double d0 = grid_depth_height(s, p) - p.z, d1 = grid_depth_height(s, middle) - middle.z,
           d2 = grid_depth_height(s, q) - q.z;
    double second = d0 - 2 * d1 + d2; // half the second derivative
    if (!(second < 0))
        return;
    double t = 0.5 + (d0 - d2) / (4 * second);
    if (t > 0 && t < 1)
        grid_depth_try(s, lf_vec3_add(p, lf_vec3_scale(lf_vec3_sub(q, p), t)));
}

/// Triangle and piece, seen from above, overlap in a convex polygon. Over it their distance is linear, or
/// over a patch curved such that it is greatest on the border: the corners, and for patches the edges,
/// suffice.
static void grid_depth_piece(void *user, const lf__piece *piece) {
    grid_depth_search *s = user;
    lf_vec3 outline[4], first[GRID_CUT_CORNERS], second[GRID_CUT_CORNERS];
    if (piece->kind == LF__PIECE_ACROSS_COLUMNS || piece->kind == LF__PIECE_ACROSS_ROWS)
        return;
    int sides = lf__piece_outline(s->grid, piece, outline), count = 3;
    s->piece = piece;
    for (int i = 0; i < 3; i++)
        first[i] = s->corners[i];
    for (int k = 0; k < sides && count > 0; k++) {
        count = grid_keep_left(first, count, outline[k], outline[(k + 1) % sides], second);
        for (int i = 0; i < count; i++)
            first[i] = second[i];
    }
    for (int i = 0; i < count; i++) {
        grid_depth_try(s, first[i]);
        if (piece->kind == LF__PIECE_PATCH)
            grid_depth_try_edge(s, first[i], first[(i + 1) % count]);
    }
}

/// Over the triangle, and higher than its lowest point and the deepest so far?
static bool grid_block_above(void *user, const lf_box *box) {
    const grid_depth_search *s = user;
    return box->low.x <= s->box.high.x && box->high.x >= s->box.low.x && box->low.y <= s->box.high.y &&
           box->high.y >= s->box.low.y && box->high.z - s->box.low.z > s->best.depth;
}

void lf__grid_depth(const void *object, const lf_vec3 corners[3], lf__land_depth *deepest,
                    lf_cursor *cursor) {
    grid_depth_search s = {.grid = object, .corners = corners, .box = grid_box_around(corners, 3)};
    lf__grid_visitor visitor = {grid_block_above, grid_depth_piece, &s};
    if ((lf__cursor_layers(cursor) & 1u) != 0)
        lf__grid_visit(object, &visitor, cursor);
    *deepest = s.best;
}

// ---------------------------------------------------------------------------------------------------
// Faces
// ---------------------------------------------------------------------------------------------------

/// Bilinear patches are cut into so many strips each way, and each square into two triangles.
enum { GRID_STRIPS = 16 };

/// The front of a grid is its upper side, whatever the orientation of its outline.
static void grid_face(lf__face_search *s, const lf_vec3 *corners, int count) {
    lf__face face;
    if (s->done || lf__face_search_beside(s, corners, count) ||
        !lf__face_make(s->view, corners, count, &face))
        return;
    lf_vec3 up = lf_pose_turn_to_world(s->pose, (lf_vec3){0, 0, 1});
    lf_vec3 n = {-face.above.x, -face.above.y, 1}; // turned up in the view
    lf_vec3 own = {lf_vec3_dot(s->view->rows[0], up), lf_vec3_dot(s->view->rows[1], up),
                   lf_vec3_dot(s->view->rows[2], up)};
    face.front_up = lf_vec3_dot(n, own) > 0;
    face.part = s->part, face.triangle = 0; // a grid has no two faces at one place
    s->done = !s->finder->found(s->finder->user, &face);
}

static lf_vec3 grid_on_patch(const lf_vec3 p[4], double u, double v) {
    lf_vec3 low = lf_vec3_add(lf_vec3_scale(p[0], 1 - u), lf_vec3_scale(p[1], u));
    lf_vec3 high = lf_vec3_add(lf_vec3_scale(p[3], 1 - u), lf_vec3_scale(p[2], u));
    return lf_vec3_add(lf_vec3_scale(low, 1 - v), lf_vec3_scale(high, v));
}

static void grid_cut_patch(lf__face_search *s, const lf_vec3 outline[4]) {
    for (int row = 0; row < GRID_STRIPS; row++)
        for (int column = 0; column < GRID_STRIPS && !s->done; column++) {
            double u = (double)column / GRID_STRIPS, v = (double)row / GRID_STRIPS, step = 1.0 / GRID_STRIPS;
            lf_vec3 square[4] = {grid_on_patch(outline, u, v), grid_on_patch(outline, u + step, v),
                                 grid_on_patch(outline, u + step, v + step),
                                 grid_on_patch(outline, u, v + step)};
            const lf_vec3 other[3] = {square[0], square[2], square[3]};
            grid_face(s, square, 3);
            grid_face(s, other, 3);
        }
}

static void grid_piece_faces(void *user, const lf__piece *piece) {
    lf__face_search *s = user;
    lf_vec3 outline[4];
    if (s->done || piece->kind == LF__PIECE_ACROSS_COLUMNS || piece->kind == LF__PIECE_ACROSS_ROWS)
        return;
    int count = lf__piece_outline(s->object, piece, outline);
    for (int c = 0; c < count; c++)
        outline[c] = lf__face_to_view(s->view, lf_pose_to_world(s->pose, outline[c]));
    if (piece->kind == LF__PIECE_PATCH && !lf__face_search_beside(s, outline, 4))
        grid_cut_patch(s, outline);
    else
        grid_face(s, outline, count);
}

void lf__grid_faces(lf__face_search *search) {
    lf__grid_visitor visitor = {lf__face_search_enters, grid_piece_faces, search};
    if (search->layers & 1u)
        lf__grid_visit(search->object, &visitor, search->view->cursor);
}

// ---------------------------------------------------------------------------------------------------
// Bounds
// ---------------------------------------------------------------------------------------------------

/// Longer lines, over more samples, are not bounded.
#define GRID_LEAST_SAMPLES 1024

double lf__grid_spacing(const void *object, lf_vec3 point) {
    const lf_grid *grid = object;
    (void)point;
    return grid->packed ? 0 : grid->resolution;
}

double lf__grid_least(const void *object, lf_vec2 a, lf_vec2 b) {
    const lf_grid *grid = object;
    lf_vec2 p = lf__grid_place(grid, a.x, a.y), q = lf__grid_place(grid, b.x, b.y);
    double doubt = 1e-6 + 0x1p-40 * (fabs(a.x) + fabs(a.y) + fabs(b.x) + fabs(b.y)) *
                              (fabs(grid->a) + fabs(grid->b) + fabs(grid->c) + fabs(grid->d));
    double low_x = floor(fmin(p.x, q.x) - doubt), high_x = ceil(fmax(p.x, q.x) + doubt);
    double low_y = floor(fmin(p.y, q.y) - doubt), high_y = ceil(fmax(p.y, q.y) + doubt);
    if (!(low_x >= 0 && low_y >= 0 && high_x < (double)grid->columns && high_y < (double)grid->rows))
        return -INFINITY;
    if ((high_x - low_x + 1) * (high_y - low_y + 1) > GRID_LEAST_SAMPLES)
        return -INFINITY;
    double least = INFINITY;
    lf__grid_touch_box(grid, (lf_vec2){low_x, low_y}, (lf_vec2){high_x, high_y});
    for (int64_t j = (int64_t)low_y; j <= (int64_t)high_y; j++)
        for (int64_t i = (int64_t)low_x; i <= (int64_t)high_x; i++) {
            if (lf__grid_is_void(grid, i, j))
                return -INFINITY;
            least = fmin(least, lf__grid_height(grid, i, j));
        }
    return least;
}
