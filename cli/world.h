/// A world from a script, for `landfall scene run` and for pictures.
#ifndef CLI_WORLD_H
#define CLI_WORLD_H

#include "cli.h"
#include <landfall/script.h>

#define WORLD_SETTINGS 64 ///< at most, in one run

typedef struct world {
    const cli *run;
    const char *path; ///< of the script
    lf_script *script;
    void (*say)(void *user, const char *text); ///< who hears what the script says; NULL: nobody
    void *say_user;
    lf_script_setting settings[WORLD_SETTINGS];
    char names[WORLD_SETTINGS][64]; ///< of the settings
} world;

/// Read the script `path`, with what --set says; `say` and `say_user` are set already. Says what is wrong and returns false.
/// land  what world.land() gives, or NULL
bool world_open(cli *run, const char *path, const lf_ground *land, world *world);

/// --time-limit, if it is given. Says what is wrong and returns false.
bool world_time_limit(const options *given, double *seconds);

/// Also of one that was never opened, all zero.
void world_close(world *world);

#endif
