/// OBJ in double precision: vertices, polygons, and the names of objects, groups and materials.
#include "polygon/polygon.h"
#include <inttypes.h>
#include <string.h>

#define OBJ_REPORT ((int64_t)1 << 16)

typedef struct obj_reader {
    const char *start;
    lf__text text;
    lf__soup *soup;
    lf_error *error;
    bool object_requested, group_requested, material_requested;
    int64_t object, named, material; // numbers of names; `named` is the latest object or group
    int64_t highest, highest_line;   // the highest vertex number used before its vertex was read
} obj_reader;

static lf_status refuse_obj(obj_reader *job, const char *what, lf__word word) {
    return lf__fail(job->error, LF_BAD_FORMAT, job->text.line, "line %" PRId64 ": %s \"%.*s\"",
                    job->text.line, what, LF__WORD(word));
}

static lf_status obj_status(obj_reader *job, lf_status status) {
    return status == LF_OK ? LF_OK : lf__fail_plain(job->error, status);
}

/// "v x y z", which a weight or a colour may follow.
static lf_status read_obj_vertex(obj_reader *job) {
    double values[8];
    int count = 0;
    for (; count < 8 && lf__text_more(&job->text); count++)
        if (!lf__text_number(&job->text, &values[count]))
            return refuse_obj(job, "not a number in a vertex:", lf__text_peek(job->text));
    if (lf__text_more(&job->text))
        return refuse_obj(job, "too many numbers in a vertex:", lf__text_peek(job->text));
    if (count < 3)
        return lf__fail(job->error, LF_BAD_FORMAT, job->text.line, "line %" PRId64 ": a vertex of %d numbers",
                        job->text.line, count);
    lf_vec3 vertex = {values[0], values[1], values[2]};
    if (!lf_vec3_finite(vertex))
        return lf__fail(job->error, LF_BAD_FORMAT, job->text.line,
                        "line %" PRId64 ": vertex %" PRId64 " is not finite", job->text.line,
                        job->soup->vertices.count + 1);
    return obj_status(job, lf__soup_vertex(job->soup, vertex));
}

/// Whether this may follow the vertex number of a corner: nothing, "/vt", "//vn" or "/vt/vn".
static bool is_corner_tail(const char *at, const char *end) {
    int64_t number;
    for (int slashes = 0; slashes < 2 && at < end && *at == '/'; slashes++) {
        at++;
        if (at < end && *at != '/')
            at = lf__text_integer_at(at, end, &number);
        if (!at)
            return false;
    }
    return at == end;
}

/// The vertex of one corner of a polygon, from 0.
static lf_status read_obj_corner(obj_reader *job, int64_t *vertex) {
    lf__word word = lf__text_word(&job->text);
    const char *end = word.start + word.length;
    int64_t number, count = job->soup->vertices.count;
    const char *tail = lf__text_integer_at(word.start, end, &number);
    if (!tail || !is_corner_tail(tail, end))
        return refuse_obj(job, "not a corner of a polygon:", word);
    if (number == 0 || number < -count)
        return lf__fail(job->error, LF_BAD_FORMAT, job->text.line,
                        "line %" PRId64 ": no vertex %" PRId64 " (%" PRId64 " so far)", job->text.line,
                        number, count);
    *vertex = number < 0 ? count + number : number - 1;
    if (*vertex >= count && *vertex > job->highest) {
        job->highest = *vertex;
        job->highest_line = job->text.line;
    }
    return LF_OK;
}

static lf_status read_obj_polygon(obj_reader *job) {
    int64_t before = job->soup->corners.count;
    while (lf__text_more(&job->text)) {
        int64_t vertex = 0; // (gcc does not see that it is always set)
        lf_status status = read_obj_corner(job, &vertex);
        if (status == LF_OK)
            status = obj_status(job, lf__soup_corner(job->soup, vertex));
        if (status != LF_OK)
            return status;
    }
    if (job->soup->corners.count == before)
        return lf__fail(job->error, LF_BAD_FORMAT, job->text.line,
                        "line %" PRId64 ": a polygon without corners", job->text.line);
    int64_t name = job->named >= 0 ? job->named : job->material;
    bool keep = !job->soup->only || job->object_requested || job->group_requested || job->material_requested;
    return obj_status(job, lf__soup_close(job->soup, name >= 0 ? (uint64_t)name : LF__NO_NAME, keep));
}

/// A name that is the rest of its line; -1 for an empty one.
static lf_status read_obj_name(obj_reader *job, int64_t *number, bool *requested) {
    lf__word name = lf__text_rest(&job->text);
    *number = -1;
    lf_status status = name.length > 0 ? lf__soup_name(job->soup, name.start, name.length, number) : LF_OK;
    *requested = lf__soup_requested(job->soup, *number);
    return obj_status(job, status);
}

/// Polygons can be in several groups at once; the first is their name.
static lf_status read_obj_groups(obj_reader *job) {
    job->named = job->object;
    job->group_requested = false;
    for (int64_t count = 0; lf__text_more(&job->text); count++) {
        int64_t number;
        lf__word name = lf__text_word(&job->text);
        lf_status status = lf__soup_name(job->soup, name.start, name.length, &number);
        if (status != LF_OK)
            return obj_status(job, status);
        job->named = count == 0 ? number : job->named;
        job->group_requested |= lf__soup_requested(job->soup, number);
    }
    return LF_OK;
}

static lf_status read_obj_line(obj_reader *job) {
    lf__word word = lf__text_word(&job->text);
    if (lf__word_is(word, "v"))
        return read_obj_vertex(job);
    if (lf__word_is(word, "f") || lf__word_is(word, "fo"))
        return read_obj_polygon(job);
    if (lf__word_is(word, "g"))
        return read_obj_groups(job);
    if (lf__word_is(word, "usemtl"))
        return read_obj_name(job, &job->material, &job->material_requested);
    if (!lf__word_is(word, "o"))
        return LF_OK;
    lf_status status = read_obj_name(job, &job->object, &job->object_requested);
    job->named = job->object;
    return status;
}

/// Go to the next line. A backslash may continue a line that is not read, too.
static bool next_obj_line(lf__text *text) {
    while (lf__text_more(text)) {
        const char *backslash = text->at;
        while (text->at < text->end && !lf__is_line_end(*text->at))
            backslash = text->at++;
        text->at = backslash < text->end && *backslash == '\\' ? backslash : text->at;
    }
    return lf__text_next_line(text);
}

static lf_status read_obj_lines(obj_reader *job) {
    int64_t count = 0;
    do {
        lf_status status = read_obj_line(job);
        if (status == LF_OK && count++ % OBJ_REPORT == 0)
            status =
                lf__soup_report(job->soup, job->text.at - job->start, job->text.end - job->start, job->error);
        if (status != LF_OK)
            return status;
    } while (next_obj_line(&job->text));
    if (job->highest >= job->soup->vertices.count)
        return lf__fail(job->error, LF_BAD_FORMAT, job->highest_line,
                        "line %" PRId64 ": no vertex %" PRId64 " (the file has %" PRId64 ")",
                        job->highest_line, job->highest + 1, job->soup->vertices.count);
    return LF_OK;
}

lf_status lf__obj_read(const void *data, size_t size, lf__soup *soup, lf_error *error) {
    obj_reader job = {.text = lf__text_of(data, size), .soup = soup, .error = error};
    job.start = job.text.at;
    job.text.continued = job.text.remarks = true;
    job.object = job.named = job.material = job.highest = -1;
    lf_status status = read_obj_lines(&job);
    soup->precision = status == LF_OK ? lf__half_step_double(lf__soup_largest(soup)) : 0;
    return status;
}
