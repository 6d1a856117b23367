/// Handles: what Lua holds of things in a scene.
#include "script/script.h"

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
                   "%s: not allowed from a watch's own function, which may only ask; "
                   "use world.send and change the world in the reaction",
                   call);
}

/// Upvalues: the function, and what messages call it.
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
            // it is older, and somebody still has it
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
