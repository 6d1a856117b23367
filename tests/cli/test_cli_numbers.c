/// Numbers of the command: shortest, exact, the same under every locale.
#include "output.h"
#include "support.h"
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *written(double value) {
    static char text[NUMBER_SIZE + 1];
    size_t length = number_write(text, value);
    assert_true(length <= NUMBER_SIZE);
    text[length] = '\0';
    return text;
}

static void writes_like_javascript(void **state) {
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},
                 {-0.0, "0"},
                 {1, "1"},
                 {-1.5, "-1.5"},
                 {0.1, "0.1"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {1e-6, "0.000001"},
                 {1e-7, "1e-7"},
                 {1.5e-7, "1.5e-7"},
                 {123456789012345680000.0, "123456789012345680000"},
                 {1e21, "1e+21"},
                 {1.7976931348623157e308, "1.7976931348623157e+308"},
                 {5e-324, "5e-324"},
                 {2.2250738585072014e-308, "2.2250738585072014e-308"},
                 {9007199254740991.0, "9007199254740991"},
                 {9007199254740993.0, "9007199254740992"},
                 {705632915886133.25, "705632915886133.2"}, // a tie goes to the even digit
                 {0.25, "0.25"},
                 {100, "100"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(written(cases[i].value), cases[i].text);
}

static int digits_in(const char *text) {
    int count = 0, zeros = 0;
    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (count == 0 && *text == '0'))
            continue;
        count++;
        zeros = *text == '0' ? zeros + 1 : 0;
    }
    return count - zeros;
}

/// A double of one of several habits: any bits, a length in metres, a round number, a power of two.
static double any_double(test_random *random) {
    uint64_t bits = test_random_bits(random);
    double value;
    switch (test_random_below(random, 4)) {
    case 0:
        memcpy(&value, &bits, sizeof value);
        return isfinite(value) && value != 0 ? value : 1;
    case 1:
        return test_random_between(random, -1, 1) * pow(10, (double)test_random_below(random, 20));
    case 2:
        return ((double)test_random_below(random, 2000000) + 1) / 1000;
    default:
        return ldexp(1, (int)test_random_below(random, 400) - 200);
    }
}

/// The C library is the reference: what we write reads back, and no shorter text does.
static void writes_shortest(void **state) {
    (void)state;
    test_random random = test_random_start(1);
    for (int i = 0; i < 20000; i++) {
        double value = any_double(&random), back;
        const char *text = written(value);
        char other[64];
        int precision = 1;
        assert_true(strtod(text, NULL) == value);
        assert_int_equal(number_read_all(text, &back), NUMBER_FINE);
        assert_true(back == value);
        do
            snprintf(other, sizeof other, "%.*e", precision - 1, value);
        while (strtod(other, NULL) != value && precision++ < 17);
        assert_true(digits_in(text) <= precision);
    }
}

static void refuses_what_is_no_number(void **state) {
    (void)state;
    static const char *const bad[] = {"",    "-",    ".",  "e5", "1e",  "1e+",  "0x10", "nan",      "NaN",
                                      "inf", "-inf", "1 ", " 1", "1,5", "1..2", "--1",  "infinity", "1_000"};
    double value;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(number_read_all(bad[i], &value), NUMBER_BAD);
    assert_int_equal(number_read_all("1e999", &value), NUMBER_TOO_LARGE);
    assert_int_equal(number_read_all("-1e309", &value), NUMBER_TOO_LARGE);
    assert_int_equal(number_read_all("1e-999", &value), NUMBER_FINE);
    assert_true(value == 0);
}

static const char *fixed(double value, int digits) {
    static char text[NUMBER_FIXED_SIZE + 1];
    size_t length = number_write_fixed(text, value, digits);
    assert_true(length <= NUMBER_FIXED_SIZE);
    text[length] = '\0';
    return text;
}

static void writes_fixed(void **state) {
    (void)state;
    assert_string_equal(fixed(1.005, 2), "1.00");
    assert_string_equal(fixed(-1.25, 1), "-1.2");
    assert_string_equal(fixed(-0.001, 2), "0.00");
    assert_string_equal(fixed(1234.5, 0), "1234");
    assert_int_equal(strlen(fixed(-1.7976931348623157e308, NUMBER_FIXED_DIGITS)), 331);
}

/// Whatever a double is, there is a text for it: no conversion of NaN or infinity to an integer.
static void writes_what_is_not_finite(void **state) {
    (void)state;
    const double values[] = {NAN, INFINITY, -INFINITY};
    const char *const texts[] = {"nan", "inf", "-inf"};
    for (int i = 0; i < 3; i++) {
        assert_string_equal(written(values[i]), texts[i]);
        assert_string_equal(fixed(values[i], 3), texts[i]);
    }
}

static void reads_integers(void **state) {
    (void)state;
    int64_t value;
    assert_true(integer_read_all("9223372036854775807", &value) && value == INT64_MAX);
    assert_true(integer_read_all("-9223372036854775808", &value) && value == INT64_MIN);
    assert_true(integer_read_all("+7", &value) && value == 7);
    assert_false(integer_read_all("9223372036854775808", &value));
    assert_false(integer_read_all("", &value));
    assert_false(integer_read_all("-", &value));
    assert_false(integer_read_all("1.5", &value));
    assert_false(integer_read_all("12 ", &value));
}

/// Everything above once more where the point is a comma.
static void ignores_the_locale(void **state) {
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
        print_message("skipped: there is no locale de_DE.UTF-8 here\n");
        skip();
    }
    double value;
    assert_int_equal(number_read_all("1.5", &value), NUMBER_FINE);
    assert_true(value == 1.5);
    assert_int_equal(number_read_all("1.23456789012345678901234567890", &value), NUMBER_FINE);
    assert_true(value == 1.2345678901234567);
    assert_int_equal(number_read_all("1,5", &value), NUMBER_BAD);
    writes_like_javascript(state);
    writes_fixed(state);
    setlocale(LC_ALL, "C");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_like_javascript),    cmocka_unit_test(writes_shortest),
        cmocka_unit_test(refuses_what_is_no_number), cmocka_unit_test(writes_fixed),
        cmocka_unit_test(writes_what_is_not_finite), cmocka_unit_test(reads_integers),
        cmocka_unit_test(ignores_the_locale)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
