/// Numbers from text and to text, the same in every locale: correctly rounded both ways.
#include "base/arithmetic.h"
#include <landfall/base.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#ifdef __SIZEOF_INT128__ // elsewhere all numbers are long decimal ones, with the same results
__extension__ typedef unsigned __int128 number_wide;
#endif

/// A number as it stands in the text.
typedef struct number_text {
    const char *digits, *digits_end; ///< digits and perhaps a point
    uint64_t mantissa;               ///< the first 19 significant digits
    int64_t exponent;                ///< of ten, for the mantissa
    bool complete;                   ///< the mantissa holds every digit that is not zero
    bool negative;
} number_text;

static bool number_is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// Whether the text starts with a word of lower case letters, in either case.
static bool number_starts_with(const char *text, const char *end, const char *word) {
    for (; *word; word++, text++)
        if (text == end || (*text | 0x20) != *word)
            return false;
    return true;
}

/// "inf", "infinity", "nan", "nan(...)".
static const char *number_read_not_finite(const char *text, const char *end, double *value) {
    if (number_starts_with(text, end, "inf")) {
        *value = (double)INFINITY;
        return text + (number_starts_with(text, end, "infinity") ? 8 : 3);
    }
    if (!number_starts_with(text, end, "nan"))
        return NULL;
    *value = (double)NAN;
    text += 3;
    if (text < end && *text == '(') {
        const char *close = memchr(text, ')', (size_t)(end - text));
        text = close ? close + 1 : text;
    }
    return text;
}

/// The digits before and after the point; NULL when there are no digits.
static const char *number_read_digits(const char *at, const char *end, number_text *number) {
    int kept = 0;
    bool any = false, point = false;
    number->digits = at;
    for (; at < end; at++) {
        if (*at == '.' && !point) {
            point = true;
            continue;
        }
        if (!number_is_digit(*at))
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

/// The "e-12" after the digits. An "e" without digits does not belong to the number.
static const char *number_read_exponent(const char *at, const char *end, int64_t *exponent) {
    const char *start = at;
    if (at == end || (*at != 'e' && *at != 'E'))
        return start;
    at++;
    bool negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    if (at == end || !number_is_digit(*at))
        return start;
    int64_t value = 0;
    for (; at < end && number_is_digit(*at); at++)
        value = value < INT64_MAX / 100 ? 10 * value + (*at - '0') : value;
    *exponent = negative ? -value : value;
    return at;
}

/// The double nearest to bits * 2^exponent, or to slightly more than that when `more` is set.
static double number_round_bits(uint64_t bits, int exponent, bool more) {
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

// ---------------------------------------------------------------------------------------------------
// Long decimal numbers: a fraction of two long integers, whose bits come from a long division
// ---------------------------------------------------------------------------------------------------

/// The midpoint of two doubles has at most 767 digits: of further digits only matters whether one is not
/// zero.
#define DECIMAL_DIGITS 800
/// Limbs of 32 bits, enough for 10^(DECIMAL_DIGITS + 331) with a shift to spare.
#define DECIMAL_LIMBS 160

typedef struct decimal_integer {
    uint32_t limbs[DECIMAL_LIMBS]; ///< lowest first
    int count;                     ///< limbs in use; the highest is not zero
} decimal_integer;

/// number = number * factor + more
static void decimal_multiply(decimal_integer *number, uint32_t factor, uint32_t more) {
    uint64_t carry = more;
    for (int i = 0; i < number->count; i++) {
        carry += (uint64_t)number->limbs[i] * factor;
        number->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        number->limbs[number->count++] = (uint32_t)carry;
}

static void decimal_multiply_ten(decimal_integer *number, int64_t times) {
    for (; times >= 9; times -= 9)
        decimal_multiply(number, 1000000000, 0);
    for (; times > 0; times--)
        decimal_multiply(number, 10, 0);
}

static int decimal_bits_of(const decimal_integer *number) {
    return 32 * number->count - __builtin_clz(number->limbs[number->count - 1]);
}

static void decimal_shift_left(decimal_integer *number, int bits) {
    int limbs = bits / 32, rest = bits % 32;
    decimal_multiply(number, UINT32_C(1) << rest, 0);
    memmove(number->limbs + limbs, number->limbs, (size_t)number->count * sizeof *number->limbs);
    memset(number->limbs, 0, (size_t)limbs * sizeof *number->limbs);
    number->count += limbs;
}

static bool decimal_at_least(const decimal_integer *a, const decimal_integer *b) {
    if (a->count != b->count)
        return a->count > b->count;
    for (int i = a->count - 1; i >= 0; i--)
        if (a->limbs[i] != b->limbs[i])
            return a->limbs[i] > b->limbs[i];
    return true;
}

/// a -= b, for a >= b
static void decimal_subtract(decimal_integer *a, const decimal_integer *b) {
    int64_t borrow = 0;
    for (int i = 0; i < a->count; i++) {
        int64_t difference = (int64_t)a->limbs[i] - (i < b->count ? b->limbs[i] : 0) + borrow;
        a->limbs[i] = (uint32_t)difference;
        borrow = difference < 0 ? -1 : 0;
    }
    while (a->count > 0 && a->limbs[a->count - 1] == 0)
        a->count--;
}

/// The double nearest to top / bottom, both above 0.
static double decimal_divide(decimal_integer *top, decimal_integer *bottom) {
    int exponent = decimal_bits_of(top) - decimal_bits_of(bottom);
    if (exponent > 0)
        decimal_shift_left(bottom, exponent);
    else
        decimal_shift_left(top, -exponent);
    uint64_t bits = 0;
    for (int i = 0; i < 64; i++) {
        bits <<= 1;
        if (decimal_at_least(top, bottom)) {
            decimal_subtract(top, bottom);
            bits |= 1;
        }
        decimal_multiply(top, 2, 0);
    }
    return number_round_bits(bits, exponent - 63, top->count > 0);
}

/// The double nearest to the digits text .. end (with at most one point) times 10^exponent, by exact
/// arithmetic on long integers: the fallback for the few numbers that the fast paths cannot decide.
static double decimal_round(const char *text, const char *end, int64_t exponent) {
    decimal_integer top = {.count = 0}, bottom = {.limbs = {1}, .count = 1};
    int64_t kept = 0, power = 0; // the number is top * 10^(power + exponent)
    bool more = false, point = false;
    for (; text < end; text++) {
        if (*text == '.') {
            point = true;
        } else if (kept < DECIMAL_DIGITS) {
            decimal_multiply(&top, 10, (uint32_t)(*text - '0'));
            kept += top.count > 0;
            power -= point;
        } else {
            more |= *text != '0';
            power += !point;
        }
    }
    if (top.count == 0)
        return 0;
    if (more) { // one more digit stands for all that follow
        decimal_multiply(&top, 10, 1);
        kept++;
        power--;
    }
    if (__builtin_add_overflow(power, exponent, &power))
        return exponent > 0 ? (double)INFINITY : 0;
    if (power > 310 - kept) // kept + power is the position of the point
        return (double)INFINITY;
    if (power < -330 - kept)
        return 0;
    decimal_multiply_ten(power > 0 ? &top : &bottom, power > 0 ? power : -power);
    return decimal_divide(&top, &bottom);
}

// ---------------------------------------------------------------------------------------------------
// Reading
// ---------------------------------------------------------------------------------------------------

/// 5^27 is the largest power of five in 63 bits, so mantissa * 10^+-27 is one product or one division.
#define INTEGER_POWER 27

#ifdef __SIZEOF_INT128__
static double number_round_wide(number_wide bits, int exponent, bool more) {
    uint64_t high = (uint64_t)(bits >> 64);
    if (high == 0)
        return number_round_bits((uint64_t)bits, exponent, more);
    int shift = 64 - __builtin_clzll(high);
    more = more || (bits & (((number_wide)1 << shift) - 1)) != 0;
    return number_round_bits((uint64_t)(bits >> shift), exponent + shift, more);
}

static double number_scale_integer(uint64_t mantissa, int exponent) {
    uint64_t power = 1;
    for (int i = exponent < 0 ? -exponent : exponent; i > 0; i--)
        power *= 5;
    if (exponent >= 0)
        return number_round_wide((number_wide)mantissa * power, exponent, false);
    int empty = __builtin_clzll(mantissa);
    number_wide dividend = (number_wide)(mantissa << empty) << 64;
    number_wide quotient = dividend / power;
    return number_round_wide(quotient, exponent - 64 - empty, quotient * power != dividend);
}
#endif

/// Three paths, fastest first: one exact product or quotient of doubles, one of 128-bit integers, and long
/// integers for the rest. All of them round correctly.
static double number_value_of(const number_text *number, int64_t power) {
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (number->mantissa == 0)
        return 0;
    int64_t exponent;
    bool small = !__builtin_add_overflow(number->exponent, power, &exponent) && exponent >= -INTEGER_POWER &&
                 exponent <= INTEGER_POWER && number->complete;
    if (!small)
        return decimal_round(number->digits, number->digits_end, power);
    if (number->mantissa <= UINT64_C(1) << 53 && exponent >= -22 && exponent <= 22) {
        double mantissa = (double)number->mantissa;
        return exponent < 0 ? mantissa / tens[-exponent] : mantissa * tens[exponent];
    }
#ifdef __SIZEOF_INT128__
    return number_scale_integer(number->mantissa, (int)exponent);
#else
    return decimal_round(number->digits, number->digits_end, power);
#endif
}

const char *lf_number_read(const char *text, const char *end, double *value) {
    number_text number = {.complete = true};
    if (text < end && (*text == '-' || *text == '+'))
        number.negative = *text++ == '-';
    double magnitude;
    const char *after = number_read_digits(text, end, &number);
    if (after) {
        int64_t power = 0;
        after = number_read_exponent(after, end, &power);
        magnitude = number_value_of(&number, power);
    } else {
        after = number_read_not_finite(text, end, &magnitude);
        if (!after)
            return NULL;
    }
    *value = number.negative ? -magnitude : magnitude;
    return after;
}

// ---------------------------------------------------------------------------------------------------
// Writing
// ---------------------------------------------------------------------------------------------------

/// The value 0.DIGITS * 10^point; the first digit is not zero.
typedef struct number_shortest {
    char digits[40];
    int count;
    int point;
} number_shortest;

/// Very large and very small numbers: 15, 16 or 17 digits by printf, which rounds correctly, and of subnormal ones
/// as few as will do. The decimal point, which depends on the locale, is skipped.
static void number_digits_by_trial(double value, number_shortest *number) {
    for (int precision = value < 1e-290 ? 0 : 14; precision <= 16; precision++) {
        char text[64];
        int64_t power = 0;
        const char *at = text;
        number->count = 0;
        snprintf(text, sizeof text, "%.*e", precision, value);
        for (; *at && *at != 'e'; at++)
            if (number_is_digit(*at))
                number->digits[number->count++] = *at;
        number_read_exponent(at, at + strlen(at), &power);
        number->point = (int)power + 1;
        char *end = number->digits + number->count;
        if (decimal_round(number->digits, end, power - precision) == value)
            return;
        // Below a power of two doubles are closer: the nearest decimal may be too low where the next one is
        // not.
        if (end[-1] < '9' && ++end[-1] && decimal_round(number->digits, end, power - precision) == value)
            return;
    }
}

#ifdef __SIZEOF_INT128__
static void number_append_digit(number_shortest *number, int digit) {
    if (number->count == 0 && digit == 0)
        number->point--;
    else
        number->digits[number->count++] = (char)('0' + digit);
}

static void number_append_whole(number_shortest *number, uint64_t whole) {
    char reversed[20];
    int count = 0;
    for (; whole; whole /= 10)
        reversed[count++] = (char)('0' + whole % 10);
    while (count > 0)
        number->digits[number->count++] = reversed[--count];
    number->point = number->count;
}

/// Digits of mantissa * 2^-shift until they name no other double (Steele and White's free format), in whole
/// numbers: the unit is 2^-(shift + 2), a quarter of the distance to the next double.
/// 1 <= shift <= 122 keeps ten times the fraction within 128 bits.
static void number_digits_by_remainder(uint64_t mantissa, int shift, number_shortest *number) {
    number_wide one = (number_wide)1 << (shift + 2);
    number_wide fraction = ((number_wide)mantissa << 2) & (one - 1);
    number_wide above = 2;
    number_wide below = mantissa == UINT64_C(1) << 52 ? 1 : 2; // doubles are closer below a power of two
    bool even = (mantissa & 1) == 0; // then the halfway points read back as this double
    number_append_whole(number, shift < 64 ? mantissa >> shift : 0);
    while (fraction) {
        fraction *= 10, above *= 10, below *= 10;
        int digit = (int)(fraction >> (shift + 2));
        fraction &= one - 1;
        bool low = fraction < below || (even && fraction == below);
        bool high = one - fraction < above || (even && one - fraction == above);
        bool nearer_up = 2 * fraction > one || (2 * fraction == one && digit % 2 == 1);
        if (high && (!low || nearer_up))
            digit++;
        number_append_digit(number, digit);
        if (low || high)
            return;
    }
}

/// Two digits at a time, the last ones first.
static int number_place_whole(uint64_t whole, char digits[20]) {
    static const char pairs[] =
        "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
        "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
        "8081828384858687888990919293949596979899";
    char reversed[20], *at = reversed + 20;
    for (; whole >= 100; whole /= 100)
        memcpy(at -= 2, pairs + 2 * (whole % 100), 2);
    if (whole >= 10)
        memcpy(at -= 2, pairs + 2 * whole, 2);
    else
        *--at = (char)('0' + whole);
    int count = (int)(reversed + 20 - at);
    memcpy(digits, at, (size_t)count);
    return count;
}

/// The same digits for 2^-9 <= mantissa * 2^-shift < 2^52, by whole numbers: the value and the ends of the interval of decimals
/// that read back as it, times the power of ten that leaves them 17 or 18 digits. Digits are dropped while a shorter
/// number is in the interval.
static void number_digits_by_interval(uint64_t mantissa, int shift, number_shortest *number) {
    static const uint64_t tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,
                                    1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19};
    int power = 16 - (((52 - shift) * 1233) >> 12),
        unit = shift + 2; // 1233 / 4096 is slightly less than log10(2)
    uint64_t ten = tens[power], even = (mantissa & 1) == 0;
    number_wide value = (number_wide)(4 * mantissa) * ten, above = value + 2 * (number_wide)ten,
                below = value - (mantissa == UINT64_C(1) << 52 ? 1 : 2) * (number_wide)ten,
                rest = ((number_wide)1 << unit) - 1;
    // The integers in (low, high] are in the interval, which is closed for even mantissas and open for odd
    // ones.
    uint64_t high = (uint64_t)(above >> unit) - (!even && (above & rest) == 0);
    uint64_t low = (uint64_t)(below >> unit) - (even && (below & rest) == 0);
    uint64_t high_cut = high, low_cut = low;
    int dropped = 0;
    for (; high_cut / 100000000 > low_cut / 100000000; dropped += 8)
        high_cut /= 100000000, low_cut /= 100000000;
    for (; high_cut / 10 > low_cut / 10; dropped++)
        high_cut /= 10, low_cut /= 10;
    uint64_t step = tens[dropped], whole = (uint64_t)(value >> unit), cut = whole / step;
    number_wide over = 2 * (((number_wide)(whole % step) << unit) + (value & rest)),
                all = (number_wide)step << unit;
    bool lower = cut * step > low, upper = (cut + 1) * step <= high;
    if (upper && (!lower || over > all || (over == all && cut % 2 == 1)))
        cut++;
    number->count = number_place_whole(cut, number->digits);
    number->point = number->count + dropped - power;
}
#endif

static number_shortest number_shortest_of(double value) {
    number_shortest number;
    number.count = number.point = 0;
#ifdef __SIZEOF_INT128__
    int exponent;
    uint64_t mantissa = (uint64_t)ldexp(frexp(value, &exponent), 53);
    int shift = 53 - exponent;
    if (shift >= 1 && shift <= 61)
        number_digits_by_interval(mantissa, shift, &number);
    else if (shift >= 1 && shift <= 122)
        number_digits_by_remainder(mantissa, shift, &number);
    else
#endif
        number_digits_by_trial(value, &number);
    while (number.count > 1 && number.digits[number.count - 1] == '0')
        number.count--;
    return number;
}

/// Digits as 123000, 12.3, 0.00123 or 1.23e-9, as JavaScript does.
static size_t number_place_digits(char *text, const number_shortest *number) {
    char *at = text;
    bool fixed = number->point > -6 && number->point <= 21;
    int before = fixed ? number->point : 1; // digits before the point
    int whole = before < 0 ? 0 : before < number->count ? before : number->count;
    if (before <= 0)
        *at++ = '0';
    memcpy(at, number->digits, (size_t)whole);
    at += whole;
    for (int i = whole; i < before; i++)
        *at++ = '0';
    if (before < number->count)
        *at++ = '.';
    for (int i = before; i < 0; i++)
        *at++ = '0';
    memcpy(at, number->digits + whole, (size_t)(number->count - whole));
    at += number->count - whole;
    *at = 0;
    if (!fixed)
        at += snprintf(at, 8, "e%+d", number->point - 1);
    return (size_t)(at - text);
}

size_t lf_number_write(double value, char text[LF_NUMBER_SIZE]) {
    char *at = text;
    if (isnan(value))
        return (size_t)snprintf(text, LF_NUMBER_SIZE, "nan");
    if (signbit(value))
        *at++ = '-';
    if (isinf(value) || value == 0)
        return (size_t)(at - text) + (size_t)snprintf(at, LF_NUMBER_SIZE - 1, value == 0 ? "0" : "inf");
    number_shortest number = number_shortest_of(fabs(value));
    return (size_t)(at - text) + number_place_digits(at, &number);
}
