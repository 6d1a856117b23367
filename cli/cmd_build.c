/// Ground into a file that opens at once.
#include "model.h"
#include "stored.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// How it was made, in one line: what of it the file itself does not say.
static void tell_parameters(const cli *run, char *text, size_t size) {
    const char *path = run->given.arguments[0], *slash = strrchr(path, '/');
    snprintf(text, size, "build %s", slash ? slash + 1 : path);
}

static lf_status write_ground(cli *run, const loaded *ground, const char *path, lf_error *error) {
    lf_store_def def = lf_store_def_default();
    char parameters[200];
    tell_parameters(run, parameters, sizeof parameters);
    def.host = run->host;
    def.parameters = parameters;
    def.grid = ground->grid;
    def.mesh = ground->mesh;
    if (ground->store)
        def.group = lf_store_group(ground->store);
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

static int load_and_write(cli *run, const char *path) {
    loaded ground;
    lf_error error = {0};
    if (!ground_load(run, &ground))
        return CLI_ERROR;
    lf_status status = write_ground(run, &ground, path, &error);
    progress_clear();
    ground_free(&ground);
    return status == LF_OK ? CLI_YES : message_status(status, &error);
}

/// Blocks of this many bytes lie on the disk beside the file, so that memory does not grow with the ground.
#define ON_DISK ((size_t)4 << 20)

/// The folder of a file, in memory of its own.
static char *folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 1;
    char *folder = malloc(length + 1);
    if (folder) {
        memcpy(folder, slash ? path : ".", length);
        folder[length] = '\0';
    }
    return folder;
}

static int build_ground(cli *run, const char *path) {
    char *folder = folder_of(path);
    lf_error error = {0};
    lf_disk *disk = NULL;
    lf_status opened = folder ? lf_disk_open(folder, ON_DISK, &disk, &error) : LF_NO_MEMORY;
    free(folder);
    if (opened != LF_OK)
        return message_status(opened, &error);
    run->host.allocator = lf_disk_allocator(disk);
    int status = load_and_write(run, path);
    run->host.allocator = NULL;
    lf_disk_close(disk);
    return status;
}

static int build_model(cli *run, const char *path) {
    lf_field_def field = lf_model_def_default().field;
    lf_store_def def = lf_store_def_default();
    lf_error error = {0};
    lf_model *model;
    char parameters[200];
    int64_t sectors = 32, layers = field.layers;
    if (!options_integer(&run->given, "sectors", 2, 256, &sectors) ||
        !options_integer(&run->given, "layers", 1, 16, &layers))
        return CLI_ERROR;
    field.sectors = options_has(&run->given, "sectors") ? (int)sectors : 0;
    field.layers = (int)layers;
    if (!model_load(run, run->given.arguments[0], &field, &model))
        return CLI_ERROR;
    tell_parameters(run, parameters, sizeof parameters);
    def.host = run->host;
    def.parameters = parameters;
    def.model = model;
    lf_status status = lf_store_write(path, &def, &error);
    progress_clear();
    lf_model_destroy(model);
    return status == LF_OK ? CLI_YES : message_status(status, &error);
}

int command_build(cli *run) {
    const char *path = options_value(&run->given, "output"), *as = options_value(&run->given, "as");
    if (!path)
        return message_usage("-o FILE.lf is missing");
    if (!is_stored(path))
        return message_error("-o %s: the ending has to be .lf", path);
    if (as && strcmp(as, "model") != 0)
        return message_usage("--as %s: only model is known", as);
    int status = as ? build_model(run, path) : build_ground(run, path);
    if (status != CLI_YES)
        return status;
    lf_error error = {0};
    lf_store *store;
    lf_status opened = lf_store_open(path, &run->host, false, &store, &error);
    if (opened != LF_OK)
        return message_status(opened, &error);
    status = stored_describe(run, path, store);
    lf_store_close(store);
    return status;
}
