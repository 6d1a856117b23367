/// What the files of the globe's benchmark share: a made planet, tiles of it, flights, and the published rival.
#ifndef LF_BENCH_GLOBE_H
#define LF_BENCH_GLOBE_H

#include "support.h"
#include <landfall/camera.h>
#include <landfall/published.h>

#define GLOBE_LEVEL 12    ///< of the tiles that are flown over: 4.9 km wide
#define GLOBE_POSTS 17    ///< along a side, as published
#define GLOBE_RADIUS 50.0 ///< metres: the published sphere around the camera, and our clearance

/// Heights of the made planet, metres.
double globe_height(double lon_deg, double lat_deg);

/// A globe without tiles but its roots; and `count` of its finest tiles, nearest to the flight first, with all above them.
lf_globe *globe_open(void);
void globe_load(lf_globe *globe, int64_t count);

/// The keys of the finest tiles in the order in which they are loaded: rings around the middle of the flight.
lf_tile_key globe_ring_key(int64_t number);

/// Cameras along a flight near the middle, along one that crosses a tile after two cameras, or anywhere over the first `tiles` of the finest tiles; some touch the ground.
lf_vec3 *globe_flight(int64_t count);
lf_vec3 *globe_spiral(int64_t count, int64_t tiles);
lf_vec3 *globe_anywhere(int64_t count, int64_t tiles);

/// Bounding spheres of tiles, each with a tree of spheres over its cells: what the paper compares itself with. Tiles stand in a list, as published, or
/// in a tree of spheres too.
typedef struct sphere_world sphere_world;
sphere_world *sphere_world_make(int64_t tiles, bool tree);
void sphere_world_free(sphere_world *world);

/// Equation 2's numbers.
typedef struct sphere_counts {
    int64_t volumes;    ///< Nv: pairs of spheres tested
    int64_t primitives; ///< Np: pairs of sphere and triangle
} sphere_counts;

bool sphere_world_collides(sphere_world *world, lf_vec3 camera, double radius, sphere_counts *counts);

/// Bytes of spheres per tile, where all are made.
int64_t sphere_tile_bytes(void);

/// The published Table 1 by counting arithmetic, Figure 3 (which samples a place needs) and Figure 6 (views with and without response).
void globe_published(bench_report *report);

#endif
