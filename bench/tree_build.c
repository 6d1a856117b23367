/// Building: time and memory of the meshes and of Embree's scenes.
#include "tree.h"

#include <stdlib.h>
#include <string.h>

/// One mesh to build, with the allocator that counts for it.
typedef struct tree_build {
    tree_rivals *rivals;
    int which;
} tree_build;

static void drop_mesh(void *user) {
    tree_build *build = user;
    lf_mesh_destroy(build->rivals->mesh[build->which]);
    build->rivals->mesh[build->which] = NULL;
    build->rivals->memory[build->which].peak = 0;
}

static void build_mesh(void *user) {
    tree_build *build = user;
    const bench_terrain *terrain = build->rivals->terrain;
    lf_mesh_def def = lf_mesh_def_default();
    def.host.allocator = &build->rivals->memory[build->which].allocator;
    def.polygons.vertices = terrain->vertices;
    def.polygons.vertex_count = terrain->vertex_count;
    def.polygons.corners = build->rivals->corners;
    def.polygons.polygon_count = terrain->triangle_count;
    lf_error error = {LF_OK, -1, ""};
    if (lf_mesh_create(&def, &build->rivals->mesh[build->which], &error) != LF_OK)
        bench_stop("lf_mesh_create: %s", error.text);
}

static void build_scene(void *user) {
    bench_embree_build(user);
}

static void add_time(bench_table *table, const char *name, const bench_times *times, int who) {
    bench_table_row(table);
    bench_table_cell(table, "%s", name);
    bench_table_cell(table, "%.3f", times->seconds[who]);
    bench_table_cell(table, "%.2f", times->ratio[who]);
}

static void add_bytes(bench_table *table, int64_t bytes, int64_t peak, int64_t triangles) {
    bench_table_cell(table, "%.1f", (double)bytes / (double)triangles);
    bench_table_cell(table, "%.1f", (double)peak / (double)triangles);
}

static void report_build(const tree_rivals *rivals, const bench_contestant *contestants,
                         const bench_times *times, bench_report *report) {
    static const char *const heads[] = {"structure",     "build s", "of landfall's", "bytes/triangle", "peak",
                                        "tree for rays", NULL};
    bench_table table;
    char title[160];
    snprintf(title, sizeof title, "%s: building", rivals->terrain->name);
    bench_table_start(&table, title, heads);
    int64_t triangles = rivals->terrain->triangle_count;
    for (int i = 0; i < MESHES; i++) {
        lf_mesh_info info = lf_mesh_describe(rivals->mesh[i]);
        add_time(&table, contestants[i].name, times, i);
        add_bytes(&table, rivals->memory[i].bytes, rivals->memory[i].peak, triangles);
        bench_table_cell(&table, "%.1f", (double)info.tree_bytes / (double)triangles);
    }
    for (int i = 0; i < SCENES; i++) {
        bench_embree_memory memory = bench_embree_describe(rivals->embree[i]);
        add_time(&table, contestants[MESHES + i].name, times, MESHES + i);
        add_bytes(&table, memory.bytes, memory.peak, triangles);
    }
    bench_table_end(&table, report);
}

void tree_rivals_open(tree_rivals *rivals, const bench_terrain *terrain, bench_report *report) {
    memset(rivals, 0, sizeof *rivals);
    rivals->terrain = terrain;
    rivals->corners = bench_take((size_t)terrain->triangle_count * 3, sizeof *rivals->corners);
    for (int64_t i = 0; i < 3 * terrain->triangle_count; i++)
        rivals->corners[i] = terrain->corners[i];
    tree_build builds[MESHES];
    for (int i = 0; i < MESHES; i++) {
        bench_memory_start(&rivals->memory[i], i == HUGE_PAGES);
        builds[i].rivals = rivals;
        builds[i].which = i;
    }
    for (int i = 0; i < SCENES; i++)
        rivals->embree[i] = bench_embree_open(terrain, i == ROBUST);
    const bench_contestant contestants[CONTESTANTS] = {
        {"landfall", drop_mesh, build_mesh, &builds[PLAIN]},
        {"landfall, huge pages", drop_mesh, build_mesh, &builds[HUGE_PAGES]},
        {"Embree high", NULL, build_scene, rivals->embree[HIGH]},
        {"Embree high, robust", NULL, build_scene, rivals->embree[ROBUST]},
    };
    bench_times times;
    bench_race(contestants, CONTESTANTS, report->rounds < 3 ? report->rounds : 3, false, &times);
    report_build(rivals, contestants, &times, report);
}

void tree_rivals_close(tree_rivals *rivals) {
    for (int i = 0; i < SCENES; i++)
        bench_embree_close(rivals->embree[i]);
    for (int i = 0; i < MESHES; i++)
        lf_mesh_destroy(rivals->mesh[i]);
    free(rivals->corners);
}
