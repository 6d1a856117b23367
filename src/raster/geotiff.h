/// GeoTIFF without GDAL: the files that need no more than this.
#ifndef LF_RASTER_GEOTIFF_H
#define LF_RASTER_GEOTIFF_H

#include "base/base.h"
#include <landfall/io.h>

/// A system that files may be in.
typedef struct lf__geotiff_system {
    int code; ///< EPSG
    bool degrees;
    double inverse_flattening;
    char name[40];
    const char *datum; ///< the name of its system in degrees
} lf__geotiff_system;

/// The system of a code; false: it is left to GDAL.
bool lf__geotiff_find(int code, lf__geotiff_system *system);

/// An open file, and what it says.
typedef struct lf__geotiff {
    int file; ///< descriptor; -1: not open
    uint64_t file_bytes;
    lf_allocator allocator; ///< the C library's: samples are read by several threads
    bool big;               ///< offsets have 64 bits
    lf_sample_type type;    ///< in the file as in memory
    int item;               ///< bytes of a sample
    bool deflate;
    int predictor;
    int64_t columns, rows;
    bool strips; ///< the last one may have fewer rows
    int64_t block_columns, block_rows, across;
    int64_t block_count;
    uint64_t *offsets, *counts; ///< of each block, one piece of memory
    double place[6];            ///< geotransform as GDAL has it
    bool point;                 ///< pixels are points
    lf_crs_kind kind;
    char crs[512]; ///< "EPSG:" and a number, or WKT2
    double inverse_flattening;
    bool nodata_given;
    double nodata;
    char unit[32]; ///< of the heights; empty without one
} lf__geotiff;

/// Where samples go: that of pixel (x, y) of a window is at first + x * step_x + y * step_y bytes.
typedef struct lf__geotiff_target {
    void *first;
    int64_t step_x, step_y;
} lf__geotiff_target;

/// Open a file. False: it is not there, or GDAL has to read it; nothing is open then.
bool lf__geotiff_open(const char *path, lf__geotiff *tiff);
void lf__geotiff_close(lf__geotiff *tiff);

/// Bytes of the file; false: it has not so many.
bool lf__geotiff_bytes(const lf__geotiff *tiff, uint64_t at, void *bytes, size_t count);

/// Bytes of block k without compression.
uint64_t lf__geotiff_block_bytes(const lf__geotiff *tiff, int64_t k);

/// Read pixels. False: GDAL has to read them. Threads: any number at once.
bool lf__geotiff_read(const lf__geotiff *tiff, const lf_window *window, const lf__geotiff_target *target);

/// A result to write.
typedef struct lf__geotiff_result {
    const char *path; ///< for messages
    const lf_raster *raster;
    const lf_result_def *def;
    const uint8_t *first; ///< the upper left pixel
    int64_t width, height, across, down;
    const double *place; ///< geotransform; NULL: none
} lf__geotiff_result;

/// Write a result of bytes to a new file. False: GDAL has to do it, and nothing was written.
bool lf__geotiff_write(const char *path, const lf__geotiff_result *result, lf_status *status,
                       lf_error *error);

/// The WKT2 of a local system in metres, as GDAL reads it from a GeoTIFF file.
bool lf__geotiff_local_crs(const char *name, char *text, size_t capacity);

#endif
