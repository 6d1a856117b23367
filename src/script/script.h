/// What the files of scripts share.
///
/// Lua leaves functions by longjmp on an error, so no function that Lua can leave may own memory or other
/// resources: temporary arrays are allocated by Lua (lf__script_buffer).
#ifndef LF_SCRIPT_SCRIPT_H
#define LF_SCRIPT_SCRIPT_H

#include "base/containers.h"
#include <landfall/grid.h>
#include <landfall/script.h>
#include <lauxlib.h>
#include <locale.h>
#include <lua.h>

/// The kind of object that a handle refers to; each has its own methods.
typedef enum lf__handle_kind {
    LF__HANDLE_OBJECT,
    LF__HANDLE_INSTANCE,
    LF__HANDLE_PART,
    LF__HANDLE_WATCH,
    LF__HANDLE_GROUND,
    LF__HANDLE_KINDS
} lf__handle_kind;

/// What Lua holds: an id of the scene, or the number of a ground.
typedef struct lf__handle {
    uint32_t index, generation;
} lf__handle;

typedef struct lf__script_ground {
    lf_grid *grid; ///< NULL: the ground is the caller's
    const lf_ground *ground;
} lf__script_ground;

typedef struct lf__script_model {
    char name[LF_SCRIPT_MODEL_NAME + 1];
    lf_model *model;
} lf__script_model;

/// Which limit a script has reached. After the first it runs no further instruction.
typedef enum lf__limit {
    LF__LIMIT_NONE,
    LF__LIMIT_INSTRUCTIONS,
    LF__LIMIT_MEMORY,
    LF__LIMIT_TIME,
    LF__LIMIT_OUTPUT,
    LF__LIMIT_STRING, ///< bytes of one string
    LF__LIMIT_BLOCK   ///< bytes of one table, or of the stack
} lf__limit;

/// A traversal by `next` that the script can continue: the table and the last key.
typedef struct lf__traversal {
    const void *table;
    int type;
    uint64_t key;
} lf__traversal;

#define LF__TRAVERSALS 8

/// Limits and use of a script (script_budget.c). Instructions, output and time are counted from 0 in each step.
typedef struct lf__budget {
    int64_t instructions, instruction_limit; ///< since the script was made; per step
    int64_t instructions_before;             ///< when the step began
    size_t memory, peak, memory_limit;
    size_t output, output_limit;
    double time_limit, deadline;     ///< seconds; by the monotonic clock, INFINITY: none
    int64_t clock_at;                ///< instructions when the clock was last read
    int events;                      ///< of the hook since then
    int64_t scene_work;              ///< what the scene has reported
    size_t string_header;            ///< bytes of a string's block that are not text
    size_t longest;                  ///< bytes of the longest string so far
    size_t largest;                  ///< bytes of the largest block of a table so far
    bool open;                       ///< the libraries are loaded: limits of strings and blocks hold
    const void *refused;             ///< the last block that was refused, and its sizes:
    size_t refused_old, refused_new; ///< the same again means that garbage has been collected meanwhile
    lf__traversal traversals[LF__TRAVERSALS];
    int traversal;      ///< the one to forget next
    int line;           ///< of the script, when the hook last ran
    bool scene_refused; ///< the scene was refused memory
    lf__limit limit;
    size_t limit_bytes; ///< the requested size
    int64_t limit_line; ///< where the limit was reached; -1: unknown
    bool vague;         ///< that line is only where the hook last ran
    bool in_watch;      ///< it is where the running watch was created
    char text[384];     ///< message about that, with file and line
} lf__budget;

struct lf_script {
    lf_allocator base;    ///< the host's
    lf_allocator counted; ///< the same within the budget
    lf__budget budget;
    bool no_memory; ///< why the scene, or a model, failed last
    lf_host host;   ///< of the scene and the grounds
    lf_progress progress;
    lf_cursor *cursor; ///< counts the work of queries
    locale_t locale;   ///< numbers with a point
    char name[128];
    lua_State *lua;
    lf_scene *scene;
    lf__array grounds; ///< of lf__script_ground; the caller's, if there is one, is the first
    lf__array models;  ///< of lf__script_model
    lf_group *everything,
        *all_grounds;      ///< the world as one ground, and without the scene's shapes; NULL: not made yet
    int64_t world_grounds; ///< grounds that are in them
    bool world_stale;      ///< the scene may have changed since they were brought up to date
    bool on_globe;         ///< the caller's ground is a globe, with this ellipsoid,
    lf_ellipsoid ellipsoid;
    lf_pose place; ///< and this is the pose of the script's coordinates
    lf_status (*load)(void *user, const char *name, const lf_host *host, lf_model **model, lf_error *error);
    void (*say)(void *user, const char *text);
    void *user;
    const lf_contact_method *const *methods; ///< or NULL
    lf__array watch_lines;                   ///< of int32_t: where each watch was made
    int64_t reactions;
    lf_view view;
    bool view_set, stopped, failed;
    int running; ///< steps, and calls of Lua: the caller's functions must not step or free it meanwhile
    bool asking; ///< a watch's own function is running: it must not change the world
    int failure; ///< where the registry keeps what `failed` is about
};

static inline lf_script *lf__script_of(lua_State *L) {
    return *(lf_script **)lua_getextraspace(L);
}

// Budget -------------------------------------------------------------------------------------------

/// The longest string that a script may make, in bytes.
#define LF__STRING_MOST 65536
/// The most arguments and results of a call.
#define LF__VALUES_MOST 255

/// The allocators of the scene and of Lua, both within the memory limit, and the progress that stops the scene.
void lf__budget_open(lf_script *script);
void *lf__budget_lua_memory(void *user, void *old, size_t old_size, size_t new_size);
/// From now on the hook counts, and strings and blocks have a limit. Called with an empty state.
void lf__budget_start(lf_script *script);
/// A new step begins: instructions, output and time are counted from here.
void lf__budget_renew(lf_script *script);
/// Count work that is worth so many instructions; leaves by a jump when a limit has been reached.
void lf__script_charge(lua_State *L, int64_t instructions);
/// The same for work that grows with the longest string.
void lf__script_charge_strings(lua_State *L, int64_t instructions);
/// Charge for going through the table at a place of the stack from its beginning.
void lf__script_charge_table(lua_State *L, int at);
/// Charge for what queries with the script's cursor have done since the last call.
void lf__script_charge_cursor(lua_State *L);
/// Count output; leaves by a jump when it is too much.
void lf__script_charge_output(lua_State *L, size_t bytes);
/// `next` that charges for the slots it has to go over.
int lf__script_next(lua_State *L);
/// The line of the script that runs; 0 when none does.
int lf__script_line(lua_State *L);
/// Note that a limit has been reached at a line; 0: not known, the last line that is known stands in. Only
/// the first limit counts.
void lf__budget_reached(lf_script *script, lf__limit limit, int64_t line, size_t bytes);
/// Name the line of the limit, if it was not known: one that ran, or where the watch was made that was at work.
void lf__budget_locate(lf_script *script, int64_t line, bool watch);
lf_status lf__limit_status(lf__limit limit);

// Sandbox ------------------------------------------------------------------------------------------

/// A state with only those functions that a script may use.
lf_status lf__sandbox_open(lf_script *script);

/// Call a function that lies on the stack under its arguments, within the budget. On failure the message is
/// in error.
lf_status lf__sandbox_call(lf_script *script, int arguments, lf_error *error);

/// As lua_pcall from within a call: the message of a failure is kept and thrown on by lf__script_throw.
bool lf__script_inner_call(lua_State *L, int arguments, int results);
void lf__script_throw(lua_State *L);

// Handles ------------------------------------------------------------------------------------------

void lf__handles_open(lua_State *L);
/// Push the handle of an id: the same one as long as Lua holds it. nil for none.
void lf__handle_push(lua_State *L, lf__handle_kind kind, uint32_t index, uint32_t generation);
/// The handle at a place of the stack, or an error that names the expected kind.
lf__handle *lf__handle_check(lua_State *L, int at, lf__handle_kind kind);
/// The same or NULL.
lf__handle *lf__handle_test(lua_State *L, int at, lf__handle_kind kind);
/// Set the methods of a kind that only read, and those that change the world, which a watch's own function
/// may not call.
void lf__handle_methods(lua_State *L, lf__handle_kind kind, const luaL_Reg *methods);
void lf__handle_changes(lua_State *L, lf__handle_kind kind, const luaL_Reg *methods);
/// The same for functions of the table `world`.
void lf__world_changes(lua_State *L, const luaL_Reg *functions);
/// An error that names a call, such as "part:move", where the world must not be changed.
void lf__script_may_change(lua_State *L, const char *call);

static inline lf_part lf__part_at(lua_State *L, int at) {
    lf__handle *h = lf__handle_check(L, at, LF__HANDLE_PART);
    return (lf_part){h->index, h->generation};
}

static inline lf_instance lf__instance_at(lua_State *L, int at) {
    lf__handle *h = lf__handle_check(L, at, LF__HANDLE_INSTANCE);
    return (lf_instance){h->index, h->generation};
}

// Reading ------------------------------------------------------------------------------------------

/// Raise the error of a failed call of the library.
void lf__script_check(lua_State *L, lf_status status, const lf_error *error);
/// A buffer that Lua frees, on top of the stack.
void *lf__script_buffer(lua_State *L, int64_t count, size_t each);
/// {x, y, z} at a place of the stack; `name` is what messages call it.
lf_vec3 lf__script_vec(lua_State *L, int at, const char *name);
/// Three numbers as arguments from a place on.
lf_vec3 lf__script_three(lua_State *L, int at);
/// A field of a table: {x, y, z}, or one number for all three; false when it is not there.
bool lf__script_field_vec(lua_State *L, int table, const char *name, lf_vec3 *value);
bool lf__script_field_number(lua_State *L, int table, const char *name, double *value);
bool lf__script_field_flag(lua_State *L, int table, const char *name);
/// A field of a table that is text; NULL when it is not there. It is left on the stack (or nil), which keeps
/// it: the table need not, where a metatable made it up.
const char *lf__script_field_text(lua_State *L, int table, const char *name);
/// {red, green, blue[, opacity]} in a field.
bool lf__script_field_paint(lua_State *L, int table, const char *name, lf_paint *paint);
/// A table's shape, with arrays that stay as long as what was pushed; pushes up to six values.
lf_shape lf__script_shape(lua_State *L, int table);
/// The model with a name, read on first use.
const lf_model *lf__script_model_of(lua_State *L, const char *name);
void lf__script_free_models(lf_script *script);
/// The part with a label, at or under a part; charged for every part that is visited.
lf_part lf__script_find(lua_State *L, lf_part under, const char *label);
/// A part and all below it, as a table says.
lf_part lf__script_add_part(lua_State *L, lf_part above, int table);

// Libraries of the script
// --------------------------------------------------------------------------------------

void lf__script_open_parts(lua_State *L);
void lf__script_open_instances(lua_State *L);
void lf__script_open_watches(lua_State *L);
void lf__script_open_world(lua_State *L);
void lf__script_open_questions(lua_State *L);

/// Grounds and scene that can be asked as one world, at most.
#define LF__SCRIPT_WORLD_PARTS 64
/// Free the world as a ground, before the scene and the grounds.
void lf__script_free_world(lf_script *script);
/// Push the height of a ground at or below a point, along z, or nil; charged.
int lf__script_push_height(lua_State *L, const lf_ground *ground, lf_vec3 point);

/// Pass settings to a script; afterwards, an error for the first that it has not read.
void lf__script_open_settings(lua_State *L, const lf_script_setting *settings, int64_t count);
void lf__script_check_settings(lua_State *L, const lf_script_setting *settings, int64_t count);
/// Are names and values valid?
lf_status lf__settings_valid(const lf_script_setting *settings, int64_t count, lf_error *error);

/// A level by its name, except "own", or an error.
lf_watch_precision lf__script_level(lua_State *L, const char *word);
/// Push an event as a table.
void lf__script_push_event(lua_State *L, const lf_event *event);
const lf_ground *lf__script_ground_at(lua_State *L, int at);

/// Deliver the messages that were sent.
lf_status lf__script_deliver(lf_script *script, lf_error *error);
/// Call every function that is registered for a message, with the arguments on the stack from `first` on.
lf_status lf__script_react(lf_script *script, const char *word, int first, lf_error *error);

#endif
