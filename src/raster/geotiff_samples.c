/// The samples of GeoTIFF files that are read without GDAL: blocks, compression, predictors.
#include "base/base.h"
#include "raster/geotiff.h"
#include <libdeflate.h>
#include <string.h>

static void undo_differences(uint16_t *row, int64_t columns) {
    for (int64_t i = 1; i < columns; i++)
        row[i] = (uint16_t)(row[i] + row[i - 1]);
}

static void swap_bytes(uint16_t *samples, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        samples[i] = (uint16_t)(samples[i] << 8 | samples[i] >> 8);
}

/// Rows are differences of bytes, first the highest byte of all samples.
static void undo_planes(uint8_t *row, int64_t columns, int item, uint8_t *kept) {
    int64_t count = columns * item;
    uint8_t sum = 0;
    for (int64_t i = 0; i < count; i++)
        kept[i] = sum = (uint8_t)(sum + row[i]);
    for (int64_t i = 0; i < columns; i++)
        for (int b = 0; b < item; b++)
            row[i * item + b] = kept[(item - 1 - b) * columns + i];
}

/// Memory of one call.
typedef struct block_memory {
    uint8_t *block; ///< as many bytes as a block has, and a row
    uint8_t *packed;
    size_t packed_bytes;
    struct libdeflate_decompressor *inflater;
} block_memory;

/// Block k, whole.
static bool decode_block(const lf__geotiff *tiff, int64_t k, block_memory *memory) {
    size_t row_bytes = (size_t)(tiff->block_columns * tiff->item),
           expected = (size_t)lf__geotiff_block_bytes(tiff, k);
    int64_t rows = (int64_t)(expected / row_bytes);
    uint64_t count = tiff->counts[k];
    if (!tiff->deflate) {
        bool read = lf__geotiff_bytes(tiff, tiff->offsets[k], memory->block, expected);
        if (read && tiff->swapped)
            swap_bytes((uint16_t *)(void *)memory->block, (int64_t)(expected / 2));
        return read;
    }
    if (memory->packed_bytes < count) {
        lf__free(&tiff->allocator, memory->packed, memory->packed_bytes, 1);
        memory->packed = lf__allocate(&tiff->allocator, (size_t)count, 1);
        memory->packed_bytes = memory->packed ? (size_t)count : 0;
    }
    if (!memory->packed || !lf__geotiff_bytes(tiff, tiff->offsets[k], memory->packed, (size_t)count) ||
        libdeflate_zlib_decompress(memory->inflater, memory->packed, (size_t)count, memory->block, expected,
                                   NULL) != LIBDEFLATE_SUCCESS) // exactly the bytes of the block
        return false;
    for (int64_t j = 0; j < rows && tiff->predictor > 1; j++) {
        uint8_t *row = memory->block + (size_t)j * row_bytes;
        if (tiff->predictor == 2)
            undo_differences((uint16_t *)(void *)row, tiff->block_columns);
        else
            undo_planes(row, tiff->block_columns, tiff->item,
                        memory->block + row_bytes * (size_t)tiff->block_rows);
    }
    return true;
}

/// Copy a row of samples to where they belong.
static void place_row(const uint8_t *from, int64_t count, int item, uint8_t *to, int64_t step) {
    if (step == item) {
        memcpy(to, from, (size_t)(count * item));
        return;
    }
    for (int64_t i = 0; i < count; i++)
        memcpy(to + i * step, from + i * item, (size_t)item);
}

/// Rows as they are in the file need no copy.
static bool is_direct(const lf__geotiff *tiff, const lf__geotiff_target *target) {
    return !tiff->deflate && !tiff->swapped && target->step_x == tiff->item;
}

/// Bytes of a row of a tile, and of the tile, up to which it is cheaper to read the tile at once and to copy its rows from the cache.
#define SHORT_ROW 8192
#define SMALL_BLOCK ((size_t)1 << 20)

/// What of block k is in the window.
static bool read_block_part(const lf__geotiff *tiff, int64_t k, const lf_window *window,
                            const lf__geotiff_target *target, block_memory *memory) {
    int64_t left = k % tiff->across * tiff->block_columns, above = k / tiff->across * tiff->block_rows;
    int64_t x0 = left > window->column ? left : window->column,
            y0 = above > window->row ? above : window->row;
    int64_t x1 = left + tiff->block_columns, y1 = above + tiff->block_rows;
    x1 = x1 < window->column + window->columns ? x1 : window->column + window->columns;
    y1 = y1 < window->row + window->rows ? y1 : window->row + window->rows;
    uint8_t *first = (uint8_t *)target->first + (x0 - window->column) * target->step_x;
    size_t row_bytes = (size_t)(tiff->block_columns * tiff->item);
    if (is_direct(tiff, target) && !(memory->block && y1 - y0 > 1 && (y1 - y0) * 2 >= tiff->block_rows)) {
        for (int64_t y = y0; y < y1; y++) {
            uint64_t within = (uint64_t)(y - above) * row_bytes + (uint64_t)((x0 - left) * tiff->item);
            size_t bytes = (size_t)((x1 - x0) * tiff->item);
            if (!lf__geotiff_bytes(tiff, tiff->offsets[k] + within,
                                   first + (y - window->row) * target->step_y, bytes))
                return false;
        }
        return true;
    }
    if (!decode_block(tiff, k, memory))
        return false;
    for (int64_t y = y0; y < y1; y++)
        place_row(memory->block + (size_t)(y - above) * row_bytes + (x0 - left) * tiff->item, x1 - x0,
                  tiff->item, first + (y - window->row) * target->step_y, target->step_x);
    return true;
}

bool lf__geotiff_read(const lf__geotiff *tiff, const lf_window *window, const lf__geotiff_target *target) {
    size_t bytes = (size_t)(tiff->block_columns * tiff->item) * ((size_t)tiff->block_rows + 1);
    bool direct =
        is_direct(tiff, target) && (tiff->block_columns * tiff->item > SHORT_ROW || bytes > SMALL_BLOCK);
    block_memory memory = {direct ? NULL : lf__allocate(&tiff->allocator, bytes, LF__CACHE_LINE), NULL, 0,
                           tiff->deflate ? libdeflate_alloc_decompressor() : NULL};
    bool fine = direct || (memory.block && (!tiff->deflate || memory.inflater));
    int64_t last_column = (window->column + window->columns - 1) / tiff->block_columns;
    int64_t last_row = (window->row + window->rows - 1) / tiff->block_rows;
    for (int64_t j = window->row / tiff->block_rows; j <= last_row && fine; j++)
        for (int64_t i = window->column / tiff->block_columns; i <= last_column && fine; i++)
            fine = read_block_part(tiff, j * tiff->across + i, window, target, &memory);
    libdeflate_free_decompressor(memory.inflater);
    lf__free(&tiff->allocator, memory.packed, memory.packed_bytes, 1);
    lf__free(&tiff->allocator, memory.block, bytes, LF__CACHE_LINE);
    return fine;
}
