// The quadtree as a structure: what is cut, where, and what the figures say about it.
#include "published/quadtree.h"
#include "support.h"
#include <stdlib.h>
#include <string.h>

/// The terrain of the paper's first figure: four polygons that share a vertex, which no cut through a middle meets.
static const lf_vec3 four_vertices[] = {{0, 0, 0}, {2, 0, 0}, {8, 0, 0}, {8, 3, 0},     {8, 8, 0},
                                        {5, 8, 0}, {0, 8, 0}, {0, 6, 0}, {3.3, 4.7, 1}, {1, 1, 0}};
static const int64_t four_starts[] = {0, 4, 8, 12, 16};
static const int64_t four_corners[] = {0, 1, 8, 7, 1, 2, 3, 8, 8, 3, 4, 5, 7, 8, 5, 6};

static lf_mesh_def four_def(int64_t max_polygons, int max_depth, lf_quadtree_cut cut) {
    lf_mesh_def def = lf_mesh_def_default();
    def.polygons = (lf_polygons){.vertices = four_vertices,
                                 .vertex_count = 10,
                                 .starts = four_starts,
                                 .corners = four_corners,
                                 .polygon_count = 4};
    def.tolerance = 1;
    def.index = lf_quadtree_index();
    static lf_quadtree_def quadtree; // of the last call
    quadtree = (lf_quadtree_def){max_polygons, max_depth, cut, false};
    def.index_def = &quadtree;
    return def;
}

static lf_mesh *make(const lf_mesh_def *def, lf_quadtree_stats *stats) {
    lf_mesh *mesh = NULL;
    lf_error error = {.text = ""};
    if (lf_mesh_create(def, &mesh, &error) != LF_OK)
        fail_msg("%s", error.text);
    assert_int_equal(lf_quadtree_describe(mesh, stats), LF_OK);
    return mesh;
}

/// What the leaves are, put together by hand.
typedef struct survey {
    const lf_polygons *polygons;
    int64_t leaves, references, missing, surplus; ///< references to polygons that only touch are surplus
    double area, four_area;
} survey;

/// The area that a polygon and an upright rectangle share.
static double shared_area(const lf_polygons *polygons, int64_t polygon, lf_vec3 low, lf_vec3 high) {
    lf_vec3 ring[32], next[32];
    int64_t size = 0;
    const lf_plane planes[4] = {
        {{-1, 0, 0}, -low.x}, {{1, 0, 0}, high.x}, {{0, -1, 0}, -low.y}, {{0, 1, 0}, high.y}};
    for (int64_t k = polygons->starts[polygon]; k < polygons->starts[polygon + 1]; k++) {
        ring[size] = polygons->vertices[polygons->corners[k]];
        ring[size++].z = 0;
    }
    lf_box box = lf_box_empty();
    for (int64_t k = 0; k < size; k++)
        box = lf_box_with(box, ring[k]);
    if (box.high.x <= low.x || box.low.x >= high.x || box.high.y <= low.y || box.low.y >= high.y)
        return 0;
    for (int k = 0; k < 4 && size > 0; k++) {
        size = lf_polygon_clip(ring, size, &planes[k], next);
        memcpy(ring, next, sizeof ring);
    }
    return lf_vec3_length(lf_polygon_area(ring, size));
}

static bool survey_leaf(void *user, const lf_quadtree_leaf *leaf) {
    survey *s = user;
    const lf_vec3 *c = leaf->corners;
    double area = (c[2].x - c[0].x) * (c[2].y - c[0].y);
    int64_t entered = 0;
    for (int64_t i = 0; i < s->polygons->polygon_count; i++)
        entered += shared_area(s->polygons, i, c[0], c[2]) > 1e-9;
    assert_true(c[1].x == c[2].x && c[1].y == c[0].y && c[3].x == c[0].x && c[3].y == c[2].y);
    s->leaves++;
    s->references += leaf->polygon_count;
    s->missing += entered > leaf->polygon_count;
    s->surplus += entered < leaf->polygon_count ? leaf->polygon_count - entered : 0;
    s->area += area;
    s->four_area += leaf->polygon_count == 4 ? area : 0;
    return true;
}

static survey look_over(const lf_mesh *mesh, const lf_polygons *polygons) {
    survey s = {.polygons = polygons};
    assert_int_equal(lf_quadtree_walk(mesh, survey_leaf, &s), LF_OK);
    return s;
}

static void figure_one(void **state) {
    (void)state;
    lf_mesh_def def = four_def(3, 3, LF_QUADTREE_CUT_MIDDLE);
    lf_quadtree_stats stats;
    lf_mesh *mesh = make(&def, &stats);
    // The root, its upper left child and that one's lower right child have all four polygons and are cut.
    assert_int_equal(stats.node_count, 13);
    assert_int_equal(stats.leaf_count, 10);
    assert_int_equal(stats.depth, 3);
    assert_int_equal(stats.most_polygons, 4);
    const lf__quadtree *tree = lf__quadtree_of(mesh);
    const lf__quadtree_node *root = tree->nodes, *second = root + root->children + 2,
                            *third = tree->nodes + second->children + 1;
    assert_true(root->x == 4 && root->y == 4);
    assert_true(second->x == 2 && second->y == 6);
    assert_true(third->x == 3 && third->y == 5);
    assert_int_equal(tree->nodes[third->children + 1].count, 4);
    assert_int_equal(tree->nodes[root->children].children, 0);
    survey s = look_over(mesh, &def.polygons);
    assert_true(s.missing == 0 && s.surplus == 0);
    assert_true(s.area == 64 && s.four_area == 1);
    assert_int_equal(s.references, stats.reference_count);
    // One copy of each polygon, however many leaves refer to it.
    assert_int_equal(tree->polygon_count, 4);
    assert_true(stats.reference_count > 4);
    lf_mesh_destroy(mesh);
}

/// However deep, one leaf has all four; but a quarter of the area each time, until the cuts meet the vertex.
static void deeper_trees_leave_less_to_the_fourth(void **state) {
    (void)state;
    double last = 256;
    for (int depth = 0; depth <= 12; depth++) {
        lf_mesh_def def = four_def(3, depth, LF_QUADTREE_CUT_MIDDLE);
        lf_quadtree_stats stats;
        lf_mesh *mesh = make(&def, &stats);
        survey s = look_over(mesh, &def.polygons);
        assert_true(s.four_area == last / 4);
        assert_int_equal(stats.node_count, 1 + 4 * depth);
        last = s.four_area;
        lf_mesh_destroy(mesh);
    }
    lf_mesh_def def = four_def(3, 12, LF_QUADTREE_CUT_VERTEX);
    lf_quadtree_stats stats;
    lf_mesh *mesh = make(&def, &stats);
    assert_int_equal(stats.node_count, 5);
    assert_int_equal(stats.most_polygons, 2);
    assert_true(lf__quadtree_of(mesh)->nodes[0].x == 3.3 && lf__quadtree_of(mesh)->nodes[0].y == 4.7);
    survey s = look_over(mesh, &def.polygons);
    assert_true(s.missing == 0 && s.surplus == 0);
    lf_mesh_destroy(mesh);
}

/// Two squares side by side over half of a larger one: tests and shares can be worked out by hand.
static void statistics_are_weighted_by_area(void **state) {
    (void)state;
    static const lf_vec3 vertices[] = {{0, 0, 0}, {8, 0, 0}, {8, 8, 0}, {0, 8, 0}, {0, 0, 1},
                                       {4, 0, 1}, {4, 4, 1}, {0, 4, 1}, {4, 8, 1}, {0, 8, 1}};
    static const int64_t starts[] = {0, 4, 8, 12}, corners[] = {0, 1, 2, 3, 4, 5, 6, 7, 7, 6, 8, 9};
    lf_mesh_def def = lf_mesh_def_default();
    def.polygons = (lf_polygons){vertices, 10, starts, corners, 3, NULL, NULL, NULL};
    def.index = lf_quadtree_index();
    lf_quadtree_def quadtree = lf_quadtree_def_default();
    quadtree.max_polygons = 1;
    def.index_def = &quadtree;
    lf_quadtree_stats stats;
    lf_mesh *mesh = make(&def, &stats);
    // Four leaves: two with two polygons, two with one. All cover them wholly, so nothing is cut again.
    assert_int_equal(stats.node_count, 5);
    assert_int_equal(stats.reference_count, 6);
    assert_true(stats.tests == 1.5 && stats.few_area == 0.5 && stats.turn == 0);
    assert_int_equal(stats.depth, 1);
    assert_true(lf_mesh_describe(mesh).bytes > stats.bytes && stats.bytes > 3 * sizeof(lf__quadtree_polygon));
    lf_mesh_destroy(mesh);
}

// ---------------------------------------------------------------------------------------------------
// Cuts and turns
// ---------------------------------------------------------------------------------------------------

/// A strip of triangles, fine at one end and coarse at the other, at an angle.
typedef struct strip {
    lf_vec3 vertices[402];
    int64_t corners[1200], starts[401];
} strip;

static lf_polygons make_strip(strip *s, double angle) {
    double c = cos(angle), n = sin(angle);
    for (int i = 0; i < 402; i++) {
        double along = 0.01 * (i / 2) * (i / 2), across = i % 2 ? 10 : 0;
        s->vertices[i] = (lf_vec3){c * along - n * across, n * along + c * across, 0.1 * (i % 7)};
    }
    for (int i = 0; i < 400; i++) {
        s->starts[i] = 3 * i;
        s->corners[3 * i] = i;
        s->corners[3 * i + 1] = i + 1;
        s->corners[3 * i + 2] = i + 2;
    }
    s->starts[400] = 1200;
    return (lf_polygons){s->vertices, 402, s->starts, s->corners, 400, NULL, NULL, NULL};
}

static lf_quadtree_stats strip_stats(double angle, lf_quadtree_def quadtree) {
    strip *s = malloc(sizeof *s);
    assert_non_null(s);
    lf_mesh_def def = lf_mesh_def_default();
    def.polygons = make_strip(s, angle);
    def.index = lf_quadtree_index();
    def.index_def = &quadtree;
    lf_quadtree_stats stats;
    lf_mesh *mesh = make(&def, &stats);
    if (angle == 0 && !quadtree.turn) {
        survey all = look_over(mesh, &def.polygons);
        assert_true(all.missing == 0 && all.surplus <= all.references / 10);
        assert_true(fabs(all.area - 400 * 10) < 1e-6);
    }
    lf_mesh_destroy(mesh);
    free(s);
    return stats;
}

static void every_cut_keeps_its_promise(void **state) {
    (void)state;
    lf_quadtree_stats stats[5];
    for (int cut = 0; cut < 5; cut++) {
        stats[cut] = strip_stats(0, (lf_quadtree_def){8, 12, (lf_quadtree_cut)cut, false});
        assert_true(stats[cut].most_polygons <= 8 && stats[cut].depth <= 12);
    }
    // One level: what each is for, it does at least as well as the middle.
    lf_quadtree_stats once[5];
    for (int cut = 0; cut < 5; cut++)
        once[cut] = strip_stats(0, (lf_quadtree_def){8, 1, (lf_quadtree_cut)cut, false});
    assert_true(once[LF_QUADTREE_CUT_BALANCED].most_polygons < once[LF_QUADTREE_CUT_MIDDLE].most_polygons);
    assert_true(once[LF_QUADTREE_CUT_COST].tests < once[LF_QUADTREE_CUT_MIDDLE].tests);
    assert_true(stats[LF_QUADTREE_CUT_VERTEX].node_count <= stats[LF_QUADTREE_CUT_MIDDLE].node_count);
    assert_true(stats[LF_QUADTREE_CUT_AREA].few_area >= stats[LF_QUADTREE_CUT_MIDDLE].few_area);
    assert_string_equal(lf_quadtree_cut_name(LF_QUADTREE_CUT_BALANCED), "balanced");
    assert_string_equal(lf_quadtree_cut_name((lf_quadtree_cut)9), "?");
}

static void a_long_terrain_is_turned_to_its_sides(void **state) {
    (void)state;
    const double angles[4] = {0.5, -0.3, 1.2, 2.5};
    for (int i = 0; i < 4; i++) {
        lf_quadtree_stats plain =
            strip_stats(angles[i], (lf_quadtree_def){8, 12, LF_QUADTREE_CUT_MIDDLE, false});
        lf_quadtree_stats turned =
            strip_stats(angles[i], (lf_quadtree_def){8, 12, LF_QUADTREE_CUT_MIDDLE, true});
        assert_true(plain.turn == 0);
        assert_true(fabs(sin(2 * (turned.turn - angles[i]))) < 1e-6 && fabs(turned.turn) < 0.8);
        assert_true(turned.few_area < plain.few_area); // the empty corners of the root are gone
    }
    assert_true(strip_stats(0, (lf_quadtree_def){8, 12, LF_QUADTREE_CUT_MIDDLE, true}).turn == 0);
}

static void children_are_not_made_for_nothing(void **state) {
    (void)state;
    // Twenty floors: every leaf has all of them, and cutting would not change that.
    lf_vec3 vertices[80];
    int64_t starts[21], corners[80];
    for (int i = 0; i < 80; i++) {
        vertices[i] = (lf_vec3){i % 4 == 1 || i % 4 == 2 ? 5 : 0, i % 4 > 1 ? 5 : 0, i / 4};
        corners[i] = i;
        starts[i / 4] = i / 4 * 4;
    }
    starts[20] = 80;
    lf_mesh_def def = lf_mesh_def_default();
    def.polygons = (lf_polygons){vertices, 80, starts, corners, 20, NULL, NULL, NULL};
    def.index = lf_quadtree_index();
    lf_quadtree_stats stats;
    lf_mesh *mesh = make(&def, &stats);
    assert_true(stats.node_count <= 5 && stats.most_polygons == 20);
    lf_mesh_destroy(mesh);
}

// ---------------------------------------------------------------------------------------------------
// Bad wishes, little memory
// ---------------------------------------------------------------------------------------------------

static void expect_refusal(lf_mesh_def def, const char *word) {
    lf_mesh *mesh = NULL;
    lf_error error = {.text = ""};
    assert_int_equal(lf_mesh_create(&def, &mesh, &error), LF_BAD_ARGUMENT);
    assert_null(mesh);
    assert_non_null(strstr(error.text, word));
}

static void bad_wishes_are_refused(void **state) {
    (void)state;
    expect_refusal(four_def(0, 3, LF_QUADTREE_CUT_MIDDLE), "max_polygons is 0");
    expect_refusal(four_def(3, -1, LF_QUADTREE_CUT_MIDDLE), "max_depth is -1");
    expect_refusal(four_def(3, 25, LF_QUADTREE_CUT_MIDDLE), "max_depth is 25");
    expect_refusal(four_def(3, 3, (lf_quadtree_cut)77), "cut 77");
    lf_mesh_def def = four_def(3, 3, LF_QUADTREE_CUT_MIDDLE);
    def.index = NULL;
    lf_mesh *mesh = NULL;
    lf_quadtree_stats stats;
    survey s = {0};
    assert_int_equal(lf_mesh_create(&def, &mesh, NULL), LF_OK);
    assert_int_equal(lf_quadtree_describe(mesh, &stats), LF_BAD_ARGUMENT);
    assert_int_equal(lf_quadtree_walk(mesh, survey_leaf, &s), LF_BAD_ARGUMENT);
    assert_int_equal(lf_quadtree_describe(NULL, &stats), LF_BAD_ARGUMENT);
    lf_mesh_destroy(mesh);
}

static bool stop_at_third(void *user, const lf_quadtree_leaf *leaf) {
    (void)leaf;
    return ++*(int *)user < 3;
}

static void a_walk_can_be_stopped(void **state) {
    (void)state;
    lf_mesh_def def = four_def(1, 6, LF_QUADTREE_CUT_MIDDLE);
    lf_quadtree_stats stats;
    lf_mesh *mesh = make(&def, &stats);
    int seen = 0;
    assert_int_equal(lf_quadtree_walk(mesh, stop_at_third, &seen), LF_CANCELLED);
    assert_int_equal(seen, 3);
    lf_mesh_destroy(mesh);
}

static bool cancel_quadtree(void *user, const char *stage, int64_t done, int64_t total) {
    (void)user;
    assert_true(done >= 0 && done <= total);
    return strcmp(stage, "quadtree") != 0;
}

static void a_build_can_be_cancelled(void **state) {
    (void)state;
    lf_mesh_def def = four_def(1, 6, LF_QUADTREE_CUT_MIDDLE);
    lf_progress progress = {NULL, cancel_quadtree};
    test_memory memory;
    test_memory_start(&memory, -1);
    def.host.progress = &progress;
    def.host.allocator = &memory.allocator;
    lf_mesh *mesh = NULL;
    assert_int_equal(lf_mesh_create(&def, &mesh, NULL), LF_CANCELLED);
    assert_int_equal(memory.blocks_out, 0);
}

static lf_status build(const lf_host *host, void *user) {
    lf_mesh_def def = four_def(1, 7, *(lf_quadtree_cut *)user);
    lf_mesh *mesh = NULL;
    def.host = *host;
    lf_status status = lf_mesh_create(&def, &mesh, NULL);
    lf_mesh_destroy(mesh);
    return status;
}

static void memory_may_run_out(void **state) {
    (void)state;
    for (lf_quadtree_cut cut = LF_QUADTREE_CUT_MIDDLE; cut <= LF_QUADTREE_CUT_AREA; cut++)
        test_out_of_memory(build, &cut);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_one),
        cmocka_unit_test(deeper_trees_leave_less_to_the_fourth),
        cmocka_unit_test(statistics_are_weighted_by_area),
        cmocka_unit_test(every_cut_keeps_its_promise),
        cmocka_unit_test(a_long_terrain_is_turned_to_its_sides),
        cmocka_unit_test(children_are_not_made_for_nothing),
        cmocka_unit_test(bad_wishes_are_refused),
        cmocka_unit_test(a_walk_can_be_stopped),
        cmocka_unit_test(a_build_can_be_cancelled),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests_name("mesh: quadtree", tests, NULL, NULL);
}
