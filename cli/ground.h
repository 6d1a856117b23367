/// The GROUND argument: a file made into ground that can be asked.
#ifndef CLI_GROUND_H
#define CLI_GROUND_H

#include "cli.h"
#include <landfall/io.h>

/// Ground, and what it was made from.
typedef struct loaded {
    lf_polygon_file *file;
    lf_mesh *mesh;
    lf_ground *ground;
} loaded;

/// Do the options ask for a gravity that is not simply -z? Points need a Z then.
bool ground_framed(const options *given);

/// Load the first argument as ground, with --only and the options of frames. Says what is wrong and returns
/// false; nothing is held then.
bool ground_load(cli *run, loaded *loaded);

void ground_free(loaded *loaded);

#endif
