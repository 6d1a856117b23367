/// Watches from the inside.
#ifndef LF_SCENE_WATCH_H
#define LF_SCENE_WATCH_H

#include "scene/scene.h"
#include <landfall/collide.h>
#include <landfall/scene.h>

/// Sides of a watch, as bits.
#define LF__SIDE_A 1u
#define LF__SIDE_B 2u

/// One side, as it was given.
typedef struct lf__who {
    lf_watch_filter_kind kind;
    lf_instance instance;
    lf_part part;
    int tag;
} lf__who;

/// A thing that takes part in a watch of many.
typedef struct lf__member {
    lf_thing thing;
    lf_pairs_id box;
    lf_box around; ///< what was last told to the search for pairs
    uint32_t sides;
    int64_t seen; ///< the step in which it was last found to belong
    int calm;     ///< steps since its box changed
    bool in_use;
    bool touched, free; ///< for watches on nothing: in this step, and as it was told last
} lf__member;

/// What a watch knows of a pair.
typedef struct lf__couple {
    lf_thing a, b;
    bool touching, predicted;
    double moment;  ///< by the scene's clock: of the contact that is predicted
    double sleep;   ///< not looked at before
    int64_t looked; ///< the step in which the above was found out
    int64_t seen;   ///< the step in which the pair was last near
    lf_part part_a, part_b;
} lf__couple;

/// Pairs, found by their two things.
typedef struct lf__couple_table {
    lf__couple *couples;
    int64_t count, room;
    uint32_t *places; ///< a hash table of numbers of pairs + 1; as many as a power of two
    int64_t place_count;
} lf__couple_table;

/// A pair that has to be looked at in this step.
typedef struct lf__candidate {
    lf_thing a, b;
    double step_time;  ///< seconds into the step when their boxes touch; INFINITY: they do not
    double ahead_time; ///< seconds from now, likewise
    bool now;          ///< their boxes touch at the end of the step
} lf__candidate;

typedef struct lf__watch {
    lf__slot slot;
    lf_watch_def def;
    lf__who a, b;
    double ahead;    ///< seconds, for this step
    double tick;     ///< seconds: the length of this step
    double spent;    ///< seconds of the budget
    lf_pairs *pairs; ///< for watches of many; NULL otherwise
    lf__member *members;
    int64_t member_count, member_room, member_free;
    uint32_t *of_instance, *of_part; ///< numbers of members + 1
    int64_t of_instance_count, of_part_count;
    lf__couple_table table;
} lf__watch;

/// How a look goes.
typedef enum lf__look_mode {
    LF__LOOK_STEP,  ///< from the end of the last step to now
    LF__LOOK_AHEAD, ///< from now on
    LF__LOOK_NOW    ///< now, with a gap
} lf__look_mode;

/// One question about two things.
typedef struct lf__look {
    lf_scene *scene;
    const lf__watch *watch;
    lf_thing a, b;
    lf__look_mode mode;
    double span;             ///< seconds
    double gap;              ///< metres, for LF__LOOK_NOW
    double time;             ///< answer: seconds into the span, INFINITY: never
    uint32_t part_a, part_b; ///< answer: the shapes
} lf__look;

/// The topmost part of a thing.
uint32_t lf__thing_part(const lf_scene *scene, lf_thing thing);
/// Is there such a thing?
bool lf__thing_lives(const lf_scene *scene, lf_thing thing);
/// Order of things: by instance, then by part.
int lf__thing_compare(lf_thing a, lf_thing b);

/// What a part was at the end of the last step: its form is that of now.
typedef struct lf__before {
    lf_vec3 turn[3];
    lf_vec3 shift; ///< from the instance's place then
    bool turned;   ///< it lies differently now
    bool rigid;    ///< and so only because the instance does: it went with it, about the instance's origin
} lf__before;
lf__before lf__part_before(const lf_scene *scene, const lf__part *part);

/// All that a part's box can reach: in the step just made, and `ahead` seconds on.
lf_box lf__part_reach(const lf_scene *scene, uint32_t index, double ahead);
/// The same of a thing, and of the parts below that move on their own.
lf_box lf__thing_reach(const lf_scene *scene, lf_thing thing, double ahead);

/// How far a part's box reaches in a look.
lf_box lf__look_reach(const lf__look *look, uint32_t index);
/// Put the shapes that can come near each other into the scene's two lists.
lf_status lf__look_gather(lf__look *look);
/// The boxes of two parts; gives the time.
double lf__look_boxes(const lf__look *look, uint32_t a, uint32_t b);
/// The boxes of the shapes; fills in the answer.
lf_status lf__look_parts(lf__look *look);
/// The shapes themselves, by the watch's level; fills in the answer.
lf_status lf__look_shapes(lf__look *look);

/// How a shape moves in a look: where it starts and how it goes.
typedef struct lf__motion {
    lf_vec3 rows[3]; ///< turn at the start
    lf_vec3 at;      ///< where its origin is at the start
    lf_vec3 velocity, spin, pivot;
} lf__motion;
lf__motion lf__part_motion(const lf__look *look, const lf__part *part);

/// The vertices of a model.
const lf_vec3 *lf__model_vertices(const lf_model *model, int64_t *count);
/// A model of a part's shape, as maps.turn carries it, or, where nothing but a rotation does, the caller's own model.
lf_status lf__part_solid(lf_scene *scene, lf__part *part, int facets, double stretch, const lf_model **model);
/// Add a triangle to the scene's soup of triangles, and make a model of the soup.
lf_status lf__triangles_add(lf_scene *scene, const lf_vec3 corners[3]);
lf_status lf__soup_model(lf_scene *scene, lf_model **model);

/// When does a thing meet the watch's ground? As lf_scene_ground_time; in LF__LOOK_STEP for the step just made.
lf_status lf__look_ground(lf__look *look, const lf_ground *ground, lf_watch_level level);

/// Members of a watch of many, up to date for this step.
lf_status lf__members_refresh(lf_scene *scene, lf__watch *watch);
void lf__members_free(lf_scene *scene, lf__watch *watch);
/// Has it been still for so long that the search for pairs takes it for one that does not move?
bool lf__member_calm(const lf__member *member);
/// Which sides of a watch a thing fits.
uint32_t lf__sides_of(const lf_scene *scene, const lf__watch *watch, lf_thing thing);

/// The table of pairs.
lf__couple *lf__couple_find(const lf__couple_table *table, lf_thing a, lf_thing b);
lf_status lf__couple_add(lf_scene *scene, lf__couple_table *table, lf_thing a, lf_thing b, lf__couple **pair);
/// Drop the pairs that nothing has to be remembered of.
void lf__couples_tidy(lf__couple_table *table);
void lf__couples_free(lf_scene *scene, lf__couple_table *table);

/// Find out what happened to a watch in the step just made, and tell it.
lf_status lf__watch_look(lf_scene *scene, uint32_t index, double dt);

lf_status lf__watch_look_ground(lf_scene *scene, uint32_t index);

/// A closer look at a pair whose boxes come together, and what is told of it.
lf_status lf__candidate_judge(lf_scene *scene, uint32_t watch, const lf__candidate *candidate, double dt);

/// Tell an event.
lf_status lf__event_tell(lf_scene *scene, const lf__watch *watch, const lf_event *event);

/// What a pair was told last is over: it is gone, or its things are far apart.
lf_status lf__couple_over(lf_scene *scene, const lf__watch *watch, lf__couple *pair);

#endif
