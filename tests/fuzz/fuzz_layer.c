// Descriptions of terrain folders (layer.json): refused with a reason, or levels that there can be.
#include "raster/json_look.h"
#include "polygon_file.h"
#include <landfall/io.h>
#include <sys/stat.h>

/// Every value within every other lies in the text.
static void walk(lf__json value, const char *text, size_t size, int depth) {
    lf__json next = {NULL, NULL}, name, item;
    int64_t count;
    FUZZ_HOLDS(value.at >= text && value.end >= value.at && value.end <= text + size && depth < 1000);
    FUZZ_HOLDS(!lf__json_count(value, &count) || count >= 0);
    while (lf__json_next(value, &next, &name, &item)) {
        FUZZ_HOLDS(name.at >= text && name.end <= text + size);
        walk(item, text, size, depth + 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text = (const char *)data, *fault = NULL;
    lf__json value;
    if (size > 0 && !lf__json_open(text, size, &value, &fault))
        return 0;
    if (size > 0)
        walk(value, text, size, 0);
    char folder[256], path[512];
    lf_tile_folder *terrain = NULL;
    lf_error error = {LF_OK, -1, ""};
    fuzz_path(folder, sizeof folder, "layer");
    snprintf(path, sizeof path, "%s/layer.json", folder);
    mkdir(folder, 0777);
    fuzz_write(path, data, size);
    lf_status status = lf_tile_folder_open(folder, NULL, &terrain, &error);
    FUZZ_HOLDS(status == LF_OK ? lf_tile_folder_level_count(terrain) > 0
                               : !terrain && error.status == status && error.text[0] != '\0');
    lf_tile_folder_close(terrain);
    remove(path);
    rmdir(folder);
    return 0;
}
