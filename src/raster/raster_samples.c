/// The samples of a raster: their type in memory, the memory they need, and reading them block by block.
#include "base/base.h"
#include "raster/raster.h"
#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <math.h>
#include <string.h>

#define BLOCK_SAMPLES ((int64_t)1 << 22) // read at once, where the file's own blocks allow it

#define TEAM_BLOCKS 16                 // read by several threads before progress is reported
#define TEAM_PIXELS ((int64_t)1 << 20) // fewer are read by one

#define BOUND_LEAF 2 // of the grid's pyramid, for the estimate

/// Where blocks go in memory: the sample of pixel (x, y) of the window is at first + x * step_x + y * step_y.
typedef struct sample_reader {
    lf__raster_source *source;
    lf_raster *raster;
    GDALRasterBandH mask; ///< or NULL
    lf__raster_type type;
    int64_t first, step_x, step_y;
    lf__file_blocks file;
    int64_t wide, high; ///< of a block that is read at once
} sample_reader;

// ---------------------------------------------------------------------------------------------------
// Memory
// ---------------------------------------------------------------------------------------------------

/// Whether so many bytes are available; they may exceed size_t.
static lf_status check_memory(const lf__raster_source *source, const lf_samples *samples, double bytes,
                              lf_error *error) {
    double available = (double)(source->def->memory ? source->def->memory : lf__memory_available());
    if (bytes <= available && bytes <= (double)(PTRDIFF_MAX / 2))
        return LF_OK;
    char text[96];
    CPLsnprintf(text, sizeof text, "need %.3f GB, and %.3f GB are available", bytes / 1e9, available / 1e9);
    return lf__fail(error, LF_TOO_LARGE, -1, "%s: its %lld x %lld samples %s; a window reads a part",
                    source->gdal.path, (long long)samples->columns, (long long)samples->rows, text);
}

#define PAGE 4096 // bytes of memory that a row of a part takes at either end beyond its samples

/// Bytes of the samples, and of the bounds of their grid; those of parts may overlap.
static double memory_needed(const lf_raster *raster, size_t item) {
    const lf_samples *samples = &raster->samples;
    double bytes = (double)(item + raster->info.masked), sum = 0;
    for (int64_t k = 0; k < raster->part_count && raster->partial; k++)
        sum += (double)raster->parts[k].rows * ((double)raster->parts[k].columns * (bytes + 1) + 4 * PAGE);
    if (raster->partial)
        return sum;
    double count = (double)(samples->columns + raster->repeated) * (double)samples->rows;
    return count * bytes + (double)lf_grid_pyramid_size(samples->columns, samples->rows, BOUND_LEAF).bytes;
}

static void *allocate_plane(const lf_raster *raster, size_t bytes) {
    return raster->partial ? lf__sparse_take(bytes) : lf__allocate(&raster->allocator, bytes, LF__CACHE_LINE);
}

/// The same, or what the caller keeps.
static void *plane_of(const lf__raster_source *source, const lf_raster *raster, int which, size_t bytes) {
    const lf_raster_keep *keep = source->def->keep;
    return keep ? keep->memory(keep->user, which, bytes) : allocate_plane(raster, bytes);
}

static lf_status allocate_samples(const lf__raster_source *source, lf_raster *raster, size_t item,
                                  lf_error *error) {
    const lf_samples *samples = &raster->samples;
    int64_t columns = samples->columns + raster->repeated;
    lf_status status = check_memory(source, samples, memory_needed(raster, item), error);
    if (status != LF_OK)
        return status;
    if (!lf__size_array(columns * samples->rows, item, &raster->value_bytes))
        return lf__fail_plain(error, LF_TOO_LARGE);
    raster->mask_bytes = raster->info.masked ? raster->value_bytes / item : 0;
    raster->kept = source->def->keep != NULL;
    raster->values = plane_of(source, raster, 0, raster->value_bytes);
    if (raster->values && raster->mask_bytes)
        raster->mask = plane_of(source, raster, 1, raster->mask_bytes);
    if (!raster->values || (raster->mask_bytes && !raster->mask))
        return lf__fail_plain(error, LF_NO_MEMORY);
    raster->samples.values = raster->values;
    raster->samples.mask = raster->mask;
    raster->samples.row_step = (ptrdiff_t)(columns * (int64_t)item);
    raster->samples.mask_row_step = (ptrdiff_t)columns;
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Reading
// ---------------------------------------------------------------------------------------------------

/// The mask band, besides nodata; NULL without one. GDAL treats transparency as a mask only for certain
/// types.
static GDALRasterBandH find_mask(const lf__raster_source *source) {
    if (source->plain)
        return NULL;
    if (!(GDALGetMaskFlags(source->bands[0]) & (GMF_ALL_VALID | GMF_NODATA)))
        return GDALGetMaskBand(source->bands[0]);
    for (int i = 1; i <= GDALGetRasterCount(source->dataset); i++) {
        GDALRasterBandH band = GDALGetRasterBand(source->dataset, i);
        if (GDALGetRasterColorInterpretation(band) == GCI_AlphaBand && band != source->bands[0])
            return band;
    }
    return NULL;
}

static void choose_steps(sample_reader *sample_reader) {
    const lf__raster_source *source = sample_reader->source;
    int64_t columns = sample_reader->raster->samples.columns, rows = sample_reader->raster->samples.rows;
    int64_t line = columns + sample_reader->raster->repeated;
    int64_t column = source->flip_columns ? -1 : 1, row = source->flip_rows ? -line : line;
    sample_reader->first =
        (source->flip_columns ? columns - 1 : 0) + (source->flip_rows ? (rows - 1) * line : 0);
    sample_reader->step_x = source->transposed ? row : column;
    sample_reader->step_y = source->transposed ? column : row;
}

/// Blocks are whole blocks of the file: rows of them, up to so many samples; where these are tall,
/// columns of them.
static void choose_blocks(sample_reader *sample_reader, const lf_window *pixels, int64_t samples) {
    sample_reader->file = lf__file_blocks_of(sample_reader->source);
    int64_t wide = sample_reader->file.wide, high = sample_reader->file.high;
    sample_reader->wide = pixels->columns;
    sample_reader->high = high;
    if (pixels->columns > samples / high)
        sample_reader->wide = samples / high / wide > 0 ? samples / high / wide * wide : wide;
    int64_t more = samples / sample_reader->wide / high;
    sample_reader->high *= more > 1 ? more : 1;
}

static lf_status read_failed(const sample_reader *sample_reader, lf_error *error) {
    if (sample_reader->source->plain) // GDAL reads it again, and says what is wrong
        return lf__fail_plain(error, LF_IO_FAILED);
    return lf__gdal_fail(&sample_reader->source->gdal, LF_IO_FAILED, "GDAL could not read its samples",
                         error);
}

static CPLErr read_band_block(const sample_reader *sample_reader, GDALRasterBandH band,
                              const lf_window *block, void *memory, GDALDataType type, size_t item) {
    const lf_window *window = &sample_reader->source->window;
    char *at = (char *)memory + (sample_reader->first + block->column * sample_reader->step_x +
                                 block->row * sample_reader->step_y) *
                                    (int64_t)item;
    const lf__geotiff *plain = sample_reader->source->plain;
    if (plain) {
        const lf_window pixels = {window->column + block->column, window->row + block->row, block->columns,
                                  block->rows};
        const lf__geotiff_target target = {at, sample_reader->step_x * (int64_t)item,
                                           sample_reader->step_y * (int64_t)item};
        return lf__geotiff_read(plain, &pixels, &target) ? CE_None : CE_Failure;
    }
    return GDALRasterIOEx(band, GF_Read, (int)(window->column + block->column),
                          (int)(window->row + block->row), (int)block->columns, (int)block->rows, at,
                          (int)block->columns, (int)block->rows, type, sample_reader->step_x * (int64_t)item,
                          sample_reader->step_y * (int64_t)item, NULL);
}

/// The bands of colours are read one after the other into the bytes of the samples.
static lf_status read_bands(const sample_reader *sample_reader, const lf_window *block, lf_error *error) {
    const lf__raster_source *source = sample_reader->source;
    const lf__raster_type *type = &sample_reader->type;
    for (int i = 0; i < source->band_count; i++)
        if (read_band_block(sample_reader, source->bands[i], block, (char *)sample_reader->raster->values + i,
                            type->requested, type->item) != CE_None)
            return read_failed(sample_reader, error);
    return LF_OK;
}

static lf_status read_block(const sample_reader *sample_reader, const lf_window *block, lf_error *error) {
    lf_raster *raster = sample_reader->raster;
    const lf__raster_items items = {raster->values, sample_reader->first, sample_reader->step_x,
                                    sample_reader->step_y};
    lf_status status = read_bands(sample_reader, block, error);
    if (status == LF_OK)
        status =
            lf__raster_convert(&sample_reader->type, &items, block, sample_reader->source->gdal.path, error);
    if (status == LF_OK && raster->mask &&
        read_band_block(sample_reader, sample_reader->mask, block, raster->mask, GDT_Byte, 1) != CE_None)
        status = read_failed(sample_reader, error);
    return status;
}

/// Blocks are read once: GDAL need not keep them, or a raster would be in memory twice. Those of parts may be shared.
static void drop_block(const sample_reader *sample_reader) {
    CPLErr ignored = CE_None;
    if (sample_reader->raster->partial || sample_reader->source->plain)
        return;
    for (int i = 0; i < sample_reader->source->band_count; i++)
        ignored = GDALFlushRasterCache(sample_reader->source->bands[i]);
    if (sample_reader->mask)
        ignored = GDALFlushRasterCache(sample_reader->mask);
    (void)ignored;
}

/// Blocks that several threads read at the same time, each from a dataset of its own.
typedef struct reader_team {
    const sample_reader *reader;
    lf_host quiet;              ///< that of the raster, without what must stay on its thread
    lf__raster_source *sources; ///< of each worker
    lf_window blocks[TEAM_BLOCKS];
    lf_status statuses[TEAM_BLOCKS];
    lf_error errors[TEAM_BLOCKS];
    int count;
} reader_team;

/// GeoTIFF files that are read without GDAL need not be opened again. Otherwise only compressed ones: decoding takes longer than opening
/// them once more, and GDAL can read one from several threads.
/// And of mosaics, whose sources are such files; what is kept has blocks of this size whether there are threads or not.
static bool wants_team(const sample_reader *sample_reader, int64_t pixels) {
    const lf_tasks *tasks = sample_reader->raster->host.tasks;
    const lf__geotiff *plain = sample_reader->source->plain;
    GDALDatasetH dataset = sample_reader->source->dataset;
    if (sample_reader->mask || pixels < TEAM_PIXELS)
        return false;
    bool keep = sample_reader->source->def->keep != NULL, threads = tasks && tasks->run && tasks->workers > 1;
    if (plain)
        return threads;
    if (keep && EQUAL(GDALGetDriverShortName(GDALGetDatasetDriver(dataset)), "VRT"))
        return true;
    return (keep || threads) && EQUAL(GDALGetDriverShortName(GDALGetDatasetDriver(dataset)), "GTiff") &&
           GDALGetMetadataItem(dataset, "COMPRESSION", "IMAGE_STRUCTURE");
}

/// The same bands of a dataset of this worker.
static lf_status open_again(const sample_reader *sample_reader, lf__raster_source *own, lf_error *error) {
    const lf__raster_source *source = sample_reader->source;
    if (source->plain)
        return LF_OK;
    lf_status status = own->dataset ? LF_OK : lf__gdal_open(&own->gdal, &own->dataset, error);
    for (int i = 0; i < source->band_count && status == LF_OK; i++)
        own->bands[i] = GDALGetRasterBand(own->dataset, GDALGetBandNumber(source->bands[i]));
    return status;
}

static void read_team_blocks(void *job, int64_t first, int64_t last, int worker) {
    reader_team *team = job;
    sample_reader own = *team->reader;
    lf__raster_source *source = &team->sources[worker];
    bool gdal = !source->plain;
    if (gdal) {
        lf__gdal_begin(&source->gdal, team->reader->source->gdal.path, &team->quiet);
        CPLSetThreadLocalConfigOption("GDAL_NUM_THREADS", "1");
        CPLSetThreadLocalConfigOption("GDAL_VRT_ENABLE_PYTHON", "NO");
    }
    own.source = source;
    for (int64_t k = first; k < last; k++) {
        team->statuses[k] = open_again(team->reader, source, &team->errors[k]);
        if (team->statuses[k] == LF_OK)
            team->statuses[k] = read_block(&own, &team->blocks[k], &team->errors[k]);
        if (team->statuses[k] == LF_OK)
            drop_block(&own);
    }
    if (gdal) {
        CPLSetThreadLocalConfigOption("GDAL_VRT_ENABLE_PYTHON", worker == 0 ? "NO" : NULL);
        CPLSetThreadLocalConfigOption("GDAL_NUM_THREADS", worker == 0 ? "1" : NULL);
        lf__gdal_end(&source->gdal);
    }
}

static int team_workers(const lf_raster *raster) {
    const lf_tasks *tasks = raster->host.tasks;
    return tasks && tasks->run && tasks->workers > 1 ? tasks->workers : 1;
}

static lf_status start_team(const sample_reader *sample_reader, reader_team *team, lf_error *error) {
    lf_raster *raster = sample_reader->raster;
    int workers = team_workers(raster);
    *team = (reader_team){.reader = sample_reader, .quiet = {.allocator = raster->host.allocator}};
    lf_status status =
        lf__allocate_array(&raster->allocator, workers, sizeof *team->sources, (void **)&team->sources);
    for (int i = 0; i < workers && status == LF_OK; i++) {
        team->sources[i] = *sample_reader->source;
        team->sources[i].dataset = NULL;
    }
    return status == LF_OK ? LF_OK : lf__fail_plain(error, status);
}

static void end_team(reader_team *team) {
    const lf_raster *raster = team->reader->raster;
    for (int i = 0; i < team_workers(raster); i++)
        if (team->sources[i].dataset)
            GDALClose(team->sources[i].dataset);
    lf__free_array(&raster->allocator, team->sources, team_workers(raster), sizeof *team->sources);
}

/// Tell the caller that keeps the samples that a block has been read.
static lf_status note_block(const sample_reader *sample_reader, const lf_window *block, lf_error *error) {
    const lf_raster_keep *keep = sample_reader->source->def->keep;
    if (!keep || keep->done(keep->user, block))
        return LF_OK;
    return lf__fail(error, LF_IO_FAILED, -1, "%s: what was read could not be kept",
                    sample_reader->source->gdal.path);
}

/// Read the blocks that have been collected; the first of them that fails is reported.
static lf_status run_team(reader_team *team, lf_error *error) {
    lf__run(team->reader->raster->host.tasks, team->count, 1, read_team_blocks, team);
    for (int k = 0; k < team->count; k++)
        if (team->statuses[k] != LF_OK) {
            if (error)
                *error = team->errors[k];
            return team->statuses[k];
        }
    lf_status status = LF_OK;
    for (int k = 0; k < team->count && status == LF_OK; k++)
        status = note_block(team->reader, &team->blocks[k], error);
    team->count = 0;
    return status;
}

/// Read one block, or collect it for the team, which is NULL where there is none.
static lf_status take_block(const sample_reader *sample_reader, reader_team *team, const lf_window *block,
                            bool last, lf_error *error) {
    const lf_raster_keep *keep = sample_reader->source->def->keep;
    bool kept = keep && keep->has(keep->user, block);
    if (team) {
        if (!kept)
            team->blocks[team->count++] = *block;
        return team->count == TEAM_BLOCKS || (last && team->count > 0) ? run_team(team, error) : LF_OK;
    }
    if (kept)
        return LF_OK;
    lf_status status = read_block(sample_reader, block, error);
    if (status == LF_OK)
        drop_block(sample_reader);
    return status == LF_OK ? note_block(sample_reader, block, error) : status;
}

static lf_status read_blocks(const sample_reader *sample_reader, reader_team *team, const lf_window *pixels,
                             int64_t *done, int64_t total, lf_error *error) {
    const lf_window *window = &sample_reader->source->window;
    const lf__file_blocks *file = &sample_reader->file;
    int64_t right = pixels->column + pixels->columns, bottom = pixels->row + pixels->rows;
    lf_window block = *pixels;
    for (block.row = pixels->row; block.row < bottom; block.row += block.rows) {
        block.rows = lf__file_pixels(window->row + block.row, window->row + bottom, file->top, file->rows,
                                     sample_reader->high);
        for (block.column = pixels->column; block.column < right; block.column += block.columns) {
            block.columns = sample_reader->wide >= pixels->columns
                                ? pixels->columns
                                : lf__file_pixels(window->column + block.column, window->column + right,
                                                  file->left, file->columns, sample_reader->wide);
            bool last = block.row + block.rows >= bottom && block.column + block.columns >= right;
            lf_status status = take_block(sample_reader, team, &block, last, error);
            if (status != LF_OK)
                return status;
            *done += block.columns * block.rows;
            if ((!team || team->count == 0) &&
                !lf__report(&sample_reader->raster->host, "read", *done, total))
                return lf__fail_plain(error, LF_CANCELLED);
        }
    }
    return LF_OK;
}

/// Read pixels of the window of the source.
static lf_status read_pixels(sample_reader *sample_reader, const lf_window *pixels, int64_t *done,
                             int64_t total, lf_error *error) {
    reader_team team;
    const lf_raster_keep *keep = sample_reader->source->def->keep;
    int64_t samples =
        keep && keep->drop ? BLOCK_SAMPLES / (int64_t)sample_reader->type.item * 2 : BLOCK_SAMPLES;
    if (!wants_team(sample_reader, pixels->columns * pixels->rows)) {
        choose_blocks(sample_reader, pixels, samples);
        return read_blocks(sample_reader, NULL, pixels, done, total, error);
    }
    choose_blocks(sample_reader, pixels, samples / TEAM_BLOCKS);
    lf_status status = start_team(sample_reader, &team, error);
    if (status != LF_OK)
        return status;
    status = read_blocks(sample_reader, &team, pixels, done, total, error);
    end_team(&team);
    return status;
}

/// The pixels of a part, in the window of the source; not those of the repeated column.
static lf_window pixels_of(const sample_reader *sample_reader, const lf_window *part) {
    const lf__raster_source *source = sample_reader->source;
    const lf_samples *samples = &sample_reader->raster->samples;
    lf_window turned = *part;
    if (turned.columns > samples->columns - turned.column)
        turned.columns = samples->columns - turned.column;
    if (source->flip_columns)
        turned.column = samples->columns - turned.column - turned.columns;
    if (source->flip_rows)
        turned.row = samples->rows - turned.row - turned.rows;
    if (!source->transposed)
        return turned;
    return (lf_window){turned.row, turned.column, turned.rows, turned.columns};
}

static lf_status read_parts(sample_reader *sample_reader, lf_error *error) {
    int64_t count, total = 0, done = 0;
    lf_window whole;
    const lf_window *parts = lf__raster_part_list(sample_reader->raster, &whole, &count);
    for (int64_t k = 0; k < count; k++)
        total += parts[k].columns * parts[k].rows;
    for (int64_t k = 0; k < count; k++) {
        lf_window pixels = pixels_of(sample_reader, &parts[k]);
        lf_status status = read_pixels(sample_reader, &pixels, &done, total, error);
        if (status != LF_OK)
            return status;
    }
    return LF_OK;
}

/// Repeat the first sample of each row after its last.
static void repeat_column(const sample_reader *sample_reader) {
    lf_raster *raster = sample_reader->raster;
    const lf_samples *samples = &raster->samples;
    lf_window whole;
    int64_t count;
    const lf_window *parts = lf__raster_part_list(raster, &whole, &count);
    for (int64_t k = 0; k < count && raster->repeated; k++)
        for (int64_t j = parts[k].row; j < parts[k].row + parts[k].rows && parts[k].column == 0; j++) {
            char *row = (char *)raster->values + j * samples->row_step;
            memcpy(row + samples->columns * (int64_t)sample_reader->type.item, row, sample_reader->type.item);
            if (raster->mask) {
                uint8_t *mask = raster->mask + j * samples->mask_row_step;
                mask[samples->columns] = mask[0];
            }
        }
}

/// What samples are read as, and what they mean.
static lf_status choose_meaning(sample_reader *sample_reader, bool narrow, lf_error *error) {
    lf__raster_source *source = sample_reader->source;
    lf_status status = lf__raster_type_of(source, narrow, &sample_reader->type, error);
    if (status != LF_OK)
        return status;
    sample_reader->raster->samples.type = sample_reader->type.kept;
    lf__raster_nodata(source, &sample_reader->type, sample_reader->raster);
    return lf__raster_scale(source, sample_reader->raster, error);
}

/// Allocate the samples and read them: all of them or, of a partial raster, its parts.
static lf_status read_samples(sample_reader *sample_reader, lf_error *error) {
    lf_raster *raster = sample_reader->raster;
    lf_status status = allocate_samples(sample_reader->source, raster, sample_reader->type.item, error);
    if (status == LF_OK)
        status = read_parts(sample_reader, error);
    if (status != LF_UNSUPPORTED || !sample_reader->type.narrow)
        return status;
    bool partial = raster->partial;
    int64_t part_count = raster->part_count;
    lf__raster_free_samples(raster);
    raster->partial = partial;
    raster->part_count = part_count;
    status = choose_meaning(sample_reader, false, error);
    return status == LF_OK ? read_samples(sample_reader, error) : status;
}

lf_status lf__raster_samples(lf__raster_source *source, lf_raster *raster, lf_error *error) {
    sample_reader sample_reader = {.source = source, .raster = raster};
    lf_samples *samples = &raster->samples;
    samples->columns = source->transposed ? source->window.rows : source->window.columns;
    samples->rows = source->transposed ? source->window.columns : source->window.rows;
    sample_reader.mask = find_mask(source);
    raster->info.masked = sample_reader.mask != NULL;
    bool narrow = !source->def->fixed_type && !source->def->keep;
    lf_status status = choose_meaning(&sample_reader, narrow, error);
    if (status == LF_OK)
        status = lf__raster_parts(source, raster, error);
    if (status != LF_OK)
        return status;
    choose_steps(&sample_reader);
    status = read_samples(&sample_reader, error);
    if (status == LF_OK && raster->partial && source->def->reach_solid && lf__raster_has_voids(raster)) {
        lf__raster_free_samples(raster);
        status = read_samples(&sample_reader, error);
    }
    if (status != LF_OK)
        return status;
    repeat_column(&sample_reader);
    return lf__raster_duplicate_thin(raster, sample_reader.type.item, error);
}
