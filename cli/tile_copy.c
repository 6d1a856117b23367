/// The decoded samples of a raster in a file without a name, which lives as long as the process.
///
/// The least and the greatest height are found before the first tile is computed, for which all samples are read once. They
/// are kept here, so that tiles, and what is around them, need not be decoded again. The file has the layout of the raster in
/// memory. While it is filled it is mapped, and pages that have been written are unmapped again. Tiles are read from it by calls: the system would map pages
/// around those of a tile too, and they count as memory of the process.
#define _GNU_SOURCE // O_TMPFILE, madvise, fallocate
#include "tile_copy.h"
#include "reach.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define PAGES ((size_t)64 << 10) // a multiple of the page size of every system
#define ROWS_AT_ONCE 32          // for a thread
#define SPACE_LEFT 2.0           // so many times its size is free on the disk, or there is no copy

static size_t sample_bytes(lf_sample_type type) {
    return type == LF_SAMPLE_DOUBLE ? 8 : type == LF_SAMPLE_FLOAT ? 4 : 2;
}

/// The folder of the result: tiles are written there too.
static int open_nameless(const char *beside) {
    const char *slash = strrchr(beside, '/');
    size_t length = slash && slash > beside ? (size_t)(slash - beside) : 1;
    char folder[4096];
    if (length >= sizeof folder)
        return -1;
    memcpy(folder, slash ? beside : ".", length);
    folder[length] = '\0';
#if defined(O_TMPFILE)
    return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
#else
    return -1;
#endif
}

void tile_copy_start(tile_copy *copy, const cli *run) {
    struct statvfs disk;
    *copy = (tile_copy){.file = -1, .tasks = run->host.tasks};
    if (!run->ground.raster || options_has(&run->given, "extend"))
        return;
    lf_grid_def def = lf_raster_grid_def(run->ground.raster);
    if (def.turn > 0) // then places repeat
        return;
    size_t samples = (size_t)def.samples.columns * (size_t)def.samples.rows;
    size_t values = samples * sample_bytes(def.samples.type);
    copy->mask_at = (values + PAGES - 1) / PAGES * PAGES;
    copy->bytes = run->ground.about.masked ? copy->mask_at + samples : values;
    copy->file = open_nameless(options_value(&run->given, "output"));
    if (copy->file >= 0 && (fstatvfs(copy->file, &disk) != 0 ||
                            (double)disk.f_bavail * (double)disk.f_frsize < SPACE_LEFT * (double)copy->bytes))
        tile_copy_end(copy);
}

/// A plane of the file, and of the raster in memory.
typedef struct copy_plane {
    char *memory;
    ptrdiff_t row_step;
    size_t item; ///< bytes
    size_t at;   ///< in the file
} copy_plane;

/// Rows of a part that are copied, to the file or from it.
typedef struct copy_rows {
    const tile_copy *copy;
    const copy_plane *plane;
    const lf_window *part;
    bool write;
    atomic_int wrong; ///< errno; -1: the file ended
} copy_rows;

static void move_some(void *user, int64_t first, int64_t last, int worker) {
    copy_rows *rows = user;
    const copy_plane *plane = rows->plane;
    const lf_window *part = rows->part;
    (void)worker;
    for (int64_t row = part->row + first; row < part->row + last && rows->wrong == 0; row++) {
        size_t from = (size_t)(row * plane->row_step) + (size_t)part->column * plane->item,
               end = from + (size_t)part->columns * plane->item;
        while (from < end) {
            off_t at = (off_t)(plane->at + from);
            ssize_t moved = rows->write ? pwrite(rows->copy->file, plane->memory + from, end - from, at)
                                        : pread(rows->copy->file, plane->memory + from, end - from, at);
            if (moved <= 0) {
                rows->wrong = moved < 0 ? errno : -1;
                return;
            }
            from += (size_t)moved;
        }
    }
}

static bool move_rows(const tile_copy *copy, const copy_plane *plane, const lf_window *part, bool write) {
    copy_rows rows = {.copy = copy, .plane = plane, .part = part, .write = write};
    if (copy->tasks)
        copy->tasks->run(copy->tasks->user, part->rows, ROWS_AT_ONCE, move_some, &rows);
    else
        move_some(&rows, 0, part->rows, 0);
    errno = rows.wrong > 0 ? rows.wrong : 0;
    return rows.wrong == 0;
}

static bool move_part(const tile_copy *copy, const lf_samples *samples, const lf_window *part, bool write) {
    const copy_plane values = {(char *)(uintptr_t)samples->values, samples->row_step,
                               sample_bytes(samples->type), 0},
                     mask = {(char *)(uintptr_t)samples->mask, samples->mask_row_step, 1, copy->mask_at};
    return move_rows(copy, &values, part, write) && (!samples->mask || move_rows(copy, &mask, part, write));
}

void tile_copy_add(tile_copy *copy, const lf_raster *raster) {
    lf_grid_def def = lf_raster_grid_def(raster);
    const lf_samples *samples = &def.samples;
    lf_window whole = {0, 0, samples->columns, samples->rows};
    bool fine = true;
    for (int64_t k = 0; k < (def.partial ? def.part_count : 1) && copy->file >= 0 && fine; k++) {
        const lf_window *part = def.partial ? &def.parts[k] : &whole;
        fine = move_part(copy, samples, part, true);
    }
    if (!fine) // the disk is full: tiles are decoded again
        tile_copy_end(copy);
}

// ---- All samples at once ------------------------------------------------------------------------

#define RANGE_BYTES ((int64_t)1 << 20) // of samples that are compared at once
#define LARGE 1e9                      // heights beyond that may be refused: the grid of a part says so

/// The file as memory of a raster that is being read.
typedef struct copy_filling {
    char *base;
    size_t bytes, mask_at, value_bytes;
} copy_filling;

static void *filling_memory(void *user, int which, size_t bytes) {
    copy_filling *filling = user;
    size_t expected = which == 0 ? filling->value_bytes : filling->bytes - filling->mask_at;
    return bytes == expected ? filling->base + (which == 0 ? 0 : filling->mask_at) : NULL;
}

static bool filling_has(void *user, const lf_window *pixels) {
    (void)user;
    (void)pixels;
    return false;
}

/// What has been written stays in the file.
static bool filling_done(void *user, const lf_window *pixels) {
    copy_filling *filling = user;
    (void)pixels;
    return madvise(filling->base, filling->bytes, MADV_DONTNEED) == 0;
}

static void filling_drop(void *user) {
    (void)filling_done(user, NULL);
}

/// The least and greatest number of rows that is no void; `from` is their first one.
static void find_range(const lf_samples *samples, const char *from, const uint8_t *mask, int64_t count,
                       double range[2]) {
    for (int64_t i = 0; i < count; i++) {
        double number = samples->type == LF_SAMPLE_FLOAT    ? (double)((const float *)(const void *)from)[i]
                        : samples->type == LF_SAMPLE_DOUBLE ? ((const double *)(const void *)from)[i]
                        : samples->type == LF_SAMPLE_INT16
                            ? (double)((const int16_t *)(const void *)from)[i]
                            : (double)((const uint16_t *)(const void *)from)[i];
        if (!isfinite(number) || number == samples->nodata || (mask && !mask[i]))
            continue;
        range[0] = number < range[0] ? number : range[0];
        range[1] = number > range[1] ? number : range[1];
    }
}

/// The same for floats, which most samples are, sixteen at a time; false where one of them is not finite or nodata.
static bool find_float_range(const float *from, int64_t count, float nodata, double range[2]) {
    float low[16], high[16];
    unsigned odd = 0;
    for (int k = 0; k < 16; k++)
        low[k] = high[k] = from[0];
    for (int64_t i = 0; i + 16 <= count; i += 16)
        for (int k = 0; k < 16; k++) {
            float number = from[i + k];
            low[k] = number < low[k] ? number : low[k];
            high[k] = number > high[k] ? number : high[k];
            odd |= (unsigned)!(number - number == 0) | (unsigned)(number == nodata);
        }
    for (int k = 0; k < 16 && !odd; k++) {
        range[0] = fmin(range[0], (double)low[k]);
        range[1] = fmax(range[1], (double)high[k]);
    }
    return !odd;
}

/// Samples of the file that are compared, a piece after the other.
typedef struct copy_range {
    const tile_copy *copy;
    const lf_samples *samples;
    int64_t count, at_once;
    double (*ranges)[2]; ///< of each piece
    atomic_bool wrong;
} copy_range;

static bool read_exactly(int file, void *to, size_t bytes, size_t at) {
    for (size_t done = 0; done < bytes;) {
        ssize_t got = pread(file, (char *)to + done, bytes - done, (off_t)(at + done));
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

static void find_some_ranges(void *user, int64_t first, int64_t last, int worker) {
    copy_range *all = user;
    const lf_samples *samples = all->samples;
    size_t item = sample_bytes(samples->type), bytes = (size_t)all->at_once * (item + 1);
    char *memory = malloc(bytes);
    (void)worker;
    for (int64_t k = first; k < last; k++) {
        int64_t from = k * all->at_once, count = all->count - from;
        double *range = all->ranges[k];
        uint8_t *mask = samples->mask ? (uint8_t *)memory + (size_t)all->at_once * item : NULL;
        count = count < all->at_once ? count : all->at_once;
        range[0] = LF_INFINITY;
        range[1] = -LF_INFINITY;
        if (!memory || !read_exactly(all->copy->file, memory, (size_t)count * item, (size_t)from * item) ||
            (mask &&
             !read_exactly(all->copy->file, mask, (size_t)count, all->copy->mask_at + (size_t)from))) {
            all->wrong = true;
            break;
        }
        bool plain =
            samples->type == LF_SAMPLE_FLOAT && !mask && count % 16 == 0 &&
            find_float_range((const float *)(const void *)memory, count, (float)samples->nodata, range);
        if (!plain)
            find_range(samples, memory, mask, count, range);
    }
    free(memory);
}

/// The least and the greatest height of the file.
static bool find_copy_range(const tile_copy *copy, const lf_samples *samples, double range[2]) {
    copy_range all = {.copy = copy,
                      .samples = samples,
                      .count = samples->columns * samples->rows,
                      .at_once = RANGE_BYTES / (int64_t)sample_bytes(samples->type)};
    int64_t pieces = (all.count + all.at_once - 1) / all.at_once;
    all.ranges = malloc((size_t)pieces * sizeof *all.ranges);
    if (!all.ranges)
        return false;
    if (copy->tasks)
        copy->tasks->run(copy->tasks->user, pieces, 1, find_some_ranges, &all);
    else
        find_some_ranges(&all, 0, pieces, 0);
    double found[2] = {LF_INFINITY, -LF_INFINITY};
    for (int64_t k = 0; k < pieces && !all.wrong; k++) {
        found[0] = fmin(found[0], all.ranges[k][0]);
        found[1] = fmax(found[1], all.ranges[k][1]);
    }
    free(all.ranges);
    // From numbers of the file to heights, as the grid does.
    bool turned = samples->scale < 0, any = found[0] <= found[1];
    for (int k = 0; k < 2; k++) {
        double number = found[turned ? 1 - k : k];
        range[k] = !any                                          ? found[k]
                   : samples->scale == 1 && samples->offset == 0 ? number
                                                                 : number * samples->scale + samples->offset;
    }
    return !all.wrong && (!any || (fabs(range[0]) < LARGE && fabs(range[1]) < LARGE));
}

bool tile_copy_fill(tile_copy *copy, cli *run, double range[2]) {
    lf_raster_def file = lf_raster_def_default();
    copy_filling filling = {.bytes = copy->bytes, .mask_at = copy->mask_at};
    lf_raster *raster = NULL;
    // Disk space is reserved first: writing to a mapped file without it is a bus error.
    if (copy->file < 0 || !raster_options_read(run, &file) ||
        fallocate(copy->file, 0, 0, (off_t)copy->bytes) != 0)
        return false;
    void *base = mmap(NULL, copy->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, copy->file, 0);
    if (base == MAP_FAILED)
        return false;
    lf_grid_def def = lf_raster_grid_def(run->ground.raster);
    filling.base = base;
    filling.value_bytes =
        (size_t)def.samples.columns * (size_t)def.samples.rows * sample_bytes(def.samples.type);
    lf_raster_keep keep = {&filling, filling_memory, filling_has, filling_done, filling_drop};
    file.keep = &keep;
    file.memory = SIZE_MAX / 4;
    file.host.log = NULL; // what there is to say about the file has been said
    bool fine = lf_raster_read(run->given.arguments[0], &file, &raster, NULL) == LF_OK;
    lf_samples samples = fine ? lf_raster_grid_def(raster).samples : def.samples;
    fine = fine && samples.type == def.samples.type && samples.columns == def.samples.columns &&
           samples.rows == def.samples.rows && samples.values == base;
    munmap(base, copy->bytes);
    fine = fine && find_copy_range(copy, &samples, range);
    lf_raster_close(raster);
    return fine;
}

void tile_copy_complete(tile_copy *copy) {
    void *base = copy->file < 0 ? MAP_FAILED
                                : mmap(NULL, copy->bytes, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    copy->base = base == MAP_FAILED ? NULL : base;
    if (!copy->base) {
        tile_copy_end(copy);
        return;
    }
    (void)madvise(base, copy->bytes, MADV_NOHUGEPAGE); // one sample must not take 2 MB
    copy->windows = allocate(LF_RASTER_WINDOWS, sizeof *copy->windows);
}

bool tile_copy_is_complete(const tile_copy *copy) {
    return copy && copy->base;
}

/// As many samples more as a part of a grid must have: two on each side, to the next multiples of its size.
static bool widen(int64_t samples, int64_t *first, int64_t *count) {
    int64_t low = *first - 2, high = *first + *count + 1;
    if (*count < 1 || high < 0 || low >= samples)
        return false;
    low = low < 0 ? 0 : low / LF_GRID_PART * LF_GRID_PART;
    high = (high / LF_GRID_PART + 1) * LF_GRID_PART;
    high = high < samples - 1 ? high : samples - 1;
    if (high - low < 1)
        low -= low >= LF_GRID_PART ? LF_GRID_PART : low;
    *first = low;
    *count = high - low + 1;
    return true;
}

bool tile_copy_use(tile_copy *copy, lf_grid_def *def) {
    lf_samples *samples = &def->samples;
    int64_t count = 0;
    for (int64_t k = 0; k < copy->count; k++) {
        lf_window part = copy->windows[k];
        if (widen(samples->columns, &part.column, &part.columns) &&
            widen(samples->rows, &part.row, &part.rows))
            copy->windows[count++] = part;
    }
    samples->values = copy->base;
    samples->row_step = (ptrdiff_t)samples->columns * (ptrdiff_t)sample_bytes(samples->type);
    samples->mask = samples->mask ? (const uint8_t *)copy->base + copy->mask_at : NULL;
    samples->mask_row_step = (ptrdiff_t)samples->columns;
    def->partial = true;
    def->parts = copy->windows;
    def->part_count = count;
    for (int64_t k = 0; k < count; k++)
        if (!move_part(copy, samples, &copy->windows[k], false))
            return failed("--memory: the copy of the samples on disk could not be read: %s", strerror(errno));
    return true;
}

void tile_copy_drop(const tile_copy *copy) {
    if (copy->base)
        (void)madvise(copy->base, copy->bytes, MADV_DONTNEED);
}

void tile_copy_end(tile_copy *copy) {
    if (copy->base)
        munmap(copy->base, copy->bytes);
    if (copy->file >= 0)
        close(copy->file);
    *copy = (tile_copy){.file = -1};
}
