/// Lines over grids by AVX2 kernels.
///
/// A window is eight consecutive blocks of one level along the line. Where the line is above the tops of the
/// blocks under it, nothing can hide it; where it is below their bottoms it is hidden, and no height is read.
/// Windows at both ends come first, because lines are usually blocked near them; then windows of 64 x 64
/// squares lead to windows of 8 x 8 squares, and these to squares.
#include "sight/k_line.h"
#include "sight/k_columns.h"

#if LF__SIMD

#define LINE_TARGET LF__SIMD_TARGET

/// For functions whose level is a constant at the call.
#define LINE_INLINE LF__SIMD_TARGET __attribute__((always_inline)) static inline

/// Levels of the windows. The fine one has 8 x 8 squares, or 16 x 16 or 32 x 32 where the bounds begin with those.
#define LINE_COLUMNS 3
#define LINE_COARSE LF__GRID_PLANE

/// Rounding error of places within a window, in blocks.
#define LINE_BLUR 4e-6f

/// Blocks whose squares are tested after all windows have been searched.
#define LINE_DEFERRED 64

/// Bounds of a level in the frame of the course: block (0, 0), and the steps from there.
typedef struct line_bounds {
    const uint16_t *top, *bottom;
    int64_t step_a, step_b;
} line_bounds;

typedef struct line_walk {
    const lf_grid *grid;
    const lf__sight_line *line;
    lf__sight_course course;
    bool ready; ///< the two for reading heights have been set up
    lf__line_filter filter;
    lf__columns columns;
    line_bounds fine, coarse;
    int level; ///< of `fine`
    double by_quantum;
    bool any, from_end;
    lf_counters *cost;
    int64_t column; ///< where the search ended
    bool below;     ///< a blocked place has been found exactly,
    double t;       ///< here
    int count;      ///< of deferred blocks
    int32_t blocks[LINE_DEFERRED];
} line_walk;

static line_bounds line_bounds_of(const lf__sight_course *c, const lf_grid *grid, int level) {
    const lf__grid_level *l = &grid->levels[level];
    int64_t a = c->swap ? l->stride : 1, b = c->swap ? 1 : l->stride, last = (c->mirror >> level) - 1;
    int64_t start = (c->mirror_a ? last * a : 0) + (c->mirror_b ? last * b : 0);
    return (line_bounds){l->top + start, l->bottom + start, c->mirror_a ? -a : a, c->mirror_b ? -b : b};
}

// ---------------------------------------------------------------------------------------------------
// Windows
// ---------------------------------------------------------------------------------------------------

/// Eight blocks: bits of those that the line may be below in, and of those that it is below throughout.
typedef struct line_window {
    unsigned near, below;
} line_window;

/// The part of the line over the blocks of a window, from the first block on.
typedef struct line_part {
    __m256 in, out;
    __m256i rows[2]; ///< under the line, of the level
    __m256 sure;     ///< only over these, and for some distance
    __m256 wide;     ///< it may be over a third one
    int64_t row;     ///< its place at the beginning of the first
} line_part;

LINE_TARGET static inline __m256i line_clamp(__m256i x, int low, int high) {
    return _mm256_max_epi32(_mm256_min_epi32(x, _mm256_set1_epi32(high)), _mm256_set1_epi32(low));
}

LINE_INLINE void place_part(const line_walk *w, int level, int64_t a, line_part *p) {
    const lf__sight_course *c = &w->course;
    double side = (double)(1 << level), inverse = 1 / side, start = (double)a * side;
    double b = lf__sight_course_b(c, start) * inverse, whole = floor(b);
    __m256 near = _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7), far = _mm256_setr_ps(1, 2, 3, 4, 5, 6, 7, 8);
    p->in = _mm256_max_ps(near, _mm256_set1_ps((float)((c->start - start) * inverse)));
    p->out = _mm256_min_ps(far, _mm256_set1_ps((float)((c->end - start) * inverse)));
    __m256 blur = _mm256_set1_ps(LINE_BLUR), slope = _mm256_set1_ps((float)c->slope_b),
           share = _mm256_set1_ps((float)(b - whole));
    __m256 first = _mm256_sub_ps(_mm256_fmadd_ps(p->in, slope, share), blur);
    __m256 last = _mm256_add_ps(_mm256_fmadd_ps(p->out, slope, share), blur);
    int low = (int)(c->low_b >> level), high = (int)((c->high_b - 1) >> level), row = (int)whole;
    __m256i base = _mm256_set1_epi32(row);
    __m256i row0 = _mm256_add_epi32(_mm256_cvttps_epi32(_mm256_floor_ps(first)), base);
    __m256i row1 = _mm256_add_epi32(_mm256_cvttps_epi32(_mm256_floor_ps(last)), base);
    p->row = row;
    p->rows[0] = line_clamp(row0, low, high);
    p->rows[1] = line_clamp(row1, low, high);
    p->wide = _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_sub_epi32(row1, row0), _mm256_set1_epi32(1)));
    // Certainly over whole squares: the ring of an extended grid has halves.
    double ring = (double)-w->grid->first;
    float inner[4] = {(float)(((double)c->low_a + ring - start) * inverse),
                      (float)(((double)c->high_a - ring - start) * inverse),
                      (float)(((double)c->low_b + ring) * inverse - whole),
                      (float)(((double)c->high_b - ring) * inverse - whole)};
    __m256 from = _mm256_max_ps(p->in, _mm256_set1_ps(inner[0])),
           to = _mm256_min_ps(p->out, _mm256_set1_ps(inner[1]));
    __m256 some = _mm256_cmp_ps(_mm256_sub_ps(to, from), _mm256_set1_ps(16 * LINE_BLUR), _CMP_GT_OQ);
    __m256 inside = _mm256_and_ps(_mm256_cmp_ps(first, _mm256_set1_ps(inner[2]), _CMP_GT_OQ),
                                  _mm256_cmp_ps(last, _mm256_set1_ps(inner[3]), _CMP_LT_OQ));
    p->sure = _mm256_andnot_ps(p->wide, _mm256_and_ps(some, inside));
}

/// Codes of eight blocks.
LINE_TARGET static inline __m128i codes_at(const uint16_t *base, const int32_t index[8]) {
    __m128i codes = _mm_cvtsi32_si128(base[index[0]]);
    codes = _mm_insert_epi16(codes, base[index[1]], 1);
    codes = _mm_insert_epi16(codes, base[index[2]], 2);
    codes = _mm_insert_epi16(codes, base[index[3]], 3);
    codes = _mm_insert_epi16(codes, base[index[4]], 4);
    codes = _mm_insert_epi16(codes, base[index[5]], 5);
    codes = _mm_insert_epi16(codes, base[index[6]], 6);
    return _mm_insert_epi16(codes, base[index[7]], 7);
}

LINE_TARGET static inline __m256 as_floats(__m128i codes) {
    return _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(codes));
}

/// Bits of the blocks whose bottoms are certainly above a line no higher than this.
LINE_INLINE unsigned below_bottoms(const uint16_t *bottom, int32_t index[2][8], __m256 high, __m256 sure) {
    __m256 least = as_floats(_mm_min_epu16(codes_at(bottom, index[0]), codes_at(bottom, index[1])));
    return (unsigned)_mm256_movemask_ps(_mm256_and_ps(_mm256_cmp_ps(high, least, _CMP_LT_OQ), sure));
}

LINE_INLINE line_window line_search_window(const line_walk *w, const line_bounds *at, int level, int64_t a) {
    const lf__sight_course *c = &w->course;
    const lf_grid *grid = w->grid;
    line_part p;
    place_part(w, level, a, &p);
    double side = (double)(1 << level), start = (double)a * side, run = start - c->a;
    float code = (float)((lf__sight_course_z(c, start) - grid->base) * w->by_quantum);
    float slope = (float)((c->slope_z + 2 * c->curvature * run) * side * w->by_quantum);
    float curvature = (float)(c->curvature * side * side * w->by_quantum);
    float eps = 2e-6f * (fabsf(code) + 10 * fabsf(slope) + 100 * fabsf(curvature)) +
                (float)(c->slack * w->by_quantum) + 0.26f * fabsf(curvature) + 1e-3f;
    __m256 z = _mm256_set1_ps(code), s = _mm256_set1_ps(slope), q = _mm256_set1_ps(curvature);
    __m256 begins = _mm256_fmadd_ps(p.in, _mm256_fmadd_ps(p.in, q, s), z);
    __m256 ends = _mm256_fmadd_ps(p.out, _mm256_fmadd_ps(p.out, q, s), z);
    __m256 least = _mm256_set1_ps(0.5f), most = _mm256_set1_ps(65534.5f);
    // Codes are 1 .. 65534, except the two for "nothing" and "anything".
    __m256 low = _mm256_sub_ps(_mm256_min_ps(begins, ends), _mm256_set1_ps(eps));
    low = _mm256_min_ps(_mm256_max_ps(low, least), most);
    __m256 high = _mm256_add_ps(_mm256_max_ps(begins, ends), _mm256_set1_ps(eps));
    high = _mm256_min_ps(_mm256_max_ps(high, least), most);
    // For blocks that do not exist the nearest ones are read, and ignored.
    int64_t first = (c->low_a >> level) - a, last = ((c->high_a - 1) >> level) - a;
    int lanes[2] = {first > 0 ? (int)first : 0, last < 7 ? (int)last : 7};
    _Alignas(32) int32_t index[2][8];
    __m256i lane = line_clamp(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), lanes[0], lanes[1]);
    lane = _mm256_mullo_epi32(lane, _mm256_set1_epi32((int)at->step_a));
    for (int k = 0; k < 2; k++) {
        __m256i row = _mm256_sub_epi32(p.rows[k], _mm256_set1_epi32((int)p.row));
        row = _mm256_add_epi32(lane, _mm256_mullo_epi32(row, _mm256_set1_epi32((int)at->step_b)));
        _mm256_store_si256((__m256i *)(void *)index[k], row);
    }
    int64_t origin = a * at->step_a + p.row * at->step_b;
    __m256 valid = _mm256_cmp_ps(p.in, _mm256_add_ps(p.out, _mm256_set1_ps(2 * LINE_BLUR)), _CMP_LE_OQ);
    unsigned there = (0xffu << lanes[0]) & (0xffu >> (7 - lanes[1])) & (unsigned)_mm256_movemask_ps(valid);
    line_window found = {0, 0};
    // Small blocks are first tested for hiding the line, which is usual at an end; large ones for a clear
    // line.
    if (level < LINE_COARSE && w->any) {
        found.below = below_bottoms(at->bottom + origin, index, high, p.sure) & there;
        if (found.below)
            return found;
    }
    __m256 top =
        as_floats(_mm_max_epu16(codes_at(at->top + origin, index[0]), codes_at(at->top + origin, index[1])));
    __m256 near = _mm256_or_ps(_mm256_cmp_ps(low, top, _CMP_LE_OQ), p.wide);
    found.near = (unsigned)_mm256_movemask_ps(near) & there;
    if (level == LINE_COARSE && w->any && found.near != 0)
        found.below = below_bottoms(at->bottom + origin, index, high, p.sure) & there;
    return found;
}

// ---------------------------------------------------------------------------------------------------
// Squares
// ---------------------------------------------------------------------------------------------------

/// One square of a column: exact where doubles cannot decide, or where the blocked place is requested. true:
/// below.
static bool test_square(line_walk *w, int64_t column, int64_t row) {
    int64_t square[2];
    double t = 0;
    lf__sight_course_square(&w->course, w->grid, column, row, square);
    lf__filtered filtered = lf__filter_square(&w->filter, square[0], square[1]);
    w->cost->triangles += 2;
    if (filtered == LF__FILTER_CLEAR || (filtered == LF__FILTER_BELOW && w->any))
        return filtered == LF__FILTER_BELOW;
    if (!lf__sight_square_blocks(w->grid, w->filter.line, square, w->from_end, &t, w->cost))
        return false;
    w->t = !w->below || (w->from_end ? t > w->t : t < w->t) ? t : w->t;
    w->below = true;
    return true;
}

/// The squares of a column. true: below one of them.
LINE_TARGET static bool search_column(line_walk *w, int64_t column) {
    const lf__sight_course *c = &w->course;
    double from = lf__greater((double)column, c->start), to = lf__lesser((double)(column + 1), c->end);
    int64_t first = (int64_t)floor(lf__sight_course_b(c, from) - LF__SIGHT_SLACK);
    int64_t last = (int64_t)floor(lf__sight_course_b(c, to) + LF__SIGHT_SLACK);
    first = first < c->low_b ? c->low_b : first;
    last = last >= c->high_b ? c->high_b - 1 : last;
    bool below = false;
    for (int64_t row = first; row <= last && !(below && w->any); row++)
        below |= test_square(w, column, row);
    return below;
}

/// Is the line above the bounds within tiles of a block of columns? They are computed from coefficients where the tile is not
/// decoded.
static bool above_tiles(const line_walk *w, int64_t block) {
    const lf__sight_course *c = &w->course;
    const lf_grid *grid = w->grid;
    double from = lf__greater((double)(block * 8), c->start),
           to = lf__lesser((double)(block * 8 + 8), c->end);
    double bent = 0.25 * fabs(c->curvature) * (to - from) * (to - from);
    double low = lf__lesser(lf__sight_course_z(c, from), lf__sight_course_z(c, to)) - bent - 2 * c->slack;
    int64_t first = (int64_t)floor(lf__sight_course_b(c, from) - LF__SIGHT_SLACK) >> LINE_COLUMNS;
    int64_t last = (int64_t)floor(lf__sight_course_b(c, to) + LF__SIGHT_SLACK) >> LINE_COLUMNS;
    int64_t least = c->low_b >> LINE_COLUMNS, most = (c->high_b - 1) >> LINE_COLUMNS;
    int64_t mirror = (c->mirror >> LINE_COLUMNS) - 1, at_a = c->mirror_a ? mirror - block : block;
    for (int64_t row = first < least ? least : first; row <= (last > most ? most : last); row++) {
        int64_t at_b = c->mirror_b ? mirror - row : row, bx = c->swap ? at_b : at_a,
                by = c->swap ? at_a : at_b;
        if (!lf__packed_undecoded(grid, grid->first + bx * 8, grid->first + by * 8) ||
            low <= lf__packed_top(grid, LINE_COLUMNS, bx, by))
            return false;
    }
    return true;
}

/// The squares under the line in a block of the fine level. true: below one of them.
LINE_TARGET static bool search_block(line_walk *w, int64_t block) {
    const lf__sight_course *c = &w->course;
    // The ends of the line are rounded; those of blocks are not.
    int64_t first = block * 8, last = first + 7;
    if (c->start >= (double)first)
        first = (int64_t)floor(c->start - LF__SIGHT_SLACK);
    if (c->end <= (double)(last + 1))
        last = (int64_t)floor(c->end + LF__SIGHT_SLACK);
    first = first < c->low_a ? c->low_a : first;
    last = last >= c->high_a ? c->high_a - 1 : last;
    if (w->grid->within_tiles && w->level > LINE_COLUMNS + 1 && above_tiles(w, block))
        return false;
    w->cost->cells++;
    if (!w->ready) {
        w->filter = lf__line_filter_start(w->grid, w->line);
        lf__columns_start(&w->columns, w->grid, c);
        w->ready = true;
    }
    lf__columns_found found = w->columns.points ? lf__columns_level(&w->columns, c, block * 8)
                                                : lf__columns_search(&w->columns, c, block * 8);
    if (found.below && w->any) {
        w->column = block * 8 + __builtin_ctz(found.below);
        return true;
    }
    for (int64_t k = first; k <= last; k++)
        if ((k < block * 8 || k >= block * 8 + 8 || (found.doubt >> (k - block * 8) & 1)) &&
            search_column(w, k)) {
            w->column = k;
            // A line blocked at the far side of a square may be blocked in the next one too, with another
            // rounding.
            if (!w->any && k + 1 < c->high_a)
                search_column(w, k + 1);
            return true;
        }
    return false;
}

// ---------------------------------------------------------------------------------------------------
// The whole line
// ---------------------------------------------------------------------------------------------------

/// Is the line above a coarse block's tilted bound all over the block? It is straight apart from its
/// curvature, so both ends are enough.
static bool line_above_plane(const line_walk *w, int64_t a, int64_t b, double from, double to) {
    const lf__sight_course *c = &w->course;
    const lf_grid *grid = w->grid;
    const double side = 1 << LINE_COARSE;
    int64_t last = (c->mirror >> LINE_COARSE) - 1, columns = grid->levels[LINE_COARSE].columns;
    int64_t at_a = c->mirror_a ? last - a : a, at_b = c->mirror_b ? last - b : b;
    const lf__grid_plane *plane = &grid->planes[c->swap ? at_a * columns + at_b : at_b * columns + at_a];
    double rise_a = (double)(c->swap ? plane->rise_y : plane->rise_x) * (c->mirror_a ? -1 : 1);
    double rise_b = (double)(c->swap ? plane->rise_x : plane->rise_y) * (c->mirror_b ? -1 : 1);
    double bent = 0.25 * fabs(c->curvature) * (to - from) * (to - from);
    double limit = plane->top + bent + 2 * c->slack + LF__SIGHT_SLACK * (fabs(rise_a) + fabs(rise_b));
    double ends[2] = {from, to};
    for (int k = 0; k < 2; k++) {
        double x = ends[k] - ((double)a + 0.5) * side,
               y = lf__sight_course_b(c, ends[k]) - ((double)b + 0.5) * side;
        if (!(lf__sight_course_z(c, ends[k]) - rise_a * x - rise_b * y > limit))
            return false;
    }
    return true;
}

/// Those of eight coarse blocks from `a` on that tilted bounds do not exclude either.
static unsigned line_search_planes(const line_walk *w, int64_t a, unsigned mask) {
    const lf__sight_course *c = &w->course;
    const double side = 1 << LINE_COARSE, inverse = 1 / side;
    unsigned left = 0;
    for (; mask; mask &= mask - 1) {
        int k = __builtin_ctz(mask);
        double from = lf__greater((double)(a + k) * side, c->start),
               to = lf__lesser((double)(a + k + 1) * side, c->end);
        int64_t low = (int64_t)floor((lf__sight_course_b(c, from) - LF__SIGHT_SLACK) * inverse);
        int64_t high = (int64_t)floor((lf__sight_course_b(c, to) + LF__SIGHT_SLACK) * inverse);
        int64_t least = c->low_b >> LINE_COARSE, most = (c->high_b - 1) >> LINE_COARSE;
        bool above = true;
        for (int64_t b = low < least ? least : low; b <= (high > most ? most : high) && above; b++)
            above = line_above_plane(w, a + k, b, from, to);
        left |= above ? 0 : 1u << k;
    }
    return left;
}

/// The outcome of a search.
typedef enum line_progress { LINE_GOES_ON, LINE_ENDS } line_progress;

/// Test the squares of all deferred blocks. LINE_ENDS: one of them is not clear.
static line_progress search_all_blocks(line_walk *w) {
    for (int k = 0; k < w->count; k++) {
        if (search_block(w, w->blocks[k]))
            return LINE_ENDS;
    }
    w->count = 0;
    return LINE_GOES_ON;
}

/// Search a fine window, its blocks from `from` up to `to`. Where any blocked place will do, blocks are
/// deferred; else they are tested in turn.
LINE_TARGET static inline line_progress search_fine(line_walk *w, int64_t a, int64_t from, int64_t to) {
    w->cost->nodes++;
    line_window found = w->level == LINE_COLUMNS       ? line_search_window(w, &w->fine, LINE_COLUMNS, a)
                        : w->level == LINE_COLUMNS + 1 ? line_search_window(w, &w->fine, LINE_COLUMNS + 1, a)
                                                       : line_search_window(w, &w->fine, LINE_COLUMNS + 2, a);
    unsigned needed = ~0u << (from > a ? from - a : 0);
    needed &= to < a + 8 ? ~(~0u << (to > a ? to - a : 0)) : ~0u;
    if (found.below) { // used or not
        w->column = (a + __builtin_ctz(found.below)) << w->level;
        return LINE_ENDS;
    }
    int parts = 1 << (w->level - LINE_COLUMNS);
    for (unsigned mask = found.near & needed; mask; mask &= mask - 1) {
        if (w->count + parts > LINE_DEFERRED && search_all_blocks(w) == LINE_ENDS)
            return LINE_ENDS;
        for (int k = 0; k < parts; k++)
            w->blocks[w->count++] = (int32_t)((a + __builtin_ctz(mask)) * parts + k);
    }
    return w->any ? LINE_GOES_ON : search_all_blocks(w);
}

/// Between the two windows at the ends, guided by coarse ones.
LINE_TARGET static line_progress search_middle(line_walk *w, int64_t from, int64_t to) {
    int up = LINE_COARSE - w->level;
    int64_t fine = (int64_t)1 << up; // blocks in a coarse one
    w->coarse = line_bounds_of(&w->course, w->grid, LINE_COARSE);
    for (int64_t block = from >> up; block * fine < to; block += 8) {
        w->cost->nodes++;
        line_window found = line_search_window(w, &w->coarse, LINE_COARSE, block);
        unsigned mask = found.near;
        unsigned needed = to > (block + 8) * fine ? ~0u : ~(~0u << ((to + fine - 1) / fine - block));
        if (found.below & needed) {
            w->column = (block + __builtin_ctz(found.below & needed)) << LINE_COARSE;
            return LINE_ENDS;
        }
        mask &= needed;
        if (w->grid->planes && (mask & (mask - 1)))
            mask = line_search_planes(w, block, mask);
        for (; mask; mask &= mask - 1) {
            int64_t first = (block + __builtin_ctz(mask)) * fine, end = first + fine < to ? first + fine : to;
            if (search_fine(w, first, from, end) == LINE_ENDS)
                return LINE_ENDS;
        }
    }
    return LINE_GOES_ON;
}

LINE_TARGET static line_progress search_line(line_walk *w) {
    const lf__sight_course *c = &w->course;
    int64_t first = (int64_t)c->start >> w->level, last = (int64_t)c->end >> w->level; // blocks
    int64_t most = (c->high_a - 1) >> w->level;
    last = last > most ? most : last;
    first = first > most ? most : first; // a line that begins at the last side
    if (search_fine(w, first, first, last + 1) == LINE_ENDS)
        return LINE_ENDS;
    int64_t from = first + 8, to = last + 1;
    if (w->any && from < to) {
        int64_t near_end = to - 8 > from ? to - 8 : from;
        if (search_fine(w, near_end, from, to) == LINE_ENDS)
            return LINE_ENDS;
        to = near_end;
    }
    if (w->grid->level_count > LINE_COARSE) {
        if (from < to && search_middle(w, from, to) == LINE_ENDS)
            return LINE_ENDS;
    } else {
        for (; from < to; from += 8)
            if (search_fine(w, from, from, to) == LINE_ENDS)
                return LINE_ENDS;
    }
    return search_all_blocks(w);
}

lf__line_search lf__sight_search(const lf_grid *grid, const lf__sight_line *line, bool from_end, bool any,
                                 double *t, lf_counters *cost) {
    line_walk w;
    if (!lf__sight_course_start(&w.course, grid, line, from_end))
        return LF__LINE_REFUSED;
    if (!(w.course.start <= w.course.end + LF__SIGHT_SLACK))
        return LF__LINE_CLEAR;
    w.course.end = lf__greater(w.course.start, w.course.end);
    w.grid = grid;
    w.any = any;
    w.from_end = from_end;
    w.cost = cost;
    w.below = false;
    w.count = 0;
    w.line = line;
    w.ready = false;
    w.by_quantum = 1 / grid->quantum;
    w.level = grid->line_level;
    w.fine = line_bounds_of(&w.course, grid, w.level);
    if (search_line(&w) == LINE_GOES_ON)
        return LF__LINE_CLEAR;
    double moved = ((double)w.column - w.course.a) * w.course.per_a;
    *t = !any ? w.t : from_end ? line->end - moved : moved;
    return LF__LINE_BELOW;
}

#else

lf__line_search lf__sight_search(const lf_grid *grid, const lf__sight_line *line, bool from_end, bool any,
                                 double *t, lf_counters *cost) {
    (void)grid, (void)line, (void)from_end, (void)any, (void)t, (void)cost;
    return LF__LINE_REFUSED;
}

#endif

// ---------------------------------------------------------------------------------------------------
// Ends
// ---------------------------------------------------------------------------------------------------

#if LF__SIMD

#define ENDS_TARGET LF__SIMD_TARGET

ENDS_TARGET static inline __m256d ends_size_of(__m256d x) {
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
}

/// Columns and rows of two world places, by the formula of lf_grid_locate.
ENDS_TARGET static inline __m256d ends_snap_to_samples(const lf_grid *grid, lf_vec3 a, lf_vec3 b) {
    const lf_vec2 origin = grid->geotransform.origin;
    __m256d x = _mm256_setr_pd(a.x, a.x, b.x, b.x), y = _mm256_setr_pd(a.y, a.y, b.y, b.y);
    __m256d of_x = _mm256_setr_pd(grid->a, grid->c, grid->a, grid->c),
            of_y = _mm256_setr_pd(grid->b, grid->d, grid->b, grid->d);
    __m256d origin_x = _mm256_set1_pd(origin.x), origin_y = _mm256_set1_pd(origin.y);
    __m256d place = _mm256_add_pd(_mm256_mul_pd(of_x, _mm256_sub_pd(x, origin_x)),
                                  _mm256_mul_pd(of_y, _mm256_sub_pd(y, origin_y)));
    __m256d far_x = _mm256_mul_pd(ends_size_of(of_x), _mm256_add_pd(ends_size_of(x), ends_size_of(origin_x)));
    __m256d far_y = _mm256_mul_pd(ends_size_of(of_y), _mm256_add_pd(ends_size_of(y), ends_size_of(origin_y)));
    __m256d unit = _mm256_set1_pd(8 * LF__SIGHT_UNIT), round = _mm256_set1_pd(0x1.8p52);
    __m256d rounding = _mm256_add_pd(_mm256_mul_pd(unit, _mm256_add_pd(far_x, far_y)), unit);
    __m256d whole = _mm256_sub_pd(_mm256_add_pd(place, round), round);
    __m256d on_sample = _mm256_cmp_pd(ends_size_of(_mm256_sub_pd(place, whole)), rounding, _CMP_LE_OQ);
    return _mm256_blendv_pd(place, whole, on_sample);
}

ENDS_TARGET bool lf__sight_line_of_ends(const lf_grid *grid, lf_vec3 a, lf_vec3 b, double sag,
                                        lf__sight_line *line) {
    __m256d place = ends_snap_to_samples(grid, a, b), reach = _mm256_set1_pd(lf__sight_reach(grid));
    __m256d signs = _mm256_and_pd(_mm256_set1_pd(-0.0), place), step = _mm256_or_pd(reach, signs);
    __m256d stepped = _mm256_sub_pd(_mm256_add_pd(place, step), step);
    // Places farther than this are not rounded to steps, nor snapped to samples where numbers are so large
    // that all are integers.
    __m256d near = _mm256_and_pd(_mm256_cmp_pd(ends_size_of(place), reach, _CMP_LT_OQ),
                                 _mm256_cmp_pd(ends_size_of(stepped), reach, _CMP_LT_OQ));
    double at[4];
    if (_mm256_movemask_pd(near) != 0xf)
        return false;
    _mm256_storeu_pd(at, stepped);
    *line = lf__sight_line_between((lf_vec2){at[0], at[1]}, a.z, (lf_vec2){at[2], at[3]}, b.z, sag);
    return true;
}

#else

bool lf__sight_line_of_ends(const lf_grid *grid, lf_vec3 a, lf_vec3 b, double sag, lf__sight_line *line) {
    (void)grid, (void)a, (void)b, (void)sag, (void)line;
    return false;
}

#endif
