/// Viewsheds on grids that wrap.
///
/// The sweep needs a grid in which every line from the observer is straight. So the columns around the
/// observer are copied to a grid of their own, whose border lies opposite the observer or beyond the range.
#include "base/base.h"
#include "sight/viewshed.h"
#include <math.h>
#include <string.h>

/// Rows that are copied at once.
#define ROLLED_BAND 64

/// Upper bound of the bytes per sample of a copy: heights, a padded copy of them, bounds, void bits, results.
#define ROLLED_BYTES_PER_SAMPLE 32

/// Further bytes, independent of the size.
#define ROLLED_FIXED_BYTES ((size_t)1 << 16)

/// The columns around an observer as a grid of their own.
typedef struct rolled_view {
    const lf__viewshed *view;
    lf_allocator allocator;
    lf_grid *grid;
    int64_t first,
        columns;       ///< its column 0 is column `first` of the grid, counted across the seam
    int64_t low, high; ///< columns of the view, counted like `first`: at most one turn
    void *heights;
    size_t item;
    size_t bytes;
} rolled_view;

/// Lower bound of metres per unit of x and y within the range; 0: unknown, near the poles.
static lf_vec2 least_degrees(const lf_viewshed_def *def, lf_vec2 at) {
    if (def->rules.units == LF_MAP_METRES)
        return (lf_vec2){1, 1};
    const lf_ellipsoid *e = &def->rules.ellipsoid;
    double polar = e->radius * (1 - e->flattening), square = 1 - e->flattening;
    double least = LF__DEGREE * polar * square; // of latitude, anywhere
    double farthest = fabs(at.y) + def->range_max / least + 1;
    if (!(farthest < 89))
        return (lf_vec2){0, least};
    return (lf_vec2){LF__DEGREE * polar * cos(farthest * LF__DEGREE) * 0.999, least};
}

lf_vec2 lf__viewshed_range_reach(const lf_grid *grid, const lf_viewshed_def *def, lf_vec2 at) {
    if (!isfinite(def->range_max))
        return (lf_vec2){LF_INFINITY, LF_INFINITY};
    lf_vec2 unit = least_degrees(def, at), eye = lf__sight_place(grid, at);
    double range = def->range_max * (1 + 1e-12); // closed, but for rounding
    double x = unit.x > 0 ? range / unit.x : 400, y = range / unit.y;
    // A rectangle of x by y in the world; on a plane a circle is enough.
    bool plane = def->rules.units == LF_MAP_METRES;
    double columns = plane ? x * hypot(grid->a, grid->b) : fabs(grid->a) * x + fabs(grid->b) * y;
    double rows = plane ? x * hypot(grid->c, grid->d) : fabs(grid->c) * x + fabs(grid->d) * y;
    return (lf_vec2){columns + 1e-12 * (fabs(eye.x) + columns), rows + 1e-12 * (fabs(eye.y) + rows)};
}

bool lf__viewshed_crosses(const lf__viewshed *view) {
    const lf_grid *grid = view->grid;
    if (!grid->round)
        return false;
    double far =
        fmin(lf__viewshed_range_reach(grid, &view->def, view->at).x + 1e-6, 0.5 * (double)grid->round);
    double beyond = view->eye.x + far - (double)grid->round;
    // The first and the last column are the same, and seen on the side where lines to it go.
    bool behind = beyond == 0 && (!grid->repeated || lf__sight_opposite(grid, view->eye.x) > view->eye.x);
    return view->eye.x - far < 0 || beyond > 0 || behind;
}

size_t lf__viewshed_wrapped_bytes(const lf_grid *grid, const lf_viewshed_def *def) {
    size_t samples = 0, bytes = 0;
    bool fits = grid->round &&
                lf__size_mul((size_t)grid->round + 6, (size_t)grid->rows + ROLLED_BAND, &samples) &&
                lf__size_mul(samples, ROLLED_BYTES_PER_SAMPLE, &bytes) &&
                lf__size_add(bytes, lf__viewshed_scratch(grid, def) + ROLLED_FIXED_BYTES, &bytes);
    return fits ? bytes : 0;
}

// ---------------------------------------------------------------------------------------------------
// The grid
// ---------------------------------------------------------------------------------------------------

/// Choose the columns: all within half a turn, or those within reach.
static void choose_columns(rolled_view *r) {
    const lf_grid *grid = r->view->grid;
    double eye = r->view->eye.x, round = (double)grid->round, half = 0.5 * round,
           far = lf__viewshed_range_reach(grid, &r->view->def, r->view->at).x + 2;
    if (2 * far + 2 < round) {
        r->low = (int64_t)floor(eye - far);
        r->high = (int64_t)ceil(eye + far);
    } else {
        r->low = (int64_t)ceil(eye - half);
        r->high = (int64_t)floor(eye + half);
    }
    // One more on either side, so that samples at the border have the same pieces of surface around them as
    // in the grid.
    r->first = r->low - 1;
    int64_t last = r->high + 1;
    if (r->high - r->low == grid->round) { // one column at both ends, exactly opposite
        if (lf__sight_opposite(grid, eye) > eye)
            r->low++;
        else
            r->high--;
    }
    r->first -= r->first & 1; // keeps the pattern of an alternating surface
    r->columns = last - r->first + 1;
}

/// The heights of some rows of the chosen columns.
static void rolled_read_rows(const rolled_view *r, int64_t row, int64_t rows, double *heights, double *part) {
    const lf_grid *grid = r->view->grid;
    int64_t round = grid->round;
    for (int64_t done = 0, count; done < r->columns; done += count) {
        int64_t column = ((r->first + done) % round + round) % round;
        count = round - column < r->columns - done ? round - column : r->columns - done;
        lf_grid_read(grid, column, row, count, rows, part);
        for (int64_t j = 0; j < rows; j++)
            memcpy(heights + j * r->columns + done, part + j * count, (size_t)count * sizeof *part);
    }
}

/// Heights as floats if they are all exact, which most are and the sweep prefers; false: some are not.
static bool put_rows(const rolled_view *r, int64_t row, int64_t rows, const double *heights) {
    bool exact = true;
    char *to = (char *)r->heights + (size_t)(row * r->columns) * r->item;
    for (int64_t k = 0; k < rows * r->columns; k++) {
        if (r->item == sizeof(float)) {
            float small = (float)heights[k];
            exact = exact && ((double)small == heights[k] || isnan(heights[k]));
            ((float *)(void *)to)[k] = small;
        } else {
            ((double *)(void *)to)[k] = heights[k];
        }
    }
    return exact;
}

static lf_status copy_heights(rolled_view *r, size_t item, bool *exact) {
    int64_t rows = r->view->grid->rows;
    void *band = NULL;
    r->item = item;
    *exact = true;
    lf_status status = lf__allocate_array(&r->allocator, r->columns * rows, item, &r->heights);
    if (status == LF_OK)
        status = lf__allocate_array(&r->allocator, 2 * ROLLED_BAND * r->columns, sizeof(double), &band);
    double *heights = band, *part = heights ? heights + ROLLED_BAND * r->columns : NULL;
    for (int64_t row = 0; status == LF_OK && *exact && row < rows; row += ROLLED_BAND) {
        int64_t count = rows - row < ROLLED_BAND ? rows - row : ROLLED_BAND;
        rolled_read_rows(r, row, count, heights, part);
        *exact = put_rows(r, row, count, heights);
    }
    lf__free_array(&r->allocator, band, 2 * ROLLED_BAND * r->columns, sizeof(double));
    return status;
}

static void free_heights(rolled_view *r) {
    lf__free_array(&r->allocator, r->heights, r->columns * r->view->grid->rows, r->item);
    r->heights = NULL;
}

static void rolled_destroy(rolled_view *r) {
    lf_grid_destroy(r->grid);
    free_heights(r);
}

static lf_status rolled_create(const lf__viewshed *view, rolled_view *r) {
    const lf_grid *grid = view->grid;
    bool exact;
    *r = (rolled_view){.view = view, .allocator = lf__allocator_of(&view->def.host)};
    choose_columns(r);
    lf_status status = copy_heights(r, sizeof(float), &exact);
    if (status == LF_OK && !exact) {
        free_heights(r);
        status = copy_heights(r, sizeof(double), &exact);
    }
    lf_grid_def def = lf_grid_def_default();
    def.host = view->def.host;
    def.host.progress = NULL; // the viewshed reports progress itself
    def.samples.type = r->item == sizeof(float) ? LF_SAMPLE_FLOAT : LF_SAMPLE_DOUBLE;
    def.samples.values = r->heights;
    def.samples.columns = r->columns;
    def.samples.rows = grid->rows;
    def.borrow = !grid->extend;
    def.geotransform = grid->geotransform;
    def.geotransform.origin.x += (double)r->first * grid->geotransform.per_column.x;
    def.surface = grid->surface;
    def.extend = grid->extend;
    if (status == LF_OK)
        status = lf_grid_create(&def, &r->grid, NULL);
    if (status == LF_OK) { // voids are no higher than the highest ground of the whole grid
        r->grid->lowest = grid->lowest;
        r->grid->highest = grid->highest;
    }
    if (status == LF_OK)
        r->bytes = lf_grid_describe(r->grid).bytes + (size_t)(r->columns * grid->rows) * r->item +
                   (size_t)(2 * ROLLED_BAND * r->columns) * sizeof(double);
    return status;
}

// ---------------------------------------------------------------------------------------------------
// Results
// ---------------------------------------------------------------------------------------------------

/// The observer in the copy.
static lf_observer observer_of(const rolled_view *r) {
    return (lf_observer){r->view->at, r->view->z, true};
}

/// The columns of the view, in the rows of the caller's window.
static lf_window rolled_window_of(const rolled_view *r) {
    return (lf_window){r->low - r->first, r->view->window.row, r->high - r->low + 1, r->view->window.rows};
}

/// The index of a column of the caller's window among the columns of the view; -1: not in the view.
static int64_t column_of(const rolled_view *r, int64_t column) {
    int64_t round = r->view->grid->round;
    int64_t at = ((r->view->window.column + column - r->low) % round + round) % round;
    return at <= r->high - r->low ? at : -1;
}

lf_status lf__viewshed_run_wrapped(const lf__viewshed *view, lf__byte_plane seen, lf_viewshed_stats *stats) {
    rolled_view r;
    void *bytes = NULL;
    lf_viewshed_stats found = {0};
    lf_status status = rolled_create(view, &r);
    lf_window from = rolled_window_of(&r), to = view->window;
    lf_observer observer = observer_of(&r);
    if (status == LF_OK)
        status = lf__allocate_array(&r.allocator, from.columns * from.rows, 1, &bytes);
    if (status == LF_OK)
        status =
            lf_viewshed_visible(lf_grid_ground(r.grid), &view->def, &observer, from, bytes, 0, &found, NULL);
    for (int64_t row = 0; row < to.rows && status == LF_OK; row++)
        for (int64_t column = 0; column < to.columns; column++) {
            int64_t at = column_of(&r, column);
            uint8_t answer = at >= 0 ? ((const uint8_t *)bytes)[row * from.columns + at]
                             : lf__grid_bare(view->grid, to.column + column, to.row + row)
                                 ? LF_VISIBILITY_VOID
                                 : LF_VISIBILITY_BEYOND;
            seen.bytes[row * seen.row_step + column] = answer;
            if (stats)
                stats->counts[answer]++;
        }
    if (status == LF_OK && stats) {
        stats->walked += found.walked;
        size_t needed = r.bytes + found.bytes + (size_t)(from.columns * from.rows);
        stats->bytes = needed > stats->bytes ? needed : stats->bytes;
    }
    lf__free_array(&r.allocator, bytes, from.columns * from.rows, 1);
    rolled_destroy(&r);
    return status;
}

lf_status lf__viewshed_values_wrapped(const lf__viewshed *view, lf_viewshed_mode which, float *values,
                                      ptrdiff_t row_step, int64_t *walked) {
    rolled_view r;
    void *floats = NULL;
    lf_viewshed_stats found = {0};
    lf_status status = rolled_create(view, &r);
    lf_window from = rolled_window_of(&r), to = view->window;
    lf_observer observer = observer_of(&r);
    if (status == LF_OK)
        status = lf__allocate_array(&r.allocator, from.columns * from.rows, sizeof *values, &floats);
    if (status == LF_OK)
        status = lf_viewshed_values(lf_grid_ground(r.grid), &view->def, &observer, which, from, floats, 0,
                                    &found, NULL);
    for (int64_t row = 0; row < to.rows && status == LF_OK; row++) {
        float *out = (float *)(void *)((char *)values + row * row_step);
        for (int64_t column = 0; column < to.columns; column++) {
            int64_t at = column_of(&r, column);
            out[column] = at >= 0 ? ((const float *)floats)[row * from.columns + at] : (float)LF_NAN;
        }
    }
    *walked += found.walked;
    lf__free_array(&r.allocator, floats, from.columns * from.rows, sizeof *values);
    rolled_destroy(&r);
    return status;
}
