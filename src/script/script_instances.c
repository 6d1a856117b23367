/// Handles, and the instances that they refer to, for scripts.
#include "script/script.h"
#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// Handles
// ---------------------------------------------------------------------------------------------------

static const char *const names[LF__HANDLE_KINDS] = {"object", "instance", "part", "watch", "ground"};

static const char *type_name(lf__handle_kind kind) {
    static const char *const types[LF__HANDLE_KINDS] = {"landfall.object", "landfall.instance",
                                                        "landfall.part", "landfall.watch", "landfall.ground"};
    return types[kind];
}

/// The newest handle of each index: a list, because tables of very many keys are refused.
static const char *cache_name(lf__handle_kind kind) {
    static const char *const caches[LF__HANDLE_KINDS] = {
        "landfall.objects", "landfall.instances", "landfall.parts", "landfall.watches", "landfall.grounds"};
    return caches[kind];
}

/// Handles of older generations, by index and generation.
static const char *older_name(lf__handle_kind kind) {
    static const char *const caches[LF__HANDLE_KINDS] = {"landfall.old.objects", "landfall.old.instances",
                                                         "landfall.old.parts", "landfall.old.watches",
                                                         "landfall.old.grounds"};
    return caches[kind];
}

static int handle_text(lua_State *L) {
    for (int kind = 0; kind < LF__HANDLE_KINDS; kind++) {
        lf__handle *h = luaL_testudata(L, 1, type_name((lf__handle_kind)kind));
        if (h) {
            lua_pushfstring(L, "%s %d", names[kind], (int)h->index);
            return 1;
        }
    }
    return luaL_error(L, "no handle");
}

/// A table of handles, as long as Lua holds them.
static void push_cache(lua_State *L) {
    lua_newtable(L);
    lua_newtable(L);
    lua_pushliteral(L, "v");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
}

void lf__handles_open(lua_State *L) {
    for (int kind = 0; kind < LF__HANDLE_KINDS; kind++) {
        luaL_newmetatable(L, type_name((lf__handle_kind)kind));
        lua_newtable(L);
        lua_setfield(L, -2, "__index");
        lua_pushcfunction(L, handle_text);
        lua_setfield(L, -2, "__tostring");
        lua_pushboolean(L, 0);
        lua_setfield(L, -2, "__metatable");
        lua_pop(L, 1);
        push_cache(L);
        lua_setfield(L, LUA_REGISTRYINDEX, cache_name((lf__handle_kind)kind));
        push_cache(L);
        lua_setfield(L, LUA_REGISTRYINDEX, older_name((lf__handle_kind)kind));
    }
}

void lf__handle_methods(lua_State *L, lf__handle_kind kind, const luaL_Reg *methods) {
    luaL_getmetatable(L, type_name(kind));
    lua_getfield(L, -1, "__index");
    luaL_setfuncs(L, methods, 0);
    lua_pop(L, 2);
}

// ---------------------------------------------------------------------------------------------------
// Calls that change the world
// ---------------------------------------------------------------------------------------------------

void lf__script_may_change(lua_State *L, const char *call) {
    if (lf__script_of(L)->asking)
        luaL_error(L,
                   "%s: not allowed from a watch's own function, which may only read; "
                   "use world.send and change the world in the reaction",
                   call);
    lf__script_of(L)->world_stale = true;
}

/// Upvalues: the function, and its name in messages.
static int call_change(lua_State *L) {
    lf__script_may_change(L, lua_tostring(L, lua_upvalueindex(2)));
    return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

/// Set functions in a table, with a check before each call.
static void set_changes(lua_State *L, int table, const char *owner, const luaL_Reg *functions) {
    for (; functions->name; functions++) {
        lua_pushcfunction(L, functions->func);
        lua_pushfstring(L, "%s%s", owner, functions->name);
        lua_pushcclosure(L, call_change, 2);
        lua_setfield(L, table, functions->name);
    }
}

void lf__handle_changes(lua_State *L, lf__handle_kind kind, const luaL_Reg *methods) {
    luaL_getmetatable(L, type_name(kind));
    lua_getfield(L, -1, "__index");
    int table = lua_gettop(L);
    set_changes(L, table, lua_pushfstring(L, "%s:", names[kind]), methods);
    lua_pop(L, 3);
}

void lf__world_changes(lua_State *L, const luaL_Reg *functions) {
    lua_getglobal(L, "world");
    set_changes(L, lua_gettop(L), "world.", functions);
    lua_pop(L, 1);
}

static lua_Integer exact_key(lf__handle handle) {
    return (lua_Integer)((uint64_t)handle.index << 32 | handle.generation);
}

/// Push a new handle, and keep it in the cache at a place of the stack.
static void make_handle(lua_State *L, int cache, lua_Integer key, lf__handle_kind kind, lf__handle handle) {
    lf__handle *h = lua_newuserdatauv(L, sizeof *h, 2);
    *h = handle;
    luaL_setmetatable(L, type_name(kind));
    lua_pushvalue(L, -1);
    lua_rawseti(L, cache, key);
}

void lf__handle_push(lua_State *L, lf__handle_kind kind, uint32_t index, uint32_t generation) {
    if (generation == 0) {
        lua_pushnil(L);
        return;
    }
    lf__handle handle = {index, generation};
    lua_Integer key = (lua_Integer)index + 1;
    luaL_checkstack(L, 8, "handles");
    lua_getfield(L, LUA_REGISTRYINDEX, cache_name(kind));
    lua_getfield(L, LUA_REGISTRYINDEX, older_name(kind));
    int older = lua_gettop(L), newest = older - 1;
    lua_rawgeti(L, newest, key);
    const lf__handle *held = lua_touserdata(L, -1);
    if (!held || held->generation != generation) {
        if (lua_rawgeti(L, older, exact_key(handle)) != LUA_TNIL) {
            // it is older, and the script still holds it
        } else if (held && held->generation > generation) {
            make_handle(L, older, exact_key(handle), kind, handle);
        } else {
            lua_pop(L, 1);
            if (held)
                lua_rawseti(L, older, exact_key(*held));
            make_handle(L, newest, key, kind, handle);
        }
    }
    lua_replace(L, newest);
    lua_settop(L, newest);
}

lf__handle *lf__handle_test(lua_State *L, int at, lf__handle_kind kind) {
    return luaL_testudata(L, at, type_name(kind));
}

lf__handle *lf__handle_check(lua_State *L, int at, lf__handle_kind kind) {
    lf__handle *h = luaL_testudata(L, at, type_name(kind));
    if (!h)
        luaL_typeerror(L, at, names[kind]);
    return h;
}

// ---------------------------------------------------------------------------------------------------
// Instances
// ---------------------------------------------------------------------------------------------------

static lf_scene *scene_of(lua_State *L) {
    return lf__script_of(L)->scene;
}

static lf_motion motion_of(lua_State *L, const char *word) {
    static const char *const words[] = {"measured", "given", "carried"};
    for (int k = 0; k < 3; k++)
        if (strcmp(word, words[k]) == 0)
            return (lf_motion)(LF_MOTION_MEASURED + k);
    luaL_error(L, "a motion is \"measured\", \"given\" or \"carried\", not \"%s\"", word);
    return LF_MOTION_MEASURED;
}

/// turn = {x, y, z, angle}: about the instance's own origin.
static void read_turn(lua_State *L, int table, lf_pose *pose) {
    if (lua_getfield(L, table, "turn") != LUA_TNIL) {
        lf_vec3 axis = lf__script_vec(L, -1, "turn");
        lua_geti(L, -1, 4);
        double angle = luaL_checknumber(L, -1);
        lua_pop(L, 1);
        if (lf_pose_turn((lf_vec3){0, 0, 0}, axis, angle, pose) != LF_OK)
            luaL_error(L, "turn: expected {x, y, z, angle}, finite, with an axis");
    }
    lua_pop(L, 1);
}

/// parameters = {name = number}: in the order of the object's parameters. Unknown names are an error.
static int read_parameters(lua_State *L, int table, double *values) {
    lua_getiuservalue(L, 1, 1);
    int names = lua_gettop(L), count = (int)lua_rawlen(L, names), used = 0, given = 0;
    if (lua_getfield(L, table, "parameters") != LUA_TNIL) {
        lf__script_charge_table(L, lua_gettop(L));
        for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
            given++;
        for (int i = 0; i < count; i++) {
            lua_rawgeti(L, names, i + 1);
            lua_gettable(L, -2);
            used += !lua_isnil(L, -1);
            values[i] = lua_isnil(L, -1) ? LF_NAN : luaL_checknumber(L, -1);
            lua_pop(L, 1);
        }
        if (used != given)
            luaL_error(L, "parameters has a name that the object has not");
    } else {
        count = 0;
    }
    lua_settop(L, names - 1);
    return count;
}

/// object:instance{at =, turn =, scale =, colour =, velocity =, spin =, motion =, steps =, parameters =}
static int object_instance(lua_State *L) {
    lf__handle *object = lf__handle_check(L, 1, LF__HANDLE_OBJECT);
    lf_instance_def def = lf_instance_def_default();
    double parameters[LF_OBJECT_PARAMETERS + 1], steps = 1;
    lf_error error = {LF_OK, -1, ""};
    lf_instance instance;
    if (lua_isnoneornil(L, 2)) {
        lua_settop(L, 1);
        lua_newtable(L);
    }
    luaL_checktype(L, 2, LUA_TTABLE);
    def.object = (lf_object){object->index, object->generation};
    read_turn(L, 2, &def.pose);
    lf__script_field_vec(L, 2, "at", &def.pose.translation);
    lf__script_field_vec(L, 2, "scale", &def.scale);
    lf__script_field_paint(L, 2, "colour", &def.colour);
    bool moves = lf__script_field_vec(L, 2, "velocity", &def.velocity);
    moves = lf__script_field_vec(L, 2, "spin", &def.spin) || moves;
    const char *word = lf__script_field_text(L, 2, "motion");
    def.motion = word ? motion_of(L, word) : moves ? LF_MOTION_CARRIED : LF_MOTION_MEASURED;
    if (lf__script_field_number(L, 2, "steps", &steps))
        def.velocity_steps = steps >= 1 && steps <= LF_VELOCITY_STEPS ? (int)steps : 0;
    def.parameter_count = read_parameters(L, 2, parameters);
    def.parameters = parameters;
    lf__script_check(L, lf_instance_create(scene_of(L), &def, &instance, &error), &error);
    lf__handle_push(L, LF__HANDLE_INSTANCE, instance.index, instance.generation);
    return 1;
}

static lf_instance_info describe(lua_State *L) {
    lf_instance_info info;
    lf__script_check(L, lf_instance_describe(scene_of(L), lf__instance_at(L, 1), &info), NULL);
    return info;
}

static int push_vec(lua_State *L, lf_vec3 v) {
    lua_pushnumber(L, v.x);
    lua_pushnumber(L, v.y);
    lua_pushnumber(L, v.z);
    return 3;
}

static int instance_move(lua_State *L) {
    lf__script_check(L, lf_instance_move(scene_of(L), lf__instance_at(L, 1), lf__script_three(L, 2)), NULL);
    return 0;
}

static int instance_turn(lua_State *L) {
    lf__script_check(
        L,
        lf_instance_turn(scene_of(L), lf__instance_at(L, 1), lf__script_three(L, 2), luaL_checknumber(L, 5)),
        NULL);
    return 0;
}

static int instance_scale(lua_State *L) {
    lf__script_check(L, lf_instance_scale(scene_of(L), lf__instance_at(L, 1), lf__script_three(L, 2)), NULL);
    return 0;
}

/// Where it should be: x, y, z and, if given, a heading about z in place of how it is turned.
static lf_pose wanted_pose(lua_State *L) {
    lf_pose pose = describe(L).pose;
    if (!lua_isnoneornil(L, 5) &&
        lf_pose_turn((lf_vec3){0, 0, 0}, (lf_vec3){0, 0, 1}, luaL_checknumber(L, 5), &pose) != LF_OK)
        luaL_error(L, "a heading that is no number");
    pose.translation = lf__script_three(L, 2);
    return pose;
}

static int instance_place(lua_State *L) {
    lf_pose pose = wanted_pose(L);
    lf__script_check(L, lf_instance_set_pose(scene_of(L), lf__instance_at(L, 1), &pose, false), NULL);
    return 0;
}

static int instance_jump(lua_State *L) {
    lf_pose pose = wanted_pose(L);
    lf__script_check(L, lf_instance_set_pose(scene_of(L), lf__instance_at(L, 1), &pose, true), NULL);
    return 0;
}

static int instance_position(lua_State *L) {
    return push_vec(L, describe(L).pose.translation);
}

/// Where its x axis points.
static int instance_heading(lua_State *L) {
    lf_pose pose = describe(L).pose;
    return push_vec(L, (lf_vec3){pose.rows[0].x, pose.rows[1].x, pose.rows[2].x});
}

static int instance_velocity(lua_State *L) {
    return push_vec(L, describe(L).velocity);
}

/// instance:motion("carried", {vx, vy, vz}[, {sx, sy, sz}])
static int instance_motion(lua_State *L) {
    lf_instance instance = lf__instance_at(L, 1);
    lf_motion motion = motion_of(L, luaL_checkstring(L, 2));
    lf_vec3 velocity = {0, 0, 0}, spin = {0, 0, 0};
    if (!lua_isnoneornil(L, 3))
        velocity = lf__script_vec(L, 3, "velocity");
    if (!lua_isnoneornil(L, 4))
        spin = lf__script_vec(L, 4, "spin");
    lf__script_check(L, lf_instance_set_motion(scene_of(L), instance, motion, velocity, spin, 0), NULL);
    return 0;
}

static int instance_colour(lua_State *L) {
    lf_part top = describe(L).top;
    lf_vec3 rgb = lf__script_three(L, 2);
    lf_paint paint = {(float)rgb.x, (float)rgb.y, (float)rgb.z, (float)luaL_optnumber(L, 5, 1)};
    lf__script_check(L, lf_part_set_colour(scene_of(L), top, paint), NULL);
    return 0;
}

static int instance_box(lua_State *L) {
    lf_box box;
    lf__script_check(L, lf_part_box(scene_of(L), describe(L).top, &box), NULL);
    if (lf_box_is_empty(box))
        return 0;
    return push_vec(L, box.low) + push_vec(L, box.high);
}

static int instance_top(lua_State *L) {
    lf_part top = describe(L).top;
    lf__handle_push(L, LF__HANDLE_PART, top.index, top.generation);
    return 1;
}

static int instance_part(lua_State *L) {
    lf_part found = lf__script_find(L, describe(L).top, luaL_checkstring(L, 2));
    lf__handle_push(L, LF__HANDLE_PART, found.index, found.generation);
    return 1;
}

static int instance_name(lua_State *L) {
    lua_pushstring(L, describe(L).name);
    return 1;
}

static int instance_parameter(lua_State *L) {
    double value;
    lf__script_check(
        L, lf_instance_parameter(scene_of(L), lf__instance_at(L, 1), luaL_checkstring(L, 2), &value), NULL);
    lua_pushnumber(L, value);
    return 1;
}

static int instance_remove(lua_State *L) {
    lf__script_check(L, lf_instance_remove(scene_of(L), lf__instance_at(L, 1)), NULL);
    return 0;
}

/// instance:follow(ground, {base =, track =, lift =}), instance:follow(nil)
static int instance_follow(lua_State *L) {
    lf_instance instance = lf__instance_at(L, 1);
    double base = 2, track = 1, lift = 0;
    if (lua_isnil(L, 2)) {
        lf__script_check(L, lf_instance_follow(scene_of(L), instance, NULL, NULL, 0), NULL);
        return 0;
    }
    const lf_ground *ground = lf__script_ground_at(L, 2);
    if (!lua_isnoneornil(L, 3)) {
        luaL_checktype(L, 3, LUA_TTABLE);
        lf__script_field_number(L, 3, "base", &base);
        lf__script_field_number(L, 3, "track", &track);
        lf__script_field_number(L, 3, "lift", &lift);
    }
    lf_footprint footprint = lf_footprint_wheels(base, track);
    footprint.reach = 1000; // wheels that a step has sunk into a slope come up again
    lf__script_check(L, lf_instance_follow(scene_of(L), instance, ground, &footprint, lift), NULL);
    return 0;
}

void lf__script_open_instances(lua_State *L) {
    static const luaL_Reg methods[] = {{"position", instance_position},
                                       {"heading", instance_heading},
                                       {"velocity", instance_velocity},
                                       {"box", instance_box},
                                       {"top", instance_top},
                                       {"part", instance_part},
                                       {"name", instance_name},
                                       {"parameter", instance_parameter},
                                       {NULL, NULL}};
    static const luaL_Reg changes[] = {{"move", instance_move},     {"turn", instance_turn},
                                       {"scale", instance_scale},   {"place", instance_place},
                                       {"jump", instance_jump},     {"motion", instance_motion},
                                       {"colour", instance_colour}, {"remove", instance_remove},
                                       {"follow", instance_follow}, {NULL, NULL}};
    static const luaL_Reg object_changes[] = {{"instance", object_instance}, {NULL, NULL}};
    lf__handle_methods(L, LF__HANDLE_INSTANCE, methods);
    lf__handle_changes(L, LF__HANDLE_INSTANCE, changes);
    lf__handle_changes(L, LF__HANDLE_OBJECT, object_changes);
}
