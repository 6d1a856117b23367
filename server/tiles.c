#include "tiles.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define DEGREE 0.017453292519943295
#define PI 3.141592653589793
#define SIZE 256 // pixels of a side

lf_vec2 mercator_place(tile tile, double column, double row, int size) {
    double scale = ldexp(1, -tile.z);
    double x = ((double)tile.x + column / size) * scale, y = ((double)tile.y + row / size) * scale;
    return (lf_vec2){360 * x - 180, atan(sinh(PI * (1 - 2 * y))) / DEGREE};
}

bool tile_read(const char *text, const char *ending, bool geographic, tile *tile, reply *reply) {
    char *at, *end;
    long z = strtol(text, &at, 10);
    long long x = *at == '/' ? strtoll(at + 1, &at, 10) : -1, y = *at == '/' ? strtoll(at + 1, &end, 10) : -1;
    bool digits = strspn(text, "0123456789/") + strlen(ending) == strlen(text);
    if (!digits || y < 0 || strcmp(end, ending) != 0 || z < 0 || z >= TILE_LEVELS || x < 0 ||
        x >= (1LL << (z + geographic)) || y >= 1LL << z)
        return refuse(reply, 404,
                      "tile %.64s: expected Z/X/Y%s with Z from 0 to %d and X and Y within the level", text,
                      ending, TILE_LEVELS - 1);
    *tile = (struct tile){(int)z, x, y};
    return true;
}

bool tile_heights(const request *request, lf_vec2 *list, int64_t count, float *heights, int64_t *voids,
                  reply *reply) {
    places places = {.list = list, .count = count, .space = count};
    selection chosen;
    elevation *answers = memory_take((size_t)count * sizeof *answers);
    bool fine = answers || refuse(reply, 503, "out of memory");
    fine = fine && api_selection(request, &chosen, reply) &&
           heights_find(request, &chosen, &places, INTERPOLATION_BILINEAR, answers, reply);
    *voids = 0;
    for (int64_t i = 0; fine && i < count; i++) {
        heights[i] = (float)answers[i].height;
        *voids += isnan(answers[i].height);
    }
    memory_free(answers);
    return fine;
}

bool gzip_write(text *out, const void *bytes, size_t count, int level) {
    z_stream stream = {0};
    if (deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    uLong bound = deflateBound(&stream, (uLong)count);
    stream.next_in = (unsigned char *)(uintptr_t)bytes;
    stream.avail_in = (uInt)count;
    stream.next_out = (unsigned char *)text_space(out, bound);
    stream.avail_out = (uInt)bound;
    bool fine = !out->failed && deflate(&stream, Z_FINISH) == Z_STREAM_END;
    out->count += fine ? stream.total_out : 0;
    deflateEnd(&stream);
    return fine;
}

// ---- Pictures -----------------------------------------------------------------------------------

typedef enum picture_kind { TERRAIN_RGB, TERRARIUM, HILLSHADE, VIEWSHED, KINDS } picture_kind;

static const char *const kind_names[KINDS] = {"terrain-rgb/", "terrarium/", "hillshade/", "viewshed/"};

/// Heights of a tile with so many pixels around it.
static bool mercator_heights(const request *request, tile tile, int border, float **heights, int64_t *voids,
                             reply *reply) {
    int side = SIZE + 2 * border;
    lf_vec2 *list = memory_take((size_t)(side * side) * sizeof *list);
    *heights = memory_take((size_t)(side * side) * sizeof **heights);
    bool fine = (list && *heights) || refuse(reply, 503, "out of memory");
    for (int row = 0; fine && row < side; row++)
        for (int column = 0; column < side; column++)
            list[row * side + column] = mercator_place(tile, column - border + 0.5, row - border + 0.5, SIZE);
    fine = fine && tile_heights(request, list, side * side, *heights, voids, reply);
    memory_free(list);
    if (fine && *voids == side * side)
        fine = refuse(reply, 404, "tile %d/%lld/%lld: no ground there", tile.z, (long long)tile.x,
                      (long long)tile.y);
    return fine;
}

/// Heights as colours; voids are at sea level.
static bool encode_heights(const request *request, tile tile, bool terrarium, text *out, int64_t *voids,
                           reply *reply) {
    float *heights = NULL;
    uint8_t *pixels = memory_take(SIZE * SIZE * 3);
    bool fine = pixels || refuse(reply, 503, "out of memory");
    fine = fine && mercator_heights(request, tile, 0, &heights, voids, reply);
    for (int i = 0; fine && i < SIZE * SIZE; i++) {
        double height = isnan(heights[i]) ? 0 : (double)heights[i];
        double value = terrarium ? (height + 32768) * 256 : (height + 10000) * 10;
        int64_t code = (int64_t)floor(fmin(fmax(value, 0), 16777215) + 0.5);
        code = code > 16777215 ? 16777215 : code;
        pixels[3 * i] = (uint8_t)(code >> 16);
        pixels[3 * i + 1] = (uint8_t)(code >> 8);
        pixels[3 * i + 2] = (uint8_t)code;
    }
    picture image = {pixels, SIZE, SIZE, 3, NULL, 0, 4};
    fine = fine && (picture_write(out, &image) || refuse(reply, 503, "out of memory"));
    memory_free(heights);
    memory_free(pixels);
    return fine;
}

/// The light that falls on a slope from the northwest, 45 degrees high (Horn's differences); 1 .. 255.
static uint8_t shade(const float *h, int side, double metres) {
    double west = h[-side - 1] + 2 * h[-1] + h[side - 1], east = h[-side + 1] + 2 * h[1] + h[side + 1];
    double north = h[-side - 1] + 2 * h[-side] + h[-side + 1],
           south = h[side - 1] + 2 * h[side] + h[side + 1];
    double dx = (east - west) / (8 * metres), dy = (north - south) / (8 * metres);
    double light = (0.5 * dx - 0.5 * dy + 0.7071067811865476) / sqrt(1 + dx * dx + dy * dy);
    return (uint8_t)(isnan(light) ? 0 : 1 + fmin(fmax(light, 0), 1) * 254);
}

static bool draw_hillshade(const request *request, tile tile, text *out, int64_t *voids, reply *reply) {
    float *heights = NULL;
    uint8_t palette[256][4], *pixels = memory_take(SIZE * SIZE);
    bool fine = pixels || refuse(reply, 503, "out of memory");
    int side = SIZE + 2;
    fine = fine && mercator_heights(request, tile, 1, &heights, voids, reply);
    for (int row = 0; fine && row < SIZE; row++) {
        double lat = mercator_place(tile, 0.5, row + 0.5, SIZE).y;
        double metres = 40075016.68557849 * cos(lat * DEGREE) / SIZE * ldexp(1, -tile.z);
        for (int column = 0; column < SIZE; column++)
            pixels[row * SIZE + column] =
                shade(heights + (row + 1) * side + column + 1, side, fmax(metres, 1e-3));
    }
    for (int i = 0; i < 256; i++)
        palette[i][0] = palette[i][1] = palette[i][2] = (uint8_t)i, palette[i][3] = i ? 255 : 0;
    picture image = {pixels, SIZE, SIZE, 1, (const uint8_t(*)[4])palette, 256, 4};
    fine = fine && (picture_write(out, &image) || refuse(reply, 503, "out of memory"));
    memory_free(heights);
    memory_free(pixels);
    return fine;
}

static bool draw_viewshed(request *request, tile tile, text *out, reply *reply) {
    static const uint8_t palette[5][4] = {
        {0, 0, 0, 0}, {230, 90, 20, 160}, {120, 120, 120, 120}, {0, 0, 0, 0}, {0, 0, 0, 0}};
    uint8_t *pixels = memory_take(SIZE * SIZE);
    bool fine = pixels || refuse(reply, 503, "out of memory");
    fine = fine && viewshed_tile(request, tile, pixels, reply);
    picture image = {pixels, SIZE, SIZE, 1, palette, 5, 4};
    fine = fine && (picture_write(out, &image) || refuse(reply, 503, "out of memory"));
    memory_free(pixels);
    return fine;
}

static bool make_picture(request *request, text *out, int64_t *voids, reply *reply) {
    for (int kind = 0; kind < KINDS; kind++) {
        size_t length = strlen(kind_names[kind]);
        tile tile;
        if (strncmp(request->tail, kind_names[kind], length) != 0)
            continue;
        if (!tile_read(request->tail + length, ".png", false, &tile, reply))
            return false;
        return kind == HILLSHADE  ? draw_hillshade(request, tile, out, voids, reply)
               : kind == VIEWSHED ? draw_viewshed(request, tile, out, reply)
                                  : encode_heights(request, tile, kind == TERRARIUM, out, voids, reply);
    }
    return refuse(reply, 404, "%.64s: expected terrain-rgb, terrarium, hillshade or viewshed, and /Z/X/Y.png",
                  request->tail);
}

// ---- Kept tiles ---------------------------------------------------------------------------------

/// What a tile is kept under: its path, its parameters but for the key, and the grounds.
static void write_key(const request *request, text *key) {
    uint64_t grounds = 0;
    for (int i = 0; i < request->data->count; i++)
        grounds = grounds * 0x100000001b3u ^ request->data->list[i].hash;
    text_format(key, "%016llx", (unsigned long long)grounds);
    text_put(key, request->path);
    for (int i = 0; i < request->query_count; i++)
        if (strcmp(request->query[i].name, "key") != 0 && strcmp(request->query[i].name, "v") != 0) {
            text_byte(key, '&');
            text_put(key, request->query[i].name);
            text_byte(key, '=');
            text_put(key, request->query[i].value);
        }
    text_byte(key, '\0');
}

/// Replace a compressed blob by what is in it, for a client that does not take it.
static bool unpack(const blob *packed, reply *reply) {
    z_stream stream = {0};
    size_t space = 64 * packed->size + 65536;
    if (inflateInit2(&stream, 15 + 16) != Z_OK)
        return refuse(reply, 503, "out of memory");
    stream.next_in = (unsigned char *)(uintptr_t)packed->bytes;
    stream.avail_in = (uInt)packed->size;
    stream.next_out = (unsigned char *)text_space(&reply->body, space);
    stream.avail_out = (uInt)space;
    bool fine = !reply->body.failed && inflate(&stream, Z_FINISH) == Z_STREAM_END;
    reply->body.count = fine ? stream.total_out : 0;
    inflateEnd(&stream);
    return fine || refuse(reply, 503, "out of memory");
}

static void answer(request *request, blob *blob, reply *reply) {
    reply_header(reply, "ETag", "%s", blob->etag);
    reply_header(reply, "Cache-Control", "public, max-age=3600");
    if (blob->voids > 0)
        reply_header(reply, "X-Landfall-Voids", "%lld", (long long)blob->voids);
    if (request->if_none_match &&
        (strstr(request->if_none_match, blob->etag) || strcmp(request->if_none_match, "*") == 0)) {
        reply->status = 304;
        blob_release(blob);
    } else if (blob->gzipped && !request->gzip) {
        reply->type = strcmp(blob->type, "application/vnd.quantized-mesh") == 0
                          ? "application/vnd.quantized-mesh"
                          : "image/png";
        unpack(blob, reply);
        blob_release(blob);
    } else {
        reply->blob = blob;
    }
}

bool tile_peek(request *request, reply *reply) {
    text key = {0};
    write_key(request, &key);
    blob *found = key.failed || request->method == HTTP_POST
                      ? NULL
                      : cache_find(request->server->cache, key.bytes, false);
    text_free(&key);
    if (found)
        answer(request, found, reply);
    return found != NULL;
}

static void keep_and_answer(request *request, const char *key, blob *made, reply *reply) {
    if (!made) {
        refuse(reply, 503, "out of memory");
        return;
    }
    snprintf(made->etag, sizeof made->etag, "\"%016llx\"",
             (unsigned long long)hash_bytes(made->bytes, made->size));
    cache_keep(request->server->cache, key, made);
    answer(request, made, reply);
}

void tile_picture(request *request, reply *reply) {
    text key = {0}, out = {0};
    int64_t voids = 0;
    write_key(request, &key);
    blob *found = key.failed ? NULL : cache_find(request->server->cache, key.bytes, true);
    if (key.failed)
        refuse(reply, 503, "out of memory");
    else if (found)
        answer(request, found, reply);
    else if (make_picture(request, &out, &voids, reply)) {
        blob *made = blob_create(out.bytes, out.count);
        if (made) {
            snprintf(made->type, sizeof made->type, "image/png");
            made->voids = voids;
        }
        keep_and_answer(request, key.bytes, made, reply);
    }
    text_free(&key);
    text_free(&out);
}

void tile_terrain(request *request, reply *reply) {
    text key = {0}, out = {0}, packed = {0};
    int64_t voids = 0;
    tile tile;
    if (strcmp(request->tail, "layer.json") == 0) {
        tile_layer(request, reply);
        return;
    }
    if (!tile_read(request->tail, ".terrain", true, &tile, reply))
        return;
    write_key(request, &key);
    blob *found = key.failed ? NULL : cache_find(request->server->cache, key.bytes, true);
    if (key.failed)
        refuse(reply, 503, "out of memory");
    else if (found)
        answer(request, found, reply);
    else if (mesh_write(request, tile, &out, &voids, reply)) {
        blob *made =
            gzip_write(&packed, out.bytes, out.count, 4) ? blob_create(packed.bytes, packed.count) : NULL;
        if (made) {
            snprintf(made->type, sizeof made->type, "application/vnd.quantized-mesh");
            made->gzipped = true;
            made->voids = voids;
        }
        keep_and_answer(request, key.bytes, made, reply);
    }
    text_free(&key);
    text_free(&out);
    text_free(&packed);
}
