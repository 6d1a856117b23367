/// The loop of the total viewshed: a block of observers looks along one azimuth. k_total.c includes this once for each instruction set,
/// with TOTAL(name), TOTAL_TARGET, TOTAL_WIDE (lanes of a vector), TOTAL_KEEPS (as in k_total_keep.h) and the operations T_ defined. The same operations in the same order,
/// so the same bits.

#define TOTAL_EACH TOTAL_TARGET static inline __attribute__((always_inline))

/// What a row of observers has seen so far.
typedef struct TOTAL(view) {
    TOTAL(vec) eye, most; // height; greatest slope
    TOTAL(vec) area, moment, last;
} TOTAL(view);

/// Can ground of this height be seen by any of them in a chunk, or in a group? By none if the signs of all differences are negative, those
/// of voids too: this takes fewer of the processor's units than comparisons.
TOTAL_EACH bool TOTAL(may_see)(const TOTAL(view) * views, int rows, const TOTAL(vec) * height,
                               const lf__total_chunk *chunk) {
    TOTAL(vec) near = T_SET(chunk->near), far = T_SET(chunk->far), drop = T_SET(chunk->drop);
    TOTAL(vec) low = T_SET(-1);
    for (int k = 0; k < rows; k++) {
        TOTAL(vec)
        up = T_SUB(*height, views[k].eye), a = T_BOUND(up, near, drop), b = T_BOUND(up, far, drop);
        low = T_AND(low, T_SUB(T_MAX(a, b), views[k].most));
    }
    return !T_ARE_NEGATIVE(low);
}

/// A step that only hides what is behind it.
TOTAL_EACH void TOTAL(hide)(TOTAL(view) * views, int rows, const lf__total_step *step, const float *samples,
                            int64_t onward) {
    TOTAL(vec) f = T_SET(step->f), inverse = T_SET(step->inverse), drop = T_SET(step->drop);
    samples += step->a;
    for (int k = 0; k < rows; k++, samples += onward) {
        TOTAL(vec) a = T_LOAD(samples), b = T_LOAD(samples + step->to_b);
        TOTAL(vec) rise = T_FMA(f, T_SUB(b, a), T_SUB(a, views[k].eye));
        TOTAL(vec) slope = T_FMS(rise, inverse, drop);
        views[k].most = T_MAX(slope, views[k].most);
    }
}

/// A place so much higher than the eye: is it visible? It hides, too.
TOTAL_EACH void TOTAL(see)(TOTAL(view) * view, bool full, bool raised, const TOTAL(vec) * rise,
                           const lf__total_step *step, const lf__total_line *line, float number) {
    TOTAL(vec) inverse = T_SET(step->inverse), drop = T_SET(step->drop);
    TOTAL(vec) slope = T_FMS(*rise, inverse, drop), target = slope;
    if (raised)
        target = T_FMS(T_ADD(*rise, T_SET(line->target)), inverse, drop);
    TOTAL(mask) visible = T_NOT_LESS(target, view->most);
    view->area = T_ADD_IF(visible, view->area, T_SET(step->area));
    if (full) {
        view->moment = T_ADD_IF(visible, view->moment, T_SET(step->moment));
        view->last = T_IF(visible, T_SET(number), view->last);
    }
    view->most = T_MAX(slope, view->most);
}

TOTAL_EACH void TOTAL(place)(TOTAL(view) * views, int rows, bool full, bool raised,
                             const lf__total_step *step, const lf__total_line *line, const float *samples,
                             float number) {
    TOTAL(vec) f = T_SET(step->f);
    samples += step->a;
    for (int k = 0; k < rows; k++, samples += line->onward) {
        TOTAL(vec) a = T_LOAD(samples), b = T_LOAD(samples + step->to_b);
        TOTAL(vec) rise = T_FMA(f, T_SUB(b, a), T_SUB(a, views[k].eye));
        TOTAL(see)(&views[k], full, raised, &rise, step, line, number);
    }
}

/// The places of a chunk.
TOTAL_EACH void TOTAL(walk)(TOTAL(view) * views, int rows, bool full, const lf__total_chunk *chunk,
                            const lf__total_line *line, const float *samples) {
    const lf__total_step *end = line->steps + (chunk->end < line->step_count ? chunk->end : line->step_count);
    float number = chunk->number;
    for (const lf__total_step *step = line->steps + chunk->first; step < end; step++) {
        if (!(step->area > 0)) {
            TOTAL(hide)(views, rows, step, samples, line->onward);
            continue;
        }
        number += 1;
        if (line->target != 0)
            TOTAL(place)(views, rows, full, true, step, line, samples, number);
        else
            TOTAL(place)(views, rows, full, false, step, line, samples, number);
    }
}

#if TOTAL_KEEPS
#include "sight/k_total_keep.h"
#endif

/// Can any of them see the highest ground of a group? Before the first column or row there is only void.
TOTAL_EACH bool TOTAL(sees_group)(const TOTAL(view) * views, int rows, const lf__total_line *line,
                                  int64_t lane, const lf__total_chunk *group) {
    const lf__total_plane *plane = line->plane;
    int64_t column = line->column + lane + group->column, row = line->row + group->row + plane->lead;
    column = column > 0 ? column : 0;
    row = row > 0 ? row : 0;
    int64_t at = row / LF__TOTAL_CELL_ROWS * plane->columns + column / LF__TOTAL_CELL_COLUMNS;
    TOTAL(vec) height = T_SET(plane->common[at] + line->above);
    return TOTAL(may_see)(views, rows, &height, group);
}

/// Or the highest ground that its own lane touches in a chunk?
TOTAL_EACH bool TOTAL(sees_chunk)(const TOTAL(view) * views, int rows, const lf__total_line *line,
                                  const float *tops, const lf__total_chunk *chunk) {
    TOTAL(vec) a = T_LOAD(tops + chunk->top), b = T_LOAD(tops + chunk->top + chunk->more);
    TOTAL(vec) height = T_ADD(T_MAX(a, b), T_SET(line->above));
    return TOTAL(may_see)(views, rows, &height, chunk);
}

TOTAL_EACH void TOTAL(look)(const lf__total_line *line, int rows, bool full, lf__total_sums *sums) {
    const lf__total_plane *plane = line->plane;
    const lf__total_chunk *last = line->groups + line->group_count;
    int back = line->onward < 0;
    for (int lane = 0; lane < LF__TOTAL_LANES; lane += TOTAL_WIDE) {
        const float *samples = plane->samples + line->row * plane->wide + line->column + lane;
        const float *tops =
            plane->tops + (line->row + plane->lead) / LF__TOTAL_CELL_ROWS * plane->wide + line->column + lane;
        samples -= back * (rows - 1) * line->onward;
        TOTAL(view) views[LF__TOTAL_ROWS];
        for (int k = 0; k < rows; k++) {
            TOTAL(view) *v = &views[k];
            TOTAL(vec) eye = T_ADD(T_LOAD(samples + k * line->onward), T_SET(line->observer));
            v->eye = T_IF(T_NOT_LESS(eye, eye), eye, T_SET(-NAN));
            v->most =
                T_SUB(T_SUB(v->eye, v->eye), T_SET(INFINITY)); // NAN for voids, from which nothing is seen
            v->area = v->moment = v->last = T_SET(0);
        }
#if TOTAL_KEEPS
        TOTAL(kept) kept = {.next = INT64_MAX};
        for (int k = 0; k < LF__TOTAL_ROWS; k++)
            kept.a[k] = kept.rise[k] = T_SET(0);
#endif
        for (const lf__total_chunk *group = line->groups; group < last; group++) {
            if (!TOTAL(sees_group)(views, rows, line, lane, group))
                continue;
            // Each chunk is tested before the one before it is walked: what that hides is hardly ever missed,
            // and the answer is there in time.
            int64_t chunks = group->end < line->chunk_count ? group->end : line->chunk_count;
            const lf__total_chunk *chunk = line->chunks + group->first, *end = line->chunks + chunks;
            bool next = TOTAL(sees_chunk)(views, rows, line, tops, chunk);
            for (; chunk < end; chunk++) {
                bool now = next;
                if (chunk + 1 < end)
                    next = TOTAL(sees_chunk)(views, rows, line, tops, chunk + 1);
#if TOTAL_KEEPS
                if (now && rows == LF__TOTAL_ROWS)
                    TOTAL(walk_kept)(views, full, chunk, line, samples, &kept);
                else
#endif
                    if (now)
                    TOTAL(walk)(views, rows, full, chunk, line, samples);
            }
        }
        for (int k = 0; k < rows; k++) {
            int row = back ? rows - 1 - k : k;
            T_STORE(&sums->area[row][lane], views[k].area);
            T_STORE(&sums->moment[row][lane], views[k].moment);
            T_STORE(&sums->last[row][lane], views[k].last);
        }
    }
}

TOTAL_TARGET static void TOTAL(look_row)(const lf__total_line *line, lf__total_sums *sums) {
    TOTAL(look)(line, 1, false, sums);
}

TOTAL_TARGET static void TOTAL(look_row_full)(const lf__total_line *line, lf__total_sums *sums) {
    TOTAL(look)(line, 1, true, sums);
}

TOTAL_TARGET static void TOTAL(look_rows)(const lf__total_line *line, lf__total_sums *sums) {
    TOTAL(look)(line, LF__TOTAL_ROWS, false, sums);
}

TOTAL_TARGET static void TOTAL(look_rows_full)(const lf__total_line *line, lf__total_sums *sums) {
    TOTAL(look)(line, LF__TOTAL_ROWS, true, sums);
}

#undef TOTAL_EACH
#undef TOTAL_KEEPS
#undef T_HOLD
#undef TOTAL
#undef TOTAL_TARGET
#undef TOTAL_WIDE
#undef T_SET
#undef T_LOAD
#undef T_STORE
#undef T_ADD
#undef T_SUB
#undef T_FMA
#undef T_FMS
#undef T_BOUND
#undef T_MAX
#undef T_NOT_LESS
#undef T_ADD_IF
#undef T_IF
#undef T_AND
#undef T_ARE_NEGATIVE
