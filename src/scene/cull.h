/// Internals of cullers and of view volumes.
///
/// Boxes are stored as floats relative to the middle of the world, rounded outwards, 64 to a group, one array
/// per side: eight of them are tested by a handful of instructions. Groups follow Hilbert's curve, so that
/// what is near in space is near in memory. The boxes around groups form groups themselves, and so on up to a
/// single one.
#ifndef LF_SCENE_CULL_H
#define LF_SCENE_CULL_H

#include "base/base.h"
#include <landfall/scene.h>

// ---------------------------------------------------------------------------------------------------
// View volumes
// ---------------------------------------------------------------------------------------------------

#define LF__VIEW_PLANES 6

/// The volume of a view. The planes define it; the rest is derived and rounded, by at most `blur`.
typedef struct lf__volume {
    lf_vec3 eye, forward, right, up; ///< unit vectors at right angles
    double across, upright;          ///< tangents of half the opening angles
    double nearest, farthest; ///< farthest is finite because of the corners; endless: there is no far plane
    bool endless;
    double smallest;
    int plane_count;
    lf_plane planes[LF__VIEW_PLANES]; ///< near, left, right, bottom, top, far
    lf_vec3 corners[8];               ///< near, then far, each counter-clockwise from the lower left
    double blur;                      ///< largest error of corners, and of points computed from them
    lf_box bounds;                    ///< contains the volume
} lf__volume;

/// Check a view whose struct has its full size.
lf_status lf__view_check(const lf_view *full, lf_error *error);

/// The volume of a valid view. Where the view has no far plane, corners are placed at `farthest`.
void lf__volume_make(const lf_view *view, double farthest, lf__volume *volume);

/// A view whose volume contains those of all views within `distance` metres of it that are turned by at most `angle` radians
/// against it; false: it would be too wide.
bool lf__view_widen(const lf_view *view, double distance, double angle, lf_view *wide);

/// The angle by which a valid view is turned against a volume, radians.
double lf__view_turned(const lf_view *view, const lf__volume *against);

/// How far objects in a box can be along forward, rounded up; never below the near distance.
double lf__view_reach(const lf_view *view, lf_box world);

/// Surely outside, by the box around the volume.
static inline bool lf__outside_bounds(const lf__volume *volume, const lf_box *box) {
    return !lf_box_overlap(volume->bounds, *box);
}

/// Surely outside: separated by a plane along a face or an edge of either. For boxes that is exact but for
/// rounding.
bool lf__outside_volume(const lf__volume *volume, const lf_box *box);

/// Surely outside: no point of any polygon is in the volume.
bool lf__shape_outside_volume(const lf__volume *volume, const lf_cull_shape *shape);

// ---------------------------------------------------------------------------------------------------
// Cullers
// ---------------------------------------------------------------------------------------------------

#define LF__GROUP 64 ///< boxes to a group: the bits of a word

/// Up to 64 boxes, enlarged on all sides by the rounding error of their distances from planes. Lanes that are
/// not in `alive` hold zeros.
typedef struct lf__cull_group {
    float low[3][LF__GROUP], high[3][LF__GROUP];
    float slack[LF__GROUP]; ///< rounding error of a distance from a plane: a share of the coordinates' size
    float diagonal[LF__GROUP]; ///< of the box, or the longest within; rounded up
    uint64_t alive;
    uint64_t unused[7]; ///< to the end of a cache line
} lf__cull_group;

/// A volume for groups: planes as floats, with limits that allow for their rounding.
typedef struct lf__cull_planes {
    float normal[LF__VIEW_PLANES][3];
    int deep[LF__VIEW_PLANES][3];   ///< floats of a group before the sides that lie deepest behind the plane,
    int far[LF__VIEW_PLANES][3];    ///< and before those farthest in front
    float outside[LF__VIEW_PLANES]; ///< normal . p beyond this: surely in front
    float inside[LF__VIEW_PLANES];  ///< normal . p up to this: surely behind
    int count;
    float eye[3], eye_slack;
    float smallest; ///< rounded down; 0: everything is large enough
} lf__cull_planes;

/// What a kernel finds of the boxes of a group.
typedef struct lf__cull_found {
    uint64_t kept;                      ///< not surely outside
    uint64_t crossing[LF__VIEW_PLANES]; ///< of each plane: those not surely behind it
} lf__cull_found;

/// Of eight bits that are set or not: the numbers of those set, and how many.
typedef struct lf__cull_step {
    uint8_t lanes[8];
    uint8_t count;
} lf__cull_step;

typedef struct lf__cull_order {
    lf__cull_step steps[256];
} lf__cull_order;

void lf__cull_order_make(lf__cull_order *order);

#define LF__NOTE_SPACE LF__GROUP ///< this many entries beyond the last one may be written

typedef struct lf__cull_kernels {
    /// Test a group against the planes in a mask. `crossing` is of use only where `inner` is set.
    void (*test)(const lf__cull_planes *planes, unsigned mask, const lf__cull_group *group, bool inner,
                 lf__cull_found *found);
    /// Copy the items of the lanes that are set, in order; returns their number.
    int64_t (*note)(const lf__cull_order *order, const uint32_t *things, uint64_t lanes, uint32_t *found);
    /// Copy numbers into wider ones.
    void (*widen)(const uint32_t *found, int64_t count, int64_t *items);
} lf__cull_kernels;

/// Choose the sides of the boxes that planes are tested with: these depend on the signs of the normals.
void lf__cull_choose_sides(lf__cull_planes *planes);

lf__cull_kernels lf__cull_kernels_for(lf_isa isa);

#define LF__CULL_LEVELS 7 ///< 64^6 is beyond 2^31

/// One level: groups of boxes, or of groups of the level below.
typedef struct lf__cull_level {
    lf__cull_group *groups;
    uint64_t *stale; ///< a bit per group that has changed since the level above saw it
    int64_t count, capacity;
} lf__cull_level;

/// Methods that are not the core's own: LF_CULL_FLAGS, LF_CULL_BOUNDS and LF_CULL_SPHERE.
struct lf_cull_filters {
    /// Make the state of LF_CULL_FLAGS, before its first use.
    lf_status (*prepare)(lf_cull *cull);
    /// Leave out of `found` what a method culls; returns the number of items kept.
    int64_t (*keep)(const lf_cull *cull, lf_cull_method method, uint32_t *found, int64_t count);
    /// An item has another box.
    void (*moved)(lf_cull *cull, int64_t item);
    /// Free the state.
    void (*release)(lf_cull *cull);
};

#define LF__CULL_FILTERS (LF_CULL_FLAGS | LF_CULL_BOUNDS | LF_CULL_SPHERE)

struct lf_cull {
    lf_allocator allocator;
    lf__cull_kernels kernels;
    lf__cull_order order;
    bool (*shape)(void *user, int64_t item, lf_cull_shape *shape);
    void *user;

    // Items
    lf_box *boxes;
    uint32_t *slots;  ///< of each item, in the order of the groups; LF__NO_SLOT for an empty box
    uint32_t *things; ///< of each slot
    uint32_t *found;  ///< items that the query has kept so far
    uint64_t *marks;  ///< a bit per item, to sort what was found; zero between queries
    int64_t count;
    int64_t there; ///< items with a slot whose box is not empty
    lf_box world;  ///< of all boxes since it was last computed

    // Hierarchy
    lf_vec3 origin;
    lf__cull_level levels[LF__CULL_LEVELS];
    int level_count;
    double spread, spread_sorted; ///< sum of the sizes of the groups' boxes, now and when they were sorted
    int64_t moved;                ///< boxes moved since then
    bool unsorted; ///< an item without a slot has appeared, or the world no longer fits its floats

    // The last view, and what was kept
    lf_view view;
    lf__volume volume; ///< of the view, widened by the rules' slack
    bool view_known;
    lf_cull_rules rules;
    bool found_known; ///< `found` has what the rules keep; no box was moved since
    int64_t found_count;

    // Published methods
    const lf_cull_filters *filters; ///< that have a state; or NULL
    void *filter_state;

    bool querying; ///< a query is running: the caller's `shape` must not change the culler
};

#define LF__NO_SLOT UINT32_MAX

/// Bring the hierarchy up to date with the boxes: refresh stale groups, or sort.
lf_status lf__cull_refresh(lf_cull *cull, bool *sorted);

/// Does ground hide a whole box from an eye? True only when every straight line from the eye to every point of the box
/// is blocked by the ground strictly between its ends; false when that could not be shown. Grids hide, and in groups the grids in their own place,
/// every box part and every convex polygon by itself; and all of a globe below its lowest ground. Grids with voids in the way hide nothing. Over grids sight finds where the line to the middle is deepest in the ground, and
/// the least height of the ground across the whole width of the box shows whether the same holds for all lines.
/// box is not empty and within 1e30; hidden is written only on success.
lf_status lf__box_hidden(const lf_ground *ground, lf_vec3 eye, lf_box box, bool *hidden, lf_cursor *cursor);

#endif
