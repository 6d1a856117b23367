#include "polygon_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_polygon_file("obj", data, size);
}
