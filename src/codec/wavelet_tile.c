/// Wavelets on tiles.
///
///   byte 0        0: bands; 1: the steps themselves, 4 bytes each, behind this byte
///   bytes 1-8     the mean, a double
///   5 bytes each  per band, coarsest first: bits per coefficient, and the step, a float
///   then          per band its coefficients as multiples of the step: details along x, along y, along both, row by row,
///                 bits on bits
/// What comes back is rounded to whole numbers. A tile that so few bits cannot keep as well as asked for is kept as it is.
#include "codec/bits.h"
#include "codec/tile.h"
#include "codec/wavelet.h"
#include <math.h>

#define SIDE LF__WAVE_SIDE
#define BANDS LF__WAVE_LOG2
#define HEAD (9 + 5 * BANDS)
#define AS_BANDS 0
#define AS_STEPS 1

/// Steps are made finer until a tile is kept well enough; each time by this.
#define FINER 0.75
#define TRIES 64

static void store_double(uint8_t *at, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    lf__store64(at, bits);
}

static double load_double(const uint8_t *at) {
    uint64_t bits = lf__load64(at);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void store_float(uint8_t *at, float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    lf__store32(at, bits);
}

static float load_float(const uint8_t *at) {
    uint32_t bits = lf__load32(at);
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/// The whole number next to a decoded one; whatever the bytes were, it is one.
static int32_t whole(double x) {
    if (!(x > -(double)LF__STEP_LIMIT))
        return isnan(x) ? 0 : -LF__STEP_LIMIT;
    return x < (double)LF__STEP_LIMIT ? (int32_t)floor(x + 0.5) : LF__STEP_LIMIT;
}

/// Write coefficients; a band's step is `common`, or where that is 0 chosen for its bits.
static size_t write_bands(const double *coefficients, const int *bits, float common, uint8_t *bytes) {
    size_t bit = (size_t)8 * HEAD;
    memset(bytes, 0, LF__TILE_BYTES);
    store_double(bytes + 1, coefficients[0]);
    for (int band = 0; band < BANDS; band++) {
        double gathered[3 * SIDE * SIDE / 4];
        uint32_t codes[3 * SIDE * SIDE / 4], all = 0;
        int count = 3 << 2 * band;
        lf__wave_gather(coefficients, LF__WAVE_LOG2, band, gathered);
        float step = common > 0 ? common : lf__wave_step(gathered, count, bits[band]);
        int32_t most = common > 0 ? INT32_MAX : (int32_t)(((int64_t)1 << (bits[band] - 1)) - 1);
        for (int k = 0; k < count; k++) {
            codes[k] = lf__zigzag(lf__wave_code(gathered[k], step, most));
            all |= codes[k];
        }
        bytes[9 + 5 * band] = (uint8_t)(common > 0 || all == 0 ? lf__bit_width(all) : bits[band]);
        store_float(bytes + 10 + 5 * band, step);
        bit = lf__bits_write(bytes, bit, bytes[9 + 5 * band], codes, count);
    }
    return (bit + 7) / 8;
}

static size_t write_steps(const int32_t *steps, uint8_t *bytes) {
    bytes[0] = AS_STEPS;
    for (int k = 0; k < SIDE * SIDE; k++)
        lf__store32(bytes + 1 + 4 * k, (uint32_t)steps[k]);
    return 1 + 4 * (size_t)(SIDE * SIDE);
}

static bool kept_well(const lf__tile_plan *plan, const int32_t *steps, const uint8_t *bytes, size_t size) {
    int32_t decoded[SIDE * SIDE];
    lf__wave_decode(plan->kind == LF__TILE_D4, bytes, size, decoded);
    for (int k = 0; k < SIDE * SIDE; k++)
        if (decoded[k] - steps[k] > plan->slack || steps[k] - decoded[k] > plan->slack)
            return false;
    return true;
}

size_t lf__wave_encode(const lf__tile_plan *plan, const int32_t *steps, uint8_t *bytes) {
    double numbers[SIDE * SIDE];
    for (int k = 0; k < SIDE * SIDE; k++)
        numbers[k] = (double)steps[k];
    lf__wave_forward(plan->kind == LF__TILE_D4 ? LF__WAVE_D4 : LF__WAVE_HAAR, numbers, LF__WAVE_LOG2);
    if (plan->bits[0] > 0)
        return write_bands(numbers, plan->bits, 0, bytes);
    double step = 2.0 * plan->slack + 1;
    for (int try = 0; try < TRIES; try++, step *= FINER) {
        size_t size = write_bands(numbers, plan->bits, (float)step, bytes);
        if (size >= 1 + 4 * (size_t)(SIDE * SIDE))
            break;
        if (kept_well(plan, steps, bytes, size))
            return size;
    }
    return write_steps(steps, bytes);
}

/// Bytes from the first to the last of a tile of bands; 0 where that is more than there are.
static size_t extent_of(const uint8_t *bytes, size_t size) {
    size_t end = (size_t)8 * HEAD;
    if (size < HEAD || bytes[0] != AS_BANDS)
        return 0;
    for (int band = 0; band < BANDS; band++) {
        if (bytes[9 + 5 * band] > 32)
            return 0;
        end += (size_t)bytes[9 + 5 * band] * (3u << 2 * band);
    }
    return (end + 7) / 8 <= size ? (end + 7) / 8 : 0;
}

bool lf__wave_coefficients(const uint8_t *given, size_t size, double *coefficients) {
    uint8_t bytes[LF__TILE_BYTES + LF__BITS_SPARE];
    size_t bit = (size_t)8 * HEAD, extent = extent_of(given, size);
    if (extent == 0)
        return false;
    memcpy(bytes, given, extent);
    memset(bytes + extent, 0, LF__BITS_SPARE);
    coefficients[0] = load_double(bytes + 1);
    for (int band = 0; band < BANDS; band++) {
        double gathered[3 * SIDE * SIDE / 4];
        uint32_t codes[3 * SIDE * SIDE / 4];
        int count = 3 << 2 * band;
        double step = (double)load_float(bytes + 10 + 5 * band);
        bit = lf__bits_read(bytes, bit, bytes[9 + 5 * band], codes, count);
        for (int k = 0; k < count; k++)
            gathered[k] = (double)lf__zigzag_back(codes[k]) * step;
        lf__wave_scatter(gathered, LF__WAVE_LOG2, band, coefficients);
    }
    return true;
}

bool lf__wave_decode(bool daubechies, const uint8_t *bytes, size_t size, int32_t *steps) {
    double numbers[SIDE * SIDE];
    memset(steps, 0, SIDE * SIDE * sizeof *steps);
    if (size >= 1 + 4 * (size_t)(SIDE * SIDE) && bytes[0] == AS_STEPS) {
        for (int k = 0; k < SIDE * SIDE; k++)
            steps[k] = (int32_t)lf__load32(bytes + 1 + 4 * k);
        return true;
    }
    if (!lf__wave_coefficients(bytes, size, numbers))
        return false;
    lf__wave_back(daubechies ? LF__WAVE_D4 : LF__WAVE_HAAR, numbers, LF__WAVE_LOG2);
    for (int k = 0; k < SIDE * SIDE; k++)
        steps[k] = whole(numbers[k]);
    return true;
}
