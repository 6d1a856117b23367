#include "polygon/polygon.h"
#include "support.h"
#include <landfall/base.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double read_all(const char *text) {
    double value = 12345;
    const char *behind = lf_number_read(text, text + strlen(text), &value);
    if (behind != text + strlen(text))
        fail_msg("\"%s\" is not read to its end", text);
    return value;
}

/// The C library reads every decimal number correctly; the tests run in the C locale.
static void compare(const char *text) {
    double ours = read_all(text), theirs = strtod(text, NULL);
    if (bits_of(ours) != bits_of(theirs))
        fail_msg("\"%s\": %a, but strtod says %a", text, ours, theirs);
}

static void known_numbers(void **state) {
    (void)state;
    static const char *const texts[] = {"0",
                                        "-0",
                                        "1",
                                        "-1",
                                        "+1",
                                        ".5",
                                        "5.",
                                        "1e22",
                                        "1e23",
                                        "9007199254740993",
                                        "9007199254740992.5",
                                        "9007199254740993.00000000000000000000000000000000001",
                                        "1.7976931348623157e308",
                                        "1.7976931348623158e308",
                                        "1.7976931348623159e308",
                                        "4.9e-324",
                                        "2.4703282292062327e-324",
                                        "2.4703282292062328e-324",
                                        "2.2250738585072011e-308",
                                        "2.2250738585072014e-308",
                                        "1e400",
                                        "1e-400",
                                        "1e99999999999999999999",
                                        "1e-99999999999999999999",
                                        "0e99999999999999999999",
                                        "0.000000000000000000000000000000000000000000000001e48",
                                        "123456789012345678",
                                        "1234567890123456789",
                                        "12345678901234567890",
                                        "123456789012345678901234567890",
                                        "8.5",
                                        "-158.123456789012345",
                                        "6378137.000",
                                        "0.1",
                                        "0.3",
                                        "1e-5",
                                        "1E+3"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        compare(texts[i]);
}

/// Exactly half-way between two doubles, and a hair beside it on either side.
static void halves(void **state) {
    (void)state;
    test_random random = test_random_start(1);
    char text[1200];
    for (int i = 0; i < 300; i++) {
        uint64_t bits = test_random_bits(&random) & INT64_MAX;
        if (i % 4 == 0)
            bits &= UINT64_C(0x001fffffffffffff); // the smallest numbers
        double low, high;
        memcpy(&low, &bits, sizeof low);
        if (!isfinite(low) || low == 0)
            continue;
        high = nextafter(low, 0);
        long double half = ((long double)low + (long double)high) / 2;
        int length = snprintf(text, sizeof text - 8, "%.1100Lf", half);
        if (length >= 1190)
            length = snprintf(text, sizeof text - 8, "%.800Le", half);
        compare(text);
        char *last = strpbrk(text, "e");
        if (last)
            continue;
        text[length] = '1', text[length + 1] = 0;
        compare(text);
    }
}

static void random_spellings(void **state) {
    (void)state;
    test_random random = test_random_start(2);
    int64_t count = test_long() ? 20000000 : 20000;
    char text[128];
    for (int64_t i = 0; i < count; i++) {
        int digits = 1 + (int)test_random_below(&random, i % 8 ? 20 : 60), at = 0;
        int point = (int)test_random_below(&random, digits + 1);
        if (test_random_below(&random, 2))
            text[at++] = '-';
        for (int d = 0; d < digits; d++) {
            if (d == point)
                text[at++] = '.';
            text[at++] = (char)('0' + test_random_below(&random, 10));
        }
        text[at] = 0;
        int64_t range = i % 3 == 0 ? 340 : 30;
        if (i % 4)
            snprintf(text + at, sizeof text - (size_t)at, "e%d",
                     (int)(test_random_below(&random, 2 * range) - range));
        compare(text);
    }
}

static void written_numbers_come_back(void **state) {
    (void)state;
    test_random random = test_random_start(3);
    char text[LF_NUMBER_SIZE];
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = test_random_bits(&random);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (i % 2)
            value = test_random_between(&random, -1e7, 1e7);
        if (i % 5 == 0)
            value = (double)(float)value;
        if (!isfinite(value))
            continue;
        size_t length = lf_number_write(value, text);
        assert_int_equal(length, strlen(text));
        assert_true(length < LF_NUMBER_SIZE);
        if (bits_of(read_all(text)) != bits_of(value) || bits_of(strtod(text, NULL)) != bits_of(value))
            fail_msg("%a was written as \"%s\"", value, text);
    }
}

/// The digits of a written number, without leading and trailing zeros, point and exponent.
static void digits_of(const char *text, char digits[40]) {
    int count = 0;
    for (; *text && *text != 'e'; text++)
        if (*text >= '0' && *text <= '9' && (count > 0 || *text != '0'))
            digits[count++] = *text;
    while (count > 1 && digits[count - 1] == '0')
        count--;
    digits[count] = 0;
}

/// The fewest digits that printf needs for a number that reads back, and the nearest ones of that count.
static void written_as_short_as_possible(void **state) {
    (void)state;
    test_random random = test_random_start(4);
    int64_t cases = test_long() ? 2000000 : 100000;
    for (int64_t i = 0; i < cases; i++) {
        char text[LF_NUMBER_SIZE], shortest[64], ours[40], theirs[40];
        int exponent = (int)test_random_below(&random, 72) - 14;
        double value = ldexp(1 + ldexp((double)(test_random_bits(&random) >> 12), -52), exponent);
        if (i % 4 == 1) // a decimal with few digits, or one next to it
            value = nextafter((double)test_random_below(&random, 1000000) / pow(10, (double)(i % 9)),
                              i % 3 ? INFINITY : value);
        if (i % 4 == 2)
            value = nextafter(ldexp(1, exponent), (double)(i % 3) * value);
        if (i % 8 == 3)
            value = (double)(float)value;
        if (value == 0)
            continue;
        lf_number_write(value, text);
        if (bits_of(read_all(text)) != bits_of(value))
            fail_msg("%a was written as \"%s\"", value, text);
        int precision = 0;
        do
            snprintf(shortest, sizeof shortest, "%.*e", precision++, value);
        while (bits_of(strtod(shortest, NULL)) != bits_of(value));
        digits_of(text, ours);
        digits_of(shortest, theirs);
        // Below a power of two doubles are closer, so that the nearest decimal of some length may read back
        // as another double although a farther one does not.
        int ignored;
        bool power_of_two = frexp(value, &ignored) == 0.5;
        if (power_of_two ? strlen(ours) > strlen(theirs) : strcmp(ours, theirs) != 0)
            fail_msg("%a was written as \"%s\", printf: \"%s\"", value, text, shortest);
    }
}

static void written_as_people_would(void **state) {
    (void)state;
    static const struct {
        double value;
        const char *text;
    } wanted[] = {{0, "0"},
                  {-0.0, "-0"},
                  {1, "1"},
                  {-1.5, "-1.5"},
                  {0.1, "0.1"},
                  {1200, "1200"},
                  {0.00025, "0.00025"},
                  {1e-7, "1e-7"},
                  {6378137, "6378137"},
                  {1e16, "10000000000000000"},
                  {1e17, "100000000000000000"},
                  {1e21, "1e+21"},
                  {1.25e300, "1.25e+300"},
                  {0.30000000000000004, "0.30000000000000004"},
                  {-1.7976931348623157e308, "-1.7976931348623157e+308"}};
    char text[LF_NUMBER_SIZE];
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        lf_number_write(wanted[i].value, text);
        assert_string_equal(text, wanted[i].text);
    }
}

static void what_is_not_a_number(void **state) {
    (void)state;
    static const char *const texts[] = {"", "-", "+", ".", "-.", "e5", "x", "--1", "na", "in", "/"};
    double value;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_null(lf_number_read(texts[i], texts[i] + strlen(texts[i]), &value));
    static const char *const parts[] = {"1e", "1e+", "1x", "1,5", "1 2", "1-2", "1e-x"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        assert_ptr_equal(lf_number_read(parts[i], parts[i] + strlen(parts[i]), &value), parts[i] + 1);
        assert_true(value == 1);
    }
    assert_true(isnan(read_all("nan")) && isnan(read_all("-NaN")) && isnan(read_all("nan(ind)")));
    assert_true(read_all("inf") > 1e308 && read_all("-Infinity") < -1e308);
    const char *unclosed = "nan(";
    assert_ptr_equal(lf_number_read(unclosed, unclosed + 4, &value), unclosed + 3);
}

static void whole_numbers(void **state) {
    (void)state;
    static const char *const good[] = {"0",  "-7", "+42", "9223372036854775807", "-9223372036854775808",
                                       "007"};
    static const char *const bad[] = {
        "", "-", "x", "9223372036854775808", "-9223372036854775809", "99999999999999999999"};
    int64_t value;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_non_null(lf__text_integer_at(good[i], good[i] + strlen(good[i]), &value));
        assert_int_equal(value, strtoll(good[i], NULL, 10));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_null(lf__text_integer_at(bad[i], bad[i] + strlen(bad[i]), &value));
}

static void a_locale_with_a_decimal_comma(void **state) {
    (void)state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
        fprintf(stderr, "skipped: the locale de_DE.UTF-8 is not installed\n");
        return;
    }
    char text[LF_NUMBER_SIZE];
    lf_number_write(-1.25, text);
    double ours = read_all("3.25"), longer = read_all("3.250000000000000000000000000000000000000001");
    setlocale(LC_ALL, "C");
    assert_string_equal(text, "-1.25");
    assert_true(ours == 3.25 && longer == 3.25);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_numbers),
        cmocka_unit_test(halves),
        cmocka_unit_test(random_spellings),
        cmocka_unit_test(written_numbers_come_back),
        cmocka_unit_test(written_as_short_as_possible),
        cmocka_unit_test(written_as_people_would),
        cmocka_unit_test(what_is_not_a_number),
        cmocka_unit_test(whole_numbers),
        cmocka_unit_test(a_locale_with_a_decimal_comma),
    };
    return cmocka_run_group_tests_name("io number", tests, NULL, NULL);
}
