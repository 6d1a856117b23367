/// Observers over nasty grids, and what the definitions say of every sample that they look at.
#ifndef LF_TESTS_VIEWSHED_SCENE_H
#define LF_TESTS_VIEWSHED_SCENE_H

#include "sight_oracle.h"
#include <landfall/sight.h>

/// One observer over one grid.
typedef struct viewshed_scene {
    grid_bench bench;
    lf_viewshed_def def;
    lf_observer observer;
    lf_vec3 eye;
    lf_vec2 place; ///< of the eye, in columns and rows
    int64_t count; ///< samples
} viewshed_scene;

/// What the definitions say of a target over a sample.
typedef struct viewshed_target {
    lf_visibility seen;
    bool limit; ///< so near to a limit of range, azimuth or pitch that rounding decides
    double length, angle;
} viewshed_target;

/// What they say of a sample.
typedef struct viewshed_truth {
    double height;
    bool beside;            ///< not the sample that the observer is over
    viewshed_target target; ///< as high as the def has it
    viewshed_target ground; ///< on the ground
    exact_range raise;      ///< of that on the ground, by what is in the way
    double pitch_raise;     ///< and by the lowest pitch; -INFINITY: none
    double pitch_error;     ///< rounding of that, at most
    bool hole,
        raised_hole; ///< in the way of the line to it; and still there when it is raised so that it is seen
} viewshed_truth;

viewshed_truth viewshed_truth_of(const viewshed_scene *scene, int64_t sample);

/// Put an observer on the scene's grid, with any rules and limits. False when there is no ground to stand on.
bool viewshed_scene_look(viewshed_scene *scene, test_random *random);

lf_window viewshed_scene_window(const viewshed_scene *scene);

/// Ask for the whole grid; fails the test when there is an error. stats optional.
void viewshed_scene_seen(const viewshed_scene *scene, uint8_t *seen, lf_viewshed_stats *stats);

/// Count a fault, and when it is the first of its kind print all that is needed to ask again. sample -1: none.
void viewshed_scene_wrong(grid_oracle *oracle, const viewshed_scene *scene, int64_t sample, const char *what,
                          double said);

#endif
