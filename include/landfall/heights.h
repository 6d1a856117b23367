/// landfall/heights.h: heights on a raster as plain rows, and the files they go to (library landfall-io).
#ifndef LANDFALL_HEIGHTS_H
#define LANDFALL_HEIGHTS_H

#include <landfall/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Heights on a regular raster, borrowed from whoever holds them. Row 0 is the southernmost (lowest y), column 0
/// the westernmost. The post of column i and row j stands at x = x_low + i * spacing, y = y_low + j * spacing,
/// and its height is values[j * stride + i]. NaN is a hole.
typedef struct lf_heights {
    const float *values;
    int64_t columns; ///< >= 1
    int64_t rows;    ///< >= 1
    int64_t stride;  ///< values from one row to the next, >= columns
    double x_low, y_low;
    double spacing; ///< metres between posts, > 0
} lf_heights;

/// Range of the heights that are no holes; low exceeds high when there are only holes.
typedef struct lf_heights_range {
    float low, high;
    int64_t hole_count;
} lf_heights_range;

/// Lowest and highest height and the number of holes. heights valid. Allocates nothing. Threads: any.
LF_API lf_heights_range lf_heights_range_of(const lf_heights *heights);

/// Write heights to a file: .tif or .tiff is a GeoTIFF (one band of float32, tiled, DEFLATE, holes as nodata
/// NaN, a local engineering coordinate system in metres); .png is a 16-bit grey picture of lowest to highest, holes 0.
/// path     its ending says which; the file is written beside and renamed, so that it is whole or not there
/// heights  valid, see above
/// host     hooks (allocator, progress) or NULL
/// error    optional
/// Errors: LF_BAD_ARGUMENT, LF_UNSUPPORTED (ending not known), LF_TOO_LARGE (more rows or columns than the format
/// holds), LF_IO_FAILED, LF_NO_MEMORY, LF_CANCELLED.
/// Allocates with the host's allocator (GDAL and libpng with their own). Threads: any.
LF_API lf_status lf_heights_write(const char *path, const lf_heights *heights, const lf_host *host,
                                  lf_error *error);

#ifdef __cplusplus
}
#endif
#endif
