/// Objects, parts and models, for scripts.
#include "script/script.h"
#include <math.h>
#include <string.h>

#define TRANSFORMS 60 ///< at most, of one part at a time
#define PART_COST 50  ///< of reading a part, in instructions
#define FIND_COST 4   ///< and of visiting one
#define LABEL_MOST 63 ///< bytes

// ---------------------------------------------------------------------------------------------------
// Making parts
// ---------------------------------------------------------------------------------------------------

static lf_transform_kind transform_kind(lua_State *L, const char *word) {
    static const char *const words[] = {"move", "turn", "scale"};
    for (int k = 0; word && k < 3; k++)
        if (strcmp(word, words[k]) == 0)
            return (lf_transform_kind)(LF_TRANSFORM_TRANSLATE + k);
    luaL_error(L, "a transform is {\"move\" | \"turn\" | \"scale\", x, y, z[, angle]}");
    return LF_TRANSFORM_TRANSLATE;
}

/// {"turn", x, y, z, angle, each = true} on top of the stack.
static lf_transform read_transform(lua_State *L) {
    int at = lua_gettop(L);
    double numbers[4] = {0, 0, 0, 0};
    if (!lua_istable(L, at))
        luaL_error(L, "transforms: expected a list of {\"move\" | \"turn\" | \"scale\", x, y, z[, angle]}");
    lua_rawgeti(L, at, 1);
    lf_transform transform = {transform_kind(L, lua_tostring(L, -1)), LF_TRANSFORM_ABOUT_WHOLE, {0, 0, 0}, 0};
    lua_pop(L, 1);
    for (int k = 0; k < (transform.kind == LF_TRANSFORM_ROTATE ? 4 : 3); k++) {
        lua_rawgeti(L, at, k + 2);
        numbers[k] = luaL_checknumber(L, -1);
        lua_pop(L, 1);
    }
    transform.vector = (lf_vec3){numbers[0], numbers[1], numbers[2]};
    transform.angle = numbers[3];
    transform.about =
        lf__script_field_flag(L, at, "each") ? LF_TRANSFORM_ABOUT_EACH : LF_TRANSFORM_ABOUT_WHOLE;
    return transform;
}

/// The fields `transforms`, in order, and `at`, which comes last.
static int64_t read_transforms(lua_State *L, int table, lf_transform *transforms) {
    int64_t count = 0;
    lf_vec3 at;
    if (lua_getfield(L, table, "transforms") == LUA_TTABLE) {
        int list = lua_gettop(L);
        count = (int64_t)lua_rawlen(L, list);
        if (count > TRANSFORMS)
            luaL_error(L, "%d transforms of a part are the most", TRANSFORMS);
        for (int64_t i = 0; i < count; i++) {
            lua_rawgeti(L, list, i + 1);
            transforms[i] = read_transform(L);
            lua_pop(L, 1);
        }
    } else if (!lua_isnil(L, -1)) {
        luaL_error(L, "transforms: expected a list");
    }
    lua_pop(L, 1);
    if (lf__script_field_vec(L, table, "at", &at))
        transforms[count++] = lf_translation(at.x, at.y, at.z);
    return count;
}

/// The parts below one, in the field `parts`.
static void add_below(lua_State *L, lf_part above, int table) {
    if (lua_getfield(L, table, "parts") == LUA_TTABLE) {
        int list = lua_gettop(L);
        int64_t count = (int64_t)lua_rawlen(L, list);
        for (int64_t i = 1; i <= count; i++) {
            lua_rawgeti(L, list, i);
            lf__script_add_part(L, above, lua_gettop(L));
            lua_pop(L, 1);
        }
    } else if (!lua_isnil(L, -1)) {
        luaL_error(L, "parts: expected a list");
    }
    lua_pop(L, 1);
}

static uint32_t read_layers(lua_State *L, int table, uint32_t usual) {
    double layers = usual;
    lf__script_field_number(L, table, "layers", &layers);
    if (!(layers >= 0 && layers <= UINT32_MAX) || layers != floor(layers))
        luaL_error(L, "layers: expected a whole number, 0 .. 4294967295");
    return (uint32_t)layers;
}

lf_part lf__script_add_part(lua_State *L, lf_part above, int table) {
    lf_part_def def = lf_part_def_default();
    lf_transform transforms[TRANSFORMS + 1];
    lf_error error = {LF_OK, -1, ""};
    lf_part part;
    luaL_checkstack(L, 24, "parts in parts");
    lf__script_charge(L, PART_COST);
    if (!lua_istable(L, table))
        luaL_error(L, "a part: expected a table such as {shape = \"box\", size = {1, 2, 3}}");
    int top = lua_gettop(L);
    def.shape = lf__script_shape(L, table);
    def.transforms = transforms;
    def.transform_count = read_transforms(L, table, transforms);
    def.label = lf__script_field_text(L, table, "label");
    def.tag = lf__script_field_text(L, table, "tag");
    lf__script_field_paint(L, table, "colour", &def.colour);
    def.layers = read_layers(L, table, def.layers);
    lf__script_check(L, lf_part_add(lf__script_of(L)->scene, above, &def, &part, &error), &error);
    lua_settop(L, top);
    add_below(L, part, table);
    return part;
}

// ---------------------------------------------------------------------------------------------------
// Changing parts
// ---------------------------------------------------------------------------------------------------

static void push_part(lua_State *L, lf_part part) {
    lf__handle_push(L, LF__HANDLE_PART, part.index, part.generation);
}

static int part_add(lua_State *L) {
    luaL_checktype(L, 2, LUA_TTABLE);
    push_part(L, lf__script_add_part(L, lf__part_at(L, 1), 2));
    return 1;
}

static int part_remove(lua_State *L) {
    lf__script_check(L, lf_part_remove(lf__script_of(L)->scene, lf__part_at(L, 1)), NULL);
    return 0;
}

static int transform_part(lua_State *L, lf_transform_kind kind) {
    lf_part part = lf__part_at(L, 1);
    bool turn = kind == LF_TRANSFORM_ROTATE;
    lf_transform transform = {kind, LF_TRANSFORM_ABOUT_WHOLE, lf__script_three(L, 2),
                              turn ? luaL_checknumber(L, 5) : 0};
    const char *word = luaL_optstring(L, turn ? 6 : 5, "whole");
    if (strcmp(word, "each") == 0)
        transform.about = LF_TRANSFORM_ABOUT_EACH;
    else if (strcmp(word, "whole") != 0)
        return luaL_error(L, "\"whole\" or \"each\", not \"%s\"", word);
    lf__script_check(L, lf_part_transform(lf__script_of(L)->scene, part, &transform), NULL);
    return 0;
}

static int part_move(lua_State *L) {
    return transform_part(L, LF_TRANSFORM_TRANSLATE);
}

static int part_turn(lua_State *L) {
    return transform_part(L, LF_TRANSFORM_ROTATE);
}

static int part_scale(lua_State *L) {
    return transform_part(L, LF_TRANSFORM_SCALE);
}

/// part:reset{transforms = ...}: replace all transforms.
static int part_reset(lua_State *L) {
    lf_transform transforms[TRANSFORMS + 1];
    lf_part part = lf__part_at(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    int64_t count = read_transforms(L, 2, transforms);
    lf__script_check(L, lf_part_set_transforms(lf__script_of(L)->scene, part, transforms, count), NULL);
    return 0;
}

static int part_shape(lua_State *L) {
    lf_error error = {LF_OK, -1, ""};
    lf_part part = lf__part_at(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    lf_shape shape = lf__script_shape(L, 2);
    lf__script_check(L, lf_part_set_shape(lf__script_of(L)->scene, part, &shape, &error), &error);
    return 0;
}

static int part_vertex(lua_State *L) {
    lf_part part = lf__part_at(L, 1);
    int64_t vertex = luaL_checkinteger(L, 2) - 1;
    lf__script_check(L, lf_part_set_vertex(lf__script_of(L)->scene, part, vertex, lf__script_three(L, 3)),
                     NULL);
    return 0;
}

static int part_colour(lua_State *L) {
    lf_part part = lf__part_at(L, 1);
    lf_scene *scene = lf__script_of(L)->scene;
    lf_paint paint;
    if (lua_gettop(L) > 1) {
        lf__script_may_change(L, "part:colour");
        lf_vec3 rgb = lf__script_three(L, 2);
        paint = (lf_paint){(float)rgb.x, (float)rgb.y, (float)rgb.z, (float)luaL_optnumber(L, 5, 1)};
        lf__script_check(L, lf_part_set_colour(scene, part, paint), NULL);
        return 0;
    }
    lf_part_info info;
    lf__script_check(L, lf_part_describe(scene, part, &info), NULL);
    paint = info.colour;
    lua_pushnumber(L, (double)paint.red);
    lua_pushnumber(L, (double)paint.green);
    lua_pushnumber(L, (double)paint.blue);
    lua_pushnumber(L, (double)paint.opacity);
    return 4;
}

static int part_tag(lua_State *L) {
    lf__script_check(
        L, lf_part_set_tag(lf__script_of(L)->scene, lf__part_at(L, 1), luaL_checkstring(L, 2), true), NULL);
    return 0;
}

static int part_untag(lua_State *L) {
    lf__script_check(
        L, lf_part_set_tag(lf__script_of(L)->scene, lf__part_at(L, 1), luaL_checkstring(L, 2), false), NULL);
    return 0;
}

/// The next part of a tree, in its order, without leaving what is under `under`. Its description goes along.
static lf_part part_after(const lf_scene *scene, lf_part at, lf_part under, lf_part_info *info) {
    if (!lf_part_is_none(info->first))
        return info->first;
    while (at.index != under.index) {
        if (!lf_part_is_none(info->next))
            return info->next;
        at = info->above;
        if (lf_part_describe(scene, at, info) != LF_OK)
            break;
    }
    return (lf_part){0, 0};
}

/// As lf_part_find, which does not report the number of parts that it has visited.
lf_part lf__script_find(lua_State *L, lf_part under, const char *label) {
    const lf_scene *scene = lf__script_of(L)->scene;
    lf_part_info info;
    size_t length = strlen(label);
    if (length == 0 || length > LABEL_MOST)
        luaL_error(L, "a label of %d bytes: expected 1 to %d", (int)length, LABEL_MOST);
    lf_part at = under;
    while (!lf_part_is_none(at)) {
        lf__script_check(L, lf_part_describe(scene, at, &info), NULL);
        if (info.label && strcmp(info.label, label) == 0)
            break;
        lf__script_charge(L, FIND_COST);
        at = part_after(scene, at, under, &info);
    }
    return at;
}

static int part_find(lua_State *L) {
    push_part(L, lf__script_find(L, lf__part_at(L, 1), luaL_checkstring(L, 2)));
    return 1;
}

static int part_box(lua_State *L) {
    lf_box box;
    lf__script_check(L, lf_part_box(lf__script_of(L)->scene, lf__part_at(L, 1), &box), NULL);
    const double sides[6] = {box.low.x, box.low.y, box.low.z, box.high.x, box.high.y, box.high.z};
    if (lf_box_is_empty(box))
        return 0;
    for (int k = 0; k < 6; k++)
        lua_pushnumber(L, sides[k]);
    return 6;
}

static int part_instance(lua_State *L) {
    lf_part_info info;
    lf__script_check(L, lf_part_describe(lf__script_of(L)->scene, lf__part_at(L, 1), &info), NULL);
    lf__handle_push(L, LF__HANDLE_INSTANCE, info.instance.index, info.instance.generation);
    return 1;
}

static int part_label(lua_State *L) {
    lf_part_info info;
    lf__script_check(L, lf_part_describe(lf__script_of(L)->scene, lf__part_at(L, 1), &info), NULL);
    lua_pushstring(L, info.label);
    return 1;
}

/// The parts right below one, as a list.
static int part_parts(lua_State *L) {
    lf_scene *scene = lf__script_of(L)->scene;
    lf_part_info info;
    lf__script_check(L, lf_part_describe(scene, lf__part_at(L, 1), &info), NULL);
    lua_newtable(L);
    lf_part below = info.first;
    for (lua_Integer i = 1; !lf_part_is_none(below); i++) {
        lf__script_charge(L, PART_COST / 5);
        push_part(L, below);
        lua_rawseti(L, -2, i);
        lf__script_check(L, lf_part_describe(scene, below, &info), NULL);
        below = info.next;
    }
    return 1;
}

// ---------------------------------------------------------------------------------------------------
// Objects
// ---------------------------------------------------------------------------------------------------

/// What an object's build function is called with: registry references.
typedef struct builder {
    lf_script *script;
    int function, names;
    int count;
} builder;

/// One call of a build function.
typedef struct building {
    const builder *builder;
    lf_part top;
    const double *parameters;
} building;

static int call_builder(lua_State *L) {
    const building *now = lua_touserdata(L, 1);
    const builder *b = now->builder;
    lua_rawgeti(L, LUA_REGISTRYINDEX, b->function);
    push_part(L, now->top);
    lua_newtable(L);
    lua_rawgeti(L, LUA_REGISTRYINDEX, b->names);
    for (int i = 0; i < b->count; i++) {
        lua_rawgeti(L, -1, i + 1);
        lua_pushnumber(L, now->parameters[i]);
        lua_rawset(L, -4);
    }
    lua_pop(L, 1);
    lua_call(L, 2, 0);
    return 0;
}

/// Called by the scene, which must not be left by longjmp: whatever can fail is inside a protected call.
static lf_status build(void *user, lf_scene *scene, lf_part top, const double *parameters) {
    const builder *b = user;
    lua_State *L = b->script->lua;
    building now = {b, top, parameters};
    (void)scene;
    if (!lua_checkstack(L, 4))
        return LF_NO_MEMORY;
    lua_pushcfunction(L, call_builder);
    lua_pushlightuserdata(L, &now);
    return lf__script_inner_call(L, 1, 0) ? LF_OK : LF_CANCELLED;
}

/// A list of names on the stack, which keeps them.
static void push_names(lua_State *L, const char **names, int count) {
    lua_newtable(L);
    for (int i = 0; i < count; i++) {
        names[i] = lua_pushstring(L, names[i]);
        lua_rawseti(L, -2, i + 1);
    }
}

/// parameters = {length = 4, ...}: names in the order of the alphabet, so that worlds do not depend on the
/// order of tables.
static int read_parameters(lua_State *L, int table, const char **names, double *values) {
    int count = 0;
    if (lua_getfield(L, table, "parameters") == LUA_TNIL)
        return 0;
    lf__script_charge_table(L, lua_gettop(L));
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        if (count == LF_OBJECT_PARAMETERS)
            luaL_error(L, "%d parameters are the most", LF_OBJECT_PARAMETERS);
        if (lua_type(L, -2) != LUA_TSTRING || !lua_isnumber(L, -1))
            luaL_error(L, "parameters: expected {name = number, ...}");
        int at = count++;
        for (; at > 0 && strcmp(names[at - 1], lua_tostring(L, -2)) > 0; at--) {
            names[at] = names[at - 1];
            values[at] = values[at - 1];
        }
        names[at] = lua_tostring(L, -2);
        values[at] = lua_tonumber(L, -1);
    }
    push_names(L, names, count); // a metatable that reads the next field could empty the script's own table
    return count;
}

/// world.object{name =, parameters =, build =, parts =}
static int world_object(lua_State *L) {
    lf_object_def def = lf_object_def_default();
    const char *names[LF_OBJECT_PARAMETERS + 1];
    double values[LF_OBJECT_PARAMETERS + 1];
    lf_error error = {LF_OK, -1, ""};
    lf_object object;
    lf_part top;
    luaL_checktype(L, 1, LUA_TTABLE);
    def.name = lf__script_field_text(L, 1, "name");
    def.parameter_count = read_parameters(L, 1, names, values);
    def.parameters = names;
    def.parameter_values = values;
    if (lua_getfield(L, 1, "build") != LUA_TNIL) {
        luaL_checktype(L, -1, LUA_TFUNCTION);
        builder *b = lua_newuserdatauv(L, sizeof *b, 0);
        luaL_ref(L, LUA_REGISTRYINDEX); // it stays where it is
        *b = (builder){lf__script_of(L), luaL_ref(L, LUA_REGISTRYINDEX), LUA_NOREF, def.parameter_count};
        push_names(L, names, def.parameter_count);
        b->names = luaL_ref(L, LUA_REGISTRYINDEX);
        def.build = build;
        def.user = b;
    }
    lf__script_check(L, lf_object_create(lf__script_of(L)->scene, &def, &object, &top, &error), &error);
    add_below(L, top, 1);
    lf__handle_push(L, LF__HANDLE_OBJECT, object.index, object.generation);
    push_names(L, names, def.parameter_count);
    lua_setiuservalue(L, -2, 1);
    push_part(L, top);
    lua_setiuservalue(L, -2, 2);
    lua_getfield(L, LUA_REGISTRYINDEX, "landfall.kept"); // its user values must not be lost
    lua_pushvalue(L, -2);
    lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
    lua_pop(L, 1);
    return 1;
}

static int object_top(lua_State *L) {
    lf__handle_check(L, 1, LF__HANDLE_OBJECT);
    lua_getiuservalue(L, 1, 2);
    return 1;
}

void lf__script_open_parts(lua_State *L) {
    static const luaL_Reg part_methods[] = {
        {"colour", part_colour}, {"find", part_find},   {"box", part_box}, {"instance", part_instance},
        {"label", part_label},   {"parts", part_parts}, {NULL, NULL}};
    static const luaL_Reg part_changes[] = {
        {"add", part_add},     {"remove", part_remove}, {"move", part_move},   {"turn", part_turn},
        {"scale", part_scale}, {"reset", part_reset},   {"shape", part_shape}, {"vertex", part_vertex},
        {"tag", part_tag},     {"untag", part_untag},   {NULL, NULL}};
    static const luaL_Reg object_methods[] = {{"top", object_top}, {NULL, NULL}};
    static const luaL_Reg functions[] = {{"object", world_object}, {NULL, NULL}};
    lf__handle_methods(L, LF__HANDLE_PART, part_methods);
    lf__handle_changes(L, LF__HANDLE_PART, part_changes);
    lf__handle_methods(L, LF__HANDLE_OBJECT, object_methods);
    lua_newtable(L);
    lua_setfield(L, LUA_REGISTRYINDEX, "landfall.kept");
    lf__world_changes(L, functions);
}

// ---------------------------------------------------------------------------------------------------
// Models from files
// ---------------------------------------------------------------------------------------------------

/// May a step of a name, from `at` up to a / or the end, be used? It must not lead anywhere but down.
static bool step_is_fine(const char *at, size_t length) {
    bool here = length == 1 && at[0] == '.', up = length == 2 && at[0] == '.' && at[1] == '.';
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)at[i] < 32 || at[i] == 127 || at[i] == '\\' || at[i] == ':')
            return false;
    return length > 0 && !here && !up;
}

static bool name_is_fine(const char *name) {
    size_t all = strlen(name);
    if (all == 0 || all > LF_SCRIPT_MODEL_NAME)
        return false;
    for (const char *at = name;; at++) {
        size_t length = strcspn(at, "/");
        if (!step_is_fine(at, length))
            return false;
        at += length;
        if (*at == '\0')
            return true;
    }
}

/// Read a model and keep it. Space is reserved first, so that the model is not lost.
static lf_status keep_model(lf_script *script, const char *name, lf_error *error) {
    lf__script_model made = {"", NULL};
    lf_status status = lf__array_reserve(&script->models, &script->counted, 1, sizeof made);
    if (status == LF_OK)
        status = script->load(script->user, name, &script->host, &made.model, error);
    if (status < LF_OK)
        return status;
    if (!made.model)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%s: there is no such model", name);
    memcpy(made.name, name, strlen(name) + 1);
    ((lf__script_model *)script->models.items)[script->models.count++] = made;
    return LF_OK;
}

const lf_model *lf__script_model_of(lua_State *L, const char *name) {
    lf_script *script = lf__script_of(L);
    lf_error error = {LF_OK, -1, ""};
    const lf__script_model *models = script->models.items;
    if (!name_is_fine(name))
        luaL_error(L, "file: expected a name below the script's folder, not \"%s\"", name);
    for (int64_t i = 0; i < script->models.count; i++)
        if (strcmp(models[i].name, name) == 0)
            return models[i].model;
    if (!script->load)
        luaL_error(L, "%s: this script has no models to read", name);
    lf__script_check(L, keep_model(script, name, &error), &error);
    models = script->models.items;
    return models[script->models.count - 1].model;
}

void lf__script_free_models(lf_script *script) {
    lf__script_model *models = script->models.items;
    for (int64_t i = 0; i < script->models.count; i++)
        lf_model_destroy(models[i].model);
    lf__array_free(&script->models, &script->counted, sizeof *models);
}
