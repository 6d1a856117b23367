/// A line over one square, where doubles can tell.
///
/// Over a square the line's height above ground is taken where it enters and leaves the square and where it crosses the diagonal; between
/// these it is straight, but for what the line bends. Places are rounded, and so are heights: what is within the margin of that
/// is left to exact signs.
#ifndef LF_SIGHT_QUICK_H
#define LF_SIGHT_QUICK_H

#include "sight/line.h"

typedef enum lf__glance {
    LF__GLANCE_CLEAR, ///< not below this square's ground anywhere
    LF__GLANCE_BELOW, ///< below it at a place strictly between the line's ends
    LF__GLANCE_DOUBT
} lf__glance;

/// A line made ready.
typedef struct lf__glances {
    const lf_grid *grid;
    const lf__sight_line *line;
    double slope;                ///< z1 as one double
    double inverse_x, inverse_y; ///< of the way; 0: it does not move
    double size, per_square;     ///< of heights, and how much they change over a square
    double blur;                 ///< of places, in squares
    bool flat;                   ///< triangles
    bool bilinear;
} lf__glances;

static inline lf__glances lf__glances_start(const lf_grid *grid, const lf__sight_line *line) {
    double most = fmax(fabs(line->way.x), fabs(line->way.y));
    double slope = line->z1 + line->z1_more;
    lf__glances g = {grid, line, slope, .bilinear = grid->surface == LF_SURFACE_BILINEAR};
    g.flat = !g.bilinear && grid->surface != LF_SURFACE_POSTS;
    g.inverse_x = fabs(line->way.x) > 1e-9 ? 1 / line->way.x : 0;
    g.inverse_y = fabs(line->way.y) > 1e-9 ? 1 / line->way.y : 0;
    g.size = fabs(line->z0) + (fabs(line->z1) + fabs(line->z1_more) + fabs(line->z2) * line->end) * line->end;
    g.blur = 0x1p-49 * (fabs(line->at.x) + fabs(line->at.y) + fabs(line->way.x) + fabs(line->way.y));
    g.per_square = most > 1e-9 ? (fabs(slope) + 2 * fabs(line->z2) * line->end) / most : LF_INFINITY;
    return g;
}

/// Shorten [t0, t1] to where at + t * way is in [low, high].
static inline void lf__glance_clip(double at, double inverse, double low, double high, double *t0,
                                   double *t1) {
    if (inverse == 0) {
        *t1 = at >= low && at <= high ? *t1 : -1;
        return;
    }
    double s = (low - at) * inverse, t = (high - at) * inverse;
    double first = s < t ? s : t, last = s < t ? t : s;
    *t0 = first > *t0 ? first : *t0;
    *t1 = last < *t1 ? last : *t1;
}

/// Height of the line above the surface at t, on the side of the diagonal where `side` is.
static inline double lf__glance_at(const lf__glances *g, const lf__grid_corners *h, bool falls, double side,
                                   double i, double j, double t) {
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
static inline double lf__glance_side(const lf__glances *g, bool falls, double i, double j, double t) {
    double u = g->line->at.x + t * g->line->way.x - i, v = g->line->at.y + t * g->line->way.y - j;
    return falls ? u + v - 1 : u - v;
}

/// An existing square with a surface.
static inline lf__glance lf__glance_square(const lf__glances *g, int64_t i, int64_t j) {
    const lf_grid *grid = g->grid;
    double x = (double)i, y = (double)j, t0 = 0, t1 = g->line->end;
    // Beside a hole, or at the border, a point that is off by a rounding may be over no ground at all.
    bool inner = !grid->gaps && i > 0 && j > 0 && i + 1 < grid->cell_columns && j + 1 < grid->cell_rows;
    double rim = inner ? 0 : 1e-9;
    if (!g->flat && !g->bilinear)
        return LF__GLANCE_DOUBT;
    if (!lf__grid_is_real(grid, i, j) || !(g->per_square < LF_INFINITY) || !(g->blur < 1e-9))
        return LF__GLANCE_DOUBT;
    lf__glance_clip(g->line->at.x, g->inverse_x, x + rim, x + 1 - rim, &t0, &t1);
    lf__glance_clip(g->line->at.y, g->inverse_y, y + rim, y + 1 - rim, &t0, &t1);
    double way = fabs(g->line->way.x) + fabs(g->line->way.y);
    if (!((t1 - t0) * way > 1e-8))
        return LF__GLANCE_DOUBT;
    lf__grid_corners h = lf__grid_corners_of(grid, i, j);
    double low = fmin(fmin(h.h00, h.h10), fmin(h.h01, h.h11)),
           high = fmax(fmax(h.h00, h.h10), fmax(h.h01, h.h11));
    double steep = high - low, twist = g->bilinear ? 0.25 * fabs((h.h11 - h.h01) - (h.h10 - h.h00)) : 0;
    double bent = 0.25 * fabs(g->line->z2) * (t1 - t0) * (t1 - t0);
    double margin =
        (4 * rim + g->blur) * (steep + g->per_square) + 0x1p-46 * (g->size + fabs(low) + fabs(high));
    bool falls = g->flat && lf__grid_falls(grid, i, j);
    double side0 = g->flat ? lf__glance_side(g, falls, x, y, t0) : 0,
           side1 = g->flat ? lf__glance_side(g, falls, x, y, t1) : 0;
    double first = lf__glance_at(g, &h, falls, side0, x, y, t0),
           last = lf__glance_at(g, &h, falls, side1, x, y, t1);
    double least = fmin(first, last);
    if (side0 * side1 < 0) {
        double t = t0 + (t1 - t0) * (side0 / (side0 - side1));
        least = fmin(least, lf__glance_at(g, &h, falls, side0, x, y, t));
    }
    return least < -margin                 ? LF__GLANCE_BELOW
           : least > margin + bent + twist ? LF__GLANCE_CLEAR
                                           : LF__GLANCE_DOUBT;
}

#endif
