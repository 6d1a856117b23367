/// The formats that Assimp reads, and checks for what it accepts in damaged files.
#define _POSIX_C_SOURCE 200809L
#include "polygon/polygon.h"
#include <inttypes.h>
#include <string.h>
#include <strings.h>

// ---------------------------------------------------------------------------------------------------
// Text: OFF and STL
// ---------------------------------------------------------------------------------------------------

#define STL_HEAD 84 // bytes before the facets of a binary STL, the last four of them the count
#define STL_FACET 50

static lf_status refuse_word(lf__text *text, lf_error *error, const char *what) {
    lf__word word = lf__text_peek(*text);
    return lf__fail(error, LF_BAD_FORMAT, text->line, "line %" PRId64 ": %s \"%.*s\"", text->line, what,
                    LF__WORD(word));
}

/// Go to the next line that is not blank; false at the end.
static bool next_filled_line(lf__text *text) {
    while (!lf__text_more(text))
        if (!lf__text_next_line(text))
            return false;
    return true;
}

/// Three finite numbers, which more may follow.
static lf_status check_point(lf__text *text, lf_error *error) {
    for (int i = 0; i < 3; i++) {
        double value;
        lf__text before = *text;
        if (!lf__text_number(text, &value))
            return refuse_word(text, error, "not a coordinate:");
        if (!isfinite(value)) {
            *text = before;
            return refuse_word(text, error, "a coordinate is not finite:");
        }
    }
    return LF_OK;
}

/// The numbers of vertices and polygons of an OFF file, after its first word.
static lf_status read_off_counts(lf__text *text, int64_t *vertices, int64_t *polygons, lf_error *error) {
    lf__word word = next_filled_line(text) ? lf__text_word(text) : (lf__word){"", 0};
    if (word.length < 3 || memcmp(word.start + word.length - 3, "OFF", 3) != 0 || *word.start == 'n')
        return lf__fail(error, LF_BAD_FORMAT, text->line, "not an OFF file: it starts with \"%.*s\"",
                        LF__WORD(word));
    if (!next_filled_line(text) || !lf__text_integer(text, vertices) || *vertices < 0)
        return refuse_word(text, error, "not a number of vertices:");
    if (!lf__text_integer(text, polygons) || *polygons < 0)
        return refuse_word(text, error, "not a number of polygons:");
    return LF_OK;
}

static lf_status check_off_polygon(lf__text *text, int64_t vertices, lf_error *error) {
    int64_t count, corner;
    lf__text before = *text;
    if (!lf__text_integer(text, &count) || count < 0) {
        *text = before;
        return refuse_word(text, error, "not a number of corners:");
    }
    for (int64_t i = 0; i < count; i++) {
        before = *text;
        if (!lf__text_integer(text, &corner))
            return refuse_word(text, error, "not a vertex number:");
        if (corner < 0 || corner >= vertices) {
            *text = before;
            return refuse_word(text, error, "vertex number out of range:");
        }
    }
    return LF_OK;
}

lf_status lf__off_check(const lf_map *map, lf_error *error) {
    lf__text text = lf__text_of(map->data, map->size);
    text.remarks = true;
    int64_t vertices = 0, polygons = 0;
    lf_status status = read_off_counts(&text, &vertices, &polygons, error);
    lf__text_next_line(&text);
    for (int64_t i = 0; i < vertices && status == LF_OK; i++, lf__text_next_line(&text)) {
        if (!next_filled_line(&text))
            return lf__fail(error, LF_BAD_FORMAT, text.line,
                            "truncated: the file ends before vertex %" PRId64 " of %" PRId64, i, vertices);
        status = check_point(&text, error);
    }
    for (int64_t i = 0; status == LF_OK && i < polygons; i++, lf__text_next_line(&text)) {
        if (!next_filled_line(&text))
            return lf__fail(error, LF_BAD_FORMAT, text.line,
                            "truncated: the file ends before polygon %" PRId64 " of %" PRId64, i, polygons);
        status = check_off_polygon(&text, vertices, error);
    }
    return status;
}

/// One line of an STL text. `depth` is 0 outside a solid, 1 in it, 2 in a facet; `points` counts within a
/// facet.
static lf_status check_stl_line(lf__text *text, int *depth, int *points, lf_error *error) {
    lf__text before = *text;
    lf__word word = lf__text_word(text);
    if (lf__word_is(word, "vertex") && *depth == 2) {
        ++*points;
        return check_point(text, error);
    }
    bool facet = lf__word_is(word, "facet") && *depth == 1, solid = lf__word_is(word, "solid") && *depth == 0;
    bool end_facet = lf__word_is(word, "endfacet") && *depth == 2 && *points == 3;
    bool end_solid = lf__word_is(word, "endsolid") && *depth == 1;
    bool loop = (lf__word_is(word, "outer") || lf__word_is(word, "endloop")) && *depth == 2;
    *depth += facet + solid - end_facet - end_solid;
    *points = facet ? 0 : *points;
    if (facet || solid || end_facet || end_solid || loop)
        return LF_OK;
    *text = before;
    return refuse_word(text, error, "out of place in an STL file:");
}

static lf_status check_stl_text(const lf_map *map, lf_error *error) {
    lf__text text = lf__text_of(map->data, map->size);
    int depth = 0, points = 0;
    lf_status status = LF_OK;
    while (status == LF_OK && next_filled_line(&text)) {
        status = check_stl_line(&text, &depth, &points, error);
        lf__text_rest(&text);
    }
    if (status == LF_OK && depth > 0)
        return lf__fail(error, LF_BAD_FORMAT, text.line,
                        "truncated: the file ends in line %" PRId64 " within a %s", text.line,
                        depth == 1 ? "solid" : "facet");
    return status;
}

lf_status lf__stl_check(const lf_map *map, lf_error *error) {
    const unsigned char *bytes = map->data;
    uint64_t count = 0;
    for (int i = 0; i < 4 && map->size >= STL_HEAD; i++)
        count |= (uint64_t)bytes[80 + i] << 8 * i;
    if (map->size >= STL_HEAD && map->size == STL_HEAD + STL_FACET * count)
        return LF_OK;
    lf__text text = lf__text_of(map->data, map->size);
    if (next_filled_line(&text) && lf__word_is(lf__text_word(&text), "solid"))
        return check_stl_text(map, error);
    return lf__fail(error, LF_BAD_FORMAT, (int64_t)map->size,
                    "neither a text that starts with \"solid\" nor %" PRIu64
                    " facets in %zu bytes: truncated, or not an STL file",
                    count, map->size);
}

// ---------------------------------------------------------------------------------------------------
// Bytes: glTF, GLB and 3DS
// ---------------------------------------------------------------------------------------------------

static uint32_t load_chunk(const unsigned char *at, int size) {
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
    uint32_t length = load_chunk((const unsigned char *)map->data + 8, 4);
    if (length <= map->size)
        return LF_OK;
    return lf__fail(error, LF_BAD_FORMAT, (int64_t)map->size,
                    "truncated: %" PRIu32 " bytes announced, the file has %zu", length, map->size);
}

/// Chunks of a 3DS file: a number, a length that counts itself, and content, which may be further chunks.
enum {
    CHUNK_MAIN = 0x4d4d,
    CHUNK_EDITOR = 0x3d3d,
    CHUNK_OBJECT = 0x4000,
    CHUNK_TRIANGLES = 0x4100,
    CHUNK_VERTICES = 0x4110,
    CHUNK_FACES = 0x4120
};
#define CHUNK_HEAD 6

/// What has been found of one list of triangles.
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
            uint32_t corner = load_chunk(walk->faces + 8 * i + 2 * k, 2);
            if (corner >= walk->vertex_count)
                return lf__fail(walk->error, LF_BAD_FORMAT, walk->faces + 8 * i - walk->start,
                                "face %" PRId64 ": no vertex %" PRIu32 " (%" PRId64 " in its object)", i,
                                corner, walk->vertex_count);
        }
    return LF_OK;
}

static lf_status walk_chunks(chunk_walk *walk, const unsigned char *at, const unsigned char *end, int depth);

/// A list of vertices or faces: a count, then so many items.
static lf_status note_list(chunk_walk *walk, uint32_t kind, const unsigned char *at,
                           const unsigned char *end) {
    int64_t count = end - at >= 2 ? (int64_t)load_chunk(at, 2) : -1;
    if (count < 0 || (end - at - 2) / (kind == CHUNK_VERTICES ? 12 : 8) < count)
        return refuse_chunk(walk, at - CHUNK_HEAD, "is too short for its list");
    if (kind == CHUNK_VERTICES) {
        walk->vertex_count = count;
    } else {
        walk->face_count = count;
        walk->faces = at + 2;
    }
    return LF_OK;
}

static lf_status enter_chunk(chunk_walk *walk, uint32_t kind, const unsigned char *at,
                             const unsigned char *end, int depth) {
    if (kind == CHUNK_VERTICES || kind == CHUNK_FACES)
        return note_list(walk, kind, at, end);
    if (kind == CHUNK_OBJECT) { // its name comes first
        const unsigned char *zero = end > at ? memchr(at, 0, (size_t)(end - at)) : NULL;
        if (!zero)
            return refuse_chunk(walk, at - CHUNK_HEAD, "has a name without an end");
        return walk_chunks(walk, zero + 1, end, depth);
    }
    if (kind != CHUNK_TRIANGLES)
        return kind == CHUNK_MAIN || kind == CHUNK_EDITOR ? walk_chunks(walk, at, end, depth) : LF_OK;
    walk->vertex_count = walk->face_count = 0;
    lf_status status = walk_chunks(walk, at, end, depth);
    return status == LF_OK ? check_faces(walk) : status;
}

static lf_status walk_chunks(chunk_walk *walk, const unsigned char *at, const unsigned char *end, int depth) {
    if (depth > 8)
        return refuse_chunk(walk, at, "is nested too deeply");
    while (end - at >= CHUNK_HEAD) {
        uint32_t length = load_chunk(at + 2, 4);
        if (length < CHUNK_HEAD || length > (uint64_t)(end - at))
            return refuse_chunk(walk, at, "does not fit: truncated?");
        lf_status status = enter_chunk(walk, load_chunk(at, 2), at + CHUNK_HEAD, at + length, depth + 1);
        if (status != LF_OK)
            return status;
        at += length;
    }
    return LF_OK;
}

lf_status lf__3ds_check(const lf_map *map, lf_error *error) {
    const unsigned char *start = map->data;
    chunk_walk walk = {.start = start, .error = error};
    if (map->size < CHUNK_HEAD || load_chunk(start, 2) != CHUNK_MAIN)
        return lf__fail(error, LF_BAD_FORMAT, 0, "not a 3DS file: it does not start with its main chunk");
    return walk_chunks(&walk, start, start + map->size, 0);
}

// ---------------------------------------------------------------------------------------------------
// The formats
// ---------------------------------------------------------------------------------------------------

static const lf__assimp_format assimp_formats[] = {
    {"STL", "stl", "Stereolithography", false, false, lf__stl_check},
    {"OFF", "off", "OFF Importer", false, false, lf__off_check},
    {"glTF", "gltf", "glTF", true, false, lf__gltf_check},
    {"GLB", "glb", "glTF", true, false, lf__glb_check},
    {"DAE", "dae", "Collada", true, false, NULL},
    {"3DS", "3ds", "Discreet 3DS", true, true, lf__3ds_check},
};

const lf__assimp_format *lf__assimp_format_of(const char *ending) {
    for (size_t i = 0; i < sizeof assimp_formats / sizeof *assimp_formats; i++)
        if (strcasecmp(ending, assimp_formats[i].ending) == 0)
            return &assimp_formats[i];
    return NULL;
}
