/// Bounds of blocks of numbers from wavelet coefficients alone.
///
/// A block's numbers are the sum of coefficients times basis functions, and each product is at most the coefficient times the
/// function's greatest (or, for a negative coefficient, least) value there. Functions are products of one in x and one in y, and
/// functions of a band are shifted copies of one prototype, which an impulse put together gives. Its extremes over all blocks of 1, 2, 4 ..
/// are tabulated. A product's extreme is one of the four products of extremes, not always that of the two maxima.
///
/// The weak bound takes the greatest and least coefficient of each kind and band for all of them. At one place several functions of a
/// band overlap (three along each axis of Daubechies-4), so what is tabulated is how much they are together there at most.
#include "codec/wavelet.h"
#include <math.h>
#include <string.h>

/// Sums are off by rounding less than this share of what was summed up.
#define SLACK 1e-12

/// One prototype of a band: of means or of details.
typedef struct prototype {
    double *low, *high; ///< extremes of blocks of 2^m numbers, from [start_of_level] on
    double positive,
        negative; ///< the most that all shifts' positive parts, and negative ones, are together anywhere
} prototype;

struct lf__wave_table {
    lf__wave wave;
    int log2_side;
    prototype of[LF__WAVE_MOST][2]; ///< by band; of means, of details
    double *numbers;
    int64_t number_count;
};

/// Where the blocks of a level begin in a prototype's arrays.
static int start_of_level(int log2_side, int level) {
    int start = 0;
    for (int m = 0; m < level; m++)
        start += 1 << (log2_side - m);
    return start;
}

/// Extremes of all blocks of a line of numbers, which are in the first level already.
static void join_blocks(prototype *p, int log2_side) {
    for (int m = 1; m <= log2_side; m++) {
        int below = start_of_level(log2_side, m - 1), here = start_of_level(log2_side, m);
        for (int k = 0; k < 1 << (log2_side - m); k++) {
            p->low[here + k] = fmin(p->low[below + 2 * k], p->low[below + 2 * k + 1]);
            p->high[here + k] = fmax(p->high[below + 2 * k], p->high[below + 2 * k + 1]);
        }
    }
}

static void tabulate(lf__wave_table *table, int band, bool detail) {
    prototype *p = &table->of[band][detail];
    int side = 1 << table->log2_side, shift = side >> band;
    lf__wave_function(table->wave, table->log2_side, band, detail, p->low);
    memcpy(p->high, p->low, (size_t)side * sizeof *p->low);
    join_blocks(p, table->log2_side);
    p->positive = p->negative = 0;
    for (int i = 0; i < shift; i++) { // places a shift apart are alike
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
    lf__wave_table *fresh = lf__take(allocator, sizeof *fresh, _Alignof(lf__wave_table));
    if (!fresh)
        return LF_NO_MEMORY;
    int64_t each = (int64_t)2 << log2_side; // blocks of all levels of one line
    *fresh = (lf__wave_table){.wave = wave, .log2_side = log2_side, .number_count = 4 * log2_side * each};
    lf_status status =
        lf__take_array(allocator, fresh->number_count, sizeof(double), (void **)&fresh->numbers);
    if (status != LF_OK) {
        lf__give(allocator, fresh, sizeof *fresh, _Alignof(lf__wave_table));
        return status;
    }
    double *next = fresh->numbers;
    for (int band = 0; band < log2_side; band++)
        for (int detail = 0; detail < 2; detail++, next += 2 * each) {
            fresh->of[band][detail] = (prototype){.low = next, .high = next + each};
            tabulate(fresh, band, detail != 0);
        }
    *table = fresh;
    return LF_OK;
}

void lf__wave_table_free(const lf_allocator *allocator, lf__wave_table *table) {
    if (!table)
        return;
    lf__give_array(allocator, table->numbers, table->number_count, sizeof(double));
    lf__give(allocator, table, sizeof *table, _Alignof(lf__wave_table));
}

// ---------------------------------------------------------------------------------------------------
// Bounds
// ---------------------------------------------------------------------------------------------------

/// The extremes of function k of a band over block b of 2^level numbers.
static lf__wave_range over_block(const lf__wave_table *table, const prototype *p, int band, int k, int level,
                                 int b) {
    int unit = table->log2_side - band, m = level < unit ? level : unit; // functions are 2^unit apart
    int start = start_of_level(table->log2_side, m), blocks = 1 << (table->log2_side - m);
    int first = (b << (level - m)) - (k << (unit - m));
    lf__wave_range r = {INFINITY, -INFINITY};
    for (int i = 0; i < 1 << (level - m); i++) {
        int at = start + ((first + i) & (blocks - 1));
        r.low = fmin(r.low, p->low[at]);
        r.high = fmax(r.high, p->high[at]);
    }
    return r;
}

static lf__wave_range product(lf__wave_range a, lf__wave_range b) {
    double p = a.low * b.low, q = a.low * b.high, r = a.high * b.low, s = a.high * b.high;
    return (lf__wave_range){fmin(fmin(p, q), fmin(r, s)), fmax(fmax(p, q), fmax(r, s))};
}

/// Add a coefficient times a function with these extremes; `size` sums up magnitudes.
static void add(lf__wave_range *sum, double *size, double coefficient, lf__wave_range f) {
    sum->low += coefficient * (coefficient > 0 ? f.low : f.high);
    sum->high += coefficient * (coefficient > 0 ? f.high : f.low);
    *size += fabs(coefficient) * fmax(fabs(f.low), fabs(f.high));
}

static bool reaches(lf__wave_range f) {
    return f.low != 0 || f.high != 0;
}

static lf__wave_range mean_of(const lf__wave_table *table, double mean, double *size) {
    double level = mean * ldexp(1, -table->log2_side); // all functions of means are the same constant here
    *size = fabs(level);
    return (lf__wave_range){level, level};
}

lf__wave_range lf__wave_bounds(const lf__wave_table *table, const double *coefficients, int level, int bx,
                               int by) {
    double size;
    lf__wave_range sum = mean_of(table, coefficients[0], &size);
    for (int band = 0; band < table->log2_side; band++)
        for (int along = 0; along < LF__WAVE_ALONG; along++) {
            bool in_x = lf__wave_detail(along, 0), in_y = lf__wave_detail(along, 1);
            int half = 1 << band;
            for (int l = 0; l < half; l++) {
                lf__wave_range y = over_block(table, &table->of[band][in_y], band, l, level, by);
                const double *row = coefficients + ((ptrdiff_t)(l + (in_y ? half : 0)) << table->log2_side) +
                                    (in_x ? half : 0);
                for (int k = 0; k < half && reaches(y); k++) {
                    lf__wave_range x = over_block(table, &table->of[band][in_x], band, k, level, bx);
                    if (reaches(x))
                        add(&sum, &size, row[k], product(x, y));
                }
            }
        }
    return (lf__wave_range){sum.low - SLACK * size, sum.high + SLACK * size};
}

/// The greatest coefficient of a kind, 0 at least, and the least, 0 at most.
static lf__wave_range extremes_of(const lf__wave_table *table, const double *coefficients, int band,
                                  int along) {
    int half = 1 << band;
    lf__wave_range r = {0, 0};
    for (int l = 0; l < half; l++)
        for (int k = 0; k < half; k++) {
            int i = k + (lf__wave_detail(along, 0) ? half : 0),
                j = l + (lf__wave_detail(along, 1) ? half : 0);
            double c = coefficients[((ptrdiff_t)j << table->log2_side) + i];
            r.low = fmin(r.low, c);
            r.high = fmax(r.high, c);
        }
    return r;
}

lf__wave_range lf__wave_weak_bounds(const lf__wave_table *table, const double *coefficients) {
    double size;
    lf__wave_range sum = mean_of(table, coefficients[0], &size);
    for (int band = 0; band < table->log2_side; band++)
        for (int along = 0; along < LF__WAVE_ALONG; along++) {
            const prototype *x = &table->of[band][lf__wave_detail(along, 0)],
                            *y = &table->of[band][lf__wave_detail(along, 1)];
            // Products are positive where both are, or neither is.
            double positive = x->positive * y->positive + x->negative * y->negative;
            double negative = x->positive * y->negative + x->negative * y->positive;
            lf__wave_range c = extremes_of(table, coefficients, band, along);
            sum.high += c.high * positive - c.low * negative;
            sum.low += c.low * positive - c.high * negative;
            size += (c.high - c.low) * (positive + negative);
        }
    return (lf__wave_range){sum.low - SLACK * size, sum.high + SLACK * size};
}
