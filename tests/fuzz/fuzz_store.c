// Files of ground: whatever the bytes are, opening ends with an error that says why, or questions end.
#include "fuzz.h"
#include "store_ask.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    uint8_t *copy = aligned_alloc(64, (size + 63) / 64 * 64);
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    store_ask(copy, size);
    if (store_mend(copy, size)) // beyond the checksum of the header, which no fuzzer guesses
        store_ask(copy, size);
    if (store_mend_all(copy, size)) // and beyond those of sections and blocks
        store_ask(copy, size);
    free(copy);
    return 0;
}
