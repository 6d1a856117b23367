/// Making models: what is refused, what is counted, what is released.
#include "shapes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const lf_vec3 tetra[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const int64_t tetra_corners[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};

static lf_model_def tetra_def(void) {
    lf_model_def def = lf_model_def_default();
    def.polygons.vertices = tetra;
    def.polygons.vertex_count = 4;
    def.polygons.corners = tetra_corners;
    def.polygons.polygon_count = 4;
    return def;
}

static lf_model *make(const lf_model_def *def) {
    lf_model *model = NULL;
    lf_error error = {0};
    if (lf_model_create(def, &model, &error) != LF_OK)
        fail_msg("%s", error.text);
    return model;
}

static void closed_and_open(void **state) {
    (void)state;
    lf_model_def def = tetra_def();
    lf_model *model = make(&def);
    lf_model_info info = lf_model_describe(model);
    assert_true(info.closed);
    assert_int_equal(info.open_count, 0);
    assert_int_equal(info.triangle_count, 4);
    assert_int_equal(info.flat_count, 0);
    assert_true(info.bytes > info.tree_bytes);
    assert_true(info.radius >= sqrt(2.0 / 3) - 1e-12);
    assert_true(info.radius < 1.1);
    for (int i = 0; i < 4; i++)
        assert_true(lf_vec3_length(lf_vec3_sub(tetra[i], info.centre)) <= info.radius);
    lf_model_destroy(model);
    def.polygons.polygon_count = 3;
    model = make(&def);
    info = lf_model_describe(model);
    assert_false(info.closed);
    assert_int_equal(info.open_count, 3);
    lf_model_destroy(model);
}

/// A triangle soup: every triangle with corners of its own. Same places, so it is closed; -0 is 0.
static void soup_is_closed(void **state) {
    (void)state;
    lf_vec3 soup[12];
    int64_t corners[12];
    for (int i = 0; i < 12; i++) {
        soup[i] = tetra[tetra_corners[i]];
        if (i % 2 == 0 && soup[i].x == 0)
            soup[i].x = -0.0;
        corners[i] = i;
    }
    lf_model_def def = tetra_def();
    def.polygons.vertices = soup;
    def.polygons.vertex_count = 12;
    def.polygons.corners = corners;
    lf_model *model = make(&def);
    assert_true(lf_model_describe(model).closed);
    lf_model_destroy(model);
    corners[0] = 1, corners[1] = 0; // one face turned over: its three edges are out of balance
    model = make(&def);
    assert_int_equal(lf_model_describe(model).open_count, 3);
    lf_model_destroy(model);
}

static void polygons_and_triangles(void **state) {
    (void)state;
    const lf_vec3 v[7] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {5, 5, 5}, {6, 6, 6}, {7, 7, 7}};
    const int64_t starts[3] = {0, 4, 7}, corners[7] = {0, 1, 2, 3, 4, 5, 6};
    lf_model_def def = lf_model_def_default();
    def.polygons = (lf_polygons){
        .vertices = v, .vertex_count = 7, .starts = starts, .corners = corners, .polygon_count = 2};
    lf_model *model = make(&def);
    lf_model_info info = lf_model_describe(model);
    assert_int_equal(info.polygon_count, 2);
    assert_int_equal(info.triangle_count, 3);
    assert_int_equal(info.flat_count, 1);
    lf_vec3 t[3];
    int64_t polygon = -1;
    assert_int_equal(lf_model_triangle(model, 1, t, &polygon), LF_OK);
    assert_int_equal(polygon, 0);
    assert_memory_equal(&t[0], &v[0], sizeof t[0]);
    assert_memory_equal(&t[2], &v[3], sizeof t[2]);
    assert_int_equal(lf_model_triangle(model, 2, t, &polygon), LF_OK);
    assert_int_equal(polygon, 1);
    assert_int_equal(lf_model_triangle(model, 3, t, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_model_triangle(model, -1, t, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_model_triangle(NULL, 0, t, NULL), LF_BAD_ARGUMENT);
    lf_model_destroy(model);
}

static void refuse(const lf_model_def *def, lf_status status, int64_t where) {
    lf_model *model = NULL;
    lf_error error = {0};
    assert_int_equal(lf_model_create(def, &model, &error), status);
    assert_null(model);
    assert_int_equal(error.status, status);
    assert_int_equal(error.where, where);
    assert_true(strlen(error.text) > 0);
}

static void refused(void **state) {
    (void)state;
    lf_vec3 v[4];
    int64_t corners[12], starts[5] = {0, 3, 6, 9, 12};
    memcpy(v, tetra, sizeof v);
    memcpy(corners, tetra_corners, sizeof corners);
    lf_model_def def = tetra_def();
    def.polygons.vertices = v;
    def.polygons.corners = corners;
    v[3].y = NAN;
    refuse(&def, LF_BAD_GEOMETRY, 1);
    v[3].y = 1e31;
    refuse(&def, LF_BAD_GEOMETRY, 1);
    v[3].y = 0;
    corners[7] = 4;
    refuse(&def, LF_BAD_ARGUMENT, 2);
    corners[7] = -1;
    refuse(&def, LF_BAD_ARGUMENT, 2);
    corners[7] = 2;
    def.polygons.starts = starts;
    starts[2] = 5;
    refuse(&def, LF_BAD_GEOMETRY, 1);
    starts[2] = 6;
    starts[0] = 1;
    refuse(&def, LF_BAD_ARGUMENT, 0);
    starts[0] = 0;
    def.polygons.polygon_count = 0;
    refuse(&def, LF_BAD_GEOMETRY, -1);
    def.polygons.polygon_count = 4;
    def.polygons.corners = NULL;
    refuse(&def, LF_BAD_ARGUMENT, -1);
    def = tetra_def();
    def.size = 3;
    refuse(&def, LF_BAD_ARGUMENT, -1);
    def = tetra_def();
    assert_int_equal(lf_model_create(&def, NULL, NULL), LF_BAD_ARGUMENT);
    lf_model_destroy(NULL);
}

static lf_status attempt(const lf_host *host, void *user) {
    const shape *shape = user;
    lf_model_def def = lf_model_def_default();
    lf_model *model;
    def.host = *host;
    def.polygons = shape_polygons(shape);
    lf_status status = lf_model_create(&def, &model, NULL);
    if (status == LF_OK)
        lf_model_destroy(model);
    return status;
}

static void without_memory(void **state) {
    (void)state;
    test_random random = test_random_start(321);
    shape shape;
    shape_make(&shape, SHAPE_KNOT, 300, &random);
    test_out_of_memory(attempt, &shape);
    shape_free(&shape);
}

static void bad_questions(void **state) {
    (void)state;
    lf_model_def def = tetra_def();
    lf_model *model = make(&def);
    bool touching = true;
    int64_t count = 7;
    lf_model_query question = lf_model_query_default();
    assert_int_equal(lf_model_touch(&question, &touching, NULL), LF_BAD_ARGUMENT);
    question.a = question.b = model;
    assert_int_equal(lf_model_touch(&question, NULL, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_model_touch(NULL, &touching, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_model_pairs(&question, NULL, 4, &count, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_model_pairs(&question, NULL, -1, &count, NULL), LF_BAD_ARGUMENT);
    question.pose_b.rows[0].x = 1.001;
    assert_int_equal(lf_model_touch(&question, &touching, NULL), LF_BAD_ARGUMENT);
    question.pose_b.rows[0].x = NAN;
    assert_int_equal(lf_model_touch(&question, &touching, NULL), LF_BAD_ARGUMENT);
    question.pose_b.rows[0].x = -1; // mirrored
    assert_int_equal(lf_model_touch(&question, &touching, NULL), LF_BAD_ARGUMENT);
    question.pose_b = lf_pose_identity();
    question.pose_b.translation.z = INFINITY;
    assert_int_equal(lf_model_touch(&question, &touching, NULL), LF_BAD_ARGUMENT);
    question.pose_b = lf_pose_identity();
    question.limit = -1;
    assert_int_equal(lf_model_pairs(&question, NULL, 0, &count, NULL), LF_BAD_ARGUMENT);
    question.limit = 0;
    question.size = 1;
    assert_int_equal(lf_model_touch(&question, &touching, NULL), LF_BAD_ARGUMENT);
    lf_model_destroy(model);
}

static void limits_and_space(void **state) {
    (void)state;
    lf_model_def def = tetra_def();
    lf_model *model = make(&def);
    lf_model_query question = lf_model_query_default();
    lf_model_pair pairs[16];
    int64_t count;
    question.a = question.b = model;
    assert_int_equal(lf_model_pairs(&question, pairs, 16, &count, NULL), LF_OK);
    assert_int_equal(count, 16); // every face touches every other, and itself
    assert_int_equal(lf_model_pairs(&question, pairs, 5, &count, NULL), LF_PARTIAL);
    assert_int_equal(count, 16);
    question.limit = 5;
    assert_int_equal(lf_model_pairs(&question, pairs, 16, &count, NULL), LF_OK);
    assert_int_equal(count, 5);
    question.limit = 1;
    assert_int_equal(lf_model_pairs(&question, NULL, 0, &count, NULL), LF_PARTIAL);
    assert_int_equal(count, 1);
    question.pose_b.translation.x = 1; // corner on corner
    question.limit = 0;
    assert_int_equal(lf_model_pairs(&question, pairs, 16, &count, NULL), LF_OK);
    assert_int_equal(count, 9);
    question.pose_b.translation.x = nextafter(1, 2);
    bool touching = true;
    assert_int_equal(lf_model_touch(&question, &touching, NULL), LF_OK);
    assert_false(touching);
    lf_model_destroy(model);
}

/// The same question in an older program's size, and the defaults for other languages.
static void older_sizes(void **state) {
    (void)state;
    lf_model_def def;
    lf_model_query question;
    memset(&def, 0xff, sizeof def);
    memset(&question, 0xff, sizeof question);
    def = lf_model_def_default();
    question = lf_model_query_default();
    assert_int_equal(def.size, sizeof def);
    assert_int_equal(question.size, sizeof question);
    assert_true(question.pose_b.rows[2].z == 1);
    lf_model_def real = tetra_def();
    lf_model *model = make(&real);
    question.a = question.b = model;
    question.size = offsetof(lf_model_query, limit);
    question.limit = -5; // not looked at
    bool touching = false;
    assert_int_equal(lf_model_touch(&question, &touching, NULL), LF_OK);
    assert_true(touching);
    lf_model_destroy(model);
}

/// As a ground: heights from infinity are those of the same polygons as a mesh, also where nothing or the edge of the surface is.
static void heights_from_infinity(void **state) {
    (void)state;
    lf_model_def def = tetra_def();
    lf_model *model = make(&def);
    lf_mesh_def same = lf_mesh_def_default();
    lf_mesh *mesh = NULL;
    same.polygons = def.polygons;
    assert_int_equal(lf_mesh_create(&same, &mesh, NULL), LF_OK);
    for (int i = -2; i <= 10; i++)
        for (int j = -2; j <= 10; j++) {
            lf_vec3 point = {0.125 * i, 0.125 * j, LF_INFINITY};
            lf_hit own, other, many;
            double height;
            assert_int_equal(lf_ground_height(lf_model_ground(model), point, LF_VERTICAL_DOWN, &own, NULL),
                             LF_OK);
            assert_int_equal(lf_ground_height(lf_mesh_ground(mesh), point, LF_VERTICAL_DOWN, &other, NULL),
                             LF_OK);
            lf_ground_height_many(lf_model_ground(model), &point, 0, 1, LF_VERTICAL_DOWN, &many, 0, NULL);
            lf_ground_heights_many(lf_model_ground(model), &point, 0, 1, LF_VERTICAL_DOWN, &height, 0, NULL);
            assert_int_equal(own.kind, other.kind);
            assert_int_equal(many.kind, other.kind);
            assert_true(own.t == other.t || own.kind == LF_HIT_NONE);
            if (own.kind == LF_HIT_NONE)
                assert_true(isnan(height));
            else
                assert_true(fabs(own.point.z - other.point.z) <= 1e-12 && many.point.z == own.point.z &&
                            height == own.point.z);
        }
    lf_mesh_destroy(mesh);
    lf_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_and_open),        cmocka_unit_test(soup_is_closed),
        cmocka_unit_test(polygons_and_triangles), cmocka_unit_test(refused),
        cmocka_unit_test(without_memory),         cmocka_unit_test(bad_questions),
        cmocka_unit_test(limits_and_space),       cmocka_unit_test(older_sizes),
        cmocka_unit_test(heights_from_infinity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
