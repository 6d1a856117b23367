/// Numbers as text, the same in every locale.
#ifndef LF_IO_NUMBER_H
#define LF_IO_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Read a number at the start of text .. end: the nearest double (ties to even) for any number of digits.
/// "inf" and "nan" in their usual spellings are numbers too, so that callers can name them.
/// Returns the first character behind it; NULL when there is no number.
const char *lf__number_read(const char *text, const char *end, double *value);

/// Read a whole number with an optional sign. NULL when there is none or when it exceeds 64 bits.
const char *lf__integer_read(const char *text, const char *end, int64_t *value);

/// Room for any written number and its closing zero.
#define LF__NUMBER_ROOM 32

/// Write a finite number with as few digits (at most 17) as bring the same bits back. Returns the length.
size_t lf__number_write(double value, char text[LF__NUMBER_ROOM]);

/// The double nearest to bits * 2^exponent, or to a bit more than that when `more` is set.
double lf__number_round(uint64_t bits, int exponent, bool more);

/// The double nearest to the number spelled by the characters text .. end (digits and at most one point) times
/// 10^exponent: exact arithmetic on long integers, for the few numbers that the quick ways cannot decide.
double lf__decimal_round(const char *text, const char *end, int64_t exponent);

#endif
