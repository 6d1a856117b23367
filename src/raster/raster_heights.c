/// Heights that somebody holds: their range, and their way into files.
#include "raster/png.h"
#include "raster/raster_write.h"
#include <math.h>
#include <string.h>

lf_heights_range lf_heights_range_of(const lf_heights *heights) {
    lf_heights_range range = {INFINITY, -INFINITY, 0};
    for (int64_t j = 0; j < heights->rows; j++)
        for (int64_t i = 0; i < heights->columns; i++) {
            float z = heights->values[j * heights->stride + i];
            range.low = z < range.low ? z : range.low;
            range.high = z > range.high ? z : range.high;
            range.hole_count += z != z;
        }
    return range;
}

static lf_status held_rows(void *user, int64_t first, int64_t count, float *values, lf_error *error) {
    const lf_heights *heights = user;
    (void)error;
    for (int64_t j = 0; j < count; j++)
        memcpy(values + j * heights->columns, heights->values + (first + j) * heights->stride,
               (size_t)heights->columns * sizeof(float));
    return LF_OK;
}

typedef struct picture {
    const lf_heights *heights;
    lf_heights_range range;
} picture;

/// 1 is the lowest height and 65535 the highest; 0 is kept for holes.
static void grey_row(void *user, int64_t y, uint8_t *row) {
    const picture *picture = user;
    const lf_heights *heights = picture->heights;
    const float *values = heights->values + (heights->rows - 1 - y) * heights->stride;
    double low = (double)picture->range.low, span = (double)picture->range.high - low;
    for (int64_t i = 0; i < heights->columns; i++) {
        double share = span > 0 ? ((double)values[i] - low) / span : 0;
        unsigned grey = values[i] == values[i] ? 1 + (unsigned)(share * 65534.0 + 0.5) : 0;
        row[2 * i] = (uint8_t)(grey >> 8);
        row[2 * i + 1] = (uint8_t)grey;
    }
}

lf_status lf_heights_write(const char *path, const lf_heights *heights, const lf_host *host,
                           lf_error *error) {
    if (!path || !heights || !heights->values || heights->columns < 1 || heights->rows < 1 ||
        heights->stride < heights->columns)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "no path, or heights without values, rows or columns");
    if (!(heights->spacing > 0) || !isfinite(heights->spacing) || !isfinite(heights->x_low) ||
        !isfinite(heights->y_low))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "heights without a place: spacing must be above 0");
    if (lf__path_ends(path, ".tif") || lf__path_ends(path, ".tiff"))
        return lf__raster_write(path, heights, held_rows, (void *)(uintptr_t)heights, host, error);
    if (!lf__path_ends(path, ".png"))
        return lf__fail(error, LF_UNSUPPORTED, -1, "%s: heights go to .tif, .tiff or .png", path);
    picture picture = {heights, lf_heights_range_of(heights)};
    lf__png_shape shape = {heights->columns, heights->rows};
    return lf__png_write(path, &shape, grey_row, &picture, host, error);
}
