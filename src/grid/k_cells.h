/// Four rays of a batch against one cell each: lf__filter_cell for both triangles, and the hits.
///
/// Every operation is that of the filter for one ray (grid_kernels.h) and of lf__trace_hit, in the same order, so hits have the
/// same bits. Whatever is not plain (a doubt, a meeting next to a side of the cell, both triangles met, voids) is left to the
/// caller, who asks the one exact step.
#ifndef LF_GRID_K_CELLS_H
#define LF_GRID_K_CELLS_H

#include "grid/k_batch.h"

#if LF__SIMD

/// Four lines and their cells.
typedef struct lf__cells {
    __m256d a, b, along, slope_b; ///< courses
    __m256d x, y, dx, dy;         ///< lines
    __m256d z, dz, t_min, t_max;
    __m256d h00, h10, h01, h11;             ///< heights of the corners
    __m256d i, j;                           ///< of the cells
    __m256d falls;                          ///< mask
    _Alignas(32) int32_t column[4], row[4]; ///< i and j
} lf__cells;

/// One triangle of each cell, relative to its right-angled corner, as lf__filter_case.
typedef struct lf__cells_triangle {
    __m256d x, y, x_rest, y_rest, dx, dy, corner, side_x, side_y;
    __m256d size0, size1;
    __m256d inside, outside; ///< certainly
} lf__cells_triangle;

LF__LANES_TARGET static inline __m256d lf__cells_sum(__m256d a, __m256d b, __m256d *rest) {
    __m256d sum = a + b, b_part = sum - a, a_part = sum - b_part;
    *rest = (a - a_part) + (b - b_part);
    return sum;
}

LF__LANES_TARGET static inline __m256d lf__cells_product(__m256d a, __m256d b, __m256d *rest) {
    __m256d splitter = lf__four_of(134217729.0), product = a * b, a_big = splitter * a, b_big = splitter * b;
    __m256d a_high = a_big - (a_big - a), b_high = b_big - (b_big - b), a_low = a - a_high,
            b_low = b - b_high;
    *rest = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
    return product;
}

/// -x where the mask is set.
LF__LANES_TARGET static inline __m256d lf__cells_negate(__m256d x, __m256d mask) {
    return _mm256_xor_pd(x, _mm256_and_pd(mask, lf__four_of(-0.0)));
}

#define LF__CELLS_LT(x, y) _mm256_cmp_pd(x, y, _CMP_LT_OQ)

/// lf__filter_start for triangle k.
LF__LANES_TARGET static inline void lf__cells_start(const lf__cells *c, int k, lf__cells_triangle *t) {
    __m256d one = lf__four_of(1), none = _mm256_setzero_pd(), all = LF__CELLS_LT(none, one);
    __m256d falls = c->falls, rises = _mm256_andnot_pd(falls, all), h00 = c->h00, h10 = c->h10, h01 = c->h01,
            h11 = c->h11;
    // The corner is on the right in the first triangle of rising cells and in the second one of falling
    // cells.
    __m256d back_x = k ? falls : rises, back_y = k ? all : none;
    __m256d at_x = lf__four_choose(c->i, c->i + one, back_x),
            at_y = lf__four_choose(c->j, c->j + one, back_y);
    t->x = lf__cells_sum(c->x, lf__cells_negate(at_x, all), &t->x_rest);
    t->y = lf__cells_sum(c->y, lf__cells_negate(at_y, all), &t->y_rest);
    t->x = lf__cells_negate(t->x, back_x);
    t->y = lf__cells_negate(t->y, back_y);
    t->x_rest = lf__cells_negate(t->x_rest, back_x);
    t->y_rest = lf__cells_negate(t->y_rest, back_y);
    t->dx = lf__cells_negate(c->dx, back_x);
    t->dy = lf__cells_negate(c->dy, back_y);
    t->corner = lf__four_choose(k ? h01 : h10, k ? h11 : h00, falls);
    t->side_x = lf__four_choose(k ? h11 : h00, k ? h01 : h10, falls);
    t->side_y = lf__four_choose(k ? h00 : h11, k ? h10 : h01, falls);
}

/// lf__filter_decide.
LF__LANES_TARGET static inline void lf__cells_decide(const lf__cells *c, lf__cells_triangle *t) {
    __m256d one = lf__four_of(1), minus = lf__four_of(-0.0);
    __m256d rise_x = t->side_x - t->corner, rise_y = t->side_y - t->corner;
    __m256d x = rise_x * t->x, y = rise_y * t->y, dx = rise_x * t->dx, dy = rise_y * t->dy;
    __m256d e0 = c->z - t->corner - x - y, e1 = c->dz - dx - dy;
    t->size0 = lf__four_size(c->z) + lf__four_size(t->corner) + lf__four_size(x) + lf__four_size(y);
    t->size1 = lf__four_size(c->dz) + lf__four_size(dx) + lf__four_size(dy);
    __m256d error0 = lf__four_of(8 * LF__HALF_ULP) * t->size0 + lf__four_of(LF__UNDERFLOW);
    __m256d error1 = lf__four_of(6 * LF__HALF_ULP) * t->size1 + lf__four_of(LF__UNDERFLOW);
    e0 = _mm256_xor_pd(e0, _mm256_and_pd(e1, minus));
    e1 = lf__four_size(e1);
    __m256d in_x = t->x * e1 - t->dx * e0, in_y = t->y * e1 - t->dy * e0;
    __m256d rest = ((one - t->x) - t->y) * e1 + (t->dx + t->dy) * e0;
    __m256d eight = lf__four_of(8 * LF__HALF_ULP);
    __m256d far = eight * lf__four_size(e0) + error0, steep = eight * e1 + error1;
    __m256d doubt = (one + lf__four_size(t->x) + lf__four_size(t->y)) * steep +
                    (lf__four_size(t->dx) + lf__four_size(t->dy)) * far;
    __m256d begin = e0 + e1 * c->t_min, begin_doubt = far + steep * lf__four_size(c->t_min);
    __m256d end = e0 + e1 * c->t_max, end_doubt = far + steep * lf__four_size(c->t_max);
    __m256d least = _mm256_min_pd(_mm256_min_pd(in_x, in_y), rest), below = _mm256_xor_pd(doubt, minus);
    __m256d endless = LF__FOUR_NOT_LE(c->t_max, lf__four_of(DBL_MAX)), clear = LF__FOUR_GT(e1, error1);
    __m256d before = LF__FOUR_GT(begin, begin_doubt),
            after = LF__CELLS_LT(end, _mm256_xor_pd(end_doubt, minus));
    t->outside =
        _mm256_or_pd(LF__CELLS_LT(least, below), _mm256_or_pd(before, _mm256_andnot_pd(endless, after)));
    t->outside = _mm256_and_pd(t->outside, clear);
    before = LF__CELLS_LT(begin, _mm256_xor_pd(begin_doubt, minus));
    after = _mm256_or_pd(endless, LF__FOUR_GT(end, end_doubt));
    t->inside = _mm256_and_pd(_mm256_and_pd(LF__FOUR_GT(least, doubt), clear), _mm256_and_pd(before, after));
}

/// One coefficient of lf__filter_root: of the line's position, or of its direction.
LF__LANES_TARGET static inline __m256d lf__cells_coefficient(__m256d z, __m256d corner, const __m256d rise[2],
                                                             const __m256d rests[2], const __m256d at[2],
                                                             const __m256d at_rest[2]) {
    __m256d rest[5], minus = lf__four_of(-0.0);
    __m256d over = lf__cells_sum(z, corner, &rest[0]);
    __m256d along_x = lf__cells_product(rise[0], at[0], &rest[1]),
            along_y = lf__cells_product(rise[1], at[1], &rest[2]);
    over = lf__cells_sum(over, _mm256_xor_pd(along_x, minus), &rest[3]);
    over = lf__cells_sum(over, _mm256_xor_pd(along_y, minus), &rest[4]);
    __m256d lost = rise[0] * at_rest[0] + rests[0] * at[0] + rise[1] * at_rest[1] + rests[1] * at[1];
    return over + (((rest[0] + rest[3]) + rest[4]) - ((rest[1] + rest[2]) + lost));
}

/// lf__filter_root; *precise is the mask of lanes that have enough digits.
LF__LANES_TARGET static inline __m256d lf__cells_root(const lf__cells *c, const lf__cells_triangle *t,
                                                      __m256d *precise) {
    __m256d minus = lf__four_of(-0.0), zero = _mm256_setzero_pd(), down = _mm256_xor_pd(t->corner, minus),
            rests[2];
    const __m256d rise[2] = {lf__cells_sum(t->side_x, down, &rests[0]),
                             lf__cells_sum(t->side_y, down, &rests[1])};
    const __m256d at[2] = {t->x, t->y}, at_rest[2] = {t->x_rest, t->y_rest}, to[2] = {t->dx, t->dy},
                  none[2] = {zero, zero};
    __m256d e0 = lf__cells_coefficient(c->z, down, rise, rests, at, at_rest);
    __m256d e1 = lf__cells_coefficient(c->dz, zero, rise, rests, to, none);
    __m256d tiny = lf__four_of(0x1p-97), least = lf__four_of(LF__UNDERFLOW), part = lf__four_of(0x1p-55);
    *precise = _mm256_and_pd(_mm256_cmp_pd(t->size0 * tiny + least, part * lf__four_size(e0), _CMP_LE_OQ),
                             _mm256_cmp_pd(t->size1 * tiny + least, part * lf__four_size(e1), _CMP_LE_OQ));
    return _mm256_xor_pd(e0, minus) / e1;
}

/// Load the lines of four lanes.
LF__LANES_TARGET static inline void lf__cells_lines(lf__cells *c, const lf__batch_lane *const lanes[4]) {
    const double *from[4];
    __m256d r[4];
    for (int n = 0; n < 4; n++)
        from[n] = lanes[n]->values + LF__A;
    lf__four_transpose(from, r);
    c->a = r[0], c->b = r[1], c->along = r[2], c->slope_b = r[3];
    for (int n = 0; n < 4; n++)
        from[n] = lanes[n]->values + LF__X;
    lf__four_transpose(from, r);
    c->x = r[0], c->y = r[1], c->dx = r[2], c->dy = r[3];
    for (int n = 0; n < 4; n++)
        from[n] = lanes[n]->values + LF__HEIGHT;
    lf__four_transpose(from, r);
    c->z = r[0], c->dz = r[1], c->t_min = r[2], c->t_max = r[3];
}

/// Load the corners of four squares of the lanes' courses. Returns those that are cells without a gap; the others get a cell of
/// the first lane's.
LF__LANES_TARGET static inline unsigned lf__cells_corners(lf__cells *c, const lf__batch_rays *v,
                                                          const lf__batch_lane *const lanes[4],
                                                          const int32_t columns[4], const int32_t rows[4]) {
    const lf_grid *grid = v->grid;
    _Alignas(32) double heights[4][4], at[2][4];
    _Alignas(32) int64_t falls[4];
    unsigned plain = 0;
    for (int n = 0; n < 4; n++) {
        int64_t i, j;
        lf__grid_course_square(&v->octants[lanes[n]->octant].course, grid, columns[n], rows[n], &i, &j);
        bool is = lf__grid_is_real(grid, i, j) && !lf__grid_gap(grid, i, j);
        plain |= (unsigned)is << n;
        i = is ? i : 0, j = is ? j : 0;
        lf__grid_corners h = lf__grid_corners_of(grid, i, j);
        heights[0][n] = h.h00, heights[1][n] = h.h10, heights[2][n] = h.h01, heights[3][n] = h.h11;
        at[0][n] = (double)i, at[1][n] = (double)j;
        falls[n] = -(int64_t)lf__grid_falls(grid, i, j);
        c->column[n] = (int32_t)i, c->row[n] = (int32_t)j;
    }
    c->h00 = _mm256_loadu_pd(heights[0]), c->h10 = _mm256_loadu_pd(heights[1]);
    c->h01 = _mm256_loadu_pd(heights[2]), c->h11 = _mm256_loadu_pd(heights[3]);
    c->i = _mm256_loadu_pd(at[0]), c->j = _mm256_loadu_pd(at[1]);
    c->falls = _mm256_castsi256_pd(_mm256_load_si256((const __m256i *)(const void *)falls));
    return plain;
}

/// Four hits, one number of each per vector.
typedef struct lf__cells_hits {
    _Alignas(32) double t[4], nx[4], ny[4], nz[4], u[4], v[4];
    unsigned second; ///< those in the second triangle of their cell
} lf__cells_hits;

/// Normals and weights, as lf__grid_hit and lf__piece_weights compute them. Returns the lanes where they do.
LF__LANES_TARGET static inline unsigned lf__cells_place(const lf__cells *c, const lf_grid *grid, __m256d t,
                                                        __m256d second, lf__cells_hits *hits) {
    __m256d one = lf__four_of(1), zero = _mm256_setzero_pd(), minus = lf__four_of(-0.0), falls = c->falls;
    __m256d rise_x = lf__four_choose(c->h10 - c->h00, c->h11 - c->h01, second);
    __m256d high =
        _mm256_cmp_pd(lf__four_choose(zero, one, second), lf__four_choose(zero, one, falls), _CMP_EQ_OQ);
    __m256d rise_y = lf__four_choose(c->h01 - c->h00, c->h11 - c->h10, high);
    __m256d nx = rise_x * lf__four_of(grid->a) + rise_y * lf__four_of(grid->c),
            ny = rise_x * lf__four_of(grid->b) + rise_y * lf__four_of(grid->d);
    nx = _mm256_xor_pd(nx, minus);
    ny = _mm256_xor_pd(ny, minus);
    __m256d length = _mm256_sqrt_pd(nx * nx + ny * ny + one), most = lf__four_of(1e100);
    _mm256_store_pd(hits->nx, nx / length);
    _mm256_store_pd(hits->ny, ny / length);
    _mm256_store_pd(hits->nz, one / length);
    __m256d x = c->x + t * c->dx - c->i, y = c->y + t * c->dy - c->j;
#define LF__CELLS_SHARE(s) _mm256_min_pd(one, _mm256_max_pd(zero, s))
    x = LF__CELLS_SHARE(x);
    y = LF__CELLS_SHARE(y);
    __m256d sum = LF__CELLS_SHARE(x + y - one), right = LF__CELLS_SHARE(x - y), left = LF__CELLS_SHARE(y - x);
#undef LF__CELLS_SHARE
    _mm256_store_pd(
        hits->u, lf__four_choose(lf__four_choose(right, x, second), lf__four_choose(x, sum, second), falls));
    _mm256_store_pd(hits->v, lf__four_choose(lf__four_choose(y, left, second),
                                             lf__four_choose(y, one - x, second), falls));
    _mm256_store_pd(hits->t, t);
    hits->second = (unsigned)_mm256_movemask_pd(second);
    return (unsigned)_mm256_movemask_pd(
        _mm256_and_pd(LF__CELLS_LT(lf__four_size(nx), most), LF__CELLS_LT(lf__four_size(ny), most)));
}

/// Write the hit of lane n, as lf__trace_hit does.
static inline void lf__cells_write(const lf__cells *c, const lf__cells_hits *hits, int n,
                                   const lf__batch_rays *v, int64_t index) {
    const lf_ray *ray = lf__batch_rays_ray(v, index);
    double t = hits->t[n];
    *lf__batch_rays_hit(v, index) = (lf_hit){.kind = LF_HIT_CELL,
                                             .reason = LF_REASON_ANSWERED,
                                             .t = t,
                                             .point = lf_vec3_along(ray->origin, t, ray->direction),
                                             .normal = {hits->nx[n], hits->ny[n], hits->nz[n]},
                                             .element = c->row[n] * v->grid->cell_columns + c->column[n],
                                             .triangle = hits->second >> n & 1,
                                             .u = hits->u[n],
                                             .v = hits->v[n],
                                             .resolution = v->grid->resolution,
                                             .layers = 1};
}

/// Are cells of the grid triangles that are reported once? Only those are processed here.
static inline bool lf__cells_serve(const lf_grid *grid) {
    return grid->surface != LF_SURFACE_POINT && grid->surface != LF_SURFACE_BILINEAR && !grid->round &&
           !grid->packed;
}

/// Meet the squares in `columns` and `rows` of the lanes `which`, whose rays enter the row after that too where `more` is set.
/// Returns the lanes whose rays surely meet nothing there; *met receives those that were answered.
LF__LANES_TARGET static inline unsigned lf__cells_meet(lf__cells *c, const lf__batch_rays *v,
                                                       const lf__batch_lane *const lanes[4],
                                                       const int32_t columns[4], const int32_t rows[4],
                                                       unsigned which, unsigned more, unsigned *met) {
    which &= lf__cells_corners(c, v, lanes, columns, rows);
    lf__cells_triangle two[2];
    for (int k = 0; k < 2; k++) {
        lf__cells_start(c, k, &two[k]);
        lf__cells_decide(c, &two[k]);
    }
    unsigned outside[2], inside[2];
    for (int k = 0; k < 2; k++) {
        outside[k] = (unsigned)_mm256_movemask_pd(two[k].outside);
        inside[k] = (unsigned)_mm256_movemask_pd(two[k].inside);
    }
    unsigned hit = which & ((inside[0] & outside[1]) | (inside[1] & outside[0]));
    *met = 0;
    if (hit) {
        __m256d second = two[1].inside, precise, *one = (__m256d *)&two[0];
        const __m256d *other = (const __m256d *)&two[1];
        for (size_t n = 0; n < offsetof(lf__cells_triangle, inside) / sizeof(__m256d); n++)
            one[n] = lf__four_choose(one[n], other[n], second);
        __m256d t = lf__cells_root(c, &two[0], &precise);
        t = _mm256_min_pd(c->t_max, _mm256_max_pd(c->t_min, t));
        // Next to the sides towards the next column and row the cells there have to be asked too.
        const int32_t *at = columns;
        __m256d a = c->a + t * c->along, b = c->b + (a - c->a) * c->slope_b,
                margin = lf__four_of(16 * LF__GRID_COURSE_SLACK);
        __m256d side = _mm256_setr_pd(at[0] + 1, at[1] + 1, at[2] + 1, at[3] + 1);
        at = rows;
        __m256d row = _mm256_setr_pd(at[0] + 1, at[1] + 1, at[2] + 1, at[3] + 1);
        unsigned far = (unsigned)_mm256_movemask_pd(_mm256_and_pd(precise, LF__CELLS_LT(a + margin, side)));
        unsigned below = (unsigned)_mm256_movemask_pd(LF__CELLS_LT(b + margin, row));
        lf__cells_hits hits;
        hit &= far & (below | ~more) & lf__cells_place(c, v->grid, t, second, &hits);
        *met = hit;
        for (; hit; hit &= hit - 1) {
            int n = __builtin_ctz(hit);
            lf__cells_write(c, &hits, n, v, lanes[n]->index);
        }
    }
    return which & outside[0] & outside[1];
}

/// Meet the columns of up to four lanes. Returns the lanes that are decided; *met receives those that were answered.
LF__LANES_TARGET static inline unsigned lf__cells_columns(const lf__batch_rays *v,
                                                          const lf__batch_lane *const lanes[4],
                                                          const int32_t columns[4], unsigned which,
                                                          unsigned *met) {
    lf__cells c;
    lf__cells_lines(&c, lanes);
    _Alignas(16) int32_t rows[4], last[4];
    unsigned more = 0, again;
    for (int n = 0; n < 4; n++) { // as lf__lanes_meet_column
        const lf__grid_course *octant = &v->octants[lanes[n]->octant].course;
        const double *d = lanes[n]->values;
        double from = (double)columns[n] > d[LF__START] ? (double)columns[n] : d[LF__START];
        double to = (double)(columns[n] + 1) < d[LF__END] ? (double)(columns[n] + 1) : d[LF__END];
        double first = d[LF__B] + (from - d[LF__A]) * d[LF__ASIDE] - LF__GRID_COURSE_SLACK;
        double end = d[LF__B] + (to - d[LF__A]) * d[LF__ASIDE] + LF__GRID_COURSE_SLACK;
        int32_t low = (int32_t)floor(first), high = (int32_t)floor(end);
        rows[n] = low < octant->low_b ? (int32_t)octant->low_b : low;
        last[n] = high >= octant->high_b ? (int32_t)octant->high_b - 1 : high;
        bool there = columns[n] >= octant->low_a && columns[n] < octant->high_a && last[n] >= rows[n] &&
                     last[n] <= rows[n] + 1;
        which &= there ? 15u : 15u & ~(1u << n);
        more |= (unsigned)(last[n] > rows[n]) << n;
    }
    unsigned missed = lf__cells_meet(&c, v, lanes, columns, rows, which, more, met);
    if (missed & more) {
        unsigned rest = missed & more;
        for (int n = 0; n < 4; n++)
            rows[n] = last[n];
        missed &= ~rest;
        missed |= lf__cells_meet(&c, v, lanes, columns, rows, rest, 0, &again);
        *met |= again;
    }
    return missed | *met;
}

#undef LF__CELLS_LT

#endif
#endif
