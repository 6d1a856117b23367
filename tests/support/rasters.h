/// Rasters that tests write with GDAL, and the one thing that has to hold for every raster read: each pixel is a sample at its
/// centre, with its value.
#ifndef LF_TESTS_RASTERS_H
#define LF_TESTS_RASTERS_H

#include "files.h"
#include "support.h"
#include <cpl_error.h>
#include <gdal.h>
#include <landfall/io.h>
#include <ogr_srs_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Group setup: a folder, and a GDAL that keeps quiet.
static inline int raster_folder(void **state) {
    GDALAllRegister();
    CPLSetErrorHandler(CPLQuietErrorHandler);
    return test_folder_make(state);
}

/// What was logged, and how often.
typedef struct heard {
    lf_log log;
    int count;
    char text[1024];
} heard;

static inline void hear_log(void *user, lf_log_level level, const char *text) {
    heard *heard = user;
    (void)level;
    heard->count++;
    size_t used = strlen(heard->text);
    snprintf(heard->text + used, sizeof heard->text - used, "%s\n", text);
}

static inline void heard_start(heard *heard) {
    memset(heard, 0, sizeof *heard);
    heard->log = (lf_log){heard, hear_log};
}

#define RASTER_TURNS 12

/// North-up, south-up, mirrored, turned by right angles and by others, long pixels.
static const double raster_turns[RASTER_TURNS][6] = {
    {1000, 10, 0, 5000, 0, -10}, {1000, 10, 0, 5000, 0, 10},    {1000, -10, 0, 5000, 0, -10},
    {1000, -10, 0, 5000, 0, 10}, {1000, 0, 10, 5000, 10, 0},    {1000, 0, -10, 5000, 10, 0},
    {1000, 0, 10, 5000, -10, 0}, {1000, 0, -10, 5000, -10, 0},  {1000, 8, 6, 5000, 6, -8},
    {1000, 6, 8, 5000, 8, -6},   {1000, 0.25, 0, 5000, 0, -90}, {1000, 7, 2, 5000, -1, 9},
};

/// A raster to write: start from raster_plan_of and change what the test is about.
typedef struct raster_plan {
    const char *driver;
    GDALDataType type;
    int columns, rows, bands;
    double place[6];
    const char *crs; ///< or NULL
    const char *const *options;
} raster_plan;

static inline raster_plan raster_plan_of(int columns, int rows) {
    raster_plan plan = {"GTiff",     GDT_Float32, columns, rows, 1, {1000, 10, 0, 5000, 0, -10},
                        "EPSG:3006", NULL};
    return plan;
}

/// A dataset in memory, or on disk where the driver can; its values are to be filled in.
static inline GDALDatasetH raster_new(const char *path, const raster_plan *plan) {
    GDALDatasetH data = GDALCreate(GDALGetDriverByName(plan->driver), path, plan->columns, plan->rows,
                                   plan->bands, plan->type, (char **)(uintptr_t)plan->options);
    assert_non_null(data);
    if (plan->place[1] != 0 || plan->place[2] != 0)
        assert_int_equal(GDALSetGeoTransform(data, (double *)(uintptr_t)plan->place), CE_None);
    if (plan->crs) {
        OGRSpatialReferenceH system = OSRNewSpatialReference(NULL);
        assert_int_equal(OSRSetFromUserInput(system, plan->crs), OGRERR_NONE);
        OSRSetAxisMappingStrategy(system, OAMS_TRADITIONAL_GIS_ORDER);
        assert_int_equal(GDALSetSpatialRef(data, system), CE_None);
        OSRDestroySpatialReference(system);
    }
    return data;
}

static inline void raster_fill(GDALDatasetH data, int band, const double *values) {
    int columns = GDALGetRasterXSize(data), rows = GDALGetRasterYSize(data);
    assert_int_equal(GDALRasterIO(GDALGetRasterBand(data, band), GF_Write, 0, 0, columns, rows,
                                  (void *)(uintptr_t)values, columns, rows, GDT_Float64, 0, 0),
                     CE_None);
}

/// Write a file with these values (rows from the top, as files have them).
static inline const char *raster_file(const char *name, const raster_plan *plan, const double *values) {
    const char *path = test_path(name);
    GDALDatasetH data = raster_new(path, plan);
    raster_fill(data, 1, values);
    GDALClose(data);
    return path;
}

/// The same through a driver that only copies.
static inline const char *raster_copy(const char *name, const char *driver, const raster_plan *plan,
                                      const double *values, const char *const *options) {
    const char *path = test_path(name);
    raster_plan memory = *plan;
    memory.driver = "MEM";
    memory.options = NULL;
    GDALDatasetH data = raster_new("", &memory);
    raster_fill(data, 1, values);
    GDALDatasetH copy = GDALCreateCopy(GDALGetDriverByName(driver), path, data, FALSE,
                                       (char **)(uintptr_t)options, NULL, NULL);
    assert_non_null(copy);
    GDALClose(copy);
    GDALClose(data);
    return path;
}

static inline lf_raster *raster_read(const char *path, const lf_raster_def *def) {
    lf_raster *raster = NULL;
    lf_error error = {0};
    if (lf_raster_read(path, def, &raster, &error) != LF_OK)
        fail_msg("%s: %s", path, error.text);
    return raster;
}

/// It is refused, with this status and these words somewhere in the message.
static inline void raster_refused(const char *path, const lf_raster_def *def, lf_status status,
                                  const char *words) {
    lf_raster *raster = NULL;
    lf_error error = {0};
    lf_status got = lf_raster_read(path, def, &raster, &error);
    if (got != status || !strstr(error.text, words))
        fail_msg("%s: %d \"%s\", wanted was %d with \"%s\"", path, (int)got, error.text, (int)status, words);
    assert_null(raster);
}

/// The sample of a sample, before scale and offset.
static inline double raster_sample(const lf_samples *samples, int64_t column, int64_t row) {
    int64_t i = row * samples->columns + column;
    switch (samples->type) {
    case LF_SAMPLE_FLOAT:
        return (double)((const float *)samples->values)[i];
    case LF_SAMPLE_DOUBLE:
        return ((const double *)samples->values)[i];
    case LF_SAMPLE_INT16:
        return (double)((const int16_t *)samples->values)[i];
    default:
        return (double)((const uint16_t *)samples->values)[i];
    }
}

static inline bool raster_hole(const lf_samples *samples, int64_t column, int64_t row) {
    double value = raster_sample(samples, column, row);
    return !isfinite(value) || value == samples->nodata ||
           (samples->mask && !samples->mask[row * samples->columns + column]);
}

/// The sample that stands at x, y; fails the test when there is none.
static inline void raster_locate(const lf_grid_def *def, double x, double y, int64_t *column, int64_t *row) {
    const lf_geotransform *p = &def->geotransform;
    double det = p->per_column.x * p->per_row.y - p->per_column.y * p->per_row.x;
    double dx = x - p->origin.x, dy = y - p->origin.y;
    double c = (p->per_row.y * dx - p->per_row.x * dy) / det,
           r = (p->per_column.x * dy - p->per_column.y * dx) / det;
    assert_true(det > 0);
    *column = (int64_t)floor(c + 0.5);
    *row = (int64_t)floor(r + 0.5);
    assert_true(fabs(c - (double)*column) < 1e-6 && fabs(r - (double)*row) < 1e-6);
    assert_true(*column >= 0 && *row >= 0 && *column < def->samples.columns && *row < def->samples.rows);
}

#endif
