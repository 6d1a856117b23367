/// Rays of a batch that are close together, with AVX-512: sixteen of them go together all the way to their hits.
///
/// Rays that follow each other in a batch are often those of a tile of a picture. If they are of one octant and near each other,
/// they make one body: an interval of rows and a least height along a, which contain all of them. The body is compared with the
/// tops of sixteen consecutive columns of blocks at once, first coarse, then fine. In the columns of squares that are left each ray
/// has a lane, and the column is the same for all, so that the far side of one column is the near side of the next. Every ray stops
/// where it may meet something, and the cells of all of them are decided at once (k_cells.h). Rays that this leaves undecided, and
/// those that go on when most others have stopped, continue in lanes of their own (k_batch_wide.c).

/// Levels of the blocks that are compared; the fine one is raised to the finest that is stored.
#define CLOSE_COARSE 4
#define CLOSE_FINE 1

/// Fewest rays of a body, and the most squares that it may be wide after so many squares of its way.
#define CLOSE_FEWEST 8
#define CLOSE_SPREAD 16.0
#define CLOSE_SPREAD_AFTER 256.0

/// Most rows of blocks that are compared in a column, most comparisons of coarse blocks, and of fine ones.
#define CLOSE_BLOCKS 8
#define CLOSE_WINDOWS 16
#define CLOSE_PATIENCE 4

/// How often rays that are left are tried again.
#define CLOSE_ROUNDS 2

/// Columns of samples that are loaded at once.
#define CLOSE_TILE 8

/// Sixteen rays that were read at once.
typedef struct close_rays {
    lf__courses_8 courses[2];
    lf__batch_slots_8 slots[2];
    int64_t first[2];    ///< number of the first one
    unsigned waiting[2]; ///< those that have not been answered
} close_rays;

/// What contains some rays, relative to column x0 and row y0 of the octant's frame; heights in codes.
typedef struct close_body {
    const lf_grid *grid;
    const lf__octant *octant;
    int32_t x0, y0;
    float last; ///< end of a
    float low_b, high_b, low_slope, high_slope, blur;
    float code, slope_code;
} close_body;

/// Lanes of rays while columns are tested.
typedef struct close_lanes {
    __m512i x0, y0;
    __m512 floats[LF__FLOATS];
    __m512i column, row; ///< where they may meet something
    __mmask16 live;      ///< they go on
    __mmask16 found;     ///< they may meet something in `column`
    __mmask16 second;    ///< there not in `row`, the first square, but in the next one
    __mmask16 none;      ///< they have come to their end
    bool started;        ///< the vectors above are set
} close_lanes;

/// Is a grid one whose rays can be taken together?
static inline bool close_serves(const lf_grid *grid) {
    return lf__cells_serve(grid) && grid->type == LF_SAMPLE_FLOAT && grid->plain && !grid->gaps &&
           grid->column_step == sizeof(float) && grid->square_columns > 16 && grid->square_rows > 16 &&
           grid->level_count > CLOSE_COARSE && grid->first_top <= CLOSE_COARSE;
}

// ---------------------------------------------------------------------------------------------------
// Bodies
// ---------------------------------------------------------------------------------------------------

INLINE double close_least(const __m512d of[2], const unsigned which[2]) {
    const __m512d none = _mm512_set1_pd(INFINITY);
    return _mm512_reduce_min_pd(_mm512_min_pd(_mm512_mask_mov_pd(none, (__mmask8)which[0], of[0]),
                                              _mm512_mask_mov_pd(none, (__mmask8)which[1], of[1])));
}

INLINE double close_most(const __m512d of[2], const unsigned which[2]) {
    const __m512d none = _mm512_set1_pd(-INFINITY);
    return _mm512_reduce_max_pd(_mm512_max_pd(_mm512_mask_mov_pd(none, (__mmask8)which[0], of[0]),
                                              _mm512_mask_mov_pd(none, (__mmask8)which[1], of[1])));
}

/// The octant of the waiting rays; -1 where there are several, or few rays.
INLINE int close_octant(const close_rays *r) {
    unsigned waiting = r->waiting[0] | r->waiting[1] << 8;
    unsigned swap = (r->courses[0].swap | (unsigned)r->courses[1].swap << 8) & waiting,
             a = (r->courses[0].mirror_a | (unsigned)r->courses[1].mirror_a << 8) & waiting,
             b = (r->courses[0].mirror_b | (unsigned)r->courses[1].mirror_b << 8) & waiting;
    if (__builtin_popcount(waiting) < CLOSE_FEWEST || (swap && swap != waiting) || (a && a != waiting) ||
        (b && b != waiting))
        return -1;
    return (swap != 0) | (a != 0) << 1 | (b != 0) << 2;
}

/// The body of the waiting rays; false where they are not close together.
INLINE bool close_make(close_body *g, const close_rays *r, const lf__batch_rays *v, int octant) {
    const lf_grid *grid = v->grid;
    const lf__courses_8 *f = r->courses;
    const lf__grid_course *course = &v->octants[octant].course;
    double start = close_least((const __m512d[2]){f[0].start, f[1].start}, r->waiting),
           end = close_most((const __m512d[2]){f[0].end, f[1].end}, r->waiting);
    double x0 = fmin(floor(start), (double)course->high_a - 1);
    __m512d b[2], z[2];
    for (int n = 0; n < 2; n++) {
        __m512d to = _mm512_set1_pd(x0) - f[n].a;
        b[n] = f[n].b + to * f[n].slope_b;
        z[n] = f[n].z + to * f[n].slope_z;
    }
    const __m512d slopes[2] = {f[0].slope_b, f[1].slope_b}, climbs[2] = {f[0].slope_z, f[1].slope_z};
    double low_b = close_least(b, r->waiting), high_b = close_most(b, r->waiting),
           low_slope = close_least(slopes, r->waiting), high_slope = close_most(slopes, r->waiting);
    double length = end - x0;
    if (!(high_b - low_b + (high_slope - low_slope) * fmin(length, CLOSE_SPREAD_AFTER) <= CLOSE_SPREAD))
        return false;
    double low_z = close_least(z, r->waiting), climb = close_least(climbs, r->waiting);
    double slack = close_most((const __m512d[2]){f[0].slack, f[1].slack}, r->waiting);
    // As lf__courses_to_slots, but the error of rows widens the rows.
    double blur = 6e-7 * length + 4e-6,
           reach = fabs(low_z) + fabs(length * climb) + fabs(grid->lowest) + fabs(grid->highest);
    double y0 = floor(low_b);
    g->grid = grid;
    g->octant = &v->octants[octant];
    g->x0 = (int32_t)x0;
    g->y0 = (int32_t)y0;
    g->last = (float)fmin(length + blur, (double)course->high_a - x0);
    g->low_b = (float)(low_b - y0);
    g->high_b = (float)(high_b - y0);
    g->low_slope = (float)low_slope;
    g->high_slope = (float)high_slope;
    g->blur = (float)blur;
    g->code = (float)((low_z - grid->base - 2 * slack - 2e-7 * reach) * v->by_quantum - 0.1);
    g->slope_code = (float)(climb * v->by_quantum);
    return true;
}

/// Of sixteen columns of blocks from `first` on, those where the body may meet something.
INLINE __mmask16 close_window(const close_body *g, int level, int32_t first) {
    const int32_t *words = g->octant->words;
    const lf__grid_level *blocks = &g->grid->levels[level];
    const __m512 zero = _mm512_setzero_ps(), last = _mm512_set1_ps(g->last), blur = _mm512_set1_ps(g->blur);
    __m512i number = _mm512_add_epi32(
        wide_of(first), _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    __m512i begin = _mm512_sub_epi32(_mm512_slli_epi32(number, (unsigned)level), wide_of(g->x0));
    __m512 near = _mm512_max_ps(_mm512_cvtepi32_ps(begin), zero),
           far = _mm512_min_ps(_mm512_cvtepi32_ps(_mm512_add_epi32(begin, wide_of(1 << level))), last);
    __m512 low = _mm512_fmadd_ps(near, _mm512_set1_ps(g->low_slope), _mm512_set1_ps(g->low_b)),
           high = _mm512_fmadd_ps(far, _mm512_set1_ps(g->high_slope), _mm512_set1_ps(g->high_b));
    __m512i y0 = wide_of(g->y0), low_y = wide_of(words[LF__LOW_Y]), high_y = wide_of(words[LF__HIGH_Y] - 1);
    __m512i from = _mm512_cvttps_epi32(_mm512_floor_ps(_mm512_sub_ps(low, blur))),
            to = _mm512_cvttps_epi32(_mm512_floor_ps(_mm512_add_ps(high, blur)));
    from = _mm512_srli_epi32(wide_clamp(_mm512_add_epi32(y0, from), low_y, high_y), (unsigned)level);
    to = _mm512_srli_epi32(wide_clamp(_mm512_add_epi32(y0, to), low_y, high_y), (unsigned)level);
    __m512 slope = _mm512_set1_ps(g->slope_code), code = _mm512_set1_ps(g->code);
    code = _mm512_min_ps(_mm512_fmadd_ps(near, slope, code), _mm512_fmadd_ps(far, slope, code));
    code = _mm512_min_ps(_mm512_max_ps(code, _mm512_set1_ps(0.5f)), _mm512_set1_ps(65534.5f));
    bool swap = words[LF__SWAP] != 0;
    __m512i step_a = wide_of(swap ? (int32_t)blocks->stride : 1),
            step_b = wide_of(swap ? 1 : (int32_t)blocks->stride);
    __m512i flip_b = wide_of(words[LF__FLIP_Y] >> level);
    __m512i start = _mm512_mullo_epi32(_mm512_xor_si512(number, wide_of(words[LF__FLIP_X] >> level)), step_a);
    __mmask16 there = _mm512_cmp_ps_mask(near, last, _CMP_LT_OQ), meets = 0;
    for (int k = 0; there; k++) {
        if (k == CLOSE_BLOCKS)
            return meets | there;
        __m512i row = _mm512_xor_si512(from, flip_b);
        __m512i at = _mm512_add_epi32(start, _mm512_mullo_epi32(row, step_b));
        // The array has spare entries at its end.
        __m512i top = _mm512_and_si512(_mm512_mask_i32gather_epi32(wide_of(0), there, at, blocks->top, 2),
                                       wide_of(0xffff));
        meets |= _mm512_mask_cmp_ps_mask(there, code, _mm512_cvtepi32_ps(top), _CMP_LE_OQ);
        from = _mm512_add_epi32(from, wide_of(1));
        there &= _mm512_cmple_epi32_mask(from, to);
    }
    return meets;
}

// ---------------------------------------------------------------------------------------------------
// Columns of squares
// ---------------------------------------------------------------------------------------------------

INLINE void close_lanes_start(close_lanes *c, close_rays *r, const lf__batch_rays *v, int32_t from) {
    for (int n = 0; n < 2; n++) {
        lf__courses_8 *f = &r->courses[n];
        f->start = _mm512_max_pd(f->start, _mm512_min_pd(_mm512_set1_pd((double)from), f->end));
        lf__courses_to_slots_8(f, v, &r->slots[n]);
    }
    const lf__batch_slots_8 *low = &r->slots[0], *high = &r->slots[1];
    for (int k = 0; k < LF__FLOATS; k++)
        c->floats[k] = _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_load_ps(low->floats[k])),
                                          _mm256_load_ps(high->floats[k]), 1);
#define CLOSE_WORDS(of)                                                                                    \
    _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(const void *)low->of)), \
                       _mm256_loadu_si256((const __m256i *)(const void *)high->of), 1)
    c->x0 = CLOSE_WORDS(x);
    c->y0 = CLOSE_WORDS(y);
#undef CLOSE_WORDS
    c->column = c->row = wide_of(0);
    c->started = true;
}

/// Samples in eight columns and sixteen rows, those of the rows in the order of memory.
typedef struct close_tile {
    _Alignas(64) float samples[CLOSE_TILE][16];
    int32_t x, y; ///< the first ones
    int columns;  ///< that are not beyond the rows
    int flip;     ///< 15 where rows are in reverse order, else 0
} close_tile;

/// Load a tile whose rows follow each other in memory.
INLINE void close_tile_rows(close_tile *t, const close_body *g) {
    const int32_t *words = g->octant->words;
    bool back = words[LF__STEP_B] < 0;
    const char *at = (const char *)g->grid->values + words[LF__BASE] + (ptrdiff_t)t->x * words[LF__STEP_A] +
                     (ptrdiff_t)(back ? t->y + 15 : t->y) * words[LF__STEP_B];
    t->flip = back ? 15 : 0;
    for (int k = 0; k < CLOSE_TILE; k++, at += words[LF__STEP_A])
        _mm512_store_ps(t->samples[k], _mm512_loadu_ps(at));
}

/// Load a tile whose columns follow each other in memory, and transpose it.
INLINE void close_tile_columns(close_tile *t, const close_body *g) {
    const int32_t *words = g->octant->words;
    const ptrdiff_t step = words[LF__STEP_B];
    bool back = words[LF__STEP_A] < 0;
    const char *at = (const char *)g->grid->values + words[LF__BASE] +
                     (ptrdiff_t)(back ? t->x + CLOSE_TILE - 1 : t->x) * words[LF__STEP_A] + t->y * step;
    t->flip = 0;
    // Rows n and n + 4, and n + 8 and n + 12, then fours of rows of each column.
    __m512 of[2][4];
    for (int h = 0; h < 2; h++) {
        __m512 r[4];
        for (int n = 0; n < 4; n++) {
            const char *row = at + (8 * h + n) * step;
            r[n] =
                _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps((const float *)(const void *)row)),
                                   _mm256_loadu_ps((const float *)(const void *)(row + 4 * step)), 1);
        }
        __m512 low = _mm512_unpacklo_ps(r[0], r[1]), high = _mm512_unpackhi_ps(r[0], r[1]);
        __m512 low2 = _mm512_unpacklo_ps(r[2], r[3]), high2 = _mm512_unpackhi_ps(r[2], r[3]);
        of[h][0] = _mm512_shuffle_ps(low, low2, 0x44);
        of[h][1] = _mm512_shuffle_ps(low, low2, 0xee);
        of[h][2] = _mm512_shuffle_ps(high, high2, 0x44);
        of[h][3] = _mm512_shuffle_ps(high, high2, 0xee);
    }
    for (int k = 0; k < 4; k++) {
        _mm512_store_ps(t->samples[back ? 7 - k : k], _mm512_shuffle_f32x4(of[0][k], of[1][k], 0x88));
        _mm512_store_ps(t->samples[back ? 3 - k : k + 4], _mm512_shuffle_f32x4(of[0][k], of[1][k], 0xdd));
    }
}

/// Load the tile from column x on where the body is; false where it is in too many rows.
INLINE bool close_tile_load(close_tile *t, const close_body *g, int32_t x) {
    const lf__grid_course *c = &g->octant->course;
    const float margin = g->blur + 0x1p-6f; // more than the rows of lanes differ by
    float at = (float)(x - g->x0);
    int32_t low = (int32_t)floorf(g->low_b + at * g->low_slope - margin), most = (int32_t)c->high_b - 15;
    t->y = g->y0 + low;
    t->y = t->y > most ? most : t->y;
    t->y = t->y < (int32_t)c->low_b ? (int32_t)c->low_b : t->y;
    // The last row that is read is the second one after that of a ray.
    float space = (float)(t->y - g->y0 + 14) - g->high_b - margin;
    float reach = g->high_slope * (CLOSE_TILE - 1) <= space - at * g->high_slope
                      ? CLOSE_TILE - 1
                      : floorf(space / g->high_slope - at);
    if (!(reach >= 1))
        return false;
    int32_t last = (int32_t)c->high_a - (CLOSE_TILE - 1), columns;
    t->x = x < last ? x : last;
    columns = x - t->x + (int32_t)reach + 1;
    t->columns = columns < CLOSE_TILE ? columns : CLOSE_TILE;
    if (c->swap)
        close_tile_rows(t, g);
    else
        close_tile_columns(t, g);
    return true;
}

/// Samples of column x in some rows: from the tile, or if there is none from memory.
INLINE __m512 close_samples(const close_tile *t, const close_body *g, int32_t x, __m512i row,
                            __mmask16 which) {
    const int32_t *words = g->octant->words;
    row = wide_clamp(row, wide_of(words[LF__LOW_Y]), wide_of(words[LF__HIGH_Y]));
    if (t) {
        row = _mm512_xor_si512(_mm512_sub_epi32(row, wide_of(t->y)), wide_of(t->flip));
        return _mm512_permutexvar_ps(row, _mm512_load_ps(t->samples[x - t->x]));
    }
    __m512i at = _mm512_add_epi32(wide_of(words[LF__BASE] + x * words[LF__STEP_A]),
                                  _mm512_mullo_epi32(row, wide_of(words[LF__STEP_B])));
    return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), which, at, g->grid->values, 1);
}

/// Does the height over the surface change its sign, or come close to 0?
INLINE __mmask16 close_meets(const wide_column *c, __m512 eps) {
    __mmask16 found = _mm512_cmp_ps_mask(c->high, _mm512_sub_ps(_mm512_setzero_ps(), eps), _CMP_GE_OQ);
    return found & _mm512_cmp_ps_mask(c->low, eps, _CMP_LE_OQ);
}

/// The lanes that may meet something in a column, as wide_filter_columns; *second receives those that leave the first square
/// without a meeting. `far`: heights on the far side, in the row where the ray leaves and the next one.
INLINE __mmask16 close_filter(wide_column *c, const close_lanes *l, const close_body *g, const __m512 far[2],
                              __mmask16 *second) {
    const bool along = g->octant->words[LF__ALONG] != 0, against = g->octant->words[LF__AGAINST] != 0;
    const __m512 one = _mm512_set1_ps(1), eps = l->floats[LF__EPS], by_sum = l->floats[LF__BY_SUM];
    __m512 rest = _mm512_sub_ps(one, c->near_share);
    c->low = c->high = wide_lerp(c->p[0][0], c->p[0][1], c->near_share);
    wide_add(
        c, c->step,
        wide_cross(c, c->p[0][1], c->p[1][1], _mm512_min_ps(_mm512_mul_ps(rest, l->floats[LF__BY_B]), one)));
    if (against)
        wide_add(c, 0xffff, wide_cross(c, c->p[0][1], c->p[1][0], _mm512_mul_ps(rest, by_sum)));
    *second = c->step & ~close_meets(c, eps);
    wide_add(c, 0xffff, _mm512_sub_ps(wide_lerp(far[0], far[1], c->far_share), c->slope_z));
    if (along)
        wide_add(c, (__mmask16)~c->step,
                 wide_cross(c, c->p[0][0], c->p[1][1],
                            _mm512_min_ps(_mm512_mul_ps(c->near_share, l->floats[LF__BY_FLAT]), one)));
    if (against)
        wide_add(c, c->step,
                 wide_cross(c, c->p[0][2], c->p[1][1],
                            _mm512_min_ps(_mm512_mul_ps(_mm512_add_ps(rest, one), by_sum), one)));
    return close_meets(c, eps) | c->wide;
}

/// Lanes that have been tested in column x: those that may meet something there stop, and so do those that end there.
INLINE void close_stop(close_lanes *l, int32_t x, __m512 a, __m512 next, __m512i y, __mmask16 found,
                       __mmask16 second) {
    __m512 last = l->floats[LF__LAST];
    found &= l->live & _mm512_cmp_ps_mask(a, _mm512_setzero_ps(), _CMP_GE_OQ) &
             _mm512_cmp_ps_mask(a, last, _CMP_LT_OQ);
    __mmask16 ended = l->live & ~found & _mm512_cmp_ps_mask(next, last, _CMP_GE_OQ);
    l->column = _mm512_mask_mov_epi32(l->column, found, wide_of(x));
    l->row = _mm512_mask_mov_epi32(l->row, found, y);
    l->second |= second & found;
    l->found |= found;
    l->none |= ended;
    l->live &= (__mmask16) ~(found | ended);
}

/// Test columns of squares until all lanes have stopped.
INLINE void close_strip(close_lanes *l, const close_body *g, const close_tile *t, int32_t from, int32_t to) {
    const __m512i one = wide_of(1), two = wide_of(2);
    __m512 slope_b = l->floats[LF__SLOPE_B], share = l->floats[LF__SHARE];
    __m512 a = _mm512_cvtepi32_ps(_mm512_sub_epi32(wide_of(from), l->x0));
    __m512 near = _mm512_fmadd_ps(a, slope_b, share), near_row = _mm512_floor_ps(near), side[3];
    __m512i y = _mm512_add_epi32(l->y0, _mm512_cvttps_epi32(near_row));
    side[0] = close_samples(t, g, from, y, l->live);
    side[1] = close_samples(t, g, from, _mm512_add_epi32(y, one), l->live);
    side[2] = close_samples(t, g, from, _mm512_add_epi32(y, two), l->live);
    for (int32_t x = from; x < to && l->live; x++) {
        wide_column c;
        __m512 next = _mm512_add_ps(a, _mm512_set1_ps(1)), far = _mm512_fmadd_ps(next, slope_b, share),
               far_row = _mm512_floor_ps(far);
        c.slope_z = l->floats[LF__SLOPE_Z];
        c.near_share = _mm512_sub_ps(near, near_row);
        c.far_share = _mm512_sub_ps(far, far_row);
        c.step = _mm512_cmp_ps_mask(near_row, far_row, _CMP_NEQ_OQ);
        c.wide = _mm512_cmp_ps_mask(_mm512_sub_ps(far_row, near_row), _mm512_set1_ps(1.5f), _CMP_GT_OQ);
        __m512i far_y = _mm512_add_epi32(l->y0, _mm512_cvttps_epi32(far_row));
        __m512 below = close_samples(t, g, x + 1, y, l->live & c.step);
        __m512 over = _mm512_fmadd_ps(a, c.slope_z, l->floats[LF__Z]);
        for (int k = 0; k < 3; k++)
            c.p[0][k] = _mm512_sub_ps(side[k], over);
        side[0] = close_samples(t, g, x + 1, far_y, l->live);
        side[1] = close_samples(t, g, x + 1, _mm512_add_epi32(far_y, one), l->live);
        side[2] = close_samples(t, g, x + 1, _mm512_add_epi32(far_y, two), l->live);
        const __m512 leaves[2] = {_mm512_sub_ps(side[0], over), _mm512_sub_ps(side[1], over)};
        c.p[1][0] = _mm512_mask_sub_ps(leaves[0], c.step, below, over);
        c.p[1][1] = _mm512_mask_mov_ps(leaves[1], c.step, leaves[0]);
        __mmask16 second, found = close_filter(&c, l, g, leaves, &second);
        close_stop(l, x, a, next, y, found, second);
        a = next;
        near = far;
        near_row = far_row;
        y = far_y;
    }
}

/// Test the columns of squares before `to` until all lanes have stopped.
INLINE void close_columns(close_lanes *l, const close_body *g, close_tile *t, int32_t from, int32_t to) {
    while (from < to && l->live) {
        bool loaded = (from >= t->x && from + 1 < t->x + t->columns) || close_tile_load(t, g, from);
        int32_t end = loaded ? t->x + t->columns - 1 : from + CLOSE_TILE - 1;
        end = end < to ? end : to;
        if (loaded)
            close_strip(l, g, t, from, end);
        else
            close_strip(l, g, NULL, from, end);
        from = end;
    }
}

// ---------------------------------------------------------------------------------------------------
// Cells
// ---------------------------------------------------------------------------------------------------

/// Decide about the columns where rays of one half may meet something. Returns the rays that were answered; *passed receives those that
/// surely meet nothing there.
TARGET static unsigned close_cells(const close_rays *r, const lf__batch_rays *v, const lf__octant *octant,
                                   const close_lanes *l, int half, unsigned *passed) {
    const lf__courses_8 *f = &r->courses[half];
    lf__cells_8 c = {.line = {f->a, f->b, f->along, f->slope_b, f->x, f->y, f->dx, f->dy, f->z, f->dz,
                              f->t_min, f->t_max, f->slope_z, f->start, f->end, f->slack}};
    for (int k = 0; k < LF__LIMITS; k++)
        c.limits[k] = _mm512_set1_pd(octant->limits[k]);
    c.swap = octant->course.swap ? 0xff : 0;
    c.x = f->x, c.y = f->y, c.dx = f->dx, c.dy = f->dy;
    c.lines = (lf__cells_lines_8){f->z, f->dz, f->t_min, f->t_max};
    __m512d column = _mm512_cvtepi32_pd(half ? _mm512_extracti64x4_epi64(l->column, 1)
                                             : _mm512_castsi512_si256(l->column)),
            entered = _mm512_cvtepi32_pd(half ? _mm512_extracti64x4_epi64(l->row, 1)
                                              : _mm512_castsi512_si256(l->row));
    unsigned which = l->found >> 8 * half & 0xff, second = l->second >> 8 * half & 0xff, answered = 0;
    // As lf__cells_columns. The filter may have excluded the row that it entered the column in.
    __m512d one = _mm512_set1_pd(1), slack = _mm512_set1_pd(LF__GRID_COURSE_SLACK);
    __m512d from = _mm512_max_pd(column, f->start), to = _mm512_min_pd(column + one, f->end);
    __m512d first = _mm512_max_pd(D_FLOOR(f->b + (from - f->a) * f->slope_b - slack), c.limits[LF__LOW_B]),
            last =
                _mm512_min_pd(D_FLOOR(f->b + (to - f->a) * f->slope_b + slack), c.limits[LF__HIGH_B] - one);
    which &= M_BITS(M_AND(D_LE(first, last), D_LE(last, first + one)));
    __m512d row = _mm512_mask_mov_pd(first, (__mmask8)second, entered + one);
    which &= ~second | M_BITS(M_AND(D_LE(entered, first), M_AND(D_LE(first, row), D_LE(row, last))));
    int64_t indices[DOUBLES];
    for (int n = 0; n < DOUBLES; n++)
        indices[n] = r->first[half] + n;
    for (*passed = 0; which;) {
        unsigned met, next = M_BITS(D_LT(row, last)),
                      missed = lf__cells_meet_8(&c, v, indices, column, row, which, next, &met);
        answered |= met;
        *passed |= missed & ~next;
        which = missed & next;
        row += one;
    }
    return answered;
}

/// Rays that have stopped: answer those that can be, and let the others start where they are, or after the column that they passed.
TARGET static void close_finish(close_rays *r, const lf__batch_rays *v, const lf__octant *octant,
                                const close_lanes *l, int32_t at) {
    __m512i column = _mm512_mask_mov_epi32(wide_of(at), l->found, l->column);
    for (int half = 0; half < 2; half++) {
        lf__courses_8 *f = &r->courses[half];
        unsigned none = l->none >> 8 * half & 0xff, answered = 0, passed = 0;
        for (unsigned left = none; left; left &= left - 1)
            lf__batch_rays_none(v, r->first[half] + __builtin_ctz(left));
        if (l->found >> 8 * half & 0xff)
            answered = close_cells(r, v, octant, l, half, &passed);
        r->waiting[half] &= ~(none | answered);
        __m512d start =
            _mm512_cvtepi32_pd(half ? _mm512_extracti64x4_epi64(column, 1) : _mm512_castsi512_si256(column));
        start = _mm512_mask_add_pd(start, (__mmask8)passed, start, _mm512_set1_pd(1));
        f->start = _mm512_max_pd(f->start, _mm512_min_pd(start, f->end));
    }
}

// ---------------------------------------------------------------------------------------------------
// Rays
// ---------------------------------------------------------------------------------------------------

/// Test the columns of sixteen columns of fine blocks from that of `at` on. Returns the first column after them.
INLINE int32_t close_squares(close_lanes *l, close_rays *r, const close_body *g, const lf__batch_rays *v,
                             close_tile *t, int32_t at) {
    const int level = g->grid->first_top > CLOSE_FINE ? g->grid->first_top : CLOSE_FINE;
    const int32_t block = at >> level, last = g->x0 + (int32_t)ceilf(g->last);
    for (unsigned meets = close_window(g, level, block); meets;) {
        unsigned k = (unsigned)__builtin_ctz(meets), beyond = k + (unsigned)__builtin_ctz(~(meets >> k));
        int32_t from = (block + (int32_t)k) << level, to = (block + (int32_t)beyond) << level;
        from = from > at ? from : at;
        if (!l->started)
            close_lanes_start(l, r, v, from);
        close_columns(l, g, t, from, to < last ? to : last);
        if (!l->live)
            break;
        meets &= ~0u << beyond;
    }
    return (block + 16) << level;
}

/// Let the waiting rays go together; false where they are not close, or get nowhere.
TARGET static bool close_go(close_rays *r, const lf__batch_rays *v, int octant) {
    close_body g;
    if (!close_make(&g, r, v, octant))
        return false;
    close_lanes l = {.live = (__mmask16)(r->waiting[0] | r->waiting[1] << 8), .started = false};
    close_tile tile;
    tile.x = tile.columns = 0;
    int32_t at = g.x0;
    int tries = 0;
    for (int n = 0; n < CLOSE_WINDOWS && (float)(at - g.x0) < g.last; n++) {
        int32_t block = at >> CLOSE_COARSE;
        __mmask16 meets = close_window(&g, CLOSE_COARSE, block);
        if (!meets) {
            at = (block + 16) << CLOSE_COARSE;
            continue;
        }
        int32_t begin = (block + __builtin_ctz(meets)) << CLOSE_COARSE;
        at = close_squares(&l, r, &g, v, &tile, begin > at ? begin : at);
        if (wide_count(l.live) < CLOSE_FEWEST || ++tries == CLOSE_PATIENCE)
            break;
    }
    if ((float)(at - g.x0) >= g.last) {
        l.none |= l.live;
        l.live = 0;
    }
    close_finish(r, v, g.octant, &l, at);
    return tries < CLOSE_PATIENCE;
}

/// Read the next sixteen rays, and answer those that are close together.
TARGET static void close_read(close_rays *r, lf__batch_rays *v, bool serves) {
    for (int n = 0; n < 2; n++) {
        r->waiting[n] = lf__courses_fetch_8(&r->courses[n], v, &r->slots[n]);
        r->first[n] = r->slots[n].first;
    }
    // Rays that start at the ground may pass their first column and then go on together.
    for (int n = 0; n < CLOSE_ROUNDS && serves; n++) {
        int octant = close_octant(r);
        if (octant < 0 || !close_go(r, v, octant))
            return;
    }
}
