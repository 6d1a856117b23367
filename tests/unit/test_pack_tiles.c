// Tiles of whole numbers made small: known bytes, known sizes, and bytes that no encoder wrote.
#include "codec/codec.h"
#include "published/funfzig_split.h"
#include "support.h"
#include <stdlib.h>

static int samples_of(lf__codec_kind kind) {
    return 1 << 2 * lf__codec_log2(kind);
}

static lf__codec_plan plan_of(lf__codec_kind kind) {
    return (lf__codec_plan){.kind = kind};
}

static void numbers_of_bits(void **state) {
    (void)state;
    uint8_t bytes[64] = {0};
    const uint32_t some[] = {5, 0, 7, 3}, wide[] = {UINT32_MAX, 1};
    uint32_t read[4];
    size_t bit = lf__bits_write(bytes, 0, 3, some, 4);
    assert_int_equal(bit, 12);
    assert_int_equal(bytes[0], 5 | (7 & 3) << 6);
    assert_int_equal(bytes[1], 7 >> 2 | 3 << 1);
    assert_int_equal(lf__bits_write(bytes, bit, 32, wide, 2), 76);
    assert_int_equal(lf__bits_read(bytes, 0, 3, read, 4), 12);
    assert_memory_equal(read, some, sizeof some);
    lf__bits_read(bytes, 12, 32, read, 2);
    assert_memory_equal(read, wide, sizeof wide);
    const int32_t signs[] = {0, -1, 1, -2, INT32_MAX, INT32_MIN};
    const uint32_t zigzag[] = {0, 1, 2, 3, UINT32_MAX - 1, UINT32_MAX};
    for (int k = 0; k < 6; k++) {
        assert_int_equal(lf__zigzag(signs[k]), zigzag[k]);
        assert_int_equal(lf__zigzag_back(zigzag[k]), signs[k]);
    }
    assert_int_equal(lf__bit_width(0), 0);
    assert_int_equal(lf__bit_width(1), 1);
    assert_int_equal(lf__bit_width(UINT32_MAX), 32);
}

/// Flat ground takes next to nothing; a plane little; the extremes of what steps may be come back.
static void sizes(void **state) {
    (void)state;
    int32_t steps[LF__CODEC_MOST], decoded[LF__CODEC_MOST];
    uint8_t bytes[LF__CODEC_BYTES];
    for (int kind = 0; kind < LF__CODEC_KINDS; kind++) {
        lf__codec_plan plan = plan_of((lf__codec_kind)kind);
        int side = 1 << lf__codec_log2(plan.kind), count = side * side;
        for (int k = 0; k < count; k++)
            steps[k] = -1234567;
        size_t flat = lf__codec_encode(&plan, steps, bytes);
        assert_true(flat <= 40);
        assert_true(lf__codec_decode(plan.kind, bytes, flat, decoded, NULL));
        assert_memory_equal(decoded, steps, (size_t)count * sizeof *steps);
        for (int k = 0; k < count; k++)
            steps[k] = 3 * (k % side) - 2 * (k / side);
        assert_true(lf__codec_encode(&plan, steps, bytes) <= (size_t)count);
        for (int k = 0; k < count; k++)
            steps[k] = k % 3 == 0 ? LF__STEP_LIMIT : -LF__STEP_LIMIT;
        size_t wild = lf__codec_encode(&plan, steps, bytes);
        assert_true(lf__codec_decode(plan.kind, bytes, wild, decoded, NULL));
        assert_memory_equal(decoded, steps, (size_t)count * sizeof *steps);
    }
}

/// A plane is predicted but for its first row and column.
static void predicted(void **state) {
    (void)state;
    int32_t steps[256];
    uint8_t bytes[LF__CODEC_BYTES];
    for (int k = 0; k < 256; k++)
        steps[k] = 3 * (k % 16) - 2 * (k / 16);
    assert_int_equal(lf__predict_encode(steps, bytes), 5 + 8 + 2 * 3 + 15 * 2 * 2);
    for (int k = 0; k < 256; k++) // rows that are whole noise are not predicted
        steps[k] = 7 + (k * 37 % 64 & (k % 2 ? 63 : 0));
    assert_true(lf__predict_encode(steps, bytes) <= 5 + 8 + 16 * 12);
}

/// The published example in small: of two neighbours the maximum and the difference.
static void one_step(void **state) {
    (void)state;
    const int32_t pair[] = {3, 8};
    int32_t kept[2], back[2];
    lf__split_apart(pair, 2, 1, kept);
    assert_int_equal(kept[0], 8);
    assert_int_equal(kept[1], -5);
    lf__split_together(kept, 2, 1, back);
    assert_memory_equal(back, pair, sizeof pair);
    lf__region whole = {{0, 0}, {4, 2}}, halves[2];
    assert_false(lf__split(&whole, halves)); // five columns and three rows: three columns, then two
    assert_int_equal(halves[0].last[0], 2);
    assert_int_equal(halves[1].first[0], 3);
    assert_true(lf__split(&halves[0], halves)); // a square: lower and upper
}

/// Where the range is below 32,768 no difference takes more than 16 bits.
static void sixteen_bits(void **state) {
    (void)state;
    int32_t steps[256];
    uint8_t bytes[LF__CODEC_BYTES];
    test_random random = test_random_start(6001);
    for (int round = 0; round < 200; round++) {
        int32_t range = round % 2 ? 32767 : 40000;
        for (int k = 0; k < 256; k++)
            steps[k] = -500 + (int32_t)test_random_below(&random, range + 1);
        steps[0] = -500, steps[1] = range - 500;
        lf__maxplus_encode(steps, bytes);
        int widest = 0;
        for (int s = 0; s < 8; s++)
            widest = bytes[4 + s] > widest ? bytes[4 + s] : widest;
        assert_int_equal(widest <= 16, round % 2);
    }
}

/// Any bytes are read without a look beyond them (the sanitizer watches: they lie at the very end of their memory).
static void any_bytes(void **state) {
    (void)state;
    test_random random = test_random_start(6002);
    int32_t steps[LF__CODEC_MOST], decoded[LF__CODEC_MOST], maxima[LF__CODEC_MAXIMA];
    uint8_t bytes[LF__CODEC_BYTES];
    int64_t refused = 0;
    for (int round = 0; round < 4000; round++) {
        lf__codec_plan plan = plan_of((lf__codec_kind)(round % LF__CODEC_KINDS));
        for (int k = 0; k < samples_of(plan.kind); k++)
            steps[k] = (int32_t)test_random_below(&random, 50);
        size_t size =
            round % 7 == 0 ? (size_t)test_random_below(&random, 600) : lf__codec_encode(&plan, steps, bytes);
        if (round % 3 == 0 && size > 0)
            size = (size_t)test_random_below(&random, (int64_t)size);
        uint8_t *exact = malloc(size + 1);
        for (size_t k = 0; k < size; k++)
            exact[1 + k] = round % 7 == 0 ? (uint8_t)test_random_bits(&random) : bytes[k];
        for (int k = 0; k < round % 5 && size > 0; k++)
            exact[1 + test_random_below(&random, (int64_t)size)] ^=
                (uint8_t)(1 << test_random_below(&random, 8));
        refused += !lf__codec_decode(plan.kind, exact + 1, size, decoded, maxima);
        free(exact);
    }
    assert_true(refused > 400); // a third of them is cut short
}

/// Kernels give what the plain way gives, whatever the bytes and however many there are behind them.
static void kernels(void **state) {
    (void)state;
    test_random random = test_random_start(6003);
    lf__codec_decoder *decode = lf__codec_decoder_for(lf_isa_best());
    int64_t rounds = test_long() ? 400000 : 20000;
    for (int64_t round = 0; round < rounds; round++) {
        int32_t steps[256], plain[256], quick[256], maxima[2][LF__CODEC_MAXIMA] = {{0}};
        uint8_t bytes[LF__CODEC_BYTES];
        lf__codec_plan plan = plan_of(round % 2 ? LF__CODEC_PREDICT : LF__CODEC_MAXPLUS);
        int32_t range = 1 << test_random_below(&random, round % 8 == 0 ? 30 : 17),
                slope = (int32_t)(round % 5);
        for (int k = 0; k < 256; k++)
            steps[k] = (int32_t)test_random_below(&random, range) + slope * (k % 16) * (range / 64);
        size_t size = lf__codec_encode(&plan, steps, bytes), more = (size_t)test_random_below(&random, 40);
        uint8_t *exact = malloc(size + more);
        memcpy(exact, bytes, size);
        for (size_t k = 0; k < more; k++)
            exact[size + k] = (uint8_t)test_random_bits(&random);
        for (int64_t k = round % 4 == 3 ? test_random_below(&random, 4) : 0; k > 0; k--)
            exact[test_random_below(&random, k > 1 ? 21 : (int64_t)size) % (int64_t)size] =
                (uint8_t)test_random_bits(&random);
        bool fine = lf__codec_decode(plan.kind, exact, size + more, plain, maxima[0]);
        assert_int_equal(decode(plan.kind, exact, size + more, quick, maxima[1]), fine);
        assert_memory_equal(plain, quick, sizeof plain);
        assert_memory_equal(maxima[0], maxima[1], plan.kind == LF__CODEC_MAXPLUS ? sizeof maxima[0] : 0);
        free(exact);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_bits), cmocka_unit_test(sizes),        cmocka_unit_test(predicted),
        cmocka_unit_test(one_step),        cmocka_unit_test(sixteen_bits), cmocka_unit_test(any_bytes),
        cmocka_unit_test(kernels),
    };
    return cmocka_run_group_tests_name("pack: tiles", tests, NULL, NULL);
}
