// Numbers: ours against the C library's, and there and back.
#include "fuzz.h"
#include <landfall/base.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char text[2048], written[LF_NUMBER_SIZE];
    size_t length = size < sizeof text - 1 ? size : sizeof text - 1;
    memcpy(text, data, length);
    text[length] = 0;
    double ours;
    const char *behind = lf_number_read(text, text + length, &ours);
    if (!behind)
        return 0;
    FUZZ_HOLDS(behind > text && behind <= text + length);
    if (!isfinite(ours))
        return 0;
    text[behind - text] = 0;
    double theirs = strtod(text, NULL); // fuzz targets run in the C locale
    FUZZ_HOLDS(memcmp(&ours, &theirs, sizeof ours) == 0);
    size_t written_length = lf_number_write(ours, written);
    double back;
    FUZZ_HOLDS(lf_number_read(written, written + written_length, &back) == written + written_length);
    FUZZ_HOLDS(memcmp(&ours, &back, sizeof ours) == 0);
    return 0;
}
