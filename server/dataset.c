#include "dataset.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DEGREE 0.017453292519943295

const char *server_verb = "serve";

static void print_log(void *user, lf_log_level level, const char *text) {
    (void)user;
    (void)level;
    fprintf(stderr, "landfall %s: %s\n", server_verb, text);
}

static const lf_log notes = {NULL, print_log};

static bool ends_with(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcmp(path + length - tail, ending) == 0;
}

static bool is_mesh(const char *path) {
    static const char *const endings[] = {".ply", ".obj", ".stl", ".off", ".gltf", ".glb", ".dae", ".3ds"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_with(path, endings[i]))
            return true;
    return false;
}

static bool is_terrain(const char *path) {
    char file[4096];
    int length = snprintf(file, sizeof file, "%s/layer.json", path);
    return ends_with(path, "layer.json") ||
           (length > 0 && (size_t)length < sizeof file && access(file, R_OK) == 0);
}

// ---- Opening ------------------------------------------------------------------------------------

static lf_status open_store(dataset *dataset, const char *path, const lf_host *host, lf_error *error) {
    lf_status status = lf_store_open_vsi(path, host, false, &dataset->store, error);
    if (status != LF_OK)
        return status;
    lf_store_info info = lf_store_describe(dataset->store);
    dataset->ground = lf_store_ground(dataset->store);
    dataset->grid = lf_store_grid(dataset->store);
    dataset->globe = info.globe;
    dataset->has_parts = info.kind == LF_STORE_GROUP;
    dataset->kind_name = lf_store_kind_name(info.kind);
    dataset->ellipsoid = info.ellipsoid;
    dataset->degrees = info.degrees;
    dataset->kind = info.degrees                ? LF_CRS_DEGREES
                    : !info.crs                 ? LF_CRS_NONE
                    : strstr(info.crs, "PROJC") ? LF_CRS_PROJECTED
                                                : LF_CRS_ENGINEERING;
    dataset->crs = memory_copy(info.crs);
    dataset->hash = info.hash;
    if (!dataset->ground) {
        snprintf(error->text, sizeof error->text, "%s: holds a %s: expected ground", path,
                 dataset->kind_name);
        return LF_BAD_FORMAT;
    }
    return info.crs && !dataset->crs ? LF_NO_MEMORY : LF_OK;
}

static lf_status open_raster(dataset *dataset, const dataset_setting *setting, const lf_host *host,
                             lf_error *error) {
    lf_raster_def def = lf_raster_def_default();
    def.host = *host;
    lf_status status = lf_raster_read(setting->file, &def, &dataset->raster, error);
    if (status != LF_OK)
        return status;
    lf_raster_info info = lf_raster_describe(dataset->raster);
    lf_grid_def grid = lf_raster_grid_def(dataset->raster);
    grid.borrow = true;
    grid.surface = LF_SURFACE_BILINEAR;
    for (int k = 0; setting->surface && k <= LF_SURFACE_POINT; k++)
        if (strcmp(lf_surface_name((lf_surface)k), setting->surface) == 0)
            grid.surface = (lf_surface)k;
    status = lf_grid_create(&grid, &dataset->owned_grid, error);
    if (status != LF_OK)
        return status;
    dataset->grid = dataset->owned_grid;
    dataset->ground = lf_grid_ground(dataset->grid);
    dataset->kind_name = "grid";
    dataset->kind = info.kind;
    dataset->degrees = info.kind == LF_CRS_DEGREES;
    dataset->ellipsoid = info.ellipsoid;
    dataset->crs = memory_copy(info.crs);
    return info.crs && !dataset->crs ? LF_NO_MEMORY : LF_OK;
}

static lf_status open_mesh(dataset *dataset, const char *path, const lf_host *host, lf_error *error) {
    lf_polygon_file_def file = lf_polygon_file_def_default();
    lf_mesh_def def = lf_mesh_def_default();
    file.host = def.host = *host;
    lf_status status = lf_polygon_file_read(path, &file, &dataset->file, error);
    if (status != LF_OK)
        return status;
    def.polygons = lf_polygon_file_polygons(dataset->file);
    status = lf_mesh_create(&def, &dataset->mesh, error);
    dataset->ground = lf_mesh_ground(dataset->mesh);
    dataset->kind_name = "mesh";
    return status;
}

static lf_status open_terrain(dataset *dataset, const char *path, const lf_host *host, lf_error *error) {
    lf_globe_def def = lf_globe_def_default();
    lf_status status = lf_tile_folder_open(path, host, &dataset->terrain, error);
    if (status != LF_OK)
        return status;
    def.host = *host;
    def.provider = lf_tile_folder_provider(dataset->terrain, &def.level_count);
    status = lf_globe_create(&def, &dataset->globe, error);
    dataset->kind_name = "globe";
    dataset->ellipsoid = def.ellipsoid;
    return status;
}

static lf_status open_world(dataset *dataset, const char *path, const lf_host *host, lf_error *error) {
    lf_status status = lf_world_file_open(path, host, &dataset->world, error);
    if (status != LF_OK)
        return status;
    lf_world_file_info info = lf_world_file_describe(dataset->world);
    dataset->ground = info.ground;
    dataset->grid = info.grid;
    dataset->globe = info.globe;
    dataset->kind_name = "world";
    dataset->has_parts = true;
    dataset->ellipsoid = info.ellipsoid;
    dataset->kind = info.crs ? LF_CRS_PROJECTED : LF_CRS_NONE;
    dataset->crs = memory_copy(info.crs);
    dataset->datum = memory_copy(info.vertical);
    return (info.crs && !dataset->crs) || (info.vertical && !dataset->datum) ? LF_NO_MEMORY : LF_OK;
}

// ---- What is known of one -----------------------------------------------------------------------

/// The name of the vertical datum in the text of a CRS; NULL: none.
static char *vertical_datum(const char *crs) {
    static const char *const signs[] = {"VERTCRS[\"", "VERT_CS[\""};
    for (size_t i = 0; crs && i < sizeof signs / sizeof *signs; i++) {
        const char *from = strstr(crs, signs[i]);
        if (from) {
            char name[128];
            from += strlen(signs[i]);
            snprintf(name, sizeof name, "%.*s", (int)strcspn(from, "\""), from);
            return memory_copy(name);
        }
    }
    return memory_copy("unknown");
}

static void grow(dataset *dataset, lf_vec3 at) {
    if (!isfinite(at.x) || !isfinite(at.y))
        return;
    dataset->low = (lf_vec2){fmin(dataset->low.x, at.x), fmin(dataset->low.y, at.y)};
    dataset->high = (lf_vec2){fmax(dataset->high.x, at.x), fmax(dataset->high.y, at.y)};
}

/// Longitudes and latitudes of the border of its map.
static bool find_area(dataset *dataset) {
    lf_vec3 border[4 * 33];
    int count = 0;
    dataset->low = (lf_vec2){INFINITY, INFINITY};
    dataset->high = (lf_vec2){-INFINITY, -INFINITY};
    if (dataset->globe) {
        dataset->low = (lf_vec2){-180, -90};
        dataset->high = (lf_vec2){180, 90};
        return true;
    }
    lf_box box = lf_ground_box(dataset->ground);
    for (int i = 0; i <= 32; i++) {
        double x = box.low.x + (box.high.x - box.low.x) * i / 32,
               y = box.low.y + (box.high.y - box.low.y) * i / 32;
        border[count++] = (lf_vec3){x, box.low.y, 0};
        border[count++] = (lf_vec3){x, box.high.y, 0};
        border[count++] = (lf_vec3){box.low.x, y, 0};
        border[count++] = (lf_vec3){box.high.x, y, 0};
    }
    if (!dataset_from_map(dataset, border, count))
        return false;
    for (int i = 0; i < count; i++)
        grow(dataset, border[i]);
    return true;
}

static bool describe(dataset *dataset, const dataset_setting *setting, complaint *why) {
    struct stat facts;
    dataset->resolution = NAN;
    dataset->projected = dataset->kind == LF_CRS_PROJECTED;
    dataset->degrees |= dataset->globe != NULL;
    dataset->earth = dataset->degrees || dataset->projected;
    if (dataset->ellipsoid.radius <= 0)
        dataset->ellipsoid = lf_sight_rules_default().ellipsoid;
    if (dataset->hash == 0 && stat(setting->file, &facts) == 0)
        dataset->hash = (uint64_t)facts.st_size * 0x9e3779b97f4a7c15u ^ (uint64_t)facts.st_mtim.tv_sec << 20 ^
                        (uint64_t)facts.st_mtim.tv_nsec ^ (uint64_t)facts.st_ino << 40;
    if (dataset->world) { // its parts are files of their own, which may change too
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        dataset->hash ^= (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    }
    dataset->name = memory_copy(setting->name);
    if (setting->datum || !dataset->datum) {
        memory_free(dataset->datum);
        dataset->datum = setting->datum   ? memory_copy(setting->datum)
                         : dataset->globe ? memory_copy("ellipsoid")
                                          : vertical_datum(dataset->crs);
    }
    if (!dataset->name || !dataset->datum || !find_area(dataset))
        return complain(why, "%s: out of memory, or no transform from longitude and latitude", setting->file);
    if (dataset->grid) {
        lf_grid_info info = lf_grid_describe(dataset->grid);
        lf_vec2 metres =
            dataset_metres(dataset, lf_geotransform_at(&info.geotransform, 0.5 * (double)info.columns,
                                                       0.5 * (double)info.rows));
        dataset->resolution =
            hypot(info.geotransform.per_row.x * metres.x, info.geotransform.per_row.y * metres.y);
    }
    json out = {&dataset->source, &json_compact, 0, false};
    put_text(&out, "dataset", dataset->name);
    put_text(&out, "datum", dataset->datum);
    put_number(&out, "resolution", dataset->resolution);
    return !dataset->source.failed || complain(why, "out of memory");
}

static void close_dataset(dataset *dataset) {
    for (int i = 0; i < dataset->spare_count; i++)
        lf_crs_transform_destroy(dataset->spare[i]);
    if (dataset->store || dataset->world) {
        lf_store_close(dataset->store);
        lf_world_file_close(dataset->world);
    } else {
        lf_globe_destroy(dataset->globe);
        lf_tile_folder_close(dataset->terrain);
        lf_mesh_destroy(dataset->mesh);
        lf_polygon_file_close(dataset->file);
        lf_grid_destroy(dataset->owned_grid);
        lf_raster_close(dataset->raster);
    }
    text_free(&dataset->source);
    memory_free(dataset->name);
    memory_free(dataset->datum);
    memory_free(dataset->crs);
    pthread_mutex_destroy(&dataset->lock);
}

static bool open_dataset(dataset *dataset, const dataset_setting *setting, bool quiet, complaint *why) {
    const lf_host host = {NULL, NULL, NULL, quiet ? NULL : &notes};
    lf_error error = {.text = ""};
    const char *path = setting->file;
    pthread_mutex_init(&dataset->lock, NULL);
    lf_status status = ends_with(path, ".lf")           ? open_store(dataset, path, &host, &error)
                       : ends_with(path, ".world.json") ? open_world(dataset, path, &host, &error)
                       : is_mesh(path)                  ? open_mesh(dataset, path, &host, &error)
                       : is_terrain(path)               ? open_terrain(dataset, path, &host, &error)
                                                        : open_raster(dataset, setting, &host, &error);
    if (status != LF_OK)
        return complain(why, "%s", error.text[0] ? error.text : lf_status_text(status));
    return describe(dataset, setting, why);
}

bool datasets_open(const settings *settings, datasets **opened, complaint *why) {
    datasets *all = memory_take(sizeof *all + (size_t)settings->dataset_count * sizeof *all->list);
    if (!all)
        return complain(why, "out of memory");
    memset(all->list, 0, (size_t)settings->dataset_count * sizeof *all->list);
    atomic_init(&all->users, 1);
    all->count = 0;
    bool fine = true;
    for (int64_t i = 0; fine && i < settings->dataset_count; i++)
        fine = open_dataset(&all->list[all->count++], &settings->datasets[i], settings->quiet, why);
    if (!fine)
        datasets_release(all);
    else
        *opened = all;
    return fine;
}

datasets *datasets_hold(datasets *datasets) {
    atomic_fetch_add(&datasets->users, 1);
    return datasets;
}

void datasets_release(datasets *datasets) {
    if (!datasets || atomic_fetch_sub(&datasets->users, 1) > 1)
        return;
    for (int i = 0; i < datasets->count; i++)
        close_dataset(&datasets->list[i]);
    memory_free(datasets);
}

int datasets_find(const datasets *datasets, const char *name, size_t length) {
    for (int i = 0; i < datasets->count; i++)
        if (strlen(datasets->list[i].name) == length && strncmp(datasets->list[i].name, name, length) == 0)
            return i;
    return -1;
}

// ---- Coordinates --------------------------------------------------------------------------------

/// A transform between the map and longitudes and latitudes, for one thread; NULL without memory or without one.
static lf_crs_transform *borrow_transform(dataset *dataset) {
    lf_crs_transform *transform = NULL;
    pthread_mutex_lock(&dataset->lock);
    if (dataset->spare_count > 0)
        transform = dataset->spare[--dataset->spare_count];
    pthread_mutex_unlock(&dataset->lock);
    if (!transform && lf_crs_transform_create(dataset->crs, NULL, NULL, &transform, NULL) != LF_OK)
        return NULL;
    return transform;
}

static void return_transform(dataset *dataset, lf_crs_transform *transform) {
    pthread_mutex_lock(&dataset->lock);
    bool kept = dataset->spare_count < DATASET_TRANSFORMS;
    if (kept)
        dataset->spare[dataset->spare_count++] = transform;
    pthread_mutex_unlock(&dataset->lock);
    if (!kept)
        lf_crs_transform_destroy(transform);
}

static bool convert(dataset *dataset, lf_vec3 *points, int64_t count, bool to_map) {
    if (!dataset->projected || count == 0)
        return true;
    lf_crs_transform *transform = borrow_transform(dataset);
    if (!transform)
        return false;
    lf_crs_transform_points(transform, points, 0, count, to_map);
    return_transform(dataset, transform);
    return true;
}

bool dataset_to_map(dataset *dataset, lf_vec3 *points, int64_t count) {
    return convert(dataset, points, count, true);
}

bool dataset_from_map(dataset *dataset, lf_vec3 *points, int64_t count) {
    return convert(dataset, points, count, false);
}

/// The topmost thing on a world's plumb line.
static lf_status world_height(const dataset *dataset, double lon, double lat, lf_hit *hit) {
    const double top = 1e5, bottom = -1e5; // metres above the ellipsoid: all ground lies between
    lf_vec3 a = lf_ellipsoid_to_centred(&dataset->ellipsoid, (lf_geodetic){lon, lat, top}),
            b = lf_ellipsoid_to_centred(&dataset->ellipsoid, (lf_geodetic){lon, lat, bottom});
    lf_ray ray = {a, lf_vec3_unit(lf_vec3_sub(b, a)), 0, lf_vec3_length(lf_vec3_sub(b, a))};
    lf_status status = lf_ground_ray_first(dataset->ground, &ray, hit, NULL);
    if (status == LF_OK && hit->kind == LF_HIT_NONE)
        hit->reason = LF_REASON_OUTSIDE;
    return status;
}

lf_status dataset_globe_height(dataset *dataset, double lon, double lat, double *height, lf_reason *reason,
                               lf_vec3 *normal) {
    lf_status status;
    *height = NAN;
    *reason = LF_REASON_OUTSIDE;
    if (!(fabs(lat) <= 90))
        return LF_OK;
    pthread_mutex_lock(&dataset->lock);
    if (dataset->has_parts) {
        lf_hit hit;
        status = world_height(dataset, lon, lat, &hit);
        if (status == LF_OK && hit.kind != LF_HIT_NONE)
            *height = lf_ellipsoid_to_geodetic(&dataset->ellipsoid, hit.point).height;
        if (normal)
            *normal = hit.normal;
        *reason = hit.reason;
    } else {
        lf_globe_elevation ground;
        status = lf_globe_height_finest(dataset->globe, lon, lat, &ground);
        *height = ground.reason == LF_REASON_ANSWERED ? ground.height : NAN;
        *reason = ground.reason;
        if (normal && status >= 0 && ground.reason == LF_REASON_ANSWERED)
            status = lf_globe_normal(dataset->globe, lon, lat, normal);
    }
    pthread_mutex_unlock(&dataset->lock);
    return status;
}

bool dataset_compass(dataset *dataset, lf_vec2 at, lf_compass *compass, lf_vec2 *lon_lat) {
    lf_vec2 metres = dataset_metres(dataset, at);
    *compass = (lf_compass){{1 / metres.x, 0}, {0, 1 / metres.y}};
    *lon_lat = at;
    if (!dataset->projected)
        return true;
    lf_crs_transform *transform = borrow_transform(dataset);
    if (!transform)
        return false;
    lf_crs_transform_compass(transform, &at, 1, compass, lon_lat);
    return_transform(dataset, transform);
    return true;
}

lf_vec2 dataset_metres(const dataset *dataset, lf_vec2 at) {
    if (!dataset->degrees)
        return (lf_vec2){1, 1};
    // Radii of curvature along the parallel and along the meridian.
    double f = dataset->ellipsoid.flattening, e2 = f * (2 - f), sine = sin(at.y * DEGREE);
    double w = sqrt(1 - e2 * sine * sine), east = dataset->ellipsoid.radius / w * cos(at.y * DEGREE);
    double north = dataset->ellipsoid.radius * (1 - e2) / (w * w * w);
    return (lf_vec2){fmax(east, 1) * DEGREE, north * DEGREE};
}

lf_sight_rules dataset_rules(const dataset *dataset) {
    lf_sight_rules rules = lf_sight_rules_default();
    rules.units = dataset->degrees ? LF_MAP_DEGREES : LF_MAP_METRES;
    rules.ellipsoid = dataset->ellipsoid;
    return rules;
}
