/// Many rays at once: eight of them in lanes, several packets of eight in turns.
///
/// Every lane walks down and up the pyramid on its own: over blocks of its level as long as they cannot be met, one level up
/// where the ray leaves a block of that level too, one level down where it may meet something. Where that happens on the finest
/// level, the lane waits until enough others do; then the columns they have come to are filtered by their posts, and what is
/// left is decided by lf__trace_square. Packets take turns so that one's loads are under way while another computes.
///
/// Places are floats, counted from the square where the lane started, so they are off by more the longer it gets; all bounds are
/// widened by what that can do. Rays that get nowhere in this manner are handed to the kernel for single ones.
#include "grid/k_lanes.h"
#include "grid/kernels.h"
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

/// Rays over more squares than this are not for floats.
#define LONGEST 65536.0

/// A ray and what has been found for it.
typedef struct passenger {
    lf__trace trace;
    lf__course course;
    lf__nearest_piece nearest;
    lf_hit *hit;
} passenger;

typedef struct packet {
    /// All bits or none: steps; waits for its column to be filtered; has waited long enough for its posts to come.
    _Alignas(32) int32_t live[LANES], waits[LANES], ready[LANES];
    int32_t x[LANES], y[LANES], level[LANES]; ///< square and level
    int32_t aim[LANES];                       ///< where the top of its block is
    int32_t x0[LANES], y0[LANES];             ///< where it started
    int32_t flip_x[LANES], flip_y[LANES];     ///< mirror - 1 where mirrored
    int32_t swap[LANES], high_y[LANES], low_y[LANES];
    float a[LANES], last[LANES]; ///< place, and end, counted from x0
    float share[LANES];          ///< along b at x0, counted from y0
    float slope_b[LANES], by_b[LANES], by_flat[LANES], by_sum[LANES];
    float code[LANES], slope_code[LANES]; ///< height in codes at x0, less what it can be off by
    float z[LANES], slope_z[LANES], eps[LANES];
    int32_t along[LANES], against[LANES];              ///< diagonals
    int32_t base[LANES], step_a[LANES], step_b[LANES]; ///< bytes to posts
    int32_t failed[LANES], steps[LANES];
    passenger passengers[LANES];
} packet;

typedef struct batch {
    const lf_grid *grid;
    const lf_ray *rays;
    size_t ray_stride, hit_stride;
    lf_hit *hits;
    int64_t next, count;
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
    __m256i real_x = _mm256_srlv_epi32(_mm256_xor_si256(whole(p->x), whole(p->flip_x)), level);
    __m256i real_y = _mm256_srlv_epi32(_mm256_xor_si256(whole(p->y), whole(p->flip_y)), level);
    __m256 swap = mask_of(p->swap);
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
        float b = p->share[k] + (float)(p->x[k] - p->x0[k]) * p->slope_b[k], far = b + p->slope_b[k];
        int32_t row = p->y0[k] + (int32_t)b;
        const char *near = grid->values + p->base[k] + p->x[k] * p->step_a[k] + row * p->step_b[k];
        __builtin_prefetch(near);
        __builtin_prefetch(near + p->step_b[k]);
        __builtin_prefetch(near + p->step_a[k]);
        if ((int32_t)far != (int32_t)b)
            __builtin_prefetch(near + p->step_b[k] + p->step_b[k]);
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
    __m256 other = _mm256_mul_ps(_mm256_sub_ps(rows, floats(p->share)), floats(p->by_b));
    // Nothing leaves the grid along b: the end comes first, but for rounding.
    __m256i inner = _mm256_cmpgt_epi32(whole(p->high_y), l.y);
    other = _mm256_blendv_ps(_mm256_set1_ps(INFINITY), other, _mm256_castsi256_ps(inner));
    __m256 last = floats(p->last), nearest = _mm256_min_ps(side, other);
    l.at = _mm256_min_ps(nearest, last);
    l.by_x = _mm256_cmp_ps(side, other, _CMP_LE_OQ);
    l.end = _mm256_cmp_ps(nearest, last, _CMP_GE_OQ);
    return l;
}

/// Lanes that cannot meet anything in their blocks go on to the next ones.
TARGET static inline void advance(packet *p, const leaving *l, __m256i x, __m256i y, __m256 which) {
    __m256i one = _mm256_set1_epi32(1);
    __m256 along = _mm256_fmadd_ps(l->at, floats(p->slope_b), floats(p->share));
    __m256i at_x = _mm256_add_epi32(whole(p->x0), _mm256_cvttps_epi32(l->at));
    __m256i at_y = _mm256_add_epi32(whole(p->y0), _mm256_cvttps_epi32(along));
    at_x = lf__lanes_clamp(at_x, x, _mm256_sub_epi32(l->x, one));
    at_y = lf__lanes_clamp(at_y, y, _mm256_sub_epi32(_mm256_min_epi32(l->y, whole(p->high_y)), one));
    __m256i next_x = choose(at_x, l->x, l->by_x), next_y = choose(l->y, at_y, l->by_x);
    keep(p->x, choose(x, next_x, which));
    keep(p->y, choose(y, next_y, which));
    _mm256_store_ps(p->a, _mm256_blendv_ps(floats(p->a), l->at, which));
}

TARGET static inline void step(packet *p, const batch *b) {
    __m256i x = whole(p->x), y = whole(p->y), level = whole(p->level), one = _mm256_set1_epi32(1);
    __m256i mask = _mm256_sub_epi32(_mm256_sllv_epi32(one, level), one);
    __m256 top = tops(p, b);
    leaving l = leave(p, x, y, mask);
    __m256 slope = floats(p->slope_code), live = mask_of(p->live);
    __m256 low = _mm256_fmadd_ps(_mm256_blendv_ps(floats(p->a), l.at, slope), slope, floats(p->code));
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
    __m256i near = _mm256_add_epi32(whole(p->base), _mm256_mullo_epi32(whole(p->x), whole(p->step_a)));
    __m256i far = _mm256_add_epi32(near, whole(p->step_a)), ready = whole(p->ready);
    for (int k = 0; k < 3; k++) {
        // The last row only where it matters: elsewhere it would be fetched in vain.
        __m256i on = k < 2 ? _mm256_set1_epi32(k)
                           : _mm256_sub_epi32(_mm256_set1_epi32(1), _mm256_castps_si256(column->step));
        __m256i row = _mm256_add_epi32(y, on);
        row = lf__lanes_clamp(row, whole(p->low_y), whole(p->high_y));
        __m256i along = _mm256_mullo_epi32(row, whole(p->step_b));
        __m256i from = _mm256_and_si256(_mm256_add_epi32(near, along), ready);
        __m256i to = _mm256_and_si256(_mm256_add_epi32(far, along), ready);
        column->p[0][k] = _mm256_sub_ps(lf__lanes_posts(grid, grid->values, from), over);
        column->p[1][k] = _mm256_sub_ps(lf__lanes_posts(grid, grid->values, to), over);
    }
}

/// Which lanes are in columns beside holes?
TARGET static unsigned find_gaps(const packet *p, const lf_grid *grid, __m256i y,
                                 const lf__lanes_column *column) {
    if (lf__lanes_nan_holes(grid))
        return (unsigned)_mm256_movemask_ps(lf__lanes_no_numbers(column));
    unsigned steps = (unsigned)_mm256_movemask_ps(column->step), found = 0;
    int32_t rows[LANES];
    _mm256_storeu_si256((__m256i *)(void *)rows, y);
    for (unsigned ready = bits_of(p->ready); ready; ready &= ready - 1) {
        int k = __builtin_ctz(ready);
        if (lf__lanes_gap(&p->passengers[k].course, grid, p->x[k], rows[k], steps >> k & 1))
            found |= 1u << k;
    }
    return found;
}

/// Which lanes may meet something in the columns they are in?
TARGET static inline unsigned filter_columns(const packet *p, const lf_grid *grid) {
    __m256 a = _mm256_cvtepi32_ps(_mm256_sub_epi32(whole(p->x), whole(p->x0)));
    lf__lanes_column column;
    column.slope_b = floats(p->slope_b);
    column.slope_z = floats(p->slope_z);
    column.by_b = floats(p->by_b);
    column.by_flat = floats(p->by_flat);
    column.by_sum = floats(p->by_sum);
    __m256 near = _mm256_fmadd_ps(a, column.slope_b, floats(p->share));
    __m256 far = _mm256_fmadd_ps(_mm256_add_ps(a, _mm256_set1_ps(1)), column.slope_b, floats(p->share));
    __m256 row = lf__lanes_place(&column, near, far);
    __m256i y = _mm256_add_epi32(whole(p->y0), _mm256_cvttps_epi32(row));
    find_posts(p, grid, y, _mm256_fmadd_ps(a, column.slope_z, floats(p->z)), &column);
    lf__lanes_range range = lf__lanes_sides(&column);
    if (grid->surface == LF_SURFACE_BILINEAR) {
        lf__lanes_twist(&column, &range);
    } else {
        lf__lanes_along(&column, mask_of(p->along), &range);
        lf__lanes_against(&column, mask_of(p->against), &range);
    }
    unsigned found = (unsigned)_mm256_movemask_ps(lf__lanes_meets(&column, &range, floats(p->eps)));
    return grid->gaps ? found | find_gaps(p, grid, y, &column) : found;
}

/// Lanes that were ready and met nothing go on with their next columns; those that are through are done.
TARGET static inline void next_columns(packet *p) {
    __m256 which = _mm256_and_ps(mask_of(p->ready), mask_of(p->waits));
    __m256i x = _mm256_add_epi32(whole(p->x), _mm256_set1_epi32(1));
    __m256 a = _mm256_cvtepi32_ps(_mm256_sub_epi32(x, whole(p->x0)));
    __m256 along = _mm256_fmadd_ps(a, floats(p->slope_b), floats(p->share));
    __m256i y = _mm256_add_epi32(whole(p->y0), _mm256_cvttps_epi32(along));
    y = lf__lanes_clamp(y, whole(p->y), _mm256_sub_epi32(whole(p->high_y), _mm256_set1_epi32(1)));
    __m256 ended = _mm256_cmp_ps(a, floats(p->last), _CMP_GE_OQ);
    __m256 moves = _mm256_andnot_ps(ended, which);
    keep(p->x, choose(whole(p->x), x, moves));
    keep(p->y, choose(whole(p->y), y, moves));
    _mm256_store_ps(p->a, _mm256_blendv_ps(floats(p->a), a, moves));
    keep_mask(p->live, _mm256_or_ps(mask_of(p->live), moves));
    keep(p->failed, _mm256_sub_epi32(whole(p->failed), _mm256_castps_si256(moves)));
    keep_mask(p->waits, _mm256_andnot_ps(which, mask_of(p->waits)));
}

// ---------------------------------------------------------------------------------------------------
// Rays come and go
// ---------------------------------------------------------------------------------------------------

static void finish(passenger *one) {
    if (one->nearest.any)
        lf__trace_hit(&one->trace, &one->nearest.piece, &one->nearest.meeting, one->hit);
    else
        *one->hit = lf__hit_none(one->trace.ray->t_max, LF_REASON_NONE);
}

/// The frame of a lane.
static void set_frame(packet *p, int k, const lf_grid *grid, const lf__course *c) {
    bool mirrored = c->mirror_a != c->mirror_b, falls = grid->surface == LF_SURFACE_FALLING;
    bool both = grid->surface == LF_SURFACE_ALTERNATING;
    ptrdiff_t a = c->swap ? grid->row_step : grid->column_step,
              b = c->swap ? grid->column_step : grid->row_step;
    p->flip_x[k] = c->mirror_a ? (int32_t)c->mirror - 1 : 0;
    p->flip_y[k] = c->mirror_b ? (int32_t)c->mirror - 1 : 0;
    p->swap[k] = -(int32_t)c->swap;
    p->along[k] = -(int32_t)(both || falls == mirrored);
    p->against[k] = -(int32_t)(both || falls != mirrored);
    p->base[k] = (int32_t)(grid->first * (a + b) + (c->mirror_a ? c->mirror * a : 0) +
                           (c->mirror_b ? c->mirror * b : 0));
    p->step_a[k] = (int32_t)(c->mirror_a ? -a : a);
    p->step_b[k] = (int32_t)(c->mirror_b ? -b : b);
    p->low_y[k] = (int32_t)c->low_b;
    p->high_y[k] = (int32_t)c->high_b;
}

/// Let a ray in. Floats are off by `blur` squares at its end, which is what bounds and filters must allow for.
static void board(packet *p, int k, const batch *batch, const lf__course *c) {
    const lf_grid *grid = batch->grid;
    int64_t x = (int64_t)c->start < c->high_a ? (int64_t)c->start : c->high_a - 1;
    double at_start = floor(lf__course_b(c, c->start)), b = lf__course_b(c, (double)x),
           z = lf__course_z(c, (double)x);
    double high = (double)(c->high_b - 1), row = at_start < (double)c->low_b ? (double)c->low_b
                                                 : at_start > high           ? high
                                                                             : at_start;
    double length = c->end - (double)x, blur = 6e-7 * length + 4e-6;
    double off = blur * (2 * grid->steepest + fabs(c->slope_z)) + 2 * c->slack;
    double reach = fabs(z) + fabs(length * c->slope_z) + fabs(grid->lowest) + fabs(grid->highest);
    set_frame(p, k, grid, c);
    p->x[k] = p->x0[k] = (int32_t)x;
    p->y[k] = p->y0[k] = (int32_t)row;
    p->a[k] = (float)(c->start - (double)x);
    double last = fmin(length + blur, (double)(c->high_a - x));
    p->last[k] = (float)last;
    p->share[k] = (float)(b - row);
    p->slope_b[k] = (float)c->slope_b;
    p->by_b[k] = lf__inverse_b(c->slope_b);
    p->by_flat[k] = lf__inverse_flat(c->slope_b);
    p->by_sum[k] = (float)(1 / (1 + c->slope_b));
    p->code[k] = (float)((z - grid->base - off - 2e-7 * reach) / grid->quantum - 0.1);
    p->slope_code[k] = (float)(c->slope_z / grid->quantum);
    p->z[k] = (float)z;
    p->slope_z[k] = (float)c->slope_z;
    p->eps[k] = (float)(off + 4e-7 * reach + 2e-5 * grid->steepest + grid->post_error);
    p->level[k] = batch->finest + START < batch->coarsest ? batch->finest + START : batch->coarsest;
    p->live[k] = -1;
    p->failed[k] = p->steps[k] = 0;
}

/// Take rays until one is worth a lane; the others are answered at once. false: there are no more.
static bool take_ray(packet *p, int k, batch *b) {
    passenger *one = &p->passengers[k];
    while (b->next < b->count) {
        int64_t index = b->next++;
        const lf_ray *ray =
            (const lf_ray *)(const void *)((const char *)b->rays + (size_t)index * b->ray_stride);
        one->hit = (lf_hit *)(void *)((char *)b->hits + (size_t)index * b->hit_stride);
        lf__trace_first(&one->trace, b->grid, ray, &one->nearest);
        lf_vec3 d = one->trace.line.direction;
        bool slanted = lf_vec3_finite(one->trace.line.origin) && lf_vec3_finite(d) && (d.x != 0 || d.y != 0);
        lf__course_verdict verdict =
            slanted ? lf__course_start(&one->course, b->grid, &one->trace.line) : LF__COURSE_REFUSED;
        if (verdict == LF__COURSE_RUNS && one->course.end - one->course.start < LONGEST) {
            board(p, k, b, &one->course);
            return true;
        }
        if (verdict != LF__COURSE_MISSES)
            lf__trace_run(&one->trace);
        finish(one);
    }
    return false;
}

/// A ray that takes too long goes on as a single one.
static void hand_over(packet *p, int k, const batch *b) {
    passenger *one = &p->passengers[k];
    one->course.start = fmax(one->course.start, (double)p->x[k] - LF__COURSE_SLACK);
    b->grid->kernels->run(&one->trace, &one->course);
    finish(one);
    p->live[k] = 0;
}

/// Decide about the columns of waiting lanes.
TARGET static void decide(packet *p, const batch *b, unsigned ready) {
    unsigned maybe = filter_columns(p, b->grid) & ready;
    for (; maybe; maybe &= maybe - 1) {
        int k = __builtin_ctz(maybe);
        passenger *one = &p->passengers[k];
        if (lf__lanes_try_column(&one->course, &one->trace, p->x[k]))
            p->waits[k] = 0;
    }
    next_columns(p);
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
        decide(p, b, ready);
        live = bits_of(p->live);
        waiting = bits_of(p->waits);
        __m256i tired = _mm256_or_si256(_mm256_cmpgt_epi32(whole(p->failed), _mm256_set1_epi32(PATIENCE)),
                                        _mm256_cmpgt_epi32(whole(p->steps), _mm256_set1_epi32(STEPS)));
        unsigned over = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(tired)) & live;
        for (; over; over &= over - 1) {
            hand_over(p, __builtin_ctz(over), b);
            *aboard &= ~(over & -over);
        }
        live = bits_of(p->live);
    }
    unsigned busy = live | waiting;
    for (unsigned done = *aboard & ~busy; done; done &= done - 1)
        finish(&p->passengers[__builtin_ctz(done)]);
    *aboard = busy;
    if (__builtin_popcount(busy) <= FEW)
        for (unsigned room = ~busy & 0xff; room && take_ray(p, __builtin_ctz(room), b); room &= room - 1)
            *aboard |= room & -room;
    aim(p, b);
    return *aboard != 0;
}

TARGET void lf__grid_batch_avx2(const lf_grid *grid, const lf_ray *rays, size_t ray_stride, int64_t count,
                                lf_hit *hits, size_t hit_stride) {
    packet packets[PACKETS];
    unsigned aboard[PACKETS] = {0};
    int32_t offsets[8], strides[8];
    batch b = {.grid = grid,
               .rays = rays,
               .ray_stride = ray_stride,
               .hit_stride = hit_stride,
               .hits = hits,
               .count = count};
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
