/// Creating, describing, reading and destroying grids.
#include "base/base.h"
#include "grid/guard.h"
#include "grid/packed.h"
#include <string.h>

/// Default number of cells along a side of the smallest bounded squares: less memory than bounds of single
/// cells, and as fast for most rays.
#define GRID_DEFAULT_LEAF 2

LF__ENUM_NAME(lf_surface_name, lf_surface, LF_SURFACE_LIST, LF_NAME_CASE_4)

LF__ENUM_NAME(lf_codec_name, lf_codec, LF_CODEC_LIST, LF_NAME_CASE_4)

static bool grid_finite2(lf_vec2 v) {
    return isfinite(v.x) && isfinite(v.y);
}

/// Compute the inverse of the geotransform; false where there is none in doubles.
static bool grid_invert(lf_grid *grid) {
    lf_vec2 pc = grid->geotransform.per_column, pr = grid->geotransform.per_row;
    double det = pc.x * pr.y - pc.y * pr.x;
    if (!grid_finite2(grid->geotransform.origin) || !grid_finite2(pc) || !grid_finite2(pr) || !(det > 0))
        return false;
    grid->a = pr.y / det;
    grid->b = -pr.x / det;
    grid->c = -pc.y / det;
    grid->d = pc.x / det;
    grid->resolution = sqrt(det);
    return isfinite(det) && isfinite(grid->a) && isfinite(grid->b) && isfinite(grid->c) && isfinite(grid->d);
}

static lf_status grid_check_codec(const lf_grid_def *def, lf_error *error) {
    bool wave = def->codec == LF_CODEC_HAAR || def->codec == LF_CODEC_D4;
    if (strcmp(lf_codec_name(def->codec), "?") == 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "codec is %d: must be a value of lf_codec",
                        (int)def->codec);
    if (!(def->max_error >= 0) || isinf(def->max_error))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "max_error is %g: must be finite, 0 or more",
                        def->max_error);
    bool any = false;
    for (int k = 0; k < LF_CODEC_BANDS; k++)
        any = any || def->band_bits[k] != 0;
    for (int k = 0; k < LF_CODEC_BANDS && any; k++)
        if (def->band_bits[k] < 2 || def->band_bits[k] > 32)
            return lf__fail(error, LF_BAD_ARGUMENT, k, "band_bits[%d] is %d: must be 2 to 32", k,
                            def->band_bits[k]);
    if (any && (!wave || def->max_error > 0))
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "band_bits is set: requires a wavelet codec and max_error 0");
    bool coarse = false;
    for (int k = 0; k < LF_CODEC_COARSE_BANDS; k++) {
        int bits = def->coarse_bits[k];
        coarse = coarse || bits != 0;
        if (coarse && (!any || bits < 2 || bits > 32))
            return lf__fail(error, LF_BAD_ARGUMENT, k,
                            any ? "coarse_bits[%d] is %d: must be 2 to 32, or 0 up to there"
                                : "coarse_bits[%d] is %d: requires band_bits",
                            k, bits);
    }
    if (def->derived_bounds && (!wave || def->leaf != LF__WAVE_SIDE))
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "derived_bounds is set: requires a wavelet codec and a leaf of %d", LF__WAVE_SIDE);
    return LF_OK;
}

/// The number of columns in a turn, where that is a whole number; else 0.
static int64_t grid_columns_of_turn(const lf_geotransform *geotransform, double turn) {
    double columns = turn / fabs(geotransform->per_column.x), whole = rint(columns);
    return turn > 0 && whole >= 2 && whole < 0x1p40 && fabs(columns - whole) <= 1e-9 * whole ? (int64_t)whole
                                                                                             : 0;
}

/// An alternating surface only repeats after an even number of columns.
static bool grid_can_wrap(lf_surface surface, int64_t round) {
    return round > 0 && (surface != LF_SURFACE_ALTERNATING || round % 2 == 0);
}

static lf_status grid_check_turn(const lf_grid_def *def, lf_error *error) {
    const lf_geotransform *p = &def->geotransform;
    if (!(def->turn >= 0) || isinf(def->turn))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "turn is %g: must be finite, 0 or more", def->turn);
    if (def->turn > 0 && (p->per_column.y != 0 || p->per_row.x != 0))
        return lf__fail(
            error, LF_BAD_ARGUMENT, -1,
            "turn is %g, but columns run along %g, %g and rows along %g, %g: must be along x and y",
            def->turn, p->per_column.x, p->per_column.y, p->per_row.x, p->per_row.y);
    if (!lf__grid_turn_fits(def->turn, def->samples.columns, p))
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "turn is %g, but %lld columns of %g reach farther: must not overlap", def->turn,
                        (long long)def->samples.columns, p->per_column.x);
    return LF_OK;
}

static lf_status grid_check_def(const lf_grid_def *def, lf_error *error) {
    const lf_geotransform *p = &def->geotransform;
    if (strcmp(lf_surface_name(def->surface), "?") == 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "surface is %d: must be a value of lf_surface",
                        (int)def->surface);
    if (def->leaf != 0 && !lf__leaf_valid(def->leaf))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "leaf is %d: must be 1, 2, 4, 8, 16, 32 or 64",
                        def->leaf);
    if (def->extend && def->borrow && def->codec == LF_CODEC_RAW)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "extend is set with borrow: must copy the samples");
    lf_grid probe = {.geotransform = *p};
    if (!grid_invert(&probe))
        return lf__fail(
            error, LF_BAD_ARGUMENT, -1,
            "geotransform with columns along %g, %g and rows along %g, %g from %g, %g: must be finite, "
            "rows to the left of columns",
            p->per_column.x, p->per_column.y, p->per_row.x, p->per_row.y, p->origin.x, p->origin.y);
    lf_status status = grid_check_turn(def, error);
    return status == LF_OK ? grid_check_codec(def, error) : status;
}

/// Compute the range of squares, and where the surface ends.
static void grid_lay_squares(lf_grid *grid) {
    bool points = grid->surface == LF_SURFACE_POINT;
    grid->first = grid->extend ? -1 : 0;
    grid->shift = points ? -0.5 : 0;
    grid->cell_columns = points ? grid->columns : grid->columns - 1;
    grid->cell_rows = points ? grid->rows : grid->rows - 1;
    grid->square_columns = grid->cell_columns - 2 * grid->first;
    grid->square_rows = grid->cell_rows - 2 * grid->first;
    double beyond = points || grid->extend ? 0.5 : 0;
    grid->low = (lf_vec2){-beyond, -beyond};
    grid->high = (lf_vec2){(double)(grid->columns - 1) + beyond, (double)(grid->rows - 1) + beyond};
}

/// Compute where copies of the grid are, and whether it wraps. Needs the squares and the inverse.
static void grid_lay_copies(lf_grid *grid) {
    int64_t round = grid_columns_of_turn(&grid->geotransform, grid->turn);
    double column = fabs(grid->geotransform.per_column.x), wide = grid->high.x - grid->low.x;
    grid->round = grid_can_wrap(grid->surface, round) && grid->columns - 1 == round ? round : 0;
    grid->copies = grid->round ? (double)grid->round : grid->turn / column;
    grid->seam = grid->geotransform.origin.x + copysign(grid->turn, grid->geotransform.per_column.x);
    grid->middle =
        grid->geotransform.origin.x + 0.5 * (double)(grid->columns - 1) * grid->geotransform.per_column.x;
    grid->half_width = 0.5 * (grid->round ? grid->turn : fmax(grid->turn, wide * column)) * (1 + 1e-12);
}

bool lf__grid_start(lf_grid *grid) {
    grid_lay_squares(grid);
    if (!grid_invert(grid))
        return false;
    if (grid->turn > 0)
        grid_lay_copies(grid);
    return true;
}

void lf__grid_make_box(lf_grid *grid) {
    bool any = grid->lowest <= grid->highest;
    grid->box = lf_box_empty();
    if (!any && !grid->partial) // the other parts of a partial grid may have heights
        return;
    for (int k = 0; k < 4; k++) {
        double i = k & 1 ? grid->high.x : grid->low.x, j = k & 2 ? grid->high.y : grid->low.y;
        lf_vec2 at = lf_geotransform_at(&grid->geotransform, i, j);
        lf_vec3 corner = {at.x, at.y, !any ? 0 : k & 1 ? grid->highest : grid->lowest};
        grid->box = lf_box_with(grid->box, corner);
    }
}

static lf_status grid_build(lf_grid *grid, const lf_grid_def *def, lf_error *error) {
    const lf_window whole = {0, 0, grid->columns, grid->rows};
    grid->parts = def->partial ? def->parts : &whole;
    grid->part_count = def->partial ? def->part_count : 1;
    lf_status status = lf__grid_read_samples(grid, def, error);
    if (status != LF_OK)
        return status;
    if (def->codec != LF_CODEC_RAW)
        status = lf__grid_compress(grid, def, error);
    if (status != LF_OK)
        return status;
    status = lf__grid_lay_out(grid) ? lf__grid_fill(grid, &def->host) : LF_TOO_LARGE;
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    lf__grid_make_box(grid);
    if (grid->packed)
        lf__packed_end(grid);
    grid->parts = NULL;
    grid->part_count = 0;
    return LF_OK;
}

/// Max-plus tiles have bounds of their own.
static int grid_leaf(const lf_grid_def *def) {
    int chosen = def->codec == LF_CODEC_MAXPLUS ? LF__CODEC_SIDE : GRID_DEFAULT_LEAF;
    return def->leaf ? def->leaf : chosen;
}

/// Create a grid from a checked def.
static lf_status grid_create(const lf_grid_def *checked, lf_grid **grid, lf_error *error) {
    lf_grid_def def = *checked;
    lf_status status = lf__grid_check_parts(&def, error);
    if (status != LF_OK)
        return status;
    lf_allocator allocator = lf__allocator_of(&def.host);
    lf_grid *fresh = lf__allocate(&allocator, sizeof *fresh, _Alignof(lf_grid));
    if (!fresh)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *fresh = (lf_grid){.allocator = allocator,
                       .columns = def.samples.columns,
                       .rows = def.samples.rows,
                       .surface = def.surface,
                       .extend = def.extend && def.surface != LF_SURFACE_POINT,
                       .leaf = grid_leaf(&def),
                       .derived = def.derived_bounds,
                       .stamp = lf__grid_stamp(),
                       .geotransform = def.geotransform,
                       .turn = def.turn,
                       .repeated = def.repeated,
                       .partial = def.partial,
                       .frame = lf_frame_default()};
    lf__grid_start(fresh);
    status = grid_build(fresh, &def, error);
    if (status != LF_OK) {
        lf_grid_destroy(fresh);
        return status;
    }
    lf__grid_init_ground(fresh);
    *grid = fresh;
    return LF_OK;
}

/// Copy samples with their first column repeated after the last. The caller frees `memory`.
static lf_status grid_repeat_column(const lf_samples *s, const lf_allocator *allocator, lf_samples *longer,
                                    void **memory) {
    size_t item = lf__sample_size(s->type);
    int64_t count, bytes;
    *longer = *s;
    longer->columns = s->columns + 1;
    longer->column_step = (ptrdiff_t)item;
    longer->row_step = (ptrdiff_t)(longer->columns * (int64_t)item);
    longer->mask_row_step = (ptrdiff_t)longer->columns;
    if (__builtin_mul_overflow(longer->columns, s->rows, &count) ||
        __builtin_mul_overflow(count, (int64_t)item + 1, &bytes))
        return LF_TOO_LARGE;
    lf_status status = lf__allocate_array(allocator, bytes, 1, memory);
    if (status != LF_OK)
        return status;
    char *values = *memory;
    uint8_t *mask = (uint8_t *)values + count * (int64_t)item;
    for (int64_t j = 0; j < s->rows; j++)
        for (int64_t i = 0; i <= s->columns; i++) {
            int64_t from = i < s->columns ? i : 0;
            memcpy(values + j * longer->row_step + i * longer->column_step, lf__samples_at(s, from, j), item);
            mask[j * longer->columns + i] = s->mask ? s->mask[j * s->mask_row_step + from] : 1;
        }
    longer->values = values;
    longer->mask = s->mask ? mask : NULL;
    return LF_OK;
}

/// Create a grid whose columns span the whole turn: it gets one more column, for the cells across the seam.
static lf_status grid_create_closed(const lf_grid_def *given, lf_grid **grid, lf_error *error) {
    lf_grid_def def = *given;
    lf_allocator allocator = lf__allocator_of(&def.host);
    void *memory = NULL;
    lf_error inner = {.where = -1};
    if (def.repeated) {
        def.samples.columns++;
    } else if (def.borrow && def.codec == LF_CODEC_RAW) {
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "borrow is set and columns span the whole turn: must repeat the first column");
    } else {
        lf_status status = grid_repeat_column(&given->samples, &allocator, &def.samples, &memory);
        if (status != LF_OK)
            return lf__fail_plain(error, status);
    }
    def.repeated = true;
    lf_status status = grid_create(&def, grid, &inner);
    lf__free_array(&allocator, memory,
                   def.samples.rows * def.samples.columns * // as allocated
                       ((int64_t)lf__sample_size(def.samples.type) + 1),
                   1);
    if (status != LF_OK && error) {
        *error = inner;
        if (inner.where >= 0) // count without the repeated column
            error->where = inner.where / def.samples.columns * given->samples.columns +
                           inner.where % def.samples.columns;
    }
    return status;
}

/// The values of a grid of no parts, which reads none.
static const double no_samples = 0;

lf_status lf_grid_create(const lf_grid_def *given, lf_grid **grid, lf_error *error) {
    lf_grid_def def = lf_grid_def_default();
    lf_status status = lf__def_read(&def, sizeof def, given, error);
    if (status != LF_OK)
        return status;
    if (!grid)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "grid is NULL");
    status = grid_check_def(&def, error);
    if (status != LF_OK)
        return status;
    int64_t round = grid_columns_of_turn(&def.geotransform, def.turn);
    bool closed = def.samples.columns == round && grid_can_wrap(def.surface, round);
    if (def.repeated && def.samples.row_step == 0) // rows are one sample longer than their columns
        def.samples.row_step =
            (ptrdiff_t)((def.samples.columns + 1) * (int64_t)lf__sample_size(def.samples.type));
    if (def.repeated && def.samples.mask_row_step == 0)
        def.samples.mask_row_step = (ptrdiff_t)(def.samples.columns + 1);
    bool nothing = def.partial && def.part_count == 0 && !def.samples.values;
    if (nothing)
        def.samples.values = &no_samples;
    status = lf__samples_check(&def.samples, 2, error);
    if (status != LF_OK)
        return status;
    if (closed)
        return grid_create_closed(&def, grid, error);
    def.repeated = false;
    return grid_create(&def, grid, error);
}

void lf_grid_destroy(lf_grid *grid) {
    if (!grid)
        return;
    lf_allocator allocator = grid->allocator;
    lf__guard_free(&allocator, grid->guard);
    if (grid->packed)
        lf__packed_end(grid);
    lf__packed_free(&allocator, grid->packed);
    if (!grid->mapped || grid->derived)
        lf__grid_free(grid, grid->bounds, grid->bound_count, sizeof *grid->bounds);
    if (!grid->mapped) {
        if (grid->gaps != grid->voids)
            lf__grid_free(grid, grid->gaps, lf__grid_void_entries(grid), sizeof *grid->gaps);
        lf__grid_free(grid, grid->voids, lf__grid_void_entries(grid), sizeof *grid->voids);
        lf__grid_free(grid, grid->planes, grid->plane_count, sizeof *grid->planes);
    }
    lf__free_array(&allocator, grid->extremes, grid->extreme_count, sizeof *grid->extremes);
    lf__free(&allocator, grid->memory, grid->memory_bytes, LF__CACHE_LINE);
    lf__free(&allocator, grid, sizeof *grid, _Alignof(lf_grid));
}

int64_t lf_grid_round(const lf_grid *grid) {
    return grid->round;
}

/// Voids of the caller's samples.
static int64_t grid_count_voids(const lf_grid *grid) {
    int64_t count = grid->hole_count;
    for (int64_t j = 0; j < grid->rows && grid->repeated && grid->voids; j++)
        count -= lf__grid_is_void(grid, grid->columns - 1, j);
    return count;
}

lf_grid_info lf_grid_describe(const lf_grid *grid) {
    lf_grid_info info = {.columns = lf__grid_columns(grid),
                         .rows = grid->rows,
                         .hole_count = grid_count_voids(grid),
                         .surface = grid->surface,
                         .geotransform = grid->geotransform,
                         .extend = grid->extend,
                         .leaf = grid->leaf,
                         .low = grid->lowest,
                         .high = grid->highest,
                         .box = grid->box,
                         .pyramid_bytes = (size_t)grid->bound_count * sizeof *grid->bounds};
    size_t bits = (size_t)lf__grid_void_entries(grid) * sizeof *grid->voids;
    info.bytes = sizeof *grid + info.pyramid_bytes + grid->memory_bytes;
    info.bytes += (size_t)grid->extreme_count * sizeof *grid->extremes;
    info.bytes += (size_t)grid->plane_count * sizeof *grid->planes;
    info.bytes += (grid->voids ? bits : 0) + (grid->gaps != grid->voids ? bits : 0);
    info.sample_bytes = grid->memory_bytes;
    if (grid->mapped && !grid->packed)
        info.sample_bytes = (size_t)(grid->rows - 2 * grid->first) * (size_t)grid->row_step;
    info.codec = lf__codec_of(grid->packed);
    if (grid->packed) {
        info.sample_bytes =
            (size_t)(grid->packed->byte_count + lf__packed_tiles(grid->packed) * LF__INDEX_ENTRY);
        info.bytes += info.sample_bytes + sizeof *grid->packed;
        info.max_error = grid->packed->max_error;
        info.largest_error = grid->packed->largest_error;
        info.mean_square_error = grid->packed->mean_square_error;
    }
    return info;
}

lf__grid_range lf__grid_gap_range(const lf_grid *grid, int64_t i, int64_t j) {
    lf__grid_range range = lf__grid_range_empty();
    if (!lf__grid_parts(grid, i, j))
        return range;
    for (int k = 0; k < 4; k++) {
        int64_t x = i + (k & 1), y = j + (k >> 1);
        if (!lf__grid_is_void(grid, x, y)) // all other corners belong to the remaining triangle
            lf__grid_range_add(&range, lf__grid_height(grid, x, y));
    }
    return range;
}

bool lf__grid_bare_between(const lf_grid *grid, int64_t i, int64_t j) {
    if (grid->surface == LF_SURFACE_POINT)
        return false;
    int64_t first = grid->first, columns = first + grid->square_columns, rows = first + grid->square_rows;
    for (int64_t y = j > first ? j - 1 : first; y <= j && y < rows; y++)
        for (int64_t k = i - 1; k <= i; k++) {
            // A grid that wraps continues across the seam.
            int64_t x = !grid->round ? k : k < first ? k + grid->round : k >= columns ? k - grid->round : k;
            if (x < first || x >= columns)
                continue;
            // Both triangles share the ends of the diagonal, and each has one more corner.
            bool diagonal = lf__grid_falls(grid, x, y) == ((k == i) != (y == j));
            if (lf__grid_parts(grid, x, y) & (diagonal ? LF__GRID_WHOLE : y == j ? 1u : 2u))
                return false;
        }
    return true;
}

/// Samples of a damaged file count as voids.
static bool grid_sample_is_void(const lf_grid *grid, int64_t column, int64_t row) {
    lf__grid_touch_place(grid, (lf_vec2){(double)column, (double)row});
    return lf__grid_is_void(grid, column, row) || lf__grid_status(grid, LF_OK) != LF_OK;
}

double lf_grid_sample(const lf_grid *grid, int64_t column, int64_t row) {
    if (column < 0 || row < 0 || column >= lf__grid_columns(grid) || row >= grid->rows ||
        grid_sample_is_void(grid, column, row))
        return LF_NAN;
    return lf__grid_height(grid, column, row);
}

/// Samples are read in squares of this side, which are multiples of tiles.
#define GRID_READ_SIDE 32

/// The values of samples of one type, before scale and offset.
#define GRID_READ_VALUES(type)          \
    for (int64_t k = 0; k < count; k++) \
    heights[k] = (double)*(const type *)(const void *)(at + k * step)

/// lf_grid_sample of existing samples of a row.
static void grid_read_row(const lf_grid *view, int64_t column, int64_t row, int64_t count, double *heights) {
    ptrdiff_t step = view->column_step;
    const char *at = view->packed ? NULL : view->values + row * view->row_step + column * step;
    if (view->packed)
        lf__packed_row(view, column, row, count, heights);
    else if (view->type == LF_SAMPLE_DOUBLE)
        GRID_READ_VALUES(double);
    else if (view->type == LF_SAMPLE_INT16)
        GRID_READ_VALUES(int16_t);
    else if (view->type == LF_SAMPLE_UINT16)
        GRID_READ_VALUES(uint16_t);
    else
        GRID_READ_VALUES(float);
    for (int64_t k = 0; k < count && !view->plain; k++)
        heights[k] = heights[k] * view->scale + view->offset;
    for (int64_t k = 0; k < count && view->voids; k++)
        if (lf__grid_bit(view, view->voids, column + k, row))
            heights[k] = LF_NAN;
}

lf_status lf_grid_read(const lf_grid *grid, int64_t column, int64_t row, int64_t columns, int64_t rows,
                       double *heights) {
    if (!grid || !heights || column < 0 || row < 0 || columns < 1 || rows < 1 ||
        columns > lf__grid_columns(grid) || rows > grid->rows || column > lf__grid_columns(grid) - columns ||
        row > grid->rows - rows)
        return LF_BAD_ARGUMENT;
    lf__grid_scratch space;
    lf__grid_touch_box(grid, (lf_vec2){(double)column, (double)row},
                       (lf_vec2){(double)(column + columns - 1), (double)(row + rows - 1)});
    if (lf__grid_status(grid, LF_OK) != LF_OK) { // samples of a damaged file count as voids
        for (int64_t k = 0; k < columns * rows; k++)
            heights[k] = LF_NAN;
        return lf__grid_status(grid, LF_OK);
    }
    const lf_grid *view = lf__grid_open(grid, NULL, &space);
    int64_t side = view->packed ? GRID_READ_SIDE : columns; // what is not compressed is read in whole rows
    for (int64_t by = row / GRID_READ_SIDE * GRID_READ_SIDE; by < row + rows; by += GRID_READ_SIDE)
        for (int64_t bx = view->packed ? column / side * side : column; bx < column + columns; bx += side)
            for (int64_t j = by < row ? row : by; j < by + GRID_READ_SIDE && j < row + rows; j++) {
                int64_t i = bx < column ? column : bx;
                int64_t end = bx + side < column + columns ? bx + side : column + columns;
                grid_read_row(view, i, j, end - i, heights + (j - row) * columns + (i - column));
            }
    return lf__grid_status(grid, LF_OK);
}

lf_vec2 lf_grid_locate(const lf_grid *grid, lf_vec2 world) {
    return lf__grid_place(grid, lf__grid_turned(grid, world.x), world.y);
}

lf_window lf_grid_window(const lf_grid *grid) {
    return (lf_window){0, 0, lf__grid_columns(grid), grid->rows};
}

lf_pyramid_size lf_grid_pyramid_size(int64_t columns, int64_t rows, int leaf) {
    lf_pyramid_size size = {0, 0, 0};
    lf_grid grid = {.square_columns = columns - 1, .square_rows = rows - 1, .leaf = leaf};
    if (columns < 2 || rows < 2 || !lf__leaf_valid(leaf) || !lf__grid_lay_out(&grid))
        return size;
    for (int l = grid.first_top; l < grid.level_count; l++) {
        size.nodes += grid.levels[l].columns * grid.levels[l].rows;
        size.levels++;
        if (grid.levels[l].columns == 1 && grid.levels[l].rows == 1)
            break;
    }
    size.bytes = grid.bound_count * (int64_t)sizeof(uint16_t);
    return size;
}
