/// Groups: their parts, for other modules.
#ifndef LF_GROUND_GROUP_H
#define LF_GROUND_GROUP_H

#include "ground/ground.h"
#include <landfall/ground.h>

typedef struct lf__group_part {
    const lf_ground *ground;
    lf_pose pose;
    lf_box box;   ///< of the part, in the world,
    lf_box own;   ///< computed when the box of its ground was this
    bool upright; ///< its own down is the group's: heights can be queried directly
} lf__group_part;

struct lf_group {
    lf_ground ground;
    lf_allocator allocator;
    lf_frame frame;
    lf__group_part *parts;
    int64_t count;
    bool of_files; ///< a part lies in a file, which may be damaged
};

/// The box of a part in the world. A ground that has been edited may have another one than when the part was
/// posed.
lf_box lf__group_part_box(const lf__group_part *part);

#endif
