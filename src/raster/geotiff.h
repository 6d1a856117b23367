/// GeoTIFF without GDAL: the files that need no more than this. And tiles of SRTM.
#ifndef LF_RASTER_GEOTIFF_H
#define LF_RASTER_GEOTIFF_H

#include "base/base.h"
#include <landfall/io.h>
#include <stdio.h>

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
    const char *driver;     ///< GDAL's name of the format
    lf_allocator allocator; ///< the C library's: samples are read by several threads
    bool big;               ///< offsets have 64 bits
    lf_sample_type type;    ///< in the file as in memory
    int item;               ///< bytes of a sample
    bool deflate;
    bool swapped; ///< the high byte of 16-bit samples is the first
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
bool lf__hgt_open(const char *path, lf__geotiff *tiff);   ///< a tile of SRTM, by its name
bool lf__plain_open(const char *path, lf__geotiff *tiff); ///< one of both
void lf__geotiff_close(lf__geotiff *tiff);

/// Is there nothing beside the raster, and no setting, by which GDAL reads something else than the file alone says?
bool lf__geotiff_alone(const char *path);

/// Bytes of the file; false: it has not so many.
bool lf__geotiff_bytes(const lf__geotiff *tiff, uint64_t at, void *bytes, size_t count);

/// Bytes of block k without compression.
uint64_t lf__geotiff_block_bytes(const lf__geotiff *tiff, int64_t k);

/// Read pixels. False: GDAL has to read them. Threads: any number at once.
bool lf__geotiff_read(const lf__geotiff *tiff, const lf_window *window, const lf__geotiff_target *target);

/// Open a file for its pixels alone, of which all bands lie together, without a predictor. False: it has another shape, or GDAL has to read it.
typedef struct lf__geotiff_shape {
    int64_t width, height;
    int item, bands; ///< bytes of a number, numbers of a pixel
} lf__geotiff_shape;
bool lf__geotiff_open_pixels(const char *path, const lf__geotiff_shape *shape, lf__geotiff *tiff);

// ---------------------------------------------------------------------------------------------------
// Writing
// ---------------------------------------------------------------------------------------------------

/// Keys of a CRS, as GDAL writes them.
typedef struct lf__geotiff_key_list {
    uint16_t numbers[4 * 8]; ///< a head and a key in each four of them
    int count;               ///< of keys
    double doubles[2];
    int double_count;
    char text[130];
} lf__geotiff_key_list;

/// The keys of a raster's CRS; none without one. False: GDAL knows more about it.
bool lf__geotiff_keys(const lf_raster *raster, lf__geotiff_key_list *keys);

/// A result to write.
typedef struct lf__geotiff_result {
    const char *path; ///< for messages
    const lf_raster *raster;
    const lf_result_def *def;
    const uint8_t *first; ///< the upper left pixel
    int64_t width, height, across, down, band_step;
    int item;            ///< bytes of a number
    const double *place; ///< geotransform; NULL: none
} lf__geotiff_result;

/// Write a result to a new file. False: GDAL has to do it, and nothing was written.
bool lf__geotiff_write(const char *path, const lf__geotiff_result *result, lf_status *status,
                       lf_error *error);

#define LF__GEOTIFF_BLOCK 256 // pixels along a side

typedef enum lf__geotiff_packing {
    LF__GEOTIFF_PLAIN = 1,
    LF__GEOTIFF_DEFLATE = 8,
    LF__GEOTIFF_PACKBITS = 32773
} lf__geotiff_packing; ///< their numbers in a file

/// The image, or a halved copy.
typedef struct lf__geotiff_level {
    int64_t width, height;           ///< pixels
    int64_t across, down;            ///< blocks
    uint64_t *offsets, *byte_counts; ///< of its blocks
} lf__geotiff_level;

#define LF__GEOTIFF_LEVELS 31

/// Blocks of a file that is being written: all levels.
typedef struct lf__geotiff_blocks {
    const lf__geotiff_result *result;
    FILE *file;
    uint64_t at; ///< bytes of the file so far
    lf__geotiff_packing packing;
    int effort; ///< of DEFLATE
    lf__geotiff_level levels[LF__GEOTIFF_LEVELS];
    int level_count;
} lf__geotiff_blocks;

/// Pack the pixels on all threads and write them, in an order that does not depend on the threads; with overviews, these too. Never
/// more than some blocks are in memory. Errors: LF_NO_MEMORY, LF_CANCELLED, LF_IO_FAILED where a file of a tile cannot be read. Errors of the file that is
/// written are found by ferror.
lf_status lf__geotiff_write_blocks(lf__geotiff_blocks *blocks, lf_error *error);

/// Pixels in memory, one after the other, with all bands.
typedef struct lf__geotiff_pixels {
    lf_window window; ///< of the image
    uint8_t *first;
    int64_t step; ///< bytes from row to row
} lf__geotiff_pixels;

/// Can the files of all tiles be read without GDAL?
bool lf__geotiff_tiles_plain(const lf__geotiff_result *result);

/// Read pixels from the files of tiles, on all threads.
lf_status lf__geotiff_tiles_read(const lf__geotiff_result *result, const lf__geotiff_pixels *pixels,
                                 lf_error *error);

/// The WKT2 of a local system in metres, as GDAL reads it from a GeoTIFF file.
bool lf__geotiff_local_crs(const char *name, char *text, size_t capacity);

#endif
