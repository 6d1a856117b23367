/// Heights into files.
#ifndef LF_IO_RASTER_WRITE_H
#define LF_IO_RASTER_WRITE_H

#include "base/base.h"
#include <landfall/io.h>

/// Fills in `count` rows from row `first` on (from the south), packed.
typedef lf_status lf__rows_source(void *user, int64_t first, int64_t count, float *values, lf_error *error);

/// Write a GeoTIFF whose rows come from a source, a band at a time, from the north. `shape` says everything but
/// the values. Errors as lf_heights_write, and those of the source.
lf_status lf__raster_write(const char *path, const lf_heights *shape, lf__rows_source *source, void *user,
                           const lf_host *host, lf_error *error);

/// Does a path end like this, in capitals or not?
bool lf__path_ends(const char *path, const char *ending);

#endif
