/// Numbers as text, by the library; whole numbers, and numbers with a fixed number of digits.
#include "output.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- Reading ------------------------------------------------------------------------------------

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

number_fault number_read(const char *text, const char *end, double *value, const char **stop) {
    double read;
    const char *behind = lf_number_read(text, end, &read);
    if (!behind || isnan(read))
        return NUMBER_BAD;
    if (isinf(read)) // spelled out, or beyond what a double holds
        return is_digit(behind[-1]) || behind[-1] == '.' ? NUMBER_TOO_LARGE : NUMBER_BAD;
    *value = read;
    *stop = behind;
    return NUMBER_FINE;
}

number_fault number_read_all(const char *text, double *value) {
    const char *end = text + strlen(text);
    const char *stop;
    number_fault fault = number_read(text, end, value, &stop);
    return fault == NUMBER_FINE && stop != end ? NUMBER_BAD : fault;
}

bool integer_read_all(const char *text, int64_t *value) {
    const char *p = text;
    bool negative = *p == '-';
    uint64_t most = negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;
    uint64_t sum = 0;
    p += negative || *p == '+';
    if (!is_digit(*p))
        return false;
    for (; is_digit(*p); p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (sum > (most - digit) / 10)
            return false;
        sum = 10 * sum + digit;
    }
    *value = negative ? (int64_t)(0 - sum) : (int64_t)sum;
    return *p == '\0';
}

// ---- Writing ------------------------------------------------------------------------------------

size_t number_write(char *text, double value) {
    return lf_number_write(value == 0 ? 0 : value, text); // no sign of zero
}

size_t number_write_fixed(char *text, double value, int digits) {
    char made[NUMBER_FIXED_SIZE];
    char *p = text;
    bool zero = true, in_point = false;
    if (!isfinite(value))
        return lf_number_write(value, text);
    snprintf(made, sizeof made, "%.*f", digits, fabs(value));
    for (const char *c = made; *c; c++)
        zero = zero && (*c == '0' || !is_digit(*c));
    if (value < 0 && !zero)
        *p++ = '-';
    for (const char *c = made; *c; c++) { // the locale's point may be several bytes
        bool digit = is_digit(*c);
        if (digit)
            *p++ = *c;
        else if (!in_point)
            *p++ = '.';
        in_point = !digit;
    }
    return (size_t)(p - text);
}

size_t integer_write(char *text, int64_t value) {
    return (size_t)snprintf(text, INTEGER_SIZE, "%" PRId64, value);
}
