/// XXH64: a checksum that takes about a tenth of a nanosecond per byte.
#ifndef LF_BASE_CHECKSUM_H
#define LF_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/// XXH64 as everybody else computes it (xxhash.com), the bytes taken as little-endian. Sums over several stretches are chained: the
/// seed of the next is the sum of the one before.
uint64_t lf__xxh64(const void *data, size_t bytes, uint64_t seed);

#endif
