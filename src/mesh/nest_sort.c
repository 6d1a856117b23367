/// Which cells of a grid does each triangle enter, and what is in each cell?
#include "base/base.h"
#include "mesh/nest_build.h"
#include <string.h>

/// How far beyond its outline a triangle is entered into cells, in cells: more than rounding can move it.
#define SLACK 1e-9

typedef lf__nest_builder builder;
typedef lf__nest_grid grid;

/// Count, and note what is to be put there.
static void note_cell(grid *g, int64_t cell, uint32_t tagged) {
    builder *build = g->user;
    lf__array *entries = &build->entries;
    if (build->status == LF_OK)
        build->status = lf__array_reserve(entries, build->allocator, 1, sizeof(lf__nest_entry));
    if (build->status != LF_OK)
        return;
    ((lf__nest_entry *)entries->items)[entries->count++] = (lf__nest_entry){(uint32_t)cell, tagged};
    g->starts[cell]++;
}

lf_vec2 lf__nest_seen(const lf__nest *nest, const lf_mesh *mesh, uint32_t vertex) {
    lf_vec3 local = lf__mesh_local(mesh, mesh->vertices[vertex]);
    return (lf_vec2){(local.x - nest->origin_x) * nest->per_metre,
                     (local.y - nest->origin_y) * nest->per_metre};
}

void lf__nest_corners(const builder *build, const grid *g, uint32_t tagged, lf_vec2 corner[3]) {
    const uint32_t *vertex = build->mesh->corners + 3 * (size_t)(tagged & LF__NEST_NUMBER);
    for (int c = 0; c < 3; c++) {
        uint32_t number = vertex[c] & ~LF__MESH_GONE;
        lf_vec2 seen = build->seen ? build->seen[number] : lf__nest_seen(build->nest, build->mesh, number);
        corner[c].x = (seen.x - g->x) * g->per_top;
        corner[c].y = (seen.y - g->y) * g->per_top;
    }
}

bool lf__nest_span(const lf_vec2 corner[3], double low, double high, double *first, double *last) {
    *first = INFINITY;
    *last = -INFINITY;
    for (int c = 0; c < 3; c++) {
        lf_vec2 a = corner[c], b = corner[c == 2 ? 0 : c + 1];
        double ends[3] = {a.x, NAN, NAN};
        if (a.y < low || a.y > high)
            ends[0] = NAN;
        if ((a.y < low) != (b.y < low))
            ends[1] = a.x + (b.x - a.x) * ((low - a.y) / (b.y - a.y));
        if ((a.y > high) != (b.y > high))
            ends[2] = a.x + (b.x - a.x) * ((high - a.y) / (b.y - a.y));
        for (int k = 0; k < 3; k++) {
            *first = ends[k] < *first ? ends[k] : *first;
            *last = ends[k] > *last ? ends[k] : *last;
        }
    }
    return *first <= *last;
}

static int64_t cell_index(double x, int64_t count) {
    return x <= 0 ? 0 : x >= (double)count ? count - 1 : (int64_t)x;
}

/// The cells from one column to another, in one row.
static void enter_row(grid *g, int64_t row, double first, double last, uint32_t tagged,
                      lf__nest_enter_cell *enter) {
    if (last < 0 || first >= (double)g->columns)
        return;
    int64_t last_column = cell_index(last, g->columns);
    for (int64_t i = cell_index(first, g->columns); i <= last_column; i++)
        enter(g, row * g->columns + i, tagged);
}

void lf__nest_enter(const builder *build, grid *g, uint32_t tagged, lf__nest_enter_cell *enter) {
    lf_vec2 corner[3], low, high;
    lf__nest_corners(build, g, tagged, corner);
    low = high = corner[0];
    for (int c = 1; c < 3; c++) {
        low.x = corner[c].x < low.x ? corner[c].x : low.x;
        low.y = corner[c].y < low.y ? corner[c].y : low.y;
        high.x = lf__nest_larger(high.x, corner[c].x);
        high.y = lf__nest_larger(high.y, corner[c].y);
    }
    double reach =
        lf__nest_larger(lf__nest_larger(1, lf__nest_larger(-low.x, high.x)), lf__nest_larger(-low.y, high.y));
    double slack = SLACK * reach + build->nest->blur * g->per_top;
    if (high.y + slack < 0 || low.y - slack >= (double)g->rows)
        return;
    int64_t row = cell_index(low.y - slack, g->rows), last_row = cell_index(high.y + slack, g->rows);
    // Within the grid, and in a single row or a single column of it, nothing has to be cut.
    bool within = low.x - slack >= 0 && low.y - slack >= 0 && high.x + slack < (double)g->columns &&
                  high.y + slack < (double)g->rows;
    bool narrow = within && (row == last_row || (int64_t)(low.x - slack) == (int64_t)(high.x + slack));
    for (; row <= last_row; row++) {
        double first = low.x, last = high.x;
        if (narrow || lf__nest_span(corner, (double)row - slack, (double)(row + 1) + slack, &first, &last))
            enter_row(g, row, first - slack, last + slack, tagged, enter);
    }
}

void lf__nest_fetch(const builder *build, uint32_t tagged) {
    const uint32_t *vertex = build->mesh->corners + 3 * (size_t)(tagged & LF__NEST_NUMBER);
    for (int c = 0; build->seen && c < 3; c++)
        __builtin_prefetch(&build->seen[vertex[c] & ~LF__MESH_GONE]);
}

/// Find the cells of tagged triangles. NULL: all of the mesh, but for walls.
static void note_cells(builder *build, grid *g, const uint32_t *triangles, int64_t count) {
    build->entries.count = 0;
    g->user = build;
    for (int64_t i = 0; i < count; i++) {
        uint32_t flags = triangles ? 0 : build->flags[i];
        if (i + LF__NEST_SOON < count)
            lf__nest_fetch(build, triangles ? triangles[i + LF__NEST_SOON] : (uint32_t)(i + LF__NEST_SOON));
        if (!(flags & LF__NEST_WALL))
            lf__nest_enter(build, g, triangles ? triangles[i] : (uint32_t)i | flags, note_cell);
    }
}

lf_status lf__nest_sort(builder *build, grid *g, const uint32_t *triangles, int64_t count) {
    int64_t cells = g->columns * g->rows, sum = 0;
    if (cells > INT32_MAX)
        return LF_TOO_LARGE;
    lf_status status = lf__take_array(build->allocator, cells + 1, sizeof *g->starts, (void **)&g->starts);
    if (status != LF_OK)
        return status;
    memset(g->starts, 0, (size_t)(cells + 1) * sizeof *g->starts);
    note_cells(build, g, triangles, count);
    if (build->status != LF_OK)
        return build->status;
    if (build->entries.count > UINT32_MAX)
        return LF_TOO_LARGE;
    for (int64_t cell = 0; cell <= cells; cell++) {
        sum += g->starts[cell];
        g->starts[cell] = (uint32_t)sum;
    }
    g->reference_count = sum;
    build->work.cells += 2 * sum + cells;
    status = lf__take_array(build->allocator, sum, sizeof *g->references, (void **)&g->references);
    const lf__nest_entry *entries = build->entries.items;
    for (int64_t i = 0; status == LF_OK && i < sum; i++)
        g->references[--g->starts[entries[i].cell]] = entries[i].tagged;
    return status;
}

void lf__nest_free_grid(const builder *build, grid *g) {
    lf__give_array(build->allocator, g->references, g->reference_count, sizeof *g->references);
    lf__give_array(build->allocator, g->starts, g->columns * g->rows + 1, sizeof *g->starts);
}
