/// Reading the values that a script passes (vectors, colours, shapes), and its settings.
#include "script/script.h"
#include <string.h>

#define PATH_SHARE 4    ///< pairs of vertices of a path for an instruction
#define NUMBERS_COST 10 ///< of reading a vertex or a corner, in instructions

void lf__script_check(lua_State *L, lf_status status, const lf_error *error) {
    if (status >= LF_OK)
        return;
    lf__script_throw(L); // a function of the script's own may have failed inside
    lf_script *script = lf__script_of(L);
    script->no_memory = status == LF_NO_MEMORY;
    if (status == LF_NO_MEMORY && script->budget.scene_refused)
        lf__budget_reached(script, LF__LIMIT_MEMORY, lf__script_line(L), 0);
    lf__script_charge(L, 0); // leaves if a limit is the reason
    luaL_error(L, "%s", error && error->text[0] ? error->text : lf_status_text(status));
}

void *lf__script_buffer(lua_State *L, int64_t count, size_t each) {
    size_t bytes;
    luaL_checkstack(L, 4, "values");
    if (!lf__size_array(count > 0 ? count : 1, each, &bytes))
        luaL_error(L, "%I things are too many", (LUAI_UACINT)count);
    return lua_newuserdatauv(L, bytes, 0);
}

static double number_in(lua_State *L, int table, int64_t index, const char *name) {
    int is_number;
    lua_geti(L, table, index);
    double value = lua_tonumberx(L, -1, &is_number);
    if (!is_number)
        luaL_error(L, "%s: expected a number at %I", name, (LUAI_UACINT)index);
    lua_pop(L, 1);
    return value;
}

lf_vec3 lf__script_vec(lua_State *L, int at, const char *name) {
    at = lua_absindex(L, at);
    luaL_checkstack(L, 4, "numbers");
    if (!lua_istable(L, at))
        luaL_error(L, "%s: expected {x, y, z}", name);
    return (lf_vec3){number_in(L, at, 1, name), number_in(L, at, 2, name), number_in(L, at, 3, name)};
}

lf_vec3 lf__script_three(lua_State *L, int at) {
    return (lf_vec3){luaL_checknumber(L, at), luaL_checknumber(L, at + 1), luaL_checknumber(L, at + 2)};
}

bool lf__script_field_vec(lua_State *L, int table, const char *name, lf_vec3 *value) {
    luaL_checkstack(L, 4, "fields");
    int type = lua_getfield(L, table, name);
    if (type == LUA_TNUMBER) {
        double all = lua_tonumber(L, -1);
        *value = (lf_vec3){all, all, all};
    } else if (type != LUA_TNIL) {
        *value = lf__script_vec(L, -1, name);
    }
    lua_pop(L, 1);
    return type != LUA_TNIL;
}

bool lf__script_field_number(lua_State *L, int table, const char *name, double *value) {
    luaL_checkstack(L, 4, "fields");
    int type = lua_getfield(L, table, name), is_number = 1;
    if (type != LUA_TNIL)
        *value = lua_tonumberx(L, -1, &is_number);
    if (!is_number)
        luaL_error(L, "%s: expected a number", name);
    lua_pop(L, 1);
    return type != LUA_TNIL;
}

bool lf__script_field_flag(lua_State *L, int table, const char *name) {
    luaL_checkstack(L, 4, "fields");
    lua_getfield(L, table, name);
    bool set = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return set;
}

const char *lf__script_field_text(lua_State *L, int table, const char *name) {
    luaL_checkstack(L, 4, "fields");
    int type = lua_getfield(L, table, name);
    if (type != LUA_TNIL && type != LUA_TSTRING)
        luaL_error(L, "%s: expected text", name);
    return type == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
}

bool lf__script_field_paint(lua_State *L, int table, const char *name, lf_paint *paint) {
    luaL_checkstack(L, 4, "fields");
    if (lua_getfield(L, table, name) == LUA_TNIL) {
        lua_pop(L, 1);
        return false;
    }
    lf_vec3 rgb = lf__script_vec(L, -1, name);
    *paint = (lf_paint){(float)rgb.x, (float)rgb.y, (float)rgb.z, 1};
    if (lua_geti(L, -1, 4) != LUA_TNIL)
        paint->opacity = (float)luaL_checknumber(L, -1);
    lua_pop(L, 2);
    return true;
}

// ---------------------------------------------------------------------------------------------------
// Shapes
// ---------------------------------------------------------------------------------------------------

static lf_shape_kind kind_of(lua_State *L, int table) {
    const char *word = lf__script_field_text(L, table, "shape");
    if (!word)
        return LF_SHAPE_SOLID;
    for (int kind = LF_SHAPE_SOLID; kind <= LF_SHAPE_MODEL; kind++)
        if (strcmp(word, lf_shape_name((lf_shape_kind)kind)) == 0)
            return (lf_shape_kind)kind;
    luaL_error(L, "there is no shape \"%s\"", word);
    return LF_SHAPE_SOLID;
}

/// vertices = {{x, y, z}, ...}; the array is left on the stack.
static void read_vertices(lua_State *L, int table, lf_polygons *polygons) {
    if (lua_getfield(L, table, "vertices") != LUA_TTABLE)
        luaL_error(L, "vertices: expected {{x, y, z}, ...}");
    int list = lua_gettop(L);
    polygons->vertex_count = (int64_t)lua_rawlen(L, list);
    lf__script_charge(L, NUMBERS_COST * polygons->vertex_count);
    lf_vec3 *vertices = lf__script_buffer(L, polygons->vertex_count, sizeof *vertices);
    for (int64_t i = 0; i < polygons->vertex_count; i++) {
        lua_rawgeti(L, list, i + 1);
        vertices[i] = lf__script_vec(L, -1, "vertices");
        lua_pop(L, 1);
    }
    polygons->vertices = vertices;
    lua_remove(L, list);
}

/// The number of corners of all polygons.
static int64_t count_corners(lua_State *L, int list, int64_t polygon_count) {
    int64_t corners = 0;
    lf__script_charge(L, NUMBERS_COST * polygon_count);
    for (int64_t p = 1; p <= polygon_count; p++) {
        if (lua_rawgeti(L, list, p) != LUA_TTABLE)
            luaL_error(L, "polygons: expected lists of the numbers of vertices, from 1");
        corners += (int64_t)lua_rawlen(L, -1);
        lua_pop(L, 1);
    }
    return corners;
}

/// polygons = {{1, 2, 3}, ...}: numbers of vertices from 1; two arrays are left on the stack.
static void read_polygons(lua_State *L, int table, lf_polygons *polygons) {
    if (lua_getfield(L, table, "polygons") != LUA_TTABLE)
        luaL_error(L, "polygons: expected lists of the numbers of vertices, from 1");
    int list = lua_gettop(L);
    polygons->polygon_count = (int64_t)lua_rawlen(L, list);
    int64_t count = count_corners(L, list, polygons->polygon_count), at = 0;
    lf__script_charge(L, NUMBERS_COST * count);
    int64_t *starts = lf__script_buffer(L, polygons->polygon_count + 1, sizeof *starts);
    int64_t *corners = lf__script_buffer(L, count, sizeof *corners);
    for (int64_t p = 0; p < polygons->polygon_count; p++) {
        starts[p] = at;
        lua_rawgeti(L, list, p + 1);
        int one = lua_gettop(L);
        for (int64_t c = 1, last = (int64_t)lua_rawlen(L, one); c <= last && at < count; c++)
            corners[at++] = (int64_t)number_in(L, one, c, "polygons") - 1;
        lua_pop(L, 1);
    }
    starts[polygons->polygon_count] = at;
    polygons->starts = starts;
    polygons->corners = corners;
    lua_remove(L, list);
}

lf_shape lf__script_shape(lua_State *L, int table) {
    lf_shape shape = lf_part_def_default().shape;
    luaL_checkstack(L, 12, "shapes");
    shape.kind = kind_of(L, table);
    lf__script_field_vec(L, table, "size", &shape.size);
    lf__script_field_number(L, table, "radius", &shape.radius);
    if (shape.kind == LF_SHAPE_PATH || shape.kind == LF_SHAPE_POLYGONS)
        read_vertices(L, table, &shape.polygons);
    if (shape.kind == LF_SHAPE_PATH) { // cutting it into triangles compares every vertex with every other
        double vertices = (double)shape.polygons.vertex_count;
        lf__script_charge(L, (int64_t)(vertices * vertices / PATH_SHARE));
    }
    if (shape.kind == LF_SHAPE_POLYGONS)
        read_polygons(L, table, &shape.polygons);
    if (shape.kind == LF_SHAPE_MODEL) {
        const char *file = lf__script_field_text(L, table, "file");
        if (!file)
            luaL_error(L, "a model: expected file = \"NAME\"");
        shape.model = lf__script_model_of(L, file);
    }
    return shape;
}

// ---------------------------------------------------------------------------------------------------
// Settings
// ---------------------------------------------------------------------------------------------------

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
            return lf__fail(error, LF_BAD_ARGUMENT, i, "setting: expected a name and a value, not \"%s\"",
                            settings[i].name ? settings[i].name : "");
        for (int64_t j = 0; j < i; j++)
            if (strcmp(settings[i].name, settings[j].name) == 0)
                return lf__fail(error, LF_BAD_ARGUMENT, i, "setting %s is given twice", settings[i].name);
    }
    return LF_OK;
}

/// Convert the text on top of the stack to the type of a default: number, boolean or text.
static void read_as(lua_State *L, const char *name, int type) {
    const char *text = lua_tostring(L, -1);
    if (type == LUA_TNUMBER && lua_stringtonumber(L, text) == 0)
        luaL_error(L, "setting %s: expected a number, not \"%s\"", name, text);
    if (type == LUA_TBOOLEAN) {
        bool is = strcmp(text, "true") == 0;
        if (!is && strcmp(text, "false") != 0)
            luaL_error(L, "setting %s: expected true or false, not \"%s\"", name, text);
        lua_pushboolean(L, is);
    }
}

/// world.setting(name, default): the value of a setting, in the default's type; or the default.
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
