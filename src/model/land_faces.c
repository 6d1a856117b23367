/// The ground around a place as flat faces, whatever it is made of.
#include "grid/grid_question.h"
#include "ground/group.h"
#include "mesh/mesh.h"
#include "model/land.h"
#include <math.h>

/// Faces are walls when they are steeper than this, as the z of a unit normal.
#define WALL 1e-9

/// Bilinear patches are cut into so many strips each way.
enum { STRIPS = 16 };

typedef struct gathering {
    const lf__land_view *view;
    const lf__land_finder *finder;
    const lf_pose *pose; ///< of the part at hand
    int64_t part;
    const lf_mesh *mesh; ///< or
    const lf_grid *grid;
    uint32_t layers;
    lf_box box;  ///< in the part's frame
    lf_box wide; ///< in the view
    bool done;
} gathering;

/// An edge's distance from a place, within positive, seen from above.
static lf__land_limit edge_limit(lf_vec3 p, lf_vec3 q, double turn) {
    double x = turn * (p.y - q.y), y = turn * (q.x - p.x), length = sqrt(x * x + y * y);
    if (!(length > 0))
        return (lf__land_limit){0, 0, 0, 0};
    return (lf__land_limit){x / length, y / length, 0, -(x * p.x + y * p.y) / length};
}

/// false for walls, and for what is narrower than rounding can tell.
static bool make_face(const lf__land_view *view, const lf_vec3 *corners, int count, lf__land_face *face) {
    lf_vec3 far = corners[count - 1]; // of four corners in a plane two diagonals tell the normal better
    lf_vec3 across = lf_vec3_sub(corners[2], corners[0]);
    lf_vec3 n = count == 4 ? lf_vec3_cross(across, lf_vec3_sub(far, corners[1]))
                           : lf_vec3_cross(lf_vec3_sub(corners[1], corners[0]), across);
    double length = lf_vec3_length(n), longest = 0;
    for (int k = 0; k < count; k++)
        longest = fmax(longest, lf_vec3_length(lf_vec3_sub(corners[(k + 1) % count], corners[k])));
    if (!(fabs(n.z) > WALL * length) || !(length > view->blur * longest))
        return false;
    double gx = -n.x / n.z, gy = -n.y / n.z;
    face->edge_count = count;
    for (int k = 0; k < count; k++)
        face->edges[k] = edge_limit(corners[k], corners[(k + 1) % count], n.z > 0 ? 1 : -1);
    face->above = (lf__land_limit){gx, gy, -1, corners[0].z - gx * corners[0].x - gy * corners[0].y};
    face->doubt = view->blur * (1 + fabs(gx) + fabs(gy));
    face->front_up = n.z > 0;
    return true;
}

static bool beside(const gathering *g, const lf_vec3 *corners, int count) {
    lf_box box = lf_box_empty();
    for (int i = 0; i < count; i++)
        box = lf_box_with(box, corners[i]);
    return !lf_box_overlap(box, g->wide);
}

// ---------------------------------------------------------------------------------------------------
// Meshes
// ---------------------------------------------------------------------------------------------------

static bool box_wanted(void *user, const lf_box *box) {
    const gathering *g = user;
    return !g->done && lf_box_overlap(*box, g->box);
}

/// What is met only from the front is not met from below where its front is up.
static bool seen_from_below(const gathering *g, uint32_t triangle, bool front_up) {
    int64_t polygon = lf__mesh_owner(g->mesh, triangle);
    if (front_up && g->mesh->sides && g->mesh->sides[polygon] == 1)
        return false;
    return (g->layers & (g->mesh->layers ? g->mesh->layers[polygon] : 1u)) != 0;
}

static void mesh_triangle(void *user, uint32_t triangle) {
    gathering *g = user;
    lf_vec3 corners[3];
    lf__land_face face;
    if (g->done || lf__mesh_gone(g->mesh, triangle))
        return;
    lf__mesh_triangle(g->mesh, triangle, corners);
    for (int c = 0; c < 3; c++)
        corners[c] = lf__land_to_view(g->view, lf_pose_to_world(g->pose, corners[c]));
    face.part = g->part, face.triangle = triangle;
    if (!beside(g, corners, 3) && make_face(g->view, corners, 3, &face) &&
        seen_from_below(g, triangle, face.front_up))
        g->done = !g->finder->found(g->finder->user, &face);
}

// ---------------------------------------------------------------------------------------------------
// Grids
// ---------------------------------------------------------------------------------------------------

/// The front of a grid is its upper side, whichever way round its outline goes.
static void grid_face(gathering *g, const lf_vec3 *corners, int count) {
    lf__land_face face;
    if (g->done || beside(g, corners, count) || !make_face(g->view, corners, count, &face))
        return;
    lf_vec3 up = lf_pose_turn_to_world(g->pose, (lf_vec3){0, 0, 1});
    lf_vec3 n = {-face.above.x, -face.above.y, 1}; // turned up in the view
    lf_vec3 own = {lf_vec3_dot(g->view->rows[0], up), lf_vec3_dot(g->view->rows[1], up),
                   lf_vec3_dot(g->view->rows[2], up)};
    face.front_up = lf_vec3_dot(n, own) > 0;
    face.part = g->part, face.triangle = 0; // a grid has no two in one place
    g->done = !g->finder->found(g->finder->user, &face);
}

static lf_vec3 on_patch(const lf_vec3 p[4], double u, double v) {
    lf_vec3 low = lf_vec3_add(lf_vec3_scale(p[0], 1 - u), lf_vec3_scale(p[1], u));
    lf_vec3 high = lf_vec3_add(lf_vec3_scale(p[3], 1 - u), lf_vec3_scale(p[2], u));
    return lf_vec3_add(lf_vec3_scale(low, 1 - v), lf_vec3_scale(high, v));
}

static void cut_patch(gathering *g, const lf_vec3 outline[4]) {
    for (int row = 0; row < STRIPS; row++)
        for (int column = 0; column < STRIPS && !g->done; column++) {
            double u = (double)column / STRIPS, v = (double)row / STRIPS, step = 1.0 / STRIPS;
            lf_vec3 square[4] = {on_patch(outline, u, v), on_patch(outline, u + step, v),
                                 on_patch(outline, u + step, v + step), on_patch(outline, u, v + step)};
            const lf_vec3 other[3] = {square[0], square[2], square[3]};
            grid_face(g, square, 3);
            grid_face(g, other, 3);
        }
}

static void grid_piece(void *user, const lf__piece *piece) {
    gathering *g = user;
    lf_vec3 outline[4];
    if (g->done || piece->kind == LF__PIECE_ACROSS_COLUMNS || piece->kind == LF__PIECE_ACROSS_ROWS)
        return;
    int count = lf__piece_outline(g->grid, piece, outline);
    for (int c = 0; c < count; c++)
        outline[c] = lf__land_to_view(g->view, lf_pose_to_world(g->pose, outline[c]));
    if (piece->kind == LF__PIECE_PATCH && !beside(g, outline, 4))
        cut_patch(g, outline);
    else
        grid_face(g, outline, count);
}

// ---------------------------------------------------------------------------------------------------
// Parts
// ---------------------------------------------------------------------------------------------------

/// A box of the view in a part's frame.
static lf_box box_in_part(const gathering *g) {
    lf_box box = lf_box_empty();
    for (int i = 0; i < 8; i++) {
        lf_vec3 corner = {i & 1 ? g->wide.low.x : g->wide.high.x, i & 2 ? g->wide.low.y : g->wide.high.y,
                          i & 4 ? g->wide.low.z : g->wide.high.z};
        box = lf_box_with(box, lf_pose_to_local(g->pose, lf__land_to_world(g->view, corner)));
    }
    lf_vec3 blur = {g->view->blur, g->view->blur, g->view->blur};
    return (lf_box){lf_vec3_sub(box.low, blur), lf_vec3_add(box.high, blur)};
}

/// The tiles of a globe come and go: they have no faces here.
static void gather_part(gathering *g, const lf_ground *part, const lf_pose *pose) {
    g->pose = pose;
    g->box = box_in_part(g);
    if (g->done || !lf_box_overlap(g->box, lf_ground_box(part)))
        return;
    if (part->kind->kind == LF_GROUND_MESH) {
        g->mesh = part->thing;
        lf__tree_visitor visitor = {box_wanted, mesh_triangle, g};
        lf__tree_visit(g->mesh->tree, &visitor, g->view->cursor);
    } else if (part->kind->kind == LF_GROUND_GRID && (g->layers & 1u)) {
        g->grid = part->thing;
        lf__grid_visitor visitor = {box_wanted, grid_piece, g};
        lf__grid_visit(g->grid, &visitor, g->view->cursor);
    }
}

void lf__land_faces(const lf__land_view *view, const lf_box *box, const lf__land_finder *finder) {
    gathering g = {.view = view, .finder = finder, .layers = lf__cursor_layers(view->cursor), .wide = *box};
    lf_vec3 blur = {view->blur, view->blur, view->blur};
    lf_pose still = lf_pose_identity();
    g.wide.low = lf_vec3_sub(box->low, blur);
    g.wide.high = lf_vec3_add(box->high, blur);
    if (view->ground->kind->kind != LF_GROUND_GROUP) {
        gather_part(&g, view->ground, &still);
        return;
    }
    const lf_group *group = view->ground->thing;
    for (g.part = 0; g.part < group->count; g.part++)
        gather_part(&g, group->parts[g.part].ground, &group->parts[g.part].pose);
}
