/// Groups: their parts, for other modules. A scene as ground is a group too, which the scene keeps.
#ifndef LF_GROUND_GROUP_H
#define LF_GROUND_GROUP_H

#include "bvh/bvh.h"
#include "ground/ground.h"
#include "ground/outline.h"
#include <landfall/ground.h>

/// What decides most rays at a box comes first: one cache line.
typedef struct lf__group_part {
    _Alignas(LF__CACHE_LINE) lf__outline outline; ///< of a box part
    uint32_t layers;                              ///< or 0
    bool identity;                                ///< the pose is: coordinates are passed on as they are
    bool upright; ///< its own down is the group's: heights can be queried directly
    bool is_box;
    bool
        has_grid; ///< it is a grid, or a group with one: a line below it is below ground, even outside its box
    const lf_ground *ground; ///< of a box: `self`; NULL: nothing is there (scenes)
    lf_pose pose;
    lf_box own;     ///< in its own coordinates, as it was when the part was posed; a box part's own box
    lf_box box;     ///< in the world; empty: it is not there
    uint64_t user;  ///< or 0
    int64_t first;  ///< of its numbers in `inner`, see lf_group
    lf_ground self; ///< of a box part: its object is `own`
} lf__group_part;

struct lf_group {
    lf_ground ground;
    lf_allocator allocator;
    lf_frame frame;
    lf__group_part *parts;
    int64_t count;
    lf__items items;        ///< the tree of the parts' boxes
    bool single;            ///< one ground in its own coordinates: it is asked directly
    bool nested;            ///< a part is a group or a scene
    int64_t files[2];       ///< parts from files[0] to before files[1] may lie in files, which may be damaged
    const lf_ground *globe; ///< among the parts, or parts of them; NULL: none
    lf_pose globe_pose;     ///< of the globe
    bool globe_there;       ///< that is the identity: coordinates are earth-centred
    int64_t grid_count;     ///< of parts that have grids
    int64_t terrain;        ///< the number plus 1 of the grid under everything else; 0: none
};

/// The function tables of groups and of scenes.
extern const lf__ground_kind_of lf__group_kind, lf__group_kind_of_scene;

/// The ground itself, where a group is nothing else: a group of a single ground in its own coordinates.
static inline const lf_ground *lf__ground_itself(const lf_ground *ground) {
    while (ground && ground->kind->is_group && ((const lf_group *)ground->object)->single)
        ground = ((const lf_group *)ground->object)->parts->ground;
    return ground;
}

/// The group that a ground is, or that a scene keeps as its ground; NULL for other kinds.
static inline const lf_group *lf__ground_group(const lf_ground *ground) {
    return ground->kind->is_group || ground->kind->is_scene ? ground->object : NULL;
}

/// How many numbers a ground takes in `inner` of a group that it is a part of.
int64_t lf__ground_numbers(const lf_ground *ground);

/// A part takes its place in the world: box, upright, identity. `own` is set. The tree is not changed.
void lf__group_pose_part(const lf_group *group, lf__group_part *part, const lf_pose *pose);

/// Make a part a box. The part must not move in memory.
void lf__group_part_set_box(lf__group_part *part, const lf_box *box);

/// A hit of a part as one of the group, and back: what the part itself would name.
lf_hit lf__group_from_part(const lf_group *group, int64_t index, const lf_hit *hit);
lf_hit lf__group_to_part(const lf_group *group, const lf_hit *hit);

static inline lf_vec3 lf__part_place(const lf__group_part *part, lf_vec3 world) {
    return part->identity ? world : lf_pose_to_local(&part->pose, world);
}

static inline lf_vec3 lf__part_turn(const lf__group_part *part, lf_vec3 world) {
    return part->identity ? world : lf_pose_turn_to_local(&part->pose, world);
}

static inline lf_ray lf__part_ray(const lf__group_part *part, const lf_ray *ray) {
    return (lf_ray){lf__part_place(part, ray->origin), lf__part_turn(part, ray->direction), ray->t_min,
                    ray->t_max};
}

/// Is a part seen by a filter? Its ground may still have elements that are not.
static inline bool lf__part_seen(const lf__group_part *part, uint32_t layers) {
    return part->layers == 0 || (part->layers & layers) != 0;
}

/// The layers that a part's ground is asked for: all, if the part has layers of its own.
static inline uint32_t lf__part_layers(const lf__group_part *part, uint32_t layers) {
    return part->layers == 0 ? layers : UINT32_MAX;
}

/// Set an optional cursor's filter for a part; call it with the old one afterwards.
static inline void lf__cursor_filter(lf_cursor *cursor, uint32_t layers) {
    if (cursor)
        cursor->layers = layers;
}

/// A search along a ray through the parts of a group.
static inline lf__item_search lf__group_search(const lf_group *group,
                                               double (*item)(void *user, uint32_t index), void *user,
                                               const float *wide) {
    return (lf__item_search){item, user, wide, (const char *)group->parts, sizeof *group->parts};
}

/// Call `found` for each part whose box overlaps a box of the world; it returns false to stop.
typedef struct lf__part_finder {
    bool (*found)(void *user, int64_t index);
    void *user;
    lf_box box;
    const lf_group *group;
    bool done;
} lf__part_finder;

void lf__group_near(lf__part_finder *finder, lf_cursor *cursor);

/// The sign of a's t minus b's along a line of the world: for polygons the exact t of the line in the part's own coordinates,
/// for others t as it is. length: metres of the line per unit of the hits' t.
int lf__group_order(const lf_group *group, const lf_ray *line, double length, const lf_hit *a,
                    const lf_hit *b);

/// Rounding may have put a t below that of the hit before it.
void lf__hits_keep_rising(lf_hit *hits, int64_t count);

/// All hits of a line in order, as ray_all.
int64_t lf__group_gather(const lf_group *group, const lf_ray *line, lf__each how, lf_hit *hits,
                         int64_t capacity, lf_cursor *cursor);

// Entries of the table.
void lf__group_ray_first(const void *object, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor);
bool lf__group_line_first(const void *object, const lf_ray *line, lf_hit *hit, lf_cursor *cursor);
void lf__group_ray_first_many(const void *object, const lf_ray *rays, size_t ray_stride, int64_t count,
                              lf_hit *hits, size_t hit_stride);
bool lf__group_ray_any(const void *object, const lf_ray *ray, lf_cursor *cursor);
void lf__group_each(const void *object, const lf_ray *ray, lf__each how, const lf__finder *finder,
                    lf_cursor *cursor);
int64_t lf__group_ray_all(const void *object, const lf_ray *ray, lf_hit *hits, int64_t capacity,
                          lf_cursor *cursor);
void lf__group_cuts(const void *object, const lf__track *track, lf__cuts *cuts, lf_cursor *cursor);
double lf__group_bend(const void *object, const lf_hit *hit, const lf__track *track);
void lf__group_spread(const void *object, const lf_pose *pose, lf__cone *cone);
bool lf__group_touches(const void *object, const lf__land_body *body, const lf_pose *pose, lf_cursor *cursor);
void lf__group_faces(lf__face_search *search);
void lf__group_sweep(const void *object, lf__sweeping *sweep);

// ---------------------------------------------------------------------------------------------------
// Boxes as parts
// ---------------------------------------------------------------------------------------------------

extern const lf__ground_kind_of lf__box_kind;

/// Where a ray meets a box: the face, and which triangle of it where that was decided exactly, else -1.
typedef struct lf__box_meeting {
    double t;
    int face, triangle;
} lf__box_meeting;

/// The first meeting; false: none. Decided exactly for the six faces as polygons.
/// as_line  a gravity line: never edge-on
bool lf__box_first(const lf_box *box, const lf_ray *ray, bool as_line, lf__box_meeting *meeting,
                   lf_counters *cost);

/// The hit of a meeting, in the box's own coordinates; its layer is 1.
void lf__box_hit(const lf_box *box, const lf_ray *ray, const lf__box_meeting *meeting, lf_hit *hit);

#endif
