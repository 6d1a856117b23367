/// Folders of terrain tiles: layer.json, and tiles by their names.
#define _LARGEFILE64_SOURCE // what GDAL calls the state of a file
#include "base/array.h"
#include "raster/gdal.h"
#include "raster/json_look.h"
#include "raster/quantized.h"
#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <inttypes.h>
#include <landfall/io.h>
#include <string.h>

#define MOST_BYTES ((int64_t)1 << 28) // of a tile or layer.json, unpacked: more is a trap
#define MOST_RANGES 1000000

/// Tiles that layer.json says there are.
typedef struct range {
    int64_t level, column_first, column_last, row_first, row_last;
} range;

struct lf_tile_folder {
    lf_allocator allocator;
    lf_host host;
    char *folder;    // CPLMalloc
    bool from_north; // rows are counted from the north
    int level_count;
    lf__array ranges;
};

/// A tile that a globe has in hand.
typedef struct loan {
    lf__quantized tile;
    lf_geodetic *vertices;
} loan;

// ---------------------------------------------------------------------------------------------------
// Files
// ---------------------------------------------------------------------------------------------------

static bool exists(const char *path) {
    VSIStatBufL about;
    return VSIStatExL(path, &about, VSI_STAT_EXISTS_FLAG) == 0;
}

static bool is_packed(const char *path) {
    unsigned char head[2] = {0, 0};
    VSILFILE *file = VSIFOpenL(path, "rb");
    if (!file)
        return false;
    size_t got = VSIFReadL(head, 1, 2, file);
    VSIFCloseL(file);
    return got == 2 && head[0] == 0x1f && head[1] == 0x8b;
}

static lf_status read_all(VSILFILE *file, const lf__gdal *gdal, const lf_allocator *allocator,
                          lf__array *bytes, lf_error *error) {
    for (;;) {
        const int64_t step = 1 << 16;
        lf_status status = lf__array_reserve(bytes, allocator, step, 1);
        if (status != LF_OK)
            return lf__fail_plain(error, status);
        size_t got = VSIFReadL((char *)bytes->items + bytes->count, 1, (size_t)step, file);
        bytes->count += (int64_t)got;
        if (bytes->count > MOST_BYTES)
            return lf__fail(error, LF_BAD_FORMAT, bytes->count, "%s: more than %" PRId64 " bytes", gdal->path,
                            MOST_BYTES);
        if (got < (size_t)step)
            return gdal->text[0] ? lf__gdal_fail(gdal, LF_BAD_FORMAT, "", error) : LF_OK;
    }
}

/// A whole file, unpacked if need be.
static lf_status read_file(const lf_tile_folder *terrain, const char *path, lf__array *bytes, lf_error *error) {
    lf__gdal gdal;
    lf_status status;
    lf__gdal_begin(&gdal, path, &terrain->host);
    // GDAL would leave a note of a packed file's size beside it.
    CPLSetThreadLocalConfigOption("CPL_VSIL_GZIP_WRITE_PROPERTIES", "NO");
    char *name = CPLStrdup(is_packed(path) ? CPLSPrintf("/vsigzip/%s", path) : path);
    VSILFILE *file = VSIFOpenL(name, "rb");
    if (!file) {
        status = lf__gdal_fail(&gdal, LF_IO_FAILED, "cannot be read", error);
    } else {
        status = read_all(file, &gdal, &terrain->allocator, bytes, error);
        VSIFCloseL(file);
    }
    CPLFree(name);
    lf__gdal_end(&gdal);
    return status;
}

// ---------------------------------------------------------------------------------------------------
// layer.json
// ---------------------------------------------------------------------------------------------------

static lf_status refuse(const char *path, const char *what, lf__json value, lf_status status,
                        lf_error *error) {
    int length = value.end - value.at > 60 ? 60 : (int)(value.end - value.at);
    return lf__fail(error, status, -1, "%s: %s is %.*s", path, what, length, value.at);
}

/// One rectangle of tiles of a level.
static bool read_range(lf__json item, int64_t level, range *r) {
    static const char *const names[] = {"startX", "endX", "startY", "endY"};
    int64_t values[4];
    for (int i = 0; i < 4; i++) {
        lf__json value;
        if (!lf__json_find(item, names[i], &value) || !lf__json_count(value, &values[i]) ||
            values[i] > INT32_MAX)
            return false;
    }
    *r = (range){level, values[0], values[1], values[2], values[3]};
    return values[0] <= values[1] && values[2] <= values[3];
}

static lf_status read_available(lf_tile_folder *terrain, const char *path, lf__json levels, lf_error *error) {
    lf__json next = {NULL, NULL}, name, ranges;
    for (int64_t level = 0; lf__json_next(levels, &next, &name, &ranges); level++) {
        lf__json inner = {NULL, NULL}, item;
        if (level >= LF_GLOBE_LEVELS)
            return lf__fail(error, LF_UNSUPPORTED, level, "%s: more than %d levels", path, LF_GLOBE_LEVELS);
        while (lf__json_next(ranges, &inner, &name, &item)) {
            range r;
            if (!read_range(item, level, &r) || terrain->ranges.count >= MOST_RANGES)
                return refuse(path, "a range of available tiles", item, LF_BAD_FORMAT, error);
            lf_status status = lf__array_reserve(&terrain->ranges, &terrain->allocator, 1, sizeof(range));
            if (status != LF_OK)
                return lf__fail_plain(error, status);
            ((range *)terrain->ranges.items)[terrain->ranges.count++] = r;
            terrain->level_count = (int)level + 1;
        }
    }
    return LF_OK;
}

/// The levels that are there as folders, from 0 on.
static int count_folders(const lf_tile_folder *terrain) {
    int level = 0;
    while (level < LF_GLOBE_LEVELS && exists(CPLSPrintf("%s/%d", terrain->folder, level)))
        level++;
    return level;
}

static lf_status read_layer(lf_tile_folder *terrain, const char *path, lf_error *error) {
    lf__array bytes = {0};
    lf__json all, item;
    const char *fault = NULL;
    lf_status status = read_file(terrain, path, &bytes, error);
    if (status != LF_OK)
        goto done;
    if (!lf__json_open(bytes.items, (size_t)bytes.count, &all, &fault)) {
        status = lf__fail(error, LF_BAD_FORMAT, fault - (const char *)bytes.items, "%s: no JSON at byte %td",
                          path, fault - (const char *)bytes.items);
        goto done;
    }
    if (!lf__json_find(all, "format", &item))
        status = lf__fail(error, LF_BAD_FORMAT, -1, "%s: no \"format\"", path);
    else if (!lf__json_is(item, "quantized-mesh-1.0"))
        status = refuse(path, "\"format\"", item, LF_BAD_FORMAT, error);
    else if (lf__json_find(all, "projection", &item) && !lf__json_is(item, "EPSG:4326"))
        status = refuse(path, "\"projection\"", item, LF_UNSUPPORTED, error);
    else if (lf__json_find(all, "scheme", &item) && !lf__json_is(item, "tms") &&
             !lf__json_is(item, "slippyMap"))
        status = refuse(path, "\"scheme\"", item, LF_BAD_FORMAT, error);
    if (status == LF_OK) {
        terrain->from_north = lf__json_find(all, "scheme", &item) && lf__json_is(item, "slippyMap");
        if (lf__json_find(all, "available", &item))
            status = read_available(terrain, path, item, error);
    }
    if (status == LF_OK && terrain->level_count == 0)
        terrain->level_count = count_folders(terrain);
    if (status == LF_OK && terrain->level_count == 0)
        status = lf__fail(error, LF_BAD_FORMAT, -1, "%s: no tiles of level 0", path);
done:
    lf__array_free(&bytes, &terrain->allocator, 1);
    return status;
}

lf_status lf_tile_folder_open(const char *path, const lf_host *host, lf_tile_folder **terrain, lf_error *error) {
    if (!path || !terrain)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "path or terrain is NULL");
    lf_allocator allocator = lf__allocator_of(host);
    lf_tile_folder *fresh = lf__take(&allocator, sizeof *fresh, LF__CACHE_LINE);
    if (!fresh)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *fresh = (lf_tile_folder){.allocator = allocator, .host = host ? *host : (lf_host){NULL, NULL, NULL, NULL}};
    bool named = strcmp(CPLGetFilename(path), "layer.json") == 0;
    fresh->folder = CPLStrdup(named ? CPLGetDirname(path) : path);
    char *layer = CPLStrdup(CPLSPrintf("%s/layer.json", fresh->folder));
    lf_status status = read_layer(fresh, layer, error);
    CPLFree(layer);
    if (status != LF_OK)
        lf_tile_folder_close(fresh);
    else
        *terrain = fresh;
    return status;
}

void lf_tile_folder_close(lf_tile_folder *terrain) {
    if (!terrain)
        return;
    lf_allocator allocator = terrain->allocator;
    lf__array_free(&terrain->ranges, &allocator, sizeof(range));
    CPLFree(terrain->folder);
    lf__give(&allocator, terrain, sizeof *terrain, LF__CACHE_LINE);
}

int lf_tile_folder_level_count(const lf_tile_folder *terrain) {
    return terrain->level_count;
}

// ---------------------------------------------------------------------------------------------------
// Tiles
// ---------------------------------------------------------------------------------------------------

/// A tile's path, in GDAL's ring of buffers.
static const char *path_of(const lf_tile_folder *terrain, lf_tile_key key) {
    int64_t row = terrain->from_north ? ((int64_t)1 << key.level) - 1 - key.row : key.row;
    return CPLSPrintf("%s/%d/%d/%" PRId64 ".terrain", terrain->folder, key.level, key.column, row);
}

/// Is there a tile beneath this one, as layer.json says?
static bool listed_beneath(const lf_tile_folder *terrain, lf_tile_key key) {
    const range *ranges = terrain->ranges.items;
    for (int64_t i = 0; i < terrain->ranges.count; i++) {
        range r = ranges[i];
        if (r.level < key.level)
            continue;
        int down = (int)r.level - key.level;
        int64_t column = (int64_t)key.column << down, row = (int64_t)key.row << down,
                last = ((int64_t)1 << down) - 1;
        if (terrain->from_north)
            row = ((int64_t)1 << r.level) - 1 - row - last;
        if (r.column_first <= column + last && r.column_last >= column && r.row_first <= row + last &&
            r.row_last >= row)
            return true;
    }
    return false;
}

/// Children are what is there as files; where layer.json lists what is available, also what leads to something that it lists.
static uint32_t children_of(const lf_tile_folder *terrain, lf_tile_key key) {
    uint32_t children = 0;
    if (key.level + 1 >= terrain->level_count)
        return 0;
    for (int quarter = 0; quarter < 4; quarter++) {
        lf_tile_key child = {key.level + 1, 2 * key.column + (quarter & 1), 2 * key.row + (quarter >> 1)};
        if (exists(path_of(terrain, child)) || listed_beneath(terrain, child))
            children |= 1u << quarter;
    }
    return children;
}

/// The vertices as places, within the tile's own area.
static lf_status place_vertices(const lf_tile_folder *terrain, lf_tile_key key, loan *lent, lf_error *error) {
    const lf__quantized *tile = &lent->tile;
    void *room;
    lf_status status = lf__take_array(&terrain->allocator, tile->vertex_count, sizeof(lf_geodetic), &room);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    lent->vertices = room;
    double width = ldexp(180, -key.level), west = -180 + key.column * width, south = -90 + key.row * width;
    for (int64_t i = 0; i < tile->vertex_count; i++)
        lent->vertices[i] = (lf_geodetic){west + width * ((double)tile->u[i] / LF__QUANTIZED_HIGH),
                                       south + width * ((double)tile->v[i] / LF__QUANTIZED_HIGH),
                                       lf__quantized_height(tile, i)};
    return LF_OK;
}

static void give_back(const lf_tile_folder *terrain, loan *lent) {
    lf__give_array(&terrain->allocator, lent->vertices, lent->tile.vertex_count, sizeof(lf_geodetic));
    lf__quantized_free(&lent->tile);
    lf__give(&terrain->allocator, lent, sizeof *lent, LF__CACHE_LINE);
}

static lf_status lend(const lf_tile_folder *terrain, lf_tile_key key, const char *path, loan **lent,
                      lf_error *error) {
    lf__array bytes = {0};
    lf_error inner = {LF_OK, -1, ""};
    lf_status status = LF_NO_MEMORY;
    loan *fresh = lf__take(&terrain->allocator, sizeof *fresh, LF__CACHE_LINE);
    if (!fresh)
        return lf__fail_plain(error, status);
    *fresh = (loan){0};
    status = read_file(terrain, path, &bytes, error);
    if (status == LF_OK) {
        status = lf__quantized_read(bytes.items, (size_t)bytes.count, &terrain->host, &fresh->tile, &inner);
        if (status != LF_OK)
            lf__fail(error, status, inner.where, "%s: %s", path, inner.text);
    }
    if (status == LF_OK)
        status = place_vertices(terrain, key, fresh, error);
    lf__array_free(&bytes, &terrain->allocator, 1);
    if (status != LF_OK)
        give_back(terrain, fresh);
    else
        *lent = fresh;
    return status;
}

static lf_tile_state fetch(void *user, lf_tile_key key, bool wait, lf_tile *tile, lf_error *detail) {
    lf_tile_folder *terrain = user;
    (void)wait;
    tile->children = children_of(terrain, key);
    char *path = CPLStrdup(path_of(terrain, key));
    lf_tile_state state = LF_TILE_ABSENT;
    if (exists(path)) {
        loan *lent = NULL;
        state = LF_TILE_FAILED;
        if (lend(terrain, key, path, &lent, detail) == LF_OK) {
            tile->vertices = lent->vertices;
            tile->vertex_count = lent->tile.vertex_count;
            tile->corners = lent->tile.corners;
            tile->triangle_count = lent->tile.triangle_count;
            tile->owner = lent;
            state = LF_TILE_READY;
        }
    }
    CPLFree(path);
    return state;
}

static void release(void *user, lf_tile *tile) {
    give_back(user, tile->owner);
}

lf_globe_provider lf_tile_folder_provider(lf_tile_folder *terrain) {
    return (lf_globe_provider){terrain, fetch, release};
}
