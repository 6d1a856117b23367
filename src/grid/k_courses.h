/// Starting the rays of a batch: four or eight at a time they are converted to courses, and wait in slots until lanes are free.
///
/// This is lf__grid_course_start for several rays, with the same operations; rays that it refuses (vertical, huge, far away, ...)
/// are answered as single rays. Kernels include this file with DOUBLES (4 or 8) and DOUBLES_TARGET defined.

#include "grid/k_doubles.h"

/// Waiting rays.
typedef struct DS(lf__batch_slots) {
    _Alignas(64) double doubles[DOUBLES][LF__DOUBLES]; ///< of each ray
    _Alignas(32) float floats[LF__FLOATS][DOUBLES];
    _Alignas(32) int32_t x[DOUBLES], y[DOUBLES];
    int32_t octant[DOUBLES];
    int64_t first; ///< number of the first one
} DS(lf__batch_slots);

// ---------------------------------------------------------------------------------------------------
// Courses
// ---------------------------------------------------------------------------------------------------

/// Rays, one number of each per vector.
typedef struct DS(lf__courses) {
    VD x, y, z, dx, dy, dz, t_min, t_max;
    VM swap, mirror_a, mirror_b;
    VD low_a, high_a, low_b, high_b;
    VD a, b, along, slope_b, slope_z, slack, start, end;
    VM refused, missed;
} DS(lf__courses);

/// Sixteen rays that were read at once.
typedef struct DS(lf__sixteen) {
    DS(lf__courses) courses[DS_PARTS];
    DS(lf__batch_slots) slots[DS_PARTS];
    int64_t first[DS_PARTS];    ///< number of the first one
    unsigned waiting[DS_PARTS]; ///< a bit for each that has not been answered
} DS(lf__sixteen);

/// Transpose a square of numbers, one row per vector.
DS_INLINE void DS(lf__transpose)(VD r[DOUBLES]) {
#if DOUBLES == 8
    VD s[8];
    for (int k = 0; k < 8; k += 2) {
        s[k] = _mm512_unpacklo_pd(r[k], r[k + 1]);
        s[k + 1] = _mm512_unpackhi_pd(r[k], r[k + 1]);
    }
    for (int k = 0; k < 2; k++) {
        VD low = _mm512_shuffle_f64x2(s[k], s[k + 2], 0x88),
           low2 = _mm512_shuffle_f64x2(s[k + 4], s[k + 6], 0x88);
        VD high = _mm512_shuffle_f64x2(s[k], s[k + 2], 0xdd),
           high2 = _mm512_shuffle_f64x2(s[k + 4], s[k + 6], 0xdd);
        r[k] = _mm512_shuffle_f64x2(low, low2, 0x88);
        r[k + 4] = _mm512_shuffle_f64x2(low, low2, 0xdd);
        r[k + 2] = _mm512_shuffle_f64x2(high, high2, 0x88);
        r[k + 6] = _mm512_shuffle_f64x2(high, high2, 0xdd);
    }
#else
    VD low = _mm256_unpacklo_pd(r[0], r[1]), high = _mm256_unpackhi_pd(r[0], r[1]);
    VD low2 = _mm256_unpacklo_pd(r[2], r[3]), high2 = _mm256_unpackhi_pd(r[2], r[3]);
    r[0] = _mm256_permute2f128_pd(low, low2, 0x20);
    r[1] = _mm256_permute2f128_pd(high, high2, 0x20);
    r[2] = _mm256_permute2f128_pd(low, low2, 0x31);
    r[3] = _mm256_permute2f128_pd(high, high2, 0x31);
#endif
}

/// Numbers k, k + 1, ... of some arrays, one number per vector.
DS_INLINE void DS(lf__read_across)(const double *const from[DOUBLES], int k, VD to[DOUBLES]) {
    for (int n = 0; n < DOUBLES; n++)
        to[n] = D_LOAD(from[n] + k);
    DS(lf__transpose)(to);
}

/// The lines of rays in columns and rows, with the operations of lf__grid_place and lf__grid_turn.
DS_INLINE void DS(lf__courses_read)(DS(lf__courses) * f, const lf__batch_rays *v, int64_t first) {
    const lf_grid *grid = v->grid;
    const double *from[DOUBLES];
    for (int k = 0; k < DOUBLES; k++) {
        int64_t index = first + k < v->count ? first + k : v->count - 1;
        from[k] = (const double *)(const void *)lf__batch_rays_ray(v, index);
    }
    _Static_assert(sizeof(lf_ray) == 8 * sizeof(double), "a ray is eight numbers");
    VD r[8];
    for (int k = 0; k < 8; k += DOUBLES)
        DS(lf__read_across)(from, k, r + k);
    VD x = r[0] - D_SET(grid->geotransform.origin.x), y = r[1] - D_SET(grid->geotransform.origin.y);
    VD ga = D_SET(grid->a), gb = D_SET(grid->b), gc = D_SET(grid->c), gd = D_SET(grid->d);
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
DS_INLINE void DS(lf__courses_frame)(DS(lf__courses) * f, const lf_grid *grid) {
    VD x = f->x - D_SET((double)grid->first), y = f->y - D_SET((double)grid->first);
    VD columns = D_SET((double)grid->square_columns), rows = D_SET((double)grid->square_rows);
    VD mirror = D_SET((double)grid->mirror), zero = D_SET(0);
    f->swap = D_GT(D_ABS(f->dy), D_ABS(f->dx));
    VD major = D_IF(f->dx, f->dy, f->swap), minor = D_IF(f->dy, f->dx, f->swap);
    VD at_a = D_IF(x, y, f->swap), at_b = D_IF(y, x, f->swap);
    VD squares_a = D_IF(columns, rows, f->swap), squares_b = D_IF(rows, columns, f->swap);
    f->mirror_a = D_GT(zero, major);
    f->mirror_b = D_GT(zero, minor);
    f->low_a = D_ONLY(mirror - squares_a, f->mirror_a);
    f->low_b = D_ONLY(mirror - squares_b, f->mirror_b);
    f->high_a = f->low_a + squares_a;
    f->high_b = f->low_b + squares_b;
    f->a = D_IF(at_a, mirror - at_a, f->mirror_a);
    f->b = D_IF(at_b, mirror - at_b, f->mirror_b);
    f->along = D_ABS(major);
    VD inverse = D_SET(1) / f->along;
    f->slope_b = D_ABS(minor) * inverse;
    f->slope_z = f->dz * inverse;
    // Comparisons are written so that NaN is refused.
    VD reach = D_SET(LF__GRID_COURSE_REACH), largest = D_MAX(D_ABS(f->dz), f->along);
    f->refused = D_NOT_LE(D_ABS(f->slope_z), D_SET(LF__GRID_COURSE_STEEP * grid->quantum));
    f->refused = M_OR(f->refused, D_NOT_LE(D_ABS(f->a), reach));
    f->refused = M_OR(f->refused, D_NOT_LE(D_ABS(f->b), reach));
    f->refused = M_OR(f->refused, D_NOT_LE(D_ABS(f->z), D_SET(1e300)));
    f->refused = M_OR(f->refused, D_NOT_LE(largest, D_SET(LF__DIRECTION_LARGE)));
    f->refused = M_OR(f->refused, D_NOT_LE(D_SET(LF__DIRECTION_SMALL), largest));
    f->refused = M_OR(f->refused, D_NOT_LE(f->slope_b, D_SET(1)));
}

/// Clip the courses to the grid and to its range of heights.
DS_INLINE void DS(lf__courses_clip)(DS(lf__courses) * f, const lf_grid *grid) {
    VD pad = D_SET(0.25 * LF__GRID_COURSE_SLACK), one = D_SET(1);
    f->start = D_MAX(f->a + f->t_min * f->along - pad, f->low_a);
    f->end = D_MIN(f->a + f->t_max * f->along + pad, f->high_a);
    VM slants = D_GT(f->slope_b, D_SET(1e-9));
    VD inverse = one / f->slope_b;
    VD first = f->a + (f->low_b - pad - f->b) * inverse, last = f->a + (f->high_b + pad - f->b) * inverse;
    f->start = D_IF(f->start, D_MAX(first, f->start), slants);
    f->end = D_IF(f->end, D_MIN(last, f->end), slants);
    VM beside = M_OR(D_GT(f->low_b - one, f->b), D_GT(f->b, f->high_b + one));
    f->missed = M_WITHOUT(beside, slants);
    double sizes = fabs(grid->highest) + fabs(grid->lowest);
    VD climb = D_ABS(f->slope_z);
    f->slack =
        D_SET(0x1p-48) * (D_ABS(f->z) + D_SET(sizes) + climb * (D_ABS(f->a) + D_SET((double)grid->mirror)));
    VD low = D_SET(grid->lowest) - f->slack, high = D_SET(grid->highest) + f->slack;
    VM climbs = D_GT(climb, D_SET(1e-9 * grid->quantum));
    VD quantum = D_SET(grid->quantum);
    inverse = one / f->slope_z;
    VD p = f->a + (low - f->z) * inverse, q = f->a + (high - f->z) * inverse;
    f->start = D_IF(f->start, D_MAX(D_MIN(p, q), f->start), climbs);
    f->end = D_IF(f->end, D_MIN(D_MAX(p, q), f->end), climbs);
    beside = M_OR(D_GT(low - quantum, f->z), D_GT(f->z, high + quantum));
    f->missed = M_OR(f->missed, M_WITHOUT(beside, climbs));
    f->start = D_MAX(f->start - pad, f->low_a);
    f->end = D_MIN(f->end + pad, f->high_a);
    f->missed = M_OR(f->missed, D_NOT_LE(f->start, f->end));
    VD longest = D_SET(LF__BATCH_LONGEST);
    f->refused = M_OR(f->refused, M_WITHOUT(D_NOT_LE(f->end - f->start, longest), f->missed));
}

// ---------------------------------------------------------------------------------------------------
// Into slots
// ---------------------------------------------------------------------------------------------------

#define SLOT_FLOAT(which, value) D_STORE_FLOATS(q->floats[which], value)

/// Heights of rays where their slots begin, and their errors.
typedef struct DS(lf__courses_heights) {
    VD z, off, reach;
} DS(lf__courses_heights);

/// The part of the slots that is compared with blocks. Floats have an error of up to `blur` squares at the end of a ray, which widens
/// all bounds and filters.
DS_INLINE DS(lf__courses_heights)
    DS(lf__courses_to_blocks)(const DS(lf__courses) * f, const lf__batch_rays *v, DS(lf__batch_slots) * q) {
    const lf_grid *grid = v->grid;
    VD one = D_SET(1), x = D_MIN(D_FLOOR(f->start), f->high_a - one);
    VD at_start = D_FLOOR(f->b + (f->start - f->a) * f->slope_b);
    VD b = f->b + (x - f->a) * f->slope_b, z = f->z + (x - f->a) * f->slope_z;
    VD row = D_MIN(D_MAX(at_start, f->low_b), f->high_b - one);
    VD length = f->end - x, blur = D_SET(6e-7) * length + D_SET(4e-6);
    VD climb = D_ABS(f->slope_z);
    VD off = blur * (D_SET(2 * grid->steepest) + climb) + f->slack + f->slack;
    VD reach = D_ABS(z) + D_ABS(length * f->slope_z) + D_SET(fabs(grid->lowest) + fabs(grid->highest));
    VD by_quantum = D_SET(v->by_quantum);
    VD code = (z - D_SET(grid->base) - off - D_SET(2e-7) * reach) * by_quantum;
    SLOT_FLOAT(LF__AT, f->start - x);
    SLOT_FLOAT(LF__LAST, D_MIN(length + blur, f->high_a - x));
    SLOT_FLOAT(LF__SHARE, b - row);
    SLOT_FLOAT(LF__SLOPE_B, f->slope_b);
    SLOT_FLOAT(LF__CODE, code - D_SET(0.1));
    SLOT_FLOAT(LF__SLOPE_CODE, f->slope_z * by_quantum);
    D_STORE_WORDS(q->x, x);
    D_STORE_WORDS(q->y, row);
    return (DS(lf__courses_heights)){z, off, reach};
}

/// All of the slots.
DS_INLINE void DS(lf__courses_to_slots)(const DS(lf__courses) * f, const lf__batch_rays *v,
                                        DS(lf__batch_slots) * q) {
    const lf_grid *grid = v->grid;
    VD one = D_SET(1);
    DS(lf__courses_heights) h = DS(lf__courses_to_blocks)(f, v, q);
    SLOT_FLOAT(LF__BY_B, one / D_MAX(f->slope_b, D_SET(1e-12)));
    SLOT_FLOAT(LF__BY_FLAT, one / D_MAX(one - f->slope_b, D_SET(1e-6)));
    SLOT_FLOAT(LF__BY_SUM, one / (one + f->slope_b));
    SLOT_FLOAT(LF__Z, h.z);
    SLOT_FLOAT(LF__SLOPE_Z, f->slope_z);
    SLOT_FLOAT(LF__EPS, h.off + D_SET(4e-7) * h.reach + D_SET(2e-5 * grid->steepest + grid->sample_error));
}
#undef SLOT_FLOAT

DS_INLINE void DS(lf__courses_record)(const DS(lf__courses) * f, DS(lf__batch_slots) * q) {
    VD values[LF__DOUBLES] = {f->a, f->b,  f->along, f->slope_b, f->x,       f->y,     f->dx,  f->dy,
                              f->z, f->dz, f->t_min, f->t_max,   f->slope_z, f->start, f->end, f->slack};
    for (int k = 0; k < LF__DOUBLES; k += DOUBLES) {
        DS(lf__transpose)(values + k);
        for (int n = 0; n < DOUBLES; n++)
            D_STORE(q->doubles[n] + k, values[k + n]);
    }
    unsigned swap = M_BITS(f->swap), a = M_BITS(f->mirror_a), b = M_BITS(f->mirror_b);
    for (int k = 0; k < DOUBLES; k++)
        q->octant[k] = (int32_t)((swap >> k & 1) | (a >> k & 1) << 1 | (b >> k & 1) << 2);
}

/// Convert the next rays: those that run get a slot, the others are answered at once. Returns the slots with a ray.
DS_INLINE unsigned DS(lf__courses_fetch)(DS(lf__courses) * f, lf__batch_rays *v, DS(lf__batch_slots) * q) {
    int64_t left = v->count - v->next;
    unsigned there = left < DOUBLES ? (1u << left) - 1 : (1u << DOUBLES) - 1;
    q->first = v->next;
    if (!there)
        return 0;
    v->next += left < DOUBLES ? left : DOUBLES;
    DS(lf__courses_read)(f, v, q->first);
    DS(lf__courses_frame)(f, v->grid);
    DS(lf__courses_clip)(f, v->grid);
    unsigned refused = M_BITS(f->refused) & there, missed = M_BITS(f->missed) & there & ~refused;
    for (unsigned none = missed; none; none &= none - 1)
        lf__batch_rays_none(v, q->first + __builtin_ctz(none));
    for (unsigned other = refused; other; other &= other - 1) {
        int64_t index = q->first + __builtin_ctz(other);
        if (!lf__grid_first(v->grid, lf__batch_rays_ray(v, index), false, lf__batch_rays_hit(v, index), NULL))
            lf__batch_rays_none(v, index);
    }
    return there & ~refused & ~missed;
}
