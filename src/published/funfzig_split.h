/// The published max-plus decomposition of a raster of any size (Fünfzig and others, 2009), by a sequence of splits. A rectangle is split in two
/// along its longer side (a square into a lower and an upper half; of an odd side the first half gets one
/// more), and its halves likewise, down to single numbers. Stored are the maximum of the raster, then for each
/// rectangle the difference between the maxima of its first and second half: first that of the rectangle, then
/// all of its first half, then all of its second. For a square whose side is a power of two these are the
/// coefficients of a max-plus tile in another order.
#ifndef LF_PUBLISHED_FUNFZIG_SPLIT_H
#define LF_PUBLISHED_FUNFZIG_SPLIT_H

#include "base/base.h"

/// Columns first .. last and rows likewise, both included.
typedef struct lf__region {
    int64_t first[2], last[2];
} lf__region;

/// Split a rectangle of more than one number. Returns false for left and right halves, true for lower and
/// upper ones.
bool lf__split(const lf__region *whole, lf__region halves[2]);

/// Decompose columns x rows numbers (each side at least 1, numbers below 2^30) into as many coefficients.
void lf__split_apart(const int32_t *numbers, int64_t columns, int64_t rows, int32_t *coefficients);

/// The inverse of lf__split_apart.
void lf__split_together(const int32_t *coefficients, int64_t columns, int64_t rows, int32_t *numbers);

/// The maximum of a rectangle within the raster, computed from the coefficients. `reads` counts the
/// coefficients read.
int32_t lf__split_maximum(const int32_t *coefficients, int64_t columns, int64_t rows,
                          const lf__region *region, int64_t *reads);

#endif
