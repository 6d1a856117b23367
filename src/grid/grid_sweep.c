/// Sweeps over a grid. A bilinear patch is subdivided into parts that are flat to within half the tolerance; parts
/// that the object cannot reach before its first contact so far are not subdivided.
#include "grid/grid.h"
#include "grid/grid_query.h"
#include "grid/guard.h"
#include "grid/packed.h"
#include "ground/sweep.h"

/// Greatest depth of subdivision of a patch.
#define SWEEP_MOST_CUTS 24

/// Greatest depth where a patch is too steep to become flat, with slopes of thousands: a contact there may be
/// early by a 2000th of the diagonal of a cell, never late.
#define SWEEP_CLIFF_CUTS 12

static lf_vec3 sweep_middle(lf_vec3 a, lf_vec3 b) {
    return (lf_vec3){0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0.5 * (a.z + b.z)};
}

/// The longer diagonal of a patch in plan.
static double sweep_patch_width(const lf_vec3 c[4]) {
    lf_vec3 a = lf_vec3_sub(c[2], c[0]), b = lf_vec3_sub(c[3], c[1]);
    return sqrt(fmax(a.x * a.x + a.y * a.y, b.x * b.x + b.y * b.y));
}

/// A patch, or a part of one, by its corners in cyclic order.
static void sweep_patch(lf__sweeping *s, const lf_vec3 c[4], int cuts) {
    lf_box box = lf_box_empty();
    for (int k = 0; k < 4; k++)
        box = lf_box_with(box, c[k]);
    if (!lf__sweep_comes_near(s, &box))
        return;
    // The distance of a patch from its two triangles is at most a quarter of its twist, and at most its
    // width, because the triangles have each of its heights somewhere.
    double twist = 0.25 * fabs((c[2].z - c[3].z) - (c[1].z - c[0].z)), width = sweep_patch_width(c),
           off = fmin(twist, width);
    bool cliff = twist > width && cuts <= SWEEP_MOST_CUTS - SWEEP_CLIFF_CUTS;
    if (!(off > 0.5 * s->tolerance) || cliff || cuts == 0) {
        lf__sweep_flat(s, c, off);
        return;
    }
    if (!lf__sweep_reaches(s, c, off))
        return;
    lf_vec3 sides[4], heart = sweep_middle(sweep_middle(c[0], c[1]), sweep_middle(c[2], c[3]));
    for (int k = 0; k < 4; k++)
        sides[k] = sweep_middle(c[k], c[(k + 1) % 4]);
    const lf_vec3 parts[4][4] = {{c[0], sides[0], heart, sides[3]},
                                 {sides[0], c[1], sides[1], heart},
                                 {heart, sides[1], c[2], sides[2]},
                                 {sides[3], heart, sides[2], c[3]}};
    for (int k = 0; k < 4; k++)
        sweep_patch(s, parts[k], cuts - 1);
}

typedef struct grid_sweep {
    const lf_grid *grid;
    lf__sweeping *sweep;
} grid_sweep;

static bool grid_sweep_near(void *user, const lf_box *box) {
    return lf__sweep_comes_near(((const grid_sweep *)user)->sweep, box);
}

static void grid_sweep_piece(void *user, const lf__piece *piece) {
    const grid_sweep *g = user;
    lf_vec3 corners[4];
    int count = lf__piece_outline(g->grid, piece, corners);
    g->sweep->element = (lf__sweep_element){lf__grid_element(g->grid, piece->i, piece->j), 0, 0, 1};
    if (piece->kind == LF__PIECE_PATCH)
        sweep_patch(g->sweep, corners, SWEEP_MOST_CUTS);
    else if (count == 4)
        lf__sweep_flat(g->sweep, corners, 0);
    else
        lf__sweep_triangle(g->sweep, corners, 0);
}

void lf__grid_sweep(const void *object, lf__sweeping *sweep) {
    const lf_grid *grid = object;
    lf__grid_scratch space;
    if (!(sweep->layers & 1u))
        return;
    const lf_grid *view = lf__grid_open(grid, sweep->cursor, &space);
    grid_sweep g = {view, sweep};
    lf__grid_visitor visitor = {grid_sweep_near, grid_sweep_piece, &g};
    sweep->kind = LF_HIT_CELL;
    lf__grid_visit(view, &visitor, sweep->cursor);
    lf__grid_close(grid, view, sweep->cursor);
}
