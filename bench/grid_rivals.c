/// Everybody who stands on a field: building, and what it takes.
#include "grid.h"

#include <stdlib.h>
#include <string.h>

/// Embree's triangles take 160 bytes a sample, and twice that while they are built.
#define TRIANGLES_MOST 5000

/// One grid to build, with the allocator that counts for it.
typedef struct grid_build {
    grid_rivals *rivals;
    int which;
} grid_build;

static void drop_grid(void *user) {
    grid_build *build = user;
    grid_rivals *rivals = build->rivals;
    lf_grid_destroy(rivals->grid[build->which]);
    rivals->ground[build->which] = NULL;
    rivals->grid[build->which] = NULL;
}

static void build_grid(void *user) {
    grid_build *build = user;
    grid_rivals *rivals = build->rivals;
    lf_grid_def def = lf_grid_def_default();
    def.host.allocator = &rivals->memory[build->which].allocator;
    def.samples.values = rivals->field->heights;
    def.samples.columns = rivals->field->samples;
    def.samples.rows = rivals->field->samples;
    def.borrow = true;
    def.geotransform.per_column.x = BENCH_SPACING;
    def.geotransform.per_row.y = BENCH_SPACING;
    def.leaf = build->which == FULL ? 1 : 0;
    lf_error error = {LF_OK, -1, ""};
    if (lf_grid_create(&def, &rivals->grid[build->which], &error) != LF_OK)
        bench_stop("lf_grid_create: %s", error.text);
    rivals->ground[build->which] = lf_grid_ground(rivals->grid[build->which]);
}

/// Objects ask for the instruction set when they are made.
static void hold_to(const char *isa) {
    if (isa)
        setenv("LANDFALL_ISA", isa, 1);
    else
        unsetenv("LANDFALL_ISA");
}

static void build_embree(void *user) {
    bench_embree_build(user);
}

static void build_bullet(void *user) {
    bench_bullet_build(user);
}

static void add_row(bench_table *table, const char *name, double seconds, double of_ours) {
    bench_table_row(table);
    bench_table_cell(table, "%s", name);
    bench_table_cell(table, "%.4f", seconds);
    bench_table_cell(table, "%.1f", of_ours);
}

static void add_bytes(bench_table *table, int64_t bytes, int64_t peak, double samples) {
    bench_table_cell(table, "%.2f", (double)bytes / samples);
    bench_table_cell(table, "%.2f", (double)peak / samples);
}

/// Triangles take long to build: many rounds only where that is no matter.
static double race_triangles(const grid_rivals *rivals) {
    const bench_contestant contestant = {"Embree triangles", NULL, build_embree, rivals->triangles};
    bench_times times;
    bench_race(&contestant, 1, rivals->field->samples > 2000 ? 1 : 3, false, &times);
    return times.seconds[0];
}

enum { BUILD_LEAN, BUILD_FULL, BUILD_PATCHES, BUILD_BULLET, BUILDERS };

static void report_build(const grid_rivals *rivals, const bench_contestant *contestants,
                         const bench_times *times, double triangles, bench_report *report) {
    static const char *const heads[] = {"structure",    "build s", "of landfall's",
                                        "bytes/sample", "peak",    NULL};
    bench_table *table = bench_take(1, sizeof *table);
    char title[160];
    snprintf(title, sizeof title, "%s: building; bytes beyond the heights (Embree: and beyond its vertices)",
             rivals->field->name);
    bench_table_start(table, title, heads);
    double samples = (double)(rivals->field->samples * rivals->field->samples);
    for (int i = 0; i < BUILDERS; i++) {
        add_row(table, contestants[i].name, times->seconds[i], times->ratio[i]);
        bench_embree_memory memory = bench_embree_describe(rivals->patches);
        if (i <= BUILD_FULL)
            add_bytes(table, rivals->memory[i].bytes, rivals->memory[i].peak, samples);
        else if (i == BUILD_PATCHES)
            add_bytes(table, memory.bytes, memory.peak, samples);
    }
    if (rivals->triangles) {
        bench_embree_memory memory = bench_embree_describe(rivals->triangles);
        add_row(table, "Embree triangles", triangles, triangles / times->seconds[BUILD_LEAN]);
        add_bytes(table, memory.bytes, memory.peak, samples);
        grid_speed_bar(rivals, report, "build", triangles / times->seconds[BUILD_LEAN],
                       rivals->field->samples > 2000 ? 50.0 : 20.0);
    }
    bench_table_end(table, report);
    free(table);
    grid_bar(rivals, report, "samples-per-byte", samples / (double)rivals->memory[LEAN].bytes, 1.0);
    grid_bar(rivals, report, "samples-per-byte-full", samples / (double)rivals->memory[FULL].bytes,
             1.0 / 3.0);
}

void grid_rivals_open(grid_rivals *rivals, const bench_field *field, const char *isa, bench_report *report) {
    memset(rivals, 0, sizeof *rivals);
    rivals->field = field;
    rivals->isa = isa;
    hold_to(isa);
    rivals->share = lf_isa_best() >= LF_ISA_AVX512 ? 1.0 : 0.45;
    grid_build builds[GRIDS];
    for (int i = 0; i < GRIDS; i++) {
        bench_memory_start(&rivals->memory[i], true);
        builds[i].rivals = rivals;
        builds[i].which = i;
    }
    rivals->patches = bench_embree_open_field(field, true, isa);
    rivals->bullet = bench_bullet_open(field);
    const bench_contestant contestants[BUILDERS] = {
        [BUILD_LEAN] = {"landfall", drop_grid, build_grid, &builds[LEAN]},
        [BUILD_FULL] = {"landfall, leaf 1", drop_grid, build_grid, &builds[FULL]},
        [BUILD_PATCHES] = {"Embree grid", NULL, build_embree, rivals->patches},
        [BUILD_BULLET] = {bench_bullet_name(), NULL, build_bullet, rivals->bullet}};
    bench_times times;
    bench_race(contestants, BUILDERS, report->rounds < 3 ? report->rounds : 3, true, &times);
    hold_to("scalar");
    build_grid(&builds[SCALAR]);
    hold_to(isa);
    double triangles = 0.0;
    if (field->samples <= TRIANGLES_MOST) {
        rivals->triangles = bench_embree_open_field(field, false, isa);
        triangles = race_triangles(rivals);
    }
    report_build(rivals, contestants, &times, triangles, report);
}

void grid_rivals_close(grid_rivals *rivals) {
    bench_embree_close(rivals->triangles);
    bench_bullet_close(rivals->bullet);
    bench_embree_close(rivals->patches);
    for (int i = 0; i < GRIDS; i++) {
        lf_grid_destroy(rivals->grid[i]);
    }
}

static void add_bar(const grid_rivals *rivals, bench_report *report, const char *what, const double bar[3]) {
    char name[160];
    snprintf(name, sizeof name, "grid-%s-%s%s%s", rivals->field->name, what, rivals->isa ? "-" : "",
             rivals->isa ? rivals->isa : "");
    for (char *at = name; *at; at++)
        *at = *at == ' ' ? '-' : *at;
    bench_bar_relaxed(report, name, bar[0], bar[1], bar[2]);
}

void grid_bar(const grid_rivals *rivals, bench_report *report, const char *what, double measured,
              double wanted) {
    add_bar(rivals, report, what, (double[]){measured, wanted, 1.0});
}

void grid_speed_bar(const grid_rivals *rivals, bench_report *report, const char *what, double measured,
                    double wanted) {
    add_bar(rivals, report, what, (double[]){measured, wanted, rivals->share});
}
