#define _POSIX_C_SOURCE 200809L
// The formats that Assimp reads for us, as both processes know them.
#include "polygon/readers.h"
#include <strings.h>

static const lf__assimp_format formats[] = {
    {"STL", "stl", "Stereolithography", false, false, lf__stl_check},
    {"OFF", "off", "OFF Importer", false, false, lf__off_check},
    {"glTF", "gltf", "glTF", true, false, lf__gltf_check},
    {"GLB", "glb", "glTF", true, false, lf__glb_check},
    {"DAE", "dae", "Collada", true, false, NULL},
    {"3DS", "3ds", "Discreet 3DS", true, true, lf__3ds_check},
};

const lf__assimp_format *lf__assimp_format_of(const char *ending) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcasecmp(ending, formats[i].ending) == 0)
            return &formats[i];
    return NULL;
}
