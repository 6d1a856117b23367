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
#define CULL_TILE 8 ///< targets along the side of a square

/// Margins: metres, of the bent lines and of rounding; of pseudo-angles and slopes as floats.
#define CULL_PAD 1e-3
#define CULL_ROUNDING 1e-9
#define CULL_ANGLE 4e-6
#define CULL_SLOPE 4e-6

typedef struct cull {
    const lf__viewshed *view;
    const lf__targets *world;
    double lowering, pad, ring; ///< metres per ring
    lf__byte_plane seen;
    const uint8_t *raised;
    lf_vec2 *edges;    ///< unit directions between bins, CULL_BINS + 1
    float *low, *high; ///< of each bin: slopes that are blocked
    float *reach;      ///< of each bin: distance of the farthest target that the terrain does not hide
    float *open_far, *open_low, *open_high; ///< of each bin: distance and slopes of the targets that are open
    int64_t tile_columns, tile_rows;
    int32_t *tiles;                       ///< by rings
    struct appearance *obstacles;         ///< by rings
    int32_t *tile_first, *obstacle_first; ///< of each ring, and the end
    int32_t *pending, *next;              ///< lists of boxes that count from a ring on
} cull;

/// An obstacle as the observer sees it, rounded outwards: all that most of them are ever asked for, next to each other in memory.
typedef struct appearance {
    float near, low, high;
    int32_t bins[2];
    int32_t index; ///< of the obstacle
    int32_t after; ///< the ring from which on it counts as a box; CULL_RINGS: never
    bool around;   ///< it may be in all bins
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

/// The outermost corners of an upright box as the observer sees them, and their pseudo-angles; false: too near.
static bool silhouette(const cull *c, const lf__obstacle *o, lf_vec2 ends[2], double angles[2]) {
    const lf__group_part *part = &o->group->parts[o->part];
    lf_vec2 corners[4];
    double at[4];
    ends[0] = ends[1] = (lf_vec2){0, 0};
    angles[0] = LF_INFINITY, angles[1] = -LF_INFINITY;
    for (int k = 0; k < 4; k++) {
        lf_vec3 p = {k & 1 ? part->own.high.x : part->own.low.x, k & 2 ? part->own.high.y : part->own.low.y,
                     part->own.low.z};
        p = lf_pose_to_world(&part->pose, p);
        corners[k] = (lf_vec2){p.x - c->view->point.x, p.y - c->view->point.y};
        at[k] = lf__pseudo_angle(corners[k].x, corners[k].y);
    }
    double low = fmin(fmin(at[0], at[1]), fmin(at[2], at[3])),
           high = fmax(fmax(at[0], at[1]), fmax(at[2], at[3]));
    for (int k = 0; k < 4; k++) {
        double angle = high - low > 2 && at[k] < 2 ? at[k] + 4 : at[k];
        if (angle < angles[0])
            angles[0] = angle, ends[0] = corners[k];
        if (angle > angles[1])
            angles[1] = angle, ends[1] = corners[k];
    }
    return angles[1] - angles[0] < 1;
}

/// The interval of each bin that a box covers wholly. Every line within its sector crosses the chord between its outermost corners, which is
/// inside of it: there the line must be between its floor and its roof.
static void hide_behind(cull *c, const lf__obstacle *o) {
    lf_vec2 ends[2];
    double angles[2];
    if (!silhouette(c, o, ends, angles))
        return;
    double dx = ends[1].x - ends[0].x, dy = ends[1].y - ends[0].y;
    double nx = dy, ny = -dx, off = nx * ends[0].x + ny * ends[0].y; // off > 0: the observer is to the left
    double near = sqrt(
        fmin(ends[0].x * ends[0].x + ends[0].y * ends[0].y, ends[1].x * ends[1].x + ends[1].y * ends[1].y));
    double margin = 2 * c->pad / near + CULL_ANGLE;
    double top = o->high - c->view->z - c->pad, bottom = o->low - c->view->z + c->pad;
    if (!(off > 1e-3 * near * (fabs(dx) + fabs(dy))) || !(top > bottom))
        return;
    nx /= off, ny /= off;
    int first = (int)ceil((angles[0] + margin) * (CULL_BINS / 4)),
        last = (int)floor((angles[1] - margin) * (CULL_BINS / 4));
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

/// The bins of a circle on the map, seen from the observer; false: it may be in all.
static bool circle_bins(double x, double y, double away, double radius, int bins[2]) {
    if (!(radius < 0.5 * away))
        return false;
    double angle = lf__pseudo_angle(x, y) + 4, wide = 1.1 * radius / away + CULL_ANGLE;
    bins[0] = (int)((angle - wide) * (CULL_BINS / 4));
    bins[1] = (int)((angle + wide) * (CULL_BINS / 4));
    return true;
}

static appearance appearance_of(const cull *c, int64_t index) {
    const lf__obstacle *o = &c->world->obstacles[index];
    appearance a = {.index = (int32_t)index, .after = CULL_RINGS};
    double x = o->x - c->view->point.x, y = o->y - c->view->point.y;
    double radius = o->radius + c->pad, away = sqrt(x * x + y * y);
    double after = ceil((away + radius) / c->ring);
    if (o->upright && away > o->radius + 4 * c->pad && after < CULL_RINGS)
        a.after = (int32_t)after;
    a.around = !circle_bins(x, y, away, radius, a.bins);
    if (a.around)
        return a;
    double near = away - radius, far = away + radius;
    double top = lf__slope_most(o->high - c->view->z + c->pad, near, far, c->lowering),
           bottom = lf__slope_least(o->low - c->view->z - c->pad, near, far, c->lowering);
    a.high = (float)(top + CULL_SLOPE + 1e-6 * fabs(top));
    a.low = (float)(bottom - CULL_SLOPE - 1e-6 * fabs(bottom));
    a.near = (float)(near * (1 - 1e-6));
    return a;
}

/// Is an obstacle hidden, or behind all targets, in all directions in which it is seen?
static bool obstacle_hidden(const cull *c, const appearance *a) {
    for (int k = a->bins[0]; k <= a->bins[1] && !a->around; k++) {
        int bin = k & (CULL_BINS - 1);
        if (a->near <= c->reach[bin] && !bin_hides(c, bin, a->low, a->high))
            return false;
    }
    return !a->around;
}

/// May an obstacle block an open target?
static bool obstacle_needed(const cull *c, const appearance *a) {
    for (int k = a->bins[0]; k <= a->bins[1] && !a->around; k++) {
        int bin = k & (CULL_BINS - 1);
        if (a->near <= c->open_far[bin] && a->high >= c->open_low[bin] && a->low <= c->open_high[bin])
            return true;
    }
    return a->around;
}

static int ring_of(const cull *c, double distance) {
    double ring = floor(distance / c->ring);
    return ring < 0 ? 0 : ring < CULL_RINGS - 1 ? (int)ring : CULL_RINGS - 1;
}

/// Is an obstacle to be kept? One that is not hidden counts, as a box, from the ring on that begins beyond it.
static bool visit_obstacle(cull *c, const appearance *a, int ring) {
    if (obstacle_hidden(c, a))
        return false;
    if (a->after < CULL_RINGS) {
        int from = a->after > ring ? a->after : ring + 1;
        c->next[a->index] = c->pending[from];
        c->pending[from] = a->index;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------
// Targets
// ---------------------------------------------------------------------------------------------------

/// A target whose height is between two: is it surely hidden? Otherwise it is open.
static bool target_hidden(cull *c, lf_vec2 at, double low, double high) {
    double x = at.x - c->view->point.x, y = at.y - c->view->point.y, far = sqrt(x * x + y * y);
    double inverse = 1 / far, bend = c->lowering * far;
    float angle = (float)lf__pseudo_angle(x, y), from = (float)((low - c->view->z) * inverse - bend),
          to = (float)((high - c->view->z) * inverse - bend);
    int bin = (int)(angle * (CULL_BINS / 4)) & (CULL_BINS - 1);
    if (bin_hides(c, bin, from, to))
        return true;
    float end = (float)(far * (1 + 1e-6));
    c->open_far[bin] = end > c->open_far[bin] ? end : c->open_far[bin];
    c->open_low[bin] = from < c->open_low[bin] ? from : c->open_low[bin];
    c->open_high[bin] = to > c->open_high[bin] ? to : c->open_high[bin];
    return false;
}

/// May obstacles matter to a target?
static inline bool is_candidate(const cull *c, int64_t column, int64_t row, uint8_t seen) {
    if (seen == LF_VISIBILITY_VISIBLE || seen == LF_VISIBILITY_UNKNOWN)
        return true;
    return lf__targets_roofed(c->world, column, row) &&
           !(c->raised && c->raised[row * c->view->window.columns + column] == LF_VISIBILITY_HIDDEN);
}

static uint8_t visit_target(cull *c, int64_t column, int64_t row, uint8_t seen) {
    const lf__viewshed *view = c->view;
    lf_window w = view->window;
    int64_t i = w.column + column, j = w.row + row;
    bool roofed = lf__targets_roofed(c->world, column, row);
    if (view->eye.x == (double)i && view->eye.y == (double)j)
        return roofed || seen <= LF_VISIBILITY_UNKNOWN ? seen | LF__TARGET_OPEN : seen;
    if (!is_candidate(c, column, row, seen))
        return seen;
    double low = -LF_INFINITY, high = LF_INFINITY; // nothing is known of roofs over voids and beside limits
    if (!(roofed && (view->limited || seen == LF_VISIBILITY_VOID))) {
        low = high = lf__grid_height(view->grid, i, j) + view->def.target;
        if (roofed)
            high = fmax(high, (double)c->world->roof_tops[row * w.columns + column] + view->def.target);
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
    for (int64_t j = rows[0]; j < rows[1]; j++) {
        uint8_t *bytes = c->seen.bytes + j * c->seen.row_step;
        for (int64_t i = columns[0]; i < columns[1]; i++)
            bytes[i] = visit_target(c, i, j, bytes[i]);
    }
}

static bool tile_matters(const cull *c, int64_t index) {
    int64_t columns[2], rows[2];
    tile_span(c, index, columns, rows);
    for (int64_t j = rows[0]; j < rows[1]; j++)
        for (int64_t i = columns[0]; i < columns[1]; i++)
            if (is_candidate(c, i, j, c->seen.bytes[j * c->seen.row_step + i]))
                return true;
    lf_window w = c->view->window;
    double i = c->view->eye.x - (double)w.column, j = c->view->eye.y - (double)w.row;
    return i >= (double)columns[0] && i < (double)columns[1] && j >= (double)rows[0] && j < (double)rows[1];
}

// ---------------------------------------------------------------------------------------------------
// Rings
// ---------------------------------------------------------------------------------------------------

/// Lower bound of the distance to the targets of a square. Those that matter are noted in the bins; others are beyond everything.
static double tile_distance(const cull *c, int64_t index) {
    const lf__viewshed *view = c->view;
    lf_window w = view->window;
    int64_t columns[2], rows[2];
    if (!tile_matters(c, index))
        return -1;
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
    int bins[2];
    if (!circle_bins(x, y, away, radius, bins))
        bins[0] = 0, bins[1] = CULL_BINS - 1;
    float far = (float)((away + radius) * (1 + 1e-6));
    for (int k = bins[0]; k <= bins[1]; k++) {
        float *reach = &c->reach[k & (CULL_BINS - 1)];
        *reach = far > *reach ? far : *reach;
    }
    x = fmax(fabs(x) - rx, 0), y = fmax(fabs(y) - ry, 0);
    return fmax(sqrt(x * x + y * y) - c->pad, 0);
}

static double obstacle_distance(const cull *c, int64_t index) {
    const lf__obstacle *o = &c->world->obstacles[index];
    double x = o->x - c->view->point.x, y = o->y - c->view->point.y;
    return o->blocks ? fmax(sqrt(x * x + y * y) - o->radius - c->pad, 0) : -1;
}

/// Count things by rings, and note the ring of each; those at negative distances are in none. `first` gets the end of each ring.
static void count_by_rings(const cull *c, int64_t count, double (*distance)(const cull *c, int64_t index),
                           int32_t *first) {
    int32_t *rings = c->next; // not in use yet, and long enough
    memset(first, 0, (CULL_RINGS + 1) * sizeof *first);
    for (int64_t k = 0; k < count; k++) {
        double d = distance(c, k);
        rings[k] = d < 0 ? CULL_RINGS : ring_of(c, d);
        first[rings[k]] += d >= 0;
    }
    for (int k = 1; k <= CULL_RINGS; k++)
        first[k] += first[k - 1];
}

/// List everything by rings. The end of each ring moves to its beginning.
static void list_by_rings(cull *c) {
    const int32_t *rings = c->next;
    count_by_rings(c, c->tile_columns * c->tile_rows, tile_distance, c->tile_first);
    for (int64_t k = c->tile_columns * c->tile_rows; k-- > 0;)
        if (rings[k] < CULL_RINGS)
            c->tiles[--c->tile_first[rings[k]]] = (int32_t)k;
    count_by_rings(c, c->world->obstacle_count, obstacle_distance, c->obstacle_first);
    for (int64_t k = c->world->obstacle_count; k-- > 0;)
        if (rings[k] < CULL_RINGS)
            c->obstacles[--c->obstacle_first[rings[k]]] = appearance_of(c, k);
}

static void visit_rings(cull *c, int32_t *kept, int64_t *kept_count) {
    int64_t count = 0, needed = 0;
    for (int ring = 0; ring < CULL_RINGS; ring++) {
        for (int32_t k = c->pending[ring]; k >= 0; k = c->next[k])
            hide_behind(c, &c->world->obstacles[k]);
        for (int32_t k = c->obstacle_first[ring]; k < c->obstacle_first[ring + 1]; k++)
            if (visit_obstacle(c, &c->obstacles[k], ring))
                kept[count++] = k;
        for (int32_t k = c->tile_first[ring]; k < c->tile_first[ring + 1]; k++)
            visit_tile(c, c->tiles[k]);
    }
    for (int64_t k = 0; k < count; k++)
        if (obstacle_needed(c, &c->obstacles[kept[k]]))
            kept[needed++] = c->obstacles[kept[k]].index;
    *kept_count = needed;
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
}

// ---------------------------------------------------------------------------------------------------
// Memory
// ---------------------------------------------------------------------------------------------------

static int64_t tile_count(lf_window w) {
    return ((w.columns + CULL_TILE - 1) / CULL_TILE) * ((w.rows + CULL_TILE - 1) / CULL_TILE);
}

static size_t cull_bytes(int64_t obstacles, lf_window window) {
    size_t tiles = (size_t)tile_count(window), longer = (size_t)obstacles > tiles ? (size_t)obstacles : tiles;
    return (CULL_BINS + 1) * sizeof(lf_vec2) + 6 * CULL_BINS * sizeof(float) +
           (tiles + longer + 3 * (CULL_RINGS + 1)) * sizeof(int32_t) + (size_t)obstacles * sizeof(appearance);
}

size_t lf__targets_cull_bytes(const lf__targets *world, lf_window window) {
    return cull_bytes(world->obstacle_most, window);
}

lf_status lf__targets_cull(const lf__viewshed *view, lf__byte_plane seen, const uint8_t *raised,
                           int32_t *kept, int64_t *kept_count) {
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
    c.edges = block;
    c.low = (float *)(c.edges + CULL_BINS + 1);
    c.high = c.low + CULL_BINS;
    c.reach = c.high + CULL_BINS;
    c.open_far = c.reach + CULL_BINS;
    c.open_low = c.open_far + CULL_BINS;
    c.open_high = c.open_low + CULL_BINS;
    c.tile_first = (int32_t *)(c.open_high + CULL_BINS);
    c.obstacle_first = c.tile_first + CULL_RINGS + 1;
    c.pending = c.obstacle_first + CULL_RINGS + 1;
    c.tiles = c.pending + CULL_RINGS + 1;
    c.next = c.tiles + tiles;
    c.obstacles = (appearance *)(c.next + (tiles > world->obstacle_count ? tiles : world->obstacle_count));
    make_edges(&c);
    cull_measure(&c);
    for (int k = 0; k < CULL_BINS; k++)
        c.low[k] = c.open_low[k] = LF_INFINITY,
        c.high[k] = c.open_high[k] = c.reach[k] = c.open_far[k] = -LF_INFINITY;
    list_by_rings(&c);
    for (int k = 0; k <= CULL_RINGS; k++)
        c.pending[k] = -1;
    visit_rings(&c, kept, kept_count);
    lf__free_array(&world->allocator, block, bytes, 1);
    return LF_OK;
}
