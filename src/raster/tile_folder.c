/// Folders of quantized-mesh terrain tiles: layer.json, and tiles by their paths.
#define _LARGEFILE64_SOURCE // what GDAL calls the state of a file
#include "base/containers.h"
#include "raster/quantized.h"
#include "raster/raster.h"
#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#define MOST_BYTES ((int64_t)1 << 28) // of a tile or layer.json, unpacked: more is a trap
#define MOST_RANGES 1000000

/// A rectangle of tiles that layer.json lists.
typedef struct tile_range {
    int64_t level, column_first, column_last, row_first, row_last;
} tile_range;

struct lf_tile_folder {
    lf_allocator allocator;
    lf_host host;
    char *folder;    // CPLMalloc
    bool from_north; // rows are counted from the north
    int level_count;
    lf__array ranges;
};

/// A tile that a globe has in hand.
typedef struct loaded_tile {
    lf__quantized tile;
    lf_geodetic *vertices;
} loaded_tile;

// ---------------------------------------------------------------------------------------------------
// Files
// ---------------------------------------------------------------------------------------------------

static bool path_exists(const char *path) {
    VSIStatBufL about;
    return VSIStatExL(path, &about, VSI_STAT_EXISTS_FLAG) == 0;
}

static bool is_gzip(const char *path) {
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
static lf_status read_tile_file(const lf_tile_folder *folder, const char *path, lf__array *bytes,
                                lf_error *error) {
    lf__gdal gdal;
    lf_status status;
    lf__gdal_begin(&gdal, path, &folder->host);
    // GDAL would leave a note of a packed file's size beside it.
    CPLSetThreadLocalConfigOption("CPL_VSIL_GZIP_WRITE_PROPERTIES", "NO");
    char *name = CPLStrdup(is_gzip(path) ? CPLSPrintf("/vsigzip/%s", path) : path);
    VSILFILE *file = VSIFOpenL(name, "rb");
    if (!file) {
        status = lf__gdal_fail(&gdal, LF_IO_FAILED, "cannot be read", error);
    } else {
        status = read_all(file, &gdal, &folder->allocator, bytes, error);
        VSIFCloseL(file);
    }
    CPLFree(name);
    lf__gdal_end(&gdal);
    return status;
}

// ---------------------------------------------------------------------------------------------------
// layer.json
// ---------------------------------------------------------------------------------------------------

/// Refuse a value of layer.json, with its text.
static lf_status refuse_value(const char *path, const char *what, const json_t *value, lf_status status,
                              lf_error *error) {
    char text[1024] = ""; // a longer text is cut, with a zero left at its end
    json_dumpb(value, text, sizeof text - 1, JSON_ENCODE_ANY);
    return lf__fail(error, status, -1, "%s: %s is %.60s", path, what, text);
}

/// A number that is whole, not negative and below 2^31.
static bool json_is_index(const json_t *value, int64_t *index) {
    double number = json_is_number(value) ? json_number_value(value) : -1;
    if (!(number >= 0 && number <= INT32_MAX) || number != floor(number))
        return false;
    *index = (int64_t)number;
    return true;
}

/// One rectangle of tiles of a level.
static bool read_range(const json_t *item, int64_t level, tile_range *r) {
    static const char *const names[] = {"startX", "endX", "startY", "endY"};
    int64_t values[4];
    for (int i = 0; i < 4; i++)
        if (!json_is_index(json_object_get(item, names[i]), &values[i]))
            return false;
    *r = (tile_range){level, values[0], values[1], values[2], values[3]};
    return values[0] <= values[1] && values[2] <= values[3];
}

static lf_status read_available(lf_tile_folder *folder, const char *path, const json_t *levels,
                                lf_error *error) {
    size_t level, i;
    const json_t *ranges, *item;
    json_array_foreach(levels, level, ranges) {
        if (level >= LF_GLOBE_LEVELS)
            return lf__fail(error, LF_UNSUPPORTED, (int64_t)level, "%s: %zu levels: at most %d are supported",
                            path, json_array_size(levels), LF_GLOBE_LEVELS);
        json_array_foreach(ranges, i, item) {
            tile_range r;
            if (!read_range(item, (int64_t)level, &r) || folder->ranges.count >= MOST_RANGES)
                return refuse_value(path, "a range of available tiles", item, LF_BAD_FORMAT, error);
            lf_status status = lf__array_reserve(&folder->ranges, &folder->allocator, 1, sizeof(tile_range));
            if (status != LF_OK)
                return lf__fail_plain(error, status);
            ((tile_range *)folder->ranges.items)[folder->ranges.count++] = r;
            folder->level_count = (int)level + 1;
        }
    }
    return LF_OK;
}

/// The number of levels that exist as folders, from 0 on.
static int count_folders(const lf_tile_folder *folder) {
    int level = 0;
    while (level < LF_GLOBE_LEVELS && path_exists(CPLSPrintf("%s/%d", folder->folder, level)))
        level++;
    return level;
}

static bool json_is_text(const json_t *value, const char *text) {
    return json_is_string(value) && strcmp(json_string_value(value), text) == 0;
}

static lf_status read_members(lf_tile_folder *folder, const char *path, const json_t *layer,
                              lf_error *error) {
    const json_t *format = json_object_get(layer, "format"), *scheme = json_object_get(layer, "scheme"),
                 *projection = json_object_get(layer, "projection");
    if (!format)
        return lf__fail(error, LF_BAD_FORMAT, -1, "%s: no \"format\": expected \"quantized-mesh-1.0\"", path);
    if (!json_is_text(format, "quantized-mesh-1.0"))
        return refuse_value(path, "\"format\"", format, LF_BAD_FORMAT, error);
    if (projection && !json_is_text(projection, "EPSG:4326"))
        return refuse_value(path, "\"projection\"", projection, LF_UNSUPPORTED, error);
    if (scheme && !json_is_text(scheme, "tms") && !json_is_text(scheme, "slippyMap"))
        return refuse_value(path, "\"scheme\"", scheme, LF_BAD_FORMAT, error);
    folder->from_north = json_is_text(scheme, "slippyMap");
    lf_status status = read_available(folder, path, json_object_get(layer, "available"), error);
    if (status != LF_OK)
        return status;
    if (folder->level_count == 0)
        folder->level_count = count_folders(folder);
    return folder->level_count > 0 ? LF_OK
                                   : lf__fail(error, LF_BAD_FORMAT, -1, "%s: no tiles of level 0", path);
}

static lf_status read_layer(lf_tile_folder *folder, const char *path, lf_error *error) {
    lf__array bytes = {0};
    json_error_t fault;
    lf_status status = read_tile_file(folder, path, &bytes, error);
    if (status == LF_OK) {
        json_t *layer = json_loadb(bytes.items ? bytes.items : "", (size_t)bytes.count,
                                   JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &fault);
        status = layer ? read_members(folder, path, layer, error)
                       : lf__fail(error, LF_BAD_FORMAT, fault.position, "%s: no JSON at byte %d: %s", path,
                                  fault.position, fault.text);
        json_decref(layer);
    }
    lf__array_free(&bytes, &folder->allocator, 1);
    return status;
}

lf_status lf_tile_folder_open(const char *path, const lf_host *host, lf_tile_folder **folder,
                              lf_error *error) {
    if (!path || !folder)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "path or folder is NULL");
    lf_allocator allocator = lf__allocator_of(host);
    lf_tile_folder *fresh = lf__allocate(&allocator, sizeof *fresh, LF__CACHE_LINE);
    if (!fresh)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *fresh =
        (lf_tile_folder){.allocator = allocator, .host = host ? *host : (lf_host){NULL, NULL, NULL, NULL}};
    bool named = strcmp(CPLGetFilename(path), "layer.json") == 0;
    fresh->folder = CPLStrdup(named ? CPLGetDirname(path) : path);
    char *layer = CPLStrdup(CPLSPrintf("%s/layer.json", fresh->folder));
    lf_status status = read_layer(fresh, layer, error);
    CPLFree(layer);
    if (status != LF_OK)
        lf_tile_folder_close(fresh);
    else
        *folder = fresh;
    return status;
}

void lf_tile_folder_close(lf_tile_folder *folder) {
    if (!folder)
        return;
    lf_allocator allocator = folder->allocator;
    lf__array_free(&folder->ranges, &allocator, sizeof(tile_range));
    CPLFree(folder->folder);
    lf__free(&allocator, folder, sizeof *folder, LF__CACHE_LINE);
}

// ---------------------------------------------------------------------------------------------------
// Tiles
// ---------------------------------------------------------------------------------------------------

/// A tile's path, in GDAL's ring of buffers.
static const char *tile_path(const lf_tile_folder *folder, lf_tile_key key) {
    int64_t row = folder->from_north ? ((int64_t)1 << key.level) - 1 - key.row : key.row;
    return CPLSPrintf("%s/%d/%d/%" PRId64 ".terrain", folder->folder, key.level, key.column, row);
}

/// Whether layer.json lists this tile or a finer one in it.
static bool listed_beneath(const lf_tile_folder *folder, lf_tile_key key) {
    const tile_range *ranges = folder->ranges.items;
    for (int64_t i = 0; i < folder->ranges.count; i++) {
        tile_range r = ranges[i];
        if (r.level < key.level)
            continue;
        int down = (int)r.level - key.level;
        int64_t column = (int64_t)key.column << down, row = (int64_t)key.row << down,
                last = ((int64_t)1 << down) - 1;
        if (folder->from_north)
            row = ((int64_t)1 << r.level) - 1 - row - last;
        if (r.column_first <= column + last && r.column_last >= column && r.row_first <= row + last &&
            r.row_last >= row)
            return true;
    }
    return false;
}

/// Children are what is there as files; where layer.json lists what is available, also what leads to
/// something that it lists.
static uint32_t tile_children(const lf_tile_folder *folder, lf_tile_key key) {
    uint32_t children = 0;
    if (key.level + 1 >= folder->level_count)
        return 0;
    for (int quarter = 0; quarter < 4; quarter++) {
        lf_tile_key child = {key.level + 1, 2 * key.column + (quarter & 1), 2 * key.row + (quarter >> 1)};
        if (path_exists(tile_path(folder, child)) || listed_beneath(folder, child))
            children |= 1u << quarter;
    }
    return children;
}

/// The vertices as places, within the tile's own area.
static lf_status place_vertices(const lf_tile_folder *folder, lf_tile_key key, loaded_tile *loaded,
                                lf_error *error) {
    const lf__quantized *tile = &loaded->tile;
    void *memory;
    lf_status status =
        lf__allocate_array(&folder->allocator, tile->vertex_count, sizeof(lf_geodetic), &memory);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    loaded->vertices = memory;
    double width = ldexp(180, -key.level), west = -180 + key.column * width, south = -90 + key.row * width;
    for (int64_t i = 0; i < tile->vertex_count; i++)
        loaded->vertices[i] = (lf_geodetic){west + width * ((double)tile->u[i] / LF__QUANTIZED_HIGH),
                                            south + width * ((double)tile->v[i] / LF__QUANTIZED_HIGH),
                                            lf__quantized_height(tile, i)};
    return LF_OK;
}

static void free_tile(const lf_tile_folder *folder, loaded_tile *loaded) {
    lf__free_array(&folder->allocator, loaded->vertices, loaded->tile.vertex_count, sizeof(lf_geodetic));
    lf__quantized_free(&loaded->tile);
    lf__free(&folder->allocator, loaded, sizeof *loaded, LF__CACHE_LINE);
}

static lf_status load_tile(const lf_tile_folder *folder, lf_tile_key key, const char *path,
                           loaded_tile **loaded, lf_error *error) {
    lf__array bytes = {0};
    lf_error inner = {LF_OK, -1, ""};
    lf_status status = LF_NO_MEMORY;
    loaded_tile *fresh = lf__allocate(&folder->allocator, sizeof *fresh, LF__CACHE_LINE);
    if (!fresh)
        return lf__fail_plain(error, status);
    *fresh = (loaded_tile){0};
    status = read_tile_file(folder, path, &bytes, error);
    if (status == LF_OK) {
        status = lf__quantized_read(bytes.items, (size_t)bytes.count, &folder->host, &fresh->tile, &inner);
        if (status != LF_OK)
            lf__fail(error, status, inner.where, "%s: %s", path, inner.text);
    }
    if (status == LF_OK)
        status = place_vertices(folder, key, fresh, error);
    lf__array_free(&bytes, &folder->allocator, 1);
    if (status != LF_OK)
        free_tile(folder, fresh);
    else
        *loaded = fresh;
    return status;
}

static lf_tile_state fetch_tile(void *user, lf_tile_key key, bool wait, lf_tile *tile, lf_error *detail) {
    lf_tile_folder *folder = user;
    (void)wait;
    tile->children = tile_children(folder, key);
    char *path = CPLStrdup(tile_path(folder, key));
    lf_tile_state state = LF_TILE_ABSENT;
    if (path_exists(path)) {
        loaded_tile *loaded = NULL;
        state = LF_TILE_FAILED;
        if (load_tile(folder, key, path, &loaded, detail) == LF_OK) {
            tile->vertices = loaded->vertices;
            tile->vertex_count = loaded->tile.vertex_count;
            tile->corners = loaded->tile.corners;
            tile->triangle_count = loaded->tile.triangle_count;
            tile->owner = loaded;
            state = LF_TILE_READY;
        }
    }
    CPLFree(path);
    return state;
}

static void release_tile(void *user, lf_tile *tile) {
    free_tile(user, tile->owner);
}

lf_globe_provider lf_tile_folder_provider(lf_tile_folder *folder, int *level_count) {
    if (level_count)
        *level_count = folder->level_count;
    return (lf_globe_provider){folder, fetch_tile, release_tile};
}
