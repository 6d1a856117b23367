/// `landfall sight --path FILE`: sight over a profile that somebody measured.
#ifndef CLI_SIGHT_PATH_H
#define CLI_SIGHT_PATH_H

#include "cli.h"

/// Returns the exit status.
int sight_path(cli *run);

#endif
