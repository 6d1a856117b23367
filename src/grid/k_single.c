/// The first hit of one ray on triangles of floats without voids, from the ray to its hit, with AVX2.
///
/// The walk is that of k_ray.c: windows of eight blocks of 64 x 64 and of 8 x 8 squares lead to groups of eight columns. This file
/// serves the commonest grids only, and so needs no step for other samples, voids or copies, no lf__trace, and nothing twice. What
/// the filters in doubles cannot decide goes to the one exact step, and a ray that meets nothing in LF__WINDOWS_PATIENCE groups
/// continues in k_ray.c, which tests bottoms and planes too. Every operation of a hit is that of lf__filter_cell and lf__trace_hit,
/// in the same order.
#include "bvh/bvh_meet.h"
#include "grid/grid_kernels.h"
#include "grid/k_crests.h"
#include "grid/k_lanes.h"
#include "grid/k_windows.h"

#if LF__X86
#define TARGET LF__LANES_TARGET
#define SINGLE_INLINE TARGET __attribute__((always_inline)) static inline
#define DOUBLES 4
#define DOUBLES_TARGET TARGET
#include "grid/k_doubles.h"
#include "grid/k_filter.h"

typedef struct single_walk {
    const lf_grid *grid;
    const lf_ray *ray;
    lf_hit *hit;
    lf_counters *cost;
    lf_ray line; ///< in grid coordinates
    lf__grid_course course;
    lf__windows_octant octant;
    lf__windows_ray at;
    int failed; ///< groups without a hit
} single_walk;

// ---------------------------------------------------------------------------------------------------
// Cells
// ---------------------------------------------------------------------------------------------------

/// The one or two squares of a column, and the four triangles of both in lanes: those of the first square, then those of the
/// second. A column with one square has it twice.
typedef struct single_squares {
    int64_t i[2], j[2];
    bool falls[2];
    lf__cells_lines_4 line;
    lf__cells_triangle_4 triangles;
    __m256d low, high; ///< heights of the corners: h00, h10 and h01, h11 of each square
} single_squares;

/// Two lanes of the first square, two of the second.
SINGLE_INLINE __m256d single_both(double first, double second) {
    return _mm256_insertf128_pd(_mm256_set1_pd(first), _mm_set1_pd(second), 1);
}

/// The samples (i, j) and (i + 1, j) of both squares, `below` rows further.
SINGLE_INLINE __m256d single_corners(const lf_grid *grid, const single_squares *s, int below) {
    const char *at[2];
    for (int k = 0; k < 2; k++)
        at[k] = grid->values + (s->j[k] + below) * grid->row_step + s->i[k] * (ptrdiff_t)sizeof(float);
    __m128d pairs = _mm_load_sd((const double *)(const void *)at[0]);
    pairs = _mm_loadh_pd(pairs, (const double *)(const void *)at[1]);
    return _mm256_cvtps_pd(_mm_castpd_ps(pairs));
}

/// Lanes of squares that fall.
SINGLE_INLINE __m256d single_falls(const single_squares *s) {
    return _mm256_castsi256_pd(_mm256_setr_epi64x(-(int64_t)s->falls[0], -(int64_t)s->falls[0],
                                                  -(int64_t)s->falls[1], -(int64_t)s->falls[1]));
}

/// lf__filter_start for the triangles.
SINGLE_INLINE void single_start_squares(const single_walk *w, single_squares *s) {
    const lf_grid *grid = w->grid;
    const lf_ray *line = &w->line;
    lf__cells_triangle_4 *t = &s->triangles;
    s->low = single_corners(grid, s, 0);
    s->high = single_corners(grid, s, 1);
    __m256d falls = single_falls(s);
    __m256d even = _mm256_shuffle_pd(s->low, s->high, 0xa), odd = _mm256_shuffle_pd(s->low, s->high, 0x5);
    t->corner = _mm256_blendv_pd(odd, even, falls);
    t->side_x = _mm256_blendv_pd(even, odd, falls);
    t->side_y = _mm256_permute_pd(t->side_x, 0x5);
    // The corner is on the right in the first triangle of rising cells and in the second one of falling
    // cells.
    __m256d sign = _mm256_set1_pd(-0.0), one = _mm256_set1_pd(1);
    __m256d second = _mm256_castsi256_pd(_mm256_setr_epi64x(0, -1, 0, -1));
    __m256d first = _mm256_castsi256_pd(_mm256_setr_epi64x(-1, 0, -1, 0));
    __m256d right = _mm256_blendv_pd(first, second, falls);
    __m256d at_x = _mm256_add_pd(single_both((double)s->i[0], (double)s->i[1]), _mm256_and_pd(right, one));
    __m256d at_y = _mm256_add_pd(single_both((double)s->j[0], (double)s->j[1]), _mm256_and_pd(second, one));
    __m256d back_x = _mm256_and_pd(right, sign), back_y = _mm256_and_pd(second, sign);
    t->x = _mm256_xor_pd(
        lf__cells_sum_4(_mm256_set1_pd(line->origin.x), _mm256_xor_pd(at_x, sign), &t->x_rest), back_x);
    t->y = _mm256_xor_pd(
        lf__cells_sum_4(_mm256_set1_pd(line->origin.y), _mm256_xor_pd(at_y, sign), &t->y_rest), back_y);
    t->x_rest = _mm256_xor_pd(t->x_rest, back_x);
    t->y_rest = _mm256_xor_pd(t->y_rest, back_y);
    t->dx = _mm256_xor_pd(_mm256_set1_pd(line->direction.x), back_x);
    t->dy = _mm256_xor_pd(_mm256_set1_pd(line->direction.y), back_y);
    s->line = (lf__cells_lines_4){_mm256_set1_pd(line->origin.z), _mm256_set1_pd(line->direction.z),
                                  _mm256_set1_pd(line->t_min), _mm256_set1_pd(line->t_max)};
}

/// The triangle's slope per column and per row.
SINGLE_INLINE lf_vec2 single_rise(const single_squares *s, int which) {
    double rise_x[4], rise_y[4];
    __m256d columns = _mm256_sub_pd(s->high, s->low), rows = _mm256_permute_pd(columns, 0x5);
    _mm256_storeu_pd(rise_x,
                     _mm256_sub_pd(_mm256_unpackhi_pd(s->low, s->high), _mm256_unpacklo_pd(s->low, s->high)));
    _mm256_storeu_pd(rise_y, _mm256_blendv_pd(rows, columns, single_falls(s)));
    return (lf_vec2){rise_x[which], rise_y[which]};
}

/// lf__grid_share.
SINGLE_INLINE __m128d single_share(__m128d x) {
    return _mm_min_pd(_mm_set1_pd(1), _mm_max_pd(_mm_setzero_pd(), x));
}

/// Weights of the triangle's corners at a place in the cell, as lf__piece_weights.
SINGLE_INLINE __m128d single_weights(__m128d place, bool falls, int triangle) {
    __m128d second = _mm_castsi128_pd(_mm_set1_epi64x(-(int64_t)triangle)), turned = _mm_permute_pd(place, 1);
    if (falls) {
        __m128d one = _mm_set1_pd(1), side = single_share(_mm_sub_pd(_mm_add_pd(place, turned), one));
        return _mm_blendv_pd(place, _mm_unpacklo_pd(side, _mm_sub_pd(one, place)), second);
    }
    __m128d side = single_share(_mm_sub_pd(place, turned));
    return _mm_blendv_pd(_mm_blend_pd(side, place, 2), _mm_blend_pd(place, side, 2), second);
}

/// Write the hit with a triangle, as lf__trace_hit; false where its normal needs scaling. Nothing branches on which triangle it is:
/// that is as good as random, and known last.
SINGLE_INLINE bool single_write(const single_walk *w, const single_squares *s, int which, double t) {
    const lf_grid *grid = w->grid;
    const lf_ray *ray = w->ray, *line = &w->line;
    int square = which >> 1, triangle = which & 1;
    int64_t i = s->i[square], j = s->j[square];
    lf_vec2 rise = single_rise(s, which);
    double nx = -(rise.x * grid->a + rise.y * grid->c), ny = -(rise.x * grid->b + rise.y * grid->d);
    if (!(fabs(nx) < 1e100 && fabs(ny) < 1e100))
        return false;
    double length = sqrt(nx * nx + ny * ny + 1);
    __m128d place = single_share(_mm_setr_pd(line->origin.x + t * line->direction.x - (double)i,
                                             line->origin.y + t * line->direction.y - (double)j));
    lf_hit *hit = w->hit; // field by field: compilers clear the whole before they write an initializer
    hit->kind = LF_HIT_CELL;
    hit->reason = LF_REASON_ANSWERED;
    hit->t = t;
    hit->point = lf_vec3_along(ray->origin, t, ray->direction);
    hit->normal = (lf_vec3){nx / length, ny / length, 1 / length};
    hit->part = 0;
    hit->element = j * grid->cell_columns + i;
    hit->triangle = triangle;
    hit->level = 0;
    __m128d weights = single_weights(place, s->falls[square], triangle);
    _mm_storel_pd(&hit->u, weights);
    _mm_storeh_pd(&hit->v, weights);
    hit->resolution = grid->resolution;
    hit->user = 0;
    hit->layers = 1;
    hit->inner = 0;
    return true;
}

typedef enum single_verdict { SINGLE_NOTHING, SINGLE_MET, SINGLE_DOUBT } single_verdict;

/// Meet the squares of a column from row `first` to row `last` of the course, which are one or two.
SINGLE_INLINE single_verdict single_meet_squares(const single_walk *w, int64_t column, int64_t first,
                                                 int64_t last) {
    const lf_grid *grid = w->grid;
    const lf__grid_course *c = &w->course;
    single_squares s;
    lf__grid_course_square(c, grid, column, first, &s.i[0], &s.j[0]);
    lf__grid_course_square(c, grid, column, last, &s.i[1], &s.j[1]);
    if (!lf__grid_is_real(grid, s.i[0], s.j[0]) || !lf__grid_is_real(grid, s.i[1], s.j[1]))
        return SINGLE_DOUBT;
    s.falls[0] = lf__grid_falls(grid, s.i[0], s.j[0]);
    s.falls[1] = lf__grid_falls(grid, s.i[1], s.j[1]);
    single_start_squares(w, &s);
    lf__cells_decide_4(&s.line, &s.triangles);
    __m256d precise, roots = lf__cells_root_4(&s.line, &s.triangles, true, &precise);
    unsigned inside = M_BITS(s.triangles.inside), outside = M_BITS(s.triangles.outside);
    w->cost->triangles += 2 + 2 * (first < last);
    if (outside == 0xf)
        return SINGLE_NOTHING;
    // Exactly one triangle of a square is met, and nothing before that square.
    unsigned square = (outside & 3) == 3, two = inside >> (2 * square) & 3,
             other = outside >> (2 * square) & 3;
    unsigned which = 2 * square + (two >> 1);
    double t[4];
    _mm256_storeu_pd(t, D_MIN(s.line.t_max, D_MAX(s.line.t_min, roots)));
    // Next to the sides towards the next column and row the cells there have to be asked too.
    const double margin = 16 * LF__GRID_COURSE_SLACK;
    double a = c->a + t[which] * c->along, b = c->b + (a - c->a) * c->slope_b;
    bool inner = (a + margin < (double)(column + 1)) &
                 (square | (first == last) | (b + margin < (double)(first + 1))); // no branch on the square
    bool sure = ((two ^ other) == 3) & (two != 3) & (M_BITS(precise) >> which & 1) & inner;
    return sure && single_write(w, &s, (int)which, t[which]) ? SINGLE_MET : SINGLE_DOUBT;
}

/// Meet a column by the exact step.
TARGET __attribute__((noinline)) static bool single_ask(const single_walk *w, int64_t column) {
    lf__trace trace;
    lf__nearest_piece nearest;
    lf__trace_first_on(&trace, w->grid, w->ray, &w->line, &nearest);
    lf__lanes_try_column(&w->course, &trace, column);
    w->cost->triangles += trace.cost.triangles;
    w->cost->exact += trace.cost.exact;
    if (nearest.any)
        lf__trace_hit(&trace, &nearest.piece, &nearest.meeting, w->hit);
    return nearest.any;
}

/// Meet a column that the filter let through; true where it met something.
SINGLE_INLINE bool single_meet_column(const single_walk *w, int64_t column) {
    const lf__grid_course *c = &w->course;
    double from = (double)column > c->start ? (double)column : c->start;
    double to = (double)(column + 1) < c->end ? (double)(column + 1) : c->end;
    int64_t first = (int64_t)floor(fma(from, c->slope_b, w->at.row - LF__GRID_COURSE_SLACK));
    int64_t last = (int64_t)floor(fma(to, c->slope_b, w->at.row + LF__GRID_COURSE_SLACK));
    first = first < c->low_b ? c->low_b : first;
    last = last >= c->high_b ? c->high_b - 1 : last;
    if (column < c->low_a || column >= c->high_a || first > last || last > first + 1)
        return single_ask(w, column);
    single_verdict verdict = single_meet_squares(w, column, first, last);
    return verdict == SINGLE_DOUBT ? single_ask(w, column) : verdict == SINGLE_MET;
}

// ---------------------------------------------------------------------------------------------------
// The walk
// ---------------------------------------------------------------------------------------------------

/// Continue a ray that meets nothing for long by the general kernel, from block `a` of 8 x 8 squares on.
TARGET __attribute__((noinline)) static bool single_continue(single_walk *w, int64_t a) {
    lf__trace trace;
    lf__nearest_piece nearest;
    double start = (double)(a * (1 << LF__WINDOWS_FINE));
    w->course.start = start > w->course.start ? start : w->course.start;
    if (w->course.start > w->course.end)
        return false;
    lf__trace_first_on(&trace, w->grid, w->ray, &w->line, &nearest);
    lf__grid_run_avx2(&trace, &w->course, w->failed);
    w->cost->nodes += trace.cost.nodes;
    w->cost->cells += trace.cost.cells;
    w->cost->triangles += trace.cost.triangles;
    w->cost->exact += trace.cost.exact;
    if (nearest.any)
        lf__trace_hit(&trace, &nearest.piece, &nearest.meeting, w->hit);
    return nearest.any;
}

/// What remains to be done after some blocks.
typedef enum single_state { SINGLE_GOES_ON, SINGLE_ENDED, SINGLE_FOUND } single_state;

/// Process eight blocks of 8 x 8 squares from `a` on. Here and on coarse blocks bits are tested one by one: processors foresee where
/// these branches go from the rays before, and begin with the block's samples while its window is still compared. The number of
/// the first bit would have to be waited for.
TARGET __attribute__((noinline)) static single_state single_meet_fine(single_walk *w, int64_t a) {
    w->cost->nodes++;
    int64_t block = a;
    for (unsigned mask = lf__windows_search(&w->at, &w->octant.fine, LF__WINDOWS_FINE, a, (double)a); mask;
         mask >>= 1, block++) {
        if (!(mask & 1))
            continue;
        w->cost->cells++;
        for (unsigned columns = lf__windows_search_columns(&w->at, block * 8); columns;
             columns &= columns - 1)
            if (single_meet_column(w, block * 8 + __builtin_ctz(columns)))
                return SINGLE_FOUND;
        if (++w->failed >= LF__WINDOWS_PATIENCE)
            return single_continue(w, block + 1) ? SINGLE_FOUND : SINGLE_ENDED;
    }
    return SINGLE_GOES_ON;
}

/// Rays that start low test the fine blocks next to their start first; after that, and for all other rays,
/// coarse blocks lead to fine ones.
SINGLE_INLINE bool single_run(single_walk *w) {
    const lf__grid_course *c = &w->course;
    int64_t from = (int64_t)c->start >> LF__WINDOWS_FINE, end = (int64_t)c->end >> LF__WINDOWS_FINE;
    double at = floor(c->start * (1.0 / (1 << LF__WINDOWS_COARSE)));
    if (!lf__windows_starts_high(&w->at)) {
        single_state state = single_meet_fine(w, from);
        if (state != SINGLE_GOES_ON)
            return state == SINGLE_FOUND;
        from += 8;
        at = (double)(from >> 3);
    }
    for (int64_t block = from >> 3; block <= end >> 3; block += 8, at += 8) {
        w->cost->nodes++;
        int64_t fine = block * 8;
        for (unsigned mask = lf__windows_search(&w->at, &w->octant.coarse, LF__WINDOWS_COARSE, block, at);
             mask; mask >>= 1, fine += 8) {
            if (!(mask & 1))
                continue;
            single_state state = single_meet_fine(w, fine > from ? fine : from);
            if (state != SINGLE_GOES_ON)
                return state == SINGLE_FOUND;
        }
    }
    return false;
}

/// Start a level ray where it may meet something first; true where it meets nothing.
SINGLE_INLINE bool single_start_level(single_walk *w, const lf__crests_columns *columns) {
    w->cost->nodes += columns->compared;
    double start = (double)((int64_t)columns->at[0] << columns->level);
    if (columns->count)
        w->course.start = start > w->course.start ? start : w->course.start;
    return !columns->count || w->course.start > w->course.end;
}

/// Meet the columns of squares within the columns of blocks that a level ray may meet.
TARGET __attribute__((noinline)) static bool single_run_level(single_walk *w,
                                                              const lf__crests_columns *columns) {
    if (columns->level > LF__WINDOWS_FINE)
        return single_run(w);
    for (int64_t k = 0, done = 0; k < columns->count; k++) {
        int64_t first = (int64_t)columns->at[k] << columns->level, end = first + (1 << columns->level);
        if (end <= done)
            continue;
        first = first < done ? done : first;
        done = first + 8;
        w->cost->cells++;
        for (unsigned found = lf__windows_search_columns(&w->at, first); found; found &= found - 1)
            if (single_meet_column(w, first + __builtin_ctz(found)))
                return true;
        if (++w->failed >= LF__WINDOWS_PATIENCE)
            return single_continue(w, done >> LF__WINDOWS_FINE);
    }
    return false;
}

/// Is a coordinate so small that its products with differences of floats may have digits below the smallest doubles? Then fused
/// products could differ from the others.
SINGLE_INLINE bool single_tiny(double x) {
    return fabs(x) < 0x1p-500 && x != 0;
}

TARGET lf__single_verdict lf__grid_single_avx2(const lf_grid *grid, const lf_ray *ray, lf_hit *hit,
                                               lf_counters *cost) {
    single_walk w;
    w.grid = grid;
    w.ray = ray;
    w.hit = hit;
    w.cost = cost;
    lf_vec2 o = lf__grid_place(grid, ray->origin.x, ray->origin.y);
    lf_vec2 d = lf__grid_turn(grid, ray->direction.x, ray->direction.y);
    w.line = (lf_ray){{o.x, o.y, ray->origin.z}, {d.x, d.y, ray->direction.z}, ray->t_min, ray->t_max};
    if (single_tiny(o.x) || single_tiny(o.y) || single_tiny(d.x) || single_tiny(d.y))
        return LF__SINGLE_REFUSED;
    double x = fabs(d.x), y = fabs(d.y), z = fabs(ray->direction.z), wide = x > y ? x : y;
    double largest = z > wide ? z : wide;
    if (!(largest >= LF__DIRECTION_SMALL && largest <= LF__DIRECTION_LARGE) || !(wide > 0) ||
        !(grid->lowest <= grid->highest))
        return LF__SINGLE_REFUSED;
    lf__grid_course_verdict verdict = lf__grid_course_start(&w.course, grid, &w.line);
    if (verdict != LF__GRID_COURSE_RUNS)
        return verdict == LF__GRID_COURSE_MISSES ? LF__SINGLE_MISS : LF__SINGLE_REFUSED;
    const lf__grid_course *c = &w.course;
    lf__crests_columns columns;
    bool level = lf__grid_is_level(grid, c) && lf__crests_find(grid, c, &columns);
    if (level && single_start_level(&w, &columns))
        return LF__SINGLE_MISS;
    lf__windows_frame(&w.octant, grid, c);
    w.at.octant = &w.octant;
    w.at.a = c->a, w.at.b = c->b, w.at.z = c->z, w.at.slope_b = c->slope_b, w.at.slope_z = c->slope_z;
    w.at.start = c->start, w.at.end = c->end, w.at.slack = c->slack;
    lf__windows_start(&w.at);
    w.failed = 0;
    return (level ? single_run_level(&w, &columns) : single_run(&w)) ? LF__SINGLE_HIT : LF__SINGLE_MISS;
}

#undef SINGLE_INLINE
#undef DOUBLES
#undef DOUBLES_TARGET
#undef TARGET
#endif
