/// The loop of the total viewshed with AVX2 and AVX-512: samples stay in registers from place to place. Included by k_total_look.h.
///
/// The rows of a block lie behind each other along the azimuth. Where the next place lies between the same columns, three of its four
/// rows have been loaded for the place before. And what is crossed on the way to other columns is one of the two samples beside them.

/// The samples of a place, for each row of observers.
typedef struct TOTAL(kept) {
    TOTAL(vec) a[LF__TOTAL_ROWS], rise[LF__TOTAL_ROWS]; // the first, and by how much the second is higher
    int64_t next; // offset of the next place, if it lies between the same columns
    int32_t to_b;
} TOTAL(kept);

/// Load samples once: compilers would load them again rather than keep them.
TOTAL_EACH TOTAL(vec) TOTAL(held)(const float *from) {
    TOTAL(vec) a = T_LOAD(from);
    T_HOLD(a);
    return a;
}

/// The samples of a row of observers.
TOTAL_EACH void TOTAL(keep)(TOTAL(kept) * kept, int k, const float *at) {
    kept->a[k] = TOTAL(held)(at);
    kept->rise[k] = T_SUB(T_LOAD(at + kept->to_b), kept->a[k]);
}

/// The samples of a place behind the one before, of which the last row is new. Otherwise all are.
TOTAL_EACH void TOTAL(keep_on)(TOTAL(kept) * kept, const lf__total_step *step, const float *samples,
                               int64_t onward) {
    const int last = LF__TOTAL_ROWS - 1;
    const float *at = samples + step->a;
    if (step->a != kept->next || step->to_b != kept->to_b) {
        kept->to_b = step->to_b;
        for (int k = 0; k < last; k++)
            TOTAL(keep)(kept, k + 1, at + k * onward);
    }
    for (int k = 0; k < last; k++)
        kept->a[k] = kept->a[k + 1], kept->rise[k] = kept->rise[k + 1];
    TOTAL(keep)(kept, last, at + last * onward);
    kept->next = step->a + onward;
}

/// A step that only hides what is behind it, and the samples of the place that follows.
TOTAL_EACH void TOTAL(keep_across)(TOTAL(view) * views, TOTAL(kept) * kept, const lf__total_step *step,
                                   const float *samples, int64_t onward) {
    TOTAL(vec) f = T_SET(step->f), inverse = T_SET(step->inverse), drop = T_SET(step->drop);
    TOTAL(vec) a = TOTAL(held)(samples + step->a), b[LF__TOTAL_ROWS];
    for (int k = 0; k < LF__TOTAL_ROWS; k++) {
        b[k] = TOTAL(held)(samples + step->a + (k + 1) * onward);
        TOTAL(vec) rise = T_FMA(f, T_SUB(b[k], a), T_SUB(a, views[k].eye));
        views[k].most = T_MAX(T_FMS(rise, inverse, drop), views[k].most);
        a = b[k];
    }
    const float *at = samples + step[1].a;
    kept->to_b = step[1].to_b;
    kept->next = step[1].a + onward;
    for (int k = 0; k < LF__TOTAL_ROWS; k++)
        if (step[1].a == step->a + onward) {
            kept->a[k] = b[k];
            kept->rise[k] = T_SUB(T_LOAD(at + k * onward + kept->to_b), b[k]);
        } else { // the other way, where they are the second samples
            kept->a[k] = TOTAL(held)(at + k * onward);
            kept->rise[k] = T_SUB(b[k], kept->a[k]);
        }
}

/// Places up to a step, each with what is crossed on the way to it.
TOTAL_EACH void TOTAL(walk_places)(TOTAL(view) * views, bool full, bool raised, const lf__total_chunk *chunk,
                                   const lf__total_line *line, const float *samples, TOTAL(kept) * kept) {
    const lf__total_step *step = line->steps + chunk->first,
                         *end = line->steps + (chunk->end < line->step_count ? chunk->end : line->step_count);
    float number = chunk->number;
    for (; step < end; step++) {
        if (step->area > 0)
            TOTAL(keep_on)(kept, step, samples, line->onward);
        else
            TOTAL(keep_across)(views, kept, step++, samples, line->onward);
        number += 1;
        for (int k = 0; k < LF__TOTAL_ROWS; k++) {
            TOTAL(vec) rise = T_FMA(T_SET(step->f), kept->rise[k], T_SUB(kept->a[k], views[k].eye));
            TOTAL(see)(&views[k], full, raised, &rise, step, line, number);
        }
    }
}

/// The places of a chunk.
TOTAL_EACH void TOTAL(walk_kept)(TOTAL(view) * views, bool full, const lf__total_chunk *chunk,
                                 const lf__total_line *line, const float *samples, TOTAL(kept) * kept) {
    if (line->target != 0)
        TOTAL(walk_places)(views, full, true, chunk, line, samples, kept);
    else
        TOTAL(walk_places)(views, full, false, chunk, line, samples, kept);
}
