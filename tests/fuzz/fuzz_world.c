// World files: refused with a reason that names the file, or a world with a ground that answers.
#include "polygon_file.h"

static const char crate[] =
    "v 0 0 0\nv 6 0 0\nv 6 6 0\nv 0 6 0\nv 3 3 4\nf 4 3 2 1\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[512], part[512];
    lf_world_file *world = NULL;
    lf_error error = {LF_OK, -1, ""};
    fuzz_path(path, sizeof path, "any.world.json");
    fuzz_path(part, sizeof part, "crate.obj");
    // A part that inputs can name: "CRATE" stands for it.
    char *text = malloc(2 * size + sizeof part);
    size_t used = 0;
    FUZZ_HOLDS(text);
    for (size_t i = 0; i < size; i++) {
        const char *name = strrchr(part, '/') + 1;
        bool here = used < size && size - i >= 5 && memcmp(data + i, "CRATE", 5) == 0;
        memcpy(text + used, here ? name : (const char *)data + i, here ? strlen(name) : 1);
        used += here ? strlen(name) : 1;
        i += here ? 4 : 0;
    }
    fuzz_write(path, (const uint8_t *)text, used);
    fuzz_write(part, (const uint8_t *)crate, sizeof crate - 1);
    lf_status status = lf_world_file_open(path, NULL, &world, &error);
    if (status == LF_OK) {
        lf_world_file_info info = lf_world_file_describe(world);
        lf_hit hit;
        FUZZ_HOLDS(info.part_count > 0 && info.ground);
        FUZZ_HOLDS(lf_ground_height(info.ground, (lf_vec3){1, 2, 1e6}, LF_VERTICAL_DOWN, &hit, NULL) ==
                   LF_OK);
    } else {
        FUZZ_HOLDS(!world && error.status == status && strstr(error.text, "any.world.json"));
    }
    lf_world_file_close(world);
    remove(part);
    remove(path);
    free(text);
    return 0;
}
