/// The way of a line over blocks: from the whole grid to squares, in the order of the line.
///
/// The part of the line over a block is computed with every rounding on the safe side, so that nothing under the line is missed.
#include "sight/line.h"

/// Half a unit in the last place.
#define UNIT 0x1p-53

/// A line that moves less than this along an axis stays where it is, as far as doubles can tell.
#define STILL 1e-200

/// Blocks that wait: three parts of each level, and one.
#define WAITING (3 * LF__GRID_LEVELS + 1)

/// One axis of the line, ready for clipping.
typedef struct axis {
    double at, inverse; ///< 0: it does not move
    double pad;
} axis;

static axis axis_of(double at, double way, double low, double high) {
    // A clip is off by three roundings of numbers no larger than these.
    return (axis){at, fabs(way) < STILL ? 0 : 1 / way, 16 * UNIT * (fabs(at) + fabs(low) + fabs(high))};
}

/// Shorten a part of the line to where it may be within low .. high; false when nothing is left.
static bool shorten(const axis *a, double low, double high, lf__sight_block *block) {
    low -= a->pad;
    high += a->pad;
    if (a->inverse == 0)
        return low <= a->at && a->at <= high;
    double from = ((a->inverse > 0 ? low : high) - a->at) * a->inverse;
    double to = ((a->inverse > 0 ? high : low) - a->at) * a->inverse;
    block->first = from > block->first ? from : block->first;
    block->last = to < block->last ? to : block->last;
    return block->first <= block->last;
}

typedef struct walk {
    lf__sight_way *way;
    axis x, y;
    lf__sight_block waiting[WAITING];
    int count;
} walk;

static bool comes_over(const walk *w, lf__sight_block *block) {
    const lf_grid *grid = w->way->grid;
    double side = (double)((int64_t)1 << block->level), corner = (double)grid->first + grid->shift;
    double x = corner + (double)block->bx * side, y = corner + (double)block->by * side;
    block->first = w->way->first;
    block->last = w->way->last;
    return block->first <= block->last && shorten(&w->x, x, x + side, block) &&
           shorten(&w->y, y, y + side, block);
}

/// Let the four parts of a block wait, the next one last.
static void add_parts(walk *w, const lf__sight_block *block) {
    const lf__grid_level *below = &w->way->grid->levels[block->level - 1];
    const lf_vec2 d = w->way->line->way;
    bool x_first = (d.x >= 0) != w->way->backward, y_first = (d.y >= 0) != w->way->backward;
    for (int k = 3; k >= 0; k--) {
        int64_t bx = 2 * block->bx + ((k & 1) == x_first), by = 2 * block->by + ((k >> 1) == y_first);
        if (bx < below->columns && by < below->rows)
            w->waiting[w->count++] = (lf__sight_block){block->level - 1, bx, by, 0, 0};
    }
}

void lf__sight_go(lf__sight_way *way) {
    const lf_grid *grid = way->grid;
    const lf__sight_line *line = way->line;
    walk w; // field by field: those that wait need no zeros
    w.way = way;
    w.x = axis_of(line->at.x, line->way.x, grid->low.x, grid->high.x);
    w.y = axis_of(line->at.y, line->way.y, grid->low.y, grid->high.y);
    w.waiting[0] = (lf__sight_block){grid->level_count - 1, 0, 0, 0, 0};
    w.count = 1;
    while (w.count > 0) {
        lf__sight_block block = w.waiting[--w.count];
        if (!comes_over(&w, &block))
            continue;
        if (block.level > 0)
            way->cost.nodes++;
        else
            way->cost.cells++;
        if (!way->enters(way, &block))
            continue;
        if (block.level > 0)
            add_parts(&w, &block);
        else
            way->square(way, &block);
    }
}
