/// Worlds that are changed from every kind of function a script, or the program that runs it, can have: own functions of watches, reactions,
/// ticks, words that are sent, build functions, heights of grounds, metatables, comparisons of a sort, and C's say, load and show.
///
/// The input says which function does what, and how much memory there is. Whatever it says, the script runs or fails with a message, nothing
/// is left behind, and a watch's own function changes nothing.
#include "fuzz.h"
#include "support.h"
#include "take.h"
#include <landfall/script.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The script: `todo` says what the functions of each kind do, two numbers for each thing.
static const char world_text[] =
    "local deep, asking, kept, watches, grounds, made = 0, false, {}, {}, {}, 0\n"
    "local acts, asks = {}, {}\n"
    "local function changed() if asking then world.say('changed') end end\n"
    "local function run(kind)\n"
    "  local list = todo[kind]\n"
    "  if deep >= 4 then return end\n"
    "  deep = deep + 1\n"
    "  for _ = 1, 3 do\n"
    "    local at = list.at or 1\n"
    "    if not list[at] then break end\n"
    "    list.at = at + 2\n"
    "    local act, n = list[at], list[at + 1]\n"
    "    if asking and n % 4 > 0 then asks[1 + act % #asks](n) else acts[1 + act % #acts](n) end\n"
    "  end\n"
    "  deep = deep - 1\n"
    "end\n"
    // A table whose fields are made up when they are read, after something was done.
    "local function lazy(fields)\n"
    "  return setmetatable({}, { __index = function(_, key)\n"
    "    if key == 'label' or key == 'tag' or key == 'name' then run('index') end\n"
    "    local value = fields[key]\n"
    "    if type(value) == 'string' and key == 'label' then made = made + 1; return value .. made end\n"
    "    return value end })\n"
    "end\n"
    "local function own(x, y)\n"
    "  asking = true; run('own'); asking = false\n"
    "  x:box(); y:box()\n"
    "  return #kept % 3 - 1\n"
    "end\n"
    "local function heard(e) run('on') end\n"
    "local box = world.object{ name = 'box', parts = { { shape = 'box', size = 1, label = 'b', tag = 't' },\n"
    "  { shape = 'polygons', vertices = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }, polygons = { { 1, 2, 3 } "
    "} } } }\n"
    "local triangle = { shape = 'polygons', vertices = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }, polygons = "
    "{ { 1, 2, 3 } } }\n"
    "local built = world.object{ name = 'built', parameters = { n = 1 }, build = function(top, p)\n"
    "  top:add{ shape = 'sphere', radius = p.n }; run('build') end }\n"
    "local function put(object, n)\n"
    "  if #kept >= 14 then return end\n" // more only take longer
    "  local i = object:instance{ at = { n % 7 * 0.2, n % 3 * 0.2, 0 }, velocity = { n % 5 - 2, 0, 0 } }\n"
    "  changed(); kept[#kept + 1] = i; return i\n"
    "end\n"
    "local function one(n) return kept[1 + n % #kept] end\n"
    "local function part(n) local all = one(n):top():parts(); return all[#all > 0 and 1 + n % #all] end\n"
    "local function watch(n)\n"
    "  if #watches >= 14 then return end\n"
    "  local def = { ahead = n % 3, on = n % 2 == 0 and heard or nil, stay = n % 3 == 0 }\n"
    "  if n % 4 < 2 then def.own = own else def.level = ({ 'boxes', 'parts', 'convex', 'model' })[1 + n % 4] "
    "end\n"
    "  if n % 5 == 0 then def.a = one(n); def.b = one(n + 1) elseif n % 5 == 1 then def.a = { tag = 't' }\n"
    "  elseif n % 5 == 2 and #grounds > 0 and not def.own then def.b = grounds[1 + n % #grounds]\n"
    "  elseif n % 5 == 3 and not def.own then def.b = 'nothing' end\n"
    "  watches[#watches + 1] = world.watch(n % 7 == 0 and lazy(def) or def); changed()\n"
    "end\n";

/// What can be done, each with a number of its own.
static const char acts_text[] =
    "acts = {\n"
    "  function(n) put(box, n) end,\n"
    "  function(n) if #kept > 1 then table.remove(kept, 1 + n % #kept):remove(); changed() end end,\n"
    "  function(n) one(n):move(n % 3 - 1, 0, 0); changed() end,\n"
    "  function(n) one(n):turn(0, 0, 1, n); changed() end,\n"
    "  function(n) one(n):scale(1, 1 + n % 2, 1); changed() end,\n"
    "  function(n) one(n):place(n % 4, 0, 0, n); changed() end,\n"
    "  function(n) one(n):jump(n % 4, 0, 0); changed() end,\n"
    "  function(n) one(n):motion('carried', { n % 5, 0, 0 }, { 0, 0, n % 2 }); changed() end,\n"
    "  function(n) one(n):colour(1, 0, 0); changed() end,\n"
    "  function(n) local p = part(n); if p then p:remove(); changed() end end,\n"
    "  function(n) one(n):top():add{ shape = 'cylinder', radius = 1, tag = 't' .. n % 60 }; changed() end,\n"
    "  function(n) one(n):top():add(lazy{ shape = 'box', label = 'a', tag = 'lazy', colour = { 0, 1, 0 } }); "
    "changed() end,\n"
    "  function(n) local p = part(n); if p then p:move(0, 0, n % 3, 'each'); changed() end end,\n"
    "  function(n) local p = part(n); if p then p:reset{ transforms = { { 'turn', 1, 0, 0, n } } }; "
    "changed() end end,\n"
    "  function(n) local p = part(n); if p then p:shape{ shape = 'box', size = 1 + n % 3 }; changed() end "
    "end,\n"
    "  function(n) local p = part(n); if p then p:tag('u' .. n % 40); p:untag('t'); changed() end end,\n"
    "  function(n) local p = part(n); if p then p:colour(0, 0, 1); changed() end end,\n"
    "  function(n) local p = part(n); if p then p:turn(0, 1, 0, 1); p:scale(1, 2, 1); changed() end end,\n"
    "  watch,\n"
    "  function(n) for i = 1, 9 do watch(n + i) end end,\n"
    "  function(n) if #watches > 0 then table.remove(watches, 1 + n % #watches):remove(); changed() end "
    "end,\n"
    "  function(n) put(built, n) end,\n"
    "  function(n) for i = 1, 9 do put(box, n + i) end end,\n"
    "  function(n) local o = world.object(lazy{ name = 'new', parameters = { x = n, ['a name ' .. n] = 2 }, "
    "parts = {},\n"
    "      build = function() run('build') end }); changed(); put(o, n) end,\n"
    "  function(n) world.send('word', n) end,\n"
    "  function(n) world.on('word', function() run('word') end) end,\n"
    // The program may make the scene step meanwhile, and an own function that fails there leaves these as
    // they are.
    "  function(n) local d, a = deep, asking; world.say('c', n, a and 1 or 0); deep, asking = d, a end,\n"
    "  function(n) world.say(setmetatable({}, { __tostring = function() run('index'); return 'x' end })) "
    "end,\n"
    "  function(n) if #grounds < 4 then grounds[#grounds + 1] = world.ground{ columns = 2, rows = 3, origin "
    "= { -2, -2 },\n"
    "      step = 4, height = function() run('height'); return n % 3 - 1 end } end end,\n"
    "  function(n) if #grounds > 0 then one(n):follow(grounds[1 + n % #grounds], { base = 0.1, track = 0.1 "
    "}); changed() end end,\n"
    "  function(n) if #grounds > 0 then world.ground_time(one(n), grounds[1 + n % #grounds], 1) end end,\n"
    "  function(n) world.ray(-5, 0, 0, 1, 0, 0); world.within(-1, -1, -1, n, n, n); world.tagged('t'); "
    "world.instances()\n"
    "      if not asking then world.height(n % 5, 0, lazy{ objects = n % 2 == 0 }); world.sight(-9, 0, 1, 9, "
    "0, 1)\n"
    "        world.sweep(-5, 0, 3, 1, n, 0, -5); world.walk(-2, 0, 5, 2, 0, 0, 1); world.stand(0, 0, 9, n, "
    "1, 1)\n"
    "        world.viewshed_count{ at = { 0, 0, 9 }, origin = { 0, 0 }, columns = 3, rows = 3 } end end,\n"
    "  function(n) table.sort({ 3, 1, 2 }, function(a, b) run('sort'); return a < b end) end,\n"
    "  function(n) local t = {}; for i = 1, 200 do t[i] = 'garbage ' .. i .. n end end,\n"
    "  function(n) one(n):top():add{ shape = 'model', file = n % 16 == 0 and 'bad' or 'm' .. n % 3 }; "
    "changed() end,\n"
    "  function(n) local p = part(n); if p and not p:label() then p:shape(triangle); p:vertex(1, 0, 0, n); "
    "changed() end end,\n"
    "  function(n) world.eye{ at = { n, 0, 0 }, to = { n, 1, 0 } } end,\n"
    "  function(n) if n % 16 == 0 then error(n) elseif n % 16 == 1 then error({}) end end,\n"
    "}\n"
    "for _, n in ipairs{ 25, 26, 27, 28, 29, 31, 32, 33, 34, 37 } do asks[#asks + 1] = acts[n] end\n"
    "for n = 1, 3 do put(box, n) end\n"
    "watches[1] = world.watch{ own = own, on = heard, ahead = 1 }\n"
    "world.on('tick', function() run('tick') end)\n"
    "world.on('word', function() run('word') end)\n"
    "run('start')\n";

static const char *const kinds[] = {"own", "on", "tick", "word", "build", "height", "index", "sort", "start"};
#define KINDS (int)(sizeof kinds / sizeof *kinds)

/// What the program that runs the script knows.
typedef struct host {
    lf_script *script; ///< NULL while it is being made
    int shown, told;
} host;

// ---------------------------------------------------------------------------------------------------
// Changes by C
// ---------------------------------------------------------------------------------------------------

static lf_status change_instance(lf_scene *scene, int n, lf_instance instance) {
    lf_instance_info info;
    lf_part_def part = lf_part_def_default();
    lf_watch_def watch = lf_watch_def_default();
    FUZZ_HOLDS(lf_instance_describe(scene, instance, &info) == LF_OK);
    part.shape.kind = LF_SHAPE_BOX;
    switch (n % 6) {
    case 0:
        return lf_instance_remove(scene, instance);
    case 1:
        return lf_instance_move(scene, instance, (lf_vec3){1, 0, 0});
    case 2:
        return lf_part_add(scene, info.top, &part, NULL, NULL);
    case 3:
        return lf_watch_create(scene, &watch, NULL, NULL);
    case 4:
        return lf_part_set_velocity(scene, info.top, NULL, 2);
    default:
        return lf_scene_step(scene, 0.1, NULL);
    }
}

static bool show(void *user, const lf_scene_triangle *triangle) {
    lf_scene *scene = user;
    lf_part_info info;
    FUZZ_HOLDS(lf_part_describe(scene, triangle->part, &info) == LF_OK);
    FUZZ_HOLDS(lf_part_remove(scene, triangle->part) == LF_BAD_ARGUMENT);
    FUZZ_HOLDS(change_instance(scene, 3, info.instance) == LF_BAD_ARGUMENT);
    lf_scene_destroy(scene);
    return true;
}

/// Change the scene in one of several ways; `asking`: a watch's own function is running.
static void change(host *h, int n, bool asking) {
    lf_instance all[64];
    int64_t count = 0;
    if (!h->script)
        return;
    FUZZ_HOLDS(lf_script_step(h->script, 0.1, NULL) == LF_BAD_ARGUMENT);
    lf_script_destroy(h->script);
    lf_scene *scene = lf_script_scene(h->script);
    lf_scene_destroy(asking ? scene : NULL);
    if (lf_scene_instances(scene, all, 64, &count) < LF_OK || count == 0)
        return;
    lf_instance instance = all[n % (count < 64 ? count : 64)];
    lf_instance_info info;
    FUZZ_HOLDS(lf_instance_describe(scene, instance, &info) == LF_OK);
    FUZZ_HOLDS(lf_part_triangles(scene, info.top, 4, show, scene) == LF_OK);
    lf_status status = change_instance(scene, n, instance);
    FUZZ_HOLDS(!asking || status == LF_BAD_ARGUMENT);
}

static void hear(void *user, const char *text) {
    host *h = user;
    int n = 0, asking = 0;
    FUZZ_HOLDS(strcmp(text, "changed") != 0);
    if (h->told++ < 50 && sscanf(text, "c %d %d", &n, &asking) == 2)
        change(h, n, asking);
}

static lf_status load(void *user, const char *name, const lf_host *memory, lf_model **model,
                      lf_error *error) {
    static const lf_vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const int64_t triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    lf_model_def def = lf_model_def_default();
    host *h = user;
    if (h->script) {
        FUZZ_HOLDS(lf_script_step(h->script, 0.1, NULL) == LF_BAD_ARGUMENT);
        lf_script_destroy(h->script);
    }
    if (strcmp(name, "bad") == 0) {
        snprintf(error->text, sizeof error->text, "bad: no such model");
        return LF_IO_FAILED;
    }
    def.host = *memory;
    def.polygons.vertices = corners;
    def.polygons.vertex_count = 4;
    def.polygons.corners = triangles[0];
    def.polygons.polygon_count = 4;
    return lf_model_create(&def, model, error);
}

// ---------------------------------------------------------------------------------------------------
// One input
// ---------------------------------------------------------------------------------------------------

#define TEXT (sizeof world_text + sizeof acts_text + 4096)
#define MOST 96 ///< things to do, all together

/// What the functions do, as a table in front of the world; returns its length.
static size_t write_text(fuzz_bytes *bytes, char *text) {
    int kind[MOST], act[MOST], n[MOST], count = 0;
    size_t used = 0;
    for (; count < MOST && bytes->next < bytes->end; count++) {
        kind[count] = fuzz_below(bytes, KINDS);
        act[count] = fuzz_byte(bytes);
        n[count] = fuzz_byte(bytes);
    }
    used += (size_t)sprintf(text + used, "local todo = {\n");
    for (int k = 0; k < KINDS; k++) {
        used += (size_t)sprintf(text + used, "%s = {", kinds[k]);
        for (int i = 0; i < count; i++)
            if (kind[i] == k)
                used += (size_t)sprintf(text + used, "%d,%d,", act[i], n[i]);
        used += (size_t)sprintf(text + used, "},\n");
    }
    used += (size_t)sprintf(text + used, "}\n%s%s", world_text, acts_text);
    return used;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_bytes bytes = {data, data + size};
    char text[TEXT];
    host h = {NULL, 0, 0};
    test_memory memory;
    lf_script_def def = lf_script_def_default();
    lf_script *script = NULL;
    lf_error error = {LF_OK, -1, ""};
    int tight = fuzz_byte(&bytes), failing = fuzz_byte(&bytes);
    int steps = 1 + fuzz_below(&bytes, 6);
    test_memory_start(&memory, tight % 4 == 1 ? 8 * failing : -1);
    def.host.allocator = &memory.allocator;
    def.name = "fuzz.lua";
    def.text = text;
    def.length = write_text(&bytes, text);
    def.instructions = 300000;
    def.memory = tight % 4 == 2 ? (size_t)100000 + (size_t)failing * 2000 : (size_t)8 << 20;
    def.say = hear;
    def.load = load;
    def.user = &h;
    lf_status status = lf_script_create(&def, &script, &error);
    h.script = script;
    for (int i = 0; i < steps && status == LF_OK; i++)
        status = lf_script_step(script, 0.25, &error);
    FUZZ_HOLDS(status <= LF_OK && (status == LF_OK || error.text[0] != '\0'));
    h.script = NULL;
    lf_script_destroy(script);
    FUZZ_HOLDS(memory.blocks_out == 0 && memory.bytes_out == 0);
    return 0;
}
