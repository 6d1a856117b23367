/// What `landfall build` keeps while it works: FILE.work with a manifest, samples that have been read, heights that have been
/// compressed, tiles of a globe. A killed process leaves what it has finished; a block of samples counts once its byte is written, a record once
/// all of it is there.
#include "build_work.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

char *build_work_path(const build_work *work, const char *name) {
    size_t size = strlen(work->folder.folder) + strlen(name) + 2;
    char *path = allocate(size, 1);
    snprintf(path, size, "%s/%s", work->folder.folder, name);
    return path;
}

static int open_file(const build_work *work, const char *name, bool append) {
    const char *path = build_work_path(work, name);
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | (append ? O_APPEND : 0), 0666);
    if (file < 0)
        message_error("%s: %s", path, strerror(errno));
    return file;
}

// ---- Samples ------------------------------------------------------------------------------------

/// A mapped file of the folder. One of another size is of an earlier beginning: nothing in it counts.
static void *samples_memory(void *user, int which, size_t bytes) {
    build_work *work = user;
    int *file = which == 0 ? &work->samples : &work->mask;
    struct stat about;
    *file = open_file(work, which == 0 ? "samples" : "mask", false);
    if (*file < 0 || fstat(*file, &about) != 0)
        return NULL;
    if (about.st_size != (off_t)bytes) {
        work->read = 0;
        if (ftruncate(work->blocks, 0) != 0 || ftruncate(*file, 0) != 0)
            return NULL;
    }
    // Disk space is reserved first: writing to a mapped file without it is a bus error.
    int fault = posix_fallocate(*file, 0, (off_t)bytes);
    if (fault != 0) {
        message_error("%s: %s", build_work_path(work, which == 0 ? "samples" : "mask"), strerror(fault));
        return NULL;
    }
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, *file, 0);
    if (memory == MAP_FAILED)
        return NULL;
    work->memory[which] = memory;
    work->bytes[which] = bytes;
    return memory;
}

/// Blocks come in the same order each time.
static bool samples_has(void *user, const lf_window *pixels) {
    build_work *work = user;
    (void)pixels;
    return work->asked++ < work->read;
}

static bool samples_done(void *user, const lf_window *pixels) {
    build_work *work = user;
    (void)pixels;
    for (int k = 0; k < 2; k++)
        if (work->memory[k] && msync(work->memory[k], work->bytes[k], MS_ASYNC) != 0)
            return false;
    return write(work->blocks, "x", 1) == 1;
}

// ---- Compressed heights -------------------------------------------------------------------------

typedef struct record_head {
    uint64_t bytes, sum;
} record_head;

static uint64_t sum_of(const void *data, size_t bytes) {
    const uint8_t *at = data;
    uint64_t sum = 14695981039346656037u;
    for (size_t k = 0; k < bytes; k++)
        sum = (sum ^ at[k]) * 1099511628211u;
    return sum;
}

static const void *packed_load(void *user, size_t *bytes) {
    build_work *work = user;
    record_head head;
    struct stat about;
    bool whole = pread(work->packed, &head, sizeof head, work->at) == (ssize_t)sizeof head &&
                 fstat(work->packed, &about) == 0 &&
                 head.bytes <= (uint64_t)(about.st_size - work->at) - sizeof head;
    if (whole && head.bytes > work->record_bytes) {
        free(work->record);
        work->record = malloc(head.bytes);
        work->record_bytes = work->record ? head.bytes : 0;
    }
    whole =
        whole && head.bytes <= work->record_bytes &&
        pread(work->packed, work->record, head.bytes, work->at + (off_t)sizeof head) == (ssize_t)head.bytes &&
        sum_of(work->record, head.bytes) == head.sum;
    if (!whole) // what a killed process did not finish, and whatever follows
        return NULL;
    work->at += (int64_t)(sizeof head + head.bytes);
    *bytes = head.bytes;
    return work->record;
}

static bool append_record(build_work *work, const record_head *head, const void *record) {
    if (pwrite(work->packed, head, sizeof *head, work->at) != (ssize_t)sizeof *head ||
        pwrite(work->packed, record, head->bytes, work->at + (off_t)sizeof *head) != (ssize_t)head->bytes)
        return false;
    work->at += (int64_t)(sizeof *head + head->bytes);
    return true;
}

static bool packed_save(void *user, const void *record, size_t bytes) {
    record_head head = {bytes, sum_of(record, bytes)};
    return append_record(user, &head, record);
}

// ---- Tiles of globes ----------------------------------------------------------------------------

/// A record of a tile: this, then its heights.
typedef struct kept_tile {
    uint64_t key;
    lf_tile_state state;
    lf_tile tile; ///< without its pointers
} kept_tile;

/// Where the record of a tile begins.
typedef struct kept_place {
    uint64_t key;
    int64_t at;
} kept_place;

struct kept_tiles {
    lf_globe_provider inner;
    build_work *work;
    kept_place *places; ///< of an earlier run, by their keys
    int64_t count;
    pthread_mutex_t one_at_a_time; ///< appends
};

static int compare_keys(const void *a, const void *b) {
    uint64_t x = ((const kept_place *)a)->key, y = ((const kept_place *)b)->key;
    return x < y ? -1 : x > y;
}

/// List the records of an earlier run. What follows them, or is not whole, is written over.
static void list_kept(kept_tiles *kept) {
    build_work *work = kept->work;
    int64_t capacity = 0;
    struct stat about;
    record_head head;
    kept_place place;
    if (fstat(work->packed, &about) != 0)
        return;
    while (pread(work->packed, &head, sizeof head, work->at) == (ssize_t)sizeof head &&
           head.bytes >= sizeof(kept_tile) &&
           head.bytes <= (uint64_t)(about.st_size - work->at) - sizeof head &&
           pread(work->packed, &place.key, sizeof place.key, work->at + (off_t)sizeof head) ==
               (ssize_t)sizeof place.key) {
        place.at = work->at;
        kept->places = reserve(kept->places, &capacity, kept->count + 1, sizeof place);
        kept->places[kept->count++] = place;
        work->at += (int64_t)(sizeof head + head.bytes);
    }
    if (kept->count > 0)
        qsort(kept->places, (size_t)kept->count, sizeof place, compare_keys);
}

/// The record of a tile, freed by the caller; NULL where there is none, or it is damaged.
static kept_tile *find_kept(const kept_tiles *kept, uint64_t key) {
    const int file = kept->work->packed;
    kept_place wanted = {.key = key};
    const kept_place *place =
        kept->count > 0 ? bsearch(&wanted, kept->places, (size_t)kept->count, sizeof wanted, compare_keys)
                        : NULL;
    record_head head;
    if (!place || pread(file, &head, sizeof head, place->at) != (ssize_t)sizeof head)
        return NULL;
    kept_tile *record = malloc(head.bytes);
    bool whole = record &&
                 pread(file, record, head.bytes, place->at + (off_t)sizeof head) == (ssize_t)head.bytes &&
                 sum_of(record, head.bytes) == head.sum && record->key == key &&
                 head.bytes == sizeof *record +
                                   (size_t)record->tile.columns * (size_t)record->tile.rows * sizeof(float);
    if (!whole)
        free(record);
    return whole ? record : NULL;
}

/// Let a tile have the heights behind a record, which it owns.
static void use_record(kept_tile *record, lf_tile *tile) {
    *tile = record->tile;
    tile->owner = record;
    if (tile->columns > 0)
        tile->heights = (const float *)(const void *)(record + 1);
}

/// A tile as a record, appended to those of the work.
static kept_tile *keep_tile(kept_tiles *kept, uint64_t key, const lf_tile *tile, lf_tile_state state) {
    size_t heights = (size_t)tile->columns * (size_t)tile->rows * sizeof(float),
           bytes = sizeof(kept_tile) + heights;
    kept_tile *record = malloc(bytes);
    if (!record)
        return NULL;
    memset(record, 0, sizeof *record); // with what is between its fields
    record->key = key;
    record->state = state;
    record->tile = *tile;
    record->tile.heights = NULL;
    record->tile.owner = NULL;
    if (heights > 0)
        memcpy(record + 1, tile->heights, heights);
    record_head head = {bytes, sum_of(record, bytes)};
    pthread_mutex_lock(&kept->one_at_a_time);
    bool fine = append_record(kept->work, &head, record);
    pthread_mutex_unlock(&kept->one_at_a_time);
    if (!fine)
        free(record);
    return fine ? record : NULL;
}

static lf_tile_state fetch_kept(void *user, lf_tile_key key, bool wait, lf_tile *tile, lf_error *detail) {
    kept_tiles *kept = user;
    lf_tile fresh = {0};
    kept_tile *record = find_kept(kept, lf_tile_pack(key));
    lf_tile_state state = record ? record->state : LF_TILE_FAILED;
    if (!record) {
        state = kept->inner.fetch(kept->inner.user, key, wait, &fresh, detail);
        if (state != LF_TILE_ABSENT && state != LF_TILE_READY)
            return state;
        record = keep_tile(kept, lf_tile_pack(key), &fresh, state);
        if (state == LF_TILE_READY && kept->inner.release)
            kept->inner.release(kept->inner.user, &fresh);
    }
    if (!record) {
        snprintf(detail->text, sizeof detail->text,
                 "it could not be kept: no memory, or no space on the disk");
        detail->status = LF_IO_FAILED;
        return LF_TILE_FAILED;
    }
    use_record(record, tile);
    if (state == LF_TILE_ABSENT) { // then nothing is released
        tile->owner = NULL;
        free(record);
    }
    return state;
}

static void release_kept(void *user, lf_tile *tile) {
    (void)user;
    free(tile->owner);
}

kept_tiles *kept_tiles_open(build_work *work, lf_globe_provider *provider) {
    kept_tiles *kept = allocate(1, sizeof *kept);
    *kept = (kept_tiles){.inner = *provider, .work = work};
    pthread_mutex_init(&kept->one_at_a_time, NULL);
    list_kept(kept);
    *provider = (lf_globe_provider){kept, fetch_kept, release_kept};
    return kept;
}

void kept_tiles_close(kept_tiles *kept) {
    if (kept)
        pthread_mutex_destroy(&kept->one_at_a_time);
}

// ---- The folder ---------------------------------------------------------------------------------

bool build_work_open(cli *run, const char *path, build_work *work) {
    struct stat about;
    bool found = false;
    *work = (build_work){.samples = -1, .mask = -1, .blocks = -1, .packed = -1};
    work->job.run = run;
    work->folder = (tile_run){.columns = 1, .rows = 1, .lock = -1, .log = -1};
    work->folder.folder = allocate(strlen(path) + 8, 1);
    snprintf(work->folder.folder, strlen(path) + 8, "%s.work", path);
    if (!manifest_open(&work->job, &work->folder, &found))
        return false;
    if (!found && !manifest_create(&work->job, &work->folder))
        return false;
    work->blocks = open_file(work, "blocks", true);
    work->packed = open_file(work, "packed", false);
    if (work->blocks < 0 || work->packed < 0)
        return false;
    // Without its manifest what is in a folder is of an unknown job.
    if (!found && (ftruncate(work->blocks, 0) != 0 || ftruncate(work->packed, 0) != 0))
        return failed("%s: %s", work->folder.folder, strerror(errno));
    if (fstat(work->blocks, &about) == 0)
        work->read = about.st_size;
    work->raster = (lf_raster_keep){work, samples_memory, samples_has, samples_done, NULL};
    work->grid = (lf_grid_keep){work, packed_load, packed_save};
    return true;
}

/// Whether nothing has been done that could be continued.
static bool is_empty(const build_work *work) {
    struct stat blocks, packed;
    return work->blocks >= 0 && work->packed >= 0 && fstat(work->blocks, &blocks) == 0 &&
           blocks.st_size == 0 && fstat(work->packed, &packed) == 0 && packed.st_size == 0;
}

void build_work_close(build_work *work, bool done) {
    done = done || is_empty(work);
    int files[] = {work->samples, work->mask, work->blocks, work->packed};
    for (int k = 0; k < 2; k++)
        if (work->memory[k])
            munmap(work->memory[k], work->bytes[k]);
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        if (files[k] >= 0)
            close(files[k]);
    free(work->record);
    if (done)
        manifest_remove(&work->folder);
    else if (work->folder.lock >= 0)
        close(work->folder.lock);
}
