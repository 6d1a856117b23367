/// What the files of the world benchmark share: a city, and rays in it.
#ifndef LF_BENCH_WORLD_H
#define LF_BENCH_WORLD_H

#include "embree_world.h"
#include "field.h"

#define CITY_RINGS 12 ///< corners of the domes that are the meshes

typedef struct city {
    bench_field field;
    lf_grid *grid;
    lf_model *dome;
    lf_group *group, *single;
    const lf_ground *ground;
    lf_group_part *parts;
    int64_t part_count, box_count, mesh_count;
    bench_embree_world *embree, *moving;
    float *grid_vertices;
    uint32_t *grid_corners;
    float dome_vertices[3 * (CITY_RINGS * CITY_RINGS + 1)];
    uint32_t dome_corners[6 * CITY_RINGS * CITY_RINGS];
    int64_t dome_vertex_count, dome_triangle_count;
    int64_t *movers; ///< one part in a hundred
    int64_t mover_count;
    lf_pose *poses; ///< where these go, in turns
    int turn;
} city;

void city_open(city *c, const bench_report *report);
void city_close(city *c);

/// The same parts as instances of Embree, built.
void city_fill_embree(city *c, bench_embree_world *world);

/// The instance of a part in Embree: columns of its matrix. A box is the unit box, scaled.
void city_matrix(const lf_group_part *part, float matrix[12]);

/// The height of the sample before a place.
double city_ground(const bench_field *field, double x, double y);

typedef struct ray_case {
    const city *c;
    bench_rays rays;
    bench_embree_rays *theirs;
    lf_hit *hits;
    bench_answer *answers;
    bool *blocked, *ours_blocked;
    uint8_t *verdicts;
    lf_vec3 *a, *b;
    const lf_ground *ground;
} ray_case;

void rays_open(ray_case *r, const city *c, int64_t count);
void rays_close(ray_case *r);

/// From places in the city, some metres above the ground: in all level directions, a little up or down; or to another such place
/// within 1500 m.
void rays_aim(ray_case *r, bool pairs, bench_random *random);

/// First hits, one by one. user: a ray_case.
void rays_ours(void *user);

// The tables.
void world_race_rays(const city *c, bench_report *report);
void world_race_single(const city *c, bench_report *report);
void world_race_moves(city *c, bench_report *report);
void world_race_viewsheds(const city *c, bench_report *report);

#endif
