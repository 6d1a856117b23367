/// Views and cullers: what they accept, what they count, what they remember; kernels against each other.
#include "scene/cull.h"
#include "support.h"
#include <landfall/published.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static lf_box box_at(double x, double y, double z, double half) {
    lf_box box = {{x - half, y - half, z - half}, {x + half, y + half, z + half}};
    return box;
}

static lf_cull *make_cull(const lf_box *boxes, int64_t count) {
    lf_cull_def def = lf_cull_def_default();
    lf_error error;
    lf_cull *cull = NULL;
    def.boxes = boxes;
    def.count = count;
    assert_int_equal(lf_cull_create(&def, &cull, &error), LF_OK);
    return cull;
}

static void test_defaults(void **state) {
    (void)state;
    lf_view view, view_default = lf_view_default();
    lf_cull_def def, def_default = lf_cull_def_default();
    lf_cull_rules rules, rules_default = lf_cull_rules_default();
    view = lf_view_default();
    def = lf_cull_def_default();
    rules = lf_cull_rules_default();
    assert_memory_equal(&view, &view_default, sizeof view);
    assert_int_equal(def.size, def_default.size);
    assert_int_equal(rules.methods, rules_default.methods);
    assert_null(rules.filters);
}

static bool holds(const lf_polyhedron *volume, lf_vec3 p) {
    for (int i = 0; i < volume->plane_count; i++)
        if (lf_vec3_dot(volume->planes[i].normal, p) > volume->planes[i].offset)
            return false;
    return true;
}

/// The six planes of a plain view, and its corners.
static void test_volume(void **state) {
    (void)state;
    lf_view view = lf_view_default();
    lf_polyhedron volume;
    view.at = (lf_vec3){10, 20, 30};
    view.nearest = 1;
    view.farthest = 100;
    view.upright = view.across;
    assert_int_equal(lf_view_volume(&view, &volume, NULL), LF_OK);
    assert_int_equal(volume.plane_count, 6);
    assert_int_equal(volume.corner_count, 8);
    assert_true(holds(&volume, (lf_vec3){10, 70, 30}));
    assert_true(holds(&volume, (lf_vec3){59, 70, 30}));
    assert_false(holds(&volume, (lf_vec3){61, 70, 30}));
    assert_false(holds(&volume, (lf_vec3){10, 70, 81}));
    assert_false(holds(&volume, (lf_vec3){10, 20.5, 30}));
    assert_false(holds(&volume, (lf_vec3){10, 121, 30}));
    const lf_vec3 lower_left = {-90, 120, -70}, upper_right = {110, 120, 130};
    assert_true(lf_vec3_length(lf_vec3_sub(volume.corners[4], lower_left)) < 1e-9);
    assert_true(lf_vec3_length(lf_vec3_sub(volume.corners[6], upper_right)) < 1e-9);
    view.farthest = LF_INFINITY;
    assert_int_equal(lf_view_volume(&view, &volume, NULL), LF_OK);
    assert_int_equal(volume.plane_count, 5);
    assert_int_equal(volume.corner_count, 4);
}

/// Every number of a view that can be wrong is named.
static void test_bad_views(void **state) {
    (void)state;
    lf_view views[10];
    static const char *const words[10] = {"eye",      "across",  "across",   "upright",     "nearest",
                                          "smallest", "ends at", "farthest", "orientation", "orientation"};
    for (int i = 0; i < 10; i++)
        views[i] = lf_view_default();
    views[0].at.y = LF_NAN;
    views[1].across = 0;
    views[2].across = 3.13;
    views[3].upright = -1;
    views[4].nearest = -1;
    views[5].smallest = LF_NAN;
    views[6].farthest = 0;
    views[7].farthest = 2e30;
    views[8].up = (lf_vec3){0, -3, 0};
    views[9].forward = (lf_vec3){0, 0, 0};
    for (int i = 0; i < 10; i++) {
        lf_polyhedron volume;
        lf_error error;
        assert_int_equal(lf_view_volume(&views[i], &volume, &error), LF_BAD_ARGUMENT);
        assert_non_null(strstr(error.text, words[i]));
    }
    assert_int_equal(lf_view_volume(NULL, NULL, NULL), LF_BAD_ARGUMENT);
}

static void test_bad_calls(void **state) {
    (void)state;
    lf_box boxes[2] = {box_at(0, 10, 0, 1), box_at(0, 20, 0, 1)};
    lf_cull_def def = lf_cull_def_default();
    lf_cull *cull = NULL;
    lf_error error;
    def.boxes = boxes;
    def.count = 2;
    boxes[1].high.z = LF_NAN;
    assert_int_equal(lf_cull_create(&def, &cull, &error), LF_BAD_ARGUMENT);
    assert_int_equal(error.where, 1);
    def.count = -1;
    assert_int_equal(lf_cull_create(&def, &cull, &error), LF_BAD_ARGUMENT);
    def.count = (int64_t)1 << 31;
    assert_int_equal(lf_cull_create(&def, &cull, &error), LF_TOO_LARGE);
    assert_int_equal(lf_cull_create(NULL, &cull, &error), LF_BAD_ARGUMENT);
    boxes[1].high.z = 1;
    cull = make_cull(boxes, 2);
    lf_view view = lf_view_default();
    lf_cull_rules rules = lf_cull_rules_default();
    lf_cull_result seen = {.items = NULL, .capacity = 1};
    assert_int_equal(lf_cull_query(cull, &view, NULL, &seen, &error), LF_BAD_ARGUMENT);
    seen.capacity = 0;
    assert_int_equal(lf_cull_query(cull, &view, NULL, &seen, &error), LF_PARTIAL);
    assert_int_equal(seen.count, 2);
    rules.methods = 64;
    assert_int_equal(lf_cull_query(cull, &view, &rules, &seen, &error), LF_BAD_ARGUMENT);
    rules.methods = LF_CULL_GROUND;
    assert_int_equal(lf_cull_query(cull, &view, &rules, &seen, &error), LF_BAD_ARGUMENT);
    for (uint32_t method = LF_CULL_FLAGS; method <= LF_CULL_SPHERE; method *= 2) {
        rules.methods = LF_CULL_PLANES | method;
        assert_int_equal(lf_cull_query(cull, &view, &rules, &seen, &error), LF_BAD_ARGUMENT);
        assert_non_null(strstr(error.text, "need filters"));
    }
    assert_int_equal(lf_cull_move(cull, 2, boxes[0]), LF_BAD_ARGUMENT);
    assert_int_equal(lf_cull_move(cull, -1, boxes[0]), LF_BAD_ARGUMENT);
    boxes[0].low.x = LF_NAN;
    assert_int_equal(lf_cull_move(cull, 0, boxes[0]), LF_BAD_ARGUMENT);
    lf_cull_def bad = lf_cull_def_default();
    bad.boxes = boxes;
    bad.count = 2;
    lf_cull_destroy(cull);
    cull = NULL;
    assert_int_equal(lf_cull_create(&bad, &cull, &error), LF_BAD_ARGUMENT);
    assert_null(cull);
    lf_cull_destroy(NULL);
}

/// Four things: before, beside, behind the eye, and one that is not there.
static void test_look(void **state) {
    (void)state;
    lf_box boxes[4] = {box_at(0, 10, 0, 1), box_at(100, 10, 0, 1), box_at(0, -10, 0, 1), lf_box_empty()};
    lf_cull *cull = make_cull(boxes, 4);
    lf_view view = lf_view_default();
    int64_t items[4];
    for (int k = 0; k < 5; k++) {
        lf_cull_rules rules = lf_cull_rules_default();
        lf_cull_result seen = {.items = items, .capacity = 4};
        rules.methods = 1u << k;
        rules.filters = lf_gottstein_filters();
        assert_int_equal(lf_cull_query(cull, &view, &rules, &seen, NULL), LF_OK);
        assert_int_equal(seen.methods[k].tested, 3);
        assert_int_equal(seen.volume_made, k == 0);
        assert_int_equal(items[0], 0);
        if (k != 1 && k != 2) { // the boxes around view and world are too coarse for the second one
            assert_int_equal(seen.count, 1);
            assert_int_equal(seen.methods[k].culled, 2);
        }
    }
    lf_cull_rules all = lf_cull_rules_default();
    lf_cull_result seen = {.items = items, .capacity = 4};
    all.filters = lf_gottstein_filters();
    all.methods = LF_CULL_FLAGS | LF_CULL_BOUNDS | LF_CULL_SPHERE | LF_CULL_VOLUME;
    assert_int_equal(lf_cull_query(cull, &view, &all, &seen, NULL), LF_OK);
    assert_int_equal(seen.methods[1].tested, 3);
    int64_t left = 3;
    for (int k = 1; k < 5; k++) {
        assert_int_equal(seen.methods[k].tested, left);
        left -= seen.methods[k].culled;
    }
    assert_int_equal(left, 1);
    all.methods = 0;
    assert_int_equal(lf_cull_query(cull, &view, &all, &seen, NULL), LF_OK);
    assert_int_equal(seen.count, 3);
    lf_cull_destroy(cull);
}

/// What moves, comes, goes; a view that has no end follows a world that grows.
static void test_moves(void **state) {
    (void)state;
    enum { COUNT = 300 };
    lf_box boxes[COUNT];
    int64_t items[COUNT];
    for (int i = 0; i < COUNT; i++)
        boxes[i] = box_at(10 * (i % 20), -20 - 10 * (i / 20), 0, 1);
    boxes[7] = lf_box_empty();
    lf_cull *cull = make_cull(boxes, COUNT);
    lf_view view = lf_view_default();
    lf_cull_result seen = {.items = items, .capacity = COUNT};
    assert_int_equal(lf_cull_query(cull, &view, NULL, &seen, NULL), LF_OK);
    assert_int_equal(seen.count, 0);
    assert_int_equal(lf_cull_move(cull, 5, box_at(0, 50, 0, 1)), LF_OK);
    assert_int_equal(lf_cull_query(cull, &view, NULL, &seen, NULL), LF_OK);
    assert_int_equal(seen.count, 1);
    assert_int_equal(items[0], 5);
    assert_true(seen.volume_made); // it has to reach farther
    assert_true(seen.farthest >= 51);
    assert_false(seen.sorted);
    assert_int_equal(lf_cull_query(cull, &view, NULL, &seen, NULL), LF_OK);
    assert_false(seen.volume_made);
    assert_int_equal(lf_cull_move(cull, 7, box_at(3, 50, 0, 1)), LF_OK); // it was not there
    assert_int_equal(lf_cull_move(cull, 5, lf_box_empty()), LF_OK);
    assert_int_equal(lf_cull_query(cull, &view, NULL, &seen, NULL), LF_OK);
    assert_true(seen.sorted);
    assert_int_equal(seen.count, 1);
    assert_int_equal(items[0], 7);
    assert_int_equal(seen.methods[0].tested, COUNT - 1);
    test_random random = test_random_start(1);
    bool sorted = false;
    for (int i = 0; i < COUNT; i++)
        lf_cull_move(cull, i, box_at(test_random_between(&random, -1e4, 1e4), 1e4, 0, 1));
    assert_int_equal(lf_cull_query(cull, &view, NULL, &seen, NULL), LF_OK);
    sorted = seen.sorted;
    assert_true(sorted); // blocks had become far too large
    lf_cull_destroy(cull);
    lf_cull_def few = lf_cull_def_default();
    few.boxes = boxes;
    few.count = 20;
    assert_int_equal(lf_cull_create(&few, &cull, NULL), LF_OK);
    assert_int_equal(lf_cull_query(cull, &view, NULL, &seen, NULL), LF_OK);
    assert_int_equal(seen.methods[0].tested, 19);
    lf_cull_destroy(cull);
}

/// Things too small for their distance are culled, by planes and by spheres.
static void test_smallest(void **state) {
    (void)state;
    lf_box boxes[3] = {box_at(0, 100, 0, 1), box_at(0, 1000, 0, 1), box_at(0, 1000, 0, 10)};
    lf_cull *cull = make_cull(boxes, 3);
    lf_view view = lf_view_default();
    view.smallest = 0.01;
    for (int k = 0; k < 4; k += 3) {
        int64_t items[3];
        lf_cull_rules rules = lf_cull_rules_default();
        lf_cull_result seen = {.items = items, .capacity = 3};
        rules.methods = 1u << k;
        rules.filters = lf_gottstein_filters();
        assert_int_equal(lf_cull_query(cull, &view, &rules, &seen, NULL), LF_OK);
        assert_int_equal(seen.count, 2);
        assert_int_equal(items[1], 2);
    }
    lf_cull_destroy(cull);
}

/// The box meets the view, its only polygon does not: the exact method knows.
static bool one_triangle(void *user, int64_t item, lf_cull_shape *shape) {
    static const lf_vec3 corners[2][3] = {{{-20, 0, 0}, {20, 0, 0}, {20, 5, 0}},
                                          {{-1, 5, 0}, {1, 5, 0}, {0, 5, 1}}};
    (void)user;
    *shape = (lf_cull_shape){corners[item], NULL, 1};
    return item < 2;
}

static void test_shapes(void **state) {
    (void)state;
    lf_box boxes[3] = {{{-20, 0, 0}, {20, 5, 0}}, {{-1, 5, 0}, {1, 5, 1}}, {{-1, 5, 0}, {1, 5, 1}}};
    lf_cull_def def = lf_cull_def_default();
    lf_cull *cull;
    int64_t items[3];
    def.boxes = boxes;
    def.count = 3;
    def.shape = one_triangle;
    assert_int_equal(lf_cull_create(&def, &cull, NULL), LF_OK);
    lf_view view = lf_view_default();
    lf_cull_rules rules = lf_cull_rules_default();
    lf_cull_result seen = {.items = items, .capacity = 3};
    view.at = (lf_vec3){-10, 3, 0};
    view.across = 0.5;
    rules.methods = LF_CULL_PLANES | LF_CULL_VOLUME;
    view.forward = (lf_vec3){-0.2, 1, 0};
    assert_int_equal(lf_cull_query(cull, &view, &rules, &seen, NULL), LF_OK);
    assert_int_equal(seen.methods[4].tested, 1);
    assert_int_equal(seen.count, 0);
    view.at = (lf_vec3){0, 0, 0.5};
    view.forward = (lf_vec3){0, 1, 0};
    assert_int_equal(lf_cull_query(cull, &view, &rules, &seen, NULL), LF_OK);
    assert_int_equal(seen.count, 3);
    lf_cull_destroy(cull);
}

/// A ridge across the way hides what is low behind it, not what is high, nor what stands before it.
static void test_hidden(void **state) {
    (void)state;
    enum { SIDE = 101 };
    static float heights[SIDE * SIDE];
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++)
            heights[j * SIDE + i] = j >= 48 && j <= 52 ? 50.0f : 0.0f;
    lf_grid_def def = lf_grid_def_default();
    lf_grid *grid;
    const lf_ground *ground;
    bool hidden;
    def.samples.columns = def.samples.rows = SIDE;
    def.samples.values = heights;
    def.geotransform.per_column.x = def.geotransform.per_row.y = 10;
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    ground = lf_grid_ground(grid);
    lf_vec3 eye = {500, 100, 20};
    assert_int_equal(lf__box_hidden(ground, eye, box_at(500, 700, 10, 5), &hidden, NULL), LF_OK);
    assert_true(hidden);
    assert_int_equal(lf__box_hidden(ground, eye, box_at(400, 900, 20, 50), &hidden, NULL), LF_OK);
    assert_true(hidden); // up to 70: the line of sight passes the ridge at 45
    assert_int_equal(lf__box_hidden(ground, eye, box_at(500, 700, 70, 5), &hidden, NULL), LF_OK);
    assert_false(hidden);
    assert_int_equal(lf__box_hidden(ground, eye, box_at(500, 300, 10, 5), &hidden, NULL), LF_OK);
    assert_false(hidden);
    assert_int_equal(lf__box_hidden(ground, eye, box_at(500, 100, 10, 5), &hidden, NULL), LF_OK);
    assert_false(hidden); // the eye is over it
    assert_int_equal(lf__box_hidden(ground, eye, lf_box_empty(), &hidden, NULL), LF_BAD_ARGUMENT);
    lf_box boxes[2] = {box_at(500, 700, 10, 5), box_at(500, 700, 70, 5)};
    lf_cull *cull = make_cull(boxes, 2);
    lf_view view = lf_view_default();
    lf_cull_rules rules = lf_cull_rules_default();
    int64_t items[2];
    lf_cull_result seen = {.items = items, .capacity = 2};
    view.at = eye;
    rules.methods = LF_CULL_PLANES | LF_CULL_GROUND;
    rules.ground = ground;
    assert_int_equal(lf_cull_query(cull, &view, &rules, &seen, NULL), LF_OK);
    assert_int_equal(seen.count, 1);
    assert_int_equal(items[0], 1);
    assert_int_equal(seen.methods[5].culled, 1);
    lf_cull_destroy(cull);
    lf_grid_destroy(grid);
}

/// An instruction set keeps the same boxes as the scalar kernels and finds the same planes crossed.
static void compare_kernels(lf_isa isa) {
    test_random random = test_random_start(2);
    lf__cull_kernels plain = lf__cull_kernels_for(LF_ISA_SCALAR), best = lf__cull_kernels_for(isa);
    static lf__cull_order order;
    uint32_t things[LF__GROUP], noted[2][2 * LF__GROUP];
    lf__cull_order_make(&order);
    for (int i = 0; i < LF__GROUP; i++)
        things[i] = (uint32_t)(1000 + i);
    static _Alignas(64) lf__cull_group group;
    for (int round = 0; round < 300; round++) {
        lf__cull_planes planes = {.count = 5 + round % 2, .smallest = round % 3 ? 0.0f : 0.02f};
        for (int i = 0; i < LF__GROUP; i++)
            for (int k = 0; k < 3; k++) {
                float a = (float)test_random_between(&random, -100, 100);
                group.low[k][i] = a;
                group.high[k][i] = a + (float)test_random_between(&random, 0, round % 7 ? 5 : 100);
                group.diagonal[i] = (float)test_random_between(&random, 0, 5);
            }
        for (int k = 0; k < planes.count; k++) {
            for (int c = 0; c < 3; c++)
                planes.normal[k][c] = (float)test_random_between(&random, -1, 1) * (round % 5 != c);
            planes.outside[k] = (float)test_random_between(&random, -50, 100);
            planes.inside[k] = planes.outside[k] - 1e-4f;
        }
        lf__cull_choose_sides(&planes);
        group.alive = test_random_bits(&random) | test_random_bits(&random);
        unsigned mask = (unsigned)test_random_below(&random, 64) & ((1u << planes.count) - 1);
        lf__cull_found a, b;
        for (int inner = 0; inner < 2; inner++) {
            plain.test(&planes, mask, &group, inner, &a);
            best.test(&planes, mask, &group, inner, &b);
            assert_true(a.kept == b.kept);
            if (inner)
                assert_memory_equal(a.crossing, b.crossing, (size_t)planes.count * sizeof *a.crossing);
        }
        uint64_t lanes = round % 2 ? a.kept : a.kept & test_random_bits(&random) & test_random_bits(&random);
        int64_t count = plain.note(&order, things, lanes, noted[0]);
        assert_int_equal(best.note(&order, things, lanes, noted[1]), count);
        assert_memory_equal(noted[0], noted[1], (size_t)count * sizeof *things);
        int64_t wide[2][LF__GROUP + 1] = {{0}, {0}};
        plain.widen(noted[0], count, wide[0]);
        best.widen(noted[0], count, wide[1]);
        assert_memory_equal(wide[0], wide[1], sizeof wide[0]);
        assert_int_equal(wide[0][count], 0);
    }
}

static void test_kernels(void **state) {
    (void)state;
    for (int isa = LF_ISA_SCALAR; isa <= (int)lf_isa_best(); isa++)
        compare_kernels((lf_isa)isa);
}

static lf_status make_and_look(const lf_host *host, void *user) {
    (void)user;
    lf_box boxes[200];
    lf_cull_def def = lf_cull_def_default();
    lf_cull *cull;
    for (int i = 0; i < 200; i++)
        boxes[i] = box_at(i, 100, 0, 1);
    def.boxes = boxes;
    def.count = 200;
    def.host = *host;
    lf_status status = lf_cull_create(&def, &cull, NULL);
    if (status != LF_OK)
        return status;
    lf_view view = lf_view_default();
    lf_cull_rules rules = lf_cull_rules_default();
    lf_cull_result seen = {.items = NULL, .capacity = 0};
    rules.methods = LF_CULL_FLAGS;
    rules.filters = lf_gottstein_filters();
    status = lf_cull_query(cull, &view, &rules, &seen, NULL);
    lf_cull_destroy(cull);
    return status < LF_OK ? status : LF_OK;
}

static void test_memory_runs_out(void **state) {
    (void)state;
    test_out_of_memory(make_and_look, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_volume),
        cmocka_unit_test(test_bad_views),
        cmocka_unit_test(test_bad_calls),
        cmocka_unit_test(test_look),
        cmocka_unit_test(test_moves),
        cmocka_unit_test(test_smallest),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_hidden),
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
