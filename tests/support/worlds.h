/// What tests of worlds share: all polygons of all parts as they stand, in long doubles, and groups.
#ifndef LF_TESTS_WORLDS_H
#define LF_TESTS_WORLDS_H

#include "nasty.h"
#include <landfall/model.h>
#include <landfall/scene.h>

typedef struct world_point {
    long double x, y, z;
} world_point;

static inline world_point world_point_of(lf_vec3 v) {
    return (world_point){v.x, v.y, v.z};
}

static inline world_point world_less(world_point a, world_point b) {
    return (world_point){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline world_point world_cross(world_point a, world_point b) {
    return (world_point){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline long double world_dot(world_point a, world_point b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// A triangle as it stands in the world, and what a hit of it names.
typedef struct facet {
    world_point c[3];
    int64_t part, element;
    uint32_t inner, layers;
} facet;

/// All of them. Carried by poses, from the innermost on: as many as there are up to NULL.
typedef struct facets {
    facet *list;
    int64_t count, capacity;
} facets;

void facets_open(facets *all, int64_t capacity);
void facets_close(facets *all);

void facets_add(facets *all, const lf_pose *const *poses, const lf_vec3 c[3], facet name);
void facets_add_box(facets *all, const lf_pose *const *poses, lf_box box, facet name);
void facets_add_shape(facets *all, const lf_pose *const *poses, const nasty_mesh *shape, facet name);

/// A grid of side x side samples so far apart, from an origin on. Cells are cut from their upper left to their lower right; a triangle with a void is not there.
typedef struct facets_grid {
    const float *heights;
    int side;
    double origin, step; ///< of x and y
} facets_grid;

void facets_add_grid(facets *all, const lf_pose *const *poses, const facets_grid *grid, facet name);

/// Everything of an instance of a scene, where it was at the last step; each shape with its layers.
void facets_add_instance(facets *all, const lf_pose *const *poses, lf_scene *scene, lf_instance instance,
                         facet name);

/// From a place to the nearest point of a triangle.
long double facet_distance(const facet *f, world_point p);

/// The corners of a box, those of its faces, and how they are numbered.
extern const int world_box_faces[6][4];
void world_box_corners(lf_box box, lf_vec3 corners[8]);

/// A box of any size up to these half sides, around the origin.
lf_box world_any_box(test_random *random, lf_vec3 most);

lf_grid *world_grid(const facets_grid *grid);
lf_group *world_group(const lf_group_part *parts, int64_t count);
lf_mesh *world_mesh(const nasty_mesh *shape);
lf_model *world_model(const nasty_mesh *shape);

#endif
