#include "scene_model.h"
#include "model.h"
#include "run_files.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/// An error with a text that names the file as the script does.
static lf_status refuse(lf_error *error, lf_status status, const char *name, const char *why) {
    *error = (lf_error){status, -1, ""};
    snprintf(error->text, sizeof error->text, "%s: %s", name, why);
    return status;
}

/// Formats that are one file: others may name further files anywhere.
static bool ending_is_fine(const char *name) {
    static const char *const endings[] = {".ply", ".obj", ".lf"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof endings[0]; i++)
        if (strcasecmp(dot, endings[i]) == 0)
            return true;
    return false;
}

/// The path of a file beside a script; to be freed. `start` is where the name begins.
static char *path_beside(const char *script, const char *name, size_t *start) {
    const char *slash = strrchr(script, '/');
    size_t length = slash ? (size_t)(slash - script) + 1 : 0, all = strlen(name);
    char *path = malloc(length + all + 1);
    if (!path)
        return NULL;
    memcpy(path, script, length);
    memcpy(path + length, name, all + 1);
    *start = length;
    return path;
}

/// Look at each step of the name: a link could lead anywhere.
static lf_status check_steps(char *path, size_t start, const char *name, lf_error *error) {
    struct stat about = {0};
    for (char *end = path + start; *end;) {
        end += strcspn(end, "/");
        char kept = *end;
        *end = '\0';
        int failed = lstat(path, &about);
        *end = kept;
        if (failed)
            return refuse(error, LF_IO_FAILED, name, "there is no such file");
        if (S_ISLNK(about.st_mode))
            return refuse(error, LF_BAD_ARGUMENT, name, "scripts do not follow links");
        end += kept != '\0';
    }
    return S_ISREG(about.st_mode) ? LF_OK : refuse(error, LF_IO_FAILED, name, "it is no plain file");
}

lf_status scene_model_read(const cli *run, const char *script, const char *name, const lf_host *host,
                           lf_model **model, lf_error *error) {
    const lf_field_def field = lf_model_def_default().field;
    const char *option;
    size_t start;
    if (!ending_is_fine(name))
        return refuse(error, LF_BAD_ARGUMENT, name, "a .ply, .obj or .lf file is wanted");
    char *path = path_beside(script, name, &start);
    if (!path)
        return refuse(error, LF_NO_MEMORY, name, "out of memory");
    lf_status status = check_steps(path, start, name, error);
    if (status == LF_OK && run_files_writes(run, path, &option))
        status = refuse(error, LF_BAD_ARGUMENT, name, "this run would replace it (-o)");
    if (status == LF_OK)
        status = model_read(path, host, &field, model, error);
    free(path);
    return status;
}
