#include "polygon/ply.h"
#include <inttypes.h>
#include <string.h>

/// The header while it is being read.
typedef struct parser {
    lf__text text;
    lf__ply_header *header;
    lf_error *error;
    bool has_format;
} parser;

static lf_status refuse(const parser *job, const char *what, lf__word word) {
    return lf__fail(job->error, LF_BAD_FORMAT, job->text.line, "line %" PRId64 ": %s \"%.*s\"",
                    job->text.line, what, LF__WORD(word));
}

static lf__ply_type type_of(lf__word word) {
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

static lf_status read_format(parser *job) {
    lf__word word = lf__text_word(&job->text), version = lf__text_word(&job->text);
    if (job->has_format)
        return refuse(job, "a second format", word);
    if (lf__word_is(word, "ascii"))
        job->header->encoding = LF__PLY_ASCII;
    else if (lf__word_is(word, "binary_little_endian"))
        job->header->encoding = LF__PLY_LITTLE;
    else if (lf__word_is(word, "binary_big_endian"))
        job->header->encoding = LF__PLY_BIG;
    else
        return refuse(job, "unknown format", word);
    if (!lf__word_is(version, "1.0"))
        return refuse(job, "unknown version", version);
    job->has_format = true;
    return LF_OK;
}

static lf__ply_kind kind_of(lf__word name) {
    if (lf__word_is(name, "vertex"))
        return LF__PLY_VERTEX;
    if (lf__word_is(name, "face"))
        return LF__PLY_FACE;
    return lf__word_is(name, "tristrips") ? LF__PLY_STRIP : LF__PLY_OTHER;
}

static lf_status read_element(parser *job) {
    lf__ply_header *header = job->header;
    lf__word name = lf__text_word(&job->text), count = lf__text_peek(job->text);
    lf__ply_element element = {.name = name, .kind = kind_of(name)};
    if (!lf__text_integer(&job->text, &element.count) || element.count < 0)
        return refuse(job, "an element's count is", count);
    if (header->element_count == LF__PLY_ELEMENTS)
        return refuse(job, "too many elements: no room for", name);
    for (int i = 0; i < header->element_count && element.kind != LF__PLY_OTHER; i++)
        if (header->elements[i].kind == element.kind)
            return refuse(job, "a second element", name);
    if (element.kind == LF__PLY_VERTEX)
        header->vertex_count = element.count;
    element.properties = header->properties + header->property_count;
    header->elements[header->element_count++] = element;
    return LF_OK;
}

static lf__ply_role role_of(lf__ply_kind kind, bool list, lf__word name) {
    if (kind == LF__PLY_VERTEX && !list && name.length == 1 && *name.start >= 'x' && *name.start <= 'z')
        return (lf__ply_role)(LF__PLY_X + (*name.start - 'x'));
    bool corners = lf__word_is(name, "vertex_indices") || lf__word_is(name, "vertex_index");
    return corners && list && (kind == LF__PLY_FACE || kind == LF__PLY_STRIP) ? LF__PLY_CORNERS
                                                                              : LF__PLY_SKIPPED;
}

static lf_status read_property(parser *job) {
    lf__ply_header *header = job->header;
    if (header->element_count == 0)
        return refuse(job, "before any element stands the property", lf__text_rest(&job->text));
    if (header->property_count == LF__PLY_PROPERTIES)
        return refuse(job, "too many properties: no room for", lf__text_rest(&job->text));
    lf__ply_element *element = &header->elements[header->element_count - 1];
    lf__ply_property property = {0};
    lf__word word = lf__text_word(&job->text);
    bool list = lf__word_is(word, "list");
    if (list) {
        word = lf__text_word(&job->text);
        property.count_type = (uint8_t)type_of(word);
        if (property.count_type == LF__PLY_NONE || property.count_type >= LF__PLY_FLOAT)
            return refuse(job, "a list's length cannot be of type", word);
        word = lf__text_word(&job->text);
    }
    property.type = (uint8_t)type_of(word);
    if (property.type == LF__PLY_NONE)
        return refuse(job, "unknown type", word);
    word = lf__text_word(&job->text);
    property.role = (uint8_t)role_of(element->kind, list, word);
    if (property.role == LF__PLY_CORNERS && property.type >= LF__PLY_FLOAT)
        return refuse(job, "vertex numbers must be whole numbers:", word);
    for (int i = 0; i < element->property_count && property.role != LF__PLY_SKIPPED; i++)
        if (element->properties[i].role == property.role)
            return refuse(job, "a second property", word);
    header->properties[header->property_count++] = property;
    element->property_count++;
    return LF_OK;
}

static lf_status read_line(parser *job, bool *done) {
    lf__word word = lf__text_word(&job->text);
    if (word.length == 0 || lf__word_is(word, "comment") || lf__word_is(word, "obj_info"))
        return LF_OK;
    if (lf__word_is(word, "format"))
        return read_format(job);
    if (lf__word_is(word, "element"))
        return read_element(job);
    if (lf__word_is(word, "property"))
        return read_property(job);
    *done = lf__word_is(word, "end_header");
    return *done ? LF_OK : refuse(job, "unknown word", word);
}

/// Step over the line end behind "end_header". Bytes follow at once, and the first may look like another line
/// end, so it is the header's first line that tells whether a return alone ends a line.
static void enter_body(parser *job, const char *data) {
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

/// The fewest bytes that one of an element takes: a hostile count must not make us allocate.
static size_t least_bytes(const lf__ply_header *header, const lf__ply_element *element) {
    size_t sum = 0;
    for (int i = 0; i < element->property_count; i++) {
        const lf__ply_property *property = &element->properties[i];
        if (header->encoding == LF__PLY_ASCII) // a digit and what parts it from the next
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
    parser job = {.text = lf__text_of(data, size), .header = header, .error = error};
    memset(header, 0, sizeof *header);
    if (size < 5 || memcmp(data, "ply", 3) != 0 || !lf__is_line_end(((const char *)data)[3]))
        return lf__fail(error, LF_BAD_FORMAT, 1, "not a PLY file: it does not start with a line \"ply\"");
    bool done = false;
    while (!done) {
        if (!lf__text_next_line(&job.text))
            return lf__fail(error, LF_BAD_FORMAT, job.text.line, "the header has no end_header");
        lf_status status = read_line(&job, &done);
        if (status != LF_OK)
            return status;
    }
    if (!job.has_format)
        return lf__fail(error, LF_BAD_FORMAT, job.text.line, "the header names no format");
    enter_body(&job, data);
    return check_elements(header, error);
}
