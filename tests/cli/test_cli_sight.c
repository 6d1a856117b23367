/// Parts of the commands about sight: tables of visible samples, curvature, numbers that may be missing.
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

static void put_table(output *out, const void *user) {
    seen_table_put(out, user);
}

/// Ten observers need two planes: the last two are bits of the second. Samples that no observer sees are left out.
static void planes_become_lines(void **state) {
    (void)state;
    lf_vec2 at[10];
    for (int i = 0; i < 10; i++)
        at[i] = (lf_vec2){i, 0.5};
    const char *names[10] = {[2] = "gate", [7] = "a; \"b\"", [9] = "east, far"};
    observers who = {.at = at, .names = names, .count = 10};
    static const uint8_t planes[2 * 6] = {0x01, 0x00, 0x81, 0x00, 0x00, 0x04,
                                          0x00, 0x00, 0x02, 0x01, 0x00, 0x00};
    seen_table table = {{{100, 200}, {10, 1}, {-1, 10}}, {2, 1, 3, 2}, &who, planes, NULL};
    char text[SPACE];
    written(put_table, &table, text);
    assert_string_equal(text, "x,y,count,observers\n119,212,1,0\n139,214,3,\"0;a\\; \"\"b\"\";east, far\"\n"
                              "118,222,1,8\n138,224,1,gate\n");
    assert_int_equal(seen_table_count(&table, 0), 2);
    assert_int_equal(seen_table_count(&table, 1), 0);
    assert_int_equal(seen_table_count(&table, 9), 1);
}

static void counts_become_lines(void **state) {
    (void)state;
    observers who = {.count = 70000};
    static const uint32_t counts[4] = {0, 70000, UINT32_MAX, 3};
    seen_table table = {{{0, 0}, {1, 0}, {0, 1}}, {0, 0, 2, 2}, &who, NULL, counts};
    char text[SPACE];
    written(put_table, &table, text);
    assert_string_equal(text, "x,y,count\n1,0,70000\n1,1,3\n");
}

static void put_numbers(output *out, const void *user) {
    const double *numbers = user;
    for (int i = 0; i < 4; i++) {
        answer_put_number(out, numbers[i]);
        output_char(out, ' ');
    }
}

static void numbers_may_be_none(void **state) {
    (void)state;
    static const double numbers[4] = {1.5, NAN, INFINITY, -0.25};
    char text[SPACE];
    written(put_numbers, numbers, text);
    assert_string_equal(text, "1.5 - - -0.25 ");
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
        cmocka_unit_test(planes_become_lines),
        cmocka_unit_test(counts_become_lines),
        cmocka_unit_test(numbers_may_be_none),
        cmocka_unit_test(the_ground_sets_the_curvature),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
