/// FIXHEAD scene/cull.h
#ifndef LF_SCENE_CULL_H
#define LF_SCENE_CULL_H

#include "base/base.h"
#include <landfall/scene.h>

// ---------------------------------------------------------------------------------------------------
// view.h
// ---------------------------------------------------------------------------------------------------

/// Views from the inside: the volume of a view, with what each way of culling wants to know of it.

#define LF__VIEW_PLANES 6

/// A view made ready. The planes are the truth; the rest is rounded, and `blur` says by how much at most.
typedef struct lf__volume {
    lf_vec3 eye, forward, right, up; ///< unit vectors at right angles
    double across, upright;          ///< tangents of half the opening angles
    double nearest, farthest; ///< farthest is finite for the corners' sake; endless: no plane stands there
    bool endless;
    double smallest;
    int plane_count;
    lf_plane planes[LF__VIEW_PLANES]; ///< near, left, right, bottom, top, far
    lf_vec3 corners[8];               ///< near, then far, each counter-clockwise from the lower left
    double blur;                      ///< how far corners, and points computed from them, can be off
    lf_box bounds;                    ///< holds the volume for certain
    double cone_sine, cone_cosine;    ///< of the half angle of the cone around it
} lf__volume;

/// Check a view of full size.
lf_status lf__eye_check(const lf_eye *full, lf_error *error);

/// Bring a caller's view to full size, and check it.
lf_status lf__view_read(const lf_eye *view, lf_eye *full, lf_error *error);

/// The volume of a view that has been read. Where the view has no end, corners are put at `farthest`.
void lf__volume_make(const lf_eye *view, double farthest, lf__volume *volume);

/// How far things in a box can be along forward, rounded up; never below a view's beginning.
double lf__view_reach(const lf_eye *view, lf_box world);

/// Surely outside, by the box around the volume.
static inline bool lf__outside_bounds(const lf__volume *volume, const lf_box *box) {
    return !lf_box_overlap(volume->bounds, *box);
}

/// Surely outside of the cone, before its beginning or behind its end, or too small: by the sphere around a box.
bool lf__outside_cone(const lf__volume *volume, const lf_box *box);

/// Surely outside: separated by a plane along a face or an edge of either. For boxes that is exact but for rounding.
bool lf__outside_volume(const lf__volume *volume, const lf_box *box);

/// Surely outside: nothing of any polygon is in the volume.
bool lf__shape_outside_volume(const lf__volume *volume, const lf_cull_shape *shape);

// ---------------------------------------------------------------------------------------------------
// cull.h
// ---------------------------------------------------------------------------------------------------

/// A culler from the inside.
///
/// Boxes are kept as floats relative to the middle of the world, rounded outwards, 64 to a group, one array per side: eight
/// of them are tested by a handful of instructions. Groups follow each other along Hilbert's curve, so that what is
/// near in space is near in memory. The boxes around groups form groups themselves, and so on up to a single one.

#define LF__GROUP 64 ///< boxes to a group: the bits of a word

/// Up to 64 boxes, made larger on all sides by what rounding can do to their distances from planes. Lanes that are not in
/// `alive` hold zeros.
typedef struct lf__cull_group {
    float low[3][LF__GROUP], high[3][LF__GROUP];
    float slack
        [LF__GROUP]; ///< what rounding can do to a distance from a plane: a part of the coordinates' size
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

#define LF__NOTE_ROOM LF__GROUP ///< behind the last thing noted, so much may be written

typedef struct lf__cull_kernels {
    /// Test a group against the planes in a mask. `crossing` is of use only where `inner` is set.
    void (*test)(const lf__cull_planes *planes, unsigned mask, const lf__cull_group *group, bool inner,
                 lf__cull_found *found);
    /// Copy the things of the lanes that are set, in their order; returns how many.
    int64_t (*note)(const lf__cull_order *order, const uint32_t *things, uint64_t lanes, uint32_t *found);
    /// Copy numbers into wider ones.
    void (*widen)(const uint32_t *found, int64_t count, int64_t *items);
} lf__cull_kernels;

/// Note which sides of the boxes planes ask for: those depend on the signs of their normals.
void lf__cull_choose_sides(lf__cull_planes *planes);

lf__cull_kernels lf__cull_kernels_for(lf_isa isa);

#define LF__CULL_LEVELS 7 ///< 64^6 is beyond 2^31

/// One level: groups of boxes, or of groups of the level below.
typedef struct lf__cull_level {
    lf__cull_group *groups;
    uint64_t *stale; ///< a bit per group that has changed since the level above saw it
    int64_t count, room;
} lf__cull_level;

struct lf_cull {
    lf_allocator allocator;
    lf__cull_kernels kernels;
    lf__cull_order order;
    bool (*shape)(void *user, int64_t item, lf_cull_shape *shape);
    void *user;

    // Things
    lf_box *boxes;
    uint32_t *slots;  ///< of each thing, in the order of the groups; LF__NO_SLOT when it is not there
    uint32_t *things; ///< of each slot
    uint32_t *found;  ///< things that the look has left so far
    uint64_t *marks;  ///< a bit per thing, to put what was found in order; zero between looks
    uint32_t *flags;  ///< cells of each thing; NULL until they are asked for
    int64_t count;
    int64_t there; ///< things with a slot whose box is not empty
    lf_box world;  ///< of all things there have been since it was last computed
    lf_box celled; ///< the world that is cut into cells

    // Hierarchy
    lf_vec3 origin;
    lf__cull_level levels[LF__CULL_LEVELS];
    int level_count;
    double spread, spread_sorted; ///< sum of the sizes of the groups' boxes, now and when they were sorted
    int64_t moved;                ///< boxes since then
    bool unsorted;                ///< a thing has come that has no slot, or the world has left its floats

    // The last view
    lf_eye view;
    lf__volume volume;
    bool view_known;

    bool looking; ///< a look is under way: the caller's `shape` must not change the culler
};

#define LF__NO_SLOT UINT32_MAX

/// Make the hierarchy over all things. On failure the culler is as it was.
lf_status lf__cull_sort(lf_cull *cull);

/// Bring the hierarchy up to date with the boxes: refresh stale groups, or sort.
lf_status lf__cull_refresh(lf_cull *cull, bool *sorted);

/// Write a thing's box to its slot.
void lf__cull_place(lf_cull *cull, uint32_t slot, const lf_box *box);

/// Put what planes leave into `found`; returns how many those are, and how many groups were tested.
int64_t lf__cull_by_planes(lf_cull *cull, int64_t *groups);

/// The cells of a box in the celled world.
uint32_t lf__cull_cells(const lf_cull *cull, const lf_box *box);

#endif
