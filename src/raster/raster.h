/// Private header of the raster module: GDAL, rasters being read, output folders.
#ifndef LF_RASTER_H
#define LF_RASTER_H

#include "base/base.h"
#include "base/containers.h"
#include "raster/geotiff.h"
#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <gdal.h>
#include <landfall/io.h>
#include <ogr_api.h>
#include <ogr_srs_api.h>
// Generated from gdal_calls.txt: lf__gdal_calls, a table of pointers to GDAL's calls, and for each call a
// macro of its name that takes it from lf__gdal_loaded(). A new call is added to that list.
#include <gdal_calls.h>

// ---------------------------------------------------------------------------------------------------
// GDAL, with its messages kept for the caller, and only for datasets that are files
// ---------------------------------------------------------------------------------------------------

/// A sequence of calls into GDAL on this thread. The first failure is kept; the first few warnings go to the
/// log.
typedef struct lf__gdal {
    const lf_host *host;
    const char *path; ///< for messages
    char text[224];   ///< the message of the first failure, on one line; empty without one
    int warnings;
} lf__gdal;

/// The calls, with GDAL loaded by the first of them. Threads: any.
const lf__gdal_calls *lf__gdal_loaded(void);

/// Why GDAL cannot be loaded; empty where it can. All its calls return 0 then.
const char *lf__gdal_missing(void);

/// Begin and end such a sequence; they nest.
void lf__gdal_begin(lf__gdal *gdal, const char *path, const lf_host *host);
void lf__gdal_end(lf__gdal *gdal);

/// Fail with the path and GDAL's message, or with `instead` when it had none.
lf_status lf__gdal_fail(const lf__gdal *gdal, lf_status status, const char *instead, lf_error *error);

/// Open a raster for reading: a file, an archive with one raster in it, or a dataset with one part.
/// Errors: LF_IO_FAILED, LF_BAD_FORMAT.
lf_status lf__gdal_open(lf__gdal *gdal, GDALDatasetH *dataset, lf_error *error);

/// Whether a path ends in `ending` (lower case), in upper or lower case.
bool lf__path_ends(const char *path, const char *ending);

/// The names of all drivers with a capability (GDAL_DCAP_RASTER, GDAL_DCAP_VECTOR) that open only files, no
/// servers or databases; free with CSLDestroy.
char **lf__gdal_drivers(const char *capability);

// ---------------------------------------------------------------------------------------------------
// Rasters
// ---------------------------------------------------------------------------------------------------

/// How the pixels of a file became samples, for results that are written on the same pixels.
typedef struct lf__raster_turn {
    double place[6];  ///< from pixels of the file to x (east) and y (north), as in GDAL, in metres or degrees
    lf_window window; ///< pixels that were read,
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
    bool around; ///< x are longitudes along the columns, modulo 360
    bool
        repeated; ///< the columns span 360 degrees, each once: the first sample of each row is repeated after its last
    lf__raster_turn turn;
    bool nodata_given; ///< by the file, or by the def
    double nodata;
    void *values;
    size_t value_bytes;
    uint8_t *mask;
    size_t mask_bytes;
    bool kept;        ///< values and mask are the caller's (lf_raster_keep)
    bool partial;     ///< only samples of parts have been read; values and mask are sparse memory
    lf_window *parts; ///< of the grid, in its memory
    int64_t part_count, part_capacity;
    double partial_low, partial_high; ///< of all samples, as the def says
    char *crs, *crs_name;             ///< NULL, or allocated with their length and a zero
    char format[40], stored[16];
};

#define LF__RASTER_BANDS 3 // red, green and blue of an encoding

/// A raster being read: the request, what the file has, and how pixels become samples.
typedef struct lf__raster_source {
    lf__gdal gdal;
    const lf_raster_def *def;
    const lf__geotiff *plain; ///< read without GDAL: there is no dataset, there are no bands; or NULL
    GDALDatasetH dataset;
    int64_t columns, rows; ///< of the file
    GDALRasterBandH bands[LF__RASTER_BANDS];
    int band_count; ///< 1, or 3 with an encoding
    lf_window window;
    double crs_z_unit; ///< metres per unit of the CRS's vertical part, negative for depths; 0: it has none
    bool swapped;      ///< the file's x is the system's northing
    bool transposed;   ///< rows of the file become columns
    bool flip_columns; ///< samples are in the opposite order of the pixels
    bool flip_rows;
} lf__raster_source;

/// A copy of a text in the raster's memory, freed with it.
lf_status lf__raster_text(lf_raster *raster, const char *text, char **kept);

/// The coordinate reference system: kind, text, ellipsoid, unit of x and y.
lf_status lf__raster_crs(lf__raster_source *source, lf_raster *raster, lf_error *error);

/// Metres per unit of the heights, from the band, the vertical part of the CRS, or the def.
lf_status lf__raster_z_unit(lf__raster_source *source, lf_raster *raster, lf_error *error);

/// The geotransform, and how pixels are flipped or transposed to become samples. The CRS must be known.
lf_status lf__raster_place(lf__raster_source *source, lf_raster *raster, lf_error *error);

/// What the samples of a band are read as, and what they become in memory.
typedef struct lf__raster_type {
    lf_sample_type kept;
    size_t item;            ///< bytes of a sample in memory
    GDALDataType requested; ///< from GDAL
    int band_count;         ///< more than one: colours, combined to floats
    bool signed_bytes;      ///< read as 16-bit integers
    bool narrow;            ///< 32-bit integers, converted to floats while all are exact
    bool wide;              ///< 64-bit integers, converted to doubles
    double nodata;          ///< NaN: none
    bool has_nodata_bits;   ///< of wide integers
    int64_t nodata_bits;
} lf__raster_type;

/// Where samples are in memory: that of pixel (x, y) of the window is the item first + x * step_x + y * step_y.
typedef struct lf__raster_items {
    void *values;
    int64_t first, step_x, step_y;
} lf__raster_items;

/// The type that holds every value of the band; where `narrow` is allowed, of 32-bit integers the one that usually does.
lf_status lf__raster_type_of(const lf__raster_source *source, bool narrow, lf__raster_type *type,
                             lf_error *error);

/// The nodata value of the def or of the file: for samples in memory, and as the file has it.
void lf__raster_nodata(const lf__raster_source *source, lf__raster_type *type, lf_raster *raster);

/// Convert what was read of a block, in place. LF_UNSUPPORTED: an integer does not fit, narrow ones without a message: they
/// have to be read again, as doubles.
lf_status lf__raster_convert(const lf__raster_type *type, const lf__raster_items *items,
                             const lf_window *block, const char *path, lf_error *error);

/// The samples: type, nodata, scale and offset, mask; check of the memory; reading in blocks.
lf_status lf__raster_samples(lf__raster_source *source, lf_raster *raster, lf_error *error);

/// The blocks of a raster, or of the files of a mosaic.
typedef struct lf__file_blocks {
    int64_t left, top;     ///< pixel at which a file begins
    int64_t columns, rows; ///< of a file
    int64_t wide, high;    ///< of its blocks
} lf__file_blocks;

lf__file_blocks lf__file_blocks_of(lf__raster_source *source);

/// Pixels from `at` to the end, or to the next border: of files of so many pixels, of which one begins at `first`, or every `size` pixels
/// within a file.
int64_t lf__file_pixels(int64_t at, int64_t end, int64_t first, int64_t count, int64_t size);

/// Ask the def which samples are needed, and make parts of the grid of them: raster->partial is set where they are
/// less than half of all, or where the memory is limited.
lf_status lf__raster_parts(const lf__raster_source *source, lf_raster *raster, lf_error *error);

/// Scale and offset of the file, its unit and the def's factor, in one.
lf_status lf__raster_scale(const lf__raster_source *source, lf_raster *raster, lf_error *error);

/// A raster of one row or column, of `item` bytes a sample, gets a second one that is equal.
lf_status lf__raster_duplicate_thin(lf_raster *raster, size_t item, lf_error *error);

/// Free the samples; what is read next is all of them.
void lf__raster_free_samples(lf_raster *raster);

/// Whether a sample of the parts is void.
bool lf__raster_has_voids(const lf_raster *raster);

/// The parts, or all samples (the repeated column not included) as one.
const lf_window *lf__raster_part_list(const lf_raster *raster, lf_window *whole, int64_t *count);

/// After reading: refuse heights beyond what a grid accepts, and log what looks like undeclared nodata.
lf_status lf__raster_look(const lf__raster_source *source, lf_raster *raster, lf_error *error);

/// A CRS from a text, x always the easting or longitude; NULL when the text is not a CRS, with GDAL's message
/// kept. Free with OSRDestroySpatialReference.
OGRSpatialReferenceH lf__crs_from_text(const char *text);

/// Is it what GDAL has for a layer without a CRS? A GeoPackage names a CRS for every layer; by its standard
/// numbers 0 and -1 (99999 in later versions of GDAL) stand for undefined ones.
bool lf__crs_undefined(OGRSpatialReferenceH system);

/// Metres of a unit of length by its name ("m", "US survey foot", "Meters above sea level"); 0 for other
/// names.
double lf__length_unit(const char *name);

/// Bytes of memory that can still be allocated; SIZE_MAX when unknown.
size_t lf__memory_available(void);

// ---------------------------------------------------------------------------------------------------
// Output folders
// ---------------------------------------------------------------------------------------------------

/// A folder being filled. Zero it, open it, let files be written, then commit; abort at the single exit in
/// any case.
typedef struct lf__folder {
    lf_allocator allocator;
    char *texts; ///< one block: the final path, the folder, the path within it
    size_t texts_size;
    const char *path;   ///< of the file, links followed
    const char *folder; ///< path + LF__PART, or that and 2 and so on
    const char *inside; ///< the file's name in that folder: write to it
    int descriptor;     ///< of the folder, which is locked by it
    bool open;
} lf__folder;

/// Create the folder for what becomes `path`.
/// Errors: LF_IO_FAILED names the path and the system's reason, LF_UNSUPPORTED for devices and pipes,
/// LF_NO_MEMORY, LF_TOO_LARGE, LF_BAD_ARGUMENT.
lf_status lf__folder_open(lf__folder *folder, const char *path, const lf_host *host, lf_error *error);

/// Whether an existing file may be replaced.
typedef bool lf__folder_may_replace(void *user, const char *path);

/// Put everything in its place, the named file last. On failure the named file is the old one.
/// may_replace  called for each existing file before anything is moved; NULL: all may be replaced
/// Errors: LF_IO_FAILED, LF_BAD_ARGUMENT where a file may not be replaced.
lf_status lf__folder_commit(lf__folder *folder, lf__folder_may_replace *may_replace, void *user,
                            lf_error *error);

/// Remove the folder and what is in it, unless it has been committed. A zeroed one is accepted.
void lf__folder_abort(lf__folder *folder);

// ---------------------------------------------------------------------------------------------------
// Results of tiles
// ---------------------------------------------------------------------------------------------------

/// Pixels of a file.
typedef struct lf__result_image {
    int64_t column, row, width, height;
} lf__result_image;

/// The pixels of the raster's file that are a window of its samples.
lf__result_image lf__result_image_of(const lf_raster *raster, lf_window window);

/// Files of tiles, and what they become.
typedef struct lf__result_tiles {
    const lf_raster *raster;
    const lf_result_tile *list;
    int64_t count;
    GDALDataType type;
    lf__result_image image; ///< of all
    const char *beside;     ///< the VRT; NULL: paths stay as they are
    const lf_host *host;
} lf__result_tiles;

/// The text of a VRT that is described as a dataset is, and has the tiles as sources of its bands, with a zero behind it. The
/// caller frees it.
lf_status lf__result_vrt(GDALDatasetH described, const lf__result_tiles *tiles, const lf_allocator *allocator,
                         lf__array *text);
lf_status lf__result_vrt_write(const char *path, const char *text, const lf__gdal *gdal, lf_error *error);

/// Copy all numbers, some at a time.
lf_status lf__result_copy(GDALDatasetH from, GDALDatasetH to, const lf__result_tiles *tiles,
                          const lf__gdal *gdal, lf_error *error);

/// Add halved copies.
bool lf__result_overviews(GDALDatasetH dataset, bool average);

// ---------------------------------------------------------------------------------------------------
// Writing heights: their range, and PNG files of 16 bits per pixel, which cairo cannot write
// ---------------------------------------------------------------------------------------------------

/// Range of the heights that are not void; low exceeds high when all are void.
typedef struct lf__heights_range {
    float low, high;    ///< least and greatest height
    int64_t hole_count; ///< number of voids
} lf__heights_range;

/// Lowest and highest height and the number of voids.
lf__heights_range lf__heights_range_of(const lf_heights *heights);

/// Pixels of one channel of 16 bits.
typedef struct lf__png_shape {
    int64_t width, height; ///< each 1 .. 2^31 - 1
} lf__png_shape;

/// Fills in row number y from the top: width big-endian pairs of bytes.
typedef void lf__png_row(void *user, int64_t y, uint8_t *row);

/// Write an image. Errors: LF_IO_FAILED with the path and the reason, LF_NO_MEMORY, LF_TOO_LARGE.
lf_status lf__png_write(const char *path, const lf__png_shape *shape, lf__png_row *fill, void *user,
                        const lf_host *host, lf_error *error);

#endif
