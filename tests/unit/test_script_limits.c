/// Scripts that try to run for hours: each ends with a message that names its line and the limit, after a small, bounded amount of work.
#include "support.h"
#include <landfall/script.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define INSTRUCTIONS 1000000
#define MEMORY ((size_t)16 << 20)
#define ENDLESS (INT64_MAX / 8) ///< instructions that no test reaches
#define SECONDS 5.0             ///< of processor time, under the sanitizers as well

static double processor_seconds(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

static void keep_quiet(void *user, const char *text) {
    *(size_t *)user += strlen(text) + 1;
}

static lf_script_def def_of(const char *text) {
    lf_script_def def = lf_script_def_default();
    def.name = "greedy.lua";
    def.text = text;
    def.length = strlen(text);
    def.instructions = INSTRUCTIONS;
    def.memory = MEMORY;
    return def;
}

/// Read a script and make up to three steps; it has to fail. What it was charged in the last of them may exceed its budget only by one piece of work.
static void ends(const lf_script_def *def, lf_status wanted, const char *words) {
    lf_script *script = NULL;
    lf_error error = {LF_OK, -1, ""};
    double start = processor_seconds();
    int64_t before = 0;
    lf_status status = lf_script_create(def, &script, &error);
    for (int i = 0; i < 3 && status == LF_OK; i++) {
        before = lf_script_describe(script).instructions;
        status = lf_script_step(script, 0.1, &error);
    }
    double spent = processor_seconds() - start;
    if (status != wanted || !strstr(error.text, words) || strncmp(error.text, "greedy.lua:", 11) != 0)
        fail_msg("%s\ngave %s at %lld: %s", def->text, lf_status_name(status), (long long)error.where,
                 error.text);
    if (error.where < 1)
        fail_msg("%s\nwithout a line: %s", def->text, error.text);
    if (spent > SECONDS)
        fail_msg("%s\ntook %g seconds: %s", def->text, spent, error.text);
    if (script && lf_script_describe(script).instructions - before > 2 * def->instructions)
        fail_msg("%s\nwas charged %lld", def->text,
                 (long long)(lf_script_describe(script).instructions - before));
    lf_script_destroy(script);
}

/// The same for a body of a loop that runs at each step, after some code that prepares it.
static void loops(const char *before, const char *body, lf_status wanted, const char *words) {
    char text[2048];
    int length = snprintf(text, sizeof text, "%s\nworld.on('tick', function()\nwhile true do %s end\nend)",
                          before, body);
    assert_true(length > 0 && (size_t)length < sizeof text);
    lf_script_def def = def_of(text);
    ends(&def, wanted, words);
}

#define LONG                                                                                                 \
    "local s = string.rep('x', 60000) local z = string.rep('\\0', 60000) local u = s .. 'y' local v = s .. " \
    "'y' "
#define SPENT "instructions is spent"

/// Every operation on long strings.
static void test_strings(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "local x = s .. 'a'",
        "local x = u == v",
        "local x = u ~= v",
        "local x = u < v",
        "local x = z <= z",
        "local x = rawequal(u, v)",
        "local x = s:sub(2)",
        "local x = s:sub(1, 50000)",
        "local x = s:lower()",
        "local x = s:upper()",
        "local x = s:reverse()",
        "local x = s:rep(1)",
        "local x = (' '):rep(60000)",
        "local x = ('ab'):rep(100, s:sub(1, 600))",
        "local x = tonumber(s)",
        "local x = tonumber(('9'):rep(60000))",
        "local x = tonumber(s, 36)",
        "local x = tostring(s) .. 'a'",
        "local x = string.format('%s', s)",
        "local x = string.format('%q', s)",
        "local x = string.format('%99s%-99d', 'x', 1)",
        "local x = string.format('%.99f', 1.7e308)",
        "local x = string.format('%.99f%.99f%.99f%.99f', 1e308, 1e308, 1e308, 1e308)",
        "local t = {} t[s .. 'k'] = 1",
        "local x = ({ [u] = 1 })[v]",
        "local x = 1e308 / 3 .. 1e308 / 7 .. 1e308 / 11",
        "local x = table.concat({ s:sub(1, 9000), s:sub(1, 9000) })",
        "local t = { u, v, u, v, u, v } table.sort(t)",
        "local x = #s + s:len() + s:byte(7)",
        "local x = select('#', s, s, s)"};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        loops(LONG, bodies[i], LF_TOO_LARGE, SPENT);
    loops(LONG, "assert(not (s .. z < s .. z))", LF_TOO_LARGE, "a string of 120000 bytes, limit 65536");
    loops("local s = 'x'", "s = s .. s", LF_TOO_LARGE, "greedy.lua:3: a string of 131072 bytes, limit 65536");
    loops("", "local x = ('x'):rep(1 << 20)", LF_BAD_FORMAT, "too large: at most 65536 bytes");
    loops(LONG, "local x = table.concat({ s, s })", LF_TOO_LARGE, "a string of 120000 bytes");
    loops(LONG, "local x = string.format('%s%s', s, s)", LF_TOO_LARGE, "a string of 120000 bytes");
    loops(LONG, "print(s, s)", LF_TOO_LARGE, "a string of 120001 bytes");
}

/// Values that are handed over in one instruction.
static void test_values(void **state) {
    (void)state;
    const char *many =
        "local t = {} for i = 1, 250 do t[i] = i end\n"
        "local function count(...) return select('#', ...) end\n"
        "local function more(n, ...) if n == 0 then return count(...) end return more(n - 1, 1, 2, 3, 4, 5, "
        "6, ...) end\n"
        "local function results(n) if n == 0 then return 1 end return 1, 2, 3, 4, 5, results(n - 1) end";
    loops(many, "count(table.unpack(t))", LF_TOO_LARGE, SPENT);
    loops(many, "local x = { table.unpack(t) }", LF_TOO_LARGE, SPENT);
    loops(many, "local x = math.max(table.unpack(t))", LF_TOO_LARGE, SPENT);
    loops(many, "count(more(40))", LF_TOO_LARGE, SPENT);
    loops(many, "count(more(50))", LF_BAD_FORMAT, "more than 255 arguments");
    loops(many, "count(results(60))", LF_BAD_FORMAT, "more than 255 results");
    loops(many, "table.unpack(t, 1, 256)", LF_BAD_FORMAT, "unpack from 1 to 256: at most 255 values");
    loops(many, "table.unpack(t, math.mininteger, math.maxinteger)", LF_BAD_FORMAT, "at most 255 values");
    loops(many, "local x = ('x'):rep(60000):byte(1, -1)", LF_BAD_FORMAT, "more than 255 results");
    loops(many, "local x = string.char(table.unpack(t))", LF_TOO_LARGE, SPENT);
}

/// Going over tables.
static void test_tables(void **state) {
    (void)state;
    const char *empty = "local t = {} for i = 1, 200000 do t[i] = i end for i = 1, 200000 do t[i] = nil end\n"
                        "local n = {} for i = 1, 20000 do n['k' .. i] = i end local k = next(n) for key in "
                        "pairs(n) do if key ~= k then n[key] = nil end end\n"
                        "local o = world.object{ parts = {} }";
    loops(empty, "next(t)", LF_TOO_LARGE, SPENT);
    loops(empty, "next(n, k)", LF_TOO_LARGE, SPENT);
    loops(empty, "for k in pairs(t) do end", LF_TOO_LARGE, SPENT);
    loops(empty, "for k in next, n do end", LF_TOO_LARGE, SPENT);
    loops(empty, "o:instance{ parameters = t }:remove()", LF_TOO_LARGE, SPENT);
    const char *full = "local t = {} for i = 1, 30000 do t[i] = i end";
    loops(full, "for k in pairs(t) do end", LF_TOO_LARGE, SPENT);
    loops(full, "table.insert(t, 1.0, 0)", LF_TOO_LARGE, SPENT);
    loops(full, "table.insert(t, '1', 0) table.remove(t, '1')", LF_TOO_LARGE, SPENT);
    loops(full, "local x = #t", LF_TOO_LARGE, SPENT);
    loops(full, "table.sort(t)", LF_TOO_LARGE, SPENT);
    loops("local t = {} for i = 1, 900 do t[i] = i end", "table.sort(t, function(a, b) return true end)",
          LF_BAD_FORMAT, "invalid order function");
    loops("local t = {} for i = 1, 900 do t[i] = i end",
          "table.sort(t, function(a, b) return a % 7 < b % 7 end)", LF_TOO_LARGE, SPENT);
    loops("local live, n = {}, 0 for i = 1, 100000 do live[i] = { i } end", "local x = { n, n, n, n }",
          LF_TOO_LARGE, SPENT);
}

/// Calls, metatables, and what cannot be caught.
static void test_calls(void **state) {
    (void)state;
    loops("local function f() return f() end", "f()", LF_TOO_LARGE, SPENT);
    loops("local function f() return 1 + f() end", "f()", LF_TOO_LARGE, "calls too deep");
    loops("local m = {} m.__index = function(t, k) return t[k + 1] end local t = setmetatable({}, m)",
          "local x = t[1]", LF_BAD_FORMAT, "overflow");
    loops("local m = {} m.__index = m setmetatable(m, m)", "local x = m.a", LF_BAD_FORMAT, "loop");
    loops("local t = setmetatable({}, { __concat = function(a, b) return a end })", "local x = t .. 1",
          LF_TOO_LARGE, SPENT);
    loops("local t = setmetatable({}, { __tostring = function() while true do end end })", "print(t)",
          LF_TOO_LARGE, SPENT);
    loops("local t = setmetatable({}, { __pairs = function() while true do end end })",
          "for k in pairs(t) do end", LF_TOO_LARGE, SPENT);
    loops("local t = setmetatable({}, { __close = function() while true do end end })", "local x <close> = t",
          LF_TOO_LARGE, SPENT);
    loops("local o = world.object{ build = function() while true do end end }", "o:instance()", LF_TOO_LARGE,
          SPENT);
    loops("local o = world.object{ parts = { { shape = 'box' } } }\n"
          "world.watch{ a = o:instance(), b = o:instance(), own = function() while true do end end }",
          "break", LF_TOO_LARGE, "greedy.lua:2: the budget of 1000000 " SPENT);
    loops("world.on('x', function() world.send('x') end)", "world.send('x')", LF_TOO_LARGE, SPENT);
    lf_script_def def = def_of("world.on('x', function() world.send('x') end)\nworld.send('x')");
    ends(&def, LF_TOO_LARGE, SPENT);
}

/// Memory that a script fills, by whatever means.
static void test_memory_is_full(void **state) {
    (void)state;
    static const char *const texts[] = {
        "local t, n = {}, 0 while true do n = n + 1 t[n] = n end",
        "local t, n = {}, 0 while true do n = n + 1 t[n] = { n, n } end",
        "local t, n = {}, 0 while true do n = n + 1 t[n] = 'a' .. n end",
        "local t, n = {}, 0 while true do n = n + 1 t[n] = function() return n end end",
        "local t, x = {}, string.rep('x', 30000) for i = 1, 600 do t[i] = x end local x = table.concat(t)",
        "local o = world.object{} while true do o:top():add{ shape = 'box' } end",
        "local o = world.object{} while true do o:instance() end",
        "while true do world.watch{} end",
        "while true do world.ground{ columns = 300, rows = 300, height = function() return 0 end } end",
        "local function f() world.send('x', f) world.send('x', f) end world.on('x', f) f()"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        lf_script_def def = def_of(texts[i]);
        def.instructions = ENDLESS;
        ends(&def, LF_NO_MEMORY, "greedy.lua:1: out of memory, limit 16777216 bytes");
    }
    lf_script_def keys = def_of("local t, n = {}, 0 while true do n = n + 1 t['k' .. n] = n end");
    keys.instructions = ENDLESS;
    ends(&keys, LF_TOO_LARGE, "greedy.lua:1: a table of too many keys");
    // Little garbage at a time, next to a heap that is nearly full: collecting it again and again is charged.
    lf_script_def def = def_of("local t, n = {}, 0 for i = 1, 118000 do t[i] = { i, i } end\n"
                               "while true do local x = { n, n } end");
    def.instructions = 10000000;
    ends(&def, LF_TOO_LARGE, "greedy.lua:2: the budget of 10000000 " SPENT);
}

/// A text that takes long to compile, and shapes that take long to make.
static void test_input(void **state) {
    (void)state;
    int branches = 60000;
    const char *head = "local x if x then x = 1\n", *branch = "elseif x then x = 1\n", *tail = "end";
    size_t space = strlen(head) + (size_t)branches * strlen(branch) + strlen(tail) + 1;
    char *text = test_space((int64_t)space, 1), *at = text;
    at += sprintf(at, "%s", head);
    for (int i = 0; i < branches; i++)
        at += sprintf(at, "%s", branch);
    sprintf(at, "%s", tail);
    lf_script_def def = def_of(text);
    def.time_limit = 0.2;
    double start = processor_seconds();
    lf_script *script = NULL;
    lf_error error = {LF_OK, -1, ""};
    lf_status status = lf_script_create(&def, &script, &error);
    assert_true(status == LF_OK || status == LF_TOO_LARGE);
    assert_true(processor_seconds() - start < 2);
    lf_script_destroy(script);
    def.instructions = 100000; // less than half its bytes
    def.time_limit = 0;
    assert_int_equal(lf_script_create(&def, &script, &error), LF_TOO_LARGE);
    assert_non_null(strstr(error.text, "greedy.lua: the budget of 100000 instructions"));
    free(text);
    def = def_of("local v = {} for i = 1, 20000 do v[i] = { math.cos(i / 4000), math.sin(i / 4000), 0 } end\n"
                 "world.object{ parts = { { shape = 'path', vertices = v } } }");
    def.instructions = 10000000;
    ends(&def, LF_TOO_LARGE, "greedy.lua:2: the budget of 10000000 " SPENT);
}

/// A parameter without bounds in a loop that builds an instance.
static void test_parameters(void **state) {
    (void)state;
    lf_script_def def = def_of("local o = world.object{ parameters = { n = 1 }, build = function(top, p)\n"
                               "for i = 1, p.n do top:add{ shape = 'box', label = 'b' .. i } end end }\n"
                               "o:instance{ parameters = { n = 1e308 } }");
    ends(&def, LF_TOO_LARGE, "greedy.lua:2: the budget of 1000000 " SPENT);
    def.instructions = lf_script_def_default().instructions;
    def.memory = lf_script_def_default().memory;
    ends(&def, LF_TOO_LARGE, "greedy.lua:2: the budget of 50000000 " SPENT);
}

/// Questions to the scene and to the ground.
static void test_questions(void **state) {
    (void)state;
    const char *world =
        "local o = world.object{ parts = { { shape = 'box', tag = 'w', label = 'b' } } }\n"
        "local i for k = 1, 2000 do i = o:instance{ at = { 3 * k, 0, 0 } } end\n"
        "local p = world.object{} for k = 1, 2000 do p:top():add{ shape = 'box' } end local big = "
        "p:instance()\n"
        "local corners = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }\n"
        "local g = world.ground{ columns = 9, rows = 9, height = function(x, y) return x * y end }";
    static const char *const bodies[] = {
        "world.ray(-9, 0, 0, 1, 0, 0)",
        "i:move(0.1, 0, 0) world.ray(0, 9, 0, 1, 0, 0)",
        "i:move(0.1, 0, 0) i:box()",
        "world.within(0, 0, 0, 1, 1, 1)",
        "world.within(-1e6, -1e6, -1e6, 1e6, 1e6, 1e6)",
        "world.instances()",
        "world.tagged('w')",
        "world.tagged('none')",
        "big:part('none')",
        "big:top():find('none')",
        "big:top():parts()",
        "big:top():parts()[1]:move(0, 0, 1) big:box()",
        "big:top():add{ shape = 'box', label = 'x' }:remove()",
        "p:instance():remove()",
        "p:top():parts()",
        "g:height(3.5, 2.5)",
        "world.height(3.5, 2.5)",
        "world.place(3.5, 2.5, 9)",
        "world.locale(3.5, 2.5, 9)",
        "world.sight(1, 1, 90, 7, 7, 90)",
        "world.sweep(1, 1, 90, 1, 5, 5, -80)",
        "world.walk(1, 1, 90, 7, 7, 0, 9)",
        "world.stand(4, 4, 90, 0, 2, 1)",
        "world.viewshed_count{ at = { 1, 1, 90 }, origin = { 0, 0 }, columns = 8, rows = 8 }",
        ("world.viewshed_count{ at = { 1, 1, 90 }, origin = { 0, 0 }, step = 0.001, columns = 1024, rows = "
         "1024 }"),
        "i:move(0.1, 0, 0) world.height(3.5, 2.5)",
        "world.to_lonlat(1, 2, 3)",
        "i:follow(g) i:follow(nil)",
        "i:motion('given', { 0, 0, -9 }) world.ground_time(i, g, 5, 'model')",
        "big:top():add{ shape = 'path', vertices = corners }:remove()",
        "world.eye{ at = { 0, 0, 0 }, to = { 1, 0, 0 } }",
        "world.setting('a', 1)"};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        char text[2048];
        snprintf(text, sizeof text, "%s\nworld.on('tick', function()\nwhile true do %s end\nend)", world,
                 bodies[i]);
        lf_script_def def = def_of(text);
        def.memory = (size_t)64 << 20;
        lf_script *script = NULL;
        lf_error error;
        assert_int_equal(lf_script_create(&def, &script, &error), LF_OK); // the world itself is well within
        lf_script_destroy(script);
        ends(&def, LF_TOO_LARGE, SPENT);
    }
}

/// What a step of the scene does is charged, and ended half-way; the message names the watch.
static void test_steps(void **state) {
    (void)state;
    lf_script_def def = def_of("local o = world.object{ parts = { { shape = 'box' } } }\n"
                               "for i = 1, 600 do o:instance() end\n"
                               "world.watch{ stay = true }");
    def.memory = (size_t)256 << 20;
    ends(&def, LF_TOO_LARGE, "greedy.lua:3: the budget of 1000000 " SPENT " (in the watch made here)");
    def = def_of(
        "local o = world.object{} for i = 1, 3000 do o:top():add{ shape = 'box', at = { 2 * i, 0, 0 } } end\n"
        "local a, b = o:instance(), o:instance{ at = { 0, 0.5, 0 } }\n"
        "world.watch{ a = a, b = b, level = 'parts', stay = true }");
    def.memory = (size_t)64 << 20;
    ends(&def, LF_TOO_LARGE, "greedy.lua:3: the budget of 1000000 " SPENT " (in the watch made here)");
    def = def_of(
        "local v, p = {}, {} for i = 0, 59 do for j = 0, 59 do v[#v + 1] = { i, j, math.sin(i * j) } end "
        "end\n"
        "for i = 0, 58 do for j = 1, 59 do local k = 60 * i + j p[#p + 1] = { k, k + 1, k + 60 } end end\n"
        "local o = world.object{ parts = { { shape = 'polygons', vertices = v, polygons = p } } }\n"
        "for i = 1, 150 do o:instance{ at = { 0, 0, 0.1 * i }, turn = { 1, 2, 3, 0.3 * i } } end\n"
        "world.watch{ level = 'model', stay = true, ahead = 1 }");
    def.memory = (size_t)256 << 20;
    ends(&def, LF_TOO_LARGE, "greedy.lua:5: the budget of 1000000 " SPENT " (in the watch made here)");
    def = def_of(
        "local o = world.object{ parts = { { shape = 'box' } } }\n"
        "local g = world.ground{ columns = 60, rows = 60, height = function(x, y) return x % 7 end }\n"
        "for i = 1, 200 do o:instance{ at = { i % 60, i % 60, 9 }, velocity = { 300, 200, -0.1 } } end\n"
        "world.watch{ b = g, ahead = 1000, level = 'model' }");
    ends(&def, LF_TOO_LARGE, "greedy.lua:4: the budget of 1000000 " SPENT " (in the watch made here)");
}

/// A single look at the ground that would take minutes is ended half-way.
static void test_long_look(void **state) {
    (void)state;
    lf_script_def def = def_of("local g = world.ground{ columns = 400, rows = 400, height = function(x, y) "
                               "return (x + y) % 3 end }\n"
                               "local o = world.object{ parts = { { shape = 'sphere' } } }\n"
                               "o:instance{ at = { 10, 10, 3.5 }, velocity = { 1000, 1000, -0.001 } }\n"
                               "world.watch{ b = g, ahead = 1000, level = 'model' }");
    def.instructions = 6000000;
    ends(&def, LF_TOO_LARGE, "greedy.lua:4: the budget of 6000000 " SPENT " (in the watch made here)");
}

/// So many pairs that touch that there is no memory for them.
static void test_pairs(void **state) {
    (void)state;
    lf_script_def def = def_of("local o = world.object{ parts = { { shape = 'box' } } }\n"
                               "for i = 1, 1500 do o:instance() end -- 1124250 pairs\n"
                               "\nworld.watch{ stay = true }");
    def.instructions = ENDLESS;
    def.memory = (size_t)64 << 20;
    ends(&def, LF_NO_MEMORY, "greedy.lua:4: out of memory, limit 67108864 bytes (in the watch made here)");
}

static void test_output(void **state) {
    (void)state;
    size_t heard = 0;
    lf_script_def def = def_of(
        "world.on('tick', function()\nwhile true do print('a line that is printed for ever') end end)");
    def.say = keep_quiet;
    def.user = &heard;
    def.output = 10000;
    ends(&def, LF_TOO_LARGE, "greedy.lua:2: 10016 bytes of output, limit 10000");
    assert_true(heard <= 10000 && heard > 9000);
    heard = 0;
    def = def_of("while true do world.say('') end"); // empty lines count too
    def.say = keep_quiet;
    def.user = &heard;
    def.output = 1000;
    ends(&def, LF_TOO_LARGE, "greedy.lua:1: 1001 bytes of output, limit 1000");
    def =
        def_of("world.on('tick', function() print(string.rep('x', 600)) end)"); // counted again for each step
    def.output = 1000;
    lf_script *script = NULL;
    assert_int_equal(lf_script_create(&def, &script, NULL), LF_OK);
    for (int i = 0; i < 5; i++)
        assert_int_equal(lf_script_step(script, 0.1, NULL), LF_OK);
    lf_script_destroy(script);
}

/// What no budget sees is ended by the clock.
static void test_time(void **state) {
    (void)state;
    static const char *const texts[] = {
        "while true do end",
        "local t = {} for i = 1, 9000 do t[i * 16383] = 1 end while true do local x = t[7] end", // all keys
                                                                                                 // collide
        "local c = {} for i = 1, 1500 do c = setmetatable({}, { __index = c }) end while true do local x = "
        "c.a end",
        "world.on('tick', function() while true do end end)",
        "local o = world.object{ parts = { { shape = 'box' } } } local i = o:instance() world.watch{ a = i, "
        "b = o:instance(), own = "
        "function() while true do end end }",
        "local o = world.object{ parts = { { shape = 'box' } } } for i = 1, 1200 do o:instance() end "
        "world.watch{ stay = true }",
        "world.ground{ columns = 4000, rows = 4000, height = function() return 0 end }"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        lf_script_def def = def_of(texts[i]);
        def.instructions = ENDLESS;
        def.memory = (size_t)1 << 30;
        def.time_limit = 0.05;
        ends(&def, LF_TOO_LARGE, "greedy.lua:1: the time limit of 0.05 seconds is exceeded");
    }
    lf_script *script = NULL;
    lf_error error;
    lf_script_def def = def_of("");
    def.time_limit = -1;
    assert_int_equal(lf_script_create(&def, &script, &error), LF_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "time_limit -1"));
    def.time_limit = LF_NAN;
    assert_int_equal(lf_script_create(&def, &script, &error), LF_BAD_ARGUMENT);
    def.time_limit = 0;
    assert_int_equal(lf_script_create(&def, &script, &error), LF_OK);
    lf_script_destroy(script);
}

/// Handles stay the same values when places are used again, however many there are.
static void test_handles(void **state) {
    (void)state;
    lf_script_def def = def_of(
        "local o = world.object{ parts = { { shape = 'box' } } }\n"
        "local a = o:instance() local old = {}\n"
        "for i = 1, 5 do old[i] = a a:remove() a = o:instance() end\n"
        "local seen = {} for i = 1, 5 do assert(not seen[old[i]] and old[i] ~= a) seen[old[i]] = true end\n"
        "assert(world.instances()[1] == a)\n"
        "local all = {} for i = 1, 70000 do all[i] = o:instance() end\n"
        "local now = world.instances() for i = 1, 70000 do assert(now[i + 1] == all[i]) end");
    def.instructions = lf_script_def_default().instructions;
    def.memory = (size_t)512 << 20;
    lf_script *script = NULL;
    lf_error error = {LF_OK, -1, ""};
    if (lf_script_create(&def, &script, &error) != LF_OK)
        fail_msg("%s", error.text);
    lf_script_destroy(script);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strings),        cmocka_unit_test(test_values),
        cmocka_unit_test(test_tables),         cmocka_unit_test(test_calls),
        cmocka_unit_test(test_parameters),     cmocka_unit_test(test_input),
        cmocka_unit_test(test_memory_is_full), cmocka_unit_test(test_questions),
        cmocka_unit_test(test_steps),          cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_long_look),      cmocka_unit_test(test_output),
        cmocka_unit_test(test_time),           cmocka_unit_test(test_handles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
