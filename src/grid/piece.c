/// What a square's surface is made of.
#include "grid/piece.h"

static void add_limit(lf__piece *piece, double x, double y, double z, double k) {
    piece->limits[piece->limit_count++] = (lf__limit){x, y, z, k};
}

/// Pieces of the ring end half a square beyond the border.
static void end_at_border(const lf_grid *grid, lf__piece *piece) {
    if (piece->i < 0)
        add_limit(piece, 1, 0, 0, -grid->low.x);
    else if (piece->i >= grid->cell_columns)
        add_limit(piece, -1, 0, 0, grid->high.x);
    if (piece->j < 0)
        add_limit(piece, 0, 1, 0, -grid->low.y);
    else if (piece->j >= grid->cell_rows)
        add_limit(piece, 0, -1, 0, grid->high.y);
}

static void falling_triangle(lf__piece *p, const lf__grid_corners *h, double i, double j) {
    if (p->triangle == 0) {
        p->at = (lf_vec2){i, j};
        p->h[0] = h->h00, p->h[1] = h->h00, p->h[2] = h->h10, p->h[3] = h->h00, p->h[4] = h->h01;
        add_limit(p, 1, 0, 0, -i);
        add_limit(p, 0, 1, 0, -j);
        add_limit(p, -1, -1, 0, i + j + 1);
    } else {
        p->at = (lf_vec2){i + 1, j + 1};
        p->h[0] = h->h11, p->h[1] = h->h01, p->h[2] = h->h11, p->h[3] = h->h10, p->h[4] = h->h11;
        add_limit(p, -1, 0, 0, i + 1);
        add_limit(p, 0, -1, 0, j + 1);
        add_limit(p, 1, 1, 0, -(i + j + 1));
    }
}

static void rising_triangle(lf__piece *p, const lf__grid_corners *h, double i, double j) {
    if (p->triangle == 0) {
        p->at = (lf_vec2){i + 1, j};
        p->h[0] = h->h10, p->h[1] = h->h00, p->h[2] = h->h10, p->h[3] = h->h10, p->h[4] = h->h11;
        add_limit(p, -1, 0, 0, i + 1);
        add_limit(p, 0, 1, 0, -j);
        add_limit(p, 1, -1, 0, j - i);
    } else {
        p->at = (lf_vec2){i, j + 1};
        p->h[0] = h->h01, p->h[1] = h->h01, p->h[2] = h->h11, p->h[3] = h->h00, p->h[4] = h->h01;
        add_limit(p, 1, 0, 0, -i);
        add_limit(p, 0, -1, 0, j + 1);
        add_limit(p, -1, 1, 0, i - j);
    }
}

static lf__piece triangle_of(const lf_grid *grid, int64_t i, int64_t j, int triangle,
                             const lf__grid_corners *h) {
    lf__piece p = {.kind = LF__PIECE_PLANE, .triangle = triangle, .i = i, .j = j};
    if (lf__grid_falls(grid, i, j))
        falling_triangle(&p, h, (double)i, (double)j);
    else
        rising_triangle(&p, h, (double)i, (double)j);
    end_at_border(grid, &p);
    return p;
}

static lf__piece patch_of(const lf_grid *grid, int64_t i, int64_t j, const lf__grid_corners *h) {
    double x = (double)i, y = (double)j;
    lf__piece p = {.kind = LF__PIECE_PATCH, .i = i, .j = j, .at = {x, y}};
    p.h[0] = h->h00, p.h[1] = h->h10, p.h[2] = h->h01, p.h[3] = h->h11;
    // In the ring only the half next to the grid is there: one limit instead of another.
    add_limit(&p, 1, 0, 0, i < 0 ? -grid->low.x : -x);
    add_limit(&p, -1, 0, 0, i >= grid->cell_columns ? grid->high.x : x + 1);
    add_limit(&p, 0, 1, 0, j < 0 ? -grid->low.y : -y);
    add_limit(&p, 0, -1, 0, j >= grid->cell_rows ? grid->high.y : y + 1);
    return p;
}

static lf__piece level_square(int64_t i, int64_t j, double height) {
    double x = (double)i, y = (double)j;
    lf__piece p = {.kind = LF__PIECE_PLANE, .i = i, .j = j, .at = {x, y}};
    for (int k = 0; k < 5; k++)
        p.h[k] = height;
    add_limit(&p, 1, 0, 0, 0.5 - x);
    add_limit(&p, -1, 0, 0, x + 0.5);
    add_limit(&p, 0, 1, 0, 0.5 - y);
    add_limit(&p, 0, -1, 0, y + 0.5);
    return p;
}

/// The wall between a post and one of its neighbours, if it is this post's: 1 low column, 2 high column, 3 low row, 4 high row.
static bool wall_of(const lf_grid *grid, int64_t i, int64_t j, int number, lf__piece *wall) {
    int64_t ni = i + (number == 2) - (number == 1), nj = j + (number == 4) - (number == 3);
    if (ni < 0 || nj < 0 || ni >= grid->columns || nj >= grid->rows || lf__grid_hole(grid, ni, nj))
        return false;
    double low = lf__grid_height(grid, ni, nj), high = lf__grid_height(grid, i, j);
    if (!(low < high))
        return false;
    double x = (double)i, y = (double)j;
    *wall = (lf__piece){.triangle = number, .i = i, .j = j, .h = {low, high}};
    if (ni != i) {
        wall->kind = LF__PIECE_ACROSS_COLUMNS;
        wall->at = (lf_vec2){0.5 * ((double)ni + x), y};
        add_limit(wall, 0, 1, 0, 0.5 - y);
        add_limit(wall, 0, -1, 0, y + 0.5);
    } else {
        wall->kind = LF__PIECE_ACROSS_ROWS;
        wall->at = (lf_vec2){x, 0.5 * ((double)nj + y)};
        add_limit(wall, 1, 0, 0, 0.5 - x);
        add_limit(wall, -1, 0, 0, x + 0.5);
    }
    add_limit(wall, 0, 0, 1, -low);
    add_limit(wall, 0, 0, -1, high);
    return true;
}

int lf__pieces_of(const lf_grid *grid, int64_t i, int64_t j, lf__piece pieces[LF__PIECES]) {
    unsigned parts = lf__grid_parts(grid, i, j);
    if (!parts)
        return 0;
    if (grid->surface == LF_SURFACE_POINT) {
        int count = 1;
        pieces[0] = level_square(i, j, lf__grid_height(grid, i, j));
        for (int number = 1; number <= 4; number++)
            count += wall_of(grid, i, j, number, &pieces[count]);
        return count;
    }
    lf__grid_corners h = lf__grid_corners_of(grid, i, j);
    if (grid->surface == LF_SURFACE_BILINEAR) {
        pieces[0] = patch_of(grid, i, j, &h);
        return 1;
    }
    int count = 0;
    for (int triangle = 0; triangle < 2; triangle++)
        if (parts >> triangle & 1)
            pieces[count++] = triangle_of(grid, i, j, triangle, &h);
    return count;
}

bool lf__piece_of(const lf_grid *grid, int64_t i, int64_t j, int triangle, lf__piece *piece) {
    lf__piece pieces[LF__PIECES];
    int count = lf__pieces_of(grid, i, j, pieces);
    for (int k = 0; k < count; k++)
        if (pieces[k].triangle == triangle) {
            *piece = pieces[k];
            return true;
        }
    return false;
}
