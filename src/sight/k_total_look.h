/// The loop of the total viewshed: a block of observers looks along one azimuth. k_total.c includes this once for each instruction set,
/// with TOTAL(name), TOTAL_TARGET, TOTAL_WIDE (lanes of a vector) and the operations T_ defined. The same operations in the same order,
/// so the same bits.

#define TOTAL_EACH TOTAL_TARGET static inline __attribute__((always_inline))

/// What a row of observers has seen so far.
typedef struct TOTAL(view) {
    TOTAL(vec) eye, most; // height; greatest slope
    TOTAL(vec) area, moment, last;
} TOTAL(view);

/// Can ground of this height be seen by any of them in a chunk, or in a group?
TOTAL_EACH bool TOTAL(may_see)(const TOTAL(view) * views, int rows, float height,
                               const lf__total_chunk *chunk) {
    TOTAL(vec) near = T_SET(chunk->near), far = T_SET(chunk->far), drop = T_SET(chunk->drop);
    TOTAL(mask) seen = T_NONE;
    for (int k = 0; k < rows; k++) {
        TOTAL(vec)
        up = T_SUB(T_SET(height), views[k].eye), a = T_BOUND(up, near, drop), b = T_BOUND(up, far, drop);
        seen = T_OR(seen, T_NOT_LESS(T_MAX(a, b), views[k].most));
    }
    return T_ANY(seen);
}

/// A step that only hides what is behind it.
TOTAL_EACH void TOTAL(hide)(TOTAL(view) * views, int rows, const lf__total_step *step, const float *samples,
                            int64_t wide) {
    TOTAL(vec) f = T_SET(step->f), inverse = T_SET(step->inverse), drop = T_SET(step->drop);
    samples += step->a;
    for (int k = 0; k < rows; k++, samples += wide) {
        TOTAL(vec) a = T_LOAD(samples), b = T_LOAD(samples + step->to_b);
        TOTAL(vec) rise = T_FMA(f, T_SUB(b, a), T_SUB(a, views[k].eye));
        TOTAL(vec) slope = T_FMS(rise, inverse, drop);
        views[k].most = T_MAX(slope, views[k].most);
    }
}

/// A place: is it visible? It hides, too.
TOTAL_EACH void TOTAL(place)(TOTAL(view) * views, int rows, bool full, bool raised,
                             const lf__total_step *step, const lf__total_line *line, const float *samples,
                             float number) {
    TOTAL(vec) f = T_SET(step->f), inverse = T_SET(step->inverse), drop = T_SET(step->drop);
    int64_t wide = line->plane->wide;
    samples += step->a;
    for (int k = 0; k < rows; k++, samples += wide) {
        TOTAL(vec) a = T_LOAD(samples), b = T_LOAD(samples + step->to_b);
        TOTAL(vec) rise = T_FMA(f, T_SUB(b, a), T_SUB(a, views[k].eye));
        TOTAL(vec) slope = T_FMS(rise, inverse, drop), target = slope;
        if (raised)
            target = T_FMS(T_ADD(rise, T_SET(line->target)), inverse, drop);
        TOTAL(mask) visible = T_NOT_LESS(target, views[k].most);
        views[k].area = T_ADD_IF(visible, views[k].area, T_SET(step->area));
        if (full) {
            views[k].moment = T_ADD_IF(visible, views[k].moment, T_SET(step->moment));
            views[k].last = T_IF(visible, T_SET(number), views[k].last);
        }
        views[k].most = T_MAX(slope, views[k].most);
    }
}

/// The places of a chunk.
TOTAL_EACH void TOTAL(walk)(TOTAL(view) * views, int rows, bool full, const lf__total_chunk *chunk,
                            const lf__total_line *line, const float *samples) {
    const lf__total_step *end = line->steps + (chunk->end < line->step_count ? chunk->end : line->step_count);
    float number = chunk->number;
    for (const lf__total_step *step = line->steps + chunk->first; step < end; step++) {
        if (!(step->area > 0)) {
            TOTAL(hide)(views, rows, step, samples, line->plane->wide);
            continue;
        }
        number += 1;
        if (line->target != 0)
            TOTAL(place)(views, rows, full, true, step, line, samples, number);
        else
            TOTAL(place)(views, rows, full, false, step, line, samples, number);
    }
}

/// The bound of what a chunk, or a group, touches. Before the first column or row there is only void.
TOTAL_EACH float TOTAL(bound)(const lf__total_line *line, const float *bounds, int64_t lane,
                              const lf__total_chunk *chunk) {
    int64_t column = line->column + lane + chunk->column, row = line->row + chunk->row;
    column = column > 0 ? column : 0;
    row = row > 0 ? row : 0;
    return bounds[row / LF__TOTAL_CELL_ROWS * line->plane->columns + column / LF__TOTAL_CELL_COLUMNS] +
           line->above;
}

TOTAL_EACH void TOTAL(look)(const lf__total_line *line, int rows, bool full, lf__total_sums *sums) {
    const lf__total_plane *plane = line->plane;
    const lf__total_chunk *last = line->groups + line->group_count;
    for (int lane = 0; lane < LF__TOTAL_LANES; lane += TOTAL_WIDE) {
        const float *samples = plane->samples + line->row * plane->wide + line->column + lane;
        TOTAL(view) views[LF__TOTAL_ROWS];
        for (int k = 0; k < rows; k++) {
            TOTAL(view) *v = &views[k];
            v->eye = T_ADD(T_LOAD(samples + k * plane->wide), T_SET(line->observer));
            v->most =
                T_SUB(T_SUB(v->eye, v->eye), T_SET(INFINITY)); // NAN for voids, from which nothing is seen
            v->area = v->moment = v->last = T_SET(0);
        }
        for (const lf__total_chunk *group = line->groups; group < last; group++) {
            if (!TOTAL(may_see)(views, rows, TOTAL(bound)(line, plane->common, lane, group), group))
                continue;
            for (const lf__total_chunk *chunk = line->chunks + group->first;
                 chunk < line->chunks + group->end && chunk->first < line->step_count; chunk++)
                if (TOTAL(may_see)(views, rows, TOTAL(bound)(line, plane->bounds, lane, chunk), chunk))
                    TOTAL(walk)(views, rows, full, chunk, line, samples);
        }
        for (int k = 0; k < rows; k++) {
            T_STORE(&sums->area[k][lane], views[k].area);
            T_STORE(&sums->moment[k][lane], views[k].moment);
            T_STORE(&sums->last[k][lane], views[k].last);
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
#undef T_NONE
#undef T_OR
#undef T_ANY
