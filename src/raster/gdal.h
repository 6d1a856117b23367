/// GDAL with manners: it says what is wrong to us and to nobody else, and opens only what is a file.
#ifndef LF_IO_GDAL_H
#define LF_IO_GDAL_H

#include "base/base.h"
#include <gdal.h>

/// One stretch of calls into GDAL on this thread. Failures are kept, the first one; warnings go to the log, the first few.
typedef struct lf__gdal {
    const lf_host *host;
    const char *path; ///< for messages
    char text[224];   ///< the first failure's words, on one line; empty when there was none
    int warnings;
} lf__gdal;

/// Begin and end a stretch; they nest as brackets do.
void lf__gdal_begin(lf__gdal *gdal, const char *path, const lf_host *host);
void lf__gdal_end(lf__gdal *gdal);

/// Fail with GDAL's words about the path, or with `instead` when it had none.
lf_status lf__gdal_fail(const lf__gdal *gdal, lf_status status, const char *instead, lf_error *error);

/// Open a raster for reading: a file, an archive with one raster in it, or a dataset with one part.
/// Errors: LF_IO_FAILED, LF_BAD_FORMAT.
lf_status lf__gdal_open(lf__gdal *gdal, GDALDatasetH *dataset, lf_error *error);

/// Whether a path ends in `ending` (lower case), in upper or lower case.
bool lf__path_ends(const char *path, const char *ending);

/// The names of all drivers with a capability (GDAL_DCAP_RASTER, GDAL_DCAP_VECTOR) that open files only, not servers or data bases; destroy
/// with CSLDestroy.
char **lf__gdal_drivers(const char *capability);

#endif
