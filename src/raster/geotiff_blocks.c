/// Blocks of GeoTIFF files that are written without GDAL: packed on all threads, and halved copies of them.
///
/// A block of a halved copy is made of four blocks of the level before. So blocks are written in groups of 2^depth x 2^depth: a group has all that
/// its halved copies need, and of each level above groups only one block is in memory, which is complete when its four quadrants have been
/// visited.
#include "base/base.h"
#include "raster/geotiff.h"
#include <libdeflate.h>
#include <math.h>
#include <string.h>

#define SIDE LF__GEOTIFF_BLOCK
#define GROUP_BYTES ((int64_t)1 << 24) // of its pixels, at most
#define GROUP_DEPTH 3

/// Pixels of a level.
typedef struct block_pixels {
    uint8_t *first;
    int64_t step;          ///< bytes from row to row
    int64_t width, height; ///< of those that are on the image
} block_pixels;

/// Memory of a worker.
typedef struct block_worker {
    uint8_t *block; ///< pixels one after the other, and a word
    struct libdeflate_compressor *compressor;
} block_worker;

typedef struct block_group {
    lf__geotiff_blocks *blocks;
    lf_allocator allocator;
    int64_t pixel_bytes, block_bytes;
    int depth;             ///< a group has 2^depth blocks along a side
    int level;             ///< that is packed now
    int64_t column, row;   ///< the first block of that level
    int64_t columns, rows; ///< number of these
    int64_t wide, high;    ///< blocks of the largest group
    block_pixels pixels[GROUP_DEPTH + 1];
    uint8_t *above[LF__GEOTIFF_LEVELS]; ///< the block of each level above groups
    uint8_t *packed;                    ///< blocks, `bound` bytes apart
    size_t bound;
    uint64_t *sizes; ///< of these
    block_worker *workers;
    int worker_count;
    int64_t done, count; ///< groups
} block_group;

// ---------------------------------------------------------------------------------------------------
// PackBits
// ---------------------------------------------------------------------------------------------------

#define WORD ((int)sizeof(uint64_t))

/// Bytes of a row from `i` on that equal its byte `i`, at most 128; a word follows the row.
static int64_t run_length(const uint8_t *row, int64_t i, int64_t length) {
    int64_t most = length - i < 128 ? length - i : 128;
    uint64_t same = row[i] * 0x0101010101010101u, word;
    for (int64_t run = 0; run < most; run += WORD) {
        memcpy(&word, row + i + run, sizeof word);
        if (word == same)
            continue;
        run += __builtin_ctzll(word ^ same) / 8; // little-endian
        return run < most ? run : most;
    }
    return most;
}

/// Pack a row: runs of one byte, and bytes as they are; returns the bytes written.
static size_t pack_row(const uint8_t *row, int64_t length, uint8_t *packed) {
    size_t used = 0;
    for (int64_t i = 0; i < length;) {
        int64_t run = run_length(row, i, length);
        if (run > 2) {
            packed[used++] = (uint8_t)(257 - run);
            packed[used++] = row[i];
            i += run;
            continue;
        }
        size_t head = used++;
        int count = 0;
        while (count < 128 && i < length &&
               !(i + 2 < length && row[i] == row[i + 1] && row[i] == row[i + 2])) {
            packed[used++] = row[i++];
            count++;
        }
        packed[head] = (uint8_t)(count - 1);
    }
    return used;
}

// ---------------------------------------------------------------------------------------------------
// One block
// ---------------------------------------------------------------------------------------------------

/// Put pixels one after the other, with zeros where they are not on the image.
static void collect_block(const block_pixels *from, int64_t pixel_bytes, uint8_t *block) {
    int64_t width = from->width < SIDE ? from->width : SIDE,
            height = from->height < SIDE ? from->height : SIDE;
    if (width < SIDE || height < SIDE)
        memset(block, 0, (size_t)(SIDE * SIDE * pixel_bytes));
    for (int64_t y = 0; y < height; y++)
        memcpy(block + y * SIDE * pixel_bytes, from->first + y * from->step, (size_t)(width * pixel_bytes));
}

static size_t pack_block(const block_group *group, const block_pixels *from, const block_worker *worker,
                         uint8_t *packed) {
    size_t bytes = (size_t)group->block_bytes, used = 0;
    int64_t row_bytes = SIDE * group->pixel_bytes;
    bool plain = group->blocks->packing == LF__GEOTIFF_PLAIN;
    collect_block(from, group->pixel_bytes, plain ? packed : worker->block);
    if (plain)
        return bytes;
    if (group->blocks->packing == LF__GEOTIFF_DEFLATE)
        return libdeflate_zlib_compress(worker->compressor, worker->block, bytes, packed, group->bound);
    for (int64_t y = 0; y < SIDE; y++)
        used += pack_row(worker->block + y * row_bytes, row_bytes, packed + used);
    return used;
}

/// Of four numbers, of which the last ones may be the same, the mean of those that are not nodata.
static double mean_of(const double *numbers, const lf_result_def *def) {
    double sum = 0;
    int count = 0;
    for (int k = 0; k < 4; k++) {
        bool none = def->nodata_given && (numbers[k] == def->nodata || isnan(numbers[k]));
        sum += none ? 0 : numbers[k];
        count += !none;
    }
    return count > 0 ? sum / count : def->nodata;
}

/// Means of floats or doubles; at the last column or row of the image a number counts for the one that is missing.
static void halve_means(const block_pixels *from, uint8_t *to, int64_t step, const lf_result_def *def) {
    bool wide = def->type == LF_RESULT_DOUBLE;
    int64_t bands = def->band_count, width = from->width, height = from->height;
    for (int64_t y = 0; y < height; y += 2) {
        const uint8_t *rows[2] = {from->first + y * from->step,
                                  from->first + (y + 1 < height ? y + 1 : y) * from->step};
        uint8_t *row = to + y / 2 * step;
        for (int64_t x = 0; x < width; x += 2)
            for (int64_t band = 0; band < bands; band++) {
                int64_t at[2] = {x * bands + band, (x + 1 < width ? x + 1 : x) * bands + band};
                double numbers[4], mean;
                for (int k = 0; k < 4; k++)
                    numbers[k] = wide ? ((const double *)(const void *)rows[k / 2])[at[k % 2]]
                                      : (double)((const float *)(const void *)rows[k / 2])[at[k % 2]];
                mean = mean_of(numbers, def);
                if (wide)
                    ((double *)(void *)row)[x / 2 * bands + band] = mean;
                else
                    ((float *)(void *)row)[x / 2 * bands + band] = (float)mean;
            }
    }
}

/// Every second pixel of whole numbers, which may be names of something.
static void halve_block(const block_group *group, const block_pixels *from, uint8_t *to, int64_t step) {
    const lf_result_def *def = group->blocks->result->def;
    int64_t bytes = group->pixel_bytes;
    if (def->type >= LF_RESULT_FLOAT) {
        halve_means(from, to, step, def);
        return;
    }
    for (int64_t y = 0; y < from->height; y += 2)
        for (int64_t x = 0; x < from->width; x += 2)
            memcpy(to + y / 2 * step + x / 2 * bytes, from->first + y * from->step + x * bytes,
                   (size_t)bytes);
}

// ---------------------------------------------------------------------------------------------------
// Groups
// ---------------------------------------------------------------------------------------------------

static int64_t fewer(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/// Copy the pixels of a block from the memory of the result.
static void load_block(const block_group *group, const block_pixels *to, int64_t x, int64_t y) {
    const lf__geotiff_result *result = group->blocks->result;
    int bands = result->def->band_count, item = result->item;
    for (int64_t j = 0; j < to->height; j++)
        for (int band = 0; band < bands; band++) {
            const uint8_t *from =
                result->first + (y + j) * result->down + x * result->across + band * result->band_step;
            uint8_t *row = to->first + j * to->step + (ptrdiff_t)band * item;
            if (bands == 1 && result->across == item)
                memcpy(row, from, (size_t)(to->width * item));
            else if (item == 4)
                for (int64_t i = 0; i < to->width; i++)
                    memcpy(row + i * bands * 4, from + i * result->across, 4);
            else
                for (int64_t i = 0; i < to->width; i++)
                    memcpy(row + i * bands * item, from + i * result->across, (size_t)item);
        }
}

/// Block k of the level that is packed now.
static block_pixels block_of(const block_group *group, int64_t k) {
    const block_pixels *all = &group->pixels[group->level];
    int64_t x = k % group->columns * SIDE, y = k / group->columns * SIDE;
    return (block_pixels){all->first + y * all->step + x * group->pixel_bytes, all->step,
                          fewer(all->width - x, SIDE), fewer(all->height - y, SIDE)};
}

/// Where the halved copy of a block belongs; NULL: it has none.
static uint8_t *half_of(const block_group *group, int64_t column, int64_t row, int64_t *step) {
    int next = group->level + 1;
    if (next >= group->blocks->level_count)
        return NULL;
    if (next <= group->depth) {
        const block_pixels *all = &group->pixels[next];
        *step = all->step;
        return all->first + (row - group->row) * (SIDE / 2) * all->step +
               (column - group->column) * (SIDE / 2) * group->pixel_bytes;
    }
    *step = SIDE * group->pixel_bytes;
    return group->above[next] + row % 2 * (SIDE / 2) * *step + column % 2 * (SIDE / 2) * group->pixel_bytes;
}

static void pack_some(void *job, int64_t first, int64_t last, int worker) {
    block_group *group = job;
    for (int64_t k = first; k < last; k++) {
        int64_t column = group->column + k % group->columns, row = group->row + k / group->columns, step;
        block_pixels block = block_of(group, k);
        if (group->level == 0 && !group->blocks->result->def->tiles)
            load_block(group, &block, column * SIDE, row * SIDE);
        group->sizes[k] =
            pack_block(group, &block, &group->workers[worker], group->packed + (size_t)k * group->bound);
        uint8_t *half = half_of(group, column, row, &step);
        if (half)
            halve_block(group, &block, half, step);
    }
}

static void write_packed(block_group *group, int64_t k, int64_t column, int64_t row) {
    lf__geotiff_blocks *blocks = group->blocks;
    const lf__geotiff_level *level = &blocks->levels[group->level];
    int64_t at = row * level->across + column;
    level->offsets[at] = blocks->at;
    level->byte_counts[at] = group->sizes[k];
    fwrite(group->packed + (size_t)k * group->bound, 1, (size_t)group->sizes[k], blocks->file);
    blocks->at += group->sizes[k];
}

/// Pack and write a group, from block (column, row) of the image on, with its halved copies.
static lf_status write_group(block_group *group, int64_t column, int64_t row, lf_error *error) {
    lf__geotiff_blocks *blocks = group->blocks;
    const lf_host *host = &blocks->result->def->host;
    for (int l = 0; l <= group->depth && l < blocks->level_count; l++) {
        const lf__geotiff_level *level = &blocks->levels[l];
        block_pixels *all = &group->pixels[l];
        group->level = l;
        group->column = column >> l;
        group->row = row >> l;
        all->width = fewer(level->width - group->column * SIDE, (group->wide * SIDE) >> l);
        all->height = fewer(level->height - group->row * SIDE, (group->high * SIDE) >> l);
        group->columns = (all->width + SIDE - 1) / SIDE;
        group->rows = (all->height + SIDE - 1) / SIDE;
        if (l == 0 && blocks->result->def->tiles) {
            lf__geotiff_pixels part = {
                {column * SIDE, row * SIDE, all->width, all->height}, all->first, all->step};
            lf_status status = lf__geotiff_tiles_read(blocks->result, &part, error);
            if (status != LF_OK)
                return status;
        }
        lf__run(host->tasks, group->columns * group->rows, 1, pack_some, group);
        for (int64_t k = 0; k < group->columns * group->rows; k++)
            write_packed(group, k, group->column + k % group->columns, group->row + k / group->columns);
    }
    return lf__report(host, "write", ++group->done, group->count) ? LF_OK
                                                                  : lf__fail_plain(error, LF_CANCELLED);
}

/// Pack and write a block of a level above groups, which is complete.
static void write_above(block_group *group, int number, int64_t column, int64_t row) {
    const lf__geotiff_level *level = &group->blocks->levels[number];
    block_pixels block = {group->above[number], SIDE * group->pixel_bytes,
                          fewer(level->width - column * SIDE, SIDE), fewer(level->height - row * SIDE, SIDE)};
    int64_t step;
    group->level = number;
    group->sizes[0] = pack_block(group, &block, &group->workers[0], group->packed);
    write_packed(group, 0, column, row);
    uint8_t *half = half_of(group, column, row, &step);
    if (half)
        halve_block(group, &block, half, step);
}

/// Write a block of a level with all below it.
static lf_status visit_block(block_group *group, int number, int64_t column, int64_t row, lf_error *error) {
    if (number == group->depth)
        return write_group(group, column << number, row << number, error);
    const lf__geotiff_level *below = &group->blocks->levels[number - 1];
    lf_status status = LF_OK;
    for (int k = 0; k < 4 && status == LF_OK; k++) {
        int64_t x = 2 * column + k % 2, y = 2 * row + k / 2;
        if (x < below->across && y < below->down)
            status = visit_block(group, number - 1, x, y, error);
    }
    if (status == LF_OK)
        write_above(group, number, column, row);
    return status;
}

// ---------------------------------------------------------------------------------------------------
// Memory
// ---------------------------------------------------------------------------------------------------

/// How large groups are.
static void size_group(block_group *group) {
    const lf__geotiff_blocks *blocks = group->blocks;
    const lf_result_def *def = blocks->result->def;
    const lf_tasks *tasks = def->host.tasks;
    group->pixel_bytes = (int64_t)blocks->result->item * def->band_count;
    group->block_bytes = SIDE * SIDE * group->pixel_bytes;
    while (group->depth < GROUP_DEPTH && group->block_bytes << 2 * (group->depth + 1) <= GROUP_BYTES)
        group->depth++;
    group->wide = fewer((int64_t)1 << group->depth, blocks->levels[0].across);
    group->high = fewer((int64_t)1 << group->depth, blocks->levels[0].down);
    group->count = ((blocks->levels[0].across + group->wide - 1) / group->wide) *
                   ((blocks->levels[0].down + group->high - 1) / group->high);
    size_t bytes = (size_t)group->block_bytes;
    group->bound = blocks->packing == LF__GEOTIFF_PLAIN      ? bytes
                   : blocks->packing == LF__GEOTIFF_PACKBITS ? bytes + bytes / 128 + SIDE
                                                             : libdeflate_zlib_compress_bound(NULL, bytes);
    group->worker_count = tasks && tasks->run && tasks->workers > 1 ? tasks->workers : 1;
}

/// Bytes of the pixels of a level of a group.
static int64_t level_bytes(const block_group *group, int l) {
    return group->wide * group->high * group->block_bytes >> 2 * l;
}

static lf_status take_bytes(const block_group *group, int64_t bytes, uint8_t **memory) {
    *memory = lf__allocate(&group->allocator, (size_t)bytes, LF__CACHE_LINE);
    return *memory ? LF_OK : LF_NO_MEMORY;
}

static lf_status start_group(block_group *group) {
    const lf__geotiff_blocks *blocks = group->blocks;
    int64_t most = group->wide * group->high;
    lf_status status = lf__allocate_array(&group->allocator, group->worker_count, sizeof *group->workers,
                                          (void **)&group->workers);
    if (status == LF_OK)
        status = lf__allocate_array(&group->allocator, most, sizeof *group->sizes, (void **)&group->sizes);
    if (status == LF_OK)
        memset(group->workers, 0, (size_t)group->worker_count * sizeof *group->workers);
    for (int l = 0; l < blocks->level_count && status == LF_OK; l++)
        if (l <= group->depth) {
            status = take_bytes(group, level_bytes(group, l), &group->pixels[l].first);
            group->pixels[l].step = group->wide * SIDE * group->pixel_bytes >> l;
        } else {
            status = take_bytes(group, group->block_bytes, &group->above[l]);
        }
    if (status == LF_OK)
        status = take_bytes(group, most * (int64_t)group->bound, &group->packed);
    for (int k = 0; k < group->worker_count && status == LF_OK; k++) {
        block_worker *worker = &group->workers[k];
        status = take_bytes(group, group->block_bytes + WORD, &worker->block);
        if (status != LF_OK || blocks->packing != LF__GEOTIFF_DEFLATE)
            continue;
        worker->compressor = libdeflate_alloc_compressor(blocks->effort);
        status = worker->compressor ? LF_OK : LF_NO_MEMORY;
    }
    return status;
}

static void end_group(const block_group *group) {
    const lf_allocator *allocator = &group->allocator;
    int64_t most = group->wide * group->high;
    for (int k = 0; k < group->worker_count && group->workers; k++) {
        libdeflate_free_compressor(group->workers[k].compressor);
        lf__free(allocator, group->workers[k].block, (size_t)group->block_bytes + WORD, LF__CACHE_LINE);
    }
    lf__free(allocator, group->packed, (size_t)most * group->bound, LF__CACHE_LINE);
    for (int l = 0; l < group->blocks->level_count; l++)
        if (l <= group->depth)
            lf__free(allocator, group->pixels[l].first, (size_t)level_bytes(group, l), LF__CACHE_LINE);
        else
            lf__free(allocator, group->above[l], (size_t)group->block_bytes, LF__CACHE_LINE);
    lf__free_array(allocator, group->sizes, most, sizeof *group->sizes);
    lf__free_array(allocator, group->workers, group->worker_count, sizeof *group->workers);
}

lf_status lf__geotiff_write_blocks(lf__geotiff_blocks *blocks, lf_error *error) {
    block_group group = {.blocks = blocks, .allocator = lf__allocator_of(&blocks->result->def->host)};
    size_group(&group);
    lf_status status = start_group(&group);
    if (status != LF_OK)
        lf__fail_plain(error, status);
    int top = blocks->level_count - 1 > group.depth ? blocks->level_count - 1 : group.depth;
    const lf__geotiff_level *image = &blocks->levels[0];
    for (int64_t row = 0; row << top < image->down; row++)
        for (int64_t column = 0; column << top < image->across && status == LF_OK; column++)
            status = visit_block(&group, top, column, row, error);
    end_group(&group);
    return status;
}
