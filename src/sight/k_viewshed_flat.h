/// Bins over ground of one height, such as water: part of k_viewshed_bins.h.
///
/// There the slope of the ground is a function of direction and distance, and no sample is read. Along a ray it rises
/// up to the horizon and falls behind it, and rises ever less (viewshed_flat.c). So a few rings suffice to tell that all
/// targets of a block are visible, or that all are hidden; a block with both is left to do_bins.

/// The slope at the borders on a ring.
BINS_EACH VEC BINS(flat_slope)(const lf__flat_ring *ring, VEC v, int degree) {
    VEC b = V_MUL(v, V_SET(ring->a)), less = V_SET(ring->c[degree]);
    for (int j = degree - 1; j > 0; j--)
        less = V_FMA(less, b, V_SET(ring->c[j]));
    return V_FNMA(less, b, V_SET(ring->c[0]));
}

/// Is something true of all bins of a vector?
BINS_EACH bool BINS(flat_all)(MASK x) {
    return (M_BITS(x) & BINS_BITS) == BINS_BITS;
}

/// Is something true at both borders of all bins?
BINS_EACH bool BINS(flat_both)(MASK x) {
    return BINS(flat_all)(M_AND(x, M_NEXT(x)));
}

/// Slopes on the rings of lf__flat_ground.
typedef struct BINS(flat_slopes) {
    VEC at[LF__FLAT_RINGS];
} BINS(flat_slopes);

/// Are all targets above the horizon so far, and does the ground rise from ring to ring?
BINS_EACH bool BINS(flat_visible)(const lf__flat_ground *flat, const BINS(flat_slopes) * f,
                                  const BINS(bounds) * b) {
    VEC rises = V_SUB(f->at[LF__FLAT_RINGS - 1], f->at[LF__FLAT_RINGS - 2]);
    if (!flat->sinks || !BINS(flat_both)(V_LESS(V_SET(flat->need), rises)))
        return false;
    // Places are rounded: a sample may be just beyond the bin.
    VEC over = V_MUL(V_SET(flat->share_off), V_ABS(V_SUB(b->high_1, b->high_0)));
    over = V_FMA(b->over, V_SET(LF__OVER_ROUNDED), over);
    VEC target = V_SUB(V_ADD(f->at[1], V_SET(flat->target_low)), over);
    VEC next = V_SUB(V_ADD(V_NEXT(f->at[1]), V_SET(flat->target_low)), over);
    return BINS(flat_all)(M_AND(V_LESS(b->high_0, target), V_LESS(b->high_1, next)));
}

/// Are all targets below the horizon so far? `b` is that horizon for targets on the last ring.
BINS_EACH bool BINS(flat_hidden)(const lf__flat_ground *flat, const BINS(flat_slopes) * f,
                                 const BINS(bounds) * b) {
    VEC first = f->at[1], last = f->at[LF__FLAT_RINGS - 1];
    MASK rises = V_LESS(f->at[LF__FLAT_RINGS - 2], last), falls = V_LESS(first, f->at[0]);
    VEC most = V_MAX(first, last), next = V_NEXT(most);
    VEC high = V_FMA(V_SET(flat->share_off), V_ABS(V_SUB(b->low_1, b->low_0)), V_SET(flat->target_high));
    MASK below = M_AND(V_LESS(V_ADD(most, high), b->low_0), V_LESS(V_ADD(next, high), b->low_1));
    return BINS(flat_all)(below) && (!flat->sinks || BINS(flat_both)(M_OR(rises, falls)));
}

/// What the history has of a block.
BINS_EACH void BINS(flat_history)(lf__chunk *chunk, int m, const BINS(flat_slopes) * f, VEC before) {
    float rise = chunk->part_rise[m / BINS_COUNT], *part_peak = chunk->part_peak[m / BINS_COUNT];
    float(*recent)[LF__BINS_SPACE] = lf__recent_parts(chunk);
    VEC off = V_SET(chunk->flat.off), most_peak = V_SET(-INFINITY);
    static const int last[LF__RING_PARTS + 1] = {0, 2, 3, 4, LF__FLAT_RINGS - 1};
    for (int n = 0; n < LF__RING_PARTS; n++) {
        VEC ground = V_ADD(V_MAX(f->at[last[n]], f->at[last[n + 1]]), off);
        VEC peak = V_MAX(ground, V_SUB(V_NEXT(ground), V_SET(rise)));
        part_peak[n] = BINS(part_bound)(peak, rise);
        BINS(store)(&recent[n][m], peak);
        most_peak = V_MAX(most_peak, peak);
    }
    most_peak = V_ADD(most_peak, V_MAX(V_SET(rise), V_SET(0)));
    chunk->peak[m / BINS_COUNT] = BINS(greatest_of_bins)(most_peak);
    BINS(store)(&chunk->recent_before[chunk->past_count % LF__RECENT][m], before);
}

BINS_EACH bool BINS(flat_block)(lf__chunk *chunk, int m, int degree) {
    lf__flat_ground *flat = &chunk->flat;
    BINS(bounds) b = BINS(load_bounds)(chunk, m, false);
    VEC v = V_LOAD(&chunk->v[m]), rise = V_SET(chunk->rise), sink = V_SET(chunk->sink);
    VEC part_rise = V_SET(BINS(part_rise)(chunk, m));
    VEC before = V_FMA(b.over, V_SET(LF__OVER_ROUNDED), V_MAX(b.high_0, V_SUB(b.high_1, part_rise)));
    BINS(flat_slopes) f;
    for (int k = 0; k < LF__FLAT_RINGS; k++)
        f.at[k] = BINS(flat_slope)(&flat->ring[k], v, degree);
    b.high_0 = V_ADD(b.high_0, rise);
    b.high_1 = V_ADD(b.high_1, rise);
    b.low_0 = V_SUB(b.low_0, sink);
    b.low_1 = V_SUB(b.low_1, sink);
    bool visible = BINS(flat_visible)(flat, &f, &b);
    if (!visible && !BINS(flat_hidden)(flat, &f, &b))
        return false;
    if (visible) { // the last ring is the horizon now
        VEC slope = f.at[LF__FLAT_RINGS - 1], next = V_NEXT(slope), off = V_SET(flat->off);
        VEC old_0 = b.high_0, old_1 = b.high_1;
        BINS(raise_high)(&b, V_ADD(slope, off), V_ADD(next, off));
        VEC risen = V_MIN(V_SUB(b.high_0, old_0), V_SUB(b.high_1, old_1));
        b.over = V_MAX(V_FNMA(V_SET(LF__OVER_SINKS), risen, b.over), V_SET(0));
        BINS(raise_low)(&b, V_SUB(slope, off), V_SUB(next, off), M_ALL);
    }
    flat->seen[m / BINS_COUNT] = visible;
    BINS(flat_history)(chunk, m, &f, before);
    BINS(store_bounds)(chunk, m, &b, false);
    return true;
}

BINS_TARGET static bool BINS(flat)(lf__chunk *chunk, int m) {
    return chunk->sector->lowering.degree == 2 ? BINS(flat_block)(chunk, m, 2)
                                               : BINS(flat_block)(chunk, m, LF__SERIES_USED);
}

/// The row before a border.
BINS_EACH int BINS(flat_row)(const lf__chunk *chunk, int r, int m) {
    const lf__chunk_ring *ring = &chunk->ring[r];
    VEC whole = V_FLOOR(V_FMA(V_SET((float)r), V_LOAD(&chunk->v[m]), V_LOAD(&chunk->place[m])));
    return (int)V_FIRST(V_MIN(V_MAX(whole, V_SET(ring->first)), V_SET(ring->last)));
}

/// Write the results of such blocks, from bin m on; returns the bin after them.
BINS_EACH int BINS(write_flat)(lf__chunk *chunk, int m) {
    const lf__flat_ground *flat = &chunk->flat;
    int end = m;
    bool seen = flat->seen[m / BINS_COUNT];
    for (; end < chunk->bins && flat->done[end / BINS_COUNT] && flat->seen[end / BINS_COUNT] == seen;
         end += BINS_COUNT)
        chunk->done[end / BINS_COUNT] = true;
    for (int r = 1; r <= chunk->rings && seen; r++) {
        int first = BINS(flat_row)(chunk, r, m), last = BINS(flat_row)(chunk, r, end);
        memset(&chunk->out[r][first + 1], LF_VISIBILITY_VISIBLE, (size_t)(last - first));
    }
    chunk->any |= seen;
    return end;
}
