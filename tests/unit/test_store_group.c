// Groups in .lf files: boxes, shared grounds, models, layers and users, groups in groups, scenes and globes
// come back; damage is found.
#include "files.h"
#include "scenes.h"
#include "small_planet.h"
#include "support.h"
#include <landfall/landfall.h>
#include <stdlib.h>
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

/// Both answer with the same bits. `numbers`: also the same parts within parts.
static void same_rays(const lf_ground *a, const lf_ground *b, const lf_pose *at, bool numbers,
                      int64_t met[]) {
    test_random random = test_random_start(9302);
    for (int k = 0; k < 2000; k++) {
        lf_vec3 p = {test_random_between(&random, -20, 90), test_random_between(&random, -20, 90), 40};
        lf_vec3 q = {test_random_between(&random, -20, 90), test_random_between(&random, -20, 90), -20};
        lf_ray ray = lf_ray_between(lf_pose_to_world(at, p), lf_pose_to_world(at, q));
        lf_hit x, y;
        assert_int_equal(lf_ground_ray_first(a, &ray, &x, NULL), LF_OK);
        assert_int_equal(lf_ground_ray_first(b, &ray, &y, NULL), LF_OK);
        assert_true(x.kind == y.kind && x.t == y.t && x.part == y.part && x.element == y.element &&
                    x.user == y.user && x.layers == y.layers && (!numbers || x.inner == y.inner));
        if (x.kind != LF_HIT_NONE)
            met[x.part]++;
    }
}

static lf_group *group_of(const lf_group_part *parts, int64_t count) {
    lf_group_def def = lf_group_def_default();
    lf_group *group = NULL;
    def.parts = parts;
    def.part_count = count;
    assert_int_equal(lf_group_create(&def, &group, NULL), LF_OK);
    return group;
}

static lf_store *written(const char *name, const lf_group *group, bool check) {
    lf_store_def def = lf_store_def_default();
    lf_store *store = NULL;
    def.group = group;
    assert_int_equal(lf_store_write(test_path(name), &def, NULL), LF_OK);
    assert_int_equal(lf_store_open(test_path(name), NULL, check, &store, NULL), LF_OK);
    return store;
}

static void groups_in_groups(void **state) {
    (void)state;
    enum { OUTER = 4 };
    town t;
    int64_t met[OUTER] = {0};
    open_town(&t);
    lf_group_part inner[2] = {{.ground = lf_group_ground(t.group), .pose = lf_pose_identity()},
                              {.pose = lf_pose_identity(), .box = {{-9, -9, -9}, {-8, -8, 9}}}};
    lf_group *middle = group_of(inner, 2);
    lf_group_part parts[OUTER];
    for (int k = 0; k < OUTER; k++) {
        parts[k] = (lf_group_part){.ground = k == 2 ? NULL : lf_group_ground(k == 3 ? t.group : middle),
                                   .pose = lf_pose_identity(),
                                   .user = k == 1 ? 3 : 0,
                                   .box = {{0, 0, 0}, {9, 9, 30}}};
        assert_int_equal(lf_pose_turn((lf_vec3){0, 0, 0}, (lf_vec3){0, 0.1, 1}, 0.3 * k, &parts[k].pose),
                         LF_OK);
        parts[k].pose.translation = (lf_vec3){10.0 * k, 5, 3.0 * k};
    }
    lf_group *outer = group_of(parts, OUTER);
    lf_pose at = lf_pose_identity();
    for (int check = 0; check < 2; check++) {
        lf_store *store = written("outer.lf", outer, check != 0);
        same_rays(lf_group_ground(outer), lf_store_ground(store), &at, true, met);
        lf_store *again = written("again.lf", lf_store_group(store), true);
        same_rays(lf_group_ground(outer), lf_store_ground(again), &at, true, met);
        lf_store_close(again);
        lf_store_close(store);
    }
    for (int k = 0; k < OUTER; k++)
        assert_true(met[k] > 0);
    lf_group_destroy(outer);
    lf_group_destroy(middle);
    close_town(&t);
}

/// A tower of groups: as many as a file holds, and one more.
static void too_deep(void **state) {
    (void)state;
    enum { DEEPEST = 16 };
    lf_group *tower[DEEPEST + 1];
    lf_error error = {0};
    lf_store_def def = lf_store_def_default();
    for (int k = 0; k <= DEEPEST; k++) {
        lf_group_part part = {.ground = k > 0 ? lf_group_ground(tower[k - 1]) : NULL,
                              .pose = lf_pose_identity(),
                              .box = {{0, 0, 0}, {1, 1, 1}}};
        part.pose.translation.z = 1;
        tower[k] = group_of(&part, 1);
    }
    lf_store *store = written("tower.lf", tower[DEEPEST - 1], true);
    lf_hit hit;
    assert_int_equal(
        lf_ground_height(lf_store_ground(store), (lf_vec3){0.5, 0.5, 99}, LF_VERTICAL_DOWN, &hit, NULL),
        LF_OK);
    assert_true(hit.point.z == DEEPEST + 1);
    lf_store_close(store);
    def.group = tower[DEEPEST];
    assert_int_equal(lf_store_write(test_path("tower.lf"), &def, &error), LF_BAD_ARGUMENT);
    assert_string_equal(error.text, "groups within groups, 17 deep: a file holds 16");
    for (int k = DEEPEST; k >= 0; k--)
        lf_group_destroy(tower[k]);
}

/// A scene is stored as what is there now.
static void scenes(void **state) {
    (void)state;
    town t;
    open_town(&t);
    lf_scene *scene = test_scene();
    for (int k = 0; k < 5; k++)
        test_box(scene, (lf_vec3){4, 4, 30}, (lf_vec3){9.0 * k, 7.0 * k, 0}, (lf_vec3){1, 0, 0});
    assert_int_equal(lf_scene_step(scene, 1, NULL), LF_OK);
    lf_group_part parts[2] = {{.ground = lf_group_ground(t.group), .pose = lf_pose_identity()},
                              {.ground = lf_scene_ground(scene), .pose = lf_pose_identity()}};
    lf_group *group = group_of(parts, 2);
    lf_store *store = written("scene.lf", group, true);
    lf_pose at = lf_pose_identity();
    int64_t met[2] = {0};
    same_rays(lf_group_ground(group), lf_store_ground(store), &at, false, met);
    assert_true(met[0] > 0 && met[1] > 0);
    lf_store_close(store);
    lf_group_destroy(group);
    lf_scene_destroy(scene);
    close_town(&t);
}

static void a_town_on_a_globe(void **state) {
    (void)state;
    town t;
    open_town(&t);
    small_planet *planet = small_planet_make(lf_ellipsoid_wgs84(), 2, SMALL_PLANET_ROLLING, 400, 78);
    lf_globe *globe = small_planet_globe(planet, (size_t)1 << 24);
    lf_pose at;
    lf_globe_elevation land;
    assert_int_equal(lf_globe_height_finest(globe, 12, 34, &land), LF_OK);
    assert_int_equal(
        lf_ellipsoid_pose(&planet->ellipsoid, (lf_geodetic){12, 34, land.height + 1}, 30, 0, 0, &at), LF_OK);
    lf_group_part parts[2] = {{.ground = lf_globe_ground_finest(globe), .pose = lf_pose_identity()},
                              {.ground = lf_group_ground(t.group), .pose = at}};
    lf_group *group = group_of(parts, 2);
    for (int check = 0; check < 2; check++) {
        lf_store *store = written("globe.lf", group, check != 0);
        lf_store_info info = lf_store_describe(store);
        int64_t met[2] = {0};
        assert_true(info.kind == LF_STORE_GROUP && info.globe && !lf_store_globe(store));
        same_rays(lf_group_ground(group), lf_store_ground(store), &at, true, met);
        assert_true(met[0] > 0 && met[1] > 0);
        lf_store_close(store);
    }
    lf_group_destroy(group);
    lf_globe_destroy(globe);
    small_planet_free(planet);
    close_town(&t);
}

/// Every byte of a file within a file matters: a changed one is found when all is checked, and never gives a file that cannot be closed.
static void damage_within(void **state) {
    (void)state;
    test_random random = test_random_start(9303);
    town t;
    open_town(&t);
    lf_group_part part = {.ground = lf_group_ground(t.group), .pose = lf_pose_identity(), .user = 3};
    lf_group_part parts[2] = {part, part};
    parts[1].pose.translation.x = 50;
    lf_group *outer = group_of(parts, 2);
    lf_store_close(written("whole.lf", outer, true));
    size_t bytes;
    char *whole = test_file_content(test_path("whole.lf"), &bytes);
    for (int k = 0; k < 400; k++) {
        size_t at = (size_t)test_random_between(&random, 0, (double)bytes - 1);
        lf_store *store = NULL;
        whole[at] ^= (char)(1 << k % 8);
        test_file("damaged.lf", whole, bytes);
        lf_store_open(test_path("damaged.lf"), NULL, false, &store, NULL);
        lf_store_close(store);
        store = NULL;
        if (lf_store_open(test_path("damaged.lf"), NULL, true, &store, NULL) == LF_OK)
            lf_store_close(store); // between the sections
        whole[at] ^= (char)(1 << k % 8);
    }
    free(whole);
    lf_group_destroy(outer);
    close_town(&t);
}

static lf_status write_with(const lf_host *host, void *user) {
    lf_store_def def = lf_store_def_default();
    lf_store *store = NULL;
    def.host = *host;
    def.group = user;
    lf_status status = lf_store_write(test_path("memory.lf"), &def, NULL);
    if (status == LF_OK)
        status = lf_store_open(test_path("memory.lf"), host, true, &store, NULL);
    lf_store_close(store);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    town t;
    open_town(&t);
    lf_group_part part = {.ground = lf_group_ground(t.group), .pose = lf_pose_identity(), .user = 3};
    lf_group *outer = group_of(&part, 1);
    test_out_of_memory(write_with, outer);
    assert_false(test_file_exists("memory.lf.0"));
    lf_group_destroy(outer);
    close_town(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_world_comes_back), cmocka_unit_test(groups_in_groups),
        cmocka_unit_test(too_deep),           cmocka_unit_test(scenes),
        cmocka_unit_test(a_town_on_a_globe),  cmocka_unit_test(damage_within),
        cmocka_unit_test(out_of_memory)};
    return cmocka_run_group_tests_name("store_group", tests, test_folder_make, test_folder_remove);
}
