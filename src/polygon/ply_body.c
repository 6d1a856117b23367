/// PLY: the elements after the header, as text or as bytes.
#include "polygon/polygon.h"
#include <inttypes.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// Text
// ---------------------------------------------------------------------------------------------------

#define PLY_REPORT ((int64_t)1 << 16)

typedef struct ply_text {
    const lf__ply_header *header;
    const char *start;
    lf__text text;
    lf__soup *soup;
    lf_error *error;
    const lf__ply_element *element;
    int64_t number; // of the one being read
    lf__array list; // int64_t: vertex numbers
    double point[3];
} ply_text;

/// Refuse the next value.
static lf_status refuse_text(ply_text *job, const char *what) {
    lf__word word = lf__text_peek(job->text);
    return lf__fail(job->error, LF_BAD_FORMAT, job->text.line,
                    "line %" PRId64 ": %.*s %" PRId64 ": %s \"%.*s\"", job->text.line,
                    LF__WORD(job->element->name), job->number, what, LF__WORD(word));
}

static lf_status refuse_text_end(ply_text *job) {
    return lf__fail(job->error, LF_BAD_FORMAT, job->text.line,
                    "truncated: the file ends in line %" PRId64 " before %.*s %" PRId64 " of %" PRId64,
                    job->text.line, LF__WORD(job->element->name), job->number, job->element->count);
}

/// A list of vertex numbers.
static lf_status read_text_corners(ply_text *job, int64_t count) {
    // The array grows with the values: a large count alone allocates nothing.
    job->list.count = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t corner;
        lf__text before = job->text;
        if (!lf__text_integer(&job->text, &corner))
            return refuse_text(job, "not a vertex number:");
        if (!lf__ply_in_range(job->header, job->element->kind, corner)) {
            job->text = before;
            return refuse_text(job, "vertex number out of range:");
        }
        lf_status status = lf__array_reserve(&job->list, &job->soup->allocator, 1, sizeof corner);
        if (status != LF_OK)
            return lf__fail_plain(job->error, status);
        ((int64_t *)job->list.items)[job->list.count++] = corner;
    }
    lf_status status = lf__ply_polygons(job->soup, job->element->kind, job->list.items, count);
    return status == LF_OK ? LF_OK : lf__fail_plain(job->error, status);
}

static lf_status skip_text_values(ply_text *job, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (lf__text_word(&job->text).length == 0)
            return refuse_text(job, "too few values:");
    return LF_OK;
}

static lf_status read_text_property(ply_text *job, const lf__ply_property *property) {
    if (property->count_type != LF__PLY_NONE) {
        int64_t count;
        lf__text before = job->text;
        if (!lf__text_integer(&job->text, &count) || count < 0) {
            job->text = before;
            return refuse_text(job, "not the length of a list:");
        }
        return property->role == LF__PLY_CORNERS ? read_text_corners(job, count)
                                                 : skip_text_values(job, count);
    }
    if (property->role == LF__PLY_SKIPPED)
        return skip_text_values(job, 1);
    lf__text before = job->text;
    double *value = &job->point[property->role - LF__PLY_X];
    if (!lf__text_number(&job->text, value))
        return refuse_text(job, "not a coordinate:");
    if (isfinite(*value))
        return LF_OK;
    job->text = before;
    return refuse_text(job, "a coordinate is not finite:");
}

/// One line; blank ones are skipped.
static lf_status read_text_item(ply_text *job) {
    while (!lf__text_more(&job->text))
        if (!lf__text_next_line(&job->text))
            return refuse_text_end(job);
    for (int i = 0; i < job->element->property_count; i++) {
        lf_status status = read_text_property(job, &job->element->properties[i]);
        if (status != LF_OK)
            return status;
    }
    if (lf__text_more(&job->text))
        return refuse_text(job, "more values than the header declares:");
    if (job->element->kind != LF__PLY_VERTEX)
        return LF_OK;
    lf_vec3 vertex = {job->point[0], job->point[1], job->point[2]};
    lf_status status = lf__soup_vertex(job->soup, vertex);
    return status == LF_OK ? LF_OK : lf__fail_plain(job->error, status);
}

static lf_status read_text_element(ply_text *job) {
    if (job->element->property_count == 0) // has no line either
        return LF_OK;
    for (job->number = 0; job->number < job->element->count; job->number++) {
        lf_status status = read_text_item(job);
        if (status == LF_OK && job->number % PLY_REPORT == 0)
            status =
                lf__soup_report(job->soup, job->text.at - job->start, job->text.end - job->start, job->error);
        if (status != LF_OK)
            return status;
    }
    return LF_OK;
}

lf_status lf__ply_ascii_read(const lf__ply_header *header, lf__soup *soup, lf_error *error) {
    ply_text job = {
        .header = header, .start = header->body.at, .text = header->body, .soup = soup, .error = error};
    lf_status status = LF_OK;
    for (int i = 0; i < header->element_count && status == LF_OK; i++) {
        job.element = &header->elements[i];
        status = read_text_element(&job);
    }
    lf__array_free(&job.list, &soup->allocator, sizeof(int64_t));
    return status;
}

// ---------------------------------------------------------------------------------------------------
// Bytes
// ---------------------------------------------------------------------------------------------------

typedef struct ply_bytes {
    const lf__ply_header *header;
    const unsigned char *start, *at, *end;
    bool big;
    lf__soup *soup;
    lf_error *error;
    const lf__ply_element *element;
    int64_t number; // of the one being read
    lf__array list; // int64_t: vertex numbers
    double point[3];
} ply_bytes;

static uint64_t load_ply_bits(const unsigned char *at, size_t size, bool big) {
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++)
        bits |= (uint64_t)at[i] << 8 * (big ? size - 1 - i : i);
    return bits;
}

static int64_t load_ply_integer(const unsigned char *at, lf__ply_type type, bool big) {
    switch (type) {
    case LF__PLY_INT8:
        return (int8_t)*at;
    case LF__PLY_UINT8:
        return *at;
    case LF__PLY_INT16:
        return (int16_t)load_ply_bits(at, 2, big);
    case LF__PLY_UINT16:
        return (uint16_t)load_ply_bits(at, 2, big);
    case LF__PLY_INT32:
        return (int32_t)load_ply_bits(at, 4, big);
    default:
        return (int64_t)load_ply_bits(at, 4, big);
    }
}

static double load_ply_number(const unsigned char *at, lf__ply_type type, bool big) {
    if (type == LF__PLY_FLOAT) {
        uint32_t bits = (uint32_t)load_ply_bits(at, 4, big);
        float single;
        memcpy(&single, &bits, sizeof single);
        return (double)single;
    }
    if (type == LF__PLY_DOUBLE) {
        uint64_t bits = load_ply_bits(at, 8, big);
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    return (double)load_ply_integer(at, type, big);
}

static lf_status refuse_bytes_end(ply_bytes *job) {
    return lf__fail(job->error, LF_BAD_FORMAT, job->end - job->start,
                    "truncated: the file ends within %.*s %" PRId64 " of %" PRId64,
                    LF__WORD(job->element->name), job->number, job->element->count);
}

/// The vertex numbers of a list, all of whose bytes are in the file.
static lf_status read_bytes_corners(ply_bytes *job, const lf__ply_property *property, int64_t count) {
    size_t step = lf__ply_type_size(property->type);
    job->list.count = 0;
    lf_status status = lf__array_reserve(&job->list, &job->soup->allocator, count, sizeof(int64_t));
    if (status != LF_OK)
        return lf__fail_plain(job->error, status);
    int64_t *corners = job->list.items;
    for (int64_t i = 0; i < count; i++, job->at += step) {
        corners[i] = load_ply_integer(job->at, property->type, job->big);
        if (!lf__ply_in_range(job->header, job->element->kind, corners[i]))
            return lf__fail(job->error, LF_BAD_FORMAT, job->at - job->start,
                            "%.*s %" PRId64 ": vertex number %" PRId64 " is not within 0 to %" PRId64,
                            LF__WORD(job->element->name), job->number, corners[i],
                            job->header->vertex_count - 1);
    }
    status = lf__ply_polygons(job->soup, job->element->kind, corners, count);
    return status == LF_OK ? LF_OK : lf__fail_plain(job->error, status);
}

static lf_status read_bytes_list(ply_bytes *job, const lf__ply_property *property) {
    size_t head = lf__ply_type_size(property->count_type), left = (size_t)(job->end - job->at);
    if (left < head)
        return refuse_bytes_end(job);
    int64_t count = load_ply_integer(job->at, property->count_type, job->big);
    if (count < 0)
        return lf__fail(job->error, LF_BAD_FORMAT, job->at - job->start,
                        "%.*s %" PRId64 ": a list has %" PRId64 " values", LF__WORD(job->element->name),
                        job->number, count);
    if ((uint64_t)count > (left - head) / lf__ply_type_size(property->type))
        return refuse_bytes_end(job);
    job->at += head;
    if (property->role == LF__PLY_CORNERS)
        return read_bytes_corners(job, property, count);
    job->at += (size_t)count * lf__ply_type_size(property->type);
    return LF_OK;
}

static lf_status read_bytes_scalar(ply_bytes *job, const lf__ply_property *property) {
    size_t size = lf__ply_type_size(property->type);
    if ((size_t)(job->end - job->at) < size)
        return refuse_bytes_end(job);
    if (property->role != LF__PLY_SKIPPED) {
        double value = load_ply_number(job->at, property->type, job->big);
        if (!isfinite(value))
            return lf__fail(job->error, LF_BAD_FORMAT, job->at - job->start,
                            "%.*s %" PRId64 ": coordinate %c is %s", LF__WORD(job->element->name),
                            job->number, "xyz"[property->role - LF__PLY_X],
                            isnan(value) ? "not a number" : "infinite");
        job->point[property->role - LF__PLY_X] = value;
    }
    job->at += size;
    return LF_OK;
}

static lf_status read_bytes_item(ply_bytes *job) {
    for (int i = 0; i < job->element->property_count; i++) {
        const lf__ply_property *property = &job->element->properties[i];
        lf_status status =
            property->count_type ? read_bytes_list(job, property) : read_bytes_scalar(job, property);
        if (status != LF_OK)
            return status;
    }
    if (job->element->kind != LF__PLY_VERTEX)
        return LF_OK;
    lf_vec3 vertex = {job->point[0], job->point[1], job->point[2]};
    lf_status status = lf__soup_vertex(job->soup, vertex);
    return status == LF_OK ? LF_OK : lf__fail_plain(job->error, status);
}

/// Bytes of one of an element without lists; 0 when it has some.
static size_t fixed_size(const lf__ply_element *element) {
    size_t sum = 0;
    for (int i = 0; i < element->property_count; i++) {
        if (element->properties[i].count_type)
            return 0;
        sum += lf__ply_type_size(element->properties[i].type);
    }
    return sum;
}

static lf_status read_bytes_element(ply_bytes *job) {
    size_t size = fixed_size(job->element);
    if (job->element->property_count == 0)
        return LF_OK;
    if (size > 0 && job->element->kind == LF__PLY_OTHER) { // not used
        size_t whole = (size_t)(job->end - job->at) / size;
        job->number = (int64_t)whole;
        if (whole < (uint64_t)job->element->count)
            return refuse_bytes_end(job);
        job->at += (size_t)job->element->count * size;
        return LF_OK;
    }
    for (job->number = 0; job->number < job->element->count; job->number++) {
        lf_status status = read_bytes_item(job);
        if (status == LF_OK && job->number % PLY_REPORT == 0)
            status = lf__soup_report(job->soup, job->at - job->start, job->end - job->start, job->error);
        if (status != LF_OK)
            return status;
    }
    return LF_OK;
}

lf_status lf__ply_binary_read(const lf__ply_header *header, const void *data, lf__soup *soup,
                              lf_error *error) {
    ply_bytes job = {.header = header, .start = data, .soup = soup, .error = error};
    job.at = (const unsigned char *)header->body.at;
    job.end = (const unsigned char *)header->body.end;
    job.big = header->encoding == LF__PLY_BIG;
    lf_status status = LF_OK;
    for (int i = 0; i < header->element_count && status == LF_OK; i++) {
        job.element = &header->elements[i];
        status = read_bytes_element(&job);
    }
    lf__array_free(&job.list, &soup->allocator, sizeof(int64_t));
    return status;
}
