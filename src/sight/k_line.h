/// Lines over grids by kernels, and the filter in doubles that precedes every exact test.
#ifndef LF_SIGHT_K_LINE_H
#define LF_SIGHT_K_LINE_H

#include "sight/sight.h"

typedef enum lf__line_search {
    LF__LINE_CLEAR,
    LF__LINE_BELOW,  ///< by ground
    LF__LINE_REFUSED ///< use the scalar path
} lf__line_search;

/// Can kernels search over this grid? Beside voids, floats cannot decide what is below ground.
static inline bool lf__sight_has_kernel(const lf_grid *grid) {
    return grid->line_level > 0 && !grid->gaps;
}

/// Search a line from its start, or from its end.
/// any  t is then only near a place where the line is below ground, as far as known; else the first, or last,
///      blocked place
lf__line_search lf__sight_search(const lf_grid *grid, const lf__sight_line *line, bool from_end, bool any,
                                 double *t, lf_counters *cost);

/// The line between two ends over a grid with kernels, both ends at once: the same bits as lf__sight_place
/// and lf__sight_line_between. false: an end is far off the grid.
/// a    the lesser end
/// sag  as for lf__sight_line_between
bool lf__sight_line_of_ends(const lf_grid *grid, lf_vec3 a, lf_vec3 b, double sag, lf__sight_line *line);

/// Is a place strictly between the ends of a line certainly below ground? false: not known. For grids with kernels.
/// sag  as for lf__sight_line_between
/// t    of the place, from a
bool lf__sight_probe(const lf_grid *grid, lf_vec3 a, lf_vec3 b, double sag, double *t);

/// The ends of lines, strides in bytes.
typedef struct lf__sight_ends {
    const char *a, *b;
    size_t a_stride, b_stride;
} lf__sight_ends;

/// The same for lines first .. last - 1 on a plane. All their verdicts are set to blocked; `left` receives the numbers of those
/// that are not known. Returns how many.
int lf__sight_probe_many(const lf_grid *grid, const lf_curvature *curvature, const lf__sight_ends *ends,
                         int64_t first, int64_t last, uint8_t *verdicts, int64_t *left);

/// Does a line stay over the grid itself and off the seam, so that no copy of the grid matters?
static inline bool lf__sight_stays(const lf_grid *grid, double a, double b) {
    double most = grid->half_width - 1e-6 * fabs(grid->geotransform.per_column.x);
    return grid->copies == 0 ||
           (fabs(a - grid->middle) < most && fabs(b - grid->middle) < most && fabs(b - a) < 0.5 * grid->turn);
}

/// The sag of a line on a plane, the same in both directions.
static inline double lf__sight_plane_sag(const lf_curvature *curvature, lf_vec3 a, lf_vec3 b) {
    double x = b.x - a.x, y = b.y - a.y;
    return curvature->coefficient == 0 ? 0 : lf__sight_sag(curvature, sqrt(x * x + y * y));
}

// ---------------------------------------------------------------------------------------------------
// A line over one square, in doubles
// ---------------------------------------------------------------------------------------------------

// Over a square, the height of the line above ground is computed where the line enters and leaves the square
// and where it crosses the diagonal; in between it is linear, apart from the curvature of the line. Places
// and heights are rounded: results within the margin are left to exact signs.

typedef enum lf__filtered {
    LF__FILTER_CLEAR, ///< nowhere below the ground of this square
    LF__FILTER_BELOW, ///< below it at a place strictly between the line's ends
    LF__FILTER_UNSURE
} lf__filtered;

/// A line prepared for the filter.
typedef struct lf__line_filter {
    const lf_grid *grid;
    const lf__sight_line *line;
    double slope;                ///< z1 as a double
    double inverse_x, inverse_y; ///< of `way`; 0: it does not move
    double size, per_square;     ///< of heights, and their change over a square
    double blur;                 ///< rounding error of places, in squares
    bool flat;                   ///< triangles
    bool bilinear;
    bool able; ///< the margins hold for this line
} lf__line_filter;

static inline lf__line_filter lf__line_filter_start(const lf_grid *grid, const lf__sight_line *line) {
    double x = fabs(line->way.x), y = fabs(line->way.y), most = x > y ? x : y;
    double slope = line->z1;
    // A level square is a patch with four equal corners.
    lf__line_filter g = {grid, line, slope,
                         .bilinear =
                             grid->surface == LF_SURFACE_BILINEAR || grid->surface == LF_SURFACE_POINT};
    g.flat = !g.bilinear;
    g.inverse_x = x > 0 ? 1 / line->way.x : 0;
    g.inverse_y = y > 0 ? 1 / line->way.y : 0;
    g.size = fabs(line->z0) + (fabs(line->z1) + fabs(line->z2) * line->end) * line->end;
    g.blur = 0x1p-49 * (fabs(line->at.x) + fabs(line->at.y) + fabs(line->way.x) + fabs(line->way.y));
    g.per_square = most > 1e-9 ? (fabs(slope) + 2 * fabs(line->z2) * line->end) / most : LF_INFINITY;
    g.able = g.per_square < LF_INFINITY && g.blur < 1e-9 && x + y > 1e-3 && (x == 0 || x > 1e-9) &&
             (y == 0 || y > 1e-9);
    return g;
}

static inline double lf__lesser(double a, double b) {
    return a < b ? a : b;
}

static inline double lf__greater(double a, double b) {
    return a > b ? a : b;
}

/// Shorten [t0, t1] to where at + t * way is in [low, high].
static inline void lf__filter_clip(double at, double inverse, double low, double high, double *t0,
                                   double *t1) {
    if (inverse == 0) {
        *t1 = at >= low && at <= high ? *t1 : *t0 - 1;
        return;
    }
    double s = (low - at) * inverse, t = (high - at) * inverse;
    double first = s < t ? s : t, last = s < t ? t : s;
    *t0 = first > *t0 ? first : *t0;
    *t1 = last < *t1 ? last : *t1;
}

/// Height of the line above the surface at t, on the side of the diagonal where `side` is.
static inline double lf__filter_height(const lf__line_filter *g, const lf__grid_corners *h, bool falls,
                                       double side, double i, double j, double t) {
    const lf__sight_line *line = g->line;
    double u = line->at.x + t * line->way.x - i, v = line->at.y + t * line->way.y - j;
    double z = line->z0 + (g->slope + line->z2 * t) * t;
    if (g->bilinear) {
        double low = h->h00 + u * (h->h10 - h->h00), high = h->h01 + u * (h->h11 - h->h01);
        return z - (low + v * (high - low));
    }
    if (falls)
        return side <= 0 ? z - (h->h00 + u * (h->h10 - h->h00) + v * (h->h01 - h->h00))
                         : z - (h->h11 + (1 - u) * (h->h01 - h->h11) + (1 - v) * (h->h10 - h->h11));
    return side >= 0 ? z - (h->h10 + (1 - u) * (h->h00 - h->h10) + v * (h->h11 - h->h10))
                     : z - (h->h01 + u * (h->h11 - h->h01) + (1 - v) * (h->h00 - h->h01));
}

/// How far the place at t is beyond the diagonal.
static inline double lf__filter_side(const lf__line_filter *g, bool falls, double i, double j, double t) {
    double u = g->line->at.x + t * g->line->way.x - i, v = g->line->at.y + t * g->line->way.y - j;
    return falls ? u + v - 1 : u - v;
}

/// A part of the line over a square, and its corners.
typedef struct lf__filter_part {
    double x, y, t0, t1;
    lf__grid_corners h;
    double steep, size; ///< of the corners: range, and largest absolute value
    bool falls;
} lf__filter_part;

static inline void lf__filter_corners(const lf__line_filter *g, int64_t i, int64_t j, lf__filter_part *p) {
    if (g->grid->surface == LF_SURFACE_POINT) {
        double h = lf__grid_height(g->grid, i, j);
        p->h = (lf__grid_corners){h, h, h, h};
    } else {
        p->h = lf__grid_corners_of(g->grid, i, j);
    }
    double low = lf__lesser(lf__lesser(p->h.h00, p->h.h10), lf__lesser(p->h.h01, p->h.h11));
    double high = lf__greater(lf__greater(p->h.h00, p->h.h10), lf__greater(p->h.h01, p->h.h11));
    p->steep = high - low;
    p->size = fabs(low) + fabs(high);
    p->falls = g->flat && lf__grid_falls(g->grid, i, j);
}

/// The line only touches a corner of an inner square, or passes close to it: the whole part is close to one
/// place.
static inline lf__filtered lf__filter_corner(const lf__line_filter *g, const lf__filter_part *p, double way) {
    if ((p->t0 - p->t1) * way > 1e-7)
        return LF__FILTER_CLEAR; // not even close
    double t = 0.5 * (p->t0 + p->t1), side = g->flat ? lf__filter_side(g, p->falls, p->x, p->y, t) : 0;
    double above = lf__filter_height(g, &p->h, p->falls, side, p->x, p->y, t);
    double margin = 1e-6 * (p->steep + g->per_square) + 0x1p-46 * (g->size + p->size);
    return above > margin ? LF__FILTER_CLEAR : LF__FILTER_UNSURE;
}

/// The whole part: where it begins, crosses the diagonal, and ends.
static inline lf__filtered lf__filter_over(const lf__line_filter *g, const lf__filter_part *p, double rim) {
    double side0 = 0, side1 = 0, length = p->t1 - p->t0;
    if (g->flat) {
        side0 = lf__filter_side(g, p->falls, p->x, p->y, p->t0);
        side1 = lf__filter_side(g, p->falls, p->x, p->y, p->t1);
    }
    double least = lf__lesser(lf__filter_height(g, &p->h, p->falls, side0, p->x, p->y, p->t0),
                              lf__filter_height(g, &p->h, p->falls, side1, p->x, p->y, p->t1));
    if (side0 * side1 < 0) {
        double t = p->t0 + length * (side0 / (side0 - side1));
        least = lf__lesser(least, lf__filter_height(g, &p->h, p->falls, side0, p->x, p->y, t));
    }
    double margin = (40 * rim + g->blur) * (p->steep + g->per_square) + 0x1p-46 * (g->size + p->size);
    double bent = 0.25 * fabs(g->line->z2) * length * length;
    double twist = g->bilinear ? 0.25 * fabs((p->h.h11 - p->h.h01) - (p->h.h10 - p->h.h00)) : 0;
    return least < -margin                 ? LF__FILTER_BELOW
           : least > margin + bent + twist ? LF__FILTER_CLEAR
                                           : LF__FILTER_UNSURE;
}

static inline bool lf__sum_is_exact(double a, double b, double sum) {
    double rest = sum - a;
    return a - (sum - rest) == 0 && b - rest == 0;
}

/// A part of the line over the level square in which the line begins or ends, often at the very height of the square:
/// there its height is exact, and its slope decides.
static inline lf__filtered lf__filter_level_end(const lf__line_filter *g, const lf__filter_part *p) {
    const lf__sight_line *line = g->line;
    bool at_start = p->t0 == 0;
    if (line->z2 < 0 || line->closed || line->end != 1 || (at_start && p->t1 == line->end))
        return LF__FILTER_UNSURE;
    double rise = at_start ? line->z1 : -(line->z1 + 2 * line->z2); // on the way from the end
    double change = line->z1 + line->z2, end = line->z0 + change;
    if (!at_start &&
        !(lf__sum_is_exact(line->z1, line->z2, change) && lf__sum_is_exact(line->z0, change, end)))
        return LF__FILTER_UNSURE;
    double above = (at_start ? line->z0 : end) - p->h.h00;
    double margin = 0x1p-48 * (fabs(line->z1) + 2 * fabs(line->z2));
    // Lines are straight or convex: they lie above the tangent.
    return rise > margin && above >= 0    ? LF__FILTER_CLEAR
           : rise < -margin && above <= 0 ? LF__FILTER_BELOW
                                          : LF__FILTER_UNSURE;
}

/// An existing square with a surface.
static inline lf__filtered lf__filter_square(const lf__line_filter *g, int64_t i, int64_t j) {
    const lf_grid *grid = g->grid;
    if (!g->able || !lf__grid_is_real(grid, i, j) || lf__grid_gap(grid, i, j))
        return LF__FILTER_UNSURE;
    // Beside a void, or at the border, a rounded point may be over no ground at all.
    bool inner = !grid->gaps && i > 0 && j > 0 && i + 1 < grid->cell_columns && j + 1 < grid->cell_rows;
    double rim = inner ? 0 : 1e-9, way = fabs(g->line->way.x) + fabs(g->line->way.y);
    lf__filter_part p = {
        .x = (double)i + grid->shift, .y = (double)j + grid->shift, .t0 = 0, .t1 = g->line->end};
    lf__filter_clip(g->line->at.x, g->inverse_x, p.x + rim, p.x + 1 - rim, &p.t0, &p.t1);
    lf__filter_clip(g->line->at.y, g->inverse_y, p.y + rim, p.y + 1 - rim, &p.t0, &p.t1);
    if (!inner) { // the part within the rim must be short
        double t0 = 0, t1 = g->line->end;
        lf__filter_clip(g->line->at.x, g->inverse_x, p.x, p.x + 1, &t0, &t1);
        lf__filter_clip(g->line->at.y, g->inverse_y, p.y, p.y + 1, &t0, &t1);
        if (!((t1 - t0 - (p.t1 - p.t0)) * way <= 1e-8))
            return LF__FILTER_UNSURE;
    }
    lf__filter_corners(g, i, j, &p);
    if (!((p.t1 - p.t0) * way > 1e-8))
        return inner ? lf__filter_corner(g, &p, way) : LF__FILTER_UNSURE;
    lf__filtered over = lf__filter_over(g, &p, rim);
    bool has_end = p.t0 == 0 || p.t1 == g->line->end;
    return over == LF__FILTER_UNSURE && has_end && grid->surface == LF_SURFACE_POINT
               ? lf__filter_level_end(g, &p)
               : over;
}

#endif
