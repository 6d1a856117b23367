/// Globes in .lf files: their tiles are found in a table of keys, and read when a query first needs them.
#include "base/base.h"
#include "globe/globe.h"
#include "store/sections.h"
#include <stdlib.h>
#include <string.h>

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
