/// Walking through a text: lines, words, numbers. Knows the line's number, needs no closing zero.
#ifndef LF_IO_TEXT_H
#define LF_IO_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lf__text {
    const char *at, *end;
    int64_t line;   ///< from 1
    bool continued; ///< a backslash at its end continues a line on the next
    bool remarks;   ///< what follows a "#" at the start of a word is for people
} lf__text;

typedef struct lf__word {
    const char *start;
    size_t length;
} lf__word;

static inline bool lf__is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static inline bool lf__is_line_end(char c) {
    return c == '\n' || c == '\r';
}

lf__text lf__text_of(const void *data, size_t size);

/// Go to the next word of this line; false when there is none.
bool lf__text_more(lf__text *text);

/// The next word of this line, of length 0 when there is none.
lf__word lf__text_word(lf__text *text);

/// What is left of this line, without the blanks around it.
lf__word lf__text_rest(lf__text *text);

/// The next word as a number. False when there is no word (nothing happens) or when it is not a number
/// (the text stays before it).
bool lf__text_number(lf__text *text, double *value);
bool lf__text_integer(lf__text *text, int64_t *value);

/// Read a whole number with an optional sign at the start of text .. end. Returns the first character after it; NULL
/// when there is no number or when it exceeds 64 bits.
const char *lf__text_integer_at(const char *text, const char *end, int64_t *value);

/// Go behind the end of this line ("\n", "\r\n" or "\r"); false at the end of the text.
bool lf__text_next_line(lf__text *text);

/// The next word without moving on, cut to what fits into a message.
lf__word lf__text_peek(lf__text text);

bool lf__word_is(lf__word word, const char *wanted);

/// For printf: "%.*s" with LF__WORD(word), at most 40 characters.
#define LF__WORD(word) (int)((word).length < 40 ? (word).length : 40), (word).start

#endif
