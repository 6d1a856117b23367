/// Checks of the blocks that many points or rays read, all at once.
#include "base/base.h"
#include "grid/guard.h"
#include "grid/packed.h"

/// A box of the world.
typedef struct guard_area {
    lf_vec2 low, high;
} guard_area;

static inline void guard_area_add(guard_area *a, double x, double y) {
    a->low.x = x < a->low.x ? x : a->low.x;
    a->low.y = y < a->low.y ? y : a->low.y;
    a->high.x = x > a->high.x ? x : a->high.x;
    a->high.y = y > a->high.y ? y : a->high.y;
}

static guard_area guard_area_start(void) {
    return (guard_area){{LF_INFINITY, LF_INFINITY}, {-LF_INFINITY, -LF_INFINITY}};
}

static void guard_area_join(guard_area *a, const guard_area *b) {
    guard_area_add(a, b->low.x, b->low.y);
    guard_area_add(a, b->high.x, b->high.y);
}

/// Is a box within the known blocks? Its bounding box in columns and rows counts.
static bool guard_knows_area(const lf_grid *grid, const guard_area *all) {
    lf_vec2 middle = lf__grid_place(grid, 0.5 * (all->low.x + all->high.x), 0.5 * (all->low.y + all->high.y));
    double x = 0.5 * (all->high.x - all->low.x) * (1 + 1e-9),
           y = 0.5 * (all->high.y - all->low.y) * (1 + 1e-9);
    lf_vec2 reach = {fabs(grid->a) * x + fabs(grid->b) * y, fabs(grid->c) * x + fabs(grid->d) * y};
    return lf__guard_knows(grid, (lf_vec2){middle.x - reach.x, middle.y - reach.y},
                           (lf_vec2){middle.x + reach.x, middle.y + reach.y});
}

/// Points are checked one by one only where their box is not known. Two boxes shorten the chain of dependent
/// operations.
void lf__grid_touch_points(const lf_grid *grid, const lf_vec3 *points, size_t stride, int64_t count) {
    if (!lf__guard_open(grid) || count == 0)
        return;
    guard_area all = guard_area_start(), odd = guard_area_start();
    for (int64_t k = 0; k + 1 < count; k += 2) {
        const lf_vec3 *p = lf__guard_item(points, stride, k), *q = lf__guard_item(points, stride, k + 1);
        guard_area_add(&all, p->x, p->y);
        guard_area_add(&odd, q->x, q->y);
    }
    const lf_vec3 *last = lf__guard_item(points, stride, count - 1);
    guard_area_add(&all, last->x, last->y);
    guard_area_join(&all, count > 1 ? &odd : &all);
    if (guard_knows_area(grid, &all))
        return;
    lf__guard_read_points(grid, points, stride, count);
    for (int64_t k = 0; k < count && lf__guard_open(grid); k++) {
        const lf_vec3 *p = lf__guard_item(points, stride, k);
        lf__grid_touch_place(grid, lf__grid_place(grid, p->x, p->y));
    }
}

/// The same for rays; an unbounded ray makes the box infinite, and that is never known.
void lf__grid_touch_rays(const lf_grid *grid, const lf_ray *rays, size_t stride, int64_t count) {
    if (!lf__guard_open(grid) || count == 0)
        return;
    guard_area from = guard_area_start(), to = guard_area_start();
    bool ends = true;
    for (int64_t k = 0; k < count; k++) {
        const lf_ray *r = lf__guard_item(rays, stride, k);
        ends &= (r->t_min >= 0) & (r->t_max < LF_INFINITY);
        guard_area_add(&from, r->origin.x, r->origin.y);
        guard_area_add(&to, r->origin.x + r->t_max * r->direction.x, r->origin.y + r->t_max * r->direction.y);
    }
    guard_area_join(&from, &to);
    if (ends && guard_knows_area(grid, &from))
        return;
    for (int64_t k = 0; k < count && lf__guard_open(grid); k++)
        lf__grid_touch_ray(grid, lf__guard_item(rays, stride, k));
}

lf_status lf__grid_secure(const lf_grid *grid, lf_vec2 low, lf_vec2 high, lf_error *error) {
    lf__grid_touch_box(grid, low, high);
    lf_status status = lf__grid_status(grid, LF_OK);
    if (status == LF_BAD_FORMAT)
        return lf__fail(error, status, -1, "the file is damaged: the checksum of a block is wrong");
    return status == LF_OK ? LF_OK : lf__fail(error, status, -1, "%s", grid->guard->paged->error.text);
}
