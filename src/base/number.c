/// Numbers from text, the same in every locale: correctly rounded.
#include "base/arithmetic.h"
#include <landfall/base.h>
#include <math.h>
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

/// Eight characters as digits, two, four and eight at a time; false when one is not a digit.
static bool number_read_eight(const char *at, uint64_t *value) {
    uint64_t word, high = UINT64_C(0xf0f0f0f0f0f0f0f0), zeros = UINT64_C(0x3030303030303030);
    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    if ((word & high) != zeros || ((word + UINT64_C(0x0606060606060606)) & high) != zeros)
        return false;
    word -= zeros;
    word = (word * 10 + (word >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
    word = (word * 100 + (word >> 16)) & UINT64_C(0x0000ffff0000ffff);
    *value = (word * 10000 + (word >> 32)) & UINT64_C(0xffffffff);
    return true;
}

/// At most 19 digits in all, before and after the point; NULL when there are none, or more.
static const char *number_read_few(const char *at, const char *end, number_text *number) {
    const char *point = NULL;
    uint64_t mantissa = 0, eight;
    number->digits = at;
    for (; at < end; at++) {
        unsigned digit = (unsigned)(*at - '0');
        if (digit < 10)
            mantissa = 10 * mantissa + digit; // what overflows is not used
        else if (*at == '.' && !point)
            for (point = at; end - at > 8 && number_read_eight(at + 1, &eight); at += 8)
                mantissa = 100000000 * mantissa + eight;
        else
            break;
    }
    int64_t count = at - number->digits - (point != NULL);
    if (count < 1 || count > 19)
        return NULL;
    number->mantissa = mantissa;
    number->exponent = point ? point + 1 - at : 0;
    number->digits_end = at;
    return at;
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

/// 2^(63 + n) / 5^k, rounded down, where 5^k has n bits: row k - 1.
static const uint64_t number_fifths[INTEGER_POWER] = {
    UINT64_C(0xcccccccccccccccc), UINT64_C(0xa3d70a3d70a3d70a), UINT64_C(0x83126e978d4fdf3b),
    UINT64_C(0xd1b71758e219652b), UINT64_C(0xa7c5ac471b478423), UINT64_C(0x8637bd05af6c69b5),
    UINT64_C(0xd6bf94d5e57a42bc), UINT64_C(0xabcc77118461cefc), UINT64_C(0x89705f4136b4a597),
    UINT64_C(0xdbe6fecebdedd5be), UINT64_C(0xafebff0bcb24aafe), UINT64_C(0x8cbccc096f5088cb),
    UINT64_C(0xe12e13424bb40e13), UINT64_C(0xb424dc35095cd80f), UINT64_C(0x901d7cf73ab0acd9),
    UINT64_C(0xe69594bec44de15b), UINT64_C(0xb877aa3236a4b449), UINT64_C(0x9392ee8e921d5d07),
    UINT64_C(0xec1e4a7db69561a5), UINT64_C(0xbce5086492111aea), UINT64_C(0x971da05074da7bee),
    UINT64_C(0xf1c90080baf72cb1), UINT64_C(0xc16d9a0095928a27), UINT64_C(0x9abe14cd44753b52),
    UINT64_C(0xf79687aed3eec551), UINT64_C(0xc612062576589dda), UINT64_C(0x9e74d1b791e07e48)};

/// mantissa / 10^k by one product, for 1 <= k <= INTEGER_POWER. The product of the mantissa, shifted to 64 bits, and the
/// rounded reciprocal is less than two units of its upper half below the true one: false where that leaves the rounding open.
static bool number_scale_down(uint64_t mantissa, int k, double *value) {
    int empty = __builtin_clzll(mantissa),
        bits = ((k * 1189) >> 9) + 1; // 1189 / 512 is slightly more than log2(5)
    uint64_t product = (uint64_t)((number_wide)(mantissa << empty) * number_fifths[k - 1] >> 64);
    int drop = product >> 63 ? 11 : 10;
    uint64_t half = UINT64_C(1) << (drop - 1), rest = product & (2 * half - 1);
    if (rest + 2 >= half && rest <= half)
        return false;
    uint64_t kept = (product >> drop) + (rest > half), scale = (uint64_t)(1023 + 1 - bits - empty - k + drop)
                                                               << 52;
    double factor;
    memcpy(&factor, &scale, sizeof factor);
    *value = (double)kept * factor;
    return true;
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

/// Four paths, fastest first: one exact product or quotient of doubles, a product that nearly always decides, one product or
/// quotient of 128-bit integers, and long integers for the rest. All of them round correctly.
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
    double value;
    if (exponent < 0 && number_scale_down(number->mantissa, (int)-exponent, &value))
        return value;
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
    const char *after = number_read_few(text, end, &number);
    if (!after)
        after = number_read_digits(text, end, &number);
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
