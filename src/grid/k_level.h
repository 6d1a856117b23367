/// Rays of a batch that are nearly level and long, with AVX-512: sixteen of them are compared with the tops of blocks level by level.
///
/// Such a ray grazes summits, or meets nothing, and is above most of what it passes. In lanes of their own (k_batch_wide.c) rays go up and
/// down the pyramid one by one. Here all of them are compared with the coarse columns of blocks that they cross, then with the finer
/// columns within those where they may meet something, and so on. What is left is a list of pairs, of a ray and a column,
/// which fills vectors at every level. Rays without a pair at the end meet nothing; the others start in their first column.

/// Levels from one list to the next, and columns on the coarsest level at least.
#define LEVEL_DOWN 2
#define LEVEL_COLUMNS 8

/// Fewest rays that are compared, and most pairs; with more the rays are left to lanes.
#define LEVEL_FEWEST 8
#define LEVEL_PAIRS 160

/// Shortest course in squares, and most change of height as a part of the range of heights.
#define LEVEL_SHORTEST 128.0
#define LEVEL_CHANGE LF__GRID_LEVEL_CHANGE

/// Rays in lanes; the floats are those of LF__FLOATS.
typedef struct level_lanes {
    __m512 at, last, share, slope_b, code, slope_code;
    __m512i x0, y0, octant;
} level_lanes;

/// What follows from octants.
typedef struct level_octants {
    __m512i flip_x, flip_y, low_y, high_y;
    __mmask16 swap;
} level_octants;

/// Pairs of a ray's lane and a column of blocks: lane + 16 * column.
typedef struct level_pairs {
    int32_t of[LEVEL_PAIRS + 16];
    int count;
} level_pairs;

/// A level of the pyramid.
typedef struct level_blocks {
    const uint16_t *bounds;
    int level;
    __m512i offset, stride;
} level_blocks;

/// Rays that are worth it.
INLINE unsigned level_suits(const lf__courses_8 *f, const lf_grid *grid) {
    __m512d length = f->end - f->start;
    return M_BITS(M_AND(D_LE(_mm512_set1_pd(LEVEL_SHORTEST), length),
                        D_LE(_mm512_abs_pd(f->slope_z) * length,
                             _mm512_set1_pd(LEVEL_CHANGE * (grid->highest - grid->lowest)))));
}

INLINE __m512 level_floats(const close_rays *r, int which) {
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_load_ps(r->slots[0].floats[which])),
                              _mm256_load_ps(r->slots[1].floats[which]), 1);
}

INLINE __m512i level_words(const int32_t *low, const int32_t *high) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(const void *)low)),
                              _mm256_loadu_si256((const __m256i *)(const void *)high), 1);
}

INLINE void level_start(level_lanes *l, close_rays *r, const lf__batch_rays *v) {
    __m512i octant = wide_of(0);
    for (int n = 0; n < 2; n++)
        lf__courses_to_slots_8(&r->courses[n], v, &r->slots[n]);
    const __mmask16 of[3] = {(__mmask16)(r->courses[0].swap | r->courses[1].swap << 8),
                             (__mmask16)(r->courses[0].mirror_a | r->courses[1].mirror_a << 8),
                             (__mmask16)(r->courses[0].mirror_b | r->courses[1].mirror_b << 8)};
    for (int k = 0; k < 3; k++)
        octant = _mm512_mask_add_epi32(octant, of[k], octant, wide_of(1 << k));
    *l = (level_lanes){.at = level_floats(r, LF__AT),
                       .last = level_floats(r, LF__LAST),
                       .share = level_floats(r, LF__SHARE),
                       .slope_b = level_floats(r, LF__SLOPE_B),
                       .code = level_floats(r, LF__CODE),
                       .slope_code = level_floats(r, LF__SLOPE_CODE),
                       .x0 = level_words(r->slots[0].x, r->slots[1].x),
                       .y0 = level_words(r->slots[0].y, r->slots[1].y),
                       .octant = octant};
}

/// The lanes of pairs.
INLINE level_lanes level_choose(const level_lanes *l, __m512i lane) {
    return (level_lanes){.at = _mm512_permutexvar_ps(lane, l->at),
                         .last = _mm512_permutexvar_ps(lane, l->last),
                         .share = _mm512_permutexvar_ps(lane, l->share),
                         .slope_b = _mm512_permutexvar_ps(lane, l->slope_b),
                         .code = _mm512_permutexvar_ps(lane, l->code),
                         .slope_code = _mm512_permutexvar_ps(lane, l->slope_code),
                         .x0 = _mm512_permutexvar_epi32(lane, l->x0),
                         .y0 = _mm512_permutexvar_epi32(lane, l->y0),
                         .octant = _mm512_permutexvar_epi32(lane, l->octant)};
}

INLINE level_octants level_of_octants(const wide_tables *w, __m512i octant) {
    return (level_octants){
        .flip_x = _mm512_permutexvar_epi32(octant, wide_words(w->words[LF__FLIP_X])),
        .flip_y = _mm512_permutexvar_epi32(octant, wide_words(w->words[LF__FLIP_Y])),
        .low_y = _mm512_permutexvar_epi32(octant, wide_words(w->words[LF__LOW_Y])),
        .high_y =
            _mm512_sub_epi32(_mm512_permutexvar_epi32(octant, wide_words(w->words[LF__HIGH_Y])), wide_of(1)),
        .swap = _mm512_movepi32_mask(_mm512_permutexvar_epi32(octant, wide_words(w->words[LF__SWAP])))};
}

/// The row of rays at a place of a, as wide_row.
INLINE __m512i level_row(const level_lanes *l, const level_octants *o, __m512 at) {
    __m512 along = _mm512_fmadd_ps(at, l->slope_b, l->share);
    return wide_clamp(_mm512_add_epi32(l->y0, _mm512_cvttps_epi32(along)), o->low_y, o->high_y);
}

/// Codes of the tops of blocks.
INLINE __m512i level_tops(const level_blocks *b, const level_octants *o, __m512i column, __m512i row,
                          __mmask16 which) {
    unsigned level = (unsigned)b->level;
    __m512i x = _mm512_xor_si512(column, _mm512_srli_epi32(o->flip_x, level)),
            y = _mm512_srli_epi32(_mm512_xor_si512(row, o->flip_y), level);
    __m512i start = _mm512_add_epi32(b->offset, _mm512_mask_mov_epi32(x, o->swap, y));
    __m512i at = _mm512_add_epi32(start, _mm512_mullo_epi32(_mm512_mask_mov_epi32(y, o->swap, x), b->stride));
    // The array has spare entries at its end.
    return _mm512_and_si512(_mm512_mask_i32gather_epi32(wide_of(0), which, at, b->bounds, 2),
                            wide_of(0xffff));
}

/// Where rays enter a column of blocks, and their rows there.
typedef struct level_place {
    __m512 at;
    __m512i row;
} level_place;

/// Compare rays with a column of blocks each, whose far side is at `end`, by the rules of wide_step. Returns those that may meet; the
/// place becomes the far side.
INLINE __mmask16 level_meets(const level_lanes *l, const level_octants *o, const level_blocks *b,
                             __m512i column, __m512 end, __mmask16 which, level_place *p) {
    const __m512i one = wide_of(1);
    const unsigned level = (unsigned)b->level;
    __mmask16 falls = _mm512_movepi32_mask(_mm512_castps_si512(l->slope_code));
    // Not before the start of a ray, nor after its end.
    __mmask16 there =
        which & _mm512_cmp_ps_mask(end, l->at, _CMP_GE_OQ) & _mm512_cmp_ps_mask(p->at, l->last, _CMP_LT_OQ);
    __m512 leaves = _mm512_max_ps(_mm512_min_ps(end, l->last), p->at);
    __m512i till = level_row(l, o, leaves);
    __m512i rise = _mm512_sub_epi32(_mm512_srli_epi32(till, level), _mm512_srli_epi32(p->row, level));
    // Next to corners rounding can make it three rows: then the ray is in the first one for less than that.
    __m512i first =
        _mm512_mask_add_epi32(p->row, _mm512_cmpgt_epi32_mask(rise, one), p->row, wide_of(1 << level));
    __mmask16 both = _mm512_mask_cmpgt_epi32_mask(there, rise, wide_of(0));
    __m512i top =
        _mm512_max_epi32(level_tops(b, o, column, first, there), level_tops(b, o, column, till, both));
    __m512 low = _mm512_fmadd_ps(_mm512_mask_mov_ps(p->at, falls, leaves), l->slope_code, l->code);
    low = _mm512_min_ps(_mm512_max_ps(low, _mm512_set1_ps(0.5f)), _mm512_set1_ps(65534.5f));
    *p = (level_place){leaves, till};
    return _mm512_mask_cmp_ps_mask(there, low, _mm512_cvtepi32_ps(top), _CMP_LE_OQ);
}

/// Compare rays with `count` columns of blocks each from `column` on. Adds the pairs that may meet; false where there are too many.
INLINE bool level_compare(const level_lanes *l, const level_octants *o, const level_blocks *b, __m512i lane,
                          __m512i column, int count, __mmask16 which, level_pairs *to) {
    const unsigned level = (unsigned)b->level;
    __m512 side = _mm512_set1_ps((float)(1 << level)),
           begin = _mm512_cvtepi32_ps(_mm512_sub_epi32(_mm512_slli_epi32(column, level), l->x0));
    level_place p = {.at = _mm512_max_ps(begin, l->at)};
    p.row = level_row(l, o, p.at);
    for (int k = 0; k < count; k++) {
        begin = _mm512_add_ps(begin, side);
        if (!_mm512_mask_cmp_ps_mask(which, p.at, l->last, _CMP_LT_OQ))
            break;
        __mmask16 meets = level_meets(l, o, b, column, begin, which, &p);
        __m512i pairs = _mm512_or_si512(_mm512_slli_epi32(column, 4), lane);
        if (to->count > LEVEL_PAIRS)
            return false;
        _mm512_storeu_si512(to->of + to->count, _mm512_maskz_compress_epi32(meets, pairs));
        to->count += wide_count(meets);
        column = _mm512_add_epi32(column, wide_of(1));
    }
    return to->count <= LEVEL_PAIRS;
}

/// Compare the rays with the columns of the coarsest level, then with finer ones; false where there are too many pairs.
INLINE bool level_descend(const level_lanes *l, const lf_grid *grid, const wide_tables *w, __mmask16 which,
                          level_pairs lists[2], int *finest) {
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    int level = grid->first_top, now = 0;
    while (level + LEVEL_DOWN < grid->level_count && level + LEVEL_DOWN < 16 &&
           grid->mirror >> (level + LEVEL_DOWN) >= LEVEL_COLUMNS)
        level += LEVEL_DOWN;
    level_octants o = level_of_octants(w, l->octant);
    level_blocks b = {grid->bounds, level, wide_of(w->offsets[level]), wide_of(w->strides[level])};
    lists[0].count = 0;
    int most = (int)(grid->mirror >> level) + 1;
    if (!level_compare(l, &o, &b, lanes, _mm512_srlv_epi32(l->x0, wide_of(level)), most, which, &lists[0]))
        return false;
    for (level -= LEVEL_DOWN; level >= grid->first_top && lists[now].count > 0; level -= LEVEL_DOWN) {
        b = (level_blocks){grid->bounds, level, wide_of(w->offsets[level]), wide_of(w->strides[level])};
        lists[!now].count = 0;
        for (int k = 0; k < lists[now].count; k += 16) {
            int left = lists[now].count - k;
            __m512i pairs = _mm512_loadu_si512(lists[now].of + k),
                    lane = _mm512_and_si512(pairs, wide_of(15));
            level_lanes chosen = level_choose(l, lane);
            o = level_of_octants(w, chosen.octant);
            if (!level_compare(&chosen, &o, &b, lane,
                               _mm512_slli_epi32(_mm512_srli_epi32(pairs, 4), LEVEL_DOWN), 1 << LEVEL_DOWN,
                               (__mmask16)(left < 16 ? (1 << left) - 1 : 0xffff), &lists[!now]))
                return false;
        }
        now = !now;
    }
    *finest = level + LEVEL_DOWN;
    if (now)
        lists[0] = lists[1];
    return true;
}

/// Answer level rays that meet nothing, and let the others start where they may.
TARGET static void level_go(close_rays *r, const lf__batch_rays *v, const wide_tables *w) {
    const lf_grid *grid = v->grid;
    unsigned which = 0;
    for (int n = 0; n < 2; n++)
        which |= (r->waiting[n] & level_suits(&r->courses[n], grid)) << 8 * n;
    if (__builtin_popcount(which) < LEVEL_FEWEST)
        return;
    level_lanes l;
    level_pairs lists[2];
    int level;
    level_start(&l, r, v);
    if (!level_descend(&l, grid, w, (__mmask16)which, lists, &level))
        return;
    _Alignas(64) double starts[16];
    unsigned meets = 0;
    for (int k = 0; k < lists[0].count; k++) {
        int lane = lists[0].of[k] & 15;
        double start = (double)((uint32_t)lists[0].of[k] >> 4 << level);
        starts[lane] = meets >> lane & 1 ? fmin(starts[lane], start) : start;
        meets |= 1u << lane;
    }
    for (int n = 0; n < 2; n++) {
        unsigned here = meets >> 8 * n & 0xff, none = which >> 8 * n & 0xff & ~here;
        r->waiting[n] &= ~none;
        for (; none; none &= none - 1)
            lf__batch_rays_none(v, r->first[n] + __builtin_ctz(none));
        lf__courses_8 *f = &r->courses[n];
        __m512d start = _mm512_min_pd(_mm512_load_pd(starts + 8 * n), f->end);
        f->start = _mm512_mask_max_pd(f->start, (__mmask8)here, f->start, start);
    }
}
