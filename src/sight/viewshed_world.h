/// Viewsheds and maps over grounds that are no grid: groups of a grid and obstacles, polygons, globes.
#ifndef LF_SIGHT_VIEWSHED_WORLD_H
#define LF_SIGHT_VIEWSHED_WORLD_H

#include "ground/group.h"
#include "sight/viewshed.h"

// ---------------------------------------------------------------------------------------------------
// Obstacles
// ---------------------------------------------------------------------------------------------------

/// A part of a group, or of a group in it whose pose is the identity, as it is seen from above; all of it is rounded outwards.
typedef struct lf__obstacle {
    const lf__group_part *part;
    double x, y; ///< of the middle of a circle around it
    float radius;
    float low, high; ///< heights that it lies between
    bool blocks;     ///< it is in a layer that blocks
    bool upright;    ///< a box whose walls seem to be vertical
} lf__obstacle;

// ---------------------------------------------------------------------------------------------------
// Worlds
// ---------------------------------------------------------------------------------------------------

/// A ground, and where the targets on it are.
struct lf__targets {
    const lf_ground *ground;
    const lf_group *group; ///< or NULL
    lf_allocator allocator;
    /// The grid that is swept: the only one of the group, in its place. NULL: every target has its own line.
    const lf_grid *terrain;
    int64_t terrain_part;
    bool terrain_blocks;   ///< it is in a layer that blocks
    bool globe;            ///< the lattice is in degrees, everything else in earth-centred coordinates
    lf_grid lattice;       ///< of a world without terrain: a grid without samples, for its geotransform
    const lf_vec2 *places; ///< of all samples of the lattice, whose geotransform is not used then; or NULL
    lf_window window;

    /// With terrain: an upper bound of what stands over each sample of the window; -INFINITY: nothing does. NULL: targets are on the terrain.
    float *roof_tops;
    double roof_most; ///< upper bound of the height of any of them above the terrain
    lf__obstacle *obstacles;
    int64_t obstacle_count;
    int64_t obstacle_most; ///< upper bound of their number

    /// Without: the ground under each target of the window; NAN: none. On a globe above the ellipsoid.
    double *heights;
};

/// A lattice as it was given. places: as in lf_viewshed_def, or NULL.
typedef struct lf__lattice_given {
    lf_lattice lattice;
    const lf_vec2 *places;
} lf__lattice_given;

/// The grid that a ground is, or else the world that it is, with its lattice. Nothing is allocated.
/// grid  the ground itself, or the grid that is swept, or world->lattice
/// is_world  false: it is a grid with its own lattice
lf_status lf__targets_find(lf__targets *world, const lf_ground *ground, const lf_sight_rules *rules,
                           const lf__lattice_given *given, const lf_grid **grid, bool *is_world,
                           lf_error *error);

/// Find the ground under all targets of a window, and the obstacles. Errors: LF_NO_MEMORY, LF_BAD_FORMAT.
lf_status lf__targets_fill(lf__targets *world, const lf_host *host, const lf_sight_rules *rules,
                           lf_target_on on, lf_window window);
void lf__targets_empty(lf__targets *world);

/// Upper bound of what lf__targets_fill and a run allocate.
size_t lf__targets_bytes(const lf__targets *world, lf_window window);

/// The ground at a place of the lattice, rounded up; NAN: none. On a globe above the ellipsoid.
double lf__targets_top(const lf__targets *world, const lf_ellipsoid *ellipsoid, lf_target_on on, lf_vec2 at);

/// A sample of the lattice on the map. grid: the lattice
static inline lf_vec2 lf__targets_place(const lf__targets *world, const lf_grid *grid, int64_t i, int64_t j) {
    return world->places ? world->places[j * world->lattice.columns + i] : lf__sample_place(grid, i, j);
}

/// Where an observer or a target is.
static inline lf_vec3 lf__targets_point(const lf__targets *world, const lf_ellipsoid *ellipsoid, lf_vec2 at,
                                        double height) {
    return world->globe ? lf_ellipsoid_to_centred(ellipsoid, (lf_geodetic){at.x, at.y, height})
                        : (lf_vec3){at.x, at.y, height};
}

/// May something stand over a sample of the terrain, counted from the window's first? Its height over the sample; NAN: none is higher than the terrain.
static inline bool lf__targets_roofed(const lf__targets *world, int64_t column, int64_t row) {
    return world->roof_tops && world->roof_tops[row * world->window.columns + column] > -LF_INFINITY;
}
double lf__targets_roof(const lf__targets *world, int64_t column, int64_t row);

/// The height of the ground under a target of the window; NAN: none.
double lf__targets_ground(const lf__viewshed *view, int64_t i, int64_t j);

/// An observer on a globe: a longitude and a latitude.
lf_status lf__targets_stand(lf__viewshed *view, const lf_observer *observer, int64_t index, lf_error *error);

/// Decide every target of the window. Adds to stats.
lf_status lf__targets_run(const lf__viewshed *view, lf__byte_plane seen, lf_viewshed_stats *stats);

/// The value of a target, as lf_viewshed_values. pitch_low: of least heights.
double lf__targets_number(const lf__viewshed *view, int64_t i, int64_t j, lf_viewshed_mode which,
                          double pitch_low, lf_visibility seen, int64_t *walked);

// ---------------------------------------------------------------------------------------------------
// What hides
// ---------------------------------------------------------------------------------------------------

/// Collect the obstacles of a group, and note what they cover if there is world->roof_tops. Errors: LF_NO_MEMORY.
lf_status lf__obstacles_open(lf__targets *world, uint32_t layers);

/// Upper bound of the number of obstacles.
int64_t lf__obstacles_most(const lf_group *group);

/// A direction as a number that grows with its angle, 0 .. 4, at most as fast.
static inline double lf__pseudo_angle(double x, double y) {
    double p = y / (fabs(x) + fabs(y));
    return x < 0 ? 2 - p : p < 0 ? 4 + p : p;
}

/// A target that is still to be tested exactly: what the terrain says of it, and this.
#define LF__TARGET_OPEN 0x80

/// Mark the targets that obstacles may hide or that stand on roofs with LF__TARGET_OPEN, after the terrain has been swept; those that are surely hidden
/// become so. Only where x and y are metres. raised: the terrain with all targets raised by world->roof_most, or NULL. Errors: LF_NO_MEMORY.
lf_status lf__targets_cull(const lf__viewshed *view, lf__byte_plane seen, const uint8_t *raised);

/// Upper bound of what lf__targets_cull allocates.
size_t lf__targets_cull_bytes(const lf__targets *world, lf_window window);

#endif
