/// landfall/watch.h: standing questions about a scene: tell me when these two touch, or will touch within t seconds.
///
/// A world runs like this: move and change things, lf_scene_step, read the events, react, and so on. A step looks at everything that
/// happened since the last one, not only at where things are at its end: two things that pass through each other in
/// between are told, with the time when they met.
#ifndef LANDFALL_WATCH_H
#define LANDFALL_WATCH_H

#include <landfall/contact.h>
#include <landfall/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lf_watch {
    uint32_t index, generation;
} lf_watch;

/// One side of a watch: name, value, word, who it is.
#define LF_WHO_LIST(X)                                                                     \
    X(LF_WHO_ANYTHING, 0, "anything", "every instance there is, those to come too")        \
    X(LF_WHO_INSTANCE, 1, "instance", "one instance")                                      \
    X(LF_WHO_PART, 2, "part", "one part of an instance, with all below it")                \
    X(LF_WHO_TAG, 3, "tag", "every part of an instance that has a tag, those to come too") \
    X(LF_WHO_GROUND, 4, "ground", "the watch's ground; for b only")                        \
    X(LF_WHO_NOTHING, 5, "nothing",                                                        \
      "for b only: a begin is told when a touches no instance any more, an end when it does")

typedef enum lf_who_kind {
#define LF_WHO_ENUM(name, value, word, text) name = value,
    LF_WHO_LIST(LF_WHO_ENUM)
#undef LF_WHO_ENUM
} lf_who_kind;

typedef struct lf_who {
    lf_who_kind kind;
    lf_instance instance;
    lf_part part;
    const char *tag; ///< copied
} lf_who;

/// How exactly is looked: name, value, word, what is compared. Each looks closer only where the one before says yes.
#define LF_LEVEL_LIST(X)                                                             \
    X(LF_LEVEL_BOXES, 0, "boxes", "the boxes of the two")                            \
    X(LF_LEVEL_PARTS, 1, "parts", "the boxes of the shapes that they are made of")   \
    X(LF_LEVEL_CONVEX, 2, "convex", "the shapes, each as its convex hull")           \
    X(LF_LEVEL_MODEL, 3, "model", "the shapes as they are: hollows and holes count") \
    X(LF_LEVEL_OWN, 4, "own", "a function of the caller's, asked where the boxes meet")

typedef enum lf_level {
#define LF_LEVEL_ENUM(name, value, word, text) name = value,
    LF_LEVEL_LIST(LF_LEVEL_ENUM)
#undef LF_LEVEL_ENUM
} lf_level;

/// The word of a level, such as "convex"; "?" for a value that is none. Static text. Allocates nothing. Threads: any.
LF_API const char *lf_level_word(lf_level level);

/// What happened: name, value, word, what it means.
#define LF_EVENT_LIST(X)                                                                                   \
    X(LF_EVENT_BEGIN, 0, "begin", "they touch, and did not before")                                        \
    X(LF_EVENT_STAY, 1, "stay",                                                                            \
      "they go on touching; told at each step, and only to watches that ask for it")                       \
    X(LF_EVENT_END, 2, "end", "they touch no longer, or one of them is gone")                              \
    X(LF_EVENT_PREDICTED, 3, "predicted", "if they go on like this they will touch within the time ahead") \
    X(LF_EVENT_CLEARED, 4, "cleared", "they will not any more; not told when the prediction came true")

typedef enum lf_event_kind {
#define LF_EVENT_ENUM(name, value, word, text) name = value,
    LF_EVENT_LIST(LF_EVENT_ENUM)
#undef LF_EVENT_ENUM
} lf_event_kind;

/// The word of an event, such as "begin"; "?" for a value that is none. Static text. Allocates nothing. Threads: any.
LF_API const char *lf_event_word(lf_event_kind kind);

/// The bit of an event in a watch's `events`.
#define LF_EVENT_BIT(kind) (1u << (kind))

/// A thing that a watch speaks of: an instance, and the part where it is one.
typedef struct lf_thing {
    lf_instance instance; ///< none for ground and nothing
    lf_part part;         ///< none when all of the instance is meant
} lf_thing;

/// What a function of the caller's is asked: when do these two touch, if they go on like this?
typedef struct lf_own_question {
    lf_scene *scene; ///< may be asked; calls that change it return LF_BAD_ARGUMENT
    lf_thing a, b;
    double ahead; ///< seconds
} lf_own_question;

/// How to make a watch; start from lf_watch_def_default().
typedef struct lf_watch_def {
    size_t size; ///< stamped by the default function
    lf_who a, b;
    const lf_ground *ground;  ///< for LF_WHO_GROUND; must outlive the watch
    double ahead;             ///< seconds, 0 or more: contacts up to so far ahead are predicted; 0: none are
    int64_t ahead_ticks;      ///< the same in steps of the length of the last one; what is longer counts
    lf_level level;           ///< boxes by default
    lf_contact_method method; ///< how boxes are predicted; see contact.h
    uint32_t events;          ///< bits of the events wanted; all but LF_EVENT_STAY by default
    double gap;               ///< metres, 0 or more: an end is told only when they are so far apart (boxes)
    double slack;   ///< 0 or more: a prediction stands until there is no contact within (1 + slack) times
                    ///< the time ahead; 0.25 by default. It is told anew when its moment moves
                    ///< by more than slack times the time ahead, at least by half a step
    bool own_parts; ///< also two parts of one instance, neither of them below the other
    double budget;  ///< seconds that the watch may spend on looking closer than at boxes of parts, at each
                    ///< step; INFINITY by default. Who comes later is told as those boxes say, and marked
    double (*own)(void *user,
                  const lf_own_question *question); ///< seconds until contact, 0: now; INFINITY: not
                                                    ///< within the time ahead
    void *own_user;
    uint64_t user; ///< comes back in the events
} lf_watch_def;

/// The default: anything against anything, by boxes, nothing ahead.
static inline lf_watch_def lf_watch_def_default(void) {
    lf_watch_def def = {sizeof(lf_watch_def),
                        {LF_WHO_ANYTHING, {0, 0}, {0, 0}, NULL},
                        {LF_WHO_ANYTHING, {0, 0}, {0, 0}, NULL},
                        NULL,
                        0,
                        0,
                        LF_LEVEL_BOXES,
                        LF_CONTACT_EXACT,
                        LF_EVENT_BIT(LF_EVENT_BEGIN) | LF_EVENT_BIT(LF_EVENT_END) |
                            LF_EVENT_BIT(LF_EVENT_PREDICTED) | LF_EVENT_BIT(LF_EVENT_CLEARED),
                        0,
                        0.25,
                        false,
                        LF_INFINITY,
                        NULL,
                        NULL,
                        0};
    return def;
}

/// The same for languages that cannot inline: writes at most `size` bytes of the default to def.
LF_API void lf_watch_def_init(lf_watch_def *def, size_t size);

/// Set up a watch; it looks from the next step on. Two things that touch already are told then.
/// watch  written only on success; optional
/// error  optional
/// Errors: LF_BAD_ARGUMENT (ids, sides that cannot be, numbers), LF_TOO_LARGE (tags), LF_NO_MEMORY.
LF_API lf_status lf_watch_create(lf_scene *scene, const lf_watch_def *def, lf_watch *watch, lf_error *error);

/// End a watch; what it knew is forgotten and not told.
LF_API lf_status lf_watch_remove(lf_scene *scene, lf_watch watch);

/// One thing that happened to one pair. A pair is told once to each watch, however many of their parts meet.
typedef struct lf_event {
    lf_event_kind kind;
    lf_watch watch;
    lf_thing a, b; ///< as the watch names its sides; where both fit both, the one with the lower index first
    lf_part part_a, part_b; ///< shapes that met, by the levels that know; none otherwise
    double
        time; ///< of the contact by the scene's clock: begin: when it began; predicted: when it will; otherwise: now
    double wait; ///< seconds from the end of this step to that time: not above 0 for what has happened
    bool coarse; ///< the watch's budget was spent: boxes of parts said so
    lf_hit
        ground; ///< for LF_WHO_GROUND: the ground under the middle of the thing at that time, or else over it
    uint64_t user; ///< of the watch
} lf_event;

/// Let time pass: carry what the scene carries, set down what follows a ground, bring boxes and velocities up to date, and find out what
/// happened to every watch.
/// dt  seconds, above 0, finite
/// What is exact. A step takes every thing straight from where it was at the end of the last step to where it is. Boxes and boxes of parts: each
/// side of a box moves evenly; whether, and when, they touch on the way is the closed form's answer. Convex and model: shapes have the form they
/// have now and turn evenly, with their instance about its origin, or, where they moved by themselves, about their own, by less than half a turn; never late and
/// never missed, early by no more than 1e-6 of the size of the two on their way. Against ground a thing is moved straight, in its
/// present form; the time is early by at most 1e-6 of the interval looked at. What was made, or has jumped, since the last step comes from where it was put.
/// Two things that touch before and after the step are said to go on touching, even if they were apart for a moment between.
/// Predictions start from the velocities (and the spins) at the end of the step.
/// error  optional; `where` is the index of the watch that was at work, -1 when there was none
/// Errors: LF_BAD_ARGUMENT (dt; called from a callback of the scene), LF_NO_MEMORY, LF_CANCELLED (by the scene's host.progress): things have moved then, and the events that could be
/// found are there.
LF_API lf_status lf_scene_step(lf_scene *scene, double dt, lf_error *error);

/// What the last step told. The order is fixed: by time, then by the watch's index, then by a, then by b (instance, then part), then by
/// kind. Predictions go by the time that is predicted, which is never before the end of the step.
/// events  belongs to the scene and stays until the next step
/// count   how many
/// Errors: LF_BAD_ARGUMENT (also while a step is under way, in its callbacks). Allocates nothing.
LF_API lf_status lf_scene_events(const lf_scene *scene, const lf_event **events, int64_t *count);

/// Seconds until a thing meets a ground if it goes on like this: the question behind a watch on LF_WHO_GROUND.
/// thing    an instance, or a part of one
/// level    boxes, parts, or model (the triangles of the shapes; convex is the same here)
/// ahead    seconds, above 0 and finite
/// seconds  written on success: 0 when it touches the ground or is, in part, under it; INFINITY when it does not meet it within `ahead`. Never late, early by at
///          most 1e-6 of `ahead`; a thing that spins is taken as the cube that holds it in every turn. Ground that is smaller than
///          one triangle of the thing swept over `ahead`, and wholly inside that, is not felt
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY. Threads: one at a time for a scene.
LF_API lf_status lf_scene_ground_time(lf_scene *scene, lf_thing thing, const lf_ground *ground,
                                      lf_level level, double ahead, double *seconds);

#ifdef __cplusplus
}
#endif
#endif
