/// Where the samples of a grid lay in the raster that it came from: a section that may be skipped.
#include "store/sections.h"
#include <math.h>

/// Do the pixels have an area, and do they make just the samples that the grid has?
static bool fits(const lf_pixels *p, const lf_grid_info *grid) {
    const double *g = p->geotransform;
    const lf_window *w = &p->window;
    for (int i = 0; i < 6; i++)
        if (!isfinite(g[i]))
            return false;
    return g[1] * g[5] != g[2] * g[4] && w->column >= 0 && w->row >= 0 && p->columns > 0 && p->rows > 0 &&
           w->column <= p->columns - w->columns && w->row <= p->rows - w->rows &&
           (p->transposed ? w->rows : w->columns) == grid->columns &&
           (p->transposed ? w->columns : w->rows) == grid->rows;
}

lf_status lf__store_add_pixels(lf__writer *writer, const lf_grid *grid, const lf_pixels *pixels,
                               lf_error *error) {
    lf_grid_info info = lf_grid_describe(grid);
    if (!fits(pixels, &info))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "the pixels are not those of the grid");
    lf__pixels_record *r = lf__writer_take(writer, sizeof *r);
    if (!r)
        return LF_NO_MEMORY;
    for (int i = 0; i < 6; i++)
        r->geotransform[i] = pixels->geotransform[i];
    r->window[0] = pixels->window.column;
    r->window[1] = pixels->window.row;
    r->window[2] = pixels->window.columns;
    r->window[3] = pixels->window.rows;
    r->columns = pixels->columns;
    r->rows = pixels->rows;
    r->transposed = pixels->transposed;
    r->flip_columns = pixels->flip_columns;
    r->flip_rows = pixels->flip_rows;
    r->placed = pixels->placed;
    r->nodata_given = pixels->nodata_given;
    r->nodata = pixels->nodata_given ? pixels->nodata : 0;
    lf__writer_add(writer, "pixels", false, r, sizeof *r);
    return writer->status;
}

/// North up: the first pixel is the sample of the last row.
static lf_pixels north_up(const lf_grid_info *grid) {
    const lf_geotransform *p = &grid->geotransform;
    double last = (double)(grid->rows - 1);
    lf_vec2 along = p->per_column, down = {-p->per_row.x + 0.0, -p->per_row.y + 0.0};
    lf_vec2 first = {p->origin.x + last * p->per_row.x, p->origin.y + last * p->per_row.y};
    return (lf_pixels){.geotransform = {first.x - 0.5 * along.x - 0.5 * down.x, along.x, down.x,
                                        first.y - 0.5 * along.y - 0.5 * down.y, along.y, down.y},
                       .window = {0, 0, grid->columns, grid->rows},
                       .columns = grid->columns,
                       .rows = grid->rows,
                       .flip_rows = true,
                       .placed = true};
}

lf_status lf__store_read_pixels(const lf__reader *reader, const lf_grid *grid, lf_pixels *pixels, bool *known,
                                lf_error *error) {
    lf__pixels_record r;
    lf_grid_info info = lf_grid_describe(grid);
    *pixels = north_up(&info);
    *known = lf__reader_find(reader, 0, "pixels").size > 0;
    if (!*known)
        return LF_OK;
    lf_status status = lf__reader_small(reader, "pixels", &r, sizeof r, error);
    if (status != LF_OK)
        return status;
    *pixels = (lf_pixels){.window = {r.window[0], r.window[1], r.window[2], r.window[3]},
                          .columns = r.columns,
                          .rows = r.rows,
                          .transposed = r.transposed != 0,
                          .flip_columns = r.flip_columns != 0,
                          .flip_rows = r.flip_rows != 0,
                          .placed = r.placed != 0,
                          .nodata_given = r.nodata_given != 0,
                          .nodata = r.nodata};
    for (int i = 0; i < 6; i++)
        pixels->geotransform[i] = r.geotransform[i];
    if (!fits(pixels, &info))
        return lf__fail(error, LF_BAD_FORMAT, -1, "its pixels are not those of its grid");
    return LF_OK;
}
