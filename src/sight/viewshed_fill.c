/// Filling the chunks of a sweep: slopes of samples, places of bins, and the errors of both.
///
/// Samples of a ring are consecutive in memory in two of six sectors. In the others rings are: there the rows
/// of the tile are rows of the grid, and are read for all rings at once.
#include "grid/grid_query.h"
#include "sight/viewshed_sweep.h"
#include <math.h>
#include <string.h>

/// Rounding error of directions and places, relative to the step between samples.
#define OFF_STEP 3e-4

/// Rows of the tile around those of some bins: kernels load eight at once.
#define ROWS_BEFORE 3
#define ROWS_AFTER 5
#define ROWS_SPARE LF__SLOPES_SPARE

/// Slopes that are computed at once, at most.
#define FILL_LEAST 16

lf__sample_span lf__group_samples(const lf__bin_group *c, int64_t ring) {
    const lf__sector *s = c->sector;
    int64_t first = c->group == 0 ? s->low_b : lf__floor_place(lf__bin_group_place(s, c->v0, ring)) + 1;
    int64_t last = c->group == s->groups - 1 ? ring + s->high_less
                                             : lf__floor_place(lf__bin_group_place(s, c->v1, ring));
    first = first < s->low_b ? s->low_b : first;
    last = last > ring + s->high_less ? ring + s->high_less : last;
    return (lf__sample_span){first, last < first - 1 ? first - 1 : last};
}

/// How far slopes of lowered ground between the last ring and one at a distance are above those on the rings, and those
/// above straight edges: (x - x0) * (x1 - x) / x is at most (x1 - x0)^2 / (4 * x0), and at most x1 - x0.
static double bulge_slope(const lf__sector *s, double a, double per_before) {
    double both = s->sag + s->bulge;
    return a > 1.25 ? both * per_before
                    : 4 * both + s->bulge / a; // the edges of the ring itself may be nearer
}

/// Rounding error of slopes of at most `size` that are computed in floats (lf__slope_base). What is added up is the
/// slope above the base, which is rounded three times, what the terms of the first degree differ from those at the base, and terms of
/// higher degrees: of each a rounded coefficient, b, which is rounded twice each time it is a factor, and a product and a sum for
/// each such time. None of the sums is greater than all of these together. The base itself is rounded, and the slope for that.
static double float_off(const lf__bin_group *c, int r, double a, double size) {
    const double *less = c->chunk->less[r], height = fabs(c->sweep->view->z) + c->sweep->most_height;
    double high = 0,
           across = ((c->v1 - c->v0) * a + LF__CHUNK_RINGS + ROWS_SPARE + FILL_LEAST) * fabs(less[1]);
    for (int j = c->sector->lowering.degree; j >= 2; j--)
        high = high * (a + 3) + (4 * j + 10) * fabs(less[j]);
    high *= (a + 3) * (a + 3);
    return 1.001 * 0x1p-24 * (10 * size + 10 * across + high) + 0x1p-44 * height / a;
}

/// Bounds of the slopes of voids, which are as high as the highest ground.
static void set_void_bounds(const lf__bin_group *c, int r, double a, double off) {
    lf__chunk_ring *out = &c->chunk->ring[r];
    const double *less = c->chunk->less[r];
    double height = c->sweep->void_height, curve = 0, size = 0, width = 1.0 / c->chunk->all_bins;
    for (int j = LF__SERIES_USED; j >= 0; j--) {
        double here = j <= c->sector->lowering.degree ? less[j] : 0;
        curve = curve * a + j * (j - 1) * fabs(here);
        size = size * a + fabs(here);
        out->less[j] = (float)here;
    }
    // Lowering is not linear between two borders.
    off += 0.125 * curve * width * width + 4e-6 * size;
    double most = height / (height > 0 ? fmax(a - 1, 1e-3) : a), least = height / a;
    out->void_most = (float)(most + off + 1e-6 * fabs(most));
    out->void_least = (float)(least - off - 1e-6 * fabs(least));
    if (!c->sweep->finds_voids)
        out->void_most = out->void_least = -LF__FAR_SLOPE;
    float top = (float)((double)out->void_most + size);
    c->chunk->void_top = top > c->chunk->void_top ? top : c->chunk->void_top;
}

double lf__ring_off(const lf__bin_group *c, int r, double a, double size, double step) {
    const lf__sweep *sweep = c->sweep;
    const lf__sector *s = c->sector;
    double per_a = 1 / a, per_before = 1 / (a > 1 ? a - 1 : a);
    double off = LF__OFF_HEIGHT * (size + fabs(sweep->view->def.target * per_a)) + OFF_STEP * step +
                 bulge_slope(s, a, per_before) + sweep->uneven * s->most_metric * a;
    // Slopes are small where the ground follows the plane; the numbers that they are differences of are not.
    off += 0x1p-46 * (sweep->most_height * per_a + fabs(s->tilt[0]) + fabs(s->tilt[1]) + s->most_metric * a);
    // Exact lines are off by some metres where they pass the ground; as a slope this is greater for nearer
    // ground, which may be anywhere in the strip before the ring. The ground before the first ring has its
    // own bounds.
    off += sweep->line_off * per_before;
    if (sweep->in_floats)
        off += float_off(c, r, a, size);
    return off;
}

/// Rounding errors of the slopes of a ring.
static void set_ring(const lf__bin_group *c, int r, double size, double step) {
    const lf__sweep *sweep = c->sweep;
    const lf__sector *s = c->sector;
    lf__chunk *chunk = c->chunk;
    lf__chunk_ring *out = &chunk->ring[r];
    double a = (double)(chunk->base_ring + r) - s->oa;
    lf__sample_span samples = lf__group_samples(c, chunk->base_ring + r);
    out->first = (float)(samples.low - 1 - chunk->base);
    out->last = (float)(samples.high - chunk->base);
    out->a = (float)a;
    if (!(a > 0))
        return;
    double target = sweep->view->def.target / a, per_bin = chunk->all_bins / a,
           off = lf__ring_off(c, r, a, size, step);
    if (sweep->voids)
        set_void_bounds(c, r, a, off);
    out->per_bin = (float)per_bin;
    double share_off = 3 * (double)LF__SWEEP_OFF * per_bin;
    out->share_off = share_off < 1 ? (float)share_off : 1;
    out->off = (float)off;
    // The last piece of ground ends at the target, which may be on the ground: there it must stay below a
    // line that sags.
    double sag = s->sag > 0 ? 4 * s->sag / (a > 1 ? a - 1 : 0) : 0, target_low = target - off - sag;
    out->target_low = target_low > -(double)LF__FAR_SLOPE ? (float)target_low : -LF__FAR_SLOPE;
    out->target_high = (float)(target + off);
}

/// On the ring at a distance, at b.
static lf__slope_base slope_base_of(const double *c, double z, double a, double b) {
    double less = c[0] + c[1] * b;
    float height = (float)(z + less * a);
    return (lf__slope_base){height, (float)(less - ((double)height - z) * (1 / a))};
}

static float fill_slope_of(const lf__slope_row *row, int k, double height) {
    double b = row->first + k, less = row->c[row->degree];
    for (int j = row->degree - 1; j >= 0; j--)
        less = less * b + row->c[j];
    return (float)((height - row->z) * row->per_a - less);
}

void lf__slopes_scalar(const lf__slope_row *row, float *slope) {
    const char *at = row->at;
    for (int k = 0; k < row->count; k++, at += row->step) {
        double sample = lf__sample_read(row->type, at);
        slope[k] = fill_slope_of(row, k, row->plain ? sample : sample * row->scale + row->offset);
    }
}

/// Rows of the tile: first .. end - 1.
typedef struct fill_rows {
    int first, end;
} fill_rows;

/// Find the voids of a ring, of which `count` samples from (i, j) on exist, from a row of the tile on.
static void read_voids(const lf__bin_group *c, uint64_t *mask, int row, int count, const int64_t at[2]) {
    const lf__sector *s = c->sector;
    const lf_grid *grid = c->sweep->view->grid;
    for (int k = 0, many; k < count; k += many) {
        many = count - k < 56 ? count - k : 56;
        int64_t first = at[0] + (s->across.i < 0 ? -(int64_t)(k + many - 1) : k);
        for (uint64_t bits = lf__grid_bits(grid, grid->voids, first, at[1], many); bits; bits &= bits - 1) {
            int bit = __builtin_ctzll(bits), to = row + k + (s->across.i < 0 ? many - 1 - bit : bit);
            mask[to >> 6] |= (uint64_t)1 << (to & 63);
        }
    }
}

/// Write the voids of a ring into its slopes.
static void put_voids(lf__chunk *chunk, int r, int first, int end) {
    for (int word = first >> 6; word <= (end - 1) >> 6; word++)
        for (uint64_t bits = chunk->void_mask[r][word]; bits; bits &= bits - 1) {
            int row = 64 * word + __builtin_ctzll(bits);
            if (row < first || row >= end)
                continue;
            chunk->slope[r][row] = LF__VOID_SLOPE;
            chunk->voids = true;
        }
}

/// Copy samples from and to places so many bytes apart.
static inline void copy_samples(const char *from, ptrdiff_t step, int count, char *to, ptrdiff_t to_step,
                                size_t size) {
    if (size == sizeof(int16_t))
        for (int k = 0; k < count; k++, from += step, to += to_step)
            *(int16_t *)(void *)to = *(const int16_t *)(const void *)from;
    else if (size == sizeof(float))
        for (int k = 0; k < count; k++, from += step, to += to_step)
            *(float *)(void *)to = *(const float *)(const void *)from;
    else
        for (int k = 0; k < count; k++, from += step, to += to_step)
            *(double *)(void *)to = *(const double *)(const void *)from;
}

/// A row of the tile that is a row of the grid: of the rings first .. last its samples exist.
typedef struct row_across {
    const char *from; ///< of ring 0, though that may not exist
    int first, last;
} row_across;

static row_across find_row(const lf__bin_group *c, int row) {
    const lf__chunk *chunk = c->chunk;
    const lf__sector *s = c->sector;
    const lf_grid *grid = c->sweep->view->grid;
    int64_t b = chunk->base + row, j = b * s->across.j, i = chunk->base_ring * s->along.i + b * s->across.i;
    int64_t first = s->along.i > 0 ? -i : i - grid->columns + 1,
            last = s->along.i > 0 ? grid->columns - 1 - i : i;
    first = first < 0 ? 0 : first;
    last = last > chunk->rings ? chunk->rings : last;
    if (j < 0 || j >= grid->rows || first > last)
        return (row_across){NULL, 0, -1};
    const char *from = grid->values; // compressed grids have no such pointer
    return (row_across){from ? from + j * grid->row_step + i * grid->column_step : NULL, (int)first,
                        (int)last};
}

/// Read rows of the tile that are rows of the grid, for all rings: these are consecutive in memory.
static void read_across(const lf__bin_group *c, fill_rows rows) {
    lf__chunk *chunk = c->chunk;
    const lf__sector *s = c->sector;
    const lf_grid *grid = c->sweep->view->grid;
    size_t size = lf__sample_size(grid->type);
    ptrdiff_t ring_step = s->along.i * grid->column_step;
    bool eights = c->sweep->spread && chunk->rings == LF__CHUNK_RINGS, again = eights;
    ptrdiff_t row_step = s->across.j * grid->row_step + s->across.i * grid->column_step;
    for (int row = rows.first; row < rows.end; row++) {
        if (again && row + 8 > rows.end && row - rows.first >= 8) {
            row = rows.end - 8; // the last eight, some of them twice
            again = false;
        }
        row_across r = find_row(c, row);
        char *to = chunk->raw + row * (int64_t)size;
        if (eights && r.first == 0 && r.last == chunk->rings && row + 8 <= rows.end) {
            row_across end = find_row(c, row + 7);
            if (end.first == 0 && end.last == chunk->rings) { // and so between them
                c->sweep->spread(&(lf__spread){r.from, row_step, ring_step < 0, size, to});
                copy_samples(r.from + LF__CHUNK_RINGS * ring_step, row_step, 8,
                             to + LF__CHUNK_RINGS * LF__RAW_ROW, (ptrdiff_t)size, size);
                row += 7;
                continue;
            }
        }
        if (r.first <= r.last)
            copy_samples(r.from + r.first * ring_step, ring_step, r.last - r.first + 1,
                         to + r.first * LF__RAW_ROW, LF__RAW_ROW, size);
    }
}

/// Find the voids of all rings in rows of the tile that are rows of the grid.
static void read_voids_across(const lf__bin_group *c, fill_rows rows) {
    lf__chunk *chunk = c->chunk;
    const lf__sector *s = c->sector;
    const lf_grid *grid = c->sweep->view->grid;
    for (int row = rows.first; row < rows.end; row++) {
        int64_t b = chunk->base + row, j = b * s->across.j,
                i = chunk->base_ring * s->along.i + b * s->across.i;
        row_across r = find_row(c, row);
        if (r.first > r.last)
            continue;
        int64_t first = s->along.i > 0 ? i + r.first : i - r.last;
        for (uint64_t bits = lf__grid_bits(grid, grid->voids, first, j, r.last - r.first + 1); bits;
             bits &= bits - 1) {
            int at = __builtin_ctzll(bits);
            chunk->void_mask[s->along.i > 0 ? r.first + at : r.last - at][row >> 6] |= (uint64_t)1
                                                                                       << (row & 63);
        }
    }
}

/// Slopes of consecutive samples along a ring.
static void read_slopes(const lf__bin_group *c, const lf__slope_row *row, int64_t i, int64_t j,
                        float *slope) {
    const lf__sector *s = c->sector;
    const lf_grid *grid = c->sweep->view->grid;
    if (!grid->packed) {
        c->sweep->slopes(row, slope);
        return;
    }
    for (int k = 0; k < row->count; k++)
        slope[k] = fill_slope_of(row, k, lf__grid_height(grid, i + k * s->across.i, j + k * s->across.j));
}

/// Slopes of the samples of a ring, for some rows of the tile; beyond the grid those at its border are
/// repeated.
static void fill_slopes(const lf__bin_group *c, int r, fill_rows rows) {
    lf__chunk *chunk = c->chunk;
    const lf__sector *s = c->sector;
    const lf_grid *grid = c->sweep->view->grid;
    int64_t ring = chunk->base_ring + r;
    float *slope = chunk->slope[r];
    lf__sample_span samples = lf__samples_of_ring(s, grid, ring);
    double a = (double)ring - s->oa, per_a = 1 / a;
    if (!(a > 0) || samples.low > samples.high) {
        for (int row = rows.first; row < rows.end + ROWS_SPARE; row++)
            slope[row] = 0;
        return;
    }
    int64_t low = samples.low - chunk->base, high = samples.high - chunk->base;
    low = low < rows.first ? rows.first : low > rows.end - 1 ? rows.end - 1 : low;
    high = high < rows.first ? rows.first : high > rows.end - 1 ? rows.end - 1 : high;
    int64_t from = chunk->base + low < samples.low ? samples.low : chunk->base + low;
    from = from > samples.high ? samples.high : from;
    high = high - low > samples.high - from ? low + samples.high - from : high;
    int64_t i = ring * s->along.i + from * s->across.i, j = ring * s->along.j + from * s->across.j;
    bool tile = s->across.j != 0 && !grid->packed && from == chunk->base + low;
    size_t size = lf__sample_size(grid->type);
    lf__slope_row row = {.step = tile ? (ptrdiff_t)size
                                      : s->across.i * grid->column_step + s->across.j * grid->row_step,
                         .count = (int)(high - low) + 1,
                         .type = grid->type,
                         .scale = grid->scale,
                         .offset = grid->offset,
                         .plain = grid->plain,
                         .z = c->sweep->view->z,
                         .per_a = per_a,
                         .first = (double)from - s->ob,
                         .degree = s->lowering.degree,
                         .in_floats = c->sweep->in_floats};
    if (tile)
        row.at = chunk->raw + r * LF__RAW_ROW + low * (int64_t)size;
    else if (grid->values) // compressed grids have no such pointer
        row.at = grid->values + j * grid->row_step + i * grid->column_step;
    row.c = chunk->less[r];
    row.base = slope_base_of(row.c, row.z, a, row.first);
    read_slopes(c, &row, i, j, slope + low);
    if (c->near_voids && s->across.j == 0)
        read_voids(c, chunk->void_mask[r], (int)low, row.count, (int64_t[2]){i, j});
    if (c->near_voids)
        put_voids(chunk, r, (int)low, (int)high + 1);
    // Where the ring has no samples in these rows, its nearest one is repeated; a void may be NAN, which
    // bounds do not expect.
    if (c->sweep->voids && from != chunk->base + low && lf__grid_is_void(grid, i, j))
        slope[low] = LF__VOID_SLOPE;
    for (int64_t k = rows.first; k < low; k++)
        slope[k] = slope[low];
    for (int64_t k = high + 1; k < rows.end + ROWS_SPARE; k++)
        slope[k] = slope[high];
}

static int row_at(const lf__chunk *chunk, int r, int m) {
    return (int)(chunk->place[m] + (float)r * chunk->v[m]);
}

/// Lowering on a ring, and the base of its slopes.
static void set_less(const lf__bin_group *c, int r) {
    const lf__sector *s = c->sector;
    double a = (double)(c->chunk->base_ring + r) - s->oa, *less = c->chunk->less[r];
    lf__lowering_ring(&s->lowering, a, less);
    less[0] += s->tilt[0];
    less[1] += s->tilt[1] * (1 / a);
    c->chunk->slope_base[r] = slope_base_of(less, c->sweep->view->z, a, (double)c->chunk->base - s->ob);
}

/// The rows that some bins of a chunk need, from one ring to another.
static fill_rows rows_of(const lf__chunk *chunk, int first_ring, int last_ring, int begin, int end) {
    int first = row_at(chunk, first_ring, begin) - ROWS_BEFORE;
    return (fill_rows){first < 0 ? 0 : first, row_at(chunk, last_ring, end) + ROWS_AFTER};
}

/// Bins of the parts from `*part` on that are processed together; false: there are no more.
static bool next_parts(const lf__chunk *chunk, int *part, int *begin, int *end) {
    while (*part < chunk->parts && !chunk->part[*part])
        ++*part;
    if (*part == chunk->parts)
        return false;
    *begin = *part * chunk->part_bins;
    while (*part < chunk->parts && chunk->part[*part])
        ++*part;
    *end = *part * chunk->part_bins < chunk->bins ? *part * chunk->part_bins : chunk->bins;
    return true;
}

/// Read the parts that are processed, and find the size of their slopes and steps.
static void fill_ring(const lf__bin_group *c, int r, float range[2]) {
    lf__chunk *chunk = c->chunk;
    range[0] = range[1] = 0;
    for (int part = 0, begin, end; next_parts(chunk, &part, &begin, &end);) {
        fill_rows rows = rows_of(chunk, r, r, begin, end);
        fill_slopes(c, r, rows);
        float found[2];
        c->sweep->slope_range(chunk->slope[r] + rows.first, rows.end - rows.first, found);
        range[0] = found[0] > range[0] ? found[0] : range[0];
        range[1] = found[1] > range[1] ? found[1] : range[1];
    }
}

// ---------------------------------------------------------------------------------------------------
// Where all samples exist
// ---------------------------------------------------------------------------------------------------

/// Do all samples of the chunk exist, up to FILL_LEAST more than needed, and are there kernels for them? The samples
/// of a ring that exist are between the least and the greatest of linear functions of the ring, so its first and last
/// ring suffice.
static bool fills_inside(const lf__bin_group *c, int rows) {
    const lf__chunk *chunk = c->chunk;
    const lf_grid *grid = c->sweep->view->grid;
    if (!c->sweep->slopes_of_ring || c->sweep->gaps || chunk->first)
        return false;
    lf__sample_span first = lf__samples_of_ring(c->sector, grid, chunk->base_ring),
                    last = lf__samples_of_ring(c->sector, grid, chunk->base_ring + chunk->rings);
    int64_t end = chunk->base + rows + FILL_LEAST;
    return chunk->base >= first.low && chunk->base >= last.low && end < first.high && end < last.high;
}

/// As read_across, and FILL_LEAST rows from the first one on the last ring.
static void read_across_inside(const lf__bin_group *c, fill_rows rows, int last) {
    lf__chunk *chunk = c->chunk;
    const lf__sector *s = c->sector;
    const lf_grid *grid = c->sweep->view->grid;
    size_t size = lf__sample_size(grid->type);
    ptrdiff_t ring_step = s->along.i * grid->column_step,
              row_step = s->across.j * grid->row_step + s->across.i * grid->column_step;
    const char *from = find_row(c, rows.first).from;
    int row = rows.first;
    rows.end = rows.end - last < FILL_LEAST ? last + FILL_LEAST : rows.end;
    for (; chunk->rings == LF__CHUNK_RINGS && row < rows.end; row += 8, from += 8 * row_step) {
        char *to = chunk->raw + row * (int64_t)size;
        c->sweep->spread(&(lf__spread){from, row_step, ring_step < 0, size, to});
        copy_samples(from + LF__CHUNK_RINGS * ring_step, row_step, 8, to + LF__CHUNK_RINGS * LF__RAW_ROW,
                     (ptrdiff_t)size, size);
    }
    for (; row < rows.end; row++, from += row_step)
        copy_samples(from, ring_step, chunk->rings + 1, chunk->raw + row * (int64_t)size, LF__RAW_ROW, size);
}

/// Put the voids of a ring among its slopes; those that are beyond the rows may be anything until then.
static void fill_voids_inside(const lf__bin_group *c, int r, fill_rows rows, float range[2]) {
    lf__chunk *chunk = c->chunk;
    const lf__sector *s = c->sector;
    int64_t ring = chunk->base_ring + r, b = chunk->base + rows.first;
    float *slope = chunk->slope[r];
    if (s->across.j == 0)
        read_voids(c, chunk->void_mask[r], rows.first, rows.end - rows.first,
                   (int64_t[2]){ring * s->along.i + b * s->across.i, ring * s->along.j});
    put_voids(chunk, r, rows.first, rows.end);
    for (int k = rows.end; k < rows.end + FILL_LEAST + ROWS_SPARE; k++)
        slope[k] = slope[rows.end - 1];
    c->sweep->slope_range(slope + rows.first, rows.end - rows.first, range);
}

/// As fill_ring.
static void fill_ring_inside(const lf__bin_group *c, int r, float range[2]) {
    lf__chunk *chunk = c->chunk;
    const lf__sector *s = c->sector;
    const lf_grid *grid = c->sweep->view->grid;
    int64_t ring = chunk->base_ring + r, size = (int64_t)lf__sample_size(grid->type);
    lf__slope_row row;
    row.c = chunk->less[r];
    row.base = chunk->slope_base[r];
    row.type = grid->type;
    row.degree = s->lowering.degree;
    row.z = c->sweep->view->z;
    row.per_a = 1 / ((double)ring - s->oa);
    row.step = s->across.j != 0 ? size : s->across.i * grid->column_step;
    row.ahead = s->across.j != 0
                    ? 0
                    : LF__CHUNK_RINGS * (s->along.j * grid->row_step + s->along.i * grid->column_step);
    range[0] = range[1] = 0;
    for (int part = 0, begin, end; next_parts(chunk, &part, &begin, &end);) {
        fill_rows rows = rows_of(chunk, r, r, begin, end);
        int64_t b = chunk->base + rows.first;
        float found[2];
        row.count = rows.end - rows.first < FILL_LEAST ? FILL_LEAST : rows.end - rows.first;
        row.first = (double)b - s->ob;
        row.past = (float)rows.first;
        row.at = s->across.j != 0 ? chunk->raw + r * LF__RAW_ROW + rows.first * size
                                  : grid->values + ring * s->along.j * grid->row_step +
                                        (ring * s->along.i + b * s->across.i) * grid->column_step;
        c->sweep->slopes_of_ring(&row, chunk->slope[r] + rows.first, found);
        if (c->near_voids)
            fill_voids_inside(c, r, rows, found);
        range[0] = found[0] > range[0] ? found[0] : range[0];
        range[1] = found[1] > range[1] ? found[1] : range[1];
    }
}

/// States of the squares between a ring and the one before it. Only for eight sectors, where squares are
/// squares in (a, b) too.
static void fill_states(const lf__bin_group *c, int r, int rows) {
    lf__chunk *chunk = c->chunk;
    const lf__sector *s = c->sector;
    const lf_grid *grid = c->sweep->view->grid;
    int64_t a = chunk->base_ring + r - 1;
    for (int row = 0; row < rows; row++) {
        int64_t b = chunk->base + row;
        int64_t i = a * s->along.i + b * s->across.i, j = a * s->along.j + b * s->across.j;
        i -= s->along.i < 0 || s->across.i < 0;
        j -= s->along.j < 0 || s->across.j < 0;
        bool outside = i < 0 || j < 0 || i > grid->columns - 2 || j > grid->rows - 2;
        int state = outside ? LF__SQUARE_OUTSIDE : LF__SQUARE_SOLID;
        if (!outside && lf__grid_gap(grid, i, j))
            state = lf__grid_parts(grid, i, j) ? LF__SQUARE_PART : LF__SQUARE_VOID;
        chunk->state[r][row] = (uint8_t)state;
        chunk->gaps |= state != LF__SQUARE_SOLID;
    }
}

/// The greatest absolute value of some bounds; those beyond half of LF__FAR_SLOPE are not known yet. By integers,
/// which are ordered like positive floats and which compilers vectorise.
static int32_t most_bits(const float *bounds, int count, int32_t most) {
    const float half = 0.5f * LF__FAR_SLOPE;
    int32_t limit;
    memcpy(&limit, &half, sizeof limit);
    for (int m = 0; m < count; m++) {
        int32_t bits;
        memcpy(&bits, &bounds[m], sizeof bits);
        bits &= INT32_MAX;
        bits = bits < limit ? bits : 0;
        most = bits > most ? bits : most;
    }
    return most;
}

/// Ground that has been passed is lowered differently for targets one ring farther away.
static void set_drift(const lf__bin_group *c) {
    lf__chunk *chunk = c->chunk;
    float size = 0;
    int32_t bits = 0;
    chunk->rise = chunk->sink = 0;
    for (int r = 0; r <= chunk->rings && !chunk->drifts; r++)
        chunk->ring[r].rise = chunk->ring[r].sink = 0;
    if (!chunk->drifts)
        return;
    for (int k = 0; k < 2 && !c->sweep->greatest_size; k++)
        bits = most_bits(chunk->low[k], chunk->bins, most_bits(chunk->high[k], chunk->bins, bits));
    memcpy(&size, &bits, sizeof size);
    for (int k = 0; k < 2 && c->sweep->greatest_size; k++) {
        float low = c->sweep->greatest_size(chunk->low[k], chunk->bins),
              high = c->sweep->greatest_size(chunk->high[k], chunk->bins);
        size = low > size ? low : size;
        size = high > size ? high : size;
    }
    if (chunk->behind_void)
        size = fmaxf(size, lf__limit_voids(chunk, 2 * size));
    for (int r = 1; r <= chunk->rings; r++) {
        double a = fmax((double)(chunk->base_ring + r) - c->sector->oa, 0), rounding = 0x1p-22 * (double)size;
        chunk->ring[r].rise = (float)(1.0001 * a * chunk->rises + rounding);
        chunk->ring[r].sink = (float)(1.0001 * a * chunk->sinks + rounding);
        chunk->rise += 1.0001f * chunk->ring[r].rise;
        chunk->sink += 1.0001f * chunk->ring[r].sink;
    }
}

/// Directions of the borders of bins, and their places at ring 0.
static void set_places(const lf__bin_group *c) {
    const lf__sector *s = c->sector;
    lf__chunk *chunk = c->chunk;
    double step = 1.0 / chunk->all_bins,
           first = lf__bin_group_place(s, c->v0, chunk->base_ring) - (double)chunk->base,
           wide = ((double)chunk->base_ring - s->oa) * step;
    for (int m = 0; m <= chunk->bins; m++) {
        chunk->v[m] = (float)(c->v0 + m * step);
        chunk->place[m] = (float)(first + m * wide);
    }
    chunk->place[0] -= LF__SWEEP_OFF;
    chunk->place[chunk->bins] += LF__SWEEP_OFF;
}

void lf__bin_group_fill(const lf__bin_group *c, int64_t ring, int rings) {
    lf__chunk *chunk = c->chunk;
    const lf__sector *s = c->sector;
    chunk->rings = rings, chunk->base_ring = ring - 1;
    chunk->base = (int64_t)floor(lf__bin_group_place(s, c->v0, ring - 1)) - 3;
    chunk->base = c->group == 0 && chunk->base > s->low_b - 4 ? s->low_b - 4 : chunk->base;
    chunk->gaps = chunk->voids = chunk->any = false;
    chunk->slope = lf__recent_tile_of(chunk)->slope;
    chunk->void_top = -LF__FAR_SLOPE;
    chunk->void_blocks = 0;
    set_drift(c);
    set_places(c);
    int rows = row_at(chunk, rings, chunk->bins) + ROWS_AFTER;
    for (int r = 0; r <= rings; r++)
        set_less(c, r);
    bool inside = fills_inside(c, rows);
    memset(chunk->flat.done, 0, sizeof chunk->flat.done);
    if (inside && c->sweep->flat_block && !c->near_voids && !chunk->behind_void && rings == LF__CHUNK_RINGS)
        lf__flat_parts(c);
    if (c->near_voids)
        memset(chunk->void_mask, 0, sizeof chunk->void_mask);
    for (int part = 0, begin, end; s->across.j != 0 && next_parts(chunk, &part, &begin, &end);) {
        fill_rows across = rows_of(chunk, 0, rings, begin, end);
        if (inside)
            read_across_inside(c, across, rows_of(chunk, rings, rings, begin, end).first);
        else if (!c->sweep->view->grid->packed)
            read_across(c, across);
        if (c->near_voids)
            read_voids_across(c, across);
    }
    memset(chunk->out[1], 0, (size_t)rings * sizeof chunk->out[0]);
    float range[LF__CHUNK_RINGS + 1][2];
    for (int r = 0; r <= rings; r++) {
        (inside ? fill_ring_inside : fill_ring)(c, r, range[r]);
        if (r > 0 && c->sweep->gaps)
            fill_states(c, r, rows);
    }
    for (int r = 0; r <= rings; r++) {
        const float *now = range[r], *last = range[r > 0 ? r - 1 : r];
        set_ring(c, r, (double)fmaxf(now[0], last[0]), (double)fmaxf(now[1], last[1]));
    }
    lf__recent_tile_keep(chunk);
    // Samples before the first ring are not read. With voids among them, an edge of the first ring may have
    // no triangle on either side; then it is not part of the surface, and hides nothing.
    if (chunk->first && c->near_voids) {
        chunk->voids = true;
        chunk->void_blocks = UINT64_MAX;
    }
    chunk->behind_void |= chunk->voids && c->sweep->finds_voids;
}
