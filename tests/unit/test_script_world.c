/// Scripts: what they build, what they hear, and what they say.
#include "support.h"
#include <landfall/script.h>
#include <stdlib.h>
#include <string.h>

/// What a script has said, line after line.
typedef struct heard {
    char text[4096];
    size_t used;
} heard;

static void hear(void *user, const char *text) {
    heard *h = user;
    size_t length = strlen(text);
    assert_true(h->used + length + 2 < sizeof h->text);
    memcpy(h->text + h->used, text, length);
    h->used += length;
    h->text[h->used++] = '\n';
    h->text[h->used] = '\0';
}

static lf_script *start(const char *text, heard *h) {
    lf_script_def def = lf_script_def_default();
    lf_script *script = NULL;
    lf_error error = {LF_OK, -1, ""};
    memset(h, 0, sizeof *h);
    def.name = "test.lua";
    def.text = text;
    def.length = strlen(text);
    def.say = hear;
    def.user = h;
    if (lf_script_create(&def, &script, &error) != LF_OK)
        fail_msg("%s", error.text);
    return script;
}

static void run(lf_script *script, int steps, double dt) {
    lf_error error = {LF_OK, -1, ""};
    for (int i = 0; i < steps; i++)
        if (lf_script_step(script, dt, &error) != LF_OK)
            fail_msg("%s", error.text);
}

/// Run a script for some steps and compare what it said.
static void expect(const char *text, int steps, const char *said) {
    heard h;
    lf_script *script = start(text, &h);
    run(script, steps, 0.5);
    assert_string_equal(h.text, said);
    lf_script_destroy(script);
}

static void test_defaults(void **state) {
    (void)state;
    lf_script_def def, full = lf_script_def_default();
    def = lf_script_def_default();
    assert_int_equal(def.size, full.size);
    assert_int_equal(def.instructions, full.instructions);
    lf_script_destroy(NULL);
}

/// Parts by tables, by build functions with parameters, and what changing them does to boxes.
static void test_parts(void **state) {
    (void)state;
    expect(
        "local o = world.object{ name = 'thing', parts = {\n"
        "  { shape = 'box', size = { 2, 4, 6 }, at = { 10, 0, 0 }, label = 'b', tag = 't' },\n"
        "  { label = 'hand', parts = { { shape = 'sphere', radius = 1, label = 'ball' } } } } }\n"
        "local i = o:instance{ at = { 0, 0, 100 } }\n"
        "print(i:box())\n"
        "i:part('b'):move(1, 0, 0)\n"
        "i:part('hand'):scale(2, 2, 2)\n"
        "print(i:part('b'):box())\n"
        "print(i:part('ball'):box())\n"
        "i:part('hand'):remove()\n"
        "print(i:part('hand'), i:part('ball'), i:name(), #i:top():parts())\n"
        "i:top():add{ shape = 'rectangle', size = { 1, 1, 1 }, colour = { 0.5, 0.25, 1 }, label = 'r' }\n"
        "print(i:part('r'):colour())\n"
        "i:part('b'):shape{ shape = 'cylinder', radius = 0.5, size = { 1, 1, 2 } }\n"
        "i:part('b'):reset{ at = { 0, 0, 0 } }\n"
        "print(i:part('b'):box())\n"
        "print(i:part('b'):label(), i:part('b'):instance() == i, #world.tagged('t'), #world.instances())\n",
        0,
        "-1.0 -2.0 97.0 11.0 2.0 103.0\n"
        "10.0 -2.0 97.0 12.0 2.0 103.0\n"
        "-2.0 -2.0 98.0 2.0 2.0 102.0\n"
        "nil nil thing 1\n"
        "0.5 0.25 1.0 1.0\n"
        "-0.5 -0.5 99.0 0.5 0.5 101.0\n"
        "b true 1 1\n");
}

static void test_build(void **state) {
    (void)state;
    expect("local o = world.object{ name = 'tower', parameters = { height = 3, width = 1 },\n"
           "  build = function(top, p)\n"
           "    for i = 1, p.height do top:add{ shape = 'box', size = { p.width, p.width, 1 }, at = { 0, 0, "
           "i } } end\n"
           "  end }\n"
           "print(#o:instance():top():parts())\n"
           "local i = o:instance{ parameters = { height = 5 } }\n"
           "print(#i:top():parts(), i:parameter('height'), i:parameter('width'))\n"
           "local p = world.object{ parts = { { shape = 'polygons', vertices = { { 0, 0, 0 }, { 1, 0, 0 }, { "
           "0, 1, 0 }, { 0, 0, 1 } },\n"
           "  polygons = { { 1, 3, 2 }, { 1, 2, 4 } }, label = 'p' } } }\n"
           "local q = p:instance()\n"
           "q:part('p'):vertex(4, 0, 0, 3)\n"
           "local _, _, _, _, _, z = q:box()\n"
           "print(z)\n",
           0, "3\n5 5.0 1.0\n3.0\n");
}

/// A thing that is carried meets a wall: predicted, met, left; each told once, in order.
static void test_events(void **state) {
    (void)state;
    expect("local box = world.object{ name = 'box', parts = { { shape = 'box', size = { 1, 1, 1 } } } }\n"
           "local wall = box:instance{ at = { 5, 0, 0 } }\n"
           "local me = box:instance{ velocity = { 2, 0, 0 } }\n"
           "world.watch{ a = me, b = wall, ahead = 1, on = function(e)\n"
           "  print(e.kind, e.a == me, e.b == wall, e.time)\n"
           "  if e.kind == 'begin' then world.send('bump', 7, e.b) end\n"
           "end }\n"
           "world.on('bump', function(n, what) print('bump', n, what == wall); what:colour(1, 0, 0) end)\n"
           "world.on('tick', function(time, dt) if time == 0 then print('first', dt) end end)\n",
           7,
           "first 0.5\n"
           "predicted true true 2.0\n"
           "begin true true 2.0\n"
           "bump 7 true\n"
           "end true true 3.5\n");
}

/// Tags, what touches nothing, a test of the script's own, and a watch that is taken away.
static void test_watches(void **state) {
    (void)state;
    expect(
        "local box = world.object{ name = 'box', parts = { { shape = 'box', size = { 1, 1, 1 }, tag = "
        "'block' } } }\n"
        "local a, b = box:instance{ at = { 0.5, 0, 0 } }, box:instance()\n"
        "local w = world.watch{ a = a, b = 'nothing', on = function(e) print('nothing', e.kind, e.b) end }\n"
        "local v = world.watch{ a = { tag = 'block' }, b = { tag = 'block' }, level = 'convex', stay = "
        "true,\n"
        "  on = function(e) print(e.kind, e.a:instance() == a) end }\n"
        "local asked = 0\n"
        "world.watch{ a = a, b = b, own = function(x, y, ahead) asked = asked + 1; return nil end,\n"
        "  on = function(e) print('own') end }\n"
        "local steps = 0\n"
        "world.on('tick', function()\n"
        "  steps = steps + 1\n"
        "  if steps == 3 then b:move(10, 0, 0) end\n"
        "  if steps == 5 then v:remove(); b:place(0, 0, 0) end\n"
        "  if steps == 6 then print(asked > 0) world.stop() end\n"
        "end)\n",
        6,
        "begin true\n"
        "stay true\n"
        "nothing begin nil\n"
        "end true\n"
        "nothing end nil\n"
        "true\n");
}

/// Grounds by a function, standing on them, and the time until they are met.
static void test_ground(void **state) {
    (void)state;
    heard h;
    lf_script *script = start(
        "local land = world.ground{ columns = 11, rows = 11, step = 10, origin = { -50, -50 },\n"
        "  height = function(x, y) return x / 10 end }\n"
        "print(land:height(20, 0), land:height(1000, 0))\n"
        "local box = world.object{ parts = { { shape = 'box', size = { 1, 1, 1 } } } }\n"
        "local car = box:instance{ at = { 0, 0, 7 } }\n"
        "car:follow(land, { base = 2, track = 1 })\n"
        "local _, _, z = car:position()\n"
        "print(z)\n"
        "local stone = box:instance{ at = { 0, 0, 20.5 }, velocity = { 0, 0, -10 } }\n"
        "world.eye{ at = { 0, -50, 50 }, to = { 0, 0, 0 }, across = 1 }\n"
        "local hit, part, t = world.ray(0, 0, 100, 0, 0, -1)\n"
        "print(hit == stone, t, world.ray(40, 0, 100, 0, 0, -1, { ground = false }))\n"
        "print(world.ray(40, 0, 100, 0, 0, -1))\n"
        "local near = world.within(-1, -1, 20, 1, 1, 30)\n"
        "print(#near, near[1] == stone, #world.within(-1, -1, -1, 1, 1, 21), #world.within(5, 5, 5, 6, 6, "
        "6))\n"
        "world.watch{ a = stone, b = land, ahead = 5, on = function(e) print(e.kind, e.b) end }\n"
        "world.on('tick', function(time)\n"
        "  if time == 0.5 then local s = world.ground_time(stone, land, 10) print(s > 1.4 and s < 1.6) end\n"
        "end)\n",
        &h);
    lf_view eye = lf_script_describe(script).view;
    const lf_ground *grounds[2];
    assert_true(lf_script_describe(script).view_set);
    assert_true(eye.across == 1 && eye.at.z == 50);
    assert_int_equal(lf_script_grounds(script, grounds, 2), 1);
    assert_true(lf_ground_box(grounds[0]).high.z == 5);
    run(script, 5, 0.5);
    assert_string_equal(
        h.text, "2.0 nil\n0.0\ntrue 79.0 nil\nnil nil 96.0\n1 true 2 0\npredicted nil\ntrue\nbegin nil\n");
    lf_scene_stats stats = lf_scene_describe(lf_script_scene(script));
    assert_int_equal(stats.instance_count, 2);
    lf_script_destroy(script);
}

static void test_motion(void **state) {
    (void)state;
    expect("local box = world.object{ name = 'b', parts = { { shape = 'box', size = { 2, 1, 1 } } } }\n"
           "local a = box:instance{ turn = { 0, 0, 1, math.pi / 2 }, scale = 2 }\n"
           "local x, y, z, X, Y, Z = a:box()\n"
           "print(string.format('%.3f %.3f', X - x, Y - y))\n"
           "a:turn(0, 0, 1, -math.pi / 2)\n"
           "a:scale(0.5, 0.5, 0.5)\n"
           "a:jump(3, 4, 5, 0)\n"
           "print(a:position())\n"
           "print(string.format('%.3f %.3f %.3f', a:heading()))\n"
           "a:motion('given', { 1, 2, 3 })\n"
           "print(a:velocity())\n"
           "a:colour(1, 0.5, 0)\n"
           "a:top():tag('x') a:top():untag('x')\n"
           "a:follow(nil)\n"
           "a:remove()\n"
           "print(#world.instances(), world.time())\n",
           0,
           "2.000 4.000\n"
           "3.0 4.0 5.0\n"
           "1.000 0.000 0.000\n"
           "1.0 2.0 3.0\n"
           "0 0.0\n");
}

static void test_statistics(void **state) {
    (void)state;
    heard h;
    lf_script *script =
        start("world.on('tick', function() for i = 1, 10000 do local x = i end world.stop() end)", &h);
    assert_false(lf_script_describe(script).stopped);
    run(script, 1, 0.1);
    lf_script_stats stats = lf_script_describe(script);
    assert_true(stats.stopped);
    assert_int_equal(stats.reactions, 1);
    assert_true(stats.instructions >= 10000 && stats.memory > 0 && stats.peak >= stats.memory);
    assert_int_equal(lf_script_step(script, 0, NULL), LF_BAD_ARGUMENT);
    assert_false(stats.view_set);
    lf_script_destroy(script);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults), cmocka_unit_test(test_parts),      cmocka_unit_test(test_build),
        cmocka_unit_test(test_events),   cmocka_unit_test(test_watches),    cmocka_unit_test(test_ground),
        cmocka_unit_test(test_motion),   cmocka_unit_test(test_statistics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
