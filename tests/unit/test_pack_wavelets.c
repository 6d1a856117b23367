// Wavelets: known coefficients, energy, perfect return, functions from impulses, quantising.
#include "codec/codec.h"
#include "support.h"
#include <math.h>
#include <string.h>

#define SIDE 16
#define LOG2 4

static void fill(double *numbers, int count, test_random *random) {
    for (int k = 0; k < count; k++)
        numbers[k] = test_random_between(random, -100, 100);
}

static void known(void **state) {
    (void)state;
    double haar[4] = {1, 3, 5, 11}; // rows from below: 1 3, 5 11
    lf__wave_forward(LF__WAVE_HAAR, haar, 1);
    assert_true(fabs(haar[0] - 10) < 1e-14); // sum / 2
    assert_true(fabs(haar[1] - (1 - 3 + 5 - 11) / 2.0) < 1e-14);
    assert_true(fabs(haar[2] - (1 + 3 - 5 - 11) / 2.0) < 1e-14);
    assert_true(fabs(haar[3] - (1 - 3 - 5 + 11) / 2.0) < 1e-14);
    // Daubechies-4 sees no detail in a line, but for where it goes around the border.
    double ramp[SIDE * SIDE];
    for (int k = 0; k < SIDE * SIDE; k++)
        ramp[k] = 2 * (k % SIDE) + 5 * (k / SIDE);
    lf__wave_forward(LF__WAVE_D4, ramp, LOG2);
    for (int l = 0; l < SIDE / 2 - 1; l++)
        for (int k = 0; k < SIDE / 2 - 1; k++)
            assert_true(fabs(ramp[l * SIDE + SIDE / 2 + k]) < 1e-11 &&
                        fabs(ramp[(SIDE / 2 + l) * SIDE + k]) < 1e-11);
}

static void there_and_back(void **state) {
    (void)state;
    test_random random = test_random_start(6101);
    for (int round = 0; round < 40; round++) {
        lf__wave wave = (lf__wave)(round % 2);
        int log2 = 1 + round % 6, count = 1 << 2 * log2;
        static double numbers[64 * 64], made[64 * 64];
        double before = 0, after = 0;
        fill(numbers, count, &random);
        memcpy(made, numbers, (size_t)count * sizeof *made);
        lf__wave_forward(wave, made, log2);
        for (int k = 0; k < count; k++) {
            before += numbers[k] * numbers[k];
            after += made[k] * made[k];
        }
        assert_true(fabs(before - after) < 1e-10 * before); // orthonormal
        lf__wave_back(wave, made, log2);
        for (int k = 0; k < count; k++)
            assert_true(fabs(made[k] - numbers[k]) < 1e-10);
    }
}

/// An impulse among the coefficients gives the product of two functions.
static void functions(void **state) {
    (void)state;
    test_random random = test_random_start(6102);
    for (int round = 0; round < 200; round++) {
        lf__wave wave = (lf__wave)(round % 2);
        int band = (int)test_random_below(&random, LOG2), along = (int)test_random_below(&random, 3);
        int half = 1 << band, k = (int)test_random_below(&random, half),
            l = (int)test_random_below(&random, half);
        bool in_x = lf__wave_detail(along, 0), in_y = lf__wave_detail(along, 1);
        double square[SIDE * SIDE] = {0}, x[SIDE], y[SIDE];
        square[(l + (in_y ? half : 0)) * SIDE + k + (in_x ? half : 0)] = 1;
        lf__wave_back(wave, square, LOG2);
        lf__wave_function(wave, LOG2, band, in_x, x);
        lf__wave_function(wave, LOG2, band, in_y, y);
        for (int j = 0; j < SIDE; j++)
            for (int i = 0; i < SIDE; i++) {
                double told =
                    x[(i - k * (SIDE >> band)) & (SIDE - 1)] * y[(j - l * (SIDE >> band)) & (SIDE - 1)];
                assert_true(fabs(square[j * SIDE + i] - told) < 1e-14);
            }
    }
}

static void quantised(void **state) {
    (void)state;
    test_random random = test_random_start(6103);
    const int many[LOG2] = {32, 32, 32, 32}, few[LOG2] = {16, 8, 4, 2};
    double numbers[SIDE * SIDE], fine[SIDE * SIDE], coarse[SIDE * SIDE], gathered[192];
    fill(numbers, SIDE * SIDE, &random);
    lf__wave_forward(LF__WAVE_D4, numbers, LOG2);
    memcpy(fine, numbers, sizeof fine);
    memcpy(coarse, numbers, sizeof coarse);
    lf__wave_quantise(fine, LOG2, many);
    lf__wave_quantise(coarse, LOG2, few);
    for (int k = 0; k < SIDE * SIDE; k++)
        assert_true(fabs(fine[k] - numbers[k]) < 1e-6);
    assert_true(coarse[0] == numbers[0]);
    // Two bits: a step down, nothing, a step up.
    lf__wave_gather(coarse, LOG2, 3, gathered);
    double step = 0;
    for (int k = 0; k < 192; k++)
        step = fmax(step, fabs(gathered[k]));
    for (int k = 0; k < 192; k++)
        assert_true(gathered[k] == 0 || fabs(gathered[k]) == step);
    double again[SIDE * SIDE];
    memcpy(again, coarse, sizeof again);
    lf__wave_scatter(gathered, LOG2, 3, again);
    assert_memory_equal(again, coarse, sizeof again);
    double nothing[SIDE * SIDE] = {0};
    lf__wave_quantise(nothing, LOG2, few);
    for (int k = 0; k < SIDE * SIDE; k++)
        assert_true(nothing[k] == 0);
}

static lf_status make_table(const lf_host *host, void *user) {
    lf__wave_table *table = NULL;
    lf_status status = lf__wave_table_make(host->allocator, LF__WAVE_D4, LOG2, &table);
    (void)user;
    if (status == LF_OK)
        lf__wave_table_free(host->allocator, table);
    return status;
}

/// The greatest step of a block of 8 x 8, with the next column and row of the tile.
static int32_t greatest_of(const int32_t *steps, int block) {
    int32_t most = INT32_MIN;
    for (int y = block / 4 * 8; y <= block / 4 * 8 + 8 && y < LF__WAVE_SIDE; y++)
        for (int x = block % 4 * 8; x <= block % 4 * 8 + 8 && x < LF__WAVE_SIDE; x++)
            most = steps[y * LF__WAVE_SIDE + x] > most ? steps[y * LF__WAVE_SIDE + x] : most;
    return most;
}

/// Tops from coefficients are never below the decoded steps, of smooth, rough and extreme tiles, and not far above smooth ones.
static void tops_hold(void **state) {
    (void)state;
    test_random random = test_random_start(471);
    lf_allocator allocator = lf__allocator_of(NULL);
    double over[2] = {0, 0};
    for (int wave = 0; wave < 2; wave++) {
        lf__wave_tops *tops;
        assert_int_equal(lf__wave_tops_make(&allocator, wave ? LF__WAVE_D4 : LF__WAVE_HAAR, &tops), LF_OK);
        for (int64_t round = 0; round < test_rounds(400); round++) {
            int32_t steps[LF__CODEC_MOST], decoded[LF__CODEC_MOST];
            static uint8_t bytes[LF__CODEC_BYTES + LF__BITS_SPARE];
            double coefficients[LF__CODEC_MOST], size = ldexp(1, (int)test_random_below(&random, 24));
            float floats[LF__CODEC_MOST];
            bool smooth = round % 2 == 0;
            for (int k = 0; k < LF__CODEC_MOST; k++)
                steps[k] = smooth ? (int32_t)(1000 * sin(0.05 * (k % 32) + (double)round) +
                                              900 * cos(0.07 * (k / 32.0)))
                                  : (int32_t)test_random_between(&random, -size, size);
            lf__codec_plan plan = {.kind = wave ? LF__CODEC_D4 : LF__CODEC_HAAR,
                                   .slack = (int32_t)test_random_below(&random, 50)};
            if (round % 3 == 0)
                memcpy(plan.bits, (const int[]){32, 16, 8, 4, 2}, sizeof plan.bits);
            size_t count = lf__codec_encode(&plan, steps, bytes);
            assert_true(lf__codec_decode(plan.kind, bytes, count, decoded, NULL));
            if (!lf__wave_coefficients(bytes, count, coefficients))
                continue;
            lf__wave_tops_load(tops, coefficients, floats);
            for (int block = 0; block < LF__WAVE_BLOCKS; block++) {
                int32_t top = lf__wave_top(tops, floats, block), most = greatest_of(decoded, block);
                assert_true(top >= most);
                over[wave] += smooth ? (double)(top - most) / (16.0 * (double)test_rounds(200)) : 0;
            }
        }
        lf__wave_tops_free(&allocator, tops);
    }
    print_message("tops above the greatest step of 2000: Haar %.1f, Daubechies-4 %.1f\n", over[0], over[1]);
    assert_true(over[0] < 700 && over[1] < 2000); // slopes of 50 steps per sample
}

static void no_memory(void **state) {
    (void)state;
    test_out_of_memory(make_table, NULL);
    lf__wave_table_free(NULL, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known),     cmocka_unit_test(there_and_back), cmocka_unit_test(functions),
        cmocka_unit_test(quantised), cmocka_unit_test(no_memory),      cmocka_unit_test(tops_hold),
    };
    return cmocka_run_group_tests_name("pack: wavelets", tests, NULL, NULL);
}
