/// The columns of blocks where a long level ray may meet something, in whole numbers.
///
/// Such a ray grazes summits, or meets nothing, and is above most of what it passes. It is compared with the few coarse columns of
/// blocks that it crosses, then with the finer ones within those where it may meet something, down to the finest tops. Its rows and its
/// height in codes are whole numbers that grow by the same from column to column, so no column waits for another one. One ray after the
/// other waits for each of its few steps; that is why plain instructions, which take less time one by one, are faster here than vectors
/// with gathers.
///
/// A column of blocks has the row where the ray enters it and the row where it leaves it, which are the same or neighbours. Where rounding
/// decides about a row the surface cannot rise much above the row beside, by which the ray is lowered. A column that begins before the ray
/// or ends behind it has no row beyond the border of its level.
#ifndef LF_GRID_K_CRESTS_H
#define LF_GRID_K_CRESTS_H

#include "grid/grid_kernels.h"
#include "grid/k_lanes.h"
#include "grid/k_windows.h"

#if LF__X86

#define CRESTS_INLINE LF__LANES_TARGET __attribute__((always_inline)) static inline

/// Bits of rows and of codes behind the point. Numbers in front of it are below CRESTS_FARTHEST, and slopes are exact to 2^-25 on the
/// longest course.
#define CRESTS_BITS 40
#define CRESTS_FARTHEST 0x1p20

/// Rows are drawn towards the middle of the grid by so many squares at its sides, which is more than the error of courses and of whole
/// numbers. Then no rounding puts them outside.
#define CRESTS_DRAWN (2 * LF__GRID_COURSE_SLACK)

/// Most columns that are compared at first, and most that are kept.
#define CRESTS_FIRST 24
#define CRESTS_MOST 16

/// A ray: whole numbers at square 0 of its course, and what they grow by per square.
typedef struct crests_line {
    const lf_grid *grid;
    int64_t swap, mirror_a, mirror_b; ///< all bits or none
    int64_t row, slope, code, climb;
    int64_t first, last; ///< squares
} crests_line;

/// A level in the frame of the course: the top of block (0, 0) and the steps from there, the ray at that block, and the columns that it
/// crosses.
typedef struct crests_level {
    const uint16_t *top;
    int64_t step_a, step_b;
    int64_t row, slope, code, climb; ///< per block; the code is the least of eight columns
    int64_t first, last;
} crests_level;

/// Columns of blocks of a level in the frame of a course, in order.
typedef struct lf__crests_columns {
    int32_t at[CRESTS_MOST];
    int level, count;
    int compared; ///< sets of at most eight, for counters
} lf__crests_columns;

/// False where numbers are too large, or codes beyond those of heights.
CRESTS_INLINE bool crests_start(crests_line *l, const lf_grid *grid, const lf__grid_course *c) {
    const double unit = (double)((int64_t)1 << CRESTS_BITS), by_quantum = 1 / grid->quantum;
    const double share = CRESTS_DRAWN / (double)(c->high_b - c->low_b),
                 middle = share * (double)(c->low_b + c->high_b);
    double off = CRESTS_DRAWN * (4 * grid->steepest + fabs(c->slope_z)) + 2 * c->slack;
    double code = (c->z - c->a * c->slope_z - grid->base - off) * by_quantum - 1e-3;
    double row = c->b - c->a * c->slope_b, climb = c->slope_z * by_quantum;
    double begin = code + c->start * climb, end = code + c->end * climb;
    if (!((fabs(code) < CRESTS_FARTHEST) & (fabs(row) < CRESTS_FARTHEST) & (fabs(begin) < LF__GRID_TOP_ANY) &
          (fabs(end) < LF__GRID_TOP_ANY)))
        return false;
    int64_t most = c->high_a - 1, first = (int64_t)c->start, last = (int64_t)c->end;
    l->grid = grid;
    l->swap = -(int64_t)c->swap;
    l->mirror_a = -(int64_t)c->mirror_a;
    l->mirror_b = -(int64_t)c->mirror_b;
    l->row = (int64_t)((row + middle - 2 * share * row) * unit);
    l->slope = (int64_t)((c->slope_b - 2 * share * c->slope_b) * unit);
    l->code = (int64_t)(code * unit);
    l->climb = (int64_t)(climb * unit);
    l->first = first < most ? first : most;
    l->last = last < most ? last : most;
    return true;
}

/// Without branches: the octants of rays that follow each other may be any.
CRESTS_INLINE void crests_go_to(crests_level *t, const crests_line *l, int level) {
    const lf__grid_level *from = &l->grid->levels[level];
    int64_t more = (from->stride - 1) & l->swap, a = 1 + more, b = from->stride - more;
    int64_t last = (l->grid->mirror >> level) - 1;
    t->top = from->top + last * ((a & l->mirror_a) + (b & l->mirror_b));
    t->step_a = (a ^ l->mirror_a) - l->mirror_a;
    t->step_b = (b ^ l->mirror_b) - l->mirror_b;
    t->row = l->row >> level;
    t->slope = l->slope;
    t->climb = l->climb * ((int64_t)1 << level);
    t->code = l->code + (t->climb < 0 ? 8 * t->climb : 0);
    t->first = l->first >> level;
    t->last = l->last >> level;
}

/// Compare the ray with `count` columns from `first` on, at most eight: a bit for each that it may meet.
CRESTS_INLINE unsigned crests_compare(const crests_level *t, int64_t first, int count) {
    const int64_t slope = t->slope, step_a = t->step_a, step_b = t->step_b;
    int64_t row = t->row + (first + count) * slope, leaves = (row >> CRESTS_BITS) * step_b;
    int64_t least = ((t->code + first * t->climb) >> CRESTS_BITS) - 1;
    const uint16_t *top = t->top + (first + count) * step_a;
    uint32_t found = 0, below = (uint32_t)(least < 0 ? 0 : least);
#pragma GCC unroll 8
    for (int k = 0; k < count; k++) { // from the last column to the first
        row -= slope;
        top -= step_a;
        int64_t enters = (row >> CRESTS_BITS) * step_b;
        uint32_t near = top[enters], far = top[leaves], highest = near > far ? near : far;
        found = found + found + (below < highest);
        leaves = enters;
    }
    return found;
}

LF__LANES_TARGET __attribute__((noinline)) static unsigned crests_compare_8(const crests_level *t,
                                                                            int64_t first) {
    return crests_compare(t, first, 8);
}

LF__LANES_TARGET __attribute__((noinline)) static unsigned crests_compare_4(const crests_level *t,
                                                                            int64_t first) {
    return crests_compare(t, first, 4);
}

/// The columns from `first` to `last` that the ray crosses, at most eight. Others may be beyond the grid.
LF__LANES_TARGET __attribute__((noinline)) static unsigned crests_compare_some(const crests_level *t,
                                                                               int64_t first, int64_t last) {
    int64_t from = first > t->first ? first : t->first, to = last < t->last ? last : t->last;
    unsigned found = 0;
    for (int64_t k = from; k <= to; k++)
        found |= crests_compare(t, k, 1) << (k - first);
    return found;
}

/// Compare the ray with the columns within a coarser one, `down` levels further down, of which the first is `first`.
CRESTS_INLINE uint64_t crests_within(const crests_level *t, int64_t first, int down) {
    int64_t last = first + (1 << down) - 1;
    if ((first >= t->first) & (last <= t->last) & (down > 1))
        return down == 3 ? crests_compare_8(t, first) : crests_compare_4(t, first);
    return crests_compare_some(t, first, last);
}

/// The level of which a ray crosses at most CRESTS_FIRST columns.
CRESTS_INLINE int crests_coarsest(const crests_line *l) {
    int level = 59 - __builtin_clzll((uint64_t)(l->last - l->first) | 16);
    level += (l->last >> level) - (l->first >> level) >= CRESTS_FIRST;
    return level < l->grid->first_top ? l->grid->first_top : level;
}

/// Compare the ray with all columns of a level: a bit for each, from the first on. Sets of eight may overlap.
CRESTS_INLINE uint64_t crests_compare_all(const crests_level *t) {
    int64_t last = t->last - t->first;
    if (last < 7)
        return crests_compare_some(t, t->first, t->last);
    uint64_t found = crests_compare_8(t, t->first) | (uint64_t)crests_compare_8(t, t->last - 7) << (last - 7);
    if (last >= 16)
        found |= (uint64_t)crests_compare_8(t, t->first + 8) << 8;
    return found;
}

/// Levels to go down at once: every list waits for the one before it.
CRESTS_INLINE int crests_down(int deep, int count) {
    int down = ((deep == 3) | (deep > 4)) ? 3 : deep > 1 ? 2 : 1;
    return count > 8 && down > 2 ? 2 : down;
}

/// Columns of a level: a bit for each of the 2^within within the ones that begin at `starts`.
typedef struct crests_list {
    uint64_t bits;
    int within;
    int64_t starts[CRESTS_MOST];
} crests_list;

CRESTS_INLINE int64_t crests_next(const crests_list *list, uint64_t bits) {
    unsigned bit = (unsigned)__builtin_ctzll(bits);
    return list->starts[bit >> list->within] + (bit & ((1u << list->within) - 1));
}

/// Find the columns of a ray of which lf__grid_is_level; false where it must be followed otherwise.
LF__LANES_TARGET __attribute__((noinline)) static bool
lf__crests_find(const lf_grid *grid, const lf__grid_course *c, lf__crests_columns *columns) {
    crests_line l;
    crests_level t;
    crests_list lists[2], *from = &lists[0], *to = &lists[1];
    if (!crests_start(&l, grid, c))
        return false;
    int level = crests_coarsest(&l);
    crests_go_to(&t, &l, level);
    from->starts[0] = t.first;
    from->within = 5;
    from->bits = crests_compare_all(&t);
    if (__builtin_popcountll(from->bits) > CRESTS_MOST)
        return false;
    columns->compared = (int)((t.last - t.first) >> 3) + 1;
    while (level > grid->first_top && from->bits) {
        int count = __builtin_popcountll(from->bits), down = crests_down(level - grid->first_top, count);
        int k = 0, shift = 0;
        crests_go_to(&t, &l, level - down);
        to->within = down;
        to->bits = 0;
        for (uint64_t bits = from->bits; bits; bits &= bits - 1, shift += 1 << down) {
            int64_t first = crests_next(from, bits) << down;
            to->starts[k++] = first;
            to->bits |= crests_within(&t, first, down) << shift;
        }
        columns->compared += count;
        if (__builtin_popcountll(to->bits) > CRESTS_MOST)
            break;
        crests_list *other = from;
        from = to;
        to = other;
        level -= down;
    }
    columns->level = level;
    columns->count = 0;
    for (uint64_t bits = from->bits; bits; bits &= bits - 1)
        columns->at[columns->count++] = (int32_t)crests_next(from, bits);
    return true;
}

#undef CRESTS_INLINE
#endif
#endif
