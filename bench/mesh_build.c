/// Building: time and memory of the meshes and of Embree's scenes.
#include "mesh.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[MESHES + SCENES] = {"landfall", "quadtree 12/12", "Embree high",
                                                   "Embree high, robust"};

/// One mesh to build.
typedef struct mesh_build {
    mesh_rivals *rivals;
    int which;
} mesh_build;

static void drop_mesh(void *user) {
    mesh_build *build = user;
    lf_mesh_destroy(build->rivals->mesh[build->which]);
    build->rivals->mesh[build->which] = NULL;
}

static void build_mesh(void *user) {
    mesh_build *build = user;
    lf_mesh_def def = lf_mesh_def_default();
    lf_error error = {LF_OK, -1, ""};
    def.polygons = build->rivals->polygons;
    def.index = build->which == QUADTREE ? lf_quadtree_index() : NULL;
    if (lf_mesh_create(&def, &build->rivals->mesh[build->which], &error) != LF_OK)
        bench_stop("lf_mesh_create: polygon %lld: %s", (long long)error.where, error.text);
}

static void build_scene(void *user) {
    bench_embree_build(user);
}

static void report_build(const mesh_rivals *rivals, const bench_times *times, bench_report *report) {
    static const char *const heads[] = {
        "structure", "build s", "of landfall's", "index bytes/triangle", "tree for rays", "all", NULL};
    bench_table table;
    char title[160];
    snprintf(title, sizeof title, "%s: building; bytes per triangle", rivals->terrain.name);
    bench_table_start(&table, title, heads);
    double triangles = (double)rivals->terrain.triangle_count;
    for (int i = 0; i < MESHES + SCENES; i++) {
        bench_table_row(&table);
        bench_table_cell(&table, "%s", names[i]);
        bench_table_cell(&table, "%.4f", times->seconds[i]);
        bench_table_cell(&table, "%.2f", times->ratio[i]);
        if (i < MESHES) {
            lf_mesh_info info = lf_mesh_describe(rivals->mesh[i]);
            bench_table_cell(&table, "%.1f", (double)info.height_bytes / triangles);
            bench_table_cell(&table, "%.1f", (double)info.tree_bytes / triangles);
            bench_table_cell(&table, "%.1f", (double)info.bytes / triangles);
        } else {
            bench_embree_memory memory = bench_embree_describe(rivals->embree[i - MESHES]);
            bench_table_cell(&table, "%.1f", (double)memory.bytes / triangles);
        }
    }
    bench_table_end(&table, report);
    lf_mesh_info info = lf_mesh_describe(rivals->mesh[NEST]);
    mesh_plain_bar(rivals, report, "110-bytes", 110.0 * triangles / (double)info.height_bytes, 1.0);
    lf_mesh_def def = lf_mesh_def_default();
    lf_mesh *compact;
    def.polygons = rivals->polygons;
    def.compact = true;
    if (lf_mesh_create(&def, &compact, NULL) != LF_OK)
        bench_stop("lf_mesh_create: a compact mesh failed");
    double bytes = (double)lf_mesh_describe(compact).height_bytes / triangles;
    printf("landfall compact: %.1f bytes per triangle\n", bytes);
    mesh_plain_bar(rivals, report, "60-bytes-compact", 60.0 / bytes, 1.0);
    lf_mesh_destroy(compact);
    mesh_plain_bar(rivals, report, "build", times->ratio[MESHES + HIGH], 1.2);
}

/// One file to open.
typedef struct mesh_file {
    char path[64];
    lf_store *store;
    lf_vec3 point;
    bool ask;
} mesh_file;

static void close_file(void *user) {
    mesh_file *file = user;
    lf_store_close(file->store);
    file->store = NULL;
}

static void open_file(void *user) {
    mesh_file *file = user;
    lf_hit hit;
    if (lf_store_open(file->path, NULL, false, &file->store, NULL) != LF_OK ||
        (file->ask &&
         lf_ground_height(lf_store_ground(file->store), file->point, LF_VERTICAL_DOWN, &hit, NULL) != LF_OK))
        bench_stop("%s: cannot be opened and asked", file->path);
}

/// Opening a file of the mesh, against building it.
static void report_open(const mesh_rivals *rivals, double build, bench_report *report) {
    lf_store_def def = lf_store_def_default();
    lf_error error = {LF_OK, -1, ""};
    mesh_file files[2] = {{.path = "bench-mesh.lf"}, {.path = "bench-mesh.lf", .ask = true}};
    files[1].point = lf_box_centre(rivals->terrain.box);
    files[1].point.z = LF_INFINITY;
    def.mesh = rivals->mesh[NEST];
    if (lf_store_write(files[0].path, &def, &error) != LF_OK)
        bench_stop("%s", error.text);
    bench_contestant contestants[] = {{"open", close_file, open_file, &files[0]},
                                      {"open, and a first height", close_file, open_file, &files[1]}};
    bench_times times;
    bench_race(contestants, 2, 5, false, &times);
    printf("a file of it: opened in %.3f ms, with a first height in %.3f ms\n", 1e3 * times.seconds[0],
           1e3 * times.seconds[1]);
    mesh_plain_bar(rivals, report, "open-file", build / times.seconds[0], 200);
    mesh_plain_bar(rivals, report, "first-answer-1-ms", 1e-3 / times.seconds[1], 1);
    for (int i = 0; i < 2; i++)
        close_file(&files[i]);
    remove(files[0].path);
}

/// The caller's polygons, on vertices that are floats.
static void take_polygons(mesh_rivals *rivals, const char *name, const lf_polygons *polygons) {
    bench_terrain_polygons(&rivals->terrain, name, polygons);
    rivals->polygons = *polygons;
    rivals->polygons.vertices = rivals->terrain.vertices;
    rivals->polygons.users = NULL;
    rivals->polygons.layers = NULL;
    rivals->polygons.sides = NULL;
    rivals->firsts = bench_take((size_t)polygons->polygon_count, sizeof *rivals->firsts);
    for (int64_t i = 0; i < polygons->polygon_count; i++)
        rivals->firsts[i] = polygons->starts ? polygons->starts[i] - 2 * i : i;
    rivals->start = (float)(rivals->terrain.box.high.z + 10.0);
}

void mesh_rivals_open(mesh_rivals *rivals, const char *name, const lf_polygons *polygons,
                      bench_report *report) {
    memset(rivals, 0, sizeof *rivals);
    take_polygons(rivals, name, polygons);
    mesh_build builds[MESHES];
    bench_contestant contestants[MESHES + SCENES];
    for (int i = 0; i < MESHES + SCENES; i++) {
        contestants[i].name = names[i];
        contestants[i].prepare = i < MESHES ? drop_mesh : NULL;
        contestants[i].run = i < MESHES ? build_mesh : build_scene;
        if (i < MESHES) {
            builds[i] = (mesh_build){rivals, i};
            contestants[i].user = &builds[i];
        } else {
            rivals->embree[i - MESHES] = bench_embree_open(&rivals->terrain, i - MESHES == ROBUST);
            contestants[i].user = rivals->embree[i - MESHES];
        }
    }
    bench_times times;
    bool small = polygons->polygon_count < 100000;
    bench_race(contestants, MESHES + SCENES, report->rounds < 3 || small ? report->rounds : 3, small, &times);
    report_build(rivals, &times, report);
    if (!small)
        report_open(rivals, times.seconds[NEST], report);
    for (int i = 0; i < MESHES; i++)
        rivals->ground[i] = lf_mesh_ground(rivals->mesh[i]);
}

void mesh_rivals_close(mesh_rivals *rivals) {
    for (int i = 0; i < SCENES; i++)
        bench_embree_close(rivals->embree[i]);
    for (int i = 0; i < MESHES; i++) {
        lf_mesh_destroy(rivals->mesh[i]);
    }
    free(rivals->firsts);
    bench_terrain_close(&rivals->terrain);
}
