/// First hits of many rays with AVX2: eight rays in lanes, several packets of eight in turns.
///
/// Every lane traverses the pyramid by itself: it advances over blocks of its level that the ray cannot meet,
/// goes one level up where the ray also leaves a block of that level, and one level down where the ray may
/// meet something. On the finest level the lane waits until enough others do; then their columns are filtered
/// by samples, and lf__trace_square decides about those that remain. Packets take turns so that the loads of
/// one overlap with the computation of another.
///
/// On x86, sixteen rays that are close together first go to their hits together (k_close.h), and long level rays are compared with
/// blocks (k_level.h); lanes get what is left.
///
/// Coordinates are floats relative to the square where the lane started, so their errors grow with the length
/// of the ray; all bounds are widened accordingly. Rays that take too many steps are passed to the kernel for
/// single rays.
#include "grid/k_batch.h"
#include <string.h>

#if LF__SIMD
#define TARGET LF__LANES_TARGET
#define DOUBLES 4
#define DOUBLES_TARGET TARGET
#include "grid/k_courses.h"

#include "grid/k_cells.h"

#if LF__X86
#define INLINE TARGET __attribute__((always_inline)) static inline
#include "grid/k_wide.h"

#include "grid/k_close.h"
#include "grid/k_level.h"
#endif

#include "grid/k_group.h"

#define BATCH_LANES 8
#define BATCH_PACKETS 4

/// Level above the finest where lanes start (those of a group: lf__group), and the coarsest level: tables of levels fit into one register.
#define BATCH_START 3
#define BATCH_NEAR 1
#define BATCH_COARSEST 7

/// Number of waiting columns from which on they are filtered, unless no other lane is active.
#define BATCH_ENOUGH 3

/// New rays are loaded when this many lanes or fewer are busy.
#define BATCH_FEW 6

/// Columns without a hit, and steps, after which a ray is passed to the kernel for single rays.
#define BATCH_PATIENCE 16
#define BATCH_STEPS 160

/// Cells wait until there are four, so at most three and those of one packet.
#define BATCH_QUEUE (3 + BATCH_LANES)

typedef struct packet {
    /// Masks of all bits or none: the lane steps; it waits for its column to be filtered; its samples have
    /// been prefetched.
    _Alignas(32) int32_t live[BATCH_LANES], waits[BATCH_LANES], ready[BATCH_LANES];
    int32_t x[BATCH_LANES], y[BATCH_LANES], level[BATCH_LANES]; ///< square and level
    int32_t aim[BATCH_LANES];                                   ///< index of the top of its block
    int32_t x0[BATCH_LANES], y0[BATCH_LANES];                   ///< where it started
    int32_t failed[BATCH_LANES], steps[BATCH_LANES];
    float floats[LF__FLOATS][BATCH_LANES];
    int32_t words[LF__WORDS][BATCH_LANES];
    lf__batch_lane rays[BATCH_LANES];
    unsigned occupied; ///< lanes that have a ray
    unsigned held;     ///< lanes that wait in the queue of cells
} packet;

/// A lane whose ray may meet something in its column.
typedef struct batch_candidate {
    packet *packet;
    int lane;
    int step; ///< 1: in the second square of the column, not in the first
} batch_candidate;

typedef struct batch_state {
    lf__group_rays group;
    const lf_grid *grid;
    __m256i offsets, strides; ///< of levels
    int finest, coarsest;
    bool by_cells; ///< lf__cells_serve
    batch_candidate queue[BATCH_QUEUE];
    int queued;
} batch_state;

TARGET static inline __m256 batch_floats(const float *at) {
    return _mm256_load_ps(at);
}

TARGET static inline __m256i batch_words(const int32_t *at) {
    return _mm256_load_si256((const __m256i *)(const void *)at);
}

TARGET static inline __m256 batch_mask(const int32_t *at) {
    return _mm256_castsi256_ps(batch_words(at));
}

TARGET static inline unsigned batch_bits(const int32_t *at) {
    return (unsigned)_mm256_movemask_ps(batch_mask(at));
}

TARGET static inline void batch_store(int32_t *at, __m256i value) {
    _mm256_store_si256((__m256i *)(void *)at, value);
}

TARGET static inline void batch_store_mask(int32_t *at, __m256 value) {
    batch_store(at, _mm256_castps_si256(value));
}

TARGET static inline __m256i batch_choose(__m256i a, __m256i b, __m256 which) {
    return _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), which));
}

// ---------------------------------------------------------------------------------------------------
// Steps
// ---------------------------------------------------------------------------------------------------

/// Compute the indices of the tops of the lanes' blocks, and prefetch them.
TARGET static inline void packet_aim(packet *p, const batch_state *b) {
    __m256i level = batch_words(p->level);
    __m256i real_x =
        _mm256_srlv_epi32(_mm256_xor_si256(batch_words(p->x), batch_words(p->words[LF__FLIP_X])), level);
    __m256i real_y =
        _mm256_srlv_epi32(_mm256_xor_si256(batch_words(p->y), batch_words(p->words[LF__FLIP_Y])), level);
    __m256 swap = batch_mask(p->words[LF__SWAP]);
    __m256i column = batch_choose(real_x, real_y, swap), row = batch_choose(real_y, real_x, swap);
    __m256i start = _mm256_add_epi32(_mm256_permutevar8x32_epi32(b->offsets, level), column);
    __m256i stride = _mm256_permutevar8x32_epi32(b->strides, level);
    batch_store(p->aim, _mm256_add_epi32(start, _mm256_mullo_epi32(row, stride)));
    for (int k = 0; k < BATCH_LANES; k++)
        __builtin_prefetch(b->grid->bounds + p->aim[k]);
}

TARGET static inline __m256 packet_tops(const packet *p, const batch_state *b) {
    _Alignas(32)
        int32_t at[BATCH_LANES]; // a copy in a register: 3 % faster than the lanes of `aim` themselves
    batch_store(at, batch_words(p->aim));
    return _mm256_cvtepi32_ps(lf__lanes_codes_at(b->grid->bounds, at));
}

/// Prefetch the samples of columns: two or three along each side, of which two neighbours are usually
/// adjacent.
static inline void packet_prefetch_samples(const packet *p, const lf_grid *grid, unsigned lanes) {
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
typedef struct packet_leaving {
    __m256i x, y;     ///< first squares after the block
    __m256 at;        ///< a where the ray leaves, or the end
    __m256 by_x, end; ///< leaves through the side of a; reaches the end
} packet_leaving;

TARGET static inline packet_leaving packet_leave(const packet *p, __m256i x, __m256i y, __m256i mask) {
    packet_leaving l;
    __m256i one = _mm256_set1_epi32(1);
    l.x = _mm256_add_epi32(_mm256_or_si256(x, mask), one);
    l.y = _mm256_add_epi32(_mm256_or_si256(y, mask), one);
    __m256 side = _mm256_cvtepi32_ps(_mm256_sub_epi32(l.x, batch_words(p->x0)));
    __m256 rows = _mm256_cvtepi32_ps(_mm256_sub_epi32(l.y, batch_words(p->y0)));
    __m256 other = _mm256_mul_ps(_mm256_sub_ps(rows, batch_floats(p->floats[LF__SHARE])),
                                 batch_floats(p->floats[LF__BY_B]));
    // The ray ends before it leaves the grid along b, except for rounding.
    __m256i inner = _mm256_cmpgt_epi32(batch_words(p->words[LF__HIGH_Y]), l.y);
    other = _mm256_blendv_ps(_mm256_set1_ps(INFINITY), other, _mm256_castsi256_ps(inner));
    __m256 last = batch_floats(p->floats[LF__LAST]), nearest = _mm256_min_ps(side, other);
    l.at = _mm256_min_ps(nearest, last);
    l.by_x = _mm256_cmp_ps(side, other, _CMP_LE_OQ);
    l.end = _mm256_cmp_ps(nearest, last, _CMP_GE_OQ);
    return l;
}

/// Advance lanes that cannot meet anything in their blocks to the next blocks.
TARGET static inline void packet_advance(packet *p, const packet_leaving *l, __m256i x, __m256i y,
                                         __m256 which) {
    __m256i one = _mm256_set1_epi32(1);
    __m256 along =
        _mm256_fmadd_ps(l->at, batch_floats(p->floats[LF__SLOPE_B]), batch_floats(p->floats[LF__SHARE]));
    __m256i at_x = _mm256_add_epi32(batch_words(p->x0), _mm256_cvttps_epi32(l->at));
    __m256i at_y = _mm256_add_epi32(batch_words(p->y0), _mm256_cvttps_epi32(along));
    at_x = lf__lanes_clamp(at_x, x, _mm256_sub_epi32(l->x, one));
    at_y = lf__lanes_clamp(at_y, y,
                           _mm256_sub_epi32(_mm256_min_epi32(l->y, batch_words(p->words[LF__HIGH_Y])), one));
    __m256i next_x = batch_choose(at_x, l->x, l->by_x), next_y = batch_choose(l->y, at_y, l->by_x);
    batch_store(p->x, batch_choose(x, next_x, which));
    batch_store(p->y, batch_choose(y, next_y, which));
    _mm256_store_ps(p->floats[LF__AT], _mm256_blendv_ps(batch_floats(p->floats[LF__AT]), l->at, which));
}

TARGET static inline void packet_step(packet *p, const batch_state *b) {
    __m256i x = batch_words(p->x), y = batch_words(p->y), level = batch_words(p->level),
            one = _mm256_set1_epi32(1);
    __m256i mask = _mm256_sub_epi32(_mm256_sllv_epi32(one, level), one);
    __m256 top = packet_tops(p, b);
    packet_leaving l = packet_leave(p, x, y, mask);
    __m256 slope = batch_floats(p->floats[LF__SLOPE_CODE]), live = batch_mask(p->live);
    __m256 low = _mm256_fmadd_ps(_mm256_blendv_ps(batch_floats(p->floats[LF__AT]), l.at, slope), slope,
                                 batch_floats(p->floats[LF__CODE]));
    low = _mm256_min_ps(_mm256_max_ps(low, _mm256_set1_ps(0.5f)), _mm256_set1_ps(65534.5f));
    __m256 meets = _mm256_and_ps(live, _mm256_cmp_ps(low, top, _CMP_LE_OQ));
    __m256 passes = _mm256_andnot_ps(meets, live);
    __m256 finest = _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_set1_epi32(b->finest + 1), level));
    __m256 waits = _mm256_and_ps(meets, finest), ends = _mm256_and_ps(passes, l.end);
    packet_advance(p, &l, x, y, _mm256_andnot_ps(ends, passes));
    // Up where the ray also leaves a block of the next level; down where it may meet something.
    __m256i left = batch_choose(l.y, l.x, l.by_x),
            wider = _mm256_add_epi32(_mm256_add_epi32(mask, mask), one);
    __m256i up = _mm256_and_si256(_mm256_cmpeq_epi32(_mm256_and_si256(left, wider), _mm256_setzero_si256()),
                                  _mm256_cmpgt_epi32(_mm256_set1_epi32(b->coarsest), level));
    up = _mm256_and_si256(up, _mm256_castps_si256(passes));
    __m256i down = _mm256_castps_si256(_mm256_andnot_ps(finest, meets));
    batch_store(p->level, _mm256_add_epi32(_mm256_sub_epi32(level, up), down));
    batch_store_mask(p->waits, _mm256_or_ps(batch_mask(p->waits), waits));
    batch_store_mask(p->live, _mm256_andnot_ps(_mm256_or_ps(waits, ends), live));
}

// ---------------------------------------------------------------------------------------------------
// Columns
// ---------------------------------------------------------------------------------------------------

/// Samples of the lanes' columns, less the heights of the rays at their near sides. Lanes that are not ready
/// read the first sample of the grid, which is in the cache.
TARGET static inline void packet_samples(const packet *p, const lf_grid *grid, __m256i y, __m256 over,
                                         lf__lanes_column *column) {
    __m256i near = _mm256_add_epi32(batch_words(p->words[LF__BASE]),
                                    _mm256_mullo_epi32(batch_words(p->x), batch_words(p->words[LF__STEP_A])));
    __m256i far = _mm256_add_epi32(near, batch_words(p->words[LF__STEP_A])), ready = batch_words(p->ready);
    for (int k = 0; k < 3; k++) {
        // The last row only where it is used, to avoid a cache miss.
        __m256i on = k < 2 ? _mm256_set1_epi32(k)
                           : _mm256_sub_epi32(_mm256_set1_epi32(1), _mm256_castps_si256(column->step));
        __m256i row = _mm256_add_epi32(y, on);
        row = lf__lanes_clamp(row, batch_words(p->words[LF__LOW_Y]), batch_words(p->words[LF__HIGH_Y]));
        __m256i along = _mm256_mullo_epi32(row, batch_words(p->words[LF__STEP_B]));
        __m256i from = _mm256_and_si256(_mm256_add_epi32(near, along), ready);
        __m256i to = _mm256_and_si256(_mm256_add_epi32(far, along), ready);
        column->p[0][k] = _mm256_sub_ps(lf__lanes_heights(grid, grid->values, from), over);
        column->p[1][k] = _mm256_sub_ps(lf__lanes_heights(grid, grid->values, to), over);
    }
}

/// The lanes in columns next to voids.
TARGET static unsigned packet_gaps(const packet *p, const batch_state *b, __m256i y,
                                   const lf__lanes_column *column) {
    const lf_grid *grid = b->grid;
    if (lf__lanes_nan_voids(grid))
        return (unsigned)_mm256_movemask_ps(lf__lanes_nan(column));
    unsigned steps = (unsigned)_mm256_movemask_ps(column->step), found = 0;
    int32_t rows[BATCH_LANES];
    _mm256_storeu_si256((__m256i *)(void *)rows, y);
    for (unsigned ready = batch_bits(p->ready); ready; ready &= ready - 1) {
        int k = __builtin_ctz(ready);
        if (lf__lanes_gap(&b->group.rays.octants[p->rays[k].octant].course, grid, p->x[k], rows[k],
                          steps >> k & 1))
            found |= 1u << k;
    }
    return found;
}

/// The lanes that may meet something in their columns.
TARGET static inline unsigned packet_filter_columns(const packet *p, const batch_state *b) {
    const lf_grid *grid = b->grid;
    __m256 a = _mm256_cvtepi32_ps(_mm256_sub_epi32(batch_words(p->x), batch_words(p->x0)));
    lf__lanes_column column;
    column.slope_b = batch_floats(p->floats[LF__SLOPE_B]);
    column.slope_z = batch_floats(p->floats[LF__SLOPE_Z]);
    column.by_b = batch_floats(p->floats[LF__BY_B]);
    column.by_flat = batch_floats(p->floats[LF__BY_FLAT]);
    column.by_sum = batch_floats(p->floats[LF__BY_SUM]);
    __m256 near = _mm256_fmadd_ps(a, column.slope_b, batch_floats(p->floats[LF__SHARE]));
    __m256 far = _mm256_fmadd_ps(_mm256_add_ps(a, _mm256_set1_ps(1)), column.slope_b,
                                 batch_floats(p->floats[LF__SHARE]));
    __m256 row = lf__lanes_place(&column, near, far);
    __m256i y = _mm256_add_epi32(batch_words(p->y0), _mm256_cvttps_epi32(row));
    packet_samples(p, grid, y, _mm256_fmadd_ps(a, column.slope_z, batch_floats(p->floats[LF__Z])), &column);
    lf__lanes_range range = lf__lanes_sides(&column);
    if (grid->surface == LF_SURFACE_BILINEAR) {
        lf__lanes_twist(&column, &range);
    } else {
        lf__lanes_along(&column, batch_mask(p->words[LF__ALONG]), &range);
        lf__lanes_against(&column, batch_mask(p->words[LF__AGAINST]), &range);
    }
    unsigned found =
        (unsigned)_mm256_movemask_ps(lf__lanes_meets(&column, &range, batch_floats(p->floats[LF__EPS])));
    return grid->gaps ? found | packet_gaps(p, b, y, &column) : found;
}

/// Advance lanes that were ready and met nothing to their next columns, and stop those at their end.
TARGET static inline void packet_next_columns(packet *p) {
    __m256 which = _mm256_and_ps(batch_mask(p->ready), batch_mask(p->waits));
    __m256i x = _mm256_add_epi32(batch_words(p->x), _mm256_set1_epi32(1));
    __m256 a = _mm256_cvtepi32_ps(_mm256_sub_epi32(x, batch_words(p->x0)));
    __m256 along =
        _mm256_fmadd_ps(a, batch_floats(p->floats[LF__SLOPE_B]), batch_floats(p->floats[LF__SHARE]));
    __m256i y = _mm256_add_epi32(batch_words(p->y0), _mm256_cvttps_epi32(along));
    y = lf__lanes_clamp(y, batch_words(p->y),
                        _mm256_sub_epi32(batch_words(p->words[LF__HIGH_Y]), _mm256_set1_epi32(1)));
    __m256 ended = _mm256_cmp_ps(a, batch_floats(p->floats[LF__LAST]), _CMP_GE_OQ);
    __m256 moves = _mm256_andnot_ps(ended, which);
    batch_store(p->x, batch_choose(batch_words(p->x), x, moves));
    batch_store(p->y, batch_choose(batch_words(p->y), y, moves));
    _mm256_store_ps(p->floats[LF__AT], _mm256_blendv_ps(batch_floats(p->floats[LF__AT]), a, moves));
    batch_store_mask(p->live, _mm256_or_ps(batch_mask(p->live), moves));
    batch_store(p->failed, _mm256_sub_epi32(batch_words(p->failed), _mm256_castps_si256(moves)));
    batch_store_mask(p->waits, _mm256_andnot_ps(which, batch_mask(p->waits)));
}

// ---------------------------------------------------------------------------------------------------
// Starting and finishing rays
// ---------------------------------------------------------------------------------------------------

/// Move a ray from its slot to a lane.
static void packet_load_ray(packet *p, int k, const batch_state *b, const lf__batch_slots_4 *q, int slot) {
    lf__batch_lane *one = &p->rays[k];
    bool turns = one->octant != q->octant[slot];
    one->index = q->first + slot;
    one->octant = q->octant[slot];
    memcpy(one->values, q->doubles[slot], sizeof one->values);
    for (int n = 0; n < LF__FLOATS; n++)
        p->floats[n][k] = q->floats[n][slot];
    const lf__octant *octant = &b->group.rays.octants[one->octant];
    for (int n = 0; n < LF__WORDS && turns; n++)
        p->words[n][k] = octant->words[n];
    p->x[k] = p->x0[k] = q->x[slot];
    p->y[k] = p->y0[k] = q->y[slot];
    int level = b->finest + (b->group.near ? BATCH_NEAR : BATCH_START);
    p->level[k] = level < b->coarsest ? level : b->coarsest;
    p->live[k] = -1;
    p->failed[k] = p->steps[k] = 0;
}

/// Fill free lanes while there are rays. Returns the lanes that were filled.
TARGET static unsigned packet_take_rays(packet *p, batch_state *b, unsigned idle) {
    lf__group_rays *g = &b->group;
    unsigned filled = 0;
    for (; idle; idle &= idle - 1) {
        int four = lf__group_waiting(g);
        if (four < 0)
            break;
        packet_load_ray(p, __builtin_ctz(idle), b, &g->read.slots[four],
                        __builtin_ctz(g->read.waiting[four]));
        g->read.waiting[four] &= g->read.waiting[four] - 1;
        filled |= idle & -idle;
    }
    return filled;
}

/// Continue a ray that takes too many steps as a single ray.
static void packet_hand_over(packet *p, int k, const batch_state *b) {
    const lf__batch_lane *one = &p->rays[k];
    lf__batch_single w;
    lf__batch_single_start(&w, &b->group.rays, one);
    w.course.start = fmax(w.course.start, (double)p->x[k] - LF__GRID_COURSE_SLACK);
    b->grid->kernels->run(&w.trace, &w.course);
    lf__batch_single_finish(&w, &b->group.rays, one);
    p->live[k] = 0;
}

/// Advance one lane that met nothing in its column to the next one, as packet_next_columns.
TARGET static void packet_next_column(packet *p, int k) {
    int32_t x = p->x[k] + 1, most = p->words[LF__HIGH_Y][k] - 1;
    float a = (float)(x - p->x0[k]);
    if (a >= p->floats[LF__LAST][k])
        return;
    int32_t y = p->y0[k] + (int32_t)(a * p->floats[LF__SLOPE_B][k] + p->floats[LF__SHARE][k]);
    y = y < most ? y : most;
    p->x[k] = x;
    p->y[k] = y > p->y[k] ? y : p->y[k];
    p->floats[LF__AT][k] = a;
    p->live[k] = -1;
    p->failed[k]++;
}

/// Decide about the column of one lane by the exact step. Returns whether its ray met something and is answered.
TARGET static bool packet_decide_lane(const packet *p, int k, const batch_state *b) {
    const lf__batch_lane *one = &p->rays[k];
    lf__batch_single w;
    lf__batch_single_start(&w, &b->group.rays, one);
    if (!lf__lanes_try_column(&w.course, &w.trace, p->x[k]))
        return false;
    lf__batch_single_finish(&w, &b->group.rays, one);
    return true;
}

/// Decide about the last four columns of the queue, or about all if there are fewer.
TARGET static void batch_meet_cells(batch_state *b) {
    const lf__batch_lane *rays[4];
    double columns[4], steps[4];
    int count = b->queued < 4 ? b->queued : 4;
    const batch_candidate *queue = &b->queue[b->queued - count];
    for (int n = 0; n < 4; n++) {
        const batch_candidate *one = &queue[n < count ? n : 0];
        rays[n] = &one->packet->rays[one->lane];
        columns[n] = one->packet->x[one->lane];
        steps[n] = one->step;
    }
    unsigned answered = 0, more = 0,
             known = lf__cells_columns_4(&b->group.rays, rays, columns, steps, (1u << count) - 1, &answered,
                                         &more);
    b->queued -= count;
    for (int n = 0; n < count; n++) {
        batch_candidate one = queue[n];
        packet *p = one.packet;
        int k = one.lane;
        if (more >> n & 1) {
            b->queue[b->queued++] = (batch_candidate){p, k, 1};
            continue;
        }
        p->held &= ~(1u << k);
        if ((answered >> n & 1) || (!(known >> n & 1) && packet_decide_lane(p, k, b))) {
            p->occupied &= ~(1u << k);
        } else {
            packet_next_column(p, k);
            packet_aim(p, b);
        }
    }
}

/// Decide about the columns of waiting lanes, or put them into the queue.
TARGET static void packet_decide(packet *p, batch_state *b, unsigned ready) {
    for (unsigned maybe = packet_filter_columns(p, b) & ready; maybe; maybe &= maybe - 1) {
        int k = __builtin_ctz(maybe);
        if (b->by_cells) {
            b->queue[b->queued++] = (batch_candidate){p, k, 0};
            p->held |= 1u << k;
            p->waits[k] = 0;
        } else if (packet_decide_lane(p, k, b)) {
            p->waits[k] = 0;
            p->occupied &= ~(1u << k);
        }
    }
    packet_next_columns(p);
    while (b->queued >= 4)
        batch_meet_cells(b);
}

/// Remove the rays that take too many steps.
TARGET static void packet_drop_tired(packet *p, const batch_state *b) {
    __m256i tired =
        _mm256_or_si256(_mm256_cmpgt_epi32(batch_words(p->failed), _mm256_set1_epi32(BATCH_PATIENCE)),
                        _mm256_cmpgt_epi32(batch_words(p->steps), _mm256_set1_epi32(BATCH_STEPS)));
    unsigned over = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(tired)) & batch_bits(p->live);
    for (unsigned left = over; left; left &= left - 1)
        packet_hand_over(p, __builtin_ctz(left), b);
    p->occupied &= ~over;
}

/// Some steps of a packet, then its columns and new rays. Returns whether lanes move that do not wait in the queue.
TARGET static bool packet_turn(packet *p, batch_state *b) {
    unsigned ready = batch_bits(p->waits);
    batch_store_mask(p->ready, batch_mask(p->waits));
    packet_step(p, b);
    batch_store(p->steps, _mm256_sub_epi32(batch_words(p->steps), batch_words(p->live)));
    unsigned live = batch_bits(p->live), waiting = batch_bits(p->waits);
    packet_prefetch_samples(p, b->grid, waiting & ~ready);
    if (ready && (__builtin_popcount(ready) >= BATCH_ENOUGH || live == 0)) {
        packet_decide(p, b, ready);
        packet_drop_tired(p, b);
        live = batch_bits(p->live);
        waiting = batch_bits(p->waits);
    }
    unsigned moving = live | waiting, busy = moving | p->held;
    for (unsigned done = p->occupied & ~busy; done; done &= done - 1)
        lf__batch_rays_none(&b->group.rays, p->rays[__builtin_ctz(done)].index);
    p->occupied = busy;
    if (__builtin_popcount(busy) <= BATCH_FEW) {
        unsigned filled = packet_take_rays(p, b, ~busy & 0xff);
        p->occupied |= filled;
        moving |= filled;
    }
    packet_aim(p, b);
    return moving != 0;
}

TARGET void lf__grid_batch_avx2(const lf_grid *grid, const lf_ray *rays, size_t ray_stride, int64_t count,
                                lf_hit *hits, size_t hit_stride) {
    packet packets[BATCH_PACKETS];
    int32_t offsets[8], strides[8];
    batch_state b = {.grid = grid,
                     .group = {.rays = {.grid = grid,
                                        .rays = rays,
                                        .ray_stride = ray_stride,
                                        .hit_stride = hit_stride,
                                        .hits = hits,
                                        .count = count,
                                        .by_quantum = 1 / grid->quantum},
                               .current = LF__BATCH_FOURS}};
    b.finest = grid->first_top;
    b.by_cells = lf__cells_serve(grid);
    b.coarsest = grid->level_count - 1 < BATCH_COARSEST ? grid->level_count - 1 : BATCH_COARSEST;
#if LF__X86
    wide_tables_make_4(&b.group.tables, &b.group.rays, grid->level_count - 1);
    b.group.close = close_serves_4(grid);
#else
    for (int k = 0; k < 8; k++)
        lf__octant_make(&b.group.rays.octants[k], grid, k);
#endif
    for (int l = 0; l < 8; l++) {
        int known = l < b.finest ? b.finest : l > b.coarsest ? b.coarsest : l;
        offsets[l] = (int32_t)(grid->levels[known].top - grid->bounds);
        strides[l] = (int32_t)grid->levels[known].stride;
    }
    b.offsets = _mm256_loadu_si256((const __m256i *)(const void *)offsets);
    b.strides = _mm256_loadu_si256((const __m256i *)(const void *)strides);
    for (int k = 0; k < BATCH_PACKETS; k++) {
        memset(&packets[k], 0, offsetof(packet, rays));
        packets[k].occupied = packets[k].held = 0;
        for (int lane = 0; lane < BATCH_LANES; lane++) {
            packets[k].level[lane] = b.finest;
            packets[k].rays[lane].octant = -1;
        }
        packet_aim(&packets[k], &b);
    }
    for (bool busy = true; busy;) {
        bool moving = false;
        for (int k = 0; k < BATCH_PACKETS; k++)
            moving |= packet_turn(&packets[k], &b);
        if (!moving && b.queued > 0) // the last ones
            batch_meet_cells(&b);
        busy = false;
        for (int k = 0; k < BATCH_PACKETS; k++)
            busy |= packets[k].occupied != 0;
    }
}

#undef TARGET
#undef INLINE
#undef DOUBLES
#undef DOUBLES_TARGET
#endif
