/// Watches and events, for scripts.
#include "script/script.h"
#include <math.h>
#include <string.h>

/// One side of a watch: an instance, a part, a ground, "anything", "nothing", or {tag = "wheel"}. A ground
/// goes to the def.
static lf_watch_filter read_side(lua_State *L, int table, const char *name, lf_watch_def *def) {
    lf_watch_filter who = {LF_WATCH_FILTER_ANYTHING, {0, 0}, {0, 0}, NULL};
    int type = lua_getfield(L, table, name), side = lua_gettop(L);
    lf__handle *instance = lf__handle_test(L, -1, LF__HANDLE_INSTANCE),
               *part = lf__handle_test(L, -1, LF__HANDLE_PART);
    const char *word = type == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
    if (instance) {
        who.kind = LF_WATCH_FILTER_INSTANCE;
        who.instance = (lf_instance){instance->index, instance->generation};
    } else if (part) {
        who.kind = LF_WATCH_FILTER_PART;
        who.part = (lf_part){part->index, part->generation};
    } else if (lf__handle_test(L, -1, LF__HANDLE_GROUND)) {
        who.kind = LF_WATCH_FILTER_GROUND;
        def->ground = lf__script_ground_at(L, side);
    } else if (type == LUA_TTABLE) {
        who.kind = LF_WATCH_FILTER_TAG;
        who.tag = lf__script_field_text(L, side, "tag");
        if (!who.tag)
            luaL_error(L, "%s: expected {tag = \"...\"}", name);
    } else if (word && strcmp(word, "nothing") == 0) {
        who.kind = LF_WATCH_FILTER_NOTHING;
    } else if (type != LUA_TNIL && !(word && strcmp(word, "anything") == 0)) {
        luaL_error(L,
                   "%s: expected an instance, a part, a ground, {tag = \"...\"}, \"anything\" or \"nothing\"",
                   name);
    }
    lua_remove(L, side); // a tag stays on the stack
    return who;
}

lf_watch_precision lf__script_level(lua_State *L, const char *word) {
    for (int level = LF_WATCH_BOXES; level < LF_WATCH_OWN; level++)
        if (strcmp(word, lf_watch_precision_name((lf_watch_precision)level)) == 0)
            return (lf_watch_precision)level;
    luaL_error(L, "there is no level \"%s\"", word);
    return LF_WATCH_BOXES;
}

/// A method by its name: "exact" is the scene's own.
static const lf_contact_method *method_of(lua_State *L, const char *word) {
    const lf_contact_method *const *methods = lf__script_of(L)->methods;
    if (strcmp(word, "exact") == 0)
        return NULL;
    for (; methods && *methods; methods++)
        if (strcmp(word, (*methods)->name) == 0)
            return *methods;
    luaL_error(L, "there is no method \"%s\"", word);
    return NULL;
}

// ---------------------------------------------------------------------------------------------------
// A test of the script's own
// ---------------------------------------------------------------------------------------------------

typedef struct own_test {
    lf_script *script;
    int function;
} own_test;

typedef struct own_call {
    const own_test *test;
    const lf_watch_callback *question;
} own_call;

static void push_thing(lua_State *L, const lf_thing *thing) {
    if (lf_part_is_none(thing->part))
        lf__handle_push(L, LF__HANDLE_INSTANCE, thing->instance.index, thing->instance.generation);
    else
        lf__handle_push(L, LF__HANDLE_PART, thing->part.index, thing->part.generation);
}

static int call_own(lua_State *L) {
    const own_call *now = lua_touserdata(L, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, now->test->function);
    push_thing(L, &now->question->a);
    push_thing(L, &now->question->b);
    lua_pushnumber(L, now->question->ahead);
    lua_call(L, 3, 1);
    if (lua_isnil(L, -1))
        lua_pushnumber(L, LF_INFINITY);
    luaL_checknumber(L, -1);
    return 1;
}

/// Called by the scene, which must not be left by longjmp; a failure is raised again after the step.
static double ask_own(void *user, const lf_watch_callback *question) {
    const own_test *test = user;
    lua_State *L = test->script->lua;
    own_call now = {test, question};
    if (test->script->failed || !lua_checkstack(L, 4))
        return LF_INFINITY;
    lua_pushcfunction(L, call_own);
    lua_pushlightuserdata(L, &now);
    test->script->asking = true;
    bool answered = lf__script_inner_call(L, 1, 1);
    test->script->asking = false;
    if (!answered)
        return LF_INFINITY;
    double seconds = lua_tonumber(L, -1);
    lua_pop(L, 1);
    return seconds >= 0 ? seconds : LF_INFINITY;
}

static void read_own(lua_State *L, int table, lf_watch_def *def) {
    if (lua_getfield(L, table, "own") == LUA_TNIL) {
        lua_pop(L, 1);
        return;
    }
    luaL_checktype(L, -1, LUA_TFUNCTION);
    own_test *test = lua_newuserdatauv(L, sizeof *test, 0);
    luaL_ref(L, LUA_REGISTRYINDEX); // it stays where it is
    *test = (own_test){lf__script_of(L), luaL_ref(L, LUA_REGISTRYINDEX)};
    def->precision = LF_WATCH_OWN;
    def->own = ask_own;
    def->own_user = test;
}

// ---------------------------------------------------------------------------------------------------
// Watches
// ---------------------------------------------------------------------------------------------------

/// The function for events gets a number, which the events carry; 0: no function.
static uint64_t read_reaction(lua_State *L, int table) {
    if (lua_getfield(L, table, "on") == LUA_TNIL) {
        lua_pop(L, 1);
        return 0;
    }
    luaL_checktype(L, -1, LUA_TFUNCTION);
    return (uint64_t)luaL_ref(L, LUA_REGISTRYINDEX);
}

static void read_numbers(lua_State *L, int table, lf_watch_def *def) {
    double ticks = 0;
    lf__script_field_number(L, table, "ahead", &def->ahead);
    if (lf__script_field_number(L, table, "ticks", &ticks))
        def->ahead_ticks = ticks >= 0 && ticks < 1e9 ? (int64_t)ticks : -1;
    lf__script_field_number(L, table, "gap", &def->gap);
    lf__script_field_number(L, table, "slack", &def->slack);
    lf__script_field_number(L, table, "budget", &def->budget);
    def->own_parts = lf__script_field_flag(L, table, "own_parts");
    if (lf__script_field_flag(L, table, "stay"))
        def->events |= LF_EVENT_BIT(LF_EVENT_STAY);
}

/// Remember where a watch was created.
static lf_status note_line(lua_State *L, uint32_t watch) {
    lf_script *script = lf__script_of(L);
    lf__array *lines = &script->watch_lines;
    int64_t more = (int64_t)watch + 1 - lines->count;
    lf_status status = more > 0 ? lf__array_reserve(lines, &script->counted, more, sizeof(int32_t)) : LF_OK;
    if (status != LF_OK)
        return status;
    for (; lines->count <= (int64_t)watch; lines->count++)
        ((int32_t *)lines->items)[lines->count] = 0;
    ((int32_t *)lines->items)[watch] = lf__script_line(L);
    return LF_OK;
}

/// world.watch{a =, b =, ahead =, ticks =, level =, method =, gap =, slack =, stay =, own_parts =, budget =,
/// own =, on =}
static int world_watch(lua_State *L) {
    lf_watch_def def = lf_watch_def_default();
    lf_error error = {LF_OK, -1, ""};
    lf_watch watch;
    luaL_checktype(L, 1, LUA_TTABLE);
    def.a = read_side(L, 1, "a", &def);
    def.b = read_side(L, 1, "b", &def);
    read_numbers(L, 1, &def);
    const char *level = lf__script_field_text(L, 1, "level"), *method = lf__script_field_text(L, 1, "method");
    def.precision = level ? lf__script_level(L, level) : LF_WATCH_BOXES;
    def.method = method ? method_of(L, method) : NULL;
    read_own(L, 1, &def);
    def.user = read_reaction(L, 1);
    lf__script_check(L, lf_watch_create(lf__script_of(L)->scene, &def, &watch, &error), &error);
    lf__script_check(L, note_line(L, watch.index), NULL);
    lf__handle_push(L, LF__HANDLE_WATCH, watch.index, watch.generation);
    return 1;
}

static int watch_remove(lua_State *L) {
    lf__handle *h = lf__handle_check(L, 1, LF__HANDLE_WATCH);
    lf__script_check(L, lf_watch_remove(lf__script_of(L)->scene, (lf_watch){h->index, h->generation}), NULL);
    return 0;
}

static void set_thing(lua_State *L, const lf_thing *thing, const char *name) {
    push_thing(L, thing);
    lua_setfield(L, -2, name);
}

static void set_part(lua_State *L, lf_part part, const char *name) {
    lf__handle_push(L, LF__HANDLE_PART, part.index, part.generation);
    lua_setfield(L, -2, name);
}

void lf__script_push_event(lua_State *L, const lf_event *event) {
    luaL_checkstack(L, 8, "events");
    lua_newtable(L);
    lua_pushstring(L, lf_event_name(event->kind));
    lua_setfield(L, -2, "kind");
    set_thing(L, &event->a, "a");
    set_thing(L, &event->b, "b");
    set_part(L, event->part_a, "part_a");
    set_part(L, event->part_b, "part_b");
    lua_pushnumber(L, event->time);
    lua_setfield(L, -2, "time");
    lua_pushnumber(L, event->wait);
    lua_setfield(L, -2, "wait");
    lua_pushboolean(L, event->coarse);
    lua_setfield(L, -2, "coarse");
    lf__handle_push(L, LF__HANDLE_WATCH, event->watch.index, event->watch.generation);
    lua_setfield(L, -2, "watch");
}

void lf__script_open_watches(lua_State *L) {
    static const luaL_Reg changes[] = {{"remove", watch_remove}, {NULL, NULL}};
    static const luaL_Reg functions[] = {{"watch", world_watch}, {NULL, NULL}};
    lf__handle_changes(L, LF__HANDLE_WATCH, changes);
    lf__world_changes(L, functions);
}
