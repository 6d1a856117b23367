/// Building the nested grid: how many cells there are, and what goes into each.
#include "mesh/nest_build.h"
#include "base/base.h"
#include "geom/expansion.h"
#include <string.h>

/// Top cells per triangle, and cells of a grid within a cell per triangle in it.
#define TOP_CELLS 0.5
#define GRID_CELLS 0.125
#define LARGEST_GRID 256

/// A grid within a cell must not make more than this many references out of one.
#define MOST_COPIES 8

/// More top cells than this do not stay in a cache of the second level.
#define MANY_CELLS (1 << 16)

typedef lf__nest_builder builder;
typedef lf__nest_grid grid;
typedef lf_vec2 corner2;

/// The hull between two values of y: from where to where it reaches, in x.
static void hull_span(const builder *build, double low, double high, double span[2]) {
    span[0] = INFINITY;
    span[1] = -INFINITY;
    for (int64_t k = 0; k < build->hull_count; k++) {
        const corner2 ends[3] = {build->hull[k], build->hull[(k + 1) % build->hull_count], build->hull[k]};
        double first, last;
        if (!lf__nest_span(ends, low, high, &first, &last))
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

/// Words for a leaf or a grid: behind the last ones, or where an edit has left some.
static bool take_words(builder *build, int64_t wanted, uint32_t *place) {
    int64_t count = lf__nest_even(wanted);
    if (build->taken) {
        build->status = lf__nest_take_block(build, count, place);
        return build->status == LF_OK;
    }
    *place = (uint32_t)build->words.count;
    build->status = build->words.count > INT32_MAX - count
                        ? LF_TOO_LARGE
                        : lf__array_reserve(&build->words, build->allocator, count, sizeof(uint32_t));
    build->words.count += count;
    return build->status == LF_OK;
}

/// The corners of a cell's triangle around the cell's middle, counter-clockwise.
static void corners_around(const builder *build, const grid *g, uint32_t triangle, corner2 low,
                           corner2 corner[3]) {
    corner2 found[3];
    lf__nest_corners(build, g, triangle, found);
    bool under = triangle & LF__NEST_UNDER;
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
    uint32_t place;
    if (!take_words(build, LF__NEST_HEAD + LF__NEST_WORDS * (int64_t)count, &place))
        return 0;
    uint32_t *leaf = (uint32_t *)build->words.items + place;
    corner2 kept[LF__NEST_LEAF_TRIANGLES][3];
    double reach = 0.5;
    for (uint32_t i = 0; i < count; i++) {
        corner2 *corner = kept[i % LF__NEST_LEAF_TRIANGLES];
        corners_around(build, g, triangles[i], low, corner);
        for (int c = 0; c < 3; c++)
            reach = lf__nest_larger(reach, lf__nest_larger(fabs(corner[c].x), fabs(corner[c].y)));
    }
    float scale = leaf_scale(build, g, reach);
    memcpy(leaf, &scale, sizeof scale);
    leaf[1] = count | code << LF__NEST_HULL_SHIFT;
    uint32_t *words = leaf + LF__NEST_HEAD;
    for (uint32_t i = 0; i < count; i++) {
        corner2 *corner = kept[i % LF__NEST_LEAF_TRIANGLES];
        if (count > LF__NEST_LEAF_TRIANGLES) // a pile: they did not all fit
            corners_around(build, g, triangles[i], low, corner);
        for (uint32_t c = 0; c < 3; c++)
            words[c * count + i] = lf__nest_pack(corner[c].x * (double)scale, corner[c].y * (double)scale);
        words[3 * count + i] = triangles[i];
    }
    build->nest->leaf_count++;
    build->nest->reference_count += count;
    build->work.references += count;
    return count > LF__NEST_LANES ? place | LF__NEST_LONG : place;
}

grid lf__nest_inner(const grid *g, corner2 low, int64_t m) {
    grid inner = {.x = g->x + low.x / g->per_top,
                  .y = g->y + low.y / g->per_top,
                  .per_top = g->per_top * (double)m,
                  .columns = m,
                  .rows = m};
    return inner;
}

static uint32_t make_inner_cell(builder *build, const grid *g, int64_t cell, int depth, uint32_t code) {
    corner2 low = {(double)(cell % g->columns), (double)(cell / g->columns)};
    lf__nest_content content = {g->references + g->starts[cell], g->starts[cell + 1] - g->starts[cell], depth,
                                code};
    return lf__nest_make_cell(build, g, low, &content);
}

/// A grid within a cell, unless it would only multiply what is in it.
static bool make_grid(builder *build, const grid *g, corner2 low, const lf__nest_content *content,
                      uint32_t *entry) {
    int64_t m = (int64_t)ceil(sqrt((double)content->count * GRID_CELLS));
    m = m < 2 ? 2 : m > LARGEST_GRID ? LARGEST_GRID : m;
    grid inner = lf__nest_inner(g, low, m);
    build->status = lf__nest_sort(build, &inner, content->triangles, content->count);
    bool pays = build->status == LF_OK && inner.reference_count <= MOST_COPIES * (int64_t)content->count;
    uint32_t place;
    if (pays && take_words(build, LF__NEST_HEADER + 1 + m * m, &place)) {
        int64_t before = build->nest->reference_count;
        place += LF__NEST_HEADER;
        ((uint32_t *)build->words.items)[place] = (uint32_t)m;
        for (int64_t k = 0; build->status == LF_OK && k < m * m; k++) {
            uint32_t word = make_inner_cell(build, &inner, k, content->depth + 1, content->code);
            ((uint32_t *)build->words.items)[place + 1 + k] = word;
        }
        uint32_t *header = (uint32_t *)build->words.items + place - LF__NEST_HEADER;
        header[0] = header[1] = (uint32_t)(build->nest->reference_count - before);
        *entry = LF__NEST_GRID | place;
    }
    lf__nest_free_grid(build, &inner);
    return pays || build->status != LF_OK;
}

uint32_t lf__nest_make_cell(builder *build, const grid *g, corner2 low, const lf__nest_content *content) {
    uint32_t entry = 0;
    if (content->depth > build->nest->depth)
        build->nest->depth = content->depth;
    if (content->count > LF__NEST_LEAF_TRIANGLES && content->depth < LF__NEST_DEEPEST &&
        make_grid(build, g, low, content, &entry))
        return entry;
    if (content->count == 0)
        return content->code;
    return write_leaf(build, g, content->triangles, content->count, low, content->code);
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

/// All vertices as seen along gravity: a build needs each a dozen times.
static lf_status see_vertices(builder *build) {
    int64_t count = build->mesh->vertex_count;
    lf_status status = lf__take_array(build->allocator, count, sizeof *build->seen, (void **)&build->seen);
    for (int64_t i = 0; status == LF_OK && i < count; i++)
        build->seen[i] = lf__nest_seen(build->nest, build->mesh, (uint32_t)i);
    return status;
}

static lf_status make_planes(builder *build) {
    lf__nest *nest = build->nest;
    int64_t count = build->mesh->triangle_count;
    lf_status status = LF_OK;
    lf__nest_plane room;
    if (!build->mesh->compact) {
        status = lf__take_array(build->allocator, count, sizeof *nest->planes, (void **)&nest->planes);
        nest->plane_room = count;
    }
    if (status == LF_OK)
        status = lf__take_array(build->allocator, count, sizeof *build->flags, (void **)&build->flags);
    for (int64_t i = 0; status == LF_OK && i < count; i++)
        build->flags[i] =
            lf__mesh_gone(build->mesh, i)
                ? LF__NEST_WALL
                : lf__nest_make_plane(nest, build->mesh, i, nest->planes ? &nest->planes[i] : &room);
    build->work.triangles += count;
    return status;
}

static double largest(double low, double high) {
    return fmax(fabs(low), fabs(high));
}

double lf__nest_far(const lf_mesh *mesh) {
    const lf_box *box = &mesh->box;
    lf_vec3 o = mesh->frame.origin;
    return largest(box->low.x, box->high.x) + largest(box->low.y, box->high.y) +
           largest(box->low.z, box->high.z) + fabs(o.x) + fabs(o.y) + fabs(o.z);
}

/// Square cells over the box of the mesh, seen along gravity.
static void lay_out(builder *build, double margin) {
    lf__nest *nest = build->nest;
    const lf_mesh *mesh = build->mesh;
    lf_box box = lf_box_empty();
    for (int64_t i = 0; i < mesh->hull.count; i++)
        box = lf_box_with(box, lf__mesh_local(mesh, mesh->hull.corners[i]));
    double width = box.high.x - box.low.x, height = box.high.y - box.low.y;
    double longest = fmax(width, height),
           cells = TOP_CELLS * (double)(mesh->triangle_count - mesh->gone_triangles) + 1;
    double size = sqrt(width * height / cells);
    size = fmax(size, longest / fmin(1e6, 4 * cells)); // long and thin: no more cells for that
    nest->per_metre = size > 1e-300 ? 1 / size : 1;    // below that the inverse may be infinite
    box.low.x -= margin * longest;
    box.low.y -= margin * longest;
    width += 2 * margin * longest;
    height += 2 * margin * longest;
    // A rim of a hundredth of a cell, for what rounding does to points on the border.
    nest->columns = (int64_t)(width * nest->per_metre + 0.02) + 1;
    nest->rows = (int64_t)(height * nest->per_metre + 0.02) + 1;
    nest->width = (double)nest->columns;
    nest->height = (double)nest->rows;
    nest->origin_x = box.low.x - 0.01 / nest->per_metre;
    nest->origin_y = box.low.y - 0.01 / nest->per_metre;
    nest->span = 0.5 * fmax(nest->width, nest->height) / nest->per_metre;
    nest->middle_x = nest->origin_x + 0.5 * nest->width / nest->per_metre;
    nest->middle_y = nest->origin_y + 0.5 * nest->height / nest->per_metre;
    nest->entrance = (lf__nest_entrance){.origin = {nest->origin_x, nest->origin_y},
                                         .per_metre = {nest->per_metre, nest->per_metre},
                                         .size = {nest->width, nest->height},
                                         .columns = nest->width,
                                         .middle = {nest->middle_x, nest->middle_y}};
    nest->far = 2 * lf__nest_far(mesh);
    nest->blur = 0x1p-50 * (double)(nest->columns + nest->rows) +
                 (mesh->straight ? 0 : 0x1p-49 * nest->far * nest->per_metre);
    nest->tolerance = 1e-10 * (1 + 1e-4 * (longest + fabs(mesh->box.low.z) + fabs(mesh->box.high.z)));
}

grid lf__nest_top(const lf__nest *nest) {
    grid top = {.per_top = 1, .columns = nest->columns, .rows = nest->rows};
    return top;
}

/// Give back the words that are not used, but for those that kernels read behind the last leaf.
static lf_status finish_words(builder *build) {
    lf__nest *nest = build->nest;
    const lf_allocator *allocator = build->allocator;
    lf__array *words = &build->words;
    int64_t needed = words->count + LF__NEST_SPARE;
    lf_status status = lf__array_reserve(words, allocator, LF__NEST_SPARE, sizeof(uint32_t));
    if (status == LF_OK && words->capacity > needed) {
        void *trimmed =
            allocator->resize(allocator->user, words->items, (size_t)words->capacity * sizeof(uint32_t),
                              (size_t)needed * sizeof(uint32_t), LF__CACHE_LINE);
        if (trimmed) {
            words->items = trimmed;
            words->capacity = needed;
        }
    }
    nest->words = words->items;
    nest->word_count = words->count;
    nest->word_capacity = words->capacity;
    nest->blocks.built = words->count;
    nest->built_references = nest->reference_count;
    return status;
}

/// What the top cells of each line have in common. Where all of them fit into a cache there is nothing to gain, but a second branch
/// to guess: then no line says anything.
static lf_status draw_lines(builder *build) {
    lf__nest *nest = build->nest;
    int64_t cells = nest->columns * nest->rows;
    lf_status status =
        lf__take_array(build->allocator, LF__NEST_LINES(cells), sizeof *nest->lines, (void **)&nest->lines);
    for (int64_t cell = 0; status == LF_OK && cell < cells; cell++) {
        uint8_t *line = &nest->lines[cell >> LF__NEST_LINE_SHIFT];
        bool empty = cells > MANY_CELLS && nest->top[cell] <= LF__NEST_OUTSIDE;
        uint32_t code = empty ? nest->top[cell] : LF__NEST_BORDER;
        bool first = (cell & ((1 << LF__NEST_LINE_SHIFT) - 1)) == 0;
        *line = first || *line == code ? (uint8_t)code : LF__NEST_BORDER;
    }
    return status;
}

lf_status lf__nest_build(lf__nest *nest, const lf_mesh *mesh, const lf_host *host, double margin) {
    builder build = {.nest = nest, .mesh = mesh, .host = host, .allocator = &mesh->allocator};
    *nest = (lf__nest){.mesh = mesh, .doubted = 1u << LF__NEST_BORDER};
    lay_out(&build, margin);
    grid top = lf__nest_top(nest);
    int64_t cells = top.columns * top.rows;
    lf_status status = make_planes(&build);
    if (status == LF_OK)
        status = see_vertices(&build);
    if (status == LF_OK)
        status = make_hull_cells(&build);
    if (status == LF_OK)
        status = lf__nest_sort(&build, &top, NULL, mesh->triangle_count);
    if (status == LF_OK)
        status = lf__take_array(build.allocator, cells, sizeof *nest->top, (void **)&nest->top);
    if (status == LF_OK)
        status =
            lf__array_reserve(&build.words, build.allocator, 5 * top.reference_count + 64, sizeof(uint32_t));
    build.words.count = LF__NEST_FIRST;
    build.status = status;
    for (int64_t cell = 0, soon = 0; build.status == LF_OK && cell < cells; cell++) {
        for (; soon < top.reference_count && soon < (int64_t)top.starts[cell + 1] + LF__NEST_SOON; soon++)
            lf__nest_fetch(&build, top.references[soon]);
        uint32_t code = hull_code(&build, cell % top.columns, cell / top.columns);
        nest->top[cell] = make_inner_cell(&build, &top, cell, 0, code);
        if (cell % 65536 == 0 && !lf__report(host, "grid", cell, cells))
            build.status = LF_CANCELLED;
    }
    if (build.status == LF_OK)
        build.status = draw_lines(&build);
    lf__nest_free_grid(&build, &top);
    lf__array_free(&build.entries, build.allocator, sizeof(lf__nest_entry));
    lf__give_array(build.allocator, build.hull, build.hull_count, sizeof *build.hull);
    lf__give_array(build.allocator, build.seen, mesh->vertex_count, sizeof *build.seen);
    lf__give_array(build.allocator, build.flags, mesh->triangle_count, sizeof *build.flags);
    status = finish_words(&build);
    status = build.status == LF_OK ? status : build.status;
    nest->work = build.work;
    if (status != LF_OK)
        lf__nest_free(nest, build.allocator);
    return status;
}

void lf__nest_free(lf__nest *nest, const lf_allocator *allocator) {
    if (!nest->mesh)
        return;
    lf__give(allocator, nest->words, (size_t)nest->word_capacity * sizeof *nest->words, LF__CACHE_LINE);
    int64_t cells = nest->columns * nest->rows;
    lf__give_array(allocator, nest->lines, LF__NEST_LINES(cells), sizeof *nest->lines);
    lf__give_array(allocator, nest->top, cells, sizeof *nest->top);
    lf__give_array(allocator, nest->planes, nest->plane_room, sizeof *nest->planes);
    *nest = (lf__nest){0};
}

size_t lf__nest_bytes(const lf__nest *nest) {
    if (!nest->mesh)
        return 0;
    int64_t cells = nest->columns * nest->rows;
    return (size_t)nest->word_capacity * sizeof *nest->words + (size_t)cells * sizeof *nest->top +
           (size_t)LF__NEST_LINES(cells) * sizeof *nest->lines +
           (size_t)nest->plane_room * sizeof *nest->planes;
}
