/// Settings: what a script is told before it starts.
#include "script/script.h"
#include <string.h>

#define NAME_MOST 63

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool name_is_fine(const char *name) {
    size_t length = strlen(name);
    if (length > NAME_MOST || !is_letter(name[0]))
        return false;
    for (size_t i = 1; i < length; i++)
        if (!is_letter(name[i]) && name[i] != '_' && (name[i] < '0' || name[i] > '9'))
            return false;
    return true;
}

lf_status lf__settings_valid(const lf_script_setting *settings, int64_t count, lf_error *error) {
    if (count < 0 || (count > 0 && !settings))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%lld settings", (long long)count);
    for (int64_t i = 0; i < count; i++) {
        if (!settings[i].name || !settings[i].value || !name_is_fine(settings[i].name))
            return lf__fail(error, LF_BAD_ARGUMENT, i, "a setting wants a name and a value, not \"%s\"",
                            settings[i].name ? settings[i].name : "");
        for (int64_t j = 0; j < i; j++)
            if (strcmp(settings[i].name, settings[j].name) == 0)
                return lf__fail(error, LF_BAD_ARGUMENT, i, "setting %s is given twice", settings[i].name);
    }
    return LF_OK;
}

/// Turn the text on top of the stack into what a default is: a number, a truth, or text.
static void read_as(lua_State *L, const char *name, int type) {
    const char *text = lua_tostring(L, -1);
    if (type == LUA_TNUMBER && lua_stringtonumber(L, text) == 0)
        luaL_error(L, "setting %s wants a number, not \"%s\"", name, text);
    if (type == LUA_TBOOLEAN) {
        bool is = strcmp(text, "true") == 0;
        if (!is && strcmp(text, "false") != 0)
            luaL_error(L, "setting %s wants true or false, not \"%s\"", name, text);
        lua_pushboolean(L, is);
    }
}

/// world.setting(name, default): what was said of a name, in the default's kind; or the default.
static int world_setting(lua_State *L) {
    const char *name = luaL_checkstring(L, 1);
    lua_settop(L, 2);
    int type = lua_type(L, 2);
    luaL_argexpected(L,
                     type == LUA_TNIL || type == LUA_TNUMBER || type == LUA_TBOOLEAN || type == LUA_TSTRING,
                     2, "number, text, truth or nil");
    lua_getfield(L, LUA_REGISTRYINDEX, "landfall.asked");
    lua_pushboolean(L, 1);
    lua_setfield(L, -2, name);
    lua_getfield(L, LUA_REGISTRYINDEX, "landfall.settings");
    if (lua_getfield(L, -1, name) == LUA_TNIL)
        lua_pushvalue(L, 2);
    else
        read_as(L, name, type);
    return 1;
}

void lf__script_open_settings(lua_State *L, const lf_script_setting *settings, int64_t count) {
    lua_newtable(L);
    lua_setfield(L, LUA_REGISTRYINDEX, "landfall.asked");
    lua_newtable(L);
    for (int64_t i = 0; i < count; i++) {
        lua_pushstring(L, settings[i].value);
        lua_setfield(L, -2, settings[i].name);
    }
    lua_setfield(L, LUA_REGISTRYINDEX, "landfall.settings");
    lua_getglobal(L, "world");
    lua_pushcfunction(L, world_setting);
    lua_setfield(L, -2, "setting");
    lua_pop(L, 1);
}

void lf__script_check_settings(lua_State *L, const lf_script_setting *settings, int64_t count) {
    lua_getfield(L, LUA_REGISTRYINDEX, "landfall.asked");
    for (int64_t i = 0; i < count; i++) {
        lua_pushstring(L, settings[i].name);
        lua_rawget(L, -2);
        bool asked = lua_toboolean(L, -1);
        lua_pop(L, 1);
        if (!asked) {
            lua_pushfstring(L, "%s: there is no setting %s", lf__script_of(L)->name, settings[i].name);
            lua_error(L);
        }
    }
    lua_pop(L, 1);
}
