#include "polygon/ply.h"
#include <inttypes.h>
#include <string.h>

#define REPORT_EVERY ((int64_t)1 << 16)

typedef struct reader {
    const lf__ply_header *header;
    const unsigned char *start, *at, *end;
    bool big;
    lf__soup *soup;
    lf_error *error;
    const lf__ply_element *element;
    int64_t number; // of the one being read
    lf__array list; // int64_t: vertex numbers
    double point[3];
} reader;

static uint64_t load_bits(const unsigned char *at, size_t size, bool big) {
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++)
        bits |= (uint64_t)at[i] << 8 * (big ? size - 1 - i : i);
    return bits;
}

static int64_t load_whole(const unsigned char *at, lf__ply_type type, bool big) {
    switch (type) {
    case LF__PLY_INT8:
        return (int8_t)*at;
    case LF__PLY_UINT8:
        return *at;
    case LF__PLY_INT16:
        return (int16_t)load_bits(at, 2, big);
    case LF__PLY_UINT16:
        return (uint16_t)load_bits(at, 2, big);
    case LF__PLY_INT32:
        return (int32_t)load_bits(at, 4, big);
    default:
        return (int64_t)load_bits(at, 4, big);
    }
}

static double load_number(const unsigned char *at, lf__ply_type type, bool big) {
    if (type == LF__PLY_FLOAT) {
        uint32_t bits = (uint32_t)load_bits(at, 4, big);
        float single;
        memcpy(&single, &bits, sizeof single);
        return (double)single;
    }
    if (type == LF__PLY_DOUBLE) {
        uint64_t bits = load_bits(at, 8, big);
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    return (double)load_whole(at, type, big);
}

static lf_status refuse_end(reader *job) {
    return lf__fail(job->error, LF_BAD_FORMAT, job->end - job->start,
                    "truncated: the file ends within %.*s %" PRId64 " of %" PRId64,
                    LF__WORD(job->element->name), job->number, job->element->count);
}

/// The vertex numbers of a list, all of whose bytes are there.
static lf_status read_corners(reader *job, const lf__ply_property *property, int64_t count) {
    size_t step = lf__ply_type_size(property->type);
    job->list.count = 0;
    lf_status status = lf__array_reserve(&job->list, &job->soup->allocator, count, sizeof(int64_t));
    if (status != LF_OK)
        return lf__fail_plain(job->error, status);
    int64_t *corners = job->list.items;
    for (int64_t i = 0; i < count; i++, job->at += step) {
        corners[i] = load_whole(job->at, property->type, job->big);
        if (!lf__ply_in_range(job->header, job->element->kind, corners[i]))
            return lf__fail(job->error, LF_BAD_FORMAT, job->at - job->start,
                            "%.*s %" PRId64 ": vertex number %" PRId64 " is not within 0 to %" PRId64,
                            LF__WORD(job->element->name), job->number, corners[i],
                            job->header->vertex_count - 1);
    }
    status = lf__ply_polygons(job->soup, job->element->kind, corners, count);
    return status == LF_OK ? LF_OK : lf__fail_plain(job->error, status);
}

static lf_status read_list(reader *job, const lf__ply_property *property) {
    size_t head = lf__ply_type_size(property->count_type), left = (size_t)(job->end - job->at);
    if (left < head)
        return refuse_end(job);
    int64_t count = load_whole(job->at, property->count_type, job->big);
    if (count < 0)
        return lf__fail(job->error, LF_BAD_FORMAT, job->at - job->start,
                        "%.*s %" PRId64 ": a list has %" PRId64 " values", LF__WORD(job->element->name),
                        job->number, count);
    if ((uint64_t)count > (left - head) / lf__ply_type_size(property->type))
        return refuse_end(job);
    job->at += head;
    if (property->role == LF__PLY_CORNERS)
        return read_corners(job, property, count);
    job->at += (size_t)count * lf__ply_type_size(property->type);
    return LF_OK;
}

static lf_status read_scalar(reader *job, const lf__ply_property *property) {
    size_t size = lf__ply_type_size(property->type);
    if ((size_t)(job->end - job->at) < size)
        return refuse_end(job);
    if (property->role != LF__PLY_SKIPPED) {
        double value = load_number(job->at, property->type, job->big);
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

static lf_status read_one(reader *job) {
    for (int i = 0; i < job->element->property_count; i++) {
        const lf__ply_property *property = &job->element->properties[i];
        lf_status status = property->count_type ? read_list(job, property) : read_scalar(job, property);
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

static lf_status read_element(reader *job) {
    size_t size = fixed_size(job->element);
    if (job->element->property_count == 0)
        return LF_OK;
    if (size > 0 && job->element->kind == LF__PLY_OTHER) { // nothing in it for us
        size_t whole = (size_t)(job->end - job->at) / size;
        job->number = (int64_t)whole;
        if (whole < (uint64_t)job->element->count)
            return refuse_end(job);
        job->at += (size_t)job->element->count * size;
        return LF_OK;
    }
    for (job->number = 0; job->number < job->element->count; job->number++) {
        lf_status status = read_one(job);
        if (status == LF_OK && job->number % REPORT_EVERY == 0)
            status = lf__soup_report(job->soup, job->at - job->start, job->end - job->start, job->error);
        if (status != LF_OK)
            return status;
    }
    return LF_OK;
}

lf_status lf__ply_binary_read(const lf__ply_header *header, const void *data, lf__soup *soup,
                              lf_error *error) {
    reader job = {.header = header, .start = data, .soup = soup, .error = error};
    job.at = (const unsigned char *)header->body.at;
    job.end = (const unsigned char *)header->body.end;
    job.big = header->encoding == LF__PLY_BIG;
    lf_status status = LF_OK;
    for (int i = 0; i < header->element_count && status == LF_OK; i++) {
        job.element = &header->elements[i];
        status = read_element(&job);
    }
    lf__array_free(&job.list, &soup->allocator, sizeof(int64_t));
    return status;
}
