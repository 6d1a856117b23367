// Groups in .lf files: boxes, shared grounds, models, layers and users come back; what cannot be stored is
// refused.
#include "files.h"
#include "support.h"
#include <landfall/landfall.h>
#include <string.h>

enum { SIDE = 9, PARTS = 6 };

static float heights[SIDE * SIDE];

typedef struct town {
    lf_grid *grid;
    lf_model *model;
    lf_group *group;
} town;

static void open_town(town *t) {
    static const lf_vec3 corners[] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 3}};
    static const int64_t triangles[] = {0, 1, 3, 1, 2, 3, 2, 0, 3};
    lf_grid_def grid = lf_grid_def_default();
    for (int k = 0; k < SIDE * SIDE; k++)
        heights[k] = (float)(k % 7);
    grid.samples.values = heights;
    grid.samples.columns = grid.samples.rows = SIDE;
    grid.geotransform = (lf_geotransform){{0, 0}, {10, 0}, {0, 10}};
    assert_int_equal(lf_grid_create(&grid, &t->grid, NULL), LF_OK);
    lf_model_def model = lf_model_def_default();
    model.polygons =
        (lf_polygons){.vertices = corners, .vertex_count = 4, .corners = triangles, .polygon_count = 3};
    assert_int_equal(lf_model_create(&model, &t->model, NULL), LF_OK);
    lf_group_part parts[PARTS] = {{.ground = lf_grid_ground(t->grid)},
                                  {.box = {{-2, -3, 0}, {2, 3, 9}}, .layers = 2, .user = 77},
                                  {.ground = lf_model_ground(t->model), .user = 5},
                                  {.ground = lf_model_ground(t->model), .layers = 4},
                                  {.box = {{-1, -1, -1}, {1, 1, 1}}},
                                  {.ground = lf_model_ground(t->model)}};
    for (int k = 0; k < PARTS; k++) {
        assert_int_equal(lf_pose_turn((lf_vec3){0, 0, 0}, (lf_vec3){0, 0.2, 1}, 0.4 * k, &parts[k].pose),
                         LF_OK);
        parts[k].pose.translation = (lf_vec3){12.0 * k, 11.0 * k, 6};
    }
    parts[0].pose = lf_pose_identity();
    lf_group_def def = lf_group_def_default();
    def.parts = parts;
    def.part_count = PARTS;
    assert_int_equal(lf_group_create(&def, &t->group, NULL), LF_OK);
}

static void close_town(town *t) {
    lf_group_destroy(t->group);
    lf_model_destroy(t->model);
    lf_grid_destroy(t->grid);
}

static void a_world_comes_back(void **state) {
    (void)state;
    test_random random = test_random_start(9301);
    town t;
    lf_store *store = NULL;
    int64_t met[PARTS] = {0};
    open_town(&t);
    lf_store_def def = lf_store_def_default();
    def.group = t.group;
    assert_int_equal(lf_store_write(test_path("town.lf"), &def, NULL), LF_OK);
    assert_int_equal(lf_store_open(test_path("town.lf"), NULL, true, &store, NULL), LF_OK);
    assert_int_equal(lf_store_describe(store).kind, LF_STORE_GROUP);
    for (int k = 0; k < 4000; k++) {
        double n[6];
        for (int i = 0; i < 6; i++)
            n[i] = test_random_between(&random, 0, 80);
        lf_ray ray = {{n[0], n[1], 20}, {n[2] - n[0], n[3] - n[1], -20}, 0, 1};
        lf_hit a, b;
        assert_int_equal(lf_ground_ray_first(lf_group_ground(t.group), &ray, &a, NULL), LF_OK);
        assert_int_equal(lf_ground_ray_first(lf_store_ground(store), &ray, &b, NULL), LF_OK);
        assert_true(a.kind == b.kind && a.t == b.t && a.part == b.part && a.element == b.element &&
                    a.user == b.user && a.layers == b.layers);
        if (a.kind != LF_HIT_NONE)
            met[a.part]++;
    }
    for (int k = 0; k < PARTS; k++)
        assert_true(met[k] > 0);
    lf_store_close(store);
    close_town(&t);
}

static void groups_in_groups_are_refused(void **state) {
    (void)state;
    town t;
    lf_group *outer;
    lf_error error = {0};
    open_town(&t);
    lf_group_part part = {.ground = lf_group_ground(t.group), .pose = lf_pose_identity(), .user = 3};
    lf_group_def def = lf_group_def_default();
    def.parts = &part;
    def.part_count = 1;
    assert_int_equal(lf_group_create(&def, &outer, NULL), LF_OK);
    lf_store_def file = lf_store_def_default();
    file.group = outer;
    assert_int_equal(lf_store_write(test_path("outer.lf"), &file, &error), LF_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "part 0: a file holds groups of grids, meshes, models and boxes"));
    lf_group_destroy(outer);
    close_town(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_world_comes_back),
                                       cmocka_unit_test(groups_in_groups_are_refused)};
    return cmocka_run_group_tests_name("store_group", tests, test_folder_make, test_folder_remove);
}
