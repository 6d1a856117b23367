/// landfall/script.h: scenes written in Lua (library landfall-script).
///
/// A script defines objects, creates instances of them in a scene, creates watches, and reacts to events. docs/scenes.md
/// describes what it can call. Scripts run in a sandbox: no files, nothing of the system, no compiled code, and limits of
/// instructions, memory, time and output. All work that a script causes in Lua or in the scene is charged in instructions.
/// Strings have at most 65,536 bytes, calls at most 255 arguments or results, and tables about 65,000 keys outside of their
/// list. A script that reaches a limit cannot continue. Only the time limit depends on the machine: otherwise a script does
/// the same everywhere. Numbers are read and written with a decimal point in every locale. Models come only from the
/// caller, by name (lf_script_def.load).
///
/// Callbacks. `say` and `load` are called while the script runs. lf_script_step returns LF_BAD_ARGUMENT there, and
/// lf_script_destroy is ignored. The scene of the script may be queried, and changed except while the function `own` of a
/// watch runs (calls that change it then return LF_BAD_ARGUMENT).
#ifndef LANDFALL_SCRIPT_H
#define LANDFALL_SCRIPT_H

#include <landfall/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A setting of a script, which reads it by world.setting(name, default).
typedef struct lf_script_setting {
    const char *name;  ///< a letter, then letters, digits and _; up to 63 bytes
    const char *value; ///< text; converted to a number or boolean if the default in the script is one
} lf_script_setting;

/// Longest name of a model, in bytes.
#define LF_SCRIPT_MODEL_NAME 255

/// How to run a script; start from lf_script_def_default().
typedef struct lf_script_def {
    size_t size;      ///< stamped by the default function
    lf_host host;     ///< hooks of the caller
    const char *name; ///< in messages, such as the name of its file; NULL: "script"
    const char *text; ///< Lua 5.4 source; only read by lf_script_create
    size_t length;    ///< of the text, bytes
    /// Largest number of instructions when it is read, and in each step; > 0, 50 million by default.
    int64_t instructions;
    size_t memory; ///< largest number of bytes of it and its scene; > 0, 256 MB by default
    void (*say)(void *user,
                const char *text); ///< receives output, without a newline; NULL: discarded
    void *user;                    ///< passed to the callbacks
    /// Creates the model of `shape = "model", file = NAME`; NULL: there are no models. The name has 1 to
    /// LF_SCRIPT_MODEL_NAME bytes: a relative path separated by "/", without empty components, "." or "..", and without
    /// \, : and control characters. It is called once for each name. Memory should come from the given host, so that it
    /// counts; the model then belongs to the script. On failure the script ends with the text of the error.
    lf_status (*load)(void *user, const char *name, const lf_host *host, lf_model **model, lf_error *error);
    /// Copied; the script must read each of them while it is created.
    const lf_script_setting *settings;
    int64_t setting_count; ///< 0 or more
    const lf_ground *land; ///< returned by world.land(); borrowed, must outlive the script; NULL: none
    /// Longest time to read it, and of each step, in seconds; 0: no limit; 60 by default.
    double time_limit;
    size_t output; ///< largest output while it is read, and in each step, in bytes; 1 MiB by default
    const lf_contact_method *const
        *methods; ///< that its watches may name besides "exact", the last is NULL; borrowed; NULL: none
    /// Of a land on a globe: its ellipsoid, only read by lf_script_create; NULL: the land is not on a globe.
    const lf_ellipsoid *ellipsoid;
    /// Of a land on a globe: the pose of the script's coordinates (lf_ellipsoid_pose: x east, y north, z up), rigid. The land
    /// is in the script's coordinates: a group whose globe has the inverse pose.
    lf_pose place;
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
                         NULL,
                         NULL,
                         {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}}};
    return def;
}

/// A script and its scene.
typedef struct lf_script lf_script;

/// Read a script and run it once, which sets up its scene.
/// script  written only on success; destroy it with lf_script_destroy
/// error   optional; the text has the script's name and the line, `where` the line
/// Errors: LF_BAD_FORMAT (an error in the script, or a setting that it does not read), LF_TOO_LARGE (the limit of
/// instructions, time or output, or a string or table that is too large), LF_NO_MEMORY (its limit of memory, or no memory),
/// LF_BAD_ARGUMENT (the def). Allocates with the host's allocator. Threads: any.
LF_API lf_status lf_script_create(const lf_script_def *def, lf_script **script, lf_error *error);

/// Destroy a script with its scene and its grounds; NULL is accepted. Ignored in callbacks. Threads: no other thread may use
/// it.
LF_API void lf_script_destroy(lf_script *script);

/// Advance a script by a time step: call the functions for "tick", deliver the messages sent since the last step, make a
/// step of the scene, call the functions of watches for its events, and deliver the messages that these sent.
/// dt     seconds, > 0, finite
/// error  optional
/// Errors: as lf_script_create; LF_BAD_ARGUMENT (dt; called from `say` or `load`). After an error only lf_script_destroy may
/// be called.
/// Threads: one at a time.
LF_API lf_status lf_script_step(lf_script *script, double dt, lf_error *error);

/// The scene of a script, which owns it. It may be queried, and changed between steps; lf_scene_events returns the events of
/// the last step.
LF_API lf_scene *lf_script_scene(lf_script *script);

/// The grounds of a script: the one of its def, then those that it created, which it owns.
/// grounds  space for capacity of them
/// Returns how many there are; when more than capacity, the first are written.
LF_API int64_t lf_script_grounds(const lf_script *script, const lf_ground **grounds, int64_t capacity);

/// Statistics of a script.
typedef struct lf_script_stats {
    int64_t instructions; ///< since it was created, with those that it was charged
    size_t memory;        ///< of it and its scene, bytes
    size_t peak;          ///< largest memory so far
    int64_t reactions;    ///< calls for ticks, events and messages
    bool stopped;         ///< it requested the end of the run
    bool view_set;        ///< the script has set a view (world.eye)
    lf_view view;         ///< that view; lf_view_default() where it has not
} lf_script_stats;

/// Describe a script, not NULL. Allocates nothing.
LF_API lf_script_stats lf_script_describe(const lf_script *script);

#ifdef __cplusplus
}
#endif
#endif
