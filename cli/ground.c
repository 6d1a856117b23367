#include "ground.h"
#include "option_tables.h"
#include "reach.h"
#include "things.h"
#include "tile_copy.h"
#include <errno.h>
#include <figures.h>
#include <landfall/published.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

unsigned path_kind(const char *path) {
    static const char *const meshes[] = {".ply", ".obj", ".stl", ".off", ".gltf", ".glb", ".dae", ".3ds"};
    char file[4096];
    int length = snprintf(file, sizeof file, "%s/layer.json", path);
    if (path_ends(path, ".lf"))
        return GROUND_STORED;
    if (path_ends(path, ".world.json"))
        return GROUND_WORLD;
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++)
        if (path_ends(path, meshes[i]))
            return GROUND_MESH;
    bool folder = length > 0 && (size_t)length < sizeof file && access(file, R_OK) == 0;
    return folder || strcmp(path_name(path), "layer.json") == 0 ? GROUND_TERRAIN : GROUND_RASTER;
}

// ---- Frames -------------------------------------------------------------------------------------

/// "PX,PY,PZ,DX,DY,DZ,in" or "...,out"
static bool read_axis(const char *text, lf_frame *frame) {
    char copy[256], *comma;
    double n[ROW_NUMBERS];
    int length = snprintf(copy, sizeof copy, "%s", text);
    if (length >= (int)sizeof copy || !(comma = strrchr(copy, ',')))
        return false;
    bool inwards = strcmp(comma + 1, "in") == 0;
    if (!inwards && strcmp(comma + 1, "out") != 0)
        return false;
    *comma = '\0';
    const option axis = {.name = "axis", .least = 6};
    given one = {&axis, copy};
    options numbers = {.list = &one, .count = 1};
    return options_numbers(&numbers, "axis", 0, n) == 6 &&
           lf_frame_axis((lf_vec3){n[0], n[1], n[2]}, (lf_vec3){n[3], n[4], n[5]}, inwards, frame) == LF_OK;
}

bool check_axis(const char *value, lf_error *why) {
    lf_frame frame;
    snprintf(why->text, sizeof why->text,
             "expected PX,PY,PZ,DX,DY,DZ,in|out with a direction that is not zero");
    return read_axis(value, &frame);
}

bool ground_framed(const options *given) {
    return options_has(given, "gravity") || options_has(given, "centre") || options_has(given, "axis");
}

/// The frame that the options ask for; left alone when they do not.
static bool read_frame(const options *given, lf_frame *frame) {
    double n[ROW_NUMBERS];
    if (options_has(given, "gravity") &&
        lf_frame_gravity(options_vector(given, "gravity", (lf_vec3){0, 0, 0}), frame) != LF_OK)
        return refused("--gravity %s: gravity is zero", options_value(given, "gravity"));
    // The names of centres are those of --as model.
    if (options_has(given, "centre") && (options_numbers(given, "centre", 0, n) != 3 ||
                                         lf_frame_centre((lf_vec3){n[0], n[1], n[2]}, frame) != LF_OK))
        return refused("--centre %s: expected X,Y,Z", options_value(given, "centre"));
    return !options_has(given, "axis") || read_axis(options_value(given, "axis"), frame);
}

// ---- Meshes and globes --------------------------------------------------------------------------

static bool mesh_load(cli *run, const char *path, loaded *loaded) {
    lf_polygon_file_def file = lf_polygon_file_def_default();
    lf_mesh_def def = lf_mesh_def_default();
    lf_error error = {0};
    if (!read_frame(&run->given, &def.frame))
        return false;
    file.host = def.host = run->host;
    file.only_count = options_count(&run->given, "only");
    file.only = file.only_count > 0 ? options_list(&run->given, "only") : NULL;
    lf_status status = lf_polygon_file_read(path, &file, &loaded->file, &error);
    if (status == LF_OK) {
        def.polygons = loaded->polygons = lf_polygon_file_polygons(loaded->file);
        status = lf_mesh_create(&def, &loaded->mesh, &error);
    }
    if (status == LF_OK)
        loaded->ground = lf_mesh_ground(loaded->mesh);
    return succeeded(status, &error);
}

bool terrain_load(cli *run, const char *path, loaded *loaded) {
    lf_globe_def def = lf_globe_def_default();
    lf_error error = {0};
    lf_status status = lf_tile_folder_open(path, &run->host, &loaded->terrain, &error);
    if (status == LF_OK) {
        def.host = run->host;
        def.provider = lf_tile_folder_provider(loaded->terrain, &def.level_count);
        status = lf_globe_create(&def, &loaded->globe, &error);
    }
    if (status == LF_OK)
        loaded->ground = lf_globe_ground_finest(loaded->globe);
    loaded->about = (lf_raster_info){.format = "terrain", .georeferenced = true, .ellipsoid = def.ellipsoid};
    return succeeded(status, &error);
}

/// What x and y are, as far as the text of the CRS begins with it.
static lf_crs_kind kind_of(const lf_store_info *info) {
    if (info->degrees)
        return LF_CRS_DEGREES;
    if (!info->crs)
        return LF_CRS_NONE;
    if (info->kind == LF_STORE_GROUP) // as a world file names it, and those have no others
        return LF_CRS_PROJECTED;
    return strstr(info->crs, "PROJC") ? LF_CRS_PROJECTED : LF_CRS_ENGINEERING;
}

static bool stored_load(cli *run, const char *path, loaded *loaded) {
    lf_error error = {0};
    if (!succeeded(lf_store_open_vsi(path, &run->host, false, &loaded->store, &error), &error))
        return false;
    lf_store_info info = lf_store_describe(loaded->store);
    loaded->ground = (const lf_ground *)(uintptr_t)lf_store_ground(loaded->store);
    if (!loaded->ground)
        loaded->ground = lf_model_ground(lf_store_model(loaded->store));
    loaded->grid = (lf_grid *)(uintptr_t)lf_store_grid(loaded->store);
    loaded->mesh = (lf_mesh *)(uintptr_t)lf_store_mesh(loaded->store);
    loaded->globe = info.globe;
    loaded->polygons = lf_store_polygons(loaded->store);
    lf_pixels pixels = {.georeferenced = true};
    lf_store_pixels(loaded->store, &pixels);
    loaded->about =
        (lf_raster_info){.format = "landfall",
                         .stored = loaded->grid ? lf_codec_name(lf_grid_describe(loaded->grid).codec) : "",
                         .georeferenced = pixels.georeferenced,
                         .point = info.point,
                         .kind = kind_of(&info),
                         .crs = info.crs,
                         .ellipsoid = info.ellipsoid,
                         .xy_unit = info.xy_unit,
                         .z_unit = info.z_unit,
                         .z_unit_known = true};
    return true;
}

static bool world_load(cli *run, const char *path, loaded *loaded) {
    lf_error error = {0};
    world_scenes_start(run);
    if (!succeeded(lf_world_file_open_scenes(path, &run->host, &run->scenes, &loaded->world, &error), &error))
        return false;
    lf_world_file_info info = lf_world_file_describe(loaded->world);
    for (int64_t i = 0; i < info.file_count; i++)
        if (!run_files_keep(run, info.files[i]))
            return false;
    loaded->ground = info.ground;
    loaded->grid = (lf_grid *)(uintptr_t)info.grid;
    loaded->globe = info.globe;
    loaded->about = (lf_raster_info){.format = "world",
                                     .stored = "",
                                     .georeferenced = true,
                                     .kind = info.crs ? LF_CRS_PROJECTED : LF_CRS_NONE,
                                     .crs = info.crs,
                                     .ellipsoid = info.ellipsoid,
                                     .xy_unit = 1,
                                     .z_unit = 1,
                                     .z_unit_known = true};
    return true;
}

bool ground_is_world(const loaded *loaded) {
    return loaded->world || (loaded->store && lf_store_describe(loaded->store).kind == LF_STORE_GROUP);
}

const lf_grid *ground_terrain(const loaded *loaded) {
    return loaded->grid    ? loaded->grid
           : loaded->world ? lf_world_file_describe(loaded->world).terrain
           : loaded->store ? lf_store_describe(loaded->store).terrain
                           : NULL;
}

// ---- Rasters ------------------------------------------------------------------------------------

bool raster_options_read(const cli *run, lf_raster_def *def) {
    const options *given = &run->given;
    bool gdal = run->command->signs != NULL;
    double n[ROW_NUMBERS];
    def->host = run->host;
    if (run->host.allocator) // a disk, which reports itself when it is full
        def->memory = PTRDIFF_MAX / 2;
    if (run->memory)
        def->memory = run->memory;
    if (run->heights_known) {
        def->partial_low = run->partial_low;
        def->partial_high = run->partial_high;
    }
    // Elsewhere a code is as good as the text of the CRS, and GDAL need not be loaded.
    const char *output = options_value(given, "output");
    bool build = strcmp(run->command->name, "build") == 0;
    def->crs_code =
        strcmp(run->command->name, "info") != 0 && !build && !(output && path_ends(output, ".lf"));
    def->fixed_type = build; // one file or many: the same bytes
    def->band = (int)options_integer(given, gdal ? "b" : "band",
                                     gdal ? 1 : 0); // gdal_viewshed takes the first of many
    def->thin = gdal;                               // and rasters of one row
    def->nodata_given = options_has(given, "nodata");
    def->nodata = options_number(given, "nodata", def->nodata);
    def->z_scale = options_number(given, "z-scale", def->z_scale);
    def->z_unit = options_value(given, "z-unit");
    def->crs = options_value(given, "ground-crs");
    def->encoding = (lf_encoding)options_choice(given, "encoding", LF_ENCODING_NONE);
    if (options_numbers(given, "window", 0, n) == 4) {
        if (n[2] < 2 || n[3] < 2)
            return refused("--window %s: expected at least 2 columns and 2 rows",
                           options_value(given, "window"));
        def->window = (lf_window){(int64_t)n[0], (int64_t)n[1], (int64_t)n[2], (int64_t)n[3]};
    }
    return true;
}

/// How `landfall build` stores heights. Without a codec: pack where that loses nothing or may lose something, else raw.
static void read_codec(const cli *run, lf_grid_def *def) {
    const options *given = &run->given;
    double bits[ROW_NUMBERS];
    bool whole = def->samples.type == LF_SAMPLE_INT16 || def->samples.type == LF_SAMPLE_UINT16;
    def->max_error = options_number(given, "max-error", def->max_error);
    int usual = whole || def->max_error > 0 ? LF_CODEC_PACK : LF_CODEC_RAW;
    def->codec = (lf_codec)options_choice(given, "codec", usual);
    if (options_has(given, "bounds")) { // within tiles of 16 x 16, or of 32 x 32, samples
        enum { STORED, TILES, COEFFICIENTS };
        int choice = options_choice(given, "bounds", STORED);
        def->leaf = choice == STORED ? 2 : def->codec == LF_CODEC_MAXPLUS ? 16 : 32;
        def->derived_bounds = choice == COEFFICIENTS && def->codec != LF_CODEC_MAXPLUS;
    }
    // The last number is that of the finest band. A tile has five; further ones are of the means of tiles.
    int count = options_numbers(given, "quantise", 0, bits);
    for (int k = 0; count > 0 && k < LF_CODEC_BANDS; k++) {
        int at = k + count - LF_CODEC_BANDS;
        def->band_bits[k] = (int)bits[at > 0 ? at : 0];
    }
    for (int k = 0; k < count - LF_CODEC_BANDS; k++)
        def->coarse_bits[k + LF_CODEC_COARSE_BANDS - (count - LF_CODEC_BANDS)] = (int)bits[k];
}

/// Cells along a side of the smallest squares with bounds, where only sweeps use them: the others would take longer than the sweep.
#define SWEEP_LEAF 16

bool raster_load(cli *run, const char *path, loaded *loaded) {
    lf_raster_def file = lf_raster_def_default();
    lf_error error = {0};
    reach reach = {0};
    if (!raster_options_read(run, &file))
        return false;
    if (run->reach && loaded == &run->ground && !options_has(&run->given, "extend"))
        reach_start(run, &file, &reach);
    file.keep = loaded == &run->ground ? run->raster_keep : NULL;
    lf_status status = lf_raster_read(path, &file, &loaded->raster, &error);
    if (reach.failed)
        return false;
    if (status == LF_BAD_FORMAT && strstr(error.text, "no raster that GDAL reads"))
        return failed("%s, and no mesh: those end in ply, obj, stl, off, gltf, glb, dae or 3ds", error.text);
    if (!succeeded(status, &error))
        return false;
    loaded->about = lf_raster_describe(loaded->raster);
    lf_grid_def def = lf_raster_grid_def(loaded->raster);
    def.host = run->host;
    def.surface = (lf_surface)options_choice(&run->given, "surface", LF_SURFACE_FALLING);
    def.extend = options_has(&run->given, "extend");
    def.borrow = !def.extend; // an extended grid has a copy with a ring around it
    if (strcmp(run->command->name, "build") == 0)
        read_codec(run, &def);
    def.keep = file.keep ? run->grid_keep : NULL;
    if (run->sweeps && loaded == &run->ground &&
        (def.surface == LF_SURFACE_FALLING || def.surface == LF_SURFACE_RISING))
        def.leaf = SWEEP_LEAF;
    if (loaded == &run->ground && tile_copy_is_complete(run->copy) && !tile_copy_use(run->copy, &def))
        return false;
    status = lf_grid_create(&def, &loaded->grid, &error);
    if (status == LF_OK)
        loaded->ground = lf_grid_ground(loaded->grid);
    return succeeded(status, &error);
}

// ---- Samples of other ground --------------------------------------------------------------------

#define LATTICE_SAMPLES 257 // along the longer side of a mesh

/// Those of --lattice, of the world's raster, or over the box of the ground.
static bool choose_lattice(const cli *run, lf_lattice *lattice) {
    const loaded *ground = &run->ground;
    double n[ROW_NUMBERS];
    int count = options_numbers(&run->given, "lattice", 0, n);
    if (count == 5) {
        *lattice = (lf_lattice){{{n[0], n[1]}, {n[2], 0}, {0, n[2]}}, (int64_t)n[3], (int64_t)n[4]};
        return (n[2] > 0 && n[3] >= 1 && n[4] >= 1 && n[3] <= 1e6 && n[4] <= 1e6) ||
               refused("--lattice %s: expected X,Y,STEP,COLUMNS,ROWS with a step above 0 and 1 to 1000000 "
                       "columns and rows",
                       options_value(&run->given, "lattice"));
    }
    const lf_grid *terrain = ground_is_world(ground) ? ground_terrain(ground) : NULL;
    if (terrain) {
        lf_grid_info info = lf_grid_describe(terrain);
        *lattice = (lf_lattice){info.geotransform, info.columns, info.rows};
        return true;
    }
    if (ground->globe)
        return failed("%s: is a globe: --lattice LON,LAT,STEP,COLUMNS,ROWS says which part of it",
                      run->given.arguments[0]);
    lf_box box = lf_ground_box(ground->ground);
    double x = box.high.x - box.low.x, y = box.high.y - box.low.y, step = fmax(x, y) / (LATTICE_SAMPLES - 1);
    if (!(step > 0))
        return failed("%s: has no extent: --lattice gives the places of targets", run->given.arguments[0]);
    *lattice = (lf_lattice){{{box.low.x, box.low.y}, {step, 0}, {0, step}},
                            (int64_t)(x / step + 1e-9) + 1,
                            (int64_t)(y / step + 1e-9) + 1};
    return true;
}

/// Does a system count in longitudes and latitudes? Those that it is based on are then the same.
static bool crs_in_degrees(const cli *run, const char *crs) {
    lf_crs_transform *way = NULL;
    lf_vec3 point = {11, 47, 0};
    bool degrees = lf_crs_transform_create(crs, NULL, &run->host, &way, NULL) == LF_OK &&
                   lf_crs_transform_points(way, &point, 0, 1, false) == 0 && fabs(point.x - 11) < 1e-9 &&
                   fabs(point.y - 47) < 1e-9;
    lf_crs_transform_destroy(way);
    return degrees;
}

/// With --lattice-crs: where each sample is on the ground.
static bool place_lattice(cli *run, const lf_lattice *lattice) {
    loaded *ground = &run->ground;
    const char *crs = options_value(&run->given, "lattice-crs");
    const char *own = ground->about.crs                            ? ground->about.crs
                      : ground->globe || ground_in_degrees(ground) ? "OGC:CRS84"
                                                                   : NULL;
    int64_t count = lattice->columns * lattice->rows, lost = 0;
    lf_error error = {0};
    if (!crs)
        return true;
    if (!own)
        return failed("--lattice-crs %s: %s names no CRS itself; --ground-crs gives a raster one", crs,
                      run->given.arguments[0]);
    lf_status status = lf_crs_transform_create(crs, own, &run->host, &ground->lattice_way, &error);
    if (status == LF_BAD_ARGUMENT)
        return failed("--lattice-crs %s", error.text);
    if (!succeeded(status, &error))
        return false;
    ground->lattice_crs = crs;
    ground->lattice_degrees = crs_in_degrees(run, crs);
    ground->lattice_places = allocate((size_t)count, sizeof(lf_vec2));
    coordinates flat = run->coordinates; // on a globe longitudes and latitudes are meant
    flat.way = ground->lattice_way;
    flat.centred = false;
    lf_vec3 *row = allocate((size_t)lattice->columns, sizeof *row);
    for (int64_t j = 0; j < lattice->rows; j++) {
        for (int64_t i = 0; i < lattice->columns; i++) {
            lf_vec2 at = lf_geotransform_at(&lattice->geotransform, (double)i, (double)j);
            row[i] = (lf_vec3){at.x, at.y, 0};
        }
        coordinates_in(&flat, row, lattice->columns, 1);
        for (int64_t i = 0; i < lattice->columns; i++) {
            ground->lattice_places[j * lattice->columns + i] = (lf_vec2){row[i].x, row[i].y};
            lost += !(isfinite(row[i].x) && isfinite(row[i].y));
        }
    }
    return lost < count || failed("--lattice %s: none of it has a position in the CRS of %s",
                                  options_value(&run->given, "lattice"), run->given.arguments[0]);
}

/// The topmost heights on a lattice.
static void lattice_heights(const cli *run, const lf_lattice *lattice, double *heights) {
    const loaded *ground = &run->ground;
    for (int64_t j = 0; j < lattice->rows; j++)
        for (int64_t i = 0; i < lattice->columns; i++) {
            lf_vec2 at = ground->lattice_places
                             ? ground->lattice_places[j * lattice->columns + i]
                             : lf_geotransform_at(&lattice->geotransform, (double)i, (double)j);
            double *height = &heights[j * lattice->columns + i];
            lf_hit hit;
            *height = LF_NAN;
            if (!isfinite(at.x) || !isfinite(at.y))
                continue;
            if (ground->globe) {
                lf_geodetic place = {at.x, at.y, 0};
                if (ground_plumb(run, place, true, LF_VERTICAL_DOWN, &hit) == LF_OK &&
                    hit.kind != LF_HIT_NONE)
                    *height = lf_ellipsoid_to_geodetic(&ground->about.ellipsoid, hit.point).height;
            } else if (lf_ground_height(ground->ground, (lf_vec3){at.x, at.y, LF_INFINITY}, LF_VERTICAL_DOWN,
                                        &hit, NULL) == LF_OK &&
                       hit.kind != LF_HIT_NONE) {
                *height = hit.point.z;
            }
        }
}

bool ground_lattice(cli *run) {
    loaded *ground = &run->ground;
    lf_lattice lattice;
    lf_error error = {0};
    if (ground->grid && !options_has(&run->given, "lattice"))
        return true;
    if (!choose_lattice(run, &lattice) || !place_lattice(run, &lattice))
        return false;
    double *heights = allocate((size_t)(lattice.columns * lattice.rows), sizeof *heights);
    lattice_heights(run, &lattice, heights);
    lf_grid_def def = lf_grid_def_default();
    def.host = run->host;
    def.samples.type = LF_SAMPLE_DOUBLE;
    def.samples.values = heights;
    def.samples.columns = lattice.columns;
    def.samples.rows = lattice.rows;
    def.geotransform = lattice.geotransform;
    def.surface = LF_SURFACE_POINT;
    if (!succeeded(lf_grid_create(&def, &ground->lattice, &error), &error))
        return false;
    ground->own_grid = ground->grid;
    ground->grid = ground->lattice;
    if (ground->globe)
        ground->about.kind = LF_CRS_DEGREES;
    return true;
}

lf_lattice ground_lattice_of(const loaded *loaded) {
    if (!loaded->lattice)
        return (lf_lattice){{{0, 0}, {0, 0}, {0, 0}}, 0, 0};
    lf_grid_info info = lf_grid_describe(loaded->lattice);
    return (lf_lattice){info.geotransform, info.columns, info.rows};
}

const lf_vec2 *ground_marks(const loaded *loaded, const lf_vec2 *places, int64_t count) {
    if (!loaded->lattice_way)
        return places;
    lf_vec2 *marks = allocate((size_t)count, sizeof *marks);
    for (int64_t k = 0; k < count; k++) {
        lf_vec3 point = {places[k].x, places[k].y, 0};
        lf_crs_transform_points(loaded->lattice_way, &point, 0, 1, true);
        marks[k] = (lf_vec2){point.x, point.y};
    }
    return marks;
}

bool ground_map_in_degrees(const loaded *loaded) {
    return loaded->lattice_crs ? loaded->lattice_degrees : ground_in_degrees(loaded);
}

lf_status ground_write_result(const loaded *ground, const char *path, const lf_result_def *def,
                              lf_error *error) {
    if (ground->lattice || ground->world) {
        lf_result_def placed = *def;
        lf_grid_info info = lf_grid_describe(ground->grid);
        placed.lattice = (lf_lattice){info.geotransform, info.columns, info.rows};
        placed.crs = ground->lattice_crs ? ground->lattice_crs
                     : ground->about.crs ? ground->about.crs
                     : ground->globe     ? "OGC:CRS84"
                                         : NULL;
        return lf_result_write(path, NULL, &placed, error);
    }
    if (ground->raster)
        return lf_result_write(path, ground->raster, def, error);
    lf_raster *source = NULL; // of a .lf file: what its grid was built from
    lf_status status = lf_raster_from_store(ground->store, &def->host, &source, error);
    if (status == LF_OK)
        status = lf_result_write(path, source, def, error);
    lf_raster_close(source);
    return status;
}

// ---- Any ground ---------------------------------------------------------------------------------

/// Is this kind of ground one that the command takes? `kind` is that of the path, before it is loaded, or 0.
static bool suits(const cli *run, const char *path, unsigned needs, const loaded *loaded, unsigned kind) {
    bool globe = kind ? kind == GROUND_TERRAIN : loaded->globe != NULL;
    if (globe && !(needs & TAKES_GLOBES))
        return failed(
            "%s: is a globe: landfall %s does not take globes; height, ray, sight, walk, place, render and "
            "camera do",
            path, run->command->name);
    bool raster = kind ? kind != GROUND_MESH : loaded->grid != NULL || globe;
    if (needs & NEEDS_RASTER && !raster)
        return failed("%s: holds a %s: expected a raster", path,
                      loaded->world   ? "world"
                      : loaded->store ? lf_store_kind_name(lf_store_describe(loaded->store).kind)
                                      : "mesh");
    if (needs & NEEDS_METRES && !kind && ground_in_degrees(loaded))
        return failed(
            "%s: x and y are degrees and heights metres, but %s needs metres: warp it to a projected CRS "
            "first",
            path, run->command->metres);
    return true;
}

bool ground_load(cli *run, const char *path, unsigned needs, loaded *loaded) {
    unsigned kind = path_kind(path);
    if (strcmp(path, "-") == 0)
        return failed("-: expected a file whose ending tells its kind, not standard input");
    if (!suits(run, path, needs, loaded, kind))
        return false;
    bool fine = kind == GROUND_STORED    ? stored_load(run, path, loaded)
                : kind == GROUND_MESH    ? mesh_load(run, path, loaded)
                : kind == GROUND_TERRAIN ? terrain_load(run, path, loaded)
                : kind == GROUND_WORLD   ? world_load(run, path, loaded)
                                         : raster_load(run, path, loaded);
    return fine && suits(run, path, needs, loaded, 0);
}

bool ground_open(cli *run, unsigned needs) {
    return ground_load(run, run->given.arguments[0], run->command->ground | needs, &run->ground) &&
           (!run->ground.globe || options_allow_globe(run)) && coordinates_start(run);
}

void ground_free(loaded *loaded) {
    if (loaded->lattice) {
        lf_grid_destroy(loaded->lattice);
        loaded->grid = loaded->own_grid;
    }
    lf_crs_transform_destroy(loaded->lattice_way);
    loaded->lattice_way = NULL;
    if (loaded->store || loaded->world) { // everything is its own
        lf_store_close(loaded->store);
        lf_world_file_close(loaded->world);
        *loaded = (struct loaded){0};
        return;
    }
    lf_globe_destroy(loaded->globe);
    lf_tile_folder_close(loaded->terrain);
    lf_grid_destroy(loaded->grid);
    lf_raster_close(loaded->raster);
    lf_mesh_destroy(loaded->mesh);
    lf_polygon_file_close(loaded->file);
    *loaded = (struct loaded){0};
}

bool ground_in_degrees(const loaded *loaded) {
    return loaded->grid && loaded->about.kind == LF_CRS_DEGREES;
}

lf_vec2 ground_metres(const loaded *loaded, lf_box box) {
    return lf_figure_metres(ground_in_degrees(loaded), box);
}

// ---- Models -------------------------------------------------------------------------------------

bool model_load(cli *run, const char *path, const lf_field_def *field, lf_model **model) {
    lf_error error = {0};
    return succeeded(lf_model_file_read(path, &run->host, field, model, &error), &error);
}

lf_field_def model_field(const options *given) {
    lf_field_def field = lf_model_def_default().field;
    double n[ROW_NUMBERS];
    field.functions = lf_funfzig_field();
    field.sectors = (int)options_integer(given, "sectors", 32);
    field.layers = (int)options_integer(given, "layers", field.layers);
    if (options_numbers(given, "centre", 0, n) == 3) {
        field.centre = LF_FIELD_CENTRE_GIVEN;
        field.at = (lf_vec3){n[0], n[1], n[2]};
    } else {
        field.centre = (lf_field_centre)options_choice(given, "centre", LF_FIELD_CENTRE_SPHERE);
    }
    return field;
}
