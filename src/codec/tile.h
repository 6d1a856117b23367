/// Square tiles of whole numbers, made small. What is kept are "steps": heights counted in some unit, less than 2^30 in size.
///
/// Four ways to keep a tile, behind one face. All of them decode any bytes whatever without reading beyond them: bytes that no
/// encoder wrote give false, or numbers that mean nothing.
///
/// Rows of a tile lie one behind the other, `side` numbers each. Tiles at the border of a raster are filled up by their writer with the
/// numbers of the last column and row, which cost next to nothing.
#ifndef LF_PACK_TILE_H
#define LF_PACK_TILE_H

#include "base/base.h"

#define LF__STEP_LIMIT (((int32_t)1 << 30) - 1)

/// Tiles of prediction and of max-plus.
#define LF__TILE_LOG2 4
#define LF__TILE_SIDE (1 << LF__TILE_LOG2)

/// Tiles of wavelets: larger, because a wavelet that ends at a tile's border is a poor one.
#define LF__WAVE_LOG2 5
#define LF__WAVE_SIDE (1 << LF__WAVE_LOG2)

/// The most samples of any tile.
#define LF__TILE_MOST (LF__WAVE_SIDE * LF__WAVE_SIDE)

/// No tile takes more bytes, and encoders may touch no more.
#define LF__TILE_BYTES (4 * LF__TILE_MOST + 256)

/// Maxima of a max-plus tile: of its blocks of 2 x 2 steps, row by row, then of 4 x 4, of 8 x 8, and of all.
#define LF__TILE_MAXIMA (64 + 16 + 4 + 1)

typedef enum lf__tile_kind {
    LF__TILE_PREDICT,
    LF__TILE_MAXPLUS,
    LF__TILE_HAAR,
    LF__TILE_D4,
    LF__TILE_KINDS
} lf__tile_kind;

/// How tiles are written. Readers only need the kind.
typedef struct lf__tile_plan {
    lf__tile_kind kind;
    int bits
        [LF__WAVE_LOG2]; ///< of wavelets: bits of the coefficients of each band, coarsest first; all 0: as many as `slack` takes
    int32_t slack; ///< of wavelets: how many steps a decoded number may be off
} lf__tile_plan;

static inline int lf__tile_log2(lf__tile_kind kind) {
    return kind == LF__TILE_HAAR || kind == LF__TILE_D4 ? LF__WAVE_LOG2 : LF__TILE_LOG2;
}

/// Write a tile; returns its bytes. `bytes` has room for LF__TILE_BYTES.
size_t lf__tile_encode(const lf__tile_plan *plan, const int32_t *steps, uint8_t *bytes);

/// Read the tile that begins with `bytes`, of which there are `size`: a tile says itself where it ends. maxima is NULL, or of max-plus tiles takes LF__TILE_MAXIMA numbers. false: no encoder wrote these bytes; the steps
/// are then all 0.
bool lf__tile_decode(lf__tile_kind kind, const uint8_t *bytes, size_t size, int32_t *steps, int32_t *maxima);

/// The same with kernels, where an instruction set has some: whatever the bytes, the same numbers and the same answer.
typedef bool lf__tile_decoder(lf__tile_kind kind, const uint8_t *bytes, size_t size, int32_t *steps,
                              int32_t *maxima);
lf__tile_decoder *lf__tile_decoder_for(lf_isa isa);

/// One or two rows of a tile, from `row` on: rows of a tile of prediction without those behind them, of others from all of it.
typedef void lf__tile_two(lf__tile_kind kind, const uint8_t *bytes, size_t size, int row, int count,
                          int32_t *steps);
lf__tile_two *lf__tile_two_for(lf_isa isa);

// The four of them.
size_t lf__predict_encode(const int32_t *steps, uint8_t *bytes);
bool lf__predict_decode(const uint8_t *bytes, size_t size, int32_t *steps);
size_t lf__maxplus_encode(const int32_t *steps, uint8_t *bytes);
bool lf__maxplus_decode(const uint8_t *bytes, size_t size, int32_t *steps, int32_t *maxima);
bool lf__predict_decode_avx2(const uint8_t *bytes, size_t size, int32_t *steps);
bool lf__maxplus_decode_avx2(const uint8_t *bytes, size_t size, int32_t *steps, int32_t *maxima);
size_t lf__wave_encode(const lf__tile_plan *plan, const int32_t *steps, uint8_t *bytes);
/// The coefficients of a tile, LF__TILE_MOST of them; false where it holds none.
bool lf__wave_coefficients(const uint8_t *bytes, size_t size, double *coefficients);
bool lf__wave_decode(bool daubechies, const uint8_t *bytes, size_t size, int32_t *steps);

#endif
