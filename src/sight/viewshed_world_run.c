/// Viewsheds over grounds that are no grid: limits, visibility and values of their targets.
#include "base/base.h"
#include "grid/packed.h"
#include "sight/viewshed_world.h"

lf_status lf__targets_stand(lf__viewshed *view, const lf_observer *observer, int64_t index, lf_error *error) {
    const lf_ellipsoid *ellipsoid = &view->def.rules.ellipsoid;
    if (!(fabs(view->at.y) <= 90))
        return lf__fail(error, LF_BAD_ARGUMENT, index, "observer at %.10g, %.10g: latitude must be -90 .. 90",
                        view->at.x, view->at.y);
    if (!observer->datum) {
        double ground = lf__targets_top(view->world, ellipsoid, LF_TARGET_TOP, view->at);
        if (isnan(ground))
            return lf__fail(error, LF_BAD_ARGUMENT, index,
                            "there is no ground at %.10g, %.10g to stand on: give a height above datum",
                            view->at.x, view->at.y);
        view->z = ground + observer->height;
    }
    lf_geodetic place = {view->at.x, view->at.y, view->z};
    lf_status status = lf_ellipsoid_pose(ellipsoid, place, 0, 0, 0, &view->stand);
    return status == LF_OK ? status : lf__fail_plain(error, status);
}

// ---------------------------------------------------------------------------------------------------
// Limits
// ---------------------------------------------------------------------------------------------------

/// On a globe: the target from the observer, to the east, north and up.
static lf_vec3 from_observer(const lf__viewshed *view, lf_vec3 target) {
    return lf_pose_turn_to_local(&view->stand, lf_vec3_sub(target, view->point));
}

/// Degrees above level at which it appears. Refraction lifts the line, and with it the angle.
static double globe_pitch(const lf__viewshed *view, lf_vec3 local) {
    const lf_curvature *curvature = &view->def.rules.curvature;
    double length = lf_vec3_length(local);
    double bent =
        curvature->coefficient == 0 ? 0 : (1 - curvature->coefficient) * length / (2 * curvature->radius);
    double level = sqrt(local.x * local.x + local.y * local.y);
    if (level == 0)
        return local.z == 0 ? 0 : local.z > 0 ? 90 : -90;
    return lf__atan2_deg(local.z, level) + bent / LF__DEGREE;
}

static bool globe_within(const lf__viewshed *view, lf_vec3 target) {
    const lf_viewshed_def *def = &view->def;
    lf_vec3 local = from_observer(view, target);
    double length = lf_vec3_length(local), off = 1e-12 * length + 1e-8;
    if (!(length >= def->range_min - off && length <= def->range_max + off))
        return false;
    if (local.x == 0 && local.y == 0)
        return true;
    double width = def->azimuth_to_deg - def->azimuth_from_deg;
    if (width < 360) {
        width = fmod(width, 360);
        width += width < 0 ? 360 : 0;
        double turn = fmod(lf__atan2_deg(local.x, local.y) - def->azimuth_from_deg, 360);
        turn += turn < 0 ? 360 : 0;
        if (!(turn <= width + 1e-9 || turn >= 360 - 1e-9))
            return false;
    }
    double pitch = globe_pitch(view, local);
    return pitch >= def->pitch_low_deg - 1e-9 && pitch <= def->pitch_high_deg + 1e-9;
}

static lf_vec3 world_target(const lf__viewshed *view, int64_t i, int64_t j, double height) {
    return lf__targets_point(view->world, &view->def.rules.ellipsoid, lf__viewshed_place(view, i, j), height);
}

/// Is a target at this height within the limits?
static bool world_within(const lf__viewshed *view, int64_t i, int64_t j, double height) {
    if (!view->limited)
        return true;
    return view->world->globe ? globe_within(view, world_target(view, i, j, height))
                              : lf__viewshed_within(view, i, j, height);
}

// ---------------------------------------------------------------------------------------------------
// Visibility
// ---------------------------------------------------------------------------------------------------

/// A run over the rows of the window.
typedef struct world_run {
    const lf__viewshed *view;
    bool culled; ///< open targets are marked with LF__TARGET_OPEN
    lf__byte_plane seen;
    int64_t counts[5], walked;
} world_run;

static void world_count(world_run *r, const uint8_t *bytes, int64_t walked) {
    int64_t counts[5] = {0};
    lf__viewshed_count_row(bytes, r->view->window.columns, counts);
    __atomic_fetch_add(&r->walked, walked, __ATOMIC_RELAXED);
    for (int k = 0; k < 5; k++)
        __atomic_fetch_add(&r->counts[k], counts[k], __ATOMIC_RELAXED);
}

static lf_visibility world_line(const lf__viewshed *view, lf_vec3 target, lf_cursor *cursor) {
    return lf__seen_by(lf__sight_verdict(view->world->ground, &view->def.rules, view->point, target, cursor));
}

/// Every target has its own line. The search begins at the end where the one before was decided.
static void line_rows(void *job, int64_t first, int64_t last, int worker) {
    world_run *r = job;
    lf__viewshed view = lf__viewshed_of(r->view, worker);
    lf_window w = view.window;
    lf__grid_task_scratch hall;
    lf_cursor cursor = lf__scratch_cursor(&hall);
    view.def.rules.search = LF_SEARCH_LAST;
    for (int64_t row = first; row < last; row++) {
        uint8_t *bytes = r->seen.bytes + row * r->seen.row_step;
        int64_t walked = 0;
        for (int64_t column = 0; column < w.columns; column++) {
            int64_t i = w.column + column, j = w.row + row;
            double height = lf__targets_ground(&view, i, j) + view.def.target;
            bytes[column] = LF_VISIBILITY_VOID;
            if (isnan(height))
                continue;
            bytes[column] = LF_VISIBILITY_BEYOND;
            if (!world_within(&view, i, j, height))
                continue;
            bytes[column] = (uint8_t)world_line(&view, world_target(&view, i, j, height), &cursor);
            walked++;
        }
        world_count(r, bytes, walked);
    }
}

/// What the terrain says of the line to a target that no obstacle hides.
static lf_visibility terrain_line(const lf__viewshed *view, const lf__sight_pair *pair, lf_cursor *cursor) {
    const lf__targets *world = view->world;
    return lf__seen_by(
        lf__sight_part_verdict(world->group, world->terrain_part, pair, view->def.rules.layers, cursor));
}

/// An open target; `seen` is what the terrain says. last: the part that hid the one before, or -1.
static uint8_t see_open(const world_run *r, const lf__viewshed *view, int64_t column, int64_t row,
                        uint8_t seen, int64_t *last, lf_cursor *cursor) {
    const lf__targets *world = view->world;
    int64_t i = view->window.column + column, j = view->window.row + row;
    // The terrain has not been asked for a target on a roof, or exactly above or below the observer.
    bool alone = view->eye.x == (double)i && view->eye.y == (double)j;
    double ground = lf__targets_roofed(world, column, row) ? lf__targets_roof(world, column, row) : LF_NAN;
    if (isnan(ground)) {
        if (seen != LF_VISIBILITY_VISIBLE && seen != LF_VISIBILITY_UNKNOWN &&
            !(alone && seen <= LF_VISIBILITY_UNKNOWN))
            return seen;
        ground = lf__grid_height(view->grid, i, j);
    } else {
        alone = true;
    }
    double height = ground + view->def.target;
    if (alone && !world_within(view, i, j, height))
        return LF_VISIBILITY_BEYOND;
    lf_vec3 target = world_target(view, i, j, height);
    lf__sight_pair pair;
    lf__sight_pair_make(world->ground, &view->def.rules, view->point, target, false, &pair);
    if (lf__sight_parts_block(world->group, &pair, last, cursor))
        return LF_VISIBILITY_HIDDEN;
    if (!alone)
        return seen;
    return (uint8_t)(r->culled ? terrain_line(view, &pair, cursor) : world_line(view, target, cursor));
}

/// After the terrain has been swept: what other parts hide, and targets on roofs.
static void obstacle_rows(void *job, int64_t first, int64_t last_row, int worker) {
    world_run *r = job;
    lf__viewshed view = lf__viewshed_of(r->view, worker);
    lf__grid_task_scratch hall;
    lf_cursor cursor = lf__scratch_cursor(&hall);
    int64_t last = -1;
    for (int64_t row = first; row < last_row; row++) {
        uint8_t *bytes = r->seen.bytes + row * r->seen.row_step;
        int64_t walked = 0;
        for (int64_t column = 0; column < view.window.columns; column++) {
            if (r->culled && !(bytes[column] & LF__TARGET_OPEN))
                continue;
            uint8_t seen = bytes[column] & (LF__TARGET_OPEN - 1);
            bytes[column] = see_open(r, &view, column, row, seen, &last, &cursor);
            walked++;
        }
        world_count(r, bytes, walked);
    }
}

/// The terrain alone. If it does not block, everything within the limits is visible.
static lf_status run_terrain(const lf__viewshed *view, double raise, lf__byte_plane seen, int64_t *walked) {
    lf__viewshed alone = *view;
    lf_viewshed_stats found = {0};
    alone.world = NULL;
    alone.def.target += raise;
    if (view->world->terrain_blocks) {
        lf_status status = lf__viewshed_run(&alone, seen, &found);
        *walked += found.walked;
        return status;
    }
    lf_window w = view->window;
    for (int64_t row = 0; row < w.rows; row++)
        for (int64_t column = 0; column < w.columns; column++) {
            int64_t i = w.column + column, j = w.row + row;
            bool bare = lf__grid_bare(view->grid, i, j);
            double height = bare ? 0 : lf__grid_height(view->grid, i, j) + view->def.target;
            seen.bytes[row * seen.row_step + column] = bare ? LF_VISIBILITY_VOID
                                                       : world_within(view, i, j, height)
                                                           ? LF_VISIBILITY_VISIBLE
                                                           : LF_VISIBILITY_BEYOND;
        }
    return LF_OK;
}

/// Hide what is surely hidden.
static lf_status cull_targets(world_run *r) {
    const lf__viewshed *view = r->view;
    const lf__targets *world = view->world;
    int64_t samples = view->window.columns * view->window.rows;
    bool raises = world->roof_tops && world->terrain_blocks && !view->limited;
    void *raised = NULL;
    lf_status status = raises ? lf__allocate_array(&world->allocator, samples, 1, &raised) : LF_OK;
    if (status == LF_OK && raises)
        status =
            run_terrain(view, world->roof_most, (lf__byte_plane){raised, view->window.columns}, &r->walked);
    if (status == LF_OK)
        status = lf__targets_cull(view, r->seen, raised);
    lf__free_array(&world->allocator, raised, raised ? samples : 0, 1);
    return status;
}

lf_status lf__targets_run(const lf__viewshed *view, lf__byte_plane seen, lf_viewshed_stats *stats) {
    world_run r = {.view = view, .seen = seen};
    lf_status status = LF_OK;
    if (view->world->terrain) {
        r.culled = view->def.rules.units == LF_MAP_METRES;
        status = run_terrain(view, 0, seen, &r.walked);
        if (status == LF_OK && r.culled)
            status = cull_targets(&r);
        if (status == LF_OK)
            status = lf__viewshed_rows(view, "obstacles", view->window.rows, obstacle_rows, &r);
    } else {
        status = lf__viewshed_rows(view, "lines", view->window.rows, line_rows, &r);
    }
    if (status == LF_OK)
        status = lf__ground_status(view->world->ground, LF_OK);
    if (status != LF_OK || !stats)
        return status;
    stats->walked += r.walked;
    for (int k = 0; k < 5; k++)
        stats->counts[k] += r.counts[k];
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Values
// ---------------------------------------------------------------------------------------------------

/// Metres by which a target is raised beyond the height that is just seen, before its line is tested.
#define LEAST_MARGIN 1e-6
#define LEAST_STEPS 64

/// Height above the ground of something that appears at the lowest pitch, as lf__viewshed_raise.
static double world_raise(const lf__viewshed *view, int64_t i, int64_t j, double ground,
                          double pitch_low_deg) {
    if (!(pitch_low_deg > -90))
        return -LF_INFINITY;
    if (!(pitch_low_deg < 90))
        return LF_NAN;
    const lf_curvature *curvature = &view->def.rules.curvature;
    double slope = tan(pitch_low_deg * LF__DEGREE);
    if (!view->world->globe) {
        double distance = lf__viewshed_distance(view, lf__viewshed_place(view, i, j));
        slope += curvature->coefficient * distance / (2 * curvature->radius);
        return distance == 0 ? -LF_INFINITY : view->z - ground + distance * slope;
    }
    // Straight up from the ground, whose up differs from the observer's: two linear equations, and then the
    // bend.
    lf_vec3 foot = from_observer(view, world_target(view, i, j, ground)),
            top = from_observer(view, world_target(view, i, j, ground + 1)), up = lf_vec3_sub(top, foot);
    double raise = -LF_INFINITY;
    for (int k = 0; k < 4; k++) { // the bend depends on the distance, which hardly changes
        lf_vec3 at = lf_vec3_along(foot, isfinite(raise) ? raise : 0, up);
        double level = sqrt(at.x * at.x + at.y * at.y), length = lf_vec3_length(at);
        if (level == 0)
            return -LF_INFINITY;
        double bent =
            curvature->coefficient == 0 ? 0 : (1 - curvature->coefficient) * length / (2 * curvature->radius);
        double want = tan(pitch_low_deg * LF__DEGREE - bent);
        raise = (isfinite(raise) ? raise : 0) + (level * want - at.z) / up.z;
    }
    return raise;
}

/// How far a target has to be above the ground to be seen over everything between; NAN: unknown, because of a void.
static double world_least(const lf__viewshed *view, int64_t i, int64_t j, double ground, double raise) {
    const lf_sight_rules *rules = &view->def.rules;
    const lf_ground *all = view->world->ground;
    lf_vec3 target = world_target(view, i, j, ground);
    lf__sight_pair pair;
    lf_sight sight;
    lf__sight_pair_make(all, rules, view->point, target, true, &pair);
    lf__sight_detail detail = lf__sight_detail_start(pair.turned, 0);
    detail.only_lower = true;
    lf__sight_pair_detail(all, &pair, &detail, NULL);
    lf__sight_detail_report(&detail, &sight);
    double least = fmax(isfinite(sight.raise) ? fmax(sight.raise, 0) : 0, raise);
    double high = least + LEAST_MARGIN, low = least;
    lf_visibility seen = world_line(view, world_target(view, i, j, ground + high), NULL);
    if (seen == LF_VISIBILITY_UNKNOWN)
        return LF_NAN;
    if (seen == LF_VISIBILITY_VISIBLE)
        return least;
    if (sight.raise == LF_INFINITY) // from below ground
        return LF_INFINITY;
    // Walls have no height above their foot: by halving.
    lf_box box = all->kind->box(all->object);
    double size = box.high.z - box.low.z + 1;
    for (int k = 0; k < LEAST_STEPS && seen == LF_VISIBILITY_HIDDEN; k++) {
        low = high;
        high = high < size ? 2 * high + 1 : 4 * high;
        seen = world_line(view, world_target(view, i, j, ground + high), NULL);
    }
    if (seen != LF_VISIBILITY_VISIBLE)
        return seen == LF_VISIBILITY_UNKNOWN ? LF_NAN : LF_INFINITY;
    for (int k = 0; k < LEAST_STEPS && high - low > LEAST_MARGIN; k++) {
        double middle = 0.5 * (low + high);
        *(world_line(view, world_target(view, i, j, ground + middle), NULL) == LF_VISIBILITY_VISIBLE ? &high
                                                                                                     : &low) =
            middle;
    }
    return high;
}

double lf__targets_number(const lf__viewshed *view, int64_t i, int64_t j, lf_viewshed_mode which,
                          double pitch_low, lf_visibility seen, int64_t *walked) {
    double ground = lf__targets_ground(view, i, j);
    if (which == LF_VIEWSHED_GROUND || which == LF_VIEWSHED_DEM) {
        if (seen == LF_VISIBILITY_VOID || seen == LF_VISIBILITY_BEYOND)
            return LF_NAN;
        double raise = world_raise(view, i, j, ground, pitch_low),
               base = which == LF_VIEWSHED_DEM ? ground : 0;
        if (isnan(raise))
            return LF_NAN;
        if (seen == LF_VISIBILITY_VISIBLE)
            return base + fmax(0, raise);
        ++*walked;
        return base + world_least(view, i, j, ground, raise);
    }
    if (seen != LF_VISIBILITY_VISIBLE)
        return LF_NAN;
    if (view->world->globe) {
        lf_vec3 local = from_observer(view, world_target(view, i, j, ground + view->def.target));
        return which == LF_VIEWSHED_DISTANCE ? lf_vec3_length(local) : globe_pitch(view, local);
    }
    double distance = lf__viewshed_distance(view, lf__viewshed_place(view, i, j));
    return which == LF_VIEWSHED_DISTANCE ? distance
                                         : lf__viewshed_pitch(view, distance, ground + view->def.target);
}
