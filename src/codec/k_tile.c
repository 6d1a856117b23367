/// AVX2 decoders of predicted and of max-plus tiles, eight numbers at a time, with the results of the scalar
/// ones.
///
/// Eight numbers of up to 15 bits lie in 16 bytes. A shuffle moves the four bytes in which a number begins to
/// its lane; a shift and a mask extract the number.
#include "codec/codec.h"

#if LF__SIMD
#include "base/k_simd.h"

#define TARGET LF__SIMD_TARGET
/// Shuffle, shift and mask that extract eight numbers.
typedef struct tile_unpacker {
    __m256i shuffle, shift, mask;
} tile_unpacker;

/// For numbers of `width` bits that begin `skip` bits (0 .. 7) after the start of a byte, together at most 16
/// bytes.
TARGET static inline tile_unpacker tile_unpacker_for(uint32_t width, uint32_t skip) {
    __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i bit = _mm256_add_epi32(_mm256_mullo_epi32(lane, _mm256_set1_epi32((int)width)),
                                   _mm256_set1_epi32((int)skip));
    __m256i byte = _mm256_mullo_epi32(_mm256_srli_epi32(bit, 3), _mm256_set1_epi32(0x01010101));
    // Bytes beyond the 16th hold only bits of other numbers, which the mask removes, so the shuffle may wrap
    // around.
    return (tile_unpacker){_mm256_add_epi8(byte, _mm256_set1_epi32(0x03020100)),
                           _mm256_and_si256(bit, _mm256_set1_epi32(7)),
                           _mm256_set1_epi32((int)(((uint32_t)1 << width) - 1))};
}

/// The same for numbers that begin with a byte, tabulated for each width.
typedef struct tile_layout {
    uint32_t shuffle[8], shift[8];
} tile_layout;

#define BYTES_OF(width, lane) (0x01010101u * ((lane) * (width) >> 3) + 0x03020100u)
#define SHIFT_OF(width, lane) ((lane) * (width)&7)
#define EIGHT(what, width)                                                                   \
    {                                                                                        \
        what(width, 0u), what(width, 1u), what(width, 2u), what(width, 3u), what(width, 4u), \
            what(width, 5u), what(width, 6u), what(width, 7u)                                \
    }
#define LAYOUT(width) \
    { EIGHT(BYTES_OF, width), EIGHT(SHIFT_OF, width) }
static _Alignas(64) const tile_layout tile_layouts[16] = {
    LAYOUT(0u), LAYOUT(1u), LAYOUT(2u),  LAYOUT(3u),  LAYOUT(4u),  LAYOUT(5u),  LAYOUT(6u),  LAYOUT(7u),
    LAYOUT(8u), LAYOUT(9u), LAYOUT(10u), LAYOUT(11u), LAYOUT(12u), LAYOUT(13u), LAYOUT(14u), LAYOUT(15u)};
#undef LAYOUT
#undef EIGHT
#undef SHIFT_OF
#undef BYTES_OF

TARGET static inline tile_unpacker tile_unpacker_of(uint32_t width) {
    const tile_layout *layout = &tile_layouts[width];
    return (tile_unpacker){_mm256_load_si256((const __m256i *)(const void *)layout->shuffle),
                           _mm256_load_si256((const __m256i *)(const void *)layout->shift),
                           _mm256_set1_epi32((int)(((uint32_t)1 << width) - 1))};
}

TARGET static inline __m256i tile_unpack8(const tile_unpacker *t, const uint8_t *at) {
    __m256i bytes = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)at));
    __m256i lanes = _mm256_shuffle_epi8(bytes, t->shuffle);
    return _mm256_and_si256(_mm256_srlv_epi32(lanes, t->shift), t->mask);
}

TARGET static inline __m256i tile_unzigzag8(__m256i x) {
    __m256i one = _mm256_set1_epi32(1);
    __m256i sign = _mm256_sub_epi32(_mm256_setzero_si256(), _mm256_and_si256(x, one));
    return _mm256_xor_si256(_mm256_srli_epi32(x, 1), sign);
}

TARGET static inline void tile_store8(int32_t *to, __m256i numbers) {
    _mm256_storeu_si256((__m256i *)(void *)to, numbers);
}

// ---------------------------------------------------------------------------------------------------
// Prediction
// ---------------------------------------------------------------------------------------------------

/// Prefix sums of the lanes.
TARGET static inline __m256i tile_prefix_sums(__m256i x) {
    x = _mm256_add_epi32(x, _mm256_slli_si256(x, 4));
    x = _mm256_add_epi32(x, _mm256_slli_si256(x, 8));
    __m256i half = _mm256_permutevar8x32_epi32(x, _mm256_setr_epi32(3, 3, 3, 3, 3, 3, 3, 3));
    return _mm256_add_epi32(x, _mm256_blend_epi32(_mm256_setzero_si256(), half, 0xf0));
}

TARGET static void tile_rows_lorenzo(const lf__predict_rows *rows, int32_t *steps) {
    const uint8_t *at = rows->bytes;
    __m256i low = _mm256_setr_epi32((int32_t)rows->first, 0, 0, 0, 0, 0, 0, 0), high = _mm256_setzero_si256();
    uint64_t widths = rows->widths;
    for (int j = 0; j < LF__CODEC_SIDE; j++, widths >>= 4) {
        uint32_t width = (uint32_t)(widths & 15);
        if (width > 0) {
            tile_unpacker t = tile_unpacker_of(width);
            low = _mm256_add_epi32(low, tile_unzigzag8(tile_unpack8(&t, at)));
            high = _mm256_add_epi32(high, tile_unzigzag8(tile_unpack8(&t, at + width)));
            at += 2 * width;
        }
        __m256i first = tile_prefix_sums(low);
        __m256i last = _mm256_permutevar8x32_epi32(first, _mm256_set1_epi32(7));
        tile_store8(steps + j * LF__CODEC_SIDE, first);
        tile_store8(steps + j * LF__CODEC_SIDE + 8, _mm256_add_epi32(tile_prefix_sums(high), last));
    }
}

TARGET static void tile_rows_over_least(const lf__predict_rows *rows, int32_t *steps) {
    const uint8_t *at = rows->bytes;
    __m256i least = _mm256_set1_epi32((int32_t)rows->first);
    uint64_t widths = rows->widths;
    for (int j = 0; j < LF__CODEC_SIDE; j++, widths >>= 4) {
        uint32_t width = (uint32_t)(widths & 15);
        tile_unpacker t = tile_unpacker_of(width);
        tile_store8(steps + j * LF__CODEC_SIDE, _mm256_add_epi32(least, tile_unpack8(&t, at)));
        tile_store8(steps + j * LF__CODEC_SIDE + 8, _mm256_add_epi32(least, tile_unpack8(&t, at + width)));
        at += 2 * width;
    }
}

void lf__predict_rows_avx2(const lf__predict_rows *rows, int32_t *steps) {
    if (rows->by_least)
        tile_rows_over_least(rows, steps);
    else
        tile_rows_lorenzo(rows, steps);
}

/// Sums along columns for all rows up to the last requested one; sums along rows only for the requested ones.
TARGET static void tile_two_lorenzo(const lf__predict_rows *rows, int row, int count, int32_t *steps) {
    const uint8_t *at = rows->bytes;
    __m256i low = _mm256_setr_epi32((int32_t)rows->first, 0, 0, 0, 0, 0, 0, 0), high = _mm256_setzero_si256();
    uint64_t widths = rows->widths;
    for (int j = 0; j < row + count; j++, widths >>= 4) {
        uint32_t width = (uint32_t)(widths & 15);
        tile_unpacker t = tile_unpacker_of(width);
        low = _mm256_add_epi32(low, tile_unzigzag8(tile_unpack8(&t, at)));
        high = _mm256_add_epi32(high, tile_unzigzag8(tile_unpack8(&t, at + width)));
        at += 2 * width;
        if (j < row)
            continue;
        __m256i first = tile_prefix_sums(low);
        tile_store8(steps, first);
        tile_store8(steps + 8, _mm256_add_epi32(tile_prefix_sums(high),
                                                _mm256_permutevar8x32_epi32(first, _mm256_set1_epi32(7))));
        steps += LF__CODEC_SIDE;
    }
}

TARGET static void tile_two_over_least(const lf__predict_rows *rows, int row, int count, int32_t *steps) {
    const uint8_t *at = rows->bytes;
    __m256i least = _mm256_set1_epi32((int32_t)rows->first);
    uint64_t widths = rows->widths;
    for (int j = 0; j < row + count; j++, widths >>= 4) {
        uint32_t width = (uint32_t)(widths & 15);
        if (j >= row) {
            tile_unpacker t = tile_unpacker_of(width);
            tile_store8(steps, _mm256_add_epi32(least, tile_unpack8(&t, at)));
            tile_store8(steps + 8, _mm256_add_epi32(least, tile_unpack8(&t, at + width)));
            steps += LF__CODEC_SIDE;
        }
        at += 2 * width;
    }
}

void lf__predict_two_avx2(const lf__predict_rows *rows, int row, int count, int32_t *steps) {
    if (rows->by_least)
        tile_two_over_least(rows, row, count, steps);
    else
        tile_two_lorenzo(rows, row, count, steps);
}

// ---------------------------------------------------------------------------------------------------
// Max-plus
// ---------------------------------------------------------------------------------------------------

/// The first and second numbers of eight pairs, from their maxima and differences.
TARGET static inline void maxplus_halves8(__m256i half, __m256i d, __m256i *a, __m256i *b) {
    __m256i zero = _mm256_setzero_si256();
    *a = _mm256_add_epi32(half, _mm256_min_epi32(d, zero));
    *b = _mm256_sub_epi32(half, _mm256_max_epi32(d, zero));
}

/// Store two vectors interleaved.
TARGET static inline void tile_store_interleaved(int32_t *to, __m256i a, __m256i b) {
    __m256i low = _mm256_unpacklo_epi32(a, b), high = _mm256_unpackhi_epi32(a, b);
    tile_store8(to, _mm256_permute2x128_si256(low, high, 0x20));
    tile_store8(to + 8, _mm256_permute2x128_si256(low, high, 0x31));
}

/// One inverse step of at least 8 differences; `s`, a constant, is that of codec_maxplus.c.
TARGET __attribute__((always_inline)) static inline void
maxplus_back8(const uint8_t *bytes, size_t bit, uint32_t width, int s, const int32_t *half, int32_t *whole) {
    tile_unpacker t = tile_unpacker_for(width, (uint32_t)(bit & 7));
    const uint8_t *at = bytes + (bit >> 3);
    for (int k = 0; k < 1 << s; k += 8, at += width) {
        __m256i a, b;
        maxplus_halves8(_mm256_loadu_si256((const __m256i *)(const void *)(half + k)),
                        tile_unzigzag8(tile_unpack8(&t, at)), &a, &b);
        int32_t *to = whole + 2 * k;
        if ((s & 1) != 0) { // neighbours in rows
            tile_store_interleaved(to, a, b);
        } else if (s == 4) { // rows of four
            tile_store8(to, _mm256_permute2x128_si256(a, b, 0x20));
            tile_store8(to + 8, _mm256_permute2x128_si256(a, b, 0x31));
        } else { // rows of eight
            tile_store8(to, a);
            tile_store8(to + 8, b);
        }
    }
}

TARGET void lf__maxplus_steps_avx2(const uint8_t *bytes, const uint8_t *widths, size_t bit,
                                   const int32_t *eight, int32_t *steps, int32_t *maxima) {
    int32_t four[16], five[32], six[64], seven[128];
    maxplus_back8(bytes, bit, widths[3], 3, eight, four);
    maxplus_back8(bytes, bit += (size_t)widths[3] << 3, widths[4], 4, four, five);
    maxplus_back8(bytes, bit += (size_t)widths[4] << 4, widths[5], 5, five, six);
    maxplus_back8(bytes, bit += (size_t)widths[5] << 5, widths[6], 6, six, seven);
    maxplus_back8(bytes, bit + ((size_t)widths[6] << 6), widths[7], 7, seven, steps);
    if (maxima) {
        memcpy(maxima, six, sizeof six);
        memcpy(maxima + 64, four, sizeof four);
    }
}

#undef TARGET
#endif
