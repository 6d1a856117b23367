/// GeoTIFF through GDAL, written beside and renamed.
#include "raster/raster_write.h"
#include "base/beside.h"
#include "base/size.h"
#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_string.h>
#include <gdal.h>
#include <math.h>
#include <ogr_srs_api.h>
#include <string.h>

#define BAND_ROWS 256 // one row of tiles

bool lf__path_ends(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    for (size_t i = 0; i < tail; i++) {
        char a = length >= tail ? path[length - tail + i] : 0;
        if ((a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) != ending[i])
            return false;
    }
    return true;
}

static lf_status gdal_failure(const char *path, lf_error *error) {
    const char *reason = CPLGetLastErrorMsg();
    return lf__fail(error, LF_IO_FAILED, -1, "%s: %s", path,
                    reason && *reason ? reason : "GDAL could not write it");
}

/// Metres without a place on Earth.
static bool set_local_system(GDALDatasetH dataset) {
    OGRSpatialReferenceH system = OSRNewSpatialReference(NULL);
    bool fine = system && OSRSetLocalCS(system, "landfall local metres") == OGRERR_NONE &&
                OSRSetLinearUnits(system, "metre", 1.0) == OGRERR_NONE &&
                GDALSetSpatialRef(dataset, system) == CE_None;
    OSRDestroySpatialReference(system);
    return fine;
}

/// Pixels are areas round their posts, so the raster begins half a spacing beyond the first.
static bool set_place(GDALDatasetH dataset, const lf_heights *shape) {
    double north = shape->y_low + ((double)shape->rows - 0.5) * shape->spacing;
    double place[6] = {shape->x_low - 0.5 * shape->spacing, shape->spacing, 0, north, 0, -shape->spacing};
    return GDALSetGeoTransform(dataset, place) == CE_None &&
           GDALSetRasterUnitType(GDALGetRasterBand(dataset, 1), "m") == CE_None &&
           GDALSetRasterNoDataValue(GDALGetRasterBand(dataset, 1), (double)NAN) == CE_None;
}

static GDALDatasetH create(const char *path, const lf_heights *shape) {
    GDALDriverH driver = GDALGetDriverByName("GTiff");
    double bytes = (double)shape->columns * (double)shape->rows * 4;
    char **options = NULL;
    options = CSLSetNameValue(options, "TILED", "YES");
    options = CSLSetNameValue(options, "COMPRESS", "DEFLATE");
    options = CSLSetNameValue(options, "PREDICTOR", "3");
    options = CSLSetNameValue(options, "BIGTIFF", bytes > 2e9 ? "YES" : "NO");
    GDALDatasetH dataset =
        driver ? GDALCreate(driver, path, (int)shape->columns, (int)shape->rows, 1, GDT_Float32, options)
               : NULL;
    CSLDestroy(options);
    return dataset;
}

typedef struct writer {
    lf__beside beside;
    const lf_heights *shape;
    lf__rows_source *source;
    void *user;
    const lf_host *host;
    float *rows; ///< one band
} writer;

/// Rows come from the south and the file goes from the north: each band is asked for, turned over and written.
static lf_status write_bands(writer *writer, GDALDatasetH dataset, lf_error *error) {
    const lf_heights *shape = writer->shape;
    GDALRasterBandH band = GDALGetRasterBand(dataset, 1);
    for (int64_t top = 0; top < shape->rows; top += BAND_ROWS) {
        int64_t count = shape->rows - top < BAND_ROWS ? shape->rows - top : BAND_ROWS;
        lf_status status =
            writer->source(writer->user, shape->rows - top - count, count, writer->rows, error);
        if (status != LF_OK)
            return status;
        // The last row asked for is the northernmost: written first, by walking backwards through memory.
        GSpacing line = -(GSpacing)(shape->columns * (int64_t)sizeof(float));
        if (GDALRasterIOEx(band, GF_Write, 0, (int)top, (int)shape->columns, (int)count,
                           writer->rows + (count - 1) * shape->columns, (int)shape->columns, (int)count,
                           GDT_Float32, sizeof(float), line, NULL) != CE_None)
            return gdal_failure(writer->beside.path, error);
        if (!lf__report(writer->host, "write", top + count, shape->rows))
            return lf__fail_plain(error, LF_CANCELLED);
    }
    return LF_OK;
}

static lf_status write_dataset(writer *writer, lf_error *error) {
    const char *path = writer->beside.path;
    if (!writer->beside.part)
        return lf__fail(error, LF_UNSUPPORTED, -1, "%s: a GeoTIFF cannot go into a device or a pipe", path);
    GDALDatasetH dataset = create(writer->beside.part, writer->shape);
    if (!dataset)
        return gdal_failure(path, error);
    lf_status status = LF_OK;
    if (!set_place(dataset, writer->shape) || !set_local_system(dataset))
        status = gdal_failure(path, error);
    if (status == LF_OK)
        status = write_bands(writer, dataset, error);
    CPLErrorReset();
    GDALFlushCache(dataset);
    GDALClose(dataset);
    if (status == LF_OK && CPLGetLastErrorType() >= CE_Failure)
        status = gdal_failure(path, error);
    return status;
}

lf_status lf__raster_write(const char *path, const lf_heights *shape, lf__rows_source *source, void *user,
                           const lf_host *host, lf_error *error) {
    if (shape->columns > INT32_MAX - 1 || shape->rows > INT32_MAX - 1)
        return lf__fail(error, LF_TOO_LARGE, -1, "%lld x %lld posts are more than a GeoTIFF holds",
                        (long long)shape->columns, (long long)shape->rows);
    lf_allocator allocator = lf__allocator_of(host);
    int64_t count = shape->columns * (shape->rows < BAND_ROWS ? shape->rows : BAND_ROWS);
    writer writer = {.shape = shape, .source = source, .user = user, .host = host};
    lf_status status = lf__take_array(&allocator, count, sizeof(float), (void **)&writer.rows);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    status = lf__beside_open_named(&writer.beside, path, host, error);
    if (status == LF_OK) {
        GDALAllRegister();
        CPLPushErrorHandler(CPLQuietErrorHandler);
        status = write_dataset(&writer, error);
        CPLPopErrorHandler();
    }
    if (status == LF_OK)
        status = lf__beside_commit(&writer.beside, error);
    lf__beside_abort(&writer.beside);
    lf__give_array(&allocator, writer.rows, count, sizeof(float));
    return status;
}
