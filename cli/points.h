/// Points and rays as text: on the command line, and on standard input one per line.
#ifndef CLI_POINTS_H
#define CLI_POINTS_H

#include <landfall/geom.h>

#define ROW_NUMBERS 6

/// One line taken apart: its numbers, and the text behind them.
typedef struct row {
    double numbers[ROW_NUMBERS];
    int count;
    const char *rest; ///< not ended by NUL; lives as long as the block
    size_t rest_length;
    int64_t line; ///< from 1
} row;

/// How many numbers a row has. Those beyond `least` are optional: a column that does not start like a number
/// is the first of the further columns.
typedef struct row_shape {
    int least, most;
    const char *spelling; ///< for messages, such as "X,Y[,Z]"
} row_shape;

/// Read the value of an option: numbers and nothing behind them. Says what is wrong and returns false.
bool row_from_option(const char *name, const char *text, row_shape shape, row *read);

/// Rows from a descriptor, in blocks of whatever one read brings: answers to a slow writer come at once, and
/// a fast one is answered in thousands.
typedef struct row_reader {
    int file;
    const char *source; ///< what messages call it; standard input by default
    row_shape shape;
    char *buffer;
    size_t capacity, used, taken;
    row *rows;
    int64_t count, room;
    int64_t line;
    int64_t bytes; ///< read so far
    bool ended;
    bool failed;
    char fault[256]; ///< what to say about the line that failed, once the rows before it are answered
} row_reader;

bool row_reader_open(row_reader *reader, int file, row_shape shape);
void row_reader_close(row_reader *reader);

/// Read the next block into rows and count. False at the end, or where a line cannot be read: then `failed` is
/// set, and row_reader_complain says why.
bool row_reader_next(row_reader *reader);

/// Mark a row of the present block as one that cannot be meant, with the reason. Later blocks are not read.
void row_reader_refuse(row_reader *reader, const row *bad, const char *reason);

/// Say what was wrong, if anything was; returns false then.
bool row_reader_complain(const row_reader *reader);

#endif
