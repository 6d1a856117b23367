/// Heights into files: rasters in memory, rows from a callback, and grids, as GeoTIFF by GDAL or as a grey
/// PNG.
#include "base/beside.h"
#include "raster/raster.h"
#include <cpl_error.h>
#include <cpl_string.h>
#include <math.h>
#include <string.h>

#define BAND_ROWS 256 // one row of tiles

// ---------------------------------------------------------------------------------------------------
// GeoTIFF, a band of rows at a time
// ---------------------------------------------------------------------------------------------------

/// A GeoTIFF to write.
typedef struct tiff {
    int64_t columns, rows;
    double place[6]; ///< the geotransform, as GDAL counts
    const char *crs; ///< a text that GDAL accepts, or NULL
    bool local;      ///< without a CRS: metres of a local engineering system
    bool doubles;    ///< `read` fills in doubles, which become float32 where that holds every height exactly
    /// Fill in `count` rows from row `first` on, counted from the south, packed.
    lf_status (*read)(const struct tiff *tiff, int64_t first, int64_t count, void *values, lf_error *error);
    const void *source;
    const lf_host *host;
    void *values; ///< of one band
} tiff;

static lf_status tiff_failure(const char *path, lf_error *error) {
    const char *reason = CPLGetLastErrorMsg();
    return lf__fail(error, LF_IO_FAILED, -1, "%s: %s", path,
                    reason && *reason ? reason : "GDAL could not write it");
}

/// The rows from `top` on, counted from the north, into memory from the south.
static lf_status read_band(const tiff *tiff, int64_t top, int64_t *count, lf_error *error) {
    *count = tiff->rows - top < BAND_ROWS ? tiff->rows - top : BAND_ROWS;
    return tiff->read(tiff, tiff->rows - top - *count, *count, tiff->values, error);
}

/// Whether float32 holds every height exactly.
static lf_status fits_floats(const tiff *tiff, bool *floats, lf_error *error) {
    const double *values = tiff->values;
    *floats = true;
    for (int64_t top = 0; tiff->doubles && top < tiff->rows && *floats; top += BAND_ROWS) {
        int64_t count;
        lf_status status = read_band(tiff, top, &count, error);
        if (status != LF_OK)
            return status;
        for (int64_t k = 0; k < count * tiff->columns && *floats; k++)
            *floats = isnan(values[k]) || (double)(float)values[k] == values[k];
        if (!lf__report(tiff->host, "look", top, tiff->rows))
            return lf__fail_plain(error, LF_CANCELLED);
    }
    return LF_OK;
}

static bool set_place(const tiff *tiff, GDALDatasetH dataset) {
    double place[6];
    memcpy(place, tiff->place, sizeof place);
    return GDALSetGeoTransform(dataset, place) == CE_None &&
           GDALSetRasterUnitType(GDALGetRasterBand(dataset, 1), "m") == CE_None &&
           GDALSetRasterNoDataValue(GDALGetRasterBand(dataset, 1), (double)NAN) == CE_None;
}

static bool set_crs(const tiff *tiff, GDALDatasetH dataset) {
    if (!tiff->crs && !tiff->local)
        return true;
    OGRSpatialReferenceH system = OSRNewSpatialReference(NULL);
    bool fine = system && (tiff->crs ? OSRSetFromUserInput(system, tiff->crs) == OGRERR_NONE
                                     : OSRSetLocalCS(system, "landfall local metres") == OGRERR_NONE &&
                                           OSRSetLinearUnits(system, "metre", 1.0) == OGRERR_NONE);
    if (fine && tiff->crs)
        OSRSetAxisMappingStrategy(system, OAMS_TRADITIONAL_GIS_ORDER);
    fine = fine && GDALSetSpatialRef(dataset, system) == CE_None;
    OSRDestroySpatialReference(system);
    return fine;
}

static GDALDatasetH create_tiff(const tiff *tiff, const char *path, bool floats) {
    GDALDriverH driver = GDALGetDriverByName("GTiff");
    double bytes = (double)tiff->columns * (double)tiff->rows * (floats ? 4 : 8);
    char **options = NULL;
    options = CSLSetNameValue(options, "TILED", "YES");
    options = CSLSetNameValue(options, "COMPRESS", "DEFLATE");
    options = CSLSetNameValue(options, "PREDICTOR", "3");
    options = CSLSetNameValue(options, "BIGTIFF", bytes > 2e9 ? "YES" : "NO");
    GDALDatasetH dataset = driver ? GDALCreate(driver, path, (int)tiff->columns, (int)tiff->rows, 1,
                                               floats ? GDT_Float32 : GDT_Float64, options)
                                  : NULL;
    CSLDestroy(options);
    return dataset;
}

/// Rows are counted from the south and the file starts in the north: the last row of each band is written
/// first, by a negative step through memory.
static lf_status write_bands(const tiff *tiff, GDALDatasetH dataset, const char *path, lf_error *error) {
    int columns = (int)tiff->columns, item = tiff->doubles ? sizeof(double) : sizeof(float);
    GSpacing line = (GSpacing)tiff->columns * item;
    for (int64_t top = 0; top < tiff->rows; top += BAND_ROWS) {
        int64_t count;
        lf_status status = read_band(tiff, top, &count, error);
        if (status != LF_OK)
            return status;
        if (GDALRasterIOEx(GDALGetRasterBand(dataset, 1), GF_Write, 0, (int)top, columns, (int)count,
                           (char *)tiff->values + (count - 1) * line, columns, (int)count,
                           tiff->doubles ? GDT_Float64 : GDT_Float32, item, -line, NULL) != CE_None)
            return tiff_failure(path, error);
        if (!lf__report(tiff->host, "write", top + count, tiff->rows))
            return lf__fail_plain(error, LF_CANCELLED);
    }
    return LF_OK;
}

static lf_status write_dataset(const tiff *tiff, const lf__beside *beside, lf_error *error) {
    bool floats;
    if (!beside->part)
        return lf__fail(error, LF_UNSUPPORTED, -1, "%s: a GeoTIFF cannot be written to a device or a pipe",
                        beside->path);
    lf_status status = fits_floats(tiff, &floats, error);
    if (status != LF_OK)
        return status;
    GDALDatasetH dataset = create_tiff(tiff, beside->part, floats);
    if (!dataset)
        return tiff_failure(beside->path, error);
    if (!set_place(tiff, dataset) || !set_crs(tiff, dataset))
        status = tiff_failure(beside->path, error);
    if (status == LF_OK)
        status = write_bands(tiff, dataset, beside->path, error);
    CPLErrorReset();
    GDALFlushCache(dataset);
    GDALClose(dataset);
    if (status == LF_OK && CPLGetLastErrorType() >= CE_Failure)
        status = tiff_failure(beside->path, error);
    return status;
}

static lf_status write_tiff(const char *path, tiff *tiff, lf_error *error) {
    if (!path || (!lf__path_ends(path, ".tif") && !lf__path_ends(path, ".tiff")))
        return lf__fail(error, LF_UNSUPPORTED, -1, "%s: expected a path that ends in .tif or .tiff",
                        path ? path : "NULL");
    if (tiff->columns > INT32_MAX - 1 || tiff->rows > INT32_MAX - 1)
        return lf__fail(error, LF_TOO_LARGE, -1, "%lld x %lld samples: a GeoTIFF holds at most %d x %d",
                        (long long)tiff->columns, (long long)tiff->rows, INT32_MAX - 1, INT32_MAX - 1);
    lf_allocator allocator = lf__allocator_of(tiff->host);
    size_t item = tiff->doubles ? sizeof(double) : sizeof(float);
    int64_t count = tiff->columns * (tiff->rows < BAND_ROWS ? tiff->rows : BAND_ROWS);
    lf__beside beside = {0};
    lf_status status = lf__allocate_array(&allocator, count, item, &tiff->values);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    status = lf__beside_open_named(&beside, path, tiff->host, error);
    if (status == LF_OK) {
        GDALAllRegister();
        CPLPushErrorHandler(CPLQuietErrorHandler);
        status = write_dataset(tiff, &beside, error);
        CPLPopErrorHandler();
    }
    if (status == LF_OK)
        status = lf__beside_commit(&beside, error);
    lf__beside_abort(&beside);
    lf__free_array(&allocator, tiff->values, count, item);
    return status;
}

// ---------------------------------------------------------------------------------------------------
// Rasters of floats
// ---------------------------------------------------------------------------------------------------

lf__heights_range lf__heights_range_of(const lf_heights *heights) {
    lf__heights_range range = {INFINITY, -INFINITY, 0};
    for (int64_t j = 0; j < heights->rows; j++)
        for (int64_t i = 0; i < heights->columns; i++) {
            float z = heights->values[j * heights->stride + i];
            range.low = z < range.low ? z : range.low;
            range.high = z > range.high ? z : range.high;
            range.hole_count += z != z;
        }
    return range;
}

static lf_status check_heights(const char *path, const lf_heights *heights, lf_error *error) {
    if (!path || !heights || heights->columns < 1 || heights->rows < 1)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "path or heights is NULL, or heights has no rows or columns");
    if (!(heights->spacing > 0) || !isfinite(heights->spacing) || !isfinite(heights->x_low) ||
        !isfinite(heights->y_low))
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "origin %g, %g and spacing %g: must be finite, the spacing above 0", heights->x_low,
                        heights->y_low, heights->spacing);
    return LF_OK;
}

/// Pixels are areas around their samples, so the raster begins half a spacing before the first sample.
static tiff tiff_of_heights(const lf_heights *heights, const lf_host *host) {
    double north = heights->y_low + ((double)heights->rows - 0.5) * heights->spacing;
    return (tiff){
        .columns = heights->columns,
        .rows = heights->rows,
        .place = {heights->x_low - 0.5 * heights->spacing, heights->spacing, 0, north, 0, -heights->spacing},
        .local = true,
        .source = heights,
        .host = host};
}

static lf_status read_callback(const tiff *tiff, int64_t first, int64_t count, void *values,
                               lf_error *error) {
    const lf_heights *heights = tiff->source;
    return heights->read(heights->user, first, count, values, error);
}

static lf_status read_memory(const tiff *tiff, int64_t first, int64_t count, void *values, lf_error *error) {
    const lf_heights *heights = tiff->source;
    (void)error;
    for (int64_t j = 0; j < count; j++)
        memcpy((float *)values + j * heights->columns, heights->values + (first + j) * heights->stride,
               (size_t)heights->columns * sizeof(float));
    return LF_OK;
}

typedef struct grey_picture {
    const lf_heights *heights;
    lf__heights_range range;
} grey_picture;

/// 1 is the lowest height and 65535 the highest; 0 is reserved for voids.
static void grey_row(void *user, int64_t y, uint8_t *row) {
    const grey_picture *picture = user;
    const lf_heights *heights = picture->heights;
    const float *values = heights->values + (heights->rows - 1 - y) * heights->stride;
    double low = (double)picture->range.low, span = (double)picture->range.high - low;
    for (int64_t i = 0; i < heights->columns; i++) {
        double share = span > 0 ? ((double)values[i] - low) / span : 0;
        unsigned grey = values[i] == values[i] ? 1 + (unsigned)(share * 65534.0 + 0.5) : 0;
        row[2 * i] = (uint8_t)(grey >> 8);
        row[2 * i + 1] = (uint8_t)grey;
    }
}

lf_status lf_heights_write(const char *path, const lf_heights *heights, const lf_host *host,
                           lf_error *error) {
    lf_status status = check_heights(path, heights, error);
    if (status != LF_OK)
        return status;
    if (!heights->values && !heights->read)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "values and read are NULL");
    if (heights->values && heights->stride < heights->columns)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "stride %lld is below %lld columns",
                        (long long)heights->stride, (long long)heights->columns);
    if (lf__path_ends(path, ".png") && !heights->values)
        return lf__fail(error, LF_UNSUPPORTED, -1,
                        "%s: rows from a callback: expected a path that ends in .tif or .tiff", path);
    if (lf__path_ends(path, ".png")) {
        grey_picture picture = {heights, lf__heights_range_of(heights)};
        lf__png_shape shape = {heights->columns, heights->rows};
        return lf__png_write(path, &shape, grey_row, &picture, host, error);
    }
    if (!lf__path_ends(path, ".tif") && !lf__path_ends(path, ".tiff"))
        return lf__fail(error, LF_UNSUPPORTED, -1, "%s: expected a path that ends in .tif, .tiff or .png",
                        path);
    tiff tiff = tiff_of_heights(heights, host);
    tiff.read = heights->values ? read_memory : read_callback;
    return write_tiff(path, &tiff, error);
}

// ---------------------------------------------------------------------------------------------------
// Grids
// ---------------------------------------------------------------------------------------------------

/// Errors: LF_BAD_FORMAT of a grid whose file is damaged.
static lf_status read_grid(const tiff *tiff, int64_t first, int64_t count, void *values, lf_error *error) {
    lf_status status = lf_grid_read(tiff->source, 0, first, tiff->columns, count, values);
    return status == LF_OK ? LF_OK : lf__fail_plain(error, status);
}

lf_status lf_grid_write(const char *path, const lf_grid *grid, const char *crs, double xy_unit,
                        const lf_host *host, lf_error *error) {
    if (!grid)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "grid is NULL");
    if (!(xy_unit > 0) || isinf(xy_unit))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "xy_unit %g: must be finite and above 0", xy_unit);
    lf_grid_info info = lf_grid_describe(grid);
    const lf_geotransform *p = &info.geotransform;
    double unit = crs ? xy_unit : 1, last = (double)(info.rows - 1);
    double along[2] = {p->per_column.x / unit, p->per_column.y / unit},
           down[2] = {-p->per_row.x / unit, -p->per_row.y / unit};
    double x = p->origin.x / unit - last * down[0], y = p->origin.y / unit - last * down[1];
    tiff tiff = {.columns = info.columns,
                 .rows = info.rows,
                 .place = {x - 0.5 * along[0] - 0.5 * down[0], along[0], down[0],
                           y - 0.5 * along[1] - 0.5 * down[1], along[1], down[1]},
                 .crs = crs,
                 .doubles = true,
                 .read = read_grid,
                 .source = grid,
                 .host = host};
    return write_tiff(path, &tiff, error);
}
