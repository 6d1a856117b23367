/// The GLOBE argument: a planet of tiles that can be asked.
#ifndef CLI_GLOBE_H
#define CLI_GLOBE_H

#include "ground.h"

/// Is it a folder with a layer.json, or that file itself?
bool is_terrain(const char *path);

/// Load such a folder as ground. Says what is wrong and returns false; what is held by then is freed with ground_free.
bool terrain_load(cli *run, const char *path, loaded *loaded);

/// Load the first argument as a globe: a .lf file that holds one, or a folder of terrain tiles. Says what is wrong and returns false; nothing is held
/// then. Give it back with ground_free.
bool globe_load(cli *run, loaded *loaded);

/// Says that an option is not for globes, and returns true, when GROUND is one and the option was given.
bool globe_refuses(const cli *run, const loaded *ground, const char *option, const char *why);

#endif
