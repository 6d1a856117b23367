/// Wavelets on a square of numbers whose side is a power of two: Haar and Daubechies-4, orthonormal, around the borders.
///
/// The non-standard decomposition: one step along rows, one along columns, then the same on the quarter of means, until one mean is
/// left. Coefficients lie as usual: the mean at (0, 0); band b, of 3 * 4^b coefficients, in columns and rows 2^b .. 2^(b+1) - 1: details
/// along x at (2^b + k, l), along y at (k, 2^b + l), along both at (2^b + k, 2^b + l), for 0 <= k, l < 2^b. The mean goes with band 0.
#ifndef LF_PACK_WAVELET_H
#define LF_PACK_WAVELET_H

#include "base/base.h"

typedef enum lf__wave { LF__WAVE_HAAR, LF__WAVE_D4 } lf__wave;

/// The largest side is 2^this.
#define LF__WAVE_MOST 10

/// The three kinds of details of a band, by whether they are details along x and along y.
#define LF__WAVE_ALONG 3
static inline bool lf__wave_detail(int along, int axis) {
    return along == 2 || along == axis;
}

/// Take numbers apart, in place; 1 <= log2_side <= LF__WAVE_MOST.
void lf__wave_forward(lf__wave wave, double *numbers, int log2_side);

/// Put them together, in place.
void lf__wave_back(lf__wave wave, double *coefficients, int log2_side);

/// A basis function of a band along one axis, of means or of details, the one with number 0: from an impulse. The others are it, moved by
/// multiples of 2^(log2_side - band) around the border.
void lf__wave_function(lf__wave wave, int log2_side, int band, bool detail, double *line);

/// Round the coefficients of every band to so many bits (2 .. 32): multiples of a step between -(2^(bits-1) - 1) and as much. bits[b] is of
/// band b; the mean stays as it is.
void lf__wave_quantise(double *coefficients, int log2_side, const int *bits);

/// The coefficients of a band, one kind behind the other, row by row: 3 * 4^band of them.
void lf__wave_gather(const double *coefficients, int log2_side, int band, double *gathered);
void lf__wave_scatter(const double *gathered, int log2_side, int band, double *coefficients);

/// The step for a band of so many coefficients in so many bits: a float, so that it can be kept; 0 where all are 0.
float lf__wave_step(const double *gathered, int count, int bits);

/// The multiple of a step next to a coefficient, between -most and most.
static inline int32_t lf__wave_code(double coefficient, float step, int32_t most) {
    double code = step > 0 ? coefficient / (double)step : 0;
    code = code < 0 ? -(double)(int64_t)(0.5 - code) : (double)(int64_t)(code + 0.5);
    return code > (double)most ? most : code < -(double)most ? -most : (int32_t)code;
}

// ---------------------------------------------------------------------------------------------------
// Bounds from the coefficients
// ---------------------------------------------------------------------------------------------------

/// What the basis functions of a wavelet are like, tabulated from impulses.
typedef struct lf__wave_table lf__wave_table;

lf_status lf__wave_table_make(const lf_allocator *allocator, lf__wave wave, int log2_side,
                              lf__wave_table **table);
void lf__wave_table_free(const lf_allocator *allocator, lf__wave_table *table);

typedef struct lf__wave_range {
    double low, high;
} lf__wave_range;

/// Bounds of the numbers in block (bx, by) of 2^level x 2^level, from all coefficients whose functions reach there.
lf__wave_range lf__wave_bounds(const lf__wave_table *table, const double *coefficients, int level, int bx,
                               int by);

/// Bounds of all numbers from no more than the mean and the largest and least coefficient of each kind and band.
lf__wave_range lf__wave_weak_bounds(const lf__wave_table *table, const double *coefficients);

#endif
