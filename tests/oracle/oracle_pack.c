// Tiles and decompositions against the plain numbers: every number comes back, every maximum is the maximum,
// every bound holds.
#include "codec/codec.h"
#include "published/funfzig_split.h"
#include "support.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Kinds of numbers that break codecs.
#define RELIEFS 9

static int32_t any_step(int relief, int i, int j, test_random *random) {
    switch (relief) {
    case 0:
        return (int32_t)test_random_below(random, 100);
    case 1:
        return 8848;
    case 2:
        return (int32_t)(1000 * sin(0.2 * i) + 700 * cos(0.13 * j)) + (int32_t)test_random_below(random, 3);
    case 3:
        return test_random_below(random, 97) == 0 ? LF__STEP_LIMIT : 0;
    case 4:
        return test_random_below(random, 97) == 0 ? -LF__STEP_LIMIT : LF__STEP_LIMIT;
    case 5:
        return (int32_t)(test_random_bits(random) >> 33) - LF__STEP_LIMIT;
    case 6:
        return (i + j) % 2 ? 32767 : -32768;
    case 7:
        return i >= j ? 5 : -5;
    default:
        return 12 * i - 7 * j + (i == 9 ? 4000 : 0);
    }
}

static void fill(int32_t *steps, int side, int relief, test_random *random) {
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++)
            steps[j * side + i] = any_step(relief, i, j, random);
}

static int64_t rounds(int64_t usual) {
    return test_long() ? 20 * usual : usual;
}

static void tiles_come_back(void **state) {
    (void)state;
    test_random random = test_random_start(6201);
    static int32_t steps[LF__CODEC_MOST], decoded[LF__CODEC_MOST];
    static uint8_t bytes[LF__CODEC_BYTES];
    for (int64_t round = 0; round < rounds(900); round++) {
        lf__codec_plan plan = {.kind = (lf__codec_kind)(round % LF__CODEC_KINDS)};
        int side = 1 << lf__codec_log2(plan.kind);
        plan.slack = round % 5 == 0 ? (int32_t)test_random_below(&random, 20) : 0;
        fill(steps, side, (int)(round / LF__CODEC_KINDS % RELIEFS), &random);
        size_t size = lf__codec_encode(&plan, steps, bytes);
        assert_in_range(size, 1, LF__CODEC_BYTES);
        assert_true(lf__codec_decode(plan.kind, bytes, size, decoded, NULL));
        bool waves = plan.kind == LF__CODEC_HAAR || plan.kind == LF__CODEC_D4;
        for (int k = 0; k < side * side; k++)
            assert_true(labs((long)decoded[k] - steps[k]) <= (waves ? plan.slack : 0));
    }
}

/// The maxima that a max-plus tile brings along are those of its blocks.
static void maxima_of_tiles(void **state) {
    (void)state;
    test_random random = test_random_start(6202);
    int32_t steps[256], decoded[256], maxima[LF__CODEC_MAXIMA];
    uint8_t bytes[LF__CODEC_BYTES];
    for (int64_t round = 0; round < rounds(500); round++) {
        fill(steps, 16, (int)(round % RELIEFS), &random);
        size_t size = lf__maxplus_encode(steps, bytes);
        assert_true(lf__maxplus_decode(bytes, size, decoded, maxima));
        const int32_t *at = maxima;
        for (int level = 1; level <= 4; level++)
            for (int b = 0; b < 256 >> 2 * level; b++) {
                int across = 16 >> level, x = b % across << level, y = b / across << level;
                int32_t most = INT32_MIN;
                for (int k = 0; k < 1 << 2 * level; k++) {
                    int32_t step = steps[(y + (k >> level)) * 16 + x + (k & ((1 << level) - 1))];
                    most = step > most ? step : most;
                }
                assert_int_equal(*at++, most);
            }
    }
}

static int ascending(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/// Splitting a square tile gives the same numbers as the steps by turns.
static void same_coefficients(const int32_t *steps) {
    int32_t split[256], turns[256], whole[256];
    int count = 0;
    lf__split_apart(steps, 16, 16, split);
    memcpy(whole, steps, sizeof whole);
    for (int columns = 16, rows = 16; columns * rows > 1;) {
        bool in_rows = columns == rows; // neighbours in rows first
        int next = in_rows ? 1 : columns;
        int32_t half[128];
        for (int j = 0, k = 0; j < rows; j += in_rows ? 1 : 2)
            for (int i = 0; i < columns; i += in_rows ? 2 : 1, k++) {
                int32_t a = whole[j * columns + i], b = whole[j * columns + i + next];
                half[k] = a > b ? a : b;
                turns[count++] = a - b;
            }
        columns /= in_rows ? 2 : 1;
        rows /= in_rows ? 1 : 2;
        memcpy(whole, half, (size_t)(columns * rows) * sizeof *whole);
    }
    turns[count++] = whole[0];
    assert_int_equal(count, 256);
    qsort(split, 256, sizeof *split, ascending);
    qsort(turns, 256, sizeof *turns, ascending);
    assert_memory_equal(split, turns, sizeof split);
}

/// Rasters of any size: they come back, and the maximum of any rectangle is that of its numbers.
static void split_of_any_size(void **state) {
    (void)state;
    test_random random = test_random_start(6203);
    static int32_t steps[70 * 70], kept[70 * 70], back[70 * 70];
    for (int64_t round = 0; round < rounds(200); round++) {
        int64_t columns = 1 + test_random_below(&random, 69), rows = 1 + test_random_below(&random, 69);
        for (int64_t k = 0; k < columns * rows; k++) {
            int32_t step = any_step((int)(round % RELIEFS), (int)(k % columns), (int)(k / columns), &random);
            steps[k] = step / 2; // differences of what max-plus keeps stay within 32 bits
        }
        lf__split_apart(steps, columns, rows, kept);
        lf__split_together(kept, columns, rows, back);
        assert_memory_equal(back, steps, (size_t)(columns * rows) * sizeof *steps);
        for (int k = 0; k < 20; k++) {
            lf__region r;
            int64_t a = test_random_below(&random, columns), b = test_random_below(&random, columns);
            int64_t c = test_random_below(&random, rows), d = test_random_below(&random, rows), looked = 0;
            r = (lf__region){{a < b ? a : b, c < d ? c : d}, {a < b ? b : a, c < d ? d : c}};
            int32_t most = INT32_MIN;
            for (int64_t j = r.first[1]; j <= r.last[1]; j++)
                for (int64_t i = r.first[0]; i <= r.last[0]; i++)
                    most = steps[j * columns + i] > most ? steps[j * columns + i] : most;
            assert_int_equal(lf__split_maximum(kept, columns, rows, &r, &looked), most);
            assert_true(looked < columns * rows);
        }
    }
    fill(steps, 16, 2, &random);
    same_coefficients(steps);
}

/// Both bounds hold for what comes back.
static void wavelet_bounds(void **state) {
    (void)state;
    test_random random = test_random_start(6204);
    lf_host host = {NULL, NULL, NULL, NULL};
    lf_allocator allocator = lf__allocator_of(&host);
    static double numbers[32 * 32], made[32 * 32];
    double width[2] = {0, 0}, range[2] = {0, 0};
    for (int64_t round = 0; round < rounds(40); round++) {
        lf__wave wave = (lf__wave)(round % 2);
        int log2 = 1 + (int)test_random_below(&random, 5), side = 1 << log2;
        lf__wave_table *table;
        assert_int_equal(lf__wave_table_make(&allocator, wave, log2, &table), LF_OK);
        for (int k = 0; k < side * side; k++)
            numbers[k] = (double)any_step((int)(round / 2 % RELIEFS), k % side, k / side, &random);
        lf__wave_forward(wave, numbers, log2);
        if (round % 3 == 0)
            lf__wave_quantise(numbers, log2, (const int[]){16, 16, 8, 4, 2});
        memcpy(made, numbers, sizeof made);
        lf__wave_back(wave, made, log2);
        lf__wave_range weak = lf__wave_weak_bounds(table, numbers);
        double slack = 1e-9; // of putting together
        for (int k = 0; k < side * side; k++)
            slack = fmax(slack, 1e-9 * fabs(made[k]));
        for (int level = 0; level <= log2; level++)
            for (int b = 0; b < 1 << 2 * (log2 - level); b++) {
                int bx = b & ((side >> level) - 1), by = b >> (log2 - level);
                lf__wave_range r = lf__wave_bounds(table, numbers, level, bx, by);
                double low = INFINITY, high = -INFINITY;
                for (int k = 0; k < 1 << 2 * level; k++) {
                    double x = made[((by << level) + (k >> level)) * side + (bx << level) +
                                    (k & ((1 << level) - 1))];
                    low = fmin(low, x);
                    high = fmax(high, x);
                }

                assert_true(r.low <= low + slack && r.high >= high - slack);
                assert_true(weak.low <= low + slack && weak.high >= high - slack);
                if (level == 0) // of a single number there is nothing but its own sum
                    assert_true(r.high - r.low < slack);
                width[wave] += level == 2 ? r.high - r.low : 0;
                range[wave] += level == 2 ? high - low : 0;
            }
        lf__wave_table_free(&allocator, table);
    }
    printf("bounds of 4 x 4 blocks are %.2f (haar) and %.2f (d4) times as wide as they need be\n",
           width[0] / range[0], width[1] / range[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_come_back),
        cmocka_unit_test(maxima_of_tiles),
        cmocka_unit_test(split_of_any_size),
        cmocka_unit_test(wavelet_bounds),
    };
    return cmocka_run_group_tests_name("oracle: pack", tests, NULL, NULL);
}
