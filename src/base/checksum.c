#include "base/checksum.h"
#include <string.h>

#define P1 UINT64_C(11400714785074694791)
#define P2 UINT64_C(14029467366897019727)
#define P3 UINT64_C(1609587929392839161)
#define P4 UINT64_C(9650029242287828579)
#define P5 UINT64_C(2870177450012600261)

static inline uint64_t rotate(uint64_t x, int by) {
    return x << by | x >> (64 - by);
}

static inline uint64_t load64(const uint8_t *at) {
    uint64_t x;
    memcpy(&x, at, sizeof x);
    return x;
}

static inline uint64_t mix(uint64_t lane, uint64_t input) {
    return rotate(lane + input * P2, 31) * P1;
}

/// Stripes of 32 bytes in four lanes, which do not wait for one another.
static uint64_t sum_stripes(const uint8_t *at, size_t stripes, uint64_t seed) {
    uint64_t lanes[4] = {seed + P1 + P2, seed + P2, seed, seed - P1};
    for (size_t k = 0; k < stripes; k++, at += 32)
        for (int lane = 0; lane < 4; lane++)
            lanes[lane] = mix(lanes[lane], load64(at + 8 * lane));
    uint64_t sum = rotate(lanes[0], 1) + rotate(lanes[1], 7) + rotate(lanes[2], 12) + rotate(lanes[3], 18);
    for (int lane = 0; lane < 4; lane++)
        sum = (sum ^ mix(0, lanes[lane])) * P1 + P4;
    return sum;
}

uint64_t lf__xxh64(const void *data, size_t bytes, uint64_t seed) {
    const uint8_t *at = data;
    size_t left = bytes % 32;
    uint64_t sum = (bytes >= 32 ? sum_stripes(at, bytes / 32, seed) : seed + P5) + (uint64_t)bytes;
    at = at ? at + (bytes - left) : at;
    for (; left >= 8; left -= 8, at += 8)
        sum = rotate(sum ^ mix(0, load64(at)), 27) * P1 + P4;
    if (left >= 4) {
        uint32_t x;
        memcpy(&x, at, sizeof x);
        sum = rotate(sum ^ x * P1, 23) * P2 + P3;
        left -= 4, at += 4;
    }
    for (; left > 0; left--, at++)
        sum = rotate(sum ^ *at * P5, 11) * P1;
    sum = (sum ^ sum >> 33) * P2;
    sum = (sum ^ sum >> 29) * P3;
    return sum ^ sum >> 32;
}
