/// A place in a compressed grid that is plainly inside of a cell with a surface: what most questions are about, and what needs no more care
/// than the cell's four corners.
#ifndef LF_GRID_PACKED_SPOT_H
#define LF_GRID_PACKED_SPOT_H

#include "grid/packed.h"
#include "grid/grid_question.h"

typedef struct lf__packed_spot {
    const lf_vec3 *point;
    lf_vec2 place;
    int64_t i, j, tile;
    bool
        sure; ///< strictly inside of a square without a gap; else nothing of the others but the place is known
} lf__packed_spot;

static inline lf__packed_spot lf__packed_spot_of(const lf_grid *grid, const lf_vec3 *point) {
    const lf__packed *packed = grid->packed;
    lf__packed_spot s = {.point = point, .place = lf__grid_place_round(grid, point->x, point->y)};
    double x = s.place.x, y = s.place.y;
    s.sure = x >= 0 && y >= 0 && x < (double)grid->cell_columns && y < (double)grid->cell_rows &&
             grid->surface != LF_SURFACE_POINT;
    if (!s.sure)
        return s;
    s.i = (int64_t)x;
    s.j = (int64_t)y;
    s.sure = x > (double)s.i && y > (double)s.j && !lf__grid_gap(grid, s.i, s.j);
    s.tile = (s.j >> packed->log2_side) * packed->tile_columns + (s.i >> packed->log2_side);
    return s;
}

/// The triangle under a sure spot; 0 for patches.
static inline int lf__packed_spot_triangle(const lf_grid *grid, const lf__packed_spot *s) {
    return grid->surface == LF_SURFACE_BILINEAR
               ? 0
               : lf__grid_triangle_at(lf__grid_falls(grid, s->i, s->j), s->i, s->j, s->place);
}

/// The surface's height at a sure spot, as lf__grid_at has it; false where rounding could decide on which side the point is.
static inline bool lf__packed_spot_height(const lf_grid *grid, const lf__packed_spot *s,
                                          const lf__grid_corners *h, int triangle, double *height) {
    double u = s->place.x - (double)s->i, v = s->place.y - (double)s->j, z = s->point->z;
    *height = grid->surface == LF_SURFACE_BILINEAR
                  ? lf__patch_height(h, u, v)
                  : lf__triangle_height(h, lf__grid_falls(grid, s->i, s->j), triangle, u, v);
    double size = fabs(h->h00) + fabs(h->h10) + fabs(h->h01) + fabs(h->h11) + fabs(z);
    return isinf(z) || fabs(z - *height) > 16 * 0x1p-53 * size;
}

/// Steps of corners as heights.
static inline lf__grid_corners lf__packed_heights_of(const lf_grid *grid, const lf__grid_corners *steps) {
    double scale = grid->scale, offset = grid->offset;
    return grid->plain ? *steps
                       : (lf__grid_corners){steps->h00 * scale + offset, steps->h10 * scale + offset,
                                            steps->h01 * scale + offset, steps->h11 * scale + offset};
}

/// Ask for a tile's bytes in advance, as far as rows up to `row` are likely to reach.
static inline const uint8_t *lf__packed_fetch(const lf__packed *packed, int64_t tile, int64_t row,
                                              size_t *size) {
    enum { ON_THE_WAY = 256 }; // bytes of most tiles
    const uint8_t *bytes = lf__packed_find(packed, tile, size);
    size_t reach = (size_t)((row + 2) * ON_THE_WAY) >> packed->log2_side;
    for (size_t at = 0; at < reach && at < *size; at += LF__CACHE_LINE)
        __builtin_prefetch(bytes + at);
    return bytes;
}

#endif
