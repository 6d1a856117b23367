/// Verdict and clearance of a line over a grid.
#include "sight/k_line.h"
#include "sight/sight.h"

/// A search along a line.
typedef struct sight_grid_search {
    lf__sight_search_rules rules;
    lf__line_filter filter;
    bool found;
    double t; ///< the first or the last place
} sight_grid_search;

/// Something was found: skip what lies behind it, and everything if any place will do.
static void sight_grid_note(lf__sight_walk *way, double t) {
    sight_grid_search *s = way->user;
    bool better = !s->found || (s->rules.last ? t > s->t : t < s->t);
    s->t = better ? t : s->t;
    s->found = true;
    double pad = 0x1p-48 * fabs(s->t);
    if (s->rules.any)
        way->last = way->first - 1;
    else if (s->rules.last)
        way->first = fmax(way->first, s->t - pad);
    else
        way->last = fmin(way->last, s->t + pad);
}

// ---------------------------------------------------------------------------------------------------
// Ground
// ---------------------------------------------------------------------------------------------------

static bool below_top(lf__sight_walk *way, const lf__sight_block *block) {
    const lf_grid *grid = way->grid;
    const lf__grid_level *level = &grid->levels[block->level];
    int64_t i = grid->first + block->bx, j = grid->first + block->by;
    if (block->level == 0 && !lf__grid_parts(grid, i, j))
        return false; // whatever its bound, which may belong to its surroundings
    double low = lf__sight_low(way->line, block->first, block->last);
    if (level->top)
        return low < lf__grid_top(grid, level->top[block->by * level->stride + block->bx]);
    if (block->level > 0)
        return low < (grid->within_tiles ? lf__packed_top(grid, block->level, block->bx, block->by)
                                         : grid->highest);
    if (grid->surface == LF_SURFACE_POINT)
        return low < lf__grid_height(grid, i, j);
    lf__grid_corners h = lf__grid_corners_of(grid, i, j);
    return low < h.h00 || low < h.h10 || low < h.h01 || low < h.h11;
}

bool lf__sight_square_blocks(const lf_grid *grid, const lf__sight_line *line, const int64_t square[2],
                             bool last, double *t, lf_counters *cost) {
    lf__piece pieces[LF__PIECES];
    int count = lf__pieces_of(grid, square[0], square[1], pieces);
    bool found = false;
    for (int k = 0; k < count; k++) {
        if (pieces[k].kind != LF__PIECE_PLANE && pieces[k].kind != LF__PIECE_PATCH)
            continue; // the upper edge of a wall hides whatever the wall hides
        lf__over over;
        double at;
        cost->triangles++;
        if (!lf__over_start(&over, line, &pieces[k], &cost->exact) || !lf__over_blocks(&over, last, &at))
            continue;
        *t = !found || (last ? at > *t : at < *t) ? at : *t;
        found = true;
    }
    return found;
}

static void search_ground(lf__sight_walk *way, const lf__sight_block *block) {
    const sight_grid_search *s = way->user;
    int64_t square[2] = {way->grid->first + block->bx, way->grid->first + block->by};
    double t = 0.5 * (block->first + block->last);
    lf__filtered filtered = lf__filter_square(&s->filter, square[0], square[1]);
    if (filtered == LF__FILTER_CLEAR)
        return;
    if ((s->rules.any && filtered == LF__FILTER_BELOW) ||
        lf__sight_square_blocks(way->grid, way->line, square, s->rules.last, &t, &way->cost))
        sight_grid_note(way, t);
}

// ---------------------------------------------------------------------------------------------------
// Voids
// ---------------------------------------------------------------------------------------------------

/// May a block have squares with a gap? By the bits of its rows, where a row is within one machine word.
static bool has_gaps(const lf_grid *grid, const lf__sight_block *block) {
    if (block->level > 6)
        return true;
    int64_t side = (int64_t)1 << block->level, x = block->bx * side, y = block->by * side;
    uint64_t mask = (side == 64 ? UINT64_MAX : ((uint64_t)1 << side) - 1) << (x & 63);
    int64_t end = y + side < grid->square_rows ? y + side : grid->square_rows;
    for (; y < end; y++)
        if (grid->gaps[y * grid->void_words + (x >> 6)] & mask)
            return true;
    return false;
}

static bool sight_below_voids(lf__sight_walk *way, const lf__sight_block *block) {
    return lf__sight_low(way->line, block->first, block->last) < way->grid->highest &&
           has_gaps(way->grid, block);
}

static void sight_search_void(lf__sight_walk *way, const lf__sight_block *block) {
    const sight_grid_search *s = way->user;
    int64_t square[2] = {way->grid->first + block->bx, way->grid->first + block->by};
    double t;
    if (lf__over_void(way->grid, way->line, square, s->rules.last, &t, &way->cost.exact))
        sight_grid_note(way, t);
}

// ---------------------------------------------------------------------------------------------------
// Verdicts
// ---------------------------------------------------------------------------------------------------

/// Ground along a line, by kernels where they apply.
static void search_all(lf__sight_walk *way, sight_grid_search *s) {
    const lf_grid *grid = way->grid;
    lf__line_search found = LF__LINE_REFUSED;
    if (!(grid->lowest <= grid->highest))
        return;
    if (lf__sight_has_kernel(grid))
        found = lf__sight_search(grid, way->line, s->rules.last, s->rules.any, &s->t, &way->cost);
    s->found = found == LF__LINE_BELOW;
    if (found != LF__LINE_REFUSED)
        return;
    s->filter = lf__line_filter_start(grid, way->line);
    lf__sight_walk_run(way);
}

void lf__sight_grid(const lf_grid *grid, const lf__sight_line *line, const lf__sight_search_rules *rules,
                    lf__sight_result *answer, lf_counters *cost) {
    sight_grid_search s = {.rules = *rules};
    lf__sight_walk way = {.grid = grid,
                          .line = line,
                          .last = line->end,
                          .backward = rules->last,
                          .enters = below_top,
                          .square = search_ground,
                          .user = &s,
                          .cost = *cost};
    *answer = (lf__sight_result){LF_VERDICT_CLEAR, false, rules->last ? 0 : line->end};
    search_all(&way, &s);
    if (s.found)
        *answer = (lf__sight_result){LF_VERDICT_BLOCKED, true, s.t};
    bool blocked = s.found, stop = rules->voids == LF_VOIDS_STOP;
    if (grid->gaps && rules->voids != LF_VOIDS_PASS && (!blocked || (stop && !rules->any))) {
        way.enters = sight_below_voids;
        way.square = sight_search_void;
        s.found = false;
        way.first = rules->last && blocked ? answer->t : 0;
        way.last = !rules->last && blocked ? answer->t : line->end;
        lf__sight_walk_run(&way); // no farther than the ground that blocks
        if (s.found && (!blocked || (rules->last ? s.t > answer->t : s.t < answer->t)))
            *answer = (lf__sight_result){stop ? LF_VERDICT_BLOCKED : LF_VERDICT_UNKNOWN, blocked, s.t};
    }
    *cost = way.cost;
}

// ---------------------------------------------------------------------------------------------------
// Clearance
// ---------------------------------------------------------------------------------------------------

/// Bisections until a root has the precision of a double.
#define DETAIL_HALVINGS 60

/// Places other than the ends are at least this far from them.
#define DETAIL_NEAREST 0x1p-53

/// Closer to the ground than this, relative to the numbers involved, a height may be rounding.
#define DETAIL_CLOSE 0x1p-40

/// The speed of light in metres times megahertz.
#define DETAIL_LIGHT 299.792458

double lf__fresnel_zone(double frequency_mhz, double length) {
    return DETAIL_LIGHT / frequency_mhz * length;
}

lf__sight_detail lf__sight_detail_start(bool turned, double zone) {
    lf__least none = {LF_INFINITY, 0};
    return (lf__sight_detail){turned, false, zone, LF_INFINITY, none, none, none};
}

void lf__sight_detail_report(const lf__sight_detail *d, lf_sight *sight) {
    sight->clearance = d->clearance.value;
    sight->clearance_t = d->clearance.t;
    sight->raise = -d->lower.value;
    sight->raise_t = d->lower.t;
    sight->fresnel = d->zone > 0 ? d->fresnel.value : 0;
    sight->fresnel_t = d->zone > 0 ? d->fresnel.t : 0;
}

/// From the chord, so that distant numbers do not matter.
static double detail_height(const lf__stretch *q, double s) {
    if (s == q->at[0] || s == q->at[1])
        return q->above[s == q->at[1]];
    double chord = (q->above[1] - q->above[0]) / (q->at[1] - q->at[0]);
    return q->above[0] + (s - q->at[0]) * chord + q->curvature * (s - q->at[0]) * (s - q->at[1]);
}

/// The same as f[0] + f[1] * s + f[2] * s * s: accurate enough to find where something has an extremum.
static void detail_polynomial(const lf__stretch *q, double f[3]) {
    double length = q->at[1] - q->at[0], chord = length > 0 ? (q->above[1] - q->above[0]) / length : 0;
    f[2] = q->curvature;
    f[1] = chord - q->curvature * (q->at[0] + q->at[1]);
    f[0] = q->above[0] - (f[1] + f[2] * q->at[0]) * q->at[0];
}

static bool detail_within(const lf__stretch *q, double s) {
    return s > q->at[0] && s < q->at[1];
}

// ---------------------------------------------------------------------------------------------------
// One stretch
// ---------------------------------------------------------------------------------------------------

static void add_clearance(lf__sight_detail *d, const lf__stretch *q, const double f[3]) {
    double turn = f[2] > 0 ? -0.5 * f[1] / f[2] : q->at[0];
    lf__least_add(&d->clearance, q->above[0], q->at[0]);
    lf__least_add(&d->clearance, q->above[1], q->at[1]);
    if (detail_within(q, turn))
        lf__least_add(&d->clearance, detail_height(q, turn), turn);
}

/// f0 / s + f1 + f2 * s, which has its extremum where s * s = f0 / f2.
static void add_lower(lf__sight_detail *d, const lf__stretch *q, const double f[3]) {
    double turn = f[0] > 0 && f[2] > 0 ? sqrt(f[0] / f[2]) : q->at[0];
    if (q->at[0] > 0)
        lf__least_add(&d->lower, q->above[0] / q->at[0], q->at[0]);
    else if (q->signs[0] <= 0)
        lf__least_add(&d->lower, q->signs[0] < 0 ? -LF_INFINITY : q->slope, 0);
    if (q->at[1] > 0)
        lf__least_add(&d->lower, q->above[1] / q->at[1], q->at[1]);
    if (detail_within(q, turn))
        lf__least_add(&d->lower, detail_height(q, turn) / turn, turn);
}

static void detail_add_share(lf__sight_detail *d, const lf__stretch *q, double s) {
    double square = d->zone * (s * (1 - s));
    if (square > 0)
        lf__least_add(&d->fresnel, detail_height(q, s) / sqrt(square), s);
}

/// At an end, where the zone has no width, and next to it.
static void detail_add_end(lf__sight_detail *d, const lf__stretch *q, int end) {
    double s = q->at[end], next = s == 0 ? 0x1p-60 : 1 - 0x1p-53;
    if (s > 0 && s < 1)
        detail_add_share(d, q, s);
    else if (q->signs[end] <= 0)
        lf__least_add(&d->fresnel, q->signs[end] < 0 ? -LF_INFINITY : 0, s);
    else if (detail_within(q, next))
        detail_add_share(d, q, next);
}

/// The derivative of the height over sqrt(s * (1 - s)), times a positive factor.
static double slope_of_share(const lf__stretch *q, double s) {
    double chord = (q->above[1] - q->above[0]) / (q->at[1] - q->at[0]);
    double slope = chord + q->curvature * ((s - q->at[0]) + (s - q->at[1]));
    return slope * s * (1 - s) - detail_height(q, s) * (0.5 - s);
}

/// The minimum between two places between which that slope is monotonic: where it changes from falling to
/// rising.
static void detail_add_vertex(lf__sight_detail *d, const lf__stretch *q, double low, double high) {
    if (!(low < high) || !(slope_of_share(q, low) < 0) || !(slope_of_share(q, high) > 0))
        return;
    for (int k = 0; k < DETAIL_HALVINGS && low < high; k++) {
        double middle = 0.5 * (low + high);
        if (slope_of_share(q, middle) < 0)
            low = middle;
        else
            high = middle;
    }
    detail_add_share(d, q, low);
}

static void add_share(lf__sight_detail *d, const lf__stretch *q, const double f[3]) {
    detail_add_end(d, q, 0);
    detail_add_end(d, q, 1);
    // The slope is a cubic in s - 1/2 without a square term, and has its extrema at these distances from
    // there.
    double ratio = f[2] != 0 ? (f[0] + 0.5 * f[1] + 0.75 * f[2]) / (3 * f[2]) : 0;
    double turn = ratio > 0 ? sqrt(ratio) : 1;
    detail_add_vertex(d, q, q->at[0], fmin(q->at[1], 0.5 - turn));
    detail_add_vertex(d, q, fmax(q->at[0], 0.5 - turn), fmin(q->at[1], 0.5 + turn));
    detail_add_vertex(d, q, fmax(q->at[0], 0.5 + turn), q->at[1]);
}

void lf__sight_detail_add(lf__sight_detail *d, const lf__stretch *q) {
    double f[3];
    detail_polynomial(q, f);
    add_clearance(d, q, f);
    add_lower(d, q, f);
    if (d->zone > 0)
        add_share(d, q, f);
}

// ---------------------------------------------------------------------------------------------------
// Grids
// ---------------------------------------------------------------------------------------------------

/// Lower bound of the height of the line above `top`, divided by s, from s = first to s = last: f0 / s + f1 + f2 * s.
static double detail_low(const lf__sight_line *line, double top, double first, double last) {
    double above = line->z0 - top, low = lf__sight_height(line, last) - top;
    double least = low / last, turn = above > 0 && line->z2 > 0 ? sqrt(above / line->z2) : first;
    if (!(first > 0))
        return above > 0 && !(turn < last) ? least : -LF_INFINITY;
    least = fmin(least, (lf__sight_height(line, first) - top) / first);
    if (turn > first && turn < last)
        least = fmin(least, (lf__sight_height(line, turn) - top) / turn);
    double size = fabs(line->z0) + (fabs(line->z1) + fabs(line->z2) * last) * last + fabs(top);
    return least - 32 * LF__SIGHT_UNIT * size / first;
}

/// Can a block matter, if the line is at least `above` over it from s = first to s = last?
static bool detail_matters(const lf__sight_detail *d, double above, double first, double last) {
    bool below = above < 0;
    if (above < d->clearance.value && !d->only_lower)
        return true;
    if (below ? !(first > 0) || above < d->lower.value * first : above < d->lower.value * last)
        return true;
    if (!(d->zone > 0))
        return false;
    double far = fmax(fmin(0.5, last), first); // the widest part of the zone
    double width = below ? fmin(first * (1 - first), last * (1 - last)) : far * (1 - far);
    return !(width > 0) || above < d->fresnel.value * sqrt(d->zone * width);
}

/// The highest corner of a square's pieces.
static double square_top(const lf_grid *grid, const lf__sight_block *block) {
    int64_t i = grid->first + block->bx, j = grid->first + block->by;
    if (lf__grid_gap(grid, i, j))
        return lf__grid_gap_range(grid, i, j).high;
    if (grid->surface == LF_SURFACE_POINT)
        return lf__grid_height(grid, i, j);
    lf__grid_corners h = lf__grid_corners_of(grid, i, j);
    return fmax(fmax(h.h00, h.h10), fmax(h.h01, h.h11));
}

static bool may_matter(lf__sight_walk *way, const lf__sight_block *block) {
    const lf__sight_detail *d = way->user;
    const lf_grid *grid = way->grid;
    const lf__grid_level *level = &grid->levels[block->level];
    if (block->level == 0 && !lf__grid_parts(grid, grid->first + block->bx, grid->first + block->by))
        return false;
    if (!level->top && block->level > 0)
        return true;
    double end = way->line->end, first = d->turned ? end - block->last : block->first;
    double top = level->top ? lf__grid_top(grid, level->top[block->by * level->stride + block->bx])
                            : square_top(grid, block);
    if (d->only_lower && !d->turned)
        return detail_low(way->line, top, block->first, block->last) < fmin(d->lower.value, d->known);
    double above = lf__sight_low(way->line, block->first, block->last) - top;
    return detail_matters(d, above, first, first + (block->last - block->first));
}

/// Height of the line above a piece, from numbers as small as possible.
static double above_piece(const lf__sight_line *line, const lf__piece *p, double t) {
    double back =
        t - line->end; // near the end of a long line, places are more accurate when counted from there
    bool near_end = fabs(back) < fabs(t);
    double x = near_end ? (line->at.x + line->end * line->way.x - p->at.x) + back * line->way.x
                        : (line->at.x - p->at.x) + t * line->way.x;
    double y = near_end ? (line->at.y + line->end * line->way.y - p->at.y) + back * line->way.y
                        : (line->at.y - p->at.y) + t * line->way.y;
    const double *h = p->h;
    // Differences of heights first: they are nearly exact.
    double over = (line->z0 - h[0]) + (line->z1 + line->z2 * t) * t;
    if (p->kind == LF__PIECE_PLANE)
        return over - (h[2] - h[1]) * x - (h[4] - h[3]) * y;
    double a = h[1] - h[0], b = h[2] - h[0], c = (h[3] - h[2]) - a;
    return over - a * x - y * (b + c * x);
}

/// The same at an end, where rounding must not change a zero.
static double above_at_end(const lf__sight_line *line, lf__along *along, bool at_end) {
    lf__exact sum = lf__along_exact(along)[0], term;
    for (int k = 1; k < 3 && at_end; k++) {
        lf__exact_scaled(&lf__along_exact(along)[k], line->end, &term);
        if (k == 2)
            lf__exact_scaled(&term, line->end, &term);
        lf__exact_sum(&sum, &term, &sum);
    }
    return lf__exact_estimate(&sum);
}

/// The size of the numbers in the height of a line over a piece.
static double detail_size(const lf__sight_line *line, const lf__piece *p) {
    double sum = fabs(line->z0) + fabs(line->z1) + fabs(line->z2);
    for (int k = 0; k < (p->kind == LF__PIECE_PLANE ? 5 : 4); k++)
        sum += fabs(p->h[k]);
    return sum;
}

/// A piece, counted from the end that is queried.
static void add_piece(lf__sight_detail *d, const lf__sight_line *line, lf__over *over) {
    lf__along *along = &over->along;
    int spots[2] = {over->first, over->last};
    lf__stretch q = {.curvature = along->e[2].value};
    for (int k = 0; k < 2; k++) {
        int to = d->turned ? 1 - k : k;
        double t = lf__spot_value(along, spots[k]);
        bool end = lf__spot_order(along, spots[k], k == 0 ? LF__SPOT_START : LF__SPOT_END) == 0;
        double s = d->turned ? line->end - t : t;
        q.at[to] = end ? s : fmin(fmax(s, DETAIL_NEAREST), line->end - DETAIL_NEAREST);
        q.above[to] = above_piece(line, along->piece, t);
        if (end && fabs(q.above[to]) <= DETAIL_CLOSE * detail_size(line, along->piece))
            q.above[to] = above_at_end(line, along, k == 1);
        q.signs[to] = end ? lf__along_sign_at(along, spots[k]) : 1;
    }
    if (q.at[0] == 0 && q.signs[0] == 0) { // there the slope itself is needed
        double e1 = lf__exact_estimate(&lf__along_exact(along)[1]), e2 = lf__exact_estimate(&along->exact[2]);
        q.slope = d->turned ? -(e1 + 2 * e2 * line->end) : e1;
    }
    lf__sight_detail_add(d, &q);
}

static void detail_add_square(lf__sight_walk *way, const lf__sight_block *block) {
    lf__piece pieces[LF__PIECES];
    int count = lf__pieces_of(way->grid, way->grid->first + block->bx, way->grid->first + block->by, pieces);
    for (int k = 0; k < count; k++) {
        lf__over over;
        if (pieces[k].kind != LF__PIECE_PLANE && pieces[k].kind != LF__PIECE_PATCH)
            continue;
        way->cost.triangles++;
        if (lf__over_start(&over, way->line, &pieces[k], &way->cost.exact))
            add_piece(way->user, way->line, &over);
    }
}

void lf__sight_detail_grid(const lf_grid *grid, const lf__sight_line *line, lf__sight_detail *detail,
                           lf_counters *cost) {
    lf__sight_walk way = {.grid = grid,
                          .line = line,
                          .last = line->end,
                          .backward = detail->turned,
                          .enters = may_matter,
                          .square = detail_add_square,
                          .user = detail,
                          .cost = *cost};
    if (grid->lowest <= grid->highest)
        lf__sight_walk_run(&way);
    *cost = way.cost;
}
