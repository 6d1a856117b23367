/// Hits of all queries of a grid: order, normals, weights, outlines of pieces.
#include "grid/grid_query.h"

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
    hit->inner = 0;
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
        const lf__piece_limit *l = &piece->limits[k];
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
    lf_vec2 at = lf_geotransform_at(&grid->geotransform, x, y);
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
