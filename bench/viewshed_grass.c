/// GRASS's r.viewshed, where it is installed: a program that works in a place of its own on the disk.
#include "viewshed.h"

#include <stdlib.h>
#include <string.h>

struct view_grass {
    char folder[512];
    char map[600]; ///< its answer, a byte per sample
    uint8_t *bytes;
    int64_t count;
};

/// Where GRASS keeps its programs; false: it is not here.
static bool find_grass(char *base, size_t size) {
    FILE *answer = popen("grass --config path 2>/dev/null", "r");
    if (!answer)
        return false;
    bool found = fgets(base, (int)size, answer) != NULL;
    found = pclose(answer) == 0 && found;
    base[strcspn(base, "\n")] = '\0';
    return found && base[0] == '/';
}

/// What its programs look for in the environment.
static bool set_environment(const view_grass *grass, const char *base) {
    char path[4096], file[600];
    snprintf(file, sizeof file, "%s/notes", grass->folder);
    FILE *notes = fopen(file, "w");
    if (!notes)
        return false;
    fprintf(notes, "GISDBASE: %s\nLOCATION_NAME: place\nMAPSET: PERMANENT\nGUI: text\nPID: 1\n",
            grass->folder);
    const char *before = getenv("PATH");
    snprintf(path, sizeof path, "%s/bin:%s/scripts:%s", base, base, before ? before : "");
    bool set =
        setenv("GISBASE", base, 1) == 0 && setenv("GISRC", file, 1) == 0 && setenv("PATH", path, 1) == 0;
    snprintf(path, sizeof path, "%s/lib", base);
    return fclose(notes) == 0 && set && setenv("LD_LIBRARY_PATH", path, 1) == 0;
}

static bool make_place(view_grass *grass, const bench_field *field, double spacing) {
    char place[600], raster[600], input[640];
    bench_cost cost;
    snprintf(place, sizeof place, "%s/place", grass->folder);
    snprintf(raster, sizeof raster, "%s/ground.tif", grass->folder);
    snprintf(input, sizeof input, "input=%s", raster);
    view_gdal_save(field, spacing, raster);
    const char *const create[] = {"grass", "-c", "XY", place, "-e", NULL};
    const char *const load[] = {"r.in.gdal", "-o", "--q", input, "output=ground", NULL};
    const char *const region[] = {"g.region", "raster=ground", NULL};
    return bench_program(create, &cost) && bench_program(load, &cost) && bench_program(region, &cost);
}

view_grass *view_grass_open(const bench_field *field, double spacing) {
    char base[512];
    if (!find_grass(base, sizeof base))
        return NULL;
    view_grass *grass = bench_take(1, sizeof *grass);
    grass->count = field->samples * field->samples;
    grass->bytes = bench_take((size_t)grass->count, 1);
    bench_folder_open(grass->folder, sizeof grass->folder);
    snprintf(grass->map, sizeof grass->map, "%s/seen", grass->folder);
    if (set_environment(grass, base) && make_place(grass, field, spacing))
        return grass;
    view_grass_close(grass);
    return NULL;
}

/// All its answers are read: 1 visible, 0 not.
static bool read_answer(view_grass *grass) {
    FILE *file = fopen(grass->map, "rb");
    if (!file)
        return false;
    bool read = fread(grass->bytes, 1, (size_t)grass->count, file) == (size_t)grass->count;
    fclose(file);
    return read;
}

double view_grass_run(view_grass *grass, const view_question *q) {
    char at[128], eye[64], target[64], output[640];
    bench_cost cost, rest;
    snprintf(at, sizeof at, "coordinates=%.17g,%.17g", q->spacing * (double)q->place.column,
             q->spacing * (double)(q->field->samples - 1 - q->place.row));
    snprintf(eye, sizeof eye, "observer_elevation=%.17g", q->place.height);
    snprintf(target, sizeof target, "target_elevation=%.17g", q->target);
    snprintf(output, sizeof output, "output=%s", grass->map);
    const char *const look[] = {"r.viewshed", "-b",   "--o",         "--q", "input=ground", "output=seen", at,
                                eye,          target, "memory=4000", NULL};
    const char *const save[] = {"r.out.bin", "-i",      "--o",    "--q", "input=seen",
                                output,      "bytes=1", "null=0", NULL};
    if (!bench_program(look, &cost) || !bench_program(save, &rest) || !read_answer(grass))
        bench_stop("r.viewshed failed on %s", q->field->name);
    return cost.seconds;
}

const uint8_t *view_grass_bytes(const view_grass *grass) {
    return grass->bytes;
}

void view_grass_close(view_grass *grass) {
    if (!grass)
        return;
    bench_folder_close(grass->folder);
    free(grass->bytes);
    free(grass);
}
