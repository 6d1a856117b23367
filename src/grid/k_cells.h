/// Four or eight rays of a batch against one cell each: lf__filter_cell for both triangles, and the hits.
///
/// Every operation is that of the filter for one ray (grid_kernels.h) and of lf__trace_hit, in the same order, so hits have the
/// same bits. Whatever is not plain (a doubt, a meeting next to a side of the cell, both triangles met, voids) is left to the
/// caller, who asks the one exact step. Kernels include this file after k_courses.h, for the same width.
#include "grid/k_filter.h"

/// Lines and their cells.
typedef struct DS(lf__cells) {
    VD line[LF__DOUBLES];  ///< of rays: LF__A and so on
    VD limits[LF__LIMITS]; ///< of octants
    VM swap;
    VD x, y, dx, dy;
    DS(lf__cells_lines) lines;
    VD h00, h10, h01, h11; ///< heights of the corners
    VD i, j;               ///< of the cells
    VM falls;
} DS(lf__cells);

/// lf__filter_start for triangle k.
DS_INLINE void DS(lf__cells_start)(const DS(lf__cells) * c, int k, DS(lf__cells_triangle) * t) {
    VD one = D_SET(1), h00 = c->h00, h10 = c->h10, h01 = c->h01, h11 = c->h11;
    VM falls = c->falls, all = M_ALL, rises = M_WITHOUT(all, falls);
    // The corner is on the right in the first triangle of rising cells and in the second one of falling
    // cells.
    VM back_x = k ? falls : rises, back_y = k ? all : M_NONE;
    VD at_x = D_IF(c->i, c->i + one, back_x), at_y = D_IF(c->j, c->j + one, back_y);
    t->x = DS(lf__cells_sum)(c->x, D_NEG(at_x), &t->x_rest);
    t->y = DS(lf__cells_sum)(c->y, D_NEG(at_y), &t->y_rest);
    t->x = D_TURN(t->x, back_x);
    t->y = D_TURN(t->y, back_y);
    t->x_rest = D_TURN(t->x_rest, back_x);
    t->y_rest = D_TURN(t->y_rest, back_y);
    t->dx = D_TURN(c->dx, back_x);
    t->dy = D_TURN(c->dy, back_y);
    t->corner = D_IF(k ? h01 : h10, k ? h11 : h00, falls);
    t->side_x = D_IF(k ? h11 : h00, k ? h01 : h10, falls);
    t->side_y = D_IF(k ? h00 : h11, k ? h10 : h01, falls);
}

/// Read the lines of some lanes.
DS_INLINE void DS(lf__cells_read)(DS(lf__cells) * c, const lf__batch_rays *v,
                                  const lf__batch_lane *const lanes[DOUBLES]) {
    const double *from[DOUBLES], *octants[DOUBLES];
    _Alignas(64) double swap[DOUBLES];
    for (int n = 0; n < DOUBLES; n++) {
        from[n] = lanes[n]->values;
        octants[n] = v->octants[lanes[n]->octant].limits;
        swap[n] = lanes[n]->octant & 1;
    }
    for (int k = 0; k < LF__DOUBLES; k += DOUBLES)
        DS(lf__read_across)(from, k, c->line + k);
    for (int k = 0; k < LF__LIMITS; k += DOUBLES)
        DS(lf__read_across)(octants, k, c->limits + k);
    c->swap = D_LT(D_SET(0), D_LOAD(swap));
    c->x = c->line[LF__X], c->y = c->line[LF__Y], c->dx = c->line[LF__DX], c->dy = c->line[LF__DY];
    c->lines =
        (DS(lf__cells_lines)){c->line[LF__HEIGHT], c->line[LF__DZ], c->line[LF__T_MIN], c->line[LF__T_MAX]};
}

/// Find the cells of squares of the courses, and load their corners. Returns those that are cells without a gap; the others get
/// the first cell.
DS_INLINE unsigned DS(lf__cells_corners)(DS(lf__cells) * c, const lf_grid *grid, VD column, VD row) {
    VD at_a = c->limits[LF__BASE_A] + c->limits[LF__SIGN_A] * column,
       at_b = c->limits[LF__BASE_B] + c->limits[LF__SIGN_B] * row, zero = D_SET(0);
    VD i = D_IF(at_a, at_b, c->swap), j = D_IF(at_b, at_a, c->swap);
    VM real = M_AND(M_AND(D_LE(zero, i), D_LT(i, D_SET((double)grid->cell_columns))),
                    M_AND(D_LE(zero, j), D_LT(j, D_SET((double)grid->cell_rows))));
    unsigned plain = M_BITS(real);
    c->i = i = D_ONLY(i, real);
    c->j = j = D_ONLY(j, real);
    VD half = (i + j) * D_SET(0.5);
    c->falls = grid->surface == LF_SURFACE_FALLING       ? M_ALL
               : grid->surface == LF_SURFACE_ALTERNATING ? D_EQ(half, D_FLOOR(half))
                                                         : M_NONE;
#if DOUBLES == 8
    if (grid->type == LF_SAMPLE_FLOAT && grid->plain && !grid->gaps) {
        __m512i at =
            _mm512_cvttpd_epi64(i * D_SET((double)grid->column_step) + j * D_SET((double)grid->row_step));
        const char *low = grid->values, *high = low + grid->row_step;
        c->h00 = _mm512_cvtps_pd(_mm512_i64gather_ps(at, low, 1));
        c->h10 = _mm512_cvtps_pd(_mm512_i64gather_ps(at, low + grid->column_step, 1));
        c->h01 = _mm512_cvtps_pd(_mm512_i64gather_ps(at, high, 1));
        c->h11 = _mm512_cvtps_pd(_mm512_i64gather_ps(at, high + grid->column_step, 1));
        return plain;
    }
#endif
    _Alignas(64) double heights[4][DOUBLES], columns[DOUBLES], rows[DOUBLES];
    D_STORE(columns, i);
    D_STORE(rows, j);
    for (int n = 0; n < DOUBLES; n++) {
        if (lf__grid_gap(grid, (int64_t)columns[n], (int64_t)rows[n]))
            plain &= ~(1u << n);
        lf__grid_corners h = lf__grid_corners_of(grid, (int64_t)columns[n], (int64_t)rows[n]);
        heights[0][n] = h.h00, heights[1][n] = h.h10, heights[2][n] = h.h01, heights[3][n] = h.h11;
    }
    c->h00 = D_LOAD(heights[0]), c->h10 = D_LOAD(heights[1]);
    c->h01 = D_LOAD(heights[2]), c->h11 = D_LOAD(heights[3]);
    return plain;
}

/// Hits, one number of each per vector.
typedef struct DS(lf__cells_hits) {
    _Alignas(64) double t[DOUBLES], nx[DOUBLES], ny[DOUBLES], nz[DOUBLES], u[DOUBLES], v[DOUBLES],
        element[DOUBLES];
    unsigned second; ///< those in the second triangle of their cell
} DS(lf__cells_hits);

/// Normals and weights, as lf__grid_hit and lf__piece_weights compute them. Returns the lanes where they do.
DS_INLINE unsigned DS(lf__cells_place)(const DS(lf__cells) * c, const lf_grid *grid, VD t, VM second,
                                       DS(lf__cells_hits) * hits) {
    VD one = D_SET(1), zero = D_SET(0);
    VM falls = c->falls;
    VD rise_x = D_IF(c->h10 - c->h00, c->h11 - c->h01, second);
    VM high = M_OR(M_AND(second, falls), M_WITHOUT(M_WITHOUT(M_ALL, second), falls));
    VD rise_y = D_IF(c->h01 - c->h00, c->h11 - c->h10, high);
    VD nx = rise_x * D_SET(grid->a) + rise_y * D_SET(grid->c),
       ny = rise_x * D_SET(grid->b) + rise_y * D_SET(grid->d);
    nx = D_NEG(nx);
    ny = D_NEG(ny);
    VD length = D_SQRT(nx * nx + ny * ny + one), most = D_SET(1e100);
    D_STORE(hits->nx, nx / length);
    D_STORE(hits->ny, ny / length);
    D_STORE(hits->nz, one / length);
    D_STORE(hits->element, c->j * D_SET((double)grid->cell_columns) + c->i);
    VD x = c->x + t * c->dx - c->i, y = c->y + t * c->dy - c->j;
#define CELLS_SHARE(s) D_MIN(one, D_MAX(zero, s))
    x = CELLS_SHARE(x);
    y = CELLS_SHARE(y);
    VD sum = CELLS_SHARE(x + y - one), right = CELLS_SHARE(x - y), left = CELLS_SHARE(y - x);
#undef CELLS_SHARE
    D_STORE(hits->u, D_IF(D_IF(right, x, second), D_IF(x, sum, second), falls));
    D_STORE(hits->v, D_IF(D_IF(y, left, second), D_IF(y, one - x, second), falls));
    D_STORE(hits->t, t);
    hits->second = M_BITS(second);
    return M_BITS(M_AND(D_LT(D_ABS(nx), most), D_LT(D_ABS(ny), most)));
}

/// Write the hit of lane n, as lf__trace_hit does.
DS_INLINE void DS(lf__cells_write)(const DS(lf__cells_hits) * hits, int n, const lf__batch_rays *v,
                                   int64_t index) {
    const lf_ray *ray = lf__batch_rays_ray(v, index);
    double t = hits->t[n];
    *lf__batch_rays_hit(v, index) = (lf_hit){.kind = LF_HIT_CELL,
                                             .reason = LF_REASON_ANSWERED,
                                             .t = t,
                                             .point = lf_vec3_along(ray->origin, t, ray->direction),
                                             .normal = {hits->nx[n], hits->ny[n], hits->nz[n]},
                                             .element = (int64_t)hits->element[n],
                                             .triangle = hits->second >> n & 1,
                                             .u = hits->u[n],
                                             .v = hits->v[n],
                                             .resolution = v->grid->resolution,
                                             .layers = 1};
}

/// Meet the squares in `column` and `row` of the lanes `which`, whose rays enter the row after that too where `more` is set.
/// Returns the lanes whose rays surely meet nothing there; *met receives those that were answered.
DS_INLINE unsigned DS(lf__cells_meet)(DS(lf__cells) * c, const lf__batch_rays *v,
                                      const int64_t indices[DOUBLES], VD column, VD row, unsigned which,
                                      unsigned more, unsigned *met) {
    which &= DS(lf__cells_corners)(c, v->grid, column, row);
    DS(lf__cells_triangle) first, second;
    DS(lf__cells_start)(c, 0, &first);
    DS(lf__cells_decide)(&c->lines, &first);
    DS(lf__cells_start)(c, 1, &second);
    DS(lf__cells_decide)(&c->lines, &second);
    unsigned outside = M_BITS(M_AND(first.outside, second.outside));
    VM one = M_AND(first.inside, second.outside), other = M_AND(second.inside, first.outside);
    unsigned hit = which & M_BITS(M_OR(one, other));
    *met = 0;
    if (hit) {
        VM precise;
#define CELLS_CHOOSE(of) first.of = D_IF(first.of, second.of, other)
        CELLS_CHOOSE(x), CELLS_CHOOSE(y), CELLS_CHOOSE(x_rest), CELLS_CHOOSE(y_rest), CELLS_CHOOSE(dx),
            CELLS_CHOOSE(dy);
        CELLS_CHOOSE(corner), CELLS_CHOOSE(side_x), CELLS_CHOOSE(side_y), CELLS_CHOOSE(size0),
            CELLS_CHOOSE(size1);
#undef CELLS_CHOOSE
        VD t = DS(lf__cells_root)(&c->lines, &first, false, &precise);
        t = D_MIN(c->lines.t_max, D_MAX(c->lines.t_min, t));
        // Next to the sides towards the next column and row the cells there have to be asked too.
        const VD *line = c->line;
        VD a = line[LF__A] + t * line[LF__PACE], b = line[LF__B] + (a - line[LF__A]) * line[LF__ASIDE],
           margin = D_SET(16 * LF__GRID_COURSE_SLACK), next = D_SET(1);
        unsigned far = M_BITS(M_AND(precise, D_LT(a + margin, column + next))),
                 below = M_BITS(D_LT(b + margin, row + next));
        DS(lf__cells_hits) hits;
        hit &= far & (below | ~more) & DS(lf__cells_place)(c, v->grid, t, other, &hits);
        *met = hit;
        for (; hit; hit &= hit - 1) {
            int n = __builtin_ctz(hit);
            DS(lf__cells_write)(&hits, n, v, indices[n]);
        }
    }
    return which & outside;
}

/// Meet the columns of some lanes: a square of each, the first that the ray is in, or that after it where `steps` is 1, not 0.
/// Returns the lanes that are decided; *met receives those that were answered, *more those that have to be asked with a step.
DS_INLINE unsigned DS(lf__cells_columns)(const lf__batch_rays *v, const lf__batch_lane *const lanes[DOUBLES],
                                         const double columns[DOUBLES], const double steps[DOUBLES],
                                         unsigned which, unsigned *met, unsigned *more) {
    DS(lf__cells) c;
    DS(lf__cells_read)(&c, v, lanes);
    int64_t indices[DOUBLES];
    for (int n = 0; n < DOUBLES; n++)
        indices[n] = lanes[n]->index;
    // As lf__lanes_meet_column.
    const VD *line = c.line, *limits = c.limits;
    VD column = D_LOAD(columns), one = D_SET(1), slack = D_SET(LF__GRID_COURSE_SLACK);
    VD from = D_MAX(column, line[LF__START]), to = D_MIN(column + one, line[LF__END]);
    VD first = D_FLOOR(line[LF__B] + (from - line[LF__A]) * line[LF__ASIDE] - slack),
       last = D_FLOOR(line[LF__B] + (to - line[LF__A]) * line[LF__ASIDE] + slack);
    first = D_MAX(first, limits[LF__LOW_B]);
    last = D_MIN(last, limits[LF__HIGH_B] - one);
    VM there = M_AND(M_AND(D_LE(limits[LF__LOW_A], column), D_LT(column, limits[LF__HIGH_A])),
                     M_AND(D_LE(first, last), D_LE(last, first + one)));
    VD row = first + D_LOAD(steps);
    unsigned next = M_BITS(D_LT(row, last));
    unsigned missed = DS(lf__cells_meet)(&c, v, indices, column, row, which & M_BITS(there), next, met);
    *more = missed & next;
    return (missed & ~next) | *met;
}
