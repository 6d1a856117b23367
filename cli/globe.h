/// The GLOBE argument: a planet of tiles that can be asked.
#ifndef CLI_GLOBE_H
#define CLI_GLOBE_H

#include "cli.h"
#include <landfall/globe.h>
#include <landfall/terrain.h>

/// A globe, and what it was made from.
typedef struct globe_loaded {
    lf_store *store;     ///< a .lf file: the globe is its own
    lf_terrain *terrain; ///< a folder of tiles
    lf_globe *globe;
} globe_loaded;

/// Is the first argument a globe: a .lf file that holds one, or a folder of terrain tiles?
bool globe_asked(const cli *run);

/// Load the first argument as a globe: a .lf file, or a folder of terrain tiles or its layer.json. Says what is wrong and returns false; nothing is held
/// then.
bool globe_load(cli *run, globe_loaded *loaded);

void globe_free(globe_loaded *loaded);

#endif
