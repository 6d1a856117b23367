/// Rays of a batch that are close together, and reading them in groups; for k_batch.c.
#ifndef LF_GRID_K_GROUP_H
#define LF_GRID_K_GROUP_H

#include "grid/k_batch.h"

#if LF__SIMD

// Rays of one octant that follow each other in a batch are often close together, as those of a picture. They
// traverse the pyramid as one body, column of blocks by column of blocks, until one of them may meet
// something; from there on each has a lane of its own.

/// Fours of a group.
#define LF__BATCH_FOURS 4

/// Most rows of blocks that a group may be in, and the level at which it ends.
#define LF__GROUP_ROWS 3
#define LF__GROUP_FINEST 2
#define LF__GROUP_STEPS 48

typedef struct lf__group {
    __m256d b[LF__BATCH_FOURS], z[LF__BATCH_FOURS], slope_b[LF__BATCH_FOURS], slope_z[LF__BATCH_FOURS];
    double start, end; ///< of a
    double slack;      ///< of z
} lf__group;

/// The rows and the least height of a group at one place of a, relative to its start.
typedef struct lf__group_side {
    double low_b, high_b, low_z;
} lf__group_side;

LF__LANES_TARGET static inline double lf__group_least(__m256d x) {
    __m256d y = _mm256_min_pd(x, _mm256_permute2f128_pd(x, x, 1));
    _Alignas(32) double of[4];
    _mm256_store_pd(of, y);
    return of[0] < of[1] ? of[0] : of[1];
}

LF__LANES_TARGET static inline lf__group_side lf__group_at(const lf__group *g, double along) {
    __m256d at = _mm256_set1_pd(along), low = g->b[0] + at * g->slope_b[0], high = low,
            z = g->z[0] + at * g->slope_z[0];
    for (int n = 1; n < LF__BATCH_FOURS; n++) {
        __m256d b = g->b[n] + at * g->slope_b[n];
        low = _mm256_min_pd(low, b);
        high = _mm256_max_pd(high, b);
        z = _mm256_min_pd(z, g->z[n] + at * g->slope_z[n]);
    }
    return (lf__group_side){lf__group_least(low), -lf__group_least(_mm256_setzero_pd() - high),
                            lf__group_least(z)};
}

/// Collect the waiting rays; false where they are of several octants. Places of the others are those of a waiting one.
LF__LANES_TARGET static inline bool lf__group_make(lf__group *g, const lf__courses_4 f[LF__BATCH_FOURS],
                                                   const unsigned waiting[LF__BATCH_FOURS], int *octant) {
    _Alignas(32) double starts[LF__BATCH_FOURS][4], of[7][LF__BATCH_FOURS][4];
    int swap = 0, mirror_a = 0, mirror_b = 0, count = 0, any = -1;
    for (int n = 0; n < LF__BATCH_FOURS; n++) {
        if (!waiting[n])
            continue;
        int w = (int)waiting[n];
        swap += __builtin_popcount((unsigned)(_mm256_movemask_pd(f[n].swap) & w));
        mirror_a += __builtin_popcount((unsigned)(_mm256_movemask_pd(f[n].mirror_a) & w));
        mirror_b += __builtin_popcount((unsigned)(_mm256_movemask_pd(f[n].mirror_b) & w));
        count += __builtin_popcount(waiting[n]);
        any = any < 0 ? 4 * n + __builtin_ctz(waiting[n]) : any;
    }
    if (count < 4 || (swap && swap < count) || (mirror_a && mirror_a < count) ||
        (mirror_b && mirror_b < count))
        return false;
    *octant = (swap > 0) | (mirror_a > 0) << 1 | (mirror_b > 0) << 2;
    g->start = INFINITY, g->end = -INFINITY, g->slack = 0;
    for (int n = 0; n < LF__BATCH_FOURS; n++) {
        if (!waiting[n])
            continue;
        const __m256d values[7] = {f[n].a, f[n].b, f[n].z, f[n].slope_b, f[n].slope_z, f[n].end, f[n].slack};
        _mm256_store_pd(starts[n], f[n].start);
        for (int k = 0; k < 7; k++)
            _mm256_store_pd(of[k][n], values[k]);
        for (unsigned w = waiting[n]; w; w &= w - 1) {
            int k = __builtin_ctz(w);
            g->start = starts[n][k] < g->start ? starts[n][k] : g->start;
            g->end = of[5][n][k] > g->end ? of[5][n][k] : g->end;
            g->slack = of[6][n][k] > g->slack ? of[6][n][k] : g->slack;
        }
    }
    for (int n = 0; n < LF__BATCH_FOURS; n++) {
        for (unsigned without = 15 & ~waiting[n]; without; without &= without - 1)
            for (int k = 0; k < 5; k++)
                of[k][n][__builtin_ctz(without)] = of[k][any / 4][any % 4];
        __m256d to = _mm256_set1_pd(g->start) - _mm256_loadu_pd(of[0][n]);
        g->slope_b[n] = _mm256_loadu_pd(of[3][n]);
        g->slope_z[n] = _mm256_loadu_pd(of[4][n]);
        g->b[n] = _mm256_loadu_pd(of[1][n]) + to * g->slope_b[n];
        g->z[n] = _mm256_loadu_pd(of[2][n]) + to * g->slope_z[n];
    }
    return true;
}

/// May the group meet something in block column `at` of a level, in rows `low` to `high`, where its least height is `code`?
static inline bool lf__group_meets(const lf__grid_course *c, const lf__grid_level *level, int l, int64_t at,
                                   const int64_t rows[2], double code) {
    int64_t last = (c->mirror >> l) - 1, a = c->mirror_a ? last - at : at;
    for (int64_t row = rows[0]; row <= rows[1]; row++) {
        int64_t b = c->mirror_b ? last - row : row;
        if (code <= (double)level->top[c->swap ? a * level->stride + b : b * level->stride + a])
            return true;
    }
    return false;
}

/// Where the group may first meet something: the a of a side of blocks, or its start.
LF__LANES_TARGET static inline double lf__group_skip(const lf__group *g, const lf__batch_rays *v,
                                                     int octant) {
    const lf_grid *grid = v->grid;
    const lf__grid_course *c = &v->octants[octant].course;
    int l = grid->level_count - 1 < 7 ? grid->level_count - 1 : 7, coarsest = l,
        finest = grid->first_top > LF__GROUP_FINEST ? grid->first_top : LF__GROUP_FINEST;
    double at = g->start, doubt = 2 * g->slack * v->by_quantum + 1e-3;
    lf__group_side here = lf__group_at(g, 0);
    for (int steps = 0; steps < LF__GROUP_STEPS && at < g->end && l >= finest; steps++) {
        double side = (double)(1 << l);
        int64_t block = (int64_t)at >> l;
        double to = (double)(block + 1) * side;
        lf__group_side there = lf__group_at(g, to - g->start);
        // Slopes of rows are not negative: the lowest is here, the highest there.
        int64_t rows[2] = {(int64_t)floor(here.low_b - LF__GRID_COURSE_SLACK) >> l,
                           (int64_t)floor(there.high_b + LF__GRID_COURSE_SLACK) >> l};
        int64_t low = c->low_b >> l, high = (c->high_b - 1) >> l;
        rows[0] = rows[0] < low ? low : rows[0] > high ? high : rows[0];
        rows[1] = rows[1] < low ? low : rows[1] > high ? high : rows[1];
        if (rows[1] - rows[0] >= LF__GROUP_ROWS)
            break;
        double z = here.low_z < there.low_z ? here.low_z : there.low_z,
               code = (z - grid->base) * v->by_quantum - doubt;
        code = code < 0.5 ? 0.5 : code > 65534.5 ? 65534.5 : code;
        if (lf__group_meets(c, &grid->levels[l], l, block, rows, code)) {
            l--;
            continue;
        }
        at = to;
        here = there;
        l += l < coarsest && ((block + 1) & 1) == 0;
    }
    return at;
}

/// Let waiting rays start where they may first meet something.
LF__LANES_TARGET static inline bool lf__group_advance(lf__courses_4 f[LF__BATCH_FOURS],
                                                      const lf__batch_rays *v,
                                                      const unsigned waiting[LF__BATCH_FOURS]) {
    lf__group g;
    int octant;
    if (!lf__group_make(&g, f, waiting, &octant))
        return false;
    double from = lf__group_skip(&g, v, octant);
    if (from <= g.start)
        return false;
    for (int n = 0; n < LF__BATCH_FOURS; n++)
        f[n].start =
            _mm256_max_pd(f[n].start, _mm256_min_pd(_mm256_set1_pd(from - LF__GRID_COURSE_SLACK), f[n].end));
    return true;
}

/// Rays that are read at once, and wait.
typedef struct lf__group_rays {
    lf__batch_rays rays;
    lf__sixteen_4 read;
    bool near; ///< they start next to what they may meet
    int current;
#if LF__X86
    wide_tables_4 tables;
    bool close; ///< close_serves
#endif
} lf__group_rays;

/// Read the next rays: some get a slot, the others are answered at once.
LF__LANES_TARGET static inline void lf__group_fetch(lf__group_rays *g) {
    lf__sixteen_4 *r = &g->read;
#if LF__X86
    close_read_4(r, &g->rays, g->close);
    level_go_4(r, &g->rays, &g->tables);
    g->near = !g->close && lf__group_advance(r->courses, &g->rays, r->waiting);
#else
    for (int n = 0; n < LF__BATCH_FOURS; n++)
        r->waiting[n] = lf__courses_fetch_4(&r->courses[n], &g->rays, &r->slots[n]);
    g->near = lf__group_advance(r->courses, &g->rays, r->waiting);
#endif
    g->current = 0;
    for (int n = 0; n < LF__BATCH_FOURS; n++)
        if (r->waiting[n]) {
            lf__courses_to_slots_4(&r->courses[n], &g->rays, &r->slots[n]);
            lf__courses_record_4(&r->courses[n], &r->slots[n]);
        }
}

/// The number of four slots with waiting rays; -1 where all have been taken.
LF__LANES_TARGET static inline int lf__group_waiting(lf__group_rays *g) {
    for (;;) {
        for (; g->current < LF__BATCH_FOURS; g->current++)
            if (g->read.waiting[g->current])
                return g->current;
        if (g->rays.next >= g->rays.count)
            return -1;
        lf__group_fetch(g);
    }
}

#endif
#endif
