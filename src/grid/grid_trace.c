/// Traversal of the pyramid by a ray: from the whole grid to squares, nearest first.
///
/// Blocks are excluded by the part of the ray over them, computed conservatively, and by their bounds. Pieces
/// of the remaining squares are decided exactly, so the traversal may be approximate and enter two blocks
/// where one would be enough.
#include "bvh/bvh_meet.h"
#include "grid/grid_kernels.h"

/// Along an axis with less direction than this a ray does not move: pads are larger than its whole motion.
#define TRACE_NO_DIRECTION 1e-200

/// Size of the stack: three siblings per level, and one.
#define TRACE_STACK (3 * LF__GRID_LEVELS + 1)

typedef struct trace_block {
    int level;
    int64_t bx, by;
    double entry; ///< t where the ray enters, or less
} trace_block;

/// One axis of the ray, ready for clipping.
typedef struct trace_axis {
    double origin, direction, inverse; ///< inverse 0: does not move
    double pad;
} trace_axis;

typedef struct trace_walk {
    lf__trace *trace;
    trace_axis x, y, z;
    double start, end; ///< the part of the ray to search; the end decreases with what is found
    trace_block stack[TRACE_STACK];
    int waiting;
} trace_walk;

static trace_axis trace_axis_of(double origin, double direction, double low, double high) {
    bool goes = fabs(direction) >= TRACE_NO_DIRECTION;
    // The error of a clip is three roundings of numbers of at most these magnitudes.
    double pad = 16 * LF__HALF_ULP * (fabs(origin) + fabs(low) + fabs(high) + 1e-30);
    return (trace_axis){origin, direction, goes ? 1 / direction : 0, pad};
}

/// Clip a part of the ray to where it may be between low and high; false where nothing remains.
static inline bool trace_clip(const trace_axis *a, double low, double high, double *start, double *end) {
    if (a->inverse == 0)
        return a->origin >= low - a->pad && a->origin <= high + a->pad;
    double t_low = (low - a->pad - a->origin) * a->inverse, t_high = (high + a->pad - a->origin) * a->inverse;
    double first = t_low < t_high ? t_low : t_high, last = t_low < t_high ? t_high : t_low;
    *start = first > *start ? first : *start;
    *end = last < *end ? last : *end;
    return *start <= *end;
}

/// The heights that the ray may have on a part of it.
static inline void trace_heights(const trace_walk *w, double start, double end, double *low, double *high) {
    double a = w->z.direction * start, b = w->z.direction * end;
    double pad = w->z.pad + 4 * LF__HALF_ULP * (fabs(a) + fabs(b));
    a += w->z.origin;
    b += w->z.origin;
    *low = (a < b ? a : b) - pad;
    *high = (a < b ? b : a) + pad;
}

// ---------------------------------------------------------------------------------------------------
// Squares
// ---------------------------------------------------------------------------------------------------

static bool trace_piece(lf__trace *trace, const lf__piece *piece) {
    lf__grid_meeting meetings[2];
    int met = lf__piece_meet(piece, &trace->line, meetings, &trace->cost.exact);
    bool any = false;
    trace->cost.triangles++;
    for (int m = 0; m < met; m++)
        any |= lf__trace_report(trace, piece, &meetings[m]);
    return any;
}

bool lf__trace_square_exactly(lf__trace *trace, int64_t i, int64_t j) {
    lf__piece pieces[LF__PIECES];
    int count = lf__pieces_of(trace->grid, i, j, pieces);
    bool any = false;
    for (int k = 0; k < count; k++)
        any |= trace_piece(trace, &pieces[k]);
    return any;
}

bool lf__trace_square(lf__trace *trace, int64_t i, int64_t j) {
    return lf__square_meet(trace, i, j);
}

static void trace_come_nearer(trace_walk *w) {
    w->end = w->trace->end < w->end ? w->trace->end : w->end;
}

static void trace_meet_piece(trace_walk *w, const lf__piece *piece) {
    trace_piece(w->trace, piece);
    trace_come_nearer(w);
}

static void trace_meet_square(trace_walk *w, int64_t i, int64_t j) {
    lf__trace_square(w->trace, i, j);
    trace_come_nearer(w);
}

static void trace_enter_square(trace_walk *w, const trace_block *at, double start, double end) {
    const lf_grid *grid = w->trace->grid;
    int64_t i = grid->first + at->bx, j = grid->first + at->by;
    w->trace->cost.cells++;
    if (!lf__grid_parts(grid, i, j))
        return;
    double low, high;
    trace_heights(w, start, end, &low, &high);
    if (grid->surface == LF_SURFACE_POINT) {
        double h = lf__grid_height(grid, i, j);
        if (low > h || (high < h && high < lf__grid_level_range(grid, i, j).low))
            return;
    } else { // comparisons with the NaN of a void are false, so they exclude nothing
        lf__grid_corners h = lf__grid_corners_of(grid, i, j);
        if ((low > h.h00 && low > h.h10 && low > h.h01 && low > h.h11) ||
            (high < h.h00 && high < h.h10 && high < h.h01 && high < h.h11))
            return;
    }
    trace_meet_square(w, i, j);
}

// ---------------------------------------------------------------------------------------------------
// Blocks
// ---------------------------------------------------------------------------------------------------

/// Can the ray meet something in a block? If so, where does it enter and leave it?
static bool trace_enters(trace_walk *w, trace_block *at, double *end) {
    const lf_grid *grid = w->trace->grid;
    const lf__grid_level *level = &grid->levels[at->level];
    double side = (double)((int64_t)1 << at->level), origin = (double)grid->first + grid->shift;
    double x = origin + (double)at->bx * side, y = origin + (double)at->by * side, low, high;
    at->entry = w->start;
    *end = w->end;
    if (!trace_clip(&w->x, x, x + side, &at->entry, end) || !trace_clip(&w->y, y, y + side, &at->entry, end))
        return false;
    if (!level->top && (!grid->within_tiles || at->level == 0))
        return true;
    w->trace->cost.nodes++;
    trace_heights(w, at->entry, *end, &low, &high);
    if (!level->top)
        return low <= lf__packed_top(grid, at->level, at->bx, at->by);
    int64_t index = at->by * level->stride + at->bx;
    return low <= lf__grid_top(grid, level->top[index]) &&
           (!level->bottom || high >= lf__grid_bottom(grid, level->bottom[index]));
}

/// Push the parts of a block on the stack, the nearest on top.
static void trace_push_parts(trace_walk *w, const trace_block *at) {
    const lf__grid_level *level = &w->trace->grid->levels[at->level - 1];
    int far_x = w->x.direction >= 0, far_y = w->y.direction >= 0;
    for (int k = 0; k < 4; k++) {
        int64_t bx = 2 * at->bx + ((k & 1) ^ far_x), by = 2 * at->by + ((k >> 1) ^ far_y);
        if (bx < level->columns && by < level->rows)
            w->stack[w->waiting++] = (trace_block){at->level - 1, bx, by, at->entry};
    }
}

static void trace_walk_down(trace_walk *w) {
    w->stack[0] = (trace_block){w->trace->grid->level_count - 1, 0, 0, w->start};
    w->waiting = 1;
    while (w->waiting > 0) {
        trace_block at = w->stack[--w->waiting];
        double end;
        if (at.entry > w->end || !trace_enters(w, &at, &end))
            continue;
        if (at.level > 0)
            trace_push_parts(w, &at);
        else
            trace_enter_square(w, &at, at.entry, end);
    }
}

/// A gravity line meets the piece that heights report.
static void trace_meet_as_height(trace_walk *w) {
    lf_vec3 o = w->trace->line.origin;
    lf__grid_spot spot;
    lf__piece piece;
    w->trace->cost.cells++;
    if (lf__grid_at(w->trace->grid, (lf_vec2){o.x, o.y}, &spot) == LF_REASON_ANSWERED &&
        lf__piece_of(w->trace->grid, spot.i, spot.j, spot.triangle, &piece))
        trace_meet_piece(w, &piece);
}

/// A vertical ray meets only the squares that contain its place.
static void trace_meet_vertically(trace_walk *w) {
    const lf_grid *grid = w->trace->grid;
    int64_t columns[2], rows[2];
    lf_vec3 o = w->trace->line.origin;
    int column_count = lf__grid_squares_at(o.x, grid->shift, grid->first, grid->square_columns, columns);
    int row_count = lf__grid_squares_at(o.y, grid->shift, grid->first, grid->square_rows, rows);
    for (int r = 0; r < row_count; r++)
        for (int c = 0; c < column_count; c++) {
            w->trace->cost.cells++;
            trace_meet_square(w, columns[c], rows[r]);
        }
}

/// Run a kernel; false where there is none for this ray.
static bool trace_run_kernel(lf__trace *trace) {
    lf__grid_course course;
    if (!trace->grid->kernels)
        return false;
    lf__grid_course_verdict verdict = lf__grid_course_start(&course, trace->grid, &trace->line);
    if (verdict == LF__GRID_COURSE_RUNS)
        trace->grid->kernels->run(trace, &course);
    return verdict != LF__GRID_COURSE_REFUSED;
}

/// Search the grid, or a copy of it.
static void trace_run_on_copy(lf__trace *trace) {
    const lf_grid *grid = trace->grid;
    lf_vec3 o = trace->line.origin, d = trace->line.direction;
    if (trace->nearest_only && (d.x != 0 || d.y != 0) && trace_run_kernel(trace))
        return;
    trace_walk w;
    w.trace = trace;
    w.start = trace->line.t_min;
    w.end = trace->end < trace->line.t_max ? trace->end : trace->line.t_max;
    w.x = trace_axis_of(o.x, d.x, grid->low.x, grid->high.x);
    w.y = trace_axis_of(o.y, d.y, grid->low.y, grid->high.y);
    w.z = trace_axis_of(o.z, d.z, grid->lowest, grid->highest);
    if (!trace_clip(&w.x, grid->low.x, grid->high.x, &w.start, &w.end) ||
        !trace_clip(&w.y, grid->low.y, grid->high.y, &w.start, &w.end) ||
        !trace_clip(&w.z, grid->lowest, grid->highest, &w.start, &w.end))
        return;
    if (d.x == 0 && d.y == 0 && trace->gravity)
        trace_meet_as_height(&w);
    else if (d.x == 0 && d.y == 0)
        trace_meet_vertically(&w);
    else
        trace_walk_down(&w);
}

/// The copies of a grid with a turn that the ray passes while it is within the grid's rows and heights.
static lf__grid_copies trace_copies(const lf__trace *trace) {
    const lf_grid *grid = trace->grid;
    lf_vec3 o = trace->line.origin, d = trace->line.direction;
    if (d.x == 0 && d.y == 0 && trace->gravity) { // on one copy only
        double copy = grid->round ? floor(o.x / grid->copies)
                                  : rint((o.x - 0.5 * (grid->low.x + grid->high.x)) / grid->copies);
        lf__grid_spot spot;
        if (grid->round && o.x == copy * grid->copies && // on the seam
            lf__grid_at(grid, (lf_vec2){0, o.y}, &spot) != LF_REASON_ANSWERED)
            copy--;
        return fabs(copy) < 1e15 ? (lf__grid_copies){(int64_t)copy, (int64_t)copy} : (lf__grid_copies){1, 0};
    }
    trace_axis y = trace_axis_of(o.y, d.y, grid->low.y, grid->high.y),
               z = trace_axis_of(o.z, d.z, grid->lowest, grid->highest);
    double start = trace->line.t_min, end = trace->line.t_max;
    if (!trace_clip(&y, grid->low.y, grid->high.y, &start, &end) ||
        !trace_clip(&z, grid->lowest, grid->highest, &start, &end))
        return (lf__grid_copies){1, 0};
    double a = d.x == 0 ? o.x : o.x + start * d.x, b = d.x == 0 ? o.x : o.x + end * d.x;
    return lf__grid_copies_of(grid, a < b ? a : b, a < b ? b : a, d.x < 0);
}

void lf__trace_run(lf__trace *trace) {
    const lf_grid *grid = trace->grid;
    if (!(trace->layers & 1u) || !(grid->lowest <= grid->highest) || !lf_vec3_finite(trace->line.origin) ||
        !lf_vec3_finite(trace->line.direction))
        return;
    if (grid->copies == 0) {
        trace_run_on_copy(trace);
        return;
    }
    lf__grid_copies copies = trace_copies(trace);
    bool backward = trace->line.direction.x < 0;
    for (int64_t n = 0; n <= copies.last - copies.first && trace->end >= trace->line.t_min; n++) {
        lf__trace_on_copy(trace, backward ? copies.last - n : copies.first + n);
        trace_run_on_copy(trace);
    }
}

void lf__trace_start(lf__trace *trace, const lf_grid *grid, const lf_ray *ray, bool gravity,
                     const lf_cursor *cursor) {
    lf_vec2 o = lf__grid_place(grid, ray->origin.x, ray->origin.y);
    lf_vec2 d = lf__grid_turn(grid, ray->direction.x, ray->direction.y);
    lf_ray line = {{o.x, o.y, ray->origin.z}, {d.x, d.y, ray->direction.z}, ray->t_min, ray->t_max};
    trace->grid = grid;
    trace->ray = ray;
    trace->gravity = gravity;
    trace->layers = lf__cursor_layers(cursor);
    trace->nearest_only = false;
    trace->cost = (lf_counters){.questions = 1};
    const lf_ray *scaled = lf__line_of(&line, &trace->line, &trace->exponent);
    if (scaled == &line)
        trace->line = line;
    trace->x = trace->line.origin.x;
    trace->copy = 0;
    trace->end = trace->line.t_max;
}
