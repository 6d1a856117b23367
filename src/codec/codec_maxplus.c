/// The max-plus codec: a wavelet decomposition with maxima in place of means.
///
/// Of two neighbours a and b the maximum c = max(a, b) and the difference d = a - b are stored; then
/// a = c + min(0, d) and b = c - max(0, d). Steps along rows and along columns alternate until one maximum is
/// left. There are as many coefficients as numbers, and decoding produces the maximum of every block.
///
///   bytes 0-3   the maximum of the tile
///   8 bytes     bits per difference of each step, coarsest first
///   then        the differences of each step, coarsest first, row by row, packed without gaps
///
/// Differences are at most as large as the range of the tile, so 16 bits hold them where the range is below
/// 32,768.
#include "codec/codec.h"

#define MAXPLUS_STEPS (2 * LF__CODEC_LOG2)
#define MAXPLUS_HEAD (4 + MAXPLUS_STEPS)

/// Inverse step s, 0 being the coarsest, produces a matrix of this many columns and rows from one half as
/// large.
static int maxplus_columns(int s) {
    return 1 << (s + 1) / 2;
}

static int maxplus_rows(int s) {
    return 1 << (s + 2) / 2;
}

/// Does a step combine neighbours of a column? The coarsest does, and then every other one.
static bool maxplus_along_column(int s) {
    return (s & 1) == 0;
}

/// One forward step: maxima to `half`, differences to `differences`.
static void maxplus_forward(const int32_t *whole, int s, int32_t *half, uint32_t *differences) {
    int columns = maxplus_columns(s), rows = maxplus_rows(s);
    int by_x = maxplus_along_column(s) ? 1 : 2, by_y = maxplus_along_column(s) ? 2 : 1,
        next = maxplus_along_column(s) ? columns : 1;
    for (int j = 0, k = 0; j < rows; j += by_y)
        for (int i = 0; i < columns; i += by_x, k++) {
            int32_t a = whole[j * columns + i], b = whole[j * columns + i + next];
            half[k] = a > b ? a : b;
            differences[k] = lf__zigzag(a - b); // steps are below 2^30
        }
}

/// One inverse step. Sums wrap where the bytes are not an encoder's.
static void maxplus_back(const int32_t *half, const uint32_t *differences, int s, int32_t *whole) {
    int columns = maxplus_columns(s), count = 1 << s;
    int32_t halves[2][LF__CODEC_SIDE * LF__CODEC_SIDE / 2];
    for (int k = 0; k < count; k++) {
        int32_t d = lf__zigzag_back(differences[k]);
        halves[0][k] = (int32_t)((uint32_t)half[k] + (uint32_t)(d < 0 ? d : 0));
        halves[1][k] = (int32_t)((uint32_t)half[k] - (uint32_t)(d > 0 ? d : 0));
    }
    if (maxplus_along_column(s)) // rows alternate between the halves
        for (int j = 0; j < count / columns; j++)
            for (int h = 0; h < 2; h++)
                memcpy(whole + (2 * j + h) * columns, halves[h] + j * columns,
                       (size_t)columns * sizeof *whole);
    else
        for (int k = 0; k < count; k++) {
            whole[2 * k] = halves[0][k];
            whole[2 * k + 1] = halves[1][k];
        }
}

size_t lf__maxplus_encode(const int32_t *steps, uint8_t *bytes) {
    int32_t buffers[2][LF__CODEC_SIDE * LF__CODEC_SIDE];
    uint32_t differences[LF__CODEC_SIDE * LF__CODEC_SIDE]; // those of the step with n differences from [n] on
    memcpy(buffers[0], steps, sizeof buffers[0]);
    memset(bytes, 0, LF__CODEC_BYTES);
    for (int s = MAXPLUS_STEPS - 1; s >= 0; s--) {
        int from = (MAXPLUS_STEPS - 1 - s) & 1, count = 1 << s;
        uint32_t all = 0;
        maxplus_forward(buffers[from], s, buffers[!from], differences + count);
        for (int k = 0; k < count; k++)
            all |= differences[count + k];
        bytes[4 + s] = (uint8_t)lf__bit_width(all);
    }
    lf__store32(bytes, (uint32_t)buffers[MAXPLUS_STEPS & 1][0]);
    size_t bit = (size_t)8 * MAXPLUS_HEAD;
    for (int s = 0; s < MAXPLUS_STEPS; s++)
        bit = lf__bits_write(bytes, bit, bytes[4 + s], differences + (1 << s), 1 << s);
    return (bit + 7) / 8;
}

/// Copy the maxima of square blocks: steps 1, 3, 5 and 7 produce a matrix of 2, 4, 8 and 16 columns and rows;
/// s = -1 is the 1 x 1 start.
static void maxplus_keep_maxima(int s, const int32_t *matrix, int32_t *maxima) {
    static const int start[] = {84, 80, 64, 0}; // of 1, 2 x 2, 4 x 4, 8 x 8
    int level = (s + 1) / 2;
    if (maxima && (s & 1) != 0 && level < LF__CODEC_LOG2)
        memcpy(maxima + start[level], matrix, sizeof *maxima << 2 * level);
    else if (maxima && s < 0)
        maxima[start[0]] = matrix[0];
}

bool lf__maxplus_decode(const uint8_t *given, size_t size, int32_t *steps, int32_t *maxima) {
    uint8_t bytes[MAXPLUS_HEAD + 4 * LF__CODEC_SIDE * LF__CODEC_SIDE + LF__BITS_SPARE];
    int32_t buffers[2][LF__CODEC_SIDE * LF__CODEC_SIDE];
    uint32_t differences[LF__CODEC_SIDE * LF__CODEC_SIDE / 2];
    size_t bit = (size_t)8 * MAXPLUS_HEAD, end = bit;
    memset(steps, 0, sizeof buffers[0]);
    if (maxima)
        memset(maxima, 0, LF__CODEC_MAXIMA * sizeof *maxima);
    if (size < MAXPLUS_HEAD)
        return false;
    for (int s = 0; s < MAXPLUS_STEPS; s++) {
        if (given[4 + s] > 32)
            return false;
        end += (size_t)given[4 + s] << s;
    }
    size_t extent = (end + 7) / 8;
    if (extent > size)
        return false;
    memcpy(bytes, given, extent);
    memset(bytes + extent, 0, LF__BITS_SPARE);
    buffers[0][0] = (int32_t)lf__load32(bytes);
    maxplus_keep_maxima(-1, buffers[0], maxima);
    for (int s = 0; s < MAXPLUS_STEPS; s++) {
        int32_t *whole = s == MAXPLUS_STEPS - 1 ? steps : buffers[!(s & 1)];
        bit = lf__bits_read(bytes, bit, bytes[4 + s], differences, 1 << s);
        maxplus_back(buffers[s & 1], differences, s, whole);
        maxplus_keep_maxima(s, whole, maxima);
    }
    return true;
}

#if LF__SIMD

/// A maximum as its two halves.
static inline void maxplus_pair(int32_t half, uint32_t difference, int32_t *a, int32_t *b) {
    int32_t d = lf__zigzag_back(difference), low = d < 0 ? d : 0, high = d > 0 ? d : 0;
    *a = (int32_t)((uint32_t)half + (uint32_t)low);
    *b = (int32_t)((uint32_t)half - (uint32_t)high);
}

/// The inverse steps 0, 1 and 2, of differences of up to 14 bits: 98 bits in all. Returns the bit after them.
static size_t maxplus_first_steps(const uint8_t *given, int32_t eight[8], int32_t *maxima) {
    int32_t two[2], four[4];
    uint32_t differences[7];
    size_t bit = (size_t)8 * MAXPLUS_HEAD;
    for (int s = 0, k = 0; s < 3; s++) {
        uint32_t mask = ((uint32_t)1 << given[4 + s]) - 1;
        for (int n = 0; n < 1 << s; n++, k++, bit += given[4 + s])
            differences[k] = (uint32_t)(lf__load64(given + (bit >> 3)) >> (bit & 7)) & mask;
    }
    int32_t most = (int32_t)lf__load32(given);
    maxplus_pair(most, differences[0], &two[0], &two[1]);
    for (int k = 0; k < 2; k++)
        maxplus_pair(two[k], differences[1 + k], &four[2 * k], &four[2 * k + 1]);
    for (int k = 0; k < 4; k++) // rows of two
        maxplus_pair(four[k], differences[3 + k], &eight[(k & 2) * 2 + (k & 1)],
                     &eight[(k & 2) * 2 + (k & 1) + 2]);
    maxplus_keep_maxima(-1, &most, maxima);
    maxplus_keep_maxima(1, four, maxima);
    return bit;
}

/// The kernel decodes tiles without wide differences, where the bytes after the tile can be read; others use
/// the scalar path.
bool lf__maxplus_decode_avx2(const uint8_t *given, size_t size, int32_t *steps, int32_t *maxima) {
    int32_t eight[8];
    size_t end = (size_t)8 * MAXPLUS_HEAD, bit = end;
    bool narrow = size >= MAXPLUS_HEAD + LF__CODEC_SPARE;
    for (int s = 0; s < MAXPLUS_STEPS && narrow; s++) {
        narrow = given[4 + s] <= 14;
        end += (size_t)given[4 + s] << s;
    }
    if (!narrow || end / 8 + 1 + LF__CODEC_SPARE > size)
        return lf__maxplus_decode(given, size, steps, maxima);
    bit = maxplus_first_steps(given, eight, maxima);
    lf__maxplus_steps_avx2(given, given + 4, bit, eight, steps, maxima);
    return true;
}
#endif
