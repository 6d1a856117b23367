#include "codec/wavelet.h"
#include <math.h>
#include <string.h>

#define MOST (1 << LF__WAVE_MOST)

/// Filters of the means; those of the details are the same backwards with alternating signs.
static const double haar_filter[2] = {0.70710678118654752440, 0.70710678118654752440};
static const double d4_filter[4] = {0.48296291314453414337, 0.83651630373780790558, 0.22414386804201338103,
                                    -0.12940952255126038117};

static const double *filter_of(lf__wave wave, int *taps) {
    *taps = wave == LF__WAVE_D4 ? 4 : 2;
    return wave == LF__WAVE_D4 ? d4_filter : haar_filter;
}

/// One step along a line of `count` numbers: means to its first half, details to its second.
static void line_apart(lf__wave wave, double *line, int count) {
    double made[MOST];
    int taps, half = count / 2;
    const double *h = filter_of(wave, &taps);
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

/// One step back: a pair of numbers is made of the means and details that reach there, of Daubechies-4 this and the one before.
static void line_together(lf__wave wave, double *line, int count) {
    double made[MOST];
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

typedef void step(lf__wave wave, double *line, int count);

static void all_rows(step *one, lf__wave wave, double *numbers, int side, int count) {
    for (int j = 0; j < count; j++)
        one(wave, numbers + (ptrdiff_t)j * side, count);
}

static void all_columns(step *one, lf__wave wave, double *numbers, int side, int count) {
    double line[MOST];
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
        all_rows(line_apart, wave, numbers, 1 << log2_side, count);
        all_columns(line_apart, wave, numbers, 1 << log2_side, count);
    }
}

void lf__wave_back(lf__wave wave, double *coefficients, int log2_side) {
    for (int count = 2; count <= 1 << log2_side; count *= 2) {
        all_columns(line_together, wave, coefficients, 1 << log2_side, count);
        all_rows(line_together, wave, coefficients, 1 << log2_side, count);
    }
}

void lf__wave_function(lf__wave wave, int log2_side, int band, bool detail, double *line) {
    memset(line, 0, sizeof *line << log2_side);
    line[detail ? 1 << band : 0] = 1;
    for (int count = 2 << band; count <= 1 << log2_side; count *= 2)
        line_together(wave, line, count);
}

// ---------------------------------------------------------------------------------------------------
// Bands
// ---------------------------------------------------------------------------------------------------

/// The first coefficient of a kind of details.
static ptrdiff_t start_of(int along, int band, int log2_side) {
    ptrdiff_t half = (ptrdiff_t)1 << band;
    return (lf__wave_detail(along, 0) ? half : 0) + (lf__wave_detail(along, 1) ? half << log2_side : 0);
}

void lf__wave_gather(const double *coefficients, int log2_side, int band, double *gathered) {
    size_t half = (size_t)1 << band;
    for (int along = 0; along < LF__WAVE_ALONG; along++)
        for (size_t l = 0; l < half; l++, gathered += half)
            memcpy(gathered, coefficients + start_of(along, band, log2_side) + (ptrdiff_t)(l << log2_side),
                   half * sizeof *gathered);
}

void lf__wave_scatter(const double *gathered, int log2_side, int band, double *coefficients) {
    size_t half = (size_t)1 << band;
    for (int along = 0; along < LF__WAVE_ALONG; along++)
        for (size_t l = 0; l < half; l++, gathered += half)
            memcpy(coefficients + start_of(along, band, log2_side) + (ptrdiff_t)(l << log2_side), gathered,
                   half * sizeof *gathered);
}

float lf__wave_step(const double *gathered, int count, int bits) {
    double largest = 0;
    for (int k = 0; k < count; k++)
        largest = fmax(largest, fabs(gathered[k]));
    if (largest == 0)
        return 0;
    return nextafterf((float)(largest / (double)(((int64_t)1 << (bits - 1)) - 1)), INFINITY);
}

/// The step of a band as it lies.
static float step_of_band(const double *coefficients, int log2_side, int band, int bits) {
    float largest = 0;
    for (int along = 0; along < LF__WAVE_ALONG; along++)
        for (ptrdiff_t l = 0; l < (ptrdiff_t)1 << band; l++) {
            const double *row = coefficients + start_of(along, band, log2_side) + (l << log2_side);
            float step = lf__wave_step(row, 1 << band, bits);
            largest = step > largest ? step : largest;
        }
    return largest;
}

void lf__wave_quantise(double *coefficients, int log2_side, const int *bits) {
    for (int band = 0; band < log2_side; band++) {
        float step = step_of_band(coefficients, log2_side, band, bits[band]);
        int32_t most = (int32_t)(((int64_t)1 << (bits[band] - 1)) - 1);
        for (int along = 0; along < LF__WAVE_ALONG; along++)
            for (ptrdiff_t l = 0; l < (ptrdiff_t)1 << band; l++) {
                double *row = coefficients + start_of(along, band, log2_side) + (l << log2_side);
                for (int k = 0; k < 1 << band; k++)
                    row[k] = (double)lf__wave_code(row[k], step, most) * (double)step;
            }
    }
}
