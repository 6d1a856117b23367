/// Random worlds of a grid, boxes, meshes, models, a scene and groups in a group, and all their polygons as they stand.
#ifndef LF_TESTS_RANDOM_WORLD_H
#define LF_TESTS_RANDOM_WORLD_H

#include "worlds.h"
#include <landfall/sight.h>

enum {
    RANDOM_WORLD_SIDE = 24,
    RANDOM_WORLD_BOXES = 40,
    RANDOM_WORLD_MODELS = 6,
    RANDOM_WORLD_SCENE = 1 + RANDOM_WORLD_BOXES + 2 + RANDOM_WORLD_MODELS, ///< index of the scene
    RANDOM_WORLD_PARTS = RANDOM_WORLD_SCENE + 1 + 2,
    RANDOM_WORLD_INSTANCES = 9,
    RANDOM_WORLD_FACETS = 20000
};

typedef struct random_world {
    float heights[RANDOM_WORLD_SIDE * RANDOM_WORLD_SIDE];
    lf_grid *grid;
    nasty_mesh shape, thing;
    lf_mesh *mesh;
    lf_model *model;
    lf_group *inner, *group;
    lf_group_part parts[RANDOM_WORLD_PARTS], inner_parts[2];
    lf_scene *scene;
    lf_instance instances[RANDOM_WORLD_INSTANCES];
    const lf_ground *ground;
    facets facets;
} random_world;

double random_world_any(test_random *random, double low, double high);

/// Part 0 is the terrain, a grid or what is given; the last two are groups, one of them in its place. outer: of a globe, where all of it stands.
void random_world_open(random_world *w, const lf_ground *globe, const lf_pose *outer, bool voids,
                       test_random *random);
void random_world_close(random_world *w);

/// Boxes move, a part of the group in the group, and what is in the scene.
void random_world_stir(random_world *w, test_random *random);

/// 1: a facet strictly between the ends, 0: none, -1: too close to say.
int random_world_blocked(const random_world *w, world_point a, world_point b, uint32_t layers);

/// The height at which a target has to be to be seen over every facet: where the upright half-plane cuts it. Flat lines.
long double random_world_least(const random_world *w, world_point a, world_point b);

/// Is some point of a line that begins or ends in a void of the grid below the terrain around it? A grid is solid down to any depth.
bool random_world_below(const random_world *w, lf_vec3 from, lf_vec3 to);

#endif
