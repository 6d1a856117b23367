/// Square tiles of whole numbers, compressed: bit packing, four tile codecs, wavelets and their bounds.
///
/// Bit packing: numbers of a few bits each are stored one after another, least significant bit first, in
/// bytes of ascending address.
#ifndef LF_CODEC_CODEC_H
#define LF_CODEC_CODEC_H

#include "base/base.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// Bytes after the last one that readers and writers may access.
#define LF__BITS_SPARE 8

/// Signed numbers as unsigned ones, in the order 0, -1, 1, -2, 2 ..
static inline uint32_t lf__zigzag(int32_t x) {
    return ((uint32_t)x << 1) ^ (x < 0 ? UINT32_MAX : 0);
}

static inline int32_t lf__zigzag_back(uint32_t x) {
    return (int32_t)((x >> 1) ^ (0u - (x & 1)));
}

/// Number of bits of a number, 0 for 0.
static inline int lf__bit_width(uint32_t x) {
    return x == 0 ? 0 : 32 - __builtin_clz(x);
}

static inline uint64_t lf__load64(const uint8_t *at) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static inline void lf__store64(uint8_t *at, uint64_t word) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    memcpy(at, &word, sizeof word);
}

static inline void lf__store32(uint8_t *at, uint32_t number) {
    for (int k = 0; k < 4; k++)
        at[k] = (uint8_t)(number >> 8 * k);
}

static inline uint32_t lf__load32(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/// Write `count` numbers of `width` bits (0 .. 32) from bit `bit` on; the bits from there on must be 0.
/// Returns the next free bit.
static inline size_t lf__bits_write(uint8_t *bytes, size_t bit, int width, const uint32_t *numbers,
                                    int count) {
    for (int k = 0; k < count; k++, bit += (size_t)width) {
        uint8_t *at = bytes + (bit >> 3);
        lf__store64(at, lf__load64(at) | (uint64_t)numbers[k] << (bit & 7));
    }
    return bit;
}

/// Read `count` numbers that lf__bits_write has written. Returns the bit after the last.
static inline size_t lf__bits_read(const uint8_t *bytes, size_t bit, int width, uint32_t *numbers,
                                   int count) {
    uint64_t mask = ((uint64_t)1 << width) - 1;
    for (int k = 0; k < count; k++, bit += (size_t)width)
        numbers[k] = (uint32_t)(lf__load64(bytes + (bit >> 3)) >> (bit & 7) & mask);
    return bit;
}

// ---------------------------------------------------------------------------------------------------
// Tiles
// ---------------------------------------------------------------------------------------------------

// A tile holds "steps": heights counted in some unit, less than 2^30 in size, row by row, `side` numbers
// each. There are four codecs behind one interface. All of them decode arbitrary bytes without reading beyond
// them: bytes that no encoder wrote give false, or meaningless numbers. Writers pad tiles at the border of a
// raster with the numbers of the last column and row, which cost almost no bytes.

#define LF__STEP_LIMIT (((int32_t)1 << 30) - 1)

/// Side of tiles of prediction and of max-plus.
#define LF__CODEC_LOG2 4
#define LF__CODEC_SIDE (1 << LF__CODEC_LOG2)

/// Side of wavelet tiles: larger, because wavelets compress poorly next to a tile's border.
#define LF__WAVE_LOG2 5
#define LF__WAVE_SIDE (1 << LF__WAVE_LOG2)

/// Number of samples of the largest tile.
#define LF__CODEC_MOST (LF__WAVE_SIDE * LF__WAVE_SIDE)

/// Upper bound of the bytes of a tile, and of the bytes that encoders write.
#define LF__CODEC_BYTES (4 * LF__CODEC_MOST + 256)

/// Number of maxima of a max-plus tile: of its blocks of 2 x 2 steps, row by row, then of 4 x 4, of 8 x 8,
/// and of the tile.
#define LF__CODEC_MAXIMA (64 + 16 + 4 + 1)

typedef enum lf__codec_kind {
    LF__CODEC_PREDICT,
    LF__CODEC_MAXPLUS,
    LF__CODEC_HAAR,
    LF__CODEC_D4,
    LF__CODEC_KINDS
} lf__codec_kind;

/// How tiles are written. Readers only need the kind.
typedef struct lf__codec_plan {
    lf__codec_kind kind;
    /// Wavelets: bits of the coefficients of each band, coarsest first; all 0: as many as `slack` requires.
    int bits[LF__WAVE_LOG2];
    int32_t slack; ///< wavelets: largest error of a decoded number, in steps
    /// Wavelets with `bits`: the mean of the tile as it is stored, where coarser bands have rounded it.
    bool mean_given;
    double mean;
} lf__codec_plan;

static inline int lf__codec_log2(lf__codec_kind kind) {
    return kind == LF__CODEC_HAAR || kind == LF__CODEC_D4 ? LF__WAVE_LOG2 : LF__CODEC_LOG2;
}

/// Write a tile; returns the number of bytes. `bytes` has space for LF__CODEC_BYTES.
size_t lf__codec_encode(const lf__codec_plan *plan, const int32_t *steps, uint8_t *bytes);

/// Read the tile that begins at `bytes`; `size` bytes may be read, and the tile's own header gives its
/// length.
/// maxima  NULL, or space for LF__CODEC_MAXIMA numbers, which max-plus tiles write
/// Returns false where no encoder can have written these bytes; the steps are then all 0.
bool lf__codec_decode(lf__codec_kind kind, const uint8_t *bytes, size_t size, int32_t *steps,
                      int32_t *maxima);

/// lf__codec_decode for an instruction set: the same numbers and return value for any bytes.
typedef bool lf__codec_decoder(lf__codec_kind kind, const uint8_t *bytes, size_t size, int32_t *steps,
                               int32_t *maxima);
lf__codec_decoder *lf__codec_decoder_for(lf_isa isa);

/// Decode one or two rows of a tile, from `row` on. Predicted tiles are decoded up to these rows, others
/// completely.
typedef void lf__codec_two(lf__codec_kind kind, const uint8_t *bytes, size_t size, int row, int count,
                           int32_t *steps);
lf__codec_two *lf__codec_two_for(lf_isa isa);

// The codecs themselves.
size_t lf__predict_encode(const int32_t *steps, uint8_t *bytes);
bool lf__predict_decode(const uint8_t *bytes, size_t size, int32_t *steps);
size_t lf__maxplus_encode(const int32_t *steps, uint8_t *bytes);
bool lf__maxplus_decode(const uint8_t *bytes, size_t size, int32_t *steps, int32_t *maxima);
bool lf__predict_decode_avx2(const uint8_t *bytes, size_t size, int32_t *steps);
bool lf__maxplus_decode_avx2(const uint8_t *bytes, size_t size, int32_t *steps, int32_t *maxima);
size_t lf__wave_encode(const lf__codec_plan *plan, const int32_t *steps, uint8_t *bytes);
/// The mean of a tile, as coefficient (0, 0).
double lf__wave_tile_mean(lf__codec_kind kind, const int32_t *steps);
/// The LF__CODEC_MOST coefficients of a tile; false where it is invalid or stores steps.
bool lf__wave_coefficients(const uint8_t *bytes, size_t size, double *coefficients);
bool lf__wave_decode(bool daubechies, const uint8_t *bytes, size_t size, int32_t *steps);

// ---------------------------------------------------------------------------------------------------
// Kernels
// ---------------------------------------------------------------------------------------------------

// AVX2 decoders of tiles. Their callers have validated the tile, and LF__CODEC_SPARE bytes after it may be
// read.

#if LF__SIMD

/// Bytes after a tile that kernels may read.
#define LF__CODEC_SPARE 16

/// The rows of a predicted tile of up to 15 bits a number.
typedef struct lf__predict_rows {
    const uint8_t *bytes;
    uint64_t widths; ///< four bits for each row
    uint32_t first;  ///< the first number, or the least
    bool by_least;
} lf__predict_rows;

void lf__predict_rows_avx2(const lf__predict_rows *rows, int32_t *steps);

/// Decode one or two of the rows, from `row` on.
void lf__predict_two_avx2(const lf__predict_rows *rows, int row, int count, int32_t *steps);

/// The inverse steps 3 .. 7 of max-plus, for differences of up to 14 bits.
/// bit    where the differences of step 3 begin
/// eight  the maxima that the inverse steps 0 .. 2 have produced
void lf__maxplus_steps_avx2(const uint8_t *bytes, const uint8_t *widths, size_t bit, const int32_t *eight,
                            int32_t *steps, int32_t *maxima);

#endif

// ---------------------------------------------------------------------------------------------------
// Wavelets
// ---------------------------------------------------------------------------------------------------

// Haar and Daubechies-4 wavelets on a square of numbers whose side is a power of two: orthonormal, and
// periodic at the borders. The decomposition is the non-standard one: one step along rows, one along columns,
// then the same on the quarter of means, until one mean is left. Coefficients have the usual layout: the mean
// at (0, 0); band b, of 3 * 4^b coefficients, in columns and rows 2^b .. 2^(b+1) - 1: details along x at (2^b
// + k, l), along y at (k, 2^b + l), along both at (2^b + k, 2^b + l), for 0 <= k, l < 2^b. The mean belongs
// to band 0.

typedef enum lf__wave { LF__WAVE_HAAR, LF__WAVE_D4 } lf__wave;

/// log2 of the largest side.
#define LF__WAVE_MOST 10

/// The three kinds of details of a band: along x, along y, along both.
#define LF__WAVE_ALONG 3
static inline bool lf__wave_detail(int along, int axis) {
    return along == 2 || along == axis;
}

/// Decompose numbers in place; 1 <= log2_side <= LF__WAVE_MOST.
void lf__wave_forward(lf__wave wave, double *numbers, int log2_side);

/// Reconstruct numbers in place.
void lf__wave_back(lf__wave wave, double *coefficients, int log2_side);

/// Basis function 0 of a band along one axis, of means or of details, reconstructed from an impulse. The
/// others are the same function, shifted periodically by multiples of 2^(log2_side - band).
void lf__wave_function(lf__wave wave, int log2_side, int band, bool detail, double *line);

/// Round the coefficients of band b to bits[b] bits (2 .. 32): multiples of a step by -(2^(bits-1) - 1) ..
/// 2^(bits-1) - 1. The mean is not changed.
void lf__wave_quantise(double *coefficients, int log2_side, const int *bits);

/// Copy the 3 * 4^band coefficients of a band to or from an array, kind by kind, row by row.
void lf__wave_gather(const double *coefficients, int log2_side, int band, double *gathered);
void lf__wave_scatter(const double *gathered, int log2_side, int band, double *coefficients);

/// The quantization step of `count` coefficients in `bits` bits; a float, as it is stored. 0 where all
/// coefficients are 0.
float lf__wave_step(const double *gathered, int count, int bits);

/// The nearest multiple of a step to a coefficient, clamped to -most .. most.
static inline int32_t lf__wave_code(double coefficient, float step, int32_t most) {
    double code = step > 0 ? coefficient / (double)step : 0;
    code = code < 0 ? -(double)(int64_t)(0.5 - code) : (double)(int64_t)(code + 0.5);
    return code > (double)most ? most : code < -(double)most ? -most : (int32_t)code;
}

// ---------------------------------------------------------------------------------------------------
// Bounds from the coefficients
// ---------------------------------------------------------------------------------------------------

/// Extremes of the basis functions of a wavelet, tabulated from impulses.
typedef struct lf__wave_table lf__wave_table;

lf_status lf__wave_table_make(const lf_allocator *allocator, lf__wave wave, int log2_side,
                              lf__wave_table **table);
void lf__wave_table_free(const lf_allocator *allocator, lf__wave_table *table);

typedef struct lf__wave_range {
    double low, high;
} lf__wave_range;

/// The extremes of a product are two of the four products of extremes, not always those of the minima and the maxima.
static inline lf__wave_range lf__wave_range_product(lf__wave_range a, lf__wave_range b) {
    double p = a.low * b.low, q = a.low * b.high, r = a.high * b.low, s = a.high * b.high;
    double least = p < q ? p : q, most = p < q ? q : p, low = r < s ? r : s, high = r < s ? s : r;
    return (lf__wave_range){least < low ? least : low, most > high ? most : high};
}

/// Bounds of the numbers in block (bx, by) of 2^level x 2^level, from all coefficients whose basis functions
/// are not 0 there.
lf__wave_range lf__wave_bounds(const lf__wave_table *table, const double *coefficients, int level, int bx,
                               int by);

/// Bounds of all numbers from the mean and the greatest and least coefficient of each kind and band.
lf__wave_range lf__wave_weak_bounds(const lf__wave_table *table, const double *coefficients);

// Tops of the blocks of a tile, for queries. A block has 8 x 8 numbers and, except for the last ones, those
// of the next column and row, because cells between blocks reach there.

#define LF__WAVE_BLOCK_LOG2 3
#define LF__WAVE_BLOCK (1 << LF__WAVE_BLOCK_LOG2)
#define LF__WAVE_BLOCK_COLUMNS (LF__WAVE_SIDE / LF__WAVE_BLOCK)
#define LF__WAVE_BLOCKS (LF__WAVE_BLOCK_COLUMNS * LF__WAVE_BLOCK_COLUMNS)

typedef struct lf__wave_tops lf__wave_tops;

/// Tabulate the extremes of the functions of a tile over its blocks. Errors: LF_NO_MEMORY.
lf_status lf__wave_tops_make(const lf_allocator *allocator, lf__wave wave, lf__wave_tops **tops);
void lf__wave_tops_free(const lf_allocator *allocator, lf__wave_tops *tops);

/// Prepare the LF__CODEC_MOST coefficients of a tile for lf__wave_top: as many floats.
void lf__wave_tops_load(const lf__wave_tops *tops, const double *coefficients, float *loaded);

/// Upper bound of the decoded steps of a block, numbered row by row.
int32_t lf__wave_top(const lf__wave_tops *tops, const float *loaded, int block);

#endif
