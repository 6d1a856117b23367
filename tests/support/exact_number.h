/// Numbers of the form base + sign * sqrt(square), base and square rational: what a line's meetings with planes and
/// with bilinear patches are. Compared exactly.
#ifndef LF_TESTS_EXACT_NUMBER_H
#define LF_TESTS_EXACT_NUMBER_H

#include <gmp.h>
#include <stdbool.h>

typedef struct exact_number {
    mpq_t base;
    mpq_t square; ///< not negative
    int sign;     ///< -1, 0 or 1; 0: the number is rational
} exact_number;

void exact_number_init(exact_number *number);
void exact_number_clear(exact_number *number);
void exact_number_copy(exact_number *to, const exact_number *from);
void exact_number_set(exact_number *number, const mpq_t value);

/// -1, 0 or 1.
int exact_number_compare(const exact_number *a, const exact_number *b);
int exact_number_compare_q(const exact_number *a, const mpq_t b);

/// To about the precision of `out`, whatever cancels.
void exact_number_get_f(mpf_t out, const exact_number *number);
/// Within one unit in the last place.
double exact_number_get(const exact_number *number);

/// The real roots of a t^2 + b t + c, ascending; a double root once. Returns how many: 0, 1 or 2, or -1 when the
/// polynomial is zero everywhere.
int exact_roots(const mpq_t a, const mpq_t b, const mpq_t c, exact_number roots[2]);

#endif
