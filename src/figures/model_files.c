/// Models from files.
#define _DEFAULT_SOURCE // lstat
#include "base/base.h"
#include "figures.h"
#include <landfall/io.h>
#include <landfall/store.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static bool ends_in(const char *path, const char *ending) {
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ending) == 0;
}

lf_status lf_model_file_read(const char *path, const lf_host *host, const lf_field_def *field,
                             lf_model **model, lf_error *error) {
    lf_model_def def = lf_model_def_default();
    lf_polygon_file_def file_def = lf_polygon_file_def_default();
    lf_polygon_file *file = NULL;
    lf_store *store = NULL;
    bool stored = ends_in(path, ".lf");
    def.host = file_def.host = *host;
    def.field = *field;
    lf_status status = stored ? lf_store_open_vsi(path, host, false, &store, error)
                              : lf_polygon_file_read(path, &file_def, &file, error);
    if (status != LF_OK)
        return status;
    def.polygons = stored ? lf_store_polygons(store) : lf_polygon_file_polygons(file);
    if (stored && def.polygons.polygon_count == 0)
        status = lf__fail(error, LF_BAD_FORMAT, -1, "%s: holds a %s: expected polygons", path,
                          lf_store_kind_name(lf_store_describe(store).kind));
    else
        status = lf_model_create(&def, model, error);
    lf_polygon_file_close(file);
    lf_store_close(store);
    return status;
}

/// Check each step of the name: a link could lead anywhere.
static lf_status check_steps(char *path, size_t start, const char *name, lf_error *error) {
    struct stat about = {0};
    for (char *end = path + start; *end;) {
        end += strcspn(end, "/");
        char kept = *end;
        *end = '\0';
        int failed = lstat(path, &about);
        *end = kept;
        if (failed)
            return lf__fail(error, LF_IO_FAILED, -1, "%s: there is no such file", name);
        if (S_ISLNK(about.st_mode))
            return lf__fail(error, LF_BAD_ARGUMENT, -1, "%s: scripts do not follow links", name);
        end += kept != '\0';
    }
    return S_ISREG(about.st_mode) ? LF_OK
                                  : lf__fail(error, LF_IO_FAILED, -1, "%s: expected a plain file", name);
}

lf_status lf_model_file_beside(const char *script, const char *name, char *path, size_t size,
                               lf_error *error) {
    const char *slash = strrchr(script, '/');
    size_t start = slash ? (size_t)(slash - script) + 1 : 0;
    // Other formats may name further files anywhere.
    if (!ends_in(name, ".ply") && !ends_in(name, ".obj") && !ends_in(name, ".lf"))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%s: expected a .ply, .obj or .lf file", name);
    if (start + strlen(name) >= size)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%s: the path is too long", name);
    memcpy(path, script, start);
    memcpy(path + start, name, strlen(name) + 1);
    return check_steps(path, start, name, error);
}
