/// Calls of the C API with plain arguments, for tests that compare the Python package with them through ctypes.
#include <landfall/landfall.h>
#include <landfall/omp.h>

LF_API const char *ref_verdict_name(int verdict) {
    return lf_verdict_name((lf_verdict)verdict);
}

LF_API const char *ref_visibility_name(int visibility) {
    return lf_visibility_name((lf_visibility)visibility);
}

LF_API lf_grid *ref_grid(int type, const void *values, const int64_t size[2], const int64_t steps[2],
                         const double place[6], const double about[2], int surface) {
    lf_grid_def def = lf_grid_def_default();
    lf_grid *grid = NULL;
    def.samples.type = (lf_sample_type)type;
    def.samples.values = values;
    def.samples.columns = size[0];
    def.samples.rows = size[1];
    def.samples.column_step = (ptrdiff_t)steps[0];
    def.samples.row_step = (ptrdiff_t)steps[1];
    def.samples.nodata = about[0];
    def.turn = about[1];
    def.geotransform = (lf_geotransform){{place[0], place[1]}, {place[2], place[3]}, {place[4], place[5]}};
    def.surface = (lf_surface)surface;
    return lf_grid_create(&def, &grid, NULL) == LF_OK ? grid : NULL;
}

LF_API void ref_grid_destroy(lf_grid *grid) {
    lf_grid_destroy(grid);
}

LF_API lf_mesh *ref_mesh(const lf_vec3 *vertices, int64_t vertex_count, const int64_t *corners,
                         int64_t count) {
    lf_mesh_def def = lf_mesh_def_default();
    lf_mesh *mesh = NULL;
    def.polygons = (lf_polygons){
        .vertices = vertices, .vertex_count = vertex_count, .corners = corners, .polygon_count = count};
    return lf_mesh_create(&def, &mesh, NULL) == LF_OK ? mesh : NULL;
}

LF_API void ref_mesh_destroy(lf_mesh *mesh) {
    lf_mesh_destroy(mesh);
}

/// One by one, as the single calls answer.
LF_API int ref_heights(const lf_ground *ground, const lf_vec3 *points, int64_t count, int up, double *heights,
                       uint8_t *reasons) {
    for (int64_t i = 0; i < count; i++) {
        lf_hit hit;
        lf_status status =
            lf_ground_height(ground, points[i], up ? LF_VERTICAL_UP : LF_VERTICAL_DOWN, &hit, NULL);
        if (status < 0)
            return status;
        heights[i] = hit.kind == LF_HIT_NONE ? LF_NAN : hit.point.z;
        reasons[i] = (uint8_t)hit.reason;
    }
    return LF_OK;
}

LF_API int ref_rays(const lf_ground *ground, const lf_ray *rays, int64_t count, lf_hit *hits) {
    for (int64_t i = 0; i < count; i++) {
        lf_status status = lf_ground_ray_first(ground, rays + i, hits + i, NULL);
        if (status < 0)
            return status;
    }
    return LF_OK;
}

static lf_sight_rules rules_of(const double rules[4]) {
    lf_sight_rules made = lf_sight_rules_default();
    made.curvature.coefficient = rules[0];
    made.units = rules[1] != 0 ? LF_MAP_DEGREES : LF_MAP_METRES;
    made.voids = (lf_void_policy)rules[2];
    made.frequency_mhz = rules[3];
    made.detail = true;
    return made;
}

LF_API int ref_sights(const lf_ground *ground, const double rules[4], const lf_vec3 *a, const lf_vec3 *b,
                      int64_t count, lf_sight *sights, uint8_t *verdicts) {
    lf_sight_rules made = rules_of(rules);
    for (int64_t i = 0; i < count; i++) {
        lf_verdict verdict;
        lf_status status = lf_sight_between(ground, &made, a[i], b[i], sights + i, NULL);
        if (status >= 0)
            status = lf_sight_verdict(ground, &made, a[i], b[i], &verdict, NULL);
        if (status < 0)
            return status;
        verdicts[i] = (uint8_t)verdict;
    }
    return LF_OK;
}

/// mode -1: visible (bytes); 0 .. 3: values; 4: count of all observers. Rows of the grid, southernmost first.
LF_API int ref_viewshed(const lf_grid *grid, const double rules[4], const double limits[3],
                        const double *observers, int64_t count, int mode, void *out) {
    lf_viewshed_def def = lf_viewshed_def_default();
    lf_observer each[64];
    def.rules = rules_of(rules);
    def.target = limits[0];
    def.range_min = limits[1];
    def.range_max = limits[2];
    for (int64_t i = 0; i < count && i < 64; i++)
        each[i] = (lf_observer){{observers[3 * i], observers[3 * i + 1]}, observers[3 * i + 2], false};
    lf_window window = lf_grid_window(grid);
    if (mode < 0)
        return lf_viewshed_visible(lf_grid_ground(grid), &def, each, window, out, 0, NULL, NULL);
    if (mode < 4)
        return lf_viewshed_values(lf_grid_ground(grid), &def, each, (lf_viewshed_mode)mode, window, out, 0,
                                  NULL, NULL);
    return lf_viewshed_count(lf_grid_ground(grid), &def, each, count, window, out, 0, NULL, NULL);
}

/// kind 0: horizon, 1: sky view (azimuth: directions), 2: shade, 3: hours.
LF_API int ref_sky(const lf_grid *grid, const double rules[4], double height, const lf_sun *suns,
                   int64_t count, int kind, void *out) {
    lf_horizon_def def = lf_horizon_def_default();
    lf_window window = lf_grid_window(grid);
    def.rules = rules_of(rules);
    def.height = height;
    switch (kind) {
    case 0:
        return lf_horizon_map(lf_grid_ground(grid), &def, suns[0].azimuth_deg, window, out, 0, NULL);
    case 1:
        return lf_sky_view(lf_grid_ground(grid), &def, (int)suns[0].azimuth_deg, window, out, 0, NULL);
    case 2:
        return lf_sun_shade(lf_grid_ground(grid), &def, suns[0], window, out, 0, NULL);
    default:
        return lf_sun_hours(lf_grid_ground(grid), &def, suns, count, window, out, 0, NULL);
    }
}

LF_API int ref_total(const lf_grid *grid, double height, double range, int azimuths, float *area,
                     float *mean) {
    lf_total_def def = lf_total_def_default();
    lf_total_maps maps = {.area = area, .mean = mean};
    def.observer_height = height;
    def.range = range;
    def.azimuths = azimuths;
    return lf_total_viewshed(lf_grid_ground(grid), &def, lf_grid_window(grid), &maps, NULL);
}

LF_API int64_t ref_profile(const lf_ground *ground, const double rules[4], const lf_vec3 *ends, int64_t steps,
                           lf_profile_point *points, int64_t capacity) {
    lf_sight_rules made = rules_of(rules);
    int64_t count = 0;
    lf_status status = lf_sight_profile(ground, &made, ends[0], ends[1], steps, points, capacity, &count);
    return status < 0 ? status : count;
}

LF_API int ref_walk(const lf_ground *ground, const double limits[3], const lf_vec3 *ends, double answer[6]) {
    lf_walker walker = {limits[0], limits[1], limits[2]};
    lf_walk walk;
    lf_status status = lf_ground_walk(ground, &walker, ends[0], ends[1], &walk, NULL, NULL);
    answer[0] = walk.end;
    answer[1] = walk.t;
    answer[2] = walk.position.x;
    answer[3] = walk.position.y;
    answer[4] = walk.position.z;
    answer[5] = walk.step;
    return status;
}

LF_API int ref_stand(const lf_ground *ground, double base, double track, const lf_vec3 *point_heading,
                     lf_stance *stance) {
    lf_footprint footprint = lf_footprint_wheels(base, track);
    return lf_ground_stand(ground, &footprint, point_heading[0], point_heading[1], stance, NULL);
}

/// Two models: answer is touching, distance and both points. Returns how many triangles touch, or a status below 0.
LF_API int64_t ref_models(const lf_polygons *a, const lf_polygons *b, const lf_pose *pose, double answer[8],
                          lf_model_pair *pairs, int64_t capacity) {
    lf_model_def def = lf_model_def_default();
    lf_model_query query = lf_model_query_default();
    lf_model *models[2] = {NULL, NULL};
    lf_model_distance nearest = {0};
    bool touching = false;
    int64_t count = -1;
    def.polygons = *a;
    lf_status status = lf_model_create(&def, &models[0], NULL);
    def.polygons = *b;
    if (status >= 0)
        status = lf_model_create(&def, &models[1], NULL);
    query.a = models[0];
    query.b = models[1];
    query.pose_b = *pose;
    if (status >= 0 && lf_model_touch(&query, &touching, NULL) >= 0 &&
        lf_model_nearest(&query, &nearest, NULL) >= 0)
        status = lf_model_pairs(&query, pairs, capacity, &count, NULL);
    double found[8] = {touching,          nearest.distance,  nearest.point_a.x, nearest.point_a.y,
                       nearest.point_a.z, nearest.point_b.x, nearest.point_b.y, nearest.point_b.z};
    for (int i = 0; i < 8; i++)
        answer[i] = found[i];
    lf_model_destroy(models[0]);
    lf_model_destroy(models[1]);
    return status < 0 ? status : count;
}

// ---- For the benchmark: the calls that a C program would make, on all cores as the package makes them.

LF_API lf_grid *ref_bench_grid(const float *values, int64_t columns, int64_t rows, const double place[6]) {
    const int64_t size[2] = {columns, rows}, steps[2] = {4, -4 * columns};
    const double about[2] = {LF_NAN, 0};
    return ref_grid(LF_SAMPLE_FLOAT, values, size, steps, place, about, LF_SURFACE_FALLING);
}

LF_API int ref_bench_heights(const lf_grid *grid, const lf_vec3 *points, int64_t count, double *heights) {
    lf_tasks tasks = lf_tasks_openmp(0);
    return lf_ground_heights_many(lf_grid_ground(grid), points, 0, count, LF_VERTICAL_DOWN, heights, 0,
                                  &tasks);
}

LF_API int ref_bench_singles(const lf_grid *grid, const lf_vec3 *points, int64_t count, double *heights) {
    for (int64_t i = 0; i < count; i++) {
        lf_hit hit;
        lf_status status = lf_ground_height(lf_grid_ground(grid), points[i], LF_VERTICAL_DOWN, &hit, NULL);
        if (status < 0)
            return status;
        heights[i] = hit.point.z;
    }
    return LF_OK;
}

LF_API int ref_bench_rays(const lf_grid *grid, const lf_ray *rays, int64_t count, lf_hit *hits) {
    lf_tasks tasks = lf_tasks_openmp(0);
    return lf_ground_ray_first_many(lf_grid_ground(grid), rays, 0, count, hits, 0, &tasks);
}

LF_API int ref_bench_verdicts(const lf_grid *grid, const lf_vec3 *a, const lf_vec3 *b, int64_t count,
                              uint8_t *verdicts) {
    lf_tasks tasks = lf_tasks_openmp(0);
    lf_sight_rules rules = lf_sight_rules_default();
    return lf_sight_verdicts(lf_grid_ground(grid), &rules, a, 0, b, 0, count, verdicts, &tasks);
}

/// The northern row first, as arrays have it.
LF_API int ref_bench_viewshed(const lf_grid *grid, const double at[3], uint8_t *seen) {
    lf_tasks tasks = lf_tasks_openmp(0);
    lf_viewshed_def def = lf_viewshed_def_default();
    lf_observer observer = {{at[0], at[1]}, at[2], false};
    lf_window window = lf_grid_window(grid);
    def.host.tasks = &tasks;
    return lf_viewshed_visible(lf_grid_ground(grid), &def, &observer, window,
                               seen + (window.rows - 1) * window.columns, -window.columns, NULL, NULL);
}
