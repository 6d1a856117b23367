/// The nested grid: every instruction set gives the same bits, crowded cells become grids, and the fast path agrees with
/// the careful one.
#include "mesh/mesh.h"
#include "support.h"
#include <landfall/ground.h>
#include <string.h>

enum { TRIANGLES = 2000, POINTS = 500 };

typedef struct soup {
    lf_vec3 vertices[3 * TRIANGLES];
    int64_t corners[3 * TRIANGLES];
    uint64_t users[TRIANGLES];
    bool with_users;
} soup;

/// Triangles of many sizes, crowded around the origin so that some cells need grids of their own.
static void fill_soup(soup *s, test_random *random, double offset) {
    for (int i = 0; i < TRIANGLES; i++) {
        double spread = i % 4 ? 5 : 500, size = i % 16 ? 1 : 40;
        lf_vec3 at = {offset + test_random_between(random, -spread, spread),
                      test_random_between(random, -spread, spread), test_random_between(random, -20, 20)};
        for (int c = 0; c < 3; c++) {
            s->corners[3 * i + c] = 3 * i + c;
            s->users[i] = (uint64_t)i * 7 + 1;
            s->vertices[3 * i + c] = (lf_vec3){at.x + test_random_between(random, -size, size),
                                               at.y + test_random_between(random, -size, size),
                                               at.z + test_random_between(random, -1, 1)};
        }
    }
}

static lf_mesh *make_mesh(const soup *s, lf_vec3 gravity, bool compact) {
    lf_mesh_def def = lf_mesh_def_default();
    lf_mesh *mesh = NULL;
    def.compact = compact;
    def.polygons = (lf_polygons){.vertices = s->vertices,
                                 .vertex_count = 3 * TRIANGLES,
                                 .corners = s->corners,
                                 .polygon_count = TRIANGLES,
                                 .users = s->with_users ? s->users : NULL};
    assert_int_equal(lf_frame_gravity(gravity, &def.frame), LF_OK);
    assert_int_equal(lf_mesh_create(&def, &mesh, NULL), LF_OK);
    return mesh;
}

/// Anywhere, on a vertex, or between two: the last two are where the kernels are in doubt.
static lf_vec3 some_point(test_random *random, const soup *s, int kind) {
    lf_vec3 a = s->vertices[test_random_below(random, 3 * TRIANGLES)];
    if (kind % 4 == 0)
        return (lf_vec3){a.x, a.y, 100};
    lf_vec3 b = s->vertices[test_random_below(random, 3 * TRIANGLES)];
    double t = test_random_between(random, 0, 1);
    return (lf_vec3){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), kind % 4 == 1 ? a.z : 100};
}

static bool same_hit(const lf_hit *a, const lf_hit *b) {
    return a->kind == b->kind && a->reason == b->reason && memcmp(&a->t, &b->t, sizeof a->t) == 0 &&
           memcmp(&a->point, &b->point, sizeof a->point) == 0 &&
           memcmp(&a->normal, &b->normal, sizeof a->normal) == 0 && a->element == b->element;
}

static void compare(lf_mesh *mesh, const soup *s, test_random *random) {
    const lf__nest_kernels *best = mesh->nest_kernels, *plain = lf__nest_kernels_for(LF_ISA_SCALAR);
    lf_cursor *cursor;
    assert_int_equal(lf_cursor_create(NULL, &cursor), LF_OK);
    for (int i = 0; i < POINTS; i++) {
        lf_vec3 point = some_point(random, s, i);
        bool down = i % 3 != 0;
        lf_hit by_best, by_plain, carefully;
        memset(&by_best, 0x55, sizeof by_best);
        memset(&by_plain, 0xaa, sizeof by_plain);
        mesh->nest_kernels = best;
        lf__nest_query(mesh, &point, down, &by_best, NULL);
        mesh->nest_kernels = plain;
        lf__nest_query(mesh, &point, down, &by_plain, NULL);
        lf__nest_query(mesh, &point, down, &carefully, cursor);
        assert_memory_equal(&by_best, &by_plain, sizeof by_best);
        assert_true(same_hit(&by_best, &carefully));
    }
    mesh->nest_kernels = best;
    assert_int_equal(lf_cursor_counters(cursor).questions, POINTS);
    lf_cursor_destroy(cursor);
}

static void all_ways_agree(void **state) {
    (void)state;
    static soup s;
    const lf_vec3 gravities[] = {{0, 0, -1}, {0, 0, -9.81}, {1, 2, -3}, {0, 1, 0}};
    test_random random = test_random_start(41);
    for (size_t k = 0; k < sizeof gravities / sizeof gravities[0]; k++) {
        fill_soup(&s, &random, k == 1 ? 1e7 : 0);
        s.with_users = k == 1;
        lf_mesh *mesh = make_mesh(&s, gravities[k], false);
        assert_true(mesh->nest.depth >= 1);
        compare(mesh, &s, &random);
        lf_mesh_destroy(mesh);
    }
}

/// A compact mesh gives the same bits, in less memory.
static void a_compact_one_agrees(void **state) {
    (void)state;
    static soup s;
    const lf_vec3 gravities[] = {{0, 0, -1}, {1, 2, -3}};
    test_random random = test_random_start(43);
    for (size_t k = 0; k < sizeof gravities / sizeof gravities[0]; k++) {
        fill_soup(&s, &random, 0);
        lf_mesh *mesh = make_mesh(&s, gravities[k], false), *compact = make_mesh(&s, gravities[k], true);
        assert_true(lf_mesh_describe(compact).height_bytes + 32 * TRIANGLES <=
                    lf_mesh_describe(mesh).height_bytes);
        for (int i = 0; i < POINTS; i++) {
            lf_vec3 point = some_point(&random, &s, i);
            if (k == 0 && i % 5 == 0)
                point.z = LF_INFINITY;
            lf_hit hit, other;
            lf__nest_query(mesh, &point, isinf(point.z) || i % 3 != 0, &hit, NULL);
            lf__nest_query(compact, &point, isinf(point.z) || i % 3 != 0, &other, NULL);
            assert_true(same_hit(&hit, &other));
        }
        lf_mesh_destroy(compact);
        lf_mesh_destroy(mesh);
    }
}

/// A hit of a batch, and its bare height, against the question asked alone.
static void check_one(const lf_ground *ground, lf_vec3 point, lf_vertical look, const lf_hit *many,
                      double height) {
    lf_frame frame = lf_ground_frame(ground);
    lf_hit one;
    assert_int_equal(lf_ground_height(ground, point, look, &one, NULL), LF_OK);
    assert_true(same_hit(&one, many));
    assert_true(one.triangle == many->triangle && one.user == many->user && one.layers == many->layers);
    bool plain = frame.kind == LF_FRAME_GRAVITY && frame.down.x == 0 && frame.down.y == 0 && frame.down.z < 0;
    double expected = plain ? one.point.z : lf_frame_to_local(&frame, one.point).z;
    if (one.kind == LF_HIT_NONE)
        assert_true(isnan(height));
    else
        assert_memory_equal(&height, &expected, sizeof height);
}

static void use_kernels(lf_mesh *mesh, const lf__nest_kernels *kernels) {
    mesh->nest_kernels = kernels;
    lf__mesh_choose_path(mesh);
}

/// Batches with a stride and with several threads, by every instruction set.
static void check_batches(lf_mesh *mesh, const soup *s, test_random *random) {
    typedef struct wide {
        double height;
        char other[24];
    } wide;
    static lf_vec3 points[POINTS];
    static lf_hit hits[POINTS];
    static wide heights[POINTS];
    const lf__nest_kernels *kinds[] = {mesh->nest_kernels, lf__nest_kernels_for(LF_ISA_SCALAR)};
    lf_tasks tasks = test_tasks(3);
    const lf_ground *ground;
    ground = lf_mesh_ground(mesh);
    for (int round = 0; round < 4; round++) {
        lf_vertical look = round % 2 ? LF_VERTICAL_UP : LF_VERTICAL_DOWN;
        use_kernels(mesh, kinds[round / 2]);
        for (int i = 0; i < POINTS; i++) {
            points[i] = some_point(random, s, i);
            if (i % 7 == 0)
                points[i].x += 1e6; // beyond the grid
            if (i % 11 == 0 && mesh->straight && look == LF_VERTICAL_DOWN)
                points[i].z = LF_INFINITY;
        }
        assert_int_equal(lf_ground_height_many(ground, points, 0, POINTS, look, hits, 0, &tasks), LF_OK);
        assert_int_equal(lf_ground_heights_many(ground, points, sizeof *points, POINTS, look,
                                                &heights[0].height, sizeof *heights, round ? NULL : &tasks),
                         LF_OK);
        for (int i = 0; i < POINTS; i++)
            check_one(ground, points[i], look, &hits[i], heights[i].height);
    }
    use_kernels(mesh, kinds[0]);
    heights[0].height = 4711;
    points[POINTS - 1].y = NAN;
    assert_int_equal(
        lf_ground_heights_many(ground, points, 0, POINTS, LF_VERTICAL_DOWN, &heights[0].height, 0, NULL),
        LF_BAD_ARGUMENT);
    assert_true(heights[0].height == 4711);
    assert_int_equal(
        lf_ground_heights_many(NULL, points, 0, 1, LF_VERTICAL_DOWN, &heights[0].height, 0, NULL),
        LF_BAD_ARGUMENT);
    assert_int_equal(lf_ground_heights_many(ground, NULL, 0, 0, LF_VERTICAL_DOWN, NULL, 0, NULL), LF_OK);
}

static void batches_are_single_questions(void **state) {
    (void)state;
    static soup s;
    const lf_vec3 gravities[] = {{0, 0, -1}, {1, 2, -3}};
    test_random random = test_random_start(43);
    for (size_t k = 0; k < sizeof gravities / sizeof gravities[0]; k++) {
        fill_soup(&s, &random, 0);
        lf_mesh *mesh = make_mesh(&s, gravities[k], false);
        check_batches(mesh, &s, &random);
        lf_mesh_destroy(mesh);
    }
}

static void a_pile_stays_one_leaf(void **state) {
    (void)state;
    static soup s;
    for (int i = 0; i < TRIANGLES; i++) {
        const lf_vec3 corners[3] = {{0, 0, i}, {10, 0, i}, {0, 10, i}};
        memcpy(s.vertices + 3 * i, corners, sizeof corners);
        for (int c = 0; c < 3; c++)
            s.corners[3 * i + c] = 3 * i + c;
    }
    lf_mesh *mesh = make_mesh(&s, (lf_vec3){0, 0, -1}, false);
    assert_true(mesh->nest.reference_count <= 64 * (int64_t)TRIANGLES * 64);
    const lf__nest_kernels *kinds[] = {mesh->nest_kernels, lf__nest_kernels_for(LF_ISA_SCALAR)};
    const lf_ground *ground;
    ground = lf_mesh_ground(mesh);
    for (int k = 0; k < 2; k++) {
        lf_hit hit;
        use_kernels(mesh, kinds[k]);
        lf_ground_height(ground, (lf_vec3){2, 2, 1234.5}, LF_VERTICAL_DOWN, &hit, NULL);
        assert_int_equal(hit.element, 1234);
        assert_true(hit.t == 0.5);
        lf_ground_height(ground, (lf_vec3){2, 2, 1234.5}, LF_VERTICAL_UP, &hit, NULL);
        assert_int_equal(hit.element, 1235);
        lf_ground_height(ground, (lf_vec3){2, 2, -1}, LF_VERTICAL_DOWN, &hit, NULL);
        assert_int_equal(hit.reason, LF_REASON_NONE);
        lf_ground_height(ground, (lf_vec3){6, 6, 5}, LF_VERTICAL_DOWN, &hit, NULL);
        assert_int_equal(hit.reason, LF_REASON_OUTSIDE);
    }
    lf_mesh_destroy(mesh);
}

/// What is long and thin, or lies in a line, takes no more cells than its polygons are worth.
static void thin_meshes_stay_small(void **state) {
    (void)state;
    static const double breadths[] = {0, 1e-9, 1e-3, 1};
    for (size_t i = 0; i < sizeof breadths / sizeof *breadths; i++) {
        const lf_vec3 vertices[] = {{0, 0, 0}, {1e6, 0, 0}, {1e6, breadths[i], 1}, {0, breadths[i], 1}};
        const int64_t corners[] = {0, 1, 2, 0, 2, 3};
        lf_mesh_def def = lf_mesh_def_default();
        def.polygons.vertices = vertices;
        def.polygons.vertex_count = 4;
        def.polygons.corners = corners;
        def.polygons.polygon_count = 2;
        test_place place = test_place_make(&def);
        assert_true(lf_mesh_describe(place.mesh).bytes < 8192);
        lf_hit hit;
        lf_vec3 above = {5e5, breadths[i] / 2, 9};
        assert_int_equal(lf_ground_height(place.ground, above, LF_VERTICAL_DOWN, &hit, NULL), LF_OK);
        assert_int_equal(hit.kind == LF_HIT_NONE, breadths[i] == 0);
        test_place_drop(place);
    }
}

enum { SQUARES = 8, GROUND = 2 * SQUARES * SQUARES };

/// Large triangles that cover whole cells, and many small ones over a corner of them.
static void fill_ground(soup *s, test_random *random, double offset) {
    fill_soup(s, random, offset);
    for (int i = 0; i < GROUND; i++) {
        int column = i / 2 % SQUARES, row = i / 2 / SQUARES, upper = i % 2;
        const int corners[2][3][2] = {{{0, 0}, {1, 0}, {1, 1}}, {{0, 0}, {1, 1}, {0, 1}}};
        for (int c = 0; c < 3; c++) {
            int x = column + corners[upper][c][0], y = row + corners[upper][c][1];
            s->vertices[3 * i + c] = (lf_vec3){offset + 100.0 * x, 100.0 * y, (x * 7 + y * 13) % 11 - 60.0};
        }
    }
    for (int i = GROUND; i < TRIANGLES; i++)
        for (int c = 0; c < 3; c++) {
            lf_vec3 *v = &s->vertices[3 * i + c];
            *v = (lf_vec3){offset + 5 + test_random_between(random, 0, 15),
                           test_random_between(random, 5, 20), test_random_between(random, -20, 20)};
        }
}

/// Is a point within a closed triangle, seen along gravity?
static bool is_within(const lf_mesh *mesh, int64_t triangle, lf_vec3 point) {
    lf_vec3 corner[3];
    bool left = false, right = false;
    lf__mesh_triangle(mesh, triangle, corner);
    for (int c = 0; c < 3; c++) {
        int side = lf_orient_line(point, mesh->frame.down, corner[c], corner[(c + 1) % 3]);
        left |= side >= 0;
        right |= side <= 0;
    }
    return !(left && right);
}

/// Points of a covered cell, on its border too, are strictly within its triangle and in no other.
static int check_covered(const lf_mesh *mesh, test_random *random) {
    const lf__nest *nest = &mesh->nest;
    int covered = 0;
    for (int64_t i = 0; i < nest->columns * nest->rows; i++) {
        if (!lf__nest_is_covered(nest->top[i]))
            continue;
        covered++;
        for (int k = 0; k < 8; k++) {
            double u = k < 4 ? k % 2 : test_random_between(random, 0, 1);
            double v = k < 4 ? k / 2 : test_random_between(random, 0, 1);
            lf_vec3 local = {nest->origin_x + ((double)(i % nest->columns) + u) / nest->per_metre,
                             nest->origin_y + ((double)(i / nest->columns) + v) / nest->per_metre, 0};
            const lf_vec3 *rows = mesh->frame.rows;
            lf_vec3 point =
                mesh->straight
                    ? local
                    : lf_vec3_along(lf_vec3_along(lf_vec3_scale(rows[0], local.x), local.y, rows[1]), local.z,
                                    rows[2]);
            for (int64_t t = 0; t < mesh->triangle_count; t++)
                if (!lf__mesh_gone(mesh, t))
                    assert_int_equal(is_within(mesh, t, point), t == lf__nest_covering(nest->top[i]));
        }
    }
    return covered;
}

static void covered_cells_have_one_triangle(void **state) {
    (void)state;
    static soup s;
    const lf_vec3 gravities[] = {{0, 0, -1}, {0, 0, -9.81}, {0.1, 0.2, -3}};
    test_random random = test_random_start(47);
    for (size_t k = 0; k < sizeof gravities / sizeof gravities[0]; k++) {
        fill_ground(&s, &random, k == 1 ? 1e7 : 0);
        lf_mesh *mesh = make_mesh(&s, gravities[k], false);
        assert_true(check_covered(mesh, &random) > 50);
        compare(mesh, &s, &random);
        check_batches(mesh, &s, &random);
        lf_mesh_destroy(mesh);
    }
}

/// A covered cell that loses its triangle is a hole, and with a new one it is ground again.
static void covered_cells_can_be_edited(void **state) {
    (void)state;
    static soup s;
    test_random random = test_random_start(48);
    fill_ground(&s, &random, 0);
    lf_mesh *mesh = make_mesh(&s, (lf_vec3){0, 0, -1}, false);
    for (int64_t i = 2 * SQUARES + 3; i < GROUND - 2 * SQUARES; i += 7) {
        lf_vec3 corner[3], middle;
        lf__mesh_triangle(mesh, i, corner);
        middle = lf_vec3_scale(lf_vec3_add(corner[0], lf_vec3_add(corner[1], corner[2])), 1 / 3.0);
        middle.z = 100;
        lf_hit before, without, again;
        lf_ground_height(lf_mesh_ground(mesh), middle, LF_VERTICAL_DOWN, &before, NULL);
        lf_mesh_edit_def def = lf_mesh_edit_def_default();
        def.remove = &i;
        def.remove_count = 1;
        assert_int_equal(lf_mesh_edit(mesh, &def, NULL, NULL), LF_OK);
        lf_ground_height(lf_mesh_ground(mesh), middle, LF_VERTICAL_DOWN, &without, NULL);
        const int64_t corners[] = {0, 1, 2};
        def = lf_mesh_edit_def_default();
        def.add =
            (lf_polygons){.vertices = corner, .vertex_count = 3, .corners = corners, .polygon_count = 1};
        assert_int_equal(lf_mesh_edit(mesh, &def, NULL, NULL), LF_OK);
        lf_ground_height(lf_mesh_ground(mesh), middle, LF_VERTICAL_DOWN, &again, NULL);
        assert_int_equal(before.element, i);
        assert_int_equal(without.kind, LF_HIT_NONE);
        assert_int_equal(without.reason, LF_REASON_HOLE);
        assert_int_equal(again.element, mesh->polygon_count - 1);
        assert_true(again.t == before.t);
    }
    assert_true(check_covered(mesh, &random) > 50);
    compare(mesh, &s, &random);
    lf_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ways_agree),
        cmocka_unit_test(a_compact_one_agrees),
        cmocka_unit_test(batches_are_single_questions),
        cmocka_unit_test(covered_cells_have_one_triangle),
        cmocka_unit_test(covered_cells_can_be_edited),
        cmocka_unit_test(a_pile_stays_one_leaf),
        cmocka_unit_test(thin_meshes_stay_small),
    };
    return cmocka_run_group_tests_name("mesh: nested grid", tests, NULL, NULL);
}
