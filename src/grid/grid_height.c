/// Heights of a grid, and the hits of all queries: normals, weights, outlines of pieces.
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
    if (p.x != floor(p.x) || p.y != floor(p.y))
        return false;
    *height = lf__grid_height(grid, (int64_t)p.x, (int64_t)p.y);
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

lf_reason lf__grid_at(const lf_grid *grid, lf_vec2 p, lf__grid_spot *spot) {
    if (!(p.x >= grid->low.x && p.x <= grid->high.x && p.y >= grid->low.y && p.y <= grid->high.y))
        return LF_REASON_OUTSIDE;
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
    lf__piece piece = {.i = spot.i, .j = spot.j, .triangle = spot.triangle};
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

// ---------------------------------------------------------------------------------------------------
// Hits
// ---------------------------------------------------------------------------------------------------

bool lf__grid_lower(const lf_grid *grid, const lf__piece *a, const lf__piece *b) {
    int64_t first = lf__grid_element(grid, a->i, a->j), second = lf__grid_element(grid, b->i, b->j);
    if (first != second)
        return first < second;
    if (a->triangle != b->triangle)
        return a->triangle < b->triangle;
    bool first_real = lf__grid_is_real(grid, a->i, a->j), second_real = lf__grid_is_real(grid, b->i, b->j);
    if (first_real != second_real)
        return first_real;
    return a->j != b->j ? a->j < b->j : a->i < b->i;
}

/// The slope of the surface per column and per row.
static lf_vec2 piece_rise(const lf_grid *grid, const lf__piece *piece, const lf__grid_corners *h,
                          lf_vec2 place) {
    double low_row = h->h10 - h->h00, high_row = h->h11 - h->h01, low_column = h->h01 - h->h00,
           high_column = h->h11 - h->h10;
    if (grid->surface == LF_SURFACE_BILINEAR) {
        double u = place.x - (double)piece->i, v = place.y - (double)piece->j;
        return (lf_vec2){low_row + v * (high_row - low_row), low_column + u * (high_column - low_column)};
    }
    bool first = piece->triangle == 0, falls = lf__grid_falls(grid, piece->i, piece->j);
    return (lf_vec2){first ? low_row : high_row, first == falls ? low_column : high_column};
}

/// The unit normal; that of walls is horizontal.
static lf_vec3 piece_normal(const lf_grid *grid, const lf__piece *piece, const lf__grid_corners *h,
                            lf_vec2 place) {
    if (grid->surface != LF_SURFACE_POINT) {
        lf_vec2 rise = piece_rise(grid, piece, h, place);
        lf_vec3 normal = {-(rise.x * grid->a + rise.y * grid->c), -(rise.x * grid->b + rise.y * grid->d), 1};
        if (!(fabs(normal.x) < 1e100 && fabs(normal.y) < 1e100))
            return lf_vec3_unit(normal);
        double length = sqrt(normal.x * normal.x + normal.y * normal.y + 1); // no scaling is needed
        return (lf_vec3){normal.x / length, normal.y / length, 1 / length};
    }
    switch (piece->triangle) {
    case 1:
        return lf_vec3_unit((lf_vec3){-grid->a, -grid->b, 0});
    case 2:
        return lf_vec3_unit((lf_vec3){grid->a, grid->b, 0});
    case 3:
        return lf_vec3_unit((lf_vec3){-grid->c, -grid->d, 0});
    case 4:
        return lf_vec3_unit((lf_vec3){grid->c, grid->d, 0});
    default:
        return (lf_vec3){0, 0, 1};
    }
}

void lf__grid_hit_on(const lf_grid *grid, const lf__piece *piece, const lf__grid_corners *h, lf_vec2 place,
                     lf_hit *hit) {
    hit->kind = LF_HIT_CELL;
    hit->reason = LF_REASON_ANSWERED;
    hit->normal = piece_normal(grid, piece, h, place);
    hit->part = 0;
    hit->element = lf__grid_element(grid, piece->i, piece->j);
    hit->triangle = piece->triangle;
    hit->level = 0;
    hit->u = hit->v = 0;
    hit->resolution = grid->resolution;
    hit->user = 0;
    hit->layers = 1;
}

void lf__grid_hit(const lf_grid *grid, const lf__piece *piece, lf_vec2 place, lf_hit *hit) {
    lf__grid_corners h = {0};
    if (grid->surface != LF_SURFACE_POINT)
        h = lf__grid_corners_of(grid, piece->i, piece->j);
    lf__grid_hit_on(grid, piece, &h, place, hit);
}

void lf__piece_weights(const lf_grid *grid, const lf__piece *piece, lf_vec3 p, double *u, double *v) {
    double x = lf__grid_share(p.x - (double)piece->i), y = lf__grid_share(p.y - (double)piece->j);
    switch (piece->kind) {
    case LF__PIECE_PATCH:
        *u = x, *v = y;
        return;
    case LF__PIECE_ACROSS_COLUMNS:
    case LF__PIECE_ACROSS_ROWS:
        *u = lf__grid_share(piece->kind == LF__PIECE_ACROSS_ROWS ? p.x - (double)piece->i + 0.5
                                                                 : p.y - (double)piece->j + 0.5);
        *v = lf__grid_share((p.z - piece->h[0]) / (piece->h[1] - piece->h[0]));
        return;
    case LF__PIECE_PLANE:
        break;
    }
    if (grid->surface == LF_SURFACE_POINT) {
        *u = lf__grid_share(p.x - (double)piece->i + 0.5);
        *v = lf__grid_share(p.y - (double)piece->j + 0.5);
    } else if (lf__grid_falls(grid, piece->i, piece->j)) {
        *u = piece->triangle == 0 ? x : lf__grid_share(x + y - 1);
        *v = piece->triangle == 0 ? y : 1 - x;
    } else {
        *u = piece->triangle == 0 ? lf__grid_share(x - y) : x;
        *v = piece->triangle == 0 ? y : lf__grid_share(y - x);
    }
}

/// The distance of a place from the outline of a piece; 0 inside.
static double piece_beyond(const lf__piece *piece, lf_vec3 p) {
    double most = 0;
    for (int k = 0; k < piece->limit_count; k++) {
        const lf__limit *l = &piece->limits[k];
        most = fmax(most, -(l->x * p.x + l->y * p.y + l->z * p.z + l->k));
    }
    return most;
}

bool lf__grid_piece_of_hit(const lf_grid *grid, const lf_hit *hit, lf_vec3 place, lf__piece *piece) {
    int64_t columns = lf__grid_element_columns(grid);
    int64_t i = hit->element % columns, j = hit->element / columns;
    bool any = false;
    double least = 0;
    for (int64_t row = j - 1; row <= j + 1; row++)
        for (int64_t column = i - 1; column <= i + 1; column++) {
            bool same = column == i && row == j;
            if (!same && (!grid->extend || lf__grid_is_real(grid, column, row) ||
                          lf__grid_element(grid, column, row) != hit->element))
                continue;
            lf__piece other;
            if (!lf__piece_of(grid, column, row, hit->triangle, &other))
                continue;
            double off = piece_beyond(&other, place);
            if (any && (off > least || (off == least && lf__grid_lower(grid, piece, &other))))
                continue;
            any = true;
            least = off;
            *piece = other;
        }
    return any;
}

lf_vec2 lf__grid_place_of_hit(const lf_grid *grid, const lf_hit *hit) {
    lf_vec2 at = lf__grid_place(grid, hit->point.x, hit->point.y);
    double middle = (double)(hit->element % lf__grid_element_columns(grid)) + grid->shift + 0.5;
    if (grid->copies > 0)
        at.x -= grid->copies * rint((at.x - middle) / grid->copies);
    return at;
}

bool lf__grid_weights(const void *object, lf_hit *hit) {
    const lf_grid *grid = object;
    if (hit->element < 0 || hit->element / lf__grid_element_columns(grid) >= grid->cell_rows)
        return false;
    lf_vec2 at = lf__grid_place_of_hit(grid, hit);
    lf_vec3 place = {at.x, at.y, hit->point.z};
    lf__piece piece;
    if (!lf__grid_piece_of_hit(grid, hit, place, &piece))
        return false;
    lf__piece_weights(grid, &piece, place, &hit->u, &hit->v);
    return true;
}

/// A corner in world coordinates.
static lf_vec3 outline_point(const lf_grid *grid, double x, double y, double z) {
    lf_vec2 at = lf_placing_at(&grid->geotransform, x, y);
    return (lf_vec3){at.x, at.y, z};
}

static double clamp_between(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}

/// The four corners of a cell, clipped where the surface ends; heights do not change, because the surface is
/// level outside of the border.
static void cell_outline(const lf_grid *grid, const lf__piece *piece, lf_vec3 corners[4]) {
    lf__grid_corners h = lf__grid_corners_of(grid, piece->i, piece->j);
    double x0 = clamp_between((double)piece->i, grid->low.x, grid->high.x);
    double x1 = clamp_between((double)piece->i + 1, grid->low.x, grid->high.x);
    double y0 = clamp_between((double)piece->j, grid->low.y, grid->high.y);
    double y1 = clamp_between((double)piece->j + 1, grid->low.y, grid->high.y);
    corners[0] = outline_point(grid, x0, y0, h.h00);
    corners[1] = outline_point(grid, x1, y0, h.h10);
    corners[2] = outline_point(grid, x1, y1, h.h11);
    corners[3] = outline_point(grid, x0, y1, h.h01);
}

static void wall_outline(const lf_grid *grid, const lf__piece *p, lf_vec3 corners[4]) {
    bool across_columns = p->kind == LF__PIECE_ACROSS_COLUMNS;
    for (int k = 0; k < 4; k++) {
        double side = k == 1 || k == 2 ? 0.5 : -0.5, z = p->h[k / 2];
        corners[k] = across_columns ? outline_point(grid, p->at.x, (double)p->j + side, z)
                                    : outline_point(grid, (double)p->i + side, p->at.y, z);
    }
}

int lf__piece_outline(const lf_grid *grid, const lf__piece *p, lf_vec3 corners[4]) {
    if (p->kind == LF__PIECE_ACROSS_COLUMNS || p->kind == LF__PIECE_ACROSS_ROWS) {
        wall_outline(grid, p, corners);
        return 4;
    }
    if (grid->surface == LF_SURFACE_POINT) {
        double x = (double)p->i, y = (double)p->j;
        for (int k = 0; k < 4; k++)
            corners[k] = outline_point(grid, x + (k == 1 || k == 2 ? 0.5 : -0.5),
                                       y + (k / 2 == 1 ? 0.5 : -0.5), p->h[0]);
        return 4;
    }
    lf_vec3 cell[4];
    cell_outline(grid, p, cell);
    // Cells of the ring are clipped and flat, so their triangles share one outline.
    if (p->kind == LF__PIECE_PATCH || !lf__grid_is_real(grid, p->i, p->j)) {
        for (int k = 0; k < 4; k++)
            corners[k] = cell[k];
        return 4;
    }
    static const int falling[2][3] = {{0, 1, 3}, {1, 2, 3}}, rising[2][3] = {{0, 1, 2}, {0, 2, 3}};
    const int *which = lf__grid_falls(grid, p->i, p->j) ? falling[p->triangle] : rising[p->triangle];
    for (int k = 0; k < 3; k++)
        corners[k] = cell[which[k]];
    return 3;
}
