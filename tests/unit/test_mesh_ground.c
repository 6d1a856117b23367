#include "ground/ground.h"
#include "support.h"
#include <string.h>

/// A house on a meadow: ground floor with a hole beside it, an upper floor, a wall between them, a speck of no area.
static const lf_vec3 house_vertices[] = {
    {0, 0, 0}, {10, 0, 0}, {10, 4, 0},  {0, 4, 0},              // 0: ground floor (quad)
    {0, 6, 0}, {10, 6, 0}, {10, 10, 0}, {0, 10, 0},             // 1: meadow (quad); 4 < y < 6 is a hole
    {2, 1, 3}, {8, 1, 3},  {8, 3, 3},   {5, 3.5, 3}, {2, 3, 3}, // 2: upper floor (pentagon)
    {2, 1, 0},                                                  // 3: wall below its front edge, with 8, 9
};
static const int64_t house_starts[] = {0, 4, 8, 13, 16, 19};
static const int64_t house_corners[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 9, 8, 3, 3, 2};
static const uint64_t house_users[] = {100, 101, 102, 103, 104};
static const uint32_t house_layers[] = {1, 2, 4, 8, 1};
static const uint8_t house_sides[] = {2, 2, 1, 2, 2};

static lf_mesh_def house_def(void) {
    lf_mesh_def def = lf_mesh_def_default();
    def.polygons = (lf_polygons){.vertices = house_vertices,
                                 .vertex_count = sizeof house_vertices / sizeof house_vertices[0],
                                 .starts = house_starts,
                                 .corners = house_corners,
                                 .polygon_count = 5,
                                 .users = house_users,
                                 .layers = house_layers};
    return def;
}

static test_place make_place(const lf_mesh_def *def) {
    test_place p;
    lf_error error = {.text = ""};
    if (lf_mesh_create(def, &p.mesh, &error) != LF_OK)
        fail_msg("%s", error.text);
    p.ground = lf_mesh_ground(p.mesh);
    return p;
}

static void drop_place(test_place p) {
    lf_mesh_destroy(p.mesh);
}

static lf_hit height(test_place p, double x, double y, double z, lf_vertical look) {
    lf_hit hit;
    assert_int_equal(lf_ground_height(p.ground, (lf_vec3){x, y, z}, look, &hit, NULL), LF_OK);
    return hit;
}

static void a_mesh_says_what_it_is(void **state) {
    (void)state;
    lf_mesh_def def = house_def();
    test_place p = make_place(&def);
    lf_mesh_info info = lf_mesh_describe(p.mesh);
    assert_int_equal(info.polygon_count, 5);
    assert_int_equal(info.triangle_count, 2 + 2 + 3 + 1 + 1);
    assert_int_equal(info.wall_count, 1);
    assert_int_equal(info.flat_count, 1);
    assert_true(info.box.low.x == 0 && info.box.high.y == 10 && info.box.high.z == 3);
    assert_true(info.bytes > info.tree_bytes && info.tree_bytes > 0);
    assert_non_null(lf__ground_mesh(p.ground));
    assert_true(lf_ground_box(p.ground).high.x == 10);
    drop_place(p);
}

static void heights_below_above_and_why_not(void **state) {
    (void)state;
    lf_mesh_def def = house_def();
    test_place p = make_place(&def);
    lf_hit hit = height(p, 5, 2, INFINITY, LF_VERTICAL_DOWN);
    assert_true(hit.point.z == 3 && hit.element == 2 && hit.user == 102 && hit.layers == 4 && hit.t == 0);
    hit = height(p, 5, 2, 2, LF_VERTICAL_DOWN);
    assert_true(hit.point.z == 0 && hit.element == 0 && hit.t == 2 && hit.normal.z == 1);
    hit = height(p, 5, 2, 2, LF_VERTICAL_UP);
    assert_true(hit.point.z == 3 && hit.element == 2 && hit.t == 1);
    hit = height(p, 5, 2, 3, LF_VERTICAL_UP);
    assert_true(hit.point.z == 3 && hit.t == 0);
    assert_int_equal(height(p, 5, 2, 4, LF_VERTICAL_UP).reason, LF_REASON_NONE);
    assert_int_equal(height(p, 5, 2, -1, LF_VERTICAL_DOWN).reason, LF_REASON_NONE);
    assert_int_equal(height(p, 5, 5, 9, LF_VERTICAL_DOWN).reason, LF_REASON_HOLE);
    assert_int_equal(height(p, 5, 11, 9, LF_VERTICAL_DOWN).reason, LF_REASON_OUTSIDE);
    hit = height(p, 5, 4, 9, LF_VERTICAL_DOWN);
    assert_true(hit.kind == LF_HIT_TRIANGLE && hit.point.z == 0);
    drop_place(p);
}

static void all_heights_from_the_top(void **state) {
    (void)state;
    lf_mesh_def def = house_def();
    test_place p = make_place(&def);
    lf_hit hits[4];
    int64_t count;
    // On a diagonal of the pentagon's fan, and over the wall: one hit per polygon, none for the wall.
    lf_vec3 point = {5, 1, 1};
    assert_int_equal(lf_ground_height_all(p.ground, point, hits, 4, &count, NULL), LF_OK);
    assert_int_equal(count, 2);
    assert_true(hits[0].element == 2 && hits[0].t == -2 && hits[1].element == 0 && hits[1].t == 1);
    assert_int_equal(lf_ground_height_all(p.ground, point, hits, 1, &count, NULL), LF_PARTIAL);
    assert_int_equal(count, 2);
    assert_int_equal(hits[0].element, 2);
    point.z = INFINITY;
    assert_int_equal(lf_ground_height_all(p.ground, point, hits, 4, &count, NULL), LF_OK);
    assert_true(hits[0].t == 0 && hits[1].t == 3);
    drop_place(p);
}

static void rays_meet_walls_and_respect_sides(void **state) {
    (void)state;
    lf_mesh_def def = house_def();
    def.polygons.sides = house_sides;
    test_place p = make_place(&def);
    lf_hit hit, hits[5];
    bool blocked;
    int64_t count;
    lf_ray ray = lf_ray_towards((lf_vec3){3, -5, 0.75}, (lf_vec3){0, 1, 0});
    assert_int_equal(lf_ground_ray_first(p.ground, &ray, &hit, NULL), LF_OK);
    assert_true(hit.element == 3 && hit.t == 6);
    ray = lf_ray_towards((lf_vec3){3, 2, 1}, (lf_vec3){0, 0, 1});
    lf_ground_ray_first(p.ground, &ray, &hit, NULL);
    assert_int_equal(hit.kind, LF_HIT_NONE);
    lf_ground_ray_any(p.ground, &ray, &blocked, NULL);
    assert_false(blocked);
    assert_int_equal(height(p, 3, 2, 1, LF_VERTICAL_UP).reason, LF_REASON_NONE);
    ray = lf_ray_towards((lf_vec3){3, 2, 9}, (lf_vec3){0, 0, -1});
    assert_int_equal(lf_ground_ray_all(p.ground, &ray, hits, 5, &count, NULL), LF_OK);
    assert_int_equal(count, 2);
    assert_true(hits[0].element == 2 && hits[1].element == 0);
    assert_int_equal(lf_ground_ray_all(p.ground, &ray, hits, 1, &count, NULL), LF_PARTIAL);
    drop_place(p);
}

static void layers_filter(void **state) {
    (void)state;
    lf_mesh_def def = house_def();
    test_place p = make_place(&def);
    lf_cursor *cursor;
    lf_hit hit;
    assert_int_equal(lf_cursor_create(NULL, &cursor), LF_OK);
    lf_cursor_set_layers(cursor, 1 | 2);
    assert_int_equal(lf_ground_height(p.ground, (lf_vec3){5, 2, INFINITY}, LF_VERTICAL_DOWN, &hit, cursor),
                     LF_OK);
    assert_true(hit.element == 0 && hit.point.z == 0);
    lf_cursor_set_layers(cursor, 16);
    lf_ground_height(p.ground, (lf_vec3){5, 2, 9}, LF_VERTICAL_DOWN, &hit, cursor);
    assert_int_equal(hit.reason, LF_REASON_HOLE);
    assert_true(lf_cursor_counters(cursor).questions > 0);
    lf_cursor_destroy(cursor);
    drop_place(p);
}

/// A cube of edge 2 around (10, 20, 30): a small planet, and a station seen from within.
static const lf_vec3 cube_vertices[] = {{9, 19, 29}, {11, 19, 29}, {11, 21, 29}, {9, 21, 29},
                                        {9, 19, 31}, {11, 19, 31}, {11, 21, 31}, {9, 21, 31}};
static const int64_t cube_starts[] = {0, 4, 8, 12, 16, 20, 24};
static const int64_t cube_corners[] = {3, 2, 1, 0, 4, 5, 6, 7, 0, 1, 5, 4,
                                       1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7};

static lf_mesh_def cube_def(void) {
    lf_mesh_def def = lf_mesh_def_default();
    def.polygons = (lf_polygons){.vertices = cube_vertices,
                                 .vertex_count = 8,
                                 .starts = cube_starts,
                                 .corners = cube_corners,
                                 .polygon_count = 6};
    return def;
}

static void gravity_points_to_a_centre(void **state) {
    (void)state;
    lf_mesh_def def = cube_def();
    assert_int_equal(lf_frame_centre((lf_vec3){10, 20, 30}, &def.frame), LF_OK);
    test_place p = make_place(&def);
    lf_hit hit = height(p, 15, 20, 30, LF_VERTICAL_DOWN);
    assert_true(fabs(hit.t - 4) < 1e-14 && hit.point.x == 11 && hit.element == 3);
    hit = height(p, 10, 20, 40, LF_VERTICAL_DOWN);
    assert_true(fabs(hit.t - 9) < 1e-14 && hit.element == 1);
    hit = height(p, 10.5, 20, 30, LF_VERTICAL_UP);
    assert_true(fabs(hit.t - 0.5) < 1e-14 && hit.element == 3);
    assert_int_equal(height(p, 10.5, 20, 30, LF_VERTICAL_DOWN).reason, LF_REASON_NONE);
    lf_hit none;
    assert_int_equal(lf_ground_height(p.ground, (lf_vec3){1, 2, INFINITY}, LF_VERTICAL_DOWN, &none, NULL),
                     LF_BAD_ARGUMENT);
    assert_int_equal(height(p, 10, 20, 30, LF_VERTICAL_DOWN).reason, LF_REASON_HOLE);
    drop_place(p);
}

static void gravity_points_from_or_to_an_axis(void **state) {
    (void)state;
    lf_mesh_def def = cube_def();
    assert_int_equal(lf_frame_axis((lf_vec3){10, 20, 0}, (lf_vec3){0, 0, 2}, false, &def.frame), LF_OK);
    test_place p = make_place(&def);
    assert_int_equal(lf_mesh_describe(p.mesh).wall_count, 2);
    lf_hit hit = height(p, 10.25, 20, 30.5, LF_VERTICAL_DOWN);
    assert_true(fabs(hit.t - 0.75) < 1e-14 && hit.element == 3);
    assert_int_equal(height(p, 10.25, 20, 30.5, LF_VERTICAL_UP).reason, LF_REASON_NONE);
    hit = height(p, 13, 20, 30.5, LF_VERTICAL_UP);
    assert_true(fabs(hit.t - 2) < 1e-14 && hit.element == 3);
    drop_place(p);
    assert_int_equal(lf_frame_axis((lf_vec3){10, 20, 0}, (lf_vec3){0, 0, 2}, true, &def.frame), LF_OK);
    p = make_place(&def);
    hit = height(p, 13, 20, 30.5, LF_VERTICAL_DOWN);
    assert_true(fabs(hit.t - 2) < 1e-14 && hit.point.x == 11);
    lf_hit hits[4];
    int64_t count;
    assert_int_equal(lf_ground_height_all(p.ground, (lf_vec3){13, 20, 30.5}, hits, 4, &count, NULL), LF_OK);
    assert_int_equal(count, 1);
    drop_place(p);
}

static void batches_equal_single_questions(void **state) {
    (void)state;
    lf_mesh_def def = house_def();
    test_place p = make_place(&def);
    enum { COUNT = 3000 };
    static lf_vec3 points[COUNT];
    static lf_ray rays[COUNT];
    static lf_hit hits[COUNT], one;
    test_random random = test_random_start(31);
    for (int i = 0; i < COUNT; i++) {
        points[i] = (lf_vec3){test_random_between(&random, -1, 11), test_random_between(&random, -1, 11),
                              i % 3 ? test_random_between(&random, -1, 5) : INFINITY};
        lf_vec3 end = {test_random_between(&random, -1, 11), test_random_between(&random, -1, 11), -1};
        rays[i] = lf_ray_between((lf_vec3){points[i].x, points[i].y, 4}, end);
    }
    lf_tasks tasks = test_tasks(3);
    assert_int_equal(lf_ground_height_many(p.ground, points, 0, COUNT, LF_VERTICAL_DOWN, hits, 0, &tasks),
                     LF_OK);
    for (int i = 0; i < COUNT; i++) {
        memset(&one, 0, sizeof one);
        lf_ground_height(p.ground, points[i], LF_VERTICAL_DOWN, &one, NULL);
        assert_true(one.kind == hits[i].kind && one.reason == hits[i].reason &&
                    one.element == hits[i].element);
        assert_memory_equal(&one.point, &hits[i].point, sizeof one.point);
    }
    assert_int_equal(
        lf_ground_ray_first_many(p.ground, rays, sizeof rays[0], COUNT, hits, sizeof one, &tasks), LF_OK);
    for (int i = 0; i < COUNT; i++) {
        lf_ground_ray_first(p.ground, &rays[i], &one, NULL);
        assert_true(one.kind == hits[i].kind && one.element == hits[i].element);
        assert_memory_equal(&one.t, &hits[i].t, sizeof one.t);
    }
    points[COUNT - 1].x = NAN;
    hits[0].element = 4711;
    assert_int_equal(lf_ground_height_many(p.ground, points, 0, COUNT, LF_VERTICAL_DOWN, hits, 0, &tasks),
                     LF_BAD_ARGUMENT);
    assert_int_equal(hits[0].element, 4711);
    rays[COUNT - 1].direction = (lf_vec3){0, 0, 0};
    assert_int_equal(lf_ground_ray_first_many(p.ground, rays, 0, COUNT, hits, 0, &tasks), LF_BAD_ARGUMENT);
    drop_place(p);
}

static void bad_questions_are_refused(void **state) {
    (void)state;
    lf_mesh_def def = house_def();
    test_place p = make_place(&def);
    lf_hit hit;
    int64_t count;
    lf_vec3 nowhere = {NAN, 0, 0}, below = {1, 1, -INFINITY}, above = {1, 1, INFINITY};
    assert_int_equal(lf_ground_height(p.ground, nowhere, LF_VERTICAL_DOWN, &hit, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_ground_height(p.ground, below, LF_VERTICAL_DOWN, &hit, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_ground_height(p.ground, above, LF_VERTICAL_UP, &hit, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_ground_height(p.ground, above, (lf_vertical)7, &hit, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_ground_height_all(p.ground, above, NULL, 3, &count, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_ground_height_all(p.ground, above, NULL, -1, &count, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_ground_ray_first(p.ground, NULL, &hit, NULL), LF_BAD_ARGUMENT);
    assert_null(lf_mesh_ground(NULL));
    drop_place(p);
    lf_mesh_destroy(NULL);
}

static void expect_refusal(const lf_mesh_def *def, lf_status status, int64_t where, const char *word) {
    lf_mesh *mesh = NULL;
    lf_error error = {.text = ""};
    assert_int_equal(lf_mesh_create(def, &mesh, &error), status);
    assert_null(mesh);
    assert_int_equal(error.status, status);
    assert_int_equal(error.where, where);
    assert_non_null(strstr(error.text, word));
}

static void bad_polygons_are_refused_by_index(void **state) {
    (void)state;
    lf_vec3 vertices[sizeof house_vertices / sizeof house_vertices[0]];
    int64_t corners[sizeof house_corners / sizeof house_corners[0]];
    int64_t starts[6];
    lf_mesh_def def = house_def();
    memcpy(vertices, house_vertices, sizeof vertices);
    memcpy(corners, house_corners, sizeof corners);
    memcpy(starts, house_starts, sizeof starts);
    def.polygons.vertices = vertices;
    def.polygons.corners = corners;
    def.polygons.starts = starts;
    vertices[6].z = NAN;
    expect_refusal(&def, LF_BAD_GEOMETRY, 1, "vertex 6");
    vertices[6].z = 1e31;
    expect_refusal(&def, LF_BAD_GEOMETRY, 1, "1e+31");
    vertices[6].z = 0.5;
    expect_refusal(&def, LF_BAD_GEOMETRY, 1, "bent");
    vertices[6] = (lf_vec3){1, 6.5, 0};
    expect_refusal(&def, LF_BAD_GEOMETRY, 1, "not convex");
    vertices[6] = house_vertices[6];
    corners[9] = 99;
    expect_refusal(&def, LF_BAD_ARGUMENT, 2, "99");
    corners[9] = 9;
    starts[2] = 5;
    expect_refusal(&def, LF_BAD_GEOMETRY, 1, "fewer than 3");
    starts[2] = 8;
    starts[0] = 1;
    expect_refusal(&def, LF_BAD_ARGUMENT, 0, "starts");
    starts[0] = 0;
    uint8_t sides[5] = {1, 2, 0, 1, 1};
    def.polygons.sides = sides;
    expect_refusal(&def, LF_BAD_ARGUMENT, 2, "sides");
    def = house_def();
    def.polygons.polygon_count = 0;
    expect_refusal(&def, LF_BAD_GEOMETRY, -1, "no polygon");
    def = house_def();
    def.tolerance = NAN;
    expect_refusal(&def, LF_BAD_ARGUMENT, -1, "tolerance");
    def = house_def();
    def.frame.down = (lf_vec3){0, 0, 0};
    expect_refusal(&def, LF_BAD_ARGUMENT, -1, "gravity");
}

static lf_status build_house(const lf_host *host, void *user) {
    lf_mesh_def def = house_def();
    def.host = *host;
    def.polygons.sides = house_sides;
    (void)user;
    lf_mesh *mesh = NULL;
    lf_status status = lf_mesh_create(&def, &mesh, NULL);
    lf_mesh_destroy(mesh);
    return status;
}

static void memory_may_run_out(void **state) {
    (void)state;
    test_out_of_memory(build_house, NULL);
}

static void defaults_are_inline_and_exported(void **state) {
    (void)state;
    lf_mesh_def a = lf_mesh_def_default(), b;
    memset(&b, 0, sizeof b);
    b = lf_mesh_def_default();
    assert_int_equal(a.size, b.size);
    assert_true(a.tolerance == b.tolerance && a.frame.down.z == b.frame.down.z);
    lf_frame plain = lf_frame_default();
    assert_int_equal(a.frame.kind, plain.kind);
    assert_memory_equal(&a.frame.origin, &plain.origin, sizeof plain.origin);
    assert_memory_equal(&a.frame.down, &plain.down, sizeof plain.down);
    assert_memory_equal(a.frame.rows, plain.rows, sizeof plain.rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mesh_says_what_it_is),
        cmocka_unit_test(heights_below_above_and_why_not),
        cmocka_unit_test(all_heights_from_the_top),
        cmocka_unit_test(rays_meet_walls_and_respect_sides),
        cmocka_unit_test(layers_filter),
        cmocka_unit_test(gravity_points_to_a_centre),
        cmocka_unit_test(gravity_points_from_or_to_an_axis),
        cmocka_unit_test(batches_equal_single_questions),
        cmocka_unit_test(bad_questions_are_refused),
        cmocka_unit_test(bad_polygons_are_refused_by_index),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(defaults_are_inline_and_exported),
    };
    return cmocka_run_group_tests_name("mesh and ground", tests, NULL, NULL);
}
