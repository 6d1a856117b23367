/// Numbers as text: reading is the library's, writing is the shortest text that reads back.
#include "output.h"
#include <landfall/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

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

/// 0.DIGITS * 10^point, the first digit not zero.
typedef struct decimal {
    char digits[40];
    int count;
    int point;
} decimal;

static void append_digit(decimal *number, int digit) {
    if (number->count == 0 && digit == 0)
        number->point--;
    else
        number->digits[number->count++] = (char)('0' + digit);
}

static void append_whole(decimal *number, uint64_t whole) {
    char reversed[20];
    int count = 0;
    for (; whole; whole /= 10)
        reversed[count++] = (char)('0' + whole % 10);
    while (count > 0)
        number->digits[number->count++] = reversed[--count];
    number->point = number->count;
}

/// Digits of value = mantissa * 2^-shift until they name no other double (Steele and White's free format),
/// in whole numbers: the unit is 2^-(shift + 2), a quarter of the distance to the next double.
/// 1 <= shift <= 122 keeps ten times the fraction within 128 bits.
static void digits_by_remainder(uint64_t mantissa, int shift, decimal *number) {
    wide one = (wide)1 << (shift + 2);
    wide fraction = ((wide)mantissa << 2) & (one - 1);
    wide above = 2;
    wide below = mantissa == UINT64_C(1) << 52 ? 1 : 2; // doubles are closer together below a power of two
    bool even = (mantissa & 1) == 0;                    // then the halfway points read back as this double
    append_whole(number, shift < 64 ? mantissa >> shift : 0);
    while (fraction) {
        fraction *= 10, above *= 10, below *= 10;
        int digit = (int)(fraction >> (shift + 2));
        fraction &= one - 1;
        bool low = fraction < below || (even && fraction == below);
        bool high = one - fraction < above || (even && one - fraction == above);
        bool nearer_up = 2 * fraction > one || (2 * fraction == one && digit % 2 == 1);
        if (high && (!low || nearer_up))
            digit++;
        append_digit(number, digit);
        if (low || high)
            return;
    }
}

/// Very large and very small numbers: 15, 16 or 17 digits by the C library, of those below the normal ones any number of digits.
static void digits_by_trial(double value, decimal *number) {
    for (int precision = value < 1e-290 ? 0 : 14; precision <= 16; precision++) {
        char text[64];
        double back;
        int64_t power = 0;
        const char *p;
        number->count = 0;
        snprintf(text, sizeof text, "%.*e", precision, value);
        for (p = text; *p != 'e'; p++)
            if (is_digit(*p)) // skips the locale's decimal point, whatever it looks like
                number->digits[number->count++] = *p;
        integer_read_all(p + 1, &power);
        number->point = (int)power + 1;
        snprintf(text, sizeof text, "%.*se%d", number->count, number->digits, number->point - number->count);
        if (number_read_all(text, &back) == NUMBER_FINE && back == value)
            return;
    }
}

static decimal shortest(double value) {
    decimal number = {.count = 0};
    int exponent;
    uint64_t mantissa = (uint64_t)ldexp(frexp(value, &exponent), 53);
    int shift = 53 - exponent;
    if (shift >= 1 && shift <= 122)
        digits_by_remainder(mantissa, shift, &number);
    else
        digits_by_trial(value, &number);
    while (number.count > 1 && number.digits[number.count - 1] == '0')
        number.count--;
    return number;
}

static size_t fill(char *text, char c, int count) {
    if (count <= 0)
        return 0;
    memset(text, c, (size_t)count);
    return (size_t)count;
}

static size_t copy_digits(char *text, const decimal *number, int first, int last) {
    if (last > number->count)
        last = number->count;
    if (first >= last)
        return 0;
    memcpy(text, number->digits + first, (size_t)(last - first));
    return (size_t)(last - first);
}

static size_t lay_out_plain(char *text, const decimal *number) {
    char *p = text;
    if (number->point <= 0) {
        *p++ = '0';
    } else {
        p += copy_digits(p, number, 0, number->point);
        p += fill(p, '0', number->point - number->count);
    }
    if (number->count > number->point) {
        *p++ = '.';
        p += fill(p, '0', -number->point);
        p += copy_digits(p, number, number->point > 0 ? number->point : 0, number->count);
    }
    return (size_t)(p - text);
}

static size_t lay_out_exponent(char *text, const decimal *number) {
    char *p = text;
    *p++ = number->digits[0];
    if (number->count > 1) {
        *p++ = '.';
        p += copy_digits(p, number, 1, number->count);
    }
    *p++ = 'e';
    *p++ = number->point - 1 < 0 ? '-' : '+';
    p += integer_write(p, abs(number->point - 1));
    return (size_t)(p - text);
}

/// What has no digits, by the names that strtod reads.
static size_t write_not_finite(char *text, double value) {
    const char *name = isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
    size_t length = strlen(name);
    memcpy(text, name, length);
    return length;
}

size_t number_write(char *text, double value) {
    char *p = text;
    if (!isfinite(value))
        return write_not_finite(text, value);
    if (value == 0) {
        *p = '0';
        return 1;
    }
    if (value < 0)
        *p++ = '-';
    decimal number = shortest(fabs(value));
    bool plain = number.point > -6 && number.point <= 21;
    p += plain ? lay_out_plain(p, &number) : lay_out_exponent(p, &number);
    return (size_t)(p - text);
}

size_t number_write_fixed(char *text, double value, int digits) {
    char made[NUMBER_FIXED_SIZE];
    char *p = text;
    bool zero = true, in_point = false;
    if (!isfinite(value))
        return write_not_finite(text, value);
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
    char reversed[20];
    size_t count = 0, length = 0;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        reversed[count++] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    if (value < 0)
        text[length++] = '-';
    while (count > 0)
        text[length++] = reversed[--count];
    return length;
}
