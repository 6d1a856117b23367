/// Files that landfall writes: `landfall build`, `landfall globe build`, `landfall verify` and `landfall export`.
#define _XOPEN_SOURCE 700 // realpath
#include "build_work.h"
#include "commands.h"
#include "ground.h"
#include <dirent.h>
#include <errno.h>
#include <landfall/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// ---- build --------------------------------------------------------------------------------------

/// Blocks of this many bytes are on the disk beside the file, so that memory does not grow with the ground.
#define ON_DISK ((size_t)4 << 20)

static lf_status write_ground(cli *run, const char *path, const char *parameters, lf_error *error) {
    const loaded *ground = &run->ground;
    lf_store_def def = lf_store_def_default();
    def.host = run->host;
    def.parameters = parameters;
    def.grid = ground->grid;
    def.mesh = ground->mesh;
    if (ground->world && !ground->grid) {
        def.group = lf_world_file_describe(ground->world).group;
        def.crs = ground->about.crs;
    }
    if (!ground_is_world(ground))
        def.globe = ground->globe;
    if (ground->store) {
        def.group = lf_store_group(ground->store);
        def.model = lf_store_model(ground->store);
    }
    lf_pixels pixels;
    bool known = ground->raster || (ground->store && lf_store_pixels(ground->store, &pixels));
    if (ground->raster)
        pixels = lf_raster_pixels(ground->raster);
    if (ground->grid) {
        def.pixels = known ? &pixels : NULL;
        def.crs = ground->about.crs;
        def.xy_unit = ground->about.xy_unit;
        def.z_unit = ground->about.z_unit;
        def.point = ground->about.point;
        def.degrees = ground->about.kind == LF_CRS_DEGREES;
        def.ellipsoid = ground->about.ellipsoid;
    }
    return lf_store_write(path, &def, error);
}

/// The ground, or the raster in its place.
static bool open_ground(cli *run, const char *raster) {
    if (!raster)
        return ground_open(run, 0);
    return ground_load(run, raster, run->command->ground, &run->ground) && coordinates_start(run);
}

static bool build_ground(cli *run, const char *path, const char *parameters, const char *raster) {
    const char *name = path_name(path);
    char *folder = allocate((size_t)(name - path) + 2, 1);
    lf_error error = {0};
    lf_disk *disk = NULL;
    memcpy(folder, name > path ? path : ".", name > path ? (size_t)(name - path) : 1);
    if (!succeeded(lf_disk_open(folder, ON_DISK, &disk, &error), &error))
        return false;
    run->host.allocator = lf_disk_allocator(disk);
    bool fine = open_ground(run, raster);
    lf_status status = fine ? write_ground(run, path, parameters, &error) : LF_OK;
    if (status == LF_BAD_ARGUMENT && error.text[0]) // a part of it that no file holds
        fine = failed("%s: %s", run->given.arguments[0], error.text);
    else
        fine = fine && succeeded(status, &error);
    ground_free(&run->ground);
    run->host.allocator = NULL;
    lf_disk_close(disk);
    return fine;
}

// ---- Rasters, one or many, with what is done kept
// ----------------------------------------------------------

#define LEAST_MEMORY 2e8
#define CACHE_SHARE 8 // of the memory, for GDAL's blocks

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/// The rasters of a folder, by their names.
static bool list_folder(const char *folder, char ***paths, int64_t *count) {
    static const char *const endings[] = {".tif", ".tiff", ".hgt", ".asc", ".img", ".vrt",
                                          ".dt0", ".dt1",  ".dt2", ".zip", ".gz",  ".bil"};
    DIR *list = opendir(folder);
    int64_t capacity = 0;
    *count = 0;
    if (!list)
        return failed("%s: %s", folder, strerror(errno));
    for (struct dirent *entry; (entry = readdir(list));)
        for (size_t k = 0; k < sizeof endings / sizeof *endings; k++)
            if (path_ends(entry->d_name, endings[k])) {
                size_t size = strlen(folder) + strlen(entry->d_name) + 2;
                *paths = reserve(*paths, &capacity, *count + 1, sizeof **paths);
                (*paths)[*count] = allocate(size, 1);
                snprintf((*paths)[(*count)++], size, "%s/%s", folder, entry->d_name);
            }
    closedir(list);
    if (*count == 0)
        return failed(
            "%s: a folder without rasters: expected .tif, .hgt, .asc, .img, .vrt, .dt2, .bil, .zip or .gz",
            folder);
    qsort(*paths, (size_t)*count, sizeof **paths, by_name);
    return true;
}

static bool is_folder(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/// A folder of rasters in place of them.
static bool expand_folder(options *given) {
    char **paths = NULL;
    int64_t count;
    if (given->argument_count != 1 || !is_folder(given->arguments[0]) ||
        path_kind(given->arguments[0]) != GROUND_RASTER)
        return true;
    if (!list_folder(given->arguments[0], &paths, &count))
        return false;
    given->arguments = allocate((size_t)count, sizeof *given->arguments);
    for (int64_t k = 0; k < count; k++)
        given->arguments[k] = paths[k];
    given->argument_count = (int)count;
    return true;
}

/// A VRT of all rasters, in the folder of the work. Its paths hold wherever it is.
static bool write_mosaic(cli *run, const build_work *work, const char *vrt) {
    const options *given = &run->given;
    const char **paths = allocate((size_t)given->argument_count, sizeof *paths);
    const char *part = build_work_path(work, "mosaic.vrt.part");
    lf_raster_def def = lf_raster_def_default();
    lf_error error = {0};
    if (!raster_options_read(run, &def))
        return false;
    for (int k = 0; k < given->argument_count; k++) {
        char *whole = realpath(given->arguments[k], NULL);
        size_t size = whole ? strlen(whole) + 1 : 0;
        paths[k] = whole ? memcpy(allocate(size, 1), whole, size) : given->arguments[k];
        free(whole);
    }
    if (!succeeded(lf_mosaic_write(paths, given->argument_count, part, &def, &error), &error))
        return false;
    return rename(part, vrt) == 0 || failed("%s: %s", vrt, strerror(errno));
}

static bool build_kept(cli *run, const char *path, const char *parameters) {
    const options *given = &run->given;
    const char *memory = options_value(given, "memory"), *vrt = NULL;
    build_work work;
    double bytes = 0;
    char text[32];
    for (int k = 0; k < given->argument_count; k++)
        if (path_kind(given->arguments[k]) != GROUND_RASTER)
            return failed("%s: is no raster: only rasters are built into one, or with --memory",
                          given->arguments[k]);
    if (memory && size_read(memory, &bytes) && bytes < LEAST_MEMORY)
        return failed("--memory %s: expected 200M or more", memory);
    if (memory) {
        snprintf(text, sizeof text, "%.0f", bytes / 1e6 / CACHE_SHARE);
        setenv("GDAL_CACHEMAX", text, 0);
    }
    if (!build_work_open(run, path, &work))
        return false;
    bool fine = true;
    if (given->argument_count > 1) {
        struct stat about;
        vrt = build_work_path(&work, "mosaic.vrt");
        fine = stat(vrt, &about) == 0 || write_mosaic(run, &work, vrt);
    }
    run->raster_keep = &work.raster;
    run->grid_keep = &work.grid;
    fine = fine && build_ground(run, path, parameters, vrt);
    build_work_close(&work, fine);
    return fine;
}

static bool build_model(cli *run, const char *path, const char *parameters) {
    lf_store_def def = lf_store_def_default();
    lf_error error = {0};
    lf_model *model = NULL;
    lf_field_def field = model_field(&run->given);
    if (!options_has(&run->given, "sectors"))
        field.sectors = 0;
    field.centre = lf_model_def_default().field.centre;
    if (!model_load(run, run->given.arguments[0], &field, &model))
        return false;
    def.host = run->host;
    def.parameters = parameters;
    def.model = model;
    lf_status status = lf_store_write(path, &def, &error);
    lf_model_destroy(model);
    return succeeded(status, &error);
}

int command_build(cli *run) {
    const char *path = options_value(&run->given, "output");
    char parameters[200];
    if (!expand_folder(&run->given))
        return CLI_ERROR;
    int count = run->given.argument_count;
    bool model = options_has(&run->given, "as"), kept = count > 1 || options_has(&run->given, "memory"),
         built;
    if (count > 1)
        snprintf(parameters, sizeof parameters, "build of %d rasters", count);
    else
        snprintf(parameters, sizeof parameters, "build %s", path_name(run->given.arguments[0]));
    if (kept && model)
        built = refused("--as model: not with --memory or several files");
    else if (kept)
        built = build_kept(run, path, parameters);
    else
        built = model ? build_model(run, path, parameters) : build_ground(run, path, parameters, NULL);
    return built ? info_store(run, path) : CLI_ERROR;
}

// ---- globe build --------------------------------------------------------------------------------

static lf_status write_globe(cli *run, const char *path, const lf_globe *globe, const char *parameters,
                             lf_error *error) {
    lf_store_def def = lf_store_def_default();
    def.host = run->host;
    def.globe = globe;
    def.parameters = parameters;
    return lf_store_write(path, &def, error);
}

static lf_status build_globe(cli *run, const char *path, int cells, size_t memory, build_work *work,
                             lf_error *error) {
    lf_raster_def raster = lf_raster_def_default();
    lf_globe_rasters *rasters = NULL;
    lf_globe *globe = NULL;
    kept_tiles *kept = NULL;
    char parameters[64];
    raster.host = run->host;
    raster.memory = memory;
    lf_status status = lf_globe_rasters_open(run->given.arguments + 1, run->given.argument_count - 1, &raster,
                                             cells, &rasters, error);
    if (status == LF_OK) {
        lf_globe_def made = lf_globe_rasters_def(rasters);
        kept = kept_tiles_open(work, &made.provider);
        status = lf_globe_create(&made, &globe, error);
    }
    snprintf(parameters, sizeof parameters, "globe build of %d files, %d cells",
             run->given.argument_count - 1, cells);
    if (status == LF_OK)
        status = write_globe(run, path, globe, parameters, error);
    lf_globe_destroy(globe);
    lf_globe_rasters_close(rasters);
    kept_tiles_close(kept);
    return status;
}

/// Tiles of a folder are a globe already: they are written as they are.
static int build_from_folder(cli *run, const char *path) {
    lf_error error = {0};
    if (run->given.argument_count > 2)
        return message_usage("%s: unexpected argument: a folder of tiles is a globe by itself",
                             run->given.arguments[2]);
    if (options_has(&run->given, "cells") || options_has(&run->given, "memory"))
        return message_usage(
            "--cells and --memory: apply to rasters; the tiles of a folder are written as they are");
    if (!terrain_load(run, run->given.arguments[1], &run->ground))
        return CLI_ERROR;
    lf_status status = write_globe(run, path, run->ground.globe, "globe build of a folder of tiles", &error);
    return succeeded(status, &error) ? CLI_YES : CLI_ERROR;
}

int command_globe(cli *run) {
    const options *given = &run->given;
    const char *path = options_value(given, "output");
    lf_error error = {0};
    if (given->argument_count < 2)
        return message_usage("RASTER: missing argument");
    for (int i = 1; i < given->argument_count; i++)
        if (path_kind(given->arguments[i]) == GROUND_STORED)
            return message_error("%s: is a .lf file: expected a raster that GDAL reads", given->arguments[i]);
    if (path_kind(given->arguments[1]) == GROUND_TERRAIN)
        return build_from_folder(run, path);
    build_work work;
    if (!build_work_open(run, path, &work))
        return CLI_ERROR;
    lf_status status = build_globe(run, path, (int)options_integer(given, "cells", 64),
                                   (size_t)options_integer(given, "memory", 256) << 20, &work, &error);
    bool fine = succeeded(status, &error);
    build_work_close(&work, fine);
    return fine ? CLI_YES : CLI_ERROR;
}

// ---- verify and export --------------------------------------------------------------------------

int command_verify(cli *run) {
    lf_error error = {0};
    lf_store *store = NULL;
    if (!succeeded(lf_store_open_vsi(run->given.arguments[0], &run->host, true, &store, &error), &error))
        return CLI_ERROR;
    lf_store_close(store);
    output_text(&run->out, "ok\n");
    return CLI_YES;
}

static lf_status export_store(cli *run, const lf_store *store, const char *path, lf_error *error) {
    lf_store_info info = lf_store_describe(store);
    lf_polygons polygons = lf_store_polygons(store);
    if (lf_store_grid(store))
        // Coordinates and CRS of a .lf file are in metres or degrees, whatever the units of the source.
        return lf_grid_write(path, lf_store_grid(store), info.crs, 1, &run->host, error);
    return lf_polygon_file_write(path, &polygons, &run->host, error);
}

/// Can the content of the file be written there?
static bool suits(const lf_store *store, const char *from, const char *path) {
    const char *kind = lf_store_kind_name(lf_store_describe(store).kind);
    bool heights = path_ends(path, ".tif") || path_ends(path, ".tiff");
    bool polygons = path_ends(path, ".ply") || path_ends(path, ".obj");
    bool grid = lf_store_grid(store) != NULL;
    if (!grid && lf_store_polygons(store).polygon_count == 0)
        message_error("%s: holds a %s, which no other format can hold", from, kind);
    else if (grid ? !heights : !polygons)
        message_error("-o %s: %s holds a %s: expected %s", path, from, kind, grid ? ".tif" : ".ply or .obj");
    else
        return true;
    return false;
}

int command_export(cli *run) {
    const char *path = options_value(&run->given, "output"), *from = run->given.arguments[0];
    lf_error error = {0};
    lf_store *store = NULL;
    if (!succeeded(lf_store_open_vsi(from, &run->host, false, &store, &error), &error))
        return CLI_ERROR;
    bool fine = suits(store, from, path) && succeeded(export_store(run, store, path, &error), &error);
    lf_store_close(store);
    return fine ? CLI_YES : CLI_ERROR;
}
