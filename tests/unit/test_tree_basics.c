#include "bvh/bvh.h"
#include "support.h"
#include <string.h>

/// A strip of unit squares in the plane z = 0, two triangles each, from x = 0 to x = count.
typedef struct strip {
    lf_vec3 vertices[2 * 101];
    uint32_t corners[6 * 100];
    int64_t triangle_count;
} strip;

static void make_strip(strip *s, int count) {
    for (int i = 0; i <= count; i++) {
        s->vertices[2 * i] = (lf_vec3){i, 0, 0};
        s->vertices[2 * i + 1] = (lf_vec3){i, 1, 0};
    }
    for (uint32_t i = 0; i < (uint32_t)count; i++) {
        const uint32_t two[6] = {2 * i, 2 * i + 2, 2 * i + 3, 2 * i, 2 * i + 3, 2 * i + 1};
        memcpy(s->corners + 6 * i, two, sizeof two);
    }
    s->triangle_count = 2 * count;
}

static lf__bvh *strip_tree(strip *s, int count) {
    lf__bvh_def def = lf__bvh_def_default();
    lf__bvh *tree;
    make_strip(s, count);
    def.vertices = s->vertices;
    def.corners = s->corners;
    def.triangle_count = s->triangle_count;
    assert_int_equal(lf__bvh_create(&def, &tree, NULL), LF_OK);
    return tree;
}

static void a_ray_down_hits_the_right_triangle(void **state) {
    (void)state;
    strip s;
    lf__bvh *tree = strip_tree(&s, 100);
    for (int i = 0; i < 100; i++) {
        lf_ray ray = lf_ray_towards((lf_vec3){i + 0.75, 0.25, 10}, (lf_vec3){0, 0, -2});
        lf_hit hit;
        assert_int_equal(lf__bvh_ray_first(tree, &ray, &hit, NULL), LF_OK);
        assert_int_equal(hit.kind, LF_HIT_TRIANGLE);
        assert_int_equal(hit.element, 2 * i);
        assert_true(hit.t == 5 && hit.point.z == 0 && hit.normal.z == 1);
        assert_true(fabs(hit.u - 0.5) < 1e-12 && fabs(hit.v - 0.25) < 1e-12);
    }
    lf__bvh_destroy(tree);
}

static void touching_counts_at_both_ends(void **state) {
    (void)state;
    strip s;
    lf__bvh *tree = strip_tree(&s, 4);
    lf_hit hit;
    lf_ray ray = lf_ray_between((lf_vec3){1.5, 0.25, 3}, (lf_vec3){1.5, 0.25, 0});
    assert_int_equal(lf__bvh_ray_first(tree, &ray, &hit, NULL), LF_OK);
    assert_true(hit.kind == LF_HIT_TRIANGLE && hit.t == 1);
    ray.t_max = nextafter(1, 0);
    lf__bvh_ray_first(tree, &ray, &hit, NULL);
    assert_true(hit.kind == LF_HIT_NONE && hit.t == ray.t_max && hit.element == -1);
    ray.t_min = ray.t_max = 1;
    lf__bvh_ray_first(tree, &ray, &hit, NULL);
    assert_true(hit.kind == LF_HIT_TRIANGLE && hit.t == 1);
    ray.t_min = nextafter(1, 2);
    ray.t_max = 9;
    lf__bvh_ray_first(tree, &ray, &hit, NULL);
    assert_int_equal(hit.kind, LF_HIT_NONE);
    ray = lf_ray_towards((lf_vec3){2.5, 0.5, 0}, (lf_vec3){0, 0, 1});
    lf__bvh_ray_first(tree, &ray, &hit, NULL);
    assert_true(hit.kind == LF_HIT_TRIANGLE && hit.t == 0);
    lf__bvh_destroy(tree);
}

static void a_ray_in_the_plane_enters_at_the_border(void **state) {
    (void)state;
    strip s;
    lf__bvh *tree = strip_tree(&s, 10);
    lf_hit hits[40];
    int64_t count;
    lf_ray ray = lf_ray_towards((lf_vec3){-2, 0.5, 0}, (lf_vec3){1, 0, 0});
    lf__bvh_ray_first(tree, &ray, &hits[0], NULL);
    assert_true(hits[0].t == 2 && hits[0].element == 1);
    assert_int_equal(lf__bvh_ray_all(tree, &ray, hits, 40, &count, NULL), LF_OK);
    assert_int_equal(count, 20);
    for (int i = 1; i < 20; i++)
        assert_true(hits[i].t >= hits[i - 1].t);
    ray.origin.x = 4.25;
    lf__bvh_ray_first(tree, &ray, &hits[0], NULL);
    assert_true(hits[0].t == 0);
    ray.direction.x = -1;
    ray.t_min = 4.25;
    lf__bvh_ray_first(tree, &ray, &hits[0], NULL);
    assert_true(hits[0].kind == LF_HIT_TRIANGLE && hits[0].t == 4.25);
    ray.t_min = 4.26;
    lf__bvh_ray_first(tree, &ray, &hits[0], NULL);
    assert_int_equal(hits[0].kind, LF_HIT_NONE);
    lf__bvh_destroy(tree);
}

static void all_keeps_the_nearest_when_space_is_short(void **state) {
    (void)state;
    enum { FLOORS = 60 };
    lf_vec3 vertices[3 * FLOORS];
    uint32_t corners[3 * FLOORS];
    for (int i = 0; i < FLOORS; i++) {
        double z = (i * 37) % FLOORS;
        vertices[3 * i] = (lf_vec3){0, 0, z};
        vertices[3 * i + 1] = (lf_vec3){4, 0, z};
        vertices[3 * i + 2] = (lf_vec3){0, 4, z};
        for (int c = 0; c < 3; c++)
            corners[3 * i + c] = (uint32_t)(3 * i + c);
    }
    lf__bvh_def def = lf__bvh_def_default();
    def.vertices = vertices;
    def.corners = corners;
    def.triangle_count = FLOORS;
    lf__bvh *tree;
    assert_int_equal(lf__bvh_create(&def, &tree, NULL), LF_OK);
    lf_ray ray = lf_ray_towards((lf_vec3){1, 1, 100}, (lf_vec3){0, 0, -1});
    lf_hit hits[FLOORS];
    int64_t count;
    for (int64_t capacity = 0; capacity <= FLOORS; capacity++) {
        lf_status wanted = capacity < FLOORS ? LF_PARTIAL : LF_OK;
        assert_int_equal(lf__bvh_ray_all(tree, &ray, hits, capacity, &count, NULL), wanted);
        assert_int_equal(count, FLOORS);
        for (int64_t i = 0; i < capacity; i++)
            assert_true(hits[i].point.z == FLOORS - 1 - i);
    }
    bool blocked;
    assert_int_equal(lf__bvh_ray_any(tree, &ray, &blocked, NULL), LF_OK);
    assert_true(blocked);
    ray.direction.z = 1;
    assert_int_equal(lf__bvh_ray_any(tree, &ray, &blocked, NULL), LF_OK);
    assert_false(blocked);
    lf__bvh_destroy(tree);
}

static void boxes_are_found_in_order(void **state) {
    (void)state;
    lf_box boxes[1000];
    for (int i = 0; i < 1000; i++)
        boxes[i] = (lf_box){{i % 10, i / 10 % 10, i / 100}, {i % 10 + 1.0, i / 10 % 10 + 1.0, i / 100 + 1.0}};
    lf__bvh_def def = lf__bvh_def_default();
    def.boxes = boxes;
    def.box_count = 1000;
    lf__bvh *tree;
    assert_int_equal(lf__bvh_create(&def, &tree, NULL), LF_OK);
    int64_t items[1000], count;
    lf_box corner = {{5, 5, 5}, {5, 5, 5}};
    assert_int_equal(lf__bvh_overlaps(tree, corner, items, 1000, &count, NULL), LF_OK);
    assert_int_equal(count, 8);
    const int64_t wanted[8] = {444, 445, 454, 455, 544, 545, 554, 555};
    assert_memory_equal(items, wanted, sizeof wanted);
    assert_int_equal(lf__bvh_overlaps(tree, corner, items, 3, &count, NULL), LF_PARTIAL);
    assert_int_equal(count, 8);
    assert_memory_equal(items, wanted, 3 * sizeof wanted[0]);
    assert_int_equal(lf__bvh_overlaps(tree, (lf_box){{1, 1, 1}, {0, 0, 0}}, items, 3, &count, NULL),
                     LF_BAD_ARGUMENT);
    lf_hit hit;
    lf_ray ray = lf_ray_towards((lf_vec3){0, 0, 0}, (lf_vec3){1, 0, 0});
    assert_int_equal(lf__bvh_ray_first(tree, &ray, &hit, NULL), LF_BAD_ARGUMENT);
    lf__bvh_destroy(tree);
}

static void depth_is_bounded_whatever_the_data(void **state) {
    (void)state;
    enum { COUNT = 20000 };
    lf_box *boxes = test_malloc(COUNT * sizeof *boxes);
    for (int i = 0; i < COUNT; i++) {
        double x = i < COUNT / 2 ? 0 : ldexp(1, i % 60);
        boxes[i] = (lf_box){{0, 0, 0}, {x, x, x}};
    }
    lf__bvh_def def = lf__bvh_def_default();
    def.boxes = boxes;
    def.box_count = COUNT;
    lf__bvh *tree;
    assert_int_equal(lf__bvh_create(&def, &tree, NULL), LF_OK);
    lf__bvh_info info = lf__bvh_describe(tree);
    assert_true(info.depth < LF__BVH_DEPTH);
    assert_int_equal(info.item_count, COUNT);
    int64_t count;
    assert_int_equal(lf__bvh_overlaps(tree, boxes[0], NULL, 0, &count, NULL), LF_PARTIAL);
    assert_int_equal(count, COUNT);
    lf__bvh_destroy(tree);
    test_free(boxes);
}

/// Hills of 2 * 150 * 150 triangles: enough for several tasks.
enum { HILLS = 150, HILL_TRIANGLES = 2 * HILLS * HILLS };

static lf_vec3 hill_vertices[(HILLS + 1) * (HILLS + 1)];
static uint32_t hill_corners[3 * HILL_TRIANGLES];

static lf__bvh_def hills(void) {
    for (uint32_t i = 0; i <= HILLS; i++)
        for (uint32_t j = 0; j <= HILLS; j++)
            hill_vertices[i * (HILLS + 1) + j] = (lf_vec3){i, j, 5 * sin(0.2 * i) * cos(0.3 * j)};
    for (uint32_t k = 0; k < HILLS * HILLS; k++) {
        uint32_t a = k / HILLS * (HILLS + 1) + k % HILLS, b = a + HILLS + 1;
        const uint32_t two[6] = {a, b, b + 1, a, b + 1, a + 1};
        memcpy(hill_corners + 6 * k, two, sizeof two);
    }
    lf__bvh_def def = lf__bvh_def_default();
    def.vertices = hill_vertices;
    def.corners = hill_corners;
    def.triangle_count = HILL_TRIANGLES;
    return def;
}

static bool count_reports(void *user, const char *stage, int64_t done, int64_t total) {
    int64_t *state = user;
    assert_string_equal(stage, "tree");
    assert_in_range(done, state[1], total);
    state[0]++;
    state[1] = done;
    return state[0] != state[2];
}

static void threads_and_reports_change_no_bit(void **state) {
    (void)state;
    lf__bvh_def def = hills();
    lf__bvh *alone, *tree;
    assert_int_equal(lf__bvh_create(&def, &alone, NULL), LF_OK);
    assert_true(alone->node_count > 100 && alone->depth < 10);
    for (int threads = 1; threads <= 4; threads++) {
        lf_tasks tasks = test_tasks(threads);
        int64_t reports[3] = {0, 0, -1};
        lf_progress progress = {reports, count_reports};
        def.host.tasks = &tasks;
        def.host.progress = threads & 1 ? &progress : NULL;
        assert_int_equal(lf__bvh_create(&def, &tree, NULL), LF_OK);
        assert_int_equal(tree->node_count, alone->node_count);
        assert_int_equal(tree->leaf_count, alone->leaf_count);
        assert_true(tree->root == alone->root && tree->depth == alone->depth);
        assert_memory_equal(tree->nodes, alone->nodes, (size_t)tree->node_count * sizeof *tree->nodes);
        assert_memory_equal(tree->leaves, alone->leaves, (size_t)tree->leaf_count * sizeof *tree->leaves);
        if (threads & 1)
            assert_true(reports[0] > 4 && reports[1] == HILL_TRIANGLES);
        lf__bvh_destroy(tree);
    }
    lf__bvh_destroy(alone);
}

static lf_status build_hills(const lf_host *host, void *user) {
    lf__bvh_def def = *(const lf__bvh_def *)user;
    def.host.allocator = host->allocator;
    lf__bvh *tree = NULL;
    lf_status status = lf__bvh_create(&def, &tree, NULL);
    lf__bvh_destroy(tree);
    return status;
}

/// Memory runs out, or the caller has enough, at every place where that can happen.
static void hills_can_be_given_up_anywhere(void **state) {
    (void)state;
    lf__bvh_def def = hills();
    test_out_of_memory(build_hills, &def);
    lf_status status = LF_CANCELLED;
    int64_t stop = 0;
    while (status == LF_CANCELLED) {
        int64_t reports[3] = {0, 0, ++stop};
        lf_progress progress = {reports, count_reports};
        test_memory memory;
        test_memory_start(&memory, -1);
        def.host.progress = &progress;
        status = build_hills(&(lf_host){.allocator = &memory.allocator}, &def);
        assert_int_equal(memory.blocks_out, 0);
    }
    assert_int_equal(status, LF_OK);
    assert_true(stop > 4);
}

static void bad_trees_are_refused(void **state) {
    (void)state;
    lf__bvh_def def = lf__bvh_def_default(), same;
    same = lf__bvh_def_default();
    assert_memory_equal(&def, &same, sizeof def);
    lf__bvh *tree;
    lf_error error;
    assert_int_equal(lf__bvh_create(&def, &tree, &error), LF_BAD_ARGUMENT);
    lf_box boxes[2] = {{{0, 0, 0}, {1, 1, 1}}, {{0, 0, NAN}, {1, 1, 1}}};
    def.boxes = boxes;
    def.box_count = 2;
    assert_int_equal(lf__bvh_create(&def, &tree, &error), LF_BAD_ARGUMENT);
    assert_int_equal(error.where, 1);
    def.box_count = -1;
    assert_int_equal(lf__bvh_create(&def, &tree, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf__bvh_create(NULL, &tree, &error), LF_BAD_ARGUMENT);
    lf_vec3 far_away[3] = {{1e31, 0, 0}, {0, 1e308, 0}, {0, 0, -1e308}};
    uint32_t corners[3] = {0, 1, 2};
    def = lf__bvh_def_default();
    def.vertices = far_away;
    def.corners = corners;
    def.triangle_count = 1;
    assert_int_equal(lf__bvh_create(&def, &tree, &error), LF_BAD_ARGUMENT);
    lf__bvh_destroy(NULL);
}

static lf_status build_strip(const lf_host *host, void *user) {
    strip *s = user;
    lf__bvh_def def = lf__bvh_def_default();
    def.host = *host;
    def.vertices = s->vertices;
    def.corners = s->corners;
    def.triangle_count = s->triangle_count;
    lf__bvh *tree = NULL;
    lf_status status = lf__bvh_create(&def, &tree, NULL);
    lf__bvh_destroy(tree);
    return status;
}

static void memory_may_run_out(void **state) {
    (void)state;
    strip s;
    make_strip(&s, 100);
    test_out_of_memory(build_strip, &s);
    s.triangle_count = 2; // one leaf, no nodes
    test_out_of_memory(build_strip, &s);
}

static bool never(void *user, const char *stage, int64_t done, int64_t total) {
    (void)user, (void)stage, (void)done, (void)total;
    return false;
}

static void building_can_be_cancelled(void **state) {
    (void)state;
    strip s;
    make_strip(&s, 100);
    test_memory memory;
    test_memory_start(&memory, -1);
    lf_progress progress = {NULL, never};
    lf_host host = {.allocator = &memory.allocator, .progress = &progress};
    assert_int_equal(build_strip(&host, &s), LF_CANCELLED);
    assert_int_equal(memory.blocks_out, 0);
}

static void questions_are_counted(void **state) {
    (void)state;
    strip s;
    lf__bvh *tree = strip_tree(&s, 100);
    lf_cursor *cursor;
    lf_hit hit;
    assert_int_equal(lf_cursor_create(NULL, &cursor), LF_OK);
    lf_ray ray = lf_ray_towards((lf_vec3){50.3, 0.4, 10}, (lf_vec3){0, 0, -1});
    lf__bvh_ray_first(tree, &ray, &hit, cursor);
    lf_counters cost = lf_cursor_counters(cursor);
    assert_int_equal(cost.questions, 1);
    assert_in_range(cost.nodes, 1, 3);
    assert_in_range(cost.cells, 1, 2);
    assert_in_range(cost.triangles, 1, 16);
    lf_cursor_destroy(cursor);
    lf__bvh_destroy(tree);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ray_down_hits_the_right_triangle),
        cmocka_unit_test(touching_counts_at_both_ends),
        cmocka_unit_test(a_ray_in_the_plane_enters_at_the_border),
        cmocka_unit_test(all_keeps_the_nearest_when_space_is_short),
        cmocka_unit_test(boxes_are_found_in_order),
        cmocka_unit_test(depth_is_bounded_whatever_the_data),
        cmocka_unit_test(threads_and_reports_change_no_bit),
        cmocka_unit_test(hills_can_be_given_up_anywhere),
        cmocka_unit_test(bad_trees_are_refused),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(building_can_be_cancelled),
        cmocka_unit_test(questions_are_counted),
    };
    return cmocka_run_group_tests_name("tree", tests, NULL, NULL);
}
