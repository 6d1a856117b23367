// Long decimal numbers, rounded exactly: the number is a fraction of two long integers, and its bits come out
// of a plain long division.
#include "base/number.h"
#include <math.h>
#include <string.h>

/// Between two doubles the exact half has at most 767 digits: behind so many, only "something follows" counts.
#define DIGITS 800
/// Enough for 10^(DIGITS + 331) with a shift to spare.
#define WORDS 160

typedef struct whole {
    uint32_t words[WORDS]; ///< lowest first
    int count;             ///< words in use; the highest is not zero
} whole;

/// number = number * factor + more
static void multiply(whole *number, uint32_t factor, uint32_t more) {
    uint64_t carry = more;
    for (int i = 0; i < number->count; i++) {
        carry += (uint64_t)number->words[i] * factor;
        number->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        number->words[number->count++] = (uint32_t)carry;
}

static void multiply_ten(whole *number, int64_t times) {
    for (; times >= 9; times -= 9)
        multiply(number, 1000000000, 0);
    for (; times > 0; times--)
        multiply(number, 10, 0);
}

static int bits_of(const whole *number) {
    return 32 * number->count - __builtin_clz(number->words[number->count - 1]);
}

static void shift_left(whole *number, int bits) {
    int far = bits / 32, near = bits % 32;
    multiply(number, UINT32_C(1) << near, 0);
    memmove(number->words + far, number->words, (size_t)number->count * sizeof *number->words);
    memset(number->words, 0, (size_t)far * sizeof *number->words);
    number->count += far;
}

static bool at_least(const whole *a, const whole *b) {
    if (a->count != b->count)
        return a->count > b->count;
    for (int i = a->count - 1; i >= 0; i--)
        if (a->words[i] != b->words[i])
            return a->words[i] > b->words[i];
    return true;
}

/// a -= b, for a >= b
static void subtract(whole *a, const whole *b) {
    int64_t borrow = 0;
    for (int i = 0; i < a->count; i++) {
        int64_t difference = (int64_t)a->words[i] - (i < b->count ? b->words[i] : 0) + borrow;
        a->words[i] = (uint32_t)difference;
        borrow = difference < 0 ? -1 : 0;
    }
    while (a->count > 0 && a->words[a->count - 1] == 0)
        a->count--;
}

/// The double nearest to top / bottom, both above 0.
static double divide(whole *top, whole *bottom) {
    int exponent = bits_of(top) - bits_of(bottom);
    if (exponent > 0)
        shift_left(bottom, exponent);
    else
        shift_left(top, -exponent);
    uint64_t bits = 0;
    for (int i = 0; i < 64; i++) {
        bits <<= 1;
        if (at_least(top, bottom)) {
            subtract(top, bottom);
            bits |= 1;
        }
        multiply(top, 2, 0);
    }
    return lf__number_round(bits, exponent - 63, top->count > 0);
}

double lf__decimal_round(const char *text, const char *end, int64_t exponent) {
    whole top = {.count = 0}, bottom = {.words = {1}, .count = 1};
    int64_t kept = 0, power = 0; // the number is top * 10^(power + exponent)
    bool more = false, point = false;
    for (; text < end; text++) {
        if (*text == '.') {
            point = true;
        } else if (kept < DIGITS) {
            multiply(&top, 10, (uint32_t)(*text - '0'));
            kept += top.count > 0;
            power -= point;
        } else {
            more |= *text != '0';
            power += !point;
        }
    }
    if (top.count == 0)
        return 0;
    if (more) { // one digit behind the others stands for all that follow
        multiply(&top, 10, 1);
        kept++;
        power--;
    }
    if (__builtin_add_overflow(power, exponent, &power))
        return exponent > 0 ? (double)INFINITY : 0;
    if (power > 310 - kept) // kept + power is where the point stands
        return (double)INFINITY;
    if (power < -330 - kept)
        return 0;
    multiply_ten(power > 0 ? &top : &bottom, power > 0 ? power : -power);
    return divide(&top, &bottom);
}
