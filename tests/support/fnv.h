/// A short name for many bits, for golden tests.
#ifndef LF_TESTS_FNV_H
#define LF_TESTS_FNV_H

#include <stddef.h>
#include <stdint.h>

/// FNV-1a over bytes, going on from `hash` (start with TEST_FNV).
#define TEST_FNV 0xcbf29ce484222325u
static inline uint64_t test_fnv(uint64_t hash, const void *data, size_t size) {
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

#endif
