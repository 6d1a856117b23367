/// A grid of a file as ground: before a question is handed on, whatever it comes near is checked.
#include "grid/guard.h"
#include "grid/grid_ground.h"

static const lf__ground_kind_of *kind_of(const void *thing) {
    return ((const lf_grid *)thing)->packed ? &lf__packed_kind : &lf__grid_kind;
}

static lf_box box(const void *thing) {
    return lf__grid_kind.box(thing);
}

static const lf_frame *frame(const void *thing) {
    return lf__grid_kind.frame(thing);
}

static bool takes_infinity(const void *thing) {
    return lf__grid_kind.takes_infinity(thing);
}

static void touch(const void *thing, lf_vec3 point) {
    const lf_grid *grid = thing;
    lf__grid_touch_place(grid, lf__grid_place(grid, point.x, point.y));
}

static void height(const void *thing, const lf_vec3 *point, bool down, lf_hit *hit, lf_cursor *cursor) {
    touch(thing, *point);
    kind_of(thing)->height(thing, point, down, hit, cursor);
}

static int64_t height_all(const void *thing, lf_vec3 point, lf_hit *hits, int64_t capacity,
                          lf_cursor *cursor) {
    touch(thing, point);
    return kind_of(thing)->height_all(thing, point, hits, capacity, cursor);
}

/// Of an element: it may be none that is near the point.
static bool weights(const void *thing, lf_hit *hit) {
    const lf_grid *grid = thing;
    int64_t columns = grid->cell_columns;
    touch(thing, hit->point);
    lf__grid_touch_place(grid, (lf_vec2){(double)(hit->element % columns), (double)(hit->element / columns)});
    return kind_of(thing)->weights(thing, hit);
}

static double bend(const void *thing, const lf_hit *hit, const lf__track *track) {
    touch(thing, hit->point);
    return kind_of(thing)->bend(thing, hit, track);
}

static void ray_first(const void *thing, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor) {
    lf__grid_touch_ray(thing, ray);
    kind_of(thing)->ray_first(thing, ray, hit, cursor);
}

static bool ray_any(const void *thing, const lf_ray *ray, lf_cursor *cursor) {
    lf__grid_touch_ray(thing, ray);
    return kind_of(thing)->ray_any(thing, ray, cursor);
}

static int64_t ray_all(const void *thing, const lf_ray *ray, lf_hit *hits, int64_t capacity,
                       lf_cursor *cursor) {
    lf__grid_touch_ray(thing, ray);
    return kind_of(thing)->ray_all(thing, ray, hits, capacity, cursor);
}

static bool line_first(const void *thing, const lf_ray *line, lf_hit *hit, lf_cursor *cursor) {
    lf__grid_touch_ray(thing, line);
    return kind_of(thing)->line_first(thing, line, hit, cursor);
}

static void each(const void *thing, const lf_ray *ray, lf__each how, const lf__finder *finder,
                 lf_cursor *cursor) {
    lf__grid_touch_ray(thing, ray);
    kind_of(thing)->each(thing, ray, how, finder, cursor);
}

// ---------------------------------------------------------------------------------------------------
// Many at once
// ---------------------------------------------------------------------------------------------------

static const void *at(const void *first, size_t stride, int64_t index) {
    return (const char *)first + (size_t)index * stride;
}

/// A box of the world.
typedef struct area {
    lf_vec2 low, high;
} area;

static inline void area_add(area *a, double x, double y) {
    a->low.x = x < a->low.x ? x : a->low.x;
    a->low.y = y < a->low.y ? y : a->low.y;
    a->high.x = x > a->high.x ? x : a->high.x;
    a->high.y = y > a->high.y ? y : a->high.y;
}

static area area_start(void) {
    return (area){{LF_INFINITY, LF_INFINITY}, {-LF_INFINITY, -LF_INFINITY}};
}

static void area_join(area *a, const area *b) {
    area_add(a, b->low.x, b->low.y);
    area_add(a, b->high.x, b->high.y);
}

/// Is all of it known? In columns and rows it may lie askew, and reaches as far as its corners.
static bool knows(const lf_grid *grid, const area *all) {
    lf_vec2 middle = lf__grid_place(grid, 0.5 * (all->low.x + all->high.x), 0.5 * (all->low.y + all->high.y));
    double x = 0.5 * (all->high.x - all->low.x) * (1 + 1e-9),
           y = 0.5 * (all->high.y - all->low.y) * (1 + 1e-9);
    lf_vec2 reach = {fabs(grid->a) * x + fabs(grid->b) * y, fabs(grid->c) * x + fabs(grid->d) * y};
    return lf__guard_knows(grid, (lf_vec2){middle.x - reach.x, middle.y - reach.y},
                           (lf_vec2){middle.x + reach.x, middle.y + reach.y});
}

/// What lies within all that is known is not looked at one by one. Two boxes, so that one need not wait for the other.
static void touch_points(const lf_grid *grid, const lf_vec3 *points, size_t stride, int64_t count) {
    if (!lf__guard_open(grid) || count == 0)
        return;
    area all = area_start(), odd = area_start();
    for (int64_t k = 0; k + 1 < count; k += 2) {
        const lf_vec3 *p = at(points, stride, k), *q = at(points, stride, k + 1);
        area_add(&all, p->x, p->y);
        area_add(&odd, q->x, q->y);
    }
    const lf_vec3 *last = at(points, stride, count - 1);
    area_add(&all, last->x, last->y);
    area_join(&all, count > 1 ? &odd : &all);
    if (knows(grid, &all))
        return;
    for (int64_t k = 0; k < count && lf__guard_open(grid); k++)
        touch(grid, *(const lf_vec3 *)at(points, stride, k));
}

/// The same for rays; one without an end makes the box infinite, and that is never known.
static void touch_rays(const lf_grid *grid, const lf_ray *rays, size_t stride, int64_t count) {
    if (!lf__guard_open(grid) || count == 0)
        return;
    area from = area_start(), to = area_start();
    bool ends = true;
    for (int64_t k = 0; k < count; k++) {
        const lf_ray *r = at(rays, stride, k);
        ends &= (r->t_min >= 0) & (r->t_max < LF_INFINITY);
        area_add(&from, r->origin.x, r->origin.y);
        area_add(&to, r->origin.x + r->t_max * r->direction.x, r->origin.y + r->t_max * r->direction.y);
    }
    area_join(&from, &to);
    if (ends && knows(grid, &from))
        return;
    for (int64_t k = 0; k < count && lf__guard_open(grid); k++)
        lf__grid_touch_ray(grid, at(rays, stride, k));
}

static void heights_many(const void *thing, const lf_vec3 *points, size_t point_stride, int64_t count,
                         bool down, double *heights, size_t height_stride) {
    touch_points(thing, points, point_stride, count);
    kind_of(thing)->heights_many(thing, points, point_stride, count, down, heights, height_stride);
}

static void ray_first_many(const void *thing, const lf_ray *rays, size_t ray_stride, int64_t count,
                           lf_hit *hits, size_t hit_stride) {
    touch_rays(thing, rays, ray_stride, count);
    kind_of(thing)->ray_first_many(thing, rays, ray_stride, count, hits, hit_stride);
}

/// Visits of blocks check these themselves.
static void cuts(const void *thing, const lf__track *track, lf__cuts *wanted, lf_cursor *cursor) {
    kind_of(thing)->cuts(thing, track, wanted, cursor);
}

static void spread(const void *thing, const lf_pose *pose, lf__cone *cone) {
    kind_of(thing)->spread(thing, pose, cone);
}

static bool damaged(const void *thing) {
    return lf__grid_told(thing, LF_OK) != LF_OK;
}

const lf__ground_kind_of lf__file_kind = {
    .kind = LF_GROUND_GRID,
    .box = box,
    .frame = frame,
    .takes_infinity = takes_infinity,
    .height = height,
    .height_all = height_all,
    .weights = weights,
    .ray_first = ray_first,
    .heights_many = heights_many,
    .ray_first_many = ray_first_many,
    .ray_any = ray_any,
    .ray_all = ray_all,
    .line_first = line_first,
    .each = each,
    .cuts = cuts,
    .bend = bend,
    .spread = spread,
    .touches = lf__grid_touches,
    .depth = lf__grid_depth,
    .faces = lf__grid_faces,
    .spacing = lf__grid_spacing,
    .least = lf__grid_least,
    .grid = lf__grid_of_ground,
    .damaged = damaged,
};
