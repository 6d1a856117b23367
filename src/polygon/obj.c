// OBJ in double precision: vertices, polygons, and the names of objects, groups and materials.
#include "polygon/readers.h"
#include "polygon/text.h"
#include <inttypes.h>
#include <string.h>

#define REPORT_EVERY ((int64_t)1 << 16)

typedef struct reader {
    const char *start;
    lf__text text;
    lf__soup *soup;
    lf_error *error;
    bool object_wanted, group_wanted, material_wanted;
    int64_t object, called, material; // numbers of names; `called` is the latest object or group
    int64_t farthest, farthest_line;  // the highest vertex number that was not yet there when it was used
} reader;

static lf_status refuse(reader *job, const char *what, lf__word word) {
    return lf__fail(job->error, LF_BAD_FORMAT, job->text.line, "line %" PRId64 ": %s \"%.*s\"",
                    job->text.line, what, LF__WORD(word));
}

static lf_status plain(reader *job, lf_status status) {
    return status == LF_OK ? LF_OK : lf__fail_plain(job->error, status);
}

/// "v x y z", perhaps with a weight or a colour behind it.
static lf_status read_vertex(reader *job) {
    double values[8];
    int count = 0;
    for (; count < 8 && lf__text_more(&job->text); count++)
        if (!lf__text_number(&job->text, &values[count]))
            return refuse(job, "not a number in a vertex:", lf__text_peek(job->text));
    if (lf__text_more(&job->text))
        return refuse(job, "too many numbers in a vertex:", lf__text_peek(job->text));
    if (count < 3)
        return lf__fail(job->error, LF_BAD_FORMAT, job->text.line, "line %" PRId64 ": a vertex of %d numbers",
                        job->text.line, count);
    lf_vec3 vertex = {values[0], values[1], values[2]};
    if (!lf_vec3_finite(vertex))
        return lf__fail(job->error, LF_BAD_FORMAT, job->text.line,
                        "line %" PRId64 ": vertex %" PRId64 " is not finite", job->text.line,
                        job->soup->vertices.count + 1);
    return plain(job, lf__soup_vertex(job->soup, vertex));
}

/// Is this what may stand behind a corner's vertex number: nothing, "/vt", "//vn" or "/vt/vn"?
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
static lf_status read_corner(reader *job, int64_t *vertex) {
    lf__word word = lf__text_word(&job->text);
    const char *end = word.start + word.length;
    int64_t number, count = job->soup->vertices.count;
    const char *tail = lf__text_integer_at(word.start, end, &number);
    if (!tail || !is_corner_tail(tail, end))
        return refuse(job, "not a corner of a polygon:", word);
    if (number == 0 || number < -count)
        return lf__fail(job->error, LF_BAD_FORMAT, job->text.line,
                        "line %" PRId64 ": there is no vertex %" PRId64 " (%" PRId64 " so far)",
                        job->text.line, number, count);
    *vertex = number < 0 ? count + number : number - 1;
    if (*vertex >= count && *vertex > job->farthest) {
        job->farthest = *vertex;
        job->farthest_line = job->text.line;
    }
    return LF_OK;
}

static lf_status read_polygon(reader *job) {
    int64_t before = job->soup->corners.count;
    while (lf__text_more(&job->text)) {
        int64_t vertex = 0; // (gcc does not see that it is always set)
        lf_status status = read_corner(job, &vertex);
        if (status == LF_OK)
            status = plain(job, lf__soup_corner(job->soup, vertex));
        if (status != LF_OK)
            return status;
    }
    if (job->soup->corners.count == before)
        return lf__fail(job->error, LF_BAD_FORMAT, job->text.line,
                        "line %" PRId64 ": a polygon without corners", job->text.line);
    int64_t name = job->called >= 0 ? job->called : job->material;
    bool keep = !job->soup->only || job->object_wanted || job->group_wanted || job->material_wanted;
    return plain(job, lf__soup_close(job->soup, name >= 0 ? (uint64_t)name : LF__NO_NAME, keep));
}

/// A name that is the rest of its line; -1 for an empty one.
static lf_status read_name(reader *job, int64_t *number, bool *wanted) {
    lf__word name = lf__text_rest(&job->text);
    *number = -1;
    lf_status status = name.length > 0 ? lf__soup_name(job->soup, name.start, name.length, number) : LF_OK;
    *wanted = lf__soup_wants(job->soup, *number);
    return plain(job, status);
}

/// Polygons can be in several groups at once; the first gives them their name.
static lf_status read_groups(reader *job) {
    job->called = job->object;
    job->group_wanted = false;
    for (int64_t count = 0; lf__text_more(&job->text); count++) {
        int64_t number;
        lf__word name = lf__text_word(&job->text);
        lf_status status = lf__soup_name(job->soup, name.start, name.length, &number);
        if (status != LF_OK)
            return plain(job, status);
        job->called = count == 0 ? number : job->called;
        job->group_wanted |= lf__soup_wants(job->soup, number);
    }
    return LF_OK;
}

static lf_status read_line(reader *job) {
    lf__word word = lf__text_word(&job->text);
    if (lf__word_is(word, "v"))
        return read_vertex(job);
    if (lf__word_is(word, "f") || lf__word_is(word, "fo"))
        return read_polygon(job);
    if (lf__word_is(word, "g"))
        return read_groups(job);
    if (lf__word_is(word, "usemtl"))
        return read_name(job, &job->material, &job->material_wanted);
    if (!lf__word_is(word, "o"))
        return LF_OK;
    lf_status status = read_name(job, &job->object, &job->object_wanted);
    job->called = job->object;
    return status;
}

/// Behind the word that opens a line that is not for us, a backslash may continue it.
static bool next_line(lf__text *text) {
    while (lf__text_more(text)) {
        const char *backslash = text->at;
        while (text->at < text->end && !lf__is_line_end(*text->at))
            backslash = text->at++;
        text->at = backslash < text->end && *backslash == '\\' ? backslash : text->at;
    }
    return lf__text_next_line(text);
}

static lf_status read_lines(reader *job) {
    int64_t count = 0;
    do {
        lf_status status = read_line(job);
        if (status == LF_OK && count++ % REPORT_EVERY == 0)
            status =
                lf__soup_report(job->soup, job->text.at - job->start, job->text.end - job->start, job->error);
        if (status != LF_OK)
            return status;
    } while (next_line(&job->text));
    if (job->farthest >= job->soup->vertices.count)
        return lf__fail(job->error, LF_BAD_FORMAT, job->farthest_line,
                        "line %" PRId64 ": there is no vertex %" PRId64 " (the file has %" PRId64 ")",
                        job->farthest_line, job->farthest + 1, job->soup->vertices.count);
    return LF_OK;
}

lf_status lf__obj_read(const void *data, size_t size, lf__soup *soup, lf_error *error) {
    reader job = {.text = lf__text_of(data, size), .soup = soup, .error = error};
    job.start = job.text.at;
    job.text.continued = job.text.remarks = true;
    job.object = job.called = job.material = job.farthest = -1;
    lf_status status = read_lines(&job);
    soup->precision = status == LF_OK ? lf__half_step_double(lf__soup_largest(soup)) : 0;
    return status;
}
