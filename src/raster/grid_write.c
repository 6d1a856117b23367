/// Grids as GeoTIFF through GDAL, written beside and renamed.
#include "base/beside.h"
#include "raster/raster_write.h"
#include <cpl_error.h>
#include <cpl_string.h>
#include <gdal.h>
#include <landfall/io.h>
#include <math.h>
#include <ogr_srs_api.h>

#define BAND_ROWS 256 // one row of tiles

typedef struct job {
    const lf_grid *grid;
    lf_grid_info info;
    const char *crs;
    double xy_unit;
    const lf_host *host;
    double *rows; ///< of one band
} job;

static lf_status failure(const char *path, lf_error *error) {
    const char *reason = CPLGetLastErrorMsg();
    return lf__fail(error, LF_IO_FAILED, -1, "%s: %s", path,
                    reason && *reason ? reason : "GDAL could not write it");
}

/// The rows from `top` on, counted from the north, into memory from the south. Errors: LF_BAD_FORMAT of a grid whose file is damaged.
static lf_status read_band(const job *job, int64_t top, int64_t *count) {
    int64_t rows = job->info.rows;
    *count = rows - top < BAND_ROWS ? rows - top : BAND_ROWS;
    return lf_grid_read(job->grid, 0, rows - top - *count, job->info.columns, *count, job->rows);
}

/// Is every height a float? LF_CANCELLED when the caller wants to stop.
static lf_status all_floats(const job *job, bool *floats) {
    *floats = true;
    for (int64_t top = 0; top < job->info.rows && *floats; top += BAND_ROWS) {
        int64_t count;
        lf_status status = read_band(job, top, &count);
        if (status != LF_OK)
            return status;
        for (int64_t k = 0; k < count * job->info.columns && *floats; k++)
            *floats = isnan(job->rows[k]) || (double)(float)job->rows[k] == job->rows[k];
        if (!lf__report(job->host, "look", top, job->info.rows))
            return LF_CANCELLED;
    }
    return LF_OK;
}

static bool set_place(const job *job, GDALDatasetH dataset) {
    const lf_geotransform *p = &job->info.geotransform;
    double unit = job->crs ? job->xy_unit : 1, last = (double)(job->info.rows - 1);
    double along[2] = {p->per_column.x / unit, p->per_column.y / unit},
           down[2] = {-p->per_row.x / unit, -p->per_row.y / unit};
    double x = p->origin.x / unit - last * down[0], y = p->origin.y / unit - last * down[1];
    double place[6] = {x - 0.5 * along[0] - 0.5 * down[0], along[0], down[0],
                       y - 0.5 * along[1] - 0.5 * down[1], along[1], down[1]};
    return GDALSetGeoTransform(dataset, place) == CE_None &&
           GDALSetRasterUnitType(GDALGetRasterBand(dataset, 1), "m") == CE_None &&
           GDALSetRasterNoDataValue(GDALGetRasterBand(dataset, 1), (double)NAN) == CE_None;
}

static bool set_system(const job *job, GDALDatasetH dataset) {
    if (!job->crs)
        return true;
    OGRSpatialReferenceH system = OSRNewSpatialReference(NULL);
    bool fine = system && OSRSetFromUserInput(system, job->crs) == OGRERR_NONE;
    if (fine) {
        OSRSetAxisMappingStrategy(system, OAMS_TRADITIONAL_GIS_ORDER);
        fine = GDALSetSpatialRef(dataset, system) == CE_None;
    }
    OSRDestroySpatialReference(system);
    return fine;
}

static GDALDatasetH create(const job *job, const char *path, bool floats) {
    GDALDriverH driver = GDALGetDriverByName("GTiff");
    double bytes = (double)job->info.columns * (double)job->info.rows * (floats ? 4 : 8);
    char **options = NULL;
    options = CSLSetNameValue(options, "TILED", "YES");
    options = CSLSetNameValue(options, "COMPRESS", "DEFLATE");
    options = CSLSetNameValue(options, "PREDICTOR", "3");
    options = CSLSetNameValue(options, "BIGTIFF", bytes > 2e9 ? "YES" : "NO");
    GDALDatasetH dataset = driver ? GDALCreate(driver, path, (int)job->info.columns, (int)job->info.rows, 1,
                                               floats ? GDT_Float32 : GDT_Float64, options)
                                  : NULL;
    CSLDestroy(options);
    return dataset;
}

static lf_status write_bands(const job *job, GDALDatasetH dataset, const char *path, lf_error *error) {
    int columns = (int)job->info.columns;
    GSpacing line = -(GSpacing)(job->info.columns * (int64_t)sizeof(double));
    for (int64_t top = 0; top < job->info.rows; top += BAND_ROWS) {
        int64_t count;
        lf_status status = read_band(job, top, &count);
        if (status != LF_OK)
            return lf__fail_plain(error, status);
        if (GDALRasterIOEx(GDALGetRasterBand(dataset, 1), GF_Write, 0, (int)top, columns, (int)count,
                           job->rows + (count - 1) * job->info.columns, columns, (int)count, GDT_Float64,
                           sizeof(double), line, NULL) != CE_None)
            return failure(path, error);
        if (!lf__report(job->host, "write", top + count, job->info.rows))
            return lf__fail_plain(error, LF_CANCELLED);
    }
    return LF_OK;
}

static lf_status write_dataset(const job *job, const lf__beside *beside, lf_error *error) {
    bool floats;
    if (!beside->part)
        return lf__fail(error, LF_UNSUPPORTED, -1, "%s: a GeoTIFF cannot go into a device or a pipe",
                        beside->path);
    lf_status status = all_floats(job, &floats);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    GDALDatasetH dataset = create(job, beside->part, floats);
    if (!dataset)
        return failure(beside->path, error);
    if (!set_place(job, dataset) || !set_system(job, dataset))
        status = failure(beside->path, error);
    if (status == LF_OK)
        status = write_bands(job, dataset, beside->path, error);
    CPLErrorReset();
    GDALFlushCache(dataset);
    GDALClose(dataset);
    if (status == LF_OK && CPLGetLastErrorType() >= CE_Failure)
        status = failure(beside->path, error);
    return status;
}

static lf_status check(const char *path, const job *job, lf_error *error) {
    if (!path || (!lf__path_ends(path, ".tif") && !lf__path_ends(path, ".tiff")))
        return lf__fail(error, LF_UNSUPPORTED, -1, "%s: the ending has to be .tif", path ? path : "");
    if (job->info.columns > INT32_MAX - 1 || job->info.rows > INT32_MAX - 1)
        return lf__fail(error, LF_TOO_LARGE, -1, "%lld x %lld posts are more than a GeoTIFF holds",
                        (long long)job->info.columns, (long long)job->info.rows);
    if (!(job->xy_unit > 0) || isinf(job->xy_unit))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "a unit of %g metres", job->xy_unit);
    return LF_OK;
}

lf_status lf_grid_write(const char *path, const lf_grid *grid, const char *crs, double xy_unit,
                        const lf_host *host, lf_error *error) {
    if (!grid)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "grid is NULL");
    job job = {.grid = grid, .info = lf_grid_describe(grid), .crs = crs, .xy_unit = xy_unit, .host = host};
    lf_status status = check(path, &job, error);
    if (status != LF_OK)
        return status;
    lf_allocator allocator = lf__allocator_of(host);
    lf__beside beside = {0};
    int64_t count = job.info.columns * (job.info.rows < BAND_ROWS ? job.info.rows : BAND_ROWS);
    status = lf__take_array(&allocator, count, sizeof(double), (void **)&job.rows);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    status = lf__beside_open_named(&beside, path, host, error);
    if (status == LF_OK) {
        GDALAllRegister();
        CPLPushErrorHandler(CPLQuietErrorHandler);
        status = write_dataset(&job, &beside, error);
        CPLPopErrorHandler();
    }
    if (status == LF_OK)
        status = lf__beside_commit(&beside, error);
    lf__beside_abort(&beside);
    lf__give_array(&allocator, job.rows, count, sizeof(double));
    return status;
}
