/// Lines over a grid: their ends, the blocks and squares under them, and exact tests against pieces of
/// surface.
#include "grid/grid_query.h"
#include "sight/sight.h"
#include <string.h>

#define PLACE_UNIT LF__SIGHT_UNIT

/// Numbers below this are treated as if they were this large: steps must not vanish.
#define LEAST_HEIGHT 0x1p-900

/// Sags of less than this count as 0: their products would not be exact.
#define LEAST_SAG 0x1p-200

/// The position of the exponent in a double.
#define PLACE_EXPONENT ((uint64_t)0x7ff << 52)

static double place_snap_to_samples(double at, double size) {
    // Adding this leaves no bits for a fraction; larger numbers have none that matters.
    double whole = fabs(at) < 0x1p50 ? (at + 0x1.8p52) - 0x1.8p52 : at;
    return fabs(at - whole) <= size ? whole : at;
}

/// Round to the nearest multiple of 2^-52 of a power of two greater than x: doubles between that and twice
/// that have no others.
static double nearest_step(double x, double power) {
    double sum = copysign(power, x);
    return (x + sum) - sum;
}

static double place_snap_to_steps(double at, double reach) {
    return fabs(at) < reach ? nearest_step(at, reach) : at;
}

/// The least integer that is not below x; |x| below 2^52.
static double whole_above(double x) {
    double whole = (double)(int64_t)x;
    return whole < x ? whole + 1 : whole;
}

lf_vec2 lf__sight_place(const lf_grid *grid, lf_vec2 world) {
    world.x = lf__grid_turned(grid, world.x);
    lf_vec2 place = lf__grid_place(grid, world.x, world.y);
    double x = fabs(world.x) + fabs(grid->geotransform.origin.x),
           y = fabs(world.y) + fabs(grid->geotransform.origin.y);
    place.x = place_snap_to_samples(place.x, 8 * PLACE_UNIT * (fabs(grid->a) * x + fabs(grid->b) * y) +
                                                 8 * PLACE_UNIT);
    place.y = place_snap_to_samples(place.y, 8 * PLACE_UNIT * (fabs(grid->c) * x + fabs(grid->d) * y) +
                                                 8 * PLACE_UNIT);
    double reach = lf__sight_reach(grid);
    return (lf_vec2){place_snap_to_steps(place.x, reach), place_snap_to_steps(place.y, reach)};
}

/// The x of a column, reduced to one turn from 0 on.
static double within_turn(const lf_grid *grid, double column) {
    double x = grid->geotransform.origin.x + column * grid->geotransform.per_column.x;
    double turns = x / grid->turn - floor(x / grid->turn);
    return turns > 1 - 1e-9 ? 0 : turns;
}

double lf__sight_opposite(const lf_grid *grid, double column) {
    double half = 0.5 * grid->copies;
    bool eastwards = within_turn(grid, column + half) > within_turn(grid, column);
    return column + (eastwards == (grid->geotransform.per_column.x > 0) ? half : -half);
}

lf_vec2 lf__sight_place_near(const lf_grid *grid, lf_vec2 world, double x) {
    lf_vec2 place = lf__sight_place(grid, world);
    double half = 0.5 * grid->copies;
    if (grid->copies > 0 && fabs(place.x - x) > half)
        place.x +=
            place.x < x ? grid->copies : -grid->copies; // steps and whole columns: exact where it wraps
    if (grid->copies > 0 && fabs(place.x - x) == half)
        place.x = lf__sight_opposite(grid, x);
    return place;
}

lf__sight_copies lf__sight_copies_of(const lf_grid *grid, const lf__sight_line *line) {
    double from = line->at.x, to = line->at.x + line->end * line->way.x;
    lf__grid_copies under = lf__grid_copies_of(grid, from < to ? from : to, from < to ? to : from, to < from);
    return (lf__sight_copies){grid, *line, under.first, under.last};
}

bool lf__sight_copies_next(lf__sight_copies *copies, lf__sight_line *line) {
    if (copies->next > copies->last)
        return false;
    *line = copies->line;
    if (copies->next != 0)
        line->at.x -= (double)copies->next * copies->grid->copies;
    copies->next++;
    return true;
}

bool lf__sight_is_near(const lf_grid *grid, lf_vec2 place) {
    double reach = lf__sight_reach(grid);
    return fabs(place.x) < reach && fabs(place.y) < reach;
}

/// The step of heights: 2^-50 of the greatest power of two that is at most the largest number.
static double place_step_of(double largest) {
    uint64_t bits;
    largest = largest > LEAST_HEIGHT ? largest : LEAST_HEIGHT;
    memcpy(&bits, &largest, sizeof bits);
    bits = (bits & PLACE_EXPONENT) - ((uint64_t)50 << 52);
    memcpy(&largest, &bits, sizeof bits);
    return largest;
}

double lf__sight_sag(const lf_curvature *curvature, double length) {
    double sag = curvature->coefficient * length * length / (2 * curvature->radius);
    return fabs(sag) < LEAST_SAG ? 0 : sag;
}

lf__sight_line lf__sight_line_between(lf_vec2 from, double z_from, lf_vec2 to, double z_to, double sag) {
    double largest = fabs(z_from) > fabs(z_to) ? fabs(z_from) : fabs(z_to);
    double step = place_step_of(fabs(sag) > largest ? fabs(sag) : largest);
    double inverse = 1 / step; // a power of two: exact
    z_from = whole_above(z_from * inverse) * step;
    z_to = whole_above(z_to * inverse) * step;
    sag = nearest_step(sag, 0x1p52 * step);
    return (lf__sight_line){from, {to.x - from.x, to.y - from.y}, z_from, (z_to - z_from) - sag, sag, 1,
                            false};
}

/// The height at the vertex of a line, if that is between first and last; else the height at first. The place
/// of the vertex has a relative error of 2^-50, and the height there the square of that.
static double place_turn(const lf__sight_line *line, double first, double last, double at_first) {
    if (line->z2 == 0)
        return at_first;
    double t = -0.5 * line->z1 / line->z2;
    return t > first && t < last ? lf__sight_height(line, t) : at_first;
}

/// Bound of all rounding errors.
static double place_pad(const lf__sight_line *line, double last) {
    return 16 * PLACE_UNIT * (fabs(line->z0) + (fabs(line->z1) + fabs(line->z2) * last) * last) + 0x1p-1000;
}

double lf__sight_low(const lf__sight_line *line, double first, double last) {
    double a = lf__sight_height(line, first), b = lf__sight_height(line, last);
    double c = place_turn(line, first, last, a);
    a = a < b ? a : b;
    return (a < c ? a : c) - place_pad(line, last);
}

// ---------------------------------------------------------------------------------------------------
// Blocks under a line
// ---------------------------------------------------------------------------------------------------

// The part of the line over a block is computed with outward rounding, so that nothing under the line is
// missed.

/// Half a unit in the last place.
#define WAY_UNIT 0x1p-53

/// A line that moves less than this along an axis is constant in it, in doubles.
#define WAY_STILL 1e-200

/// Stack of blocks: three parts of each level, and one.
#define WAY_WAITING (3 * LF__GRID_LEVELS + 1)

/// One axis of the line, prepared for clipping.
typedef struct way_axis {
    double at, inverse; ///< 0: it does not move
    double pad;
} way_axis;

static way_axis way_axis_of(double at, double way, double low, double high) {
    // A clip has three roundings of numbers no larger than these.
    return (way_axis){at, fabs(way) < WAY_STILL ? 0 : 1 / way,
                      16 * WAY_UNIT * (fabs(at) + fabs(low) + fabs(high))};
}

/// Shorten a part of the line to where it may be within low .. high; false: empty.
static bool way_shorten(const way_axis *a, double low, double high, lf__sight_block *block) {
    low -= a->pad;
    high += a->pad;
    if (a->inverse == 0)
        return low <= a->at && a->at <= high;
    double from = ((a->inverse > 0 ? low : high) - a->at) * a->inverse;
    double to = ((a->inverse > 0 ? high : low) - a->at) * a->inverse;
    block->first = from > block->first ? from : block->first;
    block->last = to < block->last ? to : block->last;
    return block->first <= block->last;
}

typedef struct way_walk {
    lf__sight_walk *way;
    way_axis x, y;
    lf__sight_block waiting[WAY_WAITING];
    int count;
} way_walk;

static bool comes_over(const way_walk *w, lf__sight_block *block) {
    const lf_grid *grid = w->way->grid;
    double side = (double)((int64_t)1 << block->level), corner = (double)grid->first + grid->shift;
    double x = corner + (double)block->bx * side, y = corner + (double)block->by * side;
    block->first = w->way->first;
    block->last = w->way->last;
    return block->first <= block->last && way_shorten(&w->x, x, x + side, block) &&
           way_shorten(&w->y, y, y + side, block);
}

/// Push the four parts of a block, the next one last.
static void way_add_parts(way_walk *w, const lf__sight_block *block) {
    const lf__grid_level *below = &w->way->grid->levels[block->level - 1];
    const lf_vec2 d = w->way->line->way;
    bool x_first = (d.x >= 0) != w->way->backward, y_first = (d.y >= 0) != w->way->backward;
    for (int k = 3; k >= 0; k--) {
        int64_t bx = 2 * block->bx + ((k & 1) == x_first), by = 2 * block->by + ((k >> 1) == y_first);
        if (bx < below->columns && by < below->rows)
            w->waiting[w->count++] = (lf__sight_block){block->level - 1, bx, by, 0, 0};
    }
}

void lf__sight_walk_run(lf__sight_walk *way) {
    const lf_grid *grid = way->grid;
    const lf__sight_line *line = way->line;
    way_walk w; // field by field: the stack need not be cleared
    w.way = way;
    w.x = way_axis_of(line->at.x, line->way.x, grid->low.x, grid->high.x);
    w.y = way_axis_of(line->at.y, line->way.y, grid->low.y, grid->high.y);
    w.waiting[0] = (lf__sight_block){grid->level_count - 1, 0, 0, 0, 0};
    w.count = 1;
    while (w.count > 0) {
        lf__sight_block block = w.waiting[--w.count];
        if (!comes_over(&w, &block))
            continue;
        if (block.level > 0)
            way->cost.nodes++;
        else
            way->cost.cells++;
        if (!way->enters(way, &block))
            continue;
        if (block.level > 0)
            way_add_parts(&w, &block);
        else
            way->square(way, &block);
    }
}

// ---------------------------------------------------------------------------------------------------
// A filter in doubles
// ---------------------------------------------------------------------------------------------------

/// Half a unit in the last place.
#define SQUARE_UNIT 0x1p-53

/// A place in a square, and the t of the line there.
typedef struct square_spot {
    double t, u, v;
} square_spot;

static square_spot square_spot_at(const lf__sight_line *line, double i, double j, double t) {
    double u = line->at.x + t * line->way.x - i, v = line->at.y + t * line->way.y - j;
    return (square_spot){t, u < 0 ? 0 : u > 1 ? 1 : u, v < 0 ? 0 : v > 1 ? 1 : v};
}

static void square_add(lf__square_heights *heights, double t, double height) {
    heights->t[heights->count] = t;
    heights->height[heights->count++] = height;
}

/// On the sides of a square, all surfaces are the same.
static double square_height_at(const lf__grid_corners *h, square_spot p) {
    double low = h->h00 + p.u * (h->h10 - h->h00), high = h->h01 + p.u * (h->h11 - h->h01);
    return low + p.v * (high - low);
}

/// The place on a diagonal between two places where `a` and `b` have opposite signs.
static void add_diagonal(lf__square_heights *heights, square_spot in, square_spot out, const double sides[2],
                         const double ends[2]) {
    if (!(sides[0] * sides[1] < 0))
        return;
    double part = sides[0] / (sides[0] - sides[1]), u = in.u + part * (out.u - in.u);
    square_add(heights, in.t + part * (out.t - in.t), ends[0] + u * (ends[1] - ends[0]));
}

bool lf__sight_from_sample(const lf_grid *grid, const lf__sight_line *line) {
    double x = line->at.x, y = line->at.y;
    if (!(x >= 0 && y >= 0 && x < (double)grid->columns && y < (double)grid->rows && x == floor(x) &&
          y == floor(y)))
        return false;
    int64_t i = (int64_t)x, j = (int64_t)y;
    return !lf__grid_is_void(grid, i, j) && line->z0 >= lf__grid_height(grid, i, j);
}

bool lf__square_heights_at(const lf_grid *grid, const lf__sight_line *line, const lf__sight_block *square,
                           bool from_sample, lf__square_heights *heights) {
    int64_t i = grid->first + square->bx, j = grid->first + square->by;
    if (grid->surface == LF_SURFACE_POINT || !lf__grid_is_real(grid, i, j) ||
        (!(square->first > 0) && !from_sample) || !(square->last < line->end) || lf__grid_gap(grid, i, j))
        return false;
    lf__grid_corners h = lf__grid_corners_of(grid, i, j);
    square_spot in = square_spot_at(line, (double)i, (double)j, square->first),
                out = square_spot_at(line, (double)i, (double)j, square->last);
    heights->count = 0;
    if (in.t > 0)
        square_add(heights, in.t, square_height_at(&h, in));
    square_add(heights, out.t, square_height_at(&h, out));
    heights->solid = heights->count;
    bool patch = grid->surface == LF_SURFACE_BILINEAR, falls = patch || lf__grid_falls(grid, i, j);
    // A patch lies between its two triangulations.
    if (falls)
        add_diagonal(heights, in, out, (double[2]){in.u + in.v - 1, out.u + out.v - 1},
                     (double[2]){h.h01, h.h10});
    if (patch || !falls)
        add_diagonal(heights, in, out, (double[2]){in.u - in.v, out.u - out.v}, (double[2]){h.h00, h.h11});
    if (!patch)
        heights->solid = heights->count;
    double size = fabs(h.h00) + fabs(h.h10) + fabs(h.h01) + fabs(h.h11);
    double beside = 256 * SQUARE_UNIT * (fabs(line->at.x) + fabs(line->at.y) + (double)(i + j) + 2);
    heights->slack = 16 * SQUARE_UNIT * size + beside * lf__sight_steepest(grid);
    return true;
}

static void square_shorten(double at, double way, double low, lf__sight_block *square) {
    if (way == 0)
        return;
    double a = (low - at) / way, b = (low + 1 - at) / way;
    square->first = fmax(square->first, fmin(a, b));
    square->last = fmin(square->last, fmax(a, b));
}

bool lf__sight_within_square(const lf_grid *grid, const lf__sight_line *line, lf__sight_block *square) {
    square->first = 0;
    square->last = line->end;
    square_shorten(line->at.x, line->way.x, (double)(grid->first + square->bx) + grid->shift, square);
    square_shorten(line->at.y, line->way.y, (double)(grid->first + square->by) + grid->shift, square);
    return square->first > 0 && square->first <= square->last;
}

// ---------------------------------------------------------------------------------------------------
// A line over one piece of surface
// ---------------------------------------------------------------------------------------------------

bool lf__over_start(lf__over *over, const lf__sight_line *line, const lf__piece *piece, uint64_t *exact) {
    over->ray =
        (lf_ray){{line->at.x, line->at.y, line->z0}, {line->way.x, line->way.y, line->z1}, 0, line->end};
    lf__along *along = &over->along;
    lf__along_start(along, piece, &over->ray, exact);
    lf__along_set_curvature(along, line->z2);
    if (!lf__along_part(along, &over->first, &over->last))
        return false;
    over->touches = lf__spot_order(along, over->first, over->last) == 0;
    return !over->touches || (lf__spot_order(along, over->first, LF__SPOT_START) > 0 &&
                              lf__spot_order(along, over->first, LF__SPOT_END) < (line->closed ? 1 : 0));
}

/// Where the line goes below, from a spot where it is not yet below.
static double over_crossing(lf__along *along, int curvature, bool last) {
    return curvature == 0 ? lf__spot_value(along, LF__SPOT_ROOT)
                          : lf__along_quadratic_root(along, (curvature > 0) == last);
}

bool lf__over_blocks(lf__over *over, bool last, double *t) {
    lf__along *along = &over->along;
    int near = last ? over->last : over->first, far = last ? over->first : over->last;
    int sign = lf__along_sign_at(along, near);
    *t = lf__spot_value(along, near);
    if (sign < 0 || over->touches)
        return sign < 0;
    int curvature = lf__along_sign(along, 2), way = last ? -1 : 1,
        slope = way * lf__along_slope_at(along, near);
    if (sign == 0 && (slope < 0 || (slope == 0 && curvature < 0)))
        return true;
    if (lf__along_sign_at(along, far) >= 0 &&
        (curvature <= 0 || slope >= 0 || way * lf__along_slope_at(along, far) <= 0 ||
         lf__along_discriminant(along) <= 0))
        return false;
    *t = over_crossing(along, curvature, last);
    return true;
}

// ---------------------------------------------------------------------------------------------------
// Voids
// ---------------------------------------------------------------------------------------------------

/// A square as a level piece, as far as the grid's surface extends. Limits: low and high column, low and high
/// row.
static lf__piece level_piece(const lf_grid *grid, int64_t i, int64_t j) {
    double x = (double)i + grid->shift, y = (double)j + grid->shift;
    lf__piece piece = {.kind = LF__PIECE_PLANE, .i = i, .j = j, .at = {x, y}, .limit_count = 4};
    for (int k = 0; k < 5; k++)
        piece.h[k] = grid->highest;
    piece.limits[0] = (lf__piece_limit){1, 0, 0, -fmax(x, grid->low.x)};
    piece.limits[1] = (lf__piece_limit){-1, 0, 0, fmin(x + 1, grid->high.x)};
    piece.limits[2] = (lf__piece_limit){0, 1, 0, -fmax(y, grid->low.y)};
    piece.limits[3] = (lf__piece_limit){0, -1, 0, fmin(y + 1, grid->high.y)};
    return piece;
}

/// The void part of a square with a gap: all of it, or the missing triangle, which one more limit cuts off.
/// false: none.
static bool void_piece(const lf_grid *grid, int64_t i, int64_t j, lf__piece *piece) {
    unsigned parts = lf__grid_parts(grid, i, j);
    if (parts == LF__GRID_WHOLE)
        return false;
    *piece = level_piece(grid, i, j);
    if (parts) {
        bool falls = lf__grid_falls(grid, i, j);
        double sign = (parts == 2) == falls
                          ? -1
                          : 1; // the first triangle is missing: of higher columns where the diagonal rises
        piece->limits[piece->limit_count++] =
            (lf__piece_limit){sign, falls ? sign : -sign, 0, -sign * (double)(falls ? i + j + 1 : i - j)};
    }
    return true;
}

/// The column of a square beside another, wrapped across the seam.
static int64_t over_square_beside(const lf_grid *grid, int64_t i) {
    return !grid->round                              ? i
           : i < grid->first                         ? i + grid->round
           : i >= grid->first + grid->square_columns ? i - grid->round
                                                     : i;
}

/// Does a square exist, with one of these pieces?
static bool is_ground(const lf_grid *grid, int64_t i, int64_t j, unsigned pieces) {
    return i >= grid->first && j >= grid->first && i < grid->first + grid->square_columns &&
           j < grid->first + grid->square_rows && (lf__grid_parts(grid, i, j) & pieces);
}

/// Does the line stay on the outline of a void piece, on a side that it shares with ground?
static bool runs_along_ground(const lf_grid *grid, const lf__sight_line *line, const lf__piece *piece) {
    int64_t i = piece->i, j = piece->j;
    lf_vec2 at = line->at, way = line->way;
    double x = (double)i + grid->shift, y = (double)j + grid->shift;
    lf__grid_spot spot;
    if (way.x == 0 && way.y == 0)
        return lf__grid_at(grid, at, &spot) == LF_REASON_ANSWERED;
    // The first triangle of a cell has its lower side, the second its upper side; the left side depends on
    // the diagonal.
    if (way.x == 0 && at.x == x)
        return is_ground(grid, over_square_beside(grid, i - 1), j,
                         lf__grid_falls(grid, over_square_beside(grid, i - 1), j) ? 2 : 1);
    if (way.x == 0 && at.x == x + 1)
        return is_ground(grid, over_square_beside(grid, i + 1), j,
                         lf__grid_falls(grid, over_square_beside(grid, i + 1), j) ? 1 : 2);
    if (way.y == 0 && (at.y == y || at.y == y + 1))
        return at.y == y ? is_ground(grid, i, j - 1, 2) : is_ground(grid, i, j + 1, 1);
    bool falls = lf__grid_falls(grid, i, j);
    return lf__grid_parts(grid, i, j) && way.x == (falls ? -way.y : way.y) &&
           lf__grid_diagonal_side(falls, i, j, at) == 0;
}

/// Is a limit part of the grid's border? The seam of a grid that wraps is not.
static bool is_border(const lf_grid *grid, const lf__piece *piece, int spot) {
    int k = spot - LF__SPOT_LIMIT;
    const double borders[4] = {-grid->low.x, grid->high.x, -grid->low.y, grid->high.y};
    return k >= (grid->round ? 2 : 0) && k < 4 && piece->limits[k].k == borders[k];
}

/// A corner that is only touched belongs to its other squares, except at the grid's own four corners: are
/// these void?
static bool touches_void(const lf_grid *grid, const lf__piece *piece, const lf__over *over) {
    if (!is_border(grid, piece, over->first) || !is_border(grid, piece, over->last))
        return false;
    int a = over->first - LF__SPOT_LIMIT, b = over->last - LF__SPOT_LIMIT, column = a < b ? a : b,
        row = a < b ? b : a;
    lf__grid_spot spot;
    lf_vec2 corner = {column == 0 ? grid->low.x : grid->high.x, row == 2 ? grid->low.y : grid->high.y};
    return lf__grid_at(grid, corner, &spot) != LF_REASON_ANSWERED;
}

bool lf__over_void(const lf_grid *grid, const lf__sight_line *line, const int64_t square[2], bool last,
                   double *t, uint64_t *exact) {
    lf__piece piece;
    lf__over over;
    if (!void_piece(grid, square[0], square[1], &piece) || !lf__over_start(&over, line, &piece, exact))
        return false;
    if (over.touches ? !touches_void(grid, &piece, &over) : runs_along_ground(grid, line, &piece))
        return false;
    return lf__over_blocks(&over, last, t);
}
