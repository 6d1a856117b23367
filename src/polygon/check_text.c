// What Assimp would let pass in text files: OFF and STL.
#include "polygon/readers.h"
#include "polygon/text.h"
#include <inttypes.h>
#include <string.h>

#define STL_HEAD 84 // bytes before the facets of a binary STL, the last four of them the count
#define STL_FACET 50

static lf_status refuse(lf__text *text, lf_error *error, const char *what) {
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

/// Three finite numbers, perhaps with more behind them.
static lf_status check_point(lf__text *text, lf_error *error) {
    for (int i = 0; i < 3; i++) {
        double value;
        lf__text before = *text;
        if (!lf__text_number(text, &value))
            return refuse(text, error, "not a coordinate:");
        if (!isfinite(value)) {
            *text = before;
            return refuse(text, error, "a coordinate is not finite:");
        }
    }
    return LF_OK;
}

/// The counts of an OFF file's vertices and polygons, behind its first word.
static lf_status read_off_counts(lf__text *text, int64_t *vertices, int64_t *polygons, lf_error *error) {
    lf__word word = next_filled_line(text) ? lf__text_word(text) : (lf__word){"", 0};
    if (word.length < 3 || memcmp(word.start + word.length - 3, "OFF", 3) != 0 || *word.start == 'n')
        return lf__fail(error, LF_BAD_FORMAT, text->line, "not an OFF file: it starts with \"%.*s\"",
                        LF__WORD(word));
    if (!next_filled_line(text) || !lf__text_integer(text, vertices) || *vertices < 0)
        return refuse(text, error, "not a number of vertices:");
    if (!lf__text_integer(text, polygons) || *polygons < 0)
        return refuse(text, error, "not a number of polygons:");
    return LF_OK;
}

static lf_status check_off_polygon(lf__text *text, int64_t vertices, lf_error *error) {
    int64_t count, corner;
    lf__text before = *text;
    if (!lf__text_integer(text, &count) || count < 0) {
        *text = before;
        return refuse(text, error, "not a number of corners:");
    }
    for (int64_t i = 0; i < count; i++) {
        before = *text;
        if (!lf__text_integer(text, &corner))
            return refuse(text, error, "not a vertex number:");
        if (corner < 0 || corner >= vertices) {
            *text = before;
            return refuse(text, error, "vertex number out of range:");
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

/// One line of an STL text. `depth` is 0 outside a solid, 1 in it, 2 in a facet; `points` counts within a facet.
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
    return refuse(text, error, "out of place in an STL file:");
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
