// Descriptions of terrain folders (layer.json): refused with a reason, or levels that there can be.
#include "polygon_file.h"
#include <landfall/io.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char folder[256], path[512];
    lf_tile_folder *terrain = NULL;
    lf_error error = {LF_OK, -1, ""};
    fuzz_path(folder, sizeof folder, "layer");
    snprintf(path, sizeof path, "%s/layer.json", folder);
    mkdir(folder, 0777);
    fuzz_write(path, data, size);
    lf_status status = lf_tile_folder_open(folder, NULL, &terrain, &error);
    int level_count = 0;
    if (status == LF_OK)
        lf_tile_folder_provider(terrain, &level_count);
    FUZZ_HOLDS(status == LF_OK ? level_count > 0
                               : !terrain && error.status == status && error.text[0] != '\0');
    lf_tile_folder_close(terrain);
    remove(path);
    rmdir(folder);
    return 0;
}
