/// landfall/ground.h: one face over every kind of ground.
///
/// A ground is made from a mesh, a grid, or a group of grounds (landfall/group.h), and answers every question the same way,
/// whatever it is made of. What is built on these questions has headers of its own: place.h, walk.h, locale.h.
/// Of ground in a file (landfall/store.h) any question, here and there, may be LF_BAD_FORMAT: the file is damaged, and what was written is no answer.
#ifndef LANDFALL_GROUND_H
#define LANDFALL_GROUND_H

#include <landfall/ask.h>
#include <landfall/globe.h>
#include <landfall/grid.h>
#include <landfall/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lf_ground lf_ground;

/// What kind of thing a ground is.
typedef enum lf_ground_kind {
    LF_GROUND_MESH,
    LF_GROUND_GROUP,
    LF_GROUND_GRID,
    LF_GROUND_GLOBE
} lf_ground_kind;

/// Ground made of a mesh, which must outlive it.
/// host    hooks (only the allocator is used) or NULL
/// ground  written only on success; give it back with lf_ground_destroy
/// Errors: LF_BAD_ARGUMENT for NULL, LF_NO_MEMORY. Threads: any.
LF_API lf_status lf_ground_from_mesh(const lf_mesh *mesh, const lf_host *host, lf_ground **ground);

/// Ground made of a grid, which must outlive it. Down is -z. An edit of the grid is seen at once.
/// Otherwise as lf_ground_from_mesh.
LF_API lf_status lf_ground_from_grid(const lf_grid *grid, const lf_host *host, lf_ground **ground);

/// Ground made of a globe, which must outlive it: what of it is loaded, at any time. World coordinates are earth-centred; gravity lines run towards
/// the centre (on an ellipsoid, that is up to its flattening in radians off the plumb line: 0.19 degrees on Earth). Hits have the tile as user value.
/// Otherwise as lf_ground_from_mesh.
LF_API lf_status lf_ground_from_globe(const lf_globe *globe, const lf_host *host, lf_ground **ground);

/// The same, but the finest there is, however long it takes: questions load what they need, and give it up again where it is beyond the globe's budget.
/// No answer depends on what happens to be loaded, but for t in its last bits. A walk over a file of tiles, say, meets the same steps at every start.
/// Threads: any number at once may ask, one waits for the other; nobody else may load into the globe meanwhile. A question that finds no memory
/// has the reason LF_REASON_NOT_LOADED. Otherwise as lf_ground_from_globe.
LF_API lf_status lf_ground_from_globe_finest(lf_globe *globe, const lf_host *host, lf_ground **ground);

/// Give a ground back, not what it was made of; NULL is fine. Threads: nobody else may be using it.
LF_API void lf_ground_destroy(lf_ground *ground);

/// The kind of a ground. Allocates nothing. Threads: any number at once.
LF_API lf_ground_kind lf_ground_kind_of(const lf_ground *ground);

/// The frame of a ground: where down is. Allocates nothing. Threads: any number at once.
LF_API lf_frame lf_ground_frame(const lf_ground *ground);

/// The box of everything in a ground. Allocates nothing. Threads: any number at once.
LF_API lf_box lf_ground_box(const lf_ground *ground);

/// Which way a height question looks along the gravity line through its point.
typedef enum lf_look {
    LF_LOOK_DOWN, ///< nearest ground at or below the point
    LF_LOOK_UP    ///< nearest ground at or above the point
} lf_look;

/// Where the gravity line through a point meets the ground.
/// point   within 1e30; z may be INFINITY where gravity is -z: the topmost ground, looking down
/// look    down or up; ground at the point itself counts for both (t = 0)
/// hit     always written; t is the distance along the line, point and normal are in world coordinates.
///         On a miss the reason says why: outside, hole, or none (ground only on the other side).
///         After LF_BAD_ARGUMENT it is a miss with the reason none
/// Accuracy: which polygon, and whether there is one, is exact; the height is within 1e-10 m, or 1e-14 of the terrain's
///         extent where that is more. On a grid it is exact at posts, and elsewhere within 8 * 2^-53 (bilinear: 10 * 2^-53), which is
///         about 1e-15, of the largest height of the cell in magnitude.
/// Ties:   nearest, compared exactly, then lowest part, then lowest polygon index, on a grid then lowest triangle. Walls (edge-on to gravity) are never met; one-sided polygons only
///         from their front.
/// cursor  counters and filters of the caller's thread, or NULL
/// Errors: LF_BAD_ARGUMENT for a NaN. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_ground_height(const lf_ground *ground, lf_vec3 point, lf_look look, lf_hit *hit,
                                  lf_cursor *cursor);

/// Fill in the barycentrics u and v of a height's hit; rays come with theirs.
/// hit     a hit that this ground gave; u and v are written, to within rounding of its point
/// Heights leave them 0, because few ask and fetching the corners costs more than finding the ground.
/// Errors: LF_BAD_ARGUMENT for NULL, for a miss, and for an element that this ground does not have.
/// Allocates nothing. Threads: any number at once.
LF_API lf_status lf_ground_weights(const lf_ground *ground, lf_hit *hit);

/// Every meeting of the gravity line through a point with the ground, from the top down; one-sided polygons from
/// both sides.
/// hits      room for capacity hits; t is positive below the point and negative above it
///           (distance from the topmost hit where z is INFINITY)
/// count     how many there are; when more than capacity, the first are written and LF_PARTIAL is returned; 0 after LF_BAD_ARGUMENT
/// Otherwise as lf_ground_height.
LF_API lf_status lf_ground_height_all(const lf_ground *ground, lf_vec3 point, lf_hit *hits, int64_t capacity,
                                      int64_t *count, lf_cursor *cursor);

/// First thing a ray meets.
/// ray     finite origin, non-zero direction, 0 <= t_min <= t_max; the interval is closed
/// hit     always written; on a miss kind is LF_HIT_NONE and t is ray->t_max (after LF_BAD_ARGUMENT: INFINITY)
/// Ties:   lowest t, compared exactly before it is rounded, then lowest part, then lowest polygon index. A start on the surface is a hit at t_min. A ray in the plane
///         of a polygon meets it where it enters it.
/// cursor  counters and filters of the caller's thread, or NULL
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_ground_ray_first(const lf_ground *ground, const lf_ray *ray, lf_hit *hit,
                                     lf_cursor *cursor);

/// Does a ray meet anything? As lf_ground_ray_first, but any hit will do, and only yes or no is said (after LF_BAD_ARGUMENT: no).
LF_API lf_status lf_ground_ray_any(const lf_ground *ground, const lf_ray *ray, bool *blocked,
                                   lf_cursor *cursor);

/// Every polygon a ray meets, in the order of t, then polygon index; one hit per polygon. The order is that of the exact t; rounded, they never fall.
/// On a globe a ray that runs within a wall between two tiles has a few hits where it enters the wall, and the next behind it.
/// hits    room for capacity hits
/// count   how many there are; when more than capacity, the first are written and LF_PARTIAL is returned; 0 after LF_BAD_ARGUMENT
/// Otherwise as lf_ground_ray_first.
LF_API lf_status lf_ground_ray_all(const lf_ground *ground, const lf_ray *ray, lf_hit *hits, int64_t capacity,
                                   int64_t *count, lf_cursor *cursor);

/// Many heights: bit for bit what lf_ground_height gives for each point.
/// points, hits  count of each, `point_stride` and `hit_stride` bytes apart (0: packed)
/// tasks         parallel loop, or NULL for one thread
/// Errors: LF_BAD_ARGUMENT for a NaN point; nothing is written then. Allocates nothing.
LF_API lf_status lf_ground_height_many(const lf_ground *ground, const lf_vec3 *points, size_t point_stride,
                                       int64_t count, lf_look look, lf_hit *hits, size_t hit_stride,
                                       const lf_tasks *tasks);

/// Many heights as bare numbers, for those who need no more: a hit is twenty times as long.
/// points, heights  count of each, `point_stride` and `height_stride` bytes apart (0: packed)
/// heights          bit for bit the height of the hit that lf_ground_height gives for each point: the z of the hit's point
///                  where down is -z, else the z that lf_frame_to_local makes of it; NAN where there is no ground
/// tasks            parallel loop, or NULL for one thread
/// Errors: LF_BAD_ARGUMENT for a NaN point; nothing is written then. Allocates nothing, but for compressed grids,
/// asked on one thread for several heights a tile: a megabyte from the grid's allocator, and where it has none they are slower.
LF_API lf_status lf_ground_heights_many(const lf_ground *ground, const lf_vec3 *points, size_t point_stride,
                                        int64_t count, lf_look look, double *heights, size_t height_stride,
                                        const lf_tasks *tasks);

/// Many first hits: bit for bit what lf_ground_ray_first gives for each ray.
/// rays, hits  count of each, `ray_stride` and `hit_stride` bytes apart (0: packed)
/// tasks       parallel loop, or NULL for one thread
/// Errors: LF_BAD_ARGUMENT for a bad ray; nothing is written then. Allocates nothing.
LF_API lf_status lf_ground_ray_first_many(const lf_ground *ground, const lf_ray *rays, size_t ray_stride,
                                          int64_t count, lf_hit *hits, size_t hit_stride,
                                          const lf_tasks *tasks);

#ifdef __cplusplus
}
#endif
#endif
