/// Grids against Embree and Bullet: rays and heights on the same surface, one thread.
#include "grid.h"

static bool field_wanted(const bench_report *report, const char *name) {
    static const char *const asked[] = {"random", "camera", "diagonal", "heights"};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        char full[160];
        snprintf(full, sizeof full, "%s %s", name, asked[i]);
        if (bench_wanted(report, full))
            return true;
    }
    return false;
}

/// Large fields take most of the time and, being slower, are less noisy.
static int rounds_on_large(int rounds) {
    return (3 * rounds + 4) / 5;
}

/// One field with one instruction set.
static void bench_held(const bench_field *field, const char *isa, bench_report *report, grid_totals *totals) {
    printf("\n== %s%s%s: %lld x %lld samples, %.0f km a side, heights %.0f to %.0f m\n", field->name,
           isa ? ", held to " : "", isa ? isa : "", (long long)field->samples, (long long)field->samples,
           bench_field_extent(field) / 1000.0, field->low, field->high);
    fflush(stdout);
    int rounds = report->rounds;
    report->rounds = field->samples > 2000 ? rounds_on_large(rounds) : rounds;
    grid_rivals rivals;
    grid_rivals_open(&rivals, field, isa, report);
    grid_ask_rays(&rivals, report, totals);
    grid_ask_heights(&rivals, report, totals);
    grid_rivals_close(&rivals);
    report->rounds = rounds;
}

static void bench_rough(int64_t samples, bench_report *report, grid_totals *totals) {
    char name[64];
    snprintf(name, sizeof name, "rough %lld", (long long)samples);
    if (!field_wanted(report, name))
        return;
    bench_field field;
    bench_field_rough(&field, samples);
    bench_held(&field, NULL, report, totals);
    bench_field_close(&field);
}

static void bench_land(lf_landscape landscape, int64_t samples, bool also_avx2, bench_report *report,
                       grid_totals *totals) {
    char name[64];
    snprintf(name, sizeof name, "%s %lld", lf_landscape_name(landscape), (long long)samples);
    if (!field_wanted(report, name))
        return;
    bench_field field;
    bench_field_landscape(&field, landscape, samples);
    bench_held(&field, NULL, report, totals);
    if (also_avx2)
        bench_held(&field, "avx2", report, totals);
    bench_field_close(&field);
}

static void bench_dem(bench_report *report, grid_totals *totals) {
    bench_field field;
    if (!field_wanted(report, "dem") || !bench_field_hgt(&field, "dem", "dem/N44W072.hgt"))
        return;
    bench_held(&field, NULL, report, totals);
    bench_field_close(&field);
}

static void bench_bounds(int64_t samples, bench_report *report) {
    char name[64];
    snprintf(name, sizeof name, "bounds %lld", (long long)samples);
    if (!bench_wanted(report, name))
        return;
    bench_field field;
    bench_field_landscape(&field, LF_LANDSCAPE_MOUNTAINS, samples);
    grid_ask_bounds(&field, report);
    bench_field_close(&field);
}

static void bench_all(bench_report *report, grid_totals *totals) {
    bool wider = lf_isa_best() > LF_ISA_AVX2;
    bench_bounds(report->quick ? 257 : 4097, report);
    if (bench_wanted(report, "growth"))
        grid_ask_growth(report->quick ? (const int64_t[]){129, 513} : (const int64_t[]){1025, 8193}, report);
    if (report->quick) {
        bench_land(LF_LANDSCAPE_MOUNTAINS, 257, wider, report, totals);
        bench_rough(257, report, totals);
        return;
    }
    const int64_t sizes[] = {1025, 4097};
    for (int i = 0; i < 2; i++) {
        bench_land(LF_LANDSCAPE_MOUNTAINS, sizes[i], wider, report, totals);
        bench_land(LF_LANDSCAPE_HILLS, sizes[i], false, report, totals);
        bench_rough(sizes[i], report, totals);
    }
    bench_dem(report, totals);
    if (report->large)
        bench_land(LF_LANDSCAPE_MOUNTAINS, 8193, false, report, totals);
}

int main(int argc, char **argv) {
    bench_report report;
    bench_report_start(&report, argc, argv, "Grids against Embree and Bullet: rays and heights, one thread.");
    lf_isa isa = lf_isa_best();
    printf("landfall %s (%s) against %s and %s\n%s\none thread, processor time, medians of %d rounds in "
           "turns, %d on large fields\n",
           lf_version(), lf_isa_name(isa), bench_embree_name(), bench_bullet_name(), bench_machine(),
           report.rounds, rounds_on_large(report.rounds));
    if (isa == LF_ISA_AVX2)
        puts("nothing here is wider than AVX2: every table is one with everybody held to AVX2");
    grid_totals totals = {0, 0, 0, 0};
    bench_all(&report, &totals);
    if (totals.compared == 0 && report.bar_count == 0)
        bench_stop("nothing has \"%s\" in its name", report.only ? report.only : "");
    putchar('\n');
    if (totals.checked > 0)
        bench_bar(&report, "grid-answers-right", 1.0 - (double)totals.wrong / (double)totals.checked, 1.0);
    if (totals.compared > 0)
        bench_bar(&report, "grid-same-bits", 1.0 - (double)totals.unequal / (double)totals.compared, 1.0);
    return bench_report_end(&report);
}
