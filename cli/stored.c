#include "stored.h"
#include "json.h"
#include "lines.h"
#include "raster.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

bool is_stored(const char *path) {
    const char *ending = strrchr(path, '.');
    return ending && strcasecmp(ending, ".lf") == 0;
}

// ---------------------------------------------------------------------------------------------------
// Loading
// ---------------------------------------------------------------------------------------------------

/// What was decided when the file was built cannot be asked for again.
static bool has_stray_options(const options *given) {
    static const char *const of_building[] = {
        "band", "nodata",  "z-scale", "z-unit", "encoding", "surface", "extend", "ground-crs", "window",
        "only", "gravity", "centre",  "axis",   "quadtree", "pyramid", "cut",    "turn"};
    for (size_t i = 0; i < sizeof of_building / sizeof *of_building; i++)
        if (options_has(given, of_building[i])) {
            message_usage("--%s is for what is built, and GROUND has been built already", of_building[i]);
            return true;
        }
    return false;
}

static lf_store *stored_open(cli *run, const char *path, bool check) {
    lf_error error = {0};
    lf_store *store = NULL;
    lf_status status = lf_store_open(path, &run->host, check, &store, &error);
    progress_clear();
    if (status != LF_OK)
        message_status(status, &error);
    return store;
}

/// What x and y are, as far as the text of the CRS begins with it.
static lf_crs_kind kind_of(const lf_store_info *info) {
    if (info->degrees)
        return LF_CRS_DEGREES;
    if (!info->crs)
        return LF_CRS_NONE;
    return strstr(info->crs, "PROJC") ? LF_CRS_PROJECTED : LF_CRS_ENGINEERING;
}

bool stored_load(cli *run, const char *path, loaded *loaded) {
    if (has_stray_options(&run->given))
        return false;
    loaded->store = stored_open(run, path, false);
    if (!loaded->store)
        return false;
    lf_store_info info = lf_store_describe(loaded->store);
    loaded->ground = (const lf_ground *)(uintptr_t)lf_store_ground(loaded->store);
    if (!loaded->ground) {
        message_error("%s: holds a %s, which is no ground", path, lf_store_kind_name(info.kind));
        return false;
    }
    loaded->grid = (lf_grid *)(uintptr_t)lf_store_grid(loaded->store);
    loaded->mesh = (lf_mesh *)(uintptr_t)lf_store_mesh(loaded->store);
    loaded->globe = lf_store_globe(loaded->store);
    loaded->polygons = lf_store_polygons(loaded->store);
    lf_pixels pixels = {.placed = true};
    lf_store_pixels(loaded->store, &pixels);
    loaded->about =
        (lf_raster_info){.format = "landfall",
                         .stored = loaded->grid ? lf_codec_name(lf_grid_describe(loaded->grid).codec) : "",
                         .placed = pixels.placed,
                         .point = info.point,
                         .kind = kind_of(&info),
                         .crs = info.crs,
                         .ellipsoid = info.ellipsoid,
                         .xy_unit = info.xy_unit,
                         .z_unit = info.z_unit,
                         .z_unit_known = true};
    return true;
}

// ---------------------------------------------------------------------------------------------------
// Saying
// ---------------------------------------------------------------------------------------------------

static double per_sample(const lf_grid_info *grid) {
    return (double)grid->sample_bytes / ((double)grid->columns * (double)grid->rows);
}

static void hash_text(const lf_store_info *info, char text[17]) {
    snprintf(text, 17, "%016" PRIx64, info->hash);
}

/// The outer corners of the pixels, west, south, east and north.
static void find_extent(const lf_grid_info *grid, double extent[4]) {
    const lf_geotransform *p = &grid->geotransform;
    extent[0] = extent[1] = LF_INFINITY;
    extent[2] = extent[3] = -LF_INFINITY;
    for (int k = 0; k < 4; k++) {
        double i = k % 2 ? (double)grid->columns - 0.5 : -0.5, j = k / 2 ? (double)grid->rows - 0.5 : -0.5;
        lf_vec2 at = lf_placing_at(p, i, j);
        extent[0] = fmin(extent[0], at.x);
        extent[1] = fmin(extent[1], at.y);
        extent[2] = fmax(extent[2], at.x);
        extent[3] = fmax(extent[3], at.y);
    }
}

static int level_count(const lf_grid_info *grid) {
    return (int)lf_grid_pyramid_size(grid->columns, grid->rows, grid->leaf).levels;
}

/// The raster that a grid was built from: what it said of itself.
static void write_source(output *out, const lf_raster_info *about, const lf_pixels *pixels,
                         const lf_grid_info *grid) {
    double extent[4];
    find_extent(grid, extent);
    line_text(out, "pixels", about->point ? "point" : "area");
    line_text(out, "kind", lf_crs_kind_name(about->kind));
    line_text(out, "crs", about->crs_name ? about->crs_name : "none");
    raster_place_lines(out, &grid->geotransform, about->kind);
    line_start(out, "extent");
    for (int k = 0; k < 4; k++) {
        output_number(out, extent[k]);
        output_char(out, ' ');
    }
    output_text(out, about->kind == LF_CRS_DEGREES ? "degrees\n" : "metres\n");
    line_number(out, "xy_unit", about->xy_unit);
    line_number(out, "z_unit", about->z_unit);
    if (!pixels->nodata_given || isnan(pixels->nodata))
        line_text(out, "nodata", pixels->nodata_given ? "nan" : "none");
    else
        line_number(out, "nodata", pixels->nodata);
}

static void write_grid(output *out, const lf_grid_info *grid) {
    line_count(out, "holes", grid->hole_count);
    if (grid->low <= grid->high)
        line_box(out, grid->box);
    line_text(out, "surface", lf_surface_name(grid->surface));
    line_text(out, "codec", lf_codec_name(grid->codec));
    line_count(out, "leaf", grid->leaf);
    line_count(out, "levels", level_count(grid));
    line_number(out, "per_sample", per_sample(grid));
    line_count(out, "bound_bytes", (int64_t)grid->pyramid_bytes);
    line_number(out, "max_error", grid->max_error);
    line_number(out, "worst_error", grid->largest_error);
}

/// A globe: what its tiles cover is the whole ellipsoid, or a part of it with holes around.
static void write_globe(output *out, const lf_store *store) {
    lf_globe_info globe = lf_globe_describe(lf_store_globe(store));
    int64_t voids = lf_store_voids(store);
    line_count(out, "levels", globe.level_count);
    line_start(out, "roots");
    output_integer(out, globe.root_columns);
    output_char(out, ' ');
    output_integer(out, globe.root_rows);
    output_char(out, '\n');
    line_start(out, "ellipsoid");
    output_number(out, globe.ellipsoid.radius);
    output_char(out, ' ');
    output_number(out, globe.ellipsoid.flattening);
    output_char(out, '\n');
    if (globe.low <= globe.high) {
        line_number(out, "low", globe.low);
        line_number(out, "high", globe.high);
    }
    if (voids >= 0)
        line_count(out, "holes", voids);
    else
        line_text(out, "holes", "unknown");
}

static void write_lines(output *out, const char *path, const lf_store *store, const lf_raster *source) {
    lf_store_info info = lf_store_describe(store);
    char hash[17], version[32];
    hash_text(&info, hash);
    snprintf(version, sizeof version, "%d.%d", info.major, info.minor);
    line_text(out, "file", path);
    line_text(out, "version", version);
    line_text(out, "holds", lf_store_kind_name(info.kind));
    line_text(out, "producer", info.producer);
    if (info.parameters[0])
        line_text(out, "parameters", info.parameters);
    line_text(out, "hash", hash);
    line_count(out, "bytes", (int64_t)info.bytes);
    if (lf_store_grid(store)) {
        lf_grid_info grid = lf_grid_describe(lf_store_grid(store));
        lf_raster_info about = lf_raster_describe(source);
        lf_pixels pixels = lf_raster_pixels(source);
        line_count(out, "columns", grid.columns);
        line_count(out, "rows", grid.rows);
        if (lf_grid_round(lf_store_grid(store)) > 0)
            line_count(out, "wraps", lf_grid_round(lf_store_grid(store)));
        write_source(out, &about, &pixels, &grid);
        write_grid(out, &grid);
    }
    if (lf_store_globe(store))
        write_globe(out, store);
    if (lf_store_polygons(store).polygon_count > 0) {
        line_count(out, "vertices", lf_store_polygons(store).vertex_count);
        line_count(out, "polygons", lf_store_polygons(store).polygon_count);
    }
    if (lf_store_group(store))
        line_count(out, "parts", lf_group_count(lf_store_group(store)));
    if (lf_store_mesh(store) || lf_store_group(store))
        line_box(out, lf_ground_box(lf_store_ground(store)));
}

static void put_source(json *document, const lf_raster_info *about, const lf_pixels *pixels,
                       const lf_grid_info *grid) {
    double extent[4];
    find_extent(grid, extent);
    json_put_text(document, "pixels", about->point ? "point" : "area");
    json_put_truth(document, "placed", about->placed);
    json_put_text(document, "kind", lf_crs_kind_name(about->kind));
    json_put_text_or_null(document, "crs", about->crs_name);
    json_put_text_or_null(document, "wkt", about->crs);
    raster_place_json(document, &grid->geotransform);
    json_put_numbers(document, "extent", extent, 4);
    json_put_number(document, "xy_unit", about->xy_unit);
    json_put_number(document, "z_unit", about->z_unit);
    if (pixels->nodata_given && isfinite(pixels->nodata))
        json_put_number(document, "nodata", pixels->nodata);
    else
        json_put_text_or_null(document, "nodata", pixels->nodata_given ? "nan" : NULL);
}

static void put_globe(json *document, const lf_store *store) {
    lf_globe_info globe = lf_globe_describe(lf_store_globe(store));
    int64_t voids = lf_store_voids(store);
    double roots[2] = {globe.root_columns, globe.root_rows};
    json_put_integer(document, "levels", globe.level_count);
    json_put_numbers(document, "roots", roots, 2);
    json_put_number(document, "radius", globe.ellipsoid.radius);
    json_put_number(document, "flattening", globe.ellipsoid.flattening);
    if (globe.low <= globe.high) {
        json_put_number(document, "low", globe.low);
        json_put_number(document, "high", globe.high);
    }
    if (voids >= 0)
        json_put_integer(document, "holes", voids);
    else
        json_put_null(document, "holes");
}

static void put_grid(json *document, const lf_grid_info *grid) {
    json_put_integer(document, "columns", grid->columns);
    json_put_integer(document, "rows", grid->rows);
    json_put_integer(document, "holes", grid->hole_count);
    raster_box_json(document, grid);
    json_put_integer(document, "leaf", grid->leaf);
    json_put_integer(document, "levels", level_count(grid));
    json_put_text(document, "surface", lf_surface_name(grid->surface));
    json_put_text(document, "codec", lf_codec_name(grid->codec));
    json_put_number(document, "bytes_per_sample", per_sample(grid));
    json_put_integer(document, "bound_bytes", (int64_t)grid->pyramid_bytes);
    json_put_number(document, "max_error", grid->max_error);
    json_put_number(document, "largest_error", grid->largest_error);
    json_put_number(document, "mean_square_error", grid->mean_square_error);
}

static void write_json(output *out, const char *path, const lf_store *store, const lf_raster *source) {
    json document = json_start(out, true);
    lf_store_info info = lf_store_describe(store);
    char hash[17];
    hash_text(&info, hash);
    json_put_object(&document, NULL);
    json_put_text(&document, "file", path);
    json_put_integer(&document, "major", info.major);
    json_put_integer(&document, "minor", info.minor);
    json_put_text(&document, "holds", lf_store_kind_name(info.kind));
    json_put_text(&document, "producer", info.producer);
    json_put_text(&document, "parameters", info.parameters);
    json_put_text(&document, "hash", hash);
    json_put_integer(&document, "bytes", (int64_t)info.bytes);
    if (lf_store_grid(store)) {
        lf_grid_info grid = lf_grid_describe(lf_store_grid(store));
        lf_raster_info about = lf_raster_describe(source);
        lf_pixels pixels = lf_raster_pixels(source);
        put_grid(&document, &grid);
        put_source(&document, &about, &pixels, &grid);
    }
    if (lf_store_globe(store))
        put_globe(&document, store);
    json_put_integer(&document, "polygons", lf_store_polygons(store).polygon_count);
    json_put_integer(&document, "parts", lf_store_group(store) ? lf_group_count(lf_store_group(store)) : 1);
    json_close(&document);
    json_end(&document);
}

int stored_describe(cli *run, const char *path, const lf_store *store) {
    lf_raster *source = NULL;
    lf_error error = {0};
    lf_status status =
        lf_store_grid(store) ? lf_raster_from_store(store, &run->host, &source, &error) : LF_OK;
    if (status != LF_OK)
        return message_status(status, &error);
    if (run->json)
        write_json(&run->out, path, store, source);
    else
        write_lines(&run->out, path, store, source);
    lf_raster_close(source);
    return CLI_YES;
}

int stored_report(cli *run) {
    const char *path = run->given.arguments[0];
    if (has_stray_options(&run->given))
        return CLI_ERROR;
    if (options_has(&run->given, "output"))
        return message_usage("-o is for rasters and meshes, not for .lf files");
    lf_store *store = stored_open(run, path, false);
    if (!store)
        return CLI_ERROR;
    int status = stored_describe(run, path, store);
    lf_store_close(store);
    return status;
}
