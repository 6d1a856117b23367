/// Tiles of the format quantized-mesh-1.0: reads each part in the order of the file, and compares its size
/// with what is left before it allocates: a tile of a hundred bytes that announces a billion vertices costs
/// nothing.
#include "raster/quantized.h"
#include "base/base.h"
#include <inttypes.h>
#include <string.h>

#define HEAD 88               // bytes before the number of vertices
#define SHORT_VERTICES 65536  // up to so many vertices corners have two bytes
#define HEIGHTMAP 8452        // bytes of a tile of the older format heightmap-1.0,
#define HEIGHTMAP_WATER 73987 // and of one with a water mask
enum { EXTENSION_NORMALS = 1 };

typedef struct tile_reader {
    const unsigned char *start;
    size_t at, size;
    lf__quantized *tile;
    lf_error *error;
    size_t corner_size;
    size_t vertices_at, corners_at, sides_at[LF__TILE_SIDES], normals_at; // where the parts begin; 0: none
} tile_reader;

static uint32_t load_integer(const unsigned char *at, size_t size) {
    uint32_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint32_t)at[i] << 8 * i;
    return value;
}

static double load_double(const unsigned char *at) {
    uint64_t bits = load_integer(at, 4) | (uint64_t)load_integer(at + 4, 4) << 32;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double load_float(const unsigned char *at) {
    uint32_t bits = load_integer(at, 4);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static lf_status refuse_truncated(const tile_reader *job, const char *what, uint32_t count) {
    return lf__fail(job->error, LF_BAD_FORMAT, (int64_t)job->size,
                    "truncated: %" PRIu32 " %s announced at byte %zu, %zu bytes left", count, what,
                    job->at - 4, job->size - job->at);
}

/// Read a count, and skip so many items of `item` bytes.
static lf_status skip_list(tile_reader *job, const char *what, size_t item, uint32_t *count, size_t *begins) {
    if (job->size - job->at < 4)
        return lf__fail(job->error, LF_BAD_FORMAT, (int64_t)job->size,
                        "truncated: %zu bytes, the number of %s is missing", job->size, what);
    *count = load_integer(job->start + job->at, 4);
    job->at += 4;
    *begins = job->at;
    if (*count > (job->size - job->at) / item)
        return refuse_truncated(job, what, *count);
    job->at += *count * item;
    return LF_OK;
}

static lf_vec3 load_vector(const unsigned char *at) {
    return (lf_vec3){load_double(at), load_double(at + 8), load_double(at + 16)};
}

static lf_status read_tile_head(tile_reader *job) {
    lf__quantized *tile = job->tile;
    if (job->size < HEAD + 4)
        return lf__fail(job->error, LF_BAD_FORMAT, (int64_t)job->size,
                        "not a quantized mesh: %zu bytes, its header has %d", job->size, HEAD + 4);
    const unsigned char *at = job->start;
    tile->centre = load_vector(at);
    tile->low = load_float(at + 24);
    tile->high = load_float(at + 28);
    tile->sphere_centre = load_vector(at + 32);
    tile->sphere_radius = load_double(at + 56);
    tile->horizon = load_vector(at + 64);
    if (!isfinite(tile->low) || !isfinite(tile->high) || tile->low > tile->high)
        return lf__fail(job->error, LF_BAD_FORMAT, 24,
                        "heights from %g to %g m: must be finite and ascending", tile->low, tile->high);
    if (!lf_vec3_finite(tile->centre))
        return lf__fail(job->error, LF_BAD_FORMAT, 0, "the tile's centre is not finite");
    job->at = HEAD;
    return LF_OK;
}

/// Find the parts up to the sides, and count.
static lf_status find_parts(tile_reader *job) {
    uint32_t count;
    lf__quantized *tile = job->tile;
    lf_status status = skip_list(job, "vertices", 6, &count, &job->vertices_at);
    if (status != LF_OK)
        return status;
    if (count < 3)
        return lf__fail(job->error, LF_BAD_FORMAT, HEAD, "%" PRIu32 " vertices: a tile has three or more",
                        count);
    tile->vertex_count = count;
    job->corner_size = count > SHORT_VERTICES ? 4 : 2;
    size_t over = job->at % job->corner_size;
    if (over != 0 && job->size - job->at >= job->corner_size - over)
        job->at += job->corner_size - over;
    size_t counted_at = job->at;
    status = skip_list(job, "triangles", 3 * job->corner_size, &count, &job->corners_at);
    if (status != LF_OK)
        return status;
    if (count == 0)
        return lf__fail(job->error, LF_BAD_FORMAT, (int64_t)counted_at,
                        "0 triangles: a tile has one or more");
    tile->triangle_count = count;
    static const char *const words[] = {"western side vertices", "southern side vertices",
                                        "eastern side vertices", "northern side vertices"};
    for (int side = 0; side < LF__TILE_SIDES && status == LF_OK; side++) {
        status = skip_list(job, words[side], job->corner_size, &count, &job->sides_at[side]);
        tile->side_counts[side] = count;
    }
    return status;
}

static uint32_t swap_bytes(uint32_t value) {
    return value >> 24 | (value >> 8 & 0xff00) | (value << 8 & 0xff0000) | value << 24;
}

/// Skip the extensions, whose lengths are written with the low byte first, or with the high one.
static lf_status walk_extensions(tile_reader *job, bool high_first) {
    job->normals_at = 0;
    while (job->at < job->size) {
        size_t left = job->size - job->at;
        if (left < 5)
            return lf__fail(job->error, LF_BAD_FORMAT, (int64_t)job->at,
                            "truncated: %zu bytes at the end are no extension", left);
        unsigned kind = job->start[job->at];
        uint32_t length = load_integer(job->start + job->at + 1, 4);
        if (high_first)
            length = swap_bytes(length);
        if (length > left - 5)
            return lf__fail(job->error, LF_BAD_FORMAT, (int64_t)job->at,
                            "truncated: extension %u has %" PRIu32 " bytes, %zu are left", kind, length,
                            left - 5);
        job->at += 5;
        if (kind == EXTENSION_NORMALS) {
            if (length != 2 * (uint64_t)job->tile->vertex_count)
                return lf__fail(job->error, LF_BAD_FORMAT, (int64_t)job->at,
                                "%" PRIu32 " bytes of normals for %" PRId64 " vertices", length,
                                job->tile->vertex_count);
            job->normals_at = job->at;
        }
        job->at += length;
    }
    return LF_OK;
}

/// Old servers wrote lengths with the high byte first: lengths that do not fit are read in that order.
static lf_status find_extensions(tile_reader *job) {
    size_t begin = job->at;
    lf_status status = walk_extensions(job, false);
    if (status == LF_OK)
        return LF_OK;
    tile_reader other = *job;
    other.at = begin;
    other.error = NULL;
    if (walk_extensions(&other, true) != LF_OK)
        return status;
    job->at = other.at;
    job->normals_at = other.normals_at;
    return LF_OK;
}

/// One block for all arrays. Every size has been measured against the file's, so nothing here can wrap.
static lf_status allocate_tile(tile_reader *job) {
    lf__quantized *tile = job->tile;
    size_t words = 0, corners = 3 * (size_t)tile->triangle_count;
    for (int side = 0; side < LF__TILE_SIDES; side++)
        words += (size_t)tile->side_counts[side];
    size_t vertices = (size_t)tile->vertex_count;
    tile->block_size = corners * sizeof(int64_t) + words * sizeof(uint32_t) +
                       vertices * (3 * sizeof(uint16_t)) + (job->normals_at ? 2 * vertices : 0);
    tile->block = lf__allocate(&tile->allocator, tile->block_size, LF__CACHE_LINE);
    if (!tile->block)
        return lf__fail_plain(job->error, LF_NO_MEMORY);
    tile->corners = tile->block;
    uint32_t *at = (uint32_t *)(tile->corners + corners);
    for (int side = 0; side < LF__TILE_SIDES; side++) {
        tile->sides[side] = at;
        at += (size_t)tile->side_counts[side];
    }
    tile->u = (uint16_t *)at;
    tile->v = tile->u + vertices;
    tile->h = tile->v + vertices;
    if (job->normals_at)
        tile->normals = (unsigned char *)(tile->h + vertices);
    return LF_OK;
}

/// Differences from vertex to vertex, the sign in the lowest bit.
static lf_status read_vertices(const tile_reader *job, char name, size_t begins, uint16_t *values) {
    int32_t value = 0;
    for (int64_t i = 0; i < job->tile->vertex_count; i++) {
        size_t at = begins + 2 * (size_t)i;
        int32_t step = (int32_t)load_integer(job->start + at, 2);
        value += step & 1 ? -(step >> 1) - 1 : step >> 1;
        if (value < 0 || value > LF__QUANTIZED_HIGH)
            return lf__fail(job->error, LF_BAD_FORMAT, (int64_t)at,
                            "vertex %" PRId64 ": %c = %" PRId32 " is not within 0 to %d", i, name, value,
                            LF__QUANTIZED_HIGH);
        values[i] = (uint16_t)value;
    }
    return LF_OK;
}

/// Corners count back from the highest vertex used so far; 0 is a new one.
static lf_status read_tile_corners(const tile_reader *job) {
    const lf__quantized *tile = job->tile;
    int64_t fresh = 0;
    for (int64_t i = 0; i < 3 * tile->triangle_count; i++) {
        size_t at = job->corners_at + job->corner_size * (size_t)i;
        int64_t back = load_integer(job->start + at, job->corner_size), corner = fresh - back;
        if (corner < 0 || corner >= tile->vertex_count)
            return lf__fail(job->error, LF_BAD_FORMAT, (int64_t)at,
                            "triangle %" PRId64 ": vertex number %" PRId64 " is not within 0 to %" PRId64,
                            i / 3, corner, tile->vertex_count - 1);
        fresh += back == 0;
        tile->corners[i] = corner;
    }
    return LF_OK;
}

static lf_status read_side(const tile_reader *job, int side) {
    const lf__quantized *tile = job->tile;
    const uint16_t *places = side == LF__TILE_WEST || side == LF__TILE_EAST ? tile->u : tile->v;
    uint16_t expected = side == LF__TILE_WEST || side == LF__TILE_SOUTH ? 0 : LF__QUANTIZED_HIGH;
    static const char *const words[] = {"western", "southern", "eastern", "northern"};
    for (int64_t i = 0; i < tile->side_counts[side]; i++) {
        size_t at = job->sides_at[side] + job->corner_size * (size_t)i;
        uint32_t vertex = load_integer(job->start + at, job->corner_size);
        if (vertex >= tile->vertex_count)
            return lf__fail(job->error, LF_BAD_FORMAT, (int64_t)at,
                            "%s side: vertex number %" PRIu32 " is not within 0 to %" PRId64, words[side],
                            vertex, tile->vertex_count - 1);
        if (places[vertex] != expected)
            return lf__fail(job->error, LF_BAD_FORMAT, (int64_t)at,
                            "%s side: vertex %" PRIu32 " lies at %u, not at %u", words[side], vertex,
                            places[vertex], expected);
        tile->sides[side][i] = vertex;
    }
    return LF_OK;
}

static lf_status read_parts(const tile_reader *job) {
    const lf__quantized *tile = job->tile;
    size_t column = 2 * (size_t)tile->vertex_count;
    lf_status status = read_vertices(job, 'u', job->vertices_at, tile->u);
    if (status == LF_OK)
        status = read_vertices(job, 'v', job->vertices_at + column, tile->v);
    if (status == LF_OK)
        status = read_vertices(job, 'h', job->vertices_at + 2 * column, tile->h);
    if (status == LF_OK)
        status = read_tile_corners(job);
    for (int side = 0; side < LF__TILE_SIDES && status == LF_OK; side++)
        status = read_side(job, side);
    if (status == LF_OK && tile->normals)
        memcpy(tile->normals, job->start + job->normals_at, column);
    return status;
}

/// The older format has no signature, but only two sizes; such a file is a quantized mesh only by chance.
static lf_status refuse_heightmap(const tile_reader *job, lf_status status) {
    if (status == LF_BAD_FORMAT && (job->size == HEIGHTMAP || job->size == HEIGHTMAP_WATER))
        return lf__fail(job->error, status, 0,
                        "not a quantized mesh: %zu bytes are the size of a heightmap-1.0 tile", job->size);
    return status;
}

lf_status lf__quantized_read(const void *data, size_t size, const lf_host *host, lf__quantized *tile,
                             lf_error *error) {
    lf__quantized fresh = {.allocator = lf__allocator_of(host)};
    tile_reader job = {.start = data, .size = size, .tile = &fresh, .error = error};
    lf_status status = read_tile_head(&job);
    if (status == LF_OK)
        status = find_parts(&job);
    if (status == LF_OK)
        status = find_extensions(&job);
    if (status == LF_OK)
        status = allocate_tile(&job);
    if (status == LF_OK)
        status = read_parts(&job);
    if (status != LF_OK) {
        lf__quantized_free(&fresh);
        return refuse_heightmap(&job, status);
    }
    *tile = fresh;
    return LF_OK;
}

void lf__quantized_free(lf__quantized *tile) {
    if (tile->block)
        lf__free(&tile->allocator, tile->block, tile->block_size, LF__CACHE_LINE);
    *tile = (lf__quantized){0};
}
