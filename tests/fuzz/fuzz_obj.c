#include "soup_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return soup_fuzz(lf__obj_read, data, size);
}
