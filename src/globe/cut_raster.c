/// The surface of a raster that closes around the globe.
#include "globe/cut.h"
#include <math.h>

// ---------------------------------------------------------------------------------------------------
// Blocks
// ---------------------------------------------------------------------------------------------------

static lf__cut_block *oldest(lf_cutter *cutter) {
    lf__cut_block *found = &cutter->blocks[0];
    for (int64_t i = 1; i < cutter->block_count && found->raster >= 0; i++)
        if (cutter->blocks[i].raster < 0 || cutter->blocks[i].stamp < found->stamp)
            found = &cutter->blocks[i];
    return found;
}

static lf__cut_block *known(lf_cutter *cutter, int64_t raster, int64_t column, int64_t row) {
    for (int64_t i = 0; i < cutter->block_count; i++) {
        lf__cut_block *b = &cutter->blocks[i];
        if (b->raster == raster && b->column == column && b->row == row)
            return b;
    }
    return NULL;
}

static void give_up(lf_cutter *cutter, lf_status status) {
    if (cutter->status == LF_OK && cutter->error.status == LF_OK)
        lf__fail_plain(&cutter->error, status);
    cutter->status = cutter->status == LF_OK ? status : cutter->status;
}

/// A block, read where it is not there; NULL when that failed.
static const lf__cut_block *block_at(lf_cutter *cutter, int64_t raster, int64_t column, int64_t row) {
    lf__cut_block *b = cutter->last;
    if (b && b->raster == raster && b->column == column && b->row == row)
        return b;
    b = known(cutter, raster, column, row);
    if (!b) {
        const lf_globe_raster *r = &cutter->rasters[raster].given;
        b = oldest(cutter);
        if (!b->heights)
            b->heights =
                lf__take(&cutter->allocator, sizeof(float) * LF__CUT_BLOCK * LF__CUT_BLOCK, LF__CACHE_LINE);
        if (!b->heights) {
            give_up(cutter, LF_NO_MEMORY);
            return NULL;
        }
        lf_window w = {column * LF__CUT_BLOCK, row * LF__CUT_BLOCK, LF__CUT_BLOCK, LF__CUT_BLOCK};
        w.columns = w.columns < r->columns - w.column ? w.columns : r->columns - w.column;
        w.rows = w.rows < r->rows - w.row ? w.rows : r->rows - w.row;
        b->raster = -1;
        cutter->error = (lf_error){.where = -1};
        lf_status status = r->read(r->user, w, b->heights, &cutter->error);
        if (status != LF_OK) {
            give_up(cutter, status);
            return NULL;
        }
        *b = (lf__cut_block){raster, column, row, 0, b->heights};
    }
    b->stamp = ++cutter->clock;
    cutter->last = b;
    return b;
}

static double read_post(lf_cutter *cutter, int64_t raster, int64_t column, int64_t row) {
    const lf_globe_raster *r = &cutter->rasters[raster].given;
    int64_t bc = column / LF__CUT_BLOCK, br = row / LF__CUT_BLOCK;
    const lf__cut_block *b = block_at(cutter, raster, bc, br);
    if (!b)
        return (double)NAN;
    int64_t width = r->columns - bc * LF__CUT_BLOCK;
    width = width < LF__CUT_BLOCK ? width : LF__CUT_BLOCK;
    return (double)b->heights[(row - br * LF__CUT_BLOCK) * width + column - bc * LF__CUT_BLOCK];
}

// ---------------------------------------------------------------------------------------------------
// Closing
// ---------------------------------------------------------------------------------------------------

/// The mean of a row all around, holes left out.
static double mean_of_row(lf_cutter *cutter, int64_t raster, int64_t row) {
    int64_t count = 0;
    double sum = 0;
    for (int64_t i = 0; i < cutter->rasters[raster].period; i++) {
        double h = read_post(cutter, raster, i, row);
        if (!isnan(h)) {
            sum += h;
            count++;
        }
    }
    return count > 0 ? (double)(float)(sum / (double)count) : (double)NAN;
}

lf_status lf__cut_open(lf_cutter *cutter, int64_t index, lf_error *error) {
    lf__cut_raster *r = &cutter->rasters[index];
    const lf_globe_raster *g = &r->given;
    double around = 360 / g->per_column, whole = round(around);
    if (fabs(around - whole) <= 1e-6 * whole && (double)g->columns >= whole)
        r->period = (int64_t)whole;
    double gaps[2] = {g->south + 90, 90 - (g->south + (double)(g->rows - 1) * g->per_row)};
    for (int k = 0; k < 2 && r->period > 0; k++) {
        r->on_pole[k] = gaps[k] <= 1e-6 * g->per_row;
        r->closed[k] = gaps[k] < (1 - 1e-6) * g->per_row;
        if (r->closed[k])
            r->pole[k] = mean_of_row(cutter, index, k == 0 ? 0 : g->rows - 1);
    }
    if (cutter->status != LF_OK) {
        if (error)
            *error = cutter->error;
        return cutter->status;
    }
    return LF_OK;
}

bool lf__cut_meets(const lf__cut_raster *r, lf_area area, double *west) {
    const lf_globe_raster *g = &r->given;
    double south = r->closed[0] ? -90 : g->south;
    double north = r->closed[1] ? 90 : g->south + (double)(g->rows - 1) * g->per_row;
    *west = g->west;
    if (!(area.north > south && area.south < north))
        return false;
    if (r->period > 0)
        return true;
    double wide = (double)(g->columns - 1) * g->per_column;
    for (int turn = -3; turn <= 3; turn++) {
        *west = g->west + 360 * turn;
        if (area.east > *west && area.west < *west + wide)
            return true;
    }
    return false;
}

// ---------------------------------------------------------------------------------------------------
// Heights
// ---------------------------------------------------------------------------------------------------

double lf__cut_post(lf_cutter *cutter, int64_t raster, int64_t column, int64_t row) {
    const lf__cut_raster *r = &cutter->rasters[raster];
    const lf_globe_raster *g = &r->given;
    if (r->closed[0] && (row < 0 || (row == 0 && r->on_pole[0])))
        return r->pole[0];
    if (r->closed[1] && (row >= g->rows || (row == g->rows - 1 && r->on_pole[1])))
        return r->pole[1];
    if (r->period > 0)
        column = (column % r->period + r->period) % r->period;
    if (row < 0 || row >= g->rows || column < 0 || column >= g->columns)
        return (double)NAN;
    return read_post(cutter, raster, column, row);
}

/// Between two numbers; one that has no weight may be missing.
static double between(double a, double b, double share) {
    return share <= 0 ? a : share >= 1 ? b : a + share * (b - a);
}

/// The bilinear height of one raster.
static double sample(lf_cutter *cutter, int64_t raster, double lon, double lat) {
    const lf__cut_raster *r = &cutter->rasters[raster];
    const lf_globe_raster *g = &r->given;
    double west = g->west;
    if (r->period == 0 && !lf__cut_meets(r, (lf_area){lon - 1e-9, lat - 1e-9, lon + 1e-9, lat + 1e-9}, &west))
        return (double)NAN;
    double u = (lon - west) / g->per_column, v = (lat - g->south) / g->per_row;
    if (fabs(u - round(u)) < 1e-7)
        u = round(u);
    if (fabs(v - round(v)) < 1e-7)
        v = round(v);
    int64_t column = (int64_t)floor(u), row = (int64_t)floor(v);
    double low = fmax(g->south + (double)row * g->per_row, -90);
    double high = fmin(g->south + (double)(row + 1) * g->per_row, 90);
    double share = row < 0 || row >= g->rows - 1 ? (lat - low) / (high - low) : v - (double)row;
    share = high > low ? fmin(fmax(share, 0), 1) : 0;
    double across = u - (double)column;
    double south = across > 0 ? between(lf__cut_post(cutter, raster, column, row),
                                        lf__cut_post(cutter, raster, column + 1, row), across)
                              : lf__cut_post(cutter, raster, column, row);
    if (share <= 0)
        return south;
    double north = across > 0 ? between(lf__cut_post(cutter, raster, column, row + 1),
                                        lf__cut_post(cutter, raster, column + 1, row + 1), across)
                              : lf__cut_post(cutter, raster, column, row + 1);
    return between(south, north, share);
}

double lf__cut_sample(lf_cutter *cutter, int64_t first, double lon, double lat) {
    double height = (double)NAN;
    for (int64_t i = first; i < cutter->raster_count && isnan(height); i++)
        height = sample(cutter, i, lon, lat);
    return height;
}
