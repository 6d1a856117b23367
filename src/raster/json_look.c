// The text is checked once, as a whole, without recursion: a stack of brackets is all there is to JSON's
// nesting. After that, walking may trust it.
#include "raster/json_look.h"
#include "base/number.h"
#include <math.h>
#include <string.h>

#define DEEPEST 64

static const char *blanks(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    return at;
}

/// Behind the string that begins here; NULL when it has no end.
static const char *behind_string(const char *at, const char *end) {
    for (at++; at < end; at++) {
        if (*at == '"')
            return at + 1;
        if ((unsigned char)*at < ' ')
            return NULL;
        if (*at == '\\' && ++at == end)
            return NULL;
    }
    return NULL;
}

/// Behind the string, number or word that begins here; NULL when there is none.
static const char *behind_plain(const char *at, const char *end) {
    static const char *const words[] = {"true", "false", "null"};
    double number;
    if (at == end)
        return NULL;
    if (*at == '"')
        return behind_string(at, end);
    for (int i = 0; i < 3; i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(end - at) >= length && memcmp(at, words[i], length) == 0)
            return at + length;
    }
    if (*at != '-' && !(*at >= '0' && *at <= '9'))
        return NULL;
    return lf__number_read(at, end, &number);
}

/// The name of a member and its colon; NULL when that is not what is there.
static const char *behind_name(const char *at, const char *end) {
    at = blanks(at, end);
    if (at == end || *at != '"' || !(at = behind_string(at, end)))
        return NULL;
    at = blanks(at, end);
    return at < end && *at == ':' ? blanks(at + 1, end) : NULL;
}

/// Where brackets are closed and what comes after a value. Returns behind it; NULL: it makes no sense. *more: another value follows.
static const char *close_brackets(const char *at, const char *end, char *open, int *depth, bool *more) {
    *more = false;
    while (*depth > 0) {
        at = blanks(at, end);
        if (at == end)
            return NULL;
        if (*at == ',') {
            *more = true;
            return open[*depth - 1] == '{' ? behind_name(at + 1, end) : blanks(at + 1, end);
        }
        if (*at != (open[*depth - 1] == '{' ? '}' : ']'))
            return NULL;
        (*depth)--;
        at++;
    }
    return at;
}

/// Behind the value that begins here; NULL when it makes no sense, and `fault` says about where.
static const char *behind(const char *at, const char *end, const char **fault) {
    char open[DEEPEST];
    int depth = 0;
    for (bool more = true; more;) {
        *fault = at;
        if (at < end && (*at == '{' || *at == '[') && depth < DEEPEST) {
            char bracket = open[depth++] = *at;
            at = blanks(at + 1, end);
            if (at < end && *at != (bracket == '{' ? '}' : ']')) {
                at = bracket == '{' ? behind_name(at, end) : at;
                if (!at)
                    return NULL;
                continue;
            }
        } else if (!(at = behind_plain(at, end))) {
            return NULL;
        }
        *fault = at;
        if (!(at = close_brackets(at, end, open, &depth, &more)))
            return NULL;
    }
    return at;
}

bool lf__json_open(const char *text, size_t size, lf__json *value, const char **fault) {
    const char *end = text + size, *begin = blanks(text, end);
    const char *last = behind(begin, end, fault);
    if (!last)
        return false;
    *fault = last;
    *value = (lf__json){begin, last};
    return blanks(last, end) == end;
}

bool lf__json_next(lf__json value, lf__json *next, lf__json *name, lf__json *item) {
    const char *fault;
    if (value.at == value.end || (*value.at != '{' && *value.at != '['))
        return false;
    const char *at = blanks(next->end ? next->end : value.at + 1, value.end);
    if (at < value.end && *at == ',')
        at = blanks(at + 1, value.end);
    if (at + 1 >= value.end) // only the bracket is left
        return false;
    *name = (lf__json){at, at};
    if (*value.at == '{') {
        name->end = behind_string(at, value.end);
        at = behind_name(at, value.end);
    }
    *item = (lf__json){at, behind(at, value.end, &fault)};
    *next = *item;
    return true;
}

bool lf__json_is(lf__json value, const char *string) {
    size_t length = strlen(string);
    return (size_t)(value.end - value.at) == length + 2 && *value.at == '"' &&
           memcmp(value.at + 1, string, length) == 0;
}

bool lf__json_find(lf__json object, const char *wanted, lf__json *item) {
    lf__json next = {NULL, NULL}, name;
    if (object.at == object.end || *object.at != '{')
        return false;
    while (lf__json_next(object, &next, &name, item))
        if (lf__json_is(name, wanted))
            return true;
    return false;
}

bool lf__json_count(lf__json value, int64_t *count) {
    double number;
    if (value.at == value.end || !lf__number_read(value.at, value.end, &number))
        return false;
    if (!(number >= 0 && number <= 9007199254740992.0) || number != floor(number))
        return false;
    *count = (int64_t)number;
    return true;
}
