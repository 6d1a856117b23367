/// Clearance, raise and Fresnel's zone: the least of three functions of t over all ground under a line.
#include "sight/detail.h"

/// Halvings until a root is as good as doubles can have it.
#define HALVINGS 60

/// Metres by megahertz.
#define LIGHT 299.792458

double lf_fresnel_radius(double frequency_mhz, double d1, double d2) {
    return sqrt(LIGHT / frequency_mhz * d1 * d2 / (d1 + d2));
}

double lf__fresnel_zone(double frequency_mhz, double length) {
    return LIGHT / frequency_mhz * length;
}

lf__sight_detail lf__sight_detail_start(bool turned, double zone) {
    lf__least none = {LF_INFINITY, 0};
    return (lf__sight_detail){turned, zone, none, none, none};
}

void lf__sight_detail_tell(const lf__sight_detail *d, lf_sight *sight) {
    sight->clearance = d->clearance.value;
    sight->clearance_t = d->clearance.t;
    sight->raise = -d->lower.value;
    sight->raise_t = d->lower.t;
    sight->fresnel = d->zone > 0 ? d->fresnel.value : 0;
    sight->fresnel_t = d->zone > 0 ? d->fresnel.t : 0;
}

static double at(const double f[3], double s) {
    return f[0] + (f[1] + f[2] * s) * s;
}

// ---------------------------------------------------------------------------------------------------
// One piece
// ---------------------------------------------------------------------------------------------------

static void add_clearance(lf__sight_detail *d, const double f[3], double first, double last) {
    double turn = f[2] > 0 ? -0.5 * f[1] / f[2] : first;
    lf__least_take(&d->clearance, at(f, first), first);
    lf__least_take(&d->clearance, at(f, last), last);
    if (turn > first && turn < last)
        lf__least_take(&d->clearance, at(f, turn), turn);
}

/// f0 / s + f1 + f2 * s, which turns where s * s = f0 / f2.
static void add_lower(lf__sight_detail *d, const double f[3], double first, double last, int sign0) {
    double turn = f[0] > 0 && f[2] > 0 ? sqrt(f[0] / f[2]) : first;
    if (first > 0)
        lf__least_take(&d->lower, at(f, first) / first, first);
    else if (sign0 <= 0)
        lf__least_take(&d->lower, sign0 < 0 ? -LF_INFINITY : f[1], 0);
    if (last > 0)
        lf__least_take(&d->lower, at(f, last) / last, last);
    if (turn > first && turn < last)
        lf__least_take(&d->lower, at(f, turn) / turn, turn);
}

static void take_share(lf__sight_detail *d, const double f[3], double s) {
    double height = at(f, s), square = d->zone * (s * (1 - s));
    double share = square > 0   ? height / sqrt(square)
                   : height > 0 ? LF_INFINITY
                   : height < 0 ? -LF_INFINITY
                                : 0;
    lf__least_take(&d->fresnel, share, s);
}

/// The derivative of f / sqrt(s * (1 - s)), times something positive, with s = 1/2 + x.
static double slope(const double c[2], double bend, double x) {
    return (c[1] - bend * x * x) * x + c[0];
}

/// The least between two places between which the slope rises or falls: where it goes from falling to rising.
static void take_turn(lf__sight_detail *d, const double f[3], const double c[2], double low, double high) {
    if (!(low < high) || !(slope(c, f[2], low) < 0) || !(slope(c, f[2], high) > 0))
        return;
    for (int k = 0; k < HALVINGS && low < high; k++) {
        double middle = 0.5 * (low + high);
        if (slope(c, f[2], middle) < 0)
            low = middle;
        else
            high = middle;
    }
    take_share(d, f, 0.5 + low);
}

static void add_share(lf__sight_detail *d, const double f[3], double first, double last) {
    const double c[2] = {0.25 * (f[1] + f[2]), f[0] + 0.5 * f[1] + 0.75 * f[2]};
    double low = first - 0.5, high = last - 0.5;
    take_share(d, f, first);
    take_share(d, f, last);
    // The slope itself turns at -turn and turn.
    double ratio = f[2] != 0 ? c[1] / (3 * f[2]) : 0, turn = ratio > 0 ? sqrt(ratio) : 1;
    take_turn(d, f, c, low, fmin(high, -turn));
    take_turn(d, f, c, fmax(low, -turn), fmin(high, turn));
    take_turn(d, f, c, fmax(low, turn), high);
}

void lf__sight_detail_add(lf__sight_detail *d, const double f[3], double first, double last, int sign0) {
    add_clearance(d, f, first, last);
    add_lower(d, f, first, last, sign0);
    if (d->zone > 0)
        add_share(d, f, first, last);
}

// ---------------------------------------------------------------------------------------------------
// Grids
// ---------------------------------------------------------------------------------------------------

/// Can a block matter, where the line is `above` over it or more, from s = first to s = last?
static bool matters(const lf__sight_detail *d, double above, double first, double last) {
    if (above < d->clearance.value || above <= 0)
        return true;
    double far = fmax(fmin(0.5, last), first); // the widest part of the zone
    return above < d->lower.value * last ||
           (d->zone > 0 && above < d->fresnel.value * sqrt(d->zone * far * (1 - far)));
}

static bool may_matter(lf__sight_way *way, const lf__sight_block *block) {
    const lf__sight_detail *d = way->user;
    const lf_grid *grid = way->grid;
    const lf__grid_level *level = &grid->levels[block->level];
    if (block->level == 0 && lf__grid_gap(grid, grid->first + block->bx, grid->first + block->by))
        return false;
    if (!level->top)
        return true;
    double end = way->line->end, first = d->turned ? end - block->last : block->first;
    double above = lf__sight_low(way->line, block->first, block->last) -
                   lf__grid_top(grid, level->top[block->by * level->stride + block->bx]);
    return matters(d, above, first, first + (block->last - block->first));
}

/// The equation counted from the end that asks.
static void add_piece(lf__sight_detail *d, const lf__sight_line *line, lf__over *over) {
    lf__along *along = &over->along;
    double e0 = along->e[0].value, e1 = along->e[1].value, e2 = along->e[2].value, end = line->end;
    double first = lf__spot_value(along, over->first), last = lf__spot_value(along, over->last);
    double f[3] = {e0, e1, e2};
    if (d->turned) {
        f[0] = e0 + (e1 + e2 * end) * end;
        f[1] = -(e1 + 2 * e2 * end);
        double from = end - last;
        last = end - first;
        first = from;
    }
    int spot = d->turned ? over->last : over->first;
    lf__sight_detail_add(d, f, first, last, first > 0 ? 1 : lf__along_sign_at(along, spot));
}

static void add_square(lf__sight_way *way, const lf__sight_block *block) {
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
    lf__sight_way way = {.grid = grid,
                         .line = line,
                         .last = line->end,
                         .backward = detail->turned,
                         .enters = may_matter,
                         .square = add_square,
                         .user = detail,
                         .cost = *cost};
    if (grid->lowest <= grid->highest)
        lf__sight_go(&way);
    *cost = way.cost;
}
