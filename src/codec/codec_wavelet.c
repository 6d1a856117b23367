
#include "codec/codec.h"
#include <math.h>
#include <string.h>

#define WAVE_LINE (1 << LF__WAVE_MOST)

/// Filters of the means; the filters of the details are the same in reverse with alternating signs.
static const double haar_filter[2] = {0.70710678118654752440, 0.70710678118654752440};
static const double d4_filter[4] = {0.48296291314453414337, 0.83651630373780790558, 0.22414386804201338103,
                                    -0.12940952255126038117};

static const double *wave_filter(lf__wave wave, int *taps) {
    *taps = wave == LF__WAVE_D4 ? 4 : 2;
    return wave == LF__WAVE_D4 ? d4_filter : haar_filter;
}

/// One forward step along a line of `count` numbers: means to its first half, details to its second.
static void wave_line_forward(lf__wave wave, double *line, int count) {
    double made[WAVE_LINE];
    int taps, half = count / 2;
    const double *h = wave_filter(wave, &taps);
    for (int k = 0; k < half; k++) {
        double mean = 0, detail = 0;
        for (int t = 0; t < taps; t++) {
            double x = line[(2 * k + t) & (count - 1)];
            mean += h[t] * x;
            detail += (t & 1 ? -h[taps - 1 - t] : h[taps - 1 - t]) * x;
        }
        made[k] = mean;
        made[half + k] = detail;
    }
    memcpy(line, made, (size_t)count * sizeof *line);
}

/// One inverse step: a pair of numbers depends on the mean and detail of its own index, and of Daubechies-4
/// on those of the previous index.
static void wave_line_back(lf__wave wave, double *line, int count) {
    double made[WAVE_LINE];
    const double *mean = line, *detail = line + count / 2, *h = d4_filter;
    int half = count / 2;
    for (int k = 0; k < half && wave == LF__WAVE_HAAR; k++) {
        made[2 * k] = haar_filter[0] * (mean[k] + detail[k]);
        made[2 * k + 1] = haar_filter[0] * (mean[k] - detail[k]);
    }
    for (int k = 0, before = half - 1; k < half && wave == LF__WAVE_D4; before = k++) {
        made[2 * k] = (h[0] * mean[k] + h[3] * detail[k]) + (h[2] * mean[before] + h[1] * detail[before]);
        made[2 * k + 1] = (h[1] * mean[k] - h[2] * detail[k]) + (h[3] * mean[before] - h[0] * detail[before]);
    }
    memcpy(line, made, (size_t)count * sizeof *line);
}

typedef void wave_line_step(lf__wave wave, double *line, int count);

static void wave_all_rows(wave_line_step *one, lf__wave wave, double *numbers, int side, int count) {
    for (int j = 0; j < count; j++)
        one(wave, numbers + (ptrdiff_t)j * side, count);
}

static void wave_all_columns(wave_line_step *one, lf__wave wave, double *numbers, int side, int count) {
    double line[WAVE_LINE];
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++)
            line[j] = numbers[(ptrdiff_t)j * side + i];
        one(wave, line, count);
        for (int j = 0; j < count; j++)
            numbers[(ptrdiff_t)j * side + i] = line[j];
    }
}

void lf__wave_forward(lf__wave wave, double *numbers, int log2_side) {
    for (int count = 1 << log2_side; count > 1; count /= 2) {
        wave_all_rows(wave_line_forward, wave, numbers, 1 << log2_side, count);
        wave_all_columns(wave_line_forward, wave, numbers, 1 << log2_side, count);
    }
}

void lf__wave_back(lf__wave wave, double *coefficients, int log2_side) {
    for (int count = 2; count <= 1 << log2_side; count *= 2) {
        wave_all_columns(wave_line_back, wave, coefficients, 1 << log2_side, count);
        wave_all_rows(wave_line_back, wave, coefficients, 1 << log2_side, count);
    }
}

void lf__wave_function(lf__wave wave, int log2_side, int band, bool detail, double *line) {
    memset(line, 0, sizeof *line << log2_side);
    line[detail ? 1 << band : 0] = 1;
    for (int count = 2 << band; count <= 1 << log2_side; count *= 2)
        wave_line_back(wave, line, count);
}

// ---------------------------------------------------------------------------------------------------
// Bands
// ---------------------------------------------------------------------------------------------------

/// Index of the first coefficient of a kind of details.
static ptrdiff_t wave_band_start(int along, int band, int log2_side) {
    ptrdiff_t half = (ptrdiff_t)1 << band;
    return (lf__wave_detail(along, 0) ? half : 0) + (lf__wave_detail(along, 1) ? half << log2_side : 0);
}

void lf__wave_gather(const double *coefficients, int log2_side, int band, double *gathered) {
    size_t half = (size_t)1 << band;
    for (int along = 0; along < LF__WAVE_ALONG; along++)
        for (size_t l = 0; l < half; l++, gathered += half)
            memcpy(gathered,
                   coefficients + wave_band_start(along, band, log2_side) + (ptrdiff_t)(l << log2_side),
                   half * sizeof *gathered);
}

void lf__wave_scatter(const double *gathered, int log2_side, int band, double *coefficients) {
    size_t half = (size_t)1 << band;
    for (int along = 0; along < LF__WAVE_ALONG; along++)
        for (size_t l = 0; l < half; l++, gathered += half)
            memcpy(coefficients + wave_band_start(along, band, log2_side) + (ptrdiff_t)(l << log2_side),
                   gathered, half * sizeof *gathered);
}

float lf__wave_step(const double *gathered, int count, int bits) {
    double largest = 0;
    for (int k = 0; k < count; k++)
        largest = fmax(largest, fabs(gathered[k]));
    if (largest == 0)
        return 0;
    return nextafterf((float)(largest / (double)(((int64_t)1 << (bits - 1)) - 1)), INFINITY);
}

/// The quantization step of a band.
static float wave_band_step(const double *coefficients, int log2_side, int band, int bits) {
    float largest = 0;
    for (int along = 0; along < LF__WAVE_ALONG; along++)
        for (ptrdiff_t l = 0; l < (ptrdiff_t)1 << band; l++) {
            const double *row = coefficients + wave_band_start(along, band, log2_side) + (l << log2_side);
            float step = lf__wave_step(row, 1 << band, bits);
            largest = step > largest ? step : largest;
        }
    return largest;
}

void lf__wave_quantise(double *coefficients, int log2_side, const int *bits) {
    for (int band = 0; band < log2_side; band++) {
        float step = wave_band_step(coefficients, log2_side, band, bits[band]);
        int32_t most = (int32_t)(((int64_t)1 << (bits[band] - 1)) - 1);
        for (int along = 0; along < LF__WAVE_ALONG; along++)
            for (ptrdiff_t l = 0; l < (ptrdiff_t)1 << band; l++) {
                double *row = coefficients + wave_band_start(along, band, log2_side) + (l << log2_side);
                for (int k = 0; k < 1 << band; k++)
                    row[k] = (double)lf__wave_code(row[k], step, most) * (double)step;
            }
    }
}

// ---------------------------------------------------------------------------------------------------
// Tiles
// ---------------------------------------------------------------------------------------------------

//   byte 0        0: bands; 1: the steps themselves, 4 bytes each, after this byte
//   bytes 1-8     the mean, a double
//   5 bytes each  per band, coarsest first: bits per coefficient, and the quantization step, a float
//   then          per band its coefficients as multiples of the step: details along x, along y, along both,
//                 row by row, packed without gaps
//
// Decoded numbers are rounded to whole numbers. Where bands would exceed the allowed error or take more bytes
// than the steps, the steps are stored.

#define WAVE_BANDS LF__WAVE_LOG2
#define WAVE_HEAD (9 + 5 * WAVE_BANDS)
#define WAVE_AS_BANDS 0
#define WAVE_AS_STEPS 1

/// The quantization step is multiplied by this until the error of the tile is within the slack.
#define WAVE_FINER 0.75
#define WAVE_TRIES 64

static void wave_store_double(uint8_t *at, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    lf__store64(at, bits);
}

static double wave_load_double(const uint8_t *at) {
    uint64_t bits = lf__load64(at);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void wave_store_float(uint8_t *at, float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    lf__store32(at, bits);
}

static float wave_load_float(const uint8_t *at) {
    uint32_t bits = lf__load32(at);
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/// Round a decoded number, clamped to the limit of steps; 0 for NaN.
static int32_t wave_round(double x) {
    if (!(x > -(double)LF__STEP_LIMIT))
        return isnan(x) ? 0 : -LF__STEP_LIMIT;
    return x < (double)LF__STEP_LIMIT ? (int32_t)floor(x + 0.5) : LF__STEP_LIMIT;
}

/// Write coefficients. The quantization step of a band is `common`, or, where that is 0, chosen by its bits.
static size_t wave_write_bands(const double *coefficients, const int *bits, float common, uint8_t *bytes) {
    size_t bit = (size_t)8 * WAVE_HEAD;
    memset(bytes, 0, LF__CODEC_BYTES);
    wave_store_double(bytes + 1, coefficients[0]);
    for (int band = 0; band < WAVE_BANDS; band++) {
        double gathered[3 * LF__WAVE_SIDE * LF__WAVE_SIDE / 4];
        uint32_t codes[3 * LF__WAVE_SIDE * LF__WAVE_SIDE / 4], all = 0;
        int count = 3 << 2 * band;
        lf__wave_gather(coefficients, LF__WAVE_LOG2, band, gathered);
        float step = common > 0 ? common : lf__wave_step(gathered, count, bits[band]);
        int32_t most = common > 0 ? INT32_MAX : (int32_t)(((int64_t)1 << (bits[band] - 1)) - 1);
        for (int k = 0; k < count; k++) {
            codes[k] = lf__zigzag(lf__wave_code(gathered[k], step, most));
            all |= codes[k];
        }
        bytes[9 + 5 * band] = (uint8_t)(common > 0 || all == 0 ? lf__bit_width(all) : bits[band]);
        wave_store_float(bytes + 10 + 5 * band, step);
        bit = lf__bits_write(bytes, bit, bytes[9 + 5 * band], codes, count);
    }
    return (bit + 7) / 8;
}

static size_t wave_write_steps(const int32_t *steps, uint8_t *bytes) {
    bytes[0] = WAVE_AS_STEPS;
    for (int k = 0; k < LF__WAVE_SIDE * LF__WAVE_SIDE; k++)
        lf__store32(bytes + 1 + 4 * k, (uint32_t)steps[k]);
    return 1 + 4 * (size_t)(LF__WAVE_SIDE * LF__WAVE_SIDE);
}

static bool wave_within_slack(const lf__codec_plan *plan, const int32_t *steps, const uint8_t *bytes,
                              size_t size) {
    int32_t decoded[LF__WAVE_SIDE * LF__WAVE_SIDE];
    lf__wave_decode(plan->kind == LF__CODEC_D4, bytes, size, decoded);
    for (int k = 0; k < LF__WAVE_SIDE * LF__WAVE_SIDE; k++)
        if (decoded[k] - steps[k] > plan->slack || steps[k] - decoded[k] > plan->slack)
            return false;
    return true;
}

static void wave_decompose(lf__codec_kind kind, const int32_t *steps, double *numbers) {
    for (int k = 0; k < LF__WAVE_SIDE * LF__WAVE_SIDE; k++)
        numbers[k] = (double)steps[k];
    lf__wave_forward(kind == LF__CODEC_D4 ? LF__WAVE_D4 : LF__WAVE_HAAR, numbers, LF__WAVE_LOG2);
}

double lf__wave_tile_mean(lf__codec_kind kind, const int32_t *steps) {
    double numbers[LF__WAVE_SIDE * LF__WAVE_SIDE];
    wave_decompose(kind, steps, numbers);
    return numbers[0];
}

size_t lf__wave_encode(const lf__codec_plan *plan, const int32_t *steps, uint8_t *bytes) {
    double numbers[LF__WAVE_SIDE * LF__WAVE_SIDE];
    wave_decompose(plan->kind, steps, numbers);
    if (plan->mean_given)
        numbers[0] = plan->mean;
    if (plan->bits[0] > 0)
        return wave_write_bands(numbers, plan->bits, 0, bytes);
    double step = 2.0 * plan->slack + 1;
    for (int try = 0; try < WAVE_TRIES; try++, step *= WAVE_FINER) {
        size_t size = wave_write_bands(numbers, plan->bits, (float)step, bytes);
        if (size >= 1 + 4 * (size_t)(LF__WAVE_SIDE * LF__WAVE_SIDE))
            break;
        if (wave_within_slack(plan, steps, bytes, size))
            return size;
    }
    return wave_write_steps(steps, bytes);
}

/// Length of a tile of bands in bytes; 0 where it exceeds `size`.
static size_t wave_extent(const uint8_t *bytes, size_t size) {
    size_t end = (size_t)8 * WAVE_HEAD;
    if (size < WAVE_HEAD || bytes[0] != WAVE_AS_BANDS)
        return 0;
    for (int band = 0; band < WAVE_BANDS; band++) {
        if (bytes[9 + 5 * band] > 32)
            return 0;
        end += (size_t)bytes[9 + 5 * band] * (3u << 2 * band);
    }
    return (end + 7) / 8 <= size ? (end + 7) / 8 : 0;
}

bool lf__wave_coefficients(const uint8_t *given, size_t size, double *coefficients) {
    uint8_t bytes[LF__CODEC_BYTES + LF__BITS_SPARE];
    size_t bit = (size_t)8 * WAVE_HEAD, extent = wave_extent(given, size);
    if (extent == 0)
        return false;
    memcpy(bytes, given, extent);
    memset(bytes + extent, 0, LF__BITS_SPARE);
    coefficients[0] = wave_load_double(bytes + 1);
    for (int band = 0; band < WAVE_BANDS; band++) {
        double gathered[3 * LF__WAVE_SIDE * LF__WAVE_SIDE / 4];
        uint32_t codes[3 * LF__WAVE_SIDE * LF__WAVE_SIDE / 4];
        int count = 3 << 2 * band;
        double step = (double)wave_load_float(bytes + 10 + 5 * band);
        bit = lf__bits_read(bytes, bit, bytes[9 + 5 * band], codes, count);
        for (int k = 0; k < count; k++)
            gathered[k] = (double)lf__zigzag_back(codes[k]) * step;
        lf__wave_scatter(gathered, LF__WAVE_LOG2, band, coefficients);
    }
    return true;
}

bool lf__wave_decode(bool daubechies, const uint8_t *bytes, size_t size, int32_t *steps) {
    double numbers[LF__WAVE_SIDE * LF__WAVE_SIDE];
    memset(steps, 0, LF__WAVE_SIDE * LF__WAVE_SIDE * sizeof *steps);
    if (size >= 1 + 4 * (size_t)(LF__WAVE_SIDE * LF__WAVE_SIDE) && bytes[0] == WAVE_AS_STEPS) {
        for (int k = 0; k < LF__WAVE_SIDE * LF__WAVE_SIDE; k++)
            steps[k] = (int32_t)lf__load32(bytes + 1 + 4 * k);
        return true;
    }
    if (!lf__wave_coefficients(bytes, size, numbers))
        return false;
    lf__wave_back(daubechies ? LF__WAVE_D4 : LF__WAVE_HAAR, numbers, LF__WAVE_LOG2);
    for (int k = 0; k < LF__WAVE_SIDE * LF__WAVE_SIDE; k++)
        steps[k] = wave_round(numbers[k]);
    return true;
}

// ---------------------------------------------------------------------------------------------------
// Bounds
// ---------------------------------------------------------------------------------------------------

// Bounds of blocks of numbers, computed from wavelet coefficients without decoding.
//
// The numbers of a block are sums of coefficients times basis functions, and each product is at most the
// coefficient times the greatest (or, for a negative coefficient, least) value of the function there.
// Functions are products of one in x and one in y, and functions of a band are shifted copies of one
// prototype, which is reconstructed from an impulse. Its extremes over all blocks of 1, 2, 4 .. are
// tabulated. The extreme of a product is one of the four products of extremes, not always that of the two
// maxima.
//
// The weak bound uses the greatest and least coefficient of each kind and band for all of them. Several
// functions of a band overlap (three along each axis of Daubechies-4), so the table has the greatest sum of
// their positive parts, and of their negative parts.

/// The rounding error of a sum is less than this part of the sum of magnitudes.
#define WAVE_SLACK 1e-12

/// One prototype of a band: of means or of details.
typedef struct wave_prototype {
    double *low, *high;        ///< extremes of blocks of 2^m numbers, from [wave_level_start()] on
    double positive, negative; ///< greatest sums of the positive and of the negative parts of all shifts
} wave_prototype;

struct lf__wave_table {
    lf__wave wave;
    int log2_side;
    wave_prototype of[LF__WAVE_MOST][2]; ///< by band; of means, of details
    double *numbers;
    int64_t number_count;
};

/// Index of the first block of a level in the arrays of a prototype.
static int wave_level_start(int log2_side, int level) {
    int start = 0;
    for (int m = 0; m < level; m++)
        start += 1 << (log2_side - m);
    return start;
}

/// Compute the extremes of all blocks; the first level holds the numbers themselves.
static void wave_join_blocks(wave_prototype *p, int log2_side) {
    for (int m = 1; m <= log2_side; m++) {
        int below = wave_level_start(log2_side, m - 1), here = wave_level_start(log2_side, m);
        for (int k = 0; k < 1 << (log2_side - m); k++) {
            p->low[here + k] = fmin(p->low[below + 2 * k], p->low[below + 2 * k + 1]);
            p->high[here + k] = fmax(p->high[below + 2 * k], p->high[below + 2 * k + 1]);
        }
    }
}

static void wave_tabulate(lf__wave_table *table, int band, bool detail) {
    wave_prototype *p = &table->of[band][detail];
    int side = 1 << table->log2_side, shift = side >> band;
    lf__wave_function(table->wave, table->log2_side, band, detail, p->low);
    memcpy(p->high, p->low, (size_t)side * sizeof *p->low);
    wave_join_blocks(p, table->log2_side);
    p->positive = p->negative = 0;
    for (int i = 0; i < shift; i++) { // sums are periodic with the shift
        double positive = 0, negative = 0;
        for (int k = i; k < side; k += shift) {
            positive += fmax(p->low[k], 0);
            negative += fmax(-p->low[k], 0);
        }
        p->positive = fmax(p->positive, positive);
        p->negative = fmax(p->negative, negative);
    }
}

lf_status lf__wave_table_make(const lf_allocator *allocator, lf__wave wave, int log2_side,
                              lf__wave_table **table) {
    lf__wave_table *fresh = lf__allocate(allocator, sizeof *fresh, _Alignof(lf__wave_table));
    if (!fresh)
        return LF_NO_MEMORY;
    int64_t each = (int64_t)2 << log2_side; // blocks of all levels of one line
    *fresh = (lf__wave_table){.wave = wave, .log2_side = log2_side, .number_count = 4 * log2_side * each};
    lf_status status =
        lf__allocate_array(allocator, fresh->number_count, sizeof(double), (void **)&fresh->numbers);
    if (status != LF_OK) {
        lf__free(allocator, fresh, sizeof *fresh, _Alignof(lf__wave_table));
        return status;
    }
    double *next = fresh->numbers;
    for (int band = 0; band < log2_side; band++)
        for (int detail = 0; detail < 2; detail++, next += 2 * each) {
            fresh->of[band][detail] = (wave_prototype){.low = next, .high = next + each};
            wave_tabulate(fresh, band, detail != 0);
        }
    *table = fresh;
    return LF_OK;
}

void lf__wave_table_free(const lf_allocator *allocator, lf__wave_table *table) {
    if (!table)
        return;
    lf__free_array(allocator, table->numbers, table->number_count, sizeof(double));
    lf__free(allocator, table, sizeof *table, _Alignof(lf__wave_table));
}

// ---------------------------------------------------------------------------------------------------
// Bounds
// ---------------------------------------------------------------------------------------------------

/// The extremes of function k of a band over block b of 2^level numbers.
static lf__wave_range wave_over_block(const lf__wave_table *table, const wave_prototype *p, int band, int k,
                                      int level, int b) {
    int unit = table->log2_side - band, m = level < unit ? level : unit; // functions are 2^unit apart
    int start = wave_level_start(table->log2_side, m), blocks = 1 << (table->log2_side - m);
    int first = (b << (level - m)) - (k << (unit - m));
    lf__wave_range r = {INFINITY, -INFINITY};
    for (int i = 0; i < 1 << (level - m); i++) {
        int at = start + ((first + i) & (blocks - 1));
        r.low = fmin(r.low, p->low[at]);
        r.high = fmax(r.high, p->high[at]);
    }
    return r;
}

/// Add a coefficient times a function with these extremes; `size` is the sum of magnitudes.
static void wave_range_add(lf__wave_range *sum, double *size, double coefficient, lf__wave_range f) {
    sum->low += coefficient * (coefficient > 0 ? f.low : f.high);
    sum->high += coefficient * (coefficient > 0 ? f.high : f.low);
    *size += fabs(coefficient) * fmax(fabs(f.low), fabs(f.high));
}

static bool wave_reaches(lf__wave_range f) {
    return f.low != 0 || f.high != 0;
}

static lf__wave_range wave_mean(const lf__wave_table *table, double mean, double *size) {
    double level = mean * ldexp(1, -table->log2_side); // the basis function of the mean is constant
    *size = fabs(level);
    return (lf__wave_range){level, level};
}

lf__wave_range lf__wave_bounds(const lf__wave_table *table, const double *coefficients, int level, int bx,
                               int by) {
    double size;
    lf__wave_range sum = wave_mean(table, coefficients[0], &size);
    for (int band = 0; band < table->log2_side; band++)
        for (int along = 0; along < LF__WAVE_ALONG; along++) {
            bool in_x = lf__wave_detail(along, 0), in_y = lf__wave_detail(along, 1);
            int half = 1 << band;
            for (int l = 0; l < half; l++) {
                lf__wave_range y = wave_over_block(table, &table->of[band][in_y], band, l, level, by);
                const double *row = coefficients + ((ptrdiff_t)(l + (in_y ? half : 0)) << table->log2_side) +
                                    (in_x ? half : 0);
                for (int k = 0; k < half && wave_reaches(y); k++) {
                    lf__wave_range x = wave_over_block(table, &table->of[band][in_x], band, k, level, bx);
                    if (wave_reaches(x))
                        wave_range_add(&sum, &size, row[k], lf__wave_range_product(x, y));
                }
            }
        }
    return (lf__wave_range){sum.low - WAVE_SLACK * size, sum.high + WAVE_SLACK * size};
}

/// The greatest coefficient of a kind, at least 0, and the least, at most 0.
static lf__wave_range wave_extremes(const lf__wave_table *table, const double *coefficients, int band,
                                    int along) {
    int half = 1 << band;
    lf__wave_range r = {0, 0};
    for (int l = 0; l < half; l++) {
        const double *row = coefficients + wave_band_start(along, band, table->log2_side) +
                            ((ptrdiff_t)l << table->log2_side);
        for (int k = 0; k < half; k++) {
            r.low = row[k] < r.low ? row[k] : r.low;
            r.high = row[k] > r.high ? row[k] : r.high;
        }
    }
    return r;
}

lf__wave_range lf__wave_weak_bounds(const lf__wave_table *table, const double *coefficients) {
    double size;
    lf__wave_range sum = wave_mean(table, coefficients[0], &size);
    for (int band = 0; band < table->log2_side; band++)
        for (int along = 0; along < LF__WAVE_ALONG; along++) {
            const wave_prototype *x = &table->of[band][lf__wave_detail(along, 0)],
                                 *y = &table->of[band][lf__wave_detail(along, 1)];
            // Products are positive where both factors have the same sign.
            double positive = x->positive * y->positive + x->negative * y->negative;
            double negative = x->positive * y->negative + x->negative * y->positive;
            lf__wave_range c = wave_extremes(table, coefficients, band, along);
            sum.high += c.high * positive - c.low * negative;
            sum.low += c.low * positive - c.high * negative;
            size += (c.high - c.low) * (positive + negative);
        }
    return (lf__wave_range){sum.low - WAVE_SLACK * size, sum.high + WAVE_SLACK * size};
}
