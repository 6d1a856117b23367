#include "packed_pair.h"
#include <stdlib.h>
#include <string.h>

/// No height is off by more than was allowed, and holes are where they were.
static void check_heights(packed_pair *p, const lf_grid_def *def) {
    lf_grid_info info = lf_grid_describe(p->packed);
    double largest = 0;
    int64_t columns = def->samples.columns, rows = def->samples.rows;
    p->heights = test_space(columns * rows, sizeof *p->heights);
    assert_int_equal(lf_grid_read(p->packed, 0, 0, columns, rows, p->heights), LF_OK);
    for (int64_t k = 0; k < columns * rows; k++) {
        double truth = p->nasty.heights[k], said = p->heights[k];
        assert_int_equal(isnan(truth), isnan(said));
        if (!isnan(truth))
            largest = fmax(largest, fabs(said - truth));
    }
    assert_true(def->band_bits[0] > 0 || largest <= def->max_error);
    assert_true(largest == info.largest_error);
    assert_true(info.mean_square_error <= largest * largest * (1 + 1e-9));
}

static void choose_codec(lf_grid_def *def, const nasty_grid *nasty, int64_t round, test_random *random) {
    double low = LF_INFINITY, high = -LF_INFINITY;
    for (int64_t k = 0; k < def->samples.columns * def->samples.rows; k++) {
        low = fmin(low, nasty->heights[k]);
        high = fmax(high, nasty->heights[k]);
    }
    bool whole = def->samples.type == LF_SAMPLE_INT16 || def->samples.type == LF_SAMPLE_UINT16;
    double size = low <= high ? fmax(fabs(low), fabs(high)) : 1;
    def->codec = (lf_codec)(1 + round % 4);
    if (def->codec >= LF_CODEC_HAAR && test_random_below(random, 2) == 0) {
        def->leaf = 32; // bounds from the coefficients: within tiles, or all
        def->derived_bounds = test_random_below(random, 2) == 0;
    }
    if (def->codec >= LF_CODEC_HAAR && test_random_below(random, 4) == 0) {
        const int bits[LF_CODEC_BANDS] = {32, 16, 8, 4, 2};
        memcpy(def->band_bits, bits, sizeof bits);
        for (int64_t k = test_random_below(random, LF_CODEC_COARSE_BANDS + 1); k < LF_CODEC_COARSE_BANDS; k++)
            def->coarse_bits[k] = (int)(2 + test_random_below(random, 31));
    } else if (!whole || test_random_below(random, 3) == 0) {
        double shares[] = {1e-3, 1e-5, 0.2};
        def->max_error = fmax(size, 1e-12) * shares[test_random_below(random, 3)];
    }
}

void packed_pair_make(packed_pair *p, int64_t round, test_random *random) {
    nasty_relief relief = (nasty_relief)(round % NASTY_RELIEFS);
    lf_error error = {0};
    *p = (packed_pair){0};
    nasty_grid_make(&p->nasty, relief, (lf_surface)(round % 5), round % 3 == 0 ? 40 : 0, random);
    lf_grid_def def = p->nasty.def;
    choose_codec(&def, &p->nasty, round / 5, random);
    if (lf_grid_create(&def, &p->packed, &error) != LF_OK)
        fail_msg("round %lld, %s: %s", (long long)round, p->nasty.name, error.text);
    check_heights(p, &def);
    lf_grid_def plain = p->nasty.def;
    plain.borrow = false;
    plain.samples = lf_grid_def_default().samples;
    plain.samples.type = LF_SAMPLE_DOUBLE;
    plain.samples.values = p->heights;
    plain.samples.columns = def.samples.columns;
    plain.samples.rows = def.samples.rows;
    assert_int_equal(lf_grid_create(&plain, &p->plain, NULL), LF_OK);
    p->packed_ground = lf_grid_ground(p->packed);
    p->plain_ground = lf_grid_ground(p->plain);
    assert_int_equal(lf_cursor_create(NULL, &p->cursor), LF_OK);
    if (round % 4 == 0) // very little, and none
        assert_int_equal(lf_cursor_set_budget(p->cursor, round % 8 == 0 ? 0 : 24000), LF_OK);
}

void packed_pair_free(packed_pair *p) {
    lf_cursor_destroy(p->cursor);
    lf_grid_destroy(p->plain);
    lf_grid_destroy(p->packed);
    free(p->heights);
    nasty_grid_free(&p->nasty);
}
