/// The surface of a raster that closes around the globe.
#include "globe/globe.h"
#include <math.h>
#include <stdio.h>

// ---------------------------------------------------------------------------------------------------
// Blocks
// ---------------------------------------------------------------------------------------------------

static int64_t *list_of(lf_tiler *cutter, int64_t raster, int64_t column, int64_t row) {
    uint64_t hash =
        ((uint64_t)raster * 0x9e3779b97f4a7c15u + (uint64_t)row) * 0xbf58476d1ce4e5b9u + (uint64_t)column;
    hash = (hash ^ (hash >> 29)) * 0x94d049bb133111ebu;
    return &cutter->heads[(hash >> 20) % (uint64_t)cutter->block_count];
}

static lf__cut_block *tiler_known(lf_tiler *cutter, int64_t raster, int64_t column, int64_t row) {
    for (int64_t k = *list_of(cutter, raster, column, row); k >= 0; k = cutter->blocks[k].next) {
        lf__cut_block *b = &cutter->blocks[k];
        if (b->raster == raster && b->column == column && b->row == row)
            return b;
    }
    return NULL;
}

static void forget_block(lf_tiler *cutter, const lf__cut_block *b) {
    int64_t *at = list_of(cutter, b->raster, b->column, b->row);
    while (*at != b - cutter->blocks)
        at = &cutter->blocks[*at].next;
    *at = b->next;
}

/// The block that was used least recently, of those that nobody uses: there are more blocks than cuttings.
static lf__cut_block *oldest(lf_tiler *cutter) {
    lf__cut_block *found = NULL;
    for (int64_t i = 0; i < cutter->block_count && !(found && found->raster < 0); i++) {
        lf__cut_block *b = &cutter->blocks[i];
        if (b->users == 0 && (!found || b->raster < 0 || b->stamp < found->stamp))
            found = b;
    }
    return found;
}

/// Take a block for what is at a place. Its samples are not read yet.
static lf__cut_block *take_block(lf_tiler *cutter, int64_t raster, int64_t column, int64_t row) {
    lf__cut_block *b = oldest(cutter);
    if (!b)
        return NULL;
    if (b->raster >= 0)
        forget_block(cutter, b);
    int64_t *list = list_of(cutter, raster, column, row);
    b->raster = raster;
    b->column = column;
    b->row = row;
    b->next = *list;
    *list = b - cutter->blocks;
    return b;
}

static void read_block(lf_tiler *cutter, lf__cut_block *b) {
    const lf_globe_raster *r = &cutter->rasters[b->raster].given;
    lf_window w = {b->column * LF__CUT_BLOCK, b->row * LF__CUT_BLOCK, LF__CUT_BLOCK, LF__CUT_BLOCK};
    w.columns = w.columns < r->columns - w.column ? w.columns : r->columns - w.column;
    w.rows = w.rows < r->rows - w.row ? w.rows : r->rows - w.row;
    b->error = (lf_error){.where = -1};
    if (!b->heights)
        b->heights =
            lf__allocate(&cutter->allocator, sizeof(float) * LF__CUT_BLOCK * LF__CUT_BLOCK, LF__CACHE_LINE);
    b->status = b->heights ? r->read(r->user, w, b->heights, &b->error) : LF_NO_MEMORY;
    if (b->status != LF_OK && b->error.status == LF_OK)
        lf__fail_plain(&b->error, b->status);
}

static void give_up(lf__cutting *cut, lf_status status, const lf_error *error) {
    if (cut->status == LF_OK) {
        cut->status = status;
        cut->error = *error;
    }
}

/// No longer use the last block. One that could not be read is forgotten with its last user.
static void leave_block(lf__cutting *cut) {
    lf_tiler *cutter = cut->tiler;
    lf__cut_block *b = cut->last;
    cut->last = NULL;
    if (b && --b->users == 0 && b->status != LF_OK) {
        forget_block(cutter, b);
        b->raster = -1;
    }
}

void lf__cut_end(lf__cutting *cut) {
    lf__mutex_lock(&cut->tiler->guard);
    leave_block(cut);
    lf__mutex_unlock(&cut->tiler->guard);
}

/// A block, read where it is not there; NULL when that failed.
static const lf__cut_block *block_at(lf__cutting *cut, int64_t raster, int64_t column, int64_t row) {
    lf_tiler *cutter = cut->tiler;
    lf__cut_block *b = cut->last;
    if (cut->status != LF_OK) // nothing that follows is used
        return NULL;
    if (b && b->raster == raster && b->column == column && b->row == row)
        return b;
    lf__mutex_lock(&cutter->guard);
    leave_block(cut);
    b = tiler_known(cutter, raster, column, row);
    bool fresh = !b;
    if (fresh)
        b = take_block(cutter, raster, column, row);
    if (b) {
        b->users++;
        b->stamp = ++cutter->clock;
        cut->last = b;
    }
    if (b && fresh)
        lf__mutex_lock(&b->reading); // nobody else has it
    lf__mutex_unlock(&cutter->guard);
    if (!b) {
        lf_error error;
        give_up(cut, lf__fail_plain(&error, LF_NO_MEMORY), &error);
        return NULL;
    }
    if (fresh)
        read_block(cutter, b);
    else
        lf__mutex_lock(&b->reading); // until it has been read
    lf_status status = b->status;
    lf__mutex_unlock(&b->reading);
    if (status != LF_OK)
        give_up(cut, status, &b->error);
    return status == LF_OK ? b : NULL;
}

static double read_sample(lf__cutting *cut, int64_t raster, int64_t column, int64_t row) {
    const lf_globe_raster *r = &cut->tiler->rasters[raster].given;
    int64_t bc = column / LF__CUT_BLOCK, br = row / LF__CUT_BLOCK;
    const lf__cut_block *b = block_at(cut, raster, bc, br);
    if (!b)
        return (double)NAN;
    int64_t width = r->columns - bc * LF__CUT_BLOCK;
    width = width < LF__CUT_BLOCK ? width : LF__CUT_BLOCK;
    return (double)b->heights[(row - br * LF__CUT_BLOCK) * width + column - bc * LF__CUT_BLOCK];
}

// ---------------------------------------------------------------------------------------------------
// Snapping
// ---------------------------------------------------------------------------------------------------

// Files give the cell size with few digits, such as 0.0833341 for 360/4320. Over thousands of columns that
// adds up to a part of a cell, which must not become a gap at the seam or at a pole.

#define ROUNDING 1e-6      ///< of a cell: rounding of exact numbers
#define MISPLACED 0.1      ///< of a row: tolerance of one end of a raster from pole to pole
#define REMARKABLE 0.001   ///< of a cell, over the whole raster: smaller changes are not reported
#define OPEN_LONGITUDES 10 ///< degrees: a gap wider than this is not taken for a seam

/// A raster in a message: its name, or its number.
typedef struct label {
    char text[220];
} label;

static label label_of(const lf__cut_raster *r) {
    label label;
    if (r->given.name)
        snprintf(label.text, sizeof label.text, "%.200s", r->given.name);
    else
        snprintf(label.text, sizeof label.text, "raster %lld", (long long)r->number);
    return label;
}

/// Columns of a turn. Any cell size is within half a cell of a whole number of them.
static void snap_columns(const lf_tiler *cutter, lf__cut_raster *r) {
    lf_globe_raster *g = &r->given;
    double around = 360 / g->per_column, whole = round(around);
    if (whole < 1 || (double)g->columns < whole)
        return;
    double snapped = 360 / whole;
    r->period = (int64_t)whole;
    if (fabs(around - whole) > REMARKABLE)
        lf__log(&cutter->host, LF_LOG_WARNING,
                "%s: %lld columns of %.9g degrees are not a whole turn: taken as %.12g degrees, %lld columns "
                "around%s",
                label_of(r).text, (long long)g->columns, g->per_column, snapped, (long long)r->period,
                g->columns > r->period + 1 ? ", the rest left out" : "");
    g->per_column = snapped;
}

/// Where the first and the last row of a raster from pole to pole belong, in rows from the poles.
typedef struct ends {
    double south, north;
} ends;

/// The layout of a raster from pole to pole that is nearest to the given one; false: it does not span the poles.
static bool find_ends(ends given, double rows_missing, ends *found) {
    static const ends layouts[] = {{0, 0}, {0.5, 0.5}, {1, 0}, {0, 1}};
    double nearest = 0.5 + ROUNDING;
    bool any = false;
    for (int k = 0; k < 4; k++) {
        double south = fabs(given.south - layouts[k].south), north = fabs(given.north - layouts[k].north);
        if (layouts[k].south + layouts[k].north != rows_missing || fmin(south, north) > MISPLACED ||
            fmax(south, north) >= nearest)
            continue;
        nearest = fmax(south, north);
        *found = layouts[k];
        any = true;
    }
    return any;
}

/// Rows of a raster from pole to pole; and of any other one the row that is beyond a pole by less than half a row.
static void snap_rows(const lf_tiler *cutter, lf__cut_raster *r) {
    lf_globe_raster *g = &r->given;
    double last = (double)(g->rows - 1), whole = round(180 / g->per_row);
    double south = g->south, north = south + last * g->per_row;
    ends at = {(south + 90) / g->per_row, (90 - north) / g->per_row}, to = at;
    double per_row = g->per_row;
    if (find_ends(at, whole - last, &to)) {
        per_row = 180 / whole;
        south = -90 + to.south * per_row;
    } else {
        if (at.south < 0 && at.south >= -0.5)
            south = -90;
        if (at.north < 0 && at.north >= -0.5)
            north = 90;
        per_row = at.south < 0 || at.north < 0 ? (north - south) / last : per_row;
    }
    double moved = fmax(fabs(south - g->south), fabs(south + last * per_row - g->south - last * g->per_row));
    if (moved > REMARKABLE * g->per_row)
        lf__log(&cutter->host, LF_LOG_WARNING,
                "%s: %lld rows of %.9g degrees from latitude %.9g do not fit between the poles: taken as "
                "%.12g degrees from "
                "%.12g",
                label_of(r).text, (long long)g->rows, g->per_row, g->south, per_row, south);
    g->south = south;
    g->per_row = per_row;
}

lf_status lf__cut_snap(lf_tiler *cutter, int64_t index, lf_error *error) {
    lf__cut_raster *r = &cutter->rasters[index];
    const lf_globe_raster *g = &r->given;
    snap_columns(cutter, r);
    snap_rows(cutter, r);
    double north = g->south + (double)(g->rows - 1) * g->per_row;
    if (!(g->south >= -90 - ROUNDING * g->per_row) || !(north <= 90 + ROUNDING * g->per_row))
        return lf__fail(error, LF_BAD_ARGUMENT, r->number, "%s: latitudes from %g to %g: must be within 90",
                        label_of(r).text, g->south, north);
    return LF_OK;
}

/// Is the pole, or the whole of the longitudes (pole -1), filled by another raster?
static bool filled_by_another(const lf_tiler *cutter, int64_t index, int pole) {
    for (int64_t i = 0; i < cutter->raster_count; i++) {
        const lf__cut_raster *r = &cutter->rasters[i];
        if (i != index && r->period > 0 && (pole < 0 || r->closed[pole]))
            return true;
    }
    return false;
}

void lf__cut_report_gaps(const lf_tiler *cutter) {
    for (int64_t i = 0; i < cutter->raster_count; i++) {
        const lf__cut_raster *r = &cutter->rasters[i];
        const lf_globe_raster *g = &r->given;
        double east = g->west + (double)(g->columns - 1) * g->per_column;
        double north = g->south + (double)(g->rows - 1) * g->per_row;
        double open = g->west + 360 - east; // from the last column to the first
        if (r->period == 0 && open < fmax(OPEN_LONGITUDES, 4 * g->per_column) &&
            !filled_by_another(cutter, i, -1))
            lf__log(&cutter->host, LF_LOG_WARNING,
                    "%s: %lld columns of %.9g degrees leave a gap: no heights from longitude %.9g to %.9g",
                    label_of(r).text, (long long)g->columns, g->per_column, remainder(east, 360),
                    remainder(g->west, 360));
        for (int k = 0; k < 2; k++)
            if (r->period > 0 && !r->closed[k] && !filled_by_another(cutter, i, k))
                lf__log(&cutter->host, LF_LOG_WARNING,
                        "%s: goes all around, but leaves a gap at the pole: no heights %s of latitude %.9g",
                        label_of(r).text, k == 0 ? "south" : "north", k == 0 ? g->south : north);
    }
}

// ---------------------------------------------------------------------------------------------------
// Closing
// ---------------------------------------------------------------------------------------------------

/// The mean of a row of 360 degrees, without voids.
static double mean_of_row(lf__cutting *cut, int64_t raster, int64_t row) {
    int64_t count = 0;
    double sum = 0;
    for (int64_t i = 0; i < cut->tiler->rasters[raster].period; i++) {
        double h = read_sample(cut, raster, i, row);
        if (!isnan(h)) {
            sum += h;
            count++;
        }
    }
    return count > 0 ? (double)(float)(sum / (double)count) : (double)NAN;
}

lf_status lf__cut_open(lf__cutting *cut, int64_t index, lf_error *error) {
    lf__cut_raster *r = &cut->tiler->rasters[index];
    const lf_globe_raster *g = &r->given;
    double gaps[2] = {g->south + 90, 90 - (g->south + (double)(g->rows - 1) * g->per_row)};
    for (int k = 0; k < 2 && r->period > 0; k++) {
        r->on_pole[k] = gaps[k] <= ROUNDING * g->per_row;
        r->closed[k] = gaps[k] <= 1.5 * g->per_row;
        if (r->closed[k])
            r->pole[k] = mean_of_row(cut, index, k == 0 ? 0 : g->rows - 1);
    }
    if (cut->status != LF_OK && error)
        *error = cut->error;
    return cut->status;
}

bool lf__cut_meets(const lf__cut_raster *r, lf_geodetic_box area, double *west) {
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

double lf__cut_value(lf__cutting *cut, int64_t raster, int64_t column, int64_t row) {
    const lf__cut_raster *r = &cut->tiler->rasters[raster];
    const lf_globe_raster *g = &r->given;
    if (r->closed[0] && (row < 0 || (row == 0 && r->on_pole[0])))
        return r->pole[0];
    if (r->closed[1] && (row >= g->rows || (row == g->rows - 1 && r->on_pole[1])))
        return r->pole[1];
    if (r->period > 0)
        column = (column % r->period + r->period) % r->period;
    if (row < 0 || row >= g->rows || column < 0 || column >= g->columns)
        return (double)NAN;
    return read_sample(cut, raster, column, row);
}

/// Between two numbers; one that has no weight may be missing.
static double tiler_between(double a, double b, double share) {
    return share <= 0 ? a : share >= 1 ? b : a + share * (b - a);
}

/// The bilinear height of one raster.
static double tiler_sample(lf__cutting *cut, int64_t raster, double lon, double lat) {
    const lf__cut_raster *r = &cut->tiler->rasters[raster];
    const lf_globe_raster *g = &r->given;
    double west = g->west;
    if (r->period == 0 &&
        !lf__cut_meets(r, (lf_geodetic_box){lon - 1e-9, lat - 1e-9, lon + 1e-9, lat + 1e-9}, &west))
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
    double south = across > 0 ? tiler_between(lf__cut_value(cut, raster, column, row),
                                              lf__cut_value(cut, raster, column + 1, row), across)
                              : lf__cut_value(cut, raster, column, row);
    if (share <= 0)
        return south;
    double north = across > 0 ? tiler_between(lf__cut_value(cut, raster, column, row + 1),
                                              lf__cut_value(cut, raster, column + 1, row + 1), across)
                              : lf__cut_value(cut, raster, column, row + 1);
    return tiler_between(south, north, share);
}

double lf__cut_sample(lf__cutting *cut, int64_t first, double lon, double lat) {
    double height = (double)NAN;
    for (int64_t i = first; i < cut->tiler->raster_count && isnan(height); i++)
        height = tiler_sample(cut, i, lon, lat);
    return height;
}

#undef ROUNDING
