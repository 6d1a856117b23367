/// Building: time and memory of the models.
#include "model.h"

#include <string.h>

/// One contestant in building.
typedef struct building {
    model_rivals *rivals;
    int which; ///< a peer, or -1 for landfall
} building;

static void drop(void *user) {
    building *b = user;
    if (b->which < 0) {
        lf_model_destroy(b->rivals->model);
        b->rivals->model = NULL;
    } else if (b->rivals->peer[b->which]) {
        b->rivals->kind[b->which]->drop(b->rivals->peer[b->which]);
        b->rivals->peer[b->which] = NULL;
    }
}

static void build_ours(model_rivals *rivals) {
    const model_shape *shape = rivals->shape;
    lf_model_def def = lf_model_def_default();
    def.host.allocator = &rivals->memory.allocator;
    def.polygons.vertices = shape->vertices;
    def.polygons.vertex_count = shape->vertex_count;
    def.polygons.corners = shape->corners;
    def.polygons.polygon_count = shape->triangle_count;
    lf_error error = {LF_OK, -1, ""};
    if (lf_model_create(&def, &rivals->model, &error) != LF_OK)
        bench_stop("%s: %s", shape->name, error.text);
}

static void build(void *user) {
    building *b = user;
    if (b->which < 0) {
        build_ours(b->rivals);
        return;
    }
    collider_shape view = model_shape_view(b->rivals->shape);
    b->rivals->peer[b->which] = b->rivals->kind[b->which]->make(&view);
    if (!b->rivals->peer[b->which])
        bench_stop("%s cannot build %s", b->rivals->kind[b->which]->name, b->rivals->shape->name);
}

static void report_build(const model_rivals *rivals, const bench_times *times, bench_report *report) {
    static const char *const heads[] = {"structure",           "build ms",           "of landfall's",
                                        "tree bytes/triangle", "all bytes/triangle", NULL};
    bench_table table;
    char title[160], bar[64];
    snprintf(title, sizeof title, "%s: building %lld triangles", rivals->shape->name,
             (long long)rivals->shape->triangle_count);
    bench_table_start(&table, title, heads);
    lf_model_info info = lf_model_describe(rivals->model);
    double triangles = (double)info.triangle_count;
    for (int i = 0; i <= PEERS; i++) {
        bench_table_row(&table);
        bench_table_cell(&table, "%s", i == 0 ? "landfall" : rivals->kind[i - 1]->name);
        bench_table_cell(&table, "%.2f", 1e3 * times->seconds[i]);
        bench_table_cell(&table, "%.2f", times->ratio[i]);
        if (i == 0) {
            bench_table_cell(&table, "%.1f", (double)info.tree_bytes / triangles);
            bench_table_cell(&table, "%.1f", (double)rivals->memory.bytes / triangles);
        }
    }
    bench_table_end(&table, report);
    snprintf(bar, sizeof bar, "model-%s-build-fcl", rivals->shape->name);
    bench_bar_relaxed(report, bar, times->ratio[1], 5, model_share());
    snprintf(bar, sizeof bar, "model-%s-bytes-below-90", rivals->shape->name);
    bench_bar(report, bar, 90 / ((double)info.tree_bytes / triangles), 1);
}

void model_rivals_open(model_rivals *rivals, const model_shape *shape, bench_report *report) {
    memset(rivals, 0, sizeof *rivals);
    rivals->shape = shape;
    rivals->kind[0] = collider_fcl_obbrss();
    rivals->kind[1] = collider_fcl_kdop();
    rivals->kind[2] = collider_ode();
    rivals->kind[3] = collider_gimpact();
    bench_memory_start(&rivals->memory, false);
    building buildings[PEERS + 1];
    bench_contestant contestants[PEERS + 1];
    for (int i = 0; i <= PEERS; i++) {
        buildings[i].rivals = rivals;
        buildings[i].which = i - 1;
        contestants[i] =
            (bench_contestant){i == 0 ? "landfall" : rivals->kind[i - 1]->name, drop, build, &buildings[i]};
    }
    bench_times times;
    bench_race(contestants, PEERS + 1, 3, false, &times);
    if (report)
        report_build(rivals, &times, report);
}

void model_rivals_close(model_rivals *rivals) {
    for (int i = 0; i < PEERS; i++)
        rivals->kind[i]->drop(rivals->peer[i]);
    lf_model_destroy(rivals->model);
}
