/// Single rays on a mesh against Embree: first and any hit on one thread.
#include "tree.h"

#include <stdlib.h>

static const tree_question questions[] = {
    {"camera first", BENCH_CAMERA, false}, {"down first", BENCH_DOWN, false},
    {"sphere first", BENCH_SPHERE, false}, {"camera any", BENCH_CAMERA, true},
    {"down any", BENCH_DOWN, true},        {"sight any", BENCH_SIGHT, true},
};
enum { QUESTIONS = sizeof questions / sizeof *questions };

/// Totals over all terrains.
typedef struct totals {
    int64_t checked;
    int64_t wrong;
} totals;

static bool question_wanted(const bench_report *report, const char *terrain, int which) {
    char name[160];
    snprintf(name, sizeof name, "%s %s", terrain, questions[which].name);
    return bench_wanted(report, name);
}

static bool terrain_wanted(const bench_report *report, const char *terrain) {
    for (int i = 0; i < QUESTIONS; i++)
        if (question_wanted(report, terrain, i))
            return true;
    return false;
}

static void bench_one(const bench_terrain *terrain, bench_report *report, totals *sum) {
    printf("\n== %s: %lld triangles, %.0f x %.0f km, heights %.0f to %.0f m\n", terrain->name,
           (long long)terrain->triangle_count, (terrain->box.high.x - terrain->box.low.x) / 1000.0,
           (terrain->box.high.y - terrain->box.low.y) / 1000.0, terrain->box.low.z, terrain->box.high.z);
    tree_rivals rivals;
    tree_rivals_open(&rivals, terrain, report);
    tree_tables *tables = bench_take(1, sizeof *tables);
    tree_tables_start(tables, terrain->name);
    for (int i = 0; i < QUESTIONS; i++)
        if (question_wanted(report, terrain->name, i))
            tree_ask(&rivals, &questions[i], report, tables);
    tree_tables_end(tables, report);
    sum->checked += tables->checked;
    sum->wrong += tables->wrong;
    free(tables);
    tree_rivals_close(&rivals);
}

static void bench_mountains(const char *name, int64_t cells, bench_report *report, totals *sum) {
    if (!terrain_wanted(report, name))
        return;
    bench_terrain terrain;
    bench_terrain_mountains(&terrain, name, cells, 1);
    bench_one(&terrain, report, sum);
    bench_terrain_close(&terrain);
}

static void bench_file(const char *name, const char *relative, bench_report *report, totals *sum) {
    bench_terrain terrain;
    if (!terrain_wanted(report, name) || !bench_terrain_file(&terrain, name, relative))
        return;
    bench_one(&terrain, report, sum);
    bench_terrain_close(&terrain);
}

int main(int argc, char **argv) {
    bench_report report;
    bench_report_start(&report, argc, argv, "Rays on a mesh against Embree: one at a time, one thread.");
    printf("landfall %s (%s) against %s\n%s\none thread, processor time, medians of %d rounds in turns\n",
           lf_version(), lf_isa_name(lf_isa_best()), bench_embree_name(), bench_machine(), report.rounds);
    totals sum = {0, 0};
    if (report.quick) {
        bench_mountains("mountains 32k", 128, &report, &sum);
    } else {
        bench_file("oahu", "mesh/oahu-enu.ply", &report, &sum);
        bench_mountains("mountains 0.5M", 512, &report, &sum);
        bench_mountains("mountains 2M", 1024, &report, &sum);
    }
    if (report.large)
        bench_mountains("mountains 8M", 2048, &report, &sum);
    if (sum.checked == 0)
        bench_stop("nothing has \"%s\" in its name", report.only ? report.only : "");
    putchar('\n');
    bench_bar(&report, "tree-answers-right", 1.0 - (double)sum.wrong / (double)sum.checked, 1.0);
    return bench_report_end(&report);
}
