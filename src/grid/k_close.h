/// Rays of a batch that are close together: sixteen of them go together all the way to their hits.
///
/// Rays that follow each other in a batch are often those of a tile of a picture. If they are of one octant and near each other,
/// they make one body: an interval of rows and a least height along a, which contain all of them. The body is compared with the
/// tops of consecutive columns of blocks at once, first coarse, then fine. In the columns of squares that are left each ray
/// has a lane, and the column is the same for all, so that the far side of one column is the near side of the next. Every ray stops
/// where it may meet something, and the cells of all of them are decided at once (k_cells.h). Rays that this leaves undecided, and
/// those that go on when most others have stopped, continue in lanes of their own. Kernels include this file after k_wide.h, for the
/// same width: with AVX-512 sixteen rays are one vector, with AVX2 two, which go through columns of squares one after the other.

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

/// What contains some rays, relative to column x0 and row y0 of the octant's frame; heights in codes.
typedef struct DS(close_body) {
    const lf_grid *grid;
    const lf__octant *octant;
    int32_t x0, y0;
    float last; ///< end of a
    float low_b, high_b, low_slope, high_slope, blur;
    float code, slope_code;
} DS(close_body);

/// A vector of rays while columns are tested.
typedef struct DS(close_lanes) {
    WI x0, y0;
    WF floats[LF__FLOATS];
    WI column, row; ///< where they may meet something
    WM live;        ///< they go on
    WM found;       ///< they may meet something in `column`
    WM second;      ///< there not in `row`, the first square, but in the next one
    WM none;        ///< they have come to their end
    bool started;   ///< the vectors above are set
} DS(close_lanes);

/// Is a grid one whose rays can be taken together?
static inline bool DS(close_serves)(const lf_grid *grid) {
    return lf__cells_serve(grid) && grid->type == LF_SAMPLE_FLOAT && grid->plain && !grid->gaps &&
           grid->column_step == sizeof(float) && grid->square_columns > 16 && grid->square_rows > 16 &&
           grid->level_count > CLOSE_COARSE && grid->first_top <= CLOSE_COARSE;
}

// ---------------------------------------------------------------------------------------------------
// Bodies
// ---------------------------------------------------------------------------------------------------

/// The least number of some rays.
INLINE double DS(close_least)(const VD of[DS_PARTS], const VM which[DS_PARTS]) {
    const VD none = D_SET(INFINITY);
    VD least = D_IF(none, of[0], which[0]);
    for (int n = 1; n < DS_PARTS; n++)
        least = D_MIN(least, D_IF(none, of[n], which[n]));
    return DS(wide_least)(least);
}

INLINE double DS(close_most)(const VD of[DS_PARTS], const VM which[DS_PARTS]) {
    VD negative[DS_PARTS];
    for (int n = 0; n < DS_PARTS; n++)
        negative[n] = D_NEG(of[n]);
    return -DS(close_least)(negative, which);
}

/// The octant of the waiting rays; -1 where there are several, or few rays.
INLINE int DS(close_octant)(const DS(lf__sixteen) * r) {
    unsigned waiting = 0, swap = 0, a = 0, b = 0;
    for (int n = 0; n < DS_PARTS; n++) {
        const DS(lf__courses) *f = &r->courses[n];
        waiting |= r->waiting[n] << DOUBLES * n;
        swap |= M_BITS(f->swap) << DOUBLES * n;
        a |= M_BITS(f->mirror_a) << DOUBLES * n;
        b |= M_BITS(f->mirror_b) << DOUBLES * n;
    }
    swap &= waiting, a &= waiting, b &= waiting;
    if (__builtin_popcount(waiting) < CLOSE_FEWEST || (swap && swap != waiting) || (a && a != waiting) ||
        (b && b != waiting))
        return -1;
    return (swap != 0) | (a != 0) << 1 | (b != 0) << 2;
}

/// The body of the waiting rays; false where they are not close together.
INLINE bool DS(close_make)(DS(close_body) * g, const DS(lf__sixteen) * r, const lf__batch_rays *v,
                           int octant) {
    const lf_grid *grid = v->grid;
    const DS(lf__courses) *f = r->courses;
    const lf__grid_course *course = &v->octants[octant].course;
    VD starts[DS_PARTS], ends[DS_PARTS], b[DS_PARTS], z[DS_PARTS], slopes[DS_PARTS], climbs[DS_PARTS],
        slacks[DS_PARTS];
    VM which[DS_PARTS];
    for (int n = 0; n < DS_PARTS; n++) {
        which[n] = M_OF_BITS(r->waiting[n]);
        starts[n] = f[n].start, ends[n] = f[n].end, slacks[n] = f[n].slack;
        slopes[n] = f[n].slope_b, climbs[n] = f[n].slope_z;
    }
    double start = DS(close_least)(starts, which), end = DS(close_most)(ends, which);
    double x0 = fmin(floor(start), (double)course->high_a - 1);
    for (int n = 0; n < DS_PARTS; n++) {
        VD to = D_SET(x0) - f[n].a;
        b[n] = f[n].b + to * f[n].slope_b;
        z[n] = f[n].z + to * f[n].slope_z;
    }
    double low_b = DS(close_least)(b, which), high_b = DS(close_most)(b, which),
           low_slope = DS(close_least)(slopes, which), high_slope = DS(close_most)(slopes, which);
    double length = end - x0;
    if (!(high_b - low_b + (high_slope - low_slope) * fmin(length, CLOSE_SPREAD_AFTER) <= CLOSE_SPREAD))
        return false;
    double low_z = DS(close_least)(z, which), climb = DS(close_least)(climbs, which),
           slack = DS(close_most)(slacks, which);
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

/// Of the columns of blocks from `first` on, one per lane, those where the body may meet something.
INLINE unsigned DS(close_window)(const DS(close_body) * g, int level, int32_t first) {
    const int32_t *words = g->octant->words;
    const lf__grid_level *blocks = &g->grid->levels[level];
    const WF zero = F_SET(0), last = F_SET(g->last), blur = F_SET(g->blur);
    WI number = I_ADD(I_SET(first), I_LANES), begin = I_SUB(I_UP(number, level), I_SET(g->x0));
    WF near = F_MAX(F_OF(begin), zero), far = F_MIN(F_OF(I_ADD(begin, I_SET(1 << level))), last);
    WF low = F_FMA(near, F_SET(g->low_slope), F_SET(g->low_b)),
       high = F_FMA(far, F_SET(g->high_slope), F_SET(g->high_b));
    WI y0 = I_SET(g->y0), low_y = I_SET(words[LF__LOW_Y]), high_y = I_SET(words[LF__HIGH_Y] - 1);
    WI from = I_OF(F_FLOOR(low - blur)), to = I_OF(F_FLOOR(high + blur));
    from = I_DOWN(I_CLAMP(I_ADD(y0, from), low_y, high_y), level);
    to = I_DOWN(I_CLAMP(I_ADD(y0, to), low_y, high_y), level);
    WF slope = F_SET(g->slope_code), code = F_SET(g->code);
    code = F_MIN(F_FMA(near, slope, code), F_FMA(far, slope, code));
    code = F_MIN(F_MAX(code, F_SET(0.5f)), F_SET(65534.5f));
    bool swap = words[LF__SWAP] != 0;
    WI step_a = I_SET(swap ? (int32_t)blocks->stride : 1), step_b = I_SET(swap ? 1 : (int32_t)blocks->stride);
    WI flip_b = I_SET(words[LF__FLIP_Y] >> level);
    WI start = I_MUL(I_XOR(number, I_SET(words[LF__FLIP_X] >> level)), step_a);
    WM there = F_LT(near, last), meets = W_NONE;
    for (int k = 0; W_BITS(there); k++) {
        if (k == CLOSE_BLOCKS)
            return W_BITS(W_OR(meets, there));
        WI at = I_ADD(start, I_MUL(I_XOR(from, flip_b), step_b));
        WI top = DS(wide_codes)(blocks->top, at, there);
        meets = W_OR(meets, W_AND(there, F_LE(code, F_OF(top))));
        from = I_ADD(from, I_SET(1));
        there = W_WITHOUT(there, I_GT(from, to));
    }
    return W_BITS(meets);
}

// ---------------------------------------------------------------------------------------------------
// Columns of squares
// ---------------------------------------------------------------------------------------------------

INLINE void DS(close_lanes_start)(DS(close_lanes) * lanes, DS(lf__sixteen) * r, const lf__batch_rays *v,
                                  int32_t from) {
    for (int n = 0; n < DS_PARTS; n++) {
        DS(lf__courses) *f = &r->courses[n];
        f->start = D_MAX(f->start, D_MIN(D_SET((double)from), f->end));
        DS(lf__courses_to_slots)(f, v, &r->slots[n]);
    }
    for (int n = 0; n < WIDE_VECTORS; n++) {
        const DS(lf__batch_slots) *low = &r->slots[2 * n], *high = low + 1;
        DS(close_lanes) *c = &lanes[n];
        for (int k = 0; k < LF__FLOATS; k++)
            c->floats[k] = F_JOIN(low->floats[k], high->floats[k]);
        c->x0 = I_JOIN(low->x, high->x);
        c->y0 = I_JOIN(low->y, high->y);
        c->column = c->row = I_SET(0);
        c->started = true;
    }
}

/// Samples in eight columns and sixteen rows.
typedef struct DS(close_tile) {
    _Alignas(64) float samples[CLOSE_TILE][16];
    int32_t x, y; ///< the first ones
    int columns;  ///< that are not beyond the rows
} DS(close_tile);

/// Load a tile whose rows follow each other in memory.
INLINE void DS(close_tile_rows)(DS(close_tile) * t, const DS(close_body) * g) {
    const int32_t *words = g->octant->words;
    bool back = words[LF__STEP_B] < 0;
    const char *at = (const char *)g->grid->values + words[LF__BASE] + (ptrdiff_t)t->x * words[LF__STEP_A] +
                     (ptrdiff_t)(back ? t->y + 15 : t->y) * words[LF__STEP_B];
    const WI order = I_XOR(I_LANES, I_SET(back ? WIDE_LANES - 1 : 0));
    for (int k = 0; k < CLOSE_TILE; k++, at += words[LF__STEP_A])
        for (int n = 0; n < 16; n += WIDE_LANES) {
            const float *from = (const float *)(const void *)at + (back ? 16 - WIDE_LANES - n : n);
            F_STORE(&t->samples[k][n], F_PERMUTE(F_LOADU(from), order));
        }
}

/// Load a tile whose columns follow each other in memory, and transpose it.
INLINE void DS(close_tile_columns)(DS(close_tile) * t, const DS(close_body) * g) {
    const int32_t *words = g->octant->words;
    const ptrdiff_t step = words[LF__STEP_B];
    bool back = words[LF__STEP_A] < 0;
    const char *at = (const char *)g->grid->values + words[LF__BASE] +
                     (ptrdiff_t)(back ? t->x + CLOSE_TILE - 1 : t->x) * words[LF__STEP_A] + t->y * step;
#if DOUBLES == 8
    // Rows n and n + 4, and n + 8 and n + 12, then fours of rows of each column.
    __m512 of[2][4];
    for (int h = 0; h < 2; h++) {
        __m512 r[4];
        for (int n = 0; n < 4; n++) {
            const char *row = at + (8 * h + n) * step;
            r[n] = F_JOIN((const float *)(const void *)row, (const float *)(const void *)(row + 4 * step));
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
#else
    // Four columns and eight rows at a time: rows n and n + 4 in a vector.
    for (int h = 0; h < 4; h++) {
        const int column = h & 1 ? 4 : 0, first = h & 2 ? 8 : 0;
        __m256 r[4];
        for (int n = 0; n < 4; n++) {
            const float *row = (const float *)(const void *)(at + (first + n) * step) + column;
            r[n] = F_JOIN(row, (const float *)(const void *)((const char *)row + 4 * step));
        }
        __m256 low = _mm256_unpacklo_ps(r[0], r[1]), high = _mm256_unpackhi_ps(r[0], r[1]);
        __m256 low2 = _mm256_unpacklo_ps(r[2], r[3]), high2 = _mm256_unpackhi_ps(r[2], r[3]);
        const __m256 of[4] = {_mm256_shuffle_ps(low, low2, 0x44), _mm256_shuffle_ps(low, low2, 0xee),
                              _mm256_shuffle_ps(high, high2, 0x44), _mm256_shuffle_ps(high, high2, 0xee)};
        for (int k = 0; k < 4; k++)
            _mm256_store_ps(&t->samples[back ? 7 - column - k : column + k][first], of[k]);
    }
#endif
}

/// Load the tile from column x on where the body is; false where it is in too many rows.
INLINE bool DS(close_tile_load)(DS(close_tile) * t, const DS(close_body) * g, int32_t x) {
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
        DS(close_tile_rows)(t, g);
    else
        DS(close_tile_columns)(t, g);
    return true;
}

/// Samples of column x in some rows, counted from `first`: from the tile, which begins there, or if there is none from memory.
INLINE WF DS(close_samples)(const DS(close_tile) * t, const DS(close_body) * g, int32_t x, WI row,
                            int32_t first) {
    const int32_t *words = g->octant->words;
    row = I_CLAMP(row, I_SET(words[LF__LOW_Y] - first), I_SET(words[LF__HIGH_Y] - first));
    if (t)
        return DS(wide_of_sixteen)(t->samples[x - t->x], row);
    WI at = I_ADD(I_SET(words[LF__BASE] + x * words[LF__STEP_A]), I_MUL(row, I_SET(words[LF__STEP_B])));
#if DOUBLES == 8
    return _mm512_i32gather_ps(at, g->grid->values, 1);
#else
    return lf__lanes_floats((const char *)g->grid->values, at);
#endif
}

/// Does the height over the surface change its sign, or come close to 0?
INLINE WM DS(close_meets)(const DS(wide_column) * c, WF eps) {
    return W_AND(F_GE(c->high, F_SET(0) - eps), F_LE(c->low, eps));
}

/// The lanes that may meet something in a column, as wide_filter_columns; *second receives those that leave the first square
/// without a meeting. `far`: heights on the far side, in the row where the ray leaves and the next one.
INLINE WM DS(close_filter)(DS(wide_column) * c, const DS(close_lanes) * l, const DS(close_body) * g,
                           const WF far[2], WM *second) {
    const bool along = g->octant->words[LF__ALONG] != 0, against = g->octant->words[LF__AGAINST] != 0;
    const WF one = F_SET(1), eps = l->floats[LF__EPS], by_sum = l->floats[LF__BY_SUM];
    WF rest = one - c->near_share;
    c->low = c->high = DS(wide_lerp)(c->p[0][0], c->p[0][1], c->near_share);
    DS(wide_add_where)
    (c, c->step, DS(wide_cross)(c, c->p[0][1], c->p[1][1], F_MIN(rest * l->floats[LF__BY_B], one)));
    if (against)
        DS(wide_add)(c, DS(wide_cross)(c, c->p[0][1], c->p[1][0], rest * by_sum));
    *second = W_WITHOUT(c->step, DS(close_meets)(c, eps));
    DS(wide_add)(c, DS(wide_lerp)(far[0], far[1], c->far_share) - c->slope_z);
    if (along) {
        WF t = F_MIN(c->near_share * l->floats[LF__BY_FLAT], one);
        DS(wide_add_where)(c, W_WITHOUT(W_ALL, c->step), DS(wide_cross)(c, c->p[0][0], c->p[1][1], t));
    }
    if (against) {
        WF t = F_MIN((rest + one) * by_sum, one);
        DS(wide_add_where)(c, c->step, DS(wide_cross)(c, c->p[0][2], c->p[1][1], t));
    }
    return W_OR(DS(close_meets)(c, eps), c->wide);
}

/// Lanes that have been tested in column x, from `a` to `next`: those that may meet something there stop, and so do those that end there.
INLINE void DS(close_stop)(DS(close_lanes) * l, int32_t x, const WF ends[2], WI y, WM found, WM second) {
    WF last = l->floats[LF__LAST];
    found = W_AND(W_AND(found, l->live), W_AND(F_GE(ends[0], F_SET(0)), F_LT(ends[0], last)));
    l->live = W_WITHOUT(l->live, found);
    WM ended = W_AND(l->live, F_GE(ends[1], last));
    l->column = I_IF(l->column, I_SET(x), found);
    l->row = I_IF(l->row, y, found);
    l->second = W_OR(l->second, W_AND(second, found));
    l->found = W_OR(l->found, found);
    l->none = W_OR(l->none, ended);
    l->live = W_WITHOUT(l->live, ended);
}

/// Test columns of squares until all lanes have stopped.
INLINE void DS(close_strip)(DS(close_lanes) * l, const DS(close_body) * g, const DS(close_tile) * t,
                            int32_t from, int32_t to) {
    const int32_t first = t ? t->y : 0; // rows are counted from there
    const WI one = I_SET(1), two = I_SET(2), y0 = I_SUB(l->y0, I_SET(first));
    WF slope_b = l->floats[LF__SLOPE_B], share = l->floats[LF__SHARE];
    WF a = F_OF(I_SUB(I_SET(from), l->x0));
    WF near = F_FMA(a, slope_b, share), near_row = F_FLOOR(near), side[3];
    WI y = I_ADD(y0, I_OF(near_row));
    side[0] = DS(close_samples)(t, g, from, y, first);
    side[1] = DS(close_samples)(t, g, from, I_ADD(y, one), first);
    side[2] = DS(close_samples)(t, g, from, I_ADD(y, two), first);
    for (int32_t x = from; x < to && W_BITS(l->live); x++) {
        DS(wide_column) c;
        WF next = a + F_SET(1), far = F_FMA(next, slope_b, share), far_row = F_FLOOR(far);
        c.slope_z = l->floats[LF__SLOPE_Z];
        c.near_share = near - near_row;
        c.far_share = far - far_row;
        c.step = F_NE(near_row, far_row);
        c.wide = F_GT(far_row - near_row, F_SET(1.5f));
        WI far_y = I_ADD(y0, I_OF(far_row));
        WF below = DS(close_samples)(t, g, x + 1, y, first);
        WF over = F_FMA(a, c.slope_z, l->floats[LF__Z]);
        for (int k = 0; k < 3; k++)
            c.p[0][k] = side[k] - over;
        side[0] = DS(close_samples)(t, g, x + 1, far_y, first);
        side[1] = DS(close_samples)(t, g, x + 1, I_ADD(far_y, one), first);
        side[2] = DS(close_samples)(t, g, x + 1, I_ADD(far_y, two), first);
        const WF leaves[2] = {side[0] - over, side[1] - over};
        c.p[1][0] = below - over; // where the ray does not step, row y is the one where it leaves
        c.p[1][1] = F_IF(leaves[1], leaves[0], c.step);
        WM second, found = DS(close_filter)(&c, l, g, leaves, &second);
        DS(close_stop)(l, x, (const WF[2]){a, next}, I_ADD(y, I_SET(first)), found, second);
        a = next;
        near = far;
        near_row = far_row;
        y = far_y;
    }
}

/// The lanes that go on, a bit of each.
INLINE unsigned DS(close_live)(const DS(close_lanes) * lanes) {
    unsigned live = 0;
    for (int n = 0; n < WIDE_VECTORS; n++)
        live |= W_BITS(lanes[n].live) << WIDE_LANES * n;
    return live;
}

/// Test the columns of squares before `to` until all lanes have stopped.
INLINE void DS(close_columns)(DS(close_lanes) * lanes, const DS(close_body) * g, DS(close_tile) * t,
                              int32_t from, int32_t to) {
    while (from < to && DS(close_live)(lanes)) {
        bool loaded = (from >= t->x && from + 1 < t->x + t->columns) || DS(close_tile_load)(t, g, from);
        int32_t end = loaded ? t->x + t->columns - 1 : from + CLOSE_TILE - 1;
        end = end < to ? end : to;
        for (int n = 0; n < WIDE_VECTORS; n++) {
            if (loaded)
                DS(close_strip)(&lanes[n], g, t, from, end);
            else
                DS(close_strip)(&lanes[n], g, NULL, from, end);
        }
        from = end;
    }
}

// ---------------------------------------------------------------------------------------------------
// Cells
// ---------------------------------------------------------------------------------------------------

/// Decide about the columns where rays of one part may meet something. Returns the rays that were answered; *passed receives those that
/// surely meet nothing there.
TARGET static unsigned DS(close_cells)(const DS(lf__sixteen) * r, const lf__batch_rays *v,
                                       const lf__octant *octant, const DS(close_lanes) * lanes, int part,
                                       unsigned *passed) {
    const DS(lf__courses) *f = &r->courses[part];
    const DS(close_lanes) *l = &lanes[part / 2];
    const int half = part & 1, shift = DOUBLES * half;
    const VD line[LF__DOUBLES] = {f->a, f->b,  f->along, f->slope_b, f->x,       f->y,     f->dx,  f->dy,
                                  f->z, f->dz, f->t_min, f->t_max,   f->slope_z, f->start, f->end, f->slack};
    DS(lf__cells) c;
    for (int k = 0; k < LF__DOUBLES; k++)
        c.line[k] = line[k];
    for (int k = 0; k < LF__LIMITS; k++)
        c.limits[k] = D_SET(octant->limits[k]);
    c.swap = octant->course.swap ? M_ALL : M_NONE;
    c.x = f->x, c.y = f->y, c.dx = f->dx, c.dy = f->dy;
    c.lines = (DS(lf__cells_lines)){f->z, f->dz, f->t_min, f->t_max};
    VD column = D_OF_LANES(l->column, half), entered = D_OF_LANES(l->row, half);
    const unsigned all = (1u << DOUBLES) - 1;
    unsigned which = W_BITS(l->found) >> shift & all, second = W_BITS(l->second) >> shift & all, answered = 0;
    // As lf__cells_columns. The filter may have excluded the row that it entered the column in.
    VD one = D_SET(1), slack = D_SET(LF__GRID_COURSE_SLACK);
    VD from = D_MAX(column, f->start), to = D_MIN(column + one, f->end);
    VD first = D_MAX(D_FLOOR(f->b + (from - f->a) * f->slope_b - slack), c.limits[LF__LOW_B]),
       last = D_MIN(D_FLOOR(f->b + (to - f->a) * f->slope_b + slack), c.limits[LF__HIGH_B] - one);
    which &= M_BITS(M_AND(D_LE(first, last), D_LE(last, first + one)));
    VD row = D_IF(first, entered + one, M_OF_BITS(second));
    which &= ~second | M_BITS(M_AND(D_LE(entered, first), M_AND(D_LE(first, row), D_LE(row, last))));
    int64_t indices[DOUBLES];
    for (int n = 0; n < DOUBLES; n++)
        indices[n] = r->first[part] + n;
    for (*passed = 0; which;) {
        unsigned met, next = M_BITS(D_LT(row, last)),
                      missed = DS(lf__cells_meet)(&c, v, indices, column, row, which, next, &met);
        answered |= met;
        *passed |= missed & ~next;
        which = missed & next;
        row += one;
    }
    return answered;
}

/// Rays that have stopped: answer those that can be, and let the others start where they are, or after the column that they passed.
TARGET static void DS(close_finish)(DS(lf__sixteen) * r, const lf__batch_rays *v, const lf__octant *octant,
                                    const DS(close_lanes) * lanes, int32_t at) {
    for (int part = 0; part < DS_PARTS; part++) {
        const DS(close_lanes) *l = &lanes[part / 2];
        const int half = part & 1, shift = DOUBLES * half;
        const unsigned all = (1u << DOUBLES) - 1;
        DS(lf__courses) *f = &r->courses[part];
        unsigned none = W_BITS(l->none) >> shift & all, answered = 0, passed = 0;
        for (unsigned left = none; left; left &= left - 1)
            lf__batch_rays_none(v, r->first[part] + __builtin_ctz(left));
        if (W_BITS(l->found) >> shift & all)
            answered = DS(close_cells)(r, v, octant, lanes, part, &passed);
        r->waiting[part] &= ~(none | answered);
        VD start = D_OF_LANES(I_IF(I_SET(at), l->column, l->found), half);
        start += D_ONLY(D_SET(1), M_OF_BITS(passed));
        f->start = D_MAX(f->start, D_MIN(start, f->end));
    }
}

// ---------------------------------------------------------------------------------------------------
// Rays
// ---------------------------------------------------------------------------------------------------

/// Test the columns of as many columns of fine blocks as a vector has lanes, from that of `at` on. Returns the first column after them.
INLINE int32_t DS(close_squares)(DS(close_lanes) * lanes, DS(lf__sixteen) * r, const DS(close_body) * g,
                                 const lf__batch_rays *v, DS(close_tile) * t, int32_t at) {
    const int level = g->grid->first_top > CLOSE_FINE ? g->grid->first_top : CLOSE_FINE;
    const int32_t block = at >> level, last = g->x0 + (int32_t)ceilf(g->last);
    for (unsigned meets = DS(close_window)(g, level, block); meets;) {
        unsigned k = (unsigned)__builtin_ctz(meets), beyond = k + (unsigned)__builtin_ctz(~(meets >> k));
        int32_t from = (block + (int32_t)k) << level, to = (block + (int32_t)beyond) << level;
        from = from > at ? from : at;
        if (!lanes[0].started)
            DS(close_lanes_start)(lanes, r, v, from);
        DS(close_columns)(lanes, g, t, from, to < last ? to : last);
        if (!DS(close_live)(lanes))
            break;
        meets &= ~0u << beyond;
    }
    return (block + WIDE_LANES) << level;
}

/// Let the waiting rays go together; false where they are not close, or get nowhere.
TARGET static bool DS(close_go)(DS(lf__sixteen) * r, const lf__batch_rays *v, int octant) {
    DS(close_body) g;
    if (!DS(close_make)(&g, r, v, octant))
        return false;
    DS(close_lanes) lanes[WIDE_VECTORS];
    for (int n = 0; n < WIDE_VECTORS; n++)
        lanes[n] = (DS(close_lanes)){.live = W_OF_BITS(r->waiting[2 * n] | r->waiting[2 * n + 1] << DOUBLES),
                                     .found = W_NONE,
                                     .second = W_NONE,
                                     .none = W_NONE,
                                     .started = false};
    DS(close_tile) tile;
    tile.x = tile.columns = 0;
    int32_t at = g.x0;
    int tries = 0;
    for (int n = 0; n < CLOSE_WINDOWS && (float)(at - g.x0) < g.last; n++) {
        int32_t block = at >> CLOSE_COARSE;
        unsigned meets = DS(close_window)(&g, CLOSE_COARSE, block);
        if (!meets) {
            at = (block + WIDE_LANES) << CLOSE_COARSE;
            continue;
        }
        int32_t begin = (block + __builtin_ctz(meets)) << CLOSE_COARSE;
        at = DS(close_squares)(lanes, r, &g, v, &tile, begin > at ? begin : at);
        if (__builtin_popcount(DS(close_live)(lanes)) < CLOSE_FEWEST || ++tries == CLOSE_PATIENCE)
            break;
    }
    if ((float)(at - g.x0) >= g.last)
        for (int n = 0; n < WIDE_VECTORS; n++) {
            lanes[n].none = W_OR(lanes[n].none, lanes[n].live);
            lanes[n].live = W_NONE;
        }
    DS(close_finish)(r, v, g.octant, lanes, at);
    return tries < CLOSE_PATIENCE;
}

/// Read the next sixteen rays, and answer those that are close together.
TARGET static void DS(close_read)(DS(lf__sixteen) * r, lf__batch_rays *v, bool serves) {
    for (int n = 0; n < DS_PARTS; n++) {
        r->waiting[n] = DS(lf__courses_fetch)(&r->courses[n], v, &r->slots[n]);
        r->first[n] = r->slots[n].first;
    }
    // Rays that start at the ground may pass their first column and then go on together.
    for (int n = 0; n < CLOSE_ROUNDS && serves; n++) {
        int octant = DS(close_octant)(r);
        if (octant < 0 || !DS(close_go)(r, v, octant))
            return;
    }
}
