/// Questions as rows of numbers: on the command line, on standard input one per line, and in files.
#ifndef CLI_QUESTIONS_H
#define CLI_QUESTIONS_H

#include "cli.h"

/// One line: its numbers, and the text behind them.
typedef struct row {
    double numbers[ROW_NUMBERS];
    int count;
    const char *rest; ///< not ended by NUL; lives as long as the block
    size_t rest_length;
    int64_t line; ///< from 1
} row;

/// Read the numbers of a line. Returns false where it has too few or something else; the reason is written to `fault`, if there is
/// space for it.
bool row_parse(const char *text, const char *end, row_shape shape, row *read, char *fault, size_t size);

/// Rows from a file, in blocks of whatever one read brings: answers to a slow writer come at once, and a fast one is answered in
/// thousands.
typedef struct row_reader {
    int file;
    const char *source; ///< in messages
    row_shape shape;
    char *buffer;
    size_t capacity, used, taken;
    row *rows; ///< of the present block
    int64_t count, row_capacity;
    int64_t line;
    int64_t bytes; ///< read so far
    bool ended;
    bool failed;
    char
        fault[256]; ///< what is wrong with the line that failed, printed once the rows before it are answered
} row_reader;

/// Take the rows of a block; false to stop, after a message.
typedef bool row_block(void *user, row_reader *reader);

/// Mark a row of the present block as wrong, with the reason: the block ends before it, and later ones are not read.
void row_reader_refuse(row_reader *reader, const row *bad, const char *reason);

/// Read all rows of a file, - for standard input. Prints what is wrong and returns false.
bool rows_read(const char *path, row_shape shape, row_block *take, void *user);

/// Answer the rows of standard input, block by block; returns the exit status.
int questions_from_input(cli *run, row_shape shape, row_block *answer, void *user);

/// The i-th value of an option, which has been checked, as a row.
row questions_row(const cli *run, const char *option, int i);

/// --from X,Y,Z and the option of the other end as a row of six numbers.
row questions_ends(const options *given, const char *end);

/// Answer the values of an option, in one block, or where it is not given the rows of standard input; returns CLI_YES or CLI_ERROR.
int questions_answer(cli *run, const char *option, row_block *answer, void *user);

/// Hits in a buffer that grows.
typedef struct hits {
    lf_hit *list;
    int64_t capacity;
} hits;

/// Make space for that many hits; those there are are kept.
void hits_reserve(hits *hits, int64_t count);

#endif
