/// Buildings from footprints of a vector file: extruded from the lowest ground under their outlines.
#include "raster/raster.h"
#include "world/world_parts.h"
#include <cpl_conv.h>
#include <math.h>
#include <string.h>

/// Where a measure of a building comes from.
typedef struct measure {
    const char *name; ///< of a field, or NULL
    double number;    ///< for all of them, or NaN
    int field;        ///< -1: none
    bool text;        ///< the field is text
} measure;

typedef struct building_reader {
    lf__world_reader *reader;
    lf__gdal gdal;
    const char *layer;
    measure height, storeys;
    double storey_height, fallback;
    bool skip; ///< buildings outside the terrain
    lf_crs_transform *way;
    const lf_ground *terrain;
    lf__footprint footprint;
    lf__bodies bodies;
    lf__array walked; ///< lf_vec3
    long long feature;
    int64_t count, skipped;
} building_reader;

static lf_status refuse_feature(const building_reader *b, const char *key, const char *what) {
    return lf__world_refuse(b->reader, LF_BAD_FORMAT, key, "%s: feature %lld: %s", b->gdal.path, b->feature,
                            what);
}

// ---------------------------------------------------------------------------------------------------
// Options
// ---------------------------------------------------------------------------------------------------

static lf_status read_measure(const building_reader *b, const json_t *object, const char *key,
                              measure *measure) {
    const json_t *value = json_object_get(object, strchr(key, '.') + 1);
    *measure = (struct measure){NULL, LF_NAN, -1, false};
    if (json_is_string(value))
        return lf__world_text(b->reader, object, key, &measure->name);
    lf_status status = lf__world_number(b->reader, object, key, &measure->number);
    if (status == LF_OK && measure->number <= 0)
        status = lf__world_refuse(b->reader, LF_BAD_FORMAT, key, "%g: expected a number above 0 or a field",
                                  measure->number);
    return status;
}

static lf_status read_positive(const building_reader *b, const json_t *object, const char *key,
                               double *number) {
    lf_status status = lf__world_number(b->reader, object, key, number);
    if (status == LF_OK && *number <= 0)
        status = lf__world_refuse(b->reader, LF_BAD_FORMAT, key, "%g: expected a number above 0", *number);
    return status;
}

static lf_status read_building_options(building_reader *b, const json_t *object, const char **file) {
    static const char *const keys[] = {"file",          "layer",          "height",  "storeys",
                                       "storey_height", "default_height", "outside", NULL};
    const char *outside = "refuse";
    b->storey_height = 3;
    b->fallback = LF_NAN;
    lf_status status = lf__world_keys(b->reader, object, "buildings.", keys);
    if (status == LF_OK)
        status = lf__world_text(b->reader, object, "buildings.file", file);
    if (status == LF_OK)
        status = lf__world_text(b->reader, object, "buildings.layer", &b->layer);
    if (status == LF_OK)
        status = lf__world_text(b->reader, object, "buildings.outside", &outside);
    if (status == LF_OK)
        status = read_measure(b, object, "buildings.height", &b->height);
    if (status == LF_OK)
        status = read_measure(b, object, "buildings.storeys", &b->storeys);
    if (status == LF_OK)
        status = read_positive(b, object, "buildings.storey_height", &b->storey_height);
    if (status == LF_OK)
        status = read_positive(b, object, "buildings.default_height", &b->fallback);
    if (status != LF_OK)
        return status;
    b->skip = strcmp(outside, "skip") == 0;
    if (!b->skip && strcmp(outside, "refuse") != 0)
        return lf__world_refuse(b->reader, LF_BAD_FORMAT, "buildings.outside",
                                "\"%.40s\": expected refuse or skip", outside);
    if (!*file)
        return lf__world_refuse(b->reader, LF_BAD_FORMAT, "buildings.file", "is missing");
    if (!b->height.name && !b->storeys.name && isnan(b->height.number) && isnan(b->storeys.number))
        return lf__world_refuse(b->reader, LF_BAD_FORMAT, "buildings.height",
                                "is missing: expected a field or a number, here or as storeys");
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Heights
// ---------------------------------------------------------------------------------------------------

static lf_status find_field(const building_reader *b, OGRLayerH layer, const char *key, measure *measure) {
    OGRFeatureDefnH table = OGR_L_GetLayerDefn(layer);
    for (int i = 0; measure->name && i < OGR_FD_GetFieldCount(table); i++) {
        OGRFieldDefnH field = OGR_FD_GetFieldDefn(table, i);
        if (strcmp(OGR_Fld_GetNameRef(field), measure->name) != 0)
            continue;
        measure->field = i;
        measure->text = OGR_Fld_GetType(field) == OFTString;
    }
    if (measure->name && measure->field < 0)
        return lf__world_refuse(b->reader, LF_BAD_FORMAT, key, "%s has no field \"%.40s\"", b->gdal.path,
                                measure->name);
    return LF_OK;
}

/// What a feature has for a measure; NaN without a value.
static lf_status measure_of(const building_reader *b, OGRFeatureH feature, const char *key,
                            const measure *measure, double *number) {
    *number = measure->number;
    if (measure->field < 0 || !OGR_F_IsFieldSetAndNotNull(feature, measure->field))
        return LF_OK;
    const char *text = OGR_F_GetFieldAsString(feature, measure->field), *end = text + strlen(text);
    if (measure->text && *text == '\0')
        return LF_OK;
    *number = OGR_F_GetFieldAsDouble(feature, measure->field);
    if (measure->text && lf_number_read(text, end, number) != end)
        *number = LF_NAN;
    if (*number > 0 && *number <= 1e5)
        return LF_OK;
    return lf__world_refuse(b->reader, LF_BAD_FORMAT, key,
                            "%s: feature %lld: \"%.40s\": expected a number above 0", b->gdal.path,
                            b->feature, text);
}

static lf_status building_height(const building_reader *b, OGRFeatureH feature, double *height) {
    double storeys;
    lf_status status = measure_of(b, feature, "buildings.height", &b->height, height);
    if (status == LF_OK && isnan(*height)) {
        status = measure_of(b, feature, "buildings.storeys", &b->storeys, &storeys);
        *height = !isnan(storeys) ? storeys * b->storey_height : b->fallback;
    }
    if (status == LF_OK && isnan(*height))
        status = refuse_feature(b, "buildings.height", "has none, and there is no default_height");
    return status;
}

/// The lowest ground along one edge; false where some of it has no ground.
static lf_status edge_base(building_reader *b, lf_vec3 from, lf_vec3 to, double *base, bool *grounded) {
    const lf_allocator *allocator = &b->reader->world->allocator;
    const lf_ellipsoid *ellipsoid = b->reader->world->globe ? &b->reader->world->ellipsoid : NULL;
    lf_walker walker = lf_walker_default(ellipsoid ? 1e5 : LF_INFINITY); // a finite step where down is not -z
    lf_walk walk = {0};
    lf_path path = {NULL, 0, 0};
    lf_status status;
    for (;;) {
        path.points = b->walked.items;
        path.capacity = b->walked.capacity;
        status = lf_ground_walk(b->terrain, &walker, from, to, &walk, &path, NULL);
        if (status != LF_PARTIAL)
            break;
        status = lf__array_reserve(&b->walked, allocator, path.count, sizeof(lf_vec3));
        if (status != LF_OK)
            return lf__fail_plain(b->reader->error, status);
    }
    if (status != LF_OK)
        return lf__fail_plain(b->reader->error, status);
    *grounded = *grounded && walk.end == LF_WALK_ARRIVED;
    for (int64_t i = 0; i < path.count; i++) {
        double z = ellipsoid ? lf_ellipsoid_to_geodetic(ellipsoid, path.points[i]).height : path.points[i].z;
        *base = fmin(*base, z);
    }
    return LF_OK;
}

/// A corner from above: on a globe, earth-centred.
static lf_vec3 corner_of(const building_reader *b, lf_vec2 p) {
    lf_geodetic place = {p.x, p.y, 0};
    return b->reader->world->globe ? lf_ellipsoid_to_centred(&b->reader->world->ellipsoid, place)
                                   : (lf_vec3){p.x, p.y, LF_INFINITY};
}

/// The lowest ground under all outlines of a footprint: 0 where the world has no terrain.
static lf_status find_base(building_reader *b, double *base, bool *grounded) {
    const lf_vec2 *points = b->footprint.points.items;
    const int64_t *ends = b->footprint.ends.items;
    lf_status status = LF_OK;
    *base = b->terrain ? LF_INFINITY : 0;
    *grounded = true;
    for (int64_t ring = 0, start = 0; b->terrain && ring < b->footprint.ends.count; start = ends[ring++])
        for (int64_t i = start; i < ends[ring] && status == LF_OK; i++)
            status = edge_base(b, corner_of(b, points[i]),
                               corner_of(b, points[i + 1 < ends[ring] ? i + 1 : start]), base, grounded);
    return status;
}

// ---------------------------------------------------------------------------------------------------
// Shapes
// ---------------------------------------------------------------------------------------------------

static lf_status read_ring(building_reader *b, OGRGeometryH ring) {
    const lf_allocator *allocator = &b->reader->world->allocator;
    lf_status status = LF_OK;
    for (int i = 0; i < OGR_G_GetPointCount(ring) && status == LF_OK; i++) {
        lf_vec3 p = {OGR_G_GetX(ring, i), OGR_G_GetY(ring, i), 0};
        if (b->way)
            lf_crs_transform_points(b->way, &p, 0, 1, false);
        bool fine = isfinite(p.x) && isfinite(p.y) && fabs(p.x) <= 1e9 && fabs(p.y) <= 1e9;
        if (!fine || (b->reader->world->globe && fabs(p.y) > 90))
            return refuse_feature(b, "buildings.file", "a corner has no place in the world");
        status = lf__footprint_point(&b->footprint, allocator, (lf_vec2){p.x, p.y});
    }
    if (status == LF_OK)
        status = lf__footprint_close(&b->footprint, allocator);
    if (status == LF_TOO_LARGE)
        return refuse_feature(b, "buildings.file", "has more than 20000 corners");
    return status == LF_OK ? LF_OK : lf__fail_plain(b->reader->error, status);
}

static lf_status add_building(building_reader *b, OGRGeometryH polygon, double height) {
    const lf_allocator *allocator = &b->reader->world->allocator;
    lf_vec2 at;
    double base;
    bool grounded;
    lf_status status = LF_OK;
    lf__footprint_reset(&b->footprint);
    for (int i = 0; i < OGR_G_GetGeometryCount(polygon) && status == LF_OK; i++)
        status = read_ring(b, OGR_G_GetGeometryRef(polygon, i));
    if (status != LF_OK)
        return status;
    const char *fault = lf__footprint_fault(&b->footprint, &at);
    if (fault)
        return lf__world_refuse(b->reader, LF_BAD_FORMAT, "buildings.file",
                                "%s: feature %lld: %s near %.12g,%.12g", b->gdal.path, b->feature, fault,
                                at.x, at.y);
    status = find_base(b, &base, &grounded);
    if (status == LF_OK && !grounded && !b->skip)
        return refuse_feature(b, "buildings.file", "a part of its outline has no ground below it");
    if (status == LF_OK && !grounded)
        b->skipped++;
    if (status != LF_OK || !grounded)
        return status;
    status =
        lf__bodies_extrude(&b->bodies, allocator, &b->footprint, base, base + height, (uint64_t)b->feature);
    if (status == LF_BAD_GEOMETRY)
        return refuse_feature(b, "buildings.file", "its outline cannot be cut into triangles");
    b->count++;
    return status == LF_OK ? LF_OK : lf__fail_plain(b->reader->error, status);
}

static lf_status add_feature(building_reader *b, OGRFeatureH feature) {
    OGRGeometryH shape = OGR_F_GetGeometryRef(feature);
    OGRwkbGeometryType kind = shape ? wkbFlatten(OGR_G_GetGeometryType(shape)) : wkbNone;
    double height = 0;
    b->feature = (long long)OGR_F_GetFID(feature);
    if ((kind != wkbPolygon && kind != wkbMultiPolygon) || OGR_G_IsEmpty(shape))
        return lf__world_refuse(b->reader, LF_BAD_FORMAT, "buildings.file",
                                "%s: feature %lld: expected a polygon, not %s", b->gdal.path, b->feature,
                                shape ? OGR_G_GetGeometryName(shape) : "nothing");
    lf_status status = building_height(b, feature, &height);
    if (status != LF_OK || kind == wkbPolygon)
        return status == LF_OK ? add_building(b, shape, height) : status;
    for (int i = 0; i < OGR_G_GetGeometryCount(shape) && status == LF_OK; i++)
        status = add_building(b, OGR_G_GetGeometryRef(shape, i), height);
    return status;
}

// ---------------------------------------------------------------------------------------------------
// The file
// ---------------------------------------------------------------------------------------------------

/// The transform from the CRS of the part or, without one, of the layer.
static lf_status find_transform(building_reader *b, const char *crs, OGRLayerH layer) {
    OGRSpatialReferenceH system = OGR_L_GetSpatialRef(layer);
    char *text = NULL;
    bool none = !system || OSRIsLocal(system) || lf__crs_undefined(system) ||
                OSRExportToWkt(system, &text) != OGRERR_NONE;
    lf_status status = lf__world_transform(b->reader, crs ? "crs" : "buildings.file",
                                           crs    ? crs
                                           : none ? NULL
                                                  : text,
                                           &b->way);
    CPLFree(text);
    return status;
}

static lf_status read_buildings(building_reader *b, const char *crs, OGRLayerH layer) {
    OGRFeatureH feature;
    lf_status status = find_transform(b, crs, layer);
    if (status == LF_OK)
        status = find_field(b, layer, "buildings.height", &b->height);
    if (status == LF_OK)
        status = find_field(b, layer, "buildings.storeys", &b->storeys);
    OGR_L_ResetReading(layer);
    while (status == LF_OK && (feature = OGR_L_GetNextFeature(layer))) {
        status = add_feature(b, feature);
        OGR_F_Destroy(feature);
    }
    if (status == LF_OK && b->gdal.text[0])
        status = lf__world_refuse(b->reader, LF_BAD_FORMAT, "buildings.file", "%s: %s", b->gdal.path,
                                  b->gdal.text);
    if (status == LF_OK && b->count == 0)
        status = lf__world_refuse(b->reader, LF_BAD_FORMAT, "buildings.file", "%s: no building in it",
                                  b->gdal.path);
    return status;
}

static lf_status open_layer(building_reader *b, const char *crs) {
    char **drivers = lf__gdal_drivers(GDAL_DCAP_VECTOR);
    GDALDatasetH file = GDALOpenEx(b->gdal.path, GDAL_OF_VECTOR | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR,
                                   (const char *const *)drivers, NULL, NULL);
    CSLDestroy(drivers);
    if (!file)
        return lf__world_refuse(b->reader, LF_BAD_FORMAT, "buildings.file",
                                "%s: no vector file that GDAL reads", b->gdal.path);
    OGRLayerH layer = b->layer                              ? GDALDatasetGetLayerByName(file, b->layer)
                      : GDALDatasetGetLayerCount(file) == 1 ? GDALDatasetGetLayer(file, 0)
                                                            : NULL;
    lf_status status;
    if (!layer && b->layer)
        status = lf__world_refuse(b->reader, LF_BAD_FORMAT, "buildings.layer", "%s has no layer \"%.40s\"",
                                  b->gdal.path, b->layer);
    else if (!layer)
        status = lf__world_refuse(b->reader, LF_BAD_FORMAT, "buildings.layer",
                                  "%s has %d layers: expected the name of one", b->gdal.path,
                                  GDALDatasetGetLayerCount(file));
    else
        status = read_buildings(b, crs, layer);
    GDALClose(file);
    return status;
}

static lf_status finish_buildings(building_reader *b, lf__world_source *source) {
    lf_world_file *world = b->reader->world;
    lf_polygons polygons = {.vertices = b->bodies.vertices.items,
                            .vertex_count = b->bodies.vertices.count,
                            .corners = b->bodies.corners.items,
                            .polygon_count = b->bodies.users.count,
                            .users = b->bodies.users.items};
    if (world->globe)
        lf__world_localise(&world->ellipsoid, b->bodies.vertices.items, polygons.vertex_count, &source->pose);
    if (b->skipped > 0)
        lf__log(&world->host, LF_LOG_WARNING, "%s: %lld buildings without ground below are left out",
                b->gdal.path, (long long)b->skipped);
    world->building_count += b->count;
    source->georeferenced = true;
    return lf__world_mesh(b->reader, "buildings", &polygons, source);
}

lf_status lf__world_buildings(lf__world_reader *reader, const json_t *part, lf__world_source *source) {
    const json_t *object = json_object_get(part, "buildings");
    const lf_allocator *allocator = &reader->world->allocator;
    building_reader b = {.reader = reader};
    const char *file = NULL, *crs = NULL;
    char *path = NULL;
    source->pose = lf_pose_identity();
    if (!json_is_object(object))
        return lf__world_refuse(reader, LF_BAD_FORMAT, "buildings", "expected an object");
    if (json_object_get(part, "place"))
        return lf__world_refuse(reader, LF_BAD_FORMAT, "place", "buildings stand where their file says");
    lf_status status = read_building_options(&b, object, &file);
    if (status == LF_OK)
        status = lf__world_text(reader, part, "crs", &crs);
    if (status == LF_OK)
        status = lf__world_standing(reader, &b.terrain);
    if (status != LF_OK)
        return status;
    path = lf__world_path(reader, file);
    if (!path)
        return lf__fail_plain(reader->error, LF_NO_MEMORY);
    VSILFILE *exists = VSIFOpenL(path, "rb");
    if (exists)
        VSIFCloseL(exists);
    GDALAllRegister();
    lf__gdal_begin(&b.gdal, path, &reader->world->host);
    status = exists ? open_layer(&b, crs)
                    : lf__world_refuse(reader, LF_IO_FAILED, "buildings.file",
                                       "%s: No such file or directory", path);
    lf__gdal_end(&b.gdal);
    if (status == LF_OK)
        status = finish_buildings(&b, source);
    lf_crs_transform_destroy(b.way);
    lf__array_free(&b.walked, allocator, sizeof(lf_vec3));
    lf__bodies_free(&b.bodies, allocator);
    lf__footprint_free(&b.footprint, allocator);
    lf__world_forget(reader->world, path);
    return status;
}
