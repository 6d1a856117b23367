/// Editing the nested grid: every cell that a triangle enters or leaves is written again, beside the old one.
///
/// Leaves and grids are blocks of words. A new block is allocated and filled, and then one word, the cell's, decides which of both is
/// there. So an edit that fails half-way has changed nothing, and one that succeeds frees the old blocks.
#include "base/base.h"
#include "mesh/mesh_edit.h"
#include <stdlib.h>
#include <string.h>

/// A grid is rebuilt when its references have become so many times more or fewer than when it was made.
#define NEST_GROWN 4

/// And the whole nest likewise; with this many to begin with, so that small meshes are not rebuilt all the time.
#define NEST_GROWN_FROM 4096

/// Margin around the terrain when it has outgrown the nest, as a share of its extent.
#define NEST_MARGIN 0.125

/// New triangles stay this far from the border of all cells, in cells.
#define NEST_RIM 0.005

/// A triangle that comes or goes, and a cell that it enters.
typedef struct cell_touch {
    int64_t cell;
    uint32_t tagged;
} cell_touch;

/// A word to write.
typedef struct word_change {
    bool top; ///< a top cell, or a word of the nest
    int64_t place;
    uint32_t value;
} word_change;

static uint32_t *words_of(const lf__nest_edit *edit) {
    return edit->build.words.items;
}

/// The place of a leaf, from its cell's word.
static uint32_t leaf_place(uint32_t value) {
    return value & ~LF__NEST_LONG;
}

static void keep_status(lf__nest_edit *edit, lf_status status) {
    if (edit->build.status == LF_OK)
        edit->build.status = status;
}

/// Append an item to an array; the status says whether it is there.
#define NEST_APPEND(edit, array, type, ...)                                                    \
    do {                                                                                       \
        keep_status(edit, lf__array_reserve(array, (edit)->build.allocator, 1, sizeof(type))); \
        if ((edit)->build.status == LF_OK)                                                     \
            ((type *)(array)->items)[(array)->count++] = (type)__VA_ARGS__;                    \
    } while (0)

// ---------------------------------------------------------------------------------------------------
// Blocks
// ---------------------------------------------------------------------------------------------------

lf_status lf__nest_allocate_block(lf__nest_builder *build, int64_t words, uint32_t *place) {
    lf_status status = lf__array_reserve(build->taken, build->allocator, 1, sizeof(lf__nest_block));
    if (status == LF_OK)
        status = lf__block_allocate(&build->nest->blocks, &build->words, build->allocator, words,
                                    LF__NEST_SPARE, place);
    if (status == LF_OK)
        ((lf__nest_block *)build->taken->items)[build->taken->count++] = (lf__nest_block){*place, words};
    return status;
}

static void nest_free_blocks(lf__nest_edit *edit, const lf__array *blocks) {
    const lf__nest_block *list = blocks->items;
    for (int64_t i = 0; i < blocks->count; i++)
        lf__block_free(&edit->build.nest->blocks, words_of(edit), list[i].place, list[i].words);
}

/// A cell's block, and all within it, will not be needed any more.
static void nest_retire(lf__nest_edit *edit, uint32_t value) {
    lf__nest *nest = edit->build.nest;
    if (value < LF__NEST_FIRST)
        return;
    if (lf__nest_is_grid(value)) {
        uint32_t place = value & ~LF__NEST_GRID, m = words_of(edit)[place];
        for (uint32_t k = 0; k < m * m; k++)
            nest_retire(edit, words_of(edit)[place + 1 + k]);
        NEST_APPEND(edit, &edit->retired, lf__nest_block,
                    {place - LF__NEST_HEADER, lf__nest_even(LF__NEST_HEADER + 1 + (int64_t)m * m)});
        return;
    }
    int64_t count = 1;
    if (!lf__nest_is_covered(value)) {
        uint32_t leaf = leaf_place(value);
        count = words_of(edit)[leaf + 1] & LF__NEST_COUNT;
        NEST_APPEND(edit, &edit->retired, lf__nest_block, {leaf, LF__NEST_HEAD + LF__NEST_WORDS * count});
    }
    nest->leaf_count--;
    nest->reference_count -= count;
}

// ---------------------------------------------------------------------------------------------------
// Triangles of a cell
// ---------------------------------------------------------------------------------------------------

/// How a cell lies to the hull; those within it inherit that.
static uint32_t hull_code_of(const lf__nest_edit *edit, uint32_t value) {
    while (lf__nest_is_grid(value))
        value = words_of(edit)[(value & ~LF__NEST_GRID) + 1];
    if (lf__nest_is_covered(value))
        return LF__NEST_INSIDE;
    return value < LF__NEST_FIRST ? value : words_of(edit)[leaf_place(value) + 1] >> LF__NEST_HULL_SHIFT;
}

/// The triangles under a cell that are not gone; those in several leaves of it come several times.
static void list_cell_triangles(lf__nest_edit *edit, uint32_t value) {
    if (value < LF__NEST_FIRST)
        return;
    if (lf__nest_is_grid(value)) {
        uint32_t place = value & ~LF__NEST_GRID, m = words_of(edit)[place];
        edit->build.work.cells += (int64_t)m * m;
        for (uint32_t k = 0; k < m * m; k++)
            list_cell_triangles(edit, words_of(edit)[place + 1 + k]);
        return;
    }
    uint32_t covering = lf__nest_covering(value); // the list of a covered cell
    bool covered = lf__nest_is_covered(value);
    uint32_t leaf = covered ? 0 : leaf_place(value),
             count = covered ? 1 : words_of(edit)[leaf + 1] & LF__NEST_COUNT;
    keep_status(edit, lf__array_reserve(&edit->list, edit->build.allocator, count, sizeof(uint32_t)));
    edit->build.work.references += count;
    if (edit->build.status != LF_OK)
        return;
    const uint32_t *triangles =
        covered ? &covering : words_of(edit) + leaf + LF__NEST_HEAD + 3 * (size_t)count;
    uint32_t *list = edit->list.items;
    for (uint32_t i = 0; i < count; i++)
        if (!lf__mesh_gone(edit->build.mesh, triangles[i] & LF__NEST_NUMBER))
            list[edit->list.count++] = triangles[i];
}

static int by_triangle(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a & LF__NEST_NUMBER, y = *(const uint32_t *)b & LF__NEST_NUMBER;
    return x < y ? -1 : x > y;
}

void lf__list_unique(lf__array *list) {
    uint32_t *items = list->items;
    int64_t kept = 0;
    if (list->count > 1)
        qsort(items, (size_t)list->count, sizeof *items, by_triangle);
    for (int64_t i = 0; i < list->count; i++)
        if (i == 0 || items[i] != items[i - 1])
            items[kept++] = items[i];
    list->count = kept;
}

// ---------------------------------------------------------------------------------------------------
// Cells
// ---------------------------------------------------------------------------------------------------

/// A cell with the triangles that come into it or go.
typedef struct touched_cell {
    const lf__nest_grid *grid;
    lf_vec2 low;
    uint32_t value;
    const cell_touch *touches;
    int64_t count;
    int depth;
} touched_cell;

static uint32_t update_cell(lf__nest_edit *edit, const touched_cell *cell);

static bool is_added(const lf__nest_edit *edit, uint32_t tagged) {
    return !lf__mesh_gone(edit->build.mesh, tagged & LF__NEST_NUMBER);
}

/// A leaf, or a grid that no longer fits its content: rebuilt.
static uint32_t remake_cell(lf__nest_edit *edit, const touched_cell *cell) {
    uint32_t code = hull_code_of(edit, cell->value);
    edit->list.count = 0;
    list_cell_triangles(edit, cell->value);
    if (lf__nest_is_grid(cell->value))
        lf__list_unique(&edit->list);
    for (int64_t i = 0; i < cell->count; i++)
        if (is_added(edit, cell->touches[i].tagged))
            NEST_APPEND(edit, &edit->list, uint32_t, {cell->touches[i].tagged});
    nest_retire(edit, cell->value);
    if (edit->build.status != LF_OK)
        return code;
    lf__nest_content content = {edit->list.items, (uint32_t)edit->list.count, cell->depth, code};
    return lf__nest_make_cell(&edit->build, cell->grid, cell->low, &content);
}

typedef struct touch_collector {
    lf__nest_edit *edit;
    lf__array touches;
} touch_collector;

static void nest_collect(lf__nest_grid *g, int64_t cell, uint32_t tagged) {
    touch_collector *c = g->user;
    c->edit->build.work.cells++;
    NEST_APPEND(c->edit, &c->touches, cell_touch, {cell, tagged});
}

static int by_touched_cell(const void *a, const void *b) {
    const cell_touch *x = a, *y = b;
    if (x->cell != y->cell)
        return x->cell < y->cell ? -1 : 1;
    return by_triangle(&x->tagged, &y->tagged);
}

/// Update every cell that was collected. `first` is where the word of cell 0 is; values are read by `top`.
static void update_collected(lf__nest_edit *edit, touch_collector *c, const lf__nest_grid *g, bool top,
                             int64_t first, int depth) {
    cell_touch *touches = c->touches.items;
    int64_t count = edit->build.status == LF_OK ? c->touches.count : 0;
    if (count > 1)
        qsort(touches, (size_t)count, sizeof *touches, by_touched_cell);
    for (int64_t i = 0, next; i < count && edit->build.status == LF_OK; i = next) {
        for (next = i + 1; next < count && touches[next].cell == touches[i].cell; next++) {
        }
        int64_t cell = touches[i].cell;
        uint32_t value = top ? edit->build.nest->top[cell] : words_of(edit)[first + cell];
        lf_vec2 low = {(double)(cell % g->columns), (double)(cell / g->columns)};
        touched_cell touched = {g, low, value, touches + i, next - i, depth};
        uint32_t made = update_cell(edit, &touched);
        if (made != value)
            NEST_APPEND(edit, &edit->changes, word_change, {top, first + cell, made});
    }
    lf__array_free(&c->touches, edit->build.allocator, sizeof(cell_touch));
}

/// A grid: only those of its cells that are touched.
static void update_grid(lf__nest_edit *edit, const touched_cell *cell) {
    uint32_t place = cell->value & ~LF__NEST_GRID;
    lf__nest_grid inner = lf__nest_inner(cell->grid, cell->low, words_of(edit)[place]);
    int64_t before = edit->build.nest->reference_count;
    uint32_t references = words_of(edit)[place - 1];
    touch_collector c = {.edit = edit};
    inner.user = &c;
    for (int64_t i = 0; i < cell->count; i++)
        lf__nest_enter(&edit->build, &inner, cell->touches[i].tagged, nest_collect);
    update_collected(edit, &c, &inner, false, (int64_t)place + 1, cell->depth + 1);
    references = (uint32_t)(references + (edit->build.nest->reference_count - before));
    NEST_APPEND(edit, &edit->changes, word_change, {false, (int64_t)place - 1, references});
}

static uint32_t update_cell(lf__nest_edit *edit, const touched_cell *cell) {
    if (!lf__nest_is_grid(cell->value))
        return remake_cell(edit, cell);
    const uint32_t *header = words_of(edit) + (cell->value & ~LF__NEST_GRID) - LF__NEST_HEADER;
    int64_t made = header[0], now = header[1];
    for (int64_t i = 0; i < cell->count; i++)
        now += is_added(edit, cell->touches[i].tagged) ? 1 : -1;
    if (now > NEST_GROWN * made || NEST_GROWN * now < made || now <= LF__NEST_LEAF_TRIANGLES / 2)
        return remake_cell(edit, cell);
    update_grid(edit, cell);
    return cell->value;
}

// ---------------------------------------------------------------------------------------------------
// The whole edit
// ---------------------------------------------------------------------------------------------------

/// Is a new triangle within the nest's cells?
static bool nest_fits(const lf__nest *nest, const lf_mesh *mesh, int64_t triangle) {
    lf_vec3 world[3];
    lf__mesh_triangle(mesh, triangle, world);
    for (int c = 0; c < 3; c++) {
        lf_vec3 local = lf__mesh_local(mesh, world[c]);
        double x = (local.x - nest->origin_x) * nest->per_metre,
               y = (local.y - nest->origin_y) * nest->per_metre;
        if (!(x >= NEST_RIM && y >= NEST_RIM && x <= nest->width - NEST_RIM && y <= nest->height - NEST_RIM))
            return false;
    }
    return true;
}

/// Planes of the new triangles; every cell that these, or the ones that go, are in. false when the nest must be rebuilt.
static bool touch_cells(lf__nest_edit *edit, lf__nest_grid *top) {
    lf__nest *nest = edit->build.nest;
    const lf_mesh *mesh = edit->build.mesh;
    const lf__mesh_change *change = edit->change;
    for (int64_t i = change->first_triangle; i < mesh->triangle_count; i++) {
        lf__nest_plane scratch;
        uint32_t flags = lf__nest_make_plane(nest, mesh, i, nest->planes ? &nest->planes[i] : &scratch);
        edit->build.work.triangles++;
        if (flags & LF__NEST_WALL)
            continue;
        if (!nest_fits(nest, mesh, i))
            return false;
        lf__nest_enter(&edit->build, top, (uint32_t)i | flags, nest_collect);
    }
    for (int64_t i = 0; i < change->removed_count; i++) {
        int64_t polygon = change->removed[i], last = lf__mesh_first(mesh, polygon + 1);
        for (int64_t k = lf__mesh_first(mesh, polygon); k < last; k++) {
            lf__nest_plane plane;
            edit->build.work.triangles++;
            if (!(lf__nest_make_plane(nest, mesh, k, &plane) & LF__NEST_WALL))
                lf__nest_enter(&edit->build, top, (uint32_t)k, nest_collect);
        }
    }
    return true;
}

static lf_status nest_rebuild(lf__nest_edit *edit) {
    lf_host host = {.allocator = &edit->change->mesh->allocator};
    return lf__nest_build(&edit->fresh, edit->change->mesh, &host, NEST_MARGIN);
}

lf_status lf__nest_prepare(lf__nest_edit *edit, lf__mesh_change *change) {
    lf_mesh *mesh = change->mesh;
    lf__nest *nest = &mesh->nest;
    *edit = (lf__nest_edit){
        .change = change, .leaf_count = nest->leaf_count, .reference_count = nest->reference_count};
    edit->build = (lf__nest_builder){.nest = nest,
                                     .mesh = mesh,
                                     .allocator = &mesh->allocator,
                                     .words = {nest->words, nest->word_count, nest->word_capacity},
                                     .taken = &edit->taken};
    if (!mesh->straight && lf__nest_far(mesh) > nest->far)
        return nest_rebuild(edit);
    if (!mesh->compact) {
        void *planes = nest->planes;
        lf_status status = lf__grow(&mesh->allocator, &planes, &nest->plane_capacity, mesh->triangle_count,
                                    sizeof *nest->planes);
        nest->planes = planes;
        if (status != LF_OK)
            return status;
    }
    lf__nest_grid top = lf__nest_top(nest);
    touch_collector c = {.edit = edit};
    top.user = &c;
    bool fitting = touch_cells(edit, &top);
    if (fitting)
        update_collected(edit, &c, &top, true, 0, 0);
    else
        lf__array_free(&c.touches, &mesh->allocator, sizeof(cell_touch));
    if (!fitting && edit->build.status == LF_OK)
        return nest_rebuild(edit);
    return edit->build.status;
}

/// Whatever becomes of the edit, the words may have moved.
static void nest_finish_edit(lf__nest_edit *edit) {
    const lf_allocator *allocator = edit->build.allocator;
    lf__nest *nest = edit->build.nest;
    nest->words = edit->build.words.items;
    nest->word_count = edit->build.words.count;
    nest->word_capacity = edit->build.words.capacity;
    lf__array_free(&edit->build.entries, allocator, sizeof(lf__nest_entry));
    lf__array_free(&edit->list, allocator, sizeof(uint32_t));
    lf__array_free(&edit->changes, allocator, sizeof(word_change));
    lf__array_free(&edit->retired, allocator, sizeof(lf__nest_block));
    lf__array_free(&edit->taken, allocator, sizeof(lf__nest_block));
}

static void nest_replace(lf__mesh_change *change, const lf__nest *fresh) {
    lf_mesh *mesh = change->mesh;
    lf__nest_free(&mesh->nest, &mesh->allocator);
    mesh->nest = *fresh;
    lf__work_add(&change->work, &fresh->work);
    change->rebuilt = true;
}

void lf__nest_commit(lf__nest_edit *edit) {
    lf__nest *nest = edit->build.nest;
    const word_change *changes = edit->changes.items;
    for (int64_t i = 0; i < edit->changes.count; i++) {
        uint32_t *words = changes[i].top ? nest->top : words_of(edit);
        words[changes[i].place] = changes[i].value;
        if (changes[i].top)
            lf__nest_set_code(nest, changes[i].place, LF__NEST_BORDER);
    }
    nest_free_blocks(edit, &edit->retired);
    lf__work_add(&edit->change->work, &edit->build.work);
    nest_finish_edit(edit);
    if (edit->fresh.mesh)
        nest_replace(edit->change, &edit->fresh);
}

void lf__nest_abandon(lf__nest_edit *edit) {
    if (!edit->build.nest)
        return;
    nest_free_blocks(edit, &edit->taken);
    edit->build.nest->leaf_count = edit->leaf_count;
    edit->build.nest->reference_count = edit->reference_count;
    nest_finish_edit(edit);
    lf__nest_free(&edit->fresh, edit->build.allocator);
}

void lf__nest_renew(lf__mesh_change *change) {
    lf_mesh *mesh = change->mesh;
    const lf__nest *nest = &mesh->nest;
    int64_t now = nest->reference_count, made = nest->built_references;
    bool pays = now > NEST_GROWN * (made + NEST_GROWN_FROM) || NEST_GROWN * (now + NEST_GROWN_FROM) < made ||
                nest->word_count > NEST_GROWN * (nest->blocks.built + 8 * NEST_GROWN_FROM);
    lf_host host = {.allocator = &mesh->allocator};
    lf__nest fresh;
    if (pays && lf__nest_build(&fresh, mesh, &host, 0) == LF_OK)
        nest_replace(change, &fresh);
}
