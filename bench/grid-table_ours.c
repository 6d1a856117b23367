/// landfall's part of the heightmap table: the same heights, borrowed, the same cut of the cells.
#include "grid-table.h"

void table_open_ours(table_asker *asker, int leaf) {
    lf_grid_def def = lf_grid_def_default();
    def.samples.values = asker->map->heights;
    def.samples.columns = asker->map->samples;
    def.samples.rows = asker->map->samples;
    def.borrow = true;
    def.surface = LF_SURFACE_ALTERNATING;
    def.leaf = leaf;
    lf_error error = {LF_OK, -1, ""};
    if (lf_grid_create(&def, &asker->grid, &error) != LF_OK)
        bench_stop("lf_grid_create: %s", error.text);
    asker->ground = lf_grid_ground(asker->grid);
}

void table_run_ours(void *user) {
    table_asker *asker = user;
    lf_hit hit;
    for (int i = 0; i < asker->repeats; i++) {
        lf_ground_ray_first(asker->ground, &asker->ray, &hit, NULL);
        asker->answer.hit = hit.kind != LF_HIT_NONE;
        asker->answer.t = hit.t;
    }
}

void table_count_ours(table_asker *asker) {
    lf_cursor *cursor;
    lf_hit hit;
    if (lf_cursor_create(NULL, &cursor) != LF_OK)
        bench_stop("no memory for a cursor");
    lf_ground_ray_first(asker->ground, &asker->ray, &hit, cursor);
    lf_counters counters = lf_cursor_counters(cursor);
    lf_cursor_destroy(cursor);
    asker->answer.triangles = (int64_t)counters.triangles;
    asker->answer.nodes = (int64_t)counters.nodes;
    asker->answer.leaves = (int64_t)counters.cells;
}

void table_close_ours(table_asker *asker) {
    lf_grid_destroy(asker->grid);
}
