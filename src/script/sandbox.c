/// What a script runs in: memory and instructions that are counted, a few harmless functions, a locale of its own.
#include "script/script.h"
#include <lualib.h>
#include <math.h>
#include <string.h>

#define HOOK_STEP 1000 ///< instructions between two counts
#define ALIGNMENT 16

// ---------------------------------------------------------------------------------------------------
// Memory
// ---------------------------------------------------------------------------------------------------

/// The host's allocator with a limit: for the scene and for Lua alike.
static void *counted_resize(void *user, void *old, size_t old_size, size_t new_size, size_t alignment) {
    lf_script *script = user;
    size_t rest = script->memory - (old ? old_size : 0);
    if (new_size > 0 && (new_size > script->memory_limit || rest > script->memory_limit - new_size)) {
        script->memory_spent = true;
        return NULL;
    }
    void *block = script->base.resize(script->base.user, old, old ? old_size : 0, new_size, alignment);
    if (block || new_size == 0)
        script->memory = rest + new_size;
    if (script->memory > script->peak)
        script->peak = script->memory;
    return block;
}

static void *lua_memory(void *user, void *old, size_t old_size, size_t new_size) {
    if (new_size == 0 && !old)
        return NULL;
    return counted_resize(user, old, old_size, new_size, ALIGNMENT);
}

// ---------------------------------------------------------------------------------------------------
// Instructions
// ---------------------------------------------------------------------------------------------------

/// So many instructions more; a script that has spent its budget is left here.
static void charge(lua_State *L, int64_t instructions, int level) {
    lf_script *script = lf__script_of(L);
    script->instructions += instructions;
    if (script->instructions - script->instructions_before <= script->instruction_limit)
        return;
    luaL_where(L, level);
    lua_pushfstring(L, "the budget of %I instructions is spent", (LUAI_UACINT)script->instruction_limit);
    lua_concat(L, 2);
    lua_error(L);
}

static void count_instructions(lua_State *L, lua_Debug *record) {
    (void)record;
    charge(L, HOOK_STEP, 0);
}

// ---------------------------------------------------------------------------------------------------
// Functions
// ---------------------------------------------------------------------------------------------------

/// setmetatable, but without finalizers: those run where nobody counts instructions.
static int safe_setmetatable(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_argexpected(L, lua_isnil(L, 2) || lua_istable(L, 2), 2, "nil or table");
    if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL)
        return luaL_error(L, "cannot change a protected metatable");
    if (lua_istable(L, 2)) {
        lua_pushliteral(L, "__gc");
        lua_rawget(L, 2);
        if (!lua_isnil(L, -1))
            return luaL_error(L, "metatables with __gc are not for scripts");
        lua_pop(L, 1);
    }
    lua_settop(L, 2);
    lua_setmetatable(L, 1);
    return 1;
}

/// A function of Lua's that works through a table without counting: what it does is charged beforehand. Tables with metatables,
/// whose length could be anything, are refused.
static int charged_table(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    if (lua_getmetatable(L, 1))
        return luaL_error(L, "a table without a metatable is wanted");
    bool whole = lua_toboolean(L, lua_upvalueindex(2));
    int64_t cost =
        whole || lua_isinteger(L, 2) ? (int64_t)lua_rawlen(L, 1) : 0; // at the end nothing is shifted
    if (whole && lua_isinteger(L, 3) && lua_tointeger(L, 3) > cost)
        cost = lua_tointeger(L, 3) < INT32_MAX ? lua_tointeger(L, 3) : INT32_MAX;
    charge(L, 8 * cost, 1);
    int count = lua_gettop(L);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, count, LUA_MULTRET);
    return lua_gettop(L);
}

/// string.rep with a result that can be held, charged for.
static int charged_rep(lua_State *L) {
    size_t length, between = 0;
    luaL_checklstring(L, 1, &length);
    lua_Integer count = luaL_checkinteger(L, 2);
    luaL_optlstring(L, 3, "", &between);
    if (count > 1 &&
        (length + between + 1 > (size_t)INT32_MAX || count > INT32_MAX / (lua_Integer)(length + between + 1)))
        return luaL_error(L, "resulting string too large");
    charge(L, count > 0 ? count * (lua_Integer)(length + between + 1) / 8 : 0, 1);
    lua_settop(L, 3);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    if (lua_isnil(L, 4))
        lua_settop(L, 3);
    lua_call(L, lua_gettop(L) - 1, 1);
    return 1;
}

/// Put a function that charges in the place of one of a global table's.
static void replace_charged(lua_State *L, const char *table, const char *name, lua_CFunction by, bool whole) {
    lua_getglobal(L, table);
    lua_getfield(L, -1, name);
    lua_pushboolean(L, whole);
    lua_pushcclosure(L, by, 2);
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
}

/// Copy some fields of a library's table, which is on top, to a new one with a name of its own, and drop the library.
static void keep_fields(lua_State *L, const char *name, const char *const *fields) {
    lua_newtable(L);
    for (; *fields; fields++) {
        lua_getfield(L, -2, *fields);
        lua_setfield(L, -2, *fields);
    }
    lua_setglobal(L, name);
    lua_pop(L, 1);
}

static void keep_globals(lua_State *L) {
    static const char *const kept[] = {"assert", "error",        "ipairs",   "next",   "pairs",    "rawequal",
                                       "rawget", "rawlen",       "rawset",   "select", "tonumber", "tostring",
                                       "type",   "getmetatable", "_VERSION", NULL};
    luaL_requiref(L, LUA_GNAME, luaopen_base, 0);
    lua_newtable(L);
    for (const char *const *name = kept; *name; name++) {
        lua_getfield(L, -2, *name);
        lua_setfield(L, -2, *name);
    }
    lua_pushcfunction(L, safe_setmetatable);
    lua_setfield(L, -2, "setmetatable");
    lua_pushvalue(L, -1);
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    lua_pop(L, 2);
}

/// Patterns are left out: some take longer than anybody waits, and no instruction is counted meanwhile.
static void keep_strings(lua_State *L) {
    static const char *const kept[] = {"byte", "char",    "format", "len",   "lower",
                                       "rep",  "reverse", "sub",    "upper", NULL};
    luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 0);
    keep_fields(L, LUA_STRLIBNAME, kept);
    lua_pushliteral(L, "");
    lua_getmetatable(L, -1);
    lua_getglobal(L, LUA_STRLIBNAME);
    lua_setfield(L, -2, "__index");
    lua_pop(L, 2);
}

static int open_all(lua_State *L) {
    static const char *const maths[] = {
        "abs",  "acos",   "asin", "atan", "ceil",       "cos",       "deg",        "exp",  "floor",
        "fmod", "huge",   "log",  "max",  "maxinteger", "min",       "mininteger", "modf", "pi",
        "rad",  "random", "sin",  "sqrt", "tan",        "tointeger", "type",       "ult",  NULL};
    static const char *const tables[] = {"concat", "insert", "pack", "remove", "sort", "unpack", NULL};
    keep_globals(L);
    keep_strings(L);
    luaL_requiref(L, LUA_MATHLIBNAME, luaopen_math, 0);
    lua_getfield(L, -1, "randomseed"); // the same world each time
    lua_pushinteger(L, 1);
    lua_call(L, 1, 0);
    keep_fields(L, LUA_MATHLIBNAME, maths);
    luaL_requiref(L, LUA_TABLIBNAME, luaopen_table, 0);
    keep_fields(L, LUA_TABLIBNAME, tables);
    replace_charged(L, LUA_TABLIBNAME, "concat", charged_table, true);
    replace_charged(L, LUA_TABLIBNAME, "insert", charged_table, false);
    replace_charged(L, LUA_TABLIBNAME, "remove", charged_table, false);
    replace_charged(L, LUA_TABLIBNAME, "sort", charged_table, true);
    replace_charged(L, LUA_TABLIBNAME, "unpack", charged_table, true);
    replace_charged(L, LUA_STRLIBNAME, "rep", charged_rep, false);
    lua_pushnil(L);
    lua_setfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_pushboolean(L, 0); // a place for a failure, taken now: then there may be no memory for one
    lf__script_of(L)->failure = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_newtable(L);
    lua_setglobal(L, "world");
    lf__handles_open(L);
    lf__script_open_parts(L);
    lf__script_open_instances(L);
    lf__script_open_watches(L);
    lf__script_open_world(L);
    return 0;
}

lf_status lf__sandbox_open(lf_script *script) {
    script->counted = (lf_allocator){script, counted_resize};
    script->host = (lf_host){&script->counted, NULL, NULL, NULL};
    script->locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (!script->locale)
        return LF_NO_MEMORY;
    script->lua = lua_newstate(lua_memory, script);
    if (!script->lua)
        return LF_NO_MEMORY;
    *(lf_script **)lua_getextraspace(script->lua) = script;
    lua_pushcfunction(script->lua, open_all);
    if (lua_pcall(script->lua, 0, 0, 0) != LUA_OK)
        return LF_NO_MEMORY;
    lua_sethook(script->lua, count_instructions, LUA_MASKCOUNT, HOOK_STEP);
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Calls
// ---------------------------------------------------------------------------------------------------

/// The number behind "name:" in a message, or -1.
static int64_t line_of(const lf_script *script, const char *message) {
    size_t length = strlen(script->name);
    int64_t line = 0;
    if (strncmp(message, script->name, length) != 0 || message[length] != ':')
        return -1;
    for (const char *p = message + length + 1; *p >= '0' && *p <= '9' && line < INT32_MAX; p++)
        line = 10 * line + (*p - '0');
    return line > 0 ? line : -1;
}

/// Turn what lies on the stack into an error.
static lf_status report(lf_script *script, int code, lf_error *error) {
    // Nothing protects this call: a number is not turned into text, for which there may be no memory.
    const char *message = lua_type(script->lua, -1) == LUA_TSTRING ? lua_tostring(script->lua, -1) : NULL;
    bool spent = script->instructions - script->instructions_before > script->instruction_limit;
    if (code == LUA_ERRMEM)
        return script->memory_spent
                   ? lf__fail(error, LF_NO_MEMORY, -1, "%s: the budget of %zu bytes of memory is spent",
                              script->name, script->memory_limit)
                   : lf__fail_plain(error, LF_NO_MEMORY);
    if (lua_type(script->lua, -1) == LUA_TNUMBER)
        return lf__fail(error, LF_BAD_FORMAT, -1, "%s: error %.14g", script->name,
                        lua_tonumber(script->lua, -1));
    if (!message)
        return lf__fail(error, LF_BAD_FORMAT, -1, "%s: an error that is no text", script->name);
    lf_status status = spent ? LF_TOO_LARGE : script->no_memory ? LF_NO_MEMORY : LF_BAD_FORMAT;
    return lf__fail(error, status, line_of(script, message), "%s", message);
}

lf_status lf__sandbox_call(lf_script *script, int arguments, lf_error *error) {
    locale_t before = uselocale(script->locale);
    script->running++;
    int code = lua_pcall(script->lua, arguments, 0, 0);
    script->running--;
    lf_status status = LF_OK;
    if (code != LUA_OK) {
        status = report(script, code, error);
        lua_pop(script->lua, 1);
    }
    uselocale(before);
    return status;
}

bool lf__script_inner_call(lua_State *L, int arguments, int results) {
    lf__script_of(L)->running++;
    int code = lua_pcall(L, arguments, results, 0);
    lf__script_of(L)->running--;
    if (code == LUA_OK)
        return true;
    lua_rawseti(L, LUA_REGISTRYINDEX, lf__script_of(L)->failure);
    lf__script_of(L)->failed = true;
    return false;
}

void lf__script_throw(lua_State *L) {
    lf_script *script = lf__script_of(L);
    if (!script->failed)
        return;
    script->failed = false;
    lua_rawgeti(L, LUA_REGISTRYINDEX, script->failure);
    lua_error(L);
}
