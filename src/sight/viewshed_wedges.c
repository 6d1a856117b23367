/// Obstacles around an observer: which of them can hide a target, by sectors of directions.
///
/// Seen from above an obstacle covers a sector of directions from its nearest point on, and as the observer sees it, slopes between
/// its bottom and its top. Only targets in that wedge are tested, by the same exact test as lines of sight. The slope of a line to a target is the same
/// all along the line if curvature is counted as lowering of the ground by the square of the distance, and so is its direction.
#include "base/base.h"
#include "sight/viewshed_world.h"
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// Obstacles
// ---------------------------------------------------------------------------------------------------

static bool is_flat_group(const lf__group_part *part) {
    return part->identity && lf__ground_group(part->ground) != NULL;
}

int64_t lf__obstacles_most(const lf_group *group) {
    int64_t count = 0;
    for (int64_t i = 0; i < group->count; i++) {
        const lf__group_part *part = &group->parts[i];
        if (part->ground)
            count += is_flat_group(part) ? lf__obstacles_most(lf__ground_group(part->ground)) : 1;
    }
    return count;
}

static lf__obstacle obstacle_of(const lf_group *group, int64_t index, uint32_t layers) {
    const lf__group_part *part = &group->parts[index];
    const lf_box *box = &part->box;
    lf__obstacle o = {.group = group,
                      .part = index,
                      .layers = layers,
                      .blocks = lf__part_seen(part, layers) &&
                                (!part->is_box || (lf__part_layers(part, layers) & 1u) != 0)};
    const lf_vec3 *rows = part->pose.rows;
    o.upright = part->is_box && rows[2].x == 0 && rows[2].y == 0 && rows[0].z == 0 && rows[1].z == 0;
    lf_vec2 half = {0.5 * (box->high.x - box->low.x), 0.5 * (box->high.y - box->low.y)};
    if (o.upright)
        half =
            (lf_vec2){0.5 * (part->own.high.x - part->own.low.x), 0.5 * (part->own.high.y - part->own.low.y)};
    o.x = 0.5 * (box->low.x + box->high.x);
    o.y = 0.5 * (box->low.y + box->high.y);
    o.radius = sqrt(half.x * half.x + half.y * half.y);
    o.low = box->low.z, o.high = box->high.z;
    return o;
}

static void add_obstacles(lf__targets *world, const lf_group *group, uint32_t layers) {
    for (int64_t i = 0; i < group->count; i++) {
        const lf__group_part *part = &group->parts[i];
        if (!part->ground || part->has_grid || lf_box_is_empty(part->box))
            continue;
        if (is_flat_group(part))
            add_obstacles(world, lf__ground_group(part->ground),
                          lf__part_seen(part, layers) ? lf__part_layers(part, layers) : 0);
        else {
            lf__obstacle *o = &world->obstacles[world->obstacle_count++];
            *o = obstacle_of(group, i, layers);
            if (world->roof_tops) // while the part is in the cache
                lf__obstacle_cover(world, o);
        }
    }
}

lf_status lf__obstacles_open(lf__targets *world, uint32_t layers) {
    void *list;
    if (world->obstacle_most > INT32_MAX / 4)
        return LF_TOO_LARGE;
    lf_status status =
        lf__allocate_array(&world->allocator, world->obstacle_most, sizeof *world->obstacles, &list);
    if (status != LF_OK)
        return status;
    world->obstacles = list;
    world->obstacle_count = 0;
    add_obstacles(world, world->group, layers);
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Wedges
// ---------------------------------------------------------------------------------------------------

/// Metres by which an obstacle is enlarged: lines are off by half a millimetre where they are bent. And how much of its size
/// rounding may take.
#define WEDGE_PAD 1e-3
#define WEDGE_ROUNDING 1e-9

/// Rounding of pseudo-angles and slopes, as floats.
#define ANGLE_PAD 2e-6f
#define SLOPE_PAD 2e-6

/// The corners of a part, seen from above from the observer, and its lowest and highest point.
static void plan_of(const lf__viewshed *view, const lf__group_part *part, lf_vec2 corners[8], double z[2]) {
    lf_box own = part->is_box ? part->own : part->box;
    z[0] = LF_INFINITY, z[1] = -LF_INFINITY;
    for (int k = 0; k < 8; k++) {
        lf_vec3 p = {k & 1 ? own.high.x : own.low.x, k & 2 ? own.high.y : own.low.y,
                     k & 4 ? own.high.z : own.low.z};
        p = part->is_box ? lf_pose_to_world(&part->pose, p) : p;
        corners[k] = (lf_vec2){p.x - view->point.x, p.y - view->point.y};
        z[0] = fmin(z[0], p.z), z[1] = fmax(z[1], p.z);
    }
}

/// The sector of corners; false: all directions.
static bool sector_of(const lf_vec2 corners[8], double near, double pad, float sector[2]) {
    double low = LF_INFINITY, high = -LF_INFINITY, angles[8];
    for (int k = 0; k < 8; k++) {
        angles[k] = lf__pseudo_angle(corners[k].x, corners[k].y);
        low = fmin(low, angles[k]), high = fmax(high, angles[k]);
    }
    if (high - low > 2) { // it crosses 0: less than half a turn, because the observer is outside
        low = LF_INFINITY, high = -LF_INFINITY;
        for (int k = 0; k < 8; k++) {
            double angle = angles[k] < 2 ? angles[k] + 4 : angles[k];
            low = fmin(low, angle), high = fmax(high, angle);
        }
    }
    double wide = 2 * pad / near; // a pseudo-angle turns at most 1.42 times as fast as the direction
    sector[0] = (float)(low - wide) - ANGLE_PAD;
    sector[1] = (float)(high + wide) + ANGLE_PAD;
    if (sector[0] < 0)
        sector[0] += 4, sector[1] += 4;
    return sector[1] - sector[0] < 2;
}

/// A lower bound of the distance to a part, seen from above: to the box of its corners, and to the circle around them.
static double nearest_of(const lf_vec2 corners[8], double *far) {
    double low[2] = {LF_INFINITY, LF_INFINITY}, high[2] = {-LF_INFINITY, -LF_INFINITY}, radius = 0;
    *far = 0;
    for (int k = 0; k < 8; k++) {
        low[0] = fmin(low[0], corners[k].x), high[0] = fmax(high[0], corners[k].x);
        low[1] = fmin(low[1], corners[k].y), high[1] = fmax(high[1], corners[k].y);
        *far = fmax(*far, sqrt(corners[k].x * corners[k].x + corners[k].y * corners[k].y));
    }
    double dx = fmax(fmax(low[0], -high[0]), 0), dy = fmax(fmax(low[1], -high[1]), 0);
    lf_vec2 centre = {0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1])};
    for (int k = 0; k < 8; k++)
        radius = fmax(radius, sqrt((corners[k].x - centre.x) * (corners[k].x - centre.x) +
                                   (corners[k].y - centre.y) * (corners[k].y - centre.y)));
    return fmax(sqrt(dx * dx + dy * dy), sqrt(centre.x * centre.x + centre.y * centre.y) - radius);
}

static lf__wedge wedge_of(const lf__viewshed *view, const lf__obstacle *obstacle, int32_t index) {
    const lf__group_part *part = &obstacle->group->parts[obstacle->part];
    const lf_curvature *curvature = &view->def.rules.curvature;
    double lowering = curvature->coefficient / (2 * curvature->radius), z[2], far;
    float sector[2];
    lf_vec2 corners[8];
    lf__wedge all = {0, 4, 0, LF_INFINITY, -LF_INFINITY, index}, wedge = all;
    plan_of(view, part, corners, z);
    double near = nearest_of(corners, &far);
    double size = fabs(view->point.x) + fabs(view->point.y) + fabs(view->z) + far + fabs(z[0]) + fabs(z[1]);
    double pad = WEDGE_PAD + WEDGE_ROUNDING * size;
    if (!(near > 4 * pad) || !sector_of(corners, near, pad, sector))
        return all;
    wedge.from = sector[0], wedge.to = sector[1];
    near -= pad, far += pad;
    double top = lf__slope_most(z[1] - view->z + pad, near, far, lowering),
           bottom = lf__slope_least(z[0] - view->z - pad, near, far, lowering);
    wedge.near = (float)(near * (1 - 1e-6));
    wedge.top = (float)(top + SLOPE_PAD + 1e-6 * fabs(top));
    wedge.bottom = (float)(bottom - SLOPE_PAD - 1e-6 * fabs(bottom));
    return wedge;
}

// ---------------------------------------------------------------------------------------------------
// Bins
// ---------------------------------------------------------------------------------------------------

/// Bins of the levels before.
static int level_start(int level) {
    return 2 * LF__WEDGE_BINS - (2 * LF__WEDGE_BINS >> level);
}

#define ALL_BINS (2 * LF__WEDGE_BINS - 1)

/// The bin of a pseudo-angle at a level, counted all around any number of times.
static inline int bin_of(float angle, int level) {
    return (int)(angle * (LF__WEDGE_BINS / 4.0f)) >> level;
}

/// The finest level at which a wedge touches at most two bins, and these.
static int bins_of(const lf__wedge *wedge, int bins[2]) {
    int level = 0;
    while (bin_of(wedge->to, level) - bin_of(wedge->from, level) > 1)
        level++;
    if (level >= LF__WEDGE_LEVELS - 1) { // all directions
        bins[0] = bins[1] = level_start(LF__WEDGE_LEVELS - 1);
        return 1;
    }
    int mask = (LF__WEDGE_BINS >> level) - 1;
    bins[0] = level_start(level) + (bin_of(wedge->from, level) & mask);
    bins[1] = level_start(level) + (bin_of(wedge->to, level) & mask);
    return bins[0] == bins[1] ? 1 : 2;
}

static int by_top(const void *a, const void *b) {
    const lf__wedge *left = a, *right = b;
    if (left->top != right->top)
        return left->top > right->top ? -1 : 1;
    return (left->obstacle > right->obstacle) - (left->obstacle < right->obstacle);
}

lf_status lf__wedges_open(const lf__viewshed *view, const int32_t *obstacles, int64_t count,
                          lf__wedges *wedges) {
    const lf__targets *world = view->world;
    void *list = NULL, *first = NULL, *all = NULL;
    int bins[2];
    lf_status status = lf__allocate_array(&world->allocator, count, sizeof(lf__wedge), &list);
    *wedges = (lf__wedges){NULL, 0, NULL};
    if (status == LF_OK)
        status = lf__allocate_array(&world->allocator, ALL_BINS + 1, sizeof *wedges->first, &first);
    if (status != LF_OK)
        goto done;
    wedges->first = first;
    memset(first, 0, (ALL_BINS + 1) * sizeof *wedges->first);
    lf__wedge *made = list;
    for (int64_t k = 0; k < count; k++) {
        made[k] = wedge_of(view, &world->obstacles[obstacles[k]], obstacles[k]);
        for (int n = bins_of(&made[k], bins); n > 0; n--, wedges->count++)
            wedges->first[bins[n - 1]]++;
    }
    status = lf__allocate_array(&world->allocator, wedges->count, sizeof *wedges->all, &all);
    if (status != LF_OK)
        goto done;
    wedges->all = all;
    int32_t sum = 0;
    for (int k = 0; k <= ALL_BINS; k++) { // to the end of each, which moves to its beginning
        sum += wedges->first[k];
        wedges->first[k] = sum;
    }
    for (int64_t k = 0; k < count; k++)
        for (int n = bins_of(&made[k], bins); n > 0; n--)
            wedges->all[--wedges->first[bins[n - 1]]] = made[k];
    for (int k = 0; k < ALL_BINS; k++)
        qsort(wedges->all + wedges->first[k], (size_t)(wedges->first[k + 1] - wedges->first[k]),
              sizeof *wedges->all, by_top);
done:
    lf__free_array(&world->allocator, list, count, sizeof(lf__wedge));
    if (status != LF_OK)
        lf__wedges_close(view, wedges);
    return status;
}

void lf__wedges_close(const lf__viewshed *view, lf__wedges *wedges) {
    const lf_allocator *allocator = &view->world->allocator;
    lf__free_array(allocator, wedges->all, wedges->count, sizeof *wedges->all);
    lf__free_array(allocator, wedges->first, ALL_BINS + 1, sizeof *wedges->first);
    *wedges = (lf__wedges){NULL, 0, NULL};
}

// ---------------------------------------------------------------------------------------------------
// Targets
// ---------------------------------------------------------------------------------------------------

/// The line to a target, when the first obstacle needs it.
typedef struct wedge_line {
    const lf__viewshed *view;
    lf_vec3 target;
    lf__sight_pair pair;
    bool made;
} wedge_line;

static bool obstacle_blocks(wedge_line *line, int32_t index) {
    const lf__viewshed *view = line->view;
    const lf__obstacle *o = &view->world->obstacles[index];
    if (!line->made)
        lf__sight_pair_make(view->world->ground, &view->def.rules, view->point, line->target, false,
                            &line->pair);
    line->made = true;
    lf_cursor cursor = {.layers = o->layers};
    return lf__sight_part_verdict(o->group, o->part, &line->pair, o->layers, &cursor) == LF_VERDICT_BLOCKED;
}

bool lf__wedges_block(const lf__viewshed *view, const lf__wedges *wedges, lf_vec3 target, int32_t *last) {
    const lf_curvature *curvature = &view->def.rules.curvature;
    double x = target.x - view->point.x, y = target.y - view->point.y, far = sqrt(x * x + y * y);
    float slope = (float)((target.z - view->point.z) / far -
                          curvature->coefficient * far / (2 * curvature->radius)),
          distance = (float)(far * (1 + 1e-6)), angle = (float)lf__pseudo_angle(x, y);
    wedge_line line = {.view = view, .target = target};
    if (*last >= 0 && obstacle_blocks(&line, *last))
        return true;
    for (int level = 0; level < LF__WEDGE_LEVELS; level++) {
        int bin = level_start(level) + (bin_of(angle, level) & ((LF__WEDGE_BINS >> level) - 1));
        const lf__wedge *end = wedges->all + wedges->first[bin + 1];
        for (const lf__wedge *w = wedges->all + wedges->first[bin]; w < end && w->top >= slope; w++) {
            bool in = (angle >= w->from && angle <= w->to) || angle + 4 <= w->to;
            if (!in || distance < w->near || slope < w->bottom || w->obstacle == *last)
                continue;
            if (obstacle_blocks(&line, w->obstacle)) {
                *last = w->obstacle;
                return true;
            }
        }
    }
    return false;
}
