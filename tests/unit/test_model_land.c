/// A model on, over and in the ground: a sloping plane where everything is known, and groups of it.
#include "nasty.h"
#include "shapes.h"
#include <math.h>

typedef struct world {
    lf_mesh *mesh;
    const lf_ground *ground;
    lf_model *model;
} world;

/// The plane z = x / 2, 20 metres wide, its front up; and a box of 2 x 2 x 2 metres.
static void open_world(world *world) {
    static const lf_vec3 plane[4] = {{-10, -10, -5}, {10, -10, 5}, {10, 10, 5}, {-10, 10, -5}};
    static const int64_t starts[2] = {0, 4}, ring[4] = {0, 1, 2, 3};
    lf_mesh_def mesh = lf_mesh_def_default();
    mesh.polygons = (lf_polygons){
        .vertices = plane, .vertex_count = 4, .starts = starts, .corners = ring, .polygon_count = 1};
    assert_int_equal(lf_mesh_create(&mesh, &world->mesh, NULL), LF_OK);
    world->ground = lf_mesh_ground(world->mesh);
    test_random random = test_random_start(351);
    shape shape;
    shape_make(&shape, SHAPE_NESTED, 12, &random);
    lf_model_def model = lf_model_def_default();
    model.polygons = shape_polygons(&shape);
    assert_int_equal(lf_model_create(&model, &world->model, NULL), LF_OK);
    shape_free(&shape);
}

static void close_world(world *world) {
    lf_model_destroy(world->model);
    lf_mesh_destroy(world->mesh);
}

static lf_model_landing land(const world *world, double z) {
    lf_model_stand stand = {world->model, lf_pose_identity(), world->ground, NULL, 0};
    lf_model_landing landing;
    stand.pose.translation.z = z;
    assert_int_equal(lf_model_land(&stand, &landing, NULL), LF_OK);
    int64_t triangles[12] = {0}, count = landing.under_count;
    stand.under = triangles;
    stand.under_capacity = 12;
    assert_int_equal(lf_model_land(&stand, &landing, NULL), LF_OK);
    assert_int_equal(count, landing.under_count);
    for (int64_t i = 1; i < count; i++)
        assert_true(triangles[i] > triangles[i - 1]);
    if (count > 1) {
        int64_t second = triangles[1];
        triangles[1] = -5;
        stand.under_capacity = 1;
        assert_int_equal(lf_model_land(&stand, &landing, NULL), LF_PARTIAL);
        assert_int_equal(count, landing.under_count);
        assert_true(second > triangles[0] && triangles[1] == -5);
    }
    return landing;
}

static void on_a_slope(void **state) {
    (void)state;
    world world;
    open_world(&world);
    lf_model_landing over = land(&world, 2), touching = land(&world, 1.5), in = land(&world, 1),
                     deep = land(&world, -1.75);
    assert_false(over.touching);
    assert_int_equal(over.under_count, 0);
    assert_int_equal(over.triangle, -1);
    assert_true(touching.touching); // the lower edge at x = 1 lies on the plane
    assert_true(touching.depth == 0);
    assert_true(in.touching);
    assert_true(fabs(in.depth - 0.5) < 1e-12);
    assert_true(in.deepest.x == 1 && in.deepest.z == 0);
    assert_true(fabs(in.surface.z - 0.5) < 1e-12);
    assert_true(in.under_count > 0 && in.under_count < 12);
    assert_false(deep.touching); // wholly under it
    assert_int_equal(deep.under_count, 12);
    assert_true(fabs(deep.depth - 3.25) < 1e-12);
    close_world(&world);
}

/// The same ground as a part of a group, moved: the same answers, moved.
static void on_a_group(void **state) {
    (void)state;
    world world;
    open_world(&world);
    lf_group_part parts[2] = {{.ground = world.ground, .pose = lf_pose_identity()},
                              {.ground = world.ground, .pose = lf_pose_identity()}};
    parts[0].pose.translation = (lf_vec3){100, 0, 0};
    parts[1].pose.translation = (lf_vec3){0, 50, 7};
    lf_group_def def = lf_group_def_default();
    def.parts = parts;
    def.part_count = 2;
    lf_group *group;
    const lf_ground *ground, *plain = world.ground;
    assert_int_equal(lf_group_create(&def, &group, NULL), LF_OK);
    ground = lf_group_ground(group);
    lf_model_stand stand = {world.model, lf_pose_identity(), ground, NULL, 0};
    lf_model_landing landing, alone = land(&world, 1);
    stand.pose.translation = (lf_vec3){0, 50, 8};
    assert_int_equal(lf_model_land(&stand, &landing, NULL), LF_OK);
    assert_true(landing.touching);
    assert_true(fabs(landing.depth - alone.depth) < 1e-9);
    assert_int_equal(landing.under_count, alone.under_count);
    stand.pose.translation = (lf_vec3){100, 0, 3};
    assert_int_equal(lf_model_land(&stand, &landing, NULL), LF_OK);
    assert_false(landing.touching);
    lf_group_destroy(group);
    world.ground = plain;
    close_world(&world);
}

/// A ground of triangles, and the box in it.
static lf_model_landing land_on(const lf_polygons *polygons, const lf_frame *frame, lf_vec3 at) {
    world world;
    open_world(&world);
    lf_mesh_def def = lf_mesh_def_default();
    def.polygons = *polygons;
    def.frame = *frame;
    test_place place = test_place_make(&def);
    lf_model_stand stand = {world.model, lf_pose_identity(), place.ground, NULL, 0};
    lf_model_landing landing;
    stand.pose.translation = at;
    assert_int_equal(lf_model_land(&stand, &landing, NULL), LF_OK);
    test_place_drop(place);
    close_world(&world);
    return landing;
}

/// A peak, and a ridge, that no corner of the box is over: the ground's vertex under a face, the ground's edge under the model's.
static void between_corners(void **state) {
    (void)state;
    static const lf_vec3 peak[5] = {{-9, -9, -9}, {9, -9, -9}, {9, 9, -9}, {-9, 9, -9}, {0.25, 0.5, 0}};
    static const lf_vec3 ridge[4] = {{-9, 0.5, 0}, {9, 0.5, 0}, {0, 9, -40}, {0, -9, -40}};
    static const int64_t sides[12] = {0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4}, slopes[6] = {0, 1, 2, 1, 0, 3};
    lf_polygons polygons = {.vertices = peak, .vertex_count = 5, .corners = sides, .polygon_count = 4};
    lf_frame down = lf_frame_default();
    lf_model_landing landing = land_on(&polygons, &down, (lf_vec3){0, 0, 0.75});
    assert_true(landing.touching);
    assert_true(fabs(landing.depth - 0.25) < 1e-11);
    assert_true(fabs(landing.deepest.x - 0.25) < 1e-9 && fabs(landing.deepest.y - 0.5) < 1e-9);
    assert_true(fabs(landing.surface.z) < 1e-11 && fabs(landing.deepest.z + 0.25) < 1e-11);
    polygons = (lf_polygons){.vertices = ridge, .vertex_count = 4, .corners = slopes, .polygon_count = 2};
    landing = land_on(&polygons, &down, (lf_vec3){0, 0, 0.9});
    assert_true(fabs(landing.depth - 0.1) < 1e-11);
    assert_true(fabs(landing.deepest.y - 0.5) < 1e-9);
}

/// Two floors, the lower one only half as wide: the box, under both, is as deep as the lower floor is above it, but beside that as the
/// upper one. A ceiling in its place hides the upper floor.
static void under_two_floors(void **state) {
    (void)state;
    static const lf_vec3 corners[8] = {{-9, -9, 2}, {9, -9, 2}, {9, 9, 2}, {-9, 9, 2},
                                       {-9, -9, 1}, {0, -9, 1}, {0, 9, 1}, {-9, 9, 1}};
    static const int64_t starts[3] = {0, 4, 8}, floors[8] = {0, 1, 2, 3, 4, 5, 6, 7},
                         ceiling[8] = {0, 1, 2, 3, 7, 6, 5, 4};
    lf_polygons polygons = {
        .vertices = corners, .vertex_count = 8, .starts = starts, .corners = floors, .polygon_count = 2};
    lf_frame down = lf_frame_default();
    lf_model_landing both = land_on(&polygons, &down, (lf_vec3){0.5, 0, -0.25});
    assert_true(fabs(both.depth - 3.25) < 1e-11 && both.deepest.x >= -1e-9);
    lf_model_landing lower = land_on(&polygons, &down, (lf_vec3){-2, 0, -0.25});
    assert_true(fabs(lower.depth - 2.25) < 1e-11);
    polygons.corners = ceiling;
    assert_true(land_on(&polygons, &down, (lf_vec3){-2, 0, -0.5}).depth == 0);
    assert_true(fabs(land_on(&polygons, &down, (lf_vec3){0.5, 0, -0.25}).depth - 3.25) < 1e-11);
}

/// The peak on a planet of 6371 km, and where gravity is sideways: the same depth.
static void along_gravity(void **state) {
    (void)state;
    static const int64_t sides[12] = {0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4};
    lf_vec3 peak[5] = {{-9, -9, -9}, {9, -9, -9}, {9, 9, -9}, {-9, 9, -9}, {0.25, 0.5, 0}};
    lf_polygons polygons = {.vertices = peak, .vertex_count = 5, .corners = sides, .polygon_count = 4};
    lf_frame frame;
    assert_int_equal(lf_frame_centre((lf_vec3){0, 0, -6371000}, &frame), LF_OK);
    assert_true(fabs(land_on(&polygons, &frame, (lf_vec3){0, 0, 0.75}).depth - 0.25) < 1e-5);
    for (int i = 0; i < 5; i++)
        peak[i] = (lf_vec3){peak[i].z, peak[i].x, peak[i].y};
    assert_int_equal(lf_frame_gravity((lf_vec3){-2, 0, 0}, &frame), LF_OK);
    lf_model_landing landing = land_on(&polygons, &frame, (lf_vec3){0.75, 0, 0});
    assert_true(fabs(landing.depth - 0.25) < 1e-11 && fabs(landing.deepest.x + 0.25) < 1e-11);
}

/// A mesh that an edit has grown far to one side: what was added is touched, and what was taken out is not.
static void on_an_edited_mesh(void **state) {
    (void)state;
    static const lf_vec3 more[3] = {{500, 0, 0}, {503, 0, 0}, {500, 3, 0}};
    static const int64_t corners[3] = {0, 1, 2}, gone[1] = {0};
    world world;
    open_world(&world);
    lf_mesh_edit_def edit = lf_mesh_edit_def_default();
    edit.add = (lf_polygons){.vertices = more, .vertex_count = 3, .corners = corners, .polygon_count = 1};
    edit.remove = gone;
    edit.remove_count = 1;
    assert_int_equal(lf_mesh_edit(world.mesh, &edit, NULL, NULL), LF_OK);
    lf_model_stand stand = {world.model, lf_pose_identity(), world.ground, NULL, 0};
    lf_model_landing landing;
    assert_int_equal(lf_model_land(&stand, &landing, NULL), LF_OK);
    assert_false(landing.touching);
    stand.pose.translation = (lf_vec3){501, 1, 0.5};
    assert_int_equal(lf_model_land(&stand, &landing, NULL), LF_OK);
    assert_true(landing.touching);
    assert_true(fabs(landing.depth - 0.5) < 1e-9);
    close_world(&world);
}

/// A box half sunk into a level raster.
static void on_a_grid(void **state) {
    (void)state;
    static const float heights[4] = {0, 0, 0, 0};
    world world;
    open_world(&world);
    lf_grid_def def = lf_grid_def_default();
    lf_grid *grid;
    const lf_ground *ground;
    def.samples.values = heights;
    def.samples.columns = def.samples.rows = 2;
    def.geotransform.per_column.x = def.geotransform.per_row.y = 10;
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    ground = lf_grid_ground(grid);
    lf_model_stand stand = {world.model, lf_pose_identity(), ground, NULL, 0};
    lf_model_landing landing;
    stand.pose.translation = (lf_vec3){5, 5, 0};
    assert_int_equal(lf_model_land(&stand, &landing, NULL), LF_OK);
    assert_true(landing.touching && fabs(landing.depth - 1) < 1e-12);
    assert_true(landing.deepest.z == -1 && landing.surface.z == 0);
    assert_true(landing.under_count >= 10); // all but those of the top
    lf_grid_destroy(grid);
    close_world(&world);
}

static void refused(void **state) {
    (void)state;
    world world;
    open_world(&world);
    lf_model_stand stand = {world.model, lf_pose_identity(), NULL, NULL, 0};
    lf_model_landing landing;
    assert_int_equal(lf_model_land(&stand, &landing, NULL), LF_BAD_ARGUMENT);
    stand.ground = world.ground;
    assert_int_equal(lf_model_land(&stand, NULL, NULL), LF_BAD_ARGUMENT);
    stand.under_capacity = 3;
    assert_int_equal(lf_model_land(&stand, &landing, NULL), LF_BAD_ARGUMENT);
    stand.under_capacity = 0;
    stand.pose.rows[0].x = 2;
    assert_int_equal(lf_model_land(&stand, &landing, NULL), LF_BAD_ARGUMENT);
    close_world(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_a_slope),        cmocka_unit_test(on_a_group),
        cmocka_unit_test(on_an_edited_mesh), cmocka_unit_test(between_corners),
        cmocka_unit_test(under_two_floors),  cmocka_unit_test(along_gravity),
        cmocka_unit_test(on_a_grid),         cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
