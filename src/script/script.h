/// A script from the inside.
///
/// Lua leaves functions by a jump when something is wrong, so no function that can be left so may hold anything that has to be given
/// back: temporary arrays are Lua's own (lf__script_room).
#ifndef LF_SCRIPT_SCRIPT_H
#define LF_SCRIPT_SCRIPT_H

#include "base/array.h"
#include "base/base.h"
#include <landfall/grid.h>
#include <landfall/script.h>
#include <lauxlib.h>
#include <locale.h>
#include <lua.h>

/// What a handle is of; each has its own methods.
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

struct lf_script {
    lf_allocator base;    ///< the host's
    lf_allocator counted; ///< the same within the budget
    size_t memory, peak, memory_limit;
    bool memory_spent;
    bool no_memory;  ///< why the scene, or a model, failed last
    lf_host host;    ///< of the scene and the grounds
    locale_t locale; ///< numbers with a point
    char name[128];
    lua_State *lua;
    lf_scene *scene;
    lf__array grounds; ///< of lf__script_ground; the caller's, if there is one, is the first
    lf__array models;  ///< of lf__script_model
    lf_status (*load)(void *user, const char *name, const lf_host *host, lf_model **model, lf_error *error);
    void (*say)(void *user, const char *text);
    void *user;
    int64_t instructions, instruction_limit, instructions_before;
    int64_t reactions;
    lf_eye eye;
    bool eye_set, stopped, failed;
    int running; ///< steps, and calls of Lua: the caller's functions must not step or free it meanwhile
    bool asking; ///< a watch's own function is running: it must not change the world
    int failure; ///< where the registry keeps what `failed` is about
};

static inline lf_script *lf__script_of(lua_State *L) {
    return *(lf_script **)lua_getextraspace(L);
}

// Sandbox ------------------------------------------------------------------------------------------

/// A state with what a script may use, and nothing else.
lf_status lf__sandbox_open(lf_script *script);

/// Call a function that lies on the stack under its arguments, within the budget. On failure the message is in error.
lf_status lf__sandbox_call(lf_script *script, int arguments, lf_error *error);

/// As lua_pcall from within a call: the message of a failure is kept and thrown on by lf__script_throw.
bool lf__script_inner_call(lua_State *L, int arguments, int results);
void lf__script_throw(lua_State *L);

// Handles ------------------------------------------------------------------------------------------

void lf__handles_open(lua_State *L);
/// Push the handle of an id: the same one as long as Lua holds it. nil for none.
void lf__handle_push(lua_State *L, lf__handle_kind kind, uint32_t index, uint32_t generation);
/// The handle at a place of the stack, or an error that names what was wanted.
lf__handle *lf__handle_check(lua_State *L, int at, lf__handle_kind kind);
/// The same or NULL.
lf__handle *lf__handle_test(lua_State *L, int at, lf__handle_kind kind);
/// Set methods of a kind that only ask; and those that change the world, which a watch's own function is refused.
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

/// Throw what a call of the library said.
void lf__script_check(lua_State *L, lf_status status, const lf_error *error);
/// Room that Lua gives back, on top of the stack.
void *lf__script_room(lua_State *L, int64_t count, size_t each);
/// {x, y, z} at a place of the stack; `name` is what messages call it.
lf_vec3 lf__script_vec(lua_State *L, int at, const char *name);
/// Three numbers as arguments from a place on.
lf_vec3 lf__script_three(lua_State *L, int at);
/// A field of a table: {x, y, z}, or one number for all three; false when it is not there.
bool lf__script_field_vec(lua_State *L, int table, const char *name, lf_vec3 *value);
bool lf__script_field_number(lua_State *L, int table, const char *name, double *value);
bool lf__script_field_flag(lua_State *L, int table, const char *name);
/// A field of a table that is text; NULL when it is not there. It is left on the stack (or nil), which keeps it: the table need
/// not, where a metatable made it up.
const char *lf__script_field_text(lua_State *L, int table, const char *name);
/// {red, green, blue[, opacity]} in a field.
bool lf__script_field_paint(lua_State *L, int table, const char *name, lf_paint *paint);
/// A table's shape, with arrays that stay as long as what was pushed; pushes up to six values.
lf_shape lf__script_shape(lua_State *L, int table);
/// The model with a name, read when it is asked for the first time.
const lf_model *lf__script_model_of(lua_State *L, const char *name);
void lf__script_free_models(lf_script *script);
/// A part and all below it, as a table says.
lf_part lf__script_add_part(lua_State *L, lf_part above, int table);

// What there is --------------------------------------------------------------------------------------

void lf__script_open_parts(lua_State *L);
void lf__script_open_instances(lua_State *L);
void lf__script_open_watches(lua_State *L);
void lf__script_open_world(lua_State *L);

/// Let a script have its settings; afterwards, an error for the first that it has not asked for.
void lf__script_open_settings(lua_State *L, const lf_script_setting *settings, int64_t count);
void lf__script_check_settings(lua_State *L, const lf_script_setting *settings, int64_t count);
/// Are names and values what they should be?
lf_status lf__settings_valid(const lf_script_setting *settings, int64_t count, lf_error *error);

/// A level by its word, but for "own", or an error.
lf_level lf__script_level(lua_State *L, const char *word);
/// Push an event as a table.
void lf__script_push_event(lua_State *L, const lf_event *event);
const lf_ground *lf__script_ground_at(lua_State *L, int at);

/// Deliver what was sent.
lf_status lf__script_deliver(lf_script *script, lf_error *error);
/// Call every function that waits for a word, with arguments that lie on the stack from `first` on.
lf_status lf__script_react(lf_script *script, const char *word, int first, lf_error *error);

#endif
