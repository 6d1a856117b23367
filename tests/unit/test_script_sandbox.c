/// Scripts that are wrong, greedy or hostile: each is stopped, with its name and its line.
#include "support.h"
#include <landfall/script.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lf_script_def def_of(const char *text) {
    lf_script_def def = lf_script_def_default();
    def.name = "bad.lua";
    def.text = text;
    def.length = strlen(text);
    def.instructions = 2000000;
    def.memory = (size_t)8 << 20;
    return def;
}

/// A script must fail, in being read or in one of its first steps, with a status, at a line, and with words in its message.
static void fails(const char *text, lf_status wanted, int64_t line, const char *words) {
    lf_script_def def = def_of(text);
    lf_script *script = NULL;
    lf_error error = {LF_OK, -1, ""};
    lf_status status = lf_script_create(&def, &script, &error);
    for (int i = 0; i < 3 && status == LF_OK; i++)
        status = lf_script_step(script, 0.1, &error);
    if (status != wanted || error.where != line || !strstr(error.text, words))
        fail_msg("%s\ngave %s at %lld: %s", text, lf_status_name(status), (long long)error.where, error.text);
    lf_script_destroy(script);
}

#define BOX "local o = world.object{ parts = { { shape = 'box', label = 'b' } } }\n"

static void test_faults(void **state) {
    (void)state;
    fails("local x = = 3", LF_BAD_FORMAT, 1, "bad.lua:1: unexpected symbol");
    fails("\n\nerror('stop')", LF_BAD_FORMAT, 3, "bad.lua:3: stop");
    fails("local t = nil\nt.x = 1", LF_BAD_FORMAT, 2, "attempt to index a nil value");
    fails("world.on('tick', function()\n error('later') end)", LF_BAD_FORMAT, 2, "bad.lua:2: later");
    fails(BOX "world.watch{ a = o:instance(), b = o:instance(), on = function() error('heard') end }",
          LF_BAD_FORMAT, 2, "heard");
    fails(BOX "world.watch{ a = o:instance(), b = o:instance(), own = function() error('asked') end }",
          LF_BAD_FORMAT, 2, "asked");
    fails("local o = world.object{ build = function()\nerror('built') end }\no:instance()", LF_BAD_FORMAT, 2,
          "built");
    fails("world.send('x')\nworld.on('x', function()\nerror('sent') end)", LF_BAD_FORMAT, 3, "sent");
    fails("error({})", LF_BAD_FORMAT, -1, "no text");
}

static void test_wrong_calls(void **state) {
    (void)state;
    fails("world.object(3)", LF_BAD_FORMAT, 1, "table expected");
    fails("world.object{ parts = { { shape = 'blob' } } }", LF_BAD_FORMAT, 1, "no shape \"blob\"");
    fails("world.object{ parts = { { shape = 'box', size = { 1, 2 } } } }", LF_BAD_FORMAT, 1,
          "size: expected a number at 3");
    fails("world.object{ parts = { { shape = 'box', size = { 1, 2, -1 } } } }", LF_BAD_FORMAT, 1,
          "bad.lua:1:");
    fails("world.object{ parts = { { shape = 'path', vertices = { 1 } } } }", LF_BAD_FORMAT, 1,
          "vertices: expected");
    fails("world.object{ parts = { { shape = 'box', transforms = { { 'jump' } } } } }", LF_BAD_FORMAT, 1,
          "a transform is");
    fails("world.object{ parts = { { shape = 'box', colour = { 1, 2, 'x' } } } }", LF_BAD_FORMAT, 1,
          "colour");
    fails(BOX "o:instance{ parameters = { x = 1 } }", LF_BAD_FORMAT, 2, "a name that the object has not");
    fails(BOX "o:instance{ motion = 'up' }", LF_BAD_FORMAT, 2, "a motion is");
    fails(BOX "o:instance{ at = { 0, 0, 0 / 0 } }", LF_BAD_FORMAT, 2, "bad.lua:2:");
    fails(BOX "local i = o:instance()\ni:remove()\ni:move(1, 0, 0)", LF_BAD_FORMAT, 4, "out of its bounds");
    fails(BOX "local i = o:instance()\ni.move(o, 1, 0, 0)", LF_BAD_FORMAT, 3, "instance expected");
    fails(BOX "o:instance():part('b'):turn(0, 0, 1, 1, 'some')", LF_BAD_FORMAT, 2, "\"whole\" or \"each\"");
    fails(BOX "world.within(1, 0, 0, 0, 0, 0)", LF_BAD_FORMAT, 2, "out of its bounds");
    fails(BOX
          "world.ground_time(o:instance(), world.ground{ columns = 2, rows = 2, height = function() return 0 "
          "end }, 1, 'soft')",
          LF_BAD_FORMAT, 2, "there is no level \"soft\"");
    fails(BOX "world.watch{ a = 7 }", LF_BAD_FORMAT, 2, "a: expected an instance");
    fails(BOX "world.watch{ level = 'vague' }", LF_BAD_FORMAT, 2, "no level");
    fails(BOX "world.watch{ method = 'guess' }", LF_BAD_FORMAT, 2, "no method");
    fails(BOX "world.watch{ a = { x = 1 } }", LF_BAD_FORMAT, 2, "tag");
    fails("world.ground{ columns = 1, rows = 3, height = print }", LF_BAD_FORMAT, 1, "columns: expected");
    fails("world.ground{ columns = 3, rows = 3 }", LF_BAD_FORMAT, 1, "height: expected");
    fails("world.ground{ columns = 3, rows = 3, height = function() end }", LF_BAD_FORMAT, 1,
          "height gave no number");
    fails("world.eye{ across = 9 }", LF_BAD_FORMAT, 1, "across");
    fails("world.on('x')", LF_BAD_FORMAT, 1, "function expected");
}

/// What is not there, and what must not be.
static void test_walls(void **state) {
    (void)state;
    static const char *const absent[] = {"io",
                                         "os",
                                         "require",
                                         "load",
                                         "loadstring",
                                         "dofile",
                                         "loadfile",
                                         "debug",
                                         "package",
                                         "coroutine",
                                         "pcall",
                                         "xpcall",
                                         "collectgarbage",
                                         "string.dump",
                                         "string.find",
                                         "string.gsub",
                                         "string.match",
                                         "string.gmatch",
                                         "math.randomseed",
                                         "table.move",
                                         "utf8"};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
        char text[128];
        snprintf(text, sizeof text, "assert(%s == nil)", absent[i]);
        lf_script_def def = def_of(text);
        lf_script *script = NULL;
        lf_error error = {LF_OK, -1, ""};
        if (lf_script_create(&def, &script, &error) != LF_OK)
            fail_msg("%s: %s", absent[i], error.text);
        lf_script_destroy(script);
    }
    fails("\x1bLua", LF_BAD_FORMAT, -1, "compiled script");
    fails("setmetatable({}, { __gc = function() end })", LF_BAD_FORMAT, 1, "__gc");
    fails("local m = getmetatable(world.ground{ columns = 2, rows = 2, height = function() return 0 end "
          "})\nm.x = 1",
          LF_BAD_FORMAT, 2, "index a boolean");
    fails("table.concat(setmetatable({}, { __len = function() return 1 << 40 end }))", LF_BAD_FORMAT, 1,
          "without a metatable");
}

/// Budgets: no loop goes on, and no memory runs full, wherever it is hidden.
static void test_budgets(void **state) {
    (void)state;
    fails("while true do end", LF_TOO_LARGE, 1, "bad.lua:1: the budget of 2000000 instructions is spent");
    fails("local function f()\n f() end\nf()", LF_TOO_LARGE, 2, "calls too deep");
    fails("world.on('tick', function()\nwhile true do end end)", LF_TOO_LARGE, 2, "is spent");
    fails("world.on('x', function() world.send('x') end)\nworld.send('x')", LF_NO_MEMORY, 1, "out of memory");
    fails("local t = {}\nwhile true do t[#t + 1] = { 1, 2, 3 } end", LF_NO_MEMORY, 2,
          "bad.lua:2: out of memory, limit 8388608 bytes");
    fails("local s = string.rep('x', 1 << 40)", LF_BAD_FORMAT, 1, "too large");
    fails("local s = string.rep('', 1 << 40)", LF_BAD_FORMAT, 1, "too large");
    fails("local s = 'x' while true do s = s .. s end", LF_TOO_LARGE, 1,
          "a string of 131072 bytes, limit 65536");
    fails("local t = {} for i = 1, 20000 do t[i] = i end\nwhile true do table.insert(t, 1, 0) end",
          LF_TOO_LARGE, 2, "is spent");
    fails("table.unpack({}, 1, 1 << 60)", LF_BAD_FORMAT, 1, "at most 255 values");
    fails("local o = world.object{}\nwhile true do o:top():add{ shape = 'box' } end", LF_NO_MEMORY, 2,
          "out of memory");
    fails("world.ground{ columns = 4000, rows = 4000, height = function() return 0 end }", LF_NO_MEMORY, 1,
          "out of memory");
    fails(
        "world.ground{ columns = 100, rows = 100, height = function() for i = 1, 1000 do end return 0 end }",
        LF_TOO_LARGE, 1, "is spent");
    fails("local p = { shape = 'box' } for i = 1, 500 do p = { parts = { p } } end\nworld.object{ parts = { "
          "p } }",
          LF_BAD_FORMAT, 2, "bad.lua:2:");
}

static void test_bad_defs(void **state) {
    (void)state;
    lf_script *script = NULL;
    lf_error error;
    lf_script_def def = def_of("");
    def.text = NULL;
    assert_int_equal(lf_script_create(&def, &script, &error), LF_BAD_ARGUMENT);
    def = def_of("");
    def.instructions = 0;
    assert_int_equal(lf_script_create(&def, &script, &error), LF_BAD_ARGUMENT);
    def = def_of("");
    def.memory = 0;
    assert_int_equal(lf_script_create(&def, &script, &error), LF_BAD_ARGUMENT);
    def.memory = 1000;
    assert_int_equal(lf_script_create(&def, &script, &error), LF_NO_MEMORY);
    assert_int_equal(lf_script_create(NULL, &script, &error), LF_BAD_ARGUMENT);
}

/// Numbers have a point, whatever the locale says.
static void test_locale(void **state) {
    (void)state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8"))
        skip();
    lf_script_def def = def_of("assert(tostring(1.5) == '1.5' and string.format('%.2f', 0.25) == '0.25')");
    lf_script *script = NULL;
    lf_status status = lf_script_create(&def, &script, NULL);
    lf_script_destroy(script);
    setlocale(LC_NUMERIC, "C");
    assert_int_equal(status, LF_OK);
}

/// One triangle, whatever is asked for.
static lf_status load_triangle(void *user, const char *name, const lf_host *host, lf_model **model,
                               lf_error *error) {
    static const lf_vec3 vertices[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    static const int64_t starts[2] = {0, 3}, corners[3] = {0, 1, 2};
    lf_model_def def = lf_model_def_default();
    (void)user;
    (void)name;
    def.host = *host;
    def.polygons = (lf_polygons){
        .vertices = vertices, .vertex_count = 3, .starts = starts, .corners = corners, .polygon_count = 1};
    return lf_model_create(&def, model, error);
}

static lf_status run_script(const lf_host *host, void *user) {
    (void)user;
    static const lf_script_setting setting = {"columns", "3"};
    lf_script_def def = def_of(
        BOX
        "local i = o:instance{ velocity = { 1, 0, 0 } }\n"
        "world.ground{ columns = world.setting('columns', 2), rows = 3, height = function() return 0 end }\n"
        "i:top():add{ shape = 'model', file = 'a.ply' }\n"
        "world.watch{ a = i, on = function() end }\n"
        "world.on('tick', function() i:part('b'):move(1, 0, 0) world.send('y') end)");
    lf_script *script = NULL;
    def.host = *host;
    def.settings = &setting;
    def.setting_count = 1;
    def.load = load_triangle;
    lf_status status = lf_script_create(&def, &script, NULL);
    if (status != LF_OK)
        return status;
    status = lf_script_step(script, 0.1, NULL);
    lf_script_destroy(script);
    return status;
}

static void test_memory_runs_out(void **state) {
    (void)state;
    test_out_of_memory(run_script, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults),          cmocka_unit_test(test_wrong_calls),
        cmocka_unit_test(test_walls),           cmocka_unit_test(test_budgets),
        cmocka_unit_test(test_bad_defs),        cmocka_unit_test(test_locale),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
