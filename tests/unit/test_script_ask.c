// What a script asks its world: grounds and the scene's own shapes as one ground, over a plane and on a
// globe.
#include "small_planet.h"
#include "support.h"
#include <landfall/script.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct heard {
    char text[4096];
} heard;

static void hear(void *user, const char *text) {
    heard *h = user;
    size_t used = strlen(h->text);
    snprintf(h->text + used, sizeof h->text - used, "%s\n", text);
}

static lf_script_def def_of(const char *text, heard *h) {
    lf_script_def def = lf_script_def_default();
    *h = (heard){""};
    def.name = "ask.lua";
    def.text = text;
    def.length = strlen(text);
    def.say = hear;
    def.user = h;
    return def;
}

static void runs(lf_script_def def, const heard *h, const char *expected) {
    lf_script *script = NULL;
    lf_error error = {LF_OK, -1, ""};
    if (lf_script_create(&def, &script, &error) != LF_OK)
        fail_msg("%s", error.text);
    assert_int_equal(lf_script_step(script, 0.1, &error), LF_OK);
    assert_string_equal(h->text, expected);
    lf_script_destroy(script);
}

static void fails(const char *text, const char *expected) {
    heard h;
    lf_script_def def = def_of(text, &h);
    lf_script *script = NULL;
    lf_error error = {LF_OK, -1, ""};
    assert_int_equal(lf_script_create(&def, &script, &error), LF_BAD_FORMAT);
    if (!strstr(error.text, expected))
        fail_msg("%s: expected %s", error.text, expected);
}

#define TOWN                                                                                              \
    "local hills = world.ground{ columns = 21, rows = 21, step = 10, origin = { -100, -100 },\n"          \
    "  height = function(x, y) return x > 50 and 20 or 0 end }\n"                                         \
    "local house = world.object{ name = 'house', parts = { { shape = 'box', size = { 10, 10, 8 } } } }\n" \
    "local first = house:instance{ at = { 0, 0, 4 } }\n"

static void everything_is_one_ground(void **state) {
    (void)state;
    heard h;
    lf_script_def def =
        def_of(TOWN "local z, who = world.height(0, 0) print(z, who == first)\n"
                    "print(world.height(0, 0, { objects = false }))\n"
                    "print(world.height(0, 0, 5))\n"
                    "print(world.height(30, 0, { ground = false }))\n"
                    "print(world.height(500, 0))\n"
                    "print(world.height(0, 0, { layers = 2 }))\n"
                    "local i, part, t = world.ray(-50, 0, 4, 1, 0, 0) print(i == first, part == "
                    "first:top():parts()[1], t)\n"
                    "print(world.ray(-50, 0, 4, 1, 0, 0, { objects = false }))\n"
                    "print(world.ray(-50, 0, 4, -1, 0, 0))\n"
                    "print(world.sight(-20, 0, 2, -20, 30, 2), world.sight(-20, 0, 2, 20, 0, 2))\n"
                    "print(world.sight(-20, 0, 2, 20, 0, 2, { objects = false }))\n"
                    "local t, nx, ny, nz, who = world.sweep(-20, 0, 3, 1, 40, 0, 0)\n"
                    "print(string.format('%.4f %g %g %g', t, nx, ny, nz), who == first)\n"
                    "print(world.sweep(-20, 0, 30, 1, 40, 0, 0))\n"
                    "print(world.walk(-20, 0, 1, -8, 0, 0, 0.5))\n"
                    "print(world.walk(-20, 0, 1, 20, 0, 0, 0.5))\n"
                    "print(world.walk(-20, 0, 1, 20, 0, 0, 9))\n"
                    "print(world.place(20, 20))\n"
                    "print(world.stand(-20, 0, 9, 0, 4, 2))\n"
                    "print(world.locale(0, 0, 4), world.locale(30, 0, 4))\n"
                    "print(world.viewshed_count{ at = { -20, 0, 2 }, origin = { -40, 0 }, step = 20, columns "
                    "= 5, rows = 1 })\n"
                    "print(world.viewshed_count{ at = { -20, 0, 2 }, origin = { -40, 0 }, step = 20, columns "
                    "= 5, rows = 1,\n"
                    "  objects = false })\n"
                    "print(world.to_lonlat(0, 0, 0), world.from_lonlat(0, 0, 0))\n"
                    "first:jump(0, 50, 4)\n"
                    "print(world.height(0, 0), (world.height(0, 50)))\n",
               &h);
    runs(def, &h,
         "8.0 true\n0.0 nil\n0.0 nil\nnil\nnil\nnil\n"
         "true true 45.0\nnil nil 102.0\nnil\n"
         "true false 0.375\ntrue\n"
         "0.3500 -1 0 0 true\nnil\n"
         "true -8.0 0.0 0.0 arrived\ntrue 20.0 0.0 0.0 arrived\ntrue 20.0 0.0 0.0 arrived\n"
         "20.0 20.0 0.0 0.0 0.0 1.0\n-20.0 0.0 0.0 0.0 0.0 4\n"
         "0.0 nil\n2 5\n5 5\nnil nil\n0.0 8.0\n");
}

/// Ten thousand halls: so many questions would be far too much work if each hall were asked. (Work is charged in instructions, of which there
/// are 50 million.)
static void in_one_of_many_halls(void **state) {
    (void)state;
    heard h;
    lf_script_def def =
        def_of("local hall = world.object{ name = 'hall', parts = { { shape = 'box', size = { 9, 9, 1 } },\n"
               "  { shape = 'box', size = { 9, 9, 1 }, at = { 0, 0, 4 } } } }\n"
               "for i = 0, 9999 do hall:instance{ at = { i % 100 * 10, i // 100 * 10, 0 } } end\n"
               "local inside, floors = 0, 0\n"
               "for i = 1, 5000 do\n"
               "  local floor, ceiling = world.locale(i * 7 % 1000, i * 13 % 1000, 2)\n"
               "  if floor then inside = inside + 1 floors = floors + ceiling - floor end\n"
               "end\n"
               "print(inside > 3000 and inside < 5000, floors / inside)\n",
               &h);
    runs(def, &h, "true 3.0\n");
}

static void wrong_questions(void **state) {
    (void)state;
    fails("world.height('a', 2)", "ask.lua:1: bad argument #1 to 'height'");
    fails("world.height(1, 2, { layers = -1 })", "layers: expected a whole number, 0 .. 4294967295");
    fails("world.ray(0, 0, 0, 0, 0, 0)", "ask.lua:1:");
    fails("world.sweep(0, 0, 0, -1, 1, 1, 1)", "ask.lua:1:");
    fails("world.viewshed_count{ at = { 0, 0, 0 }, origin = { 0, 0 }, columns = 0, rows = 1 }",
          "columns: expected a whole number, 1 .. 1048576");
    fails("world.viewshed_count{ at = { 0, 0, 0 }, origin = { 0, 0 }, columns = 1048576, rows = 1048576 }",
          "targets");
    fails("world.viewshed_count{ origin = { 0, 0 } }", "at: expected {x, y, z}");
    heard h;
    lf_script_def def =
        def_of("print(world.height(0, 0), world.ray(0, 0, 9, 0, 0, -1), world.sight(0, 0, 0, 1, 1, 1))\n"
               "print(world.walk(0, 0, 0, 1, 1, 1, 1))\n",
               &h);
    runs(def, &h, "nil nil true\nfalse 0.0 0.0 0.0 no ground\n"); // an empty world
}

/// A watch's own function may ask for rays among the objects, and nothing else.
static void own_functions(void **state) {
    (void)state;
    heard h;
    lf_script_def def =
        def_of("local o = world.object{ parts = { { shape = 'box' } } }\n"
               "local a, b = o:instance(), o:instance{ at = { 0.5, 0, 0 } }\n"
               "world.watch{ a = a, b = b, own = function() print(world.ray(-5, 0, 0, 1, 0, 0) == a)\n"
               "  world.height(0, 0) return 0 end }\n",
               &h);
    lf_script *script = NULL;
    lf_error error = {LF_OK, -1, ""};
    assert_int_equal(lf_script_create(&def, &script, &error), LF_OK);
    assert_int_equal(lf_script_step(script, 0.1, &error), LF_BAD_FORMAT);
    assert_non_null(strstr(error.text, "ask.lua:4: not allowed from a watch's own function"));
    assert_string_equal(h.text, "true\n");
    lf_script_destroy(script);
}

/// A globe in coordinates about a place on it: x east, y north, z up.
static void on_a_globe(void **state) {
    (void)state;
    lf_ellipsoid ellipsoid = lf_ellipsoid_wgs84();
    small_planet *planet = small_planet_make(ellipsoid, 4, SMALL_PLANET_ROLLING, 3000, 5);
    lf_globe *globe = small_planet_globe(planet, (size_t)1 << 30);
    assert_int_equal(lf_globe_load_area(globe, (lf_geodetic_box){-180, -90, 180, 90}, 3), LF_OK);
    static const lf_geodetic places[] = {{12, 47, 0}, {180, -5, 0}, {0, 90, 0}};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        lf_geodetic place = places[k];
        lf_pose here, there = lf_pose_identity();
        place.height = small_planet_height(planet, place.lon_deg, place.lat_deg);
        assert_int_equal(lf_ellipsoid_pose(&ellipsoid, place, 0, 0, 0, &here), LF_OK);
        const lf_vec3 *r = here.rows;
        there.rows[0] = (lf_vec3){r[0].x, r[1].x, r[2].x};
        there.rows[1] = (lf_vec3){r[0].y, r[1].y, r[2].y};
        there.rows[2] = (lf_vec3){r[0].z, r[1].z, r[2].z};
        there.translation = lf_pose_to_local(&here, (lf_vec3){0, 0, 0});
        lf_group_part part = {.ground = lf_globe_ground(globe), .pose = there};
        lf_group_def group_def = lf_group_def_default();
        lf_group *group;
        group_def.parts = &part;
        group_def.part_count = 1;
        assert_int_equal(lf_group_create(&group_def, &group, NULL), LF_OK);
        heard h;
        lf_script_def def =
            def_of("local land = world.land()\n"
                   "local box = world.object{ parts = { { shape = 'box', size = { 10, 10, 40 } } } }\n"
                   "local tower = box:instance{ at = { 100, 0, 0 } }\n"
                   "local z = world.height(0, 0)\n"
                   "print(math.abs(z) < 0.01, math.abs(land:height(0, 0) - z) < 1e-6)\n"
                   "local top, who = world.height(100, 0) print(top, who == tower)\n"
                   "print((world.ray(0, 0, 10, 1, 0, 0)) == tower)\n"
                   "print(world.sight(0, 0, 10, 200, 0, 10), world.sight(0, 0, 10, 200, 0, 10, { objects = "
                   "false }) ~= nil)\n"
                   "local t, _, _, _, who = world.sweep(0, 0, 10, 1, 200, 0, 0) print(t > 0.46 and t < "
                   "0.4701, who == tower)\n"
                   "local arrived, x, y, z = world.walk(0, 0, 5, 50, 20, 0, 10) print(arrived, math.abs(x - "
                   "50) < 0.1)\n"
                   "local x, y, z, pitch, roll, wheels = world.stand(0, 0, 5, 0, 4, 2) print(math.abs(z) < "
                   "0.1, wheels)\n"
                   "local lon, lat, height = world.to_lonlat(0, 0, 0)\n"
                   "local x, y, z = world.from_lonlat(lon, lat, height)\n"
                   "print(math.abs(x) < 1e-6, math.abs(y) < 1e-6, math.abs(z) < 1e-6)\n"
                   "local seen, all = world.viewshed_count{ at = { 0, 0, 30 }, origin = { -20, -20 }, step = "
                   "10, columns = 5, rows = 5 }\n"
                   "print(all)\n",
                   &h);
        def.land = lf_group_ground(group);
        def.ellipsoid = &ellipsoid;
        def.place = here;
        runs(def, &h,
             "true true\n20.0 true\ntrue\nfalse true\ntrue true\ntrue true\ntrue 4\ntrue true "
             "true\n25\n");
        lf_group_destroy(group);
    }
    lf_globe_destroy(globe);
    small_planet_free(planet);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_one_ground), cmocka_unit_test(in_one_of_many_halls),
        cmocka_unit_test(wrong_questions), cmocka_unit_test(own_functions), cmocka_unit_test(on_a_globe)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
