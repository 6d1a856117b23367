/// landfall/io.h: polygons, rasters, points and tiles from files and to files (library landfall-io).
#ifndef LANDFALL_IO_H
#define LANDFALL_IO_H

#include <landfall/sight.h>
#include <landfall/store.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------
// Polygon files
// ---------------------------------------------------------------------------------------------------

/// How to read polygons; start from lf_polygon_file_def_default().
typedef struct lf_polygon_file_def {
    size_t size;             ///< stamped by the default function
    lf_host host;            ///< hooks of the caller
    const char *const *only; ///< names of objects, groups or materials: only these are read; NULL: everything
    int64_t only_count;      ///< number of names
    /// Metres that a corner may be off the plane of its polygon before the polygon is cut; 0.001.
    double tolerance;
} lf_polygon_file_def;

static inline lf_polygon_file_def lf_polygon_file_def_default(void) {
    lf_polygon_file_def def = {sizeof(lf_polygon_file_def), {NULL, NULL, NULL, NULL}, NULL, 0, 0.001};
    return def;
}

/// Polygons read from a file, and their names. Polygons that are not convex or not flat have been cut into
/// triangles.
typedef struct lf_polygon_file lf_polygon_file;

/// What a polygon file holds.
typedef struct lf_polygon_file_info {
    const char *format;    ///< "PLY", "OBJ", "STL", ...
    int64_t cut_count;     ///< polygons that were cut into triangles
    int64_t dropped_count; ///< polygons without area, left out
    int64_t name_count;    ///< names of objects, groups and materials
    double precision;      ///< metres: largest rounding of a coordinate by the file or its reader
} lf_polygon_file_info;

/// Read a mesh file: PLY and OBJ in double precision by landfall itself; STL, OFF, glTF, GLB, DAE and 3DS by
/// Assimp, with node transforms applied. glTF, GLB, DAE and 3DS define an up axis and are rotated to z up;
/// the others are read as they are.
/// path    its ending selects the format
/// file    written only on success; free it with lf_polygon_file_close
/// error   optional; `where` is the offending line or byte
/// Errors: LF_IO_FAILED, LF_BAD_FORMAT (unreadable, truncated, NaN, index out of range), LF_BAD_GEOMETRY (no
/// polygon left), LF_UNSUPPORTED (unknown ending), LF_BAD_ARGUMENT (a name that does not occur; the message
/// lists those that do), LF_TOO_LARGE (a polygon with more than 10,000 corners that must be cut),
/// LF_NO_MEMORY, LF_CANCELLED. A warning is logged when single precision rounds by more than 1 mm, when
/// polygons without area are left out, and when polygons are so far from flat that their outlines cross: no
/// area is left out, a closed body stays closed. Assimp runs in a separate process, landfall-polygon-reader:
/// LF_BAD_FORMAT when it crashes or exceeds its limits, LF_UNSUPPORTED when it is not installed. Allocates
/// with the host's allocator. Threads: any; a host that waits for all of its children may consume its exit
/// status.
LF_API lf_status lf_polygon_file_read(const char *path, const lf_polygon_file_def *def,
                                      lf_polygon_file **file, lf_error *error);

/// Free the polygons of a file; NULL is accepted. Threads: no other thread may use it.
LF_API void lf_polygon_file_close(lf_polygon_file *file);

/// The polygons, valid until the file is closed. `users` is the index of the polygon's name, see
/// lf_polygon_file_name: its group or object or node, else its material; UINT64_MAX without one. NULL when
/// the file has no names. Allocates nothing. Threads: any.
LF_API lf_polygons lf_polygon_file_polygons(const lf_polygon_file *file);

/// What was read. Allocates nothing. Threads: any.
LF_API lf_polygon_file_info lf_polygon_file_describe(const lf_polygon_file *file);

/// The name number 0 <= index < name_count of an object, group or material; NULL beyond. Valid until the file
/// is closed. Allocates nothing. Threads: any.
LF_API const char *lf_polygon_file_name(const lf_polygon_file *file, int64_t index);

/// Write polygons such that reading them restores the same bits: vertices and corners only.
/// path      ends in .ply (binary, little endian, double) or .obj (as few digits as restore the bits)
/// polygons  corners in range, 3 or more per polygon, vertices finite
/// host      optional
/// The file is written beside the target and renamed: on any error the target stays as it was.
/// Errors: LF_UNSUPPORTED (another ending), LF_BAD_ARGUMENT (by polygon), LF_BAD_GEOMETRY (NaN or infinite
/// vertex), LF_TOO_LARGE (more than 2^32 - 1 vertices in PLY), LF_IO_FAILED, LF_NO_MEMORY, LF_CANCELLED.
/// Allocates a fixed buffer with the host's allocator. Threads: any.
LF_API lf_status lf_polygon_file_write(const char *path, const lf_polygons *polygons, const lf_host *host,
                                       lf_error *error);

// ---------------------------------------------------------------------------------------------------
// Heights on a raster as rows of floats, and their files
// ---------------------------------------------------------------------------------------------------

/// Heights on a regular raster, borrowed from the caller. Row 0 is the southernmost (lowest y), column 0
/// the westernmost. The sample of column i and row j is at x = x_low + i * spacing, y = y_low + j * spacing,
/// and its height is values[j * stride + i]. NaN is void. Where values is NULL, rows come from a callback: they may be more
/// than memory holds.
typedef struct lf_heights {
    const float *values; ///< the numbers
    int64_t columns;     ///< >= 1
    int64_t rows;        ///< >= 1
    int64_t stride;      ///< values from one row to the next, >= columns
    double x_low, y_low; ///< of the first sample
    double spacing;      ///< metres between samples, > 0
    /// For lf_heights_write of a GeoTIFF, where values is NULL: fills in `count` rows from row `first` on, packed. Called on
    /// the caller's thread for bands of rows from north to south, each row once. An error that it returns ends the writing.
    lf_status (*read)(void *user, int64_t first, int64_t count, float *values, lf_error *error);
    void *user; ///< passed to read
} lf_heights;

/// Write heights to a file: .tif or .tiff is a GeoTIFF (one band of float32, tiled, DEFLATE, voids as nodata
/// NaN, a local engineering coordinate system in metres); .png is a 16-bit grey picture of lowest to highest,
/// voids 0.
/// path     its ending selects the format; the file is written beside the target and renamed, so that it is
///          complete or absent
/// heights  valid, see above
/// host     hooks (allocator, progress) or NULL
/// error    optional
/// Errors: LF_BAD_ARGUMENT, LF_UNSUPPORTED (unknown ending; a picture of rows from a callback), LF_TOO_LARGE (more rows or
/// columns than the format holds), LF_IO_FAILED, LF_NO_MEMORY, LF_CANCELLED, and those of heights->read. Allocates with the host's allocator (GDAL and
/// libpng with their own). Threads: any.
LF_API lf_status lf_heights_write(const char *path, const lf_heights *heights, const lf_host *host,
                                  lf_error *error);

// ---------------------------------------------------------------------------------------------------
// Rasters of heights from files, and coordinate reference systems
//
// Everything that GDAL reads becomes samples and a geotransform, ready for lf_grid_create. Heights come out
// in metres, x and y in metres or degrees, x always to the east: other files are converted, which is logged,
// or refused.
// ---------------------------------------------------------------------------------------------------

/// Heights encoded in the colours of a picture: identifier, value, name, description.
#define LF_ENCODING_LIST(X)                                                                                  \
    X(LF_ENCODING_NONE, 0, "none", "one band is the heights")                                                \
    X(LF_ENCODING_TERRAIN_RGB, 1, "terrain-rgb", "height = (red * 65536 + green * 256 + blue) / 10 - 10000") \
    X(LF_ENCODING_TERRARIUM, 2, "terrarium", "height = red * 256 + green + blue / 256 - 32768")

typedef enum lf_encoding {
#define LF_ENCODING_ENUM(id, value, name, text) id = value,
    LF_ENCODING_LIST(LF_ENCODING_ENUM)
#undef LF_ENCODING_ENUM
} lf_encoding;

/// What x and y of a raster are: identifier, value, name.
#define LF_CRS_KIND_LIST(X)                 \
    X(LF_CRS_NONE, 0, "none")               \
    X(LF_CRS_ENGINEERING, 1, "engineering") \
    X(LF_CRS_PROJECTED, 2, "projected")     \
    X(LF_CRS_DEGREES, 3, "degrees")

/// none: the file has no CRS, and they are read as metres. engineering: metres from a local origin.
/// projected: metres of a map projection. degrees: longitude and latitude.
typedef enum lf_crs_kind {
#define LF_CRS_KIND_ENUM(id, value, name) id = value,
    LF_CRS_KIND_LIST(LF_CRS_KIND_ENUM)
#undef LF_CRS_KIND_ENUM
} lf_crs_kind;

/// The name of a kind, such as "degrees"; "?" for any other value. Static text. Threads: any.
LF_API const char *lf_crs_kind_name(lf_crs_kind kind);

/// A raster in memory.
typedef struct lf_raster lf_raster;

/// Which samples a program needs, for lf_raster_def. Called once, when everything but the samples is known.
/// raster   lf_raster_describe and lf_raster_grid_def may be called; the latter makes a grid without samples, which
///          answers where things are (lf_grid_locate, lf_viewshed_window)
/// windows  space for LF_RASTER_WINDOWS windows of samples of the grid; what is outside of the grid is ignored
/// Returns how many were written; -1: all samples are needed.
typedef int64_t lf_raster_reach(void *user, const lf_raster *raster, lf_window *windows);

/// The most windows that a lf_raster_reach writes.
#define LF_RASTER_WINDOWS 1024

/// Memory for samples that outlives the process, so that reading the same raster continues where it ended. Called on the thread
/// of lf_raster_read.
typedef struct lf_raster_keep {
    void *user; ///< passed to all
    /// Memory for the samples (which = 0) or the mask (1), as an earlier call of the same size left it, aligned to 64; NULL: no
    /// memory. It is the caller's, and must exist as long as the raster.
    void *(*memory)(void *user, int which, size_t bytes);
    bool (*has)(void *user,
                const lf_window *pixels); ///< have these pixels been read before? Always the same windows
    bool (*done)(void *user,
                 const lf_window *pixels); ///< they have been read. Returns false to end (LF_IO_FAILED)
    /// Called from time to time while samples are read again, to be checked: pages of a mapped file that are resident may be given
    /// back. Not NULL: fewer samples are in use at a time. Or NULL.
    void (*drop)(void *user);
} lf_raster_keep;

/// How to read a raster; start from lf_raster_def_default().
typedef struct lf_raster_def {
    size_t size;          ///< stamped by the default function
    lf_host host;         ///< hooks of the caller
    int band;             ///< from 1; 0 (default): the only one
    lf_encoding encoding; ///< of the pixels
    bool nodata_given;    ///< use `nodata` instead of that of the file
    /// In the file's own numbers, or as a height where there is an encoding; NaN: no number is void.
    double nodata;
    double z_scale;     ///< finite, not 0: factor on the heights in metres; 1 by default
    const char *z_unit; ///< of the file's heights, such as "m", "ft", "us-ft"; NULL: that of the file
    const char *crs;    ///< of the file, instead of its own: "EPSG:3006", WKT, a PROJ text; or NULL
    /// Read only this, in pixels of the file from its first row and column; 0 x 0: everything.
    lf_window window;
    /// Most bytes, samples and the bounds of a grid together; 0: what the system has available.
    size_t memory;
    /// Accept a file or window of one row or column, which becomes two equal ones: a grid has at least two.
    bool thin;
    /// Read only samples that this asks for, and those within LF_GRID_PART of them: the grid of the raster is partial
    /// unless these are most of the raster and `memory` is 0. NULL: all samples. What is left out is not checked.
    lf_raster_reach *reach;
    void *reach_user; ///< for `reach`
    /// Where a sample that `reach` asks for is void, read all samples: voids that sight passes are as high as the highest
    /// of all.
    bool reach_solid;
    /// With `reach`: least and greatest height of all samples, for lf_grid_def; low > high (default): not known.
    double partial_low;
    double partial_high;        ///< the greatest of them
    const lf_raster_keep *keep; ///< without `reach` and `thin`; or NULL
    /// Accept a code such as "EPSG:32632" as info.crs and info.crs_name, in place of WKT2 and a name: common GeoTIFF files are
    /// then read without GDAL, whose loading takes tens of milliseconds. False by default.
    bool crs_code;
    /// The type of the samples in memory depends on that of the file alone, as it does with `keep`. Otherwise (default) also on
    /// the numbers: 32-bit integers become floats where all are exact, and doubles where not.
    bool fixed_type;
} lf_raster_def;

static inline lf_raster_def lf_raster_def_default(void) {
    lf_raster_def def = {sizeof(lf_raster_def),
                         {NULL, NULL, NULL, NULL},
                         0,
                         LF_ENCODING_NONE,
                         false,
                         LF_NAN,
                         1,
                         NULL,
                         NULL,
                         {0, 0, 0, 0},
                         0,
                         false,
                         NULL,
                         NULL,
                         false,
                         LF_INFINITY,
                         -LF_INFINITY,
                         NULL,
                         false,
                         false};
    return def;
}

/// What was read. Texts live as long as the raster.
typedef struct lf_raster_info {
    const char *format;   ///< GDAL's name of the driver, such as "GTiff"
    const char *stored;   ///< GDAL's name of the type in the file, such as "Int16"
    int band, band_count; ///< the band read (0 with an encoding), of how many
    /// False: the file has no geotransform; sample (0, 0) is at 0, 0 and the spacing is 1.
    bool georeferenced;
    bool point; ///< the pixels of the file are points; else areas. Samples are pixel centres in both cases
    lf_crs_kind kind;       ///< which kind
    const char *crs;        ///< WKT2, or a code (see crs_code); NULL when the file has none
    const char *crs_name;   ///< NULL when the file has none
    lf_ellipsoid ellipsoid; ///< of the CRS; WGS84 when it has none
    double xy_unit;         ///< metres per unit of x and y in the file; 1 for degrees. Already applied
    double z_unit;     ///< metres per unit of the heights in the file, negative for depths. Already applied
    bool z_unit_known; ///< false: the file has no unit, and heights were read as metres
    bool masked;       ///< the file has a mask besides nodata
    size_t bytes;      ///< memory held
} lf_raster_info;

/// Read a raster into memory: anything that GDAL reads from a file or an archive (GeoTIFF, HGT, DTED, ASC,
/// NetCDF, VRT, .zip, .gz, "/vsizip/...", "NETCDF:..."), not from a server or a database.
/// path    a file, or what GDAL accepts as one
/// def     see above
/// raster  written only on success; free it with lf_raster_close
/// error   optional; with the message of GDAL where it has one
/// Sample types are kept (int16, uint16, float, double) or become one that holds every value; without such a
/// type the file is refused, naming the value. Rotated and south-up rasters keep their place; samples are
/// pixel centres.
/// Errors: LF_IO_FAILED (missing file, reading failed), LF_BAD_FORMAT (not recognised, truncated, several
/// bands or parts to choose from, no geotransform, a unit that is not a length), LF_BAD_ARGUMENT (band,
/// window, unit, CRS), LF_UNSUPPORTED (complex samples, earth-centred CRS), LF_TOO_LARGE (more than the
/// available memory, with both sizes), LF_NO_MEMORY, LF_CANCELLED. Conversions and doubts are logged.
/// Allocates with the host's allocator (GDAL with its own). Threads: any.
LF_API lf_status lf_raster_read(const char *path, const lf_raster_def *def, lf_raster **raster,
                                lf_error *error);

/// Free a raster; NULL is accepted. Grids that borrow from it must have been destroyed. Threads: no other
/// thread may use it.
LF_API void lf_raster_close(lf_raster *raster);

/// What was read. Allocates nothing. Threads: any number at once.
LF_API lf_raster_info lf_raster_describe(const lf_raster *raster);

/// The def of a grid of this raster: samples, borrowed from the raster, and the geotransform; the rest as in
/// lf_grid_def_default, with the host of the raster. Row 0 is the southernmost when the raster is not
/// rotated. When x are longitudes along the columns, the grid has a turn of 360, and wraps when the columns
/// span 360 degrees to half a column: their spacing is then set to exactly that, which is logged. Allocates
/// nothing. Threads: any number at once.
LF_API lf_grid_def lf_raster_grid_def(const lf_raster *raster);

/// How the pixels of the file became the samples of the grid, for lf_store_def and results from a .lf file.
/// Allocates nothing.
/// Threads: any number at once.
LF_API lf_pixels lf_raster_pixels(const lf_raster *raster);

/// The raster that the grid of a .lf file was built from, without its samples: for lf_raster_describe and
/// lf_result_write.
/// store   contains a grid
/// host    hooks (only the allocator is used) or NULL
/// raster  written only on success; free it with lf_raster_close
/// error   optional
/// lf_raster_grid_def of it has no samples, so that lf_grid_create refuses it. A file without the orientation
/// of its pixels is north up.
/// Errors: LF_BAD_ARGUMENT (a file without a grid), LF_NO_MEMORY. Allocates. Threads: any.
LF_API lf_status lf_raster_from_store(const lf_store *store, const lf_host *host, lf_raster **raster,
                                      lf_error *error);

/// Called for a file that a dataset is read from. `path` is valid only during the call.
typedef void lf_file_found(void *user, const char *path);

/// List the files that a raster or a vector dataset is read from: the file itself, its sidecar files
/// (.aux.xml, .prj, .ovr ...), the sources of a VRT with theirs, the archive of a "/vsizip/..." path. Output
/// must not replace any of them.
/// path   a file, or what GDAL accepts as one
/// found  called for each file that exists, once per path, the file itself first
/// error  optional
/// Of a file that GDAL cannot open only itself is reported. Errors: LF_BAD_ARGUMENT. Allocates what GDAL
/// needs. Threads: any.
LF_API lf_status lf_raster_files(const char *path, lf_file_found *found, void *user, lf_error *error);

/// Write a VRT that makes one raster of many: tiles on one grid of pixels, next to one another, overlapping or apart.
/// paths   count of them, 1 or more, rasters that GDAL reads; all with the CRS, spacing, type, number of bands, nodata value, scale, offset and
///         unit of the first, north up, and with pixels where those of the first would continue, to 1/100 pixel
/// vrt     where to write; paths that are not absolute are relative to its folder
/// def     host; nodata, for files without one; band is that of lf_raster_read later
/// error   optional; names the first file that differs, and in what
/// Where tiles overlap the last one counts that is not void there. Gaps are void: they need a nodata value, of the files or of
/// the def, unless samples are floats, where it is NaN.
/// Errors: LF_BAD_ARGUMENT, LF_BAD_FORMAT (a difference, or gaps without nodata), LF_IO_FAILED, LF_TOO_LARGE, LF_NO_MEMORY. Allocates. Threads: any.
LF_API lf_status lf_mosaic_write(const char *const *paths, int64_t count, const char *vrt,
                                 const lf_raster_def *def, lf_error *error);

/// Write the heights of a grid as a GeoTIFF: tiled, DEFLATE with predictor, float32 where that holds every
/// height exactly and else float64, voids as nodata NaN, in metres. Pixels are centred on samples.
/// path     ends in .tif or .tiff; written beside the target and renamed
/// crs      WKT of x and y, or NULL
/// xy_unit  metres per unit of that CRS, as in lf_raster_info; 1 for degrees
/// host     hooks (allocator, progress) or NULL
/// Errors: LF_BAD_ARGUMENT, LF_UNSUPPORTED (unknown ending), LF_TOO_LARGE, LF_IO_FAILED, LF_NO_MEMORY,
/// LF_CANCELLED. Allocates rows of heights. Threads: any.
LF_API lf_status lf_grid_write(const char *path, const lf_grid *grid, const char *crs, double xy_unit,
                               const lf_host *host, lf_error *error);

// ---------------------------------------------------------------------------------------------------
// Results into files
// ---------------------------------------------------------------------------------------------------

/// The type of the numbers of a result.
typedef enum lf_result_type {
    LF_RESULT_BYTE,   ///< uint8_t
    LF_RESULT_UINT32, ///< uint32_t
    LF_RESULT_FLOAT,  ///< float
    LF_RESULT_DOUBLE  ///< double
} lf_result_type;

/// Whether an existing file may be replaced. False ends lf_result_write with LF_BAD_ARGUMENT, with nothing
/// replaced.
typedef bool lf_may_replace(void *user, const char *path);

/// A part of a result that is in a file of its own.
typedef struct lf_result_tile {
    lf_window window; ///< its samples
    const char *path; ///< written by lf_result_write for that window
} lf_result_tile;

/// Numbers for the samples of a raster; start from lf_result_def_default().
typedef struct lf_result_def {
    size_t size;         ///< stamped by the default function
    lf_host host;        ///< hooks of the caller
    lf_result_type type; ///< of the values
    const void *values;  ///< of the samples of the window, row by row from its first (southernmost) one
    ptrdiff_t row_step;  ///< bytes from row to row; 0: packed
    ptrdiff_t band_step; ///< bytes from band to band; 0: packed
    int band_count;      ///< 1 by default
    lf_window window;    ///< samples of the grid of the raster; all of them by default
    bool nodata_given;   ///< is there a nodata value?
    double nodata;       ///< of a sample without an answer
    const char *unit;    ///< of the numbers, such as "m"; or NULL
    const char *const *metadata;   ///< "NAME=VALUE" texts; or NULL
    int64_t metadata_count;        ///< number of entries
    const char *const *band_names; ///< one for each band; or NULL
    const char *format;         ///< GDAL's name of a driver, such as "GTiff"; NULL: by the ending of the path
    const char *const *options; ///< "NAME=VALUE" texts for the driver; or NULL: the defaults of landfall
    int64_t option_count;       ///< number of options
    /// Called for every existing file that the result replaces; NULL: all may be replaced.
    lf_may_replace *may_replace;
    void *may_replace_user;     ///< passed to may_replace
    const double *geotransform; ///< 6 numbers, as in GDAL, instead of the geotransform of the window; or NULL
    lf_lattice
        lattice; ///< without a raster: where the samples lie; the first row of the file is the last of these
    const char *crs; ///< without a raster: of x and y, or NULL
    /// Instead of values: files of windows that do not overlap and together are `window`, of the same raster, type and bands.
    /// A path that ends in .vrt (or the format VRT) becomes a VRT of these files; otherwise their numbers are copied, and
    /// never all in memory.
    const lf_result_tile *tiles;
    int64_t tile_count; ///< number of tiles
    /// GeoTIFF: also halved copies down to 256 pixels along the longer side, of means where numbers are floats, else of every second number.
    bool overviews;
} lf_result_def;

static inline lf_result_def lf_result_def_default(void) {
    lf_result_def def = {sizeof(lf_result_def),
                         {NULL, NULL, NULL, NULL},
                         LF_RESULT_BYTE,
                         NULL,
                         0,
                         0,
                         1,
                         {0, 0, 0, 0},
                         false,
                         0,
                         NULL,
                         NULL,
                         0,
                         NULL,
                         NULL,
                         NULL,
                         0,
                         NULL,
                         NULL,
                         NULL,
                         {{{0, 0}, {0, 0}, {0, 0}}, 0, 0},
                         NULL,
                         NULL,
                         0,
                         false};
    return def;
}

/// Write a result as a raster on the pixels of the one that its samples came from: the same order of rows and
/// columns, the same geotransform and CRS (in metres where the file was in feet). The metadata name landfall
/// and its version.
/// path    written beside the target (in a folder PATH.landfall-part) and renamed, with every file that the
///         driver creates: on any error the target stays as it was
/// raster  that the samples came from; NULL: they lie on def.lattice
/// def     see above
/// error   optional; with the message of GDAL where it has one
/// Errors: LF_BAD_ARGUMENT (no driver of that name or for that ending), LF_UNSUPPORTED (a driver that cannot
/// write, a device or a pipe), LF_IO_FAILED, LF_NO_MEMORY, LF_CANCELLED. Allocates with the host's allocator
/// (GDAL with its own). Threads: any.
LF_API lf_status lf_result_write(const char *path, const lf_raster *raster, const lf_result_def *def,
                                 lf_error *error);

// ---------------------------------------------------------------------------------------------------
// Transforms between coordinate reference systems
// ---------------------------------------------------------------------------------------------------

/// A transform between two systems, by PROJ.
typedef struct lf_crs_transform lf_crs_transform;

/// Create a transform.
/// from, to  "EPSG:4326", WKT, a PROJ text, ...; `to` may be NULL: the longitudes and latitudes that `from`
///           is based on
/// host      hooks (only the allocator is used) or NULL
/// transform  written only on success; free it with lf_crs_transform_destroy
/// error     optional
/// Errors: LF_BAD_ARGUMENT (a text that is not a CRS, or no transform between the two; with the message of
/// PROJ), LF_NO_MEMORY. Threads: any.
LF_API lf_status lf_crs_transform_create(const char *from, const char *to, const lf_host *host,
                                         lf_crs_transform **transform, lf_error *error);

/// Free a transform; NULL is accepted. Threads: no other thread may use it.
LF_API void lf_crs_transform_destroy(lf_crs_transform *transform);

/// Transform points in place. x is the easting or longitude (in degrees) on both sides, whatever the order of
/// axes of the systems. Heights stay as they are.
/// points  count of them, `stride` bytes apart (0: packed)
/// back    from `to` to `from`
/// Points that have no place on the other side become NaN in x and y; returns how many did.
/// Allocates what PROJ needs. Threads: one at a time.
LF_API int64_t lf_crs_transform_points(lf_crs_transform *transform, lf_vec3 *points, size_t stride,
                                       int64_t count, bool back);

/// True east and north on the map of `from`, for a transform to longitudes and latitudes. On a projection the
/// direction of north varies (grid convergence), and on one that is not conformal east is not at right angles
/// to it.
/// places     count of them, x and y on the map
/// compasses  count of them: steps of one metre in x and y; all NaN where a place has none. Directions to
///            1e-6 degrees
/// lon_lat    optional, count of them: longitude and latitude in degrees; NaN likewise. At a pole the
///            longitude is that of PROJ, and north is along that meridian
/// Returns how many places have none, or -1 when the transform is not to longitudes and latitudes. Allocates
/// what PROJ needs. Threads: one at a time.
LF_API int64_t lf_crs_transform_compass(lf_crs_transform *transform, const lf_vec2 *places, int64_t count,
                                        lf_compass *compasses, lf_vec2 *lon_lat);

/// The azimuth on the map, clockwise from +y in [0, 360), of a true azimuth, by a compass; NaN where that is
/// NaN. Allocates nothing. Threads: any.
LF_API double lf_compass_to_map(const lf_compass *compass, double azimuth_deg);

/// The inverse: the true azimuth, in [0, 360), of one on the map. Allocates nothing. Threads: any.
LF_API double lf_compass_to_true(const lf_compass *compass, double map_azimuth_deg);

// ---------------------------------------------------------------------------------------------------
// Named points from files: observers, stations, summits
// ---------------------------------------------------------------------------------------------------

/// A point on the map.
typedef struct lf_point {
    lf_vec2 at;       ///< on the map
    double height;    ///< as in its file; NAN without one
    const char *name; ///< as in its file; NULL without one. Valid until the points are closed
} lf_point;

/// How to read points; start from lf_points_def_default().
typedef struct lf_points_def {
    size_t size;     ///< stamped by the default function
    lf_host host;    ///< hooks of the caller
    const char *crs; ///< requested CRS: points of a file with its own CRS are transformed, others are in it;
                     ///< NULL: as they are
} lf_points_def;

static inline lf_points_def lf_points_def_default(void) {
    lf_points_def def = {sizeof(lf_points_def), {NULL, NULL, NULL, NULL}, NULL};
    return def;
}

/// Points in memory.
typedef struct lf_points lf_points;

/// Read points from a text or from a vector file.
/// path   text (.csv, .tsv, .txt): a point per line, columns separated by commas, semicolons or tabs, or by
///        blanks in a line without any of these; empty lines and those that start with # are skipped.
///        X,Y[,HEIGHT[,NAME]] in that order, or as named in the first line: x, lon, longitude, easting; y,
///        lat, latitude, northing; height, eye, h; name, id. Other files are read by GDAL: their one layer of
///        points, with fields of these names
/// def    see above
/// points written only on success; free them with lf_points_close. At least one
/// error  optional; `where` is the line, or the number of the feature
/// Errors: LF_IO_FAILED, LF_BAD_FORMAT (named by line or feature: not a number, not a point, no points,
/// several layers), LF_BAD_ARGUMENT (no transform between the systems), LF_NO_MEMORY, LF_TOO_LARGE. Allocates
/// with the host's allocator (GDAL with its own). Threads: any.
LF_API lf_status lf_points_read(const char *path, const lf_points_def *def, lf_points **points,
                                lf_error *error);

/// Free points; NULL is accepted. Threads: no other thread may use them.
LF_API void lf_points_close(lf_points *points);

/// The number of points. Allocates nothing. Threads: any number at once.
LF_API int64_t lf_points_count(const lf_points *points);

/// The point number 0 <= index < count; one at NAN, NAN beyond. Allocates nothing. Threads: any number at
/// once.
LF_API lf_point lf_points_get(const lf_points *points, int64_t index);

// ---------------------------------------------------------------------------------------------------
// Points and lines with fields into vector files
// ---------------------------------------------------------------------------------------------------

/// What a field of a feature holds.
typedef enum lf_vector_type {
    LF_VECTOR_NUMBER,  ///< a double
    LF_VECTOR_INTEGER, ///< a double without a fraction
    LF_VECTOR_TEXT     ///< a text
} lf_vector_type;

/// A field of every feature.
typedef struct lf_vector_field {
    const char *name;    ///< as in the file
    lf_vector_type type; ///< what it holds
} lf_vector_field;

/// A value of a field: the number or the text, by its type.
typedef struct lf_vector_value {
    double number;    ///< NAN: none
    const char *text; ///< NULL: none
} lf_vector_value;

#define LF_VECTOR_FIELDS 16 ///< most fields of a feature

/// A point, or a line between two.
typedef struct lf_vector_feature {
    lf_vec3 a, b;                             ///< a point is a
    lf_vector_value values[LF_VECTOR_FIELDS]; ///< of the fields, in their order
} lf_vector_feature;

/// What to write; start from lf_vector_def_default().
typedef struct lf_vector_def {
    size_t size;                   ///< stamped by the default function
    lf_host host;                  ///< hooks of the caller
    const char *layer;             ///< name of the layer
    const char *crs;               ///< a text that GDAL accepts, or NULL
    bool lines;                    ///< lines; else points
    const lf_vector_field *fields; ///< field_count of them
    int field_count;               ///< 0 .. LF_VECTOR_FIELDS
    /// Fills in the next feature; *more is true before the call, set to false when there is none. Anything but LF_OK ends the call
    /// with that status.
    lf_status (*next)(void *user, lf_vector_feature *feature, bool *more, lf_error *error);
    void *user; ///< passed to the callback
} lf_vector_def;

static inline lf_vector_def lf_vector_def_default(void) {
    lf_vector_def def = {
        sizeof(lf_vector_def), {NULL, NULL, NULL, NULL}, "landfall", NULL, false, NULL, 0, NULL, NULL};
    return def;
}

/// Write features into a vector file, one after the other. The file appears when it is complete.
/// path   .gpkg or .geojson
/// error  optional
/// Errors: LF_BAD_ARGUMENT (another ending, a CRS that GDAL does not know), LF_IO_FAILED, LF_NO_MEMORY, and those of def->next. Threads:
/// any, on different files.
LF_API lf_status lf_vector_write(const char *path, const lf_vector_def *def, lf_error *error);

// ---------------------------------------------------------------------------------------------------
// Folders of Cesium terrain tiles as the source of a globe
//
// A folder holds layer.json and tiles LEVEL/COLUMN/ROW.terrain of the format quantized-mesh-1.0, uncompressed
// or compressed by gzip, as servers of such tiles store them. Nothing is fetched over a network.
// ---------------------------------------------------------------------------------------------------

/// An open folder.
typedef struct lf_tile_folder lf_tile_folder;

/// Open a folder: its layer.json is read at once, its tiles when a globe fetches them.
/// path     of the folder, or of its layer.json
/// host     hooks (allocator, log) or NULL
/// folder   written only on success; free it with lf_tile_folder_close
/// error    optional; names the path and the offending value
/// Errors: LF_IO_FAILED, LF_BAD_FORMAT (layer.json is not valid, or of another format), LF_UNSUPPORTED (a
/// projection other than EPSG:4326), LF_NO_MEMORY. Threads: any.
LF_API lf_status lf_tile_folder_open(const char *path, const lf_host *host, lf_tile_folder **folder,
                                     lf_error *error);

/// Close a folder; NULL is accepted. Globes made of it must have been destroyed. Threads: no other thread may
/// use it.
LF_API void lf_tile_folder_close(lf_tile_folder *folder);

/// The provider of its tiles, for lf_globe_def with 2 x 1 roots, valid until the folder is closed. Tiles are
/// read immediately, never deferred. They have no bounds of finer ones, because the format has none. A tile
/// that cannot be read is reported to the globe with its path and the offending value.
/// level_count  optional: the number of levels, for lf_globe_def: those that layer.json lists as available, or else those
///              that exist as folders, from 0 on
/// Allocates nothing. Threads: one at a time.
LF_API lf_globe_provider lf_tile_folder_provider(lf_tile_folder *folder, int *level_count);

// ---------------------------------------------------------------------------------------------------
// Globes from raster files
// ---------------------------------------------------------------------------------------------------

/// Raster files in longitude and latitude, open for cutting tiles from them.
typedef struct lf_globe_rasters lf_globe_rasters;

/// Open raster files for a globe. Those that fit into half of the memory are read at once, others window by
/// window.
/// paths    count >= 1 of them, as for lf_raster_read, x and y in degrees
/// def      how to read them (band, nodata, unit ..); its window must be empty. memory: most bytes of heights
///          kept at a time, 0: 256 MiB
/// cells    along a side of a tile, about: 2 .. 1024
/// rasters  written only on success; free it with lf_globe_rasters_close
/// error    optional; names the file
/// Errors: those of lf_raster_read; LF_BAD_FORMAT when x and y are not degrees, or rows are not along
/// parallels. Threads: any.
LF_API lf_status lf_globe_rasters_open(const char *const *paths, int64_t count, const lf_raster_def *def,
                                       int cells, lf_globe_rasters **rasters, lf_error *error);

/// Close them; NULL is accepted. Globes of them must have been destroyed. Threads: no other thread may use
/// them.
LF_API void lf_globe_rasters_close(lf_globe_rasters *rasters);

/// The def of a globe of these files: provider, levels, the ellipsoid of the finest file, the host. Allocates
/// nothing. Threads: one at a time.
LF_API lf_globe_def lf_globe_rasters_def(const lf_globe_rasters *rasters);

// ---------------------------------------------------------------------------------------------------
// Files of landfall's own on servers and in archives
// ---------------------------------------------------------------------------------------------------

/// Open a file of GDAL's virtual file systems for lf_store_open_source, which then closes it.
/// path    begins with /vsi; GDAL's settings for retries, time limits and credentials apply
/// host    optional; its hooks are used as long as the file is open
/// source  written only on success
/// error   optional; names the path, with GDAL's message
/// Errors: LF_BAD_ARGUMENT, LF_IO_FAILED, LF_BAD_FORMAT (an empty file), LF_NO_MEMORY. Threads: any; GDAL reads on the thread that
/// queries.
LF_API lf_status lf_source_open_vsi(const char *path, const lf_host *host, lf_source *source,
                                    lf_error *error);

/// lf_store_open, and for paths that begin with /vsi through GDAL's virtual file systems: /vsicurl/URL, /vsis3/BUCKET/NAME,
/// /vsizip/ARCHIVE/NAME. Such a file is read in ranges, see lf_store_open_source: a query transfers the blocks that it needs.
/// path   of the file; GDAL's settings for retries, time limits and credentials apply
/// error  optional; names the path, with GDAL's message
/// Errors: those of lf_store_open; LF_IO_FAILED also for a server that does not send ranges. Threads: any; GDAL reads on the
/// thread that queries.
LF_API lf_status lf_store_open_vsi(const char *path, const lf_host *host, bool check, lf_store **store,
                                   lf_error *error);

// ---------------------------------------------------------------------------------------------------
// World files: rasters, meshes, models, boxes, buildings and a globe as one ground
// ---------------------------------------------------------------------------------------------------

/// A world read from a file.
typedef struct lf_world_file lf_world_file;

/// What a world file holds. Everything lives as long as the world.
typedef struct lf_world_file_info {
    const lf_ground *ground;  ///< all of it, a group: hits name the part by its place in the file
    const lf_grid *grid;      ///< of a world that is a single raster in its own place; else NULL
    lf_globe *globe;          ///< of a world on a globe, whose coordinates are earth-centred; else NULL
    lf_ellipsoid ellipsoid;   ///< of the globe
    const char *crs;          ///< of x and y of a world that is not on a globe, or NULL
    const char *vertical;     ///< the datum of heights as the file names it, or NULL
    int64_t part_count;       ///< in the file itself
    int64_t building_count;   ///< bodies made of footprints, in worlds within it too
    const char *const *files; ///< paths of all files that it names, and the worlds within it
    int64_t file_count;       ///< how many
    const lf_grid
        *terrain; ///< the first raster in its own place, whose samples are targets of viewsheds; or NULL
    const lf_group *group; ///< the group that `ground` is
} lf_world_file_info;

/// Read a world file, and everything that it names: docs/formats/world.md.
/// path   a JSON text; files that it names are relative to it
/// host   hooks or NULL
/// world  written only on success; free it with lf_world_file_close
/// error  optional; names the value by its path in the file, as in "parts[2].buildings.height"; `where` is the part, or the
///        line of a text that is not JSON
/// Errors: LF_IO_FAILED (a file is missing), LF_BAD_FORMAT (unknown keys, values out of bounds, parts without a place, a CRS
/// that does not fit, footprints whose edges cross, worlds that contain themselves), those of the calls that read the
/// parts, LF_NO_MEMORY, LF_CANCELLED. Allocates with the host's allocator (GDAL and Jansson with their own). Threads: any.
LF_API lf_status lf_world_file_open(const char *path, const lf_host *host, lf_world_file **world,
                                    lf_error *error);

/// Runs the scenes that world files name ({"scene": "yard.lua"}): landfall-io has no interpreter of its own.
typedef struct lf_world_scenes {
    /// Make a scene as a ground, in coordinates of its own, which are the world's where its part has no place.
    /// path    of the script
    /// land    the terrain among the earlier parts of the world; NULL: none
    /// ground  of the scene; lives until `close`
    /// scene   given to `close`
    lf_status (*open)(void *user, const char *path, const lf_ground *land, const lf_ground **ground,
                      void **scene, lf_error *error);
    void (*close)(void *user,
                  void *scene); ///< called by lf_world_file_close, and for scenes of a world that is refused
    void *user;                 ///< passed to both
} lf_world_scenes;

/// As lf_world_file_open, for worlds that may have scenes among their parts, which lf_world_file_open refuses.
/// scenes  used until the world is closed
LF_API lf_status lf_world_file_open_scenes(const char *path, const lf_host *host,
                                           const lf_world_scenes *scenes, lf_world_file **world,
                                           lf_error *error);

/// Free a world and all of its parts; NULL is accepted. Threads: no other thread may use it.
LF_API void lf_world_file_close(lf_world_file *world);

/// What it holds. Allocates nothing. Threads: any number at once.
LF_API lf_world_file_info lf_world_file_describe(const lf_world_file *world);

// ---------------------------------------------------------------------------------------------------
// The position of the sun, by libnova
// ---------------------------------------------------------------------------------------------------

/// Read a time: "2026-06-21", "2026-06-21T12:00", "2026-06-21T12:00:00" or with fractions of a second, a
/// blank instead of the T allowed; after it "Z" or the difference to UTC ("+02:00", "-0730", "+02"). Without
/// either it is UTC; without a time of day it is midnight. The Gregorian calendar is used throughout.
/// text          the whole text is the time; years 1000 .. 2999
/// unix_seconds  written only on success: since 1970-01-01T00:00Z, leap seconds not counted
/// error         optional; `where` is the offending character, from 0
/// Errors: LF_BAD_ARGUMENT, LF_BAD_FORMAT. Allocates nothing. Threads: any.
LF_API lf_status lf_time_read(const char *text, double *unix_seconds, lf_error *error);

/// The sun at a moment, independent of the place: for many places at once.
typedef struct lf_sun_moment {
    double right_ascension, declination; ///< of the sun, apparent; radians
    double turned;                       ///< sidereal time at Greenwich; radians
} lf_sun_moment;

/// The sun at a moment.
/// unix_seconds  within the years 1000 .. 2999
/// moment        written only on success
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any; calls are serialised.
LF_API lf_status lf_sun_moment_at(double unix_seconds, lf_sun_moment *moment);

/// The direction of the centre of the sun from a place on Earth at a moment: to 0.01 degrees.
/// lon_deg, lat_deg  finite, latitude -90 .. 90. At a pole azimuths are as if approached along that longitude
/// refraction        the apparent altitude in standard air (1010 hPa, 10 degrees C) instead of the true one
/// sun               written only on success; azimuth 0 .. 360 clockwise from true north, which on a
///                   projected map is not +y: see lf_compass_to_map; its hours are 0
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_sun_over(const lf_sun_moment *moment, double lon_deg, double lat_deg, bool refraction,
                             lf_sun *sun);

/// The direction of the centre of the sun from a place on Earth at a moment: as lf_sun_moment_at, then lf_sun_over.
static inline lf_status lf_sun_at(double lon_deg, double lat_deg, double unix_seconds, bool refraction,
                                  lf_sun *sun) {
    lf_sun_moment moment;
    lf_status status = lf_sun_moment_at(unix_seconds, &moment);
    return status == LF_OK ? lf_sun_over(&moment, lon_deg, lat_deg, refraction, sun) : status;
}

/// Which positions to collect; start from lf_sun_day_def_default() and set the place and the start.
typedef struct lf_sun_day_def {
    size_t size;             ///< stamped by the default function
    double lon_deg, lat_deg; ///< as in lf_sun_at
    double start;            ///< unix seconds, as from lf_time_read
    double hours;            ///< from the start on; > 0, 24 by default
    double step_minutes;     ///< > 0; 10 by default
    double lowest_deg;       ///< suns below this altitude are left out; -1 by default
    bool refraction;         ///< true by default
} lf_sun_day_def;

static inline lf_sun_day_def lf_sun_day_def_default(void) {
    lf_sun_day_def def = {sizeof(lf_sun_day_def), 0, 0, 0, 24, 10, -1, true};
    return def;
}

/// The positions of a day, or of any other time: one for each step, at the middle of the step and with its
/// length (the last step ends with the requested time). Ready for lf_sun_hours.
/// suns   space for capacity, in order of time
/// count  how many there are; when more than capacity, the first are written and LF_PARTIAL is returned
/// error  optional
/// Errors: LF_BAD_ARGUMENT (also for more than 10 million steps). Allocates nothing. Threads: as lf_sun_at.
LF_API lf_status lf_sun_day(const lf_sun_day_def *def, lf_sun *suns, int64_t capacity, int64_t *count,
                            lf_error *error);

#ifdef __cplusplus
}
#endif
#endif
