#include "support.h"
#include <string.h>

/// A yard of 20 x 20 m, a table of 2 x 2 m one metre over its middle, and a screen that stands upright at x = 5.
static const lf_vec3 vertices[] = {{-10, -10, 0}, {10, -10, 0}, {10, 10, 0}, {-10, 10, 0},
                                   {-1, -1, 1},   {1, -1, 1},   {1, 1, 1},   {-1, 1, 1},
                                   {5, -3, 0},    {5, 3, 0},    {5, 3, 4},   {5, -3, 4}};
static const int64_t starts[] = {0, 4, 8, 12};
static const int64_t corners[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
static const uint32_t layers[] = {1, 2, 4};
static const uint8_t sides[] = {1, 1, 1};

static lf_shadow_def yard_def(lf_light light) {
    lf_shadow_def def = lf_shadow_def_default();
    def.polygons = (lf_polygons){.vertices = vertices,
                                 .vertex_count = 12,
                                 .starts = starts,
                                 .corners = corners,
                                 .polygon_count = 3,
                                 .layers = layers,
                                 .sides = sides};
    def.light = light;
    return def;
}

static lf_shadow *make(const lf_shadow_def *def) {
    lf_shadow *shadow;
    assert_int_equal(lf_shadow_create(def, &shadow, NULL), LF_OK);
    return shadow;
}

/// The polygon that casts the shadow, or -1: lit.
static int64_t by(const lf_shadow *shadow, double x, double y, double z) {
    lf_hit hit;
    bool lit;
    assert_int_equal(lf_shadow_at(shadow, (lf_vec3){x, y, z}, &lit, &hit, NULL), LF_OK);
    assert_int_equal(lit, hit.kind == LF_HIT_NONE);
    return lit ? -1 : hit.element;
}

static void light_from_far_away(void **state) {
    (void)state;
    lf_shadow_def def = yard_def(lf_light_along((lf_vec3){0, 0, -3}));
    lf_shadow *shadow = make(&def);
    assert_int_equal(by(shadow, 0, 0, 0), 1);
    assert_int_equal(by(shadow, 3, 0, 0), -1); // not in the shadow of the ground it lies on
    assert_int_equal(by(shadow, 0, 0, 1), -1);
    assert_int_equal(by(shadow, 0, 0, 2), -1);
    assert_int_equal(by(shadow, 1, 1, 0), 1);  // the border of a shadow is shadow
    assert_int_equal(by(shadow, 5, 0, 0), -1); // the screen is edge-on
    assert_int_equal(by(shadow, 3, 0, -1), 0); // under the ground, from behind too
    lf_hit hit;
    bool lit;
    assert_int_equal(lf_shadow_at(shadow, (lf_vec3){0, 0, 0.25}, &lit, &hit, NULL), LF_OK);
    assert_true(!lit && fabs(hit.t - 0.75) < 1e-12);
    assert_int_equal(lf_shadow_at(shadow, (lf_vec3){0, 0, 0.25}, &lit, NULL, NULL), LF_OK);
    assert_false(lit);
    lf_shadow_destroy(shadow);
}

static void light_from_the_west(void **state) {
    (void)state;
    lf_shadow_def def = yard_def(lf_light_along((lf_vec3){2, 0, -1})); // evening: from the west, and low
    lf_shadow *shadow = make(&def), *none = NULL;
    assert_int_equal(by(shadow, 0, 0, 0), -1);
    assert_int_equal(by(shadow, 2, 0, 0), 1);
    assert_int_equal(by(shadow, 7, 0, 0), 2);
    lf_shadow_destroy(shadow);
    lf_error error;
    def.light = lf_light_along((lf_vec3){0, 0, 0});
    assert_int_equal(lf_shadow_create(&def, &none, &error), LF_BAD_ARGUMENT);
    def.light = lf_light_at((lf_vec3){0, NAN, 0});
    assert_int_equal(lf_shadow_create(&def, &none, &error), LF_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "light"));
    assert_null(none);
}

static void light_from_a_lamp(void **state) {
    (void)state;
    lf_shadow_def def = yard_def(lf_light_at((lf_vec3){0, 0, 2}));
    lf_shadow *shadow = make(&def);
    assert_int_equal(by(shadow, 1.9, 1.9, 0), 1); // twice as wide as the table
    assert_int_equal(by(shadow, 2.1, 0, 0), -1);
    assert_int_equal(by(shadow, 7, 0, 1), 2);
    assert_int_equal(by(shadow, 0, 0, 5), -1); // above the lamp: the table is behind it
    assert_int_equal(by(shadow, 0, 0, 2), -1); // the lamp itself
    assert_int_equal(by(shadow, 3, 0, -1), 0);
    // A lamp on the table lights what is above it, and the table does not darken what it stands on.
    lf_shadow_destroy(shadow);
    def.light = lf_light_at((lf_vec3){0, 0, 1});
    shadow = make(&def);
    assert_int_equal(by(shadow, 3, 0, 5), -1);
    assert_int_equal(by(shadow, 3, 0, 0), -1);
    lf_shadow_destroy(shadow);
}

static void skin_and_strictness(void **state) {
    (void)state;
    lf_shadow_def def = yard_def(lf_light_along((lf_vec3){0, 0, -3}));
    def.skin = 0;
    lf_shadow *shadow = make(&def);
    assert_int_equal(by(shadow, 0, 0, 1), -1);
    assert_int_equal(by(shadow, 0, 0, nextafter(1, 0)), 1); // one bit below is below
    assert_int_equal(by(shadow, 3, 3, 0), -1);
    lf_shadow_destroy(shadow);
    def.skin = 0.01;
    shadow = make(&def);
    assert_int_equal(by(shadow, 0, 0, 0.995), -1);
    assert_int_equal(by(shadow, 0, 0, 0.985), 1);
    lf_shadow_destroy(shadow);
}

static void layers_and_many_points(void **state) {
    (void)state;
    lf_shadow_def def = yard_def(lf_light_along((lf_vec3){0, 0, -3}));
    lf_shadow *shadow = make(&def);
    lf_cursor *cursor;
    bool lit;
    assert_int_equal(lf_cursor_create(NULL, &cursor), LF_OK);
    lf_cursor_set_layers(cursor, 1);
    assert_int_equal(lf_shadow_at(shadow, (lf_vec3){0, 0, 0}, &lit, NULL, cursor), LF_OK);
    assert_true(lit);
    lf_cursor_destroy(cursor);
    enum { COUNT = 3000 };
    static lf_vec3 points[COUNT];
    static bool many[COUNT], serial[COUNT];
    static lf_hit hits[COUNT];
    test_random random = test_random_start(81);
    for (int i = 0; i < COUNT; i++)
        points[i] =
            (lf_vec3){test_random_between(&random, -10, 10), test_random_between(&random, -10, 10), 0};
    lf_tasks tasks = test_tasks(3);
    assert_int_equal(lf_shadow_many(shadow, points, 0, COUNT, many, hits, &tasks), LF_OK);
    assert_int_equal(lf_shadow_many(shadow, points, sizeof points[0], COUNT, serial, NULL, NULL), LF_OK);
    for (int i = 0; i < COUNT; i++) {
        lf_hit hit;
        assert_int_equal(lf_shadow_at(shadow, points[i], &lit, &hit, NULL), LF_OK);
        assert_true(lit == many[i] && lit == serial[i] && hit.element == hits[i].element &&
                    hit.t == hits[i].t);
        assert_int_equal(lit, !(fabs(points[i].x) <= 1 && fabs(points[i].y) <= 1));
    }
    points[7].y = NAN;
    many[0] = !many[0];
    bool kept = many[0];
    assert_int_equal(lf_shadow_many(shadow, points, 0, COUNT, many, hits, &tasks), LF_BAD_ARGUMENT);
    assert_int_equal(many[0], kept);
    lf_shadow_destroy(shadow);
}

static void bad_shadows_are_refused(void **state) {
    (void)state;
    lf_shadow *shadow = NULL;
    lf_error error;
    bool lit;
    lf_shadow_def def = yard_def(lf_light_along((lf_vec3){0, 0, -3}));
    assert_int_equal(lf_shadow_create(&def, NULL, &error), LF_BAD_ARGUMENT);
    def.skin = -1;
    assert_int_equal(lf_shadow_create(&def, &shadow, &error), LF_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "skin"));
    def = yard_def((lf_light){(lf_light_kind)7, {0, 0, 1}});
    assert_int_equal(lf_shadow_create(&def, &shadow, &error), LF_BAD_ARGUMENT);
    def = yard_def(lf_light_along((lf_vec3){0, 0, -3}));
    def.polygons.polygon_count = 0;
    assert_int_equal(lf_shadow_create(&def, &shadow, &error), LF_BAD_GEOMETRY);
    assert_null(shadow);
    assert_int_equal(lf_shadow_at(NULL, (lf_vec3){0, 0, 0}, &lit, NULL, NULL), LF_BAD_ARGUMENT);
    lf_shadow_destroy(NULL);
}

static lf_status make_and_ask(const lf_host *host, void *user) {
    (void)user;
    lf_shadow_def def = yard_def(lf_light_along((lf_vec3){0, 0, -3}));
    lf_shadow *shadow;
    def.host = *host;
    lf_status status = lf_shadow_create(&def, &shadow, NULL);
    if (status != LF_OK)
        return status;
    assert_int_equal(by(shadow, 0, 0, 0), 1);
    lf_shadow_destroy(shadow);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    test_out_of_memory(make_and_ask, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(light_from_far_away),    cmocka_unit_test(light_from_the_west),
        cmocka_unit_test(light_from_a_lamp),      cmocka_unit_test(skin_and_strictness),
        cmocka_unit_test(layers_and_many_points), cmocka_unit_test(bad_shadows_are_refused),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
