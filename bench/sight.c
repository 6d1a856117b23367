/// Sight against Embree, and against the tree of the paper: one thread.
#include "sight.h"

#include <string.h>

static lf_grid *make_grid(const bench_field *field) {
    lf_grid *grid;
    lf_error error = {LF_OK, -1, ""};
    lf_grid_def def = lf_grid_def_default();
    def.samples.values = field->heights;
    def.samples.columns = def.samples.rows = field->samples;
    def.borrow = true;
    def.geotransform.per_column.x = def.geotransform.per_row.y = BENCH_SPACING;
    if (lf_grid_create(&def, &grid, &error) != LF_OK)
        bench_stop("lf_grid_create: %s", error.text);
    return grid;
}

static void bench_on(const bench_field *field, bench_report *report, sight_totals *totals) {
    printf("\n== %s: %lld x %lld samples, %.0f km a side, heights %.0f to %.0f m\n", field->name,
           (long long)field->samples, (long long)field->samples, bench_field_extent(field) / 1000.0,
           field->low, field->high);
    fflush(stdout);
    sight_rivals rivals = {.field = field, .share = lf_isa_best() >= LF_ISA_AVX512 ? 1.0 : 0.45};
    rivals.grid = make_grid(field);
    rivals.ground = lf_grid_ground(rivals.grid);
    rivals.triangles = bench_embree_open_field(field, false, NULL);
    bench_embree_build(rivals.triangles);
    sight_ask_lines(&rivals, report, totals);
    bench_embree_close(rivals.triangles);
    lf_grid_destroy(rivals.grid);
}

static void bench_kind(const char *kind, int64_t samples, bench_report *report, sight_totals *totals) {
    char name[64];
    bench_field field;
    snprintf(name, sizeof name, "lines %s %lld", kind, (long long)samples);
    if (!bench_wanted(report, name))
        return;
    if (strcmp(kind, "rough") == 0)
        bench_field_rough(&field, samples);
    else
        bench_field_landscape(&field, LF_LANDSCAPE_MOUNTAINS, samples);
    bench_on(&field, report, totals);
    bench_field_close(&field);
}

int main(int argc, char **argv) {
    bench_report report;
    bench_report_start(&report, argc, argv,
                       "Lines of sight against Embree and a published tree, one thread.");
    printf("landfall %s (%s) against %s\n%s\none thread, processor time, medians of %d rounds in turns\n",
           lf_version(), lf_isa_name(lf_isa_best()), bench_embree_name(), bench_machine(), report.rounds);
    sight_totals totals = {0, 0, 0, 0};
    const int64_t sizes[2] = {report.quick ? 257 : 1025, 4097};
    for (int k = 0; k < (report.quick ? 1 : 2); k++) {
        bench_kind("mountains", sizes[k], &report, &totals);
        bench_kind("rough", sizes[k], &report, &totals);
    }
    if (bench_wanted(&report, "paper"))
        sight_paper(&report);
    if (totals.checked > 0)
        bench_bar(&report, "sight-answers-right", 1.0 - (double)totals.wrong / (double)totals.checked, 1.0);
    if (totals.asked > 0)
        bench_bar(&report, "sight-same-verdicts", 1.0 - (double)totals.unequal / (double)totals.asked, 1.0);
    return bench_report_end(&report);
}
