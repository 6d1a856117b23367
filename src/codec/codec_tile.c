/// The prediction codec, and the interface to all tile codecs.
///
/// Each number is predicted from its neighbours, and the residuals are packed row by row, in the bits that
/// the largest of the row needs.
///
///   byte 0      0: all numbers are equal; 1: predicted by left + below - corner;
///               2: by the least number of the tile; 3: as 1 with wide rows; 4: as 2 with wide rows
///   bytes 1-4   the first number, or the least
///   then        the bits per number of each row: 4 bits each, or a byte each where rows are wide
///   then        the rows, packed without gaps
///
/// In the first row a number is predicted by its left neighbour, in the first column by the one below.
/// Arithmetic is modulo 2^32.
#include "codec/codec.h"

#define PREDICT_HEAD 5
#define PREDICT_FLAT 0
#define PREDICT_LORENZO 1
#define PREDICT_LEAST 2
#define PREDICT_WIDE 2 ///< added to the first byte where rows are wide

typedef struct predict_residuals {
    uint32_t numbers[LF__CODEC_SIDE * LF__CODEC_SIDE];
    int widths[LF__CODEC_SIDE];
    int bits, widest;
} predict_residuals;

static void predict_measure(predict_residuals *r) {
    r->bits = r->widest = 0;
    for (int j = 0; j < LF__CODEC_SIDE; j++) {
        uint32_t all = 0;
        for (int i = 0; i < LF__CODEC_SIDE; i++)
            all |= r->numbers[j * LF__CODEC_SIDE + i];
        r->widths[j] = lf__bit_width(all);
        r->bits += LF__CODEC_SIDE * r->widths[j];
        r->widest = r->widths[j] > r->widest ? r->widths[j] : r->widest;
    }
    r->bits += LF__CODEC_SIDE * (r->widest > 15 ? 8 : 4);
}

static void predict_lorenzo(const int32_t *steps, predict_residuals *r) {
    for (int j = 0; j < LF__CODEC_SIDE; j++)
        for (int i = 0; i < LF__CODEC_SIDE; i++) {
            const int32_t *at = steps + j * LF__CODEC_SIDE + i;
            uint32_t left = i > 0 ? (uint32_t)at[-1] : 0, below = j > 0 ? (uint32_t)at[-LF__CODEC_SIDE] : 0;
            uint32_t corner = i > 0 && j > 0 ? (uint32_t)at[-LF__CODEC_SIDE - 1] : 0;
            uint32_t predicted = i == 0 && j == 0 ? (uint32_t)at[0] : left + below - corner;
            r->numbers[j * LF__CODEC_SIDE + i] = lf__zigzag((int32_t)((uint32_t)at[0] - predicted));
        }
    predict_measure(r);
}

static int32_t predict_over_least(const int32_t *steps, predict_residuals *r) {
    int32_t least = steps[0];
    for (int k = 1; k < LF__CODEC_SIDE * LF__CODEC_SIDE; k++)
        least = steps[k] < least ? steps[k] : least;
    for (int k = 0; k < LF__CODEC_SIDE * LF__CODEC_SIDE; k++)
        r->numbers[k] = (uint32_t)steps[k] - (uint32_t)least;
    predict_measure(r);
    return least;
}

static size_t predict_write_rows(const predict_residuals *r, uint8_t *bytes) {
    bool wide = r->widest > 15;
    size_t bit = 8 * PREDICT_HEAD;
    for (int j = 0; j < LF__CODEC_SIDE; j++) {
        uint32_t width = (uint32_t)r->widths[j];
        bit = lf__bits_write(bytes, bit, wide ? 8 : 4, &width, 1);
    }
    for (int j = 0; j < LF__CODEC_SIDE; j++)
        bit = lf__bits_write(bytes, bit, r->widths[j], r->numbers + j * LF__CODEC_SIDE, LF__CODEC_SIDE);
    return (bit + 7) / 8;
}

size_t lf__predict_encode(const int32_t *steps, uint8_t *bytes) {
    predict_residuals lorenzo, minimum;
    predict_lorenzo(steps, &lorenzo);
    int32_t least = predict_over_least(steps, &minimum);
    bool by_least = minimum.bits < lorenzo.bits;
    const predict_residuals *r = by_least ? &minimum : &lorenzo;
    memset(bytes, 0, LF__CODEC_BYTES);
    bytes[0] = PREDICT_FLAT;
    lf__store32(bytes + 1, (uint32_t)(by_least ? least : steps[0]));
    if (r->widest == 0)
        return PREDICT_HEAD;
    bytes[0] = (uint8_t)((by_least ? PREDICT_LEAST : PREDICT_LORENZO) + (r->widest > 15 ? PREDICT_WIDE : 0));
    return predict_write_rows(r, bytes);
}

/// Length of a tile in bytes, from the bits per number of its rows; 0 where it exceeds `size`.
static size_t predict_extent(const uint8_t *bytes, size_t size, bool wide, uint32_t widths[LF__CODEC_SIDE]) {
    size_t end = lf__bits_read(bytes, (size_t)8 * PREDICT_HEAD, wide ? 8 : 4, widths, LF__CODEC_SIDE);
    for (int j = 0; j < LF__CODEC_SIDE; j++) {
        if (widths[j] > 32)
            return 0;
        end += (size_t)LF__CODEC_SIDE * widths[j];
    }
    return (end + 7) / 8 <= size ? (end + 7) / 8 : 0;
}

/// Unpack a row. Rows begin at whole bytes, so that a few loads of 64 bits fetch all of it.
static void predict_unpack_row(const uint8_t *at, uint32_t width, uint32_t *row) {
    uint32_t mask = width < 32 ? ((uint32_t)1 << width) - 1 : UINT32_MAX;
    if (width <= 8) {
        uint64_t low = lf__load64(at), high = lf__load64(at + width);
        for (uint32_t k = 0; k < 8; k++) {
            row[k] = (uint32_t)(low >> k * width) & mask;
            row[8 + k] = (uint32_t)(high >> k * width) & mask;
        }
    } else if (width <= 16) {
        for (uint32_t g = 0; g < 4; g++) {
            uint64_t word = lf__load64(at + (g * width >> 1)) >> (g * width & 1 ? 4 : 0);
            for (uint32_t k = 0; k < 4; k++)
                row[4 * g + k] = (uint32_t)(word >> k * width) & mask;
        }
    } else {
        lf__bits_read(at, 0, (int)width, row, LF__CODEC_SIDE);
    }
}

/// Convert residuals to numbers in place: sums along columns, then along rows.
static void predict_sum(uint32_t *numbers, uint32_t first) {
    uint32_t columns[LF__CODEC_SIDE] = {first};
    for (int j = 0; j < LF__CODEC_SIDE; j++) {
        uint32_t *row = numbers + j * LF__CODEC_SIDE, sum = 0;
        for (int i = 0; i < LF__CODEC_SIDE; i++)
            columns[i] += (uint32_t)lf__zigzag_back(row[i]);
        for (int i = 0; i < LF__CODEC_SIDE; i++)
            row[i] = sum += columns[i];
    }
}

static bool predict_fail(int32_t *steps) {
    memset(steps, 0, LF__CODEC_SIDE * LF__CODEC_SIDE * sizeof *steps);
    return false;
}

/// Read the header of a tile: whether rows are wide. Returns the offset of the first row, or 0 where the
/// header is invalid.
static size_t predict_head(const uint8_t *given, size_t size, bool *wide) {
    if (size < PREDICT_HEAD || given[0] > PREDICT_LEAST + PREDICT_WIDE)
        return 0;
    *wide = given[0] > PREDICT_LEAST;
    size_t head =
        given[0] == PREDICT_FLAT ? PREDICT_HEAD : (size_t)(PREDICT_HEAD + LF__CODEC_SIDE / (*wide ? 1 : 2));
    return size < head ? 0 : head;
}

static void predict_fill(uint32_t *numbers, uint32_t number) {
    for (int k = 0; k < LF__CODEC_SIDE * LF__CODEC_SIDE; k++)
        numbers[k] = number;
}

bool lf__predict_decode(const uint8_t *given, size_t size, int32_t *steps) {
    uint8_t bytes[PREDICT_HEAD + LF__CODEC_SIDE + 4 * LF__CODEC_SIDE * LF__CODEC_SIDE + LF__BITS_SPARE];
    uint32_t widths[LF__CODEC_SIDE], *numbers = (uint32_t *)steps;
    bool wide;
    size_t head = predict_head(given, size, &wide);
    if (head == 0)
        return predict_fail(steps);
    uint32_t first = lf__load32(given + 1);
    if (given[0] == PREDICT_FLAT) {
        predict_fill(numbers, first);
        return true;
    }
    memcpy(bytes, given, head);
    memset(bytes + head, 0, LF__BITS_SPARE);
    size_t extent = predict_extent(bytes, size, wide, widths);
    if (extent == 0)
        return predict_fail(steps);
    memcpy(bytes + head, given + head, extent - head);
    memset(bytes + extent, 0, LF__BITS_SPARE);
    const uint8_t *at = bytes + head;
    for (int j = 0; j < LF__CODEC_SIDE; at += 2 * widths[j++])
        predict_unpack_row(at, widths[j], numbers + j * LF__CODEC_SIDE);
    if (given[0] == PREDICT_LEAST || given[0] == PREDICT_LEAST + PREDICT_WIDE)
        for (int k = 0; k < LF__CODEC_SIDE * LF__CODEC_SIDE; k++)
            numbers[k] += first;
    else
        predict_sum(numbers, first);
    return true;
}

#if LF__SIMD

/// The sum of 16 numbers of four bits.
static uint32_t sum_of_nibbles(uint64_t x) {
    const uint64_t nibbles = 0x0f0f0f0f0f0f0f0fu;
    return (uint32_t)(((x & nibbles) + (x >> 4 & nibbles)) * 0x0101010101010101u >> 56);
}

/// The rows of a tile for the kernel; false where rows are wide or the bytes after the tile cannot be read.
static bool predict_find_rows(const uint8_t *given, size_t size, lf__predict_rows *rows) {
    const size_t head = PREDICT_HEAD + LF__CODEC_SIDE / 2;
    if (size < head + LF__CODEC_SPARE || (given[0] != PREDICT_LORENZO && given[0] != PREDICT_LEAST))
        return false;
    *rows = (lf__predict_rows){given + head, lf__load64(given + PREDICT_HEAD), lf__load32(given + 1),
                               given[0] == PREDICT_LEAST};
    // Two sums, so that each fits into a byte.
    size_t all = sum_of_nibbles(rows->widths & 0xffffffffu) + sum_of_nibbles(rows->widths >> 32);
    return head + 2 * all + LF__CODEC_SPARE <= size;
}

bool lf__predict_decode_avx2(const uint8_t *given, size_t size, int32_t *steps) {
    lf__predict_rows rows;
    if (!predict_find_rows(given, size, &rows))
        return lf__predict_decode(given, size, steps);
    lf__predict_rows_avx2(&rows, steps);
    return true;
}
#endif

// ---------------------------------------------------------------------------------------------------
// All codecs
// ---------------------------------------------------------------------------------------------------

size_t lf__codec_encode(const lf__codec_plan *plan, const int32_t *steps, uint8_t *bytes) {
    if (plan->kind == LF__CODEC_PREDICT)
        return lf__predict_encode(steps, bytes);
    return plan->kind == LF__CODEC_MAXPLUS ? lf__maxplus_encode(steps, bytes)
                                           : lf__wave_encode(plan, steps, bytes);
}

bool lf__codec_decode(lf__codec_kind kind, const uint8_t *bytes, size_t size, int32_t *steps,
                      int32_t *maxima) {
    if (kind == LF__CODEC_PREDICT)
        return lf__predict_decode(bytes, size, steps);
    return kind == LF__CODEC_MAXPLUS ? lf__maxplus_decode(bytes, size, steps, maxima)
                                     : lf__wave_decode(kind == LF__CODEC_D4, bytes, size, steps);
}

/// Decodes the whole tile.
static void tile_two_scalar(lf__codec_kind kind, const uint8_t *bytes, size_t size, int row, int count,
                            int32_t *steps) {
    int32_t all[LF__CODEC_MOST];
    int shift = lf__codec_log2(kind);
    lf__codec_decode(kind, bytes, size, all, NULL);
    memcpy(steps, all + ((size_t)row << shift), sizeof *all * ((size_t)count << shift));
}

#if LF__SIMD
static void tile_two_avx2(lf__codec_kind kind, const uint8_t *bytes, size_t size, int row, int count,
                          int32_t *steps) {
    lf__predict_rows rows;
    int32_t all[LF__CODEC_SIDE * LF__CODEC_SIDE];
    if (kind == LF__CODEC_PREDICT && predict_find_rows(bytes, size, &rows)) {
        lf__predict_two_avx2(&rows, row, count, steps);
    } else if (kind == LF__CODEC_MAXPLUS) {
        lf__maxplus_decode_avx2(bytes, size, all, NULL);
        memcpy(steps, all + row * LF__CODEC_SIDE, sizeof *all * (size_t)(count * LF__CODEC_SIDE));
    } else {
        tile_two_scalar(kind, bytes, size, row, count, steps);
    }
}

static bool tile_decode_avx2(lf__codec_kind kind, const uint8_t *bytes, size_t size, int32_t *steps,
                             int32_t *maxima) {
    return kind == LF__CODEC_PREDICT   ? lf__predict_decode_avx2(bytes, size, steps)
           : kind == LF__CODEC_MAXPLUS ? lf__maxplus_decode_avx2(bytes, size, steps, maxima)
                                       : lf__codec_decode(kind, bytes, size, steps, maxima);
}
#endif

lf__codec_decoder *lf__codec_decoder_for(lf_isa isa) {
#if LF__SIMD
    if (LF__SIMD_BY(isa))
        return tile_decode_avx2;
#endif
    (void)isa;
    return lf__codec_decode;
}

lf__codec_two *lf__codec_two_for(lf_isa isa) {
#if LF__SIMD
    if (LF__SIMD_BY(isa))
        return tile_two_avx2;
#endif
    (void)isa;
    return tile_two_scalar;
}
