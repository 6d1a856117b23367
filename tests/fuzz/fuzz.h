/// What fuzz targets share.
#ifndef LF_TESTS_FUZZ_H
#define LF_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What libFuzzer, or our replay, calls for each input.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// Ends the program, so that the fuzzer keeps the input, unless a condition holds.
#define FUZZ_HOLDS(thing)                                                              \
    do {                                                                               \
        if (!(thing)) {                                                                \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #thing); \
            abort();                                                                   \
        }                                                                              \
    } while (0)

#endif
