/// The environment of a script: a few safe functions, each charged for its work, and a locale of its own.
#include "script/script.h"
#include <lualib.h>
#include <math.h>
#include <string.h>

#define FORMAT_COST 100 ///< of a % in a format, in instructions

// ---------------------------------------------------------------------------------------------------
// Functions
// ---------------------------------------------------------------------------------------------------

/// setmetatable without finalizers: those run without instruction counts.
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

/// Continue in the function that a wrapper keeps as its first upvalue: in the same frame, so that its
/// messages name the caller's line.
static int call_wrapped(lua_State *L) {
    return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

/// A function of Lua's that works through a table without counting: what it does is charged beforehand, if it
/// has as many arguments as the second upvalue says. Tables with metatables, whose length could be anything,
/// are refused.
static int charged_table(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    if (lua_getmetatable(L, 1))
        return luaL_error(L, "expected a table without a metatable");
    if (lua_gettop(L) >= lua_tointeger(L, lua_upvalueindex(2)))
        lf__script_charge_strings(L, 8 * (int64_t)lua_rawlen(L, 1));
    return call_wrapped(L);
}

/// table.sort: a comparison per element and level.
static int charged_sort(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    int64_t levels = 1;
    for (int64_t length = (int64_t)lua_rawlen(L, 1); length > 1; length /= 2)
        levels++;
    lf__script_charge_strings(L, 2 * levels * (int64_t)lua_rawlen(L, 1));
    return charged_table(L);
}

/// table.unpack of a few values.
static int charged_unpack(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_Integer first = luaL_optinteger(L, 2, 1), last = luaL_optinteger(L, 3, (lua_Integer)lua_rawlen(L, 1));
    if (last >= first && (lua_Unsigned)last - (lua_Unsigned)first >= LF__VALUES_MOST)
        return luaL_error(L, "unpack from %I to %I: at most %d values", first, last, LF__VALUES_MOST);
    return charged_table(L);
}

/// string.rep with a result that can be held.
static int charged_rep(lua_State *L) {
    size_t length, between = 0;
    luaL_checklstring(L, 1, &length);
    lua_Integer count = luaL_checkinteger(L, 2);
    luaL_optlstring(L, 3, "", &between);
    // Repeating an empty string must end as well.
    if (count > 1 && (count > LF__STRING_MOST ||
                      count * (lua_Integer)(length + between) - (lua_Integer)between > LF__STRING_MOST))
        return luaL_error(L, "%I times %I bytes make a string that is too large: at most %d bytes", count,
                          (lua_Integer)(length + between), LF__STRING_MOST);
    return call_wrapped(L);
}

/// string.format: each number may take hundreds of digits.
static int charged_format(lua_State *L) {
    size_t length;
    int64_t fields = 0;
    const char *format = luaL_checklstring(L, 1, &length);
    for (size_t i = 0; i < length; i++)
        fields += format[i] == '%';
    lf__script_charge(L, FORMAT_COST * fields + (int64_t)length / 8);
    return call_wrapped(L);
}

/// pairs with the charged next.
static int charged_pairs(lua_State *L) {
    luaL_checkany(L, 1);
    if (luaL_getmetafield(L, 1, "__pairs") == LUA_TNIL) {
        lua_pushcfunction(L, lf__script_next);
        lua_pushvalue(L, 1);
        lua_pushnil(L);
    } else {
        lua_pushvalue(L, 1);
        lua_call(L, 1, 3);
    }
    return 3;
}

/// Put a function that charges in the place of one of a global table's.
static void replace_charged(lua_State *L, const char *table, const char *name, lua_CFunction by,
                            int arguments) {
    lua_getglobal(L, table);
    lua_getfield(L, -1, name);
    lua_pushinteger(L, arguments);
    lua_pushcclosure(L, by, 2);
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
}

/// Copy some fields of a library's table, which is on top, to a new one with a name of its own, and drop the
/// library.
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
    static const char *const kept[] = {"assert", "error",        "ipairs",   "rawequal", "rawget",
                                       "rawlen", "rawset",       "select",   "tonumber", "tostring",
                                       "type",   "getmetatable", "_VERSION", NULL};
    luaL_requiref(L, LUA_GNAME, luaopen_base, 0);
    lua_newtable(L);
    for (const char *const *name = kept; *name; name++) {
        lua_getfield(L, -2, *name);
        lua_setfield(L, -2, *name);
    }
    lua_pushcfunction(L, safe_setmetatable);
    lua_setfield(L, -2, "setmetatable");
    lua_pushcfunction(L, lf__script_next);
    lua_setfield(L, -2, "next");
    lua_pushcfunction(L, charged_pairs);
    lua_setfield(L, -2, "pairs");
    lua_pushvalue(L, -1);
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    lua_pop(L, 2);
}

/// Patterns are left out: some take extremely long, and no instruction is counted meanwhile.
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
    replace_charged(L, LUA_TABLIBNAME, "concat", charged_table, 1);
    replace_charged(L, LUA_TABLIBNAME, "insert", charged_table, 3); // at the end no element is shifted
    replace_charged(L, LUA_TABLIBNAME, "remove", charged_table, 2);
    replace_charged(L, LUA_TABLIBNAME, "sort", charged_sort, 1);
    replace_charged(L, LUA_TABLIBNAME, "unpack", charged_unpack, 1);
    replace_charged(L, LUA_STRLIBNAME, "rep", charged_rep, 1);
    replace_charged(L, LUA_STRLIBNAME, "format", charged_format, 1);
    lua_pushnil(L);
    lua_setfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_pushboolean(L, 0); // reserve the entry of a failure now: later there may be no memory
    lf__script_of(L)->failure = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_newtable(L);
    lua_setglobal(L, "world");
    lf__handles_open(L);
    lf__script_open_parts(L);
    lf__script_open_instances(L);
    lf__script_open_watches(L);
    lf__script_open_world(L);
    lf__script_open_questions(L);
    return 0;
}

lf_status lf__sandbox_open(lf_script *script) {
    lf__budget_open(script);
    lf_status status = lf_cursor_create(&script->host, &script->cursor);
    if (status != LF_OK)
        return status;
    script->locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (!script->locale)
        return LF_NO_MEMORY;
    script->lua = lua_newstate(lf__budget_lua_memory, script);
    if (!script->lua)
        return LF_NO_MEMORY;
    *(lf_script **)lua_getextraspace(script->lua) = script;
    lua_pushcfunction(script->lua, open_all);
    if (lua_pcall(script->lua, 0, 0, 0) != LUA_OK)
        return LF_NO_MEMORY;
    lf__budget_start(script);
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

/// Turn what lies on the stack into an error. A limit has a message of its own.
static lf_status report(lf_script *script, int code, lf_error *error) {
    const lf__budget *budget = &script->budget;
    // This call is not protected: a number is not converted to text, which could run out of memory.
    const char *message = lua_type(script->lua, -1) == LUA_TSTRING ? lua_tostring(script->lua, -1) : NULL;
    if (budget->refused_new != 0)
        lf__budget_reached(script, LF__LIMIT_MEMORY, 0, 0);
    if (budget->limit != LF__LIMIT_NONE)
        return lf__fail(error, lf__limit_status(budget->limit), budget->limit_line, "%s", budget->text);
    if (code == LUA_ERRMEM)
        return lf__fail_plain(error, LF_NO_MEMORY);
    if (lua_type(script->lua, -1) == LUA_TNUMBER)
        return lf__fail(error, LF_BAD_FORMAT, -1, "%s: error %.14g", script->name,
                        lua_tonumber(script->lua, -1));
    if (!message)
        return lf__fail(error, LF_BAD_FORMAT, -1, "%s: an error that is no text", script->name);
    lf_status status = script->no_memory ? LF_NO_MEMORY : LF_BAD_FORMAT;
    bool named = strncmp(message, script->name, strlen(script->name)) == 0;
    return lf__fail(error, status, line_of(script, message), "%s%s%s", named ? "" : script->name,
                    named ? "" : ": ", message);
}

lf_status lf__sandbox_call(lf_script *script, int arguments, lf_error *error) {
    locale_t before = uselocale(script->locale);
    script->running++;
    script->world_stale = true; // of what happened since the last call
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
