/// Viewsheds over grounds that are no grid: where the targets are, and which lines are needed.
#include "sight/viewshed_world.h"
#include "base/base.h"
#include "grid/guard.h"
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// Ground and lattice
// ---------------------------------------------------------------------------------------------------

static bool same_geotransform(const lf_geotransform *a, const lf_geotransform *b) {
    return a->origin.x == b->origin.x && a->origin.y == b->origin.y && a->per_column.x == b->per_column.x &&
           a->per_column.y == b->per_column.y && a->per_row.x == b->per_row.x && a->per_row.y == b->per_row.y;
}

/// Does a lattice name the samples of a grid?
static bool is_lattice_of(const lf_lattice *lattice, const lf_grid *grid) {
    bool unset = lattice->columns == 0 && lattice->rows == 0;
    return unset || (lattice->columns == lf__grid_columns(grid) && lattice->rows == grid->rows &&
                     same_geotransform(&lattice->geotransform, &grid->geotransform));
}

/// The first grid of a group that is in its place; -1: none.
static int64_t first_grid(const lf_group *group) {
    for (int64_t i = 0, left = group->grid_count; left > 0; i++) {
        const lf__group_part *part = &group->parts[i];
        if (part->has_grid && part->identity && part->upright && lf__ground_grid(part->ground))
            return i;
        left -= part->has_grid;
    }
    return -1;
}

/// A grid without samples, for the places of a lattice; false: no such lattice.
static bool make_lattice(const lf_lattice *given, lf_grid *lattice) {
    const lf_geotransform *g = &given->geotransform;
    lf_vec2 pc = g->per_column, pr = g->per_row;
    double det = pc.x * pr.y - pc.y * pr.x;
    memset(lattice, 0, sizeof *lattice);
    lattice->geotransform = *g;
    lattice->columns = given->columns;
    lattice->rows = given->rows;
    lattice->a = pr.y / det, lattice->b = -pr.x / det;
    lattice->c = -pc.y / det, lattice->d = pc.x / det;
    bool finite = isfinite(g->origin.x) && isfinite(g->origin.y) && isfinite(det) && isfinite(lattice->a) &&
                  isfinite(lattice->b) && isfinite(lattice->c) && isfinite(lattice->d);
    return finite && det != 0 && given->columns >= 1 && given->rows >= 1 && given->columns <= INT32_MAX &&
           given->rows <= INT32_MAX;
}

static lf_status check_frame(lf__targets *world, lf_error *error) {
    const lf_frame *frame = world->ground->kind->frame(world->ground->object);
    world->globe = frame->kind == LF_FRAME_CENTRE;
    bool centred = frame->origin.x == 0 && frame->origin.y == 0 && frame->origin.z == 0;
    if (lf__frame_is_down_z(frame) || (world->globe && centred))
        return LF_OK;
    return lf__fail(error, LF_BAD_ARGUMENT, -1,
                    "ground: down must be -z, or towards the centre (0, 0, 0) of a globe");
}

lf_status lf__targets_find(lf__targets *world, const lf_ground *ground, const lf_sight_rules *rules,
                           const lf__lattice_given *given, const lf_grid **grid, bool *is_world,
                           lf_error *error) {
    ground = lf__ground_itself(ground);
    const lf_lattice *lattice = &given->lattice;
    const lf_grid *own = lf__ground_grid(ground);
    *is_world = given->places || !(own && is_lattice_of(lattice, own));
    *grid = own;
    if (!*is_world)
        return LF_OK;
    memset(world, 0, sizeof *world);
    world->ground = ground;
    world->group = lf__ground_group(ground);
    lf_status status = check_frame(world, error);
    if (status != LF_OK)
        return status;
    if (!lf__sight_rules_fit(rules, ground))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "rules: curvature does not fit this ground");
    int64_t first = world->group && !world->globe ? first_grid(world->group) : -1;
    const lf_grid *terrain = first >= 0 ? lf__ground_grid(world->group->parts[first].ground) : own;
    lf_lattice used = *lattice;
    bool unset = lattice->columns == 0 && lattice->rows == 0;
    if (given->places)
        used.geotransform = (lf_geotransform){{0, 0}, {1, 0}, {0, 1}};
    else if (unset && terrain)
        used = (lf_lattice){terrain->geotransform, lf__grid_columns(terrain), terrain->rows};
    if (unset && given->places)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "places: lattice.columns and rows must be given");
    if (unset && !terrain)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "lattice: the ground has no grid in its own coordinates: must be given");
    if (!make_lattice(&used, &world->lattice))
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "lattice: %lld x %lld samples, steps %g, %g and %g, %g: must have an area",
                        (long long)used.columns, (long long)used.rows, used.geotransform.per_column.x,
                        used.geotransform.per_column.y, used.geotransform.per_row.x,
                        used.geotransform.per_row.y);
    *grid = &world->lattice;
    world->places = given->places;
    if (first < 0 || given->places || !is_lattice_of(lattice, terrain) || world->group->grid_count != 1 ||
        terrain->turn != 0)
        return LF_OK;
    const lf__group_part *part = &world->group->parts[first];
    world->terrain = *grid = terrain;
    world->terrain_part = first;
    world->obstacle_most = lf__obstacles_most(world->group);
    world->terrain_blocks = ((part->layers ? part->layers : 1u) & rules->layers) != 0;
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Ground under targets
// ---------------------------------------------------------------------------------------------------

/// On a globe, targets are this much above the ground: more than the rounding of earth-centred coordinates.
#define GLOBE_LIFT 1e-6

/// The ray down through a place of the lattice, and the height that it begins at.
static lf_ray ray_down(const lf__targets *world, const lf_ellipsoid *ellipsoid, lf_vec2 at, double *start) {
    lf_box box = world->ground->kind->box(world->ground->object);
    if (!world->globe) {
        *start = box.high.z + 1;
        return (lf_ray){{at.x, at.y, *start}, {0, 0, -1}, 0, LF_INFINITY};
    }
    lf_vec3 far = {fmax(fabs(box.low.x), fabs(box.high.x)), fmax(fabs(box.low.y), fabs(box.high.y)),
                   fmax(fabs(box.low.z), fabs(box.high.z))};
    double polar = ellipsoid->radius * (1 - ellipsoid->flattening);
    lf_pose pose;
    *start = fmax(lf_vec3_length(far) - polar, 0) + 1;
    lf_geodetic place = {at.x, at.y, *start};
    if (lf_ellipsoid_pose(ellipsoid, place, 0, 0, 0, &pose) != LF_OK)
        return (lf_ray){{0, 0, 0}, {0, 0, 0}, 0, 0};
    lf_vec3 down = {-pose.rows[0].z, -pose.rows[1].z, -pose.rows[2].z};
    return (lf_ray){pose.translation, down, 0, *start + 0.9 * polar}; // not the other side of the globe
}

/// The topmost ground of a group's grids and globe; NAN: none.
static double terrain_top(const lf_group *group, const lf_ray *down, double start) {
    double top = LF_NAN;
    for (int64_t i = 0; i < group->count; i++) {
        const lf__group_part *part = &group->parts[i];
        if (!part->ground || !(part->has_grid || lf__ground_globe(part->ground)))
            continue;
        lf_ray ray = lf__part_ray(part, down);
        const lf_group *inner = lf__ground_group(part->ground);
        double found = LF_NAN;
        if (inner) {
            found = terrain_top(inner, &ray, start);
        } else {
            lf_hit hit;
            part->ground->kind->ray_first(part->ground->object, &ray, &hit, NULL);
            found = hit.kind == LF_HIT_NONE ? LF_NAN : start - hit.t;
        }
        if (!(found <= top) && !isnan(found))
            top = found;
    }
    return top;
}

static bool has_terrain(const lf_group *group) {
    for (int64_t i = 0; i < group->count; i++) {
        const lf_ground *ground = group->parts[i].ground;
        const lf_group *inner = ground ? lf__ground_group(ground) : NULL;
        if (group->parts[i].has_grid || (ground && lf__ground_globe(ground)) || (inner && has_terrain(inner)))
            return true;
    }
    return false;
}

double lf__targets_top(const lf__targets *world, const lf_ellipsoid *ellipsoid, lf_target_on on, lf_vec2 at) {
    const lf_ground *ground = world->ground;
    double start;
    bool terrain = on == LF_TARGET_GROUND && world->group && has_terrain(world->group);
    if (!world->globe && !terrain) {
        lf_vec3 point;
        lf_reason reason;
        lf_status status = lf_sight_observer(ground, at, 0, &point, &reason);
        return status == LF_OK && reason == LF_REASON_ANSWERED ? point.z : LF_NAN;
    }
    lf_ray down = ray_down(world, ellipsoid, at, &start);
    if (lf_vec3_dot(down.direction, down.direction) == 0)
        return LF_NAN;
    double lift = world->globe ? GLOBE_LIFT : 1e-10 + 0x1p-50 * fabs(start);
    if (terrain)
        return terrain_top(world->group, &down, start) + lift;
    lf_hit hit;
    ground->kind->ray_first(ground->object, &down, &hit, NULL);
    return hit.kind == LF_HIT_NONE ? LF_NAN : start - hit.t + lift;
}

/// What the tasks that find ground share.
typedef struct world_ground {
    lf__targets *world;
    const lf_ellipsoid *ellipsoid;
    lf_target_on on;
} world_ground;

static void find_heights(void *job, int64_t first, int64_t last, int worker) {
    const world_ground *g = job;
    lf_window w = g->world->window;
    (void)worker;
    for (int64_t k = first * w.columns; k < last * w.columns; k++) {
        lf_vec2 at =
            lf__targets_place(g->world, &g->world->lattice, w.column + k % w.columns, w.row + k / w.columns);
        bool there = isfinite(at.x) && isfinite(at.y);
        g->world->heights[k] = there ? lf__targets_top(g->world, g->ellipsoid, g->on, at) : LF_NAN;
    }
}

// ---------------------------------------------------------------------------------------------------
// Roofs
// ---------------------------------------------------------------------------------------------------

double lf__targets_roof(const lf__targets *world, int64_t column, int64_t row) {
    lf_vec2 at = lf__sample_place(world->terrain, world->window.column + column, world->window.row + row);
    lf_hit hit;
    double top;
    lf_reason reason = lf__sight_top(world->ground, at, &hit, &top);
    return reason == LF_REASON_ANSWERED && hit.part != world->terrain_part ? top : LF_NAN;
}

/// No roofs yet.
static lf_status open_roofs(lf__targets *world) {
    int64_t samples = world->window.columns * world->window.rows;
    void *tops;
    lf_status status = lf__allocate_array(&world->allocator, samples, sizeof *world->roof_tops, &tops);
    if (status != LF_OK)
        return status;
    world->roof_tops = tops;
    for (int64_t k = 0; k < samples; k++)
        world->roof_tops[k] = -LF_INFINITY;
    return LF_OK;
}

lf_status lf__targets_fill(lf__targets *world, const lf_host *host, const lf_sight_rules *rules,
                           lf_target_on on, lf_window window) {
    world_ground g = {world, &rules->ellipsoid, on};
    void *heights = NULL;
    lf_status status;
    world->allocator = lf__allocator_of(host);
    world->window = window;
    if (world->terrain) {
        status = on == LF_TARGET_TOP ? open_roofs(world) : LF_OK;
        if (status == LF_OK)
            status = lf__obstacles_open(world, rules->layers);
    } else {
        status =
            lf__allocate_array(&world->allocator, window.columns * window.rows, sizeof(double), &heights);
        world->heights = heights;
        if (status == LF_OK)
            lf__run(host->tasks, window.rows, 1, find_heights, &g);
    }
    if (status == LF_OK)
        status = lf__ground_status(world->ground, LF_OK);
    if (status != LF_OK)
        lf__targets_empty(world);
    return status;
}

void lf__targets_empty(lf__targets *world) {
    const lf_allocator *a = &world->allocator;
    lf__free_array(a, world->heights, world->window.columns * world->window.rows, sizeof *world->heights);
    lf__free_array(a, world->roof_tops, world->window.columns * world->window.rows, sizeof *world->roof_tops);
    lf__free_array(a, world->obstacles, world->obstacle_most, sizeof *world->obstacles);
    world->heights = NULL;
    world->roof_tops = NULL;
    world->obstacles = NULL;
}

size_t lf__targets_bytes(const lf__targets *world, lf_window window) {
    size_t samples = (size_t)window.columns * (size_t)window.rows;
    if (!world->terrain)
        return samples * sizeof(double);
    return samples * (sizeof(float) + 1) + (size_t)world->obstacle_most * sizeof(lf__obstacle) +
           lf__targets_cull_bytes(world, window);
}

double lf__targets_ground(const lf__viewshed *view, int64_t i, int64_t j) {
    const lf__targets *world = view->world;
    int64_t column = i - world->window.column, row = j - world->window.row;
    if (!world->terrain)
        return world->heights[row * world->window.columns + column];
    double roof = lf__targets_roofed(world, column, row) ? lf__targets_roof(world, column, row) : LF_NAN;
    return !isnan(roof) ? roof : lf__grid_bare(view->grid, i, j) ? LF_NAN : lf__grid_height(view->grid, i, j);
}
