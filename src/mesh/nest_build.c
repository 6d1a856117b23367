/// Building the nested grid: which cells does each triangle enter, how many are there, and what goes into a leaf.
#include "base/base.h"
#include "geom/expansion.h"
#include "mesh/mesh.h"
#include "mesh/nest.h"
#include <string.h>

/// Top cells per triangle, triangles that a leaf takes, and cells of a grid within a cell per triangle in it.
#define TOP_CELLS 0.5
#define LEAF_TRIANGLES 64
#define GRID_CELLS 0.125
#define LARGEST_GRID 256
#define DEEPEST 4

/// A grid within a cell must not make more than this many references out of one.
#define MOST_COPIES 8

/// How far beyond its outline a triangle is entered into cells, in cells: more than rounding can move it.
#define SLACK 1e-9

/// A triangle that no gravity line meets: edge-on, or without area.
#define WALL 1u

typedef struct corner2 {
    double x, y;
} corner2;

typedef struct builder {
    lf__nest *nest;
    const lf_mesh *mesh;
    const lf_host *host;
    const lf_allocator *allocator;
    lf__array words;
    uint32_t *flags; ///< per triangle: LF__NEST_STEEP, LF__NEST_UNDER, WALL
    lf_status status;
    struct corner2 *hull; ///< in top cells
    int64_t hull_count;
    int64_t hull_row; ///< the row that these are for, in cells:
    double outer[2], inner[2];
} builder;

/// A grid being filled: its cells are square, in units of themselves from (x, y), which is in top cells.
typedef struct grid {
    double x, y, per_top; ///< cells of this grid per top cell
    int64_t columns, rows;
    uint32_t *starts; ///< per cell and one more: first its number of references, then where they begin
    uint32_t *references;
    int64_t reference_count;
} grid;

/// Called for each cell that a triangle enters.
typedef void enter_cell(grid *g, int64_t cell, uint32_t triangle);

static void count_cell(grid *g, int64_t cell, uint32_t triangle) {
    (void)triangle;
    g->starts[cell]++;
}

static void fill_cell(grid *g, int64_t cell, uint32_t triangle) {
    g->references[--g->starts[cell]] = triangle;
}

/// A triangle's corners, in the grid's cells.
static void corners_in(const builder *build, const grid *g, uint32_t triangle, corner2 corner[3]) {
    const lf_mesh *mesh = build->mesh;
    const lf__nest *nest = build->nest;
    for (int c = 0; c < 3; c++) {
        lf_vec3 local = lf__mesh_local(mesh, mesh->vertices[mesh->corners[3 * (size_t)triangle + (size_t)c]]);
        corner[c].x = ((local.x - nest->origin_x) * nest->per_metre - g->x) * g->per_top;
        corner[c].y = ((local.y - nest->origin_y) * nest->per_metre - g->y) * g->per_top;
    }
}

/// The span of x that a triangle has between two values of y; false when it has none.
static bool span_between(const corner2 corner[3], double low, double high, double *first, double *last) {
    *first = INFINITY;
    *last = -INFINITY;
    for (int c = 0; c < 3; c++) {
        corner2 a = corner[c], b = corner[c == 2 ? 0 : c + 1];
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

/// Every cell of the grid that a triangle enters, row by row.
static void enter_triangle(const builder *build, grid *g, uint32_t triangle, enter_cell *enter) {
    corner2 corner[3];
    corners_in(build, g, triangle, corner);
    double low = INFINITY, high = -INFINITY, reach = 1;
    for (int c = 0; c < 3; c++) {
        low = corner[c].y < low ? corner[c].y : low;
        high = corner[c].y > high ? corner[c].y : high;
        reach = fmax(reach, fmax(fabs(corner[c].x), fabs(corner[c].y)));
    }
    double slack = SLACK * reach + build->nest->blur * g->per_top;
    if (high + slack < 0 || low - slack >= (double)g->rows)
        return;
    int64_t last_row = cell_index(high + slack, g->rows);
    for (int64_t j = cell_index(low - slack, g->rows); j <= last_row; j++) {
        double first, last;
        if (!span_between(corner, (double)j - slack, (double)(j + 1) + slack, &first, &last))
            continue;
        if (last + slack < 0 || first - slack >= (double)g->columns)
            continue;
        int64_t last_column = cell_index(last + slack, g->columns);
        for (int64_t i = cell_index(first - slack, g->columns); i <= last_column; i++)
            enter(g, j * g->columns + i, triangle);
    }
}

/// Sort triangles into the grid's cells. `triangles` NULL: all of the mesh, but for walls.
static lf_status sort_into(builder *build, grid *g, const uint32_t *triangles, int64_t count) {
    int64_t cells = g->columns * g->rows, sum = 0;
    lf_status status = lf__take_array(build->allocator, cells + 1, sizeof *g->starts, (void **)&g->starts);
    if (status != LF_OK)
        return status;
    memset(g->starts, 0, (size_t)(cells + 1) * sizeof *g->starts);
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t i = 0; i < count; i++) {
            uint32_t triangle = triangles ? triangles[i] : (uint32_t)i;
            if (!(build->flags[triangle] & WALL))
                enter_triangle(build, g, triangle, pass == 0 ? count_cell : fill_cell);
        }
        if (pass == 1)
            break;
        for (int64_t cell = 0; cell <= cells; cell++) {
            sum += g->starts[cell];
            if (sum > UINT32_MAX)
                return LF_TOO_LARGE;
            g->starts[cell] = (uint32_t)sum;
        }
        g->reference_count = sum;
        status = lf__take_array(build->allocator, sum, sizeof *g->references, (void **)&g->references);
        if (status != LF_OK)
            return status;
    }
    return LF_OK;
}

static void free_grid(const builder *build, grid *g) {
    lf__give_array(build->allocator, g->references, g->reference_count, sizeof *g->references);
    lf__give_array(build->allocator, g->starts, g->columns * g->rows + 1, sizeof *g->starts);
}

/// The hull between two values of y: from where to where it reaches, in x.
static void hull_span(const builder *build, double low, double high, double span[2]) {
    span[0] = INFINITY;
    span[1] = -INFINITY;
    for (int64_t k = 0; k < build->hull_count; k++) {
        const corner2 ends[3] = {build->hull[k], build->hull[(k + 1) % build->hull_count], build->hull[k]};
        double first, last;
        if (!span_between(ends, low, high, &first, &last))
            continue;
        span[0] = fmin(span[0], first);
        span[1] = fmax(span[1], last);
    }
}

/// How a top cell lies to the hull, with a margin far beyond rounding, so that the two sure answers are sure. Grids within
/// a cell inherit its answer.
static uint32_t hull_code(builder *build, int64_t column, int64_t row) {
    const double margin = 1e-6;
    if (build->hull_row != row) {
        double at_low[2], at_high[2];
        double low = (double)row - margin, high = (double)(row + 1) + margin;
        hull_span(build, low, high, build->outer);
        hull_span(build, low, low, at_low);
        hull_span(build, high, high, at_high);
        build->inner[0] = fmax(at_low[0], at_high[0]);
        build->inner[1] = fmin(at_low[1], at_high[1]);
        build->hull_row = row;
    }
    double first = (double)column - margin, last = (double)(column + 1) + margin;
    if (last < build->outer[0] || first > build->outer[1])
        return LF__NEST_OUTSIDE;
    return first > build->inner[0] && last < build->inner[1] ? LF__NEST_INSIDE : LF__NEST_BORDER;
}

/// The corners of a cell's triangle around the cell's middle, counter-clockwise.
static void corners_around(const builder *build, const grid *g, uint32_t triangle, corner2 low,
                           corner2 corner[3]) {
    corner2 found[3];
    corners_in(build, g, triangle, found);
    bool under = build->flags[triangle] & LF__NEST_UNDER;
    for (int c = 0; c < 3; c++) {
        corner[c].x = found[under ? 2 - c : c].x - low.x - 0.5;
        corner[c].y = found[under ? 2 - c : c].y - low.y - 0.5;
    }
}

/// Units per cell, so that differences to a point of the cell fit; 0 where rounding on the way down to the cell is too much.
static float leaf_scale(const builder *build, const grid *g, double reach) {
    float scale = (float)((LF__NEST_REACH - 2) / (reach + 0.5));
    return build->nest->blur * g->per_top * (double)scale <= 0.01 ? scale : 0.0f;
}

/// A leaf of `count` triangles for one cell of a grid.
static uint32_t write_leaf(builder *build, const grid *g, const uint32_t *triangles, uint32_t count,
                           corner2 low, uint32_t code) {
    int64_t size = LF__NEST_HEAD + LF__NEST_WORDS * (int64_t)count;
    build->status = lf__array_reserve(&build->words, build->allocator, size, sizeof(uint32_t));
    if (build->status != LF_OK)
        return 0;
    uint32_t place = (uint32_t)build->words.count;
    uint32_t *leaf = (uint32_t *)build->words.items + place;
    corner2 kept[LEAF_TRIANGLES][3];
    double reach = 0.5;
    for (uint32_t i = 0; i < count; i++) {
        corner2 *corner = kept[i % LEAF_TRIANGLES];
        corners_around(build, g, triangles[i], low, corner);
        for (int c = 0; c < 3; c++)
            reach = fmax(reach, fmax(fabs(corner[c].x), fabs(corner[c].y)));
    }
    float scale = leaf_scale(build, g, reach);
    memcpy(leaf, &scale, sizeof scale);
    leaf[1] = count | code << LF__NEST_HULL_SHIFT;
    uint32_t *words = leaf + LF__NEST_HEAD;
    for (uint32_t i = 0; i < count; i++) {
        corner2 *corner = kept[i % LEAF_TRIANGLES];
        if (count > LEAF_TRIANGLES) // a pile: they did not all fit
            corners_around(build, g, triangles[i], low, corner);
        for (uint32_t c = 0; c < 3; c++)
            words[c * count + i] = lf__nest_pack(corner[c].x * (double)scale, corner[c].y * (double)scale);
        words[3 * count + i] = triangles[i] | build->flags[triangles[i]];
    }
    build->words.count += size;
    build->nest->leaf_count++;
    build->nest->reference_count += count;
    return count > LF__NEST_LANES ? place | LF__NEST_LONG : place;
}

static uint32_t make_cell(builder *build, const grid *g, int64_t cell, int depth, uint32_t code);

/// A grid within a cell, unless it would only multiply what is in it.
static bool make_grid(builder *build, const grid *g, const uint32_t *triangles, uint32_t count, corner2 low,
                      int depth, uint32_t code, uint32_t *entry) {
    int64_t m = (int64_t)ceil(sqrt((double)count * GRID_CELLS));
    m = m < 2 ? 2 : m > LARGEST_GRID ? LARGEST_GRID : m;
    grid inner = {.x = g->x + low.x / g->per_top,
                  .y = g->y + low.y / g->per_top,
                  .per_top = g->per_top * (double)m,
                  .columns = m,
                  .rows = m};
    build->status = sort_into(build, &inner, triangles, count);
    bool pays = build->status == LF_OK && inner.reference_count <= MOST_COPIES * (int64_t)count;
    if (pays) {
        int64_t place = build->words.count, size = (1 + m * m + 1) / 2 * 2; // places are even
        build->status = lf__array_reserve(&build->words, build->allocator, size, sizeof(uint32_t));
        if (build->status == LF_OK) {
            ((uint32_t *)build->words.items)[place + size - 1] = 0;
            build->words.count += size;
            ((uint32_t *)build->words.items)[place] = (uint32_t)m;
            *entry = LF__NEST_GRID | (uint32_t)place;
        }
        for (int64_t k = 0; build->status == LF_OK && k < m * m; k++) {
            uint32_t word = make_cell(build, &inner, k, depth + 1, code);
            ((uint32_t *)build->words.items)[place + 1 + k] = word;
        }
    }
    free_grid(build, &inner);
    return pays || build->status != LF_OK;
}

static uint32_t make_cell(builder *build, const grid *g, int64_t cell, int depth, uint32_t code) {
    uint32_t count = g->starts[cell + 1] - g->starts[cell];
    const uint32_t *triangles = g->references + g->starts[cell];
    int64_t column = cell % g->columns, row = cell / g->columns;
    corner2 low = {(double)column, (double)row};
    uint32_t entry = 0;
    if (depth > build->nest->depth)
        build->nest->depth = depth;
    if (build->words.count > INT32_MAX - 8 * (int64_t)count - LARGEST_GRID * LARGEST_GRID) {
        build->status = LF_TOO_LARGE;
        return 0;
    }
    if (count > LEAF_TRIANGLES && depth < DEEPEST &&
        make_grid(build, g, triangles, count, low, depth, code, &entry))
        return entry;
    return count == 0 ? code : write_leaf(build, g, triangles, count, low, code);
}

/// Are doubles good enough for the plane of a triangle a, a + e, a + f: for heights, and for its normal?
static bool plane_is_good(const lf__nest *nest, lf_vec3 a, lf_vec3 e, lf_vec3 f) {
    bool straight = nest->mesh->straight;
    double area = fabs(e.x * f.y - e.y * f.x), far = fabs(a.x) + fabs(a.y);
    double run = fmax(fmax(fabs(e.x), fabs(e.y)), fmax(fabs(f.x), fabs(f.y)));
    double rise = fmax(fabs(e.z), fabs(f.z));
    // Turning a frame rounds x, y and z; else they are as given.
    double place = straight ? 0 : 0x1p-50 * (far + fabs(a.z));
    // A gradient is a quotient of two differences of two products. It is off by this much, times the way from
    // the plane's place across the triangle.
    double gradient = 2 * rise * run / area, wrong = (0x1p-49 * run * run + 4 * run * place) / area;
    double bent = gradient * wrong + 4 * (rise + run) * place / area;
    double error = bent * (2 * run + 0x1p-23 * far) + gradient * (place + 0x1p-50 * run) +
                   0x1p-50 * (fabs(a.z) + rise) + 2 * place;
    return error < nest->tolerance && bent < 1e-10 * (1 + gradient);
}

/// The plane of one triangle in local coordinates.
static uint32_t make_plane(const builder *build, uint32_t triangle, lf__nest_plane *plane) {
    const lf_mesh *mesh = build->mesh;
    const uint32_t *c = mesh->corners + 3 * (size_t)triangle;
    lf_vec3 world[3] = {mesh->vertices[c[0]], mesh->vertices[c[1]], mesh->vertices[c[2]]};
    int facing = -lf_orient_line(world[0], mesh->frame.down, world[1], world[2]);
    *plane = (lf__nest_plane){0, 0, 0, 0, 0};
    if (facing == 0)
        return WALL;
    lf_vec3 a = lf__mesh_local(mesh, world[0]);
    lf_vec3 e = lf_vec3_sub(lf__mesh_local(mesh, world[1]), a),
            f = lf_vec3_sub(lf__mesh_local(mesh, world[2]), a);
    double area = e.x * f.y - e.y * f.x;
    plane->gx = (e.z * f.y - e.y * f.z) / area;
    plane->gy = (e.x * f.z - e.z * f.x) / area;
    plane->at_x = (float)a.x;
    plane->at_y = (float)a.y;
    plane->c = a.z - plane->gx * (a.x - (double)plane->at_x) - plane->gy * (a.y - (double)plane->at_y);
    return (facing < 0 ? LF__NEST_UNDER : 0) | (plane_is_good(build->nest, a, e, f) ? 0 : LF__NEST_STEEP);
}

static lf_status make_hull_cells(builder *build) {
    const lf__hull *hull = &build->mesh->hull;
    const lf__nest *nest = build->nest;
    lf_status status =
        lf__take_array(build->allocator, hull->count, sizeof *build->hull, (void **)&build->hull);
    for (int64_t i = 0; status == LF_OK && i < hull->count; i++) {
        lf_vec3 local = lf__mesh_local(build->mesh, hull->corners[i]);
        build->hull[i].x = (local.x - nest->origin_x) * nest->per_metre;
        build->hull[i].y = (local.y - nest->origin_y) * nest->per_metre;
    }
    build->hull_count = hull->count;
    build->hull_row = -1;
    return status;
}

static lf_status make_planes(builder *build) {
    lf__nest *nest = build->nest;
    int64_t count = build->mesh->triangle_count;
    lf_status status = lf__take_array(build->allocator, count, sizeof *nest->planes, (void **)&nest->planes);
    if (status == LF_OK)
        status = lf__take_array(build->allocator, count, sizeof *build->flags, (void **)&build->flags);
    for (int64_t i = 0; status == LF_OK && i < count; i++)
        build->flags[i] = make_plane(build, (uint32_t)i, &nest->planes[i]);
    return status;
}

/// Square cells over the box of the mesh, seen along gravity.
static void lay_out(builder *build) {
    lf__nest *nest = build->nest;
    const lf_mesh *mesh = build->mesh;
    lf_box box = lf_box_empty();
    for (int64_t i = 0; i < mesh->hull.count; i++)
        box = lf_box_with(box, lf__mesh_local(mesh, mesh->hull.corners[i]));
    double width = box.high.x - box.low.x, height = box.high.y - box.low.y;
    double longest = fmax(width, height), cells = TOP_CELLS * (double)mesh->triangle_count + 1;
    double size = sqrt(width * height / cells);
    size = fmax(size, longest / 1e6); // long and thin
    nest->per_metre = size > 0 ? 1 / size : 1;
    // A rim of a hundredth of a cell, for what rounding does to points on the border.
    nest->columns = (int64_t)(width * nest->per_metre + 0.02) + 1;
    nest->rows = (int64_t)(height * nest->per_metre + 0.02) + 1;
    nest->width = (double)nest->columns;
    nest->height = (double)nest->rows;
    nest->origin_x = box.low.x - 0.01 / nest->per_metre;
    nest->origin_y = box.low.y - 0.01 / nest->per_metre;
    double far =
        fmax(fabs(box.low.x) + fabs(box.low.y), fabs(box.high.x) + fabs(box.high.y)) + fabs(box.high.z);
    nest->blur = 0x1p-50 * (double)(nest->columns + nest->rows) +
                 (mesh->straight ? 0 : 0x1p-48 * far * nest->per_metre);
    nest->tolerance = 1e-10 * (1 + 1e-4 * (longest + fabs(mesh->box.low.z) + fabs(mesh->box.high.z)));
}

/// Give back what was reserved in vain. Kernels read whole groups of lanes, past the end too.
static lf_status trim(builder *build) {
    lf__array *words = &build->words;
    lf_status status = lf__array_reserve(words, build->allocator, 2 * LF__NEST_LANES, sizeof(uint32_t));
    if (status != LF_OK)
        return status;
    int64_t wanted = words->count + 2 * LF__NEST_LANES;
    void *items = build->allocator->resize(build->allocator->user, words->items,
                                           (size_t)words->capacity * sizeof(uint32_t),
                                           (size_t)wanted * sizeof(uint32_t), LF__CACHE_LINE);
    if (items) { // an allocator that cannot shrink a block may leave it as it is
        words->items = items;
        words->capacity = wanted;
    }
    return LF_OK;
}

lf_status lf__nest_build(lf__nest *nest, const lf_mesh *mesh, const lf_host *host) {
    builder build = {.nest = nest, .mesh = mesh, .host = host, .allocator = &mesh->allocator};
    *nest = (lf__nest){.mesh = mesh};
    lay_out(&build);
    grid top = {.per_top = 1, .columns = nest->columns, .rows = nest->rows};
    int64_t cells = top.columns * top.rows;
    lf_status status = make_planes(&build);
    if (status == LF_OK)
        status = make_hull_cells(&build);
    if (status == LF_OK)
        status = sort_into(&build, &top, NULL, mesh->triangle_count);
    if (status == LF_OK)
        status = lf__take_array(build.allocator, cells, sizeof *nest->top, (void **)&nest->top);
    if (status == LF_OK)
        status =
            lf__array_reserve(&build.words, build.allocator, 5 * top.reference_count + 64, sizeof(uint32_t));
    build.words.count = LF__NEST_FIRST;
    build.status = status;
    for (int64_t cell = 0; build.status == LF_OK && cell < cells; cell++) {
        nest->top[cell] =
            make_cell(&build, &top, cell, 0, hull_code(&build, cell % top.columns, cell / top.columns));
        if (cell % 65536 == 0 && !lf__report(host, "grid", cell, cells))
            build.status = LF_CANCELLED;
    }
    free_grid(&build, &top);
    lf__give_array(build.allocator, build.hull, build.hull_count, sizeof *build.hull);
    lf__give_array(build.allocator, build.flags, mesh->triangle_count, sizeof *build.flags);
    status = build.status;
    if (status == LF_OK)
        status = trim(&build);
    nest->words = build.words.items;
    nest->word_count = build.words.count;
    nest->word_capacity = build.words.capacity;
    if (status != LF_OK)
        lf__nest_free(nest, build.allocator);
    return status;
}

void lf__nest_free(lf__nest *nest, const lf_allocator *allocator) {
    if (!nest->mesh)
        return;
    lf__give_array(allocator, nest->words, nest->word_capacity, sizeof *nest->words);
    lf__give_array(allocator, nest->top, nest->columns * nest->rows, sizeof *nest->top);
    lf__give_array(allocator, nest->planes, nest->mesh->triangle_count, sizeof *nest->planes);
    *nest = (lf__nest){0};
}

size_t lf__nest_bytes(const lf__nest *nest) {
    if (!nest->mesh)
        return 0;
    return (size_t)nest->word_capacity * sizeof *nest->words +
           (size_t)(nest->columns * nest->rows) * sizeof *nest->top +
           (size_t)nest->mesh->triangle_count * sizeof *nest->planes;
}
