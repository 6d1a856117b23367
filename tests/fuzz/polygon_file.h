/// Fuzzing the readers of polygons: whatever the bytes are, the answer is an error with a message, or polygons that hold
/// what the header promises and that come back the same after writing.
#ifndef LF_TESTS_FUZZ_POLYGON_FILE_H
#define LF_TESTS_FUZZ_POLYGON_FILE_H

#include "fuzz.h"
#include <landfall/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// A path of this process alone, with that ending.
static inline void fuzz_path(char *path, size_t size, const char *name) {
    const char *folder = getenv("TMPDIR");
    snprintf(path, size, "%s/landfall-fuzz-%ld-%s", folder ? folder : "/tmp", (long)getpid(), name);
}

static inline void fuzz_write(const char *path, const uint8_t *data, size_t size) {
    FILE *file = fopen(path, "wb");
    FUZZ_HOLDS(file);
    FUZZ_HOLDS(fwrite(data, 1, size, file) == size);
    FUZZ_HOLDS(fclose(file) == 0);
}

static inline int64_t fuzz_start(const lf_polygons *polygons, int64_t polygon) {
    return polygons->starts ? polygons->starts[polygon] : 3 * polygon;
}

static inline void fuzz_check_polygons(const lf_polygons *polygons) {
    FUZZ_HOLDS(polygons->polygon_count > 0);
    FUZZ_HOLDS(fuzz_start(polygons, 0) == 0);
    for (int64_t i = 0; i < polygons->polygon_count; i++)
        FUZZ_HOLDS(fuzz_start(polygons, i + 1) - fuzz_start(polygons, i) >= 3);
    for (int64_t i = 0; i < fuzz_start(polygons, polygons->polygon_count); i++)
        FUZZ_HOLDS(polygons->corners[i] >= 0 && polygons->corners[i] < polygons->vertex_count);
    for (int64_t i = 0; i < polygons->vertex_count; i++) {
        lf_vec3 v = polygons->vertices[i];
        FUZZ_HOLDS(isfinite(v.x) && isfinite(v.y) && isfinite(v.z));
    }
}

/// Written and read again: the same bits.
static inline void fuzz_check_return(const lf_polygons *polygons, const char *ending) {
    char path[512], name[32];
    snprintf(name, sizeof name, "out.%s", ending);
    fuzz_path(path, sizeof path, name);
    FUZZ_HOLDS(lf_polygon_file_write(path, polygons, NULL, NULL) == LF_OK);
    lf_polygon_file_def def = lf_polygon_file_def_default();
    lf_polygon_file *file;
    FUZZ_HOLDS(lf_polygon_file_read(path, &def, &file, NULL) == LF_OK);
    lf_polygons again = lf_polygon_file_polygons(file);
    FUZZ_HOLDS(again.polygon_count == polygons->polygon_count);
    for (int64_t i = 0; i < fuzz_start(polygons, polygons->polygon_count); i++) {
        lf_vec3 a = polygons->vertices[polygons->corners[i]], b = again.vertices[again.corners[i]];
        FUZZ_HOLDS(memcmp(&a, &b, sizeof a) == 0);
    }
    lf_polygon_file_close(file);
    remove(path);
}

static inline int fuzz_polygon_file(const char *ending, const uint8_t *data, size_t size) {
    char path[512], name[32];
    snprintf(name, sizeof name, "in.%s", ending);
    fuzz_path(path, sizeof path, name);
    fuzz_write(path, data, size);
    lf_polygon_file_def def = lf_polygon_file_def_default();
    lf_polygon_file *file = NULL;
    lf_error error;
    memset(&error, 0, sizeof error);
    lf_status status = lf_polygon_file_read(path, &def, &file, &error);
    if (status == LF_OK) {
        lf_polygons polygons = lf_polygon_file_polygons(file);
        fuzz_check_polygons(&polygons);
        fuzz_check_return(&polygons, "ply");
        fuzz_check_return(&polygons, "obj");
        lf_polygon_file_close(file);
    } else {
        FUZZ_HOLDS(status < 0 && error.status == status && error.text[0] != 0 && !file);
    }
    remove(path);
    return 0;
}

#endif
