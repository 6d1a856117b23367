/// Tables 4 and 5 of the paper that published the quadtree (Barrus and Waters, QOTA, 1996), with its figures beside ours.
#include "mesh.h"
#include "published/quadtree.h"

#include <string.h>

/// A row of Table 4 as published, for a terrain of 13,346 polygons.
typedef struct published_tree {
    int max_polygons, max_depth;
    int nodes;
    double megabytes, tests;
} published_tree;

static lf_quadtree_stats measure(const mesh_rivals *rivals, const published_tree *tree) {
    lf_mesh_def def = lf_mesh_def_default();
    lf_mesh *mesh;
    lf_error error = {LF_OK, -1, ""};
    lf_quadtree_stats stats;
    def.polygons = rivals->polygons;
    lf_quadtree_def quadtree = lf_quadtree_def_default();
    quadtree.max_polygons = tree->max_polygons;
    quadtree.max_depth = tree->max_depth;
    def.index = lf_quadtree_index();
    def.index_def = &quadtree;
    if (lf_mesh_create(&def, &mesh, &error) != LF_OK || lf_quadtree_describe(mesh, &stats) != LF_OK)
        bench_stop("lf_mesh_create: %s", error.text);
    lf_mesh_destroy(mesh);
    return stats;
}

/// Operations as the quadtree's own functions count them, per time that each thing is done.
static void table_3(const mesh_rivals *rivals, bench_report *report) {
    static const char *const heads[] = {"operation",          "per question", "compare", "add", "mult",
                                        "published: compare", "add",          "mult",    NULL};
    static const char *const names[] = {"Find quadtree child", "BBox containment", "Line equation eval",
                                        "Intersect with plane"};
    static const char *const published[4][3] = {
        {"2", "0", "0"}, {"1 to 4", "0", "0"}, {"1", "1", "2"}, {"0", "2", "2"}};
    lf__quadtree_count count;
    mesh_points points;
    bench_table table;
    char title[160];
    memset(&count, 0, sizeof count);
    mesh_points_make(&points, rivals, MESH_AREA, 2000);
    for (int64_t i = 0; i < points.count; i++) {
        lf_hit hit;
        lf__quadtree_height_counted(rivals->mesh[QUADTREE], points.points[i], true, &hit, &count);
    }
    const lf__operations *all[] = {&count.child, &count.box, &count.line, &count.plane};
    snprintf(title, sizeof title, "Table 3. Floating point operations, counted as they are done: %s",
             rivals->terrain.name);
    bench_table_start(&table, title, heads);
    for (int k = 0; k < 4; k++) {
        double times = (double)(all[k]->times > 0 ? all[k]->times : 1);
        bench_table_row(&table);
        bench_table_cell(&table, "%s", names[k]);
        bench_table_cell(&table, "%.2f", (double)all[k]->times / (double)points.count);
        bench_table_cell(&table, "%.3g", (double)all[k]->compares / times);
        bench_table_cell(&table, "%.3g", (double)all[k]->adds / times);
        bench_table_cell(&table, "%.3g", (double)all[k]->multiplies / times);
        for (int c = 0; c < 3; c++)
            bench_table_cell(&table, "%s", published[k][c]);
    }
    bench_table_end(&table, report);
    mesh_points_close(&points);
}

static void table_4(const mesh_rivals *rivals, bench_report *report) {
    static const published_tree trees[] = {{400, 5, 105, 1.1, 319.0},
                                           {16, 12, 6394, 1.7, 9.3},
                                           {12, 12, 9069, 1.9, 7.2},
                                           {8, 14, 17865, 2.6, 5.2}};
    static const char *const heads[] = {"Max poly",   "Max depth", "Num nodes",
                                        "Mega Bytes", "Avg tests", "published: nodes",
                                        "megabytes",  "tests",     NULL};
    bench_table table;
    char title[160];
    snprintf(title, sizeof title, "Table 4. Statistics on quadtrees: %s, and Diamond Park as published",
             rivals->terrain.name);
    bench_table_start(&table, title, heads);
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        const published_tree *tree = &trees[i];
        lf_quadtree_stats stats = measure(rivals, tree);
        bench_table_row(&table);
        bench_table_cell(&table, "%d", tree->max_polygons);
        bench_table_cell(&table, "%d", tree->max_depth);
        bench_table_cell(&table, "%lld", (long long)stats.node_count);
        bench_table_cell(&table, "%.1f", 1e-6 * (double)stats.bytes);
        bench_table_cell(&table, "%.1f", stats.tests);
        bench_table_cell(&table, "%d", tree->nodes);
        bench_table_cell(&table, "%.1f", tree->megabytes);
        bench_table_cell(&table, "%.1f", tree->tests);
    }
    bench_table_end(&table, report);
}

/// Microseconds, as published; Embree stands where Performer stood.
static void table_5(const mesh_rivals *rivals, bench_report *report, const mesh_tables *tables) {
    static const char *const heads[] = {"microseconds",         "Embree", "QOTA", "landfall",
                                        "published: Performer", "QOTA",   NULL};
    static const char *const rows[2] = {"Avg intersect time", "Avg no intersect time"};
    static const int published[2][2] = {{1881, 19}, {1892, 13}};
    bench_table table;
    char title[160];
    snprintf(title, sizeof title, "Table 5. Comparison of QOTA (12/12) and a ray tracer: %s",
             rivals->terrain.name);
    bench_table_start(&table, title, heads);
    for (int row = 0; row < 2; row++) {
        const double *seconds = tables->seconds[row];
        bench_table_row(&table);
        bench_table_cell(&table, "%s", rows[row]);
        bench_table_cell(&table, "%.3f", 1e6 * seconds[MESHES + HIGH]);
        bench_table_cell(&table, "%.3f", 1e6 * seconds[QUADTREE]);
        bench_table_cell(&table, "%.3f", 1e6 * seconds[NEST]);
        bench_table_cell(&table, "%d", published[row][0]);
        bench_table_cell(&table, "%d", published[row][1]);
    }
    bench_table_end(&table, report);
}

void mesh_published(const mesh_rivals *rivals, bench_report *report, const mesh_tables *tables) {
    table_3(rivals, report);
    table_4(rivals, report);
    table_5(rivals, report, tables);
}
