/// Kernels that decode tiles; predict.c and maxplus.c have looked at the bytes before, and 16 bytes more than the tile's may be read.
#ifndef LF_PACK_K_TILE_H
#define LF_PACK_K_TILE_H

#include "codec/tile.h"

#if defined(__x86_64__)

/// Bytes behind a tile's that may be read.
#define LF__TILE_SPARE 16

/// Rows of up to 15 bits a number.
typedef struct lf__predict_rows {
    const uint8_t *bytes;
    uint64_t widths; ///< four bits for each row
    uint32_t first;  ///< the first number, or the least
    bool by_least;
} lf__predict_rows;

void lf__predict_rows_avx2(const lf__predict_rows *rows, int32_t *steps);

/// Of these only one or two rows from `row` on.
void lf__predict_two_avx2(const lf__predict_rows *rows, int row, int count, int32_t *steps);

/// The steps 3 .. 7 of max-plus, of up to 14 bits a difference, from the eight maxima after the first three on.
/// bit  where the differences of step 3 begin
void lf__maxplus_steps_avx2(const uint8_t *bytes, const uint8_t *widths, size_t bit, const int32_t *eight,
                            int32_t *steps, int32_t *maxima);

#endif
#endif
