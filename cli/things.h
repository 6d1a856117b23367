/// What stands on the ground of a picture: models from files, in a scene of their own, and the world of a script.
#ifndef CLI_THINGS_H
#define CLI_THINGS_H

#include "ground.h"
#include "world.h"
#include <landfall/picture.h>
#include <landfall/scene.h>

#define THINGS_MOST 64 ///< models in one picture

typedef struct things {
    lf_scene *scene; ///< of the models, in metres of the picture about `origin`; or NULL
    lf_model *models[THINGS_MOST];
    int model_count;
    lf_vec3 origin; ///< in the ground's own units
    lf_vec3 metres; ///< that one of these units has in the picture
    world world;    ///< in the ground's own units, where there is a script
} things;

/// Is there anything?
bool things_there(const things *things);

/// Load what --scene (with --steps, --dt and --set), --model, --at, --heading, --scale and --up ask for. metres: of one unit of x, y and z, as the picture shows them. Says what is
/// wrong and returns false. things_free always.
bool things_load(cli *run, const loaded *ground, lf_vec3 metres, things *things);
void things_free(things *things);

/// What a ray of the ground's coordinates meets first of them; user is a things. An lf_render_objects.
bool things_met(void *user, const lf_ray *ray, lf_render_object *thing);

#endif
