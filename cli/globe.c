#include "globe.h"
#include "stored.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool is_terrain(const char *path) {
    char file[4096];
    int length = snprintf(file, sizeof file, "%s/layer.json", path);
    const char *slash = strrchr(path, '/');
    return strcmp(slash ? slash + 1 : path, "layer.json") == 0 ||
           (length > 0 && (size_t)length < sizeof file && access(file, R_OK) == 0);
}

/// Tiles are what they are: nothing of them is read another way.
static bool has_stray_options(const options *given) {
    static const char *const of_others[] = {
        "band",   "nodata", "z-scale", "z-unit", "encoding", "surface",  "extend",  "ground-crs",
        "window", "only",   "gravity", "centre", "axis",     "quadtree", "pyramid", "as"};
    for (size_t i = 0; i < sizeof of_others / sizeof *of_others; i++)
        if (options_has(given, of_others[i])) {
            message_usage("--%s is for rasters or meshes, and GROUND is a globe", of_others[i]);
            return true;
        }
    return false;
}

bool terrain_load(cli *run, const char *path, loaded *loaded) {
    lf_globe_def def = lf_globe_def_default();
    lf_error error = {0};
    if (has_stray_options(&run->given))
        return false;
    lf_status status = lf_tile_folder_open(path, &run->host, &loaded->terrain, &error);
    if (status == LF_OK) {
        def.host = run->host;
        def.provider = lf_tile_folder_provider(loaded->terrain);
        def.level_count = lf_tile_folder_level_count(loaded->terrain);
        status = lf_globe_create(&def, &loaded->globe, &error);
    }
    if (status == LF_OK)
        loaded->ground = lf_globe_ground_finest(loaded->globe);
    loaded->about = (lf_raster_info){.format = "terrain", .placed = true, .ellipsoid = def.ellipsoid};
    if (status != LF_OK)
        message_status(status, &error);
    return status == LF_OK;
}

bool globe_load(cli *run, loaded *loaded) {
    const char *path = run->given.arguments[0];
    struct stat about;
    *loaded = (struct loaded){0};
    if (stat(path, &about) != 0) {
        message_error("%s: %s", path, strerror(errno));
        return false;
    }
    if (!is_stored(path) && !is_terrain(path)) {
        message_error("%s: no globe: neither a .lf file nor a folder with a layer.json", path);
        return false;
    }
    bool fine = is_stored(path) ? stored_load(run, path, loaded) : terrain_load(run, path, loaded);
    if (fine && !loaded->globe) {
        message_error("%s: holds a %s, not a globe", path,
                      lf_store_kind_name(lf_store_describe(loaded->store).kind));
        fine = false;
    }
    if (!fine)
        ground_free(loaded);
    return fine;
}

bool globe_refuses(const cli *run, const loaded *ground, const char *option, const char *why) {
    if (!ground->globe || !options_has(&run->given, option))
        return false;
    message_usage("--%s is not for globes: %s", option, why);
    return true;
}
