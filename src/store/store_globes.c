/// Globes in .lf files: a table of tiles in the order of their keys, and the samples of the tiles.
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

// ---------------------------------------------------------------------------------------------------
// Writing
// ---------------------------------------------------------------------------------------------------

/// Tiles to be written. Their samples are in a temporary file, because they may be larger than memory.
typedef struct lf__globe_spool {
    lf_allocator allocator;
    lf__array records; ///< of lf__tile_record
    lf__array sums;    ///< of posts_sum, in the order of their offsets
    FILE *file;
    uint64_t bytes;
    int64_t *voids; ///< samples without a height; the writer's memory
} spool;

/// The checksum of the samples of a tile.
typedef struct posts_sum {
    uint64_t offset, sum;
} posts_sum;

/// One writing.
typedef struct writing {
    const lf_globe *globe;
    const lf_host *host;
    const char *path;
    spool *spool;
    int64_t done, total; ///< in tiles of the finest level
    lf_status status;
    lf_error *error;
} writing;

typedef struct store_globe_bounds {
    double low, high;
} store_globe_bounds;

/// The temporary file is in the folder of the target.
static lf_status spool_failure(const char *path, lf_error *error) {
    return lf__fail(error, LF_IO_FAILED, -1, "%s: temporary file of tiles: %s", path, strerror(errno));
}

static uint64_t store_globe_append(writing *w, const void *data, size_t bytes) {
    static const char nothing[8];
    uint64_t at = w->spool->bytes;
    size_t fill = (8 - bytes % 8) % 8;
    if (fwrite(data, 1, bytes, w->spool->file) != bytes || fwrite(nothing, 1, fill, w->spool->file) != fill) {
        w->status = spool_failure(w->path, w->error);
        return 0;
    }
    w->spool->bytes += bytes + fill;
    return at;
}

static void note_sum(writing *w, uint64_t offset, uint64_t sum) {
    if (w->status == LF_OK)
        w->status = lf__array_reserve(&w->spool->sums, &w->spool->allocator, 1, sizeof(posts_sum));
    if (w->status == LF_OK)
        ((posts_sum *)w->spool->sums.items)[w->spool->sums.count++] = (posts_sum){offset, sum};
}

static bool store_globe_all_whole(const lf_tile *tile) {
    for (int64_t i = 0; i < (int64_t)tile->columns * tile->rows; i++) {
        float h = tile->heights[i];
        if (!(h >= -32768 && h <= 32767) || h != (float)(int16_t)h)
            return false;
    }
    return true;
}

/// Whole metres need half the space.
static void append_grid(writing *w, const lf_tile *tile, lf__tile_record *r) {
    int64_t count = (int64_t)tile->columns * tile->rows;
    for (int64_t i = 0; i < count; i++)
        *w->spool->voids += isnan(tile->heights[i]);
    r->type = store_globe_all_whole(tile) ? LF__TILE_RECORD_INT16 : LF__TILE_RECORD_FLOAT;
    r->columns = (uint32_t)tile->columns;
    r->rows = (uint32_t)tile->rows;
    r->west = tile->west;
    r->south = tile->south;
    r->per_column = tile->per_column;
    r->per_row = tile->per_row;
    if (r->type == LF__TILE_RECORD_FLOAT) {
        r->offset = store_globe_append(w, tile->heights, (size_t)count * sizeof(float));
        note_sum(w, r->offset, lf__xxh64(tile->heights, (size_t)count * sizeof(float), 0));
        return;
    }
    int16_t *whole;
    w->status = lf__allocate_array(&w->spool->allocator, count, sizeof *whole, (void **)&whole);
    if (w->status != LF_OK)
        return;
    for (int64_t i = 0; i < count; i++)
        whole[i] = (int16_t)tile->heights[i];
    r->offset = store_globe_append(w, whole, (size_t)count * sizeof *whole);
    note_sum(w, r->offset, lf__xxh64(whole, (size_t)count * sizeof *whole, 0));
    lf__free_array(&w->spool->allocator, whole, count, sizeof *whole);
}

static void append_tin(writing *w, const lf_tile *tile, lf__tile_record *r) {
    r->type = LF__TILE_RECORD_TIN;
    r->columns = (uint32_t)tile->vertex_count;
    r->rows = (uint32_t)tile->triangle_count;
    int64_t count = 3 * tile->triangle_count;
    uint32_t *corners;
    w->status = lf__allocate_array(&w->spool->allocator, count, sizeof *corners, (void **)&corners);
    if (w->status != LF_OK)
        return;
    for (int64_t i = 0; i < count; i++)
        corners[i] = (uint32_t)tile->corners[i];
    size_t vertices = (size_t)tile->vertex_count * sizeof *tile->vertices,
           size = (size_t)count * sizeof *corners;
    r->offset = store_globe_append(w, tile->vertices, vertices);
    if (w->status == LF_OK)
        store_globe_append(w, corners, size);
    note_sum(w, r->offset, lf__xxh64(corners, size, lf__xxh64(tile->vertices, vertices, 0)));
    lf__free_array(&w->spool->allocator, corners, count, sizeof *corners);
}

static store_globe_bounds store_globe_join(store_globe_bounds a, store_globe_bounds b) {
    return (store_globe_bounds){fmin(a.low, b.low), fmax(a.high, b.high)};
}

static store_globe_bounds store_globe_write_tile(writing *w, lf_tile_key key);

/// The tiles below one that has been written.
static store_globe_bounds write_children(writing *w, lf_tile_key key, uint32_t *children,
                                         store_globe_bounds sum) {
    uint32_t there = 0;
    bool last = key.level + 1 >= w->globe->level_count;
    for (uint32_t k = 0; k < 4 && !last && w->status == LF_OK; k++) {
        if (!(*children & (1u << k)))
            continue;
        int64_t before = w->spool->records.count;
        sum = store_globe_join(sum, store_globe_write_tile(w, lf__tile_child(key, (int)k)));
        there |= w->spool->records.count > before ? 1u << k : 0;
    }
    *children = there;
    return sum;
}

/// A tile and all tiles below it; bounds of all of them.
static store_globe_bounds store_globe_write_tile(writing *w, lf_tile_key key) {
    lf_tile tile = {0};
    lf_error detail = {.where = -1};
    store_globe_bounds sum = {LF_INFINITY, -LF_INFINITY};
    lf__tile_record r = {.key = lf_tile_pack(key)};
    const lf_globe_provider *provider = &w->globe->provider;
    if (!lf__report(w->host, "tiles", w->done, w->total)) {
        w->status = lf__fail_plain(w->error, LF_CANCELLED);
        return sum;
    }
    lf_tile_state state = provider->fetch(provider->user, key, true, &tile, &detail);
    if (state == LF_TILE_FAILED || state == LF_TILE_LATER)
        w->status = lf__fail(w->error, detail.status < 0 ? detail.status : LF_IO_FAILED, -1,
                             "tile %d/%d/%d: %.200s", key.level, key.column, key.row, detail.text);
    uint32_t children = tile.children & LF_TILE_CHILDREN_UNKNOWN ? LF_TILE_CHILDREN_ALL : tile.children;
    if (state == LF_TILE_READY) {
        lf__tile *made = NULL;
        w->status = lf__tile_make(w->globe, key, &tile, &made, w->error);
        if (w->status == LF_OK) {
            sum = (store_globe_bounds){made->own_low, made->own_high};
            lf__tile_free(w->globe, made);
            if (tile.columns > 0)
                append_grid(w, &tile, &r);
            else if (tile.triangle_count > 0)
                append_tin(w, &tile, &r);
        }
        if (provider->release)
            provider->release(provider->user, &tile);
    }
    if (w->status != LF_OK || (state == LF_TILE_ABSENT && (children & LF_TILE_CHILDREN_ALL) == 0))
        return sum;
    int64_t at = w->spool->records.count;
    w->status = lf__array_reserve(&w->spool->records, &w->spool->allocator, 1, sizeof r);
    if (w->status != LF_OK)
        return sum;
    w->spool->records.count++;
    sum = write_children(w, key, &children, sum);
    r.children = children;
    r.low = sum.low;
    r.high = sum.high;
    ((lf__tile_record *)w->spool->records.items)[at] = r;
    if (children == 0 && key.level < 20)
        w->done += (int64_t)1 << 2 * (w->globe->level_count - 1 - key.level < 20
                                          ? w->globe->level_count - 1 - key.level
                                          : 20);
    return sum;
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
    lf__array_free(&s->records, &allocator, sizeof(lf__tile_record));
    lf__free(&allocator, s, sizeof *s, _Alignof(spool));
}

static lf_status fill_spool(lf__writer *writer, const lf_globe *globe, spool *s, lf_error *error) {
    int deep = globe->level_count - 1 < 20 ? globe->level_count - 1 : 20;
    writing w = {
        globe, writer->host, writer->path, s, 0, (int64_t)globe->root_columns * globe->root_rows << 2 * deep,
        LF_OK, error};
    int descriptor = writer->path ? lf__nameless_beside(writer->path) : -1;
    s->file =
        descriptor >= 0 ? fdopen(descriptor, "w+b") : tmpfile(); // next to a device there is no folder for it
    if (!s->file) {
        lf_status status = spool_failure(writer->path ? writer->path : "", error);
        if (descriptor >= 0)
            close(descriptor);
        return status;
    }
    for (int row = 0; row < globe->root_rows; row++)
        for (int column = 0; column < globe->root_columns && w.status == LF_OK; column++)
            store_globe_write_tile(&w, (lf_tile_key){0, column, row});
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

// ---------------------------------------------------------------------------------------------------
// Reading
// ---------------------------------------------------------------------------------------------------

/// Tiles of a mapped file.
struct lf__globe_file {
    lf_allocator allocator;
    const lf__tile_record *records;
    int64_t count;
    lf__bytes posts;
    const uint64_t *sums; ///< per tile; NULL: all has been checked
    _Atomic int failure;  ///< an lf_status
    lf__paged *paged;     ///< reads the samples; NULL: they are mapped
};

static const lf__tile_record *store_globe_find(const lf__globe_file *file, uint64_t key) {
    int64_t low = 0, high = file->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (file->records[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < file->count && file->records[low].key == key ? &file->records[low] : NULL;
}

/// A number of bytes of the samples from an offset on; NULL when they are not within the file.
static const void *part_of(const lf__globe_file *file, uint64_t offset, uint64_t bytes) {
    if (offset % 8 != 0 || offset > file->posts.size || bytes > file->posts.size - offset)
        return NULL;
    return (const char *)file->posts.data + offset;
}

static bool store_globe_widen(const lf__globe_file *file, const lf__tile_record *r, lf_tile *tile) {
    int64_t count = (int64_t)r->columns * r->rows;
    const int16_t *whole = part_of(file, r->offset, (uint64_t)count * sizeof *whole);
    float *heights;
    if (!whole || lf__allocate_array(&file->allocator, count, sizeof *heights, (void **)&heights) != LF_OK)
        return false;
    for (int64_t i = 0; i < count; i++)
        heights[i] = (float)whole[i];
    tile->heights = tile->owner = heights;
    return true;
}

/// Compare the samples of a tile with their checksum. After a failure the globe answers no query.
static lf_status check_tile(lf__globe_file *file, const lf__tile_record *r, lf_error *error) {
    uint64_t first = (uint64_t)r->columns * r->rows, second = 0;
    if (r->type == LF__TILE_RECORD_TIN) {
        first = (uint64_t)r->columns * sizeof(lf_geodetic);
        second = 12 * (uint64_t)r->rows;
    } else {
        first *= r->type == LF__TILE_RECORD_INT16 ? sizeof(int16_t) : sizeof(float);
    }
    const void *data = part_of(file, r->offset, first), *rest = part_of(file, r->offset + first, second);
    lf_status status = data ? lf__paged_need(file->paged, data, (size_t)first, error) : LF_OK;
    if (rest && second > 0 && status == LF_OK)
        status = lf__paged_need(file->paged, rest, (size_t)second, error);
    uint64_t sum = data && status == LF_OK ? lf__xxh64(data, (size_t)first, 0) : 0;
    if (rest && second > 0 && status == LF_OK)
        sum = lf__xxh64(rest, (size_t)second, sum);
    if (status == LF_OK && (!data || sum != file->sums[r - file->records]))
        status = lf__fail(error, LF_BAD_FORMAT, -1, "its checksum is wrong");
    if (status != LF_OK) {
        atomic_store(&file->failure, (int)status);
        if (file->paged)
            lf__paged_report(file->paged, status);
    }
    return status;
}

/// The corners of a TIN are 32 bits wide in the file.
static bool read_corners(const lf__globe_file *file, const lf__tile_record *r, lf_tile *tile) {
    int64_t count = 3 * (int64_t)r->rows, *corners;
    uint64_t offset = r->offset + (uint64_t)r->columns * sizeof(lf_geodetic);
    const uint32_t *stored = part_of(file, offset, (uint64_t)count * sizeof *stored);
    if (!stored || lf__allocate_array(&file->allocator, count, sizeof *corners, (void **)&corners) != LF_OK)
        return false;
    for (int64_t i = 0; i < count; i++)
        corners[i] = stored[i];
    tile->corners = tile->owner = corners;
    return true;
}

static bool read_posts(const lf__globe_file *file, const lf__tile_record *r, lf_tile *tile) {
    uint64_t vertices = (uint64_t)r->columns * sizeof(lf_geodetic);
    if (r->type == LF__TILE_RECORD_TIN) {
        tile->vertex_count = r->columns;
        tile->triangle_count = r->rows;
        tile->vertices = part_of(file, r->offset, vertices);
        return tile->vertices && r->rows > 0 && read_corners(file, r, tile);
    }
    if (r->columns < 2 || r->rows < 2 || r->columns > 4097 || r->rows > 4097)
        return false;
    tile->columns = (int32_t)r->columns;
    tile->rows = (int32_t)r->rows;
    tile->west = r->west;
    tile->south = r->south;
    tile->per_column = r->per_column;
    tile->per_row = r->per_row;
    if (r->type == LF__TILE_RECORD_INT16)
        return store_globe_widen(file, r, tile);
    tile->heights = part_of(file, r->offset, (uint64_t)r->columns * r->rows * sizeof(float));
    return r->type == LF__TILE_RECORD_FLOAT && tile->heights;
}

static lf_tile_state store_globe_fetch(void *user, lf_tile_key key, bool wait, lf_tile *tile,
                                       lf_error *detail) {
    lf__globe_file *file = user;
    const lf__tile_record *r = store_globe_find(file, lf_tile_pack(key));
    (void)wait;
    if (!r)
        return LF_TILE_ABSENT;
    tile->children = r->children & LF_TILE_CHILDREN_ALL;
    tile->bounded = true;
    tile->low = r->low;
    tile->high = r->high;
    if (r->type == LF__TILE_RECORD_NONE)
        return LF_TILE_ABSENT;
    if (file->sums && check_tile(file, r, detail) != LF_OK)
        return LF_TILE_FAILED;
    if (read_posts(file, r, tile))
        return LF_TILE_READY;
    lf__fail(detail, LF_BAD_FORMAT, -1, "its samples are not within the file");
    return LF_TILE_FAILED;
}

static void store_globe_release(void *user, lf_tile *tile) {
    const lf__globe_file *file = user;
    if (tile->owner && tile->triangle_count > 0)
        lf__free_array(&file->allocator, tile->owner, 3 * tile->triangle_count, sizeof(int64_t));
    else if (tile->owner)
        lf__free_array(&file->allocator, tile->owner, (int64_t)tile->columns * tile->rows, sizeof(float));
}

void lf__globe_file_free(lf__globe_file *file) {
    if (file) {
        lf_allocator allocator = file->allocator;
        lf__free(&allocator, file, sizeof *file, _Alignof(lf__globe_file));
    }
}

lf_status lf__store_read_voids(const lf__reader *reader, int64_t *voids, lf_error *error) {
    *voids = -1;
    if (lf__reader_find(reader, 0, "voids").size == 0)
        return LF_OK;
    lf_status status = lf__reader_small(reader, "voids", voids, sizeof *voids, error);
    if (status == LF_OK && *voids < 0)
        return lf__fail(error, LF_BAD_FORMAT, -1,
                        "number of samples without a height %lld: must be 0 or more", (long long)*voids);
    return status;
}

lf_status lf__store_read_globe(const lf__reader *reader, lf__globe_file **made, lf_globe **globe,
                               lf_error *error) {
    lf__globe_record r;
    lf__bytes keys = lf__reader_find(reader, 0, "keys");
    lf_status status = lf__reader_record(reader, 0, "globe", &r, sizeof r, error);
    if (status != LF_OK)
        return status;
    if (r.tile_count < 1 || (uint64_t)r.tile_count != keys.size / sizeof(lf__tile_record) ||
        keys.size % sizeof(lf__tile_record) != 0)
        return lf__fail(error, LF_BAD_FORMAT, -1, "%lld tiles have %zu bytes of keys",
                        (long long)r.tile_count, keys.size);
    lf_allocator allocator = lf__allocator_of(reader->host);
    lf__globe_file *file = lf__allocate(&allocator, sizeof *file, _Alignof(lf__globe_file));
    if (!file)
        return lf__fail_plain(error, LF_NO_MEMORY);
    lf__bytes sums = reader->checked ? (lf__bytes){NULL, 0} : lf__reader_find(reader, 0, "sums");
    *file = (lf__globe_file){allocator, keys.data, r.tile_count, lf__reader_find(reader, 0, "posts"),
                             sums.data, LF_OK,     reader->paged};
    *made = file;
    if (sums.size > 0 && sums.size != (size_t)r.tile_count * sizeof(uint64_t))
        return lf__fail(error, LF_BAD_FORMAT, -1, "%lld tiles have %zu bytes of checksums",
                        (long long)r.tile_count, sums.size);
    lf_globe_def def = lf_globe_def_default();
    if (reader->host)
        def.host = *reader->host;
    def.ellipsoid = (lf_ellipsoid){reader->header->radius, reader->header->flattening};
    def.provider = (lf_globe_provider){file, store_globe_fetch, store_globe_release};
    def.root_columns = (int)(r.root_columns & 0xff);
    def.root_rows = (int)(r.root_rows & 0xff);
    def.level_count = (int)(r.level_count & 0xff);
    status = lf_globe_create(&def, globe, error);
    if (status == LF_OK)
        (*globe)->failure = &file->failure;
    lf_status failure = (lf_status)atomic_load(&file->failure);
    if (status == LF_OK && failure == LF_BAD_FORMAT)
        return lf__fail(error, LF_BAD_FORMAT, -1, "damaged: the checksum of a root tile is wrong");
    if (status == LF_OK && failure != LF_OK)
        return lf__fail(error, failure, -1, "%s", file->paged->error.text);
    return status == LF_BAD_ARGUMENT ? LF_BAD_FORMAT : status;
}
