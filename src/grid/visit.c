/// Every piece in some part of space, by way of the pyramid.
#include "grid/guard.h"
#include "grid/grid_question.h"

/// Waiting blocks: three siblings per level, and one.
#define STACK (3 * LF__GRID_LEVELS + 1)

typedef struct block {
    int level;
    int64_t bx, by;
} block;

/// The box of a block in the world; false when there is nothing in it.
static bool box_of(const lf_grid *grid, const block *at, lf_box *box) {
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
        lf_vec2 place = lf_placing_at(&grid->geotransform, i, j);
        lf_vec3 corner = {place.x, place.y, 0};
        *box = lf_box_with(*box, corner);
    }
    box->low.z = fmax(bottom, grid->lowest);
    box->high.z = fmin(top, grid->highest);
    return true;
}

static void visit_square(const lf_grid *grid, const lf__grid_visitor *visitor, const block *at,
                         lf_counters *cost) {
    lf__piece pieces[LF__PIECES];
    int count = lf__pieces_of(grid, grid->first + at->bx, grid->first + at->by, pieces);
    cost->cells++;
    cost->triangles += (uint64_t)count;
    for (int k = 0; k < count; k++)
        visitor->piece(visitor->user, &pieces[k]);
}

/// Everything beneath a block is of blocks of the file that this one meets.
static void touch_block(const lf_grid *grid, const block *at) {
    double side = (double)((int64_t)1 << at->level), x = (double)grid->first + (double)at->bx * side,
           y = (double)grid->first + (double)at->by * side;
    lf__grid_touch_box(grid, (lf_vec2){x, y}, (lf_vec2){x + side, y + side});
}

void lf__grid_visit(const lf_grid *grid, const lf__grid_visitor *visitor, lf_cursor *cursor) {
    block stack[STACK] = {{grid->level_count - 1, 0, 0}};
    int waiting = grid->lowest <= grid->highest ? 1 : 0;
    lf_counters cost = {.questions = 0};
    while (waiting > 0) {
        block at = stack[--waiting];
        lf_box box;
        cost.nodes++;
        if (at.level < LF__GUARD_LOG2 && at.level == grid->level_count - 1)
            touch_block(grid, &at); // of a small grid the bounds themselves belong to a block
        if (!box_of(grid, &at, &box) || !visitor->enters(visitor->user, &box))
            continue;
        if (at.level == LF__GUARD_LOG2)
            touch_block(grid, &at);
        // Heights of a damaged file may be anything, and so may the work with them.
        if (lf__grid_told(grid, LF_OK) != LF_OK)
            break;
        if (at.level == 0) {
            visit_square(grid, visitor, &at, &cost);
            continue;
        }
        const lf__grid_level *below = &grid->levels[at.level - 1];
        for (int k = 3; k >= 0; k--) {
            int64_t bx = 2 * at.bx + (k & 1), by = 2 * at.by + (k >> 1);
            if (bx < below->columns && by < below->rows)
                stack[waiting++] = (block){at.level - 1, bx, by};
        }
    }
    lf__cursor_count(cursor, &cost);
}
