/// Rasters of the benchmark of real DEMs.
#ifndef LF_BENCH_DEM_H
#define LF_BENCH_DEM_H

#include "support.h"

#include <landfall/io.h>
#include <landfall/sight.h>

/// GDAL's side: the raster in metres, in memory.
typedef struct dem_gdal dem_gdal;

typedef struct dem_raster {
    const char *name;
    char kind[32]; ///< such as "Int16 degrees voids"
    int64_t columns, rows;
    lf_raster *raster; ///< NULL: the raster is generated
    int16_t *samples;  ///< of a generated one
    lf_grid *grid;
    lf_geotransform geotransform;
    lf_sight_rules rules;
    uint8_t *seen;
    dem_gdal *gdal;
} dem_raster;

/// How many rasters there are, and their names.
int dem_count(void);
const char *dem_name(int index);

/// Open one; false: it is not there, or only for --large.
bool dem_open(int index, bool large, dem_raster *dem);
void dem_close(dem_raster *dem);

/// Open a file for GDAL: in UTM where it is in degrees.
dem_gdal *dem_gdal_open(const char *path, bool degrees, lf_vec2 centre);
/// The same for int16 samples, so many metres apart, the first at (0, 0).
dem_gdal *dem_gdal_samples(const int16_t *samples, int64_t side, double spacing);
/// One viewshed from a place in the coordinates of the original raster.
void dem_gdal_run(dem_gdal *gdal, lf_vec2 at, double eye, double coefficient);
void dem_gdal_close(dem_gdal *gdal);

#endif
