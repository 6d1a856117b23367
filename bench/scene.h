/// What the files of the scene's benchmark share: worlds of moving boxes.
#ifndef LF_BENCH_SCENE_H
#define LF_BENCH_SCENE_H

#include "movers.h"
#include "support.h"

/// A world of boxes: first those that move. All coordinates are floats held in doubles, so that every peer sees the same.
typedef struct scene_world {
    char name[32];
    int64_t movers, stills;
    double *boxes;    ///< where they are at first: six numbers each
    double *velocity; ///< three per mover
    lf_box bounds;    ///< what they bounce off
    int frames;       ///< of the film: where the movers are, step by step
    double *film;     ///< frames * movers * 6; played forth and back
} scene_world;

/// Movers of about half a metre in a space of 10 m with four things in it.
void scene_world_space(scene_world *world, int64_t movers);
/// A maze of 600 walls with a few that walk in it.
void scene_world_maze(scene_world *world, int64_t movers);
/// Movers of about a metre, each with eight times its volume of space.
void scene_world_crowd(scene_world *world, int64_t movers);
void scene_world_close(scene_world *world);

/// Move all movers by one step, in place.
void scene_world_step(scene_world *world);

/// One who keeps track of pairs, step by step, through the film.
typedef struct scene_tracker {
    const scene_world *world;
    const movers_kind *kind; ///< NULL: landfall
    void *peer;
    lf_pairs *pairs;
    lf_pairs_id *ids;
    int64_t frame; ///< of the film, which is played forth and back
    int64_t way;   ///< 1 or -1
    int64_t steps; ///< in one pass
    uint64_t *keys;
    int64_t capacity, count; ///< of the last step
    int64_t sum;
} scene_tracker;

void scene_tracker_open(scene_tracker *tracker, const scene_world *world, const movers_kind *kind,
                        int64_t steps);
void scene_tracker_close(scene_tracker *tracker);
/// One pass of so many steps.
void scene_tracker_run(void *tracker);
/// Where the movers are next.
const double *scene_tracker_frame(scene_tracker *tracker);
/// One step to given boxes.
void scene_tracker_step(scene_tracker *tracker, const double *boxes);

/// The parts of the benchmark.
void scene_pairs(bench_report *report);
void scene_decay(bench_report *report);
void scene_published(bench_report *report);
void scene_contact(bench_report *report);

#endif
