/// landfall/group.h: several grounds, each with a pose of its own, asked as one: a lift, a ship, a drawbridge.
#ifndef LANDFALL_GROUP_H
#define LANDFALL_GROUP_H

#include <landfall/ground.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One ground and where it is.
typedef struct lf_group_part {
    const lf_ground *ground; ///< borrowed: must outlive the group; not a group itself, nor a globe
    lf_pose pose;            ///< rigid
} lf_group_part;

/// How to make a group; start from lf_group_def_default().
typedef struct lf_group_def {
    size_t size; ///< stamped by the default function
    lf_host host;
    lf_frame frame;             ///< where down is for the whole group, whatever the parts were made for
    const lf_group_part *parts; ///< copied
    int64_t part_count;         ///< 1 or more
} lf_group_def;

/// The default: down is -z. Fill in parts.
static inline lf_group_def lf_group_def_default(void) {
    lf_group_def def = {sizeof(lf_group_def),
                        {NULL, NULL, NULL, NULL},
                        {LF_FRAME_GRAVITY, {0, 0, 0}, {0, 0, -1}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                        NULL,
                        0};
    return def;
}

/// The same for languages that cannot inline: writes at most `size` bytes of the default to def.
LF_API void lf_group_def_init(lf_group_def *def, size_t size);

/// Grounds that move as wholes. Asked through lf_ground.
///
/// A gravity line is asked of each part in the part's own coordinates. A part whose own down is the group's down there
/// (one that is only moved, and turned about gravity) answers with what it keeps for gravity lines; one that is
/// tilted answers as to any other ray. Hits say the part; elements, user values and layers are the part's own.
/// Answers are those of one ground made of all polygons as they stand, up to the rounding of the poses. Which of two meshes' hits comes first is decided by the exact
/// t of the line in each part's coordinates; where one of them is a grid, by the grid's t as it is rounded.
typedef struct lf_group lf_group;

/// Make a group.
/// group  written only on success; give it back with lf_group_destroy
/// error  optional; `where` is the index of the offending part
/// Errors: LF_BAD_ARGUMENT (no part, a part without ground or with a group or a globe, a pose that is not rigid, a frame without
/// direction), LF_NO_MEMORY. Allocates with the host's allocator. Threads: any.
LF_API lf_status lf_group_create(const lf_group_def *def, lf_group **group, lf_error *error);

/// Give a group back, not its parts; NULL is fine. Threads: nobody else may be using it.
LF_API void lf_group_destroy(lf_group *group);

/// How many parts it has. Allocates nothing. Threads: any number at once.
LF_API int64_t lf_group_count(const lf_group *group);

/// The pose of a part, 0 <= part < count. Allocates nothing. Threads: any number at once.
LF_API lf_pose lf_group_pose(const lf_group *group, int64_t part);

/// Move a part: the cost does not depend on how large it is.
/// Errors: LF_BAD_ARGUMENT (no such part, or a pose that is not rigid); then nothing changes.
/// Allocates nothing. Threads: nobody else may be using the group.
LF_API lf_status lf_group_set_pose(lf_group *group, int64_t part, const lf_pose *pose);

/// Ground made of a group, which must outlive it and may change its poses meanwhile.
/// host    hooks (only the allocator is used) or NULL
/// ground  written only on success; give it back with lf_ground_destroy
/// Errors: LF_BAD_ARGUMENT for NULL, LF_NO_MEMORY. Threads: any.
LF_API lf_status lf_ground_from_group(const lf_group *group, const lf_host *host, lf_ground **ground);

#ifdef __cplusplus
}
#endif
#endif
