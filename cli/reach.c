#include "reach.h"
#include "tile_copy.h"
#include <math.h>

#define STRETCH 128.0 // samples of a line that are bounded together

static void add_window(reach *reach, lf_vec2 low, lf_vec2 high) {
    lf_window whole = lf_grid_window(reach->run->ground.grid);
    const double beyond = 4; // farther than any sample that a query at the border looks at
    if (!(high.x >= -beyond && low.x <= (double)whole.columns + beyond && high.y >= -beyond &&
          low.y <= (double)whole.rows + beyond))
        return; // also where a place has no coordinates
    if (reach->count == LF_RASTER_WINDOWS) {
        reach->all = true;
        return;
    }
    low = (lf_vec2){floor(fmax(low.x, -beyond)), floor(fmax(low.y, -beyond))};
    high = (lf_vec2){ceil(fmin(high.x, (double)whole.columns + beyond)),
                     ceil(fmin(high.y, (double)whole.rows + beyond))};
    reach->windows[reach->count++] = (lf_window){
        (int64_t)low.x, (int64_t)low.y, (int64_t)(high.x - low.x) + 1, (int64_t)(high.y - low.y) + 1};
}

void reach_box(reach *reach, lf_vec2 low, lf_vec2 high) {
    const int turns = reach->copies > 0 ? 2 : 0;
    for (int k = -turns; k <= turns; k++)
        add_window(reach, (lf_vec2){low.x + k * reach->copies - (k != 0), low.y},
                   (lf_vec2){high.x + k * reach->copies + (k != 0), high.y});
}

void reach_point(reach *reach, lf_vec3 point) {
    lf_vec2 place = lf_grid_locate(reach->run->ground.grid, (lf_vec2){point.x, point.y});
    reach_box(reach, (lf_vec2){place.x - 1, place.y - 1}, (lf_vec2){place.x + 1, place.y + 1});
}

/// The part of a line from..to on which one coordinate, at + t * way, is within low and high.
static void clip(double at, double way, double low, double high, double *from, double *to) {
    if (way == 0) {
        if (!(at >= low && at <= high))
            *from = LF_INFINITY;
        return;
    }
    double a = (low - at) / way, b = (high - at) / way;
    *from = fmax(*from, fmin(a, b));
    *to = fmin(*to, fmax(a, b));
}

void reach_ray(reach *reach, const lf_ray *ray) {
    const lf_grid *grid = reach->run->ground.grid;
    lf_geotransform place = lf_grid_describe(grid).geotransform;
    lf_window whole = lf_grid_window(grid);
    lf_vec2 pc = place.per_column, pr = place.per_row;
    double det = pc.x * pr.y - pc.y * pr.x, from = ray->t_min, to = ray->t_max;
    lf_vec2 at = lf_grid_locate(grid, (lf_vec2){ray->origin.x, ray->origin.y});
    lf_vec2 way = {(ray->direction.x * pr.y - ray->direction.y * pr.x) / det,
                   (ray->direction.y * pc.x - ray->direction.x * pc.y) / det};
    clip(at.y, way.y, -8, (double)whole.rows + 8, &from, &to);
    if (reach->copies == 0)
        clip(at.x, way.x, -8, (double)whole.columns + 8, &from, &to);
    if (!isfinite(from) || !isfinite(to) || from > to)
        reach->all = reach->all || (from <= to && (way.x != 0 || way.y != 0));
    if (way.x == 0 && way.y == 0)
        from = to = 0; // straight up or down
    if (!(from <= to) || reach->all)
        return;
    double length = fmax(fabs(way.x), fabs(way.y)) * (to - from), pieces = fmax(1, ceil(length / STRETCH));
    pieces = fmin(pieces, reach->copies > 0 ? 150 : 900);
    for (int k = 0; k < (int)pieces; k++) {
        double t0 = from + (to - from) * (k / pieces), t1 = from + (to - from) * ((k + 1) / pieces);
        lf_vec2 a = {at.x + t0 * way.x, at.y + t0 * way.y}, b = {at.x + t1 * way.x, at.y + t1 * way.y};
        reach_box(reach, (lf_vec2){fmin(a.x, b.x) - 1, fmin(a.y, b.y) - 1},
                  (lf_vec2){fmax(a.x, b.x) + 1, fmax(a.y, b.y) + 1});
    }
}

/// Ask the question with a grid that has no samples. The run has it as its ground meanwhile.
static int64_t find_windows(void *user, const lf_raster *raster, lf_window *windows) {
    reach *reach = user;
    cli *run = reach->run;
    loaded *ground = &run->ground;
    lf_grid_def def = lf_raster_grid_def(raster);
    def.host = run->host;
    def.surface = (lf_surface)options_choice(&run->given, "surface", LF_SURFACE_FALLING);
    if (lf_grid_create(&def, &ground->grid, NULL) != LF_OK)
        return -1;
    ground->ground = lf_grid_ground(ground->grid);
    ground->about = lf_raster_describe(raster);
    bool copied = tile_copy_is_complete(run->copy);
    reach->windows = copied ? run->copy->windows : windows;
    reach->copies = def.turn > 0 ? def.turn / fabs(def.geotransform.per_column.x) : 0;
    reach->failed = !coordinates_start(run);
    if (!reach->failed)
        run->reach(reach, run->reach_user);
    coordinates_end(&run->coordinates);
    lf_grid_destroy(ground->grid);
    *ground = (loaded){0};
    if (copied) { // nothing is read
        run->copy->count = reach->count;
        return 0;
    }
    return reach->failed ? 0 : reach->all ? -1 : reach->count;
}

void reach_start(cli *run, lf_raster_def *def, reach *reach) {
    *reach = (struct reach){.run = run};
    def->reach = find_windows;
    def->reach_user = reach;
    // Sight passes voids below the highest height of all, unless --holes says otherwise.
    def->reach_solid =
        run->reach_sight && options_choice(&run->given, "holes", LF_VOIDS_UNKNOWN) != LF_VOIDS_PASS;
}
