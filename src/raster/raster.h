/// What the files that read rasters share.
#ifndef LF_IO_RASTER_H
#define LF_IO_RASTER_H

#include "raster/gdal.h"
#include <landfall/io.h>
#include <ogr_srs_api.h>

/// How the pixels of a file became posts, for results that go back into pixels.
typedef struct lf__raster_turn {
    double
        place[6]; ///< from pixels of the file to x (east) and y (north), as GDAL counts, in metres or degrees
    lf_window window;      ///< pixels that were read,
    int64_t columns, rows; ///< of so many in the file
    bool transposed;       ///< rows of the file became columns
    bool flip_columns, flip_rows;
} lf__raster_turn;

struct lf_raster {
    lf_host host;
    lf_allocator allocator;
    lf_raster_info info;
    lf_samples samples;
    lf_geotransform geotransform;
    bool around; ///< x are longitudes, along the columns: they are taken modulo 360
    bool
        repeated; ///< the columns span 360 degrees, each once: behind each row of samples its first one lies again
    lf__raster_turn turn;
    bool nodata_given; ///< by the file, or by the def
    double nodata;
    void *values;
    size_t value_bytes;
    uint8_t *mask;
    size_t mask_bytes;
    char *crs, *crs_name; ///< NULL or taken with their length and a zero
    char format[40], stored[16];
};

#define LF__RASTER_BANDS 3 // red, green and blue of an encoding

/// A raster that is being read: what was asked for, what the file has, and how pixels become posts.
typedef struct lf__raster_source {
    lf__gdal gdal;
    const lf_raster_def *def;
    GDALDatasetH dataset;
    GDALRasterBandH bands[LF__RASTER_BANDS];
    int band_count; ///< 1, or 3 with an encoding
    lf_window window;
    double crs_z_unit; ///< metres per unit of the CRS's vertical part, negative for depths; 0: it has none
    bool swapped;      ///< the file's x is the system's northing
    bool transposed;   ///< rows of the file become columns
    bool flip_columns; ///< posts run against the file's pixels
    bool flip_rows;
} lf__raster_source;

/// A copy of a text in the raster's memory, freed with it.
lf_status lf__raster_text(lf_raster *raster, const char *text, char **kept);

/// The coordinate reference system: kind, text, ellipsoid, unit of x and y.
lf_status lf__raster_crs(lf__raster_source *source, lf_raster *raster, lf_error *error);

/// Metres per unit of the heights, from the band, the vertical part of the CRS, or the def.
lf_status lf__raster_z_unit(lf__raster_source *source, lf_raster *raster, lf_error *error);

/// Where posts stand and how pixels are turned to get there. The CRS comes first.
lf_status lf__raster_place(lf__raster_source *source, lf_raster *raster, lf_error *error);

/// The samples: type, nodata, scale and offset, mask; estimate against memory; read in blocks; looked through.
lf_status lf__raster_samples(lf__raster_source *source, lf_raster *raster, lf_error *error);

/// After reading: no height is beyond what ground can be; what looks like undeclared nodata is said.
lf_status lf__raster_look(const lf__raster_source *source, lf_raster *raster, lf_error *error);

/// A system from a text, x always the easting or longitude; NULL when it is none, with GDAL's words kept. Free with
/// OSRDestroySpatialReference.
OGRSpatialReferenceH lf__crs_from_text(const char *text);

/// Metres of a unit of length by its name ("m", "US survey foot", "Meters above sea level"); 0 when it is none.
double lf__length_unit(const char *name);

/// Bytes of memory that can still be taken; SIZE_MAX when nobody knows.
size_t lf__memory_available(void);

#endif
