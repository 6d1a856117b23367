/// PLY: the header, and the choice of the reader of what follows.
#include "polygon/polygon.h"
#include <inttypes.h>
#include <string.h>

/// The header while it is read.
typedef struct ply_parser {
    lf__text text;
    lf__ply_header *header;
    lf_error *error;
    bool has_format;
} ply_parser;

static lf_status refuse_header(const ply_parser *job, const char *what, lf__word word) {
    return lf__fail(job->error, LF_BAD_FORMAT, job->text.line, "line %" PRId64 ": %s \"%.*s\"",
                    job->text.line, what, LF__WORD(word));
}

static lf__ply_type ply_type_named(lf__word word) {
    static const struct {
        const char *name;
        lf__ply_type type;
    } types[] = {{"char", LF__PLY_INT8},     {"int8", LF__PLY_INT8},     {"uchar", LF__PLY_UINT8},
                 {"uint8", LF__PLY_UINT8},   {"short", LF__PLY_INT16},   {"int16", LF__PLY_INT16},
                 {"ushort", LF__PLY_UINT16}, {"uint16", LF__PLY_UINT16}, {"int", LF__PLY_INT32},
                 {"int32", LF__PLY_INT32},   {"uint", LF__PLY_UINT32},   {"uint32", LF__PLY_UINT32},
                 {"float", LF__PLY_FLOAT},   {"float32", LF__PLY_FLOAT}, {"double", LF__PLY_DOUBLE},
                 {"float64", LF__PLY_DOUBLE}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (lf__word_is(word, types[i].name))
            return types[i].type;
    return LF__PLY_NONE;
}

size_t lf__ply_type_size(lf__ply_type type) {
    static const uint8_t sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 8};
    return sizes[type];
}

static lf_status read_format_line(ply_parser *job) {
    lf__word word = lf__text_word(&job->text), version = lf__text_word(&job->text);
    if (job->has_format)
        return refuse_header(job, "a second format", word);
    if (lf__word_is(word, "ascii"))
        job->header->encoding = LF__PLY_ASCII;
    else if (lf__word_is(word, "binary_little_endian"))
        job->header->encoding = LF__PLY_LITTLE;
    else if (lf__word_is(word, "binary_big_endian"))
        job->header->encoding = LF__PLY_BIG;
    else
        return refuse_header(job, "unknown format", word);
    if (!lf__word_is(version, "1.0"))
        return refuse_header(job, "unknown version", version);
    job->has_format = true;
    return LF_OK;
}

static lf__ply_kind ply_kind_named(lf__word name) {
    if (lf__word_is(name, "vertex"))
        return LF__PLY_VERTEX;
    if (lf__word_is(name, "face"))
        return LF__PLY_FACE;
    return lf__word_is(name, "tristrips") ? LF__PLY_STRIP : LF__PLY_OTHER;
}

static lf_status read_element_line(ply_parser *job) {
    lf__ply_header *header = job->header;
    lf__word name = lf__text_word(&job->text), count = lf__text_peek(job->text);
    lf__ply_element element = {.name = name, .kind = ply_kind_named(name)};
    if (!lf__text_integer(&job->text, &element.count) || element.count < 0)
        return refuse_header(job, "an element's count is", count);
    if (header->element_count == LF__PLY_ELEMENTS)
        return refuse_header(job, "too many elements (at most 64):", name);
    for (int i = 0; i < header->element_count && element.kind != LF__PLY_OTHER; i++)
        if (header->elements[i].kind == element.kind)
            return refuse_header(job, "a second element", name);
    if (element.kind == LF__PLY_VERTEX)
        header->vertex_count = element.count;
    element.properties = header->properties + header->property_count;
    header->elements[header->element_count++] = element;
    return LF_OK;
}

static lf__ply_role ply_role_named(lf__ply_kind kind, bool list, lf__word name) {
    if (kind == LF__PLY_VERTEX && !list && name.length == 1 && *name.start >= 'x' && *name.start <= 'z')
        return (lf__ply_role)(LF__PLY_X + (*name.start - 'x'));
    bool corners = lf__word_is(name, "vertex_indices") || lf__word_is(name, "vertex_index");
    return corners && list && (kind == LF__PLY_FACE || kind == LF__PLY_STRIP) ? LF__PLY_CORNERS
                                                                              : LF__PLY_SKIPPED;
}

static lf_status read_property_line(ply_parser *job) {
    lf__ply_header *header = job->header;
    if (header->element_count == 0)
        return refuse_header(job, "a property before any element:", lf__text_rest(&job->text));
    if (header->property_count == LF__PLY_PROPERTIES)
        return refuse_header(job, "too many properties (at most 1024):", lf__text_rest(&job->text));
    lf__ply_element *element = &header->elements[header->element_count - 1];
    lf__ply_property property = {0};
    lf__word word = lf__text_word(&job->text);
    bool list = lf__word_is(word, "list");
    if (list) {
        word = lf__text_word(&job->text);
        property.count_type = (uint8_t)ply_type_named(word);
        if (property.count_type == LF__PLY_NONE || property.count_type >= LF__PLY_FLOAT)
            return refuse_header(job, "a list's length cannot be of type", word);
        word = lf__text_word(&job->text);
    }
    property.type = (uint8_t)ply_type_named(word);
    if (property.type == LF__PLY_NONE)
        return refuse_header(job, "unknown type", word);
    word = lf__text_word(&job->text);
    property.role = (uint8_t)ply_role_named(element->kind, list, word);
    if (property.role == LF__PLY_CORNERS && property.type >= LF__PLY_FLOAT)
        return refuse_header(job, "vertex numbers must be whole numbers:", word);
    for (int i = 0; i < element->property_count && property.role != LF__PLY_SKIPPED; i++)
        if (element->properties[i].role == property.role)
            return refuse_header(job, "a second property", word);
    header->properties[header->property_count++] = property;
    element->property_count++;
    return LF_OK;
}

static lf_status read_header_line(ply_parser *job, bool *done) {
    lf__word word = lf__text_word(&job->text);
    if (word.length == 0 || lf__word_is(word, "comment") || lf__word_is(word, "obj_info"))
        return LF_OK;
    if (lf__word_is(word, "format"))
        return read_format_line(job);
    if (lf__word_is(word, "element"))
        return read_element_line(job);
    if (lf__word_is(word, "property"))
        return read_property_line(job);
    *done = lf__word_is(word, "end_header");
    return *done ? LF_OK : refuse_header(job, "unknown word", word);
}

/// Skip the line end after "end_header". Bytes follow at once, and the first may look like another line end,
/// so the first line of the header decides whether a return alone ends a line.
static void enter_body(ply_parser *job, const char *data) {
    lf__text *text = &job->text;
    while (text->at < text->end && !lf__is_line_end(*text->at))
        text->at++;
    bool alone = data[3] == '\r' && data[4] != '\n';
    if (text->at < text->end && *text->at == '\r' && alone)
        text->at++, text->line++;
    else
        lf__text_next_line(text);
    job->header->body = *text;
}

/// The roles that an element must have a property for.
static lf_status check_roles(const lf__ply_element *element, lf_error *error) {
    unsigned have = 0;
    for (int i = 0; i < element->property_count; i++)
        have |= 1u << element->properties[i].role;
    for (int axis = 0; axis < 3 && element->kind == LF__PLY_VERTEX; axis++)
        if (!(have & (1u << (LF__PLY_X + axis))))
            return lf__fail(error, LF_BAD_FORMAT, -1, "element vertex has no property %c", "xyz"[axis]);
    bool polygons = element->kind == LF__PLY_FACE || element->kind == LF__PLY_STRIP;
    if (polygons && element->count > 0 && !(have & (1u << LF__PLY_CORNERS)))
        return lf__fail(error, LF_BAD_FORMAT, -1, "element %.*s has no list of vertex_indices",
                        LF__WORD(element->name));
    return LF_OK;
}

/// The least bytes of one item of an element: a forged count must not cause an allocation.
static size_t least_bytes(const lf__ply_header *header, const lf__ply_element *element) {
    size_t sum = 0;
    for (int i = 0; i < element->property_count; i++) {
        const lf__ply_property *property = &element->properties[i];
        if (header->encoding == LF__PLY_ASCII) // a digit and a separator
            sum += 2;
        else
            sum += lf__ply_type_size(property->count_type ? property->count_type : property->type);
    }
    return sum;
}

static lf_status check_elements(const lf__ply_header *header, lf_error *error) {
    size_t left = (size_t)(header->body.end - header->body.at);
    left += header->encoding == LF__PLY_ASCII; // the last line may lack its end
    for (int i = 0; i < header->element_count; i++) {
        const lf__ply_element *element = &header->elements[i];
        lf_status status = check_roles(element, error);
        if (status != LF_OK)
            return status;
        size_t least = least_bytes(header, element);
        if (least > 0 && (uint64_t)element->count > left / least)
            return lf__fail(error, LF_BAD_FORMAT, -1,
                            "%" PRId64
                            " of element %.*s cannot be in the %zu bytes that are left: truncated?",
                            element->count, LF__WORD(element->name), left);
        left -= least * (size_t)element->count;
    }
    return LF_OK;
}

lf_status lf__ply_header_read(const void *data, size_t size, lf__ply_header *header, lf_error *error) {
    ply_parser job = {.text = lf__text_of(data, size), .header = header, .error = error};
    memset(header, 0, sizeof *header);
    if (size < 5 || memcmp(data, "ply", 3) != 0 || !lf__is_line_end(((const char *)data)[3]))
        return lf__fail(error, LF_BAD_FORMAT, 1, "not a PLY file: it does not start with a line \"ply\"");
    bool done = false;
    while (!done) {
        if (!lf__text_next_line(&job.text))
            return lf__fail(error, LF_BAD_FORMAT, job.text.line, "the header has no end_header");
        lf_status status = read_header_line(&job, &done);
        if (status != LF_OK)
            return status;
    }
    if (!job.has_format)
        return lf__fail(error, LF_BAD_FORMAT, job.text.line, "the header names no format");
    enter_body(&job, data);
    return check_elements(header, error);
}

// ---------------------------------------------------------------------------------------------------
// The file
// ---------------------------------------------------------------------------------------------------

/// Triangles of strips: every corner makes one with the two before it, and every second one is reversed.
/// Repeated numbers join strips; such triangles are skipped.
static lf_status add_strips(lf__soup *soup, const int64_t *corners, int64_t count) {
    int64_t run = 0;
    for (int64_t i = 0; i < count; i++, run++) {
        if (corners[i] == -1) {
            run = -1;
            continue;
        }
        if (run < 2)
            continue;
        int64_t a = corners[i - 2], b = corners[i - 1], c = corners[i];
        if (a == b || b == c || a == c)
            continue;
        int64_t triangle[3] = {run % 2 ? b : a, run % 2 ? a : b, c};
        lf_status status = lf__ply_polygons(soup, LF__PLY_FACE, triangle, 3);
        if (status != LF_OK)
            return status;
    }
    return LF_OK;
}

lf_status lf__ply_polygons(lf__soup *soup, lf__ply_kind kind, const int64_t *corners, int64_t count) {
    if (kind == LF__PLY_STRIP)
        return add_strips(soup, corners, count);
    lf_status status = LF_OK;
    for (int64_t i = 0; i < count && status == LF_OK; i++)
        status = lf__soup_corner(soup, corners[i]);
    return status == LF_OK ? lf__soup_close(soup, LF__NO_NAME, true) : status;
}

/// Text is read in double precision, whatever type the header declares.
static bool is_single(const lf__ply_header *header) {
    bool single = false;
    for (int i = 0; i < header->element_count; i++) {
        const lf__ply_element *element = &header->elements[i];
        for (int p = 0; p < element->property_count && element->kind == LF__PLY_VERTEX; p++)
            single |= element->properties[p].role != LF__PLY_SKIPPED &&
                      element->properties[p].type == LF__PLY_FLOAT;
    }
    return single && header->encoding != LF__PLY_ASCII;
}

lf_status lf__ply_read(const void *data, size_t size, lf__soup *soup, lf_error *error) {
    lf__ply_header header;
    lf_status status = lf__ply_header_read(data, size, &header, error);
    if (status != LF_OK)
        return status;
    int64_t faces = 0;
    for (int i = 0; i < header.element_count; i++)
        faces += header.elements[i].kind == LF__PLY_FACE ? header.elements[i].count : 0;
    status =
        lf__soup_reserve(soup, header.vertex_count, faces, faces <= INT64_MAX / 3 ? 3 * faces : faces, error);
    if (status == LF_OK && header.encoding == LF__PLY_ASCII)
        status = lf__ply_ascii_read(&header, soup, error);
    else if (status == LF_OK)
        status = lf__ply_binary_read(&header, data, soup, error);
    if (status != LF_OK)
        return status;
    double largest = lf__soup_largest(soup);
    soup->single = is_single(&header);
    soup->precision = soup->single ? lf__half_step_single(largest) : lf__half_step_double(largest);
    return LF_OK;
}
