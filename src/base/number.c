#include "base/number.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

/// A number as it stands in the text.
typedef struct spelled {
    const char *digits, *digits_end; ///< digits and perhaps a point
    uint64_t mantissa;               ///< the first 19 digits that count
    int64_t exponent;                ///< of ten, for the mantissa
    bool complete;                   ///< the mantissa holds every digit that is not zero
    bool negative;
} spelled;

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// Does the text start with a word of lower case letters, in either case?
static bool starts_with(const char *text, const char *end, const char *word) {
    for (; *word; word++, text++)
        if (text == end || (*text | 0x20) != *word)
            return false;
    return true;
}

/// "inf", "infinity", "nan", "nan(...)".
static const char *read_not_finite(const char *text, const char *end, double *value) {
    if (starts_with(text, end, "inf")) {
        *value = (double)INFINITY;
        return text + (starts_with(text, end, "infinity") ? 8 : 3);
    }
    if (!starts_with(text, end, "nan"))
        return NULL;
    *value = (double)NAN;
    text += 3;
    if (text < end && *text == '(') {
        const char *close = memchr(text, ')', (size_t)(end - text));
        text = close ? close + 1 : text;
    }
    return text;
}

/// The digits before and behind the point; NULL when there is none.
static const char *read_digits(const char *at, const char *end, spelled *number) {
    int kept = 0;
    bool any = false, point = false;
    number->digits = at;
    for (; at < end; at++) {
        if (*at == '.' && !point) {
            point = true;
            continue;
        }
        if (!is_digit(*at))
            break;
        any = true;
        if (kept < 19) {
            number->mantissa = 10 * number->mantissa + (uint64_t)(*at - '0');
            kept += number->mantissa != 0;
            number->exponent -= point;
        } else {
            number->complete &= *at == '0';
            number->exponent += !point;
        }
    }
    number->digits_end = at;
    return any ? at : NULL;
}

/// The "e-12" behind the digits. Without digits of its own the "e" does not belong to the number.
static const char *read_exponent(const char *at, const char *end, int64_t *exponent) {
    const char *start = at;
    if (at == end || (*at != 'e' && *at != 'E'))
        return start;
    at++;
    bool negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    if (at == end || !is_digit(*at))
        return start;
    int64_t value = 0;
    for (; at < end && is_digit(*at); at++)
        value = value < INT64_MAX / 100 ? 10 * value + (*at - '0') : value;
    *exponent = negative ? -value : value;
    return at;
}

double lf__number_round(uint64_t bits, int exponent, bool more) {
    if (bits == 0)
        return 0;
    int empty = __builtin_clzll(bits);
    int top = exponent + 63 - empty; // the value is in [2^top, 2^(top + 1))
    int keep = top >= -1022 ? 53 : 53 + top + 1022;
    if (keep < 0)
        return 0;
    bits <<= empty;
    int drop = 64 - keep;
    uint64_t kept = drop == 64 ? 0 : bits >> drop;
    uint64_t rest = drop == 64 ? bits : bits & ((UINT64_C(1) << drop) - 1);
    uint64_t half = UINT64_C(1) << (drop - 1);
    if (rest > half || (rest == half && (more || (kept & 1))))
        kept++;
    return ldexp((double)kept, top - 63 + drop);
}

static double round_wide(wide bits, int exponent, bool more) {
    uint64_t high = (uint64_t)(bits >> 64);
    if (high == 0)
        return lf__number_round((uint64_t)bits, exponent, more);
    int shift = 64 - __builtin_clzll(high);
    more = more || (bits & (((wide)1 << shift) - 1)) != 0;
    return lf__number_round((uint64_t)(bits >> shift), exponent + shift, more);
}

/// 5^27 is the largest power of five in 63 bits, so mantissa * 10^+-27 is one product or one division.
#define WHOLE_POWER 27

static double scale_whole(uint64_t mantissa, int exponent) {
    uint64_t power = 1;
    for (int i = exponent < 0 ? -exponent : exponent; i > 0; i--)
        power *= 5;
    if (exponent >= 0)
        return round_wide((wide)mantissa * power, exponent, false);
    int empty = __builtin_clzll(mantissa);
    wide dividend = (wide)(mantissa << empty) << 64;
    wide quotient = dividend / power;
    return round_wide(quotient, exponent - 64 - empty, quotient * power != dividend);
}

/// Three ways, quickest first: one exact product or quotient of doubles, one of 128-bit integers, and long
/// integers for the rest. All of them round correctly.
static double value_of(const spelled *number, int64_t power) {
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (number->mantissa == 0)
        return 0;
    int64_t exponent;
    bool small = !__builtin_add_overflow(number->exponent, power, &exponent) && exponent >= -WHOLE_POWER &&
                 exponent <= WHOLE_POWER && number->complete;
    if (!small)
        return lf__decimal_round(number->digits, number->digits_end, power);
    if (number->mantissa <= UINT64_C(1) << 53 && exponent >= -22 && exponent <= 22) {
        double mantissa = (double)number->mantissa;
        return exponent < 0 ? mantissa / tens[-exponent] : mantissa * tens[exponent];
    }
    return scale_whole(number->mantissa, (int)exponent);
}

const char *lf__number_read(const char *text, const char *end, double *value) {
    spelled number = {.complete = true};
    if (text < end && (*text == '-' || *text == '+'))
        number.negative = *text++ == '-';
    double magnitude;
    const char *behind = read_digits(text, end, &number);
    if (behind) {
        int64_t power = 0;
        behind = read_exponent(behind, end, &power);
        magnitude = value_of(&number, power);
    } else {
        behind = read_not_finite(text, end, &magnitude);
        if (!behind)
            return NULL;
    }
    *value = number.negative ? -magnitude : magnitude;
    return behind;
}

const char *lf__integer_read(const char *text, const char *end, int64_t *value) {
    bool negative = false;
    if (text < end && (*text == '-' || *text == '+'))
        negative = *text++ == '-';
    const char *start = text;
    int64_t sum = 0;
    for (; text < end && is_digit(*text); text++)
        if (__builtin_mul_overflow(sum, 10, &sum) || __builtin_sub_overflow(sum, *text - '0', &sum))
            return NULL;
    // The sum is kept negative: that side has one number more.
    if (text == start || (!negative && sum == INT64_MIN))
        return NULL;
    *value = negative ? sum : -sum;
    return text;
}

/// Digits without trailing zeros and the power of ten of the first one. printf rounds correctly; the point that
/// it writes as the locale wants is skipped.
static int digits_of(double magnitude, int precision, char digits[20], int *exponent) {
    char text[64];
    snprintf(text, sizeof text, "%.*e", precision - 1, magnitude);
    int count = 0;
    const char *at = text;
    for (; *at && *at != 'e'; at++)
        if (is_digit(*at) && count < 19)
            digits[count++] = *at;
    int64_t power = 0;
    read_exponent(at, at + strlen(at), &power);
    *exponent = (int)power;
    while (count > 1 && digits[count - 1] == '0')
        count--;
    return count;
}

/// Digits as 123000, 12.3, 0.00123 or 1.23e-9, whichever people would write.
static size_t spell(char *text, const char *digits, int count, int exponent) {
    char *at = text;
    bool plain = exponent >= -5 && exponent < 17;
    int before = plain ? exponent + 1 : 1; // digits before the point
    if (before <= 0)
        *at++ = '0';
    for (int i = 0; i < before; i++)
        *at++ = i < count ? digits[i] : '0';
    if (before < count)
        *at++ = '.';
    for (int i = before; i < 0; i++)
        *at++ = '0';
    for (int i = before > 0 ? before : 0; i < count; i++)
        *at++ = digits[i];
    *at = 0;
    if (!plain)
        at += snprintf(at, 8, "e%d", exponent);
    return (size_t)(at - text);
}

size_t lf__number_write(double value, char text[LF__NUMBER_ROOM]) {
    char *at = text, digits[20];
    double magnitude = fabs(value), back = -1;
    if (signbit(value))
        *at++ = '-';
    size_t length = 0;
    for (int precision = 15; precision <= 17 && back != magnitude; precision++) {
        int exponent, count = digits_of(magnitude, precision, digits, &exponent);
        length = spell(at, digits, count, exponent);
        lf__number_read(at, at + length, &back);
    }
    return (size_t)(at - text) + length;
}
