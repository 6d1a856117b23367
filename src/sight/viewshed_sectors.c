/// The sectors around the observer.
///
/// Where all squares are cut along the same diagonal, the edges of the surface have three directions, and the
/// six sectors lie between these and their opposites; in each of them every strip between two rings is cut by
/// edges in the same simple pattern. Otherwise there are eight sectors, and squares are treated as cut along
/// both diagonals: the higher of the two surfaces is nowhere below either of them, nor below a bilinear
/// patch.
#include "geom/geometry.h"
#include "grid/grid_query.h"
#include "sight/viewshed_sweep.h"
#include <math.h>
#include <string.h>

/// Beyond this many samples a side, floats cannot count bins.
#define SECTOR_MOST_SAMPLES ((int64_t)1 << 21)
#define MOST_BINS (1 << 20)

/// Samples a side for fitting a plane, and of small grids.
#define PLANE_SAMPLES 17
#define PLANE_FEW_SAMPLES 9
#define PLANE_SMALL_GRID 30000

static const lf__step sector_rising[] = {{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}};
static const lf__step sector_falling[] = {{1, 0}, {0, 1}, {-1, 1}, {-1, 0}, {0, -1}, {1, -1}};
static const lf__step sector_eight[] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};

// ---------------------------------------------------------------------------------------------------
// Coordinates of a sector
// ---------------------------------------------------------------------------------------------------

/// x * i + y * j for i and j of -1, 0, 1, exactly.
static lf__sum sector_combine(double x, int i, double y, int j) {
    double p = i * x, q = j * y, sum = p + q, part = sum - p;
    return (lf__sum){sum, (p - (sum - part)) + (q - part)};
}

static int64_t floor_of(lf__sum e) {
    double whole = floor(e.high);
    return (int64_t)whole - (whole == e.high && e.low < 0);
}

static bool is_whole(lf__sum e) {
    return e.low == 0 && e.high == floor(e.high);
}

/// Factors of column and row in a and b.
static lf__step ring_factors(const lf__sector *s) {
    int det = s->along.i * s->across.j - s->along.j * s->across.i;
    return (lf__step){s->across.j * det, -s->across.i * det};
}

static lf__step place_factors(const lf__sector *s) {
    int det = s->along.i * s->across.j - s->along.j * s->across.i;
    return (lf__step){-s->along.j * det, s->along.i * det};
}

/// The greatest ring with a sample of the window.
static int64_t last_ring(const lf__sector *s, lf_window w) {
    lf__step f = ring_factors(s);
    int64_t i = f.i > 0 ? w.column + w.columns - 1 : w.column, j = f.j > 0 ? w.row + w.rows - 1 : w.row;
    return f.i * i + f.j * j;
}

/// Set the place of the observer, and which samples belong to the sector.
static void place_observer(lf__sector *s, const lf__viewshed *view) {
    lf__step fa = ring_factors(s), fb = place_factors(s);
    lf__sum a = sector_combine(view->eye.x, fa.i, view->eye.y, fa.j);
    lf__sum b = sector_combine(view->eye.x, fb.i, view->eye.y, fb.j);
    lf__sum less = sector_combine(view->eye.x, fb.i - fa.i, view->eye.y, fb.j - fa.j);
    s->oa = a.high;
    s->ob = b.high;
    s->on_sample = s->oa == floor(s->oa) && s->ob == floor(s->ob);
    s->first_ring = floor_of(a) + 1;
    s->low_b = floor_of(b) + !(is_whole(b) && s->own_first);
    s->high_less = floor_of(less) - (is_whole(less) && !s->own_last);
    s->last_ring = last_ring(s, view->window);
}

// ---------------------------------------------------------------------------------------------------
// Lowering
// ---------------------------------------------------------------------------------------------------

/// How much the ground is lowered along the sector.
static void set_lowering(lf__sector *s, const lf__sweep *sweep) {
    const lf_geotransform *p = &sweep->view->grid->geotransform;
    const double x[2] = {s->along.i * p->per_column.x + s->along.j * p->per_row.x,
                         s->across.i * p->per_column.x + s->across.j * p->per_row.x};
    const double y[2] = {s->along.i * p->per_column.y + s->along.j * p->per_row.y,
                         s->across.i * p->per_column.y + s->across.j * p->per_row.y};
    int half = s->both ? 4 : 3;
    if (sweep->sector_count >= half)
        lf__lowering_turn(&s->lowering, &sweep->sectors[sweep->sector_count - half].lowering);
    else
        lf__lowering_start(&s->lowering, &sweep->series, x, y, sweep->lowering);
    double far = fmax((double)s->last_ring - s->oa, 0);
    lf__limits limits = lf__lowering_limits(&s->lowering, &(lf__fan){{0, 1}, {0, far}});
    s->most_metric = fmax(fabs(limits.least), fabs(limits.most));
    s->sag = 0.25 * s->most_metric;
    // Along an edge, lowered ground is above the chord by at most an eighth of the second derivative of the
    // lowering, which is 2 at the observer in the direction of an edge of which the lowering is 1, and
    // changes on degrees.
    static const lf__step edges[] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
    double(*at)[LF__SERIES_USED + 1] = s->lowering.at;
    double longest = 0, changes = 0, power = 1;
    s->bend = 0;
    for (int k = 0; k < (s->both ? 4 : 3); k++) {
        double a = edges[k].i, b = edges[k].j;
        longest = fmax(longest, fabs(at[2][0] * a * a + at[1][1] * a * b + at[0][2] * b * b));
    }
    for (int n = 3; n <= s->lowering.degree; n++) {
        for (int i = 0; i <= n; i++)
            s->bend += (n - 1) * (n - 2) * fabs(at[i][n - i]) * power;
        power *= far + 2;
        for (int i = 0; i <= n; i++)
            changes += n * (n - 1) * fabs(at[i][n - i]) * power;
    }
    // The terms that are left out change D^2 by a small part of it, and this by at most so many times that.
    changes += 64 * sweep->uneven * s->most_metric;
    s->bulge = 0.125 * (2 * longest + changes);
}

/// The squares of distances from the observer, and their relative error, for all places between the observer
/// and the window.
static void set_series(lf__sweep *sweep) {
    const lf__viewshed *view = sweep->view;
    memset(&sweep->series, 0, sizeof sweep->series);
    sweep->series.at[2][0] = sweep->series.at[0][2] = 1;
    sweep->uneven = 0;
    if (view->def.rules.units != LF_MAP_DEGREES || sweep->lowering == 0)
        return;
    lf__square_series_degrees(&view->def.rules.ellipsoid, view->at.y, &sweep->series);
    lf_vec2 far = lf__viewshed_reach(view);
    sweep->uneven = lf__square_series_off(&sweep->series, far.x, far.y);
}

// ---------------------------------------------------------------------------------------------------
// Setup
// ---------------------------------------------------------------------------------------------------

/// The height of the remaining triangle of a square with a gap; -INFINITY where the place is not over it.
static double gap_height(const lf_grid *grid, int64_t i, int64_t j, double x, double y) {
    unsigned parts = lf__grid_parts(grid, i, j);
    bool falls = lf__grid_falls(grid, i, j);
    lf_vec2 place = {x, y};
    int triangle = parts == 2;
    if (!parts || (lf__grid_diagonal_side(falls, i, j, place) != 0 &&
                   lf__grid_triangle_at(falls, i, j, place) != triangle))
        return -LF_INFINITY;
    lf__grid_corners h = lf__grid_corners_of(grid, i, j);
    return lf__triangle_height(&h, falls, triangle, x - (double)i, y - (double)j);
}

/// The ground over a square; of a patch the higher of its two triangulations, which is no lower.
static double square_height(const lf_grid *grid, int64_t i, int64_t j, double x, double y) {
    if (lf__grid_gap(grid, i, j))
        return gap_height(grid, i, j, x, y);
    lf__grid_corners h = lf__grid_corners_of(grid, i, j);
    double u = x - (double)i, v = y - (double)j;
    double falls = u + v <= 1 ? h.h00 + u * (h.h10 - h.h00) + v * (h.h01 - h.h00)
                              : h.h11 + (1 - u) * (h.h01 - h.h11) + (1 - v) * (h.h10 - h.h11);
    double rises = u >= v ? h.h00 + u * (h.h10 - h.h00) + v * (h.h11 - h.h10)
                          : h.h00 + v * (h.h01 - h.h00) + u * (h.h11 - h.h01);
    bool patch = grid->surface == LF_SURFACE_BILINEAR;
    return patch ? fmax(falls, rises) : lf__grid_falls(grid, i, j) ? falls : rises;
}

/// Is the observer certainly above the ground? If not, everything may be hidden, or depend on the last bit.
static bool above_ground(lf__sweep *sweep) {
    const lf__viewshed *view = sweep->view;
    const lf_grid *grid = view->grid;
    double x = view->eye.x, y = view->eye.y;
    sweep->clearance = LF_INFINITY;
    if (!sweep->inside)
        return true;
    for (int64_t j = (int64_t)ceil(y) - 1; j <= (int64_t)floor(y); j++)
        for (int64_t i = (int64_t)ceil(x) - 1; i <= (int64_t)floor(x); i++) {
            if (i < grid->first || j < grid->first || i >= grid->first + grid->square_columns ||
                j >= grid->first + grid->square_rows)
                continue; // squares beyond the border count: where the others are void, they are the ground
                          // there
            sweep->clearance = fmin(sweep->clearance, view->z - square_height(grid, i, j, x, y));
        }
    return sweep->clearance >= 1e-9 * sweep->most_height;
}

static bool set_sizes(lf__sweep *sweep) {
    const lf__viewshed *view = sweep->view;
    const lf_grid *grid = view->grid;
    sweep->most_height = fmax(fabs(grid->highest - view->z), fabs(grid->lowest - view->z)) +
                         fabs(view->def.target) + fmax(fabs(grid->highest), fabs(grid->lowest)) * 0x1p-20;
    sweep->steepest = grid->line_level ? grid->steepest : grid->highest - grid->lowest;
    const lf_curvature *curvature = &view->def.rules.curvature;
    sweep->lowering = curvature->coefficient / (2 * curvature->radius);
    set_series(sweep);
    sweep->line_off = lf__viewshed_line_off(view);
    return sweep->most_height < 1e15 && sweep->uneven < 0.01 && sweep->line_off < 1e15;
}

/// Fit a plane to some of the samples: metres per column and per row. Visibility does not change when
/// everything is tilted by the same plane, and flat ground then leaves smaller slopes to distinguish.
static lf_vec2 sector_plane_of(const lf_grid *grid) {
    int many = grid->columns * grid->rows <= PLANE_SMALL_GRID ? PLANE_FEW_SAMPLES : PLANE_SAMPLES;
    double count = 0, x = 0, y = 0, z = 0, xx = 0, xy = 0, yy = 0, xz = 0, yz = 0;
    for (int row = 0; row < many; row++)
        for (int column = 0; column < many; column++) {
            int64_t i = (grid->columns - 1) * column / (many - 1);
            int64_t j = (grid->rows - 1) * row / (many - 1);
            if (lf__grid_is_void(grid, i, j))
                continue;
            double px = (double)(2 * i - grid->columns + 1), py = (double)(2 * j - grid->rows + 1);
            double h = lf__grid_height(grid, i, j);
            count += 1, x += px, y += py, z += h, xx += px * px, xy += px * py, yy += py * py, xz += px * h,
                yz += py * h;
        }
    xx -= x * x / count, xy -= x * y / count, yy -= y * y / count, xz -= x * z / count, yz -= y * z / count;
    double det = xx * yy - xy * xy;
    lf_vec2 plane = {2 * (xz * yy - yz * xy) / det, 2 * (yz * xx - xz * xy) / det};
    double steepest = (grid->highest - grid->lowest);
    bool sound = det > 1e-3 * xx * yy && fabs(plane.x) <= steepest && fabs(plane.y) <= steepest;
    return sound ? plane : (lf_vec2){0, 0};
}

static void add_sector(lf__sweep *sweep, lf__step from, lf__step to, bool both) {
    // Along columns if possible, so that samples are contiguous one way or the other.
    lf__step between = {to.i - from.i, to.j - from.j};
    bool turned = both ? from.i != 0 && from.j != 0 : between.j != 0 && from.j != 0;
    lf__step along = turned ? to : from, end = turned ? from : to;
    lf__sector s = {.along = along, .across = {end.i - along.i, end.j - along.j}, .both = both};
    s.own_first = !turned;
    s.own_last = turned;
    place_observer(&s, sweep->view);
    set_lowering(&s, sweep);
    s.tilt[0] = sweep->plane.x * s.along.i + sweep->plane.y * s.along.j;
    s.tilt[1] = sweep->plane.x * s.across.i + sweep->plane.y * s.across.j;
    // More than any error of a line, as start_target of viewshed_decide.c has it.
    double far = fmax((double)s.last_ring - s.oa, 0),
           off = 1e-9 * (sweep->most_height + sweep->steepest) * (1 + far) + sweep->line_off +
                 (1e-9 + sweep->uneven) * s.most_metric * far * far;
    bool under = sweep->void_height > off && sweep->lowering >= 0; // then lines sag downwards
    s.under_voids = under ? sweep->void_height - off : -LF_INFINITY;
    sweep->sectors[sweep->sector_count++] = s;
}

/// As many bins as the last ring needs.
static bool set_bins(lf__sweep *sweep) {
    for (int k = 0; k < sweep->sector_count; k++) {
        lf__sector *s = &sweep->sectors[k];
        double needed = sweep->bins_per_sample * (double)(s->last_ring - s->first_ring + 1);
        if (needed > MOST_BINS)
            return false;
        // Whole groups, of a number of bins that can be halved until one block is left.
        int most = sweep->block;
        while (2 * most <= LF__GROUP_BINS)
            most *= 2;
        int groups = (int)fmax(ceil(needed / most), 1), bins = groups > 1 ? most : sweep->block;
        while (groups == 1 && (bins < needed || bins < sweep->least_bins))
            bins *= 2;
        s->bins = groups * bins;
        s->group_bins = bins;
        s->groups = s->last_ring < s->first_ring ? 0 : groups;
    }
    return true;
}

#if LF__SIMD
/// Can kernels address samples by 32 bits?
static bool within_reach(const lf_grid *grid) {
    return !grid->packed && fabs((double)grid->row_step) * (double)grid->rows +
                                    fabs((double)grid->column_step) * (double)grid->columns <
                                0x1p31;
}
#endif

/// Choose the code for chunks, and set what it needs.
static void choose_kernel(lf__sweep *sweep) {
    sweep->chunk = lf__chunk_scalar;
    sweep->block = LF__GROUP_BINS / 16;
    sweep->slopes = lf__slopes_scalar;
    sweep->meet = lf__meet_scalar;
    sweep->strips = 1;
    sweep->decide_chunk = NULL;
    sweep->keep_bounds = NULL;
    sweep->least_write = NULL;
    sweep->slope_range = lf__slope_range_scalar;
#if LF__SIMD
    const lf_grid *grid = sweep->view->grid;
    if (lf_isa_best() >= LF_ISA_AVX2) {
        sweep->chunk = lf__chunk_avx2;
        sweep->block = LF__LEAST_BLOCK;
        sweep->in_parts = true;
        sweep->in_floats =
            (grid->type == LF_SAMPLE_INT16 && fabs(sweep->view->z) < 0x1p22) || grid->type == LF_SAMPLE_FLOAT;
        sweep->in_floats = sweep->in_floats && grid->plain && !grid->packed;
        if (!sweep->sectors[0].both && within_reach(grid)) {
            sweep->meet = lf__meet_avx2;
            sweep->strips = 4;
        }
#if !LF__SMALL_CODE
        if (!sweep->sectors[0].both && sweep->bins_per_sample >= LF__RECENT_BINS) {
            sweep->decide_chunk = lf__decide_chunk_avx2;
            sweep->keep_bounds = lf__recent_keep_avx2;
        }
#endif
        sweep->slopes = lf__slopes_avx2;
        sweep->greatest_size = lf__greatest_size_avx2;
        sweep->least_of = lf__least_of_avx2;
        sweep->slope_range = lf__slope_range_avx2;
        bool small = grid->type != LF_SAMPLE_DOUBLE; // integers of both types are two bytes
        sweep->spread =
            small && grid->column_step == (ptrdiff_t)lf__sample_size(grid->type) ? lf__spread_avx2 : NULL;
        sweep->slopes_of_ring = sweep->in_floats && sweep->spread ? lf__slopes_of_ring_avx2 : NULL;
        sweep->flat_block = sweep->slopes_of_ring && !sweep->sectors[0].both && !sweep->view->least
                                ? lf__flat_block_avx2
                                : NULL;
    }
#endif
#if LF__X86
    sweep->turn = lf_isa_best() >= LF_ISA_AVX2 ? lf__turn_avx2 : NULL;
    if (lf_isa_best() >= LF_ISA_AVX512) {
        sweep->chunk = lf__chunk_avx512;
        if (sweep->meet == lf__meet_avx2) {
            sweep->meet = lf__meet_avx512;
            sweep->strips = 7;
        }
        sweep->least_write = lf__least_write_avx512;
        sweep->slopes_of_ring = sweep->slopes_of_ring ? lf__slopes_of_ring_avx512 : NULL;
        sweep->flat_block = sweep->flat_block ? lf__flat_block_avx512 : NULL;
        sweep->block = LF__GROUP_BINS / 16;
    }
#endif
    if (sweep->block != LF__LEAST_BLOCK)
        return;
    memset(sweep->packing[0], 0x80, sizeof sweep->packing[0]);
    for (int set = 1; set < LF__PACKING; set++) { // the first lane, and the others
        sweep->packing[set][0] = (uint8_t)__builtin_ctz((unsigned)set);
        memcpy(sweep->packing[set] + 1, sweep->packing[set & (set - 1)], sizeof sweep->packing[set] - 1);
    }
}

bool lf__sweep_start(lf__sweep *sweep, const lf__viewshed *view, lf__byte_plane seen, double bins_per_sample,
                     int least_bins) {
    const lf_grid *grid = view->grid;
    double x = view->eye.x, y = view->eye.y;
    *sweep =
        (lf__sweep){.view = view, .seen = seen, .bins_per_sample = bins_per_sample, .least_bins = least_bins};
    sweep->inside = x >= 0 && y >= 0 && x <= (double)(grid->columns - 1) && y <= (double)(grid->rows - 1);
    bool one_cut = grid->surface == LF_SURFACE_FALLING || grid->surface == LF_SURFACE_RISING;
    sweep->voids = grid->gaps && one_cut && sweep->inside && !grid->extend;
    sweep->finds_voids = sweep->voids && view->def.rules.voids != LF_VOIDS_PASS;
    sweep->void_height = grid->highest - view->z;
    sweep->gaps = (grid->gaps && !sweep->voids) || !sweep->inside;
    if (grid->surface == LF_SURFACE_POINT || grid->columns > SECTOR_MOST_SAMPLES ||
        grid->rows > SECTOR_MOST_SAMPLES || !(fabs(x) < 1e7 && fabs(y) < 1e7) ||
        !(grid->lowest <= grid->highest) || (grid->extend && !sweep->inside) || view->def.target < 0 ||
        !set_sizes(sweep) || !above_ground(sweep))
        return false;
    sweep->plane = sector_plane_of(grid);
    bool six = !sweep->gaps && one_cut;
    const lf__step *list = !six                                 ? sector_eight
                           : grid->surface == LF_SURFACE_RISING ? sector_rising
                                                                : sector_falling;
    for (int k = 0, count = six ? 6 : 8; k < count; k++)
        add_sector(sweep, list[k], list[(k + 1) % count], !six);
    choose_kernel(sweep);
    return set_bins(sweep);
}
