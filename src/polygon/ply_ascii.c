#include "polygon/ply.h"
#include <inttypes.h>

#define REPORT_EVERY ((int64_t)1 << 16)

typedef struct reader {
    const lf__ply_header *header;
    const char *start;
    lf__text text;
    lf__soup *soup;
    lf_error *error;
    const lf__ply_element *element;
    int64_t number; // of the one being read
    lf__array list; // int64_t: vertex numbers
    double point[3];
} reader;

/// Say what is wrong with the value that comes next.
static lf_status refuse(reader *job, const char *what) {
    lf__word word = lf__text_peek(job->text);
    return lf__fail(job->error, LF_BAD_FORMAT, job->text.line,
                    "line %" PRId64 ": %.*s %" PRId64 ": %s \"%.*s\"", job->text.line,
                    LF__WORD(job->element->name), job->number, what, LF__WORD(word));
}

static lf_status refuse_end(reader *job) {
    return lf__fail(job->error, LF_BAD_FORMAT, job->text.line,
                    "truncated: the file ends in line %" PRId64 " before %.*s %" PRId64 " of %" PRId64,
                    job->text.line, LF__WORD(job->element->name), job->number, job->element->count);
}

/// A list of vertex numbers.
static lf_status read_corners(reader *job, int64_t count) {
    // No room is taken for what the line promises but does not hold.
    job->list.count = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t corner;
        lf__text before = job->text;
        if (!lf__text_integer(&job->text, &corner))
            return refuse(job, "not a vertex number:");
        if (!lf__ply_in_range(job->header, job->element->kind, corner)) {
            job->text = before;
            return refuse(job, "vertex number out of range:");
        }
        lf_status status = lf__array_reserve(&job->list, &job->soup->allocator, 1, sizeof corner);
        if (status != LF_OK)
            return lf__fail_plain(job->error, status);
        ((int64_t *)job->list.items)[job->list.count++] = corner;
    }
    lf_status status = lf__ply_polygons(job->soup, job->element->kind, job->list.items, count);
    return status == LF_OK ? LF_OK : lf__fail_plain(job->error, status);
}

static lf_status skip_values(reader *job, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (lf__text_word(&job->text).length == 0)
            return refuse(job, "too few values:");
    return LF_OK;
}

static lf_status read_property(reader *job, const lf__ply_property *property) {
    if (property->count_type != LF__PLY_NONE) {
        int64_t count;
        lf__text before = job->text;
        if (!lf__text_integer(&job->text, &count) || count < 0) {
            job->text = before;
            return refuse(job, "not the length of a list:");
        }
        return property->role == LF__PLY_CORNERS ? read_corners(job, count) : skip_values(job, count);
    }
    if (property->role == LF__PLY_SKIPPED)
        return skip_values(job, 1);
    lf__text before = job->text;
    double *value = &job->point[property->role - LF__PLY_X];
    if (!lf__text_number(&job->text, value))
        return refuse(job, "not a coordinate:");
    if (isfinite(*value))
        return LF_OK;
    job->text = before;
    return refuse(job, "a coordinate is not finite:");
}

/// One line; blank ones are passed over.
static lf_status read_one(reader *job) {
    while (!lf__text_more(&job->text))
        if (!lf__text_next_line(&job->text))
            return refuse_end(job);
    for (int i = 0; i < job->element->property_count; i++) {
        lf_status status = read_property(job, &job->element->properties[i]);
        if (status != LF_OK)
            return status;
    }
    if (lf__text_more(&job->text))
        return refuse(job, "more values than the header tells of:");
    if (job->element->kind != LF__PLY_VERTEX)
        return LF_OK;
    lf_vec3 vertex = {job->point[0], job->point[1], job->point[2]};
    lf_status status = lf__soup_vertex(job->soup, vertex);
    return status == LF_OK ? LF_OK : lf__fail_plain(job->error, status);
}

static lf_status read_element(reader *job) {
    if (job->element->property_count == 0) // takes no line either
        return LF_OK;
    for (job->number = 0; job->number < job->element->count; job->number++) {
        lf_status status = read_one(job);
        if (status == LF_OK && job->number % REPORT_EVERY == 0)
            status =
                lf__soup_report(job->soup, job->text.at - job->start, job->text.end - job->start, job->error);
        if (status != LF_OK)
            return status;
    }
    return LF_OK;
}

lf_status lf__ply_ascii_read(const lf__ply_header *header, lf__soup *soup, lf_error *error) {
    reader job = {
        .header = header, .start = header->body.at, .text = header->body, .soup = soup, .error = error};
    lf_status status = LF_OK;
    for (int i = 0; i < header->element_count && status == LF_OK; i++) {
        job.element = &header->elements[i];
        status = read_element(&job);
    }
    lf__array_free(&job.list, &soup->allocator, sizeof(int64_t));
    return status;
}
