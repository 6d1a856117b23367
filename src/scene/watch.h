/// Internals of watches.
#ifndef LF_SCENE_WATCH_H
#define LF_SCENE_WATCH_H

#include "scene/scene.h"
#include <landfall/collide.h>
#include <landfall/scene.h>

/// Sides of a watch, as bits.
#define LF__SIDE_A 1u
#define LF__SIDE_B 2u

/// One side, as set by the caller.
typedef struct lf__watch_side {
    lf_watch_filter_kind kind;
    lf_instance instance;
    lf_part part;
    int tag;
} lf__watch_side;

/// A member of a watch of many.
typedef struct lf__member {
    lf_thing thing;
    lf_pairs_id box;
    lf_box around; ///< its box in the search for pairs
    uint32_t sides;
    int64_t seen; ///< the step in which it last matched a side
    int calm;     ///< steps since its box changed
    bool in_use;
    bool touched, free; ///< for watches on nothing: touched in this step, and reported as free
} lf__member;

/// What a watch remembers of a pair.
typedef struct lf__watch_pair {
    lf_thing a, b;
    bool touching, predicted;
    double moment;       ///< time of the predicted contact, by the scene's clock
    double sleep;        ///< not tested before this time
    int64_t tested_step; ///< the step in which the above was computed
    int64_t seen;        ///< the step in which the pair was last near
    lf_part part_a, part_b;
} lf__watch_pair;

/// Pairs, found by their two things.
typedef struct lf__pair_table {
    lf__watch_pair *pairs;
    int64_t count, capacity;
    lf__table places; ///< by the hash of the two things: the number of their pair
} lf__pair_table;

/// A pair that is tested in this step.
typedef struct lf__candidate {
    lf_thing a, b;
    double step_time;  ///< seconds into the step when their boxes touch; INFINITY: they do not
    double ahead_time; ///< seconds from now, likewise
    bool now;          ///< their boxes touch at the end of the step
} lf__candidate;

typedef struct lf__watch {
    lf__pool_slot slot;
    lf_watch_def def;
    lf__watch_side a, b;
    double ahead;    ///< seconds, for this step
    double tick;     ///< seconds: the length of this step
    double spent;    ///< seconds of the budget
    lf_pairs *pairs; ///< for watches of many; NULL otherwise
    lf__member *members;
    int64_t member_count, member_capacity, member_free;
    uint32_t *of_instance, *of_part; ///< numbers of members + 1
    int64_t of_instance_count, of_part_count;
    lf__pair_table table;
} lf__watch;

/// The time that a test covers.
typedef enum lf__watch_test_mode {
    LF__TEST_STEP,  ///< from the end of the last step to now
    LF__TEST_AHEAD, ///< from now on
    LF__TEST_NOW    ///< now, with a gap
} lf__watch_test_mode;

/// One contact test of two things.
typedef struct lf__watch_test {
    lf_scene *scene;
    const lf__watch *watch;
    lf_thing a, b;
    lf__watch_test_mode mode;
    double span;             ///< seconds
    double gap;              ///< metres, for LF__TEST_NOW
    double time;             ///< result: seconds into the span, INFINITY: never
    uint32_t part_a, part_b; ///< result: the shapes
} lf__watch_test;

/// The topmost part of a thing.
uint32_t lf__thing_part(const lf_scene *scene, lf_thing thing);
/// Does a thing exist?
bool lf__thing_lives(const lf_scene *scene, lf_thing thing);
/// Order of things: by instance, then by part.
int lf__thing_compare(lf_thing a, lf_thing b);

/// All that a thing's box, and the parts below that move by themselves, can reach: in the last step, and
/// `ahead` seconds on.
lf_box lf__thing_reach(const lf_scene *scene, lf_thing thing, double ahead);

/// Test the boxes of two parts; returns the time.
double lf__test_boxes(const lf__watch_test *test, uint32_t a, uint32_t b);
/// Test the boxes of the shapes; fills in the result.
lf_status lf__test_parts(lf__watch_test *test);
/// Test the shapes themselves, by the watch's level; fills in the result.
lf_status lf__test_shapes(lf__watch_test *test);

/// The vertices of a model.
const lf_vec3 *lf__model_vertices(const lf_model *model, int64_t *count);
/// A model of a part's shape, mapped by maps.turn, or the caller's own model where that is only rotated.
lf_status lf__part_solid(lf_scene *scene, lf__part *part, int facets, double stretch, const lf_model **model);
/// Add a triangle to the scene's triangle soup, and build a model of the soup.
lf_status lf__triangles_add(lf_scene *scene, const lf_vec3 corners[3]);
lf_status lf__soup_model(lf_scene *scene, lf_model **model);

/// Bring the members of a watch of many up to date for this step.
lf_status lf__members_refresh(lf_scene *scene, lf__watch *watch);
/// Has it been still for so long that the search for pairs treats it as static?
bool lf__member_calm(const lf__member *member);

/// The table of pairs.
lf__watch_pair *lf__pair_table_find(const lf__pair_table *table, lf_thing a, lf_thing b);
lf_status lf__pair_table_add(lf_scene *scene, lf__pair_table *table, lf_thing a, lf_thing b,
                             lf__watch_pair **pair);
/// Remove the pairs without anything to remember.
void lf__pair_table_prune(lf__pair_table *table);

/// Run a watch for the last step, and report its events.
lf_status lf__watch_step(lf_scene *scene, uint32_t index, double dt);

lf_status lf__watch_step_ground(lf_scene *scene, uint32_t index);

/// Report an event.
lf_status lf__event_report(lf_scene *scene, const lf__watch *watch, const lf_event *event);

/// End what was reported of a pair: it was removed, or its things are far apart.
lf_status lf__watch_pair_end(lf_scene *scene, const lf__watch *watch, lf__watch_pair *pair);

#endif
