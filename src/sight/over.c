/// A line over one piece of surface. How far it is above is a quadratic in t; its signs are exact.
#include "grid/grid_question.h"
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

/// What is void of a square with a gap: all of it, or the triangle that is missing, which one more limit cuts off. false: nothing.
static bool void_piece(const lf_grid *grid, int64_t i, int64_t j, lf__piece *piece) {
    unsigned parts = lf__grid_parts(grid, i, j);
    if (parts == LF__GRID_WHOLE)
        return false;
    *piece = level_piece(grid, i, j);
    if (parts) {
        bool falls = lf__grid_falls(grid, i, j);
        double sign = (parts == 2) == falls
                          ? -1
                          : 1; // the first triangle is missing: of higher columns where the diagonal rises
        piece->limits[piece->limit_count++] =
            (lf__limit){sign, falls ? sign : -sign, 0, -sign * (double)(falls ? i + j + 1 : i - j)};
    }
    return true;
}

/// The column of a square beside another: across the seam of a grid that wraps there is more.
static int64_t beside(const lf_grid *grid, int64_t i) {
    return !grid->round                              ? i
           : i < grid->first                         ? i + grid->round
           : i >= grid->first + grid->square_columns ? i - grid->round
                                                     : i;
}

/// Does a square exist, and one of these pieces of it?
static bool is_ground(const lf_grid *grid, int64_t i, int64_t j, unsigned pieces) {
    return i >= grid->first && j >= grid->first && i < grid->first + grid->square_columns &&
           j < grid->first + grid->square_rows && (lf__grid_parts(grid, i, j) & pieces);
}

/// Does the line stay on the outline of a void piece, where ground is beside it that shares the side?
static bool runs_along_ground(const lf_grid *grid, const lf__sight_line *line, const lf__piece *piece) {
    int64_t i = piece->i, j = piece->j;
    lf_vec2 at = line->at, way = line->way;
    double x = (double)i + grid->shift, y = (double)j + grid->shift;
    lf__grid_spot spot;
    if (way.x == 0 && way.y == 0)
        return lf__grid_at(grid, at, &spot) == LF_REASON_ANSWERED;
    // The first triangle of a cell has its lower side, the second its upper one, and which has the left side
    // goes by the diagonal.
    if (way.x == 0 && at.x == x)
        return is_ground(grid, beside(grid, i - 1), j, lf__grid_falls(grid, beside(grid, i - 1), j) ? 2 : 1);
    if (way.x == 0 && at.x == x + 1)
        return is_ground(grid, beside(grid, i + 1), j, lf__grid_falls(grid, beside(grid, i + 1), j) ? 1 : 2);
    if (way.y == 0 && (at.y == y || at.y == y + 1))
        return at.y == y ? is_ground(grid, i, j - 1, 2) : is_ground(grid, i, j + 1, 1);
    bool falls = lf__grid_falls(grid, i, j);
    return lf__grid_parts(grid, i, j) && way.x == (falls ? -way.y : way.y) &&
           lf__grid_diagonal_side(falls, i, j, at) == 0;
}

/// Is a limit one of the grid's own? The seam of one that wraps is none.
static bool is_border(const lf_grid *grid, const lf__piece *piece, int spot) {
    int k = spot - LF__SPOT_LIMIT;
    const double borders[4] = {-grid->low.x, grid->high.x, -grid->low.y, grid->high.y};
    return k >= (grid->round ? 2 : 0) && k < 4 && piece->limits[k].k == borders[k];
}

/// A corner that is only touched belongs to what else is there, but for the grid's own four: are these void?
static bool touches_void(const lf_grid *grid, const lf__piece *piece, const lf__over *over) {
    if (!is_border(grid, piece, over->first) || !is_border(grid, piece, over->last))
        return false;
    int a = over->first - LF__SPOT_LIMIT, b = over->last - LF__SPOT_LIMIT, column = a < b ? a : b,
        row = a < b ? b : a;
    lf__grid_spot spot;
    lf_vec2 corner = {column == 0 ? grid->low.x : grid->high.x, row == 2 ? grid->low.y : grid->high.y};
    return lf__grid_at(grid, corner, &spot) != LF_REASON_ANSWERED;
}

bool lf__over_hole(const lf_grid *grid, const lf__sight_line *line, const int64_t square[2], bool last,
                   double *t, uint64_t *exact) {
    lf__piece piece;
    lf__over over;
    if (!void_piece(grid, square[0], square[1], &piece) || !lf__over_start(&over, line, &piece, exact))
        return false;
    if (over.touches ? !touches_void(grid, &piece, &over) : runs_along_ground(grid, line, &piece))
        return false;
    return lf__over_breaks(&over, last, t);
}
