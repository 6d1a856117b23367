/// Building the nested grid: how many cells there are, which of them each triangle enters, and what a cell contains.
#include "base/base.h"
#include "geom/expansion.h"
#include "mesh/mesh_edit.h"
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// Sorting triangles into cells
// ---------------------------------------------------------------------------------------------------

/// How far beyond its outline a triangle is entered into cells, in cells: more than rounding can move it.
#define NEST_SLACK 1e-9

/// Count, and note what is to be put there.
static void note_cell(lf__nest_grid *g, int64_t cell, uint32_t tagged) {
    lf__nest_builder *build = g->user;
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

void lf__nest_corners(const lf__nest_builder *build, const lf__nest_grid *g, uint32_t tagged,
                      lf_vec2 corner[3]) {
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
static void enter_row(lf__nest_grid *g, int64_t row, double first, double last, uint32_t tagged,
                      lf__nest_enter_cell *enter) {
    if (last < 0 || first >= (double)g->columns)
        return;
    int64_t last_column = cell_index(last, g->columns);
    for (int64_t i = cell_index(first, g->columns); i <= last_column; i++)
        enter(g, row * g->columns + i, tagged);
}

void lf__nest_enter(const lf__nest_builder *build, lf__nest_grid *g, uint32_t tagged,
                    lf__nest_enter_cell *enter) {
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
    double slack = NEST_SLACK * reach + build->nest->blur * g->per_top;
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

void lf__nest_fetch(const lf__nest_builder *build, uint32_t tagged) {
    const uint32_t *vertex = build->mesh->corners + 3 * (size_t)(tagged & LF__NEST_NUMBER);
    for (int c = 0; build->seen && c < 3; c++)
        __builtin_prefetch(&build->seen[vertex[c] & ~LF__MESH_GONE]);
}

/// What lf__nest_fetch reads, where triangles come in no order.
static inline __attribute__((always_inline)) void fetch_corners(const lf__nest_builder *build,
                                                                uint32_t tagged) {
    __builtin_prefetch(build->mesh->corners + 3 * (size_t)(tagged & LF__NEST_NUMBER));
}

/// Find the cells of tagged triangles. NULL: all of the mesh, but for walls.
static void note_cells(lf__nest_builder *build, lf__nest_grid *g, const uint32_t *triangles, int64_t count) {
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

lf_status lf__nest_sort(lf__nest_builder *build, lf__nest_grid *g, const uint32_t *triangles, int64_t count) {
    int64_t cells = g->columns * g->rows, sum = 0;
    if (cells > INT32_MAX)
        return LF_TOO_LARGE;
    lf_status status =
        lf__allocate_array(build->allocator, cells + 1, sizeof *g->starts, (void **)&g->starts);
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
    status = lf__allocate_array(build->allocator, sum, sizeof *g->references, (void **)&g->references);
    const lf__nest_entry *entries = build->entries.items;
    for (int64_t i = 0; status == LF_OK && i < sum; i++)
        g->references[--g->starts[entries[i].cell]] = entries[i].tagged;
    return status;
}

void lf__nest_free_grid(const lf__nest_builder *build, lf__nest_grid *g) {
    lf__free_array(build->allocator, g->references, g->reference_count, sizeof *g->references);
    lf__free_array(build->allocator, g->starts, g->columns * g->rows + 1, sizeof *g->starts);
}

// ---------------------------------------------------------------------------------------------------
// Building
// ---------------------------------------------------------------------------------------------------

/// Top cells per triangle, and cells of a grid within a cell per triangle in it.
#define NEST_TOP_CELLS 0.5
#define NEST_GRID_CELLS 0.125
#define NEST_LARGEST_GRID 256

/// A grid within a cell must not make more than this many references out of one.
#define NEST_MOST_COPIES 8

/// More top cells than this do not stay in a cache of the second level.
#define NEST_MANY_CELLS (1 << 16)

/// The hull between two values of y: from where to where it reaches, in x.
static void nest_hull_span(const lf__nest_builder *build, double low, double high, double span[2]) {
    span[0] = INFINITY;
    span[1] = -INFINITY;
    for (int64_t k = 0; k < build->hull_count; k++) {
        const lf_vec2 ends[3] = {build->hull[k], build->hull[(k + 1) % build->hull_count], build->hull[k]};
        double first, last;
        if (!lf__nest_span(ends, low, high, &first, &last))
            continue;
        span[0] = fmin(span[0], first);
        span[1] = fmax(span[1], last);
    }
}

/// How a top cell lies to the hull, with a margin far beyond rounding, so that the two sure answers are sure. Grids within
/// a cell inherit its answer.
static uint32_t nest_hull_code(lf__nest_builder *build, int64_t column, int64_t row) {
    const double margin = 1e-6;
    if (build->hull_row != row) {
        double at_low[2], at_high[2];
        double low = (double)row - margin, high = (double)(row + 1) + margin;
        nest_hull_span(build, low, high, build->outer);
        nest_hull_span(build, low, low, at_low);
        nest_hull_span(build, high, high, at_high);
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
static bool allocate_words(lf__nest_builder *build, int64_t wanted, uint32_t *place) {
    int64_t count = lf__nest_even(wanted);
    if (build->taken) {
        build->status = lf__nest_allocate_block(build, count, place);
        return build->status == LF_OK;
    }
    *place = (uint32_t)build->words.count;
    build->status = build->words.count > INT32_MAX - count
                        ? LF_TOO_LARGE
                        : lf__array_reserve(&build->words, build->allocator, count, sizeof(uint32_t));
    build->words.count += count;
    if (build->status == LF_OK) // files have the same bytes each time
        ((uint32_t *)build->words.items)[build->words.count - 1] = 0;
    return build->status == LF_OK;
}

/// The corners of a cell's triangle around the cell's middle, counter-clockwise.
static void corners_around(const lf__nest_builder *build, const lf__nest_grid *g, uint32_t triangle,
                           lf_vec2 low, lf_vec2 corner[3]) {
    lf_vec2 found[3];
    lf__nest_corners(build, g, triangle, found);
    bool under = triangle & LF__NEST_UNDER;
    for (int c = 0; c < 3; c++) {
        corner[c].x = found[under ? 2 - c : c].x - low.x - 0.5;
        corner[c].y = found[under ? 2 - c : c].y - low.y - 0.5;
    }
}

/// Units per cell, so that differences to a point of the cell fit; 0 where rounding in the descent to the cell is too much.
static float leaf_scale(const lf__nest_builder *build, const lf__nest_grid *g, double reach) {
    float scale = (float)((LF__NEST_REACH - 2) / (reach + 0.5));
    return build->nest->blur * g->per_top * (double)scale <= 0.01 ? scale : 0.0f;
}

/// A leaf of `count` triangles for one cell of a grid.
static uint32_t write_leaf(lf__nest_builder *build, const lf__nest_grid *g, const uint32_t *triangles,
                           uint32_t count, lf_vec2 low, uint32_t code) {
    uint32_t place;
    if (!allocate_words(build, LF__NEST_HEAD + LF__NEST_WORDS * (int64_t)count, &place))
        return 0;
    uint32_t *leaf = (uint32_t *)build->words.items + place;
    lf_vec2 kept[LF__NEST_LEAF_TRIANGLES][3];
    double reach = 0.5;
    for (uint32_t i = 0; i < count; i++) {
        lf_vec2 *corner = kept[i % LF__NEST_LEAF_TRIANGLES];
        corners_around(build, g, triangles[i], low, corner);
        for (int c = 0; c < 3; c++)
            reach = lf__nest_larger(reach, lf__nest_larger(fabs(corner[c].x), fabs(corner[c].y)));
    }
    float scale = leaf_scale(build, g, reach);
    memcpy(leaf, &scale, sizeof scale);
    leaf[1] = count | code << LF__NEST_HULL_SHIFT;
    uint32_t *words = leaf + LF__NEST_HEAD;
    for (uint32_t i = 0; i < count; i++) {
        lf_vec2 *corner = kept[i % LF__NEST_LEAF_TRIANGLES];
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

/// Is a cell within a triangle, away from its edges? So far that no rounding of a point or of a corner matters.
static bool covers_cell(const lf__nest_builder *build, const lf__nest_grid *g, uint32_t tagged, lf_vec2 low) {
    const double half = 0.5 + 0x1p-10, most_blur = 0x1p-14, rounding = 0x1p-30;
    if ((tagged & ~LF__NEST_NUMBER) || build->nest->blur * g->per_top > most_blur)
        return false;
    lf_vec2 corner[3];
    corners_around(build, g, tagged, low, corner);
    for (int c = 0; c < 3; c++) {
        lf_vec2 a = corner[c], b = corner[c == 2 ? 0 : c + 1];
        double x = b.x - a.x, y = b.y - a.y;
        // The edge function in the middle, less what it changes on the way to a corner of the cell.
        double least = y * a.x - x * a.y - half * (fabs(x) + fabs(y));
        if (!(least > rounding * (fabs(y * a.x) + fabs(x * a.y))))
            return false;
    }
    return true;
}

/// A covered cell; counted as a leaf with one triangle.
static uint32_t make_covered(lf__nest_builder *build, uint32_t triangle) {
    build->nest->leaf_count++;
    build->nest->reference_count++;
    build->work.references++;
    return LF__NEST_COVERED | triangle << 1;
}

lf__nest_grid lf__nest_inner(const lf__nest_grid *g, lf_vec2 low, int64_t m) {
    lf__nest_grid inner = {.x = g->x + low.x / g->per_top,
                           .y = g->y + low.y / g->per_top,
                           .per_top = g->per_top * (double)m,
                           .columns = m,
                           .rows = m};
    return inner;
}

static uint32_t make_inner_cell(lf__nest_builder *build, const lf__nest_grid *g, int64_t cell, int depth,
                                uint32_t code) {
    lf_vec2 low = {(double)(cell % g->columns), (double)(cell / g->columns)};
    lf__nest_content content = {g->references + g->starts[cell], g->starts[cell + 1] - g->starts[cell], depth,
                                code};
    return lf__nest_make_cell(build, g, low, &content);
}

/// A grid within a cell, unless it would only multiply what is in it.
static bool make_inner_grid(lf__nest_builder *build, const lf__nest_grid *g, lf_vec2 low,
                            const lf__nest_content *content, uint32_t *entry) {
    int64_t m = (int64_t)ceil(sqrt((double)content->count * NEST_GRID_CELLS));
    m = m < 2 ? 2 : m > NEST_LARGEST_GRID ? NEST_LARGEST_GRID : m;
    lf__nest_grid inner = lf__nest_inner(g, low, m);
    build->status = lf__nest_sort(build, &inner, content->triangles, content->count);
    bool pays = build->status == LF_OK && inner.reference_count <= NEST_MOST_COPIES * (int64_t)content->count;
    uint32_t place;
    if (pays && allocate_words(build, LF__NEST_HEADER + 1 + m * m, &place)) {
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

uint32_t lf__nest_make_cell(lf__nest_builder *build, const lf__nest_grid *g, lf_vec2 low,
                            const lf__nest_content *content) {
    uint32_t entry = 0;
    if (content->depth > build->nest->depth)
        build->nest->depth = content->depth;
    if (content->count > LF__NEST_LEAF_TRIANGLES && content->depth < LF__NEST_DEEPEST &&
        make_inner_grid(build, g, low, content, &entry))
        return entry;
    if (content->count == 0)
        return content->code;
    if (content->count == 1 && content->code == LF__NEST_INSIDE &&
        covers_cell(build, g, content->triangles[0], low))
        return make_covered(build, content->triangles[0]);
    return write_leaf(build, g, content->triangles, content->count, low, content->code);
}

static lf_status make_hull_cells(lf__nest_builder *build) {
    const lf__hull *hull = &build->mesh->hull;
    const lf__nest *nest = build->nest;
    lf_status status =
        lf__allocate_array(build->allocator, hull->count, sizeof *build->hull, (void **)&build->hull);
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
static lf_status see_vertices(lf__nest_builder *build) {
    int64_t count = build->mesh->vertex_count;
    lf_status status =
        lf__allocate_array(build->allocator, count, sizeof *build->seen, (void **)&build->seen);
    for (int64_t i = 0; status == LF_OK && i < count; i++)
        build->seen[i] = lf__nest_seen(build->nest, build->mesh, (uint32_t)i);
    return status;
}

static lf_status nest_make_planes(lf__nest_builder *build) {
    lf__nest *nest = build->nest;
    int64_t count = build->mesh->triangle_count;
    lf_status status = LF_OK;
    lf__nest_plane scratch;
    if (!build->mesh->compact) {
        status = lf__allocate_array(build->allocator, count, sizeof *nest->planes, (void **)&nest->planes);
        nest->plane_capacity = count;
    }
    if (status == LF_OK)
        status = lf__allocate_array(build->allocator, count, sizeof *build->flags, (void **)&build->flags);
    for (int64_t i = 0; status == LF_OK && i < count; i++) {
        if (i + 2 * LF__NEST_SOON < count)
            lf__mesh_fetch_triangle(build->mesh, i + 2 * LF__NEST_SOON);
        build->flags[i] =
            lf__mesh_gone(build->mesh, i)
                ? LF__NEST_WALL
                : lf__nest_make_plane(nest, build->mesh, i, nest->planes ? &nest->planes[i] : &scratch);
    }
    build->work.triangles += count;
    return status;
}

static double larger_magnitude(double low, double high) {
    return fmax(fabs(low), fabs(high));
}

double lf__nest_far(const lf_mesh *mesh) {
    const lf_box *box = &mesh->box;
    lf_vec3 o = mesh->frame.origin;
    return larger_magnitude(box->low.x, box->high.x) + larger_magnitude(box->low.y, box->high.y) +
           larger_magnitude(box->low.z, box->high.z) + fabs(o.x) + fabs(o.y) + fabs(o.z);
}

/// Square cells over the box of the mesh, seen along gravity.
static void nest_lay_out(lf__nest_builder *build, double margin) {
    lf__nest *nest = build->nest;
    const lf_mesh *mesh = build->mesh;
    lf_box box = lf_box_empty();
    for (int64_t i = 0; i < mesh->hull.count; i++)
        box = lf_box_with(box, lf__mesh_local(mesh, mesh->hull.corners[i]));
    double width = box.high.x - box.low.x, height = box.high.y - box.low.y;
    double longest = fmax(width, height),
           cells = NEST_TOP_CELLS * (double)(mesh->triangle_count - mesh->gone_triangles) + 1;
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
    lf__nest_set_entrance(nest);
    nest->far = 2 * lf__nest_far(mesh);
    nest->blur = 0x1p-50 * (double)(nest->columns + nest->rows) +
                 (mesh->straight ? 0 : 0x1p-49 * nest->far * nest->per_metre);
    nest->tolerance = 1e-10 * (1 + 1e-4 * (longest + fabs(mesh->box.low.z) + fabs(mesh->box.high.z)));
}

lf__nest_grid lf__nest_top(const lf__nest *nest) {
    lf__nest_grid top = {.per_top = 1, .columns = nest->columns, .rows = nest->rows};
    return top;
}

/// Free the words that are not used, but for those that kernels read behind the last leaf.
static lf_status finish_words(lf__nest_builder *build) {
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

/// The codes of the top cells. Where all of these fit into a cache there is nothing to gain, but a second branch to guess: then no
/// line says anything.
static lf_status draw_lines(lf__nest_builder *build) {
    lf__nest *nest = build->nest;
    int64_t cells = nest->columns * nest->rows;
    lf_status status = lf__allocate_array(build->allocator, LF__NEST_LINES(cells), sizeof *nest->lines,
                                          (void **)&nest->lines);
    if (status != LF_OK)
        return status;
    for (int64_t line = 0; line < LF__NEST_LINES(cells); line++)
        nest->lines[line] = LF__NEST_LINE_BORDER;
    for (int64_t cell = 0; cells > NEST_MANY_CELLS && cell < cells; cell++)
        if (nest->top[cell] < LF__NEST_FIRST)
            lf__nest_set_code(nest, (size_t)cell,
                              nest->top[cell] == LF__NEST_BORDER ? LF__NEST_CROSSED : nest->top[cell]);
    return LF_OK;
}

lf_status lf__nest_build(lf__nest *nest, const lf_mesh *mesh, const lf_host *host, double margin) {
    lf__nest_builder build = {.nest = nest, .mesh = mesh, .host = host, .allocator = &mesh->allocator};
    *nest = (lf__nest){.mesh = mesh, .doubted = LF__NEST_DOUBTED};
    nest_lay_out(&build, margin);
    lf__nest_grid top = lf__nest_top(nest);
    int64_t cells = top.columns * top.rows;
    lf_status status = nest_make_planes(&build);
    if (status == LF_OK)
        status = see_vertices(&build);
    if (status == LF_OK)
        status = make_hull_cells(&build);
    if (status == LF_OK)
        status = lf__nest_sort(&build, &top, NULL, mesh->triangle_count);
    if (status == LF_OK)
        status = lf__allocate_array(build.allocator, cells, sizeof *nest->top, (void **)&nest->top);
    if (status == LF_OK)
        status =
            lf__array_reserve(&build.words, build.allocator, 5 * top.reference_count + 64, sizeof(uint32_t));
    build.words.count = LF__NEST_FIRST;
    if (status == LF_OK)
        memset(build.words.items, 0, LF__NEST_FIRST * sizeof(uint32_t));
    build.status = status;
    for (int64_t cell = 0, soon = 0; build.status == LF_OK && cell < cells; cell++) {
        for (; soon < top.reference_count && soon < (int64_t)top.starts[cell + 1] + LF__NEST_SOON; soon++) {
            if (soon + LF__NEST_SOON < top.reference_count)
                fetch_corners(&build, top.references[soon + LF__NEST_SOON]);
            lf__nest_fetch(&build, top.references[soon]);
        }
        uint32_t code = nest_hull_code(&build, cell % top.columns, cell / top.columns);
        nest->top[cell] = make_inner_cell(&build, &top, cell, 0, code);
        if (cell % 65536 == 0 && !lf__report(host, "grid", cell, cells))
            build.status = LF_CANCELLED;
    }
    if (build.status == LF_OK)
        build.status = draw_lines(&build);
    lf__nest_free_grid(&build, &top);
    lf__array_free(&build.entries, build.allocator, sizeof(lf__nest_entry));
    lf__free_array(build.allocator, build.hull, build.hull_count, sizeof *build.hull);
    lf__free_array(build.allocator, build.seen, mesh->vertex_count, sizeof *build.seen);
    lf__free_array(build.allocator, build.flags, mesh->triangle_count, sizeof *build.flags);
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
    lf__free(allocator, nest->words, (size_t)nest->word_capacity * sizeof *nest->words, LF__CACHE_LINE);
    int64_t cells = nest->columns * nest->rows;
    lf__free_array(allocator, nest->lines, LF__NEST_LINES(cells), sizeof *nest->lines);
    lf__free_array(allocator, nest->top, cells, sizeof *nest->top);
    lf__free_array(allocator, nest->planes, nest->plane_capacity, sizeof *nest->planes);
    *nest = (lf__nest){0};
}

size_t lf__nest_bytes(const lf__nest *nest) {
    if (!nest->mesh)
        return 0;
    int64_t cells = nest->columns * nest->rows;
    return (size_t)nest->word_capacity * sizeof *nest->words + (size_t)cells * sizeof *nest->top +
           (size_t)LF__NEST_LINES(cells) * sizeof *nest->lines +
           (size_t)nest->plane_capacity * sizeof *nest->planes;
}
