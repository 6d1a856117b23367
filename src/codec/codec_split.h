/// The same decomposition of a raster of any size, by a sequence of splits.
///
/// A rectangle is split in two along its longer side (a square into a lower and an upper half; an odd side gives the first half one
/// more), and its halves likewise, down to single numbers. Kept are the maximum of all, then the differences of first half's maximum
/// and second half's: the rectangle's, then all of its first half, then all of its second. Of a square with a power of two for a side
/// that is the decomposition of maxplus.c in another order.
#ifndef LF_PACK_SPLIT_H
#define LF_PACK_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

/// Columns first .. last and rows likewise, both included.
typedef struct lf__region {
    int64_t first[2], last[2];
} lf__region;

/// How a rectangle of more than one number is split: false along rows' direction (left and right halves), true lower and upper.
bool lf__split(const lf__region *whole, lf__region halves[2]);

/// Take columns x rows numbers apart (each side at least 1, numbers below 2^30); coefficients has as many.
void lf__split_apart(const int32_t *numbers, int64_t columns, int64_t rows, int32_t *coefficients);

/// Put them together again.
void lf__split_together(const int32_t *coefficients, int64_t columns, int64_t rows, int32_t *numbers);

/// The maximum of a rectangle that lies within, straight from the coefficients. `looked` counts those that were read.
int32_t lf__split_maximum(const int32_t *coefficients, int64_t columns, int64_t rows,
                          const lf__region *wanted, int64_t *looked);

#endif
