/// Horizons and sun on grounds that are no grid: what the files of this module share.
#ifndef LF_SIGHT_HORIZON_WORLD_H
#define LF_SIGHT_HORIZON_WORLD_H

#include "sight/horizon.h"
#include "sight/viewshed_world.h"

struct lf__horizon_world {
    lf__targets targets;
    const lf_sight_rules *rules; ///< checked
    const lf_ground *skip;       ///< the grid in its place, or the globe: searched by itself; or NULL
    const lf_grid *grid;         ///< the grid of it; or NULL
    bool grid_blocks;            ///< it is in a layer that blocks
};

/// A direction at a point.
typedef struct lf__horizon_way {
    lf_vec3 from, ahead, up; ///< of the world, unit lengths
    double range;
    double lowering; ///< slopes appear lower by this per metre
} lf__horizon_way;

/// As lf__targets_find. lattice: NULL for single points.
lf_status lf__horizon_world_find(lf__horizon_world *world, const lf_ground *ground,
                                 const lf_sight_rules *rules, const lf_lattice *lattice, const lf_grid **grid,
                                 bool *is_world, lf_error *error);

/// from: on a globe longitude, latitude and height above the ellipsoid.
lf__horizon_way lf__horizon_world_way(const lf__horizon_world *world, lf_vec3 from, double azimuth_deg,
                                      double range);
lf__skyline lf__horizon_world_skyline(const lf__horizon_world *world, const lf__horizon_way *way,
                                      double azimuth_deg, lf_counters *cost);
lf_horizon lf__horizon_world_at(const lf__horizon_world *world, lf_vec3 from, double azimuth_deg,
                                double range, lf_counters *cost);
lf_visibility lf__horizon_world_lit(const lf__horizon_world *world, lf_vec3 from, lf_sun sun, double range,
                                    lf_cursor *cursor);

/// A map over a window.
typedef struct lf__horizon_world_map {
    lf__horizon_world *world;
    const lf_grid *lattice;
    const lf_horizon_def *def;
    lf_window window;
    char *values;
    ptrdiff_t row_step;
    double azimuth_deg;
    int directions;        ///< 0: the elevation at the azimuth
    const lf_sun *suns;    ///< instead: whether this one lights samples
    const double *heights; ///< of the ground under the window's samples; NAN: none
    double *own;           ///< the same if they are the map's
} lf__horizon_world_map;

lf_status lf__horizon_world_open(lf__horizon_world_map *map, lf_error *error);
void lf__horizon_world_close(lf__horizon_world_map *map);

/// Part `part` of `parts` in progress reports.
lf_status lf__horizon_world_run(lf__horizon_world_map *map, int64_t part, int64_t parts);

#endif
