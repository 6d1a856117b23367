/// What a script may use: instructions, memory, time, output, and the size of a string and of a table.
///
/// Lua counts its instructions, but one instruction may copy or compare a long string, traverse a large
/// table, or start a long query of the scene. So all such work is charged in instructions as well: blocks of
/// memory by their bytes, calls into the scene by the work they report, and every instruction in proportion
/// to the longest string. A charge is about 5 to 100 ns of work, whatever the script does. What is left
/// (tables whose keys all collide, chains of metatables) is ended by the clock.
///
/// A limit once reached stays reached: the hook raises the error at every further instruction, so that a
/// script cannot continue by catching it.
#include "script/script.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define HOOK_STEP 100      ///< instructions between two counts
#define CALL_COST 5        ///< of a call, in instructions
#define STRING_SHARE 128   ///< an instruction counts once more for so many bytes of the longest string
#define STRING_BYTES 4     ///< bytes of a new string that cost an instruction
#define BLOCK_BYTES 32     ///< and of any other block
#define SLOT_BYTES 128     ///< bytes of a table that next goes over for the price of an instruction
#define COLLECT_BYTES 32   ///< bytes that a full garbage collection goes through likewise
#define OUTPUT_BYTES 4     ///< bytes of output likewise
#define SCENE_COST 2       ///< of a unit of the scene's work
#define BLOCK_MOST 2097152 ///< bytes of a new block: the keys of a table, or the stack
#define STRING_GRANT 16    ///< a string so many times too long is still made, so that its line can be named
#define MEMORY_RESERVE 16  ///< this part of the memory, or
#define MEMORY_GRANT 65536 ///< so many bytes, are kept for messages
#define CLOCK_STEP 5000    ///< instructions, or
#define CLOCK_EVENTS 16    ///< events of the hook between two readings of the clock
#define ALIGNMENT 16

static lf__budget *budget_of(lua_State *L) {
    return &lf__script_of(L)->budget;
}

static double seconds_now(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return 0;
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---------------------------------------------------------------------------------------------------
// Limits
// ---------------------------------------------------------------------------------------------------

lf_status lf__limit_status(lf__limit limit) {
    return limit == LF__LIMIT_MEMORY ? LF_NO_MEMORY : LF_TOO_LARGE;
}

/// How often an instruction counts.
static int64_t weight_of(const lf__budget *budget) {
    return 1 + (int64_t)(budget->longest / STRING_SHARE);
}

static void write_instructions(const lf__budget *budget, char *text, size_t space) {
    int written = snprintf(text, space, "the budget of %lld instructions is spent",
                           (long long)budget->instruction_limit);
    if (weight_of(budget) > 1 && written > 0 && (size_t)written < space)
        snprintf(text + written, space - (size_t)written,
                 " (each counts %lld times, because the longest string has %zu bytes)",
                 (long long)weight_of(budget), budget->longest);
}

/// What a limit is and by how much it was missed, without file and line.
static void write_limit(const lf__budget *budget, char *text, size_t space) {
    size_t bytes = budget->limit_bytes;
    switch (budget->limit) {
    case LF__LIMIT_INSTRUCTIONS:
        write_instructions(budget, text, space);
        break;
    case LF__LIMIT_MEMORY:
        snprintf(text, space, "out of memory, limit %zu bytes", budget->memory_limit);
        break;
    case LF__LIMIT_TIME:
        snprintf(text, space, "the time limit of %g seconds is exceeded", budget->time_limit);
        break;
    case LF__LIMIT_OUTPUT:
        snprintf(text, space, "%zu bytes of output, limit %zu", bytes, budget->output_limit);
        break;
    case LF__LIMIT_STRING:
        snprintf(text, space, "a string of %zu bytes, limit %d", bytes, LF__STRING_MOST);
        break;
    case LF__LIMIT_BLOCK:
        snprintf(text, space, "a table of too many keys, or calls too deep: a block of %zu bytes, limit %d",
                 bytes, BLOCK_MOST);
        break;
    case LF__LIMIT_NONE:
        snprintf(text, space, "no limit is reached");
        break;
    }
}

static void write_text(lf_script *script) {
    lf__budget *budget = &script->budget;
    char what[160];
    write_limit(budget, what, sizeof what);
    if (budget->limit_line > 0)
        snprintf(budget->text, sizeof budget->text, "%s:%lld: %s%s", script->name,
                 (long long)budget->limit_line, what, budget->in_watch ? " (in the watch made here)" : "");
    else
        snprintf(budget->text, sizeof budget->text, "%s: %s", script->name, what);
}

void lf__budget_reached(lf_script *script, lf__limit limit, int64_t line, size_t bytes) {
    lf__budget *budget = &script->budget;
    if (budget->limit != LF__LIMIT_NONE)
        return;
    budget->limit = limit;
    budget->limit_bytes = bytes;
    budget->vague = line <= 0;
    budget->limit_line = line > 0 ? line : budget->line > 0 ? budget->line : -1;
    write_text(script);
}

void lf__budget_locate(lf_script *script, int64_t line, bool watch) {
    lf__budget *budget = &script->budget;
    if (!budget->vague || line <= 0)
        return;
    budget->vague = false;
    budget->in_watch = watch;
    budget->limit_line = line;
    write_text(script);
}

int lf__script_line(lua_State *L) {
    lua_Debug record;
    for (int level = 0; level < 16 && lua_getstack(L, level, &record); level++)
        if (lua_getinfo(L, "l", &record) && record.currentline > 0)
            return record.currentline;
    return 0;
}

static void throw_limit(lua_State *L) {
    lf__budget_locate(lf__script_of(L), lf__script_line(L), false);
    lua_pushstring(L, budget_of(L)->text);
    lua_error(L);
}

static bool time_is_over(lf__budget *budget) {
    budget->clock_at = budget->instructions;
    budget->events = 0;
    return budget->deadline < LF_INFINITY && seconds_now() > budget->deadline;
}

static bool instructions_are_spent(const lf__budget *budget) {
    return budget->instructions - budget->instructions_before > budget->instruction_limit;
}

/// Which limit is reached by now.
static lf__limit limit_now(lf__budget *budget) {
    if (instructions_are_spent(budget))
        return LF__LIMIT_INSTRUCTIONS;
    bool look = budget->instructions - budget->clock_at >= CLOCK_STEP || budget->events >= CLOCK_EVENTS;
    return look && time_is_over(budget) ? LF__LIMIT_TIME : LF__LIMIT_NONE;
}

/// Raise an error if a limit has been reached.
static void check(lua_State *L) {
    lf__budget *budget = budget_of(L);
    if (budget->limit == LF__LIMIT_NONE) {
        lf__limit limit = limit_now(budget);
        if (limit == LF__LIMIT_NONE)
            return;
        lf__budget_reached(lf__script_of(L), limit, lf__script_line(L), 0);
    }
    throw_limit(L);
}

/// Charges are clamped, so that sums do not overflow.
static void add(lf__budget *budget, int64_t instructions) {
    int64_t most = INT64_MAX / 4 - budget->instructions;
    budget->instructions += instructions < most ? instructions : most > 0 ? most : 0;
}

void lf__script_charge(lua_State *L, int64_t instructions) {
    add(budget_of(L), instructions);
    budget_of(L)->events++;
    check(L);
}

void lf__script_charge_strings(lua_State *L, int64_t instructions) {
    int64_t weight = weight_of(budget_of(L));
    lf__script_charge(L, instructions < INT64_MAX / 8 / weight ? instructions * weight : INT64_MAX / 8);
}

void lf__script_charge_output(lua_State *L, size_t bytes) {
    lf__budget *budget = budget_of(L);
    budget->output += bytes;
    if (budget->output > budget->output_limit)
        lf__budget_reached(lf__script_of(L), LF__LIMIT_OUTPUT, lf__script_line(L), budget->output);
    lf__script_charge(L, (int64_t)(bytes / OUTPUT_BYTES));
}

void lf__script_charge_cursor(lua_State *L) {
    lf_cursor *cursor = lf__script_of(L)->cursor;
    lf_counters done = lf_cursor_counters(cursor);
    lf_cursor_reset(cursor);
    lf__script_charge(L, (int64_t)(10 * done.questions + done.nodes + 4 * done.cells + 4 * done.triangles +
                                   20 * done.exact + done.decoded));
}

// ---------------------------------------------------------------------------------------------------
// Going through tables
// ---------------------------------------------------------------------------------------------------

/// Lua does not report the number of slots of a table; none has more than the largest so far.
void lf__script_charge_table(lua_State *L, int at) {
    luaL_checktype(L, at, LUA_TTABLE);
    lf__script_charge(L, (int64_t)(budget_of(L)->largest / SLOT_BYTES));
}

/// The table and the key at the bottom of the stack.
static lf__traversal traversal_at(lua_State *L, int key) {
    lf__traversal at = {lua_topointer(L, 1), lua_type(L, key), 0};
    if (at.type == LUA_TBOOLEAN) {
        at.key = (uint64_t)lua_toboolean(L, key);
    } else if (lua_isinteger(L, key)) {
        at.type = -2;
        at.key = (uint64_t)lua_tointeger(L, key);
    } else if (at.type == LUA_TNUMBER) {
        double number = lua_tonumber(L, key);
        memcpy(&at.key, &number, sizeof at.key);
    } else {
        at.key = (uint64_t)(uintptr_t)lua_topointer(L, key);
    }
    return at;
}

static lf__traversal *known_traversal(lf__budget *budget, const lf__traversal *at) {
    for (int i = 0; i < LF__TRAVERSALS && at->type != LUA_TNIL; i++) {
        lf__traversal *known = &budget->traversals[i];
        if (known->table == at->table && known->type == at->type && known->key == at->key)
            return known;
    }
    return NULL;
}

/// A traversal visits each slot of a table once, which is charged at its start. Continuing from a key that
/// was not the last one counts as a start: many empty slots may follow it.
int lf__script_next(lua_State *L) {
    lf__budget *budget = budget_of(L);
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 2);
    lf__traversal from = traversal_at(L, 2), *kept = known_traversal(budget, &from);
    if (!kept) {
        lf__script_charge_table(L, 1);
        kept = &budget->traversals[budget->traversal++ % LF__TRAVERSALS];
        budget->traversal %= LF__TRAVERSALS;
    }
    kept->table = NULL;
    if (!lua_next(L, 1)) {
        lua_pushnil(L);
        return 1;
    }
    *kept = traversal_at(L, 3);
    return 2;
}

// ---------------------------------------------------------------------------------------------------
// The hook
// ---------------------------------------------------------------------------------------------------

/// A function has at most this many arguments and results: moving them is one instruction.
static void check_values(lua_State *L, lua_Debug *record) {
    bool many = record->event != LUA_HOOKRET && lua_getlocal(L, record, -(LF__VALUES_MOST + 1)) != NULL;
    lua_getinfo(L, "r", record);
    if (many || record->ntransfer > LF__VALUES_MOST)
        luaL_error(L, "a call with more than %d %s", LF__VALUES_MOST,
                   record->event == LUA_HOOKRET ? "results" : "arguments");
}

/// Remember the script's line: a message about memory cannot get it in another way.
static void note_line(lua_State *L, lua_Debug *record) {
    lua_Debug caller;
    lua_getinfo(L, "l", record);
    if (record->currentline > 0)
        budget_of(L)->line = record->currentline;
    else if (lua_getstack(L, 1, &caller) && lua_getinfo(L, "l", &caller) && caller.currentline > 0)
        budget_of(L)->line = caller.currentline;
}

static void watch_script(lua_State *L, lua_Debug *record) {
    lf__budget *budget = budget_of(L);
    budget->events++;
    if (record->event == LUA_HOOKCOUNT)
        add(budget, HOOK_STEP * weight_of(budget));
    else
        check_values(L, record);
    if (record->event != LUA_HOOKRET)
        note_line(L, record);
    if (record->event == LUA_HOOKCALL || record->event == LUA_HOOKTAILCALL)
        add(budget, CALL_COST);
    check(L);
}

static void set_hook(lua_State *L, int count) {
    lua_sethook(L, watch_script, LUA_MASKCOUNT | LUA_MASKCALL | LUA_MASKRET, count);
}

// ---------------------------------------------------------------------------------------------------
// Memory
// ---------------------------------------------------------------------------------------------------

/// The host's allocator with a limit: for the scene and for Lua alike.
static void *counted_resize(void *user, void *old, size_t old_size, size_t new_size, size_t alignment) {
    lf_script *script = user;
    lf__budget *budget = &script->budget;
    size_t rest = budget->memory - (old ? old_size : 0);
    if (new_size > 0 && (new_size > budget->memory_limit || rest > budget->memory_limit - new_size)) {
        budget->scene_refused = true;
        return NULL;
    }
    void *block = script->base.resize(script->base.user, old, old ? old_size : 0, new_size, alignment);
    if (block || new_size == 0)
        budget->memory = rest + new_size;
    if (budget->memory > budget->peak)
        budget->peak = budget->memory;
    return block;
}

/// Stop the script at its next instruction. Its line is known while an object is created, but not while the
/// stack moves.
static void stop_soon(lf_script *script, lf__limit limit, bool object, size_t bytes) {
    if (script->budget.limit != LF__LIMIT_NONE)
        return;
    lf__budget_reached(script, limit, object ? lf__script_line(script->lua) : 0, bytes);
    set_hook(script->lua, 1);
}

static bool string_fits(lf_script *script, size_t size) {
    size_t length = size - script->budget.string_header;
    if (length <= LF__STRING_MOST)
        return true;
    stop_soon(script, LF__LIMIT_STRING, true, length);
    return length <= (size_t)STRING_GRANT * LF__STRING_MOST;
}

/// Is there memory for a block to grow by so much? When it is refused, Lua collects garbage and tries again.
static bool memory_fits(lf_script *script, const void *old, size_t old_size, size_t new_size) {
    lf__budget *budget = &script->budget;
    size_t reserve = budget->memory_limit / MEMORY_RESERVE, more = new_size - old_size;
    reserve = reserve < MEMORY_GRANT ? reserve : MEMORY_GRANT;
    if (more <= budget->memory_limit - reserve && budget->memory <= budget->memory_limit - reserve - more) {
        budget->refused_new = 0;
        return true;
    }
    if (budget->refused_new == new_size && budget->refused == old && budget->refused_old == old_size) {
        stop_soon(script, LF__LIMIT_MEMORY, false, 0);
        return true; // as long as the reserve lasts
    }
    budget->refused = old;
    budget->refused_old = old_size;
    budget->refused_new = new_size;
    add(budget, (int64_t)(budget->memory / COLLECT_BYTES));
    return false;
}

static void charge_block(lf__budget *budget, bool string, bool object, size_t size) {
    add(budget, 2 + (int64_t)(size / (string ? STRING_BYTES : BLOCK_BYTES)));
    if (string && size - budget->string_header > budget->longest)
        budget->longest = size - budget->string_header;
    if (!object && size > budget->largest)
        budget->largest = size;
}

void *lf__budget_lua_memory(void *user, void *old, size_t old_size, size_t new_size) {
    lf_script *script = user;
    lf__budget *budget = &script->budget;
    if (new_size == 0 && !old)
        return NULL;
    if (!budget->open || (old && new_size <= old_size))
        return counted_resize(script, old, old_size, new_size, ALIGNMENT);
    bool object = !old && old_size != 0, string = object && old_size == LUA_TSTRING;
    size_t before = old ? old_size : 0;
    if (string && !string_fits(script, new_size))
        return NULL;
    if (!old && !object && new_size > BLOCK_MOST) {
        stop_soon(script, LF__LIMIT_BLOCK, false, new_size);
        return NULL;
    }
    if (!memory_fits(script, old, before, new_size))
        return NULL;
    void *block = counted_resize(script, old, before, new_size, ALIGNMENT);
    if (block)
        charge_block(budget, string, object, new_size);
    return block;
}

// ---------------------------------------------------------------------------------------------------
// The scene, and the beginning
// ---------------------------------------------------------------------------------------------------

/// Progress of the scene and of other objects with the script's host. No error is raised from here: the limit
/// is noted, and the call that was stopped reports it.
static bool go_on(void *user, const char *stage, int64_t done, int64_t total) {
    lf_script *script = user;
    lf__budget *budget = &script->budget;
    (void)total;
    if (strcmp(stage, "scene") == 0) {
        add(budget, SCENE_COST * (done - budget->scene_work));
        budget->scene_work = done;
    }
    if (budget->limit == LF__LIMIT_NONE) {
        lf__limit limit = limit_now(budget);
        if (limit == LF__LIMIT_NONE && time_is_over(budget))
            limit = LF__LIMIT_TIME;
        if (limit != LF__LIMIT_NONE)
            lf__budget_reached(script, limit, script->lua ? lf__script_line(script->lua) : 0, 0);
    }
    return budget->limit == LF__LIMIT_NONE;
}

void lf__budget_open(lf_script *script) {
    script->counted = (lf_allocator){script, counted_resize};
    script->progress = (lf_progress){script, go_on};
    script->host = (lf_host){&script->counted, NULL, &script->progress, NULL};
    lf__budget_renew(script);
}

void lf__budget_start(lf_script *script) {
    static const char text[100] = "x";
    lf__budget *budget = &script->budget;
    lua_gc(script->lua, LUA_GCSTOP);
    size_t before = budget->memory;
    lua_pushlstring(script->lua, text, sizeof text);
    budget->string_header = budget->memory - before - sizeof text;
    lua_pop(script->lua, 1);
    lua_gc(script->lua, LUA_GCRESTART);
    budget->open = true;
    set_hook(script->lua, HOOK_STEP);
}

void lf__budget_renew(lf_script *script) {
    lf__budget *budget = &script->budget;
    budget->instructions_before = budget->clock_at = budget->instructions;
    budget->output = 0;
    budget->deadline = budget->time_limit > 0 ? seconds_now() + budget->time_limit : LF_INFINITY;
}
