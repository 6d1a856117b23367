/// Which samples of a raster a question needs, so that the others are not read.
#ifndef CLI_REACH_H
#define CLI_REACH_H

#include "ground.h"

/// What is needed so far. Places are columns and rows of the grid, which has no samples yet.
struct reach {
    cli *run; ///< its ground and coordinates are those of the raster
    lf_window *windows;
    int64_t count;
    bool all;      ///< everything is needed
    bool failed;   ///< a message has been printed
    double copies; ///< columns after which places repeat; 0: never
    double pieces; ///< windows that a ray may take
};

/// Add a rectangle of places.
void reach_box(reach *reach, lf_vec2 low, lf_vec2 high);

/// Add the surroundings of a place of the ground.
void reach_point(reach *reach, lf_vec3 point);

/// Add what is below a ray, from its origin to its end.
void reach_ray(reach *reach, const lf_ray *ray);

/// Add a box around points of the ground, so many metres wider on each side. In degrees with such metres everything is needed.
void reach_points(reach *reach, const lf_vec3 *points, int64_t count, double metres);

/// Add a box around the points of a file, which must have heights where --eye does not give them.
void reach_file(reach *reach, const char *path, double eye);

/// Add the samples within a range of a place.
void reach_range(reach *reach, lf_vec2 at, double range);

/// Let a raster read only what the run's question needs.
void reach_start(cli *run, lf_raster_def *def, reach *reach);

#endif
