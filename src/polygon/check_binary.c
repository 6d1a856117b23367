// What Assimp would let pass in binary files: glTF, GLB and 3DS.
#include "polygon/readers.h"
#include <inttypes.h>
#include <string.h>

static uint32_t load(const unsigned char *at, int size) {
    uint32_t value = 0;
    for (int i = 0; i < size; i++)
        value |= (uint32_t)at[i] << 8 * i;
    return value;
}

lf_status lf__gltf_check(const lf_map *map, lf_error *error) {
    const char *at = map->data, *end = at + map->size;
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n'))
        at++;
    if (at < end && *at == '{')
        return LF_OK;
    return lf__fail(error, LF_BAD_FORMAT, 0, "not a glTF file: it does not start with \"{\"");
}

lf_status lf__glb_check(const lf_map *map, lf_error *error) {
    if (map->size < 12 || memcmp(map->data, "glTF", 4) != 0)
        return lf__fail(error, LF_BAD_FORMAT, 0, "not a GLB file: it does not start with \"glTF\"");
    uint32_t length = load((const unsigned char *)map->data + 8, 4);
    if (length <= map->size)
        return LF_OK;
    return lf__fail(error, LF_BAD_FORMAT, (int64_t)map->size,
                    "truncated: %" PRIu32 " bytes announced, %zu there", length, map->size);
}

/// Chunks of a 3DS file: a number, a length that counts itself, and content, which may be further chunks.
enum {
    MAIN = 0x4d4d,
    EDITOR = 0x3d3d,
    OBJECT = 0x4000,
    TRIANGLES = 0x4100,
    VERTICES = 0x4110,
    FACES = 0x4120
};
#define CHUNK_HEAD 6

/// What has been met of one list of triangles.
typedef struct chunk_walk {
    const unsigned char *start;
    lf_error *error;
    int64_t vertex_count, face_count;
    const unsigned char *faces;
} chunk_walk;

static lf_status refuse_chunk(const chunk_walk *walk, const unsigned char *at, const char *what) {
    return lf__fail(walk->error, LF_BAD_FORMAT, at - walk->start, "the chunk at byte %td %s",
                    at - walk->start, what);
}

static lf_status check_faces(const chunk_walk *walk) {
    for (int64_t i = 0; i < walk->face_count; i++)
        for (int k = 0; k < 3; k++) {
            uint32_t corner = load(walk->faces + 8 * i + 2 * k, 2);
            if (corner >= walk->vertex_count)
                return lf__fail(walk->error, LF_BAD_FORMAT, walk->faces + 8 * i - walk->start,
                                "face %" PRId64 ": there is no vertex %" PRIu32 " (%" PRId64
                                " in its object)",
                                i, corner, walk->vertex_count);
        }
    return LF_OK;
}

static lf_status walk_chunks(chunk_walk *walk, const unsigned char *at, const unsigned char *end, int depth);

/// A list of vertices or faces: a count, then so many items.
static lf_status note_list(chunk_walk *walk, uint32_t kind, const unsigned char *at,
                           const unsigned char *end) {
    int64_t count = end - at >= 2 ? (int64_t)load(at, 2) : -1;
    if (count < 0 || (end - at - 2) / (kind == VERTICES ? 12 : 8) < count)
        return refuse_chunk(walk, at - CHUNK_HEAD, "is too short for its list");
    if (kind == VERTICES) {
        walk->vertex_count = count;
    } else {
        walk->face_count = count;
        walk->faces = at + 2;
    }
    return LF_OK;
}

static lf_status enter_chunk(chunk_walk *walk, uint32_t kind, const unsigned char *at,
                             const unsigned char *end, int depth) {
    if (kind == VERTICES || kind == FACES)
        return note_list(walk, kind, at, end);
    if (kind == OBJECT) { // its name comes first
        const unsigned char *zero = end > at ? memchr(at, 0, (size_t)(end - at)) : NULL;
        if (!zero)
            return refuse_chunk(walk, at - CHUNK_HEAD, "has a name without an end");
        return walk_chunks(walk, zero + 1, end, depth);
    }
    if (kind != TRIANGLES)
        return kind == MAIN || kind == EDITOR ? walk_chunks(walk, at, end, depth) : LF_OK;
    walk->vertex_count = walk->face_count = 0;
    lf_status status = walk_chunks(walk, at, end, depth);
    return status == LF_OK ? check_faces(walk) : status;
}

static lf_status walk_chunks(chunk_walk *walk, const unsigned char *at, const unsigned char *end, int depth) {
    if (depth > 8)
        return refuse_chunk(walk, at, "is nested too deeply");
    while (end - at >= CHUNK_HEAD) {
        uint32_t length = load(at + 2, 4);
        if (length < CHUNK_HEAD || length > (uint64_t)(end - at))
            return refuse_chunk(walk, at, "does not fit: truncated?");
        lf_status status = enter_chunk(walk, load(at, 2), at + CHUNK_HEAD, at + length, depth + 1);
        if (status != LF_OK)
            return status;
        at += length;
    }
    return LF_OK;
}

lf_status lf__3ds_check(const lf_map *map, lf_error *error) {
    const unsigned char *start = map->data;
    chunk_walk walk = {.start = start, .error = error};
    if (map->size < CHUNK_HEAD || load(start, 2) != MAIN)
        return lf__fail(error, LF_BAD_FORMAT, 0, "not a 3DS file: it does not start with its main chunk");
    return walk_chunks(&walk, start, start + map->size, 0);
}
