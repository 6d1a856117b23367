/// A survey: which samples of a raster see most, where masts cover most, where the sun is on a map, what a drone would touch, tiles cut from a raster, and a model that
/// knows its inside.
///
///     survey [MASTS.geojson]
#include <landfall/io.h>
#include <landfall/landfall.h>
#include <landfall/picture.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 64 };

static float heights[SIDE * SIDE];

/// A hill in a plain.
static lf_status make_hill(lf_grid **grid) {
    lf_grid_def def = lf_grid_def_default();
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++) {
            double x = i - 20, y = j - 30;
            heights[j * SIDE + i] = (float)(100 * exp(-(x * x + y * y) / 80));
        }
    def.samples.values = heights;
    def.samples.columns = def.samples.rows = SIDE;
    def.geotransform.per_column = (lf_vec2){30, 0};
    def.geotransform.per_row = (lf_vec2){0, 30};
    return lf_grid_create(&def, grid, NULL);
}

/// How much is seen from every sample, and how good that is.
static lf_status look_from_everywhere(const lf_grid *grid) {
    static float area[SIDE * SIDE];
    const lf_ground *ground = lf_grid_ground(grid);
    lf_total_def def = lf_total_def_default();
    lf_total_maps maps = {.area = area};
    lf_total_errors errors;
    def.range = 3000;
    def.azimuths = 180;
    lf_status status = lf_total_viewshed(ground, &def, lf_grid_window(grid), &maps, NULL);
    if (status == LF_OK)
        status = lf_total_check(ground, &def, lf_grid_window(grid), area, 0, 20, 1, &errors, NULL);
    int best = 0;
    for (int i = 1; i < SIDE * SIDE; i++)
        best = area[i] > area[best] ? i : best;
    if (status == LF_OK)
        printf("column %d, row %d sees most; areas are off by %.1f %% in the mean\n", best % SIDE,
               best / SIDE, 100 * errors.mean);
    return status;
}

/// Masts that were chosen, one after the other.
typedef struct masts {
    const lf_observer *candidates;
    const lf_site *sites;
    int64_t count, written;
} masts;

static lf_status next_mast(void *user, lf_vector_feature *feature, bool *more, lf_error *error) {
    masts *all = user;
    (void)error;
    *more = all->written < all->count;
    if (*more) {
        const lf_site *site = &all->sites[all->written++];
        lf_vec2 at = all->candidates[site->candidate].at;
        feature->a = (lf_vec3){at.x, at.y, 0};
        feature->values[0] = (lf_vector_value){.number = site->covered};
    }
    return LF_OK;
}

/// Two of nine places for masts, those that cover most together; written as points.
static lf_status choose_masts(const lf_grid *grid, const char *path) {
    lf_observer candidates[9];
    for (int k = 0; k < 9; k++)
        candidates[k] = (lf_observer){{300.0 + 600 * (k % 3), 300.0 + 600 * (k / 3)}, 10, false};
    lf_site_def def = lf_site_def_default();
    lf_site sites[2];
    int64_t count;
    def.candidates = candidates;
    def.candidate_count = 9;
    def.most = 2;
    lf_status status = lf_site_choose(lf_grid_ground(grid), &def, sites, &count, NULL, NULL);
    if (status == LF_OK)
        printf("%d masts cover %.0f samples\n", (int)count, sites[count - 1].covered);
    if (status != LF_OK || !path)
        return status;
    const lf_vector_field field = {"covered", LF_VECTOR_INTEGER};
    masts all = {candidates, sites, count, 0};
    lf_vector_def write = lf_vector_def_default();
    write.fields = &field;
    write.field_count = 1;
    write.next = next_mast;
    write.user = &all;
    status = lf_vector_write(path, &write, NULL);
    if (status == LF_OK)
        printf("%s has them as points\n", path);
    return status;
}

/// Where is the sun on a map whose north is not up?
static lf_status find_sun(void) {
    lf_crs_transform *transform;
    lf_compass compass;
    lf_vec2 place = {700000, 5200000}, lon_lat;
    lf_sun_moment moment;
    lf_sun sun;
    double time;
    lf_status status = lf_crs_transform_create("EPSG:32632", NULL, NULL, &transform, NULL);
    if (status != LF_OK)
        return status;
    lf_crs_transform_compass(transform, &place, 1, &compass, &lon_lat);
    lf_crs_transform_destroy(transform);
    status = lf_time_read("2026-06-21T12:00Z", &time, NULL);
    if (status == LF_OK)
        status = lf_sun_moment_at(time, &moment);
    if (status == LF_OK)
        status = lf_sun_over(&moment, lon_lat.x, lon_lat.y, true, &sun);
    if (status == LF_OK) {
        double on_map = lf_compass_to_map(&compass, sun.azimuth_deg);
        printf("the sun is at %.2f degrees, on the map at %.2f, which is %.2f\n", sun.azimuth_deg, on_map,
               lf_compass_to_true(&compass, on_map));
    }
    return status;
}

/// A drone of half a metre that flies at the hill.
static lf_status fly(const lf_grid *grid) {
    lf_sweep sweep = lf_sweep_sphere((lf_vec3){0, 900, 60}, 0.5, (lf_vec3){1800, 0, 0});
    lf_hit hit;
    lf_status status = lf_ground_sweep(lf_grid_ground(grid), &sweep, &hit, NULL);
    if (status == LF_OK)
        printf("the drone touches the hill after %.0f m\n", hit.t * 1800);
    return status;
}

static lf_status read_window(void *user, lf_window window, float *to, lf_error *error) {
    (void)user;
    (void)error;
    for (int64_t j = 0; j < window.rows; j++)
        for (int64_t i = 0; i < window.columns; i++)
            to[j * window.columns + i] = heights[(window.row + j) * SIDE + window.column + i];
    return LF_OK;
}

/// The same samples as tiles of a globe.
static lf_status cut_tiles(void) {
    lf_globe_raster raster = {10, 46, 0.001, 0.001, SIDE, SIDE, NULL, read_window, "hill"};
    lf_tiler_def def = lf_tiler_def_default();
    lf_globe_def globe_def = lf_globe_def_default();
    lf_globe_elevation top;
    lf_tiler *tiler;
    lf_globe *globe;
    def.rasters = &raster;
    def.raster_count = 1;
    lf_status status = lf_tiler_create(&def, &tiler, NULL);
    if (status != LF_OK)
        return status;
    globe_def.provider = lf_tiler_provider(tiler, &globe_def.level_count);
    status = lf_globe_create(&globe_def, &globe, NULL);
    if (status == LF_OK) {
        status = lf_globe_height_finest(globe, 10.020, 46.030, &top);
        if (status == LF_OK)
            printf("on the globe the hill is %.0f m high\n", top.height);
        lf_globe_destroy(globe);
    }
    lf_tiler_destroy(tiler);
    return status;
}

/// A tetrahedron and a point in it.
static lf_status look_inside(void) {
    static const lf_vec3 vertices[] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 4}};
    static const int64_t corners[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    lf_model_def def = lf_model_def_default();
    lf_model *model;
    lf_relation relation;
    def.polygons =
        (lf_polygons){.vertices = vertices, .vertex_count = 4, .corners = corners, .polygon_count = 4};
    lf_status status = lf_model_create(&def, &model, NULL);
    if (status != LF_OK)
        return status;
    status = lf_model_point_inside(model, NULL, (lf_vec3){0.5, 0.5, 0.5}, &relation, NULL);
    if (status == LF_OK)
        printf("the point is %s\n", relation == LF_RELATION_INSIDE ? "inside" : "outside");
    lf_model_destroy(model);
    return status;
}

/// A box in a scene, as ground on a layer of its own and as a picture sees it.
static lf_status stand_in_a_scene(void) {
    lf_scene *scene;
    lf_object_def def = lf_object_def_default();
    lf_instance_def put = lf_instance_def_default();
    lf_part_def box = lf_part_def_default();
    lf_instance instance;
    lf_instance_info info;
    lf_render_object seen;
    lf_part top;
    lf_status status = lf_scene_create(NULL, &scene, NULL);
    if (status != LF_OK)
        return status;
    box.shape.kind = LF_SHAPE_BOX;
    status = lf_object_create(scene, &def, &put.object, &top, NULL);
    if (status == LF_OK)
        status = lf_part_add(scene, top, &box, NULL, NULL);
    if (status == LF_OK)
        status = lf_instance_create(scene, &put, &instance, NULL);
    if (status == LF_OK)
        status = lf_instance_describe(scene, instance, &info);
    if (status == LF_OK)
        status = lf_part_set_layers(scene, info.top, 4);
    if (status == LF_OK)
        status = lf_scene_update(scene);
    lf_ray down = lf_ray_towards((lf_vec3){0, 0, 9}, (lf_vec3){0, 0, -1});
    if (status == LF_OK && lf_render_scene(scene, &down, &seen))
        printf("the box is %.1f m below\n", seen.t);
    lf_scene_destroy(scene);
    return status;
}

int main(int argc, char **argv) {
    lf_grid *grid;
    lf_status status = make_hill(&grid);
    if (status != LF_OK)
        return 1;
    lf_status results[] = {look_from_everywhere(grid),
                           choose_masts(grid, argc > 1 ? argv[1] : NULL),
                           find_sun(),
                           fly(grid),
                           cut_tiles(),
                           look_inside(),
                           stand_in_a_scene()};
    for (size_t i = 0; i < sizeof results / sizeof *results && status == LF_OK; i++)
        status = results[i];
    if (status != LF_OK)
        fprintf(stderr, "survey: %s\n", lf_status_text(status));
    lf_grid_destroy(grid);
    return status != LF_OK;
}
