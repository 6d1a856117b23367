/// A scene as a ground.
#ifndef LF_SCENE_WORLD_H
#define LF_SCENE_WORLD_H

#include "ground/group.h"
#include "model/model.h"
#include "scene/scene.h"

/// A sphere or a cylinder about the origin, as the part's transforms and its instance turn it.
typedef struct lf__round {
    lf__form form; ///< a copy: it owns nothing
    bool sphere;
    double radius, half;
    lf_vec3 turn[3], inverse[3];
    double stretch; ///< the most that turn lengthens anything
    lf_box box;     ///< of the turned shape
} lf__round;

extern const lf__ground_kind_of lf__round_kind;

/// What a part of the scene was when it was put into the group.
typedef struct lf__world_part {
    uint32_t generation; ///< 0: nothing is there
    int64_t form_changes;
    lf_vec3 turn[3], shift, translation;
    uint64_t user;
    uint32_t layers;
    lf__round *round; ///< own, or NULL
    lf_ground ground; ///< of the round shape
    lf_model *model;  ///< own, or NULL
    lf_vec3 model_turn[3];
    int64_t model_changes;
} lf__world_part;

typedef struct lf__world {
    lf_group group; ///< part i is the scene's part of index i
    lf__world_part *parts;
    int64_t space; ///< of both arrays of parts
} lf__world;

/// Bring the ground up to date, if the scene has one. Errors: LF_NO_MEMORY.
lf_status lf__world_refresh(lf_scene *scene);
void lf__world_free(lf_scene *scene);

#endif
