#include "request.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

// ---- Replies ------------------------------------------------------------------------------------

bool refuse(reply *reply, int status, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(reply->message, sizeof reply->message, format, list);
    va_end(list);
    reply->status = status;
    return false;
}

bool refuse_limit(reply *reply, int status, const char *limit, double allowed, double asked) {
    reply->limit = limit;
    reply->allowed = allowed;
    reply->asked = asked;
    return refuse(reply, status, "%s: %.10g is more than the limit of %.10g", limit, asked, allowed);
}

bool refuse_status(reply *reply, lf_status status, const lf_error *error) {
    const char *text = error && error->text[0] ? error->text : lf_status_text(status);
    if (status == LF_CANCELLED)
        return refuse(reply, reply->status == 200 ? 503 : reply->status, "cancelled");
    return refuse(reply, status == LF_BAD_ARGUMENT ? 400 : status == LF_NO_MEMORY ? 503 : 500, "%s", text);
}

void reply_header(reply *reply, const char *name, const char *format, ...) {
    if (reply->header_count == REPLY_HEADERS)
        return;
    va_list list;
    va_start(list, format);
    snprintf(reply->headers[reply->header_count].name, sizeof reply->headers->name, "%s", name);
    vsnprintf(reply->headers[reply->header_count].value, sizeof reply->headers->value, format, list);
    va_end(list);
    reply->header_count++;
}

void reply_free(reply *reply) {
    text_free(&reply->body);
    blob_release(reply->blob);
    reply->blob = NULL;
}

blob *blob_create(const void *bytes, size_t size) {
    blob *made = memory_take(sizeof *made + size);
    if (!made)
        return NULL;
    *made = (blob){.size = size};
    atomic_init(&made->users, 1);
    if (size)
        memcpy(made->bytes, bytes, size);
    return made;
}

blob *blob_hold(blob *blob) {
    atomic_fetch_add(&blob->users, 1);
    return blob;
}

void blob_release(blob *blob) {
    if (blob && atomic_fetch_sub(&blob->users, 1) == 1)
        memory_free(blob);
}

// ---- Targets and forms --------------------------------------------------------------------------

static int hex(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/// Decode %41 (and + in a form) in place; false for a broken escape or a zero byte.
static bool decode(char *text, bool form) {
    char *to = text;
    for (const char *from = text; *from; from++) {
        bool escaped = *from == '%';
        int high = escaped ? hex(from[1]) : 0, low = escaped && high >= 0 ? hex(from[2]) : 0;
        if (high < 0 || low < 0 || (escaped && high + low == 0))
            return false;
        *to++ = (char)(escaped ? high * 16 + low : form && *from == '+' ? ' ' : *from);
        from += escaped ? 2 : 0;
    }
    *to = '\0';
    return true;
}

/// Split "a=1&b=2" in place. -1: broken; -2: too many.
static int split(char *text, parameter *list) {
    int count = 0;
    for (char *next, *at = text; at && *at; at = next) {
        next = strchr(at, '&');
        if (next)
            *next++ = '\0';
        if (!*at)
            continue;
        if (count == PARAMETERS)
            return -2;
        char *value = strchr(at, '=');
        if (value)
            *value++ = '\0';
        if (!decode(at, true) || (value && !decode(value, true)))
            return -1;
        list[count++] = (parameter){at, value ? value : ""};
    }
    return count;
}

static bool fine_split(int count, reply *reply) {
    if (count == -1)
        return refuse(reply, 400, "broken %%-escape: expected %% and two hexadecimal digits other than 00");
    return count >= 0 || refuse_limit(reply, 400, "parameters", PARAMETERS, PARAMETERS + 1);
}

bool request_target(request *request, const char *target, reply *reply) {
    request->storage = memory_copy(target);
    if (!request->storage)
        return refuse(reply, 503, "out of memory");
    request->path = request->storage;
    char *query = strchr(request->path, '?');
    if (query)
        *query++ = '\0';
    if (request->path[0] != '/' || !decode(request->path, false))
        return refuse(reply, 400, "path: expected / and characters or %%-escapes after it");
    int count = query ? split(query, request->query) : 0;
    request->query_count = count < 0 ? 0 : count;
    return fine_split(count, reply);
}

// ---- Bodies -------------------------------------------------------------------------------------

/// Read a body of JSON. An object of GeoJSON for each point has 13 values.
static bool read_json(request *request, const char *body, size_t size, reply *reply) {
    document_limits limits = {request->settings->max_depth, 64 + 16 * request->settings->max_points};
    document_error error;
    switch (document_read(&request->document, body, size, limits, &error)) {
    case DOCUMENT_FINE:
        request->json = request->document.values;
        return true;
    case DOCUMENT_DEEP:
        return refuse_limit(reply, 400, "depth", limits.depth, limits.depth + 1);
    case DOCUMENT_LONG:
        return refuse_limit(reply, 413, "values", limits.values, limits.values + 1);
    case DOCUMENT_NO_MEMORY:
        return refuse(reply, 503, "out of memory");
    case DOCUMENT_BROKEN:
        break;
    }
    return refuse(reply, 400, "body: line %d: %s", error.line, error.text);
}

static bool is_type(const char *type, const char *wanted) {
    size_t length = strlen(wanted);
    return strncasecmp(type, wanted, length) == 0 && (!type[length] || strchr("; \t", type[length]));
}

bool request_body(request *request, const char *type, const char *body, size_t size, reply *reply) {
    request->body = body;
    request->body_size = size;
    request->body_type = type ? type : "";
    if (size == 0)
        return true;
    size_t first = 0;
    while (first < size && strchr(" \t\r\n", body[first]) && body[first])
        first++;
    bool object = first < size && body[first] == '{'; // curl -d sends everything as a form
    if (is_type(request->body_type, "application/x-www-form-urlencoded") && !object) {
        char *copy = memory_take(size + 1);
        if (!copy)
            return refuse(reply, 503, "out of memory");
        memcpy(copy, body, size);
        copy[size] = '\0';
        request->form_text = copy;
        int count = strlen(copy) == size ? split(copy, request->form) : -1;
        request->form_count = count < 0 ? 0 : count;
        return fine_split(count, reply);
    }
    return read_json(request, body, size, reply);
}

void request_free(request *request) {
    memory_free(request->form_text);
    document_free(&request->document);
    memory_free(request->storage);
}

// ---- Parameters ---------------------------------------------------------------------------------

const value *request_member(const request *request, const char *name) {
    return value_member(request->json, name);
}

const char *request_text(const request *request, const char *name, char number[LF_NUMBER_SIZE]) {
    for (int i = 0; i < request->form_count; i++)
        if (strcmp(request->form[i].name, name) == 0)
            return request->form[i].value;
    const value *member = request_member(request, name);
    if (value_is(member, VALUE_STRING))
        return member->string;
    if (value_is(member, VALUE_TRUE) || value_is(member, VALUE_FALSE))
        return member->kind == VALUE_TRUE ? "true" : "false";
    if (value_is(member, VALUE_NUMBER)) {
        lf_number_write(member->number, number);
        return number;
    }
    for (int i = 0; i < request->query_count; i++)
        if (strcmp(request->query[i].name, name) == 0)
            return request->query[i].value;
    return NULL;
}

bool request_number(const request *request, const char *name, range range, double *value, reply *reply) {
    char number[LF_NUMBER_SIZE];
    const char *given = request_text(request, name, number);
    *value = range.usual;
    if (!given)
        return true;
    const char *end = given + strlen(given);
    if (lf_number_read(given, end, value) == end && *value >= range.least && *value <= range.most)
        return true;
    return refuse(reply, 400, "%s %.64s: expected a number from %.10g to %.10g", name, given, range.least,
                  range.most);
}

bool request_choice(const request *request, const char *name, const char *words, int *index, reply *reply) {
    char number[LF_NUMBER_SIZE];
    const char *given = request_text(request, name, number);
    *index = 0;
    if (!given)
        return true;
    size_t length = strlen(given);
    for (const char *word = words; word; (*index)++) {
        const char *end = strchr(word, '|');
        if ((end ? (size_t)(end - word) : strlen(word)) == length && strncmp(word, given, length) == 0)
            return true;
        word = end ? end + 1 : NULL;
    }
    return refuse(reply, 400, "%s %.64s: expected one of %s", name, given, words);
}
