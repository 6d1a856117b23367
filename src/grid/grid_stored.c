
#include "base/base.h"
#include "grid/grid_kernels.h"
#include "grid/guard.h"
#include "grid/packed.h"
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// To a file
// ---------------------------------------------------------------------------------------------------

int64_t lf__grid_store_rows(const lf_grid *grid, size_t *bytes) {
    *bytes = (size_t)(grid->columns - 2 * grid->first) * lf__sample_size(grid->type);
    return grid->rows - 2 * grid->first;
}

void lf__grid_store_row(const lf_grid *grid, int64_t row, void *samples) {
    size_t item = lf__sample_size(grid->type);
    int64_t j = lf__grid_ring_row(grid, row + grid->first), end = grid->columns - grid->first;
    const char *from = grid->values + j * grid->row_step;
    char *to = samples;
    bool whole = grid->column_step == (ptrdiff_t)item;
    if (whole)
        memcpy(to + (size_t)-grid->first * item, from, (size_t)grid->columns * item);
    for (int64_t k = grid->first; k < end; k++) {
        if (whole && k == 0)
            k = grid->columns; // between are those that have been copied
        if (k < end)
            memcpy(to + (size_t)(k - grid->first) * item,
                   from + lf__grid_ring_column(grid, k) * grid->column_step, item);
    }
    bool floats = grid->type == LF_SAMPLE_FLOAT || grid->type == LF_SAMPLE_DOUBLE;
    for (int64_t k = grid->first; k < end && grid->voids && floats; k++, to += item)
        if (lf__grid_is_void(grid, lf__grid_ring_column(grid, k), j))
            memcpy(to, grid->type == LF_SAMPLE_FLOAT ? (const void *)&(float){NAN} : &(double){LF_NAN}, item);
}

static lf__bytes stored_bits(const uint64_t *bits, int64_t count) {
    return (lf__bytes){bits, bits ? (size_t)count * sizeof *bits : 0};
}

void lf__grid_store(const lf_grid *grid, lf__grid_stored *s) {
    const lf__packed *packed = grid->packed;
    *s = (lf__grid_stored){.columns = grid->columns,
                           .rows = grid->rows,
                           .surface = grid->surface,
                           .extend = grid->extend,
                           .leaf = grid->leaf,
                           .codec = lf__codec_of(packed),
                           .type = grid->type,
                           .scale = grid->scale,
                           .offset = grid->offset,
                           .geotransform = grid->geotransform,
                           .turn = grid->turn,
                           .repeated = grid->repeated,
                           .hole_count = grid->hole_count,
                           .lowest = grid->lowest,
                           .highest = grid->highest,
                           .base = grid->base,
                           .quantum = grid->quantum,
                           .steepest = grid->line_level ? grid->steepest : -1};
    if (!grid->derived)
        s->bounds = (lf__bytes){grid->bounds, (size_t)grid->bound_count * sizeof *grid->bounds};
    s->holes = stored_bits(grid->voids, lf__grid_void_entries(grid));
    s->gaps = stored_bits(grid->gaps == grid->voids ? NULL : grid->gaps, lf__grid_void_entries(grid));
    s->planes = (lf__bytes){grid->planes, (size_t)grid->plane_count * sizeof *grid->planes};
    if (packed) {
        s->max_error = packed->max_error;
        s->largest_error = packed->largest_error;
        s->mean_square_error = packed->mean_square_error;
        s->tiles = (lf__bytes){packed->bytes, (size_t)packed->byte_count};
        s->index = (lf__bytes){packed->index,
                               (size_t)(lf__packed_tiles(packed) * LF__INDEX_ENTRY + LF__INDEX_SPARE)};
    } else {
        size_t row;
        int64_t rows = lf__grid_store_rows(grid, &row);
        s->samples = (lf__bytes){NULL, (size_t)rows * row + LF__GRID_SPARE};
    }
}

// ---------------------------------------------------------------------------------------------------
// From a file
// ---------------------------------------------------------------------------------------------------

static bool stored_in_range(double x) {
    return fabs(x) <= LF__GRID_LIMIT;
}

/// Without heights the range is infinite and reversed.
static bool stored_extremes_valid(const lf__grid_stored *s) {
    return (stored_in_range(s->lowest) && stored_in_range(s->highest) && s->lowest <= s->highest) ||
           (s->lowest == LF_INFINITY && s->highest == -LF_INFINITY);
}

static bool stored_errors_valid(const lf__grid_stored *s) {
    const double errors[] = {s->max_error, s->largest_error, s->mean_square_error};
    for (int k = 0; k < 3; k++)
        if (!(errors[k] >= 0) || isinf(errors[k]))
            return false;
    return true;
}

static const char *stored_invalid_part(const lf__grid_stored *s) {
    const int64_t most = (int64_t)1 << 40;
    int64_t count;
    if (s->columns < 2 || s->rows < 2 || s->columns > most || s->rows > most ||
        __builtin_mul_overflow(s->columns + 2, s->rows + 2, &count))
        return "size";
    if (!(s->turn >= 0 && stored_in_range(s->turn)) ||
        !lf__grid_turn_fits(s->turn, s->columns, &s->geotransform) ||
        (s->turn > 0 && (s->geotransform.per_column.y != 0 || s->geotransform.per_row.x != 0)))
        return "turn";
    if (strcmp(lf_surface_name(s->surface), "?") == 0)
        return "surface";
    if (!lf__leaf_valid(s->leaf))
        return "leaf";
    if (strcmp(lf_codec_name(s->codec), "?") == 0)
        return "codec";
    if (lf__sample_size(s->type) == 0)
        return "sample type";
    if (!isfinite(s->scale) || s->scale == 0 || !isfinite(s->offset))
        return "scale and offset";
    if (!stored_extremes_valid(s) || !stored_in_range(s->base) || !stored_in_range(s->quantum) ||
        !(s->quantum > 0))
        return "range of heights";
    if (!stored_errors_valid(s))
        return "error of compression";
    if (s->extend && s->surface == LF_SURFACE_POINT)
        return "border";
    return s->hole_count < 0 || s->hole_count > count ? "count of voids" : NULL;
}

static bool stored_fits(lf__bytes bytes, int64_t count, size_t item) {
    size_t size;
    return lf__size_array(count, item, &size) && bytes.size == size && (size == 0 || bytes.data);
}

static lf_status stored_read_tiles(lf_grid *grid, const lf__grid_stored *s) {
    lf__packed *p = lf__packed_create(grid, s->codec);
    if (!p)
        return LF_NO_MEMORY;
    p->bytes = s->tiles.data;
    p->byte_count = (int64_t)s->tiles.size;
    p->index = s->index.data;
    p->max_error = s->max_error;
    p->largest_error = s->largest_error;
    p->mean_square_error = s->mean_square_error;
    grid->type = LF_SAMPLE_DOUBLE;
    bool fine = stored_fits(s->index, lf__packed_tiles(p) * LF__INDEX_ENTRY + LF__INDEX_SPARE, 1) &&
                s->tiles.size > 0;
    return fine ? LF_OK : LF_BAD_FORMAT;
}

static lf_status stored_read_samples(lf_grid *grid, const lf__grid_stored *s) {
    size_t item = lf__sample_size(s->type), row, all;
    int64_t ring = -grid->first;
    if (!lf__size_array(grid->columns + 2 * ring, item, &row) ||
        !lf__size_array(grid->rows + 2 * ring, row, &all) || !lf__size_add(all, LF__GRID_SPARE, &all) ||
        s->samples.size != all || !s->samples.data)
        return LF_BAD_FORMAT;
    grid->type = s->type;
    grid->column_step = (ptrdiff_t)item;
    grid->row_step = (ptrdiff_t)row;
    grid->values = (const char *)s->samples.data + ring * (grid->row_step + grid->column_step);
    return LF_OK;
}

/// Voids are bits of samples and, except for LF_SURFACE_POINT, of squares; both or neither.
static lf_status stored_read_voids(lf_grid *grid, const lf__grid_stored *s) {
    bool points = grid->surface == LF_SURFACE_POINT;
    if (s->holes.size == 0 && s->gaps.size == 0 && s->hole_count == 0)
        return LF_OK;
    if (!stored_fits(s->holes, lf__grid_void_entries(grid), 8) ||
        !(points ? s->gaps.size == 0 : stored_fits(s->gaps, lf__grid_void_entries(grid), 8)))
        return LF_BAD_FORMAT;
    grid->voids = (uint64_t *)(uintptr_t)s->holes.data;
    grid->gaps = points ? grid->voids : (uint64_t *)(uintptr_t)s->gaps.data;
    return LF_OK;
}

static lf_status stored_read_bounds(lf_grid *grid, const lf__grid_stored *s) {
    grid->derived = s->bounds.size == 0 && s->leaf == LF__WAVE_SIDE &&
                    (s->codec == LF_CODEC_HAAR || s->codec == LF_CODEC_D4);
    if (!lf__grid_lay_out(grid) ||
        (!grid->derived && !stored_fits(s->bounds, grid->bound_count, sizeof *grid->bounds)))
        return LF_BAD_FORMAT;
    grid->bounds = (uint16_t *)(uintptr_t)s->bounds.data;
    if (grid->derived) {
        lf_status status =
            lf__grid_allocate(grid, grid->bound_count, sizeof *grid->bounds, (void **)&grid->bounds);
        if (status != LF_OK)
            return status;
    }
    lf__grid_place_levels(grid);
    if (s->planes.size > 0) {
        const lf__grid_level *level = &grid->levels[LF__GRID_PLANE];
        if (grid->level_count <= LF__GRID_PLANE ||
            !stored_fits(s->planes, level->columns * level->rows, sizeof *grid->planes))
            return LF_BAD_FORMAT;
        grid->planes = (lf__grid_plane *)(uintptr_t)s->planes.data;
        grid->plane_count = level->columns * level->rows;
    }
    return LF_OK;
}

static lf_status stored_read_all(lf_grid *grid, const lf__grid_stored *s, lf_error *error) {
    const char *what = "geotransform";
    lf_status status = lf__grid_start(grid) && (grid->round || !grid->repeated) ? LF_OK : LF_BAD_FORMAT;
    if (status == LF_OK) {
        grid->void_words = (grid->columns - 2 * grid->first + 63) / 64;
        what = "samples";
        status = s->codec == LF_CODEC_RAW ? stored_read_samples(grid, s) : stored_read_tiles(grid, s);
    }
    if (status == LF_OK) {
        what = "voids";
        status = stored_read_voids(grid, s);
    }
    if (status == LF_OK) {
        what = "bounds";
        status = stored_read_bounds(grid, s);
    }
    if (status == LF_BAD_FORMAT)
        return lf__fail(error, status, -1, "the %s of the grid: does not fit its size", what);
    return status == LF_OK ? LF_OK : lf__fail_plain(error, status);
}

lf_status lf__grid_from_stored(const lf__grid_stored *s, const lf_host *host, lf_grid **grid,
                               lf_error *error) {
    const char *wrong = stored_invalid_part(s);
    if (wrong)
        return lf__fail(error, LF_BAD_FORMAT, -1, "the %s of the grid: invalid", wrong);
    lf_allocator allocator = lf__allocator_of(host);
    lf_grid *fresh = lf__allocate(&allocator, sizeof *fresh, _Alignof(lf_grid));
    if (!fresh)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *fresh = (lf_grid){.allocator = allocator,
                       .columns = s->columns,
                       .rows = s->rows,
                       .surface = s->surface,
                       .extend = s->extend,
                       .leaf = s->leaf,
                       .scale = s->scale,
                       .offset = s->offset,
                       .plain = s->scale == 1 && s->offset == 0,
                       .hole_count = s->hole_count,
                       .lowest = s->lowest,
                       .highest = s->highest,
                       .base = s->base,
                       .quantum = s->quantum,
                       .geotransform = s->geotransform,
                       .turn = s->turn,
                       .repeated = s->repeated,
                       .frame = lf_frame_default(),
                       .stamp = lf__grid_stamp(),
                       .mapped = true};
    lf_status status = stored_read_all(fresh, s, error);
    if (status != LF_OK) {
        lf_grid_destroy(fresh);
        return status;
    }
    lf__grid_prepare_known(fresh, s->steepest);
    lf__grid_make_box(fresh);
    if (s->sums.size > 0) {
        status = s->sums.size == lf__guard_bytes(s->columns, s->rows)
                     ? lf__guard_start(fresh, s, error)
                     : lf__fail(error, LF_BAD_FORMAT, -1,
                                "the grid is damaged: the checksum of its bounds is wrong");
        if (status != LF_OK) {
            lf_grid_destroy(fresh);
            return status;
        }
    }
    if (fresh->derived) { // from tiles that are checked first
        lf_vec2 nan = {LF_NAN, LF_NAN};
        status = lf__grid_secure(fresh, nan, nan, error);
        if (status == LF_BAD_FORMAT)
            lf__fail(error, status, -1, "the grid is damaged: the checksum of its tiles is wrong");
        if (status == LF_OK) {
            status = lf__grid_derive_bounds(fresh);
            if (status != LF_OK)
                lf__fail_plain(error, status);
        }
        if (status != LF_OK) {
            lf_grid_destroy(fresh);
            return status;
        }
    }
    if (fresh->lowest <= fresh->highest &&
        !(lf_vec3_finite(fresh->box.low) && lf_vec3_finite(fresh->box.high))) {
        lf_grid_destroy(fresh);
        return lf__fail(error, LF_BAD_FORMAT, -1, "the box of the grid: must be finite");
    }
    lf__grid_init_ground(fresh);
    *grid = fresh;
    return LF_OK;
}
