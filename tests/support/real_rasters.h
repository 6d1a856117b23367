/// The real rasters under dem/ of the test data: which there are, and how the odd ones among them are to be read.
#ifndef LF_TESTS_REAL_RASTERS_H
#define LF_TESTS_REAL_RASTERS_H

#include "support.h"
#include <landfall/io.h>

/// A file that is refused as it is, and with what words. Those of them that are rasters load when they are read like this.
typedef struct real_raster_odd {
    const char *name, *words;
    int band;
    const char *z_unit;
    double z_scale;
    lf_encoding encoding;
    bool nodata_zero;
    bool raster; ///< false: not a raster, however it is read
} real_raster_odd;

#define REAL_RASTER_ODD 10
extern const real_raster_odd real_raster_odds[REAL_RASTER_ODD];

/// What is odd about a file under dem/; NULL: nothing.
const real_raster_odd *real_raster_odd_of(const char *name);

/// How to read it; NULL: as usual.
lf_raster_def real_raster_def(const real_raster_odd *odd);

/// The path of a file under dem/; see test_data.
const char *real_raster_path(const char *name);

/// Every file under dem/, in every folder, by its name from there on, in the order of the alphabet. false: there is no data.
bool real_rasters_each(void (*visit)(const char *name, void *user), void *user);

#endif
