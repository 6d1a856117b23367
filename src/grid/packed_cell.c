/// Single cells of a compressed grid: one or two rows of a tile, or of its neighbours, are decoded for them and forgotten.
#include "grid/packed_spot.h"

/// Where a cell's two rows are taken from.
typedef struct source {
    const lf_grid *grid;
    int64_t i[2], j[2]; ///< of its posts, within the grid
    uint64_t samples;
} source;

/// The posts in rows j[row] and on, `count` of them, as steps, for both columns.
static void read_rows(source *s, int row, int count, int32_t steps[2][2]) {
    const lf__packed *packed = s->grid->packed;
    int shift = packed->log2_side;
    int64_t mask = ((int64_t)1 << shift) - 1, before = -1;
    int32_t rows[2 * LF__WAVE_SIDE];
    for (int k = 0; k < 2; k++) {
        int64_t tile = (s->j[row] >> shift) * packed->tile_columns + (s->i[k] >> shift);
        if (tile != before) {
            size_t size;
            const uint8_t *bytes = lf__packed_fetch(packed, tile, s->j[row] & mask, &size);
            packed->two(packed->kind, bytes, size, (int)(s->j[row] & mask), count, rows);
            s->samples += (uint64_t)((s->j[row] & mask) + count) << shift;
            before = tile;
        }
        for (int r = 0; r < count; r++)
            steps[row + r][k] = rows[((int64_t)r << shift) + (s->i[k] & mask)];
    }
}

static double height_of(const lf_grid *grid, const source *s, int32_t steps[2][2], int row, int column) {
    if (lf__grid_hole(grid, s->i[column], s->j[row]))
        return LF_NAN;
    double step = (double)steps[row][column];
    return grid->plain ? step : step * grid->scale + grid->offset;
}

lf__grid_corners lf__packed_cell(const lf_grid *grid, int64_t i, int64_t j, uint64_t *samples) {
    source s = {.grid = grid};
    int32_t steps[2][2];
    for (int k = 0; k < 2; k++) {
        s.i[k] = lf__grid_ring_column(grid, i + k);
        s.j[k] = lf__grid_ring_row(grid, j + k);
    }
    bool together =
        s.j[1] == s.j[0] + 1 && s.j[0] >> grid->packed->log2_side == s.j[1] >> grid->packed->log2_side;
    read_rows(&s, 0, together ? 2 : 1, steps);
    if (!together)
        read_rows(&s, 1, 1, steps);
    *samples += s.samples;
    return (lf__grid_corners){height_of(grid, &s, steps, 0, 0), height_of(grid, &s, steps, 0, 1),
                              height_of(grid, &s, steps, 1, 0), height_of(grid, &s, steps, 1, 1)};
}

bool lf__packed_ask_inside(const lf_grid *grid, const lf_vec3 *point, bool down, lf_hit *hit) {
    lf__packed_spot s = lf__packed_spot_of(grid, point);
    uint64_t samples = 0;
    double height;
    if (!s.sure)
        return false;
    lf__piece piece = {.i = s.i, .j = s.j, .triangle = lf__packed_spot_triangle(grid, &s)};
    lf__grid_corners h = lf__packed_cell(grid, s.i, s.j, &samples);
    if (!lf__packed_spot_height(grid, &s, &h, piece.triangle, &height))
        return false;
    double above = point->z - height;
    if ((above > 0) != down) {
        lf__hit_nothing(hit, LF_REASON_NONE);
        return true;
    }
    *hit = (lf_hit){.point = {point->x, point->y, height}, .t = isinf(above) ? 0 : fabs(above)};
    lf__grid_hit_on(grid, &piece, &h, s.place, hit);
    return true;
}
