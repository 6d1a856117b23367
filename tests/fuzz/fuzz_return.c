// Through files and the public calls: what is read can be written and comes back the same.
#include "polygon_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_polygon_file("ply", data, size);
}
