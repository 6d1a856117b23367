/// Shade of all samples at once: a sweep away from the sun with bounds of the height of the shadow.
///
/// All lines to the sun are parallel, so the grid is divided into strips that run towards it, STRIP_PHASES of
/// them per sample. "Lines" are columns or rows of samples, whichever the light crosses more steeply,
/// numbered from the sun. For each strip the sweep keeps a height `high` that no shadow in the strip exceeds
/// and a height `low` that the shadow reaches throughout; both fall with the light from line to line. The
/// surface is flat between its edges, so both are decided at few places, "taps": where the sides of the strip
/// cross edges, and at samples within it. Near a sample, for STRIP_NEAR lines, its own line of light is
/// followed instead. A sample above `high` is lit, a sample below `low` is in shade; others, and all that are
/// within rounding of either, get an exact line.
///
/// Everything on one line has the same geometry, shifted: taps are the same for all strips, and loops over
/// strips run along memory.
#include "sight/horizon.h"
#include "sight/sight.h"

#define STRIP_PHASES 4
#define STRIP_NEAR 6
#define STRIP_GROUP LF__SHADE_GROUP // samples per task
#define STRIP_MARGIN 4              // samples on either side that their taps may need
#define STRIP_LINE (LF__SHADE_WIDE + 2 * STRIP_MARGIN + 4)
#define STRIP_SLOTS (STRIP_NEAR + 2) // lines in the buffer
#define STRIP_NOTHING (-1e30)        // lower than any ground
#define STRIP_UNIT 0x1p-53

/// Rounding may move a crossing from one line to another by this much, in cells, with a wide margin.
#define STRIP_BESIDE 1e-10

/// A place on an edge between two samples: (1 - v) of one and v of the other, which is farther towards the
/// sun, minus the rise of the light up to there.
typedef struct strip_tap {
    int line, line_more; ///< towards the sun
    int64_t sample, sample_more;
    double v, rise;
} strip_tap;

#define NEAR_TAPS (6 * STRIP_NEAR)

typedef struct strip_sweep {
    const lf__shade *shade;
    const lf__shade_loops *loops;
    uint8_t *lit;
    ptrdiff_t row_step;
    bool by_columns; ///< lines are columns
    bool ascending;  ///< towards the sun they ascend
    int64_t lines, samples, ring;
    double drift; ///< shift of the light from one line to the next, in samples, towards the sun
    double step;  ///< metres from line to line
    double rise;  ///< of the light, likewise, without curvature
    double curvature;
    bool straight,
        skew; ///< which diagonals may exist: from a sample to the one farther on the next line, or one back
    int64_t line_start, line_first, line_last; ///< where to begin, and those of the window
    int64_t sample_first, sample_last;
    int64_t strip_first, strip_last;
    double pad;
    strip_tap near[NEAR_TAPS];
    int near_count, near_solid; ///< the first of these are certainly ground within range
} strip_sweep;

/// The buffers of a task.
typedef struct strip_group {
    int64_t strip; ///< its first
    int64_t base[STRIP_SLOTS];
    double top[STRIP_SLOTS][STRIP_LINE], bottom[STRIP_SLOTS][STRIP_LINE]; ///< bounds of the ground at samples
    double sample[STRIP_LINE];                                            ///< heights of the last line
    double high[STRIP_PHASES][STRIP_GROUP], low[STRIP_PHASES][STRIP_GROUP];
    double away[STRIP_PHASES][STRIP_GROUP]; ///< metres to what decides `low`
    double side_top[STRIP_PHASES + 1][LF__SHADE_WIDE], side_bottom[STRIP_PHASES + 1][LF__SHADE_WIDE];
} strip_group;

static inline double strip_more(double a, double b) {
    return a > b ? a : b;
}

static inline double strip_less(double a, double b) {
    return a < b ? a : b;
}

/// Rise of the light over a distance in metres.
static double rise_in(const strip_sweep *s, double metres) {
    return (s->shade->slope + s->curvature * metres) * metres;
}

// ---------------------------------------------------------------------------------------------------
// Taps
// ---------------------------------------------------------------------------------------------------

static strip_tap make_tap(const strip_sweep *s, int line, int64_t sample, int64_t sample_more, double v) {
    v = v < 0 ? 0 : v > 1 ? 1 : v;
    return (strip_tap){line, line + 1, sample, sample_more, v, rise_in(s, ((double)line + v) * s->step)};
}

/// Diagonals of the cell from `sample` on that are crossed between v = from and v = to, starting from `at`.
static int tap_cell(const strip_sweep *s, int line, double at, int64_t sample, const double range[2],
                    strip_tap *taps) {
    int count = 0;
    double along = 1 - s->drift, against = 1 + s->drift, p = (double)sample;
    double v = along > 0 ? (at - p) / along : 2;
    if (s->straight && v > range[0] - STRIP_BESIDE && v < range[1] + STRIP_BESIDE)
        taps[count++] = make_tap(s, line, sample, sample + 1, v);
    v = against > 0 ? (p + 1 - at) / against : 2;
    if (s->skew && v > range[0] - STRIP_BESIDE && v < range[1] + STRIP_BESIDE)
        taps[count++] = make_tap(s, line, sample + 1, sample, v);
    return count;
}

/// All edges that a ray crosses strictly between a line, where it is at `at`, and the next one.
static int tap_between(const strip_sweep *s, int line, double at, strip_tap *taps) {
    int64_t sample = (int64_t)floor(at);
    double rest = at - (double)sample, end = rest + s->drift, cut = 1;
    int count = 0;
    int64_t next = sample;
    if (end > 1) {
        next = sample + 1;
        cut = (1 - rest) / s->drift;
        taps[count++] = make_tap(s, line, next, next, cut);
    } else if (end < 0 && rest > 0) {
        next = sample - 1;
        cut = rest / -s->drift;
        taps[count++] = make_tap(s, line, sample, sample, cut);
    } else if (end < 0) {
        sample = next = sample - 1;
    }
    count += tap_cell(s, line, at, sample, (double[2]){0, cut}, taps + count);
    if (next != sample)
        count += tap_cell(s, line, at, next, (double[2]){cut, 1}, taps + count);
    return count;
}

/// The places that a sample's own line of light passes: first those on lines, which are ground for every
/// surface.
static void tap_near(strip_sweep *s) {
    double range = s->shade->def->range;
    for (int k = 1; k <= STRIP_NEAR; k++) {
        double at = s->drift * k, v = at - floor(at);
        strip_tap t = {k, k, (int64_t)floor(at), (int64_t)floor(at) + 1, v, rise_in(s, k * s->step)};
        s->near[s->near_count++] = t;
        if (k * s->step * (1 + 8 * STRIP_UNIT) < range)
            s->near_solid = s->near_count;
    }
    for (int k = 0; k < STRIP_NEAR; k++) {
        strip_tap taps[6];
        int count = tap_between(s, k, s->drift * k, taps);
        for (int n = 0; n < count; n++)
            if (k > 0 || taps[n].v > 0) // a sample does not shade itself
                s->near[s->near_count++] = taps[n];
    }
}

// ---------------------------------------------------------------------------------------------------
// Lines of samples
// ---------------------------------------------------------------------------------------------------

static int slot_of(int64_t line) {
    return (int)((line + STRIP_SLOTS) % STRIP_SLOTS);
}

/// The index of a sample of a line, by its index in memory.
static int64_t base_of(const strip_sweep *s, const strip_group *g, int64_t line) {
    return g->strip + (int64_t)floor(-(s->drift * (double)line)) - STRIP_MARGIN;
}

static void column_and_row(const strip_sweep *s, int64_t line, int64_t sample, int64_t at[2]) {
    int64_t number = s->ascending ? s->lines - 1 - line : line;
    at[0] = s->by_columns ? number : sample;
    at[1] = s->by_columns ? sample : number;
}

static bool touches_gap(const lf_grid *grid, int64_t i, int64_t j) {
    for (int64_t y = j - 1; y <= j; y++)
        for (int64_t x = i - 1; x <= i; x++)
            if (x >= grid->first && y >= grid->first && x < grid->first + grid->square_columns &&
                y < grid->first + grid->square_rows && lf__grid_gap(grid, x, y))
                return true;
    return false;
}

/// Ground beside voids: nothing is certain there, and a void may have any height.
static void bound_beside_gaps(const strip_sweep *s, strip_group *g, int64_t line, int64_t low, int64_t high) {
    const lf_grid *grid = s->shade->grid;
    int slot = slot_of(line);
    for (int64_t x = low; x <= high; x++) {
        int64_t at[2];
        column_and_row(s, line, g->base[slot] + x, at);
        if (!touches_gap(grid, at[0], at[1]))
            continue;
        g->bottom[slot][x] = STRIP_NOTHING;
        if (s->shade->def->rules.voids != LF_VOIDS_PASS)
            g->top[slot][x] = grid->highest;
        else if (lf__grid_is_void(grid, at[0], at[1]))
            g->top[slot][x] = grid->lowest;
    }
}

static void read_heights(const strip_sweep *s, strip_group *g, int64_t line, int64_t low, int64_t high) {
    const lf_grid *grid = s->shade->grid;
    int64_t at[2], base = g->base[slot_of(line)];
    column_and_row(s, line, base + low, at);
    if (grid->type == LF_SAMPLE_FLOAT && grid->plain) {
        ptrdiff_t step = s->by_columns ? grid->row_step : grid->column_step;
        const char *from = grid->values + at[1] * grid->row_step + at[0] * grid->column_step;
        for (int64_t x = low; x <= high; x++, from += step)
            g->sample[x] = (double)*(const float *)(const void *)from;
        return;
    }
    for (int64_t x = low; x <= high; x++) {
        column_and_row(s, line, base + x, at);
        g->sample[x] = lf__grid_height(grid, at[0], at[1]);
    }
}

/// Read the next line of samples. Beyond the border, ground continues for one sample in `top`, and ends one
/// sample before it in `bottom`, so that rounding of the border does not matter.
static void strip_next_line(const strip_sweep *s, strip_group *g, int64_t line) {
    int slot = slot_of(line);
    double *top = g->top[slot], *bottom = g->bottom[slot];
    int64_t base = g->base[slot] = base_of(s, g, line);
    bool exists = line >= -s->ring && line < s->lines + s->ring;
    int64_t low = -s->ring - base, high = s->samples - 1 + s->ring - base;
    int64_t first = low < 0 ? 0 : low, last = high >= STRIP_LINE ? STRIP_LINE - 1 : high;
    for (int x = 0; x < STRIP_LINE; x++)
        top[x] = bottom[x] = STRIP_NOTHING;
    if (!exists || first > last)
        return;
    read_heights(s, g, line, first, last);
    int64_t certain = s->drift == 0 ? 0 : 1;
    bool inner = line >= 0 && line < s->lines;
    for (int64_t x = first; x <= last; x++) {
        int64_t sample = base + x;
        top[x] = g->sample[x];
        bottom[x] =
            inner && sample >= certain && sample < s->samples - certain ? g->sample[x] : STRIP_NOTHING;
    }
    if (s->shade->grid->gaps)
        bound_beside_gaps(s, g, line, first, last);
    if (first > 0 && first == low)
        top[first - 1] = top[first];
    if (last < STRIP_LINE - 1 && last == high)
        top[last + 1] = top[last];
}

// ---------------------------------------------------------------------------------------------------
// Strips
// ---------------------------------------------------------------------------------------------------

/// The sides of strips, one phase: bounds of the ground on them between this line and the one before, and on
/// this line.
static void raise_sides(const strip_sweep *s, strip_group *g, int64_t line, int phase) {
    int slot = slot_of(line), before = slot_of(line - 1);
    double at = (double)phase / STRIP_PHASES - s->drift * (double)line, v = at - floor(at);
    int64_t shift = g->strip + (int64_t)floor(at) - g->base[slot];
    const double *top = g->top[slot] + shift, *bottom = g->bottom[slot] + shift;
    s->loops->mix(g->side_top[phase], top, top + 1, v);
    s->loops->mix(g->side_bottom[phase], bottom, bottom + 1, v);
    strip_tap taps[6];
    int count = tap_between(s, 0, at, taps);
    for (int k = 0; k < count; k++)
        s->loops->raise(g->side_top[phase], g->top[slot] + (g->strip + taps[k].sample - g->base[slot]),
                        g->top[before] + (g->strip + taps[k].sample_more - g->base[before]), taps[k].v,
                        taps[k].rise);
}

/// Advance one phase of strips to a line whose sides are known.
static void raise_strips(const strip_sweep *s, strip_group *g, int64_t line, int phase, double fall) {
    lf__shade_strips strips = {.left = g->side_top[phase],
                               .right = g->side_top[phase + 1],
                               .inner = g->side_top[phase],
                               .left_low = g->side_bottom[phase],
                               .right_low = g->side_bottom[phase + 1],
                               .inner_low = g->side_bottom[phase],
                               .high = g->high[phase],
                               .low = g->low[phase],
                               .away = g->away[phase],
                               .fall = fall,
                               .fall_low = rise_in(s, s->step),
                               .longer = 2 * s->curvature * s->step,
                               .step = s->step};
    double at = (double)phase / STRIP_PHASES - s->drift * (double)line;
    if (at - floor(at) + 1.0 / STRIP_PHASES >= 1) { // there is a sample within each strip
        int slot = slot_of(line);
        int64_t shift = g->strip + (int64_t)floor(at) + 1 - g->base[slot];
        strips.inner = g->top[slot] + shift;
        strips.inner_low = g->bottom[slot] + shift;
    }
    s->loops->strips(&strips);
}

static void strip_advance(const strip_sweep *s, strip_group *g, int64_t line) {
    // With upward curvature the fall is smaller for nearer ground, and nothing is nearer than 0 metres.
    double far = s->curvature < 0 ? (double)(line - s->line_start + 1) * s->step : 0;
    double fall = rise_in(s, s->step) + 2 * s->curvature * s->step * far;
    for (int phase = 0; phase < STRIP_PHASES; phase++)
        raise_sides(s, g, line, phase);
    for (int r = 0; r < STRIP_GROUP; r++) {
        g->side_top[STRIP_PHASES][r] = g->side_top[0][r + 1];
        g->side_bottom[STRIP_PHASES][r] = g->side_bottom[0][r + 1];
    }
    for (int phase = 0; phase < STRIP_PHASES; phase++)
        raise_strips(s, g, line, phase, fall);
}

// ---------------------------------------------------------------------------------------------------
// Verdicts
// ---------------------------------------------------------------------------------------------------

/// The ground near each sample of a line, and the bounds of the strips for the rest. Index r is the sample of
/// strip g->strip + r.
static void bound_shadows(const strip_sweep *s, const strip_group *g, int64_t line, double *high,
                          double *low) {
    double moved = s->drift * (double)line, whole = floor(moved), metres = STRIP_NEAR * s->step;
    int phase = (int)((moved - whole) * STRIP_PHASES);
    const double *strip_high = g->high[phase], *strip_low = g->low[phase], *away = g->away[phase];
    double far = s->curvature < 0 ? (double)(line - s->line_start + 1) * s->step : 0;
    double fall = rise_in(s, metres) + 2 * s->curvature * metres * far, range = s->shade->def->range - metres;
    for (int r = 0; r < STRIP_GROUP; r++) {
        high[r] = strip_high[r] - fall;
        double there = strip_low[r] - rise_in(s, metres) - 2 * s->curvature * metres * away[r];
        low[r] = away[r] * (1 + 8 * STRIP_UNIT) < range ? there : STRIP_NOTHING;
    }
    int64_t first = g->strip - (int64_t)whole;
    for (int k = 0; k < s->near_count; k++) {
        const strip_tap *t = &s->near[k];
        int a = slot_of(line - t->line), b = slot_of(line - t->line_more);
        int64_t shift_a = first + t->sample - g->base[a], shift_b = first + t->sample_more - g->base[b];
        s->loops->raise(high, g->top[a] + shift_a, g->top[b] + shift_b, t->v, t->rise);
        if (k < s->near_solid)
            s->loops->raise(low, g->bottom[a] + shift_a, g->bottom[b] + shift_b, t->v, t->rise);
    }
}

static void strip_decide(const strip_sweep *s, const strip_group *g, int64_t line, lf_counters *cost) {
    const lf__shade *shade = s->shade;
    const lf_window *w = &shade->window;
    double high[LF__SHADE_WIDE] = {0}, low[LF__SHADE_WIDE] = {0};
    int64_t first = g->strip - (int64_t)floor(s->drift * (double)line), base = g->base[slot_of(line)];
    int64_t from = s->sample_first > first ? s->sample_first : first,
            to = s->sample_last < first + STRIP_GROUP - 1 ? s->sample_last : first + STRIP_GROUP - 1;
    if (from > to)
        return;
    bound_shadows(s, g, line, high, low);
    const double *top = g->top[slot_of(line)];
    int64_t at[2];
    column_and_row(s, line, from, at);
    uint8_t *lit = s->lit + (at[1] - w->row) * s->row_step + (at[0] - w->column);
    for (int64_t sample = from; sample <= to; sample++, lit += s->by_columns ? s->row_step : 1) {
        double z = g->sample[sample - base] + shade->def->height;
        column_and_row(s, line, sample, at);
        if (lf__grid_bare(shade->grid, at[0], at[1]))
            *lit = LF_VISIBILITY_VOID;
        else if (low[sample - first] > z + s->pad)
            *lit = LF_VISIBILITY_HIDDEN;
        else if (high[sample - first] <= z - s->pad && top[sample - base] <= z) // it may be beside a void
            *lit = LF_VISIBILITY_VISIBLE;
        else
            *lit = (uint8_t)lf__shade_sample(shade, at[0], at[1], cost);
    }
}

// ---------------------------------------------------------------------------------------------------
// The sweep
// ---------------------------------------------------------------------------------------------------

/// The first and last line on which a group has samples of the window.
static void lines_of_group(const strip_sweep *s, int64_t strip, int64_t lines[2]) {
    lines[0] = s->line_first;
    lines[1] = s->line_last;
    if (s->drift == 0)
        return;
    // Strips begin over samples strip - drift * line.
    double a = (double)(strip - s->sample_last - 1) / s->drift,
           b = (double)(strip + STRIP_GROUP - s->sample_first + 1) / s->drift;
    double low = floor(strip_less(a, b)) - 1, high = ceil(strip_more(a, b)) + 1;
    if (low > (double)lines[0])
        lines[0] = low < (double)lines[1] ? (int64_t)low : lines[1];
    if (high < (double)lines[1])
        lines[1] = high > (double)lines[0] ? (int64_t)high : lines[0];
}

static void start_group(const strip_sweep *s, strip_group *g, int64_t strip, int64_t line) {
    g->strip = strip;
    for (int phase = 0; phase < STRIP_PHASES; phase++)
        for (int r = 0; r < STRIP_GROUP; r++) {
            g->high[phase][r] = g->low[phase][r] = STRIP_NOTHING;
            g->away[phase][r] = 0;
        }
    for (int k = 1; k < STRIP_SLOTS; k++) {
        int slot = slot_of(line - k);
        g->base[slot] = base_of(s, g, line - k);
        for (int x = 0; x < STRIP_LINE; x++)
            g->top[slot][x] = g->bottom[slot][x] = STRIP_NOTHING;
    }
}

static void strip_sweep_groups(void *job, int64_t first, int64_t last, int worker) {
    strip_sweep own = *(const strip_sweep *)job, *s = &own;
    lf__shade shade = lf__shade_of(own.shade, worker);
    lf_counters cost = {.questions = 0};
    strip_group g;
    own.shade = &shade;
    for (int64_t k = first; k < last; k++) {
        int64_t lines[2], strip = s->strip_first + k * STRIP_GROUP;
        lines_of_group(s, strip, lines);
        start_group(s, &g, strip, s->line_start);
        for (int64_t line = s->line_start; line <= lines[1]; line++) {
            strip_next_line(s, &g, line);
            if (line >= lines[0])
                strip_decide(s, &g, line, &cost);
            if (line - STRIP_NEAR + 1 >= s->line_start)
                strip_advance(s, &g, line - STRIP_NEAR + 1);
        }
    }
}

/// Lines, samples and the window in the order of the light.
static void turn_to_light(strip_sweep *s) {
    const lf_grid *grid = s->shade->grid;
    const lf_window *w = &s->shade->window;
    lf_vec2 way = s->shade->bearing.way;
    s->by_columns = fabs(way.x) >= fabs(way.y);
    double across = s->by_columns ? way.x : way.y, along = s->by_columns ? way.y : way.x;
    s->ascending = across > 0;
    s->lines = s->by_columns ? grid->columns : grid->rows;
    s->samples = s->by_columns ? grid->rows : grid->columns;
    s->ring = -grid->first;
    s->drift = along / fabs(across);
    s->step = 1 / fabs(across);
    s->rise = s->shade->slope * s->step;
    s->curvature = s->shade->bearing.curvature;
    bool both = grid->surface == LF_SURFACE_ALTERNATING || grid->surface == LF_SURFACE_BILINEAR;
    s->skew = both || (grid->surface == LF_SURFACE_FALLING) == s->ascending;
    s->straight = both || !s->skew;
    int64_t low = s->by_columns ? w->column : w->row, count = s->by_columns ? w->columns : w->rows;
    s->line_first = s->ascending ? s->lines - low - count : low;
    s->line_last = s->line_first + count - 1;
    s->sample_first = s->by_columns ? w->row : w->column;
    s->sample_last = s->sample_first + (s->by_columns ? w->rows : w->columns) - 1;
}

/// Where shadows that reach the window begin at the farthest, which strips reach it, and the rounding errors.
static void strip_prepare(strip_sweep *s) {
    const lf_grid *grid = s->shade->grid;
    double reach = (grid->highest - grid->lowest) / s->rise;
    s->line_start = -s->ring;
    if (s->rise > 0 && s->curvature >= 0 && reach < (double)s->lines)
        s->line_start = s->line_first - (int64_t)reach - STRIP_NEAR - 2;
    s->line_start = s->line_start < -s->ring ? -s->ring : s->line_start;
    double a = s->drift * (double)s->line_first, b = s->drift * (double)s->line_last;
    s->strip_first = s->sample_first + (int64_t)floor(strip_less(a, b));
    s->strip_last = s->sample_last + (int64_t)floor(strip_more(a, b));
    double size = strip_more(fabs(grid->highest), fabs(grid->lowest)) + fabs(s->shade->def->height);
    double steps = (double)(s->lines + s->samples + 64);
    s->pad = 16 * STRIP_UNIT * steps * (4 * size + fabs(s->rise)) +
             STRIP_BESIDE * (lf__sight_steepest(grid) + size) + 2 * fabs(s->curvature) * s->step * s->step;
    tap_near(s);
}

bool lf__shade_can_sweep(const lf__shade *shade) {
    const lf_grid *grid = shade->grid;
    return shade->parallel && grid->copies == 0 && grid->surface != LF_SURFACE_POINT &&
           shade->def->height >= 0 && fabs(shade->slope) < 1e6 && grid->lowest <= grid->highest &&
           grid->highest < 1e15 && grid->lowest > -1e15;
}

lf_status lf__shade_sweep(const lf__shade *shade, uint8_t *lit, ptrdiff_t row_step, int64_t part,
                          int64_t parts) {
    strip_sweep s = {
        .shade = shade, .loops = lf__shade_loops_for(lf_isa_best()), .lit = lit, .row_step = row_step};
    turn_to_light(&s);
    strip_prepare(&s);
    int64_t groups = (s.strip_last - s.strip_first) / STRIP_GROUP + 1;
    lf__horizon_rows rows = {&shade->def->host, "shade", groups, 1, part, parts};
    return lf__horizon_run(&rows, strip_sweep_groups, &s);
}
