/// Pixels of a result whose numbers are in files of tiles, read without GDAL.
#include "base/base.h"
#include "raster/geotiff.h"
#include "raster/raster.h"

#define TILES_AT_ONCE 64

/// The pixels of a tile, in those of the result.
static lf_window window_of_tile(const lf__geotiff_result *result, int64_t k) {
    const lf_result_def *def = result->def;
    lf__result_image all = lf__result_image_of(result->raster, def->window),
                     one = lf__result_image_of(result->raster, def->tiles[k].window);
    return (lf_window){one.column - all.column, one.row - all.row, one.width, one.height};
}

static bool open_tile(const lf__geotiff_result *result, int64_t k, lf__geotiff *tiff) {
    lf_window window = window_of_tile(result, k);
    lf__geotiff_shape shape = {window.columns, window.rows, result->item, result->def->band_count};
    return lf__geotiff_open_pixels(result->def->tiles[k].path, &shape, tiff);
}

bool lf__geotiff_tiles_plain(const lf__geotiff_result *result) {
    bool plain = true;
    for (int64_t k = 0; k < result->def->tile_count && plain; k++) {
        lf__geotiff tiff;
        plain = open_tile(result, k, &tiff);
        if (plain)
            lf__geotiff_close(&tiff);
    }
    return plain;
}

/// Tiles of which something is read, and whether that could not be done.
typedef struct tiles_part {
    const lf__geotiff_result *result;
    const lf__geotiff_pixels *pixels;
    int64_t tiles[TILES_AT_ONCE];
    bool wrong[TILES_AT_ONCE];
    int64_t count;
} tiles_part;

static int64_t later(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static int64_t earlier(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/// What two windows have in common; no columns or no rows where that is nothing.
static lf_window common_of(const lf_window *a, const lf_window *b) {
    int64_t x = later(a->column, b->column), y = later(a->row, b->row);
    return (lf_window){x, y, later(earlier(a->column + a->columns, b->column + b->columns) - x, 0),
                       later(earlier(a->row + a->rows, b->row + b->rows) - y, 0)};
}

static void read_some_tiles(void *job, int64_t first, int64_t last, int worker) {
    tiles_part *part = job;
    const lf__geotiff_pixels *pixels = part->pixels;
    int64_t bytes = (int64_t)part->result->item * part->result->def->band_count;
    (void)worker;
    for (int64_t k = first; k < last; k++) {
        lf_window tile = window_of_tile(part->result, part->tiles[k]),
                  both = common_of(&tile, &pixels->window);
        lf__geotiff_target target = {pixels->first + (both.row - pixels->window.row) * pixels->step +
                                         (both.column - pixels->window.column) * bytes,
                                     bytes, pixels->step};
        lf__geotiff tiff;
        both.column -= tile.column;
        both.row -= tile.row;
        bool open = open_tile(part->result, part->tiles[k], &tiff);
        part->wrong[k] = !open || !lf__geotiff_read(&tiff, &both, &target);
        if (open)
            lf__geotiff_close(&tiff);
    }
}

static lf_status run_tiles_part(tiles_part *part, lf_error *error) {
    const lf_result_def *def = part->result->def;
    lf__run(def->host.tasks, part->count, 1, read_some_tiles, part);
    for (int64_t k = 0; k < part->count; k++)
        if (part->wrong[k])
            return lf__fail(error, LF_IO_FAILED, -1, "%s: could not be read",
                            def->tiles[part->tiles[k]].path);
    part->count = 0;
    return LF_OK;
}

lf_status lf__geotiff_tiles_read(const lf__geotiff_result *result, const lf__geotiff_pixels *pixels,
                                 lf_error *error) {
    tiles_part part = {.result = result, .pixels = pixels};
    lf_status status = LF_OK;
    for (int64_t k = 0; k < result->def->tile_count && status == LF_OK; k++) {
        lf_window tile = window_of_tile(result, k), both = common_of(&tile, &pixels->window);
        if (both.columns == 0 || both.rows == 0)
            continue;
        part.tiles[part.count++] = k;
        if (part.count == TILES_AT_ONCE)
            status = run_tiles_part(&part, error);
    }
    return status == LF_OK ? run_tiles_part(&part, error) : status;
}
