/// Distance fields: what they say of themselves, what they refuse, and what is reported of them.
#include "published/funfzig_field.h"
#include "shapes.h"
#include <math.h>
#include <string.h>

static lf_model *make(const shape *shape, lf_field_def field) {
    lf_model_def def = lf_model_def_default();
    lf_model *model;
    lf_error error = {0};
    def.polygons = shape_polygons(shape);
    def.field = field;
    if (lf_model_create(&def, &model, &error) != LF_OK)
        fail_msg("%s", error.text);
    return model;
}

static lf_field_def field_of(int sectors) {
    lf_field_def def = lf_model_def_default().field;
    def.functions = lf_funfzig_field();
    def.sectors = sectors;
    return def;
}

/// A ball around its own centre: one thin shell in every sector.
static void a_ball(void **state) {
    (void)state;
    test_random random = test_random_start(361);
    shape shape;
    shape_make(&shape, SHAPE_BALL, 2000, &random);
    lf_field_def def = field_of(8);
    def.centre = LF_FIELD_CENTRE_GIVEN;
    lf_model *model = make(&shape, def);
    lf_field_stats stats;
    assert_int_equal(lf_funfzig_stats(model, &stats), LF_OK);
    assert_int_equal(stats.sector_count, 6 * 64);
    assert_int_equal(stats.filled_count, 6 * 64);
    assert_int_equal(stats.layer_count, 6 * 64);
    assert_true(stats.entry_count >= shape.triangle_count);
    assert_true(fabs(stats.radius - 1) < 1e-4);
    assert_true(stats.thickness > 0 && stats.thickness < 0.02);
    assert_int_equal(stats.pyramid_bytes, 2 * 2 * 6 * 64);
    assert_int_equal(stats.full_bytes, 2 * 2 * 6 * (2 * 64 - 1));
    assert_int_equal(stats.quadtree_bytes, 2 * 2 * 6 * (64 + 16 + 4 + 1));
    assert_true(stats.bytes == lf_model_describe(model).field_bytes);
    int64_t entries = 0;
    for (int i = 0; i < 6 * 64; i++) {
        lf_field_sector sector;
        assert_int_equal(lf_funfzig_sector(model, i / 64, i % 8, i / 8 % 8, &sector), LF_OK);
        assert_int_equal(sector.layers, 1);
        assert_true(sector.least > 0.97 && sector.most < 1.001 && sector.least < sector.most);
        entries += sector.triangle_count;
    }
    assert_int_equal(entries, stats.entry_count);
    lf_model_destroy(model);
    shape_free(&shape);
}

/// Boxes in boxes: a layer for each, as far as there may be so many.
static void layers_of_boxes(void **state) {
    (void)state;
    test_random random = test_random_start(362);
    shape shape;
    shape_make(&shape, SHAPE_NESTED, 60, &random); // five boxes
    for (int most = 1; most <= 8; most++) {
        lf_field_def def = field_of(16);
        def.layers = most;
        lf_model *model = make(&shape, def);
        lf_field_sector sector;
        assert_int_equal(lf_funfzig_sector(model, 0, 8, 8, &sector), LF_OK);
        assert_int_equal(sector.layers, most < 5 ? most : 5);
        assert_true(fabs(sector.least - 1) < 0.01 && sector.most >= 5);
        lf_model_destroy(model);
    }
    shape_free(&shape);
}

/// The stored numbers yield the bounds of every node: each is the least and the largest of its halves.
static void pyramid(void **state) {
    (void)state;
    test_random random = test_random_start(363);
    shape shape;
    shape_make(&shape, SHAPE_TREE, 300, &random);
    lf_model *model = make(&shape, field_of(16));
    const lf__field *field = model->field;
    lf__field_node stack[64];
    int64_t leaves = 0;
    for (int chart = 0; chart < 6; chart++) {
        int depth = 1;
        stack[0] = lf__field_root(field, chart);
        while (depth > 0) {
            lf__field_node node = stack[--depth], halves[2];
            if (node.level == field->levels) {
                leaves++;
                continue;
            }
            lf__field_halves(field, &node, halves);
            assert_int_equal(node.most, halves[0].most > halves[1].most ? halves[0].most : halves[1].most);
            assert_int_equal(node.least,
                             halves[0].least < halves[1].least ? halves[0].least : halves[1].least);
            stack[depth++] = halves[0];
            stack[depth++] = halves[1];
        }
    }
    assert_int_equal(leaves, 6 * 256);
    bool seen[256] = {false};
    for (int i = 0; i < 256; i++)
        seen[lf__field_transform_place(i % 16, i / 16)] = true;
    for (int i = 0; i < 256; i++)
        assert_true(seen[i]);
    lf_model_destroy(model);
    shape_free(&shape);
}

/// All, one for each two layers, one for each two sectors: each a part of the one before.
static void reports(void **state) {
    (void)state;
    test_random random = test_random_start(364);
    shape shape;
    shape_make(&shape, SHAPE_KNOT, 500, &random);
    lf_model *model = make(&shape, field_of(8));
    lf_model_query question = lf_model_query_default();
    int64_t all, layers, sectors, limited;
    question.a = question.b = model;
    question.pose_b.translation = (lf_vec3){0.5, 0.1, 0.05};
    assert_int_equal(lf_model_pairs(&question, NULL, 0, &all, NULL), LF_PARTIAL);
    question.report = LF_MODEL_REPORT_LAYER;
    assert_int_equal(lf_model_pairs(&question, NULL, 0, &layers, NULL), LF_PARTIAL);
    question.report = LF_MODEL_REPORT_SECTOR;
    assert_int_equal(lf_model_pairs(&question, NULL, 0, &sectors, NULL), LF_PARTIAL);
    assert_true(all > 0 && layers >= sectors && sectors > 0);
    question.limit = 1;
    lf_model_pair pair;
    assert_int_equal(lf_model_pairs(&question, &pair, 1, &limited, NULL), LF_OK);
    assert_int_equal(limited, 1);
    question.report = LF_MODEL_REPORT_ALL;
    question.method = LF_MODEL_FIELD;
    question.limit = 3;
    assert_int_equal(lf_model_pairs(&question, NULL, 0, &limited, NULL), LF_PARTIAL);
    assert_int_equal(limited, 3);
    lf_model_destroy(model);
    shape_free(&shape);
}

/// The area of the triangles whose middles a point sees.
static double area_seen(const lf_model *model, const shape *shape, lf_vec3 from) {
    double seen = 0;
    for (int64_t i = 0; i < shape->triangle_count; i++) {
        lf_vec3 t[3];
        lf_hit hit;
        assert_int_equal(lf_model_triangle(model, i, t, NULL), LF_OK);
        lf_vec3 middle = lf_vec3_scale(lf_vec3_add(t[0], lf_vec3_add(t[1], t[2])), 1.0 / 3);
        lf_ray ray = lf_ray_between(from, middle);
        ray.t_max = 1 - 1e-6;
        assert_int_equal(lf_ground_ray_first(lf_model_ground(model), &ray, &hit, NULL), LF_OK);
        if (hit.kind == LF_HIT_NONE)
            seen += lf_vec3_length(lf_vec3_cross(lf_vec3_sub(t[1], t[0]), lf_vec3_sub(t[2], t[0])));
    }
    return seen;
}

static lf_vec3 centre_of(const shape *shape, lf_field_centre centre, lf_vec3 at) {
    lf_field_def def = field_of(4);
    lf_field_stats stats;
    def.centre = centre;
    def.at = at;
    lf_model *model = make(shape, def);
    assert_int_equal(lf_funfzig_stats(model, &stats), LF_OK);
    lf_model_destroy(model);
    return stats.centre;
}

/// Boxes in boxes around the origin: in the middle only the innermost is seen, from between the two outermost most of all.
static void centres(void **state) {
    (void)state;
    test_random random = test_random_start(365);
    shape shape;
    lf_vec3 at = {0.25, -3, 17};
    shape_make(&shape, SHAPE_NESTED, 60, &random);
    lf_model *model = make(&shape, field_of(0));
    lf_vec3 sphere = centre_of(&shape, LF_FIELD_CENTRE_SPHERE, at),
            mass = centre_of(&shape, LF_FIELD_CENTRE_MASS, at);
    lf_vec3 seeing = centre_of(&shape, LF_FIELD_CENTRE_SEEING, at),
            given = centre_of(&shape, LF_FIELD_CENTRE_GIVEN, at);
    lf_vec3 described = lf_model_describe(model).centre;
    assert_memory_equal(&sphere, &described, sizeof sphere);
    assert_memory_equal(&given, &at, sizeof at);
    assert_true(lf_vec3_length(mass) < 1e-9);
    assert_true(area_seen(model, &shape, seeing) > 2 * area_seen(model, &shape, mass));
    assert_true(area_seen(model, &shape, seeing) > 2 * area_seen(model, &shape, sphere));
    lf_model_destroy(model);
    shape_free(&shape);
}

/// Where a surface is heavy: a small face and one of nine times its area.
static void centre_of_mass(void **state) {
    (void)state;
    const lf_vec3 v[6] = {{0, 0, 0}, {3, 0, 0}, {0, 3, 0}, {0, 0, 10}, {9, 0, 10}, {0, 9, 10}};
    const int64_t corners[6] = {0, 1, 2, 3, 4, 5};
    lf_model_def def = lf_model_def_default();
    lf_model *model;
    lf_field_stats stats;
    def.polygons.vertices = v;
    def.polygons.vertex_count = 6;
    def.polygons.corners = corners;
    def.polygons.polygon_count = 2;
    def.field = field_of(2);
    def.field.centre = LF_FIELD_CENTRE_MASS;
    assert_int_equal(lf_model_create(&def, &model, NULL), LF_OK);
    assert_int_equal(lf_funfzig_stats(model, &stats), LF_OK);
    assert_true(fabs(stats.centre.x - 2.8) < 1e-12 && fabs(stats.centre.y - 2.8) < 1e-12 &&
                fabs(stats.centre.z - 9) < 1e-12);
    lf_model_destroy(model);
}

static void refuse(const shape *shape, lf_field_def field) {
    lf_model_def def = lf_model_def_default();
    lf_model *model = NULL;
    lf_error error = {0};
    def.polygons = shape_polygons(shape);
    def.field = field;
    assert_int_equal(lf_model_create(&def, &model, &error), LF_BAD_ARGUMENT);
    assert_null(model);
    assert_true(strlen(error.text) > 0);
}

static void refused(void **state) {
    (void)state;
    test_random random = test_random_start(366);
    shape shape;
    shape_make(&shape, SHAPE_ONE, 1, &random);
    static const int bad[] = {-1, 1, 3, 48, 512};
    for (int i = 0; i < 5; i++)
        refuse(&shape, field_of(bad[i]));
    lf_field_def def = field_of(4);
    def.layers = 0;
    refuse(&shape, def);
    def.layers = 17;
    refuse(&shape, def);
    def.layers = 1;
    def.centre = (lf_field_centre)9;
    refuse(&shape, def);
    def.centre = LF_FIELD_CENTRE_GIVEN;
    def.at.y = NAN;
    refuse(&shape, def);
    def = field_of(4);
    def.functions = NULL;
    refuse(&shape, def);
    lf_model *plain = make(&shape, field_of(0)), *field = make(&shape, field_of(2));
    lf_field_stats stats;
    lf_field_sector sector;
    assert_int_equal(lf_funfzig_stats(plain, &stats), LF_BAD_ARGUMENT);
    assert_int_equal(lf_funfzig_sector(plain, 0, 0, 0, &sector), LF_BAD_ARGUMENT);
    assert_int_equal(lf_funfzig_sector(field, 6, 0, 0, &sector), LF_BAD_ARGUMENT);
    assert_int_equal(lf_funfzig_sector(field, 0, 2, 0, &sector), LF_BAD_ARGUMENT);
    assert_int_equal(lf_funfzig_sector(field, 0, 0, -1, &sector), LF_BAD_ARGUMENT);
    lf_model_query question = lf_model_query_default();
    bool touching;
    int64_t count;
    question.a = plain, question.b = field;
    question.method = LF_MODEL_FIELD;
    assert_int_equal(lf_model_touch(&question, &touching, NULL), LF_BAD_ARGUMENT);
    question.method = (lf_model_method)7;
    assert_int_equal(lf_model_touch(&question, &touching, NULL), LF_BAD_ARGUMENT);
    question.a = field;
    question.method = LF_MODEL_SHELLS;
    assert_int_equal(lf_model_touch(&question, &touching, NULL), LF_OK);
    assert_true(touching);
    assert_int_equal(lf_model_pairs(&question, NULL, 0, &count, NULL), LF_BAD_ARGUMENT);
    question.method = LF_MODEL_TREE;
    question.report = LF_MODEL_REPORT_LAYER;
    assert_int_equal(lf_model_pairs(&question, NULL, 0, &count, NULL), LF_BAD_ARGUMENT);
    lf_model_destroy(field);
    lf_model_destroy(plain);
    shape_free(&shape);
}

static lf_status attempt(const lf_host *host, void *user) {
    lf_model_def def = lf_model_def_default();
    lf_model *model;
    def.host = *host;
    def.polygons = shape_polygons(user);
    def.field.sectors = 4;
    def.field.functions = lf_funfzig_field();
    lf_status status = lf_model_create(&def, &model, NULL);
    if (status != LF_OK)
        return status;
    lf_model_query question = lf_model_query_default();
    int64_t count;
    question.a = question.b = model;
    question.method = LF_MODEL_FIELD;
    status = lf_model_pairs(&question, NULL, 0, &count, NULL);
    lf_model_destroy(model);
    return status == LF_PARTIAL ? LF_OK : status;
}

static void without_memory(void **state) {
    (void)state;
    test_random random = test_random_start(367);
    shape shape;
    shape_make(&shape, SHAPE_KNOT, 60, &random);
    test_out_of_memory(attempt, &shape);
    shape_free(&shape);
}

/// A mesh of which every triangle surrounds the centre on half of all sides would take triangles times sectors: it is refused before it does.
static void crowded_centre(void **state) {
    (void)state;
    enum { TRIANGLES = 500 };
    static lf_vec3 vertices[3 * TRIANGLES];
    static int64_t corners[3 * TRIANGLES];
    test_random random = test_random_start(369);
    lf_model_def def = lf_model_def_default();
    lf_model *model = NULL;
    lf_error error = {0};
    for (int i = 0; i < 3 * TRIANGLES; i++) {
        double turn = 6.283185307179586 / 3 * (i % 3), tilt = test_random_between(&random, -1, 1);
        vertices[i] = (lf_vec3){1000 * cos(turn), 1000 * sin(turn), 50 * tilt + 0.01 * (i / 3)};
        corners[i] = i;
    }
    def.polygons = (lf_polygons){vertices, 3 * TRIANGLES, NULL, corners, TRIANGLES, NULL, NULL, NULL};
    def.field = field_of(64);
    def.field.centre = LF_FIELD_CENTRE_GIVEN;
    assert_int_equal(lf_model_create(&def, &model, &error), LF_TOO_LARGE);
    assert_null(model);
    assert_non_null(strstr(error.text, "too many of the 500 triangles"));
    def.field.sectors = 0; // without a field it is a model like any
    assert_int_equal(lf_model_create(&def, &model, &error), LF_OK);
    lf_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball),  cmocka_unit_test(layers_of_boxes), cmocka_unit_test(pyramid),
        cmocka_unit_test(reports), cmocka_unit_test(centres),         cmocka_unit_test(centre_of_mass),
        cmocka_unit_test(refused), cmocka_unit_test(without_memory),  cmocka_unit_test(crowded_centre),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
