/// Bounds against a copy of the samples: what building costs beside reading and writing memory once.
#include "grid.h"

#include <stdlib.h>
#include <string.h>

/// Bounds of 16 cells are those that one viewshed needs.
enum { BOUNDS_DEFAULT, BOUNDS_SWEEP, BOUNDS_COPY, BOUNDS };

typedef struct bounds_build {
    const bench_field *field;
    bench_memory memory;
    lf_grid *grid;
    int leaf;
    float *copy;
} bounds_build;

static void bounds_drop(void *user) {
    bounds_build *build = user;
    lf_grid_destroy(build->grid);
    build->grid = NULL;
}

static void bounds_make(void *user) {
    bounds_build *build = user;
    lf_grid_def def = lf_grid_def_default();
    def.host.allocator = &build->memory.allocator;
    def.samples.values = build->field->heights;
    def.samples.columns = build->field->samples;
    def.samples.rows = build->field->samples;
    def.borrow = true;
    def.leaf = build->leaf;
    lf_error error = {LF_OK, -1, ""};
    if (lf_grid_create(&def, &build->grid, &error) != LF_OK)
        bench_stop("lf_grid_create: %s", error.text);
}

static void bounds_copy(void *user) {
    bounds_build *build = user;
    size_t bytes = (size_t)(build->field->samples * build->field->samples) * sizeof *build->copy;
    memcpy(build->copy, build->field->heights, bytes);
}

void grid_ask_bounds(const bench_field *field, bench_report *report) {
    static const char *const heads[] = {"what", "ms", "of memcpy", NULL};
    bounds_build builds[BOUNDS] = {[BOUNDS_SWEEP] = {.leaf = 16}};
    for (int i = 0; i < BOUNDS; i++) {
        builds[i].field = field;
        bench_memory_start(&builds[i].memory, true);
    }
    size_t bytes = (size_t)(field->samples * field->samples) * sizeof *field->heights;
    const lf_allocator *allocator = &builds[BOUNDS_COPY].memory.allocator;
    builds[BOUNDS_COPY].copy = allocator->resize(allocator->user, NULL, 0, bytes, 64);
    if (!builds[BOUNDS_COPY].copy)
        bench_stop("no memory for a copy");
    const bench_contestant contestants[BOUNDS] = {
        [BOUNDS_DEFAULT] = {"bounds", bounds_drop, bounds_make, &builds[BOUNDS_DEFAULT]},
        [BOUNDS_SWEEP] = {"bounds, leaf 16", bounds_drop, bounds_make, &builds[BOUNDS_SWEEP]},
        [BOUNDS_COPY] = {"memcpy", NULL, bounds_copy, &builds[BOUNDS_COPY]}};
    bench_times times;
    bench_race(contestants, BOUNDS, report->rounds, true, &times);
    bench_table *table = bench_take(1, sizeof *table);
    char title[160];
    snprintf(title, sizeof title, "%s: bounds of borrowed samples", field->name);
    bench_table_start(table, title, heads);
    for (int i = 0; i < BOUNDS; i++) {
        bench_table_row(table);
        bench_table_cell(table, "%s", contestants[i].name);
        bench_table_cell(table, "%.2f", 1e3 * times.seconds[i]);
        bench_table_cell(table, "%.2f", times.seconds[i] / times.seconds[BOUNDS_COPY]);
    }
    bench_table_end(table, report);
    free(table);
    // Four copies, over what building takes.
    bench_bar(report, "grid-bounds-4-copies", 4 * times.ratio[BOUNDS_COPY], 1.0);
    bench_bar(report, "grid-bounds-4-copies-leaf-16",
              4 * times.ratio[BOUNDS_COPY] / times.ratio[BOUNDS_SWEEP], 1.0);
    allocator->resize(allocator->user, builds[BOUNDS_COPY].copy, bytes, 0, 64);
    for (int i = 0; i < BOUNDS; i++)
        lf_grid_destroy(builds[i].grid);
}
