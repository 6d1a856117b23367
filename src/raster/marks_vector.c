/// Marks from vector files through GDAL.
#include "raster/gdal.h"
#include "raster/marks.h"
#include <cpl_conv.h>
#include <cpl_vsi.h>
#include <landfall/io.h>
#include <math.h>
#include <ogr_api.h>
#include <ogr_srs_api.h>
#include <string.h>

typedef struct reader {
    lf__gdal gdal;
    const lf_points_def *def;
    lf_points *marks;
    int fields[LF__MARK_FIELDS]; ///< -1: none
    lf_crs_transform *way;             ///< or NULL
    int64_t feature;
} reader;

static void find_fields(reader *reader, OGRLayerH layer) {
    OGRFeatureDefnH table = OGR_L_GetLayerDefn(layer);
    for (int i = 0; i < LF__MARK_FIELDS; i++)
        reader->fields[i] = -1;
    for (int i = 0; i < OGR_FD_GetFieldCount(table); i++) {
        const char *name = OGR_Fld_GetNameRef(OGR_FD_GetFieldDefn(table, i));
        lf__mark_field field = lf__mark_meaning(name, strlen(name));
        if (field < LF__MARK_FIELDS && reader->fields[field] < 0)
            reader->fields[field] = i;
    }
}

/// The way from the layer's system to the one that is wanted.
static lf_status find_way(reader *reader, OGRLayerH layer, lf_error *error) {
    OGRSpatialReferenceH system = OGR_L_GetSpatialRef(layer);
    char *text = NULL;
    if (!system || !reader->def->crs || OSRExportToWkt(system, &text) != OGRERR_NONE) {
        CPLFree(text);
        return LF_OK;
    }
    lf_status status = lf_crs_transform_create(text, reader->def->crs, &reader->def->host, &reader->way, error);
    CPLFree(text);
    return status;
}

static double height_of(const reader *reader, OGRFeatureH feature) {
    int field = reader->fields[LF__MARK_HEIGHT];
    return field >= 0 && OGR_F_IsFieldSetAndNotNull(feature, field) ? OGR_F_GetFieldAsDouble(feature, field)
                                                                    : LF_NAN;
}

static lf_status take_point(const reader *reader, OGRFeatureH feature, OGRGeometryH point, lf_error *error) {
    lf_vec3 at = {OGR_G_GetX(point, 0), OGR_G_GetY(point, 0), 0};
    int field = reader->fields[LF__MARK_NAME];
    const char *name = field >= 0 && OGR_F_IsFieldSetAndNotNull(feature, field)
                           ? OGR_F_GetFieldAsString(feature, field)
                           : NULL;
    if (reader->way)
        lf_crs_transform_points(reader->way, &at, 0, 1, false);
    if (!isfinite(at.x) || !isfinite(at.y))
        return lf__fail(error, LF_BAD_FORMAT, reader->feature,
                        "%s: point number %lld has no place in the system of the ground", reader->gdal.path,
                        (long long)reader->feature);
    lf_vec2 place = {at.x, at.y};
    lf_status status =
        lf__marks_add(reader->marks, place, height_of(reader, feature), name, name ? strlen(name) : 0);
    return status == LF_OK ? LF_OK : lf__fail_plain(error, status);
}

static lf_status take_feature(const reader *reader, OGRFeatureH feature, lf_error *error) {
    OGRGeometryH shape = OGR_F_GetGeometryRef(feature);
    OGRwkbGeometryType kind = shape ? wkbFlatten(OGR_G_GetGeometryType(shape)) : wkbNone;
    lf_status status = LF_OK;
    if (kind == wkbPoint && !OGR_G_IsEmpty(shape))
        return take_point(reader, feature, shape, error);
    if (kind != wkbMultiPoint)
        return lf__fail(error, LF_BAD_FORMAT, reader->feature, "%s: feature number %lld is no point (%s)",
                        reader->gdal.path, (long long)reader->feature,
                        shape ? OGR_G_GetGeometryName(shape) : "without a shape");
    for (int i = 0; i < OGR_G_GetGeometryCount(shape) && status == LF_OK; i++)
        status = take_point(reader, feature, OGR_G_GetGeometryRef(shape, i), error);
    return status;
}

static lf_status take_layer(reader *reader, OGRLayerH layer, lf_error *error) {
    OGRFeatureH feature;
    lf_status status = find_way(reader, layer, error);
    find_fields(reader, layer);
    OGR_L_ResetReading(layer);
    while (status == LF_OK && (feature = OGR_L_GetNextFeature(layer))) {
        reader->feature++;
        status = take_feature(reader, feature, error);
        OGR_F_Destroy(feature);
    }
    if (status == LF_OK && reader->gdal.text[0])
        status = lf__gdal_fail(&reader->gdal, LF_BAD_FORMAT, "", error);
    return status;
}

static lf_status read_dataset(reader *reader, lf_error *error) {
    const char *path = reader->gdal.path;
    // Only files: nothing here asks a server or a data base.
    VSILFILE *file = VSIFOpenL(path, "rb");
    if (!file)
        return lf__fail(error, LF_IO_FAILED, -1, "%s: No such file or directory", path);
    VSIFCloseL(file);
    GDALDatasetH dataset =
        GDALOpenEx(path, GDAL_OF_VECTOR | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR, NULL, NULL, NULL);
    if (!dataset) {
        if (strstr(reader->gdal.text, "not recognized"))
            reader->gdal.text[0] = '\0'; // GDAL's words for it name the path once more
        return lf__gdal_fail(&reader->gdal, LF_BAD_FORMAT,
                             "neither text (.csv, .txt) nor a vector file that GDAL reads", error);
    }
    int layers = GDALDatasetGetLayerCount(dataset);
    lf_status status = layers == 1 ? take_layer(reader, GDALDatasetGetLayer(dataset, 0), error)
                                   : lf__fail(error, LF_BAD_FORMAT, -1,
                                              "%s: has %d layers, and one is wanted", path, layers);
    GDALClose(dataset);
    return status;
}

lf_status lf__marks_vector(const char *path, const lf_points_def *def, lf_points *marks, lf_error *error) {
    reader reader = {.def = def, .marks = marks};
    GDALAllRegister();
    lf__gdal_begin(&reader.gdal, path, &def->host);
    lf_status status = read_dataset(&reader, error);
    lf__gdal_end(&reader.gdal);
    lf_crs_transform_destroy(reader.way);
    return status;
}
