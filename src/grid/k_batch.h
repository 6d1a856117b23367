/// Starting the rays of a batch: four at a time they are converted to courses, and wait in slots until lanes
/// are free.
///
/// This is lf__grid_course_start for four rays, with the same operations; rays that it refuses (vertical,
/// huge, far away, ...) are answered as single rays. What depends only on the octant of a direction is
/// computed once per batch.
#ifndef LF_GRID_K_BATCH_H
#define LF_GRID_K_BATCH_H

#include "bvh/bvh_meet.h"
#include "grid/grid_kernels.h"
#include "grid/k_lanes.h"

#if LF__SIMD

/// Rays over more squares than this are refused: floats are not precise enough.
#define LF__BATCH_LONGEST 65536.0

/// Floats of a lane: a and its end relative to the start; b and height at the start; slopes; heights in
/// codes, less their error; error of heights over columns.
enum { LF__AT, LF__LAST, LF__SHARE, LF__SLOPE_B, LF__BY_B, LF__BY_FLAT, LF__BY_SUM };
enum { LF__CODE = LF__BY_SUM + 1, LF__SLOPE_CODE, LF__Z, LF__SLOPE_Z, LF__EPS, LF__FLOATS };

/// Integers of an octant: mirror - 1 where mirrored; all bits where swapped; range of rows; all bits for the
/// diagonals that exist; steps to samples in bytes.
enum { LF__FLIP_X, LF__FLIP_Y, LF__SWAP, LF__HIGH_Y, LF__LOW_Y, LF__ALONG, LF__AGAINST };
enum { LF__BASE = LF__AGAINST + 1, LF__STEP_A, LF__STEP_B, LF__WORDS };

typedef struct lf__octant {
    int32_t words[LF__WORDS];
    lf__grid_course course; ///< the common part of all courses of the octant
} lf__octant;

/// Doubles of a ray: its course, and its line in grid coordinates.
enum { LF__A, LF__B, LF__PACE, LF__ASIDE, LF__X, LF__Y, LF__DX, LF__DY };
enum {
    LF__HEIGHT = LF__DY + 1,
    LF__DZ,
    LF__T_MIN,
    LF__T_MAX,
    LF__CLIMB,
    LF__START,
    LF__END,
    LF__SLACK,
    LF__DOUBLES
};

typedef struct lf__batch_lane {
    int64_t index;
    int32_t octant;
    double values[LF__DOUBLES];
} lf__batch_lane;

/// Rays that are read at once, in fours.
#define LF__BATCH_FOURS 4

/// Four waiting rays, those whose bits are set.
typedef struct lf__batch_slots {
    _Alignas(32) double doubles[4][LF__DOUBLES]; ///< of each ray
    _Alignas(16) float floats[LF__FLOATS][4];
    _Alignas(16) int32_t x[4], y[4];
    int32_t octant[4];
    int32_t near; ///< they start next to what they may meet
    int64_t first;
    unsigned waiting;
} lf__batch_slots;

typedef struct lf__batch_rays {
    const lf_grid *grid;
    const lf_ray *rays;
    size_t ray_stride, hit_stride;
    lf_hit *hits;
    int64_t next, count;
    double by_quantum;
    lf__octant octants[8]; ///< 1: swapped, 2: a mirrored, 4: b mirrored
    lf__batch_slots slots[LF__BATCH_FOURS];
    int current; ///< of the slots
} lf__batch_rays;

static inline const lf_ray *lf__batch_rays_ray(const lf__batch_rays *v, int64_t index) {
    return (const lf_ray *)(const void *)((const char *)v->rays + (size_t)index * v->ray_stride);
}

static inline lf_hit *lf__batch_rays_hit(const lf__batch_rays *v, int64_t index) {
    return (lf_hit *)(void *)((char *)v->hits + (size_t)index * v->hit_stride);
}

static inline void lf__batch_rays_none(const lf__batch_rays *v, int64_t index) {
    *lf__batch_rays_hit(v, index) = lf__hit_none(lf__batch_rays_ray(v, index)->t_max, LF_REASON_NONE);
}

// ---------------------------------------------------------------------------------------------------
// Once per batch
// ---------------------------------------------------------------------------------------------------

static inline void lf__octant_make(lf__octant *o, const lf_grid *grid, int number) {
    lf__grid_course *c = &o->course;
    c->swap = number & 1;
    c->mirror_a = (number & 2) != 0;
    c->mirror_b = (number & 4) != 0;
    c->mirror = grid->mirror;
    int64_t columns = grid->square_columns, rows = grid->square_rows;
    lf__grid_course_axis(c, 0, c->mirror_a, c->swap ? rows : columns, &c->low_a, &c->high_a);
    lf__grid_course_axis(c, 0, c->mirror_b, c->swap ? columns : rows, &c->low_b, &c->high_b);
    bool mirrored = c->mirror_a != c->mirror_b, falls = grid->surface == LF_SURFACE_FALLING;
    bool both = grid->surface == LF_SURFACE_ALTERNATING;
    ptrdiff_t a = c->swap ? grid->row_step : grid->column_step,
              b = c->swap ? grid->column_step : grid->row_step;
    o->words[LF__FLIP_X] = c->mirror_a ? (int32_t)c->mirror - 1 : 0;
    o->words[LF__FLIP_Y] = c->mirror_b ? (int32_t)c->mirror - 1 : 0;
    o->words[LF__SWAP] = -(int32_t)c->swap;
    o->words[LF__HIGH_Y] = (int32_t)c->high_b;
    o->words[LF__LOW_Y] = (int32_t)c->low_b;
    o->words[LF__ALONG] = -(int32_t)(both || falls == mirrored);
    o->words[LF__AGAINST] = -(int32_t)(both || falls != mirrored);
    o->words[LF__BASE] = (int32_t)(grid->first * (a + b) + (c->mirror_a ? c->mirror * a : 0) +
                                   (c->mirror_b ? c->mirror * b : 0));
    o->words[LF__STEP_A] = (int32_t)(c->mirror_a ? -a : a);
    o->words[LF__STEP_B] = (int32_t)(c->mirror_b ? -b : b);
}

// ---------------------------------------------------------------------------------------------------
// Four courses
// ---------------------------------------------------------------------------------------------------

/// Four rays, one number of each per vector; masks are all bits or none.
typedef struct lf__four {
    __m256d x, y, z, dx, dy, dz, t_min, t_max;
    __m256d swap, mirror_a, mirror_b;
    __m256d low_a, high_a, low_b, high_b;
    __m256d a, b, along, slope_b, slope_z, slack, start, end;
    __m256d refused, missed;
} lf__four;

LF__LANES_TARGET static inline __m256d lf__four_of(double x) {
    return _mm256_set1_pd(x);
}

LF__LANES_TARGET static inline __m256d lf__four_size(__m256d x) {
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
}

/// b where the mask is set.
LF__LANES_TARGET static inline __m256d lf__four_choose(__m256d a, __m256d b, __m256d mask) {
    return _mm256_blendv_pd(a, b, mask);
}

#define LF__FOUR_NOT_LE(x, y) _mm256_cmp_pd(x, y, _CMP_NLE_UQ)
#define LF__FOUR_GT(x, y) _mm256_cmp_pd(x, y, _CMP_GT_OQ)

/// Transpose four times four numbers.
LF__LANES_TARGET static inline void lf__four_transpose(const double *const from[4], __m256d to[4]) {
    __m256d r[4];
    for (int k = 0; k < 4; k++)
        r[k] = _mm256_loadu_pd(from[k]);
    __m256d low = _mm256_unpacklo_pd(r[0], r[1]), high = _mm256_unpackhi_pd(r[0], r[1]);
    __m256d low2 = _mm256_unpacklo_pd(r[2], r[3]), high2 = _mm256_unpackhi_pd(r[2], r[3]);
    to[0] = _mm256_permute2f128_pd(low, low2, 0x20);
    to[1] = _mm256_permute2f128_pd(high, high2, 0x20);
    to[2] = _mm256_permute2f128_pd(low, low2, 0x31);
    to[3] = _mm256_permute2f128_pd(high, high2, 0x31);
}

/// The lines of four rays in columns and rows, with the operations of lf__grid_place and lf__grid_turn.
LF__LANES_TARGET static inline void lf__four_lines(lf__four *f, const lf__batch_rays *v, int64_t first) {
    const lf_grid *grid = v->grid;
    const double *from[4], *rest[4];
    for (int k = 0; k < 4; k++) {
        int64_t index = first + k < v->count ? first + k : v->count - 1;
        from[k] = (const double *)(const void *)lf__batch_rays_ray(v, index);
        rest[k] = from[k] + 4;
    }
    _Static_assert(sizeof(lf_ray) == 8 * sizeof(double), "a ray is eight numbers");
    __m256d r[8];
    lf__four_transpose(from, r);
    lf__four_transpose(rest, r + 4);
    __m256d x = r[0] - lf__four_of(grid->geotransform.origin.x),
            y = r[1] - lf__four_of(grid->geotransform.origin.y);
    __m256d ga = lf__four_of(grid->a), gb = lf__four_of(grid->b), gc = lf__four_of(grid->c),
            gd = lf__four_of(grid->d);
    f->x = grid->b == 0 ? ga * x : ga * x + gb * y;
    f->y = grid->c == 0 ? gd * y : gc * x + gd * y;
    f->dx = grid->b == 0 ? ga * r[3] : ga * r[3] + gb * r[4];
    f->dy = grid->c == 0 ? gd * r[4] : gc * r[3] + gd * r[4];
    f->z = r[2];
    f->dz = r[5];
    f->t_min = r[6];
    f->t_max = r[7];
}

/// Convert to the frames of the courses, and find which rays are refused.
LF__LANES_TARGET static inline void lf__four_frame(lf__four *f, const lf_grid *grid) {
    __m256d x = f->x - lf__four_of((double)grid->first), y = f->y - lf__four_of((double)grid->first);
    __m256d columns = lf__four_of((double)grid->square_columns),
            rows = lf__four_of((double)grid->square_rows);
    __m256d mirror = lf__four_of((double)grid->mirror), zero = _mm256_setzero_pd();
    f->swap = LF__FOUR_GT(lf__four_size(f->dy), lf__four_size(f->dx));
    __m256d major = lf__four_choose(f->dx, f->dy, f->swap), minor = lf__four_choose(f->dy, f->dx, f->swap);
    __m256d at_a = lf__four_choose(x, y, f->swap), at_b = lf__four_choose(y, x, f->swap);
    __m256d squares_a = lf__four_choose(columns, rows, f->swap),
            squares_b = lf__four_choose(rows, columns, f->swap);
    f->mirror_a = LF__FOUR_GT(zero, major);
    f->mirror_b = LF__FOUR_GT(zero, minor);
    f->low_a = _mm256_and_pd(mirror - squares_a, f->mirror_a);
    f->low_b = _mm256_and_pd(mirror - squares_b, f->mirror_b);
    f->high_a = f->low_a + squares_a;
    f->high_b = f->low_b + squares_b;
    f->a = lf__four_choose(at_a, mirror - at_a, f->mirror_a);
    f->b = lf__four_choose(at_b, mirror - at_b, f->mirror_b);
    f->along = lf__four_size(major);
    __m256d inverse = lf__four_of(1) / f->along;
    f->slope_b = lf__four_size(minor) * inverse;
    f->slope_z = f->dz * inverse;
    // Comparisons are written so that NaN is refused.
    __m256d reach = lf__four_of(LF__GRID_COURSE_REACH),
            largest = _mm256_max_pd(lf__four_size(f->dz), f->along);
    f->refused =
        LF__FOUR_NOT_LE(lf__four_size(f->slope_z), lf__four_of(LF__GRID_COURSE_STEEP * grid->quantum));
    f->refused = _mm256_or_pd(f->refused, LF__FOUR_NOT_LE(lf__four_size(f->a), reach));
    f->refused = _mm256_or_pd(f->refused, LF__FOUR_NOT_LE(lf__four_size(f->b), reach));
    f->refused = _mm256_or_pd(f->refused, LF__FOUR_NOT_LE(lf__four_size(f->z), lf__four_of(1e300)));
    f->refused = _mm256_or_pd(f->refused, LF__FOUR_NOT_LE(largest, lf__four_of(LF__DIRECTION_LARGE)));
    f->refused = _mm256_or_pd(f->refused, LF__FOUR_NOT_LE(lf__four_of(LF__DIRECTION_SMALL), largest));
    f->refused = _mm256_or_pd(f->refused, LF__FOUR_NOT_LE(f->slope_b, lf__four_of(1)));
}

/// Clip the courses to the grid and to its range of heights.
LF__LANES_TARGET static inline void lf__four_clip(lf__four *f, const lf_grid *grid) {
    __m256d pad = lf__four_of(0.25 * LF__GRID_COURSE_SLACK), one = lf__four_of(1);
    f->start = _mm256_max_pd(f->a + f->t_min * f->along - pad, f->low_a);
    f->end = _mm256_min_pd(f->a + f->t_max * f->along + pad, f->high_a);
    __m256d slants = LF__FOUR_GT(f->slope_b, lf__four_of(1e-9)), inverse = one / f->slope_b;
    __m256d first = f->a + (f->low_b - pad - f->b) * inverse,
            last = f->a + (f->high_b + pad - f->b) * inverse;
    f->start = lf__four_choose(f->start, _mm256_max_pd(first, f->start), slants);
    f->end = lf__four_choose(f->end, _mm256_min_pd(last, f->end), slants);
    __m256d beside = _mm256_or_pd(LF__FOUR_GT(f->low_b - one, f->b), LF__FOUR_GT(f->b, f->high_b + one));
    f->missed = _mm256_andnot_pd(slants, beside);
    double sizes = fabs(grid->highest) + fabs(grid->lowest);
    __m256d climb = lf__four_size(f->slope_z);
    f->slack = lf__four_of(0x1p-48) * (lf__four_size(f->z) + lf__four_of(sizes) +
                                       climb * (lf__four_size(f->a) + lf__four_of((double)grid->mirror)));
    __m256d low = lf__four_of(grid->lowest) - f->slack, high = lf__four_of(grid->highest) + f->slack;
    __m256d climbs = LF__FOUR_GT(climb, lf__four_of(1e-9 * grid->quantum)),
            quantum = lf__four_of(grid->quantum);
    inverse = one / f->slope_z;
    __m256d p = f->a + (low - f->z) * inverse, q = f->a + (high - f->z) * inverse;
    f->start = lf__four_choose(f->start, _mm256_max_pd(_mm256_min_pd(p, q), f->start), climbs);
    f->end = lf__four_choose(f->end, _mm256_min_pd(_mm256_max_pd(p, q), f->end), climbs);
    beside = _mm256_or_pd(LF__FOUR_GT(low - quantum, f->z), LF__FOUR_GT(f->z, high + quantum));
    f->missed = _mm256_or_pd(f->missed, _mm256_andnot_pd(climbs, beside));
    f->start = _mm256_max_pd(f->start - pad, f->low_a);
    f->end = _mm256_min_pd(f->end + pad, f->high_a);
    f->missed = _mm256_or_pd(f->missed, LF__FOUR_NOT_LE(f->start, f->end));
    __m256d longest = lf__four_of(LF__BATCH_LONGEST);
    f->refused =
        _mm256_or_pd(f->refused, _mm256_andnot_pd(f->missed, LF__FOUR_NOT_LE(f->end - f->start, longest)));
}

// ---------------------------------------------------------------------------------------------------
// Into slots
// ---------------------------------------------------------------------------------------------------

LF__LANES_TARGET static inline void lf__batch_slot_float(lf__batch_slots *q, int which, __m256d value) {
    _mm_store_ps(q->floats[which], _mm256_cvtpd_ps(value));
}

/// Floats have an error of up to `blur` squares at the end of a ray, which widens all bounds and filters.
LF__LANES_TARGET static inline void lf__four_to_slots(const lf__four *f, const lf__batch_rays *v,
                                                      lf__batch_slots *q) {
    const lf_grid *grid = v->grid;
    __m256d one = lf__four_of(1), x = _mm256_min_pd(_mm256_floor_pd(f->start), f->high_a - one);
    __m256d at_start = _mm256_floor_pd(f->b + (f->start - f->a) * f->slope_b);
    __m256d b = f->b + (x - f->a) * f->slope_b, z = f->z + (x - f->a) * f->slope_z;
    __m256d row = _mm256_min_pd(_mm256_max_pd(at_start, f->low_b), f->high_b - one);
    __m256d length = f->end - x, blur = lf__four_of(6e-7) * length + lf__four_of(4e-6);
    __m256d climb = lf__four_size(f->slope_z);
    __m256d off = blur * (lf__four_of(2 * grid->steepest) + climb) + f->slack + f->slack;
    __m256d reach = lf__four_size(z) + lf__four_size(length * f->slope_z) +
                    lf__four_of(fabs(grid->lowest) + fabs(grid->highest));
    __m256d by_quantum = lf__four_of(v->by_quantum);
    __m256d code = (z - lf__four_of(grid->base) - off - lf__four_of(2e-7) * reach) * by_quantum;
    lf__batch_slot_float(q, LF__AT, f->start - x);
    lf__batch_slot_float(q, LF__LAST, _mm256_min_pd(length + blur, f->high_a - x));
    lf__batch_slot_float(q, LF__SHARE, b - row);
    lf__batch_slot_float(q, LF__SLOPE_B, f->slope_b);
    lf__batch_slot_float(q, LF__BY_B, one / _mm256_max_pd(f->slope_b, lf__four_of(1e-12)));
    lf__batch_slot_float(q, LF__BY_FLAT, one / _mm256_max_pd(one - f->slope_b, lf__four_of(1e-6)));
    lf__batch_slot_float(q, LF__BY_SUM, one / (one + f->slope_b));
    lf__batch_slot_float(q, LF__CODE, code - lf__four_of(0.1));
    lf__batch_slot_float(q, LF__SLOPE_CODE, f->slope_z * by_quantum);
    lf__batch_slot_float(q, LF__Z, z);
    lf__batch_slot_float(q, LF__SLOPE_Z, f->slope_z);
    lf__batch_slot_float(q, LF__EPS,
                         off + lf__four_of(4e-7) * reach +
                             lf__four_of(2e-5 * grid->steepest + grid->sample_error));
    _mm_store_si128((__m128i *)(void *)q->x, _mm256_cvttpd_epi32(x));
    _mm_store_si128((__m128i *)(void *)q->y, _mm256_cvttpd_epi32(row));
}

LF__LANES_TARGET static inline void lf__four_record(const lf__four *f, lf__batch_slots *q) {
    const __m256d values[LF__DOUBLES] = {f->a,       f->b,     f->along, f->slope_b, f->x,     f->y,
                                         f->dx,      f->dy,    f->z,     f->dz,      f->t_min, f->t_max,
                                         f->slope_z, f->start, f->end,   f->slack};
    for (int k = 0; k < LF__DOUBLES; k += 4) {
        __m256d low = _mm256_unpacklo_pd(values[k], values[k + 1]),
                high = _mm256_unpackhi_pd(values[k], values[k + 1]);
        __m256d low2 = _mm256_unpacklo_pd(values[k + 2], values[k + 3]),
                high2 = _mm256_unpackhi_pd(values[k + 2], values[k + 3]);
        _mm256_store_pd(q->doubles[0] + k, _mm256_permute2f128_pd(low, low2, 0x20));
        _mm256_store_pd(q->doubles[1] + k, _mm256_permute2f128_pd(high, high2, 0x20));
        _mm256_store_pd(q->doubles[2] + k, _mm256_permute2f128_pd(low, low2, 0x31));
        _mm256_store_pd(q->doubles[3] + k, _mm256_permute2f128_pd(high, high2, 0x31));
    }
    int swap = _mm256_movemask_pd(f->swap), a = _mm256_movemask_pd(f->mirror_a),
        b = _mm256_movemask_pd(f->mirror_b);
    for (int k = 0; k < 4; k++)
        q->octant[k] = (swap >> k & 1) | (a >> k & 1) << 1 | (b >> k & 1) << 2;
}

// ---------------------------------------------------------------------------------------------------
// Rays that are close together
// ---------------------------------------------------------------------------------------------------

// Rays of one octant that follow each other in a batch are often close together, as those of a picture. They
// traverse the pyramid as one body, column of blocks by column of blocks, until one of them may meet
// something; from there on each has a lane of its own.

/// Most rows of blocks that a group may be in, and the level at which it ends.
#define LF__GROUP_ROWS 3
#define LF__GROUP_FINEST 2
#define LF__GROUP_STEPS 48

typedef struct lf__group {
    __m256d b[LF__BATCH_FOURS], z[LF__BATCH_FOURS], slope_b[LF__BATCH_FOURS], slope_z[LF__BATCH_FOURS];
    double start, end; ///< of a
    double slack;      ///< of z
} lf__group;

/// The rows and the least height of a group at one place of a, relative to its start.
typedef struct lf__group_side {
    double low_b, high_b, low_z;
} lf__group_side;

LF__LANES_TARGET static inline double lf__group_least(__m256d x) {
    __m256d y = _mm256_min_pd(x, _mm256_permute2f128_pd(x, x, 1));
    _Alignas(32) double of[4];
    _mm256_store_pd(of, y);
    return of[0] < of[1] ? of[0] : of[1];
}

LF__LANES_TARGET static inline lf__group_side lf__group_at(const lf__group *g, double along) {
    __m256d at = lf__four_of(along), low = g->b[0] + at * g->slope_b[0], high = low,
            z = g->z[0] + at * g->slope_z[0];
    for (int n = 1; n < LF__BATCH_FOURS; n++) {
        __m256d b = g->b[n] + at * g->slope_b[n];
        low = _mm256_min_pd(low, b);
        high = _mm256_max_pd(high, b);
        z = _mm256_min_pd(z, g->z[n] + at * g->slope_z[n]);
    }
    return (lf__group_side){lf__group_least(low), -lf__group_least(_mm256_setzero_pd() - high),
                            lf__group_least(z)};
}

/// Collect the waiting rays; false where they are of several octants. Places of the others are those of a waiting one.
LF__LANES_TARGET static inline bool lf__group_make(lf__group *g, const lf__four f[LF__BATCH_FOURS],
                                                   const unsigned waiting[LF__BATCH_FOURS], int *octant) {
    _Alignas(32) double starts[LF__BATCH_FOURS][4], of[7][LF__BATCH_FOURS][4];
    int swap = 0, mirror_a = 0, mirror_b = 0, count = 0, any = -1;
    for (int n = 0; n < LF__BATCH_FOURS; n++) {
        if (!waiting[n])
            continue;
        int w = (int)waiting[n];
        swap += __builtin_popcount((unsigned)(_mm256_movemask_pd(f[n].swap) & w));
        mirror_a += __builtin_popcount((unsigned)(_mm256_movemask_pd(f[n].mirror_a) & w));
        mirror_b += __builtin_popcount((unsigned)(_mm256_movemask_pd(f[n].mirror_b) & w));
        count += __builtin_popcount(waiting[n]);
        any = any < 0 ? 4 * n + __builtin_ctz(waiting[n]) : any;
    }
    if (count < 4 || (swap && swap < count) || (mirror_a && mirror_a < count) ||
        (mirror_b && mirror_b < count))
        return false;
    *octant = (swap > 0) | (mirror_a > 0) << 1 | (mirror_b > 0) << 2;
    g->start = INFINITY, g->end = -INFINITY, g->slack = 0;
    for (int n = 0; n < LF__BATCH_FOURS; n++) {
        if (!waiting[n])
            continue;
        const __m256d values[7] = {f[n].a, f[n].b, f[n].z, f[n].slope_b, f[n].slope_z, f[n].end, f[n].slack};
        _mm256_store_pd(starts[n], f[n].start);
        for (int k = 0; k < 7; k++)
            _mm256_store_pd(of[k][n], values[k]);
        for (unsigned w = waiting[n]; w; w &= w - 1) {
            int k = __builtin_ctz(w);
            g->start = starts[n][k] < g->start ? starts[n][k] : g->start;
            g->end = of[5][n][k] > g->end ? of[5][n][k] : g->end;
            g->slack = of[6][n][k] > g->slack ? of[6][n][k] : g->slack;
        }
    }
    for (int n = 0; n < LF__BATCH_FOURS; n++) {
        for (unsigned without = 15 & ~waiting[n]; without; without &= without - 1)
            for (int k = 0; k < 5; k++)
                of[k][n][__builtin_ctz(without)] = of[k][any / 4][any % 4];
        __m256d to = lf__four_of(g->start) - _mm256_loadu_pd(of[0][n]);
        g->slope_b[n] = _mm256_loadu_pd(of[3][n]);
        g->slope_z[n] = _mm256_loadu_pd(of[4][n]);
        g->b[n] = _mm256_loadu_pd(of[1][n]) + to * g->slope_b[n];
        g->z[n] = _mm256_loadu_pd(of[2][n]) + to * g->slope_z[n];
    }
    return true;
}

/// May the group meet something in block column `at` of a level, in rows `low` to `high`, where its least height is `code`?
static inline bool lf__group_meets(const lf__grid_course *c, const lf__grid_level *level, int l, int64_t at,
                                   const int64_t rows[2], double code) {
    int64_t last = (c->mirror >> l) - 1, a = c->mirror_a ? last - at : at;
    for (int64_t row = rows[0]; row <= rows[1]; row++) {
        int64_t b = c->mirror_b ? last - row : row;
        if (code <= (double)level->top[c->swap ? a * level->stride + b : b * level->stride + a])
            return true;
    }
    return false;
}

/// Where the group may first meet something: the a of a side of blocks, or its start.
LF__LANES_TARGET static inline double lf__group_skip(const lf__group *g, const lf__batch_rays *v,
                                                     int octant) {
    const lf_grid *grid = v->grid;
    const lf__grid_course *c = &v->octants[octant].course;
    int l = grid->level_count - 1 < 7 ? grid->level_count - 1 : 7, coarsest = l,
        finest = grid->first_top > LF__GROUP_FINEST ? grid->first_top : LF__GROUP_FINEST;
    double at = g->start, doubt = 2 * g->slack * v->by_quantum + 1e-3;
    lf__group_side here = lf__group_at(g, 0);
    for (int steps = 0; steps < LF__GROUP_STEPS && at < g->end && l >= finest; steps++) {
        double side = (double)(1 << l);
        int64_t block = (int64_t)at >> l;
        double to = (double)(block + 1) * side;
        lf__group_side there = lf__group_at(g, to - g->start);
        // Slopes of rows are not negative: the lowest is here, the highest there.
        int64_t rows[2] = {(int64_t)floor(here.low_b - LF__GRID_COURSE_SLACK) >> l,
                           (int64_t)floor(there.high_b + LF__GRID_COURSE_SLACK) >> l};
        int64_t low = c->low_b >> l, high = (c->high_b - 1) >> l;
        rows[0] = rows[0] < low ? low : rows[0] > high ? high : rows[0];
        rows[1] = rows[1] < low ? low : rows[1] > high ? high : rows[1];
        if (rows[1] - rows[0] >= LF__GROUP_ROWS)
            break;
        double z = here.low_z < there.low_z ? here.low_z : there.low_z,
               code = (z - grid->base) * v->by_quantum - doubt;
        code = code < 0.5 ? 0.5 : code > 65534.5 ? 65534.5 : code;
        if (lf__group_meets(c, &grid->levels[l], l, block, rows, code)) {
            l--;
            continue;
        }
        at = to;
        here = there;
        l += l < coarsest && ((block + 1) & 1) == 0;
    }
    return at;
}

/// Let waiting rays start where they may first meet something.
LF__LANES_TARGET static inline bool lf__group_advance(lf__four f[LF__BATCH_FOURS], const lf__batch_rays *v,
                                                      unsigned waiting[LF__BATCH_FOURS]) {
    lf__group g;
    int octant;
    if (!lf__group_make(&g, f, waiting, &octant))
        return false;
    double from = lf__group_skip(&g, v, octant);
    if (from <= g.start)
        return false;
    for (int n = 0; n < LF__BATCH_FOURS; n++)
        f[n].start =
            _mm256_max_pd(f[n].start, _mm256_min_pd(lf__four_of(from - LF__GRID_COURSE_SLACK), f[n].end));
    return true;
}

/// Read the next rays: some get a slot, the others are answered at once.
LF__LANES_TARGET static inline void lf__batch_rays_fetch(lf__batch_rays *v) {
    lf__four f[LF__BATCH_FOURS];
    unsigned waiting[LF__BATCH_FOURS] = {0};
    for (int n = 0; n < LF__BATCH_FOURS; n++) {
        lf__batch_slots *q = &v->slots[n];
        int64_t left = v->count - v->next;
        unsigned there = left < 4 ? (1u << left) - 1 : 15;
        q->first = v->next;
        q->waiting = 0;
        if (!there)
            continue;
        v->next += left < 4 ? left : 4;
        lf__four_lines(&f[n], v, q->first);
        lf__four_frame(&f[n], v->grid);
        lf__four_clip(&f[n], v->grid);
        unsigned refused = (unsigned)_mm256_movemask_pd(f[n].refused) & there;
        unsigned missed = (unsigned)_mm256_movemask_pd(f[n].missed) & there & ~refused;
        waiting[n] = there & ~refused & ~missed;
        for (; missed; missed &= missed - 1)
            lf__batch_rays_none(v, q->first + __builtin_ctz(missed));
        for (; refused; refused &= refused - 1) {
            int64_t index = q->first + __builtin_ctz(refused);
            if (!lf__grid_first(v->grid, lf__batch_rays_ray(v, index), false, lf__batch_rays_hit(v, index),
                                NULL))
                lf__batch_rays_none(v, index);
        }
    }
    v->current = 0;
    bool near = lf__group_advance(f, v, waiting);
    for (int n = 0; n < LF__BATCH_FOURS; n++) {
        lf__batch_slots *q = &v->slots[n];
        q->waiting = waiting[n];
        q->near = near;
        if (waiting[n]) {
            lf__four_to_slots(&f[n], v, q);
            lf__four_record(&f[n], q);
        }
    }
}

/// Slots with waiting rays; NULL where all have been taken.
LF__LANES_TARGET static inline lf__batch_slots *lf__batch_rays_waiting(lf__batch_rays *v) {
    for (;;) {
        for (; v->current < LF__BATCH_FOURS; v->current++)
            if (v->slots[v->current].waiting)
                return &v->slots[v->current];
        if (v->next >= v->count)
            return NULL;
        lf__batch_rays_fetch(v);
    }
}

// ---------------------------------------------------------------------------------------------------
// Out of lanes
// ---------------------------------------------------------------------------------------------------

/// The ray of a lane as a single ray.
typedef struct lf__batch_single {
    lf__trace trace;
    lf__grid_course course;
    lf__nearest_piece nearest;
} lf__batch_single;

static inline void lf__batch_single_start(lf__batch_single *w, const lf__batch_rays *v,
                                          const lf__batch_lane *one) {
    const lf_ray *ray = lf__batch_rays_ray(v, one->index);
    const double *d = one->values;
    lf__grid_course *c = &w->course;
    *c = v->octants[one->octant].course;
    c->a = d[LF__A], c->b = d[LF__B], c->z = d[LF__HEIGHT];
    c->along = d[LF__PACE], c->slope_b = d[LF__ASIDE], c->slope_z = d[LF__CLIMB];
    c->start = d[LF__START], c->end = d[LF__END], c->slack = d[LF__SLACK];
    lf_ray line = {{d[LF__X], d[LF__Y], ray->origin.z},
                   {d[LF__DX], d[LF__DY], ray->direction.z},
                   ray->t_min,
                   ray->t_max};
    lf__trace_first_on(&w->trace, v->grid, ray, &line, &w->nearest);
}

static inline void lf__batch_single_finish(const lf__batch_single *w, const lf__batch_rays *v,
                                           const lf__batch_lane *one) {
    if (w->nearest.any)
        lf__trace_hit(&w->trace, &w->nearest.piece, &w->nearest.meeting, lf__batch_rays_hit(v, one->index));
    else
        lf__batch_rays_none(v, one->index);
}

#endif
#endif
