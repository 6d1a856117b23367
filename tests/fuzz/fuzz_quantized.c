// Tiles of quantized-mesh-1.0: whatever the bytes are, they are refused with a reason, or everything in them
// is in range and the net that is made of them answers, within its own bounds.
#include "fuzz.h"
#include "raster/quantized.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_tile(const lf__quantized *tile) {
    FUZZ_HOLDS(tile->vertex_count >= 3 && tile->triangle_count >= 1 && tile->low <= tile->high);
    for (int64_t i = 0; i < tile->vertex_count; i++)
        FUZZ_HOLDS(tile->u[i] <= LF__QUANTIZED_HIGH && tile->v[i] <= LF__QUANTIZED_HIGH &&
                   tile->h[i] <= LF__QUANTIZED_HIGH);
    for (int64_t i = 0; i < 3 * tile->triangle_count; i++)
        FUZZ_HOLDS(tile->corners[i] >= 0 && tile->corners[i] < tile->vertex_count);
    for (int side = 0; side < LF__TILE_SIDES; side++)
        for (int64_t i = 0; i < tile->side_counts[side]; i++)
            FUZZ_HOLDS(tile->sides[side][i] < tile->vertex_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lf__quantized tile;
    lf_error error = {LF_OK, -1, ""};
    lf_status status = lf__quantized_read(data, size, NULL, &tile, &error);
    FUZZ_HOLDS(status == LF_OK || (error.status == status && strlen(error.text) > 0));
    if (status != LF_OK)
        return 0;
    check_tile(&tile);
    lf__quantized_free(&tile);
    return 0;
}
