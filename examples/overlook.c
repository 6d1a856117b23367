/// Seeing over generated hills: who sees whom, what a tower sees, where the skyline is and when the sun is behind it.
///
///     overlook
#include <landfall/io.h>
#include <landfall/landfall.h>
#include <landfall/omp.h>
#include <samples.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 200 };

/// Two people, each on the ground, two metres tall.
static lf_status meet(const lf_ground *ground, lf_vec2 here, lf_vec2 there) {
    lf_sight_rules rules = lf_sight_rules_default();
    lf_vec3 a, b;
    lf_sight sight;
    lf_reason reason;
    rules.curvature.coefficient = LF_CURVATURE_LIGHT;
    rules.detail = true;
    lf_status status = lf_sight_observer(ground, here, 2, &a, &reason);
    if (status == LF_OK)
        status = lf_sight_observer(ground, there, 2, &b, &reason);
    if (status == LF_OK)
        status = lf_sight_between(ground, &rules, a, b, &sight, NULL);
    if (status == LF_OK)
        printf("over %.0f m the view is %s: the other would have to be %.1f m higher\n", sight.length,
               lf_verdict_name(sight.verdict), sight.raise);
    return status;
}

/// Every sample of the grid, asked as above, on all cores.
static lf_status look_around(const lf_grid *grid, lf_vec2 at, double height) {
    lf_tasks tasks = lf_tasks_openmp(0);
    lf_viewshed_def def = lf_viewshed_def_default();
    lf_observer observer = {at, height, false};
    lf_viewshed_stats stats;
    uint8_t *seen = malloc((size_t)SIDE * SIDE);
    def.host.tasks = &tasks;
    lf_status status = seen ? lf_viewshed_visible(lf_grid_ground(grid), &def, &observer, lf_grid_window(grid),
                                                  seen, 0, &stats, NULL)
                            : LF_NO_MEMORY;
    if (status == LF_OK)
        printf("from %.0f m up one sees %lld of %d samples\n", height,
               (long long)stats.counts[LF_VISIBILITY_VISIBLE], SIDE * SIDE);
    free(seen);
    return status;
}

/// Is the sun behind the hills, this evening in the Alps?
static lf_status watch_sunset(const lf_grid *grid, lf_vec3 eye) {
    double time;
    lf_sun sun;
    lf_horizon horizon;
    lf_sight_rules rules = lf_sight_rules_default();
    lf_status status = lf_time_read("2026-06-21T18:30+02:00", &time, NULL);
    if (status == LF_OK)
        status = lf_sun_at(8.0, 46.9, time, true, &sun);
    if (status == LF_OK)
        status =
            lf_horizon_at(lf_grid_ground(grid), &rules, eye, sun.azimuth_deg, LF_INFINITY, &horizon, NULL);
    if (status == LF_OK)
        printf("the sun stands %.1f degrees high, the skyline below it at %.1f: %s\n", sun.altitude_deg,
               horizon.elevation_deg, sun.altitude_deg > horizon.elevation_deg ? "light" : "shade");
    return status;
}

int main(void) {
    lf_make_heights_def make = lf_make_heights_def_default();
    lf_grid_def def = lf_grid_def_default();
    lf_made_heights *made = NULL;
    lf_grid *grid = NULL;
    const lf_ground *ground = NULL;
    lf_error error = {0};
    lf_vec3 eye = {0, 0, 0};
    lf_reason reason;
    make.landscape = LF_LANDSCAPE_HILLS;
    make.columns = make.rows = SIDE;
    lf_status status = lf_make_heights(&make, &made, &error);
    if (status == LF_OK) {
        lf_heights heights = lf_made_heights_view(made);
        def.samples.values = heights.values;
        def.samples.columns = heights.columns;
        def.samples.rows = heights.rows;
        def.geotransform =
            (lf_geotransform){{heights.x_low, heights.y_low}, {heights.spacing, 0}, {0, heights.spacing}};
        status = lf_grid_create(&def, &grid, &error);
    }
    if (status == LF_OK)
        ground = lf_grid_ground(grid);
    if (status == LF_OK)
        status = meet(ground, (lf_vec2){500, 500}, (lf_vec2){5000, 4000});
    for (double height = 2; status == LF_OK && height <= 50; height *= 5)
        status = look_around(grid, (lf_vec2){3000, 3000}, height);
    if (status == LF_OK)
        status = lf_sight_observer(ground, (lf_vec2){3000, 3000}, 2, &eye, &reason);
    if (status == LF_OK)
        status = watch_sunset(grid, eye);
    lf_grid_destroy(grid);
    lf_made_heights_destroy(made);
    if (status != LF_OK)
        fprintf(stderr, "overlook: %s\n", error.text[0] ? error.text : lf_status_text(status));
    return status == LF_OK ? 0 : 2;
}
