/// Walking through a text: lines, words and numbers.
#include "polygon/polygon.h"
#include <landfall/base.h>
#include <string.h>

lf__text lf__text_of(const void *data, size_t size) {
    const char *start = data ? data : "";
    lf__text text = {.at = start, .end = start + (data ? size : 0), .line = 1};
    return text;
}

static void skip_line_end(lf__text *text) {
    if (*text->at == '\r' && text->end - text->at > 1 && text->at[1] == '\n')
        text->at++;
    text->at++;
    text->line++;
}

/// Whether this is the backslash that joins two lines.
static bool is_continuation(const lf__text *text, const char *at) {
    return *at == '\\' && text->continued && (text->end - at == 1 || lf__is_line_end(at[1]));
}

bool lf__text_more(lf__text *text) {
    while (text->at < text->end) {
        if (lf__is_blank(*text->at)) {
            text->at++;
        } else if (is_continuation(text, text->at)) {
            text->at++;
            if (text->at < text->end)
                skip_line_end(text);
        } else if (text->remarks && *text->at == '#') {
            while (text->at < text->end && !lf__is_line_end(*text->at))
                text->at++;
        } else {
            return !lf__is_line_end(*text->at);
        }
    }
    return false;
}

static bool is_word_end(const lf__text *text, const char *at) {
    return at == text->end || lf__is_blank(*at) || lf__is_line_end(*at) || is_continuation(text, at);
}

lf__word lf__text_word(lf__text *text) {
    lf__word word = {text->at, 0};
    if (!lf__text_more(text))
        return word;
    word.start = text->at;
    while (!is_word_end(text, text->at))
        text->at++;
    word.length = (size_t)(text->at - word.start);
    return word;
}

lf__word lf__text_rest(lf__text *text) {
    while (text->at < text->end && lf__is_blank(*text->at))
        text->at++;
    lf__word rest = {text->at, 0};
    while (text->at < text->end && !lf__is_line_end(*text->at))
        text->at++;
    rest.length = (size_t)(text->at - rest.start);
    while (rest.length > 0 && lf__is_blank(rest.start[rest.length - 1]))
        rest.length--;
    return rest;
}

bool lf__text_number(lf__text *text, double *value) {
    if (!lf__text_more(text))
        return false;
    const char *behind = lf_number_read(text->at, text->end, value);
    if (!behind || !is_word_end(text, behind))
        return false;
    text->at = behind;
    return true;
}

const char *lf__text_integer_at(const char *text, const char *end, int64_t *value) {
    bool negative = false;
    if (text < end && (*text == '-' || *text == '+'))
        negative = *text++ == '-';
    const char *start = text;
    int64_t sum = 0;
    for (; text < end && *text >= '0' && *text <= '9'; text++)
        if (__builtin_mul_overflow(sum, 10, &sum) || __builtin_sub_overflow(sum, *text - '0', &sum))
            return NULL;
    // The sum is kept negative: that side has one more number.
    if (text == start || (!negative && sum == INT64_MIN))
        return NULL;
    *value = negative ? sum : -sum;
    return text;
}

bool lf__text_integer(lf__text *text, int64_t *value) {
    if (!lf__text_more(text))
        return false;
    const char *behind = lf__text_integer_at(text->at, text->end, value);
    if (!behind || !is_word_end(text, behind))
        return false;
    text->at = behind;
    return true;
}

bool lf__text_next_line(lf__text *text) {
    while (text->at < text->end && !lf__is_line_end(*text->at))
        text->at++;
    if (text->at == text->end)
        return false;
    skip_line_end(text);
    return true;
}

lf__word lf__text_peek(lf__text text) {
    return lf__text_word(&text);
}

bool lf__word_is(lf__word word, const char *wanted) {
    return word.length == strlen(wanted) && memcmp(word.start, wanted, word.length) == 0;
}
