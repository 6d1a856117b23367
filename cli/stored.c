#include "stored.h"
#include "json.h"
#include "lines.h"
#include <inttypes.h>
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
    loaded->ground = (lf_ground *)(uintptr_t)lf_store_ground(loaded->store);
    if (!loaded->ground) {
        message_error("%s: holds a %s, which is no ground", path, lf_store_kind_word(info.kind));
        return false;
    }
    loaded->grid = (lf_grid *)(uintptr_t)lf_store_grid(loaded->store);
    loaded->mesh = (lf_mesh *)(uintptr_t)lf_store_mesh(loaded->store);
    loaded->globe = lf_store_globe(loaded->store);
    loaded->polygons = lf_store_polygons(loaded->store);
    loaded->about =
        (lf_raster_info){.format = "landfall",
                         .stored = loaded->grid ? lf_codec_word(lf_grid_describe(loaded->grid).codec) : "",
                         .placed = true,
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

static void write_grid(output *out, const lf_grid_info *grid, int64_t wraps) {
    line_count(out, "columns", grid->columns);
    line_count(out, "rows", grid->rows);
    if (wraps > 0)
        line_count(out, "wraps", wraps);
    line_count(out, "holes", grid->hole_count);
    if (grid->low <= grid->high)
        line_box(out, grid->box);
    line_text(out, "surface", lf_surface_word(grid->surface));
    line_text(out, "codec", lf_codec_word(grid->codec));
    line_number(out, "per_sample", per_sample(grid));
    line_count(out, "bound_bytes", (int64_t)grid->pyramid_bytes);
    line_number(out, "max_error", grid->max_error);
    line_number(out, "worst_error", grid->largest_error);
}

static void write_lines(output *out, const char *path, const lf_store *store) {
    lf_store_info info = lf_store_describe(store);
    char hash[17], version[32];
    hash_text(&info, hash);
    snprintf(version, sizeof version, "%d.%d", info.major, info.minor);
    line_text(out, "file", path);
    line_text(out, "version", version);
    line_text(out, "holds", lf_store_kind_word(info.kind));
    line_text(out, "producer", info.producer);
    if (info.parameters[0])
        line_text(out, "parameters", info.parameters);
    line_text(out, "hash", hash);
    line_count(out, "bytes", (int64_t)info.bytes);
    if (lf_store_grid(store)) {
        lf_grid_info grid = lf_grid_describe(lf_store_grid(store));
        write_grid(out, &grid, lf_grid_round(lf_store_grid(store)));
    }
    if (lf_store_polygons(store).polygon_count > 0)
        line_count(out, "polygons", lf_store_polygons(store).polygon_count);
    if (lf_store_group(store))
        line_count(out, "parts", lf_group_count(lf_store_group(store)));
}

static void put_grid(json *document, const lf_grid_info *grid) {
    json_put_integer(document, "columns", grid->columns);
    json_put_integer(document, "rows", grid->rows);
    json_put_integer(document, "holes", grid->hole_count);
    json_put_text(document, "surface", lf_surface_word(grid->surface));
    json_put_text(document, "codec", lf_codec_word(grid->codec));
    json_put_number(document, "bytes_per_sample", per_sample(grid));
    json_put_integer(document, "bound_bytes", (int64_t)grid->pyramid_bytes);
    json_put_number(document, "max_error", grid->max_error);
    json_put_number(document, "largest_error", grid->largest_error);
    json_put_number(document, "mean_square_error", grid->mean_square_error);
}

static void write_json(output *out, const char *path, const lf_store *store) {
    json document = json_start(out, true);
    lf_store_info info = lf_store_describe(store);
    char hash[17];
    hash_text(&info, hash);
    json_put_object(&document, NULL);
    json_put_text(&document, "file", path);
    json_put_integer(&document, "major", info.major);
    json_put_integer(&document, "minor", info.minor);
    json_put_text(&document, "holds", lf_store_kind_word(info.kind));
    json_put_text(&document, "producer", info.producer);
    json_put_text(&document, "parameters", info.parameters);
    json_put_text(&document, "hash", hash);
    json_put_integer(&document, "bytes", (int64_t)info.bytes);
    if (lf_store_grid(store)) {
        lf_grid_info grid = lf_grid_describe(lf_store_grid(store));
        put_grid(&document, &grid);
    }
    json_put_integer(&document, "polygons", lf_store_polygons(store).polygon_count);
    json_put_integer(&document, "parts", lf_store_group(store) ? lf_group_count(lf_store_group(store)) : 1);
    json_close(&document);
    json_end(&document);
}

int stored_describe(cli *run, const char *path, const lf_store *store) {
    if (run->json)
        write_json(&run->out, path, store);
    else
        write_lines(&run->out, path, store);
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
