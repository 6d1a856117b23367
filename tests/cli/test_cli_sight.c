/// Parts of the commands about sight: curvature, numbers that may be missing.
#include "answer.h"
#include "sight_rules.h"
#include "support.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SPACE = 4096 };

/// What a writer writes, as text.
static void written(void (*write)(output *out, const void *user), const void *user, char text[SPACE]) {
    FILE *file = tmpfile();
    output out;
    assert_non_null(file);
    assert_true(output_open(&out, dup(fileno(file))));
    out.digits = -1;
    write(&out, user);
    assert_true(output_close(&out));
    rewind(file);
    size_t length = fread(text, 1, SPACE - 1, file);
    text[length] = '\0';
    fclose(file);
}

static void put_numbers(output *out, const void *user) {
    static const field fields[] = {
        {"a", FIELD_PAIR, 0, .forms = 0}, {"b", FIELD_PAIR, sizeof(lf_vec2), .forms = 0}, {.name = NULL}};
    answer_line(out, fields, user);
}

static void numbers_may_be_none(void **state) {
    (void)state;
    static const double numbers[4] = {1.5, NAN, INFINITY, -0.25};
    char text[SPACE];
    written(put_numbers, numbers, text);
    assert_string_equal(text, "1.5 - - -0.25\n");
}

static void put_rules(output *out, const void *user) {
    static const field fields[] = {
        {"cc", FIELD_NUMBER, offsetof(lf_sight_rules, curvature.coefficient), .forms = LABELLED},
        {.name = NULL}};
    answer_line(out, fields, user);
}

/// Without a ground the earth is flat; a raster in metres on Earth has refraction; on another body there is none, and the radius is that
/// body's. What the options set stays.
static void the_ground_sets_the_curvature(void **state) {
    (void)state;
    static const double earth = 6378137, moon = 1737400;
    char text[SPACE];
    lf_sight_rules rules = lf_sight_rules_default();
    rules.curvature.coefficient = rules.curvature.radius = NAN;
    sight_rules_settle(NULL, &rules);
    assert_true(rules.curvature.coefficient == 0 && rules.curvature.radius > 6.3e6 &&
                rules.units == LF_MAP_METRES);
    static const float heights[4] = {0, 0, 0, 0};
    lf_grid_def def = lf_grid_def_default();
    loaded ground = {0};
    def.samples.values = heights;
    def.samples.columns = def.samples.rows = 2;
    assert_int_equal(lf_grid_create(&def, &ground.grid, NULL), LF_OK);
    ground.about.kind = LF_CRS_PROJECTED;
    for (int k = 0; k < 4; k++) {
        bool given = k >= 2, on_moon = k % 2 == 1;
        rules.curvature.coefficient = given ? 0.75 : NAN;
        rules.curvature.radius = given ? 5e6 : NAN;
        ground.about.ellipsoid = (lf_ellipsoid){on_moon ? moon : earth, 0};
        sight_rules_settle(&ground, &rules);
        double expected = given ? 0.75 : on_moon ? 0 : LF_CURVATURE_LIGHT;
        assert_true(rules.curvature.coefficient == expected);
        assert_true(given     ? rules.curvature.radius == 5e6
                    : on_moon ? rules.curvature.radius == moon
                              : rules.curvature.radius > 6.3e6);
        assert_true(rules.ellipsoid.radius == (on_moon ? moon : earth));
    }
    written(put_rules, &rules, text);
    assert_string_equal(text, "cc 0.75\n");
    lf_grid_destroy(ground.grid);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_may_be_none),
        cmocka_unit_test(the_ground_sets_the_curvature),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
