/// What a .lf file holds, for other programs.
#include "file_output.h"
#include "stored.h"

static lf_status export_store(cli *run, const lf_store *store, const char *path, lf_error *error) {
    lf_store_info info = lf_store_describe(store);
    lf_polygons polygons = lf_store_polygons(store);
    if (lf_store_grid(store))
        // Coordinates and CRS of a .lf file are in metres or degrees, whatever the source had.
        return lf_grid_write(path, lf_store_grid(store), info.crs, 1, &run->host, error);
    return lf_polygon_file_write(path, &polygons, &run->host, error);
}

/// Can what the file holds be written there?
static bool suits(const lf_store *store, const char *from, const char *path) {
    const char *kind = lf_store_kind_name(lf_store_describe(store).kind);
    bool heights = path_ends(path, ".tif") || path_ends(path, ".tiff");
    bool polygons = path_ends(path, ".ply") || path_ends(path, ".obj");
    bool grid = lf_store_grid(store) != NULL;
    if (!grid && lf_store_polygons(store).polygon_count == 0)
        message_error("%s: holds a %s, which no other format can", from, kind);
    else if (grid ? !heights : !polygons)
        message_error("-o %s: %s holds a %s: expected %s", path, from, kind, grid ? ".tif" : ".ply or .obj");
    else
        return true;
    return false;
}

int command_export(cli *run) {
    const char *path = options_value(&run->given, "output"), *from = run->given.arguments[0];
    lf_error error = {0};
    lf_store *store;
    if (!path)
        return message_usage("-o FILE is missing");
    lf_status status = lf_store_open(from, &run->host, false, &store, &error);
    if (status != LF_OK) {
        progress_clear();
        return message_status(status, &error);
    }
    if (!suits(store, from, path)) {
        lf_store_close(store);
        return CLI_ERROR;
    }
    status = export_store(run, store, path, &error);
    progress_clear();
    lf_store_close(store);
    return status == LF_OK ? CLI_YES : message_status(status, &error);
}
