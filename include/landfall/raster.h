/// landfall/raster.h: rasters of heights from files, and coordinate reference systems (library landfall-io).
///
/// Everything that GDAL reads becomes samples and a placing, ready for lf_grid_create. Heights come out in metres, x and y in
/// metres or degrees, x always to the east: what a file has otherwise is converted and said in the log, or refused.
#ifndef LANDFALL_RASTER_H
#define LANDFALL_RASTER_H

#include <landfall/store.h>
#include <landfall/viewshed.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Heights hidden in the colours of a picture: name, value, word, what it is.
#define LF_ENCODING_LIST(X)                                                                                  \
    X(LF_ENCODING_NONE, 0, "none", "one band is the heights")                                                \
    X(LF_ENCODING_TERRAIN_RGB, 1, "terrain-rgb", "height = (red * 65536 + green * 256 + blue) / 10 - 10000") \
    X(LF_ENCODING_TERRARIUM, 2, "terrarium", "height = red * 256 + green + blue / 256 - 32768")

typedef enum lf_encoding {
#define LF_ENCODING_ENUM(name, value, word, text) name = value,
    LF_ENCODING_LIST(LF_ENCODING_ENUM)
#undef LF_ENCODING_ENUM
} lf_encoding;

/// What x and y of a raster are: name, value, word.
#define LF_CRS_KIND_LIST(X)                 \
    X(LF_CRS_NONE, 0, "none")               \
    X(LF_CRS_ENGINEERING, 1, "engineering") \
    X(LF_CRS_PROJECTED, 2, "projected")     \
    X(LF_CRS_DEGREES, 3, "degrees")

/// none: the file does not say, and they are taken for metres. engineering: metres from somewhere. projected: metres of a map
/// projection. degrees: longitude and latitude.
typedef enum lf_crs_kind {
#define LF_CRS_KIND_ENUM(name, value, word) name = value,
    LF_CRS_KIND_LIST(LF_CRS_KIND_ENUM)
#undef LF_CRS_KIND_ENUM
} lf_crs_kind;

/// The word for a kind, such as "degrees"; "?" for a value that is none. Static text. Threads: any.
LF_API const char *lf_crs_kind_word(lf_crs_kind kind);

/// How to read a raster; start from lf_raster_def_default().
typedef struct lf_raster_def {
    size_t size; ///< stamped by the default function
    lf_host host;
    int band; ///< from 1; 0 (default): the only one
    lf_encoding encoding;
    bool nodata_given; ///< take `nodata` instead of what the file says
    double
        nodata; ///< in the file's own numbers, or as a height where there is an encoding; NaN: no number is a hole
    double z_scale;     ///< finite, not 0: factor on the heights in metres; 1 by default
    const char *z_unit; ///< of the file's heights, such as "m", "ft", "us-ft"; NULL: as the file says
    const char *crs;    ///< of the file, instead of what it says: "EPSG:3006", WKT, a PROJ text; or NULL
    lf_window
        window;    ///< read only this, in pixels of the file from its first row and column; 0 x 0: everything
    size_t memory; ///< most bytes, samples and a grid's bounds together; 0: what the system has available
    bool
        thin; ///< accept a file or window of one row or column, which becomes two equal ones: a grid has no less
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
                         false};
    return def;
}

/// The same for languages that cannot inline: writes at most `size` bytes of the default to def.
LF_API void lf_raster_def_init(lf_raster_def *def, size_t size);

/// A raster in memory.
typedef struct lf_raster lf_raster;

/// What was read. Texts live as long as the raster.
typedef struct lf_raster_info {
    const char *format;   ///< GDAL's name of the driver, such as "GTiff"
    const char *stored;   ///< GDAL's name of the type in the file, such as "Int16"
    int band, band_count; ///< the band read (0 with an encoding), of how many
    bool
        placed; ///< false: the file does not say where it is; post (0, 0) stands at 0, 0 and the spacing is 1
    bool point; ///< the file says that its pixels are points; else areas. Posts are pixel centres either way
    lf_crs_kind kind;
    const char *crs;        ///< WKT2; NULL when the file has none
    const char *crs_name;   ///< NULL when the file has none
    lf_ellipsoid ellipsoid; ///< of the CRS; WGS84 when it has none
    double xy_unit; ///< metres that a unit of the file's own x and y has; 1 for degrees. Already applied
    double z_unit; ///< metres that a unit of the file's own heights has, negative for depths. Already applied
    bool z_unit_known; ///< false: nothing says so, and heights were taken for metres
    bool masked;       ///< there was a mask besides nodata
    size_t bytes;      ///< memory held
} lf_raster_info;

/// Read a raster into memory: anything that GDAL reads from a file or an archive (GeoTIFF, HGT, DTED, ASC, NetCDF, VRT, .zip,
/// .gz, "/vsizip/...", "NETCDF:..."), not from a server or a data base.
/// path    a file, or what GDAL understands as one
/// def     see above
/// raster  written only on success; give it back with lf_raster_close
/// error   optional; carries GDAL's own words where there are any
/// Sample types stay what they are (int16, uint16, float, double) or become one that holds every value; where none does, the
/// value is named and the file refused. Rotated and south-up rasters are placed as they lie; posts are pixel centres.
/// Errors: LF_IO_FAILED (no such file, reading failed), LF_BAD_FORMAT (not recognised, truncated, several bands or parts to choose
/// from, no place, a unit that is no length), LF_BAD_ARGUMENT (band, window, unit, CRS), LF_UNSUPPORTED (complex samples, earth-centred
/// CRS), LF_TOO_LARGE (more than there is memory, with both sizes), LF_NO_MEMORY, LF_CANCELLED.
/// Conversions and doubts are said in the host's log. Allocates with the host's allocator (GDAL with its own). Threads: any.
LF_API lf_status lf_raster_read(const char *path, const lf_raster_def *def, lf_raster **raster,
                                lf_error *error);

/// Give a raster back; NULL is fine. Grids that borrow from it must be gone. Threads: nobody else may be using it.
LF_API void lf_raster_close(lf_raster *raster);

/// What was read. Allocates nothing. Threads: any number at once.
LF_API lf_raster_info lf_raster_describe(const lf_raster *raster);

/// The def of a grid of this raster: samples, borrowed from the raster, and the placing; the rest as lf_grid_def_default has it, with
/// the raster's host. Row 0 is the southernmost where the raster is not turned. Where x are longitudes, along the columns, the grid has a turn of 360, and
/// wraps where the columns span it to half a column: their spacing is then set to a whole share of 360, and the log says so. Allocates nothing. Threads: any number at once.
LF_API lf_grid_def lf_raster_grid_def(const lf_raster *raster);

/// How the pixels of the file became the samples of the grid: what lf_store_def takes, for results from a .lf file. Allocates nothing.
/// Threads: any number at once.
LF_API lf_pixels lf_raster_pixels(const lf_raster *raster);

/// The raster that the grid of a .lf file was built from, without its samples: for lf_raster_describe and lf_result_write.
/// store   holds a grid
/// host    hooks (only the allocator is used) or NULL
/// raster  written only on success; give it back with lf_raster_close
/// error   optional
/// lf_raster_grid_def of it has no samples, so that lf_grid_create refuses it. A file that does not say how its pixels lay is north up.
/// Errors: LF_BAD_ARGUMENT (a file without a grid), LF_NO_MEMORY. Allocates. Threads: any.
LF_API lf_status lf_raster_from_store(const lf_store *store, const lf_host *host, lf_raster **raster,
                                      lf_error *error);

/// Called for a file that something is read from. `path` lives for the call only.
typedef void lf_file_found(void *user, const char *path);

/// List the files that a raster or a vector dataset is read from: the file itself, its sidecar files (.aux.xml, .prj, .ovr ...), the
/// sources of a VRT with theirs, the archive of a "/vsizip/..." path. Whoever writes must not replace any of them.
/// path   a file, or what GDAL understands as one
/// found  called for each file that exists, once per path, the file itself first
/// error  optional
/// What GDAL cannot open has no files but itself. Errors: LF_BAD_ARGUMENT. Allocates what GDAL needs. Threads: any.
LF_API lf_status lf_raster_files(const char *path, lf_file_found *found, void *user, lf_error *error);

/// Write the heights of a grid as a GeoTIFF: tiled, DEFLATE with predictor, float32 where that holds every height exactly and else float64, holes as
/// nodata NaN, in metres. Pixels are centred on posts.
/// path     ends in .tif or .tiff; written beside and renamed
/// crs      WKT of x and y, or NULL
/// xy_unit  metres that a unit of that CRS has, as lf_raster_info says; 1 for degrees
/// host     hooks (allocator, progress) or NULL
/// Errors: LF_BAD_ARGUMENT, LF_UNSUPPORTED (ending not known), LF_TOO_LARGE, LF_IO_FAILED, LF_NO_MEMORY, LF_CANCELLED.
/// Allocates rows of heights. Threads: any.
LF_API lf_status lf_grid_write(const char *path, const lf_grid *grid, const char *crs, double xy_unit,
                               const lf_host *host, lf_error *error);

// ---------------------------------------------------------------------------------------------------
// Results into files
// ---------------------------------------------------------------------------------------------------

/// What the numbers of a result are.
typedef enum lf_result_type {
    LF_RESULT_BYTE,   ///< uint8_t
    LF_RESULT_UINT32, ///< uint32_t
    LF_RESULT_FLOAT,  ///< float
    LF_RESULT_DOUBLE  ///< double
} lf_result_type;

/// May a file be replaced that exists? False ends lf_result_write with LF_BAD_ARGUMENT, with nothing replaced.
typedef bool lf_may_replace(void *user, const char *path);

/// Numbers for the posts of a raster; start from lf_result_def_default().
typedef struct lf_result_def {
    size_t size; ///< stamped by the default function
    lf_host host;
    lf_result_type type;
    const void *values;  ///< of the window's posts, row by row from its first (southernmost) one
    ptrdiff_t row_step;  ///< bytes from row to row; 0: packed
    ptrdiff_t band_step; ///< bytes from band to band; 0: packed
    int band_count;      ///< 1 by default
    lf_window window;    ///< posts of the raster's grid; all of them by default
    bool nodata_given;
    double nodata;               ///< what a post without an answer has
    const char *unit;            ///< of the numbers, such as "m"; or NULL
    const char *const *metadata; ///< "NAME=VALUE" texts; or NULL
    int64_t metadata_count;
    const char *const *band_names; ///< one for each band; or NULL
    const char *format;         ///< GDAL's name of a driver, such as "GTiff"; NULL: by the ending of the path
    const char *const *options; ///< "NAME=VALUE" texts for the driver; or NULL: what is usual here
    int64_t option_count;
    lf_may_replace *may_replace; ///< asked for every existing file that the result replaces; NULL: all may be
    void *may_replace_user;
    const double *geotransform; ///< 6 numbers, as GDAL counts, instead of the place of the window; or NULL
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
                         NULL};
    return def;
}

/// The same for languages that cannot inline: writes at most `size` bytes of the default to def.
LF_API void lf_result_def_init(lf_result_def *def, size_t size);

/// Write a result as a raster that lies on the pixels of the one its posts came from: the same order of rows and columns, the same
/// place and CRS (in metres where the file was in feet). GDAL's metadata name landfall and its version.
/// path    written beside (in a folder PATH.part) and renamed, with every file that the driver makes: all is there or what was there
/// raster  that the posts came from
/// def     see above
/// error   optional; carries GDAL's own words where there are any
/// Errors: LF_BAD_ARGUMENT (named; no driver of that name or for that ending), LF_UNSUPPORTED (a driver that cannot write, a device or a
/// pipe), LF_IO_FAILED, LF_NO_MEMORY, LF_CANCELLED. Allocates with the host's allocator (GDAL with its own). Threads: any.
LF_API lf_status lf_result_write(const char *path, const lf_raster *raster, const lf_result_def *def,
                                 lf_error *error);

// ---------------------------------------------------------------------------------------------------
// From one coordinate reference system to another
// ---------------------------------------------------------------------------------------------------

/// The way between two systems, by PROJ.
typedef struct lf_crs_way lf_crs_way;

/// Prepare a way.
/// from, to  "EPSG:4326", WKT, a PROJ text, ...; `to` may be NULL: the longitudes and latitudes that `from` is based on
/// host      hooks (only the allocator is used) or NULL
/// way       written only on success; give it back with lf_crs_way_destroy
/// error     optional
/// Errors: LF_BAD_ARGUMENT (a text that is no CRS, or no way between the two; with PROJ's words), LF_NO_MEMORY. Threads: any.
LF_API lf_status lf_crs_way_create(const char *from, const char *to, const lf_host *host, lf_crs_way **way,
                                   lf_error *error);

/// Give a way back; NULL is fine. Threads: nobody else may be using it.
LF_API void lf_crs_way_destroy(lf_crs_way *way);

/// Take points along the way, in place. x is the easting or longitude (in degrees) on both sides, whatever order of axes the systems
/// state. Heights stay as they are.
/// points  count of them, `stride` bytes apart (0: packed)
/// back    from `to` to `from`
/// Points that have no place on the other side become NaN in x and y; returns how many did.
/// Allocates what PROJ needs. Threads: one at a time.
LF_API int64_t lf_crs_way_go(lf_crs_way *way, lf_vec3 *points, size_t stride, int64_t count, bool back);

/// True east and north on the map of `from`, for a way that leads to longitudes and latitudes. On a projection north turns from place to place
/// (grid convergence), and on one that is not conformal east is not at right angles to it.
/// places     count of them, x and y on the map
/// compasses  count of them: steps of one metre in x and y; all NaN where a place has none. Directions to 1e-6 degrees
/// lon_lat    optional, count of them: where on the planet that is, in degrees; NaN likewise. At a pole the longitude is that of PROJ, and north is
///            the way along that meridian
/// Returns how many places have none, or -1 when the way leads to something else. Allocates what PROJ needs. Threads: one at a time.
LF_API int64_t lf_crs_way_compass(lf_crs_way *way, const lf_vec2 *places, int64_t count,
                                  lf_compass *compasses, lf_vec2 *lon_lat);

/// The azimuth on the map, clockwise from +y in [0, 360), of a true azimuth, by a compass; NaN where that is NaN.
/// Allocates nothing. Threads: any.
LF_API double lf_compass_to_map(const lf_compass *compass, double azimuth_deg);

/// The other way: the true azimuth, in [0, 360), of one on the map. Allocates nothing. Threads: any.
LF_API double lf_compass_to_true(const lf_compass *compass, double map_azimuth_deg);

#ifdef __cplusplus
}
#endif
#endif
