/// One sample of a viewshed: its limits, and its exact line.
#include "geom/geometry.h"
#include "sight/sight.h"
#include "sight/viewshed.h"
#include <string.h>

/// Map distance in metres, of the ends in order, so that the result has the same bits in both directions.
static double view_span(const lf_sight_rules *rules, lf_vec2 a, lf_vec2 b) {
    if (rules->units == LF_MAP_DEGREES)
        return lf_geodesic_between(&rules->ellipsoid, (lf_geodetic){a.x, a.y, 0}, (lf_geodetic){b.x, b.y, 0})
            .distance;
    double dx = b.x - a.x, dy = b.y - a.y;
    return sqrt(dx * dx + dy * dy);
}

double lf__viewshed_distance(const lf__viewshed *view, lf_vec2 to) {
    bool turned = to.x != view->at.x ? to.x < view->at.x : to.y < view->at.y;
    return turned ? view_span(&view->def.rules, to, view->at) : view_span(&view->def.rules, view->at, to);
}

double lf__viewshed_pitch(const lf__viewshed *view, double distance, double height) {
    const lf_curvature *curvature = &view->def.rules.curvature;
    double up = height - view->z;
    if (distance == 0)
        return up == 0 ? 0 : up > 0 ? 90 : -90;
    return atan(up / distance - curvature->coefficient * distance / (2 * curvature->radius)) / LF__DEGREE;
}

double lf__viewshed_sag(const lf__viewshed *view, int64_t i, int64_t j) {
    const lf_curvature *curvature = &view->def.rules.curvature;
    if (curvature->coefficient == 0)
        return 0;
    return lf__sight_sag(curvature, lf__viewshed_distance(view, lf__sample_place(view->grid, i, j)));
}

/// The line from a place above a sample to the observer.
static lf__sight_line view_line(const lf__viewshed *view, int64_t i, int64_t j, double height) {
    lf_vec2 place = {(double)i, (double)j};
    return lf__sight_line_between(place, height, view->eye, view->z, lf__viewshed_sag(view, i, j));
}

/// Upper bound of metres per unit of x and y.
static double most_metres(const lf_sight_rules *rules) {
    const lf_ellipsoid *e = &rules->ellipsoid;
    double narrow = 1 - e->flattening;
    return rules->units != LF_MAP_DEGREES
               ? 1
               : LF__DEGREE * e->radius * fmax(1 / narrow, fmax(1, narrow * narrow));
}

/// Geodesics are accurate to 10 nanometres on Earth: relative to its radius.
#define GEODESIC_OFF (1e-8 / 6.3e6)

/// Upper bound, in metres, of the difference between the distance of observer and target in the world and
/// that between their columns and rows.
///
/// The observer's column and row are rounded, and snapped to a sample that is close enough; converting them
/// back shows by how much. The observer's and the target's place are sums of three numbers of which two are
/// products: each has four roundings of at most half a unit in the last place of the sum of absolute values.
/// Their difference is the ninth.
static double place_off(const lf__viewshed *view, double metres_per_unit) {
    const lf_geotransform *p = &view->grid->geotransform;
    double columns = fmax((double)view->grid->columns, fabs(view->eye.x)),
           rows = fmax((double)view->grid->rows, fabs(view->eye.y));
    double x = p->origin.x + view->eye.x * p->per_column.x + view->eye.y * p->per_row.x,
           y = p->origin.y + view->eye.x * p->per_column.y + view->eye.y * p->per_row.y;
    double size_x = fabs(p->origin.x) + columns * fabs(p->per_column.x) + rows * fabs(p->per_row.x),
           size_y = fabs(p->origin.y) + columns * fabs(p->per_column.y) + rows * fabs(p->per_row.y);
    double off = fabs(x - view->at.x) + fabs(y - view->at.y) +
                 12 * LF__SIGHT_UNIT * (size_x + size_y + fabs(view->at.x) + fabs(view->at.y));
    return off * metres_per_unit;
}

/// view_line defines the exact line. Let `largest` be the largest of its two heights and its sag, and u =
/// 2^-53:
/// - the target's height is a rounded sum: u * largest
/// - both ends are rounded up to steps of at most 2^-50 * largest: 8 u * largest
/// - the sag is rounded to the nearest step, so by 4 u * largest; its weight t * (1 - t) is at most a
///   quarter: u * largest
/// - the sag is computed from the length with nine roundings, weighted by a quarter: 2.25 u * largest
///
/// Together that is less than 16 u * largest. In addition the length L is off by some d, and the sag by
/// lowering * ((L + d)^2 - L^2), again weighted by a quarter. The heights matter here and not their
/// differences: on a plain 2^23 m above datum a line may be 2^-27 m higher than its ends, and if the ground
/// differs by as little, that decides.
double lf__viewshed_line_off(const lf__viewshed *view) {
    const lf_grid *grid = view->grid;
    double largest =
        fmax(fabs(view->z), fmax(fabs(grid->highest), fabs(grid->lowest)) + fabs(view->def.target));
    const lf_curvature *curvature = &view->def.rules.curvature;
    double lowering = fabs(curvature->coefficient / (2 * curvature->radius)); // metres per square metre
    if (lowering == 0)
        return 16 * LF__SIGHT_UNIT * largest;
    double unit = most_metres(&view->def.rules);
    double measured = // the error of a length
        view->def.rules.units == LF_MAP_DEGREES ? GEODESIC_OFF * view->def.rules.ellipsoid.radius : 0;
    lf_vec2 far = lf__viewshed_reach(view);
    double length = (far.x + far.y) * unit, off = place_off(view, unit) + measured;
    largest = fmax(largest, lowering * length * length);
    return 16 * LF__SIGHT_UNIT * largest + 0.25 * lowering * (2 * length + off) * off;
}

// ---------------------------------------------------------------------------------------------------
// Limits
// ---------------------------------------------------------------------------------------------------

// Limits are closed, and rounding must not exclude them: a target due east is within azimuths 90 .. 90.

#define AZIMUTH_ROUNDING 1e-9 // degrees
#define PITCH_ROUNDING 1e-9   // degrees
#define RANGE_ROUNDING 1e-12  // relative

static bool within_azimuth(const lf__viewshed *view, int64_t i, int64_t j, lf_vec2 to) {
    double from = view->def.azimuth_from_deg, width = view->def.azimuth_to_deg - from;
    if (width >= 360)
        return true;
    width = fmod(width, 360);
    width += width < 0 ? 360 : 0;
    // From columns and rows: those of an observer on a sample are integers, while differences of x and y are
    // rounded.
    const lf_geotransform *p = &view->grid->geotransform;
    double columns = (double)i - view->eye.x, rows = (double)j - view->eye.y;
    double x = columns * p->per_column.x + rows * p->per_row.x,
           y = columns * p->per_column.y + rows * p->per_row.y;
    if (view->def.places)
        x = to.x - view->at.x, y = to.y - view->at.y;
    double azimuth =
        lf__atan2_deg(x * view->to_east.x + y * view->to_east.y, x * view->to_north.x + y * view->to_north.y);
    double turn = fmod(azimuth - from, 360);
    turn += turn < 0 ? 360 : 0;
    return turn <= width + AZIMUTH_ROUNDING || turn >= 360 - AZIMUTH_ROUNDING;
}

/// Rounding error of a distance: of the coordinates, and its own.
static double range_rounding(const lf__viewshed *view, lf_vec2 to, double distance) {
    double x = (fabs(view->at.x) + fabs(to.x)) * view->degree_x,
           y = (fabs(view->at.y) + fabs(to.y)) * view->degree_y;
    return RANGE_ROUNDING * distance + 4 * LF__SIGHT_UNIT * (x + y);
}

/// The square of the distance of a place by the series, and how far it may be off.
static double square_of(const lf__viewshed *view, lf_vec2 to, double *off) {
    double square = lf__square_series_at(&view->squares, to.x - view->at.x, to.y - view->at.y),
           length = sqrt(fmax(square, 0));
    *off = square * view->squares_off + 4 * length * range_rounding(view, to, length);
    return square;
}

/// Is a place within the range? The series decides nearly all; places too close to the limits are measured.
static bool within_range(const lf__viewshed *view, lf_vec2 to) {
    const lf_viewshed_def *def = &view->def;
    double least = def->range_min, most = def->range_max, off;
    if (view->squares_off <= 1) {
        double square = square_of(view, to, &off);
        bool inside = square - off > least * least && square + off < most * most;
        if (inside || square + off < least * least || square - off > most * most)
            return inside;
    }
    double distance = lf__viewshed_distance(view, to);
    off = range_rounding(view, to, distance);
    return distance >= least - off && distance <= most + off;
}

/// Limits of the distance of a place, with all rounding in them.
static lf__limits distance_limits(const lf__viewshed *view, lf_vec2 to) {
    double off;
    if (view->squares_off <= 1) {
        double square = square_of(view, to, &off);
        return (lf__limits){sqrt(fmax(square - off, 0)) * (1 - RANGE_ROUNDING),
                            sqrt(fmax(square + off, 0)) * (1 + RANGE_ROUNDING)};
    }
    double distance = lf__viewshed_distance(view, to);
    off = 4 * range_rounding(view, to, distance);
    return (lf__limits){distance - off, distance + off};
}

bool lf__viewshed_within(const lf__viewshed *view, int64_t i, int64_t j, double height) {
    const lf_viewshed_def *def = &view->def;
    lf_vec2 to = lf__viewshed_place(view, i, j);
    bool own = def->places ? to.x == view->at.x && to.y == view->at.y
                           : view->eye.x == (double)i && view->eye.y == (double)j;
    if ((def->range_min > 0 || def->range_max < LF_INFINITY) && !within_range(view, to))
        return false;
    if (own)
        return true;
    if (!within_azimuth(view, i, j, to))
        return false;
    if (!(def->pitch_low_deg > -90 || def->pitch_high_deg < 90))
        return true;
    double pitch = lf__viewshed_pitch(view, lf__viewshed_distance(view, to), height);
    return pitch >= def->pitch_low_deg - PITCH_ROUNDING && pitch <= def->pitch_high_deg + PITCH_ROUNDING;
}

// ---------------------------------------------------------------------------------------------------
// Results
// ---------------------------------------------------------------------------------------------------

static lf_verdict verdict_of(const lf__viewshed *view, int64_t i, int64_t j, double height) {
    lf__sight_line line = view_line(view, i, j, height);
    lf__sight_search_rules rules = {.voids = view->def.rules.voids, .any = true};
    lf__sight_result answer;
    lf_counters cost = {0};
    lf__sight_grid(view->grid, &line, &rules, &answer, &cost);
    return answer.verdict;
}

/// Is it a target? If not, the reason is written.
static bool view_is_target(const lf__viewshed *view, int64_t i, int64_t j, uint8_t *seen) {
    if (lf__grid_bare(view->grid, i, j)) {
        *seen = LF_VISIBILITY_VOID;
        return false;
    }
    double height = lf__grid_height(view->grid, i, j) + view->def.target;
    if (!view->limited || lf__viewshed_within(view, i, j, height))
        return true;
    *seen = LF_VISIBILITY_BEYOND;
    return false;
}

lf_visibility lf__viewshed_resolve(const lf__viewshed *view, int64_t i, int64_t j) {
    double height = lf__grid_height(view->grid, i, j) + view->def.target;
    if (view->eye.x == (double)i && view->eye.y == (double)j)
        return LF_VISIBILITY_VISIBLE;
    return lf__seen_by(verdict_of(view, i, j, height));
}

/// A row where some samples may be voids or beyond the limits.
static int64_t view_check_row(const lf__viewshed *view, int64_t row, uint8_t *bytes) {
    int64_t resolved = 0, j = view->window.row + row;
    for (int64_t column = 0; column < view->window.columns; column++) {
        int64_t i = view->window.column + column;
        if (!view_is_target(view, i, j, &bytes[column]) || bytes[column] != LF__SEEN_OPEN)
            continue;
        bytes[column] = (uint8_t)lf__viewshed_resolve(view, i, j);
        resolved++;
    }
    return resolved;
}

/// Few samples are open: the time goes into finding them.
static int64_t view_resolve_row(const lf__viewshed *view, int64_t row, uint8_t *bytes) {
    int64_t resolved = 0, column = 0;
    while (column < view->window.columns) {
        uint8_t *next = memchr(bytes + column, LF__SEEN_OPEN, (size_t)(view->window.columns - column));
        if (!next)
            break;
        column = next - bytes;
        *next = (uint8_t)lf__viewshed_resolve(view, view->window.column + column, view->window.row + row);
        column++;
        resolved++;
    }
    return resolved;
}

/// Samples that are tested for voids together.
#define VIEW_VOID_STEP 48

/// Which of the squares (i .. i + count - 1, j) have a gap, or do not exist.
static uint64_t view_gaps(const lf_grid *grid, int64_t i, int64_t j, int count) {
    int64_t last_i = grid->first + grid->square_columns - 1, last_j = grid->first + grid->square_rows - 1;
    uint64_t all = ((uint64_t)1 << count) - 1;
    if (j < grid->first || j > last_j)
        return all;
    int exist = i + count - 1 <= last_i ? count : (int)(last_i - i + 1);
    return exist < 1 ? all : lf__grid_bits(grid, grid->gaps, i, j, exist) | (all & UINT64_MAX << exist);
}

/// Mark those of eight samples whose bits are set.
static void view_mark_eight(uint64_t bits, uint8_t *bytes) {
    const uint64_t each = 0x0101010101010101u;
    uint64_t word, is = ((bits * each & 0x8040201008040201u) + 0x7f * each) >> 7 & each; // bytes of 1
    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
        is = __builtin_bswap64(is);
    memcpy(&word, bytes, sizeof word);
    word = (word & ~(is * 0xff)) | is * LF_VISIBILITY_VOID;
    memcpy(bytes, &word, sizeof word);
}

/// Mark the voids among some samples of a row. Only samples between gaps can be bare.
static void view_mark_voids(const lf_grid *grid, int64_t i, int64_t j, int count, uint8_t *bytes) {
    uint64_t voids = lf__grid_bits(grid, grid->voids, i, j, count), all = (((uint64_t)1 << count) - 1);
    if (voids == all) {
        memset(bytes, LF_VISIBILITY_VOID, (size_t)count);
        return;
    }
    uint64_t behind = view_gaps(grid, i, j, count), before = view_gaps(grid, i, j - 1, count),
             between = behind & (behind << 1 | 1) & before & (before << 1 | 1);
    int done = 0;
    for (; done + 8 <= count; done += 8)
        if (voids >> done & 0xff)
            view_mark_eight(voids >> done & 0xff, bytes + done);
    for (uint64_t bits = voids >> done << done; bits; bits &= bits - 1)
        bytes[__builtin_ctzll(bits)] = LF_VISIBILITY_VOID;
    for (uint64_t bits = between & ~voids; bits; bits &= bits - 1)
        if (lf__grid_bare(grid, i + __builtin_ctzll(bits), j))
            bytes[__builtin_ctzll(bits)] = LF_VISIBILITY_VOID;
}

/// A row where only voids have to be found.
static int64_t view_check_voids(const lf__viewshed *view, int64_t row, uint8_t *bytes) {
    for (int64_t column = 0; column < view->window.columns; column += VIEW_VOID_STEP) {
        int64_t rest = view->window.columns - column;
        view_mark_voids(view->grid, view->window.column + column, view->window.row + row,
                        (int)(rest < VIEW_VOID_STEP ? rest : VIEW_VOID_STEP), bytes + column);
    }
    return view_resolve_row(view, row, bytes);
}

/// Samples of a row that are within the limits, or of which none has to be known to be.
static int64_t view_free_row(const lf__viewshed *view, int64_t row, uint8_t *bytes) {
    return view->grid->voids ? view_check_voids(view, row, bytes) : view_resolve_row(view, row, bytes);
}

static void view_beyond_row(const lf__viewshed *view, int64_t row, uint8_t *bytes) {
    memset(bytes, LF_VISIBILITY_BEYOND, (size_t)view->window.columns);
    for (int64_t column = 0; column < view->window.columns && view->grid->voids; column++)
        if (lf__grid_bare(view->grid, view->window.column + column, view->window.row + row))
            bytes[column] = LF_VISIBILITY_VOID;
}

/// Are there limits of azimuth or pitch?
static bool is_turned(const lf_viewshed_def *d) {
    return d->azimuth_to_deg - d->azimuth_from_deg < 360 || d->pitch_low_deg > -90 || d->pitch_high_deg < 90;
}

/// A part of a row.
typedef struct view_part {
    int64_t first, end;
} view_part;

/// Square of the distance of a sample of a map in metres.
static double metres_squared(const lf__viewshed *view, double column, int64_t row) {
    const lf_geotransform *p = &view->grid->geotransform;
    double x = p->origin.x + column * p->per_column.x + (double)row * p->per_row.x - view->at.x,
           y = p->origin.y + column * p->per_column.y + (double)row * p->per_row.y - view->at.y;
    return x * x + y * y;
}

/// On a map in metres: columns of a row that are within range_max for sure, and those that may be. Distances along a row are convex:
/// where two columns are within a circle, all between them are, and columns before one that is outside, on the side of the first
/// crossing, are outside. False: rounding, or a row that misses the circle.
static bool circle_columns(const lf__viewshed *view, int64_t row, view_part *sure, view_part *maybe) {
    const lf_geotransform *p = &view->grid->geotransform;
    double range = view->def.range_max, x = p->origin.x + (double)row * p->per_row.x - view->at.x,
           y = p->origin.y + (double)row * p->per_row.y - view->at.y;
    double a = p->per_column.x * p->per_column.x + p->per_column.y * p->per_column.y,
           b = x * p->per_column.x + y * p->per_column.y, c = x * x + y * y - range * range;
    double root = sqrt(b * b - a * c), low = (-b - root) / a, high = (-b + root) / a;
    if (!(root > 0) || !(fabs(low) < 1e9) || !(fabs(high) < 1e9))
        return false;
    // Rounding of any place within the circle or at it: of the terms that it is the sum of, and of the
    // distance.
    double size = fabs(p->origin.x) + fabs(p->origin.y) + fabs(view->at.x) + fabs(view->at.y) +
                  fabs((double)row) * (fabs(p->per_row.x) + fabs(p->per_row.y)) + 2 * range;
    double off = 4 * (RANGE_ROUNDING * range + 8 * LF__SIGHT_UNIT * size);
    double in = (range - off) * (range - off), out = (range + off) * (range + off);
    double first = floor(low) + 2, last = ceil(high) - 2, before = ceil(low) - 2, after = floor(high) + 2;
    if (!(off < range) || first > last || !(metres_squared(view, first, row) < in) ||
        !(metres_squared(view, last, row) < in) || !(metres_squared(view, before, row) > out) ||
        !(metres_squared(view, after, row) > out))
        return false;
    *sure = (view_part){(int64_t)first, (int64_t)last + 1};
    *maybe = (view_part){(int64_t)before + 1, (int64_t)after};
    return true;
}

/// Samples of a row that are not halved any more.
#define VIEW_RANGE_STEP 8

/// A row with limits: no sample of a part of it is farther from the part's middle than its half is long, so that one distance may
/// decide for all. Parts that a limit of the range goes through are halved. `part` is a copy of the view for this.
static int64_t view_limited_row(lf__viewshed *part, view_part row_part, int64_t row, uint8_t *bytes) {
    const lf_viewshed_def *d = &part->def;
    const lf_geotransform *p = &part->grid->geotransform;
    int64_t columns = row_part.end - row_part.first, middle = row_part.first + columns / 2;
    part->window.column = row_part.first;
    part->window.columns = columns;
    if (columns <= VIEW_RANGE_STEP)
        return view_check_row(part, row, bytes);
    double half =
        (double)(columns / 2 + 1) * (fabs(p->per_column.x) + fabs(p->per_column.y)) * most_metres(&d->rules);
    lf__limits far = distance_limits(part, lf__sample_place(part->grid, middle, part->window.row + row));
    if (far.least - half > d->range_max || far.most + half < d->range_min) {
        view_beyond_row(part, row, bytes);
        return 0;
    }
    if (far.most + half < d->range_max && (d->range_min == 0 || far.least - half > d->range_min))
        return is_turned(d) ? view_check_row(part, row, bytes) : view_free_row(part, row, bytes);
    return view_limited_row(part, (view_part){row_part.first, middle}, row, bytes) +
           view_limited_row(part, (view_part){middle, row_part.end}, row, bytes + columns / 2);
}

static int64_t clamp_column(lf_window w, int64_t column) {
    return column < w.column ? w.column : column > w.column + w.columns ? w.column + w.columns : column;
}

/// A row with limits of range only, on a map in metres; -1: not decided, as a whole.
static int64_t view_circle_row(lf__viewshed *part, lf_window w, int64_t row, uint8_t *bytes) {
    view_part sure, maybe;
    int64_t resolved = 0;
    if (!circle_columns(part, w.row + row, &sure, &maybe))
        return -1;
    const int64_t ends[] = {w.column, maybe.first, sure.first, sure.end, maybe.end, w.column + w.columns};
    for (int k = 0; k < 5; k++) {
        int64_t first = clamp_column(w, ends[k]);
        part->window.column = first;
        part->window.columns = clamp_column(w, ends[k + 1]) - first;
        uint8_t *own = bytes + (first - w.column);
        if (k == 0 || k == 4)
            view_beyond_row(part, row, own);
        else
            resolved += k == 2 ? view_free_row(part, row, own) : view_check_row(part, row, own);
    }
    return resolved;
}

/// Rows of a view with limits.
static int64_t view_limited_rows(const lf__viewshed *view, lf__byte_plane seen, int64_t first_row,
                                 int64_t last_row) {
    int64_t resolved = 0;
    const lf_viewshed_def *d = &view->def;
    lf_window w = view->window;
    lf__viewshed part = *view;
    bool circle = d->rules.units == LF_MAP_METRES && d->range_min == 0 && !is_turned(d);
    for (int64_t row = first_row; row < last_row; row++) {
        uint8_t *bytes = seen.bytes + row * seen.row_step;
        int64_t found = circle ? view_circle_row(&part, w, row, bytes) : -1;
        resolved += found >= 0
                        ? found
                        : view_limited_row(&part, (view_part){w.column, w.column + w.columns}, row, bytes);
    }
    return resolved;
}

int64_t lf__viewshed_resolve_rows(const lf__viewshed *view, lf__byte_plane seen, int64_t first_row,
                                  int64_t last_row) {
    int64_t resolved = 0;
    if (view->limited)
        return view_limited_rows(view, seen, first_row, last_row);
    for (int64_t row = first_row; row < last_row; row++)
        resolved += view_free_row(view, row, seen.bytes + row * seen.row_step);
    return resolved;
}

static bool may_have_gaps(lf__sight_walk *way, const lf__sight_block *block) {
    return !*(bool *)way->user && lf__sight_low(way->line, block->first, block->last) < way->grid->highest;
}

static void view_check_void(lf__sight_walk *way, const lf__sight_block *block) {
    int64_t square[2] = {way->grid->first + block->bx, way->grid->first + block->by};
    double t;
    if (lf__grid_gap(way->grid, square[0], square[1]) &&
        lf__over_void(way->grid, way->line, square, false, &t, &way->cost.exact))
        *(bool *)way->user = true;
}

/// Is there a void under a line, whatever the ground?
static bool view_void_under(const lf_grid *grid, const lf__sight_line *line) {
    bool found = false;
    lf__sight_walk way = {.grid = grid,
                          .line = line,
                          .last = line->end,
                          .enters = may_have_gaps,
                          .square = view_check_void,
                          .user = &found};
    lf__sight_walk_run(&way);
    return found;
}

/// Is a void in the way of the line to a target that is just high enough? From below the ground, where the
/// height is not finite: to the ground itself.
static bool view_void_in_line(const lf__viewshed *view, int64_t i, int64_t j, double height) {
    double ground = lf__grid_height(view->grid, i, j);
    lf__sight_line line = view_line(view, i, j, isfinite(height) ? height : ground);
    return view_void_under(view->grid, &line);
}

double lf__viewshed_raise(const lf__viewshed *view, int64_t i, int64_t j, double pitch_low_deg) {
    const lf_curvature *curvature = &view->def.rules.curvature;
    if (!(pitch_low_deg > -90))
        return -LF_INFINITY;
    double distance = lf__viewshed_distance(view, lf__sample_place(view->grid, i, j));
    if (distance == 0 || (view->eye.x == (double)i && view->eye.y == (double)j))
        return -LF_INFINITY;
    if (!(pitch_low_deg < 90)) // straight up: nowhere beside the observer
        return LF_NAN;
    double slope =
        tan(pitch_low_deg * LF__DEGREE) + curvature->coefficient * distance / (2 * curvature->radius);
    return view->z - lf__grid_height(view->grid, i, j) + distance * slope;
}

double lf__viewshed_least(const lf__viewshed *view, int64_t i, int64_t j, double raise, double guess) {
    double ground = lf__grid_height(view->grid, i, j);
    if (view->eye.x == (double)i && view->eye.y == (double)j)
        return 0;
    lf__sight_line line = view_line(view, i, j, ground);
    // Counted from the observer, near whom the ground matters most: 1 - t has few digits left there. No
    // difference of two places near the grid is rounded, so this is the same line; it would not be for an
    // observer far away.
    bool turned = !lf__sight_is_near(view->grid, view->eye);
    if (!turned)
        line = lf__sight_line_between(view->eye, view->z, (lf_vec2){(double)i, (double)j}, ground,
                                      lf__viewshed_sag(view, i, j));
    lf__sight_detail detail = lf__sight_detail_start(turned, 0);
    detail.only_lower = true;
    detail.known = -guess;
    lf_counters cost = {0};
    lf__sight_detail_grid(view->grid, &line, &detail, &cost);
    if (!(detail.lower.value <= detail.known)) { // it is less: ground that matters may have been skipped
        detail.known = LF_INFINITY;
        lf__sight_detail_grid(view->grid, &line, &detail, &cost);
    }
    double least = fmax(fmax(0, -detail.lower.value), raise);
    if (view->grid->gaps && view->def.rules.voids != LF_VOIDS_PASS &&
        view_void_in_line(view, i, j, ground + least))
        return LF_NAN;
    return least;
}
