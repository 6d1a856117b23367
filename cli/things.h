/// What stands on the ground of a picture: models from files, in a scene of their own, and the world of a script.
#ifndef CLI_THINGS_H
#define CLI_THINGS_H

#include "cli.h"
#include <figures.h>
#include <landfall/script.h>

#define WORLD_METHODS 4 ///< published ways to predict contacts

/// The world of a script, for `landfall scene run` and for pictures.
typedef struct world {
    const cli *run;
    const char *path; ///< of the script
    lf_script *script;
    void (*say)(void *user, const char *text); ///< gets what the script prints; or NULL
    void *say_user;
    lf_script_setting *settings;
    const lf_contact_method *methods[WORLD_METHODS + 1]; ///< that watches may name; the last is NULL
    const lf_ellipsoid *ellipsoid; ///< of a land on a globe, which is in the coordinates of `place`; or NULL
    lf_pose place;
} world;

/// Read the script `path` with --set and --time-limit; `say` and `say_user` are set already. Prints what is wrong and returns false.
/// land  what world.land() returns, or NULL
bool world_open(cli *run, const char *path, const lf_ground *land, world *world);

/// Set run->scenes: scripts that world files name.
void world_scenes_start(cli *run);

/// Also of one that was never opened, all zero.
void world_close(world *world);

#define THINGS_MOST 64 ///< models in one picture

typedef struct things {
    lf_figure_models *models; ///< or NULL
    lf_model *loaded[THINGS_MOST];
    int model_count;
    world world; ///< in the ground's own units, where there is a script
} things;

/// Are there any?
bool things_there(const things *things);

/// Load --scene (with --steps, --dt and --set) and --model (with --at, --heading, --scale and --up). metres: of one unit of x, y and z in the
/// picture. Prints what is wrong and returns false. things_free always.
bool things_load(cli *run, const loaded *ground, lf_vec3 metres, things *things);
void things_free(things *things);

/// The first of them that a ray in the ground's coordinates meets; user is a things. An lf_render_objects.
bool things_met(void *user, const lf_ray *ray, lf_render_object *thing);

#endif
