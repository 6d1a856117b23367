/// The first hit of one ray with AVX2, eight blocks or columns at a time.
///
/// A window is eight consecutive blocks of one level along the course of the ray, which are filtered by their
/// bounds. Windows of 64 x 64 squares lead to windows of 8 x 8 squares, and these to eight columns of single
/// squares, which are filtered by their samples. Filters use floats relative to the start of a window, which
/// is computed in doubles; lf__trace_square decides about what they let through.
#include "grid/grid_kernels.h"
#include "grid/k_lanes.h"
#include "grid/packed.h"

#if LF__SIMD
#define TARGET LF__LANES_TARGET

/// Levels of the windows.
#define GRID_RAY_FINE 3
#define GRID_RAY_COARSE LF__GRID_PLANE

/// Leaves without a hit after which bottoms are tested too: the ray may be below the ground.
#define GRID_RAY_PATIENCE 4

/// Bound of the rounding error of coordinates within a window, in blocks.
#define GRID_RAY_BLUR 4e-6f

/// Bounds of a level in the frame of the course: those of block (0, 0), and the steps from there.
typedef struct grid_ray_bounds {
    const uint16_t *top, *bottom;
    int32_t step_a, step_b;
} grid_ray_bounds;

typedef struct grid_ray_walk {
    lf__trace *trace;
    lf__grid_course course;
    grid_ray_bounds fine, coarse;
    const char *samples;
    int32_t step_a, step_b; ///< bytes
    __m256 along, against;  ///< masks of the diagonals that exist; alternating: both
    bool bilinear;
    bool crosses; ///< samples beyond the two nearest rows are needed
    float slope_b, by_b, by_flat, by_sum;
    float eps;   ///< error of heights over columns
    float blur;  ///< by which a ray counts as in a row of blocks before it is there, in blocks: below 0 where
                 ///< bounds of the row beside are raised instead
    double rise; ///< of the surface in twice the blur, for blocks of one square
    double by_quantum;
    int failed; ///< leaves without a hit
} grid_ray_walk;

static grid_ray_bounds grid_ray_bounds_of(const lf__grid_course *c, const lf_grid *grid, int level) {
    const lf__grid_level *l = &grid->levels[level];
    int64_t a = c->swap ? l->stride : 1, b = c->swap ? 1 : l->stride, last = (c->mirror >> level) - 1;
    int64_t start = (c->mirror_a ? last * a : 0) + (c->mirror_b ? last * b : 0);
    grid_ray_bounds found = {l->top + start, l->bottom + start, (int32_t)(c->mirror_a ? -a : a),
                             (int32_t)(c->mirror_b ? -b : b)};
    return found;
}

static void grid_ray_find_samples(grid_ray_walk *w) {
    const lf__grid_course *c = &w->course;
    const lf_grid *grid = w->trace->grid;
    ptrdiff_t a = c->swap ? grid->row_step : grid->column_step,
              b = c->swap ? grid->column_step : grid->row_step;
    if (grid->packed) { // steps count samples, not bytes
        w->samples = NULL;
        w->step_a = w->step_b = 1;
        return;
    }
    w->samples = grid->values + grid->first * (a + b) + (c->mirror_a ? c->mirror * a : 0) +
                 (c->mirror_b ? c->mirror * b : 0);
    w->step_a = (int32_t)(c->mirror_a ? -a : a);
    w->step_b = (int32_t)(c->mirror_b ? -b : b);
}

TARGET static void grid_ray_start_walk(grid_ray_walk *w) {
    const lf_grid *grid = w->trace->grid;
    const lf__grid_course *c = &w->course;
    bool coarse = grid->level_count > GRID_RAY_COARSE, mirrored = c->mirror_a != c->mirror_b;
    bool falls = grid->surface == LF_SURFACE_FALLING, both = grid->surface == LF_SURFACE_ALTERNATING;
    w->bilinear = grid->surface == LF_SURFACE_BILINEAR;
    w->fine = grid_ray_bounds_of(c, grid, GRID_RAY_FINE);
    w->coarse = coarse ? grid_ray_bounds_of(c, grid, GRID_RAY_COARSE) : w->fine;
    grid_ray_find_samples(w);
    w->slope_b = (float)c->slope_b;
    w->by_b = lf__inverse_b(c->slope_b);
    w->by_flat = lf__inverse_flat(c->slope_b);
    w->by_sum = (float)(1 / (1 + c->slope_b));
    w->along = _mm256_castsi256_ps(_mm256_set1_epi32(both || (!w->bilinear && falls == mirrored) ? -1 : 0));
    w->against = _mm256_castsi256_ps(_mm256_set1_epi32(both || (!w->bilinear && falls != mirrored) ? -1 : 0));
    w->crosses = w->bilinear || both || falls != mirrored;
    w->eps = (float)(2e-5 * grid->steepest + grid->sample_error + 2 * c->slack + 3e-5 * fabs(c->slope_z));
    // Where rounding decides whether a ray enters a row of blocks, it is there for less than twice the blur.
    // As far as that the surface cannot rise much above its border, which is that of the row beside: that
    // row's bounds are enough, if a little higher. Otherwise a ray through the corners of blocks would meet
    // the bounds of all blocks around. Beside voids there need not be a border.
    w->blur = grid->gaps ? GRID_RAY_BLUR : -GRID_RAY_BLUR;
    w->rise = grid->gaps ? 0 : 4 * (double)GRID_RAY_BLUR * grid->steepest;
    w->by_quantum = 1 / grid->quantum;
}

// ---------------------------------------------------------------------------------------------------
// Windows
// ---------------------------------------------------------------------------------------------------

/// Codes of eight blocks.
TARGET static inline __m256 grid_ray_codes(const uint16_t *base, __m256i index) {
    return _mm256_cvtepi32_ps(lf__lanes_codes(base, index));
}

/// The start of a window: its first block, the fraction of b there, and the height of the ray in codes.
typedef struct grid_ray_window {
    int64_t a, b;
    float share, code, slope;
    __m256 in, out, valid; ///< where the ray enters and leaves each block, in blocks from the first
    __m256i rows[2];       ///< first and last row of the ray in each block, relative to b
} grid_ray_window;

TARGET static inline void grid_ray_place_window(const grid_ray_walk *w, int level, int64_t a,
                                                grid_ray_window *at) {
    const lf__grid_course *c = &w->course;
    const lf_grid *grid = w->trace->grid;
    double side = (double)(1 << level), inverse = 1 / side, start = (double)a * side;
    double b = lf__grid_course_b(c, start) * inverse, floor_b = floor(b);
    at->a = a;
    at->b = (int64_t)floor_b;
    at->share = (float)(b - floor_b);
    at->code = (float)((lf__grid_course_z(c, start) - grid->base) * w->by_quantum);
    at->slope = (float)(c->slope_z * side * w->by_quantum);
    __m256 near = _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7), far = _mm256_setr_ps(1, 2, 3, 4, 5, 6, 7, 8);
    at->in = _mm256_max_ps(near, _mm256_set1_ps((float)((c->start - start) * inverse) - GRID_RAY_BLUR));
    at->out = _mm256_min_ps(far, _mm256_set1_ps((float)((c->end - start) * inverse) + GRID_RAY_BLUR));
    at->valid = _mm256_cmp_ps(at->in, at->out, _CMP_LE_OQ);
    __m256 slope = _mm256_set1_ps(w->slope_b), share = _mm256_set1_ps(at->share),
           blur = _mm256_set1_ps(w->blur);
    __m256 first = _mm256_sub_ps(_mm256_fmadd_ps(at->in, slope, share), blur);
    __m256 last = _mm256_add_ps(_mm256_fmadd_ps(at->out, slope, share), blur);
    __m256i low = _mm256_set1_epi32((int)((c->low_b >> level) - at->b));
    __m256i high = _mm256_set1_epi32((int)(((c->high_b - 1) >> level) - at->b));
    at->rows[0] = lf__lanes_clamp(_mm256_cvttps_epi32(_mm256_floor_ps(first)), low, high);
    at->rows[1] = lf__lanes_clamp(_mm256_cvttps_epi32(_mm256_floor_ps(last)), low, high);
}

/// The mask of the eight blocks from `a` on that the ray may meet.
TARGET static inline unsigned grid_ray_search_window(const grid_ray_walk *w, const grid_ray_bounds *bounds,
                                                     int level, int64_t a) {
    grid_ray_window at;
    grid_ray_place_window(w, level, a, &at);
    __m256 code = _mm256_set1_ps(at.code), slope = _mm256_set1_ps(at.slope);
    double rise = w->course.slack + w->rise * (double)(1 << level);
    float eps = 2e-6f * (fabsf(at.code) + 10 * fabsf(at.slope)) + (float)(rise * w->by_quantum) + 1e-3f;
    __m256 begins = _mm256_fmadd_ps(at.in, slope, code), ends = _mm256_fmadd_ps(at.out, slope, code);
    // Codes are 1 .. 65534 except for the two that mean no surface and any height.
    __m256 low = _mm256_sub_ps(_mm256_min_ps(begins, ends), _mm256_set1_ps(eps));
    low = _mm256_min_ps(_mm256_max_ps(low, _mm256_set1_ps(0.5f)), _mm256_set1_ps(65534.5f));
    // Blocks outside of the grid are replaced by the nearest ones, and masked out.
    const lf__grid_course *c = &w->course;
    __m256i first = _mm256_set1_epi32((int)((c->low_a >> level) - a));
    __m256i last = _mm256_set1_epi32((int)(((c->high_a - 1) >> level) - a));
    __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), lane = lf__lanes_clamp(lanes, first, last);
    __m256 valid = _mm256_and_ps(at.valid, _mm256_castsi256_ps(_mm256_cmpeq_epi32(lane, lanes)));
    __m256i index = _mm256_mullo_epi32(lane, _mm256_set1_epi32(bounds->step_a));
    __m256i step = _mm256_set1_epi32(bounds->step_b);
    __m256i index0 = _mm256_add_epi32(index, _mm256_mullo_epi32(at.rows[0], step));
    __m256i index1 = _mm256_add_epi32(index, _mm256_mullo_epi32(at.rows[1], step));
    int64_t start = at.a * bounds->step_a + at.b * bounds->step_b;
    __m256 top = _mm256_max_ps(grid_ray_codes(bounds->top + start, index0),
                               grid_ray_codes(bounds->top + start, index1));
    __m256 meets = _mm256_cmp_ps(low, top, _CMP_LE_OQ);
    if (w->failed >= GRID_RAY_PATIENCE) {
        __m256 high = _mm256_add_ps(_mm256_max_ps(begins, ends), _mm256_set1_ps(eps));
        high = _mm256_min_ps(_mm256_max_ps(high, _mm256_set1_ps(0.5f)), _mm256_set1_ps(65534.5f));
        __m256 bottom = _mm256_min_ps(grid_ray_codes(bounds->bottom + start, index0),
                                      grid_ray_codes(bounds->bottom + start, index1));
        meets = _mm256_and_ps(meets, _mm256_cmp_ps(high, bottom, _CMP_GE_OQ));
    }
    // Beside a void, rounding next to a corner can make it three rows.
    __m256i wide = _mm256_cmpgt_epi32(_mm256_sub_epi32(at.rows[1], at.rows[0]), _mm256_set1_epi32(1));
    meets = _mm256_or_ps(meets, _mm256_castsi256_ps(wide));
    return (unsigned)_mm256_movemask_ps(_mm256_and_ps(meets, valid));
}

// ---------------------------------------------------------------------------------------------------
// Columns
// ---------------------------------------------------------------------------------------------------

/// The ray at the near sides of eight columns from `a` on, and at the far side of the last one: its rows,
/// relative to `row`, and samples.
typedef struct grid_ray_sides {
    int64_t a, row;
    __m256 rows;    ///< integers
    float last_row; ///< at the far side of the last column
    __m256 over;    ///< the ray's height less `base`
    float base;
    const char *samples;
    __m256i along; ///< bytes from `samples` to the columns
    int32_t last_along;
} grid_ray_sides;

/// Samples of a row at the near sides, less the base, and the one at the far side of the last column.
typedef struct grid_ray_sample_row {
    __m256 near;
    float last;
} grid_ray_sample_row;

/// grid_ray_samples of a compressed grid, from its decoded tiles, one by one.
TARGET static grid_ray_sample_row grid_ray_decoded_samples(const grid_ray_walk *w, const grid_ray_sides *s,
                                                           __m256i rows, int32_t last_row) {
    const lf__grid_course *c = &w->course;
    const lf_grid *view = w->trace->grid;
    int32_t side[9], row[9];
    float heights[9];
    _mm256_storeu_si256((__m256i *)(void *)side, s->along);
    _mm256_storeu_si256((__m256i *)(void *)row, rows);
    side[8] = s->last_along;
    row[8] = last_row;
    for (int k = 0; k < 9; k++) {
        int64_t a = s->a + side[k], b = s->row + row[k];
        a = view->first + (c->mirror_a ? c->mirror - a : a);
        b = view->first + (c->mirror_b ? c->mirror - b : b);
        float step = (float)lf__packed_step(view, c->swap ? b : a, c->swap ? a : b);
        heights[k] = (view->plain ? step : step * (float)view->scale + (float)view->offset) - s->base;
    }
    return (grid_ray_sample_row){_mm256_loadu_ps(heights), heights[8]};
}

TARGET static inline grid_ray_sample_row grid_ray_samples(const grid_ray_walk *w, const grid_ray_sides *s,
                                                          int rows) {
    const lf__grid_course *c = &w->course;
    const lf_grid *grid = w->trace->grid;
    int32_t low = (int32_t)(c->low_b - s->row), high = (int32_t)(c->high_b - s->row),
            last = (int32_t)s->last_row + rows;
    __m256i row = _mm256_add_epi32(_mm256_cvttps_epi32(s->rows), _mm256_set1_epi32(rows));
    row = lf__lanes_clamp(row, _mm256_set1_epi32(low), _mm256_set1_epi32(high));
    last = last < low ? low : last > high ? high : last;
    if (grid->packed)
        return grid_ray_decoded_samples(w, s, row, last);
    __m256i offset = _mm256_add_epi32(s->along, _mm256_mullo_epi32(row, _mm256_set1_epi32(w->step_b)));
    grid_ray_sample_row found = {
        _mm256_sub_ps(lf__lanes_heights(grid, s->samples, offset), _mm256_set1_ps(s->base)),
        lf__lanes_height(grid, s->samples + s->last_along + (ptrdiff_t)last * w->step_b) - s->base};
    return found;
}

/// The samples at the far sides.
TARGET static inline __m256 grid_ray_next_samples(grid_ray_sample_row samples) {
    __m256 moved = _mm256_permutevar8x32_ps(samples.near, _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0));
    return _mm256_blend_ps(moved, _mm256_set1_ps(samples.last), 0x80);
}

TARGET static inline void grid_ray_place_sides(const grid_ray_walk *w, int64_t a, grid_ray_sides *s,
                                               lf__lanes_column *column) {
    const lf__grid_course *c = &w->course;
    double b = lf__grid_course_b(c, (double)a), floor_b = floor(b), z = lf__grid_course_z(c, (double)a);
    __m256 lane = _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7), next = _mm256_setr_ps(1, 2, 3, 4, 5, 6, 7, 8);
    __m256 share = _mm256_set1_ps((float)(b - floor_b));
    column->slope_b = _mm256_set1_ps(w->slope_b);
    column->slope_z = _mm256_set1_ps((float)c->slope_z);
    column->by_b = _mm256_set1_ps(w->by_b);
    column->by_flat = _mm256_set1_ps(w->by_flat);
    column->by_sum = _mm256_set1_ps(w->by_sum);
    __m256 near = _mm256_fmadd_ps(lane, column->slope_b, share),
           far = _mm256_fmadd_ps(next, column->slope_b, share);
    __m256 far_rows = _mm256_floor_ps(far);
    s->a = a;
    s->row = (int64_t)floor_b;
    s->rows = lf__lanes_place(column, near, far);
    s->last_row = _mm_cvtss_f32(_mm_permute_ps(_mm256_extractf128_ps(far_rows, 1), 3));
    // The base is subtracted from the samples first, which is exact where they are close to it.
    s->base = (float)z;
    s->over = _mm256_fmadd_ps(lane, column->slope_z, _mm256_set1_ps((float)(z - (double)s->base)));
    int32_t low = (int32_t)(c->low_a - a), high = (int32_t)(c->high_a - a);
    __m256i index = lf__lanes_clamp(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(low),
                                    _mm256_set1_epi32(high));
    s->samples = w->samples ? w->samples + a * w->step_a + s->row * w->step_b : NULL;
    s->along = _mm256_mullo_epi32(index, _mm256_set1_epi32(w->step_a));
    s->last_along = (high < 8 ? high : 8) * w->step_a;
}

/// Add rows of samples outside of the two that the ray is between, where they are needed.
TARGET static inline void grid_ray_add_rows(const grid_ray_walk *w, const grid_ray_sides *s,
                                            grid_ray_sample_row lower, grid_ray_sample_row upper,
                                            lf__lanes_column *column) {
    bool more = w->crosses && _mm256_movemask_ps(column->step) != 0;
    grid_ray_sample_row under = more ? grid_ray_samples(w, s, -1) : lower,
                        beyond = more ? grid_ray_samples(w, s, 2) : upper;
    __m256 next_lower = grid_ray_next_samples(lower), next_upper = grid_ray_next_samples(upper);
    __m256 p[2][3] = {{lower.near, upper.near, beyond.near},
                      {_mm256_blendv_ps(next_lower, grid_ray_next_samples(under), column->step),
                       _mm256_blendv_ps(next_upper, next_lower, column->step), next_upper}};
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < 3; k++)
            column->p[side][k] = _mm256_sub_ps(p[side][k], s->over);
}

/// The mask of columns next to voids.
TARGET static unsigned grid_ray_search_gaps(const grid_ray_walk *w, const grid_ray_sides *s,
                                            const lf__lanes_column *column) {
    const lf_grid *grid = w->trace->grid;
    if (lf__lanes_nan_voids(grid) && !grid->packed)
        return (unsigned)_mm256_movemask_ps(lf__lanes_nan(column));
    unsigned steps = (unsigned)_mm256_movemask_ps(column->step), found = 0;
    float rows[8];
    _mm256_storeu_ps(rows, s->rows);
    for (int k = 0; k < 8; k++)
        if (lf__lanes_gap(&w->course, grid, s->a + k, s->row + (int64_t)rows[k], steps >> k & 1))
            found |= 1u << k;
    return found;
}

/// The mask of the eight columns from `a` on in which the ray may meet something.
TARGET static inline unsigned grid_ray_search_columns(const grid_ray_walk *w, int64_t a) {
    const lf__grid_course *c = &w->course;
    grid_ray_sides s;
    lf__lanes_column column;
    grid_ray_place_sides(w, a, &s, &column);
    grid_ray_add_rows(w, &s, grid_ray_samples(w, &s, 0), grid_ray_samples(w, &s, 1), &column);
    lf__lanes_range range = lf__lanes_sides(&column);
    if (!w->bilinear) {
        lf__lanes_along(&column, w->along, &range);
        if (w->crosses)
            lf__lanes_against(&column, w->against, &range);
    } else {
        lf__lanes_twist(&column, &range);
    }
    __m256 meets = lf__lanes_meets(&column, &range, _mm256_set1_ps(w->eps));
    __m256 lane = _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7);
    __m256 begins =
        _mm256_cmp_ps(lane, _mm256_set1_ps((float)(c->end - (double)a) + GRID_RAY_BLUR), _CMP_LE_OQ);
    __m256 ends =
        _mm256_cmp_ps(lane, _mm256_set1_ps((float)(c->start - (double)a) - 1 - GRID_RAY_BLUR), _CMP_GE_OQ);
    unsigned found = (unsigned)_mm256_movemask_ps(meets);
    if (w->trace->grid->gaps)
        found |= grid_ray_search_gaps(w, &s, &column);
    return found & (unsigned)_mm256_movemask_ps(_mm256_and_ps(begins, ends));
}

/// Process the eight columns of a block; true where the ray met something.
TARGET static inline bool grid_ray_meet_columns(grid_ray_walk *w, int64_t block) {
    w->trace->cost.cells++;
    int64_t a = block * 8;
    for (unsigned mask = grid_ray_search_columns(w, a); mask; mask &= mask - 1)
        if (lf__lanes_try_column(&w->course, w->trace, a + __builtin_ctz(mask)))
            return true;
    w->failed++;
    return false;
}

/// Process eight blocks of 8 x 8 squares from `a` on, except those before `from`; true where the ray met
/// something.
TARGET static inline bool grid_ray_meet_fine(grid_ray_walk *w, int64_t a, int64_t from) {
    w->trace->cost.nodes++;
    unsigned mask = grid_ray_search_window(w, &w->fine, GRID_RAY_FINE, a);
    if (from > a)
        mask &= ~0u << (from - a);
    for (; mask; mask &= mask - 1)
        if (grid_ray_meet_columns(w, a + __builtin_ctz(mask)))
            return true;
    return false;
}

/// Is the ray above the tilted bound of a block all over it? Both are linear, so testing both ends is enough.
static bool grid_ray_above_plane(const grid_ray_walk *w, int64_t a, int64_t b, double from, double to) {
    const lf__grid_course *c = &w->course;
    const lf_grid *grid = w->trace->grid;
    int64_t last = (c->mirror >> LF__GRID_PLANE) - 1, real_a = c->mirror_a ? last - a : a,
            real_b = c->mirror_b ? last - b : b;
    int64_t columns = grid->levels[LF__GRID_PLANE].columns;
    const lf__grid_plane *plane =
        &grid->planes[c->swap ? real_a * columns + real_b : real_b * columns + real_a];
    double rise_a = (double)(c->swap ? plane->rise_y : plane->rise_x);
    double rise_b = (double)(c->swap ? plane->rise_x : plane->rise_y);
    double middle_a = ((double)a + 0.5) * (1 << LF__GRID_PLANE),
           middle_b = ((double)b + 0.5) * (1 << LF__GRID_PLANE);
    rise_a = c->mirror_a ? -rise_a : rise_a;
    rise_b = c->mirror_b ? -rise_b : rise_b;
    double begin = lf__grid_course_z(c, from) - rise_a * (from - middle_a) -
                   rise_b * (lf__grid_course_b(c, from) - middle_b);
    double end =
        lf__grid_course_z(c, to) - rise_a * (to - middle_a) - rise_b * (lf__grid_course_b(c, to) - middle_b);
    double doubt = 2 * c->slack + LF__GRID_COURSE_SLACK * (fabs(rise_a) + fabs(rise_b) + fabs(c->slope_z));
    return begin > plane->top + doubt && end > plane->top + doubt;
}

/// Remove the coarse blocks from a mask that tilted bounds exclude.
static unsigned grid_ray_search_planes(const grid_ray_walk *w, int64_t a, unsigned mask) {
    const lf__grid_course *c = &w->course;
    const double side = 1 << LF__GRID_PLANE;
    unsigned left = 0;
    for (; mask; mask &= mask - 1) {
        int k = __builtin_ctz(mask);
        double from = fmax((double)(a + k) * side, c->start), to = fmin((double)(a + k + 1) * side, c->end);
        double first = floor((lf__grid_course_b(c, from) - LF__GRID_COURSE_SLACK) / side);
        double last = floor((lf__grid_course_b(c, to) + LF__GRID_COURSE_SLACK) / side);
        int64_t low = (int64_t)first, high = (int64_t)last, least = c->low_b >> LF__GRID_PLANE,
                most = (c->high_b - 1) >> LF__GRID_PLANE;
        bool above = true;
        for (int64_t b = low < least ? least : low; b <= (high > most ? most : high) && above; b++)
            above = grid_ray_above_plane(w, a + k, b, from, to);
        left |= above ? 0 : 1u << k;
    }
    return left;
}

/// Is the ray above the coarse block that it starts in, all over it? Then it is unlikely to meet anything
/// nearby.
static bool grid_ray_starts_high(const grid_ray_walk *w) {
    const lf__grid_course *c = &w->course;
    int64_t a = (int64_t)c->start >> GRID_RAY_COARSE,
            b = (int64_t)lf__grid_course_b(c, c->start) >> GRID_RAY_COARSE;
    int64_t low = c->low_b >> GRID_RAY_COARSE, high = (c->high_b - 1) >> GRID_RAY_COARSE,
            end = (c->high_a - 1) >> GRID_RAY_COARSE;
    a = a > end ? end : a;
    b = b < low ? low : b > high ? high : b;
    double fall = c->slope_z < 0 ? c->slope_z * (1 << GRID_RAY_COARSE) : 0;
    double code = (lf__grid_course_z(c, c->start) + fall - w->trace->grid->base) * w->by_quantum;
    return code > (double)w->coarse.top[a * w->coarse.step_a + b * w->coarse.step_b];
}

/// Rays that start low test the fine blocks next to their start first; after that, and for all other rays,
/// coarse blocks lead to fine ones, where the grid has coarse blocks.
TARGET static void grid_ray_run_on(lf__trace *trace, const lf__grid_course *course, int failed) {
    grid_ray_walk w;
    w.trace = trace;
    w.course = *course;
    grid_ray_start_walk(&w);
    w.failed = failed;
    int64_t from = (int64_t)course->start >> GRID_RAY_FINE, end = (int64_t)course->end >> GRID_RAY_FINE;
    bool coarse = trace->grid->level_count > GRID_RAY_COARSE;
    for (; from <= end && !(coarse && (failed > 0 || grid_ray_starts_high(&w))); from += 8) {
        if (grid_ray_meet_fine(&w, from, from))
            return;
        if (coarse) {
            from += 8;
            break;
        }
    }
    for (int64_t block = from >> 3; block <= end >> 3 && coarse; block += 8) {
        trace->cost.nodes++;
        unsigned mask = grid_ray_search_window(&w, &w.coarse, GRID_RAY_COARSE, block);
        if (w.failed >= GRID_RAY_PATIENCE && trace->grid->planes)
            mask = grid_ray_search_planes(&w, block, mask);
        for (; mask; mask &= mask - 1)
            if (grid_ray_meet_fine(&w, (block + __builtin_ctz(mask)) * 8, from))
                return;
    }
}

static void grid_ray_run_avx2(lf__trace *trace, const lf__grid_course *course) {
    grid_ray_run_on(trace, course, 0);
}

#if LF__X86
void lf__grid_run_avx2(lf__trace *trace, const lf__grid_course *course, int failed) {
    grid_ray_run_on(trace, course, failed);
}
#endif

#undef TARGET
#endif

const lf__grid_kernels *lf__grid_kernels_decoded(lf_isa isa) {
#if LF__SIMD
    static const lf__grid_kernels avx2 = {.run = grid_ray_run_avx2};
    if (isa >= LF_ISA_AVX2)
        return &avx2;
#endif
    (void)isa;
    return NULL;
}

const lf__grid_kernels *lf__grid_kernels_for(lf_isa isa) {
#if LF__X86
    static const lf__grid_kernels avx512 = {grid_ray_run_avx2, lf__grid_single_avx2, lf__grid_batch_avx512,
                                            lf__grid_heights_avx2},
                                  avx2 = {grid_ray_run_avx2, lf__grid_single_avx2, lf__grid_batch_avx2,
                                          lf__grid_heights_avx2};
    if (isa >= LF_ISA_AVX512)
        return &avx512;
#elif LF__SIMD
    static const lf__grid_kernels avx2 = {
        .run = grid_ray_run_avx2, .first_many = lf__grid_batch_avx2, .heights_many = lf__grid_heights_avx2};
#endif
#if LF__SIMD
    if (isa >= LF_ISA_AVX2)
        return &avx2;
#endif
    (void)isa;
    return NULL;
}
