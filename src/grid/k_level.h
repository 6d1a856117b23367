/// Rays of a batch that are nearly level and long: sixteen of them are compared with the tops of blocks level by level.
///
/// Such a ray grazes summits, or meets nothing, and is above most of what it passes. In lanes of their own rays go up and
/// down the pyramid one by one. Here all of them are compared with the coarse columns of blocks that they cross, then with the finer
/// columns within those where they may meet something, and so on. What is left is a list of pairs, of a ray and a column,
/// which fills vectors at every level. Rays without a pair at the end meet nothing; the others start in their first column.
/// Kernels include this file after k_close.h, for the same width.

/// Levels from one list to the next, and columns on the coarsest level at least.
#define LEVEL_DOWN 2
#define LEVEL_COLUMNS 8

/// Columns that are compared without a branch.
#define LEVEL_ONCE (1 << LEVEL_DOWN)

/// Fewest rays that are compared, and most pairs; with more the rays are left to lanes.
#define LEVEL_FEWEST 8
#define LEVEL_PAIRS 160

/// Shortest course in squares, and most change of height as a part of the range of heights.
#define LEVEL_SHORTEST 128.0
#define LEVEL_CHANGE LF__GRID_LEVEL_CHANGE

/// Sixteen rays; the floats are those of LF__FLOATS.
typedef struct DS(level_rays) {
    _Alignas(64) float at[16];
    float last[16], share[16], slope_b[16], code[16], slope_code[16];
    float x0[16], y0[16], octant[16]; ///< bits of integers
} DS(level_rays);

/// Rays in lanes.
typedef struct DS(level_lanes) {
    WF at, last, share, slope_b, code, slope_code;
    WI x0, y0, octant;
} DS(level_lanes);

/// What follows from octants.
typedef struct DS(level_octants) {
    WI flip_x, flip_y, low_y, high_y;
    WM swap;
} DS(level_octants);

/// Pairs of a ray and a column of blocks: ray + 16 * column.
typedef struct DS(level_pairs) {
    int32_t of[LEVEL_PAIRS + 16 * (LEVEL_ONCE + 1)];
    int count;
} DS(level_pairs);

/// A level of the pyramid.
typedef struct DS(level_blocks) {
    const uint16_t *bounds;
    int level;
    WI offset, stride;
} DS(level_blocks);

/// Rays that are worth it.
INLINE unsigned DS(level_suits)(const DS(lf__courses) * f, const lf_grid *grid) {
    VD length = f->end - f->start;
    return M_BITS(
        M_AND(D_LE(D_SET(LEVEL_SHORTEST), length),
              D_LE(D_ABS(f->slope_z) * length, D_SET(LEVEL_CHANGE * (grid->highest - grid->lowest)))));
}

INLINE void DS(level_start)(DS(level_rays) * l, DS(lf__sixteen) * r, const lf__batch_rays *v) {
    for (int n = 0; n < DS_PARTS; n++)
        DS(lf__courses_to_blocks)(&r->courses[n], v, &r->slots[n]);
    for (int n = 0; n < WIDE_VECTORS; n++) {
        const DS(lf__courses) *f = &r->courses[2 * n];
        const DS(lf__batch_slots) *low = &r->slots[2 * n], *high = low + 1;
        const int at = WIDE_LANES * n;
#define LEVEL_COPY(to, of) F_STORE(&l->to[at], F_JOIN(low->floats[of], high->floats[of]))
        LEVEL_COPY(at, LF__AT);
        LEVEL_COPY(last, LF__LAST);
        LEVEL_COPY(share, LF__SHARE);
        LEVEL_COPY(slope_b, LF__SLOPE_B);
        LEVEL_COPY(code, LF__CODE);
        LEVEL_COPY(slope_code, LF__SLOPE_CODE);
#undef LEVEL_COPY
        F_STORE(&l->x0[at], F_OF_BITS(I_JOIN(low->x, high->x)));
        F_STORE(&l->y0[at], F_OF_BITS(I_JOIN(low->y, high->y)));
        const unsigned of[3] = {M_BITS(f[0].swap) | M_BITS(f[1].swap) << DOUBLES,
                                M_BITS(f[0].mirror_a) | M_BITS(f[1].mirror_a) << DOUBLES,
                                M_BITS(f[0].mirror_b) | M_BITS(f[1].mirror_b) << DOUBLES};
        WI octant = I_SET(0);
        for (int k = 0; k < 3; k++)
            octant = I_IF(octant, I_ADD(octant, I_SET(1 << k)), W_OF_BITS(of[k]));
        F_STORE(&l->octant[at], F_OF_BITS(octant));
    }
}

/// The rays of vector n.
INLINE DS(level_lanes) DS(level_load)(const DS(level_rays) * l, int n) {
    const int at = WIDE_LANES * n;
    return (DS(level_lanes)){.at = F_LOAD(&l->at[at]),
                             .last = F_LOAD(&l->last[at]),
                             .share = F_LOAD(&l->share[at]),
                             .slope_b = F_LOAD(&l->slope_b[at]),
                             .code = F_LOAD(&l->code[at]),
                             .slope_code = F_LOAD(&l->slope_code[at]),
                             .x0 = I_OF_BITS(F_LOAD(&l->x0[at])),
                             .y0 = I_OF_BITS(F_LOAD(&l->y0[at])),
                             .octant = I_OF_BITS(F_LOAD(&l->octant[at]))};
}

/// The rays of pairs.
INLINE DS(level_lanes) DS(level_choose)(const DS(level_rays) * l, WI ray) {
    return (DS(level_lanes)){.at = DS(wide_of_sixteen)(l->at, ray),
                             .last = DS(wide_of_sixteen)(l->last, ray),
                             .share = DS(wide_of_sixteen)(l->share, ray),
                             .slope_b = DS(wide_of_sixteen)(l->slope_b, ray),
                             .code = DS(wide_of_sixteen)(l->code, ray),
                             .slope_code = DS(wide_of_sixteen)(l->slope_code, ray),
                             .x0 = I_OF_BITS(DS(wide_of_sixteen)(l->x0, ray)),
                             .y0 = I_OF_BITS(DS(wide_of_sixteen)(l->y0, ray)),
                             .octant = I_OF_BITS(DS(wide_of_sixteen)(l->octant, ray))};
}

INLINE DS(level_octants) DS(level_of_octants)(const DS(wide_tables) * w, WI octant) {
    return (DS(level_octants)){.flip_x = I_PERMUTE(I_LOAD(w->words[LF__FLIP_X]), octant),
                               .flip_y = I_PERMUTE(I_LOAD(w->words[LF__FLIP_Y]), octant),
                               .low_y = I_PERMUTE(I_LOAD(w->words[LF__LOW_Y]), octant),
                               .high_y = I_SUB(I_PERMUTE(I_LOAD(w->words[LF__HIGH_Y]), octant), I_SET(1)),
                               .swap = I_NEGATIVE(I_PERMUTE(I_LOAD(w->words[LF__SWAP]), octant))};
}

/// Where the tops of a level are in its array: at start + along * column + across * row.
typedef struct DS(level_steps) {
    WI start, along, across;
} DS(level_steps);

INLINE DS(level_steps) DS(level_steps_of)(const DS(level_octants) * o, const DS(level_blocks) * b) {
    const WI one = I_SET(1), none = I_SET(0);
    WI along = I_IF(one, b->stride, o->swap), across = I_IF(b->stride, one, o->swap);
    WI flip_x = I_DOWN(o->flip_x, b->level), flip_y = I_DOWN(o->flip_y, b->level);
    // Flips are 0, or all bits that numbers of blocks have.
    return (DS(level_steps)){I_ADD(b->offset, I_ADD(I_MUL(flip_x, along), I_MUL(flip_y, across))),
                             I_IF(along, I_SUB(none, along), I_GT(flip_x, none)),
                             I_IF(across, I_SUB(none, across), I_GT(flip_y, none))};
}

/// Where rays enter a column of blocks: a, the row of blocks, and where their tops are: `column` + `row_at`.
typedef struct DS(level_place) {
    WF at;
    WI row, row_at, column;
} DS(level_place);

/// The row of blocks of rays at a place of a, as wide_row.
INLINE WI DS(level_row)(const DS(level_lanes) * l, const DS(level_octants) * o, int level, WF at) {
    WF along = F_FMA(at, l->slope_b, l->share);
    return I_DOWN(I_CLAMP(I_ADD(l->y0, I_OF(along)), o->low_y, o->high_y), level);
}

INLINE DS(level_place) DS(level_enter)(const DS(level_lanes) * l, const DS(level_octants) * o,
                                       const DS(level_steps) * s, int level, WI column, WF begin) {
    DS(level_place) p = {.at = F_MAX(begin, l->at)};
    p.row = DS(level_row)(l, o, level, p.at);
    p.row_at = I_MUL(p.row, s->across);
    p.column = I_ADD(s->start, I_MUL(column, s->along));
    return p;
}

/// Compare rays with a column of blocks each, whose far side is at `end`, by the rules of wide_step. Returns those that may meet; the
/// place becomes the next column.
INLINE WM DS(level_meets)(const DS(level_lanes) * l, const DS(level_octants) * o, const DS(level_steps) * s,
                          const DS(level_blocks) * b, WF end, WM which, DS(level_place) * p) {
    WM falls = I_NEGATIVE(I_OF_BITS(l->slope_code));
    // Not before the start of a ray, nor after its end.
    WM there = W_AND(which, W_AND(F_GE(end, l->at), F_LT(p->at, l->last)));
    WF leaves = F_MAX(F_MIN(end, l->last), p->at);
    WI till = DS(level_row)(l, o, b->level, leaves), till_at = I_MUL(till, s->across);
    WI rise = I_SUB(till, p->row), first = I_ADD(p->column, p->row_at);
    // Next to corners rounding can make it three rows: then the ray is in the first one for less than that.
    first = I_IF(first, I_ADD(first, s->across), I_GT(rise, I_SET(1)));
    WI top = I_MAX(DS(wide_codes)(b->bounds, first, there),
                   DS(wide_codes)(b->bounds, I_ADD(p->column, till_at), W_AND(there, I_GT(rise, I_SET(0)))));
    WF low = F_FMA(F_IF(p->at, leaves, falls), l->slope_code, l->code);
    low = F_MIN(F_MAX(low, F_SET(0.5f)), F_SET(65534.5f));
    *p = (DS(level_place)){leaves, till, till_at, I_ADD(p->column, s->along)};
    return W_AND(there, F_LE(low, F_OF(top)));
}

/// Compare rays with `count` columns of blocks each from `column` on, where there are many until all rays have ended. Adds the pairs that
/// may meet; false where there are too many.
INLINE bool DS(level_compare)(const DS(level_lanes) * l, const DS(level_octants) * o,
                              const DS(level_blocks) * b, WI ray, WI column, int count, WM which,
                              DS(level_pairs) * to) {
    WF side = F_SET((float)(1 << b->level)), begin = F_OF(I_SUB(I_UP(column, b->level), l->x0));
    DS(level_steps) s = DS(level_steps_of)(o, b);
    DS(level_place) p = DS(level_enter)(l, o, &s, b->level, column, begin);
    WI pairs = I_OR(I_UP(column, 4), ray);
    for (int k = 0; k < count && to->count <= LEVEL_PAIRS; k += LEVEL_ONCE) {
        if (count > LEVEL_ONCE && !W_BITS(W_AND(which, F_LT(p.at, l->last))))
            break;
        int found = to->count;
        for (int n = 0; n < LEVEL_ONCE; n++) {
            begin = begin + side;
            WM meets = DS(level_meets)(l, o, &s, b, begin, which, &p);
            found += DS(wide_keep)(to->of + found, pairs, meets);
            pairs = I_ADD(pairs, I_SET(16));
        }
        to->count = found;
    }
    return to->count <= LEVEL_PAIRS;
}

INLINE DS(level_blocks) DS(level_blocks_of)(const lf_grid *grid, const DS(wide_tables) * w, int level) {
    return (DS(level_blocks)){grid->bounds, level, I_SET(w->offsets[level]), I_SET(w->strides[level])};
}

/// Compare the rays with the columns of the coarsest level, then with finer ones; the pairs that are left on the finest one. NULL where there are too many.
INLINE const DS(level_pairs) * DS(level_descend)(const DS(level_rays) * l, const lf_grid *grid,
                                                 const DS(wide_tables) * w, unsigned which,
                                                 DS(level_pairs) lists[2], int *finest) {
    int level = grid->first_top, now = 0;
    while (level + LEVEL_DOWN < grid->level_count && level + LEVEL_DOWN < 16 &&
           grid->mirror >> (level + LEVEL_DOWN) >= LEVEL_COLUMNS)
        level += LEVEL_DOWN;
    DS(level_blocks) b = DS(level_blocks_of)(grid, w, level);
    lists[0].count = 0;
    int most = (int)(grid->mirror >> level) + 1;
    for (int n = 0; n < WIDE_VECTORS; n++) {
        DS(level_lanes) lanes = DS(level_load)(l, n);
        DS(level_octants) o = DS(level_of_octants)(w, lanes.octant);
        WI ray = I_ADD(I_LANES, I_SET(WIDE_LANES * n));
        if (!DS(level_compare)(&lanes, &o, &b, ray, I_DOWN(lanes.x0, level), most,
                               W_OF_BITS(which >> WIDE_LANES * n), &lists[0]))
            return NULL;
    }
    for (level -= LEVEL_DOWN; level >= grid->first_top && lists[now].count > 0; level -= LEVEL_DOWN) {
        b = DS(level_blocks_of)(grid, w, level);
        lists[!now].count = 0;
        for (int k = 0; k < lists[now].count; k += WIDE_LANES) {
            int left = lists[now].count - k;
            WI pairs = I_LOADU(lists[now].of + k), ray = I_AND(pairs, I_SET(15));
            DS(level_lanes) chosen = DS(level_choose)(l, ray);
            DS(level_octants) o = DS(level_of_octants)(w, chosen.octant);
            if (!DS(level_compare)(&chosen, &o, &b, ray, I_UP(I_DOWN(pairs, 4), LEVEL_DOWN), 1 << LEVEL_DOWN,
                                   W_OF_BITS(left < WIDE_LANES ? (1u << left) - 1 : ~0u), &lists[!now]))
                return NULL;
        }
        now = !now;
    }
    *finest = level + LEVEL_DOWN;
    return &lists[now];
}

/// Answer level rays that meet nothing, and let the others start where they may.
TARGET static void DS(level_go)(DS(lf__sixteen) * r, const lf__batch_rays *v, const DS(wide_tables) * w) {
    const lf_grid *grid = v->grid;
    unsigned which = 0;
    for (int n = 0; n < DS_PARTS; n++)
        which |= (r->waiting[n] & DS(level_suits)(&r->courses[n], grid)) << DOUBLES * n;
    if (__builtin_popcount(which) < LEVEL_FEWEST)
        return;
    DS(level_rays) l;
    DS(level_pairs) lists[2];
    int level;
    DS(level_start)(&l, r, v);
    const DS(level_pairs) *left = DS(level_descend)(&l, grid, w, which, lists, &level);
    if (!left)
        return;
    _Alignas(64) double starts[16];
    unsigned meets = 0;
    for (int k = 0; k < left->count; k++) {
        int ray = left->of[k] & 15;
        double start = (double)((uint32_t)left->of[k] >> 4 << level);
        starts[ray] = meets >> ray & 1 ? fmin(starts[ray], start) : start;
        meets |= 1u << ray;
    }
    for (int n = 0; n < DS_PARTS; n++) {
        const unsigned all = (1u << DOUBLES) - 1;
        unsigned here = meets >> DOUBLES * n & all, none = which >> DOUBLES * n & all & ~here;
        r->waiting[n] &= ~none;
        for (; none; none &= none - 1)
            lf__batch_rays_none(v, r->first[n] + __builtin_ctz(none));
        DS(lf__courses) *f = &r->courses[n];
        VD start = D_MIN(D_LOAD(starts + DOUBLES * n), f->end);
        f->start = D_IF(f->start, D_MAX(f->start, start), M_OF_BITS(here));
    }
}
