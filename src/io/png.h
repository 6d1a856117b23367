/// PNG files, written beside and renamed.
#ifndef LF_IO_PNG_H
#define LF_IO_PNG_H

#include "base/base.h"

/// What a picture is made of: 1 channel of 16 bits, or 3 or 4 of 8.
typedef struct lf__png_shape {
    int64_t width, height; ///< each 1 .. 2^31 - 1
    int channels;
} lf__png_shape;

/// Fills in row number y from the top: width * channels bytes (or big-endian pairs of bytes when channels is 1).
typedef void lf__png_row(void *user, int64_t y, uint8_t *row);

/// Write a picture. Errors: LF_IO_FAILED with the path and the reason, LF_NO_MEMORY, LF_TOO_LARGE.
lf_status lf__png_write(const char *path, const lf__png_shape *shape, lf__png_row *fill, void *user,
                        const lf_host *host, lf_error *error);

#endif
