/// Writing heights: their range, and PNG files of 16 bits per pixel, which cairo cannot write; complete or absent.
#ifndef LF_RASTER_HEIGHTS_WRITE_H
#define LF_RASTER_HEIGHTS_WRITE_H

#include "base/base.h"
#include <landfall/io.h>

/// Range of the heights that are not void; low exceeds high when all are void.
typedef struct lf__heights_range {
    float low, high;    ///< least and greatest height
    int64_t hole_count; ///< number of voids
} lf__heights_range;

/// Lowest and highest height and the number of voids.
lf__heights_range lf__heights_range_of(const lf_heights *heights);

/// Pixels of one channel of 16 bits.
typedef struct lf__png_shape {
    int64_t width, height; ///< each 1 .. 2^31 - 1
} lf__png_shape;

/// Fills in row number y from the top: width big-endian pairs of bytes.
typedef void lf__png_row(void *user, int64_t y, uint8_t *row);

/// Write an image. Errors: LF_IO_FAILED with the path and the reason, LF_NO_MEMORY, LF_TOO_LARGE.
lf_status lf__png_write(const char *path, const lf__png_shape *shape, lf__png_row *fill, void *user,
                        const lf_host *host, lf_error *error);

#endif
