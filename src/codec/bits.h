/// Numbers of a few bits each, one behind the other: the least significant bit first, in bytes of ascending address.
#ifndef LF_PACK_BITS_H
#define LF_PACK_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// Bytes behind the last one that readers and writers may touch.
#define LF__BITS_SPARE 8

/// Signed numbers as unsigned ones, small for small: 0, -1, 1, -2, 2 ..
static inline uint32_t lf__zigzag(int32_t x) {
    return ((uint32_t)x << 1) ^ (x < 0 ? UINT32_MAX : 0);
}

static inline int32_t lf__zigzag_back(uint32_t x) {
    return (int32_t)((x >> 1) ^ (0u - (x & 1)));
}

/// How many bits a number takes, 0 for 0.
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

/// Write `count` numbers of `width` bits (0 .. 32) from bit `bit` on; the bits there and behind are 0. Returns the bit behind.
static inline size_t lf__bits_write(uint8_t *bytes, size_t bit, int width, const uint32_t *numbers,
                                    int count) {
    for (int k = 0; k < count; k++, bit += (size_t)width) {
        uint8_t *at = bytes + (bit >> 3);
        lf__store64(at, lf__load64(at) | (uint64_t)numbers[k] << (bit & 7));
    }
    return bit;
}

/// Read them.
static inline size_t lf__bits_read(const uint8_t *bytes, size_t bit, int width, uint32_t *numbers,
                                   int count) {
    uint64_t mask = ((uint64_t)1 << width) - 1;
    for (int k = 0; k < count; k++, bit += (size_t)width)
        numbers[k] = (uint32_t)(lf__load64(bytes + (bit >> 3)) >> (bit & 7) & mask);
    return bit;
}

#endif
