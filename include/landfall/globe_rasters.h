/// landfall/globe_rasters.h: globes from raster files (library landfall-io).
#ifndef LANDFALL_GLOBE_RASTERS_H
#define LANDFALL_GLOBE_RASTERS_H

#include <landfall/globe.h>
#include <landfall/raster.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Raster files in longitude and latitude, open for cutting tiles from them.
typedef struct lf_globe_rasters lf_globe_rasters;

/// Open raster files for a globe. Those that fit into half of the memory are read at once, others window by window.
/// paths    count >= 1 of them, as lf_raster_read takes them, x and y in degrees
/// def      how to read them (band, nodata, unit ..); its window has to be empty. memory: most bytes of heights kept at a time, 0: 256 MiB
/// cells    along a side of a tile, about: 2 .. 1024
/// rasters  written only on success; give it back with lf_globe_rasters_close
/// error    optional; names the file
/// Errors: those of lf_raster_read; LF_BAD_FORMAT where x and y are not degrees, or posts do not lie along parallels. Threads: any.
LF_API lf_status lf_globe_rasters_open(const char *const *paths, int64_t count, const lf_raster_def *def,
                                       int cells, lf_globe_rasters **rasters, lf_error *error);

/// Close them; NULL is fine. Globes of them must be gone. Threads: nobody else may be using them.
LF_API void lf_globe_rasters_close(lf_globe_rasters *rasters);

/// The def of a globe of these files: provider, levels, the ellipsoid of the finest file, the host. Allocates nothing. Threads: one at a time.
LF_API lf_globe_def lf_globe_rasters_def(const lf_globe_rasters *rasters);

#ifdef __cplusplus
}
#endif
#endif
