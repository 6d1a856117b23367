/// landfall/script.h: worlds written in Lua (library landfall-script).
///
/// A script says what objects are made of, puts instances of them into a scene, sets up watches, and reacts to what happens. What it
/// can call is told in docs/scenes.md. It runs shut in: it reaches no files and nothing of the system, it can neither read nor make
/// compiled code, and it has limits of instructions, memory, time and output. Everything that it makes Lua or the scene do is charged in
/// instructions; no string is longer than 65,536 bytes, no call has more than 255 arguments or results, and no table more than some 65,000 keys outside its list. A script
/// that has reached a limit cannot go on. Only the time limit depends on the machine: a script that it does not end does the same everywhere. Numbers are read and written with a point, whatever the locale.
/// Models it gets only from its caller, by name (lf_script_def.load).
///
/// Callbacks. `say` and `load` are called in the middle of the script's work. lf_script_step returns LF_BAD_ARGUMENT there, and lf_script_destroy is
/// ignored. The script's scene may be asked, and changed unless a watch's own function is running (then its calls return LF_BAD_ARGUMENT).
#ifndef LANDFALL_SCRIPT_H
#define LANDFALL_SCRIPT_H

#include <landfall/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a script may be told before it starts: world.setting(name, default) hands it out.
typedef struct lf_script_setting {
    const char *name;  ///< a letter, then letters, digits and _; up to 63 bytes
    const char *value; ///< text; it is read as a number or a truth where the script's default is one
} lf_script_setting;

/// The longest name of a model that a script may ask for, in bytes.
#define LF_SCRIPT_MODEL_NAME 255

/// How to run a script; start from lf_script_def_default().
typedef struct lf_script_def {
    size_t size;      ///< stamped by the default function
    lf_host host;     ///< hooks of the caller
    const char *name; ///< what messages call it, such as its file's name; NULL: "script"
    const char *text; ///< Lua 5.4, not compiled; need not stay
    size_t length;    ///< bytes of it
    int64_t
        instructions; ///< that it may spend on being read, and on each step; above 0, 50 million by default
    size_t memory;    ///< bytes that it and its scene may hold; above 0, 256 MB by default
    void (*say)(void *user,
                const char *text); ///< what the script says, without a line's end; NULL: nobody hears it
    void *user;                    ///< passed to the callbacks
    /// Makes the model that the script names by `shape = "model", file = NAME`; NULL: there are none. The name is of 1 to
    /// LF_SCRIPT_MODEL_NAME bytes, relative, in steps split by "/", none of which is empty, "." or ".."; \, : and control characters
    /// are not in it. Each name is asked for once. Memory is to come from the host, so that it counts; the model then belongs to the script. On
    /// failure the script ends with the text of the error.
    lf_status (*load)(void *user, const char *name, const lf_host *host, lf_model **model, lf_error *error);
    const lf_script_setting
        *settings;         ///< copied; each has to be asked for by the time the script has been read
    int64_t setting_count; ///< 0 or more
    const lf_ground *land; ///< what world.land() gives the script; borrowed, must outlive it; NULL: nothing
    double
        time_limit; ///< seconds by the clock that being read, and each step, may take; 0: no limit; 60 by default
    size_t output; ///< bytes that it may print while it is read, and in each step; 1 MiB by default
    const lf_contact_method *const
        *methods; ///< that its watches may name besides "exact", the last is NULL; borrowed; NULL: none
} lf_script_def;

static inline lf_script_def lf_script_def_default(void) {
    lf_script_def def = {sizeof(lf_script_def),
                         {NULL, NULL, NULL, NULL},
                         NULL,
                         NULL,
                         0,
                         50000000,
                         (size_t)256 << 20,
                         NULL,
                         NULL,
                         NULL,
                         NULL,
                         0,
                         NULL,
                         60,
                         (size_t)1 << 20,
                         NULL};
    return def;
}

typedef struct lf_script lf_script;

/// Read a script and run it once, which sets up its world.
/// script  written only on success; destroy it with lf_script_destroy
/// error   optional; the text has the script's name and the line, `where` the line
/// Errors: LF_BAD_FORMAT (the script is wrong, calls something wrongly, or knows nothing of a setting), LF_TOO_LARGE (it has spent its instructions, its time or its output, or made a string or table that is too large), LF_NO_MEMORY (it
/// has spent its memory, or there is none), LF_BAD_ARGUMENT (the def). Allocates with the host's allocator. Threads: any.
LF_API lf_status lf_script_create(const lf_script_def *def, lf_script **script, lf_error *error);

/// Destroy a script with its scene and its grounds; NULL is allowed. Threads: no other thread may be using it.
LF_API void lf_script_destroy(lf_script *script);

/// Let time pass: the reactions to "tick" run, then what was sent since the last step is delivered, then the scene makes a step, then
/// watches react to its events, and what they send is delivered.
/// dt     seconds, above 0, finite
/// error  optional
/// Errors: as lf_script_create; LF_BAD_ARGUMENT (dt; called from `say` or `load`). After an error the script is good for nothing but lf_script_destroy.
/// Threads: one at a time.
LF_API lf_status lf_script_step(lf_script *script, double dt, lf_error *error);

/// The scene of a script: it belongs to it, may be asked, and changed between steps. lf_scene_events tells what the last step did.
LF_API lf_scene *lf_script_scene(lf_script *script);

/// The grounds of a script, as many as there is space for; returns how many there are: the one it was given, then those it has made, which belong to it.
LF_API int64_t lf_script_grounds(const lf_script *script, const lf_ground **grounds, int64_t capacity);

/// What a script has done and holds.
typedef struct lf_script_stats {
    int64_t instructions; ///< spent since it was made, with what it was charged for
    size_t memory;        ///< bytes that it and its scene hold
    size_t peak;          ///< and the most there were
    int64_t reactions;    ///< functions that were called for ticks, events and what was sent
    bool stopped;         ///< it has asked for the run to end
    bool eye_set;         ///< it has said from where the world is to be seen
    lf_eye eye;           ///< from there; the default when it has not
} lf_script_stats;

/// Describe a script, not NULL. Allocates nothing.
LF_API lf_script_stats lf_script_describe(const lf_script *script);

#ifdef __cplusplus
}
#endif
#endif
