/// Size arithmetic that cannot wrap: the one place where bytes are counted.
#ifndef LF_BASE_SIZE_H
#define LF_BASE_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// product = a * b; false when that is beyond a size_t or beyond what pointers can subtract.
static inline bool lf__size_mul(size_t a, size_t b, size_t *product) {
    return !__builtin_mul_overflow(a, b, product) && *product <= (size_t)PTRDIFF_MAX;
}

/// sum = a + b, checked alike.
static inline bool lf__size_add(size_t a, size_t b, size_t *sum) {
    return !__builtin_add_overflow(a, b, sum) && *sum <= (size_t)PTRDIFF_MAX;
}

/// Bytes of `count` items of `item` bytes; false for negative counts and for too many.
static inline bool lf__size_array(int64_t count, size_t item, size_t *bytes) {
    return count >= 0 && (uint64_t)count <= (uint64_t)SIZE_MAX && lf__size_mul((size_t)count, item, bytes);
}

#endif
