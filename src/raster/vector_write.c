/// Points and lines with fields into vector files, by GDAL.
#include "base/beside.h"
#include "raster/raster.h"
#include <math.h>
#include <string.h>

/// Features between reports of progress, and between commits of a database.
#define VECTOR_STEP 65536

static const struct {
    const char *ending, *driver;
} vector_formats[] = {{".gpkg", "GPKG"}, {".geojson", "GeoJSON"}};

static const char *driver_of(const char *path) {
    for (size_t k = 0; k < sizeof vector_formats / sizeof *vector_formats; k++)
        if (lf__path_ends(path, vector_formats[k].ending))
            return vector_formats[k].driver;
    return NULL;
}

static OGRLayerH create_layer(const lf_vector_def *def, GDALDatasetH dataset) {
    static const OGRFieldType types[] = {OFTReal, OFTInteger64, OFTString};
    OGRSpatialReferenceH system = def->crs ? OSRNewSpatialReference(NULL) : NULL;
    OGRLayerH layer = NULL;
    if (!def->crs || (system && OSRSetFromUserInput(system, def->crs) == OGRERR_NONE)) {
        if (system)
            OSRSetAxisMappingStrategy(system, OAMS_TRADITIONAL_GIS_ORDER);
        layer = GDALDatasetCreateLayer(dataset, def->layer, system,
                                       def->lines ? wkbLineString25D : wkbPoint25D, NULL);
    }
    if (system)
        OSRDestroySpatialReference(system);
    for (int k = 0; k < def->field_count && layer; k++) {
        OGRFieldDefnH field = OGR_Fld_Create(def->fields[k].name, types[def->fields[k].type]);
        if (OGR_L_CreateField(layer, field, 1) != OGRERR_NONE)
            layer = NULL;
        OGR_Fld_Destroy(field);
    }
    return layer;
}

static bool add_feature(const lf_vector_def *def, OGRLayerH layer, const lf_vector_feature *feature) {
    OGRFeatureH made = OGR_F_Create(OGR_L_GetLayerDefn(layer));
    OGRGeometryH shape = OGR_G_CreateGeometry(def->lines ? wkbLineString25D : wkbPoint25D);
    for (int k = 0; k < def->field_count; k++) {
        const lf_vector_value *value = &feature->values[k];
        if (def->fields[k].type == LF_VECTOR_TEXT) {
            if (value->text)
                OGR_F_SetFieldString(made, k, value->text);
        } else if (!isnan(value->number)) {
            if (def->fields[k].type == LF_VECTOR_INTEGER)
                OGR_F_SetFieldInteger64(made, k, (GIntBig)value->number);
            else
                OGR_F_SetFieldDouble(made, k, value->number);
        }
    }
    OGR_G_AddPoint(shape, feature->a.x, feature->a.y, feature->a.z);
    if (def->lines)
        OGR_G_AddPoint(shape, feature->b.x, feature->b.y, feature->b.z);
    OGR_F_SetGeometryDirectly(made, shape);
    bool fine = OGR_L_CreateFeature(layer, made) == OGRERR_NONE;
    OGR_F_Destroy(made);
    return fine;
}

static lf_status write_features(const lf__gdal *gdal, const lf_vector_def *def, GDALDatasetH dataset,
                                lf_error *error) {
    OGRLayerH layer = create_layer(def, dataset);
    lf_vector_feature feature;
    if (!layer)
        return lf__gdal_fail(gdal, LF_BAD_ARGUMENT, "GDAL could not make a layer in its CRS", error);
    bool transaction = GDALDatasetStartTransaction(dataset, 0) == OGRERR_NONE;
    for (int64_t count = 1;; count++) {
        bool more = true;
        memset(&feature, 0, sizeof feature);
        lf_status status = def->next(def->user, &feature, &more, error);
        if (status != LF_OK)
            return status;
        if (!more)
            break;
        if (!add_feature(def, layer, &feature))
            return lf__gdal_fail(gdal, LF_IO_FAILED, "GDAL could not write a feature", error);
        if (count % VECTOR_STEP == 0 && transaction)
            transaction = GDALDatasetCommitTransaction(dataset) == OGRERR_NONE &&
                          GDALDatasetStartTransaction(dataset, 0) == OGRERR_NONE;
    }
    if (transaction && GDALDatasetCommitTransaction(dataset) != OGRERR_NONE)
        return lf__gdal_fail(gdal, LF_IO_FAILED, "GDAL could not write it", error);
    return LF_OK;
}

/// Under the name that this writer has claimed. Drivers want to create their files themselves, and databases get no journal beside them,
/// which a killed writer would leave.
static lf_status write_part(const lf__gdal *gdal, const lf_vector_def *def, const char *driver,
                            const char *part, lf_error *error) {
    GDALDriverH made_by = GDALGetDriverByName(driver);
    if (!made_by)
        return lf__gdal_fail(gdal, LF_IO_FAILED, "GDAL has no driver for it", error);
    VSIUnlink(part);
    CPLSetThreadLocalConfigOption("OGR_SQLITE_JOURNAL", "OFF");
    CPLSetThreadLocalConfigOption("OGR_CURRENT_DATE", "1970-01-01T00:00:00.000Z"); // the same bytes each time
    GDALDatasetH dataset = GDALCreate(made_by, part, 0, 0, 0, GDT_Unknown, NULL);
    lf_status status = dataset ? write_features(gdal, def, dataset, error)
                               : lf__gdal_fail(gdal, LF_IO_FAILED, "GDAL could not create it", error);
    if (dataset)
        GDALClose(dataset);
    CPLSetThreadLocalConfigOption("OGR_SQLITE_JOURNAL", NULL);
    CPLSetThreadLocalConfigOption("OGR_CURRENT_DATE", NULL);
    if (status == LF_OK && gdal->text[0])
        status = lf__gdal_fail(gdal, LF_IO_FAILED, "GDAL could not write it", error);
    return status;
}

lf_status lf_vector_write(const char *path, const lf_vector_def *given, lf_error *error) {
    lf_vector_def def = lf_vector_def_default();
    lf__beside beside = {0};
    lf__gdal gdal;
    lf_status status = lf__def_read(&def, sizeof def, given, error);
    if (status != LF_OK)
        return status;
    const char *driver = path ? driver_of(path) : NULL;
    if (!driver || !def.next || !def.layer || def.field_count < 0 || def.field_count > LF_VECTOR_FIELDS)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%s: expected .gpkg or .geojson",
                        path ? path : "path is NULL");
    lf_host quiet = def.host;
    quiet.log = NULL; // the temporary name ends otherwise
    GDALAllRegister();
    lf__gdal_begin(&gdal, path, &quiet);
    status = lf__beside_open_named(&beside, path, &def.host, error);
    if (status == LF_OK && !beside.part)
        status = lf__fail(error, LF_IO_FAILED, -1, "%s: a device or a pipe cannot be a vector file", path);
    if (status == LF_OK)
        status = write_part(&gdal, &def, driver, beside.part, error);
    if (status == LF_OK)
        status = lf__beside_commit(&beside, error);
    lf__beside_abort(&beside);
    lf__gdal_end(&gdal);
    return status;
}
