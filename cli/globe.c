#include "globe.h"
#include "file_output.h"
#include "stored.h"
#include <stdio.h>
#include <unistd.h>

/// A folder with a layer.json, or that file itself.
static bool is_terrain(const char *path) {
    char file[4096];
    int length = snprintf(file, sizeof file, "%s/layer.json", path);
    return path_ends(path, "layer.json") ||
           (length > 0 && (size_t)length < sizeof file && access(file, R_OK) == 0);
}

bool globe_asked(const cli *run) {
    lf_store *store = NULL;
    const char *path = run->given.argument_count > 0 ? run->given.arguments[0] : "";
    if (!is_stored(path))
        return is_terrain(path);
    if (lf_store_open(path, NULL, false, &store, NULL) != LF_OK)
        return false;
    bool globe = lf_store_globe(store) != NULL;
    lf_store_close(store);
    return globe;
}

static lf_status load_file(cli *run, const char *path, globe_loaded *loaded, lf_error *error) {
    lf_status status = lf_store_open(path, &run->host, false, &loaded->store, error);
    if (status == LF_OK)
        loaded->globe = lf_store_globe(loaded->store);
    return status;
}

static lf_status load_folder(cli *run, const char *path, globe_loaded *loaded, lf_error *error) {
    lf_globe_def def = lf_globe_def_default();
    lf_status status = lf_terrain_open(path, &run->host, &loaded->terrain, error);
    if (status != LF_OK)
        return status;
    def.host = run->host;
    def.provider = lf_terrain_provider(loaded->terrain);
    def.level_count = lf_terrain_level_count(loaded->terrain);
    return lf_globe_create(&def, &loaded->globe, error);
}

bool globe_load(cli *run, globe_loaded *loaded) {
    const char *path = run->given.arguments[0];
    lf_error error = {0};
    *loaded = (globe_loaded){NULL, NULL, NULL};
    lf_status status =
        is_stored(path) ? load_file(run, path, loaded, &error) : load_folder(run, path, loaded, &error);
    if (status == LF_OK && loaded->globe)
        return true;
    if (status != LF_OK)
        message_status(status, &error);
    else
        message_error("%s: holds a %s, not a globe", path,
                      lf_store_kind_word(lf_store_describe(loaded->store).kind));
    globe_free(loaded);
    return false;
}

void globe_free(globe_loaded *loaded) {
    if (!loaded->store)
        lf_globe_destroy(loaded->globe);
    lf_terrain_close(loaded->terrain);
    lf_store_close(loaded->store);
    *loaded = (globe_loaded){NULL, NULL, NULL};
}
