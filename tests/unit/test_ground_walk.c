#include "support.h"

/// Rectangles: where, and how high at their low and their high x.
typedef struct slab {
    double x0, x1, y0, y1, z0, z1;
} slab;

typedef struct yard {
    lf_mesh *mesh;
    const lf_ground *ground;
} yard;

#define MOST 64

static yard make_yard_in(const lf_host *host, const slab *slabs, int count, const lf_pose *pose,
                         const uint8_t *sides) {
    lf_vec3 vertices[4 * MOST];
    int64_t starts[MOST + 1], corners[4 * MOST];
    assert_true(count <= MOST);
    for (int i = 0; i < count; i++) {
        slab s = slabs[i];
        lf_vec3 c[4] = {{s.x0, s.y0, s.z0}, {s.x1, s.y0, s.z1}, {s.x1, s.y1, s.z1}, {s.x0, s.y1, s.z0}};
        for (int k = 0; k < 4; k++) {
            vertices[4 * i + k] = pose ? lf_pose_to_world(pose, c[k]) : c[k];
            corners[4 * i + k] = 4 * i + k;
        }
        starts[i] = 4 * i;
    }
    starts[count] = 4 * count;
    lf_mesh_def def = lf_mesh_def_default();
    if (host)
        def.host = *host;
    def.polygons = (lf_polygons){.vertices = vertices,
                                 .vertex_count = 4 * count,
                                 .starts = starts,
                                 .corners = corners,
                                 .polygon_count = count,
                                 .sides = sides};
    if (pose)
        assert_int_equal(lf_frame_gravity(lf_pose_turn_to_world(pose, (lf_vec3){0, 0, -2}), &def.frame),
                         LF_OK);
    yard y;
    assert_int_equal(lf_mesh_create(&def, &y.mesh, NULL), LF_OK);
    y.ground = lf_mesh_ground(y.mesh);
    return y;
}

static yard make_yard(const slab *slabs, int count, const lf_pose *pose, const uint8_t *sides) {
    return make_yard_in(NULL, slabs, count, pose, sides);
}

static void drop_yard(yard y) {
    lf_mesh_destroy(y.mesh);
}

static lf_walk walk(yard y, lf_walker walker, lf_vec3 from, lf_vec3 to) {
    lf_walk w;
    assert_int_equal(lf_ground_walk(y.ground, &walker, from, to, &w, NULL, NULL), LF_OK);
    return w;
}

static void near(double a, double b) {
    if (!(fabs(a - b) <= 1e-11 * (1 + fabs(b))))
        fail_msg("%.17g is not %.17g", a, b);
}

static void holes_stop_however_narrow(void **state) {
    (void)state;
    slab slabs[] = {{0, 10, 0, 10, 0, 0}, {10 + 1e-9, 20, 0, 10, 0, 0}, {20, 30, 0, 10, 0, 3}};
    yard y = make_yard(slabs, 3, NULL, NULL);
    lf_walker walker = lf_walker_default(0.5);
    lf_vec3 from = {1, 5, INFINITY};
    lf_walk w = walk(y, walker, from, (lf_vec3){9, 5, 0});
    assert_int_equal(w.end, LF_WALK_ARRIVED);
    assert_true(w.t == 1 && w.position.x == 9 && w.position.z == 0 && w.ground.element == 0);
    w = walk(y, walker, from, (lf_vec3){19, 5, 0});
    assert_int_equal(w.end, LF_WALK_NO_GROUND);
    assert_int_equal(w.reason, LF_REASON_HOLE);
    near(w.position.x, 10);
    near(w.t, 0.5);
    // A crack that the walker is told to step over.
    walker.crack = 1e-8;
    w = walk(y, walker, from, (lf_vec3){29, 5, 0});
    assert_int_equal(w.end, LF_WALK_ARRIVED);
    near(w.position.z, 2.7);
    w = walk(y, walker, from, (lf_vec3){39, 5, 0});
    assert_int_equal(w.end, LF_WALK_NO_GROUND);
    assert_int_equal(w.reason, LF_REASON_OUTSIDE);
    near(w.position.x, 30);
    near(w.position.z, 3);
    w = walk(y, walker, (lf_vec3){-1, 5, 0}, from);
    assert_true(w.end == LF_WALK_NO_GROUND && w.reason == LF_REASON_OUTSIDE && w.t == 0 &&
                w.ground.kind == LF_HIT_NONE && w.position.x == -1);
    drop_yard(y);
}

static void kerbs_stairs_and_cliffs(void **state) {
    (void)state;
    slab slabs[] = {{0, 10, 0, 10, 0, 0},
                    {10, 11, 0, 10, 0.2, 0.2},
                    {11, 12, 0, 10, 0.4, 0.4},
                    {12, 20, 0, 10, 1.4, 1.4}};
    yard y = make_yard(slabs, 4, NULL, NULL);
    lf_walker walker = {0.2, 0.2, 0};
    lf_vec3 a = {5, 5, INFINITY}, b = {11.5, 5, INFINITY}, c = {15, 5, INFINITY};
    assert_int_equal(walk(y, walker, a, b).end, LF_WALK_ARRIVED);
    assert_int_equal(walk(y, walker, b, a).end, LF_WALK_ARRIVED);
    lf_walk w = walk(y, walker, a, c);
    assert_int_equal(w.end, LF_WALK_STEP_UP);
    near(w.step, 1);
    near(w.position.x, 12);
    near(w.position.z, 0.4);
    w = walk(y, walker, c, a);
    assert_int_equal(w.end, LF_WALK_STEP_DOWN);
    near(w.step, -1);
    near(w.position.z, 1.4);
    walker.drop = 1;
    assert_int_equal(walk(y, walker, c, a).end, LF_WALK_ARRIVED);
    walker.step = 0.19;
    w = walk(y, walker, a, c);
    assert_int_equal(w.end, LF_WALK_STEP_UP);
    near(w.step, 0.2);
    near(w.position.x, 10);
    drop_yard(y);
}

static void a_path_tells_steps_with_both_ends(void **state) {
    (void)state;
    slab slabs[] = {{0, 10, 0, 10, 0, 0}, {10, 20, 0, 10, 0.2, 1.2}};
    yard y = make_yard(slabs, 2, NULL, NULL);
    lf_vec3 points[8];
    lf_path path = {points, 8, 0};
    lf_walk w;
    lf_walker walker = lf_walker_default(0.3);
    assert_int_equal(
        lf_ground_walk(y.ground, &walker, (lf_vec3){5, 5, 9}, (lf_vec3){15, 5, 0}, &w, &path, NULL), LF_OK);
    assert_int_equal(path.count, 4);
    near(points[0].x, 5);
    near(points[1].x, 10);
    near(points[1].z, 0);
    near(points[2].x, 10);
    near(points[2].z, 0.2);
    near(points[3].x, 15);
    near(points[3].z, 0.7);
    path.capacity = 1;
    assert_int_equal(
        lf_ground_walk(y.ground, &walker, (lf_vec3){5, 5, 9}, (lf_vec3){15, 5, 0}, &w, &path, NULL),
        LF_PARTIAL);
    assert_int_equal(path.count, 4);
    assert_int_equal(w.end, LF_WALK_ARRIVED);
    drop_yard(y);
}

static void floors_are_followed(void **state) {
    (void)state;
    // Street, ramp up to a bridge that goes back over the street, and a roof over all.
    slab slabs[] = {{0, 20, 0, 10, 0, 0},
                    {20, 30, 0, 10, 0, 5},
                    {10, 30, 10, 20, 5, 5},
                    {0, 20, 5, 20, 5, 5},
                    {-5, 40, -5, 40, 30, 30}};
    yard y = make_yard(slabs, 5, NULL, NULL);
    lf_walker walker = lf_walker_default(0.3);
    // Along the street, under the bridge, whatever lies above.
    lf_walk w = walk(y, walker, (lf_vec3){1, 7, 1}, (lf_vec3){19, 7, 0});
    assert_true(w.end == LF_WALK_ARRIVED && w.position.z == 0);
    // Up the ramp, where the bridge begins at its end.
    w = walk(y, walker, (lf_vec3){19, 7, 1}, (lf_vec3){30, 10, 0});
    assert_int_equal(w.end, LF_WALK_ARRIVED);
    near(w.position.z, 5);
    w = walk(y, walker, w.position, (lf_vec3){25, 12, 0});
    assert_true(w.end == LF_WALK_ARRIVED && w.ground.element == 2);
    w = walk(y, walker, w.position, (lf_vec3){2, 12, 0});
    assert_true(w.end == LF_WALK_ARRIVED && w.ground.element == 3);
    near(w.position.z, 5);
    // From the bridge down to the street there is no way but the ramp.
    w = walk(y, walker, w.position, (lf_vec3){2, 1, 0});
    assert_int_equal(w.end, LF_WALK_STEP_DOWN);
    near(w.step, -5);
    near(w.position.y, 5);
    // Topmost is the roof.
    w = walk(y, walker, (lf_vec3){1, 7, INFINITY}, (lf_vec3){19, 7, 0});
    near(w.position.z, 30);
    drop_yard(y);
}

static void floors_that_meet_on_the_way(void **state) {
    (void)state;
    // A ramp that comes up through the floor, and one that comes down to it from above (the underside of
    // stairs).
    slab up[] = {{0, 20, 0, 10, 0, 0}, {5, 15, 0, 10, -1, 1}};
    yard y = make_yard(up, 2, NULL, NULL);
    lf_walker walker = lf_walker_default(0.3);
    lf_walk w = walk(y, walker, (lf_vec3){1, 5, 9}, (lf_vec3){14, 5, 0});
    assert_true(w.end == LF_WALK_ARRIVED && w.ground.element == 1);
    near(w.position.z, 0.8);
    drop_yard(y);
    slab down[] = {{0, 20, 0, 10, 0, 0}, {5, 15, 0, 10, 2, 0}};
    y = make_yard(down, 2, NULL, NULL);
    lf_vec3 points[8];
    lf_path path = {points, 8, 0};
    lf_vec3 from = {1, 5, 0}, to = {14.5, 5, 0};
    assert_int_equal(lf_ground_walk(y.ground, &walker, from, to, &w, &path, NULL), LF_OK);
    assert_true(w.end == LF_WALK_ARRIVED && w.ground.element == 1);
    near(w.position.z, 0.1);
    assert_int_equal(path.count, 4);
    assert_true(fabs(points[1].x - 13.5) < 1e-7); // there the ramp is a step above the floor
    assert_true(fabs(points[2].z - 0.3) < 1e-7);
    drop_yard(y);
    // The same floors in pieces: nothing changes, for it is the surface that counts.
    slab pieces[] = {{0, 4, 0, 10, 0, 0},   {4, 12, 0, 10, 0, 0},     {12, 20, 0, 10, 0, 0},
                     {5, 9, 0, 10, 2, 1.2}, {9, 13, 0, 10, 1.2, 0.4}, {13, 15, 0, 10, 0.4, 0}};
    y = make_yard(pieces, 6, NULL, NULL);
    path.capacity = 8;
    assert_int_equal(lf_ground_walk(y.ground, &walker, from, to, &w, &path, NULL), LF_OK);
    near(w.position.z, 0.1);
    assert_true(w.ground.element == 5);
    bool there = false;
    for (int i = 0; i < path.count; i++)
        there |= fabs(points[i].x - 13.5) < 1e-7 && fabs(points[i].z - 0.3) < 1e-7;
    assert_true(there);
    drop_yard(y);
}

static void one_sided_ground_and_layers(void **state) {
    (void)state;
    slab slabs[] = {{0, 20, 0, 10, 0, 0},
                    {5, 15, 10, 0, 0.1, 0.1}}; // the second is wound the other way: faces down
    uint8_t sides[] = {2, 1};
    yard y = make_yard(slabs, 2, NULL, sides);
    lf_walker walker = lf_walker_default(0.3);
    lf_walk w = walk(y, walker, (lf_vec3){1, 5, 1}, (lf_vec3){10, 5, 0});
    assert_true(w.end == LF_WALK_ARRIVED && w.ground.element == 0);
    sides[1] = 2;
    drop_yard(y);
    y = make_yard(slabs, 2, NULL, sides);
    w = walk(y, walker, (lf_vec3){1, 5, 1}, (lf_vec3){10, 5, 0});
    assert_true(w.end == LF_WALK_ARRIVED && w.ground.element == 1);
    lf_cursor *cursor;
    assert_int_equal(lf_cursor_create(NULL, &cursor), LF_OK);
    lf_cursor_set_layers(cursor, 2);
    assert_int_equal(
        lf_ground_walk(y.ground, &walker, (lf_vec3){1, 5, 1}, (lf_vec3){10, 5, 0}, &w, NULL, cursor), LF_OK);
    assert_int_equal(w.end, LF_WALK_NO_GROUND);
    lf_cursor_destroy(cursor);
    drop_yard(y);
}

/// Far from the origin a way passes 2e-7 m beside the corner of the last square: the place next to the border, where the
/// reason is asked for, rounds to one on it.
static void beside_a_corner_far_away(void **state) {
    (void)state;
    slab squares[16];
    for (int i = 0; i < 16; i++) {
        double x = 1e7 + i % 4, y = -1e7 + i / 4.0 - i % 4 / 4.0;
        squares[i] = (slab){x, x + 1, y, y + 1, 0, 0};
    }
    yard y = make_yard(squares, 16, NULL, NULL);
    lf_walk w =
        walk(y, lf_walker_default(2), (lf_vec3){10000003, -9999997, 1}, (lf_vec3){20000107, -20000099, 0});
    assert_true(w.end == LF_WALK_NO_GROUND && w.reason == LF_REASON_OUTSIDE && w.position.x == 10000004);
    drop_yard(y);
}

static void nowhere_to_go(void **state) {
    (void)state;
    slab slabs[] = {{0, 20, 0, 10, 0, 0}};
    yard y = make_yard(slabs, 1, NULL, NULL);
    lf_walk w = walk(y, lf_walker_default(0), (lf_vec3){3, 3, 5}, (lf_vec3){3, 3, -100});
    assert_true(w.end == LF_WALK_ARRIVED && w.position.x == 3 && w.position.z == 0 && w.t == 1);
    w = walk(y, lf_walker_default(INFINITY), (lf_vec3){3, 3, 5}, (lf_vec3){4, 4, INFINITY});
    assert_int_equal(w.end, LF_WALK_ARRIVED);
    drop_yard(y);
}

static void many_floors_take_memory_and_give_it_back(void **state) {
    (void)state;
    slab slabs[MOST];
    for (int i = 0; i < MOST; i++)
        slabs[i] = (slab){0, 10, 0, 10, i, i + 0.25};
    test_memory memory;
    test_memory_start(&memory, -1);
    lf_host host = {&memory.allocator, NULL, NULL, NULL};
    yard y = make_yard_in(&host, slabs, MOST, NULL, NULL);
    const lf_ground *ground = y.ground;
    lf_walker walker = lf_walker_default(0.5);
    lf_walk w;
    int64_t held = memory.blocks_out;
    lf_vec3 from = {1, 1, 40.5}, to = {9, 8, 0};
    assert_int_equal(lf_ground_walk(ground, &walker, from, to, &w, NULL, NULL), LF_OK);
    assert_true(w.end == LF_WALK_ARRIVED && w.ground.element == 40);
    assert_int_equal(memory.blocks_out, held);
    memory.fail_at = memory.calls;
    assert_int_equal(lf_ground_walk(ground, &walker, from, to, &w, NULL, NULL), LF_NO_MEMORY);
    assert_int_equal(memory.blocks_out, held);
    drop_yard(y);
}

/// Turned with everything, a walk is the same walk.
static void any_gravity(void **state) {
    (void)state;
    slab slabs[] = {{0, 10, 0, 10, 0, 1},       {10, 20, 0, 10, 1.2, 0}, {0, 10, 10.5, 20, 0, 0},
                    {10, 20, 10, 20, 0.1, 0.1}, {5, 15, 5, 15, 0.5, 2},  {2, 18, 2, 18, 4, 4}};
    lf_pose pose;
    assert_int_equal(lf_pose_turn((lf_vec3){1, 2, 3}, (lf_vec3){1, -2, 0.5}, 2.2, &pose), LF_OK);
    yard a = make_yard(slabs, 6, NULL, NULL), b = make_yard(slabs, 6, &pose, NULL);
    test_random random = test_random_start(78);
    int ends[4] = {0, 0, 0, 0};
    for (int i = 0; i < 2000; i++) {
        lf_vec3 from = {test_random_between(&random, -1, 21), test_random_between(&random, -1, 21), 3};
        lf_vec3 to = {test_random_between(&random, -1, 21), test_random_between(&random, -1, 21), 7};
        lf_walker walker = {test_random_between(&random, 0, 1), test_random_between(&random, 0, 2), 0};
        lf_walk v = walk(a, walker, from, to);
        lf_walk w = walk(b, walker, lf_pose_to_world(&pose, from), lf_pose_to_world(&pose, to));
        ends[v.end]++;
        assert_int_equal(v.end, w.end);
        assert_int_equal(v.reason, w.reason);
        assert_true(fabs(v.t - w.t) < 1e-7);
        if (v.ground.kind != LF_HIT_NONE) {
            assert_true(lf_vec3_length(lf_vec3_sub(lf_pose_to_world(&pose, v.position), w.position)) < 1e-6);
            assert_int_equal(v.ground.element, w.ground.element);
        }
    }
    for (int i = 0; i < 4; i++)
        assert_true(ends[i] > 20);
    drop_yard(a);
    drop_yard(b);
}

static void bad_walks_are_refused(void **state) {
    (void)state;
    slab slabs[] = {{0, 20, 0, 10, 0, 0}};
    yard y = make_yard(slabs, 1, NULL, NULL);
    lf_walk w;
    lf_vec3 a = {1, 1, 1}, b = {2, 2, 2}, bad = {NAN, 0, 0};
    lf_walker walker = lf_walker_default(1);
    lf_path path = {NULL, 3, 0};
    assert_int_equal(lf_ground_walk(NULL, &walker, a, b, &w, NULL, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_ground_walk(y.ground, NULL, a, b, &w, NULL, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_ground_walk(y.ground, &walker, a, b, NULL, NULL, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_ground_walk(y.ground, &walker, bad, b, &w, NULL, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_ground_walk(y.ground, &walker, a, bad, &w, NULL, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_ground_walk(y.ground, &walker, a, (lf_vec3){1, 1, NAN}, &w, NULL, NULL),
                     LF_BAD_ARGUMENT);
    assert_int_equal(lf_ground_walk(y.ground, &walker, a, b, &w, &path, NULL), LF_BAD_ARGUMENT);
    walker.drop = -1;
    assert_int_equal(lf_ground_walk(y.ground, &walker, a, b, &w, NULL, NULL), LF_BAD_ARGUMENT);
    walker = (lf_walker){1, 1, NAN};
    assert_int_equal(lf_ground_walk(y.ground, &walker, a, b, &w, NULL, NULL), LF_BAD_ARGUMENT);
    drop_yard(y);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holes_stop_however_narrow),
        cmocka_unit_test(kerbs_stairs_and_cliffs),
        cmocka_unit_test(a_path_tells_steps_with_both_ends),
        cmocka_unit_test(floors_are_followed),
        cmocka_unit_test(floors_that_meet_on_the_way),
        cmocka_unit_test(one_sided_ground_and_layers),
        cmocka_unit_test(beside_a_corner_far_away),
        cmocka_unit_test(nowhere_to_go),
        cmocka_unit_test(many_floors_take_memory_and_give_it_back),
        cmocka_unit_test(any_gravity),
        cmocka_unit_test(bad_walks_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
