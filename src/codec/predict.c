/// Our own way to keep a tile: each number is foretold from its neighbours, and what is left is packed, row by row, in as many bits
/// as the row's largest takes.
///
///   byte 0      0: one number all over; 1: foretold by left + below - corner; 2: by the tile's least number; 3: as 1 with wide rows;
///               4: as 2 with wide rows
///   bytes 1-4   the first number, or the least
///   then        the bits per number of each row: 4 bits each, or a byte each where rows are wide
///   then        the rows, bits on bits
/// In the first row a number is foretold by the one on its left, in the first column by the one below. Arithmetic is modulo 2^32.
#include "codec/bits.h"
#include "codec/k_tile.h"

#define SIDE LF__TILE_SIDE
#define HEAD 5
#define FLAT 0
#define LORENZO 1
#define LEAST 2
#define WIDE 2 ///< what wide rows add to the first byte

typedef struct rest {
    uint32_t numbers[SIDE * SIDE];
    int widths[SIDE];
    int bits, widest;
} rest;

static void measure(rest *r) {
    r->bits = r->widest = 0;
    for (int j = 0; j < SIDE; j++) {
        uint32_t all = 0;
        for (int i = 0; i < SIDE; i++)
            all |= r->numbers[j * SIDE + i];
        r->widths[j] = lf__bit_width(all);
        r->bits += SIDE * r->widths[j];
        r->widest = r->widths[j] > r->widest ? r->widths[j] : r->widest;
    }
    r->bits += SIDE * (r->widest > 15 ? 8 : 4);
}

static void foretell(const int32_t *steps, rest *r) {
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++) {
            const int32_t *at = steps + j * SIDE + i;
            uint32_t left = i > 0 ? (uint32_t)at[-1] : 0, below = j > 0 ? (uint32_t)at[-SIDE] : 0;
            uint32_t corner = i > 0 && j > 0 ? (uint32_t)at[-SIDE - 1] : 0;
            uint32_t told = i == 0 && j == 0 ? (uint32_t)at[0] : left + below - corner;
            r->numbers[j * SIDE + i] = lf__zigzag((int32_t)((uint32_t)at[0] - told));
        }
    measure(r);
}

static int32_t over_least(const int32_t *steps, rest *r) {
    int32_t least = steps[0];
    for (int k = 1; k < SIDE * SIDE; k++)
        least = steps[k] < least ? steps[k] : least;
    for (int k = 0; k < SIDE * SIDE; k++)
        r->numbers[k] = (uint32_t)steps[k] - (uint32_t)least;
    measure(r);
    return least;
}

static size_t write_rows(const rest *r, uint8_t *bytes) {
    bool wide = r->widest > 15;
    size_t bit = 8 * HEAD;
    for (int j = 0; j < SIDE; j++) {
        uint32_t width = (uint32_t)r->widths[j];
        bit = lf__bits_write(bytes, bit, wide ? 8 : 4, &width, 1);
    }
    for (int j = 0; j < SIDE; j++)
        bit = lf__bits_write(bytes, bit, r->widths[j], r->numbers + j * SIDE, SIDE);
    return (bit + 7) / 8;
}

size_t lf__predict_encode(const int32_t *steps, uint8_t *bytes) {
    rest told, plain;
    foretell(steps, &told);
    int32_t least = over_least(steps, &plain);
    bool by_least = plain.bits < told.bits;
    const rest *r = by_least ? &plain : &told;
    memset(bytes, 0, LF__TILE_BYTES);
    bytes[0] = FLAT;
    lf__store32(bytes + 1, (uint32_t)(by_least ? least : steps[0]));
    if (r->widest == 0)
        return HEAD;
    bytes[0] = (uint8_t)((by_least ? LEAST : LORENZO) + (r->widest > 15 ? WIDE : 0));
    return write_rows(r, bytes);
}

/// Bytes from the first to the last of a tile, by the bits per number of its rows; 0 where that is more than there are.
static size_t extent_of(const uint8_t *bytes, size_t size, bool wide, uint32_t widths[SIDE]) {
    size_t end = lf__bits_read(bytes, (size_t)8 * HEAD, wide ? 8 : 4, widths, SIDE);
    for (int j = 0; j < SIDE; j++) {
        if (widths[j] > 32)
            return 0;
        end += (size_t)SIDE * widths[j];
    }
    return (end + 7) / 8 <= size ? (end + 7) / 8 : 0;
}

/// A row of numbers. Rows begin at bytes, so that a few loads of 64 bits bring all of it.
static void unpack_row(const uint8_t *at, uint32_t width, uint32_t *row) {
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
        lf__bits_read(at, 0, (int)width, row, SIDE);
    }
}

/// From what is left to the numbers, in place: sums down the columns, then along the rows.
static void retell(uint32_t *numbers, uint32_t first) {
    uint32_t columns[SIDE] = {first};
    for (int j = 0; j < SIDE; j++) {
        uint32_t *row = numbers + j * SIDE, sum = 0;
        for (int i = 0; i < SIDE; i++)
            columns[i] += (uint32_t)lf__zigzag_back(row[i]);
        for (int i = 0; i < SIDE; i++)
            row[i] = sum += columns[i];
    }
}

static bool nothing(int32_t *steps) {
    memset(steps, 0, SIDE * SIDE * sizeof *steps);
    return false;
}

/// The head of a tile: whether rows are wide, and the bytes up to the first of them; 0 where there are fewer.
static size_t head_of(const uint8_t *given, size_t size, bool *wide) {
    if (size < HEAD || given[0] > LEAST + WIDE)
        return 0;
    *wide = given[0] > LEAST;
    size_t head = given[0] == FLAT ? HEAD : (size_t)(HEAD + SIDE / (*wide ? 1 : 2));
    return size < head ? 0 : head;
}

static void fill(uint32_t *numbers, uint32_t number) {
    for (int k = 0; k < SIDE * SIDE; k++)
        numbers[k] = number;
}

bool lf__predict_decode(const uint8_t *given, size_t size, int32_t *steps) {
    uint8_t bytes[HEAD + SIDE + 4 * SIDE * SIDE + LF__BITS_SPARE];
    uint32_t widths[SIDE], *numbers = (uint32_t *)steps;
    bool wide;
    size_t head = head_of(given, size, &wide);
    if (head == 0)
        return nothing(steps);
    uint32_t first = lf__load32(given + 1);
    if (given[0] == FLAT) {
        fill(numbers, first);
        return true;
    }
    memcpy(bytes, given, head);
    memset(bytes + head, 0, LF__BITS_SPARE);
    size_t extent = extent_of(bytes, size, wide, widths);
    if (extent == 0)
        return nothing(steps);
    memcpy(bytes + head, given + head, extent - head);
    memset(bytes + extent, 0, LF__BITS_SPARE);
    const uint8_t *at = bytes + head;
    for (int j = 0; j < SIDE; at += 2 * widths[j++])
        unpack_row(at, widths[j], numbers + j * SIDE);
    if (given[0] == LEAST || given[0] == LEAST + WIDE)
        for (int k = 0; k < SIDE * SIDE; k++)
            numbers[k] += first;
    else
        retell(numbers, first);
    return true;
}

#if defined(__x86_64__)

/// The sum of 16 numbers of four bits.
static uint32_t sum_of_nibbles(uint64_t x) {
    const uint64_t nibbles = 0x0f0f0f0f0f0f0f0fu;
    return (uint32_t)(((x & nibbles) + (x >> 4 & nibbles)) * 0x0101010101010101u >> 56);
}

/// Tiles of narrow rows that are not among the last bytes; false: the plain way.
static bool find_rows(const uint8_t *given, size_t size, lf__predict_rows *rows) {
    const size_t head = HEAD + SIDE / 2;
    if (size < head + LF__TILE_SPARE || (given[0] != LORENZO && given[0] != LEAST))
        return false;
    *rows =
        (lf__predict_rows){given + head, lf__load64(given + HEAD), lf__load32(given + 1), given[0] == LEAST};
    // Two sums, so that none is more than a byte.
    size_t all = sum_of_nibbles(rows->widths & 0xffffffffu) + sum_of_nibbles(rows->widths >> 32);
    return head + 2 * all + LF__TILE_SPARE <= size;
}

bool lf__predict_decode_avx2(const uint8_t *given, size_t size, int32_t *steps) {
    lf__predict_rows rows;
    if (!find_rows(given, size, &rows))
        return lf__predict_decode(given, size, steps);
    lf__predict_rows_avx2(&rows, steps);
    return true;
}
#endif

// ---------------------------------------------------------------------------------------------------
// The face of all
// ---------------------------------------------------------------------------------------------------

size_t lf__tile_encode(const lf__tile_plan *plan, const int32_t *steps, uint8_t *bytes) {
    if (plan->kind == LF__TILE_PREDICT)
        return lf__predict_encode(steps, bytes);
    return plan->kind == LF__TILE_MAXPLUS ? lf__maxplus_encode(steps, bytes)
                                          : lf__wave_encode(plan, steps, bytes);
}

bool lf__tile_decode(lf__tile_kind kind, const uint8_t *bytes, size_t size, int32_t *steps, int32_t *maxima) {
    if (kind == LF__TILE_PREDICT)
        return lf__predict_decode(bytes, size, steps);
    return kind == LF__TILE_MAXPLUS ? lf__maxplus_decode(bytes, size, steps, maxima)
                                    : lf__wave_decode(kind == LF__TILE_D4, bytes, size, steps);
}

/// From all of the tile.
static void two_plain(lf__tile_kind kind, const uint8_t *bytes, size_t size, int row, int count,
                      int32_t *steps) {
    int32_t all[LF__TILE_MOST];
    int shift = lf__tile_log2(kind);
    lf__tile_decode(kind, bytes, size, all, NULL);
    memcpy(steps, all + ((size_t)row << shift), sizeof *all * ((size_t)count << shift));
}

#if defined(__x86_64__)
static void two_avx2(lf__tile_kind kind, const uint8_t *bytes, size_t size, int row, int count,
                     int32_t *steps) {
    lf__predict_rows rows;
    int32_t all[SIDE * SIDE];
    if (kind == LF__TILE_PREDICT && find_rows(bytes, size, &rows)) {
        lf__predict_two_avx2(&rows, row, count, steps);
    } else if (kind == LF__TILE_MAXPLUS) {
        lf__maxplus_decode_avx2(bytes, size, all, NULL);
        memcpy(steps, all + row * SIDE, sizeof *all * (size_t)(count * SIDE));
    } else {
        two_plain(kind, bytes, size, row, count, steps);
    }
}

static bool decode_avx2(lf__tile_kind kind, const uint8_t *bytes, size_t size, int32_t *steps,
                        int32_t *maxima) {
    return kind == LF__TILE_PREDICT   ? lf__predict_decode_avx2(bytes, size, steps)
           : kind == LF__TILE_MAXPLUS ? lf__maxplus_decode_avx2(bytes, size, steps, maxima)
                                      : lf__tile_decode(kind, bytes, size, steps, maxima);
}
#endif

lf__tile_decoder *lf__tile_decoder_for(lf_isa isa) {
#if defined(__x86_64__)
    if (isa >= LF_ISA_AVX2)
        return decode_avx2;
#endif
    (void)isa;
    return lf__tile_decode;
}

lf__tile_two *lf__tile_two_for(lf_isa isa) {
#if defined(__x86_64__)
    if (isa >= LF_ISA_AVX2)
        return two_avx2;
#endif
    (void)isa;
    return two_plain;
}
