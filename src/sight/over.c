/// A line over one piece of surface. How far it is above is a quadratic in t; its signs are exact.
#include "sight/line.h"

bool lf__over_start(lf__over *over, const lf__sight_line *line, const lf__piece *piece, uint64_t *exact) {
    over->ray =
        (lf_ray){{line->at.x, line->at.y, line->z0}, {line->way.x, line->way.y, line->z1}, 0, line->end};
    lf__along *along = &over->along;
    lf__along_start(along, piece, &over->ray, exact);
    lf__along_bend(along, line->z2);
    if (!lf__along_part(along, &over->first, &over->last))
        return false;
    over->touches = lf__spot_order(along, over->first, over->last) == 0;
    return !over->touches || (lf__spot_order(along, over->first, LF__SPOT_START) > 0 &&
                              lf__spot_order(along, over->first, LF__SPOT_END) < (line->closed ? 1 : 0));
}

/// Where the line goes below, seen from the spot where it does not yet.
static double crossing(lf__along *along, int bend, bool last) {
    return bend == 0 ? lf__spot_value(along, LF__SPOT_ROOT)
                     : lf__along_quadratic_root(along, (bend > 0) == last);
}

bool lf__over_breaks(lf__over *over, bool last, double *t) {
    lf__along *along = &over->along;
    int near = last ? over->last : over->first, far = last ? over->first : over->last;
    int sign = lf__along_sign_at(along, near);
    *t = lf__spot_value(along, near);
    if (sign < 0 || over->touches)
        return sign < 0;
    int bend = lf__along_sign(along, 2), way = last ? -1 : 1, slope = way * lf__along_slope_at(along, near);
    if (sign == 0 && (slope < 0 || (slope == 0 && bend < 0)))
        return true;
    if (lf__along_sign_at(along, far) >= 0 &&
        (bend <= 0 || slope >= 0 || way * lf__along_slope_at(along, far) <= 0 ||
         lf__along_discriminant(along) <= 0))
        return false;
    *t = crossing(along, bend, last);
    return true;
}

// ---------------------------------------------------------------------------------------------------
// Holes
// ---------------------------------------------------------------------------------------------------

/// A square, as far as the grid's surface goes, as a level piece. Limits: low and high column, low and high row.
static lf__piece level_piece(const lf_grid *grid, int64_t i, int64_t j) {
    double x = (double)i + grid->shift, y = (double)j + grid->shift;
    lf__piece piece = {.kind = LF__PIECE_PLANE, .i = i, .j = j, .at = {x, y}, .limit_count = 4};
    for (int k = 0; k < 5; k++)
        piece.h[k] = grid->highest;
    piece.limits[0] = (lf__limit){1, 0, 0, -fmax(x, grid->low.x)};
    piece.limits[1] = (lf__limit){-1, 0, 0, fmin(x + 1, grid->high.x)};
    piece.limits[2] = (lf__limit){0, 1, 0, -fmax(y, grid->low.y)};
    piece.limits[3] = (lf__limit){0, -1, 0, fmin(y + 1, grid->high.y)};
    return piece;
}

static bool is_ground(const lf_grid *grid, int64_t i, int64_t j) {
    if (grid->round) // across the seam there is more
        i += i < grid->first ? grid->round : i >= grid->first + grid->square_columns ? -grid->round : 0;
    return i >= grid->first && j >= grid->first && i < grid->first + grid->square_columns &&
           j < grid->first + grid->square_rows && !lf__grid_gap(grid, i, j);
}

/// Does the line run along the side of a square that ground shares?
static bool runs_along_ground(const lf_grid *grid, const lf__sight_line *line, const lf__piece *piece) {
    int64_t i = piece->i, j = piece->j, beside_i = i, beside_j = j;
    if (line->way.x == 0 &&
        (line->at.x == (double)i + grid->shift || line->at.x == (double)i + grid->shift + 1))
        beside_i = line->at.x == (double)i + grid->shift ? i - 1 : i + 1;
    if (line->way.y == 0 &&
        (line->at.y == (double)j + grid->shift || line->at.y == (double)j + grid->shift + 1))
        beside_j = line->at.y == (double)j + grid->shift ? j - 1 : j + 1;
    return is_ground(grid, beside_i, j) || is_ground(grid, i, beside_j) ||
           is_ground(grid, beside_i, beside_j);
}

/// Is a limit one of the grid's own? The seam of one that wraps is none.
static bool is_border(const lf_grid *grid, const lf__piece *piece, int spot) {
    int k = spot - LF__SPOT_LIMIT;
    const double borders[4] = {-grid->low.x, grid->high.x, -grid->low.y, grid->high.y};
    return k >= (grid->round ? 2 : 0) && k < 4 && piece->limits[k].k == borders[k];
}

bool lf__over_hole(const lf_grid *grid, const lf__sight_line *line, const int64_t square[2], bool last,
                   double *t, uint64_t *exact) {
    lf__piece piece = level_piece(grid, square[0], square[1]);
    lf__over over;
    if (!lf__over_start(&over, line, &piece, exact))
        return false;
    // A corner that is only touched belongs to what else is there, but for the grid's own four.
    if (over.touches ? !is_border(grid, &piece, over.first) || !is_border(grid, &piece, over.last)
                     : runs_along_ground(grid, line, &piece))
        return false;
    return lf__over_breaks(&over, last, t);
}
