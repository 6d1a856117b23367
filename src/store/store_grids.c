/// Grids in .lf files, and the geometry of the raster that a grid came from.
#include "grid/guard.h"
#include "grid/packed.h"
#include "store/sections.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Raw samples, row by row, as a grid of its own has them in memory.
static lf_status give_samples(const void *thing, const lf__store_sink *sink, const lf_host *host) {
    const lf_grid *grid = thing;
    static const char spare[64];
    size_t bytes;
    int64_t rows = lf__grid_store_rows(grid, &bytes);
    lf_allocator allocator = lf__allocator_of(host);
    void *row = lf__allocate(&allocator, bytes, LF__CACHE_LINE);
    lf_status status = row ? LF_OK : LF_NO_MEMORY;
    for (int64_t j = 0; j < rows && status == LF_OK; j++) {
        lf__grid_store_row(grid, j, row);
        if (j % 64 == 0 && !lf__report(host, "file", j, rows))
            status = LF_CANCELLED;
        else if (!sink->take(sink->user, row, bytes))
            status = LF_IO_FAILED;
    }
    if (status == LF_OK && !sink->take(sink->user, spare, sizeof spare))
        status = LF_IO_FAILED;
    lf__free(&allocator, row, bytes, LF__CACHE_LINE);
    return status;
}

static void add_bytes(lf__writer *writer, const char *name, bool must, lf__bytes bytes) {
    if (bytes.size > 0)
        lf__writer_add(writer, name, must, bytes.data, bytes.size);
}

static void add_planes(lf__writer *writer, const lf__grid_stored *s) {
    char *bytes = lf__writer_take(writer, sizeof(lf__planes_record) + s->planes.size);
    if (!bytes)
        return;
    memcpy(bytes, &(lf__planes_record){.steepest = s->steepest}, sizeof(lf__planes_record));
    if (s->planes.size > 0)
        memcpy(bytes + sizeof(lf__planes_record), s->planes.data, s->planes.size);
    lf__writer_add(writer, "planes", false, bytes, sizeof(lf__planes_record) + s->planes.size);
}

static void find_planes(const lf__reader *reader, uint32_t part, lf__grid_stored *s) {
    lf__bytes found = lf__reader_find(reader, part, "planes");
    lf__planes_record record;
    if (found.size < sizeof record)
        return;
    memcpy(&record, found.data, sizeof record);
    s->steepest = record.steepest;
    if (found.size > sizeof record)
        s->planes = (lf__bytes){(const char *)found.data + sizeof record, found.size - sizeof record};
}

static int64_t store_grid_start_of(const lf__packed *packed, int64_t tile) {
    size_t left;
    lf__packed_find(packed, tile, &left);
    return packed->byte_count - (int64_t)left;
}

static int store_grid_by_value(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/// Edits append new tiles after all others; in a file tiles are in the order of their numbers. Does nothing
/// where they already are.
static void order_tiles(lf__writer *writer, lf__packed *packed) {
    int64_t tiles = lf__packed_tiles(packed), last = -1, done = 0;
    bool ordered = true;
    for (int64_t k = 0; k < tiles && ordered; k++) {
        int64_t start = store_grid_start_of(packed, k);
        ordered = start > last;
        last = start;
    }
    if (ordered)
        return;
    int64_t *starts = lf__writer_take(writer, (size_t)(tiles + 1) * sizeof *starts);
    uint8_t *bytes = lf__writer_take(writer, (size_t)packed->byte_count + LF__INDEX_SPARE);
    uint8_t *index = lf__writer_take(writer, (size_t)(tiles * LF__INDEX_ENTRY + LF__INDEX_SPARE));
    if (!starts || !bytes || !index)
        return;
    for (int64_t k = 0; k < tiles; k++)
        starts[k] = store_grid_start_of(packed, k);
    starts[tiles] = packed->byte_count;
    qsort(starts, (size_t)tiles + 1, sizeof *starts, store_grid_by_value);
    for (int64_t k = 0; k < tiles; k++) {
        int64_t start = store_grid_start_of(packed, k);
        const int64_t *here = bsearch(&start, starts, (size_t)tiles + 1, sizeof *starts, store_grid_by_value);
        size_t length = (size_t)(here[1] - start);
        memcpy(bytes + done, packed->bytes + start, length);
        lf__index_write(index, k, done);
        done += (int64_t)length;
    }
    packed->bytes = bytes;
    packed->byte_count = done;
    packed->index = index;
}

/// Checksums of blocks, which readers compare. The grid is in the form in which it will be read.
static void store_grid_add_sums(lf__writer *writer, const lf_grid *grid) {
    size_t size = lf__guard_bytes(grid->columns, grid->rows), row_bytes;
    uint64_t *sums = lf__writer_take(writer, size);
    lf__grid_store_rows(grid, &row_bytes);
    void *row = lf__allocate(&writer->allocator, row_bytes, LF__CACHE_LINE);
    if (!row && writer->status == LF_OK)
        writer->status = LF_NO_MEMORY;
    if (row && sums && !lf__guard_sum(grid, row, sums, writer->host))
        writer->status = LF_CANCELLED;
    lf__free(&writer->allocator, row, row_bytes, LF__CACHE_LINE);
    if (writer->status == LF_OK)
        lf__writer_add(writer, "sums", false, sums, size);
}

lf_status lf__store_add_grid(lf__writer *writer, const lf_grid *given, lf_error *error) {
    lf__grid_stored s;
    lf__grid_record *r = lf__writer_take(writer, sizeof *r);
    if (!r)
        return writer->status;
    lf__grid_touch_all(given);
    if (lf__grid_status(given, LF_OK) != LF_OK)
        return lf__fail(error, LF_BAD_FORMAT, -1, "the grid comes from a file that is damaged");
    lf_grid as_read = *given, *grid = &as_read;
    lf__packed packed;
    if (given->packed) {
        packed = *given->packed;
        grid->packed = &packed;
        order_tiles(writer, &packed);
    }
    lf__grid_store(grid, &s);
    grid->steepest = s.steepest;
    if (s.steepest < 0)
        grid->planes = NULL;
    *r = (lf__grid_record){.columns = s.columns,
                           .rows = s.rows,
                           .surface = (uint32_t)s.surface,
                           .extend = s.extend,
                           .leaf = (uint32_t)s.leaf,
                           .codec = (uint32_t)s.codec,
                           .type = (uint32_t)s.type,
                           .repeated = s.repeated,
                           .scale = s.scale,
                           .offset = s.offset,
                           .origin = {s.geotransform.origin.x, s.geotransform.origin.y},
                           .per_column = {s.geotransform.per_column.x, s.geotransform.per_column.y},
                           .per_row = {s.geotransform.per_row.x, s.geotransform.per_row.y},
                           .hole_count = s.hole_count,
                           .lowest = s.lowest,
                           .highest = s.highest,
                           .base = s.base,
                           .quantum = s.quantum,
                           .max_error = s.max_error,
                           .largest_error = s.largest_error,
                           .mean_square_error = s.mean_square_error,
                           .turn = s.turn};
    lf__writer_add(writer, "grid", true, r, sizeof *r);
    if (s.codec == LF_CODEC_RAW)
        lf__writer_add_given(writer, "samples", s.samples.size, give_samples, given);
    add_bytes(writer, "tiles", true, s.tiles);
    add_bytes(writer, "index", true, s.index);
    add_bytes(writer, "bounds", true, s.bounds);
    add_bytes(writer, "holes", true, s.holes);
    add_bytes(writer, "gaps", true, s.gaps);
    if (s.steepest >= 0)
        add_planes(writer, &s);
    store_grid_add_sums(writer, grid);
    return writer->status;
}

/// In files of an earlier version the bounds of a cell with a void are empty: rays would miss its triangles.
static bool bounds_leave_out(const lf__reader *reader, const lf__grid_stored *s) {
    return reader->header->minor < LF__STORE_MINOR_TRIANGLES && s->gaps.size > 0 &&
           (s->surface == LF_SURFACE_FALLING || s->surface == LF_SURFACE_RISING ||
            s->surface == LF_SURFACE_ALTERNATING);
}

lf_status lf__store_read_grid(const lf__reader *reader, uint32_t part, lf_grid **grid, lf_error *error) {
    lf__grid_record r;
    lf_status status = lf__reader_record(reader, part, "grid", &r, sizeof r, error);
    if (status != LF_OK)
        return status;
    lf__grid_stored s = {.columns = r.columns,
                         .rows = r.rows,
                         .surface = (lf_surface)(r.surface & 0xff),
                         .extend = r.extend != 0,
                         .leaf = (int)(r.leaf & 0xff),
                         .codec = (lf_codec)(r.codec & 0xff),
                         .type = (lf_sample_type)(r.type & 0xff),
                         .scale = r.scale,
                         .offset = r.offset,
                         .geotransform = {{r.origin[0], r.origin[1]},
                                          {r.per_column[0], r.per_column[1]},
                                          {r.per_row[0], r.per_row[1]}},
                         .turn = r.turn,
                         .repeated = r.repeated != 0,
                         .hole_count = r.hole_count,
                         .lowest = r.lowest,
                         .highest = r.highest,
                         .base = r.base,
                         .quantum = r.quantum,
                         .steepest = -1,
                         .max_error = r.max_error,
                         .largest_error = r.largest_error,
                         .mean_square_error = r.mean_square_error};
    s.samples = lf__reader_find(reader, part, "samples");
    s.tiles = lf__reader_find(reader, part, "tiles");
    s.index = lf__reader_find(reader, part, "index");
    s.bounds = lf__reader_find(reader, part, "bounds");
    s.holes = lf__reader_find(reader, part, "holes");
    s.gaps = lf__reader_find(reader, part, "gaps");
    s.paged = reader->paged;
    if (!reader->checked)
        s.sums = lf__reader_find(reader, part, "sums");
    find_planes(reader, part, &s);
    if (bounds_leave_out(reader, &s))
        return lf__fail(error, LF_UNSUPPORTED, 10,
                        "format %d.%d, a grid with voids: its bounds leave out the triangles beside them, "
                        "expected format 1.1: build the file again from its source",
                        reader->header->major, reader->header->minor);
    return lf__grid_from_stored(&s, reader->host, grid, error);
}

// ---------------------------------------------------------------------------------------------------
// Pixels: an optional section
// ---------------------------------------------------------------------------------------------------

/// Do the pixels have an area, and are they exactly the samples of the grid?
static bool store_grid_fits(const lf_pixels *p, const lf_grid_info *grid) {
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
    if (!store_grid_fits(pixels, &info))
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
    r->georeferenced = pixels->georeferenced;
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
                       .georeferenced = true};
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
                          .georeferenced = r.georeferenced != 0,
                          .nodata_given = r.nodata_given != 0,
                          .nodata = r.nodata};
    for (int i = 0; i < 6; i++)
        pixels->geotransform[i] = r.geotransform[i];
    if (!store_grid_fits(pixels, &info))
        return lf__fail(error, LF_BAD_FORMAT, -1, "its pixels are not those of its grid");
    return LF_OK;
}
