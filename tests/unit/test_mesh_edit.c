#include "support.h"
#include <landfall/published.h>
#include <string.h>

/// A floor of 16 by 16 squares of two triangles each, a metre wide.
#define SIDE 16

typedef struct floor_arrays {
    lf_vec3 vertices[(SIDE + 1) * (SIDE + 1)];
    int64_t corners[6 * SIDE * SIDE];
    lf_polygons polygons;
} floor_arrays;

static floor_arrays floor_of(void) {
    floor_arrays f;
    int64_t next = 0;
    for (int64_t j = 0; j <= SIDE; j++)
        for (int64_t i = 0; i <= SIDE; i++)
            f.vertices[j * (SIDE + 1) + i] = (lf_vec3){(double)i, (double)j, (double)(i * j % 5) / 8};
    for (int64_t j = 0; j < SIDE; j++)
        for (int64_t i = 0; i < SIDE; i++) {
            int64_t a = j * (SIDE + 1) + i, b = a + 1, c = a + SIDE + 1, d = c + 1;
            const int64_t square[6] = {a, b, d, a, d, c};
            for (int k = 0; k < 6; k++)
                f.corners[next++] = square[k];
        }
    f.polygons = (lf_polygons){.vertex_count = (SIDE + 1) * (SIDE + 1), .polygon_count = 2 * SIDE * SIDE};
    return f;
}

static test_place make_place(const lf_mesh_index *index, const lf_host *host) {
    floor_arrays f = floor_of();
    lf_mesh_def def = lf_mesh_def_default();
    f.polygons.vertices = f.vertices;
    f.polygons.corners = f.corners;
    if (host)
        def.host = *host;
    def.polygons = f.polygons;
    def.index = index;
    lf_quadtree_def quadtree = lf_quadtree_def_default();
    quadtree.max_polygons = 4;
    def.index_def = &quadtree;
    return test_place_make(&def);
}

static void drop_place(test_place p) {
    lf_mesh_destroy(p.mesh);
}

static lf_hit below(const lf_ground *ground, double x, double y) {
    lf_hit hit;
    assert_int_equal(lf_ground_height(ground, (lf_vec3){x, y, 100}, LF_VERTICAL_DOWN, &hit, NULL), LF_OK);
    return hit;
}

/// A square table, as one polygon of four corners.
typedef struct table {
    lf_vec3 vertices[4];
    lf_mesh_edit_def def;
} table;

static const int64_t table_starts[] = {0, 4}, table_corners[] = {0, 1, 2, 3};

static void make_table(table *t, double x, double y, double size, double z) {
    const lf_vec3 vertices[4] = {{x, y, z}, {x + size, y, z}, {x + size, y + size, z}, {x, y + size, z}};
    memcpy(t->vertices, vertices, sizeof vertices);
    t->def = lf_mesh_edit_def_default();
    t->def.add = (lf_polygons){.vertices = t->vertices,
                               .vertex_count = 4,
                               .starts = table_starts,
                               .corners = table_corners,
                               .polygon_count = 1};
}

static void put_and_take(const lf_mesh_index *index) {
    test_place p = make_place(index, NULL);
    table t;
    lf_mesh_edit_result edited;
    make_table(&t, 3, 3, 2, 7);
    assert_int_equal(below(p.ground, 4, 4).element, 2 * (3 * SIDE + 3));
    assert_int_equal(lf_mesh_edit(p.mesh, &t.def, &edited, NULL), LF_OK);
    assert_int_equal(edited.first, 2 * SIDE * SIDE);
    assert_true(edited.work.triangles > 0 && edited.work.references > 0 && !edited.rebuilt);
    lf_hit hit = below(p.ground, 4, 4);
    assert_true(hit.element == edited.first && hit.point.z == 7);
    assert_true(hit.triangle == 0 && below(p.ground, 3.5, 4.5).triangle == 1);
    lf_mesh_info info = lf_mesh_describe(p.mesh);
    assert_int_equal(info.polygon_count, 2 * SIDE * SIDE + 1);
    assert_int_equal(info.triangle_count, 2 * SIDE * SIDE + 2);
    assert_true(info.box.high.z == 7);
    lf_mesh_edit_def away = lf_mesh_edit_def_default();
    int64_t gone[] = {edited.first, 2 * (3 * SIDE + 3)};
    away.remove = gone;
    away.remove_count = 2;
    assert_int_equal(lf_mesh_edit(p.mesh, &away, NULL, NULL), LF_OK);
    lf_hit old = hit;
    assert_int_equal(lf_ground_weights(p.ground, &old), LF_BAD_ARGUMENT); // that polygon is gone
    assert_int_equal(below(p.ground, 3.75, 3.25).reason, LF_REASON_HOLE);
    info = lf_mesh_describe(p.mesh);
    assert_true(info.box.high.z == 0.5 && info.polygon_count == 2 * SIDE * SIDE - 1);
    assert_int_equal(info.id_count, 2 * SIDE * SIDE + 1);
    drop_place(p);
}

static void a_table_comes_and_goes(void **state) {
    (void)state;
    put_and_take(NULL);
    put_and_take(lf_quadtree_index());
}

/// What is beyond the old border, and what is not any more.
static void move_the_border(const lf_mesh_index *index) {
    test_place p = make_place(index, NULL);
    table t;
    lf_mesh_edit_result pier, far;
    assert_int_equal(below(p.ground, -5, 8).reason, LF_REASON_OUTSIDE);
    make_table(&t, -10, 7, 2, 1);
    assert_int_equal(lf_mesh_edit(p.mesh, &t.def, &pier, NULL), LF_OK);
    assert_int_equal(below(p.ground, -5, 8).reason, LF_REASON_HOLE);
    assert_int_equal(below(p.ground, -9, 8).element, pier.first);
    assert_int_equal(below(p.ground, -5, 15).reason, LF_REASON_OUTSIDE);
    make_table(&t, 1e6, 7, 2, 1);
    assert_int_equal(lf_mesh_edit(p.mesh, &t.def, &far, NULL), LF_OK);
    assert_int_equal(below(p.ground, 5e5, 8).reason, LF_REASON_HOLE);
    assert_int_equal(below(p.ground, 1e6 + 1, 8).element, far.first);
    lf_mesh_edit_def away = lf_mesh_edit_def_default();
    int64_t gone[] = {pier.first, far.first};
    away.remove = gone;
    away.remove_count = 2;
    assert_int_equal(lf_mesh_edit(p.mesh, &away, NULL, NULL), LF_OK);
    assert_int_equal(below(p.ground, -5, 8).reason, LF_REASON_OUTSIDE);
    assert_int_equal(below(p.ground, 5e5, 8).reason, LF_REASON_OUTSIDE);
    assert_true(lf_mesh_describe(p.mesh).box.high.x == SIDE);
    drop_place(p);
}

static void borders_move(void **state) {
    (void)state;
    move_the_border(NULL);
    move_the_border(lf_quadtree_index());
}

/// A polygon whose vertices all share one place gives way to a table elsewhere: nothing of it stays in the hull.
static void a_polygon_of_one_place_is_removed(void **state) {
    (void)state;
    static const lf_vec3 vertices[3] = {{4, 5, 1}, {4, 5, 1}, {4, 5, 1}};
    static const int64_t corners[3] = {0, 1, 2}, first = 0;
    for (int structure = 0; structure < 2; structure++) {
        lf_mesh_def def = lf_mesh_def_default();
        def.polygons =
            (lf_polygons){.vertices = vertices, .vertex_count = 3, .corners = corners, .polygon_count = 1};
        def.index = structure ? lf_quadtree_index() : NULL;
        test_place p = test_place_make(&def);
        assert_int_equal(below(p.ground, 4, 5).reason, LF_REASON_HOLE);
        assert_int_equal(below(p.ground, 5, 5).reason, LF_REASON_OUTSIDE);
        table t;
        lf_mesh_edit_result edited;
        make_table(&t, 20, 20, 4, 1);
        t.def.remove = &first;
        t.def.remove_count = 1;
        assert_int_equal(lf_mesh_edit(p.mesh, &t.def, &edited, NULL), LF_OK);
        assert_int_equal(below(p.ground, 4, 5).reason, LF_REASON_OUTSIDE);
        assert_int_equal(below(p.ground, 12, 12.5).reason, LF_REASON_OUTSIDE); // between the two
        assert_int_equal(below(p.ground, 22, 22).element, edited.first);
        drop_place(p);
    }
}

/// The reason at a place, by every way to ask for it.
static void expect_reason(const lf_ground *ground, lf_vec3 point, lf_vertical look, lf_reason reason) {
    enum { MANY = 37 };
    lf_vec3 points[MANY];
    lf_hit hit, hits[MANY];
    lf_cursor *cursor;
    assert_int_equal(lf_cursor_create(NULL, &cursor), LF_OK);
    assert_int_equal(lf_ground_height(ground, point, look, &hit, NULL), LF_OK);
    assert_int_equal(hit.reason, reason);
    assert_int_equal(lf_ground_height(ground, point, look, &hit, cursor), LF_OK);
    assert_int_equal(hit.reason, reason);
    lf_cursor_destroy(cursor);
    for (int k = 0; k < MANY; k++)
        points[k] = point;
    assert_int_equal(lf_ground_height_many(ground, points, 0, MANY, look, hits, 0, NULL), LF_OK);
    for (int k = 0; k < MANY; k++)
        assert_int_equal(hits[k].reason, reason);
}

/// A wall far beside the floor widens the hull but not the nested grid: what lies between is a hole.
static void a_wall_beyond_the_grid_widens_the_hull(void **state) {
    (void)state;
    static const lf_vec3 wall[3] = {{40, 2, 0}, {40, 14, 0}, {40, 8, 5}};
    static const int64_t corners[3] = {0, 1, 2};
    for (int k = 0; k < 3; k++) {
        test_place p = make_place(k == 2 ? lf_quadtree_index() : NULL, NULL);
        if (k == 1) { // gravity that is not -z
            floor_arrays f = floor_of();
            lf_mesh_def def = lf_mesh_def_default();
            drop_place(p);
            f.polygons.vertices = f.vertices, f.polygons.corners = f.corners;
            def.polygons = f.polygons;
            assert_int_equal(lf_frame_gravity((lf_vec3){0, 0, 9.81}, &def.frame), LF_OK);
            p = test_place_make(&def);
        }
        lf_mesh_edit_def def = lf_mesh_edit_def_default();
        lf_mesh_edit_result edited;
        expect_reason(p.ground, (lf_vec3){28, 8, 3}, LF_VERTICAL_DOWN, LF_REASON_OUTSIDE);
        def.add = (lf_polygons){.vertices = wall, .vertex_count = 3, .corners = corners, .polygon_count = 1};
        assert_int_equal(lf_mesh_edit(p.mesh, &def, &edited, NULL), LF_OK);
        assert_true(k == 2 || !edited.rebuilt);
        for (int look = 0; look < 2; look++) {
            expect_reason(p.ground, (lf_vec3){28, 8, 3}, (lf_vertical)look, LF_REASON_HOLE);
            expect_reason(p.ground, (lf_vec3){28, 15.5, 3}, (lf_vertical)look, LF_REASON_OUTSIDE);
            expect_reason(p.ground, (lf_vec3){41, 8, 3}, (lf_vertical)look, LF_REASON_OUTSIDE);
        }
        if (k != 1)
            expect_reason(p.ground, (lf_vec3){28, 8, LF_INFINITY}, LF_VERTICAL_DOWN, LF_REASON_HOLE);
        drop_place(p);
    }
}

/// Values that the mesh had none of, for the polygons that there are too.
static void values_come_with_polygons(void **state) {
    (void)state;
    test_place p = make_place(NULL, NULL);
    const uint64_t users[] = {77};
    const uint32_t layers[] = {6};
    const uint8_t sides[] = {1}, wrong[] = {3};
    table t;
    lf_error error;
    make_table(&t, 3, 3, 2, 7);
    t.def.add.users = users;
    t.def.add.layers = layers;
    t.def.add.sides = wrong;
    assert_int_equal(lf_mesh_edit(p.mesh, &t.def, NULL, &error), LF_BAD_ARGUMENT);
    assert_int_equal(error.where, 0);
    t.def.add.sides = sides;
    assert_int_equal(lf_mesh_edit(p.mesh, &t.def, NULL, NULL), LF_OK);
    lf_hit hit = below(p.ground, 4, 4), other = below(p.ground, 9, 9);
    assert_true(hit.user == 77 && hit.layers == 6 && other.user == 0 && other.layers == 1);
    assert_int_equal(lf_ground_height(p.ground, (lf_vec3){4, 4, 1}, LF_VERTICAL_UP, &hit, NULL), LF_OK);
    assert_int_equal(hit.kind, LF_HIT_NONE); // seen from behind
    drop_place(p);
}

static void bad_edits_are_refused(void **state) {
    (void)state;
    test_place p = make_place(NULL, NULL);
    lf_mesh_edit_def def = lf_mesh_edit_def_default(), made;
    lf_error error;
    lf_mesh_edit_result edited;
    made = lf_mesh_edit_def_default();
    assert_memory_equal(&def, &made, sizeof def);
    assert_int_equal(lf_mesh_edit(p.mesh, &def, &edited, NULL), LF_OK); // nothing to do
    assert_true(edited.first == 2 * SIDE * SIDE && edited.work.nodes == 0);
    assert_int_equal(lf_mesh_edit(NULL, &def, NULL, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_mesh_edit(p.mesh, NULL, NULL, &error), LF_BAD_ARGUMENT);
    def.remove_count = 1;
    assert_int_equal(lf_mesh_edit(p.mesh, &def, NULL, &error), LF_BAD_ARGUMENT);
    def.remove_count = -1;
    assert_int_equal(lf_mesh_edit(p.mesh, &def, NULL, &error), LF_BAD_ARGUMENT);
    int64_t all[2 * SIDE * SIDE];
    for (int64_t i = 0; i < 2 * SIDE * SIDE; i++)
        all[i] = i;
    def.remove = all;
    def.remove_count = 2 * SIDE * SIDE;
    assert_int_equal(lf_mesh_edit(p.mesh, &def, NULL, &error), LF_BAD_GEOMETRY);
    all[5] = 4;
    assert_int_equal(lf_mesh_edit(p.mesh, &def, NULL, &error), LF_BAD_ARGUMENT);
    assert_int_equal(error.where, 5);
    all[0] = -1;
    assert_int_equal(lf_mesh_edit(p.mesh, &def, NULL, &error), LF_BAD_ARGUMENT);
    assert_string_equal(error.text, "remove: polygon -1: expected 0 to 511");
    assert_int_equal(lf_mesh_describe(p.mesh).polygon_count, 2 * SIDE * SIDE);
    assert_true(lf_mesh_describe(p.mesh).edited.nodes == 0);
    assert_int_equal(lf_mesh_compact(NULL, NULL, 0, &error), LF_BAD_ARGUMENT);
    drop_place(p);
}

/// Everything goes but one polygon; and everything goes and something else comes.
static void nearly_nothing_is_left(void **state) {
    (void)state;
    for (int structure = 0; structure < 2; structure++) {
        test_place p = make_place(structure ? lf_quadtree_index() : NULL, NULL);
        int64_t all[2 * SIDE * SIDE], map[2 * SIDE * SIDE + 1];
        table t;
        lf_mesh_edit_result edited;
        for (int64_t i = 0; i < 2 * SIDE * SIDE; i++)
            all[i] = 2 * SIDE * SIDE - 1 - i;
        lf_mesh_edit_def def = lf_mesh_edit_def_default();
        def.remove = all;
        def.remove_count = 2 * SIDE * SIDE - 1;
        assert_int_equal(lf_mesh_edit(p.mesh, &def, NULL, NULL), LF_OK);
        assert_int_equal(below(p.ground, 0.75, 0.25).element, 0);
        assert_int_equal(below(p.ground, 2, 2).reason, LF_REASON_OUTSIDE);
        make_table(&t, 20, 20, 4, 1);
        t.def.remove = all + 2 * SIDE * SIDE - 1;
        t.def.remove_count = 1;
        assert_int_equal(lf_mesh_edit(p.mesh, &t.def, &edited, NULL), LF_OK);
        assert_int_equal(below(p.ground, 0.75, 0.25).reason, LF_REASON_OUTSIDE);
        assert_int_equal(below(p.ground, 22, 22).element, edited.first);
        assert_int_equal(lf_mesh_compact(p.mesh, map, 2 * SIDE * SIDE + 1, NULL), LF_OK);
        assert_true(map[0] == -1 && map[edited.first] == 0);
        lf_mesh_info info = lf_mesh_describe(p.mesh);
        assert_true(info.vertex_count == 4 && info.id_count == 1 && info.edited.nodes == 0);
        assert_int_equal(below(p.ground, 22, 22).element, 0);
        drop_place(p);
    }
}

/// A pile of polygons at one place makes leaves split and trees grow; taking it away makes them shrink again.
static void a_tower_is_built(void **state) {
    (void)state;
    enum { FLOORS = 500 };
    for (int structure = 0; structure < 2; structure++) {
        test_place p = make_place(structure ? lf_quadtree_index() : NULL, NULL);
        static int64_t numbers[FLOORS];
        lf_mesh_edit_result edited;
        table t;
        for (int64_t i = 0; i < FLOORS; i++) {
            make_table(&t, 3 + 1e-3 * (double)(i % 50), 3, 0.01, 1 + 0.01 * (double)i);
            assert_int_equal(lf_mesh_edit(p.mesh, &t.def, &edited, NULL), LF_OK);
            numbers[i] = edited.first;
        }
        lf_ray up = lf_ray_towards((lf_vec3){3.0095, 3.005, 0.9}, (lf_vec3){0, 0, 1});
        lf_hit hit;
        for (int64_t i = FLOORS - 1; i > 0; i--) {
            lf_mesh_edit_def def = lf_mesh_edit_def_default();
            def.remove = &numbers[i];
            def.remove_count = 1;
            assert_int_equal(lf_mesh_edit(p.mesh, &def, NULL, NULL), LF_OK);
        }
        assert_int_equal(below(p.ground, 3.0095, 3.005).element, numbers[0]);
        assert_int_equal(lf_ground_ray_first(p.ground, &up, &hit, NULL), LF_OK);
        assert_int_equal(hit.element, numbers[0]);
        assert_int_equal(lf_mesh_describe(p.mesh).polygon_count, 2 * SIDE * SIDE + 1);
        drop_place(p);
    }
}

static void groups_see_edits(void **state) {
    (void)state;
    test_place p = make_place(NULL, NULL);
    lf_group_part part = {.ground = p.ground, .pose = lf_pose_identity()};
    lf_group_def def = lf_group_def_default();
    lf_group *group;
    const lf_ground *ground;
    def.parts = &part;
    def.part_count = 1;
    assert_int_equal(lf_group_create(&def, &group, NULL), LF_OK);
    ground = lf_group_ground(group);
    assert_int_equal(below(ground, -9, 8).kind, LF_HIT_NONE);
    table t;
    make_table(&t, -10, 7, 2, 1);
    assert_int_equal(lf_mesh_edit(p.mesh, &t.def, NULL, NULL), LF_OK);
    assert_int_equal(below(ground, -9, 8).element, 2 * SIDE * SIDE);
    assert_true(lf_ground_box(ground).low.x == -10);
    lf_group_destroy(group);
    drop_place(p);
}

// ---------------------------------------------------------------------------------------------------
// Memory
// ---------------------------------------------------------------------------------------------------

/// Every question on a raster, as one number.
static double fingerprint(const lf_ground *ground) {
    double sum = 0;
    for (int i = -2; i < 2 * SIDE + 4; i++)
        for (int j = -2; j < 2 * SIDE + 4; j++) {
            lf_hit hit = below(ground, 0.5 * i + 0.25, 0.5 * j + 0.125);
            lf_ray ray = lf_ray_towards((lf_vec3){0.5 * i, 0.5 * j, 5}, (lf_vec3){0.3, 0.2, -1});
            sum = 0.999 * sum + (double)hit.reason + (double)hit.element + hit.point.z;
            assert_int_equal(lf_ground_ray_first(ground, &ray, &hit, NULL), LF_OK);
            sum = 0.999 * sum + (double)hit.element;
        }
    return sum;
}

/// Try an edit with the first, second, ... allocation failing, until it succeeds; a failure changes nothing.
static void fail_everywhere(test_place p, test_memory *memory, const lf_mesh_edit_def *def) {
    double before = fingerprint(p.ground);
    lf_mesh_info info = lf_mesh_describe(p.mesh);
    for (int64_t failing = 0; failing < 1000; failing++) {
        memory->fail_at = memory->calls + failing;
        lf_status status = lf_mesh_edit(p.mesh, def, NULL, NULL);
        memory->fail_at = -1;
        if (status == LF_OK) {
            assert_true(failing > 3 && fingerprint(p.ground) != before);
            return;
        }
        assert_int_equal(status, LF_NO_MEMORY);
        assert_true(fingerprint(p.ground) == before);
        lf_mesh_info now = lf_mesh_describe(p.mesh);
        assert_true(now.polygon_count == info.polygon_count && now.id_count == info.id_count &&
                    now.vertex_count == info.vertex_count && now.box.high.x == info.box.high.x &&
                    now.wall_count == info.wall_count);
    }
    fail_msg("no end of allocations");
}

static void memory_runs_out(const lf_mesh_index *index) {
    test_memory memory;
    test_memory_start(&memory, -1);
    lf_host host = {.allocator = &memory.allocator};
    test_place p = make_place(index, &host);
    const int64_t gone[] = {0, 1, 2, 2 * SIDE - 1, 2 * SIDE * SIDE - 1, 100};
    table t;
    make_table(&t, 3, 3, 6, 2);
    fail_everywhere(p, &memory, &t.def); // within
    make_table(&t, 20, -4, 6, 2);
    t.def.remove = gone;
    t.def.remove_count = sizeof gone / sizeof gone[0];
    fail_everywhere(p, &memory, &t.def); // beyond, and corners go
    for (int i = 0; i < 200; i++) {      // where leaves split
        make_table(&t, 1 + 0.01 * i, 5, 0.05, 1 + 0.01 * i);
        assert_int_equal(lf_mesh_edit(p.mesh, &t.def, NULL, NULL), LF_OK);
    }
    make_table(&t, 1, 5, 1, 1);
    fail_everywhere(p, &memory, &t.def);
    double before = fingerprint(p.ground);
    int64_t failing = 0, map[1000];
    for (lf_status status = LF_NO_MEMORY; status != LF_OK; failing++) {
        memory.fail_at = memory.calls + failing;
        status = lf_mesh_compact(p.mesh, map, 1000, NULL);
        memory.fail_at = -1;
        assert_true(status == LF_OK || (status == LF_NO_MEMORY && fingerprint(p.ground) == before));
    }
    assert_true(failing > 10);
    drop_place(p);
    assert_int_equal(memory.blocks_out, 0);
}

static void a_failure_changes_nothing(void **state) {
    (void)state;
    memory_runs_out(NULL);
    memory_runs_out(lf_quadtree_index());
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_comes_and_goes),
        cmocka_unit_test(borders_move),
        cmocka_unit_test(values_come_with_polygons),
        cmocka_unit_test(bad_edits_are_refused),
        cmocka_unit_test(nearly_nothing_is_left),
        cmocka_unit_test(a_tower_is_built),
        cmocka_unit_test(groups_see_edits),
        cmocka_unit_test(a_failure_changes_nothing),
        cmocka_unit_test(a_polygon_of_one_place_is_removed),
        cmocka_unit_test(a_wall_beyond_the_grid_widens_the_hull),
    };
    return cmocka_run_group_tests_name("mesh edit", tests, NULL, NULL);
}
