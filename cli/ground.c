#include "ground.h"
#include "globe.h"
#include "points.h"
#include "raster.h"
#include "stored.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DEGREE 0.017453292519943295
#define DEGREE_LENGTH 111320.0 // metres of a degree on the equator

// ---------------------------------------------------------------------------------------------------
// Frames
// ---------------------------------------------------------------------------------------------------

static bool read_vector(const char *name, const char *text, lf_vec3 *vector) {
    row read;
    if (!row_from_option(name, text, (row_shape){3, 3, "X,Y,Z"}, &read))
        return false;
    *vector = (lf_vec3){read.numbers[0], read.numbers[1], read.numbers[2]};
    return true;
}

/// "PX,PY,PZ,DX,DY,DZ,in" or "...,out"
static bool read_axis(const char *text, lf_frame *frame) {
    static const row_shape shape = {6, 6, "PX,PY,PZ,DX,DY,DZ,in|out"};
    char *copy = strdup(text);
    char *comma = copy ? strrchr(copy, ',') : NULL;
    const char *word = comma ? comma + 1 : "";
    bool inwards = strcmp(word, "in") == 0;
    bool fine = false;
    row read;
    if (!copy) {
        message_error("out of memory");
    } else if (!inwards && strcmp(word, "out") != 0) {
        message_error("--axis %s: %s is wanted", text, shape.spelling);
    } else {
        *comma = '\0';
        fine = row_from_option("axis", copy, shape, &read);
    }
    free(copy);
    if (!fine)
        return false;
    const double *n = read.numbers;
    if (lf_frame_axis((lf_vec3){n[0], n[1], n[2]}, (lf_vec3){n[3], n[4], n[5]}, inwards, frame) != LF_OK) {
        message_error("--axis %s: the direction is zero", text);
        return false;
    }
    return true;
}

static bool read_gravity(const char *text, lf_frame *frame) {
    lf_vec3 gravity;
    if (!read_vector("gravity", text, &gravity))
        return false;
    if (lf_frame_gravity(gravity, frame) != LF_OK) {
        message_error("--gravity %s: gravity is zero", text);
        return false;
    }
    return true;
}

static bool read_centre(const char *text, lf_frame *frame) {
    lf_vec3 centre;
    if (!read_vector("centre", text, &centre))
        return false;
    if (lf_frame_centre(centre, frame) != LF_OK) {
        message_error("--centre %s: not a place", text);
        return false;
    }
    return true;
}

bool ground_framed(const options *given) {
    return options_has(given, "gravity") || options_has(given, "centre") || options_has(given, "axis");
}

/// The frame that the options ask for; left alone when they do not.
static bool read_frame(const options *given, lf_frame *frame) {
    const char *gravity = options_value(given, "gravity");
    const char *centre = options_value(given, "centre");
    const char *axis = options_value(given, "axis");
    int count = (gravity != NULL) + (centre != NULL) + (axis != NULL);
    if (count > 1) {
        message_usage("--gravity, --centre and --axis: only one of them");
        return false;
    }
    return (!gravity || read_gravity(gravity, frame)) && (!centre || read_centre(centre, frame)) &&
           (!axis || read_axis(axis, frame));
}

// ---------------------------------------------------------------------------------------------------
// Loading
// ---------------------------------------------------------------------------------------------------

static bool read_file(cli *run, const char *path, lf_polygon_file **file) {
    lf_polygon_file_def def = lf_polygon_file_def_default();
    lf_error error = {0};
    int count = options_count(&run->given, "only");
    const char **names = calloc((size_t)count + 1, sizeof(char *));
    if (!names) {
        message_error("out of memory");
        return false;
    }
    for (int i = 0; i < count; i++)
        names[i] = options_nth(&run->given, "only", i);
    def.host = run->host;
    def.only = count > 0 ? names : NULL;
    def.only_count = count;
    lf_status status = lf_polygon_file_read(path, &def, file, &error);
    free(names);
    if (status != LF_OK)
        message_status(status, &error);
    return status == LF_OK;
}

static bool build(cli *run, const lf_frame *frame, loaded *loaded) {
    lf_mesh_def def = lf_mesh_def_default();
    lf_error error = {0};
    def.host = run->host;
    def.polygons = loaded->polygons = lf_polygon_file_polygons(loaded->file);
    def.frame = *frame;
    lf_status status = lf_mesh_create(&def, &loaded->mesh, &error);
    if (status == LF_OK)
        loaded->ground = lf_mesh_ground(loaded->mesh);
    if (status != LF_OK)
        message_status(status, &error);
    return status == LF_OK;
}

/// Does the ending say that it is a mesh?
static bool is_mesh(const char *path) {
    static const char *const endings[] = {".ply", ".obj", ".stl", ".off", ".gltf", ".glb", ".dae", ".3ds"};
    const char *ending = strrchr(path, '.');
    for (size_t i = 0; ending && i < sizeof endings / sizeof *endings; i++)
        if (strcasecmp(ending, endings[i]) == 0)
            return true;
    return false;
}

static bool has_stray_options(const options *given) {
    static const char *const of_rasters[] = {"band",     "nodata",  "z-scale", "z-unit",
                                             "encoding", "surface", "extend",  "ground-crs",
                                             "window",   "crs",     "pyramid"};
    for (size_t i = 0; i < sizeof of_rasters / sizeof *of_rasters; i++)
        if (options_has(given, of_rasters[i])) {
            message_usage("--%s is for rasters, and GROUND is a mesh", of_rasters[i]);
            return true;
        }
    return false;
}

static bool mesh_load(cli *run, const char *path, loaded *loaded) {
    lf_frame frame = lf_frame_default();
    return !has_stray_options(&run->given) && read_frame(&run->given, &frame) &&
           read_file(run, path, &loaded->file) && build(run, &frame, loaded);
}

/// Most commands know planes only.
static bool suits_command(const cli *run, const char *path, const loaded *loaded) {
    static const char *const with_globes[] = {"height", "ray", "sight", "walk", "place", "render"};
    for (size_t i = 0; i < sizeof with_globes / sizeof *with_globes; i++)
        if (!loaded->globe || strcmp(run->command->name, with_globes[i]) == 0)
            return true;
    message_error(
        "%s: is a globe; height, ray, sight, walk, place, render and camera ask globes, landfall %s does not",
        path, run->command->name);
    return false;
}

bool ground_load_file(cli *run, const char *path, loaded *loaded) {
    *loaded = (struct loaded){0};
    if (strcmp(path, "-") == 0) {
        message_error("GROUND is a file whose ending says what it is: - cannot be one");
        return false;
    }
    bool fine = is_stored(path)    ? stored_load(run, path, loaded)
                : is_mesh(path)    ? mesh_load(run, path, loaded)
                : is_terrain(path) ? terrain_load(run, path, loaded)
                                   : raster_load(run, path, loaded);
    progress_clear();
    fine = fine && suits_command(run, path, loaded);
    if (!fine)
        ground_free(loaded);
    return fine;
}

bool ground_load(cli *run, loaded *loaded) {
    return ground_load_file(run, run->given.arguments[0], loaded);
}

void ground_free(loaded *loaded) {
    if (loaded->store) { // everything is its own
        lf_store_close(loaded->store);
        *loaded = (struct loaded){0};
        return;
    }
    lf_globe_destroy(loaded->globe);
    lf_tile_folder_close(loaded->terrain);
    lf_grid_destroy(loaded->grid);
    lf_raster_close(loaded->raster);
    lf_mesh_destroy(loaded->mesh);
    lf_polygon_file_close(loaded->file);
    *loaded = (struct loaded){0};
}

bool ground_in_degrees(const loaded *loaded) {
    return loaded->grid && loaded->about.kind == LF_CRS_DEGREES;
}

lf_vec2 ground_metres(const loaded *loaded, lf_box box) {
    if (!loaded->grid || !ground_in_degrees(loaded))
        return (lf_vec2){1, 1};
    double squeeze = cos(0.5 * (box.low.y + box.high.y) * DEGREE);
    return (lf_vec2){DEGREE_LENGTH * fmax(squeeze, 0.05), DEGREE_LENGTH};
}

bool ground_needs_raster(const cli *run, const loaded *loaded) {
    bool group = loaded->store && lf_store_group(loaded->store);
    if (loaded->grid)
        return true;
    message_error("%s: holds a %s: expected a raster", run->given.arguments[0], group ? "group" : "mesh");
    return false;
}

bool ground_needs_metres(const cli *run, const loaded *loaded, const char *what) {
    if (!ground_in_degrees(loaded))
        return true;
    message_error("%s: x and y are degrees and heights metres, but %s needs metres: warp it to a projected "
                  "CRS first",
                  run->given.arguments[0], what);
    return false;
}
