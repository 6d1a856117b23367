/// Shade of all samples: samples side by side in a row are followed towards the sun together.
///
/// All samples of a row have the same direction, on degrees too if rows run along parallels. So their lines pass
/// the same places relative to them, "taps", where they cross edges of the surface: each tap is two numbers that
/// weight two samples, and samples side by side need samples side by side. "Lines" are columns or rows of samples,
/// whichever the light crosses more steeply, numbered from the sample towards the sun. The taps of eight lines
/// are a chunk; the samples that it needs are read once, as floats, into a tile.
///
/// A sample below a tap by more than rounding is in shade; one above all is lit; the others, and those beside
/// voids, get an exact line. A chunk is left out, and eight at once, if the bounds of the grid are below the light.
#include "sight/horizon.h"
#include "sight/sight.h"

#define CHUNK_LINES 8
#define CHUNK_MANY 8                 // chunks that are left out at once
#define CHUNK_TAPS (6 * CHUNK_LINES) // five between two lines, and one on a line
#define CHUNK_KEPT 16                // per worker
#define CHUNK_TOUCHES (9 * (CHUNK_LINES + 1))
#define TILE_COLUMNS (LF__SHADE_LANES + 16)
#define TILE_ROWS 16
#define TILE_NOTHING (-3e38F) // lower than any ground
#define LEAST_LEVEL 3         // of the bounds that are read

/// Rounding may move a crossing by this much, in cells, with a wide margin.
#define CHUNK_BESIDE 1e-9

/// The direction of a row, towards the sun.
typedef struct shade_way {
    bool by_columns; ///< lines are columns
    int side;        ///< 1: their numbers ascend towards the sun; -1
    bool straight,
        skew; ///< which diagonals may exist: from a sample to the one farther on the next line, or one back
    double drift; ///< shift of the light from one line to the next, in samples
    double step;  ///< metres from line to line
} shade_way;

/// The taps of some lines, in order of lines; those before `ends[k]` are no farther than k lines from the first.
typedef struct chunk_taps {
    int ends[CHUNK_LINES + 1];
    lf__shade_tap list[CHUNK_TAPS];
} chunk_taps;

typedef struct shade_chunk {
    int64_t number;        ///< -1: not computed
    chunk_taps solid;      ///< ground of every surface, and within range
    chunk_taps loose;      ///< no lower than the ground
    int64_t low, high;     ///< samples across the lines, relative to the first one
    int64_t first[2];      ///< of the tile, relative to the first sample: column and row
    int64_t columns, rows; ///< of the tile for one sample
    int touch_count;       ///< places in the tile next to samples that lines pass within rounding
    int32_t touches[CHUNK_TOUCHES];
} shade_chunk;

typedef struct shade_job {
    const lf__shade *shade;
    const lf__shade_loops *loops;
    uint8_t *lit;
    ptrdiff_t row_step;
} shade_job;

/// What a worker has.
typedef struct shade_worker {
    const lf__shade *shade;
    const lf__shade_loops *loops;
    uint8_t *lit;
    ptrdiff_t row_step;
    double base;          ///< heights in tiles are above this
    double pad;           ///< what is within this is decided by exact lines
    int level, far_level; ///< of bounds; -1: none
    bool both;            ///< cells may be cut along either diagonal
    shade_way way;
    shade_chunk chunks[CHUNK_KEPT];
    float tile[TILE_ROWS * TILE_COLUMNS], inner[TILE_ROWS * TILE_COLUMNS];
    lf_counters cost;
} shade_worker;

/// Samples side by side in a row.
typedef struct shade_packet {
    int64_t column, row;
    int count, lanes; ///< lanes: a multiple of 8
    uint8_t *lit;
    float z[LF__SHADE_LANES]; ///< where the line begins; infinite where it is decided
    float least;              ///< of these
} shade_packet;

static double packet_rise(const shade_worker *s, double metres) {
    return (s->shade->slope + s->shade->bearing.curvature * metres) * metres;
}

/// The least rise between two distances.
static double least_rise(const shade_worker *s, double from, double to) {
    double slope = s->shade->slope, curvature = s->shade->bearing.curvature, a = packet_rise(s, from),
           b = packet_rise(s, to), least = a < b ? a : b;
    if (curvature > 0 && slope + 2 * curvature * from < 0 && slope + 2 * curvature * to > 0)
        least = -slope * slope / (4 * curvature);
    return least;
}

// ---------------------------------------------------------------------------------------------------
// Taps
// ---------------------------------------------------------------------------------------------------

/// A sample's place in the tile of a chunk.
static int32_t place_in(const shade_way *way, const shade_chunk *c, int64_t line, int64_t sample) {
    int64_t first = c->number * CHUNK_LINES - 1, last = first + CHUNK_LINES + 2;
    int64_t along = way->side > 0 ? line - first : last - line, across = sample - c->low;
    return (int32_t)(way->by_columns ? across * TILE_COLUMNS + along : along * TILE_COLUMNS + across);
}

/// Add the place at (line + more * v, sample) .. that is 1 - v of one sample and v of another.
static void add_tap(const shade_worker *s, shade_chunk *c, bool solid, const int64_t from[2],
                    const int64_t to[2], double v) {
    double lines = (double)from[0] + (double)(to[0] - from[0]) * v;
    v = v < 0 ? 0 : v > 1 ? 1 : v;
    double metres = lines * s->way.step, rise = packet_rise(s, metres);
    rise = rise > 1e37 ? 1e37 : rise < -1e37 ? -1e37 : rise;
    bool within = (lines + 1) * s->way.step < s->shade->def->range;
    chunk_taps *taps = solid && within ? &c->solid : &c->loose;
    taps->list[taps->ends[CHUNK_LINES]++] =
        (lf__shade_tap){place_in(&s->way, c, from[0], from[1]), place_in(&s->way, c, to[0], to[1]),
                        (float)(1 - v), (float)v, (float)rise};
}

/// Diagonals of the cell from `sample` on that are crossed between v = from and v = to, starting from `at`.
static void add_diagonals(const shade_worker *s, shade_chunk *c, int64_t line, double at, int64_t sample,
                          double from, double to) {
    double along = 1 - s->way.drift, against = 1 + s->way.drift, p = (double)sample;
    double v = along > 0 ? (at - p) / along : 2, low = from - CHUNK_BESIDE, high = to + CHUNK_BESIDE;
    // A sample does not shade itself.
    if (s->way.straight && v > low && v < high && (line > 0 || v > 0))
        add_tap(s, c, !s->both, (int64_t[]){line, sample}, (int64_t[]){line + 1, sample + 1}, v);
    v = against > 0 ? (p + 1 - at) / against : 2;
    if (s->way.skew && v > low && v < high && (line > 0 || v > 0))
        add_tap(s, c, !s->both, (int64_t[]){line, sample + 1}, (int64_t[]){line + 1, sample}, v);
}

/// All edges that a line of light crosses between a line, where it is at `at`, and the next one.
static void add_between(const shade_worker *s, shade_chunk *c, int64_t line, double at) {
    int64_t sample = (int64_t)floor(at), next = sample;
    double rest = at - (double)sample, end = rest + s->way.drift, cut = 1;
    if (end > 1) {
        next = sample + 1;
        cut = (1 - rest) / s->way.drift;
        add_tap(s, c, true, (int64_t[]){line, next}, (int64_t[]){line + 1, next}, cut);
    } else if (end < 0 && rest > 0) {
        next = sample - 1;
        cut = rest / -s->way.drift;
        add_tap(s, c, true, (int64_t[]){line, sample}, (int64_t[]){line + 1, sample}, cut);
    } else if (end < 0) {
        sample = next = sample - 1;
    }
    add_diagonals(s, c, line, at, sample, 0, cut);
    if (next != sample)
        add_diagonals(s, c, line, at, next, cut, 1);
}

/// Where a line of light passes a sample within rounding, all cells around it may matter.
static void add_touches(const shade_worker *s, shade_chunk *c, int64_t line, double at) {
    double nearest = floor(at + 0.5);
    if (!(fabs(at - nearest) < 16 * CHUNK_BESIDE))
        return;
    for (int64_t n = line - 1; n <= line + 1; n++)
        for (int64_t m = (int64_t)nearest - 1; m <= (int64_t)nearest + 1; m++)
            c->touches[c->touch_count++] = place_in(&s->way, c, n, m);
}

static void compute_chunk(const shade_worker *s, shade_chunk *c, int64_t number) {
    const shade_way *way = &s->way;
    int64_t line = number * CHUNK_LINES;
    double from = way->drift * (double)line, to = way->drift * (double)(line + CHUNK_LINES);
    c->number = number;
    c->low = (int64_t)floor(from < to ? from : to) - 1;
    c->high = (int64_t)floor(from < to ? to : from) + 2;
    c->solid.ends[CHUNK_LINES] = c->loose.ends[CHUNK_LINES] = c->touch_count = 0;
    int64_t first = line - 1, last = line + CHUNK_LINES + 1, along = way->side > 0 ? first : -last;
    c->first[0] = way->by_columns ? along : c->low;
    c->first[1] = way->by_columns ? c->low : along;
    c->columns = way->by_columns ? last - first + 1 : c->high - c->low + 1;
    c->rows = way->by_columns ? c->high - c->low + 1 : last - first + 1;
    for (int k = 0; k <= CHUNK_LINES; k++) {
        double at = way->drift * (double)(line + k);
        if (k > 0 || number == 0) {
            int64_t sample = (int64_t)floor(at);
            if (k > 0)
                add_tap(s, c, true, (int64_t[]){line + k, sample}, (int64_t[]){line + k, sample + 1},
                        at - (double)sample);
            if (s->shade->grid->gaps)
                add_touches(s, c, line + k, at);
        }
        c->solid.ends[k] = c->solid.ends[CHUNK_LINES];
        c->loose.ends[k] = c->loose.ends[CHUNK_LINES];
        if (k < CHUNK_LINES)
            add_between(s, c, line + k, at);
    }
}

static const shade_chunk *chunk_of(shade_worker *s, int64_t number) {
    shade_chunk *c = &s->chunks[number % CHUNK_KEPT];
    if (c->number != number)
        compute_chunk(s, c, number);
    return c;
}

// ---------------------------------------------------------------------------------------------------
// Tiles
// ---------------------------------------------------------------------------------------------------

/// Heights of existing samples of a row.
static void packet_heights(const shade_worker *s, int64_t column, int64_t row, int count, float *heights) {
    const lf_grid *grid = s->shade->grid;
    double steps[TILE_COLUMNS];
    float base = (float)s->base;
    bool is_own = column >= 0 && column + count <= grid->columns && row >= 0 && row < grid->rows;
    if (grid->decoded && is_own) {
        lf__packed_row(grid, column, row, count, steps);
        for (int k = 0; k < count; k++)
            heights[k] = (float)(steps[k] * grid->scale + grid->offset - s->base);
        return;
    }
    const char *from = grid->packed ? NULL : grid->values + row * grid->row_step + column * grid->column_step;
    bool plain = grid->plain && !grid->packed;
    if (plain && grid->type == LF_SAMPLE_INT16 && grid->column_step == sizeof(int16_t)) {
        const int16_t *samples = (const int16_t *)(const void *)from;
        for (int k = 0; k < count; k++)
            heights[k] = (float)samples[k] - base;
    } else if (plain && grid->type == LF_SAMPLE_FLOAT && grid->column_step == sizeof(float)) {
        const float *samples = (const float *)(const void *)from;
        for (int k = 0; k < count; k++)
            heights[k] = samples[k] - base;
    } else {
        for (int k = 0; k < count; k++)
            heights[k] = (float)(lf__grid_height(grid, column + k, row) - s->base);
    }
}

/// A row of a tile. Beyond the border ground continues for one sample, so that rounding of the border does not
/// matter.
static void read_row(const shade_worker *s, int64_t column, int64_t row, int count, float *heights) {
    const lf_grid *grid = s->shade->grid;
    int64_t first = grid->first, last[2] = {grid->columns - 1 - first, grid->rows - 1 - first};
    int64_t near = row < first     ? first
                   : row > last[1] ? last[1]
                                   : row,
            low = column, high = column + count - 1;
    low = low < first ? first : low > last[0] ? last[0] : low;
    high = high < first ? first : high > last[0] ? last[0] : high;
    for (int k = 0; k < count; k++)
        heights[k] = TILE_NOTHING;
    if (row < first - 1 || row > last[1] + 1 || column > last[0] + 1 || column + count - 1 < first - 1)
        return;
    float own[TILE_COLUMNS];
    int width = (int)(high - low + 1);
    packet_heights(s, low, near, width, own);
    for (int k = 0; k < width && grid->voids; k += 57) {
        int some = width - k < 57 ? width - k : 57;
        uint64_t voids = lf__grid_bits(grid, grid->voids, low + k, near, some);
        for (int n = 0; voids >> n && n < some; n++)
            if (voids >> n & 1)
                own[k + n] = (float)LF_NAN;
    }
    for (int k = 0; k < width; k++)
        if (low + k >= column && low + k < column + count)
            heights[low + k - column] = own[k];
    if (first - 1 >= column && first - 1 < column + count)
        heights[first - 1 - column] = own[0];
    if (last[0] + 1 >= column && last[0] + 1 < column + count)
        heights[last[0] + 1 - column] = own[width - 1];
}

/// Read the tile of a chunk. Returns the tile of the ground that is certain: the same, or without samples at the border.
static const float *read_tile(shade_worker *s, const shade_packet *p, const shade_chunk *c) {
    const lf_grid *grid = s->shade->grid;
    int64_t column = p->column + c->first[0], row = p->row + c->first[1];
    int count = (int)c->columns + p->lanes - 1;
    for (int k = 0; k < (int)c->rows; k++) {
        int64_t y = row + k;
        float *heights = s->tile + (ptrdiff_t)k * TILE_COLUMNS;
        if (y < grid->first || y > grid->rows - 1 - grid->first || column < grid->first ||
            column + count > grid->columns - grid->first || grid->voids)
            read_row(s, column, y, count, heights);
        else
            packet_heights(s, column, y, count, heights);
    }
    if (row >= 1 && row + c->rows <= grid->rows - 1 && column >= 1 && column + count <= grid->columns - 1)
        return s->tile;
    for (int k = 0; k < (int)c->rows; k++)
        for (int n = 0; n < count; n++) {
            bool is_inner = row + k >= 1 && row + k <= grid->rows - 2 && column + n >= 1 &&
                            column + n <= grid->columns - 2;
            ptrdiff_t at = (ptrdiff_t)k * TILE_COLUMNS + n;
            s->inner[at] = is_inner ? s->tile[at] : TILE_NOTHING;
        }
    return s->inner;
}

/// An upper bound of the ground between two samples, both included; voids are as high as the highest ground.
static double top_between(const shade_worker *s, int level, const int64_t low[2], const int64_t high[2]) {
    const lf_grid *grid = s->shade->grid;
    if (level < 0 || (s->shade->def->rules.voids != LF_VOIDS_PASS && lf__grid_gaps_in(grid, low, high)))
        return grid->highest;
    const lf__grid_level *l = &grid->levels[level];
    int64_t first[2], last[2], most[2] = {l->columns - 1, l->rows - 1};
    for (int k = 0; k < 2; k++) {
        first[k] = low[k] < grid->first ? 0 : (low[k] - grid->first) >> level;
        last[k] = high[k] < grid->first ? -1 : (high[k] - grid->first) >> level;
        last[k] = last[k] > most[k] ? most[k] : last[k];
        first[k] = first[k] > most[k] ? most[k] : first[k]; // the border is ground of the last block
        last[k] = last[k] < first[k] ? first[k] : last[k];
    }
    uint16_t top = LF__GRID_TOP_NOTHING;
    for (int64_t y = first[1]; y <= last[1]; y++)
        for (int64_t x = first[0]; x <= last[0]; x++) {
            uint16_t here = l->top[y * l->stride + x];
            top = here > top ? here : top;
        }
    return lf__grid_top(grid, top);
}

/// The same for the lines of some chunks.
static double chunk_top(const shade_worker *s, const shade_packet *p, int64_t number, int64_t count,
                        int level) {
    const shade_way *way = &s->way;
    double from = way->drift * (double)(number * CHUNK_LINES),
           to = way->drift * (double)((number + count) * CHUNK_LINES);
    int64_t near = number * CHUNK_LINES, far = near + count * CHUNK_LINES,
            lines[2] = {way->side > 0 ? near : -far, way->side > 0 ? far : -near},
            samples[2] = {(int64_t)floor(from < to ? from : to) - 1,
                          (int64_t)floor(from < to ? to : from) + 2};
    const int64_t *x = way->by_columns ? lines : samples, *y = way->by_columns ? samples : lines;
    return top_between(s, level, (int64_t[]){p->column + x[0] - 1, p->row + y[0] - 1},
                       (int64_t[]){p->column + p->count + x[1], p->row + y[1] + 1});
}

// ---------------------------------------------------------------------------------------------------
// Samples side by side
// ---------------------------------------------------------------------------------------------------

static void packet_least(shade_packet *p) {
    p->least = LF_INFINITY;
    for (int r = 0; r < p->count; r++)
        p->least = p->z[r] < p->least ? p->z[r] : p->least;
}

static void packet_start(shade_worker *s, shade_packet *p) {
    const lf_grid *grid = s->shade->grid;
    for (int r = 0; r < LF__SHADE_LANES; r++)
        p->z[r] = LF_INFINITY;
    packet_heights(s, p->column, p->row, p->count, p->z);
    for (int r = 0; r < p->count; r++) {
        p->z[r] += (float)s->shade->def->height;
        p->lit[r] = LF_VISIBILITY_VISIBLE;
        if (grid->gaps && lf__grid_bare(grid, p->column + r, p->row)) {
            p->lit[r] = LF_VISIBILITY_VOID;
            p->z[r] = LF_INFINITY;
        }
    }
    packet_least(p);
}

/// Compare a packet with the first lines of a chunk.
static void packet_compare(shade_worker *s, shade_packet *p, const shade_chunk *c, int lines) {
    float solid[LF__SHADE_LANES], high[LF__SHADE_LANES], pad = (float)s->pad;
    uint32_t bad[LF__SHADE_LANES];
    const float *inner = read_tile(s, p, c);
    for (int r = 0; r < LF__SHADE_LANES; r++) {
        solid[r] = TILE_NOTHING;
        bad[r] = 0;
    }
    s->loops->follow(inner, c->solid.list, c->solid.ends[lines], p->lanes, solid, bad);
    for (int r = 0; r < LF__SHADE_LANES; r++)
        high[r] = solid[r];
    if (inner != s->tile)
        s->loops->follow(s->tile, c->solid.list, c->solid.ends[lines], p->lanes, high, bad);
    s->loops->follow(s->tile, c->loose.list, c->loose.ends[lines], p->lanes, high, bad);
    for (int k = 0; k < c->touch_count; k++)
        for (int r = 0; r < p->lanes; r++)
            bad[r] |= isnan(s->tile[c->touches[k] + r]) ? 1 : 0;
    bool changed = false;
    for (int r = 0; r < p->count; r++) {
        if (!(high[r] > p->z[r] - pad) && !(bad[r] && p->z[r] < LF_INFINITY))
            continue;
        if (p->z[r] == LF_INFINITY)
            continue;
        bool hidden = solid[r] > p->z[r] + pad && !bad[r];
        p->lit[r] = (uint8_t)(hidden ? LF_VISIBILITY_HIDDEN
                                     : lf__shade_sample(s->shade, p->column + r, p->row, &s->cost));
        p->z[r] = LF_INFINITY;
        changed = true;
    }
    if (changed)
        packet_least(p);
}

/// How many of the lines from the first of a chunk on may reach the light.
static int lines_below(const shade_worker *s, const shade_packet *p, int64_t number, double top) {
    double first = (double)(number * CHUNK_LINES), step = s->way.step,
           space = top - s->base - (double)p->least + 2 * s->pad;
    int lines = CHUNK_LINES;
    while (lines > 0 && least_rise(s, (first + lines - 1) * step, (first + CHUNK_LINES) * step) > space)
        lines--;
    return lines;
}

/// The lines from a packet's samples to the border.
static int64_t lines_to_border(const shade_worker *s, const shade_packet *p) {
    const lf_grid *grid = s->shade->grid;
    const shade_way *way = &s->way;
    int64_t first = way->by_columns ? p->column : p->row,
            last = way->by_columns ? first + p->count - 1 : first;
    int64_t lines = way->by_columns ? grid->columns : grid->rows;
    return way->side > 0 ? lines - 1 - grid->first - first : last - grid->first;
}

static void packet_run(shade_worker *s, shade_packet *p) {
    const lf_grid *grid = s->shade->grid;
    int64_t lines = lines_to_border(s, p), number = 0;
    double step = s->way.step, range = s->shade->def->range, end = (double)lines * step;
    end = end < range ? end : range;
    packet_start(s, p);
    for (; number * CHUNK_LINES <= lines; number++) {
        double near = (double)(number * CHUNK_LINES) * step, far = near + CHUNK_MANY * CHUNK_LINES * step;
        double above = (double)p->least + s->base - 2 * s->pad;
        if (p->least == LF_INFINITY || near > range * (1 + 1e-9) ||
            (near < end && least_rise(s, near, end) + above > grid->highest))
            return;
        if (number > 0 && number % CHUNK_MANY == 0 && s->far_level >= 0 &&
            least_rise(s, near, far) + above > chunk_top(s, p, number, CHUNK_MANY, s->far_level)) {
            number += CHUNK_MANY - 1;
            continue;
        }
        int count = lines_below(s, p, number, chunk_top(s, p, number, 1, s->level));
        if (count > 0)
            packet_compare(s, p, chunk_of(s, number), count);
    }
}

// ---------------------------------------------------------------------------------------------------
// Rows
// ---------------------------------------------------------------------------------------------------

static void shade_packet_turn(shade_worker *s, lf_vec2 ahead) {
    const lf_grid *grid = s->shade->grid;
    shade_way *way = &s->way;
    way->by_columns = fabs(ahead.x) >= fabs(ahead.y);
    double across = way->by_columns ? ahead.x : ahead.y, along = way->by_columns ? ahead.y : ahead.x;
    way->side = across > 0 ? 1 : -1;
    way->drift = along / fabs(across);
    way->step = 1 / fabs(across);
    way->skew = s->both || (grid->surface == LF_SURFACE_FALLING) == (across > 0);
    way->straight = s->both || !way->skew;
    for (int k = 0; k < CHUNK_KEPT; k++)
        s->chunks[k].number = -1;
    double size = fabs(grid->highest - s->base) + fabs(grid->lowest - s->base) + fabs(s->shade->def->height);
    s->pad = 64 * 0x1p-24 * size + CHUNK_BESIDE * (lf__sight_steepest(grid) + size) +
             2 * fabs(s->shade->bearing.curvature) * way->step * way->step + 1e-30;
}

static void shade_row(shade_worker *s, int64_t row) {
    const lf__shade *shade = s->shade;
    const lf_window *w = &shade->window;
    if (!shade->parallel)
        shade_packet_turn(s, lf__bearing_of(shade->grid, &shade->def->rules,
                                            lf__sample_place(shade->grid, w->column, w->row + row),
                                            shade->sun.azimuth_deg)
                                 .way);
    int64_t packets = (w->columns + LF__SHADE_LANES - 1) / LF__SHADE_LANES;
    for (int64_t k = 0; k < packets; k++) {
        int64_t first = k * w->columns / packets, last = (k + 1) * w->columns / packets;
        shade_packet p;
        p.column = w->column + first;
        p.row = w->row + row;
        p.count = (int)(last - first);
        p.lanes = (p.count + 7) / 8 * 8;
        p.lit = s->lit + row * s->row_step + first;
        packet_run(s, &p);
    }
}

/// The level of bounds to read, no finer than another; -1: there is none.
static int level_from(const lf_grid *grid, int least) {
    for (int level = least; level < grid->level_count; level++)
        if (grid->levels[level].top)
            return level;
    return -1;
}

static void shade_rows_of(void *job, int64_t first, int64_t last, int worker) {
    const shade_job *j = job;
    lf__shade shade = lf__shade_of(j->shade, worker);
    const lf_grid *grid = shade.grid;
    shade_worker s;
    s.shade = &shade;
    s.loops = j->loops;
    s.lit = j->lit;
    s.row_step = j->row_step;
    s.base = (double)(float)(0.5 * grid->highest + 0.5 * grid->lowest);
    s.level = level_from(grid, grid->within_tiles ? LEAST_LEVEL + 1 : LEAST_LEVEL);
    s.far_level = level_from(grid, s.level < 5 ? 5 : s.level);
    s.both = grid->surface == LF_SURFACE_ALTERNATING || grid->surface == LF_SURFACE_BILINEAR;
    s.cost = (lf_counters){.questions = 0};
    if (shade.parallel)
        shade_packet_turn(&s, shade.bearing.way);
    for (int64_t row = first; row < last; row++)
        shade_row(&s, row);
}

/// Do lines stay on the copy of the grid that they begin on? They end at most this many columns away.
static bool on_one_copy(const lf_grid *grid) {
    double most = (double)(grid->columns > grid->rows ? grid->columns : grid->rows);
    return grid->copies == 0 || (!grid->round && grid->copies > 8 * (most + 8));
}

bool lf__shade_can_follow(const lf__shade *shade) {
    const lf_grid *grid = shade->grid;
    // On degrees, directions depend on the latitude.
    return (shade->parallel || grid->geotransform.per_column.y == 0) && on_one_copy(grid) &&
           grid->shift == 0 && grid->surface != LF_SURFACE_POINT && shade->def->height >= 0 &&
           fabs(shade->slope) < 1e6 && grid->lowest <= grid->highest && grid->highest < 1e15 &&
           grid->lowest > -1e15;
}

lf_status lf__shade_follow(const lf__shade *shade, uint8_t *lit, ptrdiff_t row_step, int64_t part,
                           int64_t parts) {
    shade_job job = {shade, lf__shade_loops_for(lf_isa_best()), lit, row_step};
    lf__horizon_rows rows = {&shade->def->host, "shade", shade->window.rows, 4, part, parts};
    return lf__horizon_run(&rows, shade_rows_of, &job);
}
