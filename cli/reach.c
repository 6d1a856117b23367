#include "reach.h"
#include "sight_rules.h"
#include "tile_copy.h"
#include <math.h>

#define STRETCH 128.0     // samples of a line that are bounded together
#define MOST_PIECES 900.0 // of all lines; there are windows for their ends besides

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
    pieces = fmin(pieces, ceil(reach->copies > 0 ? reach->pieces / 6 : reach->pieces));
    for (int k = 0; k < (int)pieces; k++) {
        double t0 = from + (to - from) * (k / pieces), t1 = from + (to - from) * ((k + 1) / pieces);
        lf_vec2 a = {at.x + t0 * way.x, at.y + t0 * way.y}, b = {at.x + t1 * way.x, at.y + t1 * way.y};
        reach_box(reach, (lf_vec2){fmin(a.x, b.x) - 1, fmin(a.y, b.y) - 1},
                  (lf_vec2){fmax(a.x, b.x) + 1, fmax(a.y, b.y) + 1});
    }
}

void reach_points(reach *reach, const lf_vec3 *points, int64_t count, double metres) {
    const lf_grid *grid = reach->run->ground.grid;
    lf_vec2 low = {LF_INFINITY, LF_INFINITY}, high = {-LF_INFINITY, -LF_INFINITY};
    reach->all |= metres > 0 && ground_in_degrees(&reach->run->ground);
    for (int64_t k = 0; k < 4 * count; k++) {
        lf_vec2 corner = {points[k / 4].x + (k & 1 ? metres : -metres),
                          points[k / 4].y + (k & 2 ? metres : -metres)};
        lf_vec2 place = lf_grid_locate(grid, corner);
        reach->all |= reach->copies > 0 && count > 1; // between two points the way may be over the seam
        if (!isfinite(place.x) || !isfinite(place.y))
            continue; // refused later
        low = (lf_vec2){fmin(low.x, place.x), fmin(low.y, place.y)};
        high = (lf_vec2){fmax(high.x, place.x), fmax(high.y, place.y)};
    }
    if (low.x <= high.x)
        reach_box(reach, (lf_vec2){low.x - 1, low.y - 1}, (lf_vec2){high.x + 1, high.y + 1});
}

void reach_file(reach *reach, const char *path, double eye) {
    observers places = {0};
    reach->failed = !observers_from_file(reach->run, path, eye, &places);
    lf_vec3 *points = allocate((size_t)places.count + 1, sizeof *points);
    for (int64_t i = 0; i < places.count; i++)
        points[i] = (lf_vec3){places.at[i].x, places.at[i].y, 0};
    if (!reach->failed)
        reach_points(reach, points, places.count, 0);
    observers_free(&places);
}

void reach_range(reach *reach, lf_vec2 at, double range) {
    lf_viewshed_def def = lf_viewshed_def_default();
    def.rules = sight_rules_of(reach->run);
    def.range_max = range;
    lf_window near = lf_viewshed_window(lf_grid_ground(reach->run->ground.grid), &def, at);
    if (near.columns > 0)
        reach_box(reach, (lf_vec2){(double)near.column - 1, (double)near.row - 1},
                  (lf_vec2){(double)(near.column + near.columns), (double)(near.row + near.rows)});
    reach_point(reach, (lf_vec3){at.x, at.y, 0});
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
    *reach = (struct reach){.run = run, .pieces = MOST_PIECES};
    def->reach = find_windows;
    def->reach_user = reach;
    // Sight passes voids below the highest height of all, unless --holes says otherwise.
    def->reach_solid =
        run->reach_sight && options_choice(&run->given, "holes", LF_VOIDS_UNKNOWN) != LF_VOIDS_PASS;
}
