/// Scripts: creating, stepping and destroying them.
#include "script/script.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PIECE 512     ///< bytes of the text that are compiled at a time
#define EVENT_COST 50 ///< of an event as a table, in instructions

// ---------------------------------------------------------------------------------------------------
// Creating
// ---------------------------------------------------------------------------------------------------

static lf_status check_def(const lf_script_def *def, lf_error *error) {
    if (!def->text)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "text is NULL");
    if (def->instructions <= 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "instructions %lld: must be above 0",
                        (long long)def->instructions);
    if (def->ellipsoid && !lf_pose_rigid(&def->place))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "place: the pose is not rigid");
    if (def->memory == 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "memory 0: must be above 0");
    if (!(def->time_limit >= 0))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "time_limit %g: expected seconds, 0 or more",
                        def->time_limit);
    if (def->name && strlen(def->name) >= sizeof(((lf_script *)0)->name))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "name of %zu bytes: too long", strlen(def->name));
    return lf__settings_valid(def->settings, def->setting_count, error);
}

/// What is left of the text to be read.
typedef struct text_left {
    const char *at;
    size_t length;
} text_left;

/// The text to be read, for a protected call.
typedef struct reading {
    const lf_script *script;
    const lf_script_def *def;
} reading;

/// The next piece of the text. Lua compiles it without counting, and some texts take much longer than others:
/// each piece is charged, and the clock is read.
static const char *next_piece(lua_State *L, void *user, size_t *size) {
    text_left *left = user;
    const char *piece = left->at;
    *size = left->length < PIECE ? left->length : PIECE;
    left->at += *size;
    left->length -= *size;
    lf__script_charge(L, (int64_t)(*size / 2));
    return piece;
}

/// Load the text, which must not be compiled, and run it.
static int read_text(lua_State *L) {
    const reading *now = lua_touserdata(L, 1);
    lf__script_open_settings(L, now->def->settings, now->def->setting_count);
    const char *name = lua_pushfstring(L, "@%s", now->script->name);
    if (now->def->length > 0 && now->def->text[0] == LUA_SIGNATURE[0])
        return luaL_error(L, "%s: a compiled script; only its text is read", now->script->name);
    text_left left = {now->def->text, now->def->length};
    if (lua_load(L, next_piece, &left, name, "t") != LUA_OK)
        lua_error(L);
    lua_call(L, 0, 0);
    lf__script_check_settings(L, now->def->settings, now->def->setting_count);
    return 0;
}

static lf_status run_text(lf_script *script, const lf_script_def *def, lf_error *error) {
    reading now = {script, def};
    lf__budget_renew(script);
    lua_pushcfunction(script->lua, read_text);
    lua_pushlightuserdata(script->lua, &now);
    lf_status status = lf__sandbox_call(script, 1, error);
    return status == LF_OK ? lf__script_deliver(script, error) : status;
}

/// The ground that the caller has is the first of the script's.
static lf_status take_land(lf_script *script, const lf_ground *land) {
    lf__script_ground given = {NULL, land};
    lf_status status = land ? lf__array_reserve(&script->grounds, &script->counted, 1, sizeof given) : LF_OK;
    if (land && status == LF_OK)
        ((lf__script_ground *)script->grounds.items)[script->grounds.count++] = given;
    return status;
}

static lf_status make(lf_script *script, const lf_script_def *def, lf_error *error) {
    lf_scene_def scene = lf_scene_def_default();
    script->budget.memory_limit = def->memory;
    script->budget.instruction_limit = def->instructions;
    script->budget.output_limit = def->output;
    script->budget.time_limit = def->time_limit;
    script->say = def->say;
    script->load = def->load;
    script->user = def->user;
    script->methods = def->methods;
    script->view = lf_view_default();
    script->on_globe = def->ellipsoid != NULL;
    script->ellipsoid = def->ellipsoid ? *def->ellipsoid : lf_ellipsoid_wgs84();
    script->place = def->place;
    snprintf(script->name, sizeof script->name, "%s", def->name ? def->name : "script");
    lf_status status = lf__sandbox_open(script);
    if (status == LF_OK)
        status = take_land(script, def->land);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    scene.host = script->host;
    status = lf_scene_create(&scene, &script->scene, error);
    return status == LF_OK ? run_text(script, def, error) : status;
}

lf_status lf_script_create(const lf_script_def *def, lf_script **script, lf_error *error) {
    lf_script_def full = lf_script_def_default();
    if (!def || !script)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "def or script is NULL");
    lf_status status = lf__def_read(&full, sizeof full, def, error);
    if (status == LF_OK)
        status = check_def(&full, error);
    if (status != LF_OK)
        return status;
    lf_allocator allocator = lf__allocator_of(&full.host);
    lf_script *made = lf__allocate(&allocator, sizeof *made, LF__CACHE_LINE);
    if (!made)
        return lf__fail_plain(error, LF_NO_MEMORY);
    memset(made, 0, sizeof *made);
    made->base = allocator;
    status = make(made, &full, error);
    if (status == LF_OK)
        *script = made;
    else
        lf_script_destroy(made);
    return status;
}

void lf_script_destroy(lf_script *script) {
    if (!script || script->running > 0)
        return;
    lf__script_free_world(script);
    lf_scene_destroy(script->scene);
    if (script->lua)
        lua_close(script->lua);
    lf__script_ground *grounds = script->grounds.items;
    for (int64_t i = 0; i < script->grounds.count; i++)
        lf_grid_destroy(grounds[i].grid);
    lf__array_free(&script->grounds, &script->counted, sizeof *grounds);
    lf__script_free_models(script);
    lf_cursor_destroy(script->cursor);
    lf__array_free(&script->watch_lines, &script->counted, sizeof(int32_t));
    if (script->locale)
        freelocale(script->locale);
    const lf_allocator base = script->base;
    lf__free(&base, script, sizeof *script, LF__CACHE_LINE);
}

// ---------------------------------------------------------------------------------------------------
// Steps
// ---------------------------------------------------------------------------------------------------

/// Send the message "tick" with the time and the step, before all messages that are waiting.
static int tick(lua_State *L) {
    double dt = lua_tonumber(L, 1);
    lua_getfield(L, LUA_REGISTRYINDEX, "landfall.waiting");
    if (lua_getfield(L, -1, "tick") == LUA_TNIL)
        return 0;
    int list = lua_gettop(L);
    int64_t functions = (int64_t)lua_rawlen(L, list);
    for (int64_t f = 1; f <= functions; f++) {
        lua_rawgeti(L, list, f);
        lua_pushnumber(L, lf_scene_describe(lf__script_of(L)->scene).time);
        lua_pushnumber(L, dt);
        lf__script_of(L)->reactions++;
        lua_call(L, 2, 0);
    }
    return 0;
}

/// Call the function of its watch for every event.
static int react(lua_State *L) {
    lf_script *script = lf__script_of(L);
    const lf_event *events;
    int64_t count;
    lf__script_throw(L); // a failure of the script's own test during the step
    for (int64_t i = 0;; i++) {
        // Read again each time: output of a reaction goes to the caller, which may step the scene.
        lf__script_check(L, lf_scene_events(script->scene, &events, &count), NULL);
        if (i >= count)
            break;
        if (events[i].user == 0)
            continue;
        lua_settop(L, 0);
        lua_rawgeti(L, LUA_REGISTRYINDEX, (lua_Integer)events[i].user);
        lf__script_push_event(L, &events[i]);
        script->reactions++;
        lf__script_charge(L, EVENT_COST);
        lua_call(L, 1, 0);
    }
    return 0;
}

/// Where the script made a watch; 0: unknown.
static int line_of_watch(const lf_script *script, int64_t watch) {
    const int32_t *lines = script->watch_lines.items;
    return watch >= 0 && watch < script->watch_lines.count ? lines[watch] : 0;
}

/// A step that a limit has ended: the message names the watch that was running.
static lf_status step_scene(lf_script *script, double dt, lf_error *error) {
    lf__budget *budget = &script->budget;
    lf_error why = {LF_OK, -1, ""};
    locale_t before = uselocale(script->locale);
    budget->scene_refused = false;
    lf_status status = lf_scene_step(script->scene, dt, &why);
    uselocale(before);
    if (status == LF_OK)
        return LF_OK;
    if (status == LF_NO_MEMORY && budget->scene_refused)
        lf__budget_reached(script, LF__LIMIT_MEMORY, 0, 0);
    if (budget->limit != LF__LIMIT_NONE) {
        lf__budget_locate(script, line_of_watch(script, why.where), true);
        return lf__fail(error, lf__limit_status(budget->limit), budget->limit_line, "%s", budget->text);
    }
    if (error)
        *error = why;
    return status;
}

static lf_status make_step(lf_script *script, double dt, lf_error *error) {
    lf__budget_renew(script);
    lua_pushcfunction(script->lua, tick);
    lua_pushnumber(script->lua, dt);
    lf_status status = lf__sandbox_call(script, 1, error);
    if (status == LF_OK)
        status = lf__script_deliver(script, error);
    if (status == LF_OK)
        status = step_scene(script, dt, error);
    if (status != LF_OK)
        return status;
    lua_pushcfunction(script->lua, react);
    status = lf__sandbox_call(script, 0, error);
    return status == LF_OK ? lf__script_deliver(script, error) : status;
}

lf_status lf_script_step(lf_script *script, double dt, lf_error *error) {
    if (!script || !(dt > 0) || !isfinite(dt))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "step of %g seconds: must be finite and above 0", dt);
    if (script->running > 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "lf_script_step: not allowed from a function that the script calls");
    script->running++;
    lf_status status = make_step(script, dt, error);
    script->running--;
    return status;
}

// ---------------------------------------------------------------------------------------------------
// Queries
// ---------------------------------------------------------------------------------------------------

lf_scene *lf_script_scene(lf_script *script) {
    return script->scene;
}

int64_t lf_script_grounds(const lf_script *script, const lf_ground **grounds, int64_t capacity) {
    const lf__script_ground *made = script->grounds.items;
    for (int64_t i = 0; i < script->grounds.count && i < capacity; i++)
        grounds[i] = made[i].ground;
    return script->grounds.count;
}

lf_script_stats lf_script_describe(const lf_script *script) {
    const lf__budget *budget = &script->budget;
    lf_script_stats stats = {budget->instructions, budget->memory,   budget->peak, script->reactions,
                             script->stopped,      script->view_set, script->view};
    return stats;
}
