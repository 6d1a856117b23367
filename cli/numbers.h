/// Numbers as text, the same under every locale.
#ifndef CLI_NUMBERS_H
#define CLI_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Room for any number as number_write makes it (sign, 21 digits or 17 and an exponent, point).
#define NUMBER_ROOM 32
/// Room for any number as number_write_fixed makes it: 309 digits before the point.
#define NUMBER_FIXED_ROOM 352
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

/// Read a whole text as a decimal integer; false when it is none or does not fit.
bool integer_read_all(const char *text, int64_t *value);

/// The shortest decimal that reads back as the same double, as JavaScript writes it: plain from 1e-6 up to
/// 1e21, with an exponent beyond. Minus zero is 0. What is not finite is nan, inf or -inf. Returns the length; no NUL.
size_t number_write(char *text, double value);

/// Rounded to 0 .. NUMBER_FIXED_DIGITS digits behind the point; nan, inf or -inf. Returns the length; no NUL.
size_t number_write_fixed(char *text, double value, int digits);

/// Returns the length; no NUL. Room for 20 characters.
size_t integer_write(char *text, int64_t value);

#endif
