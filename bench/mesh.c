/// Polygon terrain: the height under a point, against Embree and against the published quadtree.
#include "mesh.h"

#include <landfall/io.h>
#include <samples.h>
#include <string.h>

/// Totals over all terrains.
typedef struct totals {
    int64_t checked, wrong;
} totals;

void mesh_plain_bar(const mesh_rivals *rivals, bench_report *report, const char *name, double measured,
                    double wanted) {
    char full[160];
    snprintf(full, sizeof full, "mesh-%s-%s", rivals->terrain.name, name);
    bench_bar(report, full, measured, wanted);
}

void mesh_speed_bar(const mesh_rivals *rivals, bench_report *report, const char *name, double measured,
                    double wanted) {
    char full[160];
    snprintf(full, sizeof full, "mesh-%s-%s", rivals->terrain.name, name);
    bench_bar_relaxed(report, full, measured, wanted, bench_embree_width() == 16 ? 1.0 : 0.7);
}

static void bench_one(const char *name, const lf_polygons *polygons, bench_report *report, totals *sum) {
    mesh_rivals rivals;
    static mesh_tables tables;
    memset(&tables, 0, sizeof tables);
    printf("\n== %s: %lld polygons\n", name, (long long)polygons->polygon_count);
    mesh_rivals_open(&rivals, name, polygons, report);
    mesh_answers_start(&tables, name);
    mesh_single(&rivals, report, &tables);
    mesh_batch(&rivals, report, &tables);
    bench_table_end(&tables.answers, report);
    mesh_published(&rivals, report, &tables);
    mesh_frames(&rivals, report);
    mesh_groups(&rivals, report);
    sum->checked += tables.checked;
    sum->wrong += tables.wrong;
    mesh_rivals_close(&rivals);
}

static void bench_park(const char *name, bench_report *report, totals *sum) {
    if (!bench_wanted(report, name))
        return;
    lf_make_polygons_def def = lf_make_polygons_def_default();
    lf_made_polygons *made;
    lf_error error = {LF_OK, -1, ""};
    if (lf_make_polygons(&def, &made, &error) != LF_OK)
        bench_stop("%s: %s", name, error.text);
    lf_polygons polygons = lf_made_polygons_view(made);
    bench_one(name, &polygons, report, sum);
    lf_made_polygons_destroy(made);
}

static void bench_file(const char *name, const char *relative, bench_report *report, totals *sum) {
    lf_polygon_file *file = bench_wanted(report, name) ? bench_terrain_open(name, relative) : NULL;
    if (!file)
        return;
    lf_polygons polygons = lf_polygon_file_polygons(file);
    bench_one(name, &polygons, report, sum);
    lf_polygon_file_close(file);
}

int main(int argc, char **argv) {
    bench_report report;
    bench_report_start(&report, argc, argv, "Heights on polygon terrain against Embree, on one thread.");
    printf("landfall %s (%s) against %s\n%s\none thread, processor time, medians of %d rounds in turns\n",
           lf_version(), lf_isa_name(lf_isa_best()), bench_embree_name(), bench_machine(), report.rounds);
    totals sum = {0, 0};
    bench_park("park", &report, &sum);
    if (!report.quick)
        bench_file("oahu", "mesh/oahu-enu.ply", &report, &sum);
    if (sum.checked == 0)
        bench_stop("nothing has \"%s\" in its name", report.only ? report.only : "");
    mesh_locales(&report);
    putchar('\n');
    bench_bar(&report, "mesh-answers-right", 1.0 - (double)sum.wrong / (double)sum.checked, 1.0);
    return bench_report_end(&report);
}
