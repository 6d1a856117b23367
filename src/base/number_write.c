/// Numbers to text, the same in every locale: as few digits as restore the same bits.
#include "base/arithmetic.h"
#include <landfall/base.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SIZEOF_INT128__ // elsewhere all numbers are written by trial, with the same results
__extension__ typedef unsigned __int128 number_wide;
#endif

/// The value 0.DIGITS * 10^point; the first digit is not zero.
typedef struct number_shortest {
    char digits[40];
    int count;
    int point;
} number_shortest;

static bool number_reads_back(const number_shortest *number, double value) {
    char text[64];
    double back = 0;
    int length =
        snprintf(text, sizeof text, "%.*se%d", number->count, number->digits, number->point - number->count);
    return lf_number_read(text, text + length, &back) && back == value;
}

/// Very large and very small numbers: 15, 16 or 17 digits by printf, which rounds correctly, and of subnormal ones
/// as few as will do. The decimal point, which depends on the locale, is skipped.
static void number_digits_by_trial(double value, number_shortest *number) {
    for (int precision = value < 1e-290 ? 0 : 14; precision <= 16; precision++) {
        char text[64];
        snprintf(text, sizeof text, "%.*e", precision, value);
        number->count = 0;
        const char *at = text;
        for (; *at && *at != 'e'; at++)
            if (*at >= '0' && *at <= '9')
                number->digits[number->count++] = *at;
        int power = *at ? (int)strtol(at + 1, NULL, 10) : 0;
        number->point = power + 1;
        if (number_reads_back(number, value))
            return;
        // Below a power of two doubles are closer: the nearest decimal may be too low where the next one is
        // not.
        char *last = number->digits + number->count - 1;
        if (*last < '9' && ++*last && number_reads_back(number, value))
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

/// The value is mantissa * 2^-shift, but for subnormal ones, which have a shift of 1075.
static uint64_t number_mantissa(double value, int *shift) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    *shift = 1075 - (int)(bits >> 52 & 2047);
    return (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
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

/// Eight digits, the first one in the lowest byte: four, two and one at a time in parts of one word.
static uint64_t number_eight_digits(uint32_t whole) {
    uint64_t fours = whole / 10000 | (uint64_t)(whole % 10000) << 32;
    uint64_t hundreds = (fours * 10486 >> 20) & UINT64_C(0x0000007f0000007f);
    uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
    uint64_t tens = (twos * 103 >> 10) & UINT64_C(0x000f000f000f000f);
    return tens | (twos - 10 * tens) << 8;
}

/// Store digits without the first `left_out`, as text.
static void number_store_eight(uint64_t digits, int left_out, char *to) {
    digits = (digits + UINT64_C(0x3030303030303030)) >> (8 * left_out);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    digits = __builtin_bswap64(digits);
#endif
    memcpy(to, &digits, sizeof digits);
}

/// The 16 digits of a number; returns how many there are without zeros at the end.
static inline int number_place_sixteen(uint64_t whole, char digits[16]) {
    uint64_t first = number_eight_digits((uint32_t)(whole / 100000000)),
             last = number_eight_digits((uint32_t)(whole % 100000000));
    number_store_eight(first, 0, digits);
    number_store_eight(last, 0, digits + 8);
    return last ? 16 - __builtin_clzll(last) / 8 : first ? 8 - __builtin_clzll(first) / 8 : 0;
}

static const uint64_t number_tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,
                                       1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19};

/// The same digits for 2^-7 < mantissa * 2^-shift < 2^52, as a whole number of 16 or 17 digits times 10^-power (Giulietti's
/// Schubfach): the power makes the interval of decimals that read back as the value between 1 and 10 wide. At most one multiple
/// of ten is in it: that is the shortest. Without one it is the nearest whole number. Not for mantissa 2^52, whose interval is narrower.
static uint64_t number_by_interval(uint64_t mantissa, int shift, int *power) {
    *power = ((shift * 1233) >> 12) + 1; // 1233 / 4096 is slightly less than log10(2)
    // In units of half the distance to the next double, so that the interval ends `ten` above and below the
    // value.
    int unit = shift + 1;
    uint64_t ten = number_tens[*power], odd = mantissa & 1, half = UINT64_C(1) << shift;
    number_wide value = (number_wide)(2 * mantissa) * ten;
    uint64_t whole = (uint64_t)(value >> unit), rest = (uint64_t)value & (2 * half - 1), last = whole % 10;
    uint64_t over = (last << unit) + rest,
             under = 20 * half - over; // distances to the multiples of ten beside it
    if (over + odd <= ten)             // the ends read back as the value when its mantissa is even
        return whole - last;
    if (under + odd <= ten)
        return whole - last + 10;
    return whole + (rest > half || (rest == half && whole % 2 == 1));
}

static void number_digits_by_interval(uint64_t mantissa, int shift, number_shortest *number) {
    int power;
    uint64_t whole = number_by_interval(mantissa, shift, &power), first = whole / UINT64_C(10000000000000000);
    number->digits[0] = (char)('0' + first);
    number->count =
        number_place_sixteen(whole % UINT64_C(10000000000000000), number->digits + (first > 0)) + (first > 0);
    number->point = 16 + (first > 0) - power;
}

/// The text of mantissa * 2^-shift for 27 <= shift <= 53, without a buffer for the digits: what is before the point, and what is
/// behind it as 16 digits. Returns the length.
static size_t number_write_usual(uint64_t mantissa, int shift, char *text) {
    int power;
    uint64_t all = number_by_interval(mantissa, shift, &power), ten = number_tens[power];
    uint64_t before = mantissa >> shift, behind = all - before * ten;
    if (behind >= ten) { // rounded up to the next whole number
        before++;
        behind -= ten;
    }
    uint64_t digits = number_eight_digits((uint32_t)before);
    int zeros = digits ? __builtin_ctzll(digits) / 8 : 7;
    number_store_eight(digits, zeros, text);
    char *at = text + 8 - zeros;
    int count = number_place_sixteen(behind * number_tens[16 - power], at + 1);
    *at = '.';
    at += count ? count + 1 : 0;
    *at = 0;
    return (size_t)(at - text);
}
#endif

static void number_find_shortest(double value, number_shortest *number) {
    number->count = number->point = 0;
#ifdef __SIZEOF_INT128__
    int shift;
    uint64_t mantissa = number_mantissa(value, &shift);
    if (shift >= 1 && shift <= 59 && mantissa != UINT64_C(1) << 52)
        number_digits_by_interval(mantissa, shift, number);
    else if (shift >= 1 && shift <= 122)
        number_digits_by_remainder(mantissa, shift, number);
    else
#endif
        number_digits_by_trial(value, number);
    while (number->count > 1 && number->digits[number->count - 1] == '0')
        number->count--;
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
#ifdef __SIZEOF_INT128__
    int shift;
    uint64_t mantissa = number_mantissa(value, &shift);
    if (shift >= 27 && shift <= 53 && mantissa != UINT64_C(1) << 52)
        return (size_t)(at - text) + number_write_usual(mantissa, shift, at);
#endif
    number_shortest number;
    number_find_shortest(fabs(value), &number);
    return (size_t)(at - text) + number_place_digits(at, &number);
}
