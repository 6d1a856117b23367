/// Many rays at once: eight of them in lanes, several packets of eight in turns.
///
/// Every lane walks down and up the pyramid on its own: over blocks of its level as long as they cannot be met, one level up
/// where the ray leaves a block of that level too, one level down where it may meet something. Where that happens on the finest
/// level, the lane waits until enough others do; then the columns they have come to are filtered by their posts, and what is
/// left is decided by lf__trace_square. Packets take turns so that one's loads are under way while another computes.
///
/// Places are floats, counted from the square where the lane started, so they are off by more the longer it gets; all bounds are
/// widened by what that can do. Rays that get nowhere in this manner are handed to the kernel for single ones.
#include "grid/k_board.h"
#include <string.h>

#if defined(__x86_64__)
#define TARGET LF__LANES_TARGET

#define LANES 8
#define PACKETS 4

/// Levels above the finest where lanes start, and how coarse they get: tables of levels are one register.
#define START 3
#define COARSEST 7

/// Columns that are filtered together, unless no other lane has anything to do.
#define ENOUGH 3

/// New rays are taken when so many lanes or fewer are busy.
#define FEW 6

/// Columns without a hit, after which a ray is handed over, and steps.
#define PATIENCE 16
#define STEPS 160

typedef struct packet {
    /// All bits or none: steps; waits for its column to be filtered; has waited long enough for its posts to come.
    _Alignas(32) int32_t live[LANES], waits[LANES], ready[LANES];
    int32_t x[LANES], y[LANES], level[LANES]; ///< square and level
    int32_t aim[LANES];                       ///< where the top of its block is
    int32_t x0[LANES], y0[LANES];             ///< where it started
    int32_t failed[LANES], steps[LANES];
    float floats[LF__FLOATS][LANES];
    int32_t words[LF__WORDS][LANES];
    lf__passenger passengers[LANES];
} packet;

typedef struct batch {
    lf__voyage voyage;
    const lf_grid *grid;
    __m256i offsets, strides; ///< of levels
    int finest, coarsest;
} batch;

TARGET static inline __m256 floats(const float *at) {
    return _mm256_load_ps(at);
}

TARGET static inline __m256i whole(const int32_t *at) {
    return _mm256_load_si256((const __m256i *)(const void *)at);
}

TARGET static inline __m256 mask_of(const int32_t *at) {
    return _mm256_castsi256_ps(whole(at));
}

TARGET static inline unsigned bits_of(const int32_t *at) {
    return (unsigned)_mm256_movemask_ps(mask_of(at));
}

TARGET static inline void keep(int32_t *at, __m256i value) {
    _mm256_store_si256((__m256i *)(void *)at, value);
}

TARGET static inline void keep_mask(int32_t *at, __m256 value) {
    keep(at, _mm256_castps_si256(value));
}

TARGET static inline __m256i choose(__m256i a, __m256i b, __m256 which) {
    return _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), which));
}

// ---------------------------------------------------------------------------------------------------
// Steps
// ---------------------------------------------------------------------------------------------------

/// Where the tops of the blocks are that lanes are in; they are asked for long before they are needed.
TARGET static inline void aim(packet *p, const batch *b) {
    __m256i level = whole(p->level);
    __m256i real_x = _mm256_srlv_epi32(_mm256_xor_si256(whole(p->x), whole(p->words[LF__FLIP_X])), level);
    __m256i real_y = _mm256_srlv_epi32(_mm256_xor_si256(whole(p->y), whole(p->words[LF__FLIP_Y])), level);
    __m256 swap = mask_of(p->words[LF__SWAP]);
    __m256i column = choose(real_x, real_y, swap), row = choose(real_y, real_x, swap);
    __m256i start = _mm256_add_epi32(_mm256_permutevar8x32_epi32(b->offsets, level), column);
    __m256i stride = _mm256_permutevar8x32_epi32(b->strides, level);
    keep(p->aim, _mm256_add_epi32(start, _mm256_mullo_epi32(row, stride)));
    for (int k = 0; k < LANES; k++)
        __builtin_prefetch(b->grid->bounds + p->aim[k]);
}

TARGET static inline __m256 tops(const packet *p, const batch *b) {
    return _mm256_cvtepi32_ps(lf__lanes_codes(b->grid->bounds, whole(p->aim)));
}

/// Ask for the posts of columns: two or three along each side, of which two neighbours usually lie together.
static inline void aim_at_posts(const packet *p, const lf_grid *grid, unsigned lanes) {
    for (; lanes; lanes &= lanes - 1) {
        int k = __builtin_ctz(lanes);
        float b = p->floats[LF__SHARE][k] + (float)(p->x[k] - p->x0[k]) * p->floats[LF__SLOPE_B][k],
              far = b + p->floats[LF__SLOPE_B][k];
        int32_t row = p->y0[k] + (int32_t)b;
        const char *near = grid->values + p->words[LF__BASE][k] + p->x[k] * p->words[LF__STEP_A][k] +
                           row * p->words[LF__STEP_B][k];
        __builtin_prefetch(near);
        __builtin_prefetch(near + p->words[LF__STEP_B][k]);
        __builtin_prefetch(near + p->words[LF__STEP_A][k]);
        if ((int32_t)far != (int32_t)b)
            __builtin_prefetch(near + p->words[LF__STEP_B][k] + p->words[LF__STEP_B][k]);
    }
}

/// Where lanes leave their blocks.
typedef struct leaving {
    __m256i x, y;     ///< first squares beyond
    __m256 at;        ///< a there, or the end
    __m256 by_x, end; ///< which side it is, and whether it is the end
} leaving;

TARGET static inline leaving leave(const packet *p, __m256i x, __m256i y, __m256i mask) {
    leaving l;
    __m256i one = _mm256_set1_epi32(1);
    l.x = _mm256_add_epi32(_mm256_or_si256(x, mask), one);
    l.y = _mm256_add_epi32(_mm256_or_si256(y, mask), one);
    __m256 side = _mm256_cvtepi32_ps(_mm256_sub_epi32(l.x, whole(p->x0)));
    __m256 rows = _mm256_cvtepi32_ps(_mm256_sub_epi32(l.y, whole(p->y0)));
    __m256 other =
        _mm256_mul_ps(_mm256_sub_ps(rows, floats(p->floats[LF__SHARE])), floats(p->floats[LF__BY_B]));
    // Nothing leaves the grid along b: the end comes first, but for rounding.
    __m256i inner = _mm256_cmpgt_epi32(whole(p->words[LF__HIGH_Y]), l.y);
    other = _mm256_blendv_ps(_mm256_set1_ps(INFINITY), other, _mm256_castsi256_ps(inner));
    __m256 last = floats(p->floats[LF__LAST]), nearest = _mm256_min_ps(side, other);
    l.at = _mm256_min_ps(nearest, last);
    l.by_x = _mm256_cmp_ps(side, other, _CMP_LE_OQ);
    l.end = _mm256_cmp_ps(nearest, last, _CMP_GE_OQ);
    return l;
}

/// Lanes that cannot meet anything in their blocks go on to the next ones.
TARGET static inline void advance(packet *p, const leaving *l, __m256i x, __m256i y, __m256 which) {
    __m256i one = _mm256_set1_epi32(1);
    __m256 along = _mm256_fmadd_ps(l->at, floats(p->floats[LF__SLOPE_B]), floats(p->floats[LF__SHARE]));
    __m256i at_x = _mm256_add_epi32(whole(p->x0), _mm256_cvttps_epi32(l->at));
    __m256i at_y = _mm256_add_epi32(whole(p->y0), _mm256_cvttps_epi32(along));
    at_x = lf__lanes_clamp(at_x, x, _mm256_sub_epi32(l->x, one));
    at_y =
        lf__lanes_clamp(at_y, y, _mm256_sub_epi32(_mm256_min_epi32(l->y, whole(p->words[LF__HIGH_Y])), one));
    __m256i next_x = choose(at_x, l->x, l->by_x), next_y = choose(l->y, at_y, l->by_x);
    keep(p->x, choose(x, next_x, which));
    keep(p->y, choose(y, next_y, which));
    _mm256_store_ps(p->floats[LF__AT], _mm256_blendv_ps(floats(p->floats[LF__AT]), l->at, which));
}

TARGET static inline void step(packet *p, const batch *b) {
    __m256i x = whole(p->x), y = whole(p->y), level = whole(p->level), one = _mm256_set1_epi32(1);
    __m256i mask = _mm256_sub_epi32(_mm256_sllv_epi32(one, level), one);
    __m256 top = tops(p, b);
    leaving l = leave(p, x, y, mask);
    __m256 slope = floats(p->floats[LF__SLOPE_CODE]), live = mask_of(p->live);
    __m256 low = _mm256_fmadd_ps(_mm256_blendv_ps(floats(p->floats[LF__AT]), l.at, slope), slope,
                                 floats(p->floats[LF__CODE]));
    low = _mm256_min_ps(_mm256_max_ps(low, _mm256_set1_ps(0.5f)), _mm256_set1_ps(65534.5f));
    __m256 meets = _mm256_and_ps(live, _mm256_cmp_ps(low, top, _CMP_LE_OQ));
    __m256 passes = _mm256_andnot_ps(meets, live);
    __m256 finest = _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_set1_epi32(b->finest + 1), level));
    __m256 waits = _mm256_and_ps(meets, finest), ends = _mm256_and_ps(passes, l.end);
    advance(p, &l, x, y, _mm256_andnot_ps(ends, passes));
    // Up where a block of the next level is left too; down where something may be met.
    __m256i left = choose(l.y, l.x, l.by_x), wider = _mm256_add_epi32(_mm256_add_epi32(mask, mask), one);
    __m256i up = _mm256_and_si256(_mm256_cmpeq_epi32(_mm256_and_si256(left, wider), _mm256_setzero_si256()),
                                  _mm256_cmpgt_epi32(_mm256_set1_epi32(b->coarsest), level));
    up = _mm256_and_si256(up, _mm256_castps_si256(passes));
    __m256i down = _mm256_castps_si256(_mm256_andnot_ps(finest, meets));
    keep(p->level, _mm256_add_epi32(_mm256_sub_epi32(level, up), down));
    keep_mask(p->waits, _mm256_or_ps(mask_of(p->waits), waits));
    keep_mask(p->live, _mm256_andnot_ps(_mm256_or_ps(waits, ends), live));
}

// ---------------------------------------------------------------------------------------------------
// Columns
// ---------------------------------------------------------------------------------------------------

/// Posts of the lanes' columns, less the height of the rays at their near sides. Lanes that are not ready read the first post of
/// all, which is at hand.
TARGET static inline void find_posts(const packet *p, const lf_grid *grid, __m256i y, __m256 over,
                                     lf__lanes_column *column) {
    __m256i near = _mm256_add_epi32(whole(p->words[LF__BASE]),
                                    _mm256_mullo_epi32(whole(p->x), whole(p->words[LF__STEP_A])));
    __m256i far = _mm256_add_epi32(near, whole(p->words[LF__STEP_A])), ready = whole(p->ready);
    for (int k = 0; k < 3; k++) {
        // The last row only where it matters: elsewhere it would be fetched in vain.
        __m256i on = k < 2 ? _mm256_set1_epi32(k)
                           : _mm256_sub_epi32(_mm256_set1_epi32(1), _mm256_castps_si256(column->step));
        __m256i row = _mm256_add_epi32(y, on);
        row = lf__lanes_clamp(row, whole(p->words[LF__LOW_Y]), whole(p->words[LF__HIGH_Y]));
        __m256i along = _mm256_mullo_epi32(row, whole(p->words[LF__STEP_B]));
        __m256i from = _mm256_and_si256(_mm256_add_epi32(near, along), ready);
        __m256i to = _mm256_and_si256(_mm256_add_epi32(far, along), ready);
        column->p[0][k] = _mm256_sub_ps(lf__lanes_posts(grid, grid->values, from), over);
        column->p[1][k] = _mm256_sub_ps(lf__lanes_posts(grid, grid->values, to), over);
    }
}

/// Which lanes are in columns beside holes?
TARGET static unsigned find_gaps(const packet *p, const batch *b, __m256i y, const lf__lanes_column *column) {
    const lf_grid *grid = b->grid;
    if (lf__lanes_nan_holes(grid))
        return (unsigned)_mm256_movemask_ps(lf__lanes_no_numbers(column));
    unsigned steps = (unsigned)_mm256_movemask_ps(column->step), found = 0;
    int32_t rows[LANES];
    _mm256_storeu_si256((__m256i *)(void *)rows, y);
    for (unsigned ready = bits_of(p->ready); ready; ready &= ready - 1) {
        int k = __builtin_ctz(ready);
        if (lf__lanes_gap(&b->voyage.octants[p->passengers[k].octant].course, grid, p->x[k], rows[k],
                          steps >> k & 1))
            found |= 1u << k;
    }
    return found;
}

/// Which lanes may meet something in the columns they are in?
TARGET static inline unsigned filter_columns(const packet *p, const batch *b) {
    const lf_grid *grid = b->grid;
    __m256 a = _mm256_cvtepi32_ps(_mm256_sub_epi32(whole(p->x), whole(p->x0)));
    lf__lanes_column column;
    column.slope_b = floats(p->floats[LF__SLOPE_B]);
    column.slope_z = floats(p->floats[LF__SLOPE_Z]);
    column.by_b = floats(p->floats[LF__BY_B]);
    column.by_flat = floats(p->floats[LF__BY_FLAT]);
    column.by_sum = floats(p->floats[LF__BY_SUM]);
    __m256 near = _mm256_fmadd_ps(a, column.slope_b, floats(p->floats[LF__SHARE]));
    __m256 far =
        _mm256_fmadd_ps(_mm256_add_ps(a, _mm256_set1_ps(1)), column.slope_b, floats(p->floats[LF__SHARE]));
    __m256 row = lf__lanes_place(&column, near, far);
    __m256i y = _mm256_add_epi32(whole(p->y0), _mm256_cvttps_epi32(row));
    find_posts(p, grid, y, _mm256_fmadd_ps(a, column.slope_z, floats(p->floats[LF__Z])), &column);
    lf__lanes_range range = lf__lanes_sides(&column);
    if (grid->surface == LF_SURFACE_BILINEAR) {
        lf__lanes_twist(&column, &range);
    } else {
        lf__lanes_along(&column, mask_of(p->words[LF__ALONG]), &range);
        lf__lanes_against(&column, mask_of(p->words[LF__AGAINST]), &range);
    }
    unsigned found =
        (unsigned)_mm256_movemask_ps(lf__lanes_meets(&column, &range, floats(p->floats[LF__EPS])));
    return grid->gaps ? found | find_gaps(p, b, y, &column) : found;
}

/// Lanes that were ready and met nothing go on with their next columns; those that are through are done.
TARGET static inline void next_columns(packet *p) {
    __m256 which = _mm256_and_ps(mask_of(p->ready), mask_of(p->waits));
    __m256i x = _mm256_add_epi32(whole(p->x), _mm256_set1_epi32(1));
    __m256 a = _mm256_cvtepi32_ps(_mm256_sub_epi32(x, whole(p->x0)));
    __m256 along = _mm256_fmadd_ps(a, floats(p->floats[LF__SLOPE_B]), floats(p->floats[LF__SHARE]));
    __m256i y = _mm256_add_epi32(whole(p->y0), _mm256_cvttps_epi32(along));
    y = lf__lanes_clamp(y, whole(p->y), _mm256_sub_epi32(whole(p->words[LF__HIGH_Y]), _mm256_set1_epi32(1)));
    __m256 ended = _mm256_cmp_ps(a, floats(p->floats[LF__LAST]), _CMP_GE_OQ);
    __m256 moves = _mm256_andnot_ps(ended, which);
    keep(p->x, choose(whole(p->x), x, moves));
    keep(p->y, choose(whole(p->y), y, moves));
    _mm256_store_ps(p->floats[LF__AT], _mm256_blendv_ps(floats(p->floats[LF__AT]), a, moves));
    keep_mask(p->live, _mm256_or_ps(mask_of(p->live), moves));
    keep(p->failed, _mm256_sub_epi32(whole(p->failed), _mm256_castps_si256(moves)));
    keep_mask(p->waits, _mm256_andnot_ps(which, mask_of(p->waits)));
}

// ---------------------------------------------------------------------------------------------------
// Rays come and go
// ---------------------------------------------------------------------------------------------------

/// A ray from its berth into a lane.
static void board(packet *p, int k, const batch *b, int berth) {
    const lf__berths *q = &b->voyage.berths;
    lf__passenger *one = &p->passengers[k];
    one->index = q->first + berth;
    one->octant = q->octant[berth];
    for (int n = 0; n < LF__DOUBLES; n++)
        one->values[n] = q->doubles[n][berth];
    for (int n = 0; n < LF__FLOATS; n++)
        p->floats[n][k] = q->floats[n][berth];
    const lf__octant *octant = &b->voyage.octants[one->octant];
    for (int n = 0; n < LF__WORDS; n++)
        p->words[n][k] = octant->words[n];
    p->x[k] = p->x0[k] = q->x[berth];
    p->y[k] = p->y0[k] = q->y[berth];
    p->level[k] = b->finest + START < b->coarsest ? b->finest + START : b->coarsest;
    p->live[k] = -1;
    p->failed[k] = p->steps[k] = 0;
}

/// Fill lanes as long as there are rays. Returns those that were filled.
TARGET static unsigned take_rays(packet *p, batch *b, unsigned room) {
    lf__voyage *v = &b->voyage;
    unsigned filled = 0;
    for (; room; room &= room - 1) {
        while (!v->berths.waiting && v->next < v->count)
            lf__voyage_fetch(v);
        if (!v->berths.waiting)
            break;
        board(p, __builtin_ctz(room), b, __builtin_ctz(v->berths.waiting));
        v->berths.waiting &= v->berths.waiting - 1;
        filled |= room & -room;
    }
    return filled;
}

/// A ray that takes too long goes on as a single one.
static void hand_over(packet *p, int k, const batch *b) {
    const lf__passenger *one = &p->passengers[k];
    lf__walker w;
    lf__walker_start(&w, &b->voyage, one);
    w.course.start = fmax(w.course.start, (double)p->x[k] - LF__COURSE_SLACK);
    b->grid->kernels->run(&w.trace, &w.course);
    lf__walker_finish(&w, &b->voyage, one);
    p->live[k] = 0;
}

/// Decide about the columns of waiting lanes. Returns the lanes whose rays met something: they are answered.
TARGET static unsigned decide(packet *p, const batch *b, unsigned ready) {
    unsigned met = 0;
    for (unsigned maybe = filter_columns(p, b) & ready; maybe; maybe &= maybe - 1) {
        int k = __builtin_ctz(maybe);
        const lf__passenger *one = &p->passengers[k];
        lf__walker w;
        lf__walker_start(&w, &b->voyage, one);
        if (lf__lanes_try_column(&w.course, &w.trace, p->x[k])) {
            lf__walker_finish(&w, &b->voyage, one);
            p->waits[k] = 0;
            met |= maybe & -maybe;
        }
    }
    next_columns(p);
    return met;
}

/// Those that get nowhere leave. Returns them.
TARGET static unsigned drop_tired(packet *p, const batch *b) {
    __m256i tired = _mm256_or_si256(_mm256_cmpgt_epi32(whole(p->failed), _mm256_set1_epi32(PATIENCE)),
                                    _mm256_cmpgt_epi32(whole(p->steps), _mm256_set1_epi32(STEPS)));
    unsigned over = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(tired)) & bits_of(p->live);
    for (unsigned left = over; left; left &= left - 1)
        hand_over(p, __builtin_ctz(left), b);
    return over;
}

/// Steps of a packet, then what has to be done in between. Returns whether it is still busy.
TARGET static bool turn(packet *p, batch *b, unsigned *aboard) {
    unsigned ready = bits_of(p->waits);
    keep_mask(p->ready, mask_of(p->waits));
    step(p, b);
    keep(p->steps, _mm256_sub_epi32(whole(p->steps), whole(p->live)));
    unsigned live = bits_of(p->live), waiting = bits_of(p->waits);
    aim_at_posts(p, b->grid, waiting & ~ready);
    if (ready && (__builtin_popcount(ready) >= ENOUGH || live == 0)) {
        *aboard &= ~decide(p, b, ready);
        *aboard &= ~drop_tired(p, b);
        live = bits_of(p->live);
        waiting = bits_of(p->waits);
    }
    unsigned busy = live | waiting;
    for (unsigned done = *aboard & ~busy; done; done &= done - 1)
        lf__voyage_none(&b->voyage, p->passengers[__builtin_ctz(done)].index);
    *aboard = busy;
    if (__builtin_popcount(busy) <= FEW)
        *aboard |= take_rays(p, b, ~busy & 0xff);
    aim(p, b);
    return *aboard != 0;
}

TARGET void lf__grid_batch_avx2(const lf_grid *grid, const lf_ray *rays, size_t ray_stride, int64_t count,
                                lf_hit *hits, size_t hit_stride) {
    packet packets[PACKETS];
    unsigned aboard[PACKETS] = {0};
    int32_t offsets[8], strides[8];
    batch b = {.grid = grid,
               .voyage = {.grid = grid,
                          .rays = rays,
                          .ray_stride = ray_stride,
                          .hit_stride = hit_stride,
                          .hits = hits,
                          .count = count,
                          .by_quantum = 1 / grid->quantum}};
    for (int k = 0; k < 8; k++)
        lf__octant_make(&b.voyage.octants[k], grid, k);
    b.finest = grid->first_top;
    b.coarsest = grid->level_count - 1 < COARSEST ? grid->level_count - 1 : COARSEST;
    for (int l = 0; l < 8; l++) {
        int known = l < b.finest ? b.finest : l > b.coarsest ? b.coarsest : l;
        offsets[l] = (int32_t)(grid->levels[known].top - grid->bounds);
        strides[l] = (int32_t)grid->levels[known].stride;
    }
    b.offsets = _mm256_loadu_si256((const __m256i *)(const void *)offsets);
    b.strides = _mm256_loadu_si256((const __m256i *)(const void *)strides);
    for (int k = 0; k < PACKETS; k++) {
        memset(&packets[k], 0, offsetof(packet, passengers));
        for (int lane = 0; lane < LANES; lane++)
            packets[k].level[lane] = b.finest;
        aim(&packets[k], &b);
    }
    for (bool busy = true; busy;) {
        busy = false;
        for (int k = 0; k < PACKETS; k++)
            busy |= turn(&packets[k], &b, &aboard[k]);
    }
}

#endif
