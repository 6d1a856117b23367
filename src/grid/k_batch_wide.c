/// First hits of many rays with AVX-512: the method of k_batch.c with sixteen rays in lanes.
///
/// What makes it a file of its own: state never goes from single lanes to vectors. New rays wait side by side and are expanded
/// into the free lanes, what depends on an octant is permuted from tables, tops and samples are gathered, and lanes that met
/// nothing go on together.
#include "grid/k_batch.h"
#include <string.h>

#if LF__X86
#define TARGET __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")))
#define INLINE TARGET __attribute__((always_inline)) static inline
#define DOUBLES 8
#define DOUBLES_TARGET TARGET
#include "grid/k_courses.h"

#include "grid/k_cells.h"
#include "grid/k_wide.h"

#include "grid/k_close.h"
#include "grid/k_level.h"

#define WIDE_PACKETS 4

/// Level above the finest where lanes start, and the coarsest level: tables of levels fit into one register.
#define WIDE_START 3
#define WIDE_COARSEST 15

/// Number of waiting columns from which on they are filtered, unless no other lane is active.
#define WIDE_ENOUGH 5

/// Steps between decisions about columns and new rays.
#define WIDE_AT_ONCE 2

/// New rays are loaded when this many lanes or fewer are busy.
#define WIDE_FEW 12

/// Columns without a hit, and steps, after which a ray is passed to the kernel for single rays.
#define WIDE_PATIENCE 16
#define WIDE_STEPS 160

/// Cells wait until there are eight, so at most seven and those of one packet.
#define WIDE_QUEUE (7 + WIDE_LANES)

typedef struct wide_packet {
    _Alignas(64) int32_t x[WIDE_LANES], level[WIDE_LANES]; ///< column and level
    int32_t x0[WIDE_LANES], y0[WIDE_LANES];                ///< where it started
    int32_t failed[WIDE_LANES], steps[WIDE_LANES], octant[WIDE_LANES];
    float floats[LF__FLOATS][WIDE_LANES];
    int32_t words[LF__WORDS][WIDE_LANES];
    lf__batch_lane rays[WIDE_LANES];
    __mmask16 live;     ///< lanes that step
    __mmask16 waits;    ///< lanes whose columns are to be filtered
    __mmask16 held;     ///< lanes that wait in the queue of cells
    __mmask16 occupied; ///< lanes that have a ray
    __mmask16 swap, along, against;
} wide_packet;

/// A lane whose ray may meet something in its column.
typedef struct wide_candidate {
    int packet, lane;
    int step; ///< 1: in the second square of the column, not in the first
} wide_candidate;

/// Rays that wait for lanes, side by side in the order of their numbers; of each eight first the one half, then the other.
typedef struct wide_waiting {
    DS(lf__sixteen) read; ///< sixteen that were read at once
    int half;             ///< of them, the one whose slots are used
    lf__batch_slots_8 slots;
    unsigned rays;    ///< of the slots, those that have not been taken
    int first, count; ///< side by side
} wide_waiting;

typedef struct wide_state {
    lf__batch_rays rays;
    const lf_grid *grid;
    DS(wide_tables) tables;
    int finest, coarsest;
    bool by_cells; ///< lf__cells_serve
    bool close;    ///< close_serves
    wide_waiting waiting;
    wide_candidate queue[WIDE_QUEUE];
    int queued;
    wide_packet packets[WIDE_PACKETS];
} wide_state;

INLINE __m512i wide_words(const int32_t *at) {
    return _mm512_load_si512(at);
}

INLINE __m512 wide_floats(const float *at) {
    return _mm512_load_ps(at);
}

INLINE __m512i wide_clamp(__m512i x, __m512i low, __m512i high) {
    return _mm512_max_epi32(_mm512_min_epi32(x, high), low);
}

INLINE __m512i wide_of(int32_t x) {
    return _mm512_set1_epi32(x);
}

INLINE int wide_count(__mmask16 mask) {
    return __builtin_popcount(mask);
}

// ---------------------------------------------------------------------------------------------------
// Steps
// ---------------------------------------------------------------------------------------------------

/// Codes of the tops of blocks in column `x` and row `y` of the courses.
INLINE __m512i wide_tops(const wide_packet *p, const wide_state *b, __m512i x, __m512i y, __m512i level,
                         __mmask16 which) {
    __m512i real_x = _mm512_srlv_epi32(_mm512_xor_si512(x, wide_words(p->words[LF__FLIP_X])), level);
    __m512i real_y = _mm512_srlv_epi32(_mm512_xor_si512(y, wide_words(p->words[LF__FLIP_Y])), level);
    __m512i column = _mm512_mask_mov_epi32(real_x, p->swap, real_y),
            row = _mm512_mask_mov_epi32(real_y, p->swap, real_x);
    __m512i start = _mm512_add_epi32(_mm512_permutexvar_epi32(level, wide_words(b->tables.offsets)), column);
    __m512i stride = _mm512_permutexvar_epi32(level, wide_words(b->tables.strides));
    __m512i at = _mm512_add_epi32(start, _mm512_mullo_epi32(row, stride));
    // The array has spare entries at its end.
    return _mm512_maskz_and_epi32(
        which, _mm512_mask_i32gather_epi32(wide_of(0), which, at, b->grid->bounds, 2), wide_of(0xffff));
}

/// The row of the lanes' rays at a place of a.
INLINE __m512i wide_row(const wide_packet *p, __m512 at) {
    __m512 along =
        _mm512_fmadd_ps(at, wide_floats(p->floats[LF__SLOPE_B]), wide_floats(p->floats[LF__SHARE]));
    __m512i row = _mm512_add_epi32(wide_words(p->y0), _mm512_cvttps_epi32(along));
    return wide_clamp(row, wide_words(p->words[LF__LOW_Y]),
                      _mm512_sub_epi32(wide_words(p->words[LF__HIGH_Y]), wide_of(1)));
}

/// One step of the lanes that are live: over a column of blocks, in one row or two, or one level down.
INLINE void wide_step(wide_packet *p, const wide_state *b) {
    const __m512i one = wide_of(1);
    __m512i x = wide_words(p->x), level = wide_words(p->level);
    __m512i mask = _mm512_sub_epi32(_mm512_sllv_epi32(one, level), one),
            to = _mm512_add_epi32(_mm512_or_si512(x, mask), one);
    __m512 side = _mm512_cvtepi32_ps(_mm512_sub_epi32(to, wide_words(p->x0))),
           last = wide_floats(p->floats[LF__LAST]);
    __m512 at = wide_floats(p->floats[LF__AT]), leaves = _mm512_min_ps(side, last);
    __mmask16 live = p->live, end = _mm512_cmp_ps_mask(side, last, _CMP_GE_OQ);
    __m512i rows[2] = {wide_row(p, at), wide_row(p, leaves)};
    // Next to corners rounding can make it three rows: then the ray is in the first one for less than that.
    __m512i rise = _mm512_sub_epi32(_mm512_srlv_epi32(rows[1], level), _mm512_srlv_epi32(rows[0], level));
    rows[0] = _mm512_mask_add_epi32(rows[0], _mm512_cmpgt_epi32_mask(rise, one), rows[0],
                                    _mm512_add_epi32(mask, one));
    __mmask16 both = _mm512_mask_cmpgt_epi32_mask(live, rise, wide_of(0));
    __m512i top =
        _mm512_max_epi32(wide_tops(p, b, x, rows[0], level, live), wide_tops(p, b, x, rows[1], level, both));
    // The least height over the column.
    __m512 slope = wide_floats(p->floats[LF__SLOPE_CODE]);
    __mmask16 falls = _mm512_movepi32_mask(_mm512_castps_si512(slope));
    __m512 low =
        _mm512_fmadd_ps(_mm512_mask_mov_ps(at, falls, leaves), slope, wide_floats(p->floats[LF__CODE]));
    low = _mm512_min_ps(_mm512_max_ps(low, _mm512_set1_ps(0.5f)), _mm512_set1_ps(65534.5f));
    __mmask16 meets = _mm512_mask_cmp_ps_mask(live, low, _mm512_cvtepi32_ps(top), _CMP_LE_OQ),
              passes = live & ~meets;
    __mmask16 finest = _mm512_cmple_epi32_mask(level, wide_of(b->finest)), moves = passes & ~end;
    _mm512_store_si512(p->x, _mm512_mask_mov_epi32(x, moves, to));
    _mm512_store_ps(p->floats[LF__AT], _mm512_mask_mov_ps(at, moves, leaves));
    // Up where the ray also leaves a block of the next level; down where it may meet something.
    __mmask16 up =
        _mm512_mask_testn_epi32_mask(passes, to, _mm512_add_epi32(mask, _mm512_add_epi32(mask, one)));
    up &= _mm512_cmplt_epi32_mask(level, wide_of(b->coarsest));
    level = _mm512_mask_add_epi32(level, up, level, one);
    level = _mm512_mask_sub_epi32(level, meets & ~finest, level, one);
    _mm512_store_si512(p->level, level);
    p->waits |= meets & finest;
    p->live = live & ~((meets & finest) | (passes & end));
}

// ---------------------------------------------------------------------------------------------------
// Columns
// ---------------------------------------------------------------------------------------------------

/// Samples at `offsets` bytes from the first one.
INLINE __m512 wide_samples(const lf_grid *grid, __m512i offsets, __mmask16 which) {
    if (grid->type == LF_SAMPLE_FLOAT && grid->plain)
        return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), which, offsets, grid->values, 1);
    offsets = _mm512_maskz_mov_epi32(which, offsets);
    __m256 low = lf__lanes_heights(grid, grid->values, _mm512_castsi512_si256(offsets)),
           high = lf__lanes_heights(grid, grid->values, _mm512_extracti64x4_epi64(offsets, 1));
    return _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
}

/// Samples of the lanes' columns, less the heights of the rays at their near sides.
INLINE void wide_read(const wide_packet *p, const lf_grid *grid, __m512i y, __m512 over, __mmask16 ready,
                      DS(wide_column) * c) {
    __m512i near = _mm512_add_epi32(wide_words(p->words[LF__BASE]),
                                    _mm512_mullo_epi32(wide_words(p->x), wide_words(p->words[LF__STEP_A])));
    __m512i far = _mm512_add_epi32(near, wide_words(p->words[LF__STEP_A]));
    for (int k = 0; k < 3; k++) {
        __m512i row = _mm512_add_epi32(y, wide_of(k));
        row = wide_clamp(row, wide_words(p->words[LF__LOW_Y]), wide_words(p->words[LF__HIGH_Y]));
        __m512i along = _mm512_mullo_epi32(row, wide_words(p->words[LF__STEP_B]));
        __mmask16 which = k < 2 ? ready : ready & c->step; // the last row only where it is used
        c->p[0][k] = _mm512_sub_ps(wide_samples(grid, _mm512_add_epi32(near, along), which), over);
        c->p[1][k] = _mm512_sub_ps(wide_samples(grid, _mm512_add_epi32(far, along), which), over);
    }
}

/// The lanes in columns next to voids.
TARGET static __mmask16 wide_gaps(const wide_packet *p, const wide_state *b, __m512i y, __mmask16 ready,
                                  const DS(wide_column) * c) {
    const lf_grid *grid = b->grid;
    unsigned found = 0;
    if (lf__lanes_nan_voids(grid)) {
        for (int k = 0; k < 3; k++)
            found |= _mm512_cmp_ps_mask(c->p[0][k], c->p[1][k], _CMP_UNORD_Q);
        return (__mmask16)found;
    }
    int32_t rows[WIDE_LANES];
    _mm512_storeu_si512(rows, y);
    for (unsigned left = ready; left; left &= left - 1) {
        int k = __builtin_ctz(left);
        if (lf__lanes_gap(&b->rays.octants[p->rays[k].octant].course, grid, p->x[k], rows[k],
                          c->step >> k & 1))
            found |= 1u << k;
    }
    return (__mmask16)found;
}

/// Those of the ready lanes that may meet something in their columns.
INLINE __mmask16 wide_filter_columns(const wide_packet *p, const wide_state *b, __mmask16 ready) {
    const lf_grid *grid = b->grid;
    DS(wide_column) c;
    __m512 a = _mm512_cvtepi32_ps(_mm512_sub_epi32(wide_words(p->x), wide_words(p->x0)));
    __m512 slope_b = wide_floats(p->floats[LF__SLOPE_B]), share = wide_floats(p->floats[LF__SHARE]);
    __m512 near = _mm512_fmadd_ps(a, slope_b, share),
           far = _mm512_fmadd_ps(_mm512_add_ps(a, _mm512_set1_ps(1)), slope_b, share);
    __m512 near_row = _mm512_floor_ps(near), far_row = _mm512_floor_ps(far);
    c.slope_z = wide_floats(p->floats[LF__SLOPE_Z]);
    c.near_share = _mm512_sub_ps(near, near_row);
    c.far_share = _mm512_sub_ps(far, far_row);
    c.step = _mm512_cmp_ps_mask(near_row, far_row, _CMP_NEQ_OQ);
    c.wide = _mm512_cmp_ps_mask(_mm512_sub_ps(far_row, near_row), _mm512_set1_ps(1.5f), _CMP_GT_OQ);
    __m512i y = _mm512_add_epi32(wide_words(p->y0), _mm512_cvttps_epi32(near_row));
    wide_read(p, grid, y, _mm512_fmadd_ps(a, c.slope_z, wide_floats(p->floats[LF__Z])), ready, &c);
    DS(wide_sides)(&c, wide_floats(p->floats[LF__BY_B]));
    if (grid->surface == LF_SURFACE_BILINEAR)
        DS(wide_twist)(&c, slope_b);
    else
        DS(wide_diagonals)
    (&c, p->along, p->against, wide_floats(p->floats[LF__BY_FLAT]), wide_floats(p->floats[LF__BY_SUM]));
    __m512 eps = wide_floats(p->floats[LF__EPS]);
    __mmask16 found = _mm512_cmp_ps_mask(c.high, _mm512_sub_ps(_mm512_setzero_ps(), eps), _CMP_GE_OQ);
    found = (found & _mm512_cmp_ps_mask(c.low, eps, _CMP_LE_OQ)) | c.wide;
    if (grid->gaps)
        found |= wide_gaps(p, b, y, ready, &c);
    return found & ready;
}

/// Advance lanes that met nothing in their columns to the next ones, and stop those at their end.
INLINE void wide_next_columns(wide_packet *p, __mmask16 which) {
    const __m512i one = wide_of(1);
    __m512i x = _mm512_add_epi32(wide_words(p->x), one);
    __m512 a = _mm512_cvtepi32_ps(_mm512_sub_epi32(x, wide_words(p->x0)));
    __mmask16 moves = _mm512_mask_cmp_ps_mask(which, a, wide_floats(p->floats[LF__LAST]), _CMP_LT_OQ);
    _mm512_store_si512(p->x, _mm512_mask_mov_epi32(wide_words(p->x), moves, x));
    _mm512_store_ps(p->floats[LF__AT], _mm512_mask_mov_ps(wide_floats(p->floats[LF__AT]), moves, a));
    _mm512_store_si512(p->failed,
                       _mm512_mask_add_epi32(wide_words(p->failed), moves, wide_words(p->failed), one));
    p->live |= moves;
}

// ---------------------------------------------------------------------------------------------------
// Starting and finishing rays
// ---------------------------------------------------------------------------------------------------

/// Read rays until some wait; false where there are no more.
TARGET static bool wide_fetch(wide_state *b) {
    wide_waiting *w = &b->waiting;
    lf__batch_rays *v = &b->rays;
    while (++w->half > 1 || !w->read.waiting[w->half]) {
        if (w->half <= 1)
            continue;
        if (v->next >= v->count)
            return false;
        DS(close_read)(&w->read, v, b->close);
        DS(level_go)(&w->read, v, &b->tables);
        w->half = -1;
    }
    w->slots.first = w->read.first[w->half];
    w->rays = w->read.waiting[w->half];
    w->first = 0;
    w->count = __builtin_popcount(w->rays);
    lf__courses_to_slots_8(&w->read.courses[w->half], v, &w->slots);
    lf__courses_record_8(&w->read.courses[w->half], &w->slots);
    if (w->count < DOUBLES) { // no gaps between them
        __mmask8 which = (__mmask8)w->rays;
        for (int k = 0; k < LF__FLOATS; k++)
            _mm256_store_ps(w->slots.floats[k],
                            _mm256_maskz_compress_ps(which, _mm256_load_ps(w->slots.floats[k])));
        int32_t *words[] = {w->slots.x, w->slots.y, w->slots.octant};
        for (int k = 0; k < 3; k++) {
            __m256i *at = (__m256i *)(void *)words[k];
            _mm256_storeu_si256(at, _mm256_maskz_compress_epi32(which, _mm256_loadu_si256(at)));
        }
    }
    return true;
}

/// Move waiting rays to free lanes, as many as there are of both. Returns the lanes that were filled.
INLINE __mmask16 wide_load(wide_packet *p, wide_state *b, __mmask16 idle) {
    wide_waiting *w = &b->waiting;
    int left = w->count - w->first;
    while (wide_count(idle) > left)
        idle &= (__mmask16) ~(0x8000u >> (__builtin_clz(idle) - 16));
    int first = w->first;
    w->first += wide_count(idle);
    const lf__batch_slots_8 *q = &w->slots;
    for (int n = 0; n < LF__FLOATS; n++)
        _mm512_store_ps(p->floats[n],
                        _mm512_mask_expandloadu_ps(wide_floats(p->floats[n]), idle, q->floats[n] + first));
    __m512i x = _mm512_mask_expandloadu_epi32(wide_words(p->x), idle, q->x + first),
            y = _mm512_mask_expandloadu_epi32(wide_words(p->y0), idle, q->y + first),
            octant = _mm512_mask_expandloadu_epi32(wide_words(p->octant), idle, q->octant + first);
    _mm512_store_si512(p->x, x);
    _mm512_store_si512(p->octant, octant);
    _mm512_store_si512(p->x0, _mm512_mask_mov_epi32(wide_words(p->x0), idle, x));
    _mm512_store_si512(p->y0, y);
    for (int n = 0; n < LF__WORDS; n++)
        _mm512_store_si512(p->words[n], _mm512_permutexvar_epi32(octant, wide_words(b->tables.words[n])));
    p->swap = _mm512_movepi32_mask(wide_words(p->words[LF__SWAP]));
    p->along = _mm512_movepi32_mask(wide_words(p->words[LF__ALONG]));
    p->against = _mm512_movepi32_mask(wide_words(p->words[LF__AGAINST]));
    int level = b->finest + WIDE_START;
    level = level < b->coarsest ? level : b->coarsest;
    _mm512_store_si512(p->level, _mm512_mask_mov_epi32(wide_words(p->level), idle, wide_of(level)));
    _mm512_store_si512(p->failed, _mm512_mask_mov_epi32(wide_words(p->failed), idle, wide_of(0)));
    _mm512_store_si512(p->steps, _mm512_mask_mov_epi32(wide_words(p->steps), idle, wide_of(0)));
    for (unsigned lanes = idle; lanes; lanes &= lanes - 1, first++) {
        lf__batch_lane *one = &p->rays[__builtin_ctz(lanes)];
        int slot = __builtin_ctz(w->rays);
        w->rays &= w->rays - 1;
        one->index = q->first + slot;
        one->octant = q->octant[first];
        _mm512_storeu_pd(one->values, _mm512_load_pd(q->doubles[slot]));
        _mm512_storeu_pd(one->values + 8, _mm512_load_pd(q->doubles[slot] + 8));
    }
    p->live |= idle;
    p->occupied |= idle;
    return idle;
}

TARGET static void wide_take_rays(wide_packet *p, wide_state *b) {
    for (;;) {
        __mmask16 idle = (__mmask16)~p->occupied;
        if (!idle || (b->waiting.first == b->waiting.count && !wide_fetch(b)))
            return;
        wide_load(p, b, idle);
    }
}

/// Continue a ray that takes too many steps as a single ray.
TARGET static void wide_hand_over(const wide_packet *p, int k, const wide_state *b) {
    const lf__batch_lane *one = &p->rays[k];
    lf__batch_single w;
    lf__batch_single_start(&w, &b->rays, one);
    w.course.start = fmax(w.course.start, (double)p->x[k] - LF__GRID_COURSE_SLACK);
    b->grid->kernels->run(&w.trace, &w.course);
    lf__batch_single_finish(&w, &b->rays, one);
}

/// Decide about the column of one lane by the exact step. Returns whether its ray met something and is answered.
TARGET static bool wide_decide_lane(const wide_packet *p, int k, const wide_state *b) {
    const lf__batch_lane *one = &p->rays[k];
    lf__batch_single w;
    lf__batch_single_start(&w, &b->rays, one);
    if (!lf__lanes_try_column(&w.course, &w.trace, p->x[k]))
        return false;
    lf__batch_single_finish(&w, &b->rays, one);
    return true;
}

/// Decide about the last eight columns of the queue, or about all if there are fewer.
TARGET static void wide_meet_cells(wide_state *b) {
    const lf__batch_lane *rays[DOUBLES];
    _Alignas(64) double columns[DOUBLES], steps[DOUBLES];
    int count = b->queued < DOUBLES ? b->queued : DOUBLES;
    const wide_candidate *queue = &b->queue[b->queued - count];
    for (int n = 0; n < DOUBLES; n++) {
        const wide_candidate *one = &queue[n < count ? n : 0];
        const wide_packet *p = &b->packets[one->packet];
        rays[n] = &p->rays[one->lane];
        columns[n] = p->x[one->lane];
        steps[n] = one->step;
    }
    unsigned answered = 0, more = 0, missed[WIDE_PACKETS] = {0},
             known = lf__cells_columns_8(&b->rays, rays, columns, steps, (1u << count) - 1, &answered, &more);
    b->queued -= count;
    for (int n = 0; n < count; n++) {
        wide_candidate one = queue[n];
        wide_packet *p = &b->packets[one.packet];
        __mmask16 lane = (__mmask16)(1u << one.lane);
        if (more >> n & 1) {
            b->queue[b->queued++] = (wide_candidate){one.packet, one.lane, 1};
            continue;
        }
        p->held &= (__mmask16)~lane;
        if ((answered >> n & 1) || (!(known >> n & 1) && wide_decide_lane(p, one.lane, b)))
            p->occupied &= (__mmask16)~lane;
        else
            missed[one.packet] |= lane;
    }
    for (int k = 0; k < WIDE_PACKETS; k++)
        if (missed[k])
            wide_next_columns(&b->packets[k], (__mmask16)missed[k]);
}

/// Decide about the columns of waiting lanes, or put them into the queue.
INLINE void wide_decide(wide_packet *p, wide_state *b, __mmask16 ready) {
    __mmask16 maybe = wide_filter_columns(p, b, ready);
    p->waits &= (__mmask16)~ready;
    for (unsigned left = maybe; left; left &= left - 1) {
        int k = __builtin_ctz(left);
        if (b->by_cells) {
            b->queue[b->queued++] = (wide_candidate){(int)(p - b->packets), k, 0};
            p->held |= (__mmask16)(1u << k);
        } else if (wide_decide_lane(p, k, b)) {
            p->occupied &= (__mmask16) ~(1u << k);
        } else {
            maybe &= (__mmask16) ~(1u << k);
        }
    }
    wide_next_columns(p, ready & ~maybe);
    while (b->queued >= DOUBLES)
        wide_meet_cells(b);
}

/// Remove the rays that take too many steps.
INLINE void wide_drop_tired(wide_packet *p, const wide_state *b) {
    __mmask16 over = _mm512_mask_cmpgt_epi32_mask(p->live, wide_words(p->failed), wide_of(WIDE_PATIENCE)) |
                     _mm512_mask_cmpgt_epi32_mask(p->live, wide_words(p->steps), wide_of(WIDE_STEPS));
    for (unsigned left = over; left; left &= left - 1)
        wide_hand_over(p, __builtin_ctz(left), b);
    p->live &= (__mmask16)~over;
    p->occupied &= (__mmask16)~over;
}

/// The columns of a packet, and new rays. Returns whether lanes move that do not wait in the queue.
INLINE bool wide_turn(wide_packet *p, wide_state *b) {
    __mmask16 ready = p->waits;
    _mm512_store_si512(p->steps, _mm512_add_epi32(wide_words(p->steps), wide_of(WIDE_AT_ONCE)));
    if (ready && (wide_count(ready) >= WIDE_ENOUGH || p->live == 0)) {
        wide_decide(p, b, ready);
        wide_drop_tired(p, b);
    }
    __mmask16 busy = p->live | p->waits | p->held;
    for (unsigned done = p->occupied & ~busy; done; done &= done - 1)
        lf__batch_rays_none(&b->rays, p->rays[__builtin_ctz(done)].index);
    p->occupied = busy;
    if (wide_count(busy) <= WIDE_FEW)
        wide_take_rays(p, b);
    return (p->live | p->waits) != 0;
}

TARGET static void wide_start(wide_state *b) {
    const lf_grid *grid = b->grid;
    b->finest = grid->first_top;
    b->by_cells = lf__cells_serve(grid);
    b->close = DS(close_serves)(grid);
    b->coarsest = grid->level_count - 1 < WIDE_COARSEST ? grid->level_count - 1 : WIDE_COARSEST;
    DS(wide_tables_make)(&b->tables, &b->rays, b->coarsest);
    b->waiting.first = b->waiting.count = b->queued = 0;
    b->waiting.half = 1;
    for (int k = 0; k < WIDE_PACKETS; k++) {
        wide_packet *p = &b->packets[k];
        memset(p, 0, offsetof(wide_packet, rays));
        p->live = p->waits = p->held = p->occupied = p->swap = p->along = p->against = 0;
    }
}

TARGET void lf__grid_batch_avx512(const lf_grid *grid, const lf_ray *rays, size_t ray_stride, int64_t count,
                                  lf_hit *hits, size_t hit_stride) {
    wide_state b;
    b.grid = grid;
    b.rays = (lf__batch_rays){.grid = grid,
                              .rays = rays,
                              .ray_stride = ray_stride,
                              .hit_stride = hit_stride,
                              .hits = hits,
                              .count = count,
                              .by_quantum = 1 / grid->quantum};
    wide_start(&b);
    for (bool busy = true; busy;) {
        bool moving = false;
        // Steps of all packets first: they do not depend on each other, and what follows depends on their
        // results.
        for (int n = 0; n < WIDE_AT_ONCE; n++)
            for (int k = 0; k < WIDE_PACKETS; k++)
                wide_step(&b.packets[k], &b);
        for (int k = 0; k < WIDE_PACKETS; k++)
            moving |= wide_turn(&b.packets[k], &b);
        if (!moving && b.queued > 0) // the last ones
            wide_meet_cells(&b);
        busy = false;
        for (int k = 0; k < WIDE_PACKETS; k++)
            busy |= b.packets[k].occupied != 0;
    }
}

#undef TARGET
#undef INLINE
#undef DOUBLES
#undef DOUBLES_TARGET
#endif
