/// The pieces of a square, and visits of all pieces in a part of space.
#include "grid/grid_query.h"
#include "grid/guard.h"

static void piece_add_limit(lf__piece *piece, double x, double y, double z, double k) {
    piece->limits[piece->limit_count++] = (lf__piece_limit){x, y, z, k};
}

/// Add the limits of pieces of the ring, which end half a square outside of the border.
static void piece_end_at_border(const lf_grid *grid, lf__piece *piece) {
    if (piece->i < 0)
        piece_add_limit(piece, 1, 0, 0, -grid->low.x);
    else if (piece->i >= grid->cell_columns)
        piece_add_limit(piece, -1, 0, 0, grid->high.x);
    if (piece->j < 0)
        piece_add_limit(piece, 0, 1, 0, -grid->low.y);
    else if (piece->j >= grid->cell_rows)
        piece_add_limit(piece, 0, -1, 0, grid->high.y);
}

static void piece_falling_triangle(lf__piece *p, const lf__grid_corners *h, double i, double j) {
    if (p->triangle == 0) {
        p->at = (lf_vec2){i, j};
        p->h[0] = h->h00, p->h[1] = h->h00, p->h[2] = h->h10, p->h[3] = h->h00, p->h[4] = h->h01;
        piece_add_limit(p, 1, 0, 0, -i);
        piece_add_limit(p, 0, 1, 0, -j);
        piece_add_limit(p, -1, -1, 0, i + j + 1);
    } else {
        p->at = (lf_vec2){i + 1, j + 1};
        p->h[0] = h->h11, p->h[1] = h->h01, p->h[2] = h->h11, p->h[3] = h->h10, p->h[4] = h->h11;
        piece_add_limit(p, -1, 0, 0, i + 1);
        piece_add_limit(p, 0, -1, 0, j + 1);
        piece_add_limit(p, 1, 1, 0, -(i + j + 1));
    }
}

static void piece_rising_triangle(lf__piece *p, const lf__grid_corners *h, double i, double j) {
    if (p->triangle == 0) {
        p->at = (lf_vec2){i + 1, j};
        p->h[0] = h->h10, p->h[1] = h->h00, p->h[2] = h->h10, p->h[3] = h->h10, p->h[4] = h->h11;
        piece_add_limit(p, -1, 0, 0, i + 1);
        piece_add_limit(p, 0, 1, 0, -j);
        piece_add_limit(p, 1, -1, 0, j - i);
    } else {
        p->at = (lf_vec2){i, j + 1};
        p->h[0] = h->h01, p->h[1] = h->h01, p->h[2] = h->h11, p->h[3] = h->h00, p->h[4] = h->h01;
        piece_add_limit(p, 1, 0, 0, -i);
        piece_add_limit(p, 0, -1, 0, j + 1);
        piece_add_limit(p, -1, 1, 0, i - j);
    }
}

static lf__piece piece_triangle(const lf_grid *grid, int64_t i, int64_t j, int triangle,
                                const lf__grid_corners *h) {
    lf__piece p = {.kind = LF__PIECE_PLANE, .triangle = triangle, .i = i, .j = j};
    if (lf__grid_falls(grid, i, j))
        piece_falling_triangle(&p, h, (double)i, (double)j);
    else
        piece_rising_triangle(&p, h, (double)i, (double)j);
    piece_end_at_border(grid, &p);
    return p;
}

static lf__piece piece_patch(const lf_grid *grid, int64_t i, int64_t j, const lf__grid_corners *h) {
    double x = (double)i, y = (double)j;
    lf__piece p = {.kind = LF__PIECE_PATCH, .i = i, .j = j, .at = {x, y}};
    p.h[0] = h->h00, p.h[1] = h->h10, p.h[2] = h->h01, p.h[3] = h->h11;
    // In the ring only the half next to the grid exists, so the end of the surface replaces one limit.
    piece_add_limit(&p, 1, 0, 0, i < 0 ? -grid->low.x : -x);
    piece_add_limit(&p, -1, 0, 0, i >= grid->cell_columns ? grid->high.x : x + 1);
    piece_add_limit(&p, 0, 1, 0, j < 0 ? -grid->low.y : -y);
    piece_add_limit(&p, 0, -1, 0, j >= grid->cell_rows ? grid->high.y : y + 1);
    return p;
}

static lf__piece piece_level_square(int64_t i, int64_t j, double height) {
    double x = (double)i, y = (double)j;
    lf__piece p = {.kind = LF__PIECE_PLANE, .i = i, .j = j, .at = {x, y}};
    for (int k = 0; k < 5; k++)
        p.h[k] = height;
    piece_add_limit(&p, 1, 0, 0, 0.5 - x);
    piece_add_limit(&p, -1, 0, 0, x + 0.5);
    piece_add_limit(&p, 0, 1, 0, 0.5 - y);
    piece_add_limit(&p, 0, -1, 0, y + 0.5);
    return p;
}

/// The wall between a sample and a lower neighbour: 1 low column, 2 high column, 3 low row, 4 high row. False
/// where there is none.
static bool piece_wall(const lf_grid *grid, int64_t i, int64_t j, int number, lf__piece *wall) {
    int64_t ni = i + (number == 2) - (number == 1), nj = j + (number == 4) - (number == 3);
    if (ni < 0 || nj < 0 || ni >= grid->columns || nj >= grid->rows || lf__grid_is_void(grid, ni, nj))
        return false;
    double low = lf__grid_height(grid, ni, nj), high = lf__grid_height(grid, i, j);
    if (!(low < high))
        return false;
    double x = (double)i, y = (double)j;
    *wall = (lf__piece){.triangle = number, .i = i, .j = j, .h = {low, high}};
    if (ni != i) {
        wall->kind = LF__PIECE_ACROSS_COLUMNS;
        wall->at = (lf_vec2){0.5 * ((double)ni + x), y};
        piece_add_limit(wall, 0, 1, 0, 0.5 - y);
        piece_add_limit(wall, 0, -1, 0, y + 0.5);
    } else {
        wall->kind = LF__PIECE_ACROSS_ROWS;
        wall->at = (lf_vec2){x, 0.5 * ((double)nj + y)};
        piece_add_limit(wall, 1, 0, 0, 0.5 - x);
        piece_add_limit(wall, -1, 0, 0, x + 0.5);
    }
    piece_add_limit(wall, 0, 0, 1, -low);
    piece_add_limit(wall, 0, 0, -1, high);
    return true;
}

int lf__pieces_of(const lf_grid *grid, int64_t i, int64_t j, lf__piece pieces[LF__PIECES]) {
    unsigned parts = lf__grid_parts(grid, i, j);
    if (!parts)
        return 0;
    if (grid->surface == LF_SURFACE_POINT) {
        int count = 1;
        pieces[0] = piece_level_square(i, j, lf__grid_height(grid, i, j));
        for (int number = 1; number <= 4; number++)
            count += piece_wall(grid, i, j, number, &pieces[count]);
        return count;
    }
    lf__grid_corners h = lf__grid_corners_of(grid, i, j);
    if (grid->surface == LF_SURFACE_BILINEAR) {
        pieces[0] = piece_patch(grid, i, j, &h);
        return 1;
    }
    int count = 0;
    for (int triangle = 0; triangle < 2; triangle++)
        if (parts >> triangle & 1)
            pieces[count++] = piece_triangle(grid, i, j, triangle, &h);
    return count;
}

bool lf__piece_of(const lf_grid *grid, int64_t i, int64_t j, int triangle, lf__piece *piece) {
    lf__piece pieces[LF__PIECES];
    int count = lf__pieces_of(grid, i, j, pieces);
    for (int k = 0; k < count; k++)
        if (pieces[k].triangle == triangle) {
            *piece = pieces[k];
            return true;
        }
    return false;
}

// ---------------------------------------------------------------------------------------------------
// Visits
// ---------------------------------------------------------------------------------------------------

/// Size of the stack: three siblings per level, and one.
#define VISIT_STACK (3 * LF__GRID_LEVELS + 1)

typedef struct visit_block {
    int level;
    int64_t bx, by;
} visit_block;

/// The box of a block in world coordinates; false where it has no surface.
static bool visit_box(const lf_grid *grid, const visit_block *at, lf_box *box) {
    const lf__grid_level *level = &grid->levels[at->level];
    int64_t index = at->by * level->stride + at->bx;
    double top = level->top ? lf__grid_top(grid, level->top[index]) : grid->highest;
    double bottom = level->bottom ? lf__grid_bottom(grid, level->bottom[index]) : grid->lowest;
    if (!(bottom <= top))
        return false;
    double side = (double)((int64_t)1 << at->level), origin = (double)grid->first + grid->shift;
    double x = origin + (double)at->bx * side, y = origin + (double)at->by * side;
    *box = lf_box_empty();
    for (int k = 0; k < 4; k++) {
        double i = k & 1 ? x + side : x, j = k & 2 ? y + side : y;
        lf_vec2 place = lf_geotransform_at(&grid->geotransform, i, j);
        lf_vec3 corner = {place.x, place.y, 0};
        *box = lf_box_with(*box, corner);
    }
    box->low.z = fmax(bottom, grid->lowest);
    box->high.z = fmin(top, grid->highest);
    return true;
}

static void visit_square(const lf_grid *grid, const lf__grid_visitor *visitor, const visit_block *at,
                         lf_counters *cost) {
    lf__piece pieces[LF__PIECES];
    int count = lf__pieces_of(grid, grid->first + at->bx, grid->first + at->by, pieces);
    cost->cells++;
    cost->triangles += (uint64_t)count;
    for (int k = 0; k < count; k++)
        visitor->piece(visitor->user, &pieces[k]);
}

/// Check the blocks of the file under a block of the pyramid.
static void visit_touch_block(const lf_grid *grid, const visit_block *at) {
    double side = (double)((int64_t)1 << at->level), x = (double)grid->first + (double)at->bx * side,
           y = (double)grid->first + (double)at->by * side;
    lf__grid_touch_box(grid, (lf_vec2){x, y}, (lf_vec2){x + side, y + side});
}

void lf__grid_visit(const lf_grid *grid, const lf__grid_visitor *visitor, lf_cursor *cursor) {
    visit_block stack[VISIT_STACK] = {{grid->level_count - 1, 0, 0}};
    int waiting = grid->lowest <= grid->highest ? 1 : 0;
    lf_counters cost = {.questions = 0};
    while (waiting > 0) {
        visit_block at = stack[--waiting];
        lf_box box;
        cost.nodes++;
        if (at.level < LF__GUARD_LOG2 && at.level == grid->level_count - 1)
            visit_touch_block(grid, &at); // the bounds of a small grid belong to a block
        if (!visit_box(grid, &at, &box) || !visitor->enters(visitor->user, &box))
            continue;
        if (at.level == LF__GUARD_LOG2)
            visit_touch_block(grid, &at);
        // With the heights of a damaged file a visitor could run for a very long time.
        if (lf__grid_status(grid, LF_OK) != LF_OK)
            break;
        if (at.level == 0) {
            visit_square(grid, visitor, &at, &cost);
            continue;
        }
        const lf__grid_level *below = &grid->levels[at.level - 1];
        for (int k = 3; k >= 0; k--) {
            int64_t bx = 2 * at.bx + (k & 1), by = 2 * at.by + (k >> 1);
            if (bx < below->columns && by < below->rows)
                stack[waiting++] = (visit_block){at.level - 1, bx, by};
        }
    }
    lf__cursor_count(cursor, &cost);
}
