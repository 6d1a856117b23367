/// What the files of the culling benchmark share: worlds of things made of polygons, and eyes that look at them.
#ifndef LF_BENCH_CULL_H
#define LF_BENCH_CULL_H

#include "support.h"
#include <landfall/published.h>

enum { CULL_THINGS = 256, CULL_POLYGONS = 8192, CULL_EYES = 1024, CULL_WAYS = 6 };

#define CULL_PI 3.14159265358979323846

/// A world. Each thing is a number of polygons of four corners.
typedef struct cull_world {
    int64_t count;
    lf_box boxes[CULL_THINGS];      ///< about its polygons, without `at`
    lf_vec3 at[CULL_THINGS];        ///< where a thing is: added to its corners and its box
    int64_t first[CULL_THINGS + 1]; ///< of a thing's polygons
    lf_vec3 corners[4 * CULL_POLYGONS];
    lf_vec3 room[4 * CULL_POLYGONS]; ///< corners of one thing where it is
    lf_view eyes[CULL_EYES];
    int64_t eye_count;
    int64_t drawn; ///< polygons, by the last pass
    double depths; ///< of all corners drawn: so that nobody leaves the work out
} cull_world;

cull_world *cull_world_open(void);
void cull_world_close(cull_world *world);

/// Start another thing, which is nowhere yet, and add a polygon to it.
void cull_world_thing(cull_world *world, lf_vec3 at);
void cull_world_polygon(cull_world *world, const lf_vec3 corners[4]);

/// An eye that sees 75 degrees to every side of its line of sight, which is level.
void cull_world_eye(cull_world *world, lf_vec3 at, double heading);

/// A culler for all things of a world.
lf_cull *cull_world_culler(cull_world *world);

/// "Draw" a thing: every corner of its polygons is turned into the eye's coordinates, and each polygon is clipped.
void cull_world_draw(cull_world *world, const lf_polyhedron *volume, const lf_view *eye, int64_t item);

/// The choices of methods that the published tables compare, and ours.
extern const char *const cull_way_names[CULL_WAYS + 1];
extern const uint32_t cull_way_methods[CULL_WAYS];

/// A part of the boxes moves in each frame, against Bullet's tree; and small changes of the view, which may be allowed to change nothing.
/// The published tables and figures (Gottstein, chapter 7) in form: those of the maze, 7.3 to 7.9, and of the room, 7.10 to 7.12.
void cull_moving_tables(bench_report *report);
void cull_maze_tables(bench_report *report);
void cull_room_tables(bench_report *report);

#endif
