/// What a .lf file holds, for other programs.
#include "stored.h"

static lf_status export_store(cli *run, const lf_store *store, const char *path, lf_error *error) {
    lf_store_info info = lf_store_describe(store);
    lf_polygons polygons = lf_store_polygons(store);
    if (lf_store_grid(store))
        return lf_grid_write(path, lf_store_grid(store), info.crs, info.xy_unit, &run->host, error);
    return lf_polygon_file_write(path, &polygons, &run->host, error);
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
    if (lf_store_group(store)) {
        lf_store_close(store);
        return message_error("%s: holds a group, which no other format can", from);
    }
    status = export_store(run, store, path, &error);
    progress_clear();
    lf_store_close(store);
    return status == LF_OK ? CLI_YES : message_status(status, &error);
}
