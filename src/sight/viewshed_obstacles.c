/// The obstacles of a viewshed over a group: circles around its parts, and what these cover of the terrain.
///
/// Nearly all parts of a city are boxes, and nearly all of them end up hidden. So they are read as outlines (ground/outline.h), one cache line
/// for each, and what is read is rounded outwards. Whoever needs a box exactly reads its part.
#include "base/base.h"
#include "sight/viewshed_world.h"

/// Error of an outline in the world, as a share of its half sides: that of its axes.
#define OUTLINE_SHARE 1e-4f

/// Parts read ahead.
#define OBSTACLES_AHEAD 16

static bool is_flat_group(const lf__group_part *part) {
    return part->identity && lf__ground_group(part->ground) != NULL;
}

int64_t lf__obstacles_most(const lf_group *group) {
    int64_t count = group->count;
    for (int64_t i = 0; i < group->count && group->nested; i++) {
        const lf__group_part *part = &group->parts[i];
        if (!part->is_box && part->ground && is_flat_group(part))
            count += lf__obstacles_most(lf__ground_group(part->ground));
    }
    return count;
}

// ---------------------------------------------------------------------------------------------------
// What they cover
// ---------------------------------------------------------------------------------------------------

/// What an obstacle covers on the map: half of a box along the axes, and for boxes that seem upright the box itself.
typedef struct obstacle_plan {
    double half_x, half_y;
    bool turned;
    float axes[2][2], sides[2];  ///< of a turned box: unit vectors and half sides, rounded outwards
    int64_t columns[2], rows[2]; ///< of samples that it may stand over: first and one beyond the last
} obstacle_plan;

/// Obstacles whose samples are being fetched.
typedef struct obstacle_plans {
    lf__targets *world;
    obstacle_plan plans[OBSTACLES_AHEAD];
    int64_t first, count; ///< of the obstacles that they belong to
} obstacle_plans;

/// Columns or rows of a window from one place to another: first and one beyond the last; false: none.
static inline bool samples_between(double low, double high, int64_t first, int64_t count, int64_t range[2]) {
    double begin = (double)first, end = (double)(first + count - 1);
    if (!(low <= end && high >= begin))
        return false;
    low = low > begin ? low : begin;
    high = high < end ? high : end;
    range[0] = (int64_t)low;
    range[0] += (double)range[0] < low;
    range[1] = (int64_t)high + 1;
    return range[0] < range[1];
}

/// A roof over a sample.
static void cover_sample(lf__targets *world, int64_t i, int64_t j, float top) {
    lf_window w = world->window;
    float *now = &world->roof_tops[(j - w.row) * w.columns + i - w.column];
    if (*now >= top)
        return;
    *now = top;
    if (lf__grid_bare(world->terrain, i, j))
        return;
    double above = (double)top - lf__grid_height(world->terrain, i, j);
    world->roof_most = above > world->roof_most ? above : world->roof_most;
}

/// Is a place on the map within a box?
static inline bool plan_covers(const obstacle_plan *plan, double x, double y) {
    double u = x * (double)plan->axes[0][0] + y * (double)plan->axes[0][1],
           v = x * (double)plan->axes[1][0] + y * (double)plan->axes[1][1];
    return fabs(u) <= (double)plan->sides[0] && fabs(v) <= (double)plan->sides[1];
}

/// The samples that an obstacle may stand over; they are fetched from memory.
static void plan_samples(const lf__targets *world, const lf__obstacle *o, obstacle_plan *plan) {
    const lf_grid *grid = world->terrain;
    lf_window w = world->window;
    lf_vec2 place = lf__grid_place(grid, o->x, o->y);
    double across = fabs(grid->a) * plan->half_x + fabs(grid->b) * plan->half_y + 1e-6,
           along = fabs(grid->c) * plan->half_x + fabs(grid->d) * plan->half_y + 1e-6;
    if (!samples_between(place.x - across, place.x + across, w.column, w.columns, plan->columns) ||
        !samples_between(place.y - along, place.y + along, w.row, w.rows, plan->rows)) {
        plan->rows[0] = plan->rows[1] = 0;
        return;
    }
    for (int64_t j = plan->rows[0]; j < plan->rows[1]; j++) {
        __builtin_prefetch(&world->roof_tops[(j - w.row) * w.columns + plan->columns[0] - w.column]);
        if (!grid->packed)
            __builtin_prefetch(grid->values + j * grid->row_step + plan->columns[0] * grid->column_step);
    }
}

/// Note obstacles in the roofs over the samples below them.
static void cover_samples(obstacle_plans *p) {
    const lf_grid *grid = p->world->terrain;
    for (int64_t n = 0; n < p->count; n++) {
        const lf__obstacle *o = &p->world->obstacles[p->first + n];
        const obstacle_plan *plan = &p->plans[n];
        float top = (float)((double)o->high + 1e-3 + 1e-6 * fabs((double)o->high));
        for (int64_t j = plan->rows[0]; j < plan->rows[1]; j++)
            for (int64_t i = plan->columns[0]; i < plan->columns[1]; i++) {
                lf_vec2 at = lf__sample_place(grid, i, j);
                if (!plan->turned || plan_covers(plan, at.x - o->x, at.y - o->y))
                    cover_sample(p->world, i, j, top);
            }
    }
    p->first += p->count;
    p->count = 0;
}

// ---------------------------------------------------------------------------------------------------
// Collecting
// ---------------------------------------------------------------------------------------------------

/// Heights as floats, rounded outwards.
static void set_heights(lf__obstacle *o, double low, double high) {
    o->low = (float)(low - 1e-6 * fabs(low));
    o->high = (float)(high + 1e-6 * fabs(high));
}

/// A box that seems upright, from its outline; false: it is not, or nothing is known.
static bool read_outline(const lf__group_part *part, lf__obstacle *o, obstacle_plan *plan) {
    const lf__outline *outline = &part->outline;
    const float *half = outline->half;
    bool upright = outline->axis[2][0] == 0 && outline->axis[2][1] == 0 && outline->axis[0][2] == 0 &&
                   outline->axis[1][2] == 0;
    float error = OUTLINE_SHARE * (half[0] + half[1] + half[2]);
    if (!upright || !(error >= 0) || !(error < 1e30f))
        return false;
    o->upright = true;
    o->x = outline->centre[0], o->y = outline->centre[1];
    o->radius = sqrtf(half[0] * half[0] + half[1] * half[1]) * 1.000001f + error;
    set_heights(o, outline->centre[2] - (double)(half[2] + error),
                outline->centre[2] + (double)(half[2] + error));
    // Rounding of the places of samples, and of those that are transformed.
    float pad = error + (float)(1e-6 + 1e-9 * (fabs(o->x) + fabs(o->y)));
    plan->turned = true;
    for (int k = 0; k < 2; k++) {
        plan->sides[k] = half[k] + pad;
        for (int n = 0; n < 2; n++)
            plan->axes[k][n] = (float)outline->axis[k][n] * (1 / 32767.f);
    }
    plan->half_x = (double)(fabsf(plan->axes[0][0]) * half[0] + fabsf(plan->axes[1][0]) * half[1] + pad);
    plan->half_y = (double)(fabsf(plan->axes[0][1]) * half[0] + fabsf(plan->axes[1][1]) * half[1] + pad);
    return true;
}

/// Any part: the circle around its box.
static void read_box(const lf_box *box, lf__obstacle *o, obstacle_plan *plan) {
    plan->turned = false;
    plan->half_x = 0.5 * (box->high.x - box->low.x);
    plan->half_y = 0.5 * (box->high.y - box->low.y);
    o->x = 0.5 * (box->low.x + box->high.x);
    o->y = 0.5 * (box->low.y + box->high.y);
    o->radius = (float)(sqrt(plan->half_x * plan->half_x + plan->half_y * plan->half_y) * 1.000001 + 1e-6);
    set_heights(o, box->low.z, box->high.z);
}

/// Everything is written to its place in the list: a copy would wait for what was just written.
static void add_obstacle(obstacle_plans *plans, const lf__group_part *part, uint32_t layers) {
    lf__targets *world = plans->world;
    lf__obstacle *o = &world->obstacles[world->obstacle_count];
    obstacle_plan *plan = &plans->plans[plans->count];
    o->part = part;
    o->upright = false;
    o->blocks = lf__part_seen(part, layers) && (!part->is_box || (lf__part_layers(part, layers) & 1u) != 0);
    if (!part->is_box || !read_outline(part, o, plan)) {
        if (!part->ground || lf_box_is_empty(part->box))
            return;
        read_box(&part->box, o, plan);
    }
    world->obstacle_count++;
    if (!world->roof_tops)
        return;
    plan_samples(world, o, plan);
    if (++plans->count == OBSTACLES_AHEAD)
        cover_samples(plans);
}

static void add_obstacles(obstacle_plans *plans, const lf_group *group, uint32_t layers) {
    for (int64_t i = 0; i < group->count; i++) {
        const lf__group_part *part = &group->parts[i];
        __builtin_prefetch(part + OBSTACLES_AHEAD);
        if (part->has_grid || (!part->is_box && !part->ground))
            continue;
        if (!part->is_box && is_flat_group(part))
            add_obstacles(plans, lf__ground_group(part->ground),
                          lf__part_seen(part, layers) ? lf__part_layers(part, layers) : 0);
        else
            add_obstacle(plans, part, layers);
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
    world->roof_most = 0;
    obstacle_plans plans = {.world = world};
    add_obstacles(&plans, world->group, layers);
    cover_samples(&plans);
    return LF_OK;
}
