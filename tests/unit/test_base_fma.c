// The fma that Windows gets is that of the machine, to the bit: random numbers, near cancellations, the
// smallest and the largest.
#define LF__FMA_TESTED
#include "base/fma.c"
#include "support.h"

static double double_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/// Any bits; or with exponents near each other; or near the ends of the range.
static double any_double(test_random *random, int kind) {
    uint64_t bits = test_random_bits(random);
    if (kind == 1)
        bits = (bits & ~(UINT64_C(0x7ff) << 52)) | (uint64_t)(1023 + test_random_below(random, 40)) << 52;
    if (kind == 2)
        bits = (bits & ~(UINT64_C(0x7ff) << 52)) | (uint64_t)test_random_below(random, 60) << 52;
    if (kind == 3)
        bits &= ~UINT64_C(0xffffffff);
    return double_of(bits);
}

static void same(double a, double b, double c) {
    double ours = fma_by_integers(a, b, c), theirs = fma(a, b, c);
    if (memcmp(&ours, &theirs, sizeof ours) != 0 && !(ours != ours && theirs != theirs))
        fail_msg("fma(%a, %a, %a) is %a, not %a", a, b, c, ours, theirs);
}

static void same_float(float a, float b, float c) {
    float ours = fmaf_by_doubles(a, b, c), theirs = fmaf(a, b, c);
    if (memcmp(&ours, &theirs, sizeof ours) != 0 && !(ours != ours && theirs != theirs))
        fail_msg("fmaf(%a, %a, %a) is %a, not %a", (double)a, (double)b, (double)c, (double)ours,
                 (double)theirs);
}

static void test_random_doubles(void **state) {
    (void)state;
    test_random random = test_random_start(1);
    for (int64_t i = 0; i < test_rounds(400000); i++) {
        double a = any_double(&random, (int)(i % 4)), b = any_double(&random, (int)(i / 4 % 4));
        same(a, b, any_double(&random, (int)(i / 16 % 4)));
        // What is left of the product, a tie beside it, and one unit more.
        double product = a * b;
        same(a, b, -product);
        same(a, b, -nextafter(product, INFINITY));
        same(a, b, product * 0x1p-53);
        same(a, b, -product * 0x1p-54);
        same(a * 0x1p-600, b * 0x1p-470, 0x1p-1074 * (double)test_random_below(&random, 9));
    }
}

static void test_random_floats(void **state) {
    (void)state;
    test_random random = test_random_start(2);
    for (int64_t i = 0; i < test_rounds(400000); i++) {
        float x[3];
        for (int k = 0; k < 3; k++) {
            uint32_t bits = (uint32_t)test_random_bits(&random);
            if (i % 2)
                bits = (bits & ~(UINT32_C(0xff) << 23)) | (uint32_t)(100 + test_random_below(&random, 50))
                                                              << 23;
            if (i % 3 == 0)
                bits &= ~UINT32_C(0xfff);
            memcpy(&x[k], &bits, sizeof x[k]);
        }
        same_float(x[0], x[1], x[2]);
        same_float(x[0], x[1], -(x[0] * x[1]));
        same_float(x[0], x[1], x[0] * x[1] * 0x1p-24f);
    }
}

static void test_special_numbers(void **state) {
    (void)state;
    const double ends[] = {0.0,
                           -0.0,
                           1,
                           -1,
                           0x1p-1074,
                           -0x1p-1074,
                           0x1p-1022,
                           0x1.fffffffffffffp-1023,
                           0x1.fffffffffffffp1023,
                           -0x1.fffffffffffffp1023,
                           INFINITY,
                           -INFINITY,
                           NAN,
                           0x1p-537,
                           0x1p512,
                           1 + 0x1p-52};
    int count = (int)(sizeof ends / sizeof *ends);
    for (int i = 0; i < count * count * count; i++) {
        double a = ends[i % count], b = ends[i / count % count], c = ends[i / count / count];
        same(a, b, c);
        same_float((float)a, (float)b, (float)c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_doubles),
        cmocka_unit_test(test_random_floats),
        cmocka_unit_test(test_special_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
