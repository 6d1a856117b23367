/// What the paper counts: nodes of quadtrees (Figure 2.2), and the triangles that a walk tests again at the next sample.
#include "grid-table.h"

#include <stdlib.h>

/// A row of Figure 2.2.
typedef struct node_row {
    int32_t leaf;
    int subdivisions;
    long long nodes;
} node_row;

/// Nodes of a tree over 8192 x 8192 samples: of one that is built, where that takes less than a gigabyte.
static int64_t count_nodes(const lf__sjostrand_map *map, int32_t leaf, int *subdivisions, bool *built) {
    int64_t count = 1, level = 1;
    *subdivisions = 0;
    for (int32_t side = 8192; side > leaf; side /= 2, ++*subdivisions) {
        level *= 4;
        count += level;
    }
    *built = map && leaf >= 8;
    if (!*built)
        return count;
    lf__sjostrand_tree tree;
    if (lf__sjostrand_open(&tree, map, leaf) != LF_OK)
        bench_stop("out of memory");
    if (tree.node_count != count)
        bench_stop("leaf %d: %lld nodes are built, not %lld", (int)leaf, (long long)tree.node_count,
                   (long long)count);
    lf__sjostrand_close(&tree);
    return count;
}

void table_nodes(bench_report *report, const lf__sjostrand_map *map) {
    static const node_row rows[] = {
        {1, 13, 89478484}, {8, 10, 1398100}, {16, 9, 349524}, {32, 8, 87380}, {64, 7, 21844}};
    static const char *const heads[] = {"leaf node size",
                                        "subdivisions",
                                        "nodes below the root",
                                        "with the root",
                                        "counted in",
                                        "published: subdivisions",
                                        "nodes",
                                        NULL};
    bench_table *table = bench_take(1, sizeof *table);
    bool same = true;
    bench_table_start(
        table,
        "Figure 2.2: nodes over 8192 x 8192 samples; the paper leaves out the root, which its formula has",
        heads);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int subdivisions;
        bool built;
        int64_t nodes = count_nodes(map, rows[i].leaf, &subdivisions, &built);
        same = same && nodes - 1 == rows[i].nodes && subdivisions == rows[i].subdivisions;
        bench_table_row(table);
        bench_table_cell(table, "%d x %d", (int)rows[i].leaf, (int)rows[i].leaf);
        bench_table_cell(table, "%d", subdivisions);
        bench_table_cell(table, "%lld", (long long)nodes - 1);
        bench_table_cell(table, "%lld", (long long)nodes);
        bench_table_cell(table, built ? "a tree" : "levels");
        bench_table_cell(table, "%d", rows[i].subdivisions);
        bench_table_cell(table, "%lld", rows[i].nodes);
    }
    bench_table_end(table, report);
    bench_bar(report, "grid-table-figure-2.2", same ? 1 : 0, 1);
    free(table);
}

void table_skipped(bench_report *report, lf__sjostrand_tree *tree) {
    static const char *const heads[] = {"rays",    "triangles", "without those of the sample before",
                                        "skipped", "published", NULL};
    static const char *const kinds[] = {"the worst ray", "from above, anywhere", "level, anywhere"};
    bench_table *table = bench_take(1, sizeof *table);
    bench_random random = {31};
    int32_t samples = tree->map->samples;
    bench_table_start(table,
                      "Triangles that the walk tested at the sample before: up to 25 % in the average case, "
                      "the paper expects",
                      heads);
    for (int kind = 0; kind < 3; kind++) {
        int64_t tested[2] = {0, 0};
        for (int k = 0; k < (kind == 0 ? 1 : 2000); k++) {
            lf_ray ray = table_any_ray(&random, samples);
            if (kind == 0)
                ray = lf_ray_towards((lf_vec3){-1, -1, 120}, (lf_vec3){1, 1, -60.0 / samples});
            else if (kind == 2)
                ray = lf_ray_towards((lf_vec3){ray.origin.x, ray.origin.y, 150},
                                     (lf_vec3){ray.direction.x, ray.direction.y, 0});
            lf__sjostrand_answer all = lf__sjostrand_walk_samples(tree, &ray, false),
                                 some = lf__sjostrand_walk_samples(tree, &ray, true);
            if (all.hit != some.hit || fabs(all.t - some.t) > 1e-9 * fabs(all.t))
                bench_stop("a walk that skips triangles finds another one");
            tested[0] += all.triangles;
            tested[1] += some.triangles;
        }
        bench_table_row(table);
        bench_table_cell(table, "%s", kinds[kind]);
        bench_table_cell(table, "%lld", (long long)tested[0]);
        bench_table_cell(table, "%lld", (long long)tested[1]);
        bench_table_cell(table, "%.1f %%", 100 * (1 - (double)tested[1] / (double)tested[0]));
        bench_table_cell(table, kind == 0 ? "-" : "25 %%");
    }
    bench_table_end(table, report);
    free(table);
}
