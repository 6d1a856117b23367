/// Worlds that are changed while they run: by whom that is allowed, who is refused, and that nothing breaks on the way.
#include "support.h"
#include <landfall/script.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// What a script has said, and what its program does when it hears the word "now".
typedef struct heard {
    char text[4096];
    size_t used;
    lf_script *script;
    void (*act)(struct heard *h);
    int acts;
} heard;

static void hear(void *user, const char *text) {
    heard *h = user;
    size_t length = strlen(text);
    if (strcmp(text, "now") == 0 && h->script) {
        h->acts++;
        h->act(h);
        return;
    }
    assert_true(h->used + length + 2 < sizeof h->text);
    memcpy(h->text + h->used, text, length);
    h->used += length;
    h->text[h->used++] = '\n';
    h->text[h->used] = '\0';
}

static lf_status load(void *user, const char *name, const lf_host *host, lf_model **model, lf_error *error) {
    (void)name, (void)host, (void)model, (void)error;
    heard *h = user;
    h->acts++;
    h->act(h);
    return LF_IO_FAILED;
}

/// Run a script for three steps and say how that ended.
static lf_status run(const char *text, size_t memory, heard *h, lf_error *error) {
    lf_script_def def = lf_script_def_default();
    lf_script *script = NULL;
    *error = (lf_error){LF_OK, -1, ""};
    def.name = "world.lua";
    def.text = text;
    def.length = strlen(text);
    def.memory = memory;
    def.instructions = 5000000;
    def.say = hear;
    def.load = load;
    def.user = h;
    lf_status status = lf_script_create(&def, &script, error);
    h->script = script;
    for (int i = 0; i < 3 && status == LF_OK; i++)
        status = lf_script_step(script, 0.5, error);
    h->script = NULL;
    lf_script_destroy(script);
    return status;
}

static void runs(const char *text, const char *said) {
    heard h = {.used = 0};
    lf_error error;
    if (run(text, (size_t)64 << 20, &h, &error) != LF_OK)
        fail_msg("%s\n%s", text, error.text);
    assert_string_equal(h.text, said);
}

#define WORLD                                                                                       \
    "local o = world.object{ name = 'o', parts = { { shape = 'box', label = 'b', tag = 't' } } }\n" \
    "local a, b = o:instance{}, o:instance{ at = { 0.5, 0, 0 } }\n"                                 \
    "local g = world.ground{ columns = 2, rows = 2, height = function() return -9 end }\n"          \
    "local p = a:part('b')\n"

/// Every call that changes the world, from a watch's own function: the message has the call, the file and the line.
static void own_functions_may_not_change_the_world(void **state) {
    (void)state;
    static const char *const changes[][2] = {
        {"world.object", "world.object{}"},
        {"world.watch", "world.watch{}"},
        {"watch:remove", "w:remove()"},
        {"object:instance", "o:instance{}"},
        {"instance:remove", "b:remove()"},
        {"instance:move", "a:move(1, 0, 0)"},
        {"instance:turn", "a:turn(0, 0, 1, 1)"},
        {"instance:scale", "a:scale(1, 1, 2)"},
        {"instance:place", "a:place(0, 0, 0)"},
        {"instance:jump", "a:jump(0, 0, 0)"},
        {"instance:motion", "a:motion('measured')"},
        {"instance:colour", "a:colour(1, 0, 0)"},
        {"instance:follow", "a:follow(g)"},
        {"part:add", "a:top():add{ shape = 'box' }"},
        {"part:remove", "p:remove()"},
        {"part:move", "p:move(1, 0, 0)"},
        {"part:turn", "p:turn(0, 0, 1, 1)"},
        {"part:scale", "p:scale(1, 1, 2)"},
        {"part:reset", "p:reset{}"},
        {"part:shape", "p:shape{ shape = 'sphere', radius = 1 }"},
        {"part:vertex", "p:vertex(1, 0, 0, 0)"},
        {"part:colour", "p:colour(1, 0, 0)"},
        {"part:tag", "p:tag('x')"},
        {"part:untag", "p:untag('t')"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char text[1024], wanted[128];
        heard h = {.used = 0};
        lf_error error;
        snprintf(text, sizeof text,
                 WORLD "local w\nw = world.watch{ own = function()\n%s\nprint('changed') end }",
                 changes[i][1]);
        snprintf(wanted, sizeof wanted, "world.lua:7: %s: not allowed from a watch's own function",
                 changes[i][0]);
        lf_status status = run(text, (size_t)64 << 20, &h, &error);
        if (status != LF_BAD_FORMAT || error.where != 7 || strncmp(error.text, wanted, strlen(wanted)) != 0)
            fail_msg("%s: %s at %lld: %s", changes[i][1], lf_status_name(status), (long long)error.where,
                     error.text);
        assert_string_equal(h.text, "");
    }
}

static void own_functions_may_ask_and_send(void **state) {
    (void)state;
    runs(WORLD
         "local asked = 0\n"
         "world.watch{ a = a, b = b, ahead = 1, own = function(x, y, ahead)\n"
         "  asked = asked + 1\n"
         "  local red = p:colour()\n"
         "  print(x == a, y == b, x:position(), p:label(), #world.instances(), #world.tagged('t'),\n"
         "    world.ray(-5, 0, 0, 1, 0, 0) == a, #world.within(-1, -1, -1, 1, 1, 1), #x:top():parts())\n"
         "  assert(world.ground_time(x, g, 1) == nil)\n"
         "  if asked == 1 then world.send('hide', x) end\n"
         "  return 0 end,\n"
         "  on = function(e) print(e.kind) end }\n"
         "world.on('hide', function(x) x:remove(); print('removed', #world.instances()) end)\n",
         "true true 0.0 b 2 2 true 2 1\n"
         "begin\n"
         "removed 1\n"
         "end\n");
}

/// Reactions, ticks, words, build functions and heights change the world as they like, many times over.
static void all_others_may_change_the_world(void **state) {
    (void)state;
    runs(
        WORLD
        "local function churn(n)\n"
        "  for i = 1, 40 do\n"
        "    local x = o:instance{ at = { i, n, 0 } }\n"
        "    x:top():add{ shape = 'sphere', radius = 0.1 * i, tag = 't' }\n"
        "    local w = world.watch{ a = x, b = a, level = 'convex' }\n"
        "    if i % 2 == 0 then x:remove(); w:remove() end\n"
        "  end\n"
        "end\n"
        "local built = world.object{ build = function(top) churn(1); top:add{ shape = 'box' } end }\n"
        "local heard = 0\n"
        "world.watch{ on = function(e) heard = heard + 1; if heard < 4 then churn(2) end end }\n"
        "world.on('tick', function(t) if t == 0 then built:instance{}; world.send('w') end end)\n"
        "world.on('w', function() churn(3); world.ground{ columns = 2, rows = 2, height = function() "
        "churn(4) return 0 end "
        "} end)\n"
        "world.on('tick', function(t) if t == 1 then print(#world.instances() > 100, heard > 100) end end)\n",
        "true true\n");
}

// ---------------------------------------------------------------------------------------------------
// What a metatable can do while a call reads a table
// ---------------------------------------------------------------------------------------------------

/// Text that nobody else holds must not be collected before the call has used it.
static void text_made_up_by_a_metatable_stays(void **state) {
    (void)state;
    runs("local function garbage() local t = {} for i = 1, 3000 do t[i] = 'garbage ' .. i end end\n"
         "local n = 0\n"
         "local function lazy(fields)\n"
         "  return setmetatable({}, { __index = function(_, key)\n"
         "    garbage()\n"
         "    local value = fields[key]\n"
         "    if type(value) ~= 'string' or key == 'shape' then return value end\n"
         "    n = n + 1\n"
         "    return value .. ' of some length ' .. n end })\n"
         "end\n"
         "local o = world.object(lazy{ name = 'name', parts = { lazy{ shape = 'box', label = 'label', tag = "
         "'tag' } } })\n"
         "local i = o:instance{}\n"
         "print(i:name())\n"
         "print(i:top():parts()[1]:label())\n"
         "world.watch(lazy{ a = lazy{ tag = 'tag' }, b = i })\n"
         "print(#world.tagged('tag of some length 3'))\n",
         "name of some length 1\n"
         "label of some length 2\n"
         "1\n");
}

/// Names of parameters stay when the table that has them is emptied while the next field is read.
static void names_of_parameters_stay(void **state) {
    (void)state;
    runs("local names = {}\n"
         "for i = 1, 20 do names['parameter number ' .. i] = i end\n"
         "local o = world.object(setmetatable({ parameters = names }, { __index = function(_, key)\n"
         "  if key ~= 'build' then return nil end\n"
         "  for k in pairs(names) do names[k] = nil end\n"
         "  local t = {} for i = 1, 20000 do t[i] = 'garbage ' .. i end\n"
         "  return nil end }))\n"
         "print(o:instance{}:parameter('parameter number 17'))\n",
         "17.0\n");
}

// ---------------------------------------------------------------------------------------------------
// No memory
// ---------------------------------------------------------------------------------------------------

/// The least budget with which a script does not end for want of memory.
static size_t least_memory(const char *text) {
    size_t low = 10000, high = (size_t)4 << 20;
    while (high - low > 1) {
        heard h = {.used = 0};
        lf_error error;
        size_t middle = low + (high - low) / 2;
        if (run(text, middle, &h, &error) == LF_NO_MEMORY)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/// A failure is kept without memory: a script that has none left in a watch's own function, or throws a number, is an error like others.
static void failures_need_no_memory(void **state) {
    (void)state;
    static const char *const full =
        "local keep\n" WORLD "world.watch{ own = function() while true do keep = { keep } end end }\n";
    static const char *const number = "local keep\nfor i = 1, 2000 do keep = { keep } end\nerror(1.5)\n";
    lf_error error;
    for (size_t memory = 120000; memory < 120200; memory += 4) {
        heard h = {.used = 0};
        assert_int_equal(run(full, memory, &h, &error), LF_NO_MEMORY);
    }
    size_t least = least_memory(number);
    for (size_t memory = least - 64; memory < least + 512; memory += 4) {
        heard h = {.used = 0};
        lf_status status = run(number, memory, &h, &error);
        assert_true(status == LF_NO_MEMORY || status == LF_BAD_FORMAT);
        assert_true(status == LF_NO_MEMORY || strstr(error.text, "1.5"));
    }
}

// ---------------------------------------------------------------------------------------------------
// Functions of the program
// ---------------------------------------------------------------------------------------------------

static void step_and_destroy(heard *h) {
    lf_error error = {LF_OK, -1, ""};
    if (!h->script)
        return;
    assert_int_equal(lf_script_step(h->script, 1, &error), LF_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "lf_script_step: not allowed"));
    lf_script_destroy(h->script);
}

static void programs_may_not_step_in_a_step(void **state) {
    (void)state;
    heard h = {.act = step_and_destroy};
    lf_error error;
    assert_int_equal(run("world.on('tick', function() world.say('now') end)", (size_t)64 << 20, &h, &error),
                     LF_OK);
    assert_int_equal(h.acts, 3);
    h = (heard){.act = step_and_destroy};
    assert_int_equal(run("local o = world.object{}\nworld.on('tick', function()\n"
                         "o:top():add{ shape = 'model', file = 'm' } end)",
                         (size_t)64 << 20, &h, &error),
                     LF_BAD_FORMAT);
    assert_int_equal(h.acts, 1);
}

/// The program makes the scene step, or makes an instance, by itself: the script's functions are called just the same.
static void programs_may_not_free_a_script_that_runs(void **state) {
    (void)state;
    static const char *const text =
        WORLD "world.watch{ own = function() world.say('now') end }\n"
              "world.object{ name = 'built', build = function() world.say('now') end }\n";
    heard h = {.act = step_and_destroy};
    lf_script_def def = lf_script_def_default();
    def.text = text;
    def.length = strlen(text);
    def.say = hear;
    def.user = &h;
    assert_int_equal(lf_script_create(&def, &h.script, NULL), LF_OK);
    lf_scene *scene = lf_script_scene(h.script);
    assert_int_equal(lf_scene_step(scene, 1, NULL), LF_OK);
    assert_int_equal(h.acts, 1);
    lf_instance_def instance = lf_instance_def_default();
    instance.object = (lf_object){1, 1}; // the second that was made
    lf_instance made;
    assert_int_equal(lf_instance_create(scene, &instance, &made, NULL), LF_OK);
    assert_int_equal(h.acts, 2);
    lf_script_destroy(h.script);
}

static lf_status add_watch(heard *h) {
    lf_watch_def def = lf_watch_def_default();
    return lf_watch_create(lf_script_scene(h->script), &def, NULL, NULL);
}

static void add_watch_is_refused(heard *h) {
    assert_int_equal(add_watch(h), LF_BAD_ARGUMENT);
    assert_int_equal(lf_scene_step(lf_script_scene(h->script), 1, NULL), LF_BAD_ARGUMENT);
    lf_scene_destroy(lf_script_scene(h->script));
}

/// The events that are being told are replaced by others, in another place.
static void add_watches_and_step(heard *h) {
    for (int i = 0; i < 20; i++)
        assert_int_equal(add_watch(h), LF_OK);
    assert_int_equal(lf_scene_step(lf_script_scene(h->script), 1, NULL), LF_OK);
}

static void programs_change_the_scene_where_the_script_may(void **state) {
    (void)state;
    heard h = {.act = add_watch_is_refused};
    lf_error error;
    assert_int_equal(
        run(WORLD "world.watch{ own = function() world.say('now') end }\n", (size_t)64 << 20, &h, &error),
        LF_OK);
    assert_int_equal(h.acts, 3);
    h = (heard){.act = add_watches_and_step};
    assert_int_equal(run(WORLD "for i = 1, 5 do o:instance{ at = { 0.1 * i, 0, 0 } } end\n"
                               "local said = 0\n"
                               "world.watch{ on = function(e) said = said + 1\n"
                               "  if said == 2 then world.say('now') end end, stay = true }\n",
                         (size_t)64 << 20, &h, &error),
                     LF_OK);
    assert_int_equal(h.acts, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_functions_may_not_change_the_world),
        cmocka_unit_test(own_functions_may_ask_and_send),
        cmocka_unit_test(all_others_may_change_the_world),
        cmocka_unit_test(text_made_up_by_a_metatable_stays),
        cmocka_unit_test(names_of_parameters_stay),
        cmocka_unit_test(failures_need_no_memory),
        cmocka_unit_test(programs_may_not_step_in_a_step),
        cmocka_unit_test(programs_may_not_free_a_script_that_runs),
        cmocka_unit_test(programs_change_the_scene_where_the_script_may),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
