/// The grounds that parts of a world are made of: rasters, meshes, .lf files, globes and other worlds.
#include "raster/raster.h"
#include "world/world_parts.h"
#include <math.h>
#include <string.h>
#include <sys/stat.h>

void lf__world_source_free(const lf_world_file *world, lf__world_source *source) {
    if (source->scene)
        world->scenes->close(world->scenes->user, source->scene);
    lf_mesh_destroy(source->mesh);
    if (!source->store) { // what is in a store is its own
        lf_grid_destroy(source->grid);
        if (!source->world)
            lf_globe_destroy(source->globe);
    }
    lf_store_close(source->store);
    lf_raster_close(source->raster);
    lf_tile_folder_close(source->folder);
    lf_world_file_close(source->world);
    lf__world_forget(world, source->key);
}

// ---------------------------------------------------------------------------------------------------
// Rasters
// ---------------------------------------------------------------------------------------------------

static lf_status load_raster(lf__world_reader *reader, const json_t *part, const char *path,
                             lf__world_source *source) {
    lf_raster_def def = lf_raster_def_default();
    lf_error inner = {0};
    double band = 0, nodata = LF_NAN;
    const char *crs = NULL;
    def.host = reader->world->host;
    lf_status status = lf__world_text(reader, part, "crs", &crs);
    if (status == LF_OK)
        status = lf__world_number(reader, part, "band", &band);
    if (status == LF_OK)
        status = lf__world_number(reader, part, "nodata", &nodata);
    if (status != LF_OK)
        return status;
    if (!(band >= 0 && band <= 65535) || band != floor(band))
        return lf__world_refuse(reader, LF_BAD_FORMAT, "band", "%g: expected a number of a band, from 1",
                                band);
    def.band = (int)band;
    def.nodata_given = !isnan(nodata);
    def.nodata = nodata;
    def.crs = crs && strcmp(crs, "world") != 0 ? crs : NULL;
    status = lf_raster_read(path, &def, &source->raster, &inner);
    if (status != LF_OK)
        return lf__world_pass_on(reader, status, "raster", &inner);
    lf_raster_info about = lf_raster_describe(source->raster);
    bool placed = json_is_object(json_object_get(part, "place"));
    bool mapped = about.kind == LF_CRS_PROJECTED || about.kind == LF_CRS_DEGREES;
    if (!placed || about.kind == LF_CRS_DEGREES)
        status = lf__world_fit(reader, "raster", mapped && !(crs && !def.crs) ? about.crs : NULL,
                               about.kind == LF_CRS_DEGREES);
    source->georeferenced = about.georeferenced;
    lf_grid_def grid = lf_raster_grid_def(source->raster);
    grid.host = reader->world->host;
    grid.borrow = true;
    if (status == LF_OK)
        status = lf__world_pass_on(reader, lf_grid_create(&grid, &source->grid, &inner), "raster", &inner);
    if (status == LF_OK)
        source->ground = lf_grid_ground(source->grid);
    return status;
}

// ---------------------------------------------------------------------------------------------------
// Polygons
// ---------------------------------------------------------------------------------------------------

lf_status lf__world_mesh(const lf__world_reader *reader, const char *key, const lf_polygons *polygons,
                         lf__world_source *source) {
    lf_mesh_def def = lf_mesh_def_default();
    lf_error inner = {0};
    def.host = reader->world->host;
    def.polygons = *polygons;
    lf_status status = lf_mesh_create(&def, &source->mesh, &inner);
    if (status == LF_OK)
        source->ground = lf_mesh_ground(source->mesh);
    return lf__world_pass_on(reader, status, key, &inner);
}

/// Polygons whose vertices are in a CRS: transformed to the world's, on a globe about their middle.
static lf_status mesh_in_crs(const lf__world_reader *reader, const char *key, const char *crs,
                             lf_polygons polygons, lf__world_source *source) {
    const lf_world_file *world = reader->world;
    lf_crs_transform *way = NULL;
    lf_vec3 *moved = NULL;
    lf_status status = lf__world_transform(reader, "crs", crs, &way);
    if (status == LF_OK)
        status = lf__allocate_array(&world->allocator, polygons.vertex_count, sizeof *moved, (void **)&moved);
    if (status == LF_OK) {
        memcpy(moved, polygons.vertices, (size_t)polygons.vertex_count * sizeof *moved);
        if (way && lf_crs_transform_points(way, moved, 0, polygons.vertex_count, false) > 0)
            status = lf__world_refuse(reader, LF_BAD_FORMAT, "crs",
                                      "%.60s: some vertices have no place in the CRS of the world", crs);
        else if (world->globe)
            lf__world_localise(&world->ellipsoid, moved, polygons.vertex_count, &source->pose);
        polygons.vertices = moved;
        if (status == LF_OK)
            status = lf__world_mesh(reader, key, &polygons, source);
    }
    lf__free_array(&world->allocator, moved, polygons.vertex_count, sizeof *moved);
    lf_crs_transform_destroy(way);
    source->georeferenced = true;
    return status;
}

static lf_status load_polygons(lf__world_reader *reader, const json_t *part, const char *kind,
                               const char *path, lf__world_source *source) {
    lf_polygon_file_def def = lf_polygon_file_def_default();
    lf_polygon_file *file = NULL;
    lf_store *store = NULL;
    lf_error inner = {0};
    const char *crs = NULL;
    bool stored = lf__path_ends(path, ".lf");
    def.host = reader->world->host;
    lf_status status = lf__world_text(reader, part, "crs", &crs);
    if (status != LF_OK)
        return status;
    if (crs && json_object_get(part, "place"))
        return lf__world_refuse(reader, LF_BAD_FORMAT, "place",
                                "its crs says where it is: expected one of them");
    status = stored ? lf_store_open_vsi(path, &def.host, false, &store, &inner)
                    : lf_polygon_file_read(path, &def, &file, &inner);
    status = lf__world_pass_on(reader, status, kind, &inner);
    if (status == LF_OK) {
        lf_polygons polygons = stored ? lf_store_polygons(store) : lf_polygon_file_polygons(file);
        if (polygons.polygon_count == 0)
            status = lf__world_refuse(reader, LF_BAD_FORMAT, kind, "%s: holds no polygons", path);
        else
            status = crs ? mesh_in_crs(reader, kind, crs, polygons, source)
                         : lf__world_mesh(reader, kind, &polygons, source);
    }
    lf_polygon_file_close(file);
    lf_store_close(store);
    return status;
}

static lf_status load_cityjson(const lf__world_reader *reader, const json_t *part, const char *path,
                               lf__world_source *source) {
    lf_world_file *world = reader->world;
    lf__bodies bodies = {0};
    const char *given = NULL;
    char own[LF__CITY_CRS] = "";
    lf_status status = lf__world_text(reader, part, "crs", &given);
    if (status == LF_OK)
        status = lf__world_cityjson(reader, path, &bodies, own, &world->building_count);
    const char *crs = given ? given : own[0] ? own : NULL;
    if (status == LF_OK && crs && json_object_get(part, "place"))
        status = lf__world_refuse(reader, LF_BAD_FORMAT, "place", "the CRS %.60s says where it is", crs);
    if (status == LF_OK && crs && !given && !world->crs && !world->globe)
        status = lf__world_fit(reader, "cityjson", crs, false);
    lf_polygons polygons = {.vertices = bodies.vertices.items,
                            .vertex_count = bodies.vertices.count,
                            .corners = bodies.corners.items,
                            .polygon_count = bodies.users.count,
                            .users = bodies.users.items};
    if (status == LF_OK)
        status = crs ? mesh_in_crs(reader, "cityjson", crs, polygons, source)
                     : lf__world_mesh(reader, "cityjson", &polygons, source);
    lf__bodies_free(&bodies, &world->allocator);
    return status;
}

// ---------------------------------------------------------------------------------------------------
// .lf files, globes and worlds
// ---------------------------------------------------------------------------------------------------

/// A globe that was loaded becomes the world's.
static lf_status take_globe(lf__world_reader *reader, const char *kind, lf__world_source *source) {
    lf_world_file *world = reader->world;
    if (reader->part != 0)
        return lf__world_refuse(reader, LF_BAD_FORMAT, kind, "is a globe: expected as the first part");
    world->globe = source->globe;
    world->ellipsoid = lf_globe_describe(source->globe).ellipsoid;
    source->georeferenced = true;
    return LF_OK;
}

static lf_status load_stored(lf__world_reader *reader, const json_t *part, const char *kind, const char *path,
                             lf__world_source *source) {
    lf_error inner = {0};
    lf_status status = lf_store_open_vsi(path, &reader->world->host, false, &source->store, &inner);
    if (status != LF_OK)
        return lf__world_pass_on(reader, status, kind, &inner);
    lf_store_info info = lf_store_describe(source->store);
    source->globe = info.globe;
    if (strcmp(kind, "globe") == 0 && !source->globe)
        return lf__world_refuse(reader, LF_BAD_FORMAT, kind, "%s: holds a %s: expected a globe", path,
                                lf_store_kind_name(info.kind));
    source->ground = lf_store_ground(source->store);
    if (!source->ground) { // a model: its polygons
        lf_polygons polygons = lf_store_polygons(source->store);
        return lf__world_mesh(reader, kind, &polygons, source);
    }
    if (source->globe)
        return take_globe(reader, kind, source);
    source->grid = (lf_grid *)(uintptr_t)lf_store_grid(source->store);
    source->georeferenced = source->grid || info.crs;
    if (!json_is_object(json_object_get(part, "place")) || info.degrees)
        status = source->grid || info.crs
                     ? lf__world_fit(reader, kind, info.crs, source->grid && info.degrees)
                     : LF_OK;
    return status;
}

static lf_status load_globe(lf__world_reader *reader, const json_t *part, const char *path,
                            lf__world_source *source) {
    lf_globe_def def = lf_globe_def_default();
    lf_error inner = {0};
    if (lf__path_ends(path, ".lf"))
        return load_stored(reader, part, "globe", path, source);
    def.host = reader->world->host;
    lf_status status = lf_tile_folder_open(path, &def.host, &source->folder, &inner);
    if (status == LF_OK) {
        def.provider = lf_tile_folder_provider(source->folder, &def.level_count);
        status = lf_globe_create(&def, &source->globe, &inner);
    }
    if (status != LF_OK)
        return lf__world_pass_on(reader, status, "globe", &inner);
    source->ground = lf_globe_ground_finest(source->globe);
    return take_globe(reader, "globe", source);
}

static lf_status load_world(lf__world_reader *reader, const json_t *part, const char *path,
                            lf__world_source *source) {
    lf_error inner = {0};
    lf_status status =
        lf__world_open(path, &reader->world->host, reader->world->scenes, reader, &source->world, &inner);
    if (status != LF_OK)
        return lf__world_pass_on(reader, status, "world", &inner);
    const lf_world_file *made = source->world;
    source->ground = lf_group_ground(made->group);
    source->globe = made->globe;
    source->georeferenced = made->crs != NULL;
    reader->world->building_count += made->building_count;
    if (made->globe)
        return take_globe(reader, "world", source);
    if (made->crs && !json_is_object(json_object_get(part, "place")))
        status = lf__world_fit(reader, "world", made->crs, false);
    return status;
}

/// A scene stands in the world's coordinates, or is placed.
static lf_status load_scene(const lf__world_reader *reader, const char *path, lf__world_source *source) {
    const lf_world_scenes *scenes = reader->world->scenes;
    const lf_ground *land = NULL;
    lf_error inner = {0};
    if (!scenes)
        return lf__world_refuse(reader, LF_UNSUPPORTED, "scene", "%s: this program does not run scenes",
                                path);
    if (reader->world->globe)
        return lf__world_refuse(reader, LF_UNSUPPORTED, "scene", "%s: is not for worlds on a globe", path);
    lf_status status = lf__world_standing(reader, &land);
    if (status != LF_OK)
        return status;
    source->georeferenced = true;
    status = scenes->open(scenes->user, path, land, &source->ground, &source->scene, &inner);
    return lf__world_pass_on(reader, status, "scene", &inner);
}

lf_status lf__world_load(lf__world_reader *reader, const json_t *part, const char *kind,
                         lf__world_source *source) {
    const char *name = NULL;
    struct stat about;
    lf_status status = lf__world_text(reader, part, kind, &name);
    if (status != LF_OK)
        return status;
    char *path = lf__world_path(reader, name);
    if (!path)
        return lf__fail_plain(reader->error, LF_NO_MEMORY);
    source->pose = lf_pose_identity();
    source->terrain =
        strcmp(kind, "model") != 0 && strcmp(kind, "cityjson") != 0 && strcmp(kind, "scene") != 0;
    if (strncmp(path, "/vsi", 4) != 0 && !strchr(path, ':') && stat(path, &about) != 0)
        status = lf__world_refuse(reader, LF_IO_FAILED, kind, "%s: No such file or directory", path);
    else if (strcmp(kind, "raster") == 0)
        status = load_raster(reader, part, path, source);
    else if (strcmp(kind, "lf") == 0)
        status = load_stored(reader, part, kind, path, source);
    else if (strcmp(kind, "globe") == 0)
        status = load_globe(reader, part, path, source);
    else if (strcmp(kind, "world") == 0)
        status = load_world(reader, part, path, source);
    else if (strcmp(kind, "scene") == 0)
        status = load_scene(reader, path, source);
    else if (strcmp(kind, "cityjson") == 0)
        status = load_cityjson(reader, part, path, source);
    else
        status = load_polygons(reader, part, kind, path, source);
    lf__world_forget(reader->world, path);
    return status;
}
