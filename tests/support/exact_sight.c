// A triangle is its right-angled corner and the two samples beside it, seen in the coordinates u, v >= 0, u +
// v
// <= 1 that start there; a patch and a square are u and v between two bounds. So every piece is a few limits
// that are linear in t and a height that is quadratic in t.
#include "exact_sight.h"
#include <assert.h>
#include <float.h>
#include <stdlib.h>

/// start + rate * t
typedef struct motion {
    mpq_t start, rate;
} motion;

static struct {
    motion x, y, u, v, limit;
    mpq_t z0, z1, z2; ///< of the line: z0 + z1 t + z2 t^2
    mpq_t low, high, spare, other, value, slope, end;
    mpq_t border_low, border_high;
    exact_number roots[2], best;
    exact_part *parts;
    int64_t count, space;
    bool ready;
} work;

static void get_ready(void) {
    if (work.ready)
        return;
    motion *motions[] = {&work.x, &work.y, &work.u, &work.v, &work.limit};
    for (int i = 0; i < 5; i++)
        mpq_inits(motions[i]->start, motions[i]->rate, NULL);
    mpq_inits(work.z0, work.z1, work.z2, work.low, work.high, work.spare, work.other, work.value, work.slope,
              work.end, work.border_low, work.border_high, NULL);
    exact_number_init(&work.roots[0]);
    exact_number_init(&work.roots[1]);
    exact_number_init(&work.best);
    work.ready = true;
}

static void set_line(const exact_line *line) {
    get_ready();
    work.count = 0;
    mpq_set_d(work.x.start, line->x);
    mpq_set_d(work.x.rate, line->dx);
    mpq_set_d(work.y.start, line->y);
    mpq_set_d(work.y.rate, line->dy);
    mpq_set_d(work.z0, line->z);
    mpq_set_d(work.z2, line->bend);
    mpq_set_d(work.z1, line->rise);
    mpq_set_d(work.spare, line->turn);
    mpq_mul(work.spare, work.spare, work.z2);
    mpq_sub(work.z1, work.z1, work.spare);
    if (isinf(line->end)) { // beyond all that a grid has
        mpq_set_ui(work.end, 1, 1);
        mpq_mul_2exp(work.end, work.end, 3000);
    } else {
        mpq_set_d(work.end, line->end);
    }
}

// ---------------------------------------------------------------------------------------------------
// Limits
// ---------------------------------------------------------------------------------------------------

/// Keep where work.limit is not negative; false when nothing is left.
static bool keep(void) {
    int rising = mpq_sgn(work.limit.rate);
    if (rising == 0)
        return mpq_sgn(work.limit.start) >= 0;
    mpq_div(work.spare, work.limit.start, work.limit.rate);
    mpq_neg(work.spare, work.spare);
    if (rising > 0 && mpq_cmp(work.spare, work.low) > 0)
        mpq_set(work.low, work.spare);
    if (rising < 0 && mpq_cmp(work.spare, work.high) < 0)
        mpq_set(work.high, work.spare);
    return mpq_cmp(work.low, work.high) <= 0;
}

/// Keep where sign * m + more is not negative.
static bool keep_side(const motion *m, int sign, double more) {
    mpq_set_d(work.other, more);
    if (sign > 0) {
        mpq_add(work.limit.start, m->start, work.other);
        mpq_set(work.limit.rate, m->rate);
    } else {
        mpq_sub(work.limit.start, work.other, m->start);
        mpq_neg(work.limit.rate, m->rate);
    }
    return keep();
}

static bool keep_between(const motion *m, double low, double high) {
    return keep_side(m, 1, -low) && keep_side(m, -1, high);
}

static bool keep_below_diagonal(void) {
    mpq_add(work.limit.start, work.u.start, work.v.start);
    mpq_add(work.limit.rate, work.u.rate, work.v.rate);
    mpq_set_ui(work.other, 1, 1);
    mpq_sub(work.limit.start, work.other, work.limit.start);
    mpq_neg(work.limit.rate, work.limit.rate);
    return keep();
}

static void keep_all(void) {
    mpq_set_ui(work.low, 0, 1);
    mpq_set(work.high, work.end);
}

/// The closed rectangle of the grid.
static bool keep_rectangle(const exact_grid *grid) {
    double beyond = grid->extend || grid->surface == LF_SURFACE_POINT ? 0.5 : 0;
    return keep_between(&work.x, -beyond, (double)(grid->columns - 1) + beyond) &&
           keep_between(&work.y, -beyond, (double)(grid->rows - 1) + beyond);
}

/// The line in coordinates that start at a corner; turned: they run towards lower columns or rows.
static void see_from(motion *out, const motion *line, double corner, bool turned) {
    mpq_set_d(work.spare, corner);
    if (turned) {
        mpq_sub(out->start, work.spare, line->start);
        mpq_neg(out->rate, line->rate);
    } else {
        mpq_sub(out->start, line->start, work.spare);
        mpq_set(out->rate, line->rate);
    }
}

// ---------------------------------------------------------------------------------------------------
// Pieces
// ---------------------------------------------------------------------------------------------------

/// one + by_u u + by_v v + by_uv u v
typedef struct piece {
    double one, beside, above, across; ///< heights at u, v = 0 0, 1 0, 0 1 and, for patches, 1 1
    bool patch;
} piece;

static exact_part *next_part(void) {
    if (work.count == work.space) {
        int64_t space = 2 * work.space + 16;
        work.parts = realloc(work.parts, (size_t)space * sizeof *work.parts);
        assert(work.parts);
        for (int64_t i = work.space; i < space; i++)
            mpq_inits(work.parts[i].low, work.parts[i].high, work.parts[i].a, work.parts[i].b,
                      work.parts[i].c, NULL);
        work.space = space;
    }
    return &work.parts[work.count++];
}

/// sum -= (to - from) * factor
static void take_slope(mpq_t sum, double from, double to, const mpq_t factor) {
    if (from == to)
        return;
    mpq_set_d(work.spare, to);
    mpq_set_d(work.other, from);
    mpq_sub(work.spare, work.spare, work.other);
    mpq_mul(work.spare, work.spare, factor);
    mpq_sub(sum, sum, work.spare);
}

static void take_twist(exact_part *part, const piece *piece) {
    mpq_set_d(work.value, piece->across);
    mpq_set_d(work.other, piece->beside);
    mpq_sub(work.value, work.value, work.other);
    mpq_set_d(work.other, piece->above);
    mpq_sub(work.value, work.value, work.other);
    mpq_set_d(work.other, piece->one);
    mpq_add(work.value, work.value, work.other);
    mpq_mul(work.other, work.u.start, work.v.start);
    mpq_mul(work.other, work.other, work.value);
    mpq_sub(part->c, part->c, work.other);
    mpq_mul(work.other, work.u.rate, work.v.rate);
    mpq_mul(work.other, work.other, work.value);
    mpq_sub(part->a, part->a, work.other);
    mpq_mul(work.other, work.u.start, work.v.rate);
    mpq_mul(work.spare, work.u.rate, work.v.start);
    mpq_add(work.other, work.other, work.spare);
    mpq_mul(work.other, work.other, work.value);
    mpq_sub(part->b, part->b, work.other);
}

/// |2 a t + b|
static double slope_at(const exact_part *part, const mpq_t t) {
    mpq_mul(work.slope, part->a, t);
    mpq_add(work.slope, work.slope, work.slope);
    mpq_add(work.slope, work.slope, part->b);
    return fabs(mpq_get_d(work.slope));
}

/// A point counts only strictly between the ends.
static bool counts(const exact_line *line) {
    if (mpq_cmp(work.low, work.high) != 0)
        return true;
    int at_end = mpq_cmp(work.high, work.end);
    return mpq_sgn(work.low) > 0 && (at_end < 0 || (line->closed && at_end == 0));
}

/// How fast the ground under the line changes at most when only its column, or only its row, moves on. Doubles round these
/// two apart, so what both do to the height does not cancel even where the line follows the ground.
static double change_apart(const piece *piece) {
    double beside = fabs(piece->beside - piece->one), above = fabs(piece->above - piece->one);
    if (piece->patch) {
        beside = fmax(beside, fabs(piece->across - piece->above));
        above = fmax(above, fabs(piece->across - piece->beside));
    }
    return beside * fabs(mpq_get_d(work.u.rate)) + above * fabs(mpq_get_d(work.v.rate));
}

static void record(const exact_line *line, const piece *piece) {
    if (!counts(line))
        return;
    exact_part *part = next_part();
    mpq_set(part->low, work.low);
    mpq_set(part->high, work.high);
    mpq_set(part->a, work.z2);
    mpq_set(part->b, work.z1);
    mpq_set_d(work.spare, piece->one);
    mpq_sub(part->c, work.z0, work.spare);
    take_slope(part->c, piece->one, piece->beside, work.u.start);
    take_slope(part->b, piece->one, piece->beside, work.u.rate);
    take_slope(part->c, piece->one, piece->above, work.v.start);
    take_slope(part->b, piece->one, piece->above, work.v.rate);
    if (piece->patch)
        take_twist(part, piece);
    double most = fmax(fmax(fabs(piece->one), fabs(piece->beside)),
                       fmax(fabs(piece->above), piece->patch ? fabs(piece->across) : 0));
    double reach = line->end == 1 ? 1 : mpq_get_d(part->high);
    double steep = fmax(slope_at(part, part->low), slope_at(part, part->high));
    double high = fabs(line->z) + fabs(line->rise) * reach + fabs(line->bend) * reach * reach;
    part->slack = DBL_EPSILON / 2 * (32 * (high + most) + (32 * steep + 4 * change_apart(piece)) * reach);
}

static int64_t within(int64_t value, int64_t low, int64_t high) {
    return value < low ? low : value > high ? high : value;
}

/// The height of a sample, or of the ring's: that of the nearest.
static double sample(const exact_grid *grid, int64_t column, int64_t row) {
    return grid
        ->heights[within(row, 0, grid->rows - 1) * grid->columns + within(column, 0, grid->columns - 1)];
}

/// Start on a piece, clipped to what the ring leaves of it.
static bool begin(const exact_grid *grid, bool ring) {
    keep_all();
    return !ring || keep_rectangle(grid);
}

static void under_triangle(const exact_grid *grid, const exact_line *line, const int64_t cell[2],
                           const int right[2], bool ring) {
    int64_t column = cell[0] + right[0], row = cell[1] + right[1];
    int64_t other_column = cell[0] + 1 - right[0], other_row = cell[1] + 1 - right[1];
    piece piece = {sample(grid, column, row), sample(grid, other_column, row),
                   sample(grid, column, other_row), 0, false};
    if (isnan(piece.one) || isnan(piece.beside) || isnan(piece.above))
        return;
    see_from(&work.u, &work.x, (double)column, right[0]);
    see_from(&work.v, &work.y, (double)row, right[1]);
    if (begin(grid, ring) && keep_side(&work.u, 1, 0) && keep_side(&work.v, 1, 0) && keep_below_diagonal())
        record(line, &piece);
}

static void under_patch(const exact_grid *grid, const exact_line *line, const int64_t cell[2], bool ring) {
    int64_t i = cell[0], j = cell[1];
    piece piece = {sample(grid, i, j), sample(grid, i + 1, j), sample(grid, i, j + 1),
                   sample(grid, i + 1, j + 1), true};
    if (isnan(piece.one) || isnan(piece.beside) || isnan(piece.above) || isnan(piece.across))
        return;
    see_from(&work.u, &work.x, (double)i, false);
    see_from(&work.v, &work.y, (double)j, false);
    if (begin(grid, ring) && keep_between(&work.u, 0, 1) && keep_between(&work.v, 0, 1))
        record(line, &piece);
}

static void under_cell(const exact_grid *grid, const exact_line *line, const int64_t cell[2]) {
    int64_t i = cell[0], j = cell[1];
    bool ring = i < 0 || j < 0 || i > grid->columns - 2 || j > grid->rows - 2;
    if (grid->surface == LF_SURFACE_BILINEAR) {
        under_patch(grid, line, cell, ring);
        return;
    }
    int rising =
        grid->surface == LF_SURFACE_RISING || (grid->surface == LF_SURFACE_ALTERNATING && (i + j) % 2 != 0);
    under_triangle(grid, line, cell, (int[2]){rising, 0}, ring);
    under_triangle(grid, line, cell, (int[2]){1 - rising, 1}, ring);
}

static void under_sample(const exact_grid *grid, const exact_line *line, const int64_t cell[2]) {
    double height = sample(grid, cell[0], cell[1]);
    if (isnan(height))
        return;
    piece piece = {height, height, height, 0, false};
    see_from(&work.u, &work.x, (double)cell[0], false);
    see_from(&work.v, &work.y, (double)cell[1], false);
    keep_all();
    if (keep_between(&work.u, -0.5, 0.5) && keep_between(&work.v, -0.5, 0.5))
        record(line, &piece);
}

/// May the line lie over columns or rows from low to high? Widened by more than doubles are off.
static bool may_lie(double start, double rate, double low, double high, double span[2]) {
    if (rate == 0)
        return low <= start && start <= high;
    double first = ((rate > 0 ? low : high) - start) / rate, last = ((rate > 0 ? high : low) - start) / rate;
    first -= fabs(first) * 1e-15 + 1e-300;
    last += fabs(last) * 1e-15 + 1e-300;
    span[0] = fmax(span[0], first);
    span[1] = fmin(span[1], last);
    return !(span[0] > span[1]);
}

static int compare_parts(const void *left, const void *right) {
    const exact_part *a = left, *b = right;
    return mpq_cmp(a->low, b->low);
}

/// Count t from the other end: f(1 - s) = a s^2 - (2 a + b) s + a + b + c.
static void turn_round(mpq_t a, mpq_t b, mpq_t c) {
    mpq_add(c, c, b);
    mpq_add(c, c, a);
    mpq_add(b, b, a);
    mpq_add(b, b, a);
    mpq_neg(b, b);
}

static void turn_span(mpq_t low, mpq_t high) {
    mpq_set_ui(work.spare, 1, 1);
    mpq_sub(work.other, work.spare, high);
    mpq_sub(high, work.spare, low);
    mpq_set(low, work.other);
}

static void look_from_other_end(void) {
    turn_round(work.z2, work.z1, work.z0);
    for (int64_t i = 0; i < work.count; i++) {
        exact_part *part = &work.parts[i];
        turn_round(part->a, part->b, part->c);
        turn_span(part->low, part->high);
    }
}

static int64_t find_parts(const exact_grid *grid, const exact_line *line, bool filter) {
    bool samples = grid->surface == LF_SURFACE_POINT;
    int64_t ring = grid->extend && !samples ? 1 : 0, last = samples ? 0 : 1;
    double before = samples ? 0.5 : 0, after = samples ? 0.5 : 1;
    set_line(line);
    for (int64_t j = -ring; j < grid->rows - last + ring; j++)
        for (int64_t i = -ring; i < grid->columns - last + ring; i++) {
            double span[2] = {0, line->end}, u = (double)i, v = (double)j;
            if (filter && (!may_lie(line->x, line->dx, u - before, u + after, span) ||
                           !may_lie(line->y, line->dy, v - before, v + after, span)))
                continue;
            if (samples)
                under_sample(grid, line, (int64_t[2]){i, j});
            else
                under_cell(grid, line, (int64_t[2]){i, j});
        }
    if (line->back)
        look_from_other_end();
    if (work.count > 1)
        qsort(work.parts, (size_t)work.count, sizeof *work.parts, compare_parts);
    return work.count;
}

int64_t exact_sight_parts(const exact_grid *grid, const exact_line *line, const exact_part **parts) {
    find_parts(grid, line, true);
    *parts = work.parts;
    return work.count;
}

int64_t exact_sight_parts_all(const exact_grid *grid, const exact_line *line, const exact_part **parts) {
    find_parts(grid, line, false);
    *parts = work.parts;
    return work.count;
}

// ---------------------------------------------------------------------------------------------------
// Where a quadratic is first negative
// ---------------------------------------------------------------------------------------------------

/// The sign of a t^2 + b t + c just after t, or at t where only that counts.
static int sign_at(const exact_part *part, const mpq_t t, bool after) {
    mpq_mul(work.value, part->a, t);
    mpq_add(work.slope, work.value, work.value);
    mpq_add(work.slope, work.slope, part->b);
    mpq_add(work.value, work.value, part->b);
    mpq_mul(work.value, work.value, t);
    mpq_add(work.value, work.value, part->c);
    int sign = mpq_sgn(work.value);
    if (sign == 0 && after)
        sign = mpq_sgn(work.slope) != 0 ? mpq_sgn(work.slope) : mpq_sgn(part->a);
    return sign;
}

/// Where it becomes negative after having been positive: a falling line's zero, the first of a valley, the second of a hill.
static bool falling_zero(const exact_part *part, exact_number *at) {
    int bend = mpq_sgn(part->a), count = exact_roots(part->a, part->b, part->c, work.roots);
    if (count <= 0 || (bend == 0 && mpq_sgn(part->b) > 0) || (bend != 0 && count == 1))
        return false;
    const exact_number *root = &work.roots[bend < 0 ? 1 : 0];
    if (exact_number_compare_q(root, part->low) <= 0 || exact_number_compare_q(root, part->high) >= 0)
        return false;
    exact_number_copy(at, root);
    return true;
}

/// The greatest lower bound of where a part is negative.
static bool first_negative(const exact_part *part, exact_number *at) {
    bool point = mpq_cmp(part->low, part->high) == 0;
    if (sign_at(part, part->low, !point) < 0) {
        exact_number_set(at, part->low);
        return true;
    }
    return !point && falling_zero(part, at);
}

static bool find_block(double *t) {
    static exact_number at;
    static bool ready;
    if (!ready)
        exact_number_init(&at);
    ready = true;
    bool any = false;
    for (int64_t i = 0; i < work.count; i++) {
        if (!first_negative(&work.parts[i], &at))
            continue;
        if (!any || exact_number_compare(&at, &work.best) < 0)
            exact_number_copy(&work.best, &at);
        any = true;
    }
    *t = any ? exact_number_get(&work.best) : 1;
    return any;
}

static double highest(const exact_grid *grid) {
    double high = -LF_INFINITY;
    for (int64_t i = 0; i < grid->columns * grid->rows; i++)
        high = fmax(high, grid->heights[i]);
    return high;
}

/// Over a hole from low to high: is the line anywhere below the highest height?
static void look_into_gap(exact_sight *sight, double top, const mpq_t low, const mpq_t high) {
    static exact_part gap;
    static exact_number at;
    static bool ready;
    if (!ready) {
        mpq_inits(gap.low, gap.high, gap.a, gap.b, gap.c, NULL);
        exact_number_init(&at);
    }
    ready = true;
    sight->over_hole = true;
    if (sight->hole || isinf(top))
        return;
    mpq_set(gap.low, low);
    mpq_set(gap.high, high);
    mpq_set(gap.a, work.z2);
    mpq_set(gap.b, work.z1);
    mpq_set_d(gap.c, top);
    mpq_sub(gap.c, work.z0, gap.c);
    sight->hole = first_negative(&gap, &at);
    if (sight->hole)
        sight->hole_t = exact_number_get(&at);
}

/// The gaps between the parts, in the grid's closed rectangle.
static void find_holes(const exact_grid *grid, const exact_line *line, exact_sight *sight) {
    keep_all();
    if (!keep_rectangle(grid) || !counts(line))
        return;
    if (line->back)
        turn_span(work.low, work.high);
    double top = highest(grid);
    mpq_t reach, end;
    mpq_inits(reach, end, NULL);
    mpq_set(reach, work.low);
    mpq_set(end, work.high);
    for (int64_t i = 0; i < work.count; i++) {
        if (mpq_cmp(work.parts[i].low, reach) > 0)
            look_into_gap(sight, top, reach, work.parts[i].low);
        if (mpq_cmp(work.parts[i].high, reach) > 0)
            mpq_set(reach, work.parts[i].high);
    }
    if (mpq_cmp(reach, end) < 0 || work.count == 0)
        look_into_gap(sight, top, reach, end);
    mpq_clears(reach, end, NULL);
}

exact_sight exact_sight_of(const exact_grid *grid, const exact_line *line) {
    exact_sight sight = {.hole_t = 1};
    find_parts(grid, line, true);
    sight.over_ground = work.count > 0;
    sight.blocked = find_block(&sight.blocked_t);
    find_holes(grid, line, &sight);
    sight.parts = work.parts;
    sight.part_count = work.count;
    return sight;
}
