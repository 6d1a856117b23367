/// Globes: rasters cut into tiles, or tiles of a folder, in a file.
#include "globe.h"
#include "raster.h"
#include "stored.h"
#include <landfall/io.h>
#include <stdio.h>
#include <string.h>

static lf_status write_globe(cli *run, const char *path, const lf_globe *globe, const char *parameters,
                             lf_error *error) {
    lf_store_def def = lf_store_def_default();
    def.host = run->host;
    def.globe = globe;
    def.parameters = parameters;
    lf_status status = lf_store_write(path, &def, error);
    progress_clear();
    return status;
}

static lf_status build(cli *run, const char *path, int cells, size_t memory, lf_error *error) {
    lf_raster_def raster = lf_raster_def_default();
    lf_globe_rasters *rasters = NULL;
    lf_globe *globe = NULL;
    char parameters[64];
    raster.host = run->host;
    raster.memory = memory;
    lf_status status = lf_globe_rasters_open(run->given.arguments + 1, run->given.argument_count - 1, &raster,
                                             cells, &rasters, error);
    if (status == LF_OK) {
        lf_globe_def made = lf_globe_rasters_def(rasters);
        status = lf_globe_create(&made, &globe, error);
    }
    snprintf(parameters, sizeof parameters, "globe build of %d files, %d cells",
             run->given.argument_count - 1, cells);
    if (status == LF_OK)
        status = write_globe(run, path, globe, parameters, error);
    progress_clear();
    lf_globe_destroy(globe);
    lf_globe_rasters_close(rasters);
    return status;
}

static int build_from_folder(cli *run, const char *path) {
    loaded folder = {0};
    lf_error error = {0};
    int status = CLI_ERROR;
    if (run->given.argument_count > 2)
        message_usage("a folder of tiles is a globe by itself: nothing else goes with it");
    else if (options_has(&run->given, "cells") || options_has(&run->given, "memory"))
        message_usage("--cells and --memory are for rasters; the tiles of a folder stay as they are");
    else if (terrain_load(run, run->given.arguments[1], &folder)) {
        lf_status written = write_globe(run, path, folder.globe, "globe build of a folder of tiles", &error);
        status = written == LF_OK ? CLI_YES : message_status(written, &error);
    }
    ground_free(&folder);
    return status;
}

int command_globe(cli *run) {
    const char *path = options_value(&run->given, "output");
    int64_t cells = 64, memory = 256;
    lf_error error = {0};
    if (strcmp(run->given.arguments[0], "build") != 0)
        return message_usage("unknown work \"%s\": it is landfall globe build", run->given.arguments[0]);
    if (run->given.argument_count < 2)
        return message_usage("RASTER is missing");
    if (!path)
        return message_usage("-o FILE.lf is missing");
    if (!is_stored(path))
        return message_error("-o %s: the ending has to be .lf", path);
    if (!options_integer(&run->given, "cells", 2, 1024, &cells) ||
        !options_integer(&run->given, "memory", 1, 1 << 20, &memory))
        return CLI_ERROR;
    for (int i = 1; i < run->given.argument_count; i++)
        if (is_stored(run->given.arguments[i]))
            return message_error("%s: is a .lf file: expected a raster that GDAL reads",
                                 run->given.arguments[i]);
    if (is_terrain(run->given.arguments[1]))
        return build_from_folder(run, path);
    lf_status status = build(run, path, (int)cells, (size_t)memory << 20, &error);
    return status == LF_OK ? CLI_YES : message_status(status, &error);
}
