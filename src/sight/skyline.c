/// The skyline along a line over a grid: the greatest slope at which ground is seen.
///
/// Over one piece of the surface the height of the line over it is e0 + e1 * t + e2 * t * t, so the ground
/// there is seen at the slope -(e0 / t + e1 + e2 * t), which is greatest at an end of the piece or at its
/// stationary point t = sqrt(e0 / e2). Blocks that cannot reach the slope found so far are not entered.
#include "sight/horizon.h"
#include "sight/sight.h"

/// Half a unit in the last place.
#define SKYLINE_UNIT 0x1p-53

static inline double skyline_larger(double a, double b) {
    return a > b ? a : b;
}

/// A square that may contain the skyline, by heights in doubles.
typedef struct skyline_candidate {
    lf__sight_block square;
    double high;
} skyline_candidate;

#define SKYLINE_CANDIDATES 8

typedef struct skyline_search {
    lf__skyline best;
    double floor;     ///< the skyline is no lower, by heights in doubles
    double slack;     ///< rounding error of the slope of a piece
    bool first_pass;  ///< the first pass along the line: heights in doubles are enough where available
    bool from_sample; ///< the line begins on a sample
    bool crowded;     ///< there were more candidates than fit
    double nearest;   ///< slope of the place of best.t and best.height: the greatest, up to rounding
    int count;
    skyline_candidate candidates[SKYLINE_CANDIDATES];
} skyline_search;

/// Slopes that differ by no more than this count as equal: the rounding error of a slope at a distance, for
/// ground within these heights.
static double slope_rounding(const lf__sight_line *line, double slope, double height, double t) {
    double share =
        t > 0 ? (fabs(line->z0) + fabs(height)) / t : 0; // at t = 0 the slope is that of the ground itself
    return 1e-12 * (fabs(slope) + share);
}

/// Of places with equal slope the nearest counts, with the greatest slope among them.
static void skyline_note(lf__sight_walk *way, double slope, double t, double height) {
    skyline_search *s = way->user;
    double tie = slope_rounding(way->line, slope, height, t);
    if (slope < s->best.slope - tie)
        return;
    bool replaces = t < s->best.t || s->nearest < slope - tie;
    s->best.slope = skyline_larger(s->best.slope, slope);
    if (replaces) {
        s->best.t = t;
        s->best.height = height;
        s->nearest = slope;
    }
    if (slope == LF_INFINITY)
        way->last = way->first - 1; // nothing can be steeper
}

/// Upper bound of the slope at which anything up to `top` is seen from `first` to `last`.
static double skyline_most(const lf__sight_line *line, double top, double first, double last) {
    double rise = top - line->z0, near = rise > 0 ? first : last;
    if (rise == LF_INFINITY || (rise > 0 && !(first > 0)))
        return LF_INFINITY;
    double slope = rise == 0 ? 0 : rise / near, fall = line->z2 * (line->z2 > 0 ? first : last);
    return slope - fall + 8 * SKYLINE_UNIT * (fabs(slope) + fabs(fall));
}

static double top_of_square(const lf_grid *grid, int64_t i, int64_t j) {
    if (lf__grid_gap(grid, i, j))
        return lf__grid_gap_range(grid, i, j).high;
    if (grid->surface == LF_SURFACE_POINT)
        return lf__grid_height(grid, i, j);
    lf__grid_corners h = lf__grid_corners_of(grid, i, j);
    return skyline_larger(skyline_larger(h.h00, h.h10), skyline_larger(h.h01, h.h11));
}

/// Bounds of the slope at which the ground of a square is seen: no part is steeper than the upper one, and
/// some part reaches the lower one. Ground is straight between the places in `heights`, so it is steepest at
/// one of them.
static lf__grid_range slopes_of(const lf__sight_line *line, const lf__sight_block *block,
                                const lf__square_heights *heights) {
    lf__grid_range slopes = {-LF_INFINITY, -LF_INFINITY};
    double curvature = line->z2, fall = curvature * (curvature > 0 ? block->first : block->last);
    for (int k = 0; k < heights->count; k++) {
        double t = heights->t[k], slack = heights->slack / t, slope = (heights->height[k] - line->z0) / t;
        slack += 8 * SKYLINE_UNIT * (fabs(slope) + fabs(curvature) * block->last);
        slopes.high = skyline_larger(slopes.high, slope - fall + slack);
        if (k < heights->solid)
            slopes.low = skyline_larger(slopes.low, slope - curvature * t - slack);
    }
    return slopes;
}

/// Slopes below this are not searched for in a block.
static double skyline_least_slope(const lf__sight_walk *way, const skyline_search *s,
                                  const lf__sight_block *block) {
    double slope = skyline_larger(s->best.slope, s->floor);
    double high = skyline_larger(fabs(way->grid->highest), fabs(way->grid->lowest));
    return block->first > 0 ? slope - slope_rounding(way->line, slope, high, block->first) : -LF_INFINITY;
}

/// Keep a candidate for an exact test.
static void skyline_keep(const lf__sight_walk *way, skyline_search *s, const lf__sight_block *square,
                         double high) {
    if (s->count == SKYLINE_CANDIDATES) {
        s->count = 0;
        for (int k = 0; k < SKYLINE_CANDIDATES; k++)
            if (s->candidates[k].high >= skyline_least_slope(way, s, &s->candidates[k].square))
                s->candidates[s->count++] = s->candidates[k];
    }
    if (s->count == SKYLINE_CANDIDATES)
        s->crowded = true;
    else
        s->candidates[s->count++] = (skyline_candidate){*square, high};
}

/// Must a square be tested exactly?
static bool skyline_refine(lf__sight_walk *way, skyline_search *s, const lf__sight_block *block) {
    lf__square_heights heights;
    if (lf__sight_starts_behind(way->grid, way->line, block))
        return false;
    if (!lf__square_heights_at(way->grid, way->line, block, s->from_sample, &heights))
        return true;
    lf__grid_range slopes = slopes_of(way->line, block, &heights);
    double high = slopes.high + s->slack;
    if (!s->first_pass)
        return high >= skyline_least_slope(way, s, block);
    s->floor = skyline_larger(s->floor, slopes.low);
    if (high >= skyline_least_slope(way, s, block))
        skyline_keep(way, s, block, high);
    return false;
}

static bool may_be_steeper(lf__sight_walk *way, const lf__sight_block *block) {
    const lf_grid *grid = way->grid;
    skyline_search *s = way->user;
    const lf__grid_level *level = &grid->levels[block->level];
    double top = block->level == 0 ? top_of_square(grid, grid->first + block->bx, grid->first + block->by)
                 : level->top      ? lf__grid_top(grid, level->top[block->by * level->stride + block->bx])
                                   : grid->highest;
    double first = block->first > 0 ? block->first : 0;
    if (!(top > -LF_INFINITY && block->last > 0 &&
          skyline_most(way->line, top, first, block->last) + s->slack >= skyline_least_slope(way, s, block)))
        return false;
    return block->level > 0 || skyline_refine(way, s, block);
}

/// The slope of a piece from t = first to t = last.
static void skyline_try(lf__sight_walk *way, lf__over *over) {
    const lf__sight_line *line = way->line;
    lf__twofold e[3];
    double error[3], first = lf__spot_value(&over->along, over->first),
                     last = lf__spot_value(&over->along, over->last);
    lf__along_twofold(&over->along, e, error);
    double e0 = e[0].high, e1 = e[1].high, e2 = e[2].high, still = 0;
    if (!(first > 0)) {
        int sign = lf__along_sign(&over->along, 0);
        e0 = sign == 0 ? 0 : e0;
        if (sign <= 0)
            skyline_note(way, sign < 0 ? LF_INFINITY : 0 - e1, 0, line->z0 - e0);
    }
    if (e0 > 0 && e2 > 0)
        still = sqrt(e0 / e2);
    const double spots[3] = {first, still > first && still < last ? still : 0, last};
    for (int k = 0; k < 3; k++) {
        double t = spots[k];
        if (t > 0)
            skyline_note(way, 0 - (e0 / t + e1 + e2 * t), t,
                         line->z0 + line->z2 * t * t - (e0 + (e1 + e2 * t) * t));
    }
}

static void skyline_try_square(lf__sight_walk *way, const lf__sight_block *block) {
    lf__piece pieces[LF__PIECES];
    int count = lf__pieces_of(way->grid, way->grid->first + block->bx, way->grid->first + block->by, pieces);
    for (int k = 0; k < count; k++) {
        if (pieces[k].kind != LF__PIECE_PLANE && pieces[k].kind != LF__PIECE_PATCH)
            continue; // a wall is as high as the square behind it
        lf__over over;
        way->cost.triangles++;
        if (lf__over_start(&over, way->line, &pieces[k], &way->cost.exact))
            skyline_try(way, &over);
    }
}

/// Test the square under the line at the hint, in doubles: the skyline is probably near it.
static void skyline_try_hint(lf__sight_walk *way, double hint) {
    const lf_grid *grid = way->grid;
    const lf__sight_line *line = way->line;
    double x = floor(line->at.x + hint * line->way.x - grid->shift) - (double)grid->first,
           y = floor(line->at.y + hint * line->way.y - grid->shift) - (double)grid->first;
    skyline_search *s = way->user;
    lf__square_heights heights;
    if (!(x >= 0 && y >= 0 && x < (double)grid->square_columns && y < (double)grid->square_rows))
        return;
    lf__sight_block block = {0, (int64_t)x, (int64_t)y, hint, hint};
    if (!lf__grid_gap(grid, grid->first + block.bx, grid->first + block.by) &&
        lf__sight_within_square(grid, line, &block) &&
        lf__square_heights_at(grid, line, &block, false, &heights))
        s->floor = skyline_larger(s->floor, slopes_of(line, &block, &heights).low);
}

/// The skyline along a line with z1 = 0 and curvature z2. `hint`: its probable distance in metres, or 0; it
/// affects the time, not the result.
static lf__skyline skyline_find(const lf_grid *grid, const lf__sight_line *line, double hint,
                                lf_counters *cost) {
    skyline_search s;
    s.best = (lf__skyline){-LF_INFINITY, LF_INFINITY, -LF_INFINITY};
    s.floor = -LF_INFINITY;
    s.slack = 64 * SKYLINE_UNIT * lf__sight_steepest(grid) * (fabs(line->way.x) + fabs(line->way.y));
    s.first_pass = true;
    s.from_sample = lf__sight_from_sample(grid, line);
    s.crowded = false;
    s.nearest = -LF_INFINITY;
    s.count = 0;
    lf__sight_walk way = {.grid = grid,
                          .line = line,
                          .last = line->end,
                          .enters = may_be_steeper,
                          .square = skyline_try_square,
                          .user = &s,
                          .cost = *cost};
    if (grid->lowest <= grid->highest) {
        if (hint > 0)
            skyline_try_hint(&way, hint);
        lf__sight_walk_run(&way);
        s.first_pass = false;
        for (int k = 0; k < s.count && !s.crowded; k++)
            if (s.candidates[k].high >= skyline_least_slope(&way, &s, &s.candidates[k].square))
                skyline_try_square(&way, &s.candidates[k].square);
        if (s.crowded)
            lf__sight_walk_run(&way);
        if (s.best.slope < s.floor) { // heights in doubles took a square beside the line for ground under it
            s.floor = -LF_INFINITY;
            lf__sight_walk_run(&way);
        }
    }
    *cost = way.cost;
    if (s.best.slope == -LF_INFINITY)
        s.best.t = 0;
    return s.best;
}

lf__skyline lf__skyline_along(const lf_grid *grid, const lf__sight_line *line, double hint,
                              lf_counters *cost) {
    lf__skyline best = {-LF_INFINITY, 0, -LF_INFINITY};
    lf__sight_line part;
    lf__sight_copies copies = lf__sight_copies_of(grid, line);
    while (lf__sight_copies_next(&copies, &part)) {
        lf__skyline found = skyline_find(grid, &part, hint, cost);
        double tie = isfinite(found.slope) ? slope_rounding(&part, found.slope, found.height, found.t) : 0;
        bool steeper = found.slope > best.slope + tie, same = !steeper && found.slope >= best.slope - tie;
        double slope = skyline_larger(best.slope, found.slope);
        if (steeper || (same && found.t < best.t))
            best = found;
        best.slope = slope;
    }
    return best;
}
