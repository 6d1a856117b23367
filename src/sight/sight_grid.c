/// Verdicts over a grid: first the ground, then, where that leaves it open, the holes.
#include "sight/k_line.h"
#include "sight/sight_quick.h"

/// Whatever is searched for along a line.
typedef struct search {
    lf__sight_ask ask;
    lf__glances glances;
    bool found;
    double t; ///< where first, or last
} search;

/// Something was found: what lies behind it does not matter any more, nor does anything if any will do.
static void note(lf__sight_way *way, double t) {
    search *s = way->user;
    bool better = !s->found || (s->ask.last ? t > s->t : t < s->t);
    s->t = better ? t : s->t;
    s->found = true;
    double pad = 0x1p-48 * fabs(s->t);
    if (s->ask.any)
        way->last = way->first - 1;
    else if (s->ask.last)
        way->first = fmax(way->first, s->t - pad);
    else
        way->last = fmin(way->last, s->t + pad);
}

// ---------------------------------------------------------------------------------------------------
// Ground
// ---------------------------------------------------------------------------------------------------

static bool below_top(lf__sight_way *way, const lf__sight_block *block) {
    const lf_grid *grid = way->grid;
    const lf__grid_level *level = &grid->levels[block->level];
    int64_t i = grid->first + block->bx, j = grid->first + block->by;
    if (block->level == 0 && !lf__grid_parts(grid, i, j))
        return false; // whatever its bound, which may be that of what is around it
    double low = lf__sight_low(way->line, block->first, block->last);
    if (level->top)
        return low < lf__grid_top(grid, level->top[block->by * level->stride + block->bx]);
    if (block->level > 0)
        return low < grid->highest;
    if (grid->surface == LF_SURFACE_POINT)
        return low < lf__grid_height(grid, i, j);
    lf__grid_corners h = lf__grid_corners_of(grid, i, j);
    return low < h.h00 || low < h.h10 || low < h.h01 || low < h.h11;
}

bool lf__sight_square_breaks(const lf_grid *grid, const lf__sight_line *line, const int64_t square[2],
                             bool last, double *t, lf_counters *cost) {
    lf__piece pieces[LF__PIECES];
    int count = lf__pieces_of(grid, square[0], square[1], pieces);
    bool found = false;
    for (int k = 0; k < count; k++) {
        if (pieces[k].kind != LF__PIECE_PLANE && pieces[k].kind != LF__PIECE_PATCH)
            continue; // what a wall hides its upper edge hides
        lf__over over;
        double at;
        cost->triangles++;
        if (!lf__over_start(&over, line, &pieces[k], &cost->exact) || !lf__over_breaks(&over, last, &at))
            continue;
        *t = !found || (last ? at > *t : at < *t) ? at : *t;
        found = true;
    }
    return found;
}

static void search_ground(lf__sight_way *way, const lf__sight_block *block) {
    const search *s = way->user;
    int64_t square[2] = {way->grid->first + block->bx, way->grid->first + block->by};
    double t = 0.5 * (block->first + block->last);
    lf__glance glance = lf__glance_square(&s->glances, square[0], square[1]);
    if (glance == LF__GLANCE_CLEAR)
        return;
    if ((s->ask.any && glance == LF__GLANCE_BELOW) ||
        lf__sight_square_breaks(way->grid, way->line, square, s->ask.last, &t, &way->cost))
        note(way, t);
}

// ---------------------------------------------------------------------------------------------------
// Holes
// ---------------------------------------------------------------------------------------------------

/// May a block have squares with a gap? Told from the bits of its rows where a row is within one word.
static bool has_gaps(const lf_grid *grid, const lf__sight_block *block) {
    if (block->level > 6)
        return true;
    int64_t side = (int64_t)1 << block->level, x = block->bx * side, y = block->by * side;
    uint64_t mask = (side == 64 ? UINT64_MAX : ((uint64_t)1 << side) - 1) << (x & 63);
    int64_t end = y + side < grid->square_rows ? y + side : grid->square_rows;
    for (; y < end; y++)
        if (grid->gaps[y * grid->hole_words + (x >> 6)] & mask)
            return true;
    return false;
}

static bool below_holes(lf__sight_way *way, const lf__sight_block *block) {
    return lf__sight_low(way->line, block->first, block->last) < way->grid->highest &&
           has_gaps(way->grid, block);
}

static void search_hole(lf__sight_way *way, const lf__sight_block *block) {
    const search *s = way->user;
    int64_t square[2] = {way->grid->first + block->bx, way->grid->first + block->by};
    double t;
    if (lf__over_hole(way->grid, way->line, square, s->ask.last, &t, &way->cost.exact))
        note(way, t);
}

// ---------------------------------------------------------------------------------------------------
// Verdicts
// ---------------------------------------------------------------------------------------------------

/// Ground along a line, by kernels where they can do it.
static void search_all(lf__sight_way *way, search *s) {
    const lf_grid *grid = way->grid;
    lf__line_search found = LF__LINE_REFUSED;
    if (!(grid->lowest <= grid->highest))
        return;
    if (lf__sight_has_kernel(grid))
        found = lf__sight_search(grid, way->line, s->ask.last, s->ask.any, &s->t, &way->cost);
    s->found = found == LF__LINE_BELOW;
    if (found != LF__LINE_REFUSED)
        return;
    s->glances = lf__glances_start(grid, way->line);
    lf__sight_go(way);
}

void lf__sight_grid(const lf_grid *grid, const lf__sight_line *line, const lf__sight_ask *ask,
                    lf__sight_answer *answer, lf_counters *cost) {
    search s = {.ask = *ask};
    lf__sight_way way = {.grid = grid,
                         .line = line,
                         .last = line->end,
                         .backward = ask->last,
                         .enters = below_top,
                         .square = search_ground,
                         .user = &s,
                         .cost = *cost};
    *answer = (lf__sight_answer){LF_VERDICT_CLEAR, false, ask->last ? 0 : line->end};
    search_all(&way, &s);
    if (s.found)
        *answer = (lf__sight_answer){LF_VERDICT_BLOCKED, true, s.t};
    bool blocked = s.found, stop = ask->voids == LF_VOIDS_STOP;
    if (grid->gaps && ask->voids != LF_VOIDS_PASS && (!blocked || (stop && !ask->any))) {
        way.enters = below_holes;
        way.square = search_hole;
        s.found = false;
        way.first = ask->last && blocked ? answer->t : 0;
        way.last = !ask->last && blocked ? answer->t : line->end;
        lf__sight_go(&way); // no farther than the ground that blocks
        if (s.found && (!blocked || (ask->last ? s.t > answer->t : s.t < answer->t)))
            *answer = (lf__sight_answer){stop ? LF_VERDICT_BLOCKED : LF_VERDICT_UNKNOWN, blocked, s.t};
    }
    *cost = way.cost;
}
