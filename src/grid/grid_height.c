/// Heights of a grid: the surface at a place, and the hits of height queries.
#include "grid/grid_query.h"

int lf__grid_squares_at(double x, double shift, int64_t first, int64_t count, int64_t squares[2]) {
    int64_t near = (int64_t)floor(x - shift); // at most one off
    int found = 0;
    for (int64_t k = near - 1; k <= near + 1; k++)
        if (k >= first && k < first + count && (double)k + shift <= x && x <= (double)k + shift + 1)
            squares[found++] = k;
    return found;
}

/// The height of the sample exactly at a place; false where there is none.
static bool height_at_sample(const lf_grid *grid, lf_vec2 p, double *height) {
    int64_t i = (int64_t)p.x, j = (int64_t)p.y; // no call of floor: these are within the grid
    if (p.x != (double)i || p.y != (double)j)
        return false;
    *height = lf__grid_height(grid, i, j);
    return true;
}

/// The height of the chosen piece.
static void spot_fill(const lf_grid *grid, lf_vec2 p, lf__grid_spot *spot) {
    int64_t i = spot->i, j = spot->j;
    spot->u = p.x - ((double)i + grid->shift);
    spot->v = p.y - ((double)j + grid->shift);
    if (grid->surface == LF_SURFACE_POINT) {
        spot->height = lf__grid_height(grid, i, j);
        return;
    }
    if (height_at_sample(grid, p, &spot->height))
        return;
    lf__grid_corners h = lf__grid_corners_of(grid, i, j);
    spot->height =
        grid->surface == LF_SURFACE_BILINEAR
            ? lf__patch_height(&h, spot->u, spot->v)
            : lf__triangle_height(&h, lf__grid_falls(grid, i, j), spot->triangle, spot->u, spot->v);
}

/// Does a square that contains the place come before the one found so far? Of LF_SURFACE_POINT the highest
/// one does, else the order is that of hits.
static bool spot_comes_first(const lf_grid *grid, const lf__grid_spot *spot, const lf__grid_spot *best) {
    if (grid->surface == LF_SURFACE_POINT)
        return lf__grid_height(grid, spot->i, spot->j) > lf__grid_height(grid, best->i, best->j);
    return grid->extend &&
           lf__grid_lower(grid, &(lf__piece){.i = spot->i, .j = spot->j, .triangle = spot->triangle},
                          &(lf__piece){.i = best->i, .j = best->j, .triangle = best->triangle});
}

/// Find the piece of a square that contains a place, on the diagonal the first that exists; false where it is
/// void.
static bool spot_find_piece(const lf_grid *grid, lf_vec2 p, lf__grid_spot *spot) {
    unsigned parts = lf__grid_parts(grid, spot->i, spot->j);
    spot->triangle = 0;
    if (!parts || grid->surface == LF_SURFACE_POINT || grid->surface == LF_SURFACE_BILINEAR)
        return parts != 0;
    bool falls = lf__grid_falls(grid, spot->i, spot->j);
    spot->triangle = lf__grid_triangle_at(falls, spot->i, spot->j, p);
    if (parts == 2 && lf__grid_diagonal_side(falls, spot->i, spot->j, p) == 0)
        spot->triangle = 1;
    return parts >> spot->triangle & 1;
}

/// Is a place strictly inside of a square that exists, and so in no other?
static inline bool spot_is_inside(const lf_grid *grid, lf_vec2 p, const lf__grid_spot *spot) {
    double left = (double)spot->i + grid->shift, low = (double)spot->j + grid->shift;
    return p.x > left && p.x < left + 1 && p.y > low && p.y < low + 1 && spot->i >= grid->first &&
           spot->i < grid->first + grid->square_columns && spot->j >= grid->first &&
           spot->j < grid->first + grid->square_rows;
}

lf_reason lf__grid_at(const lf_grid *grid, lf_vec2 p, lf__grid_spot *spot) {
    if (!(p.x >= grid->low.x && p.x <= grid->high.x && p.y >= grid->low.y && p.y <= grid->high.y))
        return LF_REASON_OUTSIDE;
    *spot = (lf__grid_spot){.i = (int64_t)(p.x - grid->shift), .j = (int64_t)(p.y - grid->shift)};
    if (spot_is_inside(grid, p, spot)) { // the usual case: one square
        if (!spot_find_piece(grid, p, spot))
            return LF_REASON_HOLE;
        spot_fill(grid, p, spot);
        return LF_REASON_ANSWERED;
    }
    int64_t columns[2], rows[2];
    int column_count = lf__grid_squares_at(p.x, grid->shift, grid->first, grid->square_columns, columns);
    int row_count = lf__grid_squares_at(p.y, grid->shift, grid->first, grid->square_rows, rows);
    bool any = false;
    for (int k = 0; k < row_count * column_count; k++) {
        lf__grid_spot at = {.i = columns[k % column_count], .j = rows[k / column_count]};
        if (!spot_find_piece(grid, p, &at))
            continue;
        if (!any || spot_comes_first(grid, &at, spot))
            *spot = at;
        any = true;
    }
    if (!any)
        return LF_REASON_HOLE;
    spot_fill(grid, p, spot);
    return LF_REASON_ANSWERED;
}

lf_reason lf__grid_at_round(const lf_grid *grid, lf_vec2 *place, lf__grid_spot *spot) {
    lf_reason reason = lf__grid_at(grid, *place, spot);
    if (reason != LF_REASON_HOLE || !grid->round || place->x != 0)
        return reason;
    place->x = (double)grid->round;
    return lf__grid_at(grid, *place, spot);
}

/// The sign of z minus the height of the surface, exact where rounding could matter.
static int spot_side(const lf_grid *grid, lf_vec3 p, const lf__grid_spot *spot, lf_counters *cost) {
    double difference = p.z - spot->height;
    if (grid->surface == LF_SURFACE_POINT || isinf(p.z))
        return (difference > 0) - (difference < 0);
    lf__grid_corners h = lf__grid_corners_of(grid, spot->i, spot->j);
    double size = fabs(h.h00) + fabs(h.h10) + fabs(h.h01) + fabs(h.h11) + fabs(p.z);
    if (fabs(difference) > 16 * 0x1p-53 * size)
        return difference > 0 ? 1 : -1;
    lf__piece piece;
    cost->exact++;
    return lf__piece_of(grid, spot->i, spot->j, spot->triangle, &piece) ? lf__piece_side(&piece, p) : 0;
}

/// The hit below or above a point, with t downwards. Returns the side of the point, 2 without a surface.
static int height_hit(const lf_grid *grid, lf_vec3 point, lf_hit *hit, lf_cursor *cursor) {
    lf_vec2 place = lf__grid_place_round(grid, point.x, point.y);
    lf__grid_spot spot;
    lf_counters cost = {.questions = 1, .cells = 1, .triangles = 1};
    lf_reason reason = lf__grid_at_round(grid, &place, &spot);
    if (reason == LF_REASON_ANSWERED && !(lf__cursor_layers(cursor) & 1u))
        reason = LF_REASON_HOLE;
    if (reason != LF_REASON_ANSWERED) {
        lf__hit_nothing(hit, reason);
        lf__cursor_count(cursor, &cost);
        return 2;
    }
    lf_vec3 p = {place.x, place.y, point.z};
    int side = spot_side(grid, p, &spot, &cost);
    lf__cursor_count(cursor, &cost);
    lf__piece piece;
    lf__piece_name(&piece, spot.i, spot.j, spot.triangle);
    *hit = (lf_hit){.point = {point.x, point.y, side == 0 ? point.z : spot.height}};
    lf__grid_hit(grid, &piece, place, hit);
    double below = point.z - spot.height;
    hit->t = side == 0 || isinf(below) ? 0 : side > 0 ? fmax(below, 0) : fmin(below, 0);
    return side;
}

void lf__grid_query_height(const void *object, const lf_vec3 *point, bool down, lf_hit *hit,
                           lf_cursor *cursor) {
    const lf_grid *grid = object;
    int side = height_hit(grid, *point, hit, cursor);
    if (side == 2)
        return;
    if (side == (down ? -1 : 1))
        lf__hit_nothing(hit, LF_REASON_NONE);
    else
        hit->t = fabs(hit->t);
}

int64_t lf__grid_height_all(const void *object, lf_vec3 point, lf_hit *hits, int64_t capacity,
                            lf_cursor *cursor) {
    const lf_grid *grid = object;
    lf_hit hit;
    if (height_hit(grid, point, &hit, cursor) == 2)
        return 0;
    if (capacity > 0)
        hits[0] = hit;
    return 1;
}
