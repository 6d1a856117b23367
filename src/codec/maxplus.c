/// The published decomposition with maxima in place of means, of a tile.
///
/// Of two neighbours a and b the maximum c = max(a, b) and the difference d = a - b are kept; then a = c + min(0, d) and
/// b = c - max(0, d). First neighbours in rows, then the maxima's neighbours in columns, and so on by turns, until one maximum is left.
/// There are as many numbers as before, and on the way back every block's maximum comes by itself.
///
///   bytes 0-3   the maximum of all
///   8 bytes     bits per difference of each step, coarsest first
///   then        the differences of each step, coarsest first, row by row, bits on bits
/// Differences are at most as large as the tile's range, so that 16 bits hold them where the range is below 32,768; wider tiles have
/// wider steps.
#include "codec/bits.h"
#include "codec/k_tile.h"

#define SIDE LF__TILE_SIDE
#define STEPS (2 * LF__TILE_LOG2)
#define HEAD (4 + STEPS)

/// Step s of the way back, 0 being the coarsest, makes a matrix of this many columns and rows out of one half as large.
static int columns_of(int s) {
    return 1 << (s + 1) / 2;
}

static int rows_of(int s) {
    return 1 << (s + 2) / 2;
}

/// Does a step go along columns? The coarsest does, and every other one.
static bool along_column(int s) {
    return (s & 1) == 0;
}

/// One step of taking apart: maxima to `half`, differences to `differences`.
static void apart(const int32_t *whole, int s, int32_t *half, uint32_t *differences) {
    int columns = columns_of(s), rows = rows_of(s);
    int by_x = along_column(s) ? 1 : 2, by_y = along_column(s) ? 2 : 1, next = along_column(s) ? columns : 1;
    for (int j = 0, k = 0; j < rows; j += by_y)
        for (int i = 0; i < columns; i += by_x, k++) {
            int32_t a = whole[j * columns + i], b = whole[j * columns + i + next];
            half[k] = a > b ? a : b;
            differences[k] = lf__zigzag(a - b); // steps are below 2^30
        }
}

/// One step back. Wraps where no encoder has been.
static void together(const int32_t *half, const uint32_t *differences, int s, int32_t *whole) {
    int columns = columns_of(s), count = 1 << s;
    int32_t halves[2][SIDE * SIDE / 2];
    for (int k = 0; k < count; k++) {
        int32_t d = lf__zigzag_back(differences[k]);
        halves[0][k] = (int32_t)((uint32_t)half[k] + (uint32_t)(d < 0 ? d : 0));
        halves[1][k] = (int32_t)((uint32_t)half[k] - (uint32_t)(d > 0 ? d : 0));
    }
    if (along_column(s)) // rows by turns from either
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
    int32_t room[2][SIDE * SIDE];
    uint32_t differences[SIDE * SIDE]; // of the step with n of them from [n] on
    memcpy(room[0], steps, sizeof room[0]);
    memset(bytes, 0, LF__TILE_BYTES);
    for (int s = STEPS - 1; s >= 0; s--) {
        int from = (STEPS - 1 - s) & 1, count = 1 << s;
        uint32_t all = 0;
        apart(room[from], s, room[!from], differences + count);
        for (int k = 0; k < count; k++)
            all |= differences[count + k];
        bytes[4 + s] = (uint8_t)lf__bit_width(all);
    }
    lf__store32(bytes, (uint32_t)room[STEPS & 1][0]);
    size_t bit = (size_t)8 * HEAD;
    for (int s = 0; s < STEPS; s++)
        bit = lf__bits_write(bytes, bit, bytes[4 + s], differences + (1 << s), 1 << s);
    return (bit + 7) / 8;
}

/// After the steps 1, 3, 5 and 7 there is a matrix of 2, 4, 8 and 16 columns and rows; before them one of 1.
static void keep_maxima(int s, const int32_t *matrix, int32_t *maxima) {
    static const int start[] = {84, 80, 64, 0}; // of 1, 2 x 2, 4 x 4, 8 x 8
    int level = (s + 1) / 2;
    if (maxima && (s & 1) != 0 && level < LF__TILE_LOG2)
        memcpy(maxima + start[level], matrix, sizeof *maxima << 2 * level);
    else if (maxima && s < 0)
        maxima[start[0]] = matrix[0];
}

bool lf__maxplus_decode(const uint8_t *given, size_t size, int32_t *steps, int32_t *maxima) {
    uint8_t bytes[HEAD + 4 * SIDE * SIDE + LF__BITS_SPARE];
    int32_t room[2][SIDE * SIDE];
    uint32_t differences[SIDE * SIDE / 2];
    size_t bit = (size_t)8 * HEAD, end = bit;
    memset(steps, 0, sizeof room[0]);
    if (maxima)
        memset(maxima, 0, LF__TILE_MAXIMA * sizeof *maxima);
    if (size < HEAD)
        return false;
    for (int s = 0; s < STEPS; s++) {
        if (given[4 + s] > 32)
            return false;
        end += (size_t)given[4 + s] << s;
    }
    size_t extent = (end + 7) / 8;
    if (extent > size)
        return false;
    memcpy(bytes, given, extent);
    memset(bytes + extent, 0, LF__BITS_SPARE);
    room[0][0] = (int32_t)lf__load32(bytes);
    keep_maxima(-1, room[0], maxima);
    for (int s = 0; s < STEPS; s++) {
        int32_t *whole = s == STEPS - 1 ? steps : room[!(s & 1)];
        bit = lf__bits_read(bytes, bit, bytes[4 + s], differences, 1 << s);
        together(room[s & 1], differences, s, whole);
        keep_maxima(s, whole, maxima);
    }
    return true;
}

#if defined(__x86_64__)

/// Tiles without wide differences that are not among the last bytes; the others go the plain way.
bool lf__maxplus_decode_avx2(const uint8_t *given, size_t size, int32_t *steps, int32_t *maxima) {
    int32_t room[2][8] = {{0}};
    size_t end = (size_t)8 * HEAD, bit = end;
    bool narrow = size >= HEAD + LF__TILE_SPARE;
    for (int s = 0; s < STEPS && narrow; s++) {
        narrow = given[4 + s] <= 14;
        end += (size_t)given[4 + s] << s;
    }
    if (!narrow || end / 8 + 1 + LF__TILE_SPARE > size)
        return lf__maxplus_decode(given, size, steps, maxima);
    room[0][0] = (int32_t)lf__load32(given);
    keep_maxima(-1, room[0], maxima);
    for (int s = 0; s < 3; s++) {
        uint32_t differences[4];
        bit = lf__bits_read(given, bit, given[4 + s], differences, 1 << s);
        together(room[s & 1], differences, s, room[!(s & 1)]);
        keep_maxima(s, room[!(s & 1)], maxima);
    }
    lf__maxplus_steps_avx2(given, given + 4, bit, room[1], steps, maxima);
    return true;
}
#endif
