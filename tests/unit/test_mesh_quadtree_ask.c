// Questions to the quadtree: what they cost, and answers where the tree has to be careful.
#include "published/quadtree.h"
#include "support.h"
#include <samples.h>
#include <stdlib.h>
#include <string.h>

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

static lf_made_polygons *make_park(int64_t count, lf_polygons *polygons) {
    lf_make_polygons_def def = lf_make_polygons_def_default();
    lf_made_polygons *made = NULL;
    def.polygon_count = count;
    assert_int_equal(lf_make_polygons(&def, &made, NULL), LF_OK);
    *polygons = lf_made_polygons_view(made);
    return made;
}

static lf_vec3 somewhere(lf_box box, test_random *random) {
    return (lf_vec3){test_random_between(random, box.low.x, box.high.x),
                     test_random_between(random, box.low.y, box.high.y),
                     test_random_between(random, box.low.z, box.high.z)};
}

// ---------------------------------------------------------------------------------------------------
// Table 3
// ---------------------------------------------------------------------------------------------------

static void add(lf__operations *sum, const lf__operations *more) {
    sum->times += more->times;
    sum->compares += more->compares;
    sum->adds += more->adds;
    sum->multiplies += more->multiplies;
}

/// Compares, additions and multiplications per operation are those of the paper, for every question.
static void check_table(const lf__quadtree_count *count) {
    assert_int_equal(count->child.compares, 2 * count->child.times);
    assert_int_equal(count->child.adds + count->child.multiplies, 0);
    assert_in_range(count->box.compares, count->box.times, 4 * count->box.times);
    assert_int_equal(count->box.adds + count->box.multiplies, 0);
    assert_int_equal(count->line.compares, count->line.times);
    assert_int_equal(count->line.adds, count->line.times);
    assert_int_equal(count->line.multiplies, 2 * count->line.times);
    assert_int_equal(count->plane.compares, 0);
    assert_int_equal(count->plane.adds, 2 * count->plane.times);
    assert_int_equal(count->plane.multiplies, 2 * count->plane.times);
}

static void operations_are_those_of_table_three(void **state) {
    (void)state;
    lf_mesh_def def = lf_mesh_def_default();
    lf_made_polygons *made = make_park(4000, &def.polygons);
    def.index = lf_quadtree_index();
    test_place p = make_place(&def);
    lf_quadtree_stats stats;
    lf_cursor *cursor;
    lf__quadtree_count sum = {0};
    test_random random = test_random_start(61);
    const int questions = 4000;
    assert_int_equal(lf_quadtree_describe(p.mesh, &stats), LF_OK);
    assert_int_equal(lf_cursor_create(NULL, &cursor), LF_OK);
    for (int i = 0; i < questions; i++) {
        lf_vec3 point = somewhere(lf_ground_box(p.ground), &random);
        lf__quadtree_count count = {0};
        lf_hit hit, counted;
        point.z += 50;
        lf_cursor_reset(cursor);
        assert_true(lf__quadtree_height_counted(p.mesh, point, true, &counted, &count));
        assert_int_equal(lf_ground_height(p.ground, point, LF_VERTICAL_DOWN, &hit, cursor), LF_OK);
        assert_true(hit.kind == counted.kind && hit.element == counted.element && hit.t == counted.t);
        check_table(&count);
        // One leaf was entered, every polygon in it had its box tested, and what was met had its height
        // computed.
        lf_counters cost = lf_cursor_counters(cursor);
        assert_int_equal(cost.cells, 1);
        assert_int_equal(count.child.times, cost.nodes);
        assert_int_equal(count.box.times, cost.triangles);
        assert_true(count.plane.times >= (hit.kind != LF_HIT_NONE));
        assert_true(count.child.times <= (uint64_t)stats.depth);
        assert_int_equal(count.border.times, 1);
        add(&sum.box, &count.box);
        add(&sum.plane, &count.plane);
    }
    // Over many points, the boxes tested are what the statistics promise: the published "average tests".
    double tests = (double)sum.box.times / questions;
    assert_true(fabs(tests - stats.tests) < 0.1 * stats.tests);
    lf_cursor_destroy(cursor);
    drop_place(p);
    lf_made_polygons_destroy(made);
}

/// Four compares for a box that holds the point, one to four for others.
static void a_box_takes_one_to_four_compares(void **state) {
    (void)state;
    static const lf_vec3 vertices[] = {{2, 2, 0}, {4, 2, 0}, {4, 4, 0}, {2, 4, 0},
                                       {0, 0, 0}, {8, 0, 0}, {8, 8, 0}, {0, 8, 0}};
    static const int64_t starts[] = {0, 4, 8}, corners[] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const struct {
        double x, y;
        uint64_t compares, lines, planes;
    } cases[] = {{1, 3, 1 + 4, 8, 1},
                 {5, 3, 2 + 4, 8, 1},
                 {3, 1, 3 + 4, 8, 1},
                 {3, 5, 4 + 4, 8, 1},
                 {3, 3, 4 + 4, 16, 2}};
    lf_mesh_def def = lf_mesh_def_default();
    def.polygons = (lf_polygons){vertices, 8, starts, corners, 2, NULL, NULL, NULL};
    def.index = lf_quadtree_index();
    test_place p = make_place(&def);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        lf__quadtree_count count = {0};
        lf_hit hit;
        assert_true(
            lf__quadtree_height_counted(p.mesh, (lf_vec3){cases[i].x, cases[i].y, 9}, true, &hit, &count));
        assert_int_equal(count.child.times, 0);
        assert_int_equal(count.box.compares, cases[i].compares);
        assert_int_equal(count.line.times, cases[i].lines); // each edge twice: surely outside? surely inside?
        assert_int_equal(count.plane.times, cases[i].planes);
        assert_int_equal(hit.element, i == 4 ? 0 : 1); // of two at one height, the lower number
    }
    drop_place(p);
}

// ---------------------------------------------------------------------------------------------------
// The same answers
// ---------------------------------------------------------------------------------------------------

/// What two grounds say about a point.
static void expect_same(test_place a, test_place b, lf_vec3 point, lf_vertical look) {
    lf_hit one, other;
    assert_int_equal(lf_ground_height(a.ground, point, look, &one, NULL), LF_OK);
    assert_int_equal(lf_ground_height(b.ground, point, look, &other, NULL), LF_OK);
    assert_int_equal(one.kind, other.kind);
    assert_int_equal(one.reason, other.reason);
    if (one.kind == LF_HIT_NONE)
        return;
    double size = lf_vec3_length(point) + lf_vec3_length(other.point) + 1;
    assert_true(fabs(one.t - other.t) <= 1e-10 * size);
    assert_true(lf_vec3_length(lf_vec3_sub(one.point, other.point)) <= 1e-10 * size);
}

/// A park in a frame, by quadtree and by default.
static void compare_parks(lf_frame frame, bool turn, uint64_t salt) {
    lf_mesh_def def = lf_mesh_def_default();
    lf_made_polygons *made = make_park(4000, &def.polygons);
    test_random random = test_random_start(salt);
    def.frame = frame;
    test_place plain = make_place(&def);
    def.index = lf_quadtree_index();
    lf_quadtree_def quadtree = lf_quadtree_def_default();
    quadtree.turn = turn;
    def.index_def = &quadtree;
    test_place tree = make_place(&def);
    lf_box box = lf_ground_box(tree.ground);
    for (int i = 0; i < 2000; i++) {
        lf_vec3 point = somewhere(box, &random);
        if (i % 3 == 0) // a corner of a polygon
            point = def.polygons.vertices[test_random_below(&random, def.polygons.vertex_count)];
        if (i % 5 == 0) // far away along gravity
            point =
                lf_vec3_along(point, test_random_between(&random, -1e4, 1e4), lf_frame_down(&frame, point));
        expect_same(tree, plain, point, i % 2 ? LF_VERTICAL_UP : LF_VERTICAL_DOWN);
    }
    drop_place(tree);
    drop_place(plain);
    lf_made_polygons_destroy(made);
}

static void a_park_has_the_same_heights_in_every_frame(void **state) {
    (void)state;
    lf_frame frame = lf_frame_default();
    compare_parks(frame, false, 71);
    compare_parks(frame, true, 72);
    assert_int_equal(lf_frame_gravity((lf_vec3){0.3, -0.2, -9.7}, &frame), LF_OK);
    compare_parks(frame, false, 73);
    compare_parks(frame, true, 74);
    assert_int_equal(lf_frame_centre((lf_vec3){100, 80, -3000}, &frame), LF_OK);
    compare_parks(frame, false, 75);
    assert_int_equal(lf_frame_axis((lf_vec3){100, 80, -400}, (lf_vec3){1, 0.2, 0}, true, &frame), LF_OK);
    compare_parks(frame, false, 76);
    assert_int_equal(lf_frame_axis((lf_vec3){100, 80, 500}, (lf_vec3){0, 3, 0.1}, false, &frame), LF_OK);
    compare_parks(frame, false, 77);
}

/// A ball seen from its middle has ground in every direction: once, or more on edges. Poles and seam are no exception.
static void a_ball_is_closed_all_round(void **state) {
    (void)state;
    lf_make_polygons_def make = lf_make_polygons_def_default();
    lf_made_polygons *made = NULL;
    make.kind = LF_MADE_SPHERE;
    assert_int_equal(lf_make_polygons(&make, &made, NULL), LF_OK);
    lf_mesh_def def = lf_mesh_def_default();
    def.polygons = lf_made_polygons_view(made);
    def.index = lf_quadtree_index();
    assert_int_equal(lf_frame_centre((lf_vec3){0, 0, 0}, &def.frame), LF_OK);
    test_place p = make_place(&def);
    test_random random = test_random_start(81);
    lf_quadtree_stats stats;
    assert_int_equal(lf_quadtree_describe(p.mesh, &stats), LF_OK);
    assert_true(stats.tests < 24); // the boxes in angles are not too wide
    for (int i = 0; i < 5000; i++) {
        lf_vec3 q = {test_random_between(&random, -1, 1), test_random_between(&random, -1, 1),
                     test_random_between(&random, -1, 1)};
        if (i % 4 == 0)
            q = def.polygons.vertices[test_random_below(&random, def.polygons.vertex_count)];
        if (i % 4 == 1)
            q = (lf_vec3){0, 0, i % 8 == 1 ? 1 : -1};
        if (i % 4 == 2)
            q = (lf_vec3){-fabs(q.x), i % 8 == 2 ? 0.0 : -0.0, q.z};
        q = lf_vec3_scale(q, 1.5 / lf_vec3_length(q));
        lf_hit hits[16];
        int64_t count = 0;
        assert_int_equal(lf_ground_height_all(p.ground, q, hits, 16, &count, NULL), LF_OK);
        assert_in_range(count, 1, 12);
        assert_true(hits[0].t > 0.49 && hits[count - 1].t < 0.52);
        assert_int_equal(lf_ground_height(p.ground, q, LF_VERTICAL_DOWN, &hits[1], NULL), LF_OK);
        assert_true(hits[1].kind == LF_HIT_TRIANGLE && hits[1].t == hits[0].t);
    }
    drop_place(p);
    lf_made_polygons_destroy(made);
}

/// Bent within the tolerance: the fan is the surface, whichever structure finds it. The second quad is so steep that the
/// two triangles of its fan face opposite ways.
static void bent_polygons_are_fans(void **state) {
    (void)state;
    static const lf_vec3 vertices[] = {{0, 0, 0}, {4, 0, 0},   {4, 4, 0.4}, {0, 4, 0},
                                       {9, 0, 0}, {9.1, 2, 4}, {9, 4, 0},   {9.1, 2, -4}};
    static const int64_t starts[] = {0, 4, 8}, corners[] = {0, 1, 2, 3, 4, 5, 6, 7};
    lf_mesh_def def = lf_mesh_def_default();
    def.polygons = (lf_polygons){vertices, 8, starts, corners, 2, NULL, NULL, NULL};
    def.tolerance = 1;
    test_place plain = make_place(&def);
    def.index = lf_quadtree_index();
    test_place tree = make_place(&def);
    assert_true(lf__quadtree_of(tree.mesh)->polygons[1].flags & LF__QUADTREE_EXACT);
    lf_hit hit;
    lf_ground_height(tree.ground, (lf_vec3){3, 1, 5}, LF_VERTICAL_DOWN, &hit, NULL);
    assert_true(fabs(hit.point.z - 0.1) < 1e-15 && hit.triangle == 0);
    lf_ground_height(tree.ground, (lf_vec3){1, 3, 5}, LF_VERTICAL_DOWN, &hit, NULL);
    assert_true(fabs(hit.point.z - 0.1) < 1e-15 && hit.triangle == 1);
    for (double x = -0.25; x <= 10; x += 0.0625)
        for (double y = -0.25; y <= 4.5; y += 0.25)
            for (double z = -5; z <= 5; z += 2.5) {
                expect_same(tree, plain, (lf_vec3){x, y, z}, LF_VERTICAL_DOWN);
                expect_same(tree, plain, (lf_vec3){x, y, z}, LF_VERTICAL_UP);
            }
    drop_place(tree);
    drop_place(plain);
}

static void points_from_infinity_and_far_away(void **state) {
    (void)state;
    static const lf_vec3 vertices[] = {{0, 0, 1}, {4, 0, 1}, {4, 4, 1}, {0, 4, 1},
                                       {6, 0, 1}, {8, 0, 1}, {8, 4, 1}, {6, 4, 1}};
    static const int64_t starts[] = {0, 4, 8}, corners[] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const uint8_t sides[] = {2, 1};
    lf_mesh_def def = lf_mesh_def_default();
    def.polygons = (lf_polygons){vertices, 8, starts, corners, 2, NULL, NULL, sides};
    def.index = lf_quadtree_index();
    test_place p = make_place(&def);
    lf_hit hit;
    lf_ground_height(p.ground, (lf_vec3){1, 1, INFINITY}, LF_VERTICAL_DOWN, &hit, NULL);
    assert_true(hit.kind == LF_HIT_TRIANGLE && hit.t == 0 && hit.point.z == 1);
    lf_ground_height(p.ground, (lf_vec3){5, 1, INFINITY}, LF_VERTICAL_DOWN, &hit, NULL);
    assert_int_equal(hit.reason, LF_REASON_HOLE);
    lf_ground_height(p.ground, (lf_vec3){9, 1, INFINITY}, LF_VERTICAL_DOWN, &hit, NULL);
    assert_int_equal(hit.reason, LF_REASON_OUTSIDE);
    lf_ground_height(p.ground, (lf_vec3){1e29, -1e29, 1e29}, LF_VERTICAL_DOWN, &hit, NULL);
    assert_int_equal(hit.reason, LF_REASON_OUTSIDE);
    lf_ground_height(p.ground, (lf_vec3){1, 1, 1e29}, LF_VERTICAL_DOWN, &hit, NULL);
    assert_true(hit.kind == LF_HIT_TRIANGLE && hit.point.z == 1);
    lf_ground_height(p.ground, (lf_vec3){7, 1, -3}, LF_VERTICAL_UP, &hit, NULL);
    assert_int_equal(hit.reason, LF_REASON_HOLE); // one-sided, and seen from behind
    drop_place(p);
    assert_int_equal(lf_frame_gravity((lf_vec3){0, 0.5, -1}, &def.frame), LF_OK);
    p = make_place(&def);
    lf_vec3 far = lf_vec3_along((lf_vec3){1, 1, 1}, -1e7, def.frame.down);
    lf_ground_height(p.ground, far, LF_VERTICAL_DOWN, &hit, NULL);
    assert_true(hit.kind == LF_HIT_TRIANGLE && fabs(hit.point.z - 1) < 1e-6);
    lf_ground_height(p.ground, far, LF_VERTICAL_UP, &hit, NULL);
    assert_int_equal(hit.reason, LF_REASON_NONE);
    drop_place(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_are_those_of_table_three),
        cmocka_unit_test(a_box_takes_one_to_four_compares),
        cmocka_unit_test(a_park_has_the_same_heights_in_every_frame),
        cmocka_unit_test(a_ball_is_closed_all_round),
        cmocka_unit_test(bent_polygons_are_fans),
        cmocka_unit_test(points_from_infinity_and_far_away),
    };
    return cmocka_run_group_tests_name("mesh: asking the quadtree", tests, NULL, NULL);
}
