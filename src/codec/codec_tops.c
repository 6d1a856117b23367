/// Upper bounds of blocks of a wavelet tile, from its coefficients.
///
/// The numbers of a block are sums of coefficients times basis functions. A product is at most the coefficient times the
/// greatest value of its function over the block, or the least where the coefficient is negative. Summed over all bands that
/// would be a weak bound, because functions of coarse bands change sign within a tile. So the coarse bands are
/// reconstructed, down to means of 4 x 4 numbers; means add up to a constant, so that only their differences from the nearest one
/// count. Bounds of 8 x 8 numbers are the greatest of four. A bound of 4 x 4 has 43 products for Haar, 112 for Daubechies-4.
#include "codec/codec.h"
#include <math.h>

/// Coefficients and extremes are floats, and so are sums of at most 512 products: the error is less than these parts of the sum of
/// magnitudes, and of the mean.
#define TOPS_SLACK 4e-5f
#define TOPS_MEAN_SLACK 1e-5f

/// Means of 4 x 4 numbers, and the bands below.
#define TOPS_MEANS_LOG2 3
#define TOPS_MEANS (1 << TOPS_MEANS_LOG2)

/// Functions of one axis that reach 4 numbers and the next.
#define TOPS_REACH 6

/// The functions of a kind that reach a block along one axis: numbered from the block's own, and their extremes there.
typedef struct tops_axis {
    int count;
    int8_t at[TOPS_REACH];
    lf__wave_range over[TOPS_REACH];
} tops_axis;

/// A product of two functions, for a block anywhere in the tile.
typedef struct tops_term {
    float low, high;
    int16_t x, y;
} tops_term;

/// Means, then three kinds of details of each of two bands.
enum { TOPS_BANDS = LF__WAVE_LOG2 - TOPS_MEANS_LOG2, TOPS_KINDS = 1 + LF__WAVE_ALONG * TOPS_BANDS };

typedef struct tops_kind {
    int count;
    tops_term terms[TOPS_REACH * TOPS_REACH];
} tops_kind;

struct lf__wave_tops {
    lf__wave wave;
    tops_kind kinds[2][2][TOPS_KINDS]; ///< for blocks that are the last of a row, and of a column, or not
};

/// The last block of a tile ends there; others reach to the first number of the next one.
static void tops_reach(lf__wave wave, int band, bool detail, bool last, tops_axis *axis) {
    double line[LF__WAVE_SIDE];
    int shift = LF__WAVE_SIDE >> band, count = last ? 4 : 5, per_block = 4 / shift;
    lf__wave_function(wave, LF__WAVE_LOG2, band, detail, line);
    axis->count = 0;
    for (int at = -4; at < 4 + per_block; at++) {
        lf__wave_range r = {INFINITY, -INFINITY};
        for (int i = 0; i < count; i++) {
            double value = line[(i - at * shift) & (LF__WAVE_SIDE - 1)];
            r.low = fmin(r.low, value);
            r.high = fmax(r.high, value);
        }
        if (r.low != 0 || r.high != 0) {
            axis->at[axis->count] = (int8_t)at;
            axis->over[axis->count++] = r;
        }
    }
}

static void tops_products(const tops_axis *x, const tops_axis *y, tops_kind *kind) {
    kind->count = 0;
    for (int l = 0; l < y->count; l++)
        for (int k = 0; k < x->count; k++) {
            lf__wave_range r = lf__wave_range_product(x->over[k], y->over[l]);
            kind->terms[kind->count++] = (tops_term){(float)r.low, (float)r.high, x->at[k], y->at[l]};
        }
}

static void tops_fill(lf__wave_tops *tops, bool last_x, bool last_y) {
    tops_axis x, y;
    tops_kind *kind = tops->kinds[last_y][last_x];
    tops_reach(tops->wave, TOPS_MEANS_LOG2, false, last_x, &x);
    tops_reach(tops->wave, TOPS_MEANS_LOG2, false, last_y, &y);
    tops_products(&x, &y, kind++);
    for (int band = TOPS_MEANS_LOG2; band < LF__WAVE_LOG2; band++)
        for (int along = 0; along < LF__WAVE_ALONG; along++) {
            tops_reach(tops->wave, band, lf__wave_detail(along, 0), last_x, &x);
            tops_reach(tops->wave, band, lf__wave_detail(along, 1), last_y, &y);
            tops_products(&x, &y, kind++);
        }
}

lf_status lf__wave_tops_make(const lf_allocator *allocator, lf__wave wave, lf__wave_tops **tops) {
    lf__wave_tops *fresh = lf__allocate(allocator, sizeof *fresh, _Alignof(lf__wave_tops));
    if (!fresh)
        return LF_NO_MEMORY;
    fresh->wave = wave;
    for (int k = 0; k < 4; k++)
        tops_fill(fresh, k & 1, k >> 1);
    *tops = fresh;
    return LF_OK;
}

void lf__wave_tops_free(const lf_allocator *allocator, lf__wave_tops *tops) {
    if (tops)
        lf__free(allocator, tops, sizeof *tops, _Alignof(lf__wave_tops));
}

void lf__wave_tops_load(const lf__wave_tops *tops, const double *coefficients, float *loaded) {
    double means[TOPS_MEANS * TOPS_MEANS];
    for (int k = 0; k < LF__CODEC_MOST; k++)
        loaded[k] = (float)coefficients[k];
    for (int k = 0; k < TOPS_MEANS * TOPS_MEANS; k++)
        means[k] = coefficients[k / TOPS_MEANS * LF__WAVE_SIDE + k % TOPS_MEANS];
    lf__wave_back(tops->wave, means, TOPS_MEANS_LOG2);
    for (int k = 0; k < TOPS_MEANS * TOPS_MEANS; k++)
        loaded[k / TOPS_MEANS * LF__WAVE_SIDE + k % TOPS_MEANS] = (float)means[k];
}

/// The sum of some products, the greatest of each, and of their magnitudes.
typedef struct tops_sum {
    float most, size;
} tops_sum;

static void tops_add(tops_sum *sum, const tops_kind *kind, const float *from, const int at[2], int mask,
                     float less) {
    for (int t = 0; t < kind->count; t++) {
        const tops_term *term = &kind->terms[t];
        float c = from[((at[1] + term->y) & mask) * LF__WAVE_SIDE + ((at[0] + term->x) & mask)] - less;
        float low = c * term->low, high = c * term->high;
        sum->most += low > high ? low : high;
        sum->size += fabsf(low) + fabsf(high);
    }
}

/// Of 4 x 4 numbers.
static float tops_small(const lf__wave_tops *tops, const float *loaded, int x, int y) {
    const tops_kind *kind = tops->kinds[y == TOPS_MEANS - 1][x == TOPS_MEANS - 1];
    float mean = loaded[y * LF__WAVE_SIDE + x], level = 0.25f * mean; // the sum of all functions is 1/4
    tops_sum sum = {0, 0};
    tops_add(&sum, kind++, loaded, (const int[2]){x, y}, TOPS_MEANS - 1, mean);
    for (int band = TOPS_MEANS_LOG2; band < LF__WAVE_LOG2; band++)
        for (int along = 0; along < LF__WAVE_ALONG; along++) {
            int half = 1 << band, scale = half / TOPS_MEANS;
            const float *from = loaded + (lf__wave_detail(along, 1) ? half * LF__WAVE_SIDE : 0) +
                                (lf__wave_detail(along, 0) ? half : 0);
            tops_add(&sum, kind++, from, (const int[2]){scale * x, scale * y}, half - 1, 0);
        }
    return level + sum.most + TOPS_SLACK * sum.size + TOPS_MEAN_SLACK * fabsf(level);
}

int32_t lf__wave_top(const lf__wave_tops *tops, const float *loaded, int block) {
    int x = 2 * (block % LF__WAVE_BLOCK_COLUMNS), y = 2 * (block / LF__WAVE_BLOCK_COLUMNS);
    double top = -(double)LF__STEP_LIMIT;
    for (int k = 0; k < 4; k++) {
        double small = (double)tops_small(tops, loaded, x + (k & 1), y + (k >> 1)) + 0.5;
        if (!(small < (double)LF__STEP_LIMIT))
            return LF__STEP_LIMIT;
        top = small > top ? small : top;
    }
    return (int32_t)floor(top);
}
