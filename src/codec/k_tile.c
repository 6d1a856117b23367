/// Tiles decoded with AVX2: eight numbers at a time. What comes back is what predict.c and maxplus.c give, number by number.
///
/// Eight numbers of up to 15 bits lie in 16 bytes. A shuffle brings to each lane the four bytes in which its number begins, a shift
/// and a mask do the rest.
#include "codec/k_tile.h"
#include "codec/bits.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,fma")))
#define SIDE LF__TILE_SIDE

/// Bytes behind the numbers that loads may touch.
#define SPARE 16

/// How to take eight numbers apart.
typedef struct taking {
    __m256i shuffle, shift, mask;
} taking;

/// Numbers of `width` bits that begin `skip` bits, 0 .. 7, behind a byte: together no more than 16 bytes.
TARGET static inline taking take_by(uint32_t width, uint32_t skip) {
    __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i bit = _mm256_add_epi32(_mm256_mullo_epi32(lane, _mm256_set1_epi32((int)width)),
                                   _mm256_set1_epi32((int)skip));
    __m256i byte = _mm256_mullo_epi32(_mm256_srli_epi32(bit, 3), _mm256_set1_epi32(0x01010101));
    // Beyond the 16th byte there is nothing but other numbers' bits, and a shuffle wraps around: masked all
    // the same.
    return (taking){_mm256_add_epi8(byte, _mm256_set1_epi32(0x03020100)),
                    _mm256_and_si256(bit, _mm256_set1_epi32(7)),
                    _mm256_set1_epi32((int)(((uint32_t)1 << width) - 1))};
}

TARGET static inline __m256i take(const taking *t, const uint8_t *at) {
    __m256i bytes = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)at));
    __m256i lanes = _mm256_shuffle_epi8(bytes, t->shuffle);
    return _mm256_and_si256(_mm256_srlv_epi32(lanes, t->shift), t->mask);
}

TARGET static inline __m256i unfold(__m256i x) {
    __m256i one = _mm256_set1_epi32(1);
    __m256i sign = _mm256_sub_epi32(_mm256_setzero_si256(), _mm256_and_si256(x, one));
    return _mm256_xor_si256(_mm256_srli_epi32(x, 1), sign);
}

TARGET static inline void store(int32_t *to, __m256i numbers) {
    _mm256_storeu_si256((__m256i *)(void *)to, numbers);
}

// ---------------------------------------------------------------------------------------------------
// Prediction
// ---------------------------------------------------------------------------------------------------

/// Sums from the first lane on.
TARGET static inline __m256i sums(__m256i x) {
    x = _mm256_add_epi32(x, _mm256_slli_si256(x, 4));
    x = _mm256_add_epi32(x, _mm256_slli_si256(x, 8));
    __m256i half = _mm256_permutevar8x32_epi32(x, _mm256_setr_epi32(3, 3, 3, 3, 3, 3, 3, 3));
    return _mm256_add_epi32(x, _mm256_blend_epi32(_mm256_setzero_si256(), half, 0xf0));
}

TARGET static void retell(const lf__predict_rows *rows, int32_t *steps) {
    const uint8_t *at = rows->bytes;
    __m256i low = _mm256_setr_epi32((int32_t)rows->first, 0, 0, 0, 0, 0, 0, 0), high = _mm256_setzero_si256();
    uint64_t widths = rows->widths;
    for (int j = 0; j < SIDE; j++, widths >>= 4) {
        uint32_t width = (uint32_t)(widths & 15);
        if (width > 0) {
            taking t = take_by(width, 0);
            low = _mm256_add_epi32(low, unfold(take(&t, at)));
            high = _mm256_add_epi32(high, unfold(take(&t, at + width)));
            at += 2 * width;
        }
        __m256i first = sums(low);
        __m256i last = _mm256_permutevar8x32_epi32(first, _mm256_set1_epi32(7));
        store(steps + j * SIDE, first);
        store(steps + j * SIDE + 8, _mm256_add_epi32(sums(high), last));
    }
}

TARGET static void count_from_least(const lf__predict_rows *rows, int32_t *steps) {
    const uint8_t *at = rows->bytes;
    __m256i least = _mm256_set1_epi32((int32_t)rows->first);
    uint64_t widths = rows->widths;
    for (int j = 0; j < SIDE; j++, widths >>= 4) {
        uint32_t width = (uint32_t)(widths & 15);
        taking t = take_by(width, 0);
        store(steps + j * SIDE, _mm256_add_epi32(least, take(&t, at)));
        store(steps + j * SIDE + 8, _mm256_add_epi32(least, take(&t, at + width)));
        at += 2 * width;
    }
}

void lf__predict_rows_avx2(const lf__predict_rows *rows, int32_t *steps) {
    if (rows->by_least)
        count_from_least(rows, steps);
    else
        retell(rows, steps);
}

/// Sums down the columns up to the first of the rows, and on to the second; along rows only there.
TARGET static void retell_two(const lf__predict_rows *rows, int row, int count, int32_t *steps) {
    const uint8_t *at = rows->bytes;
    __m256i low = _mm256_setr_epi32((int32_t)rows->first, 0, 0, 0, 0, 0, 0, 0), high = _mm256_setzero_si256();
    uint64_t widths = rows->widths;
    for (int j = 0; j < row + count; j++, widths >>= 4) {
        uint32_t width = (uint32_t)(widths & 15);
        taking t = take_by(width, 0);
        low = _mm256_add_epi32(low, unfold(take(&t, at)));
        high = _mm256_add_epi32(high, unfold(take(&t, at + width)));
        at += 2 * width;
        if (j < row)
            continue;
        __m256i first = sums(low);
        store(steps, first);
        store(steps + 8,
              _mm256_add_epi32(sums(high), _mm256_permutevar8x32_epi32(first, _mm256_set1_epi32(7))));
        steps += SIDE;
    }
}

TARGET static void count_two(const lf__predict_rows *rows, int row, int count, int32_t *steps) {
    const uint8_t *at = rows->bytes;
    __m256i least = _mm256_set1_epi32((int32_t)rows->first);
    uint64_t widths = rows->widths;
    for (int j = 0; j < row + count; j++, widths >>= 4) {
        uint32_t width = (uint32_t)(widths & 15);
        if (j >= row) {
            taking t = take_by(width, 0);
            store(steps, _mm256_add_epi32(least, take(&t, at)));
            store(steps + 8, _mm256_add_epi32(least, take(&t, at + width)));
            steps += SIDE;
        }
        at += 2 * width;
    }
}

void lf__predict_two_avx2(const lf__predict_rows *rows, int row, int count, int32_t *steps) {
    if (rows->by_least)
        count_two(rows, row, count, steps);
    else
        retell_two(rows, row, count, steps);
}

// ---------------------------------------------------------------------------------------------------
// Max-plus
// ---------------------------------------------------------------------------------------------------

/// Eight maxima and eight differences: the first and the second numbers.
TARGET static inline void part(__m256i half, __m256i d, __m256i *a, __m256i *b) {
    __m256i zero = _mm256_setzero_si256();
    *a = _mm256_add_epi32(half, _mm256_min_epi32(d, zero));
    *b = _mm256_sub_epi32(half, _mm256_max_epi32(d, zero));
}

/// Numbers of both by turns.
TARGET static inline void store_by_turns(int32_t *to, __m256i a, __m256i b) {
    __m256i low = _mm256_unpacklo_epi32(a, b), high = _mm256_unpackhi_epi32(a, b);
    store(to, _mm256_permute2x128_si256(low, high, 0x20));
    store(to + 8, _mm256_permute2x128_si256(low, high, 0x31));
}

/// One step back of 8 differences or more; `s` and how rows go are as in maxplus.c.
TARGET static inline void together(const uint8_t *bytes, size_t bit, uint32_t width, int s,
                                   const int32_t *half, int32_t *whole) {
    taking t = take_by(width, (uint32_t)(bit & 7));
    const uint8_t *at = bytes + (bit >> 3);
    for (int k = 0; k < 1 << s; k += 8, at += width) {
        __m256i a, b;
        part(_mm256_loadu_si256((const __m256i *)(const void *)(half + k)), unfold(take(&t, at)), &a, &b);
        int32_t *to = whole + 2 * k;
        if ((s & 1) != 0) { // neighbours in rows
            store_by_turns(to, a, b);
        } else if (s == 4) { // rows of four
            store(to, _mm256_permute2x128_si256(a, b, 0x20));
            store(to + 8, _mm256_permute2x128_si256(a, b, 0x31));
        } else { // rows of eight
            store(to, a);
            store(to + 8, b);
        }
    }
}

TARGET void lf__maxplus_steps_avx2(const uint8_t *bytes, const uint8_t *widths, size_t bit,
                                   const int32_t *eight, int32_t *steps, int32_t *maxima) {
    int32_t four[16], five[32], six[64], seven[128];
    const int32_t *halves[] = {eight, four, five, six, seven};
    int32_t *wholes[] = {four, five, six, seven, steps};
    for (int s = 3; s < 8; s++) {
        together(bytes, bit, widths[s], s, halves[s - 3], wholes[s - 3]);
        bit += (size_t)widths[s] << s;
    }
    if (maxima) {
        memcpy(maxima, six, sizeof six);
        memcpy(maxima + 64, four, sizeof four);
    }
}

#endif
