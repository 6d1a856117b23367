/// Targets and obstacles that are surely hidden by nearer boxes, found from near to far.
///
/// Directions are cut into bins. For each, an interval of slopes is kept that boxes which cover the whole bin surely block. Boxes, other obstacles and
/// squares of targets are visited by rings of distance: a box counts from the first ring that begins beyond it, so that whatever is hidden by the interval
/// lies behind the boxes. Everything is rounded towards "not hidden": what is left is tested exactly.
#include "base/base.h"
#include "sight/viewshed_world.h"
#include <string.h>

#define CULL_BINS 8192 ///< of pseudo-angles
#define CULL_RINGS 1024
#define CULL_TILE 8  ///< targets along the side of a square
#define CULL_WIDE 16 ///< bins that share a reach
#define CULL_AHEAD 8 ///< obstacles that are fetched from memory

/// Margins: metres, of the bent lines and of rounding; of pseudo-angles and slopes as floats.
#define CULL_PAD 1e-3
#define CULL_ROUNDING 1e-9
#define CULL_ANGLE 4e-6
#define CULL_SLOPE 4e-6

typedef struct cull {
    const lf__viewshed *view;
    const lf__targets *world;
    double lowering, pad;
    double ring, rings_per_metre; ///< metres per ring
    lf__byte_plane seen;
    const uint8_t *raised;
    lf_vec2 *edges;    ///< unit directions between bins, CULL_BINS + 1
    float *low, *high; ///< of each bin: slopes that are blocked
    float *reach; ///< of each CULL_WIDE bins: distance of the farthest target that the terrain does not hide
    int64_t tile_columns, tile_rows;
    uint64_t *masks;  ///< of each square: a bit for each target that obstacles may matter to
    uint8_t *matters; ///< the same of CULL_TILE rows of targets, as bytes
    int32_t *tiles;   ///< by rings
    struct appearance *obstacles;
    int32_t obstacle_count;
    int32_t *order;                       ///< of obstacles: by rings
    int32_t *tile_first, *obstacle_first; ///< of each ring, and the end
    int32_t *pending, *next;              ///< lists of obstacles that count from a ring on as boxes
} cull;

/// An obstacle as the observer sees it, rounded outwards: all that most of them are ever asked for, next to each other in memory.
typedef struct appearance {
    float near, low, high;
    int32_t bin, bin_count; ///< CULL_BINS: it may be in all
    int32_t index;          ///< of the obstacle
    int32_t ring;           ///< where it begins
    int32_t after;          ///< the ring from which on it counts as a box; CULL_RINGS: never
} appearance;

// ---------------------------------------------------------------------------------------------------
// Bins
// ---------------------------------------------------------------------------------------------------

static void make_edges(cull *c) {
    for (int k = 0; k <= CULL_BINS; k++) {
        double p = 4.0 * k / CULL_BINS, f = p - floor(p);
        int quadrant = (int)p & 3;
        lf_vec2 d = {1 - f, f}; // |x| + |y| = 1
        d = quadrant == 0   ? d
            : quadrant == 1 ? (lf_vec2){-d.y, d.x}
            : quadrant == 2 ? (lf_vec2){-d.x, -d.y}
                            : (lf_vec2){d.y, -d.x};
        double length = sqrt(d.x * d.x + d.y * d.y);
        c->edges[k] = (lf_vec2){d.x / length, d.y / length};
    }
}

static inline bool bin_hides(const cull *c, int bin, float low, float high) {
    return c->low[bin] <= low && high <= c->high[bin];
}

/// Put the slopes that a box blocks into a bin: joined with what is there, or, apart from it, if they are higher.
static void hide_bin(cull *c, int bin, double low, double high) {
    float from = (float)(low + CULL_SLOPE + 1e-6 * fabs(low)),
          to = (float)(high - CULL_SLOPE - 1e-6 * fabs(high));
    if (!(from < to))
        return;
    bool apart = from > c->high[bin] || to < c->low[bin];
    if (apart && to < c->high[bin])
        return;
    c->low[bin] = apart || from < c->low[bin] ? from : c->low[bin];
    c->high[bin] = apart || to > c->high[bin] ? to : c->high[bin];
}

// ---------------------------------------------------------------------------------------------------
// Boxes
// ---------------------------------------------------------------------------------------------------

/// An upright box as the observer sees it.
typedef struct silhouette {
    lf_vec2 ends[2];       ///< its outermost corners, from the observer
    double angles[2];      ///< their pseudo-angles
    double floor_z, top_z; ///< from the observer
} silhouette;

/// False: it is not upright, or too near.
static bool silhouette_of(const cull *c, const lf__group_part *part, silhouette *s) {
    const lf_vec3 *rows = part->pose.rows;
    if (!part->ground || rows[2].x != 0 || rows[2].y != 0 || rows[0].z != 0 || rows[1].z != 0)
        return false;
    lf_vec3 shift = lf_vec3_sub(part->pose.translation, c->view->point);
    lf_vec2 corners[4];
    double at[4];
    for (int k = 0; k < 4; k++) {
        double x = k & 1 ? part->own.high.x : part->own.low.x, y = k & 2 ? part->own.high.y : part->own.low.y;
        corners[k] =
            (lf_vec2){rows[0].x * x + rows[0].y * y + shift.x, rows[1].x * x + rows[1].y * y + shift.y};
        at[k] = lf__pseudo_angle(corners[k].x, corners[k].y);
    }
    double z[2] = {rows[2].z * part->own.low.z + shift.z, rows[2].z * part->own.high.z + shift.z};
    s->floor_z = z[0] < z[1] ? z[0] : z[1];
    s->top_z = z[0] < z[1] ? z[1] : z[0];
    double low = at[0], high = at[0];
    for (int k = 1; k < 4; k++) {
        low = at[k] < low ? at[k] : low;
        high = at[k] > high ? at[k] : high;
    }
    s->angles[0] = LF_INFINITY, s->angles[1] = -LF_INFINITY;
    for (int k = 0; k < 4; k++) {
        double angle = high - low > 2 && at[k] < 2 ? at[k] + 4 : at[k];
        if (angle < s->angles[0])
            s->angles[0] = angle, s->ends[0] = corners[k];
        if (angle > s->angles[1])
            s->angles[1] = angle, s->ends[1] = corners[k];
    }
    return s->angles[1] - s->angles[0] < 1;
}

/// The interval of each bin that a box covers wholly. Every line within its sector crosses the chord between its outermost corners, which is
/// inside of it: there the line must be between its floor and its roof.
static void hide_behind(cull *c, const lf__group_part *part) {
    silhouette s = {.floor_z = 0};
    if (!silhouette_of(c, part, &s))
        return;
    lf_vec2 a = s.ends[0], b = s.ends[1];
    double nx = b.y - a.y, ny = a.x - b.x, off = nx * a.x + ny * a.y; // off > 0: the observer is to the left
    double square_a = a.x * a.x + a.y * a.y, square_b = b.x * b.x + b.y * b.y;
    double near = sqrt(square_a < square_b ? square_a : square_b);
    double margin = 2 * c->pad / near + CULL_ANGLE;
    double top = s.top_z - c->pad, bottom = s.floor_z + c->pad;
    if (!(off > 1e-3 * near * (fabs(nx) + fabs(ny))) || !(top > bottom))
        return;
    nx /= off, ny /= off;
    int first = (int)((s.angles[0] + margin) * (CULL_BINS / 4)) + 1,
        last = (int)((s.angles[1] - margin) * (CULL_BINS / 4));
    for (int k = first; k < last; k++) {
        int bin = k & (CULL_BINS - 1);
        double low = -LF_INFINITY, high = LF_INFINITY;
        for (int e = 0; e < 2; e++) {
            lf_vec2 u = c->edges[bin + e];
            double inverse = nx * u.x + ny * u.y, bend = c->lowering == 0 ? 0 : c->lowering / inverse;
            double from = bottom * inverse - bend, to = top * inverse - bend;
            low = from > low ? from : low;
            high = to < high ? to : high;
        }
        hide_bin(c, bin, low, high);
    }
}

/// The bins of a circle on the map, seen from the observer: the first, and their number.
static void circle_bins(double x, double y, double away, double radius, int32_t *bin, int32_t *count) {
    if (!(radius < 0.5 * away)) {
        *bin = 0, *count = CULL_BINS;
        return;
    }
    double angle = lf__pseudo_angle(x, y) + 4, wide = 1.1 * radius / away + CULL_ANGLE;
    int first = (int)((angle - wide) * (CULL_BINS / 4)), last = (int)((angle + wide) * (CULL_BINS / 4));
    *bin = first & (CULL_BINS - 1);
    *count = last - first + 1;
}

static int ring_of(const cull *c, double distance) {
    double ring = distance * c->rings_per_metre;
    return ring < CULL_RINGS - 1 ? (int)ring : CULL_RINGS - 1;
}

/// Slopes as they appear of what lies between two distances and is no higher (lower) than this above the observer.
static inline double slope_most(double up, double near, double far, double lowering) {
    return up / (up > 0 ? near : far) - lowering * (lowering > 0 ? near : far);
}

static inline double slope_least(double up, double near, double far, double lowering) {
    return up / (up > 0 ? far : near) - lowering * (lowering > 0 ? far : near);
}

static void set_appearance(const cull *c, int64_t index, appearance *a) {
    const lf__obstacle *o = &c->world->obstacles[index];
    double x = o->x - c->view->point.x, y = o->y - c->view->point.y;
    double radius = (double)o->radius + c->pad, away = sqrt(x * x + y * y);
    double near = away - radius, far = away + radius, after = far * c->rings_per_metre;
    a->index = (int32_t)index;
    a->after = CULL_RINGS;
    a->ring = near > 0 ? ring_of(c, near) : 0;
    if (o->upright && away > (double)o->radius + 4 * c->pad && after < CULL_RINGS - 1)
        a->after = (int32_t)after + 1;
    circle_bins(x, y, away, radius, &a->bin, &a->bin_count);
    if (a->bin_count == CULL_BINS) {
        a->near = 0;
        return;
    }
    double top = slope_most((double)o->high - c->view->z + c->pad, near, far, c->lowering),
           bottom = slope_least((double)o->low - c->view->z - c->pad, near, far, c->lowering);
    a->high = (float)(top + CULL_SLOPE + 1e-6 * fabs(top));
    a->low = (float)(bottom - CULL_SLOPE - 1e-6 * fabs(bottom));
    a->near = (float)(near * (1 - 1e-6));
}

/// Is there a target behind an obstacle that the terrain does not hide?
static bool obstacle_reached(const cull *c, const appearance *a) {
    int first = a->bin / CULL_WIDE, last = (a->bin + a->bin_count - 1) / CULL_WIDE;
    for (int k = first; k <= last; k++)
        if (a->near <= c->reach[k & (CULL_BINS / CULL_WIDE - 1)])
            return true;
    return false;
}

/// Are slopes hidden in all bins of a range?
static bool bins_hide(const cull *c, int32_t bin, int32_t count, float low, float high) {
    const float *lows = c->low + bin, *highs = c->high + bin;
    int open = 0;
    for (int32_t k = 0; k < count; k++)
        open |= (lows[k] > low) | (high > highs[k]);
    return open == 0;
}

/// Is an obstacle hidden in all directions in which it is seen?
static bool obstacle_hidden(const cull *c, const appearance *a) {
    int32_t first = CULL_BINS - a->bin < a->bin_count ? CULL_BINS - a->bin : a->bin_count;
    return a->bin_count < CULL_BINS && bins_hide(c, a->bin, first, a->low, a->high) &&
           bins_hide(c, 0, a->bin_count - first, a->low, a->high);
}

/// An obstacle that is not hidden counts, as a box, from the ring on that begins beyond it.
static void visit_obstacle(cull *c, int32_t number, int ring) {
    const appearance *a = &c->obstacles[number];
    if (a->after == CULL_RINGS || obstacle_hidden(c, a))
        return;
    int from = a->after > ring ? a->after : ring + 1;
    const char *part = (const char *)c->world->obstacles[a->index].part;
    for (int k = 1; k < 4; k++) // pose and box, which are needed then
        __builtin_prefetch(part + (size_t)k * LF__CACHE_LINE);
    c->next[number] = c->pending[from];
    c->pending[from] = number;
}

// ---------------------------------------------------------------------------------------------------
// Targets
// ---------------------------------------------------------------------------------------------------

/// A target whose height is between two: is it surely hidden? Otherwise it is open.
static bool target_hidden(const cull *c, lf_vec2 at, double low, double high) {
    double x = at.x - c->view->point.x, y = at.y - c->view->point.y, far = sqrt(x * x + y * y);
    double inverse = 1 / far, bend = c->lowering * far;
    float angle = (float)lf__pseudo_angle(x, y), from = (float)((low - c->view->z) * inverse - bend),
          to = (float)((high - c->view->z) * inverse - bend);
    int bin = (int)(angle * (CULL_BINS / 4)) & (CULL_BINS - 1);
    return bin_hides(c, bin, from, to);
}

static uint8_t visit_target(cull *c, int64_t column, int64_t row, uint8_t seen) {
    const lf__viewshed *view = c->view;
    lf_window w = view->window;
    int64_t i = w.column + column, j = w.row + row;
    bool roofed = lf__targets_roofed(c->world, column, row);
    if (view->eye.x == (double)i && view->eye.y == (double)j)
        return roofed || seen <= LF_VISIBILITY_UNKNOWN ? seen | LF__TARGET_OPEN : seen;
    double low = -LF_INFINITY, high = LF_INFINITY; // nothing is known of roofs over voids and beside limits
    if (!(roofed && (view->limited || seen == LF_VISIBILITY_VOID))) {
        low = high = lf__grid_height(view->grid, i, j) + view->def.target;
        double roof = roofed ? (double)c->world->roof_tops[row * w.columns + column] + view->def.target : low;
        high = roof > high ? roof : high;
    }
    return target_hidden(c, lf__sample_place(view->grid, i, j), low, high) ? LF_VISIBILITY_HIDDEN
                                                                           : seen | LF__TARGET_OPEN;
}

/// Columns and rows of a square of targets, from the window's first: first and one beyond the last.
static void tile_span(const cull *c, int64_t index, int64_t columns[2], int64_t rows[2]) {
    lf_window w = c->view->window;
    columns[0] = index % c->tile_columns * CULL_TILE, rows[0] = index / c->tile_columns * CULL_TILE;
    columns[1] = w.columns - columns[0] < CULL_TILE ? w.columns : columns[0] + CULL_TILE;
    rows[1] = w.rows - rows[0] < CULL_TILE ? w.rows : rows[0] + CULL_TILE;
}

static void visit_tile(cull *c, int32_t index) {
    int64_t columns[2], rows[2];
    tile_span(c, index, columns, rows);
    for (uint64_t mask = c->masks[index]; mask; mask &= mask - 1) {
        int bit = __builtin_ctzll(mask);
        int64_t column = columns[0] + bit % CULL_TILE, row = rows[0] + bit / CULL_TILE;
        uint8_t *byte = &c->seen.bytes[row * c->seen.row_step + column];
        *byte = visit_target(c, column, row, *byte);
    }
}

/// Which targets of a row obstacles may matter to, one byte each.
static void mark_row(const cull *c, int64_t row, uint8_t *matters) {
    const uint8_t *seen = c->seen.bytes + row * c->seen.row_step;
    int64_t columns = c->view->window.columns;
    for (int64_t i = 0; i < columns; i++)
        matters[i] = (seen[i] == LF_VISIBILITY_VISIBLE) | (seen[i] == LF_VISIBILITY_UNKNOWN);
    const float *tops = c->world->roof_tops ? c->world->roof_tops + row * columns : NULL;
    const uint8_t *raised = c->raised ? c->raised + row * columns : NULL;
    for (int64_t i = 0; i < columns && tops && raised; i++)
        matters[i] |= (tops[i] > -LF_INFINITY) & (raised[i] != LF_VISIBILITY_HIDDEN);
    for (int64_t i = 0; i < columns && tops && !raised; i++)
        matters[i] |= tops[i] > -LF_INFINITY;
    lf_window w = c->view->window;
    double own = c->view->eye.x - (double)w.column;
    if (c->view->eye.y == (double)(w.row + row) && own >= 0 && own < (double)columns && own == floor(own))
        matters[(int64_t)own] = 1;
}

/// The masks of a row of squares.
static void mark_tiles(cull *c, int64_t tile_row) {
    lf_window w = c->view->window;
    uint64_t *masks = c->masks + tile_row * c->tile_columns;
    memset(masks, 0, (size_t)c->tile_columns * sizeof *masks);
    for (int64_t r = 0; r < CULL_TILE && tile_row * CULL_TILE + r < w.rows; r++) {
        mark_row(c, tile_row * CULL_TILE + r, c->matters);
        for (int64_t t = 0; t < c->tile_columns; t++) {
            unsigned bits = 0;
            for (int k = 0; k < CULL_TILE; k++)
                bits |= (unsigned)c->matters[t * CULL_TILE + k] << k;
            masks[t] |= (uint64_t)bits << (r * CULL_TILE);
        }
    }
}

// ---------------------------------------------------------------------------------------------------
// Rings
// ---------------------------------------------------------------------------------------------------

/// The ring of a square with targets that matter. How far it reaches is noted in the bins.
static int tile_ring(const cull *c, int64_t index) {
    const lf__viewshed *view = c->view;
    lf_window w = view->window;
    int64_t columns[2], rows[2];
    tile_span(c, index, columns, rows);
    double half_x = 0.5 * (double)(columns[1] - 1 - columns[0]),
           half_y = 0.5 * (double)(rows[1] - 1 - rows[0]);
    const lf_geotransform *g = &view->grid->geotransform;
    lf_vec2 place = lf__sample_place(view->grid, w.column + columns[0], w.row + rows[0]);
    double x = place.x + half_x * g->per_column.x + half_y * g->per_row.x - view->point.x,
           y = place.y + half_x * g->per_column.y + half_y * g->per_row.y - view->point.y;
    double rx = half_x * fabs(g->per_column.x) + half_y * fabs(g->per_row.x),
           ry = half_x * fabs(g->per_column.y) + half_y * fabs(g->per_row.y);
    double away = sqrt(x * x + y * y), radius = sqrt(rx * rx + ry * ry) + c->pad;
    int32_t bin, count;
    circle_bins(x, y, away, radius, &bin, &count);
    float far = (float)((away + radius) * (1 + 1e-6));
    for (int k = bin / CULL_WIDE; k <= (bin + count - 1) / CULL_WIDE; k++) {
        float *reach = &c->reach[k & (CULL_BINS / CULL_WIDE - 1)];
        *reach = far > *reach ? far : *reach;
    }
    x = fabs(x) - rx, y = fabs(y) - ry;
    double near = sqrt((x > 0 ? x * x : 0) + (y > 0 ? y * y : 0)) - c->pad;
    return near > 0 ? ring_of(c, near) : 0;
}

/// Numbers of each ring become the end of each ring, and list_by_ring moves these to their beginnings.
static void sum_rings(int32_t *first) {
    for (int k = 1; k <= CULL_RINGS; k++)
        first[k] += first[k - 1];
}

/// List the squares with targets that matter by rings.
static void list_tiles(cull *c) {
    int32_t *rings = c->next; // not in use yet, and long enough
    int64_t count = c->tile_columns * c->tile_rows;
    for (int64_t row = 0; row < c->tile_rows; row++)
        mark_tiles(c, row);
    for (int64_t k = 0; k < count; k++)
        if (c->masks[k]) {
            rings[k] = tile_ring(c, k);
            c->tile_first[rings[k]]++;
        }
    sum_rings(c->tile_first);
    for (int64_t k = count; k-- > 0;)
        if (c->masks[k])
            c->tiles[--c->tile_first[rings[k]]] = (int32_t)k;
}

/// List the obstacles that block and have targets behind them by rings.
static void list_obstacles(cull *c) {
    for (int64_t k = 0; k < c->world->obstacle_count; k++) {
        if (!c->world->obstacles[k].blocks)
            continue;
        appearance *a = &c->obstacles[c->obstacle_count];
        set_appearance(c, k, a);
        if (!obstacle_reached(c, a))
            continue;
        c->obstacle_count++;
        c->obstacle_first[a->ring]++;
    }
    sum_rings(c->obstacle_first);
    for (int32_t k = c->obstacle_count; k-- > 0;)
        c->order[--c->obstacle_first[c->obstacles[k].ring]] = k;
}

static void visit_rings(cull *c) {
    for (int ring = 0; ring < CULL_RINGS; ring++) {
        for (int32_t k = c->pending[ring]; k >= 0; k = c->next[k])
            hide_behind(c, c->world->obstacles[c->obstacles[k].index].part);
        for (int32_t k = c->obstacle_first[ring]; k < c->obstacle_first[ring + 1]; k++) {
            __builtin_prefetch(
                &c->obstacles[c->order[k + CULL_AHEAD < c->obstacle_count ? k + CULL_AHEAD : k]]);
            visit_obstacle(c, c->order[k], ring);
        }
        for (int32_t k = c->tile_first[ring]; k < c->tile_first[ring + 1]; k++)
            visit_tile(c, c->tiles[k]);
    }
}

/// The farthest target, and the margin that coordinates of this size need.
static void cull_measure(cull *c) {
    const lf__viewshed *view = c->view;
    lf_window w = view->window;
    double farthest = 0, size = fabs(view->point.x) + fabs(view->point.y) + fabs(view->z);
    for (int k = 0; k < 4; k++) {
        lf_vec2 p = lf__sample_place(view->grid, w.column + (k & 1 ? w.columns - 1 : 0),
                                     w.row + (k & 2 ? w.rows - 1 : 0));
        double x = p.x - view->point.x, y = p.y - view->point.y;
        farthest = fmax(farthest, sqrt(x * x + y * y));
    }
    lf_box box = view->world->ground->kind->box(view->world->ground->object);
    c->pad = CULL_PAD + CULL_ROUNDING * (size + farthest + fabs(box.low.z) + fabs(box.high.z));
    c->ring = fmax(farthest / CULL_RINGS, 4 * c->pad);
    c->rings_per_metre = 1 / c->ring;
}

// ---------------------------------------------------------------------------------------------------
// Memory
// ---------------------------------------------------------------------------------------------------

static int64_t tile_count(lf_window w) {
    return ((w.columns + CULL_TILE - 1) / CULL_TILE) * ((w.rows + CULL_TILE - 1) / CULL_TILE);
}

static size_t cull_bytes(int64_t obstacles, lf_window window) {
    size_t tiles = (size_t)tile_count(window), longer = (size_t)obstacles > tiles ? (size_t)obstacles : tiles;
    return (CULL_BINS + 1) * sizeof(lf_vec2) + tiles * sizeof(uint64_t) +
           (2 * CULL_BINS + CULL_BINS / CULL_WIDE) * sizeof(float) +
           (tiles + longer + (size_t)obstacles + 3 * (CULL_RINGS + 1)) * sizeof(int32_t) +
           (size_t)obstacles * sizeof(appearance) + (size_t)window.columns + CULL_TILE;
}

size_t lf__targets_cull_bytes(const lf__targets *world, lf_window window) {
    return cull_bytes(world->obstacle_most, window);
}

/// Distribute the memory.
static void cull_place(cull *c, void *block, int64_t tiles) {
    int64_t obstacles = c->world->obstacle_count;
    c->edges = block;
    c->masks = (uint64_t *)(c->edges + CULL_BINS + 1);
    c->low = (float *)(c->masks + tiles);
    c->high = c->low + CULL_BINS;
    c->reach = c->high + CULL_BINS;
    c->tile_first = (int32_t *)(c->reach + CULL_BINS / CULL_WIDE);
    c->obstacle_first = c->tile_first + CULL_RINGS + 1;
    c->pending = c->obstacle_first + CULL_RINGS + 1;
    c->tiles = c->pending + CULL_RINGS + 1;
    c->next = c->tiles + tiles;
    c->order = c->next + (tiles > obstacles ? tiles : obstacles);
    c->obstacles = (appearance *)(c->order + obstacles);
    c->matters = (uint8_t *)(c->obstacles + obstacles);
}

lf_status lf__targets_cull(const lf__viewshed *view, lf__byte_plane seen, const uint8_t *raised) {
    const lf__targets *world = view->world;
    const lf_curvature *curvature = &view->def.rules.curvature;
    lf_window w = view->window;
    int64_t tiles = tile_count(w), bytes = (int64_t)cull_bytes(world->obstacle_count, w);
    void *block;
    lf_status status = lf__allocate_array(&world->allocator, bytes, 1, &block);
    if (status != LF_OK)
        return status;
    cull c = {.view = view, .world = world, .seen = seen, .raised = raised};
    c.lowering = curvature->coefficient / (2 * curvature->radius);
    c.tile_columns = (w.columns + CULL_TILE - 1) / CULL_TILE;
    c.tile_rows = tiles / c.tile_columns;
    cull_place(&c, block, tiles);
    make_edges(&c);
    cull_measure(&c);
    for (int k = 0; k < CULL_BINS; k++)
        c.low[k] = LF_INFINITY, c.high[k] = -LF_INFINITY;
    for (int k = 0; k < CULL_BINS / CULL_WIDE; k++)
        c.reach[k] = -LF_INFINITY;
    for (int k = 0; k <= CULL_RINGS; k++)
        c.tile_first[k] = c.obstacle_first[k] = 0, c.pending[k] = -1;
    memset(c.matters, 0, (size_t)w.columns + CULL_TILE);
    list_tiles(&c);
    list_obstacles(&c);
    visit_rings(&c);
    lf__free_array(&world->allocator, block, bytes, 1);
    return LF_OK;
}
