/// GDAL's viewshed, in process, raster and result in memory.
#include "viewshed.h"

#include <gdal/gdal.h>
#include <gdal/gdal_alg.h>
#include <stdlib.h>

struct view_gdal {
    GDALDatasetH raster, result;
    uint8_t *bytes;
    int samples;
};

view_gdal *view_gdal_open(const bench_field *field, double spacing) {
    GDALAllRegister();
    view_gdal *gdal = bench_take(1, sizeof *gdal);
    gdal->samples = (int)field->samples;
    gdal->result = NULL;
    gdal->bytes = bench_take((size_t)(field->samples * field->samples), 1);
    gdal->raster =
        GDALCreate(GDALGetDriverByName("MEM"), "", gdal->samples, gdal->samples, 1, GDT_Float32, NULL);
    // Samples in the middle of pixels.
    double place[6] = {-0.5 * spacing, spacing, 0, -0.5 * spacing, 0, spacing};
    if (!gdal->raster || GDALSetGeoTransform(gdal->raster, place) != CE_None ||
        GDALRasterIO(GDALGetRasterBand(gdal->raster, 1), GF_Write, 0, 0, gdal->samples, gdal->samples,
                     field->heights, gdal->samples, gdal->samples, GDT_Float32, 0, 0) != CE_None)
        bench_stop("GDAL cannot hold %s", field->name);
    return gdal;
}

void view_gdal_run(view_gdal *gdal, const view_question *q) {
    if (gdal->result)
        GDALClose(gdal->result);
    gdal->result = GDALViewshedGenerate(GDALGetRasterBand(gdal->raster, 1), "MEM", "", NULL,
                                        q->spacing * (double)q->place.column,
                                        q->spacing * (double)q->place.row, q->place.height, q->target, 255, 0,
                                        0, -1, q->bend, GVM_Edge, 0, NULL, NULL, GVOT_NORMAL, NULL);
    if (!gdal->result)
        bench_stop("GDAL made no viewshed of %s", q->field->name);
}

const uint8_t *view_gdal_bytes(view_gdal *gdal) {
    if (GDALRasterIO(GDALGetRasterBand(gdal->result, 1), GF_Read, 0, 0, gdal->samples, gdal->samples,
                     gdal->bytes, gdal->samples, gdal->samples, GDT_Byte, 0, 0) != CE_None)
        bench_stop("GDAL's viewshed cannot be read");
    return gdal->bytes;
}

void view_gdal_close(view_gdal *gdal) {
    if (gdal->result)
        GDALClose(gdal->result);
    GDALClose(gdal->raster);
    free(gdal->bytes);
    free(gdal);
}

void view_gdal_save(const bench_field *field, double spacing, const char *path) {
    GDALAllRegister();
    int samples = (int)field->samples;
    double place[6] = {-0.5 * spacing, spacing, 0, ((double)samples - 0.5) * spacing, 0, -spacing};
    GDALDatasetH file =
        GDALCreate(GDALGetDriverByName("GTiff"), path, samples, samples, 1, GDT_Float32, NULL);
    if (!file || GDALSetGeoTransform(file, place) != CE_None ||
        GDALRasterIO(GDALGetRasterBand(file, 1), GF_Write, 0, 0, samples, samples, field->heights, samples,
                     samples, GDT_Float32, 0, 0) != CE_None)
        bench_stop("GDAL cannot write %s", path);
    GDALClose(file);
}

const char *view_gdal_name(void) {
    static char name[64];
    snprintf(name, sizeof name, "GDAL %s", GDALVersionInfo("RELEASE_NAME"));
    return name;
}
