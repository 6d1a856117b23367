/// The decoded samples of a raster in a file without a name, which lives as long as the process.
///
/// The least and the greatest height are found before the first tile is computed, for which all samples are read once. They
/// are kept here, so that tiles, and what is around them, need not be decoded again. The file has the layout of the raster in
/// memory. It is not mapped: the system would map pages around those of a tile too, and they count as memory of the process.
#define _GNU_SOURCE // O_TMPFILE, madvise
#include "tile_copy.h"
#include "reach.h"
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
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
