/// GDAL's viewshed on real DEMs: projected, in memory on both sides.
#include "dem.h"

#include <gdal/gdal.h>
#include <gdal/gdal_alg.h>
#include <gdal/gdal_utils.h>
#include <gdal/ogr_srs_api.h>
#include <stdlib.h>

struct dem_gdal {
    GDALDatasetH raster;
    OGRCoordinateTransformationH project; ///< NULL: none is needed
};

/// Warp to the UTM zone of a place; bilinear, the type of the samples kept.
static GDALDatasetH to_utm(GDALDatasetH file, lf_vec2 centre) {
    char code[32];
    double lon = centre.x > 180 ? centre.x - 360 : centre.x;
    snprintf(code, sizeof code, "EPSG:%d", (centre.y < 0 ? 32701 : 32601) + (int)((lon + 180) / 6) % 60);
    char *words[] = {(char *)"-t_srs", code,          (char *)"-r", (char *)"bilinear",
                     (char *)"-of",    (char *)"MEM", NULL};
    GDALWarpAppOptions *options = GDALWarpAppOptionsNew(words, NULL);
    GDALDatasetH warped = GDALWarp("", NULL, 1, &file, options, NULL);
    GDALWarpAppOptionsFree(options);
    return warped;
}

static OGRCoordinateTransformationH projection(GDALDatasetH from, GDALDatasetH to) {
    OGRSpatialReferenceH a = OSRClone(GDALGetSpatialRef(from)), b = OSRClone(GDALGetSpatialRef(to));
    OSRSetAxisMappingStrategy(a, OAMS_TRADITIONAL_GIS_ORDER);
    OSRSetAxisMappingStrategy(b, OAMS_TRADITIONAL_GIS_ORDER);
    OGRCoordinateTransformationH project = OCTNewCoordinateTransformation(a, b);
    OSRDestroySpatialReference(a);
    OSRDestroySpatialReference(b);
    return project;
}

dem_gdal *dem_gdal_open(const char *path, bool degrees, lf_vec2 centre) {
    GDALAllRegister();
    dem_gdal *gdal = bench_take(1, sizeof *gdal);
    *gdal = (dem_gdal){NULL, NULL};
    GDALDatasetH file = GDALOpen(path, GA_ReadOnly);
    if (file && degrees) {
        gdal->raster = to_utm(file, centre);
        gdal->project = gdal->raster ? projection(file, gdal->raster) : NULL;
    } else if (file) {
        gdal->raster = GDALCreateCopy(GDALGetDriverByName("MEM"), "", file, FALSE, NULL, NULL, NULL);
    }
    if (!gdal->raster || (degrees && !gdal->project))
        bench_stop("GDAL cannot project %s", path);
    GDALClose(file);
    return gdal;
}

dem_gdal *dem_gdal_samples(const int16_t *samples, int64_t side, double spacing) {
    GDALAllRegister();
    dem_gdal *gdal = bench_take(1, sizeof *gdal);
    int size = (int)side;
    double place[6] = {-0.5 * spacing, spacing, 0, -0.5 * spacing, 0, spacing};
    *gdal = (dem_gdal){GDALCreate(GDALGetDriverByName("MEM"), "", size, size, 1, GDT_Int16, NULL), NULL};
    if (!gdal->raster || GDALSetGeoTransform(gdal->raster, place) != CE_None ||
        GDALRasterIO(GDALGetRasterBand(gdal->raster, 1), GF_Write, 0, 0, size, size,
                     (void *)(intptr_t)samples, size, size, GDT_Int16, 0, 0) != CE_None)
        bench_stop("GDAL cannot hold %d x %d samples", size, size);
    return gdal;
}

void dem_gdal_run(dem_gdal *gdal, lf_vec2 at, double eye, double coefficient) {
    double x = at.x, y = at.y;
    if (gdal->project && !OCTTransform(gdal->project, 1, &x, &y, NULL))
        bench_stop("GDAL cannot project %g %g", at.x, at.y);
    GDALDatasetH result =
        GDALViewshedGenerate(GDALGetRasterBand(gdal->raster, 1), "MEM", "", NULL, x, y, eye, 0, 255, 0, 0, -1,
                             coefficient, GVM_Edge, 0, NULL, NULL, GVOT_NORMAL, NULL);
    if (!result)
        bench_stop("GDAL made no viewshed from %g %g", at.x, at.y);
    GDALClose(result);
}

void dem_gdal_close(dem_gdal *gdal) {
    if (gdal->project)
        OCTDestroyCoordinateTransformation(gdal->project);
    GDALClose(gdal->raster);
    free(gdal);
}
