/// What scripts get from outside: models by name, and settings.
#include "support.h"
#include <landfall/script.h>
#include <stdio.h>
#include <string.h>

/// What a script has said, and what it has asked for.
typedef struct outside {
    char text[1024];
    size_t used;
    char asked[256]; ///< names, in order
    int loads;
} outside;

static void hear(void *user, const char *text) {
    outside *o = user;
    int written = snprintf(o->text + o->used, sizeof o->text - o->used, "%s\n", text);
    assert_true(written > 0 && (size_t)written < sizeof o->text - o->used);
    o->used += (size_t)written;
}

/// A flat square frame, 4 m outside and 2 m inside, upright across the x axis.
static lf_status make_frame(const lf_host *host, lf_model **model, lf_error *error) {
    static const lf_vec3 vertices[8] = {{0, -2, -2}, {0, 2, -2}, {0, 2, 2}, {0, -2, 2},
                                        {0, -1, -1}, {0, 1, -1}, {0, 1, 1}, {0, -1, 1}};
    static const int64_t starts[5] = {0, 4, 8, 12, 16};
    static const int64_t corners[16] = {0, 1, 5, 4, 1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7};
    lf_model_def def = lf_model_def_default();
    def.host = *host;
    def.polygons.vertices = vertices;
    def.polygons.vertex_count = 8;
    def.polygons.starts = starts;
    def.polygons.corners = corners;
    def.polygons.polygon_count = 4;
    return lf_model_create(&def, model, error);
}

static lf_status load(void *user, const char *name, const lf_host *host, lf_model **model, lf_error *error) {
    outside *o = user;
    size_t used = strlen(o->asked);
    snprintf(o->asked + used, sizeof o->asked - used, "%s ", name);
    o->loads++;
    if (strcmp(name, "gone.ply") == 0) {
        *error = (lf_error){LF_IO_FAILED, -1, "gone.ply: there is no such file"};
        return LF_IO_FAILED;
    }
    if (strcmp(name, "large.ply") == 0) // the memory it would need is beyond the script's budget
        return host->allocator->resize(host->allocator->user, NULL, 0, (size_t)1 << 30, 64) ? LF_OK
                                                                                            : LF_NO_MEMORY;
    return strcmp(name, "none.ply") == 0 ? LF_OK : make_frame(host, model, error);
}

static lf_script_def def_of(const char *text, outside *o) {
    lf_script_def def = lf_script_def_default();
    memset(o, 0, sizeof *o);
    def.name = "files.lua";
    def.text = text;
    def.length = strlen(text);
    def.say = hear;
    def.load = load;
    def.user = o;
    return def;
}

/// A script that has to fail while it is read.
static void fails(const lf_script_def *def, lf_status wanted, const char *words) {
    lf_script *script = NULL;
    lf_error error = {LF_OK, -1, ""};
    lf_status status = lf_script_create(def, &script, &error);
    if (status != wanted || script || !strstr(error.text, words))
        fail_msg("%s\ngave %s: %s", def->text, lf_status_name(status), error.text);
}

/// A dart flies through a frame: its box says that it hits, its geometry says that it does not; beside the hole it does.
static void test_hollow(void **state) {
    (void)state;
    outside o;
    lf_script *script;
    lf_script_def def =
        def_of("local frame = world.object{ name = 'frame', parts = { { shape = 'model', file = "
               "'made/frame.ply', label = 'm' } } }\n"
               "local dart = world.object{ name = 'dart', parts = { { shape = 'box', size = { 1, 0.5, 0.5 } "
               "} } }\n"
               "local f = frame:instance()\n"
               "local wide = frame:instance{ at = { 20, 0, 0 } }\n"
               "wide:part('m'):scale(1, 0.4, 0.4)\n"
               "local d = dart:instance{ at = { -5, 0, 0 }, velocity = { 2, 0, 0 } }\n"
               "for _, level in ipairs{ 'boxes', 'convex', 'model' } do\n"
               "  world.watch{ a = d, b = 'anything', level = level, ahead = 0.5,\n"
               "    on = function(e) print(level, e.kind, e.b == f and 'first' or 'second') end }\n"
               "end\n"
               "print(f:box())\n",
               &o);
    assert_int_equal(lf_script_create(&def, &script, NULL), LF_OK);
    assert_string_equal(o.text, "-0.0005 -2.0 -2.0 0.0005 2.0 2.0\n");
    o.used = 0;
    for (int i = 0; i < 20; i++)
        assert_int_equal(lf_script_step(script, 0.25, NULL), LF_OK);
    assert_string_equal(o.text, "boxes predicted first\nconvex predicted first\n"
                                "boxes begin first\nconvex begin first\n"
                                "boxes end first\nconvex end first\n");
    // The second one is smaller: its hole, 0.8 m wide, still lets the dart pass. Nudged by 0.3 m, it is hit.
    o.used = 0;
    o.text[0] = '\0';
    lf_scene *scene = lf_script_scene(script);
    lf_instance instances[3];
    int64_t count;
    assert_int_equal(lf_scene_instances(scene, instances, 3, &count), LF_OK);
    assert_int_equal(lf_instance_move(scene, instances[1], (lf_vec3){0, 0.3, 0}), LF_OK);
    for (int i = 0; i < 40; i++)
        assert_int_equal(lf_script_step(script, 0.25, NULL), LF_OK);
    assert_non_null(strstr(o.text, "model predicted second\n"));
    assert_non_null(strstr(o.text, "model begin second\n"));
    assert_non_null(strstr(o.text, "model end second\n"));
    assert_null(strstr(o.text, "first"));
    assert_string_equal(o.asked, "made/frame.ply ");
    lf_script_destroy(script);
}

/// A model is read once, may take the place of another shape, and its memory counts.
static void test_kept(void **state) {
    (void)state;
    outside o;
    lf_script *script;
    lf_script_def def = def_of("local o = world.object{ parts = { { shape = 'box', label = 'b' } } }\n"
                               "local i = o:instance()\n"
                               "for k = 1, 3 do i:part('b'):shape{ shape = 'model', file = 'a.ply' } end\n"
                               "i:top():add{ shape = 'model', file = 'b.ply', at = { 0, 0, 10 } }\n"
                               "print(i:box())\n"
                               "local hit, _, t = world.ray(-5, 1.5, 0, 1, 0, 0)\n"
                               "print(hit == i, t, world.ray(-5, 0, 0, 1, 0, 0))\n",
                               &o);
    assert_int_equal(lf_script_create(&def, &script, NULL), LF_OK);
    assert_string_equal(o.text, "-0.0005 -2.0 -2.0 0.0005 2.0 12.0\ntrue 5.0 nil\n");
    assert_string_equal(o.asked, "a.ply b.ply ");
    assert_true(lf_script_describe(script).memory > 1000);
    lf_script_destroy(script);
    def = def_of("\nworld.object{ parts = { { shape = 'model', file = 'large.ply' } } }", &o);
    fails(&def, LF_NO_MEMORY, "files.lua:2: out of memory, limit 268435456 bytes");
}

/// Names that lead out of the folder, or nowhere, never reach the caller.
static void test_names(void **state) {
    (void)state;
    static const char *const bad[] = {"",          "/etc/x.ply", "../x.ply", "a/../../x.ply", "a/..",
                                      "./x.ply",   "a//x.ply",   "a/",       "..\\\\x.ply",   "C:x.ply",
                                      "a\\nx.ply", "a\\127.ply"};
    outside o;
    char text[512];
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        snprintf(text, sizeof text, "world.object{ parts = {\n{ shape = 'model', file = \"%s\" } } }",
                 bad[i]);
        lf_script_def def = def_of(text, &o);
        fails(&def, LF_BAD_FORMAT, "file: expected a name below the script's folder");
        assert_int_equal(o.loads, 0);
    }
    lf_script_def def = def_of("world.object{ parts = { { shape = 'model', file = ('x'):rep(256) } } }", &o);
    fails(&def, LF_BAD_FORMAT, "file: expected a name");
    def = def_of("world.object{ parts = { { shape = 'model', file = ('..x/'):rep(50) .. 'y...ply' } } }", &o);
    lf_script *script;
    assert_int_equal(lf_script_create(&def, &script, NULL), LF_OK);
    assert_int_equal(o.loads, 1);
    lf_script_destroy(script);
}

static void test_refusals(void **state) {
    (void)state;
    outside o;
    lf_script_def def = def_of("\nworld.object{ parts = { { shape = 'model', file = 'gone.ply' } } }", &o);
    fails(&def, LF_BAD_FORMAT, "files.lua:2: gone.ply: there is no such file");
    def = def_of("world.object{ parts = { { shape = 'model', file = 'none.ply' } } }", &o);
    fails(&def, LF_BAD_FORMAT, "files.lua:1: none.ply: there is no such model");
    def = def_of("world.object{ parts = { { shape = 'model' } } }", &o);
    fails(&def, LF_BAD_FORMAT, "a model: expected file");
    def = def_of("world.object{ parts = { { shape = 'model', file = 3 } } }", &o);
    fails(&def, LF_BAD_FORMAT, "file: expected text");
    def = def_of("world.object{ parts = { { shape = 'model', file = 'a.ply' } } }", &o);
    def.load = NULL;
    fails(&def, LF_BAD_FORMAT, "files.lua:1: a.ply: this script has no models to read");
}

/// Settings take the kind of their default.
static void test_settings(void **state) {
    (void)state;
    outside o;
    lf_script *script;
    static const lf_script_setting settings[] = {
        {"floors", "3"}, {"name", "3"}, {"open", "true"}, {"bare", "x"}, {"half", "0.5"}};
    lf_script_def def = def_of("print(world.setting('floors', 1) + 1, world.setting('name', 'maze') .. '!',\n"
                               "  world.setting('open', false), world.setting('bare'), "
                               "world.setting('half', 2),\n"
                               "  world.setting('speed', 9), world.setting('dark', true), "
                               "world.setting('nobody'))\n",
                               &o);
    def.settings = settings;
    def.setting_count = 5;
    assert_int_equal(lf_script_create(&def, &script, NULL), LF_OK);
    assert_string_equal(o.text, "4 3! true x 0.5 9 true nil\n");
    lf_script_destroy(script);
}

static void test_wrong_settings(void **state) {
    (void)state;
    outside o;
    lf_script_setting settings[2] = {{"floors", "three"}, {"open", "yes"}};
    lf_script_def def = def_of("\nlocal n = world.setting('floors', 1)", &o);
    def.settings = settings;
    def.setting_count = 1;
    fails(&def, LF_BAD_FORMAT, "files.lua:2: setting floors: expected a number, not \"three\"");
    settings[0].value = "1,5";
    fails(&def, LF_BAD_FORMAT, "expected a number");
    settings[0] = settings[1];
    fails(&def, LF_BAD_FORMAT, "files.lua: there is no setting open");
    lf_script_def truth = def_of("world.setting('open', true)", &o);
    truth.settings = settings;
    truth.setting_count = 1;
    fails(&truth, LF_BAD_FORMAT, "setting open: expected true or false, not \"yes\"");
    truth.setting_count = 2;
    fails(&truth, LF_BAD_ARGUMENT, "setting open is given twice");
    static const char *const bad[] = {"", "9a", "a-b", "_a", "a b", NULL};
    truth.setting_count = 1;
    for (int i = 0; i < 6; i++) {
        settings[0] = (lf_script_setting){bad[i], "1"};
        fails(&truth, LF_BAD_ARGUMENT, "setting: expected a name and a value");
    }
    settings[0] = (lf_script_setting){"a", NULL};
    fails(&truth, LF_BAD_ARGUMENT, "setting: expected a name and a value");
    truth.setting_count = -1;
    fails(&truth, LF_BAD_ARGUMENT, "-1 settings");
    def = def_of("world.setting('x', {})", &o);
    fails(&def, LF_BAD_FORMAT, "number, text, truth or nil expected");
}

/// world.land() is the caller's ground, before those that the script makes, and stays the caller's.
static void test_land(void **state) {
    (void)state;
    outside o;
    lf_script *script;
    static const float heights[4] = {1, 2, 3, 4};
    const lf_ground *grounds[2];
    lf_grid_def grid_def = lf_grid_def_default();
    lf_grid *grid;
    const lf_ground *ground;
    grid_def.samples.values = heights;
    grid_def.samples.columns = grid_def.samples.rows = 2;
    assert_int_equal(lf_grid_create(&grid_def, &grid, NULL), LF_OK);
    ground = lf_grid_ground(grid);
    static const char text[] = "local land = world.land()\n"
                               "if not land then print('none') return end\n"
                               "world.ground{ columns = 2, rows = 2, height = function(x, y) return 7 end }\n"
                               "print(land:height(1, 0), land:height(5, 5), world.land() == land)\n"
                               "print(land:box())\n";
    lf_script_def def = def_of(text, &o);
    assert_int_equal(lf_script_create(&def, &script, NULL), LF_OK);
    assert_string_equal(o.text, "none\n");
    lf_script_destroy(script);
    def = def_of(text, &o);
    def.land = ground;
    assert_int_equal(lf_script_create(&def, &script, NULL), LF_OK);
    assert_string_equal(o.text, "2.0 nil true\n0.0 0.0 1.0 1.0 1.0 4.0\n");
    assert_int_equal(lf_script_grounds(script, grounds, 2), 2);
    assert_ptr_equal(grounds[0], ground);
    lf_script_destroy(script);
    lf_grid_destroy(grid);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_land),           cmocka_unit_test(test_hollow),
        cmocka_unit_test(test_kept),           cmocka_unit_test(test_names),
        cmocka_unit_test(test_refusals),       cmocka_unit_test(test_settings),
        cmocka_unit_test(test_wrong_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
