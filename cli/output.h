/// Text to standard output or a file, buffered, with write errors kept until it is closed; numbers as text.
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <figures.h>
#include <landfall/geom.h>

typedef struct output {
    int file;             ///< descriptor
    lf_text_file *beside; ///< or what will become a file
    char *buffer;
    size_t used;
    int digits; ///< behind the point; -1: the shortest text that reads back
    int fault;  ///< errno of the first write that failed; nothing is written after it
} output;

/// Start writing to a descriptor; false without memory.
bool output_open(output *out, int file);

void output_bytes(output *out, const char *bytes, size_t length);
void output_text(output *out, const char *text);
void output_char(output *out, char c);

/// Text by a format; numbers with a point are not for it: the locale changes them.
void output_format(output *out, const char *format, ...) LF_PRINTF(2, 3);

void output_number(output *out, double value);
void output_integer(output *out, int64_t value);

/// So many blanks; none where count is below 1.
void output_blanks(output *out, int64_t count);

/// A cell of a CSV table: in quotes when it must be.
void output_cell(output *out, const char *text);

/// Write everything out; false when a write failed, now or before.
bool output_flush(output *out);

/// Start writing what will become a file, with so many digits. Prints what is wrong and returns false; nothing is held then.
bool output_create(output *out, const char *path, int digits);

/// Flush, close and free; a file gets its name. Prints what failed (a reader that went away is only a status) and returns false.
bool output_close(output *out);

/// Free what would have become a file: there is none, or the old one.
void output_discard(output *out);

// ---- Files --------------------------------------------------------------------------------------

/// Can a file be written there, as far as can be seen beforehand: is there a folder that can be written to, and no folder in its
/// place? Prints what is wrong and returns false.
bool output_possible(const char *path);

/// Does a path end like this (".png"), in capitals or not?
bool path_ends(const char *path, const char *ending);

/// The last part of a path.
const char *path_name(const char *path);

// ---- Numbers as text, the same under every locale -----------------------------------------------

/// Space for any number as number_write makes it, and for an integer.
#define NUMBER_SIZE LF_NUMBER_SIZE
#define INTEGER_SIZE 24
/// Space for any number as number_write_fixed makes it: 309 digits before the point.
#define NUMBER_FIXED_SIZE 352
/// Most digits behind the point that number_write_fixed takes.
#define NUMBER_FIXED_DIGITS 20

typedef enum number_fault {
    NUMBER_FINE,
    NUMBER_BAD,      ///< not a number: empty, letters, "nan", "inf"
    NUMBER_TOO_LARGE ///< beyond what a double holds
} number_fault;

/// Read the number at the start of [text, end): sign, digits with a point, exponent. The nearest double.
/// stop is set behind what was read. No blanks are skipped.
number_fault number_read(const char *text, const char *end, double *value, const char **stop);

/// Read a whole text as one number, nothing behind it.
number_fault number_read_all(const char *text, double *value);

/// Read a whole text as a decimal integer; false when it is not one or does not fit.
bool integer_read_all(const char *text, int64_t *value);

/// As lf_number_write, but minus zero is 0. Returns the length.
size_t number_write(char *text, double value);

/// Rounded to 0 .. NUMBER_FIXED_DIGITS digits behind the point; nan, inf or -inf. Returns the length; no NUL.
size_t number_write_fixed(char *text, double value, int digits);

/// Returns the length.
size_t integer_write(char *text, int64_t value);

#endif
