/// The world, for scripts: grounds, the eye, reactions, messages and output.
#include "script/script.h"
#include <math.h>
#include <string.h>

#define SIDE 4096      ///< samples along a side of a ground, at most
#define HANDLE_COST 10 ///< of a handle in a list, in instructions

// ---------------------------------------------------------------------------------------------------
// Grounds
// ---------------------------------------------------------------------------------------------------

const lf_ground *lf__script_ground_at(lua_State *L, int at) {
    lf__handle *h = lf__handle_check(L, at, LF__HANDLE_GROUND);
    const lf__script_ground *grounds = lf__script_of(L)->grounds.items;
    return grounds[h->index].ground;
}

static int64_t read_side(lua_State *L, const char *name) {
    double samples = 0;
    lf__script_field_number(L, 1, name, &samples);
    if (!(samples >= 2 && samples <= SIDE) || samples != floor(samples))
        luaL_error(L, "%s: expected a whole number, 2 .. %d", name, SIDE);
    return (int64_t)samples;
}

/// Call the function on top of the stack for the height of every sample. The heights are left on the stack
/// above it.
static const double *ask_heights(lua_State *L, const lf_grid_def *def) {
    int function = lua_gettop(L);
    int64_t columns = def->samples.columns, rows = def->samples.rows;
    double *heights = lf__script_buffer(L, columns * rows, sizeof *heights);
    for (int64_t j = 0; j < rows; j++)
        for (int64_t i = 0; i < columns; i++) {
            lua_pushvalue(L, function);
            lua_pushnumber(L, def->geotransform.origin.x + (double)i * def->geotransform.per_column.x);
            lua_pushnumber(L, def->geotransform.origin.y + (double)j * def->geotransform.per_row.y);
            lua_call(L, 2, 1);
            int is_number;
            heights[j * columns + i] = lua_tonumberx(L, -1, &is_number);
            if (!is_number)
                luaL_error(L, "height gave no number");
            lua_pop(L, 1);
        }
    return heights;
}

/// Create the ground and keep it. Space is reserved first, so that the ground is not lost.
static lf_status keep_ground(lf_script *script, const lf_grid_def *def, lf_error *error) {
    lf_grid *grid = NULL;
    lf__script_ground *grounds;
    lf_status status = lf__array_reserve(&script->grounds, &script->counted, 1, sizeof *grounds);
    if (status == LF_OK)
        status = lf_grid_create(def, &grid, error);
    if (status != LF_OK)
        return status;
    grounds = script->grounds.items;
    grounds[script->grounds.count++] = (lf__script_ground){grid, lf_grid_ground(grid)};
    return LF_OK;
}

/// world.ground{columns =, rows =, step =, origin = {x, y}, height = function(x, y) ... end}
static int world_ground(lua_State *L) {
    lf_script *script = lf__script_of(L);
    lf_grid_def def = lf_grid_def_default();
    lf_error error = {LF_OK, -1, ""};
    double step = 1;
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    def.host = script->host;
    def.samples.type = LF_SAMPLE_DOUBLE;
    def.samples.columns = read_side(L, "columns");
    def.samples.rows = read_side(L, "rows");
    lf__script_field_number(L, 1, "step", &step);
    def.geotransform.per_column = (lf_vec2){step, 0};
    def.geotransform.per_row = (lf_vec2){0, step};
    if (lua_getfield(L, 1, "origin") != LUA_TNIL) {
        luaL_checktype(L, -1, LUA_TTABLE);
        lua_geti(L, -1, 1);
        lua_geti(L, -2, 2);
        def.geotransform.origin = (lf_vec2){luaL_checknumber(L, -2), luaL_checknumber(L, -1)};
    }
    lua_settop(L, 1);
    if (lua_getfield(L, 1, "height") != LUA_TFUNCTION)
        return luaL_error(L, "height: expected a function of x and y");
    def.samples.values = ask_heights(L, &def);
    lf__script_charge(L, def.samples.columns * def.samples.rows);
    lf__script_check(L, keep_ground(script, &def, &error), &error);
    lf__handle_push(L, LF__HANDLE_GROUND, (uint32_t)script->grounds.count - 1, 1);
    return 1;
}

static int push_nil(lua_State *L) {
    lua_pushnil(L);
    return 1;
}

/// world.land(): the caller's ground, or nil.
static int world_land(lua_State *L) {
    const lf__array *grounds = &lf__script_of(L)->grounds;
    const lf__script_ground *first = grounds->items;
    if (grounds->count == 0 || first->grid)
        return push_nil(L);
    lf__handle_push(L, LF__HANDLE_GROUND, 0, 1);
    return 1;
}

/// ground:box(): least and largest x, y and z.
static int ground_box(lua_State *L) {
    lf_box box = lf_ground_box(lf__script_ground_at(L, 1));
    const double bounds[6] = {box.low.x, box.low.y, box.low.z, box.high.x, box.high.y, box.high.z};
    for (int i = 0; i < 6; i++)
        lua_pushnumber(L, bounds[i]);
    return 6;
}

/// ground:height(x, y): the height, or nil where there is no ground.
static int ground_height(lua_State *L) {
    const lf_ground *ground = lf__script_ground_at(L, 1);
    lf_vec3 point = {luaL_checknumber(L, 2), luaL_checknumber(L, 3), LF_INFINITY};
    return lf__script_push_height(L, ground, point);
}

/// world.ground_time(thing, ground, ahead[, level]): seconds until it meets the ground, or nil.
static int world_ground_time(lua_State *L) {
    lf__handle *instance = lf__handle_test(L, 1, LF__HANDLE_INSTANCE),
               *part = lf__handle_test(L, 1, LF__HANDLE_PART);
    lf_thing thing = {{0, 0}, {0, 0}};
    double seconds;
    if (instance)
        thing.instance = (lf_instance){instance->index, instance->generation};
    else if (part)
        thing.part = (lf_part){part->index, part->generation};
    else
        return luaL_typeerror(L, 1, "instance or part");
    lf_watch_precision level = lf__script_level(L, luaL_optstring(L, 4, "boxes"));
    lf__script_check(L,
                     lf_scene_ground_time(lf__script_of(L)->scene, thing, lf__script_ground_at(L, 2), level,
                                          luaL_checknumber(L, 3), &seconds),
                     NULL);
    if (isinf(seconds))
        return push_nil(L);
    lua_pushnumber(L, seconds);
    return 1;
}

// ---------------------------------------------------------------------------------------------------
// The eye
// ---------------------------------------------------------------------------------------------------

/// world.eye{at =, to =, up =, across =, upright =, nearest =, farthest =, smallest =}
static int world_eye(lua_State *L) {
    lf_script *script = lf__script_of(L);
    lf_view eye = script->view_set ? script->view : lf_view_default();
    lf_polyhedron volume;
    lf_error error = {LF_OK, -1, ""};
    lf_vec3 to;
    luaL_checktype(L, 1, LUA_TTABLE);
    lf__script_field_vec(L, 1, "at", &eye.at);
    if (lf__script_field_vec(L, 1, "to", &to))
        eye.forward = lf_vec3_sub(to, eye.at);
    lf__script_field_vec(L, 1, "up", &eye.up);
    lf__script_field_number(L, 1, "across", &eye.across);
    lf__script_field_number(L, 1, "upright", &eye.upright);
    lf__script_field_number(L, 1, "nearest", &eye.nearest);
    lf__script_field_number(L, 1, "farthest", &eye.farthest);
    lf__script_field_number(L, 1, "smallest", &eye.smallest);
    lf__script_check(L, lf_view_volume(&eye, &volume, &error), &error);
    script->view = eye;
    script->view_set = true;
    return 0;
}

// ---------------------------------------------------------------------------------------------------
// Reactions
// ---------------------------------------------------------------------------------------------------

/// world.on(name, function): register a function for a message; there may be several.
static int world_on(lua_State *L) {
    luaL_checkstring(L, 1);
    luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    lua_getfield(L, LUA_REGISTRYINDEX, "landfall.waiting");
    lua_pushvalue(L, 1);
    if (lua_rawget(L, 3) == LUA_TNIL) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_pushvalue(L, 1);
        lua_pushvalue(L, -2);
        lua_rawset(L, 3);
    }
    lua_pushvalue(L, 2);
    lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
    return 0;
}

/// world.send(name, ...): delivered when the script has returned.
static int world_send(lua_State *L) {
    luaL_checkstring(L, 1);
    int count = lua_gettop(L);
    lua_createtable(L, count, 1);
    lua_insert(L, 1);
    lua_pushinteger(L, count);
    lua_setfield(L, 1, "n");
    for (int i = count; i >= 1; i--)
        lua_rawseti(L, 1, i);
    lua_getfield(L, LUA_REGISTRYINDEX, "landfall.sent");
    lua_insert(L, 1);
    lua_rawseti(L, 1, (lua_Integer)lua_rawlen(L, 1) + 1);
    return 0;
}

/// Deliver one message to the functions that are registered for it: the message is the argument.
static int deliver_one(lua_State *L) {
    lua_getfield(L, 1, "n");
    int count = (int)lua_tointeger(L, -1);
    lua_getfield(L, LUA_REGISTRYINDEX, "landfall.waiting");
    lua_rawgeti(L, 1, 1);
    if (lua_rawget(L, -2) == LUA_TNIL)
        return 0;
    int list = lua_gettop(L);
    int64_t functions = (int64_t)lua_rawlen(L, list);
    luaL_checkstack(L, count + 4, "messages");
    for (int64_t f = 1; f <= functions; f++) {
        lua_rawgeti(L, list, f);
        for (int i = 2; i <= count; i++)
            lua_rawgeti(L, 1, i);
        lf__script_of(L)->reactions++;
        lua_call(L, count - 1, 0);
    }
    return 0;
}

/// Deliver all messages, including those sent meanwhile; the budget of instructions bounds it.
static int deliver_all(lua_State *L) {
    for (int64_t next = 1;; next++) {
        lua_settop(L, 0);
        lua_getfield(L, LUA_REGISTRYINDEX, "landfall.sent");
        lua_pushcfunction(L, deliver_one);
        if (lua_rawgeti(L, 1, next) == LUA_TNIL)
            break;
        lua_call(L, 1, 0);
    }
    lua_newtable(L);
    lua_setfield(L, LUA_REGISTRYINDEX, "landfall.sent");
    return 0;
}

lf_status lf__script_deliver(lf_script *script, lf_error *error) {
    lua_pushcfunction(script->lua, deliver_all);
    return lf__sandbox_call(script, 0, error);
}

// ---------------------------------------------------------------------------------------------------
// Output and lists
// ---------------------------------------------------------------------------------------------------

/// world.say(...), print(...): a line of text.
static int world_say(lua_State *L) {
    lf_script *script = lf__script_of(L);
    luaL_Buffer line;
    int count = lua_gettop(L);
    luaL_buffinit(L, &line);
    for (int i = 1; i <= count; i++) {
        if (i > 1)
            luaL_addchar(&line, ' ');
        luaL_tolstring(L, i, NULL);
        luaL_addvalue(&line);
    }
    luaL_pushresult(&line);
    lf__script_charge_output(L, lua_rawlen(L, -1) + 1);
    if (script->say) {
        script->say(script->user, lua_tostring(L, -1));
        script->world_stale = true; // the caller may have changed the scene
    }
    return 0;
}

static int world_stop(lua_State *L) {
    lf__script_of(L)->stopped = true;
    return 0;
}

static int world_time(lua_State *L) {
    lua_pushnumber(L, lf_scene_describe(lf__script_of(L)->scene).time);
    return 1;
}

static int push_instances(lua_State *L, const lf_instance *instances, int64_t count) {
    lf__script_charge(L, HANDLE_COST * count);
    lua_newtable(L);
    for (int64_t i = 0; i < count; i++) {
        lf__handle_push(L, LF__HANDLE_INSTANCE, instances[i].index, instances[i].generation);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

/// All instances, in the order of their numbers.
static int world_instances(lua_State *L) {
    lf_scene *scene = lf__script_of(L)->scene;
    int64_t count;
    lf__script_charge(L, lf_scene_describe(scene).instance_count);
    lf__script_check(L, lf_scene_instances(scene, NULL, 0, &count), NULL);
    lf_instance *instances = lf__script_buffer(L, count, sizeof *instances);
    lf__script_check(L, lf_scene_instances(scene, instances, count, &count), NULL);
    return push_instances(L, instances, count);
}

/// world.within(x, y, z, X, Y, Z): all instances whose boxes share a point with a box.
static int world_within(lua_State *L) {
    lf_scene *scene = lf__script_of(L)->scene;
    lf_box box = {lf__script_three(L, 1), lf__script_three(L, 4)};
    int64_t count;
    lf__script_check(L, lf_scene_instances_in(scene, box, NULL, 0, &count, lf__script_of(L)->cursor), NULL);
    lf__script_charge_cursor(L);
    lf_instance *instances = lf__script_buffer(L, count, sizeof *instances);
    lf__script_check(L, lf_scene_instances_in(scene, box, instances, count, &count, lf__script_of(L)->cursor),
                     NULL);
    lf__script_charge_cursor(L);
    return push_instances(L, instances, count);
}

/// All parts of instances with a tag.
static int world_tagged(lua_State *L) {
    lf_scene *scene = lf__script_of(L)->scene;
    const char *tag = luaL_checkstring(L, 1);
    int64_t count;
    lf__script_charge(L, lf_scene_describe(scene).part_count);
    lf__script_check(L, lf_scene_tagged(scene, tag, NULL, 0, &count), NULL);
    lf_part *parts = lf__script_buffer(L, count, sizeof *parts);
    lf__script_check(L, lf_scene_tagged(scene, tag, parts, count, &count), NULL);
    lf__script_charge(L, HANDLE_COST * count);
    lua_newtable(L);
    for (int64_t i = 0; i < count; i++) {
        lf__handle_push(L, LF__HANDLE_PART, parts[i].index, parts[i].generation);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

void lf__script_open_world(lua_State *L) {
    static const luaL_Reg functions[] = {{"ground", world_ground},
                                         {"land", world_land},
                                         {"ground_time", world_ground_time},
                                         {"eye", world_eye},
                                         {"on", world_on},
                                         {"send", world_send},
                                         {"say", world_say},
                                         {"stop", world_stop},
                                         {"time", world_time},
                                         {"instances", world_instances},
                                         {"tagged", world_tagged},
                                         {"within", world_within},
                                         {NULL, NULL}};
    static const luaL_Reg ground_methods[] = {{"height", ground_height}, {"box", ground_box}, {NULL, NULL}};
    lf__handle_methods(L, LF__HANDLE_GROUND, ground_methods);
    lua_newtable(L);
    lua_setfield(L, LUA_REGISTRYINDEX, "landfall.waiting");
    lua_newtable(L);
    lua_setfield(L, LUA_REGISTRYINDEX, "landfall.sent");
    lua_getglobal(L, "world");
    luaL_setfuncs(L, functions, 0);
    lua_pop(L, 1);
    lua_pushcfunction(L, world_say);
    lua_setglobal(L, "print");
}
