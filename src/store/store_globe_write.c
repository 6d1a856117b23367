/// Writing globes: a table of tiles in the order of their keys, and the samples of the tiles.
///
/// Tiles are written from the roots down, each before its children and these in the order of their keys: the same file for any number of
/// threads. Known tiles that are not written yet form a list in that order. Several threads fetch, check and encode the next ones; one
/// writes them as soon as they are first.
#define _POSIX_C_SOURCE 200809L // fdopen
#include "base/base.h"
#include "base/beside.h"
#include "globe/globe.h"
#include "store/sections.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// Tiles that are fetched at a time, for each thread; fewer where they and those that wait take more than so many bytes.
#define TILES_AHEAD 32
#define BYTES_AHEAD ((size_t)32 << 20)

#define DEEPEST 20 // levels of which progress tells

/// Tiles to be written. Their samples are in a temporary file, because they may be larger than memory.
typedef struct lf__globe_spool {
    lf_allocator allocator;
    lf__array records; ///< of lf__tile_record
    lf__array parents; ///< of int64_t: the record of the parent of each, or -1
    lf__array sums;    ///< of posts_sum, in the order of their offsets
    FILE *file;
    uint64_t bytes;
    int64_t *voids; ///< samples without a height; the writer's memory
} spool;

/// The checksum of the samples of a tile.
typedef struct posts_sum {
    uint64_t offset, sum;
} posts_sum;

/// A tile that is known but not written.
typedef struct next_tile {
    struct next_tile *next; ///< in the order of writing
    lf_tile_key key;
    int64_t parent; ///< its record, or -1
    bool fetched;
    // Once it was fetched:
    lf_status status;
    lf_error error;
    lf_tile_state state;
    uint32_t children;
    int64_t voids;
    lf__tile_record record;
    void *posts; ///< encoded samples, and their size up to a multiple of 8
    size_t bytes;
    uint64_t sum;
    struct next_tile *first_child, *last_child; ///< of those that are not written
} next_tile;

/// One writing.
typedef struct writing {
    const lf_globe *globe;
    const lf_host *host;
    const lf_tasks *tasks;
    const char *path;
    spool *spool;
    next_tile *first;  ///< of those that are not written
    next_tile **batch; ///< those that are fetched now
    int64_t batch_count, most;
    _Atomic int64_t taken; ///< of the batch
    size_t held, largest;  ///< bytes of fetched tiles, and of the largest so far
    int64_t done, total;   ///< in tiles of the finest level
    lf_status status;
    lf_error *error;
} writing;

/// The temporary file is in the folder of the target.
static lf_status spool_failure(const char *path, lf_error *error) {
    return lf__fail(error, LF_IO_FAILED, -1, "%s: temporary file of tiles: %s", path, strerror(errno));
}

// ---------------------------------------------------------------------------------------------------
// Encoding, on any thread
// ---------------------------------------------------------------------------------------------------

static bool store_globe_all_whole(const lf_tile *tile) {
    for (int64_t i = 0; i < (int64_t)tile->columns * tile->rows; i++) {
        float h = tile->heights[i];
        if (!(h >= -32768 && h <= 32767) || h != (float)(int16_t)h)
            return false;
    }
    return true;
}

/// Space for encoded samples, with zeros up to a multiple of 8.
static bool take_posts(const lf_allocator *allocator, next_tile *t, size_t bytes) {
    t->bytes = (bytes + 7) / 8 * 8;
    t->posts = lf__allocate(allocator, t->bytes, LF__CACHE_LINE);
    if (!t->posts) {
        t->status = lf__fail_plain(&t->error, LF_NO_MEMORY);
        return false;
    }
    memset((char *)t->posts + bytes, 0, t->bytes - bytes);
    return true;
}

/// Whole metres need half the space.
static void encode_grid(const lf_allocator *allocator, const lf_tile *tile, next_tile *t) {
    int64_t count = (int64_t)tile->columns * tile->rows;
    lf__tile_record *r = &t->record;
    for (int64_t i = 0; i < count; i++)
        t->voids += isnan(tile->heights[i]);
    r->type = store_globe_all_whole(tile) ? LF__TILE_RECORD_INT16 : LF__TILE_RECORD_FLOAT;
    r->columns = (uint32_t)tile->columns;
    r->rows = (uint32_t)tile->rows;
    r->west = tile->west;
    r->south = tile->south;
    r->per_column = tile->per_column;
    r->per_row = tile->per_row;
    size_t bytes = (size_t)count * (r->type == LF__TILE_RECORD_FLOAT ? sizeof(float) : sizeof(int16_t));
    if (!take_posts(allocator, t, bytes))
        return;
    if (r->type == LF__TILE_RECORD_FLOAT)
        memcpy(t->posts, tile->heights, bytes);
    for (int64_t i = 0; r->type != LF__TILE_RECORD_FLOAT && i < count; i++)
        ((int16_t *)t->posts)[i] = (int16_t)tile->heights[i];
    t->sum = lf__xxh64(t->posts, bytes, 0);
}

static void encode_tin(const lf_allocator *allocator, const lf_tile *tile, next_tile *t) {
    lf__tile_record *r = &t->record;
    r->type = LF__TILE_RECORD_TIN;
    r->columns = (uint32_t)tile->vertex_count;
    r->rows = (uint32_t)tile->triangle_count;
    int64_t count = 3 * tile->triangle_count;
    size_t vertices = (size_t)tile->vertex_count * sizeof *tile->vertices, // a multiple of 8
        size = (size_t)count * sizeof(uint32_t);
    if (!take_posts(allocator, t, vertices + size))
        return;
    uint32_t *corners = (uint32_t *)(void *)((char *)t->posts + vertices);
    memcpy(t->posts, tile->vertices, vertices);
    for (int64_t i = 0; i < count; i++)
        corners[i] = (uint32_t)tile->corners[i];
    t->sum = lf__xxh64(corners, size, lf__xxh64(t->posts, vertices, 0));
}

/// Fetch a tile, check it and encode its samples.
static void fetch_next(const writing *w, next_tile *t) {
    const lf_globe_provider *provider = &w->globe->provider;
    lf_tile tile = {0};
    lf_error detail = {.where = -1};
    t->state = provider->fetch(provider->user, t->key, true, &tile, &detail);
    if (t->state == LF_TILE_FAILED || t->state == LF_TILE_LATER)
        t->status = lf__fail(&t->error, detail.status < 0 ? detail.status : LF_IO_FAILED, -1,
                             "tile %d/%d/%d: %.200s", t->key.level, t->key.column, t->key.row, detail.text);
    t->children = tile.children & LF_TILE_CHILDREN_UNKNOWN ? LF_TILE_CHILDREN_ALL : tile.children;
    t->children &= LF_TILE_CHILDREN_ALL;
    if (t->state == LF_TILE_READY) {
        lf__tile *made = NULL;
        t->status = lf__tile_make(w->globe, t->key, &tile, &made, &t->error);
        if (t->status == LF_OK) {
            t->record.low = made->own_low;
            t->record.high = made->own_high;
            lf__tile_free(w->globe, made);
            if (tile.columns > 0)
                encode_grid(&w->spool->allocator, &tile, t);
            else if (tile.triangle_count > 0)
                encode_tin(&w->spool->allocator, &tile, t);
        }
        if (provider->release)
            provider->release(provider->user, &tile);
    }
}

/// As many at once as the provider allows, each the next one that nobody has.
static void fetch_share(void *job, int64_t first, int64_t last, int worker) {
    writing *w = job;
    (void)worker;
    for (int64_t k = first; k < last; k++)
        for (int64_t i; (i = atomic_fetch_add(&w->taken, 1)) < w->batch_count;)
            fetch_next(w, w->batch[i]);
}

// ---------------------------------------------------------------------------------------------------
// The list of known tiles
// ---------------------------------------------------------------------------------------------------

/// Make a tile and put it behind another one, or first.
static next_tile *add_tile(writing *w, lf_tile_key key, next_tile *behind) {
    next_tile *t = lf__allocate(&w->spool->allocator, sizeof *t, _Alignof(next_tile));
    if (!t) {
        w->status = lf__fail_plain(w->error, LF_NO_MEMORY);
        return behind;
    }
    next_tile **place = behind ? &behind->next : &w->first;
    *t = (next_tile){.next = *place, .key = key, .parent = -1};
    t->record = (lf__tile_record){.key = lf_tile_pack(key), .low = LF_INFINITY, .high = -LF_INFINITY};
    *place = t;
    return t;
}

static void drop_first(writing *w) {
    next_tile *t = w->first;
    w->first = t->next;
    w->held -= t->bytes;
    lf__free(&w->spool->allocator, t->posts, t->bytes, LF__CACHE_LINE);
    lf__free(&w->spool->allocator, t, sizeof *t, _Alignof(next_tile));
}

/// The next tiles that are not fetched: one, or with several threads as many as are worth it.
static void choose_batch(writing *w) {
    size_t bytes = w->held;
    w->batch_count = 0;
    for (next_tile *t = w->first; t && w->batch_count < w->most; t = t->next)
        if (!t->fetched) {
            bytes += w->largest;
            if (w->batch_count > 0 && bytes > BYTES_AHEAD)
                break;
            w->batch[w->batch_count++] = t;
        }
}

/// Tiles below one that was fetched follow it.
static void add_children(writing *w, next_tile *t) {
    next_tile *behind = t;
    bool last = t->key.level + 1 >= w->globe->level_count;
    for (int k = 0; k < 4 && !last && w->status == LF_OK && t->status == LF_OK; k++)
        if (t->children & (1u << k)) {
            behind = add_tile(w, lf__tile_child(t->key, k), behind);
            t->first_child = t->first_child ? t->first_child : behind;
        }
    t->last_child = t->first_child ? behind : NULL;
}

static void fetch_batch(writing *w, int64_t threads) {
    choose_batch(w);
    w->taken = 0;
    threads = threads < w->batch_count ? threads : w->batch_count;
    lf__run(w->tasks, threads, 1, fetch_share, w);
    for (int64_t i = 0; i < w->batch_count; i++) {
        next_tile *t = w->batch[i];
        t->fetched = true;
        w->held += t->bytes;
        w->largest = t->bytes > w->largest ? t->bytes : w->largest;
        add_children(w, t);
    }
}

// ---------------------------------------------------------------------------------------------------
// Writing
// ---------------------------------------------------------------------------------------------------

static lf_status write_posts(writing *w, next_tile *t) {
    spool *s = w->spool;
    if (!t->posts)
        return LF_OK;
    if (lf__array_reserve(&s->sums, &s->allocator, 1, sizeof(posts_sum)) != LF_OK)
        return lf__fail_plain(w->error, LF_NO_MEMORY);
    if (fwrite(t->posts, 1, t->bytes, s->file) != t->bytes)
        return spool_failure(w->path ? w->path : "", w->error);
    t->record.offset = s->bytes;
    ((posts_sum *)s->sums.items)[s->sums.count++] = (posts_sum){s->bytes, t->sum};
    s->bytes += t->bytes;
    *s->voids += t->voids;
    return LF_OK;
}

/// The first tile of the list, which was fetched. Its children learn which record it has.
static lf_status write_first(writing *w) {
    next_tile *t = w->first;
    spool *s = w->spool;
    if (t->status != LF_OK && w->error)
        *w->error = t->error;
    if (t->status != LF_OK)
        return t->status;
    if (!t->first_child && t->key.level <= DEEPEST) {
        int deep = w->globe->level_count - 1 < DEEPEST ? w->globe->level_count - 1 : DEEPEST;
        w->done += t->key.level <= deep ? (int64_t)1 << 2 * (deep - t->key.level) : 0;
    }
    if (t->state == LF_TILE_ABSENT && t->children == 0)
        return LF_OK;
    if (lf__array_reserve(&s->records, &s->allocator, 1, sizeof t->record) != LF_OK ||
        lf__array_reserve(&s->parents, &s->allocator, 1, sizeof t->parent) != LF_OK)
        return lf__fail_plain(w->error, LF_NO_MEMORY);
    lf_status status = write_posts(w, t);
    if (status != LF_OK)
        return status;
    for (next_tile *child = t->first_child; child; child = child == t->last_child ? NULL : child->next)
        if (child->key.level == t->key.level + 1)
            child->parent = s->records.count;
    ((int64_t *)s->parents.items)[s->parents.count++] = t->parent;
    ((lf__tile_record *)s->records.items)[s->records.count++] = t->record;
    return LF_OK;
}

/// Bounds and children of tiles, from those below them, which follow.
static void join_parents(const spool *s) {
    lf__tile_record *records = s->records.items;
    for (int64_t i = s->records.count - 1; i >= 0; i--) {
        int64_t parent = ((const int64_t *)s->parents.items)[i];
        if (parent < 0)
            continue;
        lf_tile_key key = lf_tile_unpack(records[i].key);
        records[parent].low = fmin(records[parent].low, records[i].low);
        records[parent].high = fmax(records[parent].high, records[i].high);
        records[parent].children |= 1u << ((key.column & 1) + 2 * (key.row & 1));
    }
}

static void write_tiles(writing *w) {
    w->tasks = w->host ? w->host->tasks : NULL;
    int64_t threads = w->tasks && w->globe->provider.release ? w->globe->fetchers : 1;
    threads = threads > 1 && w->tasks->workers < threads ? w->tasks->workers : threads;
    w->most = threads > 1 ? threads * TILES_AHEAD : 1;
    w->status = lf__allocate_array(&w->spool->allocator, w->most, sizeof(next_tile *), (void **)&w->batch);
    next_tile *last = NULL;
    for (int row = 0; row < w->globe->root_rows; row++)
        for (int column = 0; column < w->globe->root_columns && w->status == LF_OK; column++)
            last = add_tile(w, (lf_tile_key){0, column, row}, last);
    while (w->first && w->status == LF_OK) {
        if (!lf__report(w->host, "tiles", w->done, w->total))
            w->status = lf__fail_plain(w->error, LF_CANCELLED);
        else if (!w->first->fetched)
            fetch_batch(w, threads);
        if (w->status == LF_OK)
            w->status = write_first(w);
        if (w->status == LF_OK)
            drop_first(w);
    }
    while (w->first)
        drop_first(w);
    lf__free_array(&w->spool->allocator, w->batch, w->most, sizeof(next_tile *));
    if (w->status == LF_OK)
        join_parents(w->spool);
}

static int by_key(const void *a, const void *b) {
    uint64_t x = ((const lf__tile_record *)a)->key, y = ((const lf__tile_record *)b)->key;
    return x < y ? -1 : x > y;
}

static lf_status give_tiles(const void *thing, const lf__store_sink *sink, const lf_host *host) {
    const spool *s = thing;
    char part[1 << 14];
    uint64_t done = 0;
    rewind(s->file);
    while (done < s->bytes) {
        size_t bytes = s->bytes - done < sizeof part ? (size_t)(s->bytes - done) : sizeof part;
        if (done % (1 << 24) == 0 && !lf__report(host, "file", (int64_t)done, (int64_t)s->bytes))
            return LF_CANCELLED;
        if (fread(part, 1, bytes, s->file) != bytes || !sink->take(sink->user, part, bytes))
            return LF_IO_FAILED;
        done += bytes;
    }
    return LF_OK;
}

void lf__globe_spool_free(lf__globe_spool *s) {
    if (!s)
        return;
    lf_allocator allocator = s->allocator;
    if (s->file)
        fclose(s->file);
    lf__array_free(&s->sums, &allocator, sizeof(posts_sum));
    lf__array_free(&s->parents, &allocator, sizeof(int64_t));
    lf__array_free(&s->records, &allocator, sizeof(lf__tile_record));
    lf__free(&allocator, s, sizeof *s, _Alignof(spool));
}

static lf_status fill_spool(lf__writer *writer, const lf_globe *globe, spool *s, lf_error *error) {
    int deep = globe->level_count - 1 < DEEPEST ? globe->level_count - 1 : DEEPEST;
    writing w = {.globe = globe, .host = writer->host, .path = writer->path, .spool = s, .error = error};
    w.total = (int64_t)globe->root_columns * globe->root_rows << 2 * deep;
    int descriptor = writer->path ? lf__nameless_beside(writer->path) : -1;
    s->file =
        descriptor >= 0 ? fdopen(descriptor, "w+b") : tmpfile(); // next to a device there is no folder for it
    if (!s->file) {
        lf_status status = spool_failure(writer->path ? writer->path : "", error);
        if (descriptor >= 0)
            close(descriptor);
        return status;
    }
    write_tiles(&w);
    if (w.status == LF_OK && fflush(s->file) != 0)
        return spool_failure(writer->path, error);
    if (w.status == LF_OK && s->records.count == 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "globe: no tiles");
    if (w.status == LF_OK)
        qsort(s->records.items, (size_t)s->records.count, sizeof(lf__tile_record), by_key);
    return w.status;
}

static int finest_level(const spool *s) {
    const lf__tile_record *last = (const lf__tile_record *)s->records.items + s->records.count - 1;
    return lf_tile_unpack(last->key).level; // levels are the highest bits of keys
}

static int by_offset(const void *a, const void *b) {
    uint64_t x = ((const posts_sum *)a)->offset, y = ((const posts_sum *)b)->offset;
    return x < y ? -1 : x > y;
}

/// In the order of the keys; 0 for tiles without a surface.
static void store_globe_add_sums(lf__writer *writer, const spool *s) {
    size_t size = (size_t)s->records.count * sizeof(uint64_t);
    uint64_t *sums = lf__writer_take(writer, size);
    for (int64_t k = 0; k < s->records.count && sums; k++) {
        const lf__tile_record *r = (const lf__tile_record *)s->records.items + k;
        posts_sum wanted = {.offset = r->offset};
        const posts_sum *found =
            r->type == LF__TILE_RECORD_NONE
                ? NULL
                : bsearch(&wanted, s->sums.items, (size_t)s->sums.count, sizeof wanted, by_offset);
        sums[k] = found ? found->sum : 0;
    }
    if (sums)
        lf__writer_add(writer, "sums", false, sums, size);
}

lf_status lf__store_add_globe(lf__writer *writer, const lf_globe *globe, lf__globe_spool **made,
                              lf_error *error) {
    lf__globe_record *r = lf__writer_take(writer, sizeof *r);
    int64_t *voids = lf__writer_take(writer, sizeof *voids);
    spool *s = lf__allocate(&writer->allocator, sizeof *s, _Alignof(spool));
    if (!r || !voids || !s) {
        lf__free(&writer->allocator, s, sizeof *s, _Alignof(spool));
        return lf__fail_plain(error, LF_NO_MEMORY);
    }
    *s = (spool){.allocator = writer->allocator, .voids = voids};
    *made = s;
    lf_status status = fill_spool(writer, globe, s, error);
    if (status != LF_OK)
        return status;
    *r = (lf__globe_record){.root_columns = (uint32_t)globe->root_columns,
                            .root_rows = (uint32_t)globe->root_rows,
                            .level_count = (uint32_t)finest_level(s) + 1,
                            .tile_count = s->records.count};
    lf__writer_add(writer, "globe", true, r, sizeof *r);
    lf__writer_add(writer, "keys", true, s->records.items,
                   (size_t)s->records.count * sizeof(lf__tile_record));
    lf__writer_add_given(writer, "posts", s->bytes, give_tiles, s);
    lf__writer_add(writer, "voids", false, voids, sizeof *voids);
    store_globe_add_sums(writer, s);
    return writer->status;
}
